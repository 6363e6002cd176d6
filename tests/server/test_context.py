"""The context package over REST: as data, as text, by role (C6, C8)."""

from typing import Any

import pytest

from tests.server.home import Home, home


async def _asked(here: Home, **body: Any) -> dict[str, Any]:
    answer = await here.client.post("/api/context", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_the_package_has_all_that_an_agent_should_know() -> None:
    """C6."""
    async with home() as here:
        nova = await here.character("Nova", description="Nova keeps a lighthouse.")
        id = await here.talk(character_id=nova)
        await here.client.post("/api/memories", json={"content": "The user is allergic to peanuts.", "importance": 9})
        event = {"type": "tool_invocation", "tool_name": "search", "tool_outputs": {"results": [1, 2]}}
        await here.client.post("/api/events", json=event | {"conversation_id": id})
        task = {"type": "task", "content": "Bake a cake", "in_progress": True}
        await here.client.post("/api/events", json=task)
        await here.lore.settle()

        package = await _asked(here, query="allergic to peanuts", conversation_id=id)

        assert set(package) == {
            "mode",
            "role",
            "trust_level",
            "depth",
            "memories",
            "persona",
            "current_focus",
            "active_tasks",
            "recent_topics",
            "patterns",
            "index_status",
            "fallback_used",
            "recent_tools",
            "conversation_summary",
            "text",
        }
        assert [each["content"] for each in package["memories"]] == ["The user is allergic to peanuts."]
        assert package["persona"]["description"] == "Nova keeps a lighthouse."
        assert [(each["name"], each["success"]) for each in package["recent_tools"]] == [("search", True)]
        assert package["active_tasks"] == ["Bake a cake"]
        assert (package["mode"], package["role"], package["depth"]) == ("dual", "owner", 12)
        assert (package["index_status"], package["fallback_used"]) == ("available", False)
        assert "- ✓ search (just now): results: [2 items]" in package["text"]


async def test_the_text_alone_may_be_asked_for() -> None:
    """C6."""
    async with home() as here:
        answer = await here.client.post("/api/context", json={"query": "x", "format": "text"})

        assert answer.headers["content-type"].startswith("text/plain")
        assert answer.text.startswith("You are operating in dual mode with full trust for owner user")


async def test_the_mode_of_the_request_decides_how_deep_it_goes() -> None:
    """C4."""
    async with home() as here:
        answer = await here.client.post("/api/context", json={"query": "x"}, headers={"X-Cognitive-Mode": "agent"})

        assert (answer.json()["mode"], answer.json()["depth"]) == ("agent", 6)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"conversation_id": "nope"}, 404, "nope"),
        ({"person_id": "nope"}, 404, "nope"),
        ({"budget_tokens": 1}, 422, "body.budget_tokens"),
        ({"include": ["everything"]}, 422, "body.include"),
        ({"format": "xml"}, 422, "body.format"),
        ({"queri": "x"}, 422, "body.queri"),
    ],
)
async def test_what_cannot_be_is_refused(body: dict[str, Any], status: int, says: str) -> None:
    async with home() as here:
        answer = await here.client.post("/api/context", json=body)

        assert answer.status_code == status
        assert says in answer.text
