"""`${memory.<id>}` in what somebody says: a memory that is told with it (R10).

In: the words of a message. Out: the ids in it, or the words with something else in their place. Start at
`told_in`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

# An id is anything without the marks of a token, and no variable of a template: those are talked about too.
_TOKEN = re.compile(r"\$\{memory\.(?!(?:context|relationship|facts|lastSession|count)\})([^\s${}]{1,200})\}")
# More of them than this in one message is no talk.
MOST_TOLD = 20
# Under this name a message keeps what became of its tokens.
TOLD = "gossip"


def token_of(memory_id: str) -> str:
    return f"${{memory.{memory_id}}}"


def told_in(text: str) -> tuple[str, ...]:
    """The ids of the memories that a text tells, each once, in order."""
    if "${memory." not in text:
        return ()
    return tuple(dict.fromkeys(_TOKEN.findall(text)))


def with_told(text: str, word: Callable[[str], str]) -> str:
    """The text with `word(id)` in the place of each token."""
    return _TOKEN.sub(lambda found: word(found.group(1)), text) if "${memory." in text else text


def without_told(text: str) -> str:
    """The text alone: what is told with it was learnt long ago (M16)."""
    return with_told(text, lambda _id: "")


def unresolved_in(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids that a message named and that came to nothing. Why they did is nobody's business: one that is another's
    looks like one that never was (R10)."""
    mark = metadata.get(TOLD)
    found = mark.get("unresolved") if isinstance(mark, dict) else None
    ids = [each.get("id") if isinstance(each, dict) else each for each in found] if isinstance(found, list) else []
    return tuple(id for id in ids if isinstance(id, str))


def told_with(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids of the memories that a message told when it was said, by its metadata."""
    mark = metadata.get(TOLD)
    told = mark.get("told") if isinstance(mark, dict) else None
    return tuple(id for id in told if isinstance(id, str)) if isinstance(told, list) else ()
