"""Reads the JSON that a model was asked for, without believing it.

In: the answer as it came. Out: the value in it, or None. The answer may think first, as reasoning models do, and
may stand in one code fence; nothing else is forgiven. What is no JSON yields nothing, and the log says how the
answer began. Whether the value has the right shape is for the caller to say, item by item.

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

# What is longer was not written by a model that does as it is told.
_MOST_CHARS = 1_000_000
_MOST_LOGGED = 100
_FENCE = "```"
_LANGUAGE = re.compile(r"[A-Za-z0-9_+-]{0,20}[ \t]*(?:\r?\n|(?=[\[{]))")
_THOUGHT = re.compile(r"<(think|thinking|thought)>", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|thought)>", re.IGNORECASE)


def json_in(answer: str) -> object | None:
    """The value, or None where there is none."""
    if len(answer) > _MOST_CHARS:
        return None
    try:
        found: object = json.loads(_unfenced(_after_thoughts(answer.strip())), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return found


def log_unusable(answer: str, *, what: str) -> None:
    """Said whenever an answer yields nothing; `what` names what it was asked for, as in "facts"."""
    log.warning("learning.answer_unusable", what=what, chars=len(answer), begins=answer[:_MOST_LOGGED])


def list_in(value: object, key: str) -> list[object] | None:
    """A bare array, or the one under `key`: where a schema is enforced, the top must be an object."""
    inside = value.get(key) if isinstance(value, dict) else value
    return inside if isinstance(inside, list) else None


def line_in(value: object, most_chars: int) -> str | None:
    """A text as one line that can be kept: no control signs, no halves of surrogate pairs, not too long."""
    if not isinstance(value, str):
        return None
    # Cut before anything else is done to it, with room for white space that goes.
    kept = "".join(sign if _can_be_kept(sign) else " " for sign in value[: 2 * most_chars])
    return " ".join(kept.split())[:most_chars].rstrip()


def texts_in(value: object, most: int, most_chars: int) -> tuple[str, ...]:
    """The texts of a list, each once; a text alone is a list of one."""
    items = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    lines = (line_in(item, most_chars) for item in items[: 2 * most])
    return tuple(dict.fromkeys(line for line in lines if line))[:most]


def member_in(kinds: type[E], value: object) -> E | None:
    """The member of an enum that a model named, in whatever letters."""
    name = value.strip().upper().replace(" ", "_").replace("-", "_") if isinstance(value, str) else ""
    return kinds.__members__.get(name)


def number_in(value: object) -> float | None:
    """Neither a truth value nor a text is one."""
    return None if isinstance(value, bool) or not isinstance(value, int | float) else value


def share_in(value: object) -> float | None:
    """A number from 0 to 1."""
    number = number_in(value)
    return float(number) if number is not None and 0 <= number <= 1 else None


def _can_be_kept(sign: str) -> bool:
    # Joiners are category Cf: they are spelling in some scripts, and hold emoji together.
    return unicodedata.category(sign) not in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")


def _after_thoughts(text: str) -> str:
    """Some servers give only the end of the thoughts, because their prompt has opened them already."""
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
