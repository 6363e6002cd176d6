"""One turn: what is kept before the model is asked, and what is left when anything fails (V1)."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from everlore.domain.conversation import Author, Conversation, ConversationState, Message, MessageState
from everlore.domain.event import Event, EventState
from everlore.domain.memory import Memory
from everlore.errors import (
    BadAsk,
    Conflict,
    Misconfigured,
    ModelMisbehaved,
    ModelUnavailable,
    NotFound,
    PromptTooLong,
)
from everlore.models.chat import End, Reason
from everlore.store.port import Amend, Change, Put
from everlore.turn import replies
from tests.turn.world import World, world

COMPLETE, STREAMING, STOPPED, FAILED = (
    MessageState.COMPLETE,
    MessageState.STREAMING,
    MessageState.STOPPED,
    MessageState.FAILED,
)


def _ends_a_reply(changes: Sequence[Change]) -> bool:
    return any(isinstance(each, Amend) and each.fields.get("state") in (COMPLETE, FAILED, STOPPED) for each in changes)


def _saves_a_part(changes: Sequence[Change]) -> bool:
    return any(isinstance(each, Amend) and each.fields.get("state") is STREAMING for each in changes)


# ── what is kept, and when ───────────────────────────────────────────────────────────────────────


async def test_the_message_and_an_empty_reply_are_kept_before_the_model_is_asked() -> None:
    """V1."""
    mind = world()
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits()

    writing = await mind.begins(talk, "Hello!")
    await gate.reached.wait()

    message, reply = await mind.stored(talk)
    assert (message.author, message.content, message.state) == (Author.USER, "Hello!", COMPLETE)
    assert (reply.author, reply.content, reply.state) == (Author.ASSISTANT, "", STREAMING)
    assert writing.user_message == message
    gate.open()
    await writing.reply()


async def test_a_prompt_that_is_refused_for_its_length_is_made_shorter_of_what_was_fetched_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """V1, P9."""
    mind = world()
    talk = await mind.sits_down("Mira")
    searches = 0
    search_all = mind.store.search_all

    async def counted(*asked: Any) -> Any:
        nonlocal searches
        searches += 1
        return await search_all(*asked)

    monkeypatch.setattr(mind.store, "search_all", counted)
    mind.model.answers(PromptTooLong("It is too long.", window=2_048))
    mind.model.answers("Good morning.")

    reply = await mind.says(talk, "Hello!")

    assert (reply.content, reply.state) == ("Good morning.", COMPLETE)
    assert len(mind.model.asks) == 2
    assert searches == 1


async def test_a_reply_says_who_wrote_it_and_what_it_cost() -> None:
    """V1."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.model.answers("Good ", "morning.", End(Reason.LENGTH, prompt_tokens=90, reply_tokens=3))

    reply = await mind.says(talk, "Hello!")

    assert (reply.content, reply.state, reply.error, reply.tokens) == ("Good morning.", COMPLETE, "", 3)
    assert reply.metadata == {
        "model": "scripted",
        "built_in": False,
        "finish": "length",
        "prompt_tokens": 90,
        "reply_tokens": 3,
    }
    assert reply == (await mind.stored(talk))[-1]


async def test_a_model_that_does_not_count_is_counted_for() -> None:
    """V1."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.model.answers("Good morning.", End())

    assert (await mind.says(talk, "Hello!")).tokens == mind.resources.tokenizer.count("Good morning.")


async def test_the_conversation_that_was_spoken_in_last_is_listed_first() -> None:
    """V1."""
    mind = world()
    first, second = await mind.sits_down("Mira"), await mind.sits_down("Mira")
    mind.clock.pass_time(10)
    await mind.says(first, "Hello!")

    listed = (await mind.lore.conversations.list()).items

    assert [each.id for each in listed] == [first.id, second.id]


async def test_an_empty_message_is_refused_and_nothing_is_kept() -> None:
    """V1."""
    mind = world()
    talk = await mind.sits_down("Mira")

    with pytest.raises(BadAsk, match=r"The message is empty\. Say something"):
        await mind.says(talk, " \n ")
    with pytest.raises(BadAsk, match="The message is empty"):
        await mind.turns.note(mind.scope, talk.id, "")

    assert await mind.said(talk) == []


async def test_a_message_that_no_store_takes_is_refused_and_the_talk_goes_on() -> None:
    """V1."""
    mind = world()
    talk = await mind.sits_down("Mira")

    with pytest.raises(BadAsk, match="NUL"):
        await mind.says(talk, "Hel\x00lo")

    assert (await mind.says(talk, "Hello")).content == "Fine."
    assert await mind.said(talk) == ["Hello", "Fine."]


async def test_a_note_is_kept_and_not_answered() -> None:
    """V1."""
    mind = world()
    talk = await mind.sits_down("Mira")

    note = await mind.turns.note(mind.scope, talk.id, "It rains.", author=Author.SYSTEM)

    assert (note.content, note.author, note.person_id) == ("It rains.", Author.SYSTEM, None)
    assert await mind.log(talk) == [note]
    assert mind.model.asks == []
    await mind.says(talk, "Do you hear it?")
    assert "[system] It rains." in mind.model.prompt


@pytest.mark.parametrize("state", [ConversationState.CLOSED, ConversationState.ARCHIVED])
async def test_a_message_reopens_a_conversation(state: ConversationState) -> None:
    """V1: whoever speaks wants to go on; its event goes on with it (K5)."""
    mind = world()
    talk = await mind.sits_down("Mira")
    await mind.says(talk, "Hello!")
    await mind.lore.conversations.change(talk.id, state=state)

    reply = await mind.says(talk, "One more thing.")

    after = await mind.lore.conversations.get(talk.id)
    event = (await mind.lore.events.list(conversation=talk.id)).items[0]
    assert reply.state is COMPLETE
    assert (after.state, after.closed_at) == (ConversationState.OPEN, None)
    assert (event.state, event.ended_at) == (EventState.IN_PROGRESS, None)


async def test_a_note_and_another_version_of_a_reply_reopen_a_conversation_too() -> None:
    """V1, V3."""
    mind = world()
    talk = await mind.sits_down("Mira")
    reply = await mind.says(talk, "Hello!")

    await mind.lore.conversations.close(talk.id)
    await mind.turns.note(mind.scope, talk.id, "It rains.")
    assert (await mind.lore.conversations.get(talk.id)).state is ConversationState.OPEN
    await mind.lore.conversations.close(talk.id)
    await (await mind.turns.regenerate(mind.scope, talk.id, reply.id)).reply()

    assert (await mind.lore.conversations.get(talk.id)).state is ConversationState.OPEN


async def test_a_message_that_is_refused_leaves_a_closed_conversation_closed() -> None:
    """V1."""
    mind = world()
    talk = await mind.sits_down("Mira")
    closed = await mind.lore.conversations.close(talk.id)

    with pytest.raises(BadAsk):
        await mind.says(talk, "  ")
    with pytest.raises(NotFound):
        await mind.turns.note(mind.scope, talk.id, "Hello!", person_id="nobody")

    assert await mind.lore.conversations.get(talk.id) == closed


async def test_an_unknown_conversation_is_said_to_be_unknown() -> None:
    """V1."""
    mind = world()

    with pytest.raises(NotFound, match="'nowhere'"):
        await mind.says("nowhere", "Hello!")


async def test_whoever_heard_the_end_can_speak_at_once() -> None:
    """V2: the place is free before the end is told."""
    mind = world()
    talk = await mind.sits_down("Mira")

    for number in range(5):
        writing = await mind.begins(talk, f"Message {number}")
        async for _ in writing.pieces():
            pass

    assert len(await mind.log(talk)) == 10


# ── failures ─────────────────────────────────────────────────────────────────────────────────────


def _no_model(mind: World) -> None:
    mind.models.error = Misconfigured("There is no model 'x'. Choose another one.")


def _no_recall(mind: World) -> None:
    mind.store.reads_fail = True


def _no_first_word(mind: World) -> None:
    mind.model.answers(ModelUnavailable("The server is down. Start it."))


def _no_second_word(mind: World) -> None:
    mind.model.answers("Good ", ModelMisbehaved("The server hung up. Try again."))


def _no_word_at_all(mind: World) -> None:
    mind.model.answers("  \n")


def _only_thoughts(mind: World) -> None:
    mind.model.answers("<think>What would she say?</think>\n")


def _something_of_ours(mind: World) -> None:
    mind.model.answers("Good ", RuntimeError("secret details"))


FAILURES = [
    (_no_model, "There is no model 'x'. Choose another one.", ""),
    (_no_recall, "The disk cannot be read.", ""),
    (_no_first_word, "The server is down. Start it.", ""),
    (_no_second_word, "The server hung up. Try again.", "Good "),
    (_no_word_at_all, "scripted returned an empty reply. Try again, or choose another model.", ""),
    (_only_thoughts, "scripted returned reasoning but no reply.", "<think>What would she say?</think>\n"),
    (_something_of_ours, "Something unexpected happened while the reply was written.", "Good "),
]


@pytest.mark.parametrize(("breaks", "sentence", "part"), FAILURES)
async def test_whatever_fails_the_message_stays_the_reply_says_why_and_it_can_be_tried_again(
    breaks: Any, sentence: str, part: str
) -> None:
    """V1: nothing is lost, nothing doubled."""
    mind = world()
    talk = await mind.sits_down("Mira")
    breaks(mind)

    failed = await mind.says(talk, "Hello!")

    assert (failed.state, failed.content) == (FAILED, part)
    assert failed.error.startswith(sentence)
    assert "secret" not in failed.error
    assert await mind.said(talk) == ["Hello!", part]

    mind.models.error, mind.store.reads_fail = None, False
    again = await mind.again(talk, failed)

    assert (again.id, again.content, again.state, again.error) == (failed.id, "Fine.", COMPLETE, "")
    assert [each.author for each in await mind.log(talk)] == [Author.USER, Author.ASSISTANT]
    assert again.alternatives == ((part, "Fine.") if part else ())


async def test_a_reply_that_failed_raises_in_the_library_with_the_same_sentence() -> None:
    """V1."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.model.answers("Good ", ModelMisbehaved("The server hung up. Try again."))

    heard = []
    with pytest.raises(ModelMisbehaved, match="The server hung up"):
        async for piece in mind.lore.say(talk, "Hello!"):
            heard.append(piece)

    assert "".join(heard).strip() == "Good"
    assert [piece async for piece in mind.lore.say(talk, "Hello?")] == ["Fine."]


async def test_a_store_that_fails_at_the_end_leaves_what_the_next_read_mends() -> None:
    """V1, V12."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.store.fails_if = _ends_a_reply

    failed = await mind.says(talk, "Hello!")

    assert (failed.state, failed.content, failed.error) == (FAILED, "Fine.", "The disk is full.")
    assert (await mind.stored(talk))[-1].state is STREAMING

    mind.store.fails_if = lambda _: False
    mended = (await mind.log(talk))[-1]
    assert (mended.state, mended.error) == (STOPPED, replies.BROKEN_OFF)
    assert (await mind.again(talk, mended)).content == "Fine."


async def test_after_a_store_that_failed_at_the_end_one_can_go_on_talking() -> None:
    """V1: also without a look at the log."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.store.fails_if = _ends_a_reply
    await mind.says(talk, "Hello!")
    mind.store.fails_if = lambda _: False

    assert (await mind.says(talk, "Are you there?")).content == "Fine."


async def test_a_store_that_fails_at_the_beginning_keeps_nothing_and_holds_up_nobody() -> None:
    """V1."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.store.fails_if = lambda _: True

    with pytest.raises(Exception, match="The disk is full"):
        await mind.says(talk, "Hello!")
    mind.store.fails_if = lambda _: False

    assert await mind.said(talk) == []
    assert (await mind.says(talk, "Hello!")).state is COMPLETE


async def test_a_part_that_cannot_be_saved_does_not_end_the_reply() -> None:
    """V1: the copy is for the worst case only."""
    mind = world(save_every_s=0.001)
    talk = await mind.sits_down("Mira")
    refused = asyncio.Event()

    def refuse(changes: Sequence[Change]) -> bool:
        if _saves_a_part(changes):
            refused.set()
            return True
        return False

    mind.store.fails_if = refuse
    gate = mind.model.waits("Good ", after=["morning."])
    writing = await mind.begins(talk, "Hello!")
    await refused.wait()
    gate.open()

    assert (await writing.reply()).content == "Good morning."


async def test_what_a_model_writes_that_no_store_takes_is_left_out() -> None:
    """V1: a NUL or half a character must not cost the reply."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.model.answers("Good\x00 mor", "ning\ud83d.")

    reply = await mind.says(talk, "Hello!")

    assert (reply.content, reply.state) == ("Good morning?.", COMPLETE)


async def test_an_error_that_no_store_takes_is_told_all_the_same() -> None:
    """V1."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.model.answers(ModelMisbehaved("It said \x00\ud800: " + "x" * 5_000))

    reply = await mind.says(talk, "Hello!")

    assert (reply.state, len(reply.error)) == (FAILED, 1_000)
    assert reply.error.startswith("It said ?: xxx")


async def test_a_model_that_writes_without_end_is_ended() -> None:
    """V1."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.model.answers(*["word " * 50_000] * 10)

    reply = await mind.says(talk, "Hello!")

    assert (reply.state, mind.model.left_early) == (FAILED, 1)
    assert "did not end by itself" in reply.error
    assert reply.content.startswith("word word")


async def test_a_conversation_with_the_longest_id_is_answered_and_named() -> None:
    """V11, V7: clients choose the ids."""
    mind = world()
    talk = await mind.sits_down("Mira", id="c" * 128, auto_title=True)

    reply = await mind.says(talk, "Hello!")
    await mind.works()

    assert reply.state is COMPLETE
    assert (await mind.talk(talk)).title


# ── what the model is asked ──────────────────────────────────────────────────────────────────────


async def test_the_model_is_told_how_large_its_window_is() -> None:
    """V6: a server that is not told would cut the beginning off a long prompt."""
    mind = world()
    talk = await mind.sits_down("Mira", context_window=4_096, response_reserve=500)

    await mind.says(talk, "Hello!")

    assert (mind.model.asks[0].context_window, mind.model.asks[0].max_tokens) == (4_096, 500)


async def test_a_character_that_speaks_first_is_asked_as_if_somebody_had_come_in() -> None:
    """V6: start_mode."""
    mind = world()
    mind.model.answers("Welcome, stranger.")
    talk = await mind.sits_down("Mira", start_mode="system")
    writing = mind.turns.writing(mind.scope, talk.id)
    if writing is not None:
        await writing.reply()

    assert await mind.said(talk) == ["Welcome, stranger."]
    assert [said.role for said in mind.model.asks[0].messages] == ["system", "user"]


async def test_what_is_remembered_reaches_the_prompt() -> None:
    """V1: recall, then compose."""
    mind = world()
    talk = await mind.sits_down("Mira")
    await mind.lore.remember("The user is allergic to peanuts.")

    await mind.says(talk, "What am I allergic to?")

    assert mind.model.prompt.count("The user is allergic to peanuts.") == 1
    assert [each.content for each in mind.model.asks[0].scene.memories] == ["The user is allergic to peanuts."]  # type: ignore[union-attr]


async def test_nothing_is_pruned_from_the_log_however_little_a_prompt_holds() -> None:
    """V3."""
    mind = world()
    talk = await mind.sits_down("Mira", message_trim=2)

    for number in range(15):
        await mind.says(talk, f"Message {number}")

    assert len(await mind.log(talk)) == 30
    word_for_word = [said.content for said in mind.model.asks[-1].messages if said.role == "user"]
    assert word_for_word[0] == "Message 13"
    assert (await mind.said(talk))[0] == "Message 0"


async def test_without_pruning_the_model_sees_all_that_fits() -> None:
    """V3, V6."""
    mind = world()
    talk = await mind.sits_down("Mira", prune=False)

    for number in range(15):
        await mind.says(talk, f"Message {number}")

    assert "Message 0" in mind.model.prompt


async def test_a_hidden_message_stays_in_the_log_and_out_of_the_prompt() -> None:
    """V2."""
    mind = world()
    talk = await mind.sits_down("Mira")
    await mind.says(talk, "My code is 1234.")
    [first, _] = await mind.log(talk)
    await mind.lore.messages.edit(talk.id, first.id, hidden=True)

    await mind.says(talk, "Hello again!")

    assert "1234" not in mind.model.prompt
    scene = mind.model.asks[-1].scene
    assert scene is not None
    assert first.id not in {each.id for each in scene.history}
    assert (await mind.said(talk))[0] == "My code is 1234."


# ── several at once ──────────────────────────────────────────────────────────────────────────────


async def test_a_second_message_while_a_reply_is_written_is_a_conflict() -> None:
    """V2."""
    mind = world()
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits("Good ")
    writing = await mind.begins(talk, "Hello!")
    await gate.reached.wait()

    for ask in (
        mind.begins(talk, "Hello?"),
        mind.turns.regenerate(mind.scope, talk.id, writing.begun.id),
        mind.turns.go_on(mind.scope, talk.id, writing.begun.id),
        mind.turns.open(mind.scope, talk.id),
        mind.turns.note(mind.scope, talk.id, "It rains."),
    ):
        with pytest.raises(Conflict, match="being written"):
            await ask

    gate.open()
    await writing.reply()
    assert await mind.said(talk) == ["Hello!", "Good "]


async def test_of_many_messages_at_the_same_moment_one_is_answered() -> None:
    """V2: the place is taken before anything is waited for."""
    mind = world()
    talk = await mind.sits_down("Mira")

    results = await asyncio.gather(
        *(mind.begins(talk, f"Message {number}") for number in range(5)), return_exceptions=True
    )

    begun = [each for each in results if not isinstance(each, BaseException)]
    assert len(begun) == 1
    assert all(isinstance(each, Conflict) for each in results if each not in begun)
    await begun[0].reply()
    assert len(await mind.log(talk)) == 2


async def test_a_conversation_can_be_deleted_while_a_reply_is_written() -> None:
    """V2: nothing of it comes back."""
    mind = world()
    talk = await mind.sits_down("Mira", auto_title=True)
    gate = mind.model.waits("Good ")
    await mind.begins(talk, "Hello!")
    await gate.reached.wait()

    await mind.lore.conversations.delete(talk.id)
    await mind.works()

    with pytest.raises(NotFound):
        await mind.talk(talk)
    assert await mind.stored(talk) == []
    assert mind.model.left_early == 1
    assert (await mind.store.queue(mind.scope)).pending == 0


async def test_a_conversation_that_another_process_deletes_ends_its_reply() -> None:
    """V2."""
    mind = world(save_every_s=0.001)
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits("Good ", after=["morning", "."])
    writing = await mind.begins(talk, "Hello!")
    await gate.reached.wait()

    await mind.reborn(mind.holder).lore.conversations.delete(talk.id)
    gate.open()
    reply = await writing.reply()

    assert reply.state in (FAILED, COMPLETE)
    assert await mind.stored(talk) == []
    assert mind.turns.writing(mind.scope, talk.id) is None


async def test_the_last_reply_ends_in_order_when_all_is_closed() -> None:
    """V12."""
    mind = world()
    talk = await mind.sits_down("Mira")
    gate = mind.model.waits("Good ")
    writing = await mind.begins(talk, "Hello!")
    await gate.reached.wait()

    await mind.turns.close()

    assert (await writing.reply()).state is STOPPED
    assert [(each.content, each.state) for each in await mind.stored(talk)] == [
        ("Hello!", COMPLETE),
        ("Good ", STOPPED),
    ]


async def test_records_never_hold_more_than_one_reply_for_a_message() -> None:
    """V1: a turn is two messages, whatever came of it."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.model.answers(ModelMisbehaved("No."))
    failed = await mind.says(talk, "One")
    mind.model.answers(ModelMisbehaved("No."))
    await mind.again(talk, failed)
    await mind.again(talk, failed)
    await mind.says(talk, "Two")

    assert [(each.seq, each.content) for each in await mind.log(talk)] == [
        (1, "One"),
        (2, "Fine."),
        (3, "Two"),
        (4, "Fine."),
    ]
    assert await mind.store.count(mind.scope, Memory) == 0
    assert await mind.store.count(mind.scope, Message) == 4
    assert (await mind.talk(talk)).message_count == 4


async def test_the_first_change_of_a_turn_is_one_list() -> None:
    """V1: a message without its reply, or the other way round, cannot come about."""
    mind = world()
    talk = await mind.sits_down("Mira")
    before = len(mind.store.applied)

    await mind.says(talk, "Hello!")

    first = mind.store.applied[before]
    assert [type(each) for each in first] == [Put, Put, Put, Amend]
    assert isinstance(first[2], Put)
    assert isinstance(first[2].record, Event)
    assert isinstance(first[3], Amend)
    assert first[3].kind is Conversation
