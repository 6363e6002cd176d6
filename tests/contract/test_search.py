"""Search: two arms united, and harmless whatever is asked (M4, M14). Its filters are in `test_search_scope.py`, and how
exact it is in `test_search_exact.py`."""

import math
from dataclasses import replace

import numpy as np
import pytest

from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.records import Record
from everlore.domain.revision import revise
from everlore.domain.words import query_terms, terms_of
from everlore.errors import BadAsk
from everlore.store.answers import Coverage, Found, Parts
from everlore.store.port import Delete, Search, Store, Vector
from everlore.store.scoring import length_weight
from tests.contract.builders import (
    HILL,
    MODEL,
    SCOPE,
    SEA,
    axis,
    case,
    close,
    conversation,
    embed,
    entity,
    event,
    found_ids,
    memory,
    message,
    minute,
    person,
    save,
    summary,
)

# ── at once, and then better (M14) ───────────────────────────────────────────────────────────────


async def test_a_memory_is_found_by_its_words_before_it_is_embedded(store: Store) -> None:
    """M14: findable at once, and search says how much is embedded."""
    await save(store, memory("m", SEA))

    found = await store.search(SCOPE, Search(text="Who likes the sea?", vector=axis(0), model=MODEL))

    [hit] = found.hits
    assert (hit.kind, hit.record) == (PassageKind.MEMORY, memory("m", SEA))
    assert hit.parts.vector is None
    assert hit.score == hit.parts.text
    assert found.coverage == Coverage(passages=1, embedded=0)


async def test_a_memory_is_found_by_its_meaning_once_it_is_embedded(store: Store) -> None:
    """M14."""
    await save(store, memory("m", SEA))
    await embed(store, {SEA: axis(0)})

    found = await store.search(SCOPE, Search(vector=axis(0), model=MODEL))

    [hit] = found.hits
    assert hit.parts == Parts(vector=close(1), text=None)
    assert hit.score == close(0.5)
    assert found.coverage == Coverage(passages=1, embedded=1)


async def test_both_arms_are_united_and_every_part_is_filled_in(store: Store) -> None:
    """M14: a hit of one arm has its part of the other arm as well."""
    await save(store, memory("both", "sea hill"), memory("words", "sea"), memory("meaning", "cave"))
    await save(store, memory("neither", "desert"))
    await embed(store, {"sea hill": _slanted(0.8), "cave": _slanted(0.6), "desert": axis(2)})

    found = await store.search(SCOPE, Search(text="sea", vector=axis(0), model=MODEL, vector_weight=0.75))

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
        found = await store.search(SCOPE, ask)
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
    found = await store.search(SCOPE, Search(text="sea", vector=axis(0), model=MODEL))

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

    found = await store.search(SCOPE, Search(text="lighthouse"))

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

    found = await store.search(SCOPE, Search(text="lighthouse"))

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


async def test_a_search_without_kinds_finds_nothing(store: Store) -> None:
    """R11: it is no search of all kinds."""
    await save(store, memory("sea", SEA))
    await embed(store, {SEA: axis(0)})

    asks = [Search(text="sea"), Search(vector=axis(0), model=MODEL), Search(text="sea", refs=frozenset({"sea"}))]

    assert [await found_ids(store, each) for each in asks] == [["sea"]] * 3
    assert [await found_ids(store, replace(each, kinds=frozenset())) for each in asks] == [[]] * 3


# ── order and limits ─────────────────────────────────────────────────────────────────────────────


async def test_a_rare_word_counts_more_than_a_common_one(store: Store) -> None:
    await save(store, *(memory(f"c{number}", "Ada sails.") for number in range(5)))
    await save(store, memory("rare", "Dragons fly."))

    assert (await found_ids(store, "Ada dragons"))[0] == "rare"


async def test_a_long_passage_scores_a_little_less(store: Store) -> None:
    long = "The sea " + " ".join(f"word{number}" for number in range(40))
    await save(store, memory("short", "The sea is calm."), memory("long", long))

    found = await store.search(SCOPE, Search(text="sea"))

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

    found = await store.search(SCOPE, Search(text="sea sea"))

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

    [hit] = (await store.search(SCOPE, Search(text="sea", vector=axis(0), model=MODEL))).hits

    assert hit.parts.vector == close(-1)
    assert hit.score == close(0.5)


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
async def test_the_weight_divides_the_score_between_the_arms(store: Store, weight: float) -> None:
    await save(store, memory("m", SEA))
    await embed(store, {SEA: _slanted(0.8)})

    [hit] = (await store.search(SCOPE, Search(text="sea", vector=axis(0), model=MODEL, vector_weight=weight))).hits

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
