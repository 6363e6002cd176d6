"""Examples of general words (R2): a question about pets also finds what was said about a kitten. English only; pure.

`examples.txt` has the general word before the colon and everyday examples after it, from general knowledge, not from
benchmark questions. Start at `asked_for`; memories are matched `with_examples`, and lines have a feature of their own.
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
# The weight of an example, relative to the word itself.
_NEARLY = 0.6


@dataclass(frozen=True, slots=True)
class Examples:
    """`words` are single stems; `phrases` are several stems with spaces around them, by their first stem, one of
    `begins`."""

    words: frozenset[str]
    begins: frozenset[str]
    phrases: Mapping[str, tuple[str, ...]] = field(hash=False)

    def named_in(self, terms: frozenset[str], text: str) -> frozenset[str]:
        """The examples that a text contains; `terms` are its different stems, `text` all of them `spaced`."""
        found = self.words & terms
        if begun := self.begins & terms:
            found |= {each for first in begun for each in self.phrases[first] if each in text}
        return found


def spaced(stems: Sequence[str]) -> str:
    """As one text, in which a phrase can be searched as a whole."""
    return f" {' '.join(stems)} "


def asked_for(stems: Sequence[str]) -> list[tuple[Phrase, Examples]]:
    """The words of a question that have examples. Two words that belong together are not split."""
    pairs = [pair for pair in pairwise(stems) if pair in _lines()]
    taken = {stem for pair in pairs for stem in pair}
    words = [(stem,) for stem in stems if stem not in taken and (stem,) in _lines()]
    return [(head, _examples_of(head)) for head in dict.fromkeys((*pairs, *words))]


def with_examples(found: Sequence[Found], question: str) -> list[Found]:
    """The hits, with what they cover of the question by examples."""
    asked = asked_for(stems_of(question))
    if not asked:
        return list(found)

    # Several searches find the same record.
    @cache
    def instead(content: str) -> frozenset[str]:
        return _instead(content, asked)

    return [replace(each, hits=tuple(_covering(hit, instead, each.weights) for hit in each.hits)) for each in found]


def _covering(hit: Hit, instead: Callable[[str], frozenset[str]], weights: Mapping[str, float]) -> Hit:
    named = instead(str(getattr(hit.record, "content", "")))
    share = sum(weights.get(stem, 0.0) for stem in named)
    return replace(hit, parts=replace(hit.parts, example=_NEARLY * share)) if share else hit


def _instead(content: str, asked: Sequence[tuple[Phrase, Examples]]) -> frozenset[str]:
    """The words of the question that a text lacks but has examples of."""
    stems = stems_of(content)
    terms, text = frozenset(stems), spaced(stems)
    return frozenset(stem for head, examples in asked if examples.named_in(terms, text) for stem in head) - terms


@lru_cache(maxsize=1)
def _lines() -> Mapping[Phrase, list[str]]:
    """The examples as written, by general word."""
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
    """The parts between commas; a word without meaning of its own is not an example."""
    parts = [each.strip() for each in text.split(",")]
    return [stems for each in parts if not is_common(each) and (stems := stems_of(each))]
