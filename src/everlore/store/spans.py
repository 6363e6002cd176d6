"""Ranges of messages around positions in conversations: pure, and the same for every store."""

from collections.abc import Iterable
from typing import NamedTuple

from everlore.store.answers import MessagePosition


class MessageSpan(NamedTuple):
    """A range of a conversation, including both ends."""

    conversation_id: str
    first_seq: int
    last_seq: int


def spans_of(places: Iterable[MessagePosition], reach: int) -> list[MessageSpan]:
    """The ranges of messages at most `reach` from one of the places, without overlaps."""
    spans: list[MessageSpan] = []
    for conversation_id, seq in sorted(set(places)):
        span = MessageSpan(conversation_id, seq - reach, seq + reach)
        before = spans[-1] if spans else None
        if before and before.conversation_id == conversation_id and span.first_seq <= before.last_seq + 1:
            spans[-1] = before._replace(last_seq=span.last_seq)
        else:
            spans.append(span)
    return spans
