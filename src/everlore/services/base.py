"""What every service has: the scope that it works in, and the resources of the process."""

from collections.abc import Sequence
from typing import Any

from everlore.domain.scope import Scope
from everlore.store.port import Change
from everlore.turn.resources import Resources


class Service:
    def __init__(self, scope: Scope, resources: Resources) -> None:
        self._scope = scope
        self._resources = resources
        self._store = resources.store

    async def _apply(self, changes: Sequence[Change]) -> list[Any]:
        """Write all the changes or none, and announce them to those who listen."""
        results = await self._store.apply(self._scope, changes)
        self._resources.live.applied(self._scope, changes, results)
        return results
