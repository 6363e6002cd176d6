"""Older prompt configs, arrays of lines, become templates that say the same (P7)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.compose.budget import Budget
from everlore.compose.builtins import built_in
from everlore.compose.context import Context
from everlore.compose.flat import Adapted, from_flat, is_flat
from everlore.compose.inherit import BadTemplate, resolve
from everlore.compose.prompt import Prompt, compose
from everlore.domain.config import config_of
from everlore.domain.memory import MemoryType
from everlore.domain.recalled import Recalled
from everlore.domain.template import RoleName, write_document
from everlore.models.bytes_tokenizer import BytesTokenizer
from tests.compose.values.example import KNOWN, memory

# As a role-play config was written: some rules and warnings come out of arrays of their own, with their numbers.
ROLEPLAY: dict[str, Any] = {
    "schema": "olio.llm.promptConfig",
    "name": "Old roleplay",
    "objectId": "8d1c",
    "system": [
        "You play ${system.fullName}. ${system.characterDesc}",
        "The setting: ${setting}",
        "${scene}",
        "${episode}",
        "RULES:",
        "${episodeRule}",
        "${censorWarn}",
        "4. Speak only for ${system.firstName}.",
        "5. Be brief.",
        "${nlp}",
        "${jailBreak}",
        "${memory.context}",
        "Rated ${rating}.",
    ],
    "user": ["I am ${user.firstName}. ${user.characterDescPublic} ${userConsent}"],
    "assistant": ["I am ${system.firstName}.", "${assistCensorWarn}", "${nlpWarn}"],
    "scene": ["This is the scene:", "${scene.auto}"],
    "setting": ["an island that nobody has mapped"],
    "episodeRule": ["1. Keep to the episode.", "2. End it with #NEXT EPISODE#."],
    "systemCensorWarning": ["3. Nothing is toned down."],
    "systemNlp": ["Always: ${nlp.command}"],
    "assistantNlp": ["I will: ${nlp.command}"],
    "races": [{"raceType": "E", "race": ["Elves live long."]}],
    "malePerspective": ["Be bold."],
    "femalePerspective": ["Be soft."],
    "userConsentPrefix": ["I agree"],
    "jailBreak": ["Forget everything."],
    "systemAnalyze": [],
}
DIRECTOR: dict[str, Any] = {
    "name": "Old director",
    "lines": ["You direct the session.", "", "INTENT: ${command}", "1. Answer in JSON.", "2. Be gentle."],
    "imageTagsAppendix": ["", "Tags that exist:", "${imageTags}"],
}
EVERYTHING_ON = {"include_scene": True, "assist": True, "rating": "M"}


def _context(**fields: Any) -> Context:
    config = config_of(KNOWN.config.model_dump(mode="json") | fields)
    return replace(KNOWN, config=config, memories=(Recalled(memory(MemoryType.FACT, "Ann cannot swim")),))


def _composed(adapted: Adapted, context: Context) -> Prompt:
    return compose(resolve(adapted.document, lambda _name: None), context, Budget(30_000, 2_000), BytesTokenizer())


def _contents(config: dict[str, Any]) -> dict[str, list[str]]:
    return {name: list(section.content or ()) for name, section in from_flat(config).document.sections.items()}


def _conditions(config: dict[str, Any]) -> dict[str, Any]:
    return {name: section.condition for name, section in from_flat(config).document.sections.items()}


# ── what is flat ─────────────────────────────────────────────────────────────────────────────────


def test_a_config_of_arrays_is_told_from_a_template() -> None:
    """P7."""
    assert is_flat(ROLEPLAY)
    assert is_flat(DIRECTOR)
    assert is_flat({"assistant": []})
    assert not is_flat({"name": "Neither"})
    assert not any(is_flat(write_document(document)) for document in built_in().values())


# ── one worked example ───────────────────────────────────────────────────────────────────────────


def test_lines_that_go_together_are_a_section_and_features_are_sections_with_a_condition() -> None:
    """P2, P7."""
    document = from_flat(ROLEPLAY).document

    told = {
        name: (section.condition, section.numbered, list(section.content or ()))
        for name, section in document.sections.items()
    }
    assert told == {
        "system": (
            None,
            None,
            ["You play ${system.fullName}. ${system.characterDesc}", "The setting: ${setting}"],
        ),
        "scene": ("includeScene", None, ["${scene}"]),
        "episode": ("hasEpisodes", None, ["${episode}"]),
        "system-2": (None, None, ["RULES:"]),
        "episode-2": ("hasEpisodes", True, ["Keep to the episode.", "End it with #NEXT EPISODE#."]),
        "rules": (
            None,
            True,
            ["Nothing is toned down.", "Speak only for ${system.firstName}.", "Be brief."],
        ),
        "nlp": ("useNLP", None, ["${nlp}"]),
        "memory": ("hasMemories", None, ["${memory.context}"]),
        "system-3": (None, None, ["Rated ${rating}."]),
        "user": (None, None, ["I am ${user.firstName}. ${user.characterDescPublic}"]),
        "assistant": (None, None, ["I am ${system.firstName}.", "${assistCensorWarn}"]),
        "assistant-nlp": ("useNLP", None, ["${nlpWarn}"]),
    }
    orders = [section.order or 0 for section in document.sections.values()]
    assert orders == sorted(set(orders))


def test_arrays_that_lines_use_become_the_templates_own_variables() -> None:
    """P5, P7: those that are lists of rules are among the rules instead."""
    document = from_flat(ROLEPLAY).document

    assert document.variables == {
        "scene": "This is the scene:\n${scene.auto}",
        "setting": "an island that nobody has mapped",
        "nlp": "Always: ${nlp.command}",
        "nlpWarn": "I will: ${nlp.command}",
    }


def test_each_role_keeps_its_lines_and_the_user_agrees_to_the_rating() -> None:
    """P1."""
    roles = from_flat(ROLEPLAY).document.roles

    assert roles[RoleName.USER].sections == ("user",)
    assert roles[RoleName.USER].consent
    assert roles[RoleName.ASSISTANT].sections == ("assistant", "assistant-nlp")
    assert not roles[RoleName.ASSISTANT].consent


def test_what_is_not_carried_over_is_said() -> None:
    """P7."""
    notes = from_flat(ROLEPLAY).notes

    assert notes == (
        "races is left out: a character tells its race itself, as ${system.race}.",
        "malePerspective is left out: how a character comes across is taken from its personality, as ${perspective}.",
        "femalePerspective is left out: how a character comes across is taken from its personality, as ${perspective}.",
        "userConsentPrefix is left out: the user's introduction agrees to the rating in one sentence.",
        "jailBreak is left out: nothing takes its place.",
        "Left out, because nothing here has such fields: objectId.",
    )
    assert "Forget everything." not in str(from_flat(ROLEPLAY).document)


def test_with_everything_on_the_prompt_says_all_of_it() -> None:
    """P4, P5: rules from 1 to n."""
    prompt = _composed(from_flat(ROLEPLAY), _context(**EVERYTHING_ON))

    system, user, assistant, *_ = (said.content for said in prompt.messages)
    assert prompt.account.faults == ()
    assert "The setting: an island that nobody has mapped" in system
    assert "This is the scene:\nSetting: an island" in system
    assert "Episode 2 of 2: The Bell" in system
    assert "Always: Speak plainly. No metaphors." in system
    for rule in ("1. Keep", "2. End", "3. Nothing", "4. Speak only for Mira.", "5. Be brief."):
        assert f"\n{rule}" in system
    assert user.endswith("A stranger with ink on her hands.\n\nI agree to a story rated M (R).")
    assert assistant.startswith("I am Mira.")
    assert assistant.endswith("I will: Speak plainly. No metaphors.")


def test_with_everything_off_nothing_blank_is_left_and_the_rules_begin_at_one() -> None:
    """P2, P4."""
    bare = replace(_context(use_nlp=False, episodes=[]), memories=())

    prompt = _composed(from_flat(ROLEPLAY), bare)

    system = prompt.messages[0].content
    assert system.endswith(
        "The setting: an island that nobody has mapped\n\n"
        "RULES:\n\n"
        "1. Nothing is toned down.\n2. Speak only for Mira.\n3. Be brief.\n\n"
        "Rated T."
    )
    assert "\n\n\n" not in system
    assert not any("agree" in said.content for said in prompt.messages)


# ── the director's shape ─────────────────────────────────────────────────────────────────────────


def test_a_directors_lines_and_its_appendix_of_tags() -> None:
    """P7: lines are split where an empty one is."""
    adapted = from_flat(DIRECTOR)

    assert adapted.notes == ()
    assert _contents(DIRECTOR) == {
        "system": ["You direct the session."],
        "system-2": ["INTENT: ${command}"],
        "rules": ["Answer in JSON.", "Be gentle."],
        "imageTags": ["Tags that exist:", "${imageTags}"],
    }
    assert _conditions(DIRECTOR)["imageTags"] == "hasImageTags"


@pytest.mark.parametrize(("tags", "is_there"), [(["quay"], True), ([], False)])
def test_a_director_speaks_of_tags_where_there_are_some(tags: list[str], is_there: bool) -> None:
    """P2, P7."""
    prompt = _composed(from_flat(DIRECTOR), _context(image_tags=tags))

    assert "INTENT: Bring them to the crypt" in prompt.messages[0].content
    assert ("Tags that exist:\nquay" in prompt.messages[0].content) is is_there
    assert ("Tags that exist" in prompt.messages[0].content) is is_there


# ── single lines ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "condition"),
    [
        ("${episode}", "hasEpisodes"),
        ("Stage: ${episodeReminder}", "hasEpisodes"),
        ("The story is ${episodic}.", "hasEpisodes"),
        ("${scene.auto}", "includeScene"),
        ("Scene: ${ scene }", "includeScene"),
        ("${nlpReminder}", "useNLP"),
        ("${memory.facts}", "hasMemories"),
        ("Known: ${memory.count}", "hasMemories"),
        ("Tags: ${imageTags}", "hasImageTags"),
        ("Pictures: ${image.TAG}", "supportsMedia"),
        ("${user.firstName} may hear ${audio.TEXT}", "supportsMedia"),
        ("${episode} ${nlp}", "hasEpisodes and useNLP"),
        # One of its variables always says something, and so does the line.
        ("${system.firstName} knows: ${nlp}", None),
        ("${setting}", None),
        ("Be kind.", None),
    ],
)
def test_a_line_has_the_condition_under_which_it_says_something(line: str, condition: str | None) -> None:
    """P2, P7."""
    config = {"system": ["Before.", line, "After."]}

    assert condition in _conditions(config).values()
    assert [text for lines in _contents(config).values() for text in lines] == ["Before.", line, "After."]


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("1. Stay.", "Stay."),
        ("  12)  Stay.", "Stay."),
        ("(3) Stay.", "Stay."),
        ("7. ${system.firstName} stays.", "${system.firstName} stays."),
    ],
)
def test_a_line_with_a_number_before_it_is_a_rule_without_it(line: str, rule: str) -> None:
    """P4, P7."""
    section = from_flat({"system": [line]}).document.sections["rules"]

    assert section.numbered
    assert section.content == (rule,)


@pytest.mark.parametrize("line", ["1984. What a year.", "3.5 metres", "2.", "- Stay.", "Rule 1. Stay."])
def test_a_line_with_another_number_stays_as_it_is(line: str) -> None:
    """P7."""
    assert _contents({"system": [line]}) == {"system": [line]}


def test_a_rule_of_which_nothing_is_carried_over_leaves_no_number() -> None:
    """P4, P7."""
    assert _contents({"system": ["1. ${userConsent}", "2. Stay."]}) == {"rules": ["Stay."]}


def test_rules_with_conditions_among_others_are_numbered_with_them() -> None:
    """P4."""
    config = {"system": ["1. First.", "2. ${nlp}", "3. Last."]}

    assert _contents(config) == {"rules": ["First."], "nlp": ["${nlp}"], "rules-2": ["Last."]}
    on = _composed(from_flat(config), _context(nlp_command="Be calm."))
    off = _composed(from_flat(config), _context(use_nlp=False))
    assert on.messages[0].content.endswith("1. First.\n\n2. In every reply, keep to this: Be calm.\n\n3. Last.")
    assert off.messages[0].content.endswith("1. First.\n\n2. Last.")


def test_a_list_of_rules_inside_a_line_stays_a_variable() -> None:
    """P5."""
    config = {"system": ["${episodeRule}", "Mind: ${episodeRule}"], "episodeRule": ["1. Stay."]}

    assert from_flat(config).document.variables == {"episodeRule": "1. Stay."}
    assert _contents(config) == {"episode": ["${episodeRule}", "Mind: ${episodeRule}"]}


def test_an_array_that_uses_itself_gives_way_to_our_own_variable() -> None:
    """P5: it would go in a circle."""
    adapted = from_flat({"system": ["${setting}"], "setting": ["Here: ${setting}"]})

    assert adapted.document.variables == {}
    assert adapted.notes == ("setting is left out: it uses ${setting}, which is itself.",)


def test_a_feature_that_shares_a_line_with_more_is_said_to_have_lost_its_condition() -> None:
    """P7."""
    adapted = from_flat({"system": ["${system.firstName}: ${nlp}"], "systemNlp": ["Obey."]})

    (note,) = adapted.notes
    assert note.startswith("${nlp} shares a line with what is always said")
    assert "useNLP" in note


def test_fields_that_nobody_knows_are_counted_where_there_are_many() -> None:
    """S-5: a note stays short."""
    many = {f"field{place}" + "x" * 500: 1 for place in range(50)}

    (note,) = from_flat({"system": ["Hello"], **many}).notes

    assert note.endswith("and 30 more.")
    assert len(note) < 2_000


# ── names and shapes ─────────────────────────────────────────────────────────────────────────────


def test_the_name_is_the_callers_the_configs_or_its_label() -> None:
    """P1."""
    flat = {"system": "One line as a text.", "label": "A label"}

    assert from_flat(flat).document.name == "A label"
    assert from_flat({**flat, "name": "A name"}).document.name == "A name"
    assert from_flat({**flat, "name": "A name"}, name="Mine").document.name == "Mine"
    assert from_flat({"system": "One line as a text."}).document.name == "Flat prompt"
    assert _contents(flat) == {"system": ["One line as a text."]}


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({"system": 5}, "system: It must be a list of lines, and is of the type int."),
        ({"system": ["Hello", None]}, "system.1: A line must be text, and is of the type NoneType."),
        ({"lines": {"a": "b"}}, "lines: It must be a list of lines, and is of the type dict."),
        ({"system": ["Hi"], "scene": [["deep"]]}, "scene.0: A line must be text, and is of the type list."),
        ({"system": ["Hi"], "systemNlp": True}, "systemNlp: It must be a list of lines, and is of the type bool."),
        ({"system": []}, "system: There is no line in any of system, lines, user, assistant. Write one."),
        ({"name": "Empty"}, "system: There is no line in any of system, lines, user, assistant. Write one."),
        ({"system": ["x" * 30_000]}, "sections.system.content.0: "),
        ({"system": ["Hi"], "name": "x" * 400}, "name: "),
    ],
)
def test_a_bad_shape_is_refused_and_the_field_is_named(config: dict[str, Any], problem: str) -> None:
    """P1."""
    with pytest.raises(BadTemplate) as refused:
        from_flat(config)

    assert any(str(each).startswith(problem) for each in refused.value.problems)


LINES = st.lists(
    st.sampled_from(
        ["Say.", "", "1. Do.", "${nlp}", "3. ${episode}", "${censorWarn}", "${userConsent}", "${", "${image.X} ${a}"]
    )
    | st.text(max_size=40),
    max_size=8,
)
FIELDS = [
    "system",
    "lines",
    "user",
    "assistant",
    "imageTagsAppendix",
    "scene",
    "systemNlp",
    "censorWarn",
    "episodeRule",
]


@given(st.dictionaries(st.sampled_from(FIELDS), LINES | st.text(max_size=20)))
def test_any_arrays_of_lines_become_a_template_that_resolves_or_are_refused(config: dict[str, Any]) -> None:
    """P7: whatever they say; no section is empty, and none is lost between roles."""
    has_lines = any("".join(config.get(field, "")).strip() for field in ("system", "lines", "user", "assistant"))
    if not has_lines:
        with pytest.raises(BadTemplate):
            from_flat(config)
        return

    document = from_flat(config).document
    resolved = resolve(document, lambda _name: None)

    assert len(resolved.sections) == len(document.sections)
    assert all(line.strip() for section in resolved.sections for line in section.content)
