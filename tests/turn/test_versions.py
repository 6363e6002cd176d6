"""Written anew, continued, chosen, edited: the versions of a reply, none of which is ever lost (V2)."""

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.domain.conversation import Message, MessageState
from everlore.errors import BadAsk, Conflict, ModelMisbehaved, NotFound
from everlore.models.chat import End
from everlore.turn import replies
from tests.soak import look
from tests.turn.records import NOON, message
from tests.turn.world import World, world

HUNG_UP = ModelMisbehaved("The server hung up. Try again.")
HOLDER = "host/1/token"


async def _with_versions(mind: World, *texts: str) -> tuple[str, Message]:
    """A conversation whose one reply has these versions, the last of them chosen."""
    talk = await mind.sits_down("Mira")
    mind.model.answers(texts[0])
    reply = await mind.says(talk, "Hello!")
    for text in texts[1:]:
        mind.model.answers(text)
        reply = await mind.again(talk, reply)
    return talk.id, reply


async def test_a_reply_written_anew_keeps_the_others_as_alternatives() -> None:
    """V2: one, two, three."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.")
    assert (reply.alternatives, reply.chosen) == ((), 0)

    mind.model.answers("Two.")
    reply = await mind.again(talk, reply)
    assert (reply.content, reply.alternatives, reply.chosen) == ("Two.", ("One.", "Two."), 1)

    mind.model.answers("Three.")
    reply = await mind.again(talk, reply)
    assert (reply.content, reply.alternatives, reply.chosen) == ("Three.", ("One.", "Two.", "Three."), 2)
    assert await mind.said(talk) == ["Hello!", "Three."]


async def test_a_new_version_is_asked_for_as_if_there_had_been_none() -> None:
    """V2: the model does not see the version that it is to replace, nor what came after it."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.")
    await mind.says(talk, "And then?")

    await mind.again(talk, reply)

    assert [said.content for said in mind.model.asks[-1].messages[1:]] == ["Hello!"]


async def test_another_version_can_be_chosen_and_is_what_the_model_sees() -> None:
    """V2."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.", "Two.", "Three.")

    chosen = await mind.lore.messages.choose(talk, reply.id, 0)
    await mind.says(talk, "And then?")

    assert (chosen.content, chosen.chosen, len(chosen.alternatives)) == ("One.", 0, 3)
    assert "[assistant] One." in mind.model.prompt
    assert "Three." not in mind.model.prompt


async def test_a_version_that_is_not_there_cannot_be_chosen() -> None:
    """V2."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.", "Two.")

    for wrong in (-1, 2):
        with pytest.raises(BadAsk, match=rf"no alternative {wrong}; this message has 2, counted from 0"):
            await mind.lore.messages.choose(talk, reply.id, wrong)
    [hello, _] = await mind.log(talk)
    assert await mind.lore.messages.choose(talk, hello.id, 0) == hello


async def test_an_edit_changes_the_chosen_version_alone() -> None:
    """V2."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.", "Two.", "Three.")
    await mind.lore.messages.choose(talk, reply.id, 1)

    edited = await mind.lore.messages.edit(talk, reply.id, content="Two and a half.")

    assert (edited.content, edited.chosen) == ("Two and a half.", 1)
    assert edited.alternatives == ("One.", "Two and a half.", "Three.")


async def test_a_version_that_fails_gives_way_to_the_one_that_stood_there() -> None:
    """V2: also where that was not the last of them."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.", "Two.", "Three.")
    await mind.lore.messages.choose(talk, reply.id, 0)
    mind.model.answers(HUNG_UP)

    after = await mind.again(talk, reply)

    assert (after.content, after.chosen, after.state) == ("One.", 0, MessageState.COMPLETE)
    assert after.alternatives == ("One.", "Two.", "Three.")
    assert after.error == str(HUNG_UP)


async def test_the_only_version_stands_again_as_it_was() -> None:
    """V2: also one that had failed half way."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.model.answers("Good ", HUNG_UP)
    failed = await mind.says(talk, "Hello!")
    mind.model.answers(ModelMisbehaved("Down again."))

    after = await mind.again(talk, failed)

    assert (after.content, after.state, after.error) == ("Good ", MessageState.FAILED, "Down again.")
    assert (after.alternatives, after.chosen) == ((), 0)


async def test_a_new_version_that_is_stopped_at_once_leaves_the_one_before() -> None:
    """V2."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.")
    gate = mind.model.waits()
    await mind.turns.regenerate(mind.scope, talk, reply.id)
    await gate.reached.wait()

    after = await mind.stops(talk)

    assert (after.content, after.state, after.error, after.alternatives) == ("One.", MessageState.COMPLETE, "", ())


async def test_a_new_version_that_is_stopped_half_way_is_one_more() -> None:
    """V2."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.")
    gate = mind.model.waits("Tw")
    await mind.turns.regenerate(mind.scope, talk, reply.id)
    await gate.reached.wait()

    after = await mind.stops(talk)

    assert (after.content, after.state, after.alternatives) == ("Tw", MessageState.STOPPED, ("One.", "Tw"))
    assert "model" not in after.metadata, "what was told of the version before does not hold of this one"


async def test_a_reply_can_be_longer() -> None:
    """V2: continue appends, in its version."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.", "Two.", "Three.")
    await mind.lore.messages.choose(talk, reply.id, 0)
    mind.model.answers(" And more.")

    after = await mind.more(talk, reply)

    assert (after.content, after.state) == ("One. And more.", MessageState.COMPLETE)
    assert sorted(after.alternatives) == ["One. And more.", "Three.", "Two."]
    assert after.alternatives[after.chosen] == after.content


async def test_a_reply_that_fails_to_be_longer_is_as_long_as_it_was() -> None:
    """V2."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.", "Two.")
    mind.model.answers(HUNG_UP)

    after = await mind.more(talk, reply)

    assert (after.content, after.error) == ("Two.", str(HUNG_UP))
    assert after.alternatives == ("One.", "Two.")


async def test_only_replies_are_written_anew() -> None:
    """V2."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.")
    other = await mind.sits_down("Rex")
    [hello, _] = await mind.log(talk)

    with pytest.raises(BadAsk, match=r"Only a character's reply.*Edit this message"):
        await mind.again(talk, hello)
    with pytest.raises(NotFound, match="in this conversation"):
        await mind.again(other, reply)
    with pytest.raises(NotFound):
        await mind.turns.go_on(mind.scope, talk, "nothing")


async def test_a_greeting_can_be_written_anew_too() -> None:
    """V2."""
    mind = world()
    await mind.meets("Mira", greetings=("Hello, {{user}}!", "Hm?"))
    talk = await mind.sits_down("Mira")
    [greeting] = await mind.log(talk)
    assert (greeting.content, greeting.alternatives) == ("Hello, User!", ("Hello, User!", "Hm?"))

    mind.model.answers("Come in!")
    reply = await mind.again(talk, greeting)

    assert reply.alternatives == ("Hello, User!", "Hm?", "Come in!")
    assert [said.role for said in mind.model.asks[0].messages] == ["system", "user"]


async def test_a_long_reply_has_alternatives_too() -> None:
    """V2."""
    mind = world()
    talk, reply = await _with_versions(mind, "One. " * 2_000)

    after = await mind.again(talk, reply)

    assert [len(each) for each in after.alternatives] == [10_000, 5]


# ── edited and deleted ───────────────────────────────────────────────────────────────────────────


async def test_an_edited_message_is_what_the_model_sees() -> None:
    """V2."""
    mind = world()
    talk, _ = await _with_versions(mind, "One.")
    [hello, _] = await mind.log(talk)

    edited = await mind.lore.messages.edit(talk, hello.id, content="Good evening!")
    await mind.says(talk, "And then?")

    assert (edited.content, edited.id, edited.seq) == ("Good evening!", hello.id, hello.seq)
    assert "[user] Good evening!" in mind.model.prompt
    assert "Hello!" not in mind.model.prompt
    with pytest.raises(BadAsk, match="would be empty"):
        await mind.lore.messages.edit(talk, hello.id, content="  ")


async def test_one_message_is_deleted_or_all_from_there() -> None:
    """V2."""
    mind = world()
    talk, _ = await _with_versions(mind, "One.")
    await mind.says(talk, "Second")
    await mind.says(talk, "Third")
    log = await mind.log(talk)

    assert await mind.lore.messages.remove(talk, log[1].id) == (log[1].id,)
    assert await mind.said(talk) == ["Hello!", "Second", "Fine.", "Third", "Fine."]

    gone = await mind.lore.messages.remove(talk, log[3].id, from_here=True)
    assert gone == tuple(each.id for each in log[3:])
    assert await mind.said(talk) == ["Hello!", "Second"]
    assert (await mind.says(talk, "Fourth")).content == "Fine."


async def test_a_message_of_another_conversation_is_not_found() -> None:
    """V2."""
    mind = world()
    _, reply = await _with_versions(mind, "One.")
    other = await mind.sits_down("Rex")

    for ask in (
        mind.lore.messages.get(other.id, reply.id),
        mind.lore.messages.edit(other.id, reply.id, content="x"),
        mind.lore.messages.remove(other.id, reply.id),
        mind.lore.messages.choose(other.id, reply.id, 0),
        mind.lore.conversations.branch(other.id, reply.id),
    ):
        with pytest.raises(NotFound, match=reply.id):
            await ask


async def test_what_is_being_written_is_neither_edited_nor_deleted() -> None:
    """V2."""
    mind = world()
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits("Good ")
    writing = await mind.begins(talk, "Hello!")
    await gate.reached.wait()
    reply, messages = writing.begun, mind.lore.messages

    for ask in (
        messages.edit(talk.id, reply.id, content="x"),
        messages.choose(talk.id, reply.id, 0),
        messages.remove(talk.id, reply.id),
    ):
        with pytest.raises(Conflict, match="This reply is being written"):
            await ask
    [hello, _] = await mind.stored(talk)
    with pytest.raises(Conflict, match="being written after this message"):
        await messages.remove(talk.id, hello.id, from_here=True)

    gate.open()
    await writing.reply()
    assert await mind.said(talk) == ["Hello!", "Good "]


async def test_an_edit_that_comes_too_late_is_a_conflict_and_spoils_nothing() -> None:
    """V2: between its reading and its writing somebody had the reply written anew."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.")
    gate = mind.model.waits("Tw", after=["o."])
    late = replies.instead_of(reply, replies.edited(reply, "Edited.", NOON))
    writing = await mind.turns.regenerate(mind.scope, talk, reply.id)
    await gate.reached.wait()

    (stored,) = await mind.store.apply(mind.scope, [late])
    gate.open()

    assert stored.state is MessageState.STREAMING
    assert (await writing.reply()).alternatives == ("One.", "Two.")


# ── branches ─────────────────────────────────────────────────────────────────────────────────────


async def test_a_branch_has_all_up_to_the_message_and_nothing_after_it() -> None:
    """V2."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.", "Two.")
    await mind.lore.messages.choose(talk, reply.id, 0)
    await mind.says(talk, "And then?")

    branch = await mind.lore.conversations.branch(talk, reply.id)

    copies, log = await mind.log(branch), await mind.log(talk)
    same = ("seq", "author", "person_id", "content", "state", "alternatives", "chosen", "present", "created_at")
    assert [[getattr(each, name) for name in same] for each in copies] == [
        [getattr(each, name) for name in same] for each in log[:2]
    ]
    assert {each.id for each in copies} & {each.id for each in log} == set()
    assert (branch.branched_from_id, branch.branched_at_id, branch.message_count) == (talk, reply.id, 2)


async def test_what_is_said_in_one_branch_is_not_said_in_the_other() -> None:
    """V2."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.")
    branch = await mind.lore.conversations.branch(talk, reply.id)

    await mind.says(talk, "In the trunk")
    await mind.says(branch, "In the branch")
    [_, copy, *_] = await mind.log(branch)
    await mind.lore.messages.edit(branch.id, copy.id, content="Edited in the branch")

    assert await mind.said(talk) == ["Hello!", "One.", "In the trunk", "Fine."]
    assert await mind.said(branch) == ["Hello!", "Edited in the branch", "In the branch", "Fine."]
    await mind.lore.conversations.delete(talk)
    assert len(await mind.log(branch)) == 4


async def test_a_branch_keeps_config_cast_and_a_name_that_tells_it_apart() -> None:
    """V2."""
    mind = world()
    talk = await mind.sits_down("Mira", "Rex", memory_budget=99)
    reply = await mind.says(talk, "Hello!")
    await mind.lore.conversations.change(talk.id, title="Tea")

    branch = await mind.lore.conversations.branch(talk.id, reply.id)
    named = await mind.lore.conversations.branch(talk.id, reply.id, title="Coffee")

    assert (branch.title, named.title) == ("Tea (branch)", "Coffee")
    assert (branch.system_ids, branch.config["memory_budget"]) == (("mira", "rex"), 99)


async def test_one_can_branch_while_a_reply_is_written_but_not_from_it() -> None:
    """V2."""
    mind = world()
    talk, reply = await _with_versions(mind, "One.")
    gate = mind.model.waits("Tw")
    writing = await mind.begins(talk, "And then?")
    await gate.reached.wait()

    branch = await mind.lore.conversations.branch(talk, reply.id)
    with pytest.raises(NotFound, match="no finished message"):
        await mind.lore.conversations.branch(talk, writing.begun.id)
    gate.open()
    await writing.reply()

    assert await mind.said(branch) == ["Hello!", "One."]


# ── whatever is done to it, in whatever order ────────────────────────────────────────────────────


@dataclass
class Bench:
    """A reply on which steps are taken, with all the texts that it must never lose."""

    reply: Message = field(default_factory=lambda: message("", state=MessageState.FAILED))
    texts: list[str] = field(default_factory=list)
    number: int = 0

    def new_text(self) -> str:
        self.number += 1
        return f"Text {self.number}."

    def begin(self, *, more: bool) -> Message:
        begun = replies.going_on if more else replies.begun_again
        reply = begun(self.reply, NOON, HOLDER)
        assert reply.state is MessageState.STREAMING
        assert reply.metadata["holder"] == HOLDER
        return reply

    def take(self, step: str, more: bool, words: bool) -> None:
        if step == "choose":
            if self.reply.alternatives:
                index = self.number % len(self.reply.alternatives)
                self.reply = replies.chosen(self.reply, index, NOON)
        elif step == "edit":
            if self.reply.content:
                text = self.new_text()
                self.texts.remove(self.reply.content)
                self.texts.append(text)
                self.reply = replies.edited(self.reply, text, NOON)
        else:
            self.write(step, self.begin(more=more), words=words or step == "complete")

    def write(self, step: str, begun: Message, *, words: bool) -> None:
        content = begun.content + (self.new_text() if words else "")
        if words:
            if begun.content:
                self.texts.remove(begun.content)
            self.texts.append(content)
        source = replies.ReplySource("m", built_in=False, end=End())
        self.reply = {
            "complete": lambda: replies.complete(begun, content, source, 3, NOON),
            "stop": lambda: replies.stopped(begun, content, NOON),
            "fail": lambda: replies.failed(begun, content, "No.", NOON),
            "break off": lambda: replies.broken_off(replies.written_so_far(begun, content, NOON), NOON),
        }[step]()


STEPS = st.tuples(
    st.sampled_from(["complete", "stop", "fail", "break off", "choose", "edit"]), st.booleans(), st.booleans()
)


@settings(deadline=None)
@given(st.lists(STEPS, max_size=14))
def test_no_text_is_ever_lost_and_the_versions_stay_in_order(steps: list[tuple[str, bool, bool]]) -> None:
    """V2: the promise at the top of replies.py, for any story."""
    bench = Bench()

    for step, more, words in steps:
        bench.take(step, more, words)
        reply = bench.reply

        assert sorted(reply.alternatives or ([reply.content] if reply.content else [])) == sorted(bench.texts)
        assert len(reply.alternatives) != 1
        assert reply.content == (reply.alternatives[reply.chosen] if reply.alternatives else reply.content)
        assert reply.alternatives or reply.chosen == 0
        assert reply.state is not MessageState.STREAMING
        assert not {"holder", "before"} & set(reply.metadata)


@settings(deadline=None, max_examples=look(60, 500))
@given(st.lists(STEPS, max_size=8))
async def test_the_same_holds_of_a_real_conversation(steps: list[tuple[str, bool, bool]]) -> None:
    """V2: through the whole of a turn, store and all."""
    mind = world()
    talk = await mind.sits_down("Mira")
    reply = await mind.says(talk, "Hello!")
    texts = ["Fine."]

    for number, (step, more, words) in enumerate(steps):
        before, text = reply, f"Text {number}."
        if step == "choose":
            index = number % max(len(reply.alternatives), 1)
            reply = await mind.lore.messages.choose(talk.id, reply.id, index)
        elif step == "edit":
            texts.remove(reply.content)
            texts.append(text)
            reply = await mind.lore.messages.edit(talk.id, reply.id, content=text)
        else:
            said = [text] if words or step == "complete" else []
            gate = mind.model.waits(*said, after=[HUNG_UP] if step == "fail" else [])
            begin = mind.turns.go_on if more else mind.turns.regenerate
            writing = await begin(mind.scope, talk.id, reply.id)
            await gate.reached.wait()
            if step in ("complete", "fail"):
                gate.open()
            else:
                await mind.stops(talk)
            reply = await writing.reply()
            if said:
                texts = [each for each in texts if not (more and each == before.content)]
                texts.append(before.content + text if more else text)

        stored = (await mind.stored(talk))[-1]
        assert stored == reply
        assert sorted(reply.alternatives or [reply.content]) == sorted(texts)
        assert replace(reply, alternatives=reply.alternatives or (reply.content,)).alternatives[reply.chosen] == (
            reply.content
        )
    assert len(await mind.log(talk)) == 2
