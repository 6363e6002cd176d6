"""Finds mentions of known entities in a text (G5).

In: a text. Out: `Mention`s with their places, in order and without overlaps; of two that begin together the longer one.
A `MentionIndex` is built once per campaign: a message of a hundred words then takes a fraction of a millisecond.

Matches full names, in any case if they are unambiguous, possessives ("Marr's"), parts that only one name has, and
typos. Start at `MentionIndex.find`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from everlore.campaign.entities.forms import PERSONS, NameForm, form_of, plain_word
from everlore.campaign.entities.links import Link, links_in, shorter
from everlore.campaign.entities.matching import Directory, KnownEntity, is_sure, match
from everlore.campaign.entities.text import MOST_CHARS
from everlore.campaign.entities.words import is_english, listed
from everlore.domain.campaign import EntityKind

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Characters allowed between two words of a name: a space, a hyphen, "& ", ", ", "'s ".
_FARTHEST = 3
# Enough to list a text where an entity is mentioned: a spelling that is close to one known name, and to no other.
LIKELY = 0.6
_BY_NAME = 1.0
_BY_PART = 0.85
# "The library" in lower case: one of many words for a place, and there are other libraries.
_IN_PASSING = 0.72
_MOST_WORDS = 8


@dataclass(frozen=True, slots=True)
class Mention:
    """`text`: the text from `start` to `end`."""

    id: str
    start: int
    end: int
    text: str
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class _Phrase:
    """`words` that mean `id`. `any_case`: in lower case too; `in_passing`: confidence in lower case after "the"."""

    words: tuple[str, ...]
    id: str
    confidence: float
    reason: str
    any_case: bool = True
    in_passing: float = 0.0


class _Word(NamedTuple):
    """A word of the text for lookup. `sure` is less than 1 if it was corrected as a typo."""

    word: str
    start: int
    end: int
    is_capital: bool
    sure: float = 1.0


_IN_NO_NAME = _Word("", 0, 0, False)


class MentionIndex:
    def __init__(self, known: Iterable[KnownEntity]) -> None:
        known = tuple(known)
        self.directory = Directory(known)
        self._phrases: dict[tuple[str, ...], _Phrase] = {each.words: each for each in _unambiguous(known)}
        sizes: dict[str, set[int]] = defaultdict(set)
        for words in self._phrases:
            sizes[words[0]].add(len(words))
        self._sizes = {first: sorted(each, reverse=True) for first, each in sizes.items()}
        self._read = lru_cache(maxsize=20_000)(self._read_word)

    def find(self, text: str, *, least: float = LIKELY) -> list[Mention]:
        links = links_in(text)
        found = list(self._linked(text, links))
        taken = [(each.start, each.end) for each in links]
        words = list(self._words_of(text))
        at = 0
        while at < len(words):
            hit = self._at(words, at) if words[at].word else None
            if hit is None or _overlaps(hit[1], taken):
                at += 1
                continue
            size, span, phrase, sure = hit
            if sure >= least:
                found.append(Mention(phrase.id, *span, text[span[0] : span[1]], sure, phrase.reason))
            at += size
        return sorted(found, key=lambda each: each.start)

    def _linked(self, text: str, links: Iterable[Link]) -> Iterator[Mention]:
        for link in links:
            matched = ((each, match(each.name, self.directory)) for each in shorter(link))
            at, found = next(((each, found) for each, found in matched if is_sure(found)), (link, None))
            if found is not None:
                yield Mention(found.id, at.start, at.end, text[at.start : at.end], 1.0, "linked by the writer")

    def _at(self, words: list[_Word], at: int) -> tuple[int, tuple[int, int], _Phrase, float] | None:
        first = words[at].word
        for size in self._sizes.get(first, ()):
            here = words[at : at + size]
            phrase = self._phrases.get(tuple(each.word for each in here))
            sure = _fits(phrase, words, at) if phrase is not None and len(here) == size else 0.0
            if phrase is not None and sure:
                return size, (here[0].start, here[-1].end), phrase, round(sure, 3)
        return None

    def _words_of(self, text: str) -> Iterator[_Word]:
        """Most words are in no name and share one constant, which saves time."""
        for found in _WORD.finditer(text[:MOST_CHARS]):
            word, size, is_capital, sure = self._read(found.group())
            start = found.start()
            yield _Word(word, start, start + size, is_capital, sure) if word else _IN_NO_NAME

    def _read_word(self, raw: str) -> tuple[str, int, bool, float]:
        """The word as written, or corrected if one letter is wrong; "" if it is in no name."""
        # Strip the possessive "'s".
        bare = raw[:-2] if raw[-2:-1] in ("'", "’") and raw[-1] in "sS" else raw
        if self.directory.has_word(whole := plain_word(raw)):
            # "Harl's Mill": a part of the name.
            return whole, len(raw), raw[0].isupper(), 1.0
        word = plain_word(bare)
        meant, sure = self.directory.meant(word)
        is_in_a_name = self.directory.has_word(meant) or meant == "the"
        return meant if is_in_a_name else "", len(bare), raw[0].isupper(), sure


def _fits(phrase: _Phrase, words: list[_Word], at: int) -> float:
    """Confidence that the words from `at` on match the phrase; 0 if they do not."""
    here = words[at : at + len(phrase.words)]
    if any(later.start - earlier.end > _FARTHEST for earlier, later in pairwise(here)):
        return 0.0
    sure = phrase.confidence
    if not phrase.any_case and not all(word.is_capital for word in here if word.word not in listed("small")):
        has_the = at > 0 and words[at - 1].word == "the"
        sure = phrase.in_passing if has_the else 0.0
    return sure * min(word.sure for word in here)


def _unambiguous(known: Iterable[KnownEntity]) -> Iterator[_Phrase]:
    """All given names, and of the forms derived from them those that only one entity has."""
    given: dict[tuple[str, ...], _Phrase] = {}
    made: dict[tuple[str, ...], dict[str, _Phrase]] = defaultdict(dict)
    for each in known:
        for name in each.names:
            form = form_of(name)
            if form.words and len(form.words) <= _MOST_WORDS:
                given.setdefault(form.words, _given(form, each))
                for phrase in _made(form, each):
                    made[phrase.words].setdefault(each.id, phrase)
    yield from given.values()
    for words, phrases in made.items():
        if words not in given and len(phrases) == 1:
            yield from phrases.values()


def _given(form: NameForm, known: KnownEntity) -> _Phrase:
    # A single dictionary word needs its capital: "the Bell" is not every bell.
    any_case = len(form.words) > 1 or not is_english(form.words[0])
    return _Phrase(form.words, known.id, _BY_NAME, "its name", any_case)


def _made(form: NameForm, known: KnownEntity) -> Iterator[_Phrase]:
    kind = known.kind or form.kind
    parts = _of_person(form) if kind in PERSONS or (kind is None and form.titles) else _of_thing(form)
    for words in parts:
        if words and words != form.words and words[-1] not in listed("calendar"):
            any_case = not any(is_english(word) for word in words)
            is_place = kind is EntityKind.LOCATION and words[-1] in listed("places")
            passing = _IN_PASSING if is_place and words == form.head[-1:] else 0.0
            yield _Phrase(words, known.id, _BY_PART, "a part of its name that only it has", any_case, passing)


def _of_person(form: NameForm) -> Iterator[tuple[str, ...]]:
    head = form.head
    if not head:
        return
    yield form.core
    yield head
    yield head[:1]
    yield head[-1:]
    if form.titles:
        count = len(form.words) - len(form.core)
        title = form.words[:count]
        yield (*title, head[-1])
        yield (*title, head[0])


def _of_thing(form: NameForm) -> Iterator[tuple[str, ...]]:
    head = form.head
    if head != form.words:
        yield head
    if len(head) > 1 and (is_english(head[-1]) or head[0] == "new"):
        yield head[-1:]


def _overlaps(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in taken)
