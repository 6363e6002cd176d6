"""Nobody is ever told what they do not know (R6, R7, R8, R10, R11, V13, M3).

A village lives for a while; then hundreds of random questions are asked of it, by every way on which anything can be
read, and each answer is held against a ledger that was kept beside it without a line of Everlore's own code. The ways
are listed in `reads.py`, `outside.py`, `tables.py` and `terminal.py`; that none is forgotten is tested in
`test_ways.py`, and what is told live in `test_live.py`.

`make soak` asks far more of a larger village, and of another one each time.
"""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from everlore.settings import StoreSettings
from tests.leaks.home import DEEDS, Home, emptied, first_of, lived_in
from tests.leaks.ledger import ACTIVE, NORMAL, SECRET, Ledger
from tests.leaks.routes import SILENT, unanswered
from tests.postgres import Server
from tests.soak import SEED, again, look
from tests.turn.world import World, on_sqlite, world
from tests.worker.crew import FakeClock

# By all tests together 100,000; a village each, so that all cores have something to do.
READS = look(400, 15_000)
# As a player, a guest, a character and whoever runs the game (G9).
AT_TABLES = look(300, 15_000)


async def _nothing_leaks(home: Home, reads: int) -> None:
    reader = home.reader()

    await reader.read(reads)
    await reader.ask_for_known(20)

    print(f"seed {home.seed}: {dict(reader.reads)}; {len(reader.leaks)} leaks; {reader.found} of {reader.asked} found")
    assert not reader.leaks, first_of(reader)
    assert set(reader.reads) == set(reader.ways)
    # The other way round: who knows something finds it.
    assert reader.asked > reads / 100
    assert reader.found >= 0.95 * reader.asked, reader.lost[:8]
    exact = [each for each in reader.lost if not each.startswith("recall")]
    assert not exact, f"{again('tests/leaks')}: {exact[:8]}"


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEED, SEED + look(1, 4)))
async def test_nothing_leaks_from_the_store_in_memory(seed: int) -> None:
    """R11."""
    async with lived_in(world(), seed=seed) as home:
        await _nothing_leaks(home, READS)


@pytest.mark.soak
@pytest.mark.slow
async def test_nothing_that_players_must_not_know_leaks_at_any_table() -> None:
    """G9: where they play, and where they do not; and who runs the game, a person or a character, finds it."""
    async with lived_in(world(), deeds=DEEDS // 3) as home:
        ledger = home.village.ledger
        for _ in range(DEEDS // 6):
            home.mind.clock.pass_time(60)
            await home.village.games.goes_on()
        await home.mind.works()
        reader = home.reader()
        reader.at_tables = True

        await reader.read(AT_TABLES)

        assert not reader.leaks, first_of(reader)
        # Or were once: who asks as of then is given what was hidden then.
        hidden = {each.id for each in ledger.facts.values() if any(then.is_spoiler for then in each.states)}
        assert reader.revealed.keys() >= {each.gm for each in ledger.games.values() if each.gm}
        assert hidden >= set().union(*reader.revealed.values())
        assert not [each for each in reader.lost if not each.startswith("recall")]


@pytest.mark.soak
@pytest.mark.slow
async def test_nothing_leaks_from_sqlite(tmp_path: Path) -> None:
    """R11."""
    mind = await on_sqlite(tmp_path / "everlore.db")
    async with lived_in(mind, database=tmp_path / "everlore.db") as home:
        await _nothing_leaks(home, READS)
        assert not [each for each in unanswered(home.doors) if each.startswith("everlore ")]
    await mind.store.close()


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.postgres
async def test_nothing_leaks_from_postgres(postgres: Server) -> None:
    """R11: of a smaller village."""
    from everlore.store.postgres.store import PostgresStore

    clock = FakeClock()
    async with postgres.fresh_database() as url:
        store = await PostgresStore.open(url, StoreSettings(), clock=clock, migrate=True)
        async with lived_in(World(store, clock=clock), deeds=DEEDS // 3) as home:
            await _nothing_leaks(home, look(100, 10_000))
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
        in_games = [each for each in states if each.game]
        assert [sum(each.is_spoiler is hidden for each in in_games) >= 10 for hidden in (True, False)] == [True, True]
        assert sum(not each.persons for each in in_games) >= 5
        assert {each.game for each in ledger.talks.values()} >= {None, "g-human", "g-ai"}
        kinds = {(each.id.split()[0], each.is_spoiler) for each in ledger.scraps.values() if each.game}
        assert kinds >= {(kind, hidden) for kind in ("entity", "tie", "event") for hidden in (True, False)}
        assert sum(bool(each.thoughts) for each in ledger.lines.values()) >= 10
        assert sum(bool(each.alias_of) for each in ledger.scraps.values()) >= 5
        assert sum(each.is_summary for each in ledger.scraps.values()) >= 3
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


def _one_spoiler_more(ledger: Ledger) -> tuple[str, str]:
    """As if canon were not for players."""
    for fact in ledger.facts.values():
        now = fact.now
        if now.game and not now.persons and not now.is_spoiler and now.visibility == NORMAL and now.status == ACTIVE:
            fact.states = [replace(each, is_spoiler=True) for each in fact.states]
            return fact.id, min(ledger.games[now.game].players & ledger.humans)
    raise AssertionError("nothing is canon")


def _no_game_master(ledger: Ledger) -> tuple[str, str]:
    """As if somebody who runs a game only played."""
    for fact in ledger.facts.values():
        game = ledger.games.get(fact.now.game or "")
        if game is not None and game.gm and fact.now.is_spoiler and fact.now.status == ACTIVE:
            ledger.games[game.id] = replace(game, gm=None, players=game.everybody)
            return fact.id, game.gm
    raise AssertionError("nothing is hidden")


def _other_words(ledger: Ledger) -> tuple[str, str]:
    """As if a memory had never been edited."""
    for fact in ledger.facts.values():
        before = fact.states[0].words
        if fact.now.words != before and ledger.may_be_told(fact.id) and fact.now.persons:
            fact.states = [replace(each, words=before) for each in fact.states]
            return fact.id, min(fact.now.persons)
    raise AssertionError("nothing was edited")


@pytest.mark.parametrize(
    "mutate",
    [
        _without_a_telling,
        _told_later,
        _one_person_less,
        _one_secret_more,
        _one_spoiler_more,
        _no_game_master,
        _other_words,
    ],
)
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
        assert not honest.leaks, first_of(honest)


async def test_every_way_would_be_noticed(tmp_path: Path) -> None:
    """R11: against a ledger in which nobody knows anything, each of the ways leaks, but for those that never have
    anything to tell."""
    mind = await on_sqlite(tmp_path / "everlore.db")
    async with lived_in(mind, deeds=200, database=tmp_path / "everlore.db") as home:
        reader = home.reader(emptied(home.village.ledger))

        for name, (way, _) in reader.ways.items():
            reader.leaks.clear()
            for _ in range(300):
                await way()
                if reader.leaks or name in SILENT:
                    break
            assert reader.leaks or name in SILENT, f"{name} gave nothing to notice"
    await mind.store.close()
