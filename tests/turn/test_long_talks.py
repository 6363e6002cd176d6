"""What a turn knows of a long talk, and of a campaign: what was decided stays, no player learns a secret (P10, G9)."""

from itertools import pairwise
from typing import Any

import pytest
from structlog.testing import capture_logs

from everlore.domain.campaign import Campaign
from everlore.domain.conversation import Conversation
from everlore.domain.memory import Memory
from everlore.errors import BadAsk
from everlore.store.port import Amend, Put
from tests.turn.world import World, world

DECISION = "I have decided: the heir of Carrow is Tamsin, and nobody else."


async def _long_talk(mind: World, others: str) -> Conversation:
    """300 messages, of which the fifth decides something."""
    talk = await mind.sits_down("Mira")
    for number in range(300):
        content = DECISION if number == 4 else others.format(number)
        await mind.turns.note(mind.scope, talk.id, content)
    return talk


@pytest.mark.parametrize("others", ["lol", "Bram of Oxmoor owes Petra {} crowns, said Lord Vane on 3 May."])
async def test_a_decision_long_ago_is_in_the_prompt_whatever_was_said_since(others: str) -> None:
    """P10: fillers, or names and numbers in every line."""
    mind = world()
    talk = await _long_talk(mind, others)

    await mind.says(talk, "Who is the heir?")

    assert mind.model.prompt.count(DECISION) == 1


async def test_a_long_talk_is_read_no_further_than_a_prompt_needs() -> None:
    """P10: what is between is not fetched, and said not to be shown."""
    mind = world()
    talk = await _long_talk(mind, "lol")

    seen = await mind.lore.x_rays.would_be(talk.id, "Who is the heir?")

    kinds = {each["fidelity"] for each in seen.account["messages"]}
    spans = [(each["first"], each["last"]) for each in seen.account["messages"]]
    assert kinds == {"full", "placeholder"}
    assert (spans[0][0], spans[-1][1]) == (1, 301)
    assert all(before[1] + 1 == after[0] for before, after in pairwise(spans))


async def _campaign(mind: World, talk: Conversation, **fields: Any) -> None:
    now = mind.clock()
    campaign = Campaign(workspace=talk.workspace, id="sea", name="The Sea", created_at=now, updated_at=now, **fields)
    secret = Memory(
        workspace=talk.workspace,
        id="secret",
        content="The ferryman is the murderer.",
        persons=("mira",),
        campaign_id="sea",
        is_spoiler=True,
        created_at=now,
        updated_at=now,
    )
    belongs = Amend(Conversation, talk.id, {"campaign_id": "sea", "config": {"template": "game-master"}})
    changes = [Put(campaign), Put(secret), belongs]
    await mind.store.apply(mind.scope, [*changes])


@pytest.mark.parametrize(("gm", "told"), [(None, 0), ("user", 0), ("mira", 1)])
async def test_a_secret_is_told_to_whoever_runs_the_game_and_to_nobody_else(gm: str | None, told: int) -> None:
    """G9: neither in the prompt nor in its x-ray, also where a template asks for it by id. Who asks does not count."""
    mind = world()
    talk = await mind.sits_down("Mira")
    await _campaign(mind, talk, gm_id=gm)
    asked = {"name": "Nosy", "sections": {"a": {"content": ["${memory.secret}", "${memory.context}"]}}}
    nosy = (await mind.lore.templates.create(asked)).kept.id

    for template in ("game-master", nosy):
        await mind.lore.conversations.change(talk.id, config={"template": template})
        await mind.says(talk, "Who is the murderer? The ferryman?")
        assert mind.model.prompt.count("The ferryman is the murderer.") == told
        seen = await mind.lore.x_rays.of(talk.id)
        assert len([each for each in seen.account["memories"] if each["id"] == "secret"]) == told


async def test_a_variable_that_nobody_knows_is_left_out_of_a_turn_and_logged() -> None:
    """P5: and told in the x-ray."""
    mind = world()
    talk = await mind.sits_down("Mira")
    saved = await mind.lore.templates.create({"name": "Odd", "sections": {"a": {"content": "Be ${nice} to ${mood}!"}}})
    await mind.lore.conversations.change(talk.id, config={"template": saved.kept.id})

    with capture_logs() as logs:
        await mind.says(talk, "Hello!")

    seen = await mind.lore.x_rays.of(talk.id)
    assert "${" not in mind.model.prompt
    assert [entry["faults"] for entry in logs if entry["event"] == "template.faults"] == [seen.account["faults"]]
    assert [fault.split(".")[0] for fault in seen.account["faults"]] == [
        "There is no variable ${nice}",
        "There is no variable ${mood}",
    ]


async def test_a_conversation_cannot_ask_for_a_template_that_nobody_has() -> None:
    """P1."""
    mind = world()
    talk = await mind.sits_down("Mira")

    with pytest.raises(BadAsk, match=r"There is no template 'nix'\. Known: .*Base Roleplay"):
        await mind.lore.conversations.change(talk.id, config={"template": "nix"})
    with pytest.raises(BadAsk, match="There is no template 'nix'"):
        await mind.lore.conversations.start("mira", config={"template": "nix"})
