"""People: the gallery, and the page of each with its card, what they know, whom they know, and what happened (V9, R8,
R11, K5)."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.house import House, button, composer, messages, replied, say

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror='window.broken = 1'><script>window.broken = 2</script> [x](javascript:window.broken=3)"
TABS = {"card": "Card", "knows": "Memories", "relations": "Relationships", "timeline": "Timeline"}
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f6"
    "45400000000049454e44ae426082"
)


def person(house: House, page: Page, **fields: Any) -> str:
    id: str = house.ask(page, "POST", "/api/characters", data={"name": "Odile", **fields})["id"]
    return id


def test_the_gallery_shows_everybody_and_is_searched(house: House) -> None:
    """V9: by name, tag and card; from there one talks to them, or reads their page."""
    page = house.visit()
    odile = person(house, page, name="Odile Gallery", tags=["smuggler"], personality="Knows every cave.")
    person(house, page, name="Bram Gallery", greetings=["Aye?"])
    page.goto(f"{house.url}/#/people")
    page.reload()
    rail = page.get_by_role("navigation", name="Main")
    expect(rail.get_by_role("link", name="People")).to_have_attribute("aria-current", "page")
    search = page.get_by_role("searchbox", name="Search people")
    for words in ("odile gall", "smuggler", "every cave"):
        search.fill(words)
        expect(page.get_by_role("main").get_by_role("listitem").get_by_role("link")).to_have_count(1)
    search.fill("nobody at all")
    expect(page.get_by_role("main")).to_contain_text("No people match “nobody at all”")
    search.fill("smuggler")
    page.get_by_role("main").get_by_role("listitem").get_by_role("link").click()
    expect(page).to_have_url(re.compile(f"#/people/{odile}$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Odile Gallery")
    expect(rail.get_by_role("link", name="People")).to_have_attribute("aria-current", "true")
    page.go_back()
    button(page, "Start chat with Bram Gallery").click()
    expect(messages(page)).to_contain_text(["Aye?"])


def test_a_card_is_edited_with_its_tokens_counted(house: House) -> None:
    """V9: fields are kept as they were written, greetings in their order; counts follow what is typed."""
    page = house.visit()
    id = person(house, page, greetings=["First."], statistics={"charisma": 9, "luck": 3})
    page.goto(f"{house.url}/#/people/{id}")
    page.reload()
    save = button(page, "Save")
    expect(save).to_be_disabled()
    described = page.get_by_label("Description", exact=True)
    with page.expect_response(lambda answer: "keeps the light" in (answer.request.post_data or "")) as counted:
        described.fill(f"{HOSTILE} {{{{char}}}} keeps the light.")
    count = counted.value.json()["tokens"]["description"]
    assert count > 5
    expect(described.locator("..")).to_contain_text(f"{count} tokens")
    page.get_by_label("Personality").fill(HOSTILE)
    page.get_by_label("Name").fill(f"Odile {HOSTILE}")
    page.get_by_label("Age").fill("34")
    button(page, "Add greeting").click()
    page.get_by_role("textbox", name="Greeting 2").fill(HOSTILE)
    page.get_by_label("Intelligence").fill("7")
    page.get_by_label("Tags").fill("keeper, <b>bold</b>")
    save.click()
    expect(page.get_by_role("status").filter(has_text="saved")).to_be_visible()
    expect(save).to_be_disabled()

    kept = house.ask(page, "GET", f"/api/characters/{id}")
    assert (kept["age"], kept["tags"], kept["greetings"]) == (34, ["keeper", "<b>bold</b>"], ["First.", HOSTILE])
    assert kept["statistics"] == {"charisma": 9, "luck": 3, "intelligence": 7}
    page.get_by_label("Scenario").fill("A whim.")
    button(page, "Discard").click()
    expect(page.get_by_label("Scenario")).to_have_value("")
    button(page, "Start chat").click()
    expect(composer(page)).to_be_visible()
    say(page, HOSTILE)
    replied(page, 3)
    page.goto(f"{house.url}/#/people")
    expect(page.get_by_role("main")).to_contain_text("Odile <img")
    assert page.evaluate("window.broken") is None


def test_a_page_tells_what_somebody_knows_with_whom_and_what_happened(house: House) -> None:
    """R8, R11, K5: each tab has an address; what is empty says what will stand there."""
    page = house.visit()
    rex = person(house, page, name="Rex Partner")
    odile = person(house, page, name="Odile Known")
    memory = {"content": f"Odile owes Rex a boat. {HOSTILE}", "person_id": odile, "partner_id": rex}
    made = house.ask(page, "POST", "/api/memories", data=memory)
    talk = house.ask(page, "POST", "/api/conversations", data={"character_id": odile, "title": "The debt"})["id"]
    house.ask(page, "POST", f"/api/conversations/{talk}/messages", data={"content": "Well?", "reply": False})
    page.goto(f"{house.url}/#/people/{odile}")
    page.reload()
    page.get_by_role("tab", name="Memories").click()
    expect(page).to_have_url(re.compile("tab=knows"))
    known = page.get_by_role("tabpanel").get_by_role("link")
    expect(known).to_contain_text(["Odile owes Rex a boat."])
    expect(known).to_have_attribute("href", f"#/m/{made['id']}")
    page.reload()
    expect(known).to_have_count(1)

    page.get_by_role("tab", name="Memories").press("ArrowRight")
    partner = page.get_by_role("tabpanel").get_by_role("link", name="Rex Partner")
    expect(partner).to_contain_text("1 memory")
    expect(page.get_by_role("tabpanel")).to_contain_text("None yet. Everlore finds them in chats")
    page.get_by_role("tab", name="Timeline").click()
    page.get_by_role("tabpanel").get_by_role("link", name="The debt").click()
    expect(messages(page)).to_contain_text(["Well?"])
    assert page.evaluate("window.broken") is None


def test_a_card_is_dropped_and_a_picture_given_and_somebody_deleted(house: House) -> None:
    """V9: anywhere on the page; the report says what came of it."""
    page = house.visit("/#/people")
    expect(page.get_by_role("heading", name="People")).to_be_visible()
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Dropped Dora", "first_mes": "Oh!"}}
    page.evaluate(
        """(text) => {
          const carried = new DataTransfer();
          carried.items.add(new File([text], "dora.json", { type: "application/json" }));
          for (const type of ["dragenter", "dragover", "drop"])
            window.dispatchEvent(new DragEvent(type, { dataTransfer: carried, bubbles: true, cancelable: true }));
        }""",
        json.dumps(card),
    )
    report = page.get_by_role("dialog", name="Dropped Dora imported")
    button(report, "Close").last.click()
    page.get_by_role("main").get_by_role("link", name="Dropped Dora").click()
    page.get_by_label("Picture", exact=True).set_input_files(
        {"name": "dora.png", "mimeType": "image/png", "buffer": PIXEL}
    )
    expect(page.get_by_role("main").locator("header img")).to_be_visible()
    button(page, "More actions for Dropped Dora").click()
    page.get_by_role("menuitem", name="Delete").click()
    button(page.get_by_role("dialog"), "Delete").click()
    expect(page).to_have_url(re.compile("#/people$"))
    expect(page.get_by_role("main")).not_to_contain_text("Dropped Dora")
    page.goto(f"{house.url}/#/people/nobody-of-that-id")
    expect(page.get_by_role("heading", name="Person not found")).to_be_visible()


def test_personas_are_created_imported_chosen_and_remembered_apart(house: House) -> None:
    """V9, M2: characters are told about the persona of the chat, and what one persona said is not known of another."""
    page = house.visit("/#/people", viewport={"width": 390, "height": 844})
    button(page, "Create persona").click()
    dialog = page.get_by_role("dialog", name="Create persona")
    dialog.get_by_label("Name").fill("Inspector Vale")
    dialog.get_by_label("Description").fill("A retired detective with a limp.")
    dialog.get_by_label("Description").press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Inspector Vale")
    vale = page.url.rsplit("/", 1)[1]

    page.goto(f"{house.url}/#/people")
    held = {"personas": {"k.png": "Kit Persona"}, "persona_descriptions": {"k.png": {"description": "A thief."}}}
    backup: Any = {"name": "personas.json", "mimeType": "application/json", "buffer": json.dumps(held).encode()}
    mine = page.get_by_role("region", name="Your personas")
    for told in ("1 persona imported.", "0 personas imported."):
        mine.locator("input[type=file]").set_input_files(backup)
        expect(mine.get_by_role("status")).to_contain_text(told)
    expect(mine.get_by_role("link", name="Kit Persona")).to_have_count(1)
    kit = (mine.get_by_role("link", name="Kit Persona").get_attribute("href") or "").rsplit("/", 1)[1]

    cora = person(house, page, name="Cora Persona")
    prompts = []
    for user in (vale, kit):
        talk = house.ask(page, "POST", "/api/conversations", data={"character_id": cora, "user_id": user})["id"]
        prompts.append(house.ask(page, "POST", f"/api/conversations/{talk}/prompt", data={"content": "Who am I?"}))
        memory = {"content": f"{user} owns a boat.", "person_id": user, "partner_id": cora}
        house.ask(page, "POST", "/api/memories", data=memory)
    assert ["retired detective" in str(each["messages"]) for each in prompts] == [True, False]
    assert ["A thief." in str(each["messages"]) for each in prompts] == [False, True]
    known = house.ask(page, "GET", f"/api/persons/{kit}/knowledge")["items"]
    assert [each["memory"]["content"] for each in known] == [f"{kit} owns a boat."]

    page.goto(f"{house.url}/#/people/{kit}")
    button(page, "More actions for Kit Persona").click()
    page.get_by_role("menuitem", name="Delete").click()
    button(page.get_by_role("dialog"), "Delete").click()
    expect(mine).not_to_contain_text("Kit Persona")
