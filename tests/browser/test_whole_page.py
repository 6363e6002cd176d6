"""The workspace as a whole: what happened, who is tied to whom, and who knows what; drawn, and as an equal list (U9,
U13)."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.house import TOO_WIDE, House, button, messages, right_of
from tests.browser.town import BOAT, DON, HOSTILE, MIRA, NAMES, NEIGHBOURS, NOOR, QUAY, REX, TALK, settled
from tests.cli.process import Command
from tests.waiting import eventually

pytestmark = pytest.mark.browser
MOST_DRAWN = 300


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """No model; a town with a past."""
    quiet = Command(
        tmp_path_factory.mktemp("house"), EVERLORE_CHAT__PROVIDER="voice", EVERLORE_EMBEDDING__PROVIDER="hashing"
    )
    settled(quiet.database)
    with quiet.started("serve", "--port", "0") as server:
        yield server.line()


def place(house: House, page: Page, address: str, heading: str) -> Locator:
    page.goto(f"{house.url}/#/{address}")
    expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
    return page.get_by_role("region", name="List", exact=True)


# Labels of the graph that a line or a dot is painted over, or that overlap each other.
COVERED = """() => {
  const labels = [...document.querySelectorAll(".label")];
  const others = [...document.querySelectorAll(".edge, .paper circle")];
  const after = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
  const boxes = labels.map((each) => each.getBoundingClientRect());
  const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return labels.filter((label, at) => others.some((each) => after(label, each))
    || boxes.some((box, other) => other !== at && overlap(box, boxes[at]))).map((each) => each.textContent);
}"""


def tab_to(page: Page, within: Locator) -> None:
    """With the keyboard alone, until something in it has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if within.evaluate("(each) => each.contains(document.activeElement)"):
            return
    pytest.fail("the Tab key does not lead there")


# ── what happened ────────────────────────────────────────────────────────────────────────────────


def marks(page: Page) -> Locator:
    return page.get_by_role("group", name="Timeline chart").locator("a.mark")


def test_what_happened_is_drawn_in_time_and_stands_in_an_equal_list(house: House) -> None:
    """U9: by person, kind and time; what is narrowed stands in the address; each leads to where it is read of."""
    page = house.visit()
    listed = place(house, page, "timeline?until=2025-12-31", "Timeline")
    entries = listed.get_by_role("listitem")
    expect(entries).to_have_count(5)
    expect(marks(page)).to_have_count(5)
    # The latest first, by when it began, whenever it was written down.
    expect(entries.nth(0)).to_contain_text("Don sold the map")
    expect(entries.nth(4)).to_contain_text("The silver key")
    expect(listed).to_contain_text(HOSTILE)

    legend = page.get_by_role("list", name="Legend").get_by_role("listitem")
    expect(legend).to_have_text(["Chats", "Interactions", "Observations", "Friendly", "Hostile"])
    # The columns share the whole width.
    chart = page.get_by_role("group", name="Timeline chart")
    last = page.get_by_role("button", name="zoom in").last
    eventually(lambda: right_of(chart) - right_of(last) < 30)

    page.get_by_label("Kind").select_option("Interactions")
    expect(entries).to_contain_text(["Don sold the map", "Mira hid Rex from the guard"])
    page.get_by_label("Person").select_option(NAMES[REX])
    expect(entries).to_have_count(1)
    expect(marks(page)).to_have_count(1)
    expect(page).to_have_url(re.compile(f"person={REX}&kind=interaction"))
    page.reload()
    expect(entries).to_have_count(1)
    page.get_by_label("From").fill("2025-01-01")
    expect(page.get_by_text("No matches")).to_be_visible()
    button(page, "Clear filters").click()

    page.goto(f"{house.url}/#/timeline?until=2025-12-31&zoom=year")
    expect(page.get_by_role("button", name="2024 (3), zoom in")).to_be_visible()
    page.get_by_role("button", name="2024 (3), zoom in").click()
    expect(page).to_have_url(re.compile("since=2024-01-01&until=2024-12-31&zoom=month"))
    expect(entries).to_have_count(3)
    button(page, "Days").click()
    expect(page.get_by_role("button", name="zoom in")).to_have_count(3)
    entries.nth(0).get_by_role("link", name="A light was seen").click()
    kept = page.get_by_role("region", name="Event details")
    expect(kept.get_by_role("heading")).to_have_text(f"A light was seen {HOSTILE}")
    button(kept, "Close").click()
    expect(kept).to_have_count(0)
    entries.nth(1).get_by_role("link", name="Mira hid Rex").click()
    expect(page).to_have_url(re.compile(f"#/c/{TALK}$"))
    assert page.evaluate("window.broken") is None


def test_what_happens_now_joins_the_timeline_and_keys_lead_through_it(house: House) -> None:
    """U9: a talk that begins elsewhere appears; the marks are gone through with the arrow keys."""
    page = house.visit()
    listed = place(house, page, f"timeline?person={MIRA}", "Timeline")
    expect(listed.get_by_role("listitem")).to_have_count(4)
    with page.expect_response("**/api/events?*") as asked:
        talk = house.ask(page, "POST", "/api/conversations", data={"character_id": MIRA, "title": "Just now"})["id"]
        house.ask(page, "POST", f"/api/conversations/{talk}/messages", data={"content": "Hello!"})
    assert f"conversation_id={talk}" in asked.value.url
    expect(listed.get_by_role("listitem")).to_have_count(5)
    expect(listed.get_by_role("listitem").first).to_contain_text("Just now")

    drawn = page.get_by_role("group", name="Timeline chart")
    tab_to(page, drawn)
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"#/c/{talk}$"))
    expect(messages(page)).to_contain_text(["Hello!"])


# ── who is tied to whom ──────────────────────────────────────────────────────────────────────────


def test_three_hundred_who_are_tied_are_drawn_and_all_are_listed(house: House) -> None:
    """U9: the list has what could not be drawn; a person has a drawing of their own."""
    page = house.visit()
    listed = place(house, page, "graph", "Relationships")
    drawn = page.get_by_role("group", name="Relationship graph")
    expect(drawn.locator("circle")).to_have_count(MOST_DRAWN)
    expect(page.get_by_text(f"The graph shows the {MOST_DRAWN} with the most relationships.")).to_be_visible()
    # Too small to be read, all of them: only whoever is looked at is named, with those who are tied to them.
    expect(drawn.locator("text")).to_have_count(0)
    drawn.get_by_role("link", name="Neighbour 12", exact=True).focus()
    expect(drawn.locator("text").filter(has_text="Neighbour")).to_have_count(3)
    while listed.get_by_role("button", name="more of").count():
        listed.get_by_role("button", name="more of").click()
    graph = house.ask(page, "GET", "/api/graph")
    assert len(graph["bonds"]) > NEIGHBOURS
    expect(listed.get_by_role("listitem")).to_have_count(len(graph["bonds"]) + len(graph["ties"]))

    page.get_by_label("Filter by name or text").fill("Neighbour 319")
    expect(drawn.locator("circle")).to_have_count(3)
    expect(listed.get_by_role("listitem")).to_have_count(2)
    expect(drawn.locator("text").filter(has_text="Neighbour")).to_have_count(3)
    wide = drawn.locator("svg").evaluate("(each) => each.clientWidth")
    button(page, "Zoom in").click()
    assert drawn.locator("svg").evaluate("(each) => each.clientWidth") > wide


def test_ties_follow_what_is_learnt_and_lead_to_their_grounds_by_keyboard(house: House) -> None:
    """U9, G6: one drawing of persons and of what is in campaigns; names that are hostile, or read from the right."""
    page = house.visit()
    campaign = house.ask(page, "POST", "/api/campaigns", data={"name": "The Mill"})["id"]
    rex, mill = [
        house.ask(
            page, "POST", f"/api/campaigns/{campaign}/entities", data={"name": name, "kind": kind, "person_id": person}
        )["id"]
        for name, kind, person in (("Rex", "npc", REX), ("The old mill", "location", None))
    ]
    ground = {"evidence": "It was Rex.", "valid_from": "2024-05-01T12:00:00Z"}
    tie = {"source_id": rex, "type": "burnt down", "target_id": mill, **ground}
    house.ask(page, "POST", "/api/ties", data=tie)
    listed = place(house, page, f"graph?person={REX}", "Relationships")
    drawn = page.get_by_role("group", name="Relationship graph")
    expect(drawn.locator(".edge")).to_have_count(2)
    expect(listed.get_by_role("listitem")).to_have_count(2)
    expect(listed).to_contain_text(f"{NAMES[REX]} burnt down The old mill")
    expect(listed).to_contain_text("It was Rex.")
    expect(listed).to_contain_text("since May 1, 2024")
    expect(listed).to_contain_text("1 memory, 1 chat, 1 interaction")

    legend = page.get_by_role("list", name="Legend").get_by_role("listitem")
    expect(legend).to_have_text(["People", "Places", "Shared memories and chats", "Relationship in a campaign"])
    assert page.evaluate(COVERED) == []

    shared = {"content": "Noor lent Rex a lantern", "person_id": NOOR, "partner_id": REX}
    house.ask(page, "POST", "/api/memories", data=shared)
    expect(listed.get_by_role("listitem")).to_have_count(3)
    expect(drawn.get_by_role("link", name=NAMES[NOOR])).to_be_visible()

    drawn.locator(".tie").filter(has_text="burnt down").locator(".reach").dispatch_event("click")
    expect(listed.locator("li:focus")).to_contain_text("It was Rex.")
    expect(page).to_have_url(re.compile("tie="))
    page.get_by_label("Filter by name or text").focus()
    tab_to(page, drawn)
    drawn.get_by_role("link", name=NAMES[REX]).focus()
    for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        re.compile("|".join(map(re.escape, (*NAMES.values(), "The old mill"))))
    )
    expect(page).not_to_have_url(re.compile("#/graph"))
    assert page.evaluate("window.broken") is None


# ── who knows what ───────────────────────────────────────────────────────────────────────────────


def cell(page: Page, memory: str, person: str) -> Locator:
    table = page.get_by_role("table")
    expect(table.get_by_role("row").filter(has_text=memory)).to_be_visible()
    expect(table.get_by_role("columnheader", name=person, exact=True)).to_be_visible()
    column = table.get_by_role("columnheader").all_inner_texts().index(person)
    return table.get_by_role("row").filter(has_text=memory).locator("th, td").nth(column)


def test_who_knows_what_is_a_table_with_the_way_that_it_came(house: House) -> None:
    """U9, R11: who was there, who was told and by whom, who does not know; the list says the same."""
    page = house.visit()
    place(house, page, f"knowing?knower={MIRA}", "Who knows what")
    expect(page.get_by_role("row")).to_have_count(3)
    expect(cell(page, QUAY, NAMES[REX])).to_have_text("·doesn't know")
    expect(cell(page, "silver key", "Mira")).to_contain_text("Mira: witnessed")
    expect(cell(page, "silver key", NAMES[NOOR])).to_contain_text("heard from Don (passed on 2 times)")
    cell(page, "silver key", NAMES[NOOR]).get_by_role("button").click()
    way = page.get_by_role("list", name=f"How {NAMES[NOOR]} learned this").get_by_role("listitem")
    expect(way).to_contain_text(
        [
            re.compile("Mira.*witnessed.*Mar 10, 2024"),
            re.compile("Don.*heard.*Mar 15, 2024"),
            re.compile("heard.*Mar 16, 2024"),
        ]
    )

    told = house.ask(page, "GET", "/api/knowing", params={"knower_id": MIRA})["items"]
    page.get_by_role("tab", name="List").click()
    expect(page).to_have_url(re.compile("view=list"))
    cards = page.get_by_role("tabpanel").locator("li.card")
    expect(cards).to_have_count(len(told))
    for card, each in zip(cards.all(), told, strict=True):
        expect(card).to_contain_text(each["memory"]["content"])
        expect(card.get_by_role("list", name="Known by").locator(":scope > li")).to_have_count(len(each["knowers"]))
    expect(cards.first.get_by_text("Not known by")).to_contain_text(NAMES[REX])

    page.get_by_role("searchbox").fill("silver key")
    expect(cards).to_have_count(1)
    page.reload()
    expect(cards).to_have_count(1)
    cards.get_by_role("link", name="Rex hid").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Rex hid")
    assert page.evaluate("window.broken") is None


def test_what_is_learnt_joins_the_table_and_keys_lead_through_it(house: House) -> None:
    """U9: a row comes, changes and goes with its memory; nothing is read anew."""
    page = house.visit()
    place(house, page, f"knowing?person={NOOR}", "Who knows what")
    expect(page.get_by_role("row").filter(has_text=BOAT)).to_be_visible()
    rows = page.get_by_role("row").count()
    made = house.ask(
        page, "POST", "/api/memories", data={"content": "Noor sails at dawn", "person_id": NOOR, "partner_id": DON}
    )["id"]
    expect(cell(page, "sails at dawn", "Don")).to_contain_text("Don: added directly")
    tab_to(page, page.get_by_role("table"))
    cell(page, "sails at dawn", NAMES[NOOR]).get_by_role("button").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("list", name="How Don learned this")).to_be_visible()
    house.ask(page, "POST", f"/api/memories/{made}/withdraw")
    expect(page.get_by_role("row")).to_have_count(rows)


# ── all of them ──────────────────────────────────────────────────────────────────────────────────

PLACES = (
    (f"timeline?person={MIRA}", "Timeline"),
    (f"graph?person={MIRA}", "Relationships"),
    ("knowing?words=silver", "Who knows what"),
    ("knowing?words=silver&view=list", "Who knows what"),
)


def test_they_are_found_and_read_by_everybody(house: House) -> None:
    """U9, U13: by links and by the palette, and on a phone."""
    page = house.visit("/#/people")
    beside = page.get_by_role("navigation", name="Related pages")
    for name in ("Relationships", "Timeline"):
        beside.get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
        expect(beside.get_by_role("link", name=name)).to_have_attribute("aria-current", "page")
    page.keyboard.press("Control+k")
    page.keyboard.type("knows what")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Who knows what")).to_be_visible()
    expect(page.get_by_role("link", name="Memories").first).to_have_attribute("aria-current", "true")

    for address, heading in PLACES:
        place(house, page, address, heading)
        expect(page.get_by_text("Mira").first).to_be_attached()
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
    phone = house.visit(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    for address, heading in PLACES:
        place(house, phone, address, heading)
        expect(phone.locator("[aria-busy=true]")).to_have_count(0)
        assert phone.evaluate(TOO_WIDE) is False, address
        assert phone.locator(".place").evaluate("(each) => each.scrollWidth > each.clientWidth") is False, address


def test_what_cannot_be_read_is_said_and_can_be_asked_for_again(house: House) -> None:
    """U13: each of them, and nothing blocks."""
    page = house.visit()
    for (address, heading), path in zip(PLACES[:3], ("events", "graph", "knowing"), strict=True):
        page.route(f"**/api/{path}*", lambda route: route.abort())
        place(house, page, address, heading)
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        page.unroute(f"**/api/{path}*")
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_role("main")).to_contain_text(re.compile("List|through how many people"))
    house.pardon("net::ERR_FAILED")


def test_a_new_house_says_what_will_stand_there(voiced: House) -> None:
    """U13."""
    page = voiced.visit()
    for (address, heading), empty in zip(
        (("timeline", "Timeline"), ("graph", "Relationships"), ("knowing", "Who knows what")),
        ("Nothing here yet", "No relationships yet", "Nothing here yet"),
        strict=True,
    ):
        place(voiced, page, address, heading)
        expect(page.get_by_text(empty)).to_be_visible()
