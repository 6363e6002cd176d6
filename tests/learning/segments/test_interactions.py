"""What two persons did with each other: one type out of a fixed list, and an outcome for each side (K3, K4)."""

from dataclasses import replace

import pytest

from everlore.domain.conversation import Conversation
from everlore.domain.interaction import Interaction, InteractionState, InteractionType, Outcome
from everlore.domain.scope import pair_of
from everlore.errors import ModelUnavailable
from everlore.learning.segments.interactions import Proposed, interaction_of, pairs_in, read_interaction
from everlore.learning.segments.keyframes import Segment
from tests.contract.builders import conversation, minute
from tests.learning.segments.asked import BETRAYAL, NAMES, SMALL_TALK, Scripted, line, segment

CHAT = conversation("chat", system_ids=("lyra",), user_id="tom")
ALLIES = {
    "type": "ALLY",
    "description": "Lyra sided with Tom against Marcus.",
    "actor_outcome": "MIXED",
    "interactor_outcome": "FAVORABLE",
}


async def test_a_segment_has_one_interaction_with_an_outcome_for_each_side() -> None:
    """K3."""
    proposed = await interaction_of(segment(*BETRAYAL), Scripted(ALLIES))

    assert proposed == Proposed(
        InteractionType.ALLY, "Lyra sided with Tom against Marcus.", Outcome.MIXED, Outcome.FAVORABLE
    )


async def test_the_question_is_one_call_of_its_own_that_names_every_type() -> None:
    """K3, K4: temperature 0.3, at most 200 tokens."""
    model = Scripted(ALLIES)

    await interaction_of(segment(*BETRAYAL, setting="A tavern"), model)

    (ask,) = model.asks
    assert (ask.temperature, ask.max_tokens) == (0.3, 200)
    assert all(each.value in model.system(0) for each in InteractionType if each is not InteractionType.UNKNOWN)
    assert all(each.value in model.system(0) for each in Outcome)
    assert '"actor": ["Lyra"], "interactor": ["Tom"]' in model.given(0)
    assert "A tavern" in model.given(0)


@pytest.mark.parametrize("answer", [{"type": "NONE"}, {"type": "none"}, {"type": "UNKNOWN", "description": "?"}])
async def test_none_makes_no_record(answer: object) -> None:
    """K3."""
    assert await interaction_of(segment(*BETRAYAL), Scripted(answer)) is None


@pytest.mark.parametrize(
    "answer",
    [
        "They were friends.",
        {"type": "HUGGING", "description": "x", "actor_outcome": "MIXED", "interactor_outcome": "MIXED"},
        {**ALLIES, "actor_outcome": "GREAT"},
        {**ALLIES, "interactor_outcome": None},
        {**ALLIES, "description": 7},
        {**ALLIES, "type": ["ALLY"]},
        [ALLIES],
        "null",
    ],
)
async def test_what_does_not_exist_is_refused(answer: object) -> None:
    """K4: no type or outcome is made up, and nothing is guessed."""
    assert await interaction_of(segment(*BETRAYAL), Scripted(answer)) is None


@pytest.mark.parametrize("kind", list(InteractionType))
def test_small_letters_and_spaces_are_read_too(kind: InteractionType) -> None:
    """K4."""
    given = {**ALLIES, "type": f" {kind.value.lower().replace('_', ' ')} ", "actor_outcome": "very favorable"}

    found = read_interaction(given)

    assert found is not None
    assert found.type is kind


async def test_no_model_is_asked_about_small_talk_nor_about_an_echo() -> None:
    """K3, V15."""
    assert await interaction_of(segment(*SMALL_TALK), Scripted()) is None
    assert await interaction_of(segment(*BETRAYAL, replies_echo=True), Scripted()) is None
    assert await interaction_of(segment(*BETRAYAL), None) is None


async def test_a_description_that_is_made_up_is_left_out() -> None:
    """F5."""
    proposed = await interaction_of(
        segment(*BETRAYAL), Scripted({**ALLIES, "description": "Lyra sided with Tom. Duke Oswin was furious."})
    )

    assert proposed is not None
    assert (proposed.type, proposed.description) == (InteractionType.ALLY, "Lyra sided with Tom.")


async def test_a_server_that_is_away_is_asked_again_later() -> None:
    with pytest.raises(ModelUnavailable):
        await interaction_of(segment(*BETRAYAL), Scripted(ModelUnavailable("It is down.")))


def record(proposed: Proposed, scene: Conversation, said: Segment) -> Interaction:
    (pair,) = pairs_in(scene, said)
    return proposed.record(scene, pair, said.messages[-1].seq, event_id="talk-1", at=minute(99))


def test_the_record_has_the_character_as_actor_and_the_times_of_the_segment() -> None:
    """K3, K5."""
    proposed = Proposed(InteractionType.ALLY, "They burnt the map.", Outcome.MIXED, Outcome.FAVORABLE)

    made = record(proposed, CHAT, segment(*BETRAYAL))

    assert (made.actor_id, made.interactor_id) == ("lyra", "tom")
    assert (made.actor_outcome, made.interactor_outcome) == (Outcome.MIXED, Outcome.FAVORABLE)
    assert (made.started_at, made.ended_at, made.created_at) == (minute(0), minute(5), minute(99))
    assert (made.state, made.conversation_id, made.event_id) == (InteractionState.COMPLETE, "chat", "talk-1")


def test_the_same_segment_gives_the_same_record() -> None:
    """K6: formed again after a crash, it is no second one."""
    proposed = Proposed(InteractionType.HELP)

    one = record(proposed, CHAT, segment(*BETRAYAL))
    again = record(proposed, CHAT, segment(*BETRAYAL))
    later = record(proposed, CHAT, segment(*BETRAYAL, "And then?"))

    assert one == again
    assert one.id != later.id


def test_the_pair_is_the_same_whoever_plays_whom() -> None:
    """M4."""
    proposed = Proposed(InteractionType.HELP)
    turned = replace(CHAT, system_ids=("tom",), user_id="lyra")

    one = record(proposed, CHAT, segment(*BETRAYAL))
    other = record(proposed, turned, segment(*BETRAYAL))

    assert pair_of(one.actor_id, one.interactor_id) == pair_of(other.actor_id, other.interactor_id)


def test_of_several_characters_the_one_who_speaks_is_the_actor() -> None:
    """V13."""
    scene = replace(CHAT, system_ids=("lyra", "mira"))
    messages = (line(0, "tom", "Who goes first?"), line(1, "mira", "I do."), line(2, "mira", "Come."))

    made = record(Proposed(InteractionType.HELP), scene, Segment(messages=messages, names=NAMES))

    assert made.actor_id == "mira"


def test_there_is_no_interaction_with_nobody() -> None:
    assert pairs_in(replace(CHAT, user_id=None), segment(*BETRAYAL)) == []
    assert pairs_in(replace(CHAT, system_ids=()), segment(*BETRAYAL)) == []
