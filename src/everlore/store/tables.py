"""Converts records to rows and back, for every kind and both databases.

One column per field: texts as texts, times as seconds since 1970 (a float, so that scores can be computed in SQL
without numeric arithmetic), tuples and JSON objects as JSON text. Start at `TABLES`.
"""

import dataclasses
import json
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from itertools import repeat
from operator import attrgetter, is_
from typing import Any, get_args, get_origin

from pydantic_core import from_json

from everlore.domain.analysis import Analysis
from everlore.domain.attachment import Attachment
from everlore.domain.audit_entry import AuditEntry
from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.event import Event
from everlore.domain.interaction import Interaction
from everlore.domain.job import Job
from everlore.domain.knowledge import Telling
from everlore.domain.media import Media
from everlore.domain.memory import Memory, MemoryLink
from everlore.domain.miss import Miss
from everlore.domain.person import Person
from everlore.domain.proposal import Proposal
from everlore.domain.reading import Reading
from everlore.domain.records import KINDS
from everlore.domain.roll import Roll
from everlore.domain.setting import Setting
from everlore.domain.template import Template, TemplateVersion
from everlore.domain.token import Token
from everlore.domain.webhook import Webhook
from everlore.domain.xray import XRay

# Long enough for the JSON of a tuple with one or two persons.
_SHORT = 80
Cell = str | int | float | bytes | None


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    # The storage type: "text", "integer", "real" or "blob".
    affinity: str
    encode: Callable[[Any], Cell]
    decode: Callable[[Any], Any]

    def cells(self, records: Iterable[Any]) -> Sequence[Cell]:
        """The cells of this column for the records; a value that all records share is converted once."""
        values = list(map(attrgetter(self.name), records))
        if self.encode is _same:
            return values
        if all(map(is_, values, repeat(values[0]))):
            return [self.encode(values[0])] * len(values)
        return list(map(self.encode, values))


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """`filters` are the columns that `find` accepts; `order` is the order of its pages. Only the store writes `counted`
    columns: changing an existing record leaves them as they are."""

    name: str
    kind: type[Any]
    columns: tuple[Column, ...]
    filters: tuple[str, ...]
    order: str
    counted: tuple[str, ...]
    names: tuple[str, ...]
    # Reads all fields of a record in one step; and the converters of those fields that need one.
    _read: Callable[[Any], tuple[Any, ...]]
    _encoders: tuple[tuple[int, Callable[[Any], Cell]], ...]
    _decoders: tuple[tuple[int, Callable[[Any], Any]], ...]
    _fillers: tuple[Callable[[Any, Any], None], ...]

    def row_of(self, record: Any) -> list[Cell]:
        row = list(self._read(record))
        for place, encode in self._encoders:
            row[place] = encode(row[place])
        return row

    def columns_of(self, records: Sequence[Any]) -> dict[str, Sequence[Cell]]:
        """The rows of many records, column by column."""
        return {column.name: column.cells(records) for column in self.columns} if records else {}

    def record_of(self, row: Sequence[Any]) -> Any:
        """Fills the object in place: the constructor of a frozen class takes three times as long."""
        cells = list(row)
        for place, decode in self._decoders:
            cells[place] = decode(cells[place])
        record = object.__new__(self.kind)
        for fill, cell in zip(self._fillers, cells, strict=True):
            fill(record, cell)
        return record

    def column(self, name: str) -> Column:
        return next(each for each in self.columns if each.name == name)

    def encode(self, column: str, value: Any) -> Cell:
        return self.column(column).encode(value)


seconds = datetime.timestamp


def moment(value: float) -> datetime:
    return datetime.fromtimestamp(value, UTC)


# One encoder for all: creating one costs more than using it.
to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _same(value: Any) -> Any:
    return value


def _or_none(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return convert if convert is _same else lambda value: None if value is None else convert(value)


def _column(name: str, hint: Any) -> Column:
    plain, optional = _bare(hint)
    affinity, encode, decode = _conversion(plain)
    if optional:
        encode, decode = _or_none(encode), _or_none(decode)
    return Column(name, affinity, encode, decode)


def _bare(hint: Any) -> tuple[Any, bool]:
    """The type without `Annotated` and without `| None`, and whether None is allowed."""
    optional = False
    if get_origin(hint) in (typing.Union, types.UnionType):
        optional = True
        (hint,) = (part for part in get_args(hint) if part is not type(None))
    while get_origin(hint) is typing.Annotated:
        hint = get_args(hint)[0]
    return hint, optional


def _conversion(plain: Any) -> tuple[str, Callable[[Any], Cell], Callable[[Any], Any]]:
    origin = get_origin(plain)
    if plain is bool:
        return "integer", int, bool
    if plain is datetime:
        return "real", seconds, moment
    if origin is tuple:
        return "text", tuple_to_json, _tuple_from_json
    if origin is dict:
        return "text", _dict_to_json, _dict_from_json
    if isinstance(plain, type) and issubclass(plain, StrEnum):
        return "text", str, {each.value: each for each in plain}.__getitem__
    return {str: "text", int: "integer", float: "real", bytes: "blob"}[plain], _same, _same


def tuple_to_json(value: tuple[Any, ...]) -> str:
    # Most tuples are empty or name the same few persons, and this runs for each of them.
    if not value:
        return "[]"
    return _short_to_json(value) if len(value) <= 2 else to_json(value)


@lru_cache(maxsize=1024)
def _short_to_json(value: tuple[Any, ...]) -> str:
    return to_json(value)


def _from_json(value: str) -> Any:
    try:
        return from_json(value)
    except ValueError:
        # This parser reaches 200 levels deep. Python's own reaches a thousand, but takes four times as long.
        return json.loads(value)


def _dict_to_json(value: dict[str, Any]) -> str:
    return to_json(value) if value else "{}"


def _dict_from_json(value: str) -> dict[str, Any]:
    found: dict[str, Any] = _from_json(value) if value != "{}" else {}
    return found


def _tuple_from_json(value: str) -> tuple[Any, ...]:
    if value == "[]":
        return ()
    return _short_from_json(value) if len(value) <= _SHORT else tuple(_from_json(value))


@lru_cache(maxsize=1024)
def _short_from_json(value: str) -> tuple[Any, ...]:
    return tuple(_from_json(value))


def _table(kind: type[Any], name: str, filters: str = "", order: str = "created_at", counted: str = "") -> Table:
    hints = typing.get_type_hints(kind, include_extras=True)
    columns = tuple(_column(field.name, hints[field.name]) for field in dataclasses.fields(kind))
    names = tuple(column.name for column in columns)
    return Table(
        name=name,
        kind=kind,
        columns=columns,
        filters=tuple(filters.split()),
        order=order,
        counted=tuple(counted.split()),
        names=names,
        _read=attrgetter(*names),
        _encoders=tuple((at, each.encode) for at, each in enumerate(columns) if each.encode is not _same),
        _decoders=tuple((at, each.decode) for at, each in enumerate(columns) if each.decode is not _same),
        _fillers=tuple(getattr(kind, name).__set__ for name in names),
    )


TABLES: Mapping[type[Any], Table] = {
    table.kind: table
    for table in (
        _table(Person, "persons", "kind name"),
        _table(Campaign, "campaigns", "name gm_id"),
        _table(Chapter, "chapters", "campaign_id", order="number"),
        _table(Session, "sessions", "campaign_id chapter_id", order="number"),
        _table(
            Conversation,
            "conversations",
            "state user_id campaign_id session_id branched_from_id inner_of_id",
            order="updated_at",
            counted="message_count",
        ),
        _table(Message, "messages", "conversation_id seq author person_id state weight hidden", order="seq"),
        _table(Summary, "summaries", "conversation_id level", order="first_seq"),
        _table(Event, "events", "type state user_id conversation_id campaign_id parent_id", order="at"),
        _table(Interaction, "interactions", "type conversation_id event_id actor_id interactor_id", order="started_at"),
        _table(Entity, "entities", "kind name campaign_id person_id"),
        _table(Relationship, "relationships", "source_id target_id type campaign_id message_id"),
        _table(Proposal, "proposals", "campaign_id session_id kind status message_id match_id"),
        _table(
            Memory,
            "memories",
            "type category status origin durability importance conversation_id campaign_id chapter_id session_id "
            "interaction_id superseded_by",
            counted="recall_count last_recalled_at",
        ),
        _table(MemoryLink, "memory_links", "memory_id other_id kind"),
        _table(Media, "media", "person_id name"),
        _table(Setting, "settings", order="updated_at"),
        _table(Template, "templates", "name"),
        _table(TemplateVersion, "template_versions", "template_id version", order="version"),
        _table(XRay, "xrays", "conversation_id message_id"),
        _table(Reading, "readings", "conversation_id message_id extractor has_refused"),
        _table(Analysis, "analyses", "conversation_id"),
        _table(Telling, "tellings", "memory_id teller_id listener_id conversation_id message_id", order="told_at"),
        _table(Roll, "rolls", "conversation_id person_id memory_id seq"),
        _table(Miss, "misses", "conversation_id message_id person_id mode"),
        _table(Attachment, "attachments", "event_id name"),
        _table(Token, "tokens", "user_id role"),
        _table(Webhook, "webhooks"),
        _table(AuditEntry, "deeds", "actor verb kind ref role", order="at"),
    )
}
# Filters of `find` that match either of several columns.
EITHER: Mapping[type[Any], Mapping[str, tuple[str, ...]]] = {Interaction: {"person_id": ("actor_id", "interactor_id")}}
JOBS = _table(Job, "jobs", "id kind state lane key subject", order="seq")

assert set(TABLES) == set(KINDS)
