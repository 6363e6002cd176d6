"""axe-core in the page: what it finds to be in somebody's way (U13)."""

from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

_AXE = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
_LOOK = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => [id, ...nodes.slice(0, 5).map((each) => `${each.html}: ${each.failureSummary}`)])"""


def serious(page: Page) -> list[Any]:
    """What is serious or critical, with the elements."""
    # Evaluated, not added to the page as a script: its policy allows none but the server's own.
    page.evaluate(_source())
    found: list[Any] = page.evaluate(_LOOK)
    return found


@cache
def _source() -> str:
    return _AXE.read_text(encoding="utf-8")
