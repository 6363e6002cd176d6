"""Prompt templates: the built-in ones, and those that people save, in all their versions (P1, P3, P7).

Start at `Templates`.
"""

import asyncio
import difflib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from everlore.compose.builtins import built_in, find_built_in
from everlore.compose.drawing import ABOUT_SUMMARY, SUMMARY
from everlore.compose.flat import from_flat, is_flat
from everlore.compose.inherit import BadTemplate, Find, ResolvedTemplate
from everlore.compose.lint import Checked, check
from everlore.compose.memories import ABOUT, PREFIX
from everlore.compose.values import VARIABLES
from everlore.compose.variables import Pace
from everlore.domain.scope import Scope
from everlore.domain.template import (
    Problem,
    Template,
    TemplateDocument,
    TemplateVersion,
    read_document,
    write_document,
)
from everlore.errors import BadAsk, Conflict, NotFound
from everlore.services.base import Service
from everlore.store.port import Amend, Delete, Put, Store
from everlore.turn.resources import Resources
from everlore.turn.template_choice import MOST_TEMPLATES, all_templates, finder_in


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTemplate:
    """A saved template, or a built-in one, which has no dates and cannot be changed."""

    id: str
    document: TemplateDocument
    built_in: bool = False
    created_at: datetime | None = None
    updated_at: datetime | None = None

    def summary(self) -> dict[str, Any]:
        """The entry of a list."""
        document = self.document
        return {
            "id": self.id,
            "name": document.name,
            "version": document.version,
            "description": document.description,
            "extends": document.extends,
            "style": document.style,
            "built_in": self.built_in,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        }


@dataclass(frozen=True, slots=True)
class SavedTemplate:
    """The saved template, and warnings for its author (P14)."""

    kept: StoredTemplate
    warnings: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Described:
    """A variable that lines can use as ${name}, and how often its value changes (P13)."""

    name: str
    about: str
    pace: Pace


def variables() -> list[Described]:
    """All variables, by name; `memory.<id>` stands for every memory."""
    of_memory = {**ABOUT, f"{PREFIX}<id>": "One memory, by its id."}
    found = [
        *(Described(name, each.about, each.pace) for name, each in VARIABLES.items()),
        *(Described(name, about, Pace.EACH_TURN) for name, about in of_memory.items()),
        Described(SUMMARY, ABOUT_SUMMARY, Pace.SLOW),
    ]
    return sorted(found, key=lambda each: each.name)


class Templates(Service):
    def __init__(self, scope: Scope, resources: Resources) -> None:
        super().__init__(scope, resources)
        # One change at a time: two with the same name must not both find it free, nor a child lose its parent.
        self._changing = asyncio.Lock()

    async def all(self) -> list[StoredTemplate]:
        """Built-in ones first."""
        ours = [StoredTemplate(id=id, document=document, built_in=True) for id, document in built_in().items()]
        return [*ours, *(_kept(each) for each in await self._stored())]

    async def get(self, name_or_id: str) -> StoredTemplate:
        for each in await self.all():
            if name_or_id == each.id:
                return each
        return await self.named(name_or_id)

    async def named(self, name: str) -> StoredTemplate:
        for each in await self.all():
            if each.document.name == name:
                return each
        known = ", ".join(repr(each.document.name) for each in await self.all())
        raise NotFound(f"There is no template {name!r}. Known: {known}.")

    async def create(self, written: Mapping[str, Any]) -> SavedTemplate:
        """Save a new template; the older, flat form works too."""
        document, notes = _read(written)
        async with self._changing:
            stored = await self._stored()
            _refuse_too_many(stored)
            self._refuse_taken_name(document.name, stored)
            checked = _usable(document, finder_in(stored))
            kept = await self._keep_new(document)
        return SavedTemplate(_kept(kept), (*checked.faults, *checked.warnings), notes)

    async def _keep_new(self, document: TemplateDocument) -> Template:
        now = self._resources.clock()
        template = Template(
            workspace=self._scope.workspace,
            id=self._resources.new_id(),
            name=document.name,
            document=write_document(document.model_copy(update={"version": 1})),
            created_at=now,
            updated_at=now,
        )
        (kept,) = await self._store.apply(self._scope, [Put(template)])
        stored: Template = kept
        return stored

    async def edit(self, id: str, written: Mapping[str, Any], *, version: int | None = None) -> SavedTemplate:
        """Save a new version. With `version`, only if that is still the newest."""
        async with self._changing:
            return await self._edit(id, written, version)

    async def _edit(self, id: str, written: Mapping[str, Any], version: int | None) -> SavedTemplate:
        before = await self._own(id)
        document, notes = _read(written)
        if version is not None and version != before.version:
            raise Conflict(
                f"Template {before.name!r} is at version {before.version}, not {version}. Reload it, then try again."
            )
        others = [each for each in await self._stored() if each.id != id]
        self._refuse_taken_name(document.name, others)
        now = self._resources.clock()
        after = Template(
            workspace=before.workspace,
            id=id,
            name=document.name,
            version=before.version + 1,
            document=write_document(document.model_copy(update={"version": before.version + 1})),
            created_at=before.created_at,
            updated_at=now,
        )
        checked = _usable(document, finder_in([*others, after]))
        now_broken = _broken(others, finder_in([*others, after])) - _broken(others, finder_in([*others, before]))
        _refuse_breaking(now_broken, f"Changing {before.name!r} like this")
        fields = {name: getattr(after, name) for name in ("name", "version", "document", "updated_at")}
        change = Amend(Template, id, fields, only_if={"version": before.version})
        # The previous version is saved too, whichever of two writers comes first.
        (_, kept) = await self._store.apply(self._scope, [Put(_version(before)), change])
        if kept.version != after.version or kept.document != after.document:
            raise Conflict(f"Template {before.name!r} was just changed by someone else. Reload it, then try again.")
        return SavedTemplate(_kept(kept), (*checked.faults, *checked.warnings), notes)

    async def delete(self, id: str) -> None:
        async with self._changing:
            template = await self._own(id)
            others = [each for each in await self._stored() if each.id != template.id]
            now_broken = _broken(others, finder_in(others)) - _broken(others, finder_in([*others, template]))
            _refuse_breaking(now_broken, f"Deleting {template.name!r}")
            await self._store.apply(self._scope, [Delete(Template, template.id)])

    async def versions(self, id: str) -> list[TemplateVersion]:
        """Newest first."""
        newest = await self._own(id)
        page = await self._store.find(
            self._scope, TemplateVersion, {"template_id": id}, limit=MOST_TEMPLATES, newest_first=True
        )
        return [_version(newest), *(each for each in page.items if each.version < newest.version)]

    async def version(self, id: str, number: int) -> TemplateVersion:
        for each in await self.versions(id):
            if each.version == number:
                return each
        raise NotFound(f"Template {id!r} has no version {number}.")

    async def diff(self, id: str, before: int, after: int) -> str:
        """The difference between two versions, line by line; empty if there is none."""
        old, new = await self.version(id, before), await self.version(id, after)
        lines = difflib.unified_diff(
            _as_lines(old.document),
            _as_lines(new.document),
            f"version {before}",
            f"version {after}",
            lineterm="",
        )
        return "\n".join(lines)

    async def validate(self, written: Mapping[str, Any], *, beside: Iterable[Mapping[str, Any]] = ()) -> Checked:
        """All problems of a template that is not saved yet. `beside`: other unsaved templates, which may be its
        parents."""
        try:
            document, _ = _read(written)
        except BadTemplate as error:
            return Checked(None, error.problems)
        find, unsaved = finder_in(await self._stored()), _by_name(beside)
        return check(document, lambda name: unsaved.get(name) or find(name))

    async def resolved(self, written: Mapping[str, Any] | str) -> ResolvedTemplate:
        """A template ready for a preview: a saved one, or one that is not saved yet. Raises `BadTemplate` for anything
        that a live turn would have to leave out."""
        if isinstance(written, str):
            written = write_document((await self.get(written)).document)
        checked = await self.validate(written)
        if checked.resolved is None or checked.errors:
            raise BadTemplate(str(written.get("name", "")), checked.errors)
        return checked.resolved

    async def _own(self, id: str) -> Template:
        if id in built_in():
            raise BadAsk(f"The template {id!r} comes with Everlore and stays as it is. Extend it, or copy it.")
        return await self._store.get(self._scope, Template, id)

    async def _stored(self) -> list[Template]:
        return await all_templates(self._store, self._scope)

    def _refuse_taken_name(self, name: str, stored: Iterable[Template]) -> None:
        if find_built_in(name) is not None or any(name in (each.name, each.id) for each in stored):
            raise Conflict(f"There is a template {name!r} already. Choose another name.")


async def refuse_unknown(store: Store, scope: Scope, wanted: str) -> None:
    """Refuses a template that does not exist."""
    if not wanted or find_built_in(wanted) is not None:
        return
    stored = await all_templates(store, scope)
    if finder_in(stored)(wanted) is None:
        known = [*(each.name for each in built_in().values()), *(each.name for each in stored)]
        raise BadAsk(f"There is no template {wanted!r}. Known: {', '.join(known)}.")


def _read(written: Mapping[str, Any]) -> tuple[TemplateDocument, tuple[str, ...]]:
    if problem := _unreadable(written):
        raise BadTemplate(str(written.get("name", "")), (problem,))
    if is_flat(written):
        adapted = from_flat(written)
        return adapted.document, tuple(adapted.notes)
    document = read_document(written)
    if isinstance(document, tuple):
        raise BadTemplate(str(written.get("name", "")), document)
    return document, ()


def _unreadable(written: Mapping[str, Any]) -> Problem | None:
    """JSON can contain lone surrogates and extreme nesting; no store could keep them."""
    try:
        json.dumps(dict(written), ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return Problem("", "", "It holds half of a character, a lone surrogate. Take it out.")
    except RecursionError:
        return Problem("", "", "It is nested too deeply. Make it simpler.")
    return None


def _by_name(written: Iterable[Mapping[str, Any]]) -> dict[str, TemplateDocument]:
    """Those that can be parsed."""
    found: dict[str, TemplateDocument] = {}
    for each in written:
        with suppress(BadTemplate):
            document, _ = _read(each)
            found[document.name] = document
    return found


def _usable(document: TemplateDocument, find: Find) -> Checked:
    checked = check(document, find)
    if checked.problems:
        raise BadTemplate(document.name, checked.problems)
    return checked


def _broken(others: Iterable[Template], find: Find) -> set[str]:
    """The names of those that cannot be used."""
    return {each.name for each in others if check(TemplateDocument.model_validate(each.document), find).problems}


def _refuse_too_many(stored: list[Template]) -> None:
    if len(stored) >= MOST_TEMPLATES:
        raise BadAsk(f"There are {len(stored):,} templates, which is the most. Delete one that nobody uses.")


def _refuse_breaking(names: set[str], what: str) -> None:
    """A change must not break a template that extends the changed one."""
    if names:
        raise Conflict(f"{what} would break {', '.join(sorted(names))}, which extends it. Change that one first.")


def _version(template: Template) -> TemplateVersion:
    return TemplateVersion(
        workspace=template.workspace,
        id=f"{template.id}.{template.version}",
        template_id=template.id,
        version=template.version,
        document=template.document,
        created_at=template.updated_at,
    )


def _kept(template: Template) -> StoredTemplate:
    return StoredTemplate(
        id=template.id,
        document=TemplateDocument.model_validate(template.document),
        created_at=template.created_at,
        updated_at=template.updated_at,
    )


def _as_lines(document: Mapping[str, Any]) -> list[str]:
    told = {name: value for name, value in document.items() if name != "version"}
    return json.dumps(told, indent=2, ensure_ascii=False).splitlines()
