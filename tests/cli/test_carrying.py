"""A whole workspace, and the whole database, as files: export, import, backup, restore (M13, R-5)."""

import gzip
import json
from pathlib import Path

import pytest

from everlore.cli.interchange import import_files
from everlore.cli.session import CommandOptions
from everlore.cli.workspace_files import export_workspace
from everlore.errors import BadAsk
from tests.cli.process import Command


def _body(data: bytes) -> bytes:
    return data.partition(b"\n")[2]


ASKED = CommandOptions(None, None, False)


def test_a_workspace_moves_to_another_database(cli: Command, tmp_path: Path) -> None:
    """M13: packed and plain, with a dry run first."""
    cli.ok("remember", "Keeps bees", "--person", "Mira", "--create-person")
    packed, plain = tmp_path / "all.jsonl.gz", tmp_path / "all.jsonl"
    there = Command(tmp_path / "there")

    said = cli.ok("export", "workspace", "--out", str(packed))
    plain.write_text(cli.ok("export", "workspace").out)
    refused = cli("export", "workspace", "--out", str(packed))
    dry = there.ok("import", "workspace", str(plain), "--dry-run")
    done = there.ok("import", "workspace", str(packed), "--json").document
    back = there.ok("export", "workspace").out

    assert "Wrote" in said.out
    assert _body(gzip.decompress(packed.read_bytes())) == _body(plain.read_bytes()) == _body(back.encode())
    assert packed.stat().st_mode & 0o077 == 0
    assert refused.code == 2
    assert "--force" in refused.err
    assert "Would import" in dry.out
    assert done["counts"]["memory"]["new"] == 1


def test_an_exported_workspace_is_recognized_by_its_content(cli: Command, tmp_path: Path) -> None:
    """M13: it was read as a character card, whose “extra data” was to blame."""
    cli.ok("remember", "Keeps bees", "--person", "Mira", "--create-person")
    file, there = tmp_path / "all.jsonl", Command(tmp_path / "there")
    cli.ok("export", "workspace", "--out", str(file))

    done = there.ok("import", str(file))
    beside = there("import", str(file), str(file))

    assert "Imported" in done.out
    assert "Keeps bees" in there.ok("memories", "list").out
    assert (beside.code, "on its own" in beside.err) == (2, True)


def test_what_differs_is_named_with_its_line(cli: Command, tmp_path: Path) -> None:
    cli.ok("remember", "Keeps bees", "--person", "Mira", "--create-person")
    file = tmp_path / "all.jsonl"
    cli.ok("export", "workspace", "--out", str(file))
    kept = json.loads(next(line for line in file.read_text().splitlines() if '{"memory"' in line))["memory"]["id"]
    cli.ok("memories", "correct", kept, "Keeps four hives of bees")

    left = cli.ok("import", "workspace", str(file))
    replaced = cli.ok("import", "workspace", str(file), "--replace")
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(file.read_bytes()[:-200])
    broken = cli("import", "workspace", str(cut))

    assert "1 exist with other content" in left.out
    assert f"memory {kept} ({file}, line " in left.out
    assert "Overwrote 1 existing entries." in replaced.out
    assert broken.code == 2
    assert str(cut) in broken.err


def test_a_workspace_comes_alone() -> None:
    """In this process: nothing is opened."""
    with pytest.raises(BadAsk, match="on its own"):
        import_files(ASKED, [Path("workspace"), Path("a"), Path("b")])
    with pytest.raises(BadAsk, match="import workspace FILE"):
        import_files(ASKED, [Path("card.png")], replace=True)
    with pytest.raises(BadAsk, match="Possible: jsonl, markdown"):
        export_workspace(ASKED, format="odt")


def test_a_backup_can_be_examined_and_then_be_put_back(cli: Command, tmp_path: Path) -> None:
    """R-5: `doctor` does not write to it."""
    cli.ok("remember", "The boat needs new ropes")
    file = tmp_path / "backup.db"
    cli.ok("backup", str(file))
    before = file.read_bytes()

    examined = cli("doctor", "--db", str(file))

    assert "database" in examined.out
    assert file.read_bytes() == before
    assert sorted(each.name for each in tmp_path.glob("backup.db*")) == ["backup.db", "backup.db.sha256"]
    cli.ok("restore", str(file), "--force")


def test_a_backup_is_put_back(cli: Command, tmp_path: Path) -> None:
    """R-5: and the key file is said not to be in it."""
    cli.ok("remember", "Keeps bees")
    file = tmp_path / "backup.db"
    (cli.folder / "secret.key").write_text("not a real one")

    done = cli.ok("backup", str(file))
    cli.ok("remember", "Sells honey")
    refused = cli("restore", str(file))
    restored = cli.ok("restore", str(file), "--force", "--json").document
    memories = cli.ok("memories", "list", "--json").document["items"]

    assert "Backed up" in done.out
    assert "secret.key" in done.err
    assert refused.code == 2
    assert "--force" in refused.err
    assert restored["sha256"] in (tmp_path / "backup.db.sha256").read_text()
    assert [each["content"] for each in memories] == ["Keeps bees"]


def test_postgresql_has_its_own_tool(cli: Command, tmp_path: Path) -> None:
    refused = cli("backup", str(tmp_path / "x"), "--db", "postgresql://u:p@h/d")

    assert "pg_dump" in refused.err
    assert refused.code == 2
