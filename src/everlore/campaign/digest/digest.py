"""What a digest is, whoever made it: a model, or sentences of the log themselves."""

from dataclasses import dataclass

from everlore.domain.memory import MemoryType

# What a session is kept as beside its summary (G1), and how many of each.
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
    """One thing that a session came to. `sources`: the messages that say so, in their order."""

    kind: MemoryType
    text: str
    sources: tuple[str, ...]
    weight: int = 5


@dataclass(frozen=True, slots=True)
class Digest:
    """`summary`: two or three paragraphs; `line`: one line for the timeline; `sources`: all that was read."""

    summary: str
    line: str
    items: tuple[DigestItem, ...]
    sources: tuple[str, ...]
    model: str = ""

    def of(self, kind: MemoryType) -> tuple[DigestItem, ...]:
        return tuple(each for each in self.items if each.kind is kind)
