"""The figures of a run: one document for programs, tables for people. Pure; start at `document_of` and `lines_of`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.bars import Bar
from benchmarks.recall.cases import Reading
from benchmarks.recall.metrics import BUDGETS, KS, SESSION_KS, interval_of, mean_of
from benchmarks.recall.run import OffTopic, Row, Rows
from benchmarks.report import bars_table, table
from benchmarks.timing import timing_of

# Of a hundred questions off the topic, fewer than so many may bring anything back.
OFF_TOPIC = 0.05
_MAIN = (*(f"recall@{k}" for k in KS), "ndcg@10", *(f"budget{budget}" for budget in BUDGETS))
_MORE = (
    "mrr",
    *(f"{what}@{k}" for k in KS for what in ("any", "all")),
    *(f"tokens@{k}" for k in KS),
    *(f"used{budget}" for budget in BUDGETS),
)
_SESSIONS = tuple(f"session_recall_{what}@{k}" for k in SESSION_KS for what in ("any", "all"))
_WITH_INTERVALS = (*_MAIN, *(name for name in _SESSIONS if "any" in name))
# All of them are in the document.
_SHOWN_INTERVALS = ("recall@5", "recall@10", "recall@20", "budget1000", "session_recall_any@5")
_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured, in the words of whoever asked."""

    format: str
    data: str
    embedder: str


# ── the document ─────────────────────────────────────────────────────────────────────────────────


def document_of(measured: Measured, reading: Reading, rows: Rows) -> dict[str, Any]:
    """The first system is ours; the others stand `beside` it."""
    (_, ours), *others = rows.by_system.items()
    document: dict[str, Any] = asdict(measured)
    document |= {"cases": len(reading.cases), "turns": reading.turns, "dropped": dict(reading.dropped)}
    document |= _system(ours)
    document["steps_ms"] = _steps(ours)
    document["empty"] = _empty(_scored(ours))
    document["apart"] = sorted({row.query.category for row in ours if not row.query.scored})
    document["beside"] = {
        name: _system(theirs) | {"everlore_gains": _gains(_scored(theirs), _scored(ours))} for name, theirs in others
    }
    if rows.off_topic:
        document["off_topic"] = _off_topic(rows.off_topic)
    return document


def _system(rows: Sequence[Row]) -> dict[str, Any]:
    scored = _scored(rows)
    categories = sorted({row.query.category for row in rows})
    timing = timing_of([row.seconds for row in rows])
    return {
        "overall": _summary(scored),
        "by_category": {name: _summary([row for row in rows if row.query.category == name]) for name in categories},
        "intervals": _intervals(scored),
        "latency_ms": {"p50": timing.p50_ms, "p95": timing.p95_ms},
    }


def _scored(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.query.scored]


def _summary(rows: Sequence[Row]) -> dict[str, Any]:
    """`n` counts the questions with gold turns. What no question has is null; figures of sessions are left out."""
    figures = [row.figures for row in rows]
    summary: dict[str, Any] = {"n": sum(_MAIN[0] in each for each in figures)}
    summary |= {name: mean_of(figures, name) for name in (*_MAIN, *_MORE)}
    if with_sessions := sum(_SESSIONS[0] in each for each in figures):
        summary["session_n"] = with_sessions
        summary |= {name: mean_of(figures, name) for name in _SESSIONS}
    return summary


def _intervals(rows: Sequence[Row]) -> dict[str, list[float]]:
    found = {}
    for name in _WITH_INTERVALS:
        if values := [row.figures[name] for row in rows if name in row.figures]:
            interval = interval_of(values)
            found[name] = [interval.low, interval.high]
    return found


def _gains(theirs: Sequence[Row], ours: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Question by question, ours less theirs."""
    found = {}
    for name in _WITH_INTERVALS:
        pairs = zip(theirs, ours, strict=True)
        if gains := [our.figures[name] - their.figures[name] for their, our in pairs if name in our.figures]:
            found[name] = asdict(interval_of(gains))
    return found


def _steps(rows: Sequence[Row]) -> dict[str, float]:
    """The mean of each step, in milliseconds."""
    names = dict.fromkeys(name for row in rows for name in row.steps)
    return {name: 1000 * sum(row.steps.get(name, 0.0) for row in rows) / len(rows) for name in names}


def _empty(rows: Sequence[Row]) -> dict[str, int]:
    """For how many questions nothing came back, and of how many of them somebody who talks there is named."""
    named = [row for row in rows if row.names_somebody]
    return {
        "n": len(rows),
        "empty": sum(row.is_empty for row in rows),
        "of_somebody": len(named),
        "of_somebody_empty": sum(row.is_empty for row in named),
    }


def _off_topic(asked: Sequence[OffTopic]) -> dict[str, Any]:
    answered = [each for each in asked if each.hits]
    kinds = dict.fromkeys(each.kind for each in asked)
    return {
        "n": len(asked),
        "answered": len(answered),
        "rate": _rate(asked),
        "by_kind": {kind: _rate([each for each in asked if each.kind == kind]) for kind in kinds},
        "questions": [asdict(each) for each in answered],
    }


def _rate(asked: Sequence[OffTopic]) -> float:
    return sum(each.hits > 0 for each in asked) / len(asked)


def bars_of(document: Mapping[str, Any]) -> list[Bar]:
    empty, found = document["empty"], document.get("off_topic")
    bars = [Bar("empty", "questions about somebody there that brought nothing back", empty["of_somebody_empty"], 0)]
    if found is not None:
        claim = "share of the questions that brought anything back, and not as doubtful"
        bars.append(Bar("off topic", claim, found["rate"], OFF_TOPIC))
    return bars


# ── the tables ───────────────────────────────────────────────────────────────────────────────────


def lines_of(document: Mapping[str, Any]) -> Iterator[str]:
    systems = {"everlore": document} | document["beside"]
    counts = f"{document['cases']} cases, {document['turns']:,} turns, {document['overall']['n']} questions"
    yield f"{document['format']}, embedder {document['embedder']}: {counts}"
    for what, count in document["dropped"].items():
        yield f"left out: {count} {what}"
    yield ""
    yield from _systems_table(systems)
    if document["overall"].get("session_n"):
        yield ""
        yield from _sessions_table(systems)
    yield ""
    yield from _gains_table(document)
    yield from _categories_table(document)
    if document["steps_ms"]:
        yield ""
        yield "steps, ms: " + ", ".join(f"{name} {ms:.2f}" for name, ms in document["steps_ms"].items())
    yield ""
    yield from _empty_lines(document)
    yield from _off_topic_lines(document)
    yield bars_table(bars_of(document))


def _systems_table(systems: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    head = ["%", *(name.replace("recall", "R") for name in _MAIN), "tokens of 10", "p50 ms", "p95 ms"]
    rows = []
    for name, found in systems.items():
        overall, latency = found["overall"], found["latency_ms"]
        figures = [_percent(overall[each]) for each in _MAIN]
        tokens = "–" if overall["tokens@10"] is None else f"{overall['tokens@10']:.0f}"
        rows.append([name, *figures, tokens, f"{latency['p50']:.1f}", f"{latency['p95']:.1f}"])
    yield table(head, rows)


def _sessions_table(systems: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    head = ["sessions, %", *(name.removeprefix("session_recall_") for name in _SESSIONS)]
    yield table(
        head, [[name, *(_percent(found["overall"][each]) for each in _SESSIONS)] for name, found in systems.items()]
    )


def _gains_table(document: Mapping[str, Any]) -> Iterator[str]:
    names = [name for name in _SHOWN_INTERVALS if name in document["intervals"]]
    rows = [["everlore", *("{:.1f} – {:.1f}".format(*_hundred(document["intervals"][name])) for name in names)]]
    for beside, found in document["beside"].items():
        gains = found["everlore_gains"]
        rows.append([f"over {beside}", *(_signed(gains[name]) for name in names)])
    yield table(["95 % intervals", *(name.replace("recall", "R") for name in names)], rows)


def _categories_table(document: Mapping[str, Any]) -> Iterator[str]:
    apart = document["apart"]
    rows = [
        [f"{name} (apart)" if name in apart else name, str(found["n"]), *(_percent(found[each]) for each in _MAIN)]
        for name, found in sorted(document["by_category"].items(), key=lambda item: item[0] in apart)
    ]
    yield ""
    yield table(["category, %", "n", *(name.replace("recall", "R") for name in _MAIN)], rows)


def _empty_lines(document: Mapping[str, Any]) -> Iterator[str]:
    found = document["empty"]
    share = _percent(found["empty"] / found["n"] if found["n"] else None)
    yield f"empty: {found['empty']} of {found['n']} questions ({share} %) brought nothing back"
    yield f"  of {found['of_somebody']} that name somebody who talks there, {found['of_somebody_empty']}"


def _off_topic_lines(document: Mapping[str, Any]) -> Iterator[str]:
    found = document.get("off_topic")
    if found is None:
        return
    yield ""
    yield f"off topic: {found['answered']} of {found['n']} questions brought something back, and not as doubtful"
    yield table(["of the kind", "%"], [[kind, _percent(rate)] for kind, rate in found["by_kind"].items()])
    for each in found["questions"][:_MOST_SHOWN]:
        yield f"  {each['case']}: {each['question']} ({each['hits']})"


def _percent(share: float | None) -> str:
    """A share of nothing is no figure."""
    return "–" if share is None else f"{100 * share:.1f}"


def _signed(gain: Mapping[str, float]) -> str:
    return f"{100 * gain['mean']:+.1f} ({100 * gain['low']:+.1f} – {100 * gain['high']:+.1f})"


def _hundred(values: Sequence[float]) -> list[float]:
    return [100 * value for value in values]
