"""The parts of the command line, and the judgements of the doctor, that need no process."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from everlore.cli.memories import read_kinds, read_time
from everlore.cli.output import plain, shown
from everlore.domain.job import JobState
from everlore.domain.memory import MemoryType
from everlore.domain.passage import PassageKind
from everlore.errors import BadAsk
from everlore.observe.doctor import CheckState, judge_coverage, judge_health, judge_queue
from everlore.store.answers import Coverage, QueueState, StoreHealth

NOON = datetime(2024, 5, 31, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Shelf:
    at: datetime
    path: Path
    kinds: tuple[MemoryType, ...]
    counts: dict[JobState, int]


def test_plain_turns_our_values_into_those_of_json() -> None:
    shelf = Shelf(NOON, Path("/tmp/x"), (MemoryType.FACT,), {JobState.DEAD: 1})

    assert plain([shelf, None, 1.5]) == [
        {"at": "2024-05-31T12:00:00+00:00", "path": "/tmp/x", "kinds": ["FACT"], "counts": {"dead": 1}},
        None,
        1.5,
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rex\nbarks\tloud", "Rex barks loud"),
        ("\x1b[31mred", "\ufffd[31mred"),
        ("left\u202etfel", "left\ufffdtfel"),
        ("half \ud83d", "half \ufffd"),
        ("crème 🐕", "crème 🐕"),
    ],
)
def test_shown_texts_are_one_line_that_no_terminal_obeys(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_a_time_without_a_zone_is_local() -> None:
    assert read_time("2024-05-31T12:00Z") == NOON
    assert read_time("2024-05-31T14:00+02:00") == NOON
    assert read_time("2024-05-31").utcoffset() is not None
    assert abs(read_time("2024-05-31") - NOON) <= timedelta(hours=27)


@pytest.mark.parametrize("text", ["", "soon", "2024-13-01", "12:30"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(BadAsk, match="is not a time"):
        read_time(text)


def test_kinds_are_named_in_the_plural_or_singular() -> None:
    assert read_kinds("memories, Messages,summary,entities") == [
        PassageKind.MEMORY,
        PassageKind.MESSAGE,
        PassageKind.SUMMARY,
        PassageKind.ENTITY,
    ]
    with pytest.raises(BadAsk, match="memories, messages, summaries, events, entities"):
        read_kinds("dreams")
    with pytest.raises(BadAsk, match="empty"):
        read_kinds(" , ")


@pytest.mark.parametrize(
    ("queue", "state", "fix"),
    [
        (QueueState(False, {}), CheckState.OK, ""),
        (QueueState(False, {JobState.READY: 7}), CheckState.OK, ""),
        (QueueState(False, {JobState.DEAD: 1}), CheckState.WARNING, "jobs list --state dead"),
        (QueueState(True, {JobState.READY: 7}), CheckState.WARNING, "jobs resume"),
    ],
)
def test_the_doctor_on_queues(queue: QueueState, state: CheckState, fix: str) -> None:
    check = judge_queue(queue)

    assert check.state is state
    assert fix in check.fix


def test_the_doctor_on_indexes() -> None:
    assert judge_coverage(Coverage(0, 0)).state is CheckState.OK
    assert judge_coverage(Coverage(9, 9)).state is CheckState.OK
    assert judge_coverage(Coverage(9, 8)).state is CheckState.WARNING
    assert "reindex" in judge_coverage(Coverage(9, 8)).fix


def test_the_doctor_on_databases() -> None:
    sick = StoreHealth("SQLite", "3.45", 3, 2**20, 2**30, ("row 7 is missing from an index",))

    checks = judge_health(sick)

    assert [(check.name, check.state) for check in checks] == [
        ("database", CheckState.OK),
        ("database", CheckState.FAILED),
        ("disk", CheckState.OK),
    ]
    assert "row 7" in checks[1].detail
