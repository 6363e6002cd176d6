"""Divides a budget (tokens) among needs. Pure.

In: needs, each with what it wants, its guaranteed share, and its priority for what others do not use. Out: one grant
per need. The grants never exceed the budget; every need gets its share if it wants that much; what one need does not
use goes to the others. Start at `allocate`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

# Shares are fractions: three of a third each must not lose a token to rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """`share`: the guaranteed fraction of the budget. `least`: tokens that are granted before any shares. `order`:
    lower ones come first for unused tokens; needs of the same order divide them by their shares. `items`: the costs of
    indivisible parts, best first; `want` is their sum then. `ranks`: the rank of each item among those of all needs;
    with ranks, what the shares leave goes to the best items of any need."""

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
    """`share` is the guaranteed part in tokens; `taken` are the indices of the items that fit."""

    key: str
    share: int
    wanted: int
    used: int
    taken: tuple[int, ...] = field(default=())

    @property
    def borrowed(self) -> int:
        """The tokens beyond its share, which others did not use."""
        return max(self.used - self.share, 0)

    @property
    def passed_on(self) -> int:
        """The tokens of its share that it did not use."""
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
    """Divides unused tokens in proportion to the shares; every round fills a need or uses up the budget."""
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
            # Less than a token each: the first need gets it.
            first = next((need for need in waiting if need.share or not whole), waiting[0])
            granted[first.key] += 1
            spare -= 1
        waiting = [need for need in waiting if need.wanted > granted[need.key]]


def _with_items(needs: Sequence[Need], grants: dict[str, Grant], room: int) -> dict[str, Grant]:
    """Selects whole items within each grant; the remainder goes to any further item that fits. An item that is too
    large is skipped: a smaller one after it may still fit."""
    for need in needs:
        if need.items:
            grants[need.key] = _take(need, replace(grants[need.key], used=0), grants[need.key].used)
    for need in sorted(needs, key=lambda need: need.order):
        spare = room - sum(grant.used for grant in grants.values())
        if need.items:
            grants[need.key] = _take(need, grants[need.key], spare)
    return grants


def _by_rank(needs: Sequence[Need], room: int) -> dict[str, Grant]:
    """Selects whole items within each share, and then the best of the others that fit."""
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
