"""What a model server refuses reaches a client of `/v1` as it was said, and at once (V5, 9-surfaces)."""

import asyncio
import json
from typing import Any

import pytest

from everlore.server.access import SESSION
from tests.models.chat_server import TEXT, Exchange, failing
from tests.server.home import Home, home
from tests.waiting import PATIENCE_S

TALK = {SESSION: "talk"}


async def ask(here: Home, text: str = "Hello!", **more: Any) -> Any:
    body = {"model": "nova", "messages": [{"role": "user", "content": text}], **more}
    return await here.client.post("/v1/chat/completions", json=body, headers=TALK)


def refusing(status: int, **error: Any) -> Any:
    async def refuse(exchange: Exchange) -> None:
        await exchange.whole(status, json.dumps({"error": error}))

    return refuse


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("memory", ["both", "read", "off"])
async def test_a_rate_limit_arrives_at_once_with_what_it_asks_for(stream: bool, memory: str) -> None:
    """The server is asked once, though retries are set: the client knows best when to come back."""
    async with home(workers=0, retries=5, backoff_s=60) as here:
        here.model.scenario = failing(429, "slow down", Retry_After="17")
        await here.character()
        body = {"model": "nova", "messages": [{"role": "user", "content": "Hello!"}], "stream": stream}
        async with asyncio.timeout(PATIENCE_S):
            answer = await here.client.post("/v1/chat/completions", json=body, headers={"X-Everlore-Memory": memory})

    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "17"
    assert answer.json()["error"]["message"] == "slow down"
    assert len(here.asked) == 1


async def test_after_a_rate_limit_the_same_request_is_answered_and_nothing_is_there_twice() -> None:
    async with home(workers=0, retries=2) as here:
        here.model.script += [failing(429, "slow down", Retry_After="0")]
        await here.character()
        refused = await ask(here)
        kept = [each["content"] for each in await here.messages("talk")]
        answered = await ask(here)
        after = [each["content"] for each in await here.messages("talk")]

    assert (refused.status_code, answered.status_code) == (429, 200)
    assert kept[0] == "Hello!"
    assert after == ["Hello!", TEXT]


async def test_the_page_still_waits_for_a_server_that_limits_it() -> None:
    async with home(workers=0, retries=2) as here:
        here.model.script += [failing(429, "slow down", Retry_After="0")]
        id = await here.talk()
        answer = await here.say(id)

    assert answer.json()["reply"]["content"] == TEXT
    assert len(here.asked) == 2


@pytest.mark.parametrize(
    ("status", "arrives_as"), [pytest.param(400, 400), pytest.param(422, 422), pytest.param(500, 502)]
)
async def test_param_and_code_of_an_error_are_kept(status: int, arrives_as: int) -> None:
    async with home(workers=0) as here:
        here.model.scenario = refusing(status, message="No such tool.", param="tools[0].name", code="unknown_tool")
        await here.character()
        answer = await ask(here)

    error = answer.json()["error"]
    assert answer.status_code == arrives_as
    assert error["code"] == "unknown_tool"
    assert error["param"] == ("tools[0].name" if arrives_as < 500 else None)


async def test_an_error_inside_a_stream_keeps_its_code() -> None:
    async def breaks(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.text(["The "])
        await exchange.event({"error": {"message": "out of memory", "param": None, "code": "oom"}})
        await exchange.end()

    async with home(workers=0) as here:
        here.model.scenario = breaks
        await here.character()
        answer = await ask(here, stream=True)

    told = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
    assert told[-1]["error"]["code"] == "oom"


async def test_a_code_that_holds_the_key_is_blotted_out() -> None:
    async with home(workers=0, api_key="sk-very-secret") as here:
        here.model.scenario = refusing(400, message="Bad.", param="sk-very-secret", code="sk-very-secret")
        await here.character()
        answer = await ask(here)

    assert "sk-very-secret" not in answer.text
