"""What it takes to carry a whole workspace: an export and an import beside a plain dump of the same rows, beside
SQLite's own `.dump`, and beside saving the same memories as ever; and whether memory grows with what there is (M13).

    python -m benchmarks.carrying --sizes 10000,100000 --json carrying.json

Every step runs in a process of its own, which tells how long it took and how much memory it needed at most.
Start at `run`.
"""

import asyncio
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, process_time
from typing import Annotated, Any

import typer

from benchmarks.bars import Bar
from benchmarks.corpus import END, WORKSPACE, make_corpus
from benchmarks.foundation import exit_code, read_sizes
from benchmarks.measure import say
from benchmarks.report import bars_table, table
from everlore.domain.scope import Scope
from everlore.services.workspace_files import export_lines, import_file
from everlore.settings import StoreSettings
from everlore.store.port import Put
from everlore.store.sqlite.store import SqliteStore

# An export has every table, times that people read, and a checksum; a plain dump has the rows of one.
EXPORT = 6.0
# For each memory there are two lines, itself and its place in the audit log; an import reads each of them twice, and
# makes the search index as saving does.
IMPORT = 6.0
# Ten times as much must not need more memory, but for what Python keeps back.
GROWTH = 1.3
_SEED = 5
_BATCH = 1_000
SCOPE = Scope(WORKSPACE)
STEPS = ("save", "export", "import", "rows", "dump")
_NAMES = {
    "save": "saving the memories as ever",
    "export": "export",
    "import": "import",
    "rows": "plain JSON of the rows of one table",
    "dump": "SQLite's .dump of all tables",
}


@dataclass(frozen=True, slots=True)
class Took:
    """`cpu_s`: of the processor, whoever else wants it meanwhile; the bars compare these."""

    seconds: float
    cpu_s: float
    peak_mb: float
    file_mb: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """What each step took, by how many memories there were."""

    sizes: dict[int, dict[str, Took]]

    @property
    def bars(self) -> list[Bar]:
        smallest, largest = min(self.sizes), max(self.sizes)
        took, small = self.sizes[largest], self.sizes[smallest]
        at = f"at {largest:,}"
        bars = [
            Bar(
                "sqlite",
                f"export {at}, as a multiple of {_NAMES['rows']}",
                took["export"].cpu_s / took["rows"].cpu_s,
                EXPORT,
            ),
            Bar("sqlite", f"import {at}, as a multiple of saving", took["import"].cpu_s / took["save"].cpu_s, IMPORT),
        ]
        if largest > smallest:
            bars += [
                Bar(
                    "sqlite",
                    f"memory of an {step} {at}, as a multiple of that at {smallest:,}",
                    took[step].peak_mb / small[step].peak_mb,
                    GROWTH,
                )
                for step in ("export", "import")
            ]
        return bars


class Clock:
    """Times what is done from when it is made until it is stopped."""

    def __init__(self) -> None:
        self.cpu_s, self.seconds = -process_time(), -perf_counter()

    def stop(self) -> "Clock":
        self.cpu_s += process_time()
        self.seconds += perf_counter()
        return self


@contextmanager
def peak_of_memory() -> Iterator[Callable[[], float]]:
    """Gives the most memory, in MB, that this process had for itself: not the pages of the database that are mapped
    into it, which the system takes back when it likes."""
    most, done = own_memory_mb(), Event()

    def watch() -> None:
        nonlocal most
        while not done.wait(0.02):
            most = max(most, own_memory_mb())

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda: most
    finally:
        done.set()
        thread.join()


def own_memory_mb() -> float:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        # Not on Linux: all of it, then.
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


# ── the steps, each in a process of its own ──────────────────────────────────────────────────────


async def _save(folder: Path, size: int) -> Clock:
    corpus = make_corpus(size, _SEED)
    store = await _opened(folder / "here.db")
    records: list[Any] = [*corpus.persons, *corpus.conversations, *corpus.memories]
    changes = [Put(each) for each in records]
    clock = Clock()
    for at in range(0, len(changes), _BATCH):
        await store.apply(SCOPE, changes[at : at + _BATCH])
    clock.stop()
    await store.close()
    return clock


async def _export(folder: Path, _: int) -> Clock:
    store = await _opened(folder / "here.db")
    clock = Clock()
    with (folder / "export").open("wb") as file:
        async for piece in export_lines(store, SCOPE, END):
            file.write(piece)
    clock.stop()
    await store.close()
    return clock


async def _import(folder: Path, _: int) -> Clock:
    store = await _opened(folder / "there.db")
    clock = Clock()
    await import_file(store, SCOPE, folder / "export")
    clock.stop()
    await store.close()
    return clock


async def _rows(folder: Path, _: int) -> Clock:
    clock = Clock()
    with closing(sqlite3.connect(folder / "here.db")) as database, (folder / "rows").open("w") as file:
        database.row_factory = sqlite3.Row
        for row in database.execute("SELECT * FROM memories ORDER BY id"):
            file.write(json.dumps(dict(row)) + "\n")
    return clock.stop()


async def _dump(folder: Path, _: int) -> Clock:
    clock = Clock()
    with closing(sqlite3.connect(folder / "here.db")) as database, (folder / "dump").open("w") as file:
        for line in database.iterdump():
            file.write(line + "\n")
    return clock.stop()


_WORK: dict[str, Callable[[Path, int], Coroutine[Any, Any, Clock]]] = {
    "save": _save,
    "export": _export,
    "import": _import,
    "rows": _rows,
    "dump": _dump,
}


async def _opened(path: Path) -> SqliteStore:
    return await SqliteStore.open(path, StoreSettings(), clock=lambda: END)


def step(name: str, folder: Path, size: int) -> Took:
    with peak_of_memory() as peak_mb:
        clock = asyncio.run(_WORK[name](folder, size))
    written = folder / name
    return Took(clock.seconds, clock.cpu_s, peak_mb(), written.stat().st_size / 1e6 if written.exists() else 0.0)


# ── the run ──────────────────────────────────────────────────────────────────────────────────────


def run(sizes: Sequence[int], folder: Path) -> Found:
    found: dict[int, dict[str, Took]] = {}
    for size in sizes:
        there = folder / str(size)
        there.mkdir()
        found[size] = {}
        for name in STEPS:
            say(f"{size:,} memories: {_NAMES[name]}")
            found[size][name] = _in_a_process(name, there, size)
    return Found(found)


def _in_a_process(name: str, folder: Path, size: int) -> Took:
    command = [sys.executable, "-m", "benchmarks.carrying", "--step", name, "--folder", str(folder)]
    done = subprocess.run([*command, "--sizes", str(size)], stdout=subprocess.PIPE, check=True, text=True)
    return Took(**json.loads(done.stdout))


def text_of(found: Found) -> str:
    tables = []
    for size, took in found.sizes.items():
        rows = [
            [
                _NAMES[name],
                f"{each.seconds:.2f}",
                f"{each.cpu_s:.2f}",
                f"{size / each.cpu_s:,.0f}",
                f"{each.peak_mb:.0f}",
                _size(each),
            ]
            for name, each in took.items()
        ]
        head = [f"{size:,} memories", "s", "CPU s", "memories per CPU s", "peak memory, MB", "file, MB"]
        tables.append(table(head, rows))
    return "\n\n".join([*tables, bars_table(found.bars)])


def _size(took: Took) -> str:
    return f"{took.file_mb:.1f}" if took.file_mb else ""


def json_of(found: Found) -> str:
    bars = [asdict(bar) | {"holds": bar.holds} for bar in found.bars]
    return json.dumps(asdict(found) | {"bars": bars}, indent=2)


def main(
    sizes: Annotated[str, typer.Option(help="Memories, as in 1000,10000.")] = "10000,100000",
    quick: Annotated[bool, typer.Option("--quick", help="500 and 2,000 memories.")] = False,
    json_file: Annotated[str, typer.Option("--json", help="Write JSON to this file, or to - instead.")] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a bar is missed.")] = False,
    one_step: Annotated[str, typer.Option("--step", hidden=True)] = "",
    folder: Annotated[Path | None, typer.Option("--folder", hidden=True)] = None,
) -> None:
    """Measure what it takes to carry a whole workspace."""
    chosen = (500, 2_000) if quick else read_sizes(sizes)
    if one_step and folder is not None:
        print(json.dumps(asdict(step(one_step, folder, chosen[0]))))
        return
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as place:
        found = run(sorted(chosen), Path(place))
    print(json_of(found) if json_file == "-" else text_of(found))
    if json_file not in ("", "-"):
        Path(json_file).write_text(json_of(found) + "\n")
    raise typer.Exit(exit_code(found.bars, strict=strict))


if __name__ == "__main__":
    typer.run(main)
