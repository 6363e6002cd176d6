"""Reads what the user said for facts, in the background: by rules at once, by a model when its turn comes.

A message is read once (M16): its reading says so. One that was changed since is read anew, after all that came
from its old words was withdrawn (M15). Private conversations are never read, also if they became private while
the model was thinking (F6). Everything that comes of a job is kept together with its end, or not at all.

Start at `LearnFacts`; `facts_of` only says what a message states.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from everlore.domain.claim import claim_in
from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Conversation, Message, is_users_own, said_by
from everlore.domain.dates import absolute
from everlore.domain.display import display
from everlore.domain.job import Job
from everlore.domain.memory import Category, Memory, Origin, Status
from everlore.domain.person import Person
from everlore.domain.reading import Extractor, Reading, digest_of, reading_id, refused_json
from everlore.domain.scope import Scope
from everlore.learning.candidate import Asker, Candidate, Extracted, Source, Turn
from everlore.learning.claims import introduced
from everlore.learning.confirming import confirmed
from everlore.learning.counting import kept_and_counted
from everlore.learning.extractors import learns_facts
from everlore.learning.facts.flow import RULES, facts_in, is_worth_reading
from everlore.learning.facts.trust import Trust, trust_of
from everlore.learning.following import withdrawn
from everlore.learning.jobs import THINK, think_job
from everlore.learning.mind import Mind, config_with
from everlore.learning.readings import BEFORE, is_of
from everlore.learning.saving.batches import place_of
from everlore.learning.saving.flow import Batch, Saved, saved
from everlore.learning.trusting import after_answer, outlived, reader_id, record_in
from everlore.models.chat import Purpose
from everlore.models.embedder import Embedder
from everlore.settings import SavingSettings
from everlore.store.port import Change, Delete, Enqueue, Put, Store

log = structlog.get_logger(__name__)

_MOST_PEOPLE = 200


@dataclass(frozen=True, slots=True)
class Heard:
    """A message with all that it takes to read it."""

    message: Message
    conversation: Conversation
    config: ConversationConfig
    persons: dict[str, Person]

    @property
    def text(self) -> str:
        return display(self.message.content).text

    @property
    def digest(self) -> str:
        return digest_of(self.message.content)


class LearnFacts:
    """The handler of both jobs: `facts` goes by rules alone, `think` asks the model too."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        mind: Mind,
        new_id: Callable[[], str],
        chosen: SavingSettings | None = None,
        trust: Trust | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._mind = mind
        self._new_id = new_id
        self._chosen = chosen
        self._trust = trust

    async def __call__(self, scope: Scope, jobs: Sequence[Job], now: datetime) -> list[Change]:
        changes: list[Change] = []
        for job in jobs:
            changes += await self._learn(scope, job, now)
        return changes

    async def _learn(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        heard = await _heard(self._store, scope, str(job.payload["message_id"]))
        if heard is None or not learns_facts(heard.conversation, heard.config, heard.message, heard.persons):
            return []
        before = await self._reading(scope, heard.message)
        if _was_read(before, heard.message, job):
            return []
        is_new_text = before is not None and not is_of(before, heard.message)
        lost = await withdrawn(self._store, scope, [heard.message.id], now, is_gone=False) if is_new_text else []
        asker = await self._mind.asker(scope, Purpose.EXTRACTION, heard.config)
        reader = asker if job.kind == THINK else None
        record = await record_in(self._store, scope, reader) if reader is not None else None
        extracted = await facts_in(await _source(self._store, scope, heard), reader, trust_of(record, self._trust))
        if reader is not None and not await self._is_still_so(scope, heard):
            return []
        result = await self._saved(scope, heard, extracted, reader_id(reader), lost, now)
        _log(heard.message, result)
        answered = [] if before else await confirmed(self._store, scope, heard.message, now)
        formed = result.formed + (before.formed if before is not None and not is_new_text else 0)
        reading = _reading(heard, extracted, result, formed, now)
        learnt = _without(result.changes, answered)
        kept = [*lost, *answered, *learnt, *kept_and_counted(reading), *self._next(heard, job, asker, now)]
        if record is None:
            return kept
        fared = after_answer(heard.conversation, record, extracted.tally, now, self._new_id)
        gone = await outlived(self._store, scope, _who_heard(heard.message, heard.conversation), now)
        return [*kept, *fared, *_without(gone, kept)]

    async def _reading(self, scope: Scope, message: Message) -> Reading | None:
        id = reading_id(Extractor.FACTS, message.conversation_id, message.id)
        found = await self._store.get_many(scope, Reading, [id])
        return found[0] if found else None

    async def _is_still_so(self, scope: Scope, heard: Heard) -> bool:
        """A model may think for a minute: whatever was changed, deleted, hidden or made private meanwhile stands."""
        now = await _heard(self._store, scope, heard.message.id)
        if now is None or now.digest != heard.digest:
            return False
        return not (now.conversation.private or now.message.private or now.message.hidden)

    async def _saved(
        self, scope: Scope, heard: Heard, extracted: Extracted, reader: str, lost: Sequence[Change], now: datetime
    ) -> Saved:
        message, conversation = heard.message, heard.conversation
        found = (*extracted.candidates, *extracted.doubted)
        batch = Batch(
            candidates=[_for_good(each, message.created_at) for each in found],
            reader=reader,
            persons=_who_heard(message, conversation),
            conversation_id=conversation.id,
            source_message_ids=(message.id,),
            said_at=message.created_at,
            origin=Origin.EXTRACTOR,
            review=heard.config.review_memories,
            confirm=heard.config.confirm_facts,
            **place_of(conversation),
        )
        return await saved(
            self._store, self._embedder, scope, batch, now, self._new_id, chosen=self._chosen, after=lost
        )

    def _next(self, heard: Heard, job: Job, asker: Asker | None, now: datetime) -> list[Change]:
        """After the rules, the model: where there is one, and anything for it to read."""
        if job.kind == THINK or asker is None or not is_worth_reading(heard.text):
            return []
        again = bool(job.payload.get("again"))
        return [Enqueue(think_job(heard.conversation, heard.message, now, self._new_id, again=again))]


async def facts_of(store: Store, scope: Scope, heard: Heard) -> tuple[str, ...]:
    """What a message states by rules alone, as it will be kept; nothing where it is not read for facts."""
    if not learns_facts(heard.conversation, heard.config, heard.message, heard.persons):
        return ()
    extracted = await facts_in(await _source(store, scope, heard), None)
    return tuple(_for_good(each, heard.message.created_at).content for each in extracted.candidates)


async def _heard(store: Store, scope: Scope, message_id: str) -> Heard | None:
    """None where the message is gone by now."""
    messages = await store.get_many(scope, Message, [message_id])
    if not messages:
        return None
    conversation = await store.get(scope, Conversation, messages[0].conversation_id)
    found = await store.get_many(scope, Person, _persons_of(conversation, messages[0]))
    persons = {each.id: each for each in found}
    return Heard(messages[0], conversation, config_with(conversation, persons), persons)


async def _source(store: Store, scope: Scope, heard: Heard) -> Source:
    message, conversation = heard.message, heard.conversation
    speaker = heard.persons.get(message.person_id or conversation.user_id or "")
    played = [heard.persons[id].name for id in conversation.system_ids if id in heard.persons]
    return Source(
        content=heard.text,
        at=message.created_at,
        assistants=tuple(played),
        user_name=speaker.name if speaker else "",
        before=await _turns_before(store, scope, heard),
        people=await _people(store, scope, heard),
    )


async def _people(store: Store, scope: Scope, heard: Heard) -> dict[str, str]:
    """Who is known by name to be in the user's life, among those who hear this: "Bram" is the brother."""
    there = _who_heard(heard.message, heard.conversation)
    if not there:
        return {}
    where = {
        "persons": there[0],
        "category": Category.RELATIONSHIP.value,
        "status": Status.ACTIVE.value,
    }
    page = await store.find(scope, Memory, where, limit=_MOST_PEOPLE, newest_first=True)
    theirs = [each for each in page.items if set(each.persons) == set(there)]
    return dict(known for each in reversed(theirs) if (known := introduced(claim_in(each.extra))))


async def _turns_before(store: Store, scope: Scope, heard: Heard) -> tuple[Turn, ...]:
    where = {"conversation_id": heard.conversation.id, "seq": _seqs_before(heard.message)}
    page = await store.find(scope, Message, where, limit=BEFORE)
    return tuple(_turn(each, heard.persons) for each in page.items if not (each.hidden or each.private))


def _reading(heard: Heard, extracted: Extracted, result: Saved, formed: int, now: datetime) -> Reading:
    """What rules and model formed counts together; what they refused is told by whoever read last."""
    message, refused = heard.message, (*extracted.refused, *result.refused)
    return Reading(
        workspace=message.workspace,
        id=reading_id(Extractor.FACTS, message.conversation_id, message.id),
        conversation_id=message.conversation_id,
        message_id=message.id,
        extractor=Extractor.FACTS,
        first_seq=message.seq,
        last_seq=message.seq,
        digest=heard.digest,
        model=extracted.model,
        formed=formed,
        has_refused=bool(refused),
        refused=refused_json(refused),
        created_at=now,
    )


def _for_good(candidate: Candidate, said_at: datetime) -> Candidate:
    """ "Last month" is another month when it is recalled."""
    return replace(candidate, content=absolute(candidate.content, said_at))


def _was_read(reading: Reading | None, message: Message, job: Job) -> bool:
    if reading is None or not is_of(reading, message) or job.payload.get("again"):
        return False
    return job.kind != THINK or reading.model != RULES


def _persons_of(conversation: Conversation, message: Message) -> list[str]:
    return [id for id in (*conversation.system_ids, conversation.user_id, message.person_id) if id is not None]


def _seqs_before(message: Message) -> tuple[int, ...]:
    return tuple(range(max(message.seq - BEFORE, 1), message.seq))


def _turn(message: Message, persons: dict[str, Person]) -> Turn:
    person = persons.get(message.person_id or "")
    name = said_by(message) or (person.name if person else message.author.value)
    return Turn(is_users_own(message), name, display(message.content).text)


def _who_heard(message: Message, conversation: Conversation) -> tuple[str, ...]:
    """Those who were there: only they can remember it (V13)."""
    everybody = (conversation.user_id, *conversation.system_ids)
    return tuple(sorted({id for id in (message.present or everybody) if id is not None}))


def _without(changes: Sequence[Change], done: Sequence[Change]) -> list[Change]:
    """A memory changes once at a time: a plain yes and the same words again are one and the same."""
    touched = {each.record.id for each in done if isinstance(each, Put)}
    return [each for each in changes if _changed_id(each) not in touched]


def _changed_id(change: Change) -> str | None:
    if isinstance(change, Put):
        return change.record.id
    return change.id if isinstance(change, Delete) else None


def _log(message: Message, result: Saved) -> None:
    """What the extractor refused, it has said itself."""
    for each in result.refused:
        log.info("learning.refused", message=message.id, filter=each.filter.value)
