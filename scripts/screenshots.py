"""Pictures of every place of the web application, light, dark and on a phone: `make screenshots` (U13).

A house of its own, without a model, in which something was said, learnt and played. The pictures are for looking at,
and some of them for the documentation. Start at `main`.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "screenshots"
TALE = ROOT / "examples" / "the_silent_bell"
ARGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
LOOKS: Mapping[str, Any] = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light", "device_scale_factor": 2},
}
# What is clicked before the picture is taken, and the tab that it opens.
OPENED = {"reply": ("What this reply rests on", "This reply"), "knows": ("What Mira knows of you", "Knows")}
SAID = (
    "Hi Mira! I live in Ghent and I work as a crane operator at the port.",
    "My sister Ana is a violinist. She lives in Porto with her two cats.",
    "I am allergic to peanuts, and I love old maps.",
)
ASKED = ("Hello again!", "Do you remember where my sister lives?")


def main(chromium: str) -> None:
    OUT.mkdir(exist_ok=True)
    with _house() as url, sync_playwright() as playwright:
        places = _furnished(url)
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        for look, options in LOOKS.items():
            _pictures(browser, url, places, look, options)
        browser.close()
    print(f"{len(LOOKS) * len(places)} pictures in {OUT.relative_to(ROOT)}/")


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
        mira = _made(house, "/api/characters", name="Mira", description="Keeps the lighthouse, and collects storms.")
        bram = _made(house, "/api/characters", name="Bram", description="Repairs clocks that nobody else can.")
        odile = _made(house, "/api/characters", name="Odile", description="Knows every cave of the coast.")
        talk = _made(house, "/api/conversations", character_id=mira["id"])
        for text in SAID:
            _made(house, f"/api/conversations/{talk['id']}/messages", content=text)
        campaign = _made(house, "/api/campaigns", name="The Silent Bell", premise="The bell of Orne rings no more.")
        for log in sorted(TALE.glob("*.txt")):
            path = f"/api/campaigns/{campaign['id']}/logs"
            house.post(path, params={"filename": log.name}, content=log.read_bytes()).raise_for_status()
        _settled(house)
        talk = _made(house, "/api/conversations", character_id=mira["id"])
        for text in ASKED:
            _made(house, f"/api/conversations/{talk['id']}/messages", content=text)
        _settled(house)
        _gossiped(house, [mira["id"], bram["id"], odile["id"]])
        memories = house.get("/api/memories", params={"person_id": "user"}).raise_for_status().json()["items"]
        sessions = house.get(f"/api/campaigns/{campaign['id']}/sessions").raise_for_status().json()["items"]
    here = f"campaigns/{campaign['id']}"
    return {
        "home": "",
        "conversation": f"c/{talk['id']}",
        "reply": f"c/{talk['id']}",
        "knows": f"c/{talk['id']}",
        "memories": "memories?person=user",
        "memory": f"m/{memories[0]['id']}",
        "knowing": "knowing",
        "review": "review",
        "people": "people",
        "person": f"people/{mira['id']}",
        "graph": "graph",
        "timeline": "timeline",
        "campaigns": "campaigns",
        "campaign": here,
        "session": f"{here}/sessions/{sessions[0]['id']}",
        "world": f"{here}/world",
        "activity": "activity",
        "models": "settings/models",
        "appearance": "settings/appearance",
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
        if name in OPENED:
            button, tab = OPENED[name]
            page.get_by_role("button", name=button).last.click()
            page.get_by_role("tab", name=tab, selected=True).wait_for()
            _still(page)
        page.screenshot(path=OUT / f"{name}-{look}.png")
    context.close()


def _still(page: Page) -> None:
    """Everything that was asked for is here, and drawn."""
    page.wait_for_load_state("networkidle")
    page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")
    page.evaluate("() => document.fonts.ready.then(() => undefined)")


if __name__ == "__main__":
    main(sys.argv[1])
