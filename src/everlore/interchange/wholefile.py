"""Reads the file of a whole workspace line by line, plain or gzip-compressed (M13, S-5).

Only the current line is in memory. Refused: lines longer than any record, and a compressed file that expands far more
than real data. Start at `batches`; `examine` reads the whole file first, so that nothing is imported from a file that
is truncated, changed, or invalid.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from everlore.domain.scope import Scope
from everlore.errors import BadAsk
from everlore.interchange.lines import NAMES, Header, LineTally, kind_of, parse, read_end, read_header, read_line
from everlore.store.checks import check_changes
from everlore.store.export_order import own_kind_of
from everlore.store.port import ImportRecord

# The largest record is a picture of 20 MB, or a message with many versions.
MOST_LINE_BYTES = 200_000_000
# Human text compresses to a tenth; a file with this ratio was made to fill a memory or a disk.
MOST_RATIO = 200
_RATIO_FROM = 64_000_000
_MAGIC = b"\x1f\x8b"
_File = IO[bytes] | gzip.GzipFile
_MOST_TOGETHER = 500
_MOST_BYTES_TOGETHER = 4_000_000
_AGAIN = "Copy or export it again."


@dataclass(frozen=True, slots=True)
class ImportBatch:
    """Lines of one kind that are imported together; `lines` are their numbers."""

    brings: list[ImportRecord]
    lines: list[int]

    @property
    def span(self) -> str:
        return f"lines {self.lines[0]:,} to {self.lines[-1]:,}" if len(self.lines) > 1 else f"line {self.lines[0]:,}"


def examine(path: Path, scope: Scope, tell: Callable[[int], None]) -> Header:
    """Reads the whole file and refuses it at the first error; `tell` receives the number of further lines read."""
    wanted: dict[tuple[type[Any], str], int] = {}
    for batch in batches(path, scope):
        _check(path, scope, batch)
        for bring, line in zip(batch.brings, batch.lines, strict=True):
            for id in own_kind_of(bring.record):
                wanted.setdefault((type(bring.record), id), line)
        tell(len(batch.brings))
    if wanted:
        _check_wanted(path, scope, wanted)
    return header_of(path)


def header_of(path: Path) -> Header:
    with _opened(path) as file:
        return _header(path, file)


def batches(path: Path, scope: Scope, *, replace: bool = False) -> Iterator[ImportBatch]:
    """The contents of the file, in order, up to a valid end."""
    with _opened(path) as file:
        header = _header(path, file)
        tally, last, size = LineTally(), "", 0
        brings: list[ImportRecord] = []
        lines: list[int] = []
        for number, line in _numbered(path, file):
            with _at(path, number):
                value = parse(line)
                end = read_end(value)
                if end is not None:
                    _check_end(tally, header, end)
                    _refuse_more(file)
                    break
                kind = kind_of(value)
                bring = read_line(value, scope.workspace, replace=replace)
            tally.add(kind, line)
            if brings and (kind != last or len(brings) == _MOST_TOGETHER or size > _MOST_BYTES_TOGETHER):
                yield ImportBatch(brings, lines)
                brings, lines, size = [], [], 0
            brings.append(bring)
            lines.append(number)
            last, size = kind, size + len(line)
        else:
            raise BadAsk(f"{path} stops before its last line: a part of it is missing. {_AGAIN}")
        if brings:
            yield ImportBatch(brings, lines)


def _header(path: Path, file: _File) -> Header:
    with _at(path, 1):
        return read_header(parse(_line(file)))


def _numbered(path: Path, file: _File) -> Iterator[tuple[int, bytes]]:
    number = 1
    while True:
        number += 1
        with _at(path, number):
            line = _line(file)
        if not line:
            return
        yield number, line


def _line(file: _File) -> bytes:
    try:
        line = file.readline(MOST_LINE_BYTES + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadAsk(f"it cannot be unpacked ({error}): the file is cut off or damaged. {_AGAIN}") from None
    if len(line) > MOST_LINE_BYTES:
        raise BadAsk(f"it is longer than {MOST_LINE_BYTES // 1_000_000} MB, which no record is. {_AGAIN}")
    if isinstance(file, gzip.GzipFile):
        packed: Any = file.fileobj
        unpacked = file.tell()
        if unpacked > max(_RATIO_FROM, MOST_RATIO * packed.tell()):
            raise BadAsk(
                f"so far the file unpacks to more than {MOST_RATIO} times its size, which no export does. Unpack it "
                "yourself, check it, and import the unpacked file."
            )
    return line


def _check(path: Path, scope: Scope, batch: ImportBatch) -> None:
    try:
        check_changes(scope, batch.brings)
    except BadAsk:
        for bring, line in zip(batch.brings, batch.lines, strict=True):
            with _at(path, line):
                check_changes(scope, [bring])
        raise


def _check_wanted(path: Path, scope: Scope, wanted: dict[tuple[type[Any], str], int]) -> None:
    """References to records of the same kind may point forward in the file, but must be resolved by its end."""
    for batch in batches(path, scope):
        for bring in batch.brings:
            wanted.pop((type(bring.record), bring.record.id), None)
    for (kind, id), line in wanted.items():
        with _at(path, line):
            raise BadAsk(
                f"it names the {kind.__name__} {id!r}, which is not in the file. Take the file as it was exported."
            )


def _check_end(tally: LineTally, header: Header, end: tuple[Any, str]) -> None:
    counts, checksum = end
    if not (tally.counts == {**dict.fromkeys(NAMES, 0), **counts} == {**dict.fromkeys(NAMES, 0), **header.counts}):
        raise BadAsk(f"it counts other lines than the file has: some are missing, or too many. {_AGAIN}")
    if checksum != tally.checksum:
        raise BadAsk(f"its checksum is not that of the file: a line was changed or damaged. {_AGAIN}")


def _refuse_more(file: _File) -> None:
    if file.read(1):
        raise BadAsk(f"something comes after the end of the workspace. {_AGAIN}")


@contextmanager
def _opened(path: Path) -> Iterator[_File]:
    try:
        with path.open("rb") as file:
            is_packed = file.read(len(_MAGIC)) == _MAGIC
            file.seek(0)
            if is_packed:
                with gzip.GzipFile(fileobj=file) as unpacked:
                    yield unpacked
            else:
                yield file
    except OSError as error:
        raise BadAsk(f"{str(path)!r} cannot be read ({error.strerror}). Correct the path.") from None


@contextmanager
def _at(path: Path, line: int) -> Iterator[None]:
    """Adds the file and the line to errors."""
    try:
        yield
    except BadAsk as error:
        raise BadAsk(f"{path}, line {line:,}: {error}") from None
