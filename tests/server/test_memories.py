"""Memories over HTTP: made, found, changed, traced to their messages, and judged by people (M5, M6, M10, M11)."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest

from everlore.domain.memory import Memory, Origin
from everlore.domain.passage import PassageKind
from everlore.domain.policy import Role
from everlore.server.wire_memories import MadeBy, MemoryOut
from everlore.server.wire_recall import KIND_OF, Included
from everlore.services.idempotency import IdempotencyKey
from everlore.settings import StoreSettings
from everlore.store.port import Store
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.postgres import Server
from tests.server.home import Home, home
from tests.server.test_live import listening, until
from tests.sqlite import migrated


def at_home() -> Any:
    """No model at all: the built-in voice answers, and rules learn."""
    return home(provider="voice")


async def _made(here: Home, content: str = "The user is allergic to peanuts", **fields: Any) -> dict[str, Any]:
    """A memory that is new, as it can be read from then on."""
    answer = await here.client.post("/api/memories", json={"content": content, **fields})
    assert answer.status_code == 201, answer.text
    memory: dict[str, Any] = answer.json()
    assert (memory.pop("outcome"), memory.pop("against")) == ("formed", [])
    return memory


async def _learnt(here: Home, said: str = "I live in Seattle.", **config: Any) -> tuple[str, dict[str, Any]]:
    """A conversation, and the one memory that was formed of what was said in it."""
    id = await here.talk(config=config)
    await here.say(id, said)
    await here.lore.settle()
    (memory,) = (await here.client.get("/api/memories", params={"conversation_id": id})).json()["items"]
    return id, memory


# ── kept ─────────────────────────────────────────────────────────────────────────────────────────


async def test_a_memory_is_made_read_changed_and_deleted() -> None:
    async with at_home() as here:
        made = await _made(here, importance=9, type="PREFERENCE", category="preference", tags=["food"])
        path = f"/api/memories/{made['id']}"
        changed = (await here.client.patch(path, json={"importance": 10, "category": None, "tags": None})).json()
        read = (await here.client.get(path)).json()
        gone = await here.client.delete(path)

        assert (made["type"], made["category"], made["status"], made["origin"]) == (
            "PREFERENCE",
            "preference",
            "active",
            "user",
        )
        assert made["persons"] == ["user"], "where nobody is named, it is the user's"
        assert (changed["importance"], changed["category"], changed["tags"]) == (10, None, ["food"])
        assert (changed["revision"], changed["edited_by_person"]) == (2, True)
        assert read == changed
        assert gone.status_code == 204
        assert (await here.client.get(path)).status_code == 404


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def kept_in(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """Either database, empty."""
    if request.param == "sqlite":
        yield await SqliteStore.open(migrated(tmp_path / "lore.db"), StoreSettings(), clock=now)
        return
    from everlore.store.postgres.store import PostgresStore

    server: Server = request.getfixturevalue("postgres")
    async with server.emptied_database() as url:
        yield await PostgresStore.open(url, StoreSettings(), clock=now)


async def test_what_is_known_is_counted_and_what_contradicts_it_is_settled(kept_in: Store) -> None:
    """M7, M8: the answer says which memory it is, and what became of it."""
    async with home(provider="voice", store=kept_in) as here:
        nova = await here.character("Nova")

        async def say(content: str, **fields: Any) -> dict[str, Any]:
            answer = await here.client.post("/api/memories", json={"content": content, "person_id": nova, **fields})
            assert answer.status_code == 201, answer.text
            memory: dict[str, Any] = answer.json()
            return memory

        first, same, again = [await say("Pim lives in Seattle") for _ in range(3)]
        waits, moved = await say("Pim lives in Portland"), await say("Pim has moved to Bonn")
        forced = await say("Pim lives in Seattle", force=True)
        seattle = (await here.client.get(f"/api/memories/{first['id']}")).json()

        told = [each["outcome"] for each in (first, same, again, waits, moved, forced)]
        assert told == ["formed", "reinforced", "reinforced", "pending", "superseded", "formed"]
        assert (again["id"], again["reinforcement_count"]) == (first["id"], 2)
        assert (waits["status"], waits["against"], moved["against"]) == ("pending", [first["id"]], [first["id"]])
        assert (seattle["status"], seattle["superseded_by"]) == ("superseded", moved["id"])
        assert seattle["valid_to"] == moved["valid_from"] is not None


async def test_what_is_typed_wins_over_what_was_learnt() -> None:
    """M8, M11: and what is learnt later does not overrule it."""
    async with at_home() as here:
        id, learnt = await _learnt(here, "I live in Seattle.")
        nova = next(each for each in learnt["persons"] if each != "user")
        typed = {"content": "User lives in Portland", "person_id": nova, "partner_id": "user"}

        made = (await here.client.post("/api/memories", json=typed)).json()
        await here.say(id, "I live in Boston.")
        await here.lore.settle()
        items = (await here.client.get("/api/memories")).json()["items"]

        assert (made["outcome"], made["against"]) == ("superseded", [learnt["id"]])
        assert {each["content"]: each["status"] for each in items} == {
            "User lives in Seattle": "superseded",
            "User lives in Portland": "active",
            "User lives in Boston": "pending",
        }


async def test_a_change_of_nothing_leaves_no_revision() -> None:
    async with at_home() as here:
        made = await _made(here)

        same = await here.client.patch(f"/api/memories/{made['id']}", json={"content": None, "note": "Never mind"})

        assert same.json() == made


async def test_a_pair_shares_a_memory() -> None:
    """M4: whoever is named first."""
    async with at_home() as here:
        mike, don = await here.character("Mike"), await here.character("Don")
        made = await _made(here, "They met in Oslo", person_id=don, partner_id=mike)

        of_mike = (await here.client.get("/api/memories", params={"person_id": mike})).json()["items"]

        assert made["persons"] == sorted([mike, don])
        assert of_mike == [made]


async def test_the_list_is_filtered_and_goes_on_page_by_page() -> None:
    async with at_home() as here:
        for number in range(5):
            await _made(here, f"Rex barked {number} times", type="FACT" if number % 2 else "EVENT")
        await _made(here, "Mira likes tea", type="PREFERENCE", category="preference")

        first = (await here.client.get("/api/memories?limit=4")).json()
        rest = (await here.client.get("/api/memories", params={"limit": 4, "cursor": first["next"]})).json()
        both = (await here.client.get("/api/memories?type=EVENT&type=PREFERENCE")).json()["items"]
        one = (await here.client.get("/api/memories?category=preference&origin=user&status=active")).json()["items"]
        none = (await here.client.get("/api/memories?status=pending")).json()

        assert [each["content"] for each in (*first["items"], *rest["items"])] == [
            "Mira likes tea",
            *(f"Rex barked {number} times" for number in (4, 3, 2, 1, 0)),
        ]
        assert rest["next"] is None
        assert {each["type"] for each in both} == {"EVENT", "PREFERENCE"}
        assert len(both) == 4
        assert [each["content"] for each in one] == ["Mira likes tea"]
        assert none == {"items": [], "next": None, "total": 0}


async def test_the_list_is_narrowed_to_a_pair_a_campaign_and_a_time_and_counted() -> None:
    """M3, U5: what is made from then on, and before; a total only where it is known."""
    async with at_home() as here:
        nova, rex = [await here.character(name) for name in ("Nova", "Rex")]
        game = (await here.client.post("/api/campaigns", json={"name": "The Silent Bell"})).json()["id"]
        await _made(here, "The user likes tea", person_id=nova)
        pair = await _made(here, "Nova and Rex share a boat", person_id=nova, partner_id=rex)
        canon = await here.client.post(f"/api/campaigns/{game}/memories", json={"content": "The bell is cracked"})
        assert canon.status_code == 201, canon.text

        async def asked(**query: Any) -> tuple[list[str], int | None]:
            found = (await here.client.get("/api/memories", params=query)).json()
            return [each["content"] for each in found["items"]], found["total"]

        assert await asked(person_id=nova, partner_id=rex) == (["Nova and Rex share a boat"], None)
        assert await asked(campaign_id=game) == (["The bell is cracked"], 1)
        assert (await asked(since=pair["created_at"]))[0] == ["The bell is cracked", "Nova and Rex share a boat"]
        assert (await asked(until=pair["created_at"]))[0] == ["The user likes tea"]
        assert (await asked(limit="1"))[1] == 3
        alone = await here.client.get("/api/memories", params={"partner_id": rex})
        assert (alone.status_code, "needs" in alone.text or "without a person_id" in alone.text) == (400, True)


async def test_what_is_withdrawn_is_gone_at_once_and_can_be_taken_back() -> None:
    """M6, M10: neither recalled nor listed; who did it stands in its history."""
    async with at_home() as here:
        path = f"/api/memories/{(await _made(here))['id']}"

        async def found() -> tuple[int, int]:
            hits = await here.client.post("/api/memories/search", json={"query": "peanuts"})
            listed = await here.client.get("/api/memories")
            return len(hits.json()["items"]), len(listed.json()["items"])

        assert await found() == (1, 1)
        withdrawn = (await here.client.post(f"{path}/withdraw")).json()
        assert (withdrawn["status"], await found()) == ("deleted", (0, 0))
        assert (await here.client.post(f"{path}/withdraw")).status_code == 409
        restored = (await here.client.post(f"{path}/restore")).json()
        assert (restored["status"], await found()) == ("active", (1, 1))
        history = (await here.client.get(f"{path}/history")).json()["items"]
        assert [each["why"] for each in history] == ["withdrawal", "edit"]


async def test_memories_that_say_the_same_are_merged_into_one() -> None:
    """M6: with the sources of all; the others are closed and point to it. Only of the same persons."""
    async with at_home() as here:
        nova = await here.character("Nova")
        kept = await _made(here, "The user likes tea", importance=4, tags=["a"])
        other = await _made(here, "Green leaves in hot water please the user", importance=7, tags=["b"])
        foreign = await _made(here, "Nova likes rain", person_id=nova)
        path = f"/api/memories/{kept['id']}"

        merge = {"other_ids": [other["id"]], "content": "The user likes green tea"}
        one = (await here.client.post(f"{path}/merge", json=merge)).json()
        closed = (await here.client.get(f"/api/memories/{other['id']}")).json()
        links = (await here.client.get(f"{path}/links")).json()["items"]
        refused = await here.client.post(f"{path}/merge", json={"other_ids": [foreign["id"]]})
        itself = await here.client.post(f"{path}/merge", json={"other_ids": [kept["id"]]})

        assert (one["id"], one["content"], one["importance"]) == (kept["id"], "The user likes green tea", 7)
        assert one["tags"] == ["a", "b"]
        assert (closed["status"], closed["superseded_by"]) == ("superseded", kept["id"])
        assert closed["extra"]["merged"] is True
        restored = (await here.client.post(f"/api/memories/{other['id']}/restore")).json()
        assert (restored["status"], "merged" in restored["extra"]) == ("active", False)
        assert [(each["kind"], each["linked"]["id"]) for each in links] == [("supersedes", other["id"])]
        assert (await here.client.get(f"{path}/history")).json()["items"][-1]["why"] == "merge"
        assert (refused.status_code, itself.status_code) == (400, 400)
        assert "other people" in refused.text


async def test_a_merge_is_proposed_as_one_statement_and_saves_nothing() -> None:
    """M6: without a model the statements are joined."""
    async with at_home() as here:
        texts = ("The user likes tea", "The user lives in Porto")
        ids = [(await _made(here, each))["id"] for each in texts]

        proposal = (await here.client.post("/api/memories/merge-proposal", json={"ids": ids})).json()
        alone = await here.client.post("/api/memories/merge-proposal", json={"ids": ids[:1]})
        unknown = await here.client.post("/api/memories/merge-proposal", json={"ids": [*ids, "nowhere"]})
        kept = (await here.client.get("/api/memories")).json()["items"]

    assert proposal == {"content": "The user likes tea and lives in Porto", "model": None}
    assert (alone.status_code, unknown.status_code) == (422, 404)
    assert {each["content"] for each in kept} == set(texts)


async def test_everything_about_the_caller_is_counted_and_then_deleted() -> None:
    """M9: whatever its status; only as many as were confirmed; others keep theirs; the audit log says so."""
    async with at_home() as here:
        nova = await here.character("Nova")
        await here.client.get("/api/me")
        mine = [await _made(here, each, person_id="user") for each in ("The user likes tea", "The user lives in Porto")]
        shared = await _made(here, "Nova and the user sail", person_id="user", partner_id=nova)
        hers = await _made(here, "Nova likes rain", person_id=nova)
        await here.client.post(f"/api/memories/{mine[0]['id']}/withdraw")
        path = "/api/memories/about-me"

        counted = (await here.client.delete(path, params={"dry_run": "true"})).json()
        exported = (await here.client.get(path)).json()
        unconfirmed = await here.client.delete(path)
        outdated = await here.client.delete(path, params={"expected": 2})
        before = [(await here.client.get(f"/api/memories/{each['id']}")).status_code for each in (*mine, shared)]
        deleted = await here.client.delete(path, params={"expected": 3})
        after = [(await here.client.get(f"/api/memories/{each['id']}")).status_code for each in (*mine, shared, hers)]
        audited = (await here.client.get(f"/api/audit?ref={shared['id']}")).json()["items"]

    assert counted == {"dry_run": True, "total": 3, "by_status": {"active": 2, "deleted": 1}}
    assert {each["id"] for each in exported["items"]} == {each["id"] for each in (*mine, shared)}
    assert (unconfirmed.status_code, outdated.status_code, before) == (400, 409, [200, 200, 200])
    assert (deleted.status_code, deleted.json()["total"]) == (200, 3)
    assert after == [404, 404, 404, 200]
    assert audited[0]["verb"] == "deleted"


async def test_a_statement_is_shown_to_the_one_it_is_about() -> None:
    """The owner reads "You live in Seattle"; the stored words, and statements about others, stay as they are."""
    async with at_home() as here:
        _, learned = await _learnt(here)
        nova = (await here.client.post("/api/characters", json={"name": "Nova"})).json()["id"]
        about_nova = await _made(here, "Nova lives in Oslo", person_id=nova)
        whole = await _made(here, "The user owns a cat. Emma is User's sister.")
        hits = (await here.client.post("/api/memories/search", json={"query": "Who lives in Seattle?"})).json()["items"]

    assert (learned["content"], learned["shown"]) == ("User lives in Seattle", "You live in Seattle")
    assert about_nova["shown"] == "Nova lives in Oslo"
    assert whole["shown"] == "You own a cat. Emma is your sister."
    assert "You live in Seattle" in [hit["memory"]["shown"] for hit in hits if hit["memory"]]


def test_the_wire_knows_what_a_memory_is() -> None:
    """A field, an origin or a kind of passage that is added reaches the API too."""
    assert set(MemoryOut.model_fields) - {"shown"} == set(Memory.__dataclass_fields__) - {"workspace"}
    assert list(get_args(MadeBy)) == [each.value for each in Origin]
    assert set(KIND_OF) == set(Included)
    assert set(KIND_OF.values()) == set(PassageKind)


# ── traced ───────────────────────────────────────────────────────────────────────────────────────


async def test_a_memory_leads_to_its_message_and_a_message_to_its_memories() -> None:
    """M5."""
    async with at_home() as here:
        id, memory = await _learnt(here)
        messages = await here.messages(id)
        said, reply = messages

        source = (await here.client.get(f"/api/memories/{memory['id']}/source")).json()
        formed = (await here.client.get(f"/api/conversations/{id}/messages/{said['id']}/memories")).json()
        of_reply = (await here.client.get(f"/api/conversations/{id}/messages/{reply['id']}/memories")).json()
        filtered = (await here.client.get("/api/memories", params={"message_id": said["id"]})).json()

        assert (memory["content"], memory["origin"]) == ("User lives in Seattle", "extractor")
        assert source == {"items": [said], "next": None}
        assert formed == filtered == {"items": [memory], "next": None, "total": 1}
        assert of_reply["items"] == []


async def test_history_says_who_changed_it_when_and_why_and_what_was_there_before() -> None:
    """M6."""
    async with at_home() as here:
        made = await _made(here, "The user lives in Seattle")
        path = f"/api/memories/{made['id']}"
        changed = await here.client.patch(path, json={"content": "The user lives in Portland", "note": "They moved"})

        (before,) = (await here.client.get(f"{path}/history")).json()["items"]

        assert (before["number"], before["by"], before["why"], before["note"]) == (1, "user", "edit", "They moved")
        assert before["content"] == "The user lives in Seattle"
        assert before["before"] == made
        assert (before["since"], before["until"]) == (made["created_at"], changed.json()["updated_at"])


async def test_what_was_forgotten_has_neither_history_nor_source() -> None:
    """M9."""
    async with at_home() as here:
        path = f"/api/memories/{(await _made(here))['id']}"
        await here.client.delete(path)

        for below in ("", "/history", "/source", "/links"):
            assert (await here.client.get(path + below)).status_code == 404, below


# ── judged ───────────────────────────────────────────────────────────────────────────────────────


async def _found(here: Home, query: str, **fields: Any) -> list[str]:
    answer = await here.client.post("/api/memories/search", json={"query": query, **fields})
    assert answer.status_code == 200, answer.text
    return [hit["content"] for hit in answer.json()["items"]]


async def test_a_memory_that_waits_is_recalled_once_it_is_approved() -> None:
    """M10."""
    async with at_home() as here:
        _, memory = await _learnt(here, review_memories=True)
        path = f"/api/memories/{memory['id']}"

        before = await _found(here, "Where does the user live?")
        approved = await here.client.post(f"{path}/approve")
        after = await _found(here, "Where does the user live?")
        again = await here.client.post(f"{path}/approve")

        assert (memory["status"], before) == ("pending", [])
        assert (approved.status_code, approved.json()["status"]) == (200, "active")
        assert after == ["User lives in Seattle"]
        assert again.status_code == 409
        assert "only a memory that is pending can be approved" in again.json()["detail"]


async def test_a_rejected_memory_is_not_recalled_and_not_formed_again() -> None:
    """M10, M11."""
    async with at_home() as here:
        id, memory = await _learnt(here)
        path = f"/api/memories/{memory['id']}"

        rejected = await here.client.post(f"{path}/reject", json={"note": "A joke"})
        again = await here.client.post(f"/api/conversations/{id}/extract?again=true&wait=true")
        twice = await here.client.post(f"{path}/reject")

        assert rejected.json()["status"] == "rejected"
        assert again.json()["formed"] == []
        assert await _found(here, "Where does the user live?") == []
        assert (await here.client.get(f"{path}/history")).json()["items"][0]["note"] == "A joke"
        assert twice.status_code == 409


async def test_a_correction_takes_the_place_of_what_is_wrong_and_wins() -> None:
    """M11."""
    async with at_home() as here:
        id, wrong = await _learnt(here)
        path = f"/api/memories/{wrong['id']}"

        right = (await here.client.post(f"{path}/correct", json={"content": "User lives in Spokane"})).json()
        await here.client.post(f"/api/conversations/{id}/extract?again=true&wait=true")

        closed = (await here.client.get(path)).json()
        (link,) = (await here.client.get(f"{path}/links")).json()["items"]
        assert (right["content"], right["origin"], right["status"]) == ("User lives in Spokane", "user", "active")
        assert (closed["status"], closed["superseded_by"]) == ("rejected", right["id"])
        assert await _found(here, "Where does the user live?") == ["User lives in Spokane"]
        assert (link["kind"], link["memory_id"], link["other_id"]) == ("corrects", right["id"], wrong["id"])
        assert link["linked"] == right


async def test_a_correction_without_a_text_says_that_it_is_wrong() -> None:
    """M11."""
    async with at_home() as here:
        _, memory = await _learnt(here)

        plain = await here.client.post(f"/api/memories/{memory['id']}/correct")

        assert (plain.status_code, plain.json()["id"], plain.json()["status"]) == (200, memory["id"], "rejected")


async def test_what_was_closed_can_be_brought_back() -> None:
    """M10."""
    async with at_home() as here:
        _, memory = await _learnt(here)
        path = f"/api/memories/{memory['id']}"
        await here.client.post(f"{path}/reject")

        restored = await here.client.post(f"{path}/restore", json={"note": "It was true"})
        twice = await here.client.post(f"{path}/restore")

        assert (restored.json()["status"], restored.json()["valid_to"]) == ("active", None)
        assert await _found(here, "Where does the user live?") == ["User lives in Seattle"]
        assert twice.status_code == 409


async def test_a_deleted_conversation_takes_what_was_learnt_along_unless_it_is_to_stay() -> None:
    """M9, M15."""
    async with at_home() as here:
        one, lost = await _learnt(here, "I live in Seattle.")
        two, kept = await _learnt(here, "I have a brother named Tom.")

        await here.client.delete(f"/api/conversations/{one}")
        await here.client.delete(f"/api/conversations/{two}?keep_memories=true")

        assert (await here.client.get(f"/api/memories/{lost['id']}")).status_code == 404
        stays = (await here.client.get(f"/api/memories/{kept['id']}")).json()
        assert (stays["content"], stays["conversation_id"]) == ("User has a brother named Tom", None)
        assert stays["source_message_ids"] == []


async def test_what_rests_on_a_conversation_is_said_before_it_is_deleted() -> None:
    """M9, M11, M15: what a person corrected is counted apart, and goes too unless it is to stay."""
    async with at_home() as here:
        one, wrong = await _learnt(here, "I live in Seattle.")
        right = (
            await here.client.post(f"/api/memories/{wrong['id']}/correct", json={"content": "User lives in Rome"})
        ).json()

        resting = (await here.client.get(f"/api/conversations/{one}/resting")).json()
        await here.client.delete(f"/api/conversations/{one}")

        assert resting == {"memories": 1, "by_hand": 1}
        for each in (wrong, right):
            assert (await here.client.get(f"/api/memories/{each['id']}")).status_code == 404


async def test_what_was_withdrawn_is_listed_only_for_who_asks_and_goes_with_its_message() -> None:
    """M9, M10, M15."""
    async with at_home() as here:
        id, memory = await _learnt(here)
        said = (await here.client.get(f"/api/conversations/{id}/messages")).json()["items"][-2]
        path = f"/api/conversations/{id}/messages/{said['id']}"
        await here.client.patch(path, json={"content": "Never mind."})
        listed = (await here.client.get("/api/memories?person_id=user")).json()["items"]
        withdrawn = (await here.client.get("/api/memories?person_id=user&status=deleted")).json()["items"]

        await here.client.delete(path)

        assert listed == []
        assert memory["id"] in [each["id"] for each in withdrawn]
        assert (await here.client.get("/api/memories?status=deleted")).json()["items"] == []
        assert (await here.client.get(f"/api/memories/{memory['id']}")).status_code == 404


async def test_a_memory_that_a_job_forms_is_heard_on_the_socket() -> None:
    """F1, V7: the server's own worker tells of what it learns."""
    async with at_home() as here, listening(here) as socket:
        id = await here.talk()
        await here.say(id, "I live in Seattle.")

        heard = await until(socket, "memory.created")
        (created,) = [each for each in heard if each["type"] == "memory.created"]
        memory = (await here.client.get(f"/api/memories/{created['memory_id']}")).json()
        await here.client.post(f"/api/memories/{memory['id']}/reject")
        updated = (await until(socket, "memory.updated"))[-1]
        await here.client.delete(f"/api/memories/{memory['id']}")
        deleted = (await until(socket, "memory.deleted"))[-1]

        assert (created["conversation_id"], created["memory"]) == (id, memory)
        assert {each["kind"] for each in heard if each["type"] == "job.started"} >= {"facts"}
        assert (updated["memory_id"], updated["memory"]["status"]) == (memory["id"], "rejected")
        assert deleted["memory_id"] == memory["id"]


# ── searched ─────────────────────────────────────────────────────────────────────────────────────


async def test_a_search_says_what_a_score_is_made_of_and_how_much_is_indexed() -> None:
    async with at_home() as here:
        made = await _made(here)
        await here.lore.settle()

        found = (await here.client.post("/api/memories/search", json={"query": "peanuts"})).json()

        (hit,) = found["items"]
        assert (hit["kind"], hit["id"], hit["type"], hit["memory"]) == ("memory", made["id"], "FACT", made)
        assert 0 < hit["score"] <= 1
        assert hit["parts"]["text"] > 0
        assert hit["parts"]["vector"] is not None
        assert found["coverage"] == {"passages": 1, "embedded": 1, "share": 1.0}


async def test_a_search_is_narrowed_by_whom_what_when_and_where() -> None:
    """M6, M7."""
    async with at_home() as here:
        mike = await here.character("Mike")
        await _made(here, "Rex is the dog of Mike", person_id=mike)
        before = datetime.now(UTC).isoformat()
        await _made(here, "Rex likes bones", type="PREFERENCE")
        id = await here.talk()
        await here.say(id, "Rex sleeps on the sofa, says my neighbour.", reply=False)

        assert await _found(here, "Rex", person_id=mike) == ["Rex is the dog of Mike"]
        assert await _found(here, "Rex", types=["PREFERENCE"]) == ["Rex likes bones"]
        assert await _found(here, "Rex", as_of=before) == ["Rex is the dog of Mike"]
        assert len(await _found(here, "Rex", limit=1)) == 1
        assert await _found(here, "Rex", include=["messages"], conversation_id=id) == [
            "Rex sleeps on the sofa, says my neighbour."
        ]
        assert await _found(here, "Rex", min_similarity=1.0, types=["GOAL"]) == []


# ── refused ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "says"),
    [
        ("GET", "/nope", None, 404, "There is no Memory 'nope'"),
        ("PATCH", "/nope", {"importance": 3}, 404, "There is no Memory 'nope'"),
        ("DELETE", "/nope", None, 404, "There is no Memory 'nope'"),
        ("POST", "/nope/approve", None, 404, "There is no Memory 'nope'"),
        ("POST", "/nope/reject", {"note": "x"}, 404, "There is no Memory 'nope'"),
        ("POST", "/nope/correct", {"content": "x"}, 404, "There is no Memory 'nope'"),
        ("POST", "/nope/restore", None, 404, "There is no Memory 'nope'"),
        ("POST", "", {"content": ""}, 422, "body.content"),
        ("POST", "", {"content": "   "}, 400, "empty"),
        ("POST", "", {"content": "a\x00b"}, 400, "NUL"),
        ("POST", "", {"content": "x", "type": "RUMOUR"}, 422, "body.type"),
        ("POST", "", {"content": "x", "importance": 11}, 422, "body.importance"),
        ("POST", "", {"content": "x", "imprtance": 3}, 422, "body.imprtance"),
        ("POST", "", {"content": "x", "person_id": "nobody"}, 404, "There is no Person 'nobody'"),
        ("POST", "", {"content": "x", "partner_id": "user"}, 400, "without a person_id"),
        ("POST", "", {"content": "x", "conversation_id": "nowhere"}, 404, "There is no Conversation 'nowhere'"),
        ("POST", "", {"content": "x", "valid_from": "2024-05-31T20:00:00"}, 422, "body.valid_from"),
        ("GET", "?status=sleepy", None, 422, "query.status"),
        ("GET", "?type=fact", None, 422, "query.type"),
        ("GET", "?origin=dream", None, 422, "query.origin"),
        ("GET", "?limit=0", None, 422, "query.limit"),
        ("GET", "?limit=501", None, 422, "query.limit"),
        ("GET", "?cursor=rubbish", None, 400, "cursor"),
        ("GET", "?person_id=nobody", None, 404, "There is no Person 'nobody'"),
        ("GET", "?conversation_id=nowhere", None, 404, "There is no Conversation 'nowhere'"),
        ("GET", "?message_id=nothing", None, 404, "There is no Message 'nothing'"),
        ("POST", "/search", {}, 422, "body.query"),
        ("POST", "/search", {"query": "x", "include": ["dreams"]}, 422, "body.include"),
        ("POST", "/search", {"query": "x", "include": []}, 422, "body.include"),
        ("POST", "/search", {"query": "x", "limit": 501}, 422, "body.limit"),
        ("POST", "/search", {"query": "x", "min_similarity": 2}, 422, "body.min_similarity"),
        ("POST", "/search", {"query": "x", "person_id": "nobody"}, 404, "There is no person 'nobody'"),
        ("POST", "/search", {"query": "x", "partner_id": "user"}, 400, "partner was named without a person"),
        ("POST", "/search", {"query": "x", "conversation_id": "nowhere"}, 404, "There is no Conversation 'nowhere'"),
    ],
)
async def test_what_cannot_be_is_explained(method: str, path: str, body: Any, status: int, says: str) -> None:
    async with at_home() as here:
        await here.lore.user()

        answer = await here.client.request(method, f"/api/memories{path}", json=body)

        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert says in answer.text


@pytest.mark.parametrize(
    ("method", "path", "field"),
    [
        ("POST", "/api/memories", "content"),
        ("PATCH", "/api/memories/{id}", "content"),
        ("PATCH", "/api/memories/{id}", "note"),
        ("POST", "/api/memories/{id}/reject", "note"),
        ("POST", "/api/memories/{id}/correct", "content"),
        ("POST", "/api/memories/search", "query"),
    ],
)
async def test_a_megabyte_of_text_is_refused_and_changes_nothing(method: str, path: str, field: str) -> None:
    """S-5."""
    async with at_home() as here:
        made = await _made(here)

        answer = await here.client.request(method, path.format(id=made["id"]), json={field: "x" * 1_000_000})

        assert answer.status_code == 422
        assert f"body.{field}" in answer.text
        assert len(answer.content) < 10_000
        assert (await here.client.get("/api/memories")).json()["items"] == [made]


async def test_a_message_of_another_conversation_is_not_found_in_this_one() -> None:
    async with at_home() as here:
        one, two = await here.talk(), await here.talk()
        await here.say(one, "I live in Seattle.")
        message = (await here.messages(one))[0]["id"]

        elsewhere = await here.client.get(f"/api/conversations/{two}/messages/{message}/memories")

        assert elsewhere.status_code == 404


async def test_what_belongs_to_nobody_is_counted_and_removed() -> None:
    """M9: a dry run removes nothing, and what is valid stays."""
    async with home() as here:
        kept = await here.lore.remember("Rex barks")
        await here.lore.remember("Vera is lost", persons=())

        dry = await here.client.delete("/api/memories/cleanup?dry_run=true")
        still = await here.client.delete("/api/memories/cleanup?dry_run=true")
        done = await here.client.delete("/api/memories/cleanup")
        after = await here.client.delete("/api/memories/cleanup")

        assert dry.json() == still.json()
        assert (dry.json()["dry_run"], dry.json()["memories_without_person"]) == (True, 1)
        assert (done.json()["dry_run"], done.json()["memories_without_person"]) == (False, 1)
        assert after.json()["total"] == 0
        assert [each["id"] for each in (await here.client.get("/api/memories")).json()["items"]] == [kept.id]


# ── a request that is sent twice ─────────────────────────────────────────────────────────────────


async def _posted(here: Home, key: str | None, content: str = "Ann lives in Oslo", **fields: Any) -> httpx.Response:
    headers = {} if key is None else {"Idempotency-Key": key}
    return await here.client.post("/api/memories", json={"content": content, **fields}, headers=headers)


async def test_a_retry_with_the_same_key_changes_nothing_and_gets_the_same_answer(kept_in: Store) -> None:
    """M8: also after a restart, in which the store is all that is left."""
    async with home(store=kept_in) as here:
        first = await _posted(here, "key-1")
        again = [await _posted(here, "key-1") for _ in range(3)]
        at_once = await asyncio.gather(*(_posted(here, "key-2", "Ann keeps bees") for _ in range(4)))
        listed = (await here.client.get("/api/memories")).json()["items"]
        without_key = await _posted(here, None)

    assert [first.status_code, *(each.status_code for each in again)] == [201] * 4
    assert all(each.json() == first.json() for each in again)
    assert first.json()["outcome"] == "formed"
    assert all(each.json() == at_once[0].json() for each in at_once)
    assert len(listed) == 2
    assert (without_key.json()["outcome"], without_key.json()["reinforcement_count"]) == ("reinforced", 1)


async def test_a_key_is_for_one_request_of_one_caller() -> None:
    """M8, C4."""
    async with home() as here:
        await _posted(here, "key-1")
        other = await _posted(here, "key-1", "Ann lives in Bergen")
        more = await _posted(here, "key-1", importance=9)
        bad = [await _posted(here, key) for key in ("", "x" * 256)]
        next_one = await _posted(here, "key-2", "Ann lives in Bergen")
        member = here.lore.seen_by(replace(here.lore.scope, role=Role.MEMBER, person_id=(await here.lore.user()).id))
        theirs = await member.keep(["Mila lives in Ghent"], request=IdempotencyKey("key-1", "another body"))

    assert (other.status_code, more.status_code) == (409, 409)
    assert "another request" in other.text
    assert [each.status_code for each in bad] == [400, 400]
    assert next_one.status_code == 201
    assert theirs[0].memory.content == "Mila lives in Ghent"


async def test_a_retry_does_not_bring_back_what_was_forgotten_meanwhile() -> None:
    """M9."""
    async with home() as here:
        made = (await _posted(here, "key-1")).json()
        await here.client.delete(f"/api/memories/{made['id']}")
        again = await _posted(here, "key-1")
        left = (await here.client.get("/api/memories")).json()["items"]

    assert again.status_code == 409
    assert "another Idempotency-Key" in again.text
    assert left == []


# ── a decision that is taken back ────────────────────────────────────────────────────────────────


async def _waiting(here: Home, content: str = "Ann lives in Bergen") -> tuple[str, str]:
    """One that is known, and one that contradicts it and waits."""
    known = await _made(here, "Ann lives in Oslo")
    waits = (await here.client.post("/api/memories", json={"content": content})).json()
    assert waits["outcome"] == "pending"
    return known["id"], waits["id"]


async def _statuses(here: Home, *ids: str) -> list[str]:
    return [(await here.client.get(f"/api/memories/{id}")).json()["status"] for id in ids]


@pytest.mark.parametrize("decision", ["approve", "reject"])
async def test_a_decision_is_taken_back_on_the_server(kept_in: Store, decision: str) -> None:
    """M10: by whoever comes later, also from another page; what the approval closed holds again."""
    async with home(store=kept_in, provider="voice") as here:
        known, waits = await _waiting(here)
        before = (await here.client.get(f"/api/memories/{known}")).json()

        await here.client.post(f"/api/memories/{waits}/{decision}")
        decided = await _statuses(here, known, waits)
        undone = await here.client.post(f"/api/memories/{waits}/undo")
        after = (await here.client.get(f"/api/memories/{known}")).json()
        again = await here.client.post(f"/api/memories/{waits}/undo")
        found = await _found(here, "Where does Ann live?")
        await here.client.post(f"/api/memories/{waits}/approve")
        last = await _statuses(here, known, waits)

    assert decided == (["superseded", "active"] if decision == "approve" else ["active", "rejected"])
    assert (undone.status_code, undone.json()["status"]) == (200, "pending")
    assert (after["status"], after["valid_to"], after["superseded_by"]) == ("active", before["valid_to"], None)
    assert again.status_code == 409
    assert found == ["Ann lives in Oslo"]
    assert last == ["superseded", "active"]


async def test_only_a_decision_can_be_taken_back() -> None:
    """M10: nothing that was changed since is lost by it."""
    async with at_home() as here:
        known, waits = await _waiting(here)
        nothing = await here.client.post(f"/api/memories/{known}/undo")
        await here.client.post(f"/api/memories/{waits}/approve")
        await here.client.patch(f"/api/memories/{waits}", json={"content": "Ann lives in Bergen, by the harbour"})
        late = await here.client.post(f"/api/memories/{waits}/undo")
        missing = await here.client.post("/api/memories/nothing/undo")
        kept = (await here.client.get(f"/api/memories/{waits}")).json()

    assert (nothing.status_code, late.status_code, missing.status_code) == (409, 409, 404)
    assert (kept["status"], kept["content"]) == ("active", "Ann lives in Bergen, by the harbour")
