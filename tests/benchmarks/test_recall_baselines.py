"""The plain ways beside ours (R13): the same scores as the packages that are usually taken for them."""

from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks.recall.baselines import Kept, Words, fused, ranking
from benchmarks.recall.cases import Case, Turn
from benchmarks.recall.systems import Bm25System, CosineSystem, RrfSystem, System
from everlore.models.embedder import Matrix

CASE = Case(
    "dogs",
    (
        Turn(id="1", text="I adopted a greyhound called Biscuit in May.", speaker="Mira"),
        Turn(id="2", text="The greyhounds were running on the beach all day.", speaker="Jonas"),
        Turn(id="3", text="Nothing here, nothing there.", speaker="Mira"),
        Turn(id="4", text="Biscuit loves the beach; Biscuit hates the rain and running in it.", speaker="Jonas"),
    ),
    (),
)
_VECTORS = np.array([[1, 0], [0.6, 0.8], [0, 1], [0.8, 0.6]], np.float32)
_QUESTION = np.array([[0.6, 0.8]], np.float32)


class Flat:
    """Two dimensions: the turns of the case, and one direction for whatever is asked."""

    name = "flat"

    async def embed(self, texts: Sequence[str]) -> Matrix:
        return _VECTORS if len(texts) == len(_VECTORS) else _QUESTION

    async def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("question", "scores"),
    [
        ("Where does Biscuit run?", [0.32031, 0.30032, 0, 0.68428]),
        ("greyhound greyhound beaches", [0.64062, 0.90097, 0, 0.28269]),
        ("what is the", [0, 0, 0, 0]),
        ("Mira", [0.32031, 0, 0.36948, 0]),
    ],
)
def test_words_are_weighed_as_lucene_weighs_them(question: str, scores: list[float]) -> None:
    """R13: BM25 with k1 = 1.2 and b = 0.75, English stems, common words left out, the speaker's name in the text."""
    words = Words([turn.spoken for turn in CASE.turns])

    assert words.scores(question) == pytest.approx(scores, abs=1e-5)


def test_nothing_to_count_is_no_error() -> None:
    assert list(Words(["", "…"]).scores("anything")) == [0, 0]


def test_of_equals_the_first_that_was_said_comes_first() -> None:
    assert ranking(["a", "b", "c"], np.array([0.0, 1.0, 0.0]), 3) == ["b", "a", "c"]
    assert ranking(["a", "b", "c"], np.array([0.0, 1.0, 0.0]), 1) == ["b"]


def test_fusion_counts_places_and_not_scores() -> None:
    found = fused([np.array([9.0, 1.0, 0.0]), np.array([0.1, 0.2, 0.0])])

    assert found == pytest.approx([1 / 61 + 1 / 62, 1 / 62 + 1 / 61, 2 / 63])


@pytest.mark.parametrize(
    ("system", "ids"),
    [(Bm25System(), ("4", "1", "2", "3")), (CosineSystem(), ("2", "4", "3", "1")), (RrfSystem(), ("4", "2", "1", "3"))],
    ids=lambda value: getattr(value, "name", ""),
)
async def test_a_baseline_answers_with_all_turns_in_its_order(system: System, ids: tuple[str, ...]) -> None:
    """R13: each of them sees the same turns and the same vectors."""
    await system.add(CASE, Kept(CASE, Flat()))

    found = await system.search("Where does Biscuit run?")

    assert found.ids == ids
    assert found.seconds > 0
