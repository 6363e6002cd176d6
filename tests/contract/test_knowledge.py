"""Who knows what: by being there, by being told, at any time, and nothing beyond it (R6, R7, R8, R11, M6, M7)."""

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import pytest

from everlore.domain.event import EventType
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory, Status, Visible
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person
from everlore.domain.revision import revise
from everlore.domain.words import query_terms, terms_of
from everlore.store.answers import Coverage, PairActivity, Partner
from everlore.store.port import Delete, Search, Store
from everlore.store.scoring import shares
from tests.contract.builders import (
    MODEL,
    SCOPE,
    axis,
    conversation,
    embed,
    entity,
    event,
    found_ids,
    ids,
    interaction,
    memory,
    message,
    minute,
    person,
    save,
    telling,
)
from tests.soak import seeds

SWIM = "Bo swims at night."
CAST = ("ada", "bo", "cy", "dee")


async def _told(store: Store, at: float = 5) -> None:
    """Bo has a memory, and tells Ada."""
    await save(store, *map(person, CAST))
    await save(store, memory("swim", SWIM, persons=("bo",)), memory("other", "Cy swims.", persons=("cy",)))
    await save(store, telling("t", "swim", "bo", "ada", at))


async def _known_ids(store: Store, knower_id: str, **how: Any) -> list[str]:
    return ids((await store.known(SCOPE, knower_id, **how)).items)


# ── in a search ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("arm", ["text", "vector", "both"])
async def test_what_somebody_was_told_is_found_with_what_is_theirs(store: Store, arm: str) -> None:
    """R11: and nothing else, on both arms; pool, limit and coverage count only that."""
    await _told(store)
    await save(store, memory("own", "Ada swims.", persons=("ada",)))
    await embed(store, dict.fromkeys((SWIM, "Cy swims.", "Ada swims."), axis(0)))
    how: dict[str, Any] = {} if arm == "vector" else {"text": "swims"}
    how |= {} if arm == "text" else {"vector": axis(0), "model": MODEL}

    for knower, expected in (("ada", {"own", "swim"}), ("bo", {"swim"}), ("cy", {"other"}), ("dee", set())):
        found = await store.search(SCOPE, Search(knower_id=knower, pool=2, limit=2, **how))
        assert {hit.record.id for hit in found.hits} == expected
        assert found.coverage == Coverage(len(expected), 0 if arm == "text" else len(expected))


async def test_a_search_as_of_a_time_knows_what_had_been_told_by_then(store: Store) -> None:
    """R11: since the very moment of the telling."""
    await _told(store, at=5)

    known = [await found_ids(store, Search(text="swims", knower_id="ada", as_of=minute(at))) for at in (4.9, 5, 9)]
    unknown = [await found_ids(store, Search(text="night", unknown_to="ada", as_of=minute(at))) for at in (4.9, 5, 9)]

    assert known == [[], ["swim"], ["swim"]]
    assert unknown == [["swim"], [], []]


async def test_what_somebody_does_not_know_is_asked_for(store: Store) -> None:
    """R11: neither theirs nor told to them."""
    await _told(store)
    await save(store, memory("own", "Ada swims.", persons=("ada", "cy")))

    assert set(await found_ids(store, Search(text="swims", unknown_to="ada"))) == {"other"}
    assert set(await found_ids(store, Search(text="swims", unknown_to="dee"))) == {"swim", "other", "own"}
    assert await found_ids(store, Search(text="swims", knower_id="cy", unknown_to="ada")) == ["other"]
    assert await found_ids(store, Search(text="swims", knower_id="ada", unknown_to="ada")) == []


async def test_a_telling_is_known_at_once_and_forgotten_with_what_it_hangs_on(store: Store) -> None:
    """R11, M9: searches before and after see it; an index in memory is not behind."""
    ask = Search(text="swims", knower_id="ada", vector=axis(0), model=MODEL)
    await save(store, *map(person, CAST), conversation(), message("said"), memory("swim", SWIM, persons=("bo",)))
    before = await found_ids(store, ask)
    await save(store, telling("t", "swim", "bo", "ada", message_id="said"))
    told = await found_ids(store, ask)
    await store.apply(SCOPE, [Delete(Telling, "t")])

    assert (before, told, await found_ids(store, ask)) == ([], ["swim"], [])


async def test_a_telling_saved_again_replaces_the_one_before(store: Store) -> None:
    """R11: its listener, its time and its memory are those of the last save, now and as of an earlier time."""
    await _told(store)
    ask = Search(text="swims", knower_id="cy")

    await save(store, telling("t", "swim", "bo", "cy", 3))

    assert await _known_ids(store, "ada") == await _known_ids(store, "ada", as_of=minute(9)) == []
    assert await found_ids(store, replace(ask, knower_id="ada")) == []
    assert set(await _known_ids(store, "cy", as_of=minute(3))) == {"swim", "other"}
    assert set(await found_ids(store, replace(ask, as_of=minute(3)))) == {"swim", "other"}
    assert await found_ids(store, replace(ask, as_of=minute(2))) == ["other"]

    await save(store, telling("t", "other", "bo", "ada", 4))

    assert await _known_ids(store, "ada") == ["other"]
    assert await _known_ids(store, "cy") == ["other"]
    assert await found_ids(store, replace(ask, as_of=minute(9))) == ["other"]


@pytest.mark.parametrize("gone", ["bo", "ada"])
async def test_a_telling_goes_with_either_person(store: Store, gone: str) -> None:
    """M9."""
    await _told(store)

    await store.apply(SCOPE, [Delete(Person, gone)])

    assert await store.count(SCOPE, Telling) == 0
    assert await _known_ids(store, "ada") == []
    assert await found_ids(store, Search(text="swims", knower_id="ada")) == []


async def test_only_memories_are_told(store: Store) -> None:
    """R11: a message of the same id as a memory that was told is not known by it."""
    await save(store, *map(person, CAST), conversation(), memory("same", "Bo swims.", persons=("bo",)))
    await save(store, message("same", "Bo swims!", present=("bo",)), telling("t", "same", "bo", "ada"))

    for who, kinds in (("ada", [PassageKind.MEMORY]), ("bo", [PassageKind.MEMORY, PassageKind.MESSAGE])):
        found = await store.search(SCOPE, Search(text="swims", knower_id=who))
        assert sorted(hit.kind for hit in found.hits) == kinds
    unknown = await store.search(SCOPE, Search(text="swims", unknown_to="ada"))
    assert [hit.kind for hit in unknown.hits] == [PassageKind.MESSAGE]


async def test_what_was_told_and_is_theirs_by_now_counts_once(store: Store) -> None:
    """R11: a word weighs what it would without the telling."""
    await _told(store)
    await save(store, revise(await store.get(SCOPE, Memory, "swim"), minute(9), persons=("ada", "bo")))
    await save(store, memory("own", "Ada sings.", persons=("ada",)), telling("again", "swim", "bo", "ada", 7))
    ask = Search(text="swims sings", knower_id="ada")

    found = await store.search(SCOPE, ask)

    assert {hit.record.id for hit in found.hits} == {"swim", "own"}
    assert found.coverage == Coverage(2, 0)
    assert found.weights == (await store.search(SCOPE, replace(ask, knower_id=None, person_id="ada"))).weights


async def test_knowledge_goes_with_every_other_scope(store: Store) -> None:
    """R11, M3: every filter that is set must hold."""
    await _told(store)
    await save(store, conversation(), memory("here", "Bo swims here.", persons=("bo",), conversation_id="chat"))
    await save(store, telling("t2", "here", "bo", "ada"))
    ask = Search(text="swims", knower_id="ada")

    assert set(await found_ids(store, ask)) == {"swim", "here"}
    assert await found_ids(store, replace(ask, conversation_id="chat")) == ["here"]
    assert set(await found_ids(store, replace(ask, person_id="bo"))) == {"swim", "here"}
    assert set(await found_ids(store, replace(ask, persons=frozenset({"bo"})))) == {"swim", "here"}
    assert await found_ids(store, replace(ask, besides=frozenset({"bo"}))) == []
    assert await found_ids(store, replace(ask, refs=frozenset({"here", "other"}))) == ["here"]


# ── what may be seen ─────────────────────────────────────────────────────────────────────────────


async def test_what_is_private_passes_in_its_own_conversation_only(store: Store) -> None:
    """V6, R6: where a conversation is named; else `visibilities` alone decides."""
    private = {"visibility": Visible.PRIVATE}
    await save(
        store,
        conversation(),
        conversation("chat2"),
        memory("normal", "A lamp.", conversation_id="chat2"),
        memory("here", "A lamp.", conversation_id="chat", **private),
        memory("there", "A lamp.", conversation_id="chat2", **private),
        memory("nowhere", "A lamp.", **private),
        memory("secret", "A lamp.", visibility=Visible.SECRET),
        message("said", "A lamp.", conversation_id="chat2"),
    )
    ask = Search(text="lamp")
    everything = {"normal", "here", "there", "nowhere", "secret", "said"}

    async def found(**how: Any) -> set[str]:
        return set(await found_ids(store, replace(ask, **how)))

    assert await found() == everything
    assert await found(private_in="chat") == everything - {"there", "nowhere"}
    assert await found(private_in="elsewhere") == everything - {"here", "there", "nowhere"}
    assert await found(visibilities=frozenset({"normal"})) == {"normal", "said"}
    assert await found(visibilities=frozenset({"normal"}), private_in="chat") == {"normal", "said"}
    assert await found(visibilities=frozenset({"private"}), private_in="chat2") == {"there"}
    assert await found(visibilities=frozenset({"secret", "private"})) == {"here", "there", "nowhere", "secret"}
    assert await found(visibilities=frozenset()) == set()


async def test_what_becomes_secret_is_hidden_from_then_on(store: Store) -> None:
    """R11, M6: as of an earlier time it was not."""
    await save(store, memory("m", "A lamp."))
    await embed(store, {"A lamp.": axis(0)})
    ask = Search(vector=axis(0), model=MODEL, visibilities=frozenset({"normal"}))
    before = await found_ids(store, ask)

    await save(store, revise(await store.get(SCOPE, Memory, "m"), minute(5), visibility=Visible.SECRET))

    assert before == ["m"]
    assert await found_ids(store, ask) == []
    assert await found_ids(store, replace(ask, as_of=minute(4))) == ["m"]


async def test_spoilers_are_left_out_where_they_are_not_asked_for(store: Store) -> None:
    """G4: of memories and of entities; one that is revealed is found at once."""
    await save(store, memory("m", "The lamp is cursed.", is_spoiler=True), memory("plain", "A lamp."))
    await save(store, entity("lamp", is_spoiler=True), entity("lamps"))
    ask = Search(text="lamp", with_spoilers=False)
    before = await store.search(SCOPE, ask)

    await save(store, entity("lamp"), revise(await store.get(SCOPE, Memory, "m"), minute(5), is_spoiler=False))

    assert {hit.record.id for hit in before.hits} == {"plain", "lamps"}
    assert before.coverage == Coverage(2, 0)
    assert set(await found_ids(store, ask)) == {"m", "plain", "lamp", "lamps"}
    assert set(await found_ids(store, replace(ask, as_of=minute(4)))) == {"plain", "lamp", "lamps"}


# ── only these, and what a word weighs ───────────────────────────────────────────────────────────


async def test_only_the_named_records_are_looked_at_and_words_weigh_as_in_the_scope(store: Store) -> None:
    """R2, R4: neither the choice nor its size changes a score."""
    await save(store, *(memory(f"c{number}", "Ada sails.") for number in range(5)))
    await save(store, memory("rare", "Ada tames dragons."))
    await embed(store, {"Ada sails.": axis(0), "Ada tames dragons.": axis(1)})
    ask = Search(text="Ada dragons", vector=axis(0), model=MODEL, limit=50)
    whole = await store.search(SCOPE, ask)

    some = await store.search(SCOPE, replace(ask, refs=frozenset({"rare", "c1", "nothing"})))

    scores = {hit.record.id: (hit.score, hit.parts) for hit in whole.hits}
    assert [hit.record.id for hit in some.hits] == [
        id for id in ids(hit.record for hit in whole.hits) if id in ("rare", "c1")
    ]
    assert {hit.record.id: (hit.score, hit.parts) for hit in some.hits} == {id: scores[id] for id in ("rare", "c1")}
    assert (some.weights, some.coverage) == (whole.weights, whole.coverage)
    assert (await store.search(SCOPE, replace(ask, refs=frozenset()))).hits == ()


async def test_the_pool_is_that_of_the_named_records(store: Store) -> None:
    """R2: what is not looked at does not use it up."""
    await save(store, *(memory(f"m{number}", "A lamp.") for number in range(9)))
    await embed(store, {"A lamp.": axis(0)})

    for by_either_arm in (Search(text="lamp"), Search(vector=axis(0), model=MODEL)):
        ask = replace(by_either_arm, pool=1, limit=1, refs=frozenset({"m2"}))
        assert await found_ids(store, ask) == ["m2"]


async def test_a_search_says_what_its_words_weigh(store: Store) -> None:
    """R5: in the scope; they add up to 1."""
    await save(store, person("ada"), memory("m", "Ada likes tea.", persons=("ada",)))
    await save(store, memory("n", "Ada sails.", persons=("ada",)), memory("o", "Tea, tea."))

    found = await store.search(SCOPE, Search(text="Does Ada like tea?", person_id="ada"))

    expected = dict(zip(("ada", "like", "tea"), shares(2, [2, 1, 1]), strict=True))
    assert found.weights == pytest.approx(expected)
    assert sum(found.weights.values()) == pytest.approx(1)
    assert (await store.search(SCOPE, Search(text=" ?! "))).weights == {}
    assert (await store.search(SCOPE, Search(vector=axis(0), model=MODEL))).weights == {}


# ── vectors ──────────────────────────────────────────────────────────────────────────────────────


async def test_the_vectors_of_records_are_given_back(store: Store) -> None:
    """R2: those of the present, of one model and one kind; what has none is left out."""
    first = memory("m", "A lamp.")
    await save(store, conversation(), first, memory("n", "A hill."), message("m", "A sea."), memory("bare", "Rain."))
    await embed(store, {"A lamp.": axis(0), "A hill.": axis(1), "A sea.": axis(2)})
    await embed(store, {"A lamp.": axis(3, 4)}, model="other")
    await save(store, revise(first, minute(1), content="A candle."))
    await embed(store, {"A candle.": axis(4)})

    found = await store.vectors(SCOPE, MODEL, PassageKind.MEMORY, ["m", "n", "bare", "nothing"])
    said = await store.vectors(SCOPE, MODEL, PassageKind.MESSAGE, ["m", "n"])

    assert {ref: vector.tolist() for ref, vector in found.items()} == {"m": axis(4).tolist(), "n": axis(1).tolist()}
    assert {ref: vector.tolist() for ref, vector in said.items()} == {"m": axis(2).tolist()}
    assert {str(vector.dtype) for vector in found.values()} == {"float32"}
    assert await store.vectors(SCOPE, "other", PassageKind.MEMORY, ["m"]) == {}
    assert await store.vectors(SCOPE, MODEL, PassageKind.MEMORY, []) == {}


# ── what a person knows ──────────────────────────────────────────────────────────────────────────


async def test_a_person_knows_what_is_theirs_and_what_they_were_told(store: Store) -> None:
    """R11: newest first."""
    await _told(store)
    await save(store, memory("own", at=minute(1), persons=("ada", "cy")))

    assert await _known_ids(store, "ada") == ["own", "swim"]
    assert await _known_ids(store, "bo") == ["swim"]
    assert await _known_ids(store, "dee") == await _known_ids(store, "nobody") == []


async def test_what_a_person_knew_is_given_as_it_was_believed(store: Store) -> None:
    """R11, M6."""
    first = memory("m", "Ada lives in Seattle.", persons=("ada",))
    await save(store, *map(person, CAST), first, memory("later", at=minute(20), persons=("ada",)))
    await save(store, revise(first, minute(10), content="Ada lives in Portland.", persons=("ada", "bo")))
    now = await store.get(SCOPE, Memory, "m")

    assert (await store.known(SCOPE, "ada", as_of=minute(5))).items == (first,)
    assert (await store.known(SCOPE, "ada", as_of=minute(10))).items == (now,)
    assert (await store.known(SCOPE, "bo", as_of=minute(5))).items == ()
    assert (await store.known(SCOPE, "bo", as_of=minute(10))).items == (now,)
    assert (await store.known(SCOPE, "ada", as_of=minute(-1))).items == ()
    assert await _known_ids(store, "ada") == ["later", "m"]


async def test_nobody_knows_what_is_no_longer_held(store: Store) -> None:
    """R11, M7, M10: what is closed, waits or was no longer true then."""
    await save(store, *map(person, CAST))
    await save(
        store,
        memory("active", persons=("ada",)),
        memory("pending", persons=("ada",), status=Status.PENDING),
        memory("over", persons=("ada",), valid_to=minute(5)),
        memory("ahead", persons=("ada",), valid_from=minute(8)),
        memory("closed", persons=("ada",)),
    )
    await save(store, revise(memory("closed", persons=("ada",)), minute(6), status=Status.SUPERSEDED))
    await save(store, *(telling(f"t-{id}", id, "ada", "bo", 1) for id in ("active", "pending", "over", "closed")))

    for who in ("ada", "bo"):
        assert set(await _known_ids(store, who, as_of=minute(4))) == {"active", "over", "closed"}
        assert set(await _known_ids(store, who, as_of=minute(6))) == {"active"}
    assert set(await _known_ids(store, "ada", as_of=minute(8))) == {"active", "ahead"}
    assert set(await _known_ids(store, "ada")) == {"active", "over", "ahead"}


async def _page_by_page(store: Store, as_of: datetime | None) -> AsyncIterator[Memory]:
    page = await store.known(SCOPE, "ada", as_of=as_of, limit=3)
    while True:
        assert len(page.items) <= 3
        for each in page.items:
            yield each
        if page.cursor is None:
            return
        page = await store.known(SCOPE, "ada", as_of=as_of, limit=3, cursor=page.cursor)


async def test_what_is_known_comes_in_pages(store: Store) -> None:
    """R11: each memory once, also where several are of one moment, and at any time."""
    await save(store, *map(person, CAST))
    made = [memory(f"m{number:02}", at=minute(number // 3), persons=(CAST[number % 2],)) for number in range(20)]
    await save(store, *made)
    await save(store, *(telling(f"t{each.id}", each.id, "bo", "ada") for each in made if each.persons == ("bo",)))
    await save(store, *(revise(each, minute(30), importance=9) for each in made[:5]))

    for as_of in (None, minute(25)):
        seen = [memory async for memory in _page_by_page(store, as_of)]
        assert ids(seen) == [each.id for each in reversed(made)]
        assert {each.importance for each in seen} == ({5} if as_of else {5, 9})


# ── with whom ────────────────────────────────────────────────────────────────────────────────────


async def test_partners_are_those_with_whom_memories_are_shared(store: Store) -> None:
    """R8: most first, then those of whom there is something newer. Being told something is not sharing it."""
    await save(store, *map(person, CAST))
    await save(
        store,
        memory("one", persons=("ada", "bo"), at=minute(1)),
        memory("two", persons=("bo", "ada", "bo", "cy"), at=minute(2)),
        memory("three", persons=("dee", "ada"), at=minute(9)),
        memory("alone", persons=("ada",)),
        memory("theirs", persons=("cy", "dee")),
        memory("waiting", persons=("ada", "dee"), status=Status.PENDING),
        telling("t", "theirs", "dee", "bo"),
    )

    assert await store.partners(SCOPE, "ada") == [
        Partner("bo", 2, minute(2)),
        Partner("dee", 1, minute(9)),
        Partner("cy", 1, minute(2)),
    ]
    assert await store.partners(SCOPE, "bo") == [Partner("ada", 2, minute(2)), Partner("cy", 1, minute(2))]
    assert await store.partners(SCOPE, "nobody") == []


async def test_whoever_a_memory_was_taken_from_is_no_partner_any_more(store: Store) -> None:
    """R8, M6: the present counts."""
    shared = memory("m", persons=("ada", "bo"))
    await save(store, *map(person, CAST), shared)

    await save(store, revise(shared, minute(1), persons=("bo", "cy")))

    assert await store.partners(SCOPE, "ada") == []
    assert await store.partners(SCOPE, "bo") == [Partner("cy", 1, shared.created_at)]


async def test_bonds_are_the_pairs_who_share_something_most_first(store: Store) -> None:
    """R8, K3, K5: of memories, talks and what passed between two, whoever began; each pair once, whatever its order."""
    await save(store, *map(person, CAST))
    first = memory("m1", persons=("bo", "ada", "bo"), at=minute(1))
    await save(
        store,
        first,
        memory("m2", persons=("ada", "bo", "cy"), at=minute(2)),
        memory("waiting", persons=("ada", "dee"), status=Status.PENDING),
        event("talk", type=EventType.INTERACT, at=minute(4), actors=("bo",), participants=("ada", "bo")),
        event("seen", type=EventType.OBSERVATION, at=minute(8), actors=("ada",), participants=("dee",)),
        interaction("i1", "bo", "ada", minute(5)),
        interaction("i2", "ada", "bo", minute(3)),
        interaction("self", "dee", "dee"),
        telling("t", "m1", "ada", "dee"),
    )

    assert await store.bonds(SCOPE) == [
        PairActivity("ada", "bo", memories=2, talks=1, interactions=2, last_at=minute(5)),
        PairActivity("ada", "cy", memories=1, talks=0, interactions=0, last_at=minute(2)),
        PairActivity("bo", "cy", memories=1, talks=0, interactions=0, last_at=minute(2)),
    ]
    assert [each.other_id for each in await store.bonds(SCOPE, limit=1)] == ["bo"]
    await save(store, revise(first, minute(9), persons=("cy", "dee")))
    assert [(each.one_id, each.other_id, each.memories) for each in await store.bonds(SCOPE)] == [
        ("ada", "bo", 1),
        ("ada", "cy", 1),
        ("bo", "cy", 1),
        ("cy", "dee", 1),
    ]


# ── against a model of it that fits on a page ────────────────────────────────────────────────────

LAST = 30


@dataclass
class Model:
    """All states of every memory in order, and the tellings by their id: what the rules of R11 are read from."""

    states: dict[str, list[Memory]] = field(default_factory=dict)
    tellings: dict[str, Telling] = field(default_factory=dict)

    def then(self, id: str, at: datetime | None) -> Memory | None:
        """What was believed, if it was true by then."""
        if at is None:
            return self.states[id][-1]
        state = next((each for each in reversed(self.states[id]) if each.updated_at <= at), None)
        if state is None or (state.valid_from is not None and at < state.valid_from):
            return None
        return state if state.valid_to is None or at < state.valid_to else None

    def knows(self, who: str, state: Memory, at: datetime | None) -> bool:
        heard = (each for each in self.tellings.values() if at is None or each.told_at <= at)
        return who in state.persons or any((each.listener_id, each.memory_id) == (who, state.id) for each in heard)

    def held(self, at: datetime | None) -> list[Memory]:
        states = (self.then(id, at) for id in self.states)
        return [state for state in states if state is not None and state.status is Status.ACTIVE]

    def known(self, who: str, at: datetime | None) -> list[Memory]:
        found = [state for state in self.held(at) if self.knows(who, state, at)]
        return sorted(found, key=lambda each: (each.created_at, each.id), reverse=True)

    def admits(self, ask: Search, state: Memory) -> bool:
        return (
            (ask.knower_id is None or self.knows(ask.knower_id, state, ask.as_of))
            and (ask.unknown_to is None or not self.knows(ask.unknown_to, state, ask.as_of))
            and (ask.besides is None or set(state.persons) != ask.besides)
            and (ask.without is None or ask.without.isdisjoint(state.persons))
            and ask.person_id in (None, *state.persons)
            and state.visibility in ask.visibilities
            and (ask.with_spoilers or not state.is_spoiler)
            and (state.visibility is not Visible.PRIVATE or ask.private_in in (None, state.conversation_id))
        )


WORDS = ("bral", "dron", "fisk", "glom", "vank")


def _random_memory(dice: random.Random, number: int) -> Memory:
    begins, ends = sorted(dice.sample(range(LAST), 2))
    return memory(
        f"m{number:02}",
        f"{' '.join(dice.choices(WORDS, k=3))} n{number}",
        at=minute(dice.randint(0, 10)),
        persons=tuple(dice.sample(CAST, dice.randint(0, 3))),
        visibility=dice.choice(list(Visible)),
        is_spoiler=dice.random() < 0.2,
        conversation_id=dice.choice([None, "chat", "chat2"]),
        valid_from=minute(begins) if dice.random() < 0.2 else None,
        valid_to=minute(ends) if dice.random() < 0.2 else None,
    )


def _random_change(dice: random.Random, state: Memory) -> Memory:
    changes: dict[str, Any] = dice.choice(
        [
            {"persons": tuple(dice.sample(CAST, dice.randint(0, 3)))},
            {"visibility": dice.choice(list(Visible))},
            {"is_spoiler": not state.is_spoiler},
            {"importance": dice.randint(1, 10)},
            {"status": Status.ACTIVE if state.status is Status.SUPERSEDED else Status.SUPERSEDED},
            {"content": f"{' '.join(dice.choices(WORDS, k=3))} {state.id} r{state.revision}"},
        ]
    )
    at = int((state.updated_at - minute(0)).total_seconds() // 60)
    return revise(state, minute(dice.randint(at + 1, at + 6)), **changes)


async def _live(store: Store, dice: random.Random, model: Model) -> None:
    """One thing that happens."""
    chance = dice.random()
    id = dice.choice(list(model.states))
    if chance < 0.45:
        teller, listener = dice.sample(CAST, 2)
        # After a deletion the number may come again: then the telling is saved anew, with another listener and time.
        told = telling(f"t{len(model.tellings)}-{id}", id, teller, listener, dice.randint(0, LAST))
        await save(store, told)
        model.tellings[told.id] = told
    elif chance < 0.85:
        changed = _random_change(dice, model.states[id][-1])
        await save(store, changed)
        model.states[id].append(changed)
    elif chance < 0.93 and model.tellings:
        gone = model.tellings.pop(dice.choice(list(model.tellings)))
        await store.apply(SCOPE, [Delete(Telling, gone.id)])
    elif len(model.states) > 5:
        await store.apply(SCOPE, [Delete(Memory, id)])
        del model.states[id]
        model.tellings = {key: each for key, each in model.tellings.items() if each.memory_id != id}


def _random_ask(dice: random.Random, model: Model) -> Search:
    visible = frozenset(each.value for each in dice.sample(list(Visible), dice.randint(1, 3)))
    return Search(
        text=" ".join(dice.choices(WORDS, k=dice.randint(1, 4))),
        kinds=frozenset({PassageKind.MEMORY}),
        knower_id=dice.choice([None, *CAST]),
        unknown_to=dice.choice([None, None, *CAST]),
        besides=dice.choice([None, None, frozenset(dice.sample(CAST, dice.randint(0, 2)))]),
        without=dice.choice([None, None, frozenset(dice.sample(CAST, dice.randint(0, 2)))]),
        person_id=dice.choice([None, None, None, *CAST]),
        refs=dice.choice([None, None, frozenset(dice.sample(list(model.states), 4))]),
        visibilities=dice.choice([visible, frozenset(each.value for each in Visible)]),
        private_in=dice.choice([None, "chat", "chat2", "elsewhere"]),
        with_spoilers=dice.random() < 0.7,
        as_of=dice.choice([None, minute(dice.randint(0, LAST + 10))]),
        limit=200,
        pool=200,
    )


async def _search_agrees(store: Store, model: Model, ask: Search) -> None:
    scope = [state for state in model.held(ask.as_of) if model.admits(ask, state)]
    terms = query_terms(ask.text)
    held = {state.id: set(terms_of(state.content)) for state in scope}
    weights = shares(len(scope), [sum(term in words for words in held.values()) for term in terms])
    expected = {
        state.id: state
        for state in scope
        if (ask.refs is None or state.id in ask.refs) and not held[state.id].isdisjoint(terms)
    }

    found = await store.search(SCOPE, ask)

    assert {hit.record.id: hit.record for hit in found.hits} == expected
    assert found.coverage.passages == len(scope)
    assert found.weights == pytest.approx(dict(zip(terms, weights, strict=True)))
    for hit in found.hits:
        share = sum(weight for term, weight in zip(terms, weights, strict=True) if term in held[hit.record.id])
        assert hit.parts.text == pytest.approx(share, abs=1e-5)


async def _knowledge_agrees(store: Store, model: Model, who: str, at: datetime | None) -> None:
    expected = model.known(who, at)
    shared = [state for state in model.held(None) if who in state.persons]
    partners = {other: [state for state in shared if other in state.persons] for other in CAST if other != who}

    assert list((await store.known(SCOPE, who, as_of=at, limit=200)).items) == expected
    assert {each.person_id: (each.memories, each.last_at) for each in await store.partners(SCOPE, who)} == {
        other: (len(these), max(state.created_at for state in these)) for other, these in partners.items() if these
    }


@pytest.mark.soak
@pytest.mark.parametrize("seed", seeds(2, 20))
async def test_search_and_knowledge_follow_what_happens(store: Store, seed: int) -> None:
    """R8, R11, M6, M7, M9: whoever is there, whatever is told, changed and deleted, and whenever it is asked about."""
    dice = random.Random(seed)
    model = Model()
    await save(store, *map(person, CAST), conversation(), conversation("chat2"))
    first = [_random_memory(dice, number) for number in range(30)]
    await save(store, *first)
    model.states = {each.id: [each] for each in first}

    for _ in range(30):
        await _live(store, dice, model)
        await _search_agrees(store, model, _random_ask(dice, model))
        await _knowledge_agrees(
            store, model, dice.choice(CAST), dice.choice([None, minute(dice.randint(0, LAST + 10))])
        )
