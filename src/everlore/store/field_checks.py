"""Checks the values of a record's fields by the rules declared with the fields in `domain/`.

Start at `check_fields`.
"""

import json
import types
import typing
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import compress, count, repeat
from operator import attrgetter, is_not
from typing import Any, get_args, get_origin

from everlore.domain.bounds import Between, Chars, Size
from everlore.errors import BadAsk
from everlore.store.first_sight import all_at_first_sight, first_sight

_MOST_JSON_CHARS = 5_000_000
MOST_ITEMS = 10_000
_PLAIN = Chars(4_000)
# Years that can be stored as seconds and read back in any time zone.
_FIRST_YEAR, _LAST_YEAR = 2, 9998
_NOTHING = object()
# For each kind, the values of the last record that was checked.
Last = dict[type[Any], tuple[Any, ...]]


def check_text(name: str, value: object, bound: Chars = _PLAIN) -> None:
    if not isinstance(value, str):
        raise BadAsk(f"{name} is a {type(value).__name__}; it must be a text.")
    if len(value) > bound.most:
        raise BadAsk(
            f"{name} has {len(value):,} characters; the most is {bound.most:,}. Split it, or keep it as a file."
        )
    if bound.least and not value.strip():
        raise BadAsk(f"{name} is empty; give it a text.")
    if "\x00" in value:
        raise BadAsk(f"{name} contains a NUL character at {value.index(chr(0))}; remove it.")
    if not value.isascii():
        _check_surrogates(name, value)


def _check_surrogates(name: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise BadAsk(
            f"{name} contains half of a surrogate pair at {error.start}, which is not a character; "
            "decode the text as UTF-8 (or UTF-16) before passing it on."
        ) from None


# Fields of changes that `check_changes` looks into itself.
_ELSEWHERE = frozenset({"record", "vectors", "fields", "only_if", "history"})


@dataclass(frozen=True, slots=True)
class _Rules:
    names: tuple[str, ...]
    hints: tuple[Any, ...]
    # Reads all fields in one step. The fields that fail their fast check are then checked closely.
    read: Callable[[Any], tuple[Any, ...]]
    plainly_right: tuple[Callable[[Any], bool], ...]
    # The fast checks for whole columns of many records.
    all_plainly_right: tuple[Callable[[Sequence[Any]], bool], ...]


@cache
def rules_for(kind: Hashable) -> _Rules:
    hints = typing.get_type_hints(kind, include_extras=True)
    names = tuple(name for name in hints if name not in _ELSEWHERE)
    return _Rules(
        names=names,
        hints=tuple(hints[name] for name in names),
        read=_reader(names),
        plainly_right=tuple(first_sight(hints[name]) for name in names),
        all_plainly_right=tuple(all_at_first_sight(hints[name]) for name in names),
    )


def _reader(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)


def check_fields(record: Any, last: Last) -> None:
    """Checks only what differs from the `last` record of this kind: the records of a batch share most values."""
    kind = type(record)
    rules = rules_for(typing.cast(Hashable, kind))
    values = rules.read(record)
    # By identity: equal values may be of different types.
    other = map(is_not, values, last.get(kind) or repeat(_NOTHING))
    last[kind] = values
    for at in compress(count(), other):
        if not rules.plainly_right[at](values[at]):
            _check(f"{kind.__name__}.{rules.names[at]}", values[at], rules.hints[at])


def _check(name: str, value: object, hint: Any) -> None:
    origin = get_origin(hint)
    if origin is type:
        hint, origin = type, None
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return
        hint = next(part for part in get_args(hint) if part is not type(None))
        origin = get_origin(hint)
    if origin is typing.Annotated:
        plain, *bounds = get_args(hint)
        check_bounded(name, value, plain, bounds[0])
    elif origin is tuple:
        _check_items(name, value, get_args(hint)[0])
    elif origin is dict:
        _check_json(name, value)
    else:
        check_plain(name, value, hint)


def check_bounded(name: str, value: object, plain: Any, bound: Chars | Between | Size) -> None:
    if isinstance(bound, Chars):
        check_text(name, value, bound)
        return
    check_plain(name, value, plain)
    if isinstance(bound, Size):
        size = len(typing.cast(bytes, value))
        if size > bound.most:
            raise BadAsk(f"{name} has {size:,} bytes; the most is {bound.most:,}. Make the file smaller.")
        return
    if not bound.least <= typing.cast(float, value) <= bound.most:
        raise BadAsk(f"{name} is {value}; it must be between {bound.least:g} and {bound.most:g}.")


def check_plain(name: str, value: object, plain: Any) -> None:
    if plain is str:
        check_text(name, value)
    elif plain is datetime:
        check_time(name, value)
    elif plain is float and isinstance(value, int) and not isinstance(value, bool):
        return
    elif not isinstance(value, plain) or (plain is int and isinstance(value, bool)):
        raise BadAsk(f"{name} is {value!r} ({type(value).__name__}); it must be a {plain.__name__}.")
    elif isinstance(value, float) and value != value:
        raise BadAsk(f"{name} is not a number; give one.")


def check_time(name: str, value: object) -> None:
    if not isinstance(value, datetime):
        raise BadAsk(f"{name} is {value!r}; it must be a datetime.")
    if value.tzinfo is None:
        raise BadAsk(f"{name} is {value.isoformat()} without a time zone; add one, such as datetime.UTC.")
    if not _FIRST_YEAR <= value.year <= _LAST_YEAR:
        raise BadAsk(f"{name} is in the year {value.year}; give one from {_FIRST_YEAR} to {_LAST_YEAR}.")


def _check_items(name: str, value: object, item: Any) -> None:
    if not isinstance(value, tuple):
        raise BadAsk(f"{name} is a {type(value).__name__}; it must be a tuple.")
    if len(value) > MOST_ITEMS:
        raise BadAsk(f"{name} has {len(value):,} items; the most is {MOST_ITEMS:,}.")
    for at, each in enumerate(value):
        _check(f"{name}[{at}]", each, item)


def _check_json(name: str, value: object) -> None:
    if not isinstance(value, dict):
        raise BadAsk(f"{name} is a {type(value).__name__}; it must be a dict.")
    if not value:
        return
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadAsk(f"{name} cannot be written as JSON ({error}); use texts, numbers, lists and dicts.") from None
    if json.loads(text) != value:
        raise BadAsk(f"{name} would come back different from JSON; use text keys, and lists instead of tuples.")
    # JSON would hide a NUL as an escape, and the databases would disagree about it later. An escaped backslash starts
    # no escape.
    if "\\u0000" in text.replace("\\\\", ""):
        raise BadAsk(f"{name} contains a NUL character; remove it.")
    check_text(name, text, Chars(_MOST_JSON_CHARS))
