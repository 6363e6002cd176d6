"""What people with a part of a workspace could look at that is not theirs, and what is gathered for one person of what
others have (C6, M3, M15, P12, R11, V13)."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from everlore.app import Everlore
from everlore.domain.campaign import Campaign
from everlore.domain.event import EventType
from everlore.domain.memory import Memory, MemoryType, Visible
from everlore.domain.policy import Role
from everlore.store.port import Put
from tests.leaks.terminal import run
from tests.leaks.test_holes import WALRUS, home
from tests.turn.test_gossip import meet, shared, sit
from tests.turn.world import HERE, World, on_sqlite


def seen_by(mind: World, person: str) -> Everlore:
    """The same Everlore for a member who is this person."""
    return mind.lore.seen_by(replace(mind.lore.scope, role=Role.MEMBER, person_id=person))


async def test_the_words_that_a_memory_came_from_are_for_those_who_may_read_them() -> None:
    """M5, V13: Eve has a part in what was learnt while Bob and Mira talked alone."""
    mind = await home()
    talk = await sit(mind, "bob", "mira")
    said = await mind.turns.note(mind.scope, talk.id, WALRUS)
    memory = await shared(mind, "Eve would like the tooth.", "bob", "eve", source_message_ids=(said.id,))

    assert await seen_by(mind, "eve").memories.source(memory.id) == ()
    assert [each.content for each in await seen_by(mind, "bob").memories.source(memory.id)] == [WALRUS]


async def test_the_history_of_a_memory_begins_for_somebody_when_it_became_theirs() -> None:
    """M6, R11."""
    mind = await home()
    memory = await shared(mind, WALRUS, "bob", "mira")
    await mind.lore.edit(memory.id, content="Bob gave the tooth away.")
    await mind.lore.edit(memory.id, persons=("eve", "mira"))
    await mind.lore.edit(memory.id, content="Eve has the tooth.")

    told = [each.before.content for each in await seen_by(mind, "eve").history(memory.id)]

    assert told == ["Bob gave the tooth away."]
    assert len(await mind.lore.history(memory.id)) == 3


async def test_the_x_ray_of_a_reply_says_what_was_told_then() -> None:
    """P12, R11: the memory is others' since, and so is what it says now."""
    mind = await home()
    memory = await shared(mind, WALRUS, "bob", "mira", importance=9)
    talk = await sit(mind, "bob", "mira")
    await mind.says(talk, "What do you know of a walrus tooth?")
    mind.clock.pass_time(60)
    await mind.lore.edit(memory.id, persons=("eve", "rex"), content="Eve and Rex sold the narwhal.")

    seen = str((await seen_by(mind, "bob").x_rays.of(talk.id)).account)

    assert "narwhal" not in seen
    assert WALRUS in seen


async def test_the_x_ray_shows_a_member_what_they_know_themselves() -> None:
    """P12, R11: Mira thinks of what she keeps to herself; the one who runs the workspace sees it, and Bob does not."""
    mind = await home()
    talk = await sit(mind, "bob", "mira")
    await shared(mind, WALRUS, "mira", importance=9)
    await shared(mind, "Bob and Mira look for a tooth.", "bob", "mira", importance=9)
    said = "Where would a walrus tooth be?"
    await mind.says(talk, said)

    seen, whole = seen_by(mind, "bob").x_rays, mind.lore.x_rays
    for theirs, all_of_it in (
        (await seen.of(talk.id), await whole.of(talk.id)),
        (await seen.would_be(talk.id, said), await whole.would_be(talk.id, said)),
    ):
        assert WALRUS in str(all_of_it)
        assert WALRUS not in str(theirs)
        assert "Bob and Mira look for a tooth." in str(theirs)
        assert "not yours to read: 1 left out." in str(theirs.account["warnings"])


async def test_what_was_learnt_long_ago_is_shown_to_those_who_know_it() -> None:
    """P10, P12, R11: in what is told in short of the old part of a talk."""
    mind = await home()
    talk = await sit(mind, "bob", "mira", message_trim=4)
    said = await mind.turns.note(mind.scope, talk.id, "Oh well, the sea is grey today.")
    of = {"conversation_id": talk.id, "source_message_ids": (said.id,)}
    await shared(mind, WALRUS, "mira", **of)
    await shared(mind, "Bob wants to sail to Greenland.", "bob", "mira", **of)
    for number in range(60):
        await mind.turns.note(mind.scope, talk.id, f"Line {number} is about the weather.")

    theirs = str(await seen_by(mind, "bob").x_rays.would_be(talk.id, "Go on."))
    all_of_it = str(await mind.lore.x_rays.would_be(talk.id, "Go on."))

    assert "Learnt then: Bob wants to sail to Greenland." in theirs
    assert "walrus" in all_of_it
    assert "walrus" not in theirs


async def test_what_a_character_would_know_is_shown_as_far_as_it_is_known() -> None:
    """R11: without a prompt around it."""
    mind = await home()
    talk = await sit(mind, "bob", "mira")
    await shared(mind, WALRUS, "mira", importance=9)
    await shared(mind, "Bob and Mira look for a tooth.", "bob", "mira", importance=9)

    theirs = await seen_by(mind, "bob").x_rays.known(talk.id, "Where would a walrus tooth be?")
    all_of_it = await mind.lore.x_rays.known(talk.id, "Where would a walrus tooth be?")

    assert {each.content for each in theirs.memories} == {"Bob and Mira look for a tooth."}
    assert len(all_of_it.memories) == 2


async def test_a_secret_of_a_campaign_is_told_to_those_who_share_it() -> None:
    """P11, R11: Rex keeps what Mira is not to know, though both are of the campaign; canon is for both."""
    mind = await home()
    now = mind.clock()
    at: dict[str, Any] = {"workspace": HERE, "created_at": now, "updated_at": now}
    bell = Campaign(id="bell", name="The Drowned Bell", player_ids=("bob",), **at)
    kept: dict[str, Any] = {"campaign_id": "bell", "type": MemoryType.PREMISE}
    canon = Memory(id="canon", content="The bell was sunk by its founder.", **kept, **at)
    await mind.store.apply(mind.scope, [Put(bell), Put(canon)])
    await shared(mind, WALRUS, "rex", visibility=Visible.SECRET, **kept)
    await shared(mind, "Someone drew an otter.", "rex", visibility=Visible.PRIVATE, **kept)
    await shared(mind, "Rex heard a heron.", "rex", **kept)

    talks = {name: await sit(mind, "bob", name) for name in ("mira", "rex")}
    await mind.store.apply(mind.scope, [Put(replace(talk, campaign_id="bell")) for talk in talks.values()])

    told = {name: str(await mind.lore.x_rays.would_be(talk.id, "Where is the bell?")) for name, talk in talks.items()}
    theirs = str(await seen_by(mind, "bob").x_rays.would_be(talks["rex"].id, "Where is the bell?"))

    assert "sunk by its founder" in told["mira"]
    assert WALRUS not in told["mira"]
    assert "heron" not in told["mira"]
    assert WALRUS in told["rex"]
    assert "heron" in told["rex"]
    assert "otter" not in told["mira"] + told["rex"]
    assert "sunk by its founder" in theirs
    assert WALRUS not in theirs
    assert "heron" not in theirs


async def test_the_focus_of_a_talk_is_what_the_asker_heard() -> None:
    """C6, V13: Rex was out of the room."""
    mind = await home()
    talk = await sit(mind, "bob", "mira", "rex")
    await mind.lore.conversations.change(talk.id, present=["bob", "mira"])
    await mind.turns.note(mind.scope, talk.id, WALRUS)

    assert (await mind.lore.context(conversation=talk, person="mira")).current_focus == WALRUS
    assert "walrus" not in str(await mind.lore.context(conversation=talk, person="rex"))


async def test_the_context_for_somebody_has_no_titles_and_tasks_of_others() -> None:
    """C6, R11."""
    mind = await home()
    talk = await sit(mind, "bob", "mira")
    await mind.lore.conversations.change(talk.id, title="The walrus tooth")
    await mind.lore.events.capture(EventType.TASK, "Sell the walrus tooth", conversation=talk, in_progress=True)

    assert "walrus" in str((await mind.lore.context(person="mira")).recent_topics)
    assert "walrus" in str((await mind.lore.context(person="mira")).active_tasks)
    assert "walrus" not in str(await mind.lore.context(person="rex"))


async def test_a_line_that_is_hidden_from_prompts_is_in_no_context() -> None:
    """C6: which goes into a prompt."""
    mind = await home()
    talk = await sit(mind, "bob", "mira")
    said = await mind.turns.note(mind.scope, talk.id, WALRUS)
    assert "walrus" in await _given(mind, "a tooth under the stairs")

    await mind.lore.messages.edit(talk.id, said.id, hidden=True)

    assert "walrus" not in await _given(mind, "a tooth under the stairs")


async def _given(mind: World, query: str) -> str:
    return str(await mind.lore.context(query, person="mira", include=["message"]))


async def test_the_command_line_recalls_no_version_of_a_reply_that_was_taken_back(tmp_path: Path) -> None:
    """M15, R11."""
    mind = await on_sqlite(tmp_path / "everlore.db")
    for name in ("bob", "mira"):
        await meet(mind, name)
    talk = await sit(mind, "bob", "mira")
    mind.model.answers(WALRUS)
    reply = await mind.says(talk, "What of the stairs?")
    mind.model.answers("The stairs creak.")
    await mind.again(talk, reply)

    place = ("--db", str(tmp_path / "everlore.db"), "--workspace", HERE)
    asked = ("recall", *place, "--person", "mira", "--include", "messages", "--json", "the stairs creak")
    code, out, _ = await asyncio.to_thread(run, asked)
    await mind.store.close()

    assert code == 0
    assert "The stairs creak." in {each["content"] for each in json.loads(out)["items"]}
    assert "walrus" not in out.decode()
