"""What processes on one database tell each other: short-lived, in order, and never left behind by a deletion."""

from everlore.domain.conversation import Conversation, Message
from everlore.store.answers import Notice
from everlore.store.port import Delete, Store
from tests.contract.builders import OTHER, SCOPE, conversation, message, minute, save


def _notice(number: int, origin: str = "one", conversation_id: str | None = None, at: int = 1) -> Notice:
    return Notice(origin, number, conversation_id, f"{origin} {number}", minute(at))


async def _numbers(store: Store, process: str = "reader", after: dict[str, int] | None = None) -> list[str]:
    return [each.body for each in await store.notices(SCOPE, process, after or {})]


async def test_notices_come_back_as_they_were_published(store: Store) -> None:
    first, second = _notice(1, conversation_id="chat"), _notice(2)

    await store.publish(SCOPE, [first, second], before=minute(0))

    assert await store.notices(SCOPE, "reader", {}) == [first, second]
    assert await store.notices(OTHER, "reader", {}) == []


async def test_a_process_reads_what_is_new_of_each_other_process(store: Store) -> None:
    await store.publish(SCOPE, [_notice(1), _notice(2), _notice(10)], before=minute(0))
    await store.publish(SCOPE, [_notice(1, "two"), _notice(2, "two")], before=minute(0))

    assert await _numbers(store, after={"one": 2}) == ["one 10", "two 1", "two 2"]
    assert await _numbers(store, after={"one": 10, "two": 1}) == ["two 2"]
    assert await _numbers(store, "one") == ["two 1", "two 2"]
    assert await _numbers(store, "one", after={"two": 2}) == []


async def test_publishing_drops_what_is_old(store: Store) -> None:
    await store.publish(SCOPE, [_notice(1, at=1), _notice(2, at=2)], before=minute(0))

    await store.publish(SCOPE, [_notice(3, at=3)], before=minute(2))
    kept = await _numbers(store)
    await store.publish(SCOPE, [], before=minute(4))

    assert kept == ["one 2", "one 3"]
    assert await _numbers(store) == []


async def test_a_listener_counts_until_its_time_and_not_for_itself(store: Store) -> None:
    await store.listen(SCOPE, "one", until=minute(5))

    assert await store.is_listened_to(SCOPE, besides="two", at=minute(5))
    assert not await store.is_listened_to(SCOPE, besides="two", at=minute(6))
    assert not await store.is_listened_to(SCOPE, besides="one", at=minute(1))
    assert not await store.is_listened_to(OTHER, besides="two", at=minute(1))

    await store.listen(SCOPE, "one", until=minute(9))
    assert await store.is_listened_to(SCOPE, besides="two", at=minute(9))
    await store.listen(SCOPE, "one", until=None)
    assert not await store.is_listened_to(SCOPE, besides="two", at=minute(1))


async def test_notices_go_with_their_conversation_and_with_a_message_of_it(store: Store) -> None:
    """They carry words of replies."""
    talks = [conversation(each) for each in ("gone", "cut", "stays")]
    said = [message(f"in {each.id}", conversation_id=each.id) for each in talks]
    await save(store, *talks, *said)
    await store.publish(SCOPE, [_notice(at, each.id, each.id) for at, each in enumerate(talks)], before=minute(0))

    await store.apply(SCOPE, [Delete(Conversation, "gone")])
    await store.apply(SCOPE, [Delete(Message, "in cut")])

    assert await _numbers(store) == ["stays 2"]


async def test_nothing_is_left_of_a_forgotten_workspace(store: Store) -> None:
    await store.publish(SCOPE, [_notice(1)], before=minute(0))
    await store.listen(SCOPE, "one", until=minute(5))

    await store.forget_workspace(SCOPE)

    assert await _numbers(store) == []
    assert not await store.is_listened_to(SCOPE, besides="two", at=minute(1))
