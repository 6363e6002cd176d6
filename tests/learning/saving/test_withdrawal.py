"""What becomes of a memory when its messages are edited or deleted (M15). Pure; the last stories use the store."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from everlore.domain.claim import Claim, Slot, claim_in, with_claim
from everlore.domain.conversation import Message
from everlore.domain.memory import Category, Memory, MemoryType, Origin, Status
from everlore.domain.records import without
from everlore.domain.revision import Why
from everlore.learning.saving.withdrawal import after_losing, reopened
from everlore.store.port import Delete, Put
from tests.learning.saving.mind import SCOPE, mind

THEN = datetime(2026, 1, 5, tzinfo=UTC)
NOW = datetime(2026, 6, 5, tzinfo=UTC)


def memory(**fields: Any) -> Memory:
    base: dict[str, Any] = {
        "workspace": "home",
        "id": "one",
        "content": "User loves weekend hiking trips",
        "category": Category.PREFERENCE,
        "origin": Origin.EXTRACTOR,
        "source_message_ids": ("m1", "m2"),
        "reinforcement_count": 1,
        "valid_from": THEN,
        "created_at": THEN,
        "updated_at": THEN,
        "extra": {
            "wordings": {"m1": "User enjoys hiking", "m2": "User loves weekend hiking trips"},
            "said": {"m1": THEN.isoformat(), "m2": NOW.isoformat()},
        },
    }
    return Memory(**{**base, **fields})


def kept(change: object) -> Memory:
    assert isinstance(change, Put)
    assert isinstance(change.record, Memory)
    return change.record


@pytest.mark.parametrize("text_changed", [True, False])
def test_a_fact_with_another_source_goes_back_to_what_that_one_said(text_changed: bool) -> None:
    """M15."""
    left = kept(after_losing(memory(), ["m2"], NOW, text_changed=text_changed))

    assert left.content == "User enjoys hiking"
    assert left.source_message_ids == ("m1",)
    assert left.reinforcement_count == 0
    assert left.extra == {
        "wordings": {"m1": "User enjoys hiking"},
        "said": {"m1": THEN.isoformat()},
        "claim": {"slot": "like", "value": "hiking"},
    }
    assert left.status is Status.ACTIVE


def test_what_it_claims_goes_with_the_message_that_may_have_said_so() -> None:
    """M15: its maker may have put it in words of that message."""
    claim = with_claim(memory().extra, Claim(slot=Slot.LIKE, value="the Harz"))

    left = kept(after_losing(memory(extra=claim), ["m1"], NOW, text_changed=False))

    assert left.content == "User loves weekend hiking trips"
    assert claim_in(left.extra) == Claim(slot=Slot.LIKE, value="weekend hiking trips")


def test_an_earlier_state_loses_its_claim_with_a_message_that_it_rests_on() -> None:
    """M9, M15."""
    state = memory(extra=with_claim(memory().extra, Claim(slot=Slot.LIKE, value="the Harz")))

    assert "Harz" not in str(without(state, {Message: {"m1"}}))
    assert "Harz" in str(without(replace(state, edited_by_person=True), {Message: {"m1"}}))


def test_a_fact_without_any_source_is_withdrawn_when_the_message_was_edited() -> None:
    """M15."""
    change = after_losing(memory(), ["m1", "m2"], NOW, text_changed=True)

    assert kept(change).status is Status.DELETED
    assert isinstance(change, Put)
    assert change.why is Why.WITHDRAWAL


def test_a_fact_without_any_source_is_deleted_with_its_message() -> None:
    """M15, M9."""
    assert after_losing(memory(), ["m1", "m2"], NOW, text_changed=False) == Delete(Memory, "one")


def test_a_memory_of_a_segment_goes_with_any_of_its_messages() -> None:
    """M15: without one of them it is another segment."""
    segment = memory(origin=Origin.KEYFRAME, category=None, type=MemoryType.DECISION)

    assert kept(after_losing(segment, ["m1"], NOW, text_changed=True)).status is Status.DELETED


@pytest.mark.parametrize("mark", [{"edited_by_person": True}, {"origin": Origin.USER}])
@pytest.mark.parametrize("text_changed", [True, False])
def test_what_a_person_made_is_kept_and_flagged(mark: dict[str, Any], text_changed: bool) -> None:
    """M15."""
    flagged = kept(after_losing(memory(**mark), ["m1", "m2"], NOW, text_changed=text_changed))

    assert flagged.content == "User loves weekend hiking trips"
    assert flagged.status is Status.ACTIVE
    assert flagged.extra["source_changed"] is True
    assert after_losing(flagged, ["m1"], NOW, text_changed=text_changed) is None


def test_a_rejection_outlasts_the_edit_of_its_message() -> None:
    """M11, M15: it still stops those words."""
    no = memory(status=Status.REJECTED)

    assert after_losing(no, ["m1", "m2"], NOW, text_changed=True) is None
    assert after_losing(no, ["m1", "m2"], NOW, text_changed=False) == Delete(Memory, "one")


def test_messages_of_others_change_nothing() -> None:
    assert after_losing(memory(), ["m9"], NOW, text_changed=True) is None
    assert after_losing(memory(), [], NOW, text_changed=True) is None
    assert after_losing(memory(status=Status.DELETED), ["m1"], NOW, text_changed=True) is None


def test_a_memory_without_a_record_of_its_wordings_keeps_its_words() -> None:
    left = kept(after_losing(memory(extra={"wordings": "rubbish"}), ["m1"], NOW, text_changed=True))

    assert left.content == "User loves weekend hiking trips"


def test_a_fact_whose_successor_was_withdrawn_holds_again() -> None:
    """M7, M15."""
    closed = memory(status=Status.SUPERSEDED, valid_to=NOW, superseded_by="two", importance=2)

    again = kept(reopened(closed, NOW))

    assert (again.status, again.valid_to, again.superseded_by) == (Status.ACTIVE, None, None)
    assert again.importance > 2


def test_a_fact_whose_successor_had_a_successor_is_closed_by_that_one() -> None:
    """M7, M15: Seattle, Denver, Portland, and Denver was never said."""
    closed = memory(status=Status.SUPERSEDED, valid_to=THEN, superseded_by="denver")
    portland = memory(id="portland", valid_from=NOW)

    passed_on = kept(reopened(closed, NOW, heir=portland))

    assert (passed_on.status, passed_on.valid_to, passed_on.superseded_by) == (Status.SUPERSEDED, NOW, "portland")


# ── through the store ────────────────────────────────────────────────────────────────────────────


async def test_an_edited_message_takes_its_words_along_and_no_others() -> None:
    """M15."""
    someone = await mind()
    await someone.hears("2026-01-05", "User enjoys hiking", message="m1")
    await someone.hears("2026-02-05", "User loves weekend hiking trips", message="m2")
    trips = await someone.the("User loves weekend hiking trips")

    change = after_losing(trips, ["m2"], someone.now, text_changed=True)
    assert change is not None
    await someone.apply([change])

    assert await someone.current() == ["User enjoys hiking"]


async def test_a_deleted_message_leaves_nothing_behind_and_what_it_had_closed_holds_again() -> None:
    """M9, M15."""
    someone = await mind()
    await someone.hears("2026-01-05", "User lives in Seattle")
    await someone.hears("2026-02-05", "User moved to Portland", message="m2")
    moved, before = await someone.the("User moved to Portland"), await someone.the("User lives in Seattle")

    change = after_losing(moved, ["m2"], someone.now, text_changed=False)
    assert change == Delete(Memory, moved.id)
    await someone.apply([reopened(before, someone.now), change, Delete(Message, "m2")])

    assert await someone.current() == ["User lives in Seattle"]
    assert await someone.believed("2026-02-06", "Portland") == ["User lives in Seattle"]
    assert await someone.store.count(SCOPE, Memory) == 1
