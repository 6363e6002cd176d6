"""What an export of a whole workspace contains, and what it leaves out (M13, S-2).

Every table is in one of the two lists: a test fails when a new one is in neither.
"""

from collections.abc import Mapping
from typing import Any

from everlore.domain.counters import Counted
from everlore.domain.memory import Memory
from everlore.domain.records import KINDS, LOOSENED, MENTIONS, OWNED, targets_of
from everlore.domain.setting import INDEX, Setting, without_keys
from everlore.domain.token import Token
from everlore.domain.webhook import Webhook
from everlore.store.tables import TABLES

# Each kind comes after the kinds its records refer to, except for records of the same kind.
CARRIED: tuple[type[Any], ...] = (*(kind for kind in KINDS if kind not in (Token, Webhook)), Counted)
# Tables that are exported together with the records of another.
WITH_OTHERS: Mapping[str, str] = {
    "revisions": "the history of a memory stands with it",
    "tallies": "what was counted that is no record; the rest is counted again as it comes",
}
LEFT_OUT: Mapping[str, str] = {
    "tokens": "a token opens this database; another has tokens of its own",
    "webhooks": "a copy elsewhere must not report to the same address",
    "jobs": "work under way belongs to this queue; what needs a vector is queued again",
    "queues": "whether this queue is paused, and how fast it may go",
    "passages": "the search index, made again from the records",
    "passages_text": "the words of the search index",
    "vectors": "made again in the background, by the embedder of the other database",
    "index_changes": "what the index in memory reads to catch up",
    "mentions": "which memories name a record, made again from them",
    "appearances": "who was in which event, made again from them",
    "counters": "the last numbers that were given in this database",
    "live_notices": "what the processes on this database tell each other, for some seconds",
    "live_listeners": "which of them have sockets open",
    "workspaces": "made when the first record comes",
    "schema_versions": "the schema of this database",
}
# A setting of this database rather than of the workspace.
LOCAL_SETTING = INDEX
_TIES = (*OWNED, *LOOSENED)


def travelling(record: Any) -> Any:
    """The record as it is exported: without the API keys of model providers."""
    return without_keys(record) if isinstance(record, Setting) else record


def is_same(one: Any, other: Any) -> bool:
    """Whether two records are equal, apart from counters the store keeps and API keys."""
    table = TABLES.get(type(one))
    if table is None:
        return bool(one == other)
    one, other = travelling(one), travelling(other)
    compared = (name for name in table.names if name not in table.counted)
    return all(getattr(one, name) == getattr(other, name) for name in compared)


def names_of(record: Any) -> list[tuple[type[Any], str]]:
    """All references of a record that must exist, as (kind, id)."""
    kind = type(record)
    named = [(tie.parent, getattr(record, tie.column)) for tie in _TIES if tie.child is kind]
    if kind is Memory:
        for name, parent in MENTIONS.items():
            value = getattr(record, name)
            named += [(parent, id) for id in targets_of(value)]
    return [(parent, id) for parent, id in named if id is not None]


def own_kind_of(record: Any) -> list[str]:
    """The ids of the same kind a record refers to: these may be imported later."""
    return [id for kind, id in names_of(record) if kind is type(record)]
