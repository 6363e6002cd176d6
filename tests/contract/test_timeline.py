"""Events by person and time: what began last comes first, and what lasts is there as long as it lasts (K5)."""

import random
from datetime import datetime
from typing import Any

import pytest

from everlore.domain.conversation import Conversation
from everlore.domain.event import Event, EventState, EventType
from everlore.domain.person import Person
from everlore.store.port import Amend, Delete, Search, Store
from tests.contract.builders import (
    MODEL,
    SCOPE,
    axis,
    conversation,
    embed,
    event,
    found_ids,
    ids,
    minute,
    person,
    save,
)
from tests.contract.conftest import Dump
from tests.soak import seeds

GOING_ON = EventState.IN_PROGRESS


async def _seen(store: Store, **asked: Any) -> list[str]:
    return ids((await store.timeline(SCOPE, **asked)).items)


async def _all_pages(store: Store, limit: int, **asked: Any) -> list[list[str]]:
    pages: list[list[str]] = []
    cursor: str | None = None
    while True:
        page = await store.timeline(SCOPE, limit=limit, cursor=cursor, **asked)
        pages.append(ids(page.items))
        cursor = page.cursor
        if cursor is None:
            return pages


# ── whose ────────────────────────────────────────────────────────────────────────────────────────


async def test_a_person_has_the_events_in_which_they_act_or_take_part(store: Store) -> None:
    """K5: the last first, each once, and as it was saved."""
    met = event("met", at=minute(1), actors=("ada",), participants=("bo",))
    alone = event("alone", at=minute(2), actors=("ada", "ada"), participants=("ada",))
    theirs = event("theirs", at=minute(3), actors=("cy",), participants=("bo", "ada"))
    await save(store, met, alone, theirs, event("nobodys", at=minute(4)))

    page = await store.timeline(SCOPE, person_id="ada")

    assert page.items == (theirs, alone, met)
    assert page.cursor is None
    assert await _seen(store, person_id="bo") == ["theirs", "met"]
    assert await _seen(store, person_id="nobody") == []


async def test_without_a_person_everything_that_happened_is_there(store: Store) -> None:
    await save(store, event("early", actors=("ada",)), event("late", at=minute(1)))

    assert await _seen(store) == ["late", "early"]


async def test_an_event_without_a_word_has_its_place_too(store: Store) -> None:
    """K5: search passes it over, and it happened all the same."""
    await save(store, event("silent", "", actors=("ada",)))

    assert await _seen(store, person_id="ada") == ["silent"]


async def test_types_narrow_the_timeline(store: Store) -> None:
    kinds = (EventType.INTERACT, EventType.DREAM, EventType.TASK)
    await save(store, *(event(each.value, type=each, actors=("ada",)) for each in kinds))

    for asked in ({"person_id": "ada"}, {}):
        assert await _seen(store, types=frozenset({"dream"}), **asked) == ["dream"]
        assert await _seen(store, types=frozenset({EventType.INTERACT, "task"}), **asked) == ["task", "interact"]
        assert await _seen(store, types=frozenset({"no such type"}), **asked) == []


# ── when ─────────────────────────────────────────────────────────────────────────────────────────

# name: (what the event is like, whether it is part of the time from minute 10 to minute 20)
SPANS: dict[str, tuple[dict[str, Any], bool]] = {
    "a moment before": ({"at": minute(9.9)}, False),
    "a moment at the start": ({"at": minute(10)}, True),
    "a moment within": ({"at": minute(15)}, True),
    "a moment at the end": ({"at": minute(20)}, False),
    "over before it": ({"at": minute(1), "ended_at": minute(9)}, False),
    "over as it starts": ({"at": minute(1), "ended_at": minute(10)}, False),
    "reaching into it": ({"at": minute(1), "ended_at": minute(10.1)}, True),
    "all of it and more": ({"at": minute(1), "ended_at": minute(99)}, True),
    "within it": ({"at": minute(12), "ended_at": minute(13)}, True),
    "begun in it": ({"at": minute(19), "ended_at": minute(30)}, True),
    "begun as it ends": ({"at": minute(20), "ended_at": minute(30)}, False),
    "going on since before": ({"at": minute(1), "state": GOING_ON}, True),
    "going on since then": ({"at": minute(15), "state": GOING_ON}, True),
    "going on since after": ({"at": minute(25), "state": GOING_ON}, False),
    "going on with a known end": ({"at": minute(1), "ended_at": minute(5), "state": GOING_ON}, False),
    "ended before it began": ({"at": minute(5), "ended_at": minute(1)}, False),
}


@pytest.mark.parametrize("asked", [{"person_id": "ada"}, {}], ids=["of a person", "of all"])
async def test_an_event_is_there_when_it_has_a_part_of_the_time(store: Store, asked: dict[str, Any]) -> None:
    """K5."""
    await save(store, *(event(name, actors=("ada",), **fields) for name, (fields, _) in SPANS.items()))

    found = await _seen(store, since=minute(10), until=minute(20), **asked)

    assert sorted(found) == sorted(name for name, (_, expected) in SPANS.items() if expected)


async def test_a_time_open_at_one_end_has_no_bound_there(store: Store) -> None:
    moments = [event(f"at {each}", at=minute(each), actors=("ada",)) for each in (1, 2, 3)]
    await save(store, *moments, event("long", at=minute(0), ended_at=minute(3), actors=("ada",)))

    assert await _seen(store, person_id="ada", since=minute(2)) == ["at 3", "at 2", "long"]
    assert await _seen(store, person_id="ada", until=minute(2)) == ["at 1", "long"]


@pytest.mark.parametrize("until", [1, 2])
async def test_a_time_that_ends_before_it_begins_holds_nothing(store: Store, until: int) -> None:
    await save(store, event("long", at=minute(0), ended_at=minute(9), actors=("ada",)))

    assert await _seen(store, person_id="ada", since=minute(2), until=minute(until)) == []
    assert await _seen(store, since=minute(2), until=minute(until)) == []


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("asked", [{"person_id": "ada"}, {}], ids=["of a person", "of all"])
async def test_pages_run_through_the_timeline_once_and_in_order(
    store: Store, limit: int, asked: dict[str, Any]
) -> None:
    """K5: also from what began in the time to what reaches into it, and among events of one moment."""
    began = {"f": 14, "e": 12, "d": 12, "B": 12, "c": 10}
    lasting = {"b": 5, "a": 3}
    await save(store, *(event(id, at=minute(at), actors=("ada",)) for id, at in began.items()))
    await save(store, *(event(id, at=minute(at), ended_at=minute(60), actors=("ada",)) for id, at in lasting.items()))
    await save(store, event("over", at=minute(4), actors=("ada",)))

    pages = await _all_pages(store, limit, since=minute(10), **asked)

    assert [id for page in pages for id in page] == ["f", "e", "d", "B", "c", "b", "a"]
    assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert len(pages) == -(-7 // limit)


async def test_an_event_that_comes_in_between_neither_repeats_nor_hides_another(store: Store) -> None:
    await save(store, *(event(f"e{number}", at=minute(number), actors=("ada",)) for number in range(4)))
    first = await store.timeline(SCOPE, person_id="ada", limit=2)

    await save(store, event("latest", at=minute(9), actors=("ada",)))
    await store.apply(SCOPE, [Delete(Event, "e2")])
    second = await store.timeline(SCOPE, person_id="ada", limit=2, cursor=first.cursor)

    assert (ids(first.items), ids(second.items)) == (["e3", "e2"], ["e1", "e0"])


async def test_a_cursor_holds_the_longest_and_strangest_id(store: Store) -> None:
    await save(store, *(event(each * 128, at=minute(1), actors=("ada",)) for each in "🐉🔥"))

    pages = await _all_pages(store, 1, person_id="ada")

    assert pages == [["🔥" * 128], ["🐉" * 128]]


# ── what changes ─────────────────────────────────────────────────────────────────────────────────


async def test_closing_an_event_ends_it_on_the_timeline(store: Store) -> None:
    """K5: until then it goes on."""
    await save(store, event("talk", at=minute(0), state=GOING_ON, actors=("ada",), participants=("bo",)))
    before = await _seen(store, person_id="bo", since=minute(60))

    await store.apply(SCOPE, [Amend(Event, "talk", {"state": EventState.COMPLETE, "ended_at": minute(30)})])

    assert before == ["talk"]
    assert await _seen(store, person_id="bo", since=minute(60)) == []
    assert await _seen(store, person_id="bo", since=minute(29)) == ["talk"]


async def test_an_event_that_is_changed_has_one_place_and_is_with_those_it_names_now(store: Store) -> None:
    await save(store, event("it", at=minute(1), actors=("ada",), participants=("bo",)), event("other", at=minute(2)))

    await save(store, event("it", at=minute(3), type=EventType.DREAM, actors=("bo", "cy")))

    assert await _seen(store, person_id="ada") == []
    assert await _seen(store, person_id="bo", types=frozenset({"dream"})) == ["it"]
    assert await _seen(store, person_id="cy", since=minute(3)) == ["it"]
    assert await _seen(store) == ["it", "other"]


async def test_an_event_that_is_saved_twice_in_one_list_is_there_once(store: Store) -> None:
    await save(store, event("it", actors=("ada",)), event("it", at=minute(1), actors=("ada", "bo")))

    assert (await _seen(store, person_id="ada"), await _seen(store, person_id="bo")) == (["it"], ["it"])


async def test_a_deleted_event_is_off_the_timeline(store: Store) -> None:
    """M9: by itself, or with its conversation."""
    await save(store, conversation())
    said = [event(each, actors=("ada",), conversation_id="chat") for each in ("one", "two")]
    await save(store, *said, event("kept", actors=("ada",)))

    await store.apply(SCOPE, [Delete(Event, "one")])
    without_one = await _seen(store, person_id="ada")
    await store.apply(SCOPE, [Delete(Conversation, "chat")])

    assert without_one == ["two", "kept"]
    assert await _seen(store, person_id="ada") == ["kept"]


async def test_a_deleted_person_is_taken_out_of_what_happened(store: Store, dump: Dump) -> None:
    """M9, K5: the events stay with the others, and nothing leads to whoever is gone."""
    met = event("met", "They met.", actors=("doomed-id", "ada"), participants=("doomed-id", "bo"))
    await save(store, person("doomed-id"), person("ada"), met, event("alone", "They slept.", actors=("doomed-id",)))
    await embed(store, {"They met.": axis(0)})
    jobs = (await store.jobs(SCOPE)).items

    await store.apply(SCOPE, [Delete(Person, "doomed-id")])

    kept = await store.get(SCOPE, Event, "met")
    assert (kept.actors, kept.participants, kept.content) == (("ada",), ("bo",), "They met.")
    assert await _seen(store, person_id="doomed-id") == []
    assert await _seen(store, person_id="bo") == ["met"]
    assert await _seen(store) == ["met", "alone"]
    assert await found_ids(store, Search(text="met", person_id="doomed-id")) == []
    assert await found_ids(store, Search(text="met", persons=frozenset({"ada", "bo"}))) == ["met"]
    assert await found_ids(store, Search(vector=axis(0), model=MODEL, person_id="ada")) == ["met"]
    assert (await store.jobs(SCOPE)).items == jobs
    assert "doomed-id" not in "\n".join(await dump(without="deeds"))


# ── exact ────────────────────────────────────────────────────────────────────────────────────────


def _any_event(dice: random.Random, number: int) -> Event:
    at = dice.randint(0, 30)
    return event(
        f"e{number:02}",
        at=minute(at),
        ended_at=dice.choice([None, None, minute(at + dice.randint(-3, 25))]),
        state=dice.choice(list(EventState)),
        type=dice.choice([EventType.INTERACT, EventType.DREAM]),
        actors=tuple(dice.sample(("ada", "bo"), dice.randint(0, 2))),
        participants=tuple(dice.sample(("ada", "cy"), dice.randint(0, 2))),
    )


def _any_question(dice: random.Random) -> dict[str, Any]:
    return {
        "person_id": dice.choice([None, "ada", "bo", "cy"]),
        "since": dice.choice([None, minute(dice.randint(0, 40))]),
        "until": dice.choice([None, minute(dice.randint(0, 40))]),
        "types": dice.choice([frozenset(), frozenset({"dream"})]),
    }


def _is_part(each: Event, since: datetime | None, until: datetime | None) -> bool:
    """As a person would say it: somewhere between its begin and its end lies a moment of the time asked for."""
    start = since or minute(-999)
    end = until or minute(999)
    if end <= start:
        return False
    if each.ended_at is None and each.state is EventState.COMPLETE:
        return start <= each.at < end
    ended = each.ended_at or minute(9_999)
    return each.at < end and (start <= each.at or ended > start)


@pytest.mark.soak
@pytest.mark.parametrize("seed", seeds(2, 20))
async def test_the_timeline_is_that_of_looking_at_everything(store: Store, seed: int) -> None:
    """K5: whatever is asked and in whichever pages, also after changes and deletions."""
    dice = random.Random(seed)
    kept = {each.id: each for each in (_any_event(dice, number) for number in range(40))}
    await save(store, *kept.values())

    for number in range(30):
        id = dice.choice(list(kept))
        if number % 3:
            kept[id] = _any_event(dice, int(id[1:]))
            await save(store, kept[id])
        else:
            del kept[id]
            await store.apply(SCOPE, [Delete(Event, id)])
        asked = _any_question(dice)
        expected = [
            each.id
            for each in sorted(kept.values(), key=lambda each: (each.at, each.id), reverse=True)
            if asked["person_id"] in (None, *each.actors, *each.participants)
            and (not asked["types"] or each.type in asked["types"])
            and _is_part(each, asked["since"], asked["until"])
        ]
        pages = await _all_pages(store, dice.choice([1, 3, 50]), **asked)
        assert [id for page in pages for id in page] == expected
