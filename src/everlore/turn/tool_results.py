"""The latest tool calls of a conversation, as its caller may see them (C4, C6).

Start at `recent_uses`.
"""

from collections.abc import Iterable

from everlore.capture.display import shown
from everlore.capture.drafts import Metadata
from everlore.compose.package import ToolUse
from everlore.domain.event import Event, EventType
from everlore.domain.policy import Visibility, context_depth, tools_shown, visibility
from everlore.domain.scope import Scope
from everlore.store.port import Store


async def recent_uses(store: Store, scope: Scope, conversation_id: str) -> tuple[ToolUse, ...]:
    """The latest tool calls of a conversation, in the order of time, as many as the policy shows."""
    most = tools_shown(context_depth(scope.mode, scope.role))
    if not most:
        return ()
    where = {"conversation_id": conversation_id, "type": EventType.TOOL_INVOCATION.value}
    page = await store.find(scope, Event, where, limit=most, newest_first=True)
    return uses_of(page.items, visibility(scope.role))


def uses_of(events: Iterable[Event], seen: Visibility) -> tuple[ToolUse, ...]:
    """The tool calls in events that are given latest first."""
    return tuple(reversed([_use(shown(each, seen), "" if seen.redacted else each.id) for each in events]))


def _use(event: Event, id: str) -> ToolUse:
    told: Metadata = event.metadata  # type: ignore[assignment]  # read with care: anybody may have written it
    inputs, outputs = told.get("tool_inputs"), told.get("tool_outputs")
    took = told.get("execution_ms")
    return ToolUse(
        id=id,
        name=str(told.get("tool_name") or "tool"),
        at=event.at,
        success=told.get("success") is not False,
        inputs=inputs if isinstance(inputs, dict) else {},
        outputs=outputs if isinstance(outputs, dict) else {},
        error=str(told.get("error") or ""),
        execution_ms=float(took) if isinstance(took, int | float) else None,
    )
