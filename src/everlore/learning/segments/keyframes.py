"""Forms what stays of a segment of a talk: a keyframe, and at most so many memories beside it (K1, K1b, K2).

In: the messages since the last keyframe, a model or none, and the rules of the conversation. Out: candidates, and
what was refused and why. Nothing here writes. Two questions go to the model: for a summary, and for what is worth
remembering; `answers.py` has them and reads the answers. Without a model nothing is formed.
A segment in which nothing happens, or in which a character repeats itself (V15), is not read at all.

Start at `keyframe_of`; `segment_bounds` and `room_for` say when, and how much.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from everlore.domain.config import ConversationConfig
from everlore.domain.config_choices import ExtractionStyle
from everlore.domain.conversation import Message
from everlore.domain.memory import MemoryType
from everlore.domain.reading import Filter, Refusal
from everlore.domain.words import terms_of
from everlore.learning.asking import asked
from everlore.learning.candidate import Asker, Candidate
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
from everlore.learning.segments.trivial import is_trivial
from everlore.learning.segments.vetting import SaidWords, borne_out, refusal_of, sifted, told_in

RULES = "rules"
# Fewer than 5 for each 50 messages, keyframes included; and in the beginning a keyframe with one memory (K2).
_MOST_FORMED = 4
_PER_MESSAGES = 50
_AT_FIRST = 2

_WINDOW_TOKENS = 8_192
# What is kept of the window for the instructions and for the answer, also of a model that thinks first.
_INSTRUCTION_TOKENS = 1_200
ANSWER_TOKENS = 1_500

_SUMMARY_CONFIDENCE = 0.9
_MEMORY_CONFIDENCE = 0.85
_LEAST_IMPORTANT, _MOST_IMPORTANT = 3, 8
# A model calls everything important; a memory is at most so much more so than the weightiest message.
_ABOVE_WEIGHT = 3
_UNUSABLE = Refusal("", Filter.BAD_SHAPE, "the answer was not the JSON that was asked for")
_VARIABLE = re.compile(r"\{\{\s{0,9}(\w{1,40})\s{0,9}\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """`names`: those of the persons, by id. `replies_echo`: the character repeated itself in it."""

    messages: tuple[Message, ...]
    names: Mapping[str, str]
    setting: str = ""
    replies_echo: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentRules:
    """What a conversation's config says of its segments. `room`: how many memories it may still have, the keyframe
    included; `with_memories`: false for segments that leave only their keyframe."""

    types: tuple[MemoryType, ...]
    most: int = 1
    style: ExtractionStyle = ExtractionStyle.SINGLE
    instructions: str = ""
    room: int = _AT_FIRST
    with_memories: bool = True
    context_window: int = _WINDOW_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyframe:
    """`summary` is an OUTCOME."""

    summary: Candidate | None = None
    memories: tuple[Candidate, ...] = ()
    refused: tuple[Refusal, ...] = ()
    model: str = RULES

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return (self.summary, *self.memories) if self.summary else self.memories


def rules_of(config: ConversationConfig, *, room: int = _AT_FIRST, segment_number: int = 1) -> SegmentRules:
    """`segment_number`: 1 for the first one of the conversation."""
    return SegmentRules(
        # Those are for keyframes alone (M2).
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

    `formed`: the memories that the conversation's segments have left so far. Where there is no room for another one
    yet, the segment goes on: it becomes longer, and nothing in it is passed over.
    """
    if every <= 0:
        return None
    for last in range(last_read_seq + every, newest_seq + 1, every):
        if room_for(last, formed, own) > 0:
            return last_read_seq + 1, last
    return None


def own_room(config: ConversationConfig) -> int | None:
    """How many memories a segment leaves by the conversation's own wish, its keyframe included; None where it has
    none, and the usual measure holds (K2)."""
    is_own = "memory_extraction_max_per_segment" in config.model_fields_set
    return _most_of(config) + 1 if is_own or config.extraction_style is ExtractionStyle.ASPECTS else None


def room_for(message_count: int, formed: int, own: int | None = None) -> int:
    """How many more memories a conversation of so many messages may have, keyframes included (K2). `own`: what a
    segment may leave where the conversation itself says so; that is for each of them."""
    if message_count <= 0:
        return 0
    if own is not None:
        return own
    return max(max(_AT_FIRST, message_count * _MOST_FORMED // _PER_MESSAGES) - formed, 0)


async def keyframe_of(segment: Segment, asker: Asker | None, rules: SegmentRules) -> Keyframe | None:
    """None without a model, and where the segment is not worth reading: nobody was asked, and nothing was refused."""
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
    # Where nothing happened, says the model, it would find something worth remembering all the same.
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
    """What is read of it, in order; nothing where it is trivial, or where a character repeats itself."""
    if segment.replies_echo or is_trivial(segment.messages):
        return ()
    return lines_of(segment.messages, segment.names)


def told_by(segment: Segment, lines: Sequence[TranscriptLine], *, own: bool = False) -> SaidWords:
    """`own`: without what the user only handed over. A summary may speak of that, a memory may not rest on it."""
    names = (*segment.names.values(), *(line.name for line in lines))
    return told_in((line.own_text if own else line.text for line in lines), (*names, segment.setting))


def _filled(instructions: str, segment: Segment, lines: Sequence[TranscriptLine]) -> str:
    """Own instructions with the names of this segment in place of the variables that they may have."""
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
    """Those that may be kept, the most important first, and why the others may not. What is refused for itself takes
    nobody's place."""
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
    """Those who speak and are named in it; all who speak where it names none."""
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
