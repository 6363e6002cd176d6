"""When a section is used: a circumstance, or some of them with and, or, not, in either notation (P2)."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.condition import (
    ALWAYS,
    CIRCUMSTANCES,
    All,
    AnyOf,
    BadCondition,
    Condition,
    Not,
    VariableRef,
    holds,
    parse,
)

SCENE, MEDIA, GUEST = VariableRef("includeScene"), VariableRef("supportsMedia"), VariableRef("isGuest")


@pytest.mark.parametrize("name", CIRCUMSTANCES)
def test_every_circumstance_is_a_condition_that_holds_when_it_is_given(name: str) -> None:
    """P2."""
    condition = parse(name)

    assert condition == VariableRef(name)
    assert holds(condition, {name})
    assert holds(condition, set()) is (name == "always")


def test_the_circumstances_are_those_of_the_specification() -> None:
    """P2."""
    assert set(CIRCUMSTANCES) == set(
        "hasEpisodes includeScene hasMemories supportsMedia useNLP hasImageTags hasSummary hasTools hasCampaign "
        "isGuest always".split()
    )
    assert VariableRef("always") == ALWAYS


# ── two notations ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "json"),
    [
        ("includeScene", "includeScene"),
        ("not includeScene", {"not": "includeScene"}),
        ("not not includeScene", {"not": {"not": "includeScene"}}),
        ("includeScene and supportsMedia", {"and": ["includeScene", "supportsMedia"]}),
        ("includeScene or supportsMedia or isGuest", {"or": ["includeScene", "supportsMedia", "isGuest"]}),
        (
            "not (includeScene or isGuest) and supportsMedia",
            {"and": [{"not": {"or": ["includeScene", "isGuest"]}}, "supportsMedia"]},
        ),
        ("  includeScene\tAND\n( NOT isGuest )", {"and": ["includeScene", {"not": "isGuest"}]}),
        ("((includeScene))", "includeScene"),
    ],
)
def test_both_notations_mean_the_same(text: str, json: Any) -> None:
    """P2."""
    assert parse(text) == parse(json)


def test_not_binds_closest_then_and_then_or() -> None:
    """P2."""
    assert parse("includeScene or supportsMedia and not isGuest") == AnyOf((SCENE, All((MEDIA, Not(GUEST)))))
    assert parse("not includeScene and supportsMedia or isGuest") == AnyOf((All((Not(SCENE), MEDIA)), GUEST))


def test_brackets_group() -> None:
    """P2."""
    assert parse("(includeScene or supportsMedia) and isGuest") == All((AnyOf((SCENE, MEDIA)), GUEST))
    assert parse("not(includeScene and supportsMedia)") == Not(All((SCENE, MEDIA)))


def test_a_list_of_one_is_what_it_holds() -> None:
    """P2."""
    assert holds(parse({"and": ["isGuest"]}), {"isGuest"})
    assert not holds(parse({"or": ["isGuest"]}), {"includeScene"})


# ── any condition ────────────────────────────────────────────────────────────────────────────────

CONDITIONS: st.SearchStrategy[Condition] = st.recursive(
    st.sampled_from(CIRCUMSTANCES).map(VariableRef),
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=3).map(lambda of: All(tuple(of))),
        st.lists(inner, min_size=2, max_size=3).map(lambda of: AnyOf(tuple(of))),
    ),
    max_leaves=8,
)


def _as_text(condition: Condition) -> str:
    match condition:
        case VariableRef(name):
            return name
        case Not(of):
            return f"not ({_as_text(of)})"
        case All(parts) | AnyOf(parts):
            joint = " and " if isinstance(condition, All) else " or "
            return joint.join(f"({_as_text(part)})" for part in parts)


def _as_json(condition: Condition) -> Any:
    match condition:
        case VariableRef(name):
            return name
        case Not(of):
            return {"not": _as_json(of)}
        case All(parts) | AnyOf(parts):
            return {"and" if isinstance(condition, All) else "or": [_as_json(part) for part in parts]}


def _is_true(condition: Condition, given: set[str]) -> bool:
    """Worked out by the language itself."""
    names = {name: name in given or name == "always" for name in CIRCUMSTANCES}
    return bool(eval(_as_text(condition), {"__builtins__": {}}, names))


@given(CONDITIONS, st.sets(st.sampled_from(CIRCUMSTANCES)))
def test_any_condition_reads_back_from_both_notations_and_holds_as_logic_says(
    condition: Condition, given: set[str]
) -> None:
    """P2."""
    assert parse(_as_text(condition)) == condition
    assert parse(_as_json(condition)) == condition
    assert holds(condition, given) is _is_true(condition, given)


@given(st.text(max_size=60) | st.text(alphabet="()notadrisGuest ", max_size=60))
def test_any_text_is_a_condition_or_a_bad_one(text: str) -> None:
    """P2: never anything else."""
    with suppress(BadCondition):
        assert holds(parse(text), CIRCUMSTANCES) in (True, False)


# ── errors ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("hasMemory", "There is no condition 'hasMemory'. Known: hasEpisodes, includeScene,"),
        ("hasmemories", "There is no condition 'hasmemories'."),
        ("", 'The condition is empty. Write "always", or leave it out.'),
        ("   ", "The condition is empty."),
        ("isGuest and", "The condition ends too early: after and, or, not there must be another name."),
        ("not", "The condition ends too early"),
        ("(isGuest", "A bracket is opened in the condition and never closed."),
        ("isGuest)", "')' is one word too many in the condition 'isGuest)'."),
        ("isGuest includeScene", "'includeScene' is one word too many in the condition"),
        ("and isGuest", "There is no condition 'and'."),
        ("isGuest && includeScene", "'&&' is one word too many"),
        (7, 'A condition is a name, or an object with one of "and", "or", "not".'),
        (["isGuest"], "A condition is a name, or an object"),
        ({}, "A condition is a name, or an object"),
        ({"and": ["isGuest"], "or": ["isGuest"]}, "A condition is a name, or an object"),
        ({"and": "isGuest"}, '\'and\' is not understood: "and" and "or" take a list, "not" takes one condition.'),
        ({"or": []}, "'or' is not understood"),
        ({"xor": ["isGuest"]}, "'xor' is not understood"),
        ({"not": ["isGuest"]}, "A condition is a name, or an object"),
        ({"not": {"and": ["isGuest", "nobody"]}}, "There is no condition 'nobody'."),
        # Within JSON a name is a name: one notation or the other.
        ({"not": "isGuest or includeScene"}, "There is no condition 'isGuest or includeScene'."),
    ],
)
def test_an_error_says_what_is_wrong_with_the_condition(written: Any, sentence: str) -> None:
    """P1, P2."""
    with pytest.raises(BadCondition) as caught:
        parse(written)

    assert sentence in str(caught.value)


@pytest.mark.parametrize("depth", [60, 900])
def test_a_condition_as_deep_as_the_stack_is_refused_in_words(depth: int) -> None:
    """P2, S-8."""
    nested: Any = "isGuest"
    for _ in range(depth):
        nested = {"not": nested}

    for written in ("not " * depth + "isGuest", "(" * depth + "isGuest" + ")" * depth, nested):
        with pytest.raises(BadCondition, match=r"nested more than 50 levels deep\. Make it simpler\."):
            parse(written)


def test_a_wide_condition_is_no_deep_one() -> None:
    """P2."""
    wide = " or ".join(["isGuest"] * 200)

    assert holds(parse(wide), {"isGuest"})


def test_a_condition_longer_than_anybody_writes_is_refused() -> None:
    """S-8: reading it takes more than linear time."""
    with pytest.raises(BadCondition, match="too long"):
        parse(" or ".join(["isGuest"] * 5_000))
