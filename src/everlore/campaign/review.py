"""What waits for the game master, and what they decide of it: approved, merged, rejected, taken back (G4, G6, G8).

What was made of a proposal is kept with it, so that it can be undone. Start at `Review.list` and `Review.approve`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from everlore.campaign.canon.canon import Canon
from everlore.campaign.entities.matching import SURE, Directory, match
from everlore.campaign.naming import known_of
from everlore.campaign.seats import refuse_player, seat_at
from everlore.campaign.world import clean_names
from everlore.converse.desk import Desk
from everlore.domain.bounds import Json
from everlore.domain.campaign import Chapter, Entity, EntityKind, Relationship
from everlore.domain.proposal import Decision, Proposal, ProposalKind
from everlore.domain.scope import Scope
from everlore.errors import BadAsk, Conflict, EverloreError
from everlore.store.all_pages import all_of
from everlore.store.port import Amend, Change, Delete, Page, Put

_UNNAMED = "The next chapter"


@dataclass(frozen=True, slots=True)
class Decided:
    """One of many that were decided at once; `error` says why it could not be."""

    id: str
    proposal: Proposal | None = None
    error: str = ""


class Review:
    def __init__(self, scope: Scope, desk: Desk) -> None:
        self._scope = scope
        self._desk = desk
        self._store = desk.store

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
        """What waits, or was decided; the oldest first. For whoever runs the game: players do not see it."""
        seat = refuse_player(await seat_at(self._store, self._scope, campaign))
        where: dict[str, Any] = {"campaign_id": seat.campaign.id}
        where |= {"status": status.value} if status is not None else {}
        where |= {"kind": kind.value} if kind is not None else {}
        where |= {"session_id": session} if session is not None else {}
        return await self._store.find(self._scope, Proposal, where, limit=limit, cursor=cursor)

    async def get(self, id: str) -> Proposal:
        proposal = await self._store.get(self._scope, Proposal, id)
        refuse_player(await seat_at(self._store, self._scope, proposal.campaign_id))
        return proposal

    # ── deciding ─────────────────────────────────────────────────────────────────────────────────

    async def approve(self, id: str, *, by: str = "gm", **edits: Any) -> Proposal:
        """It is so, or is so with these `edits`: of an entity its name, kind, aliases, description and is_spoiler, of a
        tie its type, of a chapter its name and goals."""
        proposal = await self._pending(id)
        changes, outcome = await self._made_of(proposal, edits)
        return await self._decide(proposal, Decision.APPROVED, outcome, changes, by)

    async def merge(self, id: str, into: str | None = None, *, by: str = "gm") -> Proposal:
        """The name is another one of an entity that is known: the one that was suggested, unless another is named."""
        proposal = await self._pending(id)
        target = into or proposal.match_id
        if proposal.kind is not ProposalKind.ENTITY or target is None:
            raise BadAsk("Only a name can be merged, into an entity. Name the entity that it belongs to.")
        entity = await self._store.get(self._scope, Entity, target)
        if entity.campaign_id != proposal.campaign_id:
            raise BadAsk(f"{entity.name} is of another campaign. Name an entity of this one.")
        names = clean_names((*entity.aliases, proposal.title, *_texts(proposal.detail.get("aliases"))), entity.name)
        outcome: Json = {"entity_id": entity.id, "aliases_before": [*entity.aliases]}
        change = Amend(Entity, entity.id, {"aliases": names, "updated_at": self._desk.clock()})
        return await self._decide(proposal, Decision.MERGED, outcome, [change], by)

    async def reject(self, id: str, *, by: str = "gm") -> Proposal:
        """It is not so, and is not proposed again."""
        proposal = await self._pending(id)
        return await self._decide(proposal, Decision.REJECTED, {}, [], by)

    async def undo(self, id: str) -> Proposal:
        """Take the decision back: what was made of it goes, and it waits again."""
        proposal = await self.get(id)
        if proposal.status is Decision.PENDING:
            raise Conflict("Nothing has been decided of it yet.")
        if proposal.kind is ProposalKind.CONFLICT:
            return (await Canon(self._scope, self._desk).undo(id)).proposal
        changes = await self._undone(proposal)
        return await self._decide(replace(proposal, decided_at=None), Decision.PENDING, {}, changes, "")

    async def decide_many(
        self, ids: Iterable[str], decision: Decision, *, into: str | None = None, by: str = "gm"
    ) -> Sequence[Decided]:
        """The same decision for many, each by itself: one that cannot be decided holds up no other."""
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

    # ── what comes of it ─────────────────────────────────────────────────────────────────────────

    async def _made_of(self, proposal: Proposal, edits: Json) -> tuple[Sequence[Change], Json]:
        match proposal.kind:
            case ProposalKind.ENTITY:
                return self._entity(proposal, edits)
            case ProposalKind.RELATIONSHIP:
                return await self._tie(proposal, edits)
            case ProposalKind.CHAPTER:
                return await self._chapter(proposal, edits)
            case ProposalKind.CONFLICT:
                raise BadAsk("A contradiction is ruled on, not approved. Say which holds: old, new, both or none.")

    def _entity(self, proposal: Proposal, edits: Json) -> tuple[Sequence[Change], Json]:
        _refuse_unknown(edits, {"name", "kind", "aliases", "description", "is_spoiler"})
        entity = self._made(
            proposal,
            str(edits.get("name", proposal.title)),
            _kind(edits.get("kind", proposal.detail.get("kind"))),
            _texts(edits.get("aliases", proposal.detail.get("aliases"))),
            is_spoiler=bool(edits.get("is_spoiler", proposal.is_spoiler)),
            description=str(edits.get("description", "")),
        )
        return [Put(entity)], {"entity_id": entity.id}

    async def _tie(self, proposal: Proposal, edits: Json) -> tuple[Sequence[Change], Json]:
        """With its ends, where they are not known yet."""
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
            raise BadAsk("Both ends of this tie are the same entity by now. Reject it.")
        tie = Relationship(
            workspace=proposal.workspace,
            id=self._desk.new_id(),
            campaign_id=proposal.campaign_id,
            source_id=ends[0],
            target_id=ends[1],
            type=str(edits.get("type", proposal.detail.get("type", ""))),
            evidence=proposal.evidence,
            message_id=proposal.message_id,
            confidence=proposal.confidence,
            is_spoiler=bool(edits.get("is_spoiler", proposal.is_spoiler)),
            created_at=self._desk.clock(),
        )
        return [*changes, Put(tie)], {"relationship_id": tie.id, "entity_ids": [*made]}

    async def _chapter(self, proposal: Proposal, edits: Json) -> tuple[Sequence[Change], Json]:
        _refuse_unknown(edits, {"name", "goals"})
        now = self._desk.clock()
        found = await all_of(self._store, self._scope, Chapter, {"campaign_id": proposal.campaign_id})
        open_ = [each for each in found if each.closed_at is None]
        chapter = Chapter(
            workspace=proposal.workspace,
            id=self._desk.new_id(),
            campaign_id=proposal.campaign_id,
            number=max((each.number for each in found), default=0) + 1,
            name=str(edits.get("name") or _UNNAMED),
            goals=_texts(edits.get("goals")),
            created_at=now,
            updated_at=now,
        )
        closed = [Amend(Chapter, each.id, {"closed_at": now, "updated_at": now}) for each in open_]
        return [*closed, Put(chapter)], {"chapter_id": chapter.id, "closed_ids": [each.id for each in open_]}

    async def _undone(self, proposal: Proposal) -> Sequence[Change]:
        """What was deleted by hand since is not there to be undone."""
        outcome = proposal.outcome
        now = self._desk.clock()
        if proposal.status is Decision.MERGED:
            entities = await self._there(Entity, outcome.get("entity_id"))
            before = _texts(outcome.get("aliases_before"))
            return [Amend(Entity, id, {"aliases": before, "updated_at": now}) for id in entities]
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
        now = self._desk.clock()
        return Entity(
            workspace=proposal.workspace,
            id=self._desk.new_id(),
            kind=kind,
            name=name,
            aliases=clean_names(aliases, name),
            description=description,
            campaign_id=proposal.campaign_id,
            is_spoiler=is_spoiler,
            created_at=now,
            updated_at=now,
        )

    # ── keeping ──────────────────────────────────────────────────────────────────────────────────

    async def _pending(self, id: str) -> Proposal:
        proposal = await self.get(id)
        if proposal.status is not Decision.PENDING:
            raise Conflict(f"This was {proposal.status.value} already. Undo that first.")
        return proposal

    async def _decide(
        self, proposal: Proposal, status: Decision, outcome: Json, changes: Sequence[Change], by: str
    ) -> Proposal:
        now = self._desk.clock()
        fields = {
            "status": status,
            "outcome": outcome,
            "decided_by": by,
            "decided_at": None if status is Decision.PENDING else now,
            "updated_at": now,
        }
        stored = await self._store.apply(self._scope, [*changes, Amend(Proposal, proposal.id, fields)])
        decided: Proposal = stored[-1]
        return decided


def _kind(value: object) -> EntityKind:
    try:
        return EntityKind(str(value))
    except ValueError:
        raise BadAsk(
            f"{value!r} is no kind of entity. Known: {', '.join(each.value for each in EntityKind)}."
        ) from None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list | tuple) else ()


def _refuse_unknown(edits: Json, known: set[str]) -> None:
    if unknown := set(edits) - known:
        raise BadAsk(f"This proposal has no {', '.join(sorted(unknown))} to edit. Known: {', '.join(sorted(known))}.")
