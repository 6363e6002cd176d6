"""Replies through Ollama's own API (V5), against a real server on this machine."""

import asyncio
import json
import logging
import socket
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing

import pytest
from pydantic import SecretStr

from everlore.errors import BadAsk, EverloreError, Misconfigured, ModelMisbehaved, ModelUnavailable
from everlore.models.chat import Ask, End, Piece, Reason, Said, complete
from everlore.models.ollama_chat import OllamaChat
from tests.models.chat_server import TEXT, WORDS, ChatServer, Exchange, failing

KEY = "sk-very-secret-0123456789"
ASK = Ask(messages=(Said("system", "You are Mira."), Said("user", "When does the ferry leave?")))

Made = Callable[..., OllamaChat]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture
async def made(server: ChatServer) -> AsyncIterator[Made]:
    """Makes models that ask the server, and closes them."""
    open_ones: list[OllamaChat] = []

    def make(*, base_url: str = server.root, model: str = "m", key: str | None = None) -> OllamaChat:
        open_ones.append(OllamaChat(base_url, model, SecretStr(key) if key else None))
        return open_ones[-1]

    yield make
    for model in open_ones:
        await model.close()


# What it does.


async def test_words_come_one_by_one_and_then_the_end_with_the_tokens(made: Made) -> None:
    parts = [part async for part in made().stream(ASK)]

    assert parts == [*map(Piece, WORDS), End(Reason.STOP, prompt_tokens=11, reply_tokens=7)]


async def test_only_what_was_asked_for_is_sent(made: Made, server: ChatServer) -> None:
    await complete(made(model="mira:7b"), ASK)

    (asked,) = server.asked
    assert asked.path == "/api/chat"
    assert "authorization" not in asked.headers
    assert asked.body == {
        "model": "mira:7b",
        "messages": [
            {"role": "system", "content": "You are Mira."},
            {"role": "user", "content": "When does the ferry leave?"},
        ],
        "stream": True,
        "options": {},
    }


async def test_context_window_sampling_and_schema_are_handed_over(made: Made, server: ChatServer) -> None:
    """Without num_ctx, Ollama would cut a long prompt without a word."""
    schema: dict[str, object] = {"type": "object"}
    ask = Ask(messages=ASK.messages, context_window=16_384, max_tokens=40, temperature=0.0, stop=("\n",), schema=schema)

    await complete(made(key=KEY), ask)

    (asked,) = server.asked
    assert asked.body["options"] == {"num_ctx": 16_384, "num_predict": 40, "temperature": 0.0, "stop": ["\n"]}
    assert asked.body["format"] == schema
    assert asked.headers["authorization"] == f"Bearer {KEY}"


async def test_thinking_becomes_one_think_block(made: Made) -> None:
    answer = await complete(made(model="reasoning"), ASK)

    assert answer.text == f"<think>When does it leave?</think>\n{TEXT}"


async def test_a_reply_that_was_cut_says_so(made: Made) -> None:
    assert (await complete(made(model="length"), ASK)).end.reason is Reason.LENGTH


async def test_a_server_that_counts_no_tokens_still_answers(made: Made) -> None:
    answer = await complete(made(model="no usage"), ASK)

    assert (answer.text, answer.end) == (TEXT, End(Reason.STOP))


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/api"])
async def test_the_address_of_the_other_api_will_do(made: Made, server: ChatServer, suffix: str) -> None:
    model = made(base_url=server.root + suffix)

    assert (await complete(model, ASK)).text == TEXT
    assert model.backend == server.root


async def test_without_a_model_the_first_that_is_offered_is_asked(made: Made, server: ChatServer) -> None:
    server.models = ["nomic-embed-text", "first-chat", "second-chat"]
    model = made(model="")

    await complete(model, ASK)

    assert model.name == "first-chat"
    assert server.asked_to_chat[0].body["model"] == "first-chat"


async def test_a_closed_model_opens_again_when_asked(made: Made) -> None:
    model = made()
    await complete(model, ASK)
    await model.close()

    assert (await complete(model, ASK)).text == TEXT


async def test_half_a_character_is_refused_before_anything_is_sent(made: Made, server: ChatServer) -> None:
    with pytest.raises(BadAsk, match="half a character"):
        await complete(made(), Ask(messages=(Said("user", "\udc00"),)))

    assert server.asked == []


# Stopping.


async def test_closing_the_generator_closes_the_connection(made: Made, server: ChatServer) -> None:
    model = made(model="stall")
    async with aclosing(model.stream(ASK)) as parts:
        assert await anext(parts) == Piece(WORDS[0])

    assert await server.seen_hang_up()
    server.script = ["fine"]
    assert (await complete(model, ASK)).text == TEXT


async def test_cancelling_the_reader_closes_the_connection(made: Made, server: ChatServer) -> None:
    asking = asyncio.create_task(complete(made(model="slow"), ASK))
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
        ("429", ModelUnavailable, r"limits how often it may be asked \(HTTP 429\): 'slow down'"),
        ("500", ModelUnavailable, r"failed or is overloaded \(HTTP 500\): 'told to fail'"),
        ("garbage", ModelMisbehaved, "something other than a chat.*of Ollama it has no path"),
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
    assert len(server.asked) == 1, "retries are the business of patience"


@pytest.mark.parametrize(
    ("status", "message", "sentence"),
    [
        (401, "no", r"did not accept a call without a key \(HTTP 401\)"),
        (404, "model 'm' not found", r"has no model 'm'.*: \"model 'm' not found\""),
        (400, "input exceeds the context length", "longer than the model 'm' takes"),
        (307, "", "sends callers elsewhere"),
    ],
)
async def test_each_refusal_says_what_to_do(
    made: Made, server: ChatServer, status: int, message: str, sentence: str
) -> None:
    server.scenario = failing(status, message)

    with pytest.raises(Misconfigured, match=sentence):
        await complete(made(), ASK)


async def test_a_long_page_instead_of_an_answer_is_read_only_in_its_beginning(made: Made, server: ChatServer) -> None:
    async def endless(exchange: Exchange) -> None:
        await exchange.whole(500, b"x" * 1_000_000, "text/plain")

    server.scenario = endless

    with pytest.raises(ModelUnavailable, match="xxx") as caught:
        await complete(made(), ASK)

    assert len(str(caught.value)) < 1_000


async def test_a_server_that_is_down_is_worth_another_try(made: Made) -> None:
    with socket.socket() as bound:  # but not listening
        bound.bind(("127.0.0.1", 0))
        with pytest.raises(ModelUnavailable, match=r"cannot be reached\. Start it, or correct its address"):
            await complete(made(base_url=f"http://127.0.0.1:{bound.getsockname()[1]}"), ASK)


async def test_only_a_line_feed_ends_a_line(made: Made, server: ChatServer) -> None:
    """V5: JSON may hold the other ends of lines that Unicode knows as they are; a last line needs no end."""
    text = "One\u0085two\u2028three\u2029four\x7f."

    async def unescaped(exchange: Exchange) -> None:
        await exchange.begin()
        line = json.dumps({"message": {"content": text}, "done": False}, ensure_ascii=False)
        for half in (line[:20], line[20:], "\r\n\n"):
            await exchange.raw(half)
        await exchange.raw('{"done": true}')
        await exchange.end()

    server.scenario = unescaped

    assert (await complete(made(), ASK)).text == text


async def test_a_line_without_an_end_is_given_up(made: Made, server: ChatServer) -> None:
    """V5: it would fill the memory."""

    async def endless(exchange: Exchange) -> None:
        await exchange.begin()
        for _ in range(11):
            await exchange.raw("x" * 1_000_000)
        await exchange.wait()

    server.scenario = endless

    with pytest.raises(EverloreError, match="answered"):
        await complete(made(), ASK)
    assert await server.seen_hang_up()


async def test_a_server_without_chat_models_says_so(made: Made, server: ChatServer) -> None:
    server.models = ["nomic-embed-text"]

    with pytest.raises(Misconfigured, match="offers no chat model"):
        await complete(made(model=""), ASK)


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
async def test_neither_errors_nor_logs_nor_repr_ever_show_the_key(
    made: Made, server: ChatServer, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    """V5: a server that quotes the key back must not bring it into our errors and logs."""
    caplog.set_level(logging.DEBUG)
    server.scenario = failing(status, f"You sent {KEY}!")
    model = made(key=KEY)

    with pytest.raises(EverloreError) as caught:
        await complete(model, ASK)

    assert KEY not in "".join(traceback.format_exception(caught.value)) + repr(model)
    assert KEY not in caplog.text
