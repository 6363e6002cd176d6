"""An agent with a big system prompt and a long talk: it reaches the model whole, or it is told what was cut."""

from typing import Any

from everlore.server.access import CUT, SESSION
from tests.journeys.world import Client, World, dialogue, prompt_text

RULES = "".join(f"Rule {number}: check the ledger twice.\n" for number in range(1_900))
LINES = [f"Step {number}. The parcel went to dock {number}." + " It was logged." * 25 for number in range(61)]


def run(client: Client, lines: list[str], **body: Any) -> Any:
    messages = [{"role": "system", "content": RULES}, *dialogue(*lines)]
    return client.request(
        "POST", "/v1/chat/completions", json={"model": "everlore/clerk", "messages": messages, **body}
    )


def test_a_long_agent_talk_reaches_the_model_whole_and_a_cut_is_told(world: World) -> None:
    """Windows, the preset for assistants, the log, the x-ray, search, and a person's talk afterwards."""
    assert len(RULES) > 60_000
    world.model.told = {"max_model_len": 65_536}
    owner = world.start().owner()
    clerk = owner.character("Clerk")

    whole = run(owner, LINES)
    body = world.requests[-1]
    assert CUT not in whole.headers
    assert "max_tokens" not in body
    assert RULES.strip() in body["messages"][0]["content"]
    assert [line for line in LINES if line not in prompt_text(body)] == []
    assert len([each for each in body["messages"] if each["role"] != "system"]) == 61
    assert not [words for words in ("Stay in character", "rated", "rating") if words in body["messages"][0]["content"]]

    # The same talk goes on with a model of a smaller window: what it lacks is told, and the log has all of it.
    world.model.told = {"max_model_len": 8_192}
    smaller = world.start().owner()
    cut = run(smaller, [*LINES, "I see.", "Where did the parcel of step 3 go?"], stream=True)
    told = dict(part.split("=") for part in cut.headers[CUT].split(", "))
    kept, sent = map(int, told["messages"].split("/"))
    assert (kept < sent, sent) == (True, 63)
    assert "instructions" in told
    talk = cut.headers[SESSION]
    assert talk == whole.headers[SESSION]
    x_ray = smaller.get(f"/api/conversations/{talk}/prompt")
    assert x_ray["window"] == 8_192
    assert any(f"{kept} of 63 messages" in each for each in x_ray["warnings"])
    assert smaller.lines(talk) == [*LINES, "I see.", "Where did the parcel of step 3 go?", "I see."]
    world.settle(smaller)
    assert any("dock 3." in each for each in smaller.search("parcel dock 3", include=["messages"]))

    # Nobody who talks to it next hears how the agent's work ended.
    smaller.say(smaller.open(clerk), "Good morning!")
    assert "It ended with" not in world.prompts[-1]
