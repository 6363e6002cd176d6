"""Replies from OpenAI-compatible servers (V5), against a real server on this machine."""

import asyncio
import json
import logging
import socket
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing

import pytest
from pydantic import SecretStr

from everlore.errors import BadAsk, EverloreError, Misconfigured, ModelMisbehaved, ModelUnavailable, PromptTooLong
from everlore.models.chat import Ask, End, Piece, Reason, Said, complete
from everlore.models.openai_chat import OpenAIChat
from tests.models.chat_server import SCENARIOS, TEXT, WORDS, ChatServer, Exchange, Scenario, failing

KEY = "sk-very-secret-0123456789"
ASK = Ask(messages=(Said("system", "You are Mira."), Said("user", "When does the ferry leave?", "Jonas")))

Made = Callable[..., OpenAIChat]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture
async def made(server: ChatServer) -> AsyncIterator[Made]:
    """Makes models that ask the server, and closes them."""
    open_ones: list[OpenAIChat] = []

    def make(*, base_url: str = server.url, model: str = "m", key: str | None = KEY) -> OpenAIChat:
        open_ones.append(OpenAIChat(base_url, model, SecretStr(key) if key else None))
        return open_ones[-1]

    yield make
    for model in open_ones:
        await model.close()


@pytest.fixture
def closed_port() -> Iterator[int]:
    """Bound but not listening, so that nobody else takes it and every call is refused."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def events(*given: object, done: bool = True) -> Scenario:
    """Sends just these events."""

    async def send(exchange: Exchange) -> None:
        await exchange.begin()
        for event in given:
            await exchange.event(event)
        if done:
            await exchange.raw("data: [DONE]\n\n")
        await exchange.end()

    return send


def chunk(finish: str | None = None, **delta: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


# What it does.


async def test_words_come_one_by_one_and_then_the_end_with_the_tokens(made: Made) -> None:
    parts = [part async for part in made().stream(ASK)]

    assert parts == [*map(Piece, WORDS), End(Reason.STOP, prompt_tokens=11, reply_tokens=7)]


async def test_only_what_was_asked_for_is_sent(made: Made, server: ChatServer) -> None:
    await complete(made(model="mira-7b"), ASK)

    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "mira-7b",
        "messages": [
            {"role": "system", "content": "You are Mira."},
            {"role": "user", "content": "When does the ferry leave?"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_sampling_stops_and_schema_are_handed_over(made: Made, server: ChatServer) -> None:
    schema: dict[str, object] = {"type": "object", "properties": {"title": {"type": "string"}}}
    ask = Ask(messages=ASK.messages, max_tokens=40, temperature=0.0, top_p=0.9, stop=("\n",), schema=schema)

    await complete(made(), ask)

    body = server.asked[0].body
    assert (body["max_tokens"], body["temperature"], body["top_p"], body["stop"]) == (40, 0.0, 0.9, ["\n"])
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["schema"] == schema


def test_name_and_backend_tell_the_model_and_who_does_the_work(made: Made) -> None:
    model = made(base_url="http://LocalHost:1234/v1/", model="mira-7b")

    assert model.name == "mira-7b"
    assert model.backend == "http://localhost:1234"


async def test_reasoning_becomes_one_think_block(made: Made, server: ChatServer) -> None:
    """V5: as of servers that write the block themselves."""
    answer = await complete(made(model="reasoning"), ASK)

    assert answer.text == f"<think>When does it leave?</think>\n{TEXT}"


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
async def test_reasoning_is_known_by_both_its_names_and_closed_at_the_end(
    made: Made, server: ChatServer, name: str
) -> None:
    server.scenario = events(chunk(**{name: "Hm"}), chunk(**{name: " …"}), chunk("length"))

    answer = await complete(made(), ASK)

    assert answer.text == "<think>Hm …</think>\n"
    assert answer.end.reason is Reason.LENGTH


@pytest.mark.parametrize(
    ("finish", "reason"),
    [("stop", Reason.STOP), ("length", Reason.LENGTH), ("content_filter", Reason.FILTERED), ("eos", Reason.STOP)],
)
async def test_the_end_says_why_it_ended(made: Made, server: ChatServer, finish: str, reason: Reason) -> None:
    server.scenario = events(chunk(content="Hi"), chunk(finish))

    assert (await complete(made(), ASK)).end == End(reason)


async def test_a_refusal_is_shown_and_called_filtered(made: Made, server: ChatServer) -> None:
    server.scenario = events(chunk(refusal="I can't "), chunk(refusal="help."), chunk("stop"))

    answer = await complete(made(), ASK)

    assert answer.text == "I can't help."
    assert answer.end.reason is Reason.FILTERED


async def test_a_server_that_counts_no_tokens_still_answers(made: Made, server: ChatServer) -> None:
    answer = await complete(made(model="no usage"), ASK)

    assert (answer.text, answer.end) == (TEXT, End(Reason.STOP))


async def test_empty_choices_comments_and_nulls_are_passed_over(made: Made, server: ChatServer) -> None:
    async def odd(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.raw(": PROCESSING\n\n")
        await exchange.event({"choices": [], "prompt_filter_results": []})
        await exchange.delta(role="assistant", content=None)
        await exchange.text()
        await exchange.event({"choices": [{"delta": None, "finish_reason": "stop"}]})
        await exchange.end()

    server.scenario = odd

    assert (await complete(made(), ASK)).text == TEXT


async def test_without_a_model_the_first_that_is_offered_is_asked(made: Made, server: ChatServer) -> None:
    server.models = ["nomic-embed-text", "first-chat", "second-chat"]
    model = made(model="")

    await complete(model, ASK)
    await complete(model, ASK)

    assert model.name == "first-chat"
    assert [asked.path for asked in server.asked].count("/v1/models") == 1
    assert server.asked_to_chat[0].body["model"] == "first-chat"


async def test_a_closed_model_opens_again_when_asked(made: Made) -> None:
    model = made()
    await complete(model, ASK)
    await model.close()

    assert (await complete(model, ASK)).text == TEXT


async def test_many_calls_at_once_each_get_their_own_answer(made: Made, server: ChatServer) -> None:
    async def echo(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.text([exchange.asked.body["messages"][0]["content"]])
        await exchange.finish()
        await exchange.end()

    server.scenario = echo
    model = made()
    asks = [Ask(messages=(Said("user", f"number {n}"),)) for n in range(20)]

    answers = await asyncio.gather(*(complete(model, ask) for ask in asks))

    assert [answer.text for answer in answers] == [f"number {n}" for n in range(20)]


async def test_half_a_character_is_refused_before_anything_is_sent(made: Made, server: ChatServer) -> None:
    with pytest.raises(BadAsk, match="half a character"):
        await complete(made(), Ask(messages=(Said("user", "\udc00"),)))

    assert server.asked == []


# Servers that refuse a parameter.


def picky(name: str, message: str) -> Scenario:
    async def refuse(exchange: Exchange) -> None:
        if name in exchange.asked.body:
            await exchange.error(400, message)
        else:
            await SCENARIOS["fine"](exchange)

    return refuse


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stream_options", "stream_options: extra fields are wrong"),
        ("response_format", "Invalid response_format: use json_object"),
        ("temperature", "Unsupported value: 'temperature' does not support 0.5 with this model."),
    ],
)
async def test_a_parameter_that_a_server_refuses_is_left_out_from_then_on(
    made: Made, server: ChatServer, name: str, message: str
) -> None:
    server.scenario = picky(name, message)
    model = made()
    ask = Ask(messages=ASK.messages, temperature=0.5, schema={"type": "object"})

    assert (await complete(model, ask)).text == TEXT
    assert (await complete(model, ask)).text == TEXT

    assert [name in asked.body for asked in server.asked] == [True, False, False]


async def test_models_that_know_max_tokens_by_its_new_name_get_it_by_that(made: Made, server: ChatServer) -> None:
    server.scenario = picky("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")

    await complete(made(), Ask(messages=ASK.messages, max_tokens=40))

    assert server.asked[-1].body["max_completion_tokens"] == 40


async def test_a_wrong_value_is_told_and_not_hidden(made: Made, server: ChatServer) -> None:
    server.scenario = failing(400, "temperature must be at most 2")

    with pytest.raises(Misconfigured, match=r"refused the request \(HTTP 400\).*temperature must be at most 2"):
        await complete(made(), Ask(messages=ASK.messages, temperature=9))

    assert len(server.asked) == 1


# Stopping.


async def test_closing_the_generator_closes_the_connection(made: Made, server: ChatServer) -> None:
    model = made()
    async with aclosing(model.stream(Ask(messages=ASK.messages))) as parts:
        server.script = ["stall"]
        assert await anext(parts) == Piece(WORDS[0])

    assert await server.seen_hang_up()
    assert (await complete(model, ASK)).text == TEXT


@pytest.mark.parametrize("scenario", ["slow", "stall"])
async def test_cancelling_the_reader_closes_the_connection(made: Made, server: ChatServer, scenario: str) -> None:
    model = made(model=scenario)
    asking = asyncio.create_task(complete(model, ASK))
    assert await server.seen_ask()

    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await server.seen_hang_up()


# What it says when the server fails.


@pytest.mark.parametrize(
    ("scenario", "kind", "sentence"),
    [
        ("half", ModelUnavailable, "broke off before the answer was complete"),
        ("unfinished", ModelUnavailable, "broke off before the answer was complete"),
        ("hang up", ModelUnavailable, "broke off before the answer was complete"),
        ("error inside", ModelUnavailable, "failed while it answered: 'out of memory'"),
        ("500", ModelUnavailable, r"failed or is overloaded \(HTTP 500\): 'told to fail'"),
        ("503", ModelUnavailable, r"\(HTTP 503\): 'loading model'"),
        ("garbage", ModelMisbehaved, "something other than a chat.*mostly ends in /v1"),
        ("bad json", ModelMisbehaved, "something other than a chat"),
        ("wrong shape", ModelMisbehaved, "something other than a chat"),
    ],
)
async def test_a_failing_server_is_told_from_one_that_makes_no_sense(
    made: Made, server: ChatServer, scenario: str, kind: type[EverloreError], sentence: str
) -> None:
    with pytest.raises(EverloreError, match=sentence) as caught:
        await complete(made(model=scenario), ASK)

    assert type(caught.value) is kind
    assert server.url in str(caught.value)
    assert len(server.asked) == 1, "retries are the business of patience"


@pytest.mark.parametrize(
    ("status", "message", "kind", "sentence"),
    [
        (401, "bad key", Misconfigured, r"did not accept the key \(HTTP 401\).*EVERLORE_CHAT__API_KEY"),
        (403, "not for you", Misconfigured, r"did not accept the key \(HTTP 403\): 'not for you'"),
        (402, "no money", Misconfigured, "wants to be paid first"),
        (429, "You exceeded your current quota", Misconfigured, "wants to be paid first"),
        (404, "model not found", Misconfigured, r"has no model 'm', or no chat.*EVERLORE_CHAT__MODEL"),
        (307, "", Misconfigured, "sends callers elsewhere"),
        (400, "maximum context length is 8192 tokens", PromptTooLong, "longer than the model 'm' takes"),
        (413, "request too large", PromptTooLong, "longer than the model 'm' takes.*Lower context_window"),
        (422, "messages: field required", Misconfigured, r"refused the request \(HTTP 422\)"),
        (408, "too slow", ModelUnavailable, r"\(HTTP 408\)"),
    ],
)
async def test_each_refusal_says_what_to_do(
    made: Made, server: ChatServer, status: int, message: str, kind: type[EverloreError], sentence: str
) -> None:
    server.scenario = failing(status, message)

    with pytest.raises(EverloreError, match=sentence) as caught:
        await complete(made(), ASK)

    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("headers", "after_s"),
    [({"Retry_After": "7"}, 7), ({"Retry_After_Ms": "250"}, 0.25), ({"Retry_After": "Friday"}, None), ({}, None)],
)
async def test_how_long_a_server_asks_to_wait_is_passed_on(
    made: Made, server: ChatServer, headers: dict[str, str], after_s: float | None
) -> None:
    server.scenario = failing(429, "slow down", **headers)

    with pytest.raises(ModelUnavailable, match="limits how often it may be asked") as caught:
        await complete(made(), ASK)

    assert caught.value.after_s == after_s


async def test_a_call_without_a_key_is_called_that(made: Made, server: ChatServer) -> None:
    server.scenario = failing(401)

    with pytest.raises(Misconfigured, match="did not accept a call without a key"):
        await complete(made(key=None), ASK)


async def test_an_error_inside_the_stream_with_a_status_is_taken_as_that_status(made: Made, server: ChatServer) -> None:
    server.scenario = events({"error": {"message": "no credits", "code": 402}}, done=False)

    with pytest.raises(Misconfigured, match="wants to be paid first"):
        await complete(made(), ASK)


async def test_a_server_that_is_down_is_worth_another_try(made: Made, closed_port: int) -> None:
    with pytest.raises(ModelUnavailable, match=r"cannot be reached\. Start it, or correct its address"):
        await complete(made(base_url=f"http://127.0.0.1:{closed_port}/v1"), ASK)


async def test_a_server_without_chat_models_says_so(made: Made, server: ChatServer) -> None:
    server.models = ["nomic-embed-text"]

    with pytest.raises(Misconfigured, match="offers no chat model"):
        await complete(made(model=""), ASK)


@pytest.mark.parametrize("url", ["", "localhost:1234", "ftp://example.org", "http://", "http://host:port/v1"])
def test_what_is_no_address_is_refused_at_once(made: Made, url: str) -> None:
    with pytest.raises(Misconfigured, match=r"no address of a model server. Write it like https://api.openai.com/v1"):
        made(base_url=url)


# What it never says.


@pytest.mark.parametrize("status", [200, 307, 400, 401, 402, 403, 404, 413, 418, 422, 429, 500])
async def test_neither_errors_nor_logs_nor_repr_ever_show_the_key(
    made: Made, server: ChatServer, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    """V5: a server that quotes the key back must not bring it into our errors and logs."""
    caplog.set_level(logging.DEBUG)
    server.scenario = failing(status, f"You sent {KEY}!")
    model = made()

    with pytest.raises(EverloreError) as caught:
        await complete(model, ASK)

    shown = "".join(traceback.format_exception(caught.value)) + repr(model) + repr(vars(caught.value))
    assert KEY not in shown
    assert KEY not in caplog.text


async def test_a_key_quoted_inside_the_stream_is_blotted_out(made: Made, server: ChatServer) -> None:
    server.scenario = events({"error": {"message": f"{KEY} is tired"}}, done=False)

    with pytest.raises(ModelUnavailable, match=r"\*\*\* is tired"):
        await complete(made(), ASK)


@pytest.mark.parametrize("key", ["sk-secret\n", "sk secret", "sk-sécret"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(made: Made, key: str) -> None:
    with pytest.raises(Misconfigured, match="holds a space") as caught:
        made(key=key)

    assert key not in str(caught.value)


@pytest.mark.parametrize("url", ["http://user:hunter2@host/v1", "http://host/v1?token=hunter2", "http://host/#hunter2"])
def test_secrets_in_an_address_are_refused_because_addresses_are_logged(made: Made, url: str) -> None:
    with pytest.raises(Misconfigured, match="must not hold a user, a password") as caught:
        made(base_url=url)

    assert "hunter2" not in str(caught.value)


async def test_no_proxy_stands_between_us_and_this_machine(
    made: Made, closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, f"http://127.0.0.1:{closed_port}")

    assert (await complete(made(), ASK)).text == TEXT


async def test_a_broken_unicode_stream_is_garbage(made: Made, server: ChatServer) -> None:
    async def broken(exchange: Exchange) -> None:
        await exchange.whole(200, b"data: " + json.dumps("é").encode("utf-8")[:3] + b"\xff\n\n", "text/event-stream")

    server.scenario = broken

    with pytest.raises(ModelMisbehaved, match="something other than a chat"):
        await complete(made(), ASK)
