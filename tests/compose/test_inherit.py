"""A child overrides, adds or leaves out sections of its parents, to any depth (P3)."""

from collections.abc import Mapping

import pytest

from everlore.compose.inherit import BadTemplate, ResolvedTemplate, Section
from everlore.domain.condition import ALWAYS, VariableRef
from everlore.domain.template import Framing, RoleName, TemplateDocument
from tests.compose.stage import document, problems_of, resolved

BASE = document(
    {
        "identity": {"order": 10, "required": True, "content": ["You are ${system.fullName}.", "Stay so."]},
        "rules": {"order": 20, "required": True, "content": ["Be brief.", "Be kind."]},
        "scene": {"order": 30, "condition": "includeScene", "content": ["${scene.auto}"]},
        "memory": {"order": 40, "content": ["${memory.context}"]},
    },
    name="Base",
    style="narrative",
    variables={"tone": "warm", "place": "a pier"},
    roles={"user": {"content": ["I am ${user.firstName}."]}},
)


def _child(
    sections: Mapping[str, object], name: str = "Child", extends: str = "Base", **fields: object
) -> TemplateDocument:
    return document(sections, name=name, extends=extends, **fields)


def _of(template: ResolvedTemplate, role: RoleName = RoleName.SYSTEM) -> list[str]:
    return [section.name for section in template.roles[role].sections]


def _section(template: ResolvedTemplate, name: str) -> Section:
    [found] = [section for section in template.sections if section.name == name]
    return found


# ── what a child may do ──────────────────────────────────────────────────────────────────────────


def test_a_child_that_says_nothing_is_its_parent() -> None:
    """P3."""
    child = resolved(_child({}), BASE)

    assert child.roles == resolved(BASE).roles
    assert (child.name, child.style, child.framing) == ("Child", "narrative", Framing.BLOCK)
    assert child.lineage == ("Child", "Base")


def test_an_override_keeps_what_it_does_not_say() -> None:
    """P3."""
    child = resolved(_child({"scene": {"override": True, "content": "Here: ${setting}"}}), BASE)

    scene = _section(child, "scene")
    assert scene.content == ("Here: ${setting}",)
    assert (scene.order, scene.condition, scene.origin) == (30, VariableRef("includeScene"), "Child")
    assert _section(child, "rules").origin == "Base"


def test_an_override_may_change_everything_but_the_content() -> None:
    """P3: also to no, to zero, and to always."""
    changed = {"override": True, "order": 0, "required": False, "condition": "always", "numbered": False}

    rules = _section(resolved(_child({"rules": changed}), BASE), "rules")

    assert rules.content == ("Be brief.", "Be kind.")
    assert (rules.order, rules.required, rules.condition, rules.numbered) == (0, False, ALWAYS, False)


def test_a_section_is_added_at_its_place() -> None:
    """P3: one without an order comes after those with a lower one."""
    child = resolved(_child({"tone": {"order": 15, "content": "Be warm."}, "late": "At last."}), BASE)

    assert _of(child) == ["identity", "tone", "rules", "scene", "memory", "late"]


def test_sections_of_the_same_order_stay_as_they_were_written() -> None:
    """P1, P3."""
    template = resolved(document({name: {"order": 5, "content": name} for name in ("c", "a", "b")}))

    assert _of(template) == ["c", "a", "b"]


def test_an_excluded_section_is_gone() -> None:
    """P3."""
    child = resolved(_child({"scene": {"exclude": True}}), BASE)

    assert _of(child) == ["identity", "rules", "memory"]
    assert child.missed == ()


def test_leaving_out_what_a_parent_requires_is_only_noted() -> None:
    """P3."""
    child = resolved(_child({"identity": {"exclude": True}}), BASE)

    assert _of(child) == ["rules", "scene", "memory"]
    assert child.missed == ("identity",)


def test_a_section_that_comes_back_is_missed_no_longer() -> None:
    """P3."""
    child = _child({"identity": {"exclude": True}})
    grandchild = _child({"identity": {"content": "You are a ghost."}}, name="Ghost", extends="Child")

    ghost = resolved(grandchild, child, BASE)

    assert _section(ghost, "identity").content == ("You are a ghost.",)
    assert ghost.missed == ()


def test_variables_style_and_framing_are_inherited_and_may_be_changed() -> None:
    """P3, P15."""
    child = resolved(_child({}, variables={"place": "a ship"}, style="terse", framing="markdown"), BASE)
    grandchild = resolved(_child({}, name="Third", extends="Child"), _child({}, framing="markdown"), BASE)

    assert child.variables == {"tone": "warm", "place": "a ship"}
    assert (child.style, child.framing) == ("terse", Framing.MARKDOWN)
    assert grandchild.framing is Framing.MARKDOWN


# ── depth ────────────────────────────────────────────────────────────────────────────────────────


def test_three_levels_add_up() -> None:
    """P3."""
    middle = _child({"rules": {"override": True, "content": ["Be bold."]}, "tone": {"order": 15, "content": "Salty."}})
    last = _child(
        {
            "rules": {"override": True, "order": 5},
            "tone": {"exclude": True},
            "scene": {"override": True, "required": True},
        },
        name="Third",
        extends="Child",
    )

    third = resolved(last, middle, BASE)

    assert _of(third) == ["rules", "identity", "scene", "memory"]
    assert _section(third, "rules").content == ("Be bold.",)
    assert (_section(third, "scene").required, _section(third, "scene").condition) == (
        True,
        VariableRef("includeScene"),
    )
    assert third.lineage == ("Third", "Child", "Base")


def test_forty_levels_are_no_more_than_forty_parents() -> None:
    """P3: any depth."""
    chain = [document({"s0": "Line 0."}, name="T0")]
    for level in range(1, 41):
        added = {f"s{level}": f"Line {level}.", "s0": {"override": True, "content": f"Of {level}."}}
        chain.append(_child(added, name=f"T{level}", extends=f"T{level - 1}"))

    deepest = resolved(*reversed(chain))

    assert len(deepest.sections) == 41
    assert _section(deepest, "s0").content == ("Of 40.",)
    assert deepest.lineage[-1] == "T0"


# ── who says what ────────────────────────────────────────────────────────────────────────────────


def test_a_section_that_no_role_names_is_the_systems() -> None:
    """P1, P3."""
    roles = {"system": {"sections": ["b"]}, "assistant": {"sections": ["c"], "content": ["Ready."]}}
    template = resolved(document({"a": "A.", "b": "B.", "c": "C."}, roles=roles))

    assert _of(template) == ["b", "a"]
    assert _of(template, RoleName.ASSISTANT) == ["c"]
    assert template.roles[RoleName.ASSISTANT].content == ("Ready.",)


def test_a_role_orders_its_sections_by_their_order() -> None:
    """P1: not by the order in which it names them."""
    sections = {"late": {"order": 2, "content": "2"}, "early": {"order": 1, "content": "1"}}

    assert _of(resolved(document(sections, roles={"system": {"sections": ["late", "early"]}}))) == ["early", "late"]


def test_a_section_that_two_roles_name_is_said_once() -> None:
    """P1."""
    roles = {"user": {"sections": ["a", "a"]}, "system": {"sections": ["a"]}}
    template = resolved(document({"a": "A."}, roles=roles))

    assert [section.name for section in template.sections] == ["a"]
    assert _of(template) == ["a"]


def test_a_role_that_a_child_defines_takes_the_place_of_the_parents() -> None:
    """P3."""
    child = resolved(_child({}, roles={"user": {"sections": ["scene"], "consent": True}}), BASE)

    assert child.roles[RoleName.USER].content == ()
    assert child.roles[RoleName.USER].consent is True
    assert _of(child, RoleName.USER) == ["scene"]
    assert _of(child) == ["identity", "rules", "memory"]


def test_a_role_may_go_on_naming_what_a_child_left_out() -> None:
    """P3: whoever excludes a section need not write the parent's roles again."""
    base = document({"a": "A.", "b": "B."}, name="Base", roles={"system": {"sections": ["a", "b"]}})

    assert _of(resolved(_child({"a": {"exclude": True}}), base)) == ["b"]


def test_a_section_called_rules_is_numbered_unless_it_says_otherwise() -> None:
    """P4."""
    template = resolved(document({"rules": "A.", "more": {"numbered": True, "content": "B."}, "tone": "C."}))

    assert [section.numbered for section in template.sections] == [True, True, False]


# ── errors ───────────────────────────────────────────────────────────────────────────────────────


def test_a_parent_that_does_not_exist_is_named() -> None:
    """P3."""
    assert problems_of(_child({})) == [
        "extends: Template 'Child' extends 'Base', which does not exist. Correct its `extends`, or leave it out."
    ]


def test_a_circle_of_parents_is_told_step_by_step() -> None:
    """P3."""
    one, two, three = (_child({}, name=name, extends=parent) for name, parent in ("AB", "BC", "CA"))

    [problem] = problems_of(one, two, three)

    assert "Template 'C' goes in a circle: A → B → C → A." in problem


def test_a_template_cannot_be_its_own_parent() -> None:
    """P3."""
    assert "goes in a circle: A → A." in problems_of(_child({}, name="A", extends="A"))[0]


def test_a_chain_that_is_too_long_is_not_called_a_circle() -> None:
    """P1: an error says what is wrong."""
    chain = [document({"s0": "Line."}, name="T0")]
    chain += [_child({}, name=f"T{level}", extends=f"T{level - 1}") for level in range(1, 80)]

    assert not any("circle" in problem for problem in problems_of(*reversed(chain)))


@pytest.mark.parametrize("word", ["override", "exclude"])
def test_nothing_can_be_changed_that_no_parent_has(word: str) -> None:
    """P3."""
    child = _child({"mood": {word: True, "content": "x"}})

    assert problems_of(child, BASE) == [
        f"sections.mood.{word}: 'Child' has no parent with a section 'mood'. Take `{word}` away."
    ]


def test_what_was_left_out_cannot_be_overridden_any_more() -> None:
    """P3."""
    child = _child({"scene": {"exclude": True}})
    grandchild = _child({"scene": {"override": True, "content": "x"}}, name="Third", extends="Child")

    assert problems_of(grandchild, child, BASE) == [
        "sections.scene.override: 'Third' has no parent with a section 'scene'. Take `override` away."
    ]


def test_a_section_cannot_take_the_place_of_another_by_accident() -> None:
    """P3."""
    assert problems_of(_child({"scene": "x"}), BASE) == [
        "sections.scene.override: A parent has a section 'scene' already. Say `override`, or rename it."
    ]


def test_a_section_cannot_be_both_overridden_and_left_out() -> None:
    """P3."""
    child = _child({"scene": {"override": True, "exclude": True}})

    assert problems_of(child, BASE) == ["sections.scene.exclude: A section is either overridden or left out, not both."]


def test_a_new_section_without_content_is_no_section() -> None:
    """P1."""
    assert problems_of(document({"mood": {"order": 5}})) == [
        "sections.mood.content: The section has no content. Write its lines."
    ]


def test_a_role_that_names_an_unknown_section_is_told_the_known_ones() -> None:
    """P1."""
    template = document({"a": "A.", "b": "B."}, roles={"assistant": {"sections": ["a", "c"]}})

    assert problems_of(template) == ["roles.assistant.sections: There is no section 'c'. Known: a, b."]


def test_a_condition_that_cannot_be_read_is_told_with_its_section() -> None:
    """P1, P2."""
    [problem] = problems_of(document({"a": {"condition": "hasMemory", "content": "A."}}))

    assert problem.startswith("sections.a.condition: There is no condition 'hasMemory'. Known: hasEpisodes,")


def test_all_problems_of_a_lineage_are_told_together() -> None:
    """P1."""
    child = _child(
        {"mood": {"override": True, "content": "x"}, "scene": {"override": True, "condition": "("}},
        roles={"system": {"sections": ["nothing"]}},
    )

    with pytest.raises(BadTemplate, match=r"The template 'Child' cannot be used\.") as caught:
        resolved(child, BASE)

    assert [(each.where, each.field) for each in caught.value.problems] == [
        ("sections.mood", "override"),
        ("sections.scene", "condition"),
        ("roles.system", "sections"),
    ]
