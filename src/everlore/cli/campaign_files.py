"""The commands of `everlore campaign` for files: log, export, import (G10, G12)."""

from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from everlore.cli.campaign import AsPlayer, OfCampaign, eyes
from everlore.cli.commands import Answer
from everlore.cli.files import read_whole, write_new
from everlore.cli.options import argument, flag, option, optional
from everlore.cli.output import emit, shown, write_bytes
from everlore.cli.session import CommandOptions, with_lore
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.campaign.campaign_files import CampaignArrival
    from everlore.campaign.import_report import CampaignImportReport
    from everlore.campaign.log_import import BroughtLog
    from everlore.interchange.report import Report

_FORMATS = ("jsonl", "json", "vault", "lorebook")
_FORMS = ("world_info", "character_book")
_STANDARD_OUTPUT = Path("-")
_MOST_SHOWN = 40
_MOST_BYTES = 500_000_000
_ZIP = b"PK\x03\x04"
DryRun = Annotated[bool, flag("--dry-run", "Dry run: only print what would happen.")]
Replace = Annotated[bool, flag("--replace", "Overwrite existing entries.")]
GmOnly = Annotated[bool, flag("--gm-only", "Hidden from players.")]


def log(
    asked: CommandOptions,
    name: OfCampaign,
    file: Annotated[Path, argument("FILE", "A transcript, a chat, or notes.")],
    title: Annotated[str, option("--name", "NAME", "The name of the session.")] = "",
    day: Annotated[str | None, optional("--day", "DATE", "When it was played: 2026-11-17.")] = None,
    chapter: Annotated[str | None, optional("--chapter", "ID", "The chapter.  [default: the current one]")] = None,
    read_only: Annotated[bool, flag("--read-only", "Keep the log for reading only; do not digest it.")] = False,
    gm_only: GmOnly = False,
    force: Annotated[bool, flag("--force", "Import it even if the same log was imported before.")] = False,
) -> Answer:
    """Import the log of a session that was played elsewhere.

    Reads transcripts with speaker names, copied chats, Markdown notes and SillyTavern chats. Lines marked [GM] … or %%
    … %% stay hidden from players.
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

    brought = with_lore(asked, bring)
    then = "Waiting to be digested." if brought.digested else "Saved for reading only."
    lines = [f"Session {brought.session.number}: {shown(brought.session.name)}  ({brought.session.id})", then]
    return Answer(brought, [*lines, *_report_lines(brought.report)])


def export(
    asked: CommandOptions,
    name: OfCampaign,
    format: Annotated[
        str, option("--format", "|".join(_FORMATS), "All of it, Markdown pages, or its world.")
    ] = "jsonl",
    out: Annotated[
        Path,
        typer.Option(
            "--output", "--out", metavar="PATH", help="A file; a vault's folder or .zip; - is standard output."
        ),
    ] = _STANDARD_OUTPUT,
    form: Annotated[str, option("--form", "|".join(_FORMS), "The file format of a lorebook.")] = _FORMS[0],
    player: AsPlayer = None,
    force: Annotated[bool, flag("--force", "Overwrite existing files.")] = False,
) -> None:
    """Write a campaign to a file.

    JSON Lines and JSON are complete and can be imported elsewhere. A vault is a folder or zip of Markdown pages to read
    and edit, for example in Obsidian. A lorebook is for other programs. With --player, only what players may see.
    """
    _one_of("format", format, _FORMATS)
    _one_of("form", form, _FORMS)
    if out == _STANDARD_OUTPUT and asked.as_json:
        raise BadAsk("--json and --output - both want standard output. Leave one of them out.")
    is_folder = format == "vault" and out != _STANDARD_OUTPUT and out.suffix != ".zip"

    async def write(lore: "Everlore") -> Any:
        seat = await lore.campaigns.get(name)
        seen = await eyes(lore, seat, player)
        if is_folder:
            folder = out.expanduser()
            return await lore.campaign_files.write_vault(seat.campaign.id, folder, player=seen, force=force)
        return await _exported(lore, seat.campaign.id, format, form, seen)

    made = with_lore(asked, write)
    if is_folder:
        emit(asked.as_json, {"folder": out, "pages": made}, [f"Wrote {made:,} pages to {shown(str(out))}."])
    elif out == _STANDARD_OUTPUT:
        write_bytes(made)
    else:
        size = write_new(out, made, force=force, hint="Choose another name, or --force.")
        emit(asked.as_json, {"file": out, "bytes": size}, [f"Wrote {shown(str(out))} ({size:,} bytes)."])


def import_(
    asked: CommandOptions,
    file: Annotated[Path, argument("PATH", "An exported campaign, a vault, or a lorebook.")],
    into: Annotated[
        str | None, optional("--into", "CAMPAIGN", "The campaign that a vault or lorebook is imported into.")
    ] = None,
    gm_only: GmOnly = False,
    delete_missing: Annotated[
        bool, flag("--delete-missing", "Delete entries that are missing from the vault.")
    ] = False,
    replace: Replace = False,
    dry_run: DryRun = False,
) -> None:
    """Import a whole campaign; or, with --into, a vault or a lorebook.

    A vault is a folder or a zip of one; your edits in it become canon. A lorebook is SillyTavern World Info, a
    character book, a card that contains one, or a NovelAI lorebook. The command prints what was imported.
    """
    path = file.expanduser()
    if into is None:
        data = read_whole(path, most=_MOST_BYTES)
        whole = with_lore(asked, lambda lore: lore.campaign_files.import_(data, dry_run=dry_run, replace=replace))
        emit(asked.as_json, whole, _campaign_lines(whole))
        return
    content = path if path.is_dir() else read_whole(path, most=_MOST_BYTES)

    async def bring(lore: "Everlore") -> "CampaignImportReport":
        files = lore.campaign_files
        if isinstance(content, Path) or (content.startswith(_ZIP) and path.suffix != ".charx"):
            return await files.import_vault(
                into, content, dry_run=dry_run, delete_missing=delete_missing, replace=replace
            )
        return await files.import_lore(
            into, content, filename=path.name, gm_only=gm_only, replace=replace, dry_run=dry_run
        )

    arrival = with_lore(asked, bring)
    emit(asked.as_json, arrival, _arrival_lines(arrival))


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
    from everlore.store.answers import ImportOutcome

    done = "Would import" if arrival.dry_run else "Imported"
    new, same = arrival.total(ImportOutcome.NEW), arrival.total(ImportOutcome.SAME)
    yield f"{done} {shown(arrival.campaign.name)}  ({arrival.campaign.id}): {new:,} records, {same:,} already exist."
    if replaced := arrival.total(ImportOutcome.REPLACED):
        yield f"{replaced:,} different ones {'would be' if arrival.dry_run else 'were'} replaced."
    if different := arrival.total(ImportOutcome.DIFFERENT):
        yield f"{different:,} exist with other content and were not changed; --replace overwrites them:"
    for each in arrival.different:
        yield f"  {each.kind} {shown(each.id)} (line {each.line:,})"


def _arrival_lines(arrival: "CampaignImportReport") -> Iterator[str]:
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
