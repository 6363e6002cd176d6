"""The figures of `bench recall` (R13): held against a reference that was computed elsewhere, example by example."""

import pytest

from benchmarks.recall.cases import Turn
from benchmarks.recall.metrics import figures_of, interval_of, mean_of, packed, session_figures_of, tokens_of

_LENGTHS = (10, 400, 1600, 90, 2300, 8, 700, 33, 1200, 5, 60, 3000)
TURNS = [
    Turn(
        id=id,
        text="x" * length,
        speaker="Ada" if at % 2 else "",
        date=f"2024-05-0{at + 1}T10:00" if at % 3 else None,
    )
    for at, (id, length) in enumerate(zip("abcdefghijkl", _LENGTHS, strict=True))
]
TOKENS = {turn.id: tokens_of(turn) for turn in TURNS}


def test_tokens_are_counted_on_the_line_that_a_prompt_shows() -> None:
    """R13: four characters each, with the date and the speaker, and one at least."""
    assert TOKENS == {
        **{"a": 3, "b": 105, "c": 404, "d": 24, "e": 579, "f": 7, "g": 175, "h": 13, "i": 304, "j": 3, "k": 19},
        "l": 755,
    }
    assert tokens_of(Turn(id="empty", text="")) == 1


@pytest.mark.parametrize(
    ("ranked", "gold", "expected"),
    [
        (
            "cafbdeghijkl",
            "aek",
            {
                **{"recall@1": 0, "recall@5": 1 / 3, "recall@10": 2 / 3, "recall@20": 1, "any@1": 0, "any@5": 1},
                **{"all@10": 0, "all@20": 1, "ndcg@10": 0.463242, "mrr": 0.5},
                **{"budget500": 2 / 3, "budget1000": 2 / 3, "budget2000": 1},
            },
        ),
        # What comes twice counts once, and takes one place.
        ("llbbca", "zb", {"recall@1": 0, "recall@5": 0.5, "ndcg@10": 0.386853, "mrr": 0.5, "budget500": 0.5}),
        ("", "a", {"recall@20": 0, "any@20": 0, "ndcg@10": 0, "mrr": 0, "budget2000": 0, "tokens@20": 0}),
        ("bcdefghijkla", "a", {"recall@10": 0, "recall@20": 1, "ndcg@10": 0, "mrr": 1 / 12, "budget500": 1}),
        (
            "abcdefghijkl",
            "abcdefghijkl",
            {
                **{"recall@1": 1 / 12, "recall@5": 5 / 12, "recall@10": 10 / 12, "ndcg@10": 1, "all@20": 1},
                **{"budget500": 2 / 3, "budget1000": 0.75, "budget2000": 11 / 12},
            },
        ),
    ],
)
def test_the_figures_are_those_of_the_reference(ranked: str, gold: str, expected: dict[str, float]) -> None:
    """R13: recall, NDCG and recall within a budget of tokens."""
    figures = figures_of(list(ranked), set(gold), TOKENS)

    assert {name: figures[name] for name in expected} == pytest.approx(expected, abs=1e-6)


def test_what_does_not_fit_is_passed_over() -> None:
    assert packed(list("cea"), TOKENS, 500) == ["c", "a"]
    assert figures_of(list("cea"), {"a"}, TOKENS)["used500"] == 407


def test_a_session_stands_where_its_best_turn_stands() -> None:
    """R13: session recall for haystacks of sessions."""
    session_of = {"a": "one", "b": "one", "c": "two", "d": "three", "e": "four", "f": "five", "g": "six"}

    found = session_figures_of(list("abcdefg"), {"five", "six"}, session_of)

    assert found == {
        "session_recall_any@5": 1.0,
        "session_recall_all@5": 0.0,
        "session_recall_any@10": 1.0,
        "session_recall_all@10": 1.0,
    }


def test_a_mean_is_of_the_questions_that_have_the_figure() -> None:
    assert mean_of([{"mrr": 1.0}, {}, {"mrr": 0.5}], "mrr") == 0.75
    assert mean_of([{}], "mrr") is None


def test_an_interval_is_the_one_of_the_reference() -> None:
    """R13: 95 % by bootstrap over the questions, here of paired differences."""
    before = [0, 0, 1, 0.5, 0.25, 0, 1, 0]
    after = [1, 0, 1, 1, 0.5, 0.5, 0, 1]

    found = interval_of([new - old for old, new in zip(before, after, strict=True)])

    assert (found.mean, found.low, found.high) == (0.28125, -0.15625, 0.65625)
