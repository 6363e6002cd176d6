"""Pairs: the same whoever plays whom (M4)."""

from hypothesis import example, given
from hypothesis import strategies as st

from everlore.domain.passage import pair_key
from everlore.domain.policy import Mode, Role
from everlore.domain.scope import Pair, Scope, pair_among, pair_of

IDS = st.text(min_size=1, max_size=20)


@given(IDS, IDS)
def test_a_pair_is_the_same_whoever_is_named_first(one: str, other: str) -> None:
    """M4."""
    assert pair_of(one, other) == pair_of(other, one)


@given(IDS, IDS)
def test_a_pair_has_the_lower_id_first(one: str, other: str) -> None:
    """M4."""
    assert pair_of(one, other) == Pair(min(one, other), max(one, other))


@given(st.lists(IDS, max_size=6))
def test_only_exactly_two_persons_form_a_pair(persons: list[str]) -> None:
    """M3, M4: repeats do not count, and three are a scene."""
    pair = pair_among(tuple(persons))

    assert (pair is not None) is (len(set(persons)) == 2)
    if pair is not None:
        assert pair == pair_of(*sorted(set(persons)))


@given(IDS, IDS, IDS, IDS)
@example("a|b", "c", "a", "b|c")
@example("1|a", "b", "1", "a|b")
def test_two_pairs_never_share_a_key(one: str, other: str, third: str, fourth: str) -> None:
    """M4: ids may hold any character, the one between the two included."""
    left, right = pair_of(one, other), pair_of(third, fourth)

    assert (pair_key(*left) == pair_key(*right)) is (left == right)


def test_who_says_nothing_else_is_the_owner_in_dual_mode() -> None:
    """C3."""
    assert Scope("home") == Scope("home", role=Role.OWNER, mode=Mode.DUAL, person_id=None)
