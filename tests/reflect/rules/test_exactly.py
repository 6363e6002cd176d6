"""What is told with a name or a date is a piece of a life; whom one names without "my" is one's own (O1, F2, F3)."""

import pytest

from everlore.reflect.rules import facts_stated


def _contents(message: str) -> list[str]:
    return [each.content for each in facts_stated(message)]


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("Husband works nights on the ferry.", "User's husband works nights on the ferry"),
        ("Nan's 91 and sharp as a tack.", "User's nan is 91 years old"),
        ("niece Orla plays the harp", "User has a niece named Orla"),
        ("Mum was at the Somme museum in June.", "User's mum was at the Somme museum in June"),
    ],
)
def test_whom_one_names_without_my_is_ones_own(message: str, content: str) -> None:
    assert content in _contents(message)


@pytest.mark.parametrize("message", ["Brother, you have no idea.", "Mum's scones are the best.", "Dad, is that you?"])
def test_whom_one_calls_or_whose_thing_it_is_says_nothing_of_them(message: str) -> None:
    assert _contents(message) == []


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I sold my old Lambretta.", "User sold their old Lambretta"),
        ("My cousin Bea made chef at a bistro in Nantes.", "User's cousin Bea made chef at a bistro in Nantes"),
        ("I've taken over a vineyard near Tokaj.", "User has taken over a vineyard near Tokaj"),
        ("I shoe horses at a yard in Kildare.", "User shoes horses at a yard in Kildare"),
        ("I'm a ranger at Snowdonia.", "User is a ranger at Snowdonia"),
        ("My uncle is a beekeeper.", "User's uncle is a beekeeper"),
        ("My flatmate Ines is allergic to latex.", "User's flatmate Ines is allergic to latex"),
        ("I play the hurdy-gurdy.", "User plays the hurdy-gurdy"),
        ("I want to do forestry in Finland.", "User wants to do forestry in Finland"),
        ("I need to renew my licence before August.", "User needs to renew their licence before August"),
        ("I've run four marathons.", "User has run four marathons"),
    ],
)
def test_what_is_told_with_a_name_or_as_a_sort_is_kept(message: str, content: str) -> None:
    assert content in _contents(message)


@pytest.mark.parametrize(
    "message",
    [
        "I dropped my keys.",
        "I saw Bea yesterday.",
        "I parked outside Tokaj for the night.",
        "I yelled at the TV.",
        "I play the fool.",
        "My brother is a nightmare.",
        "I got to be out by noon.",
        "I want to watch Dune.",
        "I have to be at the station by six.",
        "I need to ask Bea.",
    ],
)
def test_what_is_done_on_the_way_is_not(message: str) -> None:
    assert [each for each in _contents(message) if not each.startswith("User has a ")] == []


def test_each_of_a_list_is_told_by_its_name() -> None:
    said = _contents("I have two hens, Agnes is 6 and Maud's blind.")

    assert "User's hen Agnes is 6 years old" in said


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("We moved because of my husband's posting.", "User has a husband"),
        ("I swim while the kids sleep.", "User has kids"),
        ("Allergic to latex btw, ended up on a drip in 2011.", "User ended up on a drip in 2011"),
        ("My aunt is 88 and rows on the lake every week.", "User's aunt rows on the lake every week"),
    ],
)
def test_what_is_said_on_the_way_is_heard(message: str, content: str) -> None:
    assert content in _contents(message)
