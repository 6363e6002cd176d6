"""How long each step took."""

import time


class Stopwatch:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        """The time since the last lap counts for this step."""
        now = time.perf_counter()
        self.laps[name] = self.laps.get(name, 0.0) + now - self._since
        self._since = now
