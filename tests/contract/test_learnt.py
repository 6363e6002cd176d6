"""What was read, what whole conversations came to, and what was formed of them are found (F4, K3, K5, W3, M16)."""

from datetime import datetime
from typing import Any

import pytest

from everlore.domain.analysis import Analysis
from everlore.domain.conversation import Conversation, Message
from everlore.domain.event import Event
from everlore.domain.interaction import Interaction, InteractionType
from everlore.domain.memory import Memory, Origin, Status
from everlore.domain.reading import Extractor, Filter, Reading, Refusal, digest_of, reading_id, refused_json
from everlore.errors import NotFound
from everlore.store.port import Delete, Store
from tests.contract.builders import (
    SCOPE,
    START,
    WORKSPACE,
    conversation,
    event,
    ids,
    interaction,
    memory,
    message,
    minute,
    save,
)


def reading(message_id: str, extractor: Extractor = Extractor.FACTS, **fields: Any) -> Reading:
    known = {"workspace": WORKSPACE, "conversation_id": "chat", "created_at": START}
    id = reading_id(extractor, fields.get("conversation_id", "chat"), message_id)
    return Reading(**{**known, "id": id, "message_id": message_id, "extractor": extractor, **fields})


def analysis(id: str, at: datetime = START, **fields: Any) -> Analysis:
    return Analysis(**{"workspace": WORKSPACE, "id": id, "conversation_id": "chat", "created_at": at, **fields})


# ── readings ─────────────────────────────────────────────────────────────────────────────────────


async def test_reading_a_changed_message_again_takes_the_place_of_the_reading_before(store: Store) -> None:
    """F4, M16: there is one reading of a text by an extractor, and it says which words were read."""
    refused = refused_json([Refusal("User asked about tea.", Filter.CONVERSATION_ACTION)])
    await save(store, conversation(), message("said"))
    await save(store, reading("said", digest=digest_of("I like tea."), formed=1))

    again = reading("said", digest=digest_of("Tea?"), has_refused=True, refused=refused, created_at=minute(1))
    await save(store, again)

    assert (await store.find(SCOPE, Reading, {"message_id": "said"})).items == (again,)


async def test_a_message_has_a_reading_for_each_extractor(store: Store) -> None:
    await save(store, conversation(), message("said"))

    await save(store, *(reading("said", each) for each in Extractor))

    assert await store.count(SCOPE, Reading, {"message_id": "said"}) == len(Extractor)
    assert ids((await store.find(SCOPE, Reading, {"extractor": Extractor.KEYFRAME})).items) == [
        reading_id(Extractor.KEYFRAME, "chat", "said")
    ]


async def test_what_was_refused_can_be_asked_for_alone(store: Store) -> None:
    """F4: of a conversation, by its extractor, the latest first."""
    await save(store, conversation(), conversation("elsewhere"))
    await save(store, *(message(f"m{number}") for number in range(6)), message("other", conversation_id="elsewhere"))
    readings = [
        reading(f"m{number}", has_refused=number % 2 == 0, created_at=minute(number), refused={"counts": {"x": number}})
        for number in range(6)
    ]
    await save(store, *readings, reading("m5", Extractor.KEYFRAME, has_refused=True))
    await save(store, reading("other", conversation_id="elsewhere", has_refused=True))
    where = {"conversation_id": "chat", "extractor": "facts", "has_refused": True}

    page = await store.find(SCOPE, Reading, where, newest_first=True)

    assert page.items == (readings[4], readings[2], readings[0])
    assert await store.count(SCOPE, Reading, {**where, "has_refused": [False, True]}) == 6
    assert await store.count(SCOPE, Reading, {"has_refused": False}) == 3
    assert await store.count(SCOPE, Reading, {"has_refused": True}) == 5


async def test_a_reading_goes_with_its_message(store: Store) -> None:
    """M9: and leaves those of the others."""
    await save(store, conversation(), message("said"), message("kept"), reading("said"), reading("kept"))

    await store.apply(SCOPE, [Delete(Message, "said")])

    assert (await store.find(SCOPE, Reading)).items == (reading("kept"),)


async def test_a_reading_that_comes_after_its_message_is_gone_is_refused(store: Store) -> None:
    """M9: whatever read it meanwhile keeps nothing."""
    await save(store, conversation(), message("said"))
    await store.apply(SCOPE, [Delete(Message, "said")])

    with pytest.raises(NotFound, match="said"):
        await save(store, memory("late"), reading("said"))

    assert await store.count(SCOPE, Memory) == 0


# ── analyses ─────────────────────────────────────────────────────────────────────────────────────


async def test_every_analysis_of_a_conversation_is_kept(store: Store) -> None:
    """W3: the latest first, each as it was made."""
    await save(store, conversation(), conversation("elsewhere"))
    first = analysis("a", minute(1), summary="They met.", themes=("hope",), trigger="tokens", last_seq=9)
    second = analysis("b", minute(2), summary="They parted.", emotional_arc=("joy", "grief"), memory_ids=("m",))

    await save(store, first, second, analysis("other", conversation_id="elsewhere"))

    page = await store.find(SCOPE, Analysis, {"conversation_id": "chat"}, newest_first=True)
    assert page.items == (second, first)


async def test_an_analysis_outlives_the_memories_that_it_formed_and_not_its_conversation(store: Store) -> None:
    """M9, W3."""
    await save(store, conversation(), memory("m"), analysis("a", memory_ids=("m",)))

    await store.apply(SCOPE, [Delete(Memory, "m")])
    kept = (await store.find(SCOPE, Analysis)).items
    await store.apply(SCOPE, [Delete(Conversation, "chat")])

    assert ids(kept) == ["a"]
    assert await store.count(SCOPE, Analysis) == 0


# ── interactions, and the memories of a conversation ─────────────────────────────────────────────


async def test_interactions_are_found_by_either_side_by_conversation_and_by_event(store: Store) -> None:
    """K3, K5: in their order, a page at a time."""
    await save(store, conversation(), event("meeting", conversation_id="chat"))
    await save(
        store,
        interaction("first", "ada", "bo", minute(1), conversation_id="chat", event_id="meeting"),
        interaction("second", "bo", "ada", minute(2), conversation_id="chat"),
        interaction("third", "ada", "cy", minute(3), event_id="meeting", type=InteractionType.BETRAY),
        # By when it began: it was brought along, and written down last.
        interaction("fourth", "ada", "bo", minute(4), created_at=minute(0)),
    )

    async def found(**where: Any) -> list[str]:
        return ids((await store.find(SCOPE, Interaction, where, newest_first=True)).items)

    assert await found(actor_id="ada") == ["fourth", "third", "first"]
    assert await found(interactor_id="ada") == ["second"]
    assert await found(actor_id="ada", interactor_id="bo") == ["fourth", "first"]
    assert await found(conversation_id="chat") == ["second", "first"]
    assert await found(event_id="meeting") == ["third", "first"]
    assert await found(actor_id="ada", type=InteractionType.BETRAY) == ["third"]
    first = await store.find(SCOPE, Interaction, {"actor_id": "ada"}, limit=2)
    rest = await store.find(SCOPE, Interaction, {"actor_id": "ada"}, limit=2, cursor=first.cursor)
    assert (ids(first.items), ids(rest.items), rest.cursor) == (["first", "third"], ["fourth"], None)


async def test_an_interaction_stays_when_the_event_that_it_joined_is_deleted(store: Store) -> None:
    """K5, M9."""
    await save(store, event("meeting"), interaction("deal", "ada", "bo", event_id="meeting"))

    await store.apply(SCOPE, [Delete(Event, "meeting")])

    assert (await store.get(SCOPE, Interaction, "deal")).event_id is None


async def test_the_memories_of_a_conversation_are_found_by_where_they_came_from_and_how_they_stand(
    store: Store,
) -> None:
    """K2, W3: several origins and several states in one question, in pages."""
    origins = (Origin.KEYFRAME, Origin.ANALYSIS, Origin.USER)
    states = (Status.ACTIVE, Status.PENDING, Status.REJECTED)
    await save(store, conversation(), conversation("elsewhere"))
    for number, (origin, state) in enumerate((origin, state) for origin in origins for state in states):
        fields: dict[str, Any] = {"origin": origin, "status": state, "at": minute(number)}
        await save(store, memory(f"{origin.value} {state.value}", conversation_id="chat", **fields))
        await save(store, memory(f"other {number}", conversation_id="elsewhere", **fields))
    where = {"conversation_id": "chat", "origin": {"keyframe", Origin.ANALYSIS}, "status": ("active", Status.PENDING)}

    first = await store.find(SCOPE, Memory, where, limit=3, newest_first=True)
    rest = await store.find(SCOPE, Memory, where, limit=3, newest_first=True, cursor=first.cursor)

    assert ids(first.items) == ["analysis pending", "analysis active", "keyframe pending"]
    assert (ids(rest.items), rest.cursor) == (["keyframe active"], None)
    assert await store.count(SCOPE, Memory, where) == 4
    assert await store.count(SCOPE, Memory, {**where, "status": "active"}) == 2
    assert await store.count(SCOPE, Memory, {**where, "origin": ()}) == 0
