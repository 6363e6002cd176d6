"""Routes for prompt templates: the built-in ones, and saved ones with their versions (P1)."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Body, Query
from pydantic import BaseModel, Field

from everlore.app import Everlore
from everlore.compose.inherit import ResolvedTemplate, Section
from everlore.compose.lint import Checked
from everlore.domain.condition import All, AnyOf, Condition, Not, VariableRef
from everlore.domain.template import Framing, Problem, RoleName, TemplateDocument, TemplateVersion, write_document
from everlore.server.access import Lore
from everlore.server.prompts import XRayOut, x_ray_out
from everlore.server.routing import Router
from everlore.server.wire import Given, ListOf, RecordModel, Text
from everlore.services.preview import PreviewRequest, preview
from everlore.services.templates import Described, SavedTemplate, StoredTemplate, variables


class FieldProblem(BaseModel):
    """`field` names the section and the field, as in `sections.identity.order`."""

    field: str
    message: str


class TemplateSummary(BaseModel):
    """A `built_in` template comes with Everlore and has no dates."""

    id: str
    name: str
    version: int
    description: str
    extends: str | None
    style: str
    built_in: bool
    created_at: datetime | None
    updated_at: datetime | None


class TemplateList(ListOf[TemplateSummary]):
    """The built-in templates first."""


class ResolvedSection(RecordModel):
    """A section with inherited fields; `origin` is the template that defines it."""

    name: str
    role: RoleName
    order: int
    required: bool
    condition: str
    numbered: bool
    content: tuple[str, ...]
    origin: str


class ResolvedRole(RecordModel):
    """The text of a role after its sections, with inherited fields."""

    content: tuple[str, ...]
    consent: bool


class TemplateOut(TemplateSummary):
    """`document` is the source, `resolved` and `roles` the result in order; `lineage` lists the parents, nearest first.
    `warnings` are likely mistakes, `notes` say how an older flat prompt config was converted."""

    document: TemplateDocument
    lineage: tuple[str, ...]
    framing: Framing
    resolved: list[ResolvedSection]
    roles: dict[RoleName, ResolvedRole]
    warnings: list[FieldProblem]
    notes: tuple[str, ...]


class TemplateVersionOut(RecordModel):
    version: int
    created_at: datetime
    document: TemplateDocument


class TemplateDiff(BaseModel):
    """A unified diff, as `diff -u` prints it; empty if nothing changed."""

    before: int = Field(alias="from")
    after: int = Field(alias="to")
    diff: str


class TemplateCheck(BaseModel):
    """`errors` prevent a preview; `valid` templates have none."""

    valid: bool
    errors: list[FieldProblem]
    warnings: list[FieldProblem]


class VariableOut(RecordModel):
    """`pace`: how often the value changes."""

    name: str
    about: str
    pace: Literal["steady", "slow", "each_turn"]


class PreviewOf(Given):
    """Without a conversation, a small sample scene is used."""

    conversation_id: str | None = None
    content: Text = Field("", description="The message to answer.")
    character_id: str | None = Field(None, description="Who replies.")
    config: dict[str, Any] = Field(default_factory=dict, description="Overrides fields of the current config.")


class NewPreview(PreviewOf):
    document: dict[str, Any] = Field(description="An unsaved template, or an older flat prompt config.")


def problems_out(problems: Iterable[Problem]) -> list[FieldProblem]:
    return [FieldProblem(field=_place(each), message=each.message) for each in problems]


def _place(problem: Problem) -> str:
    return ".".join(part for part in (problem.where, problem.field) if part)


def summary_out(kept: StoredTemplate) -> TemplateSummary:
    return TemplateSummary(**kept.summary())


def template_out(kept: StoredTemplate, checked: Checked, notes: Sequence[str] = ()) -> TemplateOut:
    resolved = checked.resolved
    return TemplateOut(
        **kept.summary(),
        document=kept.document,
        lineage=resolved.lineage if resolved else (),
        framing=resolved.framing if resolved else Framing.BLOCK,
        resolved=_resolved_out(resolved) if resolved else [],
        roles=dict(resolved.roles) if resolved else {},
        warnings=problems_out((*checked.errors, *checked.warnings)),
        notes=tuple(notes),
    )


def _resolved_out(resolved: ResolvedTemplate) -> list[ResolvedSection]:
    return [_section_out(section, role) for role, each in resolved.roles.items() for section in each.sections]


def _section_out(section: Section, role: RoleName) -> ResolvedSection:
    return ResolvedSection.of(section, role=role, condition=in_words(section.condition))


def in_words(condition: Condition) -> str:
    """The condition as a text with the same meaning."""
    match condition:
        case VariableRef(name):
            return name
        case Not(of):
            return f"not {_grouped(of)}"
        case All(of):
            return " and ".join(map(_grouped, of))
        case AnyOf(of):
            return " or ".join(map(_grouped, of))


def _grouped(condition: Condition) -> str:
    return in_words(condition) if isinstance(condition, VariableRef | Not) else f"({in_words(condition)})"


def version_out(version: TemplateVersion) -> TemplateVersionOut:
    return TemplateVersionOut.of(version, document=TemplateDocument.model_validate(version.document))


def check_out(checked: Checked) -> TemplateCheck:
    return TemplateCheck(
        valid=not checked.errors, errors=problems_out(checked.errors), warnings=problems_out(checked.warnings)
    )


def variable_out(variable: Described) -> VariableOut:
    return VariableOut.of(variable, pace=variable.pace.name.lower())


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
