"""Converts any Python value to JSON: input and output of tools are kept for reading, not for running.

In: anything. Out: texts, numbers, lists and dicts, of bounded size and depth, that every database can store. Nothing
here raises: capturing must not break the tool. Start at `plain`.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from enum import Enum
from itertools import islice
from pathlib import PurePath
from typing import Any
from uuid import UUID

Plain = str | int | float | bool | None | list["Plain"] | dict[str, "Plain"]

_MOST_DEPTH = 12
_MOST_ITEMS = 20_000
_MOST_CHARS = 4_000_000
_MOST_KEY_CHARS = 300
_MOST_SHOWN = 1_000
# Databases store integers of 64 bits; a larger one becomes a text.
_MOST_INT = 2**63
_UNKEPT = {0: "\N{REPLACEMENT CHARACTER}"} | dict.fromkeys(range(55296, 57344), "�")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def plain(value: object) -> Plain:
    return _Room().take(value, 0)


def plain_dict(value: Mapping[Any, Any]) -> dict[str, Plain]:
    taken = plain(value)
    return taken if isinstance(taken, dict) else {"value": taken}


def readable(text: str) -> str:
    """Removes what no database can store: NUL, and halves of surrogate pairs."""
    return text if text.isascii() and "\x00" not in text else text.translate(_UNKEPT)


def to_json(value: Plain) -> str:
    return _encode(value)


class _Room:
    """The remaining size, so that values with cycles or endless references are cut."""

    def __init__(self) -> None:
        self._items = _MOST_ITEMS
        self._chars = _MOST_CHARS

    def take(self, value: object, depth: int) -> Plain:
        self._items -= 1
        if self._items < 0:
            return "…"
        match value:
            case None | bool():
                return value
            case Enum():
                return self.take(value.value, depth)
            case str():
                return self._text(value)
            case int():
                return int(value) if -_MOST_INT <= value < _MOST_INT else self._text(_shown(value))
            case float():
                return float(value) if math.isfinite(value) else str(value)
            case bytes() | bytearray() | memoryview():
                return f"[{len(value)} bytes]"
            case datetime() | date() | time():
                return value.isoformat()
            case timedelta() | UUID() | PurePath():
                return self._text(str(value))
        return self._composed(value, depth)

    def _composed(self, value: object, depth: int) -> Plain:
        if depth >= _MOST_DEPTH:
            return self._text(f"<{type(value).__name__}>")
        try:
            if isinstance(value, Mapping):
                return self._dict(value.items(), depth)
            if isinstance(value, list | tuple | set | frozenset):
                return [self.take(each, depth + 1) for each in islice(value, max(self._items, 0) + 1)]
            if is_dataclass(value) and not isinstance(value, type):
                return self._dict(((each.name, getattr(value, each.name)) for each in fields(value)), depth)
            if callable(dump := getattr(value, "model_dump", None)) and not isinstance(value, type):
                return self.take(dump(mode="json"), depth + 1)
        except Exception as error:  # a foreign object may raise anything on access
            return f"<{type(value).__name__}: {type(error).__name__}>"
        return self._text(_shown(value))

    def _dict(self, items: Iterable[tuple[object, object]], depth: int) -> Plain:
        found: dict[str, Plain] = {}
        for key, each in items:
            if self._items <= 0:
                found["…"] = "…"
                break
            found[self._key(key)] = self.take(each, depth + 1)
        return found

    def _key(self, key: object) -> str:
        return readable((key if isinstance(key, str) else _shown(key))[:_MOST_KEY_CHARS])

    def _text(self, text: str) -> str:
        if len(text) > self._chars:
            text = f"{text[: self._chars]}… [{len(text):,} characters in all]"
        self._chars = max(self._chars - len(text), 0)
        return readable(str(text))


def _shown(value: object) -> str:
    try:
        return repr(value)[:_MOST_SHOWN]
    except Exception as error:  # a foreign __repr__
        return f"<{type(value).__name__}: {type(error).__name__}>"
