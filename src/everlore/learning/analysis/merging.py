"""Puts together what was read of the parts of a long conversation, or of its beginning and its rest (W1, W3). Pure.

Start at `merged` and `distinct`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from everlore.domain.words import query_terms
from everlore.learning.analysis.answers import Part
from everlore.learning.candidate import Candidate
from everlore.learning.segments.vetting import sentences_of

_SAME = 0.85
_MOST_TERMS = 200
_MOST_THEMES, _MOST_STEPS, _MOST_PERSONS, _MOST_TOPICS, _MOST_TONES = 10, 12, 40, 16, 3
# Of a very long account, how it began and how it ended.
_FIRST_SENTENCES, _LAST_SENTENCES = 4, 8
_MOST_NAMES, _MOST_MOMENTS = 20, 5


def merged(parts: Sequence[Part]) -> Part:
    """The account of all of them, in order, without their memories."""
    return Part(
        summary=_summary([part.summary for part in parts]),
        themes=_commonest((theme for part in parts for theme in part.themes), _MOST_THEMES),
        tone=", then ".join(_unlike(part.tone for part in parts)[-_MOST_TONES:]),
        emotional_arc=_spread([step for part in parts for step in part.emotional_arc], _MOST_STEPS),
        participants=_commonest((name for part in parts for name in part.participants), _MOST_PERSONS),
        key_topics=_commonest((topic for part in parts for topic in part.key_topics), _MOST_TOPICS),
    )


def distinct(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Each thing once, where it was found in more than one part: in the words that are the surest."""
    kept: list[tuple[frozenset[str], Candidate]] = []
    for each in candidates:
        terms = frozenset(query_terms(each.content, _MOST_TERMS))
        place = next((at for at, (other, known) in enumerate(kept) if _is_same(terms, each, other, known)), None)
        if place is None:
            kept.append((terms, each))
        else:
            kept[place] = (terms, _joined(kept[place][1], each))
    return [candidate for _, candidate in kept]


def _is_same(terms: frozenset[str], one: Candidate, others: frozenset[str], other: Candidate) -> bool:
    if one.type is not other.type:
        return False
    return terms == others or len(terms & others) >= _SAME * len(terms | others)


def _joined(one: Candidate, other: Candidate) -> Candidate:
    surer = other if other.confidence > one.confidence else one
    return replace(
        surer,
        emotional_weight=max(one.emotional_weight, other.emotional_weight),
        participants=tuple(dict.fromkeys((*one.participants, *other.participants)))[:_MOST_NAMES],
        key_moments=tuple(dict.fromkeys((*one.key_moments, *other.key_moments)))[:_MOST_MOMENTS],
    )


def _summary(summaries: Sequence[str]) -> str:
    sentences = [sentence for summary in summaries if summary for sentence in sentences_of(summary)]
    sentences = list(dict.fromkeys(sentences))
    if len(sentences) > _FIRST_SENTENCES + _LAST_SENTENCES:
        sentences = [*sentences[:_FIRST_SENTENCES], *sentences[-_LAST_SENTENCES:]]
    return " ".join(sentences)


def _commonest(texts: Iterable[str], most: int) -> tuple[str, ...]:
    """Those of most parts first; of as many, in the order in which they came. Large and small letters are one."""
    written: dict[str, str] = {}
    counted: Counter[str] = Counter()
    for text in texts:
        written.setdefault(text.casefold(), text)
        counted[text.casefold()] += 1
    return tuple(written[text] for text, _ in counted.most_common(most))


def _unlike(texts: Iterable[str]) -> list[str]:
    """In order, without those that only repeat the one before."""
    kept: list[str] = []
    for text in texts:
        if text and (not kept or text.casefold() != kept[-1].casefold()):
            kept.append(text)
    return kept


def _spread(steps: Sequence[str], most: int) -> tuple[str, ...]:
    """The first, the last, and of the rest as many as there is room for, evenly."""
    if len(steps) <= most:
        return tuple(steps)
    return tuple(steps[at * (len(steps) - 1) // (most - 1)] for at in range(most))
