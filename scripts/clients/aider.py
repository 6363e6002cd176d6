"""aider itself with a running Everlore: sessions in a repository, typed into its prompt.

Start at `tried`.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from benchmarks.turns import everlore_on
from scripts.clients.programs import LEARNS_BY_RULES, PATIENCE_S, ROOT, Tried, try_story, until, version_in
from tests.models.chat_server import ChatServer, Exchange

PROGRAM = ROOT / ".venv-aider"
OPTIONS = (
    "--model=openai/everlore/nova --yes-always --no-pretty --no-fancy-input --no-check-update --no-show-release-notes"
    " --no-show-model-warnings --analytics-disable --no-suggest-shell-commands"
).split()
EDIT = 'hello.py\n```\ndef hello():\n    return "good morning"\n```\n'
COMMIT = "feat: Say good morning"
FAILURE = "slow down, please"
# Without it, aider fetches one at its start.
PRICES = {"everlore/nova": {"max_input_tokens": 32_000, "max_output_tokens": 4_000}}


async def codes(exchange: Exchange) -> None:
    """Writes the file where somebody wants it to say good morning, and a message for the commit; else it only talks."""
    told = json.dumps(exchange.asked.body["messages"])
    last = str(exchange.asked.body["messages"][-1]["content"])
    if "fail with 429" in last:
        await exchange.error(429, FAILURE, Retry_After="0")
        return
    words = COMMIT if "commit message" in told.lower() else EDIT if "good morning" in last else "All is well."
    await exchange.begin()
    await exchange.text([words] if words is not EDIT else [f"That is change {len(exchange.server.asked)}.\n\n", EDIT])
    await exchange.finish()
    await exchange.end()


@dataclass
class Workshop:
    """A repository, and the Everlore that aider asks there."""

    repository: Path
    url: str
    lore: httpx.AsyncClient

    async def session(self, *lines: str) -> str:
        """aider from its start to its end; what it printed."""
        process = await asyncio.create_subprocess_exec(
            *(str(PROGRAM / "bin" / "aider"), *OPTIONS, "hello.py"),
            cwd=self.repository,
            env=os.environ
            | {"HOME": str(self.repository.parent), "OPENAI_API_BASE": f"{self.url}/v1", "OPENAI_API_KEY": "unused"}
            | {"LITELLM_LOCAL_MODEL_COST_MAP": "True"},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        typed = "".join(f"{line}\n" for line in (*lines, "/exit"))
        printed, _ = await asyncio.wait_for(process.communicate(typed.encode()), PATIENCE_S)
        return printed.decode()

    async def talks(self) -> list[list[str]]:
        """What the user said in each conversation, the oldest first."""
        found = (await self._get("/api/conversations", limit=200))["items"]
        return [await self._said(each["id"]) for each in reversed(found)]

    async def _said(self, id: str) -> list[str]:
        lines = (await self._get(f"/api/conversations/{id}/messages", limit=200))["items"]
        return [each["content"] for each in lines if each["author"] == "user" and not each["hidden"]]

    async def memories(self) -> list[str]:
        async def has_learned() -> bool:
            return bool((await self._get("/api/jobs"))["queue"]["pending"] == 0)

        await until(has_learned)
        return [each["content"] for each in (await self._get("/api/memories", limit=200, status="active"))["items"]]

    async def git(self, *command: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *command),
            cwd=self.repository,
            stdout=asyncio.subprocess.PIPE,
        )
        printed, _ = await process.communicate()
        return printed.decode().strip()

    async def _get(self, path: str, **asked: Any) -> Any:
        return (await self.lore.get(path, params=asked)).raise_for_status().json()


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Workshop]:
    with ChatServer(scenario=codes) as model:
        async with (
            everlore_on(_prepared(folder) / "aider.db", model.root, **LEARNS_BY_RULES) as url,
            httpx.AsyncClient(base_url=url, timeout=60) as lore,
        ):
            (await lore.post("/api/characters", json={"name": "Nova"})).raise_for_status()
            shop = Workshop(folder / "repository", url, lore)
            for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "Begin"]):
                await shop.git(*command)
            yield shop


def _prepared(folder: Path) -> Path:
    (folder / "repository").mkdir(parents=True)
    (folder / "repository" / "hello.py").write_text('def hello():\n    return "hello"\n')
    (folder / "repository" / ".gitignore").write_text(".aider*\n")
    (folder / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    (folder / ".aider" / "caches").mkdir(parents=True)
    (folder / ".aider" / "caches" / "model_prices_and_context_window.json").write_text(json.dumps(PRICES))
    return folder


# ── what a user does there ───────────────────────────────────────────────────────────────────────


async def chat(shop: Workshop) -> None:
    """A session is a conversation with the lines that were typed: no file, no map of the repository, no reminder."""
    first = ("Is this file all right?", "I live in Ghent. Does that matter?")
    await shop.session(*first)
    assert await shop.talks() == [list(first)], await shop.talks()
    assert await shop.memories() == ["User lives in Ghent"], await shop.memories()


async def sessions(shop: Workshop) -> None:
    """A later session leaves the earlier one and its memories as they are."""
    before = await shop.talks()
    second = ("Is this file all right?", "What does it return?")
    await shop.session(*second)
    assert await shop.talks() == [*before, list(second)], await shop.talks()
    assert "User lives in Ghent" in await shop.memories(), await shop.memories()


async def edit(shop: Workshop) -> None:
    """The model's change arrives in the file and in a commit, whose message is asked for beside the talk."""
    before = await shop.talks()
    wish = "Let it say good morning."
    await shop.session(wish, "Thank you.")
    assert "good morning" in await shop.git("show", "HEAD:hello.py")
    assert await shop.git("log", "-1", "--format=%s") == COMMIT
    assert await shop.talks() == [*before, [wish, "Thank you."]], await shop.talks()


async def errors(shop: Workshop) -> None:
    """What the model server says is printed."""
    printed = await shop.session("Please fail with 429")
    assert FAILURE in printed, printed


STORIES: dict[str, Callable[[Workshop], Awaitable[None]]] = {
    "chat": chat,
    "sessions": sessions,
    "edit": edit,
    "errors": errors,
}


async def tried(folder: Path) -> dict[str, Tried]:
    async with opened(folder / "aider") as shop:
        found = {each: await try_story(partial(story, shop)) for each, story in STORIES.items()}
    return {f"aider {version_in(PROGRAM, 'aider-chat')}": found}
