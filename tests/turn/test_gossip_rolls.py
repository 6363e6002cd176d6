"""What slips out: one roll for each message, made here, kept, and never forced on anybody (R9)."""

import pytest

from everlore.domain.conversation import Conversation
from everlore.domain.roll import Roll, rolled_with, slips
from everlore.domain.tokens import TOLD, token_of
from everlore.settings import GossipSettings
from everlore.turn.news import News
from tests.turn.test_gossip import meet, shared, sit, texts
from tests.turn.test_gossip_tokens import knows
from tests.turn.world import HERE, World, settings_of, world
from tests.waiting import until

ROBBED = "Rex and Mike robbed a bank."
ASKED = "Who robbed the bank?"
WEAK = {"statistics": {"intelligence": 4, "mental_strength": 6}}


def seeded(seed: str | None = "luck") -> World:
    return world(settings=settings_of(gossip=GossipSettings(seed=seed)))


async def loose_tongue(mind: World) -> Conversation:
    """Rex, who cannot keep much to himself, talks with Don; Don does not know what Rex has with Mike."""
    await meet(mind, "rex", **WEAK)
    await shared(mind, ROBBED, "rex", "mike")
    return await sit(mind, "rex", "don", gossip_enabled=True)


async def never_mind(mind: World, talk: Conversation) -> None:
    """A message that tells nothing, a little later."""
    mind.clock.pass_time(10)
    await mind.turns.note(mind.scope, talk.id, "Never mind.")


async def rolled(mind: World, talk: Conversation, text: str = ASKED) -> Roll:
    roll = (await mind.lore.gossip.suggest(talk.id, text)).roll
    assert roll is not None
    return roll


async def until_it_slips(mind: World, talk: Conversation) -> Roll:
    for _ in range(200):
        roll = await rolled(mind, talk)
        if roll.memory_id is not None:
            return roll
        await never_mind(mind, talk)
    raise AssertionError("nothing slipped out in two hundred rolls")


async def test_one_roll_for_each_message_however_often_it_is_asked() -> None:
    """R9: who types on does not roll again; the next message is another roll."""
    mind = seeded()
    talk = await loose_tongue(mind)

    first = [await rolled(mind, talk, text) for text in (ASKED, "Who robbed the bank, Rex?", ASKED)]
    await never_mind(mind, talk)
    second = await rolled(mind, talk)

    assert len({each.id for each in first}) == 1
    assert (first[0].seq, second.seq) == (1, 2)
    assert [each.id for each in (await mind.lore.gossip.rolls(talk.id)).items] == [first[0].id, second.id]


async def test_a_roll_is_kept_with_all_that_it_was_made_of() -> None:
    """R9: so that anybody can make it again."""
    mind = seeded(None)
    talk = await loose_tongue(mind)

    for _ in range(30):
        roll = await rolled(mind, talk)
        assert (roll.conversation_id, roll.person_id, roll.difficulty) == (talk.id, "rex", 16)
        assert roll.rolled == rolled_with(roll.seed)
        assert (roll.memory_id is not None) == slips(roll.rolled, roll.difficulty)
        await never_mind(mind, talk)

    kept = (await mind.lore.gossip.rolls(talk.id)).items
    assert [each.seq for each in kept] == list(range(1, 31))
    assert len({each.seed for each in kept}) == 30


async def test_the_same_seed_rolls_the_same_and_another_does_not() -> None:
    """R9: it is seedable."""

    async def rolls(seed: str) -> list[int]:
        mind = seeded(seed)
        talk = await loose_tongue(mind)
        found = []
        for _ in range(20):
            found.append((await rolled(mind, talk)).rolled)
            await never_mind(mind, talk)
        return found

    assert await rolls("luck") == await rolls("luck")
    assert await rolls("luck") != await rolls("fate")


async def test_the_most_relevant_slips_out() -> None:
    """R9."""
    mind = seeded()
    talk = await loose_tongue(mind)
    await shared(mind, "Rex and Mike once walked past a bank in the rain.", "rex", "mike")

    roll = await until_it_slips(mind, talk)

    (best, *_) = (await mind.lore.gossip.suggest(talk.id, ASKED)).items
    assert best.memory.content == ROBBED
    assert roll.memory_id == best.record.id


async def test_what_slipped_out_can_be_taken_out_again_before_it_is_sent() -> None:
    """R9: the token is added to the words, and is the user's to remove; nobody has heard anything yet."""
    mind = seeded()
    talk = await loose_tongue(mind)
    roll = await until_it_slips(mind, talk)
    blurted = (await mind.lore.gossip.suggest(talk.id, ASKED)).blurted

    assert blurted == token_of(roll.memory_id or "")
    assert await knows(mind, "don") == set()
    said = await mind.turns.note(mind.scope, talk.id, "I know nothing.")
    assert TOLD not in said.metadata
    assert await knows(mind, "don") == set()


async def test_what_slipped_out_and_is_sent_is_told() -> None:
    """R9, R10."""
    mind = seeded()
    talk = await loose_tongue(mind)
    await until_it_slips(mind, talk)
    blurted = (await mind.lore.gossip.suggest(talk.id, ASKED)).blurted

    await mind.says(talk, f"I know nothing. {blurted}")

    assert ROBBED in mind.model.prompt
    assert await knows(mind, "don") == {ROBBED}


async def test_where_nothing_slips_there_is_no_token() -> None:
    """R9."""
    mind = seeded()
    talk = await loose_tongue(mind)
    for _ in range(20):
        found = await mind.lore.gossip.suggest(talk.id, ASKED)
        assert bool(found.blurted) == (found.roll is not None and found.roll.memory_id is not None)
        await never_mind(mind, talk)


async def test_no_roll_without_gossip_that_could_slip() -> None:
    """R9: nothing to tell, gossip off, or not asked for."""
    mind = seeded()
    talk = await loose_tongue(mind)
    off = await sit(mind, "rex", "don")

    assert (await mind.lore.gossip.suggest(talk.id, "Nice weather in Lisbon.")).roll is None
    assert (await mind.lore.gossip.suggest(off.id, ASKED)).roll is None
    looked = await mind.lore.gossip.suggest(talk.id, ASKED, roll=False)
    assert (texts(looked.items), looked.roll, looked.blurted) == ([ROBBED], None, "")
    for each in (talk, off):
        assert (await mind.lore.gossip.rolls(each.id)).items == ()


async def test_a_roll_outlives_its_memory_and_goes_with_its_conversation() -> None:
    """R9, M9."""
    mind = seeded()
    talk = await loose_tongue(mind)
    roll = await until_it_slips(mind, talk)
    assert roll.memory_id is not None

    await mind.lore.forget(roll.memory_id)
    kept = [each for each in (await mind.lore.gossip.rolls(talk.id)).items if each.id == roll.id]
    assert [each.memory_id for each in kept] == [None]

    await mind.lore.conversations.delete(talk.id)
    assert await mind.store.count(mind.scope, Roll) == 0


@pytest.mark.parametrize("enabled", [True, False])
async def test_after_a_reply_it_is_told_that_there_is_something_to_tell(enabled: bool) -> None:
    """R7: where gossip is on; and no roll is made for it."""
    mind = seeded()
    await loose_tongue(mind)
    talk = await sit(mind, "rex", "don", gossip_enabled=enabled)
    mind.model.answers("Is it true that Rex and Mike robbed a bank?")
    heard: list[News] = []

    with mind.lore.live.listening(HERE) as listener:
        await mind.says(talk, "Hello.")

        async def came() -> bool:
            while not listener._waiting.empty():
                news = listener._waiting.get_nowait()
                assert news is not None
                heard.append(news)
            return not enabled or any(each.type == "gossip.available" for each in heard)

        await until(came)

    found = [each for each in heard if each.type == "gossip.available"]
    assert [(each.conversation_id, texts(each.record)) for each in found] == ([(talk.id, [ROBBED])] if enabled else [])
    assert (await mind.lore.gossip.rolls(talk.id)).items == ()
