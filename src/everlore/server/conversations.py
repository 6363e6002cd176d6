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
    inner: Annotated[bool, Query(description="Include inner dialogues.")] = False,
    pinned: Annotated[bool, Query(description="Only pinned conversations, on one page.")] = False,
) -> ListOf[ConversationOut]:
    """Lists conversations by their latest activity, newest first."""
    if pinned:
        found = await lore.conversations.pinned(limit=limit)
        return ListOf[ConversationOut](items=await shown(lore, found), next=None)
    page = await lore.conversations.list(state=state, inner=inner, limit=limit, cursor=cursor)
    return ListOf[ConversationOut](items=await shown(lore, page.items), next=page.cursor)


@router.post("", status_code=201)
async def start_conversation(
    lore: Lore, new: NewConversation, session: Annotated[str | None, Header(alias=SESSION)] = None
) -> ConversationOut:
    """Starts a conversation. With a session id in the header, returns the caller's own conversation with that id, and
    starts one only if there is none. Callers with partial access get an id from the server instead: use the id in the
    answer, or send the session id again."""
    known = await lore.conversations.known(session, user=new.user_id) if session else None
    if known is not None:
        return await _one(lore, known)
    if new.config and not may(lore.scope.role, Act.OWN):
        raise Forbidden(f"The role {lore.scope.role.value} can't change settings. Leave the config out.")
    ids = new.character_ids if new.character_ids is not None else [new.character_id] if new.character_id else []
    if not ids:
        raise BadAsk("A character is missing. Send character_id, or character_ids for several.")
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
    """Imports a SillyTavern chat (JSON Lines) as a conversation with that character."""
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
    """Deletes a conversation for good, with its messages and the memories learned only from them, even if a person
    edited or corrected those; `keep_memories` keeps them. `resting` returns beforehand how many there are."""
    await lore.conversations.delete(id, keep_memories=keep_memories)


@router.get("/{id}/resting")
async def get_resting(lore: Lore, id: str) -> RestingOut:
    """Counts the memories that come from this conversation only and would be deleted with it."""
    resting = await lore.conversations.resting(id)
    return RestingOut(memories=len(resting.believed), by_hand=len(resting.by_hand))


@router.get("/{id}/inner")
async def get_inner_dialogue(lore: Lore, id: str) -> ConversationOut:
    """Returns the inner dialogue of a conversation, if there is one. Lists leave it out by default."""
    return await _one(lore, await lore.conversations.inner(id, make=False))


@router.post("/{id}/inner")
async def make_inner_dialogue(lore: Lore, id: str) -> ConversationOut:
    """Returns the inner dialogue of a conversation, and creates it if there is none."""
    return await _one(lore, await lore.conversations.inner(id))


@router.post("/{id}/close")
async def close_conversation(lore: Lore, id: str) -> ConversationOut:
    return await _one(lore, await lore.conversations.close(id))


@router.post("/{id}/branch", status_code=201)
async def branch_conversation(lore: Lore, id: str, branch: NewBranch) -> ConversationOut:
    """Starts a conversation that shares this one's messages up to and including one of them."""
    return await _one(lore, await lore.conversations.branch(id, branch.message_id, title=branch.title))


@router.post("/{id}/pins", status_code=201)
async def pin_messages(lore: Lore, id: str, pin: NewPin) -> MemorySaved:
    """Saves up to twenty messages as one memory. A known one gets them as further sources; `outcome` says so."""
    return saved_out(await lore.messages.keep(id, **pin.model_dump()), reader_of(lore.scope))


@router.get("/{id}/export", response_class=Response)
async def export_conversation(lore: Lore, id: str) -> Response:
    """Exports the conversation as a SillyTavern chat (JSON Lines)."""
    data = await lore.conversations.write_file(id)
    headers = {"Content-Disposition": f'attachment; filename="{id}.jsonl"'}
    return Response(data, media_type="application/jsonl", headers=headers)


config_router = Router(prefix="/api/config", tags=["conversations"])


@config_router.get("/schema")
async def config_schema() -> dict[str, Any]:
    """Returns the JSON schema of a conversation's config: fields, bounds, defaults, descriptions, and the `groups` in
    which a form shows them."""
    return ConversationConfig.model_json_schema()


@config_router.get("")
async def get_usual_config(lore: Lore) -> dict[str, Any]:
    """Returns the workspace's settings for new conversations, where they differ from the defaults."""
    return await lore.conversations.usual()


@config_router.put("")
async def set_usual_config(lore: Lore, config: dict[str, Any]) -> dict[str, Any]:
    """Sets the config of new conversations. Existing conversations stay as they are."""
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
