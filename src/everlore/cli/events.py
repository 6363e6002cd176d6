"""The commands for events: `event add`, `list`, `show`, `change`, `finish`, `delete`; `context` for a prompt."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from everlore.cli.commands import Answer, Commands
from everlore.cli.options import Cursor, Include, Knower, Since, argument, flag, option, optional
from everlore.cli.output import more_lines, shown, shown_text, when
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.attachment import Attachment
    from everlore.domain.event import Event
    from everlore.store.answers import Page

_BUDGET = 1_500

event = Commands(name="event", help="Events: tool calls, files, decisions, observations.")
OfConversation = Annotated[str | None, optional("--conversation", "ID", "The conversation it belongs to.")]
OfEvents = Annotated[list[str] | None, optional("--type", "TYPE", "Only events of this type; may be repeated.")]
Until = Annotated[str | None, optional("--until", "TIME", "Before this date: 2024-06-01.")]

OneEvent = Annotated[str, argument("ID", "The id of the event, as list shows it.")]
Importance = Annotated[float | None, optional("--importance", "0…1", "Importance.")]
Tag = Annotated[list[str] | None, optional("--tag", "TAG", "A tag; may be repeated.")]


@event.command("add")
async def add(
    lore: "Everlore",
    type: Annotated[str, argument("TYPE", "tool_invocation, file_read, task, observation, …")],
    content: Annotated[str, argument("TEXT", "A description; not needed with --tool or --path.")] = "",
    tool: Annotated[str | None, optional("--tool", "NAME", "The tool.")] = None,
    inputs: Annotated[str | None, optional("--inputs", "JSON", "The tool's input.")] = None,
    outputs: Annotated[str | None, optional("--outputs", "JSON", "The tool's output.")] = None,
    error: Annotated[str | None, optional("--error", "TEXT", "The tool's error.")] = None,
    path: Annotated[str | None, optional("--path", "PATH", "The file.")] = None,
    importance: Importance = None,
    tag: Tag = None,
    in_progress: Annotated[bool, flag("--in-progress", "Still in progress, such as a task.")] = False,
    conversation: OfConversation = None,
) -> Answer:
    """Record an event and print its id.

    Keys, tokens and passwords in it are redacted before it is saved.
    """
    from everlore.services.capture import EventTarget

    told = {
        "tool_name": tool,
        "tool_inputs": _json("--inputs", inputs),
        "tool_outputs": _json("--outputs", outputs),
        "error": error,
        "path": path,
    }

    place = EventTarget(
        conversation=conversation, importance=importance, tags=tuple(tag or ()), in_progress=in_progress
    )
    given = {name: value for name, value in told.items() if value is not None}
    outcome = await lore.events.tell(type.lower(), content, place, metadata=given)
    kept = outcome.event
    document = {"captured": kept is not None, "why": outcome.why, "event": kept}
    return Answer(document, [kept.id if kept is not None else f"Not captured. {outcome.why}"])


@event.command("list")
async def list_(
    lore: "Everlore",
    type: OfEvents = None,
    conversation: OfConversation = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int, option("--limit", "N", "Maximum number of events.")] = 50,
    cursor: Cursor = None,
) -> Answer:
    """List events, newest first."""
    from everlore.cli.memories import read_time

    begin, end = (read_time(text) if text is not None else None for text in (since, until))
    types = [each.lower() for each in type or ()]
    page = await lore.events.list(
        types=types, conversation=conversation, since=begin, until=end, limit=limit, cursor=cursor
    )
    return Answer({"items": page.items, "next": page.cursor}, _list_lines(page))


@event.command("show")
async def show(lore: "Everlore", id: OneEvent) -> Answer:
    """Show one event with its attachments."""
    found = await lore.events.get(id)
    attachments = await lore.events.attachments(id)
    return Answer({"event": found, "attachments": attachments}, _event_lines(found, attachments))


@event.command("change")
async def change(
    lore: "Everlore",
    id: OneEvent,
    content: Annotated[str | None, optional("--content", "TEXT", "What happened.")] = None,
    state: Annotated[str | None, optional("--state", "STATE", "in_progress or complete.")] = None,
    importance: Importance = None,
    tag: Tag = None,
) -> Answer:
    """Update an event; other fields do not change.

    New tags replace the old ones.
    """
    from everlore.services.capture import EventChanges
    from everlore.services.event_log import state_of

    changes = EventChanges(
        content=content,
        state=state_of(state.lower()) if state is not None else None,
        importance=importance,
        tags=tuple(tag) if tag is not None else None,
    )
    changed = await lore.events.change(id, changes)
    return Answer(changed, _event_lines(changed, ()))


@event.command("finish")
async def finish(lore: "Everlore", id: OneEvent) -> Answer:
    """Mark an event as complete."""
    ended = await lore.events.finish(id)
    return Answer(ended, _event_lines(ended, ()))


@event.command("delete")
async def delete(lore: "Everlore", id: OneEvent) -> Answer:
    """Delete an event and its attachments for good."""
    await lore.events.delete(id)
    return Answer({"deleted": id}, [f"Deleted {shown(id)}."])


async def context(
    lore: "Everlore",
    query: Annotated[str, argument("QUERY", "The message to answer.")],
    conversation: OfConversation = None,
    person: Knower = None,
    include: Include = "memories",
    budget: Annotated[int, option("--budget", "TOKENS", "Maximum number of tokens.")] = _BUDGET,
) -> Answer:
    """Print what an agent's next prompt should contain.

    Memories, persona, focus, tasks, topics, patterns, recent tools, and the summary of the conversation. Nothing is
    saved.
    """
    from everlore.cli.memories import read_kinds

    kinds = read_kinds(include)
    known = await lore.characters.named(person) if person is not None else None
    package = await lore.context(query, conversation=conversation, person=known, include=kinds, budget_tokens=budget)
    return Answer(asdict(package), [shown_text(package.text)])


# ── output ───────────────────────────────────────────────────────────────────────────────────────


def _json(option: str, text: str | None) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadAsk(f'{option} is no JSON: {error}. Write it like \'{{"query": "boats"}}\'.') from None


def _list_lines(page: "Page") -> Iterator[str]:
    if not page.items:
        yield "No events."
    for each in page.items:
        yield f"{shown(each.id)}  {when(each.at)}  {each.type}  {shown(each.content)}"
    yield from more_lines(page.cursor)


def _event_lines(found: "Event", attachments: "tuple[Attachment, ...]") -> Iterator[str]:
    yield f"{when(found.at)}  {found.type}  importance {found.importance:g}"
    yield shown_text(found.content)
    for name, value in found.metadata.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"  {shown(name)}: {shown(text)}"
    for each in attachments:
        yield f"── {shown(each.name)}, whole:"
        yield shown_text(each.content)
