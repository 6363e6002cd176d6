"""What goes on in the background, on the page: the queue, what was refused, and memory statistics (U12, C9)."""

import pytest
from playwright.sync_api import expect

from tests.browser.house import House, button, messages, say

pytestmark = pytest.mark.browser


def test_the_figures_are_shown_and_renew_themselves(house: House) -> None:
    """U12, C9: seed 002, 5.4: the figures appear, and what is kept meanwhile is in them after 30 seconds."""
    page = house.visit("/#/activity")
    # What the test before has said may still be on its way.
    expect(page.get_by_text("Up to date")).to_be_visible()
    expect(page.get_by_text("Nothing to do")).to_have_count(0)
    page.clock.install()
    page.reload()
    figures = page.locator(".figures > div").filter(has_text="Memories").locator("dd")
    expect(figures).to_be_visible()
    before = int(figures.inner_text().split()[0])

    house.ask(page, "POST", "/api/memories", data={"content": "User keeps bees"})
    page.clock.run_for(31_000)

    expect(figures).to_contain_text(str(before + 1))
    expect(page.get_by_role("img", name="New memories per day")).to_be_visible()
    statistics = page.get_by_role("region", name="Memory statistics")
    for name in ("Messages without a matching memory", "Average prompt"):
        expect(statistics.get_by_text(name)).to_be_visible()
    expect(statistics).to_contain_text("new today")
    expect(page.locator("figure").filter(has_text="Memories by type").get_by_text("fact", exact=True)).to_be_visible()


def test_the_queue_is_paused_and_goes_on(house: House) -> None:
    """U12, F7: work waits while it is paused, and is done when it may go on, without another look."""
    page = house.visit("/#/activity")
    button(page, "Pause").click()
    expect(page.get_by_text("Paused.")).to_be_visible()
    other = house.visit()
    house.talk(other)
    say(other, "My sister Ana lives in Porto.")
    expect(messages(other)).to_have_count(3)
    page.reload()
    expect(page.get_by_role("listitem").filter(has_text="Waiting").first).to_be_visible()
    button(page, "Resume").click()
    expect(page.get_by_text("Up to date")).to_be_visible()


def test_what_was_refused_is_shown_with_its_reason(house: House) -> None:
    """U12, F4: a password is not learnt, and the page says so without its words."""
    page = house.visit()
    house.talk(page)
    say(page, "My password is hunter2 and I probably like tea maybe.")
    expect(messages(page)).to_have_count(3)
    page.goto(f"{house.url}/#/activity")
    refused = page.get_by_role("region", name="Filtered out")
    expect(refused.get_by_role("listitem").first).to_be_visible()
    expect(refused).not_to_contain_text("hunter2")
