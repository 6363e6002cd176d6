"""A chat program as people use them: it keeps its own lines, sends the latest of them, and lets its user edit, delete,
swipe, stop and go on. What it has at the end is what Everlore must have."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from everlore.server.access import SESSION


@dataclass
class FrontEnd:
    """`trim`: so many of its latest lines are sent. `session` and `user`: how it names the talk, if at all."""

    client: httpx.AsyncClient
    model: str = "nova"
    trim: int = 20
    session: str = ""
    user: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    lines: list[tuple[str, str]] = field(default_factory=list)
    conversations: set[str] = field(default_factory=set)
    # Every line that was ever sent.
    seen: set[str] = field(default_factory=set)

    async def say(self, text: str) -> str:
        self.lines.append(("user", text))
        return await self.answer()

    async def answer(self) -> str:
        """Have the last line answered."""
        text = await self._ask(self.lines)
        self.lines.append(("assistant", text))
        return text

    async def swipe(self) -> str:
        self.lines.pop()
        return await self.answer()

    async def go_on(self) -> str:
        """More of the last reply, joined to it as it comes."""
        more = await self._ask(self.lines)
        self.lines[-1] = ("assistant", self.lines[-1][1] + more)
        return more

    async def stop_after(self, text: str, pieces: int) -> None:
        """Say something, and hang up after so many pieces of the reply."""
        self.lines.append(("user", text))
        heard = ""
        async with self.client.stream("POST", "/v1/chat/completions", **self._request(self.lines, stream=True)) as got:
            self.conversations.add(got.headers[SESSION])
            async for line in got.aiter_lines():
                if line.startswith("data: {") and (choices := json.loads(line[6:])["choices"]):
                    heard += choices[0]["delta"].get("content") or ""
                    pieces -= 1
                if pieces <= 0:
                    break
        if heard:
            self.lines.append(("assistant", heard))

    def edit(self, back: int, text: str) -> None:
        """The line so far from the end, counted from 1."""
        role, _ = self.lines[-back]
        self.lines[-back] = (role, text)

    def delete(self, back: int, count: int = 1) -> None:
        start = len(self.lines) - back
        del self.lines[start : start + count]

    async def _ask(self, lines: list[tuple[str, str]]) -> str:
        answer = await self.client.post("/v1/chat/completions", **self._request(lines))
        assert answer.status_code == 200, answer.text
        self.conversations.add(answer.headers[SESSION])
        text: str = answer.json()["choices"][0]["message"]["content"]
        return text

    def _request(self, lines: list[tuple[str, str]], **more: Any) -> Mapping[str, Any]:
        self.seen |= {text for _, text in lines}
        messages = [{"role": role, "content": text} for role, text in lines[-self.trim :]]
        body: dict[str, Any] = {"model": self.model, "messages": messages, **more}
        if self.user:
            body["user"] = self.user
        return {"json": body, "headers": self.headers | ({SESSION: self.session} if self.session else {})}
