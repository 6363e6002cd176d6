"""Memories on the page: looked at, searched, changed, merged, forgotten, and traced to their source (U5, U13)."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import crowd
from tests.browser.axe import findings_in_both
from tests.browser.crowd import gathered
from tests.browser.house import House, button, messages, say
from tests.cli.process import Command
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.browser

MANY = 10_000
FEW = 60
# The most that were in the document at any time.
WATCHED = """window.most = 0;
new MutationObserver(() => (window.most = Math.max(window.most, document.querySelectorAll("article").length)))
  .observe(document.body, { childList: true, subtree: true })"""


# Goes to the end again and again, until so many have been in sight.
TO_THE_END = """(number) => {
  const place = document.querySelector(".place");
  place.scrollTop = place.scrollHeight;
  const shown = [...document.querySelectorAll("article")].map((each) => /Number (\\d+)/.exec(each.textContent)?.[1]);
  return shown.some((each) => Number(each) >= number);
}"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """No model: the built-in voice answers, and rules learn. Much is known already."""
    quiet = Command(
        tmp_path_factory.mktemp("house"), EVERLORE_CHAT__PROVIDER="voice", EVERLORE_EMBEDDING__PROVIDER="hashing"
    )
    gathered(quiet.database, MANY)
    with quiet.started("serve", "--port", "0") as server:
        yield server.line()


def remember(house: House, page: Page, content: str, **fields: Any) -> str:
    house.ask(page, "GET", "/api/me")
    id: str = house.ask(page, "POST", "/api/memories", data={"content": content, **fields})["id"]
    return id


def place(house: House, page: Page, query: str = "") -> None:
    page.goto(f"{house.url}/#/memories{query}")
    expect(page.get_by_role("heading", name="Memories", level=1)).to_be_visible()


def card(within: Page | Locator, content: str) -> Locator:
    return within.get_by_role("article").filter(has_text=content)


def toast(page: Page, text: str | re.Pattern[str]) -> Locator:
    return page.locator(".toast").filter(has_text=text)


def test_ux_memory_panel_still_loads(house: House) -> None:
    """U5: the latest first, by person, pair, type and status; what is narrowed stands in the address."""
    page = house.visit()
    odile = house.character(page, name="Odile")
    remember(house, page, "Odile keeps bees on the roof", type="FACT", person_id=odile, importance=8)
    remember(house, page, "Odile and the user mean to sail", type="GOAL", person_id="user", partner_id=odile)
    place(house, page, f"?person={odile}")
    expect(page.get_by_role("link", name="Memories", exact=True).first).to_have_attribute("aria-current", "page")

    list = page.get_by_role("main").get_by_role("listitem")
    expect(list).to_have_count(2)
    expect(list.first).to_contain_text("Odile and you mean to sail")
    expect(list.first).to_contain_text("You and Odile")
    expect(card(page, "bees").get_by_text("Fact:")).to_be_attached()
    expect(card(page, "bees").locator("svg").first).to_be_visible()
    expect(card(page, "bees").get_by_role("img", name="Importance 8 of 10")).to_be_visible()

    page.get_by_label("Together with").select_option("You")
    expect(list).to_have_count(1)
    page.get_by_label("Together with").select_option("Anyone")
    page.get_by_label("Type").select_option("Fact")
    expect(list).to_have_count(1)
    expect(list).to_contain_text("bees")
    expect(page).to_have_url(re.compile("type=FACT"))
    page.reload()
    expect(list).to_have_count(1)
    page.get_by_label("Status").select_option("Marked as wrong")
    expect(page.get_by_role("heading", name="No matches")).to_be_visible()
    button(page, "Clear filters").first.click()
    expect(card(page, "sail")).to_be_visible()


def test_ten_thousand_memories_stay_smooth(house: House) -> None:
    """U5, U13: only what is in sight is drawn, and more is read when the end is near."""
    page = house.visit("/#/review")
    page.evaluate(WATCHED)
    place(house, page, f"?person={crowd.ID}")
    expect(page.get_by_title("Number of memories")).to_have_text(f"{MANY:,}")
    expect(card(page, "Number 0 of")).to_be_visible()

    page.wait_for_function(TO_THE_END, arg=999, timeout=PATIENCE_S * 1000)
    assert 0 < page.evaluate("window.most") < FEW


def test_a_search_gives_reasons_and_says_why_a_memory_did_not_come_back(house: House) -> None:
    """U5, R5: test recall and “why not?” beside the search."""
    page = house.visit()
    remember(house, page, "The user keeps a grey heron feather")
    other = remember(house, page, "The user repairs typewriters")
    place(house, page)
    page.keyboard.press("/")
    page.keyboard.type("heron feather")

    found = page.get_by_role("list", name="Results")
    expect(found.get_by_role("listitem").first).to_contain_text("heron feather")
    expect(found.get_by_role("listitem").first).to_contain_text("Matches the words")
    button(page, "Test recall").click()
    expect(found.get_by_role("listitem").first).to_contain_text("of keywords match")
    expect(found.get_by_role("listitem").first).to_contain_text(re.compile(r"score \d\.\d\d"))
    expect(page.get_by_text("indexed by meaning")).to_be_visible()

    place(house, page)
    button(card(page, "typewriters"), "More actions: You repair typewriters").click()
    page.get_by_role("menuitem", name="When is this used?").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Message").fill("heron feather")
    button(dialog, "Test").click()
    asked = {"query": "heron feather", "include": ["memories"]}
    told = house.ask(page, "POST", f"/api/memories/{other}/why-not", data=asked)
    expect(dialog.get_by_role("status")).to_contain_text(told["why"])
    expect(dialog.get_by_role("status")).not_to_contain_text(re.compile(r"\d\.\d\d"))
    dialog.get_by_label("Message").fill("typewriters")
    button(dialog, "Test").click()
    expect(dialog.get_by_role("status")).to_contain_text("This message finds the memory, so a reply can use it.")
    expect(dialog.get_by_role("status")).not_to_contain_text(re.compile(r"\d\.\d\d"))


def test_a_memory_is_written_down_edited_and_its_history_is_a_difference(house: House) -> None:
    """U5, M6: by keyboard; what it was before, who changed it and why."""
    page = house.visit()
    place(house, page)
    button(page, "Add").press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Memory")).to_be_visible()
    dialog.get_by_label("Memory").fill("Bruno plays the cello")
    dialog.get_by_label("Type").select_option("Skill")
    dialog.get_by_label("Memory").press("Tab")
    button(dialog, "Save").press("Enter")
    expect(dialog).to_be_hidden()
    expect(toast(page, "Memory saved.")).to_be_visible()

    card(page, "Bruno plays the cello").get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Bruno plays the cello")
    button(page, "Edit").click()
    dialog.get_by_label("Memory").fill("Bruno plays the viola")
    dialog.get_by_label("Reason (optional)").fill("He said so.")
    button(dialog, "Save").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Bruno plays the viola")
    history = page.get_by_role("region", name="History")
    expect(history.locator("del")).to_have_text("cello")
    expect(history.locator("ins")).to_have_text("viola")
    expect(history).to_contain_text("He said so.")
    page.reload()
    expect(history.locator("ins")).to_have_text("viola")


def test_a_memory_about_the_reader_says_in_its_form_how_it_is_shown(house: House) -> None:
    """U5: it is stored in the third person, and every list addresses the reader."""
    page = house.visit()
    id = remember(house, page, "The user grows tomatoes")
    page.goto(f"{house.url}/#/m/{id}")
    expect(page.get_by_role("heading", level=1)).to_have_text("You grow tomatoes")
    button(page, "Edit").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Memory")).to_have_value("The user grows tomatoes")
    expect(dialog).to_contain_text("You see it as “You grow tomatoes”")


def test_memories_that_say_the_same_are_merged(house: House) -> None:
    """U5, M6."""
    page = house.visit()
    gerda = house.character(page, name="Gerda")
    for text in ("Gerda drinks black coffee", "Strong espresso wakes Gerda every morning"):
        remember(house, page, text, person_id=gerda)
    place(house, page, f"?person={gerda}")
    page.get_by_label("Select: Gerda drinks black coffee").check()
    page.get_by_label("Select: Strong espresso").check()
    button(page.get_by_role("toolbar", name="Selected memories"), "Merge").click()
    dialog = page.get_by_role("dialog")
    proposed = dialog.get_by_label("Merged text")
    expect(proposed).to_have_value(re.compile("black coffee.*Strong|Strong.*black coffee"))
    proposed.fill("Gerda drinks strong black coffee")
    button(dialog, "Merge").click()

    expect(dialog).to_be_hidden()
    expect(card(page, "Gerda drinks strong black coffee")).to_be_visible()
    expect(card(page, "Merged")).to_have_count(1)
    expect(card(page, "Outdated")).to_have_count(0)
    card(page, "Merged").get_by_role("link").click()
    page.get_by_role("link", name="see the merged memory").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Gerda drinks strong black coffee")


def test_weak_matches_of_a_search_are_folded_away(house: House) -> None:
    """U5, R2b: what matches is on top with its reasons as chips; the rest opens with a click."""
    page = house.visit()
    ilse = house.character(page, name="Ilse")
    for text in ("Ilse repairs church organs", "Ilse has an old kettle"):
        remember(house, page, text, person_id=ilse)
    question = "What does Ilse do with church organs?"
    told = house.ask(page, "POST", "/api/memories/search", data={"query": question, "include": ["memories"]})["items"]
    weak = [each["content"] for each in told if each["doubtful"]]
    assert len(weak) < len(told)
    place(house, page, f"?words={question}")

    results = page.get_by_role("list", name="Results", exact=True)
    expect(card(results, "organs").get_by_role("list", name="Why it was found")).to_contain_text("Matches the words")
    expect(results.get_by_role("article")).to_have_count(len(told) - len(weak))
    expect(card(results, "organs").get_by_text("score")).to_have_count(0)
    if weak:
        less_likely = page.get_by_role("list", name="Less likely").get_by_role("article")
        expect(less_likely).to_have_count(0)
        page.get_by_text(f"Less likely ({len(weak)})").click()
        expect(less_likely).to_have_count(len(weak))

    place(house, page, "?words=How does Ilse usually spend her free time?")
    expect(page.get_by_role("heading", name="No memories found")).to_be_visible()
    expect(card(page.get_by_role("list", name="Less likely"), "Ilse").first).to_be_visible()


def test_all_are_selected_forgotten_and_restored_with_one_undo(house: House) -> None:
    """U5: also what was not loaded yet; one toast for all of them."""
    page = house.visit(viewport={"width": 390, "height": 844})
    hugo = house.character(page, name="Hugo")
    for text in ("Hugo grows quinces", "Hugo fears geese", "Hugo wrote an opera"):
        remember(house, page, text, person_id=hugo)
    place(house, page, f"?person={hugo}")
    button(page, "Select all").click()
    bar = page.get_by_role("toolbar", name="Selected memories")
    expect(bar).to_contain_text("3 selected")
    button(bar, "Clear selection").click()
    expect(bar).to_be_hidden()
    button(page, "Select all").click()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    button(bar, "Forget").click()
    button(page.get_by_role("dialog", name="Forget 3 memories?"), "Forget").click()
    expect(page.get_by_role("heading", name="No matches")).to_be_visible()
    button(toast(page, "Forgotten: 3 memories"), "Undo").click()
    expect(page.get_by_role("article")).to_have_count(3)


def test_one_fact_is_one_entry_also_after_branching(house: House) -> None:
    """U5, V5: a branch shares the memories of its chat."""
    page = house.visit()
    id = house.talk(page, name="Ottilie")
    say(page, "I am allergic to saffron.")
    expect(toast(page, "New memory: You are allergic to saffron")).to_be_visible()
    last = house.ask(page, "GET", f"/api/conversations/{id}/messages")["items"][-1]["id"]
    branch = house.ask(page, "POST", f"/api/conversations/{id}/branch", data={"message_id": last})["id"]
    house.ask(page, "POST", f"/api/conversations/{branch}/messages", data={"content": "As I said, no saffron."})
    house.ask(page, "POST", f"/api/conversations/{branch}/extract?wait=true&again=true")
    place(house, page)
    expect(card(page, "You are allergic to saffron")).to_have_count(1)


@pytest.mark.parametrize("width", [1300, 390])
def test_everything_about_me_is_counted_confirmed_and_deleted(voiced: House, width: int) -> None:
    """M9: counted first, a copy offered, confirmed by typing; a number that changed meanwhile is asked for again."""
    page = voiced.visit(viewport={"width": width, "height": 844})
    quentin = voiced.character(page, name="Quentin")
    for text in ("The user likes rain", "The user lives in Porto"):
        remember(voiced, page, text)
    remember(voiced, page, "Quentin likes snow", person_id=quentin)
    place(voiced, page)
    expect(card(page, "You like rain")).to_be_visible()
    button(page, "More actions").click()
    page.get_by_role("menuitem", name="Forget everything about me…").click()
    dialog = page.get_by_role("dialog", name="Forget everything about me")
    expect(dialog).to_contain_text("permanently deletes 2 memories")
    with page.expect_download() as download:
        dialog.get_by_role("link", name="Download a copy first").click()
    assert "Porto" in download.value.path().read_text()

    confirm = dialog.get_by_label("Type “forget me” to confirm")
    expect(button(dialog, "Delete 2 memories")).to_be_disabled()
    confirm.fill("forget me")
    remember(voiced, page, "The user plays the zither")
    button(dialog, "Delete 2 memories").click()
    expect(dialog.get_by_role("alert")).to_contain_text("There are 3 memories now")
    expect(card(page, "You like rain")).to_be_attached()
    confirm.fill("Forget me")
    confirm.press("Enter")
    expect(dialog).to_be_hidden()
    expect(toast(page, "Deleted 3 memories about you.")).to_be_visible()
    expect(card(page, "Quentin likes snow")).to_be_visible()
    expect(card(page, "You like rain")).to_have_count(0)
    voiced.ask(page, "DELETE", f"/api/characters/{quentin}")
    voiced.pardon("status of 409")


@pytest.fixture(scope="module")
def of_petra(shared: House) -> tuple[Page, str]:
    """What is known of somebody, on one page."""
    page = shared.visit()
    return page, shared.character(page, name="Petra")


def hits(house: House, page: Page, words: str, id: str) -> int:
    """How often recall finds it."""
    found = house.ask(page, "POST", "/api/memories/search", data={"query": words, "include": ["memories"]})["items"]
    return sum(each["id"] == id for each in found)


def test_ux_memory_panel_delete_cascades(shared: House, of_petra: tuple[Page, str]) -> None:
    """U5, M9: at once out of the list and of recall, and at last gone for good."""
    page, petra = of_petra
    id = remember(shared, page, "Petra collects tin whistles", person_id=petra)
    place(shared, page, f"?person={petra}")
    assert hits(shared, page, "tin whistles", id) == 1
    button(page, "Forget: Petra collects tin whistles").click()
    toast(page, "Forgotten: Petra collects").hover()  # it stays as long as the pointer is on it
    expect(card(page, "tin whistles")).to_be_hidden()
    assert hits(shared, page, "tin whistles", id) == 0
    button(toast(page, "Forgotten: Petra collects"), "Close this message").click()
    page.wait_for_function("async (path) => (await fetch(path)).status === 404", arg=f"/api/memories/{id}")
    shared.pardon("status of 404")


def test_ux_memory_panel_count_updates_on_delete(shared: House, of_petra: tuple[Page, str]) -> None:
    """U5: it goes down by one, and up again when that is taken back."""
    page, petra = of_petra
    id = remember(shared, page, "Petra dislikes thunder", person_id=petra)
    place(shared, page, f"?person={petra}")
    expect(card(page, "thunder")).to_be_visible()
    count = page.get_by_title("Number of memories")
    before = int(count.inner_text())
    button(page, "Forget: Petra dislikes thunder").click()
    expect(count).to_have_text(str(before - 1))
    button(toast(page, "Forgotten: Petra dislikes"), "Undo").click()
    expect(card(page, "thunder")).to_be_visible()
    expect(count).to_have_text(str(before))
    assert hits(shared, page, "thunder", id) == 1


def test_what_is_learnt_is_told_and_appears_everywhere_without_a_reload(house: House) -> None:
    """U5: in another window too; at most one toast; taken back, it is said to be wrong; off by a switch."""
    page, other = house.visit(), house.visit()
    house.talk(page)
    place(house, other)
    say(page, "I am allergic to walnuts.")

    expect(toast(page, "New memory: You are allergic to walnuts")).to_be_visible()
    expect(card(other, "You are allergic to walnuts")).to_be_visible()
    button(toast(page, "walnuts"), "Undo").click()
    expect(card(other, "You are allergic to walnuts")).to_contain_text("Marked as wrong")

    other.get_by_label("Notify me about new memories").uncheck()
    say(page, "I am allergic to shellfish.")
    expect(card(other, "You are allergic to shellfish")).to_be_visible()
    expect(toast(page, "shellfish")).to_have_count(1)
    expect(toast(other, "shellfish")).to_have_count(0)


def test_a_memory_leads_to_its_message_and_a_reply_to_its_memories(house: House) -> None:
    """U5, U11, M5: the source, opened at that message; what a reply rests on, with the reason; who knows it."""
    page = house.visit(viewport={"width": 1300, "height": 600})
    id = house.talk(page, name="Rosa")
    said = house.ask(
        page, "POST", f"/api/conversations/{id}/messages", data={"content": "My brother is called Anton."}
    )["user_message"]["id"]
    for number in range(55):
        filler = {"content": f"Line {number}", "reply": False}
        house.ask(page, "POST", f"/api/conversations/{id}/messages", data=filler)
    memories = house.ask(page, "POST", f"/api/conversations/{id}/extract?wait=true&again=true")["formed"]
    learnt = house.ask(page, "GET", "/api/memories", params={"message_id": said})["items"]
    assert learnt, memories
    say(page, "What is my brother called?")
    expect(messages(page).nth(-2)).to_contain_text("What is my brother called?")
    expect(messages(page).last).to_contain_text("Anton")

    button(messages(page).last, "Memories used for this reply").click()
    inspector = page.get_by_role("complementary", name="About this chat")
    rests_on = inspector.get_by_role("list", name="Memories used for this reply").get_by_role("listitem")
    expect(rests_on.filter(has_text="Anton").first).to_be_visible()
    rests_on.filter(has_text="Anton").get_by_role("link").first.click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("Anton")
    expect(page.get_by_role("region", name="Who knows it")).to_contain_text("Rosa")
    expect(page.get_by_role("region", name="Who knows it")).not_to_contain_text("You")
    source = page.get_by_role("region", name="Source")
    expect(source.locator("time").first).to_have_text(re.compile("^today, "))
    expect(source.locator("time").first).to_have_attribute("title", re.compile(r"\d{4}"))
    page.get_by_text("Details", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("Other characters may hear about this")
    page.get_by_role("region", name="Source").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(f"c/{id}\\?at={said}"))
    expect(messages(page).filter(has_text="My brother is called Anton.").first).to_be_in_viewport()


@pytest.fixture(scope="module")
def tilda(shared: House) -> Locator:
    """What she knows about you, beside a conversation that nobody has read yet."""
    page = shared.visit(viewport={"width": 1300, "height": 800})
    id = shared.talk(page, name="Tilda")
    shared.ask(page, "PATCH", f"/api/conversations/{id}", data={"config": {"memory_extraction_every": 100}})
    say(page, "I work as a bookbinder.")
    expect(messages(page)).to_have_count(3)
    button(page, "What Tilda knows about you").click()
    return page.get_by_role("tabpanel", name="Memories")


def test_ux_memory_panel_extract_still_works(tilda: Locator) -> None:
    """U5: what was said is in the list as soon as it is read."""
    button(tilda, "Look for things to remember").click()
    expect(toast(tilda.page, re.compile("Added|No new memories")).first).to_be_visible()
    expect(card(tilda, "You work as a bookbinder")).to_be_visible()


def test_ux_memory_panel_force_extract(tilda: Locator) -> None:
    """U5, F1: as often as one likes, and nothing is kept twice."""
    for _ in range(2):
        button(tilda, "Look for things to remember").click()
        expect(button(tilda, "Look for things to remember")).to_be_enabled()
        expect(card(tilda, "You work as a bookbinder")).to_have_count(1)


def test_a_memory_is_added_and_forgotten_beside_the_conversation(tilda: Locator) -> None:
    """U5."""
    button(tilda, "Add").click()
    dialog = tilda.page.get_by_role("dialog")
    dialog.get_by_label("Memory").fill("Tilda owes the user a walk")
    button(dialog, "Save").click()
    expect(card(tilda, "owes you a walk")).to_be_visible()
    button(tilda, "Forget: Tilda owes you a walk").click()
    expect(card(tilda, "owes you a walk")).to_be_hidden()


def test_a_category_is_for_those_who_look_closer(house: House) -> None:
    """U5, U13: the results of “Test recall” leave it out; the memory's own page shows it."""
    page = house.visit(reduced_motion="reduce")
    id = remember(house, page, "The user likes bright rooms", category="preference")
    place(house, page, "?status=active&words=bright%20rooms")
    expect(page.get_by_role("list", name="Results")).to_be_visible()
    button(page, "Test recall").click()
    assert findings_in_both(page) == []
    expect(page.get_by_role("list", name="Results").get_by_text("Preference", exact=True)).to_have_count(0)
    page.goto(f"{house.url}/#/m/{id}")
    expect(page.get_by_role("main")).to_contain_text("Preference")


def test_a_memory_that_is_not_there_and_a_server_that_does_not_answer_are_said(house: House) -> None:
    """U13: in the server's words; and what came back is read by itself."""
    page = house.visit()
    remember(house, page, "The user owns a kayak")
    page.goto(f"{house.url}/#/m/nowhere")
    expect(page.get_by_role("heading", name="Could not load this memory")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("nowhere")

    place(house, page)
    expect(card(page, "kayak")).to_be_visible()
    page.context.set_offline(True)
    page.evaluate("location.hash = '#/memories?type=GOAL'")
    expect(page.get_by_role("heading", name="No connection")).to_be_visible()
    page.context.set_offline(False)
    page.evaluate("location.hash = '#/memories'")
    expect(card(page, "kayak")).to_be_visible()
    house.pardon("status of 404", "net::ERR_INTERNET_DISCONNECTED")
