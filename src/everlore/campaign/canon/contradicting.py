"""Whether two statements about a fictional world contradict each other, in which words, and how surely (G7). Pure.

In: what is canon, what is new, and the other names of who is in it. Out: a `Contradiction`, or None. Only of the same
thing, in the same respect; never where time is said to have passed, where one of them is hearsay, or where both can be
true. What is not understood contradicts nothing: to hold back what is true is the worse error.

Start at `contradiction_of`; `is_same_statement` says whether two say the same.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from everlore.campaign.canon.clauses import CanonClause, clauses_of
from everlore.campaign.canon.comparing import Contradiction, compared, is_same_reading
from everlore.campaign.canon.denying import denied
from everlore.campaign.canon.implied import told_in
from everlore.campaign.canon.opposing import opposed
from everlore.campaign.canon.readings import read, readings_of
from everlore.campaign.canon.respects import RespectReading
from everlore.campaign.canon.things import renamed
from everlore.campaign.canon.vocabulary import signs, stems_in
from everlore.domain.words import words_of

# What is longer tells a story, and is no statement.
_MOST_CHARS = 600
_QUOTED = re.compile(r"[“\"].*[”\"]|\?\s*$|^\w+: ")


def contradiction_of(old: str, new: str, aliases: Mapping[str, str] | None = None) -> Contradiction | None:
    """`aliases`: other names of who and what is known, each with the one that they are known by."""
    if max(len(old), len(new)) > _MOST_CHARS:
        return None
    one, other = (_with_always(renamed(_plain(each), aliases or {})) for each in (old, new))
    if _is_hearsay(one) or _is_hearsay(other) or _is_told_as_change(one, other):
        return None
    found = [*_by_reading(one, other), *_by_clauses(one, other)]
    return max(found, key=lambda each: each.confidence, default=None)


def is_stated(text: str) -> bool:
    """Whether it says what is so: no hearsay, and nothing that is told as a change or as over."""
    plain = _plain(text)
    return not _is_hearsay(plain) and not tells_change(plain)


def tells_change(text: str) -> bool:
    """Whether it says itself that time has passed, and something else was so before or is no more."""
    return _is_told_as_change("", _plain(text))


def is_same_statement(one: str, other: str, aliases: Mapping[str, str] | None = None) -> bool:
    """In the same words, or of the same thing in the same respect with the same value and nothing else."""
    first, second = (renamed(_plain(each), aliases or {}) for each in (one, other))
    if _words(first) == _words(second):
        return True
    if stems_in(first) == stems_in(second) and _subjects(first) == _subjects(second):
        return _denials(first) == _denials(second)
    pairs = [(a, b) for a in readings_of(first) for b in readings_of(second)]
    is_plain = len(clauses_of(first)) == len(clauses_of(second)) == 1
    return is_plain and any(is_same_reading(a, b) for a, b in pairs)


# ── how it is said ───────────────────────────────────────────────────────────────────────────────


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").split())


@lru_cache(maxsize=8_192)
def _with_always(text: str) -> str:
    """ "Since its founding", "from birth": always, so that no time is said to have passed."""
    return signs("lasting").sub("always", text)


@lru_cache(maxsize=8_192)
def _words(text: str) -> tuple[str, ...]:
    return tuple(each for each in words_of(text) if each not in ("the", "a", "an"))


@lru_cache(maxsize=8_192)
def _is_hearsay(text: str) -> bool:
    return bool(_QUOTED.search(text)) or bool(signs("hedged").search(_uncapped(text)))


def _is_told_as_change(old: str, new: str) -> bool:
    """The new one says itself that something else was before, or tells of the past; or the old one does."""
    return _says_change(new) or _tells_past(old) or _tells_past(new)


@lru_cache(maxsize=8_192)
def _says_change(text: str) -> bool:
    return bool(signs("changed").search(_uncapped(text))) and not re.search(r"\b(?:never|always|still)\b", text)


@lru_cache(maxsize=8_192)
def _tells_past(text: str) -> bool:
    return bool(signs("past").search(_uncapped(text))) and "still" not in words_of(text)


def _uncapped(text: str) -> str:
    return text[:1].lower() + text[1:]


def _subjects(text: str) -> list[frozenset[str]]:
    return [each.subject.stems for each in clauses_of(text)]


def _denials(text: str) -> int:
    return sum(each.denied for each in clauses_of(text))


def _are_at_other_times(old: str, new: str) -> bool:
    """ "Closed at night" and "open by day", or simply open."""
    one, other = _times(old), _times(new)
    return one is not None and other is not None and one != other


@lru_cache(maxsize=8_192)
def _times(text: str) -> frozenset[str] | None:
    """When it is said to hold; None if always or never."""
    if re.search(r"\b(?:never|always)\b", text):
        return None
    return frozenset(each[0] for each in signs("times").finditer(text))


# ── the same respect, another value ──────────────────────────────────────────────────────────────


def _by_reading(old: str, new: str) -> Iterator[Contradiction]:
    found = (compared(one, other) for one in _lasting_readings(old) for other in _lasting_readings(new))
    yield from (each for each in found if each is not None)


@lru_cache(maxsize=8_192)
def _lasting_readings(text: str) -> tuple[RespectReading, ...]:
    return tuple(reading for clause in told_in(text) for reading in read(clause))


# ── opposites, and denial ────────────────────────────────────────────────────────────────────────

_SOME = re.compile(r"^(?:some|many|most|few|several|a few|half|other|another|one of|two of|both of)\b", re.IGNORECASE)
_EVERY = re.compile(r"^(?:every|all|each|any|no|nobody|none|nothing)\b", re.IGNORECASE)


def _by_clauses(old: str, new: str) -> Iterator[Contradiction]:
    is_at_one_time = not _are_at_other_times(old, new)
    for one in told_in(old):
        for other in told_in(new):
            if _are_of_parts(one, other):
                continue
            found = (opposed(one, other) if is_at_one_time else None, denied(one, other))
            yield from (each for each in found if each is not None)


def _are_of_parts(one: CanonClause, other: CanonClause) -> bool:
    """ "Some dragons", "many dragons": what holds of some need not hold of others, unless it is said of all."""
    texts = [each.subject.text for each in (one, other)]
    return any(map(_SOME.match, texts)) and not any(map(_EVERY.match, texts))
