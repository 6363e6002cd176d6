"""What a run under load found, as text and as JSON. Pure; start at `Found`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.load.users import KINDS, Checked, Request
from benchmarks.report import table
from benchmarks.timing import percentile


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at the processes: jobs that wait (None while no server answered), and the memory of each process."""

    at: float
    pending: int | None
    rss_mb: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Kind:
    kind: str
    count: int
    errors: int
    per_s: float
    p50_ms: float
    p95_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Memory:
    """`slope_mb_per_min` is that of the second half of the run: in the first one caches fill."""

    process: str
    first_mb: float
    last_mb: float
    slope_mb_per_min: float


@dataclass(frozen=True, slots=True)
class Found:
    database: str
    users: int
    seconds: float
    servers: int
    workers: int
    faults: int
    kinds: list[Kind]
    errors: dict[str, int]
    # At ten points in time.
    pending: list[int]
    drained_s: float
    memory: list[Memory]
    checked: Checked

    @property
    def holds(self) -> bool:
        """Nothing acknowledged is lost or doubled; and without faults there is no error."""
        return not (self.checked.lost or self.checked.doubled or (self.errors and not self.faults))


def kinds_of(requests: Sequence[Request], seconds: float) -> list[Kind]:
    found = []
    for kind in KINDS:
        those = [each for each in requests if each.kind == kind]
        times = [1000 * each.seconds for each in those if not each.error] or [float("nan")]
        p50, p95, p99 = (percentile(times, share) for share in (0.5, 0.95, 0.99))
        errors = sum(bool(each.error) for each in those)
        found.append(Kind(kind, len(those), errors, len(those) / seconds, p50, p95, p99))
    return found


def pending_of(samples: Sequence[Sample]) -> list[int]:
    seen = [each.pending for each in samples if each.pending is not None]
    return [seen[round(place)] for place in np.linspace(0, len(seen) - 1, 10)] if seen else []


def memory_of(samples: Sequence[Sample]) -> list[Memory]:
    found = []
    for process in sorted({name for each in samples for name in each.rss_mb}):
        points = [(each.at, each.rss_mb[process]) for each in samples if process in each.rss_mb]
        late = np.array(points[len(points) // 2 :])
        slope = float(np.polyfit(late[:, 0], late[:, 1], 1)[0]) * 60 if len(late) > 1 else 0.0
        found.append(Memory(process, points[0][1], points[-1][1], slope))
    return found


def json_of(found: Found) -> str:
    return json.dumps(asdict(found) | {"holds": found.holds}, indent=2)


def text_of(found: Found) -> str:
    faults = f", {found.faults} processes killed" if found.faults else ""
    parts = [
        f"{found.users} users for {found.seconds:.0f} s on {found.database}: servers {found.servers}, workers "
        f"{found.workers}{faults}",
        table(
            ["requests", "count", "errors", "per s", "p50, ms", "p95, ms", "p99, ms"],
            [
                [each.kind, f"{each.count:,}", str(each.errors), f"{each.per_s:.1f}"]
                + [f"{value:,.0f}" for value in (each.p50_ms, each.p95_ms, each.p99_ms)]
                for each in found.kinds
            ],
        ),
        table(
            ["memory", "first, MB", "last, MB", "slope, MB/min"],
            [
                [each.process, f"{each.first_mb:.0f}", f"{each.last_mb:.0f}", f"{each.slope_mb_per_min:+.1f}"]
                for each in found.memory
            ],
        ),
        f"jobs that waited: {', '.join(map(str, found.pending))}; none {found.drained_s:.1f} s after the last request",
        f"acknowledged {found.checked.acknowledged:,}: lost {found.checked.lost}, doubled {found.checked.doubled}, "
        f"without a whole reply {found.checked.unanswered}",
        "errors: " + (", ".join(f"{name} {count}" for name, count in found.errors.items()) or "none"),
    ]
    return "\n\n".join(parts)
