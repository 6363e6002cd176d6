"""The caller's role in a campaign: game master, player, or none (G9).

Start at `seat_at`.
"""

from dataclasses import dataclass

from everlore.domain.campaign import Campaign
from everlore.domain.scope import Scope
from everlore.domain.visibility import Viewer, person_in
from everlore.errors import Forbidden, NotFound
from everlore.store.port import Store


@dataclass(frozen=True, slots=True)
class Seat:
    """`runs`: the game master, who sees everything. `viewer`: whose view applies; no particular person for what all
    players may see."""

    campaign: Campaign
    viewer: Viewer
    runs: bool


async def seat_at(store: Store, scope: Scope, campaign_id: str, *, player: str | None = None) -> Seat:
    """The caller's seat. With `player` the game master sees the campaign as that player, "" as any player. Raises
    NotFound for callers without a part in the campaign."""
    found = await store.get_many(scope, Campaign, [campaign_id])
    seat = _seat(found[0], scope) if found else None
    if seat is None:
        raise NotFound(f"There is no campaign {campaign_id!r} in this workspace.")
    return seat if player is None else _as_player(seat, player)


def sits_at(campaign: Campaign, person_id: str) -> bool:
    return person_id == campaign.gm_id or person_id in campaign.player_ids


def refuse_player(seat: Seat) -> Seat:
    """Raises Forbidden unless the seat is the game master's."""
    if not seat.runs:
        raise Forbidden(f"Only the game master of {seat.campaign.name} may do this.")
    return seat


def _seat(campaign: Campaign, scope: Scope) -> Seat | None:
    own = scope.confined_to
    if own is None:
        # The owner runs every campaign, whatever they play in others.
        viewer = Viewer(workspace=scope.workspace, sees_all=True, runs=frozenset({campaign.id}))
        return Seat(campaign, viewer, runs=True)
    if not sits_at(campaign, own):
        return None
    return Seat(campaign, person_in(scope.workspace, own, [campaign]), runs=own == campaign.gm_id)


def _as_player(seat: Seat, player: str) -> Seat:
    campaign, own = seat.campaign, seat.viewer.person_id
    if not seat.runs:
        if player not in ("", own):
            raise Forbidden("You can only see what you know yourself. Leave out the player, or choose yourself.")
        return seat
    if not player:
        return Seat(campaign, Viewer(workspace=campaign.workspace, plays=frozenset({campaign.id})), runs=False)
    if player not in campaign.player_ids:
        raise NotFound(f"There is no player {player!r} in {campaign.name}. Its players are listed with it.")
    return Seat(campaign, person_in(campaign.workspace, player, [campaign]), runs=False)
