"""Seven stories of everyday use, each on a desktop with the keyboard alone and on a phone with taps (U14 to U19).

Where a story stops, nothing on the page is wider than the window. Start at `Visitor`.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.house import TOO_WIDE, House, composer, messages
from tests.cli.process import Command

pytestmark = pytest.mark.browser

DESKTOP = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "reduced_motion": "reduce"}
ROVING = "(each) => each.tabIndex >= 0 || /^(menuitem|tab|option)/.test(each.getAttribute('role') ?? '')"


# After the next frame, when all that moves or fades has come to rest.
STILL = """async () => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const ends = (each) => Number.isFinite(each.effect?.getComputedTiming().endTime);
  await Promise.all(document.getAnimations().filter(ends).map((each) => each.finished.catch(() => null)));
}"""


class Visitor:
    """One who uses the page: by keyboard on a desktop, by touch on a phone."""

    def __init__(self, house: House, look: dict[str, Any]) -> None:
        self.house = house
        self.page: Page = house.visit(**look)
        self.touches: bool = look.get("has_touch", False)

    def go(self, address: str = "") -> None:
        self.page.goto(f"{self.house.url}/#/{address}")

    def does(self, target: Locator, key: str = "Enter") -> None:
        if self.touches:
            target.tap()
            return
        # A list hides its rows until they are measured, and what is hidden takes no focus.
        expect(target).to_be_visible()
        assert target.evaluate(ROVING), "the Tab key does not lead there"
        target.press(key)

    def checks(self, box: Locator) -> None:
        self.does(box, key="Space")
        expect(box).to_be_checked()
        if not self.touches:
            expect(box).to_be_focused()

    def presses(self, name: str, within: Page | Locator | None = None) -> None:
        self.does((within or self.page).get_by_role("button", name=name, exact=True).first)

    def picks(self, menu: str, choice: str) -> None:
        self.does(self.page.get_by_role("button", name=menu, exact=True).first)
        self.does(self.page.get_by_role("menuitem", name=choice, exact=True))

    def says(self, text: str) -> None:
        box = composer(self.page)
        box.fill(text)
        if self.touches:
            self.presses("Send")
        else:
            box.press("Enter")
        expect(box).to_have_value("")

    def looks(self) -> None:
        """Nothing is wider than the window."""
        self.page.evaluate(STILL)
        assert not self.page.evaluate(TOO_WIDE)

    def chats(self) -> Locator:
        panel = self.page.get_by_role("complementary", name="Chats")
        rail = self.page.get_by_role("navigation", name="Main")
        if rail.get_by_role("button", name="Chats").get_attribute("aria-expanded") != "true":
            self.presses("Chats", rail)
        return panel


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """No model: the built-in voice replies, and rules learn."""
    quiet = Command(
        tmp_path_factory.mktemp("house"), EVERLORE_CHAT__PROVIDER="voice", EVERLORE_EMBEDDING__PROVIDER="hashing"
    )
    with quiet.started("serve", "--port", "0") as server:
        yield server.line()


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def look(request: pytest.FixtureRequest) -> dict[str, Any]:
    look: dict[str, Any] = request.param
    return look


@pytest.fixture
def visitor(house: House, look: dict[str, Any]) -> Iterator[Visitor]:
    visitor = Visitor(house, look)
    yield visitor
    house.ask(visitor.page, "PUT", "/api/models", data={"chat": None})


@pytest.fixture
def newcomer(voiced: House, look: dict[str, Any]) -> Visitor:
    """In a new house, where nothing was said yet."""
    return Visitor(voiced, look)


def test_i_say_who_i_am_and_read_it_in_my_own_terms(newcomer: Visitor) -> None:
    """U17: what was learned says “You”, also as a source; my name is used; a title is never cut from a name."""
    page = newcomer.page
    newcomer.presses("Chat with Nova")
    newcomer.says("My name is Nora and I live in Porto.")
    expect(page.locator(".toast").filter(has_text="You live in Porto")).to_be_visible()
    expect(page.get_by_role("log").locator(".day").first).to_be_visible()
    newcomer.says("My friends call me Noor.")
    expect(page.locator(".toast").filter(has_text="You go by Noor")).to_be_visible()
    newcomer.says("Where do I live?")
    expect(messages(page).last).to_contain_text("You live in Porto")
    newcomer.does(messages(page).last.get_by_role("button", name="Memories used for this reply"))
    sources = page.get_by_role("list", name="Memories used for this reply")
    expect(sources).to_contain_text("You live in Porto")
    expect(sources.get_by_role("list", name="Why it was found").first).to_be_visible()
    newcomer.looks()

    newcomer.go("people")
    expect(page.get_by_role("link", name=re.compile("Noor You"))).to_be_visible()
    newcomer.go()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome back, Noor")
    newcomer.go("memories")
    expect(page.get_by_role("article").filter(has_text="You live in Porto")).to_have_count(1)
    newcomer.looks()
    captain = newcomer.house.character(page, name="Old Marlow", greetings=[])
    talk = newcomer.house.ask(page, "POST", "/api/conversations", data={"character_id": captain})["id"]
    prompt = newcomer.house.ask(page, "POST", f"/api/conversations/{talk}/prompt", data={"content": "Ahoy."})
    assert re.findall(r"\bOld (?!Marlow)\S+|\bas Old\b(?! Marlow)", json.dumps(prompt["messages"])) == []
    assert "Old Marlow" in json.dumps(prompt["messages"])


def test_i_open_the_demo_carry_a_chat_on_and_remove_it_again(newcomer: Visitor) -> None:
    """U15: the start page says what this is; the demo is there to be continued, is weeks old, and goes when I want."""
    page = newcomer.page
    expect(page.get_by_role("main")).to_contain_text("chat with AI characters who remember you")
    newcomer.looks()
    if newcomer.touches:
        newcomer.presses("Open the demo")
    else:
        page.keyboard.press("Control+k")
        page.get_by_role("dialog").get_by_role("combobox").fill("demo")
        page.keyboard.press("Enter")
    list = newcomer.chats().get_by_role("list", name="Recent")
    expect(list.get_by_role("listitem")).to_have_count(4)
    days = {each.get_attribute("datetime") or "" for each in list.locator("time").all()}
    assert len({day[:10] for day in days}) == 4
    newcomer.does(list.get_by_role("link", name=re.compile("The night of the storm")))
    newcomer.says("The harbor is open again.")
    expect(page.get_by_role("button", name="Built-in replies")).to_be_visible()

    newcomer.go("settings/data")
    demo = page.get_by_role("region", name="Demo").last
    expect(demo).to_contain_text("Tamsin Vale")
    newcomer.looks()
    newcomer.presses("Remove the demo", demo)
    newcomer.presses("Remove", page.get_by_role("dialog"))
    expect(demo.get_by_role("button", name="Open the demo")).to_be_visible()
    newcomer.go()
    expect(page.get_by_role("heading", name=re.compile("Welcome to Everlore"))).to_be_visible()


def test_i_keep_my_chats_in_order_and_find_what_was_said(visitor: Visitor) -> None:
    """U16: rename, pin, close and reopen by writing; find a word everywhere and in one chat; read up to the start."""
    page, house = visitor.page, visitor.house
    wren = house.character(page, name="Wren", greetings=[])
    lines = [f"Evening number {number}." for number in range(130)]
    lines[7] = "We found the brass sextant."
    house.told(page, wren, lines, title="Long winter", config={"auto_title": False, "extract_facts": False})
    page.reload()

    visitor.chats()
    visitor.picks("Options for Long winter", "Pin")
    expect(visitor.chats().get_by_role("list", name="Pinned")).to_contain_text("Long winter")
    visitor.picks("Options for Long winter", "Rename")
    field = page.get_by_role("textbox", name="Chat title")
    field.fill(f"Winter {wren[:4]}")
    field.press("Enter")
    visitor.chats().get_by_role("searchbox").fill("brass sextant")
    hits = page.get_by_role("list", name="Messages").get_by_role("link")
    expect(hits.first).to_contain_text("You: We found the brass sextant.")
    visitor.looks()
    visitor.does(hits.first)
    expect(messages(page).filter(has_text="brass sextant")).to_be_in_viewport()

    visitor.presses("Jump to latest")
    expect(messages(page).filter(has_text="Evening number 129.")).to_be_in_viewport()
    visitor.picks("Chat options", "Search in this chat")
    bar = page.get_by_role("search", name="Search in this chat")
    bar.get_by_role("searchbox").fill("sextant")
    expect(bar.get_by_role("status")).to_have_text("1 of 1")
    visitor.looks()
    visitor.presses("Beginning", bar)
    expect(messages(page).filter(has_text="Evening number 0.")).to_be_in_viewport()

    visitor.picks("Chat options", "Close")
    expect(page.get_by_role("note", name="Chat state")).to_contain_text("This chat is closed.")
    visitor.says("One more thing.")
    expect(page.get_by_role("note", name="Chat state")).to_be_hidden()
    visitor.chats().get_by_role("searchbox").fill("")
    visitor.picks(f"Options for Winter {wren[:4]}", "Archive")
    expect(page.get_by_text(re.compile(r"Archived \(\d+\)"))).to_be_visible()


def test_i_connect_a_model_and_set_up_one_chat(visitor: Visitor) -> None:
    """U19: a wrong address is told before it is saved; its models are listed; one chat is set up."""
    page, house = visitor.page, visitor.house
    house.model.told = {"max_model_len": 16_384}
    visitor.go("settings/models")
    replies = page.get_by_role("article", name="Replies")
    visitor.presses("Change", replies)
    form = replies.locator("form")
    visitor.checks(form.get_by_role("radio", name="Other"))
    form.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    form.get_by_role("textbox", name="Model").fill("some-model")
    visitor.presses("Connect", form)
    expect(form.get_by_role("status")).to_contain_text("Can't reach http://127.0.0.1:9/v1.")
    assert house.ask(page, "GET", "/api/models")["chat"]["built_in"]
    form.get_by_label("Address").fill(house.model.url)
    form.get_by_label("Address").blur()
    form.get_by_role("combobox", name="Model").select_option("fine-model")
    expect(form.get_by_role("button", name="Load models")).to_be_enabled()
    visitor.looks()
    visitor.presses("Connect", form)
    expect(form).to_have_count(0)
    expect(replies).to_contain_text("Context window: 16,384 tokens.")

    house.talk(page, name="Ilka")
    visitor.presses("Chat details")
    visitor.does(page.locator("summary", has_text=re.compile("^Model$")))
    for label, value in (("Temperature", "0.3"), ("Maximum reply length", "77"), ("Top P", "0.8")):
        field = page.get_by_label(re.compile(label, re.IGNORECASE)).first
        field.fill(value)
        field.blur()
    visitor.does(page.locator("summary", has_text=re.compile("^Prompt$")))
    page.get_by_label("System prompt", exact=True).fill("Speak like a beekeeper.")
    page.get_by_label("System prompt", exact=True).blur()
    for changed in ("3 changed", "1 changed"):
        expect(page.get_by_text(changed)).to_be_visible()
    visitor.looks()
    if visitor.touches:
        page.keyboard.press("Escape")
    visitor.says("Good morning.")
    expect(messages(page)).to_have_count(3)
    sent = next(each.body for each in house.model.asked_to_chat if "beekeeper" in str(each.body))
    assert (sent["temperature"], sent["top_p"]) == (0.3, 0.8)


def test_i_tidy_my_memories(visitor: Visitor) -> None:
    """U5: found with reasons, merged into a sentence that is proposed, all selected and forgotten, with undo."""
    page, house = visitor.page, visitor.house
    house.ask(page, "GET", "/api/me")
    selma = house.character(page, name="Selma")
    for text in ("Selma drinks green tea", "Selma drinks tea in the morning", "Selma restores old violins"):
        house.ask(page, "POST", "/api/memories", data={"content": text, "person_id": selma})
    visitor.go(f"memories?person={selma}&words=What does Selma do with old violins?")
    results = page.get_by_role("list", name="Results", exact=True)
    violins = results.get_by_role("article").filter(has_text="violins")
    expect(violins.get_by_role("list", name="Why it was found")).to_contain_text("Matches the words")
    visitor.looks()

    visitor.go(f"memories?person={selma}")
    expect(results).to_have_count(0)
    for text in ("Selma drinks green tea", "Selma drinks tea in the morning"):
        visitor.checks(page.get_by_label(f"Select: {text}"))
    bar = page.get_by_role("toolbar", name="Selected memories")
    visitor.presses("Merge", bar)
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Merged text")).to_have_value(re.compile("green tea"))
    visitor.looks()
    visitor.presses("Merge", dialog)
    expect(page.get_by_role("article").filter(has_text="Merged")).to_have_count(1)

    visitor.presses("Select all")
    visitor.presses("Forget", bar)
    visitor.presses("Forget", page.get_by_role("dialog"))
    expect(page.get_by_role("heading", name="No matches")).to_be_visible()
    visitor.presses("Undo")
    expect(page.get_by_role("article").filter(has_text="violins")).to_have_count(1)

    visitor.picks("More actions", "Forget everything about me…")
    dialog = page.get_by_role("dialog", name="Forget everything about me")
    expect(dialog).to_contain_text("about you")
    visitor.looks()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_i_write_world_info_and_see_it_in_the_prompt(visitor: Visitor) -> None:
    """U19: on the character's page; in the prompt view it says why it is there."""
    page, house = visitor.page, visitor.house
    odile = house.character(page, name="Odile", greetings=[])
    visitor.go(f"people/{odile}?tab=lorebooks")
    mine = page.get_by_role("region", name="Lorebooks of Odile", exact=True)
    visitor.presses("New lorebook", mine)
    mine.get_by_label("Lorebook name").fill("Grey Point")
    visitor.presses("Add entry", mine)
    mine.get_by_label("Entry name").fill("Lighthouse")
    mine.get_by_role("textbox", name=re.compile("^Keys")).fill("lighthouse")
    mine.get_by_role("textbox", name="Text", exact=True).fill("It has been dark for ten years.")
    visitor.looks()
    visitor.presses("Save lorebook", mine)
    expect(mine.get_by_role("button", name="Save lorebook")).to_be_disabled()

    talk = house.ask(page, "POST", "/api/conversations", data={"character_id": odile})["id"]
    house.open(page, talk)
    visitor.says("Is anyone in the lighthouse?")
    expect(messages(page)).to_have_count(2)
    visitor.presses("Show prompt")
    entry = page.get_by_role("list", name="Lorebook entries in the prompt").get_by_role("listitem")
    expect(entry).to_contain_text("Lighthouse")
    expect(entry).to_contain_text("Matched key 'lighthouse'")
    visitor.looks()


def test_i_play_somebody_else_in_one_chat(visitor: Visitor) -> None:
    """U19: made on the People page, chosen in the chat, and remembered apart from me."""
    page, house = visitor.page, visitor.house
    cora = house.character(page, name="Cora", greetings=["Good evening, {{user}}."])
    visitor.go("people")
    visitor.presses("Create persona")
    dialog = page.get_by_role("dialog", name="Create persona")
    name = f"Inspector Vale {cora[:4]}"
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_label("Description").fill("A retired detective with a limp.")
    visitor.presses("Create persona", dialog)
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    visitor.looks()

    talk = house.ask(page, "POST", "/api/conversations", data={"character_id": cora})["id"]
    house.open(page, talk)
    visitor.presses("Chat details")
    page.get_by_label("You speak as").select_option(label=f"{name} (you)")
    expect(page).not_to_have_url(re.compile(talk))
    if visitor.touches:
        page.keyboard.press("Escape")
    expect(messages(page).first).to_contain_text(f"Good evening, {name}.")
    visitor.says("I am allergic to lilies.")
    expect(messages(page)).to_have_count(3)
    visitor.presses("What Cora knows about you")
    known = page.get_by_role("list", name="What Cora knows about you")
    expect(known).to_contain_text("allergic to lilies")
    visitor.looks()
    other = house.ask(page, "POST", "/api/conversations", data={"character_id": cora})["id"]
    told = house.ask(page, "POST", f"/api/conversations/{other}/prompt", data={"content": "May I bring lilies?"})
    assert "allergic" not in json.dumps(told["messages"])
