"""Routes for lorebooks: of a person, of a campaign, or of the workspace."""

from typing import Annotated, Any

from fastapi import Depends, Query, Request
from pydantic import BaseModel, Field

from everlore.domain.bounds import Id
from everlore.interchange.lorebooks import MOST_BYTES, MOST_ENTRIES
from everlore.interchange.loreedit import BookContent, EditedEntry, ExportForm, LogicName, PositionName
from everlore.server.access import Lore, read_upload
from everlore.server.routing import Router, upload
from everlore.server.wire import ImportReport, RecordModel
from everlore.services.lorebooks import AttachedBook

router = Router(prefix="/api", tags=["lorebooks"])
_MOST = 1_000_000


async def _owner(
    person_id: Annotated[str | None, Query(description="The person the lorebook belongs to.")] = None,
    campaign_id: Annotated[
        str | None, Query(description="The campaign it belongs to. Without either: the whole workspace.")
    ] = None,
) -> dict[str, str | None]:
    return {"person_id": person_id, "campaign_id": campaign_id}


Whose = Annotated[dict[str, str | None], Depends(_owner)]


class LorebookOut(RecordModel, record=AttachedBook):
    """A lorebook that fires. `in_card`: it is part of the character's card and is exported with it."""


class LorebookList(BaseModel):
    items: list[LorebookOut]
    next: str | None = None


class ImportedLorebook(BaseModel):
    lorebook: LorebookOut
    report: ImportReport


class LorebookChanges(BaseModel):
    enabled: bool = Field(description="A lorebook that is switched off stays, but does not fire.")


class LorebookEntry(RecordModel):
    uid: str = Field("", max_length=200, description="Empty for a new entry.")
    name: str = Field("", max_length=1_000)
    content: str = Field("", max_length=_MOST)
    keys: list[str] = Field([], max_length=500, description="Any of them in the latest messages fires the entry.")
    secondary_keys: list[str] = Field([], max_length=500)
    logic: LogicName = Field("any", description="Which secondary keys must also be there, or must not.")
    enabled: bool = True
    constant: bool = Field(False, description="Always included, without keys.")
    position: PositionName = "before_char"
    depth: int = Field(4, ge=0, le=_MOST, description="For `at_depth`: how many messages before the end.")
    order: int = Field(100, ge=-_MOST, le=_MOST, description="Higher: further down, and the last to be left out.")
    probability: int = Field(100, ge=0, le=100)
    scan_depth: int | None = Field(None, ge=0, le=_MOST, description="Messages to search; null: as the lorebook says.")
    case_sensitive: bool | None = None
    whole_words: bool | None = None
    exclude_recursion: bool = Field(False, description="The text of other entries does not fire this one.")
    prevent_recursion: bool = Field(False, description="The text of this entry does not fire others.")
    hidden: bool = Field(False, description="Only for characters who run the game; never shown to players.")


class LorebookContent(RecordModel):
    name: str = Field(max_length=200)
    scan_depth: int = Field(2, ge=0, le=_MOST, description="How many of the latest messages are searched for keys.")
    token_budget: int | None = Field(None, ge=1, le=_MOST)
    recursive: bool = Field(False, description="The text of an entry can fire other entries.")
    entries: list[LorebookEntry] = Field(max_length=MOST_ENTRIES)


@router.get("/lorebooks")
async def list_lorebooks(lore: Lore, whose: Whose) -> LorebookList:
    """Lists the lorebooks of a person, of a campaign, or of the workspace."""
    found = await lore.lorebooks.list(**whose)
    return LorebookList(items=[LorebookOut.of(each) for each in found])


@router.post("/lorebooks", status_code=201, openapi_extra=upload(MOST_BYTES))
async def attach_lorebook(lore: Lore, request: Request, whose: Whose, filename: str = "") -> ImportedLorebook:
    """Adds a lorebook from the body: SillyTavern World Info, a character book, or a NovelAI lorebook. It fires in the
    conversations of that person or campaign, or in all of them. `{"name": "…", "entries": {}}` creates an empty one."""
    book, report = await lore.lorebooks.attach(await read_upload(request), filename, **whose)
    return ImportedLorebook(lorebook=LorebookOut.of(book), report=ImportReport.of(report))


@router.get("/lorebooks/{id}")
async def get_lorebook(
    lore: Lore,
    id: Id,
    whose: Whose,
    form: Annotated[ExportForm | None, Query(description="`world_info` for SillyTavern; without: as imported.")] = None,
) -> dict[str, Any]:
    """Exports the lorebook as a file for other programs."""
    return dict(await lore.lorebooks.document(id, form=form, **whose))


@router.get("/lorebooks/{id}/content")
async def get_lorebook_content(lore: Lore, id: Id, whose: Whose) -> LorebookContent:
    """Returns the entries and settings of a lorebook, the same for every file format."""
    return await _content(lore, id, whose)


@router.put("/lorebooks/{id}/content")
async def write_lorebook_content(lore: Lore, id: Id, content: LorebookContent, whose: Whose) -> LorebookContent:
    """Replaces the entries and settings. Entries that are left out are deleted; other fields of the file stay."""
    edited = BookContent(
        entries=tuple(_edited(each) for each in content.entries),
        scan_depth=content.scan_depth,
        token_budget=content.token_budget,
        recursive=content.recursive,
    )
    await lore.lorebooks.write(id, edited, name=content.name, **whose)
    return await _content(lore, id, whose)


@router.patch("/lorebooks/{id}")
async def change_lorebook(lore: Lore, id: Id, changes: LorebookChanges, whose: Whose) -> LorebookOut:
    return LorebookOut.of(await lore.lorebooks.switch(id, enabled=changes.enabled, **whose))


@router.delete("/lorebooks/{id}", status_code=204)
async def remove_lorebook(lore: Lore, id: Id, whose: Whose) -> None:
    await lore.lorebooks.remove(id, **whose)


async def _content(lore: Lore, id: str, whose: dict[str, str | None]) -> LorebookContent:
    content = await lore.lorebooks.content(id, **whose)
    name = next(each.name for each in await lore.lorebooks.list(**whose) if each.id == id)
    return LorebookContent.of(content, name=name)


def _edited(entry: LorebookEntry) -> EditedEntry:
    fields = entry.model_dump()
    keys = {name: tuple(each.strip() for each in fields[name] if each.strip()) for name in ("keys", "secondary_keys")}
    return EditedEntry(**fields | keys)
