"""A store that does not change a record which somebody else has changed since it was read here: for `If-Match`.

A request first reads what it is about to edit, and then, after `seal`, edits it. Every record that it read before, and
writes after that, must still be the same in the transaction that writes it, or nothing is written.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from everlore.domain.scope import Scope
from everlore.store.answers import Page
from everlore.store.port import Amend, Change, Delete, Expect, Put, Store

Key = tuple[type[Any], str]


class ExpectingStore:
    def __init__(self, behind: Store) -> None:
        self._behind = behind
        self._read: dict[Key, Any] = {}
        self._is_sealed = False

    def __getattr__(self, name: str) -> Any:
        """Forwards everything else to the real store."""
        return getattr(self._behind, name)

    def seal(self) -> None:
        """Whatever is read from now on may change."""
        self._is_sealed = True

    async def get(self, scope: Scope, kind: type[Any], id: str) -> Any:
        record = await self._behind.get(scope, kind, id)
        self._note(kind, {id: record})
        return record

    async def get_many(self, scope: Scope, kind: type[Any], ids: Iterable[str]) -> list[Any]:
        wanted = list(ids)
        found = await self._behind.get_many(scope, kind, wanted)
        self._note(kind, dict.fromkeys(wanted) | {each.id: each for each in found})
        return found

    async def find(self, scope: Scope, kind: type[Any], where: Mapping[str, Any] | None = None, **how: Any) -> Page:
        page = await self._behind.find(scope, kind, where, **how)
        self._note(kind, {each.id: each for each in page.items})
        return page

    async def apply(self, scope: Scope, changes: Sequence[Change]) -> list[Any]:
        written = dict.fromkeys(_written(changes))
        # Only once: afterwards these records are as this caller has left them.
        expected = [Expect(*key, self._read.pop(key)) for key in written if key in self._read]
        results = await self._behind.apply(scope, [*expected, *changes])
        return results[len(expected) :]

    def _note(self, kind: type[Any], records: Mapping[str, Any]) -> None:
        if not self._is_sealed:
            self._read |= {(kind, id): record for id, record in records.items()}


def _written(changes: Iterable[Change]) -> Iterator[Key]:
    for change in changes:
        if isinstance(change, Put):
            yield type(change.record), change.record.id
        elif isinstance(change, Amend | Delete):
            yield change.kind, change.id
