"""How many tokens a model takes, as its server tells it (V5, P9)."""

from typing import Any

import pytest

from everlore.models.ollama_chat import OllamaChat
from everlore.models.openai_chat import OpenAIChat
from everlore.models.window import stated_window
from tests.models.chat_server import ChatServer

MODEL = "fine-model"


@pytest.mark.parametrize(
    ("told", "window"),
    [
        pytest.param({"max_model_len": 32_768}, 32_768, id="vLLM"),
        pytest.param({"context_length": 131_072}, 131_072, id="OpenRouter"),
        pytest.param({"context_window": 131_072}, 131_072, id="Groq"),
        pytest.param({"max_context_length": 32_768}, 32_768, id="Mistral"),
        pytest.param({"meta": {"n_ctx": 16_384, "n_ctx_train": 131_072}}, 16_384, id="llama.cpp"),
        pytest.param({}, None, id="OpenAI"),
        pytest.param({"max_model_len": "much"}, None, id="no number"),
        pytest.param({"max_model_len": -1}, None, id="no window"),
        pytest.param({"max_model_len": True}, None, id="a claim"),
    ],
)
async def test_the_list_of_models_tells_it(told: dict[str, Any], window: int | None) -> None:
    with ChatServer() as server:
        server.told = told
        chat = OpenAIChat(server.url, MODEL)
        found = await chat.window()
        await chat.close()

    assert found == window


@pytest.mark.parametrize(
    ("owner", "path", "page", "window"),
    [
        pytest.param(
            "llamacpp", "/props", {"default_generation_settings": {"n_ctx": 4_096}}, 4_096, id="llama.cpp, of a slot"
        ),
        pytest.param(
            "organization_owner",
            "/api/v0/models",
            {"data": [{"id": MODEL, "max_context_length": 131_072, "loaded_context_length": 8_000}]},
            8_000,
            id="LM Studio, as loaded",
        ),
        pytest.param(
            "organization_owner",
            "/api/v0/models",
            {"data": [{"id": MODEL, "max_context_length": 131_072, "state": "not-loaded"}]},
            131_072,
            id="LM Studio, not loaded",
        ),
        pytest.param("somebody", "/props", {"default_generation_settings": {"n_ctx": 4_096}}, None, id="nobody's page"),
    ],
)
async def test_a_page_of_its_own_tells_it(owner: str, path: str, page: object, window: int | None) -> None:
    with ChatServer() as server:
        server.told = {"owned_by": owner, "meta": {"n_ctx_train": 131_072}}
        server.pages[path] = page
        chat = OpenAIChat(server.url, MODEL)
        found = await chat.window()
        await chat.close()

    assert found == window


@pytest.mark.parametrize(
    ("shown", "window"),
    [
        ({"model_info": {"llama.context_length": 131_072}}, 131_072),
        ({"model_info": {"llama.context_length": 131_072}, "parameters": "stop x\nnum_ctx   4096"}, 4_096),
        ({"model_info": {}}, None),
        (["nonsense"], None),
    ],
)
async def test_ollama_tells_it_of_each_model(shown: object, window: int | None) -> None:
    with ChatServer() as server:
        server.pages["/api/show"] = shown
        chat = OllamaChat(server.root, MODEL)
        found = await chat.window()
        await chat.close()

    assert found == window


async def test_a_server_that_is_down_or_talks_nonsense_tells_nothing() -> None:
    with ChatServer() as server:
        address = server.url
        server.pages["/v1/models"] = "unused"
        server.told = {"id": None}
        chat = OpenAIChat(address, MODEL)
        odd = await chat.window()
    down = await chat.window()
    await chat.close()

    assert (odd, down) == (None, None)


@pytest.mark.parametrize(
    ("said", "window"),
    [
        ("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", 8_192),
        ("the request exceeds the available context size (4096 tokens), try increasing it", 4_096),
        ("prompt is too long: 210000 tokens > 200,000 maximum", None),
        ("Input is too long.", None),
    ],
)
def test_a_refusal_states_it_sometimes(said: str, window: int | None) -> None:
    assert stated_window(said) == window
