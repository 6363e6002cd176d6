"""Prompt templates on the page: read, tried out, changed, kept (P1, P12, U11, U13, U14)."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.house import SIDEWAYS, TOO_WIDE, House, button, composer

pytestmark = pytest.mark.browser


def templates(page: Page) -> Locator:
    button(page, "Templates").click()
    return page.get_by_role("dialog").first


def document(dialog: Locator) -> Locator:
    return dialog.get_by_role("textbox", name="Template as JSON")


def as_json(dialog: Locator) -> Locator:
    """The second tab of the editor."""
    dialog.get_by_role("tab", name="JSON").click()
    expect(document(dialog)).to_be_visible()
    return dialog


def preview(dialog: Locator) -> Locator:
    return dialog.get_by_role("region", name="Preview")


def write(dialog: Locator, **fields: Any) -> None:
    """Change fields of the template that is open."""
    written = json.loads(document(dialog).input_value()) | fields
    document(dialog).fill(json.dumps(written, indent=2))


def kept(house: House, page: Page, name: str, **fields: Any) -> Any:
    """A template that somebody has made."""
    sections = {"identity": {"content": ["You are ${system.fullName}."]}, "memory": {"content": ["${memory.context}"]}}
    return house.ask(page, "POST", "/api/templates", data={"name": name, "sections": sections} | fields)


def opened(page: Page, name: str) -> Locator:
    dialog = templates(page)
    dialog.get_by_role("button", name=re.compile(f"^{name}")).click()
    return as_json(dialog)


def test_ones_own_template_is_made_from_one_that_is_built_in(house: House) -> None:
    """P1, P3, U11: with a preview of a small sample, as nothing else is open."""
    page = house.visit()
    every = house.ask(page, "GET", "/api/templates")["items"]
    for each in every:
        if not each["built_in"]:
            house.ask(page, "DELETE", f"/api/templates/{each['id']}")
    dialog = templates(page)
    built_in = dialog.get_by_role("region", name="Built-in")
    expect(built_in.get_by_role("button")).to_have_count(sum(each["built_in"] for each in every))
    expect(dialog.get_by_role("region", name="Your templates")).to_contain_text("None yet")

    built_in.get_by_role("button", name=re.compile("^SMS Chat")).click()
    expect(button(dialog, "All templates")).to_be_focused()
    as_json(dialog)
    expect(document(dialog)).not_to_be_editable()
    assert json.loads(document(dialog).input_value())["extends"] == "Base Roleplay"
    expect(preview(dialog)).to_contain_text("with a sample chat")
    expect(preview(dialog)).to_contain_text("Robin drinks tea without sugar.")

    button(dialog, "Customize").click()
    as_json(dialog)
    assert json.loads(document(dialog).input_value()) == {
        "name": "My SMS Chat",
        "extends": "SMS Chat",
        "sections": {},
    }
    write(dialog, name="Telegram", sections={"rules": {"override": True, "content": ["Say it in five words."]}})
    rules = preview(dialog).locator("details").filter(has=page.get_by_text("Rules", exact=True))
    rules.locator("summary").click()
    expect(rules.locator("pre")).to_have_text("1. Say it in five words.")
    expect(rules).to_contain_text("from Telegram")
    button(dialog, "Save").click()

    expect(dialog.get_by_role("heading", name="Telegram")).to_be_visible()
    expect(dialog).to_contain_text("version 1")
    expect(button(dialog, "Save")).to_be_disabled()
    button(dialog, "All templates").click()
    own = dialog.get_by_role("region", name="Your templates")
    expect(own.get_by_role("button", name=re.compile("^Telegram"))).to_contain_text("version 1 · extends SMS Chat")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button(page, "Templates")).to_be_focused()


def test_what_is_wrong_is_said_while_one_types(house: House) -> None:
    """P1, P5: each error and warning with its field; the preview waits for what can be drawn."""
    page = house.visit()
    kept(house, page, "Tides")
    dialog = opened(page, "Tides")
    expect(dialog).to_contain_text("No problems found.")
    problems = dialog.get_by_role("list", name="Problems").get_by_role("listitem")
    expect(preview(dialog)).to_contain_text("memory")

    document(dialog).press_sequentially("}")
    expect(problems).to_have_count(1)
    expect(problems).to_contain_text("Not valid JSON")
    expect(button(dialog, "Save")).to_be_disabled()

    document(dialog).fill('{"name": "Tides", "sections": {"rules": {"content": ["Mind the ${moon}."]}}}')
    expect(problems.first).to_contain_text("sections.rules.content")
    expect(problems.first).to_contain_text("moon")
    expect(problems.filter(has_text="warning:")).to_contain_text("no place for memory")
    expect(preview(dialog)).to_contain_text("Last version without errors:")

    write(dialog, variables={"moon": "tide"})
    expect(problems.filter(has_text="error:")).to_have_count(0)
    expect(preview(dialog)).not_to_contain_text("Last version without errors:")
    expect(preview(dialog)).to_contain_text("The template has no place for memory")


def test_versions_are_compared_and_brought_back(house: House) -> None:
    """P1."""
    page = house.visit()
    kept(house, page, "Harbour")
    dialog = opened(page, "Harbour")
    write(dialog, description="For those who wait.")
    button(dialog, "Save").click()
    expect(dialog).to_contain_text("version 2")

    dialog.get_by_text("Versions", exact=True).click()
    button(dialog, "Show changes").click()
    changes = dialog.get_by_label("Changes since version 1")
    expect(changes.locator(".added").filter(has_text="For those who wait.")).to_have_count(1)
    button(dialog, "Restore").click()
    expect(document(dialog)).not_to_have_value(re.compile("For those who wait."))
    expect(dialog).to_contain_text("version 2, changed")
    button(dialog, "Save").click()
    expect(dialog).to_contain_text("version 3")
    assert house.ask(page, "GET", "/api/templates/Harbour")["description"] == ""


def test_what_somebody_else_saved_meanwhile_is_not_overwritten(house: House) -> None:
    """P1, U13: the server's sentence is shown, and nothing that was typed is lost."""
    page = house.visit()
    id = kept(house, page, "Lantern")["id"]
    dialog = opened(page, "Lantern")
    house.ask(page, "PATCH", f"/api/templates/{id}", data={"description": "Theirs."})

    write(dialog, description="Mine.")
    button(dialog, "Save").click()

    expect(dialog.get_by_role("alert")).to_contain_text("is at version 2, not 1")
    expect(document(dialog)).to_have_value(re.compile("Mine."))
    assert house.ask(page, "GET", f"/api/templates/{id}")["description"] == "Theirs."
    house.pardon("status of 409")


def test_a_template_that_was_deleted_elsewhere_is_said_to_be(house: House) -> None:
    """U13: in the words of the server, and it is gone from the list."""
    page = house.visit()
    id = kept(house, page, "Wreck")["id"]
    dialog = templates(page)
    row = dialog.get_by_role("button", name=re.compile("^Wreck"))
    expect(row).to_be_visible()
    house.ask(page, "DELETE", f"/api/templates/{id}")
    said = page.request.get(f"{house.url}/api/templates/{id}").json()["detail"]
    row.click()

    expect(dialog.get_by_role("alert")).to_contain_text(said)
    expect(row).to_be_hidden()
    house.pardon("status of 404")


def test_unsaved_changes_are_not_lost_by_a_slip(house: House) -> None:
    """U11: neither by a key, nor beside the sheet, nor by going back, nor by loading the page again."""
    page = house.visit(viewport={"width": 1400, "height": 800})
    kept(house, page, "Pier")
    dialog = opened(page, "Pier")
    write(dialog, description="Not saved.")
    question = page.get_by_role("dialog", name="Leave without saving?")

    for _ in range(3):
        page.keyboard.press("Escape")
        expect(question).to_be_visible()
        page.keyboard.press("Escape")
        expect(question).to_be_hidden()
        expect(document(dialog)).to_have_value(re.compile("Not saved."))
    page.mouse.click(5, 400)
    button(question, "Cancel").click()
    button(dialog, "All templates").click()
    button(question, "Cancel").click()
    expect(document(dialog)).to_have_value(re.compile("Not saved."))

    button(dialog, "Close").click()
    button(question, "Leave").click()
    expect(dialog).to_be_hidden()
    assert house.ask(page, "GET", "/api/templates/Pier")["version"] == 1

    write(opened(page, "Pier"), description="Not saved either.")
    with page.expect_event("dialog") as asked:
        page.once("dialog", lambda each: each.accept())
        page.reload()
    assert asked.value.type == "beforeunload"


def test_a_template_is_deleted_after_a_question_and_its_conversations_go_on(house: House) -> None:
    """P1, U13."""
    page = house.visit(viewport={"width": 1400, "height": 900})
    kept(house, page, "Storm")
    id = house.talk(page)
    button(page, "Show prompt").click()
    panel = page.get_by_role("complementary", name="About this chat")
    panel.get_by_label("Template").select_option("Storm")
    expect(panel).to_contain_text(re.compile("tokens, .* Storm"))

    button(panel, "All templates").click()
    dialog = page.get_by_role("dialog").first
    dialog.get_by_role("button", name=re.compile("^Storm")).click()
    button(dialog, "Delete").click()
    button(page.get_by_role("dialog", name="Delete Storm?"), "Cancel").click()
    button(dialog, "Delete").click()
    button(page.get_by_role("dialog", name="Delete Storm?"), "Delete").click()
    expect(dialog.get_by_role("button", name=re.compile("^Storm"))).to_be_hidden()
    button(dialog, "Close").click()

    expect(panel.get_by_label("Template").locator("option:checked")).to_contain_text("deleted")
    composer(page).fill("And now?")
    expect(panel.get_by_role("list", name="Warnings")).to_be_visible()
    expect(panel).to_contain_text(re.compile("tokens, .* Base Roleplay"))
    panel.get_by_label("Template").select_option("Automatic")
    expect(panel.get_by_role("list", name="Warnings")).to_be_hidden()
    assert house.ask(page, "GET", f"/api/conversations/{id}")["config"] == {}


def test_a_template_is_tried_out_in_the_open_conversation(house: House) -> None:
    """P12, U11: with its character, and with what is being written."""
    page = house.visit()
    house.talk(page, name="Odile")
    composer(page).fill("Mind the step?")
    dialog = opened(page, "Companion")

    expect(preview(dialog)).to_contain_text("with the open chat")
    sent = preview(dialog).get_by_role("region", name="Full text").get_by_role("listitem")
    expect(sent.first).to_contain_text("Odile")
    expect(sent.last).to_contain_text("Mind the step?")


def test_the_templates_fit_a_phone(house: House) -> None:
    """U1, U13."""
    page = house.visit(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    button(page, "More").tap()
    page.get_by_role("menuitem", name="Templates").tap()
    dialog = page.get_by_role("dialog").first
    dialog.get_by_role("button", name=re.compile("^Game Master")).tap()
    expect(preview(dialog)).to_contain_text("Campaign")

    assert not page.evaluate(TOO_WIDE)
    for row in preview(dialog).locator("summary:visible").all():
        row.tap()
    assert dialog.evaluate(SIDEWAYS) == []
    button(dialog, "All templates").tap()
    button(dialog, "New template").tap()
    as_json(dialog)
    expect(document(dialog)).to_have_value(re.compile("memory.context"))
    expect(preview(dialog)).to_contain_text("My template")
    button(dialog, "Close").tap()
    expect(dialog).to_be_hidden()
