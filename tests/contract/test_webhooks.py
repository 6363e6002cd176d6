"""What webhooks are told is queued with the change that it is about, or not at all."""

import pytest

from everlore.domain.audit_entry import AuditEntry
from everlore.domain.conversation import Conversation
from everlore.domain.job import Job
from everlore.domain.memory import Memory
from everlore.domain.webhook import EVENTS, WEBHOOK, Webhook
from everlore.errors import BadAsk, NotFound
from everlore.store.port import Amend, Delete, ImportRecord, Put, Store
from tests.contract.builders import OTHER, SCOPE, START, conversation, memory, message, save


def hook(id: str = "hook", **fields: object) -> Webhook:
    known = {"workspace": "one", "url": "http://127.0.0.1:1/", "events": EVENTS, "secret": "sealed"}
    return Webhook(**{"id": id, **known, "created_at": START, "updated_at": START, **fields})  # type: ignore[arg-type]


async def _waiting(store: Store) -> list[Job]:
    return [each for each in (await store.jobs(SCOPE, limit=1_000)).items if each.kind == WEBHOOK]


async def _told(store: Store, webhook: str = "hook") -> list[tuple[object, object]]:
    events = [each.payload["event"] for each in await _waiting(store) if each.payload["webhook_id"] == webhook]
    return [(each["type"], each["record_id"]) for each in events if isinstance(each, dict)]


async def test_a_webhook_is_told_of_the_life_of_memories_and_conversations(store: Store) -> None:
    await save(store, hook())

    await save(store, conversation("chat"), message("m"), memory("mine"))
    await store.apply(SCOPE, [Amend(Conversation, "chat", {"title": "Tea"})])
    await store.apply(SCOPE, [Delete(Memory, "mine"), Delete(Conversation, "chat")])

    assert await _told(store) == [
        ("conversation.created", "chat"),
        ("memory.created", "mine"),
        ("conversation.changed", "chat"),
        ("memory.deleted", "mine"),
        ("conversation.deleted", "chat"),
    ]


async def test_an_event_has_the_id_of_its_line_in_the_audit_log_and_no_text(store: Store) -> None:
    await save(store, hook())

    await save(store, memory("mine", "Ada keeps a secret.", campaign_id=None))

    [job] = await _waiting(store)
    [line] = (await store.find(SCOPE, AuditEntry, {"kind": "memory"})).items
    event = job.payload["event"]
    assert event == {
        "id": line.id,
        "type": "memory.created",
        "at": line.at.isoformat(),
        "record_id": "mine",
        "workspace": "one",
    }


async def test_each_webhook_is_told_what_it_asked_for(store: Store) -> None:
    await save(store, hook("all"), hook("gone", events=("memory.deleted",)), hook("off", disabled="switched off"))

    await save(store, memory("mine"))
    await store.apply(SCOPE, [Delete(Memory, "mine")])

    assert await _told(store, "all") == [("memory.created", "mine"), ("memory.deleted", "mine")]
    assert await _told(store, "gone") == [("memory.deleted", "mine")]
    assert await _told(store, "off") == []


async def test_a_change_that_fails_tells_nobody(store: Store) -> None:
    await save(store, hook())

    with pytest.raises(NotFound):
        await store.apply(SCOPE, [Put(memory("mine")), Delete(Memory, "nothing")])

    assert await _told(store) == []


async def test_a_webhook_hears_nothing_of_another_workspace(store: Store) -> None:
    await save(store, hook())

    await store.apply(OTHER, [Put(memory("theirs", workspace="two"))])

    assert await _told(store) == []
    assert not [each for each in (await store.jobs(OTHER)).items if each.kind == WEBHOOK]


async def test_deleting_a_webhook_cancels_what_it_was_to_be_told(store: Store) -> None:
    await save(store, hook("one"), hook("two"))
    await save(store, memory("mine"))

    await store.apply(SCOPE, [Delete(Webhook, "one")])

    assert (await _told(store, "one"), await _told(store, "two")) == ([], [("memory.created", "mine")])


async def test_webhooks_go_with_their_workspace(store: Store) -> None:
    await save(store, hook())

    await store.forget_workspace(SCOPE)

    assert await store.count(SCOPE, Webhook) == 0


async def test_a_webhook_is_not_imported_from_another_database(store: Store) -> None:
    with pytest.raises(BadAsk, match="webhook"):
        await store.apply(SCOPE, [ImportRecord(hook())])
