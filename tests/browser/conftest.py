"""A real Chromium, never skipped: without one the tests fail and say how to get it; and a house for it to visit."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.house import DICE, House, answering, visited
from tests.cli.conftest import cli
from tests.cli.process import Command
from tests.models.chat_server import ChatServer
from tests.waiting import PATIENCE_S

__all__ = ["cli"]

ARGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync"
).split()
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """For one file of tests only: while it is open, its event loop would be in the way of asynchronous tests."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=_chromium(), args=ARGS)
        expect.set_options(timeout=PATIENCE_S * 1000)
        yield chromium
        chromium.close()


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """As if it had just been started: whoever visits comes in a context of their own, and none is left behind."""
    shared = list(chromium.contexts)
    yield chromium
    for context in chromium.contexts:
        if context not in shared:
            context.close()


@pytest.fixture(scope="module")
def model() -> Iterator[ChatServer]:
    with ChatServer() as model:
        model.by_model["titles"] = answering('{"title": "Ferries at dawn", "icon": "sailing"}')
        yield model


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, model: ChatServer) -> Iterator[str]:
    """One server for all: each test brings its own characters and conversations."""
    talker = Command(
        tmp_path_factory.mktemp("house"),
        EVERLORE_CHAT__PROVIDER="openai",
        EVERLORE_CHAT__BASE_URL=model.url,
        EVERLORE_CHAT__MODEL="fine-model",
        EVERLORE_CHAT__RETRIES="0",
        EVERLORE_ANALYSIS__MODEL="titles",
        EVERLORE_EMBEDDING__PROVIDER="hashing",
        EVERLORE_GOSSIP__SEED=DICE,
    )
    with talker.started("serve", "--port", "0") as server:
        yield server.line()


@pytest.fixture
def house(browser: Browser, url: str, model: ChatServer) -> Iterator[House]:
    """Whatever happens in it, the page complains of nothing and asks nobody else (S-4, U13)."""
    model.scenario = "fine"
    # What is still being written for the test before would keep all background work waiting.
    model.let_go()
    with visited(House(browser, url, model)) as house:
        yield house


@pytest.fixture(scope="module")
def shared(chromium: Browser, url: str, model: ChatServer) -> Iterator[House]:
    """A house that a file of tests walks through once, so that each of them need only look."""
    model.scenario = "fine"
    with visited(House(chromium, url, model)) as house:
        yield house


@pytest.fixture
def voiced(browser: Browser, cli: Command, model: ChatServer) -> Iterator[House]:
    """A house without a model."""
    model.scenario = "fine"
    talker = cli.having(EVERLORE_CHAT__PROVIDER="voice", EVERLORE_EMBEDDING__PROVIDER="hashing")
    with talker.started("serve", "--port", "0") as server, visited(House(browser, server.line(), model)) as house:
        yield house


def _chromium() -> str:
    named = os.environ.get("EVERLORE_TEST_CHROMIUM")
    if named:
        return named
    found = subprocess.run([ROOT / "scripts" / "chromium.sh"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        pytest.fail(f"No Chromium for the browser tests. Run them with `make test`. {found.stderr.strip()}")
    return found.stdout.strip()
