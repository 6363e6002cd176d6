"""`everlore serve` in a real process: from start to answer, and from SIGTERM to the end."""

import json
import signal
import socket
from contextlib import closing
from urllib.request import urlopen

import httpx
import pytest

from everlore.errors import Misconfigured
from everlore.models.choice import NO_MODEL
from everlore.server.run import listen, url_of
from everlore.settings import ServerSettings
from tests.cli.process import Command, SilentServer
from tests.models.chat_server import ChatServer
from tests.waiting import PATIENCE_S, eventually


def test_a_fresh_machine_has_a_server(cli: Command) -> None:
    with cli.started("serve", "--port", "0") as server:
        url = server.line()
        with urlopen(f"{url}/api/health", timeout=PATIENCE_S) as answer:
            health = json.load(answer)
        ended = server.ends_after(signal.SIGTERM)

    assert url.startswith("http://127.0.0.1:")
    assert health["status"] == "ok"
    assert health["database"]["kind"] == "SQLite"
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.startswith(f"{NO_MODEL} Start Ollama")
    assert len(ended.err.splitlines()) == 1


def test_a_server_says_which_model_server_it_found(cli: Command) -> None:
    """V5: it looks around, says what it found, and uses it."""
    with ChatServer() as model:
        found = cli.having(EVERLORE_CHAT__PROVIDER="auto", OLLAMA_HOST=model.root)
        with found.started("serve", "--port", "0") as server:
            with urlopen(f"{server.line()}/api/models", timeout=PATIENCE_S) as answer:
                models = json.load(answer)
            ended = server.ends_after(signal.SIGTERM)

    assert (models["chat"]["provider"], models["chat"]["origin"], models["hint"]) == ("ollama", "found", "")
    assert [each["base_url"] for each in models["found"]][:1] == [model.root]
    assert ended.err.startswith(f"Replies come from fine-model (ollama at {model.root}, found by itself).")


def test_a_reply_under_way_does_not_hold_up_the_end(cli: Command) -> None:
    """V12: what there is of it stays, and says why it ends there."""
    with ChatServer(scenario="stall") as model:
        told = {"PROVIDER": "openai", "BASE_URL": model.url, "MODEL": "fine-model"}
        asking = cli.having(**{f"EVERLORE_CHAT__{name}": value for name, value in told.items()})
        with (
            asking.started("serve", "--port", "0") as server,
            httpx.Client(base_url=server.line(), timeout=PATIENCE_S) as client,
        ):
            nova = client.get("/api/characters?kind=character").json()["items"][0]["id"]
            id = client.post("/api/conversations", json={"character_id": nova}).json()["id"]
            with client.stream(
                "POST", f"/api/conversations/{id}/messages", json={"content": "When?", "stream": True}
            ) as s:
                lines = s.iter_lines()
                while "delta" not in next(lines):
                    pass
                server.process.send_signal(signal.SIGTERM)
                rest = "\n".join(lines)
            ended = server.ends()

    assert '"state":"stopped"' in rest
    assert "Everlore stopped while this reply was being written" in rest
    assert ended.code == 0
    assert "Traceback" not in ended.err


def test_the_server_embeds_what_the_command_line_remembers(cli: Command) -> None:
    """M14, C5: the queue is in the database, not in a process."""
    with cli.started("serve", "--port", "0", "--json") as server:
        url = json.loads(server.line())["url"]
        cli.ok("remember", "The dog of Tom is called Rex")

        def embedded() -> bool:
            with urlopen(f"{url}/api/health", timeout=PATIENCE_S) as answer:
                coverage = json.load(answer)["coverage"]
            return bool(coverage["passages"] == coverage["embedded"] == 1)

        eventually(embedded)
        assert server.ends_after(signal.SIGINT).code == 0


def test_a_server_that_is_told_to_stop_gives_back_what_it_cannot_finish(
    cli_of_silent_server: Command, silent_server: SilentServer
) -> None:
    """C5: no job is lost, and stopping does not use up an attempt."""
    cli = cli_of_silent_server
    cli.ok("remember", "Rex barks")

    with cli.started("serve", "--port", "0") as server:
        server.line()
        silent_server.is_asked()
        stopped = server.ends_after(signal.SIGTERM)
    jobs = cli.ok("jobs", "list", "--json").document["items"]

    assert stopped.code == 0
    assert {(job["state"], job["attempts"]) for job in jobs} == {("ready", 0)}


def test_a_port_that_is_taken_is_said(cli: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = cli("serve", "--port", str(taken.getsockname()[1]), "--json")

    assert (done.code, done.out) == (5, "")
    assert done.error["type"] == "Misconfigured"
    assert "--port 0" in done.error["message"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.0.7", "127.0.0.1.example", "everlore.example"])
def test_what_others_can_reach_asks_for_tokens(host: str) -> None:
    """S-1."""
    assert ServerSettings(host=host).needs_token
    assert not ServerSettings(host="127.0.0.1").needs_token


@pytest.mark.parametrize("host", ["127.0.0.1.example", "everlore.example", "192.0.2.7"])
def test_an_address_that_is_not_ours_is_said(host: str) -> None:
    with pytest.raises(Misconfigured, match="--host"):
        listen(ServerSettings(host=host, port=0))


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1"])
def test_the_addresses_of_this_machine_are_listened_on(host: str) -> None:
    with closing(listen(ServerSettings(host=host, port=0))) as listener:
        assert url_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_a_database_that_cannot_be_used_ends_the_server_with_its_sentence(cli: Command) -> None:
    cli.folder.mkdir()
    cli.database.write_bytes(b"this is not a database" * 100)

    done = cli("serve", "--port", "0")

    assert (done.code, done.out) == (5, "")
    assert "Restore it from a backup" in done.err
