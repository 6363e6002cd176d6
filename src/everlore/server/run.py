"""Runs the application on a socket of this machine until it is told to stop.

Start at `serve`.
"""

import asyncio
import errno
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager

import uvicorn

from everlore.app import Everlore
from everlore.errors import Misconfigured
from everlore.server.app import build_app
from everlore.server.connections import ConnectionLimits, protocol_for
from everlore.settings import ServerSettings, Settings
from everlore.wiring import opened

# For running answers when the server is told to stop; jobs have EVERLORE_QUEUE__DRAIN_S.
_LAST_ANSWERS_S = 10
# Longer than clients and proxies keep an idle connection (httpx 5 s, nginx and load balancers 60 s): a request that is
# sent just when the other side closes would be reset.
KEEP_ALIVE_S = 75
# Files besides connections: databases, models, what the system opens.
_OTHER_FILES = 200
_MOST_FILES = 65_536


async def serve(settings: Settings, *, stop: asyncio.Event, ready: Callable[[str, str], None]) -> None:
    """Serve until `stop` is set, then drain. As soon as the server answers, `ready` is called with the URL and a
    sentence about the model."""
    with closing(listen(settings.server)) as listener:
        async with opened(settings) as lore:
            await refuse_unguarded(lore, settings.server)
            await lore.characters.welcome()
            told = await lore.backends.told(lore.scope)
            server = _Server(_config(settings, lore), lambda: ready(url_of(listener), told))
            stopping = asyncio.create_task(_stop_with(stop, server, lore))
            try:
                await server.serve(sockets=[listener])
            finally:
                stopping.cancel()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Uvicorn would raise the signals again at the end, so that a regular stop would look like a crash.
        yield


async def _stop_with(stop: asyncio.Event, server: uvicorn.Server, lore: Everlore) -> None:
    await stop.wait()
    # Replies first: an open stream would delay the server.
    await lore.staff.close()
    server.should_exit = True


def _config(settings: Settings, lore: Everlore) -> uvicorn.Config:
    @asynccontextmanager
    async def already_open() -> AsyncIterator[Everlore]:
        yield lore

    return uvicorn.Config(
        build_app(already_open, settings.server),
        log_config=None,
        access_log=settings.log_level == "debug",
        server_header=False,
        timeout_graceful_shutdown=_LAST_ANSWERS_S,
        timeout_keep_alive=KEEP_ALIVE_S,
        http=protocol_for(limits_of(settings.server)),
    )


def limits_of(settings: ServerSettings) -> ConnectionLimits:
    return ConnectionLimits(
        per_address=settings.connections_per_address,
        all=max(_most_files() - _OTHER_FILES, 100),
        header_s=settings.header_timeout_s,
        body_s=settings.body_timeout_s,
    )


def _most_files() -> int:
    """The limit of open files of this process, raised as far as the system allows."""
    if sys.platform == "win32":
        return _MOST_FILES
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def listen(settings: ServerSettings) -> socket.socket:
    """A socket that listens on the configured address."""
    host = settings.host.strip("[]").lower()
    # Named as TCP: only then asyncio disables Nagle's algorithm, so that each word is sent at once.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, settings.port))
        # Listening already here: otherwise two servers that start at once could both bind.
        listener.listen()
    except OSError as error:
        listener.close()
        raise _explained(error, settings) from error
    return listener


async def refuse_unguarded(lore: Everlore, settings: ServerSettings) -> None:
    """If others can reach the server, it requires tokens; if there are none, nobody could log in (S-1)."""
    if settings.needs_token and not await lore.tokens.any_owner():
        where = "" if settings.is_local else f", and {settings.host!r} can be reached from other machines"
        raise Misconfigured(
            f"This server would ask everybody for a token{where}; but there is no owner's token yet. Make one with "
            "`everlore token create NAME`, then start again. Without tokens it listens on 127.0.0.1 only."
        )


def _explained(error: OSError, settings: ServerSettings) -> Misconfigured:
    where = f"port {settings.port} of {settings.host}"
    if error.errno == errno.EADDRINUSE:
        return Misconfigured(
            f"Another program already listens on {where}; perhaps Everlore runs already. Choose another with --port; "
            "--port 0 finds a free one."
        )
    return Misconfigured(
        f"Everlore cannot listen on {where} ({error.strerror}). Choose another with --host and --port."
    )


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
