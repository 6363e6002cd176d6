"""The commands for monitoring a workspace: metrics, audit."""

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.commands import Answer
from everlore.cli.options import Cursor, flag, optional
from everlore.cli.output import shown, to_json, write

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.audit_entry import AuditEntry
    from everlore.observe.metrics import Metrics
    from everlore.store.answers import Page

_PAGE = 500


async def metrics(
    lore: "Everlore", prometheus: Annotated[bool, flag("--prometheus", "In Prometheus format.")] = False
) -> Answer | None:
    """Show memory statistics.

    Counts by type, index coverage, recent captures, filtered candidates, and searches without a result.
    """
    name = lore.scope.workspace
    found = await lore.metrics()
    if prometheus:
        from everlore.observe.exposition import exposition

        write(exposition(name, found))
        return None
    return Answer(asdict(found), _metrics_lines(found))


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


async def audit(
    lore: "Everlore",
    kind: Annotated[str | None, optional("--kind", "KIND", "Only this kind of record: memory, token, …")] = None,
    ref: Annotated[str | None, optional("--ref", "ID", "Only this record.")] = None,
    actor: Annotated[str | None, optional("--actor", "ID", "Only by this token, `local` or `background`.")] = None,
    ndjson: Annotated[bool, flag("--ndjson", "Export everything as JSON Lines.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="Maximum number of entries.")] = 50,
    cursor: Cursor = None,
) -> Answer | None:
    """Show the audit log, newest first."""
    given = {"kind": kind, "ref": ref, "actor": actor}
    if ndjson:
        from everlore.store.all_pages import pages_of

        async for each_page in pages_of(partial(lore.audit, **given, limit=_PAGE)):
            write("".join(f"{to_json(_document(each))}\n" for each in each_page.items))
        return None
    page = await lore.audit(**given, limit=limit, cursor=cursor)
    return Answer({"items": [_document(each) for each in page.items], "next": page.cursor}, _audit_lines(page))


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
