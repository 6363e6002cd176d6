"""A talk in a mode that keeps nothing is still one talk, for as long as the process lives (C3, V1)."""

from dataclasses import replace

import pytest

from everlore.app import Everlore
from everlore.domain.conversation import Conversation, Message
from everlore.domain.policy import Mode
from everlore.domain.scope import Scope
from tests.turn.world import HERE, World, hours, world

SECRET = "The secret word is marmalade."
QUESTION = "What was the secret word?"
SILENT = [Mode.AGENT, Mode.EMULATION]


async def _says(lore: Everlore, talk: Conversation, text: str) -> None:
    async for _ in lore.say(talk, text):
        pass


async def _asked(mind: World, lore: Everlore, talk: Conversation) -> str:
    await _says(lore, talk, QUESTION)
    return mind.model.prompt


@pytest.mark.parametrize("mode", SILENT)
async def test_the_next_turn_knows_what_was_said_before_and_nothing_is_kept(mode: Mode) -> None:
    """C3, V1: with what the character answered, and in the order in which it was said."""
    mind = world()
    talk = await mind.sits_down("Nova")
    mind.model.answers("I shall keep it well.")
    lore = mind.lore.seen_by(Scope(HERE, mode=mode))

    await _says(lore, talk, SECRET)
    prompt = await _asked(mind, lore, talk)

    said = [prompt.index(each) for each in (SECRET, "I shall keep it well.", QUESTION)]
    assert said == sorted(said)
    assert await mind.store.count(mind.scope, Message) == 0


@pytest.mark.parametrize("mode", SILENT)
async def test_what_is_not_kept_is_known_to_nobody_else(mode: Mode) -> None:
    """C3, S-3: neither to another caller, nor in another mode, nor in another talk."""
    mind = world()
    talk, other = await mind.sits_down("Nova"), await mind.sits_down("Nova")
    caller = Scope(HERE, mode=mode)
    await _says(mind.lore.seen_by(caller), talk, SECRET)

    prompts = [
        await _asked(mind, mind.lore.seen_by(replace(caller, actor="another token")), talk),
        await _asked(mind, mind.lore.seen_by(replace(caller, mode=Mode.DUAL)), talk),
        await _asked(mind, mind.lore.seen_by(caller), other),
    ]

    assert not any("marmalade" in each for each in prompts)


async def test_a_talk_in_which_nobody_says_anything_for_hours_is_forgotten() -> None:
    """C3."""
    mind = world()
    talk = await mind.sits_down("Nova")
    lore = mind.lore.seen_by(Scope(HERE, mode=Mode.AGENT))
    await _says(lore, talk, SECRET)

    mind.clock.pass_time(hours(1))
    still = await _asked(mind, lore, talk)
    mind.clock.pass_time(hours(3))
    await _says(lore, talk, "Good morning.")
    later = await _asked(mind, lore, talk)

    assert "marmalade" in still
    assert "marmalade" not in later
