"""What somebody who has never seen the page stops at, and no longer does."""

import pytest
from playwright.sync_api import expect

from tests.browser.house import House, button, messages, more, replied, say

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


def test_a_session_without_a_chat_says_how_to_play_it(house: House) -> None:
    """U9: and no longer once a chat is part of it."""
    page = house.visit()
    campaign = house.ask(page, "POST", "/api/campaigns", data={"name": "The Iron Keep"})["id"]
    session = house.ask(page, "POST", f"/api/campaigns/{campaign}/sessions", data={})["id"]
    page.goto(f"{house.url}/#/campaigns/{campaign}/sessions/{session}")
    hint = page.get_by_role("main").get_by_text("open a chat and choose “Play in a campaign” in its menu")
    expect(hint).to_be_visible()

    house.talk(page)
    button(page, "Chat options").click()
    page.get_by_role("menuitem", name="Play in a campaign").click()
    button(page.get_by_role("dialog"), "Join session").click()
    expect(page.get_by_role("dialog")).to_have_count(0)

    page.goto(f"{house.url}/#/campaigns/{campaign}/sessions/{session}")
    expect(page.get_by_role("link", name="Chat with Mira")).to_be_visible()
    expect(hint).to_have_count(0)


def test_a_wide_window_shows_the_labels_of_the_rail_until_they_are_collapsed(house: House) -> None:
    """U2: kept over a reload; a smaller one begins with icons."""
    page = house.visit(viewport={"width": 1440, "height": 900})
    rail = page.get_by_role("navigation", name="Main")
    expect(rail.get_by_text("Memories", exact=True)).to_be_visible()

    button(rail, "Collapse sidebar").click()
    page.reload()

    expect(rail.get_by_role("link", name="Memories")).to_be_visible()
    expect(rail.get_by_text("Memories", exact=True)).to_have_count(0)
    smaller = house.visit(viewport={"width": 1280, "height": 800}).get_by_role("navigation", name="Main")
    expect(smaller.get_by_role("link", name="Memories")).to_be_visible()
    expect(smaller.get_by_text("Memories", exact=True)).to_have_count(0)


def test_the_history_of_a_memory_is_told_to_its_owner(house: House) -> None:
    """U4: the earlier text speaks to the reader, as the memory itself does."""
    page = house.visit()
    id = house.ask(page, "POST", "/api/memories", data={"content": "User has a cat named Biscuit"})["id"]
    house.ask(page, "PATCH", f"/api/memories/{id}", data={"content": "User has a cat named Muffin"})
    page.goto(f"{house.url}/#/m/{id}")

    history = page.get_by_role("main").get_by_role("listitem").filter(has_text="Edited by you")

    expect(history).to_contain_text("You have a cat named")
    expect(history).not_to_contain_text("User")


def test_a_deletion_says_that_the_memories_of_the_message_go_too(house: House) -> None:
    """U1, M9: a memory that was learned only from the message is deleted with it."""
    page = house.visit()
    house.talk(page)
    say(page, "I can't eat peanuts.")
    replied(page, 3)

    more(page, messages(page).nth(1), "Delete message")
    dialog = page.get_by_role("dialog")

    expect(dialog).to_contain_text("The message and the memories learned only from it will be deleted permanently.")
    button(dialog, "Delete").click()
    expect(messages(page)).to_have_count(2)


def test_a_memory_about_the_reader_says_how_to_write_it(house: House) -> None:
    """U5: “I” would be the character that reads it; for other people the example names one."""
    page = house.visit("/#/memories")
    button(page.get_by_role("main"), "Add").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Write “User” for yourself, such as “User lives in Porto”")

    house.character(page, name="Gerda")
    page.reload()
    button(page.get_by_role("main"), "Add").first.click()
    dialog.get_by_label("About").select_option("Gerda")

    expect(dialog).to_contain_text("One sentence that makes sense on its own, such as “Ana lives in Porto”.")
