"""Finds the memories that a new statement may repeat or contradict: those of the same people, and those that the same
user told others, which it may only contradict.

If there are few, all are compared; otherwise only those with the same words, the same person and slot, the same object,
or shared rare words, so that saving ten thousand statements takes only ten times as long as a thousand. Start at
`NeighbourIndex.around`.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from everlore.domain.claim import USER
from everlore.domain.memory import Memory, Origin, Status, Visible, is_shared_with
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person, PersonKind
from everlore.domain.scope import Scope
from everlore.learning.candidate import Candidate
from everlore.learning.claims import ClaimFrame, introduced
from everlore.learning.relations import respect_of
from everlore.learning.saving.draft import Batch
from everlore.learning.saving.likeness import Statement, stated
from everlore.store.all_pages import all_of
from everlore.store.port import Change, Delete, Put, Search, Store, Vector

_KNOWN = frozenset(status.value for status in Status if status is not Status.DELETED)
# Keys in `extra` of memories that a branch formed or took over.
_FORKED = frozenset({"in_branch", "carried_from"})
_LIMIT = 60
_POOL = 120
# Maximum number of identity memories and memories by hand: few, and compared whatever their words.
_MOST_KEPT = 500
_MOST_QUERY_CHARS = 2_000
# Up to this number all memories are compared.
_FEW = 200
# Maximum number of memories per key, the latest first.
_MOST_OF_A_KEY = 30
# A search costs about as much as reading this many memories.
_READ_PER_SEARCH = 60
_PAGE = 1_000

Key = tuple[str, ...]


class NeighbourIndexes:
    """One index per group of people and place, shared while statements are saved together. Each thing is fetched once:
    meanwhile only these statements change the store."""

    def __init__(self, store: Store, scope: Scope) -> None:
        self.store = store
        self.scope = scope
        # Whether each person is a user.
        self.users: dict[str, bool] = {}
        self._by_place: dict[tuple[object, ...], NeighbourIndex] = {}
        self._found: dict[tuple[object, ...], Sequence[Memory]] = {}
        self._counted: dict[str, int] = {}
        self._from_source: dict[str, list[Memory]] = {}

    def of(self, batch: Batch) -> "NeighbourIndex":
        place = (
            batch.persons,
            batch.conversation_id,
            batch.campaign_id,
            batch.branched_from_id,
            batch.is_private,
            batch.by_hand,
        )
        if place not in self._by_place:
            self._by_place[place] = NeighbourIndex(self, batch)
        return self._by_place[place]

    async def from_sources(self, message_ids: Sequence[str]) -> list[Memory]:
        """The memories from these messages; those of all given messages are fetched together."""
        unknown = [id for id in message_ids if id not in self._from_source]
        if unknown:
            self._from_source |= {id: [] for id in unknown}
            for memory in await self.find({"source_message_ids": tuple(unknown)}):
                for id in set(memory.source_message_ids) & set(unknown):
                    self._from_source[id].append(memory)
        return [memory for id in message_ids for memory in self._from_source[id]]

    async def find(self, where: Mapping[str, object]) -> Sequence[Memory]:
        key = tuple(where.items())
        if key not in self._found:
            page = await self.store.find(self.scope, Memory, where, limit=_MOST_KEPT, newest_first=True)
            self._found[key] = page.items
        return self._found[key]

    async def all_of(self, person_id: str) -> Sequence[Memory]:
        key = ("all", person_id)
        if key not in self._found:
            self._found[key] = await all_of(self.store, self.scope, Memory, {"persons": person_id}, at_a_time=_PAGE)
        return self._found[key]

    async def count(self, person_id: str) -> int:
        if person_id not in self._counted:
            self._counted[person_id] = await self.store.count(self.scope, Memory, {"persons": person_id})
        return self._counted[person_id]

    async def meet(self, ids: Iterable[str]) -> None:
        unknown = [id for id in dict.fromkeys(ids) if id not in self.users]
        if unknown:
            found = await self.store.get_many(self.scope, Person, unknown)
            self.users |= dict.fromkeys(unknown, False)
            self.users |= {each.id: each.kind is PersonKind.USER for each in found}


class NeighbourIndex:
    """The memories in scope that a batch may change, with the cosine similarity to the latest query."""

    def __init__(self, fetched: NeighbourIndexes, batch: Batch) -> None:
        self._fetched = fetched
        self._batch = batch
        # Changes decided before but not in the store yet: their number, and the state they leave each memory in.
        self._followed = 0
        self._ahead: dict[str, Memory | None] = {}
        self._is_filled = False
        self._is_whole = False
        self._by_key: dict[Key, dict[str, None]] = {}
        self._statements: dict[str, Statement] = {}
        self.memories: dict[str, Memory] = {}
        self.cosines: dict[str, float] = {}
        # The user whom the statements are about, if unambiguous, and what they told others.
        self._user = ""
        self._elsewhere: dict[str, Memory] = {}

    # ── fetching ──

    async def fill(
        self, batch: Batch, candidates: Sequence[Candidate], after: Sequence[Change], *, can_search_by_meaning: bool
    ) -> None:
        """Fetches what is compared in any case, or everything if that costs less than searching. `after`: changes that
        will be applied first; later batches pass those of earlier ones and more."""
        self._follow(after[self._followed :])
        self._followed = len(after)
        if batch.source_message_ids:
            self._found(await self._fetched.from_sources(batch.source_message_ids))
        if batch.persons and not self._is_filled:
            self._is_filled = True
            await self._fill_once(len(candidates), can_search_by_meaning)
        self._found(memory for memory in self._ahead.values() if memory is not None)

    def _follow(self, changes: Iterable[Change]) -> None:
        states = _states_after(changes)
        self._ahead |= states
        for id in states:
            self.memories.pop(id, None)
            self._elsewhere.pop(id, None)

    async def _fill_once(self, candidates: int, can_search_by_meaning: bool) -> None:
        of_user, (person, count) = await asyncio.gather(self._find_user(), self._least_known())
        self._found(of_user)
        if not can_search_by_meaning and count <= _READ_PER_SEARCH * candidates:
            self._found(await self._fetched.all_of(person))
            self._is_whole = True
            return
        lasting, by_hand = await asyncio.gather(
            self._fetched.find({"persons": person, "durability": "identity"}),
            self._fetched.find({"persons": person, "origin": (Origin.USER.value, Origin.GM.value)}),
        )
        self._found([*lasting, *by_hand])

    async def _least_known(self) -> tuple[str, int]:
        """The person with the fewest memories: filtering theirs finds shared memories fastest."""
        ids = self._batch.persons
        counts = await asyncio.gather(*map(self._fetched.count, ids))
        return min(zip(ids, counts, strict=True), key=lambda each: each[1])

    async def _find_user(self) -> Sequence[Memory]:
        """The identity memories of the user, from any conversation."""
        batch = self._batch
        if batch.branched_from_id is not None or batch.is_private:
            return ()
        await self._fetched.meet(batch.persons)
        users = [id for id in batch.persons if self._fetched.users[id]]
        if len(users) == 1:
            self._user = users[0]
            return await self._fetched.find(
                {"persons": self._user, "durability": "identity", "status": Status.ACTIVE.value}
            )
        return ()

    async def look(self, content: str, vector: Vector | None, model: str | None, *, with_elsewhere: bool) -> None:
        """Searches for similar memories; `with_elsewhere`: also among those the same user told others."""
        if self._is_whole:
            return
        around = Search(
            text=content[:_MOST_QUERY_CHARS],
            vector=vector,
            model=model if vector is not None else None,
            kinds=frozenset({PassageKind.MEMORY}),
            persons=frozenset(self._batch.persons) or None,
            campaign_id=self._batch.campaign_id,
            statuses=_KNOWN,
            limit=_LIMIT,
            pool=_POOL,
        )
        asks = [around]
        if with_elsewhere and self._user:
            active = frozenset({Status.ACTIVE.value})
            asks.append(replace(around, vector=None, model=None, persons=None, person_id=self._user, statuses=active))
        found = await self._fetched.store.search_all(self._fetched.scope, asks)
        self._found(hit.memory for each in found for hit in each.hits)
        hits = found[0].hits
        self.cosines = {hit.memory.id: hit.parts.vector for hit in hits if hit.parts.vector is not None}

    async def elsewhere(self, statement: Statement) -> list[tuple[Memory, Statement]]:
        """What the same user told others about the same slot. A memory with several users is skipped, because its
        subject is ambiguous."""
        frame = statement.frame
        if not self._user or frame is None or not _is_of_user(frame):
            return []
        await self._fetched.meet(id for each in self._elsewhere.values() for id in each.persons)
        theirs = [each for each in self._elsewhere.values() if not any(self._is_other_user(id) for id in each.persons)]
        said = ((each, stated(each)) for each in theirs)
        return [(each, other) for each, other in said if other.frame and other.frame.subject == frame.subject]

    def _is_other_user(self, id: str) -> bool:
        return id != self._user and self._fetched.users[id]

    def _found(self, memories: Iterable[Memory]) -> None:
        """Adds memories in their state after the pending changes; those that this batch changed stay as they are."""
        for stored in memories:
            memory = self._ahead.get(stored.id, stored)
            if memory is None or memory.id in self.memories or memory.status is Status.DELETED:
                continue
            if is_in_scope(memory, self._batch):
                self.put([memory])
            elif self._user in memory.persons and _is_settled_from(memory, self._batch):
                self._elsewhere[memory.id] = memory

    # ── lookup ──

    def put(self, memories: Iterable[Memory]) -> None:
        for memory in memories:
            self.memories[memory.id] = memory
            self._statements[memory.id] = statement = stated(memory)
            for key in _keys(statement):
                self._by_key.setdefault(key, {})[memory.id] = None

    def around(self, statement: Statement) -> list[tuple[Memory, Statement]]:
        """The memories that it may repeat or contradict, with their statements."""
        ids = self.memories if len(self.memories) <= _FEW else self._ids_around(statement)
        return [(self.memories[id], self._statements[id]) for id in ids if id in self.memories]

    def kin(self, name: str) -> str:
        """The relation of a named person to the user, if it is unambiguous: "brother"."""
        ids = self._by_key.get(("kin", name.lower()), {})
        told = [introduced(self._statements[id].claim) for id in ids if self._is_active(id)]
        known = {each[1] for each in told if each is not None and each[0].lower() == name.lower()}
        return known.pop() if len(known) == 1 else ""

    def _is_active(self, id: str) -> bool:
        return id in self.memories and self.memories[id].status is Status.ACTIVE

    def _ids_around(self, statement: Statement) -> dict[str, None]:
        ids: dict[str, None] = {}
        for key in _asked(statement):
            ids |= _latest(self._by_key.get(key, {}))
        return ids | self._sharing_words(statement)

    def _sharing_words(self, statement: Statement) -> dict[str, None]:
        """By their rarer words first: two statements that agree share most of them."""
        of_word = [self._by_key.get(("word", stem), {}) for stem in statement.stems]
        found: dict[str, None] = {}
        for ids in sorted(of_word, key=len)[: len(of_word) // 2 + 1]:
            found |= _latest(ids)
            if len(found) >= _MOST_OF_A_KEY:
                break
        return found


def _latest(ids: dict[str, None]) -> dict[str, None]:
    return dict.fromkeys(islice(reversed(ids), _MOST_OF_A_KEY))


def _keys(statement: Statement) -> Iterator[Key]:
    """The keys of a memory in the index."""
    yield from _asked(statement)
    for stem in statement.stems:
        yield ("word", stem)
    met = introduced(statement.claim)
    if met is not None:
        yield ("kin", met[0].lower())


def _asked(statement: Statement) -> Iterator[Key]:
    """The keys under which a statement looks for others, apart from single words."""
    yield ("words", *statement.words)
    frame = statement.frame
    if frame is not None:
        yield ("respect", frame.subject, respect_of(frame))
        yield ("value", frame.subject, *sorted(frame.value))


# ── known memories ───────────────────────────────────────────────────────────────────────────────


def _states_after(changes: Iterable[Change]) -> dict[str, Memory | None]:
    """Memories by id after changes not applied yet; None for deleted ones."""
    states: dict[str, Memory | None] = {}
    for change in changes:
        if isinstance(change, Put) and isinstance(change.record, Memory):
            states[change.record.id] = change.record
        elif isinstance(change, Delete) and change.kind is Memory:
            states[change.id] = None
    return states


def _is_of_user(frame: ClaimFrame) -> bool:
    return frame.subject == USER or frame.subject.startswith(f"{USER}'s ")


def _is_settled_from(memory: Memory, batch: Batch) -> bool:
    """Whether a statement here may end what the user said there: nothing private, hidden from players or of another
    campaign. What a branch learned stays in it, unless a person changes all by hand."""
    if memory.status is not Status.ACTIVE or memory.campaign_id != batch.campaign_id:
        return False
    if memory.visibility is Visible.PRIVATE or memory.is_spoiler:
        return False
    return _FORKED.isdisjoint(memory.extra) or (batch.by_hand and batch.conversation_id is None)


def is_in_scope(memory: Memory, batch: Batch) -> bool:
    """Whether it has the same people and campaign, and is visible in this conversation (M8, M15)."""
    if set(memory.persons) != set(batch.persons) or memory.campaign_id != batch.campaign_id:
        return False
    if batch.is_private is not None and batch.is_private != (memory.visibility is Visible.PRIVATE):
        return False
    if memory.conversation_id == batch.conversation_id or is_shared_with(memory, batch.conversation_id):
        return True
    # Memories of a branch stay in it, and private ones in their conversation.
    if not _FORKED.isdisjoint(memory.extra) or memory.visibility is Visible.PRIVATE:
        return False
    # A branch has copies of earlier memories, so it does not see what its parent learns.
    return batch.branched_from_id is None or memory.conversation_id != batch.branched_from_id
