"""A workspace as readable Markdown: its persons, memories with their sources, and messages (M13).

For reading, not for importing. Text of users and models is quoted and escaped: it cannot become a heading, a link or
HTML of the page (S-6). Start at `export`.
"""

import re
from collections.abc import AsyncIterator, Mapping
from datetime import datetime

from everlore.domain.conversation import Conversation, Message, is_withdrawn, said_by
from everlore.domain.memory import Memory, Status
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.store.all_pages import each_of
from everlore.store.port import Store

_MARKS = re.compile(r"([\\`*_{}\[\]<>#+!|~&])")
_SHOWN = (Status.ACTIVE, Status.PENDING, Status.SUPERSEDED)
_STATES = {Status.PENDING: "waits for approval", Status.SUPERSEDED: "no longer holds"}
_ABOUT = ("description", "personality", "scenario")


async def export(store: Store, scope: Scope, at: datetime) -> AsyncIterator[bytes]:
    """Yields the page in pieces while reading, so concurrent changes may show in one part only."""
    names = {person.id: person.name async for person in each_of(store, scope, Person)}
    yield _text(f"# {escaped(scope.workspace)}", f"As of {day_of(at)}.", "## People")
    async for person in each_of(store, scope, Person):
        yield _text(*person_lines(person))
    yield _text("## Memories")
    async for memory in each_of(store, scope, Memory):
        if memory.status in _SHOWN:
            yield memory_line(memory, names, await _talk_of(store, scope, memory)).encode()
    yield _text("", "## Conversations")
    async for conversation in each_of(store, scope, Conversation):
        yield _text(*heading_of(conversation, names))
        async for message in each_of(store, scope, Message, {"conversation_id": conversation.id}):
            yield _text(*message_lines(message, names))


async def _talk_of(store: Store, scope: Scope, memory: Memory) -> Conversation | None:
    if memory.conversation_id is None:
        return None
    found = await store.get_many(scope, Conversation, [memory.conversation_id])
    return found[0] if found else None


def person_lines(person: Person) -> list[str]:
    lines = [f"### {escaped(person.name)}", person.kind.value.capitalize()]
    return lines + [quoted(getattr(person, name)) for name in _ABOUT if getattr(person, name).strip()]


def memory_line(memory: Memory, names: Mapping[str, str], talk: Conversation | None) -> str:
    """Renders `- 2026-03-01: Ada lives in Bergen. (Ada, fact, importance 9; from “At sea”)`."""
    about = [", ".join(escaped(names.get(id, id)) for id in memory.persons)] if memory.persons else []
    about += [memory.type.value.lower().replace("_", " "), f"importance {memory.importance}"]
    notes = [", ".join(about)]
    if talk is not None:
        notes.append(f"from “{title_of(talk)}”, {day_of(talk.created_at)}")
    elif memory.source_uri:
        notes.append(f"from {escaped(memory.source_uri)}")
    if memory.valid_to is not None:
        notes.append(f"until {day_of(memory.valid_to)}")
    if memory.status in _STATES:
        notes.append(_STATES[memory.status])
    return f"- {day_of(memory.created_at)}: {escaped(memory.content)} ({'; '.join(notes)})\n"


def heading_of(conversation: Conversation, names: Mapping[str, str]) -> list[str]:
    persons = [*conversation.system_ids, *([conversation.user_id] if conversation.user_id else [])]
    who = ", ".join(escaped(names.get(id, id)) for id in persons)
    return [f"### {title_of(conversation)}", f"{day_of(conversation.created_at)}. {who}"]


def message_lines(message: Message, names: Mapping[str, str]) -> list[str]:
    who = escaped(said_by(message) or names.get(message.person_id or "", message.author.value))
    mark = " (withdrawn)" if is_withdrawn(message) else ""
    return [f"**{who}**, {message.created_at:%Y-%m-%d %H:%M}{mark}:", quoted(message.content)]


def title_of(conversation: Conversation) -> str:
    return escaped(conversation.title) or "Untitled"


def day_of(at: datetime) -> str:
    return at.strftime("%Y-%m-%d")


def escaped(text: str) -> str:
    """One line without active Markdown or HTML."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def quoted(text: str) -> str:
    """A block quote that keeps the lines."""
    return "\n".join(f"> {escaped(line)}".rstrip() for line in text.splitlines() or [""])


def _text(*paragraphs: str) -> bytes:
    return ("\n\n".join(paragraphs) + "\n\n").encode()
