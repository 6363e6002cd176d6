"""Text as full-text search sees it: normalized, stemmed words.

Every store indexes exactly these words, so that the same question finds the same rows in each of them, and no character
of a question can act as an operator of a query language.

Start at `terms_of` (for stored texts) and `query_terms` (for questions).
"""

import re
import threading
import unicodedata
from collections.abc import Sequence

import Stemmer

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# For ASCII texts: every character except letters and digits becomes a space, and the rest lower case.
_PLAIN = bytes(ord(chr(code).lower()) if chr(code).isalnum() else 32 for code in range(128)).ljust(256)
# Scripts without spaces: their runs are indexed as overlapping pairs of characters.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_MOST_CHARS = 64
_MOST_TERMS = 50_000
# About 15 MB; more than the vocabulary of any person.
_MOST_STEMS = 100_000
_STOP = frozenset(
    "a about all also am an and any are as at be because been but by can could did do does doing for from had has "
    "have having he her here hers him his how i if in into is it its just me my no not of on or our ours she so "
    "some such than that the their them then there these they this those to too us very was we were what when "
    "where which who whom whose why will with would you your yours im ive id ill dont didnt doesnt isnt wasnt "
    "arent youre thats whats".split()
)
_per_thread = threading.local()


def terms_of(text: str) -> tuple[str, ...]:
    """The different stems of a text, in order of first appearance."""
    return tuple(dict.fromkeys(_stems(_found(text))))[:_MOST_TERMS]


def query_terms(text: str, most: int = 32) -> tuple[str, ...]:
    """The stems to search for. Common words count only if there are no others."""
    words = _words(text)
    telling = [word for word in words if word not in _STOP]
    return tuple(dict.fromkeys(_stems(telling or words)))[:most]


def stems_of(text: str) -> tuple[str, ...]:
    """Every stem of a text, in order and with repetitions."""
    return tuple(_stems(_found(text))[:_MOST_TERMS])


def words_of(text: str) -> tuple[str, ...]:
    """Every word of a text, normalized but not stemmed."""
    return tuple(_words(text)[:_MOST_TERMS])


def telling_words(text: str) -> tuple[str, ...]:
    """The different significant words; all words if none is."""
    words = _words(text)[:_MOST_TERMS]
    return tuple(dict.fromkeys([word for word in words if word not in _STOP] or words))


def stemmed(words: Sequence[str]) -> list[str]:
    """The stem of each of these words."""
    return _stems(list(words))


def is_common(word: str) -> bool:
    """Whether a word is a stop word."""
    return _bare(word.lower()) in _STOP


def _words(text: str) -> list[str]:
    return [word[:_MOST_CHARS] for word in _found(text)]


def _found(text: str) -> list[str]:
    """The words of a text in full length."""
    if text.isascii():
        # A table and a split take a third of the time of the expression.
        if "'" not in text:
            return text.encode("ascii").translate(_PLAIN).decode("ascii").split()
        return [_bare(word) for word in _WORD.findall(text.lower())]
    words: list[str] = []
    for word in _WORD.findall(_fold(text)):
        if word.isascii():
            words.append(_bare(word))
        else:
            words.extend(_split_unspaced(_bare(word)))
    return words


class _Folds(dict[int, str]):
    """Maps each character to lower case without accents; filled on demand."""

    def __missing__(self, code: int) -> str:
        # Twice: "𝐀" has no lower case of its own, but the "A" in it has.
        spread = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", chr(code)).casefold())
        self[code] = kept = "".join(each for each in spread if not unicodedata.combining(each))
        return kept


_FOLDS = _Folds()


def _fold(text: str) -> str:
    """Lower case, without accents: "Café" and "cafe" are one word."""
    # One character at a time: normalizing a whole text sorts its runs of accents in quadratic time, so half a megabyte
    # of accents would block the store for minutes.
    return unicodedata.normalize("NFKC", text.translate(_FOLDS))


def _bare(word: str) -> str:
    """Emma's → emma, don't → dont."""
    if "'" not in word and "’" not in word:
        return word
    word = word.replace("’", "'")
    return word.removesuffix("'s").replace("'", "")


def _split_unspaced(word: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for run in _UNSPACED.finditer(word):
        parts.append(word[start : run.start()])
        parts.extend(_pairs(run.group()))
        start = run.end()
    parts.append(word[start:])
    return [part for part in parts if part]


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]


class _Stems(dict[str, str]):
    """A cache of stems: a lookup takes a third of the time of the stemmer's own cache."""

    def __missing__(self, word: str) -> str:
        if len(word) > _MOST_CHARS:
            return self[word[:_MOST_CHARS]]
        if len(self) >= _MOST_STEMS:
            self.clear()
        self[word] = stem = _stem(word)
        return stem


def _stem(word: str) -> str:
    stemmer = getattr(_per_thread, "stemmer", None)
    if stemmer is None:
        # One per thread, because a stemmer is not thread-safe.
        stemmer = _per_thread.stemmer = Stemmer.Stemmer("english", 0)
    stem: str = stemmer.stemWord(word)
    return stem


_STEMS = _Stems()


def _stems(words: list[str]) -> list[str]:
    return list(map(_STEMS.__getitem__, words))
