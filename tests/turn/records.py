"""Persons and messages for the rules of a turn."""

from datetime import UTC, datetime, timedelta
from typing import Any

from everlore.domain.conversation import Author, Message
from everlore.domain.person import Person

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def person(name: str, **fields: Any) -> Person:
    known = {"workspace": "one", "id": name.lower(), "created_at": NOON, "updated_at": NOON}
    return Person(name=name, **{**known, **fields})


def message(content: str, author: Author = Author.USER, *, after: timedelta = timedelta(0), **fields: Any) -> Message:
    at = NOON + after
    known = {"workspace": "one", "id": f"{author}-{at}", "conversation_id": "chat", "created_at": at, "updated_at": at}
    return Message(author=author, content=content, **{**known, **fields})
