"""A decision in review that outlives its page: learned in a chat, decided in a browser, undone from another page."""

import pytest
from playwright.sync_api import Browser, expect

from tests.journeys.world import World
from tests.waiting import eventually

pytestmark = pytest.mark.browser


def test_a_decision_stands_when_the_page_is_closed_at_once_and_is_undone_from_another(
    world: World, browser: Browser
) -> None:
    server = world.start()
    ada = server.owner()
    talk = ada.open(ada.character("Mira"), config={"review_memories": True})
    ada.say(talk, "I live in Porto.")
    world.settle(ada)

    def status() -> str:
        (memory,) = ada.get("/api/memories", params={"conversation_id": talk})["items"]
        return str(memory["status"])

    assert status() == "pending"
    assert ada.search("Where does the user live?") == []
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{server.url}/#/review")
    waiting = page.get_by_role("list", name="Needs review").locator("> li")
    expect(waiting).to_have_count(1)
    page.keyboard.press("a")
    page.close()

    eventually(lambda: status() == "active")
    assert "Porto" in "".join(ada.search("Where does the user live?"))

    another = context.new_page()
    another.goto(f"{server.url}/#/review")
    expect(another.get_by_text("All caught up")).to_be_visible()
    another.get_by_role("button", name="Undo last decision").click()

    expect(another.get_by_role("list", name="Needs review").locator("> li")).to_have_count(1)
    assert status() == "pending"
    assert ada.search("Where does the user live?") == []
