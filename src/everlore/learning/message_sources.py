"""Loads messages with everything needed to read them for facts, for many at once.

Jobs of one user are batched if many wait: the data of all is fetched together, and later jobs see the changes of
earlier ones although those are not saved yet. Start at `fetch`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from everlore.domain.claim import claim_in
from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Conversation, Message, is_users_own, said_by
from everlore.domain.display import display
from everlore.domain.memory import Category, Memory, Status
from everlore.domain.person import Person
from everlore.domain.reading import Extractor, Reading, digest_of, reading_id
from everlore.domain.scope import Scope
from everlore.learning.candidate import EarlierMessage, Source
from everlore.learning.claims import introduced
from everlore.learning.mind import config_with
from everlore.learning.readings import BEFORE
from everlore.learning.segments.sources import who_was_there
from everlore.store.port import Change, Put, Store

_MOST_PEOPLE = 200


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
