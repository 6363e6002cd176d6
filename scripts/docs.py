"""Writes what the docs take from the code: the pages on settings, command line, policy and config, the table of
variables on the page about templates, and the diagrams (diagrams.py), that of the packages from their imports.

    .venv/bin/python scripts/docs.py           write them
    .venv/bin/python scripts/docs.py --check   only say which are stale, and exit with 1 if any is

Start at `pages`.
"""

import ast
import json
import sys
from collections.abc import Iterator, Mapping
from enum import EnumType
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer
from annotated_types import Ge, Gt, Le, Lt, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from everlore.cli import exits
from everlore.cli.main import app
from everlore.domain.config import ConversationConfig
from everlore.domain.policy import policy_tables
from everlore.server.openapi import document
from everlore.server.rights import operations_of, rights_table
from everlore.services.templates import Described, variables
from everlore.settings import Settings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a file, its folder alone is there
from scripts.diagrams import drawings, drawn, layered

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
_MADE = "<!-- Made by scripts/docs.py from the code. Change the code, then run it again. -->\n"
_BOUNDS = {Gt: ("gt", "more than"), Ge: ("ge", "at least"), Lt: ("lt", "less than"), Le: ("le", "at most")}
_HELP_COLUMNS = 100


def main() -> None:
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        sys.exit(f"Stale: {', '.join(path.name for path in stale)}. Run scripts/docs.py." if stale else 0)
    DOCS.mkdir(exist_ok=True)
    for path in stale:
        path.write_text(pages()[path], encoding="utf-8")
        print(f"wrote {path}")


def pages() -> dict[Path, str]:
    drawn_packages = drawn(layered("The packages and their imports", direct_imports(imports_in(_PACKAGE))))
    return {
        DOCS / "settings.md": _settings_page(),
        DOCS / "cli.md": _cli_page(),
        DOCS / "policy.md": _policy_page(),
        DOCS / "config.md": _config_page(),
        DOCS / "templates.md": _between_marks("templates.md", "variables", _variables_table()),
        **{DOCS / "images" / f"{name}.svg": svg for name, svg in drawings().items()},
        DOCS / "images" / "packages.svg": drawn_packages,
    }


def _between_marks(name: str, mark: str, made: str) -> str:
    """A page written by hand, with what stands between `<!-- mark -->` and `<!-- /mark -->` replaced."""
    page = (DOCS / name).read_text(encoding="utf-8")
    begin, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    head, _, rest = page.partition(begin)
    tail = rest.partition(end)[2]
    return f"{head}{begin}\n\n{made}\n{end}{tail}"


# ── the config of a conversation ─────────────────────────────────────────────────────────────────


def _config_page() -> str:
    head = (
        "# Config of a conversation\n\nSet when a conversation is started (`config`), or later with "
        "`PATCH /api/conversations/{id}`. An episode is an object with `name` and `guidance`.\n"
    )
    rows = [_config_row(name, field) for name, field in ConversationConfig.model_fields.items()]
    return "\n".join([_MADE, head, _table(["name", "default", "meaning"], rows)])


def _config_row(name: str, field: FieldInfo) -> list[str]:
    default = "–" if field.default in (None, "") else f"`{json.dumps(field.default)}`"
    return [f"`{name}`", default, _meaning(field)]


# ── the variables of templates ───────────────────────────────────────────────────────────────────


def _variables_table() -> str:
    return _table(["variable", "changes", "meaning"], [_variable_row(each) for each in variables()])


def _variable_row(variable: Described) -> list[str]:
    return [f"`${{{variable.name}}}`", variable.pace.name.lower().replace("_", " "), variable.about]


# ── the packages ─────────────────────────────────────────────────────────────────────────────────

_PACKAGE = ROOT / "src" / "everlore"
# Imported nearly everywhere, or only where the program starts: arrows to them would hide the others.
_NOT_DRAWN = frozenset({"__init__", "__main__", "errors", "settings", "private_files"})

Imports = Mapping[str, frozenset[str]]


def imports_in(package: Path) -> dict[str, frozenset[str]]:
    """Which of its direct subpackages and modules each of them imports."""
    found: dict[str, set[str]] = {}
    for file in sorted(package.rglob("*.py")):
        name = file.relative_to(package).with_suffix("").parts[0]
        if name not in _NOT_DRAWN:
            tree = ast.parse(file.read_text(encoding="utf-8"))
            found.setdefault(name, set()).update(_imported(tree, package.name))
    return {name: frozenset(each & found.keys()) - {name} for name, each in found.items()}


def _imported(tree: ast.Module, package: str) -> Iterator[str]:
    """The second part of each module name: `store` of `everlore.store.port`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules = [f"{node.module}.{each.name}" for each in node.names]
        elif isinstance(node, ast.Import):
            modules = [each.name for each in node.names]
        else:
            continue
        parts = (module.split(".") for module in modules)
        yield from (each[1] for each in parts if each[0] == package and len(each) > 1)


def direct_imports(imports: Imports) -> Imports:
    """Without those that follow from others."""
    indirect = {
        name: {far for near in direct for far in _reached_from(near, imports)} for name, direct in imports.items()
    }
    return {name: direct - indirect[name] for name, direct in imports.items()}


def _reached_from(name: str, imports: Imports) -> set[str]:
    """What it imports, directly or through others."""
    reached: set[str] = set()
    to_follow = [name]
    while to_follow:
        new = imports[to_follow.pop()] - reached
        reached |= new
        to_follow += sorted(new)
    return reached


# ── settings ─────────────────────────────────────────────────────────────────────────────────────


def _settings_page() -> str:
    tables = [_table(["variable", "default", "meaning"], rows) for rows in _setting_rows()]
    titles = ["General", *(name.capitalize() for name, _ in _groups(Settings))]
    sections = [f"## {title}\n\n{table}" for title, table in zip(titles, tables, strict=True)]
    head = (
        "# Settings\n\nEvery setting is an environment variable, read once when Everlore starts. A value that cannot "
        "be is refused then, with its name. `everlore doctor` checks what they lead to.\n"
    )
    return "\n".join([_MADE, head, *sections])


def _setting_rows() -> Iterator[list[list[str]]]:
    yield [_setting_row("EVERLORE_", name, field) for name, field in _plain(Settings)]
    for group, kind in _groups(Settings):
        yield [_setting_row(f"EVERLORE_{group.upper()}__", name, field) for name, field in _plain(kind)]


def _groups(kind: type[BaseModel]) -> list[tuple[str, type[BaseModel]]]:
    fields = ((name, field.annotation) for name, field in kind.model_fields.items())
    return [(name, type) for name, type in fields if isinstance(type, _MODEL) and issubclass(type, BaseModel)]


def _plain(kind: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    groups = {name for name, _ in _groups(kind)}
    return [(name, field) for name, field in kind.model_fields.items() if name not in groups]


_MODEL = type(BaseModel)


def _setting_row(prefix: str, name: str, field: FieldInfo) -> list[str]:
    default = "–" if field.default in (None, "") else f"`{field.default}`"
    return [f"`{prefix}{name.upper()}`", default, _meaning(field)]


def _meaning(field: FieldInfo) -> str:
    limits = "; ".join(_limits(field))
    return (field.description or "") + (f" ({limits})" if limits else "")


def _limits(field: FieldInfo) -> Iterator[str]:
    if get_origin(field.annotation) is Literal:
        yield "one of " + ", ".join(f"`{value}`" for value in get_args(field.annotation) if value)
    elif isinstance(field.annotation, EnumType):
        yield "one of " + ", ".join(f"`{each.value}`" for each in field.annotation)
    for bound in field.metadata:
        for kind, (attribute, words) in _BOUNDS.items():
            if isinstance(bound, kind):
                yield f"{words} {getattr(bound, attribute)}"
        if isinstance(bound, MinLen):
            yield "not empty"


# ── command line ─────────────────────────────────────────────────────────────────────────────────


def _cli_page() -> str:
    head = (
        "# Command line\n\nThe answer goes to standard output, everything else to standard error. With `--json` the "
        "answer is exactly one JSON document (of `chat`: one for each turn), and an error is "
        '`{"error": {"type": …, "message": …}}` on standard error.\n'
    )
    codes = _table(["exit code", "meaning"], [[str(code), meaning] for code, meaning in sorted(exits.MEANINGS.items())])
    helps = [f"## {name}\n\n```text\n{text}\n```\n" for name, text in _helps(typer.main.get_command(app), "everlore")]
    return "\n".join([_MADE, head, f"## Exit codes\n\n{codes}", *helps])


def _helps(command: Any, name: str, parent: Any = None) -> Iterator[tuple[str, str]]:
    """The help of a command and of the commands below it."""
    context = command.context_class(command, info_name=name.split()[-1], parent=parent, terminal_width=_HELP_COLUMNS)
    yield name, "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    for each, below in getattr(command, "commands", {}).items():
        yield from _helps(below, f"{name} {each}", context)


# ── policy ───────────────────────────────────────────────────────────────────────────────────────


def _policy_page() -> str:
    head = (
        "# Policy\n\nWho may write what, how deep each caller sees, what each is shown, and what each may ask for. The "
        "mode comes with a request (`X-Cognitive-Mode`), the role with its token; see [access](access.md).\n"
    )
    routes = (
        "## Routes\n\nOf conversations and memories, members and guests reach their own: for them, what is another's "
        "is not there (404). What a role may not ask for is refused with 403, or with 401 where a token is missing.\n"
    )
    return "\n".join([_MADE, head, policy_tables(), routes, rights_table(operations_of(document()))])


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


if __name__ == "__main__":
    main()
