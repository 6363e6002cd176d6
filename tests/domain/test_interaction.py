"""What two persons can do with each other, and how it is classed (K3, K4)."""

import pytest

from everlore.domain.interaction import InteractionType, Outcome, Tone, tone_of

TONES: dict[Tone, str] = {
    Tone.POSITIVE: "ACCOMMODATE ALLY BEFRIEND COOPERATE DATE DEFEND ENTERTAIN EXPRESS_GRATITUDE HELP INTIMATE MENTOR "
    "RECREATE RELATE ROMANCE SOCIALIZE",
    Tone.NEUTRAL: "BARTER COMMERCE COMMUNICATE COMPETE CONGREGATE CORRESPOND DEBATE EXCHANGE INVESTIGATE NEGOTIATE "
    "NONE UNKNOWN",
    Tone.NEGATIVE: "BETRAY BREAK_UP COERCE COMBAT CONFLICT CRITICIZE EXPRESS_INDIFFERENCE OPPOSE PEER_PRESSURE "
    "SEPARATE SHUN THREATEN",
}


@pytest.mark.parametrize("tone", Tone)
def test_each_tone_has_exactly_its_types(tone: Tone) -> None:
    """K4: BETRAY is negative."""
    assert {kind.value for kind in InteractionType if tone_of(kind) is tone} == set(TONES[tone].split())


def test_the_list_of_types_is_the_fixed_one() -> None:
    """K4."""
    assert len(InteractionType) == 39
    assert {kind.value for kind in InteractionType} == set(" ".join(TONES.values()).split())


def test_there_are_six_ways_for_it_to_come_out() -> None:
    """K4."""
    assert [outcome.value for outcome in Outcome] == [
        "VERY_FAVORABLE", "FAVORABLE", "NEUTRAL", "MIXED", "UNFAVORABLE", "VERY_UNFAVORABLE",
    ]  # fmt: skip
