"""The other shapes of OpenAI's API: completions, responses, errors, and pages of other sites (9-surfaces, S-4)."""

import json
from typing import Any

import openai
import pytest

from everlore.server.access import SESSION
from everlore.settings import ServerSettings
from tests.models.chat_server import TEXT, failing
from tests.server.home import home
from tests.server.test_openai_through import Ferry, calls_a_tool, nova, writes_json

FUNCTION: dict[str, Any] = {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}}
PAGE = "https://chat.example.org"


async def test_a_prompt_is_what_the_user_says() -> None:
    async with nova() as (here, client):
        whole = await client.completions.create(model="nova", prompt="When?", extra_headers={SESSION: "talk"})
        stream = await client.completions.create(model="nova", prompt="And then?", stream=True)
        streamed = "".join([each.choices[0].text async for each in stream])
        with pytest.raises(openai.BadRequestError, match="suffix is for models that complete"):
            await client.completions.create(model="nova", prompt="When?", suffix="!")
        kept = [each["content"] for each in await here.messages("talk")]

    assert (whole.choices[0].text, streamed) == (TEXT, TEXT)
    assert kept == ["When?", TEXT]


@pytest.mark.parametrize("stream", [False, True])
async def test_responses_go_on_with_each_other(stream: bool) -> None:
    async with nova() as (here, client):
        first = await client.responses.create(model="nova", input="When?", instructions="Be brief.")
        if stream:
            asked = {"model": "nova", "input": "And then?", "previous_response_id": first.id}
            async with client.responses.stream(**asked) as events:  # type: ignore[call-overload]
                kinds = [event.type async for event in events]
                second = await events.get_final_response()
            assert kinds[0] == "response.created"
            assert kinds[-1] == "response.completed"
        else:
            second = await client.responses.create(model="nova", input="And then?", previous_response_id=first.id)
        (conversation,) = (await here.client.get("/api/conversations")).json()["items"]
        kept = [each["content"] for each in await here.messages(conversation["id"])]

    assert (first.output_text, second.output_text) == (TEXT, TEXT)
    assert kept == ["When?", TEXT, "And then?", TEXT]
    assert "Be brief." in here.asked[0]["messages"][0]["content"]


@pytest.mark.parametrize("stream", [False, True])
async def test_responses_call_functions(stream: bool) -> None:
    async with nova(calls_a_tool) as (here, client):
        talk: list[Any] = [{"role": "user", "content": "What is the weather in Oslo?"}]
        if stream:
            async with client.responses.stream(model="nova", input=talk, tools=[FUNCTION]) as events:  # type: ignore[list-item]
                first: Any = await events.get_final_response()
        else:
            first = await client.responses.create(model="nova", input=talk, tools=[FUNCTION])  # type: ignore[list-item]
        (call,) = first.output
        result: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
        second = await client.responses.create(model="nova", input=[*talk, call.to_dict(), result])
        with pytest.raises(openai.BadRequestError, match="run by the provider"):
            await client.responses.create(model="nova", input="Hi", tools=[{"type": "web_search"}])

    assert (call.name, json.loads(call.arguments)) == ("weather", {"place": "Oslo"})
    assert second.output_text == "It rains."
    assert here.asked[0]["tools"][0]["function"]["name"] == "weather"


async def test_responses_in_the_form_that_was_asked_for() -> None:
    async with nova(writes_json) as (here, client):
        parsed = await client.responses.parse(model="nova", input="Which ferry?", text_format=Ferry)

    assert parsed.output_parsed == Ferry(name="Ingrid", leaves_at=7)
    assert here.asked[0]["response_format"]["json_schema"]["name"] == "Ferry"


async def test_other_shapes_have_the_same_errors() -> None:
    async with nova(failing(429, "slow down", Retry_After="2")) as (_, client):
        with pytest.raises(openai.RateLimitError, match="slow down"):
            await client.responses.create(model="nova", input="Hi")
        with pytest.raises(openai.RateLimitError, match="slow down"):
            await client.completions.create(model="nova", prompt="Hi")
        with pytest.raises(openai.NotFoundError, match="no response 'resp_x'"):
            await client.responses.create(model="nova", input="Hi", previous_response_id="resp_x")


@pytest.mark.parametrize(
    ("path", "body", "param"),
    [
        ("/v1/responses", {"input": []}, "messages"),
        ("/v1/responses", {"input": [{"role": "king", "content": "Hi"}]}, "role"),
        ("/v1/responses", {"input": "Hi", "temperature": 9}, "temperature"),
        ("/v1/responses", {"input": "Hi", "text": {"format": "json"}}, "response_format"),
        ("/v1/completions", {"prompt": "Hi", "temperature": "warm"}, "temperature"),
    ],
)
async def test_what_does_not_fit_into_a_chat_is_said_by_name(path: str, body: dict[str, Any], param: str) -> None:
    async with nova() as (here, _):
        answer = await here.client.post(path, json={"model": "nova", **body})

    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == param


async def test_fields_of_a_chat_in_another_shape_do_no_harm() -> None:
    async with nova() as (here, _):
        asked: dict[str, Any] = {
            "model": "nova",
            "input": "Hi",
            "messages": [],
            "max_tokens": None,
            "response_format": None,
        }
        answer = await here.client.post("/v1/responses", json=asked)

    assert answer.status_code == 200


async def test_a_site_that_is_named_may_use_v1_from_a_browser_and_nothing_else() -> None:
    """S-4."""
    async with home(workers=0, server=ServerSettings(origins=(PAGE,))) as here:
        await here.character("Nova")
        ours, others = {"Origin": PAGE}, {"Origin": "https://evil.example.org"}
        wish = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
        asked = await here.client.options("/v1/chat/completions", headers=ours | wish)
        models = await here.client.get("/v1/models", headers=ours)
        refused = await here.client.get("/v1/models", headers=others)
        elsewhere = await here.client.get("/api/characters", headers=ours)
        misdirected = await here.client.get("/v1/models", headers={"Host": "evil.example.org"})

    assert (asked.status_code, models.status_code) == (204, 200)
    assert asked.headers["access-control-allow-origin"] == models.headers["access-control-allow-origin"] == PAGE
    assert "Authorization" in asked.headers["access-control-allow-headers"]
    assert (refused.status_code, elsewhere.status_code, misdirected.status_code) == (403, 403, 421)
    assert "EVERLORE_SERVER__ORIGINS" in refused.json()["error"]["message"]
    assert "EVERLORE_SERVER__NAMES" in misdirected.json()["error"]["message"]
    assert "access-control-allow-origin" not in refused.headers


@pytest.mark.parametrize("origin", ["*", "chat.example.org", "https://chat.example.org/path"])
def test_an_origin_that_no_browser_sends_is_refused(origin: str) -> None:
    with pytest.raises(ValueError, match="origins"):
        ServerSettings(origins=(origin,))


async def test_what_the_last_reply_rests_on_is_told_by_the_name_of_the_conversation() -> None:
    """P12, S-4: for a page that may use `/v1` alone."""
    fact = "Nova keeps the key of the ferry under the blue bucket."
    async with home(workers=0, server=ServerSettings(origins=(PAGE,))) as here:
        nova = await here.character("Nova")
        (await here.client.post("/api/memories", json={"content": fact, "person_id": nova})).raise_for_status()
        unknown = await here.client.get("/v1/conversations/talk/grounds", headers={"Origin": PAGE})
        said = {"model": "nova", "messages": [{"role": "user", "content": "Where is the key of the ferry?"}]}
        (await here.client.post("/v1/chat/completions", json=said, headers={SESSION: "talk"})).raise_for_status()
        told = await here.client.get("/v1/conversations/talk/grounds", headers={"Origin": PAGE})
        reply = (await here.messages("talk"))[-1]

    assert unknown.status_code == 404
    assert "no conversation 'talk'" in unknown.json()["error"]["message"]
    assert told.headers["access-control-allow-origin"] == PAGE
    assert told.json()["reply_id"] == reply["id"]
    assert fact in [each["content"] for each in told.json()["data"]]
