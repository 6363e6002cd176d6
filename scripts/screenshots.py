"""Pictures of every place of the web application, light, dark and on a phone: `make screenshots` (U13).

A server without a model, first empty, then with the demo, a new chat, gossip and a lorebook. The pictures are for
looking at, and some of them for the documentation. Start at `main`.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "screenshots"
ARGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
LOOKS: Mapping[str, Any] = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "color_scheme": "light",
        "device_scale_factor": 2,
        "has_touch": True,
    },
}
EMPTY = {"first-run": "", "no-memories": "memories", "no-campaigns": "campaigns", "no-relationships": "graph"}
SAID = (
    "Hi Mira! I live in Ghent and I work as a crane operator at the port.",
    "My sister Ana is a violinist. She lives in Porto with her two cats.",
    "I am allergic to peanuts, and I love old maps.",
)
LOREBOOK = {"name": "Lights", "entries": {"0": {"uid": 0, "key": ["lamp"], "content": "The lamp has been dark."}}}
LETTERS = {"weather": {"order": 42, "condition": "includeScene", "content": ["Mention the weather in ${setting}."]}}
ASKED = ("Hello again!", "Do you remember where my sister lives?")


def main(chromium: str) -> None:
    OUT.mkdir(exist_ok=True)
    with _house() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        taken = _all_looks(browser, url, EMPTY) + _all_looks(browser, url, _furnished(url))
        browser.close()
    print(f"{taken} pictures in {OUT.relative_to(ROOT)}/")


def _all_looks(browser: Browser, url: str, places: Mapping[str, str]) -> int:
    for look, options in LOOKS.items():
        _pictures(browser, url, places, look, options)
    return len(LOOKS) * len(places)


@contextmanager
def _house() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="everlore-screenshots-") as folder:
        command = [sys.executable, "-m", "everlore", "serve", "--port", "0", "--db", f"{folder}/everlore.db"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            assert server.stdout is not None
            try:
                yield server.stdout.readline().strip()
            finally:
                server.terminate()


def _furnished(url: str) -> dict[str, str]:
    """Something of everything; the places that there are to see, by what their pictures are called."""
    with httpx.Client(base_url=url, timeout=120) as house:
        _made(house, "/api/demo")
        mira = _made(house, "/api/characters", name="Mira", description="Keeps the lighthouse, and collects storms.")
        bram = _made(house, "/api/characters", name="Bram", description="Repairs clocks that nobody else can.")
        odile = _made(house, "/api/characters", name="Odile", description="Knows every cave of the coast.")
        book = house.post("/api/lorebooks", content=json.dumps(LOREBOOK), params={"person_id": mira["id"]})
        book.raise_for_status()
        talk = _made(house, "/api/conversations", character_id=mira["id"])
        for text in SAID:
            _made(house, f"/api/conversations/{talk['id']}/messages", content=text)
        _settled(house)
        talk = _made(house, "/api/conversations", character_id=mira["id"])
        for text in ASKED:
            _made(house, f"/api/conversations/{talk['id']}/messages", content=text)
        _settled(house)
        _gossiped(house, [mira["id"], bram["id"], odile["id"]])
        _made(house, "/api/templates", name="Letters", extends="Base Roleplay", sections=LETTERS)
        memories = house.get("/api/memories", params={"person_id": "user"}).raise_for_status().json()["items"]
        (campaign,) = house.get("/api/campaigns").raise_for_status().json()["items"]
        sessions = house.get(f"/api/campaigns/{campaign['id']}/sessions").raise_for_status().json()["items"]
    here = f"campaigns/{campaign['id']}"
    chat = f"c/{talk['id']}"
    return {
        "home": "",
        "conversation": chat,
        "reply": chat,
        "knows": chat,
        "prompt": chat,
        "details": chat,
        "memories": "memories?person=user",
        "search": "memories",
        "memory": f"m/{memories[0]['id']}",
        "knowing": "knowing",
        "review": "review",
        "people": "people",
        "person": f"people/{mira['id']}",
        "lorebooks": f"people/{mira['id']}",
        "graph": "graph",
        "timeline": "timeline",
        "campaigns": "campaigns",
        "campaign": here,
        "sessions": f"{here}/sessions",
        "session": f"{here}/sessions/{sessions[0]['id']}",
        **{part: f"{here}/{part}" for part in ("world", "ties", "canon", "ask", "files")},
        "activity": "activity",
        **{part: f"settings/{part}" for part in ("models", "memory", "users", "data", "appearance")},
        "templates": "",
        "template": "",
        "palette": "",
        "shortcuts": "",
        # Last: the panel stays open.
        "chats": chat,
    }


def _gossiped(house: httpx.Client, persons: list[str]) -> None:
    """Something that went from mouth to mouth, and something that was done besides."""
    first, second, third = persons
    shared = {"content": "The bell of Orne was sunk in the harbour", "person_id": first, "partner_id": second}
    memory = _made(house, "/api/memories", **shared)
    _made(house, f"/api/memories/{memory['id']}/tell", teller_id=second, listener_id=third)
    _made(house, f"/api/memories/{memory['id']}/tell", teller_id=third, listener_id="user")
    _made(house, "/api/memories", content="Odile hid a boat in the second cave", person_id=third)
    _made(house, "/api/events", type="observation", content="A light was seen on the cliff")


def _settled(house: httpx.Client) -> None:
    while house.get("/api/health").raise_for_status().json()["queue"]["pending"]:
        time.sleep(0.2)


def _made(house: httpx.Client, path: str, **body: Any) -> dict[str, Any]:
    answer = house.post(path, json=body).raise_for_status()
    made: dict[str, Any] = answer.json()
    return made


def _pictures(browser: Browser, url: str, places: Mapping[str, str], look: str, options: Mapping[str, Any]) -> None:
    context = browser.new_context(reduced_motion="reduce", **options)
    page = context.new_page()
    for name, address in places.items():
        page.goto(f"{url}/#/{address}")
        page.reload()
        _still(page)
        if name in STEPS:
            STEPS[name](page)
            _still(page)
        page.screenshot(path=OUT / f"{name}-{look}.png")
    context.close()


def _inspect(button: str, tab: str) -> Callable[[Page], None]:
    def step(page: Page) -> None:
        page.get_by_role("button", name=button).last.click()
        page.get_by_role("tab", name=tab, selected=True).wait_for()

    return step


def _details(page: Page) -> None:
    page.get_by_role("button", name="Chat details").click()
    page.get_by_role("complementary", name="This chat").get_by_text("ongoing since").wait_for()


def _open(name: str) -> Callable[[Page], None]:
    """An entry of the rail; on a phone some of them are under “More”."""

    def step(page: Page) -> None:
        entry = page.get_by_role("button", name=name, exact=True)
        if not entry.is_visible():
            page.get_by_role("button", name="More", exact=True).click()
            entry = page.get_by_role("menuitem", name=name)
        entry.click()

    return step


def _template(page: Page) -> None:
    _open("Templates")(page)
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Letters").click()
    dialog.get_by_role("button", name="weather").first.click()
    dialog.get_by_role("region", name="Full text").wait_for()


def _search(page: Page) -> None:
    page.get_by_role("searchbox", name="Search memories").fill("sister")
    page.get_by_text("results").first.wait_for()


# What is done before the picture is taken.
STEPS: Mapping[str, Callable[[Page], None]] = {
    "chats": _open("Chats"),
    "reply": _inspect("Memories used for this reply", "Sources"),
    "knows": _inspect("What Mira knows about you", "Memories"),
    "prompt": _inspect("Show prompt", "Prompt"),
    "details": _details,
    "search": _search,
    "lorebooks": lambda page: page.get_by_role("tab", name="Lorebooks").click(),
    "templates": _open("Templates"),
    "template": _template,
    "palette": lambda page: page.keyboard.press("Control+k"),
    "shortcuts": _open("Keyboard shortcuts"),
}


def _still(page: Page) -> None:
    """Everything that was asked for is here, and drawn."""
    page.wait_for_load_state("networkidle")
    page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")
    page.evaluate("() => document.fonts.ready.then(() => undefined)")


if __name__ == "__main__":
    main(sys.argv[1])
