"""A campaign's world: its entities, their relationships, and where they are mentioned (G4, G5, G6).

Start at `World.entities`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from everlore.campaign.live_events import announce
from everlore.campaign.logs import heard
from everlore.campaign.naming import all_entities, entities_named, index_of, names_of
from everlore.campaign.seats import Seat, refuse_player, seat_at
from everlore.campaign.showing import shown
from everlore.campaign.spoilers import spoilers_of
from everlore.domain.bounds import Json
from everlore.domain.campaign import Entity, EntityKind, Relationship, Session
from everlore.domain.conversation import Message, spoken_text
from everlore.domain.memory import Memory, Origin, Status
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person
from everlore.domain.revision import revise
from everlore.domain.scope import Scope
from everlore.domain.sessions import Sittings
from everlore.domain.visibility import DESK, as_read_by, is_marked
from everlore.errors import BadAsk, NotFound
from everlore.store.all_pages import all_of
from everlore.store.port import Amend, Change, Delete, Put, Search
from everlore.turn.resources import Resources
from everlore.turn.viewers import seen_among, viewer_of

_MOST_MENTIONS = 200


@dataclass(frozen=True, slots=True)
class Mentions:
    """Where an entity is mentioned, as far as the caller may see it; latest first."""

    memories: tuple[Memory, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    entities: tuple[Entity, ...]
    ties: tuple[Relationship, ...]


class World:
    def __init__(self, scope: Scope, resources: Resources) -> None:
        self._scope = scope
        self._resources = resources
        self._store = resources.store

    # ── entities ─────────────────────────────────────────────────────────────────────────────────

    async def entities(
        self, campaign: str, *, kind: EntityKind | None = None, named: str = "", player: str | None = None
    ) -> Sequence[Entity]:
        """Entities sorted by name. `named`: only those that these words mean, by any of their names."""
        seat = await seat_at(self._store, self._scope, campaign, player=player)
        if named.strip():
            seen = await entities_named(self._store, self._scope, seat, named)
        else:
            seen = await all_entities(self._store, self._scope, seat)
        chosen = [each for each in seen if kind is None or each.kind is kind]
        return tuple(sorted(chosen, key=lambda each: (each.name.casefold(), each.id)))

    async def entity(self, id: str, *, player: str | None = None) -> Entity:
        entity = await self._store.get(self._scope, Entity, id)
        seen = await shown(self._store, self._scope, await self._seat(entity, player), [entity])
        if not seen:
            raise NotFound(f"There is no Entity {id!r} in this workspace.")
        return seen[0]

    async def add(
        self,
        campaign: str,
        name: str,
        *,
        kind: EntityKind = EntityKind.OTHER,
        aliases: Iterable[str] = (),
        hidden_aliases: Iterable[str] = (),
        description: str = "",
        attributes: Json | None = None,
        spoiler: bool = False,
        person: Person | str | None = None,
    ) -> Entity:
        """`person`: the character that plays it, if any."""
        seat = refuse_player(await seat_at(self._store, self._scope, campaign))
        now = self._resources.clock()
        entity = Entity(
            workspace=self._scope.workspace,
            id=self._resources.new_id(),
            kind=kind,
            name=name,
            aliases=(known := clean_names(aliases, name)),
            hidden_aliases=clean_names(hidden_aliases, name, *known),
            description=description,
            attributes=dict(attributes or {}),
            campaign_id=seat.campaign.id,
            person_id=person.id if isinstance(person, Person) else person,
            is_spoiler=spoiler,
            gm_edited=True,
            created_at=now,
            updated_at=now,
        )
        (stored,) = await self._apply([Put(entity)])
        made: Entity = stored
        return made

    async def change(self, id: str, **fields: Any) -> Entity:
        """Change name, kind, aliases, hidden_aliases, description, attributes, is_spoiler or person_id. Models do not
        change the entity afterwards. A hidden alias given as an alias is revealed."""
        entity = await self._own(id)
        if unknown := set(fields) - _CHANGEABLE:
            raise BadAsk(
                f"An entity has no {', '.join(sorted(unknown))} to change. Known: {', '.join(sorted(_CHANGEABLE))}."
            )
        name = fields.get("name", entity.name)
        if {"aliases", "hidden_aliases", "name"} & fields.keys():
            fields["aliases"] = clean_names(fields.get("aliases", entity.aliases), name)
            hidden = fields.get("hidden_aliases", entity.hidden_aliases)
            fields["hidden_aliases"] = clean_names(hidden, name, *fields["aliases"])
        told = {**fields, "gm_edited": True, "updated_at": self._resources.clock()}
        (stored,) = await self._apply([Amend(Entity, id, told)])
        changed: Entity = stored
        return changed

    async def delete(self, id: str) -> None:
        """Delete an entity with its relationships; memories about it stay."""
        entity = await self._own(id)
        await self._apply([Delete(Entity, entity.id)])

    async def merge(self, id: str, into: str, *, hidden_aliases: Iterable[str] | None = None) -> Entity:
        """Merge two entities: the second takes over the names, relationships and mentions of the first. Hidden data of
        the first stays hidden. `hidden_aliases`: its names that stay hidden; default: the hidden ones."""
        one, other = await self._own(id), await self._own(into)
        if one.id == other.id or one.campaign_id != other.campaign_id:
            raise BadAsk("Only two different entities of the same campaign can be merged. Choose another one.")
        changes = await self._moved(one, other, hidden_aliases)
        stored = await self._apply([*changes, Delete(Entity, one.id)])
        merged: Entity = stored[0]
        return merged

    async def _moved(self, one: Entity, other: Entity, hidden_aliases: Iterable[str] | None) -> list[Change]:
        now = self._resources.clock()
        is_secret = is_marked(one) and not is_marked(other)
        names = (one.name, *one.aliases)
        shown, hidden = ((), (*one.hidden_aliases, *names)) if is_secret else (names, one.hidden_aliases)
        fields = {
            **with_names(other, shown, hidden, hidden_aliases),
            "is_spoiler": is_marked(other) or (is_marked(one) and not is_secret),
            "gm_edited": True,
            "updated_at": now,
        }
        if not is_secret:
            fields |= {
                "description": other.description or one.description,
                "attributes": {**one.attributes, **other.attributes},
            }
        changes: list[Change] = [Amend(Entity, other.id, fields)]
        if is_secret:
            changes += [Put(each) for each in self._secrets_of(one, other)]
        for end, away in (("source_id", "target_id"), ("target_id", "source_id")):
            found = await all_of(self._store, self._scope, Relationship, {end: one.id})
            # A relationship between the two is meaningless now.
            kept = [each for each in found if getattr(each, away) != other.id]
            hides = {"is_spoiler": True} if is_secret else {}
            changes += [Amend(Relationship, each.id, {end: other.id, **hides}) for each in kept]
        memories = await all_of(self._store, self._scope, Memory, {"entity_ids": one.id})
        changes += [Put(revise(each, now, entity_ids=_instead(each.entity_ids, one.id, other.id))) for each in memories]
        return changes

    def _secrets_of(self, one: Entity, other: Entity) -> list[Memory]:
        """The text of a hidden entity as hidden memories of the visible one that it is merged into."""
        told = [one.description, *(f"{name}: {value}" for name, value in one.attributes.items())]
        content = "\n".join(each for each in told if each.strip())
        if not content:
            return []
        now = self._resources.clock()
        return [
            Memory(
                workspace=one.workspace,
                id=self._resources.new_id(),
                content=f"{one.name} is {other.name}. {content}",
                is_spoiler=True,
                origin=Origin.USER,
                campaign_id=one.campaign_id,
                entity_ids=(other.id,),
                created_at=now,
                updated_at=now,
            )
        ]

    # ── relationships ────────────────────────────────────────────────────────────────────────────

    async def ties(
        self, campaign: str, *, entity: str | None = None, at: datetime | None = None, player: str | None = None
    ) -> Sequence[Relationship]:
        """Relationships of a campaign, or of one entity; `at`: only those valid then."""
        seat = await seat_at(self._store, self._scope, campaign, player=player)
        found = await all_of(self._store, self._scope, Relationship, {"campaign_id": seat.campaign.id})
        held = [each for each in found if at is None or _held(each, at)]
        own = [each for each in held if entity is None or entity in (each.source_id, each.target_id)]
        return await shown(self._store, self._scope, seat, own)

    async def tie(
        self,
        source: str,
        type: str,
        target: str,
        *,
        evidence: str = "",
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        spoiler: bool = False,
    ) -> Relationship:
        """Create a directed relationship between two entities of one campaign: “Ilka – sister of – Tam”."""
        one, other = await self._own(source), await self._own(target)
        if one.campaign_id != other.campaign_id or one.id == other.id:
            raise BadAsk("A relationship needs two different entities of the same campaign. Choose another one.")
        relationship = Relationship(
            workspace=self._scope.workspace,
            id=self._resources.new_id(),
            campaign_id=one.campaign_id,
            source_id=one.id,
            target_id=other.id,
            type=type,
            evidence=evidence,
            is_spoiler=spoiler,
            gm_edited=True,
            valid_from=valid_from,
            valid_to=valid_to,
            created_at=self._resources.clock(),
        )
        (stored,) = await self._store.apply(self._scope, [Put(relationship)])
        made: Relationship = stored
        return made

    async def change_tie(self, id: str, **fields: Any) -> Relationship:
        """Change type, evidence, confidence, is_spoiler, valid_from or valid_to."""
        await self._own_tie(id)
        if unknown := set(fields) - _OF_TIE:
            raise BadAsk(f"A tie has no {', '.join(sorted(unknown))} to change. Known: {', '.join(sorted(_OF_TIE))}.")
        (stored,) = await self._store.apply(self._scope, [Amend(Relationship, id, {**fields, "gm_edited": True})])
        changed: Relationship = stored
        return changed

    async def untie(self, id: str) -> None:
        await self._own_tie(id)
        await self._store.apply(self._scope, [Delete(Relationship, id)])

    async def graph(self, campaign: str, *, at: datetime | None = None, player: str | None = None) -> Graph:
        """All entities and relationships that the caller may see."""
        return Graph(
            tuple(await self.entities(campaign, player=player)), tuple(await self.ties(campaign, at=at, player=player))
        )

    async def all_ties(self) -> Graph:
        """The relationships of all campaigns and their entities, as far as the caller may see them."""
        viewer = await viewer_of(self._store, self._scope)
        found = await all_of(self._store, self._scope, Relationship)
        ties = await seen_among(self._store, self._scope, viewer, found, DESK)
        ends = dict.fromkeys(id for each in ties for id in (each.source_id, each.target_id))
        entities = await self._store.get_many(self._scope, Entity, ends)
        return Graph(tuple(as_read_by(viewer, each) for each in entities), tuple(ties))

    # ── mentions ─────────────────────────────────────────────────────────────────────────────────

    async def mentions(self, id: str, *, player: str | None = None) -> Mentions:
        """Where an entity is mentioned: memories that name it, and lines of the log."""
        entity = await self.entity(id, player=player)
        seat = await self._seat(entity, player)
        names = " ".join(names_of(entity))
        index = index_of([entity])
        linked = await self._store.find(
            self._scope,
            Memory,
            {"entity_ids": id, "status": Status.ACTIVE.value},
            limit=_MOST_MENTIONS,
            newest_first=True,
        )
        memories = {each.id: each for each in linked.items}
        messages: dict[str, Message] = {}
        for hit in await self._search(names, entity.campaign_id):
            if isinstance(hit, Memory) and index.find(hit.content):
                memories.setdefault(hit.id, hit)
            elif isinstance(hit, Message) and index.find(spoken_text(hit)):
                messages[hit.id] = hit
        return Mentions(
            tuple(await shown(self._store, self._scope, seat, _latest(memories.values()))),
            tuple(await self._heard(seat, _latest(messages.values()))),
        )

    async def _search(self, names: str, campaign_id: str | None) -> list[Any]:
        found = await self._store.search_all(
            self._scope,
            [
                Search(
                    text=names, kinds=frozenset({PassageKind.MEMORY}), campaign_id=campaign_id, limit=_MOST_MENTIONS
                ),
                Search(text=names, kinds=frozenset({PassageKind.MESSAGE}), limit=_MOST_MENTIONS),
            ],
        )
        return [hit.record for each in found for hit in each.hits]

    async def _heard(self, seat: Seat, messages: Sequence[Message]) -> Sequence[Message]:
        """Of these messages those in the campaign's sessions that this seat heard."""
        found = await all_of(self._store, self._scope, Session, {"campaign_id": seat.campaign.id})
        played = Sittings(found)
        said = [(message, session) for message in messages for session in played.sessions_of(message)[:1]]
        if not seat.runs:
            spoilers = await spoilers_of(self._store, self._scope, seat.campaign)
            said = [
                (message, session)
                for message, session in said
                if heard(seat.campaign, session, [message]) and not spoilers.hide(seat.viewer, session, message)
            ]
        return [as_read_by(seat.viewer, message) for message, _ in said]

    async def _apply(self, changes: Sequence[Change]) -> list[Any]:
        results = await self._store.apply(self._scope, changes)
        announce(self._resources, self._scope, changes, results)
        return list(results)

    # ── access checks ────────────────────────────────────────────────────────────────────────────

    async def _seat(self, entity: Entity, player: str | None) -> Seat:
        if entity.campaign_id is None:
            raise NotFound(f"There is no Entity {entity.id!r} in a campaign of this workspace.")
        return await seat_at(self._store, self._scope, entity.campaign_id, player=player)

    async def _own(self, id: str) -> Entity:
        """The entity, if the caller runs its campaign."""
        entity = await self._store.get(self._scope, Entity, id)
        refuse_player(await self._seat(entity, None))
        return entity

    async def _own_tie(self, id: str) -> Relationship:
        tie = await self._store.get(self._scope, Relationship, id)
        await self._own(tie.source_id)
        return tie


_CHANGEABLE = frozenset(
    {"name", "kind", "aliases", "hidden_aliases", "description", "attributes", "is_spoiler", "person_id"}
)
_OF_TIE = frozenset({"type", "evidence", "confidence", "is_spoiler", "valid_from", "valid_to"})


def clean_names(names: Iterable[str], *without: str) -> tuple[str, ...]:
    """The names without duplicates, and without those in `without`."""
    plain = {each.casefold() for each in without}
    kept: list[str] = []
    for each in (" ".join(one.split()) for one in names):
        if each and each.casefold() not in plain:
            plain.add(each.casefold())
            kept.append(each)
    return tuple(kept)


def with_names(
    entity: Entity, shown: Iterable[str], hidden: Iterable[str], chosen: Iterable[str] | None = None
) -> dict[str, Any]:
    """The fields of an entity that takes over these names. `chosen`: those of them that players must not know, if a
    person said so."""
    shown, hidden = tuple(shown), tuple(hidden)
    if chosen is not None:
        secret = {each.casefold() for each in chosen}
        names = (*shown, *hidden)
        shown = tuple(each for each in names if each.casefold() not in secret)
        hidden = tuple(each for each in names if each.casefold() in secret)
    aliases = clean_names((*entity.aliases, *shown), entity.name)
    return {"aliases": aliases, "hidden_aliases": clean_names((*entity.hidden_aliases, *hidden), entity.name, *aliases)}


def _held(tie: Relationship, at: datetime) -> bool:
    return (tie.valid_from is None or tie.valid_from <= at) and (tie.valid_to is None or at < tie.valid_to)


def _instead(ids: Sequence[str], one: str, other: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(other if each == one else each for each in ids))


def _latest(records: Iterable[Any]) -> list[Any]:
    return sorted(records, key=lambda each: (each.created_at, each.id), reverse=True)
