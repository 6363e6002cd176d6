"""Conditions of template sections: the name of a circumstance, or several with and, or, not (P2).

Written as a text, `"hasMemories and not isGuest"`, or as JSON, `{"and": ["hasMemories", {"not": "isGuest"}]}`; both
mean the same. `not` binds closest, then `and`, then `or`; brackets group.

Start at `parse` and `holds`.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

CIRCUMSTANCES = (
    "hasEpisodes",
    "includeScene",
    "hasMemories",
    "supportsMedia",
    "useNLP",
    "hasImageTags",
    "hasSummary",
    "hasTools",
    "hasCampaign",
    "isGuest",
    "always",
)
_WORD = re.compile(r"\s*([()]|[^\s()]+)")
# Real conditions are far smaller, and the stack allows much more.
_MOST_DEPTH = 50
_MOST_CHARS = 5_000


class BadCondition(ValueError):
    """An invalid condition; the message says why."""


@dataclass(frozen=True, slots=True)
class VariableRef:
    name: str


@dataclass(frozen=True, slots=True)
class All:
    of: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    of: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Not:
    of: "Condition"


Condition = VariableRef | All | AnyOf | Not
ALWAYS = VariableRef("always")


def holds(condition: Condition, circumstances: Collection[str]) -> bool:
    """`circumstances` are the true ones; "always" holds even if it is not among them."""
    match condition:
        case VariableRef(name):
            return name == "always" or name in circumstances
        case All(of):
            return all(holds(each, circumstances) for each in of)
        case AnyOf(of):
            return any(holds(each, circumstances) for each in of)
        case Not(of):
            return not holds(of, circumstances)


def parse(written: object) -> Condition:
    """The parsed condition, or `BadCondition`."""
    return _of_text(written) if isinstance(written, str) else _of_json(written, _MOST_DEPTH)


def _of_json(written: object, depth: int) -> Condition:
    if depth == 0:
        raise BadCondition(f"A condition is nested more than {_MOST_DEPTH} levels deep. Make it simpler.")
    if isinstance(written, str):
        return _named(written)
    if not isinstance(written, dict) or len(written) != 1:
        raise BadCondition('A condition is a name, or an object with one of "and", "or", "not".')
    ((word, of),) = written.items()
    if word == "not":
        return Not(_of_json(of, depth - 1))
    if word in ("and", "or") and isinstance(of, list | tuple) and of:
        parts = tuple(_of_json(each, depth - 1) for each in of)
        return All(parts) if word == "and" else AnyOf(parts)
    raise BadCondition(f'{word!r} is not understood: "and" and "or" take a list, "not" takes one condition.')


def _of_text(text: str) -> Condition:
    if len(text) > _MOST_CHARS:
        raise BadCondition(f"The condition is too long: it may have {_MOST_CHARS:,} characters.")
    words = _WORD.findall(text)
    if not words:
        raise BadCondition('The condition is empty. Write "always", or leave it out.')
    condition, rest = _alternatives(words, _MOST_DEPTH)
    if rest:
        raise BadCondition(f"{rest[0]!r} is one word too many in the condition {text!r}.")
    return condition


def _alternatives(words: list[str], depth: int) -> tuple[Condition, list[str]]:
    return _chain(words, depth, "or")


def _chain(words: list[str], depth: int, joint: str) -> tuple[Condition, list[str]]:
    """Conditions joined by the same word."""
    inner = _together if joint == "or" else _single
    first, rest = inner(words, depth)
    parts = [first]
    while rest and rest[0].lower() == joint:
        part, rest = inner(rest[1:], depth)
        parts.append(part)
    if len(parts) == 1:
        return first, rest
    return (AnyOf(tuple(parts)) if joint == "or" else All(tuple(parts))), rest


def _together(words: list[str], depth: int) -> tuple[Condition, list[str]]:
    return _chain(words, depth, "and")


def _single(words: list[str], depth: int) -> tuple[Condition, list[str]]:
    if not words:
        raise BadCondition("The condition ends too early: after and, or, not there must be another name.")
    if depth == 0:
        raise BadCondition(f"A condition is nested more than {_MOST_DEPTH} levels deep. Make it simpler.")
    if words[0].lower() == "not":
        negated, rest = _single(words[1:], depth - 1)
        return Not(negated), rest
    if words[0] != "(":
        return _named(words[0]), words[1:]
    inside, rest = _alternatives(words[1:], depth - 1)
    if not rest or rest[0] != ")":
        raise BadCondition("A bracket is opened in the condition and never closed.")
    return inside, rest[1:]


def _named(name: str) -> Condition:
    if name not in CIRCUMSTANCES:
        raise BadCondition(f"There is no condition {name!r}. Known: {', '.join(CIRCUMSTANCES)}.")
    return VariableRef(name)
