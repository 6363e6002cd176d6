"""What is learnt of a talk, quietly and truly, with a model and without one (F1–F8, O1, M10, M11, M15, M16)."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from everlore.domain.conversation import Conversation
from everlore.domain.job import JobState
from everlore.domain.memory import Category, Durability, Memory, Origin, Status
from everlore.domain.reading import Filter, refusals_of
from everlore.domain.revision import Why
from everlore.errors import BadAsk, ModelUnavailable
from everlore.learning.jobs import FACTS
from everlore.models.voice import Voice
from everlore.settings import ChatSettings, ExtractionSettings
from everlore.store.port import Amend, Put, Touch
from tests.turn.world import Scripted, World, settings_of, world

LEARNER = "learner"


def offline(**given: Any) -> World:
    """No model at all: the built-in voice answers, and rules learn."""
    return world(settings=settings_of(chat=ChatSettings(provider="voice")), **given)


def learner(mind: World) -> Scripted:
    """The model that forms memories, apart from the one that replies."""
    return mind.models.named.setdefault(LEARNER, Scripted(LEARNER))  # type: ignore[return-value]


async def talk_with(mind: World, *names: str, **config: Any) -> Conversation:
    given = {"extract_memories": True, "extraction_model": LEARNER if mind.models.named else "", **config}
    return await mind.sits_down(*(names or ("Nova",)), **given)


async def memories(mind: World, status: Status = Status.ACTIVE) -> list[Memory]:
    page = await mind.store.find(mind.scope, Memory, {"status": status.value}, limit=1000)
    return list(page.items)


async def known(mind: World, status: Status = Status.ACTIVE) -> list[str]:
    return sorted(each.content for each in await memories(mind, status))


# A model that is not probed, and whose evidence is enough.
BELIEVED = settings_of(extraction=ExtractionSettings(trust="plain"))


def facts(*contents: str, category: str = "personal_info", confidence: float = 0.95, quote: str = "") -> str:
    fields = {"category": category, "confidence": confidence, "quote": quote, "reasoning": "The user said so."}
    return json.dumps([{"content": content, **fields} for content in contents])


# ── without a model ──────────────────────────────────────────────────────────────────────────────


async def test_with_no_model_at_all_stated_facts_are_learnt() -> None:
    """O1, F1, F2, M5: and each of them leads back to its message."""
    mind = offline()
    talk = await talk_with(mind)

    await mind.says(talk, "Hi! I'm Sarah and I live in Seattle.")
    await mind.works()

    assert await known(mind) == ["User lives in Seattle", "User's name is Sarah"]
    home = next(each for each in await memories(mind) if "Seattle" in each.content)
    assert (home.origin, home.category, home.confidence) == (Origin.EXTRACTOR, Category.PERSONAL_INFO, 0.95)
    assert set(home.persons) == {"nova", (await mind.lore.user()).id}
    assert [each.content for each in await mind.lore.memories.source(home.id)] == [
        "Hi! I'm Sarah and I live in Seattle."
    ]


_TOLD_IN_ORDER = (
    "Hi! I'm Sarah and I live in Seattle.",
    "My brother Bram is a nurse.",
    "I live in Seattle, as I said.",
    "Bram lives in Oslo.",
    "I moved to Portland.",
    "I have a dog called Rex.",
    "I no longer have a dog.",
    "What do you think?",
)


async def test_messages_that_are_read_together_teach_the_same_as_one_after_the_other() -> None:
    """M16, M8: what the earlier ones teach is known to the later ones, though it is not kept yet."""
    learnt = []
    for waits in (False, True):
        mind = offline()
        talk = await talk_with(mind)
        for text in _TOLD_IN_ORDER:
            await mind.says(talk, text)
            if not waits:
                await mind.works()
        await mind.works()
        found = (await mind.store.find(mind.scope, Memory, limit=100)).items
        learnt.append(
            sorted((each.content, each.status, each.valid_to is None, len(each.source_message_ids)) for each in found)
        )

    assert learnt[0] == learnt[1]
    assert {content for content, status, *_ in learnt[1] if status is Status.ACTIVE} >= {
        "User moved to Portland",
        "User's brother Bram lives in Oslo",
    }


async def test_what_becomes_private_while_messages_are_read_together_is_not_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F6: the other messages are, one by one."""
    mind = offline()
    secret, other = await talk_with(mind), await talk_with(mind, "Lyra")
    await mind.says(secret, "I live in Seattle.")
    await mind.says(other, "I have a dog called Rex.")
    count = mind.store.count

    async def meanwhile(*given: Any, **named: Any) -> Any:
        monkeypatch.undo()
        await mind.store.apply(mind.scope, [Amend(Conversation, secret.id, {"private": True})])
        return await count(*given, **named)

    monkeypatch.setattr(mind.store, "count", meanwhile)
    await mind.works()

    assert await known(mind) == ["User has a dog called Rex"]


async def _talks_to_the_voice(**config: Any) -> tuple[World, Conversation]:
    mind = offline()
    mind.models.first = Voice()  # type: ignore[assignment]
    return mind, await talk_with(mind, **config)


async def test_without_a_model_the_reply_says_what_is_learned_from_the_message() -> None:
    """O1, F1: also the very first one."""
    mind, talk = await _talks_to_the_voice()

    first = await mind.says(talk, "Hi! I'm Sarah and I live in Seattle. My sister Emma is a nurse.")
    await mind.works()
    answer = await mind.says(talk, "What does my sister do?")

    assert first.content.lower().startswith(("got it: ", "i’ll remember that "))
    # That she is the sister is said with what she does.
    assert set(await known(mind)) == {
        "User has a sister named Emma",
        "User lives in Seattle",
        "User's name is Sarah",
        "User's sister Emma is a nurse",
    }
    for words in ("your name is Sarah", "you live in Seattle", "your sister Emma is a nurse"):
        assert words in first.content
    assert answer.content == "Your sister Emma is a nurse."


@pytest.mark.parametrize("config", [{"extract_memories": False}, {"extract_facts": False}])
async def test_what_is_not_learned_is_not_said_to_be(config: dict[str, bool]) -> None:
    """F6."""
    mind, talk = await _talks_to_the_voice(**config)

    assert "Noted" not in (await mind.says(talk, "I live in Seattle.")).content


async def test_of_a_private_conversation_nothing_is_said_to_be_learned() -> None:
    """F6: nor is it of what somebody plays."""
    mind, talk = await _talks_to_the_voice()
    await mind.store.apply(mind.scope, [Amend(Conversation, talk.id, {"private": True})])
    private = await mind.says(talk, "I live in Seattle.")
    await mind.meets("Kim")
    played = await mind.lore.conversations.start(["nova"], user="kim", config={"auto_title": False})
    role = await mind.says(played, "I live in a tower.")

    assert "seattle" not in private.content.lower()
    assert "tower" not in role.content


async def test_a_connected_model_is_not_told_apart_what_the_message_says() -> None:
    mind = world()

    await mind.says(await talk_with(mind), "I live in Seattle.")

    assert mind.model.asks[-1].scene is not None
    assert mind.model.asks[-1].scene.learned == ()


async def test_that_no_model_is_connected_is_said_beside_the_reply_and_to_no_model() -> None:
    """V1, V4: a real model that comes later does not read it as the character's words."""
    mind = offline()
    mind.models.first = Voice()  # type: ignore[assignment]
    talk = await talk_with(mind)

    reply = await mind.says(talk, "Hello there!")
    again = World(mind.store, clock=mind.clock, ids=mind.ids)
    await again.says(talk, "How are you today?")
    await again.says(await talk_with(again), "And how are you now?")

    assert str(reply.metadata["notice"]).startswith("No language model is connected")
    assert "language model" not in reply.content
    assert len(again.model.asks) == 2
    assert not any("language model" in said.content for ask in again.model.asks for said in ask.messages)


async def test_what_was_learnt_is_known_in_the_next_conversation_and_to_nobody_else() -> None:
    """M3, V13: only who was told knows it."""
    mind = world()
    first = await talk_with(mind)
    await mind.says(first, "I live in Seattle.")
    await mind.works()

    await mind.says(await talk_with(mind), "Where do I live?")
    assert "User lives in Seattle" in mind.model.prompt

    await mind.says(await talk_with(mind, "Max"), "Where do I live?")
    assert "Seattle" not in mind.model.prompt


@pytest.mark.parametrize(
    "text", ["Hello Nova!", "What are you doing?", "Send me a photo.", "Thanks!", "How is the weather?"]
)
async def test_greetings_questions_and_requests_yield_nothing_and_cost_no_call(text: str) -> None:
    """F3."""
    mind = world()
    learner(mind)
    talk = await talk_with(mind)

    await mind.says(talk, text)
    await mind.works()

    assert await known(mind) == []
    assert learner(mind).asks == []


async def test_only_what_the_user_wrote_is_evidence() -> None:
    """F1: a reply that states something about itself, or about the user, teaches nothing."""
    mind = world()
    talk = await talk_with(mind)
    mind.model.answers("I live in Lisbon, and I love hiking. You are a doctor, I think.")

    await mind.says(talk, "Tell me about yourself.")
    await mind.works()

    assert await known(mind) == []


# ── with a model ─────────────────────────────────────────────────────────────────────────────────


async def test_a_model_adds_what_rules_do_not_see() -> None:
    """F2, F8, V5: the extraction model is its own, and is asked at a low temperature for JSON."""
    mind = world(settings=BELIEVED)
    learner(mind).answers(facts("User is a teacher", confidence=0.85, quote="I taught my third-grade class"))
    talk = await talk_with(mind)

    await mind.says(talk, "I taught my third-grade class about volcanoes today.")
    await mind.works()

    assert "User is a teacher" in await known(mind)
    ask = learner(mind).asks[0]
    assert (ask.temperature, ask.schema is not None) == (0.1, True)
    assert len(mind.model.asks) == 1, "the model that replies is not asked for it"


async def test_a_bad_model_leaves_what_the_rules_found() -> None:
    """F4, F5, O1: and what it said is nowhere."""
    mind = world()
    learner(mind).answers("Sure! Here are the facts: the user lives in Rome.")
    talk = await talk_with(mind)

    await mind.says(talk, "I live in Seattle.")
    await mind.works()

    assert await known(mind) == ["User lives in Seattle"]


async def test_what_was_refused_can_be_seen_with_the_filter_that_stopped_it() -> None:
    """F4: and counted."""
    mind = world()
    said = facts("User greeted Nova", "User's name is Nova", "User has a dog named Rex", "User is male")
    learner(mind).answers(said)
    talk = await talk_with(mind)

    await mind.says(talk, "Hello Nova, I live in Seattle.")
    await mind.works()

    assert await known(mind) == ["User lives in Seattle"]
    (reading,) = (await mind.lore.learning.readings(talk.id, refused=True)).items
    stopped = {each.content: each.filter for each in refusals_of(reading)}
    assert stopped["User greeted Nova"] is Filter.CONVERSATION_ACTION
    assert stopped["User's name is Nova"] is Filter.ASSISTANT_FACT
    assert stopped["User has a dog named Rex"] is Filter.UNGROUNDED
    assert stopped["User is male"] is Filter.DEMOGRAPHIC_GUESS
    counts = await mind.lore.learning.filtered()
    assert counts[Filter.UNGROUNDED] == 1


async def test_a_model_that_is_away_holds_up_nothing_that_rules_can_learn() -> None:
    """C5, O1: and is asked again when it is back."""
    mind = world()
    learner(mind).answers(ModelUnavailable("It is starting."))
    learner(mind).answers(facts("User's books are in Seattle"))
    talk = await talk_with(mind)

    await mind.says(talk, "I live in Seattle, where my books are.")
    await mind.works()
    assert await known(mind) == ["User lives in Seattle"]

    mind.clock.pass_time(60)
    await mind.works()
    assert sum("Seattle" in ask.messages[-1].content for ask in learner(mind).asks) >= 2
    assert (await mind.lore.jobs(JobState.DEAD)).items == ()


# ── once, and not again ──────────────────────────────────────────────────────────────────────────


async def test_reading_again_adds_nothing() -> None:
    """M16: neither by asking for it, nor by asking for all of it anew."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle. My sister Emma lives in Oslo.")
    await mind.works()
    before = await memories(mind)
    assert len(before) >= 2

    assert await mind.lore.learning.extract(talk.id) == []
    await mind.lore.learning.extract(talk.id, again=True)
    await mind.works()

    assert await memories(mind) == before


async def test_what_was_forgotten_does_not_come_back() -> None:
    """M9, M16."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")
    await mind.works()
    (home,) = await memories(mind)

    await mind.lore.forget(home)
    await mind.lore.learning.extract(talk.id)
    await mind.works()

    assert await known(mind) == []


async def test_saying_it_again_makes_it_surer_and_not_two() -> None:
    """M8."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")
    await mind.says(talk, "As I said, I live in Seattle.")
    await mind.works()

    (home,) = await memories(mind)

    assert home.reinforcement_count == 1
    assert len(home.source_message_ids) == 2


async def test_recalled_memories_are_not_learnt_again() -> None:
    """M16: a hundred turns in which the character says back what it knows, and the user quotes it."""
    mind = world()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")
    await mind.works()
    before = await memories(mind)

    for _ in range(100):
        mind.model.answers("You told me that you live in Seattle. User lives in Seattle.")
        await mind.says(talk, "> User lives in Seattle.\nWhat else do you know?")
        await mind.works()

    (home,), (was,) = await memories(mind), before
    assert home.recall_count == 100
    assert (home.content, home.revision, home.source_message_ids) == (was.content, was.revision, was.source_message_ids)


# ── private, paused, off ─────────────────────────────────────────────────────────────────────────


async def test_a_private_conversation_is_never_read() -> None:
    """F6: nothing is queued, nothing is formed, and asking for it is refused."""
    mind = offline()
    talk = await talk_with(mind, private=True)

    await mind.says(talk, "I live in Seattle.")

    assert (await mind.lore.jobs()).items == ()
    await mind.works()
    assert await known(mind) == []
    with pytest.raises(BadAsk, match="private"):
        await mind.lore.learning.extract(talk.id)


async def test_switching_private_on_stops_what_is_queued() -> None:
    """F6."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")

    await mind.lore.conversations.change(talk.id, config={"private": True})
    await mind.works()

    assert await known(mind) == []


async def test_switching_private_on_while_the_model_thinks_stops_it_too() -> None:
    """F6."""
    mind = world()
    gate = learner(mind).waits(after=[facts("User is a teacher", confidence=0.85, quote="I taught")])
    talk = await talk_with(mind)
    await mind.says(talk, "I taught my third-grade class about volcanoes today.")
    working = asyncio.ensure_future(mind.works())
    await gate.reached.wait()

    await mind.lore.conversations.change(talk.id, config={"private": True})
    gate.open()
    await working

    assert "User is a teacher" not in await known(mind)


async def test_a_paused_queue_keeps_its_work() -> None:
    """F7."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.lore.pause()
    await mind.says(talk, "I live in Seattle.")
    await mind.works()
    assert await known(mind) == []

    await mind.lore.resume()
    await mind.works()

    assert await known(mind) == ["User lives in Seattle"]


async def test_who_wants_no_memories_gets_none() -> None:
    """V6."""
    mind = offline()
    talk = await talk_with(mind, extract_memories=False)

    await mind.says(talk, "I live in Seattle.")
    await mind.works()

    assert await known(mind) == []
    assert not [job for job in (await mind.lore.jobs()).items if job.kind == FACTS]


async def test_between_characters_no_user_facts_are_read() -> None:
    """Role-play is read by segments alone; a config may say otherwise."""
    mind = offline()
    don = await mind.meets("Don")
    await mind.meets("Rex")
    talk = await mind.lore.conversations.start("rex", user=don, config={"auto_title": False})

    await mind.says(talk, "I live in the old mill.")
    await mind.works()
    assert await known(mind) == []

    await mind.lore.conversations.change(talk.id, config={"extract_facts": True})
    await mind.says(talk, "I live in the old mill.")
    await mind.works()
    assert await known(mind) == ["User lives in the old mill"]


async def test_what_comes_up_in_a_reply_is_counted_and_nothing_else_is() -> None:
    """I1: a dry run recalls too, and counts nothing."""
    mind = world()
    talk = await talk_with(mind)
    boat = await mind.lore.remember("User owns a red boat", person="nova")
    clock = await mind.lore.remember("Nova winds the tower clock", person="nova")

    await mind.lore.x_rays.would_be(talk.id, "What about my red boat?")
    assert (await mind.lore.memories.get(boat.id)).recall_count == 0
    await mind.says(talk, "What about my red boat?")

    assert "User owns a red boat" in mind.model.prompt
    counted = await mind.lore.memories.get(boat.id)
    assert (counted.recall_count, counted.last_recalled_at) == (1, mind.clock.now)
    assert (await mind.lore.memories.get(clock.id)).recall_count == ("tower clock" in mind.model.prompt)


async def test_at_the_end_of_a_talk_it_is_weighed_anew_what_still_matters() -> None:
    """I1, M17: what is often recalled and pointed to gains, what was only for the hour goes."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I like jazz.")
    await mind.works()
    (jazz,) = await memories(mind)
    passing = replace(jazz, id="passing", durability=Durability.EPHEMERAL, content="User is on the bus")
    await mind.store.apply(mind.scope, [Put(passing), *(Touch((jazz.id,), mind.clock.now) for _ in range(40))])

    await mind.lore.conversations.close(talk.id)
    await mind.works()

    (kept,) = await memories(mind)
    assert kept.importance > jazz.importance
    assert (await mind.lore.history(kept.id))[-1].why is Why.RESCORING


# ── true to the timeline ─────────────────────────────────────────────────────────────────────────


async def test_editing_a_message_withdraws_what_came_from_it() -> None:
    """M15: and reads it anew."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")
    await mind.works()
    message = (await mind.log(talk))[-2]

    await mind.lore.messages.edit(talk.id, message.id, content="I live in Boston.")
    assert await known(mind) == [], "at once, and not when the queue gets to it"

    await mind.works()
    assert await known(mind) == ["User lives in Boston"]


async def test_deleting_a_message_deletes_what_came_from_it_and_what_it_closed_holds_again() -> None:
    """M9, M15, M7."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")
    mind.clock.pass_time(3600)
    await mind.says(talk, "I moved to Portland.")
    await mind.works()
    assert [each for each in await known(mind) if "Seattle" in each] == []

    moved = next(each for each in await mind.log(talk) if "Portland" in each.content)
    await mind.lore.messages.remove(talk.id, moved.id)

    (home,) = await memories(mind)
    assert (home.content, home.valid_to, home.superseded_by) == ("User lives in Seattle", None, None)
    everything = (await mind.store.find(mind.scope, Memory, limit=100)).items
    assert not [each for each in everything if "Portland" in each.content]


async def test_a_persons_own_words_stay_when_the_message_goes() -> None:
    """M15: and are marked."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")
    await mind.works()
    (home,) = await memories(mind)
    await mind.lore.edit(home.id, content="User lives in West Seattle")

    message = (await mind.log(talk))[-2]
    await mind.lore.messages.edit(talk.id, message.id, content="I live in a tent.")

    (kept,) = await memories(mind)
    assert kept.content == "User lives in West Seattle"
    assert kept.extra["source_changed"] is True


async def test_a_branch_has_its_own_past_and_keeps_its_own_news() -> None:
    """M15."""
    mind = world()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")
    await mind.works()
    fork = (await mind.log(talk))[-1]
    await mind.says(talk, "I own a red boat.")
    branch = await mind.lore.conversations.branch(talk.id, fork.id)
    await mind.says(branch, "I moved to Portland.")
    await mind.works()

    question = "Where do I live: have I moved to Portland? And do I own a red boat?"
    await mind.says(branch, question)
    in_branch = mind.model.prompt
    await mind.says(talk, question)
    in_trunk = mind.model.prompt
    await mind.says(await talk_with(mind), question)
    elsewhere = mind.model.prompt

    assert "User moved to Portland" in in_branch
    assert "User lives in Seattle" not in in_branch
    assert "User owns a red boat" not in in_branch
    for prompt in (in_trunk, elsewhere):
        assert "User lives in Seattle" in prompt
        assert "User owns a red boat" in prompt
        assert "User moved to Portland" not in prompt


async def test_deleting_a_conversation_deletes_what_was_learnt_of_it_unless_it_is_to_stay() -> None:
    """M15."""
    mind = offline()
    one, other = await talk_with(mind), await talk_with(mind)
    await mind.says(one, "I live in Seattle.")
    await mind.says(other, "I own a red boat.")
    await mind.works()
    assert len(await known(mind)) == 2

    await mind.lore.conversations.delete(one.id)
    await mind.lore.conversations.delete(other.id, keep_memories=True)

    (kept,) = await memories(mind)
    assert "red boat" in kept.content


async def test_what_was_learnt_in_two_conversations_stays_when_one_of_them_goes() -> None:
    """M15: with the source that is left."""
    mind = offline()
    one, other = await talk_with(mind), await talk_with(mind)
    await mind.says(one, "I live in Seattle.")
    await mind.says(other, "I live in Seattle.")
    await mind.works()
    (home,) = await memories(mind)
    assert len(home.source_message_ids) == 2

    await mind.lore.conversations.delete(one.id)

    (kept,) = await memories(mind)
    assert kept.content == "User lives in Seattle"
    assert [each.conversation_id for each in await mind.lore.memories.source(kept.id)] == [other.id]


# ── review ───────────────────────────────────────────────────────────────────────────────────────


async def test_memories_wait_for_approval_where_that_is_wished() -> None:
    """M10: not recalled until then."""
    mind = world()
    talk = await talk_with(mind, review_memories=True)
    await mind.says(talk, "I live in Seattle.")
    await mind.works()
    (waiting,) = await memories(mind, Status.PENDING)
    await mind.says(await talk_with(mind), "Where do I live?")
    assert "Seattle" not in mind.model.prompt.replace("I live in Seattle.", "")

    approved = await mind.lore.memories.approve(waiting.id, by="user")

    assert approved.status is Status.ACTIVE
    await mind.says(await talk_with(mind), "Where do I live?")
    assert "User lives in Seattle" in mind.model.prompt


async def test_what_was_rejected_is_not_formed_again() -> None:
    """M10, M11."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")
    await mind.works()
    (home,) = await memories(mind)

    await mind.lore.memories.reject(home.id, by="user", note="A joke.")
    await mind.lore.learning.extract(talk.id, again=True)
    await mind.works()

    assert await known(mind) == []


async def test_a_correction_wins_over_what_is_read_later() -> None:
    """M11."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")
    await mind.works()
    (home,) = await memories(mind)

    right = await mind.lore.memories.correct(home.id, "User lives in Tacoma", by="user")
    await mind.lore.learning.extract(talk.id, again=True)
    await mind.says(talk, "I live in Seattle.")
    await mind.works()

    assert await known(mind) == ["User lives in Tacoma"]
    assert right.edited_by_person
    wrong = await mind.lore.memories.get(home.id)
    assert (wrong.status, wrong.superseded_by) == (Status.REJECTED, right.id)


# ── dates that stay true ─────────────────────────────────────────────────────────────────────────


async def test_what_was_last_month_is_learnt_with_its_month() -> None:
    """M7: it holds from then on, and closes what held before."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")
    await mind.works()
    mind.clock.pass_time(90 * 24 * 3600)
    month = (mind.clock().replace(day=1) - timedelta(days=1)).replace(day=1, hour=0, minute=0, second=0, microsecond=0)

    await mind.says(talk, "I moved to Portland last month.")
    await mind.works()

    (home,) = await memories(mind)
    assert home.content == f"User moved to Portland in {month:%B %Y}"
    assert home.valid_from == month
    assert await known(mind, Status.SUPERSEDED) == ["User lives in Seattle"]


async def test_the_same_told_a_month_later_in_other_words_is_one_memory() -> None:
    """M8: "last month" then, and "two months ago" now."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I moved to Portland last month.")
    await mind.works()
    first = await known(mind)
    mind.clock.pass_time(31 * 24 * 3600)

    await mind.says(talk, "I moved to Portland two months ago.")
    await mind.works()

    (home,) = await memories(mind)
    assert [home.content] == first
    assert home.reinforcement_count == 1


async def test_a_model_may_speak_of_tomorrow_and_reading_again_a_year_later_adds_nothing() -> None:
    """M16: the day counts from the message, not from the reading."""
    mind = world(settings=BELIEVED)
    said = facts("User is flying to Rome tomorrow", category="goal", quote="flying to Rome tomorrow")
    learner(mind).answers(said)
    talk = await talk_with(mind)
    day = mind.clock() + timedelta(days=1)
    await mind.says(talk, "I'm flying to Rome tomorrow.")
    await mind.works()
    assert await known(mind) == [f"User is flying to Rome on {day.day} {day:%B %Y}"]
    before = await memories(mind)

    mind.clock.pass_time(365 * 24 * 3600)
    learner(mind).answers(said)
    await mind.lore.learning.extract(talk.id, again=True)
    await mind.works()

    assert await memories(mind) == before


async def test_a_memory_says_where_it_came_from() -> None:
    """M1, M5: the conversation and the first message; after a message has gone the next. A branch shares it (M15)."""
    mind = world()
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Seattle.")
    await mind.says(talk, "As I said, I live in Seattle.")
    await mind.works()
    first, _, again, last = [each.id for each in await mind.log(talk)]
    branch = await mind.lore.conversations.branch(talk.id, last)
    place = f"everlore://conversation/{talk.id}"
    copies = [each.id for each in await mind.log(branch)]

    (learnt,) = (await mind.lore.memories.list(conversation_id=talk.id)).items
    (shared,) = (await mind.lore.memories.list(conversation_id=branch.id)).items
    pinned = await mind.lore.messages.pin(talk.id, [again, last], what="They spoke of Seattle.")
    typed = await mind.lore.remember("Seattle is wet.", conversation_id=talk.id)
    named = await mind.lore.remember("Oslo is cold.", conversation_id=talk.id, source_uri="file:notes.md")
    corrected = await mind.lore.memories.correct(typed.id, "Seattle is dry.", by="user")
    await mind.lore.messages.remove(talk.id, first)
    kept = await mind.lore.memories.get(learnt.id)

    assert learnt.source_uri == f"{place}#{first}"
    assert shared == learnt
    assert pinned.source_uri == f"{place}#{again}"
    assert (typed.source_uri, corrected.source_uri, named.source_uri) == (place, place, "file:notes.md")
    assert kept.source_message_ids == (again, copies[0], copies[2])
    assert kept.source_uri == f"{place}#{again}"
