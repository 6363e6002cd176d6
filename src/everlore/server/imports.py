"""One route for every file that can be imported: finds out what it is, previews it in words, or imports it (U18)."""

import asyncio
import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

from fastapi import Query, Request
from pydantic import BaseModel

from everlore.app import Everlore
from everlore.domain.conversation import Conversation
from everlore.domain.person import Person, PersonKind
from everlore.errors import BadAsk, EverloreError
from everlore.interchange.assistants import AssistantExport, is_export, is_export_zip, read_export
from everlore.interchange.cards import person_fields, read_card
from everlore.interchange.chats import read_chat
from everlore.interchange.lorebooks import is_lorebook, read_lorebook
from everlore.interchange.report import Report, counted
from everlore.interchange.wholefile import header_of
from everlore.server.access import Lore, received
from everlore.server.routing import Router, upload
from everlore.server.workspace_files import MOST_FILE_BYTES
from everlore.services.assistant_chats import import_export

router = Router(prefix="/api", tags=["workspace"])
Kind = Literal["character", "chat", "chats", "lorebook", "workspace"]
_MOST_IN_MEMORY = 600_000_000
_MOST_TITLES = 20
_CARD_KEYS = ("first_mes", "char_name", "char_persona", "personality", "mes_example")
_CHAT_KEYS = ("user_name", "character_name", "chat_metadata", "mes")
_RECORDS = {
    "person": ("person", "people"),
    "conversation": ("chat", "chats"),
    "message": ("message", "messages"),
    "memory": ("memory", "memories"),
    "campaign": ("campaign", "campaigns"),
    "session": ("session", "sessions"),
    "entity": ("campaign entry", "campaign entries"),
    "event": ("event", "events"),
    "interaction": ("interaction", "interactions"),
    "template": ("template", "templates"),
    "summary": ("summary", "summaries"),
    "media": ("picture", "pictures"),
}
_UNREADABLE = (
    "Everlore can't read this file. You can import character cards (PNG, JSON or CHARX), SillyTavern chats (JSONL), "
    "exports of ChatGPT and Claude (the zip, or conversations.json), lorebooks (JSON) and Everlore workspaces (JSONL)."
)


class ImportOut(BaseModel):
    """What a file holds, or what became of it, in sentences. `is_new`: importing it adds something. `titles` are the
    first names in it."""

    kind: Kind
    source: str
    dry_run: bool
    is_new: bool
    summary: list[str]
    titles: list[str] = []
    left_out: list[str] = []
    notes: list[str] = []
    conversation_ids: list[str] = []
    character_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    lore: Everlore
    filename: str
    character_id: str | None
    dry_run: bool
    replace: bool = field(default=False)


@router.post("/imports", openapi_extra=upload(MOST_FILE_BYTES))
async def import_any_file(
    lore: Lore,
    request: Request,
    filename: str = "",
    character_id: Annotated[str | None, Query(description="Who speaks in a chat, or owns a lorebook.")] = None,
    dry_run: Annotated[bool, Query(description="Dry run: returns what the file contains.")] = False,
    replace: Annotated[bool, Query(description="Workspaces only: overwrite existing items.")] = False,
) -> ImportOut:
    """Imports a card, chat, ChatGPT or Claude export, lorebook or workspace. A second import adds nothing."""
    asked = _Asked(lore=lore, filename=filename, character_id=character_id, dry_run=dry_run, replace=replace)
    async with received(request) as file:
        beginning = await asyncio.to_thread(_beginning, file)
        if _is_workspace(beginning):
            return await _workspace(asked, file)
        data = await asyncio.to_thread(file.read, _MOST_IN_MEMORY + 1)
    if len(data) > _MOST_IN_MEMORY:
        raise BadAsk(f"The file is too large; the most is {_MOST_IN_MEMORY // 1_000_000} MB. Split it.")
    return await _read(asked, data)


def _beginning(file: BinaryIO) -> bytes:
    beginning = file.read(4_096)
    file.seek(0)
    return beginning


def _is_workspace(beginning: bytes) -> bool:
    return beginning.startswith(b"\x1f\x8b") or b'"everlore"' in beginning.split(b"\n", 1)[0]


async def _read(asked: _Asked, data: bytes) -> ImportOut:
    if await asyncio.to_thread(is_export_zip, data):
        return await _export(asked, data)
    if data.startswith((b"\x89PNG", b"PK\x03\x04", b"\xff\xd8")):
        return await _card(asked, data)
    document = await asyncio.to_thread(_json, data)
    if is_export(document):
        return await _export(asked, data)
    if isinstance(document, dict) and not any(key in document for key in _CHAT_KEYS):
        if _is_card(document):
            return await _card(asked, data)
        if is_lorebook(document):
            return await _lorebook(asked, data)
        raise BadAsk(_UNREADABLE)
    if document is not None and not isinstance(document, dict):
        raise BadAsk(_UNREADABLE)
    return await _chat(asked, data)


def _json(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _is_card(document: Mapping[str, Any]) -> bool:
    inside = document.get("data")
    cards = (document, inside if isinstance(inside, dict) else {})
    return "spec" in document or any(key in card for card in cards for key in _CARD_KEYS)


def _out(asked: _Asked, kind: Kind, report: Report, summary: list[str], **more: Any) -> ImportOut:
    return ImportOut(
        kind=kind,
        source=report.format,
        dry_run=asked.dry_run,
        summary=summary,
        left_out=list(report.dropped),
        notes=[*report.changed, *report.warnings],
        **more,
    )


# ── the kinds ────────────────────────────────────────────────────────────────────────────────────


async def _card(asked: _Asked, data: bytes) -> ImportOut:
    card = await asyncio.to_thread(read_card, data, asked.filename)
    same = await _same_character(asked.lore, person_fields(card))
    if same:
        text = f"You already have {card.name}, with the same card."
        return _out(asked, "character", card.report, [text], is_new=False, titles=[card.name], character_id=same.id)
    if asked.dry_run:
        return _out(asked, "character", card.report, [f"A character: {card.name}."], is_new=True, titles=[card.name])
    imported = await asked.lore.characters.read_file(data, asked.filename)
    name, id = imported.person.name, imported.person.id
    return _out(asked, "character", imported.report, [f"{name} imported."], is_new=True, titles=[name], character_id=id)


async def _same_character(lore: Everlore, fields: Mapping[str, Any]) -> Person | None:
    where = {"name": fields["name"], "kind": PersonKind.CHARACTER.value}
    page = await lore.resources.store.find(lore.scope, Person, where, limit=50)
    compared = [name for name in fields if name not in {"avatar", "extensions"}]
    return next((each for each in page.items if all(getattr(each, name) == fields[name] for name in compared)), None)


async def _lorebook(asked: _Asked, data: bytes) -> ImportOut:
    lore, person_id = asked.lore, asked.character_id
    book = await asyncio.to_thread(read_lorebook, data, asked.filename)
    name, entries = book.name or "Lorebook", counted(len(book.entries), "entry", "entries")
    document = json.loads(data)
    for each in await lore.lorebooks.list(person_id=person_id):
        if not each.in_card and await lore.lorebooks.document(each.id, person_id=person_id) == document:
            return _out(asked, "lorebook", book.report, [f"You already have the lorebook {name}."], is_new=False)
    whose = f"for {(await lore.characters.get(person_id)).name}" if person_id else "for all chats"
    if asked.dry_run:
        summary = [f"A lorebook: {name}, with {entries}, {whose}."]
        return _out(asked, "lorebook", book.report, summary, is_new=True, titles=[name])
    _, report = await lore.lorebooks.attach(data, asked.filename, person_id=person_id)
    return _out(asked, "lorebook", report, [f"{name} imported, with {entries}, {whose}."], is_new=True, titles=[name])


async def _chat(asked: _Asked, data: bytes) -> ImportOut:
    lore = asked.lore
    try:
        chat = await asyncio.to_thread(read_chat, data)
    except BadAsk as error:
        raise BadAsk(_UNREADABLE) from error
    name = chat.character_name or "Character"
    character = await lore.characters.get(asked.character_id) if asked.character_id else await _named(lore, name)
    id = f"chat-{hashlib.sha256((lore.scope.person_id or '').encode() + data).hexdigest()[:32]}"
    if await lore.resources.store.get_many(lore.scope, Conversation, [id]):
        text = "You already have this chat."
        return _out(asked, "chat", chat.report, [text], is_new=False, conversation_ids=[id])
    messages = counted(len(chat.lines), "message")
    summary = [f"A chat with {character.name if character else name}: {messages}."]
    if character is None:
        summary.append(f"A new character called {name} is created.")
    if asked.dry_run:
        return _out(asked, "chat", chat.report, summary, is_new=True)
    character = character or await lore.characters.create(name=name)
    conversation, report = await lore.conversations.read_file(data, character=character, filename=asked.filename, id=id)
    done = [f"The chat with {character.name} imported: {messages}."]
    return _out(asked, "chat", report, done, is_new=True, conversation_ids=[conversation.id], character_id=character.id)


async def _named(lore: Everlore, name: str) -> Person | None:
    where = {"name": name, "kind": PersonKind.CHARACTER.value}
    page = await lore.resources.store.find(lore.scope, Person, where, limit=1)
    return page.items[0] if page.items else None


async def _export(asked: _Asked, data: bytes) -> ImportOut:
    lore = asked.lore
    export = await asyncio.to_thread(read_export, data)
    character = await lore.characters.get(asked.character_id) if asked.character_id else None
    user = await lore.characters.user()
    done = await import_export(
        lore.resources, lore.scope, export, user=user, character=character, dry_run=asked.dry_run
    )
    summary = [_about_export(export, len(done.saved), dry_run=asked.dry_run)]
    if done.existing:
        summary.append(f"{counted(done.existing, 'chat')} already here: skipped.")
    if done.creates_character:
        verb = "is" if asked.dry_run else "was"
        summary.append(f"A new character called {export.source} {verb} created.")
    return _out(
        asked,
        "chats",
        export.report,
        summary,
        is_new=bool(done.saved),
        titles=[each.title for each in export.chats if each.title][:_MOST_TITLES],
        conversation_ids=[] if asked.dry_run else list(done.saved),
        character_id=done.character.id if done.character else None,
    )


def _about_export(export: AssistantExport, new: int, *, dry_run: bool) -> str:
    if not new:
        return "Nothing new: all chats of this file are already here."
    chats = counted(new, "chat")
    if not dry_run:
        return f"{chats} imported from {export.source}."
    messages = sum(len(each.chat.lines) for each in export.chats)
    years = sorted({each.at.year for each in export.chats if each.at})
    when = f", {years[0]}" if len(years) == 1 else f", {years[0]} to {years[-1]}" if years else ""
    all_of = "" if new == len(export.chats) else f" of {len(export.chats):,}"
    return f"{chats}{all_of} from {export.source} ({counted(messages, 'message')} in the file{when})."


async def _workspace(asked: _Asked, file: BinaryIO) -> ImportOut:
    with tempfile.TemporaryDirectory(prefix="everlore-import-") as folder:
        path = Path(folder) / "workspace"
        await asyncio.to_thread(_copy, file, path)
        try:
            await asyncio.to_thread(header_of, path)
        except EverloreError as error:
            raise BadAsk(f"{_UNREADABLE} ({error})") from error
        arrival = await asked.lore.workspace.import_file(path, dry_run=asked.dry_run, replace=asked.replace)
    totals: dict[str, dict[str, int]] = {}
    for kind, counts in arrival.counts.items():
        for verdict, number in counts.items():
            known = totals.setdefault(verdict, {})
            known[kind] = known.get(kind, 0) + number
    changed = sum(totals.get("new", {}).values()) + (sum(totals.get("replaced", {}).values()) if asked.replace else 0)
    heading = "New" if asked.dry_run else "Imported"
    summary = [_in_words(heading, totals.get("new", {})), _in_words("Overwritten", totals.get("replaced", {}))]
    skipped = sum(totals.get("same", {}).values()) + sum(totals.get("different", {}).values())
    if skipped:
        summary.append(f"{counted(skipped, 'item')} already here: skipped.")
    different = _in_words("Different here, and left as they are", totals.get("different", {}))
    return ImportOut(
        kind="workspace",
        source="Everlore workspace",
        dry_run=asked.dry_run,
        is_new=changed > 0,
        summary=[each for each in summary if each] or ["The file is empty."],
        left_out=[different] if different else [],
    )


def _copy(file: BinaryIO, path: Path) -> None:
    with path.open("xb") as target:
        shutil.copyfileobj(file, target)


def _in_words(heading: str, counts: Mapping[str, int]) -> str:
    named = [counted(number, *_RECORDS[kind]) for kind, number in counts.items() if number and kind in _RECORDS]
    others = sum(number for kind, number in counts.items() if kind not in _RECORDS)
    if others:
        named.append(counted(others, "other item"))
    return f"{heading}: {', '.join(named)}." if named else ""
