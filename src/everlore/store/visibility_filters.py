"""The rule of who may see what (`domain/visibility.py`) as search filters: a search returns only what the rule allows
(R11, G9).

Start at `as_seen_by`. Each further filter can only narrow the result.
"""

from dataclasses import replace

from everlore.domain.campaign import Entity
from everlore.domain.conversation import Message, spoken
from everlore.domain.memory import Status, Visible
from everlore.domain.scope import NOBODY
from everlore.domain.visibility import NOWHERE, Place, Viewer, as_read_by
from everlore.store.answers import Found
from everlore.store.port import Search


def as_seen_by(ask: Search, viewer: Viewer, place: Place = NOWHERE) -> Search:
    """The same search, limited to what the viewer may see there."""
    was = {Status.SUPERSEDED.value} if place.looks_back else set()
    here = replace(ask, private_in=place.conversation_id or "", statuses=frozenset({Status.ACTIVE.value} | was))
    if viewer.sees_all:
        return replace(here, with_spoilers=True, runs=viewer.runs, plays=viewer.plays)
    runs = frozenset(each for each in viewer.runs if place.is_open_to(each))
    canon = frozenset(each for each in viewer.runs | viewer.plays if place.is_open_to(each))
    is_outside = place.conversation_id is not None and place.campaign_id is None
    return replace(
        here,
        knower_id=viewer.person_id or NOBODY,
        with_spoilers=False,
        runs=runs,
        canon_of=canon | ({""} if is_outside else frozenset()),
        open_of=place.user_id,
    )


def as_said(found: Found) -> Found:
    """The result with the spoken part of each message only: searches never return thoughts."""
    hits = tuple(
        replace(each, record=spoken(each.record)) if isinstance(each.record, Message) else each for each in found.hits
    )
    return replace(found, hits=hits)


def as_read(found: Found, viewer: Viewer, place: Place = NOWHERE) -> Found:
    """The result, each text as the viewer may read it there."""
    hits = tuple(
        replace(each, record=as_read_by(viewer, each.record, place)) if isinstance(each.record, Entity) else each
        for each in found.hits
    )
    return replace(found, hits=hits)


def with_what_is_open_of(ask: Search, user_id: str) -> Search:
    """Adds what the user of the place shares with everybody, as defined by the rule."""
    return replace(ask, open_of=user_id)


def of_the_game(ask: Search, campaign_id: str) -> Search:
    """Of what may be seen, the part that is open in this campaign: its canon, and everything for the game master."""
    return replace(ask, knower_id=NOBODY, open_of=None, campaign_id=campaign_id)


def as_passed_on(ask: Search, teller_id: str, listener_id: str | None) -> Search:
    """The same search, limited to what one person may tell another who does not know it: no secret, nothing private,
    and no spoiler, whoever tells it."""
    return replace(
        ask,
        knower_id=teller_id,
        unknown_to=listener_id,
        visibilities=frozenset({Visible.NORMAL.value}),
        with_spoilers=False,
    )
