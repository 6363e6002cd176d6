"""The verbs that say who and what is here: characters, conversations."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from everlore.cli.options import AsJson, Cursor, Db, Workspace
from everlore.cli.output import emit, shown
from everlore.cli.session import CommandOptions, with_lore

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.conversation import Conversation
    from everlore.domain.person import Person
    from everlore.store.port import Page


def characters(
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Maximum number of people.")] = 50,
    cursor: Cursor = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List the people of the workspace: characters, narrators, and you."""

    async def find(lore: "Everlore") -> "Page":
        return await lore.characters.list(limit=limit, cursor=cursor)

    page = with_lore(CommandOptions(db, workspace, as_json), find)
    items = [_person_document(person) for person in page.items]
    emit(as_json, {"items": items, "next": page.cursor}, _person_lines(page))


def conversations(
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Maximum number of conversations.")] = 50,
    cursor: Cursor = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List conversations, newest first.

    Continue one with `everlore chat --conversation ID`.
    """

    async def find(lore: "Everlore") -> "tuple[Page, Mapping[str, str], Mapping[str, int]]":
        from everlore.domain.person import Person

        page = await lore.conversations.list(limit=limit, cursor=cursor)
        ids = {id for each in page.items for id in each.system_ids}
        counts = {each.id: await lore.conversations.count_messages(each.id) for each in page.items}
        return page, {each.id: each.name for each in await lore.store.get_many(lore.scope, Person, ids)}, counts

    page, names, counts = with_lore(CommandOptions(db, workspace, as_json), find)
    items = [_conversation_document(each, names, counts[each.id]) for each in page.items]
    emit(as_json, {"items": items, "next": page.cursor}, _conversation_lines(page, names, counts))


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
    if page.cursor is not None:
        yield f"(more: --cursor {page.cursor})"


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
        when = f"{each.updated_at.astimezone():%Y-%m-%d %H:%M}"
        title = f"  {each.title}" if each.title else ""
        yield f"{shown(each.id)}  {when}  {counts[each.id]:>5} messages  {shown(cast + title)}"
    if page.cursor is not None:
        yield f"(more: --cursor {page.cursor})"
