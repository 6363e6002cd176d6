"""SillyTavern itself with a running Everlore: its server, its page in Chromium, and after each thing that a user does
there, whether Everlore's log is what SillyTavern shows.

Start at `tried`.
"""

import asyncio
import base64
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Page, TimeoutError, async_playwright

from benchmarks.turns import everlore_on
from scripts.clients.programs import free_port, process_at
from scripts.clients.wiretap import Wire, wire_to
from tests.models.chat_server import ChatServer, Exchange
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "build" / "clients"
TAVERN = PACKAGES / "node_modules" / "sillytavern"
EXTENSION = ROOT / "examples" / "sillytavern" / "everlore"
PATIENCE_MS = 60_000
HEEDED_MS = 2_000
MAREN = {
    "name": "Maren",
    "description": "Maren keeps the lighthouse of Grey Point, and mends boats in winter.",
    "personality": "Dry, patient, and fond of bad weather.",
    "scenario": "The ferry is late, and the guests wait in the kitchen of the lighthouse.",
    "greetings": ["Come in, and mind the wet steps by the door."],
    "example_dialogue": "<START>\n{{user}}: Is it far?\n{{char}}: Nothing is far by boat.",
}
REX = {"name": "Rex", "description": "Rex steers the ferry of Grey Point, and knows every rock under it."}
SLOWLY = "Tell it slowly."
"""What a line ends with to which the model's answer stops in the middle."""
SIZES = """
const settings = st.chatCompletionSettings;
[settings.openai_max_context, settings.openai_max_tokens] = given;
"""
_IN_GROUP = "() => SillyTavern.getContext().groupId && SillyTavern.getContext().chat[0]"
_IS_SENT = "text => document.querySelector('#send_textarea').value !== text"
Tried = dict[str, str]


async def tells(exchange: Exchange) -> None:
    """Never the same twice, so that each reply is known again; and in two halves where somebody wants it slowly."""
    messages = exchange.asked.body["messages"]
    if str(messages[-1]["content"]).endswith("fail with 429"):
        await exchange.error(429, "slow down", Retry_After="0")
        return
    number = len(exchange.server.asked)
    await exchange.begin()
    if str(messages[-1]["content"]).endswith(SLOWLY):
        # The page shows so many pieces a second, and what comes between them with the next one.
        for word in ("The lamp ", "has burnt ", f"for {number} ", "nights, "):
            await exchange.text([word])
            await asyncio.sleep(0.1)
        await exchange.wait()
    await exchange.text([f"The lamp has burnt for {number} nights, ", "and the oil ", f"lasts {number} more."])
    await exchange.finish()
    await exchange.end()


# ── its server and its page ──────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def tavern_in(folder: Path, url: str, *, extension: bool) -> AsyncIterator[None]:
    """Its server with data of its own. What it compiles for the page once is kept beside the packages."""
    data, compiled = folder / "data", PACKAGES / "_webpack"
    settings = json.loads((TAVERN / "default" / "content" / "settings.json").read_text())
    (data / "default-user").mkdir(parents=True)
    # As it comes, it asks a public service at its start.
    (data / "default-user" / "settings.json").write_text(json.dumps(settings | {"main_api": "openai"}))
    compiled.mkdir(exist_ok=True)
    (data / "_webpack").symlink_to(compiled)
    if extension:
        shutil.copytree(EXTENSION, data / "default-user" / "extensions" / EXTENSION.name)
    options = ["--configPath", str(folder / "config.yaml"), "--dataRoot", str(data), "--port", url.rpartition(":")[2]]
    command = ("node", str(TAVERN / "server.js"), *options, "--browserLaunchEnabled=false")
    async with process_at(url, *command, folder=folder, directory=TAVERN):
        yield


@dataclass
class Tavern:
    """SillyTavern's page, the Everlore that it asks, and what goes over the wire between them."""

    page: Page
    lore: httpx.AsyncClient
    wire: Wire
    model: ChatServer
    has_extension: bool = False

    async def run(self, script: str, given: Any = None) -> Any:
        """In the page, with SillyTavern's own context at hand."""
        return await self.page.evaluate(
            "async ([script, given]) => await new Function('st', 'given', `return (async () => { ${script} })()`)"
            "(SillyTavern.getContext(), given)",
            [script, given],
        )

    async def command(self, text: str) -> str:
        pipe: str = await self.run("return (await st.executeSlashCommandsWithOptions(given))?.pipe ?? ''", text)
        await self.idle()
        return pipe

    async def fill_in(self, id: str, value: str | bool) -> None:
        """A field of the extension, also while its drawer is shut."""
        await self.run(
            """
            const field = document.getElementById(given.id);
            field[field.type === 'checkbox' ? 'checked' : 'value'] = given.value;
            field.dispatchEvent(new Event('input', { bubbles: true }));
            """,
            {"id": id, "value": value},
        )

    async def idle(self) -> None:
        await self.page.wait_for_function(
            "() => !document.body.dataset.generating && !document.querySelector('#curEditTextarea')"
        )

    async def say(self, text: str) -> None:
        """As a user does, and until the answer is there."""
        before = len(await self.shown())
        await self.send(text)
        await self.page.wait_for_function(
            "before => SillyTavern.getContext().chat.filter(each => !each.is_system).length >= before + 2", arg=before
        )
        await self.idle()

    async def send(self, text: str) -> None:
        """For a moment after a reply the page ignores clicks: while the line is still in its box, click again."""
        await self.page.fill("#send_textarea", text)

        async def is_sent() -> bool:
            await self.page.click("#send_but")
            with suppress(TimeoutError):
                await self.page.wait_for_function(_IS_SENT, arg=text, timeout=HEEDED_MS)
                return True
            return False

        await until(is_sent)

    async def say_to_two(self, text: str) -> None:
        """Between the two of them the page looks as though it were done."""
        await self.run(
            "window.bothSpoke = false; "
            "st.eventSource.once(st.eventTypes.GROUP_WRAPPER_FINISHED, () => { window.bothSpoke = true; })"
        )
        await self.send(text)
        await self.page.wait_for_function("() => window.bothSpoke")
        await self.idle()

    async def shown(self) -> list[str]:
        lines: list[str] = await self.run("return st.chat.filter(each => !each.is_system).map(each => each.mes)")
        return lines

    async def new_chat(self) -> None:
        await self.command("/newchat")
        await self.page.wait_for_function("() => SillyTavern.getContext().chat.length <= 1")

    async def edit(self, place: int, text: str) -> None:
        await self.page.hover(f"#chat .mes[mesid='{place}']")
        await self.page.click(f"#chat .mes[mesid='{place}'] .mes_edit")
        await self.page.fill("#curEditTextarea", text)
        await self.page.click(f"#chat .mes[mesid='{place}'] .mes_edit_done")
        await self.idle()

    async def swipe(self, way: str = "right") -> None:
        """To another version of the last reply; to the right of the last one, a new one is written."""
        before = (await self.shown())[-1]
        await self.page.click(f"#chat .last_mes .swipe_{way}")
        await self.page.wait_for_function(
            "before => { const { mes } = SillyTavern.getContext().chat.at(-1); "
            "return mes !== before && mes.endsWith('more.') }",
            arg=before,
        )
        # While it still slides, the page heeds neither another swipe nor what is sent.
        await self.page.wait_for_function("() => SillyTavern.getContext().swipe.state() === 'none'")
        await self.idle()
        await until(self._is_written)

    async def _is_written(self) -> bool:
        return (await self.latest())[-1]["state"] != "streaming"

    async def take_in(self, what: str, format: str, content: bytes) -> Any:
        """A file, as when a user imports it: a card (`characters`), or a chat with the one who is open (`chats`)."""
        told = await self.run(
            """
            const bytes = Uint8Array.from(atob(given.content), each => each.charCodeAt(0));
            const form = new FormData();
            form.append('avatar', new File([bytes], `from_everlore.${given.format}`));
            form.append('file_type', given.format);
            form.append('user_name', st.name1);
            form.append('character_name', st.name2);
            form.append('avatar_url', st.characters[st.characterId]?.avatar ?? '');
            const headers = st.getRequestHeaders({ omitContentType: true });
            const answer = await fetch(`/api/${given.what}/import`, { method: 'POST', headers, body: form });
            await st.getCharacters();
            return await answer.json();
            """,
            {"what": what, "format": format, "content": base64.b64encode(content).decode()},
        )
        assert not told.get("error"), told
        return told

    async def give_out(self, what: str, **asked: str) -> bytes:
        """The other way: a card or a chat as SillyTavern exports it."""
        content: str = await self.run(
            """
            const body = JSON.stringify({ avatar_url: st.characters[st.characterId].avatar, ...given.asked });
            const asked = { method: 'POST', headers: st.getRequestHeaders(), body };
            const bytes = new Uint8Array(await (await fetch(`/api/${given.what}/export`, asked)).arrayBuffer());
            return btoa(Array.from(bytes, each => String.fromCharCode(each)).join(''));
            """,
            {"what": what, "asked": asked},
        )
        return base64.b64decode(content)

    async def conversations(self) -> list[str]:
        found = (await self.lore.get("/api/conversations", params={"limit": 200})).raise_for_status().json()["items"]
        return [each["id"] for each in found]

    async def messages(self, id: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (
            (await self.lore.get(f"/api/conversations/{id}/messages", params={"limit": 200})).raise_for_status().json()
        )["items"]
        return found

    async def latest(self) -> list[dict[str, Any]]:
        return await self.messages((await self.conversations())[0])

    async def agrees(self, *, spaces: bool = True) -> None:
        """The conversation that was spoken in last is what SillyTavern shows, line by line."""
        shown = [_plain(each, spaces) for each in await self.shown()]
        kept = [_plain(each["display_content"], spaces) for each in await self.latest() if not each["withdrawn"]]
        assert kept == shown, f"kept {kept}, shown {shown}"

    async def nothing_kept(self, doing: Awaitable[Any]) -> None:
        before = [await self.messages(id) for id in await self.conversations()]
        asked = len(self.wire.chats)
        await doing
        assert len(self.wire.chats) == asked + 1, "nothing was asked"
        assert [await self.messages(id) for id in await self.conversations()] == before, "something was kept"


def _plain(text: str, spaces: bool = True) -> str:
    return (" " if spaces else "").join(text.split())


@asynccontextmanager
async def opened(folder: Path, browser: str, *, extension: bool = False) -> AsyncIterator[Tavern]:
    address = f"http://127.0.0.1:{free_port()}"
    with ChatServer(scenario=tells) as model:
        async with (
            everlore_on(folder / "tavern.db", model.root, EVERLORE_SERVER__ORIGINS=json.dumps([address])) as url,
            wire_to(url) as wire,
            tavern_in(folder / "tavern", address, extension=extension),
            httpx.AsyncClient(base_url=url, timeout=60) as lore,
            async_playwright() as player,
        ):
            chromium = await player.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            page = await chromium.new_page()
            page.set_default_timeout(PATIENCE_MS)
            await page.goto(address)
            made = Tavern(page, lore, wire, model, extension)
            await set_up(made)
            yield made
            await chromium.close()


async def set_up(tavern: Tavern) -> None:
    """As a user would: a name of one's own, the connection, and the card, which comes from Everlore."""
    page = tavern.page
    await page.fill(".popup-input:visible", "Ada")
    await page.click(".popup-button-ok:visible")
    await page.wait_for_selector("#preloader", state="detached")
    await page.click("#sys-settings-button .drawer-toggle")
    await page.select_option("#chat_completion_source", "custom")
    await page.fill("#custom_api_url_text", f"{tavern.wire.url}/v1")
    await page.fill("#api_key_custom", "unused")
    await page.fill("#custom_model_id", "everlore/maren")
    await page.click("#api_button_openai")
    await page.wait_for_function("() => SillyTavern.getContext().onlineStatus === 'Valid'")
    await page.click("#sys-settings-button .drawer-toggle")
    if tavern.has_extension:
        await tavern.fill_in("everlore_url", tavern.wire.url)
    for character in (MAREN, REX):
        made = (await tavern.lore.post("/api/characters", json=character)).raise_for_status().json()
        card = await tavern.lore.get(f"/api/characters/{made['id']}/export", params={"format": "png", "version": 2})
        await tavern.take_in("characters", "png", card.raise_for_status().content)
    await tavern.command("/go Maren")
    await page.wait_for_function("() => SillyTavern.getContext().chat.length === 1")


# ── what a user does there ───────────────────────────────────────────────────────────────────────


async def chat(tavern: Tavern) -> None:
    await tavern.new_chat()
    before = len(await tavern.conversations())
    for line in ("What is the name of the ferry?", "Who steers it?", "And at night?"):
        await tavern.say(line)
        await tavern.agrees()
    assert len(await tavern.conversations()) == before + 1


async def errors(tavern: Tavern) -> None:
    await tavern.new_chat()
    await tavern.send("fail with 429")
    await tavern.page.wait_for_selector(".toast-error")
    await tavern.page.click(".toast-error")
    await tavern.idle()


async def swipe(tavern: Tavern) -> None:
    await tavern.new_chat()
    await tavern.say("Where is the lamp oil kept?")
    first = (await tavern.shown())[-1]
    await tavern.swipe()
    await tavern.agrees()
    assert len((await tavern.latest())[-1]["alternatives"]) == 2
    await tavern.swipe("left")
    assert (await tavern.shown())[-1] == first
    await tavern.say("And who fetches it?")
    await tavern.agrees()
    await tavern.command("/regenerate await=true")
    await tavern.agrees()


async def edit(tavern: Tavern) -> None:
    await tavern.new_chat()
    await tavern.say("Who built the light house?")
    await tavern.say("When was that?")
    ids = [each["id"] for each in await tavern.latest()]
    await tavern.edit(1, "Who built the lighthouse?")
    await tavern.edit(4, "In the year of the great storm.")
    await tavern.say("Does it leak?")
    await tavern.agrees()
    assert [each["id"] for each in await tavern.latest()][: len(ids)] == ids, "lines were not edited, but new"
    await tavern.edit(5, "Does the roof leak?")
    await tavern.command("/regenerate await=true")
    await tavern.agrees()


async def delete(tavern: Tavern) -> None:
    await tavern.new_chat()
    for line in ("Is there coffee?", "Is there bread?", "Is there jam?"):
        await tavern.say(line)
    await tavern.command("/cut 3-4")
    await tavern.say("Is there honey?")
    await tavern.agrees()
    await tavern.command("/del 2")
    await tavern.say("Is there any tea?")
    await tavern.agrees()


async def stop(tavern: Tavern) -> None:
    await tavern.new_chat()
    await tavern.send(f"What lies under the cliffs? {SLOWLY}")
    await tavern.page.wait_for_function("() => SillyTavern.getContext().chat.at(-1).mes.startsWith('The lamp')")
    await tavern.page.click("#mes_stop")
    await tavern.idle()

    async def is_stopped() -> bool:
        return bool((await tavern.latest())[-1]["state"] == "stopped")

    await until(is_stopped)
    # A word or two may have been on their way; what was heard stands with the next line.
    assert (await tavern.latest())[-1]["display_content"].startswith((await tavern.shown())[-1])
    await tavern.say("And above them?")
    await tavern.agrees()


async def go_on(tavern: Tavern) -> None:
    """SillyTavern puts a space between, of which Everlore hears with the next line."""
    await tavern.new_chat()
    await tavern.say("Tell me of the storm.")
    await tavern.command("/continue await=true")
    await tavern.agrees(spaces=False)
    await tavern.say("And then?")
    await tavern.agrees()


async def impersonate(tavern: Tavern) -> None:
    await tavern.new_chat()
    await tavern.say("What shall I ask you?")
    await tavern.nothing_kept(tavern.command("/impersonate await=true"))
    assert (await tavern.page.input_value("#send_textarea")).startswith("The lamp")
    await tavern.page.fill("#send_textarea", "")


async def quiet(tavern: Tavern) -> None:
    await tavern.new_chat()
    await tavern.say("Who else is here?")
    await tavern.nothing_kept(tavern.command("/gen Describe the kitchen in one sentence."))
    await tavern.say("Only the cat?")
    await tavern.agrees()


async def note(tavern: Tavern) -> None:
    await tavern.new_chat()
    await tavern.say("Is it late?")
    await tavern.command("/note Maren is in a hurry tonight.")
    for depth, role in ((4, "system"), (2, "user"), (0, "user")):
        await tavern.command(f"/note-depth {depth} | /note-role {role}")
        for line in (f"What about the tide of {depth}?", f"What about the moon of {depth}?"):
            await tavern.say(line)
            assert "in a hurry" in str(tavern.wire.chats[-1].body["messages"])
            await tavern.agrees()
    await tavern.swipe()
    await tavern.agrees()
    await tavern.command("/note-depth 4 | /note-role system | /note ")


async def trimmed(tavern: Tavern) -> None:
    await tavern.new_chat()
    await tavern.run(SIZES, [400, 100])
    for thing in ("anchor", "barrel", "candle", "dinghy", "engine", "flag", "gull"):
        await tavern.say(f"Where did you find the {thing}?")
        await tavern.agrees()
    assert MAREN["greetings"][0] not in str(tavern.wire.chats[-1].body["messages"]), "nothing was trimmed"
    await tavern.swipe()
    await tavern.edit(13, "Where did you find that gull?")
    await tavern.say("And the mast?")
    await tavern.agrees()
    await tavern.run(SIZES, [4095, 300])


async def templates(tavern: Tavern) -> None:
    """Its “prompt post-processing”: roles put together, in turn, all in one message; and names before lines."""
    for template in ("merge", "semi", "strict", "single"):
        await tavern.command(f"/prompt-post-processing {template}")
        await tavern.new_chat()
        for line in (f"What is a {template} rope?", f"Where is the {template} knot?"):
            await tavern.say(line)
            await tavern.agrees()
        await tavern.swipe()
        await tavern.agrees()
        await tavern.command("/continue await=true")
        await tavern.agrees(spaces=False)
        await tavern.nothing_kept(tavern.command("/impersonate await=true"))
        await tavern.page.fill("#send_textarea", "")
        await tavern.say("And the sail?")
        await tavern.agrees()
    await tavern.command("/prompt-post-processing none")
    await tavern.run("st.chatCompletionSettings.names_behavior = 2")
    await tavern.say("And the oars?")
    await tavern.agrees()
    await tavern.run("st.chatCompletionSettings.names_behavior = 0")


async def group(tavern: Tavern) -> None:
    """Each of them is asked as itself, and has a conversation of its own, in which the others are somebody else."""
    if not tavern.has_extension:
        await tavern.run("st.chatCompletionSettings.custom_include_body = given", "model: everlore/{{char}}")
    await begin_group(tavern)
    before = len(await tavern.conversations())
    for line in ("Hello, you two. Who made the soup?", "And who will wash up?"):
        await tavern.say_to_two(line)
    assert len(await tavern.conversations()) == before + 2
    said = await tavern.run("return st.chat.map(each => [each.name, each.mes])")
    for id in (await tavern.conversations())[:2]:
        kept = [(each["author"], each["display_content"]) for each in await tavern.messages(id)]
        (who,) = {each["name"] for each in await tavern.messages(id) if each["author"] == "assistant"}
        wanted = [_heard_by(who, name, words) for name, words in said]
        # The first of them has not heard yet what was said after its own line.
        assert wanted[: len(kept)] == kept, f"kept {kept}, shown {said}"
        assert len(kept) >= len(wanted) - 1
    await tavern.run("st.chatCompletionSettings.custom_include_body = ''")
    await tavern.command("/go Maren")


async def begin_group(tavern: Tavern) -> None:
    await tavern.run(
        """
        const members = ['Rex', 'Maren'].map(name => st.characters.find(each => each.name === name).avatar);
        const body = JSON.stringify({ name: 'The kitchen', members, activation_strategy: 1, avatar_url: '' });
        const made = await fetch('/api/groups/create', { method: 'POST', headers: st.getRequestHeaders(), body });
        if (!made.ok) throw new Error(`the group was not made: ${made.status}`);
        await st.getCharacters();
        """
    )

    async def is_open() -> bool:
        """While the page still saves or loads another chat, it ignores the command."""
        await tavern.command("/go The kitchen")
        with suppress(TimeoutError):
            await tavern.page.wait_for_function(_IN_GROUP, timeout=HEEDED_MS)
            return True
        return False

    await until(is_open)


def _heard_by(who: str, name: str, words: str) -> tuple[str, str]:
    if name == who:
        return "assistant", words
    return "user", words if name == "Ada" else f"{name}: {words}"


async def cards(tavern: Tavern) -> None:
    """There and back: Everlore's card is the one that is talked with; SillyTavern's goes to Everlore."""
    for format in ("png", "json"):
        card = await tavern.give_out("characters", format=format)
        told = (
            await tavern.lore.post("/api/characters/import", content=card, params={"filename": f"card.{format}"})
        ).json()
        taken = told["character"]
        # It writes line ends as Windows does.
        found = {name: json.loads(json.dumps(taken[name]).replace("\\r\\n", "\\n")) for name in MAREN}
        assert found == MAREN, found
        (await tavern.lore.delete(f"/api/characters/{taken['id']}")).raise_for_status()


async def chats(tavern: Tavern) -> None:
    """A chat goes to Everlore as a file, and one of Everlore's back."""
    await tavern.new_chat()
    await tavern.say("What do the gulls eat?")
    await tavern.swipe()
    await tavern.say("All of it?")
    shown = await tavern.shown()
    (maren,) = [each for each in (await tavern.lore.get("/api/characters")).json()["items"] if each["name"] == "Maren"]
    name = await tavern.run("await st.saveChat(); return st.getCurrentChatId()")
    file = json.loads(await tavern.give_out("chats", file=f"{name}.jsonl", format="jsonl", exportfilename="x"))[
        "result"
    ]
    taken = await tavern.lore.post(
        "/api/conversations/import", content=file.encode(), params={"character_id": maren["id"], "filename": "x.jsonl"}
    )
    id = taken.raise_for_status().json()["conversation"]["id"]
    kept = await tavern.messages(id)
    assert [each["display_content"] for each in kept] == shown
    assert len(kept[2]["alternatives"]) == 2
    back = (await tavern.lore.get(f"/api/conversations/{id}/export")).raise_for_status().content
    (imported,) = (await tavern.take_in("chats", "jsonl", back))["fileNames"]
    await tavern.run("await st.openCharacterChat(given)", imported.removesuffix(".jsonl"))
    assert await tavern.shown() == shown
    (await tavern.lore.delete(f"/api/conversations/{id}")).raise_for_status()


# ── and with our extension ───────────────────────────────────────────────────────────────────────


async def raw(tavern: Tavern) -> None:
    await tavern.new_chat()
    await tavern.say("What is a good name?")
    await tavern.nothing_kept(tavern.command("/genraw Name a boat."))


async def branch(tavern: Tavern) -> None:
    """A branch of a chat is a conversation of its own, and the chat stays as it was."""
    await tavern.new_chat()
    for line in ("Where is the boat house?", "Is it far from here?"):
        await tavern.say(line)
    before = await tavern.conversations()
    log = await tavern.latest()
    chat = await tavern.run("return st.getCurrentChatId()")
    await tavern.command("/branch-create 2")
    await tavern.page.wait_for_function("chat => SillyTavern.getContext().getCurrentChatId() !== chat", arg=chat)
    await tavern.say("Is it near?")
    await tavern.agrees()
    assert len(await tavern.conversations()) == len(before) + 1
    assert await tavern.messages(before[0]) == log


async def private(tavern: Tavern) -> None:
    await tavern.new_chat()
    await tavern.fill_in("everlore_private", True)
    await tavern.nothing_kept(tavern.say("Nobody may know of the smugglers' cave."))
    assert tavern.wire.chats[-1].headers["x-everlore-memory"] == "none"
    await tavern.new_chat()
    assert not await tavern.page.is_checked("#everlore_private")
    await tavern.say("What is no secret?")
    await tavern.agrees()


async def grounds(tavern: Tavern) -> None:
    """What a reply rests on stands under it."""
    (maren,) = [each for each in (await tavern.lore.get("/api/characters")).json()["items"] if each["name"] == "Maren"]
    fact = "Maren hides the spare key of the lighthouse under the blue bucket."
    made = await tavern.lore.post("/api/memories", json={"content": fact, "person_id": maren["id"]})
    made.raise_for_status()
    await tavern.new_chat()
    await tavern.say("Where is the spare key of the lighthouse?")
    await tavern.page.click("#chat .last_mes .everlore-grounds summary")
    await tavern.page.wait_for_selector(f"#chat .last_mes .everlore-grounds >> text={fact}")


DOINGS: dict[str, Callable[[Tavern], Awaitable[None]]] = {
    "chat": chat,
    "swipe": swipe,
    "edit": edit,
    "delete": delete,
    "stop": stop,
    "continue": go_on,
    "impersonate": impersonate,
    "quiet": quiet,
    "note": note,
    "trimmed": trimmed,
    "templates": templates,
    "group": group,
    "cards": cards,
    "chats": chats,
    "errors": errors,
}


WITH_EXTENSION = {"raw": raw, "branch": branch, "private": private, "grounds": grounds}


async def tried(folder: Path, browser: str) -> dict[str, Tried]:
    name = f"SillyTavern {json.loads((TAVERN / 'package.json').read_text())['version']}"
    found: dict[str, Tried] = {}
    async with opened(folder / "alone", browser) as tavern:
        found[name] = {each: await _tried(doing(tavern)) for each, doing in DOINGS.items()}
    async with opened(folder / "extended", browser, extension=True) as tavern:
        doings = DOINGS | WITH_EXTENSION
        found[f"{name} with our extension"] = {each: await _tried(doing(tavern)) for each, doing in doings.items()}
    return found


async def _tried(doing: Awaitable[None]) -> str:
    try:
        await doing
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:1000]
    return "yes"
