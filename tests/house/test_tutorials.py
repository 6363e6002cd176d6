"""Tutorials and how-tos work as they stand: their commands print what they say, and their labels are on the page."""

import re
import shutil
from pathlib import Path

import pytest

from tests.cli.process import Command
from tests.house.pages import files_of, follow, missing_lines, steps_of
from tests.house.tree import ROOT

DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("tutorials/*.md"), *DOCS.glob("howto/*.md")])
TO_FOLLOW = [page for page in PAGES if steps_of(page.read_text(encoding="utf-8"))]
_NAMES = re.compile(r"Nova")


def _title(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="the pages use curl")
@pytest.mark.parametrize("page", TO_FOLLOW, ids=_title)
def test_the_commands_of_a_page_print_what_it_says(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()

    follow(page, Command(tmp_path / "data"), folder)


@pytest.mark.parametrize("page", PAGES, ids=_title)
def test_every_program_of_a_page_is_run_by_it(page: Path) -> None:
    """U17: a block of Python that nobody runs may be wrong."""
    text = page.read_text(encoding="utf-8")
    programs = {name for name in files_of(text) if name.endswith(".py")}
    commands = " ".join(each.command for each in steps_of(text))

    assert "```python\n" not in text
    assert {each for each in programs if f"python {each}" not in commands} == set()


@pytest.mark.parametrize("page", PAGES, ids=_title)
def test_every_label_of_a_page_is_in_the_web_application(page: Path) -> None:
    """U17: **bold** is a label of Everlore's page; those of other programs are in *italics*."""
    labels = set(re.findall(r"\*\*([^*\n]+)\*\*", page.read_text(encoding="utf-8")))
    sources = [path for path in (ROOT / "web" / "src").rglob("*") if path.suffix in (".svelte", ".ts")]
    lines = [line for path in sources for line in path.read_text(encoding="utf-8").splitlines()]

    assert {label for label in labels if not any(_shows(line, label) for line in lines)} == set()


def _shows(line: str, label: str) -> bool:
    return all(part in line for part in _NAMES.split(label))


def test_output_is_compared_line_by_line() -> None:
    printed = ["01m7  Nova", "You live in Porto."]

    assert missing_lines(["…  Nova", "You live in Porto."], printed) == []
    assert missing_lines(["You live in Porto.", "…  Nova"], printed) == ["…  Nova"]
    assert missing_lines(["You live"], printed) == ["You live"]
