"""import and export of cards and chats, and the lists of who and what is here (V9)."""

import json
from pathlib import Path
from typing import Any

import pytest

from everlore.cli.interchange import is_chat, read_format
from everlore.interchange.pngfile import SIGNATURE
from tests.cli.process import Command
from tests.interchange.exports import chatgpt, claude, zipped

CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Mira",
        "description": "A pilot of small boats.",
        "first_mes": "Ahoy!",
        "tags": ["sea"],
        "character_book": {"entries": [{"keys": ["oslo"], "content": "A port.", "enabled": True, "extensions": {}}]},
        "extensions": {"own": {"kept": True}},
    },
}
CHAT: list[dict[str, Any]] = [
    {"user_name": "Tom", "character_name": "Mira", "chat_metadata": {}},
    {"name": "Mira", "is_user": False, "mes": "Ahoy!", "send_date": "2024-05-31T20:00:00Z"},
    {"name": "Tom", "is_user": True, "mes": "Hello", "send_date": "2024-05-31T20:01:00Z"},
    {"name": "Mira", "is_user": False, "mes": "Two.", "swipes": ["One.", "Two."], "swipe_id": 1},
]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "mira.json").write_text(json.dumps(CARD, indent=2))
    (folder / "a-chat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in CHAT))
    return folder


def test_cards_and_chats_come_in_together_and_say_what_became_of_them(cli: Command, files: Path) -> None:
    """The chat stands first, and still finds the character of the card."""
    done = cli.ok("import", str(files / "a-chat.jsonl"), str(files / "mira.json"))
    people = cli.ok("characters", "--json").document
    talks = cli.ok("conversations", "--json").document

    assert "mira.json: Character Card V2 (JSON) → character Mira" in done.out
    assert "kept      The lorebook with 1 entry." in done.out
    assert "a-chat.jsonl: SillyTavern chat (JSONL) → conversation a-chat" in done.out
    assert "kept      3 messages." in done.out
    assert ("Mira", "character", ["sea"]) in [(each["name"], each["kind"], each["tags"]) for each in people["items"]]
    (talk,) = talks["items"]
    assert (talk["title"], talk["messages"], talk["characters"][0]["name"]) == ("a-chat", 3, "Mira")


def test_an_export_of_chatgpt_or_claude_comes_in_once(cli: Command, files: Path) -> None:
    """U18: the zip, or the file inside; beside a card."""
    (files / "chatgpt.zip").write_bytes(zipped([chatgpt()]))
    (files / "conversations.json").write_text(json.dumps([claude()]))
    several = ("import", str(files / "chatgpt.zip"), str(files / "conversations.json"), str(files / "mira.json"))

    done, again = cli.ok(*several), cli.ok("import", str(files / "chatgpt.zip"))
    talks = cli.ok("conversations", "--json").document

    assert "chatgpt.zip: ChatGPT export → conversations 1 new chat, 0 already here" in done.out
    assert "conversations 0 new chats, 1 already here" in again.out
    assert {(each["title"], each["characters"][0]["name"]) for each in talks["items"]} == {
        ("Ferry times", "ChatGPT"),
        ("Bread", "Claude"),
    }


def test_a_chat_with_a_stranger_needs_a_name(cli: Command, files: Path) -> None:
    refused = cli("import", str(files / "a-chat.jsonl"))
    cli.ok("remember", "Sails", "--person", "Don", "--create-person")
    named = cli.ok("import", str(files / "a-chat.jsonl"), "--character", "Don", "--json").document
    unknown = cli("import", str(files / "a-chat.jsonl"), "--character", "Zed")

    assert refused.code == 2
    assert "The chat is with 'Mira'" in refused.err
    assert "--character NAME" in refused.err
    (item,) = named["items"]
    assert (item["kind"], item["report"]["format"]) == ("conversation", "SillyTavern chat (JSONL)")
    assert unknown.code == 2
    assert "no person called 'Zed'" in unknown.err


def test_a_bad_file_does_not_keep_the_others_out(cli: Command, files: Path) -> None:
    (files / "broken.png").write_bytes(SIGNATURE + b"garbage")
    (files / "notes.txt").write_text("Dear diary \x1b[2J")
    wanted = [str(files / name) for name in ("broken.png", "nope.json", "notes.txt", "mira.json")]

    done = cli("import", *wanted, str(files), "--json")
    plain = cli("import", *wanted)

    assert (done.code, plain.code) == (2, 2)
    results = {Path(each["file"]).name: each for each in done.document["items"]}
    assert results["mira.json"]["name"] == "Mira"
    assert all(results[name]["error"]["type"] == "BadAsk" for name in ("broken.png", "nope.json", "notes.txt", "files"))
    assert "4 of 5 files could not be imported" in done.error["message"]
    assert "mira.json" in plain.out
    assert plain.err.count("\n") == 4
    assert "nope.json' cannot be read" in plain.err


@pytest.mark.parametrize("name", ["mira.png", "mira.json", "mira.charx"])
def test_a_card_comes_out_as_it_went_in(cli: Command, files: Path, tmp_path: Path, name: str) -> None:
    cli.ok("import", str(files / "mira.json"))
    path = tmp_path / name

    done = cli.ok("export", "character", "Mira", "--output", str(path), "--json").document
    again = cli.ok("import", str(path), "--workspace", "other", "--json").document["items"][0]
    written = tmp_path / "again.json"
    cli.ok("export", "character", "Mira", "--output", str(written), "--version", "2", "--workspace", "other")

    assert (done["format"], done["bytes"]) == (path.suffix[1:], path.stat().st_size)
    assert again["name"] == "Mira"
    data = json.loads(written.read_text())["data"]
    assert data["character_book"]["entries"][0]["content"] == "A port."
    assert data["extensions"]["own"] == {"kept": True}


def test_a_chat_comes_out_as_it_went_in(cli: Command, files: Path) -> None:
    cli.ok("import", str(files / "mira.json"), str(files / "a-chat.jsonl"))
    (talk,) = cli.ok("conversations", "--json").document["items"]

    out = cli.ok("export", "conversation", talk["id"], "--output", "-").out

    assert [json.loads(line) for line in out.splitlines()] == CHAT


def test_no_file_is_overwritten_without_being_told_to(cli: Command, files: Path, tmp_path: Path) -> None:
    cli.ok("import", str(files / "mira.json"))
    path = tmp_path / "mira.png"
    path.write_text("dear")

    refused = cli("export", "character", "Mira", "--output", str(path))
    kept = path.read_text()
    forced = cli.ok("export", "character", "Mira", "--output", str(path), "--force")
    nowhere = cli("export", "character", "Mira", "--output", str(tmp_path / "no" / "mira.png"))

    assert refused.code == 2
    assert "--force" in refused.err
    assert kept == "dear"
    assert forced.out.startswith("Wrote ")
    assert path.read_bytes().startswith(SIGNATURE)
    assert nowhere.code == 5


@pytest.mark.parametrize(
    ("args", "code", "sentence"),
    [
        (["export", "character", "Zed", "--output", "-"], 3, "no person called 'Zed'"),
        (["export", "character", "Zed", "--output", "-", "--format", "gif"], 2, "Possible: png, json, charx"),
        (["export", "character", "Zed", "--output", "-", "--version", "4"], 2, "--version"),
        (["export", "character", "Zed", "--output", "-", "--json"], 2, "both want standard output"),
        (["export", "conversation", "nope", "--output", "-"], 3, "nope"),
        (["export", "conversation", "nope"], 2, "--output"),
        (["import"], 2, "Missing argument"),
        (["characters", "--limit", "0"], 2, "whole number from 1"),
    ],
)
def test_what_cannot_be_exported_is_explained(cli: Command, args: list[str], code: int, sentence: str) -> None:
    done = cli(*args)

    assert (done.code, done.out) == (code, "")
    assert sentence in (done.err if "--json" not in args else done.error["message"])


def test_lists_come_in_pages(cli: Command) -> None:
    nobody = cli.ok("characters").out
    nothing = cli.ok("conversations").out
    for name in ("Ada", "Bo", "Cy"):
        cli.ok("remember", "Sails", "--person", name, "--create-person")

    first = cli.ok("characters", "--limit", "2", "--json").document
    second = cli.ok("characters", "--limit", "2", "--cursor", first["next"]).out

    assert "No characters yet" in nobody
    assert "No conversations" in nothing
    assert [each["name"] for each in first["items"]] == ["Ada", "Bo"]
    assert second.split() == ["character", second.split()[1], "Cy"]


# ── pure ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "is_one"),
    [
        (b'{"user_name": "Tom", "character_name": "Mira"}\n{"mes": "Hi"}', True),
        (b'\xef\xbb\xbf\n{"name": "Mira", "mes": "Hi"}\n', True),
        (json.dumps(CARD).encode(), False),
        (json.dumps(CARD, indent=2).encode(), False),
        (b'{"name": "Mira", "mes_example": "Hi"}', False),
        (b"[1, 2]\n", False),
        (b"[" * 100_000, False),
        (SIGNATURE, False),
        (b"", False),
    ],
)
def test_chats_are_known_by_their_first_line(data: bytes, is_one: bool) -> None:
    assert is_chat(data) is is_one


def test_the_name_of_a_file_says_its_format() -> None:
    assert read_format(None, Path("mira.JSON")) == "json"
    assert read_format(None, Path("mira.charx")) == "charx"
    assert read_format(None, Path("mira")) == "png"
    assert read_format("json", Path("mira.png")) == "json"


def test_a_lorebook_comes_in_for_everybody_or_for_one_character(cli: Command, files: Path) -> None:
    """V18: known by what is in it; a card with one inside is still a card."""
    book = {"name": "Ports", "entries": {"0": {"uid": 0, "key": ["oslo"], "content": "A port."}}}
    (files / "ports.json").write_text(json.dumps(book))
    cli.ok("import", str(files / "mira.json"))

    everywhere = cli.ok("import", str(files / "ports.json"))
    of_mira = cli.ok("import", str(files / "ports.json"), "--character", "Mira", "--json").document

    assert "ports.json: World Info → lorebook Ports" in everywhere.out
    assert [each["kind"] for each in of_mira["items"]] == ["lorebook"]

    cli.ok("export", "lorebook", "Ports", "--character", "Mira", "--output", str(files / "out.json"))
    assert json.loads((files / "out.json").read_text()) == book
    assert "No lorebooks are called 'Harbors'" in cli("export", "lorebook", "Harbors", "--output", "-").err
