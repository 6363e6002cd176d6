"""What an extractor's facts are worth: every case is judged, and the judgements are counted.

A prediction is right when it states a labelled fact and adds nothing that the conversation does not hold; neutral
when it states only optional ones; else wrong, and hallucinated if what it says stands nowhere in the user's
messages. The same sentence twice in a case is wrong the second time.

Start at `score`.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from benchmarks.extract.by_rule import brought
from benchmarks.extract.cases import Case, Fact
from benchmarks.extract.matching import contradicts, presupposes, states, ungrounded, value_words
from everlore.domain.memory import Category
from everlore.domain.words import terms_of
from everlore.learning.candidate import Candidate, Extracted

Extract = Callable[[Case], Awaitable[Extracted]]
Counts = Callable[[Fact], bool]

# The tag of ordinary messages. All others were written to be hard.
EVERYDAY = "everyday"


class Verdict(StrEnum):
    RIGHT = "right"
    OPTIONAL = "optional"
    REPEATED = "repeated"
    NOT_STATED = "not_stated"
    HALLUCINATED = "hallucinated"

    @property
    def is_wrong(self) -> bool:
        return self in (Verdict.REPEATED, Verdict.NOT_STATED, Verdict.HALLUCINATED)


@dataclass(frozen=True, slots=True)
class Judged:
    """A prediction, and the labelled fact that it states."""

    candidate: Candidate
    verdict: Verdict
    fact: Fact | None = None

    @property
    def is_right(self) -> bool | None:
        """None of what is true and need not be said."""
        return None if self.verdict is Verdict.OPTIONAL else not self.verdict.is_wrong


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one case. `missed` are the facts that no prediction states."""

    case: Case
    judged: tuple[Judged, ...]
    missed: tuple[Fact, ...]
    refused: int = 0

    @property
    def wanted(self) -> list[Fact]:
        return [fact for fact in self.case.facts if not fact.is_optional]

    @property
    def is_everyday(self) -> bool:
        return EVERYDAY in self.case.tags

    def count(self, *verdicts: Verdict) -> int:
        return sum(each.verdict in verdicts for each in self.judged)


@dataclass(frozen=True, slots=True)
class Report:
    outcomes: tuple[Outcome, ...]

    @property
    def n(self) -> int:
        return len(self.outcomes)

    @property
    def facts(self) -> int:
        return sum(len(each.wanted) for each in self.outcomes)

    @property
    def predictions(self) -> int:
        return sum(len(each.judged) for each in self.outcomes)

    @property
    def wrong(self) -> int:
        return sum(judged.verdict.is_wrong for each in self.outcomes for judged in each.judged)

    @property
    def precision(self) -> float:
        return _precision(self.outcomes)

    @property
    def recall(self) -> float:
        """Of all required facts; `recall_stated` and `recall_implied` tell apart what was said and what follows."""
        return _recall(self.outcomes)

    @property
    def recall_stated(self) -> float:
        return _recall(self.outcomes, _is_stated)

    @property
    def recall_implied(self) -> float:
        return _recall(self.outcomes, _is_implied)

    @property
    def hallucinated(self) -> float:
        """Of all predictions, the share that stands on nothing the user said."""
        count = sum(each.count(Verdict.HALLUCINATED) for each in self.outcomes)
        return _share(count, self.predictions, nothing=0.0)

    @property
    def junk_per_100(self) -> float:
        return round(100 * self.wrong / self.n, 2) if self.n else 0.0

    @property
    def memories_per_50(self) -> float:
        return round(50 * self.predictions / self.n, 2) if self.n else 0.0

    @property
    def category_agreement(self) -> float:
        """Of the right predictions, the share that was put into the labelled category."""
        known = [each for outcome in self.outcomes for each in outcome.judged if each.fact and each.fact.category]
        same = sum(each.candidate.category == each.fact.category for each in known if each.fact)
        return _share(same, len(known))

    def document(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "n": self.n,
            "precision": self.precision,
            "recall": self.recall,
            "recall_stated": self.recall_stated,
            "recall_implied": self.recall_implied,
            "hallucinated": self.hallucinated,
            "junk_per_100": self.junk_per_100,
            "memories_per_50": self.memories_per_50,
            "facts": self.facts,
            "facts_stated": _wanted(self.outcomes, _is_stated),
            "facts_implied": _wanted(self.outcomes, _is_implied),
            "predictions": self.predictions,
            "right": sum(each.count(Verdict.RIGHT) for each in self.outcomes),
            "optional": sum(each.count(Verdict.OPTIONAL) for each in self.outcomes),
            "category_agreement": self.category_agreement,
            "refused": sum(each.refused for each in self.outcomes),
            "by_category": {each.value: self.of_category(each) for each in Category},
            "by_stratum": self.of_strata(),
            "by_tag": {tag: self.of_tag(tag) for tag in self.tags()},
            "by_rule": brought((judged.candidate, judged.is_right) for each in self.outcomes for judged in each.judged),
            "wrong": [_wrong_document(each, judged) for each in self.outcomes for judged in _wrong(each)],
            "missed": [_missed_document(each, fact) for each in self.outcomes for fact in each.missed],
        }

    def tags(self) -> list[str]:
        return sorted({tag for each in self.outcomes for tag in each.case.tags})

    def of_category(self, category: Category) -> dict[str, Any]:
        """Recall of the facts that are labelled so; precision of the predictions that say so of themselves."""
        mine = [each for outcome in self.outcomes for each in outcome.judged if each.candidate.category is category]
        counts = Counter(each.verdict for each in mine)
        wrong = sum(count for verdict, count in counts.items() if verdict.is_wrong)
        wanted = sum(fact.category is category for each in self.outcomes for fact in each.wanted)
        missed = sum(fact.category is category for each in self.outcomes for fact in each.missed)
        return {
            "n": wanted,
            "predictions": len(mine),
            "precision": _share(counts[Verdict.RIGHT], counts[Verdict.RIGHT] + wrong),
            "recall": _share(wanted - missed, wanted),
        }

    def of_tag(self, tag: str) -> dict[str, Any]:
        return _figures([each for each in self.outcomes if tag in each.case.tags])

    def of_strata(self) -> dict[str, dict[str, Any]]:
        return {
            EVERYDAY: _figures([each for each in self.outcomes if each.is_everyday]),
            "others": _figures([each for each in self.outcomes if not each.is_everyday]),
        }


async def score(cases: Sequence[Case], extract: Extract, *, told: Callable[[], None] = lambda: None) -> Report:
    """Run every case, one after the other; `told` is called after each."""
    outcomes = []
    for case in cases:
        found = await extract(case)
        outcomes.append(judge(case, found.candidates, refused=len(found.refused)))
        told()
    return Report(tuple(outcomes))


def judge(case: Case, candidates: Sequence[Candidate], *, refused: int = 0) -> Outcome:
    judged: list[Judged] = []
    seen: set[frozenset[str]] = set()
    for candidate in candidates:
        said = frozenset(terms_of(candidate.content))
        judged.append(Judged(candidate, Verdict.REPEATED) if said in seen else _judged(case, candidate))
        seen.add(said)
    good = [each.candidate.content for each in judged if not each.verdict.is_wrong]
    missed = [fact for fact in case.facts if not (fact.is_optional or _is_covered(fact, good))]
    return Outcome(case, tuple(judged), tuple(missed), refused)


def is_hallucinated(predicted: str, texts: Sequence[str]) -> bool:
    """Whether a name, a number, or most of what it says stands in none of the texts."""
    strange = ungrounded(predicted, texts)
    return len(strange) * 2 > len(value_words(predicted)) or _has_name_or_number(predicted, strange)


def _has_name_or_number(predicted: str, strange: frozenset[str]) -> bool:
    names = {stem for word in predicted.split()[1:] if word[:1].isupper() for stem in terms_of(word)}
    return any(word in names or word[:1].isdigit() for word in strange)


def _judged(case: Case, candidate: Candidate) -> Judged:
    content = candidate.content
    stated = [fact for fact in case.facts if any(states(content, wording) for wording in fact.wordings)]
    if stated and not (_adds(case, content, stated) or _contradicts(case, content, stated)):
        needed = [fact for fact in stated if not fact.is_optional]
        nearest = next((fact for fact in stated if fact.category is candidate.category), stated[0])
        return Judged(candidate, Verdict.RIGHT if needed else Verdict.OPTIONAL, nearest)
    if any(presupposes(wording, content) for fact in case.facts for wording in fact.wordings):
        # "User has a cat" of one whose name is told: less than the fact, and true.
        return Judged(candidate, Verdict.OPTIONAL)
    if is_hallucinated(content, case.said_by_user):
        return Judged(candidate, Verdict.HALLUCINATED)
    return Judged(candidate, Verdict.NOT_STATED)


def _adds(case: Case, content: str, stated: Iterable[Fact]) -> bool:
    """Whether it says more than the facts it states, and more than was said. Words may come from what the assistant
    asked, names and numbers may not."""
    wordings = [wording for fact in stated for wording in fact.wordings]
    if ungrounded(content, [*wordings, *(each.content for each in case.messages)]):
        return True
    return _has_name_or_number(content, ungrounded(content, [*wordings, *case.said_by_user]))


def _contradicts(case: Case, content: str, stated: Sequence[Fact]) -> bool:
    """Whether it turns another fact round: "is a cook with bad knees" of somebody who used to be one."""
    others = [fact for fact in case.facts if fact not in stated]
    return any(contradicts(content, wording) for fact in others for wording in fact.wordings)


def _is_covered(fact: Fact, predictions: Sequence[str]) -> bool:
    return any(states(each, word) or presupposes(each, word) for each in predictions for word in fact.wordings)


def _precision(outcomes: Iterable[Outcome]) -> float:
    judged = [each.verdict for outcome in outcomes for each in outcome.judged]
    right = judged.count(Verdict.RIGHT)
    return _share(right, right + sum(each.is_wrong for each in judged))


def _recall(outcomes: Sequence[Outcome], counts: Counts = lambda _: True) -> float:
    wanted = _wanted(outcomes, counts)
    return _share(wanted - sum(counts(fact) for each in outcomes for fact in each.missed), wanted)


def _wanted(outcomes: Sequence[Outcome], counts: Counts) -> int:
    return sum(counts(fact) for each in outcomes for fact in each.wanted)


def _is_stated(fact: Fact) -> bool:
    return not fact.is_implied


def _is_implied(fact: Fact) -> bool:
    return fact.is_implied


def _figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "n": len(outcomes),
        "facts": _wanted(outcomes, lambda _: True),
        "facts_stated": _wanted(outcomes, _is_stated),
        "facts_implied": _wanted(outcomes, _is_implied),
        "predictions": sum(len(each.judged) for each in outcomes),
        "precision": _precision(outcomes),
        "recall": _recall(outcomes),
        "recall_stated": _recall(outcomes, _is_stated),
        "recall_implied": _recall(outcomes, _is_implied),
        "wrong": sum(judged.verdict.is_wrong for each in outcomes for judged in each.judged),
    }


def _share(part: int, whole: int, *, nothing: float = 1.0) -> float:
    """Nothing said is nothing wrong, and nothing wanted is nothing missed."""
    return round(part / whole, 4) if whole else nothing


def _wrong(outcome: Outcome) -> list[Judged]:
    return [each for each in outcome.judged if each.verdict.is_wrong]


def _wrong_document(outcome: Outcome, judged: Judged) -> dict[str, Any]:
    return {
        "id": outcome.case.id,
        "content": judged.candidate.content,
        "category": judged.candidate.category,
        "confidence": judged.candidate.confidence,
        "why": judged.verdict,
        "rule": judged.candidate.rule,
        "message": outcome.case.message,
        "facts": [fact.content for fact in outcome.case.facts],
    }


def _missed_document(outcome: Outcome, fact: Fact) -> dict[str, Any]:
    return {
        "id": outcome.case.id,
        "content": fact.content,
        "category": fact.category,
        "implied": fact.is_implied,
        "message": outcome.case.message,
        "predicted": [each.candidate.content for each in outcome.judged],
    }
