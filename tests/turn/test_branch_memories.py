"""What a branch shares with the conversation that it was made of, and what it has for itself (M15)."""

from everlore.domain.conversation import Conversation
from everlore.domain.memory import Memory, Status
from tests.turn.world import World, world

FACTS = ("I live in Seattle.", "I own a red boat.", "I play the oboe.", "I am allergic to peanuts.")
HOME = "User lives in Seattle"


async def told(*said: str) -> tuple[World, Conversation]:
    mind = world()
    talk = await mind.sits_down("Mira", extract_memories=True)
    for each in said:
        await mind.says(talk, each)
    await mind.works()
    return mind, talk


async def branched(mind: World, talk: Conversation) -> Conversation:
    return await mind.lore.conversations.branch(talk.id, (await mind.log(talk))[-1].id)


async def stored(mind: World) -> list[Memory]:
    return [each for each in (await mind.lore.memories.list(limit=500)).items if each.status is Status.ACTIVE]


async def known(mind: World, talk: Conversation, question: str = "Where do I live?") -> str:
    """What a prompt says of memories; lines of the talk itself are no memories."""
    found = (await mind.lore.x_rays.known(talk.id, question)).recalled
    return " / ".join(each.memory.content for each in found if isinstance(each.record, Memory))


async def listed(mind: World, talk: Conversation) -> set[str]:
    first = await mind.lore.memories.list(conversation_id=talk.id)
    rest = (await mind.lore.memories.list(conversation_id=talk.id, cursor=first.cursor)).items if first.cursor else ()
    return {each.content for each in (*first.items, *rest) if each.status is Status.ACTIVE}


async def test_a_branch_shares_what_was_known_and_copies_nothing() -> None:
    """M15."""
    mind, talk = await told(*FACTS)
    before = await stored(mind)

    branch = await branched(mind, talk)
    again = await branched(mind, branch)

    assert [each.id for each in await stored(mind)] == [each.id for each in before]
    assert len(before) == 4
    for place in (talk, branch, again):
        assert HOME in await known(mind, place)
        assert len(await listed(mind, place)) == 4


async def test_forgetting_once_is_enough() -> None:
    """M9, M15."""
    mind, talk = await told(*FACTS)
    branch = await branched(mind, talk)
    (home,) = [each for each in await stored(mind) if each.content == HOME]

    await mind.lore.forget(home.id)

    for place in (talk, branch):
        assert HOME not in await known(mind, place)
        assert len(await listed(mind, place)) == 3


async def test_an_edit_in_the_branch_is_the_branchs_own() -> None:
    """M15."""
    mind, talk = await told(*FACTS)
    branch = await branched(mind, talk)

    await mind.lore.messages.edit(branch.id, (await mind.log(branch))[0].id, content="I live in Portland.")
    await mind.works()

    assert "User lives in Portland" in await known(mind, branch)
    assert HOME not in await known(mind, branch)
    assert HOME in await known(mind, talk)
    assert "Portland" not in await known(mind, talk)
    assert len(await stored(mind)) == 5


async def test_an_edit_or_a_deletion_in_the_original_leaves_the_branch_as_it_was() -> None:
    """M15."""
    mind, talk = await told(*FACTS)
    branch = await branched(mind, talk)

    await mind.lore.messages.edit(talk.id, (await mind.log(talk))[0].id, content="I live in Denver.")
    await mind.works()
    after_edit = [await known(mind, place) for place in (talk, branch)]
    await mind.lore.conversations.delete(talk.id)
    left = await known(mind, branch), await listed(mind, branch)

    assert "Denver" in after_edit[0]
    assert HOME not in after_edit[0]
    assert HOME in after_edit[1]
    assert "Denver" not in after_edit[1]
    assert HOME in left[0]
    assert len(left[1]) == 4


async def test_later_facts_stay_where_they_were_said() -> None:
    """M15: on both sides, in any order, and what they close stays open on the other."""
    mind, talk = await told(*FACTS)
    branch = await branched(mind, talk)

    await mind.says(branch, "I moved to Portland.")
    await mind.works()
    await mind.says(branch, "I moved to Boise.")
    await mind.works()
    await mind.says(talk, "I moved to Denver.")
    await mind.works()

    in_branch, in_talk = await known(mind, branch), await known(mind, talk)
    assert "Boise" in in_branch
    assert not any(each in in_branch for each in ("Seattle", "Denver"))
    assert "Denver" in in_talk
    assert not any(each in in_talk for each in ("Portland", "Boise"))
    third = await branched(mind, branch)
    assert "Boise" in await known(mind, third)
    assert "Denver" not in await known(mind, third)


async def test_what_the_original_learns_after_a_branch_closes_nothing_in_it() -> None:
    """M15."""
    mind, talk = await told(*FACTS)
    branch = await branched(mind, talk)

    await mind.says(talk, "I moved to Denver.")
    await mind.works()

    assert HOME in await known(mind, branch)
    assert "Denver" not in await known(mind, branch)
    assert "Denver" in await known(mind, talk)


async def test_a_correction_by_hand_holds_in_both() -> None:
    """M11, M15: what a person says of a shared memory they say of it everywhere."""
    mind, talk = await told(*FACTS)
    branch = await branched(mind, talk)
    (home,) = [each for each in await stored(mind) if each.content == HOME]

    await mind.lore.memories.correct(home.id, "User lives in Ghent", by="user")

    for place in (talk, branch):
        assert "Ghent" in await known(mind, place)
        assert HOME not in await known(mind, place)
