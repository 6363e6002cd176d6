"""A real Chromium. It is never skipped: without one the tests fail and say how to get it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.cli.conftest import cli

__all__ = ["cli"]

ARGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync"
).split()
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def browser() -> Iterator[Browser]:
    """For one test only: while it is open, its event loop would be in the way of asynchronous tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=ARGS)
        yield browser
        browser.close()


def _chromium() -> str:
    named = os.environ.get("EVERLORE_TEST_CHROMIUM")
    if named:
        return named
    found = subprocess.run([ROOT / "scripts" / "chromium.sh"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        pytest.fail(f"No Chromium for the browser tests. Run them with `make test`. {found.stderr.strip()}")
    return found.stdout.strip()
