"""The start page: what Everlore is, whom to chat with, what to continue; a first run without a key (U12, U13)."""

import pytest
from playwright.sync_api import expect

from everlore.models.choice import NO_MODEL
from tests.browser.axe import findings_in
from tests.browser.house import TOO_WIDE, House, bottom_of, button, measured, messages, right_of, say
from tests.waiting import eventually

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}


def test_a_first_run_needs_no_key_and_leads_on(voiced: House) -> None:
    """U13, V5: the page says what Everlore is; a character is there, a model can be connected; then the steps go."""
    page = voiced.visit(viewport=PHONE, color_scheme="dark")
    expect(page.get_by_role("main")).to_contain_text("chat with AI characters who remember you")
    steps = page.get_by_role("region", name="Get started")
    expect(steps).to_contain_text("No account, nothing to pay, nothing to set up.")
    expect(steps).to_contain_text(NO_MODEL)
    assert findings_in(page) == []
    assert not page.evaluate(TOO_WIDE)
    steps.get_by_role("link", name="Connect a model").click()
    expect(page).to_have_url(f"{voiced.url}/#/settings/models")
    page.go_back()

    steps.get_by_role("button", name="Chat with").press("Enter")
    say(page, "Good evening.")
    expect(messages(page).last).to_contain_text(NO_MODEL)
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", name="Continue a chat")).to_be_visible()
    expect(steps).to_have_count(0)


def test_a_new_user_tells_their_name_once_and_it_is_used(voiced: House) -> None:
    """U13: asked for on the first run, skippable, kept; in another browser too."""
    page = voiced.visit(viewport=PHONE)
    question = page.get_by_role("form", name="Your name")
    button(question, "Skip").click()
    expect(question).to_have_count(0)
    page.reload()
    expect(page.get_by_role("heading", name="Welcome to Everlore")).to_be_visible()
    expect(question).to_have_count(0)

    page = voiced.visit()
    page.get_by_label("What should your characters call you?").fill("Ana")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Welcome to Everlore, Ana")).to_be_visible()
    expect(question).to_have_count(0)
    page = voiced.visit()
    expect(page.get_by_role("heading", name="Welcome to Everlore, Ana")).to_be_visible()
    button(page.get_by_role("region", name="Get started"), "Chat with Nova").click()
    say(page, "Hello!")
    expect(messages(page).last).to_contain_text("Ana")


def test_what_is_learned_is_shown_on_the_start_page_as_about_you(voiced: House) -> None:
    """U5: the newest memories about the reader, addressed to them, and live."""
    page, home = voiced.visit(), voiced.visit()
    button(page.get_by_role("region", name="Get started"), "Chat with Nova").click()
    say(page, "I live in Porto.")

    latest = home.get_by_role("region", name="Latest memories about you")
    expect(latest).to_contain_text("You live in Porto")
    latest.get_by_role("link", name="You live in Porto").click()
    expect(home.get_by_role("main")).to_contain_text("Porto")


def test_the_demo_is_opened_and_removed_with_one_click_each(voiced: House) -> None:
    """U13, M13: characters, chats, memories and a campaign, through the import; nothing of it stays."""
    page = voiced.visit()
    button(page, "Open the demo").click()
    demo = page.get_by_role("region", name="Demo")
    expect(page.get_by_role("heading", name="Welcome to Everlore")).to_be_visible()
    expect(page.get_by_role("button", name="Tamsin Vale")).to_contain_text("Demo")
    expect(page.get_by_role("button", name="Nova")).not_to_contain_text("Demo")
    expect(page.get_by_role("link", name="The night of the storm")).to_contain_text("Demo")
    # It says where to begin, and what is asked there has an answer.
    question = "What happened in the storm?"
    expect(demo).to_contain_text(question)
    demo.get_by_role("link", name="Open the chat").click()
    expect(messages(page).first).to_contain_text("You are letting the sea in.")
    say(page, question)
    expect(messages(page).last).to_contain_text("You rowed out in the storm with a letter from Jonah")
    say(page, "I am back, and the harbor is open again.")
    expect(button(page, "Built-in replies")).to_be_visible()
    page.get_by_role("link", name="Home").click()
    expect(demo).to_contain_text("Open the chat “The night of the storm”")
    page.goto(f"{voiced.url}/#/campaigns")
    expect(page.get_by_role("link", name="The Silent Bell")).to_be_visible()
    page.goto(f"{voiced.url}/#/people")
    expect(page.get_by_role("region", name="Your personas")).to_contain_text("Wren Hollis")
    page.get_by_role("link", name="Home").click()
    page.get_by_role("link", name="The Silent Bell, session 1").click()
    said = messages(page).filter(has_text="What is the time IRL")
    expect(said.get_by_text("Hal", exact=True)).to_be_in_viewport()

    page.goto(f"{voiced.url}/#/settings/data")
    button(demo, "Remove the demo").click()
    button(page.get_by_role("dialog"), "Remove").click()
    expect(button(demo, "Open the demo")).to_be_visible()
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("region", name="Get started")).to_be_visible()
    assert voiced.ask(page, "GET", "/api/memories")["items"] == []
    assert [each["name"] for each in voiced.ask(page, "GET", "/api/characters?kind=character")["items"]] == ["Nova"]


def test_what_waits_is_told_and_leads_there(house: House) -> None:
    """U10, U12: a session in progress and a contradiction are on the start page."""
    page = house.visit()
    campaign = house.ask(page, "POST", "/api/campaigns", data={"name": "The Silent Bell"})["id"]
    house.ask(page, "POST", f"/api/campaigns/{campaign}/sessions", data={})
    for town in ("Orne", "Tarn"):
        said = {"content": f"Reth lives in {town}."}
        house.ask(page, "POST", f"/api/campaigns/{campaign}/memories", data=said)
    page.reload()
    waiting = page.get_by_role("region", name="Needs your attention")
    expect(waiting).to_contain_text("The Silent Bell: Session 1 is in progress")
    waiting.get_by_role("link", name="The Silent Bell: 1 suggestion to review").click()
    expect(page.get_by_role("article", name="Contradiction")).to_contain_text("Tarn")


def test_the_first_message_is_acknowledged_with_what_was_learned(voiced: House) -> None:
    """U5, U13: with the built-in voice too; on a phone no button and no reply is covered; the name is used."""
    page = voiced.visit(viewport=PHONE)
    button(page.get_by_role("region", name="Get started"), "Chat with Nova").click()
    say(page, "My name is Ana and I live in Porto.")

    toasts = page.locator(".toast")
    expect(toasts).to_have_count(2)
    lives = toasts.filter(has_text="You live in Porto")
    expect(messages(page).last).to_contain_text(NO_MODEL)
    lives.hover()  # it stays as long as the pointer is on it
    # They cover neither the head of the chat nor the reply, and leave the chat where it was.
    head = page.get_by_role("main").locator("header").first
    eventually(lambda: max(map(bottom_of, toasts.all())) <= measured(messages(page).last)["y"])
    eventually(lambda: bottom_of(head) <= min(measured(each)["y"] for each in toasts.all()))
    eventually(lambda: bottom_of(head) == measured(page.get_by_role("log"))["y"])
    eventually(lambda: measured(head)["y"] == measured(page.get_by_role("main"))["y"])
    assert not page.evaluate(TOO_WIDE)

    page.set_viewport_size({"width": 1280, "height": 800})
    lives.hover()
    title, switch = page.get_by_role("heading", level=1), page.get_by_role("switch", name="Private")
    for each in toasts.all():
        # On a desktop they cover neither the title nor the buttons.
        eventually(lambda each=each: right_of(title) <= measured(each)["x"])  # type: ignore[misc]
        eventually(lambda each=each: right_of(each) <= measured(switch)["x"])  # type: ignore[misc]

    card = voiced.visit("/#/people/user")
    expect(card.get_by_role("heading", level=1)).to_have_text("Ana")
    expect(card.get_by_label("Name")).to_have_value("User")
    expect(card.get_by_role("main")).to_contain_text("You are shown as “Ana” until you set one.")
    expect(card.get_by_role("main")).not_to_contain_text("may let secrets slip")
    expect(card.get_by_role("main")).not_to_contain_text("per prompt")

    other = voiced.visit()
    expect(other.get_by_role("heading", name="Welcome back, Ana")).to_be_visible()
    expect(other.get_by_role("form", name="Your name")).to_have_count(0)
    button(lives, "Undo").click()
    expect(lives).to_have_count(0)
    expect(other.get_by_role("main")).not_to_contain_text("You live in Porto")
    expect(other.get_by_role("heading", name="Welcome back, Ana")).to_be_visible()
    button(toasts, "Undo").click()
    expect(toasts).to_have_count(0)
    expect(other.get_by_role("heading", name="Welcome back", exact=True)).to_be_visible()
    expect(other.get_by_role("region", name="Latest memories about you")).to_have_count(0)
