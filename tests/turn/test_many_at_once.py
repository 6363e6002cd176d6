"""Fifty conversations at once: each hears its own, and each log is its own (V2, V12)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from everlore.domain.conversation import Author, MessageState
from everlore.models.chat import Ask, End, Piece
from everlore.models.registry import ChatModels
from everlore.settings import ChatSettings
from tests.turn.world import World, on_sqlite, settings_of, world

MANY = 50
WORDS = 20


class Parrot:
    """Answers with the last word of what it was told, again and again, giving way to all others each time.
    Told to wait, it stops half way until it is let go."""

    name = "parrot"
    backend = "parrot"

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    async def stream(self, ask: Ask) -> AsyncIterator[Piece | End]:
        assert ask.scene is not None
        word = ask.scene.history[-1].content.split()[-1]
        for number in range(WORDS):
            await asyncio.sleep(0)
            yield Piece(f"{word}.{number} ")
            if number == WORDS // 2 and "Wait" in ask.scene.history[-1].content:
                await self.go_on.wait()
        yield End()

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def parrot() -> Parrot:
    return Parrot()


@pytest.fixture(params=["memory", "sqlite"])
async def mind(request: pytest.FixtureRequest, tmp_path: Path, parrot: Parrot) -> AsyncIterator[World]:
    """The parrot stands in for the built-in voice."""
    settings = settings_of(chat=ChatSettings(provider="voice"))
    models = ChatModels(settings.chat, voice=lambda: parrot)
    how = {"settings": settings, "models": models, "save_every_s": 0.002}
    mind = world(**how) if request.param == "memory" else await on_sqlite(tmp_path / "lore.db", **how)
    yield mind
    await mind.store.close()


async def _exchange(mind: World, talk: str, word: str) -> str:
    writing = await mind.begins(talk, f"Say {word}")
    heard = "".join([piece async for piece in writing.pieces()])
    await writing.reply()
    return heard


async def test_fifty_replies_at_once_keep_their_words_apart(mind: World) -> None:
    """V2: what is heard, and what is kept."""
    talks = [await mind.sits_down("Mira", id=f"talk-{number}") for number in range(MANY)]

    heard = await asyncio.gather(*(_exchange(mind, talk.id, f"w{place}") for place, talk in enumerate(talks)))

    for place, talk in enumerate(talks):
        expected = "".join(f"w{place}.{number} " for number in range(WORDS))
        assert heard[place] == expected
        [message, reply] = await mind.log(talk)
        assert (message.author, message.content, message.seq) == (Author.USER, f"Say w{place}", 1)
        assert (reply.content, reply.state, reply.seq) == (expected, MessageState.COMPLETE, 2)
        assert reply.metadata["built_in"] is True


async def test_a_crowd_in_one_conversation_is_answered_one_by_one(mind: World) -> None:
    """V2: a conflict for whoever comes too early, and never half a turn."""
    talk = await mind.sits_down("Mira")

    results = await asyncio.gather(
        *(_exchange(mind, talk.id, f"w{number}") for number in range(10)), return_exceptions=True
    )

    heard = [each for each in results if isinstance(each, str)]
    log = await mind.log(talk)
    assert len(heard) >= 1
    assert [each.author for each in log] == [Author.USER, Author.ASSISTANT] * len(heard)
    assert {each.state for each in log} == {MessageState.COMPLETE}


async def test_stopping_some_of_many_stops_only_those(mind: World, parrot: Parrot) -> None:
    """V2."""
    talks = [await mind.sits_down("Mira") for _ in range(10)]
    writings = [await mind.begins(talk, f"Wait and say w{place}") for place, talk in enumerate(talks)]

    await asyncio.gather(*(mind.stops(talk) for talk in talks[::2]))
    parrot.go_on.set()
    replies = [await writing.reply() for writing in writings]

    assert {each.state for each in replies[1::2]} == {MessageState.COMPLETE}
    assert {each.state for each in replies[::2]} == {MessageState.STOPPED}
    assert [each.content.split(".")[0] for each in replies[1::2]] == [f"w{place}" for place in range(1, 10, 2)]
    assert [(await mind.log(talk))[-1] for talk in talks] == replies


async def test_readers_never_spoil_what_is_being_written(mind: World) -> None:
    """V12: to look at a reply while it ends must not mark it as broken off."""
    talks = [await mind.sits_down("Mira") for _ in range(10)]
    done = asyncio.Event()

    async def read() -> None:
        while not done.is_set():
            for talk in talks:
                await mind.log(talk)
                # The store in memory gives way to nobody.
                await asyncio.sleep(0)

    readers = [asyncio.create_task(read()) for _ in range(3)]
    heard = await asyncio.gather(*(_exchange(mind, talk.id, f"w{place}") for place, talk in enumerate(talks)))
    done.set()
    await asyncio.gather(*readers)

    assert [(await mind.log(talk))[-1].content for talk in talks] == list(heard)
    assert {(await mind.log(talk))[-1].state for talk in talks} == {MessageState.COMPLETE}
