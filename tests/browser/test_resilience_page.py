"""What may come upon every place of the page: hostile, long and foreign words, other windows, models that fail (U13,
S-4)."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.house import SIDEWAYS, TOO_WIDE, House, answering, button, messages, replied, say
from tests.models.chat_server import ChatServer, Exchange, failing

pytestmark = pytest.mark.browser

HOSTILE = (
    "<img src=x onerror='window.broken = 1'><script>window.broken = 2</script> "
    "![t](https://tracker.invalid/d.png) [x](javascript:window.broken=3) **b** ${memory.x} {{user}}"
)
FOREIGN = "אני גר בחיפה ליד הים"
LONG = "An-unreasonably-long-word-without-any-place-to-break-it" * 3
NAME = f"{HOSTILE[:110]} {FOREIGN}"
TEXT = f"{HOSTILE} {FOREIGN} {LONG}"
# Whatever could only have come out of somebody's words.
GROWN = "main :is(script, iframe, img[src='x'], [onerror], [href^='javascript'], [src*='tracker'])"
ALL_HERE = "() => !document.querySelector('.skeleton, [aria-busy=true]')"
COME_BACK = "document.dispatchEvent(new Event('visibilitychange'))"


def asked(house: House, page: Page, path: str, **data: Any) -> Any:
    return house.ask(page, "POST", path, data=data)


def furnished(house: House, page: Page) -> list[str]:
    """A house in which every text was written by somebody who means harm; the addresses where it is shown."""
    person = asked(house, page, "/api/characters", name=NAME, description=TEXT, greetings=[TEXT], tags=[HOSTILE[:90]])[
        "id"
    ]
    talk = asked(house, page, "/api/conversations", character_id=person, config={"review_memories": True})["id"]
    house.ask(page, "PATCH", f"/api/conversations/{talk}", data={"title": NAME[:120]})
    said = asked(house, page, f"/api/conversations/{talk}/messages", content=TEXT, reply=False)["user_message"]["id"]
    pin = {"message_ids": [said], "what": TEXT, "why": TEXT, "quote": HOSTILE}
    memory = house.ask(page, "POST", f"/api/conversations/{talk}/pins", data=pin)["id"]
    for city in ("Ghent", "Bruges"):
        known = {"content": f"{HOSTILE} lives in {city}", "person_id": person, "tags": [HOSTILE[:90]]}
        asked(house, page, "/api/memories", **known, valid_from=f"20{len(city):02}-01-01T00:00:00Z")
    asked(house, page, "/api/users", name=NAME)
    asked(house, page, "/api/tokens", name=HOSTILE[:90])
    asked(house, page, "/api/templates", name=HOSTILE[:60], sections={"rules": {"content": [HOSTILE[:90]]}})
    campaign = asked(house, page, "/api/campaigns", name=NAME, premise=TEXT)["id"]
    here = f"/api/campaigns/{campaign}"
    asked(house, page, f"{here}/chapters", name=NAME, goals=[TEXT])
    entities = [
        asked(house, page, f"{here}/entities", name=f"{each} {NAME}", aliases=[HOSTILE[:90]], description=TEXT)["id"]
        for each in ("One", "Two")
    ]
    asked(house, page, "/api/ties", source_id=entities[0], target_id=entities[1], type="KNOWS", evidence=TEXT)
    for town in ("Orne", "Tarn"):
        asked(house, page, f"{here}/memories", content=f"Reth lives in {town} {HOSTILE}")
    asked(house, page, f"{here}/memories", content=TEXT)
    log = "\n".join(f"{name}: {words}" for name, words in (("Hal", HOSTILE), ("Quorvane <b>Voss</b>", FOREIGN)))
    brought = page.request.post(f"{house.url}{here}/logs?filename=%3Cb%3Esession%3C%2Fb%3E.txt", data=log.encode())
    session = brought.json()["session"]["id"]
    parts = ("", "/sessions", f"/sessions/{session}", "/world", f"/world/{entities[0]}", "/ties", "/canon", "/review")
    return [
        "",
        f"c/{talk}",
        "memories",
        f"m/{memory}",
        "review",
        "people",
        *(f"people/{person}?tab={tab}" for tab in ("card", "knows", "relations", "timeline")),
        "campaigns",
        *(f"campaigns/{campaign}{part}" for part in parts),
        "activity",
        *(f"settings/{part}" for part in ("models", "memory", "users", "data")),
    ]


def test_no_place_runs_what_somebody_wrote_or_is_broken_by_it(house: House) -> None:
    """U13, S-4, S-6: each address is loaded anew on a phone; nothing is run, nobody is asked, nothing sticks out."""
    page = house.visit(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    for number, address in enumerate(furnished(house, page)):
        page.goto(f"{house.url}/?{number}#/{address}")
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
        page.wait_for_function(ALL_HERE)
        assert page.locator(GROWN).count() == 0, address
        assert not page.evaluate(TOO_WIDE), address
        # Strips of parts, and commands to be copied, are drawn along with a finger.
        wide = page.get_by_role("main").evaluate(SIDEWAYS)
        assert [each for each in wide if not each.startswith(("NAV", "PRE"))] == [], address
        assert page.evaluate("window.broken") is None, address
    page.keyboard.press("Control+k")
    page.keyboard.type("onerror")
    expect(page.get_by_role("listbox", name="Results").get_by_role("option").first).to_contain_text("<img src=x")
    page.keyboard.press("Escape")
    button(page, "More").click()
    page.get_by_role("menuitem", name="Templates").click()
    page.wait_for_load_state("networkidle")
    assert page.locator(GROWN).count() == 0
    page.keyboard.press("Escape")
    assert page.evaluate("window.broken") is None


def test_what_is_done_in_one_window_shows_in_the_other(house: House) -> None:
    """U5, U13: of memories and decisions at once; of people, campaigns and the queue as soon as one comes back."""
    page, other = house.visit(), house.visit("/#/memories")
    # What happens before the other window hears anything is not told it.
    other.wait_for_load_state("networkidle")
    pia = house.character(page, name="Pia Window")
    known = asked(house, page, "/api/memories", content="Pia Window sews sails", person_id=pia)["id"]
    shown = other.get_by_role("article").filter(has_text="Pia Window sews")
    expect(shown).to_contain_text("sails")
    page.goto(f"{house.url}/#/m/{known}")
    button(page, "Edit").click()
    page.get_by_role("dialog").get_by_label("Memory").fill("Pia Window sews flags")
    button(page.get_by_role("dialog"), "Save").click()
    expect(shown).to_contain_text("flags")
    shown.get_by_role("button", name="Forget: Pia Window").click()
    expect(page.get_by_role("main")).to_contain_text("Forgotten")

    other.goto(f"{house.url}/#/people/{pia}")
    other.get_by_label("Personality").fill("Patient.")
    house.ask(page, "PATCH", f"/api/characters/{pia}", data={"name": "Pia of the Sails"})
    other.evaluate(COME_BACK)
    expect(other.get_by_role("heading", level=1)).to_have_text("Pia of the Sails")
    expect(other.get_by_label("Personality")).to_have_value("Patient.")
    button(other, "Save").click()
    expect(other.get_by_role("status").filter(has_text="saved")).to_be_visible()
    kept = house.ask(page, "GET", f"/api/characters/{pia}")
    assert (kept["name"], kept["personality"]) == ("Pia of the Sails", "Patient.")

    other.goto(f"{house.url}/#/campaigns")
    expect(other.get_by_role("heading", name="Campaigns")).to_be_visible()
    asked(house, page, "/api/campaigns", name="Begun in another window")
    other.evaluate(COME_BACK)
    expect(other.get_by_role("link", name=re.compile("Begun in another window"))).to_be_visible()
    other.goto(f"{house.url}/#/activity")
    expect(button(other, "Pause")).to_be_visible()
    house.ask(page, "POST", "/api/jobs/pause")
    other.evaluate(COME_BACK)
    expect(button(other, "Resume")).to_be_visible()
    house.ask(page, "POST", "/api/jobs/resume")


def test_a_model_that_is_slow_or_fails_keeps_nobody_from_the_rest(house: House, model: ChatServer) -> None:
    """U13, F8: one goes on elsewhere while it is waited for; its own words are shown, and it can be asked again."""

    async def slow(exchange: Exchange) -> None:
        await exchange.wait()
        await answering(json.dumps({"facts": []}))(exchange)

    page = house.visit(viewport={"width": 1300, "height": 900})
    house.talk(page, name="Tess")
    # The reply is the last thing that the model does: all that is to be learnt of it waits until it fails.
    house.ask(page, "POST", "/api/jobs/pause")
    say(page, "I work as a glazier.")
    replied(page, 3)
    model.scenario = failing(503, "loading model")
    house.ask(page, "POST", "/api/jobs/resume")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ferries at dawn")
    button(page, "What Tess knows about you").click()
    extract = button(page.get_by_role("tabpanel", name="Memories"), "Look for things to remember")
    # Only what the rules have read is left to the model.
    expect(page.get_by_role("link", name="You work as a glazier", exact=True)).to_be_visible()
    extract.click()
    expect(page.get_by_role("alert")).to_contain_text("loading model")
    expect(extract).to_be_enabled()
    house.pardon("status of 502")

    model.scenario = slow
    extract.click()
    expect(button(page, "Looking…")).to_be_disabled()
    page.get_by_role("link", name="Memories", exact=True).click()
    expect(page.get_by_role("heading", name="Memories", level=1)).to_be_visible()
    page.go_back()
    expect(messages(page)).to_have_count(3)
    model.release()
