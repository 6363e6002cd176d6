"""Which things are examples of which (R2): who asks for pets is answered by what is said of a kitten. English; pure.

`examples.txt` has what is asked for before the colon and examples of it behind, as people speak of them; it was written
from general knowledge, in view of no question. Start at `asked_for`; memories are read `with_examples`, and lines of
talks have a feature of their own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

from everlore.domain.words import is_common, stems_of
from everlore.store.answers import Found, Hit

# Stems, in order.
Phrase = tuple[str, ...]
_MOST_HEAD_WORDS = 2
_MOST_KEPT = 512
# An example of a word counts so much of the word itself.
_NEARLY = 0.6


@dataclass(frozen=True, slots=True)
class Examples:
    """`words` are stems; `phrases` are several of them with spaces around, and stand under their first, one of
    `begins`."""

    words: frozenset[str]
    begins: frozenset[str]
    phrases: Mapping[str, tuple[str, ...]] = field(hash=False)

    def named_in(self, terms: frozenset[str], text: str) -> frozenset[str]:
        """Those that a text names, of which `terms` are the different stems; `text` has all of them, `spaced`."""
        found = self.words & terms
        if begun := self.begins & terms:
            found |= {each for first in begun for each in self.phrases[first] if each in text}
        return found


def spaced(stems: Sequence[str]) -> str:
    """As one text, in which a phrase can be looked for as a whole."""
    return f" {' '.join(stems)} "


def asked_for(stems: Sequence[str]) -> list[tuple[Phrase, Examples]]:
    """What a question names that there are examples of. Two words that belong together are not taken one by one."""
    pairs = [pair for pair in pairwise(stems) if pair in _lines()]
    taken = {stem for pair in pairs for stem in pair}
    words = [(stem,) for stem in stems if stem not in taken and (stem,) in _lines()]
    return [(head, _examples_of(head)) for head in dict.fromkeys((*pairs, *words))]


def with_examples(found: Sequence[Found], question: str) -> list[Found]:
    """What was found, with what it covers of the question by examples."""
    asked = asked_for(stems_of(question))
    if not asked:
        return list(found)

    # The same record is found in several ways.
    @cache
    def instead(content: str) -> frozenset[str]:
        return _instead(content, asked)

    return [replace(each, hits=tuple(_covering(hit, instead, each.weights) for hit in each.hits)) for each in found]


def _covering(hit: Hit, instead: Callable[[str], frozenset[str]], weights: Mapping[str, float]) -> Hit:
    named = instead(str(getattr(hit.record, "content", "")))
    share = sum(weights.get(stem, 0.0) for stem in named)
    return replace(hit, parts=replace(hit.parts, example=_NEARLY * share)) if share else hit


def _instead(content: str, asked: Sequence[tuple[Phrase, Examples]]) -> frozenset[str]:
    """The words of the question that a text does not have, and names examples of."""
    stems = stems_of(content)
    terms, text = frozenset(stems), spaced(stems)
    return frozenset(stem for head, examples in asked if examples.named_in(terms, text) for stem in head) - terms


@lru_cache(maxsize=1)
def _lines() -> Mapping[Phrase, list[str]]:
    """By what is asked for, the examples as they are written."""
    text = (files("everlore.recall") / "examples.txt").read_text(encoding="utf-8")
    found: dict[Phrase, list[str]] = {}
    for line in text.splitlines():
        heads, _, examples = line.partition(":")
        for head in _phrases(heads) if not line.startswith("#") else ():
            if len(head) <= _MOST_HEAD_WORDS:
                found.setdefault(head, []).append(examples)
    return found


@lru_cache(maxsize=_MOST_KEPT)
def _examples_of(head: Phrase) -> Examples:
    phrases = sorted({each for line in _lines()[head] for each in _phrases(line)})
    longer: dict[str, list[str]] = {}
    for first, *others in (each for each in phrases if len(each) > 1):
        longer.setdefault(first, []).append(spaced((first, *others)))
    words = frozenset(each[0] for each in phrases if len(each) == 1)
    return Examples(words, frozenset(longer), {first: tuple(each) for first, each in longer.items()})


def _phrases(text: str) -> Iterable[Phrase]:
    """What stands between commas; a word that says nothing by itself is no example of anything."""
    parts = [each.strip() for each in text.split(",")]
    return [stems for each in parts if not is_common(each) and (stems := stems_of(each))]
