"""Translates words of six other languages into English, and detects the language of a text. Pure.

`words.tsv` has a kind, an English word and its translations per row, `small.toml` the function words. Memories are in
English, so queries in other languages are searched with the English words added. Start at `glossed`.
"""

import re
from functools import cache, lru_cache
from importlib.resources import files

from everlore.language.lists import data_in, listed

CODES = ("de", "es", "fr", "it", "nl", "pt")
ENGLISH, _FOREIGN = listed("foreign.english"), listed("foreign.small")

_MOST_CHARS = 4_000
_LEAST_SMALL = 2
# "Ich spiele Geige" has only one function word.
_FEW_WORDS = 6
_WORD = re.compile(r"[^\W\d_]\w{0,60}(?:['’&.+-][^\W_]\w{0,60}){0,6}")
# Elided articles: "j'habite", "l'età".
_ELIDED = re.compile(r"^[a-z]{1,2}['’](?=\w)")
# Kinds of words that carry no topic for a search: "a", "two", "years".
_BESIDE_THE_POINT = frozenset({"number", "unit"})


@lru_cache(maxsize=64)
def glossed(text: str) -> str:
    """The text with English translations added; unchanged if it is English or none of its words is known."""
    known: dict[str, str] = {}
    for code in spoken(text):
        for kind, words in words_of(code).items():
            known |= {} if kind in _BESIDE_THE_POINT else words
    said = (_ELIDED.sub("", word) for word in _words(text))
    found = dict.fromkeys(known[word] for word in said if word in known)
    return f"{text} ({' '.join(found)})" if found else text


def spoken(text: str) -> list[str]:
    """The languages the text may be in, judged by function words and glossary words. Empty if English is as likely, or
    if no function word of another language occurs."""
    words = _words(text)
    least = min(_LEAST_SMALL, len(words) // _FEW_WORDS + 1)
    counted = {
        code: sum(word in small_of(code) or word in _known(code) for word in words)
        for code in CODES
        if not small_of(code).isdisjoint(words)
    }
    most = max(counted.values(), default=0)
    if most < least or most <= sum(word in ENGLISH for word in words):
        return []
    return [code for code, times in counted.items() if times == most]


def is_foreign(text: str) -> bool:
    """Whether at least two function words of other languages occur, and clearly more than English ones."""
    words = _words(text)
    foreign = sum(word in _FOREIGN for word in words)
    return foreign > 1 and foreign > 2 * sum(word in ENGLISH for word in words)


def _words(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(text[:_MOST_CHARS])]


@cache
def words_of(code: str) -> dict[str, dict[str, str]]:
    """A language's words with their English translation, grouped by kind."""
    found: dict[str, dict[str, str]] = {}
    for line in files(__package__).joinpath("words.tsv").read_text(encoding="utf-8").splitlines():
        kind, english, *theirs = line.split("\t")
        for word in theirs[CODES.index(code)].split(","):
            if word != "-":
                found.setdefault(kind, {}).setdefault(word, english)
    return found


@cache
def small_of(code: str) -> frozenset[str]:
    return frozenset(data_in(__package__, "small.toml")[code].split())


@cache
def _known(code: str) -> frozenset[str]:
    return frozenset().union(*words_of(code).values())
