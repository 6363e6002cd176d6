"""A real HTTP server that answers like a model server, until told to misbehave.

It speaks OpenAI's `/v1/chat/completions` and `/v1/models`, and Ollama's `/api/chat` and `/api/tags`. Each
request is played by a scenario, which is one of the functions in `SCENARIOS` or any of the same kind. It is,
in this order: the next one of `script`, the one in `by_model` for the model that was asked for, the one
whose name is the model's name, or else `scenario`.

    with ChatServer() as server:
        server.script += ["429", "fine"]          # the first request, the second one; then `server.scenario`
        server.by_model["slow-model"] = "stall"
        ...
        assert server.asked[0].body["model"] == "m"

Scenarios that wait do so until `release()`. A client that hangs up in the middle of an answer is told by
`hung_up`.

As a process: `python -m tests.models.chat_server --port 0 --scenario instant` prints the address.
"""

import argparse
import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from tests.waiting import PATIENCE_S

WORDS = ("The ", "ferry ", "leaves ", "at ", "dawn", ".")
TEXT = "".join(WORDS)
_CHAT = ("/chat/completions", "/api/chat")


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Exchange:
    """One request, and the means to answer it."""

    asked: Asked
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    server: "ChatServer"
    streaming: bool = field(default=False, init=False)

    @property
    def ollama(self) -> bool:
        return self.asked.path.startswith("/api/")

    async def whole(self, status: int, body: bytes | str, kind: str = "application/json", **headers: str) -> None:
        content = body.encode() if isinstance(body, str) else body
        await self._head(status, {"Content-Type": kind, "Content-Length": str(len(content)), **headers}, content)

    async def error(self, status: int, message: str, **headers: str) -> None:
        said: object = message if self.ollama else {"message": message, "type": "error", "code": None}
        await self.whole(status, json.dumps({"error": said}), **headers)

    async def begin(self) -> None:
        kind = "application/x-ndjson" if self.ollama else "text/event-stream"
        await self._head(200, {"Content-Type": kind, "Transfer-Encoding": "chunked"})
        self.streaming = True

    async def raw(self, text: str) -> None:
        content = text.encode()
        self.writer.write(b"%x\r\n%s\r\n" % (len(content), content))
        await self.writer.drain()

    async def event(self, content: object) -> None:
        line = json.dumps(content)
        await self.raw(f"{line}\n" if self.ollama else f"data: {line}\n\n")

    async def text(self, words: Iterable[str] = WORDS) -> None:
        for word in words:
            await self.delta(content=word)

    async def delta(self, **delta: str | None) -> None:
        if self.ollama:
            await self.event({"model": "m", "message": {"role": "assistant", "content": "", **delta}, "done": False})
        else:
            await self.event({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]})

    async def finish(self, reason: str = "stop", *, usage: bool = True) -> None:
        if self.ollama:
            counts = {"prompt_eval_count": 11, "eval_count": 7} if usage else {}
            await self.event({"message": {"role": "assistant"}, "done": True, "done_reason": reason, **counts})
        else:
            await self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
            if usage and (self.asked.body.get("stream_options") or {}).get("include_usage"):
                await self.event({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}})
            await self.raw("data: [DONE]\n\n")

    async def end(self) -> None:
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()
        self.streaming = False

    async def wait(self) -> None:
        """Until the test lets go, or the client hangs up."""
        gone = asyncio.create_task(self.reader.read(1))
        released = asyncio.create_task(self.server.released.wait())
        try:
            await asyncio.wait({gone, released}, return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                raise ConnectionResetError("the client hung up")
        finally:
            for task in (gone, released):
                task.cancel()
            await asyncio.gather(gone, released, return_exceptions=True)

    def break_off(self) -> None:
        raise _ToldToBreakOff

    async def _head(self, status: int, headers: dict[str, str], content: bytes = b"") -> None:
        lines = [f"HTTP/1.1 {status} Told", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)
        await self.writer.drain()


class _ToldToBreakOff(Exception):
    pass


Scenario = Callable[[Exchange], Awaitable[None]]


async def fine(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.text()
    await exchange.finish()
    await exchange.end()


async def instant(exchange: Exchange) -> None:
    """The whole answer in one piece, also for those who do not stream."""
    if exchange.asked.body.get("stream", exchange.ollama):
        await exchange.begin()
        await exchange.text([TEXT])
        await exchange.finish()
        await exchange.end()
        return
    message = {"role": "assistant", "content": TEXT}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    await exchange.whole(200, json.dumps({"object": "chat.completion", "choices": choices, "usage": {}}))


async def slow_to_begin(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.wait()
    await exchange.text()
    await exchange.finish()
    await exchange.end()


async def stall(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.text(WORDS[:2])
    await exchange.wait()
    await exchange.text(WORDS[2:])
    await exchange.finish()
    await exchange.end()


async def no_usage(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.text()
    await exchange.finish(usage=False)
    await exchange.end()


async def reasoning(exchange: Exchange) -> None:
    await exchange.begin()
    for thought in ("When does ", "it leave?"):
        await exchange.delta(**{"thinking" if exchange.ollama else "reasoning_content": thought})
    await exchange.text()
    await exchange.finish()
    await exchange.end()


async def too_long(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.text()
    await exchange.finish("length")
    await exchange.end()


async def garbage(exchange: Exchange) -> None:
    await exchange.whole(200, "<html><body>It works!</body></html>", "text/html")


async def bad_json(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.raw("{not json\n" if exchange.ollama else "data: {not json\n\n")
    await exchange.end()


async def wrong_shape(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.event({"choices": "none", "message": 3})
    await exchange.end()


async def half(exchange: Exchange) -> None:
    """Breaks the connection in the middle of the answer."""
    await exchange.begin()
    await exchange.text(WORDS[:2])
    exchange.break_off()


async def unfinished(exchange: Exchange) -> None:
    """Ends in good order, but without saying that it came to an end."""
    await exchange.begin()
    await exchange.text(WORDS[:2])
    await exchange.end()


async def hang_up(exchange: Exchange) -> None:
    exchange.break_off()


async def error_inside(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.text(WORDS[:2])
    await exchange.event({"error": "out of memory" if exchange.ollama else {"message": "out of memory"}})
    await exchange.end()


async def obliging(exchange: Exchange) -> None:
    """Does what it is asked for: calls the tool that it is given, writes JSON where a form is wanted, sees pictures,
    and fails where somebody says so."""
    body = exchange.asked.body
    told, last = json.dumps(body["messages"]), body["messages"][-1]
    wanted = body.get("response_format") or {}
    if str(last.get("content")).rstrip().endswith("fail with 429"):
        await exchange.error(429, "slow down", Retry_After="0")
        return
    await exchange.begin()
    if body.get("tools") and body.get("tool_choice") != "none" and last["role"] != "tool":
        function = body["tools"][0]["function"]
        names = list((function.get("parameters") or {}).get("properties") or {})
        call = {"name": function["name"], "arguments": json.dumps(_filled(names))}
        await exchange.event(
            {
                "choices": [
                    {"delta": {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": call}]}}
                ]
            }
        )
        await exchange.finish("tool_calls")
    else:
        names = list(((wanted.get("json_schema") or {}).get("schema") or {}).get("properties") or {})
        is_form = wanted.get("type") in ("json_schema", "json_object")
        words = [json.dumps(_filled(names))] if is_form else ["I see a picture."] if "image_url" in told else WORDS
        await exchange.text(words)
        await exchange.finish()
    await exchange.end()


def _filled(names: Iterable[str]) -> dict[str, object]:
    return {name: 7 if name in ("number", "leaves_at") else "Oslo" for name in names}


def failing(status: int, message: str = "told to fail", **headers: str) -> Scenario:
    async def fail(exchange: Exchange) -> None:
        await exchange.error(status, message, **headers)

    return fail


SCENARIOS: dict[str, Scenario] = {
    "fine": fine,
    "instant": instant,
    "obliging": obliging,
    "slow": slow_to_begin,
    "stall": stall,
    "no usage": no_usage,
    "reasoning": reasoning,
    "length": too_long,
    "429": failing(429, "slow down", Retry_After="0"),
    "500": failing(500),
    "503": failing(503, "loading model"),
    "garbage": garbage,
    "bad json": bad_json,
    "wrong shape": wrong_shape,
    "half": half,
    "unfinished": unfinished,
    "hang up": hang_up,
    "error inside": error_inside,
}


class ChatServer:
    def __init__(self, *, scenario: str | Scenario = "fine", port: int = 0) -> None:
        self.scenario = scenario
        self.script: list[str | Scenario] = []
        self.by_model: dict[str, str | Scenario] = {}
        # What else `/v1/models` says of each model, and what other pages there are, by their path.
        self.told: dict[str, Any] = {}
        self.pages: dict[str, Any] = {}
        self.models = ["fine-model", "other-model", "nomic-embed-text"]
        self.asked: list[Asked] = []
        self.was_asked = threading.Event()
        self.hung_up = threading.Event()
        self.released = asyncio.Event()
        self._port = port
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def url(self) -> str:
        """The base URL of the OpenAI-compatible API."""
        return f"{self.root}/v1"

    @property
    def asked_to_chat(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.path.endswith(_CHAT)]

    def release(self) -> None:
        self._loop.call_soon_threadsafe(self.released.set)

    def let_go(self) -> None:
        """Whoever waits goes on, and whoever comes after that waits."""

        async def once() -> None:
            self.released.set()
            self.released.clear()

        asyncio.run_coroutine_threadsafe(once(), self._loop).result(PATIENCE_S)

    async def seen_ask(self) -> bool:
        """Whether a reply was asked for; waits a while for it."""
        return await asyncio.to_thread(self.was_asked.wait, PATIENCE_S)

    async def seen_hang_up(self) -> bool:
        """Whether a client left before it was answered; waits a while for it."""
        return await asyncio.to_thread(self.hung_up.wait, PATIENCE_S)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        connections: set[asyncio.Task[None]] = set()

        def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.create_task(self._converse(reader, writer))
            connections.add(task)
            task.add_done_callback(connections.discard)

        server = await asyncio.start_server(connect, "127.0.0.1", self._port, limit=2**24)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async for asked in _requests(reader):
                self.asked.append(asked)
                if asked.path.endswith(_CHAT):
                    self.was_asked.set()
                await self._answer(Exchange(asked, reader, writer, self))
        except ConnectionError:
            self.hung_up.set()
        except (_ToldToBreakOff, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, exchange: Exchange) -> None:
        match exchange.asked.path:
            case "/v1/models":
                rows = [{"id": name, "object": "model", "owned_by": "tests", **self.told} for name in self.models]
                await exchange.whole(200, json.dumps({"object": "list", "data": rows}))
            case "/api/tags":
                tags = [{"name": name, "details": {"family": "llama"}} for name in self.models]
                await exchange.whole(200, json.dumps({"models": tags}))
            case "/v1/chat/completions" | "/api/chat":
                await self._chosen(str(exchange.asked.body.get("model")))(exchange)
            case path if path in self.pages:
                await exchange.whole(200, json.dumps(self.pages[path]))
            case _:
                await exchange.error(404, "no such page")

    def _chosen(self, model: str) -> Scenario:
        usual = self.by_model.get(model) or (model if model in SCENARIOS else self.scenario)
        chosen = self.script.pop(0) if self.script else usual
        return SCENARIOS[chosen] if isinstance(chosen, str) else chosen


async def _requests(reader: asyncio.StreamReader) -> AsyncIterator[Asked]:
    while True:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        yield Asked(first.split()[1], headers, json.loads(content) if content else {})


def main() -> None:
    parser = argparse.ArgumentParser(description="A model server that plays scenarios.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--scenario", choices=sorted(SCENARIOS), default="instant")
    chosen = parser.parse_args()
    with ChatServer(scenario=chosen.scenario, port=chosen.port) as server:
        print(server.url, flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
