"""Which model answers, over HTTP, and what a workspace wants instead (V5)."""

from pydantic import SecretStr

from everlore.store.double.store import DoubleStore
from everlore.wiring import now
from tests.models.chat_server import TEXT
from tests.server.home import KEY, home


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
        assert well["state"] == "ok"
        assert failed["state"] == "failed"
        assert "127.0.0.1:9" in failed["detail"]
