"""A real HTTP server on a free port that answers like OpenAI's `/embeddings`, until told to misbehave.

What was asked is kept in `asked`. Set `reply` to anything that turns the asked JSON into a status and a
body; a reply of None hangs up without a word.
"""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Ask = dict[str, Any]
Reply = Callable[[Ask], tuple[int, bytes] | None]


def vector(text: str) -> list[float]:
    """Tells texts of different length apart, and is nowhere near unit length."""
    return [3.0 * len(text), 4.0, 0.0]


def embeddings(vectors: list[list[float]]) -> tuple[int, bytes]:
    rows = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(vectors)]
    # Last first: whoever trusts the order instead of the index is found out.
    return 200, json.dumps({"object": "list", "data": rows[::-1], "model": "m", "usage": {}}).encode()


def well_behaved(ask: Ask) -> tuple[int, bytes]:
    return embeddings([vector(text) for text in ask["input"]])


def always(status: int, body: str) -> Reply:
    return lambda _: (status, body.encode())


class EmbeddingServer:
    def __init__(self) -> None:
        self.reply: Reply = well_behaved
        self.asked: list[Ask] = []
        self.keys: list[str | None] = []
        self.paths: list[str] = []
        self._http = _QuietServer(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that stopped waiting is part of the story, not a page of traceback."""


def _handler_for(server: EmbeddingServer) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            ask = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.asked.append(ask)
            server.keys.append(self.headers["Authorization"])
            server.paths.append(self.path)
            reply = server.reply(ask)
            if reply:
                self._send(*reply)

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Retry-After-Ms", "1")  # so that tests of retries need not wait
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Answering
