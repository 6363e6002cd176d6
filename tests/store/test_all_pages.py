"""All that a store finds, page after page."""

from functools import partial
from typing import Any

import pytest

from everlore.domain.conversation import Message
from everlore.domain.person import Person
from everlore.store.all_pages import all_of, each_of, items_of, pages_of
from everlore.store.answers import Page
from everlore.store.port import Put
from tests.contract.builders import SCOPE, conversation, event, message, minute, person
from tests.store_double.store import DoubleStore
from tests.worker.crew import FakeClock

SEVEN = [f"m{number}" for number in range(7)]


class CountedStore(DoubleStore):
    """How many records were on each page that was read."""

    def __init__(self) -> None:
        super().__init__(FakeClock())
        self.read: list[int] = []

    async def find(self, *asked: Any, **how: Any) -> Page:
        page = await super().find(*asked, **how)
        self.read.append(len(page.items))
        return page


@pytest.fixture
async def store() -> CountedStore:
    found = CountedStore()
    talks = [Put(conversation("chat")), Put(conversation("other"))]
    said = [Put(message(id)) for id in SEVEN]
    await found.apply(SCOPE, [*talks, *said, Put(message("elsewhere", conversation_id="other"))])
    return found


async def test_all_are_read_once_and_in_order(store: CountedStore) -> None:
    found = await all_of(store, SCOPE, Message, {"conversation_id": "chat"}, at_a_time=3)

    assert [each.id for each in found] == SEVEN
    assert store.read == [3, 3, 1]


async def test_the_newest_come_first_to_who_asks_for_them(store: CountedStore) -> None:
    where = {"conversation_id": "chat"}

    found = await all_of(store, SCOPE, Message, where, at_a_time=3, newest_first=True)

    assert [each.id for each in found] == SEVEN[::-1]


async def test_without_a_filter_there_is_all_of_a_kind(store: CountedStore) -> None:
    assert {each.id for each in await all_of(store, SCOPE, Message, at_a_time=3)} == {*SEVEN, "elsewhere"}


async def test_a_last_page_that_is_full_has_none_behind_it(store: CountedStore) -> None:
    found = await all_of(store, SCOPE, Message, {"conversation_id": "chat"}, at_a_time=7)

    assert [each.id for each in found] == SEVEN
    assert store.read == [7]


async def test_what_fits_on_a_page_is_read_at_once(store: CountedStore) -> None:
    await all_of(store, SCOPE, Message)

    assert store.read == [8]


async def test_who_stops_early_reads_no_further_page(store: CountedStore) -> None:
    taken = []
    async for each in each_of(store, SCOPE, Message, {"conversation_id": "chat"}, at_a_time=3):
        taken.append(each.id)
        if len(taken) == 3:
            break

    assert taken == SEVEN[:3]
    assert store.read == [3]


async def test_nothing_is_read_before_something_is_asked_for(store: CountedStore) -> None:
    found = each_of(store, SCOPE, Message, {"conversation_id": "chat"}, at_a_time=3)

    assert store.read == []
    assert (await anext(found)).id == "m0"
    assert store.read == [3]


async def test_of_nothing_there_is_one_empty_page(store: CountedStore) -> None:
    nobody = {"name": "Nobody"}

    assert await all_of(store, SCOPE, Person, nobody) == []
    assert store.read == [0]
    assert [page.items async for page in pages_of(partial(store.find, SCOPE, Person, nobody))] == [()]


async def test_whoever_looks_at_pages_gets_them_as_they_were_read(store: CountedStore) -> None:
    read = partial(store.find, SCOPE, Message, {"conversation_id": "chat"}, limit=3)

    found = [[each.id for each in page.items] async for page in pages_of(read)]

    assert found == [SEVEN[:3], SEVEN[3:6], SEVEN[6:]]


async def test_any_read_that_gives_pages_will_do(store: CountedStore) -> None:
    happened = [Put(event(f"e{number}", actors=("ada",), at=minute(number))) for number in range(5)]
    await store.apply(SCOPE, [Put(person("ada")), *happened])

    found = [each.id async for each in items_of(partial(store.timeline, SCOPE, person_id="ada", limit=2))]

    assert found == ["e4", "e3", "e2", "e1", "e0"]
