"""What is offered whatever was said, of two persons and of nobody beside them (M17, R2)."""

from typing import Any

import pytest

from everlore.domain.memory import Durability, Status
from everlore.domain.revision import revise
from everlore.domain.scope import pair_of
from everlore.store.port import Store
from tests.contract.builders import SCOPE, ids, memory, minute, person, save

PAIR = ("ada", "bo")
IDENTITY: dict[str, Any] = {"durability": Durability.IDENTITY}


async def _known(store: Store, *memories: Any) -> None:
    await save(store, *map(person, ("ada", "bo", "cy")), *memories)


async def test_what_matters_most_comes_first_and_of_equals_the_newest(store: Store) -> None:
    await _known(
        store,
        memory("who", persons=("ada",), importance=3, at=minute(9), **IDENTITY),
        memory("old", persons=PAIR, importance=8, at=minute(1)),
        memory("new", persons=("bo",), importance=8, at=minute(2)),
        memory("most", persons=("ada",), importance=10, at=minute(0)),
        memory("little", persons=("ada",), importance=7),
    )

    assert ids(await store.due(SCOPE, PAIR)) == ["most", "new", "old", "who"]
    assert ids(await store.due(SCOPE, PAIR, limit=2)) == ["most", "new"]
    assert ids(await store.due(SCOPE, ["ada"])) == ["most", "who"]
    assert await store.due(SCOPE, []) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"persons": ("ada", "cy")},
        {"persons": ("cy",)},
        {"persons": ()},
        {"persons": PAIR, "status": Status.PENDING},
        {"persons": PAIR, "status": Status.SUPERSEDED},
        {"persons": PAIR, "valid_to": minute(1)},
    ],
    ids=["also another's", "another's", "nobody's", "waits", "superseded", "over"],
)
@pytest.mark.parametrize("due", [{"importance": 9}, IDENTITY], ids=["important", "identity"])
async def test_what_is_not_theirs_or_does_not_hold_is_not_offered(
    store: Store, due: dict[str, Any], fields: dict[str, Any]
) -> None:
    await _known(store, memory("m", **due, **fields))

    assert await store.due(SCOPE, PAIR) == []


async def test_what_was_said_to_matter_less_is_offered_no_longer(store: Store) -> None:
    await _known(store, before := memory("m", persons=PAIR, importance=9))
    await save(store, revise(before, minute(5), importance=5))

    assert await store.due(SCOPE, PAIR) == []


async def test_what_two_share_comes_weightiest_first_and_nothing_of_others(store: Store) -> None:
    """M3, M4: of exactly these two, whoever is named first, as long as it holds."""
    await _known(
        store,
        memory("light", persons=PAIR, importance=3, at=minute(9)),
        memory("old", persons=PAIR, importance=7, at=minute(1)),
        memory("new", persons=PAIR, importance=7, at=minute(2)),
        memory("hers", persons=("ada",), importance=9),
        memory("all", persons=("ada", "bo", "cy"), importance=9),
        memory("others", persons=("bo", "cy"), importance=9),
        memory("nobodys", importance=9),
        memory("waits", persons=PAIR, importance=9, status=Status.PENDING),
        memory("over", persons=PAIR, importance=9, valid_to=minute(1)),
    )
    await _known(store, before := memory("left", persons=PAIR, importance=9))
    await save(store, revise(before, minute(5), persons=("ada",)))

    assert ids(await store.shared(SCOPE, pair_of("bo", "ada"))) == ["new", "old", "light"]
    assert ids(await store.shared(SCOPE, pair_of("ada", "bo"), limit=1)) == ["new"]
    assert await store.shared(SCOPE, pair_of("ada", "cy")) == []
