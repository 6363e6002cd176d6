"""Makes keyframes in the background: what a segment of a talk came to, one memory of it, and what passed between
the two (K1–K3, K6). The reading of a segment says up to where a conversation was read; it is kept together with
all that came of it, so that a crash in the middle leaves nothing, and forming it again adds nothing.

Start at `FormKeyframes`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import structlog

from everlore.domain.config import ConversationConfig, config_of
from everlore.domain.conversation import Author, Conversation, Message, MessageState
from everlore.domain.echo import is_echoing
from everlore.domain.event import Event
from everlore.domain.interaction import Interaction
from everlore.domain.job import Job
from everlore.domain.memory import Memory, MemoryType, Origin, Status
from everlore.domain.person import Person
from everlore.domain.reading import Extractor, Reading, digest_of, reading_id, refused_json
from everlore.domain.scope import Scope
from everlore.domain.words import query_terms
from everlore.learning.candidate import Asker, Candidate
from everlore.learning.counting import kept_and_counted
from everlore.learning.extractors import forms_keyframes
from everlore.learning.following import withdrawn
from everlore.learning.jobs import keyframe_job
from everlore.learning.mind import Mind, config_for
from everlore.learning.readings import keyframe_readings
from everlore.learning.saving.batches import place_of, saved_all
from everlore.learning.saving.flow import Batch, Saved
from everlore.learning.segments.episodes import event_id_of
from everlore.learning.segments.interactions import interaction_ids, interaction_of, pairs_in
from everlore.learning.segments.keyframes import (
    RULES,
    Keyframe,
    Segment,
    keyframe_of,
    own_room,
    room_for,
    rules_of,
    segment_bounds,
)
from everlore.models.chat import Purpose
from everlore.models.embedder import Embedder
from everlore.settings import SavingSettings
from everlore.store.port import Change, Delete, Enqueue, Put, Store

log = structlog.get_logger(__name__)

_PAGE = 200
# A segment asked for by hand may be short, but two lines are no scene.
_LEAST_BY_HAND = 4
_MOST_SOURCES = 6


@dataclass(frozen=True, slots=True)
class _Due:
    """A segment that is to be formed: between which messages, and whether it was formed before."""

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


class FormKeyframes:
    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        mind: Mind,
        new_id: Callable[[], str],
        chosen: SavingSettings | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._mind = mind
        self._new_id = new_id
        self._chosen = chosen

    async def __call__(self, scope: Scope, jobs: Sequence[Job], now: datetime) -> list[Change]:
        changes: list[Change] = []
        for job in jobs:
            changes += await self._form(scope, job, now)
        return changes

    async def _form(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        conversation = await self._conversation(scope, str(job.payload["conversation_id"]))
        if conversation is None:
            return []
        due = await self._due(scope, conversation, job)
        if due is None:
            return []
        scene = await self._scene(scope, conversation, due)
        if not scene.segment.messages:
            return []
        changes = await self._formed(scope, scene, now)
        if await self._conversation(scope, conversation.id) is None:
            return []
        return [*changes, *self._next(scene, job, now)]

    async def _conversation(self, scope: Scope, id: str) -> Conversation | None:
        found = await self._store.get_many(scope, Conversation, [id])
        return found[0] if found and forms_keyframes(found[0], config_of(found[0].config)) else None

    async def _due(self, scope: Scope, conversation: Conversation, job: Job) -> _Due | None:
        if "first_seq" in job.payload:
            return _Due(int(str(job.payload["first_seq"])), int(str(job.payload["last_seq"])), is_again=True)
        read = await self._read_to(scope, conversation)
        newest = conversation.message_count
        if job.payload.get("now"):
            return _Due(read + 1, newest) if newest - read >= _LEAST_BY_HAND else None
        formed = await formed_of(self._store, scope, conversation)
        config = config_of(conversation.config)
        bounds = segment_bounds(read, newest, config.keyframe_every, formed, own_room(config))
        return _Due(*bounds) if bounds else None

    async def _read_to(self, scope: Scope, conversation: Conversation) -> int:
        readings = await keyframe_readings(self._store, scope, conversation)
        return max((each.last_seq for each in readings), default=0)

    async def _scene(self, scope: Scope, conversation: Conversation, due: _Due) -> _Scene:
        messages = await self._messages(scope, conversation, due)
        ids = [id for id in (conversation.user_id, *conversation.system_ids) if id is not None]
        spoken = [each.person_id for each in messages if each.person_id is not None]
        persons = await self._store.get_many(scope, Person, dict.fromkeys([*ids, *spoken]))
        config = await config_for(self._store, scope, conversation)
        segment = Segment(
            messages=messages,
            names={each.id: each.name for each in persons},
            setting=config.setting,
            replies_echo=_is_echo(messages),
        )
        return _Scene(conversation, config, segment, due, who_was_there(messages, conversation))

    async def _messages(self, scope: Scope, conversation: Conversation, due: _Due) -> tuple[Message, ...]:
        found: list[Message] = []
        for first in range(due.first, due.last + 1, _PAGE):
            seqs = range(first, min(first + _PAGE, due.last + 1))
            where = {"conversation_id": conversation.id, "seq": tuple(seqs)}
            found += (await self._store.find(scope, Message, where, limit=_PAGE)).items
        return tuple(each for each in found if each.state is not MessageState.STREAMING)

    async def _formed(self, scope: Scope, scene: _Scene, now: datetime) -> list[Change]:
        conversation = scene.conversation
        lost = await self._lost(scope, scene, now) if scene.due.is_again else []
        asker = await self._mind.asker(scope, Purpose.EXTRACTION, scene.config)
        formed = await formed_of(self._store, scope, conversation)
        number = len(await keyframe_readings(self._store, scope, conversation)) + 1
        room = room_for(scene.due.last, formed, own_room(scene.config))
        rules = rules_of(scene.config, room=room, segment_number=number)
        # Nobody was there for all of it: there is nobody to remember it (V13).
        keyframe = await keyframe_of(scene.segment, asker, rules) if scene.persons else None
        passed = await self._passed(scope, scene, asker, now) if keyframe is not None else []
        before: list[Change] = [*lost, *map(Put, passed)]
        result = await self._saved(scope, scene, keyframe, passed, before, now)
        _log(scene, keyframe, result)
        reading = _reading(scene, keyframe, result, now)
        return [*before, *result.changes, *kept_and_counted(reading)]

    async def _passed(self, scope: Scope, scene: _Scene, asker: Asker | None, now: datetime) -> list[Interaction]:
        """What passed between the user and each who spoke with them: an interaction belongs to its pair (V10)."""
        event_id = await self._event_id(scope, scene.conversation)
        found: list[Interaction] = []
        for part in pairs_in(scene.conversation, scene.segment):
            proposed = await interaction_of(part, asker)
            last = scene.due.last
            record = proposed and proposed.record(scene.conversation, part, event_id=event_id, at=now, last_seq=last)
            found += [record] if record else []
        return found

    async def _lost(self, scope: Scope, scene: _Scene, now: datetime) -> list[Change]:
        """What the segment came to before one of its messages was changed: once more, for whatever was formed of it
        while that happened."""
        ids = [each.id for each in scene.segment.messages]
        memories = await withdrawn(self._store, scope, ids, now, is_gone=False, origins=frozenset({Origin.KEYFRAME}))
        there = await self._store.get_many(scope, Interaction, interaction_ids(scene.conversation, scene.due.last))
        return [*memories, *(Delete(Interaction, each.id) for each in there)]

    async def _event_id(self, scope: Scope, conversation: Conversation) -> str | None:
        found = await self._store.get_many(scope, Event, [event_id_of(conversation)])
        return found[0].id if found else None

    async def _saved(
        self,
        scope: Scope,
        scene: _Scene,
        keyframe: Keyframe | None,
        passed: Sequence[Interaction],
        before: Sequence[Change],
        now: datetime,
    ) -> Saved:
        batches = [_batch(scene, each, passed) for each in (keyframe.candidates if keyframe else ())]
        return await saved_all(
            self._store, self._embedder, scope, batches, now, self._new_id, chosen=self._chosen, after=before
        )

    def _next(self, scene: _Scene, job: Job, now: datetime) -> list[Change]:
        """One segment at a time: what is left is asked for anew."""
        conversation, changes = scene.conversation, list[Change]()
        every = scene.config.keyframe_every
        if "first_seq" not in job.payload and every and conversation.message_count - scene.due.last >= every:
            changes.append(Enqueue(keyframe_job(conversation, now, self._new_id, number=-scene.due.last)))
        return changes


async def formed_of(store: Store, scope: Scope, conversation: Conversation) -> int:
    """How many memories the segments and analyses of a conversation have left so far (K2)."""
    where = {
        "conversation_id": conversation.id,
        "origin": (Origin.KEYFRAME.value, Origin.ANALYSIS.value),
        "status": (Status.ACTIVE.value, Status.PENDING.value),
    }
    return await store.count(scope, Memory, where)


def who_was_there(messages: Sequence[Message], conversation: Conversation) -> tuple[str, ...]:
    """Those who were there for all of it: only they can remember it (V13)."""
    everybody = {id for id in (conversation.user_id, *conversation.system_ids) if id is not None}
    there = set(everybody)
    for message in messages:
        there &= set(message.present) if message.present else everybody
    return tuple(sorted(there))


def supporting(content: str, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages that a statement most likely came from: those that have the most of its words, in their order.
    All of them where none has any."""
    wanted = set(query_terms(content))
    shared = {each.id: len(wanted & set(query_terms(each.content, most=2_000))) for each in messages}
    best = max(shared.values(), default=0)
    if not best:
        return tuple(messages)
    ranked = sorted(messages, key=lambda each: (-shared[each.id], each.seq))
    near = [each for each in ranked if 2 * shared[each.id] >= best][:_MOST_SOURCES]
    return tuple(sorted(near, key=lambda each: each.seq))


def concerned(sources: Sequence[Message], scene: Sequence[Message], there: tuple[str, ...]) -> tuple[str, ...]:
    """Whose memory it is: of those who were there, who spoke in it and to whom they spoke (V10): who answers the user,
    and whom a character answers. All of them where that would leave one alone."""
    ids = {each.id for each in sources}
    speakers = {each.person_id for each in sources}
    for one, other in pairwise(scene):
        if one.id in ids and one.author is Author.USER:
            speakers.add(other.person_id)
        if other.id in ids and other.author is not Author.USER:
            speakers.add(one.person_id)
    own = tuple(id for id in there if id in speakers)
    return own if len(own) > 1 else there


def _batch(scene: _Scene, candidate: Candidate, passed: Sequence[Interaction]) -> Batch:
    is_keyframe = candidate.type is MemoryType.OUTCOME
    messages = scene.segment.messages
    sources = messages if is_keyframe else supporting(candidate.content, messages)
    persons = scene.persons if is_keyframe else concerned(sources, messages, scene.persons)
    between = [each for each in passed if {each.actor_id, each.interactor_id} <= set(persons)]
    return Batch(
        candidates=(candidate,),
        persons=persons,
        conversation_id=scene.conversation.id,
        source_message_ids=tuple(each.id for each in sources),
        said_at=max(each.created_at for each in sources),
        origin=Origin.KEYFRAME,
        review=scene.config.review_memories and not is_keyframe,
        interaction_id=between[0].id if len(between) == 1 else None,
        **place_of(scene.conversation),
    )


def _is_echo(messages: Sequence[Message]) -> bool:
    """Whether any character ended up repeating itself (V15). The built-in voice says little, and often the same."""
    replies: dict[str | None, list[str]] = {}
    for each in messages:
        if each.author is Author.ASSISTANT and not each.metadata.get("built_in"):
            replies.setdefault(each.person_id, []).append(each.content)
    return any(is_echoing(said) for said in replies.values())


def _reading(scene: _Scene, keyframe: Keyframe | None, result: Saved, now: datetime) -> Reading:
    messages, conversation = scene.segment.messages, scene.conversation
    refused = (*(keyframe.refused if keyframe else ()), *result.refused)
    return Reading(
        workspace=conversation.workspace,
        id=reading_id(Extractor.KEYFRAME, conversation.id, str(scene.due.last)),
        conversation_id=conversation.id,
        message_id=messages[-1].id,
        extractor=Extractor.KEYFRAME,
        first_seq=scene.due.first,
        last_seq=scene.due.last,
        digest=digest_of(*(each.content for each in messages)),
        model=keyframe.model if keyframe else RULES,
        formed=result.formed,
        has_refused=bool(refused),
        refused=refused_json(refused),
        created_at=now,
    )


def _log(scene: _Scene, keyframe: Keyframe | None, result: Saved) -> None:
    for each in (*(keyframe.refused if keyframe else ()), *result.refused):
        log.info("learning.refused", conversation=scene.conversation.id, filter=each.filter.value)
