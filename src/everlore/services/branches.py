"""Branches a conversation: a new one shares the messages of another up to one of them, and the memories of that past
(M15).

Start at `save_branch`.
"""

from collections.abc import Sequence
from dataclasses import replace

from everlore.domain.conversation import PINNED, Conversation, ConversationState, Message
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.learning.provenance import carried
from everlore.learning.summaries.kept import carried_on
from everlore.store.port import Change, Put
from everlore.turn import follow_up
from everlore.turn.resources import Resources
from everlore.turn.tellings import carried_over


async def save_branch(
    resources: Resources, scope: Scope, parent: Conversation, shared: Sequence[Message], title: str | None
) -> Conversation:
    """`shared`: the messages up to the point where it branches off."""
    now = resources.clock()
    branch = replace(
        parent,
        id=resources.new_id(),
        title=title if title is not None else (f"{parent.title} (branch)" if parent.title else ""),
        state=ConversationState.OPEN,
        metadata={name: value for name, value in parent.metadata.items() if name != PINNED},
        branched_from_id=parent.id,
        branched_at_id=shared[-1].id,
        titled_from=(),
        message_count=0,
        created_at=now,
        updated_at=now,
        closed_at=None,
    )
    copies = [_copy(each, resources.new_id(), branch.id) for each in shared]
    if title is None:
        ids = tuple(copy.id for each, copy in zip(shared, copies, strict=True) if each.id in parent.titled_from)
        branch = replace(branch, titled_from=ids)
    past = await _past(resources, scope, parent, branch, shared, copies)
    await resources.store.apply(scope, [Put(branch), *(Put(copy) for copy in copies), *past])
    return branch


async def _past(
    resources: Resources,
    scope: Scope,
    parent: Conversation,
    branch: Conversation,
    shared: Sequence[Message],
    copies: Sequence[Message],
) -> Sequence[Change]:
    """A branch has the memories of its own past (M15), and is an event of its own (K5)."""
    store, now, new_id = resources.store, resources.clock(), resources.new_id
    ids = [id for id in (branch.user_id, *branch.system_ids) if id is not None]
    persons = {each.id: each for each in await store.get_many(scope, Person, ids)}
    event = follow_up.opening(branch, persons, shared[0].created_at)
    learnt = await carried(store, scope, parent, branch, shared, copies, now, new_id)
    told = await carried_on(store, scope, parent, branch, shared)
    return [*event, *learnt, *told, *await carried_over(resources, scope, shared, copies)]


def _copy(message: Message, id: str, conversation_id: str) -> Message:
    metadata = message.metadata | {"copied_from": message.id}
    return replace(message, id=id, conversation_id=conversation_id, seq=0, metadata=metadata)
