"""The players of a campaign and their characters: add a player by name, say whom they play, and who died (G1).

Players need no account. Start at `Players.add`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from everlore.campaign.roles import Role, roles_of, with_role
from everlore.campaign.seats import refuse_player, seat_at
from everlore.domain.campaign import Campaign, Entity, EntityKind
from everlore.domain.person import Person, PersonKind
from everlore.domain.proposal import Decision, Proposal, ProposalKind
from everlore.domain.scope import Scope
from everlore.errors import BadAsk, Conflict, NotFound
from everlore.store.all_pages import all_of
from everlore.store.port import Amend, Change, Delete, Put
from everlore.turn.resources import Resources

MOST_PLAYERS = 50


@dataclass(frozen=True, slots=True)
class Player:
    """`roles`: the characters, the current one last."""

    id: str
    name: str
    roles: tuple[Role, ...] = ()

    @property
    def character(self) -> str:
        """The name of the current character, if it lives."""
        return self.roles[-1].entity.name if self.roles and not self.roles[-1].died else ""


class Players:
    def __init__(self, scope: Scope, resources: Resources) -> None:
        self._scope = scope
        self._resources = resources
        self._store = resources.store

    async def list(self, campaign: str, *, player: str | None = None) -> Sequence[Player]:
        """Everyone at the table but the game master, with the characters that the caller may see."""
        seat = await seat_at(self._store, self._scope, campaign, player=player)
        roles = await roles_of(self._store, self._scope, seat.campaign, whole=seat.runs)
        people = {each.id: each for each in await self._store.get_many(self._scope, Person, seat.campaign.player_ids)}
        ids = [id for id in seat.campaign.player_ids if id in people]
        return tuple(Player(id, people[id].name, tuple(roles.of(id))) for id in ids)

    async def add(self, campaign: str, name: str = "", *, person: str | None = None, character: str = "") -> Player:
        """Add a new player by name, or a known person. Their names are no longer proposed as names of the world."""
        found = refuse_player(await seat_at(self._store, self._scope, campaign)).campaign
        seated = await self.list(found.id)
        if len(seated) >= MOST_PLAYERS:
            raise BadAsk(f"A campaign has at most {MOST_PLAYERS} players. Remove one first.")
        there = await self._person(person) if person is not None else self._new_person(name)
        if there.id == found.gm_id:
            raise Conflict("The game master knows the secrets and can't be a player. Choose another player.")
        if any(each.id == there.id or each.name.casefold() == there.name.casefold() for each in seated):
            raise Conflict(f"{there.name} plays in {found.name} already. Add a family name, or choose another name.")
        fields = {"player_ids": (*found.player_ids, there.id), "updated_at": self._resources.clock()}
        changes: list[Change] = [] if person is not None else [Put(there)]
        changes += [Amend(Campaign, found.id, fields), *await self._without_proposals(found, there.name)]
        await self._store.apply(self._scope, changes)
        return await self.play(found.id, there.id, character) if character.strip() else Player(there.id, there.name)

    async def play(
        self, campaign: str, player: str, character: str = "", *, died: bool = False, at: datetime | None = None
    ) -> Player:
        """Give a player a character from `at` (default: now) on: an entity of this name, or a new one. `died`: the
        character before it died; without a `character` the player has none until the next."""
        found, there = await self._own(campaign, player)
        name = " ".join(character.split())
        if not name and not died:
            raise BadAsk("Name the character that this player plays.")
        before = there.roles[-1] if there.roles else None
        extra = found.extra
        if died and before is not None:
            extra = with_role(found, before.entity.id, since=before.since, died=True)
        changes: list[Change] = []
        if name:
            entity = await self._character(found, name, player)
            since = (at or self._resources.clock()) if before is not None else None
            if before is None or before.entity.id != entity.id:
                extra = with_role(replace(found, extra=extra), entity.id, since=since)
            changes = [Put(entity), *await self._without_proposals(found, name)]
        fields = {"extra": extra, "updated_at": self._resources.clock()}
        await self._store.apply(self._scope, [*changes, Amend(Campaign, found.id, fields)])
        return (await self._own(campaign, player))[1]

    async def remove(self, campaign: str, player: str) -> None:
        """Remove a player from the table; the person, their characters and what was said stay."""
        found, _ = await self._own(campaign, player)
        kept = tuple(each for each in found.player_ids if each != player)
        fields = {"player_ids": kept, "updated_at": self._resources.clock()}
        await self._store.apply(self._scope, [Amend(Campaign, found.id, fields)])

    async def _own(self, campaign: str, player: str) -> tuple[Campaign, Player]:
        """The campaign, if the caller runs it, and the player in it."""
        found = refuse_player(await seat_at(self._store, self._scope, campaign)).campaign
        there = next((each for each in await self.list(found.id) if each.id == player), None)
        if there is None:
            raise NotFound(f"There is no player {player!r} in {found.name}. Its players are listed with it.")
        return found, there

    async def _person(self, id: str) -> Person:
        found = await self._store.get_many(self._scope, Person, [id])
        if not found:
            raise NotFound(f"There is no person {id!r} in this workspace. Its id is in the list of characters.")
        return found[0]

    def _new_person(self, name: str) -> Person:
        plain = " ".join(name.split())
        if not plain:
            raise BadAsk("A player needs a name.")
        now = self._resources.clock()
        return Person(
            workspace=self._scope.workspace,
            id=self._resources.new_id(),
            kind=PersonKind.USER,
            name=plain,
            created_at=now,
            updated_at=now,
        )

    async def _character(self, campaign: Campaign, name: str, player: str) -> Entity:
        now = self._resources.clock()
        entities = await all_of(self._store, self._scope, Entity, {"campaign_id": campaign.id})
        same = next((each for each in entities if each.name.casefold() == name.casefold()), None)
        if same is not None:
            return replace(same, person_id=player, updated_at=now)
        return Entity(
            workspace=self._scope.workspace,
            id=self._resources.new_id(),
            kind=EntityKind.PERSON,
            name=name,
            campaign_id=campaign.id,
            person_id=player,
            gm_edited=True,
            created_at=now,
            updated_at=now,
        )

    async def _without_proposals(self, campaign: Campaign, name: str) -> Sequence[Change]:
        """Deletes what waits under this name: it is no news any more."""
        where = {"campaign_id": campaign.id, "kind": ProposalKind.ENTITY.value, "status": Decision.PENDING.value}
        waiting = await all_of(self._store, self._scope, Proposal, where)
        return [Delete(Proposal, each.id) for each in waiting if each.title.casefold() == name.casefold()]
