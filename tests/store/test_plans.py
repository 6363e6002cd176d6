"""What is asked for again and again is read from an index and in its order (K3, K5, P1, P10, P12, W3).

So a page of a long conversation costs what a page costs, however long the conversation is.
"""

import contextlib
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from everlore.domain.analysis import Analysis
from everlore.domain.attachment import Attachment
from everlore.domain.audit_entry import AuditEntry
from everlore.domain.conversation import Conversation, Message
from everlore.domain.event import EventState
from everlore.domain.interaction import Interaction
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory, Origin
from everlore.domain.miss import Miss
from everlore.domain.reading import Extractor, Reading
from everlore.domain.roll import Roll
from everlore.domain.template import Template, TemplateVersion
from everlore.domain.token import Token
from everlore.domain.xray import XRay
from everlore.settings import StoreSettings
from everlore.store.answers import MessagePosition
from everlore.store.postgres.connection import numbered
from everlore.store.postgres.dialect import PostgresDialect
from everlore.store.postgres.store import PostgresStore
from everlore.store.sql import queue, reads, tallies
from everlore.store.sql.flow import Dialect, SqlStatement
from everlore.store.sql.knowledge import known, partners
from everlore.store.sql.timeline import timeline
from everlore.store.sqlite.connection import prepare
from everlore.store.sqlite.dialect import SqliteDialect
from everlore.store.tables import TABLES
from tests.contract.builders import (
    WORKSPACE,
    bare,
    conversation,
    event,
    memory,
    message,
    minute,
    miss,
    person,
    roll,
    save,
    telling,
    template,
    template_version,
    xray,
)
from tests.postgres import Server

MEMORIES = "memories_conversation_id"
FINDS: list[tuple[type[Any], dict[str, Any], str]] = [
    (Message, {"conversation_id": "chat"}, "messages_conversation_id"),
    (Message, {"conversation_id": "chat", "weight": (5, 6, 7, 8, 9)}, "messages_weight"),
    (XRay, {"conversation_id": "chat"}, "xrays_conversation_id"),
    (XRay, {"message_id": "chat-7"}, "xrays_message_id"),
    (Template, {"name": "T7"}, "templates_name"),
    (TemplateVersion, {"template_id": "t7"}, "template_versions_template_id"),
    (Reading, {"conversation_id": "chat"}, "readings_conversation_id"),
    (Reading, {"conversation_id": "chat", "extractor": "facts", "has_refused": True}, "readings_conversation_id"),
    (Reading, {"message_id": "chat-7"}, "readings_message_id"),
    (Reading, {"has_refused": True}, "readings_order"),
    (Analysis, {"conversation_id": "chat"}, "analyses_conversation_id"),
    (Interaction, {"actor_id": "p7"}, "interactions_actor_id"),
    (Interaction, {"interactor_id": "p7"}, "interactions_interactor_id"),
    (Interaction, {"conversation_id": "chat"}, "interactions_conversation_id"),
    (Interaction, {"event_id": "e7"}, "interactions_event_id"),
    (Memory, {"conversation_id": "chat", "origin": "keyframe", "status": ("active", "pending")}, MEMORIES),
    (Memory, {"importance": (8, 9, 10)}, "memories_order"),
    (Memory, {"importance": 9, "status": "active"}, "memories_order"),
    (Telling, {"memory_id": "chat-7"}, "tellings_memory_id"),
    (Telling, {"teller_id": "p7"}, "tellings_teller_id"),
    (Telling, {"listener_id": "p7"}, "tellings_listener_id"),
    (Telling, {"conversation_id": "chat"}, "tellings_conversation_id"),
    (Telling, {"message_id": "chat-7"}, "tellings_message_id"),
    (Telling, {}, "tellings_order"),
    (Roll, {"conversation_id": "chat"}, "rolls_conversation_id"),
    (Roll, {"conversation_id": "chat", "seq": 7}, "rolls_conversation_id"),
    (Roll, {"person_id": "p7"}, "rolls_person_id"),
    (Roll, {"memory_id": "chat-7"}, "rolls_memory_id"),
    (Miss, {"conversation_id": "chat"}, "misses_conversation_id"),
    (Miss, {"person_id": "p7", "mode": "dual"}, "misses_person_id"),
    (Miss, {"mode": "dual"}, "misses_order"),
    (Conversation, {"inner_of_id": "chat"}, "conversations_inner_of_id"),
    (Attachment, {"event_id": "e7"}, "attachments_event_id"),
    (Attachment, {"event_id": "e7", "name": "outputs"}, "attachments_event_id"),
    (Token, {"user_id": "p7"}, "tokens_user_id"),
    (AuditEntry, {}, "deeds_order"),
    (AuditEntry, {"ref": "chat-7"}, "deeds_ref"),
    (AuditEntry, {"ref": "chat-7", "kind": "memory"}, "deeds_ref"),
    (AuditEntry, {"kind": "template", "verb": "created", "actor": "local"}, "deeds_order"),
]
# What is asked for, and the indexes that are read one after the other.
TIMELINES: list[tuple[dict[str, Any], list[str]]] = [
    ({"person_id": "p7"}, ["appearances_person_id"]),
    ({"person_id": "p7", "types": frozenset({"dream"})}, ["appearances_person_id"]),
    (
        {"person_id": "p7", "since": minute(500), "until": minute(900)},
        ["appearances_person_id", "appearances_lasting"],
    ),
    ({"until": minute(500), "types": frozenset({"dream", "task"})}, ["events_order"]),
    ({"since": minute(500)}, ["events_order", "events_lasting"]),
]
PLACES = [MessagePosition("chat", 7), MessagePosition("elsewhere", 70)]
# As long as many replies are; a database reads a small table as a whole.
LONG = "word " * 200
every_timeline = pytest.mark.parametrize(
    ("asked", "indexes"), TIMELINES, ids=[" and ".join(asked) for asked, _ in TIMELINES]
)
every_find = pytest.mark.parametrize(
    ("kind", "where", "index"), FINDS, ids=[f"{kind.__name__} by {' and '.join(where)}" for kind, where, _ in FINDS]
)


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Empty: it keeps no statistics, so its plans are the same when it is full."""
    file = tmp_path / "everlore.db"
    prepare(file, busy_timeout_s=15)
    with closing(sqlite3.connect(file)) as database:
        yield database


@pytest.fixture
async def postgresql(postgres: Server) -> AsyncIterator[Any]:
    """With enough rows for an index to be worth it, and as PostgreSQL keeps it by itself: swept, with statistics."""
    async with postgres.fresh_database() as url:
        store = await PostgresStore.open(url, StoreSettings(), clock=lambda: datetime.now(UTC))
        await save(store, *(person(f"p{number}") for number in range(8)))
        for chat in ("chat", "elsewhere"):
            await save(store, conversation(chat))
            said = [(f"{chat}-{number}", number % 10) for number in range(500)]
            await save(store, *(message(id, LONG, conversation_id=chat, weight=weight) for id, weight in said))
            await save(store, *(xray(id, conversation_id=chat) for id, _ in said))
            await save(store, *(_learnt(kind, id, chat) for kind in (Reading, Analysis, Memory) for id, _ in said))
            await save(store, *(each for id, _ in said for each in _retold(id, chat)))
        happened, dealt = zip(*map(_happened, range(1_000)), strict=True)
        await save(store, *happened, *dealt)
        await save(store, *(_kept(number) for number in range(1_000)))
        names = [f"t{number}" for number in range(500)]
        await save(
            store, *map(template, names), *(template_version(f"{name}-1", 1, template_id=name) for name in names)
        )
        await store.close()
        database = await asyncpg.connect(url)
        await database.execute("VACUUM ANALYZE")
        yield database
        await database.close()


def _learnt(kind: type[Any], id: str, chat: str) -> Any:
    """Of the message with this id."""
    number = int(id.rpartition("-")[2])
    if kind is Memory:
        return memory(
            id,
            LONG,
            conversation_id=chat,
            origin=list(Origin)[number % 3],
            at=minute(number),
            importance=number % 10 + 1,
            persons=(f"p{number % 8}", f"p{(number + 1) % 8}"),
        )
    known: dict[str, Any] = {"conversation_id": chat, "created_at": minute(number)}
    if kind is Analysis:
        return bare(Analysis, id, summary=LONG, **known)
    extractor = Extractor.KEYFRAME if number % 10 == 0 else Extractor.FACTS
    refused: dict[str, Any] = {"has_refused": number % 7 == 0, "refused": {"items": [LONG]}}
    return bare(Reading, id, message_id=id, extractor=extractor, **known, **refused)


def _retold(id: str, chat: str) -> list[Any]:
    """What came of the message with this id and of the memory formed of it."""
    number = int(id.rpartition("-")[2])
    one, other = f"p{number % 8}", f"p{(number + 3) % 8}"
    return [
        telling(id, id, one, other, number, conversation_id=chat, message_id=id),
        roll(id, number + 1, conversation_id=chat, person_id=one, memory_id=id, seed=LONG, created_at=minute(number)),
        miss(id, LONG, conversation_id=chat, person_id=one, mode=("dual", "solo")[number % 2]),
    ]


def _happened(number: int) -> list[Any]:
    """Among eight persons, two at a time; a tenth of it lasts."""
    both = (f"p{number % 8}", f"p{(number + 1) % 8}")
    state = EventState.IN_PROGRESS if number % 10 == 0 else EventState.COMPLETE
    dealt = bare(
        Interaction,
        f"i{number}",
        description=LONG,
        actor_id=both[0],
        interactor_id=both[1],
        event_id=f"e{number // 5}",
        conversation_id="chat" if number % 2 else "elsewhere",
        created_at=minute(number),
    )
    return [event(f"e{number}", LONG, at=minute(number), state=state, actors=both), dealt]


def _kept(number: int) -> Any:
    """What was too long for an event, a key for a person or for anybody, or what was thought within a conversation."""
    at: dict[str, Any] = {"created_at": minute(number)}
    if number % 3 == 0:
        return bare(Attachment, f"a{number}", event_id=f"e{number // 5}", content=LONG, **at)
    if number % 3 == 1:
        return bare(Token, f"k{number}", user_id=f"p{number % 8}" if number % 5 == 0 else None, digest=LONG[:900], **at)
    return conversation(f"i{number}", title=LONG[:250], inner_of_id=("chat", "elsewhere")[number % 2], **at)


@every_find
def test_sqlite_reads_a_page_in_the_order_of_its_index(
    sqlite: sqlite3.Connection, kind: type[Any], where: dict[str, Any], index: str
) -> None:
    ask = _page(SqliteDialect(), kind, where)

    plan = _plan(sqlite, ask)

    assert f"USING INDEX {index} (" in plan[0]
    assert not any("TEMP B-TREE" in line for line in plan), plan


@every_timeline
def test_sqlite_reads_the_timeline_in_the_order_of_its_indexes(
    sqlite: sqlite3.Connection, asked: dict[str, Any], indexes: list[str]
) -> None:
    """K5: what began in the time, and by itself what only reaches into it."""
    plans = [_plan(sqlite, ask) for ask in _timeline(SqliteDialect(), asked)]

    assert [plan[0].partition("INDEX ")[2].partition(" (")[0] for plan in plans] == indexes
    assert not any("TEMP B-TREE" in line for plan in plans for line in plan), plans


def test_sqlite_finds_the_places_of_messages_by_their_numbers(sqlite: sqlite3.Connection) -> None:
    """R2: one statement, and no message is read that is not near one of them."""
    plan = _plan(sqlite, _only(reads.around(SqliteDialect(), WORKSPACE, PLACES, 2, None)))

    assert any(
        "messages USING INDEX messages_conversation_id (workspace=? AND conversation_id=? AND seq>?" in line
        for line in plan
    ), plan


@pytest.mark.parametrize("at", [None, minute(5)], ids=["now", "then"])
def test_sqlite_reads_what_somebody_knows_in_the_order_of_its_index(
    sqlite: sqlite3.Connection, at: datetime | None
) -> None:
    """R11: whoever knows much has a page soon, and whoever knows little has not all memories read for it."""
    plan = _plan(sqlite, _only(known(SqliteDialect(), WORKSPACE, "p7", at=at, limit=50, cursor=None)))

    assert "memories USING COVERING INDEX memories_order (" in plan[0]
    assert any("tellings USING COVERING INDEX tellings_listener_id (" in line for line in plan), plan
    assert not any("ORDER BY" in line for line in plan), plan


def test_sqlite_reads_what_is_due_in_the_order_of_its_index(sqlite: sqlite3.Connection) -> None:
    """M17: before every turn, and of all memories only those are looked at that are."""
    plan = _plan(sqlite, _only(reads.due(SqliteDialect(), WORKSPACE, ["p7"], 12)))

    assert "memories USING INDEX memories_due (workspace=?)" in plan[0]
    assert not any("ORDER BY" in line for line in plan), plan


def test_sqlite_finds_partners_among_the_memories_of_the_person(sqlite: sqlite3.Connection) -> None:
    """R8."""
    plan = _plan(sqlite, _only(partners(SqliteDialect(), WORKSPACE, "p7")))

    assert "mentions USING PRIMARY KEY (workspace=? AND field=? AND target=?)" in plan[0]
    assert "memories USING INDEX sqlite_autoindex_memories_1 (workspace=? AND id=?)" in plan[1]


@pytest.mark.parametrize("since", [None, minute(5)], ids=["in all", "since"])
def test_sqlite_reads_what_was_counted_and_nothing_else(sqlite: sqlite3.Connection, since: datetime | None) -> None:
    """C9: in one stretch, however much there is."""
    for flow in (tallies.tallies(WORKSPACE, since), tallies.coverage(WORKSPACE, "model")):
        plan = _plan(sqlite, _only(flow))

        assert plan[0].startswith("SEARCH tallies USING PRIMARY KEY (workspace=? AND hour"), plan


def _only(flow: Any) -> SqlStatement:
    """The first statement of a flow."""
    ask = next(flow)
    assert isinstance(ask, SqlStatement)
    return ask


def test_sqlite_finds_the_first_of_a_lane_however_many_wait_behind_it(sqlite: sqlite3.Connection) -> None:
    """C5: seven thousand jobs in one lane made each claim look through all of them."""
    claiming = queue._next(SqliteDialect(), WORKSPACE, minute(1), 8, frozenset({"facts"}))
    loose, heads = next(claiming), claiming.send([])
    places = next(queue.with_work(minute(1)))
    assert all(isinstance(each, SqlStatement) for each in (loose, heads, places))

    read = [_plan(sqlite, each) for each in (loose, heads, places) if isinstance(each, SqlStatement)]
    found = [sorted({step.split("INDEX ")[1] for step in plan if "SEARCH jobs" in step}) for plan in read]

    assert found[0] == ["jobs_loose (workspace=?)"]
    assert found[1] == [
        "jobs_heads (workspace=? AND lane=?)",
        "jobs_heads (workspace=? AND lane>?)",
        "jobs_heads (workspace=?)",
        "jobs_order (workspace=? AND seq=?)",
    ]
    assert found[2] == ["jobs_waiting (workspace=? AND state=?)"]
    assert not any("SCAN jobs" in step for plan in read for step in plan)


def _plan(database: sqlite3.Connection, ask: SqlStatement) -> list[str]:
    return [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {ask.sql}", ask.values)]


@pytest.mark.postgres
async def test_postgresql_reads_what_is_due_in_the_order_of_its_index(postgresql: Any) -> None:
    """M17."""
    await _reads_in_order(postgresql, _only(reads.due(PostgresDialect(), WORKSPACE, ["p7", "p0"], 2)), "memories_due")


@pytest.mark.postgres
async def test_postgresql_reads_a_page_in_the_order_of_its_index(postgresql: Any) -> None:
    for kind, where, index in FINDS:
        ask = _page(PostgresDialect(), kind, where)

        await _reads_in_order(postgresql, ask, index)


@pytest.mark.postgres
async def test_postgresql_reads_the_timeline_in_the_order_of_its_indexes(postgresql: Any) -> None:
    """K5."""
    for asked, indexes in TIMELINES:
        for ask, index in zip(_timeline(PostgresDialect(), asked), indexes, strict=True):
            await _reads_in_order(postgresql, ask, index)


@pytest.mark.postgres
async def test_postgresql_finds_the_places_of_messages_by_their_numbers(postgresql: Any) -> None:
    """R2."""
    plan = await _explained(postgresql, _only(reads.around(PostgresDialect(), WORKSPACE, PLACES, 2, None)))

    assert any("using messages_conversation_id on" in line for line in plan), plan


async def _explained(database: Any, ask: SqlStatement) -> list[str]:
    return [row[0] for row in await database.fetch(f"EXPLAIN (COSTS OFF) {numbered(ask.sql)}", *ask.values)]


async def _reads_in_order(database: Any, ask: SqlStatement, index: str) -> None:
    plan = await _explained(database, ask)

    assert any(f"using {index} on" in line for line in plan), plan
    # One that is incremental only settles ties, and no two messages have one number.
    assert not any(line.strip(" ->") == "Sort" for line in plan), plan


def _timeline(sql: Dialect, asked: dict[str, Any]) -> list[SqlStatement]:
    """All that a store asks when nothing is found."""
    nothing: dict[str, Any] = {"person_id": None, "since": None, "until": None, "types": frozenset()}
    flow = timeline(sql, WORKSPACE, **{**nothing, **asked}, limit=50, cursor=None)
    asks = [next(flow)]
    with contextlib.suppress(StopIteration):
        while True:
            asks.append(flow.send([]))
    return [ask for ask in asks if isinstance(ask, SqlStatement)]


def _page(sql: Dialect, kind: type[Any], where: dict[str, Any]) -> SqlStatement:
    """How a store asks for the newest of these."""
    return _only(reads.find(sql, TABLES[kind], WORKSPACE, where, limit=50, cursor=None, newest_first=True))
