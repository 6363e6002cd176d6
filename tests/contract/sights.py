"""Random records and whoever looks at them, for holding the rule of who may see what and the filters of a search to
each other (R11, G9).

Everything is drawn with one function, so that both a generator of hypothesis and plain dice can do it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from everlore.domain.campaign import Campaign
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory, MemoryType, Status, Visible
from everlore.domain.passage import passage_of
from everlore.domain.policy import Role
from everlore.domain.records import Record
from everlore.domain.scope import Scope
from everlore.domain.visibility import (
    Place,
    Seen,
    Viewer,
    VisibilityContext,
    caller_in,
    may_see,
    person_in,
    place_of,
    speaker_in,
)
from everlore.store.port import Search, Store
from everlore.store.visibility_filters import as_seen_by
from tests.contract.builders import (
    MODEL,
    SCOPE,
    WORKSPACE,
    axis,
    campaign,
    conversation,
    entity,
    event,
    memory,
    message,
    minute,
    person,
    summary,
    telling,
)

T = TypeVar("T")
Choose = Callable[[Sequence[Any]], Any]
PEOPLE = ("ann", "bob", "gm", "fay")
TEXT = "The bell of the tower is cracked."
CAMPAIGNS: tuple[Campaign, ...] = (
    campaign("quest", gm_id="gm", player_ids=("ann", "fay")),
    campaign("other", gm_id="ann", player_ids=("bob",)),
)
TALKS = (
    conversation("hall", user_id="ann", system_ids=("gm", "fay"), campaign_id="quest"),
    conversation("inn", user_id="bob", system_ids=("fay",)),
)
GROUND: tuple[Record, ...] = (*(person(each) for each in PEOPLE), *CAMPAIGNS, *TALKS)
TIMES = (None, minute(2), minute(9))
_GAMES = (None, None, "quest", "quest", "other")


def somebody(choose: Choose) -> tuple[str, ...]:
    return tuple(choose([(), ("ann",), ("bob",), ("fay",), ("gm",), ("ann", "fay"), ("bob", "fay"), ("ann", "gm")]))


def record(choose: Choose, number: int) -> Seen:
    """One of any kind that is searched, with all that decides who sees it."""
    id, at = f"r{number}", minute(choose((0, 1, 5)))
    kind = choose(("memory", "memory", "memory", "entity", "event", "message", "summary"))
    talk = choose(TALKS)
    if kind == "memory":
        return memory(
            id,
            TEXT,
            at=at,
            persons=somebody(choose),
            type=choose((MemoryType.FACT, MemoryType.FACT, MemoryType.CANON_RULING)),
            status=choose((Status.ACTIVE,) * 4 + (Status.PENDING, Status.SUPERSEDED, Status.REJECTED)),
            visibility=choose((Visible.NORMAL, Visible.NORMAL, *Visible)),
            is_spoiler=choose((False, False, True)),
            campaign_id=choose(_GAMES),
            conversation_id=choose((None, talk.id)),
        )
    if kind == "entity":
        theirs = choose((None, None, *PEOPLE))
        fields = {"campaign_id": choose(_GAMES), "is_spoiler": choose((False, False, True))}
        return entity(id, "Tower", description=TEXT, person_id=theirs, created_at=at, updated_at=at, **fields)
    if kind == "event":
        fields = {"campaign_id": choose(_GAMES), "is_spoiler": choose((False, False, True)), "at": at, "created_at": at}
        return event(id, TEXT, actors=somebody(choose)[:1], participants=somebody(choose), **fields)
    if kind == "message":
        fields = {"conversation_id": talk.id, "present": somebody(choose), "private": choose((False, False, True))}
        return message(id, TEXT, created_at=at, updated_at=at, **fields)
    fields = {"conversation_id": talk.id, "persons": somebody(choose), "private": choose((False, False, True))}
    return summary(id, TEXT, created_at=at, **fields)


def tellings(choose: Choose, records: Sequence[Seen]) -> Iterator[Telling]:
    for each in records:
        if isinstance(each, Memory) and choose((True, False, False)):
            listener = choose(PEOPLE)
            teller = choose([other for other in PEOPLE if other != listener])
            yield telling(f"t-{each.id}", each.id, teller, listener, choose((0, 1, 5)))


def viewer(choose: Choose) -> tuple[Viewer, Place]:
    """The owner, a person, somebody with a token, or a character that answers; and where they look."""
    talk = choose((None, *TALKS))
    who = choose(("owner", "owner beside", "person", "member", "speaker", "nobody"))
    place = place_of(talk)
    if not choose((True, False)):
        place = replace(place, user_id=None)
    place = replace(place, looks_back=choose((False, True)))
    match who:
        case "owner":
            return caller_in(replace(SCOPE, person_id=choose((None, *PEOPLE))), CAMPAIGNS), place
        case "owner beside":
            return caller_in(SCOPE, CAMPAIGNS, speaking_id=choose(PEOPLE)), place
        case "person":
            return person_in(WORKSPACE, choose(PEOPLE), CAMPAIGNS), place
        case "member":
            return caller_in(Scope(WORKSPACE, role=Role.MEMBER, person_id=choose(PEOPLE)), CAMPAIGNS), place
        case "nobody":
            return caller_in(Scope(WORKSPACE, role=Role.GUEST), CAMPAIGNS), place
    game = next((each for each in CAMPAIGNS if talk is not None and each.id == talk.campaign_id), None)
    return speaker_in(talk or TALKS[1], choose(PEOPLE), game), place


def told_to(viewer: Viewer, told: Sequence[Telling], at: datetime | None) -> VisibilityContext:
    theirs = (each for each in told if each.listener_id == viewer.person_id)
    return VisibilityContext(told=frozenset(each.memory_id for each in theirs if at is None or each.told_at <= at))


async def assert_they_agree(
    store: Store,
    records: Sequence[Seen],
    told: Sequence[Telling],
    looks: Sequence[tuple[Viewer, Place]],
    *,
    by_vector: bool = False,
    times: Sequence[datetime | None] = TIMES,
) -> None:
    """What a search finds for each of them is what the rule lets them see, of all that is searched at all."""
    arm: dict[str, Any] = {"vector": axis(0), "model": MODEL} if by_vector else {"text": "the cracked bell"}
    asks = [(viewer, place, at) for viewer, place in looks for at in times]
    searches = [
        as_seen_by(Search(**arm, as_of=at, limit=1_000, pool=1_000), viewer, place) for viewer, place, at in asks
    ]
    for (viewer, place, at), found in zip(asks, await store.search_all(SCOPE, searches), strict=True):
        beside = told_to(viewer, told, at)
        seen = {each.id for each in records if passage_of(each) and may_see(viewer, each, place, at, beside=beside)}
        hits = {hit.record.id: hit.record for hit in found.hits}
        wrong = [each for each in records if (each.id in hits) != (each.id in seen)]
        assert not wrong, f"{viewer} in {place} as of {at}: found {wrong[0].id in hits}, {wrong[0]}"
