"""Every id that the code cites has a meaning and a test, and the page of them is as the code is."""

from pathlib import Path

import pytest

from scripts.requirements import PAGE, ids_in, page
from tests.house.tree import ROOT


def test_the_page_is_up_to_date_and_every_id_known_and_proven() -> None:
    text, problems = page(ROOT)

    assert problems == []
    assert PAGE.read_text(encoding="utf-8") == text, "Run `.venv/bin/python scripts/requirements.py`."


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Deleting takes all of it (M9, C5).", ["M9", "C5"]),
        ("M9: every trace.", ["M9"]),
        ("C2.", ["C2"]),
        ("K1–K3, F4", ["K1", "K2", "K3", "K1", "K3", "F4"]),
        ("Held to R-1 and S-10", []),
        ("R-1, S-10: also under load", ["R-1", "S-10"]),
        ("Reads cards V2 and V3", []),
        ("F-sharp is a tone", []),
    ],
)
def test_what_is_a_citation(text: str, ids: list[str]) -> None:
    assert list(ids_in(text)) == ids


def test_an_unknown_and_an_unproven_id_are_named(tmp_path: Path) -> None:
    for folder in ("scripts", "src", "tests"):
        (tmp_path / folder).mkdir()
    (tmp_path / "scripts" / "requirements.toml").write_text('[Memory]\nM1 = "One."\nM2 = "Two."\n', encoding="utf-8")
    (tmp_path / "src" / "a.py").write_text('"""Keeps it (M1, M3)."""\n', encoding="utf-8")
    (tmp_path / "tests" / "test_a.py").write_text('"""M2: two."""\n', encoding="utf-8")

    _, problems = page(tmp_path)

    assert problems == [
        "M1 is claimed and no test names it: src/a.py",
        "M3 has no meaning in scripts/requirements.toml: src/a.py",
    ]
