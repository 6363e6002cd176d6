"""A keyframe without a model: the weightiest sentences of a segment, quoted, with who said them (K1, O1).

In: the lines of a segment. Out: one statement that is true because it only repeats, or none where nobody said
anything that weighs enough; and what somebody decided, promised or found out, in their own words, as memories of it.
What the built-in voice says is an echo of others, and is not quoted.

Start at `quoted` and `turns`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everlore.domain.memory import MemoryType
from everlore.domain.weight import IMPORTANT, weigh
from everlore.reflect.candidate import Candidate
from everlore.reflect.segments.transcript import Line, clip
from everlore.reflect.segments.vetting import sentences_of

_MOST_SENTENCES = 3
# … and so many where more was decided or found out.
_MOST_TURNS = 6
_MOST_CHARS = 300
# With fewer words it only answers.
_A_SENTENCE = 3
# A longer message is a document; what it decides stands on its first pages.
_MOST_READ = 20_000
_MARKS = str.maketrans({"*": None, "_": None, "`": None, '"': "'", "“": "'", "”": "'", "„": "'", "«": "'", "»": "'"})
CONFIDENCE = 0.95
# Who speaks, a few words, and what they did with it; not "I never promised", "if we agreed" or "did you find out?".
_WHO = r"\b(?:i|we|i've|we've|i'll|we'll|i have|we have|i hereby)"
_HOW = r"(?: (?:have|just|finally|now|hereby|solemnly|also|both|all|already|then|will|always|do))*"
_DECISION = re.compile(
    rf"{_WHO}{_HOW} (?:promised?|swear|swore|vow(?:ed)?|pledged?|decided?|agreed?|choose|chose|resolved?|accept(?:ed)?|"
    r"refused?|made up (?:my|our) minds?|give you my word)\b|\b(?:it is|it's|that's) (?:settled|decided|a deal)\b",
    re.IGNORECASE,
)
_DISCOVERY = re.compile(
    rf"{_WHO}{_HOW} (?:discovered|found out|figured out|reali[sz]ed|uncovered|learn(?:ed|t) (?:that|of|about|the)|"
    r"came to understand)\b|\bit turn(?:s|ed) out\b",
    re.IGNORECASE,
)
_NOT_SO = re.compile(r"^\W*(?:if|when|once|unless|suppose|imagine|what if|should)\b|\?\W*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Quote:
    at: int
    names: tuple[str, ...]
    text: str
    weight: int
    kind: MemoryType | None = None


def quoted(lines: Sequence[Line]) -> Candidate | None:
    """Up to three sentences, in the order in which they were said."""
    quotes = {quote.text.lower(): quote for quote in reversed(list(_quotes(lines)))}.values()
    # What was decided or found out comes first; of equal weight the latest: what was said last is what it came to.
    best = sorted(quotes, key=lambda quote: (quote.kind is not None, quote.weight, quote.at), reverse=True)
    best = best[: max(_MOST_SENTENCES, min(sum(quote.kind is not None for quote in best), _MOST_TURNS))]
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


def turns(lines: Sequence[Line]) -> tuple[Candidate, ...]:
    """What somebody decided, promised or found out, by their own words; the weightiest first."""
    found = {quote.text.lower(): quote for quote in _quotes(lines) if quote.kind is not None}
    ranked = sorted(found.values(), key=lambda quote: (-quote.weight, quote.at))
    return tuple(
        Candidate(
            content=quote.text,
            type=quote.kind or MemoryType.DECISION,
            confidence=CONFIDENCE,
            importance=max(quote.weight, IMPORTANT),
            reasoning="quoted",
            participants=quote.names,
        )
        for quote in ranked
    )


def _kind(sentence: str) -> MemoryType | None:
    plain = sentence.replace("’", "'")
    if _NOT_SO.search(plain):
        return None
    if _DECISION.search(plain):
        return MemoryType.DECISION
    return MemoryType.DISCOVERY if _DISCOVERY.search(plain) else None


def _quotes(lines: Sequence[Line]) -> Iterator[_Quote]:
    at = 0
    said = [line for line in lines if not line.message.metadata.get("built_in")]
    for before, line in zip([None, *said], said, strict=False):
        for place, sentence in enumerate(sentences_of(line.own_text[:_MOST_READ])):
            at += 1
            kind = _kind(sentence)
            # No sentence of a message weighs more than the message.
            weight = weigh(sentence) if kind is not None or line.weight >= IMPORTANT else 0
            if weight >= IMPORTANT or kind is not None:
                yield _quote(at, line, sentence, weight, kind, before if place == 0 else None)


def _quote(at: int, line: Line, sentence: str, weight: int, kind: MemoryType | None, before: Line | None) -> _Quote:
    """“Deal.” says nothing by itself: what was said just before it belongs to it."""
    text = _said(line, sentence)
    if before is None or len(sentence.split()) >= _A_SENTENCE:
        return _Quote(at, (line.name,), text, weight, kind)
    both = f"{_said(before, sentences_of(before.text)[-1])} {text}"
    return _Quote(at, (before.name, line.name), both, weight, kind)


def _said(line: Line, sentence: str) -> str:
    return f"{line.name}: “{clip(' '.join(sentence.translate(_MARKS).split()), _MOST_CHARS)}”"
