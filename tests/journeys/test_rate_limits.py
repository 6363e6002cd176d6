"""A model server that limits how often it is asked."""

import time
from typing import Any

import pytest

from everlore.server.access import SESSION
from tests.journeys.world import Client, Server, World, dialogue
from tests.models.chat_server import failing

TALK = {SESSION: "errands"}
# Far longer than a test may take: whoever retries by itself is found out.
BACKOFF_S = 25


def started(world: World) -> Server:
    return world.start(EVERLORE_CHAT__RETRIES="5", EVERLORE_CHAT__BACKOFF_S=str(BACKOFF_S))


def ask(client: Client, *lines: str, stream: bool = False) -> Any:
    body = {"model": "everlore/mira", "messages": dialogue(*lines), "stream": stream}
    return client.http.post("/v1/chat/completions", json=body, headers=TALK)


@pytest.mark.parametrize("stream", [False, True])
def test_a_rate_limit_arrives_at_once_the_message_is_kept_and_a_retry_doubles_nothing(
    world: World, stream: bool
) -> None:
    """Errors, the log, a second server, learning and recall."""
    first, second = started(world), started(world)
    here, there = first.owner(), second.owner()
    here.character("Mira")
    world.model.script += [failing(429, "slow down", Retry_After="7")] * 2

    began = time.monotonic()
    refused = ask(here, "I live in Porto.", stream=stream)
    assert time.monotonic() - began < BACKOFF_S
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "7")
    assert refused.json()["error"]["message"] == "slow down"
    assert here.lines("errands")[0] == "I live in Porto."

    # Once more too early, on the other server, and then in time.
    assert ask(there, "I live in Porto.", stream=stream).status_code == 429
    assert ask(there, "I live in Porto.", stream=stream).status_code == 200
    assert here.lines("errands") == ["I live in Porto.", "I see."]
    assert len(world.requests) == 3

    world.settle(here)
    assert len([each for each in here.memories() if "Porto" in each]) == 1
    assert ask(here, "I live in Porto.", "I see.", "Which town do I live in?", stream=stream).status_code == 200
    assert here.lines("errands") == ["I live in Porto.", "I see.", "Which town do I live in?", "I see."]
    assert len(here.all("/api/conversations")) == 1
