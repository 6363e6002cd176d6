"""Little stories of people whose lives change: told in a chat, learnt by rules, and asked for later (M6, M7, M8).

Each is a list of what is said, days apart; then what is known now, what is known to be over, and what was believed
at some day in between.
"""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from everlore.domain.memory import Memory, Status
from everlore.store.port import Search
from tests.turn.test_learning import memories, offline, talk_with
from tests.turn.world import World


@dataclass(frozen=True)
class Story:
    name: str
    told: tuple[tuple[int, str], ...]
    now: tuple[str, ...]
    over: tuple[str, ...] = ()
    # On which day, and what was believed then.
    then: tuple[int, str] | None = None
    gone: tuple[str, ...] = ()


STORIES = [
    Story(
        "moved",
        ((0, "I live in Seattle."), (90, "I moved to Portland last month.")),
        now=("Portland",),
        over=("User lives in Seattle",),
        then=(30, "User lives in Seattle"),
    ),
    Story(
        "coffee",
        ((0, "I like coffee."), (60, "I don't like coffee any more.")),
        now=("User no longer likes coffee",),
        over=("User likes coffee",),
        then=(10, "User likes coffee"),
    ),
    Story(
        "home and work",
        ((0, "I live in Seattle."), (1, "I work in downtown Seattle.")),
        now=("User lives in Seattle", "User works in downtown Seattle"),
    ),
    Story(
        "said again",
        ((0, "My name is John."), (5, "My name is John.")),
        now=("User's name is John",),
    ),
    Story(
        "more of it",
        ((0, "I enjoy hiking."), (9, "I love weekend hiking trips.")),
        now=("hiking",),
    ),
    Story(
        "another thing",
        ((0, "My name is John."), (1, "I work as a teacher.")),
        now=("User's name is John", "teacher"),
    ),
    Story(
        "moved twice",
        ((0, "I live in Oslo."), (50, "I moved to Bergen."), (99, "I moved to Lima.")),
        now=("Lima",),
        over=("User lives in Oslo", "Bergen"),
        then=(60, "Bergen"),
    ),
    Story(
        "moved back",
        ((0, "I live in Oslo."), (50, "I moved to Bergen."), (99, "I moved back to Oslo.")),
        now=("Oslo",),
        over=("User lives in Oslo", "Bergen"),
    ),
    Story(
        "older by a year",
        ((0, "I'm 33 years old."), (300, "I'm 34 years old.")),
        now=("34",),
        over=("33",),
        then=(20, "33"),
    ),
    Story(
        "another favourite",
        ((0, "My favorite color is green."), (30, "My favorite color is blue.")),
        now=("blue",),
        over=("green",),
    ),
    Story(
        "two favourites",
        ((0, "My favorite color is green."), (30, "My favorite food is pizza.")),
        now=("green", "pizza"),
    ),
    Story(
        "two sisters",
        ((0, "My sister Emma lives in Oslo."), (3, "My sister Anna lives in Rome.")),
        now=("Emma lives in Oslo", "Anna lives in Rome"),
    ),
    Story(
        "the sister's home is not the user's",
        ((0, "I live in Seattle."), (3, "My sister Emma lives in Oslo.")),
        now=("User lives in Seattle", "Emma lives in Oslo"),
    ),
    Story(
        "the sister moves",
        ((0, "My sister Emma lives in Oslo."), (40, "My sister Emma moved to Rome.")),
        now=("Rome",),
        over=("Emma lives in Oslo",),
    ),
    Story(
        "a second job",
        ((0, "I work as a nurse."), (9, "I also work as a photographer.")),
        now=("nurse", "photographer"),
    ),
    Story(
        "quit smoking",
        ((0, "I smoke."), (30, "I quit smoking.")),
        now=("quit smoking",),
        over=("User smokes",),
    ),
    Story(
        "vegetarian no longer",
        ((0, "I'm a vegetarian."), (30, "I'm no longer a vegetarian.")),
        now=("no longer",),
        over=("User is a vegetarian",),
    ),
    Story(
        "likes and dislikes stand beside each other",
        ((0, "I love tea."), (1, "I hate mushrooms."), (2, "I like jazz.")),
        now=("tea", "mushrooms", "jazz"),
    ),
    Story(
        "a changed mind",
        ((0, "I hate olives."), (80, "I love olives now.")),
        now=("olives",),
        over=("olives",),
    ),
    Story(
        "languages add up",
        ((0, "I speak French."), (2, "I speak German.")),
        now=("French", "German"),
    ),
    Story(
        "two cats",
        ((0, "I have a cat named Whiskers."), (4, "I have a cat named Tom.")),
        now=("Whiskers", "Tom"),
    ),
    Story(
        "allergic, and still in love with it",
        ((0, "I love peanuts."), (4, "I'm allergic to peanuts.")),
        now=("love", "allergic to peanuts"),
    ),
    Story(
        "where one comes from stays when one moves",
        ((0, "I'm from Ireland."), (4, "I live in Berlin."), (90, "I moved to Madrid.")),
        now=("Ireland", "Madrid"),
        over=("User lives in Berlin",),
    ),
]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
async def test_a_story(story: Story) -> None:
    """M6, M7, M8: news closes what it contradicts, and nothing else."""
    mind = offline()
    talk = await talk_with(mind)
    began = mind.clock.now
    for day, line in story.told:
        mind.clock.now = began + timedelta(days=day)
        await mind.says(talk, line)
        await mind.works()
    mind.clock.now += timedelta(days=1)

    current = await memories(mind)
    past = await memories(mind, Status.SUPERSEDED)

    assert not _unmatched(story.now, current), [each.content for each in current]
    assert not _unmatched(story.over, past), [each.content for each in past]
    assert len(past) == len(story.over)
    assert all(each.valid_to is not None and each.superseded_by is not None for each in past)
    assert [] not in [list(await mind.lore.memories.source(each.id)) for each in [*current, *past]]
    if story.then is not None:
        assert story.then[1] in await _believed(mind, story, began + timedelta(days=story.then[0]))


def _unmatched(wanted: tuple[str, ...], found: list[Memory]) -> list[str]:
    return [part for part in wanted if not any(part in each.content for each in found)]


async def _believed(mind: World, story: Story, at: object) -> str:
    """What a search of that time gives, for whatever the story is about."""
    words = " ".join(line for _, line in story.told)
    found = await mind.store.search(mind.scope, Search(text=words, as_of=at, limit=20))  # type: ignore[arg-type]
    return "\n".join(hit.memory.content for hit in found.hits if isinstance(hit.record, Memory))


async def test_where_do_i_live_is_answered_with_the_present_and_the_past_is_there_on_request() -> None:
    """M7: one current fact, one past, both with their sources; recall prefers the current one."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")
    await mind.works()
    mind.clock.pass_time(90 * 86_400)
    await mind.says(talk, "I moved to Portland last month.")
    await mind.works()

    found = await mind.lore.recall("Where does the user live?", person="nova")

    assert ["Portland" in hit.memory.content for hit in found.hits] == [True]
    (home,) = await memories(mind, Status.SUPERSEDED)
    assert home.content == "User lives in Seattle"
    assert home.superseded_by == found.hits[0].memory.id
