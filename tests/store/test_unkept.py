"""A store that answers writes and keeps none of them (C3)."""

import pytest

from everlore.domain.conversation import Conversation, Message, MessageState
from everlore.domain.person import Person
from everlore.errors import BadAsk, NotFound
from everlore.store.port import Amend, Put, Store
from everlore.store.unkept import unkept
from tests.contract.builders import SCOPE, conversation, message, person
from tests.store_double.store import DoubleStore
from tests.worker.crew import FakeClock


@pytest.fixture
async def behind() -> Store:
    store = DoubleStore(FakeClock())
    await store.apply(SCOPE, [Put(person("ada")), Put(conversation("chat")), Put(message("first"))])
    return store


async def test_what_is_put_comes_back_as_if_it_were_kept_and_is_not(behind: Store) -> None:
    store = unkept(behind)

    said, answered = await store.apply(SCOPE, [Put(message("second")), Put(message("third"))])

    assert (said.seq, answered.seq) == (2, 3)
    assert await behind.count(SCOPE, Message) == 1
    assert (await behind.get(SCOPE, Conversation, "chat")).message_count == 1


async def test_what_was_put_can_be_amended(behind: Store) -> None:
    store = unkept(behind)
    await store.apply(SCOPE, [Put(message("reply"))])

    (stopped,) = await store.apply(SCOPE, [Amend(Message, "reply", {"state": MessageState.STOPPED})])
    (same,) = await store.apply(SCOPE, [Amend(Message, "reply", {"content": "x"}, {"state": MessageState.COMPLETE})])

    assert stopped.state is MessageState.STOPPED
    assert same == stopped


async def test_what_is_kept_can_be_amended_and_stays_as_it_is(behind: Store) -> None:
    (changed,) = await unkept(behind).apply(SCOPE, [Amend(Person, "ada", {"name": "Grace"})])

    assert changed.name == "Grace"
    assert (await behind.get(SCOPE, Person, "ada")).name != "Grace"


async def test_what_a_store_would_refuse_is_refused(behind: Store) -> None:
    store = unkept(behind)

    with pytest.raises(BadAsk, match="NUL"):
        await store.apply(SCOPE, [Put(message("odd", content="a\x00b"))])
    with pytest.raises(NotFound):
        await store.apply(SCOPE, [Put(message("lost", conversation_id="nowhere"))])
    with pytest.raises(NotFound):
        await store.apply(SCOPE, [Amend(Person, "nobody", {"name": "x"})])


async def test_it_reads_what_is_there(behind: Store) -> None:
    assert (await unkept(behind).get(SCOPE, Message, "first")).id == "first"


async def test_what_is_held_does_not_grow_without_end(behind: Store) -> None:
    store = unkept(behind)
    await store.apply(SCOPE, [Put(message(f"m{number}")) for number in range(1_200)])

    with pytest.raises(NotFound):
        await store.apply(SCOPE, [Amend(Message, "m0", {"content": "x"})])
