"""Who plays whom, and under which names a log shows its speakers (G1, G9).

A player's characters are the entities with their `person_id`. The campaign keeps since when each is played, if another
one came before it, and which ones died. Start at `Roles.name_of`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from everlore.domain.bounds import Json
from everlore.domain.campaign import Campaign, Entity
from everlore.domain.conversation import Message, said_by
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.domain.sessions import SPEAKER
from everlore.domain.visibility import is_marked
from everlore.store.all_pages import all_of
from everlore.store.port import Store

# The key in a campaign's `extra`: by entity, since when it is played, and whether it died.
ROLES = "roles"


@dataclass(frozen=True, slots=True)
class Role:
    """A character and its player. `since` is None for a player's first character."""

    entity: Entity
    since: datetime | None = None
    died: bool = False

    def is_called(self, name: str) -> bool:
        return name.casefold() in {each.casefold() for each in (self.entity.name, *self.entity.aliases)}


class Roles:
    """`names`: of the people at the table and of other speakers, by id."""

    def __init__(self, campaign: Campaign, entities: Iterable[Entity], names: Mapping[str, str]) -> None:
        self._names = names
        self._players = {names[id].casefold(): id for id in campaign.player_ids if id in names}
        self._by_player: dict[str, list[Role]] = defaultdict(list)
        for each in entities:
            if each.person_id in campaign.player_ids:
                self._by_player[str(each.person_id)].append(_role(each, campaign))
        for roles in self._by_player.values():
            roles.sort(key=lambda each: (each.since is not None, each.since or each.entity.created_at))

    def of(self, person_id: str) -> Sequence[Role]:
        """The player's characters, the current one last."""
        return tuple(self._by_player.get(person_id, ()))

    def current(self, person_id: str) -> Role | None:
        return next(reversed(self.of(person_id)), None)

    def name_of(self, message: Message) -> str:
        """The character's name for a player, otherwise the speaker's own; empty if unknown."""
        if other := said_by(message):
            return other
        label = str(message.metadata.get(SPEAKER) or "")
        roles = self.of(message.person_id or self._players.get(label.casefold(), ""))
        started = [each for each in roles if each.since is None or each.since <= message.created_at]
        played = [*(started[-1:] or roles[:1]), *(each for each in roles if each.is_called(label))]
        return played[-1].entity.name if played else self._names.get(message.person_id or "", label)


async def roles_of(
    store: Store, scope: Scope, campaign: Campaign, speakers: Iterable[str] = (), *, whole: bool = False
) -> Roles:
    """`speakers`: ids of people besides the players. `whole`: with hidden characters."""
    found = await all_of(store, scope, Entity, {"campaign_id": campaign.id})
    people = await store.get_many(scope, Person, {*campaign.player_ids, *speakers})
    shown = [each for each in found if whole or not is_marked(each)]
    return Roles(campaign, shown, {each.id: each.name for each in people})


async def speaker_names(store: Store, scope: Scope, campaign: Campaign, messages: Sequence[Message]) -> dict[str, str]:
    """The speaker's name of each message, as all players know it, by message id; without unknown ones."""
    speakers = {each.person_id for each in messages if each.person_id is not None}
    roles = await roles_of(store, scope, campaign, speakers)
    return {each.id: name for each in messages if (name := roles.name_of(each))}


def with_role(campaign: Campaign, entity_id: str, *, since: datetime | None = None, died: bool = False) -> Json:
    """The `extra` of a campaign with this role."""
    kept = _kept(campaign)
    role: Json = {"since": since.isoformat() if since else None, "died": died}
    return {**campaign.extra, ROLES: {**kept, entity_id: role}}


def _role(entity: Entity, campaign: Campaign) -> Role:
    kept = _kept(campaign).get(entity.id)
    if not isinstance(kept, dict):
        return Role(entity)
    since = kept.get("since")
    return Role(entity, datetime.fromisoformat(since) if isinstance(since, str) else None, kept.get("died") is True)


def _kept(campaign: Campaign) -> Json:
    kept = campaign.extra.get(ROLES)
    return kept if isinstance(kept, dict) else {}
