"""What axe-core finds wrong with a page, for those who cannot see it, or not well."""

import time
from functools import cache
from pathlib import Path

from playwright.sync_api import Page

from tests.waiting import PATIENCE_S

_SCRIPT = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# The rules that look at colors.
_OF_COLORS = ["color-contrast", "link-in-text-block"]
_RUN = """async (rules) => {
  const found = await axe.run(document, { resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
  if (!found.passes.length) throw new Error("axe looked at nothing");
  return found.violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) =>
      `${html.slice(0, 200)} (${any.map(({ message }) => message).join("; ").slice(0, 200)})`).join(" | ")}`);
}"""


@cache
def _axe() -> str:
    return _SCRIPT.read_text(encoding="utf-8")


def serious_in(page: Page, *, colors_only: bool = False) -> list[str]:
    """Violations that are serious or worse. Colors may still be changing from one scheme to the other: where only their
    contrast is wrong, the page is looked at again until it is right or stays wrong."""
    rules = _OF_COLORS if colors_only else None
    # The policy of the page allows no script of others: it is run from outside, where the policy does not reach.
    if not page.evaluate("'axe' in window"):
        page.evaluate(_axe())
    found: list[str] = page.evaluate(_RUN, rules)
    deadline = time.monotonic() + PATIENCE_S
    while found and all(each.startswith("color-contrast:") for each in found) and time.monotonic() < deadline:
        found = page.evaluate(_RUN, rules)
    return found


def serious_in_both(page: Page) -> list[str]:
    """In light and then in dark, which differ in their colors alone. The page stays dark."""
    page.emulate_media(color_scheme="light")
    found = [f"light: {each}" for each in serious_in(page)]
    page.emulate_media(color_scheme="dark")
    return found + [f"dark: {each}" for each in serious_in(page, colors_only=True)]
