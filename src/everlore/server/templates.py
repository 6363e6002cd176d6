"""Routes for prompt templates: the built-in ones, and saved ones with their versions (P1)."""

from typing import Annotated, Any

from fastapi import Body, Query

from everlore.app import Everlore
from everlore.compose.inherit import ResolvedTemplate
from everlore.domain.template import write_document
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import ListOf
from everlore.server.wire_prompts import (
    NewPreview,
    PreviewOf,
    TemplateCheck,
    TemplateDiff,
    TemplateList,
    TemplateOut,
    TemplateVersionOut,
    VariableOut,
    XRayOut,
    check_out,
    summary_out,
    template_out,
    variable_out,
    version_out,
    x_ray_out,
)
from everlore.services.preview import PreviewRequest, preview
from everlore.services.templates import SavedTemplate, StoredTemplate, variables

router = Router(prefix="/api/templates", tags=["templates"])
Document = Annotated[dict[str, Any], Body(description="A template, or an older flat prompt config.")]
Fields = Annotated[dict[str, Any], Body(description="Fields of a template; fields that are left out stay as they are.")]
Number = Annotated[int, Query(ge=1, le=10**9)]
Version = Annotated[int | None, Query(ge=1, le=10**9, description="The version you edited; 409 if a newer one exists.")]


@router.get("")
async def list_templates(lore: Lore) -> TemplateList:
    """Lists templates, the built-in ones first."""
    return TemplateList(items=[summary_out(each) for each in await lore.templates.all()], next=None)


@router.post("", status_code=201)
async def create_template(lore: Lore, document: Document) -> TemplateOut:
    return await _saved(lore, await lore.templates.create(document))


@router.get("/variables")
async def list_variables() -> ListOf[VariableOut]:
    """Lists the variables that templates can use as `${name}`."""
    return ListOf[VariableOut](items=[variable_out(each) for each in variables()], next=None)


@router.post("/validate")
async def validate_template(lore: Lore, document: Document) -> TemplateCheck:
    """Returns everything that is wrong with a template, saved or not."""
    return check_out(await lore.templates.validate(document))


@router.post("/preview")
async def preview_document(lore: Lore, new: NewPreview) -> XRayOut:
    """Returns the prompt for a template that is not saved. Nothing is written."""
    return await _previewed(lore, await lore.templates.resolved(new.document), new)


@router.get("/{id}")
async def get_template(lore: Lore, id: str) -> TemplateOut:
    """Returns a template by id or name."""
    return await _shown(lore, await lore.templates.get(id))


@router.put("/{id}")
async def replace_template(lore: Lore, id: str, document: Document, version: Version = None) -> TemplateOut:
    """Saves a new version of a template. Earlier versions are kept."""
    kept = await lore.templates.get(id)
    return await _saved(lore, await lore.templates.edit(kept.id, document, version=version))


@router.patch("/{id}")
async def change_template(lore: Lore, id: str, changes: Fields, version: Version = None) -> TemplateOut:
    """Saves a new version in which only the fields that are sent differ."""
    kept = await lore.templates.get(id)
    changed = write_document(kept.document) | changes
    # Without a version, the one that was just read is meant, so that no other change is lost.
    meant = version if version is not None else kept.document.version
    return await _saved(lore, await lore.templates.edit(kept.id, changed, version=meant))


@router.delete("/{id}", status_code=204)
async def delete_template(lore: Lore, id: str) -> None:
    """Deletes a template for good, with all its versions. Conversations that use it switch to the default."""
    await lore.templates.delete((await lore.templates.get(id)).id)


@router.get("/{id}/versions")
async def list_template_versions(lore: Lore, id: str) -> ListOf[TemplateVersionOut]:
    """Lists the versions of a template, newest first."""
    found = await lore.templates.versions((await lore.templates.get(id)).id)
    return ListOf[TemplateVersionOut](items=[version_out(each) for each in found], next=None)


@router.get("/{id}/versions/{number}")
async def get_template_version(lore: Lore, id: str, number: int) -> TemplateVersionOut:
    return version_out(await lore.templates.version((await lore.templates.get(id)).id, number))


@router.get("/{id}/diff")
async def diff_template(
    lore: Lore, id: str, before: Annotated[Number, Query(alias="from")], after: Annotated[Number, Query(alias="to")]
) -> TemplateDiff:
    """Returns the changes from one version to another."""
    kept = await lore.templates.get(id)
    diff = await lore.templates.diff(kept.id, before, after)
    return TemplateDiff.model_validate({"from": before, "to": after, "diff": diff})


@router.post("/{id}/preview")
async def preview_template(lore: Lore, id: str, of: PreviewOf | None = None) -> XRayOut:
    """Returns the prompt for this template. Nothing is written."""
    return await _previewed(lore, await lore.templates.resolved(id), of or PreviewOf())


async def _saved(lore: Everlore, saved: SavedTemplate) -> TemplateOut:
    return await _shown(lore, saved.kept, saved.notes)


async def _shown(lore: Everlore, kept: StoredTemplate, notes: tuple[str, ...] = ()) -> TemplateOut:
    return template_out(kept, await lore.templates.validate(write_document(kept.document)), notes)


async def _previewed(lore: Everlore, template: ResolvedTemplate, of: PreviewOf) -> XRayOut:
    wanted = PreviewRequest(
        conversation_id=of.conversation_id, content=of.content, character_id=of.character_id, config=of.config
    )
    return x_ray_out(await preview(lore.resources, lore.scope, template, wanted))
