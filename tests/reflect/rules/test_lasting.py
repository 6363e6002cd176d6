"""What lasts and what passes (O1, K2)."""

import pytest

from everlore.language.clauses import read
from everlore.reflect.rules.lasting import lasts
from everlore.reflect.rules.said import USER, said_of


def _lasts(message: str) -> bool:
    said = said_of(read(message)[0], USER)
    return said is not None and lasts(said)


@pytest.mark.parametrize(
    "message",
    [
        "I'm so tired",
        "I'm a bit nervous about tomorrow",
        "I feel sick",
        "I'm making dinner",
        "I'm looking for a laptop",
        "I have a question",
        "I have a headache",
        "I think so",
        "I'm sorry for the delay",
        "I'm all ears",
        "I could eat a horse",
        "I'm in a meeting",
    ],
)
def test_moods_and_doings_pass(message: str) -> None:
    assert not _lasts(message)


@pytest.mark.parametrize(
    "message",
    [
        "I use Arch",
        "I drive a lorry",
        "I weigh 80 kilos",
        "I vote Green",
        "I take lithium",
        "I do a dance class every Tuesday",
        "I bake my own bread",
        "I'm six foot four",
        "I'm on dialysis",
        "I'm between jobs",
        "I can't swim",
        "I never finished high school",
        "I was in a choir called The Larks",
        "I did ballet as a child",
        "I survived a plane crash",
        "I've worked nights for ten years",
        "I've never seen the sea",
        "I haven't smoked in six months",
        "I used to smoke",
        "I'm doing a masters in hydrology",
        "I'm running the Berlin marathon in September",
        "We fly to Malta on the 3rd",
        "I have an appointment on Thursday",
        "I have a Steam Deck",
        "I have a bad knee",
        "I started learning the banjo",
    ],
)
def test_habits_states_and_events_last(message: str) -> None:
    assert _lasts(message)


@pytest.mark.parametrize(
    "message",
    [
        "I open the door",
        "I use my turn to cast a spell",
        "I take the left path",
        "I run at the goblin",
        "I study the map",
        "I keep getting an error",
        "I have two options",
        "I have a class called Dog",
        "I lost my keys",
        "I lost the game",
        "I broke the build",
        "I ran to the shop",
        "I got the job done",
        "I got to go",
        "I moved the file to the folder",
        "I changed my mind",
        "I started crying",
        "I was born ready",
        "I was in the shower",
        "I can't sleep",
        "I can't drive tonight",
        "I'm working on a function",
        "I'm studying for a test",
        "I'm good at the moment",
        "I've been up since five",
        "I make a mistake every time",
        "I haven't seen it yet",
        "We push each other to improve",
        "I got into a bad spot with some people",
        "I have two tables in my database",
        "I'm raising an exception",
        "I managed to fix it every day",
        "I can write better",
    ],
)
def test_moves_mishaps_and_moments_do_not_last(message: str) -> None:
    assert not _lasts(message)
