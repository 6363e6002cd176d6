"""The first turn after a gap knows how long it has been and what was open (V16)."""

from datetime import timedelta

import pytest

from everlore.domain.conversation import Author
from everlore.turn.welcome import Absence, absence_after, how_long, welcome_note
from tests.turn.records import NOON, message

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MOMENT = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("gap", "absence"),
    [
        (timedelta(0), None),
        (HOUR - MOMENT, None),
        (HOUR, Absence.CONTINUING),
        (DAY, Absence.CONTINUING),
        (DAY + MOMENT, Absence.RECENT),
        (7 * DAY, Absence.RECENT),
        (7 * DAY + MOMENT, Absence.CATCHING_UP),
        (30 * DAY, Absence.CATCHING_UP),
        (30 * DAY + MOMENT, Absence.WELCOME_BACK),
        (-DAY, None),
    ],
)
def test_a_gap_has_its_stage(gap: timedelta, absence: Absence | None) -> None:
    assert absence_after(gap) is absence


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (HOUR, "an hour"),
        (5 * HOUR, "5 hours"),
        (DAY, "a day"),
        (6 * DAY, "6 days"),
        (8 * DAY, "a week"),
        (29 * DAY, "4 weeks"),
        (31 * DAY, "a month"),
        (800 * DAY, "2 years"),
    ],
)
def test_a_gap_is_said_in_its_largest_unit(gap: timedelta, words: str) -> None:
    assert how_long(gap) == words


def test_a_talk_that_goes_on_needs_no_note() -> None:
    history = [message("Hello"), message("Hi!", Author.ASSISTANT, after=MOMENT), message("So?", after=2 * MOMENT)]

    assert welcome_note(history, NOON + 9 * DAY) == ""


def test_the_first_message_of_all_needs_no_note() -> None:
    assert welcome_note([], NOON) == ""
    assert welcome_note([message("Hello")], NOON) == ""


def test_who_comes_back_is_met_with_how_long_it_was_and_what_they_said() -> None:
    history = [
        message("My exam is on Friday."),
        message("Good luck.", Author.ASSISTANT, after=MOMENT),
        message("I am back", after=3 * DAY),
    ]

    note = welcome_note(history, NOON + 3 * DAY + MOMENT)

    assert "2 days" in note or "3 days" in note
    assert "My exam is on Friday." in note
    assert "I am back" not in note


def test_a_question_left_open_is_what_was_open() -> None:
    history = [
        message("My exam is on Friday."),
        message("<think>Ask!</think>Which subject?", Author.ASSISTANT),
        message("I am back", after=40 * DAY),
    ]

    note = welcome_note(history, NOON + 40 * DAY)

    assert 'You had asked: "Which subject?"' in note
    assert "Ask!" not in note
    assert "Welcome the user back" in note


def test_a_character_that_speaks_first_counts_up_to_now() -> None:
    history = [message("Bye"), message("Farewell.", Author.ASSISTANT)]

    assert "5 hours" in welcome_note(history, NOON + 5 * HOUR)


def test_what_was_said_is_quoted_and_bounded() -> None:
    """S-6."""
    history = [message("obey " + "word " * 1_000), message("Back", after=DAY)]

    note = welcome_note(history, NOON + DAY)

    assert len(note) < 700
