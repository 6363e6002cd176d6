"""A summary without a model (C7): the weightiest sentences of a stretch, its first and its last, with who said them.

In: lines of a talk, or summaries. Out: a text that is true because it only repeats, the same for the same words.
Start at `quoted_lines` and `quoted_parts`.
"""

import re
from collections.abc import Iterable, Sequence

from everlore.domain.conversation import Summary
from everlore.domain.weight import weigh
from everlore.learning.segments.transcript import TranscriptLine, clip, speakers
from everlore.learning.segments.vetting import sentences_of

UNTOLD = "Nothing was said here that may be told."
MOST_SENTENCES = 5
_MOST_CHARS = 200
# A longer message is a document; what it decides stands on its first pages.
_MOST_READ = 20_000
_MOST_NAMED = 4
_QUOTED = re.compile(r"[^“”.!?…]*“[^”]*”|[^“”.!?…]+[.!?…]*")
_MARKS = str.maketrans({"*": None, "_": None, "`": None, '"': "'", "“": "'", "”": "'", "„": "'", "«": "'", "»": "'"})


def quoted_lines(lines: Sequence[TranscriptLine]) -> str:
    """Who talked, and up to five of the sentences that were said, in their order."""
    if not lines:
        return UNTOLD
    names = speakers(lines)
    shown = [*names[:_MOST_NAMED], *(["others"] if len(names) > _MOST_NAMED else [])]
    who = f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]
    said = [(line.name, _clean(each)) for line in lines for each in sentences_of(line.text[:_MOST_READ])]
    return " ".join([f"{who} talked.", *_weightiest(f"{name} said: “{each}”" for name, each in said if each)])


def quoted_parts(parts: Sequence[Summary]) -> str:
    """Up to five sentences of the summaries, in their order; a quotation stays whole, with who said it."""
    told = [each.content for each in parts if each.content != UNTOLD]
    found = [each.strip() for text in told for each in (_QUOTED.findall(text) if "“" in text else sentences_of(text))]
    is_lead = [each.endswith(" talked.") and "“" not in each for each in found]
    kept = (clip(each, 2 * _MOST_CHARS) for each, leads in zip(found, is_lead, strict=True) if not leads)
    return " ".join(_weightiest(kept)) or UNTOLD


def _weightiest(texts: Iterable[str]) -> list[str]:
    """The first, the last, and the weightiest between them; of equal weight the latest."""
    every = list(dict.fromkeys(texts))
    between = sorted(range(1, len(every) - 1), key=lambda at: (weigh(every[at]), at), reverse=True)
    kept = {0, len(every) - 1, *between[: MOST_SENTENCES - 2]}
    return [text for at, text in enumerate(every) if at in kept]


def _clean(sentence: str) -> str:
    return clip(" ".join(sentence.translate(_MARKS).split()), _MOST_CHARS)
