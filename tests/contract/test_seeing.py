"""The filters of a search are the mirror of the rule of who may see what, on every store (R11, G9)."""

import random
from dataclasses import replace

import pytest

from everlore.domain.campaign import Entity
from everlore.domain.event import Event
from everlore.domain.memory import Memory, Visible
from everlore.domain.passage import passage_of
from everlore.domain.revision import revise
from everlore.domain.visibility import Seen
from everlore.store.port import Search, Store
from everlore.store.visibility_filters import as_passed_on
from tests.contract.builders import axis, embed, found_ids, memory, minute, person, save, telling
from tests.contract.sights import GROUND, TEXT, assert_they_agree, record, tellings, viewer
from tests.soak import seeds

RECORDS, LOOKS = 120, 60


@pytest.mark.soak
@pytest.mark.parametrize("seed", seeds(2, 20))
async def test_a_search_finds_what_the_rule_lets_be_seen(store: Store, seed: int) -> None:
    """R11, G9: by words and by meaning, after everything has changed once too."""
    dice = random.Random(seed)
    records = [record(dice.choice, number) for number in range(RECORDS)]
    told = list(tellings(dice.choice, records))
    looks = [viewer(dice.choice) for _ in range(LOOKS)]
    await save(store, *GROUND, *records, *told)
    await assert_they_agree(store, records, told, looks)

    texts = {passage.text for each in records if (passage := passage_of(each)) is not None}
    await embed(store, dict.fromkeys(texts, axis(0)))
    await assert_they_agree(store, records, told, looks, by_vector=True)


async def test_what_becomes_a_spoiler_or_a_secret_is_hidden_at_once(store: Store) -> None:
    """G9, R11: and what is none any more is open again."""
    dice = random.Random(7)
    records = [record(dice.choice, number) for number in range(RECORDS)]
    looks = [viewer(dice.choice) for _ in range(LOOKS)]
    await save(store, *GROUND, *records)
    changed = [_changed(each) for each in records]
    await save(store, *changed)
    await assert_they_agree(store, changed, [], looks, times=(None,))


def _changed(record: Seen) -> Seen:
    if isinstance(record, Memory):
        other = Visible.SECRET if record.visibility is Visible.NORMAL else Visible.NORMAL
        return revise(record, minute(20), is_spoiler=not record.is_spoiler, visibility=other)
    if isinstance(record, Entity | Event):
        return replace(record, is_spoiler=not record.is_spoiler)
    return record


async def test_what_is_passed_on_is_no_secret_nothing_private_and_no_spoiler(store: Store) -> None:
    """R6, R10: nor what the listener knows, or the teller does not."""
    await save(
        store,
        *(person(each) for each in ("ann", "bob", "cat")),
        memory("open", TEXT, persons=("ann", "cat")),
        memory("secret", TEXT, persons=("ann", "cat"), visibility=Visible.SECRET),
        memory("private", TEXT, persons=("ann", "cat"), visibility=Visible.PRIVATE),
        memory("spoiler", TEXT, persons=("ann", "cat"), is_spoiler=True),
        memory("shared", TEXT, persons=("ann", "bob")),
        memory("unknown", TEXT, persons=("cat",)),
        memory("heard", TEXT, persons=("cat",)),
        telling("t", "heard", "cat", "ann"),
    )
    assert set(await found_ids(store, as_passed_on(Search(text=TEXT), "ann", "bob"))) == {"open", "heard"}
