"""Persons by their ids and names, as far as the caller may know of them."""

from collections.abc import Iterable

from everlore.app import Everlore
from everlore.domain.person import Person, PersonKind
from everlore.errors import NotFound


async def person_of(lore: Everlore, said: str) -> Person:
    """The person of that id or name. Hidden persons give the same error as unknown ones."""
    try:
        return await lore.characters.named(said)
    except NotFound:
        raise NotFound(
            f"There is no person called {said!r} here. Names are case-sensitive; list_characters has them, with ids."
        ) from None


async def asked_person(lore: Everlore, said: str) -> str | None:
    """The id of the person; None for an empty text."""
    return (await person_of(lore, said)).id if said else None


class PersonNames:
    """Names by id; hidden persons have none."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def of(self, ids: Iterable[str]) -> list[str]:
        return [self._names[id] for id in ids if id in self._names]

    def one(self, id: str | None, otherwise: str) -> str:
        return self._names.get(id or "", otherwise)


async def names_of(lore: Everlore, ids: Iterable[str | None]) -> PersonNames:
    wanted = dict.fromkeys(id for id in ids if id is not None)
    found = await lore.store.get_many(lore.scope, Person, wanted) if wanted else []
    own = lore.scope.confined_to
    return PersonNames(
        {each.id: each.name for each in found if own in (None, each.id) or each.kind is not PersonKind.USER}
    )
