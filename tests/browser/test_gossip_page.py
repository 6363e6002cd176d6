"""The gossip button beside the message field: what one could tell of others, and what slips out (U6, R7, R9, R10).

Each test has people of its own, so that nobody knows what another test was told.
"""

import json
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from everlore.domain.roll import difficulty_of, rolled_with, slips
from tests.browser.house import DICE, House, answering, button, composer, measured, messages, say
from tests.models.chat_server import TEXT

pytestmark = pytest.mark.browser

KEPT = ["Rex lost the silver watch at the card table", "The silver watch of Rex was his father's"]
ABOUT_IT = "Have you heard about Rex and the silver watch?"
OFF_IT = "Shall we cook turnips tonight?"
CHATTERBOX = {"intelligence": 7, "mental_strength": 20}
_numbers = count(1)


class Talk:
    """Somebody who shares secrets with Rex talks to Mira, who knows none of them."""

    def __init__(self, house: House, page: Page, *, slips_out: bool = False, **config: Any) -> None:
        self.house, self.page = house, page
        persona = {"name": "Pip Wren", "statistics": CHATTERBOX if slips_out else {}}
        self.pip = house.ask(page, "POST", "/api/characters", data=persona)["id"]
        rex, mira = house.character(page, name="Rex"), house.character(page, name="Mira")
        shared = {"person_id": self.pip, "partner_id": rex}
        self.memories = [
            house.ask(page, "POST", "/api/memories", data={"content": text, "force": True, **shared})["id"]
            for text in KEPT
        ]
        self.id = _slipping_id() if slips_out else f"quiet-{next(_numbers)}"
        wanted = {"gossip_enabled": True, "gossip_threshold": 0.3, "auto_title": False} | config
        body = {"id": self.id, "character_id": mira, "user_id": self.pip, "config": wanted}
        house.ask(page, "POST", "/api/conversations", data=body)
        house.open(page, self.id)

    @property
    def button(self) -> Locator:
        return self.page.get_by_role("button", name="Gossip")

    @property
    def chips(self) -> Locator:
        return self.page.get_by_role("list", name="Told with this message").get_by_role("listitem")

    def said(self) -> str:
        items = self.house.ask(self.page, "GET", f"/api/conversations/{self.id}/messages")["items"]
        words: str = [each for each in items if each["author"] == "user"][-1]["content"]
        return words


def _slipping_id() -> str:
    """A conversation whose second message, after the greeting, is one at which the die falls low."""
    difficulty = difficulty_of(_chatterbox())
    assert difficulty is not None
    return next(id for n in _numbers if slips(rolled_with(f"{DICE}/{(id := f'slip-{n}')}/2"), difficulty))


def _chatterbox() -> Any:
    class Chatterbox:
        statistics, age = CHATTERBOX, None

    return Chatterbox()


def test_gossip_disabled_when_off(house: House) -> None:
    """U6: hidden when disabled, and nobody is asked."""
    page = house.visit()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    talk = Talk(house, page, gossip_enabled=False)
    composer(page).press_sequentially(ABOUT_IT)
    say(page, ABOUT_IT)
    expect(button(page, "Send")).to_be_visible()
    expect(messages(page)).to_have_count(3)
    expect(talk.button).to_be_hidden()
    assert not any("gossip" in each for each in asked)


def test_gossip_button_dim_when_no_matches(house: House) -> None:
    """U6: beside the field, and nothing to press (gossip_btn_toolbar_position)."""
    page = house.visit()
    talk = Talk(house, page)
    assert measured(composer(page))["x"] < measured(talk.button)["x"] < measured(button(page, "Send"))["x"]
    with page.expect_response("**/gossip"):
        composer(page).fill(OFF_IT)
    expect(talk.button).to_be_disabled()
    expect(talk.button).to_have_accessible_name("Gossip: nothing to tell")
    expect(talk.button).to_have_css("opacity", "0.4")


def test_gossip_button_glow_on_match_with_flyout_and_token(house: House) -> None:
    """U6: pulse, badge count, flyout list by keyboard, token as a removable chip, and resolved when it is sent
    (gossip_button_badge_count, gossip_button_flyout_list, gossip_button_inject_token, gossip_button_token_resolved)."""
    page = house.visit()
    talk = Talk(house, page)
    composer(page).fill(ABOUT_IT)
    expect(talk.button).to_have_accessible_name("Gossip: 2 to tell")
    expect(talk.button.locator(".badge")).to_have_text("2")
    assert "pulse" in talk.button.evaluate("(each) => getComputedStyle(each).animationName")

    talk.button.press("Enter")
    flyout = page.get_by_role("menu", name="What you could tell")
    expect(flyout.get_by_role("menuitemcheckbox")).to_have_count(2)
    expect(flyout.get_by_role("menuitemcheckbox").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(flyout).to_be_hidden()
    expect(talk.button).to_be_focused()
    talk.button.press("Enter")
    page.keyboard.press("ArrowDown")
    told = flyout.get_by_role("menuitemcheckbox").nth(1).inner_text()
    page.keyboard.press("Enter")
    id = talk.memories[KEPT.index(told)]
    expect(talk.chips).to_have_attribute("data-token", f"${{memory.{id}}}")
    expect(talk.chips).to_contain_text(told)

    page.reload()
    expect(talk.chips).to_contain_text(told)
    button(page, f"Do not tell: {told}").click()
    expect(talk.chips).to_have_count(0)
    expect(talk.button).to_have_accessible_name("Gossip: 2 to tell")
    talk.button.click()
    flyout.get_by_text(told).click()
    composer(page).press("Enter")
    expect(messages(page).last).to_contain_text(TEXT)
    expect(talk.chips).to_have_count(0)
    assert talk.said() == f"{ABOUT_IT} ${{memory.{id}}}"
    expect(messages(page).nth(1)).to_contain_text(told)
    expect(messages(page).nth(1)).not_to_contain_text("${memory")
    prompts = [json.dumps(each.body) for each in house.model.asked_to_chat]
    assert any(told in each and "fine-model" in each for each in prompts)


def test_gossip_debounce_search(house: House) -> None:
    """U6: one search for all that was typed without a pause of half a second."""
    page = house.visit()
    asked: list[str] = []
    page.on("request", lambda each: asked.append(each.post_data or "") if each.url.endswith("/gossip") else None)
    Talk(house, page)
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now() + 5000"))
    composer(page).fill("Have you ")
    page.clock.run_for(499)
    composer(page).fill("Have you heard?")
    page.clock.run_for(499)
    assert [each for each in asked if "Have" in each] == []

    with page.expect_response("**/gossip"):
        page.clock.run_for(2)
    assert [json.loads(each)["content"] for each in asked if "Have" in each] == ["Have you heard?"]


def test_gossip_search_on_response(house: House) -> None:
    """U6: what the reply is about is looked for without a word being typed."""
    page = house.visit()
    talk = Talk(house, page)
    house.model.scenario = answering("Tell me of Rex and the silver watch.")
    say(page, OFF_IT)
    expect(messages(page).last).to_contain_text("silver watch")
    expect(talk.button).to_have_accessible_name("Gossip: 2 to tell")


def test_gossip_involuntary_toast_and_removable(house: House) -> None:
    """U6, R9: it shakes, says so, adds a chip that can be taken out, and does not come back for this message."""
    page = house.visit()
    talk = Talk(house, page, slips_out=True)
    composer(page).fill(ABOUT_IT)

    expect(page.get_by_role("status").filter(has_text="Pip Wren couldn't help but mention…")).to_be_visible()
    expect(talk.chips).to_have_count(1)
    assert "shake" in talk.button.evaluate("(each) => getComputedStyle(each).animationName")
    talk.chips.get_by_role("button").click()
    with page.expect_response("**/gossip"):
        composer(page).press_sequentially(" Really?")
    expect(talk.button).to_have_accessible_name("Gossip: 2 to tell")
    expect(talk.chips).to_have_count(0)
    composer(page).press("Enter")
    expect(messages(page)).to_have_count(3)
    assert talk.said() == f"{ABOUT_IT} Really?"


def test_gossip_keeps_still_for_those_who_wish_it(house: House) -> None:
    """U13: with reduced motion nothing pulses for longer than a blink."""
    page = house.visit(reduced_motion="reduce")
    talk = Talk(house, page)
    composer(page).fill(ABOUT_IT)
    expect(talk.button).to_have_accessible_name("Gossip: 2 to tell")
    still = talk.button.evaluate("(each) => getComputedStyle(each).animationIterationCount")
    assert set(still.split(", ")) == {"1"}
