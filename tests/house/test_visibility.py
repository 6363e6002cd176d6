"""Who may see what is decided in one place: no other room looks at spoilers, secrets or what is private (G9, R11)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import ROOT

ROOMS = ("campaign", "recall", "turn", "services", "server", "compose", "interchange", "cli")
SOURCES = sorted(path for room in ROOMS for path in (ROOT / "src" / "everlore" / room).rglob("*.py"))
ENUM = "Visible"
# What a record says of itself.
FLAGS = {"is_spoiler", "visibility"}
# What a search says of whoever asks; `store/visibility_filters.py` fills it in.
FILTERS = {"with_spoilers", "visibilities", "private_in", "canon_of", "open_of"}

# Who is in a scene now is no matter of who heard what.
ON_STAGE = {"self", "stage"}


def looks_in(node: ast.AST) -> Iterator[int]:
    """The lines on which such a flag is looked at, or such a filter set. What only hands a flag on, to a record, a
    document or a field of the same name, looks at nothing."""
    match node:
        case ast.keyword(arg=arg) if arg in FLAGS | {"spoiler"}:
            return
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if not (isinstance(key, ast.Constant) and key.value in FLAGS):
                    yield from looks_in(value)
            return
        case ast.AnnAssign(target=ast.Name(id=name)) if name in FLAGS:
            return
        case ast.Attribute(attr=attr, ctx=ast.Load()) if attr in FLAGS:
            yield node.lineno
        case ast.Attribute(value=ast.Name(id=name)) if name == ENUM:
            yield node.lineno
        case ast.Compare(
            ops=[ast.In() | ast.NotIn()], comparators=[ast.Attribute(value=ast.Name(id=name), attr="present")]
        ):
            if name not in ON_STAGE:
                yield node.lineno
        case ast.keyword(arg=arg) if arg in FILTERS:
            yield node.value.lineno
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=name), *_]) if name in FLAGS:
            yield node.lineno
    for child in ast.iter_child_nodes(node):
        yield from looks_in(child)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_rule_looks_at_what_is_hidden(path: Path) -> None:
    """G9, R11: all others ask `domain/visibility.py`, or let `store/visibility_filters.py` ask the store."""
    assert list(looks_in(ast.parse(path.read_text()))) == []


@pytest.mark.parametrize(
    "code",
    [
        "if memory.is_spoiler: pass",
        "x = [each for each in items if not each.is_spoiler]",
        "x = memory.visibility is wanted",
        "x = each in (Visible.NORMAL, Visible.SECRET)",
        "match visibility:\n    case Visible.PRIVATE: pass",
        "Search(text=text, with_spoilers=True)",
        "replace(ask, private_in='')",
        "x = getattr(record, 'is_spoiler', False)",
        "x = {'shown': not memory.is_spoiler}",
        "x = not message.present or person_id in message.present",
    ],
)
def test_such_a_look_is_noticed(code: str) -> None:
    assert list(looks_in(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "Memory(is_spoiler=one.is_spoiler or other.is_spoiler)",
        "MemoryOut(visibility=memory.visibility)",
        "x = {'is_spoiler': memory.is_spoiler}",
        "class Wanted:\n    visibility: Visible = Visible.NORMAL",
        "if may_see(viewer, memory, place): pass",
    ],
)
def test_what_only_hands_it_on_is_not(code: str) -> None:
    assert not list(looks_in(ast.parse(code)))
