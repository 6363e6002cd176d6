"""Finding one's way among chats: pin, archive, close, rename, delete, search, long logs, code (U3, U1)."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.house import House, SlowAnswer, answering, button, composer, messages, replied, say

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
WIDE = {"width": 1280, "height": 800}


def panel(page: Page) -> Locator:
    found = page.get_by_role("complementary").filter(has=page.get_by_role("button", name="New chat"))
    entry = page.get_by_role("navigation", name="Main").get_by_role("button", name="Chats")
    if entry.get_attribute("aria-expanded") != "true":
        entry.click()
    return found


def started(house: House, page: Page, title: str, *lines: str) -> str:
    """A chat with a title and messages of the user, without replies."""
    character = house.character(page, name="Wren", greetings=[])
    return house.told(page, character, lines, title=title, config={"auto_title": False, "extract_facts": False})


def options(page: Page, title: str, choice: str) -> None:
    panel(page).get_by_role("listitem").filter(has_text=title).hover()
    panel(page).get_by_role("button", name=f"Options for {title}").click()
    page.get_by_role("menuitem", name=choice, exact=True).click()


def test_a_chat_is_pinned_renamed_archived_and_deleted_from_its_row(house: House) -> None:
    """U3: from the row menu, with undo or a question, and another window sees each at once."""
    page, other = house.visit(viewport=WIDE), house.visit(viewport=WIDE)
    started(house, page, "Old letters", "One.")
    started(house, page, "New plans", "Two.")
    for each in (page, other):
        each.reload()
        expect(panel(each).get_by_role("list", name="Recent")).to_contain_text("Old letters")

    options(page, "Old letters", "Pin")
    for each in (page, other):
        expect(panel(each).get_by_role("list", name="Pinned")).to_contain_text("Old letters")
    page.reload()
    expect(panel(page).get_by_role("list", name="Pinned")).to_contain_text("Old letters")

    options(page, "Old letters", "Rename")
    field = page.get_by_role("textbox", name="Chat title")
    expect(field).to_be_focused()
    field.fill("Letters of 1912")
    field.press("Enter")
    for each in (page, other):
        expect(panel(each).get_by_role("list", name="Pinned")).to_contain_text("Letters of 1912")

    options(page, "New plans", "Archive")
    for each in (page, other):
        expect(panel(each).get_by_text(re.compile(r"Archived \(\d+\)"))).to_be_visible()
        expect(panel(each).get_by_role("list", name="Recent").get_by_text("New plans")).to_be_hidden()
    button(page, "Undo").click()
    for each in (page, other):
        expect(panel(each).get_by_role("list", name="Recent")).to_contain_text("New plans")

    options(page, "New plans", "Delete")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("“New plans” and its 1 message will be deleted permanently.")
    button(dialog, "Delete").click()
    for each in (page, other):
        expect(panel(each).get_by_text("New plans")).to_be_hidden()


def test_the_row_menu_works_with_the_keyboard_alone(house: House) -> None:
    """U13, U3."""
    page = house.visit(viewport=WIDE)
    started(house, page, "By keyboard", "One.")
    page.reload()
    row = panel(page).get_by_role("link", name=re.compile("By keyboard"))
    row.focus()
    page.keyboard.press("Tab")
    expect(panel(page).get_by_role("button", name="Options for By keyboard")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(panel(page).get_by_role("list", name="Pinned")).to_contain_text("By keyboard")


def test_a_chat_is_closed_and_a_message_reopens_it(house: House) -> None:
    """U3, V10: the page says so, in both windows."""
    page, other = house.visit(viewport=WIDE), house.visit(viewport=WIDE)
    id = started(house, page, "Over and out", "One.")
    for each in (page, other):
        house.open(each, id)
        expect(messages(each)).to_have_count(1)
    button(page, "Chat options").click()
    page.get_by_role("menuitem", name="Close", exact=True).click()
    for each in (page, other):
        expect(each.get_by_role("note", name="Chat state")).to_contain_text("This chat is closed.")
    button(other, "Reopen").click()
    expect(page.get_by_role("note", name="Chat state")).to_be_hidden()
    button(page, "Chat options").click()
    page.get_by_role("menuitem", name="Archive", exact=True).click()
    expect(other.get_by_role("note", name="Chat state")).to_contain_text("This chat is archived.")
    house.model.scenario = answering("Welcome back.")
    say(page, "I am back.")
    for each in (page, other):
        expect(messages(each)).to_have_count(3)
        expect(each.get_by_role("note", name="Chat state")).to_be_hidden()


def test_a_chat_that_begins_while_the_list_is_loading_is_in_it(house: House) -> None:
    """U3: the answer with the list comes after the chat has begun, and lacks it."""
    page = house.visit(viewport=WIDE)
    house.character(page, name="Late Lotte")
    chats = SlowAnswer(page, re.compile(r"/api/conversations\?"))
    page.goto(f"{house.url}/#/people")
    page.reload()
    chats.is_made()
    button(page, "Start chat with Late Lotte").click()
    expect(messages(page)).to_have_count(1)
    with page.expect_request(re.compile(r"/api/conversations\?")):
        chats.release()

    expect(panel(page).get_by_role("list", name="Recent")).to_contain_text("Chat with Late Lotte")
    expect(page.get_by_role("heading", level=1)).to_have_text("Chat with Late Lotte")


def test_a_chat_that_is_deleted_elsewhere_says_so_at_once(house: House) -> None:
    """U3, U13: without a click."""
    page = house.visit(viewport=WIDE)
    id = started(house, page, "Gone soon", "One.")
    house.open(page, id)
    expect(messages(page)).to_have_count(1)
    house.ask(page, "DELETE", f"/api/conversations/{id}")
    expect(page.get_by_role("heading", name="Couldn't load this chat")).to_be_visible()
    house.pardon("status of 404")


def test_messages_are_found_in_all_chats_and_lead_to_their_place(house: House) -> None:
    """U3: by title and by text; the search of one chat steps through its matches."""
    page = house.visit(viewport=WIDE)
    lines = [f"Line {number} about nothing" for number in range(120)]
    lines[3] = "The lighthouse keeper lost his spectacles."
    lines[60] = "Spectacles again."
    id = started(house, page, "A long evening", *lines)
    started(house, page, "Spectacles shop", "Nothing here.")
    page.reload()

    panel(page).get_by_role("searchbox", name="Search chats and messages").fill("spectacles")
    expect(panel(page).get_by_role("list", name="Chats")).to_contain_text("Spectacles shop")
    results = panel(page).get_by_role("list", name="Messages").get_by_role("listitem")
    expect(results).to_have_count(2)
    results.filter(has_text="lighthouse").get_by_role("link").click()
    expect(messages(page).filter(has_text="lighthouse")).to_be_in_viewport()
    expect(messages(page).filter(has_text="lighthouse")).to_be_focused()
    assert page.evaluate("location.hash").startswith(f"#/c/{id}?at=")

    button(page, "Chat options").click()
    page.get_by_role("menuitem", name="Search in this chat").click()
    bar = page.get_by_role("search", name="Search in this chat")
    field = bar.get_by_role("searchbox")
    expect(field).to_be_focused()
    field.fill("spectacles")
    expect(bar.get_by_role("status")).to_have_text("1 of 2")
    expect(messages(page).filter(has_text="Spectacles again.")).to_be_in_viewport()
    button(bar, "Older match").click()
    expect(bar.get_by_role("status")).to_have_text("2 of 2")
    expect(messages(page).filter(has_text="lighthouse")).to_be_in_viewport()
    field.fill("zeppelin")
    expect(bar.get_by_role("status")).to_have_text("No results")
    field.press("Escape")
    expect(bar).to_be_hidden()
    expect(composer(page)).to_be_focused()


def test_a_private_chat_is_searched_only_from_within(house: House) -> None:
    """U3, V13."""
    page = house.visit(viewport=WIDE)
    id = started(house, page, "Between us")
    house.ask(page, "PATCH", f"/api/conversations/{id}", data={"config": {"private": True}})
    house.ask(page, "POST", f"/api/conversations/{id}/messages", data={"content": "A quincunx.", "reply": False})
    house.open(page, id)
    panel(page).get_by_role("searchbox").fill("quincunx")
    expect(panel(page).get_by_text("No messages match “quincunx”.")).to_be_visible()
    button(page, "Chat options").click()
    page.get_by_role("menuitem", name="Search in this chat").click()
    bar = page.get_by_role("search", name="Search in this chat")
    bar.get_by_role("searchbox").fill("quincunx")
    expect(bar.get_by_role("status")).to_have_text("1 of 1")


def test_a_long_log_loads_while_scrolling_and_jumps_to_its_beginning_and_a_date(house: House) -> None:
    """U3: without a button; only what is near is in the document; nothing moves while one reads."""
    page = house.visit(viewport={"width": 1000, "height": 700})
    id = started(house, page, "Four hundred lines", *(f"Line {number}" for number in range(400)))
    house.open(page, id)
    log = page.get_by_role("log")
    expect(messages(page).filter(has_text=re.compile(r"Line 399$", re.MULTILINE))).to_be_in_viewport()

    first = log.get_by_text("Line 0", exact=True)
    log.hover()
    while first.count() == 0:
        page.mouse.wheel(0, -3_000)
        page.evaluate("new Promise(requestAnimationFrame)")
    first.scroll_into_view_if_needed()
    expect(first).to_be_in_viewport()
    assert messages(page).count() < 200
    button(page, "Jump to latest").click()
    expect(log.get_by_text("Line 399", exact=True)).to_be_in_viewport()

    page.reload()
    expect(log.get_by_text("Line 399", exact=True)).to_be_in_viewport()
    button(page, "Chat options").click()
    page.get_by_role("menuitem", name="Search in this chat").click()
    bar = page.get_by_role("search", name="Search in this chat")
    button(bar, "Beginning").click()
    expect(first).to_be_in_viewport()
    expect(log.locator(".day").first).to_be_in_viewport()
    button(page, "Jump to latest").click()
    expect(log.get_by_text("Line 399", exact=True)).to_be_in_viewport()
    bar.get_by_label("Jump to date").fill("2020-01-01")
    expect(first).to_be_in_viewport()
    bar.get_by_label("Jump to date").fill("2199-01-01")
    expect(page.get_by_text("No messages on or after that date")).to_be_visible()


CODE = "Here:\n\n```python\ndef greet(name):\n    return f'Hello {name}'\n```\n\nand\n\n```\nplain text\n```"


def test_code_is_highlighted_and_copied(house: House) -> None:
    """U1: loaded only with a code block; what is copied is the code alone."""
    page = house.visit(viewport=WIDE, permissions=["clipboard-read", "clipboard-write"])
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    house.model.scenario = answering("No code yet.")
    house.talk(page)
    say(page, "Hello.")
    replied(page, 3)
    expect(messages(page).last).to_contain_text("No code yet.")
    assert not [url for url in loaded if "highlight" in url]
    house.model.scenario = answering(CODE)
    say(page, "Show me some Python.")
    reply = messages(page).last
    expect(reply.locator(".hljs-keyword").first).to_have_text("def")
    expect(button(reply, "Copy code")).to_have_count(2)
    button(reply, "Copy code").first.click()
    expect(button(reply, "Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "def greet(name):\n    return f'Hello {name}'\n"


def test_the_selected_tab_is_in_view_on_a_phone(house: House) -> None:
    """U13: also where not all of them have room."""
    page = house.visit(viewport={"width": 320, "height": 640}, has_touch=True)
    house.talk(page)
    button(page, "Show prompt").click()
    tab = page.get_by_role("tab", name="Prompt")
    expect(tab).to_have_attribute("aria-selected", "true")
    expect(tab).to_be_in_viewport(ratio=0.9)
