"""Everything that one recall did: what it selected, what each step dropped, and what happened to one memory (R5).

Start at `Trace`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.recall.answer import Dropped, RecallAnswer, Step, WhyNotVerdict
from everlore.recall.question import RecallQuery
from everlore.recall.reasons import outside, told
from everlore.store.answers import Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """`kept` best first, for a reply by layer. For the traced memory: `is_seen` says whether the viewer may see it, and
    `behind` is its hit if a search found it, even beyond the limit of that search."""

    query: RecallQuery
    kept: tuple[Recalled, ...]
    dropped: tuple[Dropped, ...]
    is_seen: bool
    behind: Recalled | None
    pool: int
    coverage: Coverage
    steps: Mapping[str, float] = field(default_factory=dict, hash=False, compare=False)

    def answer(self) -> RecallAnswer:
        """For the caller; dropped ones only if they asked for an explanation."""
        dropped = self.dropped if self.query.explain else ()
        return RecallAnswer(
            tuple(map(told, self.kept)),
            self.coverage,
            tuple(replace(each, recalled=told(each.recalled)) for each in dropped),
            self.steps,
        )

    def verdict(self, memory: Memory) -> WhyNotVerdict:
        """Which step drops the traced memory, if any does."""
        for place, each in enumerate(self.kept, start=1):
            if each.record.id == memory.id:
                hit = told(each)
                return WhyNotVerdict(memory.id, None, hit.why, place, hit.score, hit.parts)
        for dropped in self.dropped:
            if dropped.recalled.record.id == memory.id:
                return _verdict(dropped.step, dropped.why, dropped.recalled)
        if PassageKind.MEMORY not in self.query.all_kinds:
            return WhyNotVerdict(memory.id, Step.SCOPE, "Memories were not searched.")
        if self.behind is not None:
            why = f"Others are more similar to the question: it is not among the top {self.pool}."
            return _verdict(Step.CANDIDATES, why, self.behind)
        if self.is_seen and self.query.here is not None:
            why = "It belongs to the character and someone else, so it is not used in this chat."
            return WhyNotVerdict(memory.id, Step.SCOPE, why)
        return WhyNotVerdict(memory.id, Step.SCOPE, outside(memory, self.query))


def _verdict(step: Step, why: str, recalled: Recalled) -> WhyNotVerdict:
    found = told(recalled)
    return WhyNotVerdict(found.record.id, step, why, score=found.score, parts=found.parts)
