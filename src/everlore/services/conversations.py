"""Conversations: start, find, change, branch, close, delete, import and export.

Start at `Conversations.start`.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import EllipsisType
from typing import Any, BinaryIO

from everlore.compose.values.people import filler
from everlore.domain.bounds import Json
from everlore.domain.campaign import Session
from everlore.domain.config import BadConfig, ConversationConfig, config_of, set_fields
from everlore.domain.config_choices import StartMode
from everlore.domain.conversation import (
    PINNED,
    Author,
    Conversation,
    ConversationState,
    Message,
    MessageState,
    is_pinned,
    is_withdrawn,
)
from everlore.domain.person import Person, PersonKind
from everlore.domain.scope import Scope
from everlore.domain.setting import USUAL, Setting
from everlore.domain.weight import weigh
from everlore.errors import BadAsk, Conflict, NotFound
from everlore.interchange.report import Report
from everlore.learning.provenance import Resting, resting_on, unlearnt
from everlore.models.registry import refuse_barred
from everlore.services.base import Service
from everlore.services.branches import save_branch
from everlore.services.characters import Characters
from everlore.services.files import export_chat, import_chat
from everlore.services.messages import Messages
from everlore.services.scoped_turns import ScopedTurns
from everlore.services.templates import refuse_unknown
from everlore.store.all_pages import items_of
from everlore.store.answers import Page
from everlore.store.port import Amend, Change, Delete, Put
from everlore.turn import follow_up
from everlore.turn.icons import DEFAULT_ICON, ICONS
from everlore.turn.ownership import conversation_of, id_of_name, is_hidden, named_by, refuse_other
from everlore.turn.resources import Resources

_MOST_CAST = 20
_PAGE = 1_000
# Characters that are safe in headers and URL paths; "." and ".." are not.
_ID = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._~:@-]{1,128}")


class Conversations(Service):
    def __init__(
        self, scope: Scope, resources: Resources, turns: ScopedTurns, characters: Characters, messages: Messages
    ) -> None:
        super().__init__(scope, resources)
        self._turns = turns
        self._characters = characters
        self._messages = messages

    async def usual(self) -> dict[str, Any]:
        """The default config of new conversations; what is given for one overrides it (V6)."""
        found = await self._store.get_many(self._scope, Setting, [USUAL])
        return dict(found[0].value) if found else {}

    async def make_usual(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Set the default config of new conversations. Existing ones stay as they are."""
        checked = checked_config(config)
        await self._refuse_unusable(config, checked)
        setting = Setting(
            workspace=self._scope.workspace, id=USUAL, value=set_fields(checked), updated_at=self._resources.clock()
        )
        await self._store.apply(self._scope, [Put(setting)])
        return dict(setting.value)

    async def start(
        self,
        system: Person | str | Sequence[Person | str],
        *,
        user: Person | str | None = None,
        id: str | None = None,
        title: str = "",
        config: Mapping[str, Any] | None = None,
        greet: bool = True,
        session: Session | None = None,
        metadata: Json | None = None,
    ) -> Conversation:
        """A new conversation with one character or several; the first one's greeting opens it. `id` is the user's name
        for it: it becomes its id, unless another user could have that id. `session`: it belongs to that session of a
        campaign, and its memories are the campaign's (G1)."""
        characters = await self._persons([system] if isinstance(system, Person | str) else system)
        person = await self._user(user)
        _refuse_mirror(characters, person)
        checked = checked_config({**await self.usual(), **(config or {})})
        await self._refuse_unusable(config or {}, checked)
        if id is not None:
            refuse_odd(id)
        now = self._resources.clock()
        conversation = Conversation(
            workspace=self._scope.workspace,
            id=await self._id_for(person.id, id) if id else self._resources.new_id(),
            title=title,
            system_ids=tuple(character.id for character in characters),
            user_id=person.id,
            campaign_id=session.campaign_id if session else None,
            session_id=session.id if session else None,
            private=checked.private,
            config=set_fields(checked),
            metadata=metadata or {},
            created_at=now,
            updated_at=now,
        )
        greeting = _greeting(conversation, characters[0], person, self._resources) if greet else None
        if checked.start_mode is StartMode.NONE:
            greeting = None
        persons = {each.id: each for each in (*characters, person)}
        begun = [Put(greeting), *follow_up.opening(conversation, persons, now)] if greeting else []
        changes: list[Change] = [Put(conversation), *begun]
        async with self._resources.starting:
            await self._refuse_taken(conversation.id, id)
            await self._store.apply(self._scope, changes)
        if greet and greeting is None and checked.start_mode is StartMode.SYSTEM:
            await self._turns.open(conversation.id)
        return await self.get(conversation.id)

    async def get(self, id: str) -> Conversation:
        return await conversation_of(self._store, self._scope, id)

    async def count_messages(self, id: str) -> int:
        """The current number of messages, without deleted or withdrawn ones. `Conversation.message_count` is the number
        of the latest message, which is never reused."""
        return await self._store.count(self._scope, Message, {"conversation_id": id, "hidden": False})

    async def called(self, name: str) -> Conversation:
        """The conversation of this id; for callers who see a part of the workspace, also of this name."""
        own = self._scope.confined_to
        found = await named_by(self._store, self._scope, own, name) if own is not None else None
        return found or await self.get(name)

    async def known(self, id: str, *, user: Person | str | None = None) -> Conversation | None:
        """The conversation that the caller, or that user, has under this id or name; None if there is none. Those of
        others are not found, even for the owner: a name belongs to its caller (V11)."""
        refuse_odd(id)
        person = await self._user(user)
        return await named_by(self._store, self._scope, person.id, id)

    async def inner(self, conversation: Conversation | str, *, make: bool = True) -> Conversation:
        """The inner dialogue of a conversation: the thoughts of its characters, separate from what is said in it (C7).
        Created on first use, if `make`. It is private: nothing in it is learned, searched or recalled."""
        outer = await self.get(conversation if isinstance(conversation, str) else conversation.id)
        if outer.inner_of_id is not None:
            raise BadAsk("An inner dialogue has no inner dialogue. Use the conversation that it belongs to.")
        async with self._resources.starting:
            found = await self._store.get_many(self._scope, Conversation, [_inner_id(outer)])
            if not found and not make:
                raise NotFound(f"Conversation {outer.id!r} has no inner dialogue yet. POST to it to begin one.")
            if not found:
                inner = _inner(outer, self._resources.clock())
                found = await self._store.apply(self._scope, [Put(inner)])
        dialogue: Conversation = found[0]
        return dialogue

    async def list(
        self,
        *,
        state: ConversationState | None = None,
        inner: bool = False,
        user: Person | str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Latest activity first. `inner`: include inner dialogues. `user`: only those of that user."""
        where: dict[str, Any] = {"state": state.value} if state else {}
        if not inner:
            where["inner_of_id"] = None
        if user is not None:
            where["user_id"] = user if isinstance(user, str) else user.id
        if self._scope.confined_to is not None:
            where["user_id"] = self._scope.confined_to
        return await self._store.find(self._scope, Conversation, where, limit=limit, cursor=cursor, newest_first=True)

    async def pinned(self, *, limit: int = 50) -> tuple[Conversation, ...]:
        """The pinned conversations, latest activity first."""
        found: list[Conversation] = []
        async for each in items_of(partial(self.list, limit=_PAGE)):
            if is_pinned(each):
                found.append(each)
            if len(found) == limit:
                break
        return tuple(found)

    async def change(
        self,
        id: str,
        *,
        title: str | None = None,
        icon: str | None = None,
        state: ConversationState | None = None,
        config: Mapping[str, Any] | None = None,
        present: Iterable[str] | EllipsisType | None = ...,
        cast: Sequence[Person | str] | None = None,
        pinned: bool | None = None,
    ) -> Conversation:
        """`config` replaces the fields that it names; `present` lists who is in the scene now, None: all. `cast`: who
        plays from now on. New members were not present before. `pinned`: stays at the top of the list."""
        async with self._resources.changing.held((self._scope.workspace, id)):
            before = await self.get(id)
            now = self._resources.clock()
            fields: dict[str, Any] = {
                name: text for name, text in (("title", title), ("icon", known_icon(icon))) if text is not None
            }
            if title is not None:
                fields["titled_from"] = ()
            if state is not None:
                fields |= {"state": state, "closed_at": None if state is ConversationState.OPEN else now}
            if config is not None:
                checked = checked_config(before.config | dict(config))
                await self._refuse_unusable(config, checked)
                if before.inner_of_id is not None and not checked.private:
                    raise BadAsk("An inner dialogue is always private. Leave `private` as it is.")
                fields |= {"config": set_fields(checked), "private": checked.private}
            if present is None:
                fields["metadata"] = {name: value for name, value in before.metadata.items() if name != "present"}
            elif not isinstance(present, EllipsisType):
                fields["metadata"] = before.metadata | {"present": [*self._checked_presence(before, present)]}
            if pinned is not None:
                others = {
                    name: value for name, value in fields.get("metadata", before.metadata).items() if name != PINNED
                }
                fields["metadata"] = others | ({PINNED: True} if pinned else {})
            if cast is not None:
                fields |= _recast(before, fields.get("metadata", before.metadata), await self._players(before, cast))
            changes: list[Change] = [Amend(Conversation, id, fields)]
            if cast is not None:
                changes += await follow_up.joined(self._store, self._scope, before, fields["system_ids"])
            if state is not None:
                changes += await follow_up.stated(self._store, self._scope, before, state, now, self._resources.new_id)
            if title is not None:
                changes += await follow_up.named(self._store, self._scope, before, title)
            results = await self._apply(changes)
            changed: Conversation = results[0]
            return changed

    async def close(self, id: str) -> Conversation:
        return await self.change(id, state=ConversationState.CLOSED)

    async def delete(self, id: str, *, keep_memories: bool = False) -> None:
        """Delete for good, with all messages and the memories learned from them alone, even corrected ones. A reply
        that is being written is stopped first. `keep_memories`: the memories stay, without their sources. `resting`
        tells beforehand how many there are."""
        await self._turns.stop(id)
        now = self._resources.clock()
        lost = [] if keep_memories else await unlearnt(self._store, self._scope, await self.get(id), now)
        changes: list[Change] = [*lost, Delete(Conversation, id, keeps_past=keep_memories)]
        await self._apply(changes)

    async def resting(self, id: str) -> Resting:
        """The memories that are based on a conversation alone, and would be deleted with it."""
        return await resting_on(self._store, self._scope, await self.get(id))

    async def branch(self, id: str, message_id: str, *, title: str | None = None) -> Conversation:
        """A new conversation that shares this one's messages up to and including one of them. Withdrawn messages are
        not shared."""
        parent = await self.get(id)
        finished = [each for each in await self._messages.stored(id) if each.state is not MessageState.STREAMING]
        if any(each.id == message_id and is_withdrawn(each) for each in finished):
            raise BadAsk("This message is withdrawn. Restore it before you branch from it.")
        shared = [each for each in finished if not is_withdrawn(each)]
        place = next((number for number, each in enumerate(shared) if each.id == message_id), None)
        if place is None:
            raise NotFound(f"There is no finished message {message_id!r} in conversation {id!r} to branch from.")
        made = await save_branch(self._resources, self._scope, parent, shared[: place + 1], title)
        return await self.get(made.id)

    async def read_file(
        self, data: bytes | BinaryIO, *, character: Person | str, filename: str = "", id: str | None = None
    ) -> tuple[Conversation, Report]:
        """Import a SillyTavern chat as a conversation with that character; its swipes become alternatives."""
        (person,) = await self._persons([character])
        user = await self._characters.user()
        return await import_chat(
            self._resources, self._scope, data, character=person, user=user, filename=filename, id=id
        )

    async def write_file(self, id: str) -> bytes:
        conversation = await self.get(id)
        ids = [*conversation.system_ids, *([conversation.user_id] if conversation.user_id else [])]
        persons = await self._store.get_many(self._scope, Person, ids)
        return export_chat(conversation, await self._messages.all(id), {each.id: each.name for each in persons})

    async def _refuse_unusable(self, given: Mapping[str, Any], config: ConversationConfig) -> None:
        """Refuses a template that does not exist, and a model or service that may not be used here."""
        if "template" in given:
            await refuse_unknown(self._store, self._scope, config.template)
        if "service_type" in given or "model" in given:
            refuse_barred(await self._resources.backends.endpoint_for(self._scope, config=config))

    async def _user(self, user: Person | str | None) -> Person:
        """Whose conversation it is: the caller's, or another user's for whom they may speak."""
        if user is None:
            return await self._characters.user()
        # Before the lookup, so that the error does not reveal whether there is such a user.
        refuse_other(self._scope, user if isinstance(user, str) else user.id)
        (person,) = await self._persons([user])
        return person

    async def _persons(self, wanted: Sequence[Person | str]) -> tuple[Person, ...]:
        ids = list(dict.fromkeys(each.id if isinstance(each, Person) else each for each in wanted))
        if not 1 <= len(ids) <= _MOST_CAST:
            raise BadAsk(f"A conversation needs from 1 to {_MOST_CAST} characters, and {len(ids)} were named.")
        known = await self._store.get_many(self._scope, Person, ids)
        found = [each for each in known if not is_hidden(self._scope, each)]
        if len(found) < len(ids):
            missing = sorted(set(ids) - {person.id for person in found})
            raise NotFound(f"There is no person {missing[0]!r} in this workspace. Its id is in the list of characters.")
        return tuple(found)

    async def _players(self, conversation: Conversation, cast: Sequence[Person | str]) -> tuple[str, ...]:
        players = await self._persons(cast)
        if conversation.user_id is not None:
            _refuse_mirror(players, await self._store.get(self._scope, Person, conversation.user_id))
        return tuple(each.id for each in players)

    async def _id_for(self, person_id: str, name: str) -> str:
        """Callers who see a part of the workspace get an id of their own for every name: a refusal would reveal which
        names others use."""
        if self._scope.confined_to is not None:
            return id_of_name(person_id, name)
        taken = await self._store.get_many(self._scope, Conversation, [name])
        return id_of_name(person_id, name) if taken and taken[0].user_id != person_id else name

    async def _refuse_taken(self, id: str, name: str | None) -> None:
        if await self._store.get_many(self._scope, Conversation, [id]):
            raise Conflict(f"There is a conversation {name or id!r} already. Leave the id out to get a new one.")

    def _checked_presence(self, conversation: Conversation, present: Iterable[str]) -> tuple[str, ...]:
        everybody = {conversation.user_id, *conversation.system_ids}
        here = dict.fromkeys(present)
        strangers = [each for each in here if each not in everybody]
        if strangers:
            raise BadAsk(f"{strangers[0]!r} is not in this conversation, and so cannot be present.")
        return tuple(here)


def _inner_id(outer: Conversation) -> str:
    # A digest: clients may give conversations an id of the full length, and a prefix would make it too long.
    return f"inner-{hashlib.sha256(outer.id.encode()).hexdigest()[:32]}"


def _inner(outer: Conversation, now: datetime) -> Conversation:
    """Without the user, who cannot hear what characters think."""
    config = config_of(outer.config).model_copy(update={"private": True, "auto_title": False, "episodes": ()})
    return Conversation(
        workspace=outer.workspace,
        id=_inner_id(outer),
        title=f"{outer.title} (inner)" if outer.title else "",
        system_ids=outer.system_ids,
        campaign_id=outer.campaign_id,
        session_id=outer.session_id,
        inner_of_id=outer.id,
        private=True,
        config=set_fields(config),
        created_at=now,
        updated_at=now,
    )


def _recast(before: Conversation, metadata: Mapping[str, Any], players: tuple[str, ...]) -> dict[str, Any]:
    """The changed fields of a conversation whose cast changes; new members are in the scene."""
    here = metadata.get("present")
    if not isinstance(here, list):
        return {"system_ids": players}
    stays = [id for id in here if id == before.user_id or id in players]
    comes = [id for id in players if id not in before.system_ids and id not in stays]
    return {"system_ids": players, "metadata": {**metadata, "present": [*stays, *comes]}}


def _refuse_mirror(characters: Sequence[Person], user: Person) -> None:
    for character in characters:
        if character.kind is PersonKind.USER or character.id == user.id:
            raise BadAsk(f"{character.name} is a user, not a character. Choose a character to talk to.")


def known_icon(icon: str | None) -> str | None:
    """Icons outside the known set become `chat` (V7); an empty one stays empty."""
    return icon if not icon or icon in ICONS else DEFAULT_ICON


def is_plain(id: str) -> bool:
    """Ids are used in URLs, headers and file names."""
    return _ID.fullmatch(id) is not None


def refuse_odd(id: str) -> None:
    if not is_plain(id):
        raise BadAsk(
            f"{id[:50]!r} cannot be the id of a conversation. Use 1 to 128 letters, digits and . _ ~ : @ - "
            "(but not . or .. alone), or leave it out to get one."
        )


def checked_config(given: Mapping[str, Any]) -> ConversationConfig:
    try:
        return config_of(given)
    except BadConfig as error:
        raise BadAsk(str(error)) from None


def _greeting(conversation: Conversation, character: Person, user: Person, resources: Resources) -> Message | None:
    """The character's greeting; its other greetings are alternatives to it."""
    greetings = tuple(filler(character, user)(each) for each in character.greetings if each.strip())
    if not greetings:
        return None
    now = resources.clock()
    return Message(
        workspace=conversation.workspace,
        id=resources.new_id(),
        conversation_id=conversation.id,
        author=Author.NARRATOR if character.kind is PersonKind.NARRATOR else Author.ASSISTANT,
        person_id=character.id,
        content=greetings[0],
        alternatives=greetings if len(greetings) > 1 else (),
        present=(user.id, *conversation.system_ids),
        private=conversation.private,
        weight=weigh(greetings[0]),
        metadata={"greeting": True},
        created_at=now,
        updated_at=now,
    )
