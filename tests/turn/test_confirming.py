"""What was only implied is asked about in the chat before it counts (M10)."""

import pytest

from everlore.domain.conversation import Conversation
from everlore.domain.memory import Status
from everlore.learning.confirmation import answer_in
from tests.turn.test_learning import BELIEVED, facts, known, learner, talk_with
from tests.turn.world import World, world

_IMPLIED = "User is a teacher"
_SAID = "I taught my third-grade class about volcanoes today."


async def _implied(mind: World) -> Conversation:
    learner(mind).answers(facts(_IMPLIED, confidence=0.75, quote="I taught my third-grade class"))
    talk = await talk_with(mind, confirm_facts=True)
    await mind.says(talk, _SAID)
    await mind.works()
    assert _IMPLIED not in await known(mind)
    assert _IMPLIED in await known(mind, Status.PENDING)
    mind.model.answers("Volcanoes! Are you a teacher, then?")
    await mind.says(talk, "They loved the lava.")
    return talk


async def test_the_character_is_told_what_to_ask_and_takes_nothing_for_granted() -> None:
    """M10: once."""
    mind = world(settings=BELIEVED)
    talk = await _implied(mind)
    assert _IMPLIED in mind.model.prompt
    assert "not certain" in mind.model.prompt

    await mind.says(talk, "Anyway, good night.")

    assert "not certain" not in mind.model.prompt


async def test_nobody_is_asked_about_what_players_must_not_know() -> None:
    """M10, G9."""
    mind = world()
    learner(mind).answers(facts(_IMPLIED, confidence=0.75))
    talk = await talk_with(mind, confirm_facts=True)
    await mind.says(talk, _SAID)
    await mind.works()
    [waiting] = (await mind.lore.memories.list(status=Status.PENDING.value)).items
    await mind.lore.edit(waiting.id, is_spoiler=True)

    await mind.says(talk, "They loved the lava.")

    assert _IMPLIED not in mind.model.prompt


async def test_a_plain_yes_settles_it() -> None:
    """M10."""
    mind = world(settings=BELIEVED)
    talk = await _implied(mind)

    await mind.says(talk, "Yes, for ten years now.")
    await mind.works()

    assert _IMPLIED in await known(mind)
    assert await known(mind, Status.PENDING) == []


async def test_a_plain_no_settles_it_too() -> None:
    """M10, M11: and it is not formed again of the same words."""
    mind = world(settings=BELIEVED)
    talk = await _implied(mind)

    await mind.says(talk, "No, I was only standing in.")
    await mind.works()

    assert _IMPLIED not in await known(mind)
    assert _IMPLIED in await known(mind, Status.REJECTED)


async def test_saying_it_outright_settles_it_as_well() -> None:
    """M10: whatever was asked."""
    mind = world()
    talk = await _implied(mind)

    await mind.says(talk, "I am a teacher.")
    await mind.works()

    assert any("teacher" in each for each in await known(mind))
    assert await known(mind, Status.PENDING) == []


async def test_talking_of_something_else_leaves_it_waiting() -> None:
    """M10."""
    mind = world()
    talk = await _implied(mind)

    await mind.says(talk, "Let us talk about the weather.")
    await mind.works()

    assert _IMPLIED in await known(mind, Status.PENDING)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Yes", True),
        ("yeah, exactly", True),
        ("That's right.", True),
        ("nope", False),
        ("No, not at all", False),
        ("That's not right", None),
        ("Not really", False),
        ("Maybe", None),
        ("", None),
        ("I had fish and chips, yes", None),
    ],
)
def test_what_counts_as_an_answer(text: str, answer: bool | None) -> None:
    """M10."""
    assert answer_in(text) is answer
