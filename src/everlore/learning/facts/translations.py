"""Finds the names and numbers of an English statement in a message in another language or script (F5). Pure.

In: a name, and the message. Out: whether the message contains it. Countries, languages, months, days and time zone
cities are compared by their CLDR (Babel) names in the languages of the message's script, all other names by their sound
in Latin letters (anyascii). Since few languages are known here, a name that is not found may still have been said:
`another_of_its_kind` tells where it certainly was not.

Start at `is_english` and `translations_in`.
"""

import pickle
import re
import unicodedata
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

from anyascii import anyascii
from babel import localedata

from everlore.language.glossary import is_foreign
from everlore.language.lists import data_in
from everlore.learning.facts.words import folded

_MOST_CHARS = 12_000
_PART = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_I = re.compile(r"\bI\b")
_LEAST_WORDS = 5
_LEAST_SHARE = 0.1
# Minimum similarity of two sounds, and minimum length of a name for a reliable comparison.
_SAME_SOUND = 0.7
_LEAST_NAME = 3
_LEAST_OTHER = 5
_MOST_ENDING = 2
_SOFT = re.compile(r"[aeiouwyhj]|(.)(?=\1)")
_SAME_LETTERS = str.maketrans("cqgvpz", "kkkbbs")
_HAN = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1_000}
_HAN_NUMBER = re.compile(f"[{''.join((*_HAN, *_HAN_SCALES))}]+")

# The kind of a name and its code: ("territories", "ES").
Meaning = tuple[str, str]


@lru_cache(maxsize=16)
def is_english(message: str) -> bool:
    """By its letters and common words; a text of a few words counts as English."""
    text = message[:_MOST_CHARS]
    letters = [sign for sign in text if sign.isalpha()]
    if sum(unicodedata.name(sign, "").startswith("LATIN") for sign in letters) < len(letters) / 2:
        return False
    words = [word.casefold().replace("’", "'") for word in _TOKEN.findall(text)]
    share = sum(word in _english_words() for word in words) / max(len(words), 1)
    if is_foreign(text) and share < 0.5:
        return False
    if share >= _LEAST_SHARE:
        return True
    is_plain = all(sign.isascii() for sign in letters)
    return is_plain and (len(words) < _LEAST_WORDS or _I.search(text) is not None)


def plain_digits(text: str) -> str:
    """Replaces digits of any script, and numbers in Chinese characters, by 0 to 9."""
    digits = "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text)
    return _HAN_NUMBER.sub(lambda found: f" {_han_number(found.group())} ", digits)


class Translations:
    """The content of a message, to be looked up by English names."""

    def __init__(self, message: str) -> None:
        text = message[:_MOST_CHARS]
        plain = plain_digits(folded(text))
        scripts = {unicodedata.name(sign, "?").split()[0] for sign in text if sign.isalpha()}
        self._locales = sorted(
            {locale for script in scripts for locale in data_in(__package__, "scripts.toml").get(script, "").split()}
        )
        self._words = frozenset(_PART.findall(plain))
        # Scripts without capitals put no space, or function words, before a name.
        self._uncased = _letters(sign for sign in plain if sign.upper() == sign.lower())
        self._sounds = frozenset(_sound(word) for word in text.split())

    def says(self, name: str) -> bool:
        meaning = _english_names().get(folded(name))
        if meaning is not None and any(self._has(_names_in(locale).get(meaning)) for locale in self._locales):
            return True
        sound = _sound(name)
        return len(sound) >= _LEAST_NAME and any(_sounds_alike(sound, each) for each in self._sounds)

    def another_of_its_kind(self, name: str, statement: str) -> bool:
        """Whether the message names another country, month or the like, which the statement does not name."""
        meaning = _english_names().get(folded(name))
        return meaning is not None and any(
            folded(_names_in("en")[other]) not in folded(statement) for other in self._others(meaning)
        )

    def _others(self, meaning: Meaning) -> Iterator[Meaning]:
        for locale in self._locales:
            for other, name in _names_in(locale).items():
                if other[0] == meaning[0] and other != meaning and other in _names_in("en"):
                    is_long = len(name) >= _LEAST_OTHER
                    if (is_long and name in self._words) or (_is_uncased(name) and _letters(name) in self._uncased):
                        yield other

    def _has(self, name: str | None) -> bool:
        """Also matches other endings: "Hiszpanii" for Hiszpania."""
        if not name or len(name) < 2:
            return False
        if _is_uncased(name):
            return re.search(rf"(?<!\d){_letters(name)}", self._uncased) is not None
        return all(any(_is_form_of(part, word) for word in self._words) for part in _PART.findall(name))


@lru_cache(maxsize=16)
def translations_in(message: str) -> Translations:
    return Translations(message)


def _is_uncased(name: str) -> bool:
    return name.upper() == name


def _is_form_of(name: str, word: str) -> bool:
    stem = name[: max(4, len(name) - _MOST_ENDING)] if len(name) > _LEAST_NAME else name
    return word == name or (len(name) > _LEAST_NAME and word.startswith(stem))


def _sound(name: str) -> str:
    return _letters(anyascii(name).lower())


def _letters(text: Iterable[str]) -> str:
    return "".join(sign for sign in text if sign.isalnum())


def _sounds_alike(name: str, word: str) -> bool:
    """In scripts without spaces the name is part of a longer run; in those without vowels, consonants are compared."""
    if name in word or (abs(len(name) - len(word)) <= 4 and SequenceMatcher(None, name, word).ratio() >= _SAME_SOUND):
        return True
    hard, other = _consonants(name), _consonants(word)
    return (len(hard) >= _LEAST_NAME and hard in other) or (len(hard) > 1 and hard == other)


def _consonants(sound: str) -> str:
    return _SOFT.sub("", sound.translate(_SAME_LETTERS))


@cache
def _english_words() -> frozenset[str]:
    text = files("everlore.learning.facts").joinpath("english.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


@cache
def _english_names() -> dict[str, Meaning]:
    """If a name has two meanings, the country wins."""
    return {folded(name): meaning for meaning, name in reversed(_names_in("en").items())}


@cache
def _names_in(locale: str) -> dict[Meaning, str]:
    """The names of countries, languages, months and the like in a language, in lower case."""
    # Not `localedata.load`: that caches each language completely, a hundred times as much as needed.
    with Path(localedata.resolve_locale_filename(locale)).open("rb") as data:
        found = pickle.load(data)  # noqa: S301 - a file of the package
    names: dict[Meaning, str] = {}
    for kind in ("territories", "languages"):
        names |= {(kind, code): name for code, name in found.get(kind, {}).items() if len(code) == 2}
    for zone, parts in found.get("time_zones", {}).items():
        if "city" in parts:
            names["cities", zone] = parts["city"]
    for kind in ("months", "days"):
        wide = found.get(kind, {}).get("format", {}).get("wide", {})
        names |= {(kind, str(code)): name for code, name in wide.items() if isinstance(name, str)}
    if locale == "en":
        names |= {each: each[1].rpartition("/")[2].replace("_", " ") for each in _zones() if each not in names}
    return {meaning: folded(name) for meaning, name in names.items()}


@cache
def _zones() -> list[Meaning]:
    """Zone cities with translated names, from Russian: the English data omits those that equal their codes."""
    return [meaning for meaning in _names_in("ru") if meaning[0] == "cities"]


def _han_number(signs: str) -> int:
    """ "三十二" is 32, "二〇一五" is 2015."""
    if not any(sign in _HAN_SCALES for sign in signs):
        return int("".join(str(_HAN[sign]) for sign in signs))
    total, digit = 0, 0
    for sign in signs:
        if sign in _HAN_SCALES:
            total += (digit or 1) * _HAN_SCALES[sign]
            digit = 0
        else:
            digit = _HAN[sign]
    return total + digit
