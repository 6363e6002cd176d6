"""Summaries of long talks on the whole engine: when, by whom, for whom, and what becomes of them (C7, M15, R11, F6)."""

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from typing import Any

import pytest

from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.covering import cover, covered_to
from everlore.domain.job import Job, JobState
from everlore.domain.person import PersonKind
from everlore.domain.policy import Mode, Role
from everlore.domain.scope import Scope
from everlore.errors import BadAsk, Forbidden, ModelUnavailable, NotFound
from everlore.learning.jobs import SUMMARY
from everlore.models.chat import Ask, End, Piece
from everlore.services.messages import RecordedLine
from everlore.store.port import Delete, Enqueue, Put
from everlore.turn.holder import Holder
from tests.soak import seeds
from tests.turn.world import HERE, Gate, Scripted, World, hours, world

SUMMARIST = "summarist"


class Summarist(Scripted):
    """Sums up as it is told; each of its answers can be held up, or fail."""

    def __init__(self) -> None:
        super().__init__(SUMMARIST, backend="another")
        self.says = "The harvest came up."
        self.fails = False
        self.gate: Gate | None = None

    async def stream(self, ask: Ask) -> AsyncIterator[Piece | End]:
        steps: list[Any] = [self.gate] if self.gate else []
        self.answers(*steps, ModelUnavailable("It is away.") if self.fails else json.dumps({"summary": self.says}))
        async for part in super().stream(ask):
            yield part


def with_summarist() -> tuple[World, Summarist]:
    mind, model = world(), Summarist()
    mind.models.named[SUMMARIST] = model
    return mind, model


async def sits(mind: World, *names: str, **config: Any) -> Conversation:
    named = {"analyze_model": SUMMARIST} if SUMMARIST in mind.models.named else {}
    return await mind.sits_down(*(names or ("Mira",)), **named | config)


async def notes(mind: World, talk: Conversation, count: int, text: str = "Line {} about the harvest.") -> None:
    """So many messages that nobody answers."""
    begin = (await mind.talk(talk)).message_count + 1
    for number in range(begin, begin + count):
        await mind.turns.note(mind.scope, talk.id, text.format(number))


async def summaries(mind: World, talk: Conversation | str) -> list[Summary]:
    id = talk if isinstance(talk, str) else talk.id
    return list((await mind.store.find(mind.scope, Summary, {"conversation_id": id}, limit=1_000)).items)


async def spans(mind: World, talk: Conversation | str) -> list[tuple[int, int, int]]:
    return [(each.level, each.first_seq, each.last_seq) for each in await summaries(mind, talk)]


async def waiting(mind: World) -> list[Job]:
    page = await mind.store.jobs(mind.scope, state=JobState.READY, limit=1_000)
    return [job for job in page.items if job.kind == SUMMARY]


# ── when ─────────────────────────────────────────────────────────────────────────────────────────


async def test_past_twenty_messages_the_older_half_is_summed_up() -> None:
    """C7: with the reply that goes past it, in the same transaction, and not before."""
    mind, model = with_summarist()
    talk = await sits(mind)
    for number in range(1, 11):
        await mind.says(talk, f"Line {number} about the harvest.")
    assert await waiting(mind) == []

    reply = await mind.says(talk, "Line 11 about the harvest.")
    (together,) = [
        changes
        for changes in mind.store.applied
        if any(isinstance(each, Enqueue) and each.job.kind == SUMMARY for each in changes)
    ]
    await mind.works()

    assert reply.id in str(together[0])
    (made,) = await summaries(mind, talk)
    assert (made.first_seq, made.last_seq, made.level) == (1, 11, 0)
    assert (made.content, made.extractive, made.persons) == ("The harvest came up.", False, ("mira", "user"))
    assert len(model.asks) == 1


async def test_past_eight_thousand_tokens_it_is_summed_up_however_few_messages() -> None:
    """C7."""
    mind, _ = with_summarist()
    talk = await sits(mind)

    await notes(mind, talk, 3, "word " * 1500 + "{}")
    assert await waiting(mind) == []
    await notes(mind, talk, 1, "word " * 1500 + "{}")
    await mind.works()

    assert await spans(mind, talk) == [(0, 1, 1)]


@pytest.mark.parametrize("config", [{"summarize_past_messages": 0}, {"summarize_past_messages": 100}])
async def test_when_is_a_matter_of_the_config(config: dict[str, Any]) -> None:
    """V6."""
    mind, _ = with_summarist()
    talk = await sits(mind, **config)

    await notes(mind, talk, 60)

    assert await waiting(mind) == []


async def test_while_nothing_comes_of_it_it_is_asked_for_once_in_five_messages() -> None:
    """C5, C7: and what was not summed up for long is, stretch by stretch."""
    mind, _ = with_summarist()
    talk = await sits(mind)

    await notes(mind, talk, 100)
    asked_for = len(await waiting(mind))
    await mind.works()

    assert asked_for == 17
    found = await spans(mind, talk)
    assert [(first, last) for _, first, last in found] == [(1, 20), (21, 40), (41, 60), (61, 80)]


async def test_a_talk_that_was_recorded_is_summed_up_too() -> None:
    """C7."""
    mind, _ = with_summarist()
    talk = await sits(mind)

    await mind.lore.messages.record(talk.id, [RecordedLine(f"Line {number}.") for number in range(30)])
    await mind.works()

    assert await spans(mind, talk) == [(0, 1, 15)]


async def test_summaries_of_summaries_cover_the_same_messages() -> None:
    """C7: the lower ones stay, and can be found."""
    mind, _ = with_summarist()
    talk = await sits(mind)

    for _ in range(12):
        await notes(mind, talk, 10)
        await mind.works()

    found = await summaries(mind, talk)
    (higher,) = [each for each in found if each.level == 1]
    tops = cover(found, 1, covered_to(found))
    assert (higher.first_seq, higher.last_seq) == (1, tops[1].first_seq - 1)
    assert len([each for each in found if each.last_seq <= higher.last_seq and each.level == 0]) == 8
    assert all(before.last_seq + 1 == after.first_seq for before, after in pairwise(tops))


# ── one at a time ────────────────────────────────────────────────────────────────────────────────


async def test_one_summariser_works_on_a_conversation_at_a_time() -> None:
    """C7: another process has to wait; another conversation does not."""
    mind, model = with_summarist()
    one, other = await sits(mind, "Mira"), await sits(mind, "Rex")
    await notes(mind, one, 60)
    elsewhere = mind.reborn(Holder("host", 5_000_001, "second"))
    model.gate = Gate()

    first = asyncio.create_task(mind.works())
    await model.gate.reached.wait()
    held, model.gate = model.gate, None
    await notes(mind, other, 21)
    await elsewhere.works()
    meanwhile = (await spans(mind, one), await spans(mind, other))
    held.open()
    await first
    await mind.works()

    assert meanwhile == ([], [(0, 1, 10)])
    assert [(first, last) for _, first, last in await spans(mind, one)] == [(1, 20), (21, 40)]


# ── without a model ──────────────────────────────────────────────────────────────────────────────


async def test_while_the_model_is_away_it_is_quoted_and_said_better_when_it_is_back() -> None:
    """C7: each that was only quoted is tried again once, and the messages it stands for are the same."""
    mind, model = with_summarist()
    model.fails = True
    talk = await sits(mind)
    await notes(mind, talk, 21)
    await mind.works()
    (quoted,) = await summaries(mind, talk)
    model.fails = False
    mind.clock.pass_time(hours(1))

    await notes(mind, talk, 10)
    await mind.works()

    assert quoted.extractive
    assert quoted.content.startswith("User talked. User said: “Line 1 about the harvest.”")
    found = await summaries(mind, talk)
    assert [(each.first_seq, each.last_seq) for each in found] == [(1, 10), (11, 20)]
    assert [(each.content, each.extractive) for each in found] == [("The harvest came up.", False)] * 2
    assert found[0].id == quoted.id


async def test_with_no_model_at_all_it_is_quoted() -> None:
    """O1: the built-in voice sums nothing up."""
    from everlore.settings import ChatSettings
    from tests.turn.world import settings_of

    mind = world(settings=settings_of(chat=ChatSettings(provider="voice")))
    talk = await mind.sits_down("Mira")
    await notes(mind, talk, 22)
    await mind.works()

    (made,) = await summaries(mind, talk)
    assert made.extractive


async def test_asked_for_by_hand_it_is_done_at_once_and_what_was_quoted_too() -> None:
    """C7."""
    mind, model = with_summarist()
    model.fails = True
    talk = await sits(mind)
    await notes(mind, talk, 21)
    await mind.works()
    model.fails = False
    model.says = "The harvest came up."

    jobs = await mind.lore.learning.summarize(talk.id)
    made = await mind.lore.learning.summed_up(talk.id, jobs, mind.lore.finished)

    assert [(each.first_seq, each.last_seq, each.extractive) for each in made] == [(1, 10, False), (11, 15, False)]


# ── words that change ────────────────────────────────────────────────────────────────────────────


async def _all_words(mind: World, talk: Conversation) -> str:
    return " ".join(each.content for each in await summaries(mind, talk))


async def _edits(mind: World, talk: Conversation, message: Message) -> None:
    await mind.lore.messages.edit(talk.id, message.id, content="The barn is red.")


async def _hides(mind: World, talk: Conversation, message: Message) -> None:
    await mind.lore.messages.edit(talk.id, message.id, hidden=True)


async def _deletes(mind: World, talk: Conversation, message: Message) -> None:
    await mind.lore.messages.remove(talk.id, message.id)


@pytest.mark.parametrize("change", [_edits, _hides, _deletes])
async def test_words_that_are_changed_or_deleted_leave_their_summaries_at_once(change: Callable[..., Any]) -> None:
    """M15: in the same transaction, at every level; and the same messages are summed up anew."""
    mind = world()
    talk = await mind.sits_down("Mira")
    for block in range(12):
        await notes(mind, talk, 10, "The vault code is 7193, I decided." if block == 0 else "Line {} of the harvest.")
        await mind.works()
    before = await spans(mind, talk)
    assert "7193" in await _all_words(mind, talk)
    assert max(level for level, *_ in before) == 1
    first, *others = (await mind.log(talk))[:10]
    for other in others:
        await mind.lore.messages.remove(talk.id, other.id)
    await mind.works()
    mind.store.applied.clear()

    await change(mind, talk, first)
    at_once = await _all_words(mind, talk)
    (together,) = [changes for changes in mind.store.applied if any(isinstance(each, Delete) for each in changes)]
    await mind.works()

    assert "7193" not in at_once
    gone = [each for each in together if isinstance(each, Delete) and each.kind is Summary]
    assert len(gone) == 2, "the one of messages, and the one above it"
    assert "7193" not in await _all_words(mind, talk)
    found = await summaries(mind, talk)
    assert max(each.level for each in found) == 1
    left = {each.seq for each in await mind.log(talk) if each.seq <= covered_to(found)}
    told = {seq for each in cover(found, 1, covered_to(found)) for seq in range(each.first_seq, each.last_seq + 1)}
    assert left <= told


async def test_what_is_deleted_while_the_model_thinks_does_not_come_back() -> None:
    """M15."""
    mind, model = with_summarist()
    model.says = "Line 3 about the harvest came up."
    talk = await sits(mind)
    await notes(mind, talk, 21)
    model.gate = gate = Gate()

    working = asyncio.create_task(mind.works())
    await gate.reached.wait()
    third = (await mind.log(talk))[2]
    await mind.lore.messages.remove(talk.id, third.id)
    model.gate, model.says = None, "Line 4 about the harvest came up."
    gate.open()
    await working
    await notes(mind, talk, 6)
    await mind.works()

    assert {each.content for each in await summaries(mind, talk)} == {"Line 4 about the harvest came up."}


async def test_what_was_kept_just_after_a_deletion_is_made_anew() -> None:
    """M15: the last moment, between the look whether the words are still so and the end of the job."""
    mind, model = with_summarist()
    model.says = "Line 3 about the harvest came up."
    talk = await sits(mind)
    await notes(mind, talk, 21)
    third = (await mind.log(talk))[2]
    apply, done = mind.store.apply, list[bool]()

    async def just_before(scope: Scope, changes: Any) -> Any:
        if not done and any(isinstance(each, Put) and isinstance(each.record, Summary) for each in changes):
            done.append(True)
            model.says = "Line 4 about the harvest came up."
            mind.clock.pass_time(1)
            await mind.lore.messages.remove(talk.id, third.id)
        return await apply(scope, changes)

    mind.store.apply = just_before
    await mind.works()

    assert done
    assert "Line 3" not in await _all_words(mind, talk)


async def test_a_conversation_that_is_deleted_takes_its_summaries_with_it() -> None:
    """M9."""
    mind, _ = with_summarist()
    talk = await sits(mind)
    await notes(mind, talk, 30)
    await mind.works()

    await mind.lore.conversations.delete(talk.id)

    assert await summaries(mind, talk) == []


# ── for whom ─────────────────────────────────────────────────────────────────────────────────────


async def test_who_came_late_learns_nothing_from_a_summary() -> None:
    """R11, V13: neither from one of messages nor from one above it; what they were there for they have."""
    mind, model = with_summarist()
    talk = await sits(mind, "Mira", "Rex")
    await mind.lore.conversations.change(talk.id, present=["mira"])
    model.says = "Line 3 hid the gold."
    await notes(mind, talk, 40, "Line {} hid the gold.")
    await mind.works()
    await mind.lore.conversations.change(talk.id, present=None)
    model.says = "Line 60 was eaten."
    for _ in range(10):
        await notes(mind, talk, 10, "Line {} was eaten.")
        await mind.works()

    await mind.says(talk, "What of the harvest, Rex?", speaker_id="rex")
    to_rex = mind.model.prompt
    await mind.says(talk, "What of the harvest, Mira?", speaker_id="mira")

    assert "hid the gold" not in to_rex
    assert "Line 60 was eaten." in to_rex
    assert "Line 60 was eaten." in mind.model.prompt
    assert all(each.persons for each in await summaries(mind, talk))


async def test_a_private_conversation_is_not_summed_up() -> None:
    """F6: nothing is queued, and what is queued already comes to nothing."""
    mind, model = with_summarist()
    private = await sits(mind, private=True)
    later = await sits(mind)
    await notes(mind, private, 30)
    assert await waiting(mind) == []
    await notes(mind, later, 30)

    await mind.lore.conversations.change(later.id, config={"private": True})
    await mind.works()

    assert (await summaries(mind, private), await summaries(mind, later), model.asks) == ([], [], [])
    with pytest.raises(BadAsk, match="Private conversations are not summarised"):
        await mind.lore.learning.summarize(private.id)


async def test_what_was_said_in_private_for_a_while_enters_no_summary() -> None:
    """F6: the messages are covered, and their words are not told."""
    mind = world()
    talk = await mind.sits_down("Mira", private=True)
    await notes(mind, talk, 5, "The vault code is 7193, I decided.")
    await mind.lore.conversations.change(talk.id, config={"private": False})
    await notes(mind, talk, 30)
    await mind.works()

    assert covered_to(await summaries(mind, talk)) >= 10
    assert "7193" not in await _all_words(mind, talk)


async def test_a_branch_has_the_summaries_of_its_own_past_alone() -> None:
    """M15: numbered as its messages are, whole ones only, and each goes on by itself."""
    mind, _ = with_summarist()
    talk = await sits(mind)
    for _ in range(5):
        await notes(mind, talk, 10)
        await mind.works()
    log = await mind.log(talk)
    await mind.lore.messages.remove(talk.id, log[1].id)
    await mind.works()

    branch = await mind.lore.conversations.branch(talk.id, log[29].id)
    parent, own = await spans(mind, talk), await spans(mind, branch)
    await notes(mind, branch, 20)
    await mind.works()

    whole = [each for each in parent if each[2] <= 30]
    assert own == [(0, first - (first > 1), last - 1) for _, first, last in whole]
    assert await spans(mind, talk) == parent
    assert len(await spans(mind, branch)) > len(own)


# ── who may ──────────────────────────────────────────────────────────────────────────────────────


async def test_only_where_the_mode_writes_summaries_are_they_made() -> None:
    """C3."""
    mind, _ = with_summarist()
    talk = await sits(mind)
    await notes(mind, talk, 30)
    reader = mind.lore.seen_by(Scope(HERE, mode=Mode.EMULATION))

    with pytest.raises(Forbidden, match="emulation"):
        await reader.learning.summarize(talk.id)


async def test_guests_are_shown_no_summaries() -> None:
    """C4."""
    mind, _ = with_summarist()
    talk = await sits(mind)
    await notes(mind, talk, 30)
    await mind.works()
    guest = mind.lore.seen_by(Scope(HERE, role=Role.GUEST, person_id="user"))

    assert (await guest.learning.summaries(talk.id)).items == ()
    assert await guest.learning.summary_before(talk.id, 30) is None
    assert len((await mind.lore.learning.summaries(talk.id)).items) == 1
    assert await mind.lore.learning.summary_before(talk.id, 30) == "The harvest came up."


# ── in prompts ───────────────────────────────────────────────────────────────────────────────────


async def test_a_summary_stands_in_the_prompt_for_what_it_covers() -> None:
    """C7, P10: once, in the place of its messages, and in the x-ray."""
    mind, model = with_summarist()
    model.says = "The harvest was decided."
    talk = await sits(mind, message_trim=4)
    for number in range(1, 21):
        mind.model.answers(f"Reply {number} about the harvest.")
        await mind.says(talk, f"Line {number} about the harvest.")
        await mind.works()

    reply = await mind.says(talk, "And what now?")

    assert mind.model.prompt.count("The harvest was decided.") == len(await summaries(mind, talk)) == 2
    assert "Line 2 about the harvest." not in mind.model.prompt
    seen = await mind.lore.x_rays.of(talk.id, reply.id)
    shown = [(each["first"], each["last"], each["fidelity"]) for each in seen.account["messages"]]
    told = [(first, last, "compressed") for _, first, last in await spans(mind, talk)]
    assert shown[: len(told)] == told
    assert all(before[1] + 1 == after[0] for before, after in pairwise(shown))


# ── the inner dialogue ───────────────────────────────────────────────────────────────────────────


async def test_an_inner_dialogue_is_made_once_and_is_in_no_list() -> None:
    """C7."""
    mind, _ = with_summarist()
    talk = await sits(mind, "Mira", "Rex")
    with pytest.raises(NotFound, match="no inner dialogue yet"):
        await mind.lore.conversations.inner(talk.id, make=False)

    inner = await mind.lore.conversations.inner(talk)
    again = await mind.lore.conversations.inner(talk.id)

    assert (inner.id, inner.inner_of_id, inner.system_ids, inner.private) == (again.id, talk.id, ("mira", "rex"), True)
    assert [each.id for each in (await mind.lore.conversations.list()).items] == [talk.id]
    assert {each.id for each in (await mind.lore.conversations.list(inner=True)).items} == {talk.id, inner.id}
    with pytest.raises(BadAsk, match="An inner dialogue has no inner dialogue"):
        await mind.lore.conversations.inner(inner)
    with pytest.raises(BadAsk, match="is always private"):
        await mind.lore.conversations.change(inner.id, config={"private": False})


async def test_what_a_character_thinks_is_heard_by_nobody_else() -> None:
    """C7, R11: not by the user's search, not by another character, not in the conversation itself."""
    mind, _ = with_summarist()
    talk = await sits(mind, "Mira", "Rex", recall_recipe="agent")
    inner = await mind.lore.conversations.inner(talk)
    await mind.lore.messages.record(
        inner.id,
        [RecordedLine("I buried the walrus under the mill."), RecordedLine("The walrus bothers me.", speaker="rex")],
    )
    await mind.works()

    said = await mind.log(inner)
    assert [(each.person_id, each.present, each.private) for each in said] == [
        ("mira", ("mira",), True),
        ("rex", ("rex",), True),
    ]
    kinds = ("memory", "message", "summary", "event")
    for person in (None, "user", "mira", "rex"):
        assert not (await mind.lore.recall("Where is the walrus?", person=person, include=kinds))
    await mind.says(talk, "Where is the walrus buried, under the mill?", speaker_id="rex")
    assert "bothers me" not in mind.model.prompt
    assert "I buried" not in mind.model.prompt


async def test_an_inner_dialogue_has_a_log_and_summaries_of_its_own() -> None:
    """C7: separate buffers; each character hears its own thoughts, and their summaries are private."""
    mind, model = with_summarist()
    model.says = "Line 3 was a worry."
    talk = await sits(mind, "Mira", "Rex")
    inner = await mind.lore.conversations.inner(talk)
    await mind.lore.messages.record(inner.id, [RecordedLine(f"Line {number} was a worry.") for number in range(1, 31)])
    await mind.works()

    (made,) = await summaries(mind, inner.id)
    assert (made.private, made.persons, await summaries(mind, talk)) == (True, ("mira",), [])
    assert (await mind.talk(talk)).message_count == 0
    assert not (await mind.lore.recall("Line 3 worry", include=("summary", "message")))


async def test_a_character_can_be_asked_what_it_thinks() -> None:
    """C7: the usual turn; what it answers itself is for itself alone."""
    mind, _ = with_summarist()
    talk = await sits(mind, "Mira", "Rex")
    inner = await mind.lore.conversations.inner(talk)
    mind.model.answers("I do not trust Rex.")

    reply = await mind.says(inner, "What do you make of Rex?", speaker_id="mira")
    await mind.says(inner, "And you?", speaker_id="rex")

    assert (reply.content, reply.present, reply.private) == ("I do not trust Rex.", ("mira",), True)
    assert "I do not trust Rex." not in mind.model.prompt


async def test_an_inner_dialogue_goes_with_its_conversation() -> None:
    """M9."""
    mind, _ = with_summarist()
    talk = await sits(mind)
    inner = await mind.lore.conversations.inner(talk)
    await mind.lore.messages.record(inner.id, [RecordedLine("Hm.")])

    await mind.lore.conversations.delete(talk.id)

    assert await mind.store.get_many(mind.scope, Conversation, [inner.id]) == []


# ── whatever happens ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.soak
@pytest.mark.parametrize("seed", seeds(2, 20))
async def test_no_word_that_is_gone_is_left_in_any_summary(seed: int) -> None:
    """M15, C7: whatever is said, changed and deleted in between, and whether or not there was time to sum up."""
    mind, dice = world(), random.Random(seed)
    talk = await mind.sits_down("Mira")
    gone: set[str] = set()
    for step in range(120):
        log = await mind.log(talk)
        match dice.choice(["say", "say", "say", "edit", "delete", "cut", "work"]):
            case "say":
                await notes(mind, talk, dice.randint(1, 9), f"I decided on word{step}x{{}} for good.")
            case "edit" if log:
                one = dice.choice(log)
                gone |= set(re.findall(r"word\w+", one.content))
                await mind.lore.messages.edit(talk.id, one.id, content=f"We agreed on word{step}y then.")
            case "delete" | "cut" as what if log:
                one = dice.choice(log if what == "delete" else log[-6:])
                lost = [each for each in log if each.id == one.id or (what == "cut" and each.seq > one.seq)]
                gone |= {word for each in lost for word in re.findall(r"word\w+", each.content)}
                await mind.lore.messages.remove(talk.id, one.id, from_here=what == "cut")
            case "work":
                await mind.works()
        told = set(re.findall(r"word\w+", await _all_words(mind, talk)))
        assert not told & gone
        mind.clock.pass_time(1)
    await mind.works()

    found = await summaries(mind, talk)
    end = covered_to(found)
    tops = [seq for each in cover(found, 1, end) for seq in range(each.first_seq, each.last_seq + 1)]
    left = {each.seq for each in await mind.log(talk)}
    assert len(tops) == len(set(tops))
    assert {seq for seq in left if seq <= end} <= set(tops)
    assert len([seq for seq in left if seq > end]) <= 20


@pytest.mark.parametrize(("role", "is_told"), [(Role.OWNER, True), (Role.MEMBER, True), (Role.GUEST, False)])
async def test_a_guest_is_told_no_summary_of_an_earlier_talk_and_nobody_hears_one_as_something_said(
    role: Role, is_told: bool
) -> None:
    """C4: neither by recall nor as how the last talk ended. It stands apart from what was said word for word."""
    mind = world()
    await mind.meets("Vesna")
    await mind.meets("Robin", kind=PersonKind.USER)
    lore = mind.lore.seen_by(Scope(HERE, role=role, person_id="robin"))
    config = {"auto_title": False, "extract_memories": False}
    before = await mind.lore.conversations.start(["vesna"], user="robin", config=config)
    for _ in range(2):
        await mind.says(before, "The orchard is in bloom.")
    summed_up = Summary(
        workspace=HERE,
        id="s1",
        conversation_id=before.id,
        first_seq=1,
        last_seq=4,
        content="Robin told of the quinces that the orchard bears.",
        persons=("robin", "vesna"),
        created_at=mind.clock(),
    )
    await mind.store.apply(mind.scope, [Put(summed_up)])
    await mind.works()
    later = await mind.lore.conversations.start(["vesna"], user="robin", config=config | {"memory_budget": 4_000})

    await (await mind.turns.say(lore.scope, later.id, "What of the quinces in the orchard?")).reply()

    prompt = mind.model.prompt
    assert ("orchard bears" in prompt) is is_told
    assert "orchard is in bloom" in prompt, "what was said to them is"
    if is_told:
        label = prompt.rindex('"summaries":' if '"summaries":' in prompt else "Earlier conversations in short")
        assert label < prompt.rindex("orchard bears")
