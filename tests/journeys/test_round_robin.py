"""Two servers and a worker behind a load balancer without stickiness: each request goes to the other server."""

import threading
from dataclasses import replace
from typing import Any

from tests.journeys.sockets import listening
from tests.journeys.talkers import balanced, caller
from tests.journeys.world import Client, World
from tests.models.chat_server import WORDS
from tests.waiting import eventually

# What the model says before it stalls; a space at the end is shown with the word that follows it.
PART = "".join(WORDS[:2])


def test_a_whole_story_goes_on_whichever_server_each_request_meets(any_world: World) -> None:
    """V2, V12: conversations, streams, stop, live events, who is present, edits, search, tokens and the queue."""
    first, second = (any_world.start(tokens=True, EVERLORE_QUEUE__WORKERS="0") for _ in range(2))
    with balanced(first, second) as (_, front), any_world.command().started("worker"):
        ada = caller(front)
        mira, nova = ada.character("Mira"), ada.character("Nova")
        talk = ada.open(mira)
        guest = caller(front, ada.post("/api/tokens", {"name": "Gus", "role": "guest"})["token"])
        with listening(replace(ada, server=first)) as one, listening(replace(ada, server=second)) as other:
            assert ada.say(talk, "I live in Porto.") == "I see."
            for each in (one, other):
                assert each.hears("memory.created")["memory"]["content"] == "User lives in Porto"
                assert each.hears("message.done")["conversation_id"] == talk

            # A stream is begun at one server, followed and stopped at the other.
            any_world.model.script.append("stall")
            said = threading.Thread(target=ada.say, args=(talk, "When does the ferry leave?"))
            said.start()
            eventually(lambda: PART.strip() in one.text() and PART.strip() in other.text())
            assert ada.get(f"/api/conversations/{talk}")["writing"] is True
            assert ada.post(f"/api/conversations/{talk}/stop")["stopped"] is True
            said.join()
            assert ada.lines(talk)[-1] == PART

        _present_and_edited(ada, talk, nova)
        _searched_and_forgotten(any_world, ada, guest)
        _paused(any_world, ada, talk)


def _present_and_edited(ada: Client, talk: str, nova: str) -> None:
    """Who is there, and what was said, is the same at both servers: two reads in a row meet each of them."""
    mira = ada.get(f"/api/conversations/{talk}")["characters"][0]["id"]
    ada.patch(f"/api/conversations/{talk}", {"character_ids": [mira, nova]})
    ada.patch(f"/api/conversations/{talk}", {"present": [nova]})
    assert [ada.get(f"/api/conversations/{talk}")["present"] for _ in range(2)] == [[nova]] * 2
    told = ada.all(f"/api/conversations/{talk}/messages")[0]
    ada.patch(f"/api/conversations/{talk}/messages/{told['id']}", {"content": "I live in Porto, by the river."})
    assert [ada.lines(talk)[0] for _ in range(2)] == ["I live in Porto, by the river."] * 2


def _searched_and_forgotten(world: World, ada: Client, guest: Client) -> None:
    kept = ada.post("/api/memories", {"content": "The lighthouse keeper is called Ines."})
    world.settle(ada)
    assert all("Ines" in ada.search("Who keeps the lighthouse?")[0] for _ in range(2))
    ada.delete(f"/api/memories/{kept['id']}")
    assert all("Ines" not in "".join(ada.search("Who keeps the lighthouse?")) for _ in range(2))
    [token] = [each for each in ada.all("/api/tokens") if each["name"] == "Gus"]
    assert guest.get("/api/me")["role"] == "guest"
    ada.delete(f"/api/tokens/{token['id']}")
    for _ in range(2):
        guest.request("GET", "/api/me", status=401)


def _paused(world: World, ada: Client, talk: str) -> None:
    """The pause of the queue holds for the worker, and is shown by both servers."""
    ada.post("/api/jobs/pause")
    ada.say(talk, "I work at a bakery.")
    states: list[Any] = [ada.get("/api/jobs")["queue"] for _ in range(2)]
    assert all(each["paused"] and each["pending"] for each in states)
    assert not any("bakery" in each for each in ada.memories())
    ada.post("/api/jobs/resume")
    world.settle(ada)
    assert [each for each in ada.memories() if "bakery" in each]


def test_a_token_may_ask_as_often_at_all_servers_together_as_at_one(any_world: World) -> None:
    """S-7: requests in turn, and then at one server what was asked at the other."""
    first, second = any_world.start(tokens=True), any_world.start(tokens=True)
    with balanced(first, second) as (_, front):
        ada = caller(front)
        slow = ada.post("/api/tokens", {"name": "slow", "role": "owner", "per_minute": 4})["token"]
        other = ada.post("/api/tokens", {"name": "other", "role": "owner", "per_minute": 4})["token"]

        in_turn = [caller(front, slow).http.get("/api/me").status_code for _ in range(7)]
        at_one = [first.client(other).http.get("/api/me").status_code for _ in range(4)]
        then = second.client(other).http.get("/api/me")

    assert in_turn == [200] * 4 + [429] * 3
    assert at_one == [200] * 4
    assert then.status_code == 429
    assert 1 <= int(then.headers["retry-after"]) <= 15
