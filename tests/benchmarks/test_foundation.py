import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from benchmarks.bars import Bar
from benchmarks.foundation import exit_code, main, make_plan, read_sizes, read_stores

_app = typer.Typer()
_app.command()(main)


def _run(*args: str) -> Any:
    return CliRunner().invoke(_app, args)


def test_a_small_run_measures_everything_and_prints_json(tmp_path: Path) -> None:
    done = _run(
        "--sizes", "200", "--stores", "sqlite", "--quick", "--queries", "5", "--json", "-", "--folder", str(tmp_path)
    )

    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    (size,) = found["stores"][0]["sizes"]
    assert size["size"] == 200
    assert size["searches"]["recall"] == 1.0
    assert size["searches"]["recall_scoped"] == 1.0
    assert size["startup"]["first_search_ms"] > 0
    assert size["size_mb"] > 0
    assert list(tmp_path.iterdir()) == [], "a run leaves nothing behind"


@pytest.mark.postgres
def test_a_small_run_measures_postgres_too() -> None:
    done = _run("--sizes", "60", "--stores", "postgres", "--quick", "--queries", "3", "--json", "-")

    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["machine"]["postgres"]
    assert found["stores"][0]["sizes"][0]["searches"]["recall"] == 1.0


def test_json_goes_to_a_file_beside_the_report(tmp_path: Path) -> None:
    target = tmp_path / "bench.json"

    done = _run("--sizes", "50", "--stores", "sqlite", "--quick", "--queries", "3", "--json", str(target))

    assert done.exit_code == 0, done.output
    assert "== sqlite ==" in done.stdout
    assert json.loads(target.read_text())["bars"]


def test_sizes_run_from_small_to_large() -> None:
    assert make_plan(read_sizes("10_000,1000"), 5, quick=True).sizes == (1000, 10_000)


def test_a_missed_bar_is_an_error_only_when_one_asks_for_it() -> None:
    kept, missed = Bar("sqlite", "hybrid", 2, 3), Bar("sqlite", "hybrid", 4, 3)

    assert exit_code([kept, missed], strict=False) == 0
    assert exit_code([kept, missed], strict=True) == 1
    assert exit_code([kept], strict=True) == 0


@pytest.mark.parametrize("text", ["", "many", "1000,", "0"])
def test_sizes_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        read_sizes(text)


def test_an_unknown_store_is_refused() -> None:
    with pytest.raises(typer.BadParameter, match=r"There is no store 'oracle'. Known: sqlite, postgres."):
        read_stores("sqlite,oracle")
