"""A workspace's passages in memory: columns to scope by, and one matrix of vectors to compare with.

The file is the truth; this is a copy that catches up by the numbers in `index_changes`. Rows are only
ever appended and flagged, so a search can go on in one thread while another catches up: what it took
with `view` stays whole.

Start at `Indexes.current`.
"""

import json
import sqlite3
import threading
from array import array
from collections import OrderedDict
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
_NO_CAMPAIGN = ("no campaign", "")
_ALL_VISIBLE = frozenset(each.value for each in Visible)
_COLUMNS = (
    "passages.row, kind, type, status, at, COALESCE(valid_from, -9e999), COALESCE(valid_to, 9e999), since, "
    "COALESCE(until, 9e999), length, visibility, is_spoiler, pair, persons, conversation_id, campaign_id, vec"
)
_FROM = (
    "FROM passages LEFT JOIN vectors ON vectors.workspace = passages.workspace AND vectors.row = passages.row "
    "AND vectors.model = ?"
)
# Catching up with more changes than this share of the index costs more than loading it again.
_RELOAD_SHARE = 0.5


# pair, persons as JSON, conversation, campaign
_Scope = tuple[str | None, str, str | None, str | None]


def _together(persons: Iterable[str]) -> str:
    """These persons and nobody else, as one word."""
    return json.dumps(sorted(set(persons)))


class InternedNames:
    """Small numbers for words that recur: kinds, types, states."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def known(self, names: Sequence[str] | frozenset[str]) -> list[int]:
        return [self._numbers[name] for name in names if name in self._numbers]


_NUMBERS: tuple[tuple[str, type[Any]], ...] = (
    ("row", np.int64),
    ("kind", np.int16),
    ("type", np.int16),
    ("status", np.int16),
    ("at", np.float64),
    ("valid_from", np.float64),
    ("valid_to", np.float64),
    ("since", np.float64),
    ("until", np.float64),
    ("length", np.float32),
    ("visibility", np.int16),
    ("is_spoiler", np.bool_),
)
_NAMED = frozenset({"kind", "type", "status", "visibility"})
# Where these stand in `_COLUMNS`; the scope ends where the vector begins.
_UNTIL = [name for name, _ in _NUMBERS].index("until")
_SCOPE = len(_NUMBERS)
_VECTOR = _SCOPE + 4


@dataclass(frozen=True, slots=True)
class ToldRows:
    """The rows of the memories that the persons of a question were told."""

    knower: NDArray[np.int64]
    unknowing: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class IndexView:
    """The index as it stood when a search began."""

    columns: dict[str, NDArray[Any]]
    alive: NDArray[np.bool_]
    embedded: NDArray[np.bool_]
    matrix: NDArray[np.float32] | None
    scopes: dict[tuple[str, str], "array[int]"]
    names: InternedNames
    size: int

    def select(self, ask: Search, told: ToldRows) -> Positions:
        """Where the passages stand that every filter but `refs` lets through, in order of their rows."""
        among = self._scoped(ask, told)
        at = slice(0, self.size) if among is None else among
        mask = self._mask(ask, at)
        self._hide(mask, ask, at)
        for outside in self._outside(ask, told):
            mask &= ~self._spread(outside)[at]
        return np.flatnonzero(mask) if among is None else among[mask]

    def places_of(self, rows: NDArray[np.int64]) -> Positions:
        """Where these rows stand, in order."""
        known = self.columns["row"][: self.size]
        places = np.searchsorted(known, rows)
        there = places < self.size
        return np.unique(places[there][known[places[there]] == rows[there]])

    def share_of(self, name: str, value: str) -> float:
        """About how much of all passages, past ones too, is of this scope."""
        return len(self.scopes.get((name, value), _NOWHERE)) / max(self.size, 1)

    def _listed(self, name: str, value: str) -> Positions:
        # Copied in one step: another thread may append meanwhile.
        found: Positions = np.frombuffer(self.scopes.get((name, value), _NOWHERE).tobytes(), dtype=np.int64)
        return found[: np.searchsorted(found, self.size)]

    def _known(self, person_id: str, told: NDArray[np.int64]) -> Positions:
        theirs = self._listed("person", person_id)
        return np.union1d(theirs, self.places_of(told)) if len(told) else theirs

    def _open(self, ask: Search) -> list[Positions]:
        """What somebody may see without knowing it themselves. Little of it is looked at: few are in a campaign."""
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
            of = self._listed(*_NO_CAMPAIGN)
            of = of[self._has(of, "kind", PassageKind.ENTITY)]
            found.append(of[self._is_nobodys(of)])
        if ask.open_of is not None and PassageKind.MEMORY in ask.kinds:
            of = self._listed("persons", _together((ask.open_of,)))
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
        return self._spread(self._listed("persons", _together(())))[at] if len(at) else np.zeros(0, dtype=np.bool_)

    def _with_spoilers(self, ask: Search) -> Positions:
        """Where spoilers may be seen, be it not everywhere."""
        found = [self._listed("campaign", each) for each in ask.runs]
        if ask.with_spoilers:
            closed = [self._listed(*_NO_CAMPAIGN), *(self._listed("campaign", each) for each in ask.plays)]
            found.append(np.flatnonzero(~self._spread(*closed)))
        return self._united(found)

    def _spread(self, *positions: Positions) -> NDArray[np.bool_]:
        """One claim for each passage: is it among these?"""
        claims = np.zeros(self.size, dtype=np.bool_)
        for each in positions:
            claims[each] = True
        return claims

    def _united(self, positions: Sequence[Positions]) -> Positions:
        """All of these, each once and in order. Without `np.unique`, which hashes: of tens of thousands it takes ten
        milliseconds, and this a tenth of one."""
        return positions[0] if len(positions) == 1 else np.flatnonzero(self._spread(*positions))

    def _outside(self, ask: Search, told: ToldRows) -> list[Positions]:
        """What the question leaves out by name."""
        found = []
        if ask.besides is not None:
            found.append(self._listed("persons", _together(ask.besides)))
        found += [self._listed("person", id) for id in ask.without or ()]
        if ask.unknown_to is not None:
            found.append(self._known(ask.unknown_to, told.unknowing))
        return found

    def _scoped(self, ask: Search, told: ToldRows) -> Positions | None:
        wanted = [
            ("pair", pair_key(*ask.pair) if ask.pair else None),
            ("persons", _together(ask.persons) if ask.persons is not None else None),
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
            if wanted or name == "status":
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
        """Take out what may not be seen by whoever asks, or from where."""
        visibility = self.columns["visibility"][at]
        if not ask.visibilities >= _ALL_VISIBLE:
            mask &= _is_one_of(visibility, self.names.known(ask.visibilities))
        if not ask.with_spoilers or ask.plays:
            mask &= ~self.columns["is_spoiler"][at] | self._spread(self._with_spoilers(ask))[at]
        if ask.private_in is not None:
            here = self._spread(self._listed("conversation", ask.private_in))[at]
            mask &= here | ~_is_one_of(visibility, self.names.known([Visible.PRIVATE.value]))

    def cosines(self, chosen: Positions, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The cosine of each chosen passage; not a number for those without a vector.

        `vecdot` rather than `@`: as fast on one core, and it does not wait for threads of a busy machine.
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
    """`np.isin` for the few numbers that a question names: it sorts and looks up, and takes twenty times as long."""
    found = np.zeros(len(column), dtype=np.bool_)
    for number in numbers:
        found |= column == number
    return found


class MemoryIndex:
    def __init__(self) -> None:
        self.change = 0
        self._size = 0
        self._capacity = 0
        self._columns: dict[str, NDArray[Any]] = {name: np.empty(0, kind) for name, kind in _NUMBERS}
        self._alive = np.zeros(0, dtype=np.bool_)
        self._embedded = np.zeros(0, dtype=np.bool_)
        self._scope_of: list[int] = []
        self._matrix: NDArray[np.float32] | None = None
        self._scopes: dict[tuple[str, str], array[int]] = {}
        self._names = InternedNames()

    @property
    def weight(self) -> int:
        matrix = self._matrix.nbytes if self._matrix is not None else 0
        return matrix + 200 * self._capacity

    def view(self) -> IndexView:
        return IndexView(
            self._columns, self._alive, self._embedded, self._matrix, self._scopes, self._names, self._size
        )

    def load(self, connection: sqlite3.Connection, workspace: str, model: str) -> None:
        rows = connection.execute(
            f"SELECT {_COLUMNS} {_FROM} WHERE passages.workspace = ? ORDER BY passages.row",
            (model, workspace),
        ).fetchall()
        self._append(rows)
        self.change = _last_change(connection, workspace)

    def catch_up(self, connection: sqlite3.Connection, workspace: str, model: str) -> bool:
        """Take over what changed since. False: it is better, or necessary, to load afresh."""
        last = _last_change(connection, workspace)
        if last != self.change:
            changed = _changed_rows(connection, workspace, self.change)
            if changed is None or len(changed) > max(1000, self._size * _RELOAD_SHARE):
                return False
            if not self._take_over(_rows(connection, workspace, model, changed), changed):
                return False
            self.change = last
        self._append(_rows_after(connection, workspace, model, self._last_row))
        return True

    def _take_over(self, rows: list[Sequence[Any]], changed: set[int]) -> bool:
        """Rows that are known already; the new ones among them are appended with the others."""
        for row in changed - {row[0] for row in rows}:
            self._forget(row)
        return all(self._update(row) for row in rows if row[0] <= self._last_row)

    @property
    def _last_row(self) -> int:
        return int(self._columns["row"][self._size - 1]) if self._size else 0

    def _position(self, row: int) -> int | None:
        rows = self._columns["row"][: self._size]
        position = int(np.searchsorted(rows, row))
        return position if position < self._size and rows[position] == row else None

    def _forget(self, row: int) -> None:
        position = self._position(row)
        if position is not None:
            self._alive[position] = False

    def _update(self, row: Sequence[Any]) -> bool:
        """Only the closing time and the vector of a row change. A new scope asks for a fresh load."""
        position = self._position(row[0])
        if position is None or self._scope_of[position] != hash(tuple(row[_SCOPE:_VECTOR])):
            return False
        self._columns["until"][position] = row[_UNTIL]
        vector = row[_VECTOR]
        if vector is not None:
            self._room_for_vectors(len(vector) // 2)
            assert self._matrix is not None
            self._matrix[position] = np.frombuffer(vector, dtype="<f2")
        self._embedded[position] = vector is not None
        return True

    def _append(self, rows: Sequence[Sequence[Any]]) -> None:
        if not rows:
            return
        start, end = self._size, self._size + len(rows)
        self._grow(end)
        columns = list(zip(*rows, strict=True))
        for at, (name, _) in enumerate(_NUMBERS):
            values: Any = columns[at]
            if name in _NAMED:
                numbers = {value: self._names.number(value) for value in set(values)}
                values = [numbers[value] for value in values]
            self._columns[name][start:end] = values
        self._alive[start:end] = True
        self._note_scopes(start, list(zip(*columns[_SCOPE:_VECTOR], strict=True)))
        self._place_vectors(start, columns[_VECTOR])
        # Last: a search that runs meanwhile must not see a row before all of it is there.
        self._size = end

    def _note_scopes(self, start: int, scopes: list[_Scope]) -> None:
        """Many passages share few scopes: where each of these is listed is looked up once."""
        listed = {scope: self._lists_of(scope) for scope in set(scopes)}
        for position, scope in enumerate(scopes, start):
            for positions in listed[scope]:
                positions.append(position)
        self._scope_of += [hash(scope) for scope in scopes]

    def _lists_of(self, scope: _Scope) -> "list[array[int]]":
        pair, listed, conversation, campaign = scope
        persons = json.loads(listed)
        keys = [("person", person) for person in persons]
        keys.append(("persons", _together(persons)))
        for name, value in (("pair", pair), ("conversation", conversation), ("campaign", campaign)):
            if value is not None:
                keys.append((name, value))
        if campaign is None:
            keys.append(_NO_CAMPAIGN)
        return [self._scopes.setdefault(key, array("q")) for key in keys]

    def _place_vectors(self, start: int, blobs: Sequence[bytes | None]) -> None:
        there = [at for at, blob in enumerate(blobs) if blob is not None]
        self._embedded[start : start + len(blobs)] = [blob is not None for blob in blobs]
        if not there:
            return
        packed = b"".join(blob for blob in blobs if blob is not None)
        vectors = np.frombuffer(packed, dtype="<f2").reshape(len(there), -1)
        self._room_for_vectors(vectors.shape[1])
        assert self._matrix is not None
        if len(there) == len(blobs):
            self._matrix[start : start + len(blobs)] = vectors
        else:
            self._matrix[np.array(there) + start] = vectors

    def _room_for_vectors(self, dims: int) -> None:
        if self._matrix is None:
            self._matrix = np.zeros((self._capacity, dims), dtype=np.float32)

    def _grow(self, size: int) -> None:
        if size <= self._capacity:
            return
        capacity = max(1024, size + size // 4)
        for name, kind in _NUMBERS:
            self._columns[name] = _larger(self._columns[name], capacity, kind)
        self._columns = dict(self._columns)
        self._alive = _larger(self._alive, capacity, np.bool_)
        self._embedded = _larger(self._embedded, capacity, np.bool_)
        if self._matrix is not None:
            matrix = np.zeros((capacity, self._matrix.shape[1]), dtype=np.float32)
            matrix[: self._size] = self._matrix[: self._size]
            self._matrix = matrix
        self._capacity = capacity


def _larger(values: NDArray[Any], capacity: int, kind: type[Any]) -> NDArray[Any]:
    grown = np.zeros(capacity, dtype=kind)
    grown[: len(values)] = values
    return grown


def _last_change(connection: sqlite3.Connection, workspace: str) -> int:
    row = connection.execute("SELECT MAX(number) FROM index_changes WHERE workspace = ?", (workspace,)).fetchone()
    return row[0] or 0


def _changed_rows(connection: sqlite3.Connection, workspace: str, since: int) -> set[int] | None:
    """The rows changed after that number; None when the numbers that far back were trimmed."""
    (oldest,) = connection.execute("SELECT MIN(number) FROM index_changes").fetchone()
    if oldest is not None and since + 1 < oldest:
        return None
    found = connection.execute(
        "SELECT DISTINCT row FROM index_changes WHERE workspace = ? AND number > ?", (workspace, since)
    )
    return {row[0] for row in found}


def _rows_after(connection: sqlite3.Connection, workspace: str, model: str, row: int) -> list[Sequence[Any]]:
    return connection.execute(
        f"SELECT {_COLUMNS} {_FROM} WHERE passages.workspace = ? AND passages.row > ? ORDER BY passages.row",
        (model, workspace, row),
    ).fetchall()


def _rows(connection: sqlite3.Connection, workspace: str, model: str, wanted: set[int]) -> list[Sequence[Any]]:
    marks = ", ".join(str(int(row)) for row in wanted)
    return connection.execute(
        f"SELECT {_COLUMNS} {_FROM} WHERE passages.workspace = ? AND passages.row IN ({marks}) ORDER BY passages.row",
        (model, workspace),
    ).fetchall()


class Indexes:
    """The indexes in use, the least recently used let go when they grow past the bound."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[tuple[str, str], MemoryIndex] = OrderedDict()
        self._lock = threading.Lock()

    def current(self, connection: sqlite3.Connection, workspace: str, model: str) -> IndexView:
        """The index as of the connection's transaction."""
        with self._lock:
            key = (workspace, model)
            index = self._kept.get(key)
            if index is None or not index.catch_up(connection, workspace, model):
                index = MemoryIndex()
                index.load(connection, workspace, model)
            self._kept[key] = index
            self._kept.move_to_end(key)
            self._let_go()
            return index.view()

    def _let_go(self) -> None:
        while len(self._kept) > 1 and sum(index.weight for index in self._kept.values()) > self._most_bytes:
            self._kept.popitem(last=False)
