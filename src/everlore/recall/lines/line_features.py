"""Features of one line that do not depend on the question (R2, R3). Pure, and cached because lines recur."""

import re
from dataclasses import dataclass
from functools import lru_cache

from everlore.domain.words import is_common, stemmed, stems_of, words_of
from everlore.recall.examples import spaced

# Longer lines are read only to this length.
_MOST_CHARS = 3_000
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
# Both match lower-case text, and check a word only where one of theirs can begin: a question reads hundreds of lines,
# and case-insensitive matching took half of the time.
_TIME = re.compile(
    r"\b(?=[adfjlmnorsty\d])(?:yesterday|today|tonight|tomorrow|"
    r"(?:last|next|this) (?:night|morning|week|weekend|month|year|spring|summer|autumn|fall|winter|"
    r"mon|tues|wednes|thurs|fri|satur|sun)\w*|recently|just|since|"
    r"january|february|march|april|june|july|august|september|october|november|december|\d{1,2}(?:st|nd|rd|th)|"
    r"(?:19|20)\d\d|few (?:days|weeks|months|years)|for (?:\w+ ){1,2}(?:days|weeks|months|years))\b|"
    r"(?<=\w )(?:day|week|month|year)s? ago\b"
)
_NUMBER = re.compile(
    r"\b(?=[bcdefhnost\d])"
    r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|couple|few|several|twice|once|both)\b"
)
_ASIDE = re.compile(r"\[[^\]\n]{0,500}\]")
_MANY_NAMES = 3
_CAPITAL = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]+")


@dataclass(frozen=True, slots=True)
class LineFeatures:
    """`stems` in order, and `spaced` the same as a text; `words` are the different significant ones; `asking` is the
    share of questions in it; `names` the number of capitalised words, as a share of three."""

    stems: tuple[str, ...]
    spaced: str
    terms: frozenset[str]
    words: tuple[str, ...]
    word_stems: tuple[str, ...]
    asking: float
    ends_asking: bool
    has_time: bool
    has_number: bool
    names: float


@lru_cache(maxsize=16_384)
def read(text: str) -> LineFeatures:
    text = text[:_MOST_CHARS]
    stems, small = stems_of(text), text.casefold()
    # Text in brackets is not speech: the description of a picture, or a gesture.
    spoken = _ASIDE.sub("", text).strip() or text
    sentences = [each for each in _SENTENCE.split(spoken) if each.strip()]
    asked = sum(len(each) for each in sentences if each.rstrip().endswith("?"))
    words = tuple(word for word in dict.fromkeys(words_of(text)) if not is_common(word))
    return LineFeatures(
        stems=stems,
        spaced=spaced(stems),
        terms=frozenset(stems),
        words=words,
        word_stems=tuple(stemmed(words)),
        asking=asked / max(sum(map(len, sentences)), 1),
        ends_asking=spoken.rstrip().endswith("?"),
        has_time=_TIME.search(small) is not None,
        has_number=_NUMBER.search(small) is not None,
        names=min(len(set(_CAPITAL.findall(text))), _MANY_NAMES) / _MANY_NAMES,
    )
