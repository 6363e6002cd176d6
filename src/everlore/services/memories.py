"""Managing memories: list, trace to messages, approve, reject, correct, merge, withdraw, restore.

M5, M6, M10, M11. Start at `Memories.list`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from everlore.domain.conversation import Conversation, Message
from everlore.domain.memory import Memory, MemoryLink, Status
from everlore.domain.revision import revise
from everlore.domain.visibility import may_keep
from everlore.errors import Conflict
from everlore.learning.confirmation import contradicted_by
from everlore.learning.model_records import after_withdrawal
from everlore.learning.provenance import shared_with
from everlore.learning.saving import review
from everlore.learning.saving.flow import outdated_by
from everlore.services.base import Service
from everlore.services.memory_merge import MergeProposal, propose_merge
from everlore.store.answers import Page
from everlore.store.port import Change, Put
from everlore.turn.ownership import memory_of, open_to
from everlore.turn.viewers import viewer_of

_MOST_LINKS = 200
_MOST_AT_ONCE = 500
# The cursor of the page with the memories that a branch shares.
_SHARED = "shared"
_SHOWN = tuple(each.value for each in Status if each is not Status.DELETED)


class Memories(Service):
    async def list(
        self,
        *,
        partner: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 50,
        cursor: str | None = None,
        **where: Any,
    ) -> Page:
        """Latest first; `where` may name a status, type, category, origin, conversation_id, campaign_id, persons (one
        id) or source_message_ids (one id), and a collection means any of its values. `partner` is another person with a
        part in it, and `since` ≤ its creation < `until`. Withdrawn memories are only listed by that status. A page may
        have fewer than its limit: what the caller may not see is left out."""
        where.setdefault("status", _SHOWN)
        branch = await self._branch(where.get("conversation_id"))
        if cursor == _SHARED and branch is not None:
            return Page(await self._shared(branch, where, partner, since, until), None)
        page = await self._listed(where, partner, since, until, limit, cursor)
        # The memories that a branch shares are older than its own, and follow on a page of their own.
        has_more = page.cursor is None and branch is not None
        if not page.items and has_more and branch is not None:
            return Page(await self._shared(branch, where, partner, since, until), None)
        return Page(page.items, _SHARED) if has_more else page

    async def _branch(self, conversation_id: object) -> Conversation | None:
        if not isinstance(conversation_id, str):
            return None
        found = await self._store.get_many(self._scope, Conversation, [conversation_id])
        return found[0] if found and found[0].branched_from_id is not None else None

    async def _shared(
        self,
        branch: Conversation,
        where: dict[str, Any],
        partner: str | None,
        since: datetime | None,
        until: datetime | None,
    ) -> tuple[Memory, ...]:
        viewer = await viewer_of(self._store, self._scope)
        asked = {name: each for name, each in where.items() if name != "conversation_id"}
        return tuple(
            each
            for each in await shared_with(self._store, self._scope, branch)
            if _matches(each, asked) and may_keep(viewer, each) and _is_within(each, partner, since, until)
        )

    async def _listed(
        self,
        where: dict[str, Any],
        partner: str | None,
        since: datetime | None,
        until: datetime | None,
        limit: int,
        cursor: str | None,
    ) -> Page:
        viewer = await viewer_of(self._store, self._scope)
        # In a game that they run, they manage everybody's memories.
        is_theirs = viewer.sees_all or where.get("campaign_id") in viewer.runs
        own = {} if is_theirs else {"persons": self._scope.confined_to}
        while True:
            page = await self._store.find(
                self._scope, Memory, where | own, limit=limit, cursor=cursor, newest_first=True
            )
            kept = tuple(
                each for each in page.items if may_keep(viewer, each) and _is_within(each, partner, since, until)
            )
            is_past = since is not None and any(each.created_at < since for each in page.items)
            cursor = None if is_past else page.cursor
            if kept or cursor is None:
                return Page(kept, cursor)

    async def count(self, **where: Any) -> int | None:
        """The number of memories that `list` would return; None if counting would need all of them to be read."""
        viewer = await viewer_of(self._store, self._scope)
        if not viewer.sees_all or await self._branch(where.get("conversation_id")) is not None:
            return None
        where.setdefault("status", _SHOWN)
        return await self._store.count(self._scope, Memory, where)

    async def get(self, id: str) -> Memory:
        return await memory_of(self._store, self._scope, id)

    async def links(self, id: str) -> tuple[MemoryLink, ...]:
        """Links from and to it: what it supersedes, corrects, contradicts or is related to."""
        await self.get(id)
        pages = [
            await self._store.find(self._scope, MemoryLink, {end: id}, limit=_MOST_LINKS)
            for end in ("memory_id", "other_id")
        ]
        return tuple(link for page in pages for link in page.items)

    async def source(self, id: str) -> tuple[Message, ...]:
        """Its source messages, in order (M5), as far as the caller may read them."""
        memory = await self.get(id)
        found = await self._store.get_many(self._scope, Message, memory.source_message_ids)
        theirs = await open_to(self._store, self._scope, found)
        return tuple(sorted(theirs, key=lambda message: (message.created_at, message.seq)))

    async def approve(self, id: str, *, by: str) -> Memory:
        """Approve a pending memory: it is recalled from now on, and what it contradicts is closed."""
        memory = await self.get(id)
        contradicted = await contradicted_by(self._store, self._scope, memory)
        return await self._change(review.approved(memory, self._resources.clock(), by=by, contradicted=contradicted))

    async def reject(self, id: str, *, by: str, note: str = "") -> Memory:
        """Mark it as wrong: never recalled, and not formed again from the same messages."""
        memory = await self.get(id)
        changes = review.rejected(memory, self._resources.clock(), by=by)
        return await self._change([*_noted(changes, id, note), *await self._against_reader(memory)])

    async def undo(self, id: str, *, by: str) -> Memory:
        """Undo anybody's decision on a pending memory: it is pending again, and what its approval closed is
        active again."""
        memory, store = await self.get(id), self._store
        earlier = await store.history(self._scope, id)
        where = {"superseded_by": id, "status": Status.SUPERSEDED.value}
        found = (await store.find(self._scope, Memory, where, limit=_MOST_LINKS)).items
        closed = [(each, (await store.history(self._scope, each.id))[-1]) for each in found]
        last = earlier[-1] if earlier else None
        return await self._change(review.undone(memory, last, closed, self._resources.clock(), by=by))

    async def correct(self, id: str, content: str, *, by: str, note: str = "") -> Memory:
        """Replace a wrong memory with this one; later extraction does not override it. What the same user told others
        and this contradicts is closed too."""
        memory, now = await self.get(id), self._resources.clock()
        changes = review.corrected(memory, content, now, self._resources.new_id, by=by)
        others = await self._outdated(memory, changes, now, by=by)
        return await self._change([*_noted(changes, id, note), *others, *await self._against_reader(memory)])

    async def _outdated(self, wrong: Memory, changes: Sequence[Change], now: datetime, *, by: str) -> Sequence[Change]:
        right = next((each.record for each in changes if isinstance(each, Put) and each.record.id != wrong.id), None)
        if not isinstance(right, Memory):
            return ()
        found = await outdated_by(self._store, self._scope, right, wrong, now)
        return review.outdated(right, found, now, by=by)

    async def restore(self, id: str, *, by: str, note: str = "") -> Memory:
        """A closed or withdrawn memory becomes active again: people may change their mind."""
        memory = await self.get(id)
        if memory.status not in (Status.REJECTED, Status.SUPERSEDED, Status.DELETED):
            raise Conflict(
                f"Memory {id!r} is {memory.status.value}, and only a rejected, superseded or forgotten memory can "
                "be restored."
            )
        fields = {
            "status": Status.ACTIVE,
            "valid_to": None,
            "superseded_by": None,
            "edited_by_person": True,
            "extra": {name: each for name, each in memory.extra.items() if name != review.MERGED},
        }
        return await self._change([Put(revise(memory, self._resources.clock(), **fields), by=by, note=note)])

    async def withdraw(self, id: str, *, by: str, note: str = "") -> Memory:
        """Remove it from recall and from the lists. `restore` undoes that; deleting it is permanent."""
        memory = await self.get(id)
        return await self._change(_noted(review.withdrawn(memory, self._resources.clock(), by=by), id, note))

    async def merge(self, id: str, others: Sequence[str], content: str | None = None, *, by: str) -> Memory:
        """Merge memories that say the same into this one, with this text; the others are closed and link to it."""
        kept, same = await self.get(id), [await self.get(each) for each in dict.fromkeys(others)]
        return await self._change(
            review.merged(kept, same, content, self._resources.clock(), self._resources.new_id, by=by)
        )

    async def propose_merge(self, ids: Sequence[str]) -> MergeProposal:
        """Propose one statement for several memories, to be edited before they are merged. Nothing is saved."""
        memories = [await self.get(each) for each in dict.fromkeys(ids)]
        return await propose_merge(self._resources, self._scope, [each.content for each in memories])

    async def about(self, person_id: str) -> tuple[Memory, ...]:
        """Every memory of this person that the caller may delete, whatever its status. Memories of a campaign belong to
        its table, and are not included."""
        where = {"persons": person_id, "status": tuple(each.value for each in Status)}
        found: list[Memory] = []
        cursor: str | None = None
        while True:
            page = await self._listed(where, None, None, None, _MOST_AT_ONCE, cursor)
            found += [each for each in page.items if each.campaign_id is None]
            cursor = page.cursor
            if cursor is None:
                return tuple(found)

    async def _against_reader(self, memory: Memory) -> Sequence[Change]:
        """A rejection counts against the model that proposed the memory, unless it was marked as doubtful anyway."""
        if memory.status is Status.PENDING:
            return ()
        return await after_withdrawal(self._store, self._scope, memory, self._resources.clock())

    async def _change(self, changes: Sequence[Change]) -> Memory:
        """The first of the changes is the memory that the caller gets back."""
        results = await self._apply(changes)
        stored: Memory = results[0]
        return stored


def _matches(memory: Memory, where: Mapping[str, Any]) -> bool:
    """Like a filter of the store: each field has one of the given values."""
    for name, value in where.items():
        wanted = {value} if isinstance(value, str) or value is None else set(value)
        there = getattr(memory, name)
        if wanted.isdisjoint(there if isinstance(there, tuple) else (there,)):
            return False
    return True


def _is_within(memory: Memory, partner: str | None, since: datetime | None, until: datetime | None) -> bool:
    is_shared = partner is None or partner in memory.persons
    is_late = since is None or memory.created_at >= since
    return is_shared and is_late and (until is None or memory.created_at < until)


def _noted(changes: Sequence[Change], id: str, note: str) -> list[Change]:
    """Adds the person's note to the change of the memory that they judged."""
    return [
        replace(each, note=note) if note and isinstance(each, Put) and each.record.id == id else each
        for each in changes
    ]
