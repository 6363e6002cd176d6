"""Several wordings of one fact must not fill the room (R2)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.memory import Status
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.recall.diversity import spread
from tests.contract.builders import entity, memory, message

SEATTLE = "Ada lives in Seattle."


def one(id: str, content: str = SEATTLE, score: float = 0.8, **fields: Any) -> Recalled:
    return Recalled(memory(id, content, **fields), score=score)


def ids(members: list[Recalled]) -> list[str]:
    return [each.record.id for each in members]


def repeated(members: list[Recalled]) -> set[str]:
    """Those that say what a better one says."""
    return {each.record.id for each in spread(members) if "diversity" in each.parts}


def test_of_five_wordings_of_one_fact_the_best_counts_whole_and_another_fact_comes_next() -> None:
    """R2: the others are there, and further down."""
    wordings = [
        SEATTLE,
        "Ada is living in Seattle.",
        "In Seattle, Ada lives.",
        "ADA LIVES IN SEATTLE!",
        "Seattle is where Ada lives",
    ]
    members = [one(f"m{number}", words, 0.9 - number / 100) for number, words in enumerate(wordings)]

    found = spread([*members, one("other", "Ada keeps a parrot.", 0.6)])

    assert ids(found)[:2] == ["m0", "other"]
    assert set(ids(found)) == {"m0", "m1", "m2", "m3", "m4", "other"}
    assert found[0] == members[0]
    assert repeated(members) == {"m1", "m2", "m3", "m4"}


@pytest.mark.parametrize(
    "other",
    [
        "Ada lives in Portland.",
        "Bo lives in Seattle.",
        "Ada was born in Seattle and moved there again with her sister.",
        "Ada keeps a parrot.",
    ],
)
def test_different_facts_count_whole_beside_each_other(other: str) -> None:
    """R2: though they share words."""
    assert repeated([one("a"), one("b", other, 0.7)]) == set()


def test_what_is_over_counts_whole_beside_what_holds() -> None:
    """R2, M7: both are wanted where somebody asks for the past."""
    assert repeated([one("now"), one("then", status=Status.SUPERSEDED)]) == set()


def test_a_line_that_was_said_and_a_memory_of_it_count_both() -> None:
    """R2: they are of different kinds."""
    said = Recalled(message("said", SEATTLE), score=0.7, kind=PassageKind.MESSAGE)

    assert spread([one("known"), said]) == [one("known"), said]


def test_what_has_no_words_is_never_the_same() -> None:
    """R2: an entity has a name and no content."""
    entities = [Recalled(entity(id), kind=PassageKind.ENTITY) for id in ("hall", "tower")]

    assert spread(entities) == entities
    assert repeated([one("a", "…"), one("b", "…")]) == set()


TEXTS = st.lists(st.sampled_from("sea boat rain oak lamp fox".split()), max_size=4)


@given(st.lists(st.tuples(TEXTS, st.floats(0, 1)), max_size=12))
def test_nothing_is_lost_and_nothing_gains(texts: list[tuple[list[str], float]]) -> None:
    """R2: best first again; the very best stays what it is."""
    made = [one(f"m{number:02}", " ".join(words) or "…", score) for number, (words, score) in enumerate(texts)]
    members = sorted(made, key=lambda each: (-each.score, each.record.id))
    before = {each.record.id: each.score for each in members}

    found = spread(members)

    assert set(ids(found)) == set(before)
    assert len(found) == len(members)
    assert found == sorted(found, key=lambda each: -each.score)
    assert all(0 <= each.score <= before[each.record.id] for each in found)
    assert not members or members[0] in found


@given(st.lists(st.tuples(TEXTS, st.floats(0, 1)), max_size=12), st.integers(1, 6))
def test_the_first_few_are_the_same_whether_or_not_the_rest_is_looked_at(
    texts: list[tuple[list[str], float]], limit: int
) -> None:
    """R2."""
    made = [one(f"m{number:02}", " ".join(words) or "…", score) for number, (words, score) in enumerate(texts)]
    members = sorted(made, key=lambda each: (-each.score, each.record.id))

    assert spread(members, limit)[:limit] == spread(members)[:limit]


def test_what_is_doubtful_comes_behind_what_is_plain_whatever_it_weighs() -> None:
    """R2b."""
    plain, doubtful = one("plain", "Ada keeps a parrot.", 0.1), replace(one("doubtful", score=0.9), is_doubtful=True)

    assert ids(spread([doubtful, plain])) == ["plain", "doubtful"]
