"""The verbs for a whole workspace, and for the database: export workspace, import workspace, backup, restore."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from everlore.cli.options import AsJson, Db, Workspace
from everlore.cli.output import emit, note, shown, write_bytes
from everlore.cli.progress import telling_bar
from everlore.cli.session import Asked, with_lore, with_settings
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.interchange.carrying import Arrival
    from everlore.settings import Settings
    from everlore.wiring import Kept

_STANDARD_OUTPUT = Path("-")
_FORMATS = ("jsonl", "markdown")
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file if it is there.")]


def export_workspace(
    out: Annotated[
        Path,
        typer.Option("--out", "--output", metavar="FILE", help="Where to write it, packed if it ends in .gz."),
    ] = _STANDARD_OUTPUT,
    format: Annotated[
        str, typer.Option("--format", metavar="jsonl|markdown", help="JSON Lines to import, or Markdown to read.")
    ] = "jsonl",
    force: Force = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Write everything that the workspace holds to one file.

    As it is at this moment, while others go on. JSON Lines lose nothing and can be imported elsewhere; Markdown is for
    people. No tokens and no keys of model providers are in it.
    """
    chosen = _format(format)
    if out == _STANDARD_OUTPUT and as_json:
        raise BadAsk("--json and --out - both want standard output. Leave one of them out.")

    async def write(lore: "Everlore") -> int:
        with telling_bar(hidden=as_json or out == _STANDARD_OUTPUT) as tell:
            if out != _STANDARD_OUTPUT:
                return await lore.workspace.export_file(out.expanduser(), format=chosen, force=force, tell=tell)
            async for piece in lore.workspace.export(format=chosen):
                await asyncio.to_thread(write_bytes, piece)
            return 0

    size = with_lore(Asked(db, workspace, as_json), write)
    if out != _STANDARD_OUTPUT:
        about = {"file": out, "bytes": size, "format": chosen}
        emit(as_json, about, [f"Wrote {shown(str(out))} ({size:,} bytes)."])


def import_workspace(asked: Asked, file: Path, *, dry_run: bool, replace: bool) -> None:
    """What `everlore import workspace FILE` does."""
    file = file.expanduser()

    async def bring_in(lore: "Everlore") -> "Arrival":
        with telling_bar(hidden=asked.as_json) as tell:
            return await lore.workspace.import_file(file, dry_run=dry_run, replace=replace, tell=tell)

    arrival = with_lore(asked, bring_in)
    emit(asked.as_json, arrival, _arrival_lines(arrival, file))


def _arrival_lines(arrival: "Arrival", file: Path) -> Iterator[str]:
    from everlore.store.port import Brought

    done = "Would import" if arrival.dry_run else "Imported"
    new, replaced, same = (arrival.total(each) for each in (Brought.NEW, Brought.REPLACED, Brought.SAME))
    yield f"{done} {new:,} records of workspace {shown(arrival.workspace)}, as of {arrival.at:%Y-%m-%d %H:%M} UTC."
    if replaced:
        yield f"{replaced:,} that differed {'would be' if arrival.dry_run else 'were'} replaced."
    if same:
        yield f"{same:,} are here already."
    different = arrival.total(Brought.DIFFERENT)
    if different:
        yield f"{different:,} are here otherwise, and were left as they are; --replace takes those of the file:"
    for each in arrival.different:
        yield f"  {each.kind} {shown(each.id)} ({shown(str(file))}, line {each.line:,})"
    if different > len(arrival.different):
        yield f"  … and {different - len(arrival.different):,} more"


def demo(
    remove: Annotated[bool, typer.Option("--remove", help="Take it out again, for good.")] = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Open the demo world, a small one to look at.

    People, talks, what was learnt of them, gossip, and a campaign. What is here of it already stays as it is. With
    --remove all of it goes; talks of your own with its people stay.
    """
    asked = Asked(db, workspace, as_json)
    if remove:
        with_lore(asked, lambda lore: lore.demo.remove())
        emit(as_json, {"removed": True}, ["The demo world is gone."])
        return
    arrival = with_lore(asked, lambda lore: lore.demo.open())
    emit(as_json, arrival, _demo_lines(arrival))


def _demo_lines(arrival: "Arrival") -> Iterator[str]:
    from everlore.store.port import Brought

    new = arrival.total(Brought.NEW)
    yield f"The demo world is here: {new:,} records." if new else "The demo world was here already."
    yield "Look at it with `everlore serve`, or talk with `everlore chat`; `everlore demo --remove` ends it."


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it; its checksum goes to FILE.sha256.")],
    force: Force = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Copy the SQLite database while it is in use.

    All workspaces, as they are at this moment, with vectors, tokens and jobs. The copy is checked before it gets its
    name. The key file that seals the keys of model providers is not in it.
    """

    async def copy(settings: "Settings") -> "Kept":
        from everlore import wiring

        with telling_bar(hidden=as_json) as tell:
            return await wiring.back_up(settings, file.expanduser(), force=force, tell=tell)

    _say(as_json, with_settings(Asked(db, workspace, as_json), copy), f"Backed up to {shown(str(file))}")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `everlore backup` wrote.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the database that is there.")] = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Put a backup in the place of the SQLite database.

    The backup is checked first, by its checksum and from within. Stop the server before: a database that is in use is
    not replaced.
    """

    async def put_back(settings: "Settings") -> "Kept":
        from everlore import wiring

        return await wiring.restore(settings, file.expanduser(), force=force)

    kept = with_settings(Asked(db, workspace, as_json), put_back)
    _say(as_json, kept, f"Restored {shown(str(kept.database))}")


def _say(as_json: bool, kept: "Kept", done: str) -> None:
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
