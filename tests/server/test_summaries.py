"""Summaries and inner dialogues over HTTP (C4, C7)."""

from typing import Any

from everlore.services.messages import RecordedLine
from tests.models.chat_server import failing
from tests.server.home import Home, home
from tests.server.thinking import thinking

TOLD = "The harvest came up."


async def _said(here: Home, id: str, count: int) -> None:
    await here.lore.messages.record(
        id, [RecordedLine(f"Line {number} about the harvest.") for number in range(1, count + 1)]
    )


async def _summaries(here: Home, id: str, **params: Any) -> list[dict[str, Any]]:
    answer = await here.client.get(f"/api/conversations/{id}/summaries", params=params)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def offline() -> Any:
    return home(provider="voice")


async def test_whoever_waits_is_answered_with_the_summaries_that_were_made() -> None:
    """C7: the older half, also of a short talk; where hardly anything was said, nothing."""
    async with home() as here:
        here.model.scenario = thinking(stretch={"summary": TOLD})
        id = await here.talk()
        await _said(here, id, 3)
        too_short = await here.client.post(f"/api/conversations/{id}/summarize?wait=true")
        await _said(here, id, 7)

        answer = await here.client.post(f"/api/conversations/{id}/summarize?wait=true")

        assert (too_short.status_code, too_short.json()["made"]) == (200, [])
        assert answer.status_code == 200
        (made,) = answer.json()["made"]
        assert (made["first_seq"], made["last_seq"], made["level"]) == (1, 5, 0)
        assert (made["content"], made["extractive"], made["private"]) == (TOLD, False, False)
        assert await _summaries(here, id) == [made]
        assert await _summaries(here, id, level=1) == []


async def test_whoever_does_not_wait_gets_the_job() -> None:
    """C5."""
    async with offline() as here:
        id = await here.talk()
        await _said(here, id, 10)
        await here.client.post("/api/jobs/pause")

        answer = await here.client.post(f"/api/conversations/{id}/summarize")
        waiting = await here.client.get("/api/jobs", params={"state": "ready"})
        await here.client.post("/api/jobs/resume")
        await here.lore.settle()

        assert answer.status_code == 202
        assert answer.json()["made"] == []
        assert answer.json()["jobs"][0] in [job["id"] for job in waiting.json()["items"]]
        assert [each["extractive"] for each in await _summaries(here, id)] == [True]


async def test_a_model_that_fails_is_no_failure() -> None:
    """C7: it is quoted meanwhile, and asked for again it is said better."""
    async with home() as here:
        here.model.scenario = thinking(stretch=failing(500))
        id = await here.talk()
        await _said(here, id, 21)
        await here.lore.settle()
        (quoted,) = await _summaries(here, id)
        here.model.scenario = thinking(stretch={"summary": TOLD})

        answer = await here.client.post(f"/api/conversations/{id}/summarize?wait=true")

        assert quoted["extractive"]
        assert [each["content"] for each in answer.json()["made"]] == [TOLD, TOLD]
        assert (await _summaries(here, id))[0]["id"] == quoted["id"]


async def test_the_history_says_what_came_before_the_page() -> None:
    """C7: the log and the summaries together are the whole talk."""
    async with home() as here:
        here.model.scenario = thinking(stretch={"summary": TOLD})
        id = await here.talk()
        await _said(here, id, 45)
        await here.lore.settle()

        path = f"/api/conversations/{id}/messages"
        latest = (await here.client.get(path, params={"limit": 10, "newest_first": True})).json()
        oldest = (await here.client.get(path, params={"limit": 10})).json()
        middle = (await here.client.get(path, params={"limit": 30, "newest_first": True})).json()

        assert len(await _summaries(here, id)) == 2
        assert latest["summary"] == f"{TOLD}\n{TOLD}"
        assert oldest["summary"] is None
        assert middle["items"][-1]["seq"] == 16
        assert middle["summary"] is None, "no summary ends before the page"


async def test_an_unknown_or_private_conversation_is_refused() -> None:
    """F6."""
    async with offline() as here:
        private = await here.talk(config={"private": True})

        unknown = await here.client.post("/api/conversations/nix/summarize")
        refused = await here.client.post(f"/api/conversations/{private}/summarize")

        assert unknown.status_code == (await here.client.get("/api/conversations/nix/summaries")).status_code == 404
        assert (refused.status_code, "private" in refused.json()["detail"]) == (400, True)


async def test_an_inner_dialogue_is_a_conversation_that_no_list_shows() -> None:
    """C7."""
    async with home() as here:
        id = await here.talk()
        none = await here.client.get(f"/api/conversations/{id}/inner")

        made = await here.client.post(f"/api/conversations/{id}/inner")
        again = await here.client.post(f"/api/conversations/{id}/inner")
        inner = made.json()["id"]
        said = await here.say(inner, "What do you make of it?")
        listed = (await here.client.get("/api/conversations")).json()["items"]
        own = await here.messages(inner)

        assert none.status_code == 404
        assert (made.status_code, made.json()["inner_of_id"], again.json()["id"]) == (200, id, inner)
        assert (await here.client.get(f"/api/conversations/{id}/inner")).json()["id"] == inner
        assert said.status_code == 200, said.text
        assert [each["id"] for each in listed] == [id]
        assert (len(own), await here.messages(id)) == (2, [])
        assert own[1]["present"] == own[1]["present"][:1] == [own[1]["person_id"]]


async def test_inner_dialogues_are_listed_where_they_are_asked_for() -> None:
    """C7."""
    async with offline() as here:
        id = await here.talk()
        inner = (await here.client.post(f"/api/conversations/{id}/inner")).json()["id"]

        listed = (await here.client.get("/api/conversations", params={"inner": True})).json()["items"]

        assert {each["id"] for each in listed} == {id, inner}
