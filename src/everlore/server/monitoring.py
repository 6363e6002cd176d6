"""Routes for monitoring: metrics of the workspace and the audit log (C9, C10)."""

import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Query
from fastapi.responses import PlainTextResponse, Response, StreamingResponse

from everlore.app import Everlore
from everlore.domain.audit_entry import AuditEntry
from everlore.observe.exposition import exposition
from everlore.observe.metrics import Metrics
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import ListOf, RecordModel
from everlore.store.all_pages import pages_of

router = Router(tags=["observing"])
_PAGE = 500
_NDJSON = "application/x-ndjson"
_EITHER: dict[int | str, dict[str, Any]] = {200: {"content": {_NDJSON: {"schema": {"type": "string"}}}}}


class DeedOut(RecordModel, record=AuditEntry):
    """`actor`: the id of the token that was used, `local` for this machine, `background` for a worker."""


@router.get("/api/memory-metrics")
async def memory_metrics(lore: Lore) -> Metrics:
    """Returns memory statistics of the workspace. They are counters, so the cost does not grow with the workspace."""
    return await lore.metrics()


@router.get("/metrics", response_class=PlainTextResponse)
async def prometheus(lore: Lore) -> PlainTextResponse:
    """Returns the same statistics in the Prometheus format."""
    text = exposition(lore.scope.workspace, await lore.metrics())
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


@router.get("/api/audit", response_model=ListOf[DeedOut], responses=_EITHER)
async def audit(
    lore: Lore,
    kind: str | None = None,
    ref: str | None = None,
    actor: str | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: str | None = None,
    format: Literal["json", "ndjson"] = "json",
) -> Response:
    """Returns the audit log, newest first. With `format=ndjson`, returns all of it, one entry per line."""
    given = {"kind": kind, "ref": ref, "actor": actor}
    if format == "ndjson":
        return StreamingResponse(_lines(lore, given), media_type=_NDJSON)
    page = await lore.audit(**given, limit=limit, cursor=cursor)
    found = ListOf[DeedOut](items=[DeedOut.of(each) for each in page.items], next=page.cursor)
    return Response(found.model_dump_json(), media_type="application/json")


async def _lines(lore: Everlore, given: dict[str, str | None]) -> AsyncIterator[str]:
    async for page in pages_of(partial(lore.audit, **given, limit=_PAGE)):
        yield "".join(f"{line_of(each)}\n" for each in page.items)


def line_of(deed: AuditEntry) -> str:
    return json.dumps({name: str(value) for name, value in asdict(deed).items() if name != "workspace"})
