"""What a prompt includes of the older part of a conversation: its important messages, what was learned in it, and its
summaries (P10). Fillers are never read: a long conversation costs no more than a short one.

Start at `older_than`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from everlore.compose.talk import seen_by
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.memory import Memory, Status
from everlore.domain.policy import visibility
from everlore.domain.scope import NOBODY, Scope
from everlore.domain.visibility import Place, Viewer, may_see, place_of
from everlore.domain.weight import IMPORTANT, MOST
from everlore.store.port import Store

# The most important first: old decisions must not be crowded out by recent names and numbers.
_MOST_WEIGHTY = {(MOST, MOST - 1): 150, tuple(range(IMPORTANT, MOST - 1)): 50}
_MOST_LEARNT = 200
# The latest summaries of messages, and above them summaries of summaries: these cover any conversation.
_MOST_SUMMARIES = {(0,): 32, tuple(range(1, 20)): 200}
# A memory of a whole segment says nothing about one of its messages.
_MOST_SOURCES = 8


@dataclass(frozen=True, slots=True)
class OlderHistory:
    messages: tuple[Message, ...] = ()
    learnt: tuple[Memory, ...] = ()
    summaries: tuple[Summary, ...] = ()


async def older_than(
    store: Store,
    scope: Scope,
    conversation: Conversation,
    speaker: Viewer,
    before_seq: int,
    *,
    with_summaries: bool = True,
) -> OlderHistory:
    """What the speaker may know of it: where it was present, and its own memories and those of the user.
    `with_summaries`: False if it is known that there are none."""
    place = place_of(conversation)
    summaries = await _summaries(store, scope, speaker, place) if with_summaries else ()
    if before_seq <= 1:
        return OlderHistory(summaries=summaries)
    of = {"conversation_id": conversation.id}
    learnt, *pages = await asyncio.gather(
        store.find(scope, Memory, {**of, "status": Status.ACTIVE.value}, limit=_MOST_LEARNT, newest_first=True),
        *(
            store.find(scope, Message, {**of, "weight": weights, "hidden": False}, limit=limit, newest_first=True)
            for weights, limit in _MOST_WEIGHTY.items()
        ),
    )
    weighty = [message for page in pages for message in page.items]
    known = [
        each
        for each in learnt.items
        if set(each.persons) <= {conversation.user_id, speaker.person_id}
        and may_see(speaker, each, place)
        and len(each.source_message_ids) <= _MOST_SOURCES
    ]
    sources = await store.get_many(scope, Message, _sources(known, weighty))
    messages = {each.id: each for each in (*weighty, *sources) if each.conversation_id == conversation.id}
    ordered = sorted((each for each in messages.values() if each.seq < before_seq), key=lambda each: each.seq)
    return OlderHistory(
        messages=seen_by(ordered, speaker.person_id or NOBODY),
        learnt=tuple(known),
        summaries=summaries,
    )


async def _summaries(store: Store, scope: Scope, speaker: Viewer, place: Place) -> tuple[Summary, ...]:
    """A character that missed part of it must not learn that part from a summary (R11)."""
    found = await latest_summaries(store, scope, place.conversation_id or "")
    return tuple(each for each in found if may_see(speaker, each, place))


async def latest_summaries(store: Store, scope: Scope, conversation_id: str) -> tuple[Summary, ...]:
    """Enough summaries to cover the whole conversation; none for a caller who may not see any (C4)."""
    if not visibility(scope.role).summaries:
        return ()
    pages = await asyncio.gather(
        *(
            store.find(
                scope, Summary, {"conversation_id": conversation_id, "level": levels}, limit=limit, newest_first=True
            )
            for levels, limit in _MOST_SUMMARIES.items()
        )
    )
    return tuple(summary for page in pages for summary in page.items)


def _sources(memories: Sequence[Memory], there: Sequence[Message]) -> list[str]:
    known = {each.id for each in there}
    # Only the first message that said it: repetitions would be read again for every prompt.
    return list(dict.fromkeys(id for memory in memories for id in memory.source_message_ids[:1] if id not in known))
