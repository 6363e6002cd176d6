"""Requests and answers for templates and x-rays, and how records become answers."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from everlore.compose.account import (
    LayerAccount,
    LoreAccount,
    MemoryAccount,
    PartAccount,
    SectionAccount,
    SectionState,
)
from everlore.compose.fidelity import Fidelity
from everlore.compose.inherit import ResolvedTemplate, Section
from everlore.compose.lint import Checked
from everlore.domain.condition import All, AnyOf, Condition, Not, VariableRef
from everlore.domain.template import Framing, Problem, RoleName, TemplateDocument, TemplateVersion
from everlore.server.wire import Given, ListOf, RecordModel, Text
from everlore.services.templates import Described, StoredTemplate
from everlore.turn.xrays import Seen

# ── templates ────────────────────────────────────────────────────────────────────────────────────


class FieldProblem(BaseModel):
    """`field` names the section and the field, as in `sections.identity.order`."""

    field: str
    message: str


class TemplateSummary(BaseModel):
    """Those that come with Everlore are `built_in`, and have no dates."""

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
    """Those that come with Everlore first."""


class ResolvedSection(RecordModel):
    """A section with all that it inherits; `origin` is the template that wrote it."""

    name: str
    role: RoleName
    order: int
    required: bool
    condition: str
    numbered: bool
    content: tuple[str, ...]
    origin: str


class ResolvedRole(RecordModel):
    """What a role says after its sections, with all that it inherits."""

    content: tuple[str, ...]
    consent: bool


class TemplateOut(TemplateSummary):
    """`document` is what was written, `resolved` and `roles` what it comes to, in order; `lineage` leads to the
    furthest parent.

    `warnings` say what its author may not have meant, `notes` what became of an older flat prompt config.
    """

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
    """Line by line, as `diff -u` has it; empty if nothing was changed."""

    before: int = Field(alias="from")
    after: int = Field(alias="to")
    diff: str


class TemplateCheck(BaseModel):
    """`errors` keep a template from being previewed; the `valid` ones have none."""

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
    content: Text = Field("", description="The message that would be answered.")
    character_id: str | None = Field(None, description="Who answers.")
    config: dict[str, Any] = Field(default_factory=dict, description="Laid over the config that there is.")


class NewPreview(PreviewOf):
    document: dict[str, Any] = Field(description="A template that is not saved, or an older flat prompt config.")


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


# ── x-rays ───────────────────────────────────────────────────────────────────────────────────────


class NewPrompt(Given):
    content: Text = Field("", description="The message that would be answered; empty: the character speaks first.")
    speaker_id: str | None = Field(None, description="Which character answers; null: whoever is named, or next.")
    template: str | None = Field(None, description="This template, by name or id, instead of the conversation's.")


class PromptPart(RecordModel, record=PartAccount):
    """A part of the budget: `share` is what it was sure of, `used` what it took."""


class PromptLayer(RecordModel, record=LayerAccount):
    """How a layer of recall shared in the room for memories, in tokens. `share`: what it was sure of; `wanted`: what
    all that came back would take; `borrowed`: what it used of others' room; `passed_on`: what it left to others."""


class PromptLore(RecordModel, record=LoreAccount):
    """An entry of a lorebook that fired: by what (`why`), and where it stands; `left_out` says why it does not."""


class PromptSection(RecordModel, record=SectionAccount):
    """`place`: at the start, just before the latest message, or at the end. `why` says why it was cut or left out.

    `appended`: the template has no place for it. Of a turn that was, `text` repeats no word of others: memories are
    looked up as far as they still exist, and what quotes messages or a campaign is empty.
    """

    role: RoleName


class PromptTalk(BaseModel):
    """What the prompt says of the messages from number `first` to `last`, and how much of it is word for word."""

    first: int
    last: int
    role: RoleName
    fidelity: Fidelity
    tokens: int
    message_ids: tuple[str, ...]
    text: str
    state: SectionState


class PromptMemory(RecordModel, record=MemoryAccount):
    """Why it came back, and in which section it stands; `left_out` says why it stands in none, and `limited_by` what
    must grow for it to come in: `memory_budget`, `context_window`, or `depth`, which is as mode and role have it.
    `in_short`: the prompt has its summary instead of all of it, and so has `content`.

    `content` is empty for what has been deleted since. `kind` is memory, message, summary or event; `layer` is where
    it was found: pair, character, semantic or cross. `shown` is `content` as the caller reads it ("You live in Porto").
    """

    id: str
    kind: str
    content: str
    left_out: str
    shown: str = ""
    limited_by: tuple[str, ...] = ()
    in_short: bool = False


class PromptMessage(BaseModel):
    role: RoleName
    content: str


class XRayOut(BaseModel):
    """What a model was told, or would be: each section, message and memory with its tokens and its reason.

    `share` is the part of the window that is used. `messages` are those that would be sent; of a turn that was,
    there are none. `message_id` and `at` are null for a turn that has not been.
    """

    message_id: str | None
    at: datetime | None
    template: str
    version: int
    lineage: tuple[str, ...]
    framing: Framing
    tokenizer: str
    window: int
    reserve: int
    used: int
    share: float
    parts: list[PromptPart]
    layers: list[PromptLayer] = []
    lore: list[PromptLore] = []
    sections: list[PromptSection]
    talk: list[PromptTalk]
    memories: list[PromptMemory]
    messages: list[PromptMessage]
    faults: tuple[str, ...]
    warnings: tuple[str, ...]


def x_ray_out(seen: Seen) -> XRayOut:
    account = seen.account
    return XRayOut.model_validate(
        {
            **account,
            "message_id": seen.message_id or None,
            "at": seen.at,
            "share": account["used"] / account["window"],
            "talk": account["messages"],
            "messages": [{"role": said.role, "content": said.content} for said in seen.messages],
        }
    )
