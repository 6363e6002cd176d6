"""The results as text for people and as JSON for machines. Pure; start at `text_of` and `json_of`."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from benchmarks.bars import Bar
from benchmarks.results import Machine, Producers, Results, StoreResult
from benchmarks.timing import Timing


def json_of(results: Results, bars: Sequence[Bar]) -> str:
    found = asdict(results)
    found["bars"] = [asdict(bar) | {"holds": bar.holds} for bar in bars]
    return json.dumps(found, indent=2)


def text_of(results: Results, bars: Sequence[Bar]) -> str:
    parts = [_machine(results.machine), f"embedding a question ({results.model}): {both(results.embed_question)} ms"]
    for store in results.stores:
        parts += [_title(store), _searches(store), _saves(store), _producers(store.producers), _starts(store)]
    parts += [f"left out: {reason}" for reason in results.left_out]
    parts.append(bars_table(bars))
    return "\n\n".join(parts)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, numbers to the right."""
    lines = [head, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    shown = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines]
    return "\n".join([shown[0], "-" * (sum(widths) + 2 * (len(widths) - 1)), *shown[1:]])


def _machine(machine: Machine) -> str:
    postgres = f", PostgreSQL {machine.postgres}" if machine.postgres else ""
    return (
        f"{machine.cores} cores, Python {machine.python}, SQLite {machine.sqlite}, NumPy {machine.numpy}{postgres}\n"
        "times: p50 / p95"
    )


def _title(store: StoreResult) -> str:
    return f"== {store.store} =="


def _searches(store: StoreResult) -> str:
    references = list(store.largest.searches.references)
    rows = [["hybrid, top 20"], ["hybrid, top 20, within a pair of 1,000"], *([name] for name in references)]
    for each in store.sizes:
        found = each.searches
        timings = [found.hybrid, found.scoped, *(found.references[name] for name in references)]
        for row, timing in zip(rows, timings, strict=True):
            row.append(both(timing))
    rows.append(["recall of the vector arm"] + [f"{each.searches.recall:.4f}" for each in store.sizes])
    rows.append(["recall within the pair"] + [f"{each.searches.recall_scoped:.4f}" for each in store.sizes])
    return table(["search, ms", *_sizes(store)], rows)


def _saves(store: StoreResult) -> str:
    rows = [
        ["one memory, ms", *(both(each.saves.one) for each in store.sizes)],
        ["one of a batch of 1,000, ms", *(both(each.saves.batch_row) for each in store.sizes)],
        ["ratio of the medians", *(f"{each.saves.ratio:.1f}" for each in store.sizes)],
        ["an fsync of the disk meanwhile, ms", *(both(each.saves.fsync) for each in store.sizes)],
        ["loading, memories/s", *(f"{each.loading.memories_per_s:,.0f}" for each in store.sizes)],
        ["loading, vectors/s", *(f"{each.loading.vectors_per_s:,.0f}" for each in store.sizes)],
    ]
    return table(["save", *_sizes(store)], rows)


def _producers(found: Producers) -> str:
    return (
        f"single saves at {found.size:,}: {found.sequential_per_s:,.0f}/s one after the other, "
        f"{found.concurrent_per_s:,.0f}/s from {found.producers} producers ({found.ratio:.1f} x)"
    )


def _starts(store: StoreResult) -> str:
    rows = [
        ["open, ms", *(f"{each.startup.open_ms:.1f}" for each in store.sizes)],
        ["first search, ms", *(f"{each.startup.first_search_ms:.1f}" for each in store.sizes)],
        ["open + first search, ms", *(f"{each.startup.total_ms:.1f}" for each in store.sizes)],
        ["second search, ms", *(f"{each.startup.second_search_ms:.1f}" for each in store.sizes)],
        ["memory of the process, before, MB", *(f"{each.startup.rss_before_mb:.0f}" for each in store.sizes)],
        ["memory of the process, after, MB", *(f"{each.startup.rss_mb:.0f}" for each in store.sizes)],
        ["database, MB", *(f"{each.size_mb:.1f}" for each in store.sizes)],
    ]
    return table(["start in a new process", *_sizes(store)], rows)


def _sizes(store: StoreResult) -> list[str]:
    return [f"{each.size:,}" for each in store.sizes]


def bars_table(bars: Sequence[Bar]) -> str:
    rows = [
        [
            f"{bar.store}: {bar.claim}",
            f"{bar.measured:.3g}" if bar.measured < 1000 else f"{bar.measured:.0f}",
            f"{'>=' if bar.at_least else '<='} {bar.limit:g}",
            "PASS" if bar.holds else "FAIL",
        ]
        for bar in bars
    ]
    return table(["bar", "measured", "wanted", ""], rows)


def both(timing: Timing) -> str:
    return f"{_number(timing.p50_ms)} / {_number(timing.p95_ms)}"


def _number(milliseconds: float) -> str:
    digits = 3 if milliseconds < 1 else 2 if milliseconds < 10 else 1
    return f"{milliseconds:.{digits}f}"
