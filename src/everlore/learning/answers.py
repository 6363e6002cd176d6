"""Reads the JSON answer of a model, as untrusted input.

In: the raw answer. Out: the value in it, or None. An answer may begin with a reasoning model's thoughts and be in a
code fence; no other deviation is accepted. Anything else yields None, and its beginning is logged. The caller checks
the shape of the value, item by item.

Start at `json_in`.
"""

import json
import re
import unicodedata
from enum import Enum
from typing import TypeVar

import structlog

log = structlog.get_logger(__name__)

E = TypeVar("E", bound=Enum)

# A longer answer cannot follow the prompt.
_MOST_CHARS = 1_000_000
_MOST_LOGGED = 100
_FENCE = "```"
_LANGUAGE = re.compile(r"[A-Za-z0-9_+-]{0,20}[ \t]*(?:\r?\n|(?=[\[{]))")
_THOUGHT = re.compile(r"<(think|thinking|thought)>", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|thought)>", re.IGNORECASE)


def json_in(answer: str) -> object | None:
    """The parsed value, or None."""
    if len(answer) > _MOST_CHARS:
        return None
    try:
        found: object = json.loads(_unfenced(_after_thoughts(answer.strip())), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return found


def log_unusable(answer: str, *, what: str) -> None:
    """Logs an unusable answer; `what` names the request, as in "facts"."""
    log.warning("learning.answer_unusable", what=what, chars=len(answer), begins=answer[:_MOST_LOGGED])


def list_in(value: object, key: str) -> list[object] | None:
    """A bare array, or the one under `key`: enforced schemas require an object at the top."""
    inside = value.get(key) if isinstance(value, dict) else value
    return inside if isinstance(inside, list) else None


def line_in(value: object, most_chars: int) -> str | None:
    """A text as one line fit for storage: without control characters or lone surrogates, and not too long."""
    if not isinstance(value, str):
        return None
    # Cut first, with a margin for white space removed later.
    kept = "".join(sign if _can_be_kept(sign) else " " for sign in value[: 2 * most_chars])
    return " ".join(kept.split())[:most_chars].rstrip()


def texts_in(value: object, most: int, most_chars: int) -> tuple[str, ...]:
    """The texts of a list, without duplicates; a single text counts as a list of one."""
    items = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    lines = (line_in(item, most_chars) for item in items[: 2 * most])
    return tuple(dict.fromkeys(line for line in lines if line))[:most]


def member_in(kinds: type[E], value: object) -> E | None:
    """The enum member that a model named, in any case."""
    name = value.strip().upper().replace(" ", "_").replace("-", "_") if isinstance(value, str) else ""
    return kinds.__members__.get(name)


def number_in(value: object) -> float | None:
    """A number; None for booleans and texts."""
    return None if isinstance(value, bool) or not isinstance(value, int | float) else value


def share_in(value: object) -> float | None:
    """A number from 0 to 1."""
    number = number_in(value)
    return float(number) if number is not None and 0 <= number <= 1 else None


def _can_be_kept(sign: str) -> bool:
    # Joiners (category Cf) are kept: some scripts and emoji need them.
    return unicodedata.category(sign) not in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")


def _after_thoughts(text: str) -> str:
    """Some servers return only the end of the thoughts, because the prompt already opened them."""
    if text.startswith(("{", "[", _FENCE)):
        return text
    end = _THOUGHT_ENDS.search(text)
    if end:
        return text[end.end() :].lstrip()
    return "" if _THOUGHT.match(text) else text


def _unfenced(text: str) -> str:
    if not (text.startswith(_FENCE) and text.endswith(_FENCE) and len(text) >= 2 * len(_FENCE)):
        return text
    inside = text[len(_FENCE) : -len(_FENCE)]
    language = _LANGUAGE.match(inside)
    return inside[language.end() :] if language else inside


def _no_constant(text: str) -> object:
    raise ValueError(f"{text} is not JSON")
