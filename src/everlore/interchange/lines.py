"""The lines of a workspace file: converts records to lines and back (M13). Pure.

A file is JSON Lines: a header, a line for each record, and an end with the counts and a checksum of all between, so
that truncated or changed files are noticed. A line has one key, the kind of its record; a memory's also has its
`history`. Times are ISO 8601, files are Base64. Only the header names the workspace; the reader chooses the workspace
to import into.

Start at `record_line` and `read_line`.
"""

import base64
import binascii
import dataclasses
import hashlib
import json
import re
import types
import typing
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, cast, get_args, get_origin

from pydantic_core import from_json

from everlore.domain.audit_entry import AuditEntry
from everlore.domain.revision import Revision
from everlore.domain.xray import XRay, is_sound
from everlore.errors import BadAsk
from everlore.store.export_order import CARRIED
from everlore.store.port import ImportRecord

FORMAT = 1
_FORMAT_NAME = "workspace"
_HISTORY = "history"
_AS_IT_WAS = "Take the file as it was exported."
_NEWER = "A newer Everlore may have written it: import it with that one."
_HIDDEN = frozenset({"workspace"})


@dataclass(frozen=True, slots=True)
class Header:
    """The first line. `counts`: the number of lines of each kind."""

    workspace: str
    at: datetime
    schema: int
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


# Names of kinds in files that differ from the names of their classes.
_NAMES_IN_FILES: Mapping[type[Any], str] = {AuditEntry: "deed"}


def name_of(kind: type[Any]) -> str:
    """The name of a kind in a line, such as memory_link."""
    return _NAMES_IN_FILES.get(kind) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


NAMES: Mapping[str, type[Any]] = {name_of(kind): kind for kind in CARRIED}


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def header_line(header: Header) -> bytes:
    return _line(
        {
            "everlore": _FORMAT_NAME,
            "format": FORMAT,
            "schema": header.schema,
            "workspace": header.workspace,
            "at": header.at,
            "counts": dict(header.counts),
        }
    )


def record_line(bring: ImportRecord) -> bytes:
    line: dict[str, Any] = {name_of(type(bring.record)): _plain(bring.record)}
    if bring.history:
        line[_HISTORY] = [_revision(each) for each in bring.history]
    return _line(line)


def end_line(counts: Mapping[str, int], checksum: str) -> bytes:
    return _line({"end": {"counts": dict(counts), "sha256": checksum}})


class LineTally:
    """Counts and checksum of the lines so far, for the end of the file."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = dict.fromkeys(NAMES, 0)
        self._digest = hashlib.sha256()

    def add(self, kind: str, line: bytes) -> None:
        self.counts[kind] += 1
        self._digest.update(line)

    @property
    def checksum(self) -> str:
        return self._digest.hexdigest()


def _plain(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in _fields(cast(Hashable, type(record)))}


def _revision(revision: Revision) -> dict[str, Any]:
    return {
        "number": revision.number,
        "since": revision.since,
        "until": revision.until,
        "by": revision.by,
        "why": revision.why,
        "note": revision.note,
        "before": _plain(revision.before),
    }


def _written(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    assert isinstance(value, bytes)
    return base64.b64encode(value).decode()


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_written).encode


def _line(value: Mapping[str, Any]) -> bytes:
    return _encode(value).encode() + b"\n"


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def parse(line: bytes) -> dict[str, Any]:
    try:
        value = _from_json(line)
    except (ValueError, RecursionError) as error:
        raise BadAsk(f"it is not JSON ({_said(error)}). Take the file as it was exported.") from None
    if not isinstance(value, dict):
        raise BadAsk("it is not a JSON object. Take the file as it was exported.")
    return value


def _from_json(line: bytes) -> object:
    try:
        return from_json(line)
    except ValueError:
        # The fast parser reaches 200 levels deep; stored values may be deeper.
        return json.loads(line)


def read_header(value: Mapping[str, Any]) -> Header:
    if value.get("everlore") != _FORMAT_NAME:
        raise BadAsk("it does not begin as an exported workspace does. Name a file that `export workspace` wrote.")
    if value.get("format") != FORMAT:
        raise BadAsk(f"its format is {value.get('format')!r}, and this Everlore reads {FORMAT}. {_NEWER}")
    try:
        return Header(
            workspace=str(value["workspace"]),
            at=datetime.fromisoformat(value["at"]),
            schema=int(value["schema"]),
            counts={name: int(number) for name, number in value["counts"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadAsk("its header is not whole. Take the file as it was exported.") from None


def read_end(value: Mapping[str, Any]) -> tuple[Mapping[str, int], str] | None:
    """The counts and the checksum of the last line; None for any other line."""
    end = value.get("end")
    if not isinstance(end, dict):
        return None
    counts, checksum = end.get("counts"), end.get("sha256")
    if not isinstance(counts, dict) or not isinstance(checksum, str):
        raise BadAsk("its end is not whole. Take the file as it was exported.")
    return counts, checksum


def kind_of(value: Mapping[str, Any]) -> str:
    """The kind of the record in a line."""
    kinds = [name for name in value if name != _HISTORY]
    if len(kinds) != 1 or kinds[0] not in NAMES:
        raise BadAsk(f"it holds {_shown(kinds)}, which is no kind of record here. {_NEWER}")
    return kinds[0]


def read_line(value: Mapping[str, Any], workspace: str, *, replace: bool = False) -> ImportRecord:
    """The import of one line into that workspace."""
    name = kind_of(value)
    record = _record(NAMES[name], value[name], workspace)
    if isinstance(record, XRay) and not is_sound(record.account):
        raise BadAsk("the account of its x-ray cannot be unpacked. Take the line out, and export again.")
    history = value.get(_HISTORY, [])
    if not isinstance(history, list):
        raise BadAsk("its history is not a list. Take the file as it was exported.")
    return ImportRecord(record, tuple(_read_revision(each, record, workspace) for each in history), replace)


def _read_revision(value: Any, record: Any, workspace: str) -> Revision:
    if not isinstance(value, dict):
        raise BadAsk("its history holds something that is no revision. Take the file as it was exported.")
    fields = {name: each for name, each in value.items() if name != "before"}
    before = _record(type(record), value.get("before"), workspace)
    revision: Revision = _made(Revision, {**fields, "memory_id": record.id}, workspace, before=before)
    return revision


def _record(kind: type[Any], value: object, workspace: str) -> Any:
    if not isinstance(value, dict):
        raise BadAsk(f"it holds no {name_of(kind)}. Take the file as it was exported.")
    return _made(kind, value, workspace)


def _made(kind: type[Any], value: Mapping[str, Any], workspace: str, **known: Any) -> Any:
    names, readers = _readers(cast(Hashable, kind))
    if not value.keys() <= names:
        raise BadAsk(f"a {name_of(kind)} has no {_shown(sorted(value.keys() - names))}. {_NEWER}")
    values = {**value, **known, "workspace": workspace}
    name = ""
    try:
        for name, read in readers:
            if values.get(name) is not None:
                values[name] = read(values[name])
        return kind(**values)
    except (ValueError, binascii.Error):
        raise BadAsk(f"a {name_of(kind)} has {_shown(values[name])} for its {name}. {_AS_IT_WAS}") from None
    except TypeError as error:
        # Python's message is: missing 1 required keyword-only argument: 'name'.
        missing = ", ".join(re.findall(r"'(\w+)'", str(error))) or name
        raise BadAsk(f"a {name_of(kind)} lacks {missing}, or it is not what it should be. {_AS_IT_WAS}") from None


@cache
def _fields(kind: Hashable) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(cast(type[Any], kind)) if field.name not in _HIDDEN)


@cache
def _readers(kind: Hashable) -> tuple[frozenset[str], tuple[tuple[str, Callable[[Any], Any]], ...]]:
    """The names of the fields, and the converters for types that JSON does not have. The store validates the values."""
    hints = typing.get_type_hints(kind, include_extras=True)
    names = [name for name in _fields(kind) if kind is not Revision or name != "before"]
    readers = ((name, _conversion(_bare(hints[name]))) for name in names)
    return frozenset(names), tuple((name, read) for name, read in readers if read is not _same)


def _bare(hint: Any) -> Any:
    """The type without `Annotated` and without `| None`."""
    if get_origin(hint) in (typing.Union, types.UnionType):
        (hint,) = (part for part in get_args(hint) if part is not type(None))
    while get_origin(hint) is typing.Annotated:
        hint = get_args(hint)[0]
    return hint


def _conversion(plain: Any) -> Callable[[Any], Any]:
    if plain is datetime:
        return datetime.fromisoformat
    if plain is bytes:
        return lambda value: base64.b64decode(value, validate=True)
    if plain is float:
        return _number
    if get_origin(plain) is tuple:
        return _tuple
    if isinstance(plain, type) and issubclass(plain, StrEnum):
        return plain
    return _same


def _same(value: Any) -> Any:
    return value


def _number(value: Any) -> Any:
    """JSON writes a whole float without a point."""
    return float(value) if type(value) is int else value


def _tuple(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(value)


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _said(error: Exception) -> str:
    return "it nests too deeply" if isinstance(error, RecursionError) else str(error)
