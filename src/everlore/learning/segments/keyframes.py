"""Forms the results of a segment: a keyframe, and a limited number of memories (K1, K1b, K2).

In: the messages since the last keyframe, a model or none, and the conversation's rules. Out: candidates, and refusals
with reasons. Nothing here writes. The model gets two prompts, for a summary and for memories; `answers.py` has them and
reads the answers. Without a model nothing is formed. A segment in which nothing happens, or a character repeats itself
(V15), is skipped.

Start at `keyframe_of`; `segment_bounds` and `room_for` say when, and how much; `is_trivial` finds segments with nothing
but greetings, thanks, the weather and one-word lines, so that no model is asked about those.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from everlore.domain.config import ConversationConfig
from everlore.domain.config_choices import ExtractionStyle
from everlore.domain.conversation import Message, said_by
from everlore.domain.memory import MemoryType
from everlore.domain.reading import Filter, Refusal
from everlore.domain.weight import IMPORTANT
from everlore.domain.words import query_terms, terms_of
from everlore.language.lists import listed
from everlore.learning.asking import asked
from everlore.learning.candidate import Asker, Candidate
from everlore.learning.facts.translations import is_english
from everlore.learning.segments.answers import (
    MOST_ASPECTS,
    read_aspects,
    read_memories,
    read_summary,
    segment_ask,
    summary_ask,
)
from everlore.learning.segments.transcript import (
    ESTIMATE,
    TranscriptLine,
    as_block,
    fitted,
    lines_of,
    room_in,
)
from everlore.learning.segments.vetting import SaidWords, borne_out, refusal_of, sifted, told_in

# Weights: passing remarks of users about themselves count 3; statements about their people or plans 4.
_IN_PASSING, _TELLS = 3, 4
_FEW_TOLD = 2
_TOLD_SHARE = 0.2
# Distinct words besides small talk: for the shortest segment, and per message for longer ones.
_FEW_WORDS = 1
_WORDS_EACH = 0.25
_MOST_READ = 20_000
_MOST_TERMS = 2_000
_SAYS_NOTHING = 0.7

_SMALL_STEMS = frozenset(terms_of(" ".join(listed("talk.small_talk"))))


def is_trivial(messages: Sequence[Message]) -> bool:
    lines = lines_of(messages, {})
    # Messages of agents or tools to the character say nothing about the user's life.
    if not any(line.is_user for line in lines) and (not lines or any(said_by(line.message) for line in lines)):
        return True
    weights = [line.weight for line in lines]
    if max(weights) >= IMPORTANT:
        return False
    if not is_english(" ".join(line.text for line in lines)):
        return weights.count(0) >= _SAYS_NOTHING * len(weights)
    told = weights.count(_IN_PASSING) + 2 * weights.count(_TELLS)
    is_small_talk = len(_words_beyond(lines)) <= max(_FEW_WORDS, _WORDS_EACH * len(lines))
    return is_small_talk and told <= max(_FEW_TOLD, _TOLD_SHARE * len(weights))


def _words_beyond(lines: Sequence[TranscriptLine]) -> set[str]:
    """Words besides small talk; laughter and groans have at most two different letters."""
    stems = {stem for line in lines for stem in query_terms(line.text[:_MOST_READ], _MOST_TERMS)}
    return {stem for stem in stems - _SMALL_STEMS if len(set(stem)) > 2}


RULES = "rules"
# Fewer than 5 per 50 messages, keyframes included; at the beginning a keyframe and one memory (K2).
_MOST_FORMED = 4
_PER_MESSAGES = 50
_AT_FIRST = 2

_WINDOW_TOKENS = 8_192
# Tokens reserved for the instructions and the answer, including a reasoning model's thoughts.
_INSTRUCTION_TOKENS = 1_200
ANSWER_TOKENS = 1_500

_SUMMARY_CONFIDENCE = 0.9
_MEMORY_CONFIDENCE = 0.85
_LEAST_IMPORTANT, _MOST_IMPORTANT = 3, 8
# Models overrate importance, so a memory may exceed its most important message by at most this.
_ABOVE_WEIGHT = 3
_UNUSABLE = Refusal("", Filter.BAD_SHAPE, "the answer was not the JSON that was asked for")
_VARIABLE = re.compile(r"\{\{\s{0,9}(\w{1,40})\s{0,9}\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """`names`: of the people, by id. `replies_echo`: the character repeated itself."""

    messages: tuple[Message, ...]
    names: Mapping[str, str]
    setting: str = ""
    replies_echo: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentRules:
    """A conversation's settings for segments. `room`: how many more memories it may have, keyframe included;
    `with_memories`: False for segments that form only a keyframe."""

    types: tuple[MemoryType, ...]
    most: int = 1
    style: ExtractionStyle = ExtractionStyle.SINGLE
    instructions: str = ""
    room: int = _AT_FIRST
    with_memories: bool = True
    context_window: int = _WINDOW_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyframe:
    """`summary`: has the type OUTCOME."""

    summary: Candidate | None = None
    memories: tuple[Candidate, ...] = ()
    refused: tuple[Refusal, ...] = ()
    model: str = RULES

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return (self.summary, *self.memories) if self.summary else self.memories


def rules_of(config: ConversationConfig, *, room: int = _AT_FIRST, segment_number: int = 1) -> SegmentRules:
    """`segment_number`: 1 for the first segment of the conversation."""
    return SegmentRules(
        # Only keyframes have this type (M2).
        types=tuple(each for each in config.extraction_types() if each is not MemoryType.OUTCOME),
        most=_most_of(config),
        style=config.extraction_style,
        instructions=config.memory_extraction_prompt.strip(),
        room=room,
        with_memories=segment_number % config.memory_extraction_every == 0,
        context_window=config.context_window or _WINDOW_TOKENS,
    )


def segment_bounds(
    last_read_seq: int, newest_seq: int, every: int, formed: int = 0, own: int | None = None
) -> tuple[int, int] | None:
    """The first and last number of the segment that is due, or None.

    `formed`: how many memories the conversation's segments have formed. Without room for another one, the segment is
    extended, so that no message is skipped.
    """
    if every <= 0:
        return None
    for last in range(last_read_seq + every, newest_seq + 1, every):
        if room_for(last, formed, own) > 0:
            return last_read_seq + 1, last
    return None


def own_room(config: ConversationConfig) -> int | None:
    """How many memories a segment may form by the conversation's own settings, keyframe included; None if it has none,
    and the default applies (K2)."""
    is_own = "memory_extraction_max_per_segment" in config.model_fields_set
    return _most_of(config) + 1 if is_own or config.extraction_style is ExtractionStyle.ASPECTS else None


def room_for(message_count: int, formed: int, own: int | None = None) -> int:
    """How many more memories a conversation of this length may have, keyframes included (K2). `own`: the conversation's
    own limit per segment, if it has one."""
    if message_count <= 0:
        return 0
    if own is not None:
        return own
    return max(max(_AT_FIRST, message_count * _MOST_FORMED // _PER_MESSAGES) - formed, 0)


async def keyframe_of(segment: Segment, asker: Asker | None, rules: SegmentRules) -> Keyframe | None:
    """None without a model, or if the segment is not worth reading: then no model was asked."""
    lines = readable(segment)
    if asker is None or not lines or rules.room <= 0:
        return None
    taken = _INSTRUCTION_TOKENS + ESTIMATE(rules.instructions) + ANSWER_TOKENS
    block = as_block(fitted(lines, room_in(rules.context_window, taken), ESTIMATE), setting=segment.setting)
    answer = await asked(
        asker, summary_ask(block, ANSWER_TOKENS, rules.context_window), read_summary, what="summary of a segment"
    )
    told = told_by(segment, lines)
    text, refused = ("", (_UNUSABLE,)) if answer is None else borne_out(answer, told, may_be_talk=False)
    keyframe = Keyframe(summary=_outcome(text, lines) if text else None, refused=refused, model=asker.name)
    # If the summary is empty, nothing happened, but a model would invent memories all the same.
    is_empty = not text and not refused
    if is_empty or not rules.with_memories or rules.room <= len(keyframe.candidates):
        return keyframe
    read = read_memories if rules.style is ExtractionStyle.SINGLE else read_aspects
    ask = segment_ask(rules.style, rules.types, rules.most, _filled(rules.instructions, segment, lines), block)
    ask = replace(ask, max_tokens=ANSWER_TOKENS, context_window=rules.context_window)
    found = await asked(asker, ask, read, what="memories of a segment")
    memories, against = _chosen([_UNUSABLE] if found is None else found, segment, lines, rules, keyframe)
    return replace(keyframe, memories=memories, refused=(*refused, *against))


def readable(segment: Segment) -> tuple[TranscriptLine, ...]:
    """The lines to read, in order; empty if the segment is trivial, or a character repeats itself."""
    if segment.replies_echo or is_trivial(segment.messages):
        return ()
    return lines_of(segment.messages, segment.names)


def told_by(segment: Segment, lines: Sequence[TranscriptLine], *, own: bool = False) -> SaidWords:
    """`own`: without text that the user only passed on. Summaries may mention that, memories may not use it."""
    names = (*segment.names.values(), *(line.name for line in lines))
    return told_in((line.own_text if own else line.text for line in lines), (*names, segment.setting))


def _filled(instructions: str, segment: Segment, lines: Sequence[TranscriptLine]) -> str:
    """The conversation's own instructions with the segment's names filled in for their variables."""
    values = {
        "systemCharName": ", ".join(dict.fromkeys(line.name for line in lines if not line.is_user)),
        "userCharName": ", ".join(dict.fromkeys(line.name for line in lines if line.is_user)),
        "setting": segment.setting or "not given",
        "conversationSegment": "(see the block below)",
    }
    return _VARIABLE.sub(lambda found: values.get(found[1], found[0]), instructions)


def _chosen(
    found: Sequence[Candidate | Refusal],
    segment: Segment,
    lines: Sequence[TranscriptLine],
    rules: SegmentRules,
    keyframe: Keyframe,
) -> tuple[tuple[Candidate, ...], tuple[Refusal, ...]]:
    """The accepted memories, most important first, and the refusals. Refused ones do not count towards the limit."""
    kept, refused = sifted(found, partial(_against, told=told_by(segment, lines, own=True), rules=rules))
    fit = sorted((_weighed(each, lines) for each in kept), key=lambda candidate: -(candidate.importance or 0))
    most = max(min(rules.most, rules.room - len(keyframe.candidates)), 0)
    over = [Refusal(each.content, Filter.OVER_THE_CAP, f"at most {most} of this segment") for each in fit[most:]]
    return tuple(fit[:most]), (*refused, *over)


def _against(candidate: Candidate, told: SaidWords, rules: SegmentRules) -> Refusal | None:
    if candidate.type not in rules.types:
        return Refusal(candidate.content, Filter.WRONG_TYPE, f"{candidate.type.value} was not asked for")
    return refusal_of(candidate.content, told)


def _weighed(candidate: Candidate, lines: Sequence[TranscriptLine]) -> Candidate:
    most = _heaviest(lines) + _ABOVE_WEIGHT
    return replace(
        candidate,
        confidence=_MEMORY_CONFIDENCE,
        importance=None if candidate.importance is None else max(min(candidate.importance, most), 1),
        participants=_participants(candidate.content, lines),
    )


def _outcome(content: str, lines: Sequence[TranscriptLine]) -> Candidate:
    return Candidate(
        content=content,
        type=MemoryType.OUTCOME,
        confidence=_SUMMARY_CONFIDENCE,
        importance=max(min(_heaviest(lines), _MOST_IMPORTANT), _LEAST_IMPORTANT),
        reasoning="summary of a segment",
        participants=_participants(content, lines),
    )


def _participants(content: str, lines: Sequence[TranscriptLine]) -> tuple[str, ...]:
    """The speakers named in it; all speakers if it names none."""
    speaking = tuple(dict.fromkeys(line.name for line in lines))
    words = set(terms_of(content))
    named = tuple(name for name in speaking if words.intersection(terms_of(name)))
    return named or speaking


def _heaviest(lines: Sequence[TranscriptLine]) -> int:
    return max((line.weight for line in lines), default=0)


def _most_of(config: ConversationConfig) -> int:
    is_set = "memory_extraction_max_per_segment" in config.model_fields_set
    if config.extraction_style is ExtractionStyle.ASPECTS and not is_set:
        return MOST_ASPECTS
    return config.memory_extraction_max_per_segment
