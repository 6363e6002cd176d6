"""The rule of who may see what and the filters of a search, held to each other on whatever can be drawn (R11, G9)."""

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.builders import START, save
from tests.contract.sights import GROUND, assert_they_agree, record, tellings, viewer
from tests.store_double.store import DoubleStore


@settings(deadline=None)
@given(st.data())
def test_a_search_finds_what_the_rule_lets_be_seen(data: st.DataObject) -> None:
    """R11, G9: in the store that is written to be read."""

    def choose(options: Any) -> Any:
        return data.draw(st.sampled_from(list(options)))

    records = [record(choose, number) for number in range(data.draw(st.integers(1, 4)))]
    told = list(tellings(choose, records))
    looks = [viewer(choose) for _ in range(2)]

    async def hold() -> None:
        store = DoubleStore(lambda: START)
        await save(store, *GROUND, *records, *told)
        await assert_they_agree(store, records, told, looks)

    asyncio.run(hold())
