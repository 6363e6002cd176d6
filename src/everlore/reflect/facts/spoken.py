"""Whether the names and numbers of a statement were said (F5): the guard against invention, in any language. Pure.

In: a statement in our form ("User …") and the message it is said to come from. Out: the first name or number that
nobody said. Accents, case, hyphens and a slip of the pen are passed over, "'99" is 1999 and "sept" September, and who
names three sons has said that there are three.

Start at `unspoken`.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache
from importlib.resources import files
from itertools import combinations, pairwise

from everlore.domain.calendar import FEASTS, MONTHS
from everlore.domain.display import display
from everlore.language.lists import listed
from everlore.language.numbers import numbers_in
from everlore.reflect.candidate import Source

_MOST_TURNS = 12
_MOST_CHARS = 12_000
_WORD = re.compile(r"[^\W_]+(?:[-’'.&][^\W_]+)*")
_DIGITS = re.compile(r"\d+")
_SHORT_YEAR = re.compile(r"['’](\d\d)\b")
# From this likeness on, and from this length, a word is the same word misspelt.
_SAME = 0.82
_LEAST_CHARS = 5
_MOST_SLIP = 2
# "Cartography" tells of cartographers.
_SHARE_OF_PREFIX = 0.7
_DECADE = re.compile(r"\b(\d0)['’]?s\b|\b(twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies\b", re.IGNORECASE)
_IN_CAPITALS = re.compile(r"\b[A-Z][A-Z&.]{1,7}\b")
_NAME_OF_MANY = re.compile(r"[A-Z][\w-]{1,40}(?: (?:of |and |the |& )?[A-Z][\w-]{1,40}){1,5}")
# Of a name, what says only what it is the name of.
_GENERIC = listed("places.generic")
_NO_NAMES = frozenset({"i", "user", "users", "user's", "ok", "am", "pm"})


def unspoken(content: str, source: Source) -> str:
    """A name or a number of the statement that stands in no turn; "" where all were said."""
    said = _said(tuple(_texts(source)))
    spelt = set(said.spelt_out(content))
    for name in _names(content):
        if name not in spelt and not said.has_name(name):
            return name
    count = _counted(content)
    for number in numbers_in(_plain_decades(content)):
        needs = number.value if not number.is_among(said.numbers) else ""
        if needs and number.must_be_said and not said.is_year(needs) and needs != count:
            return number.written
    return ""


def folded(text: str) -> str:
    """Small letters without accents, typographic signs as one types them."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_SIGNS))
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


_SIGNS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-", "—": "-"})


def words_of(text: str) -> list[str]:
    return [_bare(word) for word in _WORD.findall(folded(text))]


# ── a statement ──────────────────────────────────────────────────────────────────────────────────


def _names(content: str) -> list[str]:
    """Words with a capital in them, but for the first; a day or a month is one too."""
    words = _WORD.findall(content)[1:]
    names = [word for word in words if any(sign.isupper() for sign in word)]
    return [name for name in names if len(name) > 1 and folded(name) not in _NO_NAMES | _GENERIC]


def _counted(content: str) -> str:
    """How many names are listed: "three goats named Ada, Bo and Cy"."""
    names = re.findall(r"[A-Z][\w-]+(?=,| and | & )|(?<=and )[A-Z][\w-]+|(?<=& )[A-Z][\w-]+", content)
    return str(len(dict.fromkeys(names)))


def _plain_decades(text: str) -> str:
    """ "In their thirties" speaks of thirty."""
    return _DECADE.sub(lambda found: f"{found[1] or found[2] + 'y'} ", text)


# ── what was said ────────────────────────────────────────────────────────────────────────────────


def _texts(source: Source) -> list[str]:
    turns = [display(turn.content).text for turn in source.before[-_MOST_TURNS:]]
    return [text[:_MOST_CHARS] for text in (source.content, *turns, source.user_name, *source.people)]


class _Said:
    def __init__(self, texts: Sequence[str]) -> None:
        whole = "\n".join(texts)
        words = words_of(whole)
        self._words = frozenset(part for word in words for part in (word, *word.split("-"), word.replace("-", "")))
        self._joined = frozenset(one + other for one, other in pairwise(words))
        self._capitals = frozenset(re.sub("[&.]", "", each).lower() for each in _IN_CAPITALS.findall(whole))
        self._initials = frozenset((*_initials(whole), *_shortened(words)))
        meant = (meaning for word in self._words for meaning in _meanings().get(word, ()))
        self._meanings = frozenset((*meant, *_feasts_in(words)))
        self._short_years = frozenset(_SHORT_YEAR.findall(whole))
        numbers = {part for number in numbers_in(_plain_decades(whole)) for part in (number.value, *number.parts)}
        # "19th", "5k" and "3pm" hold numbers, too.
        numbers |= {digits.lstrip("0") or "0" for digits in _DIGITS.findall(whole)}
        self.numbers = frozenset(numbers | self._meanings)

    def has_name(self, name: str) -> bool:
        plain = _bare(folded(name))
        if self._is_said(plain) or plain in self._initials:
            return True
        parts = [part for part in re.split(r"[-'.&]", plain) if len(part) > 1]
        return len(parts) > 1 and all(self._is_said(part) for part in parts)

    def spelt_out(self, content: str) -> Iterable[str]:
        """The words of names that were said by their first letters: "Open University" of "OU"."""
        for run in _NAME_OF_MANY.findall(content):
            words = [word for word in run.split() if word[0].isupper()]
            for first, last in combinations(range(len(words) + 1), 2):
                part = words[first:last]
                if len(part) > 1 and "".join(word[0] for word in part).lower() in self._capitals:
                    yield from part

    def is_year(self, number: str) -> bool:
        return len(number) == 4 and number[2:] in self._short_years

    def _is_said(self, word: str) -> bool:
        bare = word.replace("-", "")
        if not {word, bare}.isdisjoint(self._words) or bare in self._joined:
            return True
        if meanings := _meanings().get(word):
            return not meanings.isdisjoint(self._meanings)
        return any(_is_same(word, each) for each in self._words if len(each) >= _LEAST_CHARS - 1)


@lru_cache(maxsize=64)
def _said(texts: tuple[str, ...]) -> _Said:
    """The facts of one message are held against it one after the other."""
    return _Said(texts)


def _bare(word: str) -> str:
    return word.removesuffix("'s").strip("'.")


def _is_same(name: str, word: str) -> bool:
    if len(name) < _LEAST_CHARS:
        return False
    if name[0] != word[0]:
        return False
    if abs(len(name) - len(word)) <= _MOST_SLIP and SequenceMatcher(None, name, word).ratio() >= _SAME:
        return True
    shared = next((at for at, (one, other) in enumerate(zip(name, word, strict=False)) if one != other), None)
    least = min(len(name), len(word)) if shared is None else shared
    return least >= _LEAST_CHARS and least >= _SHARE_OF_PREFIX * len(name)


def _initials(text: str) -> Iterable[str]:
    """ "NYC" for New York City: the first letters of words with a capital that follow each other."""
    run = ""
    for word in _WORD.findall(text):
        run = run + word[0].lower() if word[0].isupper() else ""
        if len(run) > 1:
            yield run


_LEAST_OF_ONE = 3


def _shortened(words: Sequence[str]) -> Iterable[str]:
    """ "RVN" for a registered veterinary nurse. Of small words nothing is made, nor of two: any message has some that
    begin with L and A."""
    for size in (2, 3, 4):
        for at in range(len(words) - size + 1):
            part = words[at : at + size]
            is_long = all(len(word) >= _LEAST_OF_ONE or word.isdecimal() for word in part)
            if is_long and (size > 2 or part[1].isdecimal()):
                yield "".join(word[0] for word in part)


_MONTH_NAMES = {number: name for name, number in sorted(MONTHS.items(), key=lambda each: len(each[0]))}


def _feasts_in(words: Sequence[str]) -> Iterable[str]:
    """The month and the day of "Halloween", as they are called and written."""
    said = f" {' '.join(words)} ".replace("'", "")
    for name, (month, day) in FEASTS.items():
        if f" {' '.join(name)} ".replace("'", "") in said:
            yield from (_MONTH_NAMES[month], str(day))


@cache
def _meanings() -> dict[str, frozenset[str]]:
    """By what any of our languages calls it: the English month or day, or the number in figures. "Sept" is two."""
    text = files("everlore.reflect.facts").joinpath("foreign.txt").read_text(encoding="utf-8")
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            first, *others = line.split()
            for word in (first, *others):
                found.setdefault(folded(word), set()).add(first)
    return {word: frozenset(each) for word, each in found.items()}
