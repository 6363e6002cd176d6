"""Why a memory is not told in a reply (R5): the reply's own recall is looked through, by its own recipe and room.

Start at `why_untold`.
"""

from collections.abc import Mapping
from typing import Any

from everlore.domain.conversation import Conversation
from everlore.domain.memory import Memory
from everlore.domain.scope import Scope
from everlore.domain.visibility import place_of, speaker_in
from everlore.recall.answer import Step, WhyNotVerdict
from everlore.recall.flow import why_not
from everlore.recall.question import RecallQuery
from everlore.turn.begin import last_speaker
from everlore.turn.campaign_context import campaign_of
from everlore.turn.recipes import recipe_in
from everlore.turn.resources import Resources, reading_of
from everlore.turn.speakers import next_speaker
from everlore.turn.stage import set_stage
from everlore.turn.xrays import XRays


async def why_untold(
    resources: Resources, scope: Scope, memory_id: str, content: str, conversation_id: str
) -> WhyNotVerdict:
    """Which step keeps this memory out of the reply to these words, if any does. Nothing is written, and no model is
    asked."""
    memory = await resources.store.get(scope, Memory, memory_id)
    stage = await set_stage(resources, scope, conversation_id)
    seen = await XRays(scope, resources).would_be(conversation_id, content)
    recalled = [each for each in seen.account["memories"] if each["kind"] == "memory"]
    for each in recalled:
        if each["id"] == memory_id:
            return _found(each, [told["id"] for told in recalled if not told["left_out"]])
    speaker = next_speaker(stage.here, content, last_speaker(stage.history))
    recipe = await recipe_in(resources, scope, conversation_id)
    campaign = await campaign_of(resources.store, scope, stage.conversation)
    question = RecallQuery(
        text=content,
        viewer=speaker_in(stage.conversation, speaker.id, campaign),
        place=place_of(stage.conversation),
        recipe=recipe,
    )
    verdict = await why_not(scope, memory_id, question, reading_of(resources))
    if verdict.step in (Step.SCOPE, Step.CANDIDATES):
        return verdict
    if not _is_between(memory, speaker.id, stage.conversation):
        why = "It belongs to the character and someone else, so it is not used in this chat."
        return WhyNotVerdict(memory_id, Step.SCOPE, why, score=verdict.score, parts=verdict.parts)
    why = "Not relevant enough to bring up unasked."
    return WhyNotVerdict(memory_id, Step.FLOOR, why, score=verdict.score, parts=verdict.parts)


def _found(each: Mapping[str, Any], told: list[str]) -> WhyNotVerdict:
    id, score, parts = each["id"], each["score"], each["parts"]
    if each["left_out"]:
        return WhyNotVerdict(
            id, Step.LIMIT, f"Found, but left out of the prompt: {each['left_out']}.", score=score, parts=parts
        )
    return WhyNotVerdict(id, None, each["why"], told.index(id) + 1, score, parts)


def _is_between(memory: Memory, character_id: str, conversation: Conversation) -> bool:
    """Of the two, of either of them alone, or of both among others."""
    persons, two = set(memory.persons), {character_id, conversation.user_id}
    return persons <= two or two <= persons
