"""The guests of this room: a wire that is cut, and a server that answers in OpenAI's shape."""

import socket
from collections.abc import Iterator

import pytest

from tests.models.embedding_server import EmbeddingServer


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something offline reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running
