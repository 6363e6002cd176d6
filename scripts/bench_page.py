"""What the page costs in a browser, with much in it: `python -m scripts.bench_page CHROMIUM`, part of `make bench`.

A house with 10,000 memories, a campaign of 300 names that are tied to each other, and a conversation of 5,000 messages.
Each is opened and scrolled. The report says what the first load brings, which tasks kept the page from answering for
more than 50 ms, how many frames were drawn in a second of scrolling, and for the long conversation how long it takes to
open it from the start page and to scroll to its first message. Nothing is judged: the processor draws the frames, and
others want it too.

Start at `main`.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from benchmarks.report import table
from everlore.domain.campaign import Campaign, Entity, EntityKind, Relationship
from everlore.domain.conversation import Author, Conversation, Message
from everlore.domain.scope import Scope
from everlore.settings import StoreSettings
from everlore.store.port import Put
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.browser import crowd

MEMORIES = 10_000
NAMES = 300
MESSAGES = 5_000
ARGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
_SCOPE = Scope("default")
_AT_ONCE = 1_000
WATCHED = """window.tasks = [];
new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => window.tasks.push(duration)))
  .observe({ type: "longtask", buffered: true });"""
LOADED = """() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js"))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)"""
# Up and down the largest thing that scrolls, a little with every frame.
SCROLLED = """(seconds) => new Promise((resolve) => {
  const all = [...document.querySelectorAll("main *")];
  const scrolls = all.filter((each) => each.scrollHeight > each.clientHeight + 100);
  const place = scrolls.toSorted((a, b) => b.scrollHeight - a.scrollHeight)[0];
  const begun = performance.now();
  let frames = 0;
  let step = place && place.scrollTop > 0 ? -120 : 120;
  const draw = (at) => {
    if (at - begun > seconds * 1000) return resolve(frames / ((at - begun) / 1000));
    frames += 1;
    if (place) {
      const before = place.scrollTop;
      place.scrollTop += step;
      if (place.scrollTop === before) step = -step;
    }
    requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
})"""

# Milliseconds from the start page until the newest message of the long conversation is in view.
OPEN_CHAT = """(last) => new Promise((resolve) => {
  const begun = performance.now();
  location.hash = "#/c/saga";
  const look = () => {
    const log = document.querySelector("[role=log]");
    const found = [...(log?.querySelectorAll("article") ?? [])].find((each) => each.textContent.includes(last));
    const isThere = found?.checkVisibility({ visibilityProperty: true });
    if (isThere && found.getBoundingClientRect().top < log.getBoundingClientRect().bottom)
      return resolve(performance.now() - begun);
    requestAnimationFrame(look);
  };
  look();
})"""
# Seconds of scrolling up until its first message is in the document, and the most messages in the document meanwhile.
TO_THE_FIRST = """(first) => new Promise((resolve) => {
  const begun = performance.now();
  const log = document.querySelector("[role=log]");
  let most = 0;
  const up = () => {
    const articles = [...log.querySelectorAll("article")];
    most = Math.max(most, articles.length);
    if (articles[0]?.textContent.includes(first)) return resolve([(performance.now() - begun) / 1000, most]);
    log.dispatchEvent(new WheelEvent("wheel", { deltaY: -3000 }));
    log.scrollTop -= 3000;
    requestAnimationFrame(up);
  };
  up();
})"""


@dataclass(frozen=True, slots=True)
class Seen:
    """`opening` and `scrolling`: how many tasks took longer than 50 ms, and the longest."""

    place: str
    script_bytes: int
    opening: tuple[int, float]
    scrolling: tuple[int, float]
    frames_per_s: float


def main(chromium: str) -> None:
    with tempfile.TemporaryDirectory(prefix="everlore-page-") as folder:
        database = Path(folder) / "everlore.db"
        crowd.gathered(database, MEMORIES)
        asyncio.run(furnished(database))
        with _house(folder, database) as url, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
            seen = [_seen(browser.new_context(), url, name, *place) for name, place in PLACES.items()]
            long_chat = _long_chat(browser.new_context(), url)
            browser.close()
    print(told(seen))
    print(long_chat)


def _long_chat(context: Any, url: str) -> str:
    page: Page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{url}/#/")
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_load_state("networkidle")
    opened_ms = page.evaluate(OPEN_CHAT, f"Line {MESSAGES - 1} of")
    seconds, most = page.evaluate(TO_THE_FIRST, "Line 0 of")
    context.close()
    head = (
        f"a chat of {MESSAGES:,} messages",
        "opening, ms",
        "scrolling to the first, s",
        "most messages in the document",
    )
    return table(head, [("", f"{opened_ms:.0f}", f"{seconds:.1f}", str(most))])


def _opened_list(page: Page) -> None:
    page.get_by_role("article").first.wait_for()


def _opened_ties(page: Page) -> None:
    page.get_by_role("group", name="Relationship graph").wait_for()


def _opened_talk(page: Page) -> None:
    page.get_by_role("log").get_by_role("article").first.wait_for()


PLACES: Mapping[str, tuple[str, Any]] = {
    "the start page": ("", lambda page: page.get_by_role("heading", level=1).wait_for()),
    f"{MEMORIES:,} memories": (f"memories?person={crowd.ID}", _opened_list),
    f"a graph of {NAMES} names": ("campaigns/legend/ties", _opened_ties),
    f"{MESSAGES:,} messages": ("c/saga", _opened_talk),
}


def _seen(context: Any, url: str, name: str, address: str, opened: Any) -> Seen:
    page: Page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.add_init_script(WATCHED)
    page.goto(f"{url}/#/{address}")
    opened(page)
    page.wait_for_load_state("networkidle")
    script_bytes = page.evaluate(LOADED)
    opening = _tasks(page)
    frames = page.evaluate(SCROLLED, 3)
    scrolling = _tasks(page)
    context.close()
    return Seen(name, script_bytes, opening, scrolling, frames)


def _tasks(page: Page) -> tuple[int, float]:
    """Those since the last time."""
    tasks: list[float] = page.evaluate("window.tasks.splice(0)")
    return len(tasks), max(tasks, default=0)


def told(seen: list[Seen]) -> str:
    """As a table for people."""

    def of(tasks: tuple[int, float]) -> str:
        return f"{tasks[0]} / {tasks[1]:.0f}"

    head = ("in a browser", "JavaScript, kB", "opening: long tasks / ms", "scrolling: long tasks / ms", "frames per s")
    rows = [
        (
            each.place,
            f"{each.script_bytes / 1000:.1f}",
            of(each.opening),
            of(each.scrolling),
            f"{each.frames_per_s:.0f}",
        )
        for each in seen
    ]
    return table(head, rows)


async def furnished(database: Path) -> None:
    """A campaign in which everybody is tied to somebody, and a long talk."""
    store = await SqliteStore.open(database, StoreSettings(), clock=now)
    at = now()
    own: Any = {"workspace": _SCOPE.workspace, "created_at": at, "updated_at": at}
    made: Any = {name: value for name, value in own.items() if name != "updated_at"}
    kinds = list(EntityKind)
    names = [
        Entity(id=f"name-{n}", name=f"Name {n}", kind=kinds[n % len(kinds)], campaign_id="legend", **own)
        for n in range(NAMES)
    ]
    ties = [
        Relationship(
            id=f"tie-{n}", campaign_id="legend", source_id=f"name-{n}", target_id=f"name-{n // 3}", type="KNOWS", **made
        )
        for n in range(1, NAMES)
    ]
    await store.apply(_SCOPE, [Put(Campaign(id="legend", name="The Long Legend", **own))])
    await store.apply(_SCOPE, [*map(Put, names), *map(Put, ties)])
    await store.apply(_SCOPE, [Put(Conversation(id="saga", title="The Saga", system_ids=(crowd.ID,), **own))])
    said = [
        Message(
            id=f"said-{n}",
            conversation_id="saga",
            seq=n + 1,
            author=Author.ASSISTANT if n % 2 else Author.USER,
            content=f"Line {n} of the **saga**, " + "told at some length " * (n % 7),
            **own | {"created_at": at - timedelta(seconds=MESSAGES - n)},
        )
        for n in range(MESSAGES)
    ]
    for start in range(0, MESSAGES, _AT_ONCE):
        await store.apply(_SCOPE, [Put(each) for each in said[start : start + _AT_ONCE]])
    await store.close()


@contextmanager
def _house(folder: str, database: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "everlore", "serve", "--port", "0", "--db", str(database)]
    wanted = {
        "EVERLORE_DATA_DIR": folder,
        "EVERLORE_CHAT__PROVIDER": "voice",
        "EVERLORE_EMBEDDING__PROVIDER": "hashing",
    }
    env = os.environ | wanted
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


if __name__ == "__main__":
    main(sys.argv[1])
