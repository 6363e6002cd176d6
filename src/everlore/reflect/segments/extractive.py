"""A keyframe without a model: the weightiest sentences of a segment, quoted, with who said them (K1, O1).

In: the lines of a segment. Out: one statement that is true because it only repeats, or none where nobody said
anything that weighs enough. Nothing is concluded from it: no memory beside it, and no interaction.

Start at `quoted`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everlore.domain.memory import MemoryType
from everlore.domain.weight import IMPORTANT, weigh
from everlore.reflect.candidate import Candidate
from everlore.reflect.segments.transcript import Line, clip
from everlore.reflect.segments.vetting import sentences_of

_MOST_SENTENCES = 3
_MOST_CHARS = 300
# With fewer words it only answers.
_A_SENTENCE = 3
# A longer message is a document; what it decides stands on its first pages.
_MOST_READ = 20_000
_MARKS = str.maketrans({"*": None, "_": None, "`": None, '"': "'", "“": "'", "”": "'", "„": "'", "«": "'", "»": "'"})
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class _Quote:
    at: int
    names: tuple[str, ...]
    text: str
    weight: int


def quoted(lines: Sequence[Line]) -> Candidate | None:
    """Up to three sentences, in the order in which they were said."""
    quotes = {quote.text.lower(): quote for quote in reversed(list(_quotes(lines)))}.values()
    # Of equal weight the latest: what was said last is what the segment came to.
    best = sorted(quotes, key=lambda quote: (quote.weight, quote.at), reverse=True)[:_MOST_SENTENCES]
    if not best:
        return None
    told = sorted(best, key=lambda quote: quote.at)
    return Candidate(
        content=" ".join(quote.text for quote in told),
        type=MemoryType.OUTCOME,
        confidence=CONFIDENCE,
        importance=max(quote.weight for quote in told),
        reasoning="quoted",
        participants=tuple(dict.fromkeys(name for quote in told for name in quote.names)),
    )


def _quotes(lines: Sequence[Line]) -> Iterator[_Quote]:
    at = 0
    for before, line in zip([None, *lines], lines, strict=False):
        # No sentence of a message weighs more than the message.
        if line.weight < IMPORTANT:
            continue
        for place, sentence in enumerate(sentences_of(line.text[:_MOST_READ])):
            at += 1
            weight = weigh(sentence)
            if weight >= IMPORTANT:
                yield _quote(at, line, sentence, weight, before if place == 0 else None)


def _quote(at: int, line: Line, sentence: str, weight: int, before: Line | None) -> _Quote:
    """“Deal.” says nothing by itself: what was said just before it belongs to it."""
    text = _said(line, sentence)
    if before is None or len(sentence.split()) >= _A_SENTENCE:
        return _Quote(at, (line.name,), text, weight)
    return _Quote(at, (before.name, line.name), f"{_said(before, sentences_of(before.text)[-1])} {text}", weight)


def _said(line: Line, sentence: str) -> str:
    return f"{line.name}: “{clip(' '.join(sentence.translate(_MARKS).split()), _MOST_CHARS)}”"
