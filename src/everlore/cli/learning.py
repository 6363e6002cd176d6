"""The commands for learning: extract, keyframe, analyze, and its results: analyses, interactions, timeline, refused.

Commands that start work wait for it, and do it themselves if no server or worker does (F4, K1, K3, K5, W1). The
commands for summaries are in `summaries`.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated

from everlore.cli.commands import Answer
from everlore.cli.memories import read_time
from everlore.cli.options import Cursor, Limit, argument, flag, option, optional
from everlore.cli.output import more_lines, note, shown, when
from everlore.cli.review import known, memory_lines
from everlore.cli.session import CommandOptions
from everlore.errors import BadAsk, NotFound

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.analysis import Analysis
    from everlore.domain.event import Event
    from everlore.domain.interaction import Interaction
    from everlore.domain.job import Job
    from everlore.domain.memory import Memory
    from everlore.domain.reading import Filter, Reading
    from everlore.store.answers import Page

Conversation = Annotated[str, argument("CONVERSATION", "Its id; `everlore conversations` lists them.")]
Again = Annotated[bool, flag("--again", "Read everything again, not only new messages.")]
Wait = Annotated[bool, flag("--wait/--no-wait", "Wait until it is done, or leave it in the queue.")]


# ── start learning ───────────────────────────────────────────────────────────────────────────────


async def extract(
    lore: "Everlore", asked: CommandOptions, conversation: Conversation, again: Again = False, wait: Wait = True
) -> Answer:
    """Extract facts from the user's messages in a conversation.

    Reads new messages, and those that were read without a model. Known facts are not saved twice.
    """
    queue = partial(lore.learning.extract, conversation, again=again)
    return await _learn(lore, asked, conversation, queue, wait=wait, idle="No new messages.")


async def keyframe(
    lore: "Everlore",
    asked: CommandOptions,
    conversation: Conversation,
    again: Annotated[bool, flag("--again", "Rebuild existing segments too.")] = False,
    wait: Wait = True,
) -> Answer:
    """Summarize the conversation since the last keyframe.

    Works from four messages on. Saves a summary and at most one memory of the most important moment.
    """
    queue = partial(lore.learning.keyframe, conversation, again=again)
    return await _learn(
        lore, asked, conversation, queue, wait=wait, nothing="No new keyframe: too few messages since the last one."
    )


async def analyze(
    lore: "Everlore",
    asked: CommandOptions,
    conversation: Conversation,
    again: Annotated[bool, flag("--again", "Even if there are no new messages.")] = False,
    wait: Wait = True,
) -> Answer:
    """Analyze a conversation: summary, themes, tone, memories.

    Needs a language model. `everlore analyses` shows the result.
    """
    queue = partial(lore.learning.analyze, conversation, again=again)
    return await _learn(
        lore, asked, conversation, queue, wait=wait, nothing="No new memories; `everlore analyses` shows the analysis."
    )


async def _learn(
    lore: "Everlore",
    asked: CommandOptions,
    conversation: str,
    queue: "Callable[[], Awaitable[list[Job]]]",
    *,
    wait: bool,
    idle: str = "",
    nothing: str = "No new memories. `everlore refused` shows what was not saved, and why.",
) -> Answer:
    """`idle` is printed if there was nothing to do, and `nothing` if there was no result."""
    # The model servers of this machine have not been detected yet.
    await lore.backends.look()
    try:
        jobs = await queue()
    except NotFound as error:
        raise NotFound(f"{error} `everlore conversations` lists them.") from None
    formed: list[Memory] = []
    if wait and jobs:
        if not asked.as_json:
            note(f"Working on {_counted(len(jobs), 'job')} … (Ctrl-C leaves them in the queue)")
        formed = await lore.learning.outcome(conversation, jobs, lore.finished)
    document = {"jobs": [job.id for job in jobs], "formed": formed}
    return Answer(document, _learnt_lines(jobs, formed, nothing if jobs else idle, wait=wait))


def _learnt_lines(jobs: "list[Job]", formed: "list[Memory]", nothing: str, *, wait: bool) -> Iterator[str]:
    if jobs and not wait:
        yield f"Queued {_counted(len(jobs), 'job')}. A server or `everlore worker` will run it."
    elif not formed:
        yield nothing
    yield from memory_lines(formed)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


# ── results ──────────────────────────────────────────────────────────────────────────────────────


async def analyses(lore: "Everlore", conversation: Conversation, limit: Limit = 10, cursor: Cursor = None) -> Answer:
    """Show the analyses of a conversation, newest first."""
    page = await lore.learning.analyses(conversation, limit=limit, cursor=cursor)
    memories = await lore.learning.memories_of(page.items)
    return Answer({"items": page.items, "next": page.cursor}, _analysis_lines(page, memories))


async def interactions(
    lore: "Everlore",
    conversation: Annotated[str | None, argument("CONVERSATION", "Its id; without one, everywhere.")] = None,
    person: Annotated[str | None, optional("--person", "NAME|ID", "Only with this person.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Answer:
    """List interactions between people, newest first.

    In one conversation, or all interactions of a person.
    """
    one = await lore.characters.named(person) if person is not None else None
    page = await lore.learning.interactions(conversation, person=one, limit=limit, cursor=cursor)
    names = await lore.characters.names(id for each in page.items for id in (each.actor_id, each.interactor_id))
    return Answer({"items": page.items, "next": page.cursor}, _interaction_lines(page, names))


async def timeline(
    lore: "Everlore",
    person: Annotated[str | None, optional("--person", "NAME|ID", "Only with this person.")] = None,
    since: Annotated[
        str | None, optional("--since", "TIME", "From this time on: 2024-05-31 or 2024-05-31T20:00Z.")
    ] = None,
    until: Annotated[str | None, optional("--until", "TIME", "Before that time.")] = None,
    type: Annotated[list[str] | None, optional("--type", "TYPE", "Only events of this type; may be repeated.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Answer:
    """List events and who took part, newest first."""
    begin, end = (read_time(each) if each is not None else None for each in (since, until))
    types = [_event_type(each) for each in type or ()]
    page = await lore.learning.timeline(
        person=await known(lore, person), since=begin, until=end, types=types, limit=limit, cursor=cursor
    )
    names = await lore.characters.names(id for each in page.items for id in (*each.actors, *each.participants))
    return Answer({"items": page.items, "next": page.cursor}, _timeline_lines(page, names))


async def refused(
    lore: "Everlore",
    conversation: Annotated[
        str | None, argument("[CONVERSATION]", "Its id; without it, of the whole workspace.")
    ] = None,
    counts: Annotated[bool, flag("--counts", "Only counts per filter.")] = False,
    filter: Annotated[str | None, optional("--filter", "FILTER", "Only what this filter stopped.")] = None,
    limit: Annotated[int, option("--limit", "N", "Maximum number of extractions to check.")] = 50,
    cursor: Cursor = None,
) -> Answer:
    """Show what was not saved: which filter stopped it, and why.

    Newest first. --counts shows how much each filter stopped.
    """
    only = _filter(filter)
    if counts:
        found = await lore.learning.filtered(conversation)
        kept = {filter.value: number for filter, number in found.items() if only in (None, filter)}
        return Answer(kept, (f"{number:>7,}  {name}" for name, number in kept.items()))
    page = await lore.learning.readings(conversation, refused=True, filter=only, limit=limit, cursor=cursor)
    items = [item for reading in page.items for item in _refusals(reading, only)]
    return Answer({"items": items, "next": page.cursor}, _refused_lines(items, page.cursor))


def _filter(name: str | None) -> "Filter | None":
    from everlore.domain.reading import Filter

    if name is None:
        return None
    try:
        return Filter(name.lower())
    except ValueError:
        raise BadAsk(f"There is no filter {name!r}. Possible: {', '.join(Filter)}.") from None


def _event_type(name: str) -> str:
    from everlore.domain.event import EventType

    try:
        return EventType(name.lower()).value
    except ValueError:
        raise BadAsk(f"There is no event of type {name!r}. Possible: {', '.join(EventType)}.") from None


# ── output ───────────────────────────────────────────────────────────────────────────────────────


def _analysis_lines(page: "Page", memories: "Mapping[str, Memory]") -> Iterator[str]:
    if not page.items:
        yield "No analyses. `everlore analyze CONVERSATION` makes one."
    for each in page.items:
        yield f"{when(each.created_at)}  {shown(each.model)}  up to message {each.last_seq}"
        yield f"  {shown(each.summary)}"
        yield from _analysis_details(each)
        formed = [memories[id] for id in each.memory_ids if id in memories]
        yield from (f"  {memory.type.value}: {shown(memory.content)} ({memory.id})" for memory in formed)
    yield from more_lines(page.cursor)


def _analysis_details(analysis: "Analysis") -> Iterator[str]:
    told = {
        "themes": analysis.themes,
        "topics": analysis.key_topics,
        "tone": (analysis.tone,) if analysis.tone else (),
        "arc": analysis.emotional_arc,
        "who": analysis.participants,
    }
    for name, values in told.items():
        if values:
            yield f"  {name}: {shown(', '.join(values))}"


def _interaction_lines(page: "Page", names: Mapping[str, str]) -> Iterator[str]:
    if not page.items:
        yield "No interactions. Finding them needs a language model and a keyframe."
    for each in page.items:
        yield _interaction_line(each, names)
        if each.description:
            yield f"    {shown(each.description)}"
    yield from more_lines(page.cursor)


def _interaction_line(each: "Interaction", names: Mapping[str, str]) -> str:
    from everlore.domain.interaction import tone_of

    actor, interactor = (names.get(id, "(deleted)") for id in (each.actor_id, each.interactor_id))
    outcome = f"{each.actor_outcome} / {each.interactor_outcome}"
    who = shown(f"{actor} → {interactor}")
    return f"{when(each.started_at)}  {each.type} ({tone_of(each.type)})  {who}  {outcome}"


def _timeline_lines(page: "Page", names: Mapping[str, str]) -> Iterator[str]:
    if not page.items:
        yield "No events."
    for each in page.items:
        yield _event_line(each, names)
    yield from more_lines(page.cursor)


def _event_line(event: "Event", names: Mapping[str, str]) -> str:
    ended = when(event.ended_at) if event.ended_at else "…" if event.state == "in_progress" else ""
    who = ", ".join(names.get(id, "(deleted)") for id in dict.fromkeys((*event.actors, *event.participants)))
    about = f"  {event.conversation_id}" if event.conversation_id else ""
    span = f"{when(event.at)} – {ended}".removesuffix(" – ")
    return f"{span:<35}  {event.type}  {shown(event.content)}  [{shown(who)}]{shown(about)}"


def _refusals(reading: "Reading", only: "Filter | None") -> Iterator[dict[str, object]]:
    from everlore.domain.reading import refusals_of

    for each in refusals_of(reading):
        if only in (None, each.filter):
            yield {
                "content": each.content,
                "filter": each.filter,
                "note": each.note,
                "conversation_id": reading.conversation_id,
                "message_id": reading.message_id,
                "extractor": reading.extractor,
                "model": reading.model,
                "at": reading.created_at,
            }


def _refused_lines(items: list[dict[str, object]], cursor: str | None) -> Iterator[str]:
    if not items:
        yield "Nothing was filtered out."
    width = max((len(str(each["filter"])) for each in items), default=0)
    for each in items:
        why = f"  ({each['note']})" if each["note"] else ""
        content, message = shown(f"{each['content']}{why}"), shown(str(each["message_id"]))
        yield f"{each['filter']:<{width}}  {each['model']}  {message}  {content}"
    yield from more_lines(cursor)
