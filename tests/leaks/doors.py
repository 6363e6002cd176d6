"""How a village is asked from outside: over REST and MCP, by its owner or by somebody with a token of their own.

Which routes have answered is counted, so that no list has to be believed.

Start at `Doors.ask`.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from everlore.app import Everlore

MEMBER, GUEST = "member", "guest"


@dataclass
class Doors:
    """`database` is where the command line finds the village, if it lies in a file."""

    lore: Everlore
    app: FastAPI
    client: httpx.AsyncClient
    database: Path | None = None
    # By method and route, tool, resource or verb: how often it gave an answer.
    answered: Counter[str] = field(default_factory=Counter)
    tokens: dict[tuple[str, str], str] = field(default_factory=dict)

    async def token(self, person: str, role: str = MEMBER) -> str:
        """Of this person; nobody has none, and is the owner."""
        if person and (person, role) not in self.tokens:
            made = await self.lore.tokens.create(f"{person}, {role}", role=role, user=person, per_minute=1_000_000)
            self.tokens[person, role] = made.text
        return self.tokens.get((person, role), "")

    async def ask(
        self,
        method: str,
        route: str,
        *,
        by: str = "",
        role: str = MEMBER,
        query: dict[str, Any] | None = None,
        body: dict[str, Any] | None = None,
        **ids: str,
    ) -> httpx.Response:
        """`route` as it is described, with the names of its parts, which `ids` fill."""
        headers = {"Authorization": f"Bearer {await self.token(by, role)}"} if by else {}
        path = route.format(**ids)
        answer = await self.client.request(method, path, params=query, json=body, headers=headers)
        assert answer.status_code < 500, answer.text
        # It would read nothing.
        assert "Unknown query parameter" not in answer.text, (method, path, answer.text)
        self.answered[f"{method} {route}"] += answer.status_code == 200
        return answer

    async def text(self, method: str, route: str, **how: Any) -> str:
        """What the asker is told, be it a refusal."""
        return (await self.ask(method, route, **how)).text

    async def json(self, method: str, route: str, **how: Any) -> Any:
        """What is always answered."""
        answer = await self.ask(method, route, **how)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def tool(self, name: str, given: dict[str, Any], by: str = "") -> Any:
        answer = await self._mcp("tools/call", {"name": name, "arguments": given}, by)
        assert not answer["result"].get("isError"), answer
        self.answered[name] += 1
        return answer["result"]["structuredContent"]

    async def resource(self, uri: str, by: str, **ids: str) -> str:
        """Empty where it is refused."""
        answer = await self._mcp("resources/read", {"uri": uri.format(**ids)}, by)
        self.answered[uri] += "result" in answer
        return str(answer["result"]["contents"][0]["text"]) if "result" in answer else ""

    async def _mcp(self, method: str, params: dict[str, Any], by: str) -> Any:
        headers = {"Accept": "application/json", "Authorization": f"Bearer {await self.token(by)}"}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = await self.client.post("/mcp", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()
