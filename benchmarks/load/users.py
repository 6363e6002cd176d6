"""What users do under load, how long it took, and what a server acknowledged to them.

Start at `User.live`.
"""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import pairwise
from time import perf_counter
from typing import Any

import httpx

from benchmarks.load.processes import Crew

CHAT, SEARCH, IMPORT = "chat", "search", "import"
KINDS = (CHAT, SEARCH, IMPORT)
# How often each is done.
_SHARES = (0.7, 0.27, 0.03)
_IMPORTED_LINES = 40
_PLACES = "harbour lighthouse market mill bridge library tavern chapel orchard quarry".split()


@dataclass(frozen=True, slots=True)
class Request:
    """`at` and `seconds` are counted from the start of the run; `error` is empty where all went well."""

    kind: str
    at: float
    seconds: float
    error: str = ""


@dataclass(slots=True)
class Tally:
    requests: list[Request] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)

    def add(self, request: Request) -> None:
        self.requests.append(request)
        if request.error:
            self.errors[request.error] += 1


@dataclass(slots=True)
class Checked:
    """What was looked up after the run."""

    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    unanswered: int = 0


class _Refused(Exception):
    pass


class User:
    """One person with one conversation. `said` and `imported` hold what a server acknowledged."""

    def __init__(self, number: int, client: httpx.AsyncClient, crew: Crew, seed: int) -> None:
        self._number = number
        self._client = client
        self._crew = crew
        self._dice = random.Random(f"{seed}/{number}")
        self._talk = ""
        self._character = ""
        self._lines = 0
        self.said: list[str] = []
        self.imported: list[str] = []

    async def settle_in(self) -> None:
        made = await self._asked("POST", "/api/characters", json={"name": f"Nova {self._number}"})
        self._character = made["id"]
        new = {"character_id": self._character, "config": {"auto_title": False}}
        self._talk = (await self._asked("POST", "/api/conversations", json=new))["id"]

    async def live(self, tally: Tally, begun: float, until: float, pause_s: float) -> None:
        acts: dict[str, Callable[[], Awaitable[None]]] = {CHAT: self._say, SEARCH: self._search, IMPORT: self._import}
        # Not all at once.
        await asyncio.sleep(self._dice.random() * pause_s)
        while (at := perf_counter()) < until:
            (kind,) = self._dice.choices(KINDS, _SHARES)
            error = ""
            try:
                await acts[kind]()
            except (httpx.HTTPError, _Refused) as failed:
                error = str(failed) if isinstance(failed, _Refused) else type(failed).__name__
            tally.add(Request(kind, at - begun, perf_counter() - at, error))
            await asyncio.sleep(self._dice.uniform(0.5, 1.5) * pause_s)

    async def check(self, checked: Checked) -> None:
        """Each acknowledged line is in its conversation once, followed by its reply; each import is whole."""
        messages = await self._all(f"/api/conversations/{self._talk}/messages")
        counts = Counter(each["content"] for each in messages)
        answered = {
            before["content"]
            for before, after in pairwise(messages)
            if after["author"] == "assistant" and after["state"] == "complete"
        }
        checked.acknowledged += len(self.said) + len(self.imported)
        checked.lost += sum(not counts[line] for line in self.said)
        checked.doubled += sum(counts[line] > 1 for line in self.said)
        checked.unanswered += sum(line not in answered for line in self.said)
        for id in self.imported:
            lines = await self._all(f"/api/conversations/{id}/messages")
            checked.lost += len(lines) < _IMPORTED_LINES
            checked.doubled += len(lines) > _IMPORTED_LINES

    # ── what they do ─────────────────────────────────────────────────────────────────────────────

    async def _say(self) -> None:
        self._lines += 1
        place = self._dice.choice(_PLACES)
        line = f"I saw boat {self._lines} of user {self._number} at the {place}."
        url = f"{self._somewhere()}/api/conversations/{self._talk}/messages"
        last = ""
        async with self._client.stream("POST", url, json={"content": line, "stream": True}) as answer:
            if answer.status_code >= httpx.codes.BAD_REQUEST:
                raise _Refused(f"status {answer.status_code}")
            async for row in answer.aiter_lines():
                last = row.removeprefix("event: ") if row.startswith("event: ") else last
        if last != "done":
            raise _Refused(f"stream ended with {last or 'nothing'}")
        self.said.append(line)

    async def _search(self) -> None:
        query = f"Which boat did I see at the {self._dice.choice(_PLACES)}?"
        await self._asked("POST", "/api/memories/search", json={"query": query})

    async def _import(self) -> None:
        self._lines += 1
        rows = [
            {"name": "User" if number % 2 else "Nova", "is_user": bool(number % 2), "mes": f"Line {number}: the ferry."}
            for number in range(_IMPORTED_LINES)
        ]
        content = "\n".join(map(json.dumps, [{"user_name": "User", "character_name": "Nova"}, *rows]))
        path = f"/api/conversations/import?character_id={self._character}&filename={self._lines}.jsonl"
        self.imported.append((await self._asked("POST", path, content=content.encode()))["conversation"]["id"])

    # ── asking ───────────────────────────────────────────────────────────────────────────────────

    def _somewhere(self) -> str:
        """Each request goes to any of the servers."""
        urls = self._crew.urls
        if not urls:
            raise _Refused("no server")
        return self._dice.choice(urls)

    async def _asked(self, method: str, path: str, **body: Any) -> Any:
        answer = await self._client.request(method, self._somewhere() + path, **body)
        if answer.status_code >= httpx.codes.BAD_REQUEST:
            raise _Refused(f"status {answer.status_code}")
        return answer.json()

    async def _all(self, path: str) -> list[dict[str, str]]:
        items: list[dict[str, str]] = []
        cursor: str | None = ""
        while cursor is not None:
            page = await self._asked("GET", f"{path}?limit=200" + (f"&cursor={cursor}" if cursor else ""))
            items += page["items"]
            cursor = page["next"]
        return items
