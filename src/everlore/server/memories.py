"""Routes for memories: list, create, change, delete, trace to messages, review, search (M5, M6, M10, M11, R5), and
searches without a result (R12)."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

from fastapi import Header, Query
from pydantic import AwareDatetime

from everlore.app import Everlore
from everlore.domain.campaign import Campaign
from everlore.domain.conversation import Conversation, Message
from everlore.domain.memory import Category, Memory, MemoryLink, MemoryType, Status
from everlore.domain.person import USER_ID, Person
from everlore.errors import BadAsk
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import ListOf
from everlore.server.wire_conversations import message_out
from everlore.server.wire_memories import (
    CleanupOut,
    Correction,
    ForgottenOut,
    LinkOut,
    MadeBy,
    MemoryChanges,
    MemoryList,
    MemoryOut,
    MemorySaved,
    MergeAsked,
    MergedMemories,
    MergeProposalOut,
    NewMemory,
    RevisionOut,
    SourceList,
    Verdict,
    link_out,
    memory_out,
    reader_of,
    revision_out,
    saved_out,
)
from everlore.server.wire_recall import (
    KIND_OF,
    HitList,
    MissOut,
    NewSearch,
    Question,
    WhyNot,
    WhyNotAsked,
    answer_out,
)
from everlore.services.idempotency import IdempotencyKey
from everlore.turn.ownership import refuse_unknown_ids

router = Router(prefix="/api/memories", tags=["memories"])
# In the other direction: from a message to the memories formed from it.
of_message = Router(prefix="/api/conversations/{id}/messages/{message_id}", tags=["memories"])
misses = Router(prefix="/api/memory-misses", tags=["memories"])
Limit = Annotated[int, Query(ge=1, le=500)]
# For these, null is a value.
_MAY_BE_NONE = frozenset({"category", "valid_from", "valid_to"})


@router.get("")
async def list_memories(
    lore: Lore,
    status: Annotated[list[Status] | None, Query(description="Any of these statuses.")] = None,
    type: Annotated[list[MemoryType] | None, Query()] = None,
    category: Annotated[list[Category] | None, Query()] = None,
    origin: Annotated[list[MadeBy] | None, Query()] = None,
    conversation_id: str | None = None,
    person_id: str | None = None,
    partner_id: Annotated[str | None, Query(description="The second person of a pair; needs person_id.")] = None,
    message_id: str | None = None,
    campaign_id: str | None = None,
    since: Annotated[AwareDatetime | None, Query(description="Created at or after this time.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Created before this time.")] = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> MemoryList:
    """Lists memories, newest first. All filters that are set must match; a repeated filter matches any of its values.
    The first page has the `total`, if it can be counted."""
    if partner_id is not None and person_id is None:
        raise BadAsk("A partner_id was given without a person_id. Give both, or only person_id.")
    persons = ((Person, person_id), (Person, partner_id))
    others = ((Conversation, conversation_id), (Message, message_id), (Campaign, campaign_id))
    await refuse_unknown_ids(lore.store, lore.scope, *persons, *others)
    where = {
        "status": _values(status),
        "type": _values(type),
        "category": _values(category),
        "origin": origin,
        "conversation_id": conversation_id,
        "persons": person_id,
        "source_message_ids": message_id,
        "campaign_id": campaign_id,
    }
    return await _listed(lore, where, limit, cursor, partner=partner_id, since=since, until=until)


@router.post("", status_code=201)
async def create_memory(
    lore: Lore,
    new: NewMemory,
    idempotency_key: Annotated[
        str | None,
        Header(
            description="A unique key for this request. Repeating the request with it within a day changes nothing."
        ),
    ] = None,
) -> MemorySaved:
    """Saves a statement. A known one is reinforced; one that contradicts a memory supersedes it, or is pending if
    neither is clearly newer. `outcome` says which. A request that is repeated with the same `Idempotency-Key` gets the
    same answer; a different request with that key is refused with 409."""
    if new.partner_id is not None and new.person_id is None:
        raise BadAsk("A partner_id was given without a person_id. Give both, or only person_id.")
    persons = ((Person, new.person_id), (Person, new.partner_id))
    await refuse_unknown_ids(lore.store, lore.scope, *persons, (Conversation, new.conversation_id))
    fields = {name: getattr(new, name) for name in set(NewMemory.model_fields) - {"content", "person_id", "partner_id"}}
    request = IdempotencyKey(idempotency_key, new.model_dump_json()) if idempotency_key is not None else None
    (kept,) = await lore.keep([new.content], person=new.person_id, partner=new.partner_id, request=request, **fields)
    return saved_out(kept, reader_of(lore.scope))


@router.post("/search")
async def search_memories(lore: Lore, asked: NewSearch) -> HitList:
    """Searches by meaning and by keywords. Returns the best matches first, each with a reason."""
    await refuse_unknown_ids(lore.store, lore.scope, (Conversation, asked.conversation_id))
    answer = await lore.recall(asked.query, explain=asked.explain, **_asked(asked))
    return answer_out(answer, reader_of(lore.scope), explained=asked.explain)


@router.delete("/cleanup")
async def clean_up(
    lore: Lore, dry_run: Annotated[bool, Query(description="Dry run: returns what would be removed.")] = False
) -> CleanupOut:
    """Removes orphans: vectors without a text, texts without a record, memories without a person, and keys of jobs that
    finished long ago. Valid data is never removed."""
    return CleanupOut.of(await lore.cleanup(dry_run=dry_run), dry_run=dry_run)


@router.post("/merge-proposal")
async def propose_merge(lore: Lore, asked: MergeAsked) -> MergeProposalOut:
    """Proposes one statement for several memories, by the background model or joined. Nothing is saved: send it to
    `merge`."""
    proposal = await lore.memories.propose_merge(asked.ids)
    return MergeProposalOut(content=proposal.content, model=proposal.model)


@router.get("/about-me")
async def export_about_me(lore: Lore) -> MemoryList:
    """Returns every memory about the caller, of any status, newest first: a copy to keep before deleting them. Memories
    of campaigns are left out."""
    reader = reader_of(lore.scope)
    found = await lore.memories.about(reader)
    return MemoryList(items=[memory_out(each, reader) for each in found], next=None, total=len(found))


@router.delete("/about-me")
async def forget_about_me(
    lore: Lore,
    dry_run: Annotated[bool, Query(description="Dry run: returns how many would be deleted.")] = False,
    expected: Annotated[
        int | None, Query(ge=0, description="The total from the dry run. Required to delete; 409 if it has changed.")
    ] = None,
) -> ForgottenOut:
    """Deletes every memory about the caller for good, of any status, with its history. Memories of campaigns, chats and
    messages stay. Each deletion is in the audit log."""
    reader = reader_of(lore.scope)
    found = Counter(each.status for each in await lore.memories.about(reader))
    if not dry_run:
        if expected is None:
            raise BadAsk(
                "The number of memories to delete is missing. Send dry_run=true first, then its total as expected."
            )
        await lore.forget_about(reader, expected)
    return ForgottenOut(dry_run=dry_run, total=found.total(), by_status=dict(found))


@router.post("/{id}/why-not")
async def explain_memory(lore: Lore, id: str, asked: WhyNotAsked) -> WhyNot:
    """Returns the step of a search, or of the recall for a reply, that drops this memory, if any."""
    await refuse_unknown_ids(lore.store, lore.scope, (Conversation, asked.conversation_id))
    return WhyNot.of(await lore.why_not(id, asked.query, reply_in=asked.reply_in, **_asked(asked)))


def _asked(question: Question) -> dict[str, Any]:
    return {
        "person": question.person_id,
        "partner": question.partner_id,
        "conversation": question.conversation_id,
        "campaign": question.campaign_id,
        "types": question.types,
        "include": [KIND_OF[each] for each in question.include],
        "as_of": question.as_of,
        "min_similarity": question.min_similarity,
        "limit": question.limit,
        "recipe": question.recipe,
    }


@misses.get("")
async def list_misses(lore: Lore, limit: Limit = 50, cursor: str | None = None) -> ListOf[MissOut]:
    """Lists messages for which no memory was found, newest first."""
    page = await lore.misses(limit=limit, cursor=cursor)
    return ListOf[MissOut](items=[MissOut.of(each) for each in page.items], next=page.cursor)


@router.get("/{id}")
async def get_memory(lore: Lore, id: str) -> MemoryOut:
    return memory_out(await lore.memories.get(id), reader_of(lore.scope))


@router.patch("/{id}")
async def change_memory(lore: Lore, id: str, changes: MemoryChanges) -> MemoryOut:
    """Changes a memory and keeps its earlier state. Later learning does not overrule a person's change."""
    sent = {name: getattr(changes, name) for name in changes.model_fields_set - {"note"}}
    given = {name: value for name, value in sent.items() if value is not None or name in _MAY_BE_NONE}
    if not given:
        return memory_out(await lore.memories.get(id), reader_of(lore.scope))
    return memory_out(await lore.edit(id, note=changes.note, **given), reader_of(lore.scope))


@router.delete("/{id}", status_code=204)
async def delete_memory(lore: Lore, id: str) -> None:
    """Deletes a memory for good, with its history and every mention. To prevent relearning, reject it instead."""
    await lore.forget(id)


@router.get("/{id}/history")
async def get_memory_history(lore: Lore, id: str) -> ListOf[RevisionOut]:
    """Lists the earlier states of a memory, oldest first, without the current one."""
    await lore.memories.get(id)
    reader = reader_of(lore.scope)
    return ListOf[RevisionOut](items=[revision_out(each, reader) for each in await lore.history(id)], next=None)


@router.get("/{id}/source")
async def get_memory_source(lore: Lore, id: str) -> SourceList:
    """Lists the messages that a memory came from, in order."""
    messages = await lore.memories.source(id)
    names = await lore.characters.names(each.person_id for each in messages)
    return SourceList(items=[message_out(lore.messages.as_read(each), names) for each in messages], next=None)


@router.get("/{id}/links")
async def get_memory_links(lore: Lore, id: str) -> ListOf[LinkOut]:
    """Lists what a memory supersedes, corrects, contradicts or is related to, in both directions."""
    return ListOf[LinkOut](items=await _linked(lore, id, await lore.memories.links(id)), next=None)


@router.post("/{id}/approve")
async def approve_memory(lore: Lore, id: str) -> MemoryOut:
    """Approves a pending memory. It is active and recalled from now on."""
    return memory_out(await lore.memories.approve(id, by=USER_ID), reader_of(lore.scope))


@router.post("/{id}/reject")
async def reject_memory(lore: Lore, id: str, verdict: Verdict | None = None) -> MemoryOut:
    """Rejects a memory. It is never recalled, and never formed again from the same messages."""
    return memory_out(
        await lore.memories.reject(id, by=USER_ID, note=verdict.note if verdict else ""), reader_of(lore.scope)
    )


@router.post("/{id}/undo")
async def undo_decision(lore: Lore, id: str) -> MemoryOut:
    """Undoes an approval or a rejection: the memory is pending again, and memories that the approval superseded are
    active again. 409 if something else has changed since."""
    return memory_out(await lore.memories.undo(id, by=USER_ID), reader_of(lore.scope))


@router.post("/{id}/correct")
async def correct_memory(lore: Lore, id: str, correction: Correction | None = None) -> MemoryOut:
    """Replaces a memory with the right statement and closes this one. Without `content`, only marks it as wrong. Later
    learning overrules neither."""
    right = correction or Correction()
    if right.content is None:
        return memory_out(await lore.memories.reject(id, by=USER_ID, note=right.note), reader_of(lore.scope))
    return memory_out(
        await lore.memories.correct(id, right.content, by=USER_ID, note=right.note), reader_of(lore.scope)
    )


@router.post("/{id}/merge")
async def merge_memories(lore: Lore, id: str, merging: MergedMemories) -> MemoryOut:
    """Merges memories that say the same into this one, with the given text. It gets the sources of all of them; the
    others are closed and point to it. All must have the same persons, campaign and secrecy."""
    return memory_out(
        await lore.memories.merge(id, merging.other_ids, merging.content, by=USER_ID), reader_of(lore.scope)
    )


@router.post("/{id}/withdraw")
async def withdraw_memory(lore: Lore, id: str, verdict: Verdict | None = None) -> MemoryOut:
    """Withdraws a memory from recall and from lists at once, until it is restored or deleted for good."""
    return memory_out(
        await lore.memories.withdraw(id, by=USER_ID, note=verdict.note if verdict else ""), reader_of(lore.scope)
    )


@router.post("/{id}/restore")
async def restore_memory(lore: Lore, id: str, verdict: Verdict | None = None) -> MemoryOut:
    """Makes a rejected, superseded or withdrawn memory active again."""
    return memory_out(
        await lore.memories.restore(id, by=USER_ID, note=verdict.note if verdict else ""), reader_of(lore.scope)
    )


@of_message.get("/memories")
async def list_memories_of_message(
    lore: Lore, id: str, message_id: str, limit: Limit = 50, cursor: str | None = None
) -> MemoryList:
    """Lists the memories that were formed from a message, newest first."""
    await lore.messages.get(id, message_id)
    return await _listed(lore, {"source_message_ids": message_id}, limit, cursor)


async def _listed(lore: Everlore, where: dict[str, Any], limit: int, cursor: str | None, **within: Any) -> MemoryList:
    asked = {name: value for name, value in where.items() if value is not None}
    page = await lore.memories.list(limit=limit, cursor=cursor, **asked, **within)
    # Filters that are applied after a page is read cannot be counted.
    is_countable = cursor is None and not any(within.values())
    total = await lore.memories.count(**asked) if is_countable else None
    reader = reader_of(lore.scope)
    return MemoryList(items=[memory_out(each, reader) for each in page.items], next=page.cursor, total=total)


def _values(chosen: Sequence[StrEnum] | None) -> list[str] | None:
    return None if chosen is None else [each.value for each in chosen]


async def _linked(lore: Everlore, id: str, links: Sequence[MemoryLink]) -> list[LinkOut]:
    ends = [each.other_id if each.memory_id == id else each.memory_id for each in links]
    there = {each.id: each for each in await lore.store.get_many(lore.scope, Memory, dict.fromkeys(ends))}
    reader = reader_of(lore.scope)
    return [link_out(link, there[end], reader) for link, end in zip(links, ends, strict=True) if end in there]
