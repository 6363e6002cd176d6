"""What Python clients do with a running Everlore: each feature of each client, one JSON object at the end.

Run by `scripts/clients/run.py` with the interpreter of `.venv-clients`: `in_python.py URL`.
"""

import asyncio
import base64
import json
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel

URL = sys.argv[1]
V1, MODEL = f"{URL}/v1", "everlore/nova"
PIXEL = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
TEXT = "The ferry leaves at dawn."
SEES = "I see a picture."


class Ferry(BaseModel):
    name: str
    leaves_at: int


FERRY = Ferry(name="Oslo", leaves_at=7)
TOOL = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {"place": {"type": "string"}}}},
}
PICTURE = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": PIXEL}}]


def user(content: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": content}]


def expect(found: Any, wanted: Any) -> None:
    assert found == wanted, f"{found!r}"[:120]


def with_openai() -> dict[str, Callable[[], None]]:
    import openai

    client = openai.OpenAI(base_url=V1, api_key="unused", max_retries=0)
    chat: Any = client.chat.completions

    def tools() -> None:
        first = chat.create(model=MODEL, messages=user("Weather?"), tools=[TOOL]).choices[0].message
        result = {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": "rain"}
        messages = [*user("Weather?"), first.to_dict(), result]
        expect(chat.create(model=MODEL, messages=messages, tools=[TOOL]).choices[0].message.content, TEXT)

    def errors() -> None:
        try:
            chat.create(model=MODEL, messages=user("fail with 429"))
        except openai.RateLimitError as error:
            expect("slow down" in str(error), True)
            return
        raise AssertionError("no error")

    def stream() -> None:
        chunks = chat.create(model=MODEL, messages=user("When?"), stream=True)
        expect("".join(each.choices[0].delta.content or "" for each in chunks), TEXT)

    return {
        "chat": lambda: expect(chat.create(model=MODEL, messages=user("When?")).choices[0].message.content, TEXT),
        "stream": stream,
        "tools": tools,
        "forms": lambda: expect(
            chat.parse(model=MODEL, messages=user("Which?"), response_format=Ferry).choices[0].message.parsed, FERRY
        ),
        "pictures": lambda: expect(chat.create(model=MODEL, messages=user(PICTURE)).choices[0].message.content, SEES),
        "embeddings": lambda: expect(len(client.embeddings.create(model="any", input=["a", "b"]).data), 2),
        "errors": errors,
        "responses": lambda: expect(client.responses.create(model=MODEL, input="When?").output_text, TEXT),
    }


def with_litellm() -> dict[str, Callable[[], None]]:
    import litellm

    litellm.suppress_debug_info = True
    given: dict[str, Any] = {"model": f"openai/{MODEL}", "api_base": V1, "api_key": "unused", "num_retries": 0}

    def ask(content: Any, **more: Any) -> Any:
        return litellm.completion(messages=user(content), **given, **more)

    def errors() -> None:
        try:
            ask("fail with 429", max_retries=0)
        except litellm.RateLimitError:
            return
        raise AssertionError("no error")

    def embeddings() -> None:
        made = litellm.embedding(model="openai/any", input=["a"], api_base=V1, api_key="unused")
        assert made.data[0]["embedding"]

    return {
        "chat": lambda: expect(ask("When?").choices[0].message.content, TEXT),
        "stream": lambda: expect(
            "".join(each.choices[0].delta.content or "" for each in ask("When?", stream=True)), TEXT
        ),
        "tools": lambda: expect(ask("W?", tools=[TOOL]).choices[0].message.tool_calls[0].function.name, "weather"),
        "forms": lambda: expect(
            Ferry.model_validate_json(ask("Which?", response_format=Ferry).choices[0].message.content), FERRY
        ),
        "pictures": lambda: expect(ask(PICTURE).choices[0].message.content, SEES),
        "embeddings": embeddings,
        "errors": errors,
    }


def with_langchain() -> dict[str, Callable[[], None]]:
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings

    model = ChatOpenAI(base_url=V1, api_key="unused", model=MODEL, max_retries=0)  # type: ignore[arg-type]

    def errors() -> None:
        try:
            model.invoke("fail with 429")
        except Exception as error:
            expect("slow down" in str(error), True)
            return
        raise AssertionError("no error")

    def embeddings() -> None:
        made = OpenAIEmbeddings(base_url=V1, api_key="unused", model="any", check_embedding_ctx_length=False)  # type: ignore[arg-type]
        assert made.embed_query("a")

    return {
        "chat": lambda: expect(model.invoke("When?").content, TEXT),
        "stream": lambda: expect("".join(str(each.content) for each in model.stream("When?")), TEXT),
        "tools": lambda: expect(model.bind_tools([TOOL]).invoke("W?").tool_calls[0]["args"], {"place": "Oslo"}),
        "forms": lambda: expect(model.with_structured_output(Ferry).invoke("Which?"), FERRY),
        "pictures": lambda: expect(model.invoke([{"role": "user", "content": PICTURE}]).content, SEES),
        "embeddings": embeddings,
        "errors": errors,
    }


def with_llm() -> dict[str, Callable[[], None]]:
    from llm.default_plugins.openai_models import Chat

    def model(**can: Any) -> Any:
        made = Chat("nova", model_name=MODEL, api_base=V1, key=None, **can)
        made.needs_key = None
        made.key = "unused"
        return made

    def tools() -> None:
        def weather(place: str) -> str:
            return f"rain in {place}"

        expect(model(supports_tools=True).chain("Weather?", tools=[weather], stream=False).text(), TEXT)

    return {
        "chat": lambda: expect(model().prompt("When?", stream=False).text(), TEXT),
        "stream": lambda: expect("".join(model().prompt("When?")), TEXT),
        "tools": tools,
        "forms": lambda: expect(
            Ferry.model_validate_json(model(supports_schema=True).prompt("Which?", schema=Ferry, stream=False).text()),
            FERRY,
        ),
    }


def with_instructor() -> dict[str, Callable[[], None]]:
    import instructor
    import openai

    def asked(mode: Any) -> Any:
        client = instructor.from_openai(openai.OpenAI(base_url=V1, api_key="unused", max_retries=0), mode=mode)
        return client.chat.completions.create(model=MODEL, messages=user("Which?"), response_model=Ferry, max_retries=0)  # type: ignore[arg-type]

    return {
        "tools": lambda: expect(asked(instructor.Mode.TOOLS).model_dump(), FERRY.model_dump()),
        "forms": lambda: expect(asked(instructor.Mode.JSON_SCHEMA).model_dump(), FERRY.model_dump()),
    }


def with_pydantic_ai() -> dict[str, Callable[[], None]]:
    from pydantic_ai import Agent, BinaryContent, NativeOutput
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=V1, api_key="unused")
    model = OpenAIChatModel(MODEL, provider=provider)

    def tools() -> None:
        agent = Agent(model)
        seen: list[str] = []

        @agent.tool_plain
        def weather(place: str) -> str:
            seen.append(place)
            return "rain"

        expect(agent.run_sync("Weather?").output, TEXT)
        expect(seen, ["Oslo"])

    async def streamed() -> None:
        async with Agent(model).run_stream("When?") as result:
            expect(await result.get_output(), TEXT)

    png = BinaryContent(b"\x89PNG\r\n\x1a\n", media_type="image/png")
    return {
        "chat": lambda: expect(Agent(model).run_sync("When?").output, TEXT),
        "stream": lambda: asyncio.run(streamed()),
        "tools": tools,
        "forms": lambda: expect(Agent(model, output_type=NativeOutput(Ferry)).run_sync("Which?").output, FERRY),
        "pictures": lambda: expect(Agent(model).run_sync(["What is this?", png]).output, SEES),
        "responses": lambda: expect(
            Agent(OpenAIResponsesModel(MODEL, provider=provider)).run_sync("When?").output, TEXT
        ),
    }


def with_autogen() -> dict[str, Callable[[], None]]:
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.messages import TextMessage
    from autogen_agentchat.teams import RoundRobinGroupChat
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    can = {
        "vision": True,
        "function_calling": True,
        "json_output": True,
        "structured_output": True,
        "family": "unknown",
    }

    def agent(name: str = "helper", **more: Any) -> Any:
        client = OpenAIChatCompletionClient(model=MODEL, base_url=V1, api_key="unused", model_info=can, max_retries=0)  # type: ignore[arg-type]
        return AssistantAgent(name, client, **more)

    def ask(asked: Any, text: str = "When?") -> str:
        return str(asyncio.run(asked.run(task=text)).messages[-1].content)

    def tools() -> None:
        seen: list[str] = []

        def weather(place: str) -> str:
            """The weather of a place."""
            seen.append(place)
            return "rain"

        expect(ask(agent(tools=[weather], reflect_on_tool_use=True), "Weather?"), TEXT)
        expect(seen, ["Oslo"])

    def forms() -> None:
        ended = asyncio.run(agent(output_content_type=Ferry).run(task="Which?"))
        expect(ended.messages[-1].content.model_dump(), FERRY.model_dump())

    def agents() -> None:
        """Two of them talk: what the user says is the user's, what the other agent says is not."""
        team = RoundRobinGroupChat([agent("planner"), agent("critic")], max_turns=4)
        expect(len(asyncio.run(team.run(task="My aunt is called Ottilie. Plan a trip.")).messages), 5)
        said = [TextMessage(content="My uncle is called Balthasar.", source="planner")]
        asyncio.run(agent("critic").run(task=said))
        known = learned()
        assert "Ottilie" in known, known
        assert "Balthasar" not in known, known

    return {
        "chat": lambda: expect(ask(agent()), TEXT),
        "stream": lambda: expect(ask(agent(model_client_stream=True)), TEXT),
        "tools": tools,
        "forms": forms,
        "agents": agents,
    }


def learned() -> str:
    """All that Everlore holds to be true, when it has nothing left to read."""
    import httpx

    with httpx.Client(base_url=URL, timeout=60) as client:
        while client.get("/api/jobs").raise_for_status().json()["queue"]["pending"]:
            time.sleep(0.1)
        return client.get("/api/memories", params={"status": "active", "limit": 200}).raise_for_status().text


def with_fastmcp() -> dict[str, Callable[[], None]]:
    from fastmcp import Client

    async def tools() -> None:
        async with Client(f"{URL}/mcp") as client:
            assert {"remember", "search_memories"} <= {each.name for each in await client.list_tools()}
            await client.call_tool("remember", {"content": "The ferry captain is called Ingrid"})
            found = await client.call_tool("search_memories", {"query": "Who is the ferry captain?"})
            assert "Ingrid" in str(found)

    async def errors() -> None:
        async with Client(f"{URL}/mcp") as client:
            told = await client.call_tool("search_memories", {"qeury": "ferry"}, raise_on_error=False)
            assert told.is_error
            assert "qeury" in str(told.content)
            assert "pydantic" not in str(told.content)

    return {"tools": lambda: asyncio.run(tools()), "errors": lambda: asyncio.run(errors())}


CLIENTS = {
    "openai": with_openai,
    "litellm": with_litellm,
    "langchain-openai": with_langchain,
    "llm": with_llm,
    "instructor": with_instructor,
    "pydantic-ai-slim": with_pydantic_ai,
    "autogen-agentchat": with_autogen,
    "fastmcp": with_fastmcp,
}


def tried(feature: Callable[[], None]) -> str:
    try:
        feature()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:400]
    return "yes"


def main() -> None:
    warnings.simplefilter("ignore")
    found: dict[str, dict[str, str]] = {}
    for name, features in CLIENTS.items():
        found[f"{name} {version(name)} (Python)"] = {each: tried(feature) for each, feature in features().items()}
    print(json.dumps(found))


main()
