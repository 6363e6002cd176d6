"""The rail, the list of conversations with their titles, and the bubbles of messages (U1, U2, U3, V7).

A first exchange is walked through once, in two windows. What could be seen only on the way is kept; each test looks at
one thing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.house import House, answering, button, measured, messages, replied, say
from tests.models.chat_server import TEXT, ChatServer, Exchange

pytestmark = pytest.mark.browser

WIDE = {"width": 1280, "height": 800}
TITLE = "Ferries at dawn"
ANSWER = '{"title": "Ferries at dawn", "icon": "sailing"}'
LONG = " ".join(["A very long title"] * 6)
GENERATING = "Generating…"
# WCAG AA, for text of any size.
LEAST_CONTRAST = 4.5
# About 30 % more of them than in the measures that a list usually has: 6px 12px, 14 px text, 24 px icons.
MORE = 1.25
AS_USUAL = """(row) => {
  const height = () => row.getBoundingClientRect().height;
  const compact = height();
  Object.assign(row.style, { padding: "6px 12px", fontSize: "14px", lineHeight: "1.5" });
  row.querySelector(".who").style.fontSize = "14px";
  for (const side of ["width", "height"]) row.querySelector("svg").style[side] = "24px";
  const usual = height();
  for (const each of [row, ...row.querySelectorAll("*")]) each.removeAttribute("style");
  return usual / compact;
}"""
# The contrast of the text of each bubble with what lies behind it.
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const behind = (each) => (each ? [...behind(each.parentElement), getComputedStyle(each).backgroundColor] : []);
  const light = (colours) => {
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  return [...document.querySelectorAll("[role=log] .bubble p")].map((text) => {
    const paper = light(behind(text));
    const ink = light([...behind(text), getComputedStyle(text).color]);
    return Math.max(ink, paper) / Math.min(ink, paper);
  });
}"""


@dataclass(frozen=True)
class Walk:
    """The first exchange of a conversation: the window where it was said, and one that only looked on."""

    house: House
    page: Page
    other: Page
    id: str
    # What the list called it meanwhile, in both.
    while_written: list[str]
    while_titled: list[str]

    @property
    def row(self) -> Locator:
        return row(self.page, self.id)


def row(page: Page, id: str) -> Locator:
    """A conversation in the list, which is opened where it is not."""
    if button(page, "Chats").get_attribute("aria-expanded") != "true":
        button(page, "Chats").click()
    return panel(page, "Chats").locator(f"a[href='#/c/{id}']")


def panel(page: Page, name: str) -> Locator:
    return page.get_by_role("complementary", name=name)


def rail(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Main")


def closed(page: Page) -> None:
    open = rail(page).locator("[aria-expanded=true]")
    # The rail says whether a panel is open, also while the panel itself still loads.
    expect(button(page, "Chats")).to_be_visible()
    for each in open.all():
        each.click()
    expect(page.get_by_role("complementary")).to_be_hidden()


@pytest.fixture(scope="module")
def walk(shared: House, model: ChatServer) -> Walk:
    async def slow(exchange: Exchange) -> None:
        await exchange.wait()
        await answering(ANSWER)(exchange)

    model.by_model["titles"] = slow
    model.scenario = "stall"
    page = shared.visit(viewport=WIDE)
    id = shared.talk(page, name="Odile")
    other = shared.visit(viewport=WIDE)
    both = [row(each, id).locator(".title") for each in (page, other)]
    say(page, "When does it leave?")
    expect(messages(page).last).to_contain_text("The ferry")
    for each in both:
        expect(each).to_have_text(GENERATING)
    while_written = [each.inner_text() for each in both]
    model.let_go()
    expect(messages(page).last).to_contain_text(TEXT)
    replied(page, 3)
    for each in both:
        expect(each).to_have_text(GENERATING)
    while_titled = [each.inner_text() for each in both]
    model.release()
    for each in both:
        expect(each).to_have_text(TITLE)
    model.by_model["titles"] = answering(ANSWER)
    model.scenario = "fine"
    return Walk(shared, page, other, id, while_written, while_titled)


@pytest.fixture(scope="module")
def untitled(walk: Walk) -> str:
    """A conversation that is never given a title."""
    character = walk.house.character(walk.page, name="Bram")
    made = {"character_id": character, "config": {"auto_title": False}}
    id: str = walk.house.ask(walk.page, "POST", "/api/conversations", data=made)["id"]
    walk.other.reload()
    return id


@pytest.fixture
def long(walk: Walk) -> Iterator[Locator]:
    """The row with a title that is too long for it."""
    walk.house.ask(walk.page, "PATCH", f"/api/conversations/{walk.id}", data={"title": LONG})
    expect(walk.row).to_contain_text(LONG)
    yield walk.row
    walk.house.ask(walk.page, "PATCH", f"/api/conversations/{walk.id}", data={"title": TITLE})
    expect(walk.row).to_contain_text(TITLE)


# ── the rail ─────────────────────────────────────────────────────────────────────────────────────


def test_ux_sidebar_collapsed_default(shared: House) -> None:
    """U2: a strip of 48 pixels, until somebody opens a panel."""
    page = shared.visit(viewport=WIDE)
    expect(rail(page)).to_have_css("width", "48px")
    expect(page.get_by_role("complementary")).to_be_hidden()
    page.context.close()


def test_ux_sidebar_expand_on_click(walk: Walk) -> None:
    """U2: 300 pixels, kept over a reload."""
    closed(walk.other)
    button(rail(walk.other), "Chats").click()
    expect(panel(walk.other, "Chats")).to_have_css("width", "300px")
    walk.other.reload()
    expect(panel(walk.other, "Chats")).to_have_css("width", "300px")


def test_ux_sidebar_collapse_on_toggle(walk: Walk) -> None:
    """U2: by the icon that opened it, and by the arrow."""
    closed(walk.other)
    for close in (
        button(rail(walk.other), "Chats"),
        button(panel(walk.other, "Chats"), "Close the panel"),
    ):
        button(rail(walk.other), "Chats").click()
        expect(panel(walk.other, "Chats")).to_be_visible()
        close.click()
        expect(walk.other.get_by_role("complementary")).to_be_hidden()


def test_ux_sidebar_panel_switch(walk: Walk) -> None:
    """U2: another icon shows its panel in the place of the open one."""
    row(walk.other, walk.id).click()
    button(rail(walk.other), "This chat").click()
    expect(panel(walk.other, "This chat")).to_have_css("width", "300px")
    expect(panel(walk.other, "This chat")).to_contain_text("Odile")
    expect(panel(walk.other, "Chats")).to_be_hidden()
    button(rail(walk.other), "Chats").click()
    expect(panel(walk.other, "Chats")).to_have_css("width", "300px")
    expect(panel(walk.other, "This chat")).to_be_hidden()


def test_ux_sidebar_conversation_space(walk: Walk) -> None:
    """U2: all but the strip."""
    closed(walk.page)
    room = measured(walk.page.get_by_role("main"))
    assert (room["x"], room["width"]) == (48, WIDE["width"] - 48)


def test_ux_sidebar_icon_tooltips(walk: Walk) -> None:
    """U2: what each icon is, for those who see it and those who hear it."""
    row(walk.other, walk.id).click()
    for name in ("Chats", "Memories", "This chat"):
        icon = rail(walk.other).get_by_title(name, exact=True)
        expect(icon).to_have_accessible_name(name)
        expect(icon.locator("svg")).to_be_visible()


# ── the list ─────────────────────────────────────────────────────────────────────────────────────


def test_ux_conv_list_compact_padding(walk: Walk) -> None:
    """U3."""
    expect(walk.row).to_have_css("padding", "4px 8px")


def test_ux_conv_list_smaller_font(walk: Walk) -> None:
    """U3."""
    expect(walk.row.locator(".title")).to_have_css("font-size", "13px")


def test_ux_conv_list_smaller_icons(walk: Walk) -> None:
    """U3."""
    icon = measured(walk.row.locator("svg"))
    assert (icon["width"], icon["height"]) == (18, 18)


def test_ux_conv_list_more_visible(walk: Walk) -> None:
    """U3: the same row, drawn in the measures that are usual, takes so much more room."""
    assert walk.row.evaluate(AS_USUAL) > MORE


def test_ux_conv_list_truncates_long_titles(long: Locator) -> None:
    """U3: one line, with an ellipsis; the whole of it is the tooltip."""
    title = long.locator(".title")
    expect(title).to_have_css("text-overflow", "ellipsis")
    assert title.evaluate("(each) => each.scrollWidth > each.clientWidth")
    expect(long).to_have_attribute("title", LONG)


def test_ux_conv_list_auto_title_primary(walk: Walk) -> None:
    """U3: larger than what stands below it, and bold."""
    expect(walk.row.locator(".title")).to_have_text(TITLE)
    expect(walk.row.locator(".title")).to_have_css("font-weight", "600")
    expect(walk.row.locator(".who")).to_have_css("font-size", "12px")


def test_ux_conv_list_name_secondary(walk: Walk) -> None:
    """U3: with whom, below the title."""
    who = walk.row.locator(".who")
    expect(who).to_have_text("Odile")
    assert measured(who)["y"] > measured(walk.row.locator(".title"))["y"]


def test_ux_conv_list_icon_rendered(walk: Walk) -> None:
    """U3: to the left of the title."""
    assert measured(walk.row.locator("svg"))["x"] < measured(walk.row.locator(".title"))["x"]


def test_ux_conv_list_generating_state(walk: Walk) -> None:
    """U3: while the first reply is written, in every window."""
    assert walk.while_written == [GENERATING, GENERATING]


def test_ux_conv_list_fallback_to_name(walk: Walk, untitled: str) -> None:
    """U3: without a title it is called after whom one talks to."""
    expect(row(walk.other, untitled).locator(".title")).to_have_text("Chat with Bram")


# ── titles ───────────────────────────────────────────────────────────────────────────────────────


def test_ux_auto_title_appears_after_first_exchange(walk: Walk) -> None:
    """V7, U3: in the list, and above the conversation."""
    expect(walk.row).to_contain_text(TITLE)
    expect(walk.page.get_by_role("heading", level=1)).to_have_text(TITLE)


def test_ux_auto_title_icon_displayed(walk: Walk, untitled: str) -> None:
    """V7, U3: the one that the model chose, not the one of a conversation without any."""
    drawn, usual = walk.row.locator("svg path"), row(walk.other, untitled).locator("svg path")
    expect(drawn).not_to_have_attribute("d", usual.get_attribute("d") or "")
    assert walk.house.ask(walk.page, "GET", f"/api/conversations/{walk.id}")["icon"] == "sailing"


def test_ux_auto_title_fallback_displayed(walk: Walk) -> None:
    """V7: where the model gives none, what was said first."""
    page, model = walk.other, walk.house.model
    model.by_model["titles"] = answering("I would rather not.")
    id = walk.house.talk(page, name="Ines")
    say(page, "Is there a night train to Trieste?")
    expect(row(page, id).locator(".title")).to_have_text("Is there a night train to Trieste?")
    model.by_model["titles"] = answering(ANSWER)
    page.goto(f"{walk.house.url}/#/")


def test_ux_auto_title_generating_indicator(walk: Walk) -> None:
    """V7, U3: also when the reply is there and the title is not."""
    assert walk.while_titled == [GENERATING, GENERATING]


def test_ux_auto_title_name_dimmed(walk: Walk) -> None:
    """U3."""
    colour = "(each) => getComputedStyle(each).color"
    assert walk.row.locator(".who").evaluate(colour) != walk.row.locator(".title").evaluate(colour)


def test_ux_auto_title_web_socket_update(walk: Walk) -> None:
    """V7: a window that nobody touches has it by the live socket, and asked for nothing."""
    asked: list[str] = []
    walk.other.on("request", lambda request: asked.append(request.url))
    there = row(walk.other, walk.id)
    expect(there).to_be_visible()
    walk.house.ask(walk.page, "PATCH", f"/api/conversations/{walk.id}", data={"title": "Ferries at dusk"})
    expect(there).to_contain_text("Ferries at dusk")
    walk.house.ask(walk.page, "PATCH", f"/api/conversations/{walk.id}", data={"title": TITLE})
    expect(there).to_contain_text(TITLE)
    assert [each for each in asked if "/conversations" in each] == []


def test_a_message_moves_its_chat_to_the_top_of_the_list_with_its_time(walk: Walk) -> None:
    """U3: at once, in the window where it was sent and in another one."""
    at = "new Date(document.querySelector(`a[href='#/c/${id}'] time`).dateTime).getTime()"
    walk.house.talk(walk.page, name="Ottilie")
    walk.house.open(walk.page, walk.id)
    for each in (walk.page, walk.other):
        expect(row(each, walk.id)).to_be_visible()
    before = walk.page.evaluate(f"id => {at}", walk.id)
    say(walk.page, "And back?")
    for each in (walk.page, walk.other):
        expect(panel(each, "Chats").get_by_role("listitem").first.get_by_role("link")).to_have_attribute(
            "href", f"#/c/{walk.id}"
        )
        each.wait_for_function(f"([id, before]) => {at} > before", arg=[walk.id, before])


# ── messages ─────────────────────────────────────────────────────────────────────────────────────


def test_ux_messages_font_weight(walk: Walk) -> None:
    """U1: of both."""
    for bubble in walk.page.get_by_role("log").locator(".bubble").all():
        expect(bubble.locator("p").first).to_have_css("font-weight", "400")


def test_ux_messages_max_width(walk: Walk) -> None:
    """U1."""
    for bubble in walk.page.get_by_role("log").locator(".bubble").all():
        expect(bubble).to_have_css("max-width", "90%")


def test_ux_messages_readable_contrast(walk: Walk) -> None:
    """U1, U13: what either said, in light and dark."""
    for scheme in ("light", "dark"):
        walk.page.emulate_media(color_scheme=scheme)
        contrasts = walk.page.evaluate(CONTRASTS)
        assert len(contrasts) >= 2, scheme
        assert min(contrasts) > LEAST_CONTRAST, scheme
    walk.page.emulate_media(color_scheme="null")
