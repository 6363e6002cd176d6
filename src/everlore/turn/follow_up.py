"""What a turn leaves to be learned, saved together with it: the event that it belongs to, and jobs for the queue.

Nothing is learned here, and a private conversation leaves nothing (F6). Start at `heard`, `answered`, `grown` and
`stated`.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Conversation, ConversationState, Message
from everlore.domain.event import Event, EventType
from everlore.domain.person import Person
from everlore.domain.policy import can_write
from everlore.domain.scope import Scope
from everlore.learning.analysis_jobs import analysis_due
from everlore.learning.extractors import forms_keyframes, learns_facts
from everlore.learning.jobs import Trigger, analysis_job, closing_job, facts_job, keyframe_job
from everlore.learning.segments.episodes import completed, event_id_of, has_event, opened, reopened, titled
from everlore.learning.summaries.kept import due_job
from everlore.store.port import Amend, Change, Enqueue, Put, Store
from everlore.turn.stage import Stage

NewId = Callable[[], str]
_ASKED_EVERY = 5


def heard(
    conversation: Conversation,
    config: ConversationConfig,
    message: Message,
    persons: Mapping[str, Person],
    new_id: NewId,
) -> list[Change]:
    """With a message: the event that the first one opens (K5), and the job that reads it."""
    changes: list[Change] = [*opening(conversation, persons, message.created_at)]
    if learns_facts(conversation, config, message, persons):
        changes.append(Enqueue(facts_job(conversation, message, message.created_at, new_id)))
    return changes


def answered(
    conversation: Conversation, config: ConversationConfig, last: Message, at: datetime, new_id: NewId
) -> list[Change]:
    """With the last message of a turn: the keyframe job, if one is due (K1)."""
    if not forms_keyframes(conversation, config) or last.seq < config.keyframe_every:
        return []
    return [Enqueue(keyframe_job(conversation, at, new_id, number=last.seq // config.keyframe_every))]


def grown(
    scope: Scope, stage: Stage, said: Sequence[Message], last_seq: int, at: datetime, new_id: NewId
) -> list[Change]:
    """With the last message of a turn: the summary job, if one is due (C7). `said`: what the turn adds to the stage."""
    latest = (*stage.history, *said)
    return due_job(scope, stage.conversation, stage.summarised_to, latest, last_seq, at, new_id)


async def analysed(
    store: Store, scope: Scope, stage: Stage, said: Sequence[Message], at: datetime, new_id: NewId
) -> list[Change]:
    """With the last message of a turn: the analysis job, if one is due (W1). `said`: what the turn adds."""
    known = {each.id: each for each in (*stage.history, *said)}
    latest = sorted(known.values(), key=lambda each: each.seq)
    if not await analysis_due(store, scope, stage.conversation, stage.config, latest):
        return []
    # Once per few messages, while the analysis finds nothing.
    key = f"{stage.conversation.id}:tokens:{latest[-1].seq // _ASKED_EVERY}"
    return [Enqueue(analysis_job(stage.conversation, at, new_id, trigger=Trigger.TOKENS, key=key))]


def opening(conversation: Conversation, persons: Mapping[str, Person], at: datetime) -> list[Change]:
    """The event of a conversation, created with its first message."""
    if conversation.message_count or not has_event(conversation):
        return []
    return [Put(opened(conversation, {id: person.name for id, person in persons.items()}, at))]


async def stated(
    store: Store, scope: Scope, before: Conversation, state: ConversationState, at: datetime, new_id: NewId
) -> list[Change]:
    """When a conversation is closed, archived or reopened: its event, and the jobs to do at its end."""
    if state is before.state:
        return []
    is_open = state is ConversationState.OPEN
    changes = await _amended(store, scope, before, reopened() if is_open else completed(at))
    if before.state is ConversationState.OPEN and not before.private and can_write(scope.mode, EventType.REFLECTION):
        changes.append(Enqueue(closing_job(before, at, new_id)))
    return changes


async def named(store: Store, scope: Scope, conversation: Conversation, title: str) -> list[Change]:
    """When a conversation gets a title or loses it: the event then lists its participants instead."""
    ids = [id for id in (*conversation.system_ids, conversation.user_id) if id is not None]
    names = {each.id: each.name for each in await store.get_many(scope, Person, ids)}
    return await _amended(store, scope, conversation, titled(conversation, title, names))


async def joined(store: Store, scope: Scope, conversation: Conversation, players: Sequence[str]) -> list[Change]:
    """When other people play in a conversation from now on: its earlier participants stay part of the event."""
    return await _amended(
        store, scope, conversation, {"actors": (*dict.fromkeys((*conversation.system_ids, *players)),)}
    )


async def _amended(store: Store, scope: Scope, conversation: Conversation, fields: dict[str, Any]) -> list[Change]:
    """Empty if there is no event: private conversations and empty ones have none."""
    id = event_id_of(conversation.id)
    return [Amend(Event, id, fields)] if await store.get_many(scope, Event, [id]) else []
