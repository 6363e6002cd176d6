"""Puts together what was read of the parts of a long conversation, or of its beginning and its rest (W1, W3). Pure.

Start at `merged`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from everlore.learning.analysis.answers import AnalysisPart
from everlore.learning.segments.vetting import sentences_of

_MOST_THEMES, _MOST_STEPS, _MOST_PERSONS, _MOST_TOPICS, _MOST_TONES = 10, 12, 40, 16, 3
# Of a very long account, how it began and how it ended.
_FIRST_SENTENCES, _LAST_SENTENCES = 4, 8


def merged(parts: Sequence[AnalysisPart]) -> AnalysisPart:
    """The account of all of them, in order, without their memories."""
    sentences = [*dict.fromkeys(each for part in parts if part.summary for each in sentences_of(part.summary))]
    tones = {part.tone.casefold(): part.tone for part in reversed(parts) if part.tone}
    return AnalysisPart(
        summary=" ".join(sentences[:_FIRST_SENTENCES] + sentences[_FIRST_SENTENCES:][-_LAST_SENTENCES:]),
        themes=_commonest((theme for part in parts for theme in part.themes), _MOST_THEMES),
        tone=", then ".join([*reversed(tones.values())][-_MOST_TONES:]),
        emotional_arc=_spread([step for part in parts for step in part.emotional_arc], _MOST_STEPS),
        participants=_commonest((name for part in parts for name in part.participants), _MOST_PERSONS),
        key_topics=_commonest((topic for part in parts for topic in part.key_topics), _MOST_TOPICS),
    )


def _commonest(texts: Iterable[str], most: int) -> tuple[str, ...]:
    """Those of most parts first; of as many, in the order in which they came. Large and small letters are one."""
    every = list(texts)
    written = {text.casefold(): text for text in reversed(every)}
    return tuple(written[text] for text, _ in Counter(text.casefold() for text in every).most_common(most))


def _spread(steps: Sequence[str], most: int) -> tuple[str, ...]:
    """The first, the last, and of the rest as many as there is room for, evenly."""
    if len(steps) <= most:
        return tuple(steps)
    return tuple(steps[at * (len(steps) - 1) // (most - 1)] for at in range(most))
