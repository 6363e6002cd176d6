"""The event log: list, show with attachments, change, finish, delete (C1, K5).

Start at `Happened.list` and `Happened.change`.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from everlore.capture.display import shown, shown_beside
from everlore.capture.edits import EventChanges, changed
from everlore.domain.attachment import Attachment
from everlore.domain.campaign import Entity
from everlore.domain.conversation import Conversation
from everlore.domain.event import Event, EventState, EventType
from everlore.domain.person import Person
from everlore.domain.policy import visibility
from everlore.domain.records import persons_of
from everlore.domain.visibility import DESK, is_spoiler, may_keep, may_see
from everlore.errors import BadAsk, NotFound
from everlore.learning.segments.episodes import is_whole
from everlore.recall.names import guesses_in
from everlore.services.base import Service
from everlore.store.answers import Page
from everlore.store.port import Delete, Put
from everlore.turn.ownership import conversation_of
from everlore.turn.viewers import viewer_of

_MOST_ATTACHMENTS = 100
_MOST_NAMES = 60
E = TypeVar("E", bound=StrEnum)


class Happened(Service):
    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    async def get(self, id: str) -> Event:
        """As the caller may see it."""
        return shown(await self._own(id), visibility(self._scope.role))

    async def attachments(self, id: str) -> tuple[Attachment, ...]:
        """Its attachments, in full. Guests see only what is in the event itself."""
        await self._own(id)
        seen = visibility(self._scope.role)
        if seen.redacted:
            return ()
        page = await self._store.find(self._scope, Attachment, {"event_id": id}, limit=_MOST_ATTACHMENTS)
        return tuple(shown_beside(each, seen) for each in page.items)

    async def list(
        self,
        *,
        types: Iterable[EventType | str] = (),
        conversation: Conversation | str | None = None,
        person: Person | str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Events, latest start first; callers who see a part of the workspace get those in which they took part."""
        kinds = frozenset(type_of(each).value for each in types)
        if conversation is not None:
            page = await self._of_conversation(conversation, kinds, id_of(person), since, until, limit, cursor)
        else:
            page = await self._store.timeline(
                self._scope,
                person_id=self._scope.confined_to or id_of(person),
                since=since,
                until=until,
                types=kinds,
                limit=limit,
                cursor=cursor,
            )
        seen, viewer = visibility(self._scope.role), await viewer_of(self._store, self._scope)
        theirs = (each for each in page.items if may_see(viewer, each, DESK))
        return Page(tuple(shown(each, seen) for each in theirs), page.cursor)

    async def _of_conversation(
        self,
        conversation: Conversation | str,
        types: frozenset[str],
        person_id: str | None,
        since: datetime | None,
        until: datetime | None,
        limit: int,
        cursor: str | None,
    ) -> Page:
        """Times and persons are filtered after a page is fetched, so a page may have fewer than its limit."""
        id = str(id_of(conversation))
        await conversation_of(self._store, self._scope, id)
        where: dict[str, object] = {"conversation_id": id} | ({"type": tuple(sorted(types))} if types else {})
        while True:
            page = await self._store.find(self._scope, Event, where, limit=limit, cursor=cursor, newest_first=True)
            timely = (each for each in page.items if _is_within(each, since, until))
            kept = tuple(each for each in timely if person_id is None or person_id in persons_of(each))
            is_past = since is not None and bool(page.items) and page.items[-1].at < since
            cursor = None if is_past else page.cursor
            if kept or cursor is None:
                return Page(kept, cursor)

    async def _own(self, id: str) -> Event:
        event = await self._store.get(self._scope, Event, id)
        if not may_keep(await viewer_of(self._store, self._scope), event):
            raise NotFound(f"There is no Event {id!r} in this workspace.")
        return event

    # ── changing ─────────────────────────────────────────────────────────────────────────────────

    async def change(self, event: Event | str, changes: EventChanges) -> Event:
        """Correct the text, or record progress."""
        before = await self._own(str(id_of(event)))
        _refuse_whole(before)
        _refuse_odd_times(before, changes)
        now = self._resources.clock()
        made = await asyncio.to_thread(changed, before, changes, self._resources.new_id, now)
        if changes.content is not None or changes.entities is not None:
            names = made.event.metadata.get("entities")
            named = tuple(map(str, names)) if isinstance(names, list) else ()
            ids = await self._entities(named, made.event.content, made.event.campaign_id)
            made = replace(made, event=replace(made.event, entity_ids=ids))
        replaced = await self._replaced(before, changes)
        stored = await self._store.apply(
            self._scope, [*replaced, Put(made.event), *(Put(each) for each in made.attachments)]
        )
        return shown(stored[len(replaced)], visibility(self._scope.role))

    async def finish(self, event: Event | str) -> Event:
        """A task, or whatever was in progress, is finished."""
        return await self.change(event, EventChanges(state=EventState.COMPLETE))

    async def delete(self, event: Event | str) -> None:
        """Delete for good, with its attachments. Events that were a part of it stay."""
        found = await self._own(str(id_of(event)))
        _refuse_whole(found)
        await self._store.apply(self._scope, [Delete(Event, found.id)])

    async def _replaced(self, event: Event, changes: EventChanges) -> Sequence[Delete]:
        """Attachments of text that the change replaces."""
        if changes.content is None:
            return []
        where = {"event_id": event.id, "name": "content"}
        page = await self._store.find(self._scope, Attachment, where, limit=_MOST_ATTACHMENTS)
        return [Delete(Attachment, each.id) for each in page.items]

    async def _entities(self, named: Sequence[str], content: str, campaign_id: str | None) -> tuple[str, ...]:
        """The entities of the world that it names. A spoiler is not linked to what players may read."""
        guesses = tuple(dict.fromkeys((*named, *guesses_in(content))))[:_MOST_NAMES]
        if not guesses:
            return ()
        page = await self._store.find(self._scope, Entity, {"name": guesses}, limit=_MOST_NAMES)
        return tuple(each.id for each in page.items if not is_spoiler(each) and each.campaign_id in (None, campaign_id))


# ── helpers ──────────────────────────────────────────────────────────────────────────────────────


def type_of(type: EventType | str) -> EventType:
    return _one_of(EventType, type, "type")


def state_of(state: EventState | str) -> EventState:
    return _one_of(EventState, state, "state")


def _one_of(kind: type[E], given: E | str, name: str) -> E:
    try:
        return kind(given)
    except ValueError:
        raise BadAsk(f"{name} is {given!r}; it must be one of {', '.join(each.value for each in kind)}.") from None


def id_of(named: Any) -> str | None:
    return named if named is None or isinstance(named, str) else str(named.id)


def _refuse_whole(event: Event) -> None:
    if is_whole(event):
        raise BadAsk(
            "This event is a conversation as a whole, and follows it. Change the title of the conversation, close it, "
            "or delete it instead."
        )


def _refuse_odd_times(event: Event, changes: EventChanges) -> None:
    if changes.ended_at is None:
        return
    if changes.state is EventState.IN_PROGRESS:
        raise BadAsk("An event in progress has no end. Leave ended_at out, or set the state to complete.")
    if changes.ended_at < event.at:
        raise BadAsk(f"The event cannot end before it began, at {event.at.isoformat()}. Choose a later ended_at.")


def _is_within(event: Event, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or event.at >= since) and (until is None or event.at < until)
