"""Times and what they say: percentiles, and measuring several things side by side.

What is to be compared is measured in turn, A B B A …, never A A A … B B B: on a shared machine the noise then
falls on all of them alike.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import Any

import numpy as np

# One thing to be measured; the number says which question it is asked.
Arm = Callable[[int], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Timing:
    p50_ms: float
    p95_ms: float
    mean_ms: float
    count: int

    def per(self, rows: int) -> "Timing":
        """The time for one of so many rows that were handled together."""
        return Timing(self.p50_ms / rows, self.p95_ms / rows, self.mean_ms / rows, self.count)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies, between neighbours where it falls between."""
    return float(np.quantile(values, share))


def timing_of(seconds: Sequence[float]) -> Timing:
    milliseconds = [1000 * each for each in seconds]
    return Timing(
        percentile(milliseconds, 0.5), percentile(milliseconds, 0.95), float(np.mean(milliseconds)), len(seconds)
    )


async def seconds_of(work: Awaitable[Any]) -> float:
    start = perf_counter()
    await work
    return perf_counter() - start


async def interleaved(arms: Mapping[str, Arm], rounds: int, *, warm_up: int = 3) -> dict[str, Timing]:
    """Each round asks every arm its question once, in an order of its own: whoever runs after a large scan finds
    the caches cold, and that should not always be the same one."""
    for number in range(warm_up):
        for arm in arms.values():
            await arm(number)
    times: dict[str, list[float]] = {name: [] for name in arms}
    random = Random("order")
    for number in range(rounds):
        for name in random.sample(list(arms), len(arms)):
            times[name].append(await seconds_of(arms[name](number)))
    return {name: timing_of(seconds) for name, seconds in times.items()}
