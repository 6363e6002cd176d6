"""Writes docs/requirements.md: what the ids mean that code, tests and pages cite, and which tests prove them.

    .venv/bin/python scripts/requirements.py           write it
    .venv/bin/python scripts/requirements.py --check   only say whether it is stale, and exit with 1 if it is

Fails on an id that is cited and has no meaning in requirements.toml, and on one that the code claims and no test
proves. What neither the code claims nor a test proves is listed as open.

Start at `page`.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "requirements.md"
_MADE = "<!-- Made by scripts/requirements.py from scripts/requirements.toml and the tests. Change those. -->\n"
_ID = r"(?:[A-Z]-\d{1,2}|[A-Z]\d{1,2}[a-z]?)"
_LIST = rf"{_ID}(?:(?:, | and |–){_ID})*"
# "(M9, C5)" anywhere; and what a docstring or comment begins with: "M9: …", "C2." and "F4, F5".
_IN_BRACKETS = re.compile(rf"\(({_LIST})\)")
_AT_FIRST = re.compile(rf"\s*({_LIST})(?:[:.;,]|\s*$)")
_COMMENT = re.compile(r"^(?:\s*|.*  )# (.*)$", re.MULTILINE)
_RANGE = re.compile(r"([A-Z]-?)(\d+)–[A-Z]-?(\d+)")
_SHOWN_FILES = 8


def main() -> None:
    text, problems = page(ROOT)
    if problems:
        sys.exit("\n".join(problems))
    if "--check" in sys.argv[1:]:
        sys.exit(0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text else f"{PAGE.name} is stale.")
    PAGE.write_text(text, encoding="utf-8")


def page(root: Path) -> tuple[str, list[str]]:
    """The page, and what is wrong with it."""
    chapters: Mapping[str, Mapping[str, str]] = tomllib.loads(
        (root / "scripts" / "requirements.toml").read_text(encoding="utf-8")
    )
    known = {id: meaning for chapter in chapters.values() for id, meaning in chapter.items()}
    claimed, proven = cited(root, "src"), cited(root, "tests")
    families = {_family(id) for id in known}
    # "(B1)" may be a level of French: what is of no family of ours is no id.
    unknown = {
        id: files
        for found in (claimed, proven)
        for id, files in found.items()
        if id not in known and _family(id) in families
    }
    problems = [f"{id} has no meaning in scripts/requirements.toml: {files[0]}" for id, files in unknown.items()]
    problems += [
        f"{id} is claimed and no test names it: {files[0]}"
        for id, files in claimed.items()
        if id in known and id not in proven
    ]
    return _page(chapters, claimed, proven), sorted(problems)


def cited(root: Path, folder: str) -> dict[str, list[str]]:
    """Every id that is cited below a folder, with the files that do, in their order."""
    found: dict[str, list[str]] = {}
    for path in sorted((root / folder).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        for id in dict.fromkeys(ids for text in _prose(path.read_text(encoding="utf-8")) for ids in ids_in(text)):
            found.setdefault(id, []).append(name)
    return found


def ids_in(text: str) -> Iterator[str]:
    lists = _IN_BRACKETS.findall(text)
    if begins := _AT_FIRST.match(text):
        lists.append(begins.group(1))
    for each in lists:
        for letter, first, last in _RANGE.findall(each):
            yield from (f"{letter}{number}" for number in range(int(first), int(last) + 1))
        yield from re.findall(_ID, each)


def _prose(source: str) -> Iterator[str]:
    """Docstrings and comments."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
    yield from _COMMENT.findall(source)


def _family(id: str) -> str:
    return re.sub(r"\d+[a-z]?$", "", id)


def _page(
    chapters: Mapping[str, Mapping[str, str]], claimed: Mapping[str, list[str]], proven: Mapping[str, list[str]]
) -> str:
    lines = [
        _MADE,
        "# Requirements\n",
        "Code, tests and pages cite what they are there for by an id. Here is what each means, and which tests prove "
        "it; those of the present state of the code, made by a script that fails on an id that nobody knows or that no "
        "test names.\n",
    ]
    open_ones: list[str] = []
    for title, chapter in chapters.items():
        lines += [f"## {title}\n", "| id | what | tests |", "| --- | --- | --- |"]
        for id, meaning in chapter.items():
            lines.append(f"| {id} | {meaning} | {_files(proven.get(id, []))} |")
            if id not in proven and id not in claimed:
                open_ones.append(id)
        lines.append("")
    lines += ["## Open\n", f"No test names these yet: {', '.join(open_ones) or 'none'}."]
    return "\n".join(lines) + "\n"


def _files(paths: list[str]) -> str:
    shown = [path.removeprefix("tests/").removesuffix(".py").replace("test_", "") for path in paths]
    more = f" and {len(shown) - _SHOWN_FILES} more" if len(shown) > _SHOWN_FILES else ""
    return f"{', '.join(shown[:_SHOWN_FILES])}{more}" or "–"


if __name__ == "__main__":
    main()
