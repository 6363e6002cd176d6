"""The doors lead one way, importing does nothing, and policy is decided in one room (C3)."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT, SOURCE, modules

# ── imports ──────────────────────────────────────────────────────────────────────────────────────


def test_the_contracts_between_the_rooms_hold() -> None:
    """Which room may import which stands in pyproject.toml."""
    command = Path(sys.executable).with_name("lint-imports")

    checked = subprocess.run(
        [command, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )

    assert checked.returncode == 0, checked.stdout + checked.stderr


_COUNT = """
import asyncio, json, sys
from everlore.settings import Settings
from everlore.wiring import opened

async def count():
    async with opened(Settings(database_url=sys.argv[1]), working=False) as lore:
        await lore.stats()
asyncio.run(count())
print(json.dumps(sorted(name for name in sys.modules if name.startswith("everlore."))))
"""


def test_who_only_counts_waits_for_no_room_but_that(tmp_path: Path) -> None:
    """A door opens when somebody goes through it: the rules of learning take longer to read than a database."""
    counted = subprocess.run(
        [sys.executable, "-c", _COUNT, str(tmp_path / "a.db")], capture_output=True, text=True, timeout=60
    )

    assert counted.returncode == 0, counted.stderr
    loaded = json.loads(counted.stdout)
    assert "everlore.store.sqlite.store" in loaded
    unwanted = (
        "everlore.learning.phrasebooks",
        "everlore.learning.facts",
        "everlore.compose.prompt",
        "everlore.turn.turns",
    )
    assert [name for name in loaded if name.startswith(unwanted)] == []


# Runs in a process of its own: what it watches must be watched from the first import on.
_IMPORT_ALL = """
import importlib, json, os, sys

touched = []
def watch(event, args):
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto", "sqlite3.connect"):
        touched.append(f"{event} {args[-1]!r}")
        raise OSError("the network is off")
sys.addaudithook(watch)

kind = type(os.environ)
plain_read = kind.__getitem__
def read(self, name):
    if name.startswith("EVERLORE_"):
        touched.append(f"read {name}")
    return plain_read(self, name)
kind.__getitem__ = read

for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
print(json.dumps(touched))
"""


def test_importing_every_module_reads_no_setting_and_opens_no_connection() -> None:
    """Style 8: only wiring reads the environment, and only when it is called."""
    # What is in `integrations` loads a framework, which looks whether this machine has IPv6.
    names = [name for name, _ in modules() if not re.search(r"__main__$|^everlore\.integrations\.", name)]
    environment = {"PATH": "", "EVERLORE_QUEUE__WORKERS": "not a number", "EVERLORE_DATABASE_URL": "postgresql://x"}

    imported = subprocess.run(
        [sys.executable, "-c", _IMPORT_ALL, json.dumps(names)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert imported.returncode == 0, imported.stderr
    assert json.loads(imported.stdout) == []


def test_importing_the_package_brings_nothing_heavy_along() -> None:
    """Who only wants a help text or an error class should not wait for numbers or servers."""
    heavy = {"numpy", "fastapi", "openai", "asyncpg", "pydantic", "uvicorn", "sqlite3", "tokenizers", "typer"}

    imported = subprocess.run(
        [sys.executable, "-c", "import sys, everlore; print(*{name.split('.')[0] for name in sys.modules})"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert heavy & set(imported.stdout.split()) == set()


# ── policy ───────────────────────────────────────────────────────────────────────────────────────


class _Branches(ast.NodeVisitor):
    """Finds where code decides by mode or role: a comparison, a match, a look-up by a member."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def visit_Compare(self, node: ast.Compare) -> None:
        self._note(node, node)

    def visit_MatchValue(self, node: ast.MatchValue) -> None:
        self._note(node, node.value)

    def visit_Dict(self, node: ast.Dict) -> None:
        for key in node.keys:
            if key is not None:
                self._note(node, key)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._note(node, node.slice)
        self.generic_visit(node)

    def visit_Set(self, node: ast.Set) -> None:
        self._note(node, node)

    def _note(self, where: ast.AST, within: ast.AST) -> None:
        for each in ast.walk(within):
            if _is_member(each) or _is_held(each):
                self.found.append(f"line {getattr(where, 'lineno', '?')}: {ast.unparse(where)}")
                return


def _is_member(node: ast.AST) -> bool:
    """`Mode.AGENT`, `policy.Role.GUEST`."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr.isupper()
        and ast.unparse(node.value).split(".")[-1] in ("Mode", "Role")
    )


def _is_held(node: ast.AST) -> bool:
    """`scope.role`, `scope.mode`: comparing it with a text would be a branch as well."""
    return isinstance(node, ast.Attribute) and node.attr in ("role", "mode") and "scope" in ast.unparse(node.value)


def _branches(source: str) -> list[str]:
    finder = _Branches()
    finder.visit(ast.parse(source))
    return finder.found


def test_no_other_room_branches_on_mode_or_role() -> None:
    """C3: four functions in policy.py decide everything."""
    policy = SOURCE / "domain" / "policy.py"

    found = {
        str(path.relative_to(SOURCE)): branches
        for _, path in modules()
        if path != policy and (branches := _branches(path.read_text(encoding="utf-8")))
    }

    assert found == {}
    assert _branches(policy.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "decision",
    [
        "if scope.mode is Mode.AGENT: ...",
        "if role in (Role.GUEST, Role.ANONYMOUS): ...",
        "x = 1 if mode == policy.Mode.DUAL else 2",
        "if scope.role == 'guest': ...",
        "match mode:\n    case Mode.AGENT: ...",
        "match mode:\n    case Mode.AGENT | Mode.DUAL: ...",
        "DEPTHS = {Role.OWNER: 12}",
        "STRANGERS = {Role.GUEST}",
        "x = DEPTHS[scope.role]",
        "x = DEPTHS[Mode.DUAL]",
        "while not (mode != Mode.EMULATION): ...",
    ],
)
def test_a_branch_on_mode_or_role_would_be_seen(decision: str) -> None:
    """C3: the proof is worth what it can find."""
    assert _branches(decision)


@pytest.mark.parametrize(
    "harmless",
    [
        "role: Role = Role.OWNER",
        "Scope('x', role=Role.GUEST)",
        "can_write(scope.mode, event)",
        "if message.role == 'user': ...",
    ],
)
def test_naming_or_passing_on_a_mode_or_role_is_no_branch(harmless: str) -> None:
    """C3."""
    assert _branches(harmless) == []
