"""Reminders come every so many messages, and episodes follow each other (V8)."""

import pytest

from everlore.domain.config import ConversationConfig, config_of
from everlore.domain.config_choices import Episode
from everlore.domain.display import display
from everlore.turn.reminders import advance, episode_guidance, is_due, reminder
from tests.turn.world import world

STORY = config_of(
    {
        "episodes": [{"name": "The inn", "guidance": "They meet <Rex>."}, {"guidance": "They leave."}],
        "use_nlp": True,
        "nlp_command": "Speak in short sentences.",
    }
)


@pytest.mark.parametrize(
    ("counts", "every", "due"),
    [
        (range(0, 20, 2), 6, [0, 6, 12, 18]),
        (range(1, 20, 2), 6, [1, 7, 13, 19]),
        (range(0, 20, 2), 7, [0, 8, 14]),
        (range(0, 8, 2), 1, [0, 2, 4, 6]),
        (range(0, 8, 2), 0, []),
    ],
)
def test_a_reminder_is_due_once_in_every_so_many_messages(counts: range, every: int, due: list[int]) -> None:
    assert [count for count in counts if is_due(count, every)] == due


def test_a_reminder_holds_the_episode_and_the_style() -> None:
    note = reminder(STORY, 0, 6)

    assert "Episode 1 of 2: The inn\nThey meet <Rex>." in note
    assert "#NEXT EPISODE#" in note
    assert "Speak in short sentences." in note


def test_between_reminders_there_is_none() -> None:
    assert reminder(STORY, 0, 2) == ""


def test_without_anything_to_say_there_is_no_reminder() -> None:
    assert reminder(ConversationConfig(), 0, 6) == ""
    assert reminder(config_of({"nlp_command": "unused"}), 0, 6) == ""


def test_when_the_last_episode_is_over_only_the_style_is_repeated() -> None:
    assert episode_guidance(STORY, 2) == ""
    assert "Speak in short sentences." in reminder(STORY, 2, 6)
    assert "Episode" not in reminder(STORY, 2, 6)


def test_an_episode_without_a_name_is_counted() -> None:
    unnamed = ConversationConfig(episodes=(Episode(guidance="They leave."),))

    assert episode_guidance(unnamed, 0).startswith("Episode 1 of 1\nThey leave.")


@pytest.mark.parametrize(
    ("reply", "episode", "episodes", "after"),
    [
        ("And so it ended. #NEXT EPISODE#", 0, 3, 1),
        ("And so it ended. #next episode#", 2, 3, 3),
        ("#NEXT EPISODE#", 3, 3, 3),
        ("#NEXT EPISODE#", 0, 0, 0),
        ("Not yet.", 1, 3, 1),
        ("<think>#NEXT EPISODE# would be too early.</think>Not yet.", 1, 3, 1),
    ],
)
def test_the_marker_in_a_reply_moves_on_to_the_next_episode(
    reply: str, episode: int, episodes: int, after: int
) -> None:
    assert advance(reply, episode, episodes) == after
    assert "EPISODE" not in display(reply).text.upper()


async def test_a_template_that_leaves_the_episode_out_gets_no_reminder_of_it() -> None:
    """V8, P3: and one that has it does."""
    mind = world()
    config = {"auto_title": False, "episodes": [{"guidance": "They find the cellar."}], "remind_every": 2}
    await mind.meets("Mira")
    prompts = {}
    for template in ("sms-chat", "companion"):
        talk = await mind.lore.conversations.start("mira", config={**config, "template": template})
        seen = await mind.lore.x_rays.would_be(talk.id, "Hello!")
        prompts[template] = "\n".join(each.content for each in seen.messages)

    assert "They find the cellar." not in prompts["sms-chat"]
    assert "They find the cellar." in prompts["companion"]
