"""The commands for maintenance: stats, cleanup, reindex, doctor, migrate."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from everlore.cli.commands import Answer
from everlore.cli.documents import coverage_document, queue_document
from everlore.cli.options import flag
from everlore.cli.output import emit, shown
from everlore.cli.session import CommandOptions, with_lore, with_settings
from everlore.errors import Misconfigured

if TYPE_CHECKING:
    from everlore.app import Everlore, Stats
    from everlore.observe.doctor import Check
    from everlore.settings import Settings
    from everlore.store.answers import Cleanup, Coverage

_MARKS = {"ok": "✓", "warning": "!", "failed": "✗"}


async def stats(lore: "Everlore") -> Answer:
    """Count what the workspace contains.

    Records of each kind, index coverage, and the queue.
    """
    found = await lore.stats()
    document = {
        "workspace": found.workspace,
        "counts": found.counts,
        "embedder": found.embedder,
        "coverage": coverage_document(found.coverage),
        "queue": queue_document(found.queue),
    }
    return Answer(document, _stats_lines(found))


async def cleanup(
    lore: "Everlore", dry_run: Annotated[bool, flag("--dry-run", "Dry run: only print what would be removed.")] = False
) -> Answer:
    """Remove orphaned data.

    Vectors without a text, memories without a person, and keys of jobs that finished long ago.
    """
    found = await lore.cleanup(dry_run=dry_run)
    document = {
        "dry_run": dry_run,
        "orphaned_vectors": found.orphaned_vectors,
        "orphaned_passages": found.orphaned_passages,
        "memories_without_person": found.memories_without_person,
        "old_job_keys": found.old_job_keys,
        "total": found.total,
    }
    return Answer(document, _cleanup_lines(found, dry_run=dry_run))


def reindex(asked: CommandOptions) -> Answer:
    """Rebuild the vector index with the current embedding model.

    You can interrupt it; it continues where it stopped.
    """
    coverage = with_lore(asked, _reindex_with_bar)
    return Answer(coverage_document(coverage), [f"{coverage.embedded} of {coverage.passages} texts are indexed."])


async def _reindex_with_bar(lore: "Everlore") -> "Coverage":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from everlore.store.answers import Coverage

    coverage = Coverage(0, 0)
    columns = (TextColumn("reindexing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("", total=None)
        async for coverage in lore.reindex():
            progress.update(bar, completed=coverage.embedded, total=coverage.passages)
    return coverage


def doctor(asked: CommandOptions) -> None:
    """Check the installation and suggest fixes.

    Checks the database, the disk, the queue, the index, the chat model, the embedder and the tokenizer.
    """

    async def look(settings: "Settings") -> "list[Check]":
        from everlore.wiring import examine

        return await examine(settings)

    checks = with_settings(asked, look)
    well = all(check.state != "failed" for check in checks)
    emit(asked.as_json, {"ok": well, "checks": checks}, (line for check in checks for line in _check_lines(check)))
    if not well:
        raise typer.Exit(Misconfigured.exit_code)


def migrate(
    asked: CommandOptions, distributed: Annotated[bool, flag("--distributed", "Fail unless Citus is there.")] = False
) -> Answer:
    """Migrate the database schema.

    SQLite is migrated when it is opened; PostgreSQL by this command, which distributes it where Citus is. Back it up.
    """

    from everlore import wiring

    health, ran = with_settings(asked, lambda settings: wiring.migrate(settings, distributed=distributed))
    document = {"kind": health.kind, "version": health.version, "schema": health.schema, "ran": ran}
    schema = f"The {health.kind} database is at schema {health.schema}."
    return Answer(document, [*(f"Ran {name}." for name in ran), schema])


def _stats_lines(found: "Stats") -> Iterator[str]:
    yield f"Workspace {shown(found.workspace)}"
    for name, count in found.counts.items():
        if count or name == "memory":
            yield f"  {name:<14}{count:>9,}"
    if found.coverage is None:
        yield "Index: keywords only, no embedding model is configured"
    else:
        yield f"Index: {found.coverage.embedded:,} of {found.coverage.passages:,} texts by {found.embedder}"
    queue = queue_document(found.queue)
    yield f"Queue: {queue['pending']} waiting, {queue['dead']} failed" + (", paused" if found.queue.paused else "")


def _cleanup_lines(found: "Cleanup", *, dry_run: bool) -> Iterator[str]:
    if not found.total:
        yield "Nothing to clean up."
        return
    yield "Would remove:" if dry_run else "Removed:"
    for name, count in (
        ("vectors without a text", found.orphaned_vectors),
        ("texts without a record", found.orphaned_passages),
        ("memories without a person", found.memories_without_person),
        ("old keys of finished jobs", found.old_job_keys),
    ):
        if count:
            yield f"  {count:>7,} {name}"


def _check_lines(check: "Check") -> Iterator[str]:
    yield f"{_MARKS[check.state]} {check.name:<10}{shown(check.detail)}"
    if check.fix:
        yield f"  {'':<10}→ {shown(check.fix)}"
