"""What no list of words holds is told by its grammar, and what is not understood is not told (F4, O1)."""

import pytest

from everlore.reflect.rules import facts_stated
from everlore.reflect.rules.whole import is_whole


def _told(message: str) -> list[str]:
    return [each.content for each in facts_stated(message, assistants=("Nova",))]


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("im 15 btw so dont be weird", "User is 15 years old"),
        ("idk im 41 is that silly", "User is 41 years old"),
        ("Never been on a plane. 44 years old.", "User is 44 years old"),
        ("I'm diabetic and shouldn't eat it", "User is diabetic"),
        ("20 years I drove the trams in Basel", "User drove the trams in Basel for 20 years"),
        ("11 years with lupus and I still forget my meds", "User has had lupus for 11 years"),
        ("I've been driving trucks 22 years", "User has been driving trucks 22 years"),
        ("I quit the shoe factory in may", "User quit the shoe factory in may"),
        ("I've got SMA", "User has SMA"),
        ("I only have one kidney", "User has one kidney"),
        ("I'm type 2", "User is type 2"),
        ("I'm B1 in French", "User is B1 in French"),
        ("I'm based out of Denver", "User is based out of Denver"),
        (
            "I'm the first woman in my family to own a house",
            "User is the first woman in their family to own a house",
        ),
        ("I'm a lollipop lady on Mill Road", "User is a lollipop lady on Mill Road"),
        ("I'm a long-haul trucker out of Tulsa", "User is a long-haul trucker out of Tulsa"),
        ("We're in Dunedin", "User is in Dunedin"),
        ("my rating is 1740", "User's rating is 1740"),
        ("My landlady is called Mrs Petrescu", "User has a landlady named Mrs Petrescu"),
        ("I've taken up pottery", "User has taken up pottery"),
        ("I do the wiring for the theatre", "User does the wiring for the theatre"),
        ("diagnosed at nine, pump since then", "User was diagnosed at nine"),
        ("hey. he/him. thanks", "User uses he/him pronouns"),
    ],
)
def test_the_shape_of_a_clause_tells_what_it_says_of_the_user(message: str, content: str) -> None:
    assert content in _told(message)


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("my father flew Tornados", "User's father flew Tornados"),
        ("My wife's the baker", "User's wife is the baker"),
        ("Now my uncle's had a stroke", "User's uncle has had a stroke"),
        ("My stepdad is grumpy, restores clocks, hates gadgets", "User's stepdad restores clocks"),
        ("My late husband Colin and I had a narrowboat", "User's late husband was named Colin"),
        ("me and Shaz split up", "User split up with Shaz"),
    ],
)
def test_the_same_holds_of_their_people(message: str, content: str) -> None:
    assert content in _told(message)


@pytest.mark.parametrize(
    "message",
    [
        "same wrist, same one I broke in 2018",
        "he's a guy i've never met irl",
        "the gym is a place I found in 2010",
        "steps. every. single. venue.",
        "It's the Arsenal fan again, I'm Spurs",
        "We don't speak in May",
        "I used to row county level till",
        "I have 31 of them",
        "I have 12 apples and give 5 away, how many now",
        "I wept all night",
        "I freeze every single time",
        "Thirty-one years I've been with that firm",
        "yeah sure im a duchess with a castle",
        "last night I had a dream where I lived in Paris. I had two kids and worked at NASA",
        "I have a splinter",
        "I'm 40 minutes in",
        "I'm 20 pages from the end",
        "I'm a broken man",
        "We're in Act 3",
        "rent is due on the 1st",
        "my phone is 20% charged",
        "my character is Thorin",
        "I've restarted it two times",
    ],
)
def test_what_is_not_understood_or_passes_is_not_told(message: str) -> None:
    assert _told(message) == []


def test_what_is_denied_at_the_end_of_a_list_is_left_out() -> None:
    assert _told("I have eleven jumpers and no shame.") == ["User has eleven jumpers"]


def test_an_unknown_name_counts_where_people_introduce_themselves() -> None:
    assert _told("Hi, I'm Zorblax") == ["User's name is Zorblax"]
    assert "User's name is Zorblax" in _told("I'm Zorblax, 34, from Leeds")


@pytest.mark.parametrize(
    "content",
    [
        "User wepts all night",
        "User's son Tobias ands Helen are expecting",
        "User used to row county level till",
        "User has 31 of them",
        "User likes it",
        "User got the support they needed was great",
        "User has been with that man for years",
        "User is in chapter 4",
        "User",
        "",
        "She lives in Rome",
    ],
)
def test_a_content_that_is_no_whole_sentence_is_known(content: str) -> None:
    assert not is_whole(content)


@pytest.mark.parametrize(
    "content",
    [
        "User lives in Rome",
        "User's new boss Henrik is Danish",
        "User's sister James cuts hair",
        "User no longer smokes",
        "User can't swim",
        "User was ill when they were ten",
        "User is starting a course this year",
    ],
)
def test_a_whole_sentence_is_one(content: str) -> None:
    assert is_whole(content)
