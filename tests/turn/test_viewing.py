"""What is fetched for the rule of who may see what: who looks, and what they were told (R11, G9)."""

from dataclasses import replace
from typing import Any

from everlore.domain.campaign import Campaign, Relationship
from everlore.domain.policy import Role
from everlore.domain.scope import NOBODY, Scope
from everlore.domain.visibility import Place, Viewer, person_in
from everlore.turn.viewers import seen_among, viewer_of
from tests.contract.builders import (
    SCOPE,
    START,
    WORKSPACE,
    campaign,
    conversation,
    entity,
    memory,
    message,
    minute,
    person,
    save,
    telling,
)
from tests.store_double.store import DoubleStore

QUEST: Campaign = campaign("quest", gm_id="gm", player_ids=("ann",))
OTHER: Campaign = campaign("other", gm_id="ann")
MEMBER = Scope(WORKSPACE, role=Role.MEMBER, person_id="ann")


async def table(*more: Any) -> DoubleStore:
    store = DoubleStore(lambda: START)
    await save(store, *(person(each) for each in ("gm", "ann", "bob", "user")), QUEST, OTHER, *more)
    return store


async def test_somebody_is_looked_up_in_every_campaign_or_in_one() -> None:
    """G9."""
    store = await table()
    found = await viewer_of(store, MEMBER)
    assert found == Viewer(workspace=WORKSPACE, person_id="ann", runs=frozenset({"other"}), plays=frozenset({"quest"}))
    assert (await viewer_of(store, MEMBER, QUEST)).runs == set()
    assert await viewer_of(store, SCOPE, as_person="ann") == found


async def test_the_owner_sees_all_but_where_a_player_speaks() -> None:
    """G9."""
    store = await table()
    owner = await viewer_of(store, SCOPE)
    assert owner == Viewer(workspace=WORKSPACE, sees_all=True)
    beside_ann = await viewer_of(store, SCOPE, conversation=conversation(user_id="ann"))
    assert beside_ann == replace(owner, runs=frozenset({"other"}), plays=frozenset({"quest"}))


async def test_more_campaigns_than_a_page_has_are_all_looked_at() -> None:
    """G9."""
    store = await table(*(campaign(f"game-{number}", gm_id="ann") for number in range(501)))
    assert len((await viewer_of(store, MEMBER)).runs) == 502


async def test_nobody_is_in_no_campaign() -> None:
    """G9: a token that names no person."""
    store = await table()
    guest = await viewer_of(store, Scope(WORKSPACE, role=Role.GUEST))
    assert guest == Viewer(workspace=WORKSPACE, person_id=NOBODY)


async def test_what_somebody_was_told_by_then_is_theirs_to_see() -> None:
    """R11."""
    boat = memory("boat", persons=("bob",))
    store = await table(boat, telling("t", "boat", "bob", "ann", 5))
    ann = person_in(WORKSPACE, "ann")
    assert await seen_among(store, SCOPE, ann, [boat]) == [boat]
    assert await seen_among(store, SCOPE, ann, [boat], at=minute(4)) == []
    assert await seen_among(store, SCOPE, person_in(WORKSPACE, "gm"), [boat]) == []


async def test_a_tie_is_seen_with_its_ends_and_what_it_quotes() -> None:
    """G6, G9: they are fetched with it."""
    ends = (
        entity("tower", campaign_id="quest"),
        entity("baron", campaign_id="quest"),
        entity("traitor", campaign_id="quest", is_spoiler=True),
    )
    talk = conversation("talk", user_id="ann", campaign_id="quest")
    said = message("said", conversation_id="talk", private=True)
    store = await table(*ends, talk, said)
    ties = [
        _tie("open", "tower", "baron"),
        _tie("hidden", "tower", "traitor"),
        _tie("quoted", "tower", "baron", "said"),
    ]
    ann = await viewer_of(store, MEMBER)
    gm = await viewer_of(store, SCOPE, as_person="gm")
    assert [each.id for each in await seen_among(store, SCOPE, ann, ties)] == ["open"]
    assert [each.id for each in await seen_among(store, SCOPE, gm, ties)] == ["open", "hidden"]
    there = Place(conversation_id="talk", campaign_id="quest")
    assert [each.id for each in await seen_among(store, SCOPE, ann, ties, there)] == ["open", "quoted"]


def _tie(id: str, source: str, target: str, message_id: str | None = None) -> Relationship:
    return Relationship(
        workspace=WORKSPACE,
        id=id,
        campaign_id="quest",
        source_id=source,
        target_id=target,
        type="hides",
        message_id=message_id,
        created_at=START,
    )
