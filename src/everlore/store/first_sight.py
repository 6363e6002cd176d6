"""Fast checks whether a value is right for its field: a batch has millions of values, and nearly all are right. Pure.

`checks.py` checks the others closely and says what is wrong with them. Start at `first_sight`.
"""

import types
import typing
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any, get_args, get_origin

from everlore.domain.bounds import Between, Chars, Size


def first_sight(hint: Any) -> Callable[[Any], bool]:
    """A function that tells in one step whether a value clearly fits the type; False means: check it closely."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (typing.Union, types.UnionType):
        inner = first_sight(next(part for part in parts if part is not type(None)))
        return lambda value: value is None or inner(value)
    if origin is typing.Annotated:
        return _bounded_at_first_sight(*parts)
    if origin is tuple:
        item = first_sight(parts[0])
        return lambda value: type(value) is tuple and len(value) < 100 and all(map(item, value))
    if origin is dict:
        return lambda value: type(value) is dict and not value
    if hint is datetime:
        return lambda value: type(value) is datetime and value.tzinfo is UTC and 1900 < value.year < 3000
    return lambda value: type(value) is hint and hint is not str and hint is not float


def all_at_first_sight(hint: Any) -> Callable[[Sequence[Any]], bool]:
    """Like `first_sight`, with one step for a whole column where possible."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is tuple:
        items = all_at_first_sight(parts[0])
        return lambda column: (
            set(map(type, column)) == {tuple}
            and max(map(len, column)) < 100
            and (not any(column) or items(list(chain.from_iterable(column))))
        )
    if origin is typing.Annotated and isinstance(parts[1], Chars):
        return _texts_at_first_sight(parts[1])
    is_right = first_sight(hint)
    return lambda column: all(map(is_right, column))


def _texts_at_first_sight(bound: Chars) -> Callable[[Sequence[Any]], bool]:
    longest, needed = bound.most, bound.least > 0

    def are_right(column: Sequence[Any]) -> bool:
        if set(map(type, column)) != {str} or max(map(len, column)) > longest:
            return False
        whole = "".join(column)
        return whole.isascii() and "\x00" not in whole and not (needed and not all(map(str.strip, column)))

    return are_right


def _bounded_at_first_sight(plain: Any, bound: Chars | Between | Size) -> Callable[[Any], bool]:
    if isinstance(bound, Size):
        largest = bound.most
        return lambda value: type(value) is plain and len(value) <= largest
    if isinstance(bound, Between):
        least, most = bound.least, bound.most
        return lambda value: type(value) is plain and least <= value <= most
    longest, needed = bound.most, bound.least > 0
    return lambda value: (
        type(value) is str
        and len(value) <= longest
        and value.isascii()
        and "\x00" not in value
        and not (needed and (not value or value.isspace()))
    )
