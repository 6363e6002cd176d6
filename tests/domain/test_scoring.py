"""How a candidate is scored, on every store alike (M14). Pure, so it is tested with numbers alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.store.answers import Coverage, Parts
from everlore.store.scoring import fuse, length_weight, rarity, shares

SHARE = st.floats(0, 1)


@given(st.integers(1, 10**6), st.data())
def test_a_rarer_word_weighs_more(passages: int, data: st.DataObject) -> None:
    """M14."""
    holding = data.draw(st.integers(0, passages - 1))

    assert rarity(passages, holding) > rarity(passages, holding + 1) > 0


@given(st.integers(1, 10**5), st.lists(st.integers(0, 10**5), min_size=1, max_size=20))
def test_the_words_of_a_question_share_one_whole(passages: int, holding: list[int]) -> None:
    """M14."""
    assert sum(shares(passages, holding)) == pytest.approx(1)


def test_words_that_are_equally_rare_weigh_the_same() -> None:
    assert shares(100, [7, 7, 7, 7]) == [0.25] * 4


def test_a_question_without_words_has_no_shares() -> None:
    assert shares(100, []) == []


def test_a_short_passage_is_not_held_against_it() -> None:
    assert length_weight(np.array([0, 1, 6, 12], np.float32)).tolist() == [1, 1, 1, 1]


def test_a_long_passage_weighs_slowly_less() -> None:
    """Twice the pivot: a fifth less. Ten times: a little under a third is left."""
    twice, ten_times = length_weight(np.array([24, 120], np.float32)).tolist()

    assert twice == pytest.approx(1 / 1.25)
    assert ten_times == pytest.approx(1 / 3.25)


@given(st.lists(st.integers(0, 50_000), min_size=2, max_size=20))
def test_length_never_raises_a_score(lengths: list[int]) -> None:
    weights = length_weight(np.array(sorted(lengths), np.float32))

    assert weights.dtype == np.float32
    assert (np.diff(weights) <= 0).all()
    assert ((weights > 0) & (weights <= 1)).all()


@given(SHARE, SHARE)
def test_what_has_no_vector_yet_is_judged_by_its_words_alone(text: float, weight: float) -> None:
    """M14: found at once, and not put last for being new."""
    assert fuse(Parts(None, text), weight) == text


@given(st.floats(-1, 1), st.none() | SHARE, SHARE)
def test_a_score_lies_between_nothing_and_one(vector: float, text: float | None, weight: float) -> None:
    assert 0 <= fuse(Parts(vector, text), weight) <= 1 + 1e-9


def test_the_weight_says_how_much_the_vector_counts() -> None:
    parts = Parts(0.8, 0.2)

    assert fuse(parts, 1) == pytest.approx(0.8)
    assert fuse(parts, 0) == pytest.approx(0.2)
    assert fuse(parts, 0.5) == pytest.approx(0.5)


def test_an_opposite_meaning_does_not_count_against_the_words() -> None:
    assert fuse(Parts(-0.9, 0.6), 0.5) == fuse(Parts(0.0, 0.6), 0.5) == pytest.approx(0.3)


def test_coverage_is_the_embedded_share_and_whole_where_there_is_nothing() -> None:
    """M14."""
    assert Coverage(passages=8, embedded=2).share == 0.25
    assert Coverage(passages=0, embedded=0).share == 1
