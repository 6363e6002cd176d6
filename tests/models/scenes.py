"""Scenes for the built-in voice: who speaks, what was said before, what is remembered."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from everlore.domain.claim import Claim, with_claim
from everlore.domain.conversation import Author, Message
from everlore.domain.memory import Memory
from everlore.domain.person import Person, PersonKind
from everlore.models.chat import Scene

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def person(name: str = "Nova", **fields: Any) -> Person:
    known = {"workspace": "one", "id": name.lower(), "created_at": NOON, "updated_at": NOON}
    return Person(name=name, **{**known, **fields})


def user(name: str = "User") -> Person:
    return person(name, kind=PersonKind.USER)


def line(text: str, minute: float = 0, author: Author = Author.USER, **fields: Any) -> Message:
    at = NOON + timedelta(minutes=minute)
    known = {"workspace": "one", "id": f"m{minute}-{author}", "conversation_id": "chat"}
    return Message(author=author, content=text, created_at=at, updated_at=at, **{**known, **fields})


def memory(content: str, minute: float = 0, **claim: Any) -> Memory:
    """`claim`: what it is known to say, if anything."""
    at = NOON + timedelta(minutes=minute)
    extra = with_claim({}, Claim(**claim) if claim else None)
    id = f"k{minute}-{content[:20]}"
    return Memory(workspace="one", id=id, content=content, extra=extra, created_at=at, updated_at=at)


def talk(*texts: str, start: float = 0, chat: str = "chat") -> list[Message]:
    """Messages of the user, each answered with a short reply."""
    said: list[Message] = []
    for place, text in enumerate(texts):
        at = start + 2 * place
        said.append(line(text, at, conversation_id=chat, id=f"{chat}-{at}"))
        said.append(line("I see.", at + 1, Author.ASSISTANT, conversation_id=chat, id=f"{chat}-{at + 1}"))
    return said


def scene(
    asked: str,
    *,
    before: Sequence[str] = (),
    memories: Sequence[str | Memory] = (),
    earlier: Sequence[str] = (),
    character: Person | None = None,
    user: Person | None = None,
    learned: Sequence[str] = (),
) -> Scene:
    """The last message is `asked`; `before` was said in the same conversation, `earlier` in one before it; `learned` is
    learned from it."""
    kept = [each if isinstance(each, Memory) else memory(each, -500) for each in memories]
    return Scene(
        character=character or person(),
        user=user,
        history=(*talk(*before), line(asked, 900, id=f"asked-{asked[:40]}")),
        memories=tuple(kept),
        earlier=tuple(talk(*earlier, start=-1_000, chat="before")),
        learned=tuple(learned),
    )
