"""Decides what to summarize next: a stretch of messages, or a row of summaries (C7).

In: the messages and summaries of a conversation, and its limits. Out: what the next summary should cover, or none.
Pure: the caller fetches, asks here, summarizes, and asks again.

A summary is for those present for all of its messages (V13, R11). So a stretch ends when someone joins or leaves, if it
is long enough by then, and always before no one present for all of it would be left.

Start at `stretch_due` and `row_due`; `holes` finds withdrawn summaries.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Conversation, Message, MessageState, Summary
from everlore.domain.covering import cover, covered_to
from everlore.domain.visibility import present_at

# More than this many adjacent summaries of one level become one of the next level.
ROW = 8
# Minimum length before a join or leave ends a stretch, so that frequent changes do not make tiny summaries.
_LEAST_STRETCH = 4
# Maximum length of a stretch if only tokens are limited.
_MOST_STRETCH = 20
_CHARS_PER_TOKEN = 4
# With fewer messages there is no older half.
_LEAST_BY_HAND = 4
_EVER = 10**12


@dataclass(frozen=True, slots=True)
class SummaryLimits:
    """When this many messages or tokens have no summary, the older half gets one; 0: no limit."""

    messages: int = 20
    tokens: int = 8_000

    @property
    def most_messages(self) -> int:
        return self.messages or _MOST_STRETCH

    @property
    def most_tokens(self) -> int:
        return self.tokens // 2 or _EVER


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages for one summary. Its bounds include deleted messages between them."""

    first: int
    last: int
    messages: tuple[Message, ...]
    persons: tuple[str, ...]


Span = tuple[int, int]


def limits_of(config: ConversationConfig) -> SummaryLimits:
    return SummaryLimits(config.summarize_past_messages, config.summarize_past_tokens)


def is_past(count: int, tokens: int, limits: SummaryLimits) -> bool:
    is_long = limits.messages and count > limits.messages
    return bool(count > 1 and (is_long or (limits.tokens and tokens > limits.tokens)))


def tokens_in(messages: Iterable[Message]) -> int:
    return sum(each.tokens or len(each.content) // _CHARS_PER_TOKEN for each in messages)


def summary_id(conversation_id: str, level: int, first: int, last: int) -> str:
    """The same id for the same messages, so that a new summary replaces the old one."""
    key = f"{level}\n{first}\n{last}\n{conversation_id}"
    return f"summary-{hashlib.sha256(key.encode()).hexdigest()[:32]}"


# ── messages ─────────────────────────────────────────────────────────────────────────────────────


def settled(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages before the first one that is still being written."""
    writing = (place for place, each in enumerate(messages) if each.state is MessageState.STREAMING)
    return messages[: next(writing, len(messages))]


def stretch_due(
    conversation: Conversation,
    after: int,
    uncovered: Sequence[Message],
    limits: SummaryLimits,
    *,
    has_more: bool = False,
    by_hand: bool = False,
) -> Stretch | None:
    """The older half of the messages `after` those covered, or as much of it as fits one summary.

    `has_more`: not all messages were fetched. `by_hand`: even if there are only a few.
    """
    here = settled(uncovered)
    is_due = has_more or is_past(len(here), tokens_in(here), limits) or (by_hand and len(here) >= _LEAST_BY_HAND)
    half = here if has_more else here[: len(here) // 2]
    return _stretch(conversation, after + 1, half, limits) if is_due and half else None


def stretch_in(
    conversation: Conversation, hole: Span, messages: Sequence[Message], limits: SummaryLimits
) -> Stretch | None:
    """The part of a hole for one summary, from its start; None if no messages are left in it."""
    found = _stretch(conversation, hole[0], settled(messages), limits) if messages else None
    if found is None or len(found.messages) < len(messages):
        return found
    return Stretch(found.first, hole[1], found.messages, found.persons)


def holes(summaries: Sequence[Summary], up_to: int = 0) -> list[Span]:
    """The gaps in the coverage by summaries of messages, up to the last covered message or `up_to`."""
    found: list[Span] = []
    free = 1
    for each in sorted((each for each in summaries if each.level == 0), key=lambda each: each.first_seq):
        if each.first_seq > free:
            found.append((free, each.first_seq - 1))
        free = max(free, each.last_seq + 1)
    return [*found, (free, up_to)] if free <= up_to else found


def _stretch(
    conversation: Conversation, first: int, messages: Sequence[Message], limits: SummaryLimits
) -> Stretch | None:
    taken: list[Message] = []
    persons: frozenset[str] = frozenset()
    for each in messages:
        there = _there(each, conversation)
        common = persons & there if taken else there
        is_other = bool(taken) and (not common or (len(taken) >= _LEAST_STRETCH and common != persons | there))
        too_much = len(taken) >= limits.most_messages or tokens_in([*taken, each]) > limits.most_tokens
        if is_other or (taken and too_much):
            break
        taken.append(each)
        persons = common
    return Stretch(first, taken[-1].seq, tuple(taken), tuple(sorted(persons))) if taken else None


def _there(message: Message, conversation: Conversation) -> frozenset[str]:
    """The people present; never empty: without a participant, the people named in the message."""
    everybody = frozenset(id for id in (conversation.user_id, *conversation.system_ids) if id is not None)
    there = present_at(message, everybody)
    return everybody & there or there


# ── summaries ────────────────────────────────────────────────────────────────────────────────────


def row_due(summaries: Sequence[Summary]) -> tuple[Summary, ...]:
    """Adjacent summaries of one level to combine into one of the next; the lowest level first.

    Either the oldest of more than `ROW` in a row, or two or more before a higher one, left over from a withdrawn
    summary.
    """
    tops = cover(summaries, 1, covered_to(summaries))
    rows = [tuple(row) for _, row in groupby(tops, key=lambda each: each.level)]
    due = [
        group
        for row, after in zip(rows, [*rows[1:], ()], strict=False)
        if len(row) > ROW or (after and after[0].level > row[0].level)
        if (group := _group(row))
    ]
    return min(due, key=lambda group: group[0].level, default=())


def persons_of(parts: Sequence[Summary]) -> tuple[str, ...]:
    """The people present for all of it."""
    there = set(parts[0].persons)
    for each in parts[1:]:
        there &= set(each.persons)
    return tuple(sorted(there))


def covering(summaries: Iterable[Summary], first: int, last: int) -> list[Summary]:
    """The summaries of any level that cover a message from `first` to `last`."""
    return [each for each in summaries if each.first_seq <= last and first <= each.last_seq]


def _group(row: Sequence[Summary]) -> tuple[Summary, ...]:
    """The oldest of them to combine, as many as share a person who was present for all."""
    spans = ((first, last) for first in range(len(row)) for last in range(min(first + ROW, len(row)), first + 1, -1))
    return next((tuple(row[first:last]) for first, last in spans if persons_of(row[first:last])), ())
