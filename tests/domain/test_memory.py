"""What a memory is, and how it changes (M1, M2, M6, M7, M10)."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.memory import Category, Durability, Memory, MemoryType, Status
from everlore.domain.revision import holds_at, may_become, revise, supersede
from tests.contract.builders import START, memory, minute


def test_a_memory_has_every_field_that_a_record_must_have() -> None:
    """M1."""
    asked = (
        "id workspace content summary type category importance confidence priority tags emotional_weight participants "
        "key_moments status visibility source_uri conversation_id source_message_ids interaction_id campaign_id "
        "chapter_id session_id entity_ids valid_from valid_to created_at updated_at last_recalled_at recall_count "
        "reinforcement_count origin edited_by_person durability"
    )

    assert set(asked.split()) <= set(Memory.__dataclass_fields__)


def test_every_type_of_memory_is_known() -> None:
    """M2."""
    asked = (
        "FACT RELATIONSHIP DISCOVERY DECISION INSIGHT OUTCOME EVENT NOTE EMOTION BEHAVIOR ERROR_LESSON PERSONALITY "
        "PREFERENCE RULE GOAL SKILL EXPERIENCE PROJECT STORY PREMISE SETTING TONE FACTION THEME CANON_RULING "
        "PLOT_THREAD SCENE DECISION_POINT MOMENT SUMMARY"
    )

    assert [each.value for each in MemoryType] == asked.split()


def test_the_categories_of_user_facts_stand_beside_the_types() -> None:
    """M2."""
    assert {each.value for each in Category} == {
        "personal_info", "preference", "experience", "relationship", "goal", "skill",
    }  # fmt: skip


def test_a_memory_lasts_unless_something_else_is_said() -> None:
    """M17."""
    assert memory("m").durability is Durability.LONG_TERM
    assert {each.value for each in Durability} == {"ephemeral", "situational", "long_term", "identity"}


# ── change ───────────────────────────────────────────────────────────────────────────────────────


def test_the_next_state_is_one_revision_on_and_the_former_is_untouched() -> None:
    """M6."""
    before = memory("m", "Mira lives in Oslo.")

    after = revise(before, minute(5), content="Mira lives in Bergen.", importance=8)

    assert (after.content, after.importance) == ("Mira lives in Bergen.", 8)
    assert (after.revision, after.updated_at) == (2, minute(5))
    assert (after.id, after.created_at) == (before.id, before.created_at)
    assert (before.content, before.revision, before.updated_at) == ("Mira lives in Oslo.", 1, START)


def test_a_contradicted_fact_is_closed_and_points_to_its_successor() -> None:
    """M7: it is not deleted."""
    old = memory("old", "The user lives in Seattle.")
    new = memory("new", "The user lives in Portland.", at=minute(9))

    closed = supersede(old, new, at=minute(10), since=minute(9))

    assert closed.status is Status.SUPERSEDED
    assert (closed.valid_to, closed.superseded_by) == (minute(9), "new")
    assert (closed.content, closed.revision, closed.updated_at) == (old.content, 2, minute(10))
    assert holds_at(closed, minute(8))
    assert not holds_at(closed, minute(9))


def test_a_fact_without_bounds_holds_always() -> None:
    """M7."""
    assert holds_at(memory("m"), minute(-10_000))
    assert holds_at(memory("m"), minute(10_000))


@given(st.integers(-50, 50), st.integers(1, 50), st.integers(-100, 150))
def test_a_fact_holds_from_its_first_moment_until_just_before_its_last(start: int, length: int, asked: int) -> None:
    """M7: the successor's first moment is the predecessor's end, so at no time do both hold."""
    bounded = memory("m", valid_from=minute(start), valid_to=minute(start + length))

    assert holds_at(bounded, minute(asked)) is (start <= asked < start + length)


def test_a_successor_takes_over_in_the_same_instant() -> None:
    """M7."""
    since = minute(9)
    new = memory("new", valid_from=since)
    closed = supersede(memory("old"), new, at=minute(10), since=since)

    for moment in (since - timedelta(microseconds=1), since, since + timedelta(microseconds=1)):
        assert holds_at(closed, moment) is not holds_at(new, moment)


# ── status ───────────────────────────────────────────────────────────────────────────────────────

MAY_BECOME: dict[Status, set[Status]] = {
    Status.PENDING: {Status.ACTIVE, Status.REJECTED, Status.DELETED},
    Status.ACTIVE: {Status.PENDING, Status.SUPERSEDED, Status.REJECTED, Status.DELETED},
    Status.SUPERSEDED: {Status.ACTIVE, Status.DELETED},
    Status.REJECTED: {Status.PENDING, Status.ACTIVE, Status.DELETED},
    Status.DELETED: {Status.ACTIVE},
}


@pytest.mark.parametrize("then", Status)
@pytest.mark.parametrize("now", Status)
def test_a_status_moves_only_along_its_table(now: Status, then: Status) -> None:
    """M10."""
    assert may_become(now, then) is (then is now or then in MAY_BECOME[now])


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.DELETED])
def test_only_an_undone_decision_waits_for_approval_again(status: Status) -> None:
    """M10."""
    assert not may_become(status, Status.PENDING)


def test_a_summary_goes_with_the_words_that_it_was_made_of() -> None:
    """M1, M6: it would tell a prompt what is no longer so."""
    before = memory("m", "Ann lives in Oslo, with a dog.", summary="Ann lives in Oslo.")

    assert revise(before, minute(1), content="Ann lives in Bergen.").summary == ""
    assert revise(before, minute(1), content="Ann lives in Bergen.", summary="Bergen.").summary == "Bergen."
    assert revise(before, minute(1), content=before.content, importance=9).summary == "Ann lives in Oslo."
