"""MCP in real processes, asked by the official client: `everlore mcp` over its pipes, `/mcp` of `everlore serve`."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.cli.process import EVERLORE, Command, Running, installed
from tests.waiting import PATIENCE_S, eventually

NAMES = (
    "search_memories search_memories_by_pair search_memories_by_person remember forget extract_memories get_context "
    "capture_event change_event delete_event list_characters campaign_recap "
    "list_campaigns previously_on ask_campaign campaign_world campaign_review remember_canon add_entity tie_entities "
    "decide_proposal rule_conflict start_session end_session bring_session_log"
).split()
# Of a campaign that is not there.
OF_CAMPAIGNS: dict[str, dict[str, Any]] = {
    "previously_on": {"campaign": "Ash"},
    "ask_campaign": {"campaign": "Ash", "question": "Who rules?"},
    "campaign_world": {"campaign": "Ash"},
    "campaign_review": {"campaign": "Ash"},
    "remember_canon": {"campaign": "Ash", "content": "Orne is old."},
    "add_entity": {"campaign": "Ash", "name": "Odo"},
    "tie_entities": {"source_id": "ilka", "type": "sister of", "target_id": "tam"},
    "decide_proposal": {"proposal_id": "seen", "decision": "approved"},
    "rule_conflict": {"proposal_id": "seen", "ruling": "new"},
    "start_session": {"campaign": "Ash"},
    "end_session": {"session_id": "night"},
    "bring_session_log": {"campaign": "Ash", "text": "GM: The bell rings."},
}
FOR_GUESTS = {"get_context", "list_characters"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@pytest.fixture
def cli(tmp_path: Path) -> Command:
    return Command(tmp_path / "data")


def token(cli: Command, name: str, role: str) -> str:
    text: str = cli.ok("token", "create", name, "--role", role, "--json").document["token"]
    return text


@asynccontextmanager
async def over_stdio(cli: Command, *args: str, age: str = "auto", **settings: str) -> AsyncIterator[Client]:
    server = StdioServerParameters(command=str(EVERLORE), args=["mcp", *args], env=cli.env | settings)
    async with Client(server, mode=age) as client:
        yield client


@asynccontextmanager
async def over_http(url: str, token: str | None, age: str = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
        yield await stack.enter_async_context(Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=age))


async def ask(client: Client, tool: str, **given: Any) -> tuple[bool, str, Any]:
    answer = await client.call_tool(tool, given)
    return not answer.is_error, str(getattr(answer.content[0], "text", "")), answer.structured_content


async def as_owner(client: Client) -> None:
    """Every tool and resource, each with what comes of it."""
    assert [each.name for each in (await client.list_tools()).tools] == NAMES
    templates = (await client.list_resource_templates()).resource_templates
    assert [each.uri_template for each in templates] == ["everlore://memory/{id}", "everlore://conversation/{id}"]

    done: dict[str, Any] = {}
    learnt = (await ask(client, "extract_memories", text="I am allergic to peanuts, and I live in Bergen. 🐉"))[2]
    done["extract_memories"] = [each["content"] for each in learnt["formed"]]
    (nova,) = (await ask(client, "list_characters"))[2]["items"]
    done["list_characters"] = nova["name"]
    kept = (await ask(client, "remember", content="Nova lent the user a map 🗺", person=nova["id"], partner="user"))[2]
    done["remember"] = kept["persons"]
    for name, given in (
        ("search_memories", {}),
        ("search_memories_by_person", {"person": "Nova"}),
        ("search_memories_by_pair", {"person": "User", "partner": nova["id"]}),
    ):
        found = (await ask(client, name, query="Who lent a map?", **given))[2]["items"]
        done[name] = found[0]["content"]
    event = {"type": "tool_invocation", "content": "Looked for ferries", "tool_name": "search", "success": True}
    captured = (await ask(client, "capture_event", **event))[2]
    done["capture_event"] = captured["captured"]
    of_event = {"event_id": captured["event_id"]}
    done["change_event"] = (await ask(client, "change_event", **of_event, content="Looked for a ferry"))[2]["content"]
    done["delete_event"] = [(await ask(client, "delete_event", **of_event))[0] for _ in range(2)]
    done["get_context"] = "peanuts" in (await ask(client, "get_context", query="What must the user not eat?"))[1]
    done["campaign_recap"] = (await ask(client, "campaign_recap", campaign="Ash"))[1]
    done["list_campaigns"] = (await ask(client, "list_campaigns"))[2]["items"]
    for name, given in OF_CAMPAIGNS.items():
        done[name] = (await ask(client, name, **given))[0]
    sources = [
        (await client.read_resource(uri)).contents[0]
        for uri in (learnt["formed"][0]["uri"], f"everlore://conversation/{learnt['conversation_id']}")
    ]
    done["forget"] = [(await ask(client, "forget", memory_id=kept["id"]))[0] for _ in range(2)]

    assert sorted(done["extract_memories"]) == ["User is allergic to peanuts", "User lives in Bergen"]
    assert done["list_characters"] == "Nova"
    assert sorted(done["remember"]) == ["Nova", "User"]
    assert {done[name] for name in NAMES[:3]} == {"Nova lent the user a map 🗺"}
    assert done["capture_event"] is True
    assert done["change_event"] == "Looked for a ferry"
    assert done["delete_event"] == [True, False]
    assert done["get_context"] is True
    assert done["list_campaigns"] == []
    assert not any(done[name] for name in OF_CAMPAIGNS)
    assert done["campaign_recap"] == "There is no campaign 'Ash' in this workspace. There are: none yet."
    assert all("and I live in Bergen. 🐉" in str(getattr(each, "text", "")) for each in sources)
    assert done["forget"] == [True, False]
    assert set(done) == set(NAMES)


async def as_guest(client: Client) -> None:
    """All of it is listed; what a guest may use works, and the rest says why not."""
    assert [each.name for each in (await client.list_tools()).tools] == NAMES
    given: dict[str, dict[str, Any]] = {
        "search_memories": {"query": "map"},
        "search_memories_by_pair": {"person": "Gus", "partner": "Nova", "query": "map"},
        "search_memories_by_person": {"person": "Gus", "query": "map"},
        "remember": {"content": "Guests were here"},
        "forget": {"memory_id": "anything"},
        "extract_memories": {"text": "I live in Oslo."},
        "get_context": {"query": "map"},
        "capture_event": {"type": "observation", "content": "Guests were here"},
        "change_event": {"event_id": "anything", "finished": True},
        "delete_event": {"event_id": "anything"},
        "list_characters": {},
        "campaign_recap": {"campaign": "Ash"},
        "list_campaigns": {},
        **OF_CAMPAIGNS,
    }
    for name in NAMES:
        fine, said, _ = await ask(client, name, **given[name])
        assert fine is (name in FOR_GUESTS), (name, said)
        assert fine or said.startswith("The role guest may not do this."), said
    for uri in ("everlore://memory/anything", "everlore://conversation/anything"):
        with pytest.raises(MCPError, match="The role guest may not do this"):
            await client.read_resource(uri)


# ── over its pipes ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("age", ["auto", "legacy"])
async def test_over_its_pipes_the_owner_uses_every_tool_and_resource(cli: Command, age: str) -> None:
    """9-surfaces: `everlore mcp`, on a fresh machine, in both ages of the protocol."""
    async with over_stdio(cli, age=age) as client:
        await as_owner(client)


async def test_over_its_pipes_a_token_gives_its_role(cli: Command) -> None:
    """S-3: as an option, and out of the environment."""
    guest = token(cli, "Gus", "guest")

    async with over_stdio(cli, "--token", guest) as client:
        await as_guest(client)
    async with over_stdio(cli, EVERLORE_TOKEN=guest) as client:
        fine, said, _ = await ask(client, "remember", content="x")

    assert not fine
    assert "The role guest may not do this" in said


async def test_over_its_pipes_in_emulation_nothing_is_written(cli: Command) -> None:
    """C3, C11: the database is the same before and after."""
    cli.ok("remember", "Rex barks")
    async with over_stdio(cli) as client:
        await ask(client, "extract_memories", text="I live in Bergen.")
        # What was asked for before is done by whoever comes first, in whatever mode they are.
        eventually(lambda: not cli.ok("jobs", "list", "--json").document["items"])
    before = dump(cli.database)

    async with over_stdio(cli, "--mode", "emulation") as client:
        refused = [
            await ask(client, "remember", content="Rex is a cat"),
            await ask(client, "extract_memories", text="I live in Oslo."),
        ]
        event = await ask(client, "capture_event", type="tool_invocation", content="It ran", tool_name="run")
        found = await ask(client, "search_memories", query="Rex")

    assert [fine for fine, _, _ in refused] == [False, False]
    assert all("emulation" in said for _, said, _ in refused)
    assert event[2]["captured"] is False
    assert [each["content"] for each in found[2]["items"]] == ["Rex barks"]
    assert dump(cli.database) == before


def dump(database: Path) -> dict[str, list[Any]]:
    """Everything that stands in the tables which hold data; the queue is among them."""
    with sqlite3.connect(database) as connection:
        kinds = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        names = [name for (name,) in connection.execute(kinds) if not name.startswith("sqlite_")]
        rows = {name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr) for name in names}
    connection.close()
    return rows


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["--token", "rubbish"], 8, "This token is unknown, revoked or expired"),
        (["--token", "everlore_of_nothing"], 8, "This token is unknown, revoked or expired"),
        (["--mode", "sleep"], 2, "'sleep' is not a mode"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_answered(
    cli: Command, args: list[str], code: int, said: str
) -> None:
    """S-3: a token that opens nothing never turns into the owner."""
    done = cli("mcp", *args)

    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert "Traceback" not in done.err


@contextmanager
def piped(cli: Command) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [EVERLORE, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=cli.env,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()


def hello(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    return exchange(process, json.dumps(HELLO).encode())


def exchange(process: subprocess.Popen[bytes], line: bytes) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
    assert process.stdout is not None
    assert process.stderr is not None
    code = process.wait(PATIENCE_S)
    return code, process.stdout.read(), process.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_also_while_nobody_writes(cli: Command, number: signal.Signals) -> None:
    """C5: the workers drain, and nothing but the protocol was on standard output."""
    with piped(cli) as process:
        assert hello(process)["result"]["serverInfo"]["name"] == "everlore"
        process.send_signal(number)

        assert ended(process) == (0, b"", b"")


def test_it_ends_when_its_input_ends(cli: Command) -> None:
    with piped(cli) as process:
        hello(process)
        assert process.stdin is not None
        process.stdin.close()

        assert ended(process) == (0, b"", b"")


def test_it_ends_when_whoever_started_it_is_gone(cli: Command) -> None:
    """Nobody reads the answer any more: no error of ours."""
    with piped(cli) as process:
        hello(process)
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}\n' * 50)
        process.stdin.close()
        code = process.wait(PATIENCE_S)
        err = process.stderr.read()
        process.stdout = open(os.devnull, "rb")  # noqa: PTH123, SIM115  # `piped` closes it

    assert (code, err) == (0, b"")


def test_rubbish_on_its_input_breaks_nothing(cli: Command) -> None:
    with piped(cli) as process:
        hello(process)
        assert process.stdin is not None
        for line in (b"", b"not json", b"[]", b"\xff\xfe\x00", b"{" * 10_000, b'{"jsonrpc": "2.0"}'):
            process.stdin.write(line + b"\n")
        process.stdin.flush()
        answers = [exchange(process, b'{"jsonrpc": "2.0", "id": 77, "method": "tools/list"}')]
        while answers[-1].get("id") != 77:
            assert process.stdout is not None
            answers.append(json.loads(process.stdout.readline()))
        process.send_signal(signal.SIGTERM)
        code, _, err = ended(process)

    assert [each["name"] for each in answers[-1]["result"]["tools"]] == NAMES
    assert code == 0
    assert b"Traceback (most recent call last)" not in err


WITHOUT = "import sys; sys.modules['mcp'] = None; from everlore.cli.main import answer; sys.exit(answer(sys.argv[1:]))"


def test_without_the_extra_it_says_how_to_install_it(cli: Command) -> None:
    """Everything else runs without the SDK, the server too."""
    done, other = [
        subprocess.run([sys.executable, "-c", WITHOUT, *args], env=cli.env, capture_output=True, text=True, check=False)
        for args in (["mcp"], ["stats"])
    ]
    server = Running(installed([sys.executable, "-c", WITHOUT, "serve", "--port", "0"], cli.env))
    try:
        url = server.line()
        with httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
            asked, health = client.post("/mcp", json=HELLO), client.get("/api/health")
        ended = server.ends_after(signal.SIGTERM)
    finally:
        server.close()

    assert (done.returncode, done.stdout) == (5, "")
    assert "pip install 'everlore[mcp]'" in done.stderr
    assert other.returncode == 0
    assert asked.status_code == 501
    assert "pip install 'everlore[mcp]'" in asked.json()["detail"]
    assert health.status_code == 200
    assert (ended.code, "Traceback" in ended.err) == (0, False)


def test_the_sdk_is_loaded_by_whoever_needs_it_and_nobody_else() -> None:
    """It takes as long as all the rest of the server."""
    look = "import sys, everlore.server.run, everlore.cli.main; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"


# ── over HTTP ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("age", ["auto", "legacy"])
async def test_over_http_each_comes_in_as_whoever_they_are(cli: Command, age: str) -> None:
    """9-surfaces, S-1: owner, guest, and nobody, on a server that asks for tokens."""
    guarded = cli.having(EVERLORE_SERVER__TOKENS="true")
    owner, guest = token(guarded, "Olga", "owner"), token(guarded, "Gus", "guest")
    with guarded.started("serve", "--port", "0") as server:
        url = server.line()
        async with over_http(url, owner, age) as client:
            await as_owner(client)
        async with over_http(url, guest, age) as client:
            await as_guest(client)
        with pytest.raises((MCPError, ExceptionGroup)):
            async with over_http(url, None, age) as client:
                await client.list_tools()
        async with httpx.AsyncClient(timeout=PATIENCE_S) as http:
            nobody = await http.post(f"{url}/mcp", json=HELLO)
        done = server.ends_after(signal.SIGTERM)

    assert nobody.status_code == 401
    assert nobody.headers["www-authenticate"].startswith("Bearer")
    assert (done.code, done.out) == (0, "")
    assert "Traceback" not in done.err


CALLING = """
import asyncio, sys
from mcp import Client

async def call():
    async with Client(sys.argv[1]) as client:
        print("in", flush=True)
        while True:
            await client.call_tool("extract_memories", {"text": "I live in Bergen. " * 500})

asyncio.run(call())
"""


def killed_while_calling(url: str) -> None:
    client = subprocess.Popen([sys.executable, "-c", CALLING, f"{url}/mcp"], stdout=subprocess.PIPE)
    assert client.stdout is not None
    assert client.stdout.readline() == b"in\n"
    client.kill()
    client.wait()
    client.stdout.close()


async def test_a_client_that_is_killed_leaves_the_server_well(cli: Command) -> None:
    """In the middle of its calls, again and again."""
    with cli.started("serve", "--port", "0") as server:
        url = server.line()
        for _ in range(2):
            killed_while_calling(url)
        async with over_http(url, None) as still:
            fine, said, _ = await ask(still, "remember", content="Rex barks")
        done = server.ends_after(signal.SIGTERM)

    assert fine, said
    assert done.code == 0
    assert "Traceback" not in done.err
