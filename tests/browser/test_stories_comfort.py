"""Stories of everyday comfort, on a desktop and on a phone: importing old chats, making a template, looking around,
finding things, and being told what went wrong (U2, U6, U9, U11, U13, U18)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from everlore.domain.condition import CIRCUMSTANCES
from tests.browser.axe import findings_in_both
from tests.browser.house import (
    TOO_WIDE,
    House,
    answering,
    button,
    composer,
    measured,
    messages,
    replied,
    right_of,
    say,
    visited,
)
from tests.interchange.exports import chatgpt, claude, zipped
from tests.models.chat_server import ChatServer
from tests.waiting import eventually

pytestmark = pytest.mark.browser

Size = dict[str, Any]
DESKTOP: Size = {"viewport": {"width": 1280, "height": 800}}
PHONE: Size = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
TABLE_NAMES = re.compile(r"\b(?:memory_link|xray|telling|reading|workspace_setting)s?\b|dry_run|[a-z]_[a-z]")
GOSSIP = "Rex lost the silver watch at the card table on the night before the flood"
CODE = "Try this:\n\n```python\nprint('hello')\n```\n"
DROP = """([selector, files]) => {
  const carried = new DataTransfer();
  for (const [name, text] of files) carried.items.add(new File([text], name));
  const at = document.querySelector(selector);
  for (const type of ["dragenter", "dragover", "drop"])
    at.dispatchEvent(new DragEvent(type, { dataTransfer: carried, bubbles: true, cancelable: true }));
}"""
# Labels of the graph that a line or a dot is painted over, or that overlap each other.
COVERED = """() => {
  const labels = [...document.querySelectorAll(".paper .label")];
  const others = [...document.querySelectorAll(".edge, .paper circle")];
  const after = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
  const boxes = labels.map((each) => each.getBoundingClientRect());
  const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return labels.filter((label, at) => others.some((each) => after(label, each))
    || boxes.some((box, other) => other !== at && overlap(box, boxes[at]))).map((each) => each.textContent);
}"""
SCRIPT_BYTES = """() => performance.getEntriesByType("resource")
  .filter(({ name }) => new URL(name).pathname.endsWith(".js"))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)"""
COLORS = "(all) => [...new Set(all.map((each) => getComputedStyle(each).fill))].sort()"


@pytest.fixture(scope="module")
def furnished(chromium: Browser, url: str, model: ChatServer) -> Iterator[House]:
    """The demo is open."""
    model.scenario = "fine"
    with visited(House(chromium, url, model)) as house:
        page = house.visit()
        house.ask(page, "POST", "/api/demo")
        yield house


def is_phone(page: Page) -> bool:
    return bool(page.viewport_size and page.viewport_size["width"] < 700)


def go(page: Page, name: str) -> None:
    """By the rail; on a phone, rare places are in its menu."""
    rail = page.get_by_role("navigation", name="Main")
    if is_phone(page) and rail.get_by_label(name, exact=True).count() == 0:
        button(rail, "More").click()
        page.get_by_role("menuitem", name=name).click()
    else:
        rail.get_by_label(re.compile(f"^{name}")).click()


def no_findings(page: Page) -> None:
    """In both themes, and nothing is cut off at the side."""
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    assert findings_in_both(page) == []
    page.emulate_media(color_scheme="light")
    assert not page.evaluate(TOO_WIDE)


def inside(page: Page, shown: Locator) -> bool:
    """The whole of it is on the screen."""
    box, size = measured(shown), page.viewport_size
    assert size
    return (
        box["x"] >= 0
        and box["y"] >= 0
        and box["x"] + box["width"] <= size["width"]
        and box["y"] + box["height"] <= size["height"]
    )


def apart(one: Locator, other: Locator) -> bool:
    a, b = measured(one), measured(other)
    beside = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
    return beside or a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"]


# ── import: everything somebody has, at once ─────────────────────────────────────────────────────


def _belongings(folder: Path, mark: str) -> list[Path]:
    name = f"Ziva {mark}"
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": name, "description": "Keeps bees."}}
    said = [
        {"user_name": "Bob", "character_name": name, "create_date": "2024-05-03 @16h 08m 31s 123ms"},
        {"name": "Bob", "is_user": True, "send_date": 1_714_752_600_000, "mes": f"My bees of {mark} live on the roof."},
    ]
    book = {"name": f"Garden {mark}", "entries": {"0": {"uid": 0, "key": ["bees"], "content": "They are calm."}}}
    held: dict[str, bytes] = {
        "card.json": json.dumps(card).encode(),
        "chat.jsonl": "\n".join(map(json.dumps, said)).encode(),
        "chatgpt.zip": zipped([chatgpt(f"g-{mark}", f"Ferry times {mark}")]),
        "claude.zip": zipped([claude(f"k-{mark}", f"Bread {mark}")]),
        "book.json": json.dumps(book).encode(),
    }
    for file, data in held.items():
        (folder / file).write_bytes(data)
    return [folder / file for file in held]


@SIZES
def test_somebody_moves_in_with_cards_chats_and_lorebooks(furnished: House, tmp_path: Path, size: Size) -> None:
    """U18: all files at once, a preview in words, one button, a report of what was left out, and the chat is there."""
    page = furnished.visit(**size)
    mark = "phone" if is_phone(page) else "resources"
    go(page, "Settings")
    page.get_by_role("link", name="Data", exact=True).click()
    files = page.get_by_role("list", name="Files to import").locator(":scope > li")
    with page.expect_file_chooser() as chooser:
        button(page, "Choose files").press("Enter")
    chooser.value.set_files(_belongings(tmp_path, mark))
    expect(files).to_contain_text(
        [
            f"A character: Ziva {mark}.",
            f"A chat with Ziva {mark}: 1 message.",
            "1 chat from ChatGPT (4 messages in the file, 2023).",
            re.compile("1 chat from Claude"),
            f"A lorebook: Garden {mark}, with 1 entry, for all chats.",
        ]
    )
    assert not TABLE_NAMES.search(files.first.locator("..").inner_text())
    no_findings(page)

    button(page, "Import 5 files now").press("Enter")
    expect(files.filter(has=page.get_by_text(re.compile("imported")))).to_have_count(5)
    expect(
        files.nth(2).get_by_text("2 pictures and files.").or_(files.nth(2).get_by_text("1 picture or file."))
    ).to_be_visible()
    no_findings(page)
    files.nth(1).get_by_role("link", name="Open chat").click()
    expect(messages(page)).to_contain_text([f"My bees of {mark} live on the roof."])


def test_a_workspace_from_another_installation_is_dropped_on_the_page(furnished: House, voiced: House) -> None:
    """U18: exported there, dropped here; what is new and what is here already is told in words."""
    there = voiced.visit()
    voiced.ask(there, "POST", "/api/memories", data={"content": "User collects blue marbles"})
    exported = there.request.get(f"{voiced.url}/api/export").text()
    page = furnished.visit("/#/settings/data", **DESKTOP)
    expect(button(page, "Choose files")).to_be_visible()
    page.evaluate(DROP, [".zone", [["other.jsonl", exported]]])
    row = page.get_by_role("list", name="Files to import").locator(":scope > li")
    expect(row).to_contain_text("1 memory")
    assert not TABLE_NAMES.search(row.inner_text())
    button(page, "Import now").click()
    expect(row).to_contain_text("Imported: ")
    go(page, "Memories")
    page.get_by_placeholder("Search memories").fill("blue marbles")
    expect(page.get_by_text("You collect blue marbles").first).to_be_visible()


# ── forms: a template without a line of JSON ─────────────────────────────────────────────────────


def _sections(dialog: Locator) -> Locator:
    return dialog.get_by_role("region", name="System prompt").locator("li[data-section]")


def _tried(dialog: Locator) -> Locator:
    return dialog.get_by_role("region", name="Preview").get_by_role("region", name="Full text")


@SIZES
def test_somebody_makes_a_template_in_a_form(furnished: House, size: Size) -> None:
    """U11, P1 to P3: a new section, its place, its condition, a variable; the preview follows; JSON has the same."""
    page = furnished.visit(**size)
    go(page, "Templates")
    dialog = page.get_by_role("dialog").first
    dialog.get_by_role("button", name=re.compile("^SMS Chat")).click()
    button(dialog, "Customize").click()
    name = f"Telegrams {'phone' if is_phone(page) else 'desk'}"
    dialog.get_by_label("Name", exact=True).fill(name)
    expect(_sections(dialog).first).to_contain_text("identity")
    expect(_sections(dialog).first).to_contain_text("from SMS Chat")

    button(dialog, "Add section").click()
    dialog.get_by_label("Section name").fill("weather")
    dialog.get_by_label("Section name").press("Enter")
    weather = dialog.locator("li[data-section=weather]")
    weather.get_by_label("Text, line 1").fill("Mention the weather in .")
    weather.get_by_label("Text, line 1").press("ArrowLeft")
    weather.get_by_label("Insert variable").select_option("setting")
    expect(weather.get_by_label("Text, line 1")).to_have_value("Mention the weather in ${setting}.")
    weather.get_by_label("Text, line 1").fill("Telegrams end with the word STOP.")
    choices = weather.get_by_role("combobox", name="Used")
    expect(choices).to_be_visible()
    values = choices.locator("option").evaluate_all("(all) => all.map((each) => each.value)")
    assert {*CIRCUMSTANCES} <= {*values}, "each condition can be chosen in words"
    choices.select_option(label="Only if memories were found")
    expect(_tried(dialog)).to_contain_text("STOP")
    choices.select_option(label="Not if memories were found")
    expect(_tried(dialog)).not_to_contain_text("STOP")
    choices.select_option(label="Always")
    expect(_tried(dialog)).to_contain_text("STOP")

    last = _sections(dialog).count()
    button(dialog, "Move weather up").click()
    expect(_sections(dialog).nth(last - 2)).to_contain_text("weather")
    expect(button(dialog, "Move weather up")).to_be_focused()
    dialog.get_by_role("tab", name="JSON").click()
    written = json.loads(dialog.get_by_label("Template as JSON").input_value())
    assert written["sections"]["weather"]["content"] == ["Telegrams end with the word STOP."]
    assert list(written["sections"]) == ["weather"], "nothing else was changed"
    dialog.get_by_role("tab", name="Form").click()
    button(dialog, "Save").click()
    expect(dialog).to_contain_text("version 1")
    button(dialog, "Close").click()

    kept = furnished.ask(page, "GET", f"/api/templates/{name}")
    assert [each["name"] for each in kept["resolved"] if each["role"] == "system"][-2] == "weather"
    furnished.talk(page)
    button(page, "Show prompt").click()
    panel = page.get_by_role("tabpanel", name="Prompt")
    panel.get_by_label("Template").select_option(name)
    expect(panel.get_by_text("Weather", exact=True)).to_be_visible()


def test_an_inherited_section_is_changed_left_out_and_reset_by_keyboard(furnished: House) -> None:
    """U11, U13: with Tab and Enter alone; what was done is said to those who cannot see it."""
    page = furnished.visit(**DESKTOP)
    go(page, "Templates")
    dialog = page.get_by_role("dialog").first
    dialog.get_by_role("button", name=re.compile("^Companion")).press("Enter")
    button(dialog, "Customize").press("Enter")
    sections = _sections(dialog)
    first, second = (sections.nth(at).get_attribute("data-section") for at in (0, 1))
    assert first
    assert second
    button(dialog, f"Move {second} up").press("Enter")
    expect(sections.first).to_have_attribute("data-section", second)
    expect(dialog.get_by_role("status").filter(has_text=f"{second} is now number 1 of")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(sections.first).to_have_attribute("data-section", second)

    head = dialog.locator(f"li[data-section={first}]")
    head.get_by_role("button", name=first).first.press("Enter")
    head.get_by_role("textbox").first.focus()
    page.keyboard.press("End")
    page.keyboard.type(" And be brief, always.")
    expect(head).to_contain_text("changed from Companion")
    expect(_tried(dialog)).to_contain_text("And be brief, always.")
    button(head, "Reset to Companion").press("Enter")
    expect(head).to_contain_text("from Companion")
    expect(_tried(dialog)).not_to_contain_text("And be brief, always.")
    button(head, "Leave out").press("Enter")
    expect(head).to_contain_text("left out, from Companion")
    expect(button(dialog, f"Move {first} up")).to_have_count(0)
    button(head, "Use again").press("Enter")
    expect(head.get_by_role("button", name=first).first).to_be_focused()

    page.keyboard.press("Escape")
    page.get_by_role("dialog", name="Leave without saving?").get_by_role("button", name="Leave").press("Enter")
    expect(dialog).to_be_hidden()


@SIZES
def test_somebody_sets_up_a_chat_in_words(furnished: House, size: Size) -> None:
    """U4: settings have names and choices in words, rare ones are folded, and none is for the API alone."""
    page = furnished.visit(**size)
    id = furnished.talk(page)
    button(page, "Chat details").click()
    panel = page.get_by_role("complementary", name="This chat", exact=True)
    chat, model = (
        panel.locator("details.group").filter(has=page.locator("summary", has_text=re.compile(f"^{name}$")))
        for name in ("Chat", "Model")
    )
    chat.locator("summary").first.press("Enter")
    panel.get_by_label("Content rating").select_option(label="Teen")
    panel.get_by_label("Who speaks first").select_option(label="You, without a greeting")
    model.locator("summary").first.press("Enter")
    provider = panel.get_by_label("Provider")
    expect(provider).to_be_hidden()
    model.locator("summary", has_text="Advanced").press("Enter")
    expect(provider).to_be_visible()
    expect(panel.get_by_label("Stream replies")).to_have_count(0)
    config = furnished.ask(page, "GET", f"/api/conversations/{id}")["config"]
    assert config == {"rating": "T", "start_mode": "none"}


# ── look ─────────────────────────────────────────────────────────────────────────────────────────


@SIZES
def test_somebody_looks_around_in_the_demo(furnished: House, size: Size) -> None:
    """U2, U9: the graph is legible and has a legend of its colors, the timeline spans the weeks it shows."""
    page = furnished.visit(**size)
    furnished.talk(page, name="Odile")
    say(page, "Good evening.")
    replied(page, 3)
    if not is_phone(page):
        button(page, "Expand sidebar").click()
        expect(page.get_by_role("navigation", name="Main").get_by_text("Memories", exact=True)).to_be_visible()
    go(page, "People")
    beside = page.get_by_role("navigation", name="Related pages")
    beside.get_by_role("link", name="Relationships").click()
    drawn = page.get_by_role("group", name="Relationship graph")
    expect(drawn.locator("circle").nth(5)).to_be_visible()
    assert page.evaluate(COVERED) == []
    legend = page.get_by_role("list", name="Legend")
    expect(legend).to_contain_text("You")
    expect(legend).to_contain_text("People")
    assert drawn.locator("circle").evaluate_all(COLORS) == legend.locator("circle").evaluate_all(COLORS)

    beside.get_by_role("link", name="Timeline").click()
    chart = page.get_by_role("group", name="Timeline chart")
    expect(chart.get_by_role("button").nth(2)).to_be_visible()
    last = chart.get_by_role("button").last
    eventually(lambda: right_of(chart) - right_of(last) < 40)  # it uses the whole width


@SIZES
def test_a_new_installation_has_pictures_where_it_is_empty(voiced: House, size: Size) -> None:
    """U13: each says what will be there."""
    page = voiced.visit(**size)
    for address in ("memories", "campaigns", "graph", "timeline", "review"):
        page.goto(f"{voiced.url}/#/{address}")
        expect(page.get_by_role("main").locator("svg:has(.ground)").first).to_be_visible()
        no_findings(page)


@SIZES
def test_code_in_a_reply_has_colors_and_a_button_to_copy_it(furnished: House, size: Size) -> None:
    """U1: the name of the character has the second accent."""
    page = furnished.visit(**size)
    furnished.model.scenario = answering(CODE)
    furnished.talk(page, name="Coda")
    say(page, "Show me some code.")
    reply = messages(page).last
    expect(reply.locator("pre .hljs-built_in, pre .hljs-string").first).to_be_visible()
    expect(button(reply, "Copy code")).to_be_visible()
    accents = [
        page.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}')")
        for name in ("accent", "character")
    ]
    assert accents[0] != accents[1]
    furnished.model.scenario = "fine"


def test_the_start_page_loads_at_most_130_kb_of_scripts(furnished: House) -> None:
    """U13: as they are sent, packed."""
    page = furnished.visit()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")
    loaded = page.evaluate(SCRIPT_BYTES)
    assert 0 < loaded <= 130_000


# ── phone ────────────────────────────────────────────────────────────────────────────────────────


@SIZES
def test_gossip_fits_beside_the_message_that_somebody_writes(furnished: House, size: Size) -> None:
    """U6, U1: a chip, the text and the buttons are all on the screen, and none covers another."""
    page = furnished.visit(**size)
    pip, rex, mira = (furnished.character(page, name=name, greetings=[]) for name in ("Pip", "Rex", "Mira"))
    shared = {"person_id": pip, "partner_id": rex, "content": GOSSIP, "force": True}
    furnished.ask(page, "POST", "/api/memories", data=shared)
    config = {"gossip_enabled": True, "gossip_threshold": 0.3, "auto_title": False}
    body = {"character_id": mira, "user_id": pip, "config": config}
    furnished.open(page, furnished.ask(page, "POST", "/api/conversations", data=body)["id"])
    with page.expect_response("**/gossip"):
        composer(page).fill("Have you heard about Rex and the silver watch?")
    page.get_by_role("button", name=re.compile("^Gossip: 1 to share")).click()
    page.get_by_role("menuitemcheckbox").click()
    chip = page.get_by_role("list", name="Gossip in this message").get_by_role("listitem")
    for shown in (chip, composer(page), button(page, "Send"), chip.get_by_role("button")):
        eventually(lambda shown=shown: inside(page, shown))  # type: ignore[misc]
    eventually(lambda: apart(chip, composer(page)))
    eventually(lambda: apart(composer(page), button(page, "Send")))
    no_findings(page)
    chip.get_by_role("button").click()
    expect(chip).to_have_count(0)


@SIZES
def test_tabs_scroll_to_the_one_that_is_open(furnished: House, size: Size) -> None:
    """U13: wherever there are more tabs than fit, also after a reload."""
    page = furnished.visit(**size)
    (campaign,) = furnished.ask(page, "GET", "/api/campaigns")["items"]
    for address, tab in (("settings/appearance", "Appearance"), (f"campaigns/{campaign['id']}/files", "Files")):
        page.goto(f"{furnished.url}/#/{address}")
        page.reload()
        link = page.locator(".parts").get_by_role("link", name=tab, exact=True)
        expect(link).to_have_attribute("aria-current", "page")
        expect(link).to_be_in_viewport(ratio=0.98)
    page.goto(f"{furnished.url}/#/people/{furnished.character(page, name='Tabitha')}")
    page.get_by_role("tab").first.press("End")
    expect(page.get_by_role("tab").last).to_be_in_viewport(ratio=0.98)


# ── palette ──────────────────────────────────────────────────────────────────────────────────────


@SIZES
def test_somebody_finds_everything_in_the_palette(furnished: House, size: Size) -> None:
    """U13: opened by the rail or by keys; commands by the words people use, the latest chats, a memory by its text."""
    page = furnished.visit(**size)
    plant = "saffron" if is_phone(page) else "cardamom"
    furnished.ask(page, "POST", "/api/memories", data={"content": f"User grows {plant}", "force": True})
    furnished.talk(page, name="Paola Recent")
    go(page, "Search and commands")
    field = page.get_by_role("combobox", name="Search and commands")
    options = page.get_by_role("listbox", name="Results").get_by_role("option")
    expect(field).to_be_focused()
    expect(options.first).to_contain_text("Chat with Paola Recent")
    for word, label in {
        "theme": "Switch to the dark theme",
        "export": "Export",
        "import": "Import",
        "create": "Create a character",
        "connect": "Connect a model",
        "private": "Make this chat private",
        "memory": "Add a memory",
        "demo": "Remove the demo",
    }.items():
        field.fill(word)
        expect(options.filter(has_text=label).first).to_be_visible()
    field.fill(plant)
    expect(options.filter(has_text=f"You grow {plant}")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"You grow {plant}")
    page.keyboard.press("Control+k")
    page.keyboard.type("dark")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


# ── messages of the page ─────────────────────────────────────────────────────────────────────────


@SIZES
def test_an_error_is_told_where_it_covers_nothing_and_leaves_by_itself(furnished: House, size: Size) -> None:
    """U13: above the chat, neither over messages nor over the composer; after a while it is gone."""
    page = furnished.visit(**size)
    page.clock.install()
    furnished.talk(page, name="Erin")
    page.route("**/api/conversations/*", lambda route: route.abort())
    page.get_by_role("switch", name="Private").click()
    error = page.get_by_role("alert")
    expect(error).to_contain_text("does not answer")
    error.hover()  # it stays as long as the pointer is on it
    eventually(lambda: inside(page, error))
    for other in (composer(page), page.get_by_role("log"), page.get_by_role("navigation", name="Main")):
        eventually(lambda other=other: apart(error, other))  # type: ignore[misc]
    no_findings(page)
    composer(page).hover()
    page.clock.fast_forward(20_000)
    expect(error).to_have_count(0)
    furnished.pardon("ERR_FAILED")


@SIZES
def test_an_error_leaves_with_its_page(furnished: House, size: Size) -> None:
    """U13."""
    page = furnished.visit(**size)
    furnished.talk(page, name="Errol")
    page.route("**/api/conversations/*", lambda route: route.abort())
    page.get_by_role("switch", name="Private").click()
    expect(page.get_by_role("alert")).to_be_visible()
    go(page, "Memories")
    expect(page.get_by_role("heading", name="Memories", level=1)).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    furnished.pardon("ERR_FAILED")
