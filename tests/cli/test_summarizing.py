"""summarize and summaries, as somebody at a terminal does (C7)."""

from tests.cli.process import Command


def _talked(cli: Command, *said: str) -> str:
    cli.ok("chat", stdin="".join(f"{each}\n" for each in said))
    id: str = cli.ok("conversations", "--json").document["items"][0]["id"]
    return id


def test_a_talk_is_summed_up_without_any_server_or_model(cli: Command) -> None:
    """C7, O1: the command does the work itself, and quotes."""
    idle = cli.having(EVERLORE_QUEUE__WORKERS="0")
    id = _talked(idle, "I have decided to plant 40 apple trees.", "They need water.", "And light.")

    none = idle.ok("summaries", id)
    first = idle.ok("summarize", id)
    shown = idle.ok("summaries", id)
    document = idle.ok("summaries", id, "--level", "0", "--json").document
    again = idle.ok("summarize", id, "--no-wait")

    assert none.out == "No summaries. `everlore summarize CONVERSATION` makes one.\n"
    assert first.err.startswith("Summarizing …")
    assert first.out.startswith("messages 1–3  level 0  quoted\n  ")
    assert "I have decided to plant 40 apple trees." in first.out
    assert shown.out == first.out
    assert [(each["first_seq"], each["extractive"]) for each in document["items"]] == [(1, True)]
    assert again.out == "Queued. A server or `everlore worker` will run it.\n"


def test_an_unknown_conversation_is_said(cli: Command) -> None:
    failed = cli("summarize", "nix")

    assert failed.code == 3
    assert "`everlore conversations` lists them" in failed.err
