"""How a record becomes a row and a row a record, for every kind and both databases.

A column per field: texts as texts, times as seconds since 1970 (a float, so that scores can be computed
in SQL without numeric arithmetic), tuples and JSON objects as JSON text. Start at `TABLES`.
"""

import dataclasses
import json
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import Any, get_args, get_origin

from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.event import Event
from everlore.domain.interaction import Interaction
from everlore.domain.job import Job
from everlore.domain.memory import Memory, MemoryLink
from everlore.domain.person import Person
from everlore.domain.records import KINDS
from everlore.domain.setting import Setting

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    # What the database keeps it as: "text", "integer" or "real".
    affinity: str
    encode: Callable[[Any], Cell]
    decode: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Table:
    """`filters` are the columns that `find` may ask for; `order` is how its pages run. `counted` columns
    are written by the store alone: changing a record that exists leaves them as they are."""

    name: str
    kind: type[Any]
    columns: tuple[Column, ...]
    filters: tuple[str, ...]
    order: str
    counted: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def row_of(self, record: Any) -> list[Cell]:
        read, encoders = _reading(self)
        row = list(read(record))
        for place, encode in encoders:
            row[place] = encode(row[place])
        return row

    def record_of(self, row: Sequence[Any]) -> Any:
        values = {column.name: column.decode(cell) for column, cell in zip(self.columns, row, strict=True)}
        return self.kind(**values)

    def column(self, name: str) -> Column:
        return next(each for each in self.columns if each.name == name)

    def encode(self, column: str, value: Any) -> Cell:
        return self.column(column).encode(value)


@cache
def _reading(table: Table) -> tuple[Callable[[Any], tuple[Any, ...]], list[tuple[int, Callable[[Any], Cell]]]]:
    """All fields in one step, and the few that are not kept as they are."""
    encoders = [(place, each.encode) for place, each in enumerate(table.columns) if each.encode is not _same]
    return attrgetter(*table.names), encoders


def seconds(at: datetime) -> float:
    return at.timestamp()


def moment(value: float) -> datetime:
    return datetime.fromtimestamp(value, UTC)


def to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _same(value: Any) -> Any:
    return value


def _or_none(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else convert(value)


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
        return "text", _tuple_to_json, _tuple_from_json
    if origin is dict:
        return "text", to_json, json.loads
    if isinstance(plain, type) and issubclass(plain, StrEnum):
        return "text", str, plain
    return {str: "text", int: "integer", float: "real"}[plain], _same, _same


def _tuple_to_json(value: tuple[Any, ...]) -> str:
    # Most tuples are empty, and this runs for each of them.
    return to_json(value) if value else "[]"


def _tuple_from_json(value: str) -> tuple[Any, ...]:
    return tuple(json.loads(value)) if value != "[]" else ()


def _table(kind: type[Any], name: str, filters: str = "", order: str = "created_at", counted: str = "") -> Table:
    hints = typing.get_type_hints(kind, include_extras=True)
    columns = tuple(_column(field.name, hints[field.name]) for field in dataclasses.fields(kind))
    return Table(name, kind, columns, tuple(filters.split()), order, tuple(counted.split()))


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
            "state user_id campaign_id session_id branched_from_id",
            counted="message_count",
        ),
        _table(Message, "messages", "conversation_id author person_id state", order="seq"),
        _table(Summary, "summaries", "conversation_id level", order="first_seq"),
        _table(Event, "events", "type state user_id conversation_id campaign_id parent_id", order="at"),
        _table(Interaction, "interactions", "type conversation_id event_id actor_id interactor_id"),
        _table(Entity, "entities", "kind name campaign_id person_id"),
        _table(Relationship, "relationships", "source_id target_id type"),
        _table(
            Memory,
            "memories",
            "type category status origin durability conversation_id campaign_id chapter_id session_id "
            "interaction_id superseded_by",
            counted="recall_count last_recalled_at",
        ),
        _table(MemoryLink, "memory_links", "memory_id other_id kind"),
        _table(Setting, "settings", order="updated_at"),
    )
}
JOBS = _table(Job, "jobs", "kind state lane key subject", order="seq")

assert set(TABLES) == set(KINDS)
