"""The index of a workspace as of one moment, and the filters of a search in it.

Start at `IndexView`.
"""

import json
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everlore.domain.memory import MemoryType, Visible
from everlore.domain.passage import PassageKind, pair_key
from everlore.store.port import Search
from everlore.store.tables import seconds

Positions = NDArray[np.int64]
_FOREVER = float("inf")
_NOWHERE = array("q")
NO_CAMPAIGN = ("no campaign", "")
_ALL_VISIBLE = frozenset(each.value for each in Visible)


def together(persons: Iterable[str]) -> str:
    """A key for exactly these persons."""
    return json.dumps(sorted(set(persons)))


class InternedNames:
    """Small integers for recurring strings: kinds, types, states."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def known(self, names: Sequence[str] | frozenset[str]) -> list[int]:
        return [self._numbers[name] for name in names if name in self._numbers]


@dataclass(frozen=True, slots=True)
class ToldRows:
    """The rows of the memories that the persons of a search were told."""

    knower: NDArray[np.int64]
    unknowing: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class IndexView:
    """The index as of the start of a search."""

    columns: dict[str, NDArray[Any]]
    alive: NDArray[np.bool_]
    embedded: NDArray[np.bool_]
    matrix: NDArray[np.float32] | None
    scopes: dict[tuple[str, str], "array[int]"]
    names: InternedNames
    size: int

    def select(self, ask: Search, told: ToldRows) -> Positions:
        """The positions of the passages that match every filter except `refs`, in order of their rows."""
        among = self._scoped(ask, told)
        at = slice(0, self.size) if among is None else among
        mask = self._mask(ask, at)
        self._hide(mask, ask, at)
        for outside in self._outside(ask, told):
            mask &= ~self._spread(outside)[at]
        return np.flatnonzero(mask) if among is None else among[mask]

    def places_of(self, rows: NDArray[np.int64]) -> Positions:
        """The positions of these rows, in order."""
        known = self.columns["row"][: self.size]
        places = np.searchsorted(known, rows)
        there = places < self.size
        return np.unique(places[there][known[places[there]] == rows[there]])

    def share_of(self, name: str, value: str) -> float:
        """Roughly the share of all passages, including past ones, that are in this scope."""
        return len(self.scopes.get((name, value), _NOWHERE)) / max(self.size, 1)

    def _listed(self, name: str, value: str) -> Positions:
        # Copied in one step, because another thread may append at the same time.
        found: Positions = np.frombuffer(self.scopes.get((name, value), _NOWHERE).tobytes(), dtype=np.int64)
        return found[: np.searchsorted(found, self.size)]

    def _known(self, person_id: str, told: NDArray[np.int64]) -> Positions:
        theirs = self._listed("person", person_id)
        return np.union1d(theirs, self.places_of(told)) if len(told) else theirs

    def _open(self, ask: Search) -> list[Positions]:
        """What a viewer may see without knowing it themselves. Few passages are in a campaign, so this is cheap."""
        found = []
        for campaign in ask.runs:
            of = self._listed("campaign", campaign)
            found.append(of[~self._has(of, "visibility", Visible.SECRET) | self.columns["is_spoiler"][of]])
        for campaign in ask.canon_of - {""}:
            of = self._listed("campaign", campaign)
            of = of[~self._has(of, "visibility", Visible.SECRET)]
            canon = self._has(of, "kind", PassageKind.ENTITY) | self._has(of, "type", MemoryType.CANON_RULING)
            found.append(of[canon | self._is_nobodys(of)])
        if "" in ask.canon_of and PassageKind.ENTITY in ask.kinds:
            of = self._listed(*NO_CAMPAIGN)
            of = of[self._has(of, "kind", PassageKind.ENTITY)]
            found.append(of[self._is_nobodys(of)])
        if ask.open_of is not None and PassageKind.MEMORY in ask.kinds:
            of = self._listed("persons", together((ask.open_of,)))
            normal = self._has(of, "visibility", Visible.NORMAL)
            found.append(of[normal & self._has(of, "kind", PassageKind.MEMORY)])
        if ask.private_in and PassageKind.MESSAGE in ask.kinds:
            of = self._listed("conversation", ask.private_in)
            of = of[self._has(of, "kind", PassageKind.MESSAGE)]
            found.append(of[self._is_nobodys(of)])
        return [each for each in found if len(each)]

    def _has(self, at: Positions, column: str, name: str) -> NDArray[np.bool_]:
        return _is_one_of(self.columns[column][at], self.names.known([name]))

    def _is_nobodys(self, at: Positions) -> NDArray[np.bool_]:
        return self._spread(self._listed("persons", together(())))[at] if len(at) else np.zeros(0, dtype=np.bool_)

    def _with_spoilers(self, ask: Search) -> Positions:
        """Passages in campaigns where the viewer may see spoilers."""
        found = [self._listed("campaign", each) for each in ask.runs]
        if ask.with_spoilers:
            closed = [self._listed(*NO_CAMPAIGN), *(self._listed("campaign", each) for each in ask.plays)]
            found.append(np.flatnonzero(~self._spread(*closed)))
        return self._united(found)

    def _spread(self, *positions: Positions) -> NDArray[np.bool_]:
        """A boolean per passage: whether it is among these positions."""
        claims = np.zeros(self.size, dtype=np.bool_)
        for each in positions:
            claims[each] = True
        return claims

    def _united(self, positions: Sequence[Positions]) -> Positions:
        """All of these, without duplicates and in order. `np.unique` hashes, which takes ten milliseconds for tens of
        thousands; this takes a tenth of one."""
        return positions[0] if len(positions) == 1 else np.flatnonzero(self._spread(*positions))

    def _outside(self, ask: Search, told: ToldRows) -> list[Positions]:
        """The passages that the search excludes by name."""
        found = []
        if ask.besides is not None:
            found.append(self._listed("persons", together(ask.besides)))
        found += [self._listed("person", id) for id in ask.without or ()]
        if ask.unknown_to is not None:
            found.append(self._known(ask.unknown_to, told.unknowing))
        return found

    def _scoped(self, ask: Search, told: ToldRows) -> Positions | None:
        wanted = [
            ("pair", pair_key(*ask.pair) if ask.pair else None),
            ("persons", together(ask.persons) if ask.persons is not None else None),
            ("conversation", ask.conversation_id),
            ("person", ask.person_id),
            ("campaign", ask.campaign_id),
        ]
        scopes = [self._listed(name, value) for name, value in wanted if value is not None]
        if ask.knower_id is not None:
            scopes.append(self._united([self._known(ask.knower_id, told.knower), *self._open(ask)]))
        if not scopes:
            return None
        found, *others = sorted(scopes, key=len)
        for other in others:
            found = found[self._spread(other)[found]]
        return found

    def _mask(self, ask: Search, at: Any) -> NDArray[np.bool_]:
        get = self.columns
        mask: NDArray[np.bool_] = self.alive[at].copy()
        for name, wanted in (
            ("kind", frozenset(kind.value for kind in ask.kinds)),
            ("type", ask.types),
            ("status", ask.statuses),
        ):
            if wanted or name != "type":
                mask &= _is_one_of(get[name][at], self.names.known(wanted))
        if ask.since is not None:
            mask &= get["at"][at] >= seconds(ask.since)
        if ask.until is not None:
            mask &= get["at"][at] < seconds(ask.until)
        if ask.as_of is None:
            mask &= get["until"][at] == _FOREVER
            return mask
        then = seconds(ask.as_of)
        mask &= (get["since"][at] <= then) & (then < get["until"][at])
        mask &= (get["valid_from"][at] <= then) & (then < get["valid_to"][at])
        return mask

    def _hide(self, mask: NDArray[np.bool_], ask: Search, at: Any) -> None:
        """Mask out what this viewer may not see, or not from this conversation."""
        visibility = self.columns["visibility"][at]
        if not ask.visibilities >= _ALL_VISIBLE:
            mask &= _is_one_of(visibility, self.names.known(ask.visibilities))
        if not ask.with_spoilers or ask.plays:
            mask &= ~self.columns["is_spoiler"][at] | self._spread(self._with_spoilers(ask))[at]
        if ask.private_in is not None:
            here = self._spread(self._listed("conversation", ask.private_in))[at]
            mask &= here | ~_is_one_of(visibility, self.names.known([Visible.PRIVATE.value]))

    def cosines(self, chosen: Positions, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The cosine of each chosen passage; NaN for those without a vector.

        `vecdot` instead of `@`: as fast on one core, and it does not wait for threads of a busy machine.
        """
        if self.matrix is None:
            return np.full(len(chosen), np.nan, dtype=np.float32)
        if len(chosen) * 2 > self.size:
            cosines = np.vecdot(self.matrix[: self.size], vector)[chosen]
        else:
            cosines = np.vecdot(self.matrix[chosen], vector)
        cosines[~self.embedded[chosen]] = np.nan
        found: NDArray[np.float32] = cosines
        return found


def _is_one_of(column: NDArray[Any], numbers: Sequence[int]) -> NDArray[np.bool_]:
    """Like `np.isin`, but for the few numbers of a search it is twenty times as fast, because it does not sort."""
    found = np.zeros(len(column), dtype=np.bool_)
    for number in numbers:
        found |= column == number
    return found
