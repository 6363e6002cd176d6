"""Splits a message for the name finder: its words with their places, and which of them begin a sentence.

A word that begins a sentence, a line or direct speech is capitalized anyway; any other capital is deliberate. Start at
`tokens_of` and `sentence_at`.
"""

import re
from dataclasses import dataclass
from functools import cached_property

# A longer message is a document; its first pages name the people in it.
MOST_CHARS = 40_000
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+|-[^\W\d_]+)*(?:-\d{1,4})?['’]?|\d+")
_CODE = re.compile(r"```.*?```|`[^`\n]*`|https?://\S+", re.DOTALL)
_ENDS = re.compile(r"(?<![.!?…])[.!?…]++[\"”’')*_\]]*+\s+|\n+")
_OPENERS = frozenset('.!?…:\n*_~#>|•([{;—–/"“”«»„')
_ABBREVIATED = frozenset("mr mrs ms dr st prof capt cpt lt sgt col gen rev sr jr messrs mt".split())
_MOST_SENTENCE = 400


@dataclass(frozen=True)
class TextToken:
    """`opens`: it begins a sentence, a line or direct speech. `joined`: only a space (or the dot of an abbreviation)
    separates it from the word before."""

    text: str
    start: int
    opens: bool
    joined: bool
    owns: bool = False

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @cached_property
    def lower(self) -> str:
        return self.text.lower().replace("’", "'")

    @property
    def is_capital(self) -> bool:
        return self.text[:1].isupper()

    @property
    def is_shouted(self) -> bool:
        """All capitals: shouting, an abbreviation or a Roman numeral, so the capitals do not show a name."""
        letters = [sign for sign in self.text if sign.isalpha()]
        return len(letters) > 1 and all(sign.isupper() for sign in letters)


def tokens_of(text: str) -> list[TextToken]:
    """The words of a text; `owns` marks a stripped "'s". Code and URLs are skipped."""
    kept = _CODE.sub(lambda found: " " * len(found.group()), text[:MOST_CHARS])
    found: list[TextToken] = []
    end = 0
    for match in _WORD.finditer(kept):
        between = kept[end : match.start()]
        word, owns = _owner(match.group())
        opens = _opens(between, found[-1].lower if found else "")
        joined = bool(found) and _joins(between, found[-1].lower)
        found.append(TextToken(word, match.start(), opens, joined, owns))
        end = match.end()
    return found


def sentence_at(text: str, start: int, end: int) -> str:
    """The sentence around a place, short enough to show beside a name."""
    bounds = sentence_bounds(text, start, end)
    return " ".join(text[bounds[0] : bounds[1]].split())


def sentence_bounds(text: str, start: int, end: int) -> tuple[int, int]:
    low, high = max(0, start - _MOST_SENTENCE), min(len(text), end + _MOST_SENTENCE)
    first, last = low, high
    for match in _ENDS.finditer(text, low, high):
        if _is_abbreviation(text, match.start()):
            continue
        if match.end() <= start:
            first = match.end()
        elif match.start() >= end:
            last = match.end()
            break
    return first, last


def _owner(word: str) -> tuple[str, bool]:
    plain = word.replace("’", "'")
    if plain.lower().endswith("'s") and len(plain) > 2:
        return word[:-2], True
    if plain.endswith("'") and not plain.endswith("in'"):
        return word[:-1], plain.lower().endswith("s'")
    return word, False


def _joins(between: str, before: str) -> bool:
    return between in (" ", " & ") or (between == ". " and before in _ABBREVIATED)


def _opens(between: str, before: str) -> bool:
    if not before:
        return True
    bare = between.replace(" ", "").replace("\t", "")
    if not bare:
        return False
    if "\n" in between:
        return True
    if bare == "." and before in _ABBREVIATED:
        return False
    return any(sign in _OPENERS for sign in bare) or "--" in bare or " - " in between


def _is_abbreviation(text: str, at: int) -> bool:
    start = at
    while start > 0 and text[start - 1].isalpha():
        start -= 1
    return text[at : at + 1] == "." and text[start:at].lower() in _ABBREVIATED
