"""Which model answers, over HTTP, and what a workspace wants instead (V5)."""

from typing import Any

from pydantic import SecretStr

from everlore.wiring import now
from tests.models.chat_server import TEXT, failing
from tests.server.home import KEY, home
from tests.store_double.store import DoubleStore


async def test_the_built_in_voice_says_that_it_is_one_and_how_to_change_that() -> None:
    """V5."""
    async with home(provider="voice") as here:
        models = (await here.client.get("/api/models")).json()

        assert models["chat"]["built_in"] is True
        assert "Ollama" in models["hint"]


async def test_a_workspace_chooses_its_own_model_and_takes_it_back() -> None:
    """V5: a key goes in and never comes out."""
    async with home(provider="voice") as here:
        wish = {"provider": "openai", "base_url": here.model.url, "model": "other-model", "api_key": KEY}
        chosen = await here.client.put("/api/models", json={"chat": wish})
        id = await here.talk()
        reply = (await here.say(id)).json()["reply"]
        kept = await here.client.put("/api/models", json={"chat": wish | {"api_key": None, "model": "fine-model"}})
        await here.say(id, "Again?")
        back = await here.client.put("/api/models", json={"chat": None})

        assert chosen.json()["chat"] == {
            "provider": "openai",
            "model": "other-model",
            "base_url": here.model.url,
            "has_key": True,
            "origin": "workspace",
            "built_in": False,
        }
        assert (reply["display_content"], reply["model"]) == (TEXT, "other-model")
        assert kept.json()["chat"]["has_key"] is True
        assert here.model.asked_to_chat[-1].headers["authorization"] == f"Bearer {KEY}"
        assert back.json()["chat"]["built_in"] is True
        assert KEY not in chosen.text + kept.text + back.text


async def test_a_conversation_may_ask_for_another_model() -> None:
    """V5, V6."""
    async with home() as here:
        id = await here.talk(config={"model": "other-model"})
        voice = await here.talk(config={"service_type": "voice"})

        await here.say(id)

        assert here.asked[-1]["model"] == "other-model"
        assert (await here.client.get(f"/api/conversations/{id}")).json()["model"]["origin"] == "conversation"
        assert (await here.client.get(f"/api/conversations/{voice}")).json()["model"]["built_in"] is True


async def test_a_character_may_prefer_a_model() -> None:
    """V9."""
    async with home() as here:
        nova = await here.character("Nova", models={"chat": "other-model"})
        for config in ({}, {"model": "fine-model"}):
            body = {"character_id": nova, "config": {"auto_title": False} | config}
            await here.say((await here.client.post("/api/conversations", json=body)).json()["id"])

        assert [asked["model"] for asked in here.asked] == ["other-model", "fine-model"]


async def test_an_address_that_may_hold_a_secret_is_refused() -> None:
    """S-2: addresses are shown and logged."""
    async with home() as here:
        for address in ("http://me:secret@localhost/v1", "http://localhost/v1?key=secret", "localhost", "file:///x"):
            answer = await here.client.put("/api/models", json={"chat": {"provider": "openai", "base_url": address}})
            assert answer.status_code == 400
            assert "secret" not in answer.text


async def test_a_key_does_not_go_to_another_address() -> None:
    """S-2."""
    async with home(provider="voice") as here:
        wish = {"provider": "openai", "base_url": "http://localhost:1/v1", "model": "m", "api_key": KEY}
        await here.client.put("/api/models", json={"chat": wish})
        moved = {"provider": "openai", "base_url": here.model.url, "model": "fine-model"}

        answer = await here.client.put("/api/models", json={"chat": moved})
        await here.say(await here.talk())

        assert answer.json()["chat"]["has_key"] is False
        assert KEY not in str(here.model.asked_to_chat[-1].headers)


async def test_a_lost_secret_locks_nobody_out() -> None:
    """S-2: the reply says what to do, and the key can be entered again."""
    store = DoubleStore(clock=now)
    wish = {"provider": "openai", "model": "fine-model", "api_key": KEY}
    async with home(store=store, secret_key=SecretStr("the first secret")) as here:
        await here.client.put("/api/models", json={"chat": wish | {"base_url": here.model.url}})

    async with home(store=store, secret_key=SecretStr("another secret"), provider="voice") as here:
        models = await here.client.get("/api/models")
        id = await here.talk()
        failed = await here.say(id)
        mended = await here.client.put("/api/models", json={"chat": wish | {"base_url": here.model.url}})
        answered = await here.say(id, "And now?")

    assert (models.status_code, models.json()["chat"]["has_key"]) == (200, True)
    assert failed.status_code == 502
    assert "enter the key of the model provider again" in failed.json()["detail"]
    assert (mended.status_code, answered.status_code) == (200, 200)


async def test_a_model_is_asked_for_a_word_and_says_why_it_has_none() -> None:
    """U12, V5: what is tested is what is chosen for that purpose; the built-in voice is no model."""
    async with home(provider="voice") as here:
        silent = (await here.client.post("/api/models/test", json={})).json()
        wish = {"provider": "openai", "base_url": here.model.url, "model": "fine-model"}
        await here.client.put("/api/models", json={"extraction": wish})
        well = (await here.client.post("/api/models/test", json={"purpose": "extraction"})).json()
        await here.client.put("/api/models", json={"chat": wish | {"base_url": "http://127.0.0.1:9/v1"}})
        failed = (await here.client.post("/api/models/test", json={"purpose": "chat"})).json()

        assert silent["state"] == "warning"
        assert "connect a model here" in silent["detail"]
        assert well["state"] == "ok"
        assert failed["state"] == "failed"
        assert "127.0.0.1:9" in failed["detail"]
        assert "EVERLORE_" not in f"{silent}{well}{failed}"


async def test_a_server_is_tested_before_it_is_saved_and_says_what_is_wrong() -> None:
    """U19, V5: unreachable, wrong key, wrong path, missing model, no chat; nothing of it is saved."""
    async with home(provider="voice") as here:
        wish = {"provider": "openai", "base_url": here.model.url, "model": "fine-model", "api_key": KEY}

        async def tried(**changes: str) -> dict[str, Any]:
            body = {"purpose": "chat", "wish": wish | changes}
            found: dict[str, Any] = (await here.client.post("/api/models/test", json=body)).json()
            assert KEY not in str(found)
            return found

        works = await tried()
        away = await tried(base_url="http://127.0.0.1:9/v1")
        no_path = await tried(base_url=f"{here.model.root}/elsewhere")
        here.model.by_model["gone"] = failing(404, "model not found")
        missing = await tried(model="gone")
        here.model.by_model["reader"] = failing(400, "this model does not support chat")
        mute = await tried(model="reader")
        here.model.by_model["locked"] = failing(401, "bad key")
        locked = await tried(model="locked")
        listed = (await here.client.post("/api/models/list", json={"wish": wish | {"model": ""}})).json()
        chosen = (await here.client.get("/api/models")).json()["chat"]

        assert (works["state"], works["problem"], works["model"]) == ("ok", "", "fine-model")
        assert (away["state"], away["problem"]) == ("failed", "unreachable")
        assert "127.0.0.1:9" in away["detail"]
        assert no_path["problem"] == "path"
        assert "/v1" in no_path["fix"]
        assert missing["problem"] == "model"
        assert "gone" in missing["detail"]
        assert mute["problem"] == "chat"
        assert "does not support chat" in mute["detail"]
        assert locked["problem"] == "key"
        assert listed["models"] == works["models"] != []
        assert chosen["built_in"] is True


async def test_the_saved_key_is_used_to_test_the_same_address_and_no_other() -> None:
    """U19, S-1: the form has no key to send."""
    async with home(provider="voice") as here:
        wish = {"provider": "openai", "base_url": here.model.url, "model": "fine-model"}
        await here.client.put("/api/models", json={"chat": wish | {"api_key": KEY}})
        await here.client.post("/api/models/test", json={"wish": wish})
        same = here.model.asked[-1].headers["authorization"]
        await here.client.post("/api/models/list", json={"wish": wish | {"base_url": f"{here.model.root}/other/v1"}})
        other = here.model.asked[-1].headers.get("authorization", "")

        assert KEY in same
        assert KEY not in other


async def test_sampling_and_the_system_prompt_reach_the_model() -> None:
    """U19, V6, V9: the chat's own settings, the defaults for new chats, and the character's, in this order."""
    async with home() as here:
        await here.client.put("/api/config", json={"temperature": 0.5, "system_prompt": "Answer {{user}} in French."})
        mira = await here.character("Mira")
        await here.client.patch(f"/api/characters/{mira}", json={"models": {"top_p": 0.8, "temperature": 1.5}})
        config = {"max_tokens": 99, "auto_title": False, "extract_memories": False}
        made = await here.client.post("/api/conversations", json={"character_id": mira, "config": config})
        id = made.json()["id"]
        await here.say(id, "Good evening.")
        first = here.model.asked_to_chat[-1].body
        await here.client.patch(f"/api/conversations/{id}", json={"config": {"temperature": 0.0}})
        await here.say(id, "And now?")
        second = here.model.asked_to_chat[-1].body

        assert (first["temperature"], first["top_p"], first["max_tokens"]) == (0.5, 0.8, 99)
        assert "in French." in first["messages"][0]["content"]
        assert "{{user}}" not in str(first["messages"])
        assert second["temperature"] == 0.0


async def test_a_character_with_a_wrong_parameter_still_replies() -> None:
    """U19, V9: cards come from anywhere."""
    async with home() as here:
        mira = await here.character("Mira")
        await here.client.patch(f"/api/characters/{mira}", json={"models": {"temperature": 9, "top_p": "high"}})
        made = await here.client.post(
            "/api/conversations", json={"character_id": mira, "config": {"auto_title": False}}
        )
        said = await here.say(made.json()["id"], "Good evening.")

        assert said.status_code == 200
        assert not {"temperature", "top_p"} & here.model.asked_to_chat[-1].body.keys()
