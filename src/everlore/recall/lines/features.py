"""The features of each line, each a number between about 0 and 1 (R2-R4). Pure.

A line is scored with its neighbours: an answer seldom repeats the words of its question, and the topic is in the lines
before. Start at `features_of`.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from everlore.domain.conversation import Message
from everlore.domain.dates import When, when
from everlore.models.embedder import Matrix
from everlore.recall.examples import asked_for
from everlore.recall.lines.line_features import LineFeatures, read
from everlore.recall.lines.query import AnswerKind, LineQuery

Values = NDArray[np.float64]
Words = Callable[[Sequence[str]], Matrix]
# A line with more different words than this is long: each of its words counts less.
_LONG = 40
_SLOPE = 0.75
# Words less similar than this are unrelated; a similar word never counts fully.
_FAR = 0.35
_NEARLY = 0.9
_REACH = 3
# Weights: the same word against a similar one; meaning against words in what a line answers; and so on.
_SAME = 0.35
_FOR_MEANING = 0.4
_FOR_A_NUMBER = 0.5
_FOR_TELLING = 0.4
_BEST_OF_A_TALK = 3
_NEAR_DAYS = 3
# Reading dates out of a line is slow, so only this many promising lines are read.
_MOST_DATED = 60


@dataclass(frozen=True, slots=True)
class Lines:
    """In the order of their conversations. `meaning` is how much more similar to the question each is than the others:
    about from -1 to 1; NaN if there is no vector yet."""

    messages: tuple[Message, ...]
    meaning: Values

    def __len__(self) -> int:
        return len(self.messages)


class Around:
    """The positions of each line's neighbours."""

    def __init__(self, messages: Sequence[Message]) -> None:
        at = {(each.conversation_id, each.seq): place for place, each in enumerate(messages)}
        self._of = {
            step: np.array([at.get((each.conversation_id, each.seq + step), -1) for each in messages], dtype=np.intp)
            for step in range(-_REACH, _REACH + 1)
            if step
        }

    def shifted(self, values: Values, step: int, otherwise: float = 0.0) -> Values:
        """For each line, the value of its neighbour."""
        places = self._of[step]
        found: Values = np.where(places >= 0, values[places], otherwise)
        return found

    def best(self, rows: Values) -> Values:
        """For each row and line, the best value among the line and its neighbours."""
        best = rows
        for places in self._of.values():
            best = np.maximum(best, np.where(places >= 0, rows[:, places], 0.0))
        return best


def features_of(wanted: LineQuery, lines: Lines, word_vectors: Words) -> dict[str, Values]:
    reads = [read(each.content) for each in lines.messages]
    around = Around(lines.messages)
    size = np.array([len(each.terms) for each in reads], dtype=np.float64)
    # The weight of a line's words, also for its neighbours, and how much it depends on them itself.
    counts = 1 / (1 + _SLOPE * np.maximum(size / _LONG - 1, 0))
    needs = 1 / np.maximum(size / _LONG, 1)
    meaning = np.nan_to_num(lines.meaning, nan=0.0)
    weights = _weights(wanted)
    same, alike = _matches(wanted, reads, word_vectors)
    covered = (_SAME * same + (1 - _SAME) * np.maximum(alike, same)) * counts
    words = weights @ covered
    asks = np.array([each.ends_asking for each in reads], dtype=np.float64)
    asked = asks * (weights @ (np.maximum(alike, same) * counts) + _FOR_MEANING * meaning)
    found = {
        "meaning": meaning,
        "words": words,
        "words_around": (weights @ around.best(covered) - words) * needs,
        "phrases": _phrases(wanted, reads) * counts,
        "talk": _of_talk(meaning + words, _talks(lines.messages)),
        "answers": around.shifted(asked, -1) * needs,
        "speaker": np.array([_is_speaker(each, wanted) for each in lines.messages]),
        "asker": np.array([_is_asker(each, wanted) for each in lines.messages]),
        "asking": np.array([each.asking for each in reads]) * needs,
        "kind": _kinds(wanted, reads) * needs,
        "example": _examples(wanted, weights, reads) * counts,
        "date": _dates(wanted.period, lines.messages, reads, meaning + words),
        "opening": np.array([each.seq <= 1 for each in lines.messages]) * needs,
    }
    return {name: np.asarray(values, dtype=np.float64) for name, values in found.items()}


def _is_speaker(message: Message, wanted: LineQuery) -> bool:
    """Whether the one person whom the question names said it: a bonus, never a requirement."""
    return wanted.speaker_id is not None and message.person_id == wanted.speaker_id


def _is_asker(message: Message, wanted: LineQuery) -> bool:
    return wanted.author is not None and message.author is wanted.author


# ── words ────────────────────────────────────────────────────────────────────────────────────────


def _weights(wanted: LineQuery) -> Values:
    """The weight of each word of the question; they add up to 1."""
    least = min(wanted.weights.values(), default=1.0)
    words = np.array([wanted.weights.get(stem, least) for stem in wanted.word_stems], dtype=np.float64)
    return words / words.sum() if words.sum() else words


def _matches(wanted: LineQuery, reads: Sequence[LineFeatures], word_vectors: Words) -> tuple[Values, Values]:
    """A row per word of the question: which lines have it, and the similarity of each line's most similar word."""
    shape = (len(wanted.words), len(reads))
    same = np.array([[stem in each.terms for each in reads] for stem in wanted.word_stems], dtype=np.float64)
    places = {word: place for place, word in enumerate(dict.fromkeys(word for each in reads for word in each.words))}
    if not places or not wanted.words:
        return same.reshape(shape), np.zeros(shape)
    near = word_vectors(wanted.words) @ word_vectors(list(places)).T
    near = np.clip((near - _FAR) / (1 - _FAR), 0, _NEARLY)
    flat = [places[word] for each in reads for word in each.words]
    sizes = np.array([len(each.words) for each in reads])
    starts = (np.cumsum(sizes) - sizes)[sizes > 0]
    alike = np.zeros(shape)
    alike[:, sizes > 0] = np.maximum.reduceat(near[:, flat], starts, axis=1)
    return same, alike


def _phrases(wanted: LineQuery, reads: Sequence[LineFeatures]) -> Values:
    """The share of the question's adjacent word pairs that are adjacent in the line too."""
    telling = [stem for stem in wanted.stems if stem in wanted.weights]
    pairs = {*pairwise(wanted.stems), *pairwise(telling)}
    weights = {pair: weight for pair in pairs if (weight := sum(wanted.weights.get(stem, 0.0) for stem in pair)) > 0}
    whole = sum(weights.values()) or 1.0
    return np.array(
        [sum(weights[pair] for pair in weights.keys() & set(pairwise(each.stems))) / whole for each in reads]
    )


def _examples(wanted: LineQuery, weights: Values, reads: Sequence[LineFeatures]) -> Values:
    """Whether a line has an example of a word of the question; examples that are rare among the lines count more."""
    best = np.zeros(len(reads))
    for head, examples in asked_for(wanted.stems):
        named = [examples.named_in(each.terms, each.spaced) for each in reads]
        counted = Counter(example for each in named for example in each)
        rare = {example: 1 - math.log(count) / math.log(len(reads) + 1) for example, count in counted.items()}
        share = sum(weight for stem, weight in zip(wanted.word_stems, weights, strict=True) if stem in head)
        rarest = [max(map(rare.__getitem__, each)) if each else 0 for each in named]
        best = np.maximum(best, math.sqrt(share) * np.array(rarest))
    return best


# ── the conversation around ──────────────────────────────────────────────────────────────────────


def _talks(messages: Sequence[Message]) -> NDArray[np.intp]:
    """A small number for each conversation."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(each.conversation_id, len(numbers)) for each in messages], dtype=np.intp)


def _of_talk(scores: Values, talks: NDArray[np.intp]) -> Values:
    """The mean of the best lines of the same conversation."""
    found = np.zeros(len(scores))
    for talk in range(int(talks.max()) + 1 if len(talks) else 0):
        members = np.flatnonzero(talks == talk)
        found[members] = np.sort(scores[members])[::-1][:_BEST_OF_A_TALK].mean()
    return found


# ── kinds of answers, and times ──────────────────────────────────────────────────────────────────


def _kinds(wanted: LineQuery, reads: Sequence[LineFeatures]) -> Values:
    """Whether a line has what this kind of question asks for: a time, a number, a name."""
    if wanted.kind is AnswerKind.WHEN:
        return np.array([each.has_time for each in reads], dtype=np.float64)
    if wanted.kind is AnswerKind.NUMBER:
        return np.array([_FOR_A_NUMBER * each.has_number for each in reads])
    if wanted.kind in (AnswerKind.PLACE, AnswerKind.PERSON):
        return np.array([each.names for each in reads])
    return np.zeros(len(reads))


def _dates(period: When | None, messages: Sequence[Message], reads: Sequence[LineFeatures], promise: Values) -> Values:
    """Whether a line was said in, or mentions, the period of the question."""
    if period is None:
        return np.zeros(len(messages))
    found = np.array([_fits(period, each.created_at) for each in messages])
    for place in np.argsort(-promise, kind="stable")[:_MOST_DATED]:
        message = messages[place]
        if reads[place].has_time and _overlaps(period, _told(message.content, message.created_at)):
            found[place] += _FOR_TELLING
    return found


@lru_cache(maxsize=16_384)
def _told(text: str, said_at: datetime) -> When | None:
    return when(text, said_at)


def _fits(period: When, at: datetime) -> float:
    """1 within the period, less shortly after it, as things are told afterwards, and still less shortly before."""
    if at < period.start:
        return 0.4 if period.start - at <= timedelta(days=_NEAR_DAYS) else 0.0
    if period.end is None or at < period.end:
        return 1.0
    late = at - period.end
    if late <= timedelta(days=_NEAR_DAYS):
        return 0.8
    return 0.5 if late <= timedelta(days=4 * _NEAR_DAYS) else 0.2 if late <= timedelta(days=31) else 0.0


def _overlaps(period: When, told: When | None) -> bool:
    if told is None:
        return False
    ends = told.end or told.start
    return told.start < (period.end or told.start + timedelta(days=1)) and ends > period.start
