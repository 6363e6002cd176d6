"""remember, recall and forget, as somebody at a terminal uses them."""

import pytest

from tests.cli.process import Command
from tests.waiting import eventually


def test_recall_finds_by_words_at_once_and_by_meaning_after_a_worker_ran(cli: Command) -> None:
    """M14: nothing waits for an embedding."""
    id = cli.ok("remember", "The dog of Tom is called Rex").out.strip()

    by_words = cli.ok("recall", "who is Rex?", "--explain").out
    before = cli.ok("recall", "pet animal", "--json").document
    with cli.started("worker") as worker:
        assert worker.line() == "Ready: 1 worker running."
        _wait_for_an_empty_queue(cli)
    after = cli.ok("recall", "pet animal", "--json").document

    assert id in by_words
    assert "meaning not compared" in by_words
    assert "0 of 1 texts are in the vector index" in by_words
    assert before == {"items": [], "coverage": {"passages": 1, "embedded": 0, "share": 0.0}}
    assert [hit["id"] for hit in after["items"]] == [id]
    assert after["items"][0]["parts"]["vector"] > 0.2
    assert after["coverage"]["share"] == 1.0


def test_what_is_known_is_said_and_what_contradicts_it_is_settled(cli: Command) -> None:
    """M7, M8: the id stands alone on standard output, and what became of it on standard error."""
    first = cli.ok("remember", "Pim lives in Seattle")
    again = cli.ok("remember", "Pim lives in Seattle")
    other = cli.ok("remember", "Pim lives in Portland")
    moved = cli.ok("remember", "Pim moved to Bonn", "--json").document
    lines = cli.ok("remember", "--lines", stdin="Pim moved to Bonn\nPim likes tea\nPim likes tea\n")
    both = cli.ok("remember", "Pim likes tea", "--force", "--json").document

    id = first.out.strip()
    assert (first.err, again.out) == ("", first.out)
    assert again.err == f"reinforced: {id} already says this: “Pim lives in Seattle”\n"
    assert other.err.startswith(
        f"pending: {other.out.strip()} contradicts “Pim lives in Seattle” ({id}), and it is not clear"
    )
    assert f"`everlore memories approve {other.out.strip()}`" in other.err
    assert (moved["outcome"], moved["against"]) == ("superseded", [id])
    bonn, tea, same = lines.out.splitlines()
    assert (bonn, same) == (moved["id"], tea)
    assert [each.split(":")[0] for each in lines.err.splitlines()] == ["reinforced", "reinforced"]
    assert both["outcome"] == "formed"
    assert both["id"] != tea


def test_what_is_doubtful_is_marked(cli: Command) -> None:
    """R2b: it has a word of what was asked, and is about something else."""
    cli.ok("remember", "The dog of Tom is called Rex")
    asked = ("recall", "How many moons does the planet of the dog star have?")

    (hit,) = cli.ok(*asked, "--json").document["items"]
    shown = cli.ok(*asked).out.splitlines()[0]
    plain = cli.ok("recall", "the dog called Rex").out.splitlines()[0]

    assert hit["doubtful"] is True
    assert shown.endswith("The dog of Tom is called Rex  (doubtful)")
    assert plain.endswith("The dog of Tom is called Rex")


def _wait_for_an_empty_queue(cli: Command) -> None:
    eventually(lambda: cli.ok("stats", "--json").document["queue"]["pending"] == 0)


def test_a_memory_comes_back_as_json_with_all_that_was_said_of_it(cli: Command) -> None:
    options = ["--type", "preference", "--importance", "9", "--tag", "food", "--tag", "tea"]

    kept = cli.ok("remember", "Mira likes green tea", *options, "--json").document
    found = cli.ok("recall", "green tea", "--type", "preference", "--json").document
    other = cli.ok("recall", "green tea", "--type", "fact").out

    assert (kept["content"], kept["type"], kept["importance"]) == ("Mira likes green tea", "PREFERENCE", 9)
    assert kept["tags"] == ["food", "tea"]
    (hit,) = found["items"]
    assert {**hit["record"], "outcome": "formed", "against": []} == kept
    assert (hit["kind"], hit["id"], hit["type"]) == ("memory", kept["id"], "PREFERENCE")
    assert other.startswith("No memories found.")


def test_a_pair_is_the_same_pair_whoever_is_named_first(cli: Command) -> None:
    """M4."""
    unknown = cli("remember", "They met in Oslo", "--person", "Mira", "--with", "Don")
    cli.ok("remember", "They met in Oslo", "--person", "Mira", "--with", "Don", "--create-person")

    found = cli.ok("recall", "Oslo", "--person", "Don", "--with", "Mira").out
    alone = cli("recall", "Oslo", "--with", "Mira")

    assert unknown.code == 3
    assert "no person called 'Mira'" in unknown.err
    assert "--create-person" in unknown.err
    assert "They met in Oslo" in found
    assert alone.code == 2
    assert "partner was named without a person" in alone.err


def test_lines_are_kept_all_or_none(cli: Command) -> None:
    refused = cli("remember", "--lines", stdin="Rex barks\n" + "x" * 30_000 + "\n")
    counted = cli.ok("stats", "--json").document["counts"]["memory"]
    kept = cli.ok("remember", "--lines", "--json", stdin="Rex barks\n\nDon sings\r\nMike paints").document

    assert refused.code == 2
    assert "30,000 characters" in refused.err
    assert counted == 0
    assert [memory["content"] for memory in kept["items"]] == ["Rex barks", "Don sings", "Mike paints"]


def test_forget_deletes_what_it_knows_and_names_what_it_does_not(cli: Command) -> None:
    first, second = cli.ok("remember", "--lines", stdin="Rex barks\nRex sleeps\n").out.split()

    forgotten = cli("forget", first, "nope", second, "--json")
    left = cli.ok("recall", "Rex", "--json").document["items"]

    assert forgotten.code == 3
    assert forgotten.document == {"forgotten": [first, second], "unknown": ["nope"]}
    assert forgotten.error["type"] == "NotFound"
    assert "'nope'" in forgotten.error["message"]
    assert left == []


def test_what_was_said_never_speaks_to_the_terminal(cli: Command) -> None:
    """S-6: text from outside is data."""
    cli.ok("remember", "-", stdin="Rex \x1b[2J\x1b]0;owned\x07 barks\nand sleeps\n")

    out = cli.ok("recall", "Rex").out

    assert "\x1b" not in out
    assert "\x07" not in out
    assert "barks and sleeps" in out


def test_a_time_asks_what_was_known_then(cli: Command) -> None:
    cli.ok("remember", "Rex barks")

    assert "Rex barks" in cli.ok("recall", "Rex", "--as-of", "2999-01-01").out
    assert "No memories found" in cli.ok("recall", "Rex", "--as-of", "2001-01-01T00:00Z").out


def test_workspaces_do_not_see_each_other(cli: Command) -> None:
    cli.ok("remember", "Rex barks", "--workspace", "home")

    assert "Rex barks" in cli.ok("recall", "Rex", "--workspace", "home").out
    assert "No memories found" in cli.ok("recall", "Rex").out


@pytest.mark.parametrize(
    ("args", "stdin", "sentence"),
    [
        (["remember", "  "], b"", "content is empty"),
        (["remember", "-"], b"a\x00b", "NUL character"),
        (["remember", "-"], b"\xff\xfe\xfa", "not UTF-8"),
        (["remember", "-"], b"x" * 10_000_000, "10,000,000 characters; the most is 20,000"),
        (["remember"], b"", "nothing to remember"),
        (["remember", "--lines"], b"\n \n", "input was empty"),
        (["remember", "--lines", "Rex"], b"", "Leave one of them out"),
        (["remember", "Rex", "--type", "RUMOUR"], b"", "must be one of FACT"),
        (["remember", "Rex", "--importance", "11"], b"", "between 1 and 10"),
        (["remember", "Rex", "--with", "Mira"], b"", "without --person"),
        (["recall", "Rex", "--as-of", "yesterday"], b"", "is not a time"),
        (["recall", "Rex", "--include", "memories,dreams"], b"", "knows no 'dreams'"),
        (["recall", "Rex", "--limit", "0"], b"", "whole number from 1"),
        (["recall"], b"", "Missing argument"),
        (["jobs", "list", "--state", "tired"], b"", "no state 'tired'"),
    ],
)
def test_a_bad_ask_is_answered_with_one_sentence_and_exit_code_2(
    cli: Command, args: list[str], stdin: bytes, sentence: str
) -> None:
    done = cli(*args, stdin=stdin)

    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert done.err.startswith("everlore: ")
    assert done.err.count("\n") == 1
