"""The gossip button beside the message field: what one could tell of others, and what slips out (U6, R7, R9, R10).

Most tests look at one talk in which nothing is sent. Whoever sends something has people of their own, so that nobody
knows what another test was told.
"""

import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from everlore.domain.roll import difficulty_of, rolled_with, slips
from tests.browser.house import DICE, House, answering, button, composer, measured, messages, replied, say
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
        return self.page.get_by_role("button", name=re.compile(r"^Gossip: (nothing|\d+) to share"))

    @property
    def chips(self) -> Locator:
        return self.page.get_by_role("list", name="Gossip in this message").get_by_role("listitem")

    @property
    def flyout(self) -> Locator:
        return self.page.get_by_role("menu", name="Gossip you can share")

    def write(self, text: str) -> None:
        """Write something, and wait until it was looked for."""
        with self.page.expect_response("**/gossip"):
            composer(self.page).fill(text)

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


@pytest.fixture(scope="module")
def begun(shared: House) -> Talk:
    return Talk(shared, shared.visit())


@pytest.fixture
def talk(begun: Talk) -> Iterator[Talk]:
    """Nothing is written in it, and nothing chosen."""
    begun.house.open(begun.page, begun.id)
    yield begun
    for chip in begun.chips.all():
        chip.get_by_role("button").click()
    composer(begun.page).fill("")


@pytest.fixture
def glowing(talk: Talk) -> Talk:
    """What is written bears on two things that one could tell."""
    talk.write(ABOUT_IT)
    expect(talk.button).to_be_enabled()
    return talk


# ── without anything to tell ─────────────────────────────────────────────────────────────────────


def test_ux_gossip_disabled_when_off(begun: Talk) -> None:
    """U6: where it is switched off, nobody is asked."""
    page = begun.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    Talk(begun.house, page, gossip_enabled=False)
    composer(page).press_sequentially(ABOUT_IT)
    say(page, ABOUT_IT)
    replied(page, 3)
    assert not any("gossip" in each for each in asked)


def test_ux_gossip_btn_hidden_when_disabled(begun: Talk) -> None:
    """U6: switched off while one looks, and on again."""
    talk = Talk(begun.house, begun.page, gossip_enabled=False)
    expect(button(talk.page, "Send")).to_be_visible()
    expect(talk.button).to_be_hidden()
    button(talk.page, "Chat details").click()
    info = talk.page.get_by_role("complementary", name="This chat", exact=True)
    info.locator("details details > summary", has_text="Gossip").click()
    info.get_by_role("switch", name="Gossip", exact=True).check()
    expect(talk.button).to_be_visible()
    talk.page.keyboard.press("Escape")


def test_ux_gossip_btn_toolbar_position(talk: Talk) -> None:
    """U6: beside the field, before what sends."""
    at = [measured(each)["x"] for each in (composer(talk.page), talk.button, button(talk.page, "Send"))]
    assert at == sorted(at)


def test_ux_gossip_button_dim_when_no_matches(talk: Talk) -> None:
    """U6."""
    talk.write(OFF_IT)
    expect(talk.button).to_have_accessible_name("Gossip: nothing to share")
    expect(talk.button).to_have_css("opacity", "0.4")


def test_ux_gossip_btn_dim_no_matches(talk: Talk) -> None:
    """U6: there is nothing to press, no badge, and nothing moves."""
    talk.write(OFF_IT)
    expect(talk.button).to_be_disabled()
    expect(talk.button.locator(".badge")).to_have_count(0)
    expect(talk.button).to_have_css("animation-name", "none")


# ── with something to tell ───────────────────────────────────────────────────────────────────────


def test_ux_gossip_button_glow_on_match(glowing: Talk) -> None:
    """U6: in full colour, with an animation that goes on."""
    expect(glowing.button).to_have_css("opacity", "1")
    expect(glowing.button).to_have_css("animation-iteration-count", "infinite")


def test_ux_gossip_btn_pulse_on_match(glowing: Talk) -> None:
    """U6."""
    assert "pulse" in glowing.button.evaluate("(each) => getComputedStyle(each).animationName")


def test_ux_gossip_button_badge_count(glowing: Talk) -> None:
    """U6: seen and heard."""
    expect(glowing.button.locator(".badge")).to_have_text("2")
    expect(glowing.button).to_have_accessible_name("Gossip: 2 to share")


def test_ux_gossip_btn_flyout_opens(glowing: Talk) -> None:
    """U6: by the keyboard too; Escape closes it, and the focus is where it was."""
    glowing.button.press("Enter")
    expect(glowing.flyout.get_by_role("menuitemcheckbox").first).to_be_focused()
    glowing.page.keyboard.press("Escape")
    expect(glowing.flyout).to_be_hidden()
    expect(glowing.button).to_be_focused()
    glowing.button.click()
    expect(glowing.flyout).to_be_visible()
    glowing.page.keyboard.press("Escape")


def test_ux_gossip_button_flyout_list(glowing: Talk) -> None:
    """U6: all that could be told."""
    glowing.button.click()
    expect(glowing.flyout.get_by_role("menuitemcheckbox")).to_have_count(2)
    assert set(glowing.flyout.get_by_role("menuitemcheckbox").all_inner_texts()) == set(KEPT)
    glowing.page.keyboard.press("Escape")


def test_ux_gossip_button_inject_token(glowing: Talk) -> None:
    """U6: as a chip that stands for its token, over a reload too, and can be taken out."""
    glowing.button.click()
    glowing.flyout.get_by_text(KEPT[1]).click()
    expect(glowing.chips).to_have_attribute("data-token", f"${{memory.{glowing.memories[1]}}}")
    glowing.page.reload()
    expect(glowing.chips).to_contain_text(KEPT[1])
    button(glowing.page, f"Remove gossip: {KEPT[1]}").click()
    expect(glowing.chips).to_have_count(0)


def test_ux_gossip_btn_inject_on_select(glowing: Talk) -> None:
    """U6: chosen by the keyboard; the list closes, and says next time that it is told."""
    glowing.button.press("Enter")
    expect(glowing.flyout.get_by_role("menuitemcheckbox").first).to_be_focused()
    glowing.page.keyboard.press("ArrowDown")
    told = glowing.flyout.get_by_role("menuitemcheckbox").nth(1).inner_text()
    glowing.page.keyboard.press("Enter")
    expect(glowing.flyout).to_be_hidden()
    expect(glowing.chips).to_contain_text(told)
    glowing.button.click()
    expect(glowing.flyout.get_by_role("menuitemcheckbox", checked=True)).to_have_text(told)
    glowing.page.keyboard.press("Escape")


def test_ux_gossip_button_token_resolved(begun: Talk) -> None:
    """U6, R7: the words of the memory stand in the message and in the prompt; kept is the token."""
    talk = Talk(begun.house, begun.page)
    talk.write(ABOUT_IT)
    talk.button.click()
    talk.flyout.get_by_text(KEPT[0]).click()
    composer(talk.page).press("Enter")
    expect(messages(talk.page).last).to_contain_text(TEXT)
    expect(talk.chips).to_have_count(0)
    assert talk.said() == f"{ABOUT_IT} ${{memory.{talk.memories[0]}}}"
    expect(messages(talk.page).nth(1)).to_contain_text(KEPT[0])
    expect(messages(talk.page).nth(1)).not_to_contain_text("${memory")
    prompts = [json.dumps(each.body) for each in begun.house.model.asked_to_chat]
    assert any(KEPT[0] in each and "fine-model" in each for each in prompts)


# ── when it is looked for ────────────────────────────────────────────────────────────────────────


def test_ux_gossip_debounce_search(house: House) -> None:
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


def test_ux_gossip_search_on_response(begun: Talk) -> None:
    """U6: what the reply is about is looked for without a word being typed."""
    talk = Talk(begun.house, begun.page)
    begun.house.model.scenario = answering("Tell me of Rex and the silver watch.")
    say(talk.page, OFF_IT)
    expect(messages(talk.page).last).to_contain_text("silver watch")
    expect(talk.button).to_have_accessible_name("Gossip: 2 to share")
    begun.house.model.scenario = "fine"


# ── what slips out ───────────────────────────────────────────────────────────────────────────────


def test_ux_gossip_involuntary_toast(begun: Talk) -> None:
    """U6, R9: the button shakes, a note says so, and a chip is added."""
    talk = Talk(begun.house, begun.page, slips_out=True)
    note = talk.page.get_by_role("status").filter(has_text="Pip Wren couldn't help but mention…")
    # That of an earlier talk is still shown for a while.
    expect(note).to_have_count(0)
    composer(talk.page).fill(ABOUT_IT)
    expect(note).to_be_visible()
    assert "shake" in talk.button.evaluate("(each) => getComputedStyle(each).animationName")
    expect(talk.chips).to_have_count(1)
    composer(talk.page).fill("")


def test_ux_gossip_involuntary_removable(begun: Talk) -> None:
    """U6, R9: once taken out, it does not come back for this message."""
    talk = Talk(begun.house, begun.page, slips_out=True)
    composer(talk.page).fill(ABOUT_IT)
    talk.chips.get_by_role("button").click()
    with talk.page.expect_response("**/gossip"):
        composer(talk.page).press_sequentially(" Really?")
    expect(talk.button).to_have_accessible_name("Gossip: 2 to share")
    expect(talk.chips).to_have_count(0)
    composer(talk.page).press("Enter")
    expect(messages(talk.page)).to_have_count(3)
    assert talk.said() == f"{ABOUT_IT} Really?"


def test_gossip_keeps_still_for_those_who_wish_it(glowing: Talk) -> None:
    """U13: with reduced motion nothing pulses for longer than a blink."""
    glowing.page.emulate_media(reduced_motion="reduce")
    still = glowing.button.evaluate("(each) => getComputedStyle(each).animationIterationCount")
    glowing.page.emulate_media(reduced_motion="null")
    assert set(still.split(", ")) == {"1"}
