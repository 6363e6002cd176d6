"""A campaign with something of everything: played, digested, with a world, ties, secrets, proposals and a past."""

from dataclasses import dataclass

from everlore.campaign.log_import import LogFile, bring_log
from everlore.domain.campaign import Campaign, Chapter, Entity, EntityKind, Relationship, Session
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.proposal import Proposal, ProposalKind
from everlore.domain.revision import Why, revise
from everlore.store.port import Put
from tests.campaign.table import plays, seated
from tests.turn.world import World

# No string of these may reach a player.
SECRETS = ("zephyrine", "Oswin", "undercroft", "betrays", "quicksilver")
LOG = """GM: You arrive at the drowned tower at dawn, and its bell rings by itself.
Pia: I climb the stairs with the funnel.
[GM] The undercroft below is full of quicksilver.
Jon: We decide to wait for Sister Ilka.
GM: She comes at noon, and she brings the old lamp of Orne.
Pia: We promise to light it before midwinter.
"""


@dataclass(frozen=True)
class Played:
    campaign: Campaign
    chapter: Chapter
    first: Session
    second: Session


async def played(world: World) -> Played:
    made = await seated(world)
    chapter = await world.lore.campaigns.begin_chapter(made.id, "Dusk", goals=["Find the light"])
    first = await world.lore.sessions.start(made.id, name="The dark quay")
    await plays(
        world,
        first,
        ("GM", "You arrive at the harbour of Orne, where every lamp is dark."),
        ("Pia", "I look into the lamp house."),
        ("GM", "You find a silver funnel, still warm, and a glove of the guild."),
        ("Jon", "Let's take the funnel to Sister Ilka."),
        ("GM", "Sister Ilka is the last keeper of the old lamps."),
    )
    await plays(world, first, ("GM", "The guild master Oswin drinks zephyrine."), behind_the_screen=True)
    await world.lore.sessions.end(first.id)
    await world.works()
    brought = await bring_log(world.resources, world.scope, made.id, LOG, LogFile(name="The tower"))
    await world.works()
    await _furnish(world, made, first)
    return Played(made, chapter, first, brought.session)


async def _furnish(world: World, made: Campaign, session: Session) -> None:
    world_of = [
        _entity(
            world, made, "ilka", "Sister Ilka", EntityKind.NPC, "The last keeper. She lives in [[Orne]].", ("Ilka",)
        ),
        _entity(world, made, "orne", "Orne", EntityKind.LOCATION, "A harbour.", ()),
        _entity(
            world, made, "oswin", "Oswin", EntityKind.NPC, "Drinks zephyrine.", ("The quicksilver man",), hidden=True
        ),
    ]
    now = world.clock()
    ties = [
        _tie(world, made, "t1", "ilka", "orne", "lives in", "She lives in Orne."),
        _tie(world, made, "t2", "oswin", "ilka", "betrays", "Oswin betrays her."),
    ]
    proposal = Proposal(
        workspace=world.scope.workspace, id="p1", campaign_id=made.id, session_id=session.id, kind=ProposalKind.ENTITY,
        title="Oswin", evidence="The guild master Oswin drinks zephyrine.", is_spoiler=True, created_at=now,
        updated_at=now,
    )  # fmt: skip
    await world.store.apply(world.scope, [*map(Put, world_of), *map(Put, ties), Put(proposal)])
    await world.lore.campaigns.remember(made.id, "Magic costs a year of life.", type=MemoryType.SETTING)
    await world.lore.campaigns.remember(made.id, "Oswin is of zephyrine.", spoiler=True)
    kept = await world.lore.campaigns.remember(made.id, "The lamps burn whale oil.", importance=7)
    memory = await world.store.get(world.scope, Memory, kept.memory.id)
    world.clock.pass_time(60)
    edited = revise(memory, world.clock(), content="The lamps burn old light.", entity_ids=("orne",))
    await world.store.apply(world.scope, [Put(edited, by="vesna", why=Why.EDIT)])
    told = Telling(
        workspace=world.scope.workspace, id="told", memory_id=memory.id, teller_id="pia", listener_id="jon",
        told_at=world.clock(), created_at=world.clock(),
    )  # fmt: skip
    await world.store.apply(world.scope, [Put(told)])


def _entity(
    world: World,
    made: Campaign,
    id: str,
    name: str,
    kind: EntityKind,
    about: str,
    aliases: tuple[str, ...],
    *,
    hidden: bool = False,
) -> Entity:
    now = world.clock()
    return Entity(
        workspace=world.scope.workspace, id=id, name=name, kind=kind, description=about, aliases=aliases,
        campaign_id=made.id, is_spoiler=hidden, created_at=now, updated_at=now,
    )  # fmt: skip


def _tie(world: World, made: Campaign, id: str, one: str, other: str, type: str, evidence: str) -> Relationship:
    return Relationship(
        workspace=world.scope.workspace, id=id, campaign_id=made.id, source_id=one, target_id=other, type=type,
        evidence=evidence, created_at=world.clock(),
    )  # fmt: skip
