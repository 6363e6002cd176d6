"""SillyTavern's requests, as they came over the wire (scripts/clients/shapes.py): what they mean (9-surfaces)."""

import json
from pathlib import Path
from typing import Any

import pytest

from everlore.server.openai.history_alignment import HistoryAlignment, RequestedAction, meaning
from everlore.server.openai.line_alignment import KnownLine
from everlore.server.openai.request_parsing import ParsedRequest, RequestKind, read, spoken_of

SHAPES: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "sillytavern_shapes.json").read_text())
ACTS = {"swipe": RequestedAction.AGAIN, "continue": RequestedAction.GO_ON}
QUIET = ("impersonate", "quiet", "group: another's turn")


def read_of(shape: dict[str, Any]) -> ParsedRequest:
    raw = shape["messages"]
    return read(spoken_of(raw, [each["content"] for each in raw]), character="Maren", user="User")


def log_of(shape: dict[str, Any]) -> list[KnownLine]:
    authors = [author for author, _, _ in shape["log"]]
    return [
        KnownLine(
            id=str(at),
            is_user=author == "user",
            text=text,
            versions=tuple(versions),
            reply_id=str(at + 1) if author == "user" and authors[at + 1 : at + 2] == ["assistant"] else "",
        )
        for at, (author, text, versions) in enumerate(shape["log"])
    ]


def followed(log: list[KnownLine], meant: HistoryAlignment) -> list[str]:
    """The log as it is then, but for the reply that is to be written."""
    changed = dict(meant.changed)
    staying = [changed.get(each.id, each.text) for each in log if each.id not in (*meant.gone, meant.reply_id)]
    return [*staying, *(line.text for line in meant.new)]


@pytest.mark.parametrize("name", [name for name in SHAPES if not name.endswith(QUIET)])
def test_the_log_becomes_what_sillytavern_shows(name: str) -> None:
    shape = SHAPES[name]
    found, log = read_of(shape), log_of(shape)

    meant = meaning(found.lines, log)

    assert found.kind is RequestKind.TURN
    assert meant.act is ACTS.get(name.rpartition(": ")[2], RequestedAction.SAY)
    assert followed(log, meant) == [_told(line, name) for line in shape["shown"][:-1]]


@pytest.mark.parametrize("name", [name for name in SHAPES if name.endswith(QUIET)])
def test_what_is_asked_beside_the_talk_is_no_part_of_it(name: str) -> None:
    assert read_of(SHAPES[name]).kind is RequestKind.QUIET


@pytest.mark.parametrize("name", ["first line", "strict: first line", "single: first line"])
def test_the_examples_of_a_card_are_not_said(name: str) -> None:
    found = read_of(SHAPES[name])

    assert "Nothing is far by boat." in found.instructions
    assert [line.is_user for line in found.lines] == [False, True]


def _told(line: str, name: str) -> str:
    """In a group, who else said it is told with it."""
    others = name.startswith("group") and line.startswith("The lamp")
    return f"Rex: {line}" if others else line
