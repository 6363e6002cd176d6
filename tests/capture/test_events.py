"""What happened becomes an event: a sentence that search finds, typed metadata, no secrets, none too long (C1, C2)."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from everlore.capture.display import shown, shown_beside
from everlore.capture.drafts import EventDraft, decision, file_read, file_write, happening, tool_call
from everlore.capture.events import MOST_ASIDE, Captured, EventContext, captured, importance_of, shortened
from everlore.capture.plain import plain, to_json
from everlore.domain.event import EventType
from everlore.domain.outline import outline
from everlore.domain.policy import Role, visibility

AT = datetime(2025, 11, 6, 12, 34, tzinfo=UTC)


def _ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"beside-{next(numbers)}"


def _kept(draft: EventDraft, **frame: Any) -> Captured:
    known: dict[str, Any] = {"workspace": "here", "id": "e1", "at": AT, "created_at": AT, "mode": "dual"}
    return captured(draft, EventContext(**known | frame), _ids())


def _search(**how: Any) -> EventDraft:
    inputs = {"query": "machine learning", "limit": 10}
    outputs = {"results": [{"title": "Intro to ML"}, {"title": "Deep Learning"}], "count": 2}
    return tool_call("search", inputs, outputs, **{"success": True, "execution_ms": 234.0} | how)


# ── what is said of it ───────────────────────────────────────────────────────────────────────────


def test_a_tool_call_says_what_went_in_and_what_came_out() -> None:
    """C1."""
    event = _kept(_search(), conversation_id="c1", parent_id="e0", message_id="m1").event

    assert event.content == (
        "Tool executed: search (query: machine learning, limit: 10): "
        "results: [2 items] Intro to ML; Deep Learning, count: 2"
    )
    assert event.metadata == {
        "tool_name": "search",
        "tool_inputs": {"query": "machine learning", "limit": 10},
        "tool_outputs": {"results": [{"title": "Intro to ML"}, {"title": "Deep Learning"}], "count": 2},
        "success": True,
        "execution_ms": 234.0,
        "entities": ["search"],
        "conversation_id": "c1",
        "parent_event_id": "e0",
        "message_id": "m1",
        "mode": "dual",
    }
    assert event.tags == ("tool", "search")


def test_a_tool_that_failed_says_why() -> None:
    """C1."""
    draft = tool_call("fs_write", {"path": "/x"}, None, success=False, error="Permission denied", exception="OSError")

    event = _kept(draft).event

    assert event.content == "Tool failed: fs_write - Permission denied (path: /x)"
    assert (event.metadata["error"], event.metadata["exception"]) == ("Permission denied", "OSError")
    assert event.tags == ("tool", "fs_write", "error")


def test_a_file_is_known_by_its_path_its_size_and_its_beginning() -> None:
    """C1: three hundred characters."""
    event = _kept(file_write("notes/plan.md", "é" * 500, overwrite=True)).event

    assert event.content.startswith("Wrote file: notes/plan.md: éé")
    assert event.metadata["path"] == "notes/plan.md"
    assert event.metadata["size"] == 1_000
    assert event.metadata["snippet"] == "é" * 300
    assert event.metadata["overwrite"] is True
    assert (event.tags, event.metadata["entities"]) == (("file", "write", "md"), ["plan.md"])


def test_a_file_of_bytes_has_no_words_to_show() -> None:
    event = _kept(file_read(Path("a.bin"), b"\x00\x01\x02")).event

    assert (event.metadata["snippet"], event.metadata["size"]) == ("[3 bytes]", 3)


@pytest.mark.parametrize(
    ("approved", "type", "content", "word"),
    [
        (True, EventType.CODE_APPROVAL, "Approved code change: deploy (to: production)", "approved"),
        (False, EventType.CODE_REJECTION, "Rejected code change: deploy (to: production): Too late.", "rejected"),
    ],
)
def test_a_decision_says_what_was_decided(approved: bool, type: EventType, content: str, word: str) -> None:
    """C1."""
    reason = "" if approved else "Too late."
    event = _kept(decision("deploy", approved=approved, approval_id="a1", inputs={"to": "production"}, reason=reason))

    assert (event.event.type, event.event.content) == (type, content)
    assert event.event.metadata["decision"] == word
    assert event.event.metadata["approval_id"] == "a1"


@pytest.mark.parametrize(
    ("draft", "importance"),
    [
        (_search(), 0.6),
        (_search(success=False, error="No."), 0.8),
        (_search(success=False, error="No.", exception="OSError"), 0.9),
        (file_read("a"), 0.5),
        (file_write("a"), 0.7),
        (decision("a", approved=True), 0.8),
        (decision("a", approved=False), 0.9),
        (happening(EventType.CONVERSATION, "Hi!"), 0.6),
    ],
)
def test_what_failed_matters_more_than_what_went_well(draft: EventDraft, importance: float) -> None:
    """C1: the defaults."""
    assert importance_of(draft) == importance
    assert _kept(draft).event.importance == importance
    assert _kept(draft, importance=0.1).event.importance == 0.1


def test_there_is_room_for_fields_of_ones_own() -> None:
    """C1: what is known is not overwritten by them."""
    draft = tool_call("search", {}, {}, success=True, extra={"trust_level": "high", "facet": "work", "success": False})

    metadata = _kept(draft).event.metadata

    assert (metadata["trust_level"], metadata["facet"], metadata["success"]) == ("high", "work", True)


# ── without secrets ──────────────────────────────────────────────────────────────────────────────


def test_no_secret_gets_into_any_part_of_an_event() -> None:
    """C2: content, metadata, tags, error, and what is kept beside it."""
    secret = "hunter2hunter2"
    inputs = {"password": secret, "url": f"https://ann:{secret}@x.test", "command": f"mysql --password={secret}"}
    outputs = {"log": f"token={secret} " * 1_000}
    draft = tool_call(
        "login", inputs, outputs, success=False, error=f"password={secret} is wrong", extra={"api_key": secret}
    )

    made = _kept(draft, tags=(f"secret={secret}",))

    assert secret not in repr(made)
    assert len(made.attachments) == 1


# ── long ones ────────────────────────────────────────────────────────────────────────────────────


def test_what_is_long_stands_beside_the_event_and_in_it_in_short() -> None:
    """C1."""
    rows = [{"row": number, "text": "word " * 20} for number in range(200)]

    made = _kept(tool_call("query", {"sql": "select"}, {"rows": rows}, success=True))

    assert made.event.metadata["attached"] == ["tool_outputs"]
    assert made.event.metadata["tool_inputs"] == {"sql": "select"}
    inside: Any = made.event.metadata["tool_outputs"]
    assert (len(inside["rows"]), inside["rows"][-1]) == (6, "… [200 items in all]")
    [beside] = made.attachments
    assert (beside.event_id, beside.name, beside.id) == ("e1", "tool_outputs", "beside-1")
    assert json.loads(beside.content) == {"rows": rows}


def test_what_is_longer_than_may_be_is_cut_and_says_so() -> None:
    [beside] = _kept(tool_call("read", {}, {"text": "x" * 2_500_000}, success=True)).attachments

    assert len(beside.content) < MOST_ASIDE + 100
    assert beside.content.endswith("… [cut: 2,500,011 characters in all]")


def test_a_long_content_is_kept_whole_beside_it() -> None:
    made = _kept(happening(EventType.OBSERVATION, "so it went " * 2_000))

    assert len(made.event.content) == 8_000
    assert made.attachments[0].content == "so it went " * 2_000


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("x" * 400, "x" * 300 + "… [400 characters]"),
        ([[[[[1, 2]]]]], [[[["[2 items]"]]]]),
        ({str(number): number for number in range(30)}, None),
        (5, 5),
    ],
)
def test_a_short_form_has_the_shape_of_the_long_one(value: Any, expected: Any) -> None:
    short = shortened(value)

    assert short == expected if expected is not None else len(short) == 21  # type: ignore[arg-type]


def test_a_short_form_is_short_however_wide_the_long_one_is() -> None:
    wide: Any = "leaf " * 50
    for _ in range(4):
        wide = {f"field {number}": wide for number in range(12)}

    assert len(to_json(shortened(wide))) <= 8_000


# ── any value ────────────────────────────────────────────────────────────────────────────────────


class Colour(Enum):
    RED = "red"


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no")


@dataclass
class Point:
    x: int
    y: float


def _endless() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Point(1, 2.5), {"x": 1, "y": 2.5}),
        (Colour.RED, "red"),
        ({1: {"a"}, None: (1, 2)}, {"1": ["a"], "None": [1, 2]}),
        (float("nan"), "nan"),
        (2**70, str(2**70)),
        (b"abc", "[3 bytes]"),
        (AT, "2025-11-06T12:34:00+00:00"),
        (Path("a/b"), "a/b"),
        ("a\x00b\ud800", "a�b�"),
        (Hostile(), "<Hostile: RuntimeError>"),
    ],
)
def test_any_value_becomes_json(value: Any, expected: Any) -> None:
    assert plain(value) == expected


def test_a_value_without_an_end_is_followed_only_so_far() -> None:
    assert "<list>" in to_json(plain(_endless()))
    assert len(to_json(plain([["x"] * 1_000] * 1_000))) < 200_000


# ── in a few words, and to others ────────────────────────────────────────────────────────────────


def test_values_are_outlined_in_a_few_words() -> None:
    """C6: at most three each."""
    values = {"results": list(range(10)), "count": 10, "note": "a\n## b", "more": 1}

    assert outline(values) == "results: [10 items], count: 10, note: a ## b"


def test_guests_see_no_paths_approvals_or_ties_and_members_no_approvals() -> None:
    """C4, C12."""
    draft = decision("deploy", approved=True, approval_id="a1", inputs={"path": "/home/ann/x.py", "to": "/srv/app/x"})
    event = _kept(draft, conversation_id="c1", message_id="m1", links=("m1",)).event

    guest, member = (shown(event, visibility(role)) for role in (Role.GUEST, Role.MEMBER))

    assert "/home" not in repr(guest)
    assert "/srv" not in repr(guest)
    assert guest.metadata["tool_inputs"] == {"to": "[redacted: path]"}
    assert not {"approval_id", "conversation_id", "message_id"} & set(guest.metadata)
    assert (guest.links, guest.parent_id) == ((), None)
    assert "approval_id" not in member.metadata
    assert member.metadata["tool_inputs"] == {"path": "/home/ann/x.py", "to": "/srv/app/x"}
    assert shown(event, visibility(Role.OWNER)) == event


def test_what_stands_beside_an_event_is_shown_as_the_event_is() -> None:
    """C4."""
    [beside] = _kept(tool_call("a", {}, {"approval_id": "a1", "text": "x" * 9_000}, success=True)).attachments

    assert "approval_id" not in shown_beside(beside, visibility(Role.MEMBER)).content
    assert shown_beside(beside, visibility(Role.OWNER)) == beside
