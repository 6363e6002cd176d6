"""Background jobs that read user messages for facts: by rules at once, by a model when its turn comes.

Each message is read once (M16), as recorded in its reading. A changed message is read again, after the facts from its
old text were withdrawn (M15). Private conversations are never read, even if they became private while the model worked
(F6). All results of a job are saved together with its end, or not at all. Jobs of one user are done together if many
wait: the data of all is fetched at once, and later jobs see the unsaved changes of earlier ones.

Start at `LearnFacts`; `facts_of` only says what a message states, `fetch` loads messages.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from everlore.domain.claim import claim_in
from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Conversation, Message, is_users_own, said_by
from everlore.domain.dates import absolute
from everlore.domain.display import display
from everlore.domain.job import Job
from everlore.domain.memory import Category, Memory, Origin, Status
from everlore.domain.person import Person
from everlore.domain.reading import Extractor, Reading, digest_of, reading_id
from everlore.domain.scope import Scope
from everlore.errors import Conflict
from everlore.learning.candidate import Asker, Candidate, EarlierMessage, Extracted, Source
from everlore.learning.claims import introduced
from everlore.learning.confirmation import confirmed
from everlore.learning.extractors import learns_facts
from everlore.learning.facts.flow import RULES, facts_in, is_worth_reading
from everlore.learning.facts.trust import trust_of
from everlore.learning.jobs import THINK, facts_job
from everlore.learning.mind import LearningHandler, config_with
from everlore.learning.model_records import after_answer, outlived, reader_id, record_in
from everlore.learning.provenance import id_of, withdrawn
from everlore.learning.readings import BEFORE, is_of, reading_changes
from everlore.learning.saving.flow import Saved, batch_of
from everlore.learning.saving.neighbour_index import NeighbourIndexes
from everlore.learning.segments.sources import who_was_there
from everlore.models.chat import Purpose
from everlore.store.port import Change, Enqueue, Put, Store

_MOST_PEOPLE = 200


# ── messages with what is needed to read them ────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class MessageSource:
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

    @property
    def there(self) -> tuple[str, ...]:
        return who_was_there([self.message], self.conversation)


@dataclass(slots=True)
class MessageSources:
    """`changes`: the results of the messages read so far, not in the store yet."""

    by_id: dict[str, MessageSource]
    before: dict[str, tuple[Message, ...]]
    relatives: dict[tuple[str, ...], dict[str, Memory]]
    readings: dict[str, Reading] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)

    def reading(self, message: Message) -> Reading | None:
        return self.readings.get(_reading_id(message))

    def keep(self, changes: Sequence[Change]) -> None:
        self.changes += changes
        for record in (each.record for each in changes if isinstance(each, Put)):
            if isinstance(record, Reading):
                self.readings[record.id] = record
            elif isinstance(record, Memory):
                self.relatives.setdefault(tuple(sorted(record.persons)), {})[record.id] = record

    def source(self, heard: MessageSource) -> Source:
        message, persons = heard.message, heard.persons
        speaker = persons.get(message.person_id or heard.conversation.user_id or "")
        return Source(
            content=heard.text,
            at=message.created_at,
            assistants=tuple(persons[id].name for id in heard.conversation.system_ids if id in persons),
            user_name=speaker.name if speaker else "",
            before=tuple(
                _turn(each, persons) for each in self.before.get(message.id, ()) if not (each.hidden or each.private)
            ),
            people=self._people(heard.there),
        )

    def _people(self, there: tuple[str, ...]) -> dict[str, str]:
        """Known people in the user's life by name, as far as everyone present may know them: "Bram" is the brother."""
        known = sorted(self.relatives.get(there, {}).values(), key=lambda each: (each.created_at, each.id))
        told = (each for each in known if each.category is Category.RELATIONSHIP and each.status is Status.ACTIVE)
        return dict(person for each in told if (person := introduced(claim_in(each.extra))))


async def fetch(store: Store, scope: Scope, message_ids: Iterable[str]) -> MessageSources:
    """Loads these messages, except deleted ones."""
    sources = await around(store, scope, await sources_of(store, scope, message_ids))
    ids = [_reading_id(each.message) for each in sources.by_id.values()]
    return replace(sources, readings={each.id: each for each in await store.get_many(scope, Reading, ids)})


async def around(store: Store, scope: Scope, by_id: dict[str, MessageSource]) -> MessageSources:
    """Adds the messages before each, and the known people."""
    before = await _before(store, scope, [each.message for each in by_id.values()])
    groups = {each.there for each in by_id.values()}
    return MessageSources(by_id, before, {there: await _relatives(store, scope, there) for there in groups if there})


async def sources_of(store: Store, scope: Scope, message_ids: Iterable[str]) -> dict[str, MessageSource]:
    messages = await store.get_many(scope, Message, list(dict.fromkeys(message_ids)))
    found = await store.get_many(scope, Conversation, list({each.conversation_id for each in messages}))
    conversations = {each.id: each for each in found}
    ids = {id for each in found for id in (*each.system_ids, each.user_id)} | {each.person_id for each in messages}
    persons = {each.id: each for each in await store.get_many(scope, Person, [id for id in ids if id is not None])}
    return {
        each.id: MessageSource(each, conversation, config_with(conversation, persons), persons)
        for each in messages
        if (conversation := conversations.get(each.conversation_id))
    }


def _reading_id(message: Message) -> str:
    return reading_id(Extractor.FACTS, message.conversation_id, message.id)


async def _before(store: Store, scope: Scope, messages: Sequence[Message]) -> dict[str, tuple[Message, ...]]:
    """The few messages before each message."""
    wanted: dict[str, set[int]] = {}
    for each in messages:
        wanted.setdefault(each.conversation_id, set()).update(_seqs_before(each))
    found: dict[tuple[str, int], Message] = {}
    for conversation_id, seqs in wanted.items():
        if seqs:
            where = {"conversation_id": conversation_id, "seq": tuple(sorted(seqs))}
            page = await store.find(scope, Message, where, limit=len(seqs))
            found |= {(conversation_id, each.seq): each for each in page.items}
    return {
        each.id: tuple(
            found[each.conversation_id, seq] for seq in _seqs_before(each) if (each.conversation_id, seq) in found
        )
        for each in messages
    }


def _seqs_before(message: Message) -> range:
    return range(max(message.seq - BEFORE, 1), message.seq)


async def _relatives(store: Store, scope: Scope, there: tuple[str, ...]) -> dict[str, Memory]:
    where = {"persons": there[0], "category": Category.RELATIONSHIP.value, "status": Status.ACTIVE.value}
    page = await store.find(scope, Memory, where, limit=_MOST_PEOPLE, newest_first=True)
    return {each.id: each for each in page.items if set(each.persons) == set(there)}


def _turn(message: Message, persons: dict[str, Person]) -> EarlierMessage:
    person = persons.get(message.person_id or "")
    name = said_by(message) or (person.name if person else message.author.value)
    return EarlierMessage(is_users_own(message), name, display(message.content).text)


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Run:
    """Messages that are read together, and data fetched for one of them that the next ones reuse."""

    scope: Scope
    now: datetime
    sources: MessageSources
    indexes: NeighbourIndexes
    # By conversation id.
    askers: dict[str, Asker | None] = field(default_factory=dict)


class LearnFacts(LearningHandler):
    """The handler of both jobs: `facts` uses rules only, `think` also asks the model."""

    async def __call__(self, scope: Scope, jobs: Sequence[Job], now: datetime) -> list[Change]:
        """A model may take a minute, so each of its jobs fetches its data when it starts, not before."""
        if jobs[0].kind == THINK:
            return await super().__call__(scope, jobs, now)
        return await self._read(scope, jobs, now)

    async def _run(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        return await self._read(scope, [job], now)

    async def _read(self, scope: Scope, jobs: Sequence[Job], now: datetime) -> list[Change]:
        sources = await fetch(self._store, scope, [_message_id(job) for job in jobs])
        run = _Run(scope, now, sources, NeighbourIndexes(self._store, scope))
        await run.indexes.from_sources(list(sources.by_id))
        read: list[MessageSource] = []
        for job in jobs:
            source = sources.by_id.get(_message_id(job))
            if source is None or not learns_facts(source.conversation, source.config, source.message, source.persons):
                continue
            if not _was_read(sources.reading(source.message), source.message, job):
                sources.keep(await self._one(run, job, source))
                read.append(source)
        if len(jobs) > 1 and not await self._are_unchanged(scope, read):
            raise Conflict("Messages were changed while they were read together. They are read again one by one.")
        return sources.changes

    async def _one(self, run: "_Run", job: Job, source: MessageSource) -> list[Change]:
        tools, scope, now, sources, message = self._tools, run.scope, run.now, run.sources, source.message
        before = sources.reading(message)
        asker = await self._asker(run, source)
        is_new_text = before is not None and not is_of(before, message)
        lost = await withdrawn(self._store, scope, [message.id], now, is_gone=False) if is_new_text else []
        reader = asker if job.kind == THINK else None
        record = await record_in(self._store, scope, reader) if reader is not None else None
        extracted = await facts_in(sources.source(source), reader, trust_of(record, tools.trust))
        if reader is not None and not await self._are_unchanged(scope, [source]):
            return []
        ahead = [*sources.changes, *lost]
        result = await self._saved(run, source, extracted, reader_id(reader), ahead)
        answered = [] if before else await confirmed(self._store, scope, message, now)
        reading = reading_changes(
            Extractor.FACTS,
            message,
            (message.seq, message.seq),
            now,
            digest=source.digest,
            model=extracted.model,
            # Formed facts of phrasebooks and model add up; refused ones are those of the latest reading.
            formed=result.formed + (before.formed if before is not None and not is_new_text else 0),
            refused=(*extracted.refused, *result.refused),
        )
        learnt = _without(result.changes, answered)
        kept = [*lost, *answered, *learnt, *reading, *self._next(source, job, asker, now)]
        if record is None:
            return kept
        fared = after_answer(source.conversation, record, extracted.tally, now, tools.new_id)
        gone = await outlived(self._store, scope, source.there, now)
        return [*kept, *fared, *_without(gone, kept)]

    async def _are_unchanged(self, scope: Scope, sources: Sequence[MessageSource]) -> bool:
        """Whether none of these was changed, deleted, hidden or made private while it was read."""
        now = await sources_of(self._store, scope, [each.message.id for each in sources])
        return all(
            (found := now.get(each.message.id)) is not None
            and found.digest == each.digest
            and not (found.conversation.private or found.message.private or found.message.hidden)
            for each in sources
        )

    async def _asker(self, run: "_Run", source: MessageSource) -> Asker | None:
        of = source.conversation.id
        if of not in run.askers:
            run.askers[of] = await self._tools.asker(run.scope, Purpose.EXTRACTION, source.config)
        return run.askers[of]

    async def _saved(
        self, run: "_Run", source: MessageSource, extracted: Extracted, reader: str, ahead: Sequence[Change]
    ) -> Saved:
        message, conversation = source.message, source.conversation
        found = (*extracted.candidates, *extracted.doubted)
        batch = batch_of(
            conversation,
            [message],
            [_for_good(each, message.created_at) for each in found],
            source.there,
            Origin.EXTRACTOR,
            reader=reader,
            review=source.config.review_memories,
            confirm=source.config.confirm_facts,
        )
        return await self._tools.save(run.scope, [batch], run.now, after=ahead, indexes=run.indexes)

    def _next(self, source: MessageSource, job: Job, asker: Asker | None, now: datetime) -> list[Change]:
        """Queue the model's job, if there is a model and the text is worth reading."""
        if job.kind == THINK or asker is None or not is_worth_reading(source.text):
            return []
        again = bool(job.payload.get("again"))
        return [
            Enqueue(facts_job(source.conversation, source.message, now, self._tools.new_id, again=again, kind=THINK))
        ]


async def facts_of(store: Store, scope: Scope, source: MessageSource) -> tuple[str, ...]:
    """The facts in a message by rules alone, as they would be saved; empty if it is not read for facts."""
    if not learns_facts(source.conversation, source.config, source.message, source.persons):
        return ()
    sources = await around(store, scope, {source.message.id: source})
    extracted = await facts_in(sources.source(source), None)
    return tuple(_for_good(each, source.message.created_at).content for each in extracted.candidates)


def _message_id(job: Job) -> str:
    return str(job.payload["message_id"])


def _for_good(candidate: Candidate, said_at: datetime) -> Candidate:
    """With absolute dates: "last month" means another month later on."""
    return replace(candidate, content=absolute(candidate.content, said_at))


def _was_read(reading: Reading | None, message: Message, job: Job) -> bool:
    if reading is None or not is_of(reading, message) or job.payload.get("again"):
        return False
    return job.kind != THINK or reading.model != RULES


def _without(changes: Sequence[Change], done: Sequence[Change]) -> list[Change]:
    """Without repeated changes to a memory: a plain yes and the same statement again are one change."""
    touched = {each.record.id for each in done if isinstance(each, Put)}
    return [each for each in changes if id_of(each) not in touched]
