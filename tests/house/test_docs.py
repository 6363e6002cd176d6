"""Nothing in the docs can lie for long: their examples are run, and their links lead somewhere."""

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import everlore
from everlore.settings import ChatSettings, EmbeddingSettings, QueueSettings, Settings
from tests.house.tree import ROOT, kept_files

PAGES = [path for path in kept_files() if path.suffix == ".md"]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def _blocks(path: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def _said(block: str) -> list[str]:
    """What a block claims to print: the comment behind each `print`."""
    return re.findall(r"^ *print\(.*\)  # (.*)$", block, re.MULTILINE)


def _run(script: list[str], folder: Path) -> str:
    """In a process of its own, in an empty folder, with nothing set and every warning an error."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EVERLORE_")}
    environment["EVERLORE_CHAT__PROVIDER"] = "voice"  # whatever model server runs on this machine
    done = subprocess.run(
        [sys.executable, "-W", "error", *script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_the_examples_of_the_library_page_do_what_they_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In order, in one namespace, as a reader would try them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVERLORE_CHAT__PROVIDER", "voice")
    settings = Settings(
        embedding=EmbeddingSettings(provider="wordllama"),
        chat=ChatSettings(provider="voice"),
        queue=QueueSettings(poll_s=0.01),
    )

    async with everlore.open(tmp_path / "lore.db", settings=settings) as lore:
        names: dict[str, object] = {"lore": lore}
        for block in _blocks(ROOT / "docs" / "library.md"):
            code = compile(block, "docs/library.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            awaited = eval(code, names)
            if inspect.isawaitable(awaited):
                await awaited
            assert capsys.readouterr().out.splitlines() == _said(block), block


def test_the_example_of_the_first_page_works_as_it_stands(tmp_path: Path) -> None:
    [block] = _blocks(ROOT / "README.md")

    assert "You are allergic to peanuts." in _run(["-c", block], tmp_path)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_on_a_fresh_machine(example: Path, tmp_path: Path) -> None:
    assert _run([str(example)], tmp_path).strip()


def test_the_first_example_finds_the_right_memory_first(tmp_path: Path) -> None:
    first, *_ = _run([str(ROOT / "examples" / "first_steps.py")], tmp_path).splitlines()

    assert first.endswith("The user is allergic to peanuts")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_inside_the_repository_leads_to_a_file_and_a_heading(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, heading = target.partition("#")
        linked = (page.parent / name) if name else page
        assert linked.exists(), target
        if heading:
            assert heading in _headings(linked), target


def _headings(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_of_the_docs_is_on_the_map() -> None:
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {path.name for path in PAGES if path.parent == ROOT / "docs"} - {"index.md"}

    assert {page for page in pages if f"({page})" not in text} == set()


def test_every_setting_that_the_docs_name_exists() -> None:
    known = {"EVERLORE_" + name.upper() for name in Settings.model_fields}
    for group, field in Settings.model_fields.items():
        for name in getattr(field.annotation, "model_fields", {}):
            known.add(f"EVERLORE_{group}__{name}".upper())

    for page in PAGES:
        named = set(
            re.findall(r"EVERLORE_[A-Z]+(?:_[A-Z]+)*(?:__[A-Z]+(?:_[A-Z]+)*)?", page.read_text(encoding="utf-8"))
        )
        assert {name for name in named if not name.startswith("EVERLORE_TEST_")} <= known, page.name
