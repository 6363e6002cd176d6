"""The verbs that tell how a workspace fares, and who did what in it: metrics, audit."""

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.options import AsJson, Cursor, Db, Workspace
from everlore.cli.output import emit, shown, to_json, write
from everlore.cli.session import CommandOptions, with_lore

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.audit_entry import AuditEntry
    from everlore.observe.metrics import Metrics
    from everlore.store.port import Page

_PAGE = 500


def metrics(
    prometheus: Annotated[bool, typer.Option("--prometheus", help="In Prometheus format.")] = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show memory statistics.

    Counts by type, index coverage, recent captures, filtered candidates, and searches without a result.
    """

    async def measure(lore: "Everlore") -> "tuple[str, Metrics]":
        return lore.scope.workspace, await lore.metrics()

    name, found = with_lore(CommandOptions(db, workspace, as_json), measure)
    if prometheus:
        from everlore.observe.exposition import exposition

        write(exposition(name, found))
        return
    emit(as_json, asdict(found), _metrics_lines(found))


def _metrics_lines(found: "Metrics") -> Iterator[str]:
    yield f"{found.memories} memories, {found.messages} messages in {found.conversations} conversations"
    yield from (f"  {number:>8}  {name}" for name, number in found.memories_by_type.items())
    yield f"{found.index_coverage:.1%} of {found.passages} texts in the vector index"
    yield f"{found.memories_per_day:g} new memories per day over seven days"
    yield f"{found.tools_24h} tool calls and {found.file_operations_24h} file operations in 24 hours"
    waiting = ", ".join(f"{number} {state}" for state, number in found.queue.items())
    yield f"queue: {waiting}{' (paused)' if found.queue_paused else ''}"
    yield f"{sum(found.read.values())} extractions; filtered out: {sum(found.filtered.values())}"
    yield from (f"  {number:>8}  {name}" for name, number in found.filtered.items())
    yield f"{found.misses} messages without a search result, {found.misses_24h} of them in 24 hours"
    if found.tokens_per_prompt is not None:
        yield f"{found.prompts} prompts of {found.tokens_per_prompt:g} tokens on average"
    if found.last_capture_at is not None:
        yield f"last capture {found.last_capture_at:%Y-%m-%d %H:%M} UTC"


def audit(
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="KIND", help="Only this kind of record: memory, token, …", show_default=False),
    ] = None,
    ref: Annotated[
        str | None, typer.Option("--ref", metavar="ID", help="Only this record.", show_default=False)
    ] = None,
    actor: Annotated[
        str | None,
        typer.Option("--actor", metavar="ID", help="Only by this token, `local` or `background`.", show_default=False),
    ] = None,
    ndjson: Annotated[bool, typer.Option("--ndjson", help="Export everything as JSON Lines.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="Maximum number of entries.")] = 50,
    cursor: Cursor = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show the audit log, newest first."""
    given = {"kind": kind, "ref": ref, "actor": actor}

    async def find(lore: "Everlore") -> "Page":
        return await lore.audit(**given, limit=limit, cursor=cursor)

    async def write_all(lore: "Everlore") -> None:
        from everlore.store.all_pages import pages_of

        async for page in pages_of(partial(lore.audit, **given, limit=_PAGE)):
            write("".join(f"{to_json(_document(each))}\n" for each in page.items))

    if ndjson:
        with_lore(CommandOptions(db, workspace, as_json), write_all)
        return
    page = with_lore(CommandOptions(db, workspace, as_json), find)
    emit(as_json, {"items": [_document(each) for each in page.items], "next": page.cursor}, _audit_lines(page))


def _document(deed: "AuditEntry") -> dict[str, Any]:
    return {name: value for name, value in asdict(deed).items() if name != "workspace"}


def _audit_lines(page: "Page") -> Iterator[str]:
    for each in page.items:
        told = f"  ({shown(each.note)})" if each.note else ""
        yield f"{each.at:%Y-%m-%d %H:%M:%S}  {each.actor}  {each.verb.value} {each.kind} {each.ref}{told}"
    if not page.items:
        yield "The audit log is empty."
    if page.cursor:
        yield f"More with --cursor {page.cursor}"
