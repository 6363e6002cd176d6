"""What is counted of a reading as it is kept: that something was read, and which filters stopped what (C9)."""

from everlore.domain.counters import FILTERED, READ
from everlore.domain.reading import Reading, refused_counts
from everlore.store.port import Change, Count, Put


def kept_and_counted(reading: Reading) -> list[Change]:
    stopped = [Count(FILTERED + name, number) for name, number in sorted(refused_counts(reading).items())]
    return [Put(reading), Count(READ + reading.extractor.value), *stopped]
