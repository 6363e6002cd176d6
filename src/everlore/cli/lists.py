"""The commands that list people and chats: characters, conversations."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

from everlore.cli.commands import Answer
from everlore.cli.options import Cursor, option
from everlore.cli.output import more_lines, shown, when

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.conversation import Conversation
    from everlore.domain.person import Person
    from everlore.store.answers import Page


async def characters(
    lore: "Everlore",
    limit: Annotated[int, option("--limit", "N", "Maximum number of people.")] = 50,
    cursor: Cursor = None,
) -> Answer:
    """List the people: characters, narrators, and you."""
    page = await lore.characters.list(limit=limit, cursor=cursor)
    items = [_person_document(person) for person in page.items]
    return Answer({"items": items, "next": page.cursor}, _person_lines(page))


async def conversations(
    lore: "Everlore",
    limit: Annotated[int, option("--limit", "N", "Maximum number of conversations.")] = 50,
    cursor: Cursor = None,
) -> Answer:
    """List conversations, newest first.

    Continue one with `everlore chat --conversation ID`.
    """
    page = await lore.conversations.list(limit=limit, cursor=cursor)
    counts = {each.id: await lore.conversations.count_messages(each.id) for each in page.items}
    names = await lore.characters.names(id for each in page.items for id in each.system_ids)
    items = [_conversation_document(each, names, counts[each.id]) for each in page.items]
    return Answer({"items": items, "next": page.cursor}, _conversation_lines(page, names, counts))


def _person_document(person: "Person") -> dict[str, object]:
    return {
        "id": person.id,
        "name": person.name,
        "kind": person.kind,
        "tags": person.tags,
        "created_at": person.created_at,
        "updated_at": person.updated_at,
    }


def _person_lines(page: "Page") -> Iterator[str]:
    if not page.items:
        yield "No characters yet. `everlore chat` creates one, `everlore import` imports a card."
    for person in page.items:
        tags = f"  [{', '.join(map(shown, person.tags))}]" if person.tags else ""
        yield f"{person.kind:<9}  {shown(person.id)}  {shown(person.name)}{tags}"
    yield from more_lines(page.cursor)


def _conversation_document(conversation: "Conversation", names: Mapping[str, str], count: int) -> dict[str, object]:
    return {
        "id": conversation.id,
        "title": conversation.title,
        "characters": [{"id": id, "name": names.get(id, "")} for id in conversation.system_ids],
        "messages": count,
        "state": conversation.state,
        "private": conversation.private,
        "updated_at": conversation.updated_at,
    }


def _conversation_lines(page: "Page", names: Mapping[str, str], counts: Mapping[str, int]) -> Iterator[str]:
    if not page.items:
        yield "No conversations. `everlore chat` starts one."
    for each in page.items:
        cast = ", ".join(names.get(id, "(deleted)") for id in each.system_ids)
        title = f"  {each.title}" if each.title else ""
        yield f"{shown(each.id)}  {when(each.updated_at)}  {counts[each.id]:>5} messages  {shown(cast + title)}"
    yield from more_lines(page.cursor)
