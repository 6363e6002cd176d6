"""After a restart: what a dead process left unfinished is marked, what a living one writes is left alone (V12)."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from everlore.domain.conversation import MessageState
from everlore.errors import Conflict
from everlore.store.port import Put
from everlore.turn import replies
from everlore.turn.holder import SILENT_S, Holder, is_gone, read_holder, runs
from tests.turn.world import World, world
from tests.waiting import until

GONE = Holder("host", 5_000_000, "first")
NEXT = Holder("host", 5_000_001, "second")
STREAMING = MessageState.STREAMING


async def _killed_in_the_middle(mind: World, *parts: str) -> str:
    """A reply that was being written when its process vanished: nothing of its task is left, only the store."""
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits(*parts)
    await mind.begins(talk, "Hello!")
    await gate.reached.wait()

    async def is_saved() -> bool:
        return (await mind.stored(talk))[-1].content == "".join(parts)

    await until(is_saved)
    return talk.id


@pytest.fixture
def died() -> World:
    """A process that will have been killed: its tasks go on only in the test."""
    return world(holder=GONE, save_every_s=0.001)


async def test_what_was_written_is_saved_while_it_is_written(died: World) -> None:
    """V12."""
    talk = await _killed_in_the_middle(died, "Once ", "upon ")

    stored = (await died.stored(talk))[-1]

    assert (stored.content, stored.state) == ("Once upon ", STREAMING)
    assert read_holder(stored.metadata["holder"]) == GONE  # type: ignore[arg-type]
    await died.turns.close()


async def test_a_reply_that_broke_off_is_marked_and_can_go_on(died: World) -> None:
    """V12, V2."""
    talk = await _killed_in_the_middle(died, "Once ", "upon ")
    mind = died.reborn(NEXT)

    [hello, broken] = await mind.log(talk)
    assert (hello.content, hello.state) == ("Hello!", MessageState.COMPLETE)
    assert (broken.content, broken.state, broken.error) == ("Once upon ", MessageState.STOPPED, replies.BROKEN_OFF)
    assert "holder" not in broken.metadata

    mind.model.answers("a time.")
    whole = await mind.more(talk, broken)
    assert (whole.content, whole.state, whole.error) == ("Once upon a time.", MessageState.COMPLETE, "")
    await died.turns.close()
    assert await mind.said(talk) == ["Hello!", "Once upon a time."], "the dead write over nothing"


async def test_a_restart_marks_every_such_reply_at_once(died: World) -> None:
    """V12: in all workspaces."""
    talks = [await _killed_in_the_middle(died, f"Part {number}") for number in range(3)]
    mind = died.reborn(NEXT)

    await mind.turns.mend_all()

    for talk in talks:
        assert (await mind.stored(talk))[-1].state is MessageState.STOPPED
    await died.turns.close()


async def test_one_can_go_on_talking_over_a_reply_that_broke_off(died: World) -> None:
    """V12."""
    talk = await _killed_in_the_middle(died, "Once ")
    mind = died.reborn(NEXT)

    assert (await mind.says(talk, "Are you there?")).content == "Fine."
    assert await mind.said(talk) == ["Hello!", "Once ", "Are you there?", "Fine."]
    await died.turns.close()


async def test_a_new_version_that_broke_off_before_its_first_word_leaves_the_one_before(died: World) -> None:
    """V12, V2."""
    talk = await died.sits_down("Mira")
    reply = await died.says(talk, "Hello!")
    gate = died.model.waits()
    await died.turns.regenerate(died.scope, talk.id, reply.id)
    await gate.reached.wait()
    mind = died.reborn(NEXT)

    [_, after] = await mind.log(talk)

    assert (after.content, after.state, after.alternatives) == ("Fine.", MessageState.COMPLETE, ())
    assert after.error == replies.BROKEN_OFF
    await died.turns.close()


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    """Another process of this machine, which lives until it is told to end."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process


async def test_the_reply_of_a_living_process_is_left_alone(other: "subprocess.Popen[bytes]") -> None:
    """V12: it is a conflict to write beside it."""
    first = world(holder=Holder("host", other.pid, "theirs"), save_every_s=0.001)
    talk = await _killed_in_the_middle(first, "Once ")
    mind = first.reborn(Holder("host", os.getpid(), "ours"))

    [_, reply] = await mind.log(talk)
    assert reply.state is STREAMING
    with pytest.raises(Conflict, match="perhaps by another process"):
        await mind.says(talk, "Hello?")
    for ask in (mind.again(talk, reply), mind.more(talk, reply)):
        with pytest.raises(Conflict, match="perhaps by another process"):
            await ask
    with pytest.raises(Conflict, match="This reply is being written"):
        await mind.lore.messages.edit(talk, reply.id, content="x")

    other.communicate()
    assert (await mind.log(talk))[-1].error == replies.BROKEN_OFF
    await first.turns.close()


async def test_an_old_reply_that_another_process_writes_is_left_alone_too() -> None:
    """V12: also where it is further back than the prompt reaches."""
    mind = world()
    talk = await mind.sits_down("Mira", message_trim=2)
    old = await mind.says(talk, "Hello!")
    for number in range(3):
        await mind.says(talk, f"Message {number}")
    elsewhere = replies.begun_again(old, mind.clock(), str(Holder("other host", 7, "theirs")))
    await mind.store.apply(mind.scope, [Put(elsewhere)])

    with pytest.raises(Conflict, match="perhaps by another process"):
        await mind.again(talk, old)


async def test_a_silent_process_of_another_machine_is_taken_over() -> None:
    """V12: only its silence can tell."""
    first = world(holder=Holder("other host", os.getpid(), "theirs"), save_every_s=0.001)
    talk = await _killed_in_the_middle(first, "Once ")
    mind = first.reborn(Holder("host", os.getpid(), "ours"))

    first.clock.pass_time(SILENT_S - 1)
    assert (await mind.log(talk))[-1].state is STREAMING
    first.clock.pass_time(2)
    assert (await mind.log(talk))[-1].error == replies.BROKEN_OFF
    await first.turns.close()


async def test_whoever_was_taken_over_writes_over_nothing() -> None:
    """V12, V2: the slow one comes back when another has written the reply already."""
    first = world(holder=Holder("other host", 7, "theirs"))
    talk = await first.sits_down("Mira")
    gate = first.model.waits("Once ", after=["upon a time."])
    writing = await first.begins(talk, "Hello!")
    await gate.reached.wait()
    first.clock.pass_time(SILENT_S + 1)
    mind = first.reborn(Holder("host", 8, "ours"))
    first.model.answers("Twice.")
    [_, broken] = await mind.log(talk)
    await mind.again(talk, broken)

    gate.open()
    heard = await writing.reply()

    assert heard.content == "Twice."
    assert await mind.said(talk) == ["Hello!", "Twice."]


async def test_whoever_was_only_taken_for_dead_keeps_its_reply() -> None:
    """V12: two in one process cannot see each other live."""
    first = world(holder=Holder("host", os.getpid(), "one"))
    talk = await first.sits_down("Mira")
    gate = first.model.waits("Once ", after=["upon a time."])
    writing = await first.begins(talk, "Hello!")
    await gate.reached.wait()
    second = first.reborn(Holder("host", os.getpid(), "other"))
    assert (await second.log(talk))[-1].error == replies.BROKEN_OFF

    gate.open()

    assert (await writing.reply()).content == "Once upon a time."
    assert (await second.log(talk))[-1].state is MessageState.COMPLETE


async def test_a_reply_that_ended_while_somebody_looked_at_it_is_not_marked() -> None:
    """V12: what was read as unfinished may be whole by the time it is judged."""
    mind = world()
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits("Once ", after=["upon a time."])
    writing = await mind.begins(talk, "Hello!")
    await gate.reached.wait()
    looked_at = await mind.stored(talk)
    gate.open()
    whole = await writing.reply()

    assert (await mind.turns.mend(mind.scope, looked_at))[-1] == whole
    assert (await mind.stored(talk))[-1] == whole


async def test_a_message_that_was_deleted_while_somebody_looked_at_it_spoils_nothing() -> None:
    """V12."""
    first = world(holder=GONE)
    talk = await first.sits_down("Mira")
    gate = first.model.waits()
    await first.begins(talk, "Hello!")
    await gate.reached.wait()
    mind = first.reborn(NEXT)
    looked_at = await mind.stored(talk)
    await mind.lore.conversations.delete(talk.id)

    assert [each.id for each in await mind.turns.mend(mind.scope, looked_at)] == [each.id for each in looked_at]
    await first.turns.close()


async def test_a_writer_that_waits_for_its_first_word_gives_signs_of_life() -> None:
    """V12: a slow model must not be taken for a dead process."""
    mind = world(save_every_s=0.001, sign_every_s=0.001)
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits()
    await mind.begins(talk, "Hello!")
    await gate.reached.wait()

    mind.clock.pass_time(30)

    async def is_seen_to_live() -> bool:
        return (await mind.stored(talk))[-1].updated_at == mind.clock()

    await until(is_seen_to_live)

    await mind.stops(talk)


# ── who lives ────────────────────────────────────────────────────────────────────────────────────

ME = Holder("host", 10, "me")


@pytest.mark.parametrize(
    ("holder", "silent_s", "runs", "gone"),
    [
        (None, 0, True, True),
        (Holder("host", 11, "x"), 0, True, False),
        (Holder("host", 11, "x"), 0, False, True),
        # Its number has long been given to some other process.
        (Holder("host", 11, "x"), SILENT_S + 1, True, True),
        # A container that was started again: the same number, another life.
        (Holder("host", 10, "x"), 0, True, True),
        (ME, 0, True, False),
        (Holder("other", 10, "me"), SILENT_S - 1, False, False),
        (Holder("other", 10, "me"), SILENT_S + 1, True, True),
    ],
)
def test_a_holder_is_gone_when(holder: Holder | None, silent_s: float, runs: bool, gone: bool) -> None:
    """V12."""
    assert is_gone(holder, ME, silent_s=silent_s, runs=runs) is gone


@pytest.mark.parametrize("holder", [ME, Holder("a/b", 1, "t"), Holder("::1", 99, "0f")])
def test_a_holder_can_be_written_and_read(holder: Holder) -> None:
    """V12."""
    assert read_holder(str(holder)) == holder


@pytest.mark.parametrize("text", ["", "x", "a/b", "host/x/token", "host/²/token", "/1/t"])
def test_what_is_no_holder_is_nobody(text: str) -> None:
    """V12."""
    assert read_holder(text) is None


def test_a_process_runs_or_does_not(other: "subprocess.Popen[bytes]") -> None:
    """V12."""
    assert runs(other.pid)
    other.communicate()

    assert not runs(other.pid)
    assert runs(1)
