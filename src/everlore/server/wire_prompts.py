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


# ── x-rays ───────────────────────────────────────────────────────────────────────────────────────


class NewPrompt(Given):
    content: Text = Field("", description="The message to answer; empty: the character speaks first.")
    speaker_id: str | None = Field(
        None, description="The character that replies; null: the mentioned one, or the next."
    )
    template: str | None = Field(None, description="Use this template, by name or id, instead of the conversation's.")


class PromptPart(RecordModel, record=PartAccount):
    """A part of the budget: `share` is its guaranteed size, `used` what it took."""


class PromptLayer(RecordModel, record=LayerAccount):
    """How much of the memory budget a layer of recall used, in tokens. `share`: guaranteed; `wanted`: needed for all
    its results; `borrowed`: taken from other layers; `passed_on`: left to other layers."""


class PromptLore(RecordModel, record=LoreAccount):
    """A lorebook entry that fired: what triggered it (`why`) and its place; `left_out` says why it has none."""


class PromptSection(RecordModel, record=SectionAccount):
    """`place`: at the start, before the last message, or at the end. `why`: the reason why it was cut or left out.
    `appended`: the template has no place for it. For a past turn, `text` contains memories that still exist, but no
    quotes of messages or of a campaign."""

    role: RoleName


class PromptTalk(BaseModel):
    """The part of the prompt for the messages `first` to `last`, and how much of it is verbatim."""

    first: int
    last: int
    role: RoleName
    fidelity: Fidelity
    tokens: int
    message_ids: tuple[str, ...]
    text: str
    state: SectionState


class PromptMemory(RecordModel, record=MemoryAccount):
    """Why the memory was found, and its section; `left_out` is why it has none, and `limited_by` what to raise to
    include it: `memory_budget`, `context_window`, or `depth`, which mode and role set. `in_short`: `content` is its
    summary, as in the prompt; it is empty for deleted memories. `kind` is memory, message, summary or event; `layer` is
    where it was found: pair, character, semantic or cross. `shown` is `content` addressed to the caller ("You live in
    Porto")."""

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
    """The prompt of a reply, sent or previewed: each section, message and memory with its tokens and reason. `share` is
    the used part of the context window. `messages` are those that would be sent, empty for a past turn. `message_id`
    and `at` are null in a preview."""

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
