"""Reads the messages that are given to `add`: a text, a message, or a list of messages.

Start at `lines_of`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from everlore.compat.mem0.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class Line:
    """`actor` is the name that a message gives its author."""

    role: str
    content: str
    actor: str | None = None

    @property
    def source(self) -> dict[str, str]:
        return {"role": self.role} | ({"actor_id": self.actor} if self.actor else {})


def lines_of(messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> list[Line]:
    """In order, without system messages, pictures and messages without a text."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    elif isinstance(messages, Mapping):
        messages = [messages]
    elif not isinstance(messages, list):
        raise InvalidRequest(f"messages is a {type(messages).__name__}; give a text, a dict, or a list of dicts.")
    read = [_line_of(each) for each in messages if isinstance(each, Mapping)]
    return [each for each in read if each.content.strip() and each.role not in ("", "system")]


def _line_of(message: Mapping[str, Any]) -> Line:
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(str(part["text"]) for part in content if isinstance(part, Mapping) and part.get("text"))
    return Line(str(message.get("role") or ""), content if isinstance(content, str) else "", message.get("name"))
