"""The library without `async`."""

from collections.abc import Iterator
from pathlib import Path
from threading import active_count

import pytest

import everlore.sync
from everlore.errors import NotFound
from everlore.settings import ChatSettings, EmbeddingSettings, QueueSettings, Settings
from everlore.sync import Synchronous
from tests.sqlite import migrated


@pytest.fixture
def lore(tmp_path: Path) -> Iterator[Synchronous]:
    settings = Settings(
        chat=ChatSettings(provider="voice"),
        embedding=EmbeddingSettings(provider="hashing"),
        queue=QueueSettings(poll_s=0.01),
    )
    with everlore.sync.open(migrated(tmp_path / "lore.db"), settings=settings) as lore:
        yield lore


def test_what_is_remembered_is_recalled(lore: Synchronous) -> None:
    kept = lore.remember("The user is allergic to peanuts", importance=9)

    found = lore.recall("peanuts")

    assert [each.record for each in found.hits] == [kept]


def test_a_service_is_synchronous_too(lore: Synchronous) -> None:
    nova = lore.characters.create(name="Nova")
    talk = lore.conversations.start(nova)

    note = lore.turns.note(talk.id, "It rains.")

    assert note in lore.messages.list(talk.id).items


def test_a_reply_is_iterated_as_it_is_written(lore: Synchronous) -> None:
    talk = lore.conversations.start(lore.characters.create(name="Nova"))

    pieces = list(lore.say(talk, "Good morning!"))

    assert "".join(pieces) == lore.messages.list(talk.id, newest_first=True).items[0].content


def test_a_reply_can_be_left_before_its_end(lore: Synchronous) -> None:
    talk = lore.conversations.start(lore.characters.create(name="Nova"))

    for _ in lore.say(talk, "Good morning!"):
        break

    assert lore.stats().counts["conversation"] == 1


def test_an_error_reaches_the_caller(lore: Synchronous) -> None:
    with pytest.raises(NotFound, match="nobody"):
        lore.characters.get("nobody")


def test_no_thread_is_left_behind(tmp_path: Path) -> None:
    before = active_count()

    with everlore.sync.open(migrated(tmp_path / "other.db"), settings=Settings(chat=ChatSettings(provider="voice"))):
        pass

    assert active_count() <= before
