"""Reads untrusted JSON such that every value can be stored and written out again unchanged.

Refused: invalid JSON, deep nesting, and numbers that cannot be represented. Characters that cannot be stored are
replaced, with a note. Start at `parse`.
"""

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from everlore.errors import BadAsk
from everlore.interchange.report import Notes, shown

MOST_DEPTH = 100
# The store's limit for one JSON field, less a little for its surroundings.
_MOST_KEPT_CHARS = 4_900_000
# NUL and halves of surrogate pairs: JSON can write them, UTF-8 and the databases cannot.
_NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")
# A double represents any 15 digits exactly, except close to zero.
_EXACT_DIGITS, _TINY = 15, 1e-290

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def parse(data: bytes, notes: Notes, *, what: str) -> object:
    """The value in `data`; `what` names it in errors and notes, as in "the card"."""
    reading = _Reading(notes, what)
    decoder = json.JSONDecoder(
        object_pairs_hook=reading.members, parse_float=reading.number, parse_constant=reading.constant
    )
    text = _decoded(data, what)
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        fault = error.msg.removesuffix(" at")
        raise BadAsk(
            f"{_begun(what)} is not JSON: {fault} at line {error.lineno}, column {error.colno}. Export it again."
        ) from None
    except RecursionError:
        raise _too_deep(what) from None
    except ValueError:
        raise BadAsk(f"{_begun(what)} holds a number of thousands of digits. Shorten it.") from None
    return reading.clean(value, MOST_DEPTH)


def dump(value: object) -> bytes:
    return _encode(value).encode()


def check_keepable(value: object, *, what: str) -> None:
    """Written out, the value may be longer than the original: `[1,1]` against `[1, 1]`."""
    size = len(json.dumps(value, ensure_ascii=False))
    if size > _MOST_KEPT_CHARS:
        raise BadAsk(
            f"{_begun(what)} has {size:,} characters of JSON; the most is {_MOST_KEPT_CHARS:,}. "
            "Take pictures and other large values out of it."
        )


def _decoded(data: bytes, what: str) -> str:
    encoding = json.detect_encoding(data)
    try:
        return data.decode(encoding, "surrogatepass")
    except UnicodeDecodeError as error:
        raise BadAsk(
            f"{_begun(what)} is not {encoding.upper()} text: byte {error.start:,} fits nowhere. Save it as UTF-8."
        ) from None


def _begun(what: str) -> str:
    return what[:1].upper() + what[1:]


def _too_deep(what: str) -> BadAsk:
    return BadAsk(f"{_begun(what)} nests more than {MOST_DEPTH} levels deep. Flatten it.")


@dataclass(frozen=True, slots=True)
class _Reading:
    notes: Notes
    what: str

    def members(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            for key, times in Counter(key for key, _ in pairs).items():
                if times > 1:
                    self.notes.dropped.add(
                        f"The key {shown(key)} stands {times} times in one object of {self.what}; the last one counts."
                    )
        return found

    def number(self, text: str) -> float:
        value = float(text)
        if math.isinf(value):
            raise BadAsk(f"{_begun(self.what)} holds the number {shown(text)}, which is too large. Write it as a text.")
        if (len(text) > _EXACT_DIGITS or abs(value) < _TINY) and not _is_exact(text, value):
            self.notes.changed.add(f"The number {shown(text)} was rounded to {value!r}.")
        return value

    def constant(self, text: str) -> object:
        raise BadAsk(f"{_begun(self.what)} holds {text}, which is not a number in JSON. Remove it.")

    def clean(self, value: object, depth: int) -> object:
        if isinstance(value, str):
            return self._text(value)
        if not isinstance(value, dict | list):
            return value
        if depth == 0:
            raise _too_deep(self.what)
        if isinstance(value, list):
            return [self.clean(each, depth - 1) for each in value]
        made = {self._text(key): self.clean(each, depth - 1) for key, each in value.items()}
        if len(made) != len(value):
            raise BadAsk(
                f"{_begun(self.what)} has keys that differ only in characters which cannot be kept. Rename them."
            )
        return made

    def _text(self, text: str) -> str:
        if text.isascii() and "\x00" not in text:
            return text
        mended, times = _NO_CHARACTER.subn("\ufffd", text)
        if times:
            self.notes.changed.add(f"{times} broken character(s) in {shown(text)} became \ufffd.")
        return mended


def _is_exact(text: str, value: float) -> bool:
    try:
        return Decimal(text) == Decimal(repr(value))
    except InvalidOperation:  # an enormous exponent
        return False
