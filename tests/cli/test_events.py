"""`event` and `context`, as somebody at a terminal uses them (C1, C6)."""

import json

import pytest

from tests.cli.process import Command


def test_a_tool_call_is_kept_listed_and_shown_without_its_secrets(cli: Command) -> None:
    """C1, C2."""
    inputs = json.dumps({"query": "boats", "password": "hunter2"})
    id = cli.ok("event", "add", "tool_invocation", "--tool", "search", "--inputs", inputs, "--tag", "work").out.strip()

    listed = cli.ok("event", "list", "--type", "tool_invocation").out
    shown = cli.ok("event", "show", id).out
    document = cli.ok("event", "show", id, "--json").document

    assert id in listed
    assert "Tool executed: search (query: boats, password: [redacted: password])" in listed
    assert "importance 0.6" in shown
    assert document["event"]["tags"] == ["tool", "search", "work"]
    assert document["attachments"] == []
    assert "hunter2" not in listed + shown + json.dumps(document)


def test_what_was_too_long_is_shown_whole(cli: Command) -> None:
    outputs = json.dumps({"rows": [f"row number {number}" for number in range(1_000)]})
    add = ("event", "add", "tool_invocation", "--tool", "query", "--outputs", outputs, "--json")
    id = cli.ok(*add).document["event"]["id"]

    shown = cli.ok("event", "show", id).out

    assert "── tool_outputs, whole:" in shown
    assert "row number 999" in shown


def test_events_are_listed_by_time(cli: Command) -> None:
    cli.ok("event", "add", "task", "Book the ferry", "--in-progress", "--importance", "0.9")

    assert "Book the ferry" in cli.ok("event", "list", "--since", "2024-05-31").out
    assert cli.ok("event", "list", "--until", "2024-05-31").out == "No events.\n"


def test_a_task_is_changed_finished_and_deleted(cli: Command) -> None:
    """C1."""
    id = cli.ok("event", "add", "task", "Book the fery", "--in-progress").out.strip()

    cli.ok("event", "change", id, "--content", "Book the ferry", "--importance", "0.9")
    assert cli.ok("event", "show", id, "--json").document["event"]["content"] == "Book the ferry"
    assert "- Book the ferry" in cli.ok("context", "").out
    finished = cli.ok("event", "finish", id, "--json").document
    assert (finished["state"], finished["importance"]) == ("complete", 0.9)
    assert "- Book the ferry" not in cli.ok("context", "").out
    assert cli.ok("event", "delete", id).out == f"Deleted {id}.\n"
    assert cli("event", "show", id).code == 3


def test_the_context_of_an_agent_is_printed_ready_for_its_prompt(cli: Command) -> None:
    """C6."""
    cli.ok("remember", "The user is allergic to peanuts", "--importance", "9")
    cli.ok("event", "add", "tool_invocation", "--tool", "search", "--outputs", '{"results": [1, 2]}')
    cli.ok("event", "add", "task", "Bake a cake", "--in-progress")

    text = cli.ok("context", "allergic to peanuts").out
    document = cli.ok("context", "allergic to peanuts", "--json").document

    assert text.startswith("You are operating in dual mode with full trust for owner user")
    for line in ("- The user is allergic to peanuts", "- Bake a cake", "- ✓ search (just now): results: [2 items]"):
        assert line in text.splitlines()
    assert document["text"] == text.rstrip("\n")
    assert document["fallback_used"] is False


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("event", "add", "party", "x"), 2, "it must be one of"),
        (("event", "add", "dream"), 2, "must say what happened"),
        (("event", "add", "tool_invocation", "--tool", "x", "--inputs", "{"), 2, "--inputs is no JSON"),
        (("event", "show", "nope"), 3, "nope"),
        (("event", "list", "--since", "yesterday"), 2, "is not a time"),
        (("event", "list", "--conversation", "nope"), 3, "nope"),
        (("context", "x", "--budget", "5"), 2, "budget_tokens"),
        (("context", "x", "--person", "Nobody"), 3, "Nobody"),
    ],
)
def test_what_cannot_be_is_said(cli: Command, args: tuple[str, ...], code: int, says: str) -> None:
    done = cli(*args)

    assert done.code == code
    assert says in done.err
