"""What a client of `/v1` sends reaches the model whole where it fits, and a cut is told (P9, P12, 9-surfaces)."""

import json
from typing import Any

import httpx
import pytest

from everlore.compose.budget import WINDOW
from everlore.server.access import CUT, SESSION
from tests.models.chat_server import Exchange, fine
from tests.server.home import Home, home


def talk_of(count: int, words: int = 3) -> list[dict[str, str]]:
    """In turns, the user's last; each line has its number in it."""
    roles = ["user", "assistant"]
    return [{"role": roles[at % 2], "content": f"Line {at}. " + "word " * words} for at in range(count)]


async def ask(here: Home, messages: list[dict[str, Any]], **more: Any) -> httpx.Response:
    answer = await here.client.post("/v1/chat/completions", json={"model": "nova", "messages": messages, **more})
    assert answer.status_code == 200, answer.text
    return answer


def lines_in(body: dict[str, Any]) -> int:
    """How many of the lines of `talk_of` the model was sent word for word, each as a message of its own."""
    return sum(f"Line {at}. " in str(said["content"]) for at, said in enumerate(_talk(body)))


def _talk(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in body["messages"] if each["role"] != "system"]


async def test_all_messages_of_a_long_talk_reach_the_model() -> None:
    async with home(workers=0) as here:
        await here.character()
        answer = await ask(here, talk_of(61))
        sent = here.asked[-1]

    assert lines_in(sent) == 61
    assert CUT not in answer.headers


async def test_a_large_system_prompt_stays_whole_where_the_window_is_not_known() -> None:
    async with home(workers=0) as here:
        await here.character()
        told = "".join(f"Rule {at}: keep to it.\n" for at in range(3_000))
        answer = await ask(here, [{"role": "system", "content": told}, *talk_of(5)])
        sent = here.asked[-1]["messages"]

    assert told.strip() in sent[0]["content"]
    assert CUT not in answer.headers


@pytest.mark.parametrize("asked", [None, 77])
async def test_max_tokens_is_sent_only_where_it_is_asked_for(asked: int | None) -> None:
    async with home(workers=0) as here:
        await here.character()
        await ask(here, talk_of(1), **({"max_tokens": asked} if asked else {}))
        sent = here.asked[-1]

    assert sent.get("max_tokens") == asked


async def test_what_fits_into_the_window_that_the_server_tells_is_left_whole() -> None:
    """Nothing is kept free for what is not there: the talk takes nearly all of the window."""
    async with home(workers=0) as here:
        here.model.told = {"max_model_len": 12_288}
        await here.character()
        answer = await ask(here, talk_of(31, words=200), max_tokens=500)
        sent = here.asked[-1]

    assert lines_in(sent) == 31
    assert CUT not in answer.headers


@pytest.mark.parametrize("stream", [False, True])
async def test_a_cut_is_told_in_a_header_and_in_the_x_ray(stream: bool) -> None:
    async with home(workers=0) as here:
        here.model.told = {"max_model_len": 6_000}
        await here.character()
        messages = [{"role": "system", "content": "Keep to the rules. " * 1_600}, *talk_of(61, words=30)]
        answer = await ask(here, messages, stream=stream)
        sent = here.asked[-1]
        x_ray = (await here.client.get(f"/api/conversations/{answer.headers[SESSION]}/prompt")).json()
        kept = await here.client.get(f"/api/conversations/{answer.headers[SESSION]}/messages?limit=500")

    told = dict(part.split("=") for part in answer.headers[CUT].split(", "))
    whole = sum(any(f"Line {at}. " in str(said["content"]) for said in _talk(sent)) for at in range(61))
    assert told["messages"] == f"{whole}/61"
    assert 0 < whole < 61
    tokens, of = map(int, told["instructions"].split("/"))
    assert tokens < of
    assert x_ray["window"] == 6_000
    assert any(f"{whole} of 61 messages" in each for each in x_ray["warnings"])
    assert len(kept.json()["items"]) == 62


async def test_a_window_in_the_config_goes_before_what_the_server_tells() -> None:
    async with home(workers=0) as here:
        here.model.told = {"max_model_len": 100_000}
        id = await here.talk(config={"context_window": 4_096})
        await here.say(id)
        x_ray = (await here.client.get(f"/api/conversations/{id}/prompt")).json()

    assert x_ray["window"] == 4_096


async def test_the_page_takes_the_servers_window_too_and_asks_for_no_endless_reply() -> None:
    async with home(workers=0) as here:
        here.model.told = {"max_model_len": 1_000_000}
        id = await here.talk()
        await here.say(id)
        x_ray = (await here.client.get(f"/api/conversations/{id}/prompt")).json()

    assert x_ray["window"] == 1_000_000
    assert here.asked[-1]["max_tokens"] == 4_096


async def test_a_trimming_client_does_not_bring_back_the_whole_log() -> None:
    async with home(workers=0) as here:
        await here.character()
        named = {SESSION: "main"}
        await here.client.post("/v1/chat/completions", json={"model": "nova", "messages": talk_of(121)}, headers=named)
        last = [*talk_of(121)[-4:], {"role": "assistant", "content": "The ferry leaves at dawn."}]
        await here.client.post(
            "/v1/chat/completions",
            json={"model": "nova", "messages": [*last, {"role": "user", "content": "And then?"}]},
            headers=named,
        )

        assert len(_talk(here.asked[-1])) <= 40


def refusing_over(limit: int) -> Any:
    """A server that does not tell its window, and refuses what is longer."""

    async def scenario(exchange: Exchange) -> None:
        size = sum(len(str(each["content"])) for each in exchange.asked.body["messages"]) * 3 // 10
        if size <= limit:
            await fine(exchange)
            return
        said = f"This model's maximum context length is {limit} tokens. However, you requested {size} tokens."
        error = {
            "message": said,
            "type": "invalid_request_error",
            "param": "messages",
            "code": "context_length_exceeded",
        }
        await exchange.whole(400, json.dumps({"error": error}))

    return scenario


async def test_a_refusal_for_its_length_is_answered_with_a_shorter_prompt_and_remembered() -> None:
    async with home(workers=0) as here:
        here.model.scenario = refusing_over(WINDOW)
        await here.character()
        talk = talk_of(61, words=120)
        first = await ask(here, talk)
        asked_first = len(here.asked)
        await ask(here, [*talk, {"role": "assistant", "content": "The ferry leaves at dawn."}, *talk_of(1)])

    assert first.headers[CUT].startswith("messages=")
    assert asked_first == 2
    assert len(here.asked) == 3


async def test_ollama_is_given_as_much_room_as_is_needed_and_no_more() -> None:
    async with home(provider="ollama", workers=0) as here:
        here.model.pages["/api/show"] = {"model_info": {"llama.context_length": 65_536}}
        await here.character()
        await ask(here, talk_of(1))
        await ask(here, talk_of(41, words=200))
        short, long = (each["options"] for each in here.asked)

    assert short["num_ctx"] == WINDOW
    assert long["num_ctx"] == 4 * WINDOW
    assert "num_predict" not in short
