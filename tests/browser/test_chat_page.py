"""The chat page in a real browser, with a server that really runs and a model that does as it is told (U1-U3, U13)."""

import json
import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from everlore.models.choice import NO_MODEL
from everlore.server.web import POLICY
from tests.browser.house import (
    TOO_WIDE,
    House,
    SlowAnswer,
    answering,
    button,
    composer,
    measured,
    messages,
    more,
    replied,
    right_of,
    say,
    unheard,
    visited,
)
from tests.cli.process import Command
from tests.models.chat_server import TEXT, ChatServer
from tests.waiting import eventually

pytestmark = pytest.mark.browser

BEGUN = "The ferry"
NEAR_PX = 8
# As a list does that finds its messages smaller than it thought.
MOVED_BY_ITSELF = """async (log) => {
  const scrolled = new Promise((heard) => log.addEventListener("scroll", heard, { once: true }));
  log.scrollTop -= 200;
  await scrolled;
}"""


# ── the first visit ──────────────────────────────────────────────────────────────────────────────


def test_ux_chat_existing_flow_unbroken(house: House) -> None:
    """U1, U3, V7: from nothing to a titled conversation, with the keyboard, under the strict policy."""
    page = house.visit(color_scheme="light")
    for character in house.ask(page, "GET", "/api/characters?kind=character")["items"]:
        house.ask(page, "DELETE", f"/api/characters/{character['id']}")

    response = page.reload()
    assert response
    assert response.headers["content-security-policy"] == POLICY
    expect(page.get_by_role("heading", name="Welcome to Everlore")).to_be_visible()
    expect(button(page, "Import character")).to_be_visible()
    page.get_by_label("Name").fill("Mira Tern")
    page.get_by_label("Personality").fill("Dry humour.")
    page.get_by_label("Greeting").fill("*She looks up.* You are **late**.")
    page.get_by_label("Greeting").press("Tab")
    button(page, "Create and start chat").press("Enter")

    expect(composer(page)).to_be_focused()
    expect(messages(page).first.locator("em")).to_have_text("She looks up.")
    page.keyboard.type("Two lines")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("of *mine*")
    page.keyboard.press("Enter")
    expect(messages(page)).to_have_count(3)
    expect(messages(page).nth(1).locator("br")).to_have_count(1)
    expect(messages(page).last).to_contain_text(TEXT)
    expect(messages(page).last).to_contain_text("fine-model")
    expect(composer(page)).to_be_focused()
    expect(page.get_by_role("status").filter(has_text=f"Mira Tern: {TEXT}")).to_be_attached()

    expect(page.get_by_role("heading", level=1)).to_have_text("Ferries at dawn")
    page.keyboard.press("Control+Shift+S")
    row = page.get_by_role("complementary", name="Chats").get_by_role("link").first
    expect(row).to_contain_text("Ferries at dawn")
    expect(row).to_have_attribute("aria-current", "page")


def test_a_house_without_a_model_says_so_and_how_to_connect_one(voiced: House) -> None:
    """U1, V5: the built-in voice is never taken for a model, and a model can be connected on the page."""
    page = voiced.visit()
    voiced.talk(page)
    say(page, "Good evening.")

    expect(messages(page).last).to_contain_text(f"{NO_MODEL} Connect a model")
    say(page, "How are you?")
    replied(page, 5)
    expect(page.get_by_text(NO_MODEL)).to_have_count(1)
    expect(button(page, "Built-in replies")).to_be_visible()
    button(page, "Connect a model").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(voiced.ask(page, "GET", "/api/models")["hint"])
    dialog.get_by_label("Address").fill(voiced.model.url)
    dialog.get_by_label("Address").blur()
    dialog.get_by_role("combobox", name="Model").select_option("fine-model")
    button(dialog, "Connect").click()

    expect(dialog).to_be_hidden()
    say(page, "And now?")
    expect(messages(page).last).to_contain_text(TEXT)
    expect(button(page, "fine-model")).to_be_visible()


def test_somebody_is_made_on_the_start_page(house: House) -> None:
    """U1: a chat begins with the greeting."""
    page = house.visit()
    house.character(page)
    page.reload()
    button(page, "Create a character").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Odile")
    dialog.get_by_label("Greeting").fill("Mind the step.")
    button(page, "Create and start chat").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(messages(page)).to_contain_text(["Mind the step."])


def test_a_long_name_is_cut_and_what_is_hidden_moves_nothing(house: House) -> None:
    """U1, U2: one line in the panel and in the message field; what wrote a reply stands under it."""
    page = house.visit(viewport={"width": 1000, "height": 700})
    house.talk(page)
    height = measured(composer(page))["height"]
    name = "Her Serene Highness the Dowager Lighthouse Keeper " * 3
    house.talk(page, name=name.strip())
    page.reload()
    assert measured(composer(page))["height"] == height
    button(page, "Chats").click()
    panel = page.get_by_role("complementary")
    row = panel.get_by_role("link").first
    eventually(lambda: right_of(row) <= right_of(panel))
    button(page, "Chats").click()

    for text, count in (("When?", 3), ("And then?", 5)):
        say(page, text)
        replied(page, count)
    reply = messages(page).nth(2)
    bubble, model = reply.locator(".bubble"), reply.get_by_text("fine-model")
    eventually(lambda: abs(measured(model)["x"] - measured(bubble)["x"]) < NEAR_PX)


def test_the_page_fits_a_phone_and_follows_the_wish_for_dark(house: House) -> None:
    """U1, U2."""
    page = house.visit(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True, color_scheme="dark")
    house.talk(page)
    say(page, "An-unreasonably-long-word-without-any-place-to-break-it" * 3)
    expect(messages(page).last).to_contain_text(TEXT)

    assert not page.evaluate(TOO_WIDE)
    expect(button(page, "fine-model")).to_be_in_viewport(ratio=1)
    expect(messages(page).last).to_be_in_viewport()
    paper = page.locator("body")
    expect(paper).to_have_css("background-color", "rgb(22, 23, 28)")
    button(page, "Chats").tap()
    page.get_by_role("complementary").get_by_role("link").first.tap()
    expect(page.get_by_role("complementary")).to_be_hidden()
    page.emulate_media(color_scheme="light")
    expect(paper).to_have_css("background-color", "rgb(247, 246, 242)")


# ── replies ──────────────────────────────────────────────────────────────────────────────────────


def test_a_reply_can_be_stopped_and_go_on(house: House) -> None:
    """U1, V2: what was written stays."""
    house.model.scenario = "stall"
    page = house.visit()
    house.talk(page)
    say(page, "When?")
    expect(messages(page).last).to_contain_text(BEGUN)
    expect(button(page, "Stop generating")).to_be_visible()

    page.keyboard.press("Escape")

    expect(messages(page).last).to_contain_text("stopped")
    expect(messages(page).last).to_contain_text(BEGUN)
    house.model.scenario = answering(" and that is all.")
    button(messages(page).last, "Continue").click()
    expect(messages(page).last).to_contain_text(f"{BEGUN} and that is all.")
    replied(page, 3)


def test_a_reply_has_alternatives_to_leaf_through(house: House) -> None:
    """U1, V2: greetings have them from the start; thoughts stay folded."""
    page = house.visit()
    house.talk(page)
    greeting = messages(page).first
    expect(greeting.get_by_title("Greeting 1 of 2")).to_contain_text("Greeting 1 of 2")
    button(greeting, "Next version").click()
    expect(greeting).to_contain_text("Oh. It is you.")
    expect(button(greeting, "Next version")).to_be_disabled()

    say(page, "When?")
    reply = messages(page).last
    expect(button(reply, "Regenerate")).to_be_enabled()
    house.model.scenario = "reasoning"
    page.keyboard.press("Alt+r")
    expect(reply).to_contain_text("Version 2 of 2")
    expect(reply.get_by_text("When does it leave?")).to_be_hidden()
    reply.get_by_text("Thoughts").click()
    expect(reply.get_by_text("When does it leave?")).to_be_visible()

    house.model.scenario = answering("At noon.")
    composer(page).press("ArrowRight")
    expect(reply).to_contain_text("Version 3 of 3")
    expect(reply).to_contain_text("At noon.")
    expect(button(reply, "Regenerate")).to_be_enabled()
    composer(page).press("ArrowLeft")
    expect(reply).to_contain_text("Version 2 of 3")
    expect(reply).to_contain_text(TEXT)
    page.reload()
    expect(messages(page).last).to_contain_text("Version 2 of 3")


def test_a_failed_reply_says_why_and_can_be_tried_again(house: House) -> None:
    """V1, U13: the server's own sentence; what was said is kept."""
    house.model.scenario = "500"
    page = house.visit()
    id = house.talk(page)
    say(page, "When?")

    error = button(page, "Try again").locator("..")
    expect(error).to_be_visible()
    kept = house.ask(page, "GET", f"/api/conversations/{id}/messages")["items"]
    assert (kept[-2]["content"], kept[-1]["state"]) == ("When?", "failed")
    expect(error).to_contain_text(kept[-1]["error"])
    house.model.scenario = "fine"
    button(page, "Try again").click()

    expect(messages(page).last).to_contain_text(TEXT)
    expect(button(page, "Try again")).to_be_hidden()


def test_a_page_that_is_loaded_again_reads_on(house: House) -> None:
    """V2: the reply belongs to the server."""
    house.model.scenario = "stall"
    page = house.visit()
    house.talk(page)
    say(page, "When?")
    expect(messages(page).last).to_contain_text(BEGUN)

    page.reload()

    expect(messages(page)).to_have_count(3)
    expect(messages(page).last).to_contain_text(BEGUN)
    expect(button(page, "Stop generating")).to_be_visible()
    house.model.release()
    expect(messages(page).last).to_contain_text(TEXT)
    replied(page, 3)


def test_what_is_said_in_one_window_appears_in_the_other(house: House) -> None:
    """V2, V7: the reply while it is written, and the title."""
    house.model.scenario = "stall"
    page, other = house.visit(), house.visit()
    house.open(other, house.talk(page))

    say(page, "When?")
    expect(messages(other)).to_have_count(3)
    expect(messages(other).nth(1)).to_contain_text("When?")
    expect(messages(other).last).to_contain_text(BEGUN)
    house.model.release()

    expect(messages(other).last).to_contain_text(TEXT)
    expect(messages(other)).to_have_count(3)
    expect(other.get_by_role("heading", level=1)).to_have_text("Ferries at dawn")


def test_a_server_that_comes_back_is_noticed_at_once(browser: Browser, cli: Command, model: ChatServer) -> None:
    """V2, U13: in the middle of a reply. What was written stays, what was missed is read again, in every window."""
    model.scenario = "stall"
    model.released.clear()
    talker = cli.having(
        EVERLORE_CHAT__PROVIDER="openai",
        EVERLORE_CHAT__BASE_URL=model.url,
        EVERLORE_CHAT__MODEL="fine-model",
        EVERLORE_EMBEDDING__PROVIDER="hashing",
    )
    with talker.started("serve", "--port", "0") as server:
        house = House(browser, server.line(), model)
        page = house.visit()
        log = f"/api/conversations/{house.talk(page)}/messages"
        say(page, "When?")
        expect(messages(page).last).to_contain_text(BEGUN)
        # What was written is saved every second.
        eventually(lambda: BEGUN in house.ask(page, "GET", log)["items"][-1]["content"])
        others = [house.visit(f"/#/{place}") for place in ("memories", "activity")]
        for other in others:
            expect(other.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("does not answer")
    expect(button(page, "Stop generating")).to_be_visible()

    model.scenario = "fine"
    with talker.started("serve", "--port", str(urlsplit(house.url).port)) as server:
        assert server.line() == house.url
        composer(page).press_sequentially("Are you there?")
        expect(page.get_by_role("alert")).to_be_hidden()
        replied(page, 3)
        expect(page.get_by_role("heading", level=1)).not_to_have_text("Generating…")
        expect(messages(page).nth(2)).to_contain_text(BEGUN)
        composer(page).press("Enter")
        expect(messages(page).last).to_contain_text(TEXT)
        for other in others:
            other.evaluate("window.dispatchEvent(new Event('focus'))")
        house.ask(page, "POST", "/api/memories", data={"content": "The user owns a kayak"})
        expect(others[0].get_by_role("article").filter(has_text="kayak")).to_be_visible()
        expect(others[1].get_by_role("region", name="Background work")).to_contain_text("Up to date")
        house.leave()


# ── the log ──────────────────────────────────────────────────────────────────────────────────────


def test_messages_can_be_edited_branched_and_deleted(house: House) -> None:
    """U1, V2."""
    page = house.visit()
    id = house.talk(page)
    say(page, "Whn?")
    replied(page, 3)

    composer(page).press("ArrowUp")
    editor = page.get_by_role("textbox", name="Edit message")
    expect(editor).to_be_focused()
    editor.fill("When?")
    editor.press("Control+Enter")
    expect(messages(page).nth(1)).to_contain_text("When?")
    expect(composer(page)).to_be_focused()

    more(page, messages(page).nth(1), "Branch from here")
    expect(page).not_to_have_url(re.compile(id))
    expect(messages(page)).to_have_count(2)
    page.get_by_role("link", name="open the original").click()
    expect(page).to_have_url(re.compile(id))
    expect(messages(page)).to_have_count(3)

    more(page, messages(page).last, "Delete message")
    button(page.get_by_role("dialog"), "Cancel").click()
    expect(messages(page)).to_have_count(3)
    more(page, messages(page).last, "Delete message")
    button(page.get_by_role("dialog"), "Delete").click()
    expect(messages(page)).to_have_count(2)
    more(page, messages(page).first, "Delete this and later messages")
    button(page.get_by_role("dialog"), "Delete").click()
    expect(messages(page)).to_have_count(0)
    assert house.ask(page, "GET", f"/api/conversations/{id}/messages")["items"] == []


def test_a_draft_waits_in_its_conversation(house: House) -> None:
    """U1: over a reload, and for each conversation by itself."""
    page = house.visit()
    first = house.talk(page)
    second = house.talk(page, name="Bram")

    composer(page).fill("To Bram")
    house.open(page, first)
    expect(composer(page)).to_have_value("")
    composer(page).fill("To Mira")
    page.reload()

    expect(composer(page)).to_have_value("To Mira")
    house.open(page, second)
    expect(composer(page)).to_have_value("To Bram")
    composer(page).press("Enter")
    expect(messages(page)).to_have_count(3)
    page.reload()
    expect(messages(page)).to_have_count(3)
    expect(composer(page)).to_have_value("")


@pytest.mark.parametrize("is_done", [False, True])
def test_what_is_said_before_the_log_has_come_stays_with_the_log(house: House, *, is_done: bool) -> None:
    """U1: a slow answer with the older messages takes nothing away, whether it comes during the reply or after it."""
    page = house.visit()
    talk = house.talk(page)
    house.open(page, house.talk(page, name="Bram"))
    log = SlowAnswer(page, re.compile(r"/api/conversations/[^/]+/messages"))
    house.open(page, talk)
    composer(page).fill("Hello?")
    composer(page).press("Enter")
    if is_done:
        expect(messages(page).filter(has_text=TEXT)).to_be_visible()
    log.release()

    expect(messages(page)).to_have_count(3)
    expect(messages(page).first).to_contain_text("You are late")


def test_a_long_conversation_is_read_from_its_end(house: House) -> None:
    """U1: the newest in sight, older ones while scrolling."""
    page = house.visit(viewport={"width": 1000, "height": 600})
    lines = [f"Line {number}" for number in range(60)]
    house.open(page, house.told(page, house.character(page, greetings=[]), lines))

    expect(messages(page).last).to_contain_text("Line 59")
    expect(messages(page).last).to_be_in_viewport()
    page.get_by_role("log").press("Home")
    expect(messages(page).first).to_contain_text("Line 0")
    page.get_by_role("log").press("Home")
    expect(messages(page).first).to_be_in_viewport()
    expect(messages(page).last).not_to_be_in_viewport()
    page.get_by_role("log").dispatch_event("wheel")
    button(page, "Jump to latest").click()
    expect(messages(page).last).to_be_in_viewport()
    # What the user scrolled a moment ago says nothing about what the log does by itself now.
    page.get_by_role("log").evaluate(MOVED_BY_ITSELF)
    expect(button(page, "Jump to latest")).to_have_count(0)

    # Whoever leaves while it still scrolls: the last of it is heard after the log is gone.
    log = page.get_by_role("log").element_handle()
    page.evaluate("location.hash = '#/people'")
    expect(page.get_by_role("log")).to_have_count(0)
    log.evaluate("gone => gone.dispatchEvent(new Event('scroll'))")


# ── what comes from others ───────────────────────────────────────────────────────────────────────

HOSTILE = (
    "<script>window.broken = 1</script><img src=x onerror='window.broken = 2'>\n\n"
    "![track](https://tracker.invalid/dot.png) <b style='color: red'>styled</b> "
    "[click](javascript:window.broken=3) <iframe src='https://tracker.invalid'></iframe>"
)


def test_a_card_is_imported_with_a_report_and_can_do_no_harm(house: House) -> None:
    """V9, S-4: nothing in a card or in a reply is run, and nobody is asked for a picture."""
    house.model.scenario = answering(HOSTILE)
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Brannoc", "first_mes": HOSTILE}}
    page = house.visit()
    page.goto(f"{house.url}/#/people")
    page.get_by_label("Character cards").first.set_input_files(
        {"name": "brannoc.json", "mimeType": "application/json", "buffer": json.dumps(card).encode()}
    )

    report = page.get_by_role("dialog", name="Brannoc imported")
    expect(report.get_by_role("heading", name="Imported", exact=True)).to_be_visible()
    button(report, "Start chat").click()
    expect(messages(page).first).to_contain_text("<script>window.broken = 1</script>")
    say(page, HOSTILE)
    replied(page, 3)

    for message in messages(page).all():
        expect(message.get_by_role("link", name="Image: track")).to_be_visible()
        expect(message.locator(".prose :is(img, script, iframe, [style], [href^='javascript'])")).to_have_count(0)
    assert page.evaluate("window.broken") is None


def test_a_file_that_is_no_card_is_refused_in_the_words_of_the_server(house: House) -> None:
    """U13."""
    page = house.visit()
    refused = page.request.post(f"{house.url}/api/characters/import?filename=notes.json", data=b"no card")
    page.get_by_label("Character cards").first.set_input_files(
        {"name": "notes.json", "mimeType": "application/json", "buffer": b"no card"}
    )

    expect(page.get_by_role("alert")).to_contain_text(refused.json()["detail"])
    button(page, "Close this message").click()
    expect(page.get_by_role("alert")).to_be_hidden()
    house.pardon(f"status of {refused.status}")


def test_a_conversation_that_is_not_there_is_said_to_be(house: House) -> None:
    """U13."""
    page = house.visit("/#/chat/nowhere")

    expect(page.get_by_role("heading", name="Couldn't load this chat")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("nowhere")
    page.get_by_role("main").get_by_role("link", name="Home", exact=True).click()
    expect(page.get_by_role("heading", name="Welcome")).to_be_visible()
    house.pardon("status of 404")


@pytest.mark.parametrize("act", ["say", "rename", "edit"])
def test_a_conversation_that_was_deleted_elsewhere_is_left(house: House, act: str) -> None:
    """U13: where no event tells of it, the server's sentence is shown, and the list has it no more."""
    page = house.visit()
    unheard(page)
    button(page, "Chats").click()
    id = house.talk(page)
    row = page.get_by_role("complementary").locator(f"a[href='#/c/{id}']")
    expect(row).to_be_visible()
    expect(messages(page)).to_have_count(1)
    house.ask(page, "DELETE", f"/api/conversations/{id}")
    said = page.request.get(f"{house.url}/api/conversations/{id}").json()["detail"]

    ACTS[act](page)

    # Of an edit, the server says that the message is not there.
    expect(page.get_by_role("alert")).to_contain_text("There is no")
    expect(page.get_by_role("heading", name="Couldn't load this chat")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text(said)
    expect(row).to_be_hidden()
    house.pardon("status of 404")


def rename(page: Page) -> None:
    button(page, "Chat options").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("textbox", name="Title").fill("Storm")
    page.keyboard.press("Enter")


def edit(page: Page) -> None:
    messages(page).first.hover()
    button(messages(page).first, "Edit").click()
    page.get_by_role("textbox", name="Edit message").fill("Other words.")
    page.keyboard.press("Control+Enter")


def ask_again(page: Page) -> None:
    say(page, "Still there?")


ACTS: dict[str, Callable[[Page], None]] = {"say": ask_again, "rename": rename, "edit": edit}


def test_the_api_is_described_and_can_be_tried(house: House) -> None:
    """9-surfaces: interactive docs at /docs, with nothing loaded from elsewhere."""
    page = house.visit("/docs")
    route = page.locator("details").filter(has_text="/api/characters").filter(has_text="Create Character")
    route.locator("summary").click()
    route.get_by_role("textbox").fill('{"name": "Ada"}')
    route.get_by_role("button", name="Send").click()

    expect(route.locator("output")).to_contain_text("201")
    expect(route.locator("output")).to_contain_text('"name": "Ada"')
    assert "Ada" in str(house.ask(page, "GET", "/api/characters"))


def test_a_model_that_keeps_failing_in_the_background_is_shown_with_its_words(
    browser: Browser, cli: Command, model: ChatServer
) -> None:
    """V14: three times in a row. It is asked for JSON twice for each title, and tells of ferries."""
    model.scenario = "fine"
    told = {"PROVIDER": "openai", "BASE_URL": model.url, "MODEL": "fine-model"}
    talker = cli.having(**{f"EVERLORE_CHAT__{name}": value for name, value in told.items()})
    with talker.started("serve", "--port", "0") as server, visited(House(browser, server.line(), model)) as house:
        page = house.visit()
        for name in ("Mira", "Rex"):
            house.talk(page, name=name)
            say(page, "When does it leave?")
            expect(messages(page).last).to_contain_text(TEXT)

        note = page.get_by_role("status").filter(has_text="required output format")
        note.get_by_text("required output format").click()

        expect(note).to_contain_text("fine-model")
        expect(note).to_contain_text(TEXT)
