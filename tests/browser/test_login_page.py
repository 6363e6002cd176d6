"""A server that asks for a token, seen through a real browser (S-1, S-4)."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.cli.process import Command


def test_whoever_has_a_token_gets_in_and_stays_in(browser: Browser, tmp_path: Path) -> None:
    cli = Command(tmp_path, EVERLORE_SERVER__TOKENS="true", EVERLORE_EMBEDDING__PROVIDER="hashing")
    token = cli.ok("token", "create", "me", "--json").document["token"]
    with cli.started("serve", "--port", "0") as server:
        page = browser.new_context().new_page()
        page.goto(server.line())
        page.get_by_role("textbox", name="Access token").fill("everlore_nonsense")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("unknown, revoked or expired")

        page.get_by_role("textbox", name="Access token").fill(token)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text("Nova").first).to_be_visible()
        expect(page.get_by_role("textbox", name="Access token")).to_have_count(0)
        page.reload()
        expect(page.get_by_text("Nova").first).to_be_visible()

        seen = page.evaluate("[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join()")
        assert token not in seen
        page.context.close()
