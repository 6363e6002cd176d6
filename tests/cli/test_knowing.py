"""Who knows what, as somebody at a terminal asks it: why-not, gossip, knowers, knowledge, partners, tell, misses."""

from inspect import signature

import pytest

from everlore.cli.knowledge import gossip
from everlore.turn.gossip import LIMIT, THRESHOLD
from tests.cli.process import Command

KEY = "Rex hid the silver key under the old mill"


@pytest.fixture
def memory(cli: Command) -> str:
    """What Mike and Rex share; Don and Ann are strangers to it."""
    id = cli.ok("remember", KEY, "--person", "Mike", "--with", "Rex", "--create-person").out.strip()
    cli.ok("remember", "Don and Ann bake bread", "--person", "Don", "--with", "Ann", "--create-person")
    return id


def test_recall_explains_why_and_what_was_dropped_and_where(cli: Command) -> None:
    """R5."""
    best = cli.ok("remember", KEY).out.strip()
    other = cli.ok("remember", "Rex hid the golden spoon under the old bridge").out.strip()

    document = cli.ok("recall", KEY, "--limit", "1", "--explain", "--json").document
    lines = cli.ok("recall", KEY, "--limit", "1", "--explain").out.splitlines()
    plain = cli.ok("recall", KEY, "--json").document

    (hit,), (dropped,) = document["items"], document["dropped"]
    assert (hit["id"], dropped["id"]) == (best, other)
    assert hit["why"]
    assert hit["parts"]["text"] > 0
    assert dropped["step"]
    assert dropped["why"]
    assert document["steps"]
    assert f"  FACT  {best}  {KEY}" in lines[0]
    assert lines[1].strip() == hit["why"]
    assert "meaning not compared · words " in lines[2]
    assert f"  dropped at {dropped['step']}  {other}  " in lines[3]
    assert lines[4].strip() == dropped["why"]
    assert not {"dropped", "steps"} & set(plain)


def test_why_not_names_the_step_that_drops_a_memory(cli: Command, memory: str) -> None:
    """R5; the words of a question need no quotes."""
    found = cli.ok("why-not", memory, *KEY.split(), "--json").document
    unknown = cli.ok("why-not", memory, KEY, "--person", "Don", "--json").document
    said = cli.ok("why-not", memory, KEY, "--type", "goal").out

    assert (found["memory_id"], found["step"], found["place"]) == (memory, None, 1)
    assert (unknown["step"], unknown["place"]) == ("scope", None)
    assert "doesn't know it" in unknown["why"]
    assert said == "Dropped at scope. The search is limited to other types. This memory is of type FACT.\n"


def test_hearsay_is_told_and_traced(cli: Command, memory: str) -> None:
    """R7, R11: gossip until it is known."""
    could = cli.ok("gossip", "Mike", KEY, "--exclude", "Don", "--json").document
    to_rex = cli.ok("gossip", "Mike", KEY, "--exclude", "Rex").out
    told = cli.ok("tell", memory, "--from", "Mike", "--to", "Don").out
    on = cli.ok("tell", memory, "--from", "Don", "--to", "Ann", "--json").document
    no_more = cli.ok("gossip", "Mike", KEY, "--exclude", "Don").out
    who = cli.ok("knowers", memory, "--json").document
    lines = cli.ok("knowers", memory).out.splitlines()
    before = cli.ok("knowers", memory, "--as-of", "2001-01-01").out

    assert [each["id"] for each in could["items"]] == [memory]
    assert to_rex == no_more == "No gossip found.\n"
    assert told == "Told, second-hand (1 step), certainty 0.80.\n"
    assert (on["memory_id"], on["degree"]) == (memory, 2)
    by_name = {each["name"]: each for each in who["items"]}
    assert {name: each["how"] for name, each in by_name.items()} == {
        "Mike": "authored",
        "Rex": "authored",
        "Don": "told",
        "Ann": "told",
    }
    assert by_name["Ann"]["from_name"] == "Don"
    assert by_name["Ann"]["chain"] == [by_name["Mike"]["person_id"], by_name["Don"]["person_id"]]
    assert lines[-1].startswith("Ann ")
    assert "told by Mike → Don, second-hand (2 steps), certainty 0.64" in lines[-1]
    assert before == "No one.\n"


def test_what_somebody_knows_and_with_whom(cli: Command, memory: str) -> None:
    """R8, R11."""
    cli.ok("tell", memory, "--from", "Mike", "--to", "Don")

    knows = cli.ok("knowledge", "Don", "--json").document
    first = cli.ok("knowledge", "Don", "--limit", "1").out
    nothing = cli.ok("knowledge", "Don", "--as-of", "2001-01-01").out
    sharing = cli.ok("partners", "Don", "--json").document
    lines = cli.ok("partners", "Don").out
    cli.ok("remember", "Eve sleeps", "--person", "Eve", "--create-person")
    nobody = cli.ok("partners", "Eve").out

    assert {each["memory"]["content"]: (each["how"], each["degree"]) for each in knows["items"]} == {
        "Don and Ann bake bread": ("authored", 0),
        KEY: ("told", 1),
    }
    assert "(more: --cursor " in first
    assert nothing == "Nothing found.\n"
    assert [(each["name"], each["memories"]) for each in sharing["items"]] == [("Ann", 1)]
    assert "1 memory " in lines
    assert lines.endswith("Ann\n")
    assert nobody == "No one.\n"


def test_messages_for_which_nothing_came_back_are_listed(cli: Command) -> None:
    """R12."""
    before = cli.ok("misses").out
    cli.ok("chat", stdin="Whereabouts is the upholsterer's warehouse?\n")

    after = cli.ok("misses").out
    document = cli.ok("misses", "--json").document

    assert before == "No searches without a result.\n"
    assert "Whereabouts is the upholsterer's warehouse?" in after
    assert [each["query"] for each in document["items"]] == ["Whereabouts is the upholsterer's warehouse?"]
    assert document["next"] is None


def test_gossip_is_as_the_library_has_it() -> None:
    """The library is not loaded for --help, and so its numbers are written twice."""
    options = signature(gossip).parameters

    assert (options["limit"].default, options["threshold"].default) == (LIMIT, THRESHOLD)


@pytest.mark.parametrize(
    ("args", "code", "sentence"),
    [
        (["why-not", "nope", "Rex"], 3, "no Memory 'nope'"),
        (["why-not", "nope"], 2, "Missing argument"),
        (["why-not", "nope", "Rex", "--as-of", "soon"], 2, "is not a time"),
        (["knowers", "nope"], 3, "no Memory 'nope'"),
        (["knowledge", "Nobody"], 3, "no person called 'Nobody'"),
        (["knowledge", "User", "--as-of", "yesterday"], 2, "is not a time"),
        (["partners", "Nobody"], 3, "no person called 'Nobody'"),
        (["gossip", "Nobody", "Rex"], 3, "no person called 'Nobody'"),
        (["gossip", "User", "Rex", "--exclude", "Nobody"], 3, "no person called 'Nobody'"),
        (["gossip", "User", "Rex", "--exclude", "User"], 2, "themselves"),
        (["gossip", "User", "Rex", "--threshold", "1.5"], 2, "between 0 and 1"),
        (["gossip", "User", "Rex", "--threshold", "nan"], 2, "between 0 and 1"),
        (["gossip", "User", "Rex", "--limit", "0"], 2, "--limit"),
        (["tell", "nope", "--from", "User"], 2, "--to"),
        (["tell", "nope", "--from", "User", "--to", "User"], 3, "no Memory 'nope'"),
        (["misses", "--cursor", "rubbish"], 2, "cursor"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(cli: Command, args: list[str], code: int, sentence: str) -> None:
    cli.ok("remember", "There is a user")

    done = cli(*args)

    assert (done.code, done.out) == (code, ""), done
    assert sentence in done.err
    assert done.err.startswith("everlore: ")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("query", ["", "🦊🔥", 'NEAR("a" AND b* OR -c', "'; --", "%_*"])
def test_no_question_is_too_odd(cli: Command, query: str) -> None:
    """S-5."""
    memory = cli.ok("remember", KEY).out.strip()

    for args in (
        ["recall", "--explain", "--", query],
        ["why-not", memory, "--", query],
        ["gossip", "User", "--", query],
    ):
        done = cli(*args)

        assert done.code in (0, 2), done
        assert "This is a bug" not in done.err
