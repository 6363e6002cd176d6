"""The question about a whole conversation, or a part of a long one, and the reading of its answer (W1, W2).

In: a block with the talk, and the profile that says which kinds of memory are asked for. Out: an `Ask`; of its answer,
a `AnalysisPart`. Everything in an answer is bounded, and what has the wrong shape is left out or refused, item by item.

Start at `analysis_ask` and `read_part`.
"""

from dataclasses import dataclass, fields
from typing import Any

from everlore.domain.analysis import Analysis
from everlore.domain.bounds import Json
from everlore.domain.memory import MemoryType
from everlore.domain.reading import Filter, Refusal
from everlore.learning.analysis.profiles import Profile, described, types_of
from everlore.learning.answers import line_in, list_in, member_in, share_in, texts_in
from everlore.learning.asking import NUMBER, TEXT, instructions, list_of, object_of, one_of
from everlore.learning.candidate import Candidate
from everlore.models.chat import Ask, Said

TEMPERATURE = 0.2
MOST_MEMORIES = 12
# Twelve memories with all their fields, and room for a model that thinks first.
_ANSWER_TOKENS = 4_000
_MOST_CONTENT = 1_000
_MOST_SUMMARY = 2_000
_MOST_WORDS = 120
_MOST_THEMES, _MOST_STEPS, _MOST_PERSONS, _MOST_TOPICS, _MOST_MOMENTS = 5, 6, 20, 8, 3
_BY_NAME = 'The person named under "user" is called by that name'
_AS_USER = 'The person named under "user" is called "User"'


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisAccount:
    """What a conversation, or a part of it, came to as a whole."""

    summary: str = ""
    themes: tuple[str, ...] = ()
    tone: str = ""
    emotional_arc: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    key_topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisPart(AnalysisAccount):
    """What one answer says, before anything of it is believed."""

    found: tuple[Candidate | Refusal, ...] = ()


def account_in(given: AnalysisAccount | Analysis) -> dict[str, Any]:
    """The fields of an account, as keyword arguments."""
    return {each.name: getattr(given, each.name) for each in fields(AnalysisAccount)}


def answer_tokens(context_window: int) -> int:
    """How much of the window the answer may take."""
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


def read_part(value: object) -> AnalysisPart | None:
    """None where it is not the object that was asked for: one with memories and a summary."""
    items = list_in(value, "memories") if isinstance(value, dict) else None
    summary = line_in(value.get("summary"), _MOST_SUMMARY) if isinstance(value, dict) else None
    if not isinstance(value, dict) or items is None or summary is None:
        return None
    return AnalysisPart(
        # What is behind them was not asked for, and is not the most important.
        found=tuple(_memory(item) for item in items[:MOST_MEMORIES]),
        summary=summary,
        themes=texts_in(value.get("themes"), _MOST_THEMES, _MOST_WORDS),
        tone=line_in(value.get("tone"), _MOST_WORDS) or "",
        emotional_arc=texts_in(value.get("emotional_arc"), _MOST_STEPS, _MOST_WORDS),
        participants=texts_in(value.get("participants"), _MOST_PERSONS, _MOST_WORDS),
        key_topics=texts_in(value.get("key_topics"), _MOST_TOPICS, _MOST_WORDS),
    )


def _memory(item: object) -> Candidate | Refusal:
    given = item if isinstance(item, dict) else {}
    content = line_in(given.get("content"), _MOST_CONTENT)
    if not content:
        return Refusal("", Filter.BAD_SHAPE, "it has no content")
    kind = member_in(MemoryType, given.get("type"))
    if kind is None:
        return Refusal(content, Filter.WRONG_TYPE, f"no type: {str(given.get('type'))[:_MOST_WORDS]}")
    confidence = share_in(given.get("confidence"))
    if confidence is None:
        return Refusal(content, Filter.BAD_SHAPE, "its confidence is no number from 0 to 1")
    return Candidate(
        content=content,
        type=kind,
        confidence=confidence,
        reasoning=line_in(given.get("reasoning"), _MOST_CONTENT) or "",
        emotional_weight=share_in(given.get("emotional_weight")) or 0.0,
        participants=texts_in(given.get("participants"), _MOST_PERSONS, _MOST_WORDS),
        key_moments=texts_in(given.get("key_moments"), _MOST_MOMENTS, _MOST_WORDS),
    )


def _schema(profile: Profile) -> Json:
    memory = object_of(
        content=TEXT,
        type=one_of(each.value.lower() for each in types_of(profile)),
        confidence=NUMBER,
        reasoning=TEXT,
        emotional_weight=NUMBER,
        participants=list_of(TEXT, _MOST_PERSONS),
        key_moments=list_of(TEXT, _MOST_MOMENTS),
    )
    return object_of(
        memories=list_of(memory, MOST_MEMORIES),
        summary=TEXT,
        themes=list_of(TEXT, _MOST_THEMES),
        tone=TEXT,
        emotional_arc=list_of(TEXT, _MOST_STEPS),
        participants=list_of(TEXT, _MOST_PERSONS),
        key_topics=list_of(TEXT, _MOST_TOPICS),
    )
