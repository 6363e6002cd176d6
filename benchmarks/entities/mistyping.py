"""Every way to mistype a name by one letter, a few of each: to measure matching without any talk around it.

In: a name, and a source of chance. Out: the name with one of its words wrong. Start at `mistyped`.
"""

import random
from collections.abc import Iterator

_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_VOWELS = "aeiou"
_LEAST = 5


def mistyped(name: str, chance: random.Random) -> Iterator[str]:
    """Of each word of five letters or more: one letter dropped, doubled, swapped with the next, a key beside it,
    another vowel. Nobody mistypes how a name begins."""
    words = name.split()
    for at, word in enumerate(words):
        if len(word) >= _LEAST and word.isalpha() and word.isascii():
            for wrong in _slips(word.lower(), chance):
                if wrong != word.lower():
                    yield " ".join([*words[:at], wrong.capitalize(), *words[at + 1 :]])


def _slips(word: str, chance: random.Random) -> Iterator[str]:
    at = chance.randrange(1, len(word))
    yield word[:at] + word[at + 1 :]
    yield word[:at] + word[at] + word[at:]
    yield word[:at] + _beside(word[at], chance) + word[at + 1 :]
    swapped = chance.randrange(1, len(word) - 1)
    yield word[:swapped] + word[swapped + 1] + word[swapped] + word[swapped + 2 :]
    vowels = [place for place in range(1, len(word)) if word[place] in _VOWELS]
    if vowels:
        place = chance.choice(vowels)
        other = chance.choice([vowel for vowel in _VOWELS if vowel != word[place]])
        yield word[:place] + other + word[place + 1 :]


def _beside(sign: str, chance: random.Random) -> str:
    row = next(keys for keys in _KEYS if sign in keys)
    at = row.index(sign)
    return chance.choice(row[max(0, at - 1) : at] + row[at + 1 : at + 2])
