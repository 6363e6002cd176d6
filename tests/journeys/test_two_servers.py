"""Two servers as if they were one, also in the middle of a reply."""

import threading

from tests.journeys.sockets import listening
from tests.journeys.world import World
from tests.models.chat_server import TEXT, WORDS
from tests.waiting import eventually

# What the model says before it stalls; a space at the end is shown with the word that follows it.
PART = "".join(WORDS[:2])


def test_a_reply_is_watched_and_stopped_on_the_other_server_which_goes_on_when_the_first_is_killed(
    any_world: World,
) -> None:
    """Turns, stop, live events and their visibility, a kill, continuing, memories, tokens: across two processes."""
    first, second = any_world.start(tokens=True), any_world.start(tokens=True)
    ada, elsewhere = first.owner(), second.owner()
    viewer = ada.post("/api/tokens", {"name": "Vera", "role": "owner"})
    guest = ada.member("Gus", role="guest")
    talk = ada.open(ada.character("Mira"))
    any_world.model.script += ["stall", "stall", "fine"]

    with (
        listening(second.client(viewer["token"])) as watching,
        listening(second.client(guest.token)) as shut_out,
        listening(elsewhere) as owner,
    ):
        # Begun on the first server, watched and stopped on the second.
        said = threading.Thread(target=ada.say, args=(talk, "I live in Porto. When does the ferry leave?"))
        said.start()
        eventually(lambda: watching.text() == PART.strip())
        stopped = elsewhere.post(f"/api/conversations/{talk}/stop")
        said.join()

        assert stopped["stopped"] is True
        assert ada.lines(talk)[1] == elsewhere.lines(talk)[1] == PART
        assert watching.hears("message.done")["message"]["state"] == "stopped"

        # The first server dies in the middle of the next reply; the second one continues it.
        with (
            listening(elsewhere) as fresh,
            ada.http.stream(
                "POST", f"/api/conversations/{talk}/messages", json={"content": "And back?", "stream": True}
            ),
        ):
            eventually(lambda: fresh.text() == PART.strip())
            first.kill()
        broken = elsewhere.all(f"/api/conversations/{talk}/messages")[-1]
        assert broken["state"] == "stopped"
        assert PART.startswith(broken["content"])
        elsewhere.post(f"/api/conversations/{talk}/messages/{broken['id']}/continue", {"stream": False})
        assert elsewhere.lines(talk)[-1] == broken["content"] + TEXT

        # What was said to the dead server is learned by the other, and told to those who may know it.
        any_world.settle(elsewhere)
        assert elsewhere.memories() == ["User lives in Porto"]
        assert watching.hears("memory.created")["memory"]["content"] == "User lives in Porto"
        assert shut_out.events == []

        # Revoked, the viewer loses the socket at once; the owner keeps theirs.
        elsewhere.delete(f"/api/tokens/{viewer['id']}")
        eventually(lambda: watching.closed_with == 1008)
        assert owner.closed_with is None


def test_what_a_separate_worker_learns_is_heard_on_the_servers_socket(any_world: World) -> None:
    """The server has no workers of its own; the page shows the new memory and the title without being reloaded."""
    ada = any_world.start(EVERLORE_QUEUE__WORKERS="0").owner()
    talk = ada.open(ada.character("Mira"), config={"auto_title": True})

    with listening(ada) as live:
        ada.say(talk, "I live in Porto.")
        with any_world.command().started("worker"):
            assert live.hears("memory.created")["memory"]["content"] == "User lives in Porto"
            assert live.hears("conversation.title")["conversation_id"] == talk
