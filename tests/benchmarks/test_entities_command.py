"""`python -m benchmarks.entities` in real processes: a table for people, a JSON document for programs."""

import json
from pathlib import Path

import pytest

from tests.cli.process import Command, EntitiesBenchmark


@pytest.fixture
def cli(tmp_path: Path) -> Command:
    return EntitiesBenchmark(tmp_path / "data")


def test_a_folder_is_measured(cli: Command, tmp_path: Path) -> None:
    """G4: one's own labels, one document."""
    pair = {"a": "Grothmar", "b": "Grothmarr", "same": True, "why": "misspelling"}
    (tmp_path / "names.jsonl").write_text(json.dumps(pair) + "\n", encoding="utf-8")

    done = cli.ok("--data", str(tmp_path), "--json")

    assert (done.document["pairs"], done.document["talks"]) == (1, 0)
    assert done.document["misspellings_matched"] == {"share": 1.0, "part": 1, "of": 1}
    assert done.document["distinct_names_merged"]["share"] is None
    assert done.err == ""


def test_people_get_a_table_of_the_set_that_comes_along(cli: Command) -> None:
    """G4: held back unless another part is asked for."""
    done = cli.ok()

    assert done.out.startswith("6 talks of ")
    assert "names, by entity" in done.out
    assert "misspellings matched" in done.out


def test_a_folder_that_is_none_says_what_to_do(cli: Command, tmp_path: Path) -> None:
    """G4: a clear error."""
    done = cli("--data", str(tmp_path / "nowhere"))

    assert done.code != 0
    assert "Name one that has talks" in done.err
