"""The `Dialect` of PostgreSQL."""

import struct
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from everlore.domain.passage import Ties
from everlore.store.port import Vector
from everlore.store.spans import MessageSpan
from everlore.store.sql.flow import Flow, Row, ask, tell_many
from everlore.store.sql.patterns import like_pattern
from everlore.store.sql.tokens import word_of, word_tokens

_COPIED = ("kind", "type", "status", "visibility", "is_spoiler", "at", "valid_from", "valid_to", "since", "until")
_HEAD = ">hh"


class PostgresDialect:
    lock = " FOR UPDATE"
    lock_shared = " FOR SHARE"
    lock_free = " FOR UPDATE SKIP LOCKED"
    in_code_order = ' COLLATE "C"'
    is_theirs = "passages.persons @> ARRAY[CAST(? AS TEXT)]"
    dims = "vector_dims(vec)"
    copied: Sequence[str] = _COPIED

    def among(self, column: str) -> str:
        return f"{column} = ANY(?)"

    def contains(self, column: str, part: str) -> tuple[str, list[str]]:
        return f"{column} ILIKE ? ESCAPE '!'", [like_pattern(part)]

    def listed(self, values: Iterable[str | int]) -> list[str | int]:
        return list(values)

    def unlisted(self, cell: list[str]) -> list[str]:
        return cell

    def holds(self, column: str, expression: str) -> str:
        return f"{_held(column)} WHERE held.value = {expression})"

    def holds_any(self, column: str) -> str:
        return f"{_held(column)} WHERE held.value = ANY(?))"

    def holds_only(self, column: str) -> str:
        return f"NOT {_held(column)} WHERE NOT held.value = ANY(?))"

    def each(self, column: str, name: str = "held") -> str:
        return f"json_array_elements_text(memories.{column}::json) AS {name}(value)"

    def next_numbers(self, counter: str, count: int) -> Flow[list[int]]:
        rows = yield from ask(f"SELECT nextval('{counter}_numbers') FROM generate_series(1, CAST(? AS INTEGER))", count)
        return [row[0] for row in rows]

    def terms(self, words: Sequence[str], workspace: str, _ties: Ties) -> list[str]:
        return word_tokens(workspace, words)

    def words(self, terms: list[str]) -> list[str]:
        return [word_of(term) for term in terms]

    def index_words(self, _rows: Sequence[int], _terms: Sequence[Any], /) -> Flow[None]:
        yield from ()

    def purge(self) -> Flow[None]:
        yield from ()

    def count(self, rows: Sequence[Row]) -> Flow[None]:
        # Each writer counts in a shard that no other transaction has, so that none waits for another.
        yield from tell_many(
            "INSERT INTO tallies (workspace, hour, kind, type, n, shard) VALUES (?, ?, ?, ?, ?, free_shard(?)) "
            "ON CONFLICT (workspace, hour, kind, type, shard) DO UPDATE SET n = tallies.n + excluded.n",
            [(*row, row[0]) for row in rows],
        )

    def vector(self, vector: Any) -> bytes:
        """pgvector's binary form of a halfvec: its length, a spare field, and the numbers, big-endian."""
        return struct.pack(_HEAD, len(vector), 0) + np.asarray(vector, dtype=">f2").tobytes()

    def vector_from(self, cell: bytes) -> Vector:
        return np.frombuffer(cell, dtype=">f2", offset=struct.calcsize(_HEAD)).astype(np.float32)

    def within(self, spans: Sequence[MessageSpan], columns: str, workspace: str) -> tuple[str, list[Any]]:
        # OFFSET keeps PostgreSQL from reordering the join, which would read every message and look for its span.
        sql = (
            f"SELECT {columns} FROM unnest(CAST(? AS TEXT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) "
            "AS span(chat, low, high) CROSS JOIN LATERAL (SELECT * FROM messages WHERE workspace = ? "
            "AND conversation_id = span.chat AND seq BETWEEN span.low AND span.high OFFSET 0) AS near"
        )
        return sql, [*([span[at] for span in spans] for at in range(3)), workspace]


def _held(column: str) -> str:
    return f"EXISTS (SELECT 1 FROM json_array_elements_text(memories.{column}::json) AS held(value)"
