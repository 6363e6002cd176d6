"""Gossip over HTTP: what somebody has from others, and what slips out (R7, R9, R10)."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from everlore.domain.conversation import Author, Message
from everlore.domain.memory import Visible
from everlore.domain.roll import Roll, rolled_with
from everlore.domain.tokens import TOLD
from everlore.models.choice import NO_MODEL
from everlore.server.wire_conversations import message_out
from everlore.server.wire_recall import RollOut
from everlore.settings import StoreSettings
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.models.chat_server import Exchange
from tests.server.home import Home, home
from tests.server.test_knowledge import KEY, Village, village
from tests.server.test_live import listening, until
from tests.server.test_recall import ODD
from tests.sqlite import migrated

DICE = "bone dice"
# That is a difficulty of 13: of the twenty sides of a die, twelve let something slip.
CHATTERBOX = {"intelligence": 7, "mental_strength": 20}
DIFFICULTY = 8


def at_home() -> Any:
    return home(provider="voice", dice=DICE)


async def told(here: Home, **asked: Any) -> list[str]:
    answer = await here.client.post("/api/memories/gossip", json={"query": KEY, **asked})
    assert answer.status_code == 200, answer.text
    return [each["content"] for each in answer.json()["items"]]


# ── search ───────────────────────────────────────────────────────────────────────────────────────


async def test_gossip_rest_endpoint_returns_correct_results_with_exclusion() -> None:
    """R7: what Mike has from others, and the one who is talked to does not know."""
    async with at_home() as here:
        place = await village(here)
        await here.lore.remember("Mike hid the silver key under the old mill again", person=place.mike)
        await here.lore.settle()

        answer = await here.client.post(
            "/api/memories/gossip",
            json={"person_id": place.mike, "exclude_person_id": place.don, "query": KEY},
        )
        to_rex = await told(here, person_id=place.mike, exclude_person_id=place.rex)
        of_don = await told(here, person_id=place.don, exclude_person_id=place.mike)

        (hit,) = answer.json()["items"]
        assert answer.json()["next"] is None
        assert (hit["id"], hit["content"], hit["memory"]["persons"]) == (
            place.memory,
            KEY,
            sorted([place.mike, place.rex]),
        )
        assert hit["score"] >= 0.65
        assert hit["why"]
        assert to_rex == [], "Rex was there"
        assert of_don == [], "Don knows nothing"


async def test_what_was_heard_is_gossip_too_until_the_other_knows_it() -> None:
    """R7, R11."""
    async with at_home() as here:
        place = await village(here)
        await here.lore.settle()
        await place.tells(place.mike, place.don)

        to_ann = await told(here, person_id=place.don, exclude_person_id=place.ann)
        await place.tells(place.don, place.ann)
        to_ann_again = await told(here, person_id=place.don, exclude_person_id=place.ann)

        assert (to_ann, to_ann_again) == ([KEY], [])


async def test_gossip_is_limited_and_as_relevant_as_is_asked_for() -> None:
    """R7."""
    async with at_home() as here:
        place = await village(here)
        await here.lore.remember("Ann baked bread at dawn", person=place.mike, partner=place.ann)
        await here.lore.settle()
        asked = {"person_id": place.mike, "exclude_person_id": place.don}

        assert await told(here, **asked) == [KEY]
        assert (await told(here, **asked, threshold=0))[0] == KEY
        assert await told(here, **asked, threshold=0, limit=1) == [KEY]
        assert await told(here, person_id=place.mike) == [KEY], "whoever would hear it"


@pytest.mark.parametrize(
    "fields", [{"visibility": Visible.SECRET}, {"visibility": Visible.PRIVATE}, {"is_spoiler": True}]
)
async def test_what_is_not_to_be_told_is_no_gossip(fields: dict[str, Any]) -> None:
    """R6, R11."""
    async with at_home() as here:
        place = await village(here, **fields)
        await here.lore.settle()

        assert await told(here, person_id=place.mike, exclude_person_id=place.don, threshold=0) == []


# ── in a conversation ────────────────────────────────────────────────────────────────────────────


async def _talk(place: Village, user: str, *, id: str | None = None, **config: Any) -> str:
    """Of that character, played by the user, with Don."""
    body = {
        "id": id,
        "character_id": place.don,
        "user_id": user,
        "config": {"auto_title": False, "gossip_enabled": True, **config},
    }
    answer = await place.here.client.post("/api/conversations", json=body)
    assert answer.status_code == 201, answer.text
    started: str = answer.json()["id"]
    return started


async def _suggested(here: Home, id: str, content: str = KEY, **fields: Any) -> dict[str, Any]:
    answer = await here.client.post(f"/api/conversations/{id}/gossip", json={"content": content, **fields})
    assert answer.status_code == 200, answer.text
    suggested: dict[str, Any] = answer.json()
    return suggested


async def test_a_character_that_can_keep_quiet_is_only_offered_what_it_could_tell() -> None:
    """R7, R9."""
    async with at_home() as here:
        place = await village(here)
        await here.lore.settle()
        id = await _talk(place, place.mike)
        silent = await _talk(place, place.mike, gossip_enabled=False)

        suggested = await _suggested(here, id)

        assert [each["id"] for each in suggested["items"]] == [place.memory]
        assert (suggested["roll"], suggested["token"]) == (None, "")
        assert await _suggested(here, silent) == {"items": [], "roll": None, "token": ""}
        assert (await here.client.get(f"/api/conversations/{id}/rolls")).json() == {"items": [], "next": None}


@pytest.mark.parametrize("id", ["talk-1", "talk-2", "talk-3", "talk-4", "talk-5"])
async def test_what_slips_out_is_rolled_once_for_each_message_and_kept(id: str) -> None:
    """R9: on the server, by a seed, recorded; whoever types on does not roll again."""
    async with at_home() as here:
        place = await village(here)
        await here.lore.characters.change(place.mike, statistics=CHATTERBOX)
        await here.lore.settle()
        await _talk(place, place.mike, id=id)

        without = await _suggested(here, id, roll=False)
        first = await _suggested(here, id)
        again = await _suggested(here, id, f"{KEY}, I think")
        rolls = (await here.client.get(f"/api/conversations/{id}/rolls")).json()

        fell = rolled_with(f"{DICE}/{id}/1")
        assert without["roll"] is None
        assert (first["roll"]["rolled"], first["roll"]["difficulty"], first["roll"]["seq"]) == (fell, DIFFICULTY, 1)
        assert (first["roll"]["memory_id"] == place.memory) is (fell < DIFFICULTY)
        assert first["token"] == (f"${{memory.{place.memory}}}" if fell < DIFFICULTY else "")
        assert (again["roll"], again["token"]) == (first["roll"], first["token"])
        assert rolls == {"items": [first["roll"]], "next": None}


def test_some_of_these_rolls_let_it_slip_and_some_do_not() -> None:
    """What the story above tells happens both ways."""
    fell = [rolled_with(f"{DICE}/talk-{number}/1") < DIFFICULTY for number in range(1, 6)]

    assert any(fell)
    assert not all(fell)


async def test_a_token_that_is_sent_tells_and_one_that_was_taken_out_does_not() -> None:
    """R9, R10: the user has the last word."""
    async with at_home() as here:
        place = await village(here)
        await here.lore.settle()
        id = await _talk(place, place.mike)
        knowers = f"/memories/{place.memory}/knowers"

        await here.say(id, "Nice weather today.")
        kept = {each["name"] for each in await place.items(knowers)}
        said = await here.say(id, f"Have you heard? ${{memory.{place.memory}}}")
        heard = {each["name"] for each in await place.items(knowers)}

        assert said.status_code == 200, said.text
        assert kept == {"Mike", "Rex"}
        assert heard == {"Mike", "Rex", "Don"}
        assert (await _suggested(here, id))["items"] == [], "Don knows it now"


async def test_suggestions_that_are_asked_for_at_once_leave_one_roll() -> None:
    """R9: one for each message."""
    async with at_home() as here:
        place = await village(here)
        await here.lore.characters.change(place.mike, statistics=CHATTERBOX)
        await here.lore.settle()
        id = await _talk(place, place.mike)

        answers = await asyncio.gather(*(_suggested(here, id) for _ in range(5)))
        rolls = (await here.client.get(f"/api/conversations/{id}/rolls")).json()["items"]

        assert len(rolls) == 1
        assert {each["roll"]["rolled"] for each in answers} == {rolls[0]["rolled"]}


def test_the_wire_knows_what_a_roll_is() -> None:
    assert set(RollOut.model_fields) == set(Roll.__dataclass_fields__) - {"workspace"}


# ── live ─────────────────────────────────────────────────────────────────────────────────────────


async def _speaks_of_the_key(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.text(["Do you know whether Rex hid the silver key under the old mill?"])
    await exchange.finish()
    await exchange.end()


async def test_gossip_that_comes_up_is_told_live_by_its_number() -> None:
    """R7: what the user's character could tell on hearing the reply; not in words, for everybody who listens."""
    async with home() as here, listening(here) as socket:
        place = await village(here)
        await here.lore.settle()
        id = await _talk(place, place.mike, gossip_threshold=0.3, extract_memories=False)
        here.model.script.append(_speaks_of_the_key)

        said = await here.say(id, "Good evening!")
        event = (await until(socket, "gossip.available"))[-1]

        assert said.status_code == 200, said.text
        assert event == {"type": "gossip.available", "conversation_id": id, "count": 1}


# ── refused ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("/memories/gossip", {"query": "x"}, 422, "body.person_id"),
        ("/memories/gossip", {"person_id": "{mike}"}, 422, "body.query"),
        ("/memories/gossip", {"person_id": "nobody", "query": "x"}, 404, "There is no Person 'nobody'"),
        ("/memories/gossip", {"person_id": "{mike}", "exclude_person_id": "nobody", "query": "x"}, 404, "'nobody'"),
        ("/memories/gossip", {"person_id": "{mike}", "exclude_person_id": "{mike}", "query": "x"}, 400, "themselves"),
        ("/memories/gossip", {"person_id": "{mike}", "query": "x", "threshold": 1.01}, 422, "body.threshold"),
        ("/memories/gossip", {"person_id": "{mike}", "query": "x", "threshold": -0.1}, 422, "body.threshold"),
        ("/memories/gossip", {"person_id": "{mike}", "query": "x", "threshold": "much"}, 422, "body.threshold"),
        ("/memories/gossip", {"person_id": "{mike}", "query": "x", "limit": 0}, 422, "body.limit"),
        ("/memories/gossip", {"person_id": "{mike}", "query": "x", "limit": 51}, 422, "body.limit"),
        ("/memories/gossip", {"person_id": "{mike}", "query": "x" * 1_000_000}, 422, "body.query"),
        ("/memories/gossip", {"person_id": "{mike}", "query": "x", "partner_id": "y"}, 422, "body.partner_id"),
        ("/conversations/nowhere/gossip", {"content": "x"}, 404, "There is no Conversation 'nowhere'"),
        ("/conversations/{talk}/gossip", {}, 422, "body.content"),
        ("/conversations/{talk}/gossip", {"content": "x", "roll": "d20"}, 422, "body.roll"),
    ],
)
async def test_what_cannot_be_is_explained(path: str, body: dict[str, Any], status: int, says: str) -> None:
    async with at_home() as here:
        place = await village(here)
        names = {"mike": place.mike, "talk": await _talk(place, place.mike)}
        sent = {name: value.format(**names) if isinstance(value, str) else value for name, value in body.items()}

        answer = await here.client.post(f"/api{path.format(**names)}", json=sent)

        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert says in answer.text
        assert len(answer.content) < 10_000


async def test_rolls_of_no_conversation_are_not_found() -> None:
    async with at_home() as here:
        answers = [await here.client.get(f"/api/conversations/{each}/rolls") for each in ("nowhere", "%00")]

        assert all(each.status_code in (400, 404) for each in answers)
        assert all(each.headers["content-type"] == "application/problem+json" for each in answers)


async def test_another_workspace_is_not_there() -> None:
    """S-1."""
    async with at_home() as here:
        place = await village(here)
        elsewhere = here.lore.within("elsewhere")
        eve = (await elsewhere.characters.create(name="Eve")).id
        theirs = (await elsewhere.conversations.start(eve)).id
        gossip = "/api/memories/gossip"

        answers = [
            await here.client.post(gossip, json={"person_id": eve, "query": KEY}),
            await here.client.post(gossip, json={"person_id": place.mike, "exclude_person_id": eve, "query": KEY}),
            await here.client.post(f"/api/conversations/{theirs}/gossip", json={"content": KEY}),
            await here.client.get(f"/api/conversations/{theirs}/rolls"),
        ]

        assert [each.status_code for each in answers] == [404] * 4


@pytest.mark.parametrize("query", [*ODD.values(), "x" * 1_000_000], ids=[*ODD, "a megabyte"])
async def test_no_words_are_too_odd(query: str, tmp_path: Path) -> None:
    """S-5: answered, or refused with a sentence; on a real database, whose words for search have a grammar."""
    store = await SqliteStore.open(migrated(tmp_path / "lore.db"), StoreSettings(), clock=now)
    async with home(provider="voice", store=store) as here:
        place = await village(here)
        await here.lore.settle()
        id = await _talk(place, place.mike, gossip_threshold=0)

        answers = [
            await here.client.post("/api/memories/gossip", json={"person_id": place.mike, "query": query}),
            await here.client.post(f"/api/conversations/{id}/gossip", json={"content": query}),
        ]

        for answer in answers:
            assert answer.status_code in (200, 400, 422), answer.text
            if answer.status_code != 200:
                assert answer.headers["content-type"] == "application/problem+json"
                assert len(answer.content) < 10_000


# ── told in a message (R10) ──────────────────────────────────────────────────────────────────────


async def test_what_comes_to_nothing_is_named_and_what_was_told_is_shown() -> None:
    """R10, V4: in the answer of a turn, in what is streamed, and in the log."""
    async with at_home() as here:
        id = await here.talk()
        boat = await here.lore.remember("Bo sold the boat.", person="user")
        text = f"Listen: ${{memory.{boat.id}}} And ${{memory.nothing}} too."

        said = (await here.say(id, text)).json()["user_message"]
        streamed = dict(await here.events(f"/api/conversations/{id}/messages", content=text))["turn"]["user_message"]
        logged = [each for each in await here.messages(id) if each["author"] == "user"]

        for each in (said, streamed, *logged):
            assert each["unresolved"] == ["nothing"]
            assert each["display_content"] == "Listen: “Bo sold the boat.” And  too."
            assert each["content"] == text


async def test_the_notice_of_the_built_in_voice_is_beside_its_reply() -> None:
    """V4: on the wire as in the store; clients of /v1 get the words alone."""
    async with at_home() as here:
        id = await here.talk()

        first = (await here.say(id, "Hello!")).json()["reply"]
        second = (await here.say(id, "How are you?")).json()["reply"]

        assert first["notice"] == NO_MODEL
        assert "language model" not in first["content"]
        assert second["notice"] == ""


def test_what_another_message_told_is_not_shown_where_it_came_to_nothing() -> None:
    """R10: each message shows what it told itself."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    message = Message(
        workspace="w",
        id="a",
        conversation_id="c",
        author=Author.USER,
        content="Listen: ${memory.m1}",
        created_at=at,
        updated_at=at,
    )
    told = replace(message, metadata={TOLD: {"told": ["m1"], "unresolved": []}})
    refused = replace(message, metadata={TOLD: {"told": [], "unresolved": ["m1"]}})
    texts = {"m1": "Don is broke."}

    assert message_out(told, {}, texts).display_content == "Listen: “Don is broke.”"
    assert "broke" not in message_out(refused, {}, texts).model_dump_json()
