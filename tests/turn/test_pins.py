"""Messages that the user pins become one memory (V17), of those who were there (V13)."""

import pytest

from everlore.domain.conversation import Conversation
from everlore.domain.memory import MemoryType, Origin
from everlore.errors import BadAsk, NotFound
from tests.turn.world import World, world


async def _long_talk(mind: World, count: int) -> tuple[Conversation, list[str]]:
    talk = await mind.sits_down("Mira", "Rex")
    for number in range(count):
        await mind.turns.note(mind.scope, talk.id, f"Message {number}")
    return talk, [each.id for each in await mind.log(talk)]


@pytest.mark.parametrize("count", [1, 20])
async def test_one_to_twenty_messages_become_one_memory(count: int) -> None:
    """V17: what happened, why it matters, a quote, and where it comes from."""
    mind = world()
    talk, ids = await _long_talk(mind, 20)

    pinned = await mind.lore.messages.pin(
        talk.id, ids[:count], what="They met at the oak.", why="It began there.", quote="Message 0"
    )

    assert (pinned.content, pinned.type, pinned.origin) == ("They met at the oak.", MemoryType.MOMENT, Origin.USER)
    assert (pinned.source_message_ids, pinned.conversation_id) == (tuple(ids[:count]), talk.id)
    assert pinned.extra == {"why": "It began there.", "quote": "Message 0", "quoted_from": [ids[0]], "pinned": True}
    assert pinned.key_moments == ("Message 0",)
    assert [hit.memory.id for hit in (await mind.lore.recall("Who met at the oak?")).hits] == [pinned.id]


async def test_none_and_more_than_twenty_are_refused() -> None:
    """V17."""
    mind = world()
    talk, ids = await _long_talk(mind, 21)

    for wrong in ([], ids):
        with pytest.raises(BadAsk, match=rf"{len(wrong)} messages were given to pin; choose from 1 to 20"):
            await mind.lore.messages.pin(talk.id, wrong, what="Too much.")

    twice = await mind.lore.messages.pin(talk.id, [*ids[:20], *ids[:20]], what="All of it.")
    assert len(twice.source_message_ids) == 20


async def test_a_message_of_another_conversation_cannot_be_pinned() -> None:
    """V17."""
    mind = world()
    talk, _ = await _long_talk(mind, 1)
    other, foreign = await _long_talk(mind, 1)

    with pytest.raises(NotFound, match=rf"no message '{foreign[0]}' in conversation '{talk.id}'"):
        await mind.lore.messages.pin(talk.id, foreign, what="Theirs.")

    assert (await mind.lore.stats()).counts["memory"] == 0
    assert other.id != talk.id


async def test_a_pin_is_remembered_only_by_those_who_were_there_for_all_of_it() -> None:
    """V17, V13."""
    mind = world()
    talk = await mind.sits_down("Mira", "Rex")
    first = await mind.turns.note(mind.scope, talk.id, "We all met.")
    await mind.lore.conversations.change(talk.id, present=["mira"])
    second = await mind.turns.note(mind.scope, talk.id, "The treasure is under the oak.")

    both = await mind.lore.messages.pin(talk.id, [first.id, second.id], what="The treasure is under the oak.")
    all_of_us = await mind.lore.messages.pin(talk.id, [first.id], what="We all met at the treasure inn.")

    assert both.persons == ("mira", "user")
    assert all_of_us.persons == ("mira", "rex", "user")
    await mind.lore.conversations.change(talk.id, present=["mira", "rex"])
    await mind.says(talk, "Where is the treasure?", speaker_id="rex")
    assert "oak" not in mind.model.prompt
    assert "treasure inn" in mind.model.prompt


async def test_a_pin_is_told_live() -> None:
    """V17."""
    mind = world()
    talk, ids = await _long_talk(mind, 1)
    with mind.resources.live.listening(mind.scope.workspace) as listener:
        pinned = await mind.lore.messages.pin(talk.id, ids, what="They met.")
        news = await anext(listener.news())

    assert (news.type, news.conversation_id, news.id, news.record) == ("memory.created", talk.id, pinned.id, pinned)


async def test_a_pin_needs_words() -> None:
    """V17."""
    mind = world()
    talk, ids = await _long_talk(mind, 1)

    with pytest.raises(BadAsk, match="content is empty"):
        await mind.lore.messages.pin(talk.id, ids, what=" ")


async def test_what_is_pinned_again_is_one_memory_of_all_its_messages() -> None:
    """M8, M15: and when a message goes, its words go from it."""
    mind = world()
    talk, ids = await _long_talk(mind, 4)
    first = await mind.lore.messages.keep(talk.id, ids[:1], what="They met at the oak.", quote="Message 0")

    again = await mind.lore.messages.keep(talk.id, ids[1:2], what="They met at the oak", quote="Message 1")
    both = await mind.lore.messages.keep(talk.id, ids[2:3], what="They met at the oak", force=True)

    assert [each.outcome for each in (first, again, both)] == ["formed", "reinforced", "formed"]
    assert again.memory.id == first.memory.id
    assert (again.memory.source_message_ids, again.memory.key_moments) == (tuple(ids[:2]), ("Message 0", "Message 1"))

    await mind.lore.messages.remove(talk.id, ids[1])

    left = await mind.lore.memories.get(first.memory.id)
    assert "Message 1" not in str(left.key_moments) + str(left.extra)


async def test_a_pin_makes_what_was_learnt_the_persons_own() -> None:
    """M8, M11."""
    mind = world()
    talk, ids = await _long_talk(mind, 1)
    whose = tuple(sorted((*talk.system_ids, talk.user_id or "")))
    known = await mind.lore.remember("The user lives in Oslo", persons=whose, origin=Origin.EXTRACTOR)

    pinned = await mind.lore.messages.keep(talk.id, ids, what="User lives in Oslo", why="It began there.")

    memory = pinned.memory
    assert (pinned.outcome, memory.id, memory.edited_by_person) == ("reinforced", known.id, True)
    assert (memory.type, memory.importance, memory.extra["why"]) == (MemoryType.MOMENT, 8, "It began there.")
