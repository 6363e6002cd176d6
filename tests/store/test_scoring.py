"""How rare words are, and what passages score for having them (R2)."""

import pytest

from everlore.store.scoring import rarity, shares


def test_what_both_of_two_passages_have_still_says_something() -> None:
    """R2: with two memories of the harbour, the harbour is not a common word."""
    harbour, unheard_of = shares(2, [2, 0])

    assert harbour > 0.3
    assert harbour + unheard_of == pytest.approx(1)


def test_among_many_passages_the_common_word_says_little() -> None:
    """R2."""
    common, rare = shares(10_000, [5_000, 5])

    assert common < 0.1 < rare
    assert rarity(10_000, 5) > rarity(10_000, 50) > rarity(10_000, 10_000) > 0
