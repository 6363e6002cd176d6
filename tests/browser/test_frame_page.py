"""The frame of the page: the rail, the addresses of its places, and the inspector (U2, U13)."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import findings_in, findings_in_both
from tests.browser.house import TOO_WIDE, House, bottom_of, button, composer, measured
from tests.cli.process import Command
from tests.models.chat_server import ChatServer
from tests.waiting import eventually

pytestmark = pytest.mark.browser


def test_each_place_has_an_address_that_reload_and_back_lead_to(house: House) -> None:
    """U2: the rail says where one is; an old address of a conversation still leads to it."""
    page = house.visit()
    rail = page.get_by_role("navigation", name="Main")
    expect(rail.get_by_role("link", name="Home")).to_have_attribute("aria-current", "page")
    id = house.talk(page)
    expect(rail.get_by_role("link", name="Home")).not_to_have_attribute("aria-current", "page")

    page.go_back()
    expect(page.get_by_role("heading", name="Welcome")).to_be_visible()
    page.goto(f"{house.url}/#/chat/{id}")
    page.reload()
    expect(composer(page)).to_be_visible()


def test_a_dialog_belongs_to_the_page_it_was_opened_on(house: House) -> None:
    """U2: the back button closes it."""
    page = house.visit("/#/people")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Memories").click()
    button(page, "Add").click()
    expect(page.get_by_role("dialog", name="Add a memory")).to_be_visible()
    page.go_back()

    expect(page).to_have_url(f"{house.url}/#/people")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_an_address_without_a_page_says_so(house: House) -> None:
    """U2: with a way back; the name of a page leads to it."""
    page = house.visit("/#/nowhere")
    expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
    page.get_by_role("link", name="Go to Home").click()
    expect(page.get_by_role("heading", name="Welcome")).to_be_visible()
    page.goto(f"{house.url}/#/relationships")
    expect(page).to_have_title("Relationships · Everlore")


def test_the_inspector_is_closed_until_it_is_asked_for_and_keeps_its_width(house: House) -> None:
    """U2, U4, U13: tabs by the arrow keys, a width that is drawn with them, and what the conversation is."""
    page = house.visit(viewport={"width": 1400, "height": 900})
    house.talk(page, name="Odile")
    inspector = page.get_by_role("complementary", name="About this chat")
    expect(inspector).to_be_hidden()
    button(page, "Show prompt").click()
    assert measured(inspector)["width"] == 360

    inspector.get_by_role("tab", name="Prompt").press("Home")
    expect(inspector.get_by_role("tab", name="Sources")).to_be_focused()
    expect(inspector.get_by_role("tabpanel", name="Sources")).to_contain_text("No reply from a model yet")
    inspector.get_by_role("separator", name="Width of the panel").press("ArrowLeft")
    assert measured(inspector)["width"] == 376

    page.reload()
    button(page, "Show prompt").click()
    expect(inspector).to_have_css("width", "376px")


def test_the_buttons_of_a_chat_stay_reachable_between_wide_panels(house: House) -> None:
    """U2: beside the expanded rail, the details and the memories; what has no room is in the menu."""
    page = house.visit(viewport={"width": 1280, "height": 800})
    house.talk(page, name="Mirabel")
    button(page, "Expand sidebar").click()
    button(page, "What Mirabel knows about you").click()
    button(page, "Chat details").click()
    details = page.get_by_role("complementary", name="This chat", exact=True)
    expect(details).to_be_visible()
    for label in ("Chat details", "Show prompt", "Chat options"):
        button(page, label).click(trial=True)
    page.get_by_role("main").get_by_role("button", name="fine-model").click()
    dialog = page.get_by_role("dialog", name="Chat model")
    row = [button(dialog, label) for label in ("Load models", "Cancel", "Connect")]
    eventually(lambda: len({measured(each)["y"] for each in row}) == 1)
    button(dialog, "Cancel").click()
    for _ in range(20):
        details.get_by_role("separator").press("ArrowRight")
    button(page, "Chat options").click()
    page.get_by_role("menuitem", name="Chat details").click()
    expect(details).to_have_count(0)


def test_the_rail_shows_its_labels_when_it_is_expanded(house: House) -> None:
    """U2: by keyboard, kept over a reload; a phone has the labels below the icons."""
    page = house.visit(viewport={"width": 1280, "height": 720})
    rail = page.get_by_role("navigation", name="Main")
    expect(rail.get_by_text("Memories", exact=True)).to_have_count(0)
    button(rail, "Expand sidebar").press("Enter")
    for label in ("Home", "Chats", "Memories", "Review", "People", "Campaigns", "Activity", "Templates", "Settings"):
        expect(rail.get_by_text(label, exact=True)).to_be_visible()
    for label in ("Keyboard shortcuts", "Search and commands"):
        shown = rail.get_by_text(label, exact=True)
        expect(shown).to_be_visible()
        assert shown.evaluate("(each) => each.scrollWidth <= each.clientWidth"), label
    assert findings_in(page) == []

    page.reload()
    expect(rail.get_by_text("Memories", exact=True)).to_be_visible()
    rail.get_by_role("link", name="Memories").click()
    expect(rail.get_by_role("link", name="Memories")).to_have_attribute("aria-current", "page")
    page.set_viewport_size({"width": 390, "height": 844})
    for label in ("Home", "Chats", "Memories", "Review", "People", "Campaigns", "More"):
        shown = rail.get_by_text(label, exact=True)
        expect(shown).to_be_in_viewport(ratio=0.98)
        assert shown.evaluate("(each) => each.scrollWidth <= each.clientWidth"), label
    assert not page.evaluate(TOO_WIDE)
    page.set_viewport_size({"width": 1280, "height": 720})
    button(rail, "Collapse sidebar").click()
    expect(rail).to_have_css("width", "48px")


def test_a_page_that_lost_its_server_says_so_and_reconnects_by_itself(
    browser: Browser, cli: Command, model: ChatServer
) -> None:
    """U13: a banner in the flow of the page; it can be closed, and goes when the server is back."""
    talker = cli.having(EVERLORE_CHAT__PROVIDER="voice", EVERLORE_EMBEDDING__PROVIDER="hashing")
    with talker.started("serve", "--port", "0") as server:
        house = House(browser, server.line(), model)
        page, other = house.visit(viewport={"width": 390, "height": 844}), house.visit()
        house.talk(page)
        expect(other.get_by_role("heading", name="Welcome")).to_be_visible()
    offline = [each.get_by_role("status", name="Offline") for each in (page, other)]
    for banner in offline:
        expect(banner).to_contain_text("Reconnecting")
    eventually(lambda: bottom_of(offline[0]) <= measured(page.get_by_role("log"))["y"])
    assert findings_in(page) == []
    button(offline[1], "Close").click()
    expect(offline[1]).to_have_count(0)

    with talker.started("serve", "--port", str(urlsplit(house.url).port)) as server:
        assert server.line() == house.url
        expect(offline[0]).to_have_count(0)
        button(page, "Chats").click()
        expect(page.get_by_role("complementary", name="Chats").get_by_role("link").first).to_be_visible()
        house.leave()


def test_an_error_goes_with_the_page_it_belongs_to(house: House) -> None:
    """U13: it stays on its own page, and is not over messages."""
    page = house.visit("/#/people")
    page.route("**/api/characters/import*", lambda route: route.abort())
    page.get_by_label("Character cards").first.set_input_files(
        {"name": "card.json", "mimeType": "application/json", "buffer": b"{}"}
    )
    expect(page.get_by_role("alert")).to_contain_text("does not answer")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Memories").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    house.pardon("ERR_FAILED")


def test_it_can_be_installed_as_an_app(house: House) -> None:
    """U13: the browser finds nothing wrong with the manifest and its icons."""
    page = house.visit()
    devtools = page.context.new_cdp_session(page)
    manifest = devtools.send("Page.getAppManifest")
    wrong = {each["errorId"] for each in devtools.send("Page.getInstallabilityErrors")["installabilityErrors"]}

    assert manifest["url"] == f"{house.url}/manifest.webmanifest"
    assert manifest["errors"] == []
    # The tests' windows are private ones, in which nothing is installed.
    assert wrong <= {"in-incognito"}


def test_both_accents_can_be_read_in_high_contrast(house: House) -> None:
    """U13: names of characters have an accent of their own, in light and in dark."""
    page = house.visit(contrast="more")
    house.talk(page)
    button(page, "Chats").click()
    expect(page.get_by_role("complementary", name="Chats").get_by_role("link").first).to_be_visible()
    assert findings_in_both(page) == []
    page.goto(f"{house.url}/#/graph?person=nobody")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert findings_in_both(page) == []
