"""The templates that come along say what they should, whatever is switched on, and leave no trace of the rest."""

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.compose.budget import Budget
from everlore.compose.builtins import built_in, default_for, find_built_in
from everlore.compose.context import Context
from everlore.compose.inherit import ResolvedTemplate, resolve
from everlore.compose.lint import check
from everlore.compose.memories import variables
from everlore.compose.prompt import Prompt, compose
from everlore.compose.sections import Uses
from everlore.compose.values import VARIABLES
from everlore.compose.variables import Pace
from everlore.domain.config import ConversationConfig, config_of
from everlore.domain.memory import MemoryType
from everlore.domain.person import PersonKind
from everlore.domain.recalled import LastSession, Recalled
from everlore.domain.template import Framing, RoleName, TemplateDocument, read_document
from everlore.models.bytes_tokenizer import BytesTokenizer
from tests.compose.values.example import ANN, CANON, KNOWN, MIRA, UNKNOWN, memory
from tests.contract.builders import campaign
from tests.soak import look
from tests.turn.records import message, person

IDS = ["agent", "assistant", "base-roleplay", "companion", "director", "game-master", "sms-chat"]
TOKENS = BytesTokenizer()
AMPLE = Budget(60_000, 4_000)
MEMORIES = (
    Recalled(memory(MemoryType.RELATIONSHIP, "Ann once pulled Mira out of the sea")),
    Recalled(memory(MemoryType.FACT, "Ann cannot swim")),
)
OLD = tuple(
    message(f"Message {seq} about the nets of the quay", seq=seq, id=f"m{seq}", person_id="ann") for seq in range(1, 61)
)
# Where nothing is off: every line of a template has something to say.
EVERYTHING = replace(
    KNOWN,
    recent_tools=("- ✓ dice (2m ago): rolled: 6",),
    config=config_of(
        KNOWN.config.model_dump(mode="json")
        | {"include_scene": True, "image_tokens": True, "audio_tokens": True, "assist": True}
    ),
    history=OLD,
    memories=MEMORIES,
    last_session=LastSession("They said goodbye on the quay."),
    is_guest=True,
)

every_template = pytest.mark.parametrize("id", IDS)


def _resolved(id: str) -> ResolvedTemplate:
    return resolve(built_in()[id], find_built_in)


def _composed(id: str, context: Context, budget: Budget = AMPLE) -> Prompt:
    return compose(_resolved(id), context, budget, TOKENS)


def _text(prompt: Prompt) -> str:
    return "\n\n".join(said.content for said in prompt.messages)


def _said(prompt: Prompt, section: str) -> str:
    return next((each.text for each in prompt.account.sections if each.name == section), "")


def _configured(context: Context, **fields: Any) -> Context:
    return replace(context, config=config_of(context.config.model_dump(mode="json") | fields))


# ── which there are ──────────────────────────────────────────────────────────────────────────────


def test_there_are_seven_and_each_is_found_by_its_name_and_by_its_id() -> None:
    """P7."""
    assert list(built_in()) == IDS
    assert {document.name for document in built_in().values()} == {
        "Base Roleplay",
        "SMS Chat",
        "Director",
        "Companion",
        "Agent",
        "Assistant",
        "Game Master",
    }
    for id, document in built_in().items():
        assert find_built_in(id) is document
        assert find_built_in(document.name) is document
    assert find_built_in("Nobody's") is None


@every_template
def test_each_is_sound_and_has_a_place_for_memory(id: str) -> None:
    """P5, P14: no unknown variable, no circle, nothing that its author may not have meant."""
    checked = check(built_in()[id], find_built_in)

    assert (checked.problems, checked.faults, checked.warnings) == ((), (), ())


def test_sms_chat_extends_base_roleplay() -> None:
    """P3, P7."""
    assert _resolved("sms-chat").lineage == ("SMS Chat", "Base Roleplay")


@every_template
def test_memory_is_a_block_in_stories_and_markdown_for_companions_and_game_masters(id: str) -> None:
    """P15."""
    expected = Framing.MARKDOWN if id in ("companion", "game-master") else Framing.BLOCK

    assert _resolved(id).framing is expected


def test_a_narrator_in_a_campaign_is_its_game_master_and_anyone_else_plays_a_role() -> None:
    """P7."""
    narrator = person("The Tide", kind=PersonKind.NARRATOR)

    assert default_for(narrator, campaign("quest")) == "game-master"
    assert default_for(narrator) == "base-roleplay"
    assert default_for(MIRA, campaign("quest")) == "base-roleplay"
    assert default_for(MIRA, campaign("quest", gm_id=MIRA.id)) == "game-master"


def test_whoever_has_no_card_is_a_plain_assistant_but_in_a_scene_or_a_campaign() -> None:
    """P7."""
    bare = person("Helper")

    assert default_for(bare) == "assistant"
    assert default_for(replace(bare, personality="  ")) == "assistant"
    assert default_for(replace(bare, personality="dry")) == "base-roleplay"
    assert default_for(replace(bare, greetings=("Hello!",))) == "base-roleplay"
    assert default_for(bare, is_scene=True) == "base-roleplay"
    assert default_for(bare, campaign("quest")) == "base-roleplay"


def test_an_assistant_plays_no_role_and_has_no_rating() -> None:
    """P7."""
    text = _text(_composed("assistant", EVERYTHING))

    assert not [word for word in ("Stay in character", "rated", "rating", "the story") if word in text]


# ── whatever is switched on ──────────────────────────────────────────────────────────────────────

ON = st.booleans()
CONFIGS = st.builds(
    config_of,
    st.fixed_dictionaries(
        {name: ON for name, field in ConversationConfig.model_fields.items() if field.annotation is bool}
        | {
            "rating": st.sampled_from(["E", "M", "RC"]),
            "nlp_command": st.sampled_from(["", "Speak plainly."]),
            "command": st.sampled_from(["", "Calm the listener."]),
            "setting": st.sampled_from(["", "random", "A quay in spring"]),
            "image_tags": st.sampled_from([[], ["quay", "bell"]]),
            "episodes": st.sampled_from([[], [{"guidance": "Let them meet."}]]),
        }
    ),
)
CONTEXTS = st.builds(
    Context,
    character=st.sampled_from([MIRA, UNKNOWN.character]),
    user=st.sampled_from([ANN, person("Kim", kind=PersonKind.USER), None]),
    names=st.just({"mira": "Mira Vale"}),
    config=CONFIGS,
    history=st.sampled_from([(), OLD[:1], OLD]),
    episode=st.sampled_from([0, 1]),
    memories=st.sampled_from([(), MEMORIES]),
    last_session=st.sampled_from([None, EVERYTHING.last_session]),
    earlier=st.sampled_from([(), KNOWN.earlier]),
    interactions=st.sampled_from([(), KNOWN.interactions]),
    canon=st.sampled_from([None, CANON, replace(CANON, chapter=None, sessions=(), memories=(), entities=())]),
    tools=st.sampled_from([(), KNOWN.tools]),
    is_guest=ON,
)
_TOKEN = re.compile(r"\$\{(?!image\.|audio\.)")
_EMPTY_BRACKETS = re.compile(r"\(\s*\)")
_RULE = re.compile(r"^(\d+)\. ", re.MULTILINE)


@every_template
@settings(deadline=None, max_examples=look(80, 200))
@given(context=CONTEXTS)
def test_what_is_off_leaves_no_trace(id: str, context: Context) -> None:
    """P2, P4, P5: no variable without a value, no heading without text, no gap, and rules from 1 to n."""
    prompt = _composed(id, context)

    text = _text(prompt)
    assert prompt.account.faults == ()
    assert _TOKEN.search(text) is None
    assert _EMPTY_BRACKETS.search(text) is None
    assert "None" not in text
    assert "\n\n\n" not in text
    for line, following in pairwise([*text.split("\n"), ""]):
        if line.startswith("#") or line.endswith(":"):
            assert following.strip() or line.startswith("## What you know")
    rules = [int(number) for number in _RULE.findall(prompt.messages[0].content)]
    assert rules == list(range(1, len(rules) + 1))
    assert len(rules) >= 3


@every_template
@settings(deadline=None, max_examples=look(60, 200))
@given(context=CONTEXTS, window=st.integers(1_024, 8_192))
def test_each_fits_the_smallest_windows(id: str, context: Context, window: int) -> None:
    """P9: and says who the character is."""
    prompt = _composed(id, context, Budget(window, window // 8))

    assert prompt.account.used <= window - window // 8
    assert context.character.name in prompt.messages[0].content


@every_template
def test_each_section_is_used_where_everything_is_on(id: str) -> None:
    """P2."""
    told = [section.name for section in _composed(id, EVERYTHING).account.sections]

    assert {section.name for section in _resolved(id).sections} <= set(told)
    assert len(told) == len(set(told))


@every_template
def test_a_bare_character_needs_only_what_is_always_said(id: str) -> None:
    """P2: and that is short."""
    prompt = _composed(id, replace(UNKNOWN, history=(message("Hello"),)))

    told = {section.name for section in prompt.account.sections}
    assert told <= {"identity", "user", "rules", "rating", "directives", "context"}
    assert prompt.account.used < 600
    assert [said.role for said in prompt.messages] == ["system", "user"]
    assert prompt.messages[-1].content == "Hello"


@every_template
def test_what_changes_with_every_turn_stands_in_sections_of_its_own(id: str) -> None:
    """P13: one such variable would move the whole of a steady section behind the talk."""
    known = VARIABLES | variables({}, KNOWN, Framing.BLOCK)
    uses = Uses(known, {})

    for section in _resolved(id).sections:
        paces = {known[name].pace for name in uses.of(section.content) if name in known}
        assert paces == {Pace.EACH_TURN} or Pace.EACH_TURN not in paces, section.name


@every_template
def test_the_beginning_stays_the_same_from_turn_to_turn(id: str) -> None:
    """P13: other memories, other people spoken of, another message."""
    now = replace(EVERYTHING, history=OLD[:10])
    then = replace(
        now,
        memories=MEMORIES[:1],
        last_session=None,
        earlier=(),
        canon=replace(CANON, entities=(), relationships=()),
        history=OLD[:11],
    )

    assert _composed(id, now).messages[0] == _composed(id, then).messages[0]


# ── who speaks ───────────────────────────────────────────────────────────────────────────────────


@every_template
def test_the_user_is_told_of_in_the_system_prompt_and_never_introduces_themselves(id: str) -> None:
    """P1: many servers refuse two messages of the user in a row."""
    assert _resolved(id).roles[RoleName.USER].content == ()

    roles = [said.role for said in _composed(id, _configured(KNOWN, assist=False)).messages]

    assert roles == ["system", "user", "assistant"]
    assert ANN.name in _composed(id, KNOWN).messages[0].content


@pytest.mark.parametrize("id", [id for id in IDS if id != "director"])
def test_the_character_introduces_itself_where_it_is_asked_to(id: str) -> None:
    """P1: `assist`."""
    prompt = _composed(id, _configured(KNOWN, assist=True))

    assert prompt.messages[1].role == "assistant"
    assert "Mira" in prompt.messages[1].content


# ── what they say ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("id", ["base-roleplay", "sms-chat", "companion", "game-master"])
@pytest.mark.parametrize(("image", "audio"), [(True, False), (False, True), (True, True)])
def test_only_the_media_that_are_on_are_offered(id: str, image: bool, audio: bool) -> None:
    """P5: media tokens are text in a prompt."""
    context = _configured(KNOWN, image_tokens=image, audio_tokens=audio, image_tags=[])

    told = _said(_composed(id, context), "media")

    assert ("${image.TAG}" in told) is image
    assert ("${audio.TEXT}" in told) is audio


def test_pictures_are_asked_for_by_the_tags_that_there_are() -> None:
    """P5."""
    told = _said(_composed("base-roleplay", _configured(KNOWN, image_tokens=True)), "media")

    assert "quay, bell" in told


def test_the_stage_of_an_episode_brings_a_rule_and_takes_it_along_when_the_story_ends() -> None:
    """P2, P4."""
    during = _composed("base-roleplay", KNOWN)
    after = _composed("base-roleplay", replace(KNOWN, episode=2))

    assert "Let the bell be heard." in _said(during, "episode")
    assert _said(during, "rules").startswith("1. Follow the guidance")
    assert _said(after, "episode") == ""
    assert _said(after, "rules").startswith("1. Speak and act only as Mira.")


def test_sms_chat_has_the_casual_perspective_and_neither_episode_nor_scene() -> None:
    """P3, P6."""
    long, short = _composed("base-roleplay", EVERYTHING), _composed("sms-chat", EVERYTHING)

    assert {"episode", "scene", "examples"} <= {each.name for each in long.account.sections}
    assert {"episode", "scene", "examples"}.isdisjoint(each.name for each in short.account.sections)
    assert len(_said(short, "perspective")) < len(_said(long, "perspective"))
    assert "exchanging text messages with Ann" in _said(short, "identity")


def test_a_director_has_a_command_directives_and_the_tags_that_there_are() -> None:
    """P7."""
    with_tags = _composed("director", KNOWN)
    without = _composed("director", _configured(KNOWN, image_tags=[]))

    assert "Bring them to the crypt" in _said(with_tags, "intent")
    assert '"image"' in _said(with_tags, "directives")
    assert "quay, bell" in _said(with_tags, "imageTags")
    assert "imageTags" not in {each.name for each in without.account.sections}


def test_an_agent_has_its_task_and_its_tools() -> None:
    """P7."""
    prompt = _composed("agent", KNOWN)

    assert "Bring them to the crypt" in _said(prompt, "task")
    assert "- dice: Rolls dice" in _said(prompt, "tools")
    assert _said(_composed("agent", replace(KNOWN, tools=())), "tools") == ""


def test_a_companion_knows_in_readable_words_what_was_said_before() -> None:
    """P7, P15."""
    prompt = _composed("companion", replace(KNOWN, memories=MEMORIES))

    late = prompt.messages[-2].content
    assert "## What you know" in late
    assert "Ann cannot swim" in late
    assert "I sold my boat" in late
    assert "mcp:context" not in late


def test_a_game_master_has_the_campaign_in_the_order_of_what_matters_most() -> None:
    """P11."""
    prompt = _composed("game-master", replace(EVERYTHING, history=OLD[:3]))

    names = [section.name for section in prompt.account.sections]
    wanted = ["campaign", "chapter", "recap", "memory", "entities", "relationships"]
    assert [name for name in names if name in wanted] == wanted
    text = _text(prompt)
    places = [
        text.index(words)
        for words in (
            "The sea is rising.",
            "The sea takes back",
            "The bells have begun to ring",
            "They opened the crypt",
            "Ann cannot swim",
            "Old Tam (npc",
            "Old Tam → in debt to → Salt Guild",
        )
    ]
    assert places == sorted(places)


def test_premise_and_chapter_stay_when_there_is_hardly_any_room() -> None:
    """P11: what is short of room goes from the end."""
    many = tuple(memory(MemoryType.FACTION, f"Faction {place} wants the bell for itself") for place in range(200))
    crowded = replace(KNOWN, canon=replace(CANON, memories=(*CANON.memories, *many)))

    prompt = _composed("game-master", crowded, Budget(4_096, 512))

    assert "The sea is rising." in _said(prompt, "campaign")
    assert "Drowned Bells" in _said(prompt, "chapter")
    assert "They opened the crypt" in _said(prompt, "recap")
    assert prompt.account.used <= 4_096 - 512


def test_a_guest_is_told_nothing_that_is_private_to_others() -> None:
    """P2: isGuest."""
    for id in IDS:
        assert "guest" in _said(_composed(id, replace(KNOWN, is_guest=True)), "guest")
        assert _said(_composed(id, KNOWN), "guest") == ""


def test_memories_stand_in_the_slot_of_the_template_and_are_not_appended() -> None:
    """P14."""
    for id in IDS:
        sections = _composed(id, replace(KNOWN, memories=MEMORIES)).account.sections
        assert [each.appended for each in sections if each.name == "memory"] == [False]


# ── the page about them ──────────────────────────────────────────────────────────────────────────

PAGE = (Path(__file__).parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")


def test_the_page_names_every_built_in_template() -> None:
    """P7."""
    for id, document in built_in().items():
        assert f"| `{id}` | {document.name} |" in PAGE


def test_the_example_of_the_page_is_sound_and_says_what_it_should() -> None:
    """P1, P3, P4."""
    [written] = re.findall(r"^```json\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    letters = read_document(json.loads(written))
    assert isinstance(letters, TemplateDocument)

    checked = check(letters, find_built_in)

    assert (checked.problems, checked.faults, checked.warnings) == ((), (), ())
    assert checked.resolved is not None
    on = compose(checked.resolved, replace(EVERYTHING, is_guest=False), AMPLE, TOKENS)
    off = compose(checked.resolved, UNKNOWN, AMPLE, TOKENS)
    assert "3. Say something that Mira would never say aloud." in _said(on, "rules")
    assert _said(on, "weather") == "Mention the weather in A quay in spring."
    assert {"media", "weather"}.isdisjoint(each.name for each in off.account.sections)
    assert _said(off, "rules").startswith("1. Write one letter from Nova to User")
