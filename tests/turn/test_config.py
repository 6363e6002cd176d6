"""What a conversation may be told about itself, and who answers in it (V5, V6)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import structlog
from pydantic import SecretStr

from everlore.domain.config import ConversationConfig
from everlore.domain.config_choices import Service
from everlore.domain.setting import Setting
from everlore.errors import BadAsk, Misconfigured, ModelUnavailable, NotFound
from everlore.models.chat import Purpose
from everlore.models.choice import Wish
from everlore.settings import ChatSettings
from tests.turn.world import Scripted, on_sqlite, settings_of, world

KEY = "sk-very-secret-0123456789"


# ── config ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"colour": "red"}, r"There is no chat setting 'colour'\. Known settings: rating, service_type, model"),
        ({"useJailBreak": True}, "no chat setting 'useJailBreak'"),
        ({"rating": "X"}, "Content rating \\(rating\\) must be 'E', 'T', 'M', 'AO' or 'RC'.*You gave 'X'"),
        ({"message_trim": 1}, "message_trim.*must be at least 2. You gave 1"),
        ({"memory_extraction_max_per_segment": 6}, "must be at most 5. You gave 6"),
        ({"gossip_threshold": 1.5}, "gossip_threshold"),
        ({"start_mode": "nobody"}, "start_mode"),
        ({"memory_extraction_types": "FACT,GUESS"}, "memory_extraction_types.*'GUESS'.*Known types: FACT"),
        ({"context_window": 10}, "context_window"),
        ({"episodes": [{"name": "One"}]}, r"episodes\.0\.guidance"),
        ({"service_type": "carrier pigeon"}, "service_type"),
    ],
)
async def test_a_config_that_cannot_be_is_refused_with_the_sentence(wrong: dict[str, Any], sentence: str) -> None:
    """V6: at the start and later, and nothing is changed by it."""
    mind = world()
    talk = await mind.sits_down("Mira", memory_budget=300)

    with pytest.raises(BadAsk, match=sentence):
        await mind.lore.conversations.start("mira", config=wrong)
    with pytest.raises(BadAsk, match=sentence):
        await mind.lore.conversations.change(talk.id, config=wrong)

    assert (await mind.talk(talk)) == talk
    assert len((await mind.lore.conversations.list()).items) == 1


async def test_only_what_was_set_is_kept() -> None:
    """V6: a better default reaches old conversations too."""
    mind = world()
    await mind.meets("Mira")

    talk = await mind.lore.conversations.start("mira", config={"memory_budget": 300, "rating": "E"})
    assert talk.config == {"memory_budget": 300}

    changed = await mind.lore.conversations.change(talk.id, config={"prune": False, "memory_budget": 500})
    assert changed.config == {"prune": False}
    assert (await mind.lore.conversations.change(talk.id, title="Tea")).config == {"prune": False}


async def test_the_defaults_are_those_of_the_page() -> None:
    """V6."""
    defaults = ConversationConfig()

    assert (defaults.stream, defaults.assist, defaults.prune, defaults.private) == (False, False, True, False)
    assert (defaults.message_trim, defaults.keyframe_every, defaults.keyframes_kept) == (20, 30, 2)
    assert (defaults.remind_every, defaults.memory_budget, defaults.auto_title) == (6, 500, True)
    assert (defaults.gossip_enabled, defaults.gossip_threshold, defaults.gossip_max_suggestions) == (False, 0.65, 5)
    assert [each.value for each in defaults.extraction_types()] == [
        "FACT",
        "RELATIONSHIP",
        "DISCOVERY",
        "DECISION",
        "INSIGHT",
    ]
    assert "useJailBreak" not in ConversationConfig.model_fields


async def test_settings_that_are_changed_at_the_same_moment_are_all_kept(tmp_path: Path) -> None:
    """V6: the page sends each field by itself."""
    mind = await on_sqlite(tmp_path / "lore.db")
    talk = await mind.sits_down("Mira")
    wishes: list[dict[str, Any]] = [{"temperature": 0.3}, {"top_p": 0.8}, {"system_prompt": "Be brief."}]
    change = mind.lore.conversations.change
    await asyncio.gather(*(change(talk.id, config=wish) for wish in wishes))

    kept = (await mind.lore.conversations.get(talk.id)).config
    await mind.store.close()
    assert wishes == [{name: kept.get(name)} for wish in wishes for name in wish]


async def test_a_private_conversation_says_so_itself_and_on_each_message() -> None:
    """V6."""
    mind = world()
    talk = await mind.sits_down("Mira", private=True)
    await mind.says(talk, "Nobody must know.")

    assert talk.private
    assert {each.private for each in await mind.log(talk)} == {True}
    opened = await mind.lore.conversations.change(talk.id, config={"private": False})
    assert not opened.private


async def test_a_conversation_needs_known_persons_and_an_id_of_its_own() -> None:
    """V10, V11."""
    mind = world()
    talk = await mind.sits_down("Mira")
    start = mind.lore.conversations.start

    with pytest.raises(NotFound, match="no person 'nobody'"):
        await start(["mira", "nobody"])
    with pytest.raises(BadAsk, match="from 1 to 20 characters, and 0 were named"):
        await start([])
    with pytest.raises(BadAsk, match="and 21 were named"):
        await start([f"p{number}" for number in range(21)])
    with pytest.raises(Exception, match=rf"a conversation '{talk.id}' already"):
        await start("mira", id=talk.id)


async def test_a_conversation_whose_character_was_deleted_says_so() -> None:
    """V9: what was said stays."""
    mind = world()
    talk = await mind.sits_down("Mira")
    await mind.says(talk, "Hello!")
    await mind.lore.characters.delete("mira")

    with pytest.raises(BadAsk, match="its character was deleted"):
        await mind.says(talk, "Hello?")

    assert await mind.said(talk) == ["Hello!", "Fine."]


async def test_how_a_conversation_begins_is_up_to_its_config() -> None:
    """V6: start_mode."""
    mind = world()
    await mind.meets("Mira", greetings=("Come in!",))

    assert await mind.said(await mind.sits_down("Mira")) == ["Come in!"]
    assert await mind.said(await mind.sits_down("Mira", start_mode="none")) == []
    talk = await mind.lore.conversations.start("mira", greet=False)
    assert await mind.said(talk) == []
    assert mind.model.asks == []


# ── who answers ──────────────────────────────────────────────────────────────────────────────────


async def test_a_conversation_may_have_a_model_of_its_own() -> None:
    """V5."""
    mind = world()
    mind.models.named["other"] = other = Scripted("other")
    usual, special = await mind.sits_down("Mira"), await mind.sits_down("Mira", model="other")

    await mind.says(usual, "Hello!")
    reply = await mind.says(special, "Hello!")

    assert (len(mind.model.asks), len(other.asks)) == (1, 1)
    assert reply.metadata["model"] == "other"
    assert [each.base_url for each in mind.models.asked_for] == ["http://scripted.test/v1"] * 2


async def test_a_conversation_may_have_a_service_of_its_own() -> None:
    """V5."""
    mind = world()
    talk = await mind.sits_down("Mira", service_type="voice")

    reply = await mind.says(talk, "Hello!")

    assert mind.models.asked_for[-1].provider is Service.VOICE
    assert reply.metadata["built_in"] is True


async def test_a_workspace_may_wish_for_another_model_and_take_it_back() -> None:
    """V5: chat, analysis and extraction may differ."""
    mind = world()
    backends, scope = mind.resources.backends, mind.scope
    await backends.wish(scope, {Purpose.CHAT: Wish(model="big"), Purpose.ANALYSIS: Wish(model="small")})

    assert (await backends.endpoint_for(scope)).model == "big"
    assert (await backends.endpoint_for(scope, Purpose.ANALYSIS)).model == "small"
    assert (await backends.endpoint_for(scope, Purpose.EXTRACTION)).model == "big"
    assert (await backends.endpoint_for(mind.lore.within("other").scope)).model == "scripted"

    await backends.wish(scope, {Purpose.CHAT: None})
    assert (await backends.endpoint_for(scope)).model == "scripted"
    assert set(await backends.wished(scope)) == {Purpose.ANALYSIS}


async def test_the_conversation_has_the_last_word() -> None:
    """V5."""
    mind = world()
    await mind.resources.backends.wish(mind.scope, {Purpose.CHAT: Wish(model="big")})
    talk = await mind.sits_down("Mira", model="mine")

    await mind.says(talk, "Hello!")

    assert mind.models.asked_for[-1].model == "mine"


def _bytes_in(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


# ── keys ─────────────────────────────────────────────────────────────────────────────────────────


async def test_a_key_is_sealed_in_the_database_and_reaches_the_model(tmp_path: Path) -> None:
    """V5: the bytes of the file do not hold it."""
    mind = await on_sqlite(tmp_path / "lore.db", settings=settings_of(data_dir=tmp_path / "keys"))
    wish = Wish(provider=Service.OPENAI, base_url="https://example.test/v1", model="m", api_key=SecretStr(KEY))
    await mind.resources.backends.wish(mind.scope, {Purpose.CHAT: wish})
    talk = await mind.sits_down("Mira")
    await mind.says(talk, "Hello!")

    key = mind.models.asked_for[-1].api_key
    assert key is not None
    assert key.get_secret_value() == KEY
    await mind.store.close()
    kept = _bytes_in(tmp_path)
    assert "lore.db" in kept
    assert [name for name, content in kept.items() if KEY.encode() in content] == []


async def test_a_key_is_nowhere_but_with_the_model(tmp_path: Path) -> None:
    """V5: not in a repr, a log line, a live event, an error or a record."""
    mind = world(settings=settings_of(data_dir=tmp_path))
    wish = Wish(provider=Service.OPENAI, base_url="https://example.test/v1", model="m", api_key=SecretStr(KEY))
    mind.model.answers("Good ", ModelUnavailable("The server is down."))
    mind.model.answers(RuntimeError("a bug"))
    with (
        structlog.testing.capture_logs() as logged,
        mind.resources.live.listening(mind.scope.workspace) as listener,
    ):
        await mind.resources.backends.wish(mind.scope, {Purpose.CHAT: wish})
        talk = await mind.sits_down("Mira")
        failed = await mind.says(talk, "Hello!")
        await mind.again(talk, failed)
        endpoint = await mind.resources.backends.endpoint_for(mind.scope)
        told = await mind.resources.backends.told(mind.scope)
        wished = await mind.resources.backends.wished(mind.scope)

    [setting] = await mind.store.get_many(mind.scope, Setting, ["models"])
    seen = [endpoint, told, wished, setting, logged, listener, await mind.log(talk), mind.models.asked_for]
    assert KEY not in "".join(f"{each!r} {each}" for each in seen)
    assert "https://example.test/v1" in told


async def test_a_key_without_its_secret_is_the_operators_to_mend(tmp_path: Path) -> None:
    """V5: the reply says what to do, and does not say the key."""
    first = world(settings=settings_of(secret_key=SecretStr("one long passphrase"), data_dir=tmp_path))
    wish = Wish(provider=Service.OPENAI, api_key=SecretStr(KEY))
    await first.resources.backends.wish(first.scope, {Purpose.CHAT: wish})
    first.settings = settings_of(secret_key=SecretStr("another passphrase"), data_dir=tmp_path)
    mind = first.reborn(first.holder)
    talk = await mind.sits_down("Mira")

    reply = await mind.says(talk, "Hello!")

    assert reply.error.startswith("A stored key cannot be opened with EVERLORE_SECRET_KEY")
    assert KEY not in repr(reply)


async def test_a_key_needs_a_provider() -> None:
    """V5: a key never goes to an address that it was not given for."""
    mind = world()

    with pytest.raises(BadAsk, match="Name the provider"):
        await mind.resources.backends.wish(mind.scope, {Purpose.CHAT: Wish(api_key=SecretStr(KEY))})


async def test_a_model_that_cannot_be_made_is_said_on_the_reply() -> None:
    """V5, V1."""
    mind = world(settings=settings_of(chat=ChatSettings(provider="local", model="missing.gguf")))
    mind.models.error = Misconfigured("There is no model file 'missing.gguf'. Give the path of a .gguf file.")
    talk = await mind.sits_down("Mira")

    assert (await mind.says(talk, "Hello!")).error.startswith("There is no model file 'missing.gguf'")
