"""Stores how reliable each model is that reads messages: its probe, and the errors in its facts since (F5).

One setting per model, address and workspace. A model that was not probed with the current prompts is probed in the
background; until then its trust is careful. The probe consists of messages whose facts are known (`probe.jsonl`): words
that must occur together in one statement. The model gets the real prompts and all checks; only our own reading is left
out, since the model is measured.

Start at `record_in` and `ProbeModels`; `probed` measures a model.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

import structlog

from everlore.domain.config import DEFAULTS
from everlore.domain.conversation import Conversation
from everlore.domain.job import Job
from everlore.domain.memory import Memory, Status
from everlore.domain.scope import Scope
from everlore.domain.setting import Setting
from everlore.learning.candidate import AnswerTally, Asker, EarlierMessage, Source
from everlore.learning.facts.flow import RULES, facts_in
from everlore.learning.facts.prompt import prompt_version
from everlore.learning.facts.trust import Probed, Record, Trust, record_json, record_of, trust_of, with_tally
from everlore.learning.jobs import probe_job
from everlore.learning.mind import LearningHandler, config_for
from everlore.learning.saving.draft import DOUBT, READ_BY
from everlore.models.chat import Purpose
from everlore.settings import TrustWish
from everlore.store.port import Change, Delete, Enqueue, Put, Store

_ASSISTANT = "Nova"
_SAID_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)

# A statement with all of these words states the fact; "|" separates alternatives.
Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProbeCase:
    """`optional`: further true facts that need not be found."""

    source: Source
    facts: tuple[Keys, ...]
    optional: tuple[Keys, ...]


@cache
def probe_cases() -> tuple[ProbeCase, ...]:
    text = files("everlore.learning.facts").joinpath("probe.jsonl").read_text(encoding="utf-8")
    return tuple(_case(json.loads(line)) for line in text.splitlines() if line)


async def probed(asker: Asker) -> Probed:
    """Raises `ModelUnavailable` if the model cannot be reached: probe it again later."""
    total = Probed()
    for case in probe_cases():
        found = await facts_in(case.source, asker, Trust.PLAIN, by_rules=False)
        is_usable = found.model != RULES
        total = _added(total, case, [each.content for each in found.candidates], is_usable=is_usable)
    return total


def _added(total: Probed, case: ProbeCase, stated: Sequence[str], *, is_usable: bool) -> Probed:
    true = (*case.facts, *case.optional)
    return Probed(
        messages=total.messages + 1,
        unusable=total.unusable + (not is_usable),
        wanted=total.wanted + len(case.facts),
        found=total.found + sum(any(says(each, keys) for each in stated) for keys in case.facts),
        stated=total.stated + len(stated),
        wrong=total.wrong + sum(not any(says(each, keys) for keys in true) for each in stated),
    )


def says(statement: str, keys: Keys) -> bool:
    low = statement.lower()
    return all(any(word in low for word in key.split("|")) for key in keys)


def _case(document: dict[str, Any]) -> ProbeCase:
    before = tuple(
        EarlierMessage(each["is_user"], "User" if each["is_user"] else _ASSISTANT, each["content"])
        for each in document.get("before", [])
    )
    source = Source(content=document["message"], at=_SAID_AT, assistants=(_ASSISTANT,), before=before)
    facts, optional = (tuple(map(tuple, document[name])) for name in ("facts", "optional"))
    return ProbeCase(source, facts, optional)


log = structlog.get_logger(__name__)

_PREFIX = "trust-"
_MOST_MODELS = 200
_MOST_WAITING = 200
_DOUBTED_FOR = timedelta(days=60)


def fixed_trust(wish: TrustWish) -> Trust | None:
    """The trust that the operator fixed; None if it is measured."""
    return None if wish == "auto" else Trust(wish)


async def record_in(store: Store, scope: Scope, asker: Asker) -> Record:
    """The record of a model; an empty one if none is stored."""
    found = await store.get_many(scope, Setting, [_id(asker.name, asker.address)])
    return record_of(found[0].value) if found else Record(model=asker.name, address=asker.address)


async def records_in(store: Store, scope: Scope) -> list[Record]:
    """The records of all models that ever read in this workspace."""
    page = await store.find(scope, Setting, {}, limit=_MOST_MODELS)
    return [record_of(each.value) for each in page.items if each.id.startswith(_PREFIX)]


def is_due(record: Record) -> bool:
    return record.probed is None or record.prompt != prompt_version()


def put_record(scope: Scope, record: Record, now: datetime) -> Put:
    id = _id(record.model, record.address)
    return Put(Setting(workspace=scope.workspace, id=id, value=record_json(record), updated_at=now))


def after_answer(
    conversation: Conversation, record: Record, tally: AnswerTally, now: datetime, new_id: Callable[[], str]
) -> list[Change]:
    """The changes after an answer: updated counts, and a probe job if one is due."""
    scope = Scope(conversation.workspace)
    changes: list[Change] = [put_record(scope, with_tally(record, tally), now)] if tally.stated else []
    if is_due(record):
        key = f"{_id(record.model, record.address)}-{prompt_version()}"
        changes.append(Enqueue(probe_job(conversation, now, new_id, key=key)))
    return changes


async def after_withdrawal(store: Store, scope: Scope, memory: Memory, now: datetime) -> list[Change]:
    """Counts a memory that a person rejected or corrected against the model that proposed it."""
    read_by = memory.extra.get(READ_BY)
    if not isinstance(read_by, str):
        return []
    found = await store.get_many(scope, Setting, [read_by])
    if not found:
        return []
    record = record_of(found[0].value)
    return [put_record(scope, replace(record, withdrawn=record.withdrawn + 1), now)]


async def outlived(store: Store, scope: Scope, persons: Sequence[str], now: datetime) -> list[Change]:
    """Doubted memories that waited so long, without confirmation or repetition, that they are dropped."""
    if not persons:
        return []
    where = {"persons": persons[0], "status": Status.PENDING.value}
    page = await store.find(scope, Memory, where, limit=_MOST_WAITING)
    old = [each for each in page.items if DOUBT in each.extra and each.updated_at < now - _DOUBTED_FOR]
    return [Delete(Memory, each.id) for each in old]


def reader_id(asker: Asker | None) -> str:
    return "" if asker is None else _id(asker.name, asker.address)


class ProbeModels(LearningHandler):
    """Probes the model that currently forms memories with test messages."""

    async def _run(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        """Probes the model of the conversation that first needed it."""
        found = await self._tools.conversation(scope, str(job.payload["conversation_id"]))
        config = await config_for(self._store, scope, found) if found else DEFAULTS
        asker = await self._tools.asker(scope, Purpose.EXTRACTION, config)
        if asker is None or not is_due(await record_in(self._store, scope, asker)):
            return []
        result = await probed(asker)
        # Read again: other jobs may have updated the record meanwhile.
        record = await record_in(self._store, scope, asker)
        record = replace(record, probed=result, prompt=prompt_version(), since=AnswerTally(), withdrawn=0)
        log.info("facts.probed", model=asker.name, trust=trust_of(record).value, wrong=result.wrong, found=result.found)
        return [put_record(scope, record, now)]


def _id(model: str, address: str) -> str:
    named = f"{model}\n{address}".encode()
    return f"{_PREFIX}{hashlib.sha256(named).hexdigest()[:24]}"
