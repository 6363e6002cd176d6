"""The commands for a whole workspace, and for the database: export workspace, import workspace, backup, restore."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from everlore.cli.options import Force, argument, flag, option
from everlore.cli.output import emit, note, shown, write_bytes
from everlore.cli.progress import telling_bar
from everlore.cli.session import CommandOptions, with_lore, with_settings
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.services.workspace_files import WorkspaceImportReport
    from everlore.settings import Settings
    from everlore.wiring import DatabaseCopy

_STANDARD_OUTPUT = Path("-")
_FORMATS = ("jsonl", "markdown")


def export_workspace(
    asked: CommandOptions,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "--output",
            metavar="FILE",
            help="The file to write, compressed if it ends in .gz; - is standard output.",
        ),
    ] = _STANDARD_OUTPUT,
    format: Annotated[
        str, option("--format", "jsonl|markdown", "JSON Lines to import, or Markdown to read.")
    ] = "jsonl",
    force: Force = False,
) -> None:
    """Write everything that the workspace holds to one file.

    A snapshot, taken while the server runs. JSON Lines are complete and can be imported elsewhere; Markdown is for
    reading. Tokens and API keys are not included.
    """
    chosen = _format(format)
    if out == _STANDARD_OUTPUT and asked.as_json:
        raise BadAsk("--json and --out - both want standard output. Leave one of them out.")

    async def write(lore: "Everlore") -> int:
        with telling_bar(hidden=asked.as_json or out == _STANDARD_OUTPUT) as tell:
            if out != _STANDARD_OUTPUT:
                return await lore.workspace.export_file(out.expanduser(), format=chosen, force=force, tell=tell)
            async for piece in lore.workspace.export(format=chosen):
                await asyncio.to_thread(write_bytes, piece)
            return 0

    size = with_lore(asked, write)
    if out != _STANDARD_OUTPUT:
        about = {"file": out, "bytes": size, "format": chosen}
        emit(asked.as_json, about, [f"Wrote {shown(str(out))} ({size:,} bytes)."])


def import_workspace(asked: CommandOptions, file: Path, *, dry_run: bool, replace: bool) -> None:
    """The command `everlore import workspace FILE`."""
    file = file.expanduser()

    async def bring_in(lore: "Everlore") -> "WorkspaceImportReport":
        with telling_bar(hidden=asked.as_json) as tell:
            return await lore.workspace.import_file(file, dry_run=dry_run, replace=replace, tell=tell)

    arrival = with_lore(asked, bring_in)
    emit(asked.as_json, arrival, _arrival_lines(arrival, file))


def _arrival_lines(arrival: "WorkspaceImportReport", file: Path) -> Iterator[str]:
    from everlore.store.answers import ImportOutcome

    done = "Would import" if arrival.dry_run else "Imported"
    new, replaced, same = (
        arrival.total(each) for each in (ImportOutcome.NEW, ImportOutcome.REPLACED, ImportOutcome.SAME)
    )
    yield f"{done} {new:,} records of workspace {shown(arrival.workspace)}, as of {arrival.at:%Y-%m-%d %H:%M} UTC."
    if replaced:
        yield f"{'Would overwrite' if arrival.dry_run else 'Overwrote'} {replaced:,} existing entries."
    if same:
        yield f"{same:,} already exist."
    different = arrival.total(ImportOutcome.DIFFERENT)
    if different:
        yield f"{different:,} exist with other content and were not changed; --replace overwrites them:"
    for each in arrival.different:
        yield f"  {each.kind} {shown(each.id)} ({shown(str(file))}, line {each.line:,})"
    if different > len(arrival.different):
        yield f"  … and {different - len(arrival.different):,} more"


def demo(
    asked: CommandOptions, remove: Annotated[bool, flag("--remove", "Remove the demo world for good.")] = False
) -> None:
    """Load the demo world.

    Characters, chats, memories, gossip and a campaign. Loading it twice changes nothing. --remove deletes it; your own
    chats with its characters stay.
    """
    if remove:
        with_lore(asked, lambda lore: lore.demo.remove())
        emit(asked.as_json, {"removed": True}, ["The demo world was removed."])
        return
    arrival = with_lore(asked, lambda lore: lore.demo.open())
    emit(asked.as_json, arrival, _demo_lines(arrival))


def _demo_lines(arrival: "WorkspaceImportReport") -> Iterator[str]:
    from everlore.store.answers import ImportOutcome

    new = arrival.total(ImportOutcome.NEW)
    yield f"The demo world is loaded: {new:,} records." if new else "The demo world is already loaded."
    yield "Open it with `everlore serve`, or chat with `everlore chat`. Remove it with `everlore demo --remove`."


def backup(
    asked: CommandOptions,
    file: Annotated[Path, argument("FILE", "The file to write; its checksum goes to FILE.sha256.")],
    force: Force = False,
) -> None:
    """Copy the SQLite database while it is in use.

    All workspaces with vectors, tokens and jobs, at this moment. The copy is verified before it is named. The key file
    that encrypts the API keys is not included.
    """

    async def copy(settings: "Settings") -> "DatabaseCopy":
        from everlore import wiring

        with telling_bar(hidden=asked.as_json) as tell:
            return await wiring.back_up(settings, file.expanduser(), force=force, tell=tell)

    _say(asked.as_json, with_settings(asked, copy), f"Backed up to {shown(str(file))}")


def restore(
    asked: CommandOptions,
    file: Annotated[Path, argument("FILE", "A file written by `everlore backup`.")],
    force: Annotated[bool, flag("--force", "Replace the existing database.")] = False,
) -> None:
    """Restore the SQLite database from a backup.

    The backup is verified first. Stop the server before: a database in use is not replaced.
    """

    async def put_back(settings: "Settings") -> "DatabaseCopy":
        from everlore import wiring

        return await wiring.restore(settings, file.expanduser(), force=force)

    kept = with_settings(asked, put_back)
    _say(asked.as_json, kept, f"Restored {shown(str(kept.database))}")


def _say(as_json: bool, kept: "DatabaseCopy", done: str) -> None:
    document = {
        "database": kept.database,
        "bytes": kept.size_bytes,
        "schema": kept.schema,
        "sha256": kept.sha256,
        "key_file": kept.key_file,
    }
    emit(as_json, document, [f"{done} ({kept.size_bytes:,} bytes, schema {kept.schema}, sha256 {kept.sha256[:12]}…)."])
    for line in kept.notes:
        note(line)


def _format(name: str) -> Literal["jsonl", "markdown"]:
    if name not in _FORMATS:
        raise BadAsk(f"There is no format {name!r} of a workspace. Possible: {', '.join(_FORMATS)}.")
    return "markdown" if name == "markdown" else "jsonl"
