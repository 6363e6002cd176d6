"""Decisions and promises of a segment, found without a model (K1, O1).

In: the lines of a segment. Out: one candidate for each sentence in which somebody says that they decide, promise,
agree or refuse; the sentence is quoted, the claim says who intends what. Replies of the built-in voice repeat what
others said and are left out.

Start at `stated_decisions`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everlore.domain.claim import USER, Claim, Slot
from everlore.domain.memory import MemoryType
from everlore.domain.weight import weigh
from everlore.language.tense import Tense
from everlore.learning.candidate import Candidate
from everlore.learning.segments.transcript import Line, clip
from everlore.learning.segments.vetting import sentences_of

_MOST_CHARS = 300
# With fewer words a sentence only answers the one before it: "Deal."
_A_SENTENCE = 3
# A longer message is a document; what it decides stands on its first pages.
_MOST_READ = 20_000
_MARKS = str.maketrans({"*": None, "_": None, "`": None, '"': "'", "“": "'", "”": "'", "„": "'", "«": "'", "»": "'"})
CONFIDENCE = 0.95
# First person and a verb that decides; not "I never promised" or "if we agreed".
_DECISION = re.compile(
    r"\b(?:i|we|i've|we've|i'll|we'll|i have|we have|i hereby)"
    r"(?: (?:have|just|finally|now|hereby|solemnly|also|both|all|already|then|will|always|do))* "
    r"(?:promised?|swear|swore|vow(?:ed)?|pledged?|decided?|agreed?|choose|chose|resolved?|accept(?:ed)?|"
    r"(?P<refused>refused?)|made up (?:my|our) minds?|give you my word)\b(?P<what>.*)"
    r"|\b(?:it is|it's|that's) (?:settled|decided|a deal)\b|^\W*(?:agreed|deal)\W*$",
    re.IGNORECASE,
)
_NOT_STATED = re.compile(r"^\W*(?:if|when|once|unless|suppose|imagine|what if|should)\b|\?\W*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Decision:
    line: Line
    content: str
    names: tuple[str, ...]
    weight: int
    claim: Claim


def stated_decisions(lines: Sequence[Line]) -> tuple[Candidate, ...]:
    """The weightiest first; the same words count once."""
    found = {each.content.lower(): each for each in _decisions(lines)}
    return tuple(
        Candidate(
            content=each.content,
            type=MemoryType.DECISION,
            confidence=CONFIDENCE,
            reasoning="quoted",
            participants=each.names,
            quote=each.claim.quote,
            claim=each.claim,
        )
        for each in sorted(found.values(), key=lambda each: -each.weight)
    )


def _decisions(lines: Sequence[Line]) -> Iterator[_Decision]:
    spoken = [line for line in lines if not line.message.metadata.get("built_in")]
    for before, line in zip([None, *spoken], spoken, strict=False):
        for place, sentence in enumerate(sentences_of(line.own_text[:_MOST_READ])):
            plain = sentence.replace("’", "'")
            match = None if _NOT_STATED.search(plain) else _DECISION.search(plain)
            if match:
                yield _decision(line, sentence, match, before if place == 0 else None)


def _decision(line: Line, sentence: str, match: re.Match[str], before: Line | None) -> _Decision:
    """“Deal.” says nothing without the sentence that it answers."""
    content = _quoted(line, sentence)
    names: tuple[str, ...] = (line.name,)
    if before is not None and len(sentence.split()) < _A_SENTENCE:
        content, names = f"{_quoted(before, sentences_of(before.text)[-1])} {content}", (before.name, line.name)
    what = (match["what"] or "").strip(" .,!;:")
    claim = Claim(
        subject=USER if line.is_user else line.name,
        slot=Slot.PLAN if what else None,
        value=clip(what, _MOST_CHARS),
        polarity=not match["refused"],
        time=Tense.FUTURE,
        quote=clip(sentence, _MOST_CHARS),
    )
    return _Decision(line, content, names, weigh(sentence), claim)


def _quoted(line: Line, sentence: str) -> str:
    return f"{line.name}: “{clip(' '.join(sentence.translate(_MARKS).split()), _MOST_CHARS)}”"
