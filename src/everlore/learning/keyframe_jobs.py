"""Background jobs that make keyframes: a segment's outcome, its memory, and the interactions in it (K1–K3, K6). A
segment's reading records how far a conversation was read; it is saved together with all results, so that a crash leaves
nothing behind, and forming a segment again adds nothing.

Start at `FormKeyframes`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from everlore.domain.config import ConversationConfig, config_of
from everlore.domain.conversation import Author, Conversation, Message, MessageState
from everlore.domain.echo import is_echoing
from everlore.domain.event import Event
from everlore.domain.interaction import Interaction
from everlore.domain.job import Job
from everlore.domain.memory import Memory, MemoryType, Origin, Status
from everlore.domain.reading import Extractor, digest_of
from everlore.domain.scope import Scope
from everlore.learning.candidate import Asker, Candidate
from everlore.learning.extractors import forms_keyframes
from everlore.learning.jobs import keyframe_job
from everlore.learning.mind import LearningHandler, config_for
from everlore.learning.provenance import withdrawn
from everlore.learning.readings import keyframe_readings, reading_changes
from everlore.learning.saving.draft import Batch
from everlore.learning.saving.flow import batch_of
from everlore.learning.segments.episodes import event_id_of
from everlore.learning.segments.interactions import interaction_ids, interaction_of, pairs_in
from everlore.learning.segments.keyframes import (
    RULES,
    Segment,
    keyframe_of,
    own_room,
    room_for,
    rules_of,
    segment_bounds,
)
from everlore.learning.segments.sources import concerned, supporting, who_was_there
from everlore.models.chat import Purpose
from everlore.store.port import Change, Delete, Enqueue, Put, Store

# A segment requested by hand may be short, but two lines are no scene.
_LEAST_BY_HAND = 4


@dataclass(frozen=True, slots=True)
class _Due:
    """A segment to form: its first and last message, and whether it was formed before."""

    first: int
    last: int
    is_again: bool = False


@dataclass(frozen=True, slots=True)
class _Scene:
    conversation: Conversation
    config: ConversationConfig
    segment: Segment
    due: _Due
    persons: tuple[str, ...]


class FormKeyframes(LearningHandler):
    async def _run(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        conversation = await self._conversation(scope, str(job.payload["conversation_id"]))
        due = await self._due(scope, conversation, job) if conversation is not None else None
        if conversation is None or due is None:
            return []
        scene = await self._scene(scope, conversation, due)
        if not scene.segment.messages:
            return []
        changes = await self._formed(scope, scene, now)
        # The conversation may have become private while the model worked (F6).
        if await self._conversation(scope, conversation.id) is None:
            return []
        return [*changes, *self._next(scene, job, now)]

    async def _conversation(self, scope: Scope, id: str) -> Conversation | None:
        found = await self._tools.conversation(scope, id)
        return found if found is not None and forms_keyframes(found, config_of(found.config)) else None

    async def _due(self, scope: Scope, conversation: Conversation, job: Job) -> _Due | None:
        if "first_seq" in job.payload:
            return _Due(int(str(job.payload["first_seq"])), int(str(job.payload["last_seq"])), is_again=True)
        readings = await keyframe_readings(self._store, scope, conversation)
        read = max((each.last_seq for each in readings), default=0)
        newest = conversation.message_count
        if job.payload.get("now"):
            return _Due(read + 1, newest) if newest - read >= _LEAST_BY_HAND else None
        formed = await formed_of(self._store, scope, conversation)
        config = config_of(conversation.config)
        bounds = segment_bounds(read, newest, config.keyframe_every, formed, own_room(config))
        return _Due(*bounds) if bounds else None

    async def _scene(self, scope: Scope, conversation: Conversation, due: _Due) -> _Scene:
        found = await self._tools.messages(scope, conversation, due.first, due.last)
        messages = tuple(each for each in found if each.state is not MessageState.STREAMING)
        persons = await self._tools.persons(scope, conversation, messages)
        config = await config_for(self._store, scope, conversation)
        segment = Segment(
            messages=messages,
            names={id: each.name for id, each in persons.items()},
            setting=config.setting,
            replies_echo=_is_echo(messages),
        )
        return _Scene(conversation, config, segment, due, who_was_there(messages, conversation))

    async def _formed(self, scope: Scope, scene: _Scene, now: datetime) -> list[Change]:
        tools, conversation, due = self._tools, scene.conversation, scene.due
        lost = await self._lost(scope, scene, now) if due.is_again else []
        asker = await tools.asker(scope, Purpose.EXTRACTION, scene.config)
        formed = await formed_of(self._store, scope, conversation)
        number = len(await keyframe_readings(self._store, scope, conversation)) + 1
        rules = rules_of(scene.config, room=room_for(due.last, formed, own_room(scene.config)), segment_number=number)
        # Without anyone present for all of it, no one can remember it (V13).
        keyframe = await keyframe_of(scene.segment, asker, rules) if scene.persons else None
        passed = await self._passed(scope, scene, asker, now) if keyframe is not None else []
        before: list[Change] = [*lost, *map(Put, passed)]
        batches = [_batch(scene, each, passed) for each in (keyframe.candidates if keyframe else ())]
        result = await tools.save(scope, batches, now, after=before)
        reading = reading_changes(
            Extractor.KEYFRAME,
            scene.segment.messages[-1],
            (due.first, due.last),
            now,
            digest=digest_of(*(each.content for each in scene.segment.messages)),
            model=keyframe.model if keyframe else RULES,
            formed=result.formed,
            refused=(*(keyframe.refused if keyframe else ()), *result.refused),
        )
        return [*before, *result.changes, *reading]

    async def _passed(self, scope: Scope, scene: _Scene, asker: Asker | None, now: datetime) -> list[Interaction]:
        """The interactions of the user with each character who spoke: an interaction belongs to a pair (V10)."""
        events = await self._store.get_many(scope, Event, [event_id_of(scene.conversation.id)])
        event_id = events[0].id if events else None
        found: list[Interaction] = []
        for pair in pairs_in(scene.conversation, scene.segment):
            proposed = await interaction_of(pair.segment, asker)
            if proposed is not None:
                last = scene.due.last
                found.append(proposed.record(scene.conversation, pair, last, event_id=event_id, at=now))
        return found

    async def _lost(self, scope: Scope, scene: _Scene, now: datetime) -> list[Change]:
        """Withdraws the earlier results of a segment with a changed message, including those formed at the same time as
        the change."""
        ids = [each.id for each in scene.segment.messages]
        memories = await withdrawn(self._store, scope, ids, now, is_gone=False, origins=frozenset({Origin.KEYFRAME}))
        there = await self._store.get_many(scope, Interaction, interaction_ids(scene.conversation, scene.due.last))
        return [*memories, *(Delete(Interaction, each.id) for each in there)]

    def _next(self, scene: _Scene, job: Job, now: datetime) -> list[Change]:
        """Queues the job again for the next segment, if another one is due."""
        conversation, every = scene.conversation, scene.config.keyframe_every
        if "first_seq" in job.payload or not every or conversation.message_count - scene.due.last < every:
            return []
        return [Enqueue(keyframe_job(conversation, now, self._tools.new_id, number=-scene.due.last))]


async def formed_of(store: Store, scope: Scope, conversation: Conversation) -> int:
    """How many memories the segments and analyses of a conversation have formed so far (K2)."""
    where = {
        "conversation_id": conversation.id,
        "origin": (Origin.KEYFRAME.value, Origin.ANALYSIS.value),
        "status": (Status.ACTIVE.value, Status.PENDING.value),
    }
    return await store.count(scope, Memory, where)


def _batch(scene: _Scene, candidate: Candidate, passed: Sequence[Interaction]) -> Batch:
    is_keyframe = candidate.type is MemoryType.OUTCOME
    messages = scene.segment.messages
    sources = messages if is_keyframe else supporting(candidate.content, messages)
    persons = scene.persons if is_keyframe else concerned(sources, messages, scene.persons)
    between = [each for each in passed if {each.actor_id, each.interactor_id} <= set(persons)]
    return batch_of(
        scene.conversation,
        sources,
        (candidate,),
        persons,
        Origin.KEYFRAME,
        review=scene.config.review_memories and not is_keyframe,
        interaction_id=between[0].id if len(between) == 1 else None,
    )


def _is_echo(messages: Sequence[Message]) -> bool:
    """Whether a character repeated itself (V15). The built-in voice is exempt: it says little, often the same."""
    replies: dict[str | None, list[str]] = {}
    for each in messages:
        if each.author is Author.ASSISTANT and not each.metadata.get("built_in"):
            replies.setdefault(each.person_id, []).append(each.content)
    return any(is_echoing(said) for said in replies.values())
