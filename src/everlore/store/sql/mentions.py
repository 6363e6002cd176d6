"""Which memories mention a record: the way back from a person, a message or an entity (M5, M9).

The table also remembers what earlier revisions mentioned, so that a deleted id is found in these too. Ties
of which a memory has at most one at a time have a column and an index of their own, and need no rows here.
"""

from collections.abc import Collection, Container, Iterable, Sequence

from everlore.domain.memory import Memory
from everlore.domain.records import mentions_of
from everlore.store.sql.flow import Dialect, Flow, add, ask, insert, tell_many

Mention = tuple[str, str]
_COLUMNS = ("workspace", "field", "target", "memory_id")
_KEPT = frozenset({"persons", "source_message_ids", "entity_ids", "superseded_by"})


def keep(workspace: str, mentioned: Iterable[tuple[Memory, Sequence[Mention]]], known: Container[str]) -> Flow[None]:
    """`known` are the memories that are not new."""
    fresh: list[tuple[str, ...]] = []
    # Never taken back by a change: an earlier revision may still mention what the present one does not.
    more: list[tuple[str, ...]] = []
    for memory, mentions in mentioned:
        rows = more if memory.id in known else fresh
        rows += [(workspace, name, target, memory.id) for name, target in mentions if name in _KEPT]
    yield from add("mentions", _COLUMNS, list(dict.fromkeys(fresh)))
    yield from tell_many(f"{insert('mentions', _COLUMNS)} ON CONFLICT DO NOTHING", more)


def forget(sql: Dialect, workspace: str, name: str, targets: Collection[str]) -> Flow[set[str]]:
    """Forget that these are mentioned; the memories that do, or did."""
    if name in _KEPT:
        rows = yield from ask(
            f"DELETE FROM mentions WHERE workspace = ? AND field = ? AND {sql.among('target')} RETURNING memory_id",
            workspace,
            name,
            sql.listed(targets),
        )
    else:
        rows = yield from ask(
            f"SELECT id FROM memories WHERE workspace = ? AND {sql.among(name)}", workspace, sql.listed(targets)
        )
    return {row[0] for row in rows}


def drop(workspace: str, states: Iterable[Memory]) -> Flow[None]:
    """Forget all that these memories mention; `states` are their present and their earlier ones."""
    keys = {(workspace, name, target, memory.id) for memory in states for name, target in mentions_of(memory)}
    yield from tell_many(
        "DELETE FROM mentions WHERE workspace = ? AND field = ? AND target = ? AND memory_id = ?", list(keys)
    )
