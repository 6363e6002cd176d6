"""Captures what happens outside of the chat: tool calls, files, decisions, anything (C1, C2, C3). The policy is checked
first: what the mode may not write is not captured, and the tool does not notice.

    @lore.events.tool()
    async def search(query: str) -> list[str]: ...

    with lore.events.tool("fs_write", {"path": path}) as call:
        call.outputs = write(path)

Start at `Capturing.capture` and `Capturing.tool`.
"""

import asyncio
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath
from typing import TypeVar

import structlog

from everlore.capture import drafts
from everlore.capture.drafts import EventDraft
from everlore.capture.edits import EventChanges as EventChanges
from everlore.capture.events import Captured, EventContext, captured
from everlore.capture.plain import Plain, plain
from everlore.domain.attachment import Attachment
from everlore.domain.conversation import Conversation, Message
from everlore.domain.event import Event, EventState, EventType
from everlore.domain.person import USER_ID, Person
from everlore.domain.policy import can_write, should_capture_tool
from everlore.domain.records import Record
from everlore.domain.scope import Scope
from everlore.errors import BadAsk
from everlore.services.event_log import Happened, id_of, type_of
from everlore.services.tool_calls import EventTarget as EventTarget
from everlore.services.tool_calls import Running, ToolCall, harmless
from everlore.store.port import Put
from everlore.turn.ownership import conversation_of, refuse_other, refuse_unknown_ids
from everlore.turn.resources import Resources

D = TypeVar("D", bound=EventDraft | None)
log = structlog.get_logger(__name__)

# Longer texts are redacted in a thread, so that other replies are not delayed.
_LONG = 50_000


@dataclass(frozen=True, slots=True)
class CaptureOutcome:
    """The event and its attachments, or why there is none."""

    event: Event | None = None
    attachments: tuple[Attachment, ...] = ()
    why: str = ""


class Capturing(Happened):
    def __init__(self, scope: Scope, resources: Resources) -> None:
        super().__init__(scope, resources)
        resources.backlog.at_home()

    # ── capturing ────────────────────────────────────────────────────────────────────────────────

    async def capture(
        self,
        type: EventType | str,
        content: str,
        *,
        conversation: Conversation | str | None = None,
        parent: Event | str | None = None,
        message: Message | str | None = None,
        person: Person | str | None = None,
        importance: float | None = None,
        tags: Iterable[str] = (),
        entities: Iterable[str] = (),
        links: Iterable[str] = (),
        at: datetime | None = None,
        ended_at: datetime | None = None,
        in_progress: bool = False,
        **metadata: object,
    ) -> Event | None:
        """Save that something happened; None if the mode does not save it, or the conversation is private. `parent` is
        another event, `message` the message that led to it; `metadata` takes the fields of `Metadata` and any
        others."""
        place = EventTarget(
            conversation=conversation,
            parent=parent,
            message=message,
            person=person,
            importance=importance,
            tags=tuple(tags),
            links=tuple(links),
            at=at,
            ended_at=ended_at,
            in_progress=in_progress,
        )
        return (await self.tell(type, content, place, entities=tuple(entities), metadata=metadata)).event

    async def tell(
        self,
        type: EventType | str,
        content: str,
        place: EventTarget | None = None,
        *,
        entities: Sequence[str] = (),
        metadata: Mapping[str, object] | None = None,
    ) -> CaptureOutcome:
        """Like `capture`, with the reason if it was not saved."""
        kind, told = type_of(type), dict(metadata or {})
        draft = await _drafted(functools.partial(drafts.draft_of, kind, content, metadata=told, entities=entities))
        if draft is None:
            raise BadAsk("An event must say what happened. Give it a content, a tool_name or a path.")
        tool = told.get("tool_name") if kind is EventType.TOOL_INVOCATION else None
        refused = self._refused(kind, tool)
        return CaptureOutcome(why=refused) if refused else await self._keep(draft, place or EventTarget())

    async def file_read(
        self,
        path: str | PurePath,
        content: str | bytes | None = None,
        *,
        size: int | None = None,
        conversation: Conversation | str | None = None,
        parent: Event | str | None = None,
        message: Message | str | None = None,
        **extra: object,
    ) -> Event | None:
        """A file was read: its path, its size in bytes, and how it begins."""
        draft = drafts.file_read(path, content, size=size, extra=extra)
        return await self._kept(draft, EventTarget(conversation=conversation, parent=parent, message=message))

    async def file_write(
        self,
        path: str | PurePath,
        content: str | bytes | None = None,
        *,
        size: int | None = None,
        overwrite: bool = False,
        conversation: Conversation | str | None = None,
        parent: Event | str | None = None,
        message: Message | str | None = None,
        **extra: object,
    ) -> Event | None:
        """A file was written, whether new or replaced."""
        draft = drafts.file_write(path, content, size=size, overwrite=overwrite, extra=extra)
        return await self._kept(draft, EventTarget(conversation=conversation, parent=parent, message=message))

    async def approval(
        self,
        subject: str,
        *,
        approved: bool,
        approval_id: str = "",
        inputs: object = None,
        reason: str = "",
        conversation: Conversation | str | None = None,
        parent: Event | str | None = None,
        message: Message | str | None = None,
        **extra: object,
    ) -> Event | None:
        """Somebody approved, or rejected, what an agent was about to do."""
        draft = drafts.decision(
            subject, approved=approved, approval_id=approval_id, inputs=inputs, reason=reason, extra=extra
        )
        return await self._kept(draft, EventTarget(conversation=conversation, parent=parent, message=message))

    def tool(
        self,
        name: str | None = None,
        inputs: object = None,
        *,
        conversation: Conversation | str | None = None,
        parent: Event | str | None = None,
        message: Message | str | None = None,
        **extra: object,
    ) -> "ToolCall":
        """Watches one tool: a decorator for a function, plain or async, or a context manager, plain or async, for one
        call. Inputs, outputs, errors and duration are captured; the tool does not notice."""
        return ToolCall(
            self, name, inputs, EventTarget(conversation=conversation, parent=parent, message=message), extra
        )

    async def settle(self) -> None:
        """Wait until what plain functions and threads captured is written."""
        await self._resources.backlog.settle()

    # ── saving ───────────────────────────────────────────────────────────────────────────────────

    def _refused(self, type: EventType, tool: object = None) -> str:
        """Why the mode does not save it; empty if it does."""
        mode = self._scope.mode
        if not can_write(mode, type):
            return f"In {mode.value} mode events of type {type.value} are not captured."
        if tool is not None and not should_capture_tool(mode, str(tool)):
            return f"In {mode.value} mode {str(tool)!r} is not captured."
        return ""

    def captures(self, tool: str) -> bool:
        return not self._refused(EventType.TOOL_INVOCATION, tool)

    async def _kept(self, draft: EventDraft, place: EventTarget) -> Event | None:
        return None if self._refused(draft.type) else (await self._keep(draft, place)).event

    async def _keep(
        self, draft: EventDraft, place: EventTarget, id: str | None = None, *, within: Running | None = None
    ) -> CaptureOutcome:
        """`within`: the tool call that it belongs to. Without one, the caller gave the ids, and a wrong id raises an
        error."""
        store, scope = self._resources.store, self._scope
        talk = id_of(place.conversation)
        conversation = await conversation_of(store, scope, talk) if talk is not None else None
        if conversation is not None and conversation.private:
            return CaptureOutcome(why="The conversation is private, and nothing is kept beside it.")
        message = await self._named(place, conversation) if within is None else None
        frame = self._frame(place, id or self._resources.new_id(), conversation, message)
        frame = replace(frame, entity_ids=await self._entities(draft.entities, draft.content, frame.campaign_id))
        if within is not None and within.above is not None:
            draft = replace(draft, metadata=draft.metadata | {"parent_event_id": within.above.id})
        return await self._applied(captured(draft, frame, self._resources.new_id), within.orphans() if within else ())

    async def _applied(self, made: Captured, below: Sequence[Event]) -> CaptureOutcome:
        records: list[Record] = [made.event, *made.attachments]
        changes = [Put(record) for record in records]
        results = await self._resources.store.apply(self._scope, [*changes, *_put_under(made.event.id, below)])
        return CaptureOutcome(results[0], tuple(results[1 : 1 + len(made.attachments)]))

    async def _named(self, place: EventTarget, conversation: Conversation | None) -> Message | None:
        """Checks that the named records exist and the caller may name them; returns the message, if any."""
        if (parent := id_of(place.parent)) is not None:
            await self._own(parent)
        if (person := id_of(place.person)) is not None:
            refuse_other(self._scope, person)
            await self._resources.store.get(self._scope, Person, person)
        id = id_of(place.message)
        if id is None:
            return None
        await refuse_unknown_ids(self._resources.store, self._scope, (Message, id))
        message = await self._resources.store.get(self._scope, Message, id)
        if conversation is None or message.conversation_id != conversation.id:
            raise BadAsk(f"Message {id!r} is not in this conversation. Give the conversation that it belongs to.")
        return message

    def _frame(
        self, place: EventTarget, id: str, conversation: Conversation | None, message: Message | None
    ) -> EventContext:
        now = self._resources.clock()
        me = id_of(place.person) or self._scope.person_id
        actors, participants = _cast(conversation, me)
        message_id = message.id if message is not None else id_of(place.message)
        return EventContext(
            workspace=self._scope.workspace,
            id=id,
            at=place.at or now,
            ended_at=place.ended_at,
            created_at=now,
            mode=self._scope.mode.value,
            state=EventState.IN_PROGRESS if place.in_progress else EventState.COMPLETE,
            importance=place.importance,
            user_id=self._scope.person_id or (conversation.user_id if conversation else None) or USER_ID,
            conversation_id=conversation.id if conversation else None,
            campaign_id=conversation.campaign_id if conversation else None,
            parent_id=id_of(place.parent),
            message_id=message_id,
            actors=actors,
            participants=participants,
            tags=place.tags,
            links=(*place.links, *([message_id] if message_id else [])),
        )

    # ── tool calls ───────────────────────────────────────────────────────────────────────────────

    def begun(self) -> tuple[str, datetime]:
        return self._resources.new_id(), self._resources.clock()

    async def finished(self, call: "Running") -> None:
        """The tool call has ended. What cannot be written is logged: the tool did its work all the same."""
        if not self._resources.backlog.is_home():
            self.left(call)
            return
        with harmless(call.name):
            above = call.above
            place = replace(
                call.place,
                at=call.at,
                ended_at=self._resources.clock(),
                parent=above.id if above is not None and above.is_kept else call.place.parent,
            )
            kept = await self._keep(await _drafted(call.draft), place, call.id, within=call)
            if kept.event is None:
                return
            call.is_kept = True
            await self._adopt(call)
            if above is not None and kept.event.parent_id is None:
                above.below.append(kept.event)
                await self._adopt(above)

    async def _adopt(self, call: Running) -> None:
        """An event cannot refer to one that does not exist yet: an inner call gets its parent when the outer one is
        saved, or right after, if it was saved itself meanwhile."""
        if call.is_kept and (below := call.orphans()):
            await self._resources.store.apply(self._scope, _put_under(call.id, below))

    def left(self, call: "Running") -> None:
        """Like `finished`, where nobody can wait for it."""
        with harmless(call.name):
            self._resources.backlog.add(functools.partial(self.finished, call))


# ── helpers ──────────────────────────────────────────────────────────────────────────────────────


def _put_under(parent: str, below: Sequence[Event]) -> list[Put]:
    return [Put(replace(each, parent_id=parent)) for each in below]


def _cast(conversation: Conversation | None, me: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The actors and participants: those present in the conversation, or the caller."""
    if conversation is None:
        return ((me,) if me else ()), ()
    here = conversation.metadata.get("present")
    acting = tuple(id for id in conversation.system_ids if not isinstance(here, list) or id in here)
    others = (me, None if conversation.inner_of_id else conversation.user_id)
    return acting, tuple(dict.fromkeys(id for id in others if id is not None and id not in acting))


async def _drafted(make: Callable[[], D]) -> D:
    """In a thread if there is much to redact."""
    return await asyncio.to_thread(make) if _size_of(make) > _LONG else make()


def _size_of(make: Callable[[], object]) -> int:
    """A rough size of the text."""
    owner = getattr(make, "__self__", None)
    if isinstance(owner, Running):
        return _chars(owner.inputs) + _chars(owner.outputs)
    if isinstance(make, functools.partial):
        return sum(len(each) for each in make.args if isinstance(each, str)) + _chars(plain(make.keywords))
    return 0


def _chars(value: Plain) -> int:
    match value:
        case str():
            return len(value)
        case list():
            return sum(map(_chars, value)) + len(value)
        case dict():
            return sum(_chars(each) + len(key) for key, each in value.items())
    return 1
