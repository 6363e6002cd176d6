"""No test gives up sooner than is usual: on a busy machine it would fail for nothing."""

import re
from pathlib import Path

from tests.waiting import PATIENCE_S

TESTS = Path(__file__).resolve().parents[1]
_LIMIT = re.compile(r"(?:asyncio\.timeout\(|wait_for\(.*, |\.wait, |\.(?:wait|join)\(|[( ]timeout=)(\d+(?:\.\d+)?)\)")


def test_whoever_waits_for_a_state_is_patient() -> None:
    hasty = [
        f"{path.relative_to(TESTS)}:{number}: {line.strip()}"
        for path in sorted(TESTS.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for limit in _LIMIT.findall(line)
        if 0 < float(limit) < PATIENCE_S
    ]

    assert hasty == [], "wait for PATIENCE_S of tests/waiting.py"
