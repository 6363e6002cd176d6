"""Who knows what, over HTTP: knowers, partners, knowledge, and telling (R8, R11)."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from everlore.domain.knowledge import Knows, Telling
from everlore.domain.memory import Visible
from everlore.server.wire_recall import Knowledge, TellingOut
from tests.server.home import Home, home

KEY = "Rex hid the silver key under the old mill"


@dataclass(frozen=True)
class Village:
    """Mike and Rex share a memory; Don and Ann know nothing of it."""

    here: Home
    mike: str
    rex: str
    don: str
    ann: str
    memory: str

    async def tells(self, teller: str, listener: str) -> dict[str, Any]:
        body = {"teller_id": teller, "listener_id": listener}
        answer = await self.here.client.post(f"/api/memories/{self.memory}/tell", json=body)
        assert answer.status_code == 201, answer.text
        telling: dict[str, Any] = answer.json()
        return telling

    async def items(self, path: str, **params: Any) -> list[dict[str, Any]]:
        answer = await self.here.client.get(f"/api{path}", params=params)
        assert answer.status_code == 200, answer.text
        items: list[dict[str, Any]] = answer.json()["items"]
        return items


async def village(here: Home, **fields: Any) -> Village:
    mike, rex, don, ann = [await here.character(name) for name in ("Mike", "Rex", "Don", "Ann")]
    memory = await here.lore.remember(KEY, person=mike, partner=rex, **fields)
    return Village(here, mike, rex, don, ann, memory.id)


def at_home() -> Any:
    return home(provider="voice")


def _now() -> str:
    return datetime.now(UTC).isoformat()


async def test_hearsay_goes_from_mouth_to_mouth() -> None:
    """R11: who knows it, since when, from whom, and through how many."""
    async with at_home() as here:
        place = await village(here, confidence=0.9)
        first = await place.tells(place.mike, place.don)
        second = await place.tells(place.don, place.ann)

        knowers = {each["name"]: each for each in await place.items(f"/memories/{place.memory}/knowers")}

        assert (first["degree"], second["degree"]) == (1, 2)
        assert set(knowers) == {"Mike", "Rex", "Don", "Ann"}
        assert (knowers["Mike"]["how"], knowers["Mike"]["from_id"], knowers["Mike"]["chain"]) == ("authored", None, [])
        don, ann = knowers["Don"], knowers["Ann"]
        assert (don["person_id"], don["how"], don["from_name"], don["degree"]) == (place.don, "told", "Mike", 1)
        assert (ann["from_id"], ann["from_name"], ann["degree"]) == (place.don, "Don", 2)
        assert ann["chain"] == [place.mike, place.don]
        assert ann["since"] == second["told_at"]
        assert 0.9 > don["certainty"] > ann["certainty"] > 0


async def test_what_was_told_can_be_recalled_and_what_was_not_cannot() -> None:
    """R11."""
    async with at_home() as here:
        place = await village(here)
        await place.tells(place.mike, place.don)
        await here.lore.settle()

        found = {
            id: (await here.client.post("/api/memories/search", json={"query": KEY, "person_id": id})).json()["items"]
            for id in (place.don, place.ann)
        }

        assert [each["id"] for each in found[place.don]] == [place.memory]
        assert found[place.ann] == []


async def test_what_was_known_at_a_time_is_not_what_is_known_now() -> None:
    """R11: as of a time."""
    async with at_home() as here:
        before = _now()
        place = await village(here)
        between = _now()
        await place.tells(place.mike, place.don)

        knowers = f"/memories/{place.memory}/knowers"
        assert await place.items(knowers, as_of=before) == []
        assert {each["name"] for each in await place.items(knowers, as_of=between)} == {"Mike", "Rex"}
        assert {each["name"] for each in await place.items(knowers)} == {"Mike", "Rex", "Don"}
        assert await place.items(f"/persons/{place.don}/knowledge", as_of=between) == []
        (known,) = await place.items(f"/persons/{place.don}/knowledge")
        assert (known["memory"]["content"], known["how"], known["from_id"]) == (KEY, "told", place.mike)
        assert (known["degree"], known["chain"]) == (1, [place.mike])


async def test_knowledge_goes_on_page_by_page() -> None:
    async with at_home() as here:
        place = await village(here)
        for number in range(3):
            await here.lore.remember(f"Mike counted {number} crows", person=place.mike)

        path = f"/api/persons/{place.mike}/knowledge"
        first = (await here.client.get(path, params={"limit": 3})).json()
        rest = (await here.client.get(path, params={"limit": 3, "cursor": first["next"]})).json()

        assert [each["memory"]["content"] for each in (*first["items"], *rest["items"])] == [
            *(f"Mike counted {number} crows" for number in (2, 1, 0)),
            KEY,
        ]
        assert rest["next"] is None


async def test_partners_are_those_who_share_memories_most_first() -> None:
    """R8."""
    async with at_home() as here:
        place = await village(here)
        for number in range(2):
            await here.lore.remember(f"Mike and Don fished {number} trouts", person=place.mike, partner=place.don)

        partners = await place.items(f"/persons/{place.mike}/partners")

        assert [(each["name"], each["memories"]) for each in partners] == [("Don", 2), ("Rex", 1)]
        assert partners[0]["person_id"] == place.don
        assert partners[0]["last_at"] > partners[1]["last_at"]
        assert await place.items(f"/persons/{place.ann}/partners") == []


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"visibility": Visible.SECRET}, "it is secret"),
        ({"visibility": Visible.PRIVATE}, "it is private"),
        ({"is_spoiler": True}, "it is a spoiler"),
    ],
)
async def test_what_is_not_to_be_passed_on_is_not(fields: dict[str, Any], says: str) -> None:
    """R11: secrets are never passed on."""
    async with at_home() as here:
        place = await village(here, **fields)
        body = {"teller_id": place.mike, "listener_id": place.don}

        refused = await here.client.post(f"/api/memories/{place.memory}/tell", json=body)

        assert refused.status_code == 400
        assert says in refused.json()["detail"]
        assert {each["name"] for each in await place.items(f"/memories/{place.memory}/knowers")} == {"Mike", "Rex"}


async def test_nobody_tells_what_they_do_not_know_nor_to_whom_knows_it() -> None:
    """R11."""
    async with at_home() as here:
        place = await village(here)
        path = f"/api/memories/{place.memory}/tell"

        unknowing = await here.client.post(path, json={"teller_id": place.ann, "listener_id": place.don})
        known = await here.client.post(path, json={"teller_id": place.mike, "listener_id": place.rex})

        assert (unknowing.status_code, known.status_code) == (400, 400)
        assert "cannot tell it" in unknowing.json()["detail"]
        assert "already" in known.json()["detail"]


async def test_each_memory_comes_with_everybody_who_knows_it() -> None:
    """U9, R11: by whose it is, by who knows it, by words; page by page, and only what holds."""
    async with at_home() as here:
        place = await village(here)
        crows = (await here.lore.remember("Ann counted forty crows", person=place.ann)).id
        gone = (await here.lore.remember("Ann counted one owl", person=place.ann)).id
        await here.lore.memories.withdraw(gone, by="user")
        game = await here.lore.campaigns.make("The Mill")
        canon = {"content": "The old mill burnt down in the great storm", "type": "FACT"}
        made = await here.client.post(f"/api/campaigns/{game.id}/memories", json=canon)
        assert (made.status_code, made.json()["persons"]) == (201, []), made.text
        await place.tells(place.mike, place.don)
        await here.lore.settle()

        async def known(**asked: Any) -> dict[str, list[str]]:
            items = await place.items("/knowing", **asked)
            return {each["memory"]["id"]: sorted(knower["name"] for knower in each["knowers"]) for each in items}

        assert list((await known()).items()) == [(crows, ["Ann"]), (place.memory, ["Don", "Mike", "Rex"])]
        assert await known(person_id=place.rex) == {place.memory: ["Don", "Mike", "Rex"]}
        assert await known(person_id=place.don) == {}
        assert await known(knower_id=place.don) == {place.memory: ["Don", "Mike", "Rex"]}
        assert await known(knower_id=place.don, person_id=place.ann) == {}
        assert list(await known(query="silver key")) == [place.memory]
        assert await known(query="silver key", knower_id=place.ann) == {}
        first = (await here.client.get("/api/knowing", params={"limit": 1})).json()
        rest = (await here.client.get("/api/knowing", params={"limit": 1, "cursor": first["next"]})).json()
        (row,) = rest["items"]
        assert row["memory"]["id"] == place.memory
        don = next(each for each in row["knowers"] if each["name"] == "Don")
        assert (don["how"], don["from_name"], don["chain"]) == ("told", "Mike", [place.mike])


async def test_who_knows_what_is_asked_for_at_once() -> None:
    """U9: a page takes as many questions to the store, however much stands on it."""
    async with at_home() as here:
        place = await village(here)
        asked: list[int] = []
        for number in range(12):
            memory = await here.lore.remember(f"Mike saw {number} herons", person=place.mike, partner=place.rex)
            await here.lore.knowledge.tell(memory.id, teller=place.mike, listener=place.don)
            if number in (0, 11):
                asked.append(await _questions(here, "/api/knowing"))

        assert asked[0] == asked[1]


async def _questions(here: Home, path: str) -> int:
    """How often the store is asked for an answer."""
    store, asked = here.lore.store, []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("find", "get_many", "get", "known"):
            real = getattr(store, name)

            def counted(*args: Any, real: Any = real, **more: Any) -> Any:
                asked.append(real)
                return real(*args, **more)

            patch.setattr(store, name, counted)
        assert (await here.client.get(path)).status_code == 200
    return len(asked)


async def test_the_graph_has_the_bonds_of_persons_and_the_ties_of_campaigns() -> None:
    """U9, R8, G6: a tie between what is hidden from players is not for an owner who plays there."""
    async with at_home() as here:
        place = await village(here)
        await here.client.get("/api/me")
        game = await here.lore.campaigns.make("The Mill", gm=await here.character("Gemma"), players=["user"])
        rex = await here.lore.world.add(game.id, "Rex", person=place.rex)
        key, ghost = [await here.lore.world.add(game.id, each, spoiler=each == "Ghost") for each in ("Key", "Ghost")]
        tie = await here.lore.world.tie(rex.id, "hid", key.id, evidence="under the old mill")
        hidden = await here.lore.world.tie(ghost.id, "haunts", key.id)

        graph = (await here.client.get("/api/graph")).json()
        played = await here.lore.seen_by(replace(here.lore.scope, person_id="user")).world.all_ties()

        assert [(each["one_id"], each["other_id"], each["memories"]) for each in graph["bonds"]] == [
            (*sorted((place.mike, place.rex)), 1)
        ]
        assert [each["id"] for each in graph["ties"]] == [tie.id, hidden.id]
        assert {each["name"]: each["person_id"] for each in graph["entities"]} == {
            "Rex": place.rex,
            "Key": None,
            "Ghost": None,
        }
        assert [each.id for each in played.ties] == [tie.id]
        assert {each.name for each in played.entities} == {"Rex", "Key"}


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "says"),
    [
        ("GET", "/knowing?person_id=nobody", None, 404, "There is no Person 'nobody'"),
        ("GET", "/knowing?knower_id=nobody", None, 404, "There is no Person 'nobody'"),
        ("GET", "/knowing?cursor=rubbish", None, 400, "cursor"),
        ("GET", "/knowing?limit=501", None, 422, "query.limit"),
        ("GET", "/graph?limit=0", None, 422, "query.limit"),
        ("GET", "/memories/nope/knowers", None, 404, "There is no Memory 'nope'"),
        ("GET", "/memories/{memory}/knowers?as_of=soon", None, 422, "query.as_of"),
        ("GET", "/memories/{memory}/knowers?as_of=2024-05-31T20:00:00", None, 422, "query.as_of"),
        ("POST", "/memories/nope/tell", {"teller_id": "{mike}", "listener_id": "{don}"}, 404, "no Memory 'nope'"),
        ("POST", "/memories/{memory}/tell", {"teller_id": "{mike}"}, 422, "body.listener_id"),
        ("POST", "/memories/{memory}/tell", {"teller_id": "x", "listener_id": "{don}"}, 404, "no Person 'x'"),
        ("POST", "/memories/{memory}/tell", {"teller_id": "{mike}", "listener_id": "x"}, 404, "no Person 'x'"),
        ("POST", "/memories/{memory}/tell", {"teller_id": "x" * 200, "listener_id": "x"}, 422, "body.teller_id"),
        ("GET", "/persons/nobody/partners", None, 404, "There is no Person 'nobody'"),
        ("GET", "/persons/nobody/knowledge", None, 404, "There is no Person 'nobody'"),
        ("GET", "/persons/{mike}/knowledge?limit=501", None, 422, "query.limit"),
        ("GET", "/persons/{mike}/knowledge?cursor=rubbish", None, 400, "cursor"),
        ("GET", "/persons/{mike}/knowledge?as_of=yesterday", None, 422, "query.as_of"),
    ],
)
async def test_what_cannot_be_is_explained(method: str, path: str, body: Any, status: int, says: str) -> None:
    async with at_home() as here:
        place = await village(here)
        names = {name: getattr(place, name) for name in ("memory", "mike", "don")}
        sent = {name: value.format(**names) for name, value in body.items()} if body else None

        answer = await here.client.request(method, f"/api{path.format(**names)}", json=sent)

        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert says in answer.text


async def test_another_workspace_is_not_there() -> None:
    """S-1."""
    async with at_home() as here:
        place = await village(here)
        elsewhere = here.lore.within("elsewhere")
        eve = (await elsewhere.characters.create(name="Eve")).id
        theirs = (await elsewhere.remember("Eve keeps a raven", person=eve)).id
        tell = {"teller_id": eve, "listener_id": place.don}

        answers = [
            await here.client.get(f"/api/memories/{theirs}/knowers"),
            await here.client.get(f"/api/persons/{eve}/partners"),
            await here.client.get(f"/api/persons/{eve}/knowledge"),
            await here.client.post(f"/api/memories/{theirs}/tell", json=tell),
            await here.client.post(f"/api/memories/{place.memory}/tell", json=tell),
        ]

        assert [each.status_code for each in answers] == [404] * 5


def test_the_wire_knows_what_knowledge_is() -> None:
    assert set(Knowledge.model_fields) == set(Knows.__dataclass_fields__) - {"memory_id", "knower_id"}
    assert set(TellingOut.model_fields) == set(Telling.__dataclass_fields__) - {"workspace", "created_at"}
