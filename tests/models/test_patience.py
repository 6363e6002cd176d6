"""Time limits, retries and cancelling, the same for every chat model (V5)."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from everlore.errors import Misconfigured, ModelMisbehaved, ModelUnavailable
from everlore.models.chat import Answer, Ask, ChatModel, End, Piece, Said, complete
from everlore.models.openai_chat import OpenAIChat
from everlore.models.patience import LONGEST_WAIT_S, Patience
from everlore.settings import ChatSettings
from tests.models.chat_server import TEXT, WORDS, ChatServer

ASK = Ask(messages=(Said("user", "When does the ferry leave?"),))
HI = Answer("Hi", End())


class Model:
    """Plays one act for each call; an error is raised, None waits for ever, an act in a list is a part."""

    name = "model"
    backend = "backend"

    def __init__(self, *acts: list[str | Exception | None]) -> None:
        self.acts = list(acts)
        self.closed = 0
        self.waits = asyncio.Event()
        self.failed = asyncio.Event()

    async def stream(self, ask: Ask) -> AsyncGenerator[Piece | End, None]:
        try:
            for part in self.acts.pop(0):
                match part:
                    case str():
                        yield Piece(part)
                    case None:
                        self.waits.set()
                        await asyncio.get_running_loop().create_future()
                    case _:
                        self.failed.set()
                        raise part
            yield End()
        finally:
            self.closed += 1

    async def close(self) -> None: ...


def patient(model: ChatModel, **changes: float) -> Patience:
    return Patience(model, ChatSettings.model_validate({"backoff_s": 0.001, **changes}))


def down(after_s: float | None = None) -> ModelUnavailable:
    return ModelUnavailable("It is down.", after_s=after_s)


# Retries.


async def test_a_call_that_finds_nobody_is_made_again() -> None:
    model = Model([down()], [down()], ["Hi"])

    assert await complete(patient(model, retries=2), ASK) == HI


async def test_after_the_last_retry_the_servers_own_sentence_is_told() -> None:
    model = Model([down()], [down()], ["never asked"])

    with pytest.raises(ModelUnavailable, match=r"It is down\."):
        await complete(patient(model, retries=1), ASK)

    assert len(model.acts) == 1


async def test_a_reply_that_has_begun_is_never_begun_anew() -> None:
    model = Model(["Hi", down()], ["never asked"])
    heard = []

    with pytest.raises(ModelUnavailable):
        async for part in patient(model).stream(ASK):
            heard.append(part)

    assert heard == [Piece("Hi")]
    assert len(model.acts) == 1


@pytest.mark.parametrize("error", [Misconfigured("Wrong key."), ModelMisbehaved("Nonsense.")])
async def test_what_time_does_not_mend_is_not_tried_again(error: Exception) -> None:
    model = Model([error], ["never asked"])

    with pytest.raises(type(error), match=str(error)):
        await complete(patient(model), ASK)

    assert len(model.acts) == 1


async def test_a_short_wait_that_the_server_asks_for_is_kept() -> None:
    model = Model([down(after_s=0.01)], ["Hi"])

    assert await complete(patient(model), ASK) == HI


@pytest.mark.parametrize(("after_s", "first_piece_timeout_s"), [(LONGEST_WAIT_S + 1, 120), (20, 10)])
async def test_a_wait_that_is_too_long_is_told_at_once(after_s: float, first_piece_timeout_s: float) -> None:
    model = Model([down(after_s)], ["never asked"])

    with pytest.raises(ModelUnavailable, match=r"It is down\."):
        await complete(patient(model, first_piece_timeout_s=first_piece_timeout_s), ASK)

    assert len(model.acts) == 1


# Time limits.


async def test_a_model_that_never_begins_is_given_up_and_not_asked_again() -> None:
    model = Model([None], ["never asked"])

    with pytest.raises(ModelUnavailable, match=r"'model' did not begin.*at most 0.05 s.*FIRST_PIECE_TIMEOUT_S"):
        await complete(patient(model, first_piece_timeout_s=0.05), ASK)

    assert len(model.acts) == 1
    assert model.closed == 1


async def test_in_the_background_a_slow_model_may_begin_until_the_whole_answer_must_have_ended() -> None:
    slow = patient(Model(["Hi"]), first_piece_timeout_s=0.000_001)
    assert await complete(slow, replace(ASK, in_background=True)) == HI

    with pytest.raises(ModelUnavailable, match=r"did not begin.*at most 0.05 s.*WHOLE_TIMEOUT_S"):
        await complete(patient(Model([None]), whole_timeout_s=0.05), replace(ASK, in_background=True))


async def test_a_model_that_falls_silent_is_given_up() -> None:
    model = Model(["Hi", None])

    with pytest.raises(ModelUnavailable, match=r"fell silent within its answer for 0.05 s.*NEXT_PIECE_TIMEOUT_S"):
        await complete(patient(model, next_piece_timeout_s=0.05), ASK)

    assert model.closed == 1


async def test_a_model_that_never_ends_is_given_up() -> None:
    class Endless(Model):
        async def stream(self, ask: Ask) -> AsyncGenerator[Piece | End, None]:
            while True:
                yield Piece("and ")
                await asyncio.sleep(0.001)

    with pytest.raises(ModelUnavailable, match=r"did not come to an end within 0.1 s.*WHOLE_TIMEOUT_S"):
        await complete(patient(Endless(), whole_timeout_s=0.1), ASK)


async def test_a_slow_reader_is_not_a_silent_model() -> None:
    model = Model(["Hi", " there"])
    heard = []

    async for part in patient(model, next_piece_timeout_s=0.05).stream(ASK):
        heard.append(part)
        await asyncio.sleep(0.1)

    assert heard == [Piece("Hi"), Piece(" there"), End()]


# Stopping.


async def test_closing_the_generator_closes_the_call_underneath() -> None:
    model = Model(["Hi", None])

    async with aclosing(patient(model).stream(ASK)) as parts:
        await anext(parts)
        assert model.closed == 0

    assert model.closed == 1


@pytest.mark.parametrize("act", [[None], ["Hi", None]])
async def test_cancelling_the_reader_closes_the_call_underneath(act: list[str | Exception | None]) -> None:
    model = Model(act)
    asking = asyncio.create_task(complete(patient(model), ASK))
    await model.waits.wait()

    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking
    assert model.closed == 1


async def test_cancelling_between_two_tries_ends_them() -> None:
    model = Model([down(after_s=25)], ["never asked"])
    asking = asyncio.create_task(complete(patient(model), ASK))
    await model.failed.wait()

    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking
    assert len(model.acts) == 1


# With a real server underneath.


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture
async def made(server: ChatServer) -> Callable[..., Patience]:
    return lambda **changes: patient(OpenAIChat(server.url, "m"), **changes)


async def test_an_overloaded_server_is_asked_until_it_answers(
    server: ChatServer, made: Callable[..., Patience]
) -> None:
    server.script = ["429", "503", "fine"]
    model = made()

    assert (await complete(model, ASK)).text == TEXT

    assert len(server.asked) == 3
    await model.close()


async def test_a_stalled_server_is_let_go_after_what_it_said(server: ChatServer, made: Callable[..., Patience]) -> None:
    server.scenario = "stall"
    model = made(next_piece_timeout_s=1)
    heard = []

    with pytest.raises(ModelUnavailable, match="fell silent"):
        async for part in model.stream(ASK):
            heard.append(part)

    assert heard == [*map(Piece, WORDS[:2])]
    assert await server.seen_hang_up()
    await model.close()


async def test_the_name_is_known_once_the_server_has_offered_it(server: ChatServer) -> None:
    model = patient(OpenAIChat(server.url, ""))

    await complete(model, ASK)

    assert model.name == "fine-model"
    await model.close()
