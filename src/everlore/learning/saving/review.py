"""A person's decisions about a memory: approve, reject, correct, merge or withdraw it (M6, M10, M11). Pure.

In: the memory, and the time. Out: changes for the store to apply together. A wrong memory is closed, not deleted, so
that the same statement is not learned again. A correction belongs to the person, and no extractor overrules it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import get_args

from everlore.domain.bounds import Statement
from everlore.domain.claim import with_claim
from everlore.domain.memory import BRANCHES, LinkKind, Memory, Origin, Status
from everlore.domain.revision import Revision, Why, may_become, revise, supersede
from everlore.errors import BadAsk, Conflict
from everlore.learning.phrasebooks.statements import claimed
from everlore.learning.saving.draft import DOUBT
from everlore.learning.saving.durability import durability_of
from everlore.learning.saving.likeness import read, same_words
from everlore.learning.saving.merging import link_between, united
from everlore.store.port import Change, Put

_MOST_CHARS: int = get_args(Statement)[1].most
_MOST_NOTE = 1_000
_PERSON = "user"


def approved(
    memory: Memory, now: datetime, *, by: str = _PERSON, contradicted: Sequence[Memory] = ()
) -> tuple[Change, ...]:
    """Activates a pending memory. `contradicted`: the memories linked as contradicting; active ones are closed, because
    the person has decided."""
    _expect(memory, Status.PENDING, "approved")
    extra = {name: value for name, value in memory.extra.items() if name not in ("unconfirmed", DOUBT)}
    active = revise(memory, now, status=Status.ACTIVE, extra=extra)
    since = memory.valid_from or now
    closed = [
        supersede(each, active, now, max(since, each.valid_from or since))
        for each in contradicted
        if each.status is Status.ACTIVE and each.id != memory.id
    ]
    return (
        Put(active, by=by, why=Why.APPROVAL),
        *(Put(each, by=by, why=Why.SUPERSESSION, note=f"by {memory.id}") for each in closed),
    )


def rejected(memory: Memory, now: datetime, *, by: str = _PERSON) -> tuple[Change, ...]:
    """Rejects a memory. It stays, closed, so that it is not learned again."""
    return (Put(_closed(memory, now, None), by=by, why=Why.REJECTION),)


def undone(
    memory: Memory,
    last: Revision | None,
    closed: Sequence[tuple[Memory, Revision]],
    now: datetime,
    *,
    by: str = _PERSON,
) -> tuple[Change, ...]:
    """Undoes an approval or rejection: the memory waits again. `last`: its state before the decision. `closed`:
    memories that the approval closed, each with its earlier state, which become active again."""
    is_decision = last is not None and last.why in (Why.APPROVAL, Why.REJECTION)
    if last is None or not is_decision or last.before.status is not Status.PENDING:
        raise Conflict(
            f"The latest change of memory {memory.id!r} is not a review decision, so there is nothing to undo. "
            "Reload it: it may have been changed meanwhile."
        )
    reopened = [_as_before(each, before.before, now) for each, before in closed if before.note == f"by {memory.id}"]
    note = "decision undone"
    return (
        Put(_as_before(memory, last.before, now), by=by, note=note),
        *(Put(each, by=by, note=note) for each in reopened),
    )


def _as_before(memory: Memory, before: Memory, now: datetime) -> Memory:
    fields = ("status", "valid_to", "superseded_by", "extra")
    return revise(memory, now, **{name: getattr(before, name) for name in fields})


def outdated(right: Memory, others: Sequence[Memory], now: datetime, *, by: str = _PERSON) -> tuple[Change, ...]:
    """Closes the memories elsewhere that a correction ends."""
    closed = [supersede(each, right, now, max(now, each.valid_from or now)) for each in others]
    return tuple(Put(each, by=by, why=Why.SUPERSESSION, note=f"by {right.id}") for each in closed)


def corrected(
    memory: Memory, right_text: str | None, now: datetime, new_id: Callable[[], str], *, by: str = _PERSON
) -> tuple[Change, ...]:
    """Closes the wrong memory and saves the right text as a new one. Without a text it is only marked as wrong."""
    text = (right_text or "").strip()
    if not text:
        return (Put(_closed(memory, now, None), by=by, why=Why.CORRECTION),)
    if len(text) > _MOST_CHARS:
        raise BadAsk(f"The correction has {len(text):,} characters; the most is {_MOST_CHARS:,}. Say it in short.")
    if same_words(read(text), read(memory.content)):
        raise BadAsk(f"The correction says what memory {memory.id!r} says already. Give the right text, or none.")
    right = _correction(memory, text, now, new_id())
    link = link_between(right, memory.id, LinkKind.CORRECTS, now, new_id())
    wrong = Put(_closed(memory, now, right.id), by=by, why=Why.CORRECTION, note=f"by {right.id}")
    return Put(right, by=by), wrong, Put(link)


def withdrawn(memory: Memory, now: datetime, *, by: str = _PERSON) -> tuple[Change, ...]:
    """Withdraws a memory: neither recalled nor listed, until it is deleted permanently or restored."""
    if memory.status is Status.DELETED:
        raise Conflict(f"Memory {memory.id!r} is withdrawn already. Delete it for good, or restore it.")
    return (Put(revise(memory, now, status=Status.DELETED), by=by, why=Why.WITHDRAWAL),)


# Key in `extra` of a memory that was merged into another one, and so is not outdated.
MERGED = "merged"


def merged(
    kept: Memory,
    others: Sequence[Memory],
    text: str | None,
    now: datetime,
    new_id: Callable[[], str],
    *,
    by: str = _PERSON,
) -> tuple[Change, ...]:
    """Merges memories that say the same: `kept` gets all sources, the others are closed and point to it. Only for the
    same people and place, so that nobody learns anything new from it."""
    _expect_alike(kept, others)
    every = (kept, *others)
    changes = {
        "importance": max(each.importance for each in every),
        "confidence": max(each.confidence for each in every),
        "reinforcement_count": sum(each.reinforcement_count for each in every) + len(others),
        "edited_by_person": True,
        **{
            name: united(*(getattr(each, name) for each in every))
            for name in ("source_message_ids", "entity_ids", "participants", "tags")
        },
    }
    wording = (text or "").strip() or kept.content
    one = revise(kept, now, content=wording, **changes)
    if wording != kept.content:
        one = replace(one, extra=with_claim(one.extra, claimed(wording, None, now)))
    closed = [
        replace(supersede(each, one, now, max(now, each.valid_from or now)), extra={**each.extra, MERGED: True})
        for each in others
    ]
    links = [link_between(one, each.id, LinkKind.SUPERSEDES, now, new_id()) for each in others]
    return (
        Put(one, by=by, why=Why.MERGE, note=f"with {', '.join(each.id for each in others)}"[:_MOST_NOTE]),
        *(Put(each, by=by, why=Why.MERGE, note=f"into {one.id}") for each in closed),
        *(Put(each) for each in links),
    )


def _expect_alike(kept: Memory, others: Sequence[Memory]) -> None:
    if not others or kept.id in {each.id for each in others}:
        raise BadAsk("A memory can't be merged with itself. Choose at least one other memory.")
    for each in (kept, *others):
        _expect(each, Status.ACTIVE, "merged")
    for each in others:
        if _place(each) != _place(kept):
            raise BadAsk(
                f"Memory {each.id!r} is about other people, another campaign, or shared differently than {kept.id!r}. "
                "Merge memories about the same people, or forget one of the two."
            )


def _place(memory: Memory) -> tuple[object, ...]:
    return (memory.persons, memory.campaign_id, memory.visibility, memory.is_spoiler)


def _correction(memory: Memory, text: str, now: datetime, id: str) -> Memory:
    claim = claimed(text, None, now)
    return Memory(
        workspace=memory.workspace,
        id=id,
        content=text,
        type=memory.type,
        category=memory.category,
        importance=memory.importance,
        emotional_weight=memory.emotional_weight,
        visibility=memory.visibility,
        is_spoiler=memory.is_spoiler,
        durability=durability_of(text, memory.category, memory.type, claim=claim),
        origin=Origin.USER,
        edited_by_person=True,
        persons=memory.persons,
        conversation_id=memory.conversation_id,
        campaign_id=memory.campaign_id,
        chapter_id=memory.chapter_id,
        session_id=memory.session_id,
        source_uri=memory.source_uri,
        source_message_ids=memory.source_message_ids,
        entity_ids=memory.entity_ids,
        participants=memory.participants,
        tags=memory.tags,
        valid_from=memory.valid_from,
        created_at=now,
        updated_at=now,
        # Keep it visible in the same branches.
        extra=with_claim({name: memory.extra[name] for name in (BRANCHES,) if name in memory.extra}, claim),
    )


def _closed(memory: Memory, now: datetime, successor_id: str | None) -> Memory:
    if not may_become(memory.status, Status.REJECTED) or memory.status is Status.REJECTED:
        raise Conflict(
            f"Memory {memory.id!r} is {memory.status.value}, and only a pending or active memory can be marked as "
            "wrong. Restore it first."
        )
    return revise(memory, now, status=Status.REJECTED, valid_to=now, superseded_by=successor_id)


def _expect(memory: Memory, status: Status, done: str) -> None:
    if memory.status is not status:
        raise Conflict(
            f"Memory {memory.id!r} is {memory.status.value}, and only a memory that is {status.value} can be {done}. "
            "Reload it: it may have been decided meanwhile."
        )
