"""What a client asks for reaches the model, and what came of it comes back: tools, forms, pictures (9-surfaces)."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import openai
import pytest
from pydantic import BaseModel

from everlore.domain.event import Event, EventType
from everlore.server.access import SESSION
from tests.models.chat_server import TEXT, Exchange, failing
from tests.server.home import Home, home

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {"place": {"type": "string"}}}},
}
PIXEL = "data:image/png;base64,iVBORw0KGgo="


class Ferry(BaseModel):
    name: str
    leaves_at: int


async def calls_a_tool(exchange: Exchange) -> None:
    """In three deltas, as a server streams it."""
    if any(each["role"] == "tool" for each in exchange.asked.body["messages"]):
        await exchange.begin()
        await exchange.text(["It ", "rains."])
        await exchange.finish()
        await exchange.end()
        return
    await exchange.begin()
    head = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "weather", "arguments": ""}}
    parts = [head, *({"index": 0, "function": {"arguments": each}} for each in ('{"place": ', '"Oslo"}'))]
    for part in parts:
        await exchange.event({"choices": [{"index": 0, "delta": {"tool_calls": [part]}}]})
    await exchange.finish("tool_calls")
    await exchange.end()


async def writes_json(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.text(['{"name": "Ingrid", ', '"leaves_at": 7}'])
    await exchange.finish()
    await exchange.end()


async def two_answers(exchange: Exchange) -> None:
    odds = {"content": [{"token": "Yes", "logprob": -0.1, "bytes": None, "top_logprobs": []}]}
    await exchange.begin()
    await exchange.event({"choices": [{"index": 0, "delta": {"content": "Yes"}, "logprobs": odds}]})
    await exchange.event({"choices": [{"index": 1, "delta": {"content": "No"}}]})
    await exchange.event({"choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]})
    await exchange.finish()
    await exchange.end()


@asynccontextmanager
async def nova(scenario: Any = "fine", **given: Any) -> AsyncIterator[tuple[Home, openai.AsyncOpenAI]]:
    async with home(workers=0, **given) as here:
        here.model.scenario = scenario
        await here.character("Nova")
        async with openai.AsyncOpenAI(base_url=f"{here.url}/v1", api_key="unused", max_retries=0) as client:
            yield here, client


async def ask(here: Home, *messages: Any, headers: dict[str, str] | None = None, **body: Any) -> httpx.Response:
    said = [{"role": "user", "content": each} if isinstance(each, str) else each for each in messages]
    given = {"model": "nova", "messages": said, **body}
    return await here.client.post("/v1/chat/completions", json=given, headers=headers or {})


@pytest.mark.parametrize("stream", [False, True])
async def test_a_tool_is_called_and_its_result_answered(stream: bool) -> None:
    """C1: one turn, one reply, and the call an event, once."""
    async with nova(calls_a_tool) as (here, client):
        talk: list[Any] = [{"role": "user", "content": "What is the weather in Oslo?"}]
        if stream:
            async with client.chat.completions.stream(model="nova", messages=talk, tools=[TOOL]) as events:  # type: ignore[list-item]
                final = await events.get_final_completion()
        else:
            final = await client.chat.completions.create(model="nova", messages=talk, tools=[TOOL])  # type: ignore[list-item,assignment]
        (call,) = final.choices[0].message.tool_calls or []
        assert final.choices[0].finish_reason == "tool_calls"
        assert call.type == "function"
        assert json.loads(call.function.arguments) == {"place": "Oslo"}

        called = {"role": "assistant", "content": None, "tool_calls": [call.to_dict()]}
        result = {"role": "tool", "tool_call_id": call.id, "content": '{"sky": "rain"}'}
        for _ in range(2):
            answer = await client.chat.completions.create(model="nova", messages=[*talk, called, result], tools=[TOOL])  # type: ignore[list-item]
            assert answer.choices[0].message.content == "It rains."
        assert here.asked[0]["tools"] == [TOOL]
        assert [each["role"] for each in here.asked[-1]["messages"]] == ["system", "user", "assistant", "tool"]

        (conversation,) = (await here.client.get("/api/conversations")).json()["items"]
        messages = await here.messages(conversation["id"])
        where = {"conversation_id": conversation["id"], "type": EventType.TOOL_INVOCATION.value}
        noted = (await here.lore.store.find(here.lore.scope, Event, where)).items
    assert [each["content"] for each in messages] == ["What is the weather in Oslo?", "It rains."]
    assert [each.metadata["tool_name"] for each in noted] == ["weather"]
    # It belongs to the user's message; how long it took, only the client knows.
    assert [each.metadata.get("message_id") for each in noted] == [messages[0]["id"]]
    assert "execution_ms" not in noted[0].metadata


async def test_an_answer_in_the_form_that_was_asked_for() -> None:
    async with nova(writes_json) as (here, client):
        talk: list[Any] = [{"role": "user", "content": "Which ferry?"}]
        parsed = await client.chat.completions.parse(model="nova", messages=talk, response_format=Ferry)

        assert parsed.choices[0].message.parsed == Ferry(name="Ingrid", leaves_at=7)
        assert here.asked[0]["response_format"]["json_schema"]["name"] == "Ferry"


@pytest.mark.parametrize("stream", [False, True])
async def test_several_answers_and_their_odds(stream: bool) -> None:
    async with nova(two_answers) as (here, client):
        talk: list[Any] = [{"role": "user", "content": "Sure?"}]
        if stream:
            async with client.chat.completions.stream(model="nova", messages=talk, n=2, logprobs=True) as events:
                final: Any = await events.get_final_completion()
        else:
            final = await client.chat.completions.create(model="nova", messages=talk, n=2, logprobs=True)

        assert [each.message.content for each in final.choices] == ["Yes", "No"]
        assert [each.finish_reason for each in final.choices] == ["stop", "stop"]
        assert final.choices[0].logprobs.content[0].token == "Yes"
        assert (here.asked[0]["n"], here.asked[0]["logprobs"]) == (2, True)


async def test_pictures_names_and_every_parameter_reach_the_model() -> None:
    given: dict[str, Any] = {
        "seed": 7,
        "presence_penalty": 0.5,
        "frequency_penalty": 0.1,
        "logit_bias": {"5": 1},
        "top_k": 40,
        "min_p": 0.1,
    }
    async with nova() as (here, _):
        await here.lore.remember(
            "The ferry captain is called Ingrid", person=(await here.lore.characters.slugs())["nova"]
        )
        parts = [
            {"type": "text", "text": "Who is the ferry captain?"},
            {"type": "image_url", "image_url": {"url": PIXEL}},
        ]
        answer = await ask(here, {"role": "user", "name": "ada", "content": parts}, stop=["\n"], **given)
        again = await ask(
            here, {"role": "user", "name": "ada", "content": parts}, user="x", response_format={"type": "text"}
        )

        assert (answer.status_code, again.status_code) == (200, 200)
        asked = here.asked[0]
        assert {name: asked[name] for name in given} == given
        assert asked["stop"] == ["\n"]
        assert "response_format" not in here.asked[1]
        last = asked["messages"][-1]
        assert (last["role"], last["name"], last["content"][-1]) == ("user", "ada", parts[1])
        assert "Ingrid" in last["content"][0]["text"]
        kept = await here.messages(answer.headers[SESSION])
    assert [each["content"] for each in kept] == ["Who is the ferry captain?\n[picture]", TEXT]


@pytest.mark.parametrize("status", [400, 401, 404, 422, 429])
@pytest.mark.parametrize("stream", [False, True])
async def test_the_status_and_the_words_of_the_model_server_are_kept(status: int, stream: bool) -> None:
    async with nova(failing(status, "so it says", Retry_After="2")) as (here, _):
        answer = await ask(here, "Hi", stream=stream)

    assert answer.status_code == status
    assert "so it says" in answer.json()["error"]["message"]
    assert (answer.headers.get("retry-after") == "2") is (status == 429)


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"response_format": {"type": "json_object"}}, "another form than prose"),
        ({"n": 2}, "several answers"),
        ({"tools": [TOOL], "tool_choice": "required"}, "call the tools"),
        ({"logprobs": True}, "how likely"),
    ],
)
async def test_the_built_in_voice_says_what_it_cannot_do(wanted: dict[str, Any], why: str) -> None:
    async with nova(provider="voice") as (here, _):
        refused = await ask(here, "Hi", **wanted)
        spoken = await ask(here, "Hi", tools=[TOOL], seed=7)

    assert (refused.status_code, spoken.status_code) == (400, 200)
    assert why in refused.json()["error"]["message"]
    assert "connect a language model" in refused.json()["error"]["message"]


async def test_ollama_is_asked_in_its_own_words() -> None:
    async def calls(exchange: Exchange) -> None:
        await exchange.begin()
        call = {"function": {"name": "weather", "arguments": {"place": "Oslo"}}}
        await exchange.event({"message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": False})
        await exchange.finish()
        await exchange.end()

    async with nova(calls, provider="ollama") as (here, _):
        parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": PIXEL}}]
        answer = await ask(here, {"role": "user", "content": parts}, tools=[TOOL], seed=7)
        refused = await ask(here, "Hi", logit_bias={"5": 1})
        asked = here.model.asked_to_chat[0].body

    choice = answer.json()["choices"][0]
    assert choice["finish_reason"] == "tool_calls"
    assert json.loads(choice["message"]["tool_calls"][0]["function"]["arguments"]) == {"place": "Oslo"}
    assert (asked["tools"], asked["options"]["seed"]) == ([TOOL], 7)
    assert asked["messages"][-1]["images"] == ["iVBORw0KGgo="]
    assert refused.status_code == 400
    assert "logit_bias" in refused.json()["error"]["message"]


# ── what of memory a request uses ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("use", "is_kept", "is_told", "is_in_scene"),
    [
        ("both", True, True, True),
        ("write", True, False, True),
        ("read", False, True, True),
        ("none", False, False, True),
        ("off", False, False, False),
    ],
)
async def test_a_header_says_what_of_memory_is_used(use: str, is_kept: bool, is_told: bool, is_in_scene: bool) -> None:
    async with nova() as (here, _):
        character = (await here.lore.characters.slugs())["nova"]
        await here.lore.remember("The ferry captain is called Ingrid", person=character)
        answer = await ask(here, "Who is the ferry captain?", headers={"X-Everlore-Memory": use})
        kept = (await here.client.get("/api/conversations")).json()["items"]
        told = str(here.asked[-1]["messages"])

    assert answer.json()["choices"][0]["message"]["content"] == TEXT
    assert (bool(kept), "Ingrid" in told, "You are Nova" in told) == (is_kept, is_told, is_in_scene)


async def test_a_token_says_what_of_memory_is_used_where_a_request_does_not() -> None:
    """S-2."""
    async with nova() as (here, _):
        made = await here.client.post("/api/tokens", json={"name": "titles", "memory": "read"})
        key = {"Authorization": f"Bearer {made.json()['token']}"}
        await ask(here, "Hello!", headers=key)
        unkept = (await here.client.get("/api/conversations")).json()["items"]
        await ask(here, "Hello!", headers=key | {"X-Everlore-Memory": "both"})
        kept = (await here.client.get("/api/conversations")).json()["items"]

    assert made.json()["memory"] == "read"
    assert (len(unkept), len(kept)) == (0, 1)


async def test_an_unknown_use_of_memory_is_refused() -> None:
    async with nova() as (here, _):
        answer = await ask(here, "Hi", headers={"X-Everlore-Memory": "some"})

    assert answer.status_code == 400
    assert "one of both, read, write, none, off" in answer.json()["error"]["message"]


async def test_what_is_no_turn_is_answered_and_kept_nowhere() -> None:
    async with nova() as (here, _):
        headers = {SESSION: "talk"}
        await ask(here, "My brother is called Odo.", headers=headers)
        talk = ["My brother is called Odo.", {"role": "assistant", "content": TEXT}]
        quiet = {"role": "system", "content": "[Write your next reply from the point of view of Ada.]"}
        title = "### Task:\nGenerate a concise, 3-5 word title.\n<chat_history>…</chat_history>"
        answers = [await ask(here, *talk, quiet, headers=headers), await ask(here, title, headers=headers)]
        kept = [each["content"] for each in await here.messages("talk")]
        impersonated, titled = here.asked[-2:]
        listed = (await here.client.get("/api/conversations")).json()["items"]

    assert [each.status_code for each in answers] == [200, 200]
    assert kept == ["My brother is called Odo.", TEXT]
    assert len(listed) == 1
    assert impersonated["messages"][-1]["content"] == quiet["content"]
    assert [each["content"] for each in titled["messages"]] == [title]


async def test_more_of_a_reply_is_what_is_new_of_it() -> None:
    """V2."""
    async with nova() as (here, _):
        headers = {SESSION: "talk"}
        await ask(here, "When?", headers=headers)
        more = await ask(here, "When?", {"role": "assistant", "content": TEXT}, headers=headers)
        kept = [each["content"] for each in await here.messages("talk")]

    assert more.json()["choices"][0]["message"]["content"] == TEXT
    assert kept == ["When?", TEXT + TEXT]
