"""What players must not know reaches who runs the game, a person or a character, and nobody else (G9)."""

import json
from dataclasses import replace
from typing import Any

import pytest

from everlore.app import Everlore
from everlore.domain.campaign import Campaign, Entity, Relationship
from everlore.domain.conversation import Conversation
from everlore.domain.event import Event, EventType
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.person import USER_ID, Person, PersonKind
from everlore.domain.policy import Role
from everlore.domain.records import Record
from everlore.domain.scope import Scope
from everlore.errors import NotFound
from everlore.store.port import Amend, Put
from tests.converse.world import HERE, World, world

# What only a spoiler says.
HIDDEN = ("lich", "opal", "coup", "pact", "Ilvane", "betrayal", "poison")
QUESTION = "What do you know of the Tower and the Baron, the murder and the stone?"


async def table(**campaign: Any) -> World:
    """A campaign with hidden things of every kind. Mara and Fay are played by the model; Ann and Gwen have tokens."""
    mind = world()
    for name in ("Mara", "Fay"):
        await mind.meets(name)
    await mind.lore.characters.user()
    at = mind.clock()
    here: dict[str, Any] = {"workspace": HERE, "created_at": at}
    both: dict[str, Any] = here | {"updated_at": at}
    of: dict[str, Any] = {"campaign_id": "quest"}
    seen: dict[str, Any] = {"type": EventType.OBSERVATION, "at": at} | of | here
    memories = [
        Memory(id="m-lich", content="The Baron of the murder is a lich.", is_spoiler=True, **of, **both),
        Memory(id="m-opal", content="The stone is an opal.", persons=("ann", "fay"), is_spoiler=True, **of, **both),
        Memory(id="m-coup", content="A coup is near.", type=MemoryType.PLOT_THREAD, is_spoiler=True, **of, **both),
        Memory(id="m-open", content="The Tower is older than the murder.", **of, **both),
    ]
    world_of = [
        Entity(id="tower", name="Tower", description="A tall ruin.", **of, **both),
        Entity(id="baron", name="Baron", description="A man in grey.", **of, **both),
        Entity(id="ilvane", name="Ilvane", description="Plans the betrayal.", is_spoiler=True, **of, **both),
    ]
    sealed = Relationship(
        id="t1", source_id="tower", target_id="baron", type="sealed", evidence="A pact.", **of, **here
    )
    ties = [
        replace(sealed, is_spoiler=True),
        Relationship(id="t2", source_id="tower", target_id="ilvane", type="shelters", evidence="Seen.", **of, **here),
        Relationship(id="t3", source_id="baron", target_id="tower", type="built", evidence="Long ago.", **of, **here),
    ]
    events = [
        Event(id="e1", content="Somebody mixed the poison.", participants=("ann",), is_spoiler=True, **seen),
        Event(id="e2", content="The gate fell.", participants=("ann", USER_ID), **seen),
    ]
    people = [Person(id=id, name=id.title(), kind=PersonKind.USER, **both) for id in ("ann", "gwen")]
    game = Campaign(id="quest", name="The Quest", **{"player_ids": ("ann", USER_ID), **campaign}, **both)
    kept: list[Record] = [*people, game, *memories, *world_of, *ties, *events]
    await mind.store.apply(mind.scope, [Put(each) for each in kept])
    return mind


async def played(mind: World, character: str, user: str = USER_ID, template: str = "game-master") -> Conversation:
    config = {"auto_title": False, "extract_memories": False, "template": template}
    talk = await mind.lore.conversations.start([character], user=user, config=config)
    await mind.store.apply(mind.scope, [Amend(Conversation, talk.id, {"campaign_id": "quest"})])
    return talk


def member(mind: World, person_id: str) -> Everlore:
    return mind.lore.seen_by(Scope(HERE, role=Role.MEMBER, person_id=person_id))


def hidden_in(text: str) -> set[str]:
    return {word for word in HIDDEN if word in text}


# ── prompts ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_game_master_that_the_model_plays_knows_its_own_secrets() -> None:
    """G9: memories of every tier, who is hidden, and the ties between them."""
    mind = await table(gm_id="mara")
    talk = await played(mind, "mara")

    await mind.says(talk, f"{QUESTION} And of Ilvane?")

    assert hidden_in(mind.model.prompt) >= {"lich", "opal", "coup", "pact", "Ilvane", "betrayal"}


@pytest.mark.parametrize("gm", ["mara", "user", "gwen", None])
async def test_another_character_never_does_whoever_speaks_to_it(gm: str | None) -> None:
    """G9: not even to the game master; nor does the evidence of a tie between two whom everybody knows."""
    mind = await table(gm_id=gm)
    talk = await played(mind, "fay")

    await mind.says(talk, QUESTION)

    assert hidden_in(mind.model.prompt) == set()
    assert "Long ago." in mind.model.prompt, "what is open is told"
    assert "older than the murder" in mind.model.prompt, "canon is for all who play"


async def test_outside_of_its_campaign_a_game_master_keeps_its_secrets() -> None:
    """G9."""
    mind = await table(gm_id="mara")
    talk = await mind.sits_down("Mara")

    await mind.says(talk, QUESTION)

    assert hidden_in(mind.model.prompt) == set()
    assert "older than the murder" not in mind.model.prompt, "canon is for nobody outside"


# ── what the prompt was made of ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("players", [("ann",), ("ann", USER_ID)])
async def test_an_x_ray_shows_a_player_nothing_hidden_be_it_the_owner(players: tuple[str, ...]) -> None:
    """G9, P12: of a turn that was, and of one that would be; without players the owner sees all of it."""
    mind = await table(gm_id="mara", player_ids=players)
    talk = await played(mind, "mara")
    await mind.says(talk, QUESTION)

    was = await mind.lore.x_rays.of(talk.id)
    would_be = await mind.lore.x_rays.would_be(talk.id, QUESTION)
    known = await mind.lore.x_rays.known(talk.id, QUESTION)

    shown = json.dumps([was.account, would_be.account, [each.content for each in would_be.messages]], default=str)
    shown += json.dumps([getattr(each.record, "content", "") for each in known.recalled])
    assert bool(hidden_in(shown)) is (USER_ID not in players)
    assert "not yours to read" in shown or USER_ID not in players


async def test_an_x_ray_of_a_member_who_plays_is_as_empty_of_it() -> None:
    """G9: and so is that of a character who does not run the game, for the sake of who does."""
    for gm, user in (("mara", "ann"), ("ann", "ann")):
        mind = await table(gm_id=gm, player_ids=("ann",) if gm == "mara" else ())
        talk = await played(mind, "mara", user)
        mine = member(mind, user)
        await (await mind.turns.say(mine.scope, talk.id, QUESTION)).reply()
        shown = json.dumps((await mine.x_rays.of(talk.id)).account, default=str)
        shown += json.dumps((await mine.x_rays.would_be(talk.id, QUESTION)).account, default=str)
        assert hidden_in(shown) == set(), gm


# ── lists, search and context ────────────────────────────────────────────────────────────────────


async def test_a_spoiler_in_which_a_player_has_a_part_comes_back_nowhere() -> None:
    """G9: not in lists, by its id, in search, in context or in what they know."""
    mind = await table(gm_id="gwen")
    ann = member(mind, "ann")

    assert [each.id for each in (await ann.memories.list()).items] == []
    with pytest.raises(NotFound):
        await ann.memories.get("m-opal")
    with pytest.raises(NotFound):
        await ann.history("m-opal")
    found = await ann.recall(QUESTION, include=("memory", "event", "entity"), limit=50)
    assert hidden_in(" ".join(str(each.record) for each in found)) == set()
    assert {each.record.id for each in found} >= {"m-open", "tower", "baron"}, "canon is theirs"
    for query in (QUESTION, ""):
        package = await ann.context(query, include=("memory", "event", "entity"))
        assert hidden_in(package.text) == set()
    assert [each.id for each in (await ann.events.list()).items] == ["e2"]
    with pytest.raises(NotFound):
        await ann.events.get("e1")
    assert (await ann.knowledge.of("ann")).items == ()


async def test_the_owner_who_looks_as_a_player_sees_what_the_player_would() -> None:
    """G9: and as themselves all of it."""
    mind = await table(gm_id="gwen")
    as_ann = await mind.lore.recall(QUESTION, person="ann", include=("memory", "event", "entity"), limit=50)
    assert hidden_in(" ".join(str(each.record) for each in as_ann)) == set()
    package = await mind.lore.context(QUESTION, person="ann")
    assert hidden_in(package.text) == set()
    as_owner = await mind.lore.recall(QUESTION, include=("memory", "event", "entity"), limit=50)
    assert hidden_in(" ".join(str(each.record) for each in as_owner)) >= {"lich", "opal"}


async def test_a_member_who_runs_the_game_sees_all_of_it() -> None:
    """G9: of this campaign, and looks after it."""
    mind = await table(gm_id="gwen")
    gwen = member(mind, "gwen")

    listed = await gwen.memories.list(campaign_id="quest")
    assert {each.id for each in listed.items} == {"m-lich", "m-opal", "m-coup", "m-open"}
    assert (await gwen.memories.get("m-opal")).is_spoiler
    found = await gwen.recall(f"{QUESTION} Ilvane?", include=("memory", "event", "entity"), limit=50)
    assert {each.record.id for each in found} >= {"m-lich", "m-opal", "ilvane"}
    assert [each.id for each in (await gwen.memories.list()).items] == [], "what is theirs alone is asked for without"


async def test_a_page_of_memories_that_are_all_hidden_is_passed_over() -> None:
    """G9: what comes after it is still reached."""
    mind = await table(gm_id="gwen")
    at = mind.clock()
    fields: dict[str, Any] = {"workspace": HERE, "persons": ("ann",), "created_at": at, "updated_at": at}
    open_one = Memory(id="a-open", content="Ann sings.", **fields)
    many = [Memory(id=f"b-{n}", content=f"Hidden {n}.", is_spoiler=True, **fields) for n in range(9)]
    await mind.store.apply(mind.scope, [Put(each) for each in (open_one, *many)])

    page = await member(mind, "ann").memories.list(limit=3)

    assert [each.id for each in page.items] == ["a-open"]


# ── what is hidden later ─────────────────────────────────────────────────────────────────────────


async def test_what_is_hidden_later_is_hidden_of_earlier_times_too() -> None:
    """G9: a player who asks for what was known before it was hidden, or looks at an earlier prompt, finds nothing."""
    mind = await table(gm_id="gwen")
    at = mind.clock()
    open_yet = Memory(
        workspace=HERE,
        id="m-mask",
        content="The masked guest is a duchess.",
        persons=("ann", "fay"),
        campaign_id="quest",
        created_at=at,
        updated_at=at,
    )
    await mind.store.apply(mind.scope, [Put(open_yet)])
    ann, talk = member(mind, "ann"), await played(mind, "fay", "ann")
    mind.clock.pass_time(60)
    before = mind.clock()
    await (await mind.turns.say(ann.scope, talk.id, "Who is the masked guest?")).reply()
    assert "duchess" in json.dumps((await ann.x_rays.of(talk.id)).account)
    assert [each.record.id for each in await ann.recall("masked guest", as_of=before)] == ["m-mask"]
    mind.clock.pass_time(60)

    await mind.lore.edit("m-mask", is_spoiler=True)

    assert [each.record.id for each in await ann.recall("masked guest", as_of=before)] == []
    assert "duchess" not in json.dumps((await ann.x_rays.of(talk.id)).account)
    with pytest.raises(NotFound):
        await ann.history("m-mask")
    gwen = member(mind, "gwen")
    assert [each.record.id for each in await gwen.recall("masked guest", as_of=before)] == ["m-mask"]
