"""The verbs of `everlore campaign` for files: log, export, import (G10, G12)."""

from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from everlore.cli.campaign import AsPlayer, OfCampaign, eyes
from everlore.cli.files import read_whole, write_new
from everlore.cli.options import AsJson, Db, Workspace
from everlore.cli.output import emit, shown, write_bytes
from everlore.cli.session import Asked, with_lore
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.campaign.arrivals import Arrival
    from everlore.campaign.bringing import BroughtLog
    from everlore.campaign.carrying import CampaignArrival
    from everlore.interchange.report import Report

_FORMATS = ("jsonl", "json", "vault", "lorebook")
_FORMS = ("world_info", "character_book")
_STANDARD_OUTPUT = Path("-")
_MOST_SHOWN = 40
_MOST_BYTES = 500_000_000
_ZIP = b"PK\x03\x04"
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would become of it.")]
Replace = Annotated[bool, typer.Option("--replace", help="The file wins over what is here otherwise.")]
GmOnly = Annotated[bool, typer.Option("--gm-only", help="Players see nothing of it.")]


def log(
    name: OfCampaign,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A transcript, a chat, or notes.")],
    title: Annotated[str, typer.Option("--name", metavar="NAME", help="What the session is called.")] = "",
    day: Annotated[
        str | None,
        typer.Option("--day", metavar="DATE", help="When it was played: 2026-11-17.", show_default=False),
    ] = None,
    chapter: Annotated[
        str | None, typer.Option("--chapter", metavar="ID", help="Left out: the present one.", show_default=False)
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Not played here; kept, and not digested.")] = False,
    gm_only: GmOnly = False,
    force: Annotated[bool, typer.Option("--force", help="Also where the same log is here already.")] = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Bring a finished log: it becomes a session.

    A transcript with names before what is said, a copy of a chat, Markdown notes, or a SillyTavern chat. What is marked
    as the game master's, such as [GM] … or %% … %%, stays theirs.
    """
    played = _day(day)
    data = read_whole(file.expanduser(), most=_MOST_BYTES)

    async def bring(lore: "Everlore") -> "BroughtLog":
        return await lore.campaign_files.bring_log(
            name,
            data,
            filename=file.name,
            name=title,
            chapter=chapter,
            day=played,
            read_only=read_only,
            gm_only=gm_only,
            force=force,
        )

    brought = with_lore(Asked(db, workspace, as_json), bring)
    then = "It waits to be read." if brought.digested else "It is kept, and not digested."
    lines = [f"Session {brought.session.number}: {shown(brought.session.name)}  ({brought.session.id})", then]
    emit(as_json, brought, [*lines, *_report_lines(brought.report)])


def export(
    name: OfCampaign,
    format: Annotated[
        str, typer.Option("--format", metavar="|".join(_FORMATS), help="All of it, Markdown pages, or its world.")
    ] = "jsonl",
    out: Annotated[
        Path,
        typer.Option(
            "--output", "--out", metavar="PATH", help="A file; a vault's folder or .zip; - is standard output."
        ),
    ] = _STANDARD_OUTPUT,
    form: Annotated[str, typer.Option("--form", metavar="|".join(_FORMS), help="Which kind of lorebook.")] = _FORMS[0],
    player: AsPlayer = None,
    force: Annotated[bool, typer.Option("--force", help="Write over what is there.")] = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Write a campaign to a file.

    JSON Lines or JSON lose nothing and can be imported elsewhere. A vault is a folder, or a zip, of Markdown pages to
    read and to edit, as Obsidian has them. A lorebook is for other programs. With --player only what players may see.
    """
    _one_of("format", format, _FORMATS)
    _one_of("form", form, _FORMS)
    if out == _STANDARD_OUTPUT and as_json:
        raise BadAsk("--json and --output - both want standard output. Leave one of them out.")
    is_folder = format == "vault" and out != _STANDARD_OUTPUT and out.suffix != ".zip"

    async def write(lore: "Everlore") -> Any:
        seat = await lore.campaigns.get(name)
        seen = await eyes(lore, seat, player)
        if is_folder:
            folder = out.expanduser()
            return await lore.campaign_files.write_vault(seat.campaign.id, folder, player=seen, force=force)
        return await _exported(lore, seat.campaign.id, format, form, seen)

    made = with_lore(Asked(db, workspace, as_json), write)
    if is_folder:
        emit(as_json, {"folder": out, "pages": made}, [f"Wrote {made:,} pages to {shown(str(out))}."])
    elif out == _STANDARD_OUTPUT:
        write_bytes(made)
    else:
        size = write_new(out, made, force=force, hint="Choose another name, or --force.")
        emit(as_json, {"file": out, "bytes": size}, [f"Wrote {shown(str(out))} ({size:,} bytes)."])


def import_(
    file: Annotated[Path, typer.Argument(metavar="PATH", help="What was exported, a vault, or a lorebook.")],
    into: Annotated[
        str | None,
        typer.Option("--into", metavar="CAMPAIGN", help="Of a vault or a lorebook: where to.", show_default=False),
    ] = None,
    gm_only: GmOnly = False,
    delete_missing: Annotated[
        bool, typer.Option("--delete-missing", help="Of a vault: delete what is not in it.")
    ] = False,
    replace: Replace = False,
    dry_run: DryRun = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Bring in a whole campaign; or, with --into, a vault or a lorebook.

    A vault is a folder, or a zip of one: what was edited by hand comes in as the game master's word. A lorebook is
    World Info, a character book, a card with one inside, or one of NovelAI. What became of everything is told.
    """
    path = file.expanduser()
    asked = Asked(db, workspace, as_json)
    if into is None:
        data = read_whole(path, most=_MOST_BYTES)
        whole = with_lore(asked, lambda lore: lore.campaign_files.import_(data, dry_run=dry_run, replace=replace))
        emit(as_json, whole, _campaign_lines(whole))
        return
    content = path if path.is_dir() else read_whole(path, most=_MOST_BYTES)

    async def bring(lore: "Everlore") -> "Arrival":
        files = lore.campaign_files
        if isinstance(content, Path) or (content.startswith(_ZIP) and path.suffix != ".charx"):
            return await files.import_vault(
                into, content, dry_run=dry_run, delete_missing=delete_missing, replace=replace
            )
        return await files.import_lore(
            into, content, filename=path.name, gm_only=gm_only, replace=replace, dry_run=dry_run
        )

    arrival = with_lore(asked, bring)
    emit(as_json, arrival, _arrival_lines(arrival))


async def _exported(lore: "Everlore", id: str, format: str, form: str, player: str | None) -> bytes:
    files = lore.campaign_files
    if format == "vault":
        return await files.export_zip(id, player=player)
    if format == "lorebook":
        chosen: Literal["world_info", "character_book"] = "world_info" if form == "world_info" else "character_book"
        return await files.export_lore(id, form=chosen, player=player)
    if player is not None:
        raise BadAsk("The whole campaign has no player's view. Choose --format vault or lorebook.")
    return await files.export(id, format="json" if format == "json" else "jsonl")


def _one_of(what: str, value: str, known: Iterable[str]) -> None:
    if value not in known:
        raise BadAsk(f"There is no {what} {value!r} of a campaign. Possible: {', '.join(known)}.")


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text is not None else None
    except ValueError:
        raise BadAsk(f"{text!r} is no day. Write it as 2026-11-17.") from None


def _campaign_lines(arrival: "CampaignArrival") -> Iterator[str]:
    from everlore.store.port import Brought

    done = "Would import" if arrival.dry_run else "Imported"
    new, same = arrival.total(Brought.NEW), arrival.total(Brought.SAME)
    yield f"{done} {shown(arrival.campaign.name)}  ({arrival.campaign.id}): {new:,} records, {same:,} are here already."
    if replaced := arrival.total(Brought.REPLACED):
        yield f"{replaced:,} that differed {'would be' if arrival.dry_run else 'were'} replaced."
    if different := arrival.total(Brought.DIFFERENT):
        yield f"{different:,} are here otherwise, and were left as they are; --replace takes those of the file:"
    for each in arrival.different:
        yield f"  {each.kind} {shown(each.id)} (line {each.line:,})"


def _arrival_lines(arrival: "Arrival") -> Iterator[str]:
    would = "would be " if arrival.dry_run else ""
    told = (
        (f"{would}added", arrival.added),
        (f"{would}changed", arrival.changed),
        ("left as they are, for they were edited here; --replace takes the file's", arrival.left),
        ("not in the file", tuple(each for each in arrival.missing if each not in arrival.deleted)),
        (f"not in the file, and {would}deleted", arrival.deleted),
    )
    for what, names in told:
        if names:
            yield f"{len(names):,} {what}:"
            yield from (f"  {shown(name)}" for name in names[:_MOST_SHOWN])
            yield from (f"  … and {len(names) - _MOST_SHOWN:,} more",) if len(names) > _MOST_SHOWN else ()
    yield f"{arrival.same:,} are the same."
    yield from _report_lines(arrival.report)


def _report_lines(report: "Report") -> Iterator[str]:
    for line in (*report.kept, *report.changed):
        yield f"  {shown(line)}"
    for line in report.dropped:
        yield f"  Not read: {shown(line)}"
    for line in report.warnings:
        yield f"  Note: {shown(line)}"
