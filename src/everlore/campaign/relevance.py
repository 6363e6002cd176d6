"""Ranks passages of the record by how well they answer a question (G9). Pure.

In: a question, the passages found for it, and an index of the names that the caller may know. A passage is scored by
how much of the question it covers: the entities it names, under any name, and its other words, rare ones more. Start at
`CampaignQuestion.of` and `ranked`.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import OSA

from everlore.campaign.entities.mentions import MentionIndex
from everlore.campaign.entities.words import is_english, is_no_name
from everlore.domain.words import query_terms, terms_of
from everlore.learning.claims import names_of

# Minimum share of the question that a passage must cover.
_LEAST = 0.34
_NAME_WEIGHT = 1.5
_MOST_SLIPS = 3
# Weight of words that occur only in the question before a passage.
_OF_QUESTION = 0.8
_MOST_TERMS = 200


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """`at`: index of the candidate. `is_weak`: it lacks the names or the other words of the question."""

    at: int
    is_weak: bool = False


@dataclass(frozen=True, slots=True)
class PassageCandidate:
    """A passage to rank. `found`: its search score from 0 to 1. `answers`: the question at the table before it.
    `is_told`: narration, notes or written text, which answer better than talk between players. `is_note`: only the game
    master has it."""

    text: str
    found: float
    answers: str = ""
    is_told: bool = True
    is_note: bool = False


@dataclass(frozen=True)
class CampaignQuestion:
    """`names`: ids of named entities; `terms`: stems of other words; `unknown`: stems of unknown names."""

    names: frozenset[str]
    terms: frozenset[str]
    unknown: frozenset[str]

    @staticmethod
    def of(text: str, index: MentionIndex) -> "CampaignQuestion":
        mentions = index.find(text)
        rest = list(text)
        for each in mentions:
            rest[each.start : each.end] = " " * (each.end - each.start)
        plain = "".join(rest)
        first = plain.split()[0].strip(".,;:!?").lower() if plain.strip() else ""
        # The first word is capitalized anyway: "Describe the bell".
        own = [name for name in names_of(plain) if not is_no_name(name) and not (name == first and is_english(name))]
        unknown = frozenset(stem for name in own for stem in terms_of(name))
        terms = frozenset(query_terms(plain)) - _ASKING
        return CampaignQuestion(frozenset(each.id for each in mentions), terms, unknown - _ASKING)


@dataclass(frozen=True)
class _Read:
    candidate: PassageCandidate
    names: frozenset[str]
    terms: frozenset[str]
    # Terms of the question before the passage.
    asked: frozenset[str]

    @cached_property
    def is_question(self) -> bool:
        return is_question(self.candidate.text)


_ASKING = frozenset(
    terms_of(
        "who whom whose what which where when why how many much did does do is are was were really "
        "describe explain tell list show look like"
    )
)


def is_question(text: str) -> bool:
    return text.rstrip(" \"”'’*)").endswith("?")


def ranked(
    question: CampaignQuestion, candidates: Sequence[PassageCandidate], index: MentionIndex
) -> list[RankedPassage]:
    """The relevant candidates, best first; empty if none is relevant."""
    read = [_read(each, question, index) for each in candidates]
    said = frozenset[str]().union(*(each.terms for each in read))
    meant = {each: _meant(each, said) for each in question.unknown}
    if "" in meant.values():
        # The record cannot answer a question about a name it does not contain.
        return []
    terms = frozenset(meant.get(each, each) for each in question.terms)
    weights = _weights(question.names, terms, read)
    if not weights:
        return []
    covered = [_covered(each, weights) for each in read]
    worth = [_worth(each, covers) for each, covers in zip(read, covered, strict=True)]
    found = [
        RankedPassage(at, is_weak=_is_weak(question.names, terms, each))
        for at, each in enumerate(read)
        if covered[at] >= _LEAST
    ]
    return sorted(found, key=lambda each: -worth[each.at])


def _is_weak(names: frozenset[str], terms: frozenset[str], read: _Read) -> bool:
    has_name = not names or not names.isdisjoint(read.names | read.asked)
    has_word = not terms or not terms.isdisjoint(read.terms | read.asked)
    return not (has_name and has_word)


def _meant(term: str, said: frozenset[str]) -> str:
    """The matching word in the record, perhaps with a typo; "" if there is none."""
    if term in said:
        return term
    near = (each for each in said if abs(len(each) - len(term)) <= _MOST_SLIPS)
    return next((each for each in sorted(near) if OSA.distance(each, term) <= len(term) // 5), "")


def _read(candidate: PassageCandidate, question: CampaignQuestion, index: MentionIndex) -> _Read:
    names, asked = (
        frozenset(each.id for each in index.find(text)) if question.names else frozenset[str]()
        for text in (candidate.text, candidate.answers)
    )
    return _Read(candidate, names, frozenset(terms_of(candidate.text)), asked | frozenset(terms_of(candidate.answers)))


def _weights(names: frozenset[str], terms: frozenset[str], read: Sequence[_Read]) -> Mapping[str, float]:
    """Weights of the question's terms: a term that all passages share does not distinguish them."""
    held = Counter(name for each in read for name in each.names & names)
    held.update(term for each in read for term in each.terms & terms)
    rarest = math.log(2 + len(read))
    rare = {each: math.log((2 + len(read)) / (1 + held[each])) / rarest for each in (*names, *terms)}
    return {each: 0.2 + rare[each] * (_NAME_WEIGHT if each in names else 1.0) for each in rare}


def _covered(read: _Read, weights: Mapping[str, float]) -> float:
    told = sum(weight for each, weight in weights.items() if each in read.names or each in read.terms)
    asked = sum(weight for each, weight in weights.items() if each in read.asked - read.names - read.terms)
    return (told + _OF_QUESTION * asked) / sum(weights.values())


def _worth(read: _Read, covered: float) -> float:
    """Final score: prefers statements to questions, and among equals the shorter one."""
    short = 1 / (1 + len(read.terms) / 40)
    it = read.candidate
    told = 0.15 * it.is_told + 0.2 * it.is_note
    return covered + 0.6 * it.found + 0.6 * short + told - 0.4 * read.is_question
