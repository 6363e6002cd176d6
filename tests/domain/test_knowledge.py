"""Who knows a memory: by being there, by being told, through how many mouths, and since when (R11)."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.knowledge import How, Knows, Telling, knowers_of, retold
from everlore.domain.memory import Memory, Origin
from tests.contract.builders import memory, minute, telling

BOAT = "Don sold Mike a boat."


def boat(*persons: str, **fields: Any) -> Memory:
    return memory("boat", BOAT, persons=persons or ("don", "mike"), **fields)


def told(teller: str, listener: str, at: float, **fields: Any) -> Telling:
    return telling(fields.pop("id", f"{teller}-{listener}-{at}"), "boat", teller, listener, at, **fields)


def by_name(found: tuple[Knows, ...]) -> dict[str, Knows]:
    assert len({each.knower_id for each in found}) == len(found), "somebody is named twice"
    return {each.knower_id: each for each in found}


@pytest.mark.parametrize(
    ("origin", "how"),
    [
        (Origin.EXTRACTOR, How.WITNESSED),
        (Origin.KEYFRAME, How.WITNESSED),
        (Origin.ANALYSIS, How.WITNESSED),
        (Origin.USER, How.AUTHORED),
        (Origin.GM, How.AUTHORED),
        (Origin.IMPORT, How.AUTHORED),
    ],
)
def test_whose_it_is_knows_it_from_the_first(origin: Origin, how: How) -> None:
    """R11: witnessed, or authored for them."""
    found = by_name(knowers_of(boat(origin=origin, confidence=0.7, at=minute(3)), []))

    assert set(found) == {"don", "mike"}
    for each in found.values():
        assert (each.how, each.since, each.from_id) == (how, minute(3), None)
        assert (each.degree, each.certainty, each.chain) == (0, 0.7, ())


def test_hearsay_goes_from_mouth_to_mouth() -> None:
    """R11: who told whom, when, and the degree."""
    chain = [told("don", "rex", 5), told("rex", "ann", 9, degree=2), told("ann", "bo", 12, degree=3)]

    found = by_name(knowers_of(boat(), chain))

    for name, since, teller, degree, way in (
        ("rex", 5, "don", 1, ("don",)),
        ("ann", 9, "rex", 2, ("don", "rex")),
        ("bo", 12, "ann", 3, ("don", "rex", "ann")),
    ):
        each = found[name]
        assert (each.how, each.since, each.from_id) == (How.TOLD, minute(since), teller)
        assert (each.degree, each.chain) == (degree, way)


def test_those_who_were_there_come_first_and_then_by_degree() -> None:
    """R11."""
    found = knowers_of(boat(), [told("rex", "ann", 9, degree=2), told("don", "rex", 5)])

    assert [each.knower_id for each in found] == ["don", "mike", "rex", "ann"]


def test_of_two_ways_the_shorter_counts() -> None:
    """R11: whichever came first."""
    long_way = [told("don", "rex", 1), told("rex", "ann", 2, degree=2)]

    later = by_name(knowers_of(boat(), [*long_way, told("mike", "ann", 3)]))["ann"]
    earlier = by_name(knowers_of(boat(), [told("mike", "ann", 0), *long_way]))["ann"]

    assert (later.from_id, later.degree, later.since) == ("mike", 1, minute(3))
    assert (earlier.from_id, earlier.degree, earlier.since) == ("mike", 1, minute(0))


def test_who_was_there_is_not_made_a_listener() -> None:
    """R11."""
    found = by_name(knowers_of(boat(), [told("don", "mike", 5)]))

    assert found["mike"].degree == 0
    assert found["mike"].how is How.AUTHORED


@pytest.mark.parametrize(
    ("at", "names"),
    [
        (-1, set()),
        (0, {"don", "mike"}),
        (4.9, {"don", "mike"}),
        (5, {"don", "mike", "rex"}),
        (8.9, {"don", "mike", "rex"}),
        (9, {"don", "mike", "rex", "ann"}),
    ],
)
def test_as_of_a_time_only_what_was_told_by_then_counts(at: float, names: set[str]) -> None:
    """R11: from the very moment on; before the memory was there, nobody knew it."""
    chain = [told("don", "rex", 5), told("rex", "ann", 9, degree=2)]

    assert set(by_name(knowers_of(boat(), chain, as_of=minute(at)))) == names


def test_the_way_is_that_of_the_time() -> None:
    """R11: a shorter way that was found later does not count yet."""
    ways = [told("don", "rex", 1), told("rex", "ann", 2, degree=2), told("mike", "ann", 3)]

    assert by_name(knowers_of(boat(), ways, as_of=minute(2)))["ann"].chain == ("don", "rex")


def test_where_the_middle_of_a_chain_is_gone_what_was_kept_counts() -> None:
    """R11, M15: Don's message was edited; Ann still heard it from Rex, as the third."""
    found = by_name(knowers_of(boat(), [told("rex", "ann", 9, degree=2, certainty=0.64)]))

    assert "rex" not in found
    assert (found["ann"].degree, found["ann"].certainty, found["ann"].chain) == (2, 0.64, ("rex",))


def test_tellings_of_other_memories_say_nothing_of_this_one() -> None:
    """R11."""
    assert set(by_name(knowers_of(boat(), [telling("t", "house", "don", "rex", 5)]))) == {"don", "mike"}


def test_each_mouth_leaves_less_certainty() -> None:
    """R11."""
    sure = boat(confidence=0.9)
    first = retold(sure, Knows(memory_id="boat", knower_id="don", how=How.WITNESSED, since=minute(0)))
    heard = Knows(memory_id="boat", knower_id="rex", how=How.TOLD, since=minute(5), degree=1, certainty=first[1])

    assert first == (1, 0.72)
    assert retold(sure, heard) == (2, 0.576)


NAMES = ("don", "mike", "rex", "ann", "bo", "cy")
TELLINGS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(0, 20)).filter(
        lambda each: each[0] != each[1]
    ),
    max_size=15,
)


@given(TELLINGS, st.integers(0, 20))
def test_exactly_those_know_it_who_were_there_or_were_told(tellings: list[tuple[str, str, int]], at: int) -> None:
    """R11: at any time, in whatever order it is asked; nobody else, and nobody twice."""
    kept = [told(*each, id=f"t{number}") for number, each in enumerate(tellings)]

    found = by_name(knowers_of(boat(), kept, as_of=minute(at)))

    assert set(found) == {"don", "mike"} | {listener for _, listener, when in tellings if when <= at}
    assert found == by_name(knowers_of(boat(), kept[::-1], as_of=minute(at)))
    for each in found.values():
        assert (each.degree == 0) == (each.knower_id in ("don", "mike"))
        assert len(each.chain) <= each.degree
        assert each.from_id == (each.chain[-1] if each.chain else None)
        assert minute(0) <= each.since <= minute(at)


@given(TELLINGS)
def test_with_time_nobody_forgets(tellings: list[tuple[str, str, int]]) -> None:
    """R11."""
    kept = [told(*each, id=f"t{number}") for number, each in enumerate(tellings)]
    known: set[str] = set()
    for at in range(21):
        now = set(by_name(knowers_of(boat(), kept, as_of=minute(at))))
        assert known <= now
        known = now
    assert known == set(by_name(knowers_of(boat(), kept)))
    assert not knowers_of(boat(), kept, as_of=minute(0) - timedelta(microseconds=1))
