"""Routes to export and import a whole workspace as one file (M13). For the owner only."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from fastapi.responses import StreamingResponse

from everlore.errors import BadAsk
from everlore.server.access import Lore
from everlore.server.routing import Router, upload
from everlore.server.wire import RecordModel

router = Router(prefix="/api", tags=["workspace"])
# The size of the uploaded file; its uncompressed size is limited where it is read.
MOST_FILE_BYTES = 10_000_000_000
_NDJSON = "application/x-ndjson"
_TYPES = {"jsonl": _NDJSON, "markdown": "text/markdown; charset=utf-8"}
_ENDINGS = {"jsonl": "jsonl", "markdown": "md"}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file, as a stream.",
        "content": {_NDJSON: {"schema": {"type": "string"}}, "text/markdown": {"schema": {"type": "string"}}},
    }
}


class DifferentOut(RecordModel):
    """A record that is here already, otherwise than in that line of the file."""

    kind: str
    id: str
    line: int


class ArrivalOut(RecordModel):
    """`counts`: of each kind, how many were new, the same, different (and left as they are), or replaced. `different`
    are the first hundred of those."""

    workspace: str
    at: datetime
    dry_run: bool
    counts: dict[str, dict[str, int]]
    different: list[DifferentOut]


@router.get("/export", response_class=StreamingResponse, responses=_FILE)
async def export_workspace(lore: Lore, format: Literal["jsonl", "markdown"] = "jsonl") -> StreamingResponse:
    """Exports the whole workspace at this moment: as JSON Lines, which `POST /api/import` reads, or as Markdown for
    people. It contains no tokens and no provider keys. A file without the last line `end` is incomplete."""
    headers = {"Content-Disposition": f'attachment; filename="workspace.{_ENDINGS[format]}"'}
    return StreamingResponse(lore.workspace.export(format=format), media_type=_TYPES[format], headers=headers)


@router.post("/import", openapi_extra=upload(MOST_FILE_BYTES))
async def import_workspace(
    lore: Lore,
    request: Request,
    dry_run: Annotated[bool, Query(description="Dry run: returns what would be imported.")] = False,
    replace: Annotated[bool, Query(description="Overwrite existing items that differ.")] = False,
) -> ArrivalOut:
    """Imports an exported workspace, plain or gzip. The file is checked before anything is written. Identical items are
    skipped; items that differ are left as they are and listed. After an interruption, send the file again."""
    async with _spooled(request) as path:
        arrival = await lore.workspace.import_file(path, dry_run=dry_run, replace=replace)
    return ArrivalOut.of(arrival)


@asynccontextmanager
async def _spooled(request: Request) -> AsyncIterator[Path]:
    """The body on disk, written as it arrives; the route limits its size."""
    with tempfile.TemporaryDirectory(prefix="everlore-import-") as folder:
        path = Path(folder) / "workspace"
        size = 0
        with path.open("xb") as file:
            async for part in request.stream():
                size += await asyncio.to_thread(file.write, part)
        if not size:
            raise BadAsk("The request has no body. Send the exported file itself as the body.")
        yield path
