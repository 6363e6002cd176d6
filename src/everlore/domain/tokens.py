"""`${memory.<id>}` in a message: a memory that the message tells (R10).

In: the words of a message. Out: the ids in it, or the words with replacements. Start at `told_in`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

# An id has no marks of a token, and is no template variable, because users discuss these too.
_TOKEN = re.compile(r"\$\{memory\.(?!(?:context|relationship|facts|lastSession|count)\})([^\s${}]{1,200})\}")
# A normal message has fewer.
MOST_TOLD = 20
# The key in a message for the result of its tokens.
TOLD = "gossip"


def token_of(memory_id: str) -> str:
    return f"${{memory.{memory_id}}}"


def told_in(text: str) -> tuple[str, ...]:
    """The ids of the memories that a text tells, without duplicates, in order."""
    if "${memory." not in text:
        return ()
    return tuple(dict.fromkeys(_TOKEN.findall(text)))


def with_told(text: str, word: Callable[[str], str]) -> str:
    """The text with `word(id)` in place of each token."""
    return _TOKEN.sub(lambda found: word(found.group(1)), text) if "${memory." in text else text


def without_told(text: str) -> str:
    """The text without tokens: the told memories were learned long ago (M16)."""
    return with_told(text, lambda _id: "")


def unresolved_in(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids in a message that could not be resolved. The reason is not revealed: an id of somebody else's memory
    looks like one that never existed (R10)."""
    mark = metadata.get(TOLD)
    found = mark.get("unresolved") if isinstance(mark, dict) else None
    ids = [each.get("id") if isinstance(each, dict) else each for each in found] if isinstance(found, list) else []
    return tuple(id for id in ids if isinstance(id, str))


def told_with(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids of the memories that a message told when it was sent, from its metadata."""
    mark = metadata.get(TOLD)
    told = mark.get("told") if isinstance(mark, dict) else None
    return tuple(id for id in told if isinstance(id, str)) if isinstance(told, list) else ()
