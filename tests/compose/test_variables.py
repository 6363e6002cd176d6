"""Variables are resolved when a line needs them, in any order, and never twice (P5)."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.compose.variables import Literal, Resolver, Variable, VariableUse, VariableView, names_in, pieces_of
from everlore.domain.template import RoleName
from tests.compose.stage import said, scene, system_of, template

SYSTEM = RoleName.SYSTEM


def _known(**values: str | Callable[[VariableView], str]) -> dict[str, Variable]:
    """A text is a value; a function works one out."""
    return {name: Variable(_worth(value), "A test.") for name, value in values.items()}


def _worth(value: str | Callable[[VariableView], str]) -> Callable[[VariableView], str]:
    return value if callable(value) else lambda _view: value


def _resolver(known: dict[str, Variable], own: dict[str, str] | None = None, **fields: Any) -> Resolver:
    return Resolver(scene(), known, own or {}, **fields)


# ── lines ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        ("plain", ["plain"]),
        ("${a}", [VariableUse("a")]),
        ("x${a}y${ b }z", ["x", VariableUse("a"), "y", VariableUse("b"), "z"]),
        ("${a}${a}", [VariableUse("a"), VariableUse("a")]),
        ("$${a}", ["${", "a}"]),
        ("$$${a}", ["$", "${", "a}"]),
        ("${image.smile,sea} ${audio.Hi}", ["${image.smile,sea}", " ", "${audio.Hi}"]),
        ("${a", [VariableUse(""), "a"]),
        ("${}", [VariableUse("")]),
        ("${a${b}}", [VariableUse(""), "a", VariableUse("b"), "}"]),
        ("{a} $a $ {a} {{char}}", ["{a} $a $ {a} {{char}}"]),
    ],
)
def test_a_line_is_text_and_variables(line: str, pieces: list[str | VariableUse]) -> None:
    """P5: "$${" means the text, and so do the tokens by which a model asks for media."""
    found = [piece for piece in pieces_of(line) if piece != Literal("")]

    assert found == [Literal(piece) if isinstance(piece, str) else piece for piece in pieces]


@given(st.text(alphabet="${}ab. \n", max_size=40))
def test_any_line_is_read_to_its_end(line: str) -> None:
    """P5: nothing but marks is lost."""
    literal = "".join(piece.text for piece in pieces_of(line) if isinstance(piece, Literal))

    assert len(literal) <= len(line)
    assert all("{" not in name for name in names_in(line))


# ── laziness ─────────────────────────────────────────────────────────────────────────────────────


def test_only_what_is_asked_for_is_worked_out_and_only_once() -> None:
    """P5."""
    worked_out: list[str] = []

    def value(view: VariableView) -> str:
        worked_out.append("a")
        return f"<{view.get('b')}>"

    resolver = _resolver(_known(a=value, b="B", c=lambda _view: pytest.fail("nobody asked for it")))

    assert [resolver.value("a", SYSTEM) for _ in range(3)] == ["<B>"] * 3
    assert worked_out == ["a"]
    assert resolver.faults == {}


def test_a_variable_may_say_something_else_in_another_role() -> None:
    """P5."""
    resolver = _resolver(_known(who=lambda view: view.role.value))

    assert [resolver.value("who", role) for role in RoleName] == ["system", "user", "assistant"]


def test_the_order_in_which_variables_are_asked_for_does_not_matter() -> None:
    """P5."""
    own = {"a": "${b}-${c}", "b": "(${c})", "c": "${d}"}
    known = _known(d="D", e=lambda view: view.get("a") + view.get("d"))
    expected = {"a": "(D)-D", "b": "(D)", "c": "D", "d": "D", "e": "(D)-DD"}

    for order in permutations(expected):
        resolver = _resolver(known, own)
        assert {name: resolver.value(name, SYSTEM) for name in order} == expected


def test_a_variable_that_no_section_in_use_has_is_never_looked_at() -> None:
    """P2, P5: not even to say that nobody knows it."""
    written = template({"a": "Hello.", "b": {"condition": "isGuest", "content": "${nobody}"}})

    assert system_of(written, said("Hi")) == "Hello."


# ── faults ───────────────────────────────────────────────────────────────────────────────────────


def test_a_circle_is_broken_and_told() -> None:
    """P5."""
    resolver = _resolver({}, {"a": "1${b}", "b": "2${c}", "c": "3${a}"})

    assert resolver.value("a", SYSTEM) == "123"
    assert [fault.message for fault in resolver.faults.values()] == [
        "The variables go in a circle: a → b → c → a. Break it at one of them."
    ]


def test_a_variable_of_itself_is_a_circle() -> None:
    """P5."""
    resolver = _resolver(_known(b=lambda view: view.get("b")), {"a": "x${a}"})

    assert (resolver.value("a", SYSTEM), resolver.value("b", SYSTEM)) == ("x", "")
    assert "a → a" in resolver.faults["a"].message
    assert "b → b" in resolver.faults["b"].message


def test_using_a_variable_twice_is_no_circle() -> None:
    """P5."""
    resolver = _resolver(_known(c="C"), {"a": "${b}${b}", "b": "${c}${c}"})

    assert resolver.value("a", SYSTEM) == "CCCC"
    assert resolver.faults == {}


def test_an_unknown_variable_is_left_out_and_told_once() -> None:
    """P5."""
    resolver = _resolver({})

    assert [resolver.value("nobody", SYSTEM) for _ in range(2)] == ["", ""]
    assert [fault.message for fault in resolver.faults.values()] == [
        "There is no variable ${nobody}. The page about templates lists them all."
    ]


def test_an_opening_that_is_never_closed_is_told() -> None:
    """P5."""
    resolver = _resolver({}, {"a": "x${b"})

    assert resolver.value("a", SYSTEM) == "xb"
    assert "A ${ is opened and does not name a variable. Close it, or write $${" in resolver.faults[""].message


def test_variables_that_double_with_every_step_do_not_grow_without_end() -> None:
    """P5, S-8: five more of these lines would be gigabytes, and a template may have five hundred."""
    own = {f"v{step}": f"${{v{step + 1}}}" * 2 for step in range(12)} | {"v12": "x" * 20_000}
    resolver = _resolver({}, own)

    text = resolver.value("v0", SYSTEM)

    assert len(text) <= 1_000_000
    assert resolver.faults


def test_a_long_chain_of_variables_does_not_break_the_stack() -> None:
    """P5: a template may have five hundred of them."""
    own = {f"v{step}": f"${{v{step + 1}}}" for step in range(499)} | {"v499": "x"}

    resolver = _resolver({}, own)

    assert resolver.value("v0", SYSTEM) == "x" or resolver.faults


# ── values are data ──────────────────────────────────────────────────────────────────────────────


def test_a_value_is_never_resolved_again() -> None:
    """P5, S-6."""
    resolver = _resolver(_known(a="${b}", b="secret"), {"own": "<${a}>", "text": "$${b}", "again": "${text}"})

    assert resolver.value("own", SYSTEM) == "<${b}>"
    assert resolver.value("again", SYSTEM) == "${b}"


def test_a_templates_own_variables_come_before_ours() -> None:
    """P5."""
    resolver = _resolver(_known(a="ours", b=lambda view: view.get("a")), {"a": "own"})

    assert resolver.value("a", SYSTEM) == "own"
    assert resolver.value("b", SYSTEM) == "own"


def test_only_what_comes_with_a_frame_of_its_own_is_put_in_as_it_is() -> None:
    """P8."""
    known = {framed: Variable(lambda _view: "</mcp:context>", "", framed=framed == "yes") for framed in ("yes", "no")}
    resolver = _resolver(known)

    assert resolver.value("yes", SYSTEM) == "</mcp:context>"
    assert resolver.value("no", SYSTEM) == "&lt;/mcp:context>"


def test_what_is_printed_once_is_empty_the_second_time() -> None:
    """P14: wherever it is asked for."""
    resolver = _resolver(_known(a="A", b="B"), {"own": "${a}"}, once={"a"})

    assert [resolver.value("own", SYSTEM), resolver.value("a", RoleName.USER)] == ["A", ""]
    assert [resolver.value("b", SYSTEM), resolver.value("b", SYSTEM)] == ["B", "B"]


def test_a_line_that_says_the_same_over_and_over_ends_somewhere() -> None:
    """S-8: two small variables can make millions of words."""
    own = {"b": "x y" * 6_000, "c": "${b}" * 10}
    resolver = _resolver({}, own)

    told = [resolver.said(piece, SYSTEM) for piece in pieces_of("${c}" * 200)]

    assert sum(len(segment.text) for segments in told for segment in segments) <= 2_000_000
    assert [fault.message for fault in resolver.faults.values()] == [
        "The prompt grows beyond 2,000,000 characters; the rest is left out."
    ]
