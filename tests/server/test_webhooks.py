"""Webhooks: signed, retried, visible in the queue, and given up, to a receiver that really listens (9-surfaces)."""

import asyncio
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from everlore.domain.policy import Role
from everlore.domain.webhook import MOST_FAILURES, SIGNATURE, Webhook
from everlore.services.webhook_address import check_address, resolve
from everlore.store.port import Amend
from tests.cli.process import Command
from tests.server.home import Home, home
from tests.waiting import PATIENCE_S, eventually, until


class Receiver(ThreadingHTTPServer):
    """Answers 204, or as told by `script`; a 0 there leaves a request without an answer."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.script: list[int] = []
        self.got: list[tuple[dict[str, Any], str, bytes]] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook?from=everlore"

    @property
    def types(self) -> list[str]:
        return [event["type"] for event, _, _ in self.got]


class _Answering(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((json.loads(body), self.headers[SIGNATURE], body))
        status = self.server.script.pop(0) if self.server.script else 204
        if not status:
            self.server.released.wait(PATIENCE_S)
            return
        self.send_response(status)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        listening = threading.Thread(target=server.serve_forever, args=(0.01,))
        listening.start()
        yield server
        server.released.set()
        server.shutdown()
        listening.join()


async def _registered(here: Home, url: str, **fields: Any) -> tuple[str, str]:
    """Its path, and its secret."""
    answer = await here.client.post("/api/webhooks", json={"url": url, **fields})
    assert answer.status_code == 201, answer.text
    return f"/api/webhooks/{answer.json()['webhook']['id']}", answer.json()["secret"]


async def _remember(here: Home, content: str = "The user lives in Oslo") -> str:
    answer = await here.client.post("/api/memories", json={"content": content})
    assert answer.status_code == 201, answer.text
    id: str = answer.json()["id"]
    return id


def at_home(workers: int = 1) -> Any:
    return home(provider="voice", workers=workers)


async def test_an_event_arrives_signed_and_without_text(receiver: Receiver) -> None:
    """9-surfaces: signed webhooks."""
    async with at_home() as here:
        _, secret = await _registered(here, receiver.url, events=["memory.created", "memory.deleted"])

        id = await _remember(here, "The user hides a key under the mat")
        await here.client.delete(f"/api/memories/{id}")
        await here.lore.settle()

    (created, header, body), (deleted, _, _) = sorted(receiver.got, key=lambda each: str(each[0]["id"]))
    assert (created["type"], created["record_id"]) == ("memory.created", id)
    assert (deleted["type"], deleted["record_id"]) == ("memory.deleted", id)
    assert set(created) == {"id", "type", "at", "record_id", "workspace"}
    sent, _, digest = header.removeprefix("t=").partition(",v1=")
    assert hmac.new(secret.encode(), f"{sent}.".encode() + body, hashlib.sha256).hexdigest() == digest


async def test_what_fails_waits_in_the_queue_and_is_sent_again(receiver: Receiver) -> None:
    async with at_home(workers=0) as here:
        path, _ = await _registered(here, receiver.url, events=["memory.created"])
        receiver.script = [500]
        await _remember(here)
        worker = here.lore.staff.workers[0]

        while not receiver.got:
            await worker.step()
        [job] = [each for each in (await here.client.get("/api/jobs")).json()["items"] if each["kind"] == "webhook"]
        failed = (await here.client.get(path)).json()
        await here.lore.settle()

    assert (job["state"], job["attempts"], failed["failures"]) == ("ready", 1, 1)
    assert "answered 500" in job["error"]
    [first, second] = [event["id"] for event, _, _ in receiver.got]
    assert first == second


async def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    """It could lead to an address that was not checked."""
    async with at_home(workers=0) as here:
        await _registered(here, receiver.url, events=["memory.created"])
        receiver.script = [307]
        await _remember(here)
        while not receiver.got:
            await here.lore.staff.workers[0].step()
        [job] = [each for each in (await here.lore.jobs()).items if each.kind == "webhook"]

    assert "answered 307" in job.error


async def test_a_webhook_that_fails_often_in_a_row_is_disabled_until_it_is_switched_on(receiver: Receiver) -> None:
    async with at_home(workers=0) as here:
        path, _ = await _registered(here, receiver.url, events=["memory.created"])
        id = path.rpartition("/")[2]
        await here.lore.store.apply(here.lore.scope, [Amend(Webhook, id, {"failures": MOST_FAILURES - 1})])
        receiver.script = [500]
        await _remember(here)
        await here.lore.settle()
        disabled = (await here.client.get(path)).json()

        await _remember(here, "The user likes tea")
        await here.lore.settle()
        got = len(receiver.got)
        switched_on = (await here.client.patch(path, json={"active": True})).json()
        await _remember(here, "The user plays chess")
        await here.lore.settle()

    assert "answered 500" in disabled["disabled"]
    assert (got, switched_on["disabled"], switched_on["failures"], len(receiver.got)) == (1, "", 0, 2)


async def test_only_the_owner_manages_webhooks_and_the_secret_is_shown_once(receiver: Receiver) -> None:
    async with at_home() as here:
        path, secret = await _registered(here, receiver.url)
        member = await here.lore.tokens.create("Robin", role=Role.MEMBER)
        headers = {"Authorization": f"Bearer {member.text}"}

        refused = [
            await here.client.get("/api/webhooks", headers=headers),
            await here.client.get(path, headers=headers),
            await here.client.post("/api/webhooks", headers=headers, json={"url": receiver.url}),
            await here.client.patch(path, headers=headers, json={"active": False}),
            await here.client.delete(path, headers=headers),
        ]
        shown = [(await here.client.get(each)).text for each in (path, "/api/webhooks", "/api/audit")]
        stored = await here.lore.webhooks.get(path.rpartition("/")[2])

    assert {each.status_code for each in refused} == {403}
    assert not any(secret in each for each in (*shown, stored.secret))


async def test_a_deleted_webhook_is_told_nothing_more(receiver: Receiver) -> None:
    async with at_home(workers=0) as here:
        path, _ = await _registered(here, receiver.url)
        await _remember(here)

        assert (await here.client.delete(path)).status_code == 204
        await here.lore.settle()

    assert receiver.got == []


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "example.org",
        "https://user:word@example.org/",
        "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://224.0.0.1/",
        "http://0.0.0.0/",
        "http://exa mple.org/",
    ],
)
async def test_an_address_that_could_reach_more_than_a_receiver_is_refused(url: str) -> None:
    async with at_home(workers=0) as here:
        answer = await here.client.post("/api/webhooks", json={"url": url})
        path, _ = await _registered(here, "https://example.org/hook")
        changed = await here.client.patch(path, json={"url": url})

    assert (answer.status_code, changed.status_code) == (400, 400)


async def test_addresses_are_checked_again_when_their_host_is_resolved() -> None:
    check_address("http://localhost:9/hook")

    assert await resolve("http://localhost:9/hook") in ("127.0.0.1", "::1")


def test_an_event_outlives_a_worker_that_is_killed_while_it_sends_it(tmp_path: Path, receiver: Receiver) -> None:
    """C5, R-1: it arrives at least once, with the same id."""
    everlore = Command(tmp_path, EVERLORE_QUEUE__LEASE_S="0.5", EVERLORE_QUEUE__WORKERS="0")
    everlore.ok("webhook", "create", receiver.url, "--event", "memory.created")
    everlore.ok("remember", "The user lives in Oslo")
    receiver.script = [0]

    with everlore.started("worker") as worker:
        eventually(lambda: len(receiver.got) == 1)
        worker.process.kill()
        worker.process.wait()
    with everlore.started("worker"):
        eventually(lambda: len(receiver.got) >= 2)
        eventually(lambda: everlore.ok("jobs", "list", "--json").document["items"] == [])

    assert {event["id"] for event, _, _ in receiver.got} == {receiver.got[0][0]["id"]}


def test_the_command_line_lists_enables_and_deletes_webhooks(tmp_path: Path) -> None:
    everlore = Command(tmp_path)
    made = everlore.ok("webhook", "create", "https://example.org/hook", "--event", "memory.created", "--json").document
    id = made["webhook"]["id"]

    [listed] = everlore.ok("webhook", "list", "--json").document["items"]
    enabled = everlore.ok("webhook", "enable", id)
    everlore.ok("webhook", "delete", id)

    assert (listed["id"], listed["events"], listed["disabled"]) == (id, ["memory.created"], "")
    assert made["secret"] not in json.dumps(listed)
    assert "https://example.org/hook" in enabled.out
    assert "There are no webhooks" in everlore.ok("webhook", "list").out


async def test_a_slow_receiver_does_not_keep_the_others_waiting(receiver: Receiver) -> None:
    async with at_home() as here:
        await _registered(here, receiver.url, events=["memory.created"])
        await _registered(here, receiver.url, events=["memory.created"])
        receiver.script = [0]

        await asyncio.gather(_remember(here), _received(receiver, 2))

        receiver.released.set()


async def _received(receiver: Receiver, many: int) -> None:
    async def is_there() -> bool:
        return len(receiver.got) >= many

    await until(is_there)
