"""The game master's review of proposals: approve, merge, reject, undo (G4, G6, G8).

A proposal records what it created, so that the decision can be undone. Start at `Review.list` and `Review.approve`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from everlore.campaign.campaigns import next_chapter
from everlore.campaign.canon.canon import CanonService
from everlore.campaign.digest.jobs import digest_job
from everlore.campaign.entities.matching import SURE, Directory, match
from everlore.campaign.live_events import announce
from everlore.campaign.naming import known_of
from everlore.campaign.seats import refuse_player, seat_at
from everlore.campaign.spoilers import SpoilerKind
from everlore.campaign.world import clean_names, with_names
from everlore.domain.bounds import Json
from everlore.domain.campaign import Chapter, Entity, EntityKind, Relationship, Session
from everlore.domain.memory import Memory
from everlore.domain.proposal import Decision, Proposal, ProposalKind
from everlore.domain.revision import revise
from everlore.domain.scope import Scope
from everlore.domain.visibility import is_marked
from everlore.errors import BadAsk, Conflict, EverloreError
from everlore.store.all_pages import all_of
from everlore.store.answers import Page
from everlore.store.port import Amend, Change, Delete, Enqueue, Put
from everlore.turn.resources import Resources

_UNNAMED = "The next chapter"
# The order of the kinds in the queue.
_KINDS = (
    ProposalKind.CONFLICT,
    ProposalKind.CHAPTER,
    ProposalKind.REVEAL,
    ProposalKind.ENTITY,
    ProposalKind.RELATIONSHIP,
)
_APPROVED_BY_CONFIDENCE = (ProposalKind.ENTITY.value, ProposalKind.RELATIONSHIP.value)


@dataclass(frozen=True, slots=True)
class Decided:
    """One result of a batch decision; `error` says why it failed."""

    id: str
    proposal: Proposal | None = None
    error: str = ""


class Review:
    def __init__(self, scope: Scope, resources: Resources) -> None:
        self._scope = scope
        self._resources = resources
        self._store = resources.store

    async def list(
        self,
        campaign: str,
        *,
        status: Decision | None = Decision.PENDING,
        kind: ProposalKind | None = None,
        session: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Pending or decided proposals: by kind, then by session, the most certain first. Game master only."""
        seat = refuse_player(await seat_at(self._store, self._scope, campaign))
        where: dict[str, Any] = {"campaign_id": seat.campaign.id}
        where |= {"status": status.value} if status is not None else {}
        where |= {"kind": kind.value} if kind is not None else {}
        where |= {"session_id": session} if session is not None else {}
        found = await all_of(self._store, self._scope, Proposal, where)
        sessions = await all_of(self._store, self._scope, Session, {"campaign_id": seat.campaign.id})
        place = partial(_place, {each.id: each.number for each in sessions})
        after = place(await self.get(cursor)) if cursor is not None else None
        left = [each for each in sorted(found, key=place) if after is None or place(each) > after]
        return Page(tuple(left[:limit]), left[limit - 1].id if len(left) > limit else None)

    async def sure(self, campaign: str, confidence: float) -> Sequence[str]:
        """The ids of pending names and relationships of at least this confidence, without possible duplicates."""
        seat = refuse_player(await seat_at(self._store, self._scope, campaign))
        where = {"campaign_id": seat.campaign.id, "status": Decision.PENDING.value, "kind": [*_APPROVED_BY_CONFIDENCE]}
        found = await all_of(self._store, self._scope, Proposal, where)
        return [each.id for each in found if each.confidence >= confidence and each.match_id is None]

    async def get(self, id: str) -> Proposal:
        proposal = await self._store.get(self._scope, Proposal, id)
        refuse_player(await seat_at(self._store, self._scope, proposal.campaign_id))
        return proposal

    # ── decisions ────────────────────────────────────────────────────────────────────────────────

    async def approve(self, id: str, *, by: str = "gm", **edits: Any) -> Proposal:
        """Approve a proposal, optionally with `edits`: name, kind, aliases, hidden_aliases, description and is_spoiler
        of an entity, type of a relationship, name and goals of a chapter."""
        proposal = await self._pending(id)
        changes, outcome = await self._made_of(proposal, edits)
        return await self._decide(proposal, Decision.APPROVED, outcome, changes, by)

    async def merge(
        self, id: str, into: str | None = None, *, hidden_aliases: Iterable[str] | None = None, by: str = "gm"
    ) -> Proposal:
        """Merge a proposed name into a known entity as an alias: the suggested one, unless `into` names another.
        `hidden_aliases`: those of its names that stay hidden from players; by default all names of a hidden proposal,
        and none of a public one."""
        proposal = await self._pending(id)
        target = into or proposal.match_id
        if proposal.kind is not ProposalKind.ENTITY or target is None:
            raise BadAsk("Only a suggested name can be merged. Choose the entity it belongs to.")
        entity = await self._store.get(self._scope, Entity, target)
        if entity.campaign_id != proposal.campaign_id:
            raise BadAsk(f"{entity.name} belongs to another campaign. Choose an entity of this one.")
        shown, hidden = names_of(proposal)
        outcome: Json = {
            "entity_id": entity.id,
            "aliases_before": [*entity.aliases],
            "hidden_aliases_before": [*entity.hidden_aliases],
        }
        fields = with_names(entity, shown, hidden, hidden_aliases)
        change = Amend(Entity, entity.id, {**fields, "updated_at": self._resources.clock()})
        return await self._decide(proposal, Decision.MERGED, outcome, [change], by)

    async def reject(self, id: str, *, by: str = "gm") -> Proposal:
        """Reject a proposal; it is not proposed again."""
        proposal = await self._pending(id)
        return await self._decide(proposal, Decision.REJECTED, {}, [], by)

    async def undo(self, id: str) -> Proposal:
        """Undo a decision: what it created is deleted, and the proposal is pending again."""
        proposal = await self.get(id)
        if proposal.status is Decision.PENDING:
            raise Conflict("This suggestion was not decided yet, so there is nothing to undo.")
        if proposal.kind is ProposalKind.CONFLICT:
            return (await CanonService(self._scope, self._resources).undo(id)).proposal
        changes = await self._undone(proposal)
        return await self._decide(replace(proposal, decided_at=None), Decision.PENDING, {}, changes, "")

    async def decide_many(
        self, ids: Iterable[str], decision: Decision, *, into: str | None = None, by: str = "gm"
    ) -> Sequence[Decided]:
        """Decide several proposals the same way; one that fails does not stop the others."""
        return [await self._one_of_many(id, decision, into, by) for id in dict.fromkeys(ids)]

    async def _one_of_many(self, id: str, decision: Decision, into: str | None, by: str) -> Decided:
        try:
            match decision:
                case Decision.APPROVED:
                    return Decided(id, await self.approve(id, by=by))
                case Decision.REJECTED:
                    return Decided(id, await self.reject(id, by=by))
                case Decision.MERGED:
                    return Decided(id, await self.merge(id, into, by=by))
                case Decision.PENDING:
                    return Decided(id, await self.undo(id))
        except EverloreError as error:
            return Decided(id, error=str(error))

    # ── results of decisions ─────────────────────────────────────────────────────────────────────

    async def _made_of(self, proposal: Proposal, edits: Json) -> tuple[Sequence[Change], Json]:
        match proposal.kind:
            case ProposalKind.ENTITY:
                return self._entity(proposal, edits)
            case ProposalKind.RELATIONSHIP:
                return await self._tie(proposal, edits)
            case ProposalKind.CHAPTER:
                return await self._chapter(proposal, edits)
            case ProposalKind.REVEAL:
                _refuse_unknown(edits, set())
                return await self._revealed(proposal)
            case ProposalKind.CONFLICT:
                raise BadAsk(
                    "A contradiction can't be approved. Choose which statement is true: old, new, both or none."
                )

    def _entity(self, proposal: Proposal, edits: Json) -> tuple[Sequence[Change], Json]:
        _refuse_unknown(edits, {"name", "kind", "aliases", "hidden_aliases", "description", "is_spoiler"})
        entity = self._made(
            proposal,
            str(edits.get("name", proposal.title)),
            _kind(edits.get("kind", proposal.detail.get("kind"))),
            _texts(edits.get("aliases", proposal.detail.get("aliases"))),
            is_spoiler=bool(edits.get("is_spoiler", proposal.is_spoiler)),
            description=str(edits.get("description", "")),
        )
        hidden = _texts(edits.get("hidden_aliases", proposal.detail.get("hidden_aliases")))
        entity = replace(entity, hidden_aliases=clean_names(hidden, entity.name, *entity.aliases))
        return [Put(entity)], {"entity_id": entity.id}

    async def _tie(self, proposal: Proposal, edits: Json) -> tuple[Sequence[Change], Json]:
        """The relationship, and its entities if they do not exist yet."""
        _refuse_unknown(edits, {"type", "is_spoiler"})
        changes: list[Change] = []
        made: list[str] = []
        entities = await all_of(self._store, self._scope, Entity, {"campaign_id": proposal.campaign_id})
        directory = Directory(known_of(entities))
        ends: list[str] = []
        for end in ("source", "target"):
            name = str(proposal.detail.get(end, ""))
            found = match(name, directory)
            if found is not None and found.confidence >= SURE:
                ends.append(found.id)
                continue
            entity = self._made(proposal, name, EntityKind.OTHER, (), is_spoiler=proposal.is_spoiler)
            changes.append(Put(entity))
            made.append(entity.id)
            ends.append(entity.id)
        if ends[0] == ends[1]:
            raise BadAsk("Both ends of this relationship are the same entity now. Reject it.")
        tie = Relationship(
            workspace=proposal.workspace,
            id=self._resources.new_id(),
            campaign_id=proposal.campaign_id,
            source_id=ends[0],
            target_id=ends[1],
            type=str(edits.get("type", proposal.detail.get("type", ""))),
            evidence=proposal.evidence,
            message_id=proposal.message_id,
            confidence=proposal.confidence,
            is_spoiler=bool(edits.get("is_spoiler", proposal.is_spoiler)),
            created_at=self._resources.clock(),
        )
        return [*changes, Put(tie)], {"relationship_id": tie.id, "entity_ids": [*made]}

    async def _chapter(self, proposal: Proposal, edits: Json) -> tuple[Sequence[Change], Json]:
        _refuse_unknown(edits, {"name", "goals"})
        campaign = (await seat_at(self._store, self._scope, proposal.campaign_id)).campaign
        found = await all_of(self._store, self._scope, Chapter, {"campaign_id": campaign.id})
        name, goals = str(edits.get("name") or _UNNAMED), _texts(edits.get("goals"))
        ended, chapter = next_chapter(campaign, found, self._resources, name=name, goals=goals)
        return [*ended, Put(chapter)], {"chapter_id": chapter.id, "closed_ids": [each.id for each in ended]}

    async def _revealed(self, proposal: Proposal) -> tuple[Sequence[Change], Json]:
        """A revealed spoiler becomes visible to everyone, and its session is digested again."""
        now, id = self._resources.clock(), str(proposal.detail.get("id", ""))
        if proposal.detail.get("what") == SpoilerKind.MEMORY:
            memories = await self._store.get_many(self._scope, Memory, [id])
            opened: list[Change] = [Put(revise(each, now, is_spoiler=False)) for each in memories]
            return [*opened, *await self._read_anew(proposal)], {"memory_id": id}
        entities = await self._store.get_many(self._scope, Entity, [id])
        if not entities:
            raise BadAsk("The memory that this would reveal has been deleted. Reject it.")
        entity, name = entities[0], str(proposal.detail.get("text", ""))
        before: Json = {
            "name": entity.name,
            "aliases": [*entity.aliases],
            "hidden_aliases": [*entity.hidden_aliases],
            "is_spoiler": is_marked(entity),
        }
        fields = {**_with_revealed(entity, name), "updated_at": now}
        return [Amend(Entity, id, fields), *await self._read_anew(proposal)], {"revealed_id": id, "before": before}

    async def _hidden_again(self, proposal: Proposal) -> Sequence[Change]:
        now, outcome = self._resources.clock(), proposal.outcome
        ids = [str(outcome.get("memory_id", ""))]
        memories = await self._store.get_many(self._scope, Memory, ids)
        changes: list[Change] = [Put(revise(each, now, is_spoiler=True)) for each in memories]
        before = outcome.get("before")
        if isinstance(before, dict):
            names = {each: _texts(before.get(each)) for each in ("aliases", "hidden_aliases")}
            fields = {**before, **names, "updated_at": now}
            changes += [Amend(Entity, id, fields) for id in await self._there(Entity, outcome.get("revealed_id"))]
        return [*changes, *await self._read_anew(proposal)]

    async def _read_anew(self, proposal: Proposal) -> Sequence[Change]:
        sessions = await self._store.get_many(self._scope, Session, [proposal.session_id or ""])
        return [Enqueue(digest_job(each, self._resources.clock(), self._resources.new_id)) for each in sessions]

    async def _undone(self, proposal: Proposal) -> Sequence[Change]:
        """Skips records that were deleted by hand since."""
        outcome = proposal.outcome
        now = self._resources.clock()
        if proposal.status is Decision.MERGED:
            entities = await self._there(Entity, outcome.get("entity_id"))
            before = {
                "aliases": _texts(outcome.get("aliases_before")),
                "hidden_aliases": _texts(outcome.get("hidden_aliases_before")),
            }
            return [Amend(Entity, id, {**before, "updated_at": now}) for id in entities]
        if proposal.kind is ProposalKind.REVEAL:
            return await self._hidden_again(proposal) if proposal.status is Decision.APPROVED else []
        gone: list[Change] = [
            Delete(Relationship, id) for id in await self._there(Relationship, outcome.get("relationship_id"))
        ]
        gone += [Delete(Chapter, id) for id in await self._there(Chapter, outcome.get("chapter_id"))]
        gone += [
            Amend(Chapter, id, {"closed_at": None, "updated_at": now})
            for id in await self._there(Chapter, *_texts(outcome.get("closed_ids")))
        ]
        made = await self._there(Entity, outcome.get("entity_id"), *_texts(outcome.get("entity_ids")))
        return [*gone, *(Delete(Entity, id) for id in made)]

    async def _there(self, kind: type[Any], *ids: object) -> Sequence[str]:
        wanted = [id for id in ids if isinstance(id, str)]
        return [each.id for each in await self._store.get_many(self._scope, kind, wanted)] if wanted else []

    def _made(
        self,
        proposal: Proposal,
        name: str,
        kind: EntityKind,
        aliases: Iterable[str],
        *,
        is_spoiler: bool,
        description: str = "",
    ) -> Entity:
        now = self._resources.clock()
        return Entity(
            workspace=proposal.workspace,
            id=self._resources.new_id(),
            kind=kind,
            name=name,
            aliases=clean_names(aliases, name),
            description=description,
            campaign_id=proposal.campaign_id,
            is_spoiler=is_spoiler,
            created_at=now,
            updated_at=now,
        )

    # ── storage ──────────────────────────────────────────────────────────────────────────────────

    async def _pending(self, id: str) -> Proposal:
        proposal = await self.get(id)
        if proposal.status is not Decision.PENDING:
            raise Conflict(f"This was {proposal.status.value} already. Undo that decision first.")
        return proposal

    async def _decide(
        self, proposal: Proposal, status: Decision, outcome: Json, changes: Sequence[Change], by: str
    ) -> Proposal:
        now = self._resources.clock()
        fields = {
            "status": status,
            "outcome": outcome,
            "decided_by": by,
            "decided_at": None if status is Decision.PENDING else now,
            "updated_at": now,
        }
        changes = [*changes, Amend(Proposal, proposal.id, fields)]
        stored = await self._store.apply(self._scope, changes)
        announce(self._resources, self._scope, changes, stored)
        decided: Proposal = stored[-1]
        return decided


def _place(numbers: Mapping[str, int], proposal: Proposal) -> tuple[int, int, float, str]:
    """`numbers`: of the sessions, by id."""
    number = numbers.get(proposal.session_id or "", 0)
    return (_KINDS.index(proposal.kind), number, -proposal.confidence, proposal.id)


def names_of(proposal: Proposal) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The proposed names that players may know, and those that they must not."""
    names = (proposal.title, *_texts(proposal.detail.get("aliases")))
    others = _texts(proposal.detail.get("hidden_aliases"))
    return ((), (*names, *others)) if is_marked(proposal) else (names, others)


def _with_revealed(entity: Entity, name: str) -> Json:
    """The entity with this name made public. For a hidden entity it becomes the only public name."""
    others = (entity.name, *entity.aliases, *entity.hidden_aliases)
    if is_marked(entity):
        return {"name": name, "aliases": (), "hidden_aliases": clean_names(others, name), "is_spoiler": False}
    aliases = clean_names((*entity.aliases, name), entity.name)
    return {"aliases": aliases, "hidden_aliases": clean_names(entity.hidden_aliases, entity.name, *aliases)}


def _kind(value: object) -> EntityKind:
    try:
        return EntityKind(str(value))
    except ValueError:
        raise BadAsk(
            f"{value!r} is not a kind of entity. Known: {', '.join(each.value for each in EntityKind)}."
        ) from None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list | tuple) else ()


def _refuse_unknown(edits: Json, known: set[str]) -> None:
    if unknown := set(edits) - known:
        raise BadAsk(f"This proposal has no {', '.join(sorted(unknown))} to edit. Known: {', '.join(sorted(known))}.")
