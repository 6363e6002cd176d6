"""Ways by which something could get into a prompt that nobody asked recall for (M3, R11, V13)."""

from dataclasses import replace
from typing import Any

import pytest

from everlore.domain.conversation import Conversation, Summary
from everlore.domain.event import Event, EventType
from everlore.domain.memory import Visible
from everlore.domain.person import PersonKind
from everlore.store.port import Put
from tests.turn.test_gossip import meet, shared, sit
from tests.turn.world import HERE, World, world

WALRUS = "Bob hides a walrus tooth under the stairs."
ASKED = "What do you know of a walrus tooth under the stairs?"


async def home() -> World:
    """Bob and Eve are people at their keyboards; Mira and Rex are played."""
    mind = world()
    for name in ("bob", "eve"):
        await meet(mind, name, kind=PersonKind.USER)
    for name in ("mira", "rex"):
        await meet(mind, name)
    return mind


async def prompt(mind: World, talk: Conversation, text: str = ASKED) -> str:
    seen = await mind.lore.x_rays.would_be(talk.id, text)
    return "\n".join((*(each.content for each in seen.messages), str(seen.account))).replace(text, "")


# ── templates that name a memory ─────────────────────────────────────────────────────────────────


async def _named(mind: World, id: str) -> Conversation:
    """Bob and Mira, with a template that prints one memory."""
    sections = {"one": {"order": 1, "content": [f"You are ${{system.fullName}}. ${{memory.{id}}}"]}}
    kept = (await mind.lore.templates.create({"name": f"Of {id}", "sections": sections})).kept
    return await sit(mind, "bob", "mira", template=kept.id)


@pytest.mark.parametrize(
    ("persons", "fields", "is_told"),
    [
        (("bob", "mira"), {}, True),
        (("mira",), {}, True),
        (("bob",), {}, True),
        (("bob", "mira"), {"visibility": Visible.SECRET}, True),
        (("mira",), {"visibility": Visible.SECRET}, True),
        (("bob",), {"visibility": Visible.SECRET}, False),
        (("bob",), {"visibility": Visible.PRIVATE}, False),
        (("bob", "mira"), {"visibility": Visible.PRIVATE}, False),
        (("bob", "mira"), {"is_spoiler": True}, False),
        (("bob", "rex"), {}, False),
        (("rex",), {}, False),
        (("mira", "eve"), {}, False),
        (("bob", "mira", "eve"), {}, False),
    ],
)
async def test_a_template_prints_only_what_the_two_may_know(
    persons: tuple[str, ...], fields: dict[str, Any], is_told: bool
) -> None:
    """M3, R11: not a secret of the user alone, nothing that is private elsewhere, nothing of others."""
    mind = await home()
    memory = await shared(mind, WALRUS, *persons, **fields)

    told = await prompt(mind, await _named(mind, memory.id), "Hello there.")

    assert ("walrus" in told) is is_told


# ── what was summed up of other talks ────────────────────────────────────────────────────────────


async def _summed_up(mind: World, talk: Conversation, *persons: str) -> None:
    at = mind.clock()
    known: dict[str, Any] = {"workspace": HERE, "conversation_id": talk.id, "content": WALRUS, "created_at": at}
    summary = Summary(**known, id="summary", first_seq=1, last_seq=2, persons=persons)
    event = Event(**known, id="event", type=EventType.OBSERVATION, at=at, actors=persons[:1], participants=persons[1:])
    await mind.store.apply(mind.scope, [Put(summary), Put(event)])
    await mind.works()


@pytest.mark.parametrize("recipe", ["companion", "roleplay", "agent", "campaign"])
@pytest.mark.parametrize("gossip", [False, True])
@pytest.mark.parametrize(("user", "is_told"), [("bob", True), ("eve", False), ("rex", False)])
async def test_what_was_summed_up_of_a_talk_is_told_to_whom_it_was_with(
    recipe: str, gossip: bool, user: str, is_told: bool
) -> None:
    """R2, V13: another user's talk with the same character stays theirs, whatever the recipe looks through."""
    mind = await home()
    other = await sit(mind, user, "mira")
    await mind.says(other, "Good evening.")
    await _summed_up(mind, other, user, "mira")
    here = await sit(mind, "bob", "mira", recall_recipe=recipe, gossip_enabled=gossip)

    assert ("walrus" in await prompt(mind, here)) is is_told


async def test_what_was_summed_up_of_a_talk_that_is_private_by_now_is_not_told() -> None:
    """V6, V13."""
    mind = await home()
    other = await sit(mind, "bob", "mira")
    await mind.says(other, "Good evening.")
    await _summed_up(mind, other, "bob", "mira")
    await mind.lore.conversations.change(other.id, config={"private": True})

    for recipe in ("companion", "agent"):
        assert "walrus" not in await prompt(mind, await sit(mind, "bob", "mira", recall_recipe=recipe))


# ── what is always offered ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("persons", "visibility", "is_told"),
    [
        (("bob",), Visible.NORMAL, True),
        (("bob",), Visible.SECRET, False),
        (("bob",), Visible.PRIVATE, False),
        (("mira",), Visible.SECRET, True),
        (("bob", "mira"), Visible.PRIVATE, True),
        (("bob", "rex"), Visible.NORMAL, False),
        (("eve", "mira"), Visible.NORMAL, False),
    ],
)
async def test_what_is_due_is_offered_only_to_whom_it_may_be_told(
    persons: tuple[str, ...], visibility: Visible, is_told: bool
) -> None:
    """M17, R11: though it was made in this very talk, and matters most."""
    mind = await home()
    talk = await sit(mind, "bob", "mira")
    await shared(mind, WALRUS, *persons, visibility=visibility, importance=10, conversation_id=talk.id)

    assert ("walrus" in await prompt(mind, talk, "Nice weather.")) is is_told


# ── what somebody said ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("gossip", [False, True])
async def test_a_guest_who_tells_something_tells_it_to_those_who_are_there(gossip: bool) -> None:
    """R10, V13: Eve drops in on Bob and Mira; Rex, who is away, hears nothing, and Bob's next talk with Rex neither."""
    mind = await home()
    memory = await shared(mind, "Eve and Rex found a walrus tooth under the stairs.", "eve")
    talk = await sit(mind, "bob", "mira", "rex", gossip_enabled=gossip)
    await mind.lore.conversations.change(talk.id, present=["mira"])
    await mind.turns.note(mind.scope, talk.id, f"Look: ${{memory.{memory.id}}}", person_id="eve")

    knowers = {each.knower_id for each in await mind.lore.knowledge.knowers(memory.id)}
    assert knowers == {"eve", "bob", "mira"}
    assert "walrus" in await prompt(mind, talk)
    assert "walrus" not in await prompt(mind, await sit(mind, "bob", "rex", gossip_enabled=gossip))


async def test_among_thousands_of_people_each_keeps_what_is_theirs() -> None:
    """M3, V13: a busy server has more users than fit on a page."""
    mind = await home()
    bob = await mind.lore.characters.get("bob")
    others = [f"user-{number:04}" for number in range(2_100)]
    await mind.store.apply(mind.scope, [Put(replace(bob, id=id, name=id)) for id in others])
    for id in (others[0], others[999], others[1_001], others[-1]):
        await shared(mind, f"Mira and {id} hide a walrus tooth under the stairs.", "mira", id)
    talk = await sit(mind, "bob", "mira", gossip_enabled=True)

    assert "hide a walrus" not in await prompt(mind, talk)
