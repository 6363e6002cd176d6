"""How the house is set up, on the page: models, memory, users and tokens, data, appearance (U12)."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import serious_in
from tests.browser.house import TOO_WIDE, House, button

pytestmark = pytest.mark.browser

PAPER = "getComputedStyle(document.body).backgroundColor"
PARTS = ("models", "memory", "users", "data", "appearance")


def test_a_model_is_tested_connected_and_given_back(house: House) -> None:
    """U12, V5: the test asks the model itself, and says in its own words why there is no answer."""
    page = house.visit("/#/settings/models")
    replies = page.get_by_role("article", name="Replies")
    expect(replies).to_contain_text("fine-model")
    button(replies, "Test").click()
    expect(replies.get_by_role("status")).to_contain_text("It answers.")

    button(replies, "Change").click()
    replies.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    replies.get_by_label("Model").fill("nobody")
    button(replies, "Connect").click()
    expect(replies).to_contain_text("Chosen here.")
    button(replies, "Test").click()
    expect(replies.get_by_role("status")).to_contain_text("127.0.0.1:9")
    button(replies, "Change").click()
    button(replies, "Use the default again").click()
    expect(replies).to_contain_text("fine-model")


def test_what_new_conversations_are_set_up_with_is_a_form_of_the_one_definition(house: House) -> None:
    """U12, V6: every field of the schema is drawn; what is set holds for new conversations, and no others."""
    page = house.visit()
    before = house.talk(page)
    page.goto(f"{house.url}/#/settings/memory")
    page.get_by_text("What comes back", exact=True).click()
    page.get_by_label("Memory budget").fill("321")
    page.get_by_label("Memory budget").blur()
    expect(page.get_by_role("status").filter(has_text="New conversations are set up so")).to_be_visible()
    page.get_by_text("What is remembered", exact=True).click()
    page.get_by_role("switch", name="Review memories").check()
    expect(page.get_by_text("1 set")).to_have_count(2)
    assert house.ask(page, "GET", "/api/config") == {"memory_budget": 321, "review_memories": True}
    after = house.talk(page)
    configs = [house.ask(page, "GET", f"/api/conversations/{id}")["config"] for id in (before, after)]
    assert configs == [{}, {"memory_budget": 321, "review_memories": True}]

    page.goto(f"{house.url}/#/settings/memory")
    page.get_by_text("What is remembered").click()
    expect(page.get_by_role("switch", name="Review memories")).to_be_checked()
    fields = house.ask(page, "GET", "/api/config/schema")["properties"]
    assert page.locator(".form .row").count() == len(fields)
    button(page, "Back to the defaults").click()
    expect(page.get_by_role("switch", name="Review memories")).not_to_be_checked()
    assert house.ask(page, "GET", "/api/config") == {}


def test_a_token_is_shown_once_and_revoked(house: House) -> None:
    """U12, S-1: made for a user, shown once, gone from the page after that, and shut out when it is revoked."""
    page = house.visit("/#/settings/users")
    page.get_by_label("Name of a new user").fill("Ana")
    button(page, "Add").click()
    expect(button(page, "Delete Ana")).to_be_visible()
    button(page, "New token").click()
    page.get_by_label("Name of the token").fill("Phone of Ana")
    page.get_by_label("For whom").select_option(label="Ana")
    button(page, "Make it").click()
    token = page.get_by_role("status").locator("code").inner_text()
    assert token.startswith("everlore_")
    page.reload()
    card = page.get_by_role("listitem").filter(has_text="Phone of Ana")
    expect(card).to_contain_text("for Ana")
    assert token not in page.content()
    button(card, "Revoke").click()
    button(page.get_by_role("dialog"), "Revoke").click()
    expect(card).to_contain_text("revoked")


def test_the_workspace_goes_out_and_what_comes_in_is_told_first(house: House) -> None:
    """U12, M13: the file that was taken out is read again, and nothing of it is new."""
    page = house.visit("/#/settings/data")
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON Lines").click()
    with page.expect_file_chooser() as chooser:
        button(page, "Choose a file").click()
    chooser.value.set_files(download.value.path())
    told = page.get_by_role("status").filter(has_text="This would become of it")
    expect(told).to_contain_text("same")
    expect(told).not_to_contain_text(re.compile(r"\bnew\b"))


def test_the_look_is_chosen_and_kept_in_the_browser(house: House) -> None:
    """U12, U13: dark on a light system, as the system again, and high contrast; a reload keeps it."""
    page = house.visit("/#/settings/appearance", color_scheme="light")
    light = page.evaluate(PAPER)
    page.get_by_role("radio", name=re.compile("^Dark")).check()
    assert page.evaluate(PAPER) != light
    page.reload()
    expect(page.get_by_role("radio", name=re.compile("^Dark"))).to_be_checked()
    dark = page.evaluate(PAPER)
    assert dark != light
    page.get_by_label("High contrast").check()
    assert page.evaluate(PAPER) not in (light, dark)
    page.get_by_label("High contrast").uncheck()
    page.get_by_label("As the system").check()
    assert page.evaluate(PAPER) == light


def test_nobody_is_kept_out_of_the_settings(house: House) -> None:
    """U13: no serious finding of axe in any part: light, dark on a phone, and with high contrast."""
    page = house.visit("/#/settings", color_scheme="light")
    for scheme, width, contrast in (
        ("light", 1280, ""),
        ("dark", 390, ""),
        ("light", 1280, "more"),
        ("dark", 390, "more"),
    ):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 844})
        page.evaluate("(wish) => localStorage.setItem('everlore.contrast', wish || 'usual')", contrast)
        page.reload()
        for part in PARTS:
            page.goto(f"{house.url}/#/settings/{part}")
            expect(page.get_by_role("heading", level=2).first).to_be_visible()
            page.wait_for_load_state("networkidle")
            assert serious_in(page) == [], (scheme, part, contrast)
            assert not page.evaluate(TOO_WIDE), (scheme, part)
