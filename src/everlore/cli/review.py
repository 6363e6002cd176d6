"""The commands of `everlore memories`: list, show, approve, reject, correct, restore, history, source (M5, M6, M10)."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.commands import Answer, Commands
from everlore.cli.documents import message_document
from everlore.cli.memories import read_contents
from everlore.cli.options import Cursor, argument, option, optional
from everlore.cli.output import more_lines, shown, when
from everlore.errors import BadAsk, NotFound

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.memory import Memory, MemoryLink
    from everlore.domain.person import Person
    from everlore.domain.revision import Revision
    from everlore.store.answers import Page

memories = Commands(name="memories", help="List, approve, correct and restore memories.")

MemoryId = Annotated[str, argument("ID", "The id of a memory, as `memories list` shows it.")]
Because = Annotated[str, optional("--note", "TEXT", "The reason; saved in the history.")]


def _some(name: str, help: str) -> Any:
    return typer.Option(f"--{name}", metavar=name.upper(), help=f"{help}; may be repeated.", show_default=False)


@memories.command("list")
async def list_memories(
    lore: "Everlore",
    status: Annotated[list[str] | None, _some("status", "Only pending, active, superseded or rejected ones")] = None,
    type: Annotated[list[str] | None, _some("type", "Only memories of this type")] = None,
    category: Annotated[list[str] | None, _some("category", "Only facts of this category")] = None,
    origin: Annotated[
        list[str] | None, _some("origin", "Only from this origin: extractor, keyframe, analysis, user, …")
    ] = None,
    person: Annotated[str | None, optional("--person", "NAME|ID", "Only memories of this person.")] = None,
    conversation: Annotated[str | None, optional("--conversation", "ID", "Only from this conversation.")] = None,
    limit: Annotated[int, option("--limit", "N", "Maximum number of memories.")] = 50,
    cursor: Cursor = None,
) -> Answer:
    """List memories, newest first.

    `--status pending` shows those waiting for approval.
    """
    where = _where(status=status, type=type, category=category, origin=origin)
    who = await known(lore, person)
    if conversation is not None:
        where["conversation_id"] = (await lore.conversations.get(conversation)).id
    if who is not None:
        where["persons"] = who.id
    page = await lore.memories.list(limit=limit, cursor=cursor, **where)
    return Answer({"items": page.items, "next": page.cursor}, _page_lines(page))


@memories.command("show")
async def show(lore: "Everlore", id: MemoryId) -> Answer:
    """Show one memory with its details and links."""
    memory = await lore.memories.get(id)
    links = await lore.memories.links(id)
    names = await lore.characters.names(memory.persons)
    return Answer({"memory": memory, "links": links}, _shown_lines(memory, links, names))


@memories.command("approve")
async def approve(
    lore: "Everlore", ids: Annotated[list[str], argument("ID…", "Memories waiting for approval.")]
) -> Answer:
    """Approve memories, so that they are used from now on."""
    approved = [await lore.memories.approve(id, by=_me()) for id in dict.fromkeys(ids)]
    return Answer({"items": approved}, (f"Approved: {shown(each.content)}" for each in approved))


@memories.command("reject")
async def reject(
    lore: "Everlore",
    ids: Annotated[list[str], argument("ID…", "Memories that are wrong or unwanted.")],
    because: Because = "",
) -> Answer:
    """Reject memories, so that they are never used.

    They are not learned again from the same messages. `everlore forget` deletes a memory completely.
    """
    rejected = [await lore.memories.reject(id, by=_me(), note=because) for id in dict.fromkeys(ids)]
    return Answer({"items": rejected}, (f"Rejected: {shown(each.content)}" for each in rejected))


@memories.command("correct")
async def correct(
    lore: "Everlore",
    id: MemoryId,
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="[TEXT]", help="The correct statement; - reads it from standard input.", show_default=False
        ),
    ] = None,
    because: Because = "",
) -> Answer:
    """Correct a memory.

    The correction replaces it, and later learning does not override it. Without TEXT the memory is only marked as
    wrong.
    """
    right = read_contents(text, lines=False)[0] if text is not None else None
    if right is None:
        memory, said = await lore.memories.reject(id, by=_me(), note=because), "Marked wrong"
    else:
        memory, said = await lore.memories.correct(id, right, by=_me(), note=because), "Corrected"
    return Answer(memory, [f"{said}: {shown(memory.id)}  {shown(memory.content)}"])


@memories.command("restore")
async def restore(lore: "Everlore", id: MemoryId, because: Because = "") -> Answer:
    """Restore a memory that was rejected or superseded."""
    memory = await lore.memories.restore(id, by=_me(), note=because)
    return Answer(memory, [f"Restored: {shown(memory.content)}"])


@memories.command("history")
async def history(lore: "Everlore", id: MemoryId) -> Answer:
    """Show the earlier versions of a memory, who changed them, when and why; oldest first."""
    memory = await lore.memories.get(id)
    revisions = await lore.history(id)
    return Answer({"items": revisions, "next": None}, _history_lines(memory, revisions))


@memories.command("source")
async def source(lore: "Everlore", id: MemoryId) -> Answer:
    """Show the source messages of a memory, in order."""
    messages = await lore.memories.source(id)
    names = await lore.characters.names(each.person_id for each in messages if each.person_id is not None)
    items = [message_document(each, names.get(each.person_id or "", "")) for each in messages]
    return Answer({"items": items, "next": None}, _source_lines(items))


# ── input ────────────────────────────────────────────────────────────────────────────────────────


def _where(**given: list[str] | None) -> dict[str, Any]:
    """The filters that were set, in the form of the store; an impossible name is refused."""
    from everlore.domain.memory import Category, MemoryType, Origin, Status

    kinds = {"status": Status, "type": MemoryType, "category": Category, "origin": Origin}
    return {name: [_one_of(kinds[name], name, each) for each in values] for name, values in given.items() if values}


def _one_of(kind: type[StrEnum], name: str, text: str) -> str:
    for each in kind:
        if each.value.lower() == text.strip().lower():
            return each.value
    raise BadAsk(f"--{name} knows no {text!r}. Possible: {', '.join(kind)}.")


def _me() -> str:
    from everlore.domain.person import USER_ID

    return USER_ID


async def known(lore: "Everlore", name: str | None) -> "Person | None":
    try:
        return await lore.characters.named(name) if name is not None else None
    except NotFound as error:
        raise NotFound(f"{error} `everlore characters` lists who is here.") from None


# ── output ───────────────────────────────────────────────────────────────────────────────────────


def _page_lines(page: "Page") -> Iterator[str]:
    if not page.items:
        yield "No memories."
    yield from memory_lines(page.items)
    yield from more_lines(page.cursor)


def memory_lines(memories: "Sequence[Memory]") -> Iterator[str]:
    width = max((len(each.type) for each in memories), default=0)
    for each in memories:
        state = "" if each.status == "active" else f"  ({each.status})"
        yield f"{each.type:<{width}}  {shown(each.id)}  {shown(each.content)}{state}"


def _shown_lines(memory: "Memory", links: "Sequence[MemoryLink]", names: Mapping[str, str]) -> Iterator[str]:
    yield shown(memory.content)
    whose = ", ".join(names.get(id, "(deleted)") for id in memory.persons) or "no one"
    category = f", {memory.category}" if memory.category else ""
    yield f"  {memory.type}{category}, of {shown(whose)}; {memory.status}, made by {memory.origin}"
    yield f"  importance {memory.importance}, confidence {memory.confidence:.2f}, {memory.durability.replace('_', ' ')}"
    yield f"  known since {_when(memory.created_at)}, revision {memory.revision}"
    if memory.valid_from or memory.valid_to:
        yield f"  holds from {_when(memory.valid_from)} until {_when(memory.valid_to)}"
    if memory.tags:
        yield f"  tags: {shown(', '.join(memory.tags))}"
    for link in links:
        yield shown(f"  {link.memory_id} {link.kind} {link.other_id}")


def _history_lines(memory: "Memory", revisions: "Sequence[Revision]") -> Iterator[str]:
    for each in revisions:
        note = f": {each.note}" if each.note else ""
        yield f"{each.number:>4}  {_when(each.since)} – {_when(each.until)}  {shown(each.before.content)}"
        yield f"      then {shown(f'{each.why} by {each.by}{note}')}"
    yield f"{memory.revision:>4}  {_when(memory.updated_at)} – now{'':<13}  {shown(memory.content)}"


def _source_lines(items: Sequence[Mapping[str, object]]) -> Iterator[str]:
    if not items:
        yield "It has no source messages, or they were deleted."
    for each in items:
        yield shown(
            f"{each['conversation_id']}  {each['id']}  {each['name'] or each['author']}: {each['display_content']}"
        )


def _when(at: datetime | None) -> str:
    return f"{when(at)}" if at is not None else "…"
