"""Who knows what, and with whom they share it (R8, R11).

A memory is known to its persons and to those who were told. Passages record what was believed at any time, and to whom
a memory belonged then. Start at `known`.
"""

from datetime import datetime
from typing import Any

from everlore.domain.memory import Memory
from everlore.store.answers import Page, PairActivity, Partner
from everlore.store.pages import page_of, read_cursor
from everlore.store.sql.flow import Dialect, Flow, alone, ask
from everlore.store.sql.reads import as_of, get_many
from everlore.store.tables import TABLES, moment, seconds

Condition = tuple[str, list[Any]]


def told(workspace: str, listener_id: str, by: datetime | None) -> Condition:
    """A condition on `tellings`: this person was told by then, or at any time."""
    condition, values = "tellings.workspace = ? AND tellings.listener_id = ?", [workspace, listener_id]
    if by is None:
        return condition, values
    return f"{condition} AND tellings.told_at <= ?", [*values, seconds(by)]


def stood(passages: str, at: datetime | None) -> Condition:
    """A condition on passages: believed at that time, and valid then by their own dates; or simply present."""
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
        # The index of mentions includes earlier revisions; the passage of that time decides.
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


@alone
def bonds(sql: Dialect, workspace: str, limit: int) -> Flow[list[PairActivity]]:
    parts = " UNION ALL ".join((_remembered(sql), _talked(sql), _passed(sql)))
    rows = yield from ask(
        "SELECT one_id, other_id, SUM(memories), SUM(talks), SUM(interactions), MAX(last_at) "
        f"FROM ({parts}) AS counted GROUP BY one_id, other_id "
        "ORDER BY SUM(memories) + SUM(talks) + SUM(interactions) DESC, MAX(last_at) DESC, "
        f"one_id{sql.in_code_order}, other_id{sql.in_code_order} LIMIT ?",
        *([workspace] * 3),
        limit,
    )
    return [
        PairActivity(one, other, int(memories), int(talks), int(interactions), moment(last_at))
        for one, other, memories, talks, interactions, last_at in rows
    ]


def _remembered(sql: Dialect) -> str:
    return (
        "SELECT one.value AS one_id, held.value AS other_id, COUNT(DISTINCT memories.id) AS memories, 0 AS talks, "
        "0 AS interactions, MAX(memories.created_at) AS last_at FROM memories "
        f"CROSS JOIN {sql.each('persons')} CROSS JOIN {sql.each('persons', 'one')} "
        f"WHERE memories.workspace = ? AND memories.status = 'active' AND one.value{sql.in_code_order} < held.value "
        "GROUP BY one.value, held.value"
    )


def _talked(sql: Dialect) -> str:
    return (
        "SELECT one.person_id, other.person_id, 0, COUNT(*), 0, MAX(one.at) FROM appearances AS one "
        "JOIN appearances AS other ON other.workspace = one.workspace AND other.event_id = one.event_id "
        f"WHERE one.workspace = ? AND one.type = 'interact' AND one.person_id{sql.in_code_order} < other.person_id "
        "GROUP BY one.person_id, other.person_id"
    )


def _passed(sql: Dialect) -> str:
    return (
        "SELECT CASE WHEN is_in_order THEN actor_id ELSE interactor_id END, "
        "CASE WHEN is_in_order THEN interactor_id ELSE actor_id END, 0, 0, COUNT(*), MAX(started_at) FROM ("
        f"SELECT actor_id, interactor_id, actor_id{sql.in_code_order} < interactor_id AS is_in_order, started_at "
        "FROM interactions WHERE workspace = ? AND actor_id <> interactor_id) AS passed GROUP BY 1, 2"
    )
