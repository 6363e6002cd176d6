"""Cards and chats as files: in, with everything they hold, and out again.

`interchange` reads and writes the formats; this keeps what it read, whole or not at all.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from everlore.converse.desk import Desk
from everlore.domain.conversation import Conversation, Message
from everlore.domain.media import Media
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.interchange.cards import Format, Version, person_fields, read_card, write_file
from everlore.interchange.chats import KEPT, messages_of, read_chat, write_chat
from everlore.interchange.media import media_type
from everlore.interchange.report import Report
from everlore.store.port import Change, Put

# What the picture of a character is called among its files; an asset of a card has a path instead.
PICTURE = ""


@dataclass(frozen=True, slots=True)
class Imported:
    person: Person
    report: Report


async def import_card(desk: Desk, scope: Scope, data: bytes, filename: str) -> Imported:
    # Unpacking a large file takes a while, and others are talking.
    card = await asyncio.to_thread(read_card, data, filename)
    now = desk.clock()
    person = Person(workspace=scope.workspace, id=desk.new_id(), created_at=now, updated_at=now, **person_fields(card))
    files = [_media(desk, person, name, content) for name, content in card.assets.items()]
    if card.image is not None:
        picture = _media(desk, person, PICTURE, card.image)
        person = replace(person, avatar=picture.id)
        files.append(picture)
    stored, *_ = await desk.store.apply(scope, [Put(person), *(Put(file) for file in files)])
    assert isinstance(stored, Person)
    return Imported(stored, card.report)


async def export_card(desk: Desk, scope: Scope, person: Person, format: Format, version: Version) -> bytes:
    page = await desk.store.find(scope, Media, {"person_id": person.id}, limit=10_000)
    files = {file.name: file.content for file in page.items}
    pictures = [file.content for file in page.items if file.id == person.avatar]
    assets = {name: content for name, content in files.items() if name != PICTURE}
    image = pictures[0] if pictures else None
    return await asyncio.to_thread(write_file, person, format=format, version=version, image=image, assets=assets)


def with_picture(desk: Desk, person: Person, content: bytes) -> list[Change]:
    picture = _media(desk, person, PICTURE, content)
    return [Put(replace(person, avatar=picture.id, updated_at=desk.clock())), Put(picture)]


def _media(desk: Desk, person: Person, name: str, content: bytes) -> Media:
    # By content: an address that never changes its bytes can be kept by a browser for ever.
    digest = hashlib.sha256(content).hexdigest()[:32]
    return Media(
        workspace=person.workspace,
        id=f"{person.id}-{digest}" if name == PICTURE else f"{person.id}-{digest}-{_digest(name)}",
        person_id=person.id,
        name=name,
        type=media_type(content),
        content=content,
        created_at=desk.clock(),
    )


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:16]


async def import_chat(
    desk: Desk, scope: Scope, data: bytes, *, character: Person, user: Person, filename: str
) -> tuple[Conversation, Report]:
    """A chat becomes a conversation with that character, under whatever name it has in the file."""
    chat = await asyncio.to_thread(read_chat, data)
    now = desk.clock()
    conversation = Conversation(
        workspace=scope.workspace,
        id=desk.new_id(),
        title=_title(filename),
        system_ids=(character.id,),
        user_id=user.id,
        metadata={KEPT: chat.header} if chat.header else {},
        created_at=now,
        updated_at=now,
    )
    names = {line.name: character.id for line in chat.lines} | {character.name: character.id}
    messages = messages_of(
        chat,
        workspace=scope.workspace,
        conversation_id=conversation.id,
        user_id=user.id,
        person_ids=names,
        new_id=desk.new_id,
        at=now,
    )
    changes: list[Change] = [Put(conversation), *(Put(message) for message in messages)]
    await desk.store.apply(scope, changes)
    return await desk.store.get(scope, Conversation, conversation.id), chat.report


def export_chat(conversation: Conversation, messages: Sequence[Message], names: dict[str, str]) -> bytes:
    header = conversation.metadata.get(KEPT)
    return write_chat(
        user_name=names.get(conversation.user_id or "", "User"),
        character_name=names.get(conversation.system_ids[0], "Character"),
        header=header if isinstance(header, dict) else {},
        messages=messages,
        names=names,
    )


def _title(filename: str) -> str:
    stem = filename.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or filename
    return "".join(character if character.isprintable() else " " for character in stem).strip()[:200]
