"""Asks every system every question, and keeps what each answer was worth. Start at `run`.

Case by case, and within a case question by question: all systems are asked the same thing one after the other, so that
a busy moment of the machine hits all of them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.recall.baselines import Kept
from benchmarks.recall.cases import Case, OffTopicQuestion, Query
from benchmarks.recall.metrics import figures_of, session_figures_of, tokens_of
from benchmarks.recall.systems import Ranked, System
from everlore.models.embedder import Embedder

# A question off the topic is asked about so many cases at most.
_OFF_TOPIC_CASES = 5
# Asked first and not counted: whoever has just taken a case in loads it with the first question.
_WARM_UP = "What was said?"


@dataclass(frozen=True, slots=True)
class Row:
    """One question, as one system answered it. `names_somebody`: who talks there; `is_empty`: nothing came back."""

    case: str
    query: Query
    figures: Mapping[str, float]
    seconds: float
    steps: Mapping[str, float]
    names_somebody: bool = False
    is_empty: bool = False


@dataclass(frozen=True, slots=True)
class OffTopic:
    """A question that nothing in the case bears on, and how many turns came back all the same, and not as doubtful."""

    case: str
    kind: str
    question: str
    hits: int


@dataclass(frozen=True, slots=True)
class Rows:
    by_system: Mapping[str, list[Row]]
    off_topic: list[OffTopic] = field(default_factory=list)


async def run(
    cases: Sequence[Case],
    systems: Sequence[System],
    *,
    embedder: Embedder | None,
    off_topic: Sequence[OffTopicQuestion] = (),
    told: Callable[[], None] = lambda: None,
) -> Rows:
    """The first system is the one that is asked off the topic, where that is wanted, also what a case has of its own:
    the others answer whatever they are asked."""
    found = Rows({system.name: [] for system in systems})
    for number, case in enumerate(cases):
        kept = Kept(case, embedder)
        for system in systems:
            await system.add(case, kept)
            await system.search(_WARM_UP)
        judge = _Judge(case)
        for query in case.queries:
            for system in systems:
                found.by_system[system.name].append(judge.row(query, await system.search(query.text)))
            told()
        for question in (*off_topic, *case.off_topic) if off_topic and number < _OFF_TOPIC_CASES else ():
            answer = await systems[0].search(question.text)
            hits = len(answer.ids) if answer.plain is None else answer.plain
            found.off_topic.append(OffTopic(case.id, question.kind, question.text, hits))
    return found


class _Judge:
    def __init__(self, case: Case) -> None:
        self._case = case.id
        self._tokens = {turn.id: tokens_of(turn) for turn in case.turns}
        self._session_of = {turn.id: turn.session for turn in case.turns}
        names = {re.escape(turn.speaker) for turn in case.turns if turn.speaker}
        self._somebody = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(names))})(?!\w)", re.IGNORECASE) if names else None

    def row(self, query: Query, ranked: Ranked) -> Row:
        figures: dict[str, float] = {}
        if query.gold:
            figures |= figures_of(ranked.ids, query.gold, self._tokens)
        if query.gold_sessions:
            figures |= session_figures_of(ranked.ids, query.gold_sessions, self._session_of)
        names_somebody = self._somebody is not None and self._somebody.search(query.text) is not None
        return Row(self._case, query, figures, ranked.seconds, ranked.steps, names_somebody, not ranked.ids)
