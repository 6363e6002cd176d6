"""Stories of short evenings, of a character with its own models, and of moving to another house."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.world import Client, World

SUMMARY = "Mira and User agreed to repair the ferry before the storm."
LINES = (
    "The storm will be here by Friday, and the ferry still leaks.",
    "Let us agree: we repair the ferry before the storm.",
    "I promise to bring tar and rope from the village.",
    "Then I will hold the lamp while you work on the hull.",
    "We decided it together, so nobody may back out.",
)


def _properties(body: dict[str, Any]) -> set[str]:
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    return set(schema.get("properties", {}))


def thoughtful(body: dict[str, Any]) -> str:
    """A model that answers questions in the background as they are asked, and talks otherwise."""
    asked = _properties(body)
    if "themes" in asked:
        told = {"themes": ["trust"], "tone": "calm", "emotional_arc": ["calm"], "key_topics": ["ferry"]}
        return json.dumps({"memories": [], "summary": SUMMARY, "participants": ["Mira"], **told})
    if "type" in asked:
        outcome = {"actor_outcome": "FAVORABLE", "interactor_outcome": "FAVORABLE"}
        return json.dumps({"type": "COOPERATE", "description": "They agreed to repair the ferry.", **outcome})
    if "summary" in asked:
        return json.dumps({"summary": SUMMARY})
    if asked:
        return json.dumps({name: [] for name in asked})
    return f"Aye. ({len(body['messages'])})"


def _with_a_reader(world: World) -> Client:
    """The owner at a server whose model also reads what is said."""
    world.reply = thoughtful
    return world.start(
        EVERLORE_EXTRACTION__PROVIDER="openai",
        EVERLORE_EXTRACTION__TRUST="plain",
        EVERLORE_ANALYSIS__PROVIDER="openai",
    ).owner()


def test_a_short_evening_is_remembered_as_it_ended(world: World) -> None:
    """K3, C6, C7, C10, V8, V16: ten messages and a tool, closed, summed up, audited, and told the next evening."""
    ada = _with_a_reader(world)
    mira = ada.character("Mira", personality="warm and dry")
    evening = ada.open(mira)
    for line in LINES[:4]:
        ada.say(evening, line)
    tool = {"tool_name": "tides", "tool_outputs": {"high": "06:12"}}
    ada.post("/api/events", {"type": "tool_invocation", "conversation_id": evening, **tool})
    ada.say(evening, LINES[4])
    assert "06:12" in world.prompts[-1]

    ada.post(f"/api/conversations/{evening}/close")
    world.settle(ada)

    [passed] = ada.get(f"/api/conversations/{evening}/interactions")["items"]
    [summary] = ada.get(f"/api/conversations/{evening}/summaries")["items"]
    assert (passed["type"], summary["content"]) == ("COOPERATE", SUMMARY)
    assert summary["id"] in [each["ref"] for each in ada.get("/api/audit", params={"kind": "summary"})["items"]]
    story = {"episodes": [{"guidance": "They find the cellar."}], "remind_every": 2}
    following = ada.open(mira, config=story)
    assert SUMMARY in ada.prompt(following, "Good evening.")
    assert "They find the cellar." in ada.prompt(following, "Good evening.")
    short = ada.open(mira, config={**story, "template": "sms-chat"})
    assert "They find the cellar." not in ada.prompt(short, "Good evening.")


def test_a_character_talks_and_is_read_by_its_own_models(world: World) -> None:
    """V5, V9, F8: beside another that has none, in one workspace."""
    ada = _with_a_reader(world)
    vain = ada.character("Vain", models={"chat": "own-talker", "extraction": "own-reader", "analysis": "own-thinker"})
    plain = ada.character("Plain")

    for who in (vain, plain):
        talk = ada.open(who)
        for line in LINES:
            ada.say(talk, line)
        ada.post(f"/api/conversations/{talk}/close")
        world.settle(ada)

    asked = [(each.body["model"], _properties(each.body)) for each in world.model.asked_to_chat]
    models = {name: [properties for model, properties in asked if model == name] for name, _ in asked}
    assert set(models) == {"own-talker", "own-reader", "own-thinker", "fine-model"}
    assert all(not properties for properties in models["own-talker"])
    assert all("themes" not in properties and properties for properties in models["own-reader"])
    assert any("themes" in properties for properties in models["own-thinker"])
    assert any("type" in properties for properties in models["fine-model"])


@pytest.mark.postgres
def test_moving_house_changes_no_prompt(world: World, pg_world: World, tmp_path: Path) -> None:
    """V9, V18, M13, P12: a card with its lorebook, a chat and World Info; exported, and imported on PostgreSQL."""
    ada = world.start().owner()
    entries = [{"id": 1, "keys": ["lighthouse"], "content": "Built of grey stone.", "enabled": True, "extensions": {}}]
    data = {"name": "Mira", "description": "Mira keeps a lamp.", "character_book": {"entries": entries}}
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    mira = ada.post("/api/characters/import", card)["character"]["id"]
    ada.post("/api/lorebooks", {"entries": {"0": {"uid": 0, "key": ["ferry"], "content": "It sails at dawn."}}})
    chat = [
        {"user_name": "Tom", "character_name": "Mira", "chat_metadata": {}},
        {"name": "Tom", "is_user": True, "mes": "The gulls are loud.", "send_date": "2024-05-31T20:01:00Z"},
    ]
    lines = "\n".join(map(json.dumps, chat))
    ada.request("POST", "/api/conversations/import", params={"character_id": mira}, content=lines)
    ada.patch("/api/characters/user", {"description": "A surveyor of coasts."})
    talk = ada.open(mira)
    ada.say(talk, "I live in Porto. Is the lighthouse far from the ferry?")
    world.settle(ada)
    assert "Built of grey stone." in world.prompts[-1]
    assert "It sails at dawn." in world.prompts[-1]

    file = tmp_path / "house.jsonl"
    world.command().ok("export", "workspace", "--output", str(file))
    pg_world.command().ok("migrate")
    pg_world.command().ok("import", "workspace", str(file))
    there = pg_world.start().owner()
    pg_world.settle(there)

    question = {"content": "Where do I live, and what of the lighthouse and the ferry?"}
    before, after = (who.post(f"/api/conversations/{talk}/prompt", question) for who in (ada, there))
    assert after["messages"] == before["messages"]
    assert [each["why"] for each in after["lore"]] == [each["why"] for each in before["lore"]]
    assert len(after["lore"]) == 2
    assert "Porto" in json.dumps(after["messages"])
