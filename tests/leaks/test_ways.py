"""No way to read is forgotten (R11): whatever can be asked for is asked in the village, or stands in `routes.py` with
the reason why not."""

from typing import cast

import pytest

from everlore.domain.policy import Act, Role, may
from everlore.server.rights import act_of
from tests.leaks.doors import GUEST, MEMBER
from tests.leaks.home import Home, lived_in
from tests.leaks.outside import OWNERS
from tests.leaks.reads import Reader
from tests.leaks.routes import SILENT, UNREAD, everything, unanswered
from tests.leaks.terminal import Terminal
from tests.turn.world import world


async def test_whatever_can_be_read_is_read_or_left_out_for_a_reason() -> None:
    """R11. In a store without a file; the verbs of the command line are asked beside, of one that has one."""
    async with lived_in(world(), deeds=150) as home:
        await _go_all_ways(home)

        assert not unanswered(home.doors), "Give each a way in outside.py or terminal.py, or a reason in routes.py."


async def _go_all_ways(home: Home) -> None:
    """Again and again, until somebody was given something on each."""
    reader = home.reader()
    for _ in range(100):
        for way, _ in reader.ways.values():
            await way()
        if not unanswered(home.doors):
            return


def test_no_reason_is_given_for_what_is_gone_or_read() -> None:
    """A reason for a route that is not there would be one for the next of that name."""
    assert not sorted(set(UNREAD) - everything())


def test_what_is_said_to_be_the_owners_is() -> None:
    """S-3: a route that is opened to members must be read as one."""
    said = [each.split() for each, why in UNREAD.items() if why.startswith("the owner's") and "/" in each]
    opened = [each for each in said if may(Role.MEMBER, act_of(*each))]

    assert not opened
    assert all(act_of("GET", each) is Act.RUN for each in OWNERS)


@pytest.mark.parametrize("way", ["card", "plain"])
async def test_a_way_that_is_silent_would_be_noticed_if_it_spoke(way: str) -> None:
    """R11, V9: somebody writes of what they know into a card; then it stands where no memory should."""
    assert way in SILENT
    async with lived_in(world(), deeds=60) as home:
        words = " ".join(next(iter(home.village.ledger.facts.values())).now.words)
        for person in home.village.ledger.persons:
            await home.mind.lore.characters.change(person, description=f"Knows of {words}.", description_public=words)
        reader = home.reader()

        for _ in range(60):
            await reader.ways[way][0]()

        assert reader.leaks


async def test_a_route_of_the_owner_that_lets_a_member_in_would_be_noticed() -> None:
    """S-3: as if the role did not matter."""
    async with lived_in(world(), deeds=60) as home:
        owner = await home.mind.lore.tokens.create("the owner's")
        for person in home.village.ledger.humans:
            home.doors.tokens |= {(person, MEMBER): owner.text, (person, GUEST): owner.text}
        reader = home.reader()

        for _ in range(30):
            await reader.ways["owner's"][0]()

        assert reader.leaks


def test_every_verb_that_asks_for_somebody_has_a_way() -> None:
    """R11: those of the terminal are gone where there is a file (`test_nothing_leaks_from_sqlite`)."""
    ways = Terminal(cast("Reader", None)).ways
    asked = {each for each in everything() if each.startswith("everlore ")} - set(UNREAD)

    assert {each.replace("CLI ", "everlore ") for each in ways} == asked
