"""A template is data that can be checked: what is wrong with it is told by section and field (P1)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.template import Framing, Problem, RoleName, TemplateDocument, read_document, write_document

WHOLE: dict[str, Any] = {
    "name": "Sea tales",
    "version": 3,
    "description": "For stories at sea.",
    "extends": "Base Roleplay",
    "style": "narrative",
    "framing": "markdown",
    "sections": {
        "identity": {
            "order": 10,
            "required": True,
            "condition": {"and": ["hasMemories", {"not": "isGuest"}]},
            "content": ["You are ${system.fullName}.", ""],
            "numbered": False,
            "override": True,
        },
        "scene": {"exclude": True},
    },
    "roles": {"system": {"sections": ["identity"]}, "user": {"content": ["I am Ann."], "consent": True}},
    "variables": {"own.greeting": "Hello, ${user.firstName}."},
}


def _problems(**fields: Any) -> list[str]:
    read = read_document({"name": "Sea tales", **fields})
    return [] if isinstance(read, TemplateDocument) else list(map(str, read))


def _in_section(**fields: Any) -> list[str]:
    return _problems(sections={"identity": {"content": "You are Mira.", **fields}})


def test_all_that_a_template_can_say_is_kept_as_it_was_written() -> None:
    """P1."""
    read = read_document(WHOLE)

    assert isinstance(read, TemplateDocument)
    assert read.framing is Framing.MARKDOWN
    assert read.sections["identity"].content == ("You are ${system.fullName}.", "")
    assert read.roles[RoleName.USER].consent is True
    assert {**write_document(read), "sections": WHOLE["sections"]} == WHOLE
    assert read_document(write_document(read)) == read


def test_a_name_is_all_that_a_template_needs() -> None:
    """P1."""
    assert read_document({"name": "Bare"}) == TemplateDocument(name="Bare")
    assert write_document(TemplateDocument(name="Bare")) == {"name": "Bare"}


def test_a_single_line_can_be_written_without_a_list() -> None:
    """P1."""
    read = read_document({"name": "Bare", "sections": {"one": {"content": "Just this."}}})

    assert isinstance(read, TemplateDocument)
    assert read.sections["one"].content == ("Just this.",)


def test_the_schema_that_other_programs_name_is_accepted_and_not_kept() -> None:
    """P1, P7."""
    read = read_document({"name": "Bare", "schema": "some.other.promptTemplate"})

    assert isinstance(read, TemplateDocument)
    assert write_document(read) == {"name": "Bare"}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"order": "first"}, "sections.identity.order: It must be a whole number."),
        ({"order": 10**6}, "sections.identity.order: It must be at most 100000."),
        ({"required": "perhaps"}, "sections.identity.required: It must be true or false."),
        ({"content": 7}, "sections.identity.content: It must be a list of texts, or one text."),
        ({"content": ["You.", 7]}, "sections.identity.content.1: It must be text."),
        ({"content": ["x" * 20_001]}, "sections.identity.content.0: It must have a length of at most 20000."),
        ({"content": ["x"] * 501}, "sections.identity.content: It must have at most 500 entries."),
        (
            {"requird": True},
            "sections.identity.requird: There is no 'requird' here. Look for a slip of the pen, or take it away.",
        ),
        ({"override": None}, "sections.identity.override: It must be true or false."),
        ({"numbered": []}, "sections.identity.numbered: It must be true or false."),
    ],
)
def test_an_error_names_the_section_and_the_field(fields: dict[str, Any], told: str) -> None:
    """P1."""
    [problem] = _in_section(**fields)

    assert problem.startswith(told)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"name": ""}, "name: It must have a length of at least 1."),
        ({"name": "  "}, "name: It is blank."),
        ({"version": 0}, "version: It must be at least 1."),
        ({"extends": 7}, "extends: It must be text."),
        ({"framing": "xml"}, "framing: It must be 'block' or 'markdown'."),
        ({"sections": []}, "sections: It must be an object with names and values."),
        ({"sections": {"identity": "You."}}, "sections.identity: It must be an object with names and values."),
        ({"roles": {"narrator": {}}}, "roles.narrator"),
        (
            {"roles": {"system": {"sections": "identity"}}},
            "roles.system.sections: It must be a list of texts, or one text.",
        ),
        (
            {"roles": {"user": {"consents": True}}},
            "roles.user.consents: There is no 'consents' here. Look for a slip of the pen, or take it away.",
        ),
        ({"variables": {"own": 7}}, "variables.own: It must be text."),
        ({"variabels": {}}, "variabels: There is no 'variabels' here. Look for a slip of the pen, or take it away."),
    ],
)
def test_an_error_elsewhere_names_its_field_too(fields: dict[str, Any], told: str) -> None:
    """P1."""
    [problem] = _problems(**fields)

    assert problem.startswith(told)


def test_every_error_is_told_at_once() -> None:
    """P1."""
    problems = _problems(version=0, sections={"a": {"order": "x"}, "b": {"content": 7, "requird": True}})

    assert [problem.partition(":")[0] for problem in problems] == [
        "version",
        "sections.a.order",
        "sections.b.content",
        "sections.b.requird",
    ]


def test_a_template_that_says_nothing_at_all_is_told_what_it_lacks() -> None:
    """P1."""
    assert read_document({}) == (Problem("", "name", "It must be given."),)


@pytest.mark.parametrize("name", ["", "two words", "1st", "a" * 65, "a.b", "${x}", "<b>", "a\n"])
def test_a_section_has_a_plain_name(name: str) -> None:
    """P1: it stands in errors, in x-rays and in addresses."""
    assert len(_problems(sections={name: {"content": "x"}})) == 1


@pytest.mark.parametrize("name", ["", "two words", "${x}", "a" * 101, "a}", ".a", "a\n"])
def test_a_variable_has_a_plain_name(name: str) -> None:
    """P1, P5."""
    assert len(_problems(variables={name: "x"})) == 1


def test_more_sections_than_anybody_writes_are_refused() -> None:
    """P1, S-7."""
    assert _problems(sections={f"s{place}": {"content": "x"} for place in range(201)})
    assert _problems(variables={f"v{place}": "x" for place in range(501)})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)
FIELDS = st.sampled_from([*TemplateDocument.model_fields, "schema", "other"])


@given(st.dictionaries(FIELDS, JSON, max_size=6))
def test_whatever_is_written_is_a_template_or_a_list_of_problems(written: dict[str, Any]) -> None:
    """P1: never an error of another kind."""
    read = read_document(written)

    assert isinstance(read, TemplateDocument) or all(each.message for each in read)
