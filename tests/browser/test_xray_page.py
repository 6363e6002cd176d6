"""The x-ray on the page, in a real browser, with a server that really runs (P12, U11, U13, U14)."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.house import (
    SIDEWAYS,
    TOO_WIDE,
    House,
    answering,
    button,
    composer,
    messages,
    more,
    replied,
    say,
    unheard,
)
from tests.models.chat_server import TEXT, ChatServer

pytestmark = pytest.mark.browser

TITLE = "About this chat"
LEAST_CONTRAST = 3.0
# The contrast of each colour in the bar with what lies behind it, as WCAG counts it.
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  return [...document.querySelectorAll(".bar .fill")].map((fill) => {
    const { backgroundColor, borderTopColor, borderTopWidth } = getComputedStyle(fill);
    const drawn = light(borderTopWidth === "0px" ? backgroundColor : borderTopColor);
    return Math.max(drawn, paper) / Math.min(drawn, paper);
  });
}"""


def panel(page: Page) -> Locator:
    return page.get_by_role("complementary", name=TITLE)


def part(within: Locator, name: str) -> Locator:
    return within.get_by_role("region", name=name, exact=True)


def section(within: Locator, name: str) -> Locator:
    return within.locator("li").filter(has=within.page.get_by_text(name, exact=True)).locator("details")


def prompt_of(house: House, page: Page, id: str, **query: str) -> Any:
    return house.ask(page, "GET", f"/api/conversations/{id}/prompt", params=query)


def remembering(house: House, page: Page, *memories: str, **config: Any) -> str:
    """Go to a conversation in which these were said and pinned, and something was answered after them."""
    id = house.talk(page)
    house.ask(page, "PATCH", f"/api/conversations/{id}", data={"config": config})
    for text in memories:
        said = {"content": text, "reply": False}
        message = house.ask(page, "POST", f"/api/conversations/{id}/messages", data=said)["user_message"]
        pin = {"message_ids": [message["id"]], "what": text, "why": "It matters.", "quote": text}
        house.ask(page, "POST", f"/api/conversations/{id}/pins", data=pin)
    house.ask(page, "POST", f"/api/conversations/{id}/messages", data={"content": "What of the key and the lamp?"})
    page.reload()
    expect(messages(page).last).to_contain_text(TEXT)
    return id


# ── of a turn that was ───────────────────────────────────────────────────────────────────────────


def test_the_prompt_of_the_last_reply_is_drawn_as_the_server_tells_it(house: House) -> None:
    """P12, U11: the window in pieces, the sections in order with their words, the memories with their reasons."""
    page = house.visit(viewport={"width": 1400, "height": 900})
    id = remembering(house, page, "Robin holds the brass key.", "The lamp must be lit before dawn.")
    told = prompt_of(house, page, id)
    button(page, "Show prompt").click()
    expect(panel(page).get_by_role("heading", name="Prompt", level=2)).to_have_count(1)

    legend = panel(page).get_by_role("list", name="Context window").get_by_role("listitem")
    used = {each["name"]: each["used"] for each in told["parts"]}
    expect(legend.filter(has_text="Instructions")).to_contain_text(f"{used['system']}")
    expect(legend.filter(has_text="Memories")).to_contain_text(f"{used['recall']}")
    expect(legend.filter(has_text="Reserved for reply")).to_contain_text("1,024 12.5%")
    expect(panel(page)).to_contain_text(f"{told['used']} of {told['window']:,} tokens")
    expect(panel(page)).to_contain_text("Unused: Campaign, Chapter, Session, Tools")
    expect(panel(page).get_by_role("heading", level=3)).to_have_text(
        ["At the start", "Chat", "Before the last message", "Memories"]
    )

    identity = next(each for each in told["sections"] if each["name"] == "identity")
    row = section(part(panel(page), "At the start"), "Identity")
    expect(row).to_contain_text(f"{identity['tokens']} tokens")
    expect(row.locator("pre")).to_be_hidden()
    row.locator("summary").click()
    expect(row.locator("pre")).to_have_text(identity["text"])
    expect(row).to_contain_text("from Base Roleplay")

    memories = panel(page).get_by_role("list", name="Memories in the prompt").locator("> li")
    best = max(told["memories"], key=lambda each: each["score"])
    expect(memories.first).to_contain_text(best["content"])
    expect(memories.first).to_contain_text(re.compile(r"score \d\.\d\d · importance \d"))
    expect(memories.first).to_contain_text("in “Memory”")
    reasons = memories.first.get_by_role("list", name="Why it was found").get_by_role("listitem")
    expect(reasons).to_have_text(best["why"].split(" · "))
    for name in best["parts"]:
        expect(memories.first).to_contain_text(re.compile(rf"{name} \d\.\d\d"))


def test_what_had_no_room_is_named_with_the_reason(house: House) -> None:
    """P12, P10: warnings stand on top; memories that were left out; old messages in short."""
    page = house.visit()
    facts = [f"The lamp number {number} and the brass key hang in cellar {number}." for number in range(8)]
    id = remembering(house, page, *facts, memory_budget=90, message_trim=2)
    told = prompt_of(house, page, id)
    button(page, "Show prompt").click()

    warnings = panel(page).get_by_role("list", name="Warnings").get_by_role("listitem")
    expect(warnings).to_have_text(told["warnings"])
    left_out = [each for each in told["memories"] if each["left_out"]]
    rows = panel(page).get_by_role("list", name="Memories left out").locator("> li")
    expect(rows).to_have_count(len(left_out))
    for each in left_out:
        expect(rows.filter(has_text=each["content"]).filter(has_text=each["left_out"])).not_to_have_count(0)

    talk = part(panel(page), "Chat")
    talk.locator("summary").first.click()
    rows = talk.get_by_role("listitem")
    expect(rows).to_have_count(len(told["talk"]))
    words = {"full": "verbatim", "compressed": "shortened", "placeholder": "omitted"}
    assert len({each["fidelity"] for each in told["talk"]}) > 1
    for row, each in zip(rows.all(), told["talk"], strict=True):
        expect(row).to_contain_text(words[each["fidelity"]])
        expect(row).to_contain_text(f"{each['tokens']} token")


def test_each_reply_tells_what_the_model_was_told_for_it(house: House) -> None:
    """P12: from the menu of a reply; a greeting was asked of nobody."""
    page = house.visit()
    house.talk(page)
    for text, count in (("When does it leave?", 3), ("And when is it back?", 5)):
        say(page, text)
        replied(page, count)

    more(page, messages(page).nth(2), "Show full prompt")
    expect(button(panel(page), "Selected reply")).to_have_attribute("aria-pressed", "true")
    talk = part(panel(page), "Chat")
    expect(talk).to_contain_text("2 verbatim")
    talk.locator("summary").first.click()
    expect(talk.get_by_role("listitem").last).to_contain_text("When does it leave?")
    button(panel(page), "Last reply").click()
    expect(talk).to_contain_text("4 verbatim")
    expect(button(panel(page), "Selected reply")).to_be_hidden()

    messages(page).first.hover()
    button(messages(page).first, "More actions").click()
    expect(page.get_by_role("menuitem", name="Branch from here")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Show full prompt")).to_be_hidden()


def test_the_picture_follows_the_conversation(house: House) -> None:
    """U11: the panel stays while one writes, and shows the newest reply; also of another conversation."""
    page = house.visit(viewport={"width": 1400, "height": 900})
    house.talk(page)
    say(page, "When?")
    expect(messages(page).last).to_contain_text(TEXT)
    first = page.url
    page.keyboard.press("Alt+p")
    expect(part(panel(page), "Chat")).to_contain_text("2 verbatim")

    say(page, "And then?")
    expect(part(panel(page), "Chat")).to_contain_text("4 verbatim")
    expect(composer(page)).to_be_focused()

    house.talk(page, name="Bram")
    expect(panel(page)).to_contain_text("No prompt was sent to a model")
    expect(composer(page)).to_be_focused()
    button(panel(page), "Show preview").click()
    expect(panel(page)).to_contain_text("Base Roleplay")
    page.goto(first)
    button(panel(page), "Last reply").click()
    expect(part(panel(page), "Chat")).to_contain_text("4 verbatim")


def test_the_picture_of_the_first_reply_comes_when_it_is_written(house: House, model: ChatServer) -> None:
    """U11: whoever looks while the first reply is being written sees that reply's prompt, not that of a draft."""
    page = house.visit(viewport={"width": 1400, "height": 900})
    house.talk(page)
    model.scenario = "stall"
    say(page, "When?")
    expect(messages(page).last).to_contain_text("The")
    page.keyboard.press("Alt+p")
    expect(panel(page)).to_contain_text("Writing a reply…")
    expect(button(panel(page), "Last reply")).to_have_attribute("aria-pressed", "true")

    model.release()
    expect(part(panel(page), "Chat")).to_contain_text("2 verbatim")


def test_words_of_others_are_shown_as_they_are(house: House) -> None:
    """S-4: whatever a card says, it is text."""
    page = house.visit()
    hostile = "<img src=x onerror='window.broken = 1'><b>bold</b>"
    made = house.ask(page, "POST", "/api/characters", data={"name": "Bram", "description": hostile})
    id = house.ask(page, "POST", "/api/conversations", data={"character_id": made["id"]})["id"]
    house.open(page, id)
    composer(page).fill(hostile)
    button(page, "Show prompt").click()
    row = section(part(panel(page), "At the start"), "Identity")
    row.locator("summary").click()

    expect(row.locator("pre")).to_contain_text(hostile)
    expect(part(panel(page), "Full text")).to_contain_text(hostile)
    expect(panel(page).locator("img, b")).to_have_count(0)
    assert page.evaluate("window.broken") is None


# ── of a turn that would be ──────────────────────────────────────────────────────────────────────


def test_what_would_be_sent_follows_the_message_field(house: House) -> None:
    """P12: drawn anew when nobody types any more; nothing is written and no model is asked."""
    page = house.visit(viewport={"width": 1400, "height": 900})
    id = house.talk(page)
    before = house.ask(page, "GET", f"/api/conversations/{id}")
    button(page, "Show prompt").click()
    expect(button(panel(page), "Preview next prompt")).to_have_attribute("aria-pressed", "true")
    sent = part(panel(page), "Full text").get_by_role("listitem")
    expect(sent.last).to_contain_text("You are late")

    composer(page).press_sequentially("When does the ferry")
    expect(sent.last).to_contain_text("When does the ferry")
    composer(page).press_sequentially(" leave?")
    expect(sent.last).to_contain_text("When does the ferry leave?")

    assert house.ask(page, "GET", f"/api/conversations/{id}") == before
    assert not [asked for asked in house.model.asked if "When does the ferry" in str(asked)]


def test_a_prompt_that_cannot_be_made_says_why_in_the_words_of_the_server(house: House) -> None:
    """U13: in the panel, and at the edge of the page."""
    page = house.visit()
    unheard(page)
    id = house.talk(page)
    button(page, "Show prompt").click()
    expect(panel(page)).to_contain_text("Base Roleplay")
    house.ask(page, "DELETE", f"/api/conversations/{id}")
    said = page.request.get(f"{house.url}/api/conversations/{id}").json()["detail"]

    composer(page).fill("Are you there?")

    expect(panel(page)).to_contain_text(said)
    expect(page.get_by_role("alert")).to_contain_text(said)
    expect(button(panel(page), "Try again")).to_be_visible()
    house.pardon("status of 404")


# ── the panel ────────────────────────────────────────────────────────────────────────────────────


def test_the_panel_is_opened_and_closed_with_the_keyboard(house: House) -> None:
    """U13: the focus goes into it, and back to where it was."""
    page = house.visit()
    house.talk(page)
    expect(composer(page)).to_be_focused()
    page.keyboard.press("Alt+p")
    expect(panel(page).get_by_role("tab", name="Prompt")).to_be_focused()
    page.keyboard.press("Tab")
    expect(button(panel(page), "Close")).to_be_focused()
    page.keyboard.press("Tab")
    expect(button(panel(page), "Last reply")).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel(page)).to_be_hidden()
    expect(composer(page)).to_be_focused()

    opener = button(page, "Show prompt")
    opener.focus()
    page.keyboard.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    button(panel(page), "Close").click()
    expect(opener).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Alt P")


def test_on_a_phone_the_panel_is_the_page(house: House) -> None:
    """U1, U13: nothing sticks out, all colours can be seen in light and dark, and one finds back."""
    page = house.visit(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    remembering(house, page, "Robin holds the brass key.", "The lamp must be lit.", message_trim=2)
    button(page, "Show prompt").tap()
    dialog = page.get_by_role("dialog", name=TITLE)
    expect(dialog.get_by_role("list", name="Context window")).to_be_visible()
    expect(dialog).to_have_css("width", "320px")
    expect(dialog).to_have_css("height", "640px")
    button(dialog, "Preview next prompt").tap()
    expect(part(dialog, "Full text")).to_be_visible()
    for row in dialog.locator("summary:visible").all():
        row.tap()

    assert not page.evaluate(TOO_WIDE)
    assert dialog.evaluate(SIDEWAYS) == []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        contrasts = page.evaluate(CONTRASTS)
        assert len(contrasts) > LEAST_CONTRAST
        assert min(contrasts) >= LEAST_CONTRAST, scheme
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button(page, "Show prompt")).to_be_focused()
    button(page, "Show prompt").tap()
    expect(dialog).to_be_visible()
    house.open(page, house.told(page, house.character(page), ["Hello."]))
    expect(dialog).to_be_hidden()


# ── the template of a conversation ───────────────────────────────────────────────────────────────


def test_a_conversation_is_given_another_template(house: House) -> None:
    """P1, U4: it is kept, drawn at once, and used by the next reply."""
    house.model.scenario = answering("at noon")
    page = house.visit()
    id = house.talk(page)
    button(page, "Show prompt").click()
    choice = panel(page).get_by_label("Template")
    expect(choice).to_have_value("")
    choice.select_option("SMS Chat")
    expect(section(part(panel(page), "At the start"), "Rules")).to_be_visible()
    expect(panel(page)).to_contain_text(re.compile(r"tokens, .* SMS Chat"))
    assert house.ask(page, "GET", f"/api/conversations/{id}")["config"] == {"template": "sms-chat"}

    page.reload()
    say(page, "When?")
    expect(messages(page).last).to_contain_text("at noon")
    button(page, "Show prompt").click()
    expect(choice).to_have_value("sms-chat")
    expect(panel(page)).to_contain_text("SMS Chat (version 1)")
    choice.select_option("Automatic")
    button(panel(page), "Preview next prompt").click()
    expect(panel(page)).to_contain_text(re.compile(r"tokens, .* Base Roleplay"))
