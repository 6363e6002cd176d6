"""Looking for models that nobody named (V5), against real servers on this machine."""

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.config_choices import Service
from everlore.models.discovery import (
    USUAL_MODELS,
    Offer,
    ServerAddress,
    best,
    chat_models,
    discover,
    keys_in,
    ollama_models,
    usual_places,
)
from tests.models.chat_server import ChatServer
from tests.waiting import PATIENCE_S

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


class Stranger:
    """A server of somebody else that answers one thing to everybody."""

    def __init__(self, status: int, body: bytes, location: str = "") -> None:
        class Answering(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(status)
                if location:
                    self.send_header("Location", location)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with suppress(ConnectionError):
                    self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.asked: list[str] = []
        asked = self.asked
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> "Stranger":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def ollama_at(url: str) -> ServerAddress:
    return ServerAddress("Ollama", Service.OLLAMA, url)


def studio_at(url: str) -> ServerAddress:
    return ServerAddress("LM Studio", Service.OPENAI, f"{url}/v1")


async def look(*places: ServerAddress, **environment: str) -> tuple[Offer, ...]:
    return await discover(environment, places=places, limit_s=PATIENCE_S)


# Servers on this machine.


async def test_servers_are_found_with_their_chat_models(server: ChatServer) -> None:
    server.models = ["mira:7b", "nomic-embed-text:latest", "bge-m3", "jonas:3b"]

    ollama, studio = await look(ollama_at(server.root), studio_at(server.root))

    assert (ollama.provider, ollama.base_url) == (Service.OLLAMA, server.root)
    assert (studio.provider, studio.base_url) == (Service.OPENAI, server.url)
    assert ollama.models == studio.models == ("mira:7b", "jonas:3b")
    assert ollama.why == "Ollama answers at this address."


async def test_where_nobody_listens_nothing_is_found() -> None:
    assert await look(ollama_at("http://127.0.0.1:1"), studio_at("http://127.0.0.1:1")) == ()


@pytest.mark.parametrize("status", [200, 401, 404, 500])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>It works!</html>",
        b"[]",
        b"{}",
        b'{"data": 3, "models": "all"}',
        b'{"data": [{"name": "x"}], "models": [{"id": "x"}]}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
async def test_a_stranger_at_one_of_the_ports_is_left_alone(status: int, body: bytes) -> None:
    with Stranger(status, body) as stranger:
        assert await look(ollama_at(stranger.url), studio_at(stranger.url)) == ()


async def test_an_endless_answer_is_not_read_to_its_end() -> None:
    with Stranger(200, json.dumps({"data": [{"id": "x" * 3_000_000}]}).encode()) as stranger:
        assert await look(studio_at(stranger.url)) == ()


async def test_redirects_are_not_followed(server: ChatServer) -> None:
    with Stranger(302, b"", location=f"{server.root}/api/tags") as stranger:
        assert await look(ollama_at(stranger.url)) == ()

    assert server.asked == []


async def test_everlore_does_not_take_itself_for_a_model() -> None:
    listing = json.dumps({"data": [{"id": "nova", "owned_by": "everlore"}]}).encode()
    with Stranger(200, listing) as ourselves:
        assert await look(studio_at(ourselves.url)) == ()


async def test_a_server_that_says_nothing_is_left_after_the_limit() -> None:
    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(mute, "127.0.0.1", 0) as listening:
        url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        async with asyncio.timeout(PATIENCE_S):
            assert await discover({}, places=[ollama_at(url), studio_at(url)], limit_s=0.05) == ()


async def test_no_proxy_is_asked_the_way(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")

    assert len(await look(ollama_at(server.root))) == 1


def test_the_usual_places_are_on_this_machine() -> None:
    assert [place.base_url for place in usual_places({})] == [
        "http://127.0.0.1:11434",
        "http://127.0.0.1:1234/v1",
        "http://127.0.0.1:8080/v1",
    ]


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000"),
        (":8000", "http://127.0.0.1:8000"),
        ("box", "http://box:11434"),
        ("http://box", "http://box:80"),
        ("https://box/", "https://box:443"),
        ("[::]:8000", "http://127.0.0.1:8000"),
        ("[::1]", "http://[::1]:11434"),
        ("user:hunter2@box:8000", "http://box:8000"),
        ("box:port", "http://127.0.0.1:11434"),
    ],
)
def test_ollama_is_looked_for_where_its_own_variable_says(host: str, address: str) -> None:
    assert usual_places({"OLLAMA_HOST": host})[0].base_url == address


@given(st.text())
def test_no_value_of_that_variable_breaks_the_looking(host: str) -> None:
    assert usual_places({"OLLAMA_HOST": host})[0].base_url


def test_a_server_in_the_environment_without_a_key_is_looked_at_too() -> None:
    places = usual_places({"OPENAI_BASE_URL": "http://box:8000/v1/"})

    assert places[-1].base_url == "http://box:8000/v1"


def test_embedding_families_of_ollama_are_no_chat_models() -> None:
    tags = [{"name": "mxbai", "details": {"family": "bert"}}, {"name": "mira", "details": {"family": "llama"}}]

    assert ollama_models({"models": tags}) == ("mira",)


@pytest.mark.parametrize("name", ["gemma3:4b", "meta-llama/Llama-3.3-70B", "e5000-chat", "agte", "gpt-4.1-mini"])
def test_chat_models_are_not_taken_for_others_by_their_names(name: str) -> None:
    assert chat_models({"data": [{"id": name}]}) == (name,)


# Keys in the environment.


def test_each_usual_key_is_an_offer_of_its_service() -> None:
    names = ["OPENAI", "OPENROUTER", "MISTRAL", "DEEPSEEK", "GROQ", "TOGETHER"]

    offers = keys_in({f"{name}_API_KEY": f" {KEY}\n" for name in names})

    assert [offer.why for offer in offers] == [f"{name}_API_KEY is set." for name in names]
    assert all(offer.base_url.startswith("https://") and len(offer.models) == 1 for offer in offers)
    assert {offer.api_key.get_secret_value() for offer in offers if offer.api_key} == {KEY}


def test_blank_variables_offer_nothing() -> None:
    assert keys_in({"OPENAI_API_KEY": "  "}) == ()


def test_the_base_url_of_the_environment_goes_with_its_key_and_leaves_the_model_open() -> None:
    (offer,) = keys_in({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "https://box/v1/"})

    assert (offer.base_url, offer.models) == ("https://box/v1", ())


@pytest.mark.parametrize("url", ["box", "https://user:hunter2@box/v1", "https://box/v1?key=hunter2"])
def test_a_key_never_goes_elsewhere_because_its_address_is_wrong(url: str) -> None:
    environment = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url}

    assert keys_in(environment) == ()


def test_an_offer_never_shows_its_key() -> None:
    (offer,) = keys_in({"OPENAI_API_KEY": KEY})

    assert KEY not in repr(offer)
    assert KEY not in str(offer)


async def test_looking_logs_no_key(server: ChatServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    await look(ollama_at(server.root), OPENAI_API_KEY=KEY)

    assert KEY not in caplog.text
    assert all("authorization" not in asked.headers for asked in server.asked)


# Which is best.


async def test_what_stays_on_this_machine_comes_before_any_key(server: ChatServer) -> None:
    offers = await look(studio_at(server.root), OPENAI_API_KEY=KEY)

    assert [offer.api_key is None for offer in offers] == [True, False]
    assert best(offers) == offers[0]
    assert best(offers[::-1]) == offers[0]


async def test_a_server_without_any_model_is_found_but_never_best(server: ChatServer) -> None:
    server.models = []

    offers = await look(ollama_at(server.root), GROQ_API_KEY=KEY)

    chosen = best(offers)
    assert len(offers) == 2
    assert chosen is not None
    assert chosen.why == "GROQ_API_KEY is set."
    assert best(offers[:1]) is None


def test_nothing_offered_means_the_built_in_voice() -> None:
    assert best(()) is None


def test_every_service_has_a_documented_model() -> None:
    assert all(USUAL_MODELS.values())
