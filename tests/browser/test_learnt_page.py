"""What is formed of a stretch of talk, on the page: while it happens, and what came of it (U5, U7, K1, K3, K5).

One stretch is read once; each test looks at one thing that it left.
"""

from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.house import House, button
from tests.models.chat_server import ChatServer, Exchange
from tests.server.thinking import thinking

pytestmark = pytest.mark.browser

SAID = (
    "I moved to Portland in March.",
    "My sister Ana lives there too.",
    "I have decided to open a bakery.",
    "We sign the lease on Friday.",
)
DECIDED = "User decided to open a bakery in Portland."
PASSED = "The user told Odile of the bakery."
READ = thinking(
    summary={"summary": "The user moved to Portland in March and decided to open a bakery."},
    memories={"memories": [{"content": DECIDED, "summary": "A bakery", "type": "DECISION", "importance": 7}]},
    interaction={
        "type": "SOCIALIZE",
        "description": PASSED,
        "actor_outcome": "FAVORABLE",
        "interactor_outcome": "NEUTRAL",
    },
)


@dataclass(frozen=True)
class Stretch:
    """A conversation of which a stretch was read, and what the page said meanwhile: first, after a reload, at last."""

    house: House
    page: Page
    id: str
    said_meanwhile: list[str]

    def ask(self, path: str) -> Any:
        return self.house.ask(self.page, "GET", path)

    def knows(self) -> Locator:
        self.house.open(self.page, self.id)
        opener = button(self.page, "What Odile knows about you")
        # The button says whether it is open, also while the panel itself still loads.
        if opener.get_attribute("aria-expanded") != "true":
            opener.click()
        return self.page.get_by_role("tabpanel", name="Memories")


@pytest.fixture(scope="module")
def stretch(shared: House, model: ChatServer) -> Stretch:
    async def slow(exchange: Exchange) -> None:
        await exchange.wait()
        await READ(exchange)

    page = shared.visit(viewport={"width": 1300, "height": 900})
    made = {
        "character_id": shared.character(page, name="Odile"),
        "config": {"extract_facts": False, "auto_title": False},
    }
    id = shared.ask(page, "POST", "/api/conversations", data=made)["id"]
    for text in SAID:
        said = {"content": text, "reply": False}
        shared.ask(page, "POST", f"/api/conversations/{id}/messages", data=said)
    shared.open(page, id)
    shown = page.get_by_role("status", name="Background activity")
    expect(shown).to_have_text("")
    model.scenario = slow
    seen = []
    try:
        shared.ask(page, "POST", f"/api/conversations/{id}/keyframe")
        expect(shown).to_contain_text("Saving memories…")
        seen.append(shown.inner_text().strip())
        page.reload()
        expect(shown).to_contain_text("Saving memories…")
        seen.append(shown.inner_text().strip())
    finally:
        model.release()
    expect(shown).to_have_text("")
    seen.append(shown.inner_text())
    model.scenario = "fine"
    return Stretch(shared, page, id, seen)


def test_ux_chat_keyframe_indicator(stretch: Stretch) -> None:
    """U7, K1: from the moment it begins until it is done, also for a page that came later."""
    assert stretch.said_meanwhile == ["Saving memories…", "Saving memories…", ""]


def test_ux_chat_interaction_extracted(stretch: Stretch) -> None:
    """K3, K5: over HTTP, and beside the conversation."""
    (passed,) = stretch.ask(f"/api/conversations/{stretch.id}/interactions")["items"]
    assert (passed["type"], passed["description"]) == ("SOCIALIZE", PASSED)
    stretch.knows()
    button(stretch.page, "Chat details").click()
    details = stretch.page.get_by_role("complementary", name="This chat", exact=True)
    expect(details).to_contain_text(PASSED)
    button(details, "Close the panel").click()


def test_ux_memory_panel_interaction_id_visible(stretch: Stretch) -> None:
    """U5, K3: on the page of a memory stands what was done when it was formed."""
    found = stretch.ask(f"/api/memories?conversation_id={stretch.id}&type=DECISION")["items"]
    assert found[0]["interaction_id"]
    stretch.page.goto(f"{stretch.house.url}/#/m/{found[0]['id']}")
    expect(stretch.page.get_by_role("heading", level=1)).to_have_text(DECIDED.replace("User", "You"))
    done = stretch.page.get_by_role("region", name="Interaction")
    expect(done).to_contain_text(PASSED)
    expect(done).to_contain_text("Odile with")


def test_ux_memory_panel_reduced_count(stretch: Stretch) -> None:
    """U5, K1: a stretch leaves two at most."""
    expect(stretch.knows().get_by_label("2 memories")).to_have_text("2")


def test_ux_memory_panel_type_icons(stretch: Stretch) -> None:
    """U5: each kind has a picture of its own, and its name for those who hear the page."""
    drawn = []
    for kind in ("Decision", "Outcome"):
        card = stretch.knows().get_by_role("article").filter(has_text=f"{kind}:")
        expect(card.get_by_title(kind)).to_be_visible()
        drawn.append(card.get_by_title(kind).locator("path").get_attribute("d"))
    assert drawn[0] != drawn[1]
