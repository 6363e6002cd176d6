"""Learning over HTTP: asked for now, waited for or not, and what came of it (F4–F8, K1–K5, W1, W3)."""

import asyncio
from typing import Any

import httpx
import pytest

from everlore.domain.interaction import Interaction, InteractionType
from everlore.domain.job import Job
from everlore.domain.reading import Filter
from everlore.settings import ServerSettings
from everlore.store.port import Enqueue, Put, Retry
from everlore.wiring import now
from tests.contract.builders import interaction, minute
from tests.models.chat_server import failing
from tests.server.home import Home, home
from tests.server.thinking import facts, thinking
from tests.waiting import PATIENCE_S

SEGMENT = (
    "I moved to Portland in March.",
    "My sister Ana lives there too.",
    "I have decided to open a bakery.",
    "We sign the lease on Friday.",
)
ANALYSIS: dict[str, Any] = {
    "memories": [
        {
            "content": "User has decided to open a bakery",
            "type": "project",
            "confidence": 0.95,
            "reasoning": "In so many words.",
            "emotional_weight": 0.4,
            "participants": ["User"],
            "key_moments": ["I have decided to open a bakery."],
        }
    ],
    "summary": "The user told of a move to Portland and of a bakery.",
    "themes": ["a new beginning"],
    "tone": "hopeful",
    "emotional_arc": ["calm", "hopeful"],
    "participants": ["User", "Nova"],
    "key_topics": ["Portland", "bakery"],
}


def offline() -> Any:
    """No model at all: the built-in voice answers, and rules learn."""
    return home(provider="voice")


async def _say_all(here: Home, id: str, *said: str) -> None:
    for each in said:
        assert (await here.say(id, each, reply=False)).status_code == 200


async def _asked(here: Home, id: str, what: str, **params: Any) -> dict[str, Any]:
    """Waits for it, unless told otherwise."""
    answer = await here.client.post(f"/api/conversations/{id}/{what}", params={"wait": True} | params)
    assert answer.status_code in (200, 202), answer.text
    asked: dict[str, Any] = answer.json()
    return asked


async def _items(here: Home, path: str, **params: Any) -> list[dict[str, Any]]:
    answer = await here.client.get(f"/api/{path}", params=params)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def _contents(memories: list[dict[str, Any]]) -> list[str]:
    return [each["content"] for each in memories]


# ── asked for ────────────────────────────────────────────────────────────────────────────────────


async def test_whoever_waits_is_answered_with_what_was_formed() -> None:
    """F1, O1."""
    async with offline() as here:
        id = await here.talk(config={"extract_facts": False})
        await _say_all(here, id, "I live in Seattle.", "What time is it?")
        await here.client.patch(f"/api/conversations/{id}", json={"config": {"extract_facts": True}})

        answer = await here.client.post(f"/api/conversations/{id}/extract?wait=true")
        again = await here.client.post(f"/api/conversations/{id}/extract?wait=true")

        assert (answer.status_code, len(answer.json()["jobs"])) == (200, 2)
        assert _contents(answer.json()["formed"]) == ["User lives in Seattle"]
        assert again.json() == {"jobs": [], "formed": []}, "it was read before (M16)"


async def test_whoever_does_not_wait_gets_the_jobs() -> None:
    """F1: it is done in the background all the same."""
    async with offline() as here:
        id = await here.talk(config={"extract_facts": False})
        await _say_all(here, id, "I live in Seattle.")
        await here.client.patch(f"/api/conversations/{id}", json={"config": {"extract_facts": True}})
        await here.client.post("/api/jobs/pause")

        answer = await here.client.post(f"/api/conversations/{id}/extract")
        waiting = await _items(here, "jobs", state="ready")
        await here.client.post("/api/jobs/resume")
        await here.lore.settle()

        assert answer.status_code == 202
        assert answer.json()["formed"] == []
        (job,) = [each for each in waiting if each["id"] in answer.json()["jobs"]]
        assert (job["kind"], job["conversation_id"]) == ("facts", id)
        assert _contents(await _items(here, "memories", conversation_id=id)) == ["User lives in Seattle"]


async def test_reading_again_forms_nothing_twice() -> None:
    """M16."""
    async with offline() as here:
        id = await here.talk()
        await _say_all(here, id, "I live in Seattle.")
        await here.lore.settle()

        again = await _asked(here, id, "extract", again=True)

        assert (len(again["jobs"]), again["formed"]) == (1, [])
        assert len(await _items(here, "memories", conversation_id=id)) == 1


async def test_the_wait_is_for_the_model_too() -> None:
    """F8: the rules ask for it when they are done."""
    async with home() as here:
        here.model.scenario = thinking(facts=facts("User is a teacher", confidence=0.85, quote="third-grade class"))
        id = await here.talk(config={"extract_facts": False})
        await _say_all(here, id, "I taught my third-grade class about volcanoes today.")
        await here.client.patch(f"/api/conversations/{id}", json={"config": {"extract_facts": True}})

        asked = await _asked(here, id, "extract")

        assert "User is a teacher" in _contents(asked["formed"])
        (reading,) = await _items(here, f"conversations/{id}/readings")
        assert reading["model"] == "fine-model"


async def test_a_model_that_is_away_is_said_at_once_and_what_the_rules_found_stays() -> None:
    """F8, O1."""
    async with home() as here:
        here.model.scenario = thinking(facts=failing(503, "loading model"))
        id = await here.talk(config={"extract_facts": False})
        await _say_all(here, id, "I live in Seattle.")
        await here.client.patch(f"/api/conversations/{id}", json={"config": {"extract_facts": True}})

        async with asyncio.timeout(PATIENCE_S):
            answer = await here.client.post(f"/api/conversations/{id}/extract?wait=true")

        assert answer.status_code == 502
        assert "loading model" in answer.json()["detail"]
        assert "tried again" in answer.json()["detail"]
        assert _contents(await _items(here, "memories", conversation_id=id)) == ["User lives in Seattle"]


async def test_a_keyframe_leaves_a_summary_one_memory_and_what_passed_between_the_two() -> None:
    """K1, K3, K5."""
    async with home() as here:
        here.model.scenario = thinking(
            facts=facts(),
            summary={"summary": "The user moved to Portland in March and decided to open a bakery."},
            memories={
                "memories": [
                    {
                        "content": "User decided to open a bakery in Portland.",
                        "summary": "A bakery",
                        "type": "DECISION",
                        "importance": 7,
                    }
                ]
            },
            interaction={
                "type": "SOCIALIZE",
                "description": "The user told Nova of the bakery.",
                "actor_outcome": "FAVORABLE",
                "interactor_outcome": "NEUTRAL",
            },
        )
        id = await here.talk(config={"extract_facts": False})
        await _say_all(here, id, *SEGMENT)

        asked = await _asked(here, id, "keyframe")

        formed = {each["type"]: each for each in asked["formed"]}
        assert set(formed) == {"OUTCOME", "DECISION"}
        assert {each["origin"] for each in formed.values()} == {"keyframe"}
        (passed,) = await _items(here, f"conversations/{id}/interactions")
        assert (passed["type"], passed["tone"], passed["state"]) == ("SOCIALIZE", "positive", "complete")
        assert (passed["actor_outcome"], passed["interactor_id"]) == ("FAVORABLE", "user")
        assert formed["DECISION"]["interaction_id"] == passed["id"]
        event = (await here.client.get(f"/api/conversations/{id}/event")).json()
        assert passed["event_id"] == event["id"]
        assert await _items(here, "interactions", person_id="user") == [passed]
        assert (await here.client.get(f"/api/interactions/{passed['id']}")).json() == passed


async def test_a_keyframe_is_formed_once_more_in_place_of_the_first() -> None:
    """K1: as by a better model; there is still one of each, and it is the new one."""
    async with home() as here:
        first = {"summary": "The user moved to Portland in March and decided to open a bakery."}
        here.model.scenario = thinking(facts=facts(), summary=first, memories={"memories": []})
        id = await here.talk(config={"extract_facts": False})
        await _say_all(here, id, *SEGMENT)
        await _asked(here, id, "keyframe")
        better = {"summary": "The user moved to Portland and decided on a bakery of their own."}
        here.model.scenario = thinking(facts=facts(), summary=better, memories={"memories": []})

        await _asked(here, id, "keyframe")
        kept = await _items(here, "memories", conversation_id=id, status="active")
        await _asked(here, id, "keyframe", again="true")
        anew = await _items(here, "memories", conversation_id=id, status="active")

        assert _contents(kept) == [first["summary"]]
        assert _contents(anew) == [better["summary"]]


async def test_a_member_finds_what_passed_with_them_and_nothing_else() -> None:
    """C4, K3."""
    async with home(server=ServerSettings(tokens=True)) as here:
        lore, at = here.lore, now()
        ann = await lore.tokens.create("Ann", role="member")
        ben = await lore.tokens.create("Ben", role="member")
        nova = await here.character()
        told = Interaction(
            workspace=lore.scope.workspace,
            id="i1",
            type=InteractionType.HELP,
            actor_id=nova,
            interactor_id=str(ann.token.user_id),
            started_at=at,
            created_at=at,
        )
        await lore.store.apply(lore.scope, [Put(told)])

        async def seen(token: str, path: str) -> httpx.Response:
            return await here.client.get(path, headers={"Authorization": f"Bearer {token}"})

        assert [each["id"] for each in (await seen(ann.text, "/api/interactions")).json()["items"]] == ["i1"]
        assert (await seen(ann.text, "/api/interactions/i1")).status_code == 200
        assert (await seen(ben.text, "/api/interactions")).json()["items"] == []
        assert (await seen(ben.text, "/api/interactions/i1")).status_code == 404
        assert (await seen(ben.text, f"/api/interactions?person_id={ann.token.user_id}")).status_code == 403


async def test_every_analysis_is_kept_and_none_is_made_for_nothing() -> None:
    """W1, W3."""
    async with home() as here:
        here.model.scenario = thinking(facts=facts(), analysis=ANALYSIS)
        id = await here.talk(config={"extract_facts": False, "extract_segments": False})
        await _say_all(here, id, *SEGMENT)

        first = await _asked(here, id, "analyze")
        same = await _asked(here, id, "analyze")
        again = await _asked(here, id, "analyze", again=True)
        kept = await _items(here, f"conversations/{id}/analyses")

        assert _contents(first["formed"]) == ["User has decided to open a bakery"]
        assert (same["formed"], again["formed"]) == ([], []), "what is known is not formed twice"
        assert len(kept) == 2
        latest = kept[0]
        assert (latest["summary"], latest["tone"], latest["trigger"]) == (ANALYSIS["summary"], "hopeful", "asked")
        assert (latest["themes"], latest["key_topics"]) == (["a new beginning"], ["Portland", "bakery"])
        assert (latest["last_seq"], latest["model"]) == (4, "fine-model")
        assert kept[1]["memory_ids"] == [first["formed"][0]["id"]]


# ── what was read ────────────────────────────────────────────────────────────────────────────────


async def test_what_was_refused_is_named_with_its_filter_and_counted() -> None:
    """F4, F5."""
    async with home() as here:
        said = facts("User greeted Nova", "User's name is Nova", "User has a dog named Rex")
        here.model.scenario = thinking(facts=said)
        id = await here.talk()
        await _say_all(here, id, "Hello Nova, I live in Seattle.", "Good morning!")
        await here.lore.settle()

        everything = await _items(here, f"conversations/{id}/readings")
        (reading,) = await _items(here, f"conversations/{id}/readings", refused=True)
        of_all = await _items(here, "readings", refused=True)
        ungrounded = await _items(here, "readings", filter="ungrounded")
        counted = (await here.client.get("/api/readings/filters")).json()

        assert len(everything) == 2
        assert of_all == [reading]
        by_content = {each["content"]: each["filter"] for each in reading["refused"]}
        assert set(by_content) == {"User greeted Nova", "User's name is Nova", "User has a dog named Rex"}
        assert by_content["User greeted Nova"] == "conversation_action"
        counts = {each["filter"]: each["count"] for each in counted["items"]}
        assert set(counts) == {each.value for each in Filter}
        assert {name: count for name, count in counts.items() if count} == reading["refused_counts"]
        assert counted["total"] == 3
        assert ungrounded == ([reading] if counts["ungrounded"] else [])
        assert (reading["extractor"], reading["message_id"]) == ("facts", (await here.messages(id))[0]["id"])


async def test_a_filter_finds_what_it_stopped_however_far_back_it_is() -> None:
    """F4: a page is never empty while there is more."""
    async with home() as here:
        here.model.scenario = thinking(facts=facts("User greeted Nova"))
        id = await here.talk()
        await _say_all(here, id, "Hello Nova, I live in Seattle.")
        await here.lore.settle()
        here.model.scenario = thinking(facts=facts("User has a dog named Rex"))
        await _say_all(here, id, "I have a sister.", "I have a cat.")
        await here.lore.settle()

        found = (await here.client.get("/api/readings?filter=conversation_action&limit=1")).json()

        assert [each["refused"][0]["content"] for each in found["items"]] == ["User greeted Nova"]


# ── the timeline ─────────────────────────────────────────────────────────────────────────────────


async def test_a_conversation_is_an_event_from_its_first_message_to_its_end() -> None:
    """K5."""
    async with offline() as here:
        id = await here.talk()
        silent = await here.client.get(f"/api/conversations/{id}/event")
        await _say_all(here, id, "Hello!")
        begun = (await here.client.get(f"/api/conversations/{id}/event")).json()
        await here.client.post(f"/api/conversations/{id}/close")
        ended = (await here.client.get(f"/api/conversations/{id}/event")).json()

        assert silent.status_code == 404
        assert "Nothing has been said" in silent.json()["detail"]
        assert (begun["type"], begun["state"], begun["ended_at"]) == ("interact", "in_progress", None)
        assert (ended["id"], ended["state"]) == (begun["id"], "complete")
        assert ended["ended_at"] is not None


async def test_what_passed_between_persons_is_asked_by_when_it_began() -> None:
    """K3, U9: page after page, and a page is never empty while there is more."""
    async with offline() as here:
        nova = await here.character("Nova")
        await here.client.get("/api/me")
        house = here.lore.scope
        passed = [interaction(f"i{at}", nova, "user", minute(at), workspace=house.workspace) for at in range(6)]
        await here.lore.store.apply(house, [Put(each) for each in passed])

        async def found(**asked: Any) -> list[str]:
            page = (await here.client.get("/api/interactions", params=asked)).json()
            rest = await found(**asked | {"cursor": page["next"]}) if page["next"] else []
            return [each["id"] for each in page["items"]] + rest

        bounds = {"since": minute(1).isoformat(), "until": minute(4).isoformat()}
        assert await found() == ["i5", "i4", "i3", "i2", "i1", "i0"]
        assert await found(**bounds) == ["i3", "i2", "i1"]
        assert await found(**bounds, person_id=nova, limit=1) == ["i3", "i2", "i1"]
        assert (await here.client.get("/api/interactions?since=soon")).status_code == 422


async def test_the_timeline_is_asked_by_person_time_and_type() -> None:
    """K5."""
    async with offline() as here:
        first, second = await here.talk(), await here.talk()
        await _say_all(here, first, "Hello!")
        between = now().isoformat()
        await _say_all(here, second, "Hello!")
        nova = (await here.client.get(f"/api/conversations/{first}")).json()["system_ids"][0]

        assert [each["conversation_id"] for each in await _items(here, "events")] == [second, first]
        assert [each["conversation_id"] for each in await _items(here, "events", person_id=nova)] == [first]
        assert len(await _items(here, "events", person_id="user", since=between)) == 2, "the first still goes on"
        assert [each["conversation_id"] for each in await _items(here, "events", until=between)] == [first]
        assert await _items(here, "events", type=["dream", "task"]) == []
        assert len(await _items(here, "events", type=["dream", "interact"])) == 2


# ── private ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("what", ["extract", "keyframe", "analyze"])
async def test_nothing_is_learnt_of_a_private_conversation(what: str) -> None:
    """F6."""
    async with home() as here:
        id = await here.talk(config={"private": True})
        await _say_all(here, id, "I live in Seattle.")

        answer = await here.client.post(f"/api/conversations/{id}/{what}?wait=true")

        assert answer.status_code == 400
        assert "private" in answer.json()["detail"]
        assert await _items(here, "memories") == []
        assert await _items(here, f"conversations/{id}/readings") == []
        assert (await here.client.get(f"/api/conversations/{id}/event")).status_code == 404
        assert await _items(here, "events") == []


# ── the queue ────────────────────────────────────────────────────────────────────────────────────


async def test_a_paused_queue_keeps_what_waits_and_goes_on_at_once() -> None:
    """F7."""
    async with offline() as here:
        paused = (await here.client.post("/api/jobs/pause")).json()
        id = await here.talk()
        await _say_all(here, id, "I live in Seattle.")
        waiting = (await here.client.get("/api/jobs")).json()
        impatient = await here.client.post(f"/api/conversations/{id}/extract?wait=true")
        resumed = (await here.client.post("/api/jobs/resume")).json()
        await here.lore.settle()

        assert (paused["paused"], resumed["paused"]) == (True, False)
        assert "facts" in {each["kind"] for each in waiting["items"]}
        assert (waiting["queue"]["paused"], waiting["queue"]["pending"]) == (True, len(waiting["items"]))
        assert impatient.status_code == 400
        assert "The queue is paused" in impatient.json()["detail"]
        assert _contents(await _items(here, "memories")) == ["User lives in Seattle"]


async def test_a_dead_job_says_why_and_can_be_tried_again() -> None:
    """C5."""
    async with offline() as here:
        await _leave_a_dead_job(here)

        (dead,) = await _items(here, "jobs", state="dead")
        revived = await here.client.post("/api/jobs/the-job/retry")
        unknown = await here.client.post("/api/jobs/nope/retry")
        alive = await here.client.post("/api/jobs/the-job/retry")

        assert (dead["id"], dead["error"]) == ("the-job", "no such model")
        assert (revived.json()["state"], revived.json()["attempts"]) == ("ready", 0)
        assert (unknown.status_code, alive.status_code) == (404, 409)


async def _leave_a_dead_job(here: Home) -> None:
    """Of a kind that no worker here knows, so that it stays as it is."""
    lore, at = here.lore, now()
    job = Job(workspace=lore.scope.workspace, id="the-job", kind="elsewhere", max_attempts=1, run_at=at, created_at=at)
    await lore.store.apply(lore.scope, [Enqueue(job)])
    (claimed,) = await lore.store.claim(lore.scope, lease="test", now=at, lease_s=30, limit=1)
    await lore.store.apply(lore.scope, [Retry(claimed, "no such model", at, at)])


# ── refused ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("method", "path", "status", "says"),
    [
        ("POST", "conversations/nope/extract", 404, "There is no Conversation 'nope'"),
        ("POST", "conversations/nope/keyframe?wait=true", 404, "There is no Conversation 'nope'"),
        ("POST", "conversations/nope/analyze", 404, "There is no Conversation 'nope'"),
        ("POST", "conversations/nope/extract?wait=perhaps", 422, "query.wait"),
        ("GET", "conversations/nope/analyses", 404, "There is no Conversation 'nope'"),
        ("GET", "conversations/nope/interactions", 404, "There is no Conversation 'nope'"),
        ("GET", "conversations/nope/event", 404, "There is no Conversation 'nope'"),
        ("GET", "conversations/nope/readings", 404, "There is no Conversation 'nope'"),
        ("GET", "readings?filter=boring", 422, "query.filter"),
        ("GET", "readings?limit=0", 422, "query.limit"),
        ("GET", "readings?cursor=rubbish", 400, "cursor"),
        ("GET", "readings/filters?conversation_id=nope", 404, "There is no Conversation 'nope'"),
        ("GET", "events?person_id=nobody", 404, "There is no Person 'nobody'"),
        ("GET", "events?since=yesterday", 422, "query.since"),
        ("GET", "events?since=2024-05-31T20:00:00", 422, "query.since"),
        ("GET", "events?type=party", 422, "query.type"),
        ("GET", "events?limit=501", 422, "query.limit"),
        ("GET", "jobs?state=tired", 422, "query.state"),
    ],
)
async def test_what_cannot_be_is_explained(method: str, path: str, status: int, says: str) -> None:
    async with offline() as here:
        answer = await here.client.request(method, f"/api/{path}")

        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert says in answer.text


async def test_an_analysis_without_a_model_is_refused_with_what_to_do() -> None:
    """W1."""
    async with offline() as here:
        id = await here.talk()
        await _say_all(here, id, "I live in Seattle.")

        answer = await here.client.post(f"/api/conversations/{id}/analyze?wait=true")

        assert answer.status_code == 400
        assert "needs a language model" in answer.json()["detail"]
