"""Who knows what, and with whom they share it (R8, R11).

A memory is known to those whose it is and to those who were told. What was believed when is in the passages, those of
earlier times included, so that they say of any time whose a memory was. Start at `known`.
"""

from datetime import datetime
from typing import Any

from everlore.domain.memory import Memory
from everlore.store.pages import page_of, read_cursor
from everlore.store.port import Page, Partner
from everlore.store.sql.flow import Dialect, Flow, alone, ask
from everlore.store.sql.reads import as_of, get_many
from everlore.store.tables import TABLES, moment, seconds

Condition = tuple[str, list[Any]]


def told(workspace: str, listener_id: str, by: datetime | None) -> Condition:
    """Of `tellings`: this person was told by then, or at any time."""
    condition, values = "tellings.workspace = ? AND tellings.listener_id = ?", [workspace, listener_id]
    if by is None:
        return condition, values
    return f"{condition} AND tellings.told_at <= ?", [*values, seconds(by)]


def stood(passages: str, at: datetime | None) -> Condition:
    """Of passages: believed and, by what they say themselves, true at that time; or simply the present."""
    if at is None:
        return f"{passages}.until IS NULL", []
    return (
        f"{passages}.since <= ? AND ({passages}.until IS NULL OR ? < {passages}.until) AND ({passages}.valid_from "
        f"IS NULL OR {passages}.valid_from <= ?) AND ({passages}.valid_to IS NULL OR ? < {passages}.valid_to)",
        [seconds(at)] * 4,
    )


def known(
    sql: Dialect, workspace: str, knower_id: str, *, at: datetime | None, limit: int, cursor: str | None
) -> Flow[Page]:
    table = TABLES[Memory]
    after, last = ("AND (created_at, id) < (?, ?)", read_cursor(table, cursor)) if cursor is not None else ("", [])
    heard, to_whom = told(workspace, knower_id, at)
    then, when = stood("passages", at)
    rows = yield from ask(
        "SELECT id FROM memories WHERE workspace = ? AND id IN (SELECT memory_id FROM mentions WHERE workspace = ? "
        f"AND field = 'persons' AND target = ? UNION SELECT memory_id FROM tellings WHERE {heard}) {after} "
        # The index of mentions remembers earlier revisions too; the passage of the time has the last word.
        "AND EXISTS (SELECT 1 FROM passages WHERE passages.workspace = memories.workspace "
        "AND passages.kind = 'memory' AND passages.ref = memories.id AND passages.status = 'active' "
        f"AND {then} AND ({sql.is_theirs} OR memories.id IN (SELECT memory_id FROM tellings WHERE {heard}))) "
        "ORDER BY created_at DESC, id DESC LIMIT ?",
        workspace,
        workspace,
        knower_id,
        *to_whom,
        *last,
        *when,
        knower_id,
        *to_whom,
        limit + 1,
    )
    memories = yield from get_many(sql, table, workspace, [row[0] for row in rows])
    page = page_of(table, memories, limit)
    if at is None:
        return page
    return Page(tuple((yield from as_of(sql, workspace, [memory.id for memory in page.items], at))), page.cursor)


@alone
def partners(sql: Dialect, workspace: str, person_id: str) -> Flow[list[Partner]]:
    rows = yield from ask(
        "SELECT held.value, COUNT(DISTINCT memories.id), MAX(memories.created_at) FROM mentions "
        "CROSS JOIN memories "
        f"CROSS JOIN {sql.each('persons')} "
        "WHERE mentions.workspace = ? AND mentions.field = 'persons' AND mentions.target = ? "
        "AND memories.workspace = mentions.workspace AND memories.id = mentions.memory_id "
        f"AND memories.status = 'active' AND {sql.holds_any('persons')} AND held.value <> ? GROUP BY held.value",
        workspace,
        person_id,
        sql.listed([person_id]),
        person_id,
    )
    found = [Partner(other, memories, moment(last_at)) for other, memories, last_at in rows]
    return sorted(found, key=lambda each: (-each.memories, -each.last_at.timestamp(), each.person_id))
