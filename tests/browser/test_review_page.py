"""What waits for a decision, on the page: by keyboard, with its quotes, and contradictions (U5, U10, U13)."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.house import House, button
from tests.browser.test_memories_page import toast
from tests.cli.process import Command
from tests.waiting import eventually

pytestmark = pytest.mark.browser

LOG = """GM: The lock house at Tamsel belongs to Ezra Hobday. Ezra Hobday has kept the gate for twenty years.
Hal: I ask Ezra Hobday where his sister is.
GM: Ezra Hobday says that his sister Nessa Hobday rang the bell. Nessa Hobday is gone since last night.
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """No model: the built-in voice answers, and rules learn."""
    quiet = Command(tmp_path_factory.mktemp("house"), EVERLORE_EMBEDDING__PROVIDER="hashing")
    with quiet.started("serve", "--port", "0") as server:
        yield server.line()


@pytest.fixture(autouse=True)
def nothing_waits(house: House) -> None:
    """Each test brings what it decides about. No page is open meanwhile, which would look for what goes."""
    with httpx.Client(base_url=house.url, timeout=60) as client:
        for memory in client.get("/api/memories", params={"status": "pending", "limit": 500}).json()["items"]:
            client.delete(f"/api/memories/{memory['id']}").raise_for_status()
        for campaign in client.get("/api/campaigns").json()["items"]:
            client.delete(f"/api/campaigns/{campaign['id']}").raise_for_status()


def waiting(house: House, page: Page, *said: str) -> str:
    """A conversation in which what is learnt waits for approval."""
    character = house.character(page, name="Ines")
    made = {"character_id": character, "config": {"review_memories": True}}
    id: str = house.ask(page, "POST", "/api/conversations", data=made)["id"]
    for text in said:
        house.ask(page, "POST", f"/api/conversations/{id}/messages", data={"content": text})
    house.ask(page, "POST", f"/api/conversations/{id}/extract?wait=true")
    return id


def cases(page: Page) -> Locator:
    return page.get_by_role("list", name="Needs review").locator("> li")


def statuses(house: House, page: Page, id: str) -> dict[str, str]:
    found = house.ask(page, "GET", "/api/memories", params={"conversation_id": id})["items"]
    return {each["content"]: each["status"] for each in found}


def until_waiting(page: Page, id: str, count: int) -> None:
    """Until so many of a conversation wait, on the server."""
    asked = f"/api/memories?conversation_id={id}&status=pending"
    counted = "async ([path, count]) => (await (await fetch(path)).json()).items.length === count"
    page.wait_for_function(counted, arg=[asked, count])


def review(house: House, page: Page) -> None:
    page.goto(f"{house.url}/#/review")
    expect(page.get_by_role("heading", name="Review", level=1)).to_be_visible()


def test_what_waits_is_decided_by_keyboard_and_taken_back(house: House) -> None:
    """U5, M10: with its quote; j, k, a, r, u; the rail counts what is left."""
    page = house.visit()
    id = waiting(house, page, "I play the oboe.", "I am allergic to lupins.", "I work as a cooper.")
    review(house, page)
    expect(cases(page)).to_have_count(3)
    rail = page.get_by_role("navigation", name="Main")
    expect(rail.get_by_role("link", name="Review (3)")).to_be_visible()
    expect(cases(page).first.locator("blockquote")).to_have_text(re.compile(r"^I work as a cooper\.?$"))
    expect(cases(page).first.get_by_role("img", name="Confidence")).to_be_visible()

    page.keyboard.press("j")
    expect(cases(page).nth(1).get_by_role("article")).to_be_focused()
    page.keyboard.press("r")
    expect(cases(page)).to_have_count(2)
    expect(rail.get_by_role("link", name="Review (2)")).to_be_visible()
    page.keyboard.press("u")
    expect(cases(page)).to_have_count(3)
    current = page.locator("article.current")
    expect(current).to_have_accessible_name("You are allergic to lupins")
    assert set(statuses(house, page, id).values()) == {"pending"}

    page.keyboard.press("k")
    expect(current).to_have_accessible_name("You work as a cooper")
    page.keyboard.press("a")
    expect(toast(page, "Approved: You work as a cooper")).to_be_visible()
    page.keyboard.press("r")
    expect(toast(page, "Rejected: You are allergic to lupins")).to_be_visible()
    button(toast(page, "Rejected"), "Close this message").click()
    expect(cases(page)).to_have_count(1)
    until_waiting(page, id, 1)
    kept = statuses(house, page, id)
    assert (kept["User works as a cooper"], kept["User is allergic to lupins"]) == ("active", "rejected")


def test_many_are_decided_at_once_and_one_in_other_words(house: House) -> None:
    """U5, M11: chosen with x or all together; e edits before it is approved."""
    page = house.visit()
    id = waiting(house, page, "I live in Tromsø.", "I am allergic to mustard.", "I work as a tanner.")
    review(house, page)
    expect(cases(page)).to_have_count(3)
    page.keyboard.press("e")
    words = page.get_by_label("Edited text")
    expect(words).to_be_focused()
    expect(words).to_have_value("User works as a tanner")
    words.fill("User once worked as a tanner")
    expect(words).to_have_value("User once worked as a tanner")
    words.press("Tab")
    button(page, "Save and approve").press("Enter")
    expect(cases(page)).to_have_count(2)

    button(page, "Select all").click()
    bar = page.get_by_role("toolbar", name="Selected")
    expect(bar).to_contain_text("2 selected")
    button(bar, "Reject").click()
    expect(page.get_by_role("heading", name="All caught up")).to_be_visible()
    button(toast(page, "Rejected: 2 items"), "Close this message").click()
    until_waiting(page, id, 0)
    kept = statuses(house, page, id)
    assert kept.get("User once worked as a tanner") == "active", kept
    assert sorted(kept.values()) == ["active", "rejected", "rejected"]


def test_a_contradiction_shows_both_sources_side_by_side(house: House) -> None:
    """U5, M8: to approve the new one closes what was known. What comes up meanwhile appears by itself."""
    page = house.visit()
    review(house, page)
    expect(page.get_by_role("heading", name="All caught up")).to_be_visible()
    name = house.character(page, name="Ludo")
    known = house.ask(page, "POST", "/api/memories", data={"content": "Ludo lives in Ghent", "person_id": name})
    new = {"content": "Ludo lives in Bruges", "person_id": name, "valid_from": "2001-01-01T00:00:00Z"}
    saved = house.ask(page, "POST", "/api/memories", data=new)
    if saved["outcome"] != "pending":
        pytest.fail(f"It should wait: {saved['outcome']}")

    case = cases(page).filter(has_text="Ludo lives in Bruges")
    expect(case).to_contain_text("This conflicts with an existing memory")
    expect(case.get_by_role("heading")).to_have_text(["New", "Existing"])
    expect(case).to_contain_text("Ludo lives in Ghent")
    button(case, "Approve").click()
    button(toast(page, "Approved"), "Close this message").click()
    page.wait_for_function(
        "async (path) => (await (await fetch(path)).json()).status === 'superseded'", arg=f"/api/memories/{known['id']}"
    )


def test_what_a_campaign_proposes_is_decided_and_ruled_on_too(house: House) -> None:
    """U5, U10, G7, G8: beside memories, taken back, and there by itself when a session was read."""
    page = house.visit()
    campaign = house.ask(page, "POST", "/api/campaigns", data={"name": "The Drowned Bell"})["id"]
    for town in ("Orne", "Tarn"):
        said = {"content": f"Reth lives in {town}."}
        house.ask(page, "POST", f"/api/campaigns/{campaign}/memories", data=said)
    review(house, page)
    conflict = cases(page).filter(has_text="Conflicts with canon · The Drowned Bell")
    expect(conflict).to_contain_text("Tarn")
    conflict.get_by_role("button", name=re.compile("canon", re.IGNORECASE)).first.click()
    expect(conflict).to_have_count(0)
    button(toast(page, "Conflict resolved:"), "Undo").click()
    expect(conflict).to_have_count(1)

    page.request.post(f"{house.url}/api/campaigns/{campaign}/logs?filename=one.txt", data=LOG.encode())
    button(page.get_by_role("article", name="Ezra Hobday", exact=True), "Approve").click()
    button(toast(page, "Approved: Ezra Hobday"), "Close this message").click()
    known = f"/api/campaigns/{campaign}/entities"
    eventually(lambda: any(each["name"] == "Ezra Hobday" for each in house.ask(page, "GET", known)["items"]))
