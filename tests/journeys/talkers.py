"""People who go on talking whatever happens to the servers, and know what was acknowledged."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.balancer import Balancer
from tests.journeys.world import Client, Server
from tests.waiting import eventually

_NAMES = ("Eva", "Ida", "Una")
# After a fault a server may have to start, and a reply whose writer died to be taken over.
ANSWER_S = 20


def address_of(server: Server) -> tuple[str, int]:
    url = urlsplit(server.url)
    return str(url.hostname), int(url.port or 0)


@contextmanager
def balanced(*servers: Server) -> Iterator[tuple[Balancer, Server]]:
    """A load balancer, and what clients see of it: one address."""
    with Balancer([address_of(each) for each in servers]) as balancer:
        yield balancer, replace(servers[0], url=f"http://127.0.0.1:{balancer.port}")


def caller(front: Server, token: str = "") -> Client:
    """A client for whose every request a connection is made: each meets the next server."""
    return front.client(token or front.owner_token, Connection="close")


class Talker(threading.Thread):
    """Says one line after the other; `said` has those that a server acknowledged. Without an answer, it says something
    else next: that line may have been saved or not."""

    def __init__(self, ada: Client, talk: str, name: str) -> None:
        super().__init__()
        self.ada, self.talk, self._name = ada, talk, name
        self.said: list[str] = []
        self._enough = threading.Event()

    def run(self) -> None:
        number = 0
        while not self._enough.is_set():
            line = f"My friend {self._name}{_letters(number)} lives in Oslo."
            number += 1
            try:
                path = f"/api/conversations/{self.talk}/messages"
                answer = self.ada.http.post(path, json={"content": line}, timeout=ANSWER_S)
            except httpx.TransportError:
                # Not as fast as it can: nobody may be there.
                self._enough.wait(0.05)
                continue
            if answer.is_success:
                self.said.append(line)

    def stop(self) -> None:
        self._enough.set()
        self.join()


@contextmanager
def talking(ada: Client, clients: Sequence[Client]) -> Iterator[list[Talker]]:
    talks = [ada.open(ada.character(f"Mira {number}")) for number in range(len(clients))]
    talkers = [Talker(*each) for each in zip(clients, talks, _NAMES, strict=True)]
    for talker in talkers:
        talker.start()
    try:
        yield talkers
    finally:
        for talker in talkers:
            talker.stop()


def all_say_more(talkers: Sequence[Talker]) -> None:
    before = [len(each.said) for each in talkers]
    eventually(lambda: all(len(each.said) > count + 1 for each, count in zip(talkers, before, strict=True)))


def nothing_is_lost_or_doubled(ada: Client, talkers: Sequence[Talker]) -> None:
    """Every line that was acknowledged is there once, answered once, and learned once; no work is left."""
    _finish_all_work(ada)
    learned = [each["content"] for each in ada.all("/api/memories") if each["status"] == "active"]
    assert len(learned) == len(set(learned))
    for talker in talkers:
        messages = ada.all(f"/api/conversations/{talker.talk}/messages")
        heard = [each["content"] for each in messages if each["author"] == "user"]
        assert [each for each in heard if each in talker.said] == talker.said
        assert len(heard) == len(set(heard))
        assert {each["state"] for each in messages} <= {"complete", "stopped", "failed"}
        unanswered = [_after(messages, line) for line in talker.said if not _is_answered(messages, line)]
        assert unanswered == [], unanswered
        assert [line for line in talker.said if not any(line.split()[2] in each for each in learned)] == []
    assert ada.get("/api/jobs", params={"state": "dead"})["items"] == []


def _finish_all_work(ada: Client) -> None:
    """However much has to be caught up with, as long as it becomes less."""
    while left := _waiting_jobs(ada):
        eventually(partial(_is_less, ada, left))


def _waiting_jobs(ada: Client) -> int:
    pending: int = ada.get("/api/jobs")["queue"]["pending"]
    return pending


def _is_less(ada: Client, than: int) -> bool:
    return _waiting_jobs(ada) < than


def _is_answered(messages: Sequence[Any], line: str) -> bool:
    authors = [author for author, _, _ in _after(messages, line)]
    return authors[1:2] == ["assistant"] and authors[2:] in ([], ["user"])


def _after(messages: Sequence[Any], line: str) -> list[tuple[str, str, str]]:
    """The message with these words, and the two behind it."""
    place = next(number for number, each in enumerate(messages) if each["content"] == line)
    return [(each["author"], each["state"], each["content"]) for each in messages[place : place + 3]]


def _letters(number: int) -> str:
    """A name that no other resembles."""
    return "".join(chr(97 + number // 26**place % 26) for place in range(3)) * 2
