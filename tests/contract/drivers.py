"""How to call every method of the store and make every change, for tests that cover all of them.

`METHODS` has one entry for each method that takes a scope and `CHANGES` one for each kind of change; a test
fails when either falls behind the port.
"""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from everlore.domain.job import Job
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person
from everlore.domain.revision import revise
from everlore.domain.scope import Scope, pair_of
from everlore.store.answers import MessagePosition, Notice
from everlore.store.export_order import CARRIED
from everlore.store.port import (
    Amend,
    Change,
    Count,
    Delete,
    DropVectors,
    Embed,
    Enqueue,
    Expect,
    Finish,
    ImportRecord,
    PauseQueue,
    Put,
    Release,
    Retry,
    Revive,
    Search,
    Store,
    Touch,
)
from tests.contract.builders import (
    MODEL,
    axis,
    embed,
    event,
    job,
    memory,
    message,
    minute,
    person,
    save,
    telling,
    world,
)


@dataclass(frozen=True)
class Inhabited:
    """A workspace with something of everything, and handles on it."""

    scope: Scope
    running: Job
    dead: Job
    rows: tuple[int, ...]


async def inhabit(store: Store, scope: Scope) -> Inhabited:
    """The same ids, names and texts in every workspace; only the workspace differs."""
    name = scope.workspace
    first = memory("m", "Ada likes the sea.", workspace=name, persons=("ada",))
    await save(store, *world(name), scope=scope)
    said = message("said", "Hello, sea.", workspace=name, conversation_id="base-conversations", present=("ada",))
    shared = memory("shared", "Ada and Bo met.", workspace=name, persons=("ada", "bo"))
    heard = memory("heard", "Bo swims in the sea.", workspace=name, persons=("bo",))
    met = event("met", "Ada met the sea.", workspace=name, actors=("ada",), ended_at=minute(3))
    await save(store, person("ada", workspace=name), person("bo", workspace=name), first, said, met, scope=scope)
    await save(store, shared, heard, telling("told", "heard", "bo", "ada", workspace=name), scope=scope)
    rows = tuple(each.row for each in await store.unembedded(scope, MODEL))
    await embed(store, {"Ada likes the sea.": axis(0)}, scope=scope)
    await store.apply(scope, [Put(revise(first, minute(5), importance=9)), Put(memory("lonely", workspace=name))])
    await store.apply(scope, [Count("prompts")])
    await store.publish(scope, [Notice("process", 1, "base-conversations", name, minute(1))], before=minute(0))
    await store.listen(scope, "process", until=minute(60))
    return Inhabited(scope, await _running(store, scope), await _dead(store, scope), rows)


async def _running(store: Store, scope: Scope) -> Job:
    await store.apply(scope, [Enqueue(job("ready", "later", workspace=scope.workspace, key="ready"))])
    return await _claimed(store, scope, job("running", "run", workspace=scope.workspace))


async def _dead(store: Store, scope: Scope) -> Job:
    doomed = await _claimed(store, scope, job("dead", "die", workspace=scope.workspace, max_attempts=1))
    done = await _claimed(store, scope, job("done", "do", workspace=scope.workspace, key="done"))
    [letter, _] = await store.apply(scope, [Retry(doomed, "No.", minute(1), minute(1)), Finish(done, minute(1))])
    assert isinstance(letter, Job)
    return letter


async def _claimed(store: Store, scope: Scope, given: Job) -> Job:
    await store.apply(scope, [Enqueue(given)])
    kinds = frozenset({given.kind})
    [claimed] = await store.claim(scope, lease="w", now=minute(0), lease_s=30, limit=1, kinds=kinds)
    return claimed


# ── every method ─────────────────────────────────────────────────────────────────────────────────

Driver = Callable[[Store, Scope, Inhabited], Awaitable[Any]]
EVERYTHING = Search(
    text="ada sea hello name content",
    vector=axis(0),
    model=MODEL,
    kinds=frozenset(PassageKind),
    statuses=frozenset({"active", "pending"}),
    limit=1000,
    pool=1000,
)

KNOWN = replace(EVERYTHING, knower_id="ada", unknown_to="cy", private_in="chat", refs=frozenset({"m", "heard"}))
HERE = MessagePosition("base-conversations", 2)


async def _vectors(store: Store, scope: Scope, there: Inhabited) -> Any:
    found = await store.vectors(scope, MODEL, PassageKind.MEMORY, ["m", "heard"])
    return {ref: vector.tolist() for ref, vector in found.items()}


async def _apply(store: Store, scope: Scope, there: Inhabited) -> Any:
    return await store.apply(scope, [Put(person("new", workspace=getattr(scope, "workspace", "one")))])


async def _snapshot(store: Store, scope: Scope, there: Inhabited) -> Any:
    async with store.snapshot(scope) as snapshot:
        return [each for kind in CARRIED async for page in snapshot.pages(kind) for each in page]


async def _claim(store: Store, scope: Scope, there: Inhabited) -> Any:
    return await store.claim(scope, lease="thief", now=minute(60), lease_s=30, limit=100)


async def _cleanup(store: Store, scope: Scope, there: Inhabited) -> Any:
    return await store.cleanup(scope, dry_run=False, keys_before=minute(60))


READS: dict[str, Driver] = {
    "weigh": lambda store, scope, there: store.weigh(
        scope, [ImportRecord(person("ada", workspace=getattr(scope, "workspace", "one")))]
    ),
    "snapshot": _snapshot,
    "get": lambda store, scope, there: store.get(scope, Person, "ada"),
    "get_many": lambda store, scope, there: store.get_many(scope, Memory, ["m", "lonely", "base-memories"]),
    "find": lambda store, scope, there: store.find(scope, Memory, {"persons": "ada"}),
    "timeline": lambda store, scope, there: store.timeline(scope, person_id="ada", since=minute(2)),
    "count": lambda store, scope, there: store.count(scope, Memory),
    "history": lambda store, scope, there: store.history(scope, "m"),
    "as_of": lambda store, scope, there: store.as_of(scope, ["m", "lonely"], minute(2)),
    "search": lambda store, scope, there: store.search(scope, EVERYTHING),
    "search_all": lambda store, scope, there: store.search_all(scope, [EVERYTHING, KNOWN]),
    "search of what is known": lambda store, scope, there: store.search(scope, KNOWN),
    "vectors": _vectors,
    "around": lambda store, scope, there: store.around(scope, [HERE, MessagePosition("chat", 1)], 2, knower_id="ada"),
    "known": lambda store, scope, there: store.known(scope, "ada", as_of=minute(2)),
    "due": lambda store, scope, there: store.due(scope, ["ada", "bo"]),
    "shared": lambda store, scope, there: store.shared(scope, pair_of("ada", "bo")),
    "partners": lambda store, scope, there: store.partners(scope, "ada"),
    "bonds": lambda store, scope, there: store.bonds(scope),
    "coverage": lambda store, scope, there: store.coverage(scope, MODEL),
    "tallies": lambda store, scope, there: store.tallies(scope),
    "tallies by the hour": lambda store, scope, there: store.tallies(scope, since=minute(0)),
    "unembedded": lambda store, scope, there: store.unembedded(scope, MODEL),
    "jobs": lambda store, scope, there: store.jobs(scope),
    "queue": lambda store, scope, there: store.queue(scope),
    "notices": lambda store, scope, there: store.notices(scope, "another", {}),
    "is_listened_to": lambda store, scope, there: store.is_listened_to(scope, besides="another", at=minute(0)),
    "try_writing": lambda store, scope, there: store.try_writing(scope),
}
WRITES: dict[str, Driver] = {
    "apply": _apply,
    "claim": _claim,
    "renew": lambda store, scope, there: store.renew(scope, [there.running], until=minute(60)),
    "cleanup": _cleanup,
    "publish": lambda store, scope, there: store.publish(
        scope, [Notice("another", 1, None, "{}", minute(9))], before=minute(8)
    ),
    "listen": lambda store, scope, there: store.listen(scope, "process", until=None),
    "forget_workspace": lambda store, scope, there: store.forget_workspace(scope),
}
METHODS = READS | WRITES
# Those that touch no data of a workspace.
UNSCOPED = {"workspaces", "health", "close"}


def driven_methods() -> set[str]:
    """Some have more than one driver."""
    return {name.partition(" ")[0] for name in METHODS}


def methods_of_the_port() -> set[str]:
    return {name for name, value in vars(Store).items() if inspect.isfunction(value) and name[0] != "_"}


# ── every change ─────────────────────────────────────────────────────────────────────────────────


def _vector(there: Inhabited) -> Any:
    return np.array([axis(3)] * len(there.rows), np.float32)


CHANGES: dict[type[Any], Callable[[Scope, Inhabited], Change]] = {
    Put: lambda scope, there: Put(person("ada", name="Changed", workspace=scope.workspace)),
    Amend: lambda scope, there: Amend(Person, "ada", {"name": "Changed"}),
    Expect: lambda scope, there: Expect(Person, "somebody-new", None),
    Delete: lambda scope, there: Delete(Person, "ada"),
    Touch: lambda scope, there: Touch(("m", "lonely"), minute(30)),
    Enqueue: lambda scope, there: Enqueue(
        replace(there.dead, id="new", kind="later", key="ready", workspace=scope.workspace)
    ),
    Finish: lambda scope, there: Finish(there.running, minute(30)),
    Retry: lambda scope, there: Retry(there.running, "Stolen.", minute(30), minute(31)),
    Release: lambda scope, there: Release(there.running),
    Revive: lambda scope, there: Revive(there.dead.id, minute(30)),
    Embed: lambda scope, there: Embed(MODEL, there.rows, _vector(there)),
    DropVectors: lambda scope, there: DropVectors("nothing"),
    PauseQueue: lambda scope, there: PauseQueue(True),
    Count: lambda scope, there: Count("prompts", 3),
    ImportRecord: lambda scope, there: ImportRecord(
        person("ada", name="Changed", workspace=scope.workspace), replace=True
    ),
}


def changes_of_the_port() -> set[type[Any]]:
    return set(get_args(Change))
