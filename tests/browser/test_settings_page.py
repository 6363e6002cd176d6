"""How the house is set up, on the page: models, memory, users and tokens, data, appearance (U12)."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import findings_in
from tests.browser.house import TOO_WIDE, House, SlowAnswer, button, messages, say
from tests.interchange.exports import chatgpt, zipped
from tests.models.chat_server import TEXT

pytestmark = pytest.mark.browser

PAPER = "(body) => getComputedStyle(body).backgroundColor"
DROP = """(files) => {
  const carried = new DataTransfer();
  for (const [name, text] of files) carried.items.add(new File([text], name));
  for (const type of ["dragenter", "dragover", "drop"])
    window.dispatchEvent(new DragEvent(type, { dataTransfer: carried, bubbles: true, cancelable: true }));
}"""
PARTS = ("models", "memory", "users", "data", "appearance")


def chosen(page: Page, file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        button(page, "Choose files").click()
    chooser.value.set_files(file)


def test_a_search_without_a_find_says_so_on_the_page_and_covers_nothing(house: House) -> None:
    """U12, U13."""
    page = house.visit("/#/settings/models")
    nothing = house.ask(page, "GET", "/api/models") | {"found": []}
    page.route("**/api/models/discover", lambda route: route.fulfill(json=nothing))
    button(page, "Detect local models").click()
    expect(page.get_by_role("region", name="Models")).to_contain_text("No local models found.")
    expect(page.locator(".toast")).to_have_count(0)


def test_a_model_is_tested_before_it_is_saved_and_chosen_from_the_servers_list(house: House) -> None:
    """U12, U19, V5: presets fill in the address, Connect says what is wrong, and the list comes from the server."""
    page = house.visit("/#/settings/models")
    replies = page.get_by_role("article", name="Replies")
    expect(replies).to_contain_text("fine-model")
    button(replies, "Test").click()
    expect(replies.get_by_role("status")).to_contain_text("The model works.")

    button(replies, "Change").click()
    form = replies.locator("form")
    form.get_by_role("radio", name="LM Studio").check()
    expect(form.get_by_label("Address")).to_have_value("http://127.0.0.1:1234/v1")
    expect(form.get_by_label("API key")).to_have_count(0)
    form.get_by_role("radio", name="OpenRouter").check()
    expect(form.get_by_label("Address")).to_have_value("https://openrouter.ai/api/v1")
    expect(form.get_by_label("API key")).to_be_visible()

    form.get_by_role("radio", name="Other").check()
    form.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    form.get_by_role("textbox", name="Model").fill("nobody")
    button(form, "Connect").click()
    expect(form.get_by_role("status")).to_contain_text("Can't reach http://127.0.0.1:9/v1.")
    assert house.ask(page, "GET", "/api/models")["chat"]["base_url"] == house.model.url

    form.get_by_label("Address").fill(house.model.url)
    form.get_by_label("Address").blur()
    expect(form).to_contain_text("on this server.")
    form.get_by_role("combobox", name="Model").select_option("fine-model")
    assert findings_in(page) == []
    button(form, "Connect").click()
    expect(form).to_have_count(0)
    expect(replies).to_contain_text("Set in settings.")
    button(replies, "Change").click()
    button(replies, "Use the default").click()
    expect(replies).not_to_contain_text("Set in settings.")


def test_an_address_that_is_changed_while_the_model_is_tested_is_not_saved(house: House) -> None:
    """U19: only what was tested is saved."""
    page = house.visit("/#/settings/models")
    before = house.ask(page, "GET", "/api/models")["chat"]
    replies = page.get_by_role("article", name="Replies")
    button(replies, "Change").click()
    form = replies.locator("form")
    form.get_by_role("combobox", name="Model").select_option("other-model")
    tested = SlowAnswer(page, re.compile("/api/models/test$"), "POST")
    button(form, "Connect").click()
    expect(button(form, "Testing…")).to_be_disabled()
    form.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    tested.release()

    expect(button(form, "Connect")).to_be_enabled()
    assert house.ask(page, "GET", "/api/models")["chat"] == before


def test_the_context_window_that_the_server_reports_is_shown(house: House) -> None:
    """U19, V5."""
    house.model.told = {"max_model_len": 32_768}
    page = house.visit("/#/settings/models")
    replies = page.get_by_role("article", name="Replies")
    wish = {"provider": "openai", "base_url": house.model.url, "model": "other-model"}
    house.ask(page, "PUT", "/api/models", data={"chat": wish})
    page.reload()
    expect(replies).to_contain_text("Context window: 32,768 tokens.")
    house.ask(page, "PUT", "/api/models", data={"chat": None})


def test_sampling_and_a_system_prompt_are_set_in_the_form_and_reach_the_model(house: House) -> None:
    """U19, V6: as defaults for new chats."""
    page = house.visit("/#/settings/memory", viewport={"width": 390, "height": 844})
    page.locator("summary", has_text=re.compile("^Model$")).click()
    page.get_by_label("Temperature", exact=True).fill("0.4")
    page.get_by_label("Temperature", exact=True).blur()
    page.locator("summary", has_text=re.compile("^Prompt$")).click()
    page.get_by_label("System prompt", exact=True).fill("Speak like a pirate.")
    page.get_by_label("System prompt", exact=True).blur()
    expect(page.get_by_text("1 changed")).to_have_count(2)
    assert not page.evaluate(TOO_WIDE)
    house.talk(page)
    say(page, "Good evening.")
    expect(messages(page).last).to_contain_text(TEXT)
    sent = [each.body for each in house.model.asked_to_chat if "pirate" in str(each.body)]
    assert sent[0]["temperature"] == 0.4
    house.ask(page, "PUT", "/api/config", data={})


def test_what_new_conversations_are_set_up_with_is_a_form_of_the_one_definition(house: House) -> None:
    """U12, V6: every field of the schema is drawn; what is set holds for new conversations, and no others."""
    page = house.visit()
    before = house.talk(page)
    page.goto(f"{house.url}/#/settings/memory")
    page.get_by_text("Recall", exact=True).click()
    page.get_by_label("Memory budget (tokens)", exact=True).fill("321")
    page.get_by_label("Memory budget (tokens)", exact=True).blur()
    expect(page.get_by_role("status").filter(has_text="New chats use these settings")).to_be_visible()
    page.get_by_text("Memory", exact=True).click()
    page.get_by_role("switch", name="Review new memories").check()
    expect(page.get_by_text("1 changed")).to_have_count(2)
    assert house.ask(page, "GET", "/api/config") == {"memory_budget": 321, "review_memories": True}
    after = house.talk(page)
    configs = [house.ask(page, "GET", f"/api/conversations/{id}")["config"] for id in (before, after)]
    assert configs == [{}, {"memory_budget": 321, "review_memories": True}]

    page.goto(f"{house.url}/#/settings/memory")
    page.get_by_text("Memory1 changed", exact=True).click()
    expect(page.get_by_role("switch", name="Review new memories")).to_be_checked()
    fields = house.ask(page, "GET", "/api/config/schema")["properties"]
    shown = [field for field in fields.values() if not field.get("hidden")]
    assert 0 < len(shown) < len(fields)
    assert page.locator(".form .row").count() == len(shown)
    button(page, "Reset all to default").click()
    expect(page.get_by_role("switch", name="Review new memories")).not_to_be_checked()
    assert house.ask(page, "GET", "/api/config") == {}


def test_a_token_is_shown_once_and_revoked(house: House) -> None:
    """U12, S-1: made for a user, shown once, gone from the page after that, and shut out when it is revoked."""
    page = house.visit("/#/settings/users")
    page.get_by_label("New user’s name").fill("Ana")
    button(page, "Add user").click()
    expect(button(page, "Delete Ana")).to_be_visible()
    button(page, "New token").click()
    page.get_by_label("Token name").fill("Ana’s phone")
    page.get_by_role("combobox", name="User").select_option(label="Ana")
    button(page, "Create token").click()
    token = page.get_by_role("status").locator("code").inner_text()
    assert token.startswith("everlore_")
    page.reload()
    card = page.get_by_role("listitem").filter(has_text="Ana’s phone")
    expect(card).to_contain_text("for Ana")
    assert token not in page.content()
    button(card, "Revoke").click()
    button(page.get_by_role("dialog"), "Revoke").click()
    expect(card).to_contain_text("revoked")


def test_an_exported_workspace_is_previewed_and_has_nothing_new(house: House) -> None:
    """U12, U18, M13: the file that was exported is read again, and nothing of it is new."""
    page = house.visit("/#/settings/data")
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON Lines").click()
    chosen(page, download.value.path())
    row = page.get_by_role("list", name="Files to import").get_by_role("listitem").first
    expect(row).to_contain_text("already here: skipped.")
    expect(button(page, "Import now")).to_be_disabled()


def test_a_chatgpt_export_is_previewed_imported_and_reported(house: House, tmp_path: Path) -> None:
    """U18: on a phone; the preview is in words, the report says what was left out, and a second import adds nothing."""
    page = house.visit("/#/settings/data", viewport={"width": 390, "height": 844})
    file = tmp_path / "export.zip"
    file.write_bytes(zipped([chatgpt("tide", "Tides and ferries"), chatgpt("moon", "The moon")]))
    chosen(page, file)
    row = page.get_by_role("list", name="Files to import").get_by_role("listitem").first
    expect(row).to_contain_text("2 chats from ChatGPT (8 messages in the file, 2023).")
    expect(row).to_contain_text("A new character called ChatGPT is created.")
    assert findings_in(page) == []
    assert not page.evaluate(TOO_WIDE)
    button(page, "Import now").press("Enter")
    expect(row).to_contain_text("2 chats imported from ChatGPT.")
    expect(row.get_by_text("2 pictures and files.")).to_be_visible()
    expect(row).to_contain_text("choose “Look for things to remember”")
    row.get_by_role("link", name="Open the first chat").click()
    expect(messages(page).filter(has_text="When does the ferry leave?")).to_be_visible()
    button(page, "What ChatGPT knows about you").click()
    expect(button(page, "Look for things to remember")).to_be_enabled()
    page.keyboard.press("Escape")

    page.goto(f"{house.url}/#/settings/data")
    chosen(page, file)
    expect(row).to_contain_text("Nothing new: all chats of this file are already here.")
    expect(button(page, "Import now")).to_be_disabled()


def test_files_dropped_on_the_start_page_are_previewed_first(house: House) -> None:
    """U18: a lorebook in the same dialog; what cannot be read says what can."""
    page = house.visit()
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    book = {"name": "Harbor", "entries": {"0": {"uid": 0, "key": ["ferry"], "content": "It leaves at dawn."}}}
    page.evaluate(DROP, [["harbor.json", json.dumps(book)], ["notes.txt", "just notes"]])
    dialog = page.get_by_role("dialog", name="Import")
    expect(dialog).to_contain_text("A lorebook: Harbor, with 1 entry, for all chats.")
    expect(dialog.get_by_role("alert")).to_contain_text("Everlore can't read this file.")
    button(dialog, "Import now").click()
    expect(dialog).to_contain_text("Harbor imported, with 1 entry, for all chats.")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    (kept,) = [each for each in house.ask(page, "GET", "/api/lorebooks")["items"] if each["name"] == "Harbor"]
    house.ask(page, "DELETE", f"/api/lorebooks/{kept['id']}")
    house.pardon("status of 400")


def test_the_look_is_chosen_and_kept_in_the_browser(house: House) -> None:
    """U12, U13: dark on a light system, as the system again, and high contrast; a reload keeps it."""
    page = house.visit("/#/settings/appearance", color_scheme="light")
    paper = page.locator("body")
    light = paper.evaluate(PAPER)
    page.get_by_role("radio", name=re.compile("^Dark")).check()
    expect(paper).not_to_have_css("background-color", light)
    page.reload()
    expect(page.get_by_role("radio", name=re.compile("^Dark"))).to_be_checked()
    expect(paper).not_to_have_css("background-color", light)
    dark = paper.evaluate(PAPER)
    page.get_by_label("High contrast").check()
    expect(paper).not_to_have_css("background-color", re.compile("|".join(map(re.escape, (light, dark)))))
    page.get_by_label("High contrast").uncheck()
    page.get_by_label(re.compile("^System")).check()
    expect(paper).to_have_css("background-color", light)


def test_every_part_can_be_read_in_high_contrast(house: House) -> None:
    """U13: in high contrast the colors of every part can be told apart, in light, and in dark on a phone."""
    page = house.visit("/#/settings", color_scheme="light")
    page.evaluate("localStorage.setItem('everlore.contrast', 'more')")
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 844})
        page.reload()
        for part in PARTS:
            page.goto(f"{house.url}/#/settings/{part}")
            expect(page.get_by_role("heading", level=2).first).to_be_visible()
            page.wait_for_load_state("networkidle")
            assert findings_in(page, colors=True) == [], (scheme, part)
            assert not page.evaluate(TOO_WIDE), (scheme, part)
            assert page.get_by_role("region", name="Demo").count() <= 1, (scheme, part)
