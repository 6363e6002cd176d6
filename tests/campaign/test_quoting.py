"""What of a log is told without a model: narration, and neither rules nor answers (G3). Pure."""

import pytest

from everlore.campaign.digest.quoting import is_table_talk, narration


@pytest.mark.parametrize(
    "text",
    [
        "Roll initiative!",
        "Dex saves.",
        "Perception check, please.",
        "That's a natural twenty!",
        "Give me a Wisdom save.",
        "Is your mic muted?",
        "Same time next Thursday?",
        "The goblin has 12 HP left.",
        "DC 15.",
        "Your turn, Bex.",
        "Please stop googling, everyone.",
        "I have that on Netflix already.",
        "Karma is 6 each now.",
        "You take 3 points of damage.",
        "And we stop there for tonight.",
    ],
)
def test_talk_about_the_game_and_the_evening_is_not_told(text: str) -> None:
    """G3, G13."""
    assert is_table_talk(text)
    assert narration(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "The guards check every cart at the gate.",
        "She saves the boy from the mill race.",
        "The knights of Tarn sit at the long table.",
        "Thunder rolls over the bay, and the last lamp dies.",
        "The abbot holds a test of faith.",
        "He drops his tea, and the portal closes behind the potter.",
    ],
)
def test_what_is_played_is_told(text: str) -> None:
    """G3: words of the game are words of the story too."""
    assert narration(text) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The door opens on a dark stair. What do you do?", "The door opens on a dark stair."),
        (
            "You do. The rope was cut with the shears of the Weir Company.",
            "The rope was cut with the shears of the Weir Company.",
        ),
        ('"I know," says Lisle. "I counted them. "', '"I know," says Lisle. "I counted them."'),
        ("**The abbey burns** all night long", "The abbey burns all night long."),
        ("HOLD ON TO SOMETHING EVERYBODY NOW", ""),
        ("Any guards?", ""),
    ],
)
def test_a_narration_is_quoted_without_what_is_asked_or_answered_in_it(text: str, told: str) -> None:
    """G3."""
    assert narration(text) == told
