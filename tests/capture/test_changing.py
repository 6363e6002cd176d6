"""What was captured, changed afterwards (C1, C2)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from everlore.capture.edits import EventChanges, changed
from everlore.domain.event import Event, EventState, EventType

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)


def _task(**fields: object) -> Event:
    given: dict[str, object] = {"state": EventState.IN_PROGRESS, **fields}
    return Event(
        workspace="w",
        id="e",
        type=EventType.TASK,
        content="Paint the shed.",
        at=NOON,
        created_at=NOON,
        **given,  # type: ignore[arg-type]  # each is of its field's type
    )


def _changed(event: Event, **changes: object) -> Event:
    given = EventChanges(**changes)  # type: ignore[arg-type]  # each is of its field's type
    return changed(event, given, lambda: "a", LATER).event


def test_nothing_said_changes_nothing() -> None:
    assert _changed(_task()) == _task()


@pytest.mark.parametrize(
    ("changes", "state", "ended_at"),
    [
        ({"state": EventState.COMPLETE}, EventState.COMPLETE, LATER),
        ({"state": EventState.COMPLETE, "ended_at": NOON}, EventState.COMPLETE, NOON),
        ({"ended_at": NOON}, EventState.COMPLETE, NOON),
        ({"importance": 0.1}, EventState.IN_PROGRESS, None),
    ],
)
def test_what_is_over_has_an_end(changes: dict[str, object], state: EventState, ended_at: datetime | None) -> None:
    """C1: now, where nobody says when."""
    after = _changed(_task(), **changes)

    assert (after.state, after.ended_at) == (state, ended_at)


def test_what_goes_on_again_has_no_end() -> None:
    done = _changed(_task(), state=EventState.COMPLETE)

    again = _changed(done, state=EventState.IN_PROGRESS)

    assert (again.state, again.ended_at) == (EventState.IN_PROGRESS, None)


def test_a_moment_that_is_complete_stays_a_moment() -> None:
    """It took no time, and to say that it is over does not make it last until now."""
    assert _changed(_task(state=EventState.COMPLETE), state=EventState.COMPLETE).ended_at is None


def test_one_that_is_to_begin_later_does_not_end_before() -> None:
    tomorrow = replace(_task(), at=NOON + timedelta(days=1))

    after = _changed(tomorrow, state=EventState.COMPLETE)

    assert after.ended_at == tomorrow.at


def test_secrets_stay_out_of_new_words_and_tags() -> None:
    """C2."""
    after = _changed(_task(), content="Done with sk-live-51H8xQ2eZvKYlo2C0aBcDeFgHiJk", tags=("home", "home", ""))

    assert "51H8xQ2eZvKYlo2C" not in after.content
    assert after.tags == ("home",)


def test_words_too_long_stand_beside_it_and_go_when_they_are_short_again() -> None:
    """C1: whole beside the event, in short in it; what else stands beside it stays named."""
    before = _task(metadata={"attached": ["tool_inputs"]})

    long = changed(before, EventChanges(content="word " * 4_000), lambda: "a", LATER)

    (beside,) = long.attachments
    assert (beside.name, beside.event_id, beside.content) == ("content", "e", "word " * 4_000)
    assert len(long.event.content) == 8_000
    assert long.event.metadata["attached"] == ["content", "tool_inputs"]
    short = changed(long.event, EventChanges(content="Painted."), lambda: "b", LATER)
    assert short.attachments == ()
    assert short.event.metadata["attached"] == ["tool_inputs"]


def test_what_it_is_about_is_told_by_name() -> None:
    assert _changed(_task(), entities=("Shed", " ", "Shed")).metadata["entities"] == ["Shed"]
