"""What is wrong with a template is told when it is saved; what is only unwise, too (P1, P3, P5, P14)."""

import pytest

from everlore.compose.builtins import built_in, find_built_in
from everlore.compose.lint import Checked, check
from everlore.domain.template import TemplateDocument
from tests.compose.stage import SLOT, document, messages_of

NO_SLOT = (
    "sections: There is no place for memory. Write ${memory.context} where it belongs; until then it is added last."
)
SOME_SLOTS = "sections: What the slots for memory do not take is added last: there is no ${memory.context}."


def _check(written: TemplateDocument, *parents: TemplateDocument) -> Checked:
    return check(written, {each.name: each for each in parents}.get)


def _warnings(sections: dict[str, object], **fields: object) -> list[str]:
    return messages_of(_check(document(sections, **fields)).warnings)


# ── the slot invariant ───────────────────────────────────────────────────────────────────────────


def test_a_template_with_a_place_for_memory_is_fine() -> None:
    """P14."""
    checked = _check(document({"memory": SLOT}))

    assert checked.resolved
    assert (checked.errors, checked.warnings) == ((), ())


def test_a_template_without_a_place_for_memory_is_told_so() -> None:
    """P14."""
    assert _warnings({"a": "A."}) == [NO_SLOT]
    assert _warnings({"a": "$${memory.context} ${memory.count} ${memory.vow}"}) == [NO_SLOT]


def test_slots_for_some_kinds_of_memory_leave_the_rest_to_the_end() -> None:
    """P14."""
    assert _warnings({"a": "${memory.facts} ${memory.lastSession}"}) == [SOME_SLOTS]


@pytest.mark.parametrize(
    ("sections", "fields"),
    [
        ({"a": "${own}"}, {"variables": {"own": "Know: ${inner}", "inner": "${memory.context}"}}),
        ({"a": "A."}, {"roles": {"system": {"content": ["${memory.context}"]}}}),
    ],
)
def test_a_place_for_memory_may_be_in_a_variable_or_in_an_introduction(
    sections: dict[str, object], fields: object
) -> None:
    """P14."""
    assert isinstance(fields, dict)
    assert _warnings(sections, **fields) == []


def test_a_variable_of_ones_own_with_the_name_of_the_slot_is_no_slot() -> None:
    """P14."""
    assert _warnings({"a": "${memory.context}"}, variables={"memory.context": "Nothing."}) == [NO_SLOT]


def test_a_slot_that_only_the_parent_has_is_a_slot_until_it_is_left_out() -> None:
    """P3, P14."""
    base = document({"a": "A.", "memory": SLOT}, name="Base")
    child = document({}, name="Child", extends="Base")
    forgetful = document({"memory": {"exclude": True}}, name="Forgetful", extends="Base")

    assert _check(child, base).warnings == ()
    assert messages_of(_check(forgetful, base).warnings) == [NO_SLOT]


def test_leaving_out_what_a_parent_requires_is_a_warning() -> None:
    """P3."""
    base = document({"a": {"required": True, "content": "A."}, "memory": SLOT}, name="Base")
    child = document({"a": {"exclude": True}}, name="Child", extends="Base")

    assert messages_of(_check(child, base).warnings) == [
        "sections.a.exclude: A parent requires this section, and it is left out."
    ]


# ── variables ────────────────────────────────────────────────────────────────────────────────────


def test_an_unknown_variable_is_told_with_its_place() -> None:
    """P1, P5: once for each section."""
    checked = _check(
        document(
            {"a": ["${nobody} ${nobody}", "${nobody}"], "memory": SLOT},
            roles={"user": {"content": ["I am ${whoever}."]}},
            variables={"own": "${system.frstName}"},
        )
    )

    assert messages_of(checked.faults) == [
        "sections.a.content: There is no variable ${nobody}. The page about templates lists them all.",
        "roles.user.content: There is no variable ${whoever}. The page about templates lists them all.",
        "variables.own: There is no variable ${system.frstName}. The page about templates lists them all.",
    ]
    assert checked.resolved
    assert checked.errors == checked.faults


@pytest.mark.parametrize("line", ["${a", "${}", "x ${ y"])
def test_an_opening_that_names_nothing_is_told(line: str) -> None:
    """P5."""
    [fault] = _check(document({"a": line, "memory": SLOT})).faults

    assert str(fault).startswith("sections.a.content: A ${ is opened and does not name a variable.")


def test_what_comes_from_elsewhere_is_known() -> None:
    """P5: memories by id, the summary, media, and the template's own."""
    line = "${memory.any-id_7} ${summary} ${own} ${image.TAG} ${audio.Hi} ${system.firstName} $${nobody}"

    assert _check(document({"a": line, "memory": SLOT}, variables={"own": "x"})).faults == ()


def test_a_memory_without_an_id_is_unknown() -> None:
    """P5."""
    assert len(_check(document({"a": "${memory.}", "memory": SLOT})).faults) == 1


def test_a_circle_of_variables_is_told_at_each_of_them() -> None:
    """P5."""
    variables = {"a": "${b}", "b": "${c} ${d}", "c": "${a}", "d": "${a}", "e": "${a}"}

    checked = _check(document({"x": "${a}", "memory": SLOT}, variables=variables))

    told = messages_of(checked.faults)
    assert [fault.partition(":")[0] for fault in told] == ["variables.a", "variables.b", "variables.c", "variables.d"]
    assert "The variables go in a circle: c → a → b → c. Break it at one of them." in told[2]


def test_a_variable_of_a_parent_can_close_a_circle() -> None:
    """P3, P5."""
    base = document({"memory": SLOT}, name="Base", variables={"a": "${b}", "b": "B"})
    child = document({}, name="Child", extends="Base", variables={"b": "${a}"})

    assert _check(base).faults == ()
    assert len(_check(child, base).faults) == 2


# ── what makes it unusable ───────────────────────────────────────────────────────────────────────


def test_a_template_that_cannot_be_used_is_told_why_and_gives_none() -> None:
    """P1, P3."""
    checked = _check(document({"a": {"condition": "hasMemory", "content": "A."}}, extends="Nobody"))

    assert checked.resolved is None
    assert messages_of(checked.errors) == [
        "extends: Template 'Test' extends 'Nobody', which does not exist. Correct its `extends`, or leave it out."
    ]


@pytest.mark.parametrize("id", sorted(built_in()))
def test_the_built_in_templates_have_nothing_wrong_with_them(id: str) -> None:
    """P7, P14."""
    checked = check(built_in()[id], find_built_in)

    assert (checked.errors, checked.warnings) == ((), ())
