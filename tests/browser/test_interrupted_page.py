"""What somebody has typed or asked for survives scrolling, reloading and a second window."""

import pytest
from playwright.sync_api import expect

from tests.browser.house import House, button, messages

pytestmark = pytest.mark.browser


def test_a_text_that_is_being_edited_survives_scrolling_away_from_it(house: House) -> None:
    """U1: the log keeps only the messages near the viewport in the document, and the one that is being edited."""
    page = house.visit(viewport={"width": 1000, "height": 600})
    lines = [f"Line {number}\n\nwith more\n\nthan one\n\nparagraph" for number in range(60)]
    house.open(page, house.told(page, house.character(page, greetings=[]), lines))
    messages(page).last.hover()
    button(messages(page).last, "Edit").click()
    editor = page.get_by_role("textbox", name="Edit message")
    editor.fill("Line 59, and a long thought about it")

    page.get_by_role("log").press("Home")
    expect(messages(page).first).to_contain_text("Line ")
    expect(editor).not_to_be_in_viewport()
    page.get_by_role("log").press("End")

    expect(editor).to_be_in_viewport()
    expect(editor).to_have_value("Line 59, and a long thought about it")
