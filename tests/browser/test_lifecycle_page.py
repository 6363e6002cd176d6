"""A conversation from its beginning to what is left of it, with all that the page has (U1–U7)."""

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.house import House, button, composer, replied, say
from tests.server.thinking import thinking

pytestmark = pytest.mark.browser

SAID = (
    "I quarrelled with you about the silver watch.",
    "I took the silver watch from your desk.",
    "I shall bring the silver watch back on Friday.",
    "I am sorry about the silver watch.",
    "I hope that we are friends again.",
)
TAKEN = "Don took the silver watch of Mike and will bring it back on Friday."
READ = thinking(
    summary={"summary": "Don and Mike quarrelled about the silver watch and made it up."},
    memories={"memories": [{"content": TAKEN, "summary": "The watch", "type": "DECISION", "importance": 7}]},
    interaction={
        "type": "CONFLICT",
        "description": "Mike quarrelled with Don about the watch.",
        "actor_outcome": "NEUTRAL",
        "interactor_outcome": "NEUTRAL",
    },
)
CONFIG = {"gossip_enabled": True, "gossip_threshold": 0.3, "extract_facts": False}


class Table:
    """Three who know each other, and the page of whoever plays one of them."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.page = house.visit(viewport={"width": 1400, "height": 900})
        self.mike, self.don, self.rex = (house.character(self.page, name=name) for name in ("Mike", "Don", "Rex"))

    def talk(self, character: str, user: str) -> str:
        body = {"character_id": character, "user_id": user, "config": CONFIG}
        id: str = self.house.ask(self.page, "POST", "/api/conversations", data=body)["id"]
        self.page.reload()
        self.house.open(self.page, id)
        return id

    def row(self, id: str) -> Locator:
        return self.page.get_by_role("complementary", name="Chats").locator(f"a[href='#/c/{id}']")

    def tab(self, name: str) -> Locator:
        self.page.get_by_role("tab", name=name).click()
        return self.page.get_by_role("tabpanel", name=name)

    def recalled(self) -> int:
        asked = {"query": "silver watch", "person_id": self.don, "include": ["memories"]}
        return len(self.house.ask(self.page, "POST", "/api/memories/search", data=asked)["items"])


def test_ux_e2e_full_conversation_lifecycle(house: House) -> None:
    """U1–U7, V7, K1, R7: begun, titled, read, looked into, told of elsewhere, and forgotten."""
    house.model.scenario = READ
    table = Table(house)
    page = table.page

    # A new conversation is in the list, which is opened for it.
    quarrel = table.talk(table.mike, table.don)
    expect(page.get_by_role("complementary")).to_be_hidden()
    button(page, "Chats").click()
    expect(table.row(quarrel)).to_be_visible()

    # It is titled after the first exchange, with whom one talks below.
    say(page, "Good evening, Mike.")
    replied(page, 3)
    expect(table.row(quarrel).locator(".title")).to_have_text("Ferries at dawn")
    expect(table.row(quarrel).locator(".who")).to_have_text("Mike")

    # After twelve messages there are two memories at most, each with the icon of its kind.
    for number, text in enumerate(SAID, start=2):
        say(page, text)
        replied(page, 2 * number + 1)
    house.ask(page, "POST", f"/api/conversations/{quarrel}/keyframe?wait=true")
    button(page, "What Mike knows about you").click()
    knows = table.tab("Memories")
    expect(knows.get_by_label("2 memories")).to_be_visible()
    expect(knows.get_by_role("article").filter(has_text=TAKEN).get_by_title("Decision")).to_be_visible()

    # All of it can be looked up.
    button(page, "Chat details").click()
    info = page.get_by_role("complementary", name="This chat", exact=True)
    expect(info.get_by_role("textbox", name="Title")).to_have_value("Ferries at dawn")
    expect(info.get_by_role("button", name="Icon: sailing")).to_be_visible()
    for words in ("fine-model", "Mike", "Template", "Mike quarrelled with Don", "Ferries at dawn"):
        expect(info).to_contain_text(words)
    button(page, "Chats").click()

    # Elsewhere it is gossip.
    table.talk(table.rex, table.don)
    composer(page).fill("Have you heard of Mike and the silver watch?")
    gossip = page.get_by_role("button", name="Gossip: 2 to share")
    gossip.click()
    page.get_by_role("menu", name="Gossip you can share").get_by_text(TAKEN).click()
    chips = page.get_by_role("list", name="Gossip in this message").get_by_role("listitem")
    expect(chips).to_contain_text(TAKEN)
    composer(page).press("Enter")
    replied(page, 3)

    # What is forgotten is gone from the list, the count and recall.
    before = table.recalled()
    house.open(page, quarrel)
    button(page, "What Mike knows about you").click()
    knows.get_by_role("button", name="Forget: Don took the silver watch").click()
    expect(knows.get_by_label("1 memory")).to_be_visible()
    expect(knows).not_to_contain_text(TAKEN)
    assert table.recalled() == before - 1
    expect(table.row(quarrel)).to_have_css("padding", "4px 8px")
    expect(table.row(quarrel).locator(".title")).to_have_css("text-overflow", "ellipsis")
