"""The tools, each a thin layer over Everlore (9-surfaces). The model sees their names, arguments and docstrings; our
errors reach it in their own words.

The SDK is not needed here: `build` registers these functions with it. The default of an optional argument is an empty
text and not null: the SDK parses texts of optional arguments as JSON, and would take "[1]" for a list.

Start at `TOOLS`.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, Field

from everlore.app import Everlore
from everlore.compose.package import BUDGET, LEAST_BUDGET, MOST_BUDGET
from everlore.compose.values.people import filler
from everlore.domain.event import EventState, EventType
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.person import Person, PersonKind
from everlore.errors import BadAsk
from everlore.recall.answer import RecallAnswer
from everlore.server.context import ContextOut
from everlore.server.mcp.campaigns import CAMPAIGN_READING, CAMPAIGN_TOOLS
from everlore.server.mcp.person_names import PersonNames, asked_person, names_of, person_of
from everlore.server.mcp.recap import recap_of
from everlore.server.mcp.wire import (
    CapturedEvent,
    CharacterBrief,
    CharacterBriefs,
    DeletedEvent,
    EventChange,
    ExtractionResult,
    Forgotten,
    Hits,
    MemoryResult,
    RecapText,
    RememberResult,
    SearchHit,
    kept_of,
    memory_uri,
)
from everlore.server.wire_recall import KIND_OF, HitOut, Included, hit_out
from everlore.services.capture import EventChanges, EventTarget
from everlore.services.messages import RecordedLine
from everlore.turn.titles import fallback_title

# Clients give up after a minute; unfinished work stays in the queue.
_PATIENCE_S = 45

Words = Annotated[str, Field(max_length=100_000, description="What to search for, in plain words or as a question.")]
Many = Annotated[int, Field(ge=1, le=500, description="Maximum number of results.")]
Types = Annotated[
    tuple[MemoryType, ...], Field(max_length=100, description="Only memories of these types; empty: all types.")
]
Include = Annotated[tuple[Included, ...], Field(min_length=1, max_length=10, description="What to search.")]
AsOf = Annotated[AwareDatetime | None, Field(description="Search what was believed and valid at that time.")]
Someone = Annotated[str, Field(description="The id or the name of a person or character.")]
Text = Annotated[str, Field(max_length=2_000_000)]
Importance = Annotated[int, Field(ge=1, le=10, description="From 1 to 10; 10 must never be forgotten.")]
Id = Annotated[str, Field(max_length=1_000)]
EventId = Annotated[Id, Field(description="The id of the event.")]


# ── searching ────────────────────────────────────────────────────────────────────────────────────


async def search_memories(
    lore: Everlore,
    query: Words,
    limit: Many = 10,
    types: Types = (),
    include: Include = (Included.MEMORIES, Included.EVENTS),
    as_of: AsOf = None,
) -> Hits:
    """Search long-term memory by meaning and by keywords. Returns the best matches first, each with a reason; hits
    marked as doubtful are weak matches. Search before you answer from earlier conversations. Memories of other users
    are left out: the owner can use search_memories_by_person with their names."""
    kinds = [KIND_OF[each] for each in include]
    found = await lore.recall(query, limit=limit, types=types, include=kinds, as_of=as_of, own=True)
    return await _hits(lore, found)


async def search_memories_by_pair(
    lore: Everlore, person: Someone, partner: Someone, query: Words, limit: Many = 10
) -> Hits:
    """Search what two persons share with each other. The order of the two does not matter."""
    one, other = (await person_of(lore, person)).id, (await person_of(lore, partner)).id
    if other == lore.scope.confined_to:
        one, other = other, one
    return await _hits(lore, await lore.recall(query, person=one, partner=other, limit=limit))


async def search_memories_by_person(lore: Everlore, person: Someone, query: Words, limit: Many = 10) -> Hits:
    """Search only what one person knows, first-hand or second-hand."""
    knower = await person_of(lore, person)
    return await _hits(lore, await lore.recall(query, person=knower.id, limit=limit))


async def _hits(lore: Everlore, answer: RecallAnswer) -> Hits:
    found = [hit_out(each) for each in answer.hits]
    names = await names_of(lore, (id for each in found for id in each.persons))
    return Hits(items=[_hit(each, names) for each in found])


def _hit(out: HitOut, names: PersonNames) -> SearchHit:
    memory = out.memory
    return SearchHit(
        **{
            name: getattr(out, name)
            for name in ("id", "type", "content", "at", "score", "doubtful", "why", "conversation_id")
        },
        kind=out.kind.value,
        persons=names.of(out.persons),
        importance=memory.importance if memory else None,
        uri=memory_uri(memory.id) if memory else "",
    )


# ── saving and forgetting ────────────────────────────────────────────────────────────────────────


async def remember(
    lore: Everlore,
    content: Annotated[Text, Field(description="One self-contained statement, with names instead of 'I'.")],
    person: Annotated[str, Field(description="The owner, by id or name; empty: the user.")] = "",
    partner: Annotated[str, Field(description="The second person of a pair; needs person.")] = "",
    type: Annotated[MemoryType, Field(description="The type of memory.")] = MemoryType.FACT,
    importance: Importance = 5,
    force: Annotated[bool, Field(description="Save it even if it contradicts what is known.")] = False,
) -> RememberResult:
    """Save one statement for good. It can be found at once by everyone it belongs to. A known statement is reinforced;
    one that contradicts a memory replaces it, or waits until a person decides. `outcome` says which."""
    if partner and not person:
        raise BadAsk("A partner was named without a person. Name both, or only the person.")
    persons = await asked_person(lore, person), await asked_person(lore, partner)
    (kept,) = await lore.keep(
        [content], person=persons[0], partner=persons[1], type=type, importance=importance, force=force
    )
    told = (await _kept(lore, kept.memory)).model_dump()
    return RememberResult(**told, outcome=kept.outcome, against=[each.content for each in kept.against])


async def forget(lore: Everlore, memory_id: Annotated[Id, Field(description="The id of the memory.")]) -> Forgotten:
    """Delete one memory for good, with its history and every mention of it. This cannot be undone."""
    await lore.forget(memory_id)
    return Forgotten(memory_id=memory_id)


async def extract_memories(
    lore: Everlore,
    conversation_id: Annotated[Id, Field(description="The conversation to read; with text, where it was said.")] = "",
    text: Annotated[Text, Field(description="What the user said, word for word.")] = "",
    person: Annotated[str, Field(description="Who the text was said to, by id or name; empty: any character.")] = "",
    wait: Annotated[bool, Field(description="Wait until it is finished; otherwise it is queued.")] = True,
) -> ExtractionResult:
    """Extract lasting facts from what the user said. Give a conversation to read its unread messages, or a text: it is
    saved as a message of the user, in that conversation or in a new one, so that every memory has a source."""
    if not conversation_id and not text.strip():
        raise BadAsk("There is nothing to read. Give a conversation_id, a text, or both.")
    id = conversation_id or await _new_talk(lore, person, fallback_title(text).title)
    if text.strip():
        await lore.messages.record(id, [RecordedLine(text)])
    jobs = await lore.learning.extract(id)
    formed: list[Memory] = []
    if wait:
        formed = await lore.learning.outcome(id, jobs, lore.finished, timeout_s=_PATIENCE_S)
    return ExtractionResult(conversation_id=id, done=wait, formed=[await _kept(lore, each) for each in formed])


async def _new_talk(lore: Everlore, person: str, title: str) -> str:
    character = await person_of(lore, person) if person else await _anybody(lore)
    talk = await lore.conversations.start(character, title=title, config={"auto_title": False}, greet=False)
    return talk.id


async def _anybody(lore: Everlore) -> Person:
    page = await lore.characters.list(kind=PersonKind.CHARACTER, limit=1)
    character: Person | None = page.items[0] if page.items else await lore.characters.welcome()
    if character is None:
        raise BadAsk("There is no character yet to address the text to. Create one, or give a conversation_id.")
    return character


async def _kept(lore: Everlore, memory: Memory) -> MemoryResult:
    return kept_of(memory, (await names_of(lore, memory.persons)).of(memory.persons))


# ── context and events ───────────────────────────────────────────────────────────────────────────


async def get_context(
    lore: Everlore,
    query: Annotated[str, Field(max_length=100_000, description="The message to answer; may be empty.")] = "",
    conversation_id: Annotated[Id, Field(description="The conversation it belongs to; may be empty.")] = "",
    budget_tokens: Annotated[
        int, Field(ge=LEAST_BUDGET, le=MOST_BUDGET, description="Maximum tokens of the text.")
    ] = BUDGET,
) -> ContextOut:
    """Get what to know before answering, as text for a prompt and as data. It has relevant memories, persona, focus,
    open tasks, recent topics and tools, and the summary of the conversation."""
    return ContextOut.of(await lore.context(query, conversation=conversation_id or None, budget_tokens=budget_tokens))


async def capture_event(
    lore: Everlore,
    type: Annotated[EventType, Field(description="The type of event.")],
    content: Annotated[Text, Field(description="What happened, in a sentence; generated for tools and files.")] = "",
    conversation_id: Annotated[Id, Field(description="The conversation that it happened in.")] = "",
    message_id: Annotated[Id, Field(description="The message that led to it; needs conversation_id.")] = "",
    parent_event_id: Annotated[Id, Field(description="The event that it is part of.")] = "",
    tool_name: Annotated[str, Field(description="The tool that was called.")] = "",
    tool_inputs: Annotated[dict[str, Any] | None, Field(description="Its arguments, by name.")] = None,
    tool_outputs: Annotated[dict[str, Any] | None, Field(description="Its results, by name.")] = None,
    success: Annotated[bool | None, Field(description="Whether it worked.")] = None,
    error: Annotated[str, Field(description="What went wrong.")] = "",
    execution_ms: Annotated[float | None, Field(ge=0, description="How long it took, in milliseconds.")] = None,
    path: Annotated[str, Field(description="The file that was read or written.")] = "",
    approval_id: Annotated[str, Field(description="The id of the approval or rejection.")] = "",
    importance: Annotated[float | None, Field(ge=0, le=1, description="0 to 1; default: that of the type.")] = None,
    tags: Annotated[tuple[str, ...], Field(max_length=50)] = (),
    entities: Annotated[
        tuple[str, ...], Field(max_length=50, description="Names of the persons and things that it is about.")
    ] = (),
    in_progress: Annotated[bool, Field(description="It is not finished, like an open task.")] = False,
) -> CapturedEvent:
    """Record an event: a tool call with its inputs, outputs and duration, a file read or written, a decision, an
    observation, a task. Secrets are redacted. If the mode does not allow it, nothing is stored, and `why` says so."""
    told = {
        "tool_name": tool_name,
        "tool_inputs": tool_inputs,
        "tool_outputs": tool_outputs,
        "success": success,
        "error": error,
        "execution_ms": execution_ms,
        "path": path,
        "approval_id": approval_id,
    }
    place = EventTarget(
        conversation=conversation_id or None,
        parent=parent_event_id or None,
        message=message_id or None,
        importance=importance,
        tags=tags,
        in_progress=in_progress,
    )
    metadata = {name: value for name, value in told.items() if value not in (None, "")}
    outcome = await lore.events.tell(type, content, place, entities=entities, metadata=metadata)
    event = outcome.event
    return CapturedEvent(captured=event is not None, event_id=event.id if event else None, why=outcome.why)


async def change_event(
    lore: Everlore,
    event_id: EventId,
    finished: Annotated[bool, Field(description="It is finished, like a closed task.")] = False,
    content: Annotated[Text, Field(description="The new text; empty: unchanged.")] = "",
    importance: Annotated[float | None, Field(ge=0, le=1, description="0 to 1; default: unchanged.")] = None,
) -> EventChange:
    """Change an event, or mark it as finished. Finish every task that you started with in_progress."""
    changes = EventChanges(
        content=content or None, importance=importance, state=EventState.COMPLETE if finished else None
    )
    event = await lore.events.change(event_id, changes)
    return EventChange(event_id=event.id, content=event.content, state=event.state)


async def delete_event(
    lore: Everlore, event_id: Annotated[Id, Field(description="The id of the event.")]
) -> DeletedEvent:
    """Delete one event for good, with its attachments. This cannot be undone."""
    await lore.events.delete(event_id)
    return DeletedEvent(event_id=event_id)


# ── characters and campaigns ─────────────────────────────────────────────────────────────────────


async def list_characters(
    lore: Everlore,
    limit: Many = 50,
    cursor: Annotated[str, Field(description="`next` of the previous page; empty: the first page.")] = "",
) -> CharacterBriefs:
    """List the characters, with their ids and descriptions."""
    page = await lore.characters.list(kind=PersonKind.CHARACTER, limit=limit, cursor=cursor or None)
    return CharacterBriefs(items=[_brief(each) for each in page.items], next=page.cursor)


def _brief(person: Person) -> CharacterBrief:
    fill = filler(person, None)
    return CharacterBrief(
        id=person.id, name=person.name, description=fill(person.description), personality=fill(person.personality)
    )


async def campaign_recap(
    lore: Everlore, campaign: Annotated[str, Field(description="The id or the name of a campaign.")]
) -> RecapText:
    """Summarize a tabletop campaign so far: its premise, chapters and last sessions, the latest events and discoveries,
    and its world. Built from what is stored, without spoilers."""
    return await recap_of(lore, campaign)


# ── all of them ──────────────────────────────────────────────────────────────────────────────────

ToolFunction = Callable[..., Awaitable[BaseModel]]
TOOLS: tuple[ToolFunction, ...] = (
    search_memories,
    search_memories_by_pair,
    search_memories_by_person,
    remember,
    forget,
    extract_memories,
    get_context,
    capture_event,
    change_event,
    delete_event,
    list_characters,
    campaign_recap,
    *CAMPAIGN_TOOLS,
)
# Hints for clients that ask their user before a tool is called.
READING = frozenset(
    each.__name__
    for each in (
        search_memories,
        search_memories_by_pair,
        search_memories_by_person,
        get_context,
        list_characters,
        campaign_recap,
        *CAMPAIGN_READING,
    )
)
DELETING = frozenset({forget.__name__, delete_event.__name__})


def description_of(tool: ToolFunction) -> str:
    return " ".join((tool.__doc__ or "").split())


def first_sentences(tools: Iterable[ToolFunction] = TOOLS) -> dict[str, str]:
    return {each.__name__: description_of(each).partition(". ")[0].rstrip(".") for each in tools}
