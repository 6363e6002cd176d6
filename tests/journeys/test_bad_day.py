"""A bad day: a large import, people who talk and search meanwhile, and processes that are killed."""

import json
import threading
from contextlib import suppress

import httpx

from tests.journeys.world import World
from tests.waiting import eventually

LINES = 5_000


def _chat() -> bytes:
    said = [
        {
            "name": "Ada" if number % 2 else "Mira",
            "is_user": bool(number % 2),
            "mes": f"Line {number}: the ferry to island {number} leaves at dawn.",
        }
        for number in range(LINES)
    ]
    return "\n".join(map(json.dumps, [{"user_name": "Ada", "character_name": "Mira"}, *said])).encode()


def _name(number: int) -> str:
    """Eva with two more letters."""
    return f"Eva{chr(97 + number // 26)}{chr(97 + number % 26)}"


def test_what_was_acknowledged_during_a_large_import_is_there_once_after_the_kill(world: World) -> None:
    """Import, turns, search, learning, a killed worker and a killed server: nothing acknowledged is lost or doubled."""
    server = world.start(EVERLORE_QUEUE__WORKERS="0")
    ada = server.owner()
    mira = ada.character("Mira")
    talk = ada.open(mira)
    import_path = f"/api/conversations/import?character_id={mira}&filename=long.jsonl"
    data = _chat()

    # During the import people talk and search, while the worker dies and another takes over.
    imported: list[str] = []
    importing = threading.Thread(
        target=lambda: imported.append(ada.request("POST", import_path, content=data).json()["conversation"]["id"])
    )
    other = server.client()
    with world.command().started("worker") as worker:
        importing.start()
        said: list[str] = []
        while importing.is_alive() or len(said) < 3:
            said.append(f"My friend {_name(len(said))} lives in Oslo.")
            other.say(talk, said[-1])
            other.search("Which ferry leaves at dawn?", include=["messages"])
            if len(said) == 2:
                worker.process.kill()
        importing.join()
    assert len(said) >= 3

    # The server is killed during a second import, of which nothing was acknowledged.
    def second_import() -> None:
        # Its server is killed meanwhile.
        with suppress(httpx.TransportError):
            ada.http.post(import_path, content=data)

    second = threading.Thread(target=second_import)
    second.start()
    eventually(lambda: len(other.all("/api/conversations")) == 3)
    server.kill()
    second.join()

    after = world.start(EVERLORE_QUEUE__WORKERS="0").owner()
    with world.command().started("worker"):
        world.settle(after)
    titles = [each["id"] for each in after.all("/api/conversations")]
    assert sorted(titles) == sorted([talk, imported[0]])
    assert [each for each in after.lines(talk) if each.startswith("My friend")] == said
    lines = after.all(f"/api/conversations/{imported[0]}/messages")
    assert [each["content"] for each in lines] == [json.loads(each)["mes"] for each in data.decode().splitlines()[1:]]
    learned = after.memories()
    assert len(learned) == len(set(learned))
    assert all(any(_name(number) in each for each in learned) for number in range(len(said)))
