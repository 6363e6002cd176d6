"""Finds numbers in a text in any notation: "5,000", "5k" and "five thousand" are the same number.

Start at `numbers_in`.
"""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

from everlore.language.lists import phrases_listed

_NUMBERS = phrases_listed("grammar.numbers")
_UNITS = {word: value for value, words in enumerate(_NUMBERS) for word in words}
_TENS = {word: 10 * at for at, (word,) in enumerate(phrases_listed("grammar.tens"), 2)}
CARDINALS = {words[0]: value for value, words in enumerate(_NUMBERS)} | _TENS
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
# Small counts may be the author's own: "the two of them", "three brothers".
_COUNTED_BY_ANYBODY = 3
_MOST_DIGITS = 30
# A separator before exactly three digits marks thousands: "5,000", "5.000", but not "18:30" or "3.5".
_THOUSANDS = 3

_PIECE = re.compile(r"(?P<digits>\d[\d.,:/]*)(?P<kilo>[kK]\b)?|(?P<word>[^\W\d_]+)|(?P<end>[^\w\s-])")
_BETWEEN = re.compile(r"[.,:/]+")


@dataclass(frozen=True, slots=True)
class Number:
    """`value`: normalized; `parts`: the numbers around a separator, as in "18:30". A small number written as a word may
    be the author's own count and need not occur in the source."""

    written: str
    value: str
    parts: tuple[str, ...] = ()
    must_be_said: bool = True

    def is_among(self, said: Set[str]) -> bool:
        return self.value in said or (bool(self.parts) and said >= set(self.parts))


def numbers_in(text: str) -> Iterator[Number]:
    words: list[str] = []
    for piece in _PIECE.finditer(text):
        word = (piece["word"] or "").lower()
        if word in _UNITS or word in _TENS or word in _SCALES:
            words.append(word)
            continue
        if word == "and" and words and words[-1] in _SCALES:
            continue
        yield from _spelled(words)
        words = []
        if piece["digits"]:
            yield _written(piece["digits"], is_kilo=bool(piece["kilo"]))
    yield from _spelled(words)


def _written(digits: str, *, is_kilo: bool) -> Number:
    digits = digits.rstrip(".,:/")[:_MOST_DIGITS].rstrip(".,:/")
    parts = tuple(_BETWEEN.split(digits))
    plain = tuple(_plain(part) for part in parts)
    if all(len(part) == _THOUSANDS for part in parts[1:]):
        return Number(digits, _plain("".join(parts)) + ("000" if is_kilo else ""))
    return Number(digits, ".".join(plain), plain)


def _plain(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _spelled(words: list[str]) -> Iterator[Number]:
    """Runs of number words: "two hundred" is one number, "five six" are two."""
    start, total, current = 0, 0, 0
    for at, word in enumerate(words):
        if word in _SCALES:
            total, current = _scaled(total, max(current, 1), _SCALES[word])
            continue
        value = _UNITS.get(word, _TENS.get(word, 0))
        if at > start and not _goes_on(current, value):
            yield _number(words[start:at], total + current)
            start, total, current = at, 0, 0
        current += value
    if words:
        yield _number(words[start:], total + current)


def _scaled(total: int, current: int, scale: int) -> tuple[int, int]:
    """The finished total, and the part that a later scale word still multiplies: "two hundred thousand"."""
    return (total, current * scale) if scale == _SCALES["hundred"] else (total + current * scale, 0)


def _goes_on(current: int, value: int) -> bool:
    """Whether the next number word extends this number: twenty-five, a hundred and five, a thousand and two."""
    if current == 0:
        return True
    return (current % 100 == 0 and value < 100) or (current % 10 == 0 and current % 100 >= 20 and 0 < value < 10)


def _number(words: list[str], value: int) -> Number:
    return Number(" ".join(words), str(value), must_be_said=value > _COUNTED_BY_ANYBODY)
