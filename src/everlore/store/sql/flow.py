"""Statements, flows, and the interface for the few differences between the two databases."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from typing import Any, ParamSpec, Protocol, TypeVar

from everlore.domain.passage import Ties
from everlore.store.port import Vector
from everlore.store.spans import MessageSpan

T = TypeVar("T")
Row = Sequence[Any]
Rows = Sequence[Row]


@dataclass(frozen=True, slots=True)
class SqlStatement:
    """One SQL statement with `?` for its values. With `many`, `values` is a list of value tuples."""

    sql: str
    values: Sequence[Any]
    many: bool = False


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows that are known to be new, column by column: each database has its own fastest way to insert them."""

    table: str
    columns: Mapping[str, Sequence[Any]]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*self.columns.values(), strict=True))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


Flow = Generator[SqlStatement | NewRows, Rows, T]


_ALONE: set[Callable[..., Any]] = set()
P = ParamSpec("P")


def alone(flow: Callable[P, Flow[T]]) -> Callable[P, Flow[T]]:
    """Marks a flow with at most one statement. It needs no transaction for a consistent view, which saves two
    statements."""

    @wraps(flow)
    def once(*args: P.args, **options: P.kwargs) -> Flow[T]:
        asking = flow(*args, **options)
        try:
            answer = yield next(asking)
            asking.send(answer)
        except StopIteration as end:
            value: T = end.value
            return value
        raise AssertionError(f"{flow.__name__} asks more than once, and is not alone.")

    _ALONE.add(once)
    return once


def is_alone(flow: Callable[..., Any]) -> bool:
    return flow in _ALONE


def ask(sql: str, *values: Any) -> Flow[Rows]:
    return (yield SqlStatement(sql, values))


def tell_many(sql: str, values: Sequence[Sequence[Any]]) -> Flow[None]:
    if values:
        yield SqlStatement(sql, values, many=True)


def add(table: str, columns: Mapping[str, Sequence[Any]]) -> Flow[None]:
    if columns and (new := NewRows(table, columns)):
        yield new


def columns_of(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Transposes rows into columns, for `add`."""
    return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}


@cache
def insert(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


class Dialect(Protocol):
    # Appended to a SELECT whose rows are about to be changed.
    lock: str
    # Appended to a SELECT whose rows must not change until the transaction ends.
    lock_shared: str
    # Like `lock`, but skips rows that another transaction has locked.
    lock_free: str
    # Appended to a text in ORDER BY: sorts by code points as Python does, whatever the locale.
    in_code_order: str

    def among(self, column: str) -> str:
        """A condition: `column` is one of a list of texts, passed as one value made by `listed`."""

    def contains(self, column: str, part: str) -> tuple[str, list[str]]:
        """A condition and its values: `column` contains a text, ignoring case."""

    def listed(self, values: Iterable[str | int]) -> Any: ...

    def unlisted(self, cell: Any) -> Sequence[str]:
        """Reads a column that was written with `listed`."""

    def holds(self, column: str, expression: str) -> str:
        """A condition: the tuple in a column of `memories` contains the expression."""

    def holds_any(self, column: str) -> str:
        """A condition: the tuple in a column of `memories` contains one of a list made by `listed`."""

    def holds_only(self, column: str) -> str:
        """A condition: the tuple contains nothing outside such a list."""

    def each(self, column: str, name: str = "held") -> str:
        """A FROM item for joins: the items of the tuple in a column of `memories`, as `held.value` or another name."""

    def next_numbers(self, counter: str, count: int) -> Flow[list[int]]:
        """`count` new increasing numbers for passages or jobs."""

    def terms(self, words: Sequence[str], workspace: str, ties: Ties, /) -> Any:
        """The words of a passage as the database stores them, with whatever it needs to scope them."""

    def words(self, terms: Any) -> list[str]:
        """The words again, from what `terms` returned."""

    def vector(self, vector: Any) -> Any:
        """A vector as the database stores it, rounded to half precision."""

    def vector_from(self, cell: Any) -> Vector:
        """The vector again, from a stored one."""

    def within(self, spans: Sequence[MessageSpan], columns: str, workspace: str) -> tuple[str, list[Any]]:
        """A statement and its values: reads the messages in these spans, each by its number through an index."""

    def index_words(self, rows: Sequence[int], terms: Sequence[Any], /) -> Flow[None]:
        """Add new passages to the full-text index."""

    def purge(self) -> Flow[None]:
        """Make deleted data unreadable, where the database would keep it until its next cleanup."""

    def count(self, rows: Sequence[Row]) -> Flow[None]:
        """Add to the tallies. Values: workspace, hour, kind, type, number."""

    # The columns of a passage that are copied to its vectors.
    copied: Sequence[str]
    # A condition: the persons of a passage include a value.
    is_theirs: str
    # An expression: the length of the vector in column `vec`.
    dims: str
