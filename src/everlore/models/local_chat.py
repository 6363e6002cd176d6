"""Replies from a GGUF file on this machine, without any other program: `everlore[local]` (`xllamacpp`).

The package contains llama.cpp with its OpenAI-compatible server, which `OpenAIChat` calls. The server runs in a child
process: loading a model holds the GIL the whole time, which would block everything else, and a model that is too large
for the memory would crash Everlore too. The child starts with the first request, ends with its parent, and is restarted
if it died.
"""

import asyncio
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path

from pydantic import SecretStr

from everlore.errors import Misconfigured
from everlore.models.chat import Ask, End, Piece
from everlore.models.openai_chat import OpenAIChat

CONTEXT_WINDOW = 8_192
_END_S = 10


class LocalChat:
    backend = "local"

    def __init__(self, path: str) -> None:
        self._path = _checked_file(path)
        self.name = self._path.stem
        self._window = CONTEXT_WINDOW
        self._starting = asyncio.Lock()
        self._key = SecretStr("")
        self._process: Process | None = None
        self._chat: OpenAIChat | None = None

    async def stream(self, ask: Ask) -> AsyncGenerator[Piece | End, None]:
        chat = await self._start(ask.context_window or CONTEXT_WINDOW)
        async with aclosing(chat.stream(ask)) as parts:
            async for part in parts:
                yield part

    async def window(self) -> int | None:
        """The loaded context window, or the one that will be used if no request needs more."""
        return self._window

    async def close(self) -> None:
        async with self._starting:
            await self._stop()

    async def _start(self, context_window: int) -> OpenAIChat:
        """The first request decides on the context window: a different one would need another load."""
        async with self._starting:
            if self._process is None or self._process.returncode is not None:
                await self._stop()
                self._process = await self._launch(context_window)
                self._window = context_window
            # If a caller gave up waiting, the child continues to load and the next call waits for it.
            self._chat = self._chat or await self._arrival(self._process)
            return self._chat

    async def _launch(self, context_window: int) -> Process:
        child = ("-m", "everlore.models.local_server", str(self._path), str(context_window))
        # In a session of its own, so that Ctrl-C reaches only this process, which then stops the child properly.
        process = await asyncio.create_subprocess_exec(
            sys.executable, *child, stdin=PIPE, stdout=PIPE, start_new_session=True
        )
        assert process.stdin
        self._key = SecretStr(secrets.token_urlsafe(32))
        process.stdin.write(f"{self._key.get_secret_value()}\n".encode())
        return process

    async def _arrival(self, process: Process) -> OpenAIChat:
        assert process.stdout
        address = (await process.stdout.readline()).decode().strip()
        if not address:
            raise Misconfigured(
                f"{self._path} could not be loaded; the log says why. It may be damaged, too large for the memory of "
                "this machine, or of a kind that needs a newer package: pip install --upgrade xllamacpp."
            )
        return OpenAIChat(f"{address}/v1", self.name, self._key)

    async def _stop(self) -> None:
        chat, self._chat = self._chat, None
        process, self._process = self._process, None
        if chat:
            await chat.close()
        if process:
            await _end(process)


async def _end(process: Process) -> None:
    assert process.stdin
    process.stdin.close()
    try:
        async with asyncio.timeout(_END_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def _checked_file(path: str) -> Path:
    if find_spec("xllamacpp") is None:
        raise Misconfigured(
            "A model file is to answer, and the package for it is not installed. Install it with "
            "`pip install 'everlore[local]'`, or choose another provider under “Connect a model” on the page."
        )
    file = Path(path).expanduser()
    if not path or not file.is_file():
        raise Misconfigured(
            f"There is no model file {path!r}. Give the path of a .gguf file in EVERLORE_CHAT__MODEL, or of another "
            "one in the same folder under “Connect a model” on the page."
        )
    with file.open("rb") as opened:
        if opened.read(4) != b"GGUF":
            raise Misconfigured(f"{path!r} is no GGUF file, or is damaged. Give the path of another one.")
    return file
