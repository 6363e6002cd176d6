"""Axe has nothing to say about any place, dialog or menu: light, dark and on a phone (U13).

The places and dialogs are those of the page's own code: a new one that is not opened here fails the first test. A
furnished house stands for all tests of this file. Start at `Furnished`, and add what is new to `PLACES` or `DIALOGS`.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.axe import findings_in
from tests.browser.house import AT_REST, TOO_WIDE, House, answering, button, visited
from tests.cli.process import Command
from tests.models.chat_server import ChatServer
from tests.waiting import eventually

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "web" / "src"
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
CODE = "Try this:\n\n```python\nprint('hello')\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted [link](https://example.org)\n"
LOREBOOK = {"name": "Lights", "entries": {"0": {"uid": 0, "key": ["lamp"], "content": "The lamp has been dark."}}}
LETTERS = {"weather": {"order": 42, "condition": "includeScene", "content": ["Mention the weather in ${setting}."]}}
PERSONA = {"personas": {"k.png": "Kit"}, "persona_descriptions": {"k.png": {"description": "A thief."}}}
CARD = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Ziva", "description": "Keeps bees."}}
SAID = (
    "I live in Ghent and I work as a crane operator.",
    "My sister Ana lives in Porto. She probably likes tea, my password is hunter2.",
    "Show me some code.",
)


class Furnished:
    """A house with something of everything, and one window in it."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.page = house.visit(viewport=DESKTOP, reduced_motion="reduce")
        self._ask("POST", "/api/demo")
        self.mira = self._ask("POST", "/api/characters", name="Mira", description="Keeps the lighthouse.")["id"]
        self._upload("PUT", f"/api/characters/{self.mira}/avatar", (ROOT / "web/public/icon-192.png").read_bytes())
        self._upload("POST", f"/api/lorebooks?person_id={self.mira}", json.dumps(LOREBOOK).encode())
        self._upload("POST", "/api/characters/personas", json.dumps(PERSONA).encode())
        self._ask("POST", "/api/templates", name="Letters", extends="Base Roleplay", sections=LETTERS)
        self._ask("POST", "/api/tokens", name="My phone")
        self._ask("POST", "/api/users", name="Hal")
        self.chat = self._chat()
        self._waiting()
        self._gossip()
        self.campaign, self.session, self.entity = self._campaign()
        self.memory = self._ask("POST", "/api/memories", content="User likes bright rooms", force=True)["id"]
        self._ask("PATCH", f"/api/memories/{self.memory}", content="User loves bright rooms")
        self._settled()

    def open(self, address: str) -> None:
        """As for the first time: nothing is open beside it that was opened before."""
        self.page.evaluate("localStorage.clear()")
        self.page.goto("about:blank")
        self.page.goto(f"{self.house.url}/{address}" if address.startswith("docs") else f"{self.house.url}/#{address}")
        self.page.get_by_role("heading", level=1).first.wait_for(state="attached")
        self.still()

    def still(self) -> None:
        """Everything that was asked for is here, and has stopped moving."""
        self.page.wait_for_load_state("networkidle")
        expect(self.page.locator("[aria-busy=true]")).to_have_count(0)
        self.page.evaluate(AT_REST)

    def _chat(self) -> str:
        config = {"auto_title": False, "gossip_enabled": True}
        id: str = self._ask("POST", "/api/conversations", character_id=self.mira, config=config)["id"]
        self.house.model.scenario = answering(CODE)
        for text in SAID:
            self._ask("POST", f"/api/conversations/{id}/messages", content=text)
        self.house.model.scenario = "fine"
        return id

    def _waiting(self) -> None:
        made = {"character_id": self.mira, "config": {"review_memories": True}}
        id = self._ask("POST", "/api/conversations", **made)["id"]
        self._ask("POST", f"/api/conversations/{id}/messages", content="I work as a thatcher.")
        found = self._ask("POST", f"/api/conversations/{id}/extract?wait=true")
        assert self._ask("GET", "/api/memories?status=pending")["items"], found

    def _gossip(self) -> None:
        bram = self._ask("POST", "/api/characters", name="Bram")["id"]
        bell = {"content": "The bell of Orne was sunk in the harbor", "person_id": self.mira, "partner_id": bram}
        told = self._ask("POST", "/api/memories", **bell)["id"]
        self._ask("POST", f"/api/memories/{told}/tell", teller_id=bram, listener_id="user")
        self._ask("POST", "/api/events", type="observation", content="A light was seen on the cliff")

    def _campaign(self) -> tuple[str, str, str]:
        made = {"name": "The Drowned Bell", "premise": "A bell disappears.", "players": [{"name": "Hal"}]}
        id = self._ask("POST", "/api/campaigns", **made)["id"]
        here = f"/api/campaigns/{id}"
        self._ask("POST", f"{here}/chapters", name="The Stolen Bell", goals=["Find the bell."])
        log = (ROOT / "examples" / "the_silent_bell" / "session-1.txt").read_bytes()
        session = self._upload("POST", f"{here}/logs?filename=session-1.txt", log)["session"]["id"]
        self._upload("POST", f"/api/lorebooks?campaign_id={id}", json.dumps(LOREBOOK).encode())
        entity = self._ask("POST", f"{here}/entities", name="Ilka", kind="npc", description="A diver.")["id"]
        other = self._ask("POST", f"{here}/entities", name="Tam", kind="npc")["id"]
        self._ask("POST", "/api/ties", source_id=entity, type="is the sister of", target_id=other)
        for town in ("Orne", "Tarn"):
            self._ask("POST", f"{here}/memories", content=f"Reth lives in {town}.")
        self._settled()
        return id, session, entity

    def _settled(self) -> None:
        eventually(lambda: not self._ask("GET", "/api/jobs")["queue"]["pending"])

    def _ask(self, method: str, path: str, **body: Any) -> Any:
        return self.house.ask(self.page, method, path, **({"data": body} if body else {}))

    def _upload(self, method: str, path: str, data: bytes) -> Any:
        return self.house.ask(self.page, method, path, data=data)


@pytest.fixture(scope="module")
def here(chromium: Browser, url: str, model: ChatServer) -> Iterator[Furnished]:
    with visited(House(chromium, url, model)) as house:
        yield Furnished(house)


# ── every place ──────────────────────────────────────────────────────────────────────────────────

# By the path in `places.ts`; a part of a place is found by the links that lead to it.
PLACES: dict[str, Callable[[Furnished], str]] = {
    "/": lambda here: "/",
    "/c/:id": lambda here: f"/c/{here.chat}",
    "/people": lambda here: "/people",
    "/people/:id": lambda here: f"/people/{here.mira}",
    "/campaigns": lambda here: "/campaigns",
    "/campaigns/:id": lambda here: f"/campaigns/{here.campaign}",
    "/campaigns/:id/:part": lambda here: f"/campaigns/{here.campaign}/read",
    "/campaigns/:id/:part/:item": lambda here: f"/campaigns/{here.campaign}/sessions/{here.session}",
    "/campaigns/:id/world/:item": lambda here: f"/campaigns/{here.campaign}/world/{here.entity}",
    "/memories": lambda here: "/memories?person=user",
    "/memories?words": lambda here: "/memories?words=bright%20rooms",
    "/m/:id": lambda here: f"/m/{here.memory}",
    "/knowing": lambda here: "/knowing",
    "/graph": lambda here: "/graph",
    "/timeline": lambda here: "/timeline",
    "/review": lambda here: "/review",
    "/activity": lambda here: "/activity",
    "/settings": lambda here: "/settings",
    "/not-found": lambda here: "/not-found",
    "docs": lambda here: "docs",
}
# Addresses that show the same: shorter or older ones.
_SAME = {"", "/home", "/chat/:id", "/relationships", "/settings/:part"}
_PARTS = "nav.parts a"


@pytest.mark.parametrize("path", PLACES)
def test_nothing_is_wrong_with_a_place_its_parts_and_its_menus(here: Furnished, path: str) -> None:
    """U13: nor with any tab of it."""
    address = PLACES[path](here)
    here.open(address)
    links = here.page.locator(_PARTS).evaluate_all("(all) => all.map((each) => each.getAttribute('href').slice(1))")
    found: dict[str, list[str]] = {}
    for part in links if path in {"/settings", "/campaigns/:id"} else [address]:
        if part != address:
            here.open(part)
        found |= {f"{part} {look}": told for look, told in everything_wrong_with(here).items()}
        found |= {f"{part} {look}": told for look, told in _tabs(here).items()}
    assert found == {}


def _tabs(here: Furnished) -> dict[str, list[str]]:
    tabs = here.page.get_by_role("main").get_by_role("tab", selected=False).all_inner_texts()
    found: dict[str, list[str]] = {}
    for name in tabs:
        here.page.get_by_role("main").get_by_role("tab", name=name).first.click()
        here.still()
        found |= {f"{name} {look}": told for look, told in everything_wrong_with(here).items()}
    return found


def everything_wrong_with(here: Furnished, *, menus: bool = True) -> dict[str, list[str]]:
    """In light, in dark, which differs in its colors alone, and on a phone, which differs in all else. What was opened
    stays open."""
    page = here.page
    page.emulate_media(color_scheme="light")
    found = {"light": findings_in(page)}
    page.emulate_media(color_scheme="dark")
    found["dark"] = findings_in(page, colors=True)
    if menus:
        found["menus"] = _wrong_with_menus(page)
    page.set_viewport_size(PHONE)
    here.still()
    found["phone"] = findings_in(page, colors=False)
    if page.evaluate(TOO_WIDE):
        found["phone"].append("too wide")
    page.set_viewport_size(DESKTOP)
    return {look: told for look, told in found.items() if told}


def _wrong_with_menus(page: Page) -> list[str]:
    """One of each kind: what stands in a menu does not depend on whose row it is in."""
    opened = page.locator("button[aria-haspopup=menu]:enabled:visible")
    kinds = {
        re.split(r" for |: ", name)[0]: name
        for name in opened.evaluate_all("(all) => all.map((each) => each.ariaLabel)")
    }
    found: list[str] = []
    for name in kinds.values():
        button(page, name).first.click()
        page.get_by_role("menu").wait_for()
        found += findings_in(page, within="[role=menu]")
        page.keyboard.press("Escape")
    return found


# ── every dialog ─────────────────────────────────────────────────────────────────────────────────


def _menu(menu: str, choice: str) -> Callable[[Page], None]:
    def step(page: Page) -> None:
        button(page, menu).last.click()
        page.get_by_role("menuitem", name=choice).click()

    return step


def _press(name: str) -> Callable[[Page], None]:
    return lambda page: button(page, name).first.click()


def _import(page: Page) -> None:
    carried = """([name, text]) => {
      const carried = new DataTransfer();
      carried.items.add(new File([text], name));
      for (const type of ["dragenter", "dragover", "drop"])
        window.dispatchEvent(new DragEvent(type, { dataTransfer: carried, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(carried, ["book.json", json.dumps(LOREBOOK)])


def _imported(page: Page) -> None:
    card: Any = {"name": "card.json", "mimeType": "application/json", "buffer": json.dumps(CARD).encode()}
    page.get_by_label("Character cards").first.set_input_files(card)


def _merge(page: Page) -> None:
    for box in page.get_by_role("checkbox", name=re.compile("^Select: ")).all()[:2]:
        box.check()
    button(page, "Merge").click()


def _template(page: Page) -> None:
    button(page, "Templates").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=re.compile("^Letters")).click()
    dialog.get_by_role("button", name="weather").first.click()
    dialog.get_by_role("region", name="Full text").wait_for()


# By the file whose dialog it is: where it is opened, and how.
DIALOGS: dict[str, tuple[Callable[[Furnished], str], Callable[[Page], None]]] = {
    "ShortcutsDialog": (lambda here: "/", lambda page: page.keyboard.press("?")),
    "Palette": (lambda here: "/", lambda page: page.keyboard.press("Control+k")),
    "CharacterDialog": (lambda here: "/people", _press("Create character")),
    "ImportedDialog": (lambda here: "/people", _imported),
    "Personas": (lambda here: "/people", _press("Create persona")),
    "ConfirmDialog": (lambda here: f"/people/{here.mira}", _menu("More actions for Mira", "Delete")),
    "ImportDialog": (lambda here: "/", _import),
    "TemplatesDialog": (lambda here: "/", _template),
    "Inspector": (lambda here: f"/c/{here.chat}", _press("Show prompt")),
    "RememberDialog": (lambda here: f"/c/{here.chat}", _menu("More actions", "Remember this")),
    "ModelDialog": (lambda here: f"/c/{here.chat}", lambda page: page.get_by_title("Change model").click()),
    "AnalysisDialog": (lambda here: f"/c/{here.chat}", _menu("Chat options", "Analyze")),
    "PlayDialog": (lambda here: f"/c/{here.chat}", _menu("Chat options", "Play in a campaign")),
    "MemoryDialog": (lambda here: "/memories", _press("Add")),
    "MergeDialog": (lambda here: "/memories?person=user&status=active", _merge),
    "ForgetMeDialog": (lambda here: "/memories", _menu("More actions", "Forget everything about me")),
    "WhyNotDialog": (lambda here: f"/m/{here.memory}", _press("When is this used?")),
    "CampaignForm": (lambda here: "/campaigns", _press("New campaign")),
    "EntityForm": (lambda here: f"/campaigns/{here.campaign}/world", _press("Add")),
    "MergeForm": (
        lambda here: f"/campaigns/{here.campaign}/world/{here.entity}",
        _menu("More actions for Ilka", "Merge with another"),
    ),
}


@pytest.mark.parametrize("file", DIALOGS)
def test_nothing_is_wrong_with_a_dialog(here: Furnished, file: str) -> None:
    """U13: nor with any tab of it."""
    address, step = DIALOGS[file]
    here.open(address(here))
    step(here.page)
    shown = here.page.get_by_role("dialog").or_(here.page.get_by_role("complementary", name="About this chat"))
    expect(shown.first).to_be_visible()
    here.still()
    found = everything_wrong_with(here, menus=False)
    for tab in shown.first.get_by_role("tab", selected=False).all_inner_texts():
        shown.first.get_by_role("tab", name=tab, exact=True).click()
        here.still()
        found |= {f"{tab} {look}": told for look, told in everything_wrong_with(here, menus=False).items()}
    assert found == {}


def test_nothing_is_wrong_with_the_panels_beside_a_chat(here: Furnished) -> None:
    """U13: all chats with what is found in them, and the details of a private chat with every group open."""
    page = here.page
    here.open(f"/c/{here.chat}")
    expect(page.locator(".hljs-built_in, .hljs-string").first).to_be_visible()
    button(page, "Chats").click()
    page.get_by_role("complementary", name="Chats").get_by_role("searchbox").fill("code")
    expect(page.get_by_role("list", name="Messages").get_by_role("link").first).to_be_visible()
    found = {"chats": everything_wrong_with(here)}
    button(page, "Chat details").click()
    page.get_by_role("switch", name="Private").click()
    expect(page.get_by_role("switch", name="Private")).to_be_checked()
    for group in page.locator("details details > summary").all():
        group.click()
    found["details"] = everything_wrong_with(here)
    button(page, "Chat options").click()
    page.get_by_role("menuitem", name="Search in this chat").click()
    found["search"] = everything_wrong_with(here, menus=False)
    here.house.ask(page, "PATCH", f"/api/conversations/{here.chat}", data={"state": "closed", "pinned": True})
    expect(page.get_by_role("note", name="Chat state")).to_be_visible()
    found["closed"] = everything_wrong_with(here, menus=False)
    here.house.ask(page, "PATCH", f"/api/conversations/{here.chat}", data={"state": "open"})
    page.get_by_role("switch", name="Private").click()
    assert {place: told for place, told in found.items() if told} == {}


def test_nothing_is_wrong_before_somebody_has_signed_in(browser: Browser, cli: Command, model: ChatServer) -> None:
    """U13, S-1: the page asks for a token."""
    asking = cli.having(EVERLORE_SERVER__TOKENS="true", EVERLORE_EMBEDDING__PROVIDER="hashing")
    cli.ok("token", "create", "me")
    with asking.started("serve", "--port", "0") as server:
        house = House(browser, server.line(), model)
        page = house.visit(viewport=DESKTOP)
        expect(page.get_by_role("textbox", name="Access token")).to_be_visible()
        assert findings_in(page) == []
        house.leave()


def test_every_place_and_every_dialog_of_the_page_is_looked_at() -> None:
    """U13: what the page's code names, and this file does not, is missing here."""
    written = (SOURCE / "places.ts").read_text(encoding="utf-8")
    paths = {
        path
        for listed in re.findall(r"paths: \[(.*?)\]", written, re.DOTALL)
        for path in re.findall(r'"([^"]*)"', listed)
    }
    assert len(paths) > len(_SAME)
    assert paths - _SAME - PLACES.keys() == set()
    dialogs = {file.stem for file in SOURCE.rglob("*.svelte") if "<Dialog" in file.read_text(encoding="utf-8")}
    assert dialogs == DIALOGS.keys() | {"LoginDialog"}
