"""One chat model for each endpoint, with patience, closed at the end (V5)."""

import asyncio
import logging
import traceback
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from pydantic import SecretStr

from everlore.domain.config_choices import Service
from everlore.errors import BadAsk, EverloreError, Misconfigured
from everlore.models.chat import Ask, End, Piece, Said, complete
from everlore.models.choice import VOICE, ChoiceOrigin, Endpoint
from everlore.models.registry import MOST_MODELS, ChatModels
from everlore.settings import ChatSettings, Settings
from tests.models.chat_server import TEXT, ChatServer, failing

KEY = "sk-very-secret-0123456789"
ASK = Ask(messages=(Said("user", "When does the ferry leave?"),))
SETTINGS = ChatSettings(backoff_s=0.001)


class Voice:
    name = "everlore/voice"
    backend = "voice"
    closed = False

    async def stream(self, ask: Ask) -> AsyncGenerator[Piece | End, None]:
        yield Piece("Hello.")
        yield End()

    async def close(self) -> None:
        self.closed = True


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture
async def models() -> AsyncIterator[ChatModels]:
    made = ChatModels(SETTINGS, voice=Voice)
    yield made
    await made.close()


def at(server: ChatServer, provider: Service = Service.OPENAI, **changes: object) -> Endpoint:
    address = server.url if provider is Service.OPENAI else server.root
    endpoint = Endpoint(provider=provider, base_url=address, model="m", origin=ChoiceOrigin.OPERATOR)
    return replace(endpoint, **changes)  # type: ignore[arg-type]  # changes are of the fields


@pytest.mark.parametrize("provider", [Service.OPENAI, Service.OLLAMA])
async def test_an_endpoint_becomes_a_model_that_answers(
    models: ChatModels, server: ChatServer, provider: Service
) -> None:
    model = models.get(at(server, provider))

    assert (await complete(model, ASK)).text == TEXT
    assert (model.name, model.backend) == ("m", server.root)


async def test_no_model_at_all_is_the_built_in_voice(models: ChatModels) -> None:
    model = models.get(VOICE)

    assert (await complete(model, ASK)).text == "Hello."
    assert (model.name, model.backend) == ("everlore/voice", "voice")


async def test_retries_work_for_every_provider(models: ChatModels, server: ChatServer) -> None:
    for provider in (Service.OPENAI, Service.OLLAMA):
        server.script = ["503", "hang up", "fine"]

        assert (await complete(models.get(at(server, provider)), ASK)).text == TEXT

    assert len(server.asked) == 6


async def test_an_endpoint_has_one_model_whoever_chose_it(models: ChatModels, server: ChatServer) -> None:
    one = models.get(at(server))

    assert models.get(at(server, origin=ChoiceOrigin.CONVERSATION)) is one
    assert models.get(at(server, model="other")) is not one
    assert models.get(at(server, api_key=SecretStr(KEY))) is not one


async def test_all_are_closed_at_the_end_and_made_anew_when_asked(models: ChatModels, server: ChatServer) -> None:
    voice, model = models.get(VOICE), models.get(at(server))
    await complete(model, ASK)

    await models.close()

    assert isinstance(voice, Voice)
    assert voice.closed
    assert models.get(at(server)) is not model


# A model file.


def test_a_missing_package_for_model_files_says_how_to_install_it(
    models: ChatModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everlore.models.local_chat.find_spec", lambda _: None)

    with pytest.raises(Misconfigured, match=r"pip install 'everlore\[local\]'"):
        models.get(Endpoint(provider=Service.LOCAL, model="mira.gguf", origin=ChoiceOrigin.OPERATOR))


@pytest.mark.parametrize(
    ("content", "sentence"), [(None, "There is no model file"), (b"PK\x03\x04", "is no GGUF file")]
)
def test_a_wrong_model_file_is_named(
    models: ChatModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, sentence: str
) -> None:
    monkeypatch.setattr("everlore.models.local_chat.find_spec", lambda _: object())
    file = tmp_path / "mira.gguf"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(Misconfigured, match=rf"{sentence}.*Give the path"):
        models.get(Endpoint(provider=Service.LOCAL, model=str(file), origin=ChoiceOrigin.OPERATOR))


async def test_a_model_file_that_does_not_load_says_so(
    models: ChatModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the package is not installed, the child ends for want of it: to us that is the same."""
    monkeypatch.setattr("everlore.models.local_chat.find_spec", lambda _: object())
    file = tmp_path / "mira.gguf"
    file.write_bytes(b"GGUF but not really")

    with pytest.raises(Misconfigured, match="could not be loaded; the log says why"):
        await complete(models.get(Endpoint(provider=Service.LOCAL, model=str(file), origin=ChoiceOrigin.OPERATOR)), ASK)


@pytest.mark.parametrize("exists", [True, False])
def test_a_barred_file_is_refused_in_the_same_words_whether_it_exists_or_not(
    models: ChatModels, tmp_path: Path, exists: bool
) -> None:
    """V5."""
    file = tmp_path / "mira.gguf"
    if exists:
        file.write_bytes(b"GGUF")

    with pytest.raises(BadAsk, match=r"mira\.gguf' may not be used: only files in the folder"):
        models.get(Endpoint(provider=Service.LOCAL, model=str(file), origin=ChoiceOrigin.CONVERSATION, barred=True))


async def test_only_one_model_file_is_kept(
    models: ChatModels, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """V5: each fills the memory."""
    monkeypatch.setattr("everlore.models.local_chat.find_spec", lambda _: object())
    files = [tmp_path / "mira.gguf", tmp_path / "rex.gguf"]
    for file in files:
        file.write_bytes(b"GGUF")
    one, other = (Endpoint(provider=Service.LOCAL, model=str(file), origin=ChoiceOrigin.OPERATOR) for file in files)
    first, beside = models.get(one), models.get(at(server))

    assert models.get(one) is first
    models.get(other)

    assert models.get(one) is not first
    assert models.get(at(server)) is beside


# Only so many.


async def test_those_that_nobody_asked_for_the_longest_are_not_kept(models: ChatModels, server: ChatServer) -> None:
    """V5."""
    made = [models.get(at(server, model=f"m{number}")) for number in range(MOST_MODELS)]
    assert models.get(at(server, model="m0")) is made[0]

    models.get(at(server, model="one more"))

    assert models.get(at(server, model="m0")) is made[0]
    assert models.get(at(server, model="m2")) is made[2]
    assert models.get(at(server, model="m1")) is not made[1]


@pytest.mark.parametrize("provider", [Service.OPENAI, Service.OLLAMA])
async def test_a_reply_that_has_begun_is_not_broken_off_by_newer_models(
    models: ChatModels, server: ChatServer, provider: Service
) -> None:
    """V5: its model is closed when it has ended, and still answers whoever holds it."""
    model = models.get(at(server, provider, model="stall"))
    async with aclosing(cast(AsyncGenerator[Piece | End, None], model.stream(ASK))) as parts:
        heard = [await anext(parts)]
        for number in range(MOST_MODELS):
            models.get(at(server, model=f"m{number}"))
        await asyncio.sleep(0)
        server.release()
        heard += [part async for part in parts]

    assert "".join(part.text for part in heard if isinstance(part, Piece)) == TEXT
    assert (await complete(model, ASK)).text == TEXT


# Secrets.


@pytest.mark.parametrize("provider", [Service.OPENAI, Service.OLLAMA])
@pytest.mark.parametrize("scenario", ["fine", "401", "429", "500", "half", "garbage", "error inside", "hang up"])
async def test_a_key_in_the_settings_is_never_shown_anywhere(
    server: ChatServer, caplog: pytest.LogCaptureFixture, provider: Service, scenario: str
) -> None:
    """V5: neither by a log line, nor by an error, nor by the repr of anything on the way."""
    caplog.set_level(logging.DEBUG)
    server.by_model["m"] = failing(401, f"wrong key: {KEY}") if scenario == "401" else scenario
    settings = Settings(chat=ChatSettings(api_key=SecretStr(KEY), backoff_s=0.001))
    models = ChatModels(settings.chat, voice=Voice)
    model = models.get(at(server, provider, api_key=settings.chat.api_key))
    shown = ""

    try:
        await complete(model, ASK)
    except EverloreError as error:
        shown = "".join(traceback.format_exception(error))
    await models.close()

    assert f"Bearer {KEY}" in {asked.headers["authorization"] for asked in server.asked}
    assert KEY not in shown + caplog.text + "".join(map(repr, (settings, models, vars(models), model, vars(model))))
