"""A summary without a model (C7): the weightiest sentences of a stretch, its first and its last, with who said them.

In: lines of a talk, or summaries. Out: a text that is true because it only repeats, the same for the same words.
Start at `quoted_lines` and `quoted_parts`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from everlore.domain.conversation import Summary
from everlore.domain.weight import weigh
from everlore.learning.segments.transcript import Line, clip, speakers
from everlore.learning.segments.vetting import sentences_of

UNTOLD = "Nothing was said here that may be told."
MOST_SENTENCES = 5
_MOST_CHARS = 200
# A longer message is a document; what it decides stands on its first pages.
_MOST_READ = 20_000
_MOST_NAMED = 4
_QUOTED = re.compile(r"[^“”.!?…]*“[^”]*”|[^“”.!?…]+[.!?…]*")
_MARKS = str.maketrans({"*": None, "_": None, "`": None, '"': "'", "“": "'", "”": "'", "„": "'", "«": "'", "»": "'"})


@dataclass(frozen=True, slots=True)
class _Sentence:
    at: int
    text: str
    weight: int


def quoted_lines(lines: Sequence[Line]) -> str:
    """Who talked, and up to five of the sentences that were said, in their order."""
    if not lines:
        return UNTOLD
    said = [(line.name, sentence) for line in lines for sentence in _sentences(line.text)]
    chosen = _chosen(f"{name} said: “{_clean(sentence)}”" for name, sentence in said)
    return " ".join([f"{_listed(speakers(lines))} talked.", *chosen])


def quoted_parts(parts: Sequence[Summary]) -> str:
    """Up to five sentences of the summaries, in their order."""
    told = (sentence for part in parts if part.content != UNTOLD for sentence in _told_in(part.content))
    return " ".join(_chosen(_whole(sentence) for sentence in told if not _is_lead(sentence))) or UNTOLD


def _told_in(content: str) -> list[str]:
    """Its sentences; a quotation stays whole, with who said it."""
    if "“" not in content:
        return sentences_of(content)
    return [found.strip() for found in _QUOTED.findall(content)]


def _chosen(sentences: Iterable[str]) -> list[str]:
    """The first, the last, and the weightiest between them; of equal weight the latest."""
    each = {text: _Sentence(at, text, weigh(text)) for at, text in enumerate(sentences)}
    ranked = sorted(each.values(), key=lambda one: one.at)
    ends = {one.at: one for one in (*ranked[:1], *ranked[-1:])}
    between = sorted((one for one in ranked if one.at not in ends), key=lambda one: (-one.weight, -one.at))
    kept = [*ends.values(), *between[: MOST_SENTENCES - len(ends)]]
    return [one.text for one in sorted(kept, key=lambda one: one.at)]


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in sentences_of(text[:_MOST_READ]) if _clean(sentence)]


def _clean(sentence: str) -> str:
    return clip(" ".join(sentence.translate(_MARKS).split()), _MOST_CHARS)


def _whole(sentence: str) -> str:
    return clip(sentence, 2 * _MOST_CHARS)


def _is_lead(sentence: str) -> bool:
    return sentence.endswith(" talked.") and "“" not in sentence


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:_MOST_NAMED])
    if len(names) > _MOST_NAMED:
        shown = [*shown, "others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
