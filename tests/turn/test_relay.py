"""Processes that tell each other what happens."""

import asyncio

from everlore.turn.news import News
from everlore.turn.relay import Relay
from tests.contract.builders import minute
from tests.store_double.store import DoubleStore
from tests.waiting import PATIENCE_S


class Slow(DoubleStore):
    """As a database is: whoever asks it lets others go on meanwhile."""

    async def listen(self, *args: object, **options: object) -> None:
        await asyncio.sleep(0)
        await super().listen(*args, **options)  # type: ignore[arg-type]


async def test_sockets_that_open_at_the_same_moment_are_all_connected() -> None:
    """V2: each of them waited for the others, and no page heard that the server was back."""
    heard: list[News] = []
    relay = Relay(Slow(lambda: minute(1)), "one", lambda: minute(1), lambda _, news: heard.append(news))

    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(relay.follow("here", has_socket=True) for _ in range(3)))

    for _ in range(3):
        relay.leave("here", has_socket=True)
    await relay.close()
