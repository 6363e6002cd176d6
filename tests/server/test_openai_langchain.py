"""LangChain's client, as agents have it, with a running Everlore: chat, streams, tools and forms (9-surfaces)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from tests.models.chat_server import TEXT
from tests.server.home import Home
from tests.server.test_openai_through import TOOL, Ferry, calls_a_tool, nova, writes_json
from tests.waiting import PATIENCE_S


@asynccontextmanager
async def langchain(scenario: Any = "fine") -> AsyncIterator[tuple[Home, ChatOpenAI]]:
    async with nova(scenario) as (here, _), httpx.AsyncClient(timeout=PATIENCE_S) as line:
        yield (
            here,
            ChatOpenAI(
                base_url=f"{here.url}/v1",
                api_key=SecretStr("unused"),
                model="everlore/nova",
                max_retries=0,
                http_async_client=line,
            ),
        )


async def kept(here: Home) -> list[str]:
    (conversation,) = (await here.client.get("/api/conversations")).json()["items"]
    return [each["content"] for each in await here.messages(conversation["id"])]


async def test_a_talk_of_langchain_is_one_conversation_streamed_or_not() -> None:
    async with langchain() as (here, model):
        first = await model.ainvoke("When does the ferry leave?")
        talk = [HumanMessage("When does the ferry leave?"), first, HumanMessage("And then?")]
        second = "".join([str(each.content) async for each in model.astream(talk)])
        lines = await kept(here)

    assert (first.content, second) == (TEXT, TEXT)
    assert lines == ["When does the ferry leave?", TEXT, "And then?", TEXT]


async def test_tools_of_langchain_are_called_and_their_results_answered() -> None:
    async with langchain(calls_a_tool) as (here, model):
        bound = model.bind_tools([TOOL])
        asked = HumanMessage("What is the weather in Oslo?")
        called = await bound.ainvoke([asked])
        assert isinstance(called, AIMessage)
        (call,) = called.tool_calls
        answered = await bound.ainvoke([asked, called, ToolMessage("rain", tool_call_id=call["id"])])
        lines = await kept(here)

    assert (call["name"], call["args"]) == ("weather", {"place": "Oslo"})
    assert answered.content == "It rains."
    assert lines == ["What is the weather in Oslo?", "It rains."]


async def test_forms_of_langchain_are_filled_in() -> None:
    async with langchain(writes_json) as (_, model):
        ferry = await model.with_structured_output(Ferry).ainvoke("Which ferry?")

    assert ferry == Ferry(name="Ingrid", leaves_at=7)
