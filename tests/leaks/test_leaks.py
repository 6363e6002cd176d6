"""Nobody is ever told what they do not know (R6, R7, R8, R10, R11, V13, M3).

A village lives for a while; then thousands of random questions are asked of it, by every way on which anything can be
read, and each answer is held against a ledger that was kept beside it without a line of Everlore's own code. The ways
are listed in `reads.py`; the command line asks the library that is asked here, and the export has no such reads yet.

`EVERLORE_LEAK_READS=100000` asks that many questions of each store, and `EVERLORE_LEAK_SEED` repeats a village.
"""

import asyncio
import os
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from everlore.app import Everlore
from everlore.converse.live import News
from everlore.server.app import build_app
from everlore.settings import StoreSettings
from tests.converse.world import HERE, World, on_sqlite, world
from tests.leaks.ledger import NORMAL, SECRET, Ledger, Talk
from tests.leaks.reads import Reader
from tests.leaks.village import Village
from tests.postgres import Server
from tests.worker.crew import FakeClock

READS = int(os.environ.get("EVERLORE_LEAK_READS", "2000"))
SEED = int(os.environ.get("EVERLORE_LEAK_SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
DEEDS = 700
# A long run takes as long as it takes.
pytestmark = pytest.mark.timeout(max(300, READS // 5))


@dataclass
class Home:
    village: Village
    client: httpx.AsyncClient

    @property
    def mind(self) -> World:
        return self.village.mind

    def reader(self, ledger: Ledger | None = None) -> Reader:
        return Reader(self.mind, ledger or self.village.ledger, random.Random(SEED), self.client)


@asynccontextmanager
async def lived_in(mind: World, *, deeds: int = DEEDS) -> AsyncIterator[Home]:
    village = Village(mind, random.Random(SEED))
    await village.lives(deeds)

    @asynccontextmanager
    async def opened() -> AsyncIterator[Everlore]:
        yield mind.lore

    app = build_app(opened)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
    ):
        yield Home(village, client)


def _told(reader: Reader) -> str:
    """What a failure says first: how to see it again."""
    first = "\n".join(reader.leaks[:8])
    return f"EVERLORE_LEAK_SEED={SEED}: {len(reader.leaks)} leaks in {reader.reads.total()} reads:\n{first}"


async def _nothing_leaks(home: Home, reads: int) -> None:
    reader = home.reader()

    await reader.read(reads)

    print(f"seed {SEED}: {dict(reader.reads)}; {len(reader.leaks)} leaks; {reader.found} of {reader.asked} found")
    assert not reader.leaks, _told(reader)
    assert set(reader.reads) == set(reader.ways)
    # The other way round: who knows something finds it.
    assert reader.asked > reads / 100
    assert reader.found >= 0.95 * reader.asked, reader.lost[:8]
    exact = [each for each in reader.lost if not each.startswith("recall")]
    assert not exact, f"EVERLORE_LEAK_SEED={SEED}: {exact[:8]}"


@pytest.mark.slow
async def test_nothing_leaks_from_the_store_in_memory() -> None:
    """R11."""
    async with lived_in(world()) as home:
        await _nothing_leaks(home, READS)


@pytest.mark.slow
async def test_nothing_leaks_from_sqlite(tmp_path: Path) -> None:
    """R11."""
    mind = await on_sqlite(tmp_path / "everlore.db")
    async with lived_in(mind) as home:
        await _nothing_leaks(home, READS)
    await mind.store.close()


@pytest.mark.slow
@pytest.mark.postgres
async def test_nothing_leaks_from_postgres(postgres: Server) -> None:
    """R11: of a smaller village."""
    from everlore.store.postgres.store import PostgresStore

    clock = FakeClock()
    async with postgres.fresh_database() as url:
        store = await PostgresStore.open(url, StoreSettings(), clock=clock, migrate=True)
        async with lived_in(World(store, clock=clock), deeds=DEEDS // 3) as home:
            await _nothing_leaks(home, READS // 4)
        await store.close()


async def test_the_village_is_worth_asking() -> None:
    """R11: it has enough of everything, or the silence of the others would say nothing."""
    async with lived_in(world()) as home:
        ledger, passed_on = home.village.ledger, home.village.passed_on
        states = [each.now for each in ledger.facts.values()]

        assert len(ledger.persons) == 20
        assert len(ledger.humans) == 5
        assert len(states) > 150
        assert {len(each.persons) for each in states} >= {1, 2, 3, 4, 5}
        assert all(sum(each.visibility == kind for each in states) >= 10 for kind in ("normal", "secret", "private"))
        assert sum(each.is_spoiler for each in states) >= 10
        assert sum(len(each.states) > 1 for each in ledger.facts.values()) >= 15
        assert len(ledger.lines) > 80
        assert len(ledger.scraps) >= 3
        assert all(passed_on[way] >= 8 for way in ("tell", "token", "reply", "refused")), passed_on
        chains = [each for each in ledger.tellings if each.teller not in ledger.facts[each.fact].now.persons]
        assert len(chains) >= 10


# ── that the reader would notice ─────────────────────────────────────────────────────────────────


def _without_a_telling(ledger: Ledger) -> tuple[str, str]:
    """One that is the only way in which somebody came to know something."""
    for told in ledger.tellings:
        persons = {each for state in ledger.facts[told.fact].states for each in state.persons}
        if told.listener not in persons and ledger.may_be_told(told.fact):
            kept = [each for each in ledger.told[told.fact] if each.listener != told.listener]
            ledger.told[told.fact] = kept
            return told.fact, told.listener
    raise AssertionError("nobody was told anything")


def _told_later(ledger: Ledger) -> tuple[str, str]:
    """As if it had been told a while after it was."""
    fact, person = _without_a_telling(ledger.copy())
    later = [replace(each, at=each.at + timedelta(days=9)) for each in ledger.told[fact]]
    ledger.told[fact] = later
    return fact, person


def _one_person_less(ledger: Ledger) -> tuple[str, str]:
    """As if somebody had not been there."""
    for fact in ledger.facts.values():
        for person in sorted(fact.now.persons):
            told = any(each.listener == person for each in ledger.told.get(fact.id, ()))
            if len(fact.now.persons) > 1 and not told and ledger.may_be_told(fact.id):
                fact.states = [replace(each, persons=each.persons - {person}) for each in fact.states]
                return fact.id, person
    raise AssertionError("everybody is alone")


def _one_secret_more(ledger: Ledger) -> tuple[str, str]:
    """As if what everybody may pass on were a secret."""
    for fact in ledger.facts.values():
        now = fact.now
        if len(now.persons) > 1 and ledger.may_be_told(fact.id):
            fact.states[-1] = replace(now, visibility=SECRET)
            return fact.id, min(now.persons)
    raise AssertionError("everything is secret")


def _other_words(ledger: Ledger) -> tuple[str, str]:
    """As if a memory had never been edited."""
    for fact in ledger.facts.values():
        before = fact.states[0].words
        if fact.now.words != before and ledger.may_be_told(fact.id) and fact.now.persons:
            fact.states = [replace(each, words=before) for each in fact.states]
            return fact.id, min(fact.now.persons)
    raise AssertionError("nothing was edited")


@pytest.mark.parametrize("mutate", [_without_a_telling, _told_later, _one_person_less, _one_secret_more, _other_words])
async def test_a_ledger_that_is_wrong_in_one_thing_is_noticed(mutate: object) -> None:
    """R11: so an Everlore that is would be as well. With the true ledger, the same questions show nothing."""
    assert callable(mutate)
    async with lived_in(world(), deeds=DEEDS // 2) as home:
        wrong = home.village.ledger.copy()
        fact, person = mutate(wrong)
        liar, honest = home.reader(wrong), home.reader()

        await liar.read_of(fact, person)
        await honest.read_of(fact, person)

        assert liar.leaks
        assert not honest.leaks, _told(honest)


async def test_every_way_would_be_noticed() -> None:
    """R11: against a ledger in which nobody knows anything, each of the ways leaks."""
    async with lived_in(world(), deeds=200) as home:
        empty = home.village.ledger.copy()
        empty.told = {}
        for fact in empty.facts.values():
            fact.states = [replace(each, persons=frozenset()) for each in fact.states]
        for talk in empty.talks.values():
            talk.gossip = False
        for line in empty.lines.values():
            line.present, line.facts = frozenset(), ()
        empty.scraps = {}
        reader = home.reader(empty)

        for name, (way, _) in reader.ways.items():
            reader.leaks.clear()
            for _ in range(300):
                await way()
                if reader.leaks:
                    break
            assert reader.leaks, f"{name} gave nothing to notice"


# ── live events ──────────────────────────────────────────────────────────────────────────────────


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

        assert not reader.leaks, _told(reader)
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
