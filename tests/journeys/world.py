"""Journeys: stories that cross features, played over real processes.

A `World` has a scripted model server, a database, and `everlore serve` processes on it. A `Client` is one person (or
program) with one token who talks to one server over HTTP. A journey reads like this:

    def test_a_fact_told_on_one_server_is_known_on_the_other(world: World) -> None:
        first, second = world.start(), world.start()
        ada = first.owner()
        mira = ada.character("Mira")

        ada.say(ada.open(mira), "I live in Porto.")
        world.settle(ada)

        other = second.owner()
        other.say(other.open(mira), "Where do I live?")
        assert "Porto" in world.prompts[-1]

The model answers every request with `world.reply`, a function of the request, or with the scenarios of
`tests/models/chat_server.py` (`world.model.script`, `.by_model`, `.scenario`). With `World.start(model=False)` a server
has no model and the built-in voice answers. Start at `World`.
"""

import json
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from tests.cli.process import Command, Done, Running
from tests.models.chat_server import ChatServer, Exchange
from tests.waiting import PATIENCE_S, eventually

Json = Any
Reply = Callable[[dict[str, Any]], str]


def prompt_text(body: dict[str, Any]) -> str:
    """Everything that a model was sent in one request, as one text."""
    return json.dumps(body["messages"], ensure_ascii=False)


class World:
    """A database, a model server and the Everlore servers that use them; everything ends with it."""

    def __init__(self, folder: Path, database_url: str = "") -> None:
        self.folder = folder
        self.model = ChatServer(scenario=self._answer)
        self.reply: Reply = lambda _: "I see."
        self.servers: list[Server] = []
        self._database = {"EVERLORE_DATABASE_URL": database_url} if database_url else {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(self.model)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A reply that waits for its scenario would keep its server from ending.
        self.model.release()
        self._stack.close()

    def command(self, *, model: bool = True, **settings: str) -> Command:
        """`everlore` on this world's database. `settings` are environment variables."""
        chat = {
            "EVERLORE_CHAT__PROVIDER": "openai",
            "EVERLORE_CHAT__BASE_URL": self.model.url,
            "EVERLORE_CHAT__MODEL": "fine-model",
            "EVERLORE_CHAT__RETRIES": "0",
        }
        # Facts are learned by rules, so that the model is asked for replies alone. A journey whose model extracts facts
        # sets EVERLORE_EXTRACTION__PROVIDER="openai" and EVERLORE_EXTRACTION__TRUST (else the model is probed first).
        background = {
            "EVERLORE_EMBEDDING__PROVIDER": "hashing",
            "EVERLORE_EXTRACTION__PROVIDER": "voice",
            "EVERLORE_ANALYSIS__PROVIDER": "voice",
            "EVERLORE_QUEUE__QUIET_S": "0",
            # The jobs of a killed process are free again after this.
            "EVERLORE_QUEUE__LEASE_S": "2",
        }
        return Command(self.folder, **self._database | background | (chat if model else {}) | settings)

    def start(self, *, model: bool = True, tokens: bool = False, **settings: str) -> "Server":
        """Starts another server process on the same database. `tokens`: it asks everybody for a token; `owner()` has
        one."""
        command = self.command(model=model, EVERLORE_SERVER__TOKENS=str(tokens), **settings)
        # A server that asks for tokens does not start before there is one for the owner.
        token = command.ok("token", "create", "owner", "--json").document["token"] if tokens else ""
        process = self._stack.enter_context(command.started("serve", "--port", "0"))
        server = Server(command, process, process.line(), self._stack, token)
        self.servers.append(server)
        return server

    def settle(self, owner: "Client") -> None:
        """Waits until no background job is ready or running."""
        eventually(lambda: owner.get("/api/jobs")["queue"]["pending"] == 0)

    @property
    def prompts(self) -> list[str]:
        """What the model was asked for replies, oldest first, each as one text; background requests are left out."""
        return [prompt_text(body) for body in self.requests]

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The bodies of the requests for replies: those that stream."""
        return [each.body for each in self.model.asked_to_chat if each.body.get("stream")]

    async def _answer(self, exchange: Exchange) -> None:
        text = self.reply(exchange.asked.body)
        if exchange.asked.body.get("stream", exchange.ollama):
            await exchange.begin()
            await exchange.text([text])
            await exchange.finish()
            await exchange.end()
            return
        choices = [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]
        await exchange.whole(200, json.dumps({"object": "chat.completion", "choices": choices, "usage": {}}))


@dataclass
class Server:
    """One `everlore serve` process."""

    command: Command
    process: Running
    url: str
    stack: ExitStack
    owner_token: str = ""

    def owner(self) -> "Client":
        """The owner: without tokens whoever is on this machine, else the bearer of an owner token."""
        return self.client(self.owner_token)

    def client(self, token: str = "", **headers: str) -> "Client":
        given = headers | ({"Authorization": f"Bearer {token}"} if token else {})
        http = self.stack.enter_context(httpx.Client(base_url=self.url, timeout=PATIENCE_S, headers=given))
        return Client(self, http, token)

    def kill(self) -> None:
        """kill -9: nothing can be tidied up."""
        self.process.process.send_signal(signal.SIGKILL)
        self.process.ends()

    def stop(self) -> Done:
        return self.process.ends_after(signal.SIGTERM)


@dataclass
class Client:
    """One person or program with one token. Methods fail with the server's answer unless it is the expected status."""

    server: Server
    http: httpx.Client
    token: str = ""

    # ---- plain HTTP

    def request(self, method: str, path: str, *, status: int | None = None, **options: Any) -> httpx.Response:
        answer = self.http.request(method, path, **options)
        if status is None:
            assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        else:
            assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer

    def get(self, path: str, **options: Any) -> Json:
        return self.request("GET", path, **options).json()

    def post(self, path: str, body: Json = None, **options: Any) -> Json:
        answer = self.request("POST", path, json=body, **options)
        return answer.json() if answer.content else None

    def patch(self, path: str, body: Json, **options: Any) -> Json:
        return self.request("PATCH", path, json=body, **options).json()

    def put(self, path: str, body: Json, **options: Any) -> Json:
        return self.request("PUT", path, json=body, **options).json()

    def delete(self, path: str, **options: Any) -> Json:
        answer = self.request("DELETE", path, **options)
        return answer.json() if answer.content else None

    def all(self, path: str) -> list[Json]:
        """Every item of a list that comes in pages."""
        items: list[Json] = []
        page: Json = {"next": ""}
        while page["next"] is not None:
            mark = {"cursor": page["next"]} if page["next"] else {}
            page = self.get(path, params=mark)
            items += page["items"]
        return items

    # ---- people and conversations

    def member(self, name: str, role: str = "member") -> "Client":
        """A new member or guest with a token of their own, on the same server. Only the owner can make one."""
        return self.server.client(self.post("/api/tokens", {"name": name, "role": role})["token"])

    def character(self, name: str = "Mira", **fields: Any) -> str:
        id: str = self.post("/api/characters", {"name": name, **fields})["id"]
        return id

    def open(self, character: str, *, config: Json = None, **fields: Any) -> str:
        """The id of a new conversation; without titles, so that the model is asked for replies alone."""
        body = {"character_id": character, "config": {"auto_title": False} | (config or {}), **fields}
        id: str = self.post("/api/conversations", body)["id"]
        return id

    def say(self, conversation: str, text: str, **fields: Any) -> str:
        """Says something and returns the text of the reply."""
        turn = self.post(f"/api/conversations/{conversation}/messages", {"content": text, **fields})
        return str(turn["reply"]["content"]) if turn["reply"] else ""

    def lines(self, conversation: str) -> list[str]:
        return [each["content"] for each in self.all(f"/api/conversations/{conversation}/messages")]

    def prompt(self, conversation: str, text: str) -> str:
        """The whole prompt that saying `text` would lead to, as one text; nothing is kept."""
        return json.dumps(self.post(f"/api/conversations/{conversation}/prompt", {"content": text}), ensure_ascii=False)

    # ---- /v1

    def complete(
        self, messages: Sequence[Json], model: str, *, headers: dict[str, str] | None = None, **body: Any
    ) -> str:
        """One request of an OpenAI client; the text of the answer."""
        request = {"model": f"everlore/{model}", "messages": list(messages), **body}
        answer = self.post("/v1/chat/completions", request, headers=headers or {})
        return str(answer["choices"][0]["message"]["content"])

    # ---- memory

    def memories(self, **filters: Any) -> list[str]:
        """The content of the memories that this client may list; active ones unless `status` says otherwise."""
        return [
            each["content"]
            for each in self.get("/api/memories", params={"limit": 200, "status": "active"} | filters)["items"]
        ]

    def search(self, query: str, **body: Any) -> list[str]:
        found = self.post("/api/memories/search", {"query": query, **body})
        return [json.dumps(each, ensure_ascii=False) for each in found["items"]]


def dialogue(*lines: str) -> list[Json]:
    """Messages as an OpenAI client sends them: the user begins, then both take turns."""
    return [{"role": "user" if index % 2 == 0 else "assistant", "content": each} for index, each in enumerate(lines)]


def worlds(folder: Path, database_url: str = "") -> Iterator[World]:
    with World(folder, database_url) as world:
        yield world
