"""How memory fares, on the page (C9)."""

from playwright.sync_api import expect

from tests.browser.house import House


def test_the_figures_are_shown_and_renew_themselves(house: House) -> None:
    """Seed 002, 5.4: the figures appear, and what is kept meanwhile is in them after 30 seconds."""
    page = house.visit()
    page.clock.install()
    page.reload()
    page.get_by_role("button", name="How memory fares").click()
    sheet = page.get_by_role("dialog", name="How memory fares")
    figures = sheet.locator(".figures > div").filter(has_text="Memories").locator("dd")
    expect(figures).to_be_visible()
    before = int(figures.inner_text().split()[0])

    house.ask(page, "POST", "/api/memories", data={"content": "User keeps bees"})
    page.clock.run_for(31_000)

    expect(figures).to_contain_text(str(before + 1))
    expect(sheet.get_by_text("New memories, day by day")).to_be_visible()
    sheet.get_by_text("Memories by type").click()
    expect(sheet.get_by_text("fact", exact=True)).to_be_visible()
    sheet.get_by_role("button", name="Close").click()
    expect(sheet).to_have_count(0)
