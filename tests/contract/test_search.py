"""Search: two arms united, scoped by every filter, exact, and harmless whatever is asked (M4, M12, M14)."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from everlore.domain.conversation import Author, Message
from everlore.domain.job import JobState
from everlore.domain.memory import Memory, MemoryType, Status, Visible
from everlore.domain.passage import PassageKind
from everlore.domain.records import Record
from everlore.domain.revision import revise
from everlore.domain.scope import pair_of
from everlore.domain.words import query_terms, terms_of
from everlore.errors import BadAsk
from everlore.store.answers import Coverage, Found, Hit, Parts
from everlore.store.port import Delete, DropVectors, Embed, Finish, Put, Retry, Search, Store, Vector
from everlore.store.scoring import fuse, length_weight, shares
from tests.contract.builders import (
    MODEL,
    OTHER,
    SCOPE,
    axis,
    campaign,
    case,
    conversation,
    embed,
    entity,
    event,
    found_ids,
    ids,
    memory,
    message,
    minute,
    person,
    save,
    summary,
    unit,
)
from tests.soak import seeds

SEA = "Ada likes the sea."
HILL = "Bo climbs hills."
# Vectors are kept in sixteen bits, and a database may add up in another order.
CLOSE = 2e-3


def close(value: float) -> Any:
    return pytest.approx(value, abs=CLOSE)


async def _found(store: Store, ask: Search) -> Found:
    return await store.search(SCOPE, ask)


async def test_a_search_without_kinds_finds_nothing(store: Store) -> None:
    """R11: it is no search of all kinds."""
    await save(store, memory("sea", SEA))
    await embed(store, {SEA: axis(0)})

    asks = [Search(text="sea"), Search(vector=axis(0), model=MODEL), Search(text="sea", refs=frozenset({"sea"}))]

    assert [await found_ids(store, each) for each in asks] == [["sea"]] * 3
    assert [await found_ids(store, replace(each, kinds=frozenset())) for each in asks] == [[]] * 3


# ── at once, and then better (M14) ───────────────────────────────────────────────────────────────


async def test_a_memory_is_found_by_its_words_before_it_is_embedded(store: Store) -> None:
    """M14: findable at once, and search says how much is embedded."""
    await save(store, memory("m", SEA))

    found = await _found(store, Search(text="Who likes the sea?", vector=axis(0), model=MODEL))

    [hit] = found.hits
    assert (hit.kind, hit.record) == (PassageKind.MEMORY, memory("m", SEA))
    assert hit.parts.vector is None
    assert hit.score == hit.parts.text
    assert found.coverage == Coverage(passages=1, embedded=0)


async def test_a_memory_is_found_by_its_meaning_once_it_is_embedded(store: Store) -> None:
    """M14."""
    await save(store, memory("m", SEA))
    await embed(store, {SEA: axis(0)})

    found = await _found(store, Search(vector=axis(0), model=MODEL))

    [hit] = found.hits
    assert hit.parts == Parts(vector=close(1), text=None)
    assert hit.score == close(0.5)
    assert found.coverage == Coverage(passages=1, embedded=1)


async def test_both_arms_are_united_and_every_part_is_filled_in(store: Store) -> None:
    """M14: a hit of one arm has its part of the other arm as well."""
    await save(store, memory("both", "sea hill"), memory("words", "sea"), memory("meaning", "cave"))
    await save(store, memory("neither", "desert"))
    await embed(store, {"sea hill": _slanted(0.8), "cave": _slanted(0.6), "desert": axis(2)})

    found = await _found(store, Search(text="sea", vector=axis(0), model=MODEL, vector_weight=0.75))

    parts = {hit.record.id: hit.parts for hit in found.hits}
    assert [hit.record.id for hit in found.hits] == ["words", "both", "meaning", "neither"]
    assert parts == {
        "words": Parts(None, close(1)),
        "both": Parts(close(0.8), close(1)),
        "meaning": Parts(close(0.6), None),
        "neither": Parts(close(0), None),
    }
    assert [hit.score for hit in found.hits] == [close(1), close(0.85), close(0.45), close(0)]


async def test_a_search_for_nothing_finds_nothing_and_still_counts(store: Store) -> None:
    await save(store, memory("m", SEA))
    await embed(store, {SEA: axis(0)})

    for ask in (Search(), Search(model=MODEL), Search(text="  ?! "), Search(text="", model=MODEL)):
        found = await _found(store, ask)
        assert found.hits == ()
        assert found.coverage == Coverage(1, 1 if ask.model else 0)


async def test_a_question_of_common_words_alone_still_finds_them(store: Store) -> None:
    await save(store, memory("m", "To be or not to be."))

    assert await found_ids(store, "to be") == ["m"]


async def test_words_are_found_in_any_form(store: Store) -> None:
    await save(store, memory("m", "Zoë's cafés were CLOSED."))

    for question in ("zoe", "Zoë", "cafe", "Cafés", "close", "closing"):
        assert await found_ids(store, question) == ["m"], question


async def test_several_searches_at_once_find_what_each_of_them_finds(store: Store) -> None:
    """M14: of other kinds, persons, models and times; one record may be found by several, as it was at each time."""
    old = memory("m", "The sea is calm.", at=minute(1))
    await save(
        store, conversation(), person("ada"), old, memory("n", "Ada sails.", persons=("ada",)), message("said", SEA)
    )
    await save(store, revise(old, minute(5), content="The sea is rough."))
    await embed(store, {"The sea is rough.": axis(0), SEA: axis(1)})
    asks = [
        Search(text="sea"),
        Search(text="sea", vector=axis(0), model=MODEL),
        Search(text="sea", kinds=frozenset({PassageKind.MESSAGE})),
        Search(text="sea", person_id="ada"),
        Search(text="sea", as_of=minute(2)),
        Search(text="desert"),
        Search(),
    ]

    found = await store.search_all(SCOPE, asks)

    assert found == [await store.search(SCOPE, ask) for ask in asks]
    contents = [{str(hit.record.content) for hit in each.hits if hit.record.id == "m"} for each in found]  # type: ignore[union-attr]
    assert contents[0] == {"The sea is rough."}
    assert contents[4] == {"The sea is calm."}
    assert await store.search_all(SCOPE, []) == []


async def test_one_bad_search_among_several_is_refused(store: Store) -> None:
    with pytest.raises(BadAsk, match="limit"):
        await store.search_all(SCOPE, [Search(text="sea"), Search(text="sea", limit=0)])


async def test_an_empty_store_answers(store: Store) -> None:
    found = await _found(store, Search(text="sea", vector=axis(0), model=MODEL))

    assert found == Found((), Coverage(0, 0), {"sea": 1.0})
    assert found.coverage.share == 1.0


# ── what is searched ─────────────────────────────────────────────────────────────────────────────


async def test_every_kind_of_passage_is_found_with_its_record(store: Store) -> None:
    """M14: memories, messages, summaries, events and entities are one index."""
    records: dict[PassageKind, Record] = {
        PassageKind.MEMORY: memory("m", "The lighthouse is old."),
        PassageKind.MESSAGE: message("msg", "Look, a lighthouse!", seq=1),
        PassageKind.SUMMARY: summary("sum", "They saw a lighthouse."),
        PassageKind.EVENT: event("ev", "The lighthouse went dark."),
        PassageKind.ENTITY: entity("ent", "Eddy", aliases=("Lighthouse",), description="A tower."),
    }
    await save(store, conversation(), *records.values())

    found = await _found(store, Search(text="lighthouse"))

    assert {hit.kind: hit.record for hit in found.hits} == records


async def test_what_is_private_or_empty_is_not_searched(store: Store) -> None:
    """V6."""
    await save(
        store,
        conversation(),
        message("private", "A lighthouse.", private=True),
        summary("private-sum", "A lighthouse.", private=True),
        message("empty", " "),
    )

    found = await _found(store, Search(text="lighthouse"))

    assert (found.hits, found.coverage) == ((), Coverage(0, 0))


async def test_an_edited_message_is_found_by_its_new_words_only(store: Store) -> None:
    """M15."""
    await save(store, conversation(), message("msg", SEA))
    await embed(store, {SEA: axis(0)})

    await save(store, message("msg", HILL))

    assert await found_ids(store, "sea") == []
    assert await found_ids(store, "hills") == ["msg"]
    assert await found_ids(store, Search(vector=axis(0), model=MODEL)) == []
    assert await store.coverage(SCOPE, MODEL) == Coverage(1, 0)


async def test_a_message_made_private_is_no_longer_found(store: Store) -> None:
    await save(store, conversation(), message("msg", SEA))

    await save(store, message("msg", SEA, private=True))

    assert await found_ids(store, "sea") == []
    assert await store.coverage(SCOPE, MODEL) == Coverage(0, 0)


# ── scope: every filter, on both arms ────────────────────────────────────────────────────────────

CHAT = {"conversation_id": "chat"}
SCOPED: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    # name: (a record inside, a record outside, the filter)
    "kinds": (memory("in"), event("out"), {"kinds": frozenset({PassageKind.MEMORY})}),
    "person": (
        memory("in", persons=("ada", "bo", "cy")),
        memory("out", persons=("bo",)),
        {"person_id": "cy"},
    ),
    "pair": (
        memory("in", persons=("bo", "ada")),
        memory("out", persons=("ada",)),
        {"pair": pair_of("ada", "bo")},
    ),
    "pair-of-three": (
        memory("in", persons=("ada", "bo")),
        memory("out", persons=("ada", "bo", "cy")),
        {"pair": pair_of("bo", "ada")},
    ),
    "persons": (
        memory("in", persons=("ada",)),
        memory("out", persons=("ada", "bo")),
        {"persons": frozenset({"ada"})},
    ),
    "persons-together": (
        memory("in", persons=("cy", "ada", "bo", "ada")),
        memory("out", persons=("ada", "bo")),
        {"persons": frozenset({"ada", "bo", "cy"})},
    ),
    "persons-none": (memory("in"), memory("out", persons=("ada",)), {"persons": frozenset()}),
    "persons-of-a-pair": (
        memory("in", persons=("bo", "ada")),
        memory("out", persons=("ada", "bo", "cy")),
        {"persons": frozenset({"ada", "bo"})},
    ),
    "besides": (
        memory("in", persons=("ada", "bo", "cy")),
        memory("out", persons=("bo", "ada", "bo")),
        {"besides": frozenset({"ada", "bo"})},
    ),
    "without": (
        memory("in", persons=("ada", "cy")),
        memory("out", persons=("ada", "bo")),
        {"without": frozenset({"bo", "dan"})},
    ),
    "without-nobody": (memory("in", persons=("ada",)), memory("out", status=Status.PENDING), {"without": frozenset()}),
    "besides-nobodys": (memory("in", persons=("ada",)), memory("out"), {"besides": frozenset()}),
    "besides-whatever-kind": (
        event("in", actors=("ada",)),
        event("out", actors=("bo",)),
        {"besides": frozenset({"bo"})},
    ),
    "knower": (memory("in", persons=("ada", "bo")), memory("out", persons=("bo",)), {"knower_id": "ada"}),
    "knower-was-there": (message("in", present=("ada",)), message("out", present=("bo",)), {"knower_id": "ada"}),
    "unknown": (memory("in", persons=("bo",)), memory("out", persons=("ada", "bo")), {"unknown_to": "ada"}),
    "unknown-was-away": (message("in"), message("out", present=("bo", "ada")), {"unknown_to": "ada"}),
    "visibilities": (
        memory("in"),
        memory("out", visibility=Visible.SECRET),
        {"visibilities": frozenset({"normal", "private"})},
    ),
    "private-elsewhere": (
        memory("in", visibility=Visible.PRIVATE, **CHAT),
        memory("out", visibility=Visible.PRIVATE, conversation_id="chat2"),
        {"private_in": "chat"},
    ),
    "private-nowhere": (memory("in"), memory("out", visibility=Visible.PRIVATE), {"private_in": "chat"}),
    "spoilers": (memory("in"), memory("out", is_spoiler=True), {"with_spoilers": False}),
    "conversation": (memory("in", **CHAT), memory("out"), CHAT),
    "other-conversation": (message("in"), message("out", conversation_id="chat2"), CHAT),
    "campaign": (memory("in", campaign_id="quest"), memory("out"), {"campaign_id": "quest"}),
    "types": (
        memory("in", type=MemoryType.GOAL),
        memory("out", type=MemoryType.FACT),
        {"types": frozenset({"GOAL", "SKILL"})},
    ),
    "message-types": (
        message("in", author=Author.NARRATOR),
        message("out", author=Author.USER),
        {"types": frozenset({"narrator"})},
    ),
    "statuses": (
        memory("in", status=Status.REJECTED),
        memory("out"),
        {"statuses": frozenset({"rejected", "pending"})},
    ),
    "since": (memory("in", at=minute(5)), memory("out", at=minute(4.9)), {"since": minute(5)}),
    "until": (memory("in", at=minute(4.9)), memory("out", at=minute(5)), {"until": minute(5)}),
    "happened": (
        memory("in", at=minute(9), valid_from=minute(1)),
        memory("out", at=minute(1), valid_from=minute(9)),
        {"until": minute(5)},
    ),
    "as_of": (memory("in", at=minute(1)), memory("out", at=minute(9)), {"as_of": minute(5)}),
    "valid": (
        memory("in", valid_from=minute(1), valid_to=minute(9)),
        memory("out", valid_to=minute(5)),
        {"as_of": minute(5)},
    ),
    "all-together": (
        memory("in", persons=("ada", "bo"), type=MemoryType.GOAL, campaign_id="quest", **CHAT),
        memory("out", persons=("ada", "bo"), type=MemoryType.GOAL, **CHAT),
        {
            "pair": pair_of("ada", "bo"),
            "person_id": "ada",
            "types": frozenset({"GOAL"}),
            "campaign_id": "quest",
            "since": minute(-1),
            "until": minute(1),
            "as_of": minute(1),
            **CHAT,
        },
    ),
}


@pytest.mark.parametrize("name", SCOPED)
async def test_a_filter_holds_on_both_arms_and_in_the_coverage(store: Store, name: str) -> None:
    """M3, M4, M14: however well it matches, what is outside the scope is not found and not counted."""
    inside, outside, scoping = SCOPED[name]
    people = [person("ada"), person("bo"), person("cy")]
    text = "Somebody lit the lamp."
    inside, outside = replace(inside, content=text), replace(outside, content=text)
    await save(store, *people, campaign(), conversation(), conversation("chat2"), inside, outside)
    await embed(store, {text: axis(0)})
    by_text, by_vector = {"text": "lamp"}, {"vector": axis(0), "model": MODEL}

    for arms in (by_text, by_vector, by_text | by_vector):
        with case(", ".join(arms)):
            found = await _found(store, Search(**{**arms, **scoping}))

            assert [hit.record.id for hit in found.hits] == ["in"]
            assert found.coverage == Coverage(1, 1 if "vector" in arms else 0)


async def test_a_pair_is_the_same_whoever_plays_whom(store: Store) -> None:
    """M4."""
    await save(
        store,
        person("ada"),
        person("bo"),
        memory("one", SEA, persons=("ada", "bo")),
        memory("other", SEA, persons=("bo", "ada")),
    )

    for pair in (pair_of("ada", "bo"), pair_of("bo", "ada")):
        assert set(await found_ids(store, Search(text="sea", pair=pair))) == {"one", "other"}


async def test_ids_that_look_like_a_pair_are_not_mixed_up(store: Store) -> None:
    """M4: whatever characters an imported id holds."""
    await save(store, *map(person, ("a", "b|c", "a|b", "c")))
    await save(store, memory("one", SEA, persons=("a", "b|c")), memory("two", SEA, persons=("a|b", "c")))

    assert await found_ids(store, Search(text="sea", pair=pair_of("a", "b|c"))) == ["one"]


async def test_a_memory_that_moved_is_found_in_its_new_scope_only(store: Store) -> None:
    """M3: with the vector it had, for its text is the same."""
    await save(store, person("ada"), person("bo"), memory("m", SEA, persons=("ada",)))
    await embed(store, {SEA: axis(0)})

    await save(store, revise(await store.get(SCOPE, Memory, "m"), minute(1), persons=("bo",)))

    by_meaning = Search(vector=axis(0), model=MODEL, person_id="bo")
    assert await found_ids(store, replace(by_meaning, person_id="ada")) == []
    assert await found_ids(store, by_meaning) == ["m"]


async def test_what_lies_outside_the_scope_does_not_change_a_score(store: Store) -> None:
    """M14: a word weighs by how rare it is within the scope, never by what others hold."""
    await save(store, person("ada"), memory("m", SEA, persons=("ada",)), memory("n", "Ada.", persons=("ada",)))
    ask = Search(text="Ada sea dragon", person_id="ada")
    before = await _found(store, ask)

    await save(store, *(memory(f"o{number}", SEA) for number in range(20)))
    await save(store, *(memory(f"o{number}", SEA, workspace="two") for number in range(20)), scope=OTHER)

    after = await _found(store, ask)
    assert [hit.record.id for hit in after.hits] == ["m", "n"]
    assert [hit.score for hit in after.hits] == [close(hit.score) for hit in before.hits]


# ── order and limits ─────────────────────────────────────────────────────────────────────────────


async def test_a_rare_word_counts_more_than_a_common_one(store: Store) -> None:
    await save(store, *(memory(f"c{number}", "Ada sails.") for number in range(5)))
    await save(store, memory("rare", "Dragons fly."))

    assert (await found_ids(store, "Ada dragons"))[0] == "rare"


async def test_a_long_passage_scores_a_little_less(store: Store) -> None:
    long = "The sea " + " ".join(f"word{number}" for number in range(40))
    await save(store, memory("short", "The sea is calm."), memory("long", long))

    found = await _found(store, Search(text="sea"))

    expected = float(length_weight(np.array([len(terms_of(long))], np.float32))[0])
    assert [hit.record.id for hit in found.hits] == ["short", "long"]
    assert [hit.score for hit in found.hits] == [close(1), close(expected)]


async def test_of_equals_the_newer_comes_first(store: Store) -> None:
    for id in ("b", "a", "c"):
        await save(store, memory(id, SEA))

    assert await found_ids(store, "sea") == ["c", "a", "b"]
    assert await found_ids(store, Search(text="sea", limit=1)) == ["c"]
    assert await found_ids(store, Search(text="sea", pool=2)) == ["c", "a"]


async def test_how_often_a_word_is_repeated_does_not_count(store: Store) -> None:
    await save(store, memory("once", "sea"), memory("often", "sea sea sea sea sea"))

    found = await _found(store, Search(text="sea sea"))

    assert [hit.score for hit in found.hits] == [close(1), close(1)]


async def test_limit_cuts_the_best_off_the_top(store: Store) -> None:
    for number in range(6):
        await save(store, memory(f"m{number}", f"Memory {number}."))
    await embed(store, {f"Memory {number}.": _slanted(number / 10) for number in range(6)})

    by_meaning = Search(vector=axis(0), model=MODEL, limit=3)

    assert await found_ids(store, by_meaning) == ["m5", "m4", "m3"]


async def test_each_arm_brings_its_own_pool(store: Store) -> None:
    """M14: the best of either arm is among the candidates, however bad in the other."""
    for number in range(6):
        await save(store, memory(f"v{number}", f"Meaning {number}."), memory(f"t{number}", f"Sea {number}."))
    await embed(store, {f"Meaning {number}.": _slanted(number / 10) for number in range(6)})

    found = await found_ids(store, Search(text="sea", vector=axis(0), model=MODEL, pool=2))

    assert found == ["t5", "t4", "v5", "v4"]


async def test_min_similarity_drops_what_scores_below(store: Store) -> None:
    """M8: counted on the united score."""
    for number in range(6):
        await save(store, memory(f"m{number}", f"Memory {number}."))
    await embed(store, {f"Memory {number}.": _slanted(number / 10) for number in range(6)})

    ask = Search(vector=axis(0), model=MODEL, vector_weight=1.0, min_similarity=0.35)

    assert await found_ids(store, ask) == ["m5", "m4"]
    assert await found_ids(store, replace(ask, vector_weight=0.5)) == []


async def test_a_vector_that_points_away_is_no_worse_than_none(store: Store) -> None:
    await save(store, memory("m", SEA))
    await embed(store, {SEA: -axis(0)})

    [hit] = (await _found(store, Search(text="sea", vector=axis(0), model=MODEL))).hits

    assert hit.parts.vector == close(-1)
    assert hit.score == close(0.5)


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
async def test_the_weight_divides_the_score_between_the_arms(store: Store, weight: float) -> None:
    await save(store, memory("m", SEA))
    await embed(store, {SEA: _slanted(0.8)})

    [hit] = (await _found(store, Search(text="sea", vector=axis(0), model=MODEL, vector_weight=weight))).hits

    assert hit.score == close(weight * 0.8 + (1 - weight) * 1.0)


def _slanted(cosine: float) -> Vector:
    """A unit vector at that cosine to the first axis."""
    vector: Vector = axis(0) * np.float32(cosine) + axis(1) * np.float32(math.sqrt(1 - cosine**2))
    return vector


# ── whatever is asked ────────────────────────────────────────────────────────────────────────────

HOSTILE = {
    "quote": "it's",
    "open-quote": 'she said "hello',
    "near": "NEAR(sea ada, 2)",
    "booleans": "AND OR NOT sea",
    "column": "content:sea text:ada",
    "star": "sea* *",
    "caret": "^sea ^",
    "parentheses": "((sea) OR (",
    "plus-minus": "+sea -ada",
    "drop": "'; DROP TABLE memories; --",
    "like": "%sea_ %",
    "tsquery": "sea & ada | !hill <-> cave :*",
    "backslash": "sea \\ \\' \\x00 \\",
    "parameters": "$1 ?1 :name @p %s {x}",
    "markup": "<script>alert('sea')</script>",
    "emoji": "🐉 sea 👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    "only-emoji": "🐉🔥",
    "hebrew": "שלום עולם",
    "arabic": "مرحبا بالعالم",
    "japanese": "東京タワーで会いましょう",
    "chinese": "我喜欢大海",
    "thai": "ฉันรักทะเล",
    "combining": "Zoe\u0308 cafe\u0301",
    "turkish": "İstanbul ıssız",
    "override": "\u202esea\u202c \u200bhidden\u200b \ufeff",
    "line-breaks": "sea\r\n\tada\u2028hill\x0b",
    "controls": "sea \x01\x02\x1f\x7f",
    "long-word": "a" * 5_000,
    "long": "sea ada hill cave " * 5_000,
    "digits": "1e309 NaN 0x10 -1 007",
}


async def test_no_character_of_a_question_acts_as_an_operator(store: Store) -> None:
    """M12: the same words find the same passage, and words not shared find nothing."""
    for name, hostile in HOSTILE.items():
        with case(name):
            asked = hostile[:100_000]
            statement = asked[:19_000] + " lighthouse"
            await save(store, memory(name, statement), memory("different", "Völlig andere Wörter."))

            alone = await found_ids(store, Search(text=asked))
            together = await found_ids(store, Search(text=f"lighthouse {asked}"[:100_000]))

            assert alone == ([name] if query_terms(asked) else [])
            assert together == [name]
            await store.apply(SCOPE, [Delete(Memory, name), Delete(Memory, "different")])


async def test_operators_of_full_text_are_plain_words(store: Store) -> None:
    """M12."""
    await save(store, memory("sea", "The sea."), memory("season", "The season."), memory("ada", "Ada."))

    assert await found_ids(store, "sea*") == ["sea"]
    assert set(await found_ids(store, "sea NOT ada")) == {"sea", "ada"}
    assert await found_ids(store, "sea AND zebra") == ["sea"]
    assert await found_ids(store, "-sea") == ["sea"]
    assert await found_ids(store, "'sea' OR 1=1") == ["sea"]


async def test_scripts_without_spaces_are_found_by_a_part(store: Store) -> None:
    await save(store, memory("tower", "東京タワーで会いましょう"), memory("kyoto", "京都は静かです"))

    assert await found_ids(store, "東京") == ["tower"]
    assert await found_ids(store, "京都") == ["kyoto"]


async def test_a_filter_with_an_awkward_id_is_a_plain_value(store: Store) -> None:
    awkward = 'it\'s "100%" | & ; -- 🐉'
    await save(store, person(awkward), memory("m", SEA, persons=(awkward,)), memory("n", SEA))

    assert await found_ids(store, Search(text="sea", person_id=awkward)) == ["m"]
    assert await found_ids(store, Search(text="sea", person_id="%")) == []


# ── vectors (M12, M14) ───────────────────────────────────────────────────────────────────────────


async def _embed_jobs(store: Store) -> list[Any]:
    return [job for job in (await store.jobs(SCOPE)).items if job.kind == "embed"]


async def _begun(store: Store, lease: str, now: Any) -> list[Any]:
    return await store.claim(SCOPE, lease=lease, now=now, lease_s=30, limit=8)


async def test_new_passages_of_one_list_wait_in_one_job(store: Store, clock: Any) -> None:
    """M14, C5: in the same transaction, so nothing that was acknowledged is forgotten."""
    clock.pass_time(90)

    await save(store, conversation(), memory("a", SEA), message("b", HILL), memory("c", "Cy waits."))

    [job] = await _embed_jobs(store)
    rows = [each.row for each in await store.unembedded(SCOPE, MODEL)]
    assert job.payload == {"after": rows[0] - 1}
    assert (job.workspace, job.lane, job.priority, job.key, job.attempts) == ("one", "", 0, None, 0)
    assert job.run_at == job.created_at == clock.now
    assert len(rows) == 3


async def test_what_is_added_while_a_job_waits_waits_with_it(store: Store, clock: Any) -> None:
    """C5: a turn has one or two lists with passages, and thousands of turns need no thousands of jobs."""
    await save(store, memory("a", SEA))
    await save(store, memory("b", HILL))

    [job] = await _embed_jobs(store)
    assert job.payload["after"] < min(each.row for each in await store.unembedded(SCOPE, MODEL))

    [begun] = await _begun(store, "w", clock.now)
    await save(store, memory("c", "Cy waits."))
    first, second = await _embed_jobs(store)
    assert (first.id, second.state) == (begun.id, JobState.READY)

    await store.apply(SCOPE, [Retry(begun, "The embedder is away.", clock.now, clock.now + timedelta(minutes=10))])
    await save(store, memory("d", "Di waits."))
    await store.apply(SCOPE, [Finish(job, clock.now) for job in await _begun(store, "x", clock.now)])
    await save(store, memory("e", "Eve waits."))

    # What failed comes back when it may; nobody waits for it.
    assert sorted((each.attempts, each.state) for each in await _embed_jobs(store)) == [
        (0, JobState.READY),
        (1, JobState.READY),
    ]


async def test_what_is_not_searched_needs_no_job(store: Store) -> None:
    await save(store, person("ada"), conversation(), message("m", "Hush.", private=True))

    assert await _embed_jobs(store) == []


async def test_a_refused_list_leaves_no_job(store: Store) -> None:
    with pytest.raises(Exception, match="nobody"):
        await save(store, memory("a", SEA), memory("b", persons=("nobody",)))

    assert await _embed_jobs(store) == []


async def test_a_change_that_keeps_the_text_keeps_the_vector(store: Store) -> None:
    """M14: also where the index has a new row for it; nothing is embedded twice."""
    await save(store, memory("m", SEA), conversation(), message("msg", HILL))
    await embed(store, {SEA: axis(0), HILL: axis(1)})
    before = await _embed_jobs(store)

    stored = await store.get(SCOPE, Memory, "m")
    await save(store, revise(stored, minute(1), type=MemoryType.GOAL, importance=9))
    await save(store, message("msg", HILL, author=Author.NARRATOR))

    found = await _found(store, Search(vector=axis(0), model=MODEL))
    assert [hit.parts.vector for hit in found.hits] == [close(1), close(0)]
    assert found.coverage == Coverage(2, 2)
    assert await _embed_jobs(store) == before


async def test_a_change_of_the_text_waits_for_a_new_vector(store: Store) -> None:
    """M14: the old vector says nothing about the new text."""
    await save(store, memory("m", SEA))
    await embed(store, {SEA: axis(0)})

    await save(store, revise(await store.get(SCOPE, Memory, "m"), minute(1), content=HILL))

    [waiting] = await store.unembedded(SCOPE, MODEL)
    jobs = await _embed_jobs(store)
    assert waiting.text == HILL
    assert await found_ids(store, Search(vector=axis(0), model=MODEL)) == []
    assert await found_ids(store, "hills") == ["m"]
    assert [job.payload["after"] < waiting.row for job in jobs] == [True]


async def test_the_past_keeps_its_vectors(store: Store) -> None:
    """M6: what was believed is found by its meaning as well."""
    await save(store, memory("m", SEA))
    await embed(store, {SEA: axis(0)})
    await save(store, revise(await store.get(SCOPE, Memory, "m"), minute(10), content=HILL))

    found = await _found(store, Search(vector=axis(0), model=MODEL, as_of=minute(5)))

    assert [hit.record.content for hit in found.hits] == [SEA]  # type: ignore[union-attr]  # a memory
    assert found.coverage == Coverage(1, 1)


async def test_unembedded_passages_come_in_order_and_within_bounds(store: Store) -> None:
    texts = [f"Memory {number}." for number in range(6)]
    await save(store, *(memory(f"m{number}", text) for number, text in enumerate(texts)))

    waiting = await store.unembedded(SCOPE, MODEL)
    rows = [each.row for each in waiting]

    assert [each.text for each in waiting] == texts
    assert rows == sorted(set(rows))
    assert await store.unembedded(SCOPE, MODEL, limit=2) == waiting[:2]
    assert await store.unembedded(SCOPE, MODEL, after=rows[1], limit=2) == waiting[2:4]
    assert await store.unembedded(SCOPE, MODEL, after=rows[-1]) == []


async def test_coverage_and_what_waits_add_up(store: Store) -> None:
    """M14: of the present; what was rewritten before it was embedded is not worth a vector any more."""
    first = memory("m", SEA)
    await save(store, first, memory("n", "Cy waits."))
    await save(store, revise(first, minute(1), content=HILL))
    await embed(store, {HILL: axis(0)})

    coverage = await store.coverage(SCOPE, MODEL)

    assert coverage == Coverage(passages=2, embedded=1)
    assert [each.text for each in await store.unembedded(SCOPE, MODEL)] == ["Cy waits."]
    assert await store.coverage(SCOPE, "another-model") == Coverage(2, 0)


async def test_embedding_again_replaces_the_vector(store: Store) -> None:
    """C5: an embedding job that runs twice does no harm."""
    await save(store, memory("m", SEA))
    [waiting] = await store.unembedded(SCOPE, MODEL)
    await store.apply(SCOPE, [Embed(MODEL, (waiting.row,), axis(0)[None])])

    await store.apply(SCOPE, [Embed(MODEL, (waiting.row,), axis(1)[None])])

    found = await _found(store, Search(vector=axis(1), model=MODEL))
    assert [hit.parts.vector for hit in found.hits] == [close(1)]
    assert found.coverage == Coverage(1, 1)


async def test_vectors_of_rows_that_are_gone_are_passed_over(store: Store) -> None:
    """M9: an embedding that comes after its record was deleted is no orphan."""
    await save(store, memory("m", SEA))
    [waiting] = await store.unembedded(SCOPE, MODEL)

    vectors = np.array([axis(1), axis(0)])
    await store.apply(SCOPE, [Embed(MODEL, (waiting.row + 999, waiting.row), vectors)])

    assert await store.coverage(SCOPE, MODEL) == Coverage(1, 1)
    assert (await store.cleanup(SCOPE, dry_run=True, keys_before=minute(0))).orphaned_vectors == 0


async def test_two_models_live_beside_each_other_until_one_is_dropped(store: Store) -> None:
    """M12: search keeps answering while another model takes over, whatever its dimensions."""
    await save(store, memory("m", SEA))
    await embed(store, {SEA: axis(0, 8)}, model="old")
    await embed(store, {SEA: axis(1, 4)}, model="new")
    during = [
        await found_ids(store, Search(vector=axis(0, 8), model="old")),
        await found_ids(store, Search(vector=axis(1, 4), model="new")),
    ]

    await store.apply(SCOPE, [DropVectors(keep_model="new")])

    assert during == [["m"], ["m"]]
    assert await store.coverage(SCOPE, "old") == Coverage(1, 0)
    assert await store.coverage(SCOPE, "new") == Coverage(1, 1)
    assert await found_ids(store, Search(vector=axis(1, 4), model="new")) == ["m"]


async def test_a_vector_of_another_length_is_refused_with_both_lengths(store: Store) -> None:
    """M12: one model, one length."""
    await save(store, memory("m", SEA), memory("n", HILL))
    await embed(store, {SEA: axis(0, 8)})

    with pytest.raises(BadAsk, match=r"(?s)(?=.*\b8\b)(?=.*\b5\b)"):
        await embed(store, {HILL: axis(0, 5)})
    with pytest.raises(BadAsk, match=r"(?s)(?=.*\b8\b)(?=.*\b5\b)"):
        await _found(store, Search(vector=axis(0, 5), model=MODEL))

    assert await store.coverage(SCOPE, MODEL) == Coverage(2, 1)


# ── exact: nothing that should be found is missed (M12) ──────────────────────────────────────────

VOCABULARY = [f"{start}{end}" for start in ("bral", "dron", "fisk", "glom", "vank") for end in "oxiaum"]
PEOPLE = ("ada", "bo", "cy")


@dataclass(frozen=True)
class Sample:
    memory: Memory
    vector: Vector | None


def _samples(dice: random.Random, many: int) -> list[Sample]:
    samples = []
    for number in range(many):
        words = dice.choices(VOCABULARY, k=dice.randint(1, 30))
        samples.append(
            Sample(
                memory(
                    f"m{number:03}",
                    # A number of its own keeps the texts apart, so that each gets its own vector.
                    f"{' '.join(words)} n{number}",
                    persons=tuple(dice.sample(PEOPLE, dice.randint(0, 3))),
                    type=dice.choice([MemoryType.FACT, MemoryType.GOAL]),
                    at=minute(dice.randint(0, 9)),
                ),
                unit(number, 16) if dice.random() < 0.8 else None,
            )
        )
    return samples


def _question(dice: random.Random) -> Search:
    by_meaning: dict[str, Any] = {"vector": unit(dice.randint(1000, 2000), 16), "model": MODEL}
    return Search(
        text=" ".join(dice.choices(VOCABULARY, k=dice.randint(0, 6))),
        person_id=dice.choice([None, *PEOPLE]),
        persons=dice.choice([None, None, frozenset(dice.sample(PEOPLE, dice.randint(0, 2)))]),
        types=dice.choice([frozenset(), frozenset({"GOAL"})]),
        since=dice.choice([None, minute(4)]),
        limit=dice.choice([5, 20, 200]),
        pool=200,
        vector_weight=dice.choice([0.2, 0.5, 0.9]),
        **(by_meaning if dice.random() < 0.8 else {}),
    )


def _is_allowed(ask: Search, each: Memory) -> bool:
    return (
        ask.person_id in (None, *each.persons)
        and (ask.persons is None or ask.persons == set(each.persons))
        and (not ask.types or each.type.value in ask.types)
        and (ask.since is None or each.created_at >= ask.since)
    )


def _expected_parts(ask: Search, samples: list[Sample]) -> dict[str, Parts]:
    """By brute force: every sample that is allowed, looked at on its own."""
    allowed = [each for each in samples if _is_allowed(ask, each.memory)]
    terms = query_terms(ask.text)
    held = {each.memory.id: set(terms_of(each.memory.content)) for each in allowed}
    weights = shares(len(allowed), [sum(term in words for words in held.values()) for term in terms])
    parts = {}
    for each in allowed:
        words = held[each.memory.id]
        share = sum(weight for term, weight in zip(terms, weights, strict=True) if term in words)
        text = share * float(length_weight(np.array([len(words)], np.float32))[0]) if share else None
        parts[each.memory.id] = Parts(_cosine(ask, each.vector), text)
    return {id: part for id, part in parts.items() if part != Parts(None, None)}


def _cosine(ask: Search, vector: Vector | None) -> float | None:
    return None if ask.vector is None or vector is None else float(np.dot(ask.vector, vector))


def _is_exact(hits: tuple[Hit, ...], expected: Mapping[str, Parts], ask: Search) -> None:
    scores = {id: fuse(parts, ask.vector_weight) for id, parts in expected.items()}
    best = sorted(scores.values(), reverse=True)[: ask.limit]
    # Scores and not ids are compared in order: rounding may swap two that are as good as equal.
    assert [hit.score for hit in hits] == [close(score) for score in best]
    for hit in hits:
        part = expected[hit.record.id]
        assert hit.score == close(scores[hit.record.id])
        assert hit.parts.text == (None if part.text is None else close(part.text))
        assert hit.parts.vector == (None if part.vector is None else close(part.vector))
    assert len({hit.record.id for hit in hits}) == len(hits)


@pytest.mark.soak
@pytest.mark.parametrize("seed", seeds(2, 20))
async def test_search_is_exact(store: Store, seed: int) -> None:
    """M12: recall is that of looking at everything, whatever the filters leave."""
    dice = random.Random(seed)
    samples = _samples(dice, 150)
    await save(store, *map(person, PEOPLE))
    await save(store, *(each.memory for each in samples))
    await embed(store, {each.memory.content: each.vector for each in samples if each.vector is not None})

    for _ in range(25):
        ask = _question(dice)
        found = await _found(store, ask)
        _is_exact(found.hits, _expected_parts(ask, samples), ask)


@pytest.mark.soak
@pytest.mark.parametrize("seed", seeds(2, 20))
async def test_search_stays_exact_through_changes_and_deletions(store: Store, seed: int) -> None:
    """M9, M12: what search keeps in memory follows what is written."""
    dice = random.Random(seed)
    samples = _samples(dice, 80)
    await save(store, *map(person, PEOPLE))
    await save(store, *(each.memory for each in samples))
    await embed(store, {each.memory.content: each.vector for each in samples if each.vector is not None})

    for number in range(40):
        changed = dice.randrange(len(samples))
        sample = samples.pop(changed)
        if dice.random() < 0.5:
            await store.apply(SCOPE, [Delete(Memory, sample.memory.id)])
        else:
            text = f"{' '.join(dice.choices(VOCABULARY, k=5))} x{number}"
            edited = revise(sample.memory, minute(20 + number), content=text)
            await store.apply(SCOPE, [Put(edited)])
            samples.append(Sample(edited, None))
        ask = _question(dice)
        _is_exact((await _found(store, ask)).hits, _expected_parts(ask, samples), ask)


async def test_a_message_in_a_hit_has_its_number(store: Store) -> None:
    await save(store, conversation(), message("a", "Nothing."), message("b", SEA))

    [hit] = (await _found(store, Search(text="sea"))).hits

    assert hit.record == await store.get(SCOPE, Message, "b")
    assert ids([hit.record]) == ["b"]
