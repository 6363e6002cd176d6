"""One fault after the other while people talk: nothing acknowledged is lost or doubled (R-1, R-2, R-4)."""

import asyncio
import os
import random
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from tests.balancer import Address, Balancer
from tests.cli.process import Running
from tests.journeys.talkers import address_of, all_say_more, balanced, caller, nothing_is_lost_or_doubled, talking
from tests.journeys.world import Server, World
from tests.models.chat_server import Exchange, Scenario
from tests.server.test_full_disk import full_disk
from tests.soak import IS_LONG, SEED, look
from tests.waiting import PATIENCE_S, eventually, until

FAULTS = look(8, 100)


async def shorter_than_it_says(exchange: Exchange) -> None:
    """Breaks off before the length that its head tells."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 5000\r\n\r\n"
    exchange.writer.write(head + b'data: {"choices": [{"index": 0, "delta": {"content": "The ferry"}}]}\n\n')
    await exchange.writer.drain()
    exchange.break_off()


# What a model server does instead of an answer. One that stalls does so until the client has had enough.
LIES: tuple[str | Scenario, ...] = (
    *("429", "500", "garbage", "bad json", "wrong shape", "half", "unfinished", "hang up", "error inside", "stall"),
    shorter_than_it_says,
)
SETTINGS: dict[str, Any] = {
    "EVERLORE_CHAT__NEXT_PIECE_TIMEOUT_S": "0.5",
    "EVERLORE_QUEUE__BACKOFF_S": "0.2",
    "EVERLORE_STORE__CONNECT_TIMEOUT_S": "2",
}


@dataclass
class Scene:
    """Two servers and a worker on one database, to which faults happen."""

    world: World
    stack: ExitStack
    # In front of the servers, and in front of PostgreSQL.
    front: Balancer
    database: Balancer | None
    postgres: str
    servers: list[Server]
    dice: random.Random = field(default_factory=lambda: random.Random(SEED))
    worker: Running | None = None

    def kill_a_server(self) -> None:
        place = self.dice.randrange(len(self.servers))
        self.servers[place].kill()
        self.servers[place] = self.world.start(**SETTINGS)
        self.front.targets = [address_of(each) for each in self.servers]

    def kill_the_worker(self) -> None:
        if self.worker is not None:
            self.worker.process.send_signal(signal.SIGKILL)
            self.worker.ends()
        self.worker = self.stack.enter_context(self.world.command(**SETTINGS).started("worker"))

    def have_the_model_lie(self) -> None:
        lies = self.dice.sample(LIES, 3)
        self.world.model.script += lies
        eventually(lambda: not self.world.model.script)

    def fill_the_disk(self) -> None:
        """Until a server has noticed."""
        server = self.dice.choice(self.servers)
        with full_disk(server.process.process.pid):
            eventually(lambda: server.owner().get("/api/health")["status"] == "degraded")

    def cut_the_clients_off(self) -> None:
        eventually(lambda: self.front.cut() > 0)

    def cut_the_database_off(self) -> None:
        database = self.database
        assert database is not None
        eventually(lambda: database.cut() > 0)

    def take_the_database_away(self) -> None:
        """Until a server has noticed."""
        assert self.database is not None
        self.database.let_in = False
        self.database.cut()
        client = self.dice.choice(self.servers).owner()
        eventually(lambda: client.http.get("/api/characters").status_code == 503)
        self.database.let_in = True

    def kill_the_database(self) -> None:
        """One process of it: all connections end, and it recovers from its log as after the loss of all."""
        asyncio.run(_kill_a_backend(self.postgres))

    def faults(self) -> Sequence[Callable[[], None]]:
        both = [self.kill_a_server, self.kill_the_worker, self.have_the_model_lie, self.cut_the_clients_off]
        if self.database is not None:
            return [*both, self.cut_the_database_off, self.take_the_database_away, self.kill_the_database]
        return [*both, self.fill_the_disk] if sys.platform == "linux" else both


async def _kill_a_backend(url: str) -> None:
    connection = await asyncpg.connect(url)
    others = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

    async def is_killed() -> bool:
        found = await connection.fetch(others)
        if found:
            os.kill(found[0]["pid"], signal.SIGKILL)
        return bool(found)

    try:
        await until(is_killed)
    finally:
        # It was told that the server ends.
        connection.terminate()


def _place_of(url: str) -> Address:
    """A host and a port, or a socket in a folder."""
    asked = urlsplit(url)
    folder = parse_qs(asked.query).get("host", [""])[0]
    port = asked.port or 5432
    return f"{folder}/.s.PGSQL.{port}" if folder else (str(asked.hostname), port)


# PostgreSQL restarts all its connections after one was killed, which takes too long for the short look.
_POSTGRES = [pytest.param("postgres", marks=pytest.mark.postgres)] if IS_LONG else []


@pytest.fixture(params=["sqlite", *_POSTGRES])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    with ExitStack() as stack:
        url, database, through = "", None, ""
        if request.param == "postgres":
            url = request.getfixturevalue("postgres_url")
            database = stack.enter_context(Balancer([_place_of(url)]))
            user, _, _ = urlsplit(url).netloc.rpartition("@")
            netloc = f"{user}@127.0.0.1:{database.port}"
            through = urlsplit(url)._replace(netloc=netloc, query="sslmode=disable").geturl()
        world = stack.enter_context(World(tmp_path / "data", through))
        servers = [world.start(**SETTINGS) for _ in range(2)]
        front, _ = stack.enter_context(balanced(*servers))
        yield Scene(world, stack, front, database, url, servers)


@pytest.mark.soak
@pytest.mark.timeout(300 + PATIENCE_S * FAULTS)
def test_fault_after_fault_loses_nothing_and_doubles_nothing(scene: Scene) -> None:
    """R-2, R-4: faults of servers, a worker, connections, the database, the disk and the model; each at least once."""
    scene.kill_the_worker()
    front = replace(scene.servers[0], url=f"http://127.0.0.1:{scene.front.port}")
    ada = caller(front)
    faults = list(scene.faults())
    with talking(ada, [caller(front) for _ in range(3)]) as talkers:
        for number in range(FAULTS):
            fault = faults[number] if number < len(faults) else scene.dice.choice(faults)
            all_say_more(talkers)
            # Shown if the test fails.
            print(fault.__name__)
            fault()
        all_say_more(talkers)
    nothing_is_lost_or_doubled(ada, talkers)
    scene.world.command().ok("doctor")
