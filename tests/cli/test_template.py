"""template: list, show, lint, render, variables, save, versions, diff, delete (P1, P5, P12)."""

import json
from pathlib import Path
from typing import Any

import pytest

from everlore.cli.template import read_config
from everlore.errors import BadAsk
from tests.cli.process import Command

LETTERS: dict[str, Any] = {
    "name": "Letters",
    "description": "For the post.",
    "sections": {
        "identity": {"order": 10, "content": ["You write letters as ${system.fullName}."]},
        "memory": {"order": 70, "content": ["${memory.context}"]},
    },
}
POSTCARDS: dict[str, Any] = {"name": "Postcards", "extends": "Letters"}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    _written(folder / "letters.json", LETTERS)
    _written(folder / "postcards.json", POSTCARDS)
    return folder


def _written(path: Path, document: object) -> str:
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    return str(path)


# ── kept ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_template_is_saved_in_versions_compared_and_deleted(cli: Command, files: Path) -> None:
    """P1."""
    first = cli.ok("template", "save", str(files / "letters.json"))
    second = cli.ok("template", "save", "-", "--json", stdin=json.dumps(LETTERS | {"style": "long"})).document
    versions = cli.ok("template", "versions", "Letters", "--json").document
    plain = cli.ok("template", "versions", "Letters").out
    diff = cli.ok("template", "diff", "Letters", "1", "2").out
    same = cli.ok("template", "diff", "Letters", "2", "2").out
    gone = cli.ok("template", "delete", "Letters").out

    assert first.out.startswith("Saved Letters, version 1 (")
    assert first.err == ""
    assert (second["version"], second["style"], second["warnings"], second["notes"]) == (2, "long", [], [])
    assert [each["version"] for each in versions["items"]] == [2, 1]
    assert [line.split()[0] for line in plain.splitlines()] == ["2", "1"]
    assert '+  "style": "long",' in diff
    assert same == "No differences.\n"
    assert gone == f"Deleted Letters ({second['id']}).\n"
    assert cli("template", "show", "Letters").code == 3


def test_templates_are_listed_with_those_that_come_along_first(cli: Command, files: Path) -> None:
    """P7."""
    cli.ok("template", "save", str(files / "letters.json"))

    lines = cli.ok("template", "list").out.splitlines()
    document = cli.ok("template", "list", "--json").document

    assert "sms-chat  SMS Chat (built-in, extends Base Roleplay): " in lines[6]
    assert lines[7].endswith("Letters (version 1): For the post.")
    assert [each["built_in"] for each in document["items"]] == [True] * 7 + [False]


def test_what_is_shown_can_be_saved_under_another_name(cli: Command) -> None:
    """P1."""
    shown = cli.ok("template", "show", "SMS Chat").out
    document = cli.ok("template", "show", "sms-chat", "--json").document

    copy = json.loads(shown) | {"name": "Telegrams"}
    cli.ok("template", "save", "-", stdin=json.dumps(copy))

    assert document["document"] == json.loads(shown)
    assert {"name": "user", "origin": "Base Roleplay"} in document["sections"]
    assert {"name": "identity", "origin": "SMS Chat"} in document["sections"]
    assert json.loads(cli.ok("template", "show", "Telegrams").out) == copy


def test_what_a_terminal_would_obey_is_shown_as_an_escape(cli: Command) -> None:
    """S-6."""
    document = {"name": "A", "sections": {"one": {"content": ["\x9b2J \u202e ${memory.context}"]}}}
    cli.ok("template", "save", "-", stdin=json.dumps(document))

    shown = cli.ok("template", "show", "A").out

    assert "\\u009b2J \\u202e" in shown
    assert json.loads(shown) == document


def test_saving_says_what_the_author_may_not_have_meant(cli: Command) -> None:
    """P5, P7, P14."""
    flat = {"name": "Old", "system": ["Hello ${nope}."], "races": ["elf"]}

    done = cli.ok("template", "save", "-", stdin=json.dumps(flat))

    assert "warning: sections.system.content: There is no variable ${nope}." in done.err
    assert "warning: sections: There is no place for memory." in done.err
    assert "warning: races is left out" in done.err


# ── lint ─────────────────────────────────────────────────────────────────────────────────────────


def test_lint_finds_parents_among_the_files(cli: Command, files: Path) -> None:
    """P3."""
    postcards, letters = str(files / "postcards.json"), str(files / "letters.json")

    together = cli.ok("template", "lint", postcards, letters)
    alone = cli("template", "lint", postcards)
    cli.ok("template", "save", letters)
    saved = cli.ok("template", "lint", postcards)

    assert together.out == f"{postcards}: ok\n{letters}: ok\n"
    assert alone.code == 2
    assert f"{postcards}: extends: Template 'Postcards' extends 'Letters', which does not exist." in alone.out
    assert saved.out == f"{postcards}: ok\n"


def test_lint_says_each_problem_on_a_line_with_the_file(cli: Command, files: Path) -> None:
    """P1, P5: warnings do not fail, problems do."""
    unwise = _written(files / "unwise.json", {"name": "U", "sections": {"one": {"content": "Hello."}}})
    wrong = _written(files / "wrong.json", {"name": "W", "sections": {"one": {"order": "x"}, "two": {"content": 5}}})
    unknown = _written(files / "unknown.json", {"name": "V", "sections": {"one": {"content": "${a} ${b}"}}})
    (files / "broken.json").write_text('{"name": \n', encoding="utf-8")
    broken, missing = str(files / "broken.json"), str(files / "missing.json")

    warned = cli.ok("template", "lint", unwise)
    failed = cli("template", "lint", wrong, unknown, broken, missing, unwise)
    document = cli("template", "lint", wrong, unwise, "--json")

    assert warned.out.startswith(f"{unwise}: warning: sections: There is no place for memory.")
    assert (failed.code, failed.err) == (2, "")
    lines = failed.out.splitlines()
    assert lines[0].startswith(f"{wrong}: sections.one.order: It must be a whole number.")
    assert lines[1].startswith(f"{wrong}: sections.two.content: ")
    assert lines[2].startswith(f"{unknown}: sections.one.content: There is no variable ${{a}}.")
    assert lines[3].startswith(f"{unknown}: sections.one.content: There is no variable ${{b}}.")
    assert f"{broken}: '{broken}' is not JSON: Expecting value: line 2 column 1" in failed.out
    assert f"{missing}: '{missing}' cannot be read" in failed.out
    assert (document.code, document.document["ok"]) == (2, False)
    assert [each["valid"] for each in document.document["items"]] == [False, True]
    assert document.document["items"][0]["errors"][0]["field"] == "sections.one.order"


def test_lint_reads_standard_input(cli: Command) -> None:
    done = cli.ok("template", "lint", "-", stdin=json.dumps(LETTERS))

    assert done.out == "-: ok\n"


# ── render ───────────────────────────────────────────────────────────────────────────────────────


def test_a_prompt_is_printed_with_its_roles(cli: Command, files: Path) -> None:
    """P12: of a file, of a saved template, and of standard input alike."""
    letters = str(files / "letters.json")

    of_file = cli.ok("template", "render", letters, "--message", "Who is there?")
    of_input = cli.ok("template", "render", "-", "--message", "Who is there?", stdin=json.dumps(LETTERS))
    cli.ok("template", "save", letters)
    saved = cli.ok("template", "render", "Letters", "--message", "Who is there?")

    assert of_file.out.startswith("[system]\nYou write letters as Mira Holm.\n\n[user]\n")
    assert of_file.out.endswith("\nWho is there?\n")
    assert "\n[assistant]\n" in of_file.out
    assert of_file == of_input == saved


def test_the_account_adds_the_sections_with_their_tokens(cli: Command) -> None:
    """P12."""
    text = cli.ok("template", "render", "Base Roleplay", "--account", "--set", "include_scene=true").out
    document = cli.ok("template", "render", "Base Roleplay", "--account", "--json").document
    bare = cli.ok("template", "render", "Base Roleplay", "--json").document

    account = text.rpartition("\n\n")[2].splitlines()
    assert account[0].split()[0] == "identity"
    assert any(line.split()[0] == "scene" and line.endswith("start") for line in account)
    assert any(line.split()[0] == "memory" and line.endswith("late") for line in account)
    assert "reserved for the reply." in account[-1]
    assert document["account"]["memories"][0]["section"] == "memory"
    assert set(bare) == {"messages", "warnings"}


def test_the_config_is_set_field_by_field(cli: Command) -> None:
    """P2."""
    episode = 'episodes=[{"name": "The storm", "guidance": "Bring them together."}]'

    plain = cli.ok("template", "render", "base-roleplay").out
    done = cli.ok("template", "render", "base-roleplay", "--set", episode, "--set", "rating=M").out

    assert "The storm" not in plain
    assert "Episode 1 of 1: The storm" in done
    assert "rated M" in done


def test_a_template_is_rendered_for_a_character_and_for_a_conversation(cli: Command) -> None:
    """P12: nothing is written by it."""
    cli.ok("remember", "Vera keeps bees", "--person", "Vera", "--create-person")
    cli.ok("chat", "Vera", stdin="Good morning!\n")
    (talk,) = cli.ok("conversations", "--json").document["items"]
    counts = cli.ok("stats", "--json").document["counts"]

    alone = cli.ok("template", "render", "agent", "--character", "Vera").out
    told = cli.ok(
        "template", "render", "base-roleplay", "--conversation", talk["id"], "--message", "Do you keep bees?"
    ).out

    assert "You are Vera" in alone
    assert "Good morning!" in told
    assert "Vera keeps bees" in told
    assert told.endswith("\nDo you keep bees?\n")
    assert cli.ok("stats", "--json").document["counts"] == counts


def test_a_template_without_a_slot_is_warned_of(cli: Command) -> None:
    """P14."""
    done = cli.ok("template", "render", "-", stdin='{"name": "A", "sections": {"one": {"content": "Hello."}}}')

    assert "Robin is allergic to peanuts." in done.out
    assert done.err == "warning: The template has no place for memory (${memory.context}); it was added.\n"


def test_variables_are_listed(cli: Command) -> None:
    """P5, P13."""
    lines = cli.ok("template", "variables").out.splitlines()
    items = cli.ok("template", "variables", "--json").document["items"]

    assert any(line.split()[:3] == ["memory.context", "each", "turn"] for line in lines)
    assert ("system.firstName", "steady") in [(each["name"], each["pace"]) for each in items]
    assert len(items) == len(lines)


# ── refused ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("args", "code", "sentence"),
    [
        (["show", "Nope"], 3, "There is no template 'Nope'. Known: 'Agent'"),
        (["render", "Nope"], 3, "There is no template 'Nope'"),
        (["render", "x" * 290], 3, "There is no template 'xxx"),
        (["render", "nope.json"], 2, "'nope.json' cannot be read"),
        (["render", "agent", "--set", "include_scene"], 2, "has no value. Write it like --set include_scene=true"),
        (["render", "agent", "--set", "colour=red"], 2, "There is no chat setting 'colour'"),
        (["render", "agent", "--character", "Zed"], 3, "no person called 'Zed'"),
        (["render", "agent", "--conversation", "nope"], 3, "nope"),
        (["delete", "agent"], 2, "comes with Everlore and stays as it is"),
        (["delete", "Nope"], 3, "There is no template 'Nope'"),
        (["versions", "agent"], 2, "comes with Everlore"),
        (["diff", "Nope", "1", "2"], 3, "There is no template 'Nope'"),
        (["diff", "agent", "one", "2"], 2, "Invalid value for 'FROM'"),
        (["save", "nope.json"], 2, "'nope.json' cannot be read"),
        (["lint"], 2, "Missing argument"),
        (["dance"], 2, "dance"),
    ],
    ids=lambda each: " ".join(each)[:40] if isinstance(each, list) else None,
)
def test_what_cannot_be_done_is_explained(cli: Command, args: list[str], code: int, sentence: str) -> None:
    done = cli("template", *args, "--json")

    assert (done.code, done.out) == (code, "")
    assert sentence in done.error["message"]


@pytest.mark.parametrize(
    ("document", "code", "sentence"),
    [
        ('{"name": "A", "sections": {"one": {"content": "${nope}"}}}', 2, "There is no variable ${nope}"),
        ('{"name": "A", "extends": "B"}', 2, "extends 'B', which does not exist"),
        ("[1]", 2, "'-' holds a list. A template is one JSON object."),
        ("nonsense", 2, "'-' is not JSON"),
        ('{"name": "\\ud800"}', 2, "half of a character"),
        (b"\xff\xfe\x00", 2, "'-' is not UTF-8"),
    ],
    ids=["unknown variable", "parent", "list", "no JSON", "half a character", "no UTF-8"],
)
def test_a_file_that_cannot_be_rendered_is_explained(
    cli: Command, document: str | bytes, code: int, sentence: str
) -> None:
    """P5."""
    done = cli("template", "render", "-", stdin=document)

    assert (done.code, done.out) == (code, "")
    assert sentence in done.err


def test_a_template_that_comes_with_everlore_is_not_written_over(cli: Command) -> None:
    done = cli("template", "save", "-", stdin='{"name": "Agent", "sections": {}}')

    assert done.code == 4
    assert "There is a template 'Agent' already" in done.err


# ── pure ─────────────────────────────────────────────────────────────────────────────────────────


def test_values_of_the_config_are_json_where_that_makes_sense() -> None:
    given = ["include_scene=true", "message_trim=4", "setting=1984", "template=a=b", "rating=M", 'image_tags=["sea"]']

    assert read_config(given) == {
        "include_scene": True,
        "message_trim": 4,
        "setting": "1984",
        "template": "a=b",
        "rating": "M",
        "image_tags": ["sea"],
    }
    with pytest.raises(BadAsk, match="has no value"):
        read_config(["setting"])
