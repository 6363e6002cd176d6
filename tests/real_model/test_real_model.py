"""Chat with a real llama.cpp server and a real, if very small, model (V5): the protocol, never the quality."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import httpx
import psutil
import pytest
from pydantic import SecretStr

from everlore.domain.config_choices import Service
from everlore.errors import Misconfigured, ModelUnavailable
from everlore.models.chat import Ask, End, Piece, Reason, Said, complete
from everlore.models.discovery import ServerAddress, discover
from everlore.models.local_chat import LocalChat
from everlore.models.openai_chat import OpenAIChat
from everlore.models.patience import Patience
from everlore.settings import ChatSettings

URL = os.environ["EVERLORE_REAL_MODEL_URL"]
KEY = SecretStr(os.environ["EVERLORE_REAL_MODEL_KEY"])
FILE = os.environ["EVERLORE_REAL_MODEL_FILE"]

CHAT = ChatSettings()


def ask(text: str, **options: object) -> Ask:
    said = (Said("system", "You are Mira, a ferry captain."), Said("user", text))
    return Ask(messages=said, temperature=0.0, **options)  # type: ignore[arg-type]  # options of an Ask


@pytest.fixture
async def model() -> AsyncIterator[Patience]:
    made = Patience(OpenAIChat(URL, "", KEY), CHAT)
    yield made
    await made.close()


@pytest.fixture
async def local() -> AsyncIterator[LocalChat]:
    made = LocalChat(FILE)
    yield made
    await made.close()


# A server of its own.


async def test_words_come_one_by_one_with_the_tokens_at_the_end(model: Patience) -> None:
    *pieces, end = [part async for part in model.stream(ask("Say hello.", max_tokens=24))]

    assert len(pieces) > 3
    assert all(isinstance(piece, Piece) and piece.text for piece in pieces)
    assert isinstance(end, End)
    assert end.prompt_tokens
    assert end.reply_tokens
    assert 3 < end.reply_tokens <= 24
    assert "SmolLM2" in model.name, "the server was asked which model it has"


async def test_a_reply_that_meets_its_limit_says_so(model: Patience) -> None:
    answer = await complete(model, ask("Tell me a long story about a ferry.", max_tokens=8))

    assert (answer.end.reason, answer.end.reply_tokens) == (Reason.LENGTH, 8)


async def test_a_stop_word_ends_the_reply(model: Patience) -> None:
    answer = await complete(model, ask("Count from 1 to 9, with commas.", max_tokens=60, stop=(",",)))

    assert answer.end.reason is Reason.STOP
    assert "," not in answer.text


async def test_a_schema_is_kept(model: Patience) -> None:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {
            "title": {"type": "string", "maxLength": 40},
            "mood": {"enum": ["calm", "stormy"]},
            "crew": {"type": "integer", "minimum": 1, "maximum": 9},
        },
        "required": ["title", "mood", "crew"],
        "additionalProperties": False,
    }

    answer = await complete(model, ask("Describe a ferry trip as JSON.", schema=schema, max_tokens=120))

    trip = json.loads(answer.text)
    assert set(trip) == {"title", "mood", "crew"}
    assert trip["mood"] in {"calm", "stormy"}
    assert len(trip["title"]) <= 40
    assert 1 <= trip["crew"] <= 9


async def test_a_stopped_reply_stops_the_server_and_the_next_call_works(model: Patience) -> None:
    # A schema that takes hundreds of tokens: the model cannot come to an end by itself.
    long = {"type": "array", "items": {"type": "string", "minLength": 20}, "minItems": 60}
    async with aclosing(model.stream(ask("List sixty ferries.", schema=long, max_tokens=1_500))) as parts:
        for _ in range(5):
            await anext(parts)

    assert await tokens_when_idle() < 500, "1,500 were asked for"
    assert (await complete(model, ask("Say hello.", max_tokens=8))).text


async def tokens_when_idle() -> int:
    """How many tokens the only slot holds, prompt and reply, once it works on nothing any more."""
    headers = {"Authorization": f"Bearer {KEY.get_secret_value()}"}
    async with asyncio.timeout(120), httpx.AsyncClient(headers=headers, timeout=120) as client:
        while True:
            (slot,) = (await client.get(f"{URL.removesuffix('/v1')}/slots")).json()
            if not slot["is_processing"]:
                return int(slot["n_prompt_tokens"])


async def test_several_asks_at_once_are_all_answered(model: Patience) -> None:
    answers = await asyncio.gather(*(complete(model, ask(f"Say {n}.", max_tokens=8)) for n in range(4)))

    assert all(answer.text for answer in answers)


async def test_a_prompt_that_is_too_long_says_what_to_lower(model: Patience) -> None:
    with pytest.raises(Misconfigured, match=r"longer than the model.*exceeds the available context.*context_window"):
        await complete(model, ask("ferry " * 5_000, max_tokens=8))


async def test_a_wrong_key_is_told() -> None:
    model = OpenAIChat(URL, "any", SecretStr("wrong"))

    with pytest.raises(Misconfigured, match="did not accept the key"):
        await complete(model, ask("Say hello."))
    await model.close()


async def test_an_address_without_chat_is_told() -> None:
    model = OpenAIChat(f"{URL}/elsewhere", "any", KEY)

    with pytest.raises(Misconfigured, match="no chat at that address"):
        await complete(model, ask("Say hello."))
    await model.close()


async def test_an_unknown_model_is_answered_by_the_one_that_is_loaded() -> None:
    """llama.cpp takes any name; whoever shows a model's name must know that."""
    model = OpenAIChat(URL, "no-such-model", KEY)

    assert (await complete(model, ask("Say hello.", max_tokens=8))).text
    await model.close()


async def test_a_server_that_wants_a_key_is_not_offered() -> None:
    assert await discover({}, places=[ServerAddress("llama.cpp", Service.OPENAI, URL)], limit_s=20) == ()


# A file, without any server to start.


async def test_a_model_file_answers_and_nothing_else_stands_still_while_it_loads(local: LocalChat) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.01)

    ticking = asyncio.create_task(tick())
    *pieces, end = [part async for part in local.stream(ask("Say hello.", max_tokens=16))]
    ticking.cancel()

    assert pieces
    assert isinstance(end, End)
    assert end.reply_tokens
    assert ticks > 10
    assert (local.name, local.backend) == (Path(FILE).stem, "local")


async def test_the_child_ends_with_the_model_and_comes_back_when_asked(local: LocalChat) -> None:
    await complete(local, ask("Say hello.", max_tokens=4))
    (child,) = psutil.Process().children()

    await local.close()

    assert not child.is_running()
    assert (await complete(local, ask("Say hello.", max_tokens=4))).text


async def test_a_child_that_died_is_started_anew(local: LocalChat) -> None:
    patient = Patience(local, CHAT)
    await complete(patient, ask("Say hello.", max_tokens=4))
    (child,) = psutil.Process().children()

    child.kill()

    assert (await complete(patient, ask("Say hello.", max_tokens=4))).text


async def test_a_file_that_is_only_called_gguf_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mira.gguf"
    file.write_bytes(b"GGUF" + b"\0" * 1_000)
    local = LocalChat(str(file))

    with pytest.raises(Misconfigured, match="could not be loaded"):
        await complete(local, ask("Say hello."))
    await local.close()


async def test_the_child_does_not_outlive_its_parent() -> None:
    program = (
        "import asyncio, psutil; from everlore.models.chat import *; from everlore.models.local_chat import LocalChat\n"
        "async def run():\n"
        f"    await complete(LocalChat({FILE!r}), Ask(messages=(Said('user', 'Hi'),), max_tokens=1))\n"
        "    print(psutil.Process().children()[0].pid, flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(run())\n"
    )
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
    assert parent.stdout
    child = psutil.Process(int(await parent.stdout.readline()))

    parent.kill()
    await parent.wait()

    await asyncio.to_thread(child.wait, 30)


async def test_nobody_else_on_this_machine_may_use_the_child(local: LocalChat) -> None:
    await complete(local, ask("Say hello.", max_tokens=4))
    (child,) = psutil.Process().children()
    (listening,) = [at.laddr for at in child.net_connections() if at.status == psutil.CONN_LISTEN]

    stranger = OpenAIChat(f"http://127.0.0.1:{listening.port}/v1", "any")

    assert listening.ip == "127.0.0.1"
    with pytest.raises(Misconfigured, match="did not accept a call without a key"):
        await complete(stranger, ask("Say hello."))
    await stranger.close()


async def test_time_limits_hold_for_a_real_model(model: Patience) -> None:
    hurried = Patience(OpenAIChat(URL, "", KEY), ChatSettings(whole_timeout_s=0.5, first_piece_timeout_s=0.4))

    with pytest.raises(ModelUnavailable, match=r"did not come to an end|did not begin"):
        await complete(hurried, ask("Tell me a very long story about sixty ferries.", max_tokens=1_500))

    await hurried.close()
    assert (await complete(model, ask("Say hello.", max_tokens=4))).text
