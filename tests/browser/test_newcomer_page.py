"""What somebody who has never seen the page stops at, and no longer does."""

import pytest
from playwright.sync_api import expect

from tests.browser.house import House, button

pytestmark = pytest.mark.browser


def test_the_address_of_a_model_server_needs_no_scheme(house: House) -> None:
    """U8: what people type is completed; the form says what is wrong, and no message covers the page."""
    page = house.visit("/#/settings/models")
    button(page.get_by_role("main"), "Change").first.click()
    page.get_by_label("Address").fill("localhost:9")
    page.get_by_placeholder("Model name").fill("any")
    button(page, "Connect").click()

    expect(page.get_by_label("Address")).to_have_value("http://localhost:9")
    expect(page.get_by_role("status").filter(has_text="Can't reach http://localhost:9.")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_an_unknown_part_of_the_settings_shows_the_first(house: House) -> None:
    """U2."""
    page = house.visit("/#/settings/nowhere")

    expect(page.get_by_role("link", name="Models", exact=True)).to_have_attribute("aria-current", "page")
