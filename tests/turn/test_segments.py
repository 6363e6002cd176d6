"""Keyframes, interactions, events and analyses of whole talks, on the whole engine (K1–K6, W1–W3)."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from everlore.domain.analysis import Analysis
from everlore.domain.audit_entry import AuditEntry, Verb
from everlore.domain.conversation import Conversation, ConversationState, Summary
from everlore.domain.event import Event, EventState, EventType
from everlore.domain.interaction import Interaction, InteractionState, InteractionType, Outcome
from everlore.domain.memory import Memory, MemoryType, Origin, is_shared_with
from everlore.domain.reading import Extractor, Reading
from everlore.domain.scope import pair_of
from everlore.errors import BadAsk
from everlore.learning.mind import config_for
from everlore.models.chat import Ask, End, Piece, Purpose
from tests.turn.test_learning import LEARNER, known, memories, offline
from tests.turn.world import Scripted, World, world

ANALYST = "analyst"

_STORY = (
    "I draw my sword and swear to guard the bridge until dawn.",
    "We agree to meet the smugglers at the old mill tomorrow.",
    "Rex, you betrayed us. You sold the map to the baron!",
    "I promise I will never leave the village again.",
    "We found the hidden door behind the altar.",
)
_REPLIES = (
    "Then I shall stand beside you, friend, whatever comes.",
    "At the mill? Bring a lantern; the path is steep.",
    "I had no choice. The baron holds my brother in his cellar.",
    "Your word is enough. Let us drink to that.",
    "Behind the altar! Quick, before the monks return.",
    "Hush. Somebody walks on the gravel outside.",
    "My knife is yours, and my bread as well.",
)
_SMALL = ("Hi!", "Nice weather today.", "lol", "Yes.", "How are you?", "Fine, thanks.")


async def role_play(mind: World, **config: Any) -> Conversation:
    """Don, played by the user, and Rex, played by the model."""
    don = await mind.meets("Don")
    await mind.meets("Rex")
    given = {"auto_title": False, "extract_memories": True, **config}
    if LEARNER in mind.models.named:
        given["extraction_model"] = LEARNER
    if ANALYST in mind.models.named:
        given["analyze_model"] = ANALYST
    return await mind.lore.conversations.start("rex", user=don, config=given)


async def plays(mind: World, talk: Conversation, messages: int, lines: tuple[str, ...] = _STORY) -> None:
    """So many messages, half of them replies."""
    for number in range(messages // 2):
        mind.model.answers(f"{_REPLIES[number % len(_REPLIES)]} ({number})")
        await mind.says(talk, lines[number % len(lines)])
        mind.clock.pass_time(60)
        await mind.works()


class Analyst(Scripted):
    """Answers each question about a segment or a whole talk as a good model would."""

    def __init__(self, name: str = LEARNER) -> None:
        super().__init__(name)
        self.summary = "Don swore to guard the bridge. Rex sold the map to the baron."
        self.memories = [("Rex sold the map to the baron", "DISCOVERY", 8)]
        self.type = "BETRAY"
        self.type_field = "type"
        self.learnt: list[tuple[str, str]] = []
        self.more: dict[str, Any] = {}

    async def stream(self, ask: Ask) -> AsyncIterator[Piece | End]:
        assert ask.schema is not None
        asked_for = set(ask.schema["properties"])  # type: ignore[call-overload]
        self.answers(json.dumps(self._answer(asked_for)))
        async for part in super().stream(ask):
            yield part

    def _answer(self, asked_for: set[str]) -> dict[str, Any]:
        if "themes" in asked_for:
            found = [
                {"content": content, "type": type, "confidence": 0.9, **self.more} for content, type in self.learnt
            ]
            told = {"themes": ["trust"], "tone": "tense", "emotional_arc": ["calm", "angry"], "key_topics": ["map"]}
            return {"memories": found, "summary": self.summary, "participants": ["Don", "Rex"], **told}
        if "summary" in asked_for:
            return {"summary": self.summary}
        if "type" in asked_for:
            outcomes = {"actor_outcome": "FAVORABLE", "interactor_outcome": "VERY_UNFAVORABLE"}
            return {"type": self.type, "description": "Rex sold the map to the baron.", **outcomes}
        if "memories" in asked_for:
            fields = ("content", self.type_field, "importance")
            return {"memories": [dict(zip(fields, each, strict=True)) | {"summary": ""} for each in self.memories]}
        return {aspect: {"content": text, "summary": "", "importance": 7} for aspect, text in _ASPECTS.items()}


_ASPECTS = {
    "new_fact": "Rex sold the map to the baron",
    "decision": "Don and Rex agreed to meet the smugglers at the old mill",
    "unresolved_tension": "Don says that Rex betrayed them",
    "relationship_change": "Don promised never to leave the village again",
}


def analyst(mind: World) -> Analyst:
    made = mind.models.named.setdefault(LEARNER, Analyst())
    assert isinstance(made, Analyst)
    return made


def asked_for(model: Scripted, field: str) -> int:
    """How often it was asked for an answer with that field."""
    return sum(field in each.schema["properties"] for each in model.asks if each.schema)  # type: ignore[operator]


# ── keyframes ────────────────────────────────────────────────────────────────────────────────────


async def test_fifty_messages_of_role_play_leave_a_keyframe_and_one_memory() -> None:
    """K1, K2, and TestMemExtract_SingleMemory: at most two, with their sources (M5)."""
    mind = world()
    analyst(mind)
    talk = await role_play(mind)

    await plays(mind, talk, 50)

    kept = await memories(mind)
    assert sorted(each.type for each in kept) == [MemoryType.DISCOVERY, MemoryType.OUTCOME]
    outcome = next(each for each in kept if each.type is MemoryType.OUTCOME)
    memory = next(each for each in kept if each.type is MemoryType.DISCOVERY)
    assert len(outcome.source_message_ids) == 30
    assert all("map" in each.content for each in await mind.lore.memories.source(memory.id))
    assert {each.origin for each in kept} == {Origin.KEYFRAME}
    assert set(memory.persons) == {"don", "rex"}


async def test_even_a_busy_role_play_of_fifty_messages_has_fewer_than_five() -> None:
    """K2: the cap is the code's, whatever the model says."""
    mind = world()
    busy = analyst(mind)
    busy.memories = [(text, "FACT", 9) for text in _ASPECTS.values()]
    talk = await role_play(mind, keyframe_every=10)

    await plays(mind, talk, 50)

    assert 0 < len(await memories(mind)) < 5


@pytest.mark.parametrize("given", [{"extraction_style": "aspects"}, {"memory_extraction_max_per_segment": 5}])
async def test_a_conversation_that_asks_for_more_gets_more(given: dict[str, object]) -> None:
    """K1b, K2: all four of one segment, and its keyframe, also where that says one of them too."""
    mind = world()
    busy = analyst(mind)
    busy.memories = [(text, "FACT", 9) for text in _ASPECTS.values()]
    talk = await role_play(mind, **given)

    await plays(mind, talk, 50)

    kept = await memories(mind)
    assert len(kept) == 5
    assert {each.content for each in kept} >= set(_ASPECTS.values())


async def test_trivial_talk_leaves_nothing_and_asks_nobody() -> None:
    """K2, TestMemExtract_EmptyArray."""
    mind = world()
    model = analyst(mind)
    talk = await role_play(mind, keyframe_every=10)
    for number in range(15):
        mind.model.answers("Fine, thanks.")
        await mind.says(talk, _SMALL[number % len(_SMALL)])
    await mind.works()

    assert await known(mind) == []
    assert model.asks == []


async def test_the_last_two_keyframes_stay_in_the_prompt() -> None:
    """K1: and are not told a second time as memories."""
    mind = world()
    model = analyst(mind)
    model.memories = []
    talk = await role_play(mind, keyframe_every=20, memory_budget=2_000)
    told = ["Don swore to guard the bridge.", "Rex sold the map to the baron.", "Don found the hidden door."]

    for summary in told:
        model.summary = summary
        await plays(mind, talk, 20)
    await mind.says(talk, "Where were we with the bridge, the map and the door?")

    prompt = mind.model.prompt
    assert prompt.count(told[1]) == 1
    assert prompt.count(told[2]) == 1
    assert prompt.index(told[1]) < prompt.index(told[2])


async def test_a_character_that_repeats_itself_is_not_extracted() -> None:
    """V15."""
    mind = world()
    model = analyst(mind)
    talk = await role_play(mind, keyframe_every=10)

    for line in _STORY:
        mind.model.answers("The torch burns low, and the night is dark and full of sound.")
        await mind.says(talk, line)
    await mind.works()

    assert await known(mind) == []
    assert model.asks == []


async def test_forming_again_adds_nothing() -> None:
    """K6, M16."""
    mind = world()
    analyst(mind)
    talk = await role_play(mind, keyframe_every=10)
    await plays(mind, talk, 12)
    before = await memories(mind)
    assert before

    await mind.lore.learning.keyframe(talk.id)
    await mind.works()

    assert await memories(mind) == before


async def test_mem_extract_dedup_still_works() -> None:
    """M8, TestMemExtract_DedupStillWorks: what a later segment says again is known already."""
    mind = world()
    model = analyst(mind)
    talk = await role_play(mind, keyframe_every=30)
    await plays(mind, talk, 30)
    model.summary = "Don found the hidden door."

    await plays(mind, talk, 30)

    found = [each for each in await memories(mind) if each.type is MemoryType.DISCOVERY]
    assert [each.content for each in found] == ["Rex sold the map to the baron"]
    assert asked_for(model, "memories") == 2


async def test_changing_a_message_forms_its_segment_anew() -> None:
    """M15: memory, keyframe and interaction."""
    mind = world()
    model = analyst(mind)
    talk = await role_play(mind, keyframe_every=10)
    await plays(mind, talk, 10)
    assert len(await memories(mind)) == 2
    treason = next(each for each in await mind.log(talk) if "map" in each.content)

    model.summary, model.memories, model.type = "Don found the hidden door.", [], "NONE"
    await mind.lore.messages.edit(talk.id, treason.id, content="We found the hidden door, Rex.")
    assert await known(mind) == []
    await mind.works()

    assert await known(mind) == ["Don found the hidden door."]
    assert (await mind.lore.learning.interactions(talk.id)).items == ()


async def test_a_swiped_reply_takes_its_memories_with_it() -> None:
    """M15."""
    mind = world()
    model = analyst(mind)
    talk = await role_play(mind, keyframe_every=10)
    await plays(mind, talk, 10)
    assert await known(mind)
    reply = (await mind.log(talk))[-1]

    model.summary, model.memories = "Don found the hidden door.", []
    mind.model.answers("The door stays shut.")
    await mind.again(talk, reply)
    await mind.works()

    assert await known(mind) == ["Don found the hidden door."]


async def test_a_branch_in_the_middle_of_a_segment_does_not_know_how_it_ended() -> None:
    """M15, K1: and one after it has the keyframe, and does not form it again."""
    mind = world()
    model = analyst(mind)
    talk = await role_play(mind, keyframe_every=10)
    await plays(mind, talk, 10)
    log = await mind.log(talk)
    before = len(await memories(mind))

    middle = await mind.lore.conversations.branch(talk.id, log[5].id)
    end = await mind.lore.conversations.branch(talk.id, log[-1].id)
    asked = len(model.asks)
    await mind.lore.learning.keyframe(end.id)
    await mind.works()

    kept = await memories(mind)
    of_middle = [each for each in kept if each.conversation_id == middle.id or is_shared_with(each, middle.id)]
    of_end = [each for each in kept if each.conversation_id == end.id or is_shared_with(each, end.id)]
    assert MemoryType.OUTCOME not in {each.type for each in of_middle}
    assert len(of_end) == before
    assert len(model.asks) == asked


# ── interactions ─────────────────────────────────────────────────────────────────────────────────


async def test_interaction_extract_from_chat() -> None:
    """K3: TestInteraction_ExtractFromChat, _OutcomeAssessment, _TemporalPin, _CanonicalPairing and
    _PersistenceRoundtrip."""
    mind = world()
    model = analyst(mind)
    talk = await role_play(mind, keyframe_every=10)
    begun = mind.clock.now

    await plays(mind, talk, 10)

    page = await mind.store.find(mind.scope, Interaction, {"actor_id": "rex", "interactor_id": "don"})
    (passed,) = page.items
    assert (passed.type, passed.state) == (InteractionType.BETRAY, InteractionState.COMPLETE)
    assert (passed.actor_outcome, passed.interactor_outcome) == (Outcome.FAVORABLE, Outcome.VERY_UNFAVORABLE)
    assert begun <= passed.started_at < passed.ended_at <= mind.clock.now
    pinned = next(each for each in await memories(mind) if each.type is MemoryType.DISCOVERY)
    assert pinned.interaction_id == passed.id
    assert tuple(pinned.persons) == pair_of(passed.actor_id, passed.interactor_id)
    ask = next(each for each in model.asks if each.schema and "actor_outcome" in each.schema["properties"])  # type: ignore[operator]
    assert (ask.temperature, ask.max_tokens) == (0.3, 200)


async def test_interaction_none_for_small_talk() -> None:
    """K3, TestInteraction_NoneForSmallTalk: and a type that does not exist is none."""
    for type in ("NONE", "DANCE"):
        mind = world()
        analyst(mind).type = type
        talk = await role_play(mind, keyframe_every=10)
        await plays(mind, talk, 10)

        assert (await mind.lore.learning.interactions(talk.id)).items == ()


# ── the event of a conversation ──────────────────────────────────────────────────────────────────


async def test_chat_event_created_on_first_message_and_only_once() -> None:
    """K5, TestChatEvent_CreatedOnFirstMessage, _IdempotentCreate, _ChatConfigBinding."""
    mind = offline()
    talk = await role_play(mind)
    assert (await mind.store.find(mind.scope, Event)).items == ()

    await mind.says(talk, "Good evening.")
    first = await mind.lore.learning.event(talk.id)
    mind.clock.pass_time(60)
    await mind.says(talk, "Are you there?")

    (event,) = (await mind.store.find(mind.scope, Event)).items
    assert event == first
    assert (event.type, event.state) == (EventType.INTERACT, EventState.IN_PROGRESS)
    assert (event.actors, event.participants, event.conversation_id) == (("rex",), ("don",), talk.id)


async def test_a_greeting_opens_the_event_too() -> None:
    """K5."""
    mind = offline()
    await mind.meets("Mira", greetings=("Welcome, traveller.",))
    talk = await mind.sits_down("Mira")

    assert (await mind.lore.learning.event(talk.id)).state is EventState.IN_PROGRESS


async def test_chat_event_interaction_membership() -> None:
    """K5, TestChatEvent_InteractionMembership."""
    mind = world()
    analyst(mind)
    talk = await role_play(mind, keyframe_every=10)
    await plays(mind, talk, 10)

    event = await mind.lore.learning.event(talk.id)

    page = await mind.store.find(mind.scope, Interaction, {"event_id": event.id})
    assert len(page.items) == 1


@pytest.mark.parametrize("state", [ConversationState.CLOSED, ConversationState.ARCHIVED])
async def test_chat_event_close_on_end(state: ConversationState) -> None:
    """K5, TestChatEvent_CloseOnEnd, _EventTimeline: start and end bracket the talk; opened again, it goes on."""
    mind = offline()
    talk = await role_play(mind)
    await mind.says(talk, "Good evening.")
    mind.clock.pass_time(600)

    await mind.lore.conversations.change(talk.id, state=state)

    event = await mind.lore.learning.event(talk.id)
    messages = await mind.log(talk)
    assert event.state is EventState.COMPLETE
    assert event.ended_at is not None
    assert event.at <= messages[0].created_at <= messages[-1].created_at <= event.ended_at

    await mind.lore.conversations.change(talk.id, state=ConversationState.OPEN)
    assert (await mind.lore.learning.event(talk.id)).ended_at is None


async def test_chat_event_query_by_participant_and_time() -> None:
    """K5, TestChatEvent_EventQuery: that is the timeline."""
    mind = offline()
    talk = await role_play(mind)
    await mind.says(talk, "Good evening.")
    mind.clock.pass_time(3600)
    other = await mind.sits_down("Mira")
    await mind.says(other, "Good morning.")

    event, later = await mind.lore.learning.event(talk.id), await mind.lore.learning.event(other.id)

    for person in ("don", "rex"):
        assert (await mind.lore.learning.timeline(person=person)).items == (event,)
    assert (await mind.lore.learning.timeline()).items == (later, event)
    assert (await mind.lore.learning.timeline(since=later.at, person="mira")).items == (later,)


async def test_a_private_talk_is_no_event() -> None:
    """F6."""
    mind = offline()
    talk = await role_play(mind, private=True)
    await mind.says(talk, "Good evening.")

    assert (await mind.store.find(mind.scope, Event)).items == ()
    await mind.lore.conversations.close(talk.id)


# ── analyses ─────────────────────────────────────────────────────────────────────────────────────


async def companion(mind: World, **config: Any) -> Conversation:
    model = mind.models.named.setdefault(ANALYST, Analyst(ANALYST))
    assert isinstance(model, Analyst)
    model.learnt = [
        ("User is restoring an old sailing boat", "project"),
        ("User's brother taught User to sail", "fact"),
    ]
    model.summary = "User told of the old sailing boat."
    given = {"extract_memories": True, "extract_facts": False, "analyze_model": ANALYST, **config}
    talk = await mind.sits_down("Nova", **given)
    await mind.says(talk, "I am restoring an old sailing boat, and my brother taught me to sail.")
    return talk


async def test_analyse_now_gives_memories_and_an_account() -> None:
    """W1."""
    mind = world()
    talk = await companion(mind)

    await mind.lore.learning.analyze(talk.id)
    await mind.works()

    (analysis,) = (await mind.lore.learning.analyses(talk.id)).items
    assert isinstance(analysis, Analysis)
    assert analysis.summary == "User told of the old sailing boat."
    assert (analysis.themes, analysis.tone, analysis.trigger) == (("trust",), "tense", "asked")
    assert len(analysis.memory_ids) == 2
    assert await known(mind) == ["User is restoring an old sailing boat", "User's brother taught User to sail"]


async def test_analysing_again_adds_nothing_and_keeps_the_history() -> None:
    """W3."""
    mind = world()
    talk = await companion(mind)
    await mind.lore.learning.analyze(talk.id)
    await mind.works()
    before = await memories(mind)

    await mind.lore.learning.analyze(talk.id)
    await mind.works()
    assert len((await mind.lore.learning.analyses(talk.id)).items) == 1, "nothing was said since"

    await mind.lore.learning.analyze(talk.id, again=True)
    await mind.works()
    assert len((await mind.lore.learning.analyses(talk.id)).items) == 2
    assert await memories(mind) == before


async def test_closing_a_conversation_analyses_it() -> None:
    """W1: unless that is not wished."""
    mind = world()
    talk = await companion(mind)
    await mind.lore.conversations.close(talk.id)
    await mind.works()
    (analysis,) = (await mind.lore.learning.analyses(talk.id)).items
    assert analysis.trigger == "closed"

    other = await companion(mind, analyze_on_close=False)
    await mind.lore.conversations.close(other.id)
    await mind.works()
    assert (await mind.lore.learning.analyses(other.id)).items == ()


async def test_past_so_many_tokens_it_is_analysed() -> None:
    """W1."""
    mind = world()
    analyst(mind)
    given = {"keyframe_every": 10, "analyze_past_tokens": 50, "extraction_model": LEARNER}
    talk = await companion(mind, **given)

    await plays(mind, talk, 10)
    await mind.works()

    assert {each.trigger for each in (await mind.lore.learning.analyses(talk.id)).items} == {"tokens"}


@pytest.mark.parametrize("config", [{}, {"keyframe_every": 0}, {"extract_segments": False}])
async def test_past_so_many_tokens_it_is_analysed_without_waiting_for_a_keyframe(config: dict[str, Any]) -> None:
    """W1: a few long messages are enough."""
    mind = world()
    analyst(mind)
    talk = await companion(mind, analyze_past_tokens=100, analyze_model=LEARNER, **config)

    await plays(mind, talk, 6, tuple(f"{each} " + "And the rain went on and on. " * 8 for each in _STORY))
    await mind.works()

    assert {each.trigger for each in (await mind.lore.learning.analyses(talk.id)).items} == {"tokens"}
    few = await companion(mind, analyze_past_tokens=100_000, analyze_model=LEARNER, **config)
    await plays(mind, few, 4)
    assert (await mind.lore.learning.analyses(few.id)).items == ()


async def test_what_somebody_spoke_of_stays_in_the_summary_of_an_analysis() -> None:
    """W1: and a sentence that is made up is named where it is refused."""
    mind = world()
    model = analyst(mind)
    talk = await companion(mind, analyze_model=LEARNER)
    await plays(mind, talk, 4)
    model.summary = "User spoke of the bridge and the smugglers. Mephistopheles bought 77 ships."

    await mind.lore.learning.analyze(talk.id)
    await mind.works()

    (analysis,) = (await mind.lore.learning.analyses(talk.id)).items
    assert analysis.summary == "User spoke of the bridge and the smugglers."
    found = await mind.store.find(mind.scope, Reading, {"conversation_id": talk.id})
    readings = [each for each in found.items if each.extractor is Extractor.ANALYSIS]
    assert ["Mephistopheles" in str(each.refused) for each in readings] == [True]


async def test_closing_a_short_talk_forms_what_passed_in_it() -> None:
    """K3, C7: fewer messages than a keyframe takes; once, however often it is closed; and nothing of a private one."""
    mind = world()
    analyst(mind)
    talk = await role_play(mind)
    await plays(mind, talk, 10)
    assert await interactions(mind, talk) == []

    for _ in range(2):
        await mind.lore.conversations.close(talk.id)
        await mind.works()
        await mind.lore.conversations.change(talk.id, state=ConversationState.OPEN)

    (passed,) = await interactions(mind, talk)
    assert passed.type is InteractionType.BETRAY
    (summary,) = (await mind.store.find(mind.scope, Summary, {"conversation_id": talk.id})).items
    assert (summary.first_seq, summary.last_seq) == (1, 10)
    deeds = (await mind.store.find(mind.scope, AuditEntry, {"kind": "summary"})).items
    assert [(each.verb, each.ref) for each in deeds] == [(Verb.CREATED, summary.id)]
    config = {"auto_title": False, "private": True, "extraction_model": LEARNER}
    hushed = await mind.lore.conversations.start("rex", user="don", config=config)
    await plays(mind, hushed, 10)
    await mind.lore.conversations.close(hushed.id)
    await mind.works()
    assert await interactions(mind, hushed) == []
    assert (await mind.store.find(mind.scope, Summary, {"conversation_id": hushed.id})).items == ()


async def interactions(mind: World, talk: Conversation) -> list[Interaction]:
    return [*(await mind.store.find(mind.scope, Interaction, {"conversation_id": talk.id})).items]


async def test_the_next_talk_begins_with_the_summary_of_the_last() -> None:
    """V16, P5: also while the summary does not reach the end yet; then its last words follow."""
    mind = world()
    analyst(mind)
    talk = await companion(mind, analyze_model=LEARNER)
    await plays(mind, talk, 10)
    await mind.lore.conversations.close(talk.id)
    await mind.works()
    mind.clock.pass_time(3_600)
    following = await companion(mind, recall_recipe="companion")

    known = await mind.lore.x_rays.known(following.id, "Hello again.")
    assert known.last_session is not None
    assert known.last_session.text == "Rex sold the map to the baron."

    await plays(mind, talk, 2, ("The moon was red over the harbour.",))
    mind.clock.pass_time(3_600)
    later = await mind.lore.x_rays.known(following.id, "Hello again.")
    assert later.last_session is not None
    assert later.last_session.text.startswith("Rex sold the map to the baron. It ended with:")
    assert "The moon was red" in later.last_session.text


async def test_a_character_is_read_by_its_own_models() -> None:
    """V9, F8: where the conversation names none."""
    mind = world()
    for name in ("reader", "thinker", "talker"):
        mind.models.named[name] = Analyst(name)
    await mind.meets("Nova", models={"chat": "talker", "extraction": "reader", "analysis": "thinker"})
    await mind.meets("Vega", models={"chat": "talker"})
    talks = {who: await mind.lore.conversations.start(who, config={"auto_title": False}) for who in ("nova", "vega")}
    own = await mind.lore.conversations.start("nova", config={"auto_title": False, "extraction_model": "own"})

    async def reads(talk: Conversation, purpose: Purpose) -> str:
        config = await config_for(mind.store, mind.scope, talk)
        asker = await mind.lore.learning._thinking.asker(mind.scope, purpose, config)
        assert asker is not None
        return asker.name

    assert await reads(talks["nova"], Purpose.EXTRACTION) == "reader"
    assert await reads(talks["nova"], Purpose.ANALYSIS) == "thinker"
    assert await reads(talks["vega"], Purpose.EXTRACTION) == "talker"
    mind.models.named["own"] = Analyst("own")
    assert await reads(own, Purpose.EXTRACTION) == "own"


async def test_the_extraction_prompt_of_the_design_learns() -> None:
    """K1, K2: its variables are filled, and its `memoryType` is a type."""
    mind = world()
    model = analyst(mind)
    prompt = (
        "Extract the SINGLE most important memory.\nCharacters: {{systemCharName}} and {{userCharName}}\n"
        "Setting: {{setting}}\n{{conversationSegment}}\n"
        'Return a JSON array: [{"content": "...", "summary": "...", "memoryType": "FACT|DISCOVERY", "importance": 1}]'
    )
    model.type_field = "memoryType"
    talk = await role_play(mind, memory_extraction_prompt=prompt, keyframe_every=10)

    await plays(mind, talk, 10)
    await mind.works()

    asked = [each.messages[0].content for each in model.asks if "SINGLE most important" in each.messages[0].content]
    assert asked
    assert "Characters: Rex and Don\n" in asked[0]
    assert "{{" not in asked[0]
    found = (await mind.store.find(mind.scope, Memory, {"conversation_id": talk.id})).items
    assert [each.type for each in found if each.type is not MemoryType.OUTCOME] == [MemoryType.DISCOVERY]


async def test_the_profile_decides_which_kinds_are_asked_for() -> None:
    """W2: the character's, or the conversation's own."""
    mind = world()
    await mind.meets("Nova", memory_profile="minimal")
    talk = await companion(mind)
    await mind.lore.learning.analyze(talk.id)
    await mind.works()
    model = mind.models.named[ANALYST]
    assert isinstance(model, Analyst)
    assert "project" in model.prompt
    assert "relationship:" not in model.prompt

    await mind.lore.conversations.change(talk.id, config={"memory_profile": "unbounded"})
    await mind.lore.learning.analyze(talk.id, again=True)
    await mind.works()
    assert "relationship:" in model.prompt


async def test_without_a_model_an_analysis_is_refused_in_words() -> None:
    """W1."""
    mind = offline()
    talk = await mind.sits_down("Nova")
    await mind.says(talk, "I am restoring an old sailing boat.")

    with pytest.raises(BadAsk, match="none is connected"):
        await mind.lore.learning.analyze(talk.id)


async def test_in_a_scene_of_three_each_memory_and_interaction_is_of_those_it_concerns() -> None:
    """V10, K3: what was said to Rex is between the user and Rex, and what passed with Mira is not his."""
    mind = world()
    model = analyst(mind)
    don = await mind.meets("Don")
    for name in ("Rex", "Mira"):
        await mind.meets(name)
    config = {"auto_title": False, "extract_memories": True, "extraction_model": LEARNER}
    talk = await mind.lore.conversations.start(["rex", "mira"], user=don, config=config)
    lines = [
        ("rex", "Rex, you sold the map to the baron!", "I had no choice. The baron holds my brother."),
        ("mira", "Mira, I promise never to leave the village again.", "Your word is enough. Let us drink to that."),
        ("rex", "We agree to meet at the old mill tomorrow.", "Bring a lantern; the path is steep."),
    ]
    for speaker, line, answer in lines:
        mind.model.answers(answer)
        await mind.says(talk, line, speaker_id=speaker)
        mind.clock.pass_time(60)

    await mind.lore.learning.keyframe(talk.id)
    await mind.works()

    passed = (await mind.store.find(mind.scope, Interaction, limit=10)).items
    assert {(each.actor_id, each.interactor_id) for each in passed} == {("rex", "don"), ("mira", "don")}
    asked = [each for each in model.asks if each.schema and "actor_outcome" in json.dumps(each.schema)]
    blocks = [each.messages[-1].content for each in asked]
    assert ["village" in each for each in blocks] == [False, True]
    (learnt,) = [each for each in await memories(mind) if each.type is MemoryType.DISCOVERY]
    assert learnt.persons == ("don", "rex")
    assert learnt.interaction_id == next(each.id for each in passed if each.actor_id == "rex")
