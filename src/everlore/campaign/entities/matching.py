"""Decides whether a name means a known entity, with a confidence and a reason (G4).

In: a name as written, and a `Directory` of known entities. Out: a `Match`, or None. A name that fits two entities
matches neither.

Start at `Directory` and `match`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from everlore.campaign.entities.forms import NameForm, form_of
from everlore.campaign.entities.likeness import LEAST_MISSPELT, NOTHING, Likeness, likeness, misspelt
from everlore.campaign.entities.words import is_english
from everlore.domain.campaign import EntityKind

# From this confidence on a name counts as the known entity; below, it is only suggested.
SURE = 0.7
# Two candidates closer than this are ambiguous.
_MARGIN = 0.05
_LEAST_SUGGESTED = 0.3
_MOST_MATCHES = 10
_MOST_BY_WORD = 40


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """A known entity with its name and aliases."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    kind: EntityKind | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True)
class Match:
    """`reason`: text for the game master."""

    id: str
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class _Entry:
    known: KnownEntity
    form: NameForm


class Directory:
    """An index of known entities by word; built once, queried often."""

    def __init__(self, known: Iterable[KnownEntity]) -> None:
        self.entries: list[_Entry] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._by_joined: dict[str, list[int]] = defaultdict(list)
        self._by_title: dict[str, list[int]] = defaultdict(list)
        self._by_slip: dict[str, set[str]] = defaultdict(set)
        for each in known:
            self.add(each)

    def add(self, known: KnownEntity) -> None:
        for name in dict.fromkeys(known.names):
            self._add(_Entry(known, form_of(name)))

    def _add(self, entry: _Entry) -> None:
        if not entry.form.words:
            return
        at = len(self.entries)
        self.entries.append(entry)
        self._by_joined[entry.form.joined].append(at)
        for title in entry.form.titles:
            self._by_title[title].append(at)
        for word in set(entry.form.words):
            if word not in self._by_word:
                for slip in slips_of(word):
                    self._by_slip[slip].add(word)
            self._by_word[word].append(at)

    def has_word(self, word: str) -> bool:
        return word in self._by_word

    def near_words(self, word: str) -> set[str]:
        """Words of known names within one or two typos."""
        return {each for slip in slips_of(word) for each in self._by_slip.get(slip, ())}

    def meant(self, word: str) -> tuple[str, float]:
        """An English or known word itself, with 1; otherwise the nearest word of a known name, with its confidence."""
        if self.has_word(word) or is_english(word):
            return word, 1.0
        near = ((misspelt(word, each, is_name=self.has_word), each) for each in self.near_words(word))
        best = sorted((each for each in near if each[0]), reverse=True)
        if not best or (len(best) > 1 and best[0][0] == best[1][0]):
            return word, 1.0
        return best[0][1], best[0][0]

    def near(self, form: NameForm) -> Iterator[_Entry]:
        """Entries that share a word with the form, or a word spelled almost the same."""
        words = set(form.words)
        for word in form.words:
            words |= self.near_words(word)
        # A word that very many names share does not distinguish them.
        telling = (self._by_word.get(word, ()) for word in words)
        found = {at for entries in telling if len(entries) <= _MOST_BY_WORD for at in entries}
        found.update(self._by_joined.get(form.joined, ()))
        for title in form.titles if not form.core else ():
            found.update(self._by_title.get(title, ())[:_MOST_BY_WORD])
        for at in sorted(found):
            yield self.entries[at]


def match(name: str, directory: Directory) -> Match | None:
    """The entity that is meant; None if nothing is near enough, or the name is ambiguous."""
    found = matches(name, directory)
    if not found:
        return None
    best, *others = found
    if others and best.confidence - others[0].confidence < _MARGIN:
        return None
    return best


def matches(name: str, directory: Directory) -> tuple[Match, ...]:
    """All entities that could be meant, the most likely first."""
    best = _likenesses(form_of(name), directory)
    found = (Match(id, like.confidence, like.reason) for id, like in best.items())
    return tuple(sorted(found, key=lambda each: -each.confidence)[:_MOST_MATCHES])


def is_sure(found: Match | None) -> bool:
    return found is not None and found.confidence >= SURE


def slips_of(word: str) -> set[str]:
    """The word, and the word without each one of its letters: two words that share an element are one typo apart."""
    if len(word) < LEAST_MISSPELT - 1:
        return set()
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def _likenesses(seen: NameForm, directory: Directory) -> dict[str, Likeness]:
    best: dict[str, Likeness] = {}
    for entry in directory.near(seen):
        like = likeness(seen, entry.form, entry.known.kind, is_name=directory.has_word)
        if like.confidence >= _LEAST_SUGGESTED and like.confidence > best.get(entry.known.id, NOTHING).confidence:
            best[entry.known.id] = like
    return best
