"""The command as a whole: help, version, usage, bugs, and pipes that close early."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import everlore
from everlore.cli import exits
from everlore.cli.commands import synonyms
from everlore.cli.main import _unexpected
from everlore.errors import EverloreError
from tests.cli.process import EVERLORE, Command, Installed

VERBS = (
    "remember recall forget why-not gossip knowers knowledge partners tell misses stats cleanup reindex doctor migrate "
    "worker serve jobs chat characters conversations import export template"
).split()


@pytest.fixture
def installed(tmp_path: Path) -> Command:
    return Installed(tmp_path / "data")


def test_help_names_every_verb(installed: Command) -> None:
    done = installed.ok("--help")

    assert all(f"\n  {verb} " in done.out for verb in VERBS)


def test_help_begins_with_what_a_newcomer_needs_and_cuts_no_sentence(installed: Command) -> None:
    """U13: the commands stand under headings, each with one whole sentence."""
    done = installed.having(COLUMNS="80").ok("--help")

    sections = re.findall(r"^(\w[^\n]*):\n((?:  .*\n?)+)", done.out, re.MULTILINE)
    start = dict(sections)["Start"]
    assert [line.split()[0] for line in start.splitlines()] == ["serve", "chat", "demo", "import", "export"]
    assert done.out.index("\nStart:") < done.out.index("\nMemories:") < done.out.index("\nServer and data:")
    assert "..." not in done.out.partition("\nStart:")[2]


def test_help_needs_nothing_heavy() -> None:
    heavy = {"numpy", "pydantic", "fastapi", "uvicorn", "rich", "structlog", "asyncpg", "sqlite3", "openai"}
    look = "import sys, everlore.cli.main; print(*{name.split('.')[0] for name in sys.modules})"

    loaded = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout.split()

    assert not heavy & set(loaded)


def test_version(installed: Command) -> None:
    assert installed.ok("--version").out == f"everlore {everlore.__version__}\n"


def test_nothing_asked_is_answered_with_help(cli: Command) -> None:
    assert cli.ok().out == cli.ok("--help").out


def test_the_database_may_be_named_before_the_verb(cli: Command, tmp_path: Path) -> None:
    """9-surfaces: common to all verbs, wherever it stands; what stands after the verb has the last word."""
    there, elsewhere = str(tmp_path / "there.db"), str(tmp_path / "elsewhere.db")
    cli.ok("--db", there, "remember", "Rex barks")
    cli.ok("--db", there, "--workspace", "other", "remember", "Rex sleeps")

    assert "Rex barks" in cli.ok("recall", "Rex", "--db", there).out
    assert "Rex sleeps" in cli.ok("recall", "Rex", "--db", there, "--workspace", "other").out
    assert "Rex" not in cli.ok("--db", there, "recall", "Rex", "--db", elsewhere).out
    assert not cli.database.exists()


@pytest.mark.parametrize(
    ("args", "command"),
    [
        (["dance"], "everlore"),
        (["stats", "--fast"], "everlore stats"),
        (["recall"], "everlore recall"),
        (["jobs"], "everlore jobs"),
        (["export", "--db", "other.db"], "everlore export"),
        (["serve", "--port", "65536"], "everlore serve"),
    ],
)
def test_wrong_usage_is_a_bad_ask_and_names_the_help_of_its_command(
    cli: Command, args: list[str], command: str
) -> None:
    plain = cli(*args)
    as_json = cli(*args, "--json")

    assert (plain.code, plain.out) == (2, "")
    assert plain.err.startswith("everlore: ")
    assert plain.err.endswith(f" See `{command} --help`.\n")
    assert (as_json.code, as_json.out) == (2, "")
    assert as_json.error["type"] == "BadAsk"


@pytest.mark.parametrize(
    ("typed", "meant"), [("search", "recall"), ("memory", "memories"), ("start", "serve"), ("exprt", "export")]
)
def test_the_name_of_another_program_leads_to_the_command(cli: Command, typed: str, meant: str) -> None:
    done = cli(typed, "Rex")

    assert done.code == 2
    assert done.err == f"everlore: No such command '{typed}'. Did you mean '{meant}'? See `everlore --help`.\n"


def test_every_suggested_command_exists(cli: Command) -> None:
    for suggestion in synonyms().values():
        assert cli.ok(*suggestion.split(), *([] if suggestion.startswith("-") else ["--help"])).out


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("EVERLORE_QUEUE__WORKERS", "many", "must be a whole number"),
        ("EVERLORE_SERVER__PORT", "99999", "must be at most 65535"),
        ("EVERLORE_LOG_LEVEL", "loud", "must be 'debug', 'info', 'warning' or 'error'"),
        ("EVERLORE_CHAT", "ollama", "must be a JSON object"),
    ],
)
def test_a_wrong_setting_is_named_with_what_it_must_be(cli: Command, name: str, value: str, told: str) -> None:
    done = cli.having(**{name: value})("stats")

    assert done.code == 5
    assert done.err == f"everlore: The setting {name} {told}. See docs/settings.md.\n"


@pytest.mark.parametrize(("port", "told"), [("abc", "a whole number"), ("99999", "at most 65535")])
def test_a_wrong_value_of_an_option_is_explained_in_plain_words(cli: Command, port: str, told: str) -> None:
    done = cli("serve", "--port", port)

    assert done.code == 2
    wanted = f"Invalid value for '--port': it must be {told}, not '{port}'."
    assert done.err == f"everlore: {wanted} See `everlore serve --help`.\n"


def test_a_reader_that_has_seen_enough_is_no_error(cli: Command) -> None:
    cli.ok("remember", "Rex barks")
    reading, writing = os.pipe()
    os.close(reading)

    try:
        done = subprocess.run(
            [EVERLORE, "recall", "Rex"], stdout=writing, stderr=subprocess.PIPE, env=cli.env, check=False
        )
    finally:
        os.close(writing)

    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_behind_the_output_is_said(cli: Command) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([EVERLORE, "stats"], stdout=full, stderr=subprocess.PIPE, env=cli.env, check=False)

    assert done.returncode == 5
    assert b"The output cannot be written" in done.stderr


@pytest.mark.parametrize(("level", "traced"), [("info", False), ("debug", True)])
def test_a_bug_is_called_a_bug(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, level: str, traced: bool
) -> None:
    monkeypatch.setenv("EVERLORE_LOG_LEVEL", level)

    code = _unexpected(False, KeyError("shelf"))

    said = capsys.readouterr().err
    assert code == 1
    assert said.startswith("everlore: KeyError: 'shelf'. This is a bug")
    assert ("Traceback" in said or said.count("KeyError") > 1) is traced


def test_every_error_of_ours_has_a_documented_exit_code() -> None:
    def below(kind: type[EverloreError]) -> set[type[EverloreError]]:
        return {kind}.union(*(below(each) for each in kind.__subclasses__()))

    assert {kind.exit_code for kind in below(EverloreError)} | {exits.OK, exits.INTERRUPTED} == set(exits.MEANINGS)
