"""Patterns that can be counted in events and stated without guessing, without a model (C6). Pure.

Start at `patterns_of`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from everlore.domain.event import Event
from everlore.domain.outline import one_line

_OFTEN = 3
_MOST_TOOLS = 3
_HALF = 0.5
_LEAST_EVENTS = 10
_WINDOW_H = 4
_MOST_OF_IT = 0.6
_DAY_H = 24
# Tags that every event of a kind has are no topics.
_EVERYDAY = frozenset("tool error file read write approval rejection code chat".split())


def patterns_of(tools: Sequence[Event], events: Sequence[Event], *, most: int) -> tuple[str, ...]:
    """Patterns of a week. `most`: the limit of the reads; if it was reached, there may be more."""
    return (*_used(tools, most), *_failing(tools), *_hours(events))


def _used(tools: Sequence[Event], most: int) -> Iterator[str]:
    at_least = "at least " if len(tools) >= most else ""
    for name, count in Counter(map(_name, tools)).most_common(_MOST_TOOLS):
        if name and count >= _OFTEN:
            yield f"uses {name} often ({at_least}{count} times this week)"


def _failing(tools: Sequence[Event]) -> Iterator[str]:
    called = Counter(map(_name, tools))
    failed = Counter(_name(each) for each in tools if each.metadata.get("success") is False)
    for name, count in failed.most_common(_MOST_TOOLS):
        if name and called[name] >= _OFTEN and count / called[name] >= _HALF:
            yield f"{name} fails often ({count} of {called[name]} times this week)"


def _hours(events: Sequence[Event]) -> Iterator[str]:
    if len(events) < _LEAST_EVENTS:
        return
    hours = Counter(each.at.hour for each in events)
    begin = max(range(_DAY_H), key=lambda hour: (_in_window(hours, hour), -hour))
    if _in_window(hours, begin) / len(events) >= _MOST_OF_IT:
        yield f"mostly active between {begin:02}:00 and {(begin + _WINDOW_H) % _DAY_H:02}:00 UTC"


def _in_window(hours: "Counter[int]", begin: int) -> int:
    return sum(hours[(begin + each) % _DAY_H] for each in range(_WINDOW_H))


def topics_of(titles: Sequence[str], events: Sequence[Event], *, most: int) -> tuple[str, ...]:
    """Recent topics: titles of conversations, then the tags of events."""
    tools = {_name(each) for each in events}
    tags = (tag for each in events for tag in each.tags if tag.lower() not in _EVERYDAY and tag not in tools)
    # File extensions are no topics either.
    found = (one_line(text, 100) for text in (*titles, *(tag for tag in tags if len(tag) > 4 or " " in tag)))
    return tuple(dict.fromkeys(text for text in found if text))[:most]


def _name(event: Event) -> str:
    return one_line(str(event.metadata.get("tool_name", "")), 100)
