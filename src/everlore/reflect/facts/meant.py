"""Whether words of the user are meant as they stand: not said after an assistant (M16), not dreamt, not in jest. Pure.

In: the words that a statement rests on, and the message. Out: why they are not meant, or nothing. Start at `unmeant`.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from everlore.domain.display import display
from everlore.domain.reading import Filter
from everlore.language.clauses import Read, lows, tokens_of
from everlore.language.lists import listed
from everlore.reflect.candidate import Source
from everlore.reflect.facts.jest import is_jest
from everlore.reflect.facts.spoken import words_of
from everlore.reflect.typed import read

_MOST_TURNS = 12
_MOST_CHARS = 4_000
_SENTENCE = re.compile(r"[^.!?\n\"“”]{1,600}")
# A shorter sentence is said by anybody: "I know", "Me too".
_LEAST_REPEATED = 4
_DREAMING = listed("play.dreaming")


def unmeant(words: str, source: Source) -> Filter | None:
    said = _flat(words)
    if any(said in each for each in _repeated(source)):
        return Filter.QUOTED_BACK
    return Filter.NOT_STATED if any(said in each for each in _unserious(source.content)) else None


def _repeated(source: Source) -> list[str]:
    """The sentences of the message that an assistant said in the same words."""
    turns = [turn.content for turn in source.before[-_MOST_TURNS:] if not turn.is_user]
    theirs = {sentence for turn in turns for sentence in _sentences(turn)}
    return [sentence for sentence in _sentences(source.content) if sentence in theirs] if theirs else []


def _sentences(text: str) -> list[str]:
    shown = display(text[:_MOST_CHARS]).text
    said = [words_of(match.group()) for match in _SENTENCE.finditer(shown)]
    return [_spaced(each) for each in said if len(each) >= _LEAST_REPEATED]


@lru_cache(maxsize=16)
def _unserious(content: str) -> tuple[str, ...]:
    """The clauses that are dreamt or in jest."""
    clauses = read(content)
    return tuple(_flat(each.clause.text) for at, each in enumerate(clauses) if _is_unserious(clauses, at))


def _is_unserious(clauses: Sequence[Read], at: int) -> bool:
    return is_jest(lows(tokens_of(clauses[at].clause.text))) or _is_dreamt(clauses, at)


def _is_dreamt(clauses: Sequence[Read], at: int) -> bool:
    """ "I dreamed I was the president"."""
    if not at or clauses[at - 1].sentence != clauses[at].sentence:
        return False
    return not _DREAMING.isdisjoint(lows(clauses[at - 1].predicate)[-2:])


def _flat(text: str) -> str:
    return _spaced(words_of(text))


def _spaced(words: Sequence[str]) -> str:
    """ " i love hiking ": a space around each word."""
    return f" {' '.join(words)} "
