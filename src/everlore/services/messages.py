"""The messages of a conversation: read, edit, choose alternatives, delete, pin as a memory.

Messages are never pruned: only people delete them from the log (V3).
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import takewhile
from typing import Any

from everlore.domain.bounds import Json
from everlore.domain.conversation import Author, Conversation, Message, MessageState, Withdrawal, withdrawal_of
from everlore.domain.memory import Memory, MemoryType, Origin, source_uri_of
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.domain.visibility import as_read_by, caller_in
from everlore.errors import BadAsk, Conflict, NotFound
from everlore.learning.extractors import learns_facts
from everlore.learning.jobs import facts_job
from everlore.learning.provenance import followed
from everlore.learning.segments.sources import who_was_there
from everlore.services.base import Service
from everlore.services.memory_writes import SavedMemory, save
from everlore.services.message_search import search_messages
from everlore.services.scoped_turns import ScopedTurns
from everlore.store.all_pages import all_of, each_of, items_of
from everlore.store.answers import Page
from everlore.store.port import Change, Delete, Enqueue, Put
from everlore.turn import follow_up, replies
from everlore.turn.begin import message_of, refuse_empty
from everlore.turn.ownership import conversation_of
from everlore.turn.resources import Resources
from everlore.turn.stage import Stage, set_stage
from everlore.turn.tellings import known_to, retold_by, told_in_history
from everlore.turn.title_job import untitled

MOST_PINNED = 20
_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class RecordedLine:
    """One line of a conversation that took place elsewhere; without a speaker it was the user's."""

    content: str
    speaker: Person | str | None = None
    at: datetime | None = None
    metadata: Json = field(default_factory=dict)


class Messages(Service):
    def __init__(self, scope: Scope, resources: Resources, turns: ScopedTurns) -> None:
        super().__init__(scope, resources)
        self._turns = turns

    async def list(
        self,
        id: str,
        *,
        limit: int = 50,
        cursor: str | None = None,
        newest_first: bool = False,
        hidden: bool | None = None,
    ) -> Page:
        """As the caller may read them: only the owner sees thoughts. `hidden`: only hidden ones, or only visible
        ones."""
        page = await self._stored_page(id, limit=limit, cursor=cursor, newest_first=newest_first, hidden=hidden)
        return Page(tuple(map(self.as_read, page.items)), page.cursor)

    async def _stored_page(
        self,
        id: str,
        *,
        limit: int = 50,
        cursor: str | None = None,
        newest_first: bool = False,
        hidden: bool | None = None,
    ) -> Page:
        await conversation_of(self._store, self._scope, id)
        where: dict[str, Any] = {"conversation_id": id} | ({} if hidden is None else {"hidden": hidden})
        page = await self._store.find(
            self._scope, Message, where, limit=limit, cursor=cursor, newest_first=newest_first
        )
        return Page(tuple(await self._turns.mend(page.items)), page.cursor)

    async def search(
        self, query: str, *, conversation_id: str | None = None, limit: int = 50, cursor: str | None = None
    ) -> Page:
        """A page of `MessageMatch`: in one chat, or in all that the caller may open except private ones (U16)."""
        return await search_messages(
            self._store,
            self._scope,
            self.as_read,
            query,
            conversation_id=conversation_id,
            limit=limit,
            cursor=cursor,
        )

    async def all(self, id: str) -> tuple[Message, ...]:
        return tuple([each async for each in items_of(partial(self.list, id, limit=_PAGE))])

    async def stored(self, id: str) -> tuple[Message, ...]:
        """All of them as they are stored, thoughts included: for copies, not for display."""
        return tuple([each async for each in items_of(partial(self._stored_page, id, limit=_PAGE))])

    def as_read(self, message: Message) -> Message:
        return as_read_by(caller_in(self._scope), message)

    async def get(self, id: str, message_id: str) -> Message:
        return self.as_read(await self._stored(id, message_id))

    async def _stored(self, id: str, message_id: str) -> Message:
        # The same error whether it is in another conversation or does not exist: it may be somebody else's.
        found = await self._store.get_many(self._scope, Message, [message_id])
        if not found or found[0].conversation_id != id:
            raise NotFound(f"There is no message {message_id!r} in conversation {id!r}.")
        (mended,) = await self._turns.mend(found)
        return mended

    async def told(self, messages: Sequence[Message]) -> dict[str, str]:
        """The texts of the memories that these messages tell, by id: those that may still be told and that the caller
        knows (R11)."""
        found = await told_in_history(self._resources, self._scope, messages)
        known = await known_to(self._resources, self._scope, found)
        return {id: memory.content for id, memory in known.items()}

    async def record(self, id: str, said: Sequence[RecordedLine], *, learn: bool = False) -> tuple[Message, ...]:
        """Save a conversation that took place elsewhere, all of it or nothing. It is searchable like any other; nothing
        is learned from it until somebody asks for that (`lore.learning.extract`), or at once with `learn`."""
        stage = await set_stage(self._resources, self._scope, id)
        messages = [self._line(stage, each) for each in said]
        if not messages:
            return ()
        opening = follow_up.opening(stage.conversation, stage.persons, messages[0].created_at)
        begun = [] if stage.conversation.message_count else opening
        last = stage.conversation.message_count + len(messages)
        grown = follow_up.grown(self._scope, stage, messages, last, self._resources.clock(), self._resources.new_id)
        to_read = self._to_read(stage, messages) if learn else []
        kept = await self._store.apply(self._scope, [*map(Put, messages), *begun, *to_read, *grown])
        return tuple(kept[: len(messages)])

    def _to_read(self, stage: Stage, messages: Sequence[Message]) -> Sequence[Change]:
        now, new_id, conversation = self._resources.clock(), self._resources.new_id, stage.conversation
        heard = [each for each in messages if learns_facts(conversation, stage.config, each, stage.persons)]
        return [Enqueue(facts_job(conversation, each, now, new_id)) for each in heard]

    def _line(self, stage: Stage, said: RecordedLine) -> Message:
        refuse_empty(said.content, "A line must say something.")
        conversation, resources = stage.conversation, self._resources
        speaker = said.speaker.id if isinstance(said.speaker, Person) else said.speaker or _speaker_of(conversation)
        if speaker not in (conversation.user_id, *conversation.system_ids):
            raise BadAsk(f"{speaker!r} takes no part in conversation {conversation.id!r}. Start it with them.")
        author = Author.USER if speaker == conversation.user_id else Author.ASSISTANT
        message = message_of(
            stage, resources.new_id(), said.content, said.at or resources.clock(), author=author, person_id=speaker
        )
        return replace(message, tokens=resources.tokenizer.count(said.content), metadata=said.metadata)

    async def edit(
        self,
        id: str,
        message_id: str,
        *,
        content: str | None = None,
        hidden: bool | None = None,
        keeps_version: bool = False,
    ) -> Message:
        """`keeps_version`: the old text stays as an alternative."""
        before = await self._unwritten(id, message_id)
        message, now = before, self._resources.clock()
        if content is not None:
            if not content.strip():
                raise BadAsk("The message would be empty. Give it a text, or delete it.")
            edit = replies.revised if keeps_version else replies.edited
            message = edit(message, content, now)
        if hidden is not None:
            message = replace(message, hidden=hidden, updated_at=now)
        return await self._replace(before, message)

    async def choose(self, id: str, message_id: str, index: int) -> Message:
        """Choose another of a reply's alternatives."""
        message = await self._unwritten(id, message_id)
        count = max(len(message.alternatives), 1)
        if not 0 <= index < count:
            raise BadAsk(f"There is no alternative {index}; this message has {count}, counted from 0.")
        if count == 1:
            return message
        return await self._replace(message, replies.chosen(message, index, self._resources.clock()))

    async def remove(self, id: str, message_id: str, *, from_here: bool = False) -> tuple[str, ...]:
        """Delete a message, or it and all after it; returns the ids of those deleted."""
        message = await self._unwritten(id, message_id)
        gone = [message]
        if from_here:
            gone += [each for each in await self.all(id) if each.seq > message.seq]
        is_written = self._turns.writing(id) is not None or any(map(self._turns.is_being_written, gone))
        if is_written and from_here:
            raise Conflict("A reply is being written after this message. Stop it first.")
        changes = [*await self._followed(gone, was=gone, is_gone=True), *(Delete(Message, each.id) for each in gone)]
        await self._apply(changes)
        return tuple(each.id for each in gone)

    async def withdraw(self, id: str, message_ids: Sequence[str], *, restored: Sequence[str] = ()) -> None:
        """Takes messages out of the conversation, for a client that no longer sends them; they stay in the log, hidden,
        and can be restored. Memories learned from them are withdrawn too. `restored`: messages that the client sends
        again."""
        leaving = [await self._unwritten(id, each) for each in message_ids]
        coming = [each for each in [await self._unwritten(id, one) for one in restored] if each.hidden]
        if not leaving and not coming:
            return
        now = self._resources.clock()
        out = await self._withdrawn(id, [each for each in leaving if not each.hidden], now)
        await self._replace_all([*out, *((each, replies.restored(each, now)) for each in coming)])

    async def restore(self, id: str, message_id: str) -> tuple[Message, ...]:
        """Restores a withdrawn message and those withdrawn together with it; returns all of them. If they were the end
        of the conversation, the messages that replaced them are withdrawn in turn, and can be restored."""
        message = await self._unwritten(id, message_id)
        found, now = withdrawal_of(message), self._resources.clock()
        if found is None:
            raise BadAsk("This message is not withdrawn, so there is nothing to restore.")
        where = {"conversation_id": id, "hidden": True}
        hidden = await all_of(self._store, self._scope, Message, where)
        batch = [each for each in hidden if (other := withdrawal_of(each)) and other.batch == found.batch]
        instead: Sequence[Message] = ()
        if found.fork is not None:
            later, _ = await self._shown_after(id, found.fork)
            instead = await self._turns.mend(later)
            if any(each.state is MessageState.STREAMING for each in instead):
                raise Conflict("A reply is being written after this message. Stop it first.")
        out = await self._withdrawn(id, instead, now)
        await self._replace_all([*out, *((each, replies.restored(each, now)) for each in batch)])
        return tuple([await self.get(id, each.id) for each in batch])

    async def _withdrawn(
        self, id: str, messages: Sequence[Message], now: datetime
    ) -> Sequence[tuple[Message, Message]]:
        """Those at the end of the conversation are one batch, which continues from the line before them; those in its
        middle are another."""
        if not messages:
            return ()
        ids = {each.id for each in messages}
        newest, before = await self._shown_after(id, min(each.seq for each in messages) - 1)
        end = {each.id for each in takewhile(lambda each: each.id in ids, newest)}
        fork = newest[len(end)].seq if len(end) < len(newest) else before
        last, middle = Withdrawal(self._resources.new_id(), now, fork), Withdrawal(self._resources.new_id(), now, None)
        return [(each, replies.withdrawn(each, last if each.id in end else middle)) for each in messages]

    async def _shown_after(self, id: str, seq: int) -> tuple[Sequence[Message], int]:
        """The visible messages after this number, newest first, and the number of the one before them."""
        where = {"conversation_id": id, "hidden": False}
        found: deque[Message] = deque()
        async for each in each_of(self._store, self._scope, Message, where, newest_first=True):
            if each.seq <= seq:
                return tuple(found), each.seq
            found.append(each)
        return tuple(found), 0

    async def _replace_all(self, pairs: Sequence[tuple[Message, Message]]) -> None:
        """All of them, or none."""
        before, after = [each for each, _ in pairs], [each for _, each in pairs]
        followed = await self._followed(after, was=before, is_gone=False)
        changes: list[Change] = []
        retellings: list[Change] = []
        told_now: list[Message] = []
        for was, now in pairs:
            told, retold = await retold_by(self._resources, self._scope, now)
            changes.append(replies.instead_of(was, told))
            retellings += retold
            told_now.append(told)
        stored = await self._apply([*changes, *followed, *retellings])
        if not all(replies.was_kept(told, kept) for told, kept in zip(told_now, stored, strict=False)):
            raise Conflict("These messages were just changed by someone else. Reload them, then try again.")

    async def pin(
        self,
        id: str,
        message_ids: Sequence[str],
        *,
        what: str,
        why: str = "",
        quote: str = "",
        force: bool = False,
    ) -> Memory:
        """Pin up to twenty messages as one memory: what happened, why it matters, and in whose words (V17)."""
        return (await self.keep(id, message_ids, what=what, why=why, quote=quote, force=force)).memory

    async def keep(
        self,
        id: str,
        message_ids: Sequence[str],
        *,
        what: str,
        why: str = "",
        quote: str = "",
        force: bool = False,
    ) -> SavedMemory:
        """Pin, and report the outcome (M8): a known memory gets these messages as further sources, and contradictions
        are settled, unless `force` keeps both."""
        ids = list(dict.fromkeys(message_ids))
        if not 1 <= len(ids) <= MOST_PINNED:
            raise BadAsk(f"{len(ids)} messages were given to pin; choose from 1 to {MOST_PINNED}.")
        messages = [await self.get(id, each) for each in ids]
        conversation = await conversation_of(self._store, self._scope, id)
        now = self._resources.clock()
        memory = Memory(
            workspace=self._scope.workspace,
            id=self._resources.new_id(),
            content=what,
            type=MemoryType.MOMENT,
            importance=8,
            origin=Origin.USER,
            persons=_rememberers(messages, conversation),
            conversation_id=id,
            source_uri=source_uri_of(id, ids),
            source_message_ids=tuple(ids),
            key_moments=(quote,) if quote else (),
            valid_from=min(each.created_at for each in messages),
            created_at=now,
            updated_at=now,
            extra={"why": why, "quote": quote, "quoted_from": _quoted(messages, quote), "pinned": True},
        )
        by = conversation.user_id or "user"
        (kept,) = await save(self._resources, self._scope, [memory], by=by, force=force)
        return kept

    async def _unwritten(self, id: str, message_id: str) -> Message:
        message = await self._stored(id, message_id)
        if message.state is MessageState.STREAMING:
            raise Conflict("This reply is being written. Stop it, or wait until it is finished.")
        return message

    async def _replace(self, before: Message, after: Message) -> Message:
        """Only if the message is as it was read: a reply may have just begun to be regenerated."""
        is_other = (before.content, before.hidden) != (after.content, after.hidden)
        followed = await self._followed([after], was=[before], is_gone=False) if is_other else []
        after, retold = await retold_by(self._resources, self._scope, after) if is_other else (after, [])
        stored, *_ = await self._apply([replies.instead_of(before, after), *followed, *retold])
        if not replies.was_kept(after, stored):
            raise Conflict("This message was just changed by someone else. Reload it, then try again.")
        kept: Message = stored
        return kept

    async def _followed(
        self, messages: Sequence[Message], *, was: Sequence[Message], is_gone: bool
    ) -> Sequence[Change]:
        """What was learned from the old text is removed (M15), and so is a title that was made of it."""
        store, scope, now, new_id = self._store, self._scope, self._resources.clock(), self._resources.new_id
        conversation = await conversation_of(store, scope, messages[0].conversation_id)
        learnt = await followed(store, scope, conversation, messages, now, new_id, is_gone=is_gone)
        told = await self._resources.campaigns.digested_again(store, scope, conversation, messages, now, new_id)
        return [*learnt, *told, *await untitled(store, scope, conversation, was, now, new_id)]


def _speaker_of(conversation: Conversation) -> str | None:
    """The default speaker: the user, or in an inner dialogue the character."""
    return conversation.user_id if conversation.inner_of_id is None else conversation.system_ids[0]


def _quoted(messages: Sequence[Message], quote: str) -> list[str]:
    """The speaker of the quote, found by its words; all speakers if nobody said it word for word."""
    having = [each.id for each in messages if quote in each.content]
    return (having or [each.id for each in messages]) if quote else []


def _rememberers(messages: Sequence[Message], conversation: Conversation) -> tuple[str, ...]:
    there = who_was_there(messages, conversation)
    if not there:
        raise BadAsk("Nobody was present for all of these messages, so nobody can remember them. Pin fewer.")
    return there
