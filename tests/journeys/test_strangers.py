"""Strangers at the door of a server on which somebody talks."""

import socket
from contextlib import ExitStack, closing, suppress

import httpx

from tests.journeys.sockets import listening
from tests.journeys.world import World
from tests.waiting import PATIENCE_S

HALF = b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
WRONG = {"Authorization": "Bearer everlore_ZGVmYXVsdA.nobody.secret"}


def test_a_chat_goes_on_undisturbed_while_strangers_knock(world: World) -> None:
    """Half-sent requests, wrong tokens, refused bodies; beside them turns, learning, recall and the live socket."""
    server = world.start(tokens=True, EVERLORE_SERVER__CONNECTIONS_PER_ADDRESS="60")
    ada = server.owner()
    mira = ada.character("Mira")
    talk = ada.open(mira)
    address = httpx.URL(server.url)
    where = (address.host, address.port or 0)

    with ExitStack() as stack, listening(ada) as live:
        for _ in range(150):
            stranger = stack.enter_context(closing(socket.create_connection(where)))
            with suppress(OSError):
                stranger.sendall(HALF)
        assert ada.say(talk, "I live in Porto.") == "I see."

        guesses = [httpx.get(f"{server.url}/api/me", headers=WRONG, timeout=PATIENCE_S).status_code for _ in range(12)]
        assert (set(guesses[:10]), set(guesses[10:])) == ({401}, {429})
        assert ada.say(talk, "I have a sister called Eva.") == "I see."

        with closing(socket.create_connection(where)) as flood:
            flood.sendall(HALF + b"Content-Type: application/json\r\nContent-Length: 60000000\r\n\r\n")
            assert flood.recv(12) == b"HTTP/1.1 401"
            with suppress(OSError):
                for _ in range(60):
                    flood.sendall(bytes(1_000_000))
        assert ada.say(talk, "I work as a tailor.") == "I see."

        # Nothing of it was lost, and strangers are told nothing.
        world.settle(ada)
        assert any("Porto" in each for each in ada.memories())
        assert live.closed_with is None
        assert live.hears("memory.created")
        health = httpx.get(f"{server.url}/api/health", timeout=PATIENCE_S).json()
        assert {name for name, value in health.items() if value is not None} == {"status", "version"}
    ada.say(ada.open(mira), "Where do I live?")
    assert "Porto" in world.prompts[-1]
    database = world.folder / "everlore.db"
    assert database.stat().st_mode & 0o077 == 0
