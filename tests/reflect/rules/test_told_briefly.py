"""What people tell in pieces, with a time, or of one of theirs by a mere "she" (O1)."""

import pytest

from everlore.reflect.rules import facts_stated


def _told(message: str) -> list[str]:
    return [each.content for each in facts_stated(message, assistants=("Nova",))]


# ── without a verb ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("nurse here", "User is a nurse"),
        ("Freelance translator, mostly manuals", "User is a freelance translator"),
        ("Electrician by trade, been at it for years", "User is an electrician by trade"),
        ("34, dad of three", "User is a dad of three"),
        ("three years sober today", "User has been sober for three years"),
        ("Big fan of horror movies", "User is a big fan of horror movies"),
        ("Vegan, in bed by nine.", "User is vegan"),
        ("no kids, two dogs", "User has two dogs"),
        ("Loves: maps, trains, wool. Hates: queues.", "User loves trains"),
        ("I studied botany, which is why I work in a flower shop", "User works in a flower shop"),
    ],
)
def test_a_piece_says_what_somebody_is_or_has(message: str, content: str) -> None:
    assert content in _told(message)


@pytest.mark.parametrize(
    "message",
    [
        "Nurse! Nurse!",
        "Doctor, help me",
        "Vegan restaurants in Leeds",
        "Teacher, can I go?",
        "room 204, second floor",
        "Not bad at all",
        "27 plus 14",
        "Single malt or blended",
        "tea, white, two sugars, dont judge",
        "cannot stand the stuff",
    ],
)
def test_a_noun_alone_may_be_anything(message: str) -> None:
    assert _told(message) == []


# ── with a time ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("We sail to Malta on the 3rd", "User sails to Malta on the 3rd"),
        ("taking the bar exam in july", "User is taking the bar exam in july"),
        ("I've been a referee for about six years", "User has been a referee for about six years"),
        ("I did the Jakobsweg in 2012", "User did the Jakobsweg in 2012"),
        ("I got bitten by a snake when I was ten", "User got bitten by a snake"),
        ("My startup failed last year", "User's startup failed last year"),
        ("I've lived in Lucca all my life", "User has lived in Lucca all their life"),
        ("I live between Berlin and Lisbon", "User lives between Berlin and Lisbon"),
        ("I once got stuck on a ferry overnight", "User got stuck on a ferry overnight"),
    ],
)
def test_a_time_makes_it_worth_keeping(message: str, content: str) -> None:
    assert content in _told(message)


@pytest.mark.parametrize(
    "message",
    [
        "I'm seeing the plumber tonight",
        "I watched a movie yesterday",
        "I have to call them in ten minutes",
        "I'm up for it now",
        "we talked about it last month",
        "I saw it once",
        "we have done it together since monday",
    ],
)
def test_what_is_of_today_passes(message: str) -> None:
    assert _told(message) == []


# ── one of theirs ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("My brother worked for a bank. Now he makes violins.", "User's brother makes violins"),
        ("My parents run a kiosk in Ghent", "User's parents run a kiosk in Ghent"),
        ("my mum's Danish and my dad's from Ghent", "User's dad is from Ghent"),
        ("I have a sister named Emma. Emma lives in Oslo.", "User's sister Emma lives in Oslo"),
        ("I have a cat too! Mine's called Waffle.", "User has a cat named Waffle"),
        ("I have two sons, Karl who is 8 and Otto who is 5.", "User's son Otto is 5 years old"),
        ("We have three kids: Kofi, Ama and Yaw", "User has kids named Kofi, Ama and Yaw"),
        ("We just adopted a puppy! We named her Honey.", "User has a puppy named Honey"),
        ("You sound like my aunt Berta", "User has an aunt named Berta"),
        ("Can you write a poem for my wife Anna?", "User has a wife named Anna"),
        ("me and dan broke up", "User broke up with dan"),
        ("My husband and I met in college", "User met their husband in college"),
        ("My 9yo has asthma and winter is hard.", "User's 9-year-old has asthma"),
    ],
)
def test_people_are_known_by_what_went_before(message: str, content: str) -> None:
    assert content in _told(message)


@pytest.mark.parametrize(
    "message",
    [
        "How do you say my brother is tall in French?",
        "My boss thinks I sleep at work. She says so.",
        "My sister wants pizza",
        "She moved to Berlin last year",
        "Pretend you are my wife Anna",
    ],
)
def test_nobody_is_made_up(message: str) -> None:
    assert [each for each in _told(message) if "named" in each or "Berlin" in each or "pizza" in each] == []


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("We're Quakers", "User is a Quaker"),
        ("we're vegetarians", "User is a vegetarian"),
        ("We moved from Ghent to Turin six years ago", "User moved from Ghent to Turin six years ago"),
    ],
)
def test_we_are_the_user_and_theirs(message: str, content: str) -> None:
    assert content in _told(message)


@pytest.mark.parametrize("message", ["We talked about dragons", "we should go on", "we're done here", "we got this"])
def test_we_may_be_the_two_who_talk(message: str) -> None:
    assert _told(message) == []
