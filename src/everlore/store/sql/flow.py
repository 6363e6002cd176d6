"""Statements, flows, and the few points in which the two databases differ."""

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
    """Rows that are known to be new, column by column: each database has its own fastest way to take them."""

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
    """Marks a flow of one statement at most. It sees one state of the database without a transaction around it, which
    would be two statements more."""

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
    """Rows turned on their side, for `add`."""
    return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}


@cache
def insert(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


class Dialect(Protocol):
    # Appended to a SELECT whose rows are about to be changed.
    lock: str
    # Appended to one whose rows must stay as they are until the transaction ends.
    lock_shared: str
    # As `lock`, passing over rows that another transaction holds.
    lock_free: str
    # After a text that is sorted by: by its characters' numbers, as Python does, whatever the language.
    in_code_order: str

    def among(self, column: str) -> str:
        """A condition: `column` is one of a list of texts, given as one value made by `listed`."""

    def contains(self, column: str, part: str) -> tuple[str, list[str]]:
        """A condition, with its values: `column` contains a text, in any case."""

    def listed(self, values: Iterable[str]) -> Any: ...

    def unlisted(self, cell: Any) -> Sequence[str]:
        """What a column holds that was written with `listed`."""

    def holds(self, column: str, expression: str) -> str:
        """A condition: the tuple in a column of `memories` holds the expression."""

    def holds_any(self, column: str) -> str:
        """A condition: the tuple in a column of `memories` holds one of a list made by `listed`."""

    def holds_only(self, column: str) -> str:
        """A condition: that tuple holds nothing but what is in such a list."""

    def each(self, column: str, name: str = "held") -> str:
        """What a join can take: the items of the tuple in a column of `memories`, as `held.value`, or another name."""

    def next_numbers(self, counter: str, count: int) -> Flow[list[int]]:
        """`count` fresh growing numbers for passages or jobs."""

    def terms(self, words: Sequence[str], workspace: str, ties: Ties, /) -> Any:
        """The words of a passage as the database keeps them, with whatever it needs to scope them."""

    def words(self, terms: Any) -> list[str]:
        """The words again."""

    def vector(self, vector: Any) -> Any:
        """A vector as the database keeps it, rounded to half precision."""

    def vector_from(self, cell: Any) -> Vector:
        """The vector again."""

    def within(self, spans: Sequence[MessageSpan], columns: str, workspace: str) -> tuple[str, list[Any]]:
        """A statement that reads the messages in these spans, each from an index by its number, and its values."""

    def index_words(self, rows: Sequence[int], terms: Sequence[Any], /) -> Flow[None]:
        """Make passages that were just added findable by their words."""

    def purge(self) -> Flow[None]:
        """Make what was deleted unreadable, where the database would keep it until it tidies up."""

    def keep_vectors(self, workspace: str, model: str, rows: Sequence[int], vectors: Any) -> Flow[None]:
        """Passes over a passage that is gone."""

    # Adds to a counter that is no record. Values: workspace, hour, name, how many more.
    count: str
    # A condition: the persons of a passage hold a value.
    is_theirs: str
    # An expression: the length of the vector in column `vec`.
    dims: str
    # Copies the vectors of an earlier passage to a new one. Values: earlier row, workspace, new row.
    carry_vectors: str
