"""Whatever comes in: a deliberate error that says what to do, and a store that is as it was (M1, M12)."""

import base64
import contextlib
import dataclasses
import itertools
import math
import types
import typing
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, get_args, get_origin

import numpy as np
import pytest

from everlore.domain.bounds import Between, Chars, Size
from everlore.domain.conversation import Message
from everlore.domain.event import Event
from everlore.domain.job import Job
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person
from everlore.domain.revision import revise
from everlore.domain.scope import Pair, Scope
from everlore.errors import BadAsk, EverloreError
from everlore.store.answers import MessagePosition
from everlore.store.port import Count, Delete, Embed, Enqueue, Finish, Put, Retry, Revive, Search, Store, Touch
from tests.contract.builders import (
    MODEL,
    SCOPE,
    START,
    WRITABLE,
    axis,
    case,
    conversation,
    filled,
    job,
    memory,
    message,
    minute,
    person,
    save,
    snapshot,
    world,
)
from tests.contract.drivers import METHODS, inhabit

HUGE = "x" * 10_000_000
NUL = "before\x00after"
HALF = "half \ud83d of a pair"
NAIVE = datetime(2026, 3, 1)  # noqa: DTZ001  # what is refused here
Attempt = Callable[[Store], Awaitable[Any]]
ENDS = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))


async def _refused(store: Store, attempt: Awaitable[Any], *, names: str = "") -> None:
    await _all_refused(store, {"the attempt": (lambda _: attempt, names)})


async def _all_refused(store: Store, attempts: Mapping[str, tuple[Attempt, str]]) -> None:
    """Each attempt is refused with a whole sentence, and nothing has changed."""
    before = await snapshot(store)

    for name, (attempt, names) in attempts.items():
        with case(name):
            with pytest.raises(EverloreError) as refusal:
                await attempt(store)
            sentence = str(refusal.value)
            assert names in sentence
            assert sentence.endswith((".", "?"))
            assert len(sentence) < 2_000, "An error is for reading; it does not repeat what came in."

    assert await snapshot(store) == before


# ── every field of every kind ────────────────────────────────────────────────────────────────────


def _wrong_values(hint: Any) -> dict[str, Any]:
    """What a field of this type must refuse, read from its type and its bounds."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _wrong_values(next(part for part in parts if part is not type(None)))
    if origin is typing.Annotated:
        return _out_of_bounds(parts[0], parts[1])
    if origin is tuple:
        items = {f"an item that is {name}": (value,) for name, value in _wrong_values(parts[0]).items()}
        return {"a list": ["x"], "a text": "x", "none": None, **items}
    if origin is dict:
        return _WRONG_JSON
    return _WRONG.get(hint, {"no member": "no such member", "a number": 5})


def _out_of_bounds(plain: Any, bound: Chars | Between | Size) -> dict[str, Any]:
    if isinstance(bound, Size):
        return {"a text": "bytes", "too large": bytes(bound.most + 1)}
    if isinstance(bound, Between):
        outside = {"too little": plain(bound.least - 1), "too much": plain(bound.most + 1)}
        return {**_WRONG[plain], **outside}
    empty = {"empty": "", "blank": " \t\n"} if bound.least else {}
    return {**_WRONG[str], "one too long": "x" * (bound.most + 1), **empty}


_WRONG: dict[Any, dict[str, Any]] = {
    str: {"a number": 5, "bytes": b"x", "NUL": NUL, "half a pair": HALF, "huge": HUGE},
    int: {"a text": "5", "a fraction": 1.5, "a claim": True, "not a number": math.nan},
    float: {"a text": "0.5", "a claim": True, "not a number": math.nan, "infinite": math.inf},
    bool: {"a text": "yes", "a number": 1},
    datetime: {"a text": "2026-03-01", "a number": 5.0, "naive": NAIVE},
}
_DEEP: list[Any] = []
for _ in range(100_000):
    _DEEP = [_DEEP]
_WRONG_JSON: dict[str, Any] = {
    "a text": "{}",
    "a list": [],
    "none": None,
    "a set inside": {"x": {1}},
    "a tuple inside": {"x": (1,)},
    "a number as key": {1: "x"},
    "not a number inside": {"x": math.nan},
    "NUL inside": {"x": NUL},
    "NUL in a key": {NUL: 1},
    "half a pair inside": {"x": HALF},
    "huge": {"x": HUGE},
    "too deep": {"x": _DEEP},
}


def _cases(kind: type[Any]) -> list[tuple[str, str, Any]]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return [
        (field.name, name, value)
        for field in dataclasses.fields(kind)
        for name, value in _wrong_values(hints[field.name]).items()
    ]


async def test_a_record_with_a_wrong_field_is_refused_by_name(store: Store) -> None:
    """M1: every field, every way in which its type can be wrong."""
    await save(store, *world())
    before = await snapshot(store)

    for kind in WRITABLE:
        good = filled(kind, "refused")
        for field, name, value in _cases(kind):
            with pytest.raises(BadAsk, match=rf"{kind.__name__}\.{field}") as refusal:
                await save(store, person("bystander"), good, dataclasses.replace(good, **{field: value}))
            assert len(str(refusal.value)) < 2_000, (kind, field, name)

    assert await snapshot(store) == before


async def test_a_value_is_refused_for_its_type_though_it_equals_the_one_before(store: Store) -> None:
    """M1: in a batch, what was right in one record says something only about the very same value in the next."""
    await _refused(
        store, save(store, memory("one", importance=1), memory("two", importance=True)), names="Memory.importance"
    )


@pytest.mark.parametrize("kind", [Memory, Message, Event], ids=lambda kind: kind.__name__)
async def test_one_wrong_field_in_a_large_batch_is_refused_by_name(store: Store, kind: type[Any]) -> None:
    """M1: a batch is looked at column by column, and what is wrong with one of its records is said all the same."""
    await save(store, *world())
    batch = [filled(kind, f"good {number}") for number in range(40)]
    before = await snapshot(store)

    for field, _, value in _cases(kind):
        batch[25] = dataclasses.replace(filled(kind, "refused"), **{field: value})
        with pytest.raises(BadAsk, match=rf"{kind.__name__}\.{field}"):
            await save(store, *batch)

    assert await snapshot(store) == before


async def test_a_large_batch_of_another_workspace_is_refused(store: Store) -> None:
    """The last of many as well as the first of few."""
    batch = [memory(f"m{number}") for number in range(40)]
    batch[-1] = dataclasses.replace(batch[-1], workspace="elsewhere")

    await _refused(store, save(store, *batch), names="elsewhere")


async def test_a_job_with_a_wrong_field_is_refused_by_name(store: Store) -> None:
    """C5."""
    before = await snapshot(store)

    for field, _, value in _cases(Job):
        with pytest.raises(BadAsk, match=rf"Job\.{field}"):
            await store.apply(SCOPE, [Enqueue(dataclasses.replace(job("j"), **{field: value}))])

    assert await snapshot(store) == before


async def test_texts_at_their_limit_are_kept(store: Store) -> None:
    """M1: the bounds refuse what is beyond them and nothing else."""
    longest = memory("m" * 128, "ß" * 20_000, summary="🐉" * 1_000)

    [stored] = await save(store, longest)

    assert stored == await store.get(SCOPE, Memory, longest.id) == longest


# ── changes ──────────────────────────────────────────────────────────────────────────────────────


def _apply(*changes: Any) -> Attempt:
    return lambda store: store.apply(SCOPE, changes)


BAD_CHANGES: dict[str, tuple[Attempt, str]] = {
    # name: (what is attempted, what the error must name)
    "no change": (_apply("DROP TABLE memories"), "DROP TABLE"),
    "none": (_apply(None), "None"),
    "a bare record": (_apply(person("x")), "Put"),
    "put of no record": (_apply(Put("x")), "str"),  # type: ignore[arg-type]  # what is refused here
    "put of a job": (_apply(Put(job("x"))), "Job"),  # type: ignore[arg-type]  # what is refused here
    "record of another workspace": (_apply(Put(person("x", workspace="two"))), "'two'"),
    "job of another workspace": (_apply(Enqueue(job("x", workspace="two"))), "'two'"),
    "delete of no kind": (_apply(Delete(str, "x")), "str"),  # type: ignore[arg-type]  # likewise
    "delete of a job": (_apply(Delete(Job, "x")), "Job"),  # type: ignore[arg-type]  # likewise
    "delete of nobody": (_apply(Delete(Person, "nobody")), "'nobody'"),
    "delete of a number": (_apply(Delete(Person, 5)), "id"),  # type: ignore[arg-type]  # likewise
    "delete of NUL": (_apply(Delete(Person, NUL)), "NUL"),
    "delete of half a pair": (_apply(Delete(Person, HALF)), "surrogate"),
    "revive of nothing": (_apply(Revive("nothing", START)), "'nothing'"),
    "embed without rows": (_apply(Embed(MODEL, (), np.zeros((1, 8), np.float32))), "0 rows"),
    "embed with too few": (_apply(Embed(MODEL, (1, 2), np.zeros((1, 8), np.float32))), "2 rows"),
    "embed of one dimension": (_apply(Embed(MODEL, (1,), axis(0))), "1 rows"),
    "embed of nothing finite": (_apply(Embed(MODEL, (1,), np.full((1, 8), np.nan, np.float32))), "finite"),
    "a count of nothing": (_apply(Count(" ")), "Count.name"),
    "a count without end": (_apply(Count("prompts", 10**9 + 1)), "Count.by"),
    "a count of less than nothing": (_apply(Count("prompts", -(10**9) - 1)), "Count.by"),
    "a count by halves": (_apply(Count("prompts", 0.5)), "Count.by"),  # type: ignore[arg-type]  # likewise
    "a count by a truth": (_apply(Count("prompts", True)), "Count.by"),
    "embed without a model": (_apply(Embed(" ", (1,), axis(0)[None])), "model"),
}


async def test_a_change_that_cannot_be_is_refused(store: Store) -> None:
    await inhabit(store, SCOPE)

    await _all_refused(store, BAD_CHANGES)


BAD_DETAILS: dict[str, Callable[[Any], Any]] = {
    "touch at a naive time": lambda there: Touch(("m",), NAIVE),
    "touch at no time": lambda there: Touch(("m",), "today"),  # type: ignore[arg-type]  # likewise
    "touch of NUL": lambda there: Touch((NUL,), START),
    "touch of half a pair": lambda there: Touch((HALF,), START),
    "touch of a number": lambda there: Touch((5,), START),  # type: ignore[arg-type]  # likewise
    "changed by NUL": lambda there: Put(_next_state(), by=NUL),
    "changed by half a pair": lambda there: Put(_next_state(), by=HALF),
    "changed with a huge note": lambda there: Put(_next_state(), note=HUGE),
    "changed with half a note": lambda there: Put(_next_state(), note=HALF),
    "changed for no reason": lambda there: Put(_next_state(), why="whim"),  # type: ignore[arg-type]  # likewise
    "finish at a naive time": lambda there: Finish(there.running, NAIVE),
    "finish of no job": lambda there: Finish("running", START),  # type: ignore[arg-type]  # likewise
    "retry at a naive time": lambda there: Retry(there.running, "No.", START, NAIVE),
    "retry with half an error": lambda there: Retry(there.running, HALF, START, START),
    "retry with NUL": lambda there: Retry(there.running, NUL, START, START),
    "revive at a naive time": lambda there: Revive("dead", NAIVE),
    "revive of NUL": lambda there: Revive(NUL, START),
    "revive of a number": lambda there: Revive(5, START),  # type: ignore[arg-type]  # likewise
    "embed of a text as row": lambda there: Embed(MODEL, ("1",), axis(0)[None]),  # type: ignore[arg-type]  # likewise
    "embed of a list": lambda there: Embed(MODEL, (1,), [[1.0]]),  # type: ignore[arg-type]  # likewise
}


def _next_state() -> Memory:
    first = memory("m", "Ada likes the sea.", persons=("ada",), importance=9)
    return dataclasses.replace(revise(first, minute(9)), revision=3)


async def test_a_change_with_a_wrong_detail_is_refused(store: Store) -> None:
    """What no database could keep is refused at the door, and not half-way in."""
    there = await inhabit(store, SCOPE)

    await _all_refused(store, {name: (_apply(change(there)), "") for name, change in BAD_DETAILS.items()})


async def test_the_next_state_that_these_tests_break_is_a_good_one(store: Store) -> None:
    await inhabit(store, SCOPE)

    [stored] = await save(store, _next_state())

    assert stored.revision == 3


# ── questions ────────────────────────────────────────────────────────────────────────────────────


def _search(**ask: Any) -> Attempt:
    return lambda store: store.search(SCOPE, Search(**ask))


def _find(kind: Any = Person, where: Any = None, **how: Any) -> Attempt:
    return lambda store: store.find(SCOPE, kind, where, **how)


def _timeline(**asked: Any) -> Attempt:
    return lambda store: store.timeline(SCOPE, **asked)


def _vectors(**asked: Any) -> Attempt:
    usual = {"model": MODEL, "kind": PassageKind.MEMORY, "refs": ["m"]}
    return lambda store: store.vectors(SCOPE, **{**usual, **asked})


def _around(**asked: Any) -> Attempt:
    usual = {"places": [MessagePosition("chat", 1)], "reach": 1}
    return lambda store: store.around(SCOPE, **{**usual, **asked})


def _known(**asked: Any) -> Attempt:
    return lambda store: store.known(SCOPE, **{"knower_id": "ada", **asked})


def _claim(**how: Any) -> Attempt:
    usual = {"lease": "w", "now": START, "lease_s": 30, "limit": 1}
    return lambda store: store.claim(SCOPE, **{**usual, **how})


BAD_QUESTIONS: dict[str, tuple[Attempt, str]] = {
    "get of nobody": (lambda store: store.get(SCOPE, Person, "nobody"), "'nobody'"),
    "get of no kind": (lambda store: store.get(SCOPE, str, "x"), "str"),
    "get of a number": (lambda store: store.get(SCOPE, Person, 5), "id"),  # type: ignore[arg-type]
    "get of NUL": (lambda store: store.get(SCOPE, Person, NUL), "NUL"),
    "get of half a pair": (lambda store: store.get(SCOPE, Person, HALF), "surrogate"),
    "get of a huge id": (lambda store: store.get(SCOPE, Person, HUGE), "characters"),
    "get_many of NUL": (lambda store: store.get_many(SCOPE, Person, ["x", NUL]), "NUL"),
    "history of nothing": (lambda store: store.history(SCOPE, "nothing"), "'nothing'"),
    "history of half a pair": (lambda store: store.history(SCOPE, HALF), "surrogate"),
    "as_of a naive time": (lambda store: store.as_of(SCOPE, ["m"], NAIVE), "time zone"),
    "as_of NUL": (lambda store: store.as_of(SCOPE, [NUL], START), "NUL"),
    "find of no kind": (_find(Job), "Job"),
    "find by no column": (_find(where={"avatar": "x"}), "'avatar'"),
    "find by SQL": (_find(where={"name = name --": "x"}), "name = name --"),
    "find of a fraction": (_find(where={"name": 1.5}), "name"),
    "find of NUL": (_find(where={"name": NUL}), "NUL"),
    "find of half a pair": (_find(where={"name": ["x", HALF]}), "surrogate"),
    "find of a mention elsewhere": (_find(where={"persons": "ada"}), "'persons'"),
    "count by no column": (lambda store: store.count(SCOPE, Person, {"id": "x"}), "'id'"),
    "search of a number": (_search(text=5), "text"),
    "search of NUL": (_search(text=NUL), "NUL"),
    "search of half a pair": (_search(text=HALF), "surrogate"),
    "search of a huge text": (_search(text=HUGE), "characters"),
    "search without a model": (_search(vector=axis(0)), "model"),
    "search by two vectors": (_search(vector=axis(0)[None], model=MODEL), "one row"),
    "search by no number": (_search(vector=axis(0) * np.nan, model=MODEL), "finite"),
    "search of another length": (_search(vector=axis(0, 5), model=MODEL), "5"),
    "search since a naive time": (_search(text="sea", since=NAIVE), "time zone"),
    "search until a naive time": (_search(text="sea", until=NAIVE), "time zone"),
    "search as of a naive time": (_search(text="sea", as_of=NAIVE), "time zone"),
    "search for NUL": (_search(text="sea", person_id=NUL), "NUL"),
    "search in half a pair": (_search(text="sea", conversation_id=HALF), "surrogate"),
    "search for nothing": (_search(text="sea", limit=0), "limit"),
    "search in no pool": (_search(text="sea", pool=0), "pool"),
    "search for too many": (_search(text="sea", limit=10**9), "limit"),
    "search for a person as text": (_search(text="sea", persons="ada"), "persons"),
    "search for persons with NUL": (_search(text="sea", persons=frozenset({"ada", NUL})), "NUL"),
    "search for numbers": (_search(text="sea", persons=frozenset({5})), "persons"),
    "search for what a number knows": (_search(text="sea", knower_id=5), "knower_id"),
    "search for what NUL knows": (_search(text="sea", knower_id=NUL), "NUL"),
    "search for what half a pair does not know": (_search(text="sea", unknown_to=HALF), "surrogate"),
    "search besides a text": (_search(text="sea", besides="ada"), "besides"),
    "search without a text": (_search(text="sea", without="ada"), "without"),
    "search besides NUL": (_search(text="sea", besides=frozenset({NUL})), "NUL"),
    "search of refs as a list": (_search(text="sea", refs=["m"]), "refs"),
    "search of half a ref": (_search(text="sea", refs=frozenset({HALF})), "surrogate"),
    "search of too many refs": (_search(text="sea", refs=frozenset(map(str, range(10_001)))), "refs"),
    "search of a visibility as text": (_search(text="sea", visibilities="normal"), "visibilities"),
    "search of no visibility": (_search(text="sea", visibilities=frozenset({NUL})), "NUL"),
    "search private in NUL": (_search(text="sea", private_in=NUL), "NUL"),
    "search with some spoilers": (_search(text="sea", with_spoilers="some"), "with_spoilers"),
    "vectors of NUL": (_vectors(refs=["m", NUL]), "NUL"),
    "vectors of a number": (_vectors(refs=[5]), "id"),
    "vectors of no kind": (_vectors(kind="dream"), "kind"),
    "vectors of half a model": (_vectors(model=HALF), "surrogate"),
    "around no place": (_around(places=[("chat", 1)]), "MessagePosition"),
    "around a text": (_around(places="chat"), "MessagePosition"),
    "around NUL": (_around(places=[MessagePosition(NUL, 1)]), "NUL"),
    "around a fraction": (_around(places=[MessagePosition("chat", 1.5)]), "Place.seq"),  # type: ignore[arg-type]  # likewise
    "around no number": (_around(places=[MessagePosition("chat", 10**20)]), "Place.seq"),
    "around too many places": (_around(places=[MessagePosition("chat", 1)] * 10_001), "places"),
    "around backwards": (_around(reach=-1), "reach"),
    "around everything": (_around(reach=10**9), "reach"),
    "around for a claim": (_around(reach=True), "reach"),
    "around for NUL": (_around(knower_id=NUL), "NUL"),
    "known to a number": (_known(knower_id=5), "knower_id"),
    "known to NUL": (_known(knower_id=NUL), "NUL"),
    "known at a naive time": (_known(as_of=NAIVE), "time zone"),
    "known at the end of days": (_known(as_of=ENDS[1]), "year"),
    "known without end": (_known(limit=10**9), "limit"),
    "due of half a pair": (lambda store: store.due(SCOPE, ["ada", HALF]), "surrogate"),
    "due without end": (lambda store: store.due(SCOPE, ["ada"], limit=10**9), "limit"),
    "shared by half a pair": (lambda store: store.shared(SCOPE, Pair("ada", HALF)), "surrogate"),
    "shared without end": (lambda store: store.shared(SCOPE, Pair("ada", "bo"), limit=10**9), "limit"),
    "partners of half a pair": (lambda store: store.partners(SCOPE, HALF), "surrogate"),
    "partners of nobody by name": (lambda store: store.partners(SCOPE, None), "id"),  # type: ignore[arg-type]
    "bonds without end": (lambda store: store.bonds(SCOPE, limit=10**9), "limit"),
    "timeline of NUL": (_timeline(person_id=NUL), "NUL"),
    "timeline of half a pair": (_timeline(person_id=HALF), "surrogate"),
    "timeline of a number": (_timeline(person_id=5), "person_id"),
    "timeline since a naive time": (_timeline(since=NAIVE), "time zone"),
    "timeline until no time": (_timeline(until="today"), "until"),
    "timeline until the end of days": (_timeline(until=ENDS[1]), "year"),
    "timeline of a type as text": (_timeline(types="dream"), "types"),
    "timeline of half a type": (_timeline(types=frozenset({HALF})), "surrogate"),
    "timeline without end": (_timeline(limit=10**9), "limit"),
    "coverage of NUL": (lambda store: store.coverage(SCOPE, NUL), "NUL"),
    "unembedded without end": (lambda store: store.unembedded(SCOPE, MODEL, limit=0), "limit"),
    "jobs without end": (lambda store: store.jobs(SCOPE, limit=10**9), "limit"),
    "claim of nothing": (_claim(limit=0), "limit"),
    "claim at a naive time": (_claim(now=NAIVE), "time zone"),
    "claim without a lease": (_claim(lease=""), "lease"),
    "claim under NUL": (_claim(lease=NUL), "NUL"),
    "renew until a naive time": (lambda store: store.renew(SCOPE, [], until=NAIVE), "time zone"),
    "cleanup before a naive time": (
        lambda store: store.cleanup(SCOPE, dry_run=False, keys_before=NAIVE),
        "time zone",
    ),
    "tallies since a naive time": (lambda store: store.tallies(SCOPE, since=NAIVE), "time zone"),
    "tallies since yesterday": (lambda store: store.tallies(SCOPE, since="yesterday"), "since"),  # type: ignore[arg-type]  # likewise
    "workspaces at a naive time": (lambda store: store.workspaces(with_work_at=NAIVE), "time zone"),
}


async def test_a_question_that_cannot_be_is_refused(store: Store) -> None:
    await inhabit(store, SCOPE)

    await _all_refused(store, BAD_QUESTIONS)


@pytest.mark.parametrize("limit", [0, -1, 10_001, "5", 1.5, None])
async def test_a_limit_is_a_whole_number_within_reason(store: Store, limit: Any) -> None:
    await _refused(store, _find(limit=limit)(store), names="limit")


def _coded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode()


BROKEN_CURSORS = {
    "words": "not a cursor",
    "empty": "",
    "emoji": "🐉",
    "half a pair": HALF,
    "base64 of nothing": "bnVsbA==",
    "base64 of a number": "NQ==",
    "base64 of a short list": "WzFd",
    "base64 of a long list": "WzEsMiwzXQ==",
    "base64 of wrong types": "W1sxXSwiYSJd",
    "base64 of an object": "eyJhIjoxfQ==",
    "base64 of no text": "//79",
    "base64 of a claim": _coded('[true, "a"]'),
    "base64 of no number": _coded('[NaN, "a"]'),
    "base64 of infinity": _coded('[-Infinity, "a"]'),
    "base64 of a huge number": _coded(f'[1{"0" * 400}, "a"]'),
    "base64 of an id with NUL": _coded(r'[1, "a\u0000"]'),
    "base64 of half an id": _coded(r'[1, "\ud83d"]'),
    "base64 of no id": _coded('[1, ""]'),
    "base64 of something deep": _coded("[" * 2_500),
    "huge": "W" * 1_000_000,
    "sql": "' OR 1=1 --",
    "a number": 5,
}


PAGED: dict[str, Callable[[Any], Attempt]] = {
    "find": lambda cursor: _find(cursor=cursor),
    "jobs": lambda cursor: lambda store: store.jobs(SCOPE, cursor=cursor),
    "timeline": lambda cursor: _timeline(cursor=cursor),
    "known": lambda cursor: _known(cursor=cursor),
}


async def test_a_broken_cursor_is_refused(store: Store) -> None:
    await save(store, *(person(f"p{number}") for number in range(3)))

    await _all_refused(
        store,
        {
            f"{asked} from {name}": (attempt(cursor), "cursor")
            for asked, attempt in PAGED.items()
            for name, cursor in BROKEN_CURSORS.items()
        },
    )


async def test_a_cursor_cut_short_is_refused(store: Store) -> None:
    await save(store, *(person(f"p{number}") for number in range(3)))
    cursor = (await store.find(SCOPE, Person, limit=2)).cursor
    assert cursor is not None

    await _refused(store, _find(cursor=cursor[: len(cursor) // 2])(store), names="cursor")


async def test_a_cursor_between_two_numbers_is_refused(store: Store) -> None:
    await _refused(store, store.jobs(SCOPE, cursor=_coded('[1.5, "a"]')), names="cursor")


# ── scopes ───────────────────────────────────────────────────────────────────────────────────────

BAD_SCOPES: dict[str, Any] = {
    "none": None,
    "a text": "one",
    "empty": Scope(""),
    "blank": Scope(" "),
    "a number": Scope(5),  # type: ignore[arg-type]  # what is refused here
    "NUL": Scope(NUL),
    "half a pair": Scope(HALF),
    "huge": Scope(HUGE),
    "nobody": Scope("one", actor=""),
    "somebody with NUL": Scope("one", actor=NUL),
}


async def test_a_method_without_a_good_scope_is_refused(store: Store) -> None:
    """Scope is a value: there is no way to ask without one."""
    there = await inhabit(store, SCOPE)
    before = await snapshot(store)

    for method, name in itertools.product(METHODS, BAD_SCOPES):
        with case(f"{method} in {name}"), pytest.raises(BadAsk, match=r"(?i)scope|workspace"):
            await METHODS[method](store, BAD_SCOPES[name], there)

    assert await snapshot(store) == before


@pytest.mark.parametrize("end", ENDS, ids=["first", "last"])
async def test_the_ends_of_the_calendar_are_kept_or_refused(store: Store, end: datetime) -> None:
    """M7: "for ever" is a date that people write; it may not make a memory unreadable."""
    forever = memory("m", valid_to=end)

    with contextlib.suppress(BadAsk):
        await save(store, forever)

    kept = (await store.find(SCOPE, Memory)).items
    assert kept in ((), (forever,))


# ── the store goes on ────────────────────────────────────────────────────────────────────────────


async def test_after_a_refusal_the_store_works_as_before(store: Store) -> None:
    """M12: a refused list leaves no lock and no open transaction behind."""
    await save(store, conversation())
    for _ in range(20):
        with pytest.raises(EverloreError):
            await save(store, message("m"), memory("x", persons=("nobody",)))

    [stored] = await save(store, message("m"))

    assert stored.seq == 1
