"""Which memories of an analysis may be kept (W1, W2, F4, F5). Pure.

In: what a model found in a conversation, and what was said in it, by the user and by all. Out: candidates, and why
the others are refused. What only the user can say of themselves must stand in the user's own words: that an
assistant said it is no evidence (F1). A fact about the user passes what every such fact passes, held against the
messages that come nearest to it. A model's own confidence counts for little, so our evidence bounds it.

Start at `heard_in` and `judged`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from everlore.domain.memory import MemoryType
from everlore.domain.reading import Filter, Refusal
from everlore.domain.words import query_terms, terms_of
from everlore.learning.candidate import Candidate, EarlierMessage, Source
from everlore.learning.clauses import Mood
from everlore.learning.facts.checks import unsupported
from everlore.learning.facts.filters import LEAST_CONFIDENCE
from everlore.learning.facts.quotes import find_evidence
from everlore.learning.readings import BEFORE
from everlore.learning.segments.transcript import TranscriptLine
from everlore.learning.segments.vetting import SaidWords, refusal_of, telling_words, told_in, unheard_of

# A statement all of whose words were said is worth this much more than one that is only fair.
_FOR_WORDS = 0.25
_LEAST_SHARE = 0.5
# What only the user can say of themselves. What the persons went through together, all of them have told.
_OF_ONE = frozenset({MemoryType.FACT, MemoryType.PROJECT, MemoryType.STORY})
_USER = "User"
_MOST_TERMS = 100
# How many of the user's messages a fact is held against.
_NEAREST = 5
_ASSISTANT = re.compile(r"(?:the )?(?:assistant|ai|chatbot|bot)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heard:
    """What was heard from everybody, and from the user alone. `subject`: what the user is called by in a statement."""

    lines: tuple[TranscriptLine, ...]
    all: SaidWords
    users: SaidWords
    subject: re.Pattern[str]
    assistants: tuple[str, ...]

    def nearest(self, content: str) -> list[Source]:
        """The user's messages that share the most words with it."""
        words = frozenset(query_terms(content, _MOST_TERMS))
        own = [(at, line) for at, line in enumerate(self.lines) if line.is_user]
        shared = [(len(words.intersection(terms_of(line.own_text))), at) for at, line in own]
        return [self._source(at) for count, at in sorted(shared, reverse=True)[:_NEAREST] if count]

    def _source(self, at: int) -> Source:
        line = self.lines[at]
        before = [EarlierMessage(each.is_user, each.name, each.text) for each in self.lines[max(at - BEFORE, 0) : at]]
        return Source(
            content=line.own_text,
            at=line.message.created_at,
            assistants=self.assistants,
            user_name=line.name,
            before=before,
        )


def heard_in(lines: Sequence[TranscriptLine], names: Mapping[str, str], setting: str = "") -> Heard:
    own = [line for line in lines if line.is_user]
    known = (*names.values(), *(line.name for line in lines), _USER, setting)
    called = "|".join(sorted({re.escape(line.name) for line in own} - {_USER}, key=len, reverse=True))
    return Heard(
        lines=tuple(lines),
        all=told_in((line.text for line in lines), known),
        users=told_in((line.own_text for line in own), known),
        subject=re.compile(rf"(?:(?i:(?:the )?user){f'|{called}' if called else ''})(?!\w)"),
        assistants=tuple(dict.fromkeys(line.name for line in lines if not line.is_user)),
    )


def judged(
    found: Iterable[Candidate | Refusal], heard: Heard, types: Sequence[MemoryType]
) -> tuple[list[Candidate], list[Refusal]]:
    kept: list[Candidate] = []
    refused: list[Refusal] = []
    for each in found:
        against = each if isinstance(each, Refusal) else _against(each, heard, types)
        if against is not None:
            refused.append(against)
        elif isinstance(each, Candidate):
            present = tuple(name for name in each.participants if heard.all.knows(name))
            kept.append(replace(_bounded(each, heard), participants=present))
    return kept, refused


def _against(candidate: Candidate, heard: Heard, types: Sequence[MemoryType]) -> Refusal | None:
    content = candidate.content
    if candidate.type not in types:
        return Refusal(content, Filter.WRONG_TYPE, f"{candidate.type.value} was not asked for")
    if candidate.confidence < LEAST_CONFIDENCE:
        return Refusal(content, Filter.LOW_CONFIDENCE, f"{candidate.confidence:.2f}")
    if _ASSISTANT.match(content):
        return Refusal(content, Filter.ASSISTANT_FACT, "it is about whom the model plays")
    against = refusal_of(content, heard.all)
    if against is None and _is_of_user(candidate, heard):
        is_fact = candidate.type is MemoryType.FACT
        against = (_against_fact(candidate, heard) if is_fact else None) or _against_words(content, heard.users)
    return against


def _is_of_user(candidate: Candidate, heard: Heard) -> bool:
    return candidate.type in _OF_ONE and heard.subject.match(candidate.content) is not None


def _against_fact(candidate: Candidate, heard: Heard) -> Refusal | None:
    """None where any of the user's messages bears it out; else why the nearest does not."""
    # What the user is called by in it does not matter to those who judge facts about users.
    asked = replace(candidate, content=heard.subject.sub(_USER, candidate.content, count=1))
    refused = [_unsupported(asked, source) for source in heard.nearest(asked.content)]
    if None in refused:
        return None
    first = refused[0] if refused else None
    return replace(first or Refusal("", Filter.UNGROUNDED, "the user said no word of it"), content=candidate.content)


def _unsupported(asked: Candidate, source: Source) -> Refusal | None:
    """Nobody asks again who reads a whole talk: what is only asked or supposed does not count here."""
    evidence = find_evidence(asked, source)
    refusal = unsupported(asked, source, evidence)
    if refusal is None and evidence.mood is not Mood.STATES:
        return Refusal(asked.content, Filter.NOT_STATED, f"“{evidence.words}” is no statement of the user’s")
    return refusal


def _against_words(content: str, users: SaidWords) -> Refusal | None:
    unheard = unheard_of(content, users)
    if unheard:
        return Refusal(content, Filter.UNGROUNDED, f"the user did not say {unheard}")
    if users.share(telling_words(content, users)) < _LEAST_SHARE:
        return Refusal(content, Filter.UNGROUNDED, "hardly a word of it is the user's")
    return None


def _bounded(candidate: Candidate, heard: Heard) -> Candidate:
    told = heard.users if _is_of_user(candidate, heard) else heard.all
    most = LEAST_CONFIDENCE + _FOR_WORDS * told.share(telling_words(candidate.content, told))
    return replace(candidate, confidence=round(min(candidate.confidence, most), 3))
