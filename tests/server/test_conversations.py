"""Conversations over HTTP: started, listed, configured, closed, exported (V6, V10, V13, V17)."""

import asyncio
import json
from typing import Any

import pytest

from everlore.domain.config import ConversationConfig
from tests.models.chat_server import TEXT
from tests.server.home import home


async def test_conversations_are_listed_by_their_latest_activity() -> None:
    async with home() as here:
        older, newer = await here.talk(), await here.talk()
        await here.say(older, "Here again.")

        items = (await here.client.get("/api/conversations?limit=2")).json()["items"]

        assert [each["id"] for each in items] == [older, newer]
        assert items[0]["last_message"]["display_content"] == TEXT
        assert (items[0]["writing"], items[1]["last_message"]) == (False, None)
        assert items[0]["model"] == {
            "provider": "openai",
            "model": "fine-model",
            "base_url": here.model.url,
            "has_key": True,
            "origin": "operator",
            "built_in": False,
        }


async def test_only_messages_that_are_there_are_counted() -> None:
    async with home() as here:
        id = await here.talk()
        await here.say(id, "One.")
        await here.say(id, "Two.")
        messages = (await here.client.get(f"/api/conversations/{id}/messages")).json()["items"]

        gone = await here.client.delete(f"/api/conversations/{id}/messages/{messages[-1]['id']}")

        assert gone.is_success
        assert (await here.client.get(f"/api/conversations/{id}")).json()["message_count"] == 3
        (listed,) = (await here.client.get("/api/conversations")).json()["items"]
        assert listed["message_count"] == 3


async def test_a_conversation_is_renamed_closed_opened_and_deleted() -> None:
    async with home() as here:
        id = await here.talk()
        path = f"/api/conversations/{id}"

        named = (await here.client.patch(path, json={"title": "Ferries", "icon": "sailing"})).json()
        closed = (await here.client.post(f"{path}/close")).json()
        opened = (await here.client.patch(path, json={"state": "open"})).json()
        answered = await here.say(id)
        gone = await here.client.delete(path)

        assert (named["title"], named["icon"]) == ("Ferries", "sailing")
        assert (closed["state"], closed["closed_at"] is None) == ("closed", False)
        assert (opened["state"], opened["closed_at"]) == ("open", None)
        assert answered.status_code == 200
        assert gone.status_code == 204
        assert (await here.client.get(f"{path}/messages")).status_code == 404


async def test_only_what_was_set_of_the_config_is_kept() -> None:
    """V6."""
    async with home() as here:
        id = await here.talk(config={"memory_budget": 900, "message_trim": 20})

        changed = await here.client.patch(f"/api/conversations/{id}", json={"config": {"rating": "M"}})

        assert changed.json()["config"] == {"auto_title": False, "memory_budget": 900, "rating": "M"}


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"colour": "red"}, "no chat setting 'colour'"),
        ({"memory_extraction_max_per_segment": 6}, "memory_extraction_max_per_segment"),
        ({"rating": "X"}, "rating"),
        ({"memory_extraction_types": "FACT,GOSSIP"}, "GOSSIP"),
        ({"gossip_threshold": 1.5}, "gossip_threshold"),
        ({"episodes": [{"name": "One"}]}, "guidance"),
    ],
)
async def test_a_config_that_cannot_be_is_refused_by_name(config: dict[str, Any], says: str) -> None:
    """V6."""
    async with home() as here:
        body = {"character_id": await here.character(), "config": config}
        answer = await here.client.post("/api/conversations", json=body)

        assert answer.status_code == 400
        assert says in answer.json()["detail"]


async def test_the_schema_of_the_config_describes_every_field() -> None:
    """V6: one definition drives the form."""
    async with home() as here:
        schema = (await here.client.get("/api/config/schema")).json()

        assert set(schema["properties"]) == set(ConversationConfig.model_fields)
        assert all(each.get("description") for each in schema["properties"].values())
        assert schema["properties"]["message_trim"]["default"] == 20
        grouped = [name for group in schema["groups"] for name in group["fields"]]
        assert sorted(grouped) == sorted(ConversationConfig.model_fields)


async def test_several_characters_answer_when_they_are_named() -> None:
    """V10, V13."""
    async with home() as here:
        mike, rex = await here.character("Mike"), await here.character("Rex")
        body = {"character_ids": [mike, rex], "config": {"auto_title": False}}
        id = (await here.client.post("/api/conversations", json=body)).json()["id"]

        named = (await here.say(id, "Rex, what do you say?")).json()["reply"]
        chosen = (await here.say(id, "And you?", speaker_id=mike)).json()["reply"]
        stranger = await here.say(id, "And you?", speaker_id="nobody")
        await here.client.patch(f"/api/conversations/{id}", json={"present": ["user", rex]})
        alone = (await here.say(id, "A secret, Rex.")).json()["reply"]
        absent = await here.say(id, "And you, Mike?", speaker_id=mike)
        wrong = await here.client.patch(f"/api/conversations/{id}", json={"present": ["nobody"]})
        everybody = await here.client.patch(f"/api/conversations/{id}", json={"present": None})

        assert (named["name"], chosen["name"]) == ("Rex", "Mike")
        assert stranger.status_code == 400
        assert named["present"] == ["user", mike, rex]
        assert alone["present"] == ["user", rex]
        assert (absent.status_code, wrong.status_code) == (400, 400)
        assert "Mike is not in the scene" in absent.json()["detail"]
        assert everybody.json()["present"] is None
        assert (await here.say(id, "Mike?")).json()["reply"]["name"] == "Mike"


async def test_characters_come_into_a_conversation_and_leave_it() -> None:
    """V10, V13, U4: whoever comes in was not there before; whoever left keeps the name on what they said."""
    async with home() as here:
        mike, rex = await here.character("Mike"), await here.character("Rex")
        body = {"character_id": mike, "config": {"auto_title": False}}
        id = (await here.client.post("/api/conversations", json=body)).json()["id"]
        path = f"/api/conversations/{id}"
        await here.say(id, "The key lies under the third stone.")
        await here.client.patch(path, json={"present": ["user", mike]})

        both = (await here.client.patch(path, json={"character_ids": [mike, rex]})).json()
        answered = (await here.say(id, "Rex, good evening.")).json()["reply"]
        told = json.dumps(here.asked[-1])
        alone = (await here.client.patch(path, json={"character_ids": [rex]})).json()
        refused = [
            (await here.client.patch(path, json={"character_ids": ids})).status_code
            for ids in ([], ["user"], ["ghost"])
        ]

        assert ([each["name"] for each in both["characters"]], both["present"]) == (
            ["Mike", "Rex"],
            ["user", mike, rex],
        )
        assert (answered["name"], "third stone" in told) == ("Rex", False)
        assert (alone["system_ids"], alone["present"]) == ([rex], ["user", rex])
        assert [each["name"] for each in await here.messages(id)] == ["User", "Mike", "User", "Rex"]
        assert (await here.client.get(f"{path}/event")).json()["actors"] == [mike, rex]
        assert refused == [400, 400, 404]


async def test_only_somebody_who_is_there_can_say_something() -> None:
    """V13."""
    async with home() as here:
        id = await here.talk()
        nova = (await here.client.get(f"/api/conversations/{id}")).json()["system_ids"][0]
        guest = await here.character("Guest")

        said = await here.say(id, "I just came in.", person_id=guest)
        ghost, puppet = [await here.say(id, "Boo!", person_id=each) for each in ("ghost", nova)]

        assert guest in said.json()["user_message"]["present"]
        assert (ghost.status_code, puppet.status_code) == (404, 400)
        assert "Nova is played by the model" in puppet.json()["detail"]


async def test_a_user_is_no_character_and_stays_none() -> None:
    async with home() as here:
        nova = await here.character()
        me = (await here.client.get("/api/me")).json()["user"]["id"]

        changed = [
            await here.client.patch(f"/api/characters/{me}", json={"kind": "character"}),
            await here.client.patch(f"/api/characters/{nova}", json={"kind": "user"}),
            await here.client.post("/api/conversations", json={"character_id": me}),
            await here.client.post("/api/conversations", json={"character_id": nova, "user_id": nova}),
        ]

        assert [answer.status_code for answer in changed] == [400] * 4


async def test_an_unknown_icon_becomes_the_usual_one() -> None:
    """V7."""
    async with home() as here:
        id = await here.talk()

        changed = await here.client.patch(f"/api/conversations/{id}", json={"icon": "<script>"})

        assert changed.json()["icon"] == "chat"


async def test_messages_are_pinned_as_one_memory() -> None:
    """V17."""
    async with home() as here:
        id = await here.talk()
        await here.say(id, "I promise to come back in spring.")
        said, reply = await here.messages(id)

        pin = {
            "message_ids": [said["id"], reply["id"]],
            "what": "A promise was made.",
            "why": "It matters.",
            "quote": "come back in spring",
        }
        memory = await here.client.post(f"/api/conversations/{id}/pins", json=pin)
        many = await here.client.post(f"/api/conversations/{id}/pins", json=pin | {"message_ids": ["x"] * 21})

        assert memory.status_code == 201
        assert memory.json()["source_message_ids"] == [said["id"], reply["id"]]
        assert memory.json()["extra"] == {
            "why": "It matters.",
            "quote": "come back in spring",
            "quoted_from": [said["id"]],
            "pinned": True,
        }
        assert many.status_code == 422


async def test_a_chat_goes_out_and_in_again() -> None:
    """V9: swipes are alternatives."""
    async with home() as here:
        id = await here.talk()
        reply = (await here.say(id)).json()["reply"]
        await here.client.post(f"/api/conversations/{id}/messages/{reply['id']}/regenerate")
        exported = await here.client.get(f"/api/conversations/{id}/export")

        character = (await here.client.get(f"/api/conversations/{id}")).json()["system_ids"][0]
        path = f"/api/conversations/import?character_id={character}&filename=Ferries.jsonl"
        imported = await here.client.post(path, content=exported.content)
        again = await here.client.get(f"/api/conversations/{imported.json()['conversation']['id']}/export")

        assert [json.loads(line) for line in again.content.splitlines()][1:] == [
            json.loads(line) for line in exported.content.splitlines()
        ][1:]
        assert imported.json()["conversation"]["title"] == "Ferries"
        twins = await here.messages(imported.json()["conversation"]["id"])
        assert twins[1]["alternatives"] == [TEXT, TEXT]
        assert "2 messages." in imported.json()["report"]["kept"]


async def test_a_client_may_name_the_conversation_itself() -> None:
    """V11: an unknown id starts a new conversation under that id."""
    async with home() as here:
        body, headers = {"character_id": await here.character()}, {"X-Conversation-Session-Id": "mine"}

        first = await here.client.post("/api/conversations", json=body, headers=headers)
        again = await here.client.post("/api/conversations", json=body, headers=headers)

        assert first.json()["id"] == again.json()["id"] == "mine"
        assert len((await here.client.get("/api/conversations")).json()["items"]) == 1


@pytest.mark.parametrize("id", ["a/b", "a\r\nX-Evil: 1", 'a"; x=y', "日本", " ", "x" * 129])
async def test_an_id_that_would_break_an_address_is_refused(id: str) -> None:
    async with home() as here:
        answer = await here.client.post("/api/conversations", json={"character_id": await here.character(), "id": id})

        assert answer.status_code == 400
        assert "cannot be the id of a conversation" in answer.json()["detail"]


async def test_two_that_start_under_one_id_are_not_both_served() -> None:
    async with home() as here:
        body = {"character_id": await here.character(greetings=("Hello.",)), "id": "mine"}

        answers = await asyncio.gather(*(here.client.post("/api/conversations", json=body) for _ in range(5)))

        assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409, 409]
        assert len(await here.messages("mine")) == 1


async def test_a_character_that_only_greets_has_no_title_yet() -> None:
    """V7: after the first exchange."""
    async with home(provider="voice") as here:
        body = {"character_id": await here.character(), "config": {"start_mode": "system"}}
        id = (await here.client.post("/api/conversations", json=body)).json()["id"]
        while (await here.client.get(f"/api/conversations/{id}/stream")).status_code == 200:
            pass
        await here.lore.settle()
        before = (await here.client.get(f"/api/conversations/{id}")).json()["title"]
        await here.say(id, "Tell me of the ferry.")
        await here.lore.settle()

        assert before == ""
        assert (await here.client.get(f"/api/conversations/{id}")).json()["title"] == "Tell me of the ferry"


async def test_a_conversation_needs_somebody_to_talk_to() -> None:
    async with home() as here:
        nobody = await here.client.post("/api/conversations", json={})
        stranger = await here.client.post("/api/conversations", json={"character_id": "nobody"})
        id = await here.talk()
        taken = await here.client.post("/api/conversations", json={"character_id": await here.character(), "id": id})

        assert (nobody.status_code, stranger.status_code, taken.status_code) == (400, 404, 409)


async def test_new_conversations_are_set_up_as_the_workspace_wants_it() -> None:
    """V6, U12: what is given for one goes first, those that there are stay, and what cannot be is refused."""
    async with home() as here:
        before = await here.talk()
        kept = await here.client.put("/api/config", json={"memory_budget": 321, "stream": True, "prune": True})
        bad = await here.client.put("/api/config", json={"memory_budget": -1})
        character = (await here.client.post("/api/characters", json={"name": "Mira"})).json()["id"]
        new = {"character_id": character, "config": {"stream": False}}
        after = (await here.client.post("/api/conversations", json=new)).json()

        assert kept.json() == {"memory_budget": 321, "stream": True}
        assert (bad.status_code, (await here.client.get("/api/config")).json()) == (400, kept.json())
        assert after["config"] == {"memory_budget": 321}
        assert "memory_budget" not in (await here.client.get(f"/api/conversations/{before}")).json()["config"]
