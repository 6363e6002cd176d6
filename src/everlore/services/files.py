"""Imports and exports cards and chats, with everything in them.

`interchange` reads and writes the formats; this saves what it read, all or nothing.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO, get_args

from everlore.domain.bounds import Name
from everlore.domain.conversation import Author, Conversation, Message
from everlore.domain.media import Media
from everlore.domain.person import Person, PersonKind
from everlore.domain.scope import Scope
from everlore.interchange.cards import Format, Version, person_fields, read_card, write_file
from everlore.interchange.chats import KEPT, Chat, messages_of, read_chat, write_chat
from everlore.interchange.media import media_type
from everlore.interchange.report import Report
from everlore.store.port import Change, Put
from everlore.turn import follow_up
from everlore.turn.import_lock import keep_imported
from everlore.turn.resources import Resources

# The name of a character's picture among its files; an asset of a card has a path instead.
PICTURE = ""
# Most speakers in a chat, the main character among them; a file could name thousands.
MOST_SPEAKERS = 20
IMPORTED = "imported"
_LONGEST_NAME: int = get_args(Name)[1].most


@dataclass(frozen=True, slots=True)
class Imported:
    person: Person
    report: Report


async def import_card(resources: Resources, scope: Scope, data: bytes, filename: str) -> Imported:
    # In a thread: unpacking a large file would delay other replies.
    card = await asyncio.to_thread(read_card, data, filename)
    now = resources.clock()
    person = Person(
        workspace=scope.workspace, id=resources.new_id(), created_at=now, updated_at=now, **person_fields(card)
    )
    files = [_media(resources, person, name, content) for name, content in card.assets.items()]
    if card.image is not None:
        picture = _media(resources, person, PICTURE, card.image)
        person = replace(person, avatar=picture.id)
        files.append(picture)
    stored, *_ = await resources.store.apply(scope, [Put(person), *(Put(file) for file in files)])
    assert isinstance(stored, Person)
    return Imported(stored, card.report)


async def export_card(resources: Resources, scope: Scope, person: Person, format: Format, version: Version) -> bytes:
    page = await resources.store.find(scope, Media, {"person_id": person.id}, limit=10_000)
    files = {file.name: file.content for file in page.items}
    pictures = [file.content for file in page.items if file.id == person.avatar]
    assets = {name: content for name, content in files.items() if name != PICTURE}
    image = pictures[0] if pictures else None
    return await asyncio.to_thread(write_file, person, format=format, version=version, image=image, assets=assets)


def with_picture(resources: Resources, person: Person, content: bytes) -> list[Change]:
    picture = _media(resources, person, PICTURE, content)
    return [Put(replace(person, avatar=picture.id, updated_at=resources.clock())), Put(picture)]


def _media(resources: Resources, person: Person, name: str, content: bytes) -> Media:
    # Named by content: browsers can cache a URL whose bytes never change.
    digest = hashlib.sha256(content).hexdigest()[:32]
    return Media(
        workspace=person.workspace,
        id=f"{person.id}-{digest}" if name == PICTURE else f"{person.id}-{digest}-{_digest(name)}",
        person_id=person.id,
        name=name,
        type=media_type(content),
        content=content,
        created_at=resources.clock(),
    )


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:16]


async def import_chat(
    resources: Resources,
    scope: Scope,
    data: bytes | BinaryIO,
    *,
    character: Person,
    user: Person,
    filename: str,
    id: str | None = None,
) -> tuple[Conversation, Report]:
    """Import a chat as a conversation with that character, whatever its name in the file.

    Other speakers are the characters of their names, which are created if there are none.
    """
    chat = await asyncio.to_thread(read_chat, data)
    now = resources.clock()
    cast = await _cast(resources, scope, chat, character, user)
    conversation = Conversation(
        workspace=scope.workspace,
        id=id or resources.new_id(),
        title=_title(filename),
        system_ids=(character.id, *(person.id for person in cast.others.values())),
        user_id=user.id,
        metadata={KEPT: chat.header} if chat.header else {},
        created_at=now,
        updated_at=now,
    )
    messages = messages_of(
        chat,
        workspace=scope.workspace,
        conversation_id=conversation.id,
        user_id=user.id,
        person_ids=cast.ids,
        new_id=resources.new_id,
        at=now,
    )
    persons = {each.id: each for each in (character, user, *cast.others.values())}
    began = next((line.at for line in chat.lines[:1] if line.at), now)
    event = follow_up.opening(conversation, persons, began) if chat.lines else []
    await keep_imported(resources, scope, conversation, messages, besides=list(map(Put, cast.made)), after=event)
    report = replace(chat.report, changed=(*chat.report.changed, *cast.told))
    return await resources.store.get(scope, Conversation, conversation.id), report


@dataclass(frozen=True, slots=True)
class _Cast:
    """Who speaks in a chat: `ids` by name, and those besides the main character; `made` are the new ones."""

    ids: Mapping[str, str]
    others: Mapping[str, Person]
    made: Sequence[Person]
    told: Sequence[str]


async def _cast(resources: Resources, scope: Scope, chat: Chat, character: Person, user: Person) -> _Cast:
    spoken = Counter(line.name for line in chat.lines if line.author is Author.ASSISTANT)
    main = _main_name(chat, character, spoken)
    users = {chat.user_name, user.name} - {main}
    strangers = [name for name in spoken if name != main and name not in users and _is_name(name)][: MOST_SPEAKERS - 1]
    known = await _characters(resources, scope, strangers)
    made = {name: _stranger(resources, scope, name) for name in strangers if name not in known}
    others = {name: known.get(name) or made[name] for name in strangers}
    ids = {name: user.id if name in users else character.id for name in spoken}
    rest = sum(spoken.values()) - sum(spoken[name] for name in {main, *users, *strangers})
    told = [f"{name} was made as a character: {_lines(spoken[name])} theirs." for name in made]
    told += [f"{name} is a character already: {_lines(spoken[name])} theirs." for name in known]
    if rest:
        told.append(f"More than {MOST_SPEAKERS} speak, or under no name: {_lines(rest)} {character.name}'s instead.")
    return _Cast(ids | {name: person.id for name, person in others.items()}, others, list(made.values()), told)


def _main_name(chat: Chat, character: Person, spoken: Mapping[str, int]) -> str:
    """The main character's name in the file: its own name, that of the header, or the first speaker."""
    return next((name for name in (character.name, chat.character_name, *spoken) if name in spoken), "")


def _is_name(name: str) -> bool:
    return bool(name.strip()) and len(name) <= _LONGEST_NAME


async def _characters(resources: Resources, scope: Scope, names: Sequence[str]) -> dict[str, Person]:
    """Existing characters; of two with the same name the first."""
    where = [{"name": name, "kind": PersonKind.CHARACTER.value} for name in names]
    pages = [await resources.store.find(scope, Person, each, limit=1) for each in where]
    return {person.name: person for page in pages for person in page.items}


def _stranger(resources: Resources, scope: Scope, name: str) -> Person:
    now = resources.clock()
    return Person(
        workspace=scope.workspace, id=resources.new_id(), name=name, tags=(IMPORTED,), created_at=now, updated_at=now
    )


def _lines(number: int) -> str:
    return "1 line is" if number == 1 else f"{number:,} lines are"


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
