"""The first page of a server that really runs, in a browser that really shows it."""

import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

import everlore
from tests.cli.process import Command

pytestmark = pytest.mark.browser
PAPER = "getComputedStyle(document.body).backgroundColor"


def _watched(page: Page) -> tuple[list[str], set[str]]:
    """What the page complains of, and the hosts it asks, as they happen."""
    complaints: list[str] = []
    hosts: set[str] = set()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(request.url))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    return complaints, hosts


def test_the_first_page_shows_that_it_runs_and_what_it_holds(browser: Browser, cli: Command, tmp_path: Path) -> None:
    """S-4: no remote loads, a strict policy, and nothing for the console."""
    cli.ok("remember", "--lines", "--person", "Mira", "--create-person", stdin="Mira likes tea\nMira has a dog\n")

    with cli.started("serve", "--port", "0") as server:
        url = server.line()
        page = browser.new_page(color_scheme="light")
        complaints, hosts = _watched(page)
        page.goto(url)

        expect(page.get_by_role("heading", name="Everlore", exact=True)).to_be_visible()
        expect(page.get_by_role("main")).to_contain_text(f"Running version {everlore.__version__}")
        expect(page.locator("dl > div").filter(has_text="Memories").locator("dd")).to_have_text("2")
        expect(page.locator("dl > div").filter(has_text="Persons").locator("dd")).to_have_text("1")
        expect(page.get_by_role("region", name="Commands")).to_contain_text("everlore recall")
        light = page.evaluate(PAPER)
        page.screenshot(path=tmp_path / "light.png", full_page=True)
        page.emulate_media(color_scheme="dark")
        dark = page.evaluate(PAPER)
        page.set_viewport_size({"width": 320, "height": 640})
        too_wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        page.screenshot(path=tmp_path / "dark-phone.png", full_page=True)
        page.close()
        assert server.ends_after(signal.SIGTERM).code == 0

    assert (light, dark) == ("rgb(247, 246, 242)", "rgb(22, 23, 28)")
    assert not too_wide
    assert complaints == []
    assert {host for host in hosts if host} == {urlsplit(url).netloc}
