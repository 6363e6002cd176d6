"""The live WebSocket: sends the events of the workspace as they happen, and accepts requests for turns.

The answers to such requests are the same events that all other clients get (V2).
"""

import asyncio
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any, Literal

import structlog
from fastapi import Depends, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.exceptions import HTTPException

from everlore.app import Everlore
from everlore.campaign.live_events import SUBJECTS, is_heard_at_table, table_names
from everlore.domain.conversation import Message
from everlore.domain.memory import Memory
from everlore.domain.visibility import may_keep
from everlore.errors import EverloreError, NotFound
from everlore.server.access import lore_of
from everlore.server.login import SOCKET_PROTOCOL, UNKNOWN, Door, admit
from everlore.server.messages import names_in
from everlore.server.problems import detail_for
from everlore.server.routing import Router
from everlore.server.wire_conversations import message_out
from everlore.server.wire_memories import memory_out, reader_of
from everlore.turn.live import Listener
from everlore.turn.news import ACCESS_CHANGED, News
from everlore.turn.viewers import viewer_of

log = structlog.get_logger(__name__)

router = Router()
_MOST_CHARS = 4_000_000
# The WebSocket close code for callers without permission.
_POLICY = 1008


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")

    conversation_id: str


class Say(_Asked):
    type: Literal["say"]
    content: str
    speaker_id: str | None = None


class Stop(_Asked):
    type: Literal["stop"]


class Rewrite(_Asked):
    type: Literal["regenerate", "continue"]
    message_id: str


_ASKED: TypeAdapter[Say | Stop | Rewrite] = TypeAdapter(Annotated[Say | Stop | Rewrite, Field(discriminator="type")])


@router.websocket("/api/live", dependencies=[Depends(admit)])
async def live(socket: WebSocket, lore: Annotated[Everlore, Depends(lore_of)]) -> None:
    offered = socket.headers.get("sec-websocket-protocol", "")
    async with lore.live.subscribed(lore.scope.workspace) as listener:
        # Only after subscribing: once the client knows that it is connected, it misses nothing.
        await socket.accept(SOCKET_PROTOCOL if offered.startswith(SOCKET_PROTOCOL) else None)
        telling = asyncio.create_task(_tell(socket, lore, listener))
        hearing = asyncio.create_task(_hear(socket, lore))
        try:
            await asyncio.wait({telling, hearing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (telling, hearing):
                task.cancel()
            for ended in await asyncio.gather(telling, hearing, return_exceptions=True):
                if isinstance(ended, Exception) and not isinstance(ended, WebSocketDisconnect):
                    log.warning("live.ended", error=f"{type(ended).__name__}: {ended}")


async def _tell(socket: WebSocket, lore: Everlore, listener: Listener) -> None:
    async for news in listener.news():
        is_internal = news.type == ACCESS_CHANGED
        if not is_internal and not await _may_hear(lore, news):
            continue
        # Checked for each event: a revoked token gets no more, even if another process revoked it.
        if not await _door(socket).is_still_let_in(socket.state.token):
            await _show_out(socket, UNKNOWN)
            return
        if not is_internal:
            await socket.send_text(json.dumps(await _event(lore, news), ensure_ascii=False))
    # The client is too slow: it may reconnect, and reads the log first.
    await socket.close(1013, "Too slow for the live events. Connect again and read the history first.")


async def _may_hear(lore: Everlore, news: News) -> bool:
    """Callers who see a part of the workspace get the events of that part."""
    own = lore.scope.confined_to
    if own is None:
        return True
    if await is_heard_at_table(lore.store, lore.scope, news):
        return True
    if isinstance(news.record, Memory):
        return may_keep(await viewer_of(lore.store, lore.scope), news.record)
    if news.conversation_id is None or news.type.startswith("job."):
        return False
    try:
        await lore.conversations.get(news.conversation_id)
    except NotFound:
        return False
    return True


async def _event(lore: Everlore, news: News) -> dict[str, Any]:
    event: dict[str, Any] = {"type": news.type, "conversation_id": news.conversation_id}
    match news.record:
        case Message() as message:
            names = await _names(lore, message)
            event |= {
                "message_id": news.id,
                "message": message_out(lore.messages.as_read(message), names).model_dump(mode="json"),
            }
        case Memory() as memory:
            event |= {"memory_id": news.id, "memory": memory_out(memory, reader_of(lore.scope)).model_dump(mode="json")}
        case tuple() as gossip:
            # Only the number of suggestions: clients that may see them request them.
            event |= {"count": len(gossip)}
        case _:
            event |= _plain(news)
    return event


def _plain(news: News) -> Mapping[str, Any]:
    subject, _, what = news.type.partition(".")
    if subject == "conversation":
        return {what: news.text == "true" if what in ("pinned", "deleted") else news.text}
    if subject in SUBJECTS:
        return {f"{subject}_id": news.id, "campaign_id": news.text}
    if subject == "job":
        return {"job_id": news.id, "kind": news.text}
    return {f"{subject}_id": news.id} | ({"text": news.text} if news.text else {})


async def _names(lore: Everlore, message: Message) -> Mapping[str, str]:
    try:
        return await names_in(lore, message.conversation_id, [message])
    except NotFound:
        return await table_names(lore.store, lore.scope, message)


async def _hear(socket: WebSocket, lore: Everlore) -> None:
    while True:
        try:
            text = await socket.receive_text()
        except (WebSocketDisconnect, KeyError):
            # KeyError: a binary frame, which no client of ours sends.
            return
        try:
            # As with any request: it counts against the rate limit, and the token is checked.
            await _door(socket).scope_of(socket.state.token, None)
            await _obey(lore, text)
        except HTTPException as error:
            if error.status_code == HTTPStatus.UNAUTHORIZED:
                await _show_out(socket, error.detail)
                return
            await _complain(socket, error.detail)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            await _complain(
                socket, f"This is no request: {where}: {first['msg']}. Send say, stop, regenerate or continue."
            )
        except EverloreError as error:
            await _complain(socket, detail_for(error, lore.scope))


async def _obey(lore: Everlore, text: str) -> None:
    asked = _ASKED.validate_json(text[:_MOST_CHARS])
    id = (await lore.conversations.called(asked.conversation_id)).id
    match asked:
        case Say():
            await lore.turns.say(id, asked.content, speaker_id=asked.speaker_id)
        case Stop():
            await lore.turns.stop(id)
        case Rewrite(type="regenerate"):
            await lore.turns.regenerate(id, asked.message_id)
        case Rewrite():
            await lore.turns.go_on(id, asked.message_id)


def _door(socket: WebSocket) -> Door:
    door: Door = socket.app.state.door
    return door


async def _show_out(socket: WebSocket, why: str) -> None:
    await socket.close(_POLICY, why)


async def _complain(socket: WebSocket, detail: str) -> None:
    await socket.send_text(json.dumps({"type": "error", "detail": detail}))
