"""Open WebUI itself with a running Everlore: its server, and its page in Chromium for two of its users.

After each thing that a user does there, a story looks at what Everlore keeps and at what its model was sent.
Start at `tried`.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Browser, Page, async_playwright

from benchmarks.turns import everlore_on
from scripts.clients.programs import LEARNS_BY_RULES, ROOT, Tried, free_port, process_at, try_story, until, version_in
from scripts.clients.wiretap import Wire, wire_to
from tests.models.chat_server import ChatServer, Exchange

PROGRAM = ROOT / ".venv-openwebui"
PATIENCE_MS = 120_000
# As docs/howto/open-webui.md recommends it.
RECIPE = {
    "ENABLE_FORWARD_USER_INFO_HEADERS": "true",
    "OPENAI_API_CONFIGS": json.dumps(
        {"0": {"headers": {"X-Conversation-Session-Id": "{{CHAT_ID}}", "X-Everlore-History": "whole"}}}
    ),
    "ENABLE_MEMORIES": "false",
    "RAG_EMBEDDING_ENGINE": "openai",
    "RAG_EMBEDDING_MODEL": "everlore",
}
# No network, and everybody may use every model.
SETTINGS = {
    "OFFLINE_MODE": "true",
    "HF_HUB_OFFLINE": "1",
    "ANONYMIZED_TELEMETRY": "false",
    "ENABLE_VERSION_UPDATE_CHECK": "false",
    "ENABLE_OLLAMA_API": "false",
    "DEFAULT_MODELS": "everlore/nova",
    "BYPASS_MODEL_ACCESS_CONTROL": "true",
    "WEBUI_SECRET_KEY": "unused",
}
LETTER = "Dear all, my name is Lars Berg. I live in Tromso, and I work as the driver of the snow plough."
CLOCK = "get_current_timestamp"
FAILURE = "slow down, please"


async def tells(exchange: Exchange) -> None:
    """Never the same reply twice. A title, tags and follow-ups where these are asked for; looks at the clock and fails
    where somebody says so."""
    messages = exchange.asked.body["messages"]
    number, last = len(exchange.server.asked), str(messages[-1]["content"])
    if _is_task(exchange.asked.body):
        answer = {"title": f"Talk {number}", "tags": ["lamp"], "follow_ups": ["And the oil?"]}
        await exchange.begin()
        await exchange.text([json.dumps(answer)])
        await exchange.finish()
        await exchange.end()
        return
    if "fail with 429" in last:
        await exchange.error(429, FAILURE, Retry_After="0")
        return
    await exchange.begin()
    if last.endswith("What time is it?") and CLOCK in json.dumps(exchange.asked.body.get("tools")):
        call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": CLOCK, "arguments": "{}"}}
        await exchange.event({"choices": [{"delta": {"tool_calls": [call]}}]})
        await exchange.finish("tool_calls")
    else:
        await exchange.text([f"The lamp has burnt for {number} nights, ", f"and the oil lasts {number} more."])
        await exchange.finish()
    await exchange.end()


def _is_task(body: dict[str, Any]) -> bool:
    """A title, tags or follow-ups; documents come with the same first words."""
    last = str(body["messages"][-1]["content"])
    return "### Task:" in last and "JSON" in last


# ── its server and its page ──────────────────────────────────────────────────────────────────────


@dataclass
class Visitor:
    """One user of Open WebUI, with a browser and an account of their own."""

    name: str
    page: Page
    api: httpx.AsyncClient

    async def new_chat(self) -> None:
        await self.page.goto(str(self.api.base_url))
        await self.page.wait_for_selector("[aria-label='Selected model: everlore/nova']")

    async def say(self, text: str, *, file: Path | None = None) -> None:
        """As a user does, and until the answer is there."""
        before = len(await self.shown())
        if file:
            await self.page.set_input_files("input[type=file][multiple]", file)
            await self.page.wait_for_selector(f"text={file.name}")
        await self.send(text)
        await self.idle(before + 2)

    async def send(self, text: str) -> None:
        await self.page.click("#chat-input")
        await self.page.keyboard.type(text)
        await self.page.click("#send-message-button:not([disabled])")

    async def edit(self, place: int, text: str) -> None:
        """Another text for a line of the user's, which is answered anew; what came after it stays in a branch."""
        before = await self.shown_ids()
        message = f"#message-{before[place]}"
        await self.page.hover(message)
        await self.page.click(f"{message} [aria-label=Edit]")
        await self.page.fill(f"{message} textarea", text)
        await self.page.click("#confirm-edit-message-button")
        await self.idle(place + 2, other_than=before[-1])

    async def regenerate(self) -> None:
        before = await self.shown_ids()
        await self.page.click(f"#message-{before[-1]} [aria-label=Regenerate]")
        await self.page.click("text=Try Again")
        await self.idle(len(before), other_than=before[-1])

    async def switch_back(self, place: int) -> None:
        """To the version of a line that there was before. Only the page knows of it until something is said."""
        message = f"#message-{(await self.shown_ids())[place]}"
        await self.page.hover(message)
        await self.page.click(f"{message} [aria-label='Previous message']")
        await self.page.wait_for_selector(message, state="detached")

    async def delete(self, place: int) -> None:
        before = await self.shown_ids()
        message = f"#message-{before[place]}"
        await self.page.hover(message)
        await self.page.click(f"{message} [aria-label=Delete]")
        await self.page.click("[role=dialog] button:has-text('Confirm')")

        async def is_gone() -> bool:
            return before[place] not in await self.shown_ids()

        await until(is_gone)

    async def idle(self, count: int, *, other_than: str = "") -> None:
        """Until so many lines are there, the last one whole, and nothing is asked beside the talk any more."""

        async def is_done() -> bool:
            lines = await self._lines()
            if len(lines) != count or not lines[-1].get("done") or lines[-1]["id"] == other_than:
                return False
            return not (await self._get(f"/api/tasks/chat/{self.chat_id}"))["task_ids"]

        await until(is_done)

    @property
    def chat_id(self) -> str:
        return self.page.url.partition("/c/")[2]

    async def shown(self) -> list[str]:
        return [each["content"] for each in await self._lines()]

    async def shown_ids(self) -> list[str]:
        return [each["id"] for each in await self._lines()]

    async def _lines(self) -> list[dict[str, Any]]:
        """The branch that the page shows."""
        if not self.chat_id:
            return []
        history = (await self._get(f"/api/v1/chats/{self.chat_id}"))["chat"]["history"]
        lines: list[dict[str, Any]] = []
        id = history["currentId"]
        while id:
            lines.insert(0, history["messages"][id])
            id = lines[0]["parentId"]
        return lines

    async def _get(self, path: str) -> Any:
        return (await self.api.get(path)).raise_for_status().json()


@dataclass
class House:
    """Open WebUI with two users, the Everlore that it asks, and what goes over the wire between them."""

    folder: Path
    lore: httpx.AsyncClient
    wire: Wire
    model: ChatServer
    anna: Visitor
    bert: Visitor

    async def conversations(self, visitor: Visitor) -> list[str]:
        """Of the person whom Everlore knows under this name, the latest first."""
        users = (await self._get("/api/users"))["items"]
        ids = {each["id"] for each in users if each["name"] == visitor.name}
        found = (await self._get("/api/conversations", limit=200))["items"]
        return [each["id"] for each in found if each["user_id"] in ids]

    async def lines(self, id: str) -> list[str]:
        found = (await self._get(f"/api/conversations/{id}/messages", limit=200))["items"]
        return [each["display_content"] for each in found if not each["hidden"]]

    async def memories(self, visitor: Visitor) -> list[str]:
        await until(self._has_learned)
        ids = await self.conversations(visitor)
        found = (await self._get("/api/memories", limit=200, status="active"))["items"]
        return [each["content"] for each in found if each["conversation_id"] in ids]

    async def _has_learned(self) -> bool:
        return bool((await self._get("/api/jobs"))["queue"]["pending"] == 0)

    async def agrees(self, visitor: Visitor) -> None:
        """The conversation in which this visitor spoke last is what Open WebUI shows, line by line."""
        shown = await visitor.shown()
        kept = await self.lines((await self.conversations(visitor))[0])
        assert kept == shown, f"kept {kept}, shown {shown}"

    @property
    def prompt(self) -> str:
        """What the model was sent for the last reply."""
        bodies = [each.body for each in self.model.asked_to_chat]
        return json.dumps([each for each in bodies if not _is_task(each)][-1], ensure_ascii=False)

    async def _get(self, path: str, **asked: Any) -> Any:
        return (await self.lore.get(path, params=asked)).raise_for_status().json()


@asynccontextmanager
async def opened(folder: Path, browser: str) -> AsyncIterator[House]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with ChatServer(scenario=tells) as model:
        async with (
            everlore_on(folder / "openwebui.db", model.root, **LEARNS_BY_RULES) as everlore,
            wire_to(everlore) as wire,
            process_at(
                url,
                *(str(PROGRAM / "bin" / "open-webui"), "serve", "--host", "127.0.0.1", "--port", str(port)),
                folder=folder,
                environment=SETTINGS
                | RECIPE
                | {f"{name}_BASE_URL": f"{wire.url}/v1" for name in ("OPENAI_API", "RAG_OPENAI_API")}
                | {"OPENAI_API_KEY": "unused", "RAG_OPENAI_API_KEY": "unused"}
                | {"DATA_DIR": str(folder), "CORS_ALLOW_ORIGIN": url},
            ),
            httpx.AsyncClient(base_url=everlore, timeout=60) as lore,
            async_playwright() as player,
        ):
            (await lore.post("/api/characters", json={"name": "Nova"})).raise_for_status()
            chromium = await player.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            anna = await _sign_up(chromium, url, "Anna Åberg")
            bert = await _sign_up(chromium, url, "Bert", by=anna)
            yield House(folder, lore, wire, model, anna, bert)
            await chromium.close()


async def _sign_up(chromium: Browser, url: str, name: str, by: Visitor | None = None) -> Visitor:
    """The first one looks after the house, and adds the others."""
    first = name.partition(" ")[0].lower()
    account = {"name": name, "email": f"{first}@example.org", "password": "a long password", "role": "user"}
    api = httpx.AsyncClient(base_url=url, timeout=60)
    way, asking = ("add", by.api) if by else ("signup", api)
    made = (await asking.post(f"/api/v1/auths/{way}", json=account)).raise_for_status().json()
    api.headers["Authorization"] = f"Bearer {made['token']}"
    (await api.post("/api/v1/users/user/settings/update", json={"ui": {"showChangelog": False}})).raise_for_status()
    context = await chromium.new_context()
    await context.add_init_script(f"localStorage.token = {json.dumps(made['token'])}")
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    return Visitor(name, page, api)


# ── what users do there ──────────────────────────────────────────────────────────────────────────


async def chat(house: House) -> None:
    """One conversation with each line once; of titles, tags and follow-ups nothing is kept."""
    anna = house.anna
    await anna.new_chat()
    before = len(await house.conversations(anna))
    for line in ("What is the name of the ferry?", "Who steers it?", "And at night?"):
        await anna.say(line)
        await house.agrees(anna)
    assert len(await house.conversations(anna)) == before + 1
    assert any(_is_task(each.body) for each in house.wire.chats), "no title was asked for"


async def people(house: House) -> None:
    """Each has a home, and is asked about that one alone; one of them never hears of the other's."""
    anna, bert = house.anna, house.bert
    for visitor, home in ((anna, "Ghent"), (bert, "Porto")):
        await visitor.new_chat()
        await visitor.say(f"I live in {home}.")
        assert f"User lives in {home}" in await house.memories(visitor)
    for visitor, home, other in ((anna, "Ghent", "Porto"), (bert, "Porto", "Ghent")):
        await visitor.new_chat()
        await visitor.say("Where do I live?")
        await house.agrees(visitor)
        assert home in house.prompt, house.prompt
        assert other not in house.prompt, house.prompt


async def edit(house: House) -> None:
    """An edited line is one line, and what was learned of its first wording is withdrawn."""
    anna = house.anna
    await anna.new_chat()
    before = len(await house.conversations(anna))
    await anna.say("My cat is called Mimi.")
    assert "User has a cat named Mimi" in await house.memories(anna)
    await anna.edit(0, "My cat is called Pixel.")
    await house.agrees(anna)
    await anna.say("Is that a good name?")
    await house.agrees(anna)
    await anna.edit(2, "Is that a usual name?")
    await house.agrees(anna)
    assert len(await house.conversations(anna)) == before + 1
    memories = await house.memories(anna)
    assert "User has a cat named Pixel" in memories, memories
    assert "User has a cat named Mimi" not in memories, memories


async def regenerate(house: House) -> None:
    """Another reply to the same line, also to the first one."""
    anna = house.anna
    await anna.new_chat()
    before = len(await house.conversations(anna))
    await anna.say("Where is the lamp oil kept?")
    await anna.regenerate()
    await house.agrees(anna)
    await anna.say("And who fetches it?")
    await anna.regenerate()
    await house.agrees(anna)
    await anna.say("Every day?")
    await house.agrees(anna)
    assert len(await house.conversations(anna)) == before + 1


async def versions(house: House) -> None:
    """Back to what was said before an edit: the talk goes on from there."""
    anna = house.anna
    await anna.new_chat()
    before = len(await house.conversations(anna))
    await anna.say("Who built the lighthouse of Grey Point?")
    await anna.say("In which year was that?")
    await anna.edit(2, "Of which stone did they build it?")
    await anna.switch_back(2)
    await anna.say("And how long did it take?")
    await house.agrees(anna)
    assert len(await house.conversations(anna)) == before + 1


async def delete(house: House) -> None:
    """A deleted exchange is no part of the talk any more."""
    anna = house.anna
    await anna.new_chat()
    for line in ("Is there coffee in the kitchen?", "My dog is called Bruno.", "Is there jam in the kitchen?"):
        await anna.say(line)
    assert "User has a dog named Bruno" in await house.memories(anna)
    await anna.delete(2)
    await anna.say("Is there honey in the kitchen?")
    await house.agrees(anna)
    assert "User has a dog named Bruno" not in await house.memories(anna)


async def file(house: House) -> None:
    """The file reaches the model. Kept are the user's own words; nothing of the file is the user's life."""
    letter = house.folder / "letter.txt"
    letter.write_text(LETTER)
    bert = house.bert
    await bert.new_chat()
    await bert.say("My sister is called Greta. What does she need to know of this letter?", file=letter)
    assert "letter.txt" in house.prompt, house.prompt
    await house.agrees(bert)
    await bert.say("And who wrote it?")
    await house.agrees(bert)
    memories = " ".join(await house.memories(bert))
    assert "Greta" in memories, memories
    assert not any(word in memories for word in ("Lars", "Tromso", "plough", "letter.txt")), memories


async def tools(house: House) -> None:
    """Open WebUI's own tools: the model calls one, hears its result and answers; kept are the line and the answer."""
    bert = house.bert
    await bert.new_chat()
    await bert.say("What time is it?")
    assert "current_timestamp" in house.prompt, house.prompt
    kept = await house.lines((await house.conversations(bert))[0])
    assert kept[0] == "What time is it?", kept
    assert kept[-1] in (await bert.shown())[-1], (kept, await bert.shown())
    await bert.say("Thank you.")
    assert (await house.lines((await house.conversations(bert))[0]))[-2:] == (await bert.shown())[-2:]


async def errors(house: House) -> None:
    """What the model server says stands on the page."""
    bert = house.bert
    await bert.new_chat()
    await bert.send("Please fail with 429")
    await bert.page.wait_for_selector(f"text={FAILURE}")


STORIES: dict[str, Callable[[House], Awaitable[None]]] = {
    "chat": chat,
    "people": people,
    "edit": edit,
    "regenerate": regenerate,
    "versions": versions,
    "delete": delete,
    "file": file,
    "tools": tools,
    "errors": errors,
}


async def tried(folder: Path, browser: str) -> dict[str, Tried]:
    async with opened(folder / "openwebui", browser) as house:
        found = {each: await try_story(partial(story, house)) for each, story in STORIES.items()}
    return {f"Open WebUI {version_in(PROGRAM, 'open-webui')}": found}
