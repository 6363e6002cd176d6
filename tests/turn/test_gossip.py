"""What a character has with others comes up with somebody else, where that is let in: the seed's tests of gossip (R6 to
R9), on the whole engine, with real word vectors where meaning matters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import pytest

from everlore.app import Everlore
from everlore.domain.conversation import Conversation
from everlore.domain.layer import Layer
from everlore.domain.memory import Memory, Status, Visible
from everlore.domain.recalled import Recalled
from everlore.domain.roll import Roll
from everlore.errors import BadAsk, NotFound
from everlore.facade import BackgroundTasks
from everlore.models.wordllama import WordLlamaEmbedder
from everlore.settings import GossipSettings
from everlore.turn.turns import Turns
from tests.store_double.store import DoubleStore
from tests.turn.world import World, settings_of, world
from tests.worker.crew import FakeClock

QUARREL = "Don and Mike quarrelled about the red motorcycle that Mike crashed into a fence."
GARDEN = "Don and Mike planted tomatoes and beans in the garden behind the church."
ABOUT_THE_QUARREL = "Who crashed the red motorcycle into the fence?"
WORDS = WordLlamaEmbedder()


@dataclass
class Understanding(World):
    """A world whose embedder knows what words mean."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.resources = replace(self.resources, embedder=WORDS)
        self.turns = Turns(self.resources, save_every_s=self.save_every_s, sign_every_s=self.sign_every_s)
        self.worker = self._worker()
        self.lore = Everlore(self.scope, self.resources, BackgroundTasks(lambda: self.turns, lambda: [self.worker]))


def understanding(**given: Any) -> Understanding:
    clock = FakeClock()
    return Understanding(DoubleStore(clock), clock=clock, **given)


async def sit(mind: World, user: str, *cast: str, **config: Any) -> Conversation:
    """A talk between these, who are met first if need be; `user` is whom somebody plays."""
    for name in (user, *cast):
        await meet(mind, name)
    plain = {"auto_title": False, "extract_memories": False}
    return await mind.lore.conversations.start(list(cast), user=user, config=plain | config)


async def meet(mind: World, name: str, **fields: Any) -> None:
    try:
        await mind.lore.characters.get(name)
    except NotFound:
        await mind.meets(name.title(), **fields)


async def shared(mind: World, content: str, *persons: str, **fields: Any) -> Memory:
    """A memory that these persons have."""
    for name in persons:
        await meet(mind, name)
    memory = await mind.lore.remember(content, persons=tuple(sorted(persons)), **fields)
    await mind.works()
    return memory


def texts(found: Sequence[Recalled]) -> list[str]:
    return [each.memory.content for each in found]


# ── the seed's tests ─────────────────────────────────────────────────────────────────────────────


async def test_gossip_cross_character_recall() -> None:
    """TestGossip_CrossCharacterRecall (R6): Don recalls what he has with Mike while he talks to Rex."""
    mind = understanding()
    await shared(mind, QUARREL, "don", "mike")
    talk = await sit(mind, "rex", "don", gossip_enabled=True)

    known = await mind.lore.x_rays.known(talk.id, ABOUT_THE_QUARREL)

    assert [(each.memory.content, each.layer) for each in known.recalled] == [(QUARREL, Layer.CROSS)]


async def test_gossip_excludes_current_pair() -> None:
    """TestGossip_ExcludesCurrentPair (R7): what Rex has with Don himself is no news to Don, nor what Don was told."""
    mind = understanding()
    with_mike = await shared(mind, "Rex and Mike crashed the red motorcycle into a fence.", "rex", "mike")
    await shared(mind, "Rex and Don crashed the red motorcycle into a fence, too.", "rex", "don")
    await shared(mind, "All three painted the red motorcycle that hit the fence.", "rex", "don", "mike")
    told = await shared(mind, "Rex saw Mike crash the red motorcycle into the fence.", "rex", "mike")

    before = await mind.lore.gossip.search("rex", ABOUT_THE_QUARREL, exclude="don")
    await mind.lore.knowledge.tell(told.id, teller="rex", listener="don")
    after = await mind.lore.gossip.search("rex", ABOUT_THE_QUARREL, exclude="don")

    assert {each.record.id for each in before} == {with_mike.id, told.id}
    assert {each.record.id for each in after} == {with_mike.id}


async def test_gossip_semantic_relevance() -> None:
    """TestGossip_SemanticRelevance (R6, R7): only what bears on the words, in whatever words."""
    mind = understanding()
    await shared(mind, QUARREL, "don", "mike")
    await shared(mind, GARDEN, "don", "mike")
    talk = await sit(mind, "rex", "don", gossip_enabled=True)

    for question, expected in (
        (ABOUT_THE_QUARREL, [QUARREL]),
        ("Did anybody plant tomatoes and beans behind the church?", [GARDEN]),
        ("What is the capital of Portugal?", []),
    ):
        assert texts(await mind.lore.gossip.search("don", question, exclude="rex")) == expected
        assert texts((await mind.lore.x_rays.known(talk.id, question)).recalled) == expected


async def test_gossip_needs_no_word_in_common() -> None:
    """R7: at the usual 0.65, with the embedder that comes along."""
    mind = understanding()
    memory = await shared(mind, "Mike crashed the car into a lamp post.", "don", "mike")
    await sit(mind, "rex", "don")
    await mind.works()

    found = await mind.lore.gossip.search("don", "There was an accident with an automobile.", exclude="rex")

    assert texts(found) == [memory.content]


OF_ONE = {
    "motorcycle": "Mike crashed the red motorcycle into a fence.",
    "savings": "Mike keeps his savings in a tin.",
    "dogs": "Mike has been afraid of dogs since school.",
    "ladder": "Don lent Mike the green ladder.",
    "chess": "Mike won the chess cup in May.",
}


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("Mike said hello.", None),
        ("Have you seen Mike lately?", None),
        ("I had lunch with Mike today.", None),
        ("Is mike coming tonight?", None),
        ("Mike, of all people!", None),
        ("Did Mike crash something?", "motorcycle"),
        ("Mike seemed scared when he saw my dog.", "dogs"),
        ("Can I borrow a ladder?", "ladder"),
        ("Who is good at chess?", "chess"),
    ],
)
async def test_to_be_named_does_not_open(said: str, wanted: str | None) -> None:
    """R6, R7: all of it is of Mike, and little of it bears on what was said, on either side."""
    mind = understanding()
    for content in OF_ONE.values():
        await shared(mind, content, "don", "mike")
    talk = await sit(mind, "rex", "don", gossip_enabled=True)

    suggested = texts(await mind.lore.gossip.search("don", said, exclude="rex"))
    known = texts((await mind.lore.x_rays.known(talk.id, said)).recalled)

    assert suggested == known == ([] if wanted is None else [OF_ONE[wanted]])


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("Have you seen Mike?", None),
        ("Have you seen mike lately?", None),
        ("Good morning, Don.", None),
        ("Mike's here.", None),
        ("Any news of Torres?", None),
        ("Did Mike crash something?", "motorcycle"),
        ("Who is good at chess?", "chess"),
    ],
)
async def test_a_first_name_does_not_open_either(said: str, wanted: str | None) -> None:
    """R6, R7: of somebody with a full name, on either side."""
    mind = understanding()
    await mind.meets("Mike Torres", id="mike")
    await mind.meets("Don Ferrante", id="don")
    for content in OF_ONE.values():
        await shared(mind, content, "don", "mike")
    talk = await sit(mind, "rex", "don", gossip_enabled=True)

    suggested = texts(await mind.lore.gossip.search("don", said, exclude="rex"))
    known = texts((await mind.lore.x_rays.known(talk.id, said)).recalled)

    assert suggested == known == ([] if wanted is None else [OF_ONE[wanted]])


async def test_to_be_named_helps_to_rank() -> None:
    """R4, R7: of two that bear on it alike, the one of whoever is named comes first."""
    mind = understanding()
    for name in ("anna", "mike", "zoe"):
        await shared(mind, "They crashed the red motorcycle into a fence.", "don", name)
    await sit(mind, "rex", "don")

    for name in ("Zoe", "Anna"):
        found = await mind.lore.gossip.search("don", f"Did {name} crash the motorcycle?", exclude="rex")
        assert len(found) == 3
        assert name.lower() in found[0].memory.persons
        assert found[0].score > found[1].score


async def test_gossip_gating_by_config() -> None:
    """TestGossip_GatingByConfig (R6): without `gossip_enabled` nothing of others comes up, and nothing is suggested."""
    mind = understanding()
    await shared(mind, QUARREL, "don", "mike")
    await shared(mind, "Rex and Mike crashed the red motorcycle into a fence.", "rex", "mike")
    off = await sit(mind, "rex", "don")
    on = await sit(mind, "rex", "don", gossip_enabled=True)

    assert (await mind.lore.x_rays.known(off.id, ABOUT_THE_QUARREL)).recalled == ()
    assert (await mind.lore.gossip.suggest(off.id, ABOUT_THE_QUARREL)).items == ()
    assert (await mind.lore.x_rays.known(on.id, ABOUT_THE_QUARREL)).recalled
    assert (await mind.lore.gossip.suggest(on.id, ABOUT_THE_QUARREL)).items


async def rolls_of(mind: World, user: str, times: int) -> list[Roll]:
    """So many messages, each of which might slip something."""
    talk = await sit(mind, user, "don", gossip_enabled=True)
    await shared(mind, "Rex and Mike robbed a bank.", user, "mike")
    for _ in range(times):
        await mind.lore.gossip.suggest(talk.id, "Who robbed the bank?")
        await mind.turns.note(mind.scope, talk.id, "Never mind.")
    rolls: list[Roll] = list((await mind.lore.gossip.rolls(talk.id, limit=1_000)).items)
    return rolls


@pytest.mark.parametrize(
    ("who", "difficulty"),
    [
        ({"statistics": {"intelligence": 4, "mental_strength": 6}}, 16),
        ({"statistics": {"intelligence": 18, "mental_strength": 7}}, 9),
        ({"age": 8}, 14),
    ],
    ids=["dull", "weak", "child"],
)
async def test_gossip_involuntary_d20(who: dict[str, Any], difficulty: int) -> None:
    """TestGossip_InvoluntaryD20 (R9): a hundred messages and more, and it slips out as often as the difficulty says."""
    mind, times = world(settings=settings_of(gossip=GossipSettings(seed="luck"))), 150
    await meet(mind, "rex", **who)

    rolls = await rolls_of(mind, "rex", times)

    assert len(rolls) == times
    assert {each.difficulty for each in rolls} == {difficulty}
    slipped = [each for each in rolls if each.memory_id is not None]
    assert slipped == [each for each in rolls if each.rolled < difficulty]
    chance = (difficulty - 1) / 20
    assert abs(len(slipped) / times - chance) <= 4 * sqrt(chance * (1 - chance) / times)


@pytest.mark.parametrize(
    "who",
    [
        {"statistics": {"intelligence": 8, "mental_strength": 8}, "age": 13},
        {"statistics": {"intelligence": 20, "mental_strength": 20}, "age": 40},
        {},
    ],
    ids=["just enough", "plenty", "nothing known"],
)
async def test_gossip_high_stat_no_blabs(who: dict[str, Any]) -> None:
    """TestGossip_HighStatNoBlabs (R9): with intelligence and mental strength of 8, and 13 years, nothing ever does."""
    mind = world(settings=settings_of(gossip=GossipSettings(seed="luck")))
    await meet(mind, "rex", **who)

    assert await rolls_of(mind, "rex", 40) == []


async def test_gossip_layer_four_injection() -> None:
    """TestGossip_LayerFourInjection (R1, R6): it stands in the prompt, and the x-ray says by which layer."""
    mind = understanding()
    memory = await shared(mind, QUARREL, "don", "mike")
    talk = await sit(mind, "rex", "don", gossip_enabled=True)
    silent = await sit(mind, "rex", "don")

    await mind.says(talk, ABOUT_THE_QUARREL)
    assert "quarrelled" in mind.model.prompt
    (told,) = (await mind.lore.x_rays.of(talk.id)).account["memories"]
    assert (told["id"], told["layer"]) == (memory.id, Layer.CROSS.value)

    await mind.says(silent, ABOUT_THE_QUARREL)
    assert "quarrelled" not in mind.model.prompt


async def test_gossip_memory_partners() -> None:
    """TestGossip_MemoryPartners (R8): all with whom somebody shares memories, most first; not who was only told."""
    mind = world()
    for content, persons in (
        ("One.", ("don", "mike")),
        ("Two.", ("don", "mike")),
        ("Three.", ("don", "rex", "ann")),
        ("Four.", ("don",)),
    ):
        await shared(mind, content, *persons)
    five = await shared(mind, "Five.", "mike", "rex")
    over = await shared(mind, "Six.", "don", "bo")
    await mind.lore.edit(over.id, status=Status.SUPERSEDED)
    await mind.lore.knowledge.tell(five.id, teller="mike", listener="don")

    partners = await mind.lore.knowledge.partners("don")

    assert [(each.person_id, each.memories) for each in partners] == [("mike", 2), ("ann", 1), ("rex", 1)]
    assert {each.person_id for each in await mind.lore.knowledge.partners("rex")} == {"don", "ann", "mike"}
    assert await mind.lore.knowledge.partners("bo") == []


async def test_gossip_empty_when_no_partners() -> None:
    """TestGossip_EmptyWhenNoPartners (R7): who has nothing with anybody else has nothing to tell."""
    mind = understanding()
    await shared(mind, "Don alone crashed the red motorcycle into a fence.", "don")
    await shared(mind, "Don and Rex crashed the red motorcycle into a fence.", "don", "rex")

    assert await mind.lore.gossip.search("don", ABOUT_THE_QUARREL, exclude="rex", threshold=0) == ()
    await meet(mind, "ann")
    assert await mind.lore.gossip.search("ann", ABOUT_THE_QUARREL, exclude="rex", threshold=0) == ()


async def test_gossip_threshold_filtering() -> None:
    """TestGossip_ThresholdFiltering (R7): nothing below it; best first, and no more than were asked for."""
    mind = understanding()
    contents = [QUARREL, GARDEN, "Don lent Mike his motorcycle.", "Mike and Don built a fence.", "They like red wine."]
    for content in contents:
        await shared(mind, content, "don", "mike")
    await meet(mind, "rex")

    everything = await mind.lore.gossip.search("don", ABOUT_THE_QUARREL, exclude="rex", threshold=0)
    scores = [each.score for each in everything]
    assert scores == sorted(scores, reverse=True)
    assert len(everything) == len(contents)
    for threshold in (0.2, 0.5, 0.65, 0.9, 1.0):
        found = await mind.lore.gossip.search("don", ABOUT_THE_QUARREL, exclude="rex", threshold=threshold)
        assert list(found) == [each for each in everything if each.score >= threshold]
    assert len(await mind.lore.gossip.search("don", ABOUT_THE_QUARREL, exclude="rex", threshold=0, limit=2)) == 2


# ── what is never gossip ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "kept",
    [
        {"visibility": Visible.SECRET},
        {"visibility": Visible.PRIVATE},
        {"is_spoiler": True},
        {"status": Status.PENDING},
        {"status": Status.REJECTED},
        {"status": Status.SUPERSEDED},
    ],
    ids=str,
)
async def test_what_is_kept_is_never_gossip(kept: dict[str, Any]) -> None:
    """R6, R7, R11: neither searched for, nor suggested, nor in the prompt of a turn."""
    mind = world()
    await shared(mind, QUARREL, "don", "mike", **kept)
    talk = await sit(mind, "rex", "don", gossip_enabled=True)
    mine = await sit(mind, "mike", "rex", gossip_enabled=True)

    assert await mind.lore.gossip.search("don", QUARREL, exclude="rex", threshold=0) == ()
    assert (await mind.lore.gossip.suggest(mine.id, QUARREL)).items == ()
    await mind.says(talk, "What about that motorcycle?")
    assert "quarrelled" not in mind.model.prompt


async def test_what_was_heard_of_others_is_gossip_too() -> None:
    """R7, R11: with the one who told it."""
    mind = world()
    memory = await shared(mind, QUARREL, "don", "mike")
    await meet(mind, "ann")
    await mind.lore.knowledge.tell(memory.id, teller="mike", listener="ann")
    talk = await sit(mind, "rex", "ann", gossip_enabled=True)

    assert texts(await mind.lore.gossip.search("ann", QUARREL, exclude="rex")) == [QUARREL]
    (known,) = (await mind.lore.x_rays.known(talk.id, QUARREL)).recalled
    assert (known.layer, known.told_by) == (Layer.CROSS, "mike")


async def test_a_threshold_or_a_partner_that_makes_no_sense_is_refused() -> None:
    """R7."""
    mind = world()
    await meet(mind, "don")

    for threshold in (-0.1, 1.1):
        with pytest.raises(BadAsk, match="must be between 0 and 1"):
            await mind.lore.gossip.search("don", "boat", threshold=threshold)
    with pytest.raises(BadAsk, match="Nobody gossips with themselves"):
        await mind.lore.gossip.search("don", "boat", exclude="don")
    with pytest.raises(NotFound):
        await mind.lore.gossip.search("nobody", "boat")
    with pytest.raises(NotFound):
        await mind.lore.gossip.search("don", "boat", exclude="nobody")


async def test_the_config_says_how_much_is_suggested() -> None:
    """R7: `gossip_max_suggestions` and `gossip_threshold` of the conversation."""
    mind = world()
    for number in range(8):
        await shared(mind, f"Rex and Mike robbed bank number {number}.", "rex", "mike")
    few = await sit(mind, "rex", "don", gossip_enabled=True, gossip_max_suggestions=3)
    none = await sit(mind, "rex", "don", gossip_enabled=True, gossip_max_suggestions=0)
    usual = await sit(mind, "rex", "don", gossip_enabled=True)
    lax = await sit(mind, "rex", "don", gossip_enabled=True, gossip_threshold=0)

    for talk, count in ((few, 3), (none, 0), (usual, 5)):
        assert len((await mind.lore.gossip.suggest(talk.id, "Who robbed the bank?")).items) == count
    beside_it = "The weather forecast for the bank holiday is a disaster for picnics, hikers and sailors."
    assert (await mind.lore.gossip.suggest(usual.id, beside_it)).items == ()
    assert len((await mind.lore.gossip.suggest(lax.id, beside_it)).items) == 5
