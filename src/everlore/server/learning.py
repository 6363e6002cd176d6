"""Routes for learning on demand and its results: readings, keyframes, analyses, summaries, interactions, events (C7,
F4, K1, K3, K5, W1)."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import AwareDatetime, BaseModel

from everlore.app import Everlore
from everlore.domain.conversation import Summary
from everlore.domain.job import Job
from everlore.domain.reading import Filter
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import ListOf, RecordModel
from everlore.server.wire_memories import (
    AnalysisOut,
    Asked,
    EventOut,
    FilterCounts,
    InteractionOut,
    ReadingOut,
    analysis_out,
    counts_out,
    interaction_out,
    memory_out,
    reader_of,
    reading_out,
)


class SummaryOut(RecordModel, record=Summary):
    """Replaces the messages `first_seq` to `last_seq` in prompts. `level` 0 summarises messages, higher ones summaries;
    `extractive`: quoted, because no model answered; `persons` were present throughout."""


class SummedUp(BaseModel):
    """`made` is empty unless the request waited."""

    jobs: list[str]
    made: list[SummaryOut]


of_conversation = Router(prefix="/api/conversations/{id}", tags=["learning"])
router = Router(prefix="/api", tags=["learning"])
Limit = Annotated[int, Query(ge=1, le=500)]
Wait = Annotated[bool, Query(description="Wait until it is finished, and return the memories.")]
WaitForSummaries = Annotated[bool, Query(description="Wait until it is finished, and return the summaries.")]
Again = Annotated[bool, Query(description="Include messages that were read before. Known facts are not saved twice.")]
AgainFormed = Annotated[bool, Query(description="Form existing segments again, too.")]
Refused = Annotated[bool, Query(description="Only extractions with a rejected candidate.")]
Stopped = Annotated[Filter | None, Query(description="Only extractions in which this filter stopped a candidate.")]
_WAITED: dict[int | str, dict[str, Any]] = {
    200: {"model": Asked, "description": "Finished."},
    202: {"model": Asked, "description": "Queued."},
}

_SUMMED_UP: dict[int | str, dict[str, Any]] = {
    200: {"model": SummedUp, "description": "Finished."},
    202: {"model": SummedUp, "description": "Queued."},
}


# ── start learning ───────────────────────────────────────────────────────────────────────────────


@of_conversation.post("/extract", status_code=202, responses=_WAITED)
async def extract(lore: Lore, id: str, response: Response, wait: Wait = False, again: Again = False) -> Asked:
    """Extracts facts from the user's messages that were not read yet, or only by rules before there was a model."""
    return await _asked(lore, id, await lore.learning.extract(id, again=again), response, wait=wait)


@of_conversation.post("/keyframe", status_code=202, responses=_WAITED)
async def keyframe(lore: Lore, id: str, response: Response, wait: Wait = False, again: AgainFormed = False) -> Asked:
    """Forms a segment from the messages since the last keyframe, even if it is short."""
    return await _asked(lore, id, await lore.learning.keyframe(id, again=again), response, wait=wait)


@of_conversation.post("/analyze", status_code=202, responses=_WAITED)
async def analyze(lore: Lore, id: str, response: Response, wait: Wait = False, again: Again = False) -> Asked:
    """Analyses the whole conversation, if it has new messages since the last analysis. Needs a language model."""
    return await _asked(lore, id, await lore.learning.analyze(id, again=again), response, wait=wait)


@of_conversation.post("/summarize", status_code=202, responses=_SUMMED_UP)
async def summarize(lore: Lore, id: str, response: Response, wait: WaitForSummaries = False) -> SummedUp:
    """Summarises the older half of the messages without a summary, even if it is short, and quoted extracts."""
    jobs = await lore.learning.summarize(id)
    made = await lore.learning.summed_up(id, jobs, lore.finished) if wait else []
    response.status_code = 200 if wait else 202
    return SummedUp(jobs=[job.id for job in jobs], made=[SummaryOut.of(each) for each in made])


async def _asked(lore: Everlore, id: str, jobs: Sequence[Job], response: Response, *, wait: bool) -> Asked:
    formed = await lore.learning.outcome(id, jobs, lore.finished) if wait else []
    response.status_code = 200 if wait else 202
    return Asked(jobs=[job.id for job in jobs], formed=[memory_out(each, reader_of(lore.scope)) for each in formed])


# ── results ──────────────────────────────────────────────────────────────────────────────────────


@of_conversation.get("/analyses")
async def list_analyses(lore: Lore, id: str, limit: Limit = 50, cursor: str | None = None) -> ListOf[AnalysisOut]:
    """Lists analyses, newest first."""
    page = await lore.learning.analyses(id, limit=limit, cursor=cursor)
    memories = await lore.learning.memories_of(page.items)
    return ListOf[AnalysisOut](
        items=[analysis_out(each, memories, reader_of(lore.scope)) for each in page.items], next=page.cursor
    )


@of_conversation.get("/summaries")
async def list_summaries(
    lore: Lore,
    id: str,
    level: Annotated[int | None, Query(ge=0, le=100, description="0: of messages; higher: of summaries.")] = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> ListOf[SummaryOut]:
    """Lists summaries in the order of the messages that they cover. Empty for callers who may not see any."""
    page = await lore.learning.summaries(id, level=level, limit=limit, cursor=cursor)
    return ListOf[SummaryOut](items=[SummaryOut.of(each) for each in page.items], next=page.cursor)


@of_conversation.get("/interactions")
async def list_interactions(
    lore: Lore, id: str, limit: Limit = 50, cursor: str | None = None
) -> ListOf[InteractionOut]:
    """Lists the interactions between the persons of a conversation, newest first."""
    page = await lore.learning.interactions(id, limit=limit, cursor=cursor)
    return ListOf[InteractionOut](items=[interaction_out(each) for each in page.items], next=page.cursor)


@router.get("/interactions")
async def list_all_interactions(
    lore: Lore,
    person_id: str | None = None,
    conversation_id: str | None = None,
    since: Annotated[AwareDatetime | None, Query(description="Began at or after this time.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Began before this time.")] = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> ListOf[InteractionOut]:
    """Lists interactions by when they began, newest first; of all conversations, or with one participant."""
    page = await lore.learning.interactions(
        conversation_id, person=person_id, since=since, until=until, limit=limit, cursor=cursor
    )
    return ListOf[InteractionOut](items=[interaction_out(each) for each in page.items], next=page.cursor)


@router.get("/interactions/{id}")
async def get_interaction(lore: Lore, id: str) -> InteractionOut:
    return interaction_out(await lore.learning.interaction(id))


@of_conversation.get("/event")
async def get_event(lore: Lore, id: str) -> EventOut:
    """Returns the event that covers the whole conversation, from its first message to its end."""
    return EventOut.of(await lore.learning.event(id))


@of_conversation.get("/readings")
async def list_readings_of_conversation(
    lore: Lore, id: str, refused: Refused = False, filter: Stopped = None, limit: Limit = 50, cursor: str | None = None
) -> ListOf[ReadingOut]:
    """Lists the extractions of a conversation, newest first. Rejected candidates name the filter that stopped them."""
    return await _readings(lore, id, refused, filter, limit, cursor)


@router.get("/readings")
async def list_readings(
    lore: Lore, refused: Refused = False, filter: Stopped = None, limit: Limit = 50, cursor: str | None = None
) -> ListOf[ReadingOut]:
    """Lists the extractions of the whole workspace, newest first."""
    return await _readings(lore, None, refused, filter, limit, cursor)


@router.get("/readings/filters")
async def count_filters(lore: Lore, conversation_id: str | None = None) -> FilterCounts:
    """Returns how often each filter stopped a candidate."""
    return counts_out(await lore.learning.filtered(conversation_id))


async def _readings(
    lore: Everlore, id: str | None, refused: bool, filter: Filter | None, limit: int, cursor: str | None
) -> ListOf[ReadingOut]:
    page = await lore.learning.readings(id, refused=refused, filter=filter, limit=limit, cursor=cursor)
    return ListOf[ReadingOut](items=[reading_out(each) for each in page.items], next=page.cursor)
