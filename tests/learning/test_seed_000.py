"""Quiet extraction, interactions and the event of a conversation, claim by claim: what can be shown without a store.

Each name says which claim it holds to; the same claims with everything kept are shown on the whole engine.
"""

import json
import re
from dataclasses import replace
from importlib.resources import files

import pytest

from everlore.domain.config import BadConfig, ConversationConfig, config_of
from everlore.domain.event import EventState, EventType
from everlore.domain.interaction import InteractionType, Outcome
from everlore.domain.memory import MemoryType
from everlore.domain.reading import Filter
from everlore.domain.scope import pair_of
from everlore.learning.asking import instructions
from everlore.learning.segments.answers import read_memories, read_summary, segment_ask
from everlore.learning.segments.episodes import completed, event_id_of, opened
from everlore.learning.segments.interactions import PairSegment, Proposed, interaction_of, read_interaction
from everlore.learning.segments.keyframes import SegmentRules, keyframe_of, room_for, rules_of, segment_bounds
from tests.contract.builders import conversation, minute
from tests.house.tree import modules
from tests.learning.segments.asked import BETRAYAL, NAMES, SMALL_TALK, Scripted, memories, segment

CHAT = conversation("chat", system_ids=("lyra",), user_id="tom")
SUMMARY = {"summary": "Tom found that the map was a forgery. Lyra burnt it."}
FORGED = ("Marcus sold Lyra a forged map.", "DISCOVERY", 7)
MILL = ("Tom and Lyra decided to go to the old mill.", "DECISION", 5)
QUARREL = ("You lied to me about the debt, Lyra!", "*She slams the door.* Get out, Tom!", "Pay me my 40 silver!")
ROOF = ("Can you help me mend the roof, Lyra?", "*She climbs the ladder with a hammer.*", "You saved my house.")


def rules(**config: object) -> SegmentRules:
    return rules_of(ConversationConfig.model_validate(config))


# ── cleaning up ──────────────────────────────────────────────────────────────────────────────────


async def test_cleanup_text_parser_removal() -> None:
    """JSON is read, bare or in one code fence."""
    fenced = f"```json\n{json.dumps(memories(FORGED)['memories'])}\n```"

    keyframe = await keyframe_of(segment(*BETRAYAL), Scripted(SUMMARY, fenced), rules())

    assert keyframe is not None
    assert [each.content for each in keyframe.memories] == [FORGED[0]]


@pytest.mark.parametrize(
    "answer", ["1. Marcus sold Lyra a forged map.", "- FACT: Marcus sold a map", "Nothing, sorry!"]
)
async def test_cleanup_non_json_returns_empty(answer: str) -> None:
    """Lists in plain text are not picked apart."""
    keyframe = await keyframe_of(segment(*BETRAYAL), Scripted(SUMMARY, answer), rules())

    assert keyframe is not None
    assert keyframe.memories == ()
    assert [each.filter for each in keyframe.refused] == [Filter.BAD_SHAPE]


def test_cleanup_overload_removal() -> None:
    """There is one way to say whose an interaction is: by the conversation's persons."""
    with pytest.raises(TypeError):
        Proposed(InteractionType.HELP).record(17, 23, event_id=None, at=minute(0), person_id=5)  # type: ignore[call-arg, arg-type]


@pytest.mark.parametrize("field", ["format_output", "force_jailbreak"])
def test_cleanup_dead_field_removal(field: str) -> None:
    """What means nothing cannot be set."""
    with pytest.raises(BadConfig, match=field):
        config_of({field: True})


# ── one place for memory ─────────────────────────────────────────────────────────────────────────

PROMPTS = (
    "segment_summary segment_memory segment_memory_output segment_aspects segment_aspects_output interaction analysis"
).split()


@pytest.mark.parametrize("name", PROMPTS)
def test_consolidation_prompt_load(name: str) -> None:
    """Prompts come with the package, beside the code that reads their answers."""
    assert files("everlore.learning").joinpath("prompts", f"{name}.txt").is_file()


async def test_consolidation_keyframe_extraction_path() -> None:
    model = Scripted(SUMMARY, memories(FORGED))

    await keyframe_of(segment(*BETRAYAL), model, rules())

    assert model.system(0) == instructions("segment_summary")
    assert model.system(1).startswith(instructions("segment_memory"))


def test_consolidation_no_memory_logic_elsewhere() -> None:
    """The surfaces translate and delegate: none of them asks a model what to remember."""
    inner = re.compile(r"everlore\.learning\.(?:segment|interaction|analysis_|asking|vetting|extractive|trivial)")

    found = [
        name
        for name, path in modules()
        if name.split(".")[1:2] in (["server"], ["cli"]) and inner.search(path.read_text(encoding="utf-8"))
    ]

    assert found == []


# ── quiet extraction ─────────────────────────────────────────────────────────────────────────────


async def test_mem_extract_single_memory() -> None:
    """Fifty messages in segments of thirty: one keyframe and one memory, however much the model finds."""
    greedy = memories(FORGED, MILL, *[(f"Lyra burnt the map, and that was {word}.", "FACT", 3) for word in "abcdef"])
    due = segment_bounds(0, 50, ConversationConfig().keyframe_every)

    keyframe = await keyframe_of(segment(*BETRAYAL * 5), Scripted(SUMMARY, greedy), rules())

    assert due == (1, 30)
    assert segment_bounds(30, 50, 30, formed=2) is None
    assert keyframe is not None
    assert len(keyframe.memories) == 1
    assert len(keyframe.candidates) <= room_for(30, 0) <= 2


@pytest.mark.parametrize("answer", ["[]", '{"memories": []}', "```\n[]\n```"])
async def test_mem_extract_empty_array(answer: str) -> None:
    """A trivial talk asks nobody; and a model that finds nothing forms nothing."""
    keyframe = await keyframe_of(segment(*BETRAYAL), Scripted(SUMMARY, answer), rules())

    assert await keyframe_of(segment(*SMALL_TALK), Scripted(), rules()) is None
    assert keyframe is not None
    assert (keyframe.memories, keyframe.refused) == ((), ())


async def test_mem_extract_json_only() -> None:
    keyframe = await keyframe_of(segment(*BETRAYAL), Scripted(SUMMARY, f"Memory: {FORGED[0]}"), rules())

    assert keyframe is not None
    assert keyframe.memories == ()


async def test_mem_extract_configurable_types() -> None:
    model = Scripted(SUMMARY, memories(FORGED, MILL))

    keyframe = await keyframe_of(segment(*BETRAYAL), model, rules(memory_extraction_types="DECISION,GOAL"))

    assert keyframe is not None
    assert [each.type for each in keyframe.memories] == [MemoryType.DECISION]
    assert [each.filter for each in keyframe.refused] == [Filter.WRONG_TYPE]


@pytest.mark.parametrize("most", [1, 2, 3])
async def test_mem_extract_configurable_max(most: int) -> None:
    found = memories(FORGED, MILL, ("Marcus betrayed the guild.", "FACT", 6))
    wide = replace(rules(memory_extraction_max_per_segment=most), room=9)

    keyframe = await keyframe_of(segment(*BETRAYAL), Scripted(SUMMARY, found), wide)

    assert keyframe is not None
    assert len(keyframe.memories) == most


def test_mem_extract_new_prompt() -> None:
    """The answers that the prompts show are answers that can be read."""
    config = rules()
    system = segment_ask(config.style, config.types, config.most, "", "").messages[0].content
    examples = _examples(system, "memories")

    assert len(examples) >= 4
    assert sum(1 for each in examples if each == {"memories": []}) >= 3
    assert all(read_memories(each) is not None for each in examples)
    assert all(read_summary(each) is not None for each in _examples(instructions("segment_summary"), "summary"))


async def test_mem_extract_chain() -> None:
    """Two questions, and no look at what is known already: that is settled when a memory is saved."""
    model = Scripted(SUMMARY, memories(FORGED))

    await keyframe_of(segment(*BETRAYAL), model, rules())

    assert len(model.asks) == 2


# ── interactions ─────────────────────────────────────────────────────────────────────────────────


def interaction(kind: str, description: str, actor: str = "NEUTRAL", interactor: str = "NEUTRAL") -> dict[str, str]:
    return {"type": kind, "description": description, "actor_outcome": actor, "interactor_outcome": interactor}


async def test_interaction_extract_from_chat() -> None:
    proposed = await interaction_of(segment(*QUARREL), Scripted(interaction("CONFLICT", "Tom and Lyra quarrelled.")))

    assert proposed is not None
    pair = PairSegment("lyra", segment(*QUARREL))
    record = proposed.record(CHAT, pair, 3, event_id=event_id_of(CHAT.id), at=minute(9))
    assert record.event_id == event_id_of(CHAT.id)


@pytest.mark.parametrize(("said", "kind"), [(QUARREL, "CONFLICT"), (ROOF, "HELP"), (BETRAYAL, "ALLY")])
async def test_interaction_type_classification(said: tuple[str, ...], kind: str) -> None:
    proposed = await interaction_of(segment(*said), Scripted(interaction(kind, "")))

    assert proposed is not None
    assert proposed.type is InteractionType(kind)


async def test_interaction_outcome_assessment() -> None:
    answer = interaction("HELP", "Lyra mended the roof of Tom.", "NEUTRAL", "VERY_FAVORABLE")

    proposed = await interaction_of(segment(*ROOF), Scripted(answer))

    assert proposed is not None
    assert (proposed.actor_outcome, proposed.interactor_outcome) == (Outcome.NEUTRAL, Outcome.VERY_FAVORABLE)


async def test_interaction_none_for_small_talk() -> None:
    assert await interaction_of(segment(*SMALL_TALK), Scripted()) is None
    assert await interaction_of(segment(*BETRAYAL), Scripted({"type": "NONE"})) is None


def test_interaction_canonical_pairing() -> None:
    record = Proposed(InteractionType.HELP).record(
        CHAT, PairSegment("lyra", segment(*ROOF)), 3, event_id=None, at=minute(9)
    )

    assert pair_of(record.actor_id, record.interactor_id) == pair_of("lyra", "tom") == pair_of("tom", "lyra")


def test_interaction_prompt_output() -> None:
    """The answers that the prompt shows are answers that can be read."""
    system = instructions("interaction", types="", outcomes="")
    examples = [each for each in _examples(system, "type") if each["type"] != "…"]

    assert len(examples) >= 3
    assert all(read_interaction(each) is not None for each in examples)


# ── the event ────────────────────────────────────────────────────────────────────────────────────


def test_chat_event_created_on_first_message() -> None:
    event = opened(CHAT, NAMES, minute(0))

    assert (event.type, event.state) == (EventType.INTERACT, EventState.IN_PROGRESS)
    assert (event.actors, event.participants) == (("lyra",), ("tom",))


def test_chat_event_interaction_membership() -> None:
    event = opened(CHAT, NAMES, minute(0))

    record = Proposed(InteractionType.HELP).record(
        CHAT, PairSegment("lyra", segment(*ROOF)), 3, event_id=event.id, at=minute(9)
    )

    assert record.event_id == event.id


def test_chat_event_timeline() -> None:
    event = replace(opened(CHAT, NAMES, minute(0)), **completed(minute(60)))
    record = Proposed(InteractionType.HELP).record(
        CHAT, PairSegment("lyra", segment(*ROOF)), 3, event_id=event.id, at=minute(9)
    )

    assert record.ended_at is not None
    assert event.ended_at is not None
    assert event.at <= record.started_at <= record.ended_at <= event.ended_at


def test_chat_event_binding() -> None:
    """A conversation leads to its event, and the event to its conversation."""
    event = opened(CHAT, NAMES, minute(0))

    assert (event_id_of(CHAT.id), event.conversation_id) == (event.id, CHAT.id)


def test_chat_event_idempotent_create() -> None:
    assert opened(CHAT, NAMES, minute(0)).id == opened(replace(CHAT, message_count=7), NAMES, minute(5)).id


def test_chat_event_close_on_end() -> None:
    closed = replace(opened(CHAT, NAMES, minute(0)), **completed(minute(60)))

    assert (closed.state, closed.ended_at) == (EventState.COMPLETE, minute(60))


def _examples(prompt: str, key: str) -> list[dict[str, object]]:
    """The JSON objects that a prompt shows, each on the end of a line."""
    found = re.findall(rf'(?m)(\{{"{key}": .*\}})\.?$', prompt)
    return [json.loads(each) for each in found]
