"""The store itself says who did what to which record, together with the deed, and nobody rewrites it (C10)."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from everlore.domain.attachment import Attachment
from everlore.domain.audit_entry import AuditEntry, Verb
from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.policy import Role
from everlore.domain.proposal import Proposal
from everlore.domain.revision import Why, revise
from everlore.domain.scope import Scope
from everlore.domain.setting import Setting
from everlore.domain.template import Template
from everlore.domain.token import Token
from everlore.domain.webhook import Webhook
from everlore.errors import BadAsk, NotFound
from everlore.store.port import Amend, Change, Delete, Put, Store, Touch
from tests.contract.builders import (
    OTHER,
    SCOPE,
    WRITABLE,
    bare,
    campaign,
    case,
    conversation,
    entity,
    event,
    filled,
    ids,
    memory,
    message,
    minute,
    person,
    save,
    snapshot,
    world,
)
from tests.contract.conftest import Dump, FakeClock

AUDITED = (
    Memory,
    Conversation,
    Summary,
    Person,
    Setting,
    Token,
    Webhook,
    Template,
    Campaign,
    Chapter,
    Session,
    Entity,
    Relationship,
    Proposal,
)
GUEST = Scope("one", role=Role.GUEST, actor="token-7")


async def _log(store: Store, scope: Scope = SCOPE, **where: Any) -> list[AuditEntry]:
    return list((await store.find(scope, AuditEntry, where, limit=10_000)).items)


async def _told(store: Store, **where: Any) -> list[tuple[str, str, str]]:
    return [(deed.verb.value, deed.kind, deed.ref) for deed in await _log(store, **where)]


# ── what is said ─────────────────────────────────────────────────────────────────────────────────


async def test_the_life_of_a_record_is_in_the_log(store: Store, clock: FakeClock) -> None:
    """C10: of those kinds that are audited, and of no other."""
    await save(store, *world())
    for kind in WRITABLE:
        with case(kind.__name__):
            name = kind.__name__.lower()
            first = bare(kind, f"r-{name}")

            for change in (Put(first), Put(_changed(first)), Delete(kind, first.id)):
                clock.pass_time(1)
                await store.apply(GUEST, [change])

            told = [(deed.verb, deed.kind, deed.actor, deed.role) for deed in await _log(store, ref=first.id)]
            lived = [(verb, name, "token-7", "guest") for verb in Verb]
            assert told == (lived if kind in AUDITED else [])


def _changed(record: Any) -> Any:
    fields = filled(type(record), record.id)
    if isinstance(record, Memory):
        return replace(fields, revision=2, status=record.status)
    return fields


async def test_a_deed_says_who_when_and_what(store: Store, clock: FakeClock) -> None:
    """C10: by the clock of the store, whatever the record says."""
    clock.pass_time(60)

    await store.apply(GUEST, [Put(person("ada"))])

    [deed] = await _log(store)
    assert deed == AuditEntry(
        workspace="one",
        id=deed.id,
        at=minute(1),
        actor="token-7",
        role="guest",
        verb=Verb.CREATED,
        kind="person",
        ref="ada",
    )
    assert await store.get(SCOPE, AuditEntry, deed.id) == deed


async def test_what_is_done_at_this_machine_is_done_by_local(store: Store) -> None:
    await save(store, person("ada"))

    [deed] = await _log(store)
    assert (deed.actor, deed.role) == ("local", "owner")


async def test_the_deeds_of_one_list_are_in_its_order(store: Store) -> None:
    """C10: those of a large one too."""
    many = [person(f"p{number:04}") for number in range(1_100)]

    await store.apply(SCOPE, [*(Put(each) for each in many), Delete(Person, "p0007"), Put(memory("m"))])

    told = await _told(store)
    assert told == [
        *(("created", "person", each.id) for each in many),
        ("deleted", "person", "p0007"),
        ("created", "memory", "m"),
    ]


async def test_the_log_is_paged_in_the_order_of_time(store: Store, clock: FakeClock) -> None:
    """C10: and can be asked by who, what and which."""
    for number in range(5):
        clock.pass_time(1)
        await store.apply(GUEST if number % 2 else SCOPE, [Put(person(f"p{number}")), Put(memory(f"m{number}"))])

    first = await store.find(SCOPE, AuditEntry, {"kind": "memory"}, limit=2, newest_first=True)
    second = await store.find(SCOPE, AuditEntry, {"kind": "memory"}, limit=2, newest_first=True, cursor=first.cursor)

    assert [deed.ref for deed in (*first.items, *second.items)] == ["m4", "m3", "m2", "m1"]
    assert await _told(store, actor="token-7", kind="person") == [
        ("created", "person", "p1"),
        ("created", "person", "p3"),
    ]
    assert await _told(store, role="guest", verb="created", ref="m1") == [("created", "memory", "m1")]


async def test_of_a_memory_the_log_says_why_it_changed_and_by_whom(store: Store) -> None:
    """C10, M6."""
    first = memory("m")
    await store.apply(SCOPE, [Put(first, by="ada")])
    second = revise(first, minute(1), importance=9)
    await store.apply(SCOPE, [Put(second, by="gm", why=Why.CORRECTION, note="The table agreed.")])
    await store.apply(SCOPE, [Put(revise(second, minute(2)), by="x" * 128, note="n" * 1_000)])

    # What somebody noted with it stands in the history of the memory, and goes with that.
    notes = sorted((deed.verb.value, deed.note) for deed in await _log(store, ref="m"))
    assert notes == [("changed", "correction by gm"), ("changed", f"edit by {'x' * 128}"), ("created", "by ada")]


# ── what is not said ─────────────────────────────────────────────────────────────────────────────


async def test_a_turn_leaves_no_line_of_its_own(store: Store) -> None:
    """C10: or nobody would find the others among them."""
    await save(store, conversation(), memory("m"))
    before = await _log(store)
    chat = await store.get(SCOPE, Conversation, "chat")

    await store.apply(
        SCOPE,
        [
            Put(message("said")),
            Put(event("e")),
            Put(bare(Attachment, "whole", event_id="e")),
            Amend(Conversation, "chat", {"updated_at": minute(1), "episode": 2}),
            Put(replace(chat, updated_at=minute(2), message_count=7, episode=3)),
            Touch(("m",), minute(3), used_ids=("m",)),
            Delete(Message, "said"),
        ],
    )

    assert await _log(store) == before
    await store.apply(SCOPE, [Amend(Conversation, "chat", {"updated_at": minute(4), "title": "Renamed"})])
    assert len(await _log(store, verb="changed")) == 1


async def test_using_a_token_leaves_no_line(store: Store) -> None:
    """C10: making and revoking it does."""
    await save(store, bare(Token, "t"))

    await store.apply(SCOPE, [Amend(Token, "t", {"last_used_at": minute(1), "allowance_full_at": minute(1)})])
    used = await _told(store)
    await store.apply(SCOPE, [Amend(Token, "t", {"last_used_at": minute(2), "revoked_at": minute(2)})])

    assert used == [("created", "token", "t")]
    assert sorted(await _told(store)) == [("changed", "token", "t"), ("created", "token", "t")]


async def test_a_change_that_changes_nothing_is_no_deed(store: Store) -> None:
    await save(store, person("ada"))
    before = await _log(store)

    await store.apply(SCOPE, [Amend(Person, "ada", {"name": "Ada"})])
    await store.apply(SCOPE, [Amend(Person, "ada", {"name": "Bo"}, only_if={"name": "Cy"})])
    await save(store, person("ada"))

    assert await _log(store) == before


async def test_what_was_refused_is_no_deed(store: Store) -> None:
    with pytest.raises(NotFound):
        await store.apply(SCOPE, [Put(person("ada")), Delete(Person, "nobody")])

    assert await _log(store) == []


async def test_a_memory_that_loses_a_mention_is_no_deed(store: Store) -> None:
    """M9: only what a deletion takes along is named with it."""
    await save(store, person("ada"), memory("m", persons=("ada",)))
    before = await _log(store)

    await store.apply(SCOPE, [Delete(Person, "ada")])

    [deed] = [each for each in await _log(store) if each not in before]
    assert (deed.verb, deed.kind, deed.ref) == (Verb.DELETED, "person", "ada")


# ── what goes with another ───────────────────────────────────────────────────────────────────────


async def test_what_a_deletion_takes_along_is_in_the_log(store: Store, clock: FakeClock) -> None:
    """C10, M9: after what was named itself."""
    await save(
        store,
        campaign(),
        bare(Chapter, "ch", campaign_id="quest"),
        bare(Session, "se", campaign_id="quest"),
        entity("king", campaign_id="quest"),
        entity("dragon"),
        bare(Relationship, "hates", source_id="dragon", target_id="king"),
        memory("canon", campaign_id="quest"),
        conversation(campaign_id="quest"),
    )
    clock.pass_time(1)

    await store.apply(GUEST, [Delete(Campaign, "quest")])

    told = await _told(store, actor="token-7")
    assert told[0] == ("deleted", "campaign", "quest")
    assert set(told[1:]) == {
        ("deleted", "chapter", "ch"),
        ("deleted", "session", "se"),
        ("deleted", "entity", "king"),
        ("deleted", "relationship", "hates"),
        ("deleted", "memory", "canon"),
    }


async def test_the_tokens_of_a_deleted_person_go_with_it(store: Store, clock: FakeClock) -> None:
    """S-2, C10."""
    await save(store, person("zoe"), bare(Token, "hers", user_id="zoe"), bare(Token, "zoe", user_id="zoe"))
    await save(store, bare(Token, "free"))
    clock.pass_time(1)

    await store.apply(SCOPE, [Delete(Person, "zoe")])

    assert ids((await store.find(SCOPE, Token)).items) == ["free"]
    assert (await _told(store))[-3:] == [
        ("deleted", "person", "zoe"),
        ("deleted", "token", "hers"),
        ("deleted", "token", "zoe"),
    ]


async def test_what_cleanup_removes_is_in_the_log(store: Store) -> None:
    """C10, M9: a dry run removes nothing, and says nothing."""
    await save(store, memory("nobodys"))

    await store.cleanup(GUEST, dry_run=True, keys_before=minute(0))
    dry = await _told(store, verb="deleted")
    await store.cleanup(GUEST, dry_run=False, keys_before=minute(0))

    assert dry == []
    [deed] = await _log(store, verb="deleted")
    assert (deed.kind, deed.ref, deed.actor, deed.note) == ("memory", "nobodys", "token-7", "cleanup")


async def test_the_log_of_a_deleted_memory_has_its_id_and_no_word_of_it(store: Store, dump: Dump) -> None:
    """C10, M9: what was forgotten stays forgotten."""
    first = memory("m", "The password is quoxblat.", summary="quoxblat", tags=("quoxblat",), extra={"quoxblat": 1})
    await save(store, first)
    await save(store, revise(first, minute(1), content="The password was quoxblat."))

    await store.apply(SCOPE, [Delete(Memory, "m")])

    assert "quoxblat" not in "\n".join(await dump())
    assert sorted(await _told(store)) == [
        ("changed", "memory", "m"),
        ("created", "memory", "m"),
        ("deleted", "memory", "m"),
    ]


# ── nobody rewrites it ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "change",
    [Put(bare(AuditEntry, "forged")), Amend(AuditEntry, "d", {"actor": "somebody else"}), Delete(AuditEntry, "d")],
    ids=lambda change: type(change).__name__,
)
async def test_no_change_reaches_the_log(store: Store, change: Change) -> None:
    """C10: nor anything else of a list that tries to."""
    await save(store, *world())
    before = await snapshot(store)

    with pytest.raises(BadAsk, match="audit log is only ever written by the store itself"):
        await store.apply(SCOPE, [Put(person("ada")), change])

    assert await snapshot(store) == before


async def test_a_log_belongs_to_its_workspace(store: Store) -> None:
    """M12."""
    await save(store, person("ada"))
    await save(store, person("ada", workspace="two"), scope=OTHER)

    await store.apply(OTHER, [Delete(Person, "ada")])

    assert await _told(store) == [("created", "person", "ada")]
    assert sorted(deed.verb for deed in await _log(store, OTHER)) == ["created", "deleted"]


async def test_deeds_that_come_at_once_are_all_kept(store: Store) -> None:
    """C10: none takes the id of another."""
    await asyncio.gather(*(save(store, person(f"p{number}"), memory(f"m{number}")) for number in range(30)))

    assert len(await _log(store)) == 60
