"""Routes for lorebooks: attached to a person, or to the workspace."""

from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, Field

from everlore.converse.lorebooks import AttachedBook
from everlore.interchange.lorebooks import MOST_BYTES
from everlore.server.access import Lore, read_upload
from everlore.server.routing import Router, upload
from everlore.server.wire import ImportReport, report_out

router = Router(prefix="/api", tags=["lorebooks"])
PersonId = Annotated[str | None, Query(description="Whose book it is; without: of the whole workspace.")]


class LorebookOut(BaseModel):
    """A lorebook that fires. `in_card`: it is the one inside the character's card, which is changed with the card."""

    id: str
    name: str
    entries: int
    person_id: str | None
    in_card: bool
    enabled: bool


class LorebookList(BaseModel):
    items: list[LorebookOut]
    next: str | None = None


class ImportedLorebook(BaseModel):
    lorebook: LorebookOut
    report: ImportReport


class LorebookChanges(BaseModel):
    enabled: bool = Field(description="A book that is switched off stays, and does not fire.")


@router.get("/lorebooks")
async def list_lorebooks(lore: Lore, person_id: PersonId = None) -> LorebookList:
    """The lorebooks of the workspace, or of one person."""
    found = await lore.lorebooks.list(person_id=person_id)
    return LorebookList(items=[_out(each) for each in found])


@router.post("/lorebooks", status_code=201, openapi_extra=upload(MOST_BYTES))
async def attach_lorebook(
    lore: Lore, request: Request, person_id: PersonId = None, filename: str = ""
) -> ImportedLorebook:
    """A lorebook as the body: World Info of SillyTavern, a character book, or one of NovelAI. It fires in the
    conversations of that person, or in all of them."""
    book, report = await lore.lorebooks.attach(await read_upload(request), filename, person_id=person_id)
    return ImportedLorebook(lorebook=_out(book), report=report_out(report))


@router.get("/lorebooks/{id}")
async def get_lorebook(lore: Lore, id: str, person_id: PersonId = None) -> dict[str, Any]:
    """The lorebook as it was imported, for other programs."""
    return dict(await lore.lorebooks.document(id, person_id=person_id))


@router.patch("/lorebooks/{id}")
async def change_lorebook(lore: Lore, id: str, changes: LorebookChanges, person_id: PersonId = None) -> LorebookOut:
    return _out(await lore.lorebooks.switch(id, enabled=changes.enabled, person_id=person_id))


@router.delete("/lorebooks/{id}", status_code=204)
async def remove_lorebook(lore: Lore, id: str, person_id: PersonId = None) -> None:
    await lore.lorebooks.remove(id, person_id=person_id)


def _out(book: AttachedBook) -> LorebookOut:
    return LorebookOut(**{name: getattr(book, name) for name in LorebookOut.model_fields})
