"""The official `openai` client, unchanged but for its address (9-surfaces, V11)."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam

from everlore.domain.conversation import MessageState
from tests.models.chat_server import TEXT
from tests.server.home import Home, home
from tests.waiting import PATIENCE_S

_JSON = {"Content-Type": "application/json"}


@asynccontextmanager
async def client_of(here: Home) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{here.url}/v1", api_key="unused", max_retries=0) as client:
        yield client


def user(text: str) -> ChatCompletionMessageParam:
    return {"role": "user", "content": text}


def assistant(text: str) -> ChatCompletionMessageParam:
    return {"role": "assistant", "content": text}


async def test_characters_are_models() -> None:
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        await here.character("Captain Émile")

        models = [model.id async for model in client.models.list()]
        one = await client.models.retrieve("everlore/nova")

        assert models == ["everlore/nova", "everlore/captain-emile"]
        assert one.owned_by == "everlore"


async def test_a_chat_in_both_modes() -> None:
    async with home() as here, client_of(here) as client:
        await here.character("Nova")

        whole = await client.chat.completions.create(model="everlore/nova", messages=[user("When?")], temperature=0.3)
        stream = await client.chat.completions.create(
            model="everlore/nova", messages=[user("When?")], stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]

        assert whole.choices[0].message.content == TEXT
        assert whole.choices[0].finish_reason == "stop"
        assert whole.usage is not None
        assert (whole.usage.prompt_tokens, whole.usage.completion_tokens, whole.usage.total_tokens) == (11, 7, 18)
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == TEXT
        assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
        assert chunks[-1].usage is not None
        assert chunks[-1].usage.total_tokens == 18
        assert here.asked[0]["temperature"] == 0.3


async def test_a_second_call_with_the_same_session_goes_on() -> None:
    """V11: an unknown id starts a new conversation under that id."""
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        headers = {"X-Conversation-Session-Id": "my-talk"}
        for text in ("One.", "Two."):
            answer = await client.chat.completions.with_raw_response.create(
                model="everlore/nova", messages=[user(text)], extra_headers=headers
            )
            assert answer.headers["x-conversation-session-id"] == "my-talk"

        assert [each["content"] for each in await here.messages("my-talk")] == ["One.", TEXT, "Two.", TEXT]
        sent = here.asked[-1]["messages"]
        assert [each["content"] for each in sent if each["role"] != "system"] == ["One.", TEXT, "Two."]


async def test_a_conversation_is_named_in_the_body_too() -> None:
    """V11."""
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        for text in ("One.", "Two."):
            await client.chat.completions.create(
                model="everlore/nova", messages=[user(text)], metadata={"conversation_id": "talk-7"}
            )

        (conversation,) = (await here.client.get("/api/conversations")).json()["items"]
        assert (conversation["id"], conversation["message_count"]) == ("talk-7", 4)


async def test_user_names_who_speaks_and_no_talk() -> None:
    """V11: two talks of one user stay apart, and each goes on by its lines."""
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        for text in ("One.", "Two."):
            await client.chat.completions.create(model="nova", messages=[user(text)], user="anna")
        talk = [user("One."), assistant(TEXT), user("And then?")]
        await client.chat.completions.create(model="nova", messages=talk, user="anna")

        conversations = (await here.client.get("/api/conversations")).json()["items"]
        assert sorted(each["message_count"] for each in conversations) == [2, 4]


async def test_a_client_that_sends_the_whole_history_goes_on_by_it() -> None:
    """Nothing is kept twice, and two talks that begin alike stay apart."""
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        talk = [user("Hello!")]
        await client.chat.completions.create(model="everlore/nova", messages=[user("Hello!")])
        for text in ("One.", "Two."):
            answer = await client.chat.completions.create(model="everlore/nova", messages=talk)
            talk += [assistant(f" {answer.choices[0].message.content}\n"), user(text)]

        conversations = (await here.client.get("/api/conversations")).json()["items"]
        assert sorted(each["message_count"] for each in conversations) == [2, 4]


async def test_the_same_question_again_asks_for_another_reply() -> None:
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        headers = {"X-Conversation-Session-Id": "talk"}
        await client.chat.completions.create(model="nova", messages=[user("One.")], extra_headers=headers)
        talk = [user("One."), assistant(TEXT), user("Two.")]
        for _ in range(2):
            await client.chat.completions.create(model="nova", messages=talk, extra_headers=headers)

        messages = await here.messages("talk")
        assert [each["content"] for each in messages] == ["One.", TEXT, "Two.", TEXT]
        assert len(messages[-1]["alternatives"]) == 2


async def test_what_was_said_elsewhere_before_is_kept() -> None:
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        talk = [user("I am Ada."), assistant("Hello, Ada."), user("When?")]

        await client.chat.completions.create(model="nova", messages=[{"role": "system", "content": "Be brief."}, *talk])

        (conversation,) = (await here.client.get("/api/conversations")).json()["items"]
        contents = [each["content"] for each in await here.messages(conversation["id"])]
        assert contents == ["I am Ada.", "Hello, Ada.", "When?", TEXT]
        assert "Be brief." in here.asked[-1]["messages"][0]["content"]


async def test_memory_is_added_on_the_way() -> None:
    async with home() as here, client_of(here) as client:
        nova = await here.character("Nova")
        await here.lore.remember("The ferry captain is called Ingrid", person=nova)

        await client.chat.completions.create(model="nova", messages=[user("Who is the ferry captain?")])

        assert "Ingrid" in here.asked[-1]["messages"][-1]["content"]


async def test_errors_have_the_shape_that_clients_know() -> None:
    async with home() as here, client_of(here) as client:
        await here.character("Nova")

        with pytest.raises(openai.NotFoundError, match=r"no model 'nobody'.*everlore/nova"):
            await client.chat.completions.create(model="nobody", messages=[user("Hi")])
        with pytest.raises(openai.BadRequestError, match="temperature"):
            await client.chat.completions.create(model="nova", messages=[user("Hi")], temperature=7)
        with pytest.raises(openai.BadRequestError, match="Nothing was said yet"):
            await client.chat.completions.create(model="nova", messages=[{"role": "system", "content": "Hi"}])
        with pytest.raises(openai.NotFoundError, match="nothing at /v1/files") as nowhere:
            await client.files.list()
        assert nowhere.value.code == "unknown_url"


async def test_what_the_provider_does_not_count_is_counted_here() -> None:
    """The whole prompt, and not only what the client sent."""
    async with home() as here, client_of(here) as client:
        await here.character("Nova", description="Keeps a lighthouse. " * 50)
        here.model.script.append("no usage")

        whole = await client.chat.completions.create(model="nova", messages=[user("When?")])

        assert whole.usage is not None
        assert whole.usage.prompt_tokens > 200
        assert whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens


@pytest.mark.parametrize("stream", [False, True])
async def test_a_model_that_is_down_is_an_error_with_a_status(stream: bool) -> None:
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        here.model.script.append("500")

        with pytest.raises(openai.InternalServerError, match="told to fail"):
            await client.chat.completions.create(model="nova", messages=[user("Hi")], stream=stream)


async def test_a_model_that_breaks_off_is_an_error_in_the_stream() -> None:
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        here.model.script.append("half")
        stream = await client.chat.completions.create(model="nova", messages=[user("Hi")], stream=True)

        with pytest.raises(openai.APIError, match="broke off"):
            async for _ in stream:
                pass


async def test_a_client_that_hangs_up_stops_the_reply() -> None:
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        here.model.script.append("stall")
        stream = await client.chat.completions.create(
            model="nova", messages=[user("Hi")], stream=True, extra_headers={"X-Conversation-Session-Id": "talk"}
        )
        await anext(aiter(stream))
        await stream.close()

        assert await here.model.seen_hang_up()
        async with asyncio.timeout(PATIENCE_S):
            while (await here.messages("talk"))[-1]["state"] != "stopped":
                pass


@pytest.mark.parametrize("stream", [False, True])
async def test_a_client_that_hangs_up_before_the_first_word_stops_the_reply(stream: bool) -> None:
    async with home() as here:
        await here.character("Nova")
        here.model.script.append("slow")
        body = {"model": "nova", "messages": [user("Hi")], "stream": stream}
        headers = {"X-Conversation-Session-Id": "talk"}
        asking = asyncio.create_task(here.client.post("/v1/chat/completions", json=body, headers=headers))
        assert await here.model.seen_ask()
        writing = here.lore.turns.writing("talk")
        assert writing is not None
        asking.cancel()

        assert await here.model.seen_hang_up()
        assert (await writing.reply()).state is MessageState.STOPPED


@pytest.mark.parametrize("named", ["header", "metadata", "user", "nothing"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("before", [0, 2])
async def test_a_retry_after_a_failure_doubles_nothing(named: str, stream: bool, before: int) -> None:
    """V12."""
    async with home() as here:
        await here.character("Nova")
        here.model.script += ["500", "500"]
        body = {"model": "nova", "stream": stream, **_NAMES[named]}
        body["messages"] = [*[user("One."), assistant("Yes.")][:before], user("Two.")]
        headers = {"X-Conversation-Session-Id": "talk"} if named == "header" else {}

        answers = [await here.client.post("/v1/chat/completions", json=body, headers=headers) for _ in range(3)]

        assert [each.status_code for each in answers] == [502, 502, 200]
        assert [each.headers.get("x-should-retry") for each in answers] == ["false", "false", None]
        (id,) = {each.headers["x-conversation-session-id"] for each in answers}
        contents = [each["content"] for each in await here.messages(id)]
        assert contents == [*["One.", "Yes."][:before], "Two.", TEXT]


_NAMES: dict[str, dict[str, Any]] = {
    "header": {},
    "metadata": {"metadata": {"conversation_id": "talk"}},
    "user": {"user": "anna"},
    "nothing": {},
}


async def test_a_retry_with_only_the_last_message_doubles_nothing() -> None:
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        headers = {"X-Conversation-Session-Id": "talk"}
        await client.chat.completions.create(model="nova", messages=[user("One.")], extra_headers=headers)
        here.model.scenario = "half"
        with pytest.raises(openai.InternalServerError):
            await client.chat.completions.create(model="nova", messages=[user("Two.")], extra_headers=headers)
        here.model.scenario = "fine"
        await client.chat.completions.create(model="nova", messages=[user("Two.")], extra_headers=headers)

        assert [each["content"] for each in await here.messages("talk")] == ["One.", TEXT, "Two.", TEXT]


async def test_the_same_first_message_again_asks_for_another_reply() -> None:
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        for _ in range(2):
            await client.chat.completions.create(model="nova", messages=[user("One.")], user="anna")

        (conversation,) = (await here.client.get("/api/conversations")).json()["items"]
        messages = await here.messages(conversation["id"])
        assert [each["content"] for each in messages] == ["One.", TEXT]
        assert len(messages[-1]["alternatives"]) == 2


@pytest.mark.parametrize("chosen", ["a/b?c#d", "my talk", "..", "x" * 129, "Zoë", "a%2fb", "\ud800", "\r\nX-Evil: 1"])
async def test_an_id_that_is_not_plain_becomes_one_that_is(chosen: str) -> None:
    """V11: the same conversation each time, and nothing of the id in a header or a path."""
    async with home() as here:
        await here.character("Nova")
        content = json.dumps({"model": "nova", "messages": [user("Hi")], "metadata": {"conversation_id": chosen}})
        answers = [await here.client.post("/v1/chat/completions", content=content, headers=_JSON) for _ in range(2)]

        (id,) = {each.headers["x-conversation-session-id"] for each in answers}
        assert re.fullmatch("[0-9a-f]{26}", id)
        assert [each["content"] for each in await here.messages(id)] == ["Hi", TEXT]


async def test_an_everlore_that_is_pointed_at_itself_is_told_so() -> None:
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        await client.chat.completions.create(model="nova", messages=[user("Hi")])
        hop = {"X-Everlore-Hop": here.model.asked_to_chat[0].headers["x-everlore-hop"]}

        with pytest.raises(openai.BadRequestError, match="real model server"):
            await client.chat.completions.create(model="nova", messages=[user("Hi")], extra_headers=hop)


async def test_a_session_of_somebody_else_is_refused() -> None:
    async with home() as here, client_of(here) as client:
        await here.character("Nova")
        await here.character("Rex")
        headers = {"X-Conversation-Session-Id": "talk"}
        await client.chat.completions.create(model="nova", messages=[user("Hi")], extra_headers=headers)

        with pytest.raises(openai.ConflictError, match="a character other than Rex"):
            await client.chat.completions.create(model="rex", messages=[user("Hi")], extra_headers=headers)


async def test_embeddings_in_both_encodings() -> None:
    async with home() as here, client_of(here) as client:
        usual = await client.embeddings.create(model="any", input=["one", "two"])
        floats = await client.embeddings.create(model="any", input="one", encoding_format="float")

        assert len(usual.data) == 2
        assert usual.data[0].embedding == pytest.approx(floats.data[0].embedding)
        with pytest.raises(openai.BadRequestError, match="Send texts"):
            await client.embeddings.create(model="any", input=[[1, 2, 3]])
