"""What is said to the model beside the talk, and who is in the scene (V8, V10, V13, V15, V16)."""

from typing import Any

import pytest

from everlore.domain.conversation import Author
from everlore.domain.display import display
from everlore.domain.echo import STEERING
from everlore.domain.person import PersonKind
from everlore.errors import BadAsk
from tests.turn.world import World, hours, world

EPISODES = [
    {"name": "The letter", "guidance": "Let the letter be found."},
    {"name": "The journey", "guidance": "Set out for the coast."},
]


# ── reminders and episodes ───────────────────────────────────────────────────────────────────────


async def test_the_model_is_reminded_of_its_style_and_its_episode_now_and_then() -> None:
    """V8: every so many messages, as a context block."""
    mind = world()
    talk = await mind.sits_down("Mira", remind_every=4, episodes=EPISODES, use_nlp=True, nlp_command="Speak in rhymes.")
    reminded = []
    for number in range(5):
        await mind.says(talk, f"Message {number}")
        reminded.append('uri="everlore://reminder"' in mind.model.prompt)
        # Style and episode are always told: a stage that nobody knows of is not played.
        told = 2 if reminded[-1] else 1
        assert mind.model.prompt.count("Speak in rhymes.") == told
        assert mind.model.prompt.count("Let the letter be found.") == told

    assert reminded == [True, False, True, False, True]
    assert not any("rhymes" in each for each in await mind.said(talk)), "said to the model, and not kept"


async def test_a_new_version_is_reminded_like_the_one_that_it_replaces() -> None:
    """V8, V2."""
    mind = world()
    talk = await mind.sits_down("Mira", episodes=EPISODES)
    reply = await mind.says(talk, "Hello!")

    await mind.again(talk, reply)

    assert mind.model.asks[0].messages[0] == mind.model.asks[1].messages[0]


async def test_a_reply_with_the_marker_moves_on_and_the_marker_is_not_shown() -> None:
    """V8."""
    mind = world()
    talk = await mind.sits_down("Mira", remind_every=1, episodes=EPISODES)
    mind.model.answers("Here is the letter! #NEXT EPI", "SODE#")

    writing = await mind.begins(talk, "What is this?")
    heard = "".join([piece async for piece in writing.pieces()])
    reply = await writing.reply()

    assert heard == display(reply.content).text == "Here is the letter!"
    assert (await mind.talk(talk)).episode == 1
    await mind.says(talk, "Where now?")
    assert "Set out for the coast." in mind.model.prompt
    assert "Let the letter be found." not in mind.model.prompt


async def test_the_last_episode_ends_in_none() -> None:
    """V8."""
    mind = world()
    talk = await mind.sits_down("Mira", remind_every=1, episodes=EPISODES)
    for _ in range(3):
        mind.model.answers("Done. #NEXT EPISODE#")
        await mind.says(talk, "Go on")

    assert (await mind.talk(talk)).episode == 2
    await mind.says(talk, "And now?")
    assert "Episode" not in mind.model.prompt


async def test_one_reply_ends_one_episode_however_often_it_is_written() -> None:
    """V8, V2: written anew, it is about the same episode; gone on with, it has ended it already."""
    mind = world()
    talk = await mind.sits_down("Mira", episodes=[*EPISODES, {"guidance": "Come home."}])
    mind.model.answers("Found! #NEXT EPISODE#")
    reply = await mind.says(talk, "What is this?")
    mind.model.answers("There it is! #NEXT EPISODE#")
    await mind.again(talk, reply)
    assert "Let the letter be found." in mind.model.prompt
    mind.model.answers(" And a map.")
    await mind.more(talk, reply)

    assert (await mind.talk(talk)).episode == 1


# ── echo ─────────────────────────────────────────────────────────────────────────────────────────

SAME = "I am so glad that you came here to see me today, my dear friend."


async def test_a_character_that_repeats_itself_is_told_so_once_and_nothing_of_it_is_kept() -> None:
    """V15: one transient note."""
    mind = world()
    talk = await mind.sits_down("Mira")
    for _ in range(3):
        mind.model.answers(SAME)
        await mind.says(talk, "Hm.")
        assert "repeating themselves" not in mind.model.prompt

    mind.model.answers("Look, a heron has landed on the jetty behind you!")
    await mind.says(talk, "Hm?")
    assert mind.model.prompt.count(STEERING) == 1
    assert 'uri="everlore://steering"' in mind.model.prompt
    assert not any("repeating" in each for each in await mind.said(talk))

    await mind.says(talk, "Oh!")
    assert STEERING not in mind.model.prompt, "the reply was new: no more needs to be said"


async def test_what_another_repeats_is_not_ones_own_echo() -> None:
    """V15."""
    mind = world()
    talk = await mind.sits_down("Mira", "Rex")
    for _ in range(3):
        mind.model.answers(SAME)
        await mind.says(talk, "Hm.", speaker_id="rex")

    await mind.says(talk, "Hm?", speaker_id="mira")

    assert STEERING not in mind.model.prompt


# ── welcome back ─────────────────────────────────────────────────────────────────────────────────


async def test_the_first_turn_after_a_gap_opens_with_how_long_it_was_and_what_was_open() -> None:
    """V16."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.model.answers("Shall we go to the coast?")
    await mind.says(talk, "I am tired of the town.")
    assert 'type="welcome"' not in mind.model.prompt

    mind.clock.pass_time(hours(24 * 9))
    await mind.says(talk, "I am back!")
    assert "It has been a week since you last spoke" in mind.model.prompt
    assert r"You had asked: \"Shall we go to the coast?\"" in mind.model.prompt

    await mind.says(talk, "Yes, let us go.")
    assert 'type="welcome"' not in mind.model.prompt
    assert not any("welcome" in each for each in await mind.said(talk))


async def test_going_on_with_a_reply_is_no_coming_back() -> None:
    """V16, V2."""
    mind = world()
    talk = await mind.sits_down("Mira")
    reply = await mind.says(talk, "Hello!")
    mind.clock.pass_time(hours(48))

    await mind.more(talk, reply)

    assert 'type="welcome"' not in mind.model.prompt


async def test_what_was_open_is_told_only_to_who_was_there() -> None:
    """V16, V13."""
    mind = world()
    talk = await mind.sits_down("Mira", "Rex")
    await _are_there(mind, talk.id, "mira")
    await mind.says(talk, "The treasure is under the oak.")
    await _are_there(mind, talk.id, "mira", "rex")
    mind.clock.pass_time(hours(48))

    await mind.says(talk, "Hello, both!", speaker_id="rex")

    assert "treasure" not in mind.model.prompt


# ── several characters ───────────────────────────────────────────────────────────────────────────


async def test_characters_take_turns_unless_one_is_named_or_asked_for() -> None:
    """V10."""
    mind = world()
    talk = await mind.sits_down("Mira", "Rex", "Don")
    said: list[tuple[str, dict[str, Any]]] = [
        ("Hello, all!", {}),
        ("And you?", {}),
        ("Mira, what do you say?", {}),
        ("Hm.", {"speaker_id": "don"}),
        ("Go on.", {}),
    ]
    speakers = [(await mind.says(talk, text, **how)).person_id for text, how in said]

    assert speakers == ["mira", "rex", "mira", "don", "mira"]


async def test_each_speaks_as_itself_and_hears_the_others_by_name() -> None:
    """V10."""
    mind = world()
    talk = await mind.sits_down("Mira", "Rex")
    mind.model.answers("I am for the coast.")
    await mind.says(talk, "Where to?", speaker_id="mira")

    await mind.says(talk, "And you?", speaker_id="rex")

    assert "You are Rex." in mind.model.prompt
    assert "[user] Mira: I am for the coast." in mind.model.prompt
    assert "[user] And you?" in mind.model.prompt


async def test_a_narrator_tells_when_asked_and_sees_everything() -> None:
    """V10, V13."""
    mind = world()
    await mind.meets("Teller", kind=PersonKind.NARRATOR)
    talk = await mind.sits_down("Mira", "Teller")
    await _are_there(mind, talk.id, "mira")
    await mind.says(talk, "The treasure is under the oak.")

    told = await mind.says(talk, "What happens?", speaker_id="teller")

    assert (told.author, told.person_id) == (Author.NARRATOR, "teller")
    assert "treasure" in mind.model.prompt
    assert (await mind.says(talk, "Go on.")).person_id == "mira"
    assert "[user] Narrator: Fine." in mind.model.prompt


async def test_who_does_not_play_cannot_be_asked() -> None:
    """V10."""
    mind = world()
    await mind.meets("Don")
    talk = await mind.sits_down("Mira", "Rex")

    with pytest.raises(BadAsk, match=r"'don' does not play in this conversation\. Choose one of: Mira \(mira\), Rex"):
        await mind.says(talk, "Hello!", speaker_id="don")

    assert await mind.said(talk) == []


# ── presence ─────────────────────────────────────────────────────────────────────────────────────


async def _are_there(mind: World, talk: str, *ids: str) -> None:
    await mind.lore.conversations.change(talk, present=ids)


async def test_each_message_says_who_was_there() -> None:
    """V13."""
    mind = world()
    talk = await mind.sits_down("Mira", "Rex")
    await mind.says(talk, "Hello, both!")
    await _are_there(mind, talk.id, "mira")
    await mind.says(talk, "Now that he is gone …")

    present = [each.present for each in await mind.log(talk)]

    assert present == [("user", "mira", "rex")] * 2 + [("user", "mira")] * 2


async def test_who_was_away_does_not_see_it_later() -> None:
    """V13: neither in its prompt nor in what it is told to know."""
    mind = world()
    talk = await mind.sits_down("Mira", "Rex")
    await mind.says(talk, "Hello, both!")
    await _are_there(mind, talk.id, "mira")
    mind.model.answers("I will not tell him of the treasure.")
    await mind.says(talk, "The treasure is under the oak.")
    await _are_there(mind, talk.id, "mira", "rex")

    await mind.says(talk, "Rex, where is the treasure?")
    assert "oak" not in mind.model.prompt
    assert "tell him" not in mind.model.prompt
    scene = mind.model.asks[-1].scene
    assert scene is not None
    assert not any("oak" in each.content for each in (*scene.history, *scene.earlier))

    await mind.says(talk, "Mira, where is the treasure?")
    assert "under the oak" in mind.model.prompt


async def test_who_was_away_does_not_remember_it_in_another_conversation() -> None:
    """V13: the lines of earlier talks."""
    mind = world()
    talk = await mind.sits_down("Mira", "Rex")
    await _are_there(mind, talk.id, "mira")
    await mind.says(talk, "The treasure is under the oak.")

    for name, knows in (("Rex", False), ("Mira", True)):
        # The built-in voice, which looks into earlier talks for itself.
        other = await mind.sits_down(name, service_type="voice")
        await mind.says(other, "Where is the treasure?")
        scene = mind.model.asks[-1].scene
        assert scene is not None
        assert any("oak" in each.content for each in scene.earlier) is knows


async def test_who_is_away_does_not_answer() -> None:
    """V13, V10."""
    mind = world()
    talk = await mind.sits_down("Mira", "Rex")
    await _are_there(mind, talk.id, "rex")

    assert [(await mind.says(talk, text)).person_id for text in ("Hello!", "Mira?", "Hm.")] == ["rex"] * 3
    with pytest.raises(BadAsk, match="Mira is not in the scene"):
        await mind.says(talk, "Mira?", speaker_id="mira")


async def test_where_nobody_is_there_nobody_answers_and_that_is_said() -> None:
    """V13."""
    mind = world()
    talk = await mind.sits_down("Mira", "Rex")
    await _are_there(mind, talk.id)

    with pytest.raises(BadAsk, match="No character is present to reply"):
        await mind.says(talk, "Hello?")

    assert await mind.said(talk) == []
    assert (await mind.turns.note(mind.scope, talk.id, "I talk to myself.")).present == ("user",)


async def test_a_stranger_cannot_be_present() -> None:
    """V13."""
    mind = world()
    talk = await mind.sits_down("Mira")

    with pytest.raises(BadAsk, match="'rex' is not in this conversation"):
        await _are_there(mind, talk.id, "mira", "rex")
