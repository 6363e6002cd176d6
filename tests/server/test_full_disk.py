"""A disk that takes no more: everything can be read, what is written is refused in words, and health says so (R-4)."""

import asyncio
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from everlore.domain.conversation import Author, Message, MessageState
from everlore.domain.scope import Scope
from everlore.server.openapi import document
from everlore.server.rights import operations_of
from everlore.settings import StoreSettings
from everlore.store.port import Put
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.cli.process import Command
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Only Linux limits the files of another process.")


@contextmanager
def full_disk(pid: int) -> Iterator[None]:
    """The process may write no file past its first byte: to it, that is a disk that takes no more."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


async def _left_unfinished(database: Path, conversation_id: str) -> None:
    """A reply whose writer is gone: whoever meets it marks it, where that can be kept."""
    store = await SqliteStore.open(database, StoreSettings(), clock=now)
    long_ago = now() - timedelta(days=1)
    reply = Message(
        workspace="default",
        id="unfinished",
        conversation_id=conversation_id,
        author=Author.ASSISTANT,
        content="The ferry leaves",
        state=MessageState.STREAMING,
        metadata={"holder": "elsewhere/1/gone"},
        created_at=long_ago,
        updated_at=long_ago,
    )
    await store.apply(Scope("default"), [Put(reply)])
    await store.close()


def test_on_a_full_disk_everything_can_be_read_and_health_says_what_is_wrong(tmp_path: Path) -> None:
    """R-4, V12: with a real process, over every route that only reads."""
    cli = Command(tmp_path).having(EVERLORE_EMBEDDING__PROVIDER="hashing")
    token = cli.ok("token", "create", "me", "--json").document["token"]
    guarded = cli.having(EVERLORE_SERVER__TOKENS="true")
    with guarded.started("serve", "--port", "0") as server, httpx.Client(base_url=server.line(), timeout=30) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        nova = client.get("/api/characters?kind=character").json()["items"][0]["id"]
        talk = client.post("/api/conversations", json={"character_id": nova}).json()["id"]
        said = client.post(f"/api/conversations/{talk}/messages", json={"content": "I live in Oslo."}).json()
        memory = client.post("/api/memories", json={"content": "User lives in Oslo"}).json()["id"]
        asyncio.run(_left_unfinished(cli.database, talk))
        ids = {"characters": nova, "persons": nova, "users": "user", "conversations": talk, "memories": memory}
        with full_disk(server.process.pid):
            refused = client.post(f"/api/conversations/{talk}/messages", json={"content": "Hello?"})
            eventually(lambda: client.get("/api/health").json()["status"] == "degraded")
            sick = client.get("/api/health")
            stranger = httpx.get(f"{client.base_url}/api/health", timeout=PATIENCE_S).json()
            messages = client.get(f"/api/conversations/{talk}/messages")
            search = client.post("/api/memories/search", json={"query": "Where does the user live?"})
            context = client.post("/api/context", json={"query": "Where does the user live?"})
            read = {
                path: client.get(_filled(path, ids, said["reply"]["id"])).status_code
                for method, path in operations_of(document())
                if method == "GET" and not path.endswith("/stream")
            }
        eventually(lambda: client.get("/api/health").json()["status"] == "ok")
        again = client.post(f"/api/conversations/{talk}/messages", json={"content": "Hello?"})

    assert refused.status_code == 503
    assert "Free some space" in refused.json()["detail"]
    assert sick.status_code == 200
    assert "Free some space" in " ".join(sick.json()["problems"])
    assert stranger == {**dict.fromkeys(stranger), "status": "degraded", "version": stranger["version"]}
    assert messages.status_code == 200
    assert [each["state"] for each in messages.json()["items"] if each["id"] == "unfinished"] == ["stopped"]
    assert (search.status_code, search.json()["items"][0]["memory"]["id"]) == (200, memory)
    assert context.status_code == 200
    assert {path: status for path, status in read.items() if status >= 500} == {}
    assert again.status_code == 200


def _filled(path: str, ids: dict[str, str], message_id: str) -> str:
    kind = path.removeprefix("/api/").split("/")[0]
    names = {"id": ids.get(kind, "nothing"), "message_id": message_id, "number": "1", "name": "nova"}
    for name, value in names.items():
        path = path.replace(f"{{{name}}}", value)
    return path
