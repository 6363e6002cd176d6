"""Room is divided among needs: never too much, shares kept, unused room flows on in order (P9, R1)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.allocator import Grant, Need, allocate


def _needs(with_items: bool) -> st.SearchStrategy[list[Need]]:
    """Up to five of them, with shares of at most the whole together."""
    costs = st.lists(st.integers(1, 60), min_size=1, max_size=12).map(tuple)
    one = st.tuples(
        st.integers(0, 300), st.integers(0, 20), st.integers(0, 2), costs if with_items else st.just(()), st.just(0)
    )

    def built(parts: list[tuple[int, int, int, tuple[int, ...], int]]) -> list[Need]:
        return [
            Need(key=str(at), want=want, share=share / 100, order=order, items=items)
            for at, (want, share, order, items, _) in enumerate(parts)
        ]

    return st.lists(one, min_size=1, max_size=5).map(built)


def _ranked(needs: list[Need]) -> list[Need]:
    """The same with ranks: the first items of all, then the second ones."""
    return [
        replace(need, ranks=tuple(at + index * len(needs) for index in range(len(need.items))))
        for at, need in enumerate(needs)
    ]


def _used(grants: dict[str, Grant]) -> int:
    return sum(grant.used for grant in grants.values())


@given(_needs(with_items=False) | _needs(with_items=True) | _needs(with_items=True).map(_ranked), st.integers(0, 500))
def test_the_room_is_never_exceeded_and_nobody_gets_more_than_they_want(needs: list[Need], room: int) -> None:
    """P9."""
    grants = allocate(needs, room)

    assert _used(grants) <= room
    for need in needs:
        grant = grants[need.key]
        assert 0 <= grant.used <= grant.wanted == need.wanted
        assert grant.used + grant.passed_on - grant.borrowed == grant.share
        if need.items:
            assert grant.used == sum(need.items[index] for index in grant.taken)


@given(_needs(with_items=False), st.integers(0, 500))
def test_every_need_gets_its_share_if_it_wants_that_much(needs: list[Need], room: int) -> None:
    """P9, R1."""
    for grant in allocate(needs, room).values():
        assert grant.used >= min(grant.wanted, grant.share)


@given(_needs(with_items=True) | _needs(with_items=True).map(_ranked), st.integers(0, 500))
def test_no_item_is_left_that_would_fit_into_its_share_or_into_what_is_left(needs: list[Need], room: int) -> None:
    """R1."""
    grants = allocate(needs, room)

    for need in needs:
        grant = grants[need.key]
        left = [cost for index, cost in enumerate(need.items) if index not in grant.taken]
        assert all(grant.used + cost > grant.share for cost in left)
        assert all(cost > room - _used(grants) for cost in left)


def test_ranked_items_get_what_the_shares_leave_best_first() -> None:
    """R1: whichever need has them."""
    needs = [
        Need(key="idle", share=0.5, items=(10,), ranks=(3,)),
        Need(key="best", share=0.2, items=(20, 20, 20), ranks=(0, 1, 2)),
        Need(key="other", share=0.3, items=(30, 30), ranks=(4, 5)),
    ]

    grants = allocate(needs, 100)

    assert {key: grant.taken for key, grant in grants.items()} == {"idle": (0,), "best": (0, 1, 2), "other": (0,)}
    assert (grants["best"].borrowed, grants["idle"].passed_on) == (40, 40)


@given(_needs(with_items=False), st.integers(0, 500))
def test_room_that_is_not_used_flows_on_in_order(needs: list[Need], room: int) -> None:
    """P9: nobody borrows while somebody before them still wants more."""
    grants = allocate(needs, room)

    assert _used(grants) == min(room, sum(need.want for need in needs))
    hungry = [need.order for need in needs if grants[need.key].used < need.want]
    for need in needs:
        assert not grants[need.key].borrowed or need.order <= min(hungry, default=need.order)


def test_needs_of_one_order_divide_what_is_left_by_their_shares() -> None:
    """R1."""
    needs = [
        Need(key="idle", share=0.4),
        Need(key="large", want=1_000, share=0.4),
        Need(key="small", want=1_000, share=0.2),
        Need(key="none", want=1_000),
    ]

    used = {key: grant.used for key, grant in allocate(needs, 900).items()}

    assert used == {"idle": 0, "large": 600, "small": 300, "none": 0}


@pytest.mark.parametrize(("room", "used"), [(10, (10, 0)), (25, (20, 5)), (100, (20, 80)), (0, (0, 0))])
def test_the_least_that_a_need_must_have_comes_before_all_shares(room: int, used: tuple[int, int]) -> None:
    """P9."""
    grants = allocate([Need(key="a", want=20, least=20), Need(key="b", want=200, share=1.0)], room)

    assert tuple(grant.used for grant in grants.values()) == used
