"""Reads what the user said for facts, in the background: by rules at once, by a model when its turn comes.

A message is read once (M16): its reading says so. One that was changed since is read again, after all that came
from its old words was withdrawn (M15). Private conversations are never read, also if they became private while
the model was thinking (F6). Everything that comes of a job is kept together with its end, or not at all.

Start at `LearnFacts`; `facts_of` only says what a message states.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from everlore.learning.segments.sources import who_was_there
from everlore.models.chat import Purpose
from everlore.store.port import Change, Enqueue, Put, Store

_MOST_PEOPLE = 200


@dataclass(frozen=True, slots=True)
class MessageSource:
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


class LearnFacts(LearningHandler):
    """The handler of both jobs: `facts` goes by rules alone, `think` asks the model too."""

    async def _run(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        tools, heard = self._tools, await _heard(self._store, scope, str(job.payload["message_id"]))
        if heard is None or not learns_facts(heard.conversation, heard.config, heard.message, heard.persons):
            return []
        before = await self._reading(scope, heard.message)
        if _was_read(before, heard.message, job):
            return []
        is_new_text = before is not None and not is_of(before, heard.message)
        lost = await withdrawn(self._store, scope, [heard.message.id], now, is_gone=False) if is_new_text else []
        asker = await tools.asker(scope, Purpose.EXTRACTION, heard.config)
        reader = asker if job.kind == THINK else None
        record = await record_in(self._store, scope, reader) if reader is not None else None
        extracted = await facts_in(await _source(self._store, scope, heard), reader, trust_of(record, tools.trust))
        if reader is not None and not await self._is_still_so(scope, heard):
            return []
        result = await self._saved(scope, heard, extracted, reader_id(reader), lost, now)
        answered = [] if before else await confirmed(self._store, scope, heard.message, now)
        reading = reading_changes(
            Extractor.FACTS,
            heard.message,
            (heard.message.seq, heard.message.seq),
            now,
            digest=heard.digest,
            model=extracted.model,
            # Facts of the phrasebooks and of the model count together; the refused ones are those of the last reading.
            formed=result.formed + (before.formed if before is not None and not is_new_text else 0),
            refused=(*extracted.refused, *result.refused),
        )
        learnt = _without(result.changes, answered)
        kept = [*lost, *answered, *learnt, *reading, *self._next(heard, job, asker, now)]
        if record is None:
            return kept
        fared = after_answer(heard.conversation, record, extracted.tally, now, tools.new_id)
        gone = await outlived(self._store, scope, who_was_there([heard.message], heard.conversation), now)
        return [*kept, *fared, *_without(gone, kept)]

    async def _reading(self, scope: Scope, message: Message) -> Reading | None:
        id = reading_id(Extractor.FACTS, message.conversation_id, message.id)
        found = await self._store.get_many(scope, Reading, [id])
        return found[0] if found else None

    async def _is_still_so(self, scope: Scope, heard: MessageSource) -> bool:
        """A model may think for a minute: whatever was changed, deleted, hidden or made private meanwhile stands."""
        now = await _heard(self._store, scope, heard.message.id)
        if now is None or now.digest != heard.digest:
            return False
        return not (now.conversation.private or now.message.private or now.message.hidden)

    async def _saved(
        self,
        scope: Scope,
        heard: MessageSource,
        extracted: Extracted,
        reader: str,
        lost: Sequence[Change],
        now: datetime,
    ) -> Saved:
        message, conversation = heard.message, heard.conversation
        found = (*extracted.candidates, *extracted.doubted)
        batch = batch_of(
            conversation,
            [message],
            [_for_good(each, message.created_at) for each in found],
            who_was_there([message], conversation),
            Origin.EXTRACTOR,
            reader=reader,
            review=heard.config.review_memories,
            confirm=heard.config.confirm_facts,
        )
        return await self._tools.save(scope, [batch], now, after=lost)

    def _next(self, heard: MessageSource, job: Job, asker: Asker | None, now: datetime) -> list[Change]:
        """After the rules, the model: where there is one, and anything for it to read."""
        if job.kind == THINK or asker is None or not is_worth_reading(heard.text):
            return []
        again = bool(job.payload.get("again"))
        return [Enqueue(facts_job(heard.conversation, heard.message, now, self._tools.new_id, again=again, kind=THINK))]


async def facts_of(store: Store, scope: Scope, heard: MessageSource) -> tuple[str, ...]:
    """What a message states by rules alone, as it will be kept; nothing where it is not read for facts."""
    if not learns_facts(heard.conversation, heard.config, heard.message, heard.persons):
        return ()
    extracted = await facts_in(await _source(store, scope, heard), None)
    return tuple(_for_good(each, heard.message.created_at).content for each in extracted.candidates)


async def _heard(store: Store, scope: Scope, message_id: str) -> MessageSource | None:
    """None where the message is gone by now."""
    messages = await store.get_many(scope, Message, [message_id])
    if not messages:
        return None
    conversation = await store.get(scope, Conversation, messages[0].conversation_id)
    ids = (*conversation.system_ids, conversation.user_id, messages[0].person_id)
    found = await store.get_many(scope, Person, [id for id in ids if id is not None])
    persons = {each.id: each for each in found}
    return MessageSource(messages[0], conversation, config_with(conversation, persons), persons)


async def _source(store: Store, scope: Scope, heard: MessageSource) -> Source:
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


async def _people(store: Store, scope: Scope, heard: MessageSource) -> dict[str, str]:
    """Who is known by name to be in the user's life, among those who hear this: "Bram" is the brother."""
    there = who_was_there([heard.message], heard.conversation)
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


async def _turns_before(store: Store, scope: Scope, heard: MessageSource) -> tuple[EarlierMessage, ...]:
    seq = heard.message.seq
    where = {"conversation_id": heard.conversation.id, "seq": tuple(range(max(seq - BEFORE, 1), seq))}
    page = await store.find(scope, Message, where, limit=BEFORE)
    return tuple(_turn(each, heard.persons) for each in page.items if not (each.hidden or each.private))


def _for_good(candidate: Candidate, said_at: datetime) -> Candidate:
    """ "Last month" is another month when it is recalled."""
    return replace(candidate, content=absolute(candidate.content, said_at))


def _was_read(reading: Reading | None, message: Message, job: Job) -> bool:
    if reading is None or not is_of(reading, message) or job.payload.get("again"):
        return False
    return job.kind != THINK or reading.model != RULES


def _turn(message: Message, persons: dict[str, Person]) -> EarlierMessage:
    person = persons.get(message.person_id or "")
    name = said_by(message) or (person.name if person else message.author.value)
    return EarlierMessage(is_users_own(message), name, display(message.content).text)


def _without(changes: Sequence[Change], done: Sequence[Change]) -> list[Change]:
    """A memory changes once at a time: a plain yes and the same words again are one and the same."""
    touched = {each.record.id for each in done if isinstance(each, Put)}
    return [each for each in changes if id_of(each) not in touched]
