"""The last lines of a run: which tests failed before they passed, and how long each folder took, over all workers."""

import time
from collections import Counter, defaultdict
from collections.abc import Generator, Mapping
from pathlib import PurePosixPath

import pytest


class Parts:
    """Sums up what each test says of itself, from whichever worker it comes."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._first: float | None = None
        self._seconds: dict[PurePosixPath, float] = defaultdict(float)
        self._tests: Counter[PurePosixPath] = Counter()
        self._failed_at_first: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._first is None:
            self._first = time.monotonic() - report.duration
        file = PurePosixPath(report.nodeid.partition("::")[0])
        self._seconds[file] += report.duration
        self._tests[file] += report.when == "setup"
        outcome: str = report.outcome
        if outcome == "rerun":
            self._failed_at_first.append(report)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        yield
        terminal = session.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None and self._first is not None:
            for report in self._failed_at_first:
                terminal.write_sep("_", f"failed at first: {report.nodeid}")
                terminal.write_line(report.longreprtext)
            terminal.write_line(f"{self._first - self._started:7.0f} s until the first test")
            for line in lines_of(self._seconds, self._tests):
                terminal.write_line(line)


def lines_of(seconds: Mapping[PurePosixPath, float], tests: Counter[PurePosixPath]) -> list[str]:
    """The longest last; of one folder alone, its files."""
    folders = {_folder(file) for file in seconds}
    part = _folder if len(folders) > 1 else (lambda file: file)
    whole: dict[PurePosixPath, float] = defaultdict(float)
    counts = Counter[PurePosixPath]()
    for file in seconds:
        whole[part(file)] += seconds[file]
        counts[part(file)] += tests[file]
    return [
        f"{whole[each]:7.0f} s {counts[each]:6} tests  {each}" for each in sorted(whole, key=lambda each: whole[each])
    ]


def _folder(file: PurePosixPath) -> PurePosixPath:
    """`tests/recall` of `tests/recall/deep/test_it.py`."""
    return PurePosixPath(*file.parts[:2])
