"""Which memories mention a record: finds the memories of a person, a message or an entity (M5, M9).

The table also has what earlier revisions mentioned, so that a deleted id is removed from them too. References of which
a memory has at most one have a column and an index of their own, and rows here only after they were removed.
"""

from collections.abc import Collection, Mapping, Sequence

from everlore.domain.memory import Memory
from everlore.domain.records import MENTIONS, targets_of
from everlore.store.sql.flow import Dialect, Flow, add, ask, insert, tell_many

Mention = tuple[str, str]
_COLUMNS = ("workspace", "field", "target", "memory_id")
_KEPT = ("persons", "source_message_ids", "entity_ids", "superseded_by")


def keep(workspace: str, memories: Sequence[Memory], known: Mapping[str, Memory]) -> Flow[None]:
    """`known` are the previous states of the memories that are not new."""
    yield from add("mentions", _columns(workspace, [memory for memory in memories if memory.id not in known]))
    if known:
        # Changes never remove rows: an earlier revision may still mention what the present one does not.
        changed = [(known[memory.id], memory) for memory in memories if memory.id in known]
        rows = list(zip(*_columns(workspace, [after for _, after in changed]).values(), strict=True))
        for before, after in changed:
            rows += [(workspace, name, target, after.id) for name, target in _given_up(before, after)]
        yield from tell_many(f"{insert('mentions', _COLUMNS)} ON CONFLICT DO NOTHING", rows)


def _columns(workspace: str, memories: Sequence[Memory]) -> dict[str, list[str]]:
    """Grouped by what is mentioned: the memories of a batch mention the same few."""
    fields: list[str] = []
    targets: list[str] = []
    ids: list[str] = []
    for name in _KEPT:
        for target, mentioning in _by_target(memories, name).items():
            fields += [name] * len(mentioning)
            targets += [target] * len(mentioning)
            ids += mentioning
    return dict(zip(_COLUMNS, ([workspace] * len(ids), fields, targets, ids), strict=True))


def _by_target(memories: Sequence[Memory], name: str) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = {}
    for memory in memories:
        if value := getattr(memory, name):
            for target in targets_of(value):
                found.setdefault(target, {})[memory.id] = None
    return found


def _given_up(before: Memory, after: Memory) -> list[Mention]:
    """Single references that were removed by the change: only earlier revisions have them from now on."""
    columns = [name for name in MENTIONS if name not in _KEPT]
    return [
        (name, target)
        for name in columns
        if (target := getattr(before, name)) is not None and target != getattr(after, name)
    ]


def forget(sql: Dialect, workspace: str, name: str, targets: Collection[str]) -> Flow[set[str]]:
    """Delete these mentions; returns the memories that have or had them."""
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
