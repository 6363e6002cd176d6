"""Which memories mention a record: the way back from a person, a message or an entity (M5, M9).

The table also remembers what earlier revisions mentioned, so that a deleted id is found in these too. Ties of which a
memory has at most one at a time have a column and an index of their own, and rows here only once they were given up.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from everlore.domain.memory import Memory
from everlore.domain.records import MENTIONS, mentions_of
from everlore.store.sql.flow import Dialect, Flow, add, ask, insert, tell_many

Mention = tuple[str, str]
_COLUMNS = ("workspace", "field", "target", "memory_id")
_KEPT = frozenset({"persons", "source_message_ids", "entity_ids", "superseded_by"})


def keep(
    workspace: str, mentioned: Iterable[tuple[Memory, Sequence[Mention]]], known: Mapping[str, Memory]
) -> Flow[None]:
    """`known` are the memories that are not new, as they were."""
    fresh: list[tuple[str, ...]] = []
    # Never taken back by a change: an earlier revision may still mention what the present one does not.
    more: list[tuple[str, ...]] = []
    for memory, mentions in mentioned:
        rows = more if memory.id in known else fresh
        rows += [(workspace, name, target, memory.id) for name, target in mentions if name in _KEPT]
        if (before := known.get(memory.id)) is not None:
            more += [(workspace, name, target, memory.id) for name, target in _given_up(before, memory)]
    yield from add("mentions", _COLUMNS, list(dict.fromkeys(fresh)))
    yield from tell_many(f"{insert('mentions', _COLUMNS)} ON CONFLICT DO NOTHING", more)


def _given_up(before: Memory, after: Memory) -> list[Mention]:
    """The ties that a column has held until now: from here on only an earlier revision has them."""
    columns = [name for name in MENTIONS if name not in _KEPT]
    return [
        (name, target)
        for name in columns
        if (target := getattr(before, name)) is not None and target != getattr(after, name)
    ]


def forget(sql: Dialect, workspace: str, name: str, targets: Collection[str]) -> Flow[set[str]]:
    """Forget that these are mentioned; the memories that do, or did."""
    rows = yield from ask(
        f"DELETE FROM mentions WHERE workspace = ? AND field = ? AND {sql.among('target')} RETURNING memory_id",
        workspace,
        name,
        sql.listed(targets),
    )
    if name not in _KEPT:
        present = yield from ask(
            f"SELECT id FROM memories WHERE workspace = ? AND {sql.among(name)}", workspace, sql.listed(targets)
        )
        rows = [*rows, *present]
    return {row[0] for row in rows}


def drop(workspace: str, states: Iterable[Memory]) -> Flow[None]:
    """Forget all that these memories mention; `states` are their present and their earlier ones."""
    keys = {(workspace, name, target, memory.id) for memory in states for name, target in mentions_of(memory)}
    yield from tell_many(
        "DELETE FROM mentions WHERE workspace = ? AND field = ? AND target = ? AND memory_id = ?", list(keys)
    )
