"""What lies around a talk: pictures and speech, "remember this", the analysis, the command palette
(U8, U13, V4, V17)."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.house import House, answering, button, composer, messages, more, say
from tests.models.chat_server import TEXT

pytestmark = pytest.mark.browser

ANALYSIS = {
    "memories": [],
    "summary": "They speak of the ferry that leaves at dawn.",
    "themes": ["trust", "the sea"],
    "tone": "wry, then tender",
    "emotional_arc": ["open quarrel", "talk of tides", "relief"],
    "participants": ["Mira", "User"],
    "key_topics": ["the brass key"],
}
TITLE = '{"title": "Ferries at dawn", "icon": "sailing"}'


def test_pictures_and_speech_that_a_reply_asks_for_are_shown(house: House) -> None:
    """V4: as what was asked for, and as text only."""
    house.model.scenario = answering("Look. ${image.harbour,<img src=x onerror=alert(1)>} ${audio.Mind the step.}")
    page = house.visit()
    house.talk(page)
    say(page, "Show me.")
    media = messages(page).last.get_by_role("list", name="Images and audio").get_by_role("listitem")
    expect(media).to_have_count(2)
    expect(media.first).to_contain_text("Image: harbour,<img")
    expect(media.last).to_contain_text("Audio: Mind the step.")
    expect(messages(page).last).not_to_contain_text("${")


def test_a_selection_is_remembered(house: House) -> None:
    """V17: with its words as the quote and the message as its source; a whole message from its menu."""
    page = house.visit()
    id = house.talk(page)
    say(page, "My sister Ana lives in Porto, by the river.")
    expect(messages(page)).to_have_count(3)
    messages(page).nth(1).locator("p").first.click(click_count=3)
    button(page, "Remember this").click()
    dialog = page.get_by_role("dialog", name="Remember this")
    expect(dialog.get_by_label("What to remember")).to_have_value("My sister Ana lives in Porto, by the river.")
    dialog.get_by_label("What to remember").fill("Ana, the sister, lives in Porto.")
    dialog.get_by_label("Why it matters").fill("They miss each other.")
    button(dialog, "Remember").click()
    expect(page.get_by_role("status").filter(has_text="Saved to memories.")).to_be_visible()
    source = house.ask(page, "GET", f"/api/conversations/{id}/messages")["items"][1]["id"]
    kept = house.ask(page, "GET", f"/api/memories?conversation_id={id}")["items"]
    (pinned,) = [each for each in kept if "Ana, the sister" in each["content"]]
    assert pinned["source_message_ids"] == [source]

    more(page, messages(page).last, "Remember this")
    expect(dialog.get_by_label("What to remember")).to_have_value(TEXT)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_the_analysis_is_shown_with_its_arc_and_history(house: House) -> None:
    """U8: themes, tone, arc, counts; what was found before can still be read."""
    page = house.visit(viewport={"width": 1300, "height": 900})
    house.talk(page)
    say(page, "When does it leave?")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ferries at dawn")
    button(page, "Chat options").click()
    page.get_by_role("menuitem", name="Analyze").click()
    dialog = page.get_by_role("dialog", name="Analysis")
    expect(dialog).to_contain_text("No analysis yet.")

    house.model.by_model["titles"] = answering(json.dumps(ANALYSIS))
    button(dialog, "Analyze now").click()
    expect(dialog).to_contain_text("They speak of the ferry that leaves at dawn.")
    for words in ("wry, then tender", "trust", "the sea", "the brass key", "3 messages", "2 participants"):
        expect(dialog).to_contain_text(words)
    arc = dialog.get_by_role("img", name="The emotional arc: open quarrel, then talk of tides, then relief")
    heights = [
        float(each) for each in arc.locator("circle").evaluate_all("(all) => all.map((each) => each.cy.baseVal.value)")
    ]
    assert heights == sorted(heights, reverse=True), "it rises"

    house.model.by_model["titles"] = answering(json.dumps({**ANALYSIS, "summary": "Of the ferry at dawn, once more."}))
    button(dialog, "Analyze again").click()
    expect(dialog).to_contain_text("Of the ferry at dawn, once more.")
    history = dialog.get_by_label("History")
    expect(history.locator("option")).to_have_count(2)
    history.select_option(index=1)
    expect(dialog).to_contain_text("They speak of the ferry")
    house.model.by_model["titles"] = answering(TITLE)


def test_the_command_palette_leads_everywhere_by_keyboard(house: House) -> None:
    """U13: places, conversations, people and actions; from a text field too."""
    page = house.visit()
    mira = house.character(page, name="Zora Palette", greetings=[])
    id = house.talk(page, name="Yann Palette")
    page.reload()
    expect(composer(page)).to_be_focused()
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search and commands")
    expect(field).to_be_focused()
    page.keyboard.type("zora")
    options = page.get_by_role("listbox", name="Results").get_by_role("option")
    expect(options).to_have_count(2)
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"#/people/{mira}$"))
    expect(page).to_have_title("Zora Palette · Everlore")

    _run(page, "yann chat")
    expect(page).to_have_url(re.compile(f"#/c/{id}$"))
    # A dialog goes with its page.
    expect(composer(page)).to_be_focused()
    _run(page, "make private")
    expect(page.get_by_role("switch", name="Private")).to_be_checked()
    page.keyboard.press("Control+k")
    page.keyboard.type("new palette")
    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(re.compile(id))
    expect(composer(page)).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("no such thing")
    expect(page.get_by_role("dialog")).to_contain_text("No results for “no such thing”.")
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    expect(composer(page)).to_be_focused()


def test_the_palette_finds_commands_by_other_words_recent_chats_and_memories(voiced: House) -> None:
    """U13: dark, export, demo and the like; what was said last comes first; a memory by what it says."""
    page = voiced.visit()
    voiced.ask(page, "POST", "/api/memories", data={"content": "User collects paper lanterns"})
    id = voiced.talk(page, name="Yann Recent")
    options = page.get_by_role("listbox", name="Results").get_by_role("option")
    page.keyboard.press("Control+k")
    expect(options.first).to_contain_text("Chat with Yann Recent")
    expect(options.filter(has_text="Templates")).to_contain_text("Actions")
    expect(options.filter(has_text="Memories")).to_contain_text("Pages")
    expect(options.filter(has_text="Search and commands")).to_have_count(0)
    for word, label in {
        "theme": "Switch to the dark theme",
        "backup": "Export",
        "upload": "Import",
        "create": "Create a character",
        "ollama": "Connect a model",
        "incognito": "Make this chat private",
        "sample": "Open the demo",
        "remember": "Add a memory",
    }.items():
        page.get_by_role("combobox", name="Search and commands").fill(word)
        expect(options.filter(has_text=label)).to_have_count(1)
    page.keyboard.press("Escape")

    _run(page, "dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.keyboard.press("Control+k")
    page.keyboard.type("paper lanterns")
    lanterns = options.filter(has_text="You collect paper lanterns")
    expect(lanterns).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#/m/"))
    assert id not in page.url


def test_the_palette_finds_messages_and_leads_to_them(voiced: House) -> None:
    """U13: what was said, in whichever chat; but not in a private one."""
    page = voiced.visit()
    yann = voiced.character(page, name="Yann Potter")
    id = voiced.told(page, yann, ["The kiln cracked overnight."])
    voiced.told(page, yann, ["The kiln cracked at noon."], config={"private": True})
    options = page.get_by_role("listbox", name="Results").get_by_role("option")
    page.keyboard.press("Control+k")
    page.keyboard.type("kiln cracked")
    found = options.filter(has_text="Messages")
    expect(found).to_have_count(1)
    expect(found).to_contain_text("The kiln cracked overnight.")
    found.click()
    expect(page).to_have_url(re.compile(f"{id}.*at="))
    expect(messages(page).filter(has_text="overnight").first).to_be_in_viewport()


def _run(page: Page, words: str) -> None:
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search and commands")).to_be_focused()
    page.keyboard.type(words)
    page.keyboard.press("Enter")


def test_those_who_hear_the_page_hear_that_a_reply_begins_and_then_all_of_it(house: House) -> None:
    """U13: "replying…" first, and the finished text once, in a region that is read out."""
    house.model.scenario = "stall"
    page = house.visit()
    house.talk(page, name="Odile")
    spoken = page.locator("[aria-live=polite]").last
    say(page, "When?")
    expect(spoken).to_have_text("Odile is replying…")
    house.model.release()
    expect(spoken).to_have_text(f"Odile: {TEXT}")
    heard: list[Any] = page.get_by_role("log").evaluate("(log) => [log.getAttribute('aria-live')]")
    assert heard == ["off"], "the log is not read out piece by piece"
