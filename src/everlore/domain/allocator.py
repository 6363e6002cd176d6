"""Divides room (tokens) among needs. Pure.

In: needs, each with what it wants, the share of the room it is sure of, and its order in line for what others leave.
Out: one grant per need. The grants never exceed the room; every need gets its share if it wants that much; room that
one need does not use flows to the others. Start at `allocate`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

# Shares are fractions: three of a third each must not lose a token to rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """`share`: the fraction of the room it is sure of. `least`: tokens it gets before any share is handed out. `order`:
    lower ones are first in line for unused room; needs of the same order divide it by their shares.
    `items`: the costs of parts that go in whole or not at all, best first; `want` is their sum then. `ranks`: the place
    of each item among those of all needs; where they are given, what is left beside the shares goes to the best items,
    whichever need has them."""

    key: str
    want: int = 0
    share: float = 0.0
    least: int = 0
    order: int = 0
    items: tuple[int, ...] = ()
    ranks: tuple[int, ...] = ()

    @property
    def wanted(self) -> int:
        return sum(self.items) if self.items else self.want


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """`share` is what the need was sure of, in tokens; `taken` are the indices of the items that went in."""

    key: str
    share: int
    wanted: int
    used: int
    taken: tuple[int, ...] = field(default=())

    @property
    def borrowed(self) -> int:
        """What it uses beyond its share, because others left it over."""
        return max(self.used - self.share, 0)

    @property
    def passed_on(self) -> int:
        """What it left of its share."""
        return max(self.share - self.used, 0)


def allocate(needs: Sequence[Need], room: int) -> dict[str, Grant]:
    room = max(room, 0)
    if any(need.ranks for need in needs):
        return _by_rank(needs, room)
    granted = _divide(needs, room)
    grants = {
        need.key: Grant(key=need.key, share=_sure(need, room), wanted=need.wanted, used=granted[need.key])
        for need in needs
    }
    return _with_items(needs, grants, room) if any(need.items for need in needs) else grants


def _sure(need: Need, room: int) -> int:
    return int(room * need.share + _ROUNDING)


def _divide(needs: Sequence[Need], room: int) -> dict[str, int]:
    in_line = sorted(needs, key=lambda need: need.order)
    granted = {need.key: 0 for need in needs}
    for goal in (lambda need: need.least, lambda need: _sure(need, room)):
        for need in in_line:
            missing = min(need.wanted, goal(need)) - granted[need.key]
            granted[need.key] += max(min(missing, room - sum(granted.values())), 0)
    for _, group in groupby(in_line, key=lambda need: need.order):
        _pour(granted, list(group), room - sum(granted.values()))
    return granted


def _pour(granted: dict[str, int], needs: Sequence[Need], spare: int) -> None:
    """Unused room, in proportion to the shares; every round fills a need or uses up the room."""
    waiting = [need for need in needs if need.wanted > granted[need.key]]
    while waiting and spare > 0:
        whole = sum(need.share for need in waiting)
        for_round = spare
        for need in waiting:
            part = need.share / whole if whole else 1 / len(waiting)
            more = min(need.wanted - granted[need.key], int(for_round * part), spare)
            granted[need.key] += more
            spare -= more
        if spare == for_round:
            # Less than a token each: whoever is first has it.
            first = next((need for need in waiting if need.share or not whole), waiting[0])
            granted[first.key] += 1
            spare -= 1
        waiting = [need for need in waiting if need.wanted > granted[need.key]]


def _with_items(needs: Sequence[Need], grants: dict[str, Grant], room: int) -> dict[str, Grant]:
    """Whole items within each grant; what does not come out even is for any further item that fits. An item that is
    too large is skipped: a smaller one behind it may still fit."""
    for need in needs:
        if need.items:
            grants[need.key] = _take(need, replace(grants[need.key], used=0), grants[need.key].used)
    for need in sorted(needs, key=lambda need: need.order):
        spare = room - sum(grant.used for grant in grants.values())
        if need.items:
            grants[need.key] = _take(need, grants[need.key], spare)
    return grants


def _by_rank(needs: Sequence[Need], room: int) -> dict[str, Grant]:
    """Whole items within each share, and then the best of the others that fit."""
    grants: dict[str, Grant] = {}
    for need in needs:
        share = _sure(need, room)
        grants[need.key] = _take(need, Grant(key=need.key, share=share, wanted=need.wanted, used=0), share)
    waiting = sorted((rank, at, index) for at, need in enumerate(needs) for index, rank in enumerate(need.ranks))
    for _, at, index in waiting:
        need, grant = needs[at], grants[needs[at].key]
        spare = room - sum(each.used for each in grants.values())
        if index not in grant.taken and need.items[index] <= spare:
            taken = tuple(sorted((*grant.taken, index)))
            grants[need.key] = replace(grant, used=grant.used + need.items[index], taken=taken)
    return grants


def _take(need: Need, grant: Grant, room: int) -> Grant:
    taken = set(grant.taken)
    used = 0
    for index, cost in enumerate(need.items):
        if index not in taken and cost <= room - used:
            taken.add(index)
            used += cost
    return replace(grant, used=grant.used + used, taken=tuple(sorted(taken)))
