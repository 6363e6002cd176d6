"""Notices between processes on the same database, as statements: see `port.Notice`."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from everlore.store.answers import Notice
from everlore.store.sql.flow import Dialect, Flow, alone, ask, tell_many
from everlore.store.tables import moment, seconds

_COLUMNS = "origin, number, conversation_id, body, at"


def publish(workspace: str, notices: Sequence[Notice], before: datetime) -> Flow[None]:
    yield from ask("DELETE FROM live_notices WHERE workspace = ? AND at < ?", workspace, seconds(before))
    yield from tell_many(
        f"INSERT INTO live_notices (workspace, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
        [(workspace, each.origin, each.number, each.conversation_id, each.body, seconds(each.at)) for each in notices],
    )


@alone
def notices(workspace: str, process: str, after: Mapping[str, int]) -> Flow[list[Notice]]:
    new = ["origin NOT IN (" + ", ".join("?" * len(after)) + ")"] if after else ["1 = 1"]
    new += ["(origin = ? AND number > ?)"] * len(after)
    rows = yield from ask(
        f"SELECT {_COLUMNS} FROM live_notices WHERE workspace = ? AND origin <> ? AND ({' OR '.join(new)}) "
        "ORDER BY origin, number",
        workspace,
        process,
        *after,
        *(value for each in after.items() for value in each),
    )
    return [Notice(origin, number, talk, body, moment(at)) for origin, number, talk, body, at in rows]


def listen(workspace: str, process: str, until: datetime | None) -> Flow[None]:
    yield from ask("DELETE FROM live_listeners WHERE workspace = ? AND process = ?", workspace, process)
    if until is not None:
        yield from ask(
            "INSERT INTO live_listeners (workspace, process, until) VALUES (?, ?, ?)",
            workspace,
            process,
            seconds(until),
        )


@alone
def is_listened_to(workspace: str, besides: str, at: datetime) -> Flow[bool]:
    rows = yield from ask(
        "SELECT 1 FROM live_listeners WHERE workspace = ? AND process <> ? AND until >= ? LIMIT 1",
        workspace,
        besides,
        seconds(at),
    )
    return bool(rows)


def forget(sql: Dialect, workspace: str, conversations: set[str], messages: set[str]) -> Flow[None]:
    """Notices contain words of a reply: they are deleted with its conversation and with its message."""
    if conversations:
        among = sql.among("conversation_id")
        yield from ask(
            f"DELETE FROM live_notices WHERE workspace = ? AND {among}", workspace, sql.listed(conversations)
        )
    elif messages:
        theirs = f"SELECT conversation_id FROM messages WHERE workspace = ? AND {sql.among('id')}"
        yield from ask(
            f"DELETE FROM live_notices WHERE workspace = ? AND conversation_id IN ({theirs})",
            workspace,
            workspace,
            sql.listed(messages),
        )
