"""The prompt for analysing a conversation, or a part of a long one, and the reader of its answer (W1, W2).

In: a block with the conversation, and the profile (also called immersion level): how much a character remembers. Out:
an `Ask`; of its answer, an `Analysed`. All sizes are limited, and items of the wrong shape are refused one by one.
Start at `analysis_ask` and `read_part`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from everlore.domain.analysis import Analysis
from everlore.domain.bounds import Json
from everlore.domain.memory import MemoryType
from everlore.domain.reading import Filter, Refusal
from everlore.learning.answers import line_in, list_in, share_in, texts_in
from everlore.learning.asking import NUMBER, TEXT, instructions, list_of, object_of, one_of
from everlore.learning.candidate import Candidate
from everlore.learning.segments.answers import statement_in
from everlore.models.chat import Ask, Said

TEMPERATURE = 0.2
MOST_MEMORIES = 12
# Twelve memories with all fields, and room for a reasoning model's thoughts.
_ANSWER_TOKENS = 4_000
_MOST_CONTENT = 1_000
_MOST_SUMMARY = 2_000
_MOST_WORDS = 120
# The list fields of an analysis, and the maximum number of items in each.
LISTS = {"themes": 5, "emotional_arc": 6, "participants": 20, "key_topics": 8}
_MOST_MOMENTS = 3
_BY_NAME = 'The person named under "user" is called by that name'
_AS_USER = 'The person named under "user" is called "User"'


class Profile(StrEnum):
    MINIMAL = "minimal"
    BALANCED = "balanced"
    FULL = "full"
    UNBOUNDED = "unbounded"


# Memory types in order; each profile takes one type more than the one before it.
_KINDS = (
    (MemoryType.FACT, "what is so: names, homes, work, tastes, what somebody stated"),
    (MemoryType.PROJECT, "what somebody is working on, plans or wants to reach"),
    (MemoryType.EXPERIENCE, "what the persons did or went through together in this conversation"),
    (MemoryType.STORY, "what somebody told of their past, if it means something to them"),
    (MemoryType.RELATIONSHIP, "how trust, closeness or distance between the persons has changed"),
)
_HOW_MANY = {Profile.MINIMAL: 2, Profile.BALANCED: 3, Profile.FULL: 4, Profile.UNBOUNDED: 5}


def profile_of(*wanted: str) -> Profile:
    """The first of these names that is a profile: the conversation's setting, then the character's."""
    names = (name.strip().lower() for name in wanted)
    return next((Profile(name) for name in names if name in set(Profile)), Profile.BALANCED)


def types_of(profile: Profile) -> tuple[MemoryType, ...]:
    return tuple(kind for kind, _ in _KINDS[: _HOW_MANY[profile]])


def described(profile: Profile) -> str:
    """The wanted types with descriptions, as lines of the prompt."""
    return "\n".join(f"  {kind.value.lower()}: {meaning}" for kind, meaning in _KINDS[: _HOW_MANY[profile]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysed:
    """The analysis of a conversation or a part of it: summary, lists, memories, and refusals.

    `digest` and `last_seq` say what was read, as `Analysis` stores it; without a digest (a part had no usable answer)
    it is read again the next time. `parts`: the number of prompts."""

    summary: str = ""
    themes: tuple[str, ...] = ()
    tone: str = ""
    emotional_arc: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    key_topics: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    refused: tuple[Refusal, ...] = ()
    digest: str = ""
    last_seq: int = 0
    model: str = ""
    parts: int = 1


def account_in(given: Analysed | Analysis) -> dict[str, Any]:
    """The fields of the account, as keyword arguments."""
    return {name: getattr(given, name) for name in ("summary", "tone", *LISTS)}


def answer_tokens(context_window: int) -> int:
    """The share of the context window reserved for the answer."""
    return min(_ANSWER_TOKENS, context_window // 4)


def analysis_ask(block: str, profile: Profile, context_window: int, *, user_by_name: bool) -> Ask:
    system = instructions(
        "analysis",
        kinds=described(profile),
        names=", ".join(each.value.lower() for each in types_of(profile)),
        most=str(MOST_MEMORIES),
        calling=_BY_NAME if user_by_name else _AS_USER,
    )
    return Ask(
        messages=(Said("system", system), Said("user", block)),
        temperature=TEMPERATURE,
        max_tokens=answer_tokens(context_window),
        schema=_schema(profile),
        context_window=context_window,
    )


def read_part(value: object) -> Analysed | None:
    """The parsed answer, before any check of its content. None if it is not the requested object."""
    given: Mapping[str, object] = value if isinstance(value, dict) else {}
    items, summary = list_in(given, "memories"), line_in(given.get("summary"), _MOST_SUMMARY)
    if items is None or summary is None:
        return None
    # Later items exceed the requested number, and are the less important ones.
    found = [_memory(item) for item in items[:MOST_MEMORIES]]
    lists: dict[str, Any] = {name: texts_in(given.get(name), most, _MOST_WORDS) for name, most in LISTS.items()}
    return Analysed(
        summary=summary,
        tone=line_in(given.get("tone"), _MOST_WORDS) or "",
        candidates=tuple(each for each in found if isinstance(each, Candidate)),
        refused=tuple(each for each in found if isinstance(each, Refusal)),
        **lists,
    )


def _memory(item: object) -> Candidate | Refusal:
    read = statement_in(item)
    if isinstance(read, Refusal):
        return read
    given, content, kind = read
    confidence = share_in(given.get("confidence"))
    if confidence is None:
        return Refusal(content, Filter.BAD_SHAPE, "its confidence is no number from 0 to 1")
    return Candidate(
        content=content,
        type=kind,
        confidence=confidence,
        reasoning=line_in(given.get("reasoning"), _MOST_CONTENT) or "",
        emotional_weight=share_in(given.get("emotional_weight")) or 0.0,
        participants=texts_in(given.get("participants"), LISTS["participants"], _MOST_WORDS),
        key_moments=texts_in(given.get("key_moments"), _MOST_MOMENTS, _MOST_WORDS),
    )


def _schema(profile: Profile) -> Json:
    memory = object_of(
        content=TEXT,
        type=one_of(each.value.lower() for each in types_of(profile)),
        confidence=NUMBER,
        reasoning=TEXT,
        emotional_weight=NUMBER,
        participants=list_of(TEXT, LISTS["participants"]),
        key_moments=list_of(TEXT, _MOST_MOMENTS),
    )
    lists = {name: list_of(TEXT, most) for name, most in LISTS.items()}
    return object_of(memories=list_of(memory, MOST_MEMORIES), summary=TEXT, tone=TEXT, **lists)
