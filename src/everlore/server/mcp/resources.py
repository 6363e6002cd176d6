"""The resources, as text that a model can read: a memory with the words it came from, and a conversation (9-surfaces).

Start at `RESOURCES`.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping

from everlore.app import Everlore
from everlore.domain.conversation import Message
from everlore.domain.display import display
from everlore.domain.memory import CONVERSATION_URI, Memory
from everlore.errors import NotFound
from everlore.server.mcp.person_names import PersonNames, names_of

_MOST_LINES = 200
_MOST_SOURCES = 50
_MINUTE = "%Y-%m-%d %H:%M"


async def memory(lore: Everlore, id: str) -> str:
    """A memory with all its details and the messages that it came from."""
    found = await lore.memories.get(id)
    messages = (await lore.memories.source(id))[:_MOST_SOURCES]
    # The caller may know a shared memory without having a part in the conversation it came from.
    places = await _open(lore, [found.conversation_id, *(each.conversation_id for each in messages)])
    sources = [each for each in messages if each.conversation_id in places]
    names = await names_of(lore, (*found.persons, *(each.person_id for each in sources)))
    told = [found.content, "\n".join(_facts(found, names, places))]
    if lines := list(_lines(sources, names, with_place=True)):
        told.append("\n".join(["Said in:", *lines]))
    return "\n\n".join(told)


async def _open(lore: Everlore, ids: Iterable[str | None]) -> frozenset[str]:
    """Which of these conversations the caller may read."""
    found: set[str] = set()
    for id in {id for id in ids if id is not None}:
        try:
            found.add((await lore.conversations.get(id)).id)
        except NotFound:
            continue
    return frozenset(found)


def _facts(memory: Memory, names: PersonNames, places: frozenset[str]) -> Iterator[str]:
    yield f"Type: {memory.type.value}"
    yield f"Status: {memory.status.value}"
    yield f"Importance: {memory.importance} of 10"
    if persons := names.of(memory.persons):
        yield f"Of: {', '.join(persons)}"
    yield f"Kept: {memory.created_at:{_MINUTE}} (by {memory.origin.value})"
    if memory.valid_from is not None:
        yield f"Holds since: {memory.valid_from:{_MINUTE}}"
    if memory.valid_to is not None:
        yield f"Held until: {memory.valid_to:{_MINUTE}}"
    if memory.superseded_by is not None:
        yield f"Superseded by: everlore://memory/{memory.superseded_by}"
    if memory.source_uri and (memory.conversation_id in places or not memory.source_uri.startswith(CONVERSATION_URI)):
        yield f"Source: {memory.source_uri}"
    if memory.conversation_id in places:
        yield f"Conversation: everlore://conversation/{memory.conversation_id}"


async def conversation(lore: Everlore, id: str) -> str:
    """A conversation: its participants, a summary of the older part, and the latest messages."""
    found = await lore.conversations.get(id)
    page = await lore.messages.list(id, limit=_MOST_LINES, newest_first=True)
    messages = list(reversed(page.items))
    before = min((each.seq for each in messages), default=1)
    names = await names_of(lore, (*found.system_ids, found.user_id, *(each.person_id for each in messages)))
    told = [found.title or "A conversation", f"With: {', '.join(names.of((*found.system_ids, found.user_id or '')))}"]
    if before > 1:
        summary = await lore.learning.summary_before(id, before)
        told.append(f"{before - 1} earlier messages are left out here.{f' In short: {summary}' if summary else ''}")
    told.append("\n".join(_lines(messages, names)) or "Nothing has been said yet.")
    return "\n\n".join(told)


def _lines(messages: Iterable[Message], names: PersonNames, *, with_place: bool = False) -> Iterator[str]:
    """The text of them that a reader sees, without what is hidden from every prompt."""
    for each in messages:
        text = "" if each.hidden else display(each.content).text.strip()
        if text:
            place = f" (everlore://conversation/{each.conversation_id})" if with_place else ""
            yield f"[{each.created_at:{_MINUTE}}] {names.one(each.person_id, each.author.value)}{place}: {text}"


ResourceFunction = Callable[[Everlore, str], Awaitable[str]]
RESOURCES: Mapping[str, ResourceFunction] = {
    "everlore://memory/{id}": memory,
    "everlore://conversation/{id}": conversation,
}
