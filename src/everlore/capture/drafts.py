"""Drafts of events: tool calls, files read and written, decisions, and anything else (C1).

An `EventDraft` contains no secrets: only the functions here make one, and they remove secrets (C2). Nothing raises
because of a tool's result. Start at `tool_call` and `draft_of`.
"""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict

from everlore.capture.plain import Plain, plain, plain_dict, readable
from everlore.capture.redaction import redacted_dict, redacted_text
from everlore.domain.event import EventType
from everlore.domain.outline import one_line, outline

SNIPPET_CHARS = 300
_MOST_ERROR = 1_000
MOST_NAME = 200
_LOOKED_AT = 20_000
SHORT_LIST = 5


class Metadata(TypedDict, total=False):
    """The fields of an event's metadata that have a meaning; others are allowed. `message_id`: the message that caused
    it. `attached`: the fields that are shortened here and complete in an attachment. `success`, `error` and `exception`
    (the name of its class) are the result of a tool."""

    conversation_id: str
    parent_event_id: str
    message_id: str
    entities: list[str]
    tool_name: str
    tool_inputs: dict[str, object]
    tool_outputs: dict[str, object]
    success: bool
    error: str
    exception: str
    execution_ms: float
    path: str
    size: int
    snippet: str
    overwrite: bool
    approval_id: str
    decision: str
    reason: str
    mode: str
    trust_level: str
    facet: str
    attached: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDraft:
    """What happened, without its secrets; an `EventContext` adds where and when."""

    type: EventType
    content: str
    metadata: dict[str, Plain] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


def tool_call(
    name: str,
    inputs: object,
    outputs: object,
    *,
    success: bool,
    error: str = "",
    exception: str = "",
    execution_ms: float | None = None,
    extra: Mapping[str, object] | None = None,
) -> EventDraft:
    """A call of a tool and its result. `exception`: the name of its class, if it raised one."""
    tool = name_of(name)
    given, gave = _fields(inputs), _fields(outputs)
    said = redacted_text(readable(one_line(error, _MOST_ERROR)))
    metadata: dict[str, Plain] = {
        "tool_name": tool,
        "tool_inputs": given,
        "tool_outputs": gave,
        "success": success,
    }
    if said:
        metadata["error"] = said
    if exception:
        metadata["exception"] = name_of(exception)
    if execution_ms is not None:
        metadata["execution_ms"] = round(execution_ms, 3)
    asked = outline(given, most=6, chars=120)
    told = outline(gave, most=3, chars=200, titles=SHORT_LIST)
    if success:
        content = f"Tool executed: {tool}{_in_brackets(asked)}{_after_colon(told)}"
    else:
        content = f"Tool failed: {tool} - {said or 'no reason was given'}{_in_brackets(asked)}"
    tags = ("tool", tool) if success else ("tool", tool, "error")
    return EventDraft(
        type=EventType.TOOL_INVOCATION,
        content=content,
        metadata=_with(extra, metadata),
        tags=tags,
        entities=(tool,),
    )


def file_read(
    path: object,
    content: str | bytes | None = None,
    *,
    size: int | None = None,
    extra: Mapping[str, object] | None = None,
) -> EventDraft:
    return _file(EventType.FILE_READ, "Read file", "read", path, content, size, {}, extra)


def file_write(
    path: object,
    content: str | bytes | None = None,
    *,
    size: int | None = None,
    overwrite: bool = False,
    extra: Mapping[str, object] | None = None,
) -> EventDraft:
    return _file(EventType.FILE_WRITE, "Wrote file", "write", path, content, size, {"overwrite": overwrite}, extra)


def decision(
    subject: str,
    *,
    approved: bool,
    approval_id: str = "",
    inputs: object = None,
    reason: str = "",
    extra: Mapping[str, object] | None = None,
) -> EventDraft:
    """A user approved or rejected what an agent was about to do."""
    tool, given = name_of(subject), _fields(inputs)
    why = redacted_text(readable(one_line(reason, _MOST_ERROR)))
    metadata: dict[str, Plain] = {"decision": "approved" if approved else "rejected", "tool_name": tool}
    if given:
        metadata["tool_inputs"] = given
    if approval_id:
        metadata["approval_id"] = name_of(approval_id)
    if why:
        metadata["reason"] = why
    verb = "Approved" if approved else "Rejected"
    content = f"{verb} code change: {tool}{_in_brackets(outline(given, most=6, chars=120))}{_after_colon(why)}"
    return EventDraft(
        type=EventType.CODE_APPROVAL if approved else EventType.CODE_REJECTION,
        content=content,
        metadata=_with(extra, metadata),
        tags=("approval" if approved else "rejection", tool, "code"),
        entities=(tool,),
    )


def happening(
    type: EventType,
    content: str,
    *,
    metadata: Mapping[str, object] | None = None,
    entities: Sequence[str] = (),
) -> EventDraft:
    """Any other event, in the words of the caller."""
    return EventDraft(
        type=type,
        content=redacted_text(readable(content)),
        metadata=redacted_dict(plain_dict(metadata or {})),
        tags=(),
        entities=tuple(name_of(each) for each in entities if each.strip()),
    )


def draft_of(
    type: EventType, content: str = "", *, metadata: Mapping[str, object] | None = None, entities: Sequence[str] = ()
) -> EventDraft | None:
    """An event from fields, for example from the REST API: tools, files and decisions get a sentence if none is given.
    None if no field says what happened."""
    told = _typed(type, dict(metadata or {}))
    if told is None:
        return happening(type, content, metadata=metadata, entities=entities) if content.strip() else None
    named = (*told.entities, *(name_of(each) for each in entities if each.strip()))
    said = redacted_text(readable(content)) if content.strip() else told.content
    return replace(told, content=said, entities=tuple(dict.fromkeys(named)))


def _typed(type: EventType, told: dict[str, object]) -> EventDraft | None:
    match type:
        case EventType.TOOL_INVOCATION if told.get("tool_name"):
            return _told_tool(told)
        case EventType.FILE_READ | EventType.FILE_WRITE if told.get("path"):
            return _told_file(type, told)
        case EventType.CODE_APPROVAL | EventType.CODE_REJECTION if told.get("tool_name"):
            told.pop("decision", None)
            return decision(
                str(told.pop("tool_name")),
                approved=type is EventType.CODE_APPROVAL,
                approval_id=str(told.pop("approval_id", None) or ""),
                inputs=told.pop("tool_inputs", None),
                reason=str(told.pop("reason", None) or ""),
                extra=told,
            )
    return None


def _told_tool(told: dict[str, object]) -> EventDraft:
    error, exception = (str(told.pop(name, None) or "") for name in ("error", "exception"))
    success, took = told.pop("success", None), told.pop("execution_ms", None)
    return tool_call(
        str(told.pop("tool_name")),
        told.pop("tool_inputs", None),
        told.pop("tool_outputs", None),
        success=success if isinstance(success, bool) else not (error or exception),
        error=error,
        exception=exception,
        execution_ms=float(took) if isinstance(took, int | float) else None,
        extra=told,
    )


def _told_file(type: EventType, told: dict[str, object]) -> EventDraft:
    """The caller sends a snippet of the file, so its size is unknown."""
    path, snippet, size = told.pop("path"), told.pop("snippet", None), told.pop("size", None)
    text = None if snippet is None else str(snippet)
    if type is EventType.FILE_READ:
        draft = file_read(path, text, extra=told)
    else:
        draft = file_write(path, text, overwrite=bool(told.pop("overwrite", False)), extra=told)
    metadata = {name: value for name, value in draft.metadata.items() if name != "size"}
    return replace(draft, metadata=metadata | ({"size": size} if isinstance(size, int) else {}))


def _file(
    type: EventType,
    verb: str,
    tag: str,
    path: object,
    content: str | bytes | None,
    size: int | None,
    also: Mapping[str, Plain],
    extra: Mapping[str, object] | None,
) -> EventDraft:
    where = redacted_text(readable(str(path)))[:_MOST_ERROR]
    name = posixpath.basename(where.replace("\\", "/").rstrip("/")) or where
    ending = posixpath.splitext(name)[1].lstrip(".").lower()
    metadata: dict[str, Plain] = {"path": where, **also}
    if (bytes_ := _size(content) if size is None else size) is not None:
        metadata["size"] = bytes_
    snippet = _snippet(content)
    if content is not None:
        metadata["snippet"] = snippet
    return EventDraft(
        type=type,
        content=f"{verb}: {where}{_after_colon(one_line(snippet, 2 * SNIPPET_CHARS))}",
        metadata=_with(extra, metadata),
        tags=tuple(filter(None, ("file", tag, ending))),
        entities=(name,) if name else (),
    )


def _size(content: str | bytes | None) -> int | None:
    if content is None:
        return None
    return len(content) if isinstance(content, bytes) else len(content.encode(errors="replace"))


def _snippet(content: str | bytes | None) -> str:
    """The beginning. A longer part is searched for secrets, which may cross the end of the snippet."""
    if isinstance(content, bytes):
        head = content[:_LOOKED_AT]
        content = f"[{len(content)} bytes]" if b"\x00" in head else head.decode(errors="replace")
    return redacted_text(readable((content or "")[:_LOOKED_AT]))[:SNIPPET_CHARS]


def _fields(value: object) -> dict[str, Plain]:
    """The input or output of a tool as named fields; a value without a name is its `result`."""
    if value is None:
        return {}
    taken = plain(value)
    return redacted_dict(taken if isinstance(taken, dict) else {"result": taken})


def name_of(text: object) -> str:
    return redacted_text(readable(one_line(str(text), MOST_NAME))) or "unnamed"


def _with(extra: Mapping[str, object] | None, known: dict[str, Plain]) -> dict[str, Plain]:
    """Extra fields never overwrite known ones."""
    return redacted_dict(plain_dict(extra)) | known if extra else known


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


def _after_colon(text: str) -> str:
    return f": {text}" if text else ""
