"""Merges the data of memories that say the same, and makes links between memories. Pure.

Start at `taken_over`.
"""

from datetime import datetime
from itertools import chain

from everlore.domain.bounds import Json
from everlore.domain.memory import Durability, LinkKind, Memory, MemoryLink, MemoryType, Visible, is_persons

MOST_SOURCES = 1_000
_MOST_NAMES = 100
# In ascending order: the longer-lasting, and the more hidden value wins.
_LASTING = (Durability.EPHEMERAL, Durability.SITUATIONAL, Durability.LONG_TERM, Durability.IDENTITY)
_HIDDEN = (Visible.NORMAL, Visible.SECRET, Visible.PRIVATE)


def taken_over(memory: Memory, record: Memory) -> dict[str, object]:
    """The fields that a memory gains if a person writes the same: nothing known is lost, and the statement becomes the
    person's own (M11)."""
    names = ("entity_ids", "participants", "key_moments", "tags")
    return {
        "type": record.type if memory.type is MemoryType.FACT else memory.type,
        "category": memory.category or record.category,
        "summary": memory.summary or record.summary,
        "priority": max(memory.priority, record.priority),
        "emotional_weight": max(memory.emotional_weight, record.emotional_weight),
        "visibility": max(memory.visibility, record.visibility, key=_HIDDEN.index),
        "durability": max(memory.durability, record.durability, key=_LASTING.index),
        "is_spoiler": memory.is_spoiler or record.is_spoiler,
        "edited_by_person": memory.edited_by_person or (is_persons(record) and not is_persons(memory)),
        **{name: united(getattr(memory, name), getattr(record, name))[:_MOST_NAMES] for name in names},
        "extra": _both(memory.extra, record.extra),
    }


def _both(one: Json, other: Json) -> Json:
    """All keys of both, the first one's values preferred; the `quoted_from` lists are joined (M15)."""
    both = {**other, **{name: value for name, value in one.items() if value or name not in other}}
    lists = [each for each in (one.get("quoted_from"), other.get("quoted_from")) if isinstance(each, list | tuple)]
    return {**both, "quoted_from": list(dict.fromkeys(chain(*lists)))} if lists else both


def united(*lists: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain(*lists)))[:MOST_SOURCES]


def surer(one: float, other: float) -> float:
    """Two sources give more confidence than either, but never certainty."""
    best = max(one, other)
    return max(best, min(0.99, best + 0.2 * (1 - best)))


def link_between(memory: Memory, other_id: str, kind: LinkKind, now: datetime, id: str) -> MemoryLink:
    return MemoryLink(
        workspace=memory.workspace, id=id, memory_id=memory.id, other_id=other_id, kind=kind, created_at=now
    )
