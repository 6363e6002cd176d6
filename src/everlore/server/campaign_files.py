"""Routes to import and export campaigns as files: logs, lorebooks, vaults, whole campaigns (G10, G12).

Files of one campaign are for its seats; whole campaigns are for the owner."""

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from fastapi.responses import Response

from everlore.errors import BadAsk
from everlore.interchange import campaignfile, transcripts, vaultfiles
from everlore.server.access import Lore, read_upload
from everlore.server.campaigns import Player
from everlore.server.routing import Router, upload
from everlore.server.wire import ImportReport, RecordModel
from everlore.server.wire_campaigns import SessionOut, session_out
from everlore.server.workspace_files import DifferentOut

router = Router(prefix="/api/campaigns", tags=["campaigns"])
_ZIP, _JSON, _NDJSON = "application/zip", "application/json", "application/x-ndjson"
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file.",
        "content": {
            _JSON: {"schema": {}},
            _NDJSON: {"schema": {"type": "string"}},
            _ZIP: {"schema": {"type": "string", "format": "binary"}},
        },
    }
}
DryRun = Annotated[bool, Query(description="Dry run: returns what would be imported.")]
Replace = Annotated[bool, Query(description="Overwrite existing items.")]


class BroughtLogOut(RecordModel):
    """`digested`: it is being read in the background. `report`: what was understood of the file."""

    session: SessionOut
    conversation_id: str
    digested: bool
    report: ImportReport


class BroughtOut(RecordModel):
    """What is new, changed, left as it is, missing from the file, and deleted for that, by name."""

    dry_run: bool
    added: list[str]
    changed: list[str]
    left: list[str]
    missing: list[str]
    deleted: list[str]
    same: int
    report: ImportReport


class CampaignArrivalOut(RecordModel):
    """`counts`: of each kind, how many were new, the same, different (and left as they are), or replaced. `different`
    are the first hundred of those."""

    id: str
    name: str
    dry_run: bool
    counts: dict[str, dict[str, int]]
    different: list[DifferentOut]


@router.post("/{id}/logs", status_code=201, openapi_extra=upload(transcripts.MOST_BYTES))
async def bring_log(
    lore: Lore,
    request: Request,
    id: str,
    filename: Annotated[str, Query(max_length=300)] = "",
    name: Annotated[str, Query(max_length=300, description="Name of the session; default: the name in the file.")] = "",
    chapter_id: Annotated[str | None, Query(max_length=128)] = None,
    day: Annotated[date | None, Query(description="When it was played; completes times without a date.")] = None,
    read_only: Annotated[
        bool, Query(description="Played elsewhere: it can be read and asked about, but no memories are extracted.")
    ] = False,
    gm_only: Annotated[bool, Query(description="Nothing in it was said in front of the players.")] = False,
    force: Annotated[bool, Query(description="Import it even if the same log exists already.")] = False,
) -> BroughtLogOut:
    """Creates a session from a finished log: a transcript, a chat export, Markdown notes or a SillyTavern chat.
    Passages marked as the game master's stay hidden from players."""
    brought = await lore.campaign_files.bring_log(
        id,
        await read_upload(request),
        filename=filename,
        name=name,
        chapter=chapter_id,
        day=day,
        read_only=read_only,
        gm_only=gm_only,
        force=force,
    )
    return BroughtLogOut.of(brought, session=session_out(brought.session), conversation_id=brought.conversation.id)


@router.get("/{id}/export", response_class=Response, responses=_FILES)
async def export_campaign(
    lore: Lore,
    id: str,
    format: Annotated[
        Literal["json", "jsonl", "vault", "lorebook"],
        Query(description="Everything (owner only), a zip of Markdown pages, or the entities of its world."),
    ] = "json",
    form: Annotated[Literal["world_info", "character_book"], Query(description="The lorebook format.")] = "world_info",
    player: Player = None,
) -> Response:
    """Exports what the caller may see of a campaign. JSON is complete, and `POST /api/campaigns/import` reads it on
    another server; vaults and lorebooks are read by `POST /api/campaigns/{id}/import`."""
    files = lore.campaign_files
    if format == "vault":
        return _file(await files.export_zip(id, player=player), "vault.zip", _ZIP)
    if format == "lorebook":
        return _file(await files.export_lore(id, form=form, player=player), f"{form}.json", _JSON)
    if player is not None:
        raise BadAsk("The whole campaign has no player's view. Ask for the vault or the lorebook instead.")
    kind = _JSON if format == "json" else _NDJSON
    return _file(await files.export(id, format=format), f"campaign.{format}", kind)


@router.post("/import", openapi_extra=upload(campaignfile.MOST_BYTES))
async def import_campaign(
    lore: Lore, request: Request, dry_run: DryRun = False, replace: Replace = False
) -> CampaignArrivalOut:
    """Imports a campaign that was exported as JSON, plain or gzip. The import is all or nothing, and existing items are
    skipped."""
    arrival = await lore.campaign_files.import_(await read_upload(request), dry_run=dry_run, replace=replace)
    return CampaignArrivalOut.of(arrival, id=arrival.campaign.id, name=arrival.campaign.name)


@router.post("/{id}/import", openapi_extra=upload(vaultfiles.MOST_ZIP_BYTES))
async def import_into_campaign(
    lore: Lore,
    request: Request,
    id: str,
    format: Literal["vault", "lorebook", "notes"],
    filename: Annotated[str, Query(max_length=300)] = "",
    dry_run: DryRun = False,
    replace: Replace = False,
    delete_missing: Annotated[bool, Query(description="Vaults only: delete what the vault does not contain.")] = False,
    gm_only: Annotated[bool, Query(description="Lorebooks only: hide all of it from players.")] = False,
) -> BroughtOut:
    """Imports a vault as a zip, a lorebook, a card that contains one, or the game master's notes, which stay hidden.
    Manual edits in it count as the game master's word; the answer lists what happened to each item."""
    data = await read_upload(request)
    files = lore.campaign_files
    if format == "vault":
        arrival = await files.import_vault(id, data, dry_run=dry_run, delete_missing=delete_missing, replace=replace)
    elif format == "notes":
        arrival = await files.import_notes(id, data, filename=filename, replace=replace, dry_run=dry_run)
    else:
        arrival = await files.import_lore(
            id, data, filename=filename, gm_only=gm_only, replace=replace, dry_run=dry_run
        )
    return BroughtOut.of(arrival)


def _file(data: bytes, name: str, type: str) -> Response:
    return Response(data, media_type=type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
