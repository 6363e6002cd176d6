"""The house that browser tests visit: a server that really runs, the model behind it, and how one finds one's way."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from re import Pattern
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import APIResponse, Browser, BrowserContext, FloatRect, Locator, Page, Route, expect

from everlore.server.web import WEB_DIST
from tests.models.chat_server import ChatServer, Exchange, Scenario
from tests.waiting import eventually

TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
# What one would have to scroll sideways to read.
SIDEWAYS = """(within) => [within, ...within.querySelectorAll("*")]
  .filter((each) => ["auto", "scroll"].includes(getComputedStyle(each).overflowX))
  .filter((each) => each.scrollWidth > each.clientWidth)
  .map((each) => `${each.tagName} ${each.className}`)"""
DICE = "bone dice"
GREETINGS = ["*She looks up.* You are late.", "Oh. It is you."]


class House:
    """A running server, whoever visits it, and the model behind it."""

    def __init__(self, browser: Browser, url: str, model: ChatServer) -> None:
        self.url = url
        self.model = model
        self.complaints: list[str] = []
        self.hosts: set[str] = set()
        self._pardoned: list[str] = []
        self._is_left = False
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    def visit(self, path: str = "/", **context: Any) -> Page:
        self._contexts.append(self._browser.new_context(**context))
        page = self._contexts[-1].new_page()
        page.on("console", lambda message: self._complain(f"{message.text} {message.location.get('url', '')}".strip()))
        page.on("pageerror", lambda error: self._complain(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        page.goto(self.url + path)
        return page

    def pardon(self, *signs: str) -> None:
        """The browser itself notes every answer of 400 and more, soon or late: with such a sign it is no fault."""
        self._pardoned += signs

    @property
    def unpardoned(self) -> list[str]:
        return [each for each in self.complaints if not any(sign in each for sign in self._pardoned)]

    def _complain(self, text: str) -> None:
        if not self._is_left:
            self.complaints.append(text)

    def leave(self) -> None:
        """What a page asked for when its window is closed is broken off, and no fault of its own."""
        for page in (page for context in self._contexts for page in context.pages):
            # All that it said so far has arrived with the answer.
            page.evaluate("null")
        self._is_left = True
        for context in self._contexts:
            context.close()

    def ask(self, page: Page, method: str, path: str, **options: Any) -> Any:
        answer = page.request.fetch(self.url + path, method=method, **options)
        assert answer.ok, answer.text()
        return answer.json() if answer.body() else None

    def character(self, page: Page, name: str = "Mira", greetings: list[str] = GREETINGS) -> str:
        id: str = self.ask(page, "POST", "/api/characters", data={"name": name, "greetings": greetings})["id"]
        return id

    def talk(self, page: Page, **character: Any) -> str:
        """Go to a new conversation with a new character."""
        made = self.ask(page, "POST", "/api/conversations", data={"character_id": self.character(page, **character)})
        self.open(page, made["id"])
        id: str = made["id"]
        return id

    def told(self, page: Page, character: str, lines: Sequence[str], **changes: Any) -> str:
        """A conversation in which the user said these lines and nobody replied: imported at once."""
        head = {"user_name": "User", "character_name": character}
        said = [{"name": "User", "is_user": True, "send_date": 1_714_752_600_000, "mes": line} for line in lines]
        file = "\n".join(map(json.dumps, [head, *said]))
        made = self.ask(page, "POST", f"/api/conversations/import?character_id={character}", data=file)["conversation"]
        id: str = made["id"]
        self.ask(page, "PATCH", f"/api/conversations/{id}", data=changes)
        return id

    def open(self, page: Page, id: str) -> None:
        page.goto(f"{self.url}/#/c/{id}")
        # A page that is open already learns of its new address in a task of its own, and shows the old chat until then.
        page.evaluate("new Promise((done) => setTimeout(done))")
        expect(composer(page)).to_be_visible()


@contextmanager
def visited(house: House) -> Iterator[House]:
    if not (WEB_DIST / "index.html").is_file():
        pytest.fail("The web application is not built. Run scripts/web.sh, or all tests with `make test`.")
    yield house
    house.leave()
    assert house.unpardoned == [], house.unpardoned
    assert {host for host in house.hosts if host} == {urlsplit(house.url).netloc}


def answering(text: str) -> Scenario:
    async def answer(exchange: Exchange) -> None:
        await exchange.begin()
        await exchange.text([text])
        await exchange.finish()
        await exchange.end()

    return answer


def composer(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message to")


def say(page: Page, text: str) -> None:
    """While a reply is being written, nothing can be sent."""
    composer(page).fill(text)
    expect(button(page, "Stop generating")).to_be_hidden()
    composer(page).press("Enter")


def messages(page: Page) -> Locator:
    return page.get_by_role("log").get_by_role("article")


def replied(page: Page, count: int) -> None:
    """With so many messages the log ends in the reply, and that is finished."""
    expect(messages(page)).to_have_count(count)
    expect(button(page, "Send")).to_be_visible()


def button(within: Page | Locator, name: str) -> Locator:
    return within.get_by_role("button", name=name, exact=True)


def unheard(page: Page) -> None:
    """From now on the window is told nothing by the live socket, as on a connection that went silent."""
    page.route_web_socket("**/api/live", lambda _: None)
    page.reload()


class SlowAnswer:
    """The next answer to such a request is made at once, and reaches the page only when it is released."""

    def __init__(self, page: Page, address: Pattern[str], method: str = "GET") -> None:
        self._page = page
        self._method = method
        self._route: Route | None = None
        self._answer: APIResponse | None = None
        page.route(address, self._hold)

    def _hold(self, route: Route) -> None:
        if self._route or route.request.method != self._method:
            route.continue_()
            return
        self._route = route
        self._answer = route.fetch()

    def is_made(self) -> None:
        # Each look at the page lets its requests be handled.
        eventually(lambda: self._page.evaluate("true") and self._answer is not None)

    def release(self) -> None:
        self.is_made()
        assert self._route
        self._route.fulfill(response=self._answer)


AT_REST = """async () => {
    const moving = () => document.getAnimations().filter(
        (each) => each.playState === "running" && each.effect.getComputedTiming().endTime < Infinity);
    while (moving().length) await Promise.allSettled(moving().map((each) => each.finished));
}"""


def measured(shown: Locator) -> FloatRect:
    """Where it stands once nothing on the page moves any more, a dialog that opens for one."""
    shown.wait_for()
    shown.page.evaluate(AT_REST)
    box = shown.bounding_box()
    assert box
    return box


def right_of(shown: Locator) -> float:
    box = measured(shown)
    return box["x"] + box["width"]


def bottom_of(shown: Locator) -> float:
    box = measured(shown)
    return box["y"] + box["height"]


def more(page: Page, message: Locator, choice: str) -> None:
    message.hover()
    button(message, "More actions").click()
    page.get_by_role("menuitem", name=choice).click()
