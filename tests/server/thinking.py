"""What a model on a real server answers to the questions that are asked in the background, each with JSON of its own.

    here.model.scenario = thinking(facts=facts("User is a teacher"))

Whatever else it is asked is a turn, and is answered as a character would who does not repeat herself.
"""

import itertools
import json
from typing import Any

from tests.models.chat_server import Exchange, Scenario

# By what a question of each kind begins with.
_BEGINNINGS = {
    "facts": "You keep a notebook about one person",
    "summary": "You keep the chronicle of a conversation",
    "memories": "You choose what is worth remembering",
    "interaction": "You are given one segment of a conversation",
    "analysis": "You read a whole conversation",
    "stretch": "You sum up one stretch",
    "stretches": "You sum up a long part",
}
_REPLIES = ("The kettle is on.", "Rain drums against the window tonight.", "Somebody left a lantern by the gate.")


def thinking(**answers: Any) -> Scenario:
    """An answer that is a scenario itself is played."""
    replies = itertools.cycle(_REPLIES)

    async def answer(exchange: Exchange) -> None:
        asked = exchange.asked.body["messages"][0]["content"]
        found = [answers[kind] for kind, begins in _BEGINNINGS.items() if kind in answers and asked.startswith(begins)]
        if found and callable(found[0]):
            await found[0](exchange)
            return
        await exchange.begin()
        await exchange.text([json.dumps(found[0]) if found else next(replies)])
        await exchange.finish()
        await exchange.end()

    return answer


def facts(*contents: str, category: str = "personal_info", confidence: float = 0.95, quote: str = "") -> dict[str, Any]:
    fields = {"category": category, "confidence": confidence, "quote": quote, "reasoning": "The user said so."}
    return {"facts": [{"content": content, **fields} for content in contents]}
