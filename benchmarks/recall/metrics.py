"""What a ranking is worth. Every figure is of one question; `mean_of` and `interval_of` make figures of a set.

Recall is the share of the gold turns that came back: among the first k, or within a budget of tokens, where turns
are taken in their order and what does not fit is passed over. Tokens are counted the same way for every system:
four characters each, on the line that a prompt would show.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.recall.cases import Turn

KS = (1, 5, 10, 20)
BUDGETS = (500, 1000, 2000)
SESSION_KS = (5, 10)
_NDCG = 10
_RESAMPLES = 2_000
_CHARS_PER_TOKEN = 4

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and where it lies in 95 of 100 drawings of the questions."""

    mean: float
    low: float
    high: float


def line_of(turn: Turn) -> str:
    """The turn as one line of a prompt."""
    date = f"[{turn.date[:10]}] " if turn.date else ""
    return date + turn.spoken


def tokens_of(turn: Turn) -> int:
    return max(1, math.ceil(len(line_of(turn)) / _CHARS_PER_TOKEN))


def figures_of(ranked: Sequence[str], gold: Collection[str], tokens: Mapping[str, int]) -> dict[str, float]:
    """`ranked`: the ids of turns, best first; `tokens`: what each turn of the case takes."""
    ranked = list(dict.fromkeys(ranked))
    found = [id in gold for id in ranked]
    figures: dict[str, float] = {}
    for k in KS:
        hits = sum(found[:k])
        figures |= {f"recall@{k}": hits / len(gold), f"any@{k}": float(hits > 0), f"all@{k}": float(hits == len(gold))}
        figures[f"tokens@{k}"] = float(sum(tokens[id] for id in ranked[:k]))
    figures[f"ndcg@{_NDCG}"] = _ndcg(found, len(gold))
    figures["mrr"] = next((1 / place for place, hit in enumerate(found, 1) if hit), 0.0)
    for budget in BUDGETS:
        kept = packed(ranked, tokens, budget)
        figures[f"budget{budget}"] = sum(id in gold for id in kept) / len(gold)
        figures[f"used{budget}"] = float(sum(tokens[id] for id in kept))
    return figures


def _ndcg(found: Sequence[bool], wanted: int) -> float:
    gains = [1 / math.log2(place + 1) for place in range(1, _NDCG + 1)]
    gained = sum(gain for gain, hit in zip(gains, found, strict=False) if hit)
    return gained / sum(gains[: min(_NDCG, wanted)])


def packed(ranked: Sequence[str], tokens: Mapping[str, int], budget: int) -> list[str]:
    kept = []
    for id in ranked:
        # Skip, don't stop: a shorter one further down may still fit.
        if tokens[id] <= budget:
            budget -= tokens[id]
            kept.append(id)
    return kept


def session_figures_of(
    ranked: Sequence[str], gold_sessions: Collection[str], session_of: Mapping[str, str]
) -> dict[str, float]:
    """A session stands where its best turn stands."""
    sessions = list(dict.fromkeys(session_of[id] for id in ranked))
    figures: dict[str, float] = {}
    for k in SESSION_KS:
        hits = sum(session in gold_sessions for session in sessions[:k])
        figures[f"session_recall_any@{k}"] = float(hits > 0)
        figures[f"session_recall_all@{k}"] = float(hits == len(gold_sessions))
    return figures


def mean_of(rows: Sequence[Figures], name: str) -> float | None:
    """Of the questions that have this figure; None where none has."""
    values = [row[name] for row in rows if name in row]
    return sum(values) / len(values) if values else None


def interval_of(values: Sequence[float], seed: int = 0) -> Interval:
    """By bootstrap over the questions. For a difference of two systems, give the differences question by question."""
    given: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    chance = np.random.default_rng(seed)
    means = given[chance.integers(0, len(given), (_RESAMPLES, len(given)))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return Interval(float(given.mean()), float(low), float(high))
