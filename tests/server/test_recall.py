"""Recall over HTTP: with its reasons, with what was dropped, and with what was missed (R5, R12)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from everlore.domain.miss import Miss
from everlore.recall.answer import Step, WhyNotVerdict
from everlore.server.wire_recall import MissOut, WhyNot
from everlore.settings import StoreSettings
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.server.home import Home, home
from tests.sqlite import migrated

KEY = "Rex hid the silver key under the old mill"
# Whatever somebody may type into a box for questions.
ODD = {
    "empty": "",
    "blank": " \t\n ",
    "emoji": "🦊🔥" * 20,
    "operators": 'NEAR("a" AND b* OR -c) {x y} : ^ "unclosed',
    "quotes": "'; DROP TABLE memories; --",
    "nul": "Rex\x00key",
    "wildcards": "%_%* ? [a-z]",
    "marks": "?!…—«»",
    "combining": "e\u0301\u202e" * 50,
    "one word, very long": "x" * 99_999,
    "many words": "key " * 24_999,
}


@asynccontextmanager
async def at_home(folder: Path | None = None) -> AsyncIterator[Home]:
    store = await SqliteStore.open(migrated(folder / "lore.db"), StoreSettings(), clock=now) if folder else None
    async with home(provider="voice", store=store) as here:
        yield here


async def searched(here: Home, query: str, **fields: Any) -> dict[str, Any]:
    answer = await here.client.post("/api/memories/search", json={"query": query, **fields})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


# ── why ──────────────────────────────────────────────────────────────────────────────────────────


async def test_every_hit_says_why_and_what_its_score_is_made_of() -> None:
    """R5."""
    async with at_home() as here:
        memory = await here.lore.remember(KEY)
        await here.lore.settle()

        found = await searched(here, KEY)

        (hit,) = found["items"]
        assert hit["id"] == memory.id
        assert " of keywords match" in hit["why"]
        assert {"vector", "text"} <= set(hit["parts"])
        assert all(isinstance(part, float) for part in hit["parts"].values())
        assert (found["dropped"], found["steps"]) == ([], {}), "nobody asked"
        assert hit["doubtful"] is False


async def test_who_asks_is_given_what_is_doubtful_and_told_so() -> None:
    """R2b: nothing here says what was asked, and yet it is about somebody known."""
    async with at_home() as here:
        rex = await here.lore.characters.create(name="rex")
        memory = await here.lore.remember("The kettle is old.", person=rex)
        await here.lore.settle()

        found = await searched(here, "How does Rex usually spend his free time?")

        (hit,) = found["items"]
        assert (hit["id"], hit["doubtful"]) == (memory.id, True)
        assert hit["why"].endswith(" · Weak match")


async def test_what_was_dropped_is_named_with_the_step_that_dropped_it() -> None:
    """R5."""
    async with at_home() as here:
        best = await here.lore.remember(KEY)
        other = await here.lore.remember("Rex hid the golden spoon under the old bridge")
        await here.lore.settle()

        found = await searched(here, KEY, limit=1, explain=True)

        assert [hit["id"] for hit in found["items"]] == [best.id]
        (dropped,) = found["dropped"]
        assert (dropped["id"], dropped["kind"], dropped["content"]) == (other.id, "memory", other.content)
        assert dropped["step"] in set(Step)
        assert dropped["why"]
        assert dropped["score"] <= found["items"][0]["score"]
        assert dropped["parts"]
        assert found["steps"]
        assert all(took_ms >= 0 for took_ms in found["steps"].values())


async def test_why_not_names_the_place_of_what_is_brought_back() -> None:
    """R5."""
    async with at_home() as here:
        memory = await here.lore.remember(KEY)
        await here.lore.settle()

        answer = await here.client.post(f"/api/memories/{memory.id}/why-not", json={"query": KEY})

        verdict = answer.json()
        assert (answer.status_code, verdict["step"], verdict["place"]) == (200, None, 1)
        assert verdict["score"] > 0
        assert verdict["parts"]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"types": ["GOAL"]}, "This memory is of type FACT"),
        ({"include": ["messages"]}, "Memories were not searched"),
        ({"person_id": "stranger"}, "doesn't know it"),
        ({"as_of": "2001-01-01T00:00:00Z"}, "not known, or not true, on that date"),
    ],
)
async def test_why_not_names_the_step_that_drops_it(fields: dict[str, Any], says: str) -> None:
    """R5: out of the scope of the question."""
    async with at_home() as here:
        memory = await here.lore.remember(KEY)
        await here.lore.characters.create(name="Stranger", id="stranger")
        await here.lore.settle()

        answer = await here.client.post(f"/api/memories/{memory.id}/why-not", json={"query": KEY, **fields})

        verdict = answer.json()
        assert (verdict["step"], verdict["place"], verdict["score"]) == ("scope", None, None)
        assert says in verdict["why"]


def test_the_wire_knows_what_a_verdict_and_a_miss_are() -> None:
    assert set(WhyNot.model_fields) == set(WhyNotVerdict.__dataclass_fields__) - {"memory_id"}
    assert set(MissOut.model_fields) == set(Miss.__dataclass_fields__) - {"workspace"}


# ── missed ───────────────────────────────────────────────────────────────────────────────────────


async def test_messages_for_which_nothing_came_back_are_listed_the_latest_first() -> None:
    """R12."""
    async with at_home() as here:
        id = await here.talk()
        await here.say(id, "Which constellation did the astronomer prefer?")
        await here.say(id, "Hm?")
        await here.say(id, "Whereabouts is the upholsterer's warehouse " + "again " * 40)

        first = (await here.client.get("/api/memory-misses?limit=1")).json()
        rest = (await here.client.get("/api/memory-misses", params={"cursor": first["next"]})).json()

        (latest,), (earliest,) = first["items"], rest["items"]
        assert earliest["query"] == "Which constellation did the astronomer prefer?"
        assert latest["query"].startswith("Whereabouts is the upholsterer's")
        assert len(latest["query"]) == 100, "only its head is kept"
        assert (latest["conversation_id"], latest["embedder"]) == (id, here.lore.embedder and here.lore.embedder.name)
        assert rest["next"] is None


# ── refused ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("query", ODD.values(), ids=ODD)
async def test_no_question_is_too_odd(query: str, tmp_path: Path) -> None:
    """S-5: answered, or refused with a sentence; on a real database, whose words for search have a grammar."""
    async with at_home(tmp_path) as here:
        memory = await here.lore.remember(KEY)
        await here.lore.settle()

        for path in ("/api/memories/search", f"/api/memories/{memory.id}/why-not"):
            answer = await here.client.post(path, json={"query": query})

            assert answer.status_code in (200, 400), answer.text
            if answer.status_code == 400:
                assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "says"),
    [
        ("POST", "/api/memories/nope/why-not", {"query": "x"}, 404, "There is no Memory 'nope'"),
        ("POST", "/api/memories/{id}/why-not", {}, 422, "body.query"),
        ("POST", "/api/memories/{id}/why-not", {"query": "x" * 1_000_000}, 422, "body.query"),
        ("POST", "/api/memories/{id}/why-not", {"query": "x", "explain": True}, 422, "body.explain"),
        ("POST", "/api/memories/{id}/why-not", {"query": "x", "limit": 0}, 422, "body.limit"),
        ("POST", "/api/memories/{id}/why-not", {"query": "x", "person_id": "nobody"}, 404, "no person 'nobody'"),
        ("POST", "/api/memories/{id}/why-not", {"query": "x", "conversation_id": "no"}, 404, "no Conversation 'no'"),
        ("POST", "/api/memories/{id}/why-not", {"query": "x", "partner_id": "user"}, 400, "without a person"),
        ("POST", "/api/memories/search", {"query": "x", "explain": "perhaps"}, 422, "body.explain"),
        ("POST", "/api/memories/search", {"query": "x", "explain": True, "as_of": "soon"}, 422, "body.as_of"),
        ("GET", "/api/memory-misses?limit=0", None, 422, "query.limit"),
        ("GET", "/api/memory-misses?cursor=rubbish", None, 400, "cursor"),
    ],
)
async def test_what_cannot_be_is_explained(method: str, path: str, body: Any, status: int, says: str) -> None:
    async with at_home() as here:
        memory = await here.lore.remember(KEY)

        answer = await here.client.request(method, path.format(id=memory.id), json=body)

        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert says in answer.text
        assert len(answer.content) < 10_000


async def test_a_memory_of_another_workspace_is_not_there() -> None:
    """S-1: not even why it does not come back."""
    async with at_home() as here:
        elsewhere = here.lore.within("elsewhere")
        memory = await elsewhere.remember(KEY)

        answer = await here.client.post(f"/api/memories/{memory.id}/why-not", json={"query": KEY})
        found = await searched(here, KEY, explain=True)

        assert answer.status_code == 404
        assert (found["items"], found["dropped"]) == ([], [])
