"""What another app removes from a talk stays on the page, folded, and can be restored there."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.house import messages
from tests.journeys.world import World, dialogue

pytestmark = pytest.mark.browser


def test_lines_that_an_app_removed_are_restored_on_the_page_with_what_was_learned(
    world: World, browser: Browser
) -> None:
    """/v1, the page, learning, restoring: a user deletes an exchange in one app and takes that back here."""
    server = world.start()
    ada = server.owner()
    ada.character("Mira", greetings=[])
    ferry = "Let us talk about the ferry to the island, and whether it sails in winter."
    storm = "It sails on most days, but in a storm it stays in the harbour. Wrap up warm, it is cold on deck."
    porto, far = "I live in Porto, so it is a long way for me.", "Then take the night train and sleep on the way."
    ticket, price = "What does a ticket for the ferry cost?", "Nine crowns, and twelve on a Sunday."
    replies = {ferry: storm, porto: far, ticket: price}
    world.reply = lambda body: replies.get(body["messages"][-1]["content"], "I see.")
    ada.complete(dialogue(ferry), "Mira")
    ada.complete(dialogue(ferry, storm, porto), "Mira")
    ada.complete(dialogue(ferry, storm, porto, far, ticket), "Mira")
    world.settle(ada)
    assert ada.memories() == ["User lives in Porto"]

    # In the app the user deletes the lines about Porto, and goes on.
    ada.complete(dialogue(ferry, storm, ticket, price, "And for a dog?"), "Mira")
    world.settle(ada)
    assert ada.memories() == []
    [talk] = ada.get("/api/conversations")["items"]

    page = browser.new_context(viewport={"width": 1000, "height": 420}).new_page()
    page.goto(f"{server.url}/#/c/{talk['id']}")
    removed = page.get_by_text("2 messages removed in another app")
    expect(removed).to_be_visible()
    expect(messages(page).filter(has_text=ticket)).to_be_visible()
    expect(messages(page).filter(has_text=porto)).to_be_hidden()
    # By key: while the list still measures its rows, a pointer may be released over another row than it pressed.
    page.wait_for_load_state("networkidle")
    removed.press("Enter")
    expect(messages(page).filter(has_text=porto)).to_be_visible()
    expect(removed).to_be_in_viewport()  # what is unfolded in the middle of a chat does not make it scroll to its end

    page.get_by_role("button", name="Restore").click()

    expect(removed).to_have_count(0)
    expect(messages(page).filter(has_text=porto)).to_be_visible()
    expect(messages(page).filter(has_text=ticket)).to_be_visible()
    world.settle(ada)
    assert ada.memories() == ["User lives in Porto"]
