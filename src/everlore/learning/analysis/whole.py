"""Analyses a whole conversation: memories, a summary, themes, tone and topics (W1–W3).

In: its messages, a model, and the profile with the wanted kinds of memory. Out: an `Analysed`. Nothing here writes. A
long conversation is read in parts that fit the model's window, one after the other, and the parts are merged. If an
earlier analysis has read the beginning, and it is unchanged, only the rest is read (W3).

Facts about the user need the user's own words as evidence; an assistant's statement is none (F1). A model's own
confidence is capped by our evidence. Start at `analysis_of`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from everlore.domain.analysis import Analysis
from everlore.domain.conversation import Message
from everlore.domain.memory import MemoryType
from everlore.domain.reading import Filter, Refusal, digest_of
from everlore.domain.words import query_terms, terms_of
from everlore.learning.analysis.answers import (
    LISTS,
    Analysed,
    Profile,
    account_in,
    analysis_ask,
    answer_tokens,
    read_part,
    types_of,
)
from everlore.learning.asking import asked
from everlore.learning.candidate import Asker, Candidate, EarlierMessage, Source
from everlore.learning.clauses import Mood
from everlore.learning.facts.checks import unsupported
from everlore.learning.facts.filters import LEAST_CONFIDENCE
from everlore.learning.facts.quotes import find_evidence
from everlore.learning.readings import BEFORE
from everlore.learning.segments.transcript import (
    ESTIMATE,
    Count,
    FittedTranscript,
    TranscriptLine,
    as_block,
    fitted,
    is_read,
    lines_of,
    room_in,
    tokens_of,
)
from everlore.learning.segments.vetting import (
    SaidWords,
    borne_out,
    refusal_of,
    sentences_of,
    sifted,
    telling_words,
    told_in,
    unheard_of,
)

_WINDOW_TOKENS = 8_192
_INSTRUCTION_TOKENS = 1_500
# Upper limit for any conversation; a model that reports more is making things up.
_MOST_KEPT = 100
# Added to the confidence limit of a statement, in proportion to the share of its words that were said.
_FOR_WORDS = 0.25
_LEAST_SHARE = 0.5
# The number of user messages that a fact is checked against.
_NEAREST = 5
# Types that only the user can state. What happened to all participants, any of them may tell.
_OF_ONE = frozenset({MemoryType.FACT, MemoryType.PROJECT, MemoryType.STORY})
_USER = "User"
_ASSISTANT = re.compile(r"(?:the )?(?:assistant|ai|chatbot|bot)\b", re.IGNORECASE)
# Limits for merged parts: first and last sentences of a long summary, tones, and list items relative to one part.
_FIRST_SENTENCES, _LAST_SENTENCES, _MOST_TONES = 4, 8, 3
_OF_ALL_PARTS = 2


async def analysis_of(
    messages: Sequence[Message],
    names: Mapping[str, str],
    asker: Asker | None,
    profile: Profile,
    *,
    setting: str = "",
    user_by_name: bool = False,
    earlier: Analysis | None = None,
    context_window: int = _WINDOW_TOKENS,
    count: Count = ESTIMATE,
) -> Analysed | None:
    """None without a model, or if there is nothing new to read.

    `user_by_name`: in role-play statements use the name of the user's character, otherwise "User". `earlier`: the
    latest analysis of this conversation. Also None if a model gives no usable answer to any part: repeating the request
    would cost the same and yield the same.
    """
    new = unread(messages, profile, earlier)
    lines = lines_of(new, names)
    if asker is None or not lines:
        return None
    room = room_in(context_window, _INSTRUCTION_TOKENS + answer_tokens(context_window))
    runs = parts_of(lines, room, count)
    read: list[Analysed] = []
    for run in runs:
        users = list(dict.fromkeys(line.name for line in run.lines if line.is_user))
        block = as_block(run, setting=setting, user=users)
        ask = analysis_ask(block, profile, context_window, user_by_name=user_by_name)
        answer = await asked(asker, ask, read_part, what="analysis")
        # Checked against its own part only, because the model saw no other.
        read += [_believed(answer, _heard_in(run.lines, names, setting), profile)] if answer is not None else []
    if not read:
        return None
    before = [Analysed(**account_in(earlier))] if earlier is not None and len(new) < len(messages) else []
    candidates = list({(each.type, each.content): each for part in read for each in part.candidates}.values())
    over = [Refusal(each.content, Filter.OVER_THE_CAP, f"at most {_MOST_KEPT}") for each in candidates[_MOST_KEPT:]]
    return replace(
        merged([*before, *read]),
        candidates=tuple(candidates[:_MOST_KEPT]),
        refused=(*(each for part in read for each in part.refused), *over),
        digest=talk_digest(messages, profile) if len(read) == len(runs) else "",
        last_seq=max(each.seq for each in messages),
        model=asker.name,
        parts=len(runs),
    )


def unread(messages: Sequence[Message], profile: Profile, earlier: Analysis | None) -> Sequence[Message]:
    """The messages to read: all of them, unless an earlier analysis read the beginning in its current form."""
    if earlier is None:
        return messages
    read = [each for each in messages if each.seq <= earlier.last_seq]
    if talk_digest(read, profile) != earlier.digest:
        return messages
    return [each for each in messages if each.seq > earlier.last_seq]


def talk_digest(messages: Sequence[Message], profile: Profile) -> str:
    """Hash of the messages read and the profile: under another profile they are read again."""
    texts = (text for each in messages if is_read(each) for text in (each.id, each.content))
    return digest_of(profile.value, *texts)


def parts_of(lines: Sequence[TranscriptLine], room_tokens: int, count: Count) -> list[FittedTranscript]:
    """Runs of messages that fit, in order. A single message that is too long keeps its start and end."""
    runs: list[list[TranscriptLine]] = []
    left = 0
    for line in lines:
        cost = tokens_of(line, count)
        if not runs or cost > left:
            runs.append([])
            left = room_tokens
        runs[-1].append(line)
        left -= cost
    return [fitted(run, room_tokens, count) for run in runs]


# ── checks ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Heard:
    """The words of all participants and of the user alone, and each message. `subject`: matches the user's name at the
    start of a statement."""

    all: SaidWords
    users: SaidWords
    subject: re.Pattern[str]
    sources: tuple[Source, ...]


def _heard_in(lines: Sequence[TranscriptLine], names: Mapping[str, str], setting: str) -> _Heard:
    own = [line for line in lines if line.is_user]
    known = (*names.values(), *(line.name for line in lines), _USER, setting)
    called = "|".join(sorted({re.escape(line.name) for line in own} - {_USER}, key=len, reverse=True))
    return _Heard(
        all=told_in((line.text for line in lines), known),
        users=told_in((line.own_text for line in own), known),
        subject=re.compile(rf"(?:(?i:(?:the )?user){f'|{called}' if called else ''})(?!\w)"),
        sources=tuple(_source(lines, at) for at, line in enumerate(lines) if line.is_user),
    )


def _source(lines: Sequence[TranscriptLine], at: int) -> Source:
    line, before = lines[at], lines[max(at - BEFORE, 0) : at]
    return Source(
        content=line.own_text,
        at=line.message.created_at,
        assistants=tuple(dict.fromkeys(each.name for each in lines if not each.is_user)),
        user_name=line.name,
        before=[EarlierMessage(each.is_user, each.name, each.text) for each in before],
    )


def _believed(answer: Analysed, heard: _Heard, profile: Profile) -> Analysed:
    """The answer without what the messages do not support."""
    kept, refused = sifted(answer.candidates, partial(_against, heard=heard, types=types_of(profile)))
    summary, unheard = borne_out(answer.summary, heard.all)
    return replace(
        answer,
        summary=summary,
        participants=_present(answer.participants, heard),
        candidates=tuple(_bounded(each, heard) for each in kept),
        refused=(*answer.refused, *refused, *unheard),
    )


def _present(names: Iterable[str], heard: _Heard) -> tuple[str, ...]:
    return tuple(name for name in names if heard.all.knows(name))


def _against(candidate: Candidate, heard: _Heard, types: Sequence[MemoryType]) -> Refusal | None:
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


def _is_of_user(candidate: Candidate, heard: _Heard) -> bool:
    return candidate.type in _OF_ONE and heard.subject.match(candidate.content) is not None


def _against_fact(candidate: Candidate, heard: _Heard) -> Refusal | None:
    """The check of a user fact against the messages that share the most words with it."""
    # The checks of user facts expect "User" as the subject.
    fact = replace(candidate, content=heard.subject.sub(_USER, candidate.content, count=1))
    words = frozenset(query_terms(fact.content, most=100))
    shared = [(len(words.intersection(terms_of(each.content))), at) for at, each in enumerate(heard.sources)]
    nearest = [heard.sources[at] for count, at in sorted(shared, reverse=True)[:_NEAREST] if count]
    refused = [_unsupported(fact, each) for each in nearest]
    first = None if None in refused else next(iter(refused), None)
    return first and replace(first, content=candidate.content)


def _unsupported(fact: Candidate, source: Source) -> Refusal | None:
    """An analysis asks no second question, so a fact that is only asked or supposed is refused."""
    evidence = find_evidence(fact, source)
    refusal = unsupported(fact, source, evidence)
    if refusal is None and evidence.mood is not Mood.STATES:
        return Refusal(fact.content, Filter.NOT_STATED, f"“{evidence.words}” is no statement of the user’s")
    return refusal


def _against_words(content: str, users: SaidWords) -> Refusal | None:
    unheard = unheard_of(content, users)
    if unheard:
        return Refusal(content, Filter.UNGROUNDED, f"the user did not say {unheard}")
    if users.share(telling_words(content, users)) < _LEAST_SHARE:
        return Refusal(content, Filter.UNGROUNDED, "hardly a word of it is the user's")
    return None


def _bounded(candidate: Candidate, heard: _Heard) -> Candidate:
    told = heard.users if _is_of_user(candidate, heard) else heard.all
    most = LEAST_CONFIDENCE + _FOR_WORDS * told.share(telling_words(candidate.content, told))
    confidence = round(min(candidate.confidence, most), 3)
    return replace(candidate, confidence=confidence, participants=_present(candidate.participants, heard))


# ── merging of parts ─────────────────────────────────────────────────────────────────────────────


def merged(parts: Sequence[Analysed]) -> Analysed:
    """Merges the accounts of all parts, in order, without their memories."""
    sentences = [*dict.fromkeys(each for part in parts if part.summary for each in sentences_of(part.summary))]
    said = {name: [text for part in parts for text in getattr(part, name)] for name in LISTS}
    lists: dict[str, Any] = {name: _once(texts)[: _OF_ALL_PARTS * LISTS[name]] for name, texts in said.items()}
    lists["emotional_arc"] = _spread(said["emotional_arc"], _OF_ALL_PARTS * LISTS["emotional_arc"])
    return Analysed(
        summary=" ".join(sentences[:_FIRST_SENTENCES] + sentences[_FIRST_SENTENCES:][-_LAST_SENTENCES:]),
        tone=", then ".join([*dict.fromkeys(part.tone.casefold() for part in parts if part.tone)][-_MOST_TONES:]),
        **lists,
    )


def _once(texts: Sequence[str]) -> tuple[str, ...]:
    """Texts found in most parts first, then in order of appearance; case is ignored."""
    written = {text.casefold(): text for text in reversed(texts)}
    return tuple(written[text] for text, _ in Counter(text.casefold() for text in texts).most_common())


def _spread(steps: Sequence[str], most: int) -> tuple[str, ...]:
    """The first, the last, and evenly spaced ones between them."""
    if len(steps) <= most:
        return tuple(steps)
    return tuple(steps[at * (len(steps) - 1) // (most - 1)] for at in range(most))
