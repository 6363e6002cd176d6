"""A LangGraph `BaseStore` over Everlore.

An item is a memory; its id is made from namespace and key. A namespace is a person to whom its items belong, and so is
each of its prefixes: what finds a person's memories by index finds the items of a namespace, or below a prefix.

    store = EverloreStore(lore.within("agents"))

Start at `EverloreStore`.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)
from langgraph.store.base.embed import get_text_at_path

from everlore.app import Everlore
from everlore.domain.memory import Memory, Origin, Status
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person, PersonKind
from everlore.domain.revision import revise
from everlore.errors import BadAsk
from everlore.integrations.event_loop import LoreLoop
from everlore.recall.query_embedding import meaning_of
from everlore.store.all_pages import each_of
from everlore.store.port import Change, Delete, Put, Search
from everlore.sync import Synchronous

# The key in `extra` of a memory, and in `extensions` of a person.
_KEPT = "langgraph"
_LONGEST_TEXT, _LONGEST_NAME = 20_000, 300
_LEAST_POOL, _MOST_POOL = 60, 10_000
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": eq,
    "$ne": ne,
    "$gt": gt,
    "$gte": ge,
    "$lt": lt,
    "$lte": le,
}
_Path = tuple[str, ...]


class EverloreStore(BaseStore):
    """Keeps the items in the workspace of `lore`, which `everlore.open` or `everlore.sync.open` gave."""

    __slots__ = ("_loop", "_lore")

    def __init__(self, lore: Everlore | Synchronous) -> None:
        self._loop = LoreLoop(lore)
        self._lore = self._loop.lore

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return self._loop.wait(self._run_all(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await self._loop.run(self._run_all(list(ops)))

    async def _run_all(self, ops: list[Op]) -> list[Result]:
        return [await self._run(op) for op in ops]

    async def _run(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = await self._find(op.namespace, op.key)
            return _item_of(found) if found is not None else None
        if isinstance(op, SearchOp):
            return await self._search(op)
        if isinstance(op, ListNamespacesOp):
            return await self._list(op)
        if isinstance(op, PutOp):
            # One after the other: a namespace is deleted with its last item.
            async with self._lore.resources.saving:
                await (self._delete(op) if op.value is None else self._put(op, op.value))
            return None
        raise BadAsk(f"{op!r} is not an operation of a store.")

    async def _find(self, namespace: _Path, key: str) -> Memory | None:
        found = await self._lore.store.get_many(self._lore.scope, Memory, [_memory_id(namespace, key)])
        return found[0] if found else None

    # ── put and delete ───────────────────────────────────────────────────────────────────────────

    async def _put(self, op: PutOp, value: Mapping[str, Any]) -> None:
        if op.ttl is not None:
            raise NotImplementedError("Everlore keeps items until they are deleted. Leave ttl out.")
        lore, now = self._lore, self._lore.resources.clock()
        plain = json.loads(json.dumps(value))
        kept = {"namespace": list(op.namespace), "key": op.key, "value": plain, "indexed": op.index is not False}
        content = (_text_of(plain, op.index) or op.key)[:_LONGEST_TEXT]
        before = await self._find(op.namespace, op.key)
        if before is not None:
            memory = revise(before, now, content=content, extra={**before.extra, _KEPT: kept})
            await lore.store.apply(lore.scope, [Put(memory)])
            return
        persons = _persons_of(op.namespace)
        known = {each.id for each in await lore.store.get_many(lore.scope, Person, [each.id for each in persons])}
        memory = Memory(
            workspace=lore.scope.workspace,
            id=_memory_id(op.namespace, op.key),
            content=content,
            persons=tuple(sorted(each.id for each in persons)),
            origin=Origin.IMPORT,
            extra={_KEPT: kept},
            created_at=now,
            updated_at=now,
        )
        new = [
            Person(
                workspace=lore.scope.workspace,
                id=each.id,
                kind=PersonKind.CHARACTER,
                name="/".join(each.path)[:_LONGEST_NAME],
                extensions={_KEPT: {"namespace": list(each.path), "has_items": each.has_items}},
                created_at=now,
                updated_at=now,
            )
            for each in persons
            if each.id not in known
        ]
        await lore.store.apply(lore.scope, [*map(Put, new), Put(memory)])

    async def _delete(self, op: PutOp) -> None:
        lore, memory = self._lore, await self._find(op.namespace, op.key)
        if memory is None:
            return
        changes: list[Change] = [Delete(Memory, memory.id)]
        for each in _persons_of(op.namespace):
            if await lore.store.count(lore.scope, Memory, {"persons": each.id}) <= 1:
                changes.append(Delete(Person, each.id))
        await lore.store.apply(lore.scope, changes)

    # ── search and list ──────────────────────────────────────────────────────────────────────────

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        found: list[SearchItem] = []
        end = op.offset + op.limit
        async for memory, score in self._candidates(op):
            if len(found) >= end:
                break
            item = _item_of(memory)
            if all(_is_met(item.value.get(name), wanted) for name, wanted in (op.filter or {}).items()):
                times = {"created_at": item.created_at, "updated_at": item.updated_at}
                found.append(SearchItem(item.namespace, item.key, item.value, **times, score=score))
        return found[op.offset : end]

    async def _candidates(self, op: SearchOp) -> AsyncIterator[tuple[Memory, float | None]]:
        """The items below the prefix: those that the query finds, best first, then the others, latest first."""
        ranked = await self._ranked(op) if op.query else {}
        for memory, score in ranked.values():
            yield memory, score
        prefix = {"persons": _person_id("below", op.namespace_prefix)} if op.namespace_prefix else {}
        where = {"status": Status.ACTIVE.value, **prefix}
        async for memory in each_of(self._lore.store, self._lore.scope, Memory, where, newest_first=True):
            if memory.id not in ranked and _KEPT in memory.extra:
                yield memory, None

    async def _ranked(self, op: SearchOp) -> dict[str, tuple[Memory, float]]:
        lore, query = self._lore, op.query or ""
        meaning = await meaning_of(query, lore.embedder)
        most = _MOST_POOL if op.filter else min(max(op.offset + op.limit, _LEAST_POOL), _MOST_POOL)
        wanted = Search(
            text=query,
            vector=meaning.vector,
            model=meaning.model,
            kinds=frozenset({PassageKind.MEMORY}),
            person_id=_person_id("below", op.namespace_prefix) if op.namespace_prefix else None,
            limit=most,
            pool=most,
        )
        hits = (await lore.store.search(lore.scope, wanted)).hits
        return {each.memory.id: (each.memory, each.score) for each in hits if _is_indexed(each.memory)}

    async def _list(self, op: ListNamespacesOp) -> list[_Path]:
        found: set[_Path] = set()
        async for person in each_of(self._lore.store, self._lore.scope, Person):
            kept = person.extensions.get(_KEPT)
            if isinstance(kept, Mapping) and kept["has_items"]:
                path = tuple(kept["namespace"])
                if all(_matches(path, each) for each in op.match_conditions or ()):
                    found.add(path[: op.max_depth])
        return sorted(found)[op.offset : op.offset + op.limit]


@dataclass(frozen=True, slots=True)
class _Owner:
    """A person for a namespace: `has_items` for the items in it, otherwise for those in it and below it."""

    id: str
    path: _Path
    has_items: bool


def _persons_of(namespace: _Path) -> list[_Owner]:
    below = [namespace[: depth + 1] for depth in range(len(namespace))]
    return [
        _Owner(_person_id("in", namespace), namespace, has_items=True),
        *(_Owner(_person_id("below", each), each, has_items=False) for each in below),
    ]


def _person_id(kind: str, path: _Path) -> str:
    return f"namespace-{kind}-{_digest(path)}"


def _memory_id(namespace: _Path, key: str) -> str:
    return f"item-{_digest((*namespace, key))}"


def _digest(path: _Path) -> str:
    return hashlib.sha256(json.dumps(path).encode()).hexdigest()[:40]


def _item_of(memory: Memory) -> Item:
    kept: Any = memory.extra[_KEPT]
    return Item(
        value=kept["value"],
        key=kept["key"],
        namespace=tuple(kept["namespace"]),
        created_at=memory.created_at,
        updated_at=memory.updated_at,
    )


def _is_indexed(memory: Memory) -> bool:
    kept = memory.extra.get(_KEPT)
    return isinstance(kept, Mapping) and bool(kept["indexed"])


def _text_of(value: Mapping[str, Any], index: object) -> str:
    """The words of the value: of the given paths, or all of them; none if it is not to be found by its words."""
    if index is False:
        return ""
    if isinstance(index, list):
        return "\n".join(text for path in index for text in get_text_at_path(value, path))
    return "\n".join(_words_in(value)).strip()


def _words_in(value: object) -> Iterator[str]:
    if isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _words_in(each)
    elif value is not None:
        yield str(value)


def _is_met(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping) or not any(str(name).startswith("$") for name in wanted):
        return bool(value == wanted)
    if unknown := wanted.keys() - _COMPARISONS.keys():
        raise ValueError(f"There is no filter operator {unknown.pop()!r}. Known: {', '.join(_COMPARISONS)}.")
    return all(_is_true(partial(_COMPARISONS[name], value, other)) for name, other in wanted.items())


def _is_true(compare: Callable[[], bool]) -> bool:
    """False for values that have no order, such as a missing one."""
    try:
        return bool(compare())
    except TypeError:
        return False


def _matches(path: _Path, condition: MatchCondition) -> bool:
    wanted = tuple(condition.path)
    if len(wanted) > len(path):
        return False
    part = path[: len(wanted)] if condition.match_type == "prefix" else path[len(path) - len(wanted) :]
    return all(label in ("*", each) for label, each in zip(wanted, part, strict=True))
