"""Where a story takes place, how far it has come, and what its campaign has to say (P5, P11, V8)."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from everlore.compose.context import Canon, Context
from everlore.domain.config import config_of
from everlore.domain.conversation import Author
from everlore.domain.interaction import InteractionState, InteractionType
from everlore.domain.memory import Memory, MemoryType
from tests.compose.values.example import CANON, UNKNOWN, interaction, memory, session, value
from tests.turn.records import NOON, message

# ── scene ────────────────────────────────────────────────────────────────────────────────────────


def _set(setting: str, conversation_id: str) -> str:
    return value("setting", replace(UNKNOWN, config=config_of({"setting": setting}), conversation_id=conversation_id))


def test_a_random_setting_is_the_same_in_every_turn_and_another_elsewhere() -> None:
    """P5, P13."""
    drawn = [_set(" Random ", f"chat-{place}") for place in range(400)]

    assert drawn == [_set("random", f"chat-{place}") for place in range(400)]
    assert len(set(drawn)) == 12


def test_the_scene_is_the_setting_where_the_card_has_no_scenario() -> None:
    """P5."""
    assert value("scene", replace(UNKNOWN, config=config_of({"setting": "A train"}))) == "A train"


def test_only_what_goes_on_is_part_of_the_scene() -> None:
    """P5: what is over is not happening."""
    over = interaction(InteractionType.COMBAT, "A brawl", days=3)
    under_way = interaction(InteractionType.DEBATE, "A quarrel", days=1, state=InteractionState.IN_PROGRESS)
    context = replace(UNKNOWN, interactions=(over, under_way))

    assert value("scene.auto", context) == "Happening: A quarrel"
    assert value("interaction.description", context) == "A brawl"


@pytest.mark.parametrize(
    ("kind", "told"),
    [(InteractionType.HELP, "good"), (InteractionType.COMMERCE, "neutral"), (InteractionType.BETRAY, "evil")],
)
def test_the_latest_interaction_says_how_things_stand(kind: InteractionType, told: str) -> None:
    """P5: whatever the order in which they came."""
    earlier = interaction(InteractionType.NONE, days=0)

    assert value("event.alignment", replace(UNKNOWN, interactions=(interaction(kind, days=1), earlier))) == told
    assert value("event.alignment", replace(UNKNOWN, interactions=(earlier, interaction(kind, days=1)))) == told


# ── episodes ─────────────────────────────────────────────────────────────────────────────────────

EPISODES = ("episode", "episodeRule", "episodeReminder", "episodic", "episodeAssist")


def _at(episode: int, **only: str) -> Context:
    config = config_of({"episodes": [{"guidance": "Meet.", **only}, {"guidance": "Part."}]})
    return replace(UNKNOWN, config=config, episode=episode)


def test_a_stage_without_a_name_is_known_by_its_number() -> None:
    """V8."""
    assert value("episode", _at(0)) == "Episode 1 of 2\nMeet."
    assert value("episodeReminder", _at(0)) == "Episode 1 of 2 – Meet."
    assert value("episodeAssist", _at(0)) == "I am ready to play episode 1 of 2, and to follow its guidance."


def test_the_name_of_a_stage_keeps_to_one_line() -> None:
    """S-6."""
    assert value("episode", _at(0, name="A\n\nB")) == "Episode 1 of 2: A B\nMeet."


@pytest.mark.parametrize("episode", [2, 3, -1])
def test_a_story_whose_last_stage_is_over_says_nothing_of_stages(episode: int) -> None:
    """V8, P2."""
    assert [value(name, _at(episode)) for name in EPISODES] == [""] * 5


# ── guidance ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("config", [{"use_nlp": False, "nlp_command": "Rhyme."}, {"use_nlp": True, "nlp_command": " "}])
def test_guidance_that_is_off_or_empty_leaves_no_trace(config: dict[str, Any]) -> None:
    """P2."""
    context = replace(UNKNOWN, config=config_of(config))

    assert [value(name, context) for name in ("nlp", "nlp.command", "nlpWarn", "nlpReminder")] == [""] * 4


# ── what was said ────────────────────────────────────────────────────────────────────────────────


def test_the_question_is_the_latest_of_the_user() -> None:
    """P5."""
    history = (message("First?"), message(" Second? "), message("Yes.", Author.ASSISTANT), message("x", Author.SYSTEM))

    assert value("user.question", replace(UNKNOWN, history=history)) == "Second?"


def test_quotes_are_numbered_without_gaps_on_one_line_each() -> None:
    """P4, S-6: nothing said earlier can pass for another quote."""
    earlier = (message("Hm.\n2. Ann, 2026-01-01: “I confess”"), message("<think>only</think>"), message("a " * 900))
    [first, second] = value("user.citations", replace(UNKNOWN, earlier=earlier)).splitlines()

    assert first == "1. User, 2026-03-01: “Hm. 2. Ann, 2026-01-01: “I confess””"
    assert second.startswith("2. User, 2026-03-01: “a a a")
    assert second.endswith("a…”")
    assert len(second) < 540


# ── campaign ─────────────────────────────────────────────────────────────────────────────────────


def _canon(*memories: Memory, **fields: Any) -> Context:
    return replace(UNKNOWN, canon=replace(CANON, **{"memories": memories, **fields}))


def test_every_memory_of_the_canon_is_told_in_one_tier_at_most() -> None:
    """P11, P14."""
    tiers = ("campaign.memory", "chapter.memory", "session.recap", "session.memory")
    told = "\n".join(value(name) for name in tiers)

    assert [each.content for each in CANON.memories if told.count(each.content) > 1] == []
    # Moments of an earlier session are left to recall; the session's summary stands for them.
    assert [each.content for each in CANON.memories if each.content not in told] == ["A toast on the roof"]


@pytest.mark.parametrize("kind", MemoryType)
@pytest.mark.parametrize(
    "place", [{}, {"chapter_id": "c2"}, {"session_id": "s4"}, {"chapter_id": "c2", "session_id": "s4"}]
)
def test_a_memory_of_the_present_is_told_in_exactly_one_tier(kind: MemoryType, place: dict[str, str]) -> None:
    """G2, P11: whatever it is, and wherever it was learnt."""
    context = _canon(memory(kind, "The moon is a lamp", **place))
    tiers = ("campaign.memory", "chapter.memory", "session.recap", "session.memory")

    assert sum(value(name, context).count("The moon is a lamp") for name in tiers) == 1


def test_a_premise_that_is_kept_twice_is_told_once() -> None:
    """P14."""
    context = _canon(memory(MemoryType.PREMISE, "The sea is rising."))

    assert value("campaign.premise", context) == "The sea is rising."


def test_the_recap_has_the_last_five_sessions_with_their_latest_summaries() -> None:
    """P11: newest first; a summary that was made anew makes its session no newer."""
    sessions = [session(number) for number in range(1, 8)]
    told = [memory(MemoryType.SUMMARY, f"Told of {each.number}", session_id=each.id) for each in sessions]
    anew = memory(MemoryType.SUMMARY, "Told anew", session_id="s4", created_at=NOON + timedelta(days=9))

    recap = value("session.recap", _canon(*told, anew, sessions=sessions[::-1]))

    assert recap.splitlines() == [
        "- Session 7: Told of 7",
        "- Session 6: Told of 6",
        "- Session 5: Told of 5",
        "- Session 4: Told anew",
        "- Session 3: Told of 3",
    ]


def test_a_summary_of_a_session_that_was_not_fetched_is_told_without_its_name() -> None:
    """P11."""
    context = _canon(memory(MemoryType.SUMMARY, "Long ago", session_id="s99"), sessions=())

    assert value("session.recap", context) == "- Long ago"
    assert value("session.name", context) == ""


def _lists(context: Context, names: Iterable[str]) -> list[str]:
    return [value(name, context) for name in names]


def test_a_campaign_between_chapters_tells_what_it_has() -> None:
    """P2: no chapter, no heading."""
    bare: Canon = replace(CANON, chapter=None, sessions=(), memories=(), entities=(), relationships=())
    context = replace(UNKNOWN, canon=bare)

    assert value("campaign.memory", context) == "Premise:\n- The sea is rising."
    assert _lists(context, ["chapter.name", "chapter.goals", "chapter.memory", "session.memory"]) == [""] * 4


def test_threads_of_other_chapters_stay_with_the_campaign() -> None:
    """G1."""
    context = _canon(memory(MemoryType.PLOT_THREAD, "The old debt", chapter_id="c1", session_id="s1"))

    assert value("campaign.threads", context) == "The old debt"
    assert "debt" not in value("chapter.memory", context)
