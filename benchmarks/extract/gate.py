"""Both errors of what stands behind a reader: what it keeps out of the true, and lets in of the false.

In: the folder of messages, and who reads them. Out: for each class of messages, what became of the true and of the
false statements: active, pending or refused; and of any reader, how much was found, and how much of what was said.

Start at `weighed` and `found`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.extract.by_rule import brought
from benchmarks.extract.extractors import source_of, trusted
from benchmarks.extract.matching import presupposes, states
from benchmarks.extract.scoring import Extract
from benchmarks.extract.scripted import ScriptedModel
from benchmarks.extract.told import Told
from everlore.learning.candidate import Candidate, Extracted
from everlore.learning.facts.flow import facts_in
from everlore.learning.facts.gate import tidied
from everlore.learning.facts.quotes import stands_in
from everlore.learning.facts.trust import Trust
from everlore.learning.saving.likeness import read, says_same

ALL = "all"
_FATES = ("active", "pending", "refused")


@dataclass(frozen=True, slots=True)
class Fates:
    """How many of the true and of the false statements went which way."""

    true: Counter[str]
    false: Counter[str]

    def document(self) -> dict[str, Any]:
        return {
            kind: {"n": sum(each.values()), **{fate: each[fate] for fate in _FATES}}
            for kind, each in (("true", self.true), ("false", self.false))
        }


async def weighed(
    told: Sequence[Told], model: ScriptedModel, *, trust: Trust | None, progress: Callable[[], None]
) -> dict[str, Any]:
    """What becomes of a model's statements, as far as its own probe makes it trusted."""
    reached, result = await trusted(model, trust)
    fates: dict[str, Fates] = {}
    invented: Counter[str] = Counter()
    kept_out: list[dict[str, str]] = []
    let_in: list[dict[str, str]] = []
    for each in told:
        extracted = await facts_in(source_of(each.case), model, reached)
        for statement in model.stated(each.case.message):
            fate, is_true = _fate(statement, extracted), statement in each.true
            for kind in (each.kind, ALL):
                both = fates.setdefault(kind, Fates(Counter(), Counter()))
                (both.true if is_true else both.false)[fate] += 1
            quote = each.fields.get(statement, {}).get("quote")
            if quote is not None and not stands_in(each.case.message, quote):
                invented[fate] += 1
            row = {"id": each.case.id, "statement": statement, "fate": fate}
            if is_true and fate != "active":
                kept_out.append(row)
            elif not is_true and fate == "active":
                let_in.append(row)
        progress()
    return {
        "n": len(told),
        "trust": reached.value,
        "probe": asdict(result),
        "classes": {kind: each.document() for kind, each in fates.items()},
        "invented_quotes": {"n": invented.total(), **{fate: invented[fate] for fate in _FATES}},
        "kept_out": kept_out,
        "let_in": let_in,
    }


def _fate(statement: str, extracted: Extracted) -> str:
    """A statement that stands in other words stands."""
    content = tidied(Candidate(content=statement)).content
    if any(each.content.endswith(content) for each in extracted.doubted):
        return "pending"
    stands = any(
        each.content.endswith(content) or says_same(read(content), read(each.content, each.claim))
        for each in extracted.candidates
    )
    return "active" if stands else "refused"


async def found(told: Sequence[Told], extract: Extract, *, progress: Callable[[], None]) -> dict[str, Any]:
    """What a reader finds of the labelled facts; with what waits for review, `found_or_doubted`. What is said beside
    those may be true, and is shown to be judged; what another statement of the message says as well is `repeated`."""
    classes: dict[str, Counter[str]] = {}
    judged: list[tuple[Candidate, bool]] = []
    beside: list[dict[str, str]] = []
    repeated: list[dict[str, str]] = []
    for each in told:
        extracted = await extract(each.case)
        said, doubted = extracted.candidates, extracted.doubted
        labelled = [(one, _is_labelled(one.content, each)) for one in said]
        twice = [one for one in said if _is_repeated(one, said)]
        for kind in (each.kind, ALL):
            count = classes.setdefault(kind, Counter())
            count["facts"] += len(each.gold)
            count["found"] += _found(each, said)
            count["found_or_doubted"] += _found(each, [*said, *doubted])
            count["said"] += len(said)
            count["labelled"] += sum(is_labelled for _, is_labelled in labelled)
            count["repeated"] += len(twice)
            count["doubted"] += len(doubted)
            count["doubted_labelled"] += sum(_is_labelled(one.content, each) for one in doubted)
        judged += labelled
        beside += [_row(each, one) for one, is_labelled in labelled if not is_labelled]
        repeated += [_row(each, one) for one in twice]
        progress()
    return {
        "n": len(told),
        "classes": {kind: dict(each) for kind, each in classes.items()},
        "by_rule": brought(judged),
        "beside": beside,
        "repeated": repeated,
    }


def _is_repeated(one: Candidate, said: Sequence[Candidate]) -> bool:
    """Of two that say the same, the second is the repetition."""
    at = said.index(one)
    return any(
        states(other.content, one.content) and (before < at or not states(one.content, other.content))
        for before, other in enumerate(said)
        if before != at
    )


def _found(told: Told, said: Sequence[Candidate]) -> int:
    return sum(any(gold.is_said_by(one.content) for one in said) for gold in told.gold)


def _row(told: Told, said: Candidate) -> dict[str, str]:
    return {"id": told.case.id, "statement": said.content, "rule": said.rule, "message": told.case.message}


def _is_labelled(statement: str, told: Told) -> bool:
    if any(gold.is_said_by(statement) for gold in told.gold):
        return True
    known = (*told.true, *(gold.content for gold in told.gold))
    return any(states(statement, each) or presupposes(each, statement) for each in known)
