"""`everlore chat`: in a terminal, in a pipe, and for programs; with a model server of our own, or the voice."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.cli.chat_options import person_meant
from everlore.cli.output import shown_text
from everlore.cli.slash import Command as Slash
from everlore.cli.slash import Words, read_line, read_number
from everlore.domain.person import Person
from everlore.errors import BadAsk
from everlore.wiring import now
from tests.cli.process import EVERLORE, Command, Done
from tests.cli.terminal import CTRL_C, CTRL_D, Terminal
from tests.models.chat_server import TEXT, ChatServer, Exchange
from tests.waiting import PATIENCE_S

MENDED = "Trust the tide."


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def talker(cli: Command, model: ChatServer) -> Command:
    """A command whose replies come from `model`, at the first try or not at all; titles come from elsewhere."""
    return cli.having(
        EVERLORE_ANALYSIS__PROVIDER="voice",
        EVERLORE_CHAT__PROVIDER="openai",
        EVERLORE_CHAT__BASE_URL=model.url,
        EVERLORE_CHAT__MODEL="fine-model",
        EVERLORE_CHAT__RETRIES="0",
        EVERLORE_EMBEDDING__PROVIDER="hashing",
    )


@pytest.fixture
def voiced(cli: Command) -> Command:
    """A command that nobody but the built-in voice answers."""
    return cli.having(EVERLORE_CHAT__PROVIDER="voice", EVERLORE_EMBEDDING__PROVIDER="hashing")


def _answering(text: str) -> Any:
    async def answer(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.text([text])
        await exchange.finish()
        await exchange.end()

    return answer


def _turns(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.out.splitlines()]


def _history(cli: Command) -> list[dict[str, Any]]:
    """The messages of the latest conversation, as they are kept."""
    (shown,) = _turns(cli.ok("chat", "--continue", "--json", stdin="/history 100\n"))
    items: list[dict[str, Any]] = shown["items"]
    return items


def _said(messages: list[dict[str, Any]]) -> list[str]:
    return [each["display_content"] for each in messages]


# ── in a terminal ────────────────────────────────────────────────────────────────────────────────


def test_a_fresh_workspace_has_somebody_to_talk_to_without_any_model(voiced: Command) -> None:
    with Terminal(voiced, "chat") as terminal:
        told = terminal.sees("Nova: Hello!")
        terminal.sees("> ")
        terminal.says("My name is Tom.")
        terminal.sees("Nova: ")
        terminal.sees("> ")
        terminal.presses(CTRL_D)
        code = terminal.ends()

    assert "No language model is connected" in told
    assert "OPENAI_API_KEY" in told
    assert code == 0
    greeting, said, reply = _history(voiced)
    assert greeting["author"] == "assistant"
    assert said["display_content"] == "My name is Tom."
    assert reply["state"] == "complete"
    assert reply["built_in"] is True


def test_a_reply_comes_word_by_word(talker: Command, model: ChatServer) -> None:
    """V2: what is written is seen before the rest is there."""
    model.script += ["stall"]

    with Terminal(talker, "chat") as terminal:
        told = terminal.sees("> ")
        terminal.says("When does it leave?")
        terminal.sees("Nova: The ferry")
        model.release()
        rest = terminal.sees("> ")
        terminal.presses(CTRL_D)
        code = terminal.ends()

    assert f"fine-model answers (openai at {model.url})" in told
    assert "leaves at dawn." in rest
    assert code == 0


def test_ctrl_c_stops_a_reply_and_keeps_what_there_is(talker: Command, model: ChatServer) -> None:
    """V2."""
    model.script += ["stall"]

    with Terminal(talker, "chat") as terminal:
        terminal.sees("> ")
        terminal.says("When does it leave?")
        terminal.sees("The ferry")
        terminal.presses(CTRL_C)
        terminal.sees("[stopped]")
        terminal.sees("> ")
        terminal.says("/continue")
        terminal.sees("Nova: … ")
        terminal.sees("leaves at dawn.")
        terminal.sees("> ")
        terminal.presses(CTRL_C)
        code = terminal.ends()
        echoes = terminal.echoes

    assert code == 0
    assert echoes
    assert model.hung_up.wait(PATIENCE_S)
    reply = _history(talker)[-1]
    assert reply["display_content"].startswith("The ferry")
    assert reply["state"] == "complete"


def test_ctrl_c_throws_half_a_line_away_and_ends_on_an_empty_one(talker: Command) -> None:
    with Terminal(talker, "chat") as terminal:
        terminal.sees("> ")
        terminal.types("half a line")
        terminal.sees("half a line")
        terminal.presses(CTRL_C)
        terminal.sees("> ")
        terminal.says("first \\")
        terminal.sees("… ")
        terminal.presses(CTRL_C)
        terminal.sees("> ")
        terminal.says("a whole one")
        terminal.sees(TEXT)
        terminal.sees("> ")
        terminal.presses(CTRL_C)
        code = terminal.ends()

    assert code == 0
    assert _said(_history(talker))[1:] == ["a whole one", TEXT]


def test_a_model_that_fails_is_said_and_can_be_tried_again(talker: Command, model: ChatServer) -> None:
    """V1: the message is kept."""
    model.script += ["500"]

    with Terminal(talker, "chat") as terminal:
        terminal.sees("> ")
        terminal.says("Hello?")
        told = terminal.sees("(/retry tries again)")
        terminal.sees("> ")
        terminal.says("/retry")
        terminal.sees(TEXT)
        terminal.sees("> ")
        terminal.says("/retry")
        refused = terminal.sees("/regenerate")
        terminal.sees("> ")
        terminal.says("/quit")
        code = terminal.ends()

    assert "[failed]" in told
    assert model.root in told
    assert "The last reply is complete" in refused
    assert code == 0
    assert _said(_history(talker))[1:] == ["Hello?", TEXT]


def test_whom_to_talk_to_is_asked_where_there_are_several(talker: Command, tmp_path: Path) -> None:
    for name in ("Ada", "Bo"):
        card = tmp_path / f"{name}.json"
        card.write_text(json.dumps({"name": name, "description": "A sailor.", "first_mes": f"{name} here."}))
        talker.ok("import", str(card))

    with Terminal(talker, "chat") as terminal:
        terminal.sees("2  Bo")
        terminal.sees("? ")
        terminal.says("7")
        terminal.sees("No character has that number")
        terminal.says("2")
        terminal.sees("Bo here.")
        terminal.sees("> ")
        terminal.presses(CTRL_D)
        chosen = terminal.ends()
    with Terminal(talker, "chat") as terminal:
        terminal.sees("? ")
        terminal.presses(CTRL_D)
        declined = terminal.ends()
    piped = talker("chat", stdin="hello\n")

    assert (chosen, declined) == (0, 0)
    assert piped.code == 2
    assert "There are 2 characters" in piped.err


# ── in a pipe ────────────────────────────────────────────────────────────────────────────────────


def test_in_a_pipe_every_line_is_answered_and_nothing_else_is_printed(talker: Command, model: ChatServer) -> None:
    done = talker.ok(
        "chat", "--model", "other-model", stdin="Hello\n\nfirst \\\nsecond\n//shrug\n/nonsense\nstill here\\"
    )

    assert done.out == f"{TEXT}\n" * 4
    assert "Chatting with Nova" in done.err
    assert "no command /nonsense" in done.err
    asked = [each.body["messages"][-1]["content"] for each in model.asked_to_chat]
    # What is said to the model for this turn alone stands before the words.
    assert [each.rpartition("</mcp:context>\n\n")[2] for each in asked] == [
        "Hello",
        "first \nsecond",
        "/shrug",
        "still here",
    ]
    assert model.asked_to_chat[0].body["model"] == "other-model"


def test_in_a_pipe_the_last_failure_is_the_exit_code(talker: Command, model: ChatServer) -> None:
    model.by_model["fine-model"] = "500"

    failed = talker("chat", stdin="Hello\n")
    as_json = talker("chat", "--json", stdin="Hello\n")
    model.by_model["fine-model"] = "fine"
    model.script += ["500"]
    mended = talker("chat", stdin="Hello\n/retry\n")

    assert failed.code == 7
    assert model.root in failed.err
    assert as_json.code == 7
    assert as_json.error["type"] == "ModelMisbehaved"
    assert as_json.document["reply"]["state"] == "failed"
    assert mended.code == 0
    assert TEXT in mended.out


def test_json_is_one_object_a_turn(talker: Command) -> None:
    first, second = _turns(talker.ok("chat", "--json", stdin="Hello\n/r\n"))

    assert first["user_message"]["display_content"] == "Hello"
    assert first["user_message"]["author"] == "user"
    reply = first["reply"]
    assert (reply["display_content"], reply["state"], reply["error"]) == (TEXT, "complete", "")
    assert (reply["model"], reply["built_in"], reply["name"]) == ("fine-model", False, "Nova")
    assert second["user_message"] is None
    assert (second["reply"]["id"], second["reply"]["alternatives"]) == (reply["id"], [TEXT, TEXT])


def test_ctrl_c_in_a_pipe_keeps_what_there_is_and_ends(talker: Command, model: ChatServer) -> None:
    """V12."""
    model.script += ["stall"]
    process = subprocess.Popen(
        [EVERLORE, "chat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=talker.env,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )

    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"Hello\nand more\n")
        process.stdin.flush()
        begun = process.stdout.read(len("The ferry"))
        process.send_signal(signal.SIGINT)
        code = process.wait(PATIENCE_S)

    assert begun == b"The ferry"
    assert code == 130
    messages = _history(talker)
    assert _said(messages)[1:] == ["Hello", "The ferry "]
    assert messages[-1]["state"] == "stopped"


def test_a_chat_whose_output_nobody_can_read_ends(talker: Command) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [EVERLORE, "chat"],
            input=b"Hello\nAgain\n",
            stdout=full,
            stderr=subprocess.PIPE,
            env=talker.env,
            check=False,
        )

    assert done.returncode == 5
    assert done.stderr.count(b"The output cannot be written") == 1
    said, reply = _said(_history(talker))[1:]
    assert said == "Hello"
    assert TEXT.startswith(reply)


def test_input_that_is_no_text_is_refused(talker: Command) -> None:
    done = talker("chat", stdin=b"\xff\xfe\n")

    assert done.code == 2
    assert "not UTF-8" in done.err


def test_what_the_model_says_never_speaks_to_the_terminal(talker: Command, model: ChatServer) -> None:
    """S-6."""
    model.script += [_answering("Look:\r\n\x1b[2J\x1b]0;owned\x07 left\u202etfel")]

    out = talker.ok("chat", stdin="Hello\n").out

    assert out == "Look:\n\ufffd[2J\ufffd]0;owned\ufffd left\ufffdtfel\n"


def test_thoughts_are_not_shown(talker: Command, model: ChatServer) -> None:
    """V4."""
    model.script += [_answering("<think>Who is that?</think>Hello!")]

    assert talker.ok("chat", stdin="Hi\n").out == "Hello!\n"


# ── which conversation ───────────────────────────────────────────────────────────────────────────


def test_a_conversation_goes_on_where_it_was(talker: Command, model: ChatServer) -> None:
    talker.ok("chat", stdin="I live in Oslo\n")
    (listed,) = talker.ok("conversations", "--json").document["items"]

    talker.ok("chat", "Nova", "--continue", "--private", stdin="And you?\n")
    with Terminal(talker, "chat", "Nova", "--conversation", listed["id"]) as terminal:
        shown = terminal.sees("> ")
        terminal.presses(CTRL_D)
        terminal.ends()
    (still,) = talker.ok("conversations", "--json").document["items"]

    assert listed["characters"][0]["name"] == "Nova"
    assert listed["private"] is False
    assert "User: I live in Oslo" in shown
    assert "User: And you?" in shown
    assert (still["id"], still["private"], still["messages"]) == (listed["id"], True, 5)
    assert any("I live in Oslo" in each["content"] for each in model.asked_to_chat[-1].body["messages"])


def test_a_chat_in_which_nobody_spoke_leaves_nothing_behind(talker: Command) -> None:
    talker.ok("chat", stdin="")
    empty = talker.ok("conversations", "--json").document["items"]
    talker.ok("chat", stdin="Hello\n/new\n/new\n/history\n")
    talker.ok("chat", "--continue", stdin="")

    assert empty == []
    assert [each["messages"] for each in talker.ok("conversations", "--json").document["items"]] == [3]


def test_continuing_where_nothing_was_starts_anew(talker: Command) -> None:
    assert talker.ok("chat", "--continue", stdin="Hello\n").out == f"{TEXT}\n"


@pytest.mark.parametrize(
    ("args", "code", "sentence"),
    [
        (["Zed"], 3, "`everlore characters` lists who is here"),
        (["--conversation", "nope"], 3, "nope"),
        (["--continue", "--conversation", "nope"], 2, "Leave one of them out"),
    ],
)
def test_a_chat_that_cannot_be_is_explained(talker: Command, args: list[str], code: int, sentence: str) -> None:
    done = talker("chat", *args, stdin="Hello\n")

    assert (done.code, done.out) == (code, "")
    assert sentence in done.err


# ── commands ─────────────────────────────────────────────────────────────────────────────────────


def _versions(cli: Command, model: ChatServer) -> None:
    model.script += [_answering("Yes."), _answering("No.")]
    cli.ok("chat", "--json", stdin="Shall we?\n/regenerate\n")


def test_versions_of_a_reply_are_kept_and_chosen_among(talker: Command, model: ChatServer) -> None:
    """V2."""
    _versions(talker, model)

    done = talker("chat", "--continue", stdin="/prev\n/prev\n/next\n/swipe 1\n/swipe 5\n/swipe x\n")

    assert done.out == "(1 of 2)\nNova: Yes.\n(2 of 2)\nNova: No.\n(1 of 2)\nNova: Yes.\n"
    assert done.err.count("has 2 versions") == 2
    assert "'x' is not a number" in done.err
    assert done.code == 2
    assert _said(_history(talker))[-1] == "Yes."


def test_a_message_in_other_words_is_answered_anew(talker: Command, model: ChatServer) -> None:
    model.script += [_answering("Yes."), _answering(MENDED)]

    first, second = _turns(talker.ok("chat", "--json", stdin="Shall we sail?\n/edit Whom shall we trust?\n"))

    assert second["user_message"]["id"] == first["user_message"]["id"]
    assert second["user_message"]["display_content"] == "Whom shall we trust?"
    assert second["reply"]["display_content"] == MENDED
    assert _said(_history(talker))[1:] == ["Whom shall we trust?", MENDED]
    assert model.asked_to_chat[1].body["messages"][-1]["content"] == "Whom shall we trust?"


def test_the_last_exchange_can_be_deleted(talker: Command) -> None:
    done = talker("chat", stdin="/delete\nHello\nAgain\n/delete\n/r\n/delete\n/r\n")

    assert "You have not sent a message yet" in done.err
    assert done.out.count("Deleted 2 messages.") == 2
    assert len(_history(talker)) == 1


def test_a_branch_shares_the_past_and_a_new_conversation_does_not(talker: Command) -> None:
    script = "Hello\n/title Ferries\n/branch\nOnly here\n/new\n/who\nAnew\n"

    *_, branched, only, fresh, who, _ = _turns(talker.ok("chat", "--json", stdin=script))
    listed = talker.ok("conversations", "--json").document["items"]

    counts = {each["id"]: (each["messages"], each["title"]) for each in listed}
    assert len(counts) == 3
    assert counts[branched["conversation_id"]][0] == 5
    assert only["reply"]["conversation_id"] == branched["conversation_id"]
    assert counts[fresh["conversation_id"]][0] == 3
    assert who["conversation_id"] == fresh["conversation_id"]
    assert [each["name"] for each in who["characters"]] == ["Nova"]
    assert (3, "Ferries") in counts.values()


def test_what_is_remembered_is_known(talker: Command, model: ChatServer) -> None:
    """V17, M14."""
    keeping = "/remember\n/remember I am allergic to peanuts\nI like peanut butter\n/pin The day we met\n"

    done = talker("chat", stdin=f"{keeping}/recall peanut butter, peanuts\nAny peanuts?\n")
    found = talker.ok("recall", "the day we met", "--json").document["items"]

    assert "Something is missing" in done.err
    assert "fact: I am allergic to peanuts" in done.out
    assert "said: User: I like peanut butter" in done.out
    prompt = " ".join(each["content"] for each in model.asked_to_chat[-1].body["messages"])
    assert "allergic to peanuts" in prompt
    assert (found[0]["content"], found[0]["type"]) == ("The day we met", "MOMENT")
    assert len(found[0]["record"]["source_message_ids"]) == 2


def test_nothing_of_a_private_chat_is_found_later(talker: Command) -> None:
    talker.ok("chat", "--private", stdin="The treasure is under the oak\n/private\nThe rum is in the shed\n")

    private = talker.ok("recall", "treasure", "--include", "messages", "--json").document["items"]
    open_ = talker.ok("recall", "rum", "--include", "messages", "--json").document["items"]

    # What was said in the open may be near it, and what was answered stands beside it, and comes behind.
    assert open_[0]["content"] == "The rum is in the shed"
    assert not any("treasure" in each["content"] for each in [*private, *open_])


def test_a_chat_is_saved_as_a_file_and_overwrites_none(talker: Command, tmp_path: Path) -> None:
    """V9."""
    path = tmp_path / "talk.jsonl"

    done = talker("chat", stdin=f"Hello\n/save {path}\n/save {path}\n")

    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("mes") for line in lines][2:] == ["Hello", TEXT]
    assert "already" in done.err
    assert done.code == 2


def test_help_lists_every_command(talker: Command) -> None:
    out = talker.ok("chat", stdin="/help\n").out

    wanted = "regenerate continue retry swipe next prev edit delete branch history remember recall pin title who save"
    assert all(f"/{name}" in out for name in [*wanted.split(), "private", "new", "quit"])


# ── pure ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("hello", Words("hello")),
        ("//shrug", Words("/shrug")),
        (" /not a command", Words(" /not a command")),
        ("/R", Slash("r", "")),
        ("/edit  two\nlines ", Slash("edit", "two\nlines")),
        ("/", Slash("", "")),
    ],
)
def test_a_line_is_said_or_done(line: str, meant: Words | Slash) -> None:
    assert read_line(line) == meant


@given(st.text())
def test_any_text_can_be_said(text: str) -> None:
    assert read_line(f"/{text}" if text.startswith("/") else text) == Words(text)


@pytest.mark.parametrize("given", ["0", "-1", "x", "1.5", "99999", "²"])
def test_what_is_no_number_is_refused(given: str) -> None:
    with pytest.raises(BadAsk, match="not a number"):
        read_number(given, example="/swipe 2")


@given(st.text(), st.integers(0, 100))
def test_pieces_of_a_text_are_shown_like_the_whole(text: str, place: int) -> None:
    shown = shown_text(text)

    assert shown == shown_text(text[:place]) + shown_text(text[place:])
    assert not {each for each in shown if ord(each) < 32} - {"\n", "\t"}


def test_a_person_is_meant_by_number_or_by_name() -> None:
    people = [
        Person(workspace="w", id=name, name=name, created_at=now(), updated_at=now()) for name in ("Ada", "Bo", "bo")
    ]

    assert person_meant(people, "1") is people[0]
    assert person_meant(people, "ADA") is people[0]
    assert person_meant(people, "bo") is None
    assert person_meant(people, "4") is None
    assert person_meant(people, "") is None
