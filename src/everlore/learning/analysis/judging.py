"""Which memories of an analysis may be kept (W1, W2, F4, F5). Pure.

In: what a model found in a conversation, and what was said in it, by the user and by all. Out: candidates, and why
the others are refused. What only the user can say of themselves must stand in the user's own words: that an
assistant said it is no evidence (F1). A fact about the user passes what every such fact passes, held against the
messages that come nearest to it. A model's own confidence counts for little, so our evidence bounds it.

Start at `ears_of` and `judged`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from everlore.domain.memory import MemoryType
from everlore.domain.reading import Filter, Refusal
from everlore.domain.words import query_terms, terms_of
from everlore.learning.candidate import Candidate, Source, Turn
from everlore.learning.clauses import Mood
from everlore.learning.facts import filters
from everlore.learning.facts.checks import unsupported
from everlore.learning.facts.quotes import Evidence, find_evidence
from everlore.learning.segments.transcript import Line
from everlore.learning.segments.vetting import Told, refusal_of, sentences_of, telling_words, told_in, unheard_of

_LEAST_CONFIDENCE = filters.LEAST_CONFIDENCE
# A statement all of whose words were said is worth this much more than one that is only fair.
_FOR_WORDS = 0.25
_LEAST_SHARE = 0.5
# What only the user can say of themselves. What the persons went through together, all of them have told.
_OF_ONE = frozenset({MemoryType.FACT, MemoryType.PROJECT, MemoryType.STORY})
_USER = "User"
_MOST_TERMS = 100
# How many of the user's messages a fact is held against, and how many earlier ones say who "she" is (F8).
_NEAREST = 5
_BEFORE = 6
_ASSISTANT = re.compile(r"(?:the )?(?:assistant|ai|chatbot|bot)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"(?:the user|user)(?=\b|['’])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ears:
    """What was heard from everybody, and from the user alone. `called`: what the user is called, longest first;
    `terms`: the stems of each line, where the user says it."""

    lines: tuple[Line, ...]
    terms: Mapping[int, frozenset[str]]
    all: Told
    users: Told
    called: tuple[str, ...]
    assistants: tuple[str, ...]

    def nearest(self, content: str) -> list[Source]:
        """The user's messages that share the most words with it."""
        words = frozenset(query_terms(content, _MOST_TERMS))
        shared = {at: len(words & terms) for at, terms in self.terms.items()}
        best = sorted((at for at in shared if shared[at]), key=lambda at: (shared[at], at), reverse=True)
        return [self._source(at) for at in best[:_NEAREST]]

    def _source(self, at: int) -> Source:
        line = self.lines[at]
        before = (Turn(each.is_user, each.name, each.text) for each in self.lines[max(at - _BEFORE, 0) : at])
        return Source(
            content=line.own_text,
            at=line.message.created_at,
            assistants=self.assistants,
            user_name=line.name,
            before=tuple(before),
        )


def ears_of(lines: Sequence[Line], names: Mapping[str, str], setting: str = "") -> Ears:
    known = (*names.values(), *(line.name for line in lines), _USER, setting)
    own = {line.name for line in lines if line.is_user}
    return Ears(
        lines=tuple(lines),
        terms={at: frozenset(terms_of(line.own_text)) for at, line in enumerate(lines) if line.is_user},
        all=told_in((line.text for line in lines), known),
        users=told_in((line.own_text for line in lines if line.is_user), known),
        called=tuple(sorted(own - {_USER}, key=len, reverse=True)),
        assistants=tuple(dict.fromkeys(line.name for line in lines if not line.is_user)),
    )


def judged(
    found: Iterable[Candidate | Refusal], ears: Ears, types: Sequence[MemoryType]
) -> tuple[list[Candidate], list[Refusal]]:
    kept: list[Candidate] = []
    refused: list[Refusal] = []
    for each in found:
        settled_as = each if isinstance(each, Refusal) else _settled(each, ears, types)
        if isinstance(settled_as, Refusal):
            refused.append(settled_as)
        else:
            kept.append(settled_as)
    return kept, refused


def borne_out(summary: str, told: Told) -> tuple[str, list[Refusal]]:
    """The sentences of a summary that hold nothing made up, and why the others are refused. That somebody spoke of
    something is no memory, but it is what a summary of a talk says."""
    against = [(each, refusal_of(each, told, may_be_talk=True)) for each in sentences_of(summary)] if summary else []
    return " ".join(each for each, refusal in against if refusal is None), [each for _, each in against if each]


def _settled(candidate: Candidate, ears: Ears, types: Sequence[MemoryType]) -> Candidate | Refusal:
    """As certain as its support allows, or why it is refused."""
    against = _against(candidate, types) or refusal_of(candidate.content, ears.all)
    if against is not None:
        return against
    present = tuple(name for name in candidate.participants if ears.all.knows(name))
    candidate = replace(candidate, participants=present)
    # What the user is called by in it does not matter to those who judge facts about users.
    as_user = _as_user(candidate.content, ears)
    if as_user is None or candidate.type not in _OF_ONE:
        return _bounded(candidate, ears.all)
    if candidate.type is MemoryType.FACT:
        return _fact_of_user(candidate, as_user, ears)
    return _against_of_user(candidate, ears) or _bounded(candidate, ears.users)


def _against(candidate: Candidate, types: Sequence[MemoryType]) -> Refusal | None:
    content = candidate.content
    if candidate.type not in types:
        return Refusal(content, Filter.WRONG_TYPE, f"{candidate.type.value} was not asked for")
    if candidate.confidence < _LEAST_CONFIDENCE:
        return Refusal(content, Filter.LOW_CONFIDENCE, f"{candidate.confidence:.2f}")
    if _ASSISTANT.match(content):
        return Refusal(content, Filter.ASSISTANT_FACT, "it is about whom the model plays")
    return None


def _as_user(content: str, ears: Ears) -> str | None:
    """The statement with "User" for its subject, where that is the user; None where it is somebody else."""
    found = _SUBJECT.match(content)
    if found:
        return _USER + content[found.end() :]
    name = next((each for each in ears.called if content.startswith(each)), None)
    return None if name is None or content[len(name) :][:1].isalnum() else _USER + content[len(name) :]


def _fact_of_user(candidate: Candidate, as_user: str, ears: Ears) -> Candidate | Refusal:
    """Whichever of the user's messages bears it out; where none does, why the nearest does not."""
    refused: list[Refusal] = []
    asked = replace(candidate, content=as_user)
    for source in ears.nearest(as_user):
        evidence = find_evidence(asked, source)
        found = unsupported(asked, source, evidence) or _not_stated(asked, evidence)
        if found is None:
            return _against_of_user(candidate, ears) or _bounded(candidate, ears.users)
        refused.append(found)
    first = refused[0] if refused else Refusal("", Filter.UNGROUNDED, "the user said no word of it")
    return replace(first, content=candidate.content)


def _not_stated(candidate: Candidate, evidence: Evidence) -> Refusal | None:
    """Nobody asks again who reads a whole talk: what is only asked or supposed does not count here."""
    if evidence.mood is Mood.STATES:
        return None
    return Refusal(candidate.content, Filter.NOT_STATED, f"“{evidence.words}” is no statement of the user’s")


def _against_of_user(candidate: Candidate, ears: Ears) -> Refusal | None:
    unheard = unheard_of(candidate.content, ears.users)
    if unheard:
        return Refusal(candidate.content, Filter.UNGROUNDED, f"the user did not say {unheard}")
    if ears.users.share(telling_words(candidate.content, ears.users)) < _LEAST_SHARE:
        return Refusal(candidate.content, Filter.UNGROUNDED, "hardly a word of it is the user's")
    return None


def _bounded(candidate: Candidate, told: Told) -> Candidate:
    most = _LEAST_CONFIDENCE + _FOR_WORDS * told.share(telling_words(candidate.content, told))
    return replace(candidate, confidence=round(min(candidate.confidence, most), 3))
