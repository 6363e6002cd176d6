"""Lorebooks on the page of a person and of a campaign: made, edited, imported, exported; they fire (V18)."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import findings_in
from tests.browser.house import House, button

pytestmark = pytest.mark.browser

WORLD = {
    "entries": {
        "0": {"uid": 0, "key": ["ferry"], "comment": "Ferry", "content": "The ferry sails at dawn.", "sticky": 3},
        "1": {"uid": 1, "key": ["tower"], "comment": "Tower", "content": "It leans.", "disable": True},
    }
}
HOSTILE = '<img src=x onerror="window.ran = 1"> ${user.fullName} {{user}}'


def file_of(document: Any, name: str = "Coast.json") -> Any:
    return {"name": name, "mimeType": "application/json", "buffer": json.dumps(document).encode()}


def section(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def prompt_for(house: House, page: Page, character: str, text: str) -> Any:
    talk = house.ask(page, "POST", "/api/conversations", data={"character_id": character})["id"]
    return house.ask(page, "POST", f"/api/conversations/{talk}/prompt", data={"content": text})


@pytest.mark.parametrize("size", [(1280, 900), (390, 844)], ids=["desktop", "phone"])
def test_a_lorebook_is_written_for_a_character_and_fires(house: House, size: tuple[int, int]) -> None:
    """V18: by the keyboard where one writes; the prompt view says why an entry is there."""
    page = house.visit(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    name = f"Odile {size[0]}"
    mira = house.ask(page, "POST", "/api/characters", data={"name": name, "description": "Keeps a lamp."})["id"]
    page.goto(f"{house.url}/#/people/{mira}?tab=lorebooks")
    page.reload()
    mine = section(page, f"Lorebooks of {name}")
    expect(mine).to_contain_text("No lorebooks yet.")

    button(mine, "New lorebook").press("Enter")
    mine.get_by_label("Lorebook name").fill("Grey Point")
    button(mine, "Add entry").press("Enter")
    expect(mine.get_by_label("Entry name")).to_be_focused()
    page.keyboard.type("Lighthouse")
    button(mine, "Save lorebook").press("Enter")
    expect(mine.get_by_role("alert")).to_have_text("Add text to this entry.")
    mine.get_by_role("textbox", name=re.compile("^Keys")).fill("lighthouse, /lamps?/i")
    mine.get_by_role("textbox", name="Text", exact=True).fill(f"It has been dark for ten years. {HOSTILE}")
    mine.get_by_text("Advanced").click()
    mine.get_by_label("Secondary keys", exact=True).fill("storm")
    mine.get_by_label("Secondary keys that must appear").select_option(label="None of them")
    mine.get_by_label("Position").select_option(label="Among the messages")
    mine.get_by_label("Depth").fill("1")
    mine.get_by_label("Order").fill("30")
    button(mine, "Save lorebook").press("Enter")
    expect(page.get_by_role("status").filter(has_text="“Grey Point” saved")).to_be_visible()
    expect(button(mine, "Save lorebook")).to_be_disabled()
    assert findings_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    told = prompt_for(house, page, mira, "Is the LAMP lit?")
    assert [(each["name"], each["why"], each["position"]) for each in told["lore"]] == [
        ("Lighthouse", "Matched key '/lamps?/i' without secondary keys.", "at_depth 1")
    ]
    assert prompt_for(house, page, mira, "The lamp, in a storm?")["lore"] == []
    page.reload()
    mine.get_by_role("button", name=re.compile("Grey Point")).first.click()
    mine.get_by_role("button", name=re.compile("Lighthouse")).click()
    expect(mine.get_by_role("textbox", name="Text", exact=True)).to_have_value(
        f"It has been dark for ten years. {HOSTILE}"
    )
    mine.get_by_label("Enabled").uncheck()
    button(mine, "Save lorebook").click()
    expect(button(mine, "Save lorebook")).to_be_disabled()
    assert prompt_for(house, page, mira, "Is the lamp lit?")["lore"] == []
    assert page.evaluate("window.ran") is None


def test_world_info_of_sillytavern_comes_in_and_goes_out(house: House, tmp_path: Path) -> None:
    """V18: the file goes out with what was edited, and with the fields that the page does not show."""
    page = house.visit()
    rex = house.ask(page, "POST", "/api/characters", data={"name": "Rex Coast"})["id"]
    page.goto(f"{house.url}/#/people/{rex}?tab=lorebooks")
    page.reload()
    mine = section(page, "Lorebooks of Rex Coast")
    mine.locator("input[type=file]").set_input_files(file_of(WORLD))
    expect(mine.get_by_role("status")).to_contain_text("“Coast” imported: 2 entries")
    mine.get_by_role("button", name=re.compile("^Coast")).click()
    mine.get_by_role("button", name=re.compile("Ferry")).click()
    mine.get_by_label("Always include").check()
    button(mine, "Save lorebook").click()
    expect(button(mine, "Save lorebook")).to_be_disabled()
    assert [each["why"] for each in prompt_for(house, page, rex, "Hm.")["lore"]] == ["Always included."]

    button(mine, "More actions for Coast").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Export for SillyTavern").click()
    download.value.save_as(tmp_path / "out.json")
    entries = json.loads((tmp_path / "out.json").read_text())["entries"]
    assert (entries["0"]["constant"], entries["0"]["sticky"]) == (True, 3)
    assert entries["1"] == WORLD["entries"]["1"]

    mine.get_by_role("switch", name="On").uncheck()
    expect(mine.get_by_role("switch", name="On")).not_to_be_checked()
    assert prompt_for(house, page, rex, "The ferry?")["lore"] == []
    mine.locator("input[type=file]").set_input_files(file_of({"no": "book"}, "other.json"))
    expect(page.get_by_role("alert").filter(has_text="This is not a lorebook")).to_be_visible()
    house.pardon("400 (Bad Request)")
    button(mine, "More actions for Coast").click()
    page.get_by_role("menuitem", name="Delete").click()
    button(page.get_by_role("dialog"), "Delete").click()
    expect(mine).to_contain_text("No lorebooks yet.")


def test_the_lorebook_of_a_card_is_edited_and_stays_in_the_card(house: House) -> None:
    """V18, V9: saved into the card that is exported."""
    page = house.visit()
    book = {"name": "Inside", "entries": [{"id": 1, "keys": ["lamp"], "content": "It is lit.", "enabled": True}]}
    data = {"name": "Carded Cara", "first_mes": "Oh!", "character_book": book}
    card = json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data})
    sent = page.request.post(f"{house.url}/api/characters/import?filename=cara.json", data=card)
    cara = sent.json()["character"]["id"]
    page.goto(f"{house.url}/#/people/{cara}?tab=lorebooks")
    page.reload()
    mine = section(page, "Lorebooks of Carded Cara")
    expect(mine).to_contain_text("1 entry · part of the card")
    mine.get_by_role("button", name=re.compile("^Inside")).click()
    mine.get_by_role("button", name=re.compile("lamp")).click()
    mine.get_by_role("textbox", name="Text", exact=True).fill("It is out.")
    button(mine, "Save lorebook").click()
    expect(button(mine, "Save lorebook")).to_be_disabled()
    out = house.ask(page, "GET", f"/api/characters/{cara}/export?format=json")
    assert [each["content"] for each in out["data"]["character_book"]["entries"]] == ["It is out."]


def test_a_campaign_has_lorebooks_and_players_see_none(house: House) -> None:
    """V18, G9: they fire in its sessions alone, a hidden entry for nobody who plays, and go with the campaign."""
    page = house.visit()
    campaign = house.ask(page, "POST", "/api/campaigns", data={"name": "The Dark Coast"})["id"]
    page.goto(f"{house.url}/#/campaigns/{campaign}/lorebooks")
    button(page, "New lorebook").click()
    for name, key, text in (("Bell", "bell", "It is cracked."), ("Secret", "bell", "The priest broke it.")):
        button(page, "Add entry").click()
        page.get_by_label("Entry name").fill(name)
        page.get_by_role("textbox", name=re.compile("^Keys")).fill(key)
        page.get_by_role("textbox", name="Text", exact=True).fill(text)
    page.get_by_label("Hidden from players").check()
    button(page, "Save lorebook").click()
    expect(button(page, "Save lorebook")).to_be_disabled()

    nell = house.ask(page, "POST", "/api/characters", data={"name": "Nell"})["id"]
    assert prompt_for(house, page, nell, "The bell?")["lore"] == []
    talk = house.ask(page, "POST", "/api/conversations", data={"character_id": nell})["id"]
    house.ask(page, "POST", f"/api/campaigns/{campaign}/sessions", data={"conversation_id": talk})
    told = house.ask(page, "POST", f"/api/conversations/{talk}/prompt", data={"content": "The bell?"})
    assert [each["name"] for each in told["lore"]] == ["Bell"]
    page.goto(f"{house.url}/#/campaigns/{campaign}/lorebooks?as=any")
    expect(page.get_by_text("This is what players see.")).to_be_visible()
    expect(page.get_by_role("link", name="Lorebooks")).to_have_count(0)
    expect(page.get_by_role("main")).not_to_contain_text("New lorebook")

    house.ask(page, "DELETE", f"/api/campaigns/{campaign}")
    assert house.ask(page, "GET", "/api/lorebooks")["items"] == []
