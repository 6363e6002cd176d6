"""Three templates as other programs write them, beside this file, composed for one worked example (P1, P3, P7)."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from everlore.compose.account import PromptPosition, SectionAccount
from everlore.compose.budget import Budget
from everlore.compose.builtins import built_in, find_built_in
from everlore.compose.context import Context
from everlore.compose.inherit import resolve
from everlore.compose.lint import check
from everlore.compose.prompt import Prompt, compose
from everlore.domain.config import config_of
from everlore.domain.memory import MemoryType
from everlore.domain.recalled import Recalled
from everlore.domain.template import TemplateDocument, read_document
from everlore.models.bytes_tokenizer import BytesTokenizer
from tests.compose.values.example import KNOWN, memory

HERE = Path(__file__).parent
SECTIONS = ["identity", "rules", "episode", "scene", "rating", "perspective", "memory", "media"]
# Rated so that there is something to agree to, and with every feature on.
STORY = replace(
    KNOWN,
    config=config_of(
        KNOWN.config.model_dump(mode="json")
        | {"rating": "M", "include_scene": True, "image_tokens": True, "audio_tokens": True, "assist": True}
    ),
    history=KNOWN.history[:1],
    memories=(Recalled(memory(MemoryType.FACT, "Ann cannot swim")),),
    recent_tools=(),
)


def _read(name: str) -> TemplateDocument:
    document = read_document(json.loads((HERE / f"{name}.json").read_text(encoding="utf-8")))
    assert isinstance(document, TemplateDocument)
    return document


def _find(name: str) -> TemplateDocument | None:
    return {"Base Roleplay": _read("base-roleplay")}.get(name)


def _composed(name: str, context: Context = STORY) -> Prompt:
    return compose(resolve(_read(name), _find), context, Budget(30_000, 2_000), BytesTokenizer())


def _sections(prompt: Prompt) -> dict[str, SectionAccount]:
    return {each.name: each for each in prompt.account.sections if each.name != "introduction"}


@pytest.mark.parametrize("name", ["base-roleplay", "sms-chat", "director"])
def test_each_is_taken_as_it_is_written(name: str) -> None:
    """P1: also the name of its schema; and every variable in it is known."""
    checked = check(_read(name), _find)

    assert (checked.problems, checked.faults) == ((), ())


def test_base_roleplay_says_its_sections_in_their_order() -> None:
    """P1, P2, P4."""
    prompt = _composed("base-roleplay")

    told = _sections(prompt)
    assert list(told) == SECTIONS
    assert prompt.account.faults == ()
    assert told["identity"].text.startswith("You control Mira Vale. ")
    assert told["rules"].text.splitlines() == [
        "1. Respond ONLY for Mira from FIRST PERSON perspective.",
        "2. Use <think>tags</think> for internal monologue.",
        "3. Limit to 1-4 sentences. Wait for user response.",
    ]
    assert "The Bell" in told["episode"].text
    assert "#NEXT EPISODE#" in told["episode"].text
    assert "A quay in spring" in told["scene"].text
    assert told["rating"].text == "Content rated M/R."
    assert "Short sentences, sea words." in told["perspective"].text
    assert "Ann cannot swim" in told["memory"].text
    assert told["media"].text.splitlines() == [
        "Send pics: ${image.TAG} or ${image.TAG,TAG}",
        "Send voice: ${audio.TEXT}",
    ]


def test_what_stays_the_same_is_said_first_and_memory_last() -> None:
    """P13."""
    prompt = _composed("base-roleplay")

    system, user, assistant, latest = (said.content for said in prompt.messages)
    told = _sections(prompt)
    places = [system.index(told[name].text) for name in SECTIONS if name != "memory"]
    assert places == sorted(places)
    assert told["memory"].place is PromptPosition.LATE
    assert latest.index("Ann cannot swim") < latest.index("Where is Tam?")
    assert user.startswith("Ann (31-year-old woman). A stranger with ink on her hands.")
    assert user.endswith("I agree to a story rated M (R).")
    assert assistant == "Mira (28-year-old female). elf"


def test_what_is_off_leaves_no_trace() -> None:
    """P2, P4."""
    bare = replace(KNOWN, config=config_of({"rating": "E"}), history=STORY.history, recent_tools=())

    prompt = _composed("base-roleplay", bare)

    assert list(_sections(prompt)) == ["identity", "rules", "rating", "perspective"]
    assert not any("agree" in said.content for said in prompt.messages)


def test_sms_chat_overrides_three_sections_and_leaves_two_out() -> None:
    """P3, P6: the casual perspective stands in place of the long one."""
    base, sms = _sections(_composed("base-roleplay")), _sections(_composed("sms-chat"))

    assert list(sms) == [name for name in SECTIONS if name not in ("episode", "scene")]
    assert sms["identity"].text == "YOU are Mira texting Ann."
    assert sms["rules"].text.startswith("1. FORMAT: Short SMS/DM messages.")
    assert len(sms["rules"].text.splitlines()) == 3
    assert sms["perspective"].text != base["perspective"].text
    assert len(sms["perspective"].text.splitlines()) == 1
    assert {sms[name].origin for name in ("identity", "rules", "perspective")} == {"SMS Chat"}
    assert [sms[name].text for name in ("rating", "media")] == [base[name].text for name in ("rating", "media")]


def test_the_same_override_can_be_laid_over_our_own_base() -> None:
    """P3, P7."""
    over_ours = resolve(_read("sms-chat"), find_built_in)

    ours = resolve(built_in()["base-roleplay"], find_built_in)
    expected = [section.name for section in ours.sections if section.name not in ("episode", "scene")]
    assert [section.name for section in over_ours.sections] == expected
    prompt = compose(over_ours, STORY, Budget(30_000, 2_000), BytesTokenizer())
    assert prompt.messages[0].content.startswith("YOU are Mira texting Ann.\n\nYou are talking with Ann Reed")


def test_a_director_has_its_command_and_the_tags_that_there_are() -> None:
    """P7."""
    prompt = _composed("director")

    told = _sections(prompt)
    assert list(told) == ["identity", "intent", "directives", "imageTags", "memory"]
    assert told["intent"].text == "SESSION INTENT: Bring them to the crypt"
    assert told["imageTags"].text == "Available image tags: quay, bell"
    # It was written without a place for memory.
    assert told["memory"].appended


def test_a_director_without_tags_has_no_section_about_them() -> None:
    """P2."""
    config = STORY.config.model_copy(update={"image_tags": ()})

    prompt = _composed("director", replace(STORY, config=config))

    assert "imageTags" not in _sections(prompt)
    assert "image tags" not in prompt.messages[0].content
