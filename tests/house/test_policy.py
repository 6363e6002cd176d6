"""Who may do what is decided in one room: nobody else branches on a mode or a role (C3)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import ROOT

SOURCES = sorted((ROOT / "src" / "everlore").rglob("*.py"))
POLICY = ROOT / "src" / "everlore" / "domain" / "policy.py"
ENUMS = {"Mode", "Role"}
# Whatever carries a mode or a role of a caller.
CARRIERS = {"scope", "_scope", "token"}


def branches_in(tree: ast.AST) -> Iterator[int]:
    """The lines on which a mode or role decides something: compared, matched, looked up in a table, listed as one of
    several."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                deciding: list[ast.expr] = [left, *others]
            case ast.Match(subject=subject):
                deciding = [subject]
            case ast.MatchValue(value=value):
                deciding = [value]
            case ast.Subscript(slice=key):
                deciding = [key]
            case ast.Dict(keys=keys):
                deciding = [key for key in keys if key is not None]
            case ast.Set(elts=items) | ast.Tuple(elts=items) | ast.List(elts=items):
                deciding = [item for item in items if is_named_outright(item)]
            case _:
                continue
        if any(is_of_caller(each) for each in deciding):
            yield node.lineno


def is_named_outright(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ENUMS


def is_of_caller(node: ast.expr) -> bool:
    """`Role.GUEST`, `scope.mode`, `self._scope.role`, with or without `.value`."""
    if isinstance(node, ast.Attribute) and node.attr == "value":
        node = node.value
    if not isinstance(node, ast.Attribute):
        return False
    owner = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
    return owner in ENUMS or (owner in CARRIERS and node.attr in {"mode", "role"})


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_policy_branches_on_mode_and_role(path: Path) -> None:
    """C3."""
    if path != POLICY:
        assert list(branches_in(ast.parse(path.read_text()))) == []


@pytest.mark.parametrize(
    "code",
    [
        "if scope.role == wanted: pass",
        "if self._scope.mode is Mode.EMULATION: pass",
        "x = role in (Role.OWNER, Role.MEMBER)",
        "x = {Role.GUEST: 3}[role]",
        "x = table[scope.mode]",
        "x = table[scope.role.value]",
        "match scope.mode:\n    case Mode.AGENT: pass",
        "match mode:\n    case Mode.AGENT: pass",
        "x = y if token.role is Role.OWNER else z",
    ],
)
def test_such_a_branch_is_noticed(code: str) -> None:
    assert list(branches_in(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "Scope(workspace, role=Role.OWNER)",
        "can_write(scope.mode, EventType.SUMMARY)",
        "Me(role=lore.scope.role.value)",
        "row = (scope.actor, scope.role.value)",
    ],
)
def test_what_only_hands_it_on_is_not(code: str) -> None:
    assert not list(branches_in(ast.parse(code)))
