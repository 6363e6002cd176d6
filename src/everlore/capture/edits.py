"""Edits of captured events, such as a finished task or a corrected word (C1). Pure; secrets are removed as in the first
capture (C2).

Start at `changed`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from everlore.capture.drafts import name_of
from everlore.capture.events import MOST_CONTENT, Captured, attachment_of, tags_of, within
from everlore.capture.plain import readable
from everlore.capture.redaction import redacted_text
from everlore.domain.event import Event, EventState

_WORDS = "content"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventChanges:
    """None leaves a field as it is. `entities` are the names of what the event is about."""

    content: str | None = None
    state: EventState | None = None
    ended_at: datetime | None = None
    importance: float | None = None
    tags: tuple[str, ...] | None = None
    entities: tuple[str, ...] | None = None


def changed(event: Event, changes: EventChanges, new_id: Callable[[], str], now: datetime) -> Captured:
    """The changed event, and new attachments for long texts."""
    event = _timed(event, changes.state, changes.ended_at, now)
    if changes.importance is not None:
        event = replace(event, importance=changes.importance)
    if changes.tags is not None:
        event = replace(event, tags=tags_of(changes.tags))
    if changes.entities is not None:
        event = _about(event, changes.entities)
    return Captured(event) if changes.content is None else _reworded(event, changes.content, new_id, now)


def _timed(event: Event, state: EventState | None, ended_at: datetime | None, now: datetime) -> Event:
    """A finished event gets an end, by default now; one that is in progress again has none."""
    state = state or (event.state if ended_at is None else EventState.COMPLETE)
    if state is EventState.IN_PROGRESS:
        return replace(event, state=state, ended_at=None)
    was_running = event.state is EventState.IN_PROGRESS
    end = ended_at or event.ended_at or (max(now, event.at) if was_running else None)
    return replace(event, state=state, ended_at=end)


def _about(event: Event, entities: Sequence[str]) -> Event:
    named = dict.fromkeys(name_of(each) for each in entities if each.strip())
    return replace(event, metadata={**event.metadata, "entities": list(named)})


def _reworded(event: Event, content: str, new_id: Callable[[], str], now: datetime) -> Captured:
    said = redacted_text(readable(content))
    is_long = len(said) > MOST_CONTENT
    metadata = dict(event.metadata)
    named = metadata.pop("attached", None)
    beside = {str(each) for each in named if each != _WORDS} if isinstance(named, list) else set()
    if attached := sorted(beside | ({_WORDS} if is_long else set())):
        metadata["attached"] = attached
    event = replace(event, content=within(said), metadata=metadata)
    return Captured(event, (attachment_of(event, new_id(), _WORDS, said, now),) if is_long else ())
