"""What a person decides about a memory (M10, M11). Pure; the last stories go through the store."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from everlore.domain.memory import LinkKind, Memory, MemoryLink, Origin, Status
from everlore.domain.revision import Why
from everlore.errors import BadAsk, Conflict
from everlore.learning.saving.review import approved, corrected, rejected
from everlore.store.port import Put
from tests.learning.saving.mind import SCOPE, Mind, mind

THEN = datetime(2026, 1, 5, tzinfo=UTC)
NOW = datetime(2026, 6, 5, tzinfo=UTC)


def memory(**fields: Any) -> Memory:
    base: dict[str, Any] = {
        "workspace": "home",
        "id": "one",
        "content": "User lives in Seattle",
        "origin": Origin.EXTRACTOR,
        "persons": ("nova", "user"),
        "source_message_ids": ("m1",),
        "valid_from": THEN,
        "created_at": THEN,
        "updated_at": THEN,
    }
    return Memory(**{**base, **fields})


def puts(changes: tuple[Any, ...]) -> list[Put]:
    assert all(isinstance(each, Put) for each in changes)
    return list(changes)


def ids() -> Any:
    numbers = count(1)
    return lambda: f"new{next(numbers)}"


def test_an_approved_memory_is_believed_from_now_on() -> None:
    """M10."""
    (put,) = puts(approved(memory(status=Status.PENDING, extra={"unconfirmed": True, "said": {}}), NOW))

    assert isinstance(put.record, Memory)
    assert put.why is Why.APPROVAL
    assert put.record.status is Status.ACTIVE
    assert put.record.revision == 2
    assert put.record.extra == {"said": {}}


def test_approving_closes_what_it_contradicts() -> None:
    """M10, M11: the person has decided."""
    new = memory(id="new", content="User lives in Portland", status=Status.PENDING, valid_from=NOW)

    _, closed = puts(approved(new, NOW, contradicted=[memory(edited_by_person=True), memory(status=Status.REJECTED)]))

    assert isinstance(closed.record, Memory)
    assert closed.why is Why.SUPERSESSION
    assert (closed.record.status, closed.record.valid_to, closed.record.superseded_by) == (
        Status.SUPERSEDED,
        NOW,
        "new",
    )


@pytest.mark.parametrize("status", [Status.ACTIVE, Status.REJECTED, Status.SUPERSEDED, Status.DELETED])
def test_only_what_waits_can_be_approved(status: Status) -> None:
    """M10."""
    with pytest.raises(Conflict, match=f"'one' is {status.value}, and only a memory that is pending can be approved"):
        approved(memory(status=status), NOW)


@pytest.mark.parametrize("status", [Status.PENDING, Status.ACTIVE])
def test_a_rejected_memory_stays_closed(status: Status) -> None:
    """M10."""
    (put,) = puts(rejected(memory(status=status), NOW))

    assert isinstance(put.record, Memory)
    assert (put.why, put.record.status, put.record.valid_to) == (Why.REJECTION, Status.REJECTED, NOW)


@pytest.mark.parametrize("status", [Status.REJECTED, Status.SUPERSEDED, Status.DELETED])
def test_what_is_closed_cannot_be_rejected_or_corrected(status: Status) -> None:
    """M10."""
    with pytest.raises(Conflict, match="only a pending or active memory can be marked as wrong"):
        rejected(memory(status=status), NOW)
    with pytest.raises(Conflict, match="Restore it first"):
        corrected(memory(status=status), "User lives in Tacoma", NOW, ids())


def test_a_correction_closes_the_wrong_memory_and_belongs_to_the_person() -> None:
    """M11."""
    right, wrong, link = (each.record for each in puts(corrected(memory(), " User lives in Tacoma ", NOW, ids())))

    assert isinstance(right, Memory)
    assert isinstance(wrong, Memory)
    assert isinstance(link, MemoryLink)
    assert (right.content, right.status, right.confidence) == ("User lives in Tacoma", Status.ACTIVE, 1.0)
    assert (right.origin, right.edited_by_person) == (Origin.USER, True)
    assert (right.persons, right.source_message_ids) == (("nova", "user"), ("m1",))
    assert (wrong.status, wrong.superseded_by) == (Status.REJECTED, right.id)
    assert (link.memory_id, link.kind, link.other_id) == (right.id, LinkKind.CORRECTS, wrong.id)


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_a_correction_without_a_text_marks_the_memory_as_wrong(text: str | None) -> None:
    """M11."""
    (put,) = puts(corrected(memory(), text, NOW, ids()))

    assert isinstance(put.record, Memory)
    assert (put.why, put.record.status, put.record.superseded_by) == (Why.CORRECTION, Status.REJECTED, None)


def test_a_correction_must_say_something_else() -> None:
    with pytest.raises(BadAsk, match="says what memory 'one' says already"):
        corrected(memory(), "user lives in seattle.", NOW, ids())


def test_a_correction_must_be_a_statement() -> None:
    with pytest.raises(BadAsk, match="20,001 characters; the most is 20,000"):
        corrected(memory(), "x" * 20_001, NOW, ids())


# ── through the store ────────────────────────────────────────────────────────────────────────────


async def put_right(someone: Mind, wrong: str, right: str) -> None:
    found = await someone.the(wrong, Status.ACTIVE)
    await someone.apply(corrected(found, right, someone.now, someone.new_id))


async def test_what_was_corrected_is_not_learnt_again() -> None:
    """M11, M16: neither from its own message nor in the same words from another."""
    someone = await mind()
    await someone.hears("2026-01-05", "User lives in Seattle", message="m1")
    await put_right(someone, "User lives in Seattle", "User lives in Tacoma")

    again = await someone.hears("2026-01-05", "User resides in Seattle", message="m1")
    elsewhere = await someone.hears("2026-02-05", "User lives in Seattle", message="m2")

    assert [each.filter.value for each in (*again.refused, *elsewhere.refused)] == ["corrected", "corrected"]
    assert await someone.current() == ["User lives in Tacoma"]


async def test_the_correction_wins_over_later_extraction_until_the_person_decides() -> None:
    """M11."""
    someone = await mind()
    await someone.hears("2026-01-05", "User lives in Seattle")
    await put_right(someone, "User lives in Seattle", "User lives in Tacoma")

    await someone.hears("2026-05-05", "User moved to Portland")

    assert await someone.current() == ["User lives in Tacoma"]
    assert await someone.waiting() == ["User moved to Portland"]

    waiting, tacoma = await someone.the("User moved to Portland"), await someone.the("User lives in Tacoma")
    await someone.apply(approved(waiting, someone.now, contradicted=[tacoma]))

    assert await someone.current() == ["User moved to Portland"]
    assert await someone.past() == ["User lives in Tacoma"]


async def test_every_step_leaves_a_revision_with_who_and_why() -> None:
    """M6."""
    someone = await mind()
    await someone.hears("2026-01-05", "User lives in Seattle")
    wrong = await someone.the("User lives in Seattle")

    await someone.apply(corrected(wrong, "User lives in Tacoma", someone.now, someone.new_id, by="ada"))

    (revision,) = await someone.store.history(SCOPE, wrong.id)
    assert (revision.by, revision.why, revision.before.content) == ("ada", Why.CORRECTION, "User lives in Seattle")


async def test_a_rejected_memory_can_be_reworded_by_another_message_later() -> None:
    """M11: only the same words are stopped everywhere."""
    someone = await mind()
    await someone.hears("2026-01-05", "User lives in Seattle")
    await someone.apply(rejected(await someone.the("User lives in Seattle"), someone.now))

    await someone.hears("2026-02-05", "User moved to Seattle")

    assert await someone.current() == ["User moved to Seattle"]


def test_nothing_here_changes_the_memory_it_was_given() -> None:
    before = memory()

    corrected(before, "User lives in Tacoma", NOW, ids())

    assert before == replace(memory())
