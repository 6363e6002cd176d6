"""Tool calls of a client's agent: each call with its result becomes an event, once (C1).

Start at `noted`.
"""

import json
from collections.abc import Sequence
from typing import Any

from everlore.app import Everlore
from everlore.domain.conversation import Author, Conversation, Message
from everlore.domain.event import Event, EventType
from everlore.server.openai.request_parsing import RequestMessage
from everlore.services.tool_calls import EventTarget, harmless, said_failure

# An agent with more calls than this has sent the others in earlier requests.
_LATEST = 50


async def noted(lore: Everlore, conversation: Conversation, steps: Sequence[RequestMessage]) -> None:
    calls = finished(steps)
    if not calls:
        return
    where = {"conversation_id": conversation.id, "type": EventType.TOOL_INVOCATION.value}
    page = await lore.store.find(lore.scope, Event, where, limit=_LATEST, newest_first=True)
    known = {str(each.metadata.get("tool_call_id")) for each in page.items}
    new = [each for each in calls if each[0] not in known]
    place = EventTarget(conversation=conversation, message=await _asked_by(lore, conversation) if new else None)
    for id, name, inputs, outputs in new:
        # Without a duration, which only the client knows.
        told: dict[str, object] = {
            "tool_name": name,
            "tool_inputs": inputs,
            "tool_outputs": outputs,
            "tool_call_id": id,
        }
        failure = said_failure(outputs)
        told |= {"success": False, "error": failure} if failure else {}
        with harmless(name):
            await lore.events.tell(EventType.TOOL_INVOCATION, "", place, metadata=told)


async def _asked_by(lore: Everlore, conversation: Conversation) -> Message | None:
    """The user's message that led to the tool calls."""
    where = {"conversation_id": conversation.id, "author": Author.USER.value}
    page = await lore.store.find(lore.scope, Message, where, limit=1, newest_first=True)
    return page.items[0] if page.items else None


def finished(steps: Sequence[RequestMessage]) -> list[tuple[str, str, object, object]]:
    """The calls that have a result: id, tool, inputs and outputs."""
    asked: dict[str, tuple[str, object]] = {}
    found: list[tuple[str, str, object, object]] = []
    for step in steps:
        for call in step.raw.get("tool_calls") or ():
            function = call.get("function", {})
            asked[str(call.get("id"))] = (str(function.get("name") or "tool"), _read(function.get("arguments")))
        id = str(step.raw.get("tool_call_id"))
        if step.role == "tool" and id in asked:
            found.append((id, *asked[id], _read(step.text)))
    return found


def _read(text: Any) -> object:
    try:
        read = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return text
    return read if isinstance(read, dict | list) else text
