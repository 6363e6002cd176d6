"""What people read on the page, in the terminal and in the docs is plain English, without the oddest words (U17)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from everlore.cli.main import app
from tests.house.tree import kept_files

_ROOT = Path(__file__).parents[2]
_WEB = _ROOT / "web" / "src"
_CLI = _ROOT / "src" / "everlore" / "cli"
_COMMENT = re.compile(r"/\*.*?\*/|<!--.*?-->|(?<![:\"'`])//[^\n]*", re.DOTALL)
_STYLE = re.compile(r"<style.*?</style>", re.DOTALL)
_SCRIPT = re.compile(r"<script.*?</script>", re.DOTALL)
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`")
_BETWEEN_TAGS = re.compile(r">([^<>{}]*[a-zA-Z][^<>{}]*)[<{]")
_OLD = re.compile(
    r"\b(?:learnt|whoever|whomever|bears? on|bore on|rests? on|anew|fares|comes? to mind|what is so|is tied to|"
    r"so many mouths|comes? back|came back|brought back|is held|somebody|nobody|of anybody|thereof|whereof|"
    r"be it|has it in writing|no longer so|go(?:es)? on|bring (?:in|one|back|along|a)|take out|beside it|"
    r"tied together|tie two|everything is tied|stands? for|comes along|what rests|nearness|until then|kept for|"
    r"true since|as of date|open threads?|replies: no model)\b",
    re.IGNORECASE,
)

# Made from the code and from scripts/requirements.toml.
_MADE = ("cli.md", "config.md", "requirements.md", "settings.md")
# Odd on a label, and plain English in a sentence of the docs.
_FINE_IN_PROSE = re.compile(
    r"somebody|nobody|comes? back|came back|goes? on|stands? for|kept for|open threads?|until then", re.IGNORECASE
)
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def _page_texts(file: Path) -> Iterator[str]:
    source = _COMMENT.sub("", _STYLE.sub("", file.read_text(encoding="utf-8")))
    # With a space in it, it is a sentence or a label and not a name in the code.
    yield from (each for each in _QUOTED.findall(source) if " " in each.strip())
    if file.suffix == ".svelte":
        yield from _BETWEEN_TAGS.findall(_SCRIPT.sub("", source))


def _command_texts(file: Path) -> Iterator[str]:
    """Strings, without docstrings; `_help_texts` has those that are help."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    begun = [node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and node.body]
    docstrings = {id(first.value) for first in begun if isinstance(first, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def _help_texts(command: Any, name: str) -> Iterator[tuple[str, str]]:
    """What `--help` prints for a command and for all below it, with its name."""
    yield name, command.help or ""
    for parameter in command.params:
        yield name, getattr(parameter, "help", None) or ""
    for each, below in getattr(command, "commands", {}).items():
        yield from _help_texts(below, f"{name} {each}")


def _found(files: list[Path], texts: object) -> list[str]:
    assert callable(texts)
    return [
        f"{file.relative_to(_ROOT)}: “{old.group()}” in “{' '.join(text.split())[:90]}”"
        for file in sorted(files)
        for text in texts(file)
        for old in _OLD.finditer(text)
    ]


def test_the_page_speaks_plainly() -> None:
    files = [each for each in _WEB.rglob("*") if each.suffix in (".svelte", ".ts") and each.name != "schema.d.ts"]
    assert len(files) > 100

    assert _found(files, _page_texts) == []


def test_the_command_line_speaks_plainly() -> None:
    files = list(_CLI.glob("*.py"))
    assert len(files) > 20

    assert _found(files, _command_texts) == []


def test_the_help_of_each_command_speaks_plainly() -> None:
    texts = list(_help_texts(get_command(app), "everlore"))
    assert len(texts) > 200

    assert [(name, text) for name, text in texts if _OLD.search(text)] == []


def test_the_docs_speak_plainly() -> None:
    written = (each for each in kept_files() if each.suffix == ".md" and each.name not in ("CHANGELOG.md", *_MADE))
    pages = [each for each in written if not each.is_relative_to(_ROOT / "benchmarks")]
    assert len(pages) > 40

    found = [
        f"{page.relative_to(_ROOT)}: {old.group()}"
        for page in pages
        for old in _OLD.finditer(_CODE.sub("", page.read_text(encoding="utf-8")))
        if not _FINE_IN_PROSE.fullmatch(old.group())
    ]
    assert found == []


@pytest.mark.parametrize("text", ["<p>It rests on no memory.</p>", '<Button label="Bring it back anew" />'])
def test_old_words_are_noticed(tmp_path: Path, text: str) -> None:
    file = tmp_path / "Old.svelte"
    file.write_text(text)

    assert any(_OLD.search(each) for each in _page_texts(file))
