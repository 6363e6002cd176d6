"""What strangers can do to a server: open connections and say nothing, send half a request, send more than is taken,
try tokens. They wait for themselves alone (S-1, S-7)."""

import os
import socket
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import httpx
import pytest

from everlore.server.problems import OUT_OF_ORDER
from everlore.server.run import KEEP_ALIVE_S
from everlore.settings import ServerSettings, StoreSettings
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.cli.process import Command, Running
from tests.server.home import home
from tests.waiting import PATIENCE_S, eventually

HALF = b"POST /api/memories HTTP/1.1\r\nHost: 127.0.0.1\r\n"
UNSENT = HALF + b"Content-Type: application/json\r\nContent-Length: 60000000\r\n\r\n"


@contextmanager
def _served(folder: Path, **settings: str) -> Iterator[tuple[Running, str, str]]:
    """A server that asks for tokens; its process, its address, and an owner's token."""
    cli = Command(folder)
    token: str = cli.ok("token", "create", "me", "--json").document["token"]
    given = {f"EVERLORE_SERVER__{name.upper()}": value for name, value in settings.items()}
    with cli.having(EVERLORE_SERVER__TOKENS="true", **given).started("serve", "--port", "0") as server:
        yield server, server.line(), token


def _connect(url: str) -> socket.socket:
    parts = httpx.URL(url)
    return socket.create_connection((parts.host, parts.port or 0), timeout=PATIENCE_S)


def _is_open(stranger: socket.socket) -> bool:
    stranger.setblocking(False)
    try:
        return stranger.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def _answers(url: str, token: str) -> bool:
    answer = httpx.get(f"{url}/api/me", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE_S)
    return answer.status_code == 200


def _asks(connection: HTTPConnection, token: str) -> int:
    connection.request("GET", "/api/me", headers={"Authorization": f"Bearer {token}"})
    with connection.getresponse() as answer:
        answer.read()
        return answer.status


def _open_files(server: Running) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no system says how many files are open")
def test_many_half_sent_requests_are_not_all_held_and_others_are_answered(tmp_path: Path) -> None:
    """S-7: from one address, so many and no more; the oldest that asks nothing makes room."""
    with _served(tmp_path, connections_per_address="50") as (server, url, token), ExitStack() as stack:
        before = _open_files(server)
        strangers = [stack.enter_context(closing(_connect(url))) for _ in range(200)]
        for each in strangers:
            with suppress(OSError):
                each.sendall(HALF)

        assert _answers(url, token)
        eventually(lambda: _open_files(server) <= before + 60)
        assert _answers(url, token)
        eventually(lambda: sum(map(_is_open, strangers)) <= 50)


def test_the_connection_of_an_authorised_caller_outlives_those_of_strangers(tmp_path: Path) -> None:
    """S-7: it was idle before they came, and is used again after."""
    with _served(tmp_path, connections_per_address="20") as (_, url, token), ExitStack() as stack:
        address = httpx.URL(url)
        mine = stack.enter_context(closing(HTTPConnection(address.host, address.port, timeout=PATIENCE_S)))
        assert _asks(mine, token) == 200
        mine.auto_open = False
        strangers = [stack.enter_context(closing(_connect(url))) for _ in range(60)]
        eventually(lambda: sum(map(_is_open, strangers)) < 20)

        assert _asks(mine, token) == 200


@pytest.mark.parametrize(
    "sent", [b"", HALF, UNSENT.replace(b"60000000", b"1000") + b"{"], ids=["nothing", "half a head", "half a body"]
)
def test_a_request_that_does_not_end_is_given_up(tmp_path: Path, sent: bytes) -> None:
    """S-7: also one with a token that opens the door."""
    with _served(tmp_path, header_timeout_s="0.3", body_timeout_s="0.3") as (_, url, token):
        mine = f"Authorization: Bearer {token}\r\n".encode()
        with closing(_connect(url)) as stranger:
            stranger.sendall(sent.replace(HALF, HALF + mine))
            answer = stranger.recv(1_000)

            assert answer == b"" if not sent else answer.startswith(b"HTTP/1.1 408 ")
            assert stranger.recv(1_000) == b""


async def test_a_slow_request_that_goes_on_is_answered() -> None:
    """S-7: what is slow is no stranger."""
    async with home(server=ServerSettings(header_timeout_s=2, body_timeout_s=2)) as here:

        async def slowly() -> AsyncIterator[bytes]:
            for byte in b'{"content": "The ferry leaves at dawn."}':
                yield bytes([byte])

        answer = await here.client.post("/api/memories", content=slowly(), headers={"Content-Type": "application/json"})

    assert answer.status_code == 201, answer.text


def test_a_body_that_is_refused_is_not_taken(tmp_path: Path) -> None:
    """S-7: the answer is there, and the connection ends, before the 60 MB are."""
    with _served(tmp_path) as (_, url, _), closing(_connect(url)) as stranger:
        stranger.sendall(UNSENT)
        status = stranger.recv(12)
        taken = 0
        with suppress(OSError):
            while taken < 60_000_000:
                taken += stranger.send(bytes(100_000))

    assert status == b"HTTP/1.1 401"
    # What the buffers of the system took is among them.
    assert taken < 30_000_000


async def test_whoever_was_let_in_learns_that_a_file_is_too_large() -> None:
    """S-7: also a client that reads the answer only when it has sent all."""
    async with home(workers=0) as here:
        answer = await here.client.post("/api/memories", content=bytes(60_000_000))

    assert answer.status_code == 413, answer.text


async def test_after_a_small_body_that_was_refused_the_connection_can_be_used_again() -> None:
    """S-7: who only has a wrong token need not connect anew."""
    async with home(server=ServerSettings(tokens=True)) as here:
        wrong = {"Authorization": "Bearer everlore_ZGVmYXVsdA.nobody.secret"}
        for _ in range(3):
            answer = await here.client.post("/api/memories", json={"content": "Hello."}, headers=wrong)
            assert answer.status_code == 401


async def test_wrong_tokens_are_slowed_and_right_ones_are_not() -> None:
    """S-1: whoever tries many is told to wait; others at the same address go on, and can log in."""
    async with home(server=ServerSettings(tokens=True)) as here:
        made = await here.lore.tokens.create("me")
        right = {"Authorization": f"Bearer {made.text}"}
        wrong = {"Authorization": "Bearer everlore_ZGVmYXVsdA.nobody.secret"}
        answers = [await here.client.get("/api/me", headers=wrong) for _ in range(12)]

        assert [each.status_code for each in answers] == [401] * 10 + [429] * 2
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert (await here.client.get("/api/me", headers=right)).status_code == 200
        cookie = {"Cookie": "everlore_token=everlore_ZGVmYXVsdA.nobody.secret"}
        logged_in = await here.client.post("/api/session", json={"token": made.text}, headers=cookie)
        assert logged_in.status_code == 200, logged_in.text


def test_connections_are_kept_longer_than_clients_keep_them() -> None:
    """Whoever uses a connection in the moment in which the server closes it gets a reset: the client must be the first
    to give it up. httpx does after 5 s, proxies after 60 s."""
    assert KEEP_ALIVE_S > 60


@pytest.mark.parametrize("name", ["everlore.db", "new/folder/everlore.db"])
def test_the_files_of_a_new_database_are_their_owners_alone(tmp_path: Path, name: str) -> None:
    """S-7: the folder too, where it is new."""
    folder = tmp_path / "home"
    database = folder / name
    cli = Command(folder, EVERLORE_DATABASE_URL=f"sqlite:///{database}")
    before = os.umask(0o022)
    try:
        with cli.started("serve", "--port", "0") as server:
            kept = httpx.post(f"{server.line()}/api/memories", json={"content": "Hello."}, timeout=PATIENCE_S)
            kept.raise_for_status()
            files = [each for each in database.parent.iterdir() if each.name.startswith("everlore.db")]
            modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in files}
    finally:
        os.umask(before)

    assert modes == dict.fromkeys(["everlore.db", "everlore.db-wal", "everlore.db-shm"], 0o600)
    made = [each for each in (database.parent, *database.parent.parents) if each.is_relative_to(folder)]
    assert {stat.S_IMODE(each.stat().st_mode) for each in made} == {0o700}


async def test_a_database_that_is_away_tells_strangers_neither_file_nor_address(tmp_path: Path) -> None:
    """S-1: the owner, who can mend it, is told more. Health too."""
    store = await SqliteStore.open(tmp_path / "everlore.db", StoreSettings(), clock=now)
    async with home(store=store, server=ServerSettings(tokens=True), workers=0) as here:
        token = (await here.lore.tokens.create("me")).text
        await store.close()
        stranger = await here.client.get("/api/health")
        caller = await here.client.get("/api/me", headers={"Authorization": f"Bearer {token}"})
    store = await SqliteStore.open(tmp_path / "everlore.db", StoreSettings(), clock=now)
    async with home(store=store, workers=0) as here:
        await store.close()
        owner = await here.client.get("/api/me")

    assert (stranger.status_code, stranger.json()["detail"]) == (503, OUT_OF_ORDER)
    assert (caller.status_code, caller.json()["detail"]) == (503, OUT_OF_ORDER)
    assert (owner.status_code, owner.json()["detail"]) == (503, "The store is closed. Open it again before reading.")
