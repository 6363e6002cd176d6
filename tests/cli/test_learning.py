"""extract, keyframe, analyze, what came of them, and `memories` to look after it, as somebody at a terminal does."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from everlore.domain.reading import Filter
from tests.cli.process import Command
from tests.house.pages import follow
from tests.house.tree import ROOT
from tests.models.chat_server import ChatServer, failing
from tests.server.thinking import facts, thinking

ANALYSIS: dict[str, Any] = {
    "memories": [],
    "summary": "The user told of a move to Portland.",
    "themes": ["moving"],
    "tone": "calm",
    "emotional_arc": ["calm"],
    "participants": ["User", "Nova"],
    "key_topics": ["Portland"],
}


@pytest.fixture
def idle(cli: Command) -> Command:
    """Nothing is done in the background while somebody talks."""
    return cli.having(EVERLORE_QUEUE__WORKERS="0")


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def with_model(idle: Command, model: ChatServer) -> Command:
    return idle.having(
        EVERLORE_CHAT__PROVIDER="openai",
        EVERLORE_CHAT__BASE_URL=model.url,
        EVERLORE_CHAT__MODEL="fine-model",
        EVERLORE_CHAT__RETRIES="0",
    )


def _talked(cli: Command, *said: str, private: bool = False) -> str:
    """The id of a conversation in which that was said."""
    cli.ok("chat", *(["--private"] if private else []), stdin="".join(f"{each}\n" for each in said))
    id: str = cli.ok("conversations", "--json").document["items"][0]["id"]
    return id


def _formed(document: Any) -> list[str]:
    return [each["content"] for each in document["formed"]]


# ── asked for ────────────────────────────────────────────────────────────────────────────────────


def test_what_the_user_said_is_read_for_facts_without_any_server(idle: Command) -> None:
    """O1, M16: the command does the work itself, and says that it does."""
    id = _talked(idle, "I live in Seattle.", "My brother Tom is a pilot.")

    first = idle.ok("extract", id)
    again = idle.ok("extract", id, "--again", "--json").document
    rest = idle.ok("extract", id)

    assert "User lives in Seattle" in first.out
    assert first.err.startswith("Working on 2 jobs …")
    assert (len(again["jobs"]), again["formed"]) == (2, [])
    assert rest.out == "No new messages.\n"


def test_what_is_not_waited_for_waits_in_the_queue(idle: Command) -> None:
    id = _talked(idle, "I live in Seattle.")

    queued = idle.ok("extract", id, "--no-wait")
    before = idle.ok("memories", "list").out
    waited = idle.ok("extract", id, "--json").document

    assert queued.out == "Queued 1 job. A server or `everlore worker` will run it.\n"
    assert queued.err == ""
    assert before == "No memories.\n"
    assert _formed(waited) == ["User lives in Seattle"]


def test_a_model_is_asked_and_what_it_made_up_is_shown_with_the_filter(with_model: Command, model: ChatServer) -> None:
    """F4, F5, F8."""
    model.scenario = thinking(facts=facts("User has a dog named Rex", "User greeted Nova"))
    id = _talked(with_model, "Hello Nova, I live in Seattle.")

    formed = with_model.ok("extract", id, "--json").document
    shown = with_model.ok("refused", id).out
    items = with_model.ok("refused", "--json").document["items"]
    one = with_model.ok("refused", "--filter", "conversation_action", "--json").document["items"]
    counts = with_model.ok("refused", "--counts", "--json").document

    assert _formed(formed) == ["User lives in Seattle"]
    assert "User has a dog named Rex" in shown
    assert {each["content"] for each in items} == {"User has a dog named Rex", "User greeted Nova"}
    assert [each["content"] for each in one] == ["User greeted Nova"]
    assert {each["model"] for each in items} == {"fine-model"}
    assert set(counts) == {each.value for each in Filter}
    assert sum(counts.values()) == 2
    assert counts["conversation_action"] == 1


def test_an_analysis_is_made_and_shown(with_model: Command, model: ChatServer) -> None:
    """W1, W3."""
    model.scenario = thinking(facts=facts(), analysis=ANALYSIS)
    id = _talked(with_model, "I moved to Portland in March.")
    with_model.ok("extract", id)

    before = with_model.ok("analyses", id).out
    made = with_model.ok("analyze", id).out
    shown = with_model.ok("analyses", id).out
    (kept,) = with_model.ok("analyses", id, "--json").document["items"]

    assert before == "No analyses. `everlore analyze CONVERSATION` makes one.\n"
    assert made == "No new memories; `everlore analyses` shows the analysis.\n"
    assert "The user told of a move to Portland." in shown
    assert "themes: moving" in shown
    assert (kept["tone"], kept["trigger"], kept["model"]) == ("calm", "asked", "fine-model")


def test_a_model_that_fails_is_said_at_once(with_model: Command, model: ChatServer) -> None:
    """The queue goes on trying; whoever waits is told why nothing came."""
    model.scenario = thinking(facts=facts(), analysis=failing(503, "loading model"))
    id = _talked(with_model, "I moved to Portland in March.")

    done = with_model("analyze", id)

    assert done.code == 7
    assert "loading model" in done.err
    assert "tried again" in done.err


def test_interactions_are_listed_with_who_and_how_it_came_out(with_model: Command, model: ChatServer) -> None:
    """K3, K4."""
    model.scenario = thinking(
        facts=facts(),
        summary={"summary": "The user sold the map to the baron."},
        memories={"memories": []},
        interaction={
            "type": "BETRAY",
            "description": "The user sold the map to the baron.",
            "actor_outcome": "UNFAVORABLE",
            "interactor_outcome": "FAVORABLE",
        },
    )
    id = _talked(with_model, "I sold the map to the baron.", "I betrayed you, Nova.")
    before = with_model.ok("interactions", id).out
    with_model.ok("keyframe", id)

    shown = with_model.ok("interactions", id).out
    (item,) = with_model.ok("interactions", id, "--json").document["items"]

    assert before.startswith("No interactions.")
    assert "BETRAY (negative)" in shown
    assert "Nova → User" in shown
    assert (item["type"], item["actor_outcome"], item["state"]) == ("BETRAY", "UNFAVORABLE", "complete")


def test_the_timeline_says_what_happened_and_with_whom(idle: Command) -> None:
    """K5."""
    empty = idle.ok("timeline").out
    id = _talked(idle, "Hello!")

    shown = idle.ok("timeline", "--person", "Nova").out
    (event,) = idle.ok("timeline", "--since", "2020-01-01", "--type", "interact", "--json").document["items"]
    earlier = idle.ok("timeline", "--until", "2020-01-01", "--json").document
    unknown = idle("timeline", "--person", "Nobody")

    assert empty == "No events.\n"
    assert "[Nova, User]" in shown
    assert (event["conversation_id"], event["state"]) == (id, "in_progress")
    assert earlier == {"items": [], "next": None}
    assert unknown.code == 3
    assert "`everlore characters` lists who is here" in unknown.err


# ── looked after ─────────────────────────────────────────────────────────────────────────────────


def test_a_memory_is_shown_with_where_it_came_from(idle: Command) -> None:
    """M5."""
    id = _talked(idle, "I live in Seattle.")
    (memory,) = idle.ok("extract", id, "--json").document["formed"]

    listed = idle.ok("memories", "list", "--conversation", id, "--origin", "Extractor", "--type", "fact").out
    shown = idle.ok("memories", "show", memory["id"]).out
    source = idle.ok("memories", "source", memory["id"]).out
    (message,) = idle.ok("memories", "source", memory["id"], "--json").document["items"]

    assert listed == f"FACT  {memory['id']}  User lives in Seattle\n"
    assert "FACT, personal_info, of Nova, User; active, made by extractor" in shown
    assert source.rstrip().endswith("User: I live in Seattle.")
    assert (message["id"], message["display_content"]) == (memory["source_message_ids"][0], "I live in Seattle.")


def test_a_correction_closes_the_wrong_one_and_its_history_says_why(idle: Command) -> None:
    """M6, M11."""
    id = _talked(idle, "I live in Seattle.")
    (wrong,) = idle.ok("extract", id, "--json").document["formed"]

    right = idle.ok(
        "memories", "correct", wrong["id"], "-", "--note", "I moved", "--json", stdin="User lives in Salem\n"
    )
    idle.ok("extract", id, "--again")

    (before,) = idle.ok("memories", "history", wrong["id"], "--json").document["items"]
    assert (right.document["content"], right.document["origin"]) == ("User lives in Salem", "user")
    assert (before["why"], before["by"], before["note"]) == ("correction", "user", "I moved")
    assert "then correction by user: I moved" in idle.ok("memories", "history", wrong["id"]).out
    active = idle.ok("memories", "list", "--status", "active", "--json").document["items"]
    assert [each["content"] for each in active] == ["User lives in Salem"]


def test_memories_are_rejected_marked_wrong_and_brought_back(idle: Command) -> None:
    """M10, M11."""
    one, two = (each.strip() for each in idle.ok("remember", "--lines", stdin="Rex barks\nDon sings\n").out.split())

    idle.ok("memories", "reject", one, "--note", "A rumour")
    marked = idle.ok("memories", "correct", two).out
    twice = idle("memories", "reject", one)
    restored = idle.ok("memories", "restore", one, "--json").document

    assert marked == f"Marked wrong: {two}  Don sings\n"
    assert twice.code == 4
    assert "is rejected" in twice.err
    assert restored["status"] == "active"
    assert idle.ok("memories", "list", "--status", "rejected").out.endswith("Don sings  (rejected)\n")


def test_memories_that_wait_are_approved(idle: Command) -> None:
    """M10."""
    id = _talked(idle, "I live in Seattle.")
    with idle.started("serve", "--port", "0") as server:
        changed = {"config": {"review_memories": True}}
        assert httpx.patch(f"{server.line()}/api/conversations/{id}", json=changed).status_code == 200
    idle.ok("extract", id)

    (waiting,) = idle.ok("memories", "list", "--status", "pending", "--json").document["items"]
    before = idle.ok("recall", "Seattle").out
    approved = idle.ok("memories", "approve", waiting["id"]).out

    assert before.startswith("No memories found.")
    assert approved == "Approved: User lives in Seattle\n"
    assert "User lives in Seattle" in idle.ok("recall", "Seattle").out


# ── refused ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("args", "code", "sentence"),
    [
        (["extract", "nope"], 3, "There is no Conversation 'nope' in this workspace. `everlore conversations`"),
        (["keyframe", "nope", "--no-wait"], 3, "There is no Conversation 'nope'"),
        (["interactions", "nope"], 3, "There is no Conversation 'nope'"),
        (["refused", "--filter", "boring"], 2, "There is no filter 'boring'. Possible: conversation_action"),
        (["refused", "--limit", "0"], 2, "whole number from 1"),
        (["timeline", "--since", "yesterday"], 2, "is not a time"),
        (["timeline", "--type", "party"], 2, "no event of type 'party'"),
        (["memories", "list", "--status", "sleepy"], 2, "--status knows no 'sleepy'. Possible: pending, active"),
        (["memories", "list", "--cursor", "rubbish"], 2, "cursor"),
        (["memories", "correct", "nope", "x"], 3, "There is no Memory 'nope'"),
        (["memories", "approve"], 2, "Missing argument"),
    ],
)
def test_what_cannot_be_is_answered_with_one_sentence(cli: Command, args: list[str], code: int, sentence: str) -> None:
    done = cli(*args)

    assert (done.code, done.out) == (code, "")
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_nothing_is_learnt_of_a_private_talk(idle: Command) -> None:
    """F6."""
    id = _talked(idle, "I live in Seattle.", private=True)

    refused = idle("extract", id, "--json")

    assert (refused.code, refused.error["type"]) == (2, "BadAsk")
    assert "private" in refused.error["message"]


def test_an_analysis_without_a_model_says_what_to_do(idle: Command) -> None:
    """W1."""
    id = _talked(idle, "I live in Seattle.")

    done = idle("analyze", id)

    assert done.code == 2
    assert "needs a language model" in done.err


def test_a_paused_queue_is_not_waited_for(idle: Command) -> None:
    """F7."""
    id = _talked(idle, "I live in Seattle.")
    idle.ok("jobs", "pause")

    done = idle("extract", id, "--json")

    assert done.code == 2
    assert "everlore jobs resume" in done.error["message"]


def test_what_was_said_never_speaks_to_the_terminal(idle: Command) -> None:
    """S-6."""
    idle.ok("remember", "-", stdin="Rex \x1b[2J\x07 barks\n")
    (memory,) = idle.ok("memories", "list", "--json").document["items"]

    out = idle.ok("memories", "list").out + idle.ok("memories", "show", memory["id"]).out

    assert "barks" in out
    assert "\x1b" not in out
    assert "\x07" not in out


# ── the page about it ────────────────────────────────────────────────────────────────────────────


@pytest.mark.skipif(shutil.which("curl") is None, reason="the page uses curl")
def test_the_commands_on_the_page_about_learning_do_what_it_says(idle: Command, tmp_path: Path) -> None:
    follow(ROOT / "docs" / "learning.md", idle, tmp_path, with_server=True)
