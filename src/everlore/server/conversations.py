"""Routes for conversations: start, find, change, branch, close, and their files."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Header, Query, Request, Response

from everlore.app import Everlore
from everlore.domain.config import ConversationConfig, config_of
from everlore.domain.conversation import Conversation, ConversationState, Message
from everlore.domain.person import Person
from everlore.domain.policy import Act, may
from everlore.errors import BadAsk, Forbidden
from everlore.interchange.chats import MOST_FILE_BYTES as MOST_CHAT_BYTES
from everlore.server.access import SESSION, Lore, received
from everlore.server.routing import Router, upload
from everlore.server.wire import ImportReport, ListOf
from everlore.server.wire_conversations import (
    ConversationChanges,
    ConversationOut,
    ImportedConversation,
    NewBranch,
    NewConversation,
    NewPin,
    RestingOut,
    conversation_out,
)
from everlore.server.wire_memories import MemorySaved, reader_of, saved_out

router = Router(prefix="/api/conversations", tags=["conversations"])
Limit = Annotated[int, Query(ge=1, le=500)]


@router.get("")
async def list_conversations(
    lore: Lore,
    limit: Limit = 50,
    cursor: str | None = None,
    state: ConversationState | None = None,
    inner: Annotated[bool, Query(description="Inner dialogues too.")] = False,
    pinned: Annotated[bool, Query(description="Only those that are pinned, on one page.")] = False,
) -> ListOf[ConversationOut]:
    """The latest activity first."""
    if pinned:
        found = await lore.conversations.pinned(limit=limit)
        return ListOf[ConversationOut](items=await shown(lore, found), next=None)
    page = await lore.conversations.list(state=state, inner=inner, limit=limit, cursor=cursor)
    return ListOf[ConversationOut](items=await shown(lore, page.items), next=page.cursor)


@router.post("", status_code=201)
async def start_conversation(
    lore: Lore, new: NewConversation, session: Annotated[str | None, Header(alias=SESSION)] = None
) -> ConversationOut:
    """A new conversation; with a session id in the header, the caller's own of that id, new only where there is none
    (V11). Whoever sees a part of the workspace gets an id of the server's for it: take the one in the answer, or give
    the session id again."""
    known = await lore.conversations.known(session, user=new.user_id) if session else None
    if known is not None:
        return await _one(lore, known)
    if new.config and not may(lore.scope.role, Act.OWN):
        raise Forbidden(f"The role {lore.scope.role.value} can't change settings. Leave the config out.")
    ids = new.character_ids if new.character_ids is not None else [new.character_id] if new.character_id else []
    if not ids:
        raise BadAsk("No character was given. Send character_id, or character_ids for several.")
    if new.session_id is not None:
        talk = await lore.sessions.talk(new.session_id, ids, user=new.user_id, title=new.title, config=new.config)
        return await _one(lore, talk)
    id = new.id or session
    conversation = await lore.conversations.start(ids, user=new.user_id, id=id, title=new.title, config=new.config)
    return await _one(lore, conversation)


@router.post("/import", status_code=201, openapi_extra=upload(MOST_CHAT_BYTES))
async def import_conversation(
    lore: Lore, request: Request, character_id: str, filename: str = ""
) -> ImportedConversation:
    """A SillyTavern chat (JSON Lines) as the body becomes a conversation with that character."""
    async with received(request) as file:
        conversation, report = await lore.conversations.read_file(file, character=character_id, filename=filename)
    return ImportedConversation(conversation=await _one(lore, conversation), report=ImportReport.of(report))


@router.get("/{id}")
async def get_conversation(lore: Lore, id: str) -> ConversationOut:
    return await _one(lore, await lore.conversations.get(id))


@router.patch("/{id}")
async def change_conversation(lore: Lore, id: str, changes: ConversationChanges) -> ConversationOut:
    sent = {name: getattr(changes, name) for name in changes.model_fields_set}
    # Only for `present` null is a value; for other fields it means the same as leaving them out.
    given = {name: value for name, value in sent.items() if value is not None or name == "present"}
    if "character_ids" in given:
        given["cast"] = given.pop("character_ids")
    return await _one(lore, await lore.conversations.change(id, **given))


@router.delete("/{id}", status_code=204)
async def delete_conversation(lore: Lore, id: str, keep_memories: bool = False) -> None:
    """For good, with all its messages, and with what was learnt of them alone, also if a person edited or corrected it
    since, unless `keep_memories` is asked for. `resting` says beforehand how much that is."""
    await lore.conversations.delete(id, keep_memories=keep_memories)


@router.get("/{id}/resting")
async def get_resting(lore: Lore, id: str) -> RestingOut:
    """How many memories rest on a conversation alone, and would be deleted with it."""
    resting = await lore.conversations.resting(id)
    return RestingOut(memories=len(resting.believed), by_hand=len(resting.by_hand))


@router.get("/{id}/inner")
async def get_inner_dialogue(lore: Lore, id: str) -> ConversationOut:
    """The inner dialogue of a conversation, if there is one: a conversation like any other, which no list shows."""
    return await _one(lore, await lore.conversations.inner(id, make=False))


@router.post("/{id}/inner")
async def make_inner_dialogue(lore: Lore, id: str) -> ConversationOut:
    """The inner dialogue of a conversation, made where there is none yet."""
    return await _one(lore, await lore.conversations.inner(id))


@router.post("/{id}/close")
async def close_conversation(lore: Lore, id: str) -> ConversationOut:
    return await _one(lore, await lore.conversations.close(id))


@router.post("/{id}/branch", status_code=201)
async def branch_conversation(lore: Lore, id: str, branch: NewBranch) -> ConversationOut:
    """A new conversation that shares this one's messages up to and with one of them."""
    return await _one(lore, await lore.conversations.branch(id, branch.message_id, title=branch.title))


@router.post("/{id}/pins", status_code=201)
async def pin_messages(lore: Lore, id: str, pin: NewPin) -> MemorySaved:
    """Up to twenty messages as one memory. What is known already is pinned with them too; `outcome` says so (M8)."""
    return saved_out(await lore.messages.keep(id, **pin.model_dump()), reader_of(lore.scope))


@router.get("/{id}/export", response_class=Response)
async def export_conversation(lore: Lore, id: str) -> Response:
    """The conversation as a SillyTavern chat (JSON Lines)."""
    data = await lore.conversations.write_file(id)
    headers = {"Content-Disposition": f'attachment; filename="{id}.jsonl"'}
    return Response(data, media_type="application/jsonl", headers=headers)


config_router = Router(prefix="/api/config", tags=["conversations"])


@config_router.get("/schema")
async def config_schema() -> dict[str, Any]:
    """The JSON schema of a conversation's config: its fields, their bounds, defaults and meaning, and the `groups` in
    which a form shows them (V6)."""
    return ConversationConfig.model_json_schema()


@config_router.get("")
async def get_usual_config(lore: Lore) -> dict[str, Any]:
    """What new conversations of the workspace are set up with, where it differs from the defaults."""
    return await lore.conversations.usual()


@config_router.put("")
async def set_usual_config(lore: Lore, config: dict[str, Any]) -> dict[str, Any]:
    """From now on new conversations are set up so; those that there are stay as they are."""
    return await lore.conversations.make_usual(config)


async def _one(lore: Everlore, conversation: Conversation) -> ConversationOut:
    return (await shown(lore, [conversation]))[0]


async def shown(lore: Everlore, conversations: Sequence[Conversation]) -> list[ConversationOut]:
    ids = {id for each in conversations for id in each.system_ids}
    persons = {person.id: person for person in await lore.store.get_many(lore.scope, Person, ids)}
    return [await _shown(lore, each, persons) for each in conversations]


async def _shown(lore: Everlore, conversation: Conversation, persons: dict[str, Person]) -> ConversationOut:
    where = {"conversation_id": conversation.id, "hidden": False}
    last = (await lore.store.find(lore.scope, Message, where, limit=1, newest_first=True)).items
    return conversation_out(
        conversation,
        persons,
        last[0] if last else None,
        await lore.backends.endpoint_for(lore.scope, config=config_of(conversation.config)),
        message_count=await lore.conversations.count_messages(conversation.id),
        writing=lore.turns.writing(conversation.id) is not None
        or (bool(last) and lore.turns.is_being_written(last[0])),
    )
