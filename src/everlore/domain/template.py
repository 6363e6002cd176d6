"""A prompt template is data (P1): sections with an order, a condition and lines; roles that use them.

Users write and exchange a `TemplateDocument`. The store keeps a `Template`, the newest version, and a `TemplateVersion`
for each earlier one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from everlore.domain.bounds import Between, Id, Json, Name
from everlore.domain.config_choices import RecipeName
from everlore.language.wrong_values import requirement


class Framing(StrEnum):
    """How memories are presented (P15): as data in a context block, or as a Markdown section."""

    BLOCK = "block"
    MARKDOWN = "markdown"


class RoleName(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


def _lines(written: Any) -> Any:
    return (written,) if isinstance(written, str) else written


_Text = Annotated[str, Field(max_length=20_000)]
Lines = Annotated[tuple[_Text, ...], BeforeValidator(_lines), Field(max_length=500)]
SectionName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,99}$")]


class SectionDocument(BaseModel):
    """An overriding section inherits the fields that it leaves out from the section that it overrides."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    order: Annotated[int, Field(ge=-100_000, le=100_000)] | None = Field(
        None, description="Place among the sections, lowest first; 100 where none is given."
    )
    required: bool | None = Field(None, description="Never left out for want of room; cut if it must be.")
    condition: JsonValue = Field(None, description="When it is used; always where none is given.")
    content: Lines | None = Field(None, description="Its lines.")
    numbered: bool | None = Field(
        None, description='Its lines are rules, numbered through the whole prompt; so is a section called "rules".'
    )
    override: bool = Field(False, description="Takes the place of a section of the parent.")
    exclude: bool = Field(False, description="Leaves a section of the parent out.")


class RoleDocument(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    sections: tuple[SectionName, ...] = Field((), max_length=200, description="Sections that it uses.")
    content: Lines = Field((), description="Lines of its own, after its sections.")
    consent: bool = Field(False, description="Says that the user agrees to the rating of the story.")


class TemplateDocument(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    # Documents of other programs name their schema; Everlore has only one.
    schema_: str = Field("", alias="schema", max_length=200, exclude=True)
    name: str = Field(min_length=1, max_length=300, pattern=r"\S")
    version: int = Field(1, ge=1, le=10**9, description="Counted when it is saved.")
    description: str = Field("", max_length=2_000)
    extends: str | None = Field(None, max_length=300, description="Name or id of the parent.")
    style: str = Field("", max_length=300)
    framing: Framing | None = Field(None, description="How memory is put into words; the parent's, or a block.")
    recipe: RecipeName | None = Field(None, description="How recall is done; the parent's, or as fits who plays.")
    sections: dict[SectionName, SectionDocument] = Field(default_factory=dict, max_length=200)
    roles: dict[RoleName, RoleDocument] = Field(default_factory=dict)
    variables: dict[VariableName, _Text] = Field(
        default_factory=dict, max_length=500, description="Texts that lines can use as ${name}; they may use others."
    )


@dataclass(frozen=True, slots=True)
class Problem:
    """An error in a template: its section or variable, its field, and how to fix it."""

    where: str
    field: str
    message: str

    def __str__(self) -> str:
        place = ".".join(part for part in (self.where, self.field) if part)
        return f"{place}: {self.message}" if place else self.message


def read_document(written: Mapping[str, Any]) -> TemplateDocument | tuple[Problem, ...]:
    """The document, or all errors in its structure."""
    try:
        return TemplateDocument.model_validate(dict(written))
    except ValidationError as error:
        return tuple(_problem(each) for each in error.errors())


def write_document(document: TemplateDocument) -> dict[str, Any]:
    """As JSON, without defaults."""
    plain: dict[str, Any] = document.model_dump(mode="json", exclude_defaults=True)
    return plain


_NAMES = "A name begins with a letter, and has letters, digits, - and _ after it."


def _problem(error: ErrorDetails) -> Problem:
    # For an invalid name, the location is the name itself.
    loc = [str(part) for part in error["loc"] if part != "[key]"]
    where, field = (loc[:2], loc[2:]) if len(loc) > 1 else ([], loc)
    message = f"It {requirement(error)}."
    if error["type"] == "string_pattern_mismatch":
        message = "It is blank. Say what the template is called." if loc == ["name"] else _NAMES
    if error["type"] == "extra_forbidden":
        message = f"There is no {loc[-1]!r} here. Look for a slip of the pen, or take it away."
    return Problem(".".join(where), ".".join(field), message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    workspace: Id
    id: Id
    name: Name
    version: Annotated[int, Between(1, 10**9)] = 1
    document: Json
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateVersion:
    """A version that was replaced by a later one; deleted with its template."""

    workspace: Id
    id: Id
    template_id: Id
    version: Annotated[int, Between(1, 10**9)]
    document: Json
    created_at: datetime
