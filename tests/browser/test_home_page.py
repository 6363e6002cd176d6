"""The start page: whom one can talk to, where one stopped, what waits; a first run without a key (U12, U13)."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import serious_in
from tests.browser.house import TOO_WIDE, House, button, messages, say

pytestmark = pytest.mark.browser


def test_a_first_run_needs_no_key_and_leads_on(voiced: House) -> None:
    """U13, V5: somebody is there to talk to, a model can be connected; the steps go once something was said."""
    page = voiced.visit(viewport={"width": 390, "height": 844}, color_scheme="dark")
    steps = page.get_by_role("region", name="First steps")
    expect(steps).to_contain_text("no key is needed")
    assert serious_in(page) == []
    assert not page.evaluate(TOO_WIDE)
    steps.get_by_role("link", name="Connect a model").click()
    expect(page.get_by_role("article", name="Replies")).to_contain_text("no model is connected")
    button(page.get_by_role("article", name="Replies"), "Test").click()
    expect(page.get_by_role("article", name="Replies").get_by_role("status")).to_be_visible()
    page.go_back()

    steps.get_by_role("button", name="Say hello to").press("Enter")
    say(page, "Good evening.")
    expect(messages(page).last).to_contain_text("built-in voice")
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", name="Go on where you stopped")).to_be_visible()
    expect(steps).to_have_count(0)


def test_the_demo_world_is_opened_with_one_click_and_removed_with_another(voiced: House) -> None:
    """U13, M13: people, talks, memories and a campaign, through the import; nothing of it stays."""
    page = voiced.visit()
    button(page, "Open the demo world").click()
    note = page.get_by_role("region", name="Demo world")
    expect(note).to_contain_text("Tamsin Vale")
    row = page.get_by_role("link", name="The night of the storm")
    row.click()
    expect(messages(page).first).to_contain_text("You are letting the sea in.")
    button(messages(page).last, "What this reply rests on").click()
    expect(page.get_by_role("tabpanel", name="This reply")).to_be_visible()
    page.goto(f"{voiced.url}/#/campaigns")
    expect(page.get_by_role("link", name="The Silent Bell")).to_be_visible()

    page.get_by_role("link", name="Home").click()
    button(note, "Remove the demo world").click()
    button(page.get_by_role("dialog"), "Remove").click()
    expect(page.get_by_role("region", name="First steps")).to_be_visible()
    expect(note).to_have_count(0)
    assert voiced.ask(page, "GET", "/api/memories")["items"] == []
    assert [each["name"] for each in voiced.ask(page, "GET", "/api/characters?kind=character")["items"]] == ["Nova"]


def test_what_waits_is_told_and_leads_there(house: House) -> None:
    """U10, U12: a session that is being played and a contradiction are on the start page."""
    page = house.visit()
    campaign = house.ask(page, "POST", "/api/campaigns", data={"name": "The Silent Bell"})["id"]
    house.ask(page, "POST", f"/api/campaigns/{campaign}/sessions", data={})
    for metal in ("silver", "bronze"):
        said = {"content": f"The bell of Tamsel is made of {metal}."}
        house.ask(page, "POST", f"/api/campaigns/{campaign}/memories", data=said)
    page.reload()
    waiting = page.get_by_role("region", name="Waiting for you")
    expect(waiting).to_contain_text("Session 1 of The Silent Bell is being played")
    assert serious_in(page) == []
    waiting.get_by_role("link", name="1 to decide in The Silent Bell").click()
    expect(page.get_by_role("article", name="Contradiction")).to_contain_text("bronze")
