"""What players must not know reaches who runs the game, a person or a character, and nobody else (G9)."""

import json
from dataclasses import replace
from typing import Any

import pytest

from everlore.app import Everlore
from everlore.domain.campaign import Campaign, Entity, Relationship
from everlore.domain.conversation import Conversation
from everlore.domain.event import Event, EventType
from everlore.domain.memory import Memory, MemoryType, Visible
from everlore.domain.person import USER_ID, Person, PersonKind
from everlore.domain.policy import Role
from everlore.domain.records import Record
from everlore.domain.scope import Scope
from everlore.errors import NotFound
from everlore.models.chat import ChatModel
from everlore.models.choice import Endpoint
from everlore.models.registry import ChatModels
from everlore.settings import ChatSettings
from everlore.store.port import Amend, Put
from tests.turn.world import HERE, Cast, World, settings_of, world

# What only a spoiler says.
HIDDEN = ("lich", "opal", "coup", "pact", "Ilvane", "betrayal", "poison")
QUESTION = "What do you know of the Tower and the Baron, the murder and the stone?"


async def table(mind: World | None = None, **campaign: Any) -> World:
    """A campaign with hidden things of every kind. Mara and Fay are played by the model; Ann and Gwen have tokens."""
    mind = mind or world()
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


@pytest.mark.parametrize(("user", "is_told"), [("ann", True), ("gwen", False)])
async def test_a_game_master_keeps_the_secret_of_one_player_from_another(user: str, is_told: bool) -> None:
    """R11: those who share a secret are told of it, and nobody else hears it from the one who runs the game."""
    mind = await table(gm_id="mara", player_ids=("ann", "gwen"))
    await mind.lore.remember(
        "Ann stole the harp of the Tower.", persons=("ann", "mara"), visibility=Visible.SECRET, campaign_id="quest"
    )
    await mind.works()
    talk = await played(mind, "mara", user)

    await mind.says(talk, "Who stole the harp of the Tower?")

    assert ("Ann stole" in mind.model.prompt) is is_told


class _Unplugged(Cast):
    """No model is connected: the built-in voice answers."""

    def get(self, endpoint: Endpoint) -> ChatModel:
        return ChatModels.get(self, endpoint)


def unplugged() -> World:
    return world(models=_Unplugged(), settings=settings_of(chat=ChatSettings(provider="voice")))


QUESTIONS = (
    QUESTION,
    "What is the Baron?",
    "Who is Ilvane?",
    "What is the stone?",
    "Is a coup near?",
    "What do you know about the murder?",
    "Tell me everything that you know.",
    "Who shelters in the Tower?",
    "What should I know about the Baron of the murder?",
    "Do you remember the opal?",
)


@pytest.mark.parametrize(("user", "players"), [("ann", ("ann",)), (USER_ID, ("ann", USER_ID)), ("gwen", ("ann",))])
async def test_the_built_in_voice_of_a_game_master_tells_no_player_what_is_hidden(
    user: str, players: tuple[str, ...]
) -> None:
    """G9: it quotes what it is given, and so is given nothing that whoever listens must not hear; nor is somebody who
    has no seat at the table."""
    mind = await table(unplugged(), gm_id="mara", player_ids=players)
    talk = await played(mind, "mara", user)
    await mind.works()
    scope = mind.scope if user == USER_ID else Scope(HERE, role=Role.MEMBER, person_id=user)

    said = [(await (await mind.turns.say(scope, talk.id, each)).reply()).content for each in QUESTIONS]

    assert hidden_in("\n".join(said)) == set()
    assert "older than the murder" in "\n".join(said), "canon is told"


async def test_the_built_in_voice_tells_who_runs_the_game_what_is_hidden() -> None:
    """G9: alone with them it does."""
    mind = await table(unplugged(), gm_id="mara", player_ids=("ann",))
    talk = await played(mind, "mara")
    await mind.works()

    said = [(await mind.says(talk, each)).content for each in QUESTIONS]

    assert hidden_in("\n".join(said)) >= {"lich", "opal"}


async def test_with_a_player_s_character_in_the_scene_the_built_in_voice_keeps_it_to_itself() -> None:
    """G9: whoever else is there hears it too."""
    mind = await table(unplugged(), gm_id="mara", player_ids=("ann",))
    talk = await played(mind, "mara")
    await mind.store.apply(mind.scope, [Amend(Conversation, talk.id, {"system_ids": ("mara", "fay")})])
    await mind.works()

    said = [(await mind.says(talk, each, speaker_id="mara")).content for each in QUESTIONS]

    assert hidden_in("\n".join(said)) == set()


@pytest.mark.parametrize(("gm", "is_told"), [("mara", True), ("gwen", False), (None, False)])
async def test_a_character_that_runs_the_game_gets_the_game_master_s_template_by_itself(
    gm: str | None, is_told: bool
) -> None:
    """G9: it says what stays hidden until it is found out."""
    mind = await table(gm_id=gm)
    talk = await played(mind, "mara", template="")

    await mind.says(talk, QUESTION)

    assert ("stays hidden until they do" in mind.model.prompt) is is_told


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


# ── lorebooks ────────────────────────────────────────────────────────────────────────────────────


async def test_a_hidden_lorebook_entry_reaches_the_game_master_and_no_player() -> None:
    """G9, V18: neither in what a player is shown of a prompt, kept or tried, nor through another character."""
    mind = await table(gm_id="mara")
    hidden = {"everlore": {"spoiler": True}}
    entry = {"uid": 0, "key": ["stone"], "comment": "The opal", "content": "It is an opal.", "extensions": hidden}
    await mind.lore.lorebooks.attach(json.dumps({"entries": {"0": entry}}).encode())
    talk = await played(mind, "mara", user="ann")
    ann = member(mind, "ann")

    await mind.says(talk, "What is the stone?")

    assert "It is an opal." in mind.model.prompt
    for seen in (await ann.x_rays.of(talk.id), await ann.x_rays.would_be(talk.id, "What is the stone?")):
        assert (seen.account["lore"], hidden_in(json.dumps(seen.account))) == ([], set())
    other = await played(mind, "fay")
    await mind.says(other, "What is the stone?")
    assert "It is an opal." not in mind.model.prompt
