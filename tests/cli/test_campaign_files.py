"""`campaign log`, `export` and `import`, as a game master at a terminal uses them (G9, G10, G12)."""

import json
from pathlib import Path

from tests.cli.process import Command
from tests.interchange.test_lorebooks import WORLD_INFO

LOG = "GM: You arrive at Orne.\nPia: I light a lamp.\n[GM] Oswin drinks zephyrine.\nPia: We decide to go on.\n"


def test_a_log_is_brought_once(cli: Command, tmp_path: Path) -> None:
    """G12."""
    cli.ok("campaign", "new", "Lamps")
    file = tmp_path / "The dark quay.txt"
    file.write_text(LOG)
    said = cli.ok("campaign", "log", "Lamps", str(file), "--day", "2026-11-17").out

    assert said.startswith("Session 1: The dark quay  (")
    assert "1 line for the game master only." in said
    assert "Waiting to be digested." in said
    twice = cli("campaign", "log", "Lamps", str(file))
    assert (twice.code, "already" in twice.err) == (4, True)
    assert "Saved for reading only" in cli.ok("campaign", "log", "Lamps", str(file), "--force", "--read-only").out
    session = cli.ok("campaign", "session", "list", "Lamps", "--json").document["items"][0]["id"]
    assert "zephyrine" in cli.ok("campaign", "session", "log", session).out
    assert "zephyrine" not in cli.ok("campaign", "session", "log", session, "--player", "any").out
    assert "no day" in cli("campaign", "log", "Lamps", str(file), "--day", "soon").err
    assert "cannot be read" in cli("campaign", "log", "Lamps", str(tmp_path / "none")).err


def test_a_vault_is_written_edited_and_brought_back(cli: Command, tmp_path: Path) -> None:
    """G9, G12: as a folder and as a zip; for players without what is hidden."""
    cli.ok("campaign", "new", "Lamps")
    cli.ok("campaign", "entity", "add", "Lamps", "Orne", "--kind", "location")
    cli.ok("campaign", "remember", "Lamps", "Oswin drinks zephyrine.", "--spoiler")
    vault, packed, theirs = tmp_path / "vault", tmp_path / "vault.zip", tmp_path / "theirs"
    assert "pages to" in cli.ok("campaign", "export", "Lamps", "--format", "vault", "--output", str(vault)).out
    cli.ok("campaign", "export", "Lamps", "--format", "vault", "--output", str(packed))
    cli.ok("campaign", "export", "Lamps", "--format", "vault", "--output", str(theirs), "--player", "any")
    page = vault / "Locations" / "Orne.md"
    page.write_text(page.read_text() + "\nA harbour.\n")
    page.rename(page.with_name("Old Orne.md"))

    dry = cli.ok("campaign", "import", str(vault), "--into", "Lamps", "--dry-run").out
    said = cli.ok("campaign", "import", str(vault), "--into", "Lamps").out
    assert "1 would be changed:\n  Orne, now Old Orne\n" in dry
    assert "1 changed:\n  Orne, now Old Orne\n" in said
    assert "Old Orne" in cli.ok("campaign", "entity", "list", "Lamps").out
    assert "zephyrine" in (vault / "Canon.md").read_text()
    assert not any("zephyrine" in each.read_text() for each in theirs.rglob("*.md"))
    assert "not empty" in cli("campaign", "export", "Lamps", "--format", "vault", "--output", str(vault)).err
    assert "made for players" in cli("campaign", "import", str(theirs), "--into", "Lamps").err
    assert "are the same" in cli.ok("campaign", "import", str(packed), "--into", "Lamps").out


def test_a_lorebook_and_a_whole_campaign_go_in_and_out(cli: Command, tmp_path: Path) -> None:
    """G10, G12."""
    cli.ok("campaign", "new", "Lamps")
    book, whole = tmp_path / "orne.json", tmp_path / "lamps.jsonl"
    book.write_text(json.dumps(WORLD_INFO))
    assert "3 added:\n  Ilka\n" in cli.ok("campaign", "import", str(book), "--into", "Lamps").out
    out = cli.ok("campaign", "export", "Lamps", "--format", "lorebook", "--form", "character_book").out
    assert json.loads(out)["spec"] == "lorebook_v3"
    assert "Wrote" in cli.ok("campaign", "export", "Lamps", "--output", str(whole)).out
    cli.ok("campaign", "delete", "Lamps", "--yes")
    assert "Would import Lamps" in cli.ok("campaign", "import", str(whole), "--dry-run").out
    assert "Imported Lamps" in cli.ok("campaign", "import", str(whole)).out
    assert cli.ok("campaign", "export", "Lamps").out.encode() == whole.read_bytes()

    assert "no format 'pdf'" in cli("campaign", "export", "Lamps", "--format", "pdf").err
    assert "both want standard output" in cli("campaign", "export", "Lamps", "--json").err
    assert "no player's view" in cli("campaign", "export", "Lamps", "--player", "any").err
