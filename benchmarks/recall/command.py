"""bench recall: how much of what was said comes back when it is asked for, beside the plain ways to find it."""

import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.options import AsJson
from everlore.cli.output import emit, shown_text
from everlore.cli.progress import progress_bar
from everlore.cli.session import CommandOptions, with_settings

if TYPE_CHECKING:
    from benchmarks.recall.cases import Reading
    from benchmarks.recall.library import Lore
    from benchmarks.recall.systems import System
    from everlore.settings import Settings

_BESIDE = ("bm25", "cosine", "rrf", "mem0")


class Format(StrEnum):
    LOCOMO = "locomo"
    LONGMEMEVAL = "longmemeval"
    TURNS = "turns"
    BEAM = "beam"


def recall(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="PATH",
            help="The file, or for beam the folder; default: what comes with the benchmark.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        Format | None,
        typer.Option("--format", help="The format of the data; default: locomo.", show_default=False),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder", metavar="NAME", help="Use this embedder instead of the configured one.", show_default=False
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first N questions.", show_default=False)
    ] = None,
    beside: Annotated[
        str,
        typer.Option(
            "--beside", metavar="NAMES", help=f"Baselines to compare with: {','.join(_BESIDE)}.", show_default=False
        ),
    ] = "",
    turn: Annotated[bool, typer.Option("--turn", help="Measure what reaches the prompt, not only search.")] = False,
    memories: Annotated[bool, typer.Option("--memories", help="Search memories instead of messages.")] = False,
    off_topic: Annotated[
        bool, typer.Option("--off-topic", help="Also ask unrelated questions: how often is something found?")
    ] = False,
    peers: Annotated[
        Path, typer.Option("--peers", metavar="FOLDER", help="The environment of mem0 (`make peers`).")
    ] = Path(".venv-peers"),
    as_json: AsJson = False,
) -> None:
    """Measure how well search finds what was said.

    The data goes into a temporary database. docs/recall-bench.md describes the formats, the figures and the baselines.
    """
    chosen = _chosen(beside)

    async def run(settings: "Settings") -> dict[str, Any]:
        from benchmarks.recall.cases import Reading, first

        whole, name, written = _read(data, format, memories=memories)
        reading = Reading(first(whole.cases, limit), whole.dropped)
        with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
            async with _lore_for(settings, embedder, Path(folder)) as lore, AsyncExitStack() as stack:
                systems = await _systems(lore, chosen, peers, stack, turn=turn, memories=memories)
                with progress_bar("asking", reading.queries, hidden=as_json) as told:
                    return await _measured(name, written, reading, lore, systems, off_topic=off_topic, told=told)

    document = with_settings(CommandOptions(None, None, as_json), run, talking=True)
    emit(as_json, document, _lines(document))


def _read(data: Path | None, format: Format | None, *, memories: bool) -> "tuple[Reading, str, Format]":
    """The cases, what they are called, and how they are written."""
    from benchmarks.recall.files import built_in, read_cases
    from everlore.errors import BadAsk

    if data is not None:
        written = format or Format.LOCOMO
        return read_cases(data, written.value, memories=memories), str(data), written
    if format not in (None, Format.TURNS):
        raise BadAsk(f"--format {format} needs a file: no such set comes with the benchmark. Add --data PATH.")
    return built_in(memories=memories), "memories" if memories else "talks", Format.TURNS


def _chosen(beside: str) -> list[str]:
    from everlore.errors import BadAsk

    names = [name.strip() for name in beside.split(",") if name.strip()]
    for name in names:
        if name not in _BESIDE:
            raise BadAsk(f"There is no baseline called {name!r}. Known: {', '.join(_BESIDE)}.")
    return list(dict.fromkeys(names))


@asynccontextmanager
async def _lore_for(settings: "Settings", embedder: str | None, folder: Path) -> "AsyncIterator[Lore]":
    from benchmarks.recall.library import apart, embedding_with, open_library

    embedding = embedding_with(settings.embedding, embedder)
    async with open_library(apart(settings, folder).model_copy(update={"embedding": embedding})) as lore:
        yield lore


async def _systems(
    lore: "Lore", beside: Sequence[str], peers: Path, stack: AsyncExitStack, *, turn: bool, memories: bool
) -> "list[System]":
    from benchmarks.recall.peers import Mem0System, peer_in
    from benchmarks.recall.systems import Bm25System, CosineSystem, EverloreSystem, RrfSystem, TurnSystem
    from everlore.errors import BadAsk

    if lore.embedder is None and (without := [name for name in beside if name != "bm25"]):
        raise BadAsk(f"Without an embedder there is no {', '.join(without)} to compare with. Only bm25 needs none.")
    ours = TurnSystem if turn else EverloreSystem
    systems: list[System] = [ours(lore, memories=memories)]
    for name in beside:
        match name:
            case "bm25":
                systems.append(Bm25System())
            case "cosine":
                systems.append(CosineSystem())
            case "rrf":
                systems.append(RrfSystem())
            case "mem0":
                systems.append(Mem0System(await stack.enter_async_context(peer_in(peers))))
    return systems


async def _measured(
    data: str,
    format: Format,
    reading: "Reading",
    lore: "Lore",
    systems: "Sequence[System]",
    *,
    off_topic: bool,
    told: Callable[[], None],
) -> dict[str, Any]:
    from benchmarks.recall.off_topic import off_topic_questions
    from benchmarks.recall.report import Measured, document_of
    from benchmarks.recall.run import run

    questions = off_topic_questions() if off_topic else []
    rows = await run(reading.cases, systems, embedder=lore.embedder, off_topic=questions, told=told)
    measured = Measured(format.value, data, lore.embedder.name if lore.embedder else "none")
    return document_of(measured, reading, rows)


def _lines(document: dict[str, Any]) -> Sequence[str]:
    from benchmarks.recall.report import lines_of

    return [shown_text(line) for line in lines_of(document)]
