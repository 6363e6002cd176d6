"""Which PostgreSQL runs on which processor."""

import pytest

from benchmarks.postgres import needs_another


@pytest.mark.parametrize(
    ("machine", "features", "expected"),
    [
        ("aarch64", {"fp", "asimd", "sve"}, False),
        ("aarch64", {"fp", "asimd"}, True),
        # Not known: the usual one, as on every other machine.
        ("aarch64", set(), False),
        ("x86_64", {"fpu", "sse2"}, False),
        ("arm64", {"fp"}, False),
    ],
)
def test_only_arm_processors_that_lack_what_the_usual_one_needs_get_another(
    machine: str, features: set[str], expected: bool
) -> None:
    assert needs_another(machine, features) is expected
