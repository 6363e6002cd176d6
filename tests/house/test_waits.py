"""No test gives up sooner than is usual: on a busy machine it would fail for nothing."""

import re
from collections.abc import Callable
from pathlib import Path

from tests.waiting import PATIENCE_S

TESTS = Path(__file__).resolve().parents[1]
_LIMIT = re.compile(
    r"(?:asyncio\.timeout\(|wait_for\([^,]*, |\.wait, |\.(?:wait|join)\(|[( ]timeout=)(\d+(?:\.\d+)?)[,)]"
)
# Left alone, it gives up after five seconds.
_CLIENT = re.compile(r"httpx2?\.(?:(?:Async)?Client|get|post|stream)\((?!.*(?:timeout|transport)=)")


def _lines(is_meant: Callable[[str], bool]) -> list[str]:
    return [
        f"{path.relative_to(TESTS)}:{number}: {line.strip()}"
        for path in sorted({*TESTS.rglob("*.py")} - {Path(__file__)})
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if is_meant(line)
    ]


def _is_hasty(line: str) -> bool:
    """Less than a second is no limit: somebody looks whether something would come too soon."""
    return any(1 <= float(limit) < PATIENCE_S for limit in _LIMIT.findall(line))


def test_whoever_waits_for_a_state_is_patient() -> None:
    assert _is_hasty("async with asyncio.timeout(20):")
    assert _lines(_is_hasty) == [], "wait for PATIENCE_S of tests/waiting.py"


def test_whoever_asks_a_server_is_patient() -> None:
    assert _CLIENT.search("with httpx.Client(base_url=url) as client:")
    assert _lines(lambda line: bool(_CLIENT.search(line))) == [], "give it timeout=PATIENCE_S"
