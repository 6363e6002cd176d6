"""The frame of the page: the rail, the addresses of its places, and the inspector (U2, U13)."""

import pytest
from playwright.sync_api import expect

from tests.browser.house import House, button, composer, measured

pytestmark = pytest.mark.browser


def test_each_place_has_an_address_that_reload_and_back_lead_to(house: House) -> None:
    """U2: the rail says where one is; an old address of a conversation still leads to it."""
    page = house.visit()
    rail = page.get_by_role("navigation", name="Main")
    expect(rail.get_by_role("link", name="Home")).to_have_attribute("aria-current", "page")
    id = house.talk(page)
    expect(rail.get_by_role("link", name="Home")).not_to_have_attribute("aria-current", "page")

    page.go_back()
    expect(page.get_by_role("heading", name="Who would you like to talk to?")).to_be_visible()
    page.goto(f"{house.url}/#/chat/{id}")
    page.reload()
    expect(composer(page)).to_be_visible()


def test_the_inspector_is_closed_until_it_is_asked_for_and_keeps_its_width(house: House) -> None:
    """U2, U4, U13: tabs by the arrow keys, a width that is drawn with them, and what the conversation is."""
    page = house.visit(viewport={"width": 1400, "height": 900})
    house.talk(page, name="Odile")
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector).to_be_hidden()
    button(page, "See the prompt").click()
    assert measured(inspector)["width"] == 360

    inspector.get_by_role("tab", name="Prompt").press("End")
    expect(inspector.get_by_role("tab", name="Info")).to_be_focused()
    expect(inspector.get_by_role("tabpanel", name="Info")).to_contain_text("Odile")
    inspector.get_by_role("separator", name="Width of the inspector").press("ArrowLeft")
    assert measured(inspector)["width"] == 376

    page.reload()
    button(page, "See the prompt").click()
    expect(inspector).to_have_css("width", "376px")
