"""A model server that answers at once, in a process of its own: what a turn costs is then ours alone.

`python -m benchmarks.provider` prints its address.
"""

import asyncio
import json

WORDS = "The ferry leaves at dawn , and the tide waits for nobody .".split()


def _event(content: object) -> bytes:
    line = b"data: " + (content if isinstance(content, bytes) else json.dumps(content).encode()) + b"\n\n"
    return b"%x\r\n%s\r\n" % (len(line), line)


def _chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    return _event(
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    )


ANSWER = b"".join(
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        *(_chunk({"content": f"{word} "}) for word in WORDS),
        _chunk({}, "stop"),
        _event({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": len(WORDS)}}),
        _event(b"[DONE]"),
        b"0\r\n\r\n",
    ]
)


async def _converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                (
                    int(line.split(b":")[1])
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length")
                ),
                0,
            )
            await reader.readexactly(length)
            writer.write(ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(_converse, "127.0.0.1", 0, limit=2**24)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
