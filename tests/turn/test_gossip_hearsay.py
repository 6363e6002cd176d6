"""What is told on: in a reply by its words, and from mouth to mouth, at any time (R6, R11, M15)."""

import pytest

from everlore.domain.conversation import Conversation, Message
from everlore.domain.knowledge import How
from everlore.domain.memory import Memory, Visible
from everlore.errors import BadAsk
from tests.turn.test_gossip import meet, shared, sit
from tests.turn.test_gossip_tokens import knowers, knows, says
from tests.turn.world import World, world

# ── in a reply ───────────────────────────────────────────────────────────────────────────────────


async def _blurted(mind: World) -> tuple[Memory, Conversation, Message]:
    """Don, asked by Rex, tells what he has with Mike."""
    boat = await shared(mind, "Don and Mike sold a leaking boat to the vicar.", "don", "mike")
    talk = await sit(mind, "rex", "don", gossip_enabled=True)
    mind.model.answers("Oh, Mike and I once sold the vicar a leaking boat!")
    reply = await mind.says(talk, "Who sold the vicar that leaking boat?")
    return boat, talk, reply


async def test_a_reply_that_speaks_of_it_tells_it() -> None:
    """R6, R11: Rex knows it from Don now."""
    mind = world()

    boat, _talk, reply = await _blurted(mind)

    rex = (await knowers(mind, boat))["rex"]
    assert (rex.how, rex.from_id, rex.degree, rex.since) == (How.TOLD, "don", 1, reply.created_at)


async def test_a_reply_that_does_not_speak_of_it_tells_nothing() -> None:
    """R6, R11: to have it in mind is not to say it."""
    mind = world()
    boat = await shared(mind, "Don and Mike sold a leaking boat to the vicar.", "don", "mike")
    talk = await sit(mind, "rex", "don", gossip_enabled=True)
    mind.model.answers("I could not say, Rex. Ask Mike.")

    await mind.says(talk, "Who sold the vicar that leaking boat?")

    assert "sold a leaking boat" in mind.model.prompt
    assert set(await knowers(mind, boat)) == {"don", "mike"}


async def test_a_reply_that_is_written_anew_takes_it_back_and_choosing_the_first_tells_it_again() -> None:
    """R11, M15."""
    mind = world()
    boat, talk, reply = await _blurted(mind)

    await mind.again(talk, reply)
    assert set(await knowers(mind, boat)) == {"don", "mike"}

    await mind.lore.messages.choose(talk.id, reply.id, 0)
    assert set(await knowers(mind, boat)) == {"don", "mike", "rex"}

    await mind.lore.messages.choose(talk.id, reply.id, 1)
    assert set(await knowers(mind, boat)) == {"don", "mike"}


async def test_a_reply_that_says_it_twice_over_tells_it_once() -> None:
    """R11, M15: written anew in other words, it is one telling."""
    mind = world()
    boat, talk, reply = await _blurted(mind)
    mind.model.answers("The vicar? We sold him a boat, a leaking one, Mike and I.")

    await mind.again(talk, reply)

    assert (await knowers(mind, boat))["rex"].degree == 1
    assert await knows(mind, "rex") == {boat.content}


async def test_a_stopped_or_failed_reply_is_no_reason_to_forget_a_telling_of_another() -> None:
    """R11: each telling hangs on its own message."""
    mind = world()
    boat, talk, reply = await _blurted(mind)

    await mind.says(talk, "And then?")
    await mind.lore.messages.remove(talk.id, (await mind.log(talk))[-1].id)

    assert (await knowers(mind, boat))["rex"].since == reply.created_at


# ── hearsay ──────────────────────────────────────────────────────────────────────────────────────


async def test_from_mouth_to_mouth_with_every_degree() -> None:
    """R11: Don → Rex → Mike → Ann, by messages and out of any talk; less certain each time."""
    mind = world()
    barn = await shared(mind, "Don burnt a barn with Bo.", "don", "bo")
    times = []
    for teller, listener in (("don", "rex"), ("rex", "mike")):
        mind.clock.pass_time(3_600)
        times.append((await says(mind, await sit(mind, teller, listener), barn)).created_at)
    mind.clock.pass_time(3_600)
    await meet(mind, "ann")
    times.append((await mind.lore.knowledge.tell(barn.id, teller="mike", listener="ann")).told_at)

    found = await knowers(mind, barn)

    assert list(found) == ["bo", "don", "rex", "mike", "ann"]
    assert [each.degree for each in found.values()] == [0, 0, 1, 2, 3]
    assert [found[name].since for name in ("rex", "mike", "ann")] == times
    assert [found[name].certainty for name in ("rex", "mike", "ann")] == [0.8, 0.64, 0.512]
    assert found["ann"].chain == ("don", "rex", "mike")
    assert found["ann"].from_id == "mike"


async def test_who_knew_what_at_each_time() -> None:
    """R11: as of any moment, and what Mike recalled then."""
    mind = world()
    born = mind.clock()
    barn = await shared(mind, "Don burnt a barn with Bo.", "don", "bo")
    mind.clock.pass_time(3_600)
    first = (await says(mind, await sit(mind, "don", "rex"), barn)).created_at
    mind.clock.pass_time(3_600)
    second = (await says(mind, await sit(mind, "rex", "mike"), barn)).created_at

    assert set(await knowers(mind, barn, as_of=born)) == {"don", "bo"}
    assert set(await knowers(mind, barn, as_of=first)) == {"don", "bo", "rex"}
    assert set(await knowers(mind, barn, as_of=second)) == {"don", "bo", "rex", "mike"}
    for at, hits in ((born, 0), (first, 0), (second, 1)):
        assert len(await mind.lore.recall("barn", person="mike", as_of=at)) == hits
        assert len((await mind.lore.knowledge.of("mike", as_of=at)).items) == hits


async def test_as_of_a_time_a_memory_says_what_it_said_then_to_whom_it_was_then() -> None:
    """R11, M6: edits of its words and of its persons do not reach back."""
    mind = world()
    barn = await shared(mind, "Don burnt a barn.", "don")
    await meet(mind, "rex")
    before = mind.clock()
    mind.clock.pass_time(60)
    await mind.lore.edit(barn.id, content="Don burnt a stable.", persons=("don", "rex"))

    assert set(await knowers(mind, barn, as_of=before)) == {"don"}
    assert set(await knowers(mind, barn)) == {"don", "rex"}
    (known,) = (await mind.lore.knowledge.of("don", as_of=before)).items
    assert known.memory.content == "Don burnt a barn."
    assert (await mind.lore.knowledge.of("rex", as_of=before)).items == ()
    assert len(await mind.lore.recall("stable", person="rex", as_of=before)) == 0


async def test_when_the_first_takes_it_back_the_last_still_knows_it() -> None:
    """R11, M15: Mike heard it from Rex; that Rex should not have known it does not make it unheard."""
    mind = world()
    barn = await shared(mind, "Don burnt a barn with Bo.", "don", "bo")
    talk = await sit(mind, "don", "rex")
    said = await says(mind, talk, barn)
    await says(mind, await sit(mind, "rex", "mike"), barn)

    await mind.lore.messages.edit(talk.id, said.id, content="Never mind.")

    found = await knowers(mind, barn)
    assert "rex" not in found
    assert (found["mike"].degree, found["mike"].from_id) == (2, "rex")


async def test_only_who_knows_it_can_tell_it_and_only_to_whom_does_not() -> None:
    """R11."""
    mind = world()
    barn = await shared(mind, "Don burnt a barn with Bo.", "don", "bo")
    secret = await shared(mind, "Don stole the bell.", "don", visibility=Visible.SECRET)
    for name in ("rex", "ann"):
        await meet(mind, name)

    for teller, listener, memory, why in (
        ("rex", "ann", barn, "does not know memory"),
        ("don", "bo", barn, "knows memory"),
        ("don", "don", barn, "knows memory"),
        ("don", "rex", secret, "it is secret"),
    ):
        with pytest.raises(BadAsk, match=why):
            await mind.lore.knowledge.tell(memory.id, teller=teller, listener=listener)
    assert set(await knowers(mind, barn)) == {"don", "bo"}
