"""One long visit with the keyboard alone, from the first message to the end of a session (U13). Start at `Typist`."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.house import House, composer, messages, replied
from tests.waiting import eventually

pytestmark = pytest.mark.browser

CARD = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Ziva", "description": "Keeps bees."}}
MOST_TABS = 120
HAS_FOCUS = "(each) => each === document.activeElement"
IS_LOST = "document.activeElement === document.body"
# Drawn around it, or around the field that it is in; an entry of a menu or of a list has another ground.
SHOWS_FOCUS = """() => {
  const focused = document.activeElement;
  const drawn = (each) => each
    && (getComputedStyle(each).outlineStyle !== "none" || getComputedStyle(each).boxShadow !== "none");
  return drawn(focused) || drawn(focused.parentElement) || drawn(focused.closest("form"))
    || /^(menuitem|option)/.test(focused.getAttribute("role") ?? "");
}"""


class Typist:
    """Has no mouse: reaches everything with the Tab key, and sees where they are."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def reaches(self, target: Locator) -> None:
        expect(target).to_be_visible()
        for _ in range(MOST_TABS):
            if target.evaluate(HAS_FOCUS):
                assert self.page.evaluate(SHOWS_FOCUS), f"the focus cannot be seen on {target}"
                return
            self.page.keyboard.press("Tab")
        pytest.fail(f"the Tab key does not lead to {target}")

    def presses(self, name: str | re.Pattern[str], *, within: Locator | None = None, role: str = "button") -> None:
        found = (within or self.page.locator("body")).get_by_role(role, name=name)  # type: ignore[arg-type]
        self.reaches(found.first)
        self.page.keyboard.press("Enter")

    def writes(self, target: Locator, text: str) -> None:
        self.reaches(target)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)

    def chooses(self, select: Locator, label: str) -> None:
        """As one types the name of a choice."""
        self.reaches(select)
        self.page.keyboard.type(label)
        expect(select.locator("option:checked")).to_have_text(label)

    def picks(self, choice: str) -> None:
        item = self.page.get_by_role("menuitem", name=choice)
        for _ in range(MOST_TABS):
            if item.evaluate(HAS_FOCUS):
                break
            self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Enter")

    def commands(self, words: str) -> None:
        self.page.keyboard.press("Control+k")
        expect(self.page.get_by_role("combobox", name="Search and commands")).to_be_focused()
        self.page.keyboard.type(words)
        expect(self.page.get_by_role("option", selected=True)).to_contain_text(re.compile(words, re.IGNORECASE))
        self.page.keyboard.press("Enter")

    def is_somewhere(self) -> None:
        eventually(lambda: not self.page.evaluate(IS_LOST))


def test_everything_is_done_with_the_keyboard_alone(voiced: House) -> None:
    """U13, U14: a first chat, memories, search, the palette, an import, a model and a campaign; the focus is always
    seen, and never lost."""
    page = voiced.visit(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    typist = Typist(page)
    _talks(typist)
    _tidies_memories(typist)
    _imports(typist)
    _connects(typist, voiced.model.url)
    _plays(typist)


def _talks(typist: Typist) -> None:
    page = typist.page
    typist.presses("Chat with Nova")
    expect(composer(page)).to_be_focused()
    page.keyboard.type("My name is Nora and I live in Porto.")
    page.keyboard.press("Enter")
    replied(page, 3)
    page.keyboard.type("I like green tea.")
    page.keyboard.press("Enter")
    replied(page, 5)
    typist.presses("Memories used for this reply", within=messages(page).last)
    expect(page.get_by_role("tab", name="Sources")).to_be_focused()
    page.keyboard.press("Escape")
    typist.is_somewhere()
    typist.presses("People", role="link")
    typist.presses("Nova", within=page.get_by_role("main"), role="link")
    expect(page.get_by_role("heading", name="Nova", level=1)).to_be_visible()


def _tidies_memories(typist: Typist) -> None:
    page = typist.page
    typist.presses("Memories", within=page.get_by_role("navigation", name="Main"), role="link")
    typist.presses("More actions: You live in Porto")
    typist.picks("Edit")
    dialog = page.get_by_role("dialog")
    typist.writes(dialog.get_by_role("textbox", name=re.compile("^Memory")), "User lives in Braga")
    typist.presses("Save", within=dialog)
    expect(dialog).to_have_count(0)
    typist.is_somewhere()
    tea = page.get_by_role("article").filter(has_text="green tea")
    typist.presses(re.compile("^Forget: .*green tea"))
    expect(tea).to_have_count(0)
    typist.is_somewhere()
    typist.presses("Undo", within=page.locator(".toast").filter(has_text="Forgotten: "))
    expect(tea).to_be_visible()
    typist.is_somewhere()

    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search memories")).to_be_focused()
    page.keyboard.type("Braga")
    expect(page.get_by_role("list", name="Results", exact=True)).to_contain_text("You live in Braga")


def _imports(typist: Typist) -> None:
    page = typist.page
    typist.commands("People")
    expect(page.get_by_role("heading", name="People", level=1)).to_be_visible()
    typist.is_somewhere()
    with page.expect_file_chooser() as chooser:
        typist.presses("Import character")
    card = {"name": "card.json", "mimeType": "application/json", "buffer": json.dumps(CARD).encode()}
    chooser.value.set_files(card)  # type: ignore[arg-type]
    report = page.get_by_role("dialog", name="Ziva imported")
    expect(report).to_be_visible()
    page.keyboard.press("Escape")
    expect(report).to_have_count(0)
    expect(page.get_by_role("button", name="Import character")).to_be_focused()


def _connects(typist: Typist, url: str) -> None:
    page = typist.page
    typist.commands("Connect a model")
    replies = page.get_by_role("article", name="Replies")
    typist.presses("Change", within=replies)
    form = replies.locator("form")
    typist.is_somewhere()
    radio = form.get_by_role("radio", name="Other")
    typist.reaches(form.get_by_role("radio", checked=True))
    while not radio.is_checked():
        page.keyboard.press("ArrowDown")
    typist.writes(form.get_by_label("Address"), url)
    page.keyboard.press("Tab")
    models = form.get_by_role("combobox", name="Model")
    typist.chooses(models, "fine-model")
    typist.presses("Connect", within=form)
    expect(form).to_have_count(0)
    typist.is_somewhere()
    expect(replies).to_contain_text("fine-model")


def _plays(typist: Typist) -> None:
    page = typist.page
    typist.commands("Create a campaign")
    typist.presses("New campaign")
    dialog = page.get_by_role("dialog", name="New campaign")
    typist.writes(dialog.get_by_label("Name", exact=True), "The Drowned Bell")
    typist.presses("Save", within=dialog)
    expect(page.get_by_role("heading", level=1)).to_have_text("The Drowned Bell")
    typist.is_somewhere()
    typist.presses("Sessions", role="link")
    typist.presses("Start session")
    typist.chooses(page.get_by_role("combobox", name=re.compile("^Chat")), "New chat")
    typist.reaches(page.get_by_role("checkbox", name="Ziva"))
    page.keyboard.press("Space")
    typist.presses("Start", within=page.get_by_role("main").locator("form"))
    tools = page.get_by_role("group", name="Session")
    expect(tools).to_be_visible()
    typist.is_somewhere()
    typist.writes(composer(page), "We row to the island.")
    page.keyboard.press("Enter")
    expect(messages(page).last).to_contain_text("ferry")
    typist.presses("End session", within=tools)
    expect(page.get_by_role("heading", name="Session 1")).to_be_visible()
    typist.is_somewhere()
