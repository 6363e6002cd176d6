"""Records for the contract tests: by hand where a test tells a story, generated where it covers every kind.

`memory`, `person` … make one record with sensible defaults; `filled` makes a record of any kind with
every field set, `bare` one with nothing but what is required. `world` is one of each, to refer to.
"""

import dataclasses
import types
import typing
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, get_args, get_origin

import numpy as np
import pytest

from everlore.domain.audit_entry import AuditEntry
from everlore.domain.bounds import Between, Size
from everlore.domain.campaign import Campaign, Entity
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.event import Event, EventType
from everlore.domain.interaction import Interaction, InteractionType
from everlore.domain.job import Job
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory, MemoryLink, Status
from everlore.domain.miss import Miss
from everlore.domain.person import Person
from everlore.domain.records import KINDS, LOOSENED, MENTIONS, OWNED, ForeignKey, Record
from everlore.domain.roll import Roll
from everlore.domain.scope import Scope
from everlore.domain.template import Template, TemplateVersion
from everlore.domain.xray import XRay, pack
from everlore.store.port import Embed, Put, Search, Store, Vector
from everlore.store.tables import TABLES

WORKSPACE = "one"
SCOPE = Scope(WORKSPACE)
OTHER = Scope("two")
MODEL = "test-model"
SEA = "Ada likes the sea."
HILL = "Bo climbs hills."
# The audit log is written by the store alone.
WRITABLE: tuple[type[Record], ...] = tuple(kind for kind in KINDS if kind is not AuditEntry)
START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def minute(number: float) -> datetime:
    """So many minutes after the tests began."""
    return START + timedelta(minutes=number)


# ── one record, by hand ──────────────────────────────────────────────────────────────────────────


def person(id: str = "ada", **fields: Any) -> Person:
    known = {"workspace": WORKSPACE, "name": id.title(), "created_at": START, "updated_at": START}
    return Person(id=id, **{**known, **fields})


def campaign(id: str = "quest", **fields: Any) -> Campaign:
    known = {"workspace": WORKSPACE, "name": id.title(), "created_at": START, "updated_at": START}
    return Campaign(id=id, **{**known, **fields})


def conversation(id: str = "chat", **fields: Any) -> Conversation:
    known = {"workspace": WORKSPACE, "created_at": START, "updated_at": START}
    return Conversation(id=id, **{**known, **fields})


def message(id: str, content: str = "Hello there.", **fields: Any) -> Message:
    known = {"workspace": WORKSPACE, "conversation_id": "chat", "created_at": START, "updated_at": START}
    return Message(id=id, content=content, **{**known, **fields})


def summary(id: str, content: str = "They talked.", **fields: Any) -> Summary:
    known = {"workspace": WORKSPACE, "conversation_id": "chat", "first_seq": 1, "last_seq": 2}
    return Summary(id=id, content=content, **{**known, "created_at": START, **fields})


def event(id: str, content: str = "A door was opened.", **fields: Any) -> Event:
    known = {"workspace": WORKSPACE, "type": EventType.OBSERVATION, "at": START, "created_at": START}
    return Event(id=id, content=content, **{**known, **fields})


def entity(id: str, name: str = "", **fields: Any) -> Entity:
    known = {"workspace": WORKSPACE, "created_at": START, "updated_at": START}
    return Entity(id=id, name=name or id.title(), **{**known, **fields})


def close(value: float) -> Any:
    """Vectors are kept in sixteen bits, and a database may add up in another order."""
    return pytest.approx(value, abs=2e-3)


def memory(id: str, content: str = "Ada likes the sea.", **fields: Any) -> Memory:
    """A memory made at `at` (START if not given)."""
    at = fields.pop("at", START)
    known = {"workspace": WORKSPACE, "created_at": at, "updated_at": at}
    return Memory(id=id, content=content, **{**known, **fields})


def link(id: str, memory_id: str, other_id: str, **fields: Any) -> MemoryLink:
    known = {"workspace": WORKSPACE, "memory_id": memory_id, "other_id": other_id, "created_at": START}
    return MemoryLink(id=id, **{**known, **fields})


def telling(id: str, memory_id: str, teller_id: str, listener_id: str, at: float = 0, **fields: Any) -> Telling:
    """Told so many minutes after the tests began."""
    told = {"workspace": WORKSPACE, "memory_id": memory_id, "teller_id": teller_id, "listener_id": listener_id}
    return Telling(id=id, **{**told, "told_at": minute(at), "created_at": minute(at), **fields})


def interaction(id: str, actor_id: str, interactor_id: str, at: datetime = START, **fields: Any) -> Interaction:
    known = {"workspace": WORKSPACE, "type": InteractionType.HELP, "started_at": at, "created_at": at}
    return Interaction(id=id, actor_id=actor_id, interactor_id=interactor_id, **{**known, **fields})


def roll(id: str, seq: int = 1, **fields: Any) -> Roll:
    known = {"workspace": WORKSPACE, "conversation_id": "chat", "person_id": "ada", "seed": f"chat {seq}"}
    return Roll(id=id, seq=seq, **{**known, "difficulty": 7, "rolled": 3, "created_at": START, **fields})


def miss(id: str, query: str = "Where did we leave the boat?", **fields: Any) -> Miss:
    return Miss(id=id, query=query, **{"workspace": WORKSPACE, "created_at": START, **fields})


def template(id: str = "base", **fields: Any) -> Template:
    known = {"workspace": WORKSPACE, "name": id.title(), "document": {"name": id.title()}}
    return Template(id=id, **{**known, "created_at": START, "updated_at": START, **fields})


def template_version(id: str, version: int, **fields: Any) -> TemplateVersion:
    known = {"workspace": WORKSPACE, "template_id": "base", "document": {"name": "Base"}, "created_at": START}
    return TemplateVersion(id=id, version=version, **{**known, **fields})


def xray(id: str, **fields: Any) -> XRay:
    """That of the reply with the same id."""
    known = {"workspace": WORKSPACE, "message_id": id, "conversation_id": "chat", "account": pack({"sections": []})}
    return XRay(id=id, **{**known, "created_at": START, **fields})


def job(id: str, kind: str = "work", **fields: Any) -> Job:
    known = {"workspace": WORKSPACE, "run_at": START, "created_at": START}
    return Job(id=id, kind=kind, **{**known, **fields})


# ── a record of any kind ─────────────────────────────────────────────────────────────────────────

TIES: tuple[ForeignKey, ...] = (
    *OWNED,
    *LOOSENED,
    *(ForeignKey(Memory, column, parent) for column, parent in MENTIONS.items()),
)
# A text that breaks whatever is not kept as it is: quotes, markup, operators, several scripts.
AWKWARD = 'It\'s "a" 100% \\ `test`; -- <b>né</b> Ünïcödé 日本語 עברית 🐉\t\n{x} $1 :y ?'


def base_id(kind: type[Any]) -> str:
    return f"base-{TABLES[kind].name}"


def world(workspace: str = WORKSPACE) -> list[Record]:
    """One bare record of every kind that can be saved, in an order in which they can."""
    return [bare(kind, base_id(kind), workspace) for kind in WRITABLE]


def bare(kind: type[Any], id: str, workspace: str = WORKSPACE, **fields: Any) -> Any:
    """A record with nothing set but what must be."""
    return _made(kind, id, workspace, fields, everything=False)


def filled(kind: type[Any], id: str, workspace: str = WORKSPACE, **fields: Any) -> Any:
    """A record with every field set to something that is not its default."""
    return _made(kind, id, workspace, fields, everything=True)


def _made(kind: type[Any], id: str, workspace: str, fields: dict[str, Any], *, everything: bool) -> Any:
    hints = typing.get_type_hints(kind, include_extras=True)
    values: dict[str, Any] = {}
    for number, each in enumerate(dataclasses.fields(kind)):
        required = each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
        if required or everything:
            values[each.name] = _value(each.name, hints[each.name], number)
    values |= _references(kind, values)
    if kind is Memory:
        values["revision"] = 1
    return kind(**{**values, "workspace": workspace, "id": id, **fields})


def _references(kind: type[Any], values: dict[str, Any]) -> dict[str, Any]:
    """What the record names, taken from `world`."""
    found: dict[str, Any] = {}
    for tie in TIES:
        if tie.child is kind and tie.column in values:
            id = base_id(tie.parent)
            found[tie.column] = (id,) if isinstance(values[tie.column], tuple) else id
    return found


def _value(name: str, hint: Any, number: int) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _value(name, next(part for part in parts if part is not type(None)), number)
    if origin is typing.Annotated:
        if isinstance(parts[1], Between):
            return _within(parts[0], parts[1], number)
        if isinstance(parts[1], Size):
            return bytes(range(256))
        return f"{name} {AWKWARD}"
    if origin is tuple:
        return (f"{name} one", f"{name} {AWKWARD}")
    if origin is dict:
        return {"text": AWKWARD, "list": [1, 2.5, None, True], "nested": {"name": name, "empty": {}}}
    return _plain(name, hint, number)


def _within(plain: type[Any], bound: Between, number: int) -> Any:
    if plain is float:
        return 0.25
    return int(min(bound.most, bound.least + 3 + number))


def _plain(name: str, hint: Any, number: int) -> Any:
    if hint is datetime:
        return START + timedelta(days=number, microseconds=123_457 + number)
    if hint is bool:
        return True
    if issubclass(hint, StrEnum):
        return list(hint)[-1]
    assert hint is str, f"{name} has a type that the builders do not know: {hint}"
    return f"{name} {AWKWARD}"


# ── vectors, and short ways to say things to a store ─────────────────────────────────────────────


def axis(number: int, dims: int = 8) -> Vector:
    """The unit vector along one axis: cosine 1 with itself, 0 with the others."""
    vector: Vector = np.zeros(dims, np.float32)
    vector[number] = 1
    return vector


def unit(seed: int, dims: int = 8) -> Vector:
    """A unit vector that is the same for the same seed."""
    vector = np.random.default_rng(seed).normal(size=dims)
    unit_vector: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit_vector


async def save(store: Store, *records: Record, scope: Scope = SCOPE) -> list[Any]:
    return await store.apply(scope, [Put(record) for record in records])


async def embed(store: Store, vectors: dict[str, Vector], *, model: str = MODEL, scope: Scope = SCOPE) -> None:
    """Give the passages with these texts these vectors."""
    waiting = await store.unembedded(scope, model, limit=10_000)
    chosen = [(each.row, vectors[each.text]) for each in waiting if each.text in vectors]
    rows = tuple(row for row, _ in chosen)
    await store.apply(scope, [Embed(model, rows, np.array([vector for _, vector in chosen], np.float32))])


async def found_ids(store: Store, ask: Search | str, *, scope: Scope = SCOPE) -> list[str]:
    """The ids that a search finds, best first."""
    found = await store.search(scope, Search(text=ask) if isinstance(ask, str) else ask)
    return ids(hit.record for hit in found.hits)


def ids(records: Iterable[Any]) -> list[str]:
    return [record.id for record in records]


@contextmanager
def case(name: object) -> Iterator[None]:
    """One of many that share a store, because none of them is in another's way: where it fails, it is named."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"case: {name}")
        raise


async def snapshot(store: Store, scope: Scope = SCOPE) -> dict[str, Any]:
    """All that a workspace shows through its door, to prove that something changed nothing."""
    seen: dict[str, Any] = {}
    for kind in KINDS:
        seen[TABLES[kind].name] = (await store.find(scope, kind, limit=10_000)).items
    for each in seen["memories"]:
        seen[f"history of {each.id}"] = await store.history(scope, each.id)
    seen["jobs"] = (await store.jobs(scope, limit=10_000)).items
    seen["queue"] = await store.queue(scope)
    seen["unembedded"] = await store.unembedded(scope, MODEL, limit=10_000)
    found = await store.search(scope, _EVERYTHING)
    seen["found"] = [(hit.record, hit.parts) for hit in found.hits]
    seen["coverage"] = (found.coverage, await store.coverage(scope, MODEL))
    seen["notices"] = await store.notices(scope, "nobody", {})
    seen["listened to"] = await store.is_listened_to(scope, besides="nobody", at=START)
    seen["tallies"] = await store.tallies(scope), await store.tallies(scope, since=START - timedelta(days=99))
    return seen


# Words of the texts that the builders make.
_EVERYTHING = Search(
    text="ada sea hello talk door open content description name lighthouse",
    vector=axis(0),
    model=MODEL,
    statuses=frozenset(Status),
    limit=10_000,
    pool=10_000,
)
