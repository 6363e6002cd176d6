"""mem0's filters: fields and values, operators for comparison, and AND, OR and NOT.

Start at `matches`.
"""

from collections.abc import Callable, Mapping
from operator import ge, gt, le, lt
from typing import Any

from everlore.compat.mem0.errors import InvalidRequest
from everlore.compat.mem0.owners import FIELDS

_LOGIC: dict[str, Callable[[list[bool]], bool]] = {"AND": all, "OR": any, "NOT": lambda found: not any(found)}
_ANYTHING = "*"


def matches(fields: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Whether the fields of a memory match all of the filters."""
    # All of them are looked at, so that a wrong one is an error whatever the others say.
    found = [_is_met(fields, name, wanted) for name, wanted in filters.items()]
    return all(found)


def checked(filters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The filters, or an error if one of them means nothing, even if there are no memories to filter."""
    matches({}, filters)
    return filters


def required(filters: Mapping[str, Any]) -> dict[str, Any]:
    """The values that every match has: those of the top level, and of an AND there."""
    found: dict[str, Any] = {}
    for each in filters.get("AND", ()):
        found |= required(each)
    return found | {name: value for name, value in filters.items() if name not in _LOGIC and _is_plain(value)}


def _is_met(fields: Mapping[str, Any], name: str, wanted: Any) -> bool:
    if name in _LOGIC:
        if not isinstance(wanted, list) or not wanted:
            raise InvalidRequest(f"{name} needs a list of at least one filter.")
        return _LOGIC[name]([matches(fields, each) for each in wanted])
    value = fields.get(name)
    if not isinstance(wanted, Mapping):
        wanted = str(wanted).strip() if name in FIELDS else wanted
        return name in fields if wanted == _ANYTHING else value == wanted
    if unknown := wanted.keys() - _COMPARISONS.keys():
        raise InvalidRequest(f"There is no filter operator {unknown.pop()!r}. Known: {', '.join(_COMPARISONS)}.")
    return all(_COMPARISONS[operator](value, other) for operator, other in wanted.items())


def _is_plain(value: Any) -> bool:
    return not isinstance(value, Mapping | list)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def compared(value: Any, other: Any) -> bool:
        try:
            return value is not None and compare(value, other)
        except TypeError:
            return False

    return compared


def _contains(value: Any, other: Any) -> bool:
    return str(other) in value if isinstance(value, str) else isinstance(value, list) and other in value


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, other: value == other,
    "ne": lambda value, other: value != other,
    "gt": _ordered(gt),
    "gte": _ordered(ge),
    "lt": _ordered(lt),
    "lte": _ordered(le),
    "in": lambda value, other: value in other,
    "nin": lambda value, other: value not in other,
    "contains": _contains,
    "icontains": lambda value, other: str(other).lower() in str(value or "").lower(),
}
