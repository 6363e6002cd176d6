"""A reply as it is heard: buffered or streamed, early or late, by somebody or by nobody; and stopped (V2)."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.domain.conversation import MessageState
from everlore.domain.display import display
from everlore.models.chat import End
from everlore.turn.news import News
from everlore.turn.reply_writer import Writing
from tests.turn.records import message
from tests.turn.world import plain, world


async def _heard(writing: Writing) -> list[str]:
    return [piece async for piece in writing.pieces()]


async def test_buffered_and_streamed_leave_the_same_records() -> None:
    """V2."""
    logs = []
    for streamed in (False, True):
        mind = world()
        talk = await mind.sits_down("Mira")
        mind.model.answers("<think>Hm.</think>Good ", "morning", ".", End(prompt_tokens=5, reply_tokens=3))
        writing = await mind.begins(talk, "Hello!")
        if streamed:
            assert "".join(await _heard(writing)) == "Good morning."
        await writing.reply()
        logs.append([plain(each) for each in await mind.log(talk)])

    assert logs[0] == logs[1]


async def test_a_late_listener_hears_all_of_it() -> None:
    """V2: also one that comes when it is over."""
    mind = world()
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits("Good ", "day, ", after=["friend", "."])
    writing = await mind.begins(talk, "Hello!")
    early = asyncio.create_task(_heard(writing))
    await gate.reached.wait()

    found = mind.turns.writing(mind.scope, talk.id)
    assert found is writing
    late = asyncio.create_task(_heard(found))
    gate.open()
    await writing.reply()

    assert await early == await late == await _heard(writing)
    assert "".join(await early) == "Good day, friend."


async def test_a_reply_that_nobody_listens_to_is_finished() -> None:
    """V2: a client that comes back finds it."""
    mind = world()
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits("Good ", after=["morning."])
    writing = await mind.begins(talk, "Hello!")
    listener = asyncio.create_task(_heard(writing))
    await gate.reached.wait()

    listener.cancel()
    gate.open()
    await writing.reply()

    assert await mind.said(talk) == ["Hello!", "Good morning."]
    assert mind.turns.writing(mind.scope, talk.id) is None


async def test_what_is_heard_is_what_may_be_shown() -> None:
    """V2, V4: and together it is what is shown later."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.model.answers("<thi", "nk>secret</think>", "Good ", "${image.smi", "le}", "morning. #NEXT EPI", "SODE#")

    writing = await mind.begins(talk, "Hello!")
    heard = "".join(await _heard(writing))
    reply = await writing.reply()

    assert heard == display(reply.content).text == "Good morning."
    assert "secret" in reply.content


@settings(deadline=None)
@given(st.lists(st.text(alphabet="ab <>/thinkmetrics`\n#", max_size=12), max_size=8), st.text(max_size=6))
async def test_pieces_add_up_to_the_whole(pieces: list[str], before: str) -> None:
    """V2, V4: for any pieces, also where a reply goes on."""
    begun = replace(message(before), state=MessageState.STREAMING)
    writing = Writing(begun)
    for piece in pieces:
        writing.add(piece)
    writing.end()
    writing.finish(replace(begun, content=writing.content))

    heard = "".join(await _heard(writing))

    assert heard == writing.shown[len(display(before).text) :]
    assert display(writing.content).text.startswith(writing.shown)


# ── stopping ─────────────────────────────────────────────────────────────────────────────────────


async def test_a_stopped_reply_keeps_what_there_is() -> None:
    """V2."""
    mind = world()
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits("Good ", "day")
    writing = await mind.begins(talk, "Hello!")
    await gate.reached.wait()

    stopped = await mind.stops(talk)

    assert (stopped.content, stopped.state, stopped.error) == ("Good day", MessageState.STOPPED, "")
    assert stopped == await writing.reply() == (await mind.stored(talk))[-1]
    assert mind.model.left_early == 1


async def test_nothing_is_there_to_be_stopped() -> None:
    """V2."""
    mind = world()
    talk = await mind.sits_down("Mira")

    assert await mind.turns.stop(mind.scope, talk.id) is None


async def test_a_reply_that_is_stopped_before_its_first_word_is_empty() -> None:
    """V2."""
    mind = world()
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits()
    await mind.begins(talk, "Hello!")
    await gate.reached.wait()

    stopped = await mind.stops(talk)

    assert (stopped.content, stopped.state) == ("", MessageState.STOPPED)
    assert (await mind.again(talk, stopped)).content == "Fine."


async def test_a_reply_can_be_stopped_in_the_moment_it_begins() -> None:
    """V2: before its task has even started."""
    mind = world()
    talk = await mind.sits_down("Mira")
    writing = await mind.begins(talk, "Hello!")

    stopped = await mind.stops(talk)

    assert (stopped.content, stopped.state) == ("", MessageState.STOPPED)
    assert await writing.reply() == stopped
    assert (await mind.says(talk, "Hello?")).content == "Fine."


async def test_all_who_stop_a_reply_at_the_same_moment_get_it() -> None:
    """V2."""
    mind = world()
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits("Good ")
    await mind.begins(talk, "Hello!")
    await gate.reached.wait()

    first, second, third = await asyncio.gather(mind.stops(talk), mind.stops(talk), mind.stops(talk))

    assert first == second == third
    assert first.state is MessageState.STOPPED


async def test_a_stopped_reply_can_go_on() -> None:
    """V2."""
    mind = world()
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits("Good ")
    await mind.begins(talk, "Hello!")
    await gate.reached.wait()
    stopped = await mind.stops(talk)
    mind.model.answers("morning.")

    writing = await mind.turns.go_on(mind.scope, talk.id, stopped.id)

    assert await _heard(writing) == ["morning."]
    reply = await writing.reply()
    assert (reply.id, reply.content, reply.state) == (stopped.id, "Good morning.", MessageState.COMPLETE)
    assert mind.model.asks[-1].messages[-2].content == "Good "
    assert "from exactly where it ends" in mind.model.prompt


# ── live ─────────────────────────────────────────────────────────────────────────────────────────


async def test_live_listeners_hear_the_pieces_and_the_end() -> None:
    """V2: the WebSocket hears what a stream hears."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.model.answers("Good ", "morning.")
    with mind.resources.live.listening(mind.scope.workspace) as listener:
        reply = await mind.says(talk, "Hello!")
        told = [await anext(news) for news in [listener.news()] for _ in range(3)]

    assert "".join(each.text for each in told if each.type == "message.delta") == "Good morning."
    assert told[-1] == News(type="message.done", conversation_id=talk.id, id=reply.id, record=reply)
    assert {each.conversation_id for each in told} == {talk.id}


async def test_another_workspace_hears_nothing() -> None:
    """V2."""
    mind = world()
    talk = await mind.sits_down("Mira")
    with (
        mind.resources.live.listening("elsewhere") as stranger,
        mind.resources.live.listening(mind.scope.workspace) as listener,
    ):
        await mind.says(talk, "Hello!")
        mind.resources.live.tell(replace(mind.scope, workspace="elsewhere"), [News(type="ours")])

        assert (await anext(stranger.news())).type == "ours"
        assert (await anext(listener.news())).type == "message.delta"


async def test_a_listener_that_is_too_slow_is_let_go_and_holds_up_nobody() -> None:
    """V2: it reads what it missed in the log."""
    mind = world()
    live, scope = mind.resources.live, mind.scope
    with live.listening(scope.workspace) as slow, live.listening(scope.workspace) as quick:
        heard = 0
        news = quick.news()
        for number in range(10_500):
            live.tell(scope, [News(type="message.delta", text=str(number))])
            heard += (await anext(news)).text == str(number)

        assert heard == 10_500
        waiting = [each async for each in slow.news()]

    assert [each.text for each in waiting] == [str(number) for number in range(10_000)]


async def test_who_has_left_is_told_nothing_more() -> None:
    """V2."""
    mind = world()
    with mind.resources.live.listening(mind.scope.workspace) as listener:
        pass

    mind.resources.live.tell(mind.scope, [News(type="late")])

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await anext(listener.news())
