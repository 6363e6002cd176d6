"""The passages of a workspace in memory: columns for filtering, and one matrix of vectors.

The file is authoritative; this copy catches up by the numbers in `index_changes`. Rows are only appended and flagged,
so a search can run in one thread while another catches up: the data of a `view` stays consistent.

Start at `Indexes.current`.
"""

import json
import sqlite3
import threading
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everlore.store.sqlite.index_view import NO_CAMPAIGN, IndexView, InternedNames, together

_COLUMNS = (
    "passages.row, kind, type, status, at, COALESCE(valid_from, -9e999), COALESCE(valid_to, 9e999), since, "
    "COALESCE(until, 9e999), length, visibility, is_spoiler, pair, persons, conversation_id, campaign_id, vec"
)
_FROM = (
    "FROM passages LEFT JOIN vectors ON vectors.workspace = passages.workspace AND vectors.row = passages.row "
    "AND vectors.model = ?"
)
# If more than this share of the index changed, reloading is cheaper than catching up.
_RELOAD_SHARE = 0.5


# pair, persons as JSON, conversation, campaign
_Scope = tuple[str | None, str, str | None, str | None]


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
# Positions of these in `_COLUMNS`; the scope ends where the vector begins.
_UNTIL = [name for name, _ in _NUMBERS].index("until")
_SCOPE = len(_NUMBERS)
_VECTOR = _SCOPE + 4


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
        """Apply the changes since the last call. False: a reload is better or necessary."""
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
        """Updates the rows that are known already; returns whether that was possible."""
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
        """Only the closing time and the vector of a row change. A changed scope needs a reload."""
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
        # Last, so that a concurrent search never sees an incomplete row.
        self._size = end

    def _note_scopes(self, start: int, scopes: list[_Scope]) -> None:
        """Many passages share few scopes, so each scope is looked up once."""
        listed = {scope: self._lists_of(scope) for scope in set(scopes)}
        for position, scope in enumerate(scopes, start):
            for positions in listed[scope]:
                positions.append(position)
        self._scope_of += [hash(scope) for scope in scopes]

    def _lists_of(self, scope: _Scope) -> "list[array[int]]":
        pair, listed, conversation, campaign = scope
        persons = json.loads(listed)
        keys = [("person", person) for person in persons]
        keys.append(("persons", together(persons)))
        for name, value in (("pair", pair), ("conversation", conversation), ("campaign", campaign)):
            if value is not None:
                keys.append((name, value))
        if campaign is None:
            keys.append(NO_CAMPAIGN)
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
    """The rows changed after that number; None if the change log no longer reaches back that far."""
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
    """The indexes in use; when they exceed the limit, the least recently used is dropped."""

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
