"""Little lives, told in dated statements: what is current, what is past, and what was believed when (M6, M7, M8).

Everything is real but the database: the embedder, the decisions, the in-memory store and its `as_of`.
"""

from dataclasses import dataclass, field
from random import Random

import pytest

from everlore.domain.memory import Status
from tests.learning.saving.mind import SCOPE, Mind, day, mind
from tests.learning.saving.persons import MARCUS, SARAH, UNNOTICED, UPDATES
from tests.soak import seeds


@dataclass(frozen=True)
class Story:
    """`believed`: what search answers as of a day, whatever it is asked."""

    name: str
    said: list[tuple[str, str]]
    current: list[str]
    past: list[str] = field(default_factory=list)
    believed: dict[str, list[str]] = field(default_factory=dict)


STORIES = [
    Story(
        "moved",
        [("2026-01-05", "User lives in Seattle"), ("2026-03-05", "User moved to Portland last month")],
        ["User moved to Portland last month"],
        ["User lives in Seattle"],
        {
            "2026-01-01": [],
            "2026-02-15": ["User lives in Seattle"],
            "2026-03-06": ["User moved to Portland last month"],
        },
    ),
    Story(
        "a new job, with its place",
        [
            ("2026-01-05", "User works as a baker"),
            ("2026-03-05", "User started a new job at the museum as a curator in February 2026"),
        ],
        ["User started a new job at the museum as a curator in February 2026"],
        ["User works as a baker"],
        {"2026-01-20": ["User works as a baker"]},
    ),
    Story(
        "emigrated",
        [("2026-01-05", "User lives in Lyon"), ("2026-03-05", "User emigrated to Canada in February 2026")],
        ["User emigrated to Canada in February 2026"],
        ["User lives in Lyon"],
    ),
    Story(
        "expected on another day",
        [("2026-01-05", "User is due in June 2026"), ("2026-03-05", "User is due in July 2026")],
        ["User is due in July 2026", "User is due in June 2026"],
    ),
    Story(
        "expected on the same day",
        [("2026-01-05", "User is due in June 2026"), ("2026-03-05", "User is due in June")],
        ["User is due in June 2026"],
    ),
    Story(
        "moved without saying so",
        [("2026-01-05", "User lives in Seattle"), ("2026-03-05", "The user resides in Portland")],
        ["The user resides in Portland"],
        ["User lives in Seattle"],
    ),
    Story(
        "no coffee any more",
        [("2026-01-05", "User likes coffee"), ("2026-03-05", "User doesn't like coffee anymore")],
        ["User doesn't like coffee anymore"],
        ["User likes coffee"],
        {"2026-02-01": ["User likes coffee"], "2026-04-01": ["User doesn't like coffee anymore"]},
    ),
    Story(
        "coffee again",
        [
            ("2026-01-05", "User likes coffee"),
            ("2026-03-05", "User no longer likes coffee"),
            ("2026-05-05", "User likes coffee again"),
        ],
        ["User likes coffee again"],
        ["User likes coffee", "User no longer likes coffee"],
    ),
    Story(
        "lives and works in one town",
        [("2026-01-05", "User lives in Seattle"), ("2026-01-06", "User works in downtown Seattle")],
        ["User lives in Seattle", "User works in downtown Seattle"],
    ),
    Story(
        "a name put right",
        [("2026-01-05", "User's name is Jon"), ("2026-01-06", "User's name is actually John")],
        ["User's name is actually John"],
        ["User's name is Jon"],
    ),
    Story(
        "a name said twice",
        [("2026-01-05", "User's name is John"), ("2026-01-06", "User's name is John.")],
        ["User's name is John"],
    ),
    Story(
        "a full name",
        [("2026-01-05", "User's name is Sarah"), ("2026-01-06", "User's name is Sarah Miller")],
        ["User's name is Sarah Miller"],
    ),
    Story(
        "another job",
        [("2026-01-05", "User is a nurse"), ("2026-06-05", "User now works as a teacher")],
        ["User now works as a teacher"],
        ["User is a nurse"],
        {"2026-05-05": ["User is a nurse"]},
    ),
    Story(
        "quit, then hired",
        [
            ("2026-01-05", "User works as a nurse"),
            ("2026-03-05", "User quit their job"),
            ("2026-06-05", "User works as a baker"),
        ],
        ["User works as a baker"],
        ["User quit their job", "User works as a nurse"],
        {"2026-04-05": ["User quit their job"]},
    ),
    Story(
        "a second job",
        [("2026-01-05", "User works as a nurse"), ("2026-06-05", "User also works as a barista on weekends")],
        ["User also works as a barista on weekends", "User works as a nurse"],
    ),
    Story(
        "another employer, the same work",
        [
            ("2026-01-05", "User works as an engineer"),
            ("2026-01-05", "User works at Initech"),
            ("2026-06-05", "User got a new job at Globex"),
        ],
        ["User got a new job at Globex", "User works as an engineer"],
        ["User works at Initech"],
    ),
    Story(
        "a marriage and its end",
        [
            ("2026-01-05", "User is dating Alex"),
            ("2026-03-05", "User got engaged to Alex"),
            ("2026-06-05", "User is married to Alex"),
            ("2026-09-05", "User got divorced"),
        ],
        ["User got divorced"],
        ["User got engaged to Alex", "User is dating Alex", "User is married to Alex"],
        {"2026-04-01": ["User got engaged to Alex"], "2026-07-01": ["User is married to Alex"]},
    ),
    Story(
        "somebody new",
        [
            ("2026-01-05", "User is dating Alex"),
            ("2026-03-05", "User broke up with Alex"),
            ("2026-06-05", "User is dating Sam"),
        ],
        ["User broke up with Alex", "User is dating Sam"],
        ["User is dating Alex"],
    ),
    Story(
        "a cat dies and a dog comes",
        [
            ("2026-01-05", "User has a cat named Whiskers"),
            ("2026-02-05", "User adopted a dog named Rex"),
            ("2026-05-05", "User's cat Whiskers died yesterday"),
        ],
        ["User adopted a dog named Rex", "User's cat Whiskers died yesterday"],
        ["User has a cat named Whiskers"],
    ),
    Story(
        "a birthday",
        [("2026-01-05", "User is 33 years old"), ("2026-05-05", "User turned 34 yesterday")],
        ["User turned 34 yesterday"],
        ["User is 33 years old"],
        {"2026-03-01": ["User is 33 years old"]},
    ),
    Story(
        "another favourite",
        [
            ("2026-01-05", "User's favorite color is green"),
            ("2026-01-06", "User's favorite food is pizza"),
            ("2026-05-05", "Blue is User's favorite color"),
        ],
        ["Blue is User's favorite color", "User's favorite food is pizza"],
        ["User's favorite color is green"],
    ),
    Story(
        "another diet",
        [
            ("2026-01-05", "User is vegetarian"),
            ("2026-03-05", "User went vegan"),
            ("2026-06-05", "User eats meat again"),
        ],
        ["User eats meat again"],
        ["User is vegetarian", "User went vegan"],
    ),
    Story(
        "two sisters",
        [("2026-01-05", "User has a sister named Emma"), ("2026-01-06", "User has a sister named Anna")],
        ["User has a sister named Anna", "User has a sister named Emma"],
    ),
    Story(
        "moved twice",
        [
            ("2026-01-05", "User lives in Seattle"),
            ("2026-03-05", "User moved to Portland"),
            ("2026-06-05", "User has just moved to Denver"),
        ],
        ["User has just moved to Denver"],
        ["User lives in Seattle", "User moved to Portland"],
        {"2026-04-05": ["User moved to Portland"]},
    ),
    Story(
        "moved back",
        [
            ("2026-01-05", "User lives in Seattle"),
            ("2026-03-05", "User moved to Portland"),
            ("2026-06-05", "User lives in Seattle"),
        ],
        ["User lives in Seattle"],
        ["User lives in Seattle", "User moved to Portland"],
        {
            "2026-02-05": ["User lives in Seattle"],
            "2026-04-05": ["User moved to Portland"],
            "2026-07-05": ["User lives in Seattle"],
        },
    ),
    Story(
        "the brother's home",
        [
            ("2026-01-05", "User lives in Seattle"),
            ("2026-01-06", "User's brother lives in Denver"),
            ("2026-05-05", "User's brother moved to Oslo"),
        ],
        ["User lives in Seattle", "User's brother moved to Oslo"],
        ["User's brother lives in Denver"],
    ),
    Story(
        "an allergy is found",
        [("2026-01-05", "User likes peanuts"), ("2026-03-05", "User is allergic to peanuts")],
        ["User is allergic to peanuts", "User likes peanuts"],
    ),
    Story(
        "quit smoking, and started again",
        [
            ("2026-01-05", "User smokes"),
            ("2026-03-05", "User quit smoking two weeks ago"),
            ("2026-06-05", "User started smoking again"),
        ],
        ["User started smoking again"],
        ["User quit smoking two weeks ago", "User smokes"],
    ),
    Story(
        "a plan is dropped",
        [("2026-01-05", "User wants to visit Japan"), ("2026-05-20", "User no longer wants to visit Japan")],
        ["User no longer wants to visit Japan"],
        ["User wants to visit Japan"],
    ),
    Story(
        "hiking, and more of it",
        [("2026-01-05", "User enjoys hiking"), ("2026-05-20", "User loves weekend hiking trips")],
        ["User loves weekend hiking trips"],
    ),
    Story(
        "a past is told",
        [("2026-01-05", "User lives in Seattle"), ("2026-05-20", "User lived in Rome from 2010 to 2015")],
        ["User lived in Rome from 2010 to 2015", "User lives in Seattle"],
    ),
    Story(
        "an old move is told",
        [("2026-01-05", "User lives in Seattle"), ("2026-05-20", "User moved to Portland in 2015")],
        ["User lives in Seattle", "User moved to Portland in 2015"],
    ),
    Story(
        "a country and a town in it",
        [("2026-01-05", "User lives in Norway"), ("2026-05-20", "User lives in Oslo")],
        ["User lives in Norway", "User lives in Oslo"],
    ),
    Story(
        "one thing less to like",
        [("2026-01-05", "User likes coffee and tea"), ("2026-05-20", "User does not like coffee in the evening")],
        ["User does not like coffee in the evening", "User likes coffee and tea"],
    ),
    Story(
        "a third child",
        [("2026-01-05", "User has two kids"), ("2026-05-20", "User has three children")],
        ["User has three children"],
        ["User has two kids"],
    ),
    Story(
        "characters fall out",
        [
            ("2026-01-05", "Mira trusts Don"),
            ("2026-01-06", "Don trusts Mira"),
            ("2026-05-20", "Mira no longer trusts Don"),
        ],
        ["Don trusts Mira", "Mira no longer trusts Don"],
        ["Mira trusts Don"],
    ),
]


async def told(story: Story) -> Mind:
    someone = await mind()
    for number, (on, said) in enumerate(story.said):
        await someone.hears(on, said, message=f"m{number}")
    return someone


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
async def test_a_life_is_remembered_as_it_is_and_as_it_was(story: Story) -> None:
    """M7, M8."""
    someone = await told(story)

    assert await someone.current() == story.current
    assert await someone.past() == story.past
    for on, known in story.believed.items():
        assert await someone.believed(on, story.current[0]) == known


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
async def test_what_is_past_points_to_what_came_after_it(story: Story) -> None:
    """M7: closed, and never before it began."""
    someone = await told(story)
    ids = {each.id for each in await someone.memories()}

    for each in await someone.memories(Status.SUPERSEDED):
        assert each.superseded_by in ids
        assert each.valid_from is not None
        assert each.valid_to is not None
        assert each.valid_from <= each.valid_to


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
async def test_a_life_that_is_read_twice_is_the_same_life(story: Story) -> None:
    """M16."""
    someone = await told(story)
    before = await someone.memories()

    for number, (on, said) in enumerate(story.said):
        await someone.hears(on, said, message=f"m{number}")

    assert await someone.memories() == before


@pytest.mark.soak
@pytest.mark.parametrize("seed", seeds(3, 20))
@pytest.mark.parametrize(
    ("person", "said_twice"),
    [(SARAH, "User used to smoke"), (MARCUS, "User lives in England")],
    ids=["Sarah", "Marcus"],
)
async def test_a_whole_person_is_remembered_in_whatever_order_it_is_told(
    person: list[str], said_twice: str, seed: int
) -> None:
    """M7: nothing that is true retires anything else that is, and nothing is lost in a merge."""
    someone = await mind()

    for number, said in enumerate(Random(seed).sample(person, len(person))):
        await someone.hears(f"2026-{1 + number // 10:02}-{1 + number % 28:02}", said)

    assert await someone.past() == []
    # Quit in 2018, moved there in 2003: the one that says when is kept.
    assert set(person) - set(await someone.current()) == {said_twice}


@pytest.mark.parametrize("update", UPDATES)
async def test_news_replaces_what_was(update: str) -> None:
    """M7: however an extractor words it."""
    old, new = update.split("|")
    someone = await mind()

    await someone.hears("2026-01-05", old)
    await someone.hears("2026-06-05", new)

    assert await someone.past() == [old]


@pytest.mark.parametrize("update", UNNOTICED)
async def test_news_that_is_not_understood_stands_beside_what_was(update: str) -> None:
    """M7: in doubt, everything stays."""
    old, new = update.split("|")
    someone = await mind()

    await someone.hears("2026-01-05", old)
    await someone.hears("2026-06-05", new)

    assert await someone.current() == sorted([old, new])


async def test_an_older_message_that_is_read_later_becomes_the_past() -> None:
    """M7: the messages of a life in any order leave the same present."""
    someone = await mind()

    for on, said in (
        ("2026-05-05", "User lives in Portland"),
        ("2026-01-05", "User lives in Seattle"),
    ):
        await someone.hears(on, said)

    assert await someone.current() == ["User lives in Portland"]
    seattle, portland = await someone.the("User lives in Seattle"), await someone.the("User lives in Portland")
    assert (seattle.valid_from, seattle.valid_to, seattle.superseded_by) == (
        day("2026-01-05"),
        day("2026-05-05"),
        portland.id,
    )


async def test_an_older_no_does_not_end_a_newer_yes() -> None:
    """M7."""
    someone = await mind()
    await someone.hears("2026-05-05", "User likes coffee")

    await someone.hears("2026-01-05", "User does not like coffee")

    assert await someone.current() == ["User likes coffee"]
    assert await someone.past() == ["User does not like coffee"]


async def test_an_older_message_that_says_the_same_makes_it_true_for_longer() -> None:
    """M7, M8."""
    someone = await mind()
    await someone.hears("2026-05-05", "User lives in Portland")

    await someone.hears("2026-01-05", "User lives in Portland")

    kept = await someone.the("User lives in Portland")
    assert kept.valid_from == day("2026-01-05")
    assert kept.reinforcement_count == 1


async def test_what_was_believed_at_a_time_can_be_asked_of_each_memory() -> None:
    """M6: `as_of` tells the words of then."""
    someone = await mind()
    await someone.hears("2026-01-05", "User enjoys hiking")
    await someone.hears("2026-05-05", "User loves weekend hiking trips")
    kept = await someone.the("User loves weekend hiking trips")

    (then,) = await someone.store.as_of(SCOPE, [kept.id], day("2026-03-05"))
    before = await someone.store.as_of(SCOPE, [kept.id], day("2025-12-05"))

    assert then.content == "User enjoys hiking"
    assert before == []
