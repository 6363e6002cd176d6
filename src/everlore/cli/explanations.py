"""Prints the results of a recall: each with its reason, the parts of its score, and what was dropped (R5).

Start at `answer_lines`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from everlore.cli.documents import coverage_document
from everlore.cli.output import shown

if TYPE_CHECKING:
    from everlore.domain.passage import Passage
    from everlore.domain.recalled import Recalled
    from everlore.recall.answer import Dropped, RecallAnswer
    from everlore.store.answers import Coverage

_MS = 1_000
_INDENT = "       "


# ── for programs ─────────────────────────────────────────────────────────────────────────────────


def answer_document(answer: "RecallAnswer", *, explain: bool) -> dict[str, object]:
    document: dict[str, object] = {
        "items": [recalled_document(each) for each in answer],
        "coverage": coverage_document(answer.coverage),
    }
    if explain:
        document |= {
            "dropped": [_dropped_document(each) for each in answer.dropped],
            "steps": {name: round(seconds * _MS, 3) for name, seconds in answer.steps.items()},
        }
    return document


def recalled_document(recalled: "Recalled") -> dict[str, object]:
    passage = _passage(recalled)
    return {
        "kind": recalled.kind,
        "id": passage.ref,
        "type": passage.type,
        "content": passage.text,
        "score": recalled.score,
        "doubtful": recalled.is_doubtful,
        "parts": recalled.parts,
        "why": recalled.why,
        "record": _without_versions(recalled.record),
    }


def _without_versions(record: object) -> object:
    """Without the other versions of a message: they are never recalled (M15)."""
    from everlore.domain.conversation import Message

    return replace(record, alternatives=(), chosen=0) if isinstance(record, Message) else record


def _dropped_document(dropped: "Dropped") -> dict[str, object]:
    passage = _passage(dropped.recalled)
    return {
        "kind": dropped.recalled.kind,
        "id": passage.ref,
        "content": passage.text,
        "step": dropped.step,
        "why": dropped.why,
        "score": dropped.recalled.score,
        "parts": dropped.recalled.parts,
    }


# ── for people ───────────────────────────────────────────────────────────────────────────────────


def answer_lines(answer: "RecallAnswer", *, explain: bool) -> Iterator[str]:
    if not answer.hits:
        yield "No memories found."
    yield from recalled_lines(answer.hits, explain=explain)
    if explain:
        yield from _dropped_lines(answer.dropped)
        yield f"({', '.join(f'{name} {seconds * _MS:.1f} ms' for name, seconds in answer.steps.items())})"
    yield from _coverage_lines(answer.coverage)


def recalled_lines(found: "Iterable[Recalled]", *, explain: bool = False) -> Iterator[str]:
    passages = [(each, _passage(each)) for each in found]
    width = max((len(passage.type or passage.kind) for _, passage in passages), default=0)
    for each, passage in passages:
        what = f"{(passage.type or passage.kind):<{width}}"
        in_doubt = "  (doubtful)" if each.is_doubtful else ""
        yield f"{each.score:5.2f}  {what}  {shown(passage.ref)}  {shown(passage.text)}{in_doubt}"
        if explain:
            yield f"{_INDENT}{shown(each.why)}"
            yield f"{_INDENT}{parts_line(each.parts)}"


def parts_line(parts: Mapping[str, float]) -> str:
    """The parts of a score: similarity of meaning and of words first, then the weights."""
    meaning = f"meaning {parts['vector']:.2f}" if "vector" in parts else "meaning not compared"
    words = f"words {parts['text']:.2f}" if "text" in parts else "no words in common"
    weights = [f"{name} {part:.2f}" for name, part in parts.items() if name not in ("vector", "text")]
    return " · ".join([meaning, words, *weights])


def _dropped_lines(dropped: "Iterable[Dropped]") -> Iterator[str]:
    for each in dropped:
        passage, score = _passage(each.recalled), each.recalled.score
        yield f"{score:5.2f}  dropped at {each.step}  {shown(passage.ref)}  {shown(passage.text)}"
        yield f"{_INDENT}{shown(each.why)}"
        yield f"{_INDENT}{parts_line(each.recalled.parts)}"


def _coverage_lines(coverage: "Coverage") -> Iterator[str]:
    if coverage.share < 1:
        yield (
            f"({coverage.embedded} of {coverage.passages} texts are in the vector index; others are found by keyword)"
        )


def _passage(recalled: "Recalled") -> "Passage":
    from everlore.domain.passage import passage_of

    passage = passage_of(recalled.record)
    assert passage is not None, "only passages are found"
    return passage
