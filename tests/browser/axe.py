"""What axe-core finds wrong with a page, for those who cannot see it, or not well."""

import time
from functools import cache
from pathlib import Path

from playwright.sync_api import Page

from tests.waiting import PATIENCE_S

_SCRIPT = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# The rules that look at colors.
_OF_COLORS = ["color-contrast", "link-in-text-block"]
_RUN = """async ([within, options]) => {
  const found = await axe.run(within ?? document, { resultTypes: ["violations"], ...options });
  if (!found.passes.length) throw new Error("axe looked at nothing");
  return found.violations
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) =>
      `${html.slice(0, 200)} (${any.map(({ message }) => message).join("; ").slice(0, 200)})`).join(" | ")}`);
}"""


@cache
def _axe() -> str:
    return _SCRIPT.read_text(encoding="utf-8")


def findings_in(page: Page, *, colors: bool | None = None, within: str | None = None) -> list[str]:
    """Violations, be they serious or not, on the page or in what a selector finds. `colors`: those of colors only, or
    all others. Colors may still be changing from one scheme to the other: where only their contrast is wrong, the page
    is looked at again until it is right or stays wrong."""
    others = {"rules": {name: {"enabled": False} for name in _OF_COLORS}}
    options = {} if colors is None else {"runOnly": _OF_COLORS} if colors else others
    # The policy of the page allows no script of others: it is run from outside, where the policy does not reach.
    if not page.evaluate("'axe' in window"):
        page.evaluate(_axe())
    found: list[str] = page.evaluate(_RUN, [within, options])
    deadline = time.monotonic() + PATIENCE_S
    while found and all(each.startswith("color-contrast:") for each in found) and time.monotonic() < deadline:
        found = page.evaluate(_RUN, [within, options])
    return found


def findings_in_both(page: Page) -> list[str]:
    """In light and then in dark, which differ in their colors alone. The page stays dark."""
    page.emulate_media(color_scheme="light")
    found = [f"light: {each}" for each in findings_in(page)]
    page.emulate_media(color_scheme="dark")
    return found + [f"dark: {each}" for each in findings_in(page, colors=True)]
