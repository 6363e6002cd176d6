"""The template of a turn: the one that its conversation names, or the default. Start at `template_for`."""

from collections.abc import Iterable
from functools import lru_cache

import structlog

from everlore.compose.builtins import built_in, default_for, find_built_in
from everlore.compose.inherit import BadTemplate, Find, ResolvedTemplate, resolve
from everlore.domain.campaign import Campaign
from everlore.domain.person import Person
from everlore.domain.policy import is_guest
from everlore.domain.scope import Scope
from everlore.domain.template import Template, TemplateDocument
from everlore.errors import NotFound
from everlore.store.port import Store

log = structlog.get_logger(__name__)

# More than anybody has. All of them are read when one is changed, to find those that the change would break.
MOST_TEMPLATES = 1_000


async def template_for(
    store: Store,
    scope: Scope,
    wanted: str,
    character: Person,
    campaign: Campaign | None,
    *,
    is_scene: bool = False,
) -> tuple[ResolvedTemplate, str]:
    """The template of a live turn, and a complaint if the wanted one cannot be used: the turn goes on. `is_scene`:
    roles are played, even by people without a card."""
    if is_guest(scope.role):
        # A guest sees only the public side; that there is a card is no secret.
        character = next(iter(await store.get_many(scope, Person, [character.id])), character)
    default = default_for(character, campaign, is_scene=is_scene)
    if not wanted:
        return _built_in(default), ""
    if (ours := find_built_in(wanted)) is not None:
        return resolve(ours, find_built_in), ""
    stored = await all_templates(store, scope)
    document = finder_in(stored)(wanted)
    try:
        if document is None:
            raise NotFound(f"There is no template {wanted!r}.")
        return resolve(document, finder_in(stored)), ""
    except (NotFound, BadTemplate) as error:
        log.warning("template.unusable", template=wanted, error=str(error))
        fallback = _built_in(default)
        return fallback, f"{error} {fallback.name!r} was used instead."


@lru_cache(maxsize=32)
def _built_in(id: str) -> ResolvedTemplate:
    return resolve(built_in()[id], find_built_in)


async def all_templates(store: Store, scope: Scope) -> list[Template]:
    page = await store.find(scope, Template, limit=MOST_TEMPLATES)
    return list(page.items)


def finder_in(stored: Iterable[Template]) -> Find:
    """Finds a template by id or by name, built-in ones too."""
    known = {key: each for each in stored for key in (each.name, each.id)}

    def find(name_or_id: str) -> TemplateDocument | None:
        if name_or_id in known:
            return TemplateDocument.model_validate(known[name_or_id].document)
        return find_built_in(name_or_id)

    return find
