"""The verbs for what happened: `event add`, `list`, `show`, `change`, `finish`, `delete`; `context` for a prompt."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.options import AsJson, Cursor, Db, Include, Knower, Workspace
from everlore.cli.output import emit, shown, shown_text
from everlore.cli.session import CommandOptions, with_lore
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.compose.package import ContextPackage
    from everlore.domain.attachment import Attachment
    from everlore.domain.event import Event
    from everlore.services.capture import CaptureOutcome
    from everlore.store.port import Page

_WHEN = "%Y-%m-%d %H:%M"
_BUDGET = 1_500

event = typer.Typer(help="Events: tool calls, files, decisions, observations.", rich_markup_mode=None)
OfConversation = Annotated[
    str | None,
    typer.Option("--conversation", metavar="ID", help="The conversation it belongs to.", show_default=False),
]
OfEvents = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="TYPE", help="Only events of this type; may be repeated.", show_default=False),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="From this date on: 2024-05-31.", show_default=False)
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="TIME", help="Before this date: 2024-06-01.", show_default=False)
]

OneEvent = Annotated[str, typer.Argument(metavar="ID", help="The id of the event, as list shows it.")]
Importance = Annotated[
    float | None, typer.Option("--importance", metavar="0…1", help="Importance.", show_default=False)
]
Tag = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be repeated.", show_default=False)
]


@event.command("add")
def add(
    type: Annotated[str, typer.Argument(metavar="TYPE", help="tool_invocation, file_read, task, observation, …")],
    content: Annotated[
        str, typer.Argument(metavar="TEXT", help="A description; not needed with --tool or --path.")
    ] = "",
    tool: Annotated[str | None, typer.Option("--tool", metavar="NAME", help="The tool.", show_default=False)] = None,
    inputs: Annotated[
        str | None, typer.Option("--inputs", metavar="JSON", help="The tool's input.", show_default=False)
    ] = None,
    outputs: Annotated[
        str | None, typer.Option("--outputs", metavar="JSON", help="The tool's output.", show_default=False)
    ] = None,
    error: Annotated[
        str | None, typer.Option("--error", metavar="TEXT", help="The tool's error.", show_default=False)
    ] = None,
    path: Annotated[str | None, typer.Option("--path", metavar="PATH", help="The file.", show_default=False)] = None,
    importance: Importance = None,
    tag: Tag = None,
    in_progress: Annotated[bool, typer.Option("--in-progress", help="Still in progress, such as a task.")] = False,
    conversation: OfConversation = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Record an event and print its id.

    Keys, tokens and passwords in it are redacted before it is saved.
    """
    told = {
        "tool_name": tool,
        "tool_inputs": _json("--inputs", inputs),
        "tool_outputs": _json("--outputs", outputs),
        "error": error,
        "path": path,
    }

    async def capture(lore: "Everlore") -> "CaptureOutcome":
        from everlore.services.capture import EventTarget

        place = EventTarget(
            conversation=conversation, importance=importance, tags=tuple(tag or ()), in_progress=in_progress
        )
        given = {name: value for name, value in told.items() if value is not None}
        return await lore.events.tell(type.lower(), content, place, metadata=given)

    outcome = with_lore(CommandOptions(db, workspace, as_json), capture)
    kept = outcome.event
    document = {"captured": kept is not None, "why": outcome.why, "event": kept}
    emit(as_json, document, [kept.id if kept is not None else f"Not captured. {outcome.why}"])


@event.command("list")
def list_(
    type: OfEvents = None,
    conversation: OfConversation = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Maximum number of events.")] = 50,
    cursor: Cursor = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List events, newest first."""
    from everlore.cli.memories import read_time

    begin, end = (read_time(text) if text is not None else None for text in (since, until))

    async def find(lore: "Everlore") -> "Page":
        types = [each.lower() for each in type or ()]
        return await lore.events.list(
            types=types, conversation=conversation, since=begin, until=end, limit=limit, cursor=cursor
        )

    page = with_lore(CommandOptions(db, workspace, as_json), find)
    emit(as_json, {"items": page.items, "next": page.cursor}, _list_lines(page))


@event.command("show")
def show(
    id: OneEvent,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show one event with its attachments."""

    async def get(lore: "Everlore") -> "tuple[Event, tuple[Attachment, ...]]":
        return await lore.events.get(id), await lore.events.attachments(id)

    found, attachments = with_lore(CommandOptions(db, workspace, as_json), get)
    emit(as_json, {"event": found, "attachments": attachments}, _event_lines(found, attachments))


@event.command("change")
def change(
    id: OneEvent,
    content: Annotated[
        str | None, typer.Option("--content", metavar="TEXT", help="What happened.", show_default=False)
    ] = None,
    state: Annotated[
        str | None, typer.Option("--state", metavar="STATE", help="in_progress or complete.", show_default=False)
    ] = None,
    importance: Importance = None,
    tag: Tag = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Update an event; other fields do not change.

    New tags replace the old ones.
    """

    async def mend(lore: "Everlore") -> "Event":
        from everlore.services.capture import EventChanges
        from everlore.services.event_log import state_of

        changes = EventChanges(
            content=content,
            state=state_of(state.lower()) if state is not None else None,
            importance=importance,
            tags=tuple(tag) if tag is not None else None,
        )
        return await lore.events.change(id, changes)

    changed = with_lore(CommandOptions(db, workspace, as_json), mend)
    emit(as_json, changed, _event_lines(changed, ()))


@event.command("finish")
def finish(id: OneEvent, db: Db = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Mark an event as complete."""

    async def end(lore: "Everlore") -> "Event":
        return await lore.events.finish(id)

    ended = with_lore(CommandOptions(db, workspace, as_json), end)
    emit(as_json, ended, _event_lines(ended, ()))


@event.command("delete")
def delete(id: OneEvent, db: Db = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Delete an event and its attachments for good."""

    async def remove(lore: "Everlore") -> None:
        await lore.events.delete(id)

    with_lore(CommandOptions(db, workspace, as_json), remove)
    emit(as_json, {"deleted": id}, [f"Deleted {shown(id)}."])


def context(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The message to answer.")],
    conversation: OfConversation = None,
    person: Knower = None,
    include: Include = "memories",
    budget: Annotated[int, typer.Option("--budget", metavar="TOKENS", help="Maximum number of tokens.")] = _BUDGET,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Print the context for an agent's next answer, ready for its prompt.

    Memories, persona, focus, tasks, topics, patterns, recent tools, and the summary of the conversation. Nothing is
    saved.
    """
    from everlore.cli.memories import read_kinds

    kinds = read_kinds(include)

    async def ask(lore: "Everlore") -> "ContextPackage":
        known = await lore.characters.named(person) if person is not None else None
        return await lore.context(query, conversation=conversation, person=known, include=kinds, budget_tokens=budget)

    package = with_lore(CommandOptions(db, workspace, as_json), ask)
    emit(as_json, asdict(package), [shown_text(package.text)])


# ── out ──────────────────────────────────────────────────────────────────────────────────────────


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
        yield f"{shown(each.id)}  {each.at.astimezone():{_WHEN}}  {each.type}  {shown(each.content)}"
    if page.cursor is not None:
        yield f"(more: --cursor {page.cursor})"


def _event_lines(found: "Event", attachments: "tuple[Attachment, ...]") -> Iterator[str]:
    yield f"{found.at.astimezone():{_WHEN}}  {found.type}  importance {found.importance:g}"
    yield shown_text(found.content)
    for name, value in found.metadata.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"  {shown(name)}: {shown(text)}"
    for each in attachments:
        yield f"── {shown(each.name)}, whole:"
        yield shown_text(each.content)
