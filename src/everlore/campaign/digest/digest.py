"""The digest of a session, made by a model or quoted from the log."""

from dataclasses import dataclass

from everlore.campaign.boundaries import Boundary
from everlore.domain.memory import MemoryType

# Memory types of a digest besides its summary (G1), and the maximum number of each.
MOST: dict[MemoryType, int] = {
    MemoryType.SCENE: 12,
    MemoryType.DECISION_POINT: 8,
    MemoryType.DISCOVERY: 8,
    MemoryType.MOMENT: 5,
    MemoryType.PLOT_THREAD: 6,
    MemoryType.FACT: 20,
}


@dataclass(frozen=True, slots=True)
class DigestItem:
    """One item of a digest. `sources`: the messages that say so, in order. `is_over`: a thread that the same session
    opened and closed."""

    kind: MemoryType
    text: str
    sources: tuple[str, ...]
    weight: int = 5
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Digest:
    """`summary`: two or three paragraphs; `line`: one line for the timeline; `sources`: all messages read. `closed`:
    the ids of threads of earlier sessions that this one closed. `boundary`: where a model that was asked
    (`is_chapter_read`) ends the chapter."""

    summary: str
    line: str
    items: tuple[DigestItem, ...]
    sources: tuple[str, ...]
    model: str = ""
    closed: frozenset[str] = frozenset()
    boundary: Boundary | None = None
    is_chapter_read: bool = False

    def of(self, kind: MemoryType) -> tuple[DigestItem, ...]:
        return tuple(each for each in self.items if each.kind is kind)
