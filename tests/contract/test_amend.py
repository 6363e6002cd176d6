"""Amending: some fields of a record change, the others stay as whoever else changed them (P1, V7)."""

import asyncio

import pytest

from everlore.domain.conversation import Conversation, Message
from everlore.domain.event import Event, EventState
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.template import Template
from everlore.errors import BadAsk, NotFound, PreconditionFailed
from everlore.store.port import Amend, Delete, Expect, Put, Search, Store
from tests.contract.builders import (
    MODEL,
    SCOPE,
    axis,
    campaign,
    conversation,
    embed,
    event,
    found_ids,
    memory,
    message,
    minute,
    person,
    save,
    template,
)


async def test_an_amendment_changes_its_fields_and_no_other(store: Store) -> None:
    await save(store, conversation("chat", title="", icon="map"), message("m"))

    [stored] = await store.apply(SCOPE, [Amend(Conversation, "chat", {"title": "Tea", "updated_at": minute(5)})])

    assert (stored.title, stored.icon, stored.updated_at, stored.message_count) == ("Tea", "map", minute(5), 1)
    assert await store.get(SCOPE, Conversation, "chat") == stored


async def test_two_amendments_of_different_fields_at_once_both_stay(store: Store) -> None:
    await save(store, conversation("chat"))

    await asyncio.gather(
        *(store.apply(SCOPE, [Amend(Conversation, "chat", each)]) for each in ({"title": "Tea"}, {"icon": "map"}))
    )

    stored = await store.get(SCOPE, Conversation, "chat")
    assert (stored.title, stored.icon) == ("Tea", "map")


async def test_an_amendment_whose_condition_does_not_hold_changes_nothing(store: Store) -> None:
    """V7: a title that somebody set is never overwritten."""
    await save(store, conversation("chat", title="Mine"))

    [stored] = await store.apply(SCOPE, [Amend(Conversation, "chat", {"title": "Tea"}, only_if={"title": ""})])

    assert stored.title == "Mine"
    assert (await store.get(SCOPE, Conversation, "chat")).title == "Mine"


async def test_an_edit_of_a_version_that_is_no_longer_the_newest_changes_nothing(store: Store) -> None:
    """P1: who edits what somebody else has changed meanwhile is told so by what comes back."""
    await save(store, template("base", version=1))

    def edit(name: str) -> Amend:
        return Amend(Template, "base", {"name": name, "document": {"name": name}, "version": 2}, only_if={"version": 1})

    [first] = await store.apply(SCOPE, [edit("Mine")])
    [second] = await store.apply(SCOPE, [edit("Yours")])

    assert (first.name, first.version) == ("Mine", 2)
    assert second == first
    assert await store.get(SCOPE, Template, "base") == first


async def test_of_edits_of_one_version_at_once_a_single_one_stays(store: Store) -> None:
    """P1."""
    await save(store, template("base", version=1))
    edits = [
        Amend(Template, "base", {"name": f"Edit {each}", "version": 2}, only_if={"version": 1}) for each in "abcde"
    ]

    results = await asyncio.gather(*(store.apply(SCOPE, [edit]) for edit in edits))

    stored = await store.get(SCOPE, Template, "base")
    assert stored.version == 2
    assert results == [[stored]] * 5


async def test_an_amended_message_keeps_its_number_and_is_found_by_its_new_words(store: Store) -> None:
    await save(store, conversation("chat"), message("first"), message("second", "A cold harbour."))

    [stored] = await store.apply(SCOPE, [Amend(Message, "second", {"content": "A warm lighthouse."})])

    assert stored.seq == 2
    assert (await store.get(SCOPE, Conversation, "chat")).message_count == 2


async def test_an_amended_event_is_found_by_its_new_words_its_persons_and_its_time(store: Store) -> None:
    """K5."""
    await save(store, event("meeting", "A cold harbour.", actors=("ada",)), event("other", "A warm harbour."))
    fields = {"content": "A warm lighthouse.", "participants": ("bo",), "at": minute(5)}

    [stored] = await store.apply(SCOPE, [Amend(Event, "meeting", fields)])

    assert await store.get(SCOPE, Event, "meeting") == stored
    assert await found_ids(store, "cold") == []
    assert await found_ids(store, Search(text="lighthouse", person_id="bo", since=minute(5))) == ["meeting"]
    assert await found_ids(store, Search(text="lighthouse", persons=frozenset({"ada", "bo"}))) == ["meeting"]


async def test_an_event_that_is_closed_keeps_its_vector(store: Store) -> None:
    """K5, M14: its words are the same."""
    await save(store, event("meeting", "They talk.", state=EventState.IN_PROGRESS))
    await embed(store, {"They talk.": axis(0)})

    await store.apply(SCOPE, [Amend(Event, "meeting", {"state": EventState.COMPLETE, "ended_at": minute(9)})])

    assert await found_ids(store, Search(vector=axis(0), model=MODEL)) == ["meeting"]
    assert await store.unembedded(SCOPE, MODEL) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (Amend(Conversation, "nobody", {"title": "Tea"}), "There is no Conversation 'nobody'"),
        (Amend(Conversation, "chat", {"campaign_id": "nowhere"}), "Campaign 'nowhere'"),
    ],
    ids=["unknown record", "unknown tie"],
)
async def test_an_amendment_of_what_is_not_there_is_refused(store: Store, change: Amend, says: str) -> None:
    await save(store, conversation("chat"), campaign("quest"))

    with pytest.raises(NotFound) as refused:
        await store.apply(SCOPE, [change])

    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (Amend(Conversation, "chat", {"colour": "red"}), "has no 'colour' to amend"),
        (Amend(Conversation, "chat", {"id": "other"}), "has no 'id' to amend"),
        (Amend(Conversation, "chat", {"message_count": 7}), "has no 'message_count' to amend"),
        (Amend(Conversation, "chat", {"title": 5}), "Conversation.title is a int"),
        (Amend(Conversation, "chat", {"title": "Tea"}, only_if={"colour": ""}), "has no 'colour' to amend"),
        (Amend(Memory, "m", {"content": "Other."}), "A memory is not amended in place"),
    ],
    ids=["unknown field", "id", "counted", "wrong type", "unknown condition", "memory"],
)
async def test_an_amendment_that_cannot_be_is_refused_and_changes_nothing(
    store: Store, change: Amend, says: str
) -> None:
    await save(store, person("ada"), conversation("chat"), memory("m", persons=("ada",)))

    with pytest.raises(BadAsk) as refused:
        await store.apply(SCOPE, [Amend(Conversation, "chat", {"icon": "map"}), change])

    assert says in str(refused.value)
    assert (await store.get(SCOPE, Conversation, "chat")).icon == ""


async def test_a_list_that_expects_a_record_is_applied_while_it_is_the_same(store: Store) -> None:
    await save(store, conversation("chat", title="Mine"))
    read = await store.get(SCOPE, Conversation, "chat")
    # Neither the count of messages nor the time of the last change is an edit.
    await save(store, message("m"))
    await store.apply(SCOPE, [Amend(Conversation, "chat", {"updated_at": minute(5)})])

    await store.apply(SCOPE, [Expect(Conversation, "chat", read), Amend(Conversation, "chat", {"title": "Tea"})])

    assert (await store.get(SCOPE, Conversation, "chat")).title == "Tea"


async def test_a_list_that_expects_a_record_changes_nothing_once_it_is_another(store: Store) -> None:
    await save(store, conversation("chat", title="Mine"))
    read = await store.get(SCOPE, Conversation, "chat")
    await store.apply(SCOPE, [Amend(Conversation, "chat", {"icon": "map"})])

    for change in (Amend(Conversation, "chat", {"title": "Tea"}), Delete(Conversation, "chat")):
        with pytest.raises(PreconditionFailed):
            await store.apply(SCOPE, [Put(person("new")), Expect(Conversation, "chat", read), change])

    assert (await store.get(SCOPE, Conversation, "chat")).title == "Mine"
    assert await store.get_many(SCOPE, Person, ["new"]) == []


async def test_a_list_that_expects_no_record_is_applied_only_if_there_is_none(store: Store) -> None:
    expected = Expect(Conversation, "chat", None)

    await store.apply(SCOPE, [expected, Put(conversation("chat", title="Mine"))])
    with pytest.raises(PreconditionFailed):
        await store.apply(SCOPE, [expected, Amend(Conversation, "chat", {"title": "Tea"})])
    await store.apply(SCOPE, [Delete(Conversation, "chat")])
    with pytest.raises(PreconditionFailed):
        await store.apply(SCOPE, [Expect(Conversation, "chat", conversation("chat"))])
