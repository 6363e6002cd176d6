"""The foundation benchmark: what saving, searching and starting cost on both stores, and whether the bars hold.

    python -m benchmarks.foundation --sizes 1000,10000 --stores sqlite --json bench.json

Everything is made up and thrown away; no data of yours is touched. Progress goes to standard error, the report to
standard output. Start at `run`.
"""

import asyncio
import os
import platform
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmarks.bars import Bar, bars_of
from benchmarks.corpus import make_questions
from benchmarks.data import make_data
from benchmarks.homes import postgres_server, server_version
from benchmarks.measure import Plan, measure_store, say, time_embedding
from benchmarks.report import json_of, text_of
from benchmarks.results import Machine, Results
from everlore.models.build import build_embedder
from everlore.settings import EmbeddingSettings

STORES = ("sqlite", "postgres")
NO_POSTGRES = (
    "PostgreSQL, as none was named with --postgres-url and the development environment (`make env`) is missing"
)


def make_plan(sizes: tuple[int, ...], queries: int, *, quick: bool) -> Plan:
    return Plan(
        sizes=tuple(sorted(sizes)),
        queries=queries,
        scoped_passes=1 if quick else 4,
        startups=1 if quick else 3,
        save_rounds=2 if quick else 5,
        singles_per_round=20 if quick else 50,
        saves_per_producer=2 if quick else 10,
    )


async def run(plan: Plan, stores: tuple[str, ...], folder: Path, postgres_url: str | None) -> tuple[Results, list[Bar]]:
    embedder = build_embedder(EmbeddingSettings(provider="wordllama"))
    assert embedder is not None
    embedding = await time_embedding(embedder, make_questions(plan.queries, plan.seed))
    sets = []
    for size in plan.sizes:
        say(f"making {size:,} memories and their vectors")
        sets.append(await make_data(size, plan.queries, plan.seed, embedder))
    asked_for = [kind for kind in stores if kind != "postgres" or postgres_url is not None]
    found = tuple([await measure_store(kind, plan, sets, folder, postgres_url) for kind in asked_for])
    left_out = (NO_POSTGRES,) if len(asked_for) < len(stores) else ()
    machine = await _machine(postgres_url)
    return Results(machine, embedder.name, embedding, found, left_out), [bar for each in found for bar in bars_of(each)]


async def _machine(postgres_url: str | None) -> Machine:
    return Machine(
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        numpy=np.__version__,
        postgres=await server_version(postgres_url) if postgres_url else None,
    )


def exit_code(bars: Sequence[Bar], *, strict: bool) -> int:
    """A missed bar is a finding, not a failure, unless one asks for it: other people's machines are busy too."""
    return 1 if strict and not all(bar.holds for bar in bars) else 0


def read_sizes(text: str) -> tuple[int, ...]:
    try:
        sizes = tuple(int(part.replace("_", "")) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of numbers such as 1000,10000.") from None
    if min(sizes) < 1:
        raise typer.BadParameter("A size is at least 1.")
    return sizes


def read_stores(text: str) -> tuple[str, ...]:
    stores = tuple(text.split(","))
    for each in stores:
        if each not in STORES:
            raise typer.BadParameter(f"There is no store {each!r}. Known: {', '.join(STORES)}.")
    return stores


def main(
    sizes: Annotated[str, typer.Option(help="Memories, as in 1000,10000.")] = "",
    stores: Annotated[str, typer.Option(help="Which stores.")] = ",".join(STORES),
    queries: Annotated[int, typer.Option(min=2, help="Different questions.")] = 100,
    quick: Annotated[bool, typer.Option("--quick", help="1,000 and 10,000 memories, fewer repetitions.")] = False,
    json: Annotated[str, typer.Option(help="Write JSON to this file, or to - instead of the report.")] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a bar is missed.")] = False,
    postgres_url: Annotated[str | None, typer.Option(help="A server to make databases on, instead of our own.")] = None,
    folder: Annotated[Path | None, typer.Option(help="Where the SQLite files go; a temporary folder if unset.")] = None,
) -> None:
    """Measure saving, searching and starting on both stores, beside the plain ways to do the same."""
    chosen = read_sizes(sizes or ("1000,10000" if quick else "1000,10000,100000"))
    wanted = read_stores(stores)
    plan = make_plan(chosen, queries, quick=quick)
    with postgres_server(postgres_url, wanted="postgres" in wanted) as url:
        results, bars = asyncio.run(run(plan, wanted, folder or Path(tempfile.gettempdir()), url))
    if json == "-":
        print(json_of(results, bars))
    else:
        print(text_of(results, bars))
    if json not in ("", "-"):
        Path(json).write_text(json_of(results, bars) + "\n")
        say(f"written: {json}")
    raise typer.Exit(exit_code(bars, strict=strict))


if __name__ == "__main__":
    typer.run(main)
