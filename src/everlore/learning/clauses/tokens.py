"""Tokenizes a line, as typed and as meant: "dont" and "don't" both become "do" and "not", "im" becomes "I am".

In: a line. Out: tokens in order. `low`: the word for comparison; `text`: the word for output, for the second half of a
contraction in its full form.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from everlore.language.lists import by_word, listed

_TOKEN = re.compile(
    "|".join(
        (
            r"(?:[A-Z]\.){2,6}",  # U.S.
            r"\b(?:St|Mt|Ft|Dr|Mr|Mrs|Ms)\.(?= [A-Z])",
            r"\by/o\b",
            r"\b(?:he|she|they|it|ze|xe)/(?:him|her|them|they|it|zir|xem)\b",
            # 1,200; 3.5; 12:30; 5am; 29-year-old; 50%
            r"[$€£]?\d{1,12}(?:,\d{3}){0,4}(?:[.:/]\d{1,6}){0,3}(?:(?:-[a-z]{2,6}){1,2}\b|[a-z%]{1,4}\b|%)?",
            r"[^\W\d_]\w{0,60}(?:['’&.+-][^\W_]\w{0,60}){0,6}[+#]{0,2}",
            r"\.{2,}",
            r"\S",
        )
    )
)
_MOST_TOKENS = 1_200


@dataclass(frozen=True, slots=True)
class ClauseToken:
    """`start` and `end`: the word's place in its line; both halves of a contraction share them."""

    text: str
    low: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        return self.low[0].isalnum() or self.low[0] in "$€£"

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper()


def _in_two(words: str) -> tuple[str, str]:
    first, second = words.split()
    return first, second


_NOT = by_word("typing.not")
_SPLIT = {typed: _in_two(words) for typed, words in by_word("typing.in_two").items()}
_SPLIT |= {word: (first, "not") for word, first in _NOT.items()}
_SPLIT |= {word.replace("'", ""): (first, "not") for word, first in _NOT.items() if word not in {"won't"}}
_SPLIT["wont"] = ("will", "not")
_SAME = by_word("typing.same")
_CLIPPED = listed("typing.clipped")


def tokens_of(line: str) -> list[ClauseToken]:
    found: list[ClauseToken] = []
    for match in _TOKEN.finditer(line):
        _add(found, match.group(), match.start(), match.end())
        if len(found) >= _MOST_TOKENS:
            break
    return found


_IN_CAPITALS = frozenset({"ur", "bf", "gf", "im"})


def _add(found: list[ClauseToken], text: str, start: int, end: int) -> None:
    low = text.lower().replace("’", "'")
    halves = _SPLIT.get(low)
    if halves:
        first = text[: len(halves[0])] if low.startswith(halves[0]) else halves[0]
        found += [ClauseToken(first, halves[0], start, end), ClauseToken(halves[1], halves[1], start, end)]
        return
    noun, mark, rest = low.rpartition("'")
    if mark and noun and rest in {"s", "ll", "ve", "re", "d"} and low not in _SPLIT:
        found += [
            ClauseToken(text[: len(noun)], _SAME.get(noun, noun), start, end),
            ClauseToken("'" + rest, "'" + rest, start, end),
        ]
        return
    if len(text) == 2 and text.isupper() and found and not found[-1].text.isupper() and low not in _IN_CAPITALS:
        # A state or a province: "Fargo, ND".
        found.append(ClauseToken(text, "u.s" if text == "US" else low, start, end))
        return
    if low in _CLIPPED:
        text, low = text + "g", low + "g"
    # The country, and not "us".
    found.append(ClauseToken(text, "u.s" if text == "US" else _SAME.get(low, low), start, end))


_BEFORE_A_MONTH = listed("time.before_a_month")


def is_month(tokens: Sequence[ClauseToken], place: int) -> bool:
    """ "in may", "may 5th": the month, not the verb."""
    before = low_at(tokens, place - 1)
    after = low_at(tokens, place + 1)
    return tokens[place].low == "may" and (before in _BEFORE_A_MONTH or before[:1].isdecimal() or after[:1].isdecimal())


def low_at(tokens: Sequence[ClauseToken], place: int) -> str:
    """The word at this position; "" beyond both ends."""
    return tokens[place].low if 0 <= place < len(tokens) else ""


def lows(tokens: Sequence[ClauseToken]) -> tuple[str, ...]:
    return tuple(token.low for token in tokens)


def written(line: str, tokens: Sequence[ClauseToken]) -> str:
    """The tokens as one plain line, as typed, with contractions restored."""
    text, end = "", -1
    for token in tokens:
        if token.end == end:
            continue
        text += (" " if text and token.start != end else "") + line[token.start : token.end]
        end = token.end
    return text
