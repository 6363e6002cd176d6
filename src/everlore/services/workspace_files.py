"""Exports a whole workspace, and imports one into another database (M13). Owners only.

An export is a snapshot and is written as it is read. An import reads the file twice: first to check it, then to save
its records in batches. After an interruption it can be run again, and existing records are skipped. Start at
`Carrying`.
"""

import asyncio
import gzip
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from everlore.domain.policy import Act, may
from everlore.domain.scope import Scope
from everlore.errors import BadAsk, Forbidden, Misconfigured, NotFound
from everlore.interchange import markdown
from everlore.interchange.lines import Header, LineTally, end_line, header_line, name_of, record_line
from everlore.interchange.wholefile import ImportBatch, batches, examine
from everlore.services.base import Service
from everlore.store.answers import ImportOutcome
from everlore.store.export_order import CARRIED, names_of
from everlore.store.port import Store

Format = Literal["jsonl", "markdown"]
# The current step, how much of it is done, and its total.
Tell = Callable[[str, int, int], None]
_MOST_CONFLICTS = 100


@dataclass(frozen=True, slots=True)
class Different:
    """A record that exists already and differs from the file."""

    kind: str
    id: str
    line: int


@dataclass(frozen=True, slots=True)
class WorkspaceImportReport:
    """The result of an import. `counts`: for each kind, how many were new, the same, different, replaced; `different`
    are the first of those that were not changed."""

    workspace: str
    at: datetime
    dry_run: bool
    counts: Mapping[str, Mapping[str, int]]
    different: tuple[Different, ...]

    def total(self, verdict: ImportOutcome) -> int:
        return sum(each[verdict.value] for each in self.counts.values())


@dataclass(slots=True)
class ImportCounter:
    """Counts the imported records."""

    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    different: list[Different] = field(default_factory=list)

    def add(self, batch: ImportBatch, verdicts: list[ImportOutcome]) -> None:
        kind = name_of(type(batch.brings[0].record))
        counts = self.counts.setdefault(kind, dict.fromkeys((each.value for each in ImportOutcome), 0))
        for bring, line, verdict in zip(batch.brings, batch.lines, verdicts, strict=True):
            counts[verdict.value] += 1
            if verdict is ImportOutcome.DIFFERENT and len(self.different) < _MOST_CONFLICTS:
                self.different.append(Different(kind, bring.record.id, line))


class Carrying(Service):
    def export(self, *, format: Format = "jsonl", tell: Tell | None = None) -> AsyncIterator[bytes]:
        """The workspace in pieces: to be read by `import_file`, or as Markdown by people."""
        self._refuse_others("export")
        if format == "markdown":
            return markdown.export(self._store, self._scope, self._resources.clock())
        return export_lines(self._store, self._scope, self._resources.clock(), tell or _nobody)

    async def export_file(
        self, path: Path, *, format: Format = "jsonl", force: bool = False, tell: Tell | None = None
    ) -> int:
        """Write it to a file, compressed for .gz; returns the size. The file gets its name when it is complete."""
        pieces = self.export(format=format, tell=tell)
        with _new_file(path, force=force) as draft:
            await _write(pieces, draft, packed=path.suffix == ".gz")
            return int(draft.tell())

    async def import_file(
        self, path: Path, *, dry_run: bool = False, replace: bool = False, tell: Tell | None = None
    ) -> WorkspaceImportReport:
        """Import a file. Existing records that differ are kept and listed in the result, or overwritten with `replace`.
        With `dry_run` nothing is written."""
        self._refuse_others("import")
        return await import_file(self._store, self._scope, path, dry_run=dry_run, replace=replace, tell=tell or _nobody)

    def _refuse_others(self, what: str) -> None:
        if not may(self._scope.role, Act.RUN):
            raise Forbidden(f"Only the owner may {what} a whole workspace. Ask with a token of the owner.")


def _nobody(what: str, done: int, total: int) -> None:
    """Discards the progress."""


# ── export ───────────────────────────────────────────────────────────────────────────────────────


async def export_lines(store: Store, scope: Scope, at: datetime, tell: Tell = _nobody) -> AsyncIterator[bytes]:
    async with store.snapshot(scope) as snapshot:
        counts = {name_of(kind): number for kind, number in (await snapshot.counts()).items()}
        header = Header(scope.workspace, at, snapshot.schema, counts)
        yield header_line(header)
        tally, done = LineTally(), 0
        for kind in CARRIED:
            async for page in snapshot.pages(kind):
                yield await asyncio.to_thread(_written, page, tally)
                done += len(page)
                tell("exporting", done, header.total)
        yield end_line(tally.counts, tally.checksum)


def _written(page: Any, tally: LineTally) -> bytes:
    lines = []
    for bring in page:
        line = record_line(bring)
        tally.add(name_of(type(bring.record)), line)
        lines.append(line)
    return b"".join(lines)


@contextmanager
def _new_file(path: Path, *, force: bool) -> Iterator[Any]:
    if path.exists() and not force:
        raise BadAsk(f"There is a file {str(path)!r} already. Choose another name, or --force.")
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        # Readable by the owner only: it contains every message.
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise Misconfigured(f"{str(path)!r} cannot be written ({error.strerror}). Choose another place.") from None
    finally:
        draft.unlink(missing_ok=True)


async def _write(pieces: AsyncIterator[bytes], file: Any, *, packed: bool) -> None:
    # Without a timestamp: the same workspace gives the same file.
    packing = gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0, compresslevel=6) if packed else None
    async for piece in pieces:
        await asyncio.to_thread((packing or file).write, piece)
    if packing is not None:
        await asyncio.to_thread(packing.close)


# ── import ───────────────────────────────────────────────────────────────────────────────────────


async def import_file(
    store: Store, scope: Scope, path: Path, *, dry_run: bool = False, replace: bool = False, tell: Tell = _nobody
) -> WorkspaceImportReport:
    header = await _examined(scope, path, tell)
    register, done = ImportCounter(), 0
    waiting = batches(path, scope, replace=replace)
    while (batch := await asyncio.to_thread(next, waiting, None)) is not None:
        if dry_run:
            verdicts = await store.weigh(scope, batch.brings)
        else:
            verdicts = await _brought(store, scope, path, batch)
        register.add(batch, verdicts)
        done += len(batch.brings)
        tell("importing", done, header.total)
    return WorkspaceImportReport(header.workspace, header.at, dry_run, register.counts, tuple(register.different))


async def _examined(scope: Scope, path: Path, tell: Tell) -> Header:
    read = 0

    def more(lines: int) -> None:
        nonlocal read
        read += lines
        tell("checking", read, 0)

    return await asyncio.to_thread(examine, path, scope, more)


async def _brought(store: Store, scope: Scope, path: Path, batch: ImportBatch) -> list[ImportOutcome]:
    try:
        return await store.apply(scope, batch.brings)
    except NotFound as error:
        line = await _naming(store, scope, batch)
        raise BadAsk(
            f"{path}, {f'line {line:,}' if line else batch.span}: {error} What came before it is kept; nothing of "
            f"{batch.span} is. Take the file as it was exported."
        ) from None


async def _naming(store: Store, scope: Scope, batch: ImportBatch) -> int | None:
    """The first line that refers to a record that does not exist."""
    for bring, line in zip(batch.brings, batch.lines, strict=True):
        for kind, id in names_of(bring.record):
            if kind is not type(bring.record) and not await store.get_many(scope, kind, [id]):
                return line
    return None
