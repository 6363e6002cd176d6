"""How the room for memories is divided among the layers (R1)."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.config_choices import RecipeName
from everlore.domain.layer import Layer
from everlore.domain.recalled import Recalled
from everlore.recall.layers import Allotted, allot, in_turns, once_each
from everlore.recall.recipes import TURN_RECIPES
from tests.contract.builders import memory

ALONE = TURN_RECIPES[RecipeName.COMPANION].shares
GOSSIPING = TURN_RECIPES[RecipeName.COMPANION].shares_with_gossip
# What each costs here, where nothing else is said.
TEN = 10


def one(id: str, score: float = 0.5, *, is_due: bool = False) -> Recalled:
    return Recalled(memory(id), score=score, is_due=is_due)


def many(prefix: str, count: int, score: float = 0.5) -> list[Recalled]:
    """So many, the best first."""
    return [one(f"{prefix}{number:02}", score - number / 1000) for number in range(count)]


def divided(
    found: Mapping[Layer, Sequence[Recalled]],
    room: int = 100,
    shares: Mapping[Layer, float] = ALONE,
    cost: int = TEN,
    most: int = 1_000,
) -> Allotted:
    return allot(found, shares, room, lambda _: cost, most)


def ids(recalled: Sequence[Recalled]) -> list[str]:
    return [each.record.id for each in recalled]


def counted(allotted: Allotted) -> dict[str, int]:
    """How many were kept, by the first letter of their ids."""
    letters = [id[0] for id in ids(allotted.kept)]
    return {letter: letters.count(letter) for letter in dict.fromkeys(sorted(letters))}


# ── the shares ───────────────────────────────────────────────────────────────────────────────────


def test_without_gossip_the_shares_are_a_half_three_tenths_and_a_fifth() -> None:
    """R1."""
    assert ALONE == {Layer.PAIR: 0.50, Layer.CHARACTER: 0.30, Layer.SEMANTIC: 0.20}
    found = {Layer.PAIR: many("p", 20), Layer.CHARACTER: many("c", 20), Layer.SEMANTIC: many("s", 20)}

    assert counted(divided(found)) == {"p": 5, "c": 3, "s": 2}


def test_with_gossip_what_the_character_has_with_others_has_a_fifth() -> None:
    """R1: pair 40, character 25, semantic 15, cross-character 20."""
    assert GOSSIPING == {Layer.PAIR: 0.40, Layer.CHARACTER: 0.25, Layer.SEMANTIC: 0.15, Layer.CROSS: 0.20}
    found = {layer: many(layer.value[0] if layer is not Layer.CROSS else "x", 40) for layer in Layer}

    assert counted(divided(found, room=200, shares=GOSSIPING)) == {"p": 8, "c": 5, "s": 3, "x": 4}


def test_the_shares_divide_places_as_they_divide_tokens() -> None:
    """R1, C4: where a depth lets only some in, each layer has its part of them."""
    found = {Layer.PAIR: many("p", 20, 0.9), Layer.CHARACTER: many("c", 20), Layer.SEMANTIC: many("s", 1, 0.3)}

    assert counted(divided(found, room=10_000, most=10)) == {"p": 6, "c": 3, "s": 1}


@pytest.mark.parametrize("name", RecipeName)
def test_the_shares_of_every_recipe_are_the_whole(name: RecipeName) -> None:
    """R1: and none of them has room for others where gossip is off."""
    recipe = TURN_RECIPES[name]

    assert sum(recipe.shares.values()) == pytest.approx(1)
    assert sum(recipe.shares_with_gossip.values()) == pytest.approx(1)
    assert Layer.CROSS not in recipe.shares
    assert set(recipe.shares_with_gossip) == set(Layer)


@pytest.mark.parametrize("score", [0.1, 0.9])
def test_a_share_is_sure_however_good_the_others_are(score: float) -> None:
    """R1."""
    found = {Layer.PAIR: many("p", 20, score), Layer.CHARACTER: many("c", 20), Layer.SEMANTIC: many("s", 20, 0.3)}

    assert counted(divided(found)) == {"p": 5, "c": 3, "s": 2}


# ── what flows on ────────────────────────────────────────────────────────────────────────────────


def test_what_one_layer_does_not_use_flows_on_to_the_best_of_the_others() -> None:
    """R1."""
    found = {Layer.PAIR: many("p", 1), Layer.CHARACTER: many("c", 20, 0.9), Layer.SEMANTIC: many("s", 20)}

    assert counted(divided(found)) == {"p": 1, "c": 7, "s": 2}


@pytest.mark.parametrize("layer", Layer)
def test_a_layer_that_is_alone_has_all_of_the_room(layer: Layer) -> None:
    """R1: that includes a layer without any share of its own."""
    assert len(divided({layer: many("m", 20)}).kept) == 10


def test_what_is_too_long_is_passed_over_and_a_shorter_one_taken() -> None:
    """R1: skipped, not stopped at."""
    costs = {"long": 90, "short": 20, "mean": 40}
    found = {Layer.PAIR: [one("long", 0.9), one("mean", 0.8), one("short", 0.7)]}

    kept = allot(found, ALONE, 80, lambda each: costs[each.record.id], 10)

    assert (ids(kept.kept), ids(kept.left)) == (["mean", "short"], ["long"])


# ── no doubles ───────────────────────────────────────────────────────────────────────────────────


def test_what_two_layers_found_is_there_once_in_the_first_of_them() -> None:
    """R1."""
    found = {Layer.CROSS: many("m", 4), Layer.SEMANTIC: many("m", 3), Layer.PAIR: many("m", 2)}

    layers = once_each(found)

    assert {layer: ids(members) for layer, members in layers.items()} == {
        Layer.PAIR: ["m00", "m01"],
        Layer.CHARACTER: [],
        Layer.SEMANTIC: ["m02"],
        Layer.CROSS: ["m03"],
    }
    assert ids(divided(found, shares=GOSSIPING).kept) == ["m00", "m01", "m02", "m03"]


# ── what is due ──────────────────────────────────────────────────────────────────────────────────


def test_what_is_due_and_what_was_found_take_turns() -> None:
    """R1, M17: who somebody is must not be crowded out, nor must an answer be by who somebody is."""
    due = [one(f"d{number}", 0, is_due=True) for number in range(10)]
    found = {Layer.PAIR: [*due, *many("p", 20, 0.99)]}

    kept = divided(found, room=50).kept

    assert ids(kept) == ["p00", "d0", "p01", "d1", "p02"]


def test_what_is_due_is_there_however_well_others_score() -> None:
    """M17: also where it was found too, and scored little."""
    found = {Layer.PAIR: [*many("p", 20, 0.99), one("due", 0.01, is_due=True)]}

    assert ids(divided(found, room=30).kept) == ["p00", "due", "p01"]


def test_the_weightiest_of_what_is_due_comes_first() -> None:
    """M17: whatever it scored by chance."""
    light = Recalled(memory("light", importance=8), score=0.6, is_due=True)
    heavy = Recalled(memory("heavy", importance=10), is_due=True)

    assert ids(in_turns([one("best", 0.9), light, heavy])) == ["best", "heavy", "light"]


def test_what_is_due_has_all_of_the_room_where_nothing_was_found() -> None:
    """R1, M17: and in other layers only what these leave."""
    due = [one(f"d{number}", 0, is_due=True) for number in range(10)]
    found = {Layer.PAIR: due, Layer.CHARACTER: many("c", 20, 0.9), Layer.SEMANTIC: many("s", 1)}

    assert counted(divided({Layer.PAIR: due})) == {"d": 10}
    assert counted(divided(found)) == {"d": 5, "c": 4, "s": 1}


# ── always ───────────────────────────────────────────────────────────────────────────────────────

FOUND = st.dictionaries(
    st.sampled_from(Layer),
    st.lists(
        st.builds(
            lambda id, score, is_due: one(f"m{id}", score, is_due=is_due),
            st.integers(0, 25),
            st.floats(0, 1),
            st.booleans(),
        ),
        max_size=12,
    ),
)


@given(FOUND, st.integers(0, 300), st.sampled_from([ALONE, GOSSIPING, {}]), st.integers(1, 60))
def test_nothing_is_lost_doubled_or_too_much(
    found: dict[Layer, list[Recalled]], room: int, shares: Mapping[Layer, float], cost: int
) -> None:
    """R1: each record is kept or left, once; what is kept fits; and nothing that is left would have fitted."""
    allotted = divided(found, room, shares, cost)

    wanted = {each.record.id for members in found.values() for each in members}
    assert sorted(ids(allotted.kept) + ids(allotted.left)) == sorted(wanted)
    assert len(allotted.kept) == min(room // cost, len(wanted))
    for part in (allotted.kept, allotted.left):
        scores = [each.score for each in part if not each.is_due]
        assert scores == sorted(scores, reverse=True)


@given(FOUND)
def test_wherever_it_is_cut_half_is_due_and_half_was_found(found: dict[Layer, list[Recalled]]) -> None:
    """M17, C4: as far as there are so many of either."""
    told = divided(found, room=10_000).kept
    due = [each.is_due for each in told]
    sought = [each.score > 0 or not each.is_due for each in told]

    for most in range(len(told) + 1):
        assert sum(due[:most]) >= min(most // 2, sum(due))
        assert sum(sought[:most]) >= min((most + 1) // 2, sum(sought))


@given(FOUND, st.integers(0, 300), st.integers(1, 60))
def test_a_layer_keeps_at_least_what_its_share_holds(found: dict[Layer, list[Recalled]], room: int, cost: int) -> None:
    """R1."""
    kept = set(ids(divided(found, room, GOSSIPING, cost).kept))

    for layer, members in once_each(found).items():
        sure = min(int(room * GOSSIPING[layer]) // cost, len(members))
        assert len(kept & set(ids(members))) >= sure
