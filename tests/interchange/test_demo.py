"""The demo world that comes along: in through the import, looked at, and out again without a trace (M13)."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import everlore
from everlore.app import Everlore
from everlore.domain.audit_entry import AuditEntry
from everlore.domain.campaign import Entity
from everlore.domain.conversation import ConversationState
from everlore.domain.memory import Memory
from everlore.domain.person import PersonKind
from everlore.domain.policy import Role
from everlore.errors import Forbidden
from everlore.settings import ChatSettings, EmbeddingSettings, QueueSettings, Settings
from everlore.store.answers import ImportOutcome
from tests.cli.process import Command


@pytest.fixture
async def lore(tmp_path: Path) -> AsyncIterator[Everlore]:
    settings = Settings(
        data_dir=tmp_path,
        chat=ChatSettings(provider="voice"),
        embedding=EmbeddingSettings(provider="hashing"),
        queue=QueueSettings(poll_s=0.01, quiet_s=0),
    )
    async with everlore.open(tmp_path / "here.db", settings=settings) as lore:
        await lore.characters.create(name="Nova")
        yield lore


async def records(lore: Everlore) -> dict[type[Any], int]:
    """How many there are of each kind, but for what the audit log says of them."""
    async with lore.store.snapshot(lore.scope) as snapshot:
        return {kind: number for kind, number in (await snapshot.counts()).items() if number and kind is not AuditEntry}


async def test_it_is_opened_once_however_often_it_is_asked_for(lore: Everlore) -> None:
    """M13."""
    assert not await lore.demo.ids()

    first, second = await lore.demo.open(), await lore.demo.open()

    assert await lore.demo.ids()
    assert first.total(ImportOutcome.NEW) > 100
    assert (second.total(ImportOutcome.NEW), second.total(ImportOutcome.DIFFERENT)) == (0, 0)


async def test_its_replies_state_no_made_up_token_counts(lore: Everlore) -> None:
    """M13: a script wrote them, and the page would show its numbers below each reply."""
    await lore.demo.open()
    talks = (await lore.conversations.list()).items

    told = [message for talk in talks for message in (await lore.messages.list(talk.id)).items]

    assert len(told) > 10
    assert not [message for message in told if message.metadata.get("reply_tokens")]


async def test_its_conversations_can_be_spoken_in_at_once(lore: Everlore) -> None:
    """M13, V1."""
    await lore.demo.open()
    talks = (await lore.conversations.list()).items

    replies = ["".join([piece async for piece in lore.say(each, "Good evening!")]) for each in talks]

    assert len(talks) == 4
    assert {each.state for each in talks} == {ConversationState.OPEN}
    assert all(replies)


async def test_its_chats_are_spread_over_the_last_weeks(lore: Everlore) -> None:
    """M13: none of it is older than the reader expects, and nothing lies in the future."""
    await lore.demo.open()
    began = sorted(each.created_at for each in (await lore.conversations.list()).items)
    now = lore.resources.clock()

    assert now - timedelta(days=45) < began[0] < now - timedelta(days=30)
    assert now - timedelta(days=8) < began[-1] < now
    assert all(each.created_at < now for each in await _memories(lore))


async def test_the_reader_speaks_in_it_as_a_persona(lore: Everlore) -> None:
    """M13: Wren Hollis is one of the reader's personas and no character to chat with."""
    await lore.demo.open()

    wren = await lore.characters.named("Wren Hollis")

    assert wren.kind is PersonKind.USER
    assert {each.user_id for each in (await lore.conversations.list()).items} == {wren.id, None}


async def test_its_world_is_curated(lore: Everlore) -> None:
    """G6, G8: places are places, people are people and there once; the recap is prose."""
    await lore.demo.open()
    (campaign,) = (await lore.campaigns.list()).items
    kinds = {each.name: each.kind.value for each in (await lore.store.find(lore.scope, Entity, {}, limit=100)).items}
    recap = await lore.campaigns.recap(campaign.id)

    assert [kinds[name] for name in ("Tamsel", "Harl's Mill", "Juniper Pike", "Marigold")] == [
        "location",
        "location",
        "npc",
        "item",
    ]
    assert "Late September" not in kinds
    assert recap.text.startswith("Previously on The Silent Bell")
    assert "NATURAL TWENTY" not in recap.text
    assert "Find Nessa Hobday." in recap.threads


async def test_it_leaves_nothing_behind(lore: Everlore) -> None:
    """M9, M13: not even after somebody talked to its people; what they said there themselves stays."""
    before = await records(lore)
    await lore.demo.open()
    await lore.settle()
    await lore.demo.remove()

    assert await records(lore) == before
    assert not await lore.demo.ids()

    await lore.demo.open()
    talk = await lore.conversations.start(system=await lore.characters.named("Tamsin Vale"))
    _ = [piece async for piece in lore.say(talk, "I live in Ghent.")]
    await lore.settle()
    await lore.demo.remove()
    assert [each.content for each in await lore.messages.all(talk.id)][1] == "I live in Ghent."


async def test_what_is_in_it_can_be_found_and_traced(lore: Everlore) -> None:
    """R11, U5: who knows what, from whom, and of which words."""
    await lore.demo.open()
    await lore.settle()
    corvin = await lore.characters.named("Corvin Ash")

    (secret,) = [each for each in await _memories(lore) if "sent none of the letters" in each.content]
    knowers = await lore.knowledge.knowers(secret.id)

    assert corvin.id in {each.knower_id for each in knowers}
    assert any(each.source_message_ids and each.interaction_id for each in await _memories(lore))
    found = await lore.recall("Who is afraid of thunder?", person=await lore.characters.named("Wren Hollis"))
    assert any("afraid of thunder" in each.record.content for each in found if isinstance(each.record, Memory))


async def _memories(lore: Everlore) -> list[Memory]:
    page = await lore.store.find(lore.scope, Memory, {}, limit=100)
    return list(page.items)


async def test_only_the_owner_may(lore: Everlore) -> None:
    """S-3."""
    guest = lore.seen_by(replace(lore.scope, role=Role.MEMBER, person_id="someone"))
    for ask in (guest.demo.ids, guest.demo.open, guest.demo.remove):
        with pytest.raises(Forbidden, match="owner"):
            await ask()


def test_it_is_opened_and_removed_at_the_command_line(tmp_path: Path) -> None:
    cli = Command(tmp_path, EVERLORE_EMBEDDING__PROVIDER="hashing")
    assert "The demo world is loaded" in cli.ok("demo").out
    assert "is already loaded" in cli.ok("demo").out
    assert "removed" in cli.ok("demo", "--remove").out
    assert "The demo world is loaded" in cli.ok("demo").out
