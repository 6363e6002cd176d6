"""Merges a template and its parents into one template (P3).

A child overrides, adds or leaves out sections of its parent, to any depth. Fields that an override leaves out are
inherited from the section that it overrides; a role that a child defines replaces the parent's. A section that no role
names belongs to the system role.

Start at `resolve`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from everlore.domain.condition import ALWAYS, BadCondition, Condition, parse
from everlore.domain.config_choices import RecipeName
from everlore.domain.template import (
    Framing,
    Problem,
    RoleDocument,
    RoleName,
    SectionDocument,
    TemplateDocument,
)
from everlore.errors import BadAsk

_DEFAULT_ORDER = 100
_RULES = "rules"
# A longer chain is a mistake, even without a cycle.
_MOST_PARENTS = 50

Find = Callable[[str], TemplateDocument | None]


class BadTemplate(BadAsk):
    """A template that cannot be used; each of `problems` names its section and field."""

    http_status = 422

    def __init__(self, name: str, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__(f"The template {name!r} cannot be used. " + " ".join(str(each) for each in problems[:5]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    name: str
    order: int
    required: bool
    condition: Condition
    content: tuple[str, ...]
    numbered: bool
    # The template that defines it.
    origin: str


@dataclass(frozen=True, slots=True)
class TemplateRole:
    """`sections` in their order in the prompt."""

    sections: tuple[Section, ...] = ()
    content: tuple[str, ...] = ()
    consent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedTemplate:
    name: str
    version: int
    style: str
    framing: Framing
    roles: Mapping[RoleName, TemplateRole]
    variables: Mapping[str, str]
    # From the template itself to its furthest parent.
    lineage: tuple[str, ...]
    recipe: RecipeName | None = None
    # Sections that a parent requires and a child excluded.
    missed: tuple[str, ...] = ()
    # All sections that a child excluded.
    excluded: frozenset[str] = frozenset()

    @property
    def sections(self) -> tuple[Section, ...]:
        return tuple(section for role in self.roles.values() for section in role.sections)


@dataclass(slots=True)
class _Draft:
    """The result so far, from the furthest parent down."""

    sections: dict[str, SectionDocument] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    roles: dict[RoleName, RoleDocument] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    style: str = ""
    framing: Framing = Framing.BLOCK
    recipe: RecipeName | None = None
    missed: list[str] = field(default_factory=list)
    excluded: set[str] = field(default_factory=set)


def resolve(document: TemplateDocument, find: Find) -> ResolvedTemplate:
    """The template with all that it inherits, or `BadTemplate`. `find` gets a parent by name or id."""
    lineage = _lineage(document, find)
    draft, problems = _Draft(), list[Problem]()
    for each in reversed(lineage):
        problems += _laid_over(draft, each)
    sections: dict[str, Section] = {}
    for name, written in draft.sections.items():
        try:
            sections[name] = _section(name, written, draft.origins[name])
        except BadCondition as error:
            problems.append(Problem(f"sections.{name}", "condition", str(error)))
    problems += _unknown_in_roles(draft)
    if problems:
        raise BadTemplate(document.name, tuple(problems))
    return ResolvedTemplate(
        name=document.name,
        version=document.version,
        style=draft.style,
        framing=draft.framing,
        roles=_roles(draft, sections),
        variables=draft.variables,
        lineage=tuple(each.name for each in lineage),
        recipe=draft.recipe,
        missed=tuple(draft.missed),
        excluded=frozenset(draft.excluded),
    )


def _lineage(document: TemplateDocument, find: Find) -> list[TemplateDocument]:
    """The template, its parent, the parent's parent …"""
    lineage = [document]
    while (wanted := lineage[-1].extends) is not None:
        parent = document if wanted == document.name else find(wanted)
        if parent is None:
            raise _bad_parent(document, lineage[-1], f"extends {wanted!r}, which does not exist.")
        names = [each.name for each in lineage]
        if parent.name in names:
            raise _bad_parent(document, lineage[-1], f"goes in a circle: {' → '.join([*names, parent.name])}.")
        if len(lineage) > _MOST_PARENTS:
            raise _bad_parent(document, lineage[-1], f"has more than {_MOST_PARENTS} parents before it.")
        lineage.append(parent)
    return lineage


def _bad_parent(document: TemplateDocument, at: TemplateDocument, why: str) -> BadTemplate:
    told = f"Template {at.name!r} {why} Correct its `extends`, or leave it out."
    return BadTemplate(document.name, (Problem("", "extends", told),))


def _laid_over(draft: _Draft, document: TemplateDocument) -> Iterator[Problem]:
    """Merge one template into the result for its parents."""
    for name, section in document.sections.items():
        before = draft.sections.get(name)
        yield from _misused(name, section, before, document)
        if section.exclude:
            if before is not None and before.required:
                draft.missed.append(name)
            draft.sections.pop(name, None)
            draft.excluded.add(name)
            continue
        draft.excluded.discard(name)
        draft.missed = [each for each in draft.missed if each != name]
        draft.sections[name] = _over(before, section)
        draft.origins[name] = document.name
    draft.roles |= document.roles
    draft.variables |= document.variables
    draft.style = document.style or draft.style
    draft.framing = document.framing or draft.framing
    draft.recipe = document.recipe or draft.recipe


def _misused(
    name: str, section: SectionDocument, before: SectionDocument | None, document: TemplateDocument
) -> Iterator[Problem]:
    where = f"sections.{name}"
    if section.override and section.exclude:
        yield Problem(where, "exclude", "A section is either overridden or left out, not both.")
    elif before is None and (section.override or section.exclude):
        word = "override" if section.override else "exclude"
        yield Problem(where, word, f"{document.name!r} has no parent with a section {name!r}. Take `{word}` away.")
    elif before is not None and not (section.override or section.exclude):
        yield Problem(where, "override", f"A parent has a section {name!r} already. Say `override`, or rename it.")
    if before is None and section.content is None and not section.exclude:
        yield Problem(where, "content", "The section has no content. Write its lines.")


def _over(before: SectionDocument | None, section: SectionDocument) -> SectionDocument:
    if before is None:
        return section
    said = {name: getattr(section, name) for name in SectionDocument.model_fields}
    return before.model_copy(update={name: value for name, value in said.items() if value is not None})


def _section(name: str, written: SectionDocument, origin: str) -> Section:
    return Section(
        name=name,
        order=_DEFAULT_ORDER if written.order is None else written.order,
        required=bool(written.required),
        condition=ALWAYS if written.condition is None else parse(written.condition),
        content=written.content or (),
        numbered=name == _RULES if written.numbered is None else written.numbered,
        origin=origin,
    )


def _unknown_in_roles(draft: _Draft) -> Iterator[Problem]:
    for role, written in draft.roles.items():
        for name in written.sections:
            if name not in draft.sections and name not in draft.excluded:
                known = ", ".join(draft.sections) or "none"
                told = f"There is no section {name!r}. Known: {known}."
                yield Problem(f"roles.{role.value}", "sections", told)


def _roles(draft: _Draft, sections: Mapping[str, Section]) -> dict[RoleName, TemplateRole]:
    named = {name for written in draft.roles.values() for name in written.sections}
    roles: dict[RoleName, TemplateRole] = {}
    given: set[str] = set()
    for role in RoleName:
        written = draft.roles.get(role, RoleDocument())
        loose = [name for name in sections if name not in named] if role is RoleName.SYSTEM else []
        # Each section is used once, by the first role that names it.
        mine = [name for name in dict.fromkeys([*written.sections, *loose]) if name in sections and name not in given]
        given.update(mine)
        ordered = sorted((sections[name] for name in mine), key=lambda section: section.order)
        roles[role] = TemplateRole(tuple(ordered), written.content, written.consent)
    return roles
