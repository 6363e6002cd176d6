"""What was said around a place in a conversation, and only what is searched for (R2, V6, V13)."""

import random

import pytest

from everlore.domain.conversation import Message, MessageState
from everlore.store.answers import MessagePosition
from everlore.store.port import Store
from everlore.store.spans import MessageSpan, spans_of
from tests.contract.builders import SCOPE, conversation, ids, message, person, save
from tests.soak import seeds


async def _talk(store: Store, chat: str = "chat", many: int = 9) -> None:
    await save(store, conversation(chat))
    await save(store, *(message(f"{chat}{number}", conversation_id=chat) for number in range(1, many + 1)))


async def test_the_neighbours_of_a_message_come_with_it_in_order(store: Store) -> None:
    """R2: at most so far before and after, and nothing beyond the ends."""
    await _talk(store)

    middle = await store.around(SCOPE, [MessagePosition("chat", 5)], 2)
    ends = await store.around(SCOPE, [MessagePosition("chat", 9), MessagePosition("chat", 1)], 1)
    alone = await store.around(SCOPE, [MessagePosition("chat", 4)], 0)

    assert ids(middle) == ["chat3", "chat4", "chat5", "chat6", "chat7"]
    assert middle == await store.get_many(SCOPE, Message, ids(middle))
    assert ids(ends) == ["chat1", "chat2", "chat8", "chat9"]
    assert ids(alone) == ["chat4"]


async def test_places_that_share_a_neighbour_bring_it_once(store: Store) -> None:
    """R2: of several conversations each in its own order."""
    await _talk(store)
    await _talk(store, "other")
    places = [
        MessagePosition("other", 2),
        MessagePosition("chat", 6),
        MessagePosition("chat", 4),
        MessagePosition("chat", 4),
        MessagePosition("nowhere", 1),
    ]

    near = await store.around(SCOPE, places, 1)

    assert ids(near) == ["chat3", "chat4", "chat5", "chat6", "chat7", "other1", "other2", "other3"]
    assert await store.around(SCOPE, [], 3) == []
    assert await store.around(SCOPE, [MessagePosition("chat", 99)], 3) == []


async def test_what_is_not_searched_does_not_come_as_a_neighbour(store: Store) -> None:
    """V6: private, unfinished or empty; a failed or hidden one is found by a search, too."""
    await save(
        store,
        conversation(),
        message("a"),
        message("private", private=True),
        message("writing", state=MessageState.STREAMING),
        message("empty", ""),
        message("blank", " \n\u2003"),
        message("stopped", state=MessageState.STOPPED),
        message("b"),
    )

    assert ids(await store.around(SCOPE, [MessagePosition("chat", 4)], 9)) == ["a", "stopped", "b"]
    assert ids(await store.around(SCOPE, [MessagePosition("chat", 2)], 0)) == []


async def test_nobody_hears_what_was_said_in_their_absence(store: Store) -> None:
    """R11, V13."""
    await save(store, person("ada"), person("bo"), conversation())
    await save(
        store,
        message("both", present=("ada", "bo")),
        message("ada-only", present=("ada",)),
        message("nobody"),
        message("bo-only", present=("bo",)),
    )

    async def heard(knower_id: str | None) -> list[str]:
        return ids(await store.around(SCOPE, [MessagePosition("chat", 2)], 5, knower_id=knower_id))

    assert await heard(None) == ["both", "ada-only", "nobody", "bo-only"]
    assert await heard("ada") == ["both", "ada-only"]
    assert await heard("bo") == ["both", "bo-only"]
    assert await heard("cy") == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", seeds(2, 20))
async def test_hundreds_of_places_at_once(store: Store, seed: int) -> None:
    """R2: whatever their order and however they overlap."""
    dice = random.Random(seed)
    chats = ("chat", "it's", "né 🐉")
    for chat in chats:
        await _talk(store, chat, many=60)
    places = [MessagePosition(dice.choice(chats), dice.randint(1, 80)) for _ in range(300)]
    some = dice.sample(places, dice.randint(1, 30))

    for asked, reach in ((places, 0), (some, 3), (places, 2)):
        expected = [
            f"{chat}{seq}"
            for chat in sorted(chats)
            for seq in range(1, 61)
            if any(place.conversation_id == chat and abs(place.seq - seq) <= reach for place in asked)
        ]
        assert ids(await store.around(SCOPE, asked, reach)) == expected


def test_spans_do_not_overlap() -> None:
    places = [MessagePosition("b", 9), MessagePosition("a", 3), MessagePosition("a", 6), MessagePosition("a", 30)]

    assert spans_of(places, 1) == [MessageSpan("a", 2, 7), MessageSpan("a", 29, 31), MessageSpan("b", 8, 10)]
    assert spans_of(places, 0) == [
        MessageSpan("a", 3, 3),
        MessageSpan("a", 6, 6),
        MessageSpan("a", 30, 30),
        MessageSpan("b", 9, 9),
    ]
    assert spans_of([], 5) == []
