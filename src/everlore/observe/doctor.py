"""Checks an installation: one `Check` for each part, with a remedy for each problem.

Nothing is changed: to test writing, a setting is put and deleted in one transaction. A part that cannot be opened is a
failed check, and checks that depend on it are skipped.

Start at `examine`.
"""

import asyncio
import platform
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum

from everlore.domain.job import JobState
from everlore.domain.scope import Scope
from everlore.errors import EverloreError
from everlore.learning.facts.trust import MEANINGS, Record, Trust, trust_of
from everlore.learning.model_records import records_in
from everlore.models.chat import Ask, Said, complete
from everlore.models.embedder import Embedder
from everlore.models.tokenizer import Tokenizer
from everlore.store.answers import Coverage, QueueState, StoreHealth
from everlore.store.port import Store
from everlore.turn.backends import Backends, who_answers

# Loading a model may take minutes, which is too long to wait here.
MODEL_TIMEOUT_S = 20
_SAMPLE = "Everlore remembers what was said."


class CheckState(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: CheckState
    detail: str
    fix: str = ""


async def examine(
    scope: Scope,
    *,
    open_store: Callable[[], Awaitable[Store]],
    build_embedder: Callable[[], Embedder | None],
    build_tokenizer: Callable[[], Tokenizer],
    try_model: Callable[[Store], Awaitable[Check]],
    trust: Trust | None = None,
) -> list[Check]:
    """`trust`: the operator's decision on the model that reads messages."""
    checks = [Check("Python", CheckState.OK, platform.python_version())]
    embedder_check, model = await _embedder(build_embedder)
    checks += await _store(scope, open_store, model, try_model, trust)
    return [*checks, embedder_check, _tokenizer(build_tokenizer)]


async def _store(
    scope: Scope,
    open_store: Callable[[], Awaitable[Store]],
    model: str | None,
    try_model: Callable[[Store], Awaitable[Check]],
    trust: Trust | None,
) -> list[Check]:
    checks: list[Check] = []
    try:
        async with _closing(await open_store()) as store:
            checks += judge_health(await store.health())
            checks.append(await _try_writing(store, scope))
            checks.append(judge_queue(await store.queue(scope)))
            if model is not None:
                checks.append(judge_coverage(await store.coverage(scope, model)))
            checks.append(await try_model(store))
            checks += [judge_trust(record, trust) for record in await records_in(store, scope)]
    except EverloreError as error:
        checks.append(_failed("database", error))
    return checks


async def _try_writing(store: Store, scope: Scope) -> Check:
    """Really writes to the database: a read-only or full one refuses."""
    try:
        await store.try_writing(scope)
    except EverloreError as error:
        return _failed("writing", error)
    return Check("writing", CheckState.OK, "the database takes writes")


@asynccontextmanager
async def _closing(store: Store) -> AsyncIterator[Store]:
    try:
        yield store
    finally:
        await store.close()


async def _embedder(build: Callable[[], Embedder | None]) -> tuple[Check, str | None]:
    """The check, and the name of the model if it works."""
    try:
        embedder = build()
        if embedder is None:
            detail = "none is configured: recall finds words, not meaning"
            fix = "Unset EVERLORE_EMBEDDING__PROVIDER to use the one that comes with Everlore."
            return Check("embedder", CheckState.WARNING, detail, fix), None
        try:
            (vector,) = await embedder.embed([_SAMPLE])
        finally:
            await embedder.close()
    except EverloreError as error:
        return _failed("embedder", error), None
    return Check("embedder", CheckState.OK, f"{embedder.name}, {len(vector)} dimensions"), embedder.name


def _tokenizer(build: Callable[[], Tokenizer]) -> Check:
    try:
        tokenizer = build()
        tokens = tokenizer.count(_SAMPLE)
    except EverloreError as error:
        return _failed("tokenizer", error)
    return Check("tokenizer", CheckState.OK, f"{tokenizer.name} counts {tokens} tokens in {_SAMPLE!r}")


async def try_model(scope: Scope, backends: Backends, *, timeout_s: float = MODEL_TIMEOUT_S) -> Check:
    """Finds model servers, and asks the one that would answer for a word."""
    try:
        await backends.look()
        return await _ask_for_a_word(scope, backends, timeout_s)
    finally:
        await backends.close()


async def _ask_for_a_word(scope: Scope, backends: Backends, timeout_s: float) -> Check:
    try:
        chosen = await backends.model_for(scope)
        told = who_answers(chosen.endpoint)
        if chosen.endpoint.built_in:
            return Check("chat", CheckState.WARNING, told)
        async with asyncio.timeout(timeout_s):
            await complete(chosen.model, Ask(messages=(Said("user", "Say: yes"),), max_tokens=16))
    except TimeoutError:
        detail = f"the model did not answer within {timeout_s:g} s: it may still be loading"
        return Check("chat", CheckState.WARNING, detail, "Try again in a minute, or use a smaller model.")
    except EverloreError as error:
        return _failed("chat", error)
    return Check("chat", CheckState.OK, told)


def judge_trust(record: Record, fixed: Trust | None = None) -> Check:
    """The trust in the model that reads messages, and how it was measured."""
    trust = trust_of(record, fixed)
    where = f" at {record.address}" if record.address else ""
    said = f"{record.model}{where}: {trust.value}, {MEANINGS[trust]}"
    if record.probed is None:
        return Check("reading", CheckState.OK, f"{said}; not probed yet")
    probe = record.probed
    figures = f"found {probe.found} of {probe.wanted}, {probe.wrong} of {probe.stated} wrong"
    if trust is Trust.STRICT and fixed is None:
        fix = "A better model for extraction learns more: EVERLORE_EXTRACTION__MODEL, or the settings of the page."
        return Check("reading", CheckState.WARNING, f"{said} (probed: {figures})", fix)
    return Check("reading", CheckState.OK, f"{said} (probed: {figures})")


def judge_health(health: StoreHealth) -> list[Check]:
    size = f"{health.size_bytes / 2**20:.1f} MB"
    database = Check("database", CheckState.OK, f"{health.kind} {health.version}, schema {health.schema}, {size}")
    problems = [Check("database", CheckState.FAILED, problem) for problem in health.problems]
    return [database, *problems, _disk(health.free_bytes)]


def _disk(free_bytes: int | None) -> Check:
    if free_bytes is None:
        return Check("disk", CheckState.OK, "on the database server, not seen from here")
    return Check("disk", CheckState.OK, f"{free_bytes / 2**30:.1f} GB free")


def judge_queue(queue: QueueState) -> Check:
    detail = f"{queue.pending} waiting"
    if queue.paused:
        return Check("queue", CheckState.WARNING, f"paused, {detail}", "Run `everlore jobs resume`.")
    dead = queue.counts.get(JobState.DEAD, 0)
    if dead:
        fix = "See why with `everlore jobs list --state dead`, then `everlore jobs retry ID`."
        return Check("queue", CheckState.WARNING, f"{detail}, {dead} given up", fix)
    return Check("queue", CheckState.OK, detail)


def judge_coverage(coverage: Coverage) -> Check:
    detail = f"{coverage.embedded} of {coverage.passages} texts are indexed by meaning"
    if coverage.share < 1:
        fix = "A running server or `everlore worker` does the rest; `everlore reindex` does it now."
        return Check("index", CheckState.WARNING, detail, fix)
    return Check("index", CheckState.OK, detail)


def _failed(name: str, error: EverloreError) -> Check:
    # These errors already end with the next step.
    return Check(name, CheckState.FAILED, str(error))
