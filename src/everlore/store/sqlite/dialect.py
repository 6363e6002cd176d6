"""The `Dialect` of SQLite."""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from everlore.domain.passage import Ties
from everlore.store.port import Vector
from everlore.store.spans import MessageSpan
from everlore.store.sql.flow import Flow, Row, ask, tell_many
from everlore.store.sql.patterns import like_pattern
from everlore.store.sql.tokens import MARK, joined_tokens, word_of
from everlore.store.tables import to_json, tuple_to_json


class SqliteDialect:
    # There is one writer at a time, so rows need no locks.
    lock = ""
    lock_shared = ""
    lock_free = ""
    in_code_order = ""
    is_theirs = "EXISTS (SELECT 1 FROM json_each(passages.persons) AS held WHERE held.value = ?)"
    dims = "LENGTH(vec) / 2"
    copied: Sequence[str] = ()

    def count(self, rows: Sequence[Row]) -> Flow[None]:
        yield from tell_many(
            "INSERT INTO tallies (workspace, hour, kind, type, n) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n",
            rows,
        )

    def among(self, column: str) -> str:
        return f"{column} IN (SELECT value FROM json_each(?))"

    def contains(self, column: str, part: str) -> tuple[str, list[str]]:
        # LIKE ignores the case of ASCII letters only, so other letters are searched in each case.
        cases = [*dict.fromkeys((part, part.lower(), part.upper(), part.title()))]
        forms = cases[:1] if part.isascii() else cases
        each_of = " OR ".join([f"{column} LIKE ? ESCAPE '!'"] * len(forms))
        return f"({each_of})", [like_pattern(each) for each in forms]

    def listed(self, values: Iterable[str | int]) -> str:
        return tuple_to_json(tuple(values))

    def unlisted(self, cell: str) -> list[str]:
        found: list[str] = json.loads(cell)
        return found

    def holds(self, column: str, expression: str) -> str:
        return f"EXISTS (SELECT 1 FROM json_each(memories.{column}) AS held WHERE held.value = {expression})"

    def holds_any(self, column: str) -> str:
        return (
            f"EXISTS (SELECT 1 FROM json_each(memories.{column}) AS held "
            "WHERE held.value IN (SELECT value FROM json_each(?)))"
        )

    def holds_only(self, column: str) -> str:
        return (
            f"NOT EXISTS (SELECT 1 FROM json_each(memories.{column}) AS held "
            "WHERE held.value NOT IN (SELECT value FROM json_each(?)))"
        )

    def each(self, column: str, name: str = "held") -> str:
        return f"json_each(memories.{column}) AS {name}"

    def next_numbers(self, counter: str, count: int) -> Flow[list[int]]:
        rows = yield from ask("UPDATE counters SET value = value + ? WHERE name = ? RETURNING value", count, counter)
        last = rows[0][0]
        return list(range(last - count + 1, last + 1))

    def terms(self, words: Sequence[str], workspace: str, ties: Ties) -> str:
        scope = _scope_tokens(workspace, ties.persons, ties.pair, ties.conversation_id, ties.campaign_id)
        return " ".join((joined_tokens(workspace, words), *scope) if words else scope)

    def words(self, terms: str) -> list[str]:
        return [word_of(term) for term in terms.split(" ") if not term.startswith(MARK)]

    def index_words(self, rows: Sequence[int], terms: Sequence[Any]) -> Flow[None]:
        # One statement for the whole batch takes a third of the time of a trigger. No blocks either: FTS5 would flush
        # after each of them.
        values = list(zip(rows, terms, strict=True))
        yield from tell_many("INSERT INTO passages_text (rowid, terms) VALUES (?, ?)", values)

    def purge(self) -> Flow[None]:
        # FTS5 marks a deleted row and keeps its words until segments are merged. Merging all of them takes 10 ms at
        # 10,000 passages and 60 ms at 100,000, which is acceptable for removing the words.
        yield from ask("INSERT INTO passages_text (passages_text) VALUES ('optimize')")

    def vector(self, vector: Any) -> bytes:
        return np.asarray(vector, dtype="<f2").tobytes()

    def vector_from(self, cell: bytes) -> Vector:
        return np.frombuffer(cell, dtype="<f2").astype(np.float32)

    def within(self, spans: Sequence[MessageSpan], columns: str, workspace: str) -> tuple[str, list[Any]]:
        # CROSS JOIN: otherwise SQLite reads every message and looks for its span.
        sql = (
            f"SELECT {columns} FROM (SELECT value FROM json_each(?)) AS span CROSS JOIN messages WHERE workspace = ? "
            "AND conversation_id = json_extract(span.value, '$[0]') "
            "AND seq BETWEEN json_extract(span.value, '$[1]') AND json_extract(span.value, '$[2]')"
        )
        return sql, [to_json(spans), workspace]


@lru_cache(maxsize=4096)
def _scope_tokens(
    workspace: str, persons: tuple[str, ...], pair: str | None, conversation_id: str | None, campaign_id: str | None
) -> tuple[str, ...]:
    tokens = [scope_token(workspace, "person", person) for person in persons]
    for name, value in (("pair", pair), ("conversation", conversation_id), ("campaign", campaign_id)):
        if value is not None:
            tokens.append(scope_token(workspace, name, value))
    return tuple(tokens)


@lru_cache(maxsize=65_536)
def scope_token(workspace: str, name: str, value: str) -> str:
    """A full-text token for a scope. It is a digest, because ids may contain any character."""
    digest = blake2b(f"{name}\x00{workspace}\x00{value}".encode(), digest_size=9)
    return MARK + digest.hexdigest()
