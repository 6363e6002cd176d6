"""A window is divided into shares, and what one part does not need flows to the others (P9)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.compose.account import SectionState
from everlore.compose.budget import SHARES, Budget, budget_of, divide, grant, level
from everlore.compose.prompt import Prompt
from everlore.domain.config import ConversationConfig, config_of
from tests.compose.stage import PLAIN, composed, recalled, said, scene, talk, template, text_of
from tests.compose.values.example import CANON
from tests.turn.records import person

PARTS = list(SHARES)
NEEDS = st.dictionaries(st.sampled_from(PARTS), st.integers(0, 300_000))
LIMITS = st.integers(0, 200_000)


# ── the window ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("config", "prompt", "reply"),
    [
        ({}, 7_168, 1_024),
        ({"context_window": 200_000, "response_reserve": 15_000}, 185_000, 15_000),
        ({"context_window": 2_000, "response_reserve": 100}, 1_900, 100),
        ({"context_window": 2_000, "response_reserve": 5_000}, 1_000, 1_000),
    ],
)
def test_what_the_reply_needs_is_kept_free(config: dict[str, Any], prompt: int, reply: int) -> None:
    """P9, V6: a reserve that leaves no room is half of the window."""
    budget = budget_of(config_of(config))

    assert (budget.prompt, budget.reply) == (prompt, reply)


@given(st.integers(1_024, 10_000_000), st.none() | st.integers(16, 1_000_000))
def test_prompt_and_reply_make_up_the_window(window: int, reserve: int | None) -> None:
    """P9."""
    budget = budget_of(ConversationConfig(context_window=window, response_reserve=reserve))

    assert budget == Budget(window, budget.reply)
    assert budget.prompt + budget.reply == window
    assert budget.prompt >= window // 2


# ── shares ───────────────────────────────────────────────────────────────────────────────────────


def test_shares_keep_their_measure_in_any_window() -> None:
    """P9: defaults of a large window, scaled."""
    assert divide(sum(SHARES.values())) == SHARES
    assert all(abs(divide(10_400)[part] - share // 10) <= 1 for part, share in SHARES.items())


@given(LIMITS)
def test_shares_never_exceed_what_is_divided(limit: int) -> None:
    """P9."""
    assert 0 <= sum(divide(limit).values()) <= limit


@given(NEEDS, LIMITS)
def test_no_more_is_granted_than_there_is_nor_than_is_needed(needs: dict[str, int], limit: int) -> None:
    """P9."""
    granted = grant(needs, limit)

    assert set(granted) == set(SHARES)
    assert sum(granted.values()) <= limit
    assert all(0 <= granted[part] <= needs.get(part, 0) for part in granted)


@given(NEEDS, LIMITS)
def test_each_part_is_sure_of_its_share(needs: dict[str, int], limit: int) -> None:
    """P9: whatever the others want."""
    granted = grant(needs, limit)

    assert all(granted[part] >= min(needs.get(part, 0), share) for part, share in divide(limit).items())


@given(NEEDS, LIMITS)
def test_nothing_is_left_over_while_somebody_needs_it(needs: dict[str, int], limit: int) -> None:
    """P9."""
    granted = grant(needs, limit)

    assert sum(granted.values()) == min(sum(needs.values()), limit)


@given(NEEDS, LIMITS)
def test_a_larger_window_takes_nothing_from_the_whole(needs: dict[str, int], limit: int) -> None:
    """P9."""
    assert sum(grant(needs, limit + 1).values()) >= sum(grant(needs, limit).values())


def test_what_says_who_speaks_gets_what_is_left_over_first() -> None:
    """P9."""
    granted = grant({"system": 30_000, "conversation": 90_000}, 99_000)

    assert granted["system"] == 30_000
    assert granted["conversation"] == 69_000


# ── level ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("needs", "limit", "most"),
    [([], 10, 0), ([5], 10, 5), ([5, 5], 10, 5), ([1, 9], 10, 9), ([1, 99], 10, 9), ([50, 60], 10, 5), ([7], 0, 0)],
)
def test_the_small_stay_whole_and_the_large_are_cut_alike(needs: list[int], limit: int, most: int) -> None:
    """P9."""
    assert level(needs, limit) == most


@given(st.lists(st.integers(0, 1_000), max_size=20), st.integers(0, 5_000))
def test_cut_to_the_level_all_of_them_fit_and_hardly_anything_is_wasted(needs: list[int], limit: int) -> None:
    """P9."""
    most = level(needs, limit)
    taken = sum(min(need, most) for need in needs)

    assert taken <= limit
    assert taken == sum(needs) or limit - taken < len(needs)


# ── sections within their room ───────────────────────────────────────────────────────────────────

SMALL = {"context_window": 2_048, "prune": False}


def _states(prompt: Any) -> dict[str, SectionState]:
    return {each.name: each.state for each in prompt.account.sections}


def test_when_there_is_no_room_required_sections_are_cut_and_others_go() -> None:
    """P9: and the account says of each what became of it, and why (P12)."""
    written = template(
        {
            "identity": {"order": 1, "required": True, "content": ["You are ${system.fullName}.", "Word " * 2_000]},
            "short": {"order": 2, "required": True, "content": "A short rule."},
            "extra": {"order": 3, "content": "Nice to have. " * 50},
        }
    )

    prompt = composed(written, scene(*talk(["A message of some length. " * 20] * 40), config=SMALL))

    assert _states(prompt) | {"earlier": SectionState.WHOLE} == {
        "identity": SectionState.CUT,
        "short": SectionState.WHOLE,
        "extra": SectionState.LEFT_OUT,
        "earlier": SectionState.WHOLE,
    }
    system = prompt.messages[0].content
    assert system.startswith("You are Mira.\nWord Word")
    assert "A short rule." in system
    assert "Nice to have" not in text_of(prompt)
    [identity, _, extra, *_] = prompt.account.sections
    assert identity.why.startswith("cut from ")
    assert extra.why.startswith("no room: it costs ")
    assert "Section 'extra': no room" in " ".join(prompt.account.warnings)


def test_a_short_section_that_is_not_required_stays_where_a_long_one_goes() -> None:
    """P9: skip, don't stop."""
    written = template({"long": "Long. " * 900, "short": "Short."})

    prompt = composed(written, scene(*talk(["A message of some length. " * 20] * 40), config=SMALL))

    assert _states(prompt)["long"] is SectionState.LEFT_OUT
    assert prompt.messages[0].content.startswith("Short.")


@pytest.mark.parametrize("most", range(1_024, 1_124, 7))
def test_what_is_cut_ends_with_a_word(most: int) -> None:
    """P2, P9: wherever the cut falls, no blank lines are left of it."""
    written = template({"a": {"required": True, "content": ["${system.characterDesc}", "Be kind."]}, "b": "Be brief."})
    character = person("Mira", description="Line.\n\nWord, word.\n" * 1_000)

    prompt = composed(written, scene(said("Hi"), character=character, config={"context_window": most}))

    assert "\n\n\n" not in prompt.messages[0].content
    assert all(each.text == each.text.strip() for each in prompt.account.sections)


def test_what_nobody_needs_is_the_talks() -> None:
    """P9: a long message has nearly all of a window that is otherwise empty."""
    prompt = composed(PLAIN, scene(said("word " * 20_000)))

    assert prompt.account.used > 0.9 * budget_of(ConversationConfig()).prompt


def test_a_campaign_does_not_crowd_out_who_speaks_nor_what_was_said() -> None:
    """P9, P11."""
    written = template({"identity": {"required": True, "content": "You are Mira."}, "world": "${campaign.memory}"})
    canon = replace(CANON, memories=[*CANON.memories] * 200)

    prompt = composed(written, scene(*talk(["Hello there."] * 20), canon=canon, config=SMALL))

    assert prompt.messages[0].content.startswith("You are Mira.")
    assert prompt.messages[-1].content.endswith("Hello there.")


def test_a_prompt_that_is_nearly_full_says_so() -> None:
    """P12."""
    long = composed(PLAIN, scene(said("Hi"), instructions="word " * 10_000, config={**SMALL, "memory_budget": 0}))
    short = composed(PLAIN, scene(said("Hi")))

    assert any("of what the window leaves for it" in warning for warning in long.account.warnings)
    assert short.account.warnings == ()
    assert 0 < short.account.share < 0.1


def test_the_account_tells_what_each_part_was_sure_of_and_what_it_took() -> None:
    """P12."""
    prompt = composed(PLAIN, scene(said("Hi"), memories=[recalled("a")]))

    used = {part.name: part.used for part in prompt.account.parts}
    assert [part.name for part in prompt.account.parts] == PARTS
    assert used["system"] > 0
    assert used["recall"] > 0
    assert used["conversation"] > 0
    assert used["campaign"] == 0
    assert {part.name: part.share for part in prompt.account.parts} == divide(7_168)


def test_a_long_campaign_does_not_starve_its_chapter_and_its_sessions() -> None:
    """P11: what is left over is handed out in rounds."""
    granted = grant({"campaign": 5_000, "chapter": 320, "session": 900, "conversation": 50_000}, 3_500)

    assert granted["chapter"] == 320
    assert granted["session"] > 800
    assert granted["campaign"] < 600


def test_what_nobody_needs_is_for_memories() -> None:
    """P9: up to their budget, also beyond what is kept for them; the beginning of the prompt stays as it is."""
    memories = [recalled(f"m{place}", f"Ann knows {place} things. " * 20) for place in range(60)]

    def prompt(budget: int) -> Prompt:
        return composed(PLAIN, scene(said("Hi"), memories=memories, config={"memory_budget": budget}))

    few, many = prompt(500), prompt(5_000)
    told = {part.name: part.used for part in many.account.parts}
    assert 4_000 < told["recall"] <= 5_100
    assert few.messages[0] == many.messages[0]
