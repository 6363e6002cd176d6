"""The campaigns of the village: one run by somebody with a token, one by a character that the model plays, one by
nobody. What is kept of them is canon, or happened to some of those who play; some of it players must not know (G9).

Start at `Games.begin`.
"""

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from everlore.domain.campaign import Campaign, Entity, EntityKind, Relationship
from everlore.domain.event import Event, EventType
from everlore.domain.memory import Memory, MemoryType, Visible
from everlore.domain.proposal import Proposal, ProposalKind
from everlore.domain.sessions import parts_of
from everlore.store.port import Put
from tests.leaks.ledger import NORMAL, SECRET, Fact, Game, Scrap, State, Talk
from tests.turn.world import HERE

if TYPE_CHECKING:
    from tests.leaks.village import Village

_KINDS = {"memory": 10, "entity": 4, "tie": 4, "event": 3, "proposal": 2}
_TYPES = (MemoryType.FACT, MemoryType.PLOT_THREAD, MemoryType.PREMISE, MemoryType.DISCOVERY)
# What a story teller is told, also where the template of the conversation would have no place for it.
_ALL_OF_IT = {
    "name": "All of it",
    "sections": {
        "world": {"content": ["${campaign.memory}", "${chapter.memory}", "${entities.mentioned}"]},
        "ties": {"content": ["${relationships.context}", "${population.people}", "${memory.context}"]},
    },
}


class Games:
    def __init__(self, village: "Village") -> None:
        self._village = village
        self._mind = village.mind
        self._ledger = village.ledger

    @property
    def _dice(self) -> random.Random:
        return self._village.dice

    async def begin(self, roomy: dict[str, Any]) -> None:
        """Each with talks in which it is played: by its game master, and by each player."""
        humans, characters = sorted(self._ledger.humans), sorted(self._ledger.characters)
        template = (await self._mind.lore.templates.create(_ALL_OF_IT)).kept.id
        games = (
            Game("g-human", humans[0], frozenset({humans[1], humans[2], characters[0]})),
            Game("g-ai", characters[1], frozenset({humans[1], humans[3]})),
            Game("g-none", None, frozenset({humans[2]})),
        )
        for game in games:
            await self._keep(game)
            for user in sorted(game.everybody & self._ledger.humans):
                cast = [game.gm] if game.gm in characters else []
                cast += self._dice.sample([each for each in characters if each not in cast], 2)
                await self._play(game, user, cast, roomy | {"template": template})
            for _ in range(22):
                await self.goes_on(game)

    async def _keep(self, game: Game) -> None:
        at = self._mind.clock()
        players = tuple(sorted(game.players))
        kept = Campaign(
            workspace=HERE, id=game.id, name=game.id, gm_id=game.gm, player_ids=players, created_at=at, updated_at=at
        )
        await self._mind.store.apply(self._mind.scope, [Put(kept)])
        self._ledger.games[game.id] = game

    async def _play(self, game: Game, user: str, cast: list[str], config: dict[str, Any]) -> None:
        talk = await self._mind.lore.conversations.start(cast, user=user, config=config)
        session = await self._mind.lore.sessions.start(game.id, conversation=talk.id)
        is_open = parts_of(session)[0].open
        played = Talk(talk.id, user, tuple(cast), game=game.id, session=session.id, is_open=is_open)
        self._ledger.talks[talk.id] = played

    async def goes_on(self, game: Game | None = None) -> None:
        """Something is kept of it; half of that players must not know."""
        game = game or self._dice.choice(list(self._ledger.games.values()))
        kind = self._dice.choices(list(_KINDS), list(_KINDS.values()))[0]
        if kind == "memory":
            await self._something_happens(game)
            return
        persons = frozenset(self._some_of(game)) if kind == "event" else frozenset[str]()
        scrap = Scrap(
            f"{kind} {self._village.handle()}",
            self._village.two_words(),
            persons,
            self._mind.clock(),
            game=game.id,
            is_spoiler=self._dice.random() < 0.5,
            is_of_world=kind != "event",
        )
        made = {"entity": self._entity, "tie": self._tie, "event": self._event, "proposal": self._proposal}[kind](scrap)
        if made is not None:
            record, kept = made
            await self._mind.store.apply(self._mind.scope, [Put(record)])
            self._ledger.scraps[kept.id] = kept
            for number, name in enumerate(getattr(record, "hidden_aliases", ())):
                # Players know whom it names, and not by this name.
                alias = replace(
                    kept,
                    id=f"alias {number} of {kept.id}",
                    words=frozenset({name}),
                    is_spoiler=True,
                    name="",
                    alias_of=kept.id,
                )
                self._ledger.scraps[alias.id] = alias

    async def _something_happens(self, game: Game) -> None:
        village, at = self._village, self._mind.clock()
        visibility = self._dice.choices([NORMAL, SECRET], [5, 1])[0]
        persons = frozenset(self._some_of(game)) if self._dice.random() < 0.5 else frozenset[str]()
        is_spoiler = self._dice.random() < 0.5
        state = State(at, village.two_words(), persons, visibility, is_spoiler=is_spoiler, game=game.id)
        handle = village.handle()
        memory = Memory(
            workspace=HERE,
            id=f"of-{handle}".replace(" ", "-"),
            content=village.said_of(handle, state),
            type=self._dice.choice(_TYPES),
            importance=self._dice.choice([3, 5, 9]),
            persons=tuple(sorted(persons)),
            visibility=Visible(visibility),
            is_spoiler=is_spoiler,
            campaign_id=game.id,
            created_at=at,
            updated_at=at,
        )
        await self._mind.store.apply(self._mind.scope, [Put(memory)])
        self._ledger.facts[memory.id] = Fact(memory.id, handle, [state])

    def _some_of(self, game: Game) -> list[str]:
        among = sorted(game.everybody | set(sorted(self._ledger.characters)[:4]))
        return self._dice.sample(among, self._dice.choice([1, 2, 2]))

    # ── what else is kept ────────────────────────────────────────────────────────────────────────

    def _entity(self, scrap: Scrap) -> tuple[Entity, Scrap]:
        name = scrap.id.split()[1]
        made = Entity(
            **_known(scrap),
            name=name,
            kind=EntityKind.NPC,
            description=_told(scrap),
            hidden_aliases=tuple(sorted(self._village.two_words())) if self._dice.random() < 0.6 else (),
            is_spoiler=scrap.is_spoiler,
            updated_at=scrap.at,
        )
        return made, replace(scrap, name=name)

    def _tie(self, scrap: Scrap) -> tuple[Relationship, Scrap] | None:
        """As hidden as either of its ends."""
        ends = [each for each in self._ledger.scraps.values() if each.name and each.game == scrap.game]
        seen = [each for each in ends if not each.is_spoiler]
        if not scrap.is_spoiler and len(seen) > 1 and self._dice.random() < 0.6:
            ends = seen
        if len(ends) < 2:
            return None
        one, other = self._dice.sample(ends, 2)
        made = Relationship(
            **_known(scrap),
            source_id=one.id,
            target_id=other.id,
            type="knows",
            evidence=_told(scrap),
            is_spoiler=scrap.is_spoiler,
        )
        return made, replace(scrap, is_spoiler=scrap.is_spoiler or one.is_spoiler or other.is_spoiler)

    def _event(self, scrap: Scrap) -> tuple[Event, Scrap]:
        made = Event(
            **_known(scrap),
            type=EventType.OBSERVATION,
            content=_told(scrap),
            at=scrap.at,
            participants=tuple(sorted(scrap.persons)),
            is_spoiler=scrap.is_spoiler,
        )
        return made, scrap

    def _proposal(self, scrap: Scrap) -> tuple[Proposal, Scrap]:
        """For who runs the game alone, whatever it says."""
        made = Proposal(
            **_known(scrap),
            kind=ProposalKind.ENTITY,
            title="Somebody",
            evidence=_told(scrap),
            is_spoiler=scrap.is_spoiler,
            updated_at=scrap.at,
        )
        return made, replace(scrap, is_spoiler=True)


def _known(scrap: Scrap) -> dict[str, Any]:
    return {"workspace": HERE, "id": scrap.id, "campaign_id": scrap.game, "created_at": scrap.at}


def _told(scrap: Scrap) -> str:
    return f"There is {' beside '.join(sorted(scrap.words))}."
