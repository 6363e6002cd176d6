"""What happens is told live to those whom it concerns: in this process, and on the socket of the server, to the owner
and to members with a token of their own (R7, R11, S-3, V2, V13).
"""

import asyncio
import random
from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import Any

import pytest

from everlore.turn.news import News
from tests.leaks.doors import MEMBER
from tests.leaks.home import DEEDS, Home, first_of, lived_in
from tests.leaks.ledger import NORMAL, Ledger, Talk, marked
from tests.leaks.sockets import Ear, all_is_told, listening
from tests.leaks.tables import Eyes, Tables
from tests.soak import SEED, again, look
from tests.turn.world import HERE, World, world

_MORE_DEEDS = look(150, 1_000)


# ── on the socket ────────────────────────────────────────────────────────────────────────────────


async def _heard_while_living(home: Home) -> list[tuple[str, dict[str, Any], Ledger]]:
    """Who heard what, and how things stood then: the village lives on while its people and its owner listen."""
    heard: list[tuple[str, dict[str, Any], Ledger]] = []
    village, doors = home.village, home.doors
    async with AsyncExitStack() as stack:
        ears: list[Ear] = []
        for person in ("", *sorted(village.ledger.humans)):
            token = await doors.token(person)
            ears.append(await stack.enter_async_context(listening(doors.app, person, token)))
        async for _ in village.goes_on(_MORE_DEEDS):
            await home.mind.works()
            await all_is_told(*ears)
            now = village.ledger.copy()
            heard += [(ear.person, event, now) for ear in ears for event in ear.taken()]
    return heard


def _may_hear(person: str, event: dict[str, Any], ledger: Ledger) -> bool:
    """A member: of memories that they have a part in, of what is said in their talks, and of what the pages of their
    games show them. The owner: of everything, in words that are of it. Of gossip nobody hears more than how much there
    is."""
    words = marked(str(event))
    if person and _is_at_table(person, event, words, ledger):
        return True
    if "memory" in event:
        fact = ledger.facts.get(event["memory_id"])
        # Forgotten in the same moment, nobody has it.
        now = fact.now if fact else None
        return now is not None and words <= now.words and (not person or ledger.may_keep(person, event["memory_id"]))
    talk = ledger.talks.get(event["conversation_id"] or "")
    if event["type"] == "gossip.available":
        return talk is not None and talk.gossip and not words and person in ("", talk.user)
    if talk is None:
        return not words and not person
    return ledger.may_look_into(person, talk, words)


def _is_at_table(person: str, event: dict[str, Any], words: set[str], ledger: Ledger) -> bool:
    """Whole messages, memories and names of a game that they sit at, in words that they are shown there."""
    talk, type = ledger.talks.get(event["conversation_id"] or ""), event["type"]
    fact = ledger.facts.get(event.get("memory_id", ""))
    of = {talk.game if talk else None, fact.now.game if fact else None, event.get("campaign_id")}
    if type not in ("message.said", "message.done", "memory.created", "memory.updated") and "campaign_id" not in event:
        return False
    reader: Any = SimpleNamespace(ledger=ledger)
    games = [each for each in ledger.games.values() if each.id in of and person in each.everybody]
    return any(words <= Tables(reader)._seen(Eyes(person, MEMBER), game) for game in games)


@pytest.mark.soak
@pytest.mark.slow
async def test_the_socket_tells_everybody_what_is_theirs() -> None:
    """R11, S-3, V13; and that it would be noticed: what one member heard is not for another."""
    async with lived_in(world(), deeds=DEEDS // 3, papers=False) as home:
        heard = await _heard_while_living(home)
        humans = sorted(home.village.ledger.humans)

    leaks = [(person, event) for person, event, then in heard if not _may_hear(person, event, then)]
    kinds = {(event["type"], bool(person)) for person, event, _ in heard}
    mistaken = [each for each in heard if each[0] and _may_hear(humans[humans.index(each[0]) - 1], *each[1:])]
    members = [each for each in heard if each[0]]

    assert not leaks, f"{again('tests/leaks')}: {leaks[:5]}"
    wanted = {"memory.created", "memory.updated", "message.delta", "message.done"}
    assert {(each, is_member) for each in wanted for is_member in (True, False)} <= kinds
    assert len(members) > 30
    # A memory may be of both.
    assert len(mistaken) < len(members) / 2


# ── in this process ──────────────────────────────────────────────────────────────────────────────


async def test_live_events_offer_only_what_the_user_may_pass_on() -> None:
    """R7: after each reply, what the user's character could tell, and the other does not know."""
    async with lived_in(world(), deeds=DEEDS // 2) as home:
        mind, ledger, dice = home.mind, home.village.ledger, random.Random(SEED)
        reader = home.reader()
        offered = 0
        for talk in ledger.talks.values():
            if talk.cast[0] not in talk.present:
                continue
            handles = [
                each.handle for id, each in ledger.facts.items() if ledger.may_gossip(talk.user, id, talk.cast[0])
            ]
            secrets = [each.handle for each in ledger.facts.values() if each.now.visibility != NORMAL]
            words = dice.choice(handles if handles and dice.random() < 0.8 else secrets)
            mind.model.answers(f"Did anybody hide the {words} beside anything?")
            for news in await _heard_after(mind, talk):
                offered += len(news.record)
                assert talk.gossip
                items = [(each.record.id, each.memory.content) for each in news.record]
                reader._hold_gossip(items, talk.user, talk.cast[0], f"live in {talk}")

        assert not reader.leaks, first_of(reader)
        assert offered


async def _heard_after(mind: World, talk: Talk) -> list[News]:
    """The gossip that is told of by a turn. It comes, if it comes, soon after the reply."""
    heard: list[News] = []
    with mind.lore.live.listening(HERE) as listener:

        async def listen() -> None:
            async for news in listener.news():
                if news.type == "gossip.available":
                    heard.append(news)

        listening = asyncio.create_task(listen())
        await mind.says(talk.id, "Go on.", speaker_id=talk.cast[0])
        for _ in range(50):
            await asyncio.sleep(0)
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
    return heard
