"""Routes for messages: history, the turn (buffered, or as server-sent events), and actions on a reply.

Both modes run the same turn; it continues when the client disconnects, which finds the reply in the history or at
`…/stream` (V2).
"""

import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel

from everlore.app import Everlore
from everlore.campaign.roles import speaker_names
from everlore.domain.campaign import Campaign
from everlore.domain.config import config_of
from everlore.domain.conversation import Author, Message, MessageState
from everlore.server.access import Lore
from everlore.server.problems import problem
from everlore.server.routing import Router
from everlore.server.wire_conversations import (
    Choice,
    Deleted,
    HowToAnswer,
    MessageChanges,
    MessageHit,
    MessageHits,
    MessageList,
    MessageOut,
    NewMessage,
    Restored,
    Stopped,
    Turn,
    message_out,
)
from everlore.services.message_search import MessageMatch
from everlore.turn.reply_writer import Writing

router = Router(prefix="/api/conversations/{id}", tags=["messages"])
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "model": Turn,
        "description": "The turn; with `stream`, the events `turn`, `delta` … and `done`.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    },
    502: {"description": "The model failed. The message is saved. The reply says why; regenerate it to try again."},
}

Show = Callable[[Message], MessageOut]

search_router = Router(prefix="/api/messages", tags=["messages"])


@search_router.get("/search")
async def search_messages(
    lore: Lore,
    query: Annotated[str, Query(description="Words that a message must all contain; “…” for a phrase.")],
    conversation_id: str | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: str | None = None,
) -> MessageHits:
    """Searches messages by their text. In one conversation, returns the newest first. In all conversations that the
    caller may open, except private ones, returns at most ten of each, the latest conversation first. Deleted and
    withdrawn messages are not found."""
    page = await lore.messages.search(query, conversation_id=conversation_id, limit=limit, cursor=cursor)
    matches: Sequence[MessageMatch] = page.items
    ids = (id for each in matches for id in (each.message.person_id, *each.conversation.system_ids))
    names = await lore.characters.names(ids)
    return MessageHits(items=[_hit(each, names) for each in matches], next=page.cursor)


def _hit(match: MessageMatch, names: Mapping[str, str]) -> MessageHit:
    chat, message = match.conversation, match.message
    with_whom = ", ".join(names[id] for id in chat.system_ids if id in names)
    return MessageHit(
        conversation_id=chat.id,
        conversation_title=chat.title or f"Chat with {with_whom or 'nobody'}",
        conversation_icon=chat.icon,
        conversation_state=chat.state,
        message_id=message.id,
        seq=message.seq,
        author=message.author,
        name=names.get(message.person_id or "", ""),
        excerpt=match.excerpt,
        created_at=message.created_at,
    )


@router.get("/messages")
async def list_messages(
    lore: Lore,
    id: str,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
    cursor: str | None = None,
    newest_first: bool = False,
) -> MessageList:
    """Returns a page of messages, with the summary of the messages before it, if there is one."""
    page = await lore.messages.list(id, limit=limit, cursor=cursor, newest_first=newest_first)
    names = await names_in(lore, id, page.items)
    first = min((each.seq for each in page.items), default=0)
    summary = await lore.learning.summary_before(id, first)
    told = await lore.messages.told(page.items)
    items = [message_out(each, names, told) for each in page.items]
    return MessageList(items=items, next=page.cursor, summary=summary)


@router.post("/messages", response_model=Turn, responses=_STREAM)
async def say(lore: Lore, id: str, new: NewMessage) -> Response:
    """Sends a message. It is saved before the model is called."""
    author = Author.NARRATOR if new.as_narrator else Author.USER
    if not new.reply:
        message = await lore.turns.note(id, new.content, author=author, person_id=new.person_id)
        return _json(Turn(user_message=await _one(lore, message), reply=None))
    writing = await lore.turns.say(id, new.content, author=author, person_id=new.person_id, speaker_id=new.speaker_id)
    return await _answer(lore, id, writing, new.stream)


@router.post("/messages/{message_id}/regenerate", response_model=Turn, responses=_STREAM)
async def regenerate(lore: Lore, id: str, message_id: str, how: HowToAnswer | None = None) -> Response:
    """Regenerates a reply. Earlier versions stay as alternatives. Also retries after a failure."""
    writing = await lore.turns.regenerate(id, message_id)
    return await _answer(lore, id, writing, how.stream if how else None)


@router.post("/messages/{message_id}/continue", response_model=Turn, responses=_STREAM)
async def go_on(lore: Lore, id: str, message_id: str, how: HowToAnswer | None = None) -> Response:
    """Continues a reply."""
    writing = await lore.turns.go_on(id, message_id)
    return await _answer(lore, id, writing, how.stream if how else None)


@router.post("/messages/{message_id}/choose")
async def choose(lore: Lore, id: str, message_id: str, choice: Choice) -> MessageOut:
    return await _one(lore, await lore.messages.choose(id, message_id, choice.index))


@router.post("/messages/{message_id}/restore")
async def restore_message(lore: Lore, id: str, message_id: str) -> Restored:
    """Restores a withdrawn message, with all that were withdrawn together with it."""
    restored = await lore.messages.restore(id, message_id)
    return Restored(restored=[each.id for each in restored])


@router.get("/messages/{message_id}")
async def get_message(lore: Lore, id: str, message_id: str) -> MessageOut:
    return await _one(lore, await lore.messages.get(id, message_id))


@router.patch("/messages/{message_id}")
async def edit_message(lore: Lore, id: str, message_id: str, changes: MessageChanges) -> MessageOut:
    message = await lore.messages.edit(id, message_id, content=changes.content, hidden=changes.hidden)
    return await _one(lore, message)


@router.delete("/messages/{message_id}")
async def delete_message(lore: Lore, id: str, message_id: str, from_here: bool = False) -> Deleted:
    return Deleted(deleted=list(await lore.messages.remove(id, message_id, from_here=from_here)))


@router.post("/stop")
async def stop(lore: Lore, id: str) -> Stopped:
    """Stops the reply that is being written. The text so far stays."""
    await lore.conversations.get(id)
    reply = await lore.turns.stop(id)
    shown = await _one(lore, reply) if reply else None
    return Stopped(stopped=reply is not None, reply=shown)


@router.get("/stream", response_class=StreamingResponse, responses={204: {"description": "No reply is being written."}})
async def follow(lore: Lore, id: str) -> Response:
    """Streams the reply that is being written, from its first word, for a client that reconnects."""
    await lore.conversations.get(id)
    writing = await lore.turns.follow(id)
    if writing is None:
        # Not an error: the reply may have just ended, and is in the messages.
        return Response(status_code=204)
    return _events(writing, await _shown_as(lore, writing))


async def _one(lore: Everlore, message: Message) -> MessageOut:
    names = await names_in(lore, message.conversation_id, [message])
    return message_out(lore.messages.as_read(message), names, await lore.messages.told([message]))


async def _shown_as(lore: Everlore, writing: Writing) -> Show:
    """The form of the messages of a turn."""
    said = [writing.user_message] if writing.user_message else []
    names = await names_in(lore, writing.begun.conversation_id, said)
    told = await lore.messages.told(said)
    return lambda message: message_out(lore.messages.as_read(message), names, told)


async def _answer(lore: Everlore, id: str, writing: Writing, stream: bool | None) -> Response:
    show = await _shown_as(lore, writing)
    if stream if stream is not None else await _streams(lore, id):
        return _events(writing, show)
    turn = _turn(writing, await writing.reply(), show)
    reply = turn.reply
    if reply is not None and reply.error and reply.state is MessageState.FAILED:
        return problem(502, reply.error, type="urn:everlore:problem:model-misbehaved", **turn.model_dump(mode="json"))
    return _json(turn)


async def _streams(lore: Everlore, id: str) -> bool:
    return config_of((await lore.conversations.get(id)).config).stream


def _turn(writing: Writing, reply: Message, show: Show) -> Turn:
    said = writing.user_message
    return Turn(user_message=show(said) if said else None, reply=show(reply))


def _events(writing: Writing, show: Show) -> StreamingResponse:
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(_stream(writing, show), media_type="text/event-stream", headers=headers)


async def _stream(writing: Writing, show: Show) -> AsyncIterator[str]:
    yield _event("turn", _turn(writing, writing.begun, show))
    async for piece in writing.pieces():
        yield f"event: delta\ndata: {json.dumps({'text': piece})}\n\n"
    yield _event("done", Turn(user_message=None, reply=show(await writing.reply())))


def _event(name: str, data: BaseModel) -> str:
    return f"event: {name}\ndata: {data.model_dump_json()}\n\n"


def _json(turn: Turn) -> JSONResponse:
    return JSONResponse(turn.model_dump(mode="json"))


async def names_in(lore: Everlore, id: str, messages: Iterable[Message] = ()) -> dict[str, str]:
    """Names of the participants and of the speakers of these messages, some of whom may have left. In a campaign the
    messages of players have the names of their characters, by message id."""
    conversation = await lore.conversations.get(id)
    said = list(messages)
    ids = (*conversation.system_ids, conversation.user_id, *(each.person_id for each in said))
    campaigns = await lore.store.get_many(lore.scope, Campaign, [conversation.campaign_id or ""])
    played = [await speaker_names(lore.store, lore.scope, each, said) for each in campaigns]
    return await lore.characters.names(ids) | (played[0] if played else {})
