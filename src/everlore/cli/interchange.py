"""The commands for files of other programs: import, and export."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from everlore.cli.commands import Commands
from everlore.cli.files import read_whole, write_new
from everlore.cli.options import Force, argument, flag, option, optional
from everlore.cli.output import emit, plain, report, shown, write_bytes
from everlore.cli.session import CommandOptions, with_lore
from everlore.cli.workspace_files import import_workspace
from everlore.errors import BadAsk, EverloreError, NotFound

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.person import Person
    from everlore.interchange.cards import Format
    from everlore.interchange.report import Report
    from everlore.services.lorebooks import AttachedBook

export = Commands(name="export", help="Write a character, a chat, a lorebook or all data.")

# Keys that the lines of a chat have and a card lacks: those of its messages, and of its first line.
_OF_CHATS = ("mes", "user_name", "character_name", "chat_metadata")
_MOST_LINE = 5_000_000
_FORMATS = ("png", "json", "charx")
_STANDARD_OUTPUT = Path("-")
_WORKSPACE = Path("workspace")

Output = Annotated[Path, optional("--output", "FILE", "The file to write; - is standard output.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """The result of one file: the imported record, or the error."""

    file: str
    kind: Literal["character", "conversation", "conversations", "lorebook"] | None = None
    id: str | None = None
    name: str = ""
    report: "Report | None" = None
    error: EverloreError | None = None


def import_files(
    asked: CommandOptions,
    files: Annotated[
        list[Path], argument("FILE…", "Cards, chats, exports and lorebooks; or the word workspace and one file.")
    ],
    character: Annotated[
        str | None,
        optional(
            "--character",
            "NAME|ID",
            "The character of the chats (default: the one named in the file) and of the lorebooks (default: all).",
        ),
    ] = None,
    dry_run: Annotated[bool, flag("--dry-run", "For a workspace: only print what would happen.")] = False,
    replace: Annotated[bool, flag("--replace", "For a workspace: overwrite existing entries.")] = False,
) -> None:
    """Import characters, chats, lorebooks, or a whole workspace.

    Character cards V1 to V3 (JSON, PNG, CHARX), SillyTavern chats (JSONL), exports of ChatGPT and Claude (the zip, or
    conversations.json) and lorebooks (World Info, character books, NovelAI), detected by content; cards are imported
    first. Chats of an export belong to a character called ChatGPT or Claude, or to --character. A lorebook fires in all
    conversations, or in those of --character. Files that cannot be read are listed; the others are still imported.

    A file written by `everlore export workspace` is imported alone; put the word workspace before a packed one. The
    whole file is checked first. Existing entries are skipped; those that differ are listed and not changed. You can
    run it again after an interruption.
    """
    if files[0] == _WORKSPACE or any(_is_workspace(path) for path in files):
        import_workspace(asked, _only(files, character), dry_run=dry_run, replace=replace)
        return
    if dry_run or replace:
        raise BadAsk("--dry-run and --replace are for a whole workspace: `everlore import workspace FILE`.")

    async def bring_in(lore: "Everlore") -> list[Arrived]:
        read = [_read(path) for path in files]
        arrived = [each for each in read if isinstance(each, Arrived)]
        contents = [each for each in read if not isinstance(each, Arrived)]
        for path, data in sorted(contents, key=lambda each: is_chat(each[1])):
            arrived.append(await _arrive(lore, path, data, character))
        return arrived

    arrived = with_lore(asked, bring_in)
    emit(asked.as_json, {"items": [_document(each) for each in arrived]}, _lines(arrived))
    refused = [each for each in arrived if each.error is not None]
    for each in [] if asked.as_json else refused:
        report(False, "BadAsk", f"{each.file}: {each.error}")
    if refused:
        count = f"{len(refused)} of {len(files)} files" if len(files) > 1 else "The file"
        raise BadAsk(f"{count} could not be imported. Fix the problems above and import again.")


@export.command("character")
def export_character(
    asked: CommandOptions,
    character: Annotated[str, argument("CHARACTER", "Name or id.")],
    output: Output,
    format: Annotated[
        str | None, optional("--format", "png|json|charx", "The format.  [default: from the file name, or png]")
    ] = None,
    version: Annotated[int, option("--version", "2|3", "The version of the card.", min=2, max=3)] = 3,
    force: Force = False,
) -> None:
    """Write a character as a card that other programs read.

    With its lorebook, picture and all imported fields.
    """
    _refuse_both(output, asked.as_json)
    chosen = read_format(format, output)

    async def card(lore: "Everlore") -> "tuple[Person, bytes]":
        person = await _named(lore, character)
        return person, await lore.characters.write_file(person.id, format=chosen, version=2 if version == 2 else 3)

    person, data = with_lore(asked, card)
    _deliver(output, data, {"character": person.id, "name": person.name, "format": chosen}, force, asked.as_json)


@export.command("lorebook")
def export_lorebook(
    asked: CommandOptions,
    book: Annotated[str, argument("LOREBOOK", "Name or id.")],
    output: Output,
    character: Annotated[
        str | None, option("--character", "CHARACTER", "The owner of the lorebook. [default: the workspace]")
    ] = None,
    form: Annotated[str, option("--form", "world_info|character_book", "The file format.")] = "world_info",
    force: Force = False,
) -> None:
    """Write a lorebook as a file that SillyTavern and other programs read."""
    _refuse_both(output, asked.as_json)
    if form not in ("world_info", "character_book"):
        raise BadAsk(f"A lorebook is written as world_info or character_book, not as {form!r}.")
    chosen: Literal["world_info", "character_book"] = "world_info" if form == "world_info" else "character_book"

    async def written(lore: "Everlore") -> "tuple[AttachedBook, bytes]":
        person_id = (await _named(lore, character)).id if character else None
        found = [each for each in await lore.lorebooks.list(person_id=person_id) if book in (each.id, each.name)]
        if len(found) != 1:
            raise BadAsk(f"{len(found) or 'No'} lorebooks are called {book!r}. Check the name, or use the id.")
        return found[0], json.dumps(
            await lore.lorebooks.document(found[0].id, form=chosen, person_id=person_id), ensure_ascii=False, indent=2
        ).encode()

    one, data = with_lore(asked, written)
    _deliver(output, data, {"lorebook": one.id, "name": one.name, "format": form}, force, asked.as_json)


@export.command("conversation")
def export_conversation(
    asked: CommandOptions,
    id: Annotated[str, argument("ID", "The id, as `everlore conversations` shows it.")],
    output: Output,
    force: Force = False,
) -> None:
    """Write a conversation as a SillyTavern chat (JSONL)."""
    _refuse_both(output, asked.as_json)

    async def chat(lore: "Everlore") -> bytes:
        return await lore.conversations.write_file(id)

    data = with_lore(asked, chat)
    _deliver(output, data, {"conversation": id, "format": "jsonl"}, force, asked.as_json)


def _only(files: Sequence[Path], character: str | None) -> Path:
    named = files[files[0] == _WORKSPACE :]
    if character is not None or len(named) != 1:
        raise BadAsk("Import a whole workspace on its own, without --character: `everlore import workspace FILE`.")
    return named[0]


def _is_workspace(path: Path) -> bool:
    """Whether the file says so itself: what `everlore export workspace` wrote."""
    with suppress(OSError), path.expanduser().open("rb") as file:
        return file.read(100).startswith(b'{"everlore":"workspace"')
    return False


# ── import ───────────────────────────────────────────────────────────────────────────────────────


def is_chat(data: bytes) -> bool:
    """Whether the first line alone is an object of a chat. A card is one object, often of many lines."""
    first = _json(data[:_MOST_LINE].removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0])
    return isinstance(first, dict) and any(key in first for key in _OF_CHATS)


def is_lorebook_file(data: bytes) -> bool:
    """Whether it is a lorebook by itself, not a card that contains one."""
    document = _json(data.removeprefix(b"\xef\xbb\xbf"))
    if not isinstance(document, dict):
        return False
    return document.get("spec") == "lorebook_v3" or isinstance(document.get("entries"), list | dict)


def _json(data: bytes) -> object:
    with suppress(ValueError, RecursionError):
        return json.loads(data)
    return None


def _read(path: Path) -> tuple[Path, bytes] | Arrived:
    from everlore.interchange.chats import MOST_FILE_BYTES

    try:
        return path, read_whole(path, most=MOST_FILE_BYTES)
    except BadAsk as error:
        return Arrived(file=str(path), error=error)


async def _arrive(lore: "Everlore", path: Path, data: bytes, character: str | None) -> Arrived:
    from everlore.interchange.assistants import is_export_file

    try:
        if is_export_file(data):
            return await _assistant_chats(lore, path, data, character)
        if is_chat(data):
            return await _chat(lore, path, data, character)
        if is_lorebook_file(data):
            return await _lorebook(lore, path, data, character)
        card = await lore.characters.read_file(data, path.name)
    except (BadAsk, NotFound) as error:
        return Arrived(file=str(path), error=error)
    return Arrived(file=str(path), kind="character", id=card.person.id, name=card.person.name, report=card.report)


async def _chat(lore: "Everlore", path: Path, data: bytes, character: str | None) -> Arrived:
    person = await _named(lore, character) if character is not None else await _named_inside(lore, data)
    conversation, said = await lore.conversations.read_file(data, character=person, filename=path.name)
    return Arrived(file=str(path), kind="conversation", id=conversation.id, name=conversation.title, report=said)


async def _assistant_chats(lore: "Everlore", path: Path, data: bytes, character: str | None) -> Arrived:
    """A second import skips the chats that are here already."""
    from everlore.interchange.assistants import read_export
    from everlore.interchange.report import counted
    from everlore.services.assistant_chats import import_export

    export = read_export(data)
    person = await _named(lore, character) if character is not None else None
    user = await lore.characters.user()
    done = await import_export(lore.resources, lore.scope, export, user=user, character=person, dry_run=False)
    name = f"{counted(len(done.saved), 'new chat')}, {done.existing} already here"
    id = done.character.id if done.character else None
    return Arrived(file=str(path), kind="conversations", id=id, name=name, report=export.report)


async def _lorebook(lore: "Everlore", path: Path, data: bytes, character: str | None) -> Arrived:
    person_id = (await _named(lore, character)).id if character is not None else None
    book, said = await lore.lorebooks.attach(data, path.name, person_id=person_id)
    return Arrived(file=str(path), kind="lorebook", id=book.id, name=book.name, report=said)


async def _named_inside(lore: "Everlore", data: bytes) -> "Person":
    from everlore.interchange.chats import read_chat

    name = read_chat(data).character_name
    if not name:
        raise BadAsk("The chat does not name its character. Add --character NAME.")
    try:
        return await lore.characters.named(name)
    except NotFound:
        raise NotFound(
            f"The chat is with {name!r}, who is not in this workspace. Import that character's card first, or add "
            "--character NAME."
        ) from None


async def _named(lore: "Everlore", name: str) -> "Person":
    try:
        return await lore.characters.named(name)
    except NotFound as error:
        raise NotFound(f"{error} `everlore characters` lists who is here.") from None


def _document(arrived: Arrived) -> dict[str, object]:
    if arrived.error is not None:
        return {"file": arrived.file, "error": {"type": type(arrived.error).__name__, "message": str(arrived.error)}}
    return {name: getattr(arrived, name) for name in ("file", "kind", "id", "name")} | {"report": plain(arrived.report)}


def _lines(arrived: Sequence[Arrived]) -> Iterator[str]:
    for each in arrived:
        if each.report is None:
            continue
        yield f"{shown(each.file)}: {each.report.format} → {each.kind} {shown(each.name)} ({each.id})"
        for title in ("kept", "changed", "dropped", "warnings"):
            for sentence in getattr(each.report, title):
                yield f"  {title:<8}  {shown(sentence)}"


# ── export ───────────────────────────────────────────────────────────────────────────────────────


def read_format(given: str | None, output: Path) -> "Format":
    """The requested format, or the one of the file name's extension, or png."""
    if given is not None and given not in _FORMATS:
        raise BadAsk(f"There is no format {given!r} of a card. Possible: {', '.join(_FORMATS)}.")
    name = given or output.suffix.lower().removeprefix(".")
    return "json" if name == "json" else "charx" if name == "charx" else "png"


def _refuse_both(output: Path, as_json: bool) -> None:
    if as_json and output == _STANDARD_OUTPUT:
        raise BadAsk("--json and --output - both want standard output. Leave one of them out.")


def _deliver(output: Path, data: bytes, about: dict[str, object], force: bool, as_json: bool) -> None:
    if output == _STANDARD_OUTPUT:
        write_bytes(data)
        return
    size = write_new(output, data, force=force, hint="Choose another name, or --force.")
    emit(as_json, {"file": output, "bytes": size, **about}, [f"Wrote {shown(str(output))} ({size:,} bytes)."])
