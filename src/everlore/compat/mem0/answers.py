"""mem0's shapes of answers, and what Everlore keeps in `extra` for them.

Start at `item_of`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any

from everlore.compat.mem0.errors import InvalidRequest
from everlore.compat.mem0.owners import FIELDS, ids_of
from everlore.domain.memory import Memory
from everlore.domain.revision import Revision

# The key in `extra` of a memory.
KEPT = "mem0"
# Fields of their own in an answer, beside the metadata.
_OWN = ("actor_id", "role", "expiration_date")


def item_of(memory: Memory, score: float | None = None) -> dict[str, Any]:
    """A memory as `get`, `get_all` and `search` return it."""
    kept = kept_of(memory)
    metadata = {name: value for name, value in kept.items() if name not in _OWN}
    return {
        "id": memory.id,
        "memory": memory.content,
        "hash": hashlib.md5(memory.content.encode(), usedforsecurity=False).hexdigest(),
        "metadata": metadata or None,
        "score": score,
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
        **ids_of(memory.persons),
        **{name: kept[name] for name in _OWN if name in kept},
    }


def fields_of(memory: Memory) -> dict[str, Any]:
    """What filters can name."""
    item = item_of(memory)
    return (item.pop("metadata") or {}) | item


def kept_of(memory: Memory) -> dict[str, Any]:
    kept = memory.extra.get(KEPT)
    return dict(kept) if isinstance(kept, Mapping) else {}


def extra_of(metadata: Mapping[str, Any] | None, expiration_date: Any = None) -> dict[str, Any]:
    """What is kept of the arguments; like mem0, without ids of users, agents and runs in the metadata."""
    kept = {name: value for name, value in (metadata or {}).items() if name not in (*FIELDS, "actor_id")}
    return kept | ({} if expiration_date is None else {"expiration_date": _day_of(expiration_date)})


def is_expired(memory: Memory, now: datetime) -> bool:
    day = kept_of(memory).get("expiration_date")
    return day is not None and date.fromisoformat(day) < now.astimezone(UTC).date()


def history_of(memory: Memory, revisions: Sequence[Revision]) -> list[dict[str, Any]]:
    """Its changes, oldest first. Changes that leave the text as it is are left out."""
    states = [*(each.before for each in revisions), memory]
    changes = [_change(None, states[0], 0)]
    for before, after in pairwise(states):
        if before.content != after.content:
            changes.append(_change(before, after, len(changes)))
    return changes


def _change(before: Memory | None, after: Memory, number: int) -> dict[str, Any]:
    kept = kept_of(after)
    return {
        "id": f"{after.id}-{number}",
        "memory_id": after.id,
        "old_memory": before.content if before else None,
        "new_memory": after.content,
        "event": "UPDATE" if before else "ADD",
        "created_at": after.created_at.isoformat(),
        "updated_at": after.updated_at.isoformat(),
        "is_deleted": False,
        "actor_id": kept.get("actor_id"),
        "role": kept.get("role"),
    }


def _day_of(value: Any) -> str:
    try:
        day = value.date() if isinstance(value, datetime) else value
        return (day if isinstance(day, date) else date.fromisoformat(day)).isoformat()
    except (TypeError, ValueError):
        raise InvalidRequest(f"expiration_date is {value!r}; give a date such as 2027-01-31.") from None
