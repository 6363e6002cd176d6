"""Saves the chats of a ChatGPT or Claude export. Start at `import_export`.

Each chat has an id made from the provider's own, so that a second import skips existing chats.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from everlore.domain.conversation import Conversation, Message
from everlore.domain.person import Person, PersonKind
from everlore.domain.scope import Scope
from everlore.interchange.assistants import AssistantChat, AssistantExport
from everlore.interchange.chats import messages_of
from everlore.services.files import IMPORTED
from everlore.store.port import Put
from everlore.turn import follow_up
from everlore.turn.import_lock import keep_imported
from everlore.turn.resources import Resources


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportImport:
    """`saved` are the ids of the new chats; `existing` counts those that existed already."""

    saved: tuple[str, ...]
    existing: int
    character: Person | None
    creates_character: bool


async def import_export(
    resources: Resources,
    scope: Scope,
    export: AssistantExport,
    *,
    user: Person,
    character: Person | None,
    dry_run: bool,
) -> ExportImport:
    """`character`: who speaks in the chats; None is the character called "ChatGPT" or "Claude", created if needed."""
    ids = {_id(scope, export, chat): chat for chat in export.chats}
    here = {each.id for each in await resources.store.get_many(scope, Conversation, list(ids))}
    new = {id: chat for id, chat in ids.items() if id not in here}
    found = character or await _character(resources, scope, export.source)
    creates = found is None
    if dry_run or not new:
        return ExportImport(
            saved=tuple(new), existing=len(here), character=found, creates_character=creates and bool(new)
        )
    if found is None:
        found = _new_character(resources, scope, export.source)
        await resources.store.apply(scope, [Put(found)])
    for id, chat in new.items():
        await _save(resources, scope, id, chat, export.source, found, user)
    return ExportImport(saved=tuple(new), existing=len(here), character=found, creates_character=creates)


async def _save(
    resources: Resources, scope: Scope, id: str, read: AssistantChat, source: str, character: Person, user: Person
) -> None:
    now = resources.clock()
    began = read.at or next((line.at for line in read.chat.lines if line.at), now)
    latest = max((line.at for line in read.chat.lines if line.at), default=began)
    conversation = Conversation(
        workspace=scope.workspace,
        id=id,
        title=read.title,
        system_ids=(character.id,),
        user_id=user.id,
        metadata={"imported_from": source},
        created_at=began,
        updated_at=latest,
    )
    persons = {each.id: each for each in (character, user)}
    event = follow_up.opening(conversation, persons, began)
    lines = _messages(resources, scope, conversation, read, source, character, user, began)
    await keep_imported(resources, scope, conversation, lines, besides=[], after=event)


def _messages(
    resources: Resources,
    scope: Scope,
    conversation: Conversation,
    read: AssistantChat,
    source: str,
    character: Person,
    user: Person,
    began: datetime,
) -> Iterator[Message]:
    messages = messages_of(
        read.chat,
        workspace=scope.workspace,
        conversation_id=conversation.id,
        user_id=user.id,
        person_ids={source: character.id},
        new_id=resources.new_id,
        at=began,
    )
    for line, message in zip(read.chat.lines, messages, strict=True):
        yield replace(message, metadata={source.lower(): line.kept})


def _id(scope: Scope, export: AssistantExport, chat: AssistantChat) -> str:
    digest = hashlib.sha256(f"{scope.person_id or ''}/{chat.id}".encode()).hexdigest()[:32]
    return f"{export.source.lower()}-{digest}"


async def _character(resources: Resources, scope: Scope, name: str) -> Person | None:
    page = await resources.store.find(scope, Person, {"name": name, "kind": PersonKind.CHARACTER.value}, limit=1)
    return page.items[0] if page.items else None


def _new_character(resources: Resources, scope: Scope, name: str) -> Person:
    now = resources.clock()
    return Person(
        workspace=scope.workspace, id=resources.new_id(), name=name, tags=(IMPORTED,), created_at=now, updated_at=now
    )
