"""The application without a socket: what it answers, to whom, and with which headers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

import everlore
from everlore.app import Everlore
from everlore.domain.scope import Scope
from everlore.errors import StoreUnavailable
from everlore.models.bytes_tokenizer import BytesTokenizer
from everlore.models.hashing import HashingEmbedder
from everlore.server.app import build_app
from everlore.server.guard import is_named
from everlore.server.routing import MOST_BODY_BYTES, Admitting
from everlore.settings import LOOPBACK, Settings
from everlore.store.answers import QueueState
from everlore.wiring import assemble, now
from tests.store_double.store import DoubleStore


class ForgetfulStore(DoubleStore):
    """A store that can be switched off."""

    gone = False
    surprised = False

    async def queue(self, scope: Scope) -> QueueState:
        if self.gone:
            raise StoreUnavailable("The database is on holiday. Call it back.")
        if self.surprised:
            raise KeyError("secret shelf")
        return await super().queue(scope)


class Lore:
    """An application over a store of its own, and a client that speaks to it."""

    def __init__(self, workspace: str = "default") -> None:
        self.store = ForgetfulStore(clock=now)
        self.lore = assemble(Settings(workspace=workspace), self.store, HashingEmbedder(), BytesTokenizer())
        self.open = False

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Everlore]:
        self.open = True
        yield self.lore
        self.open = False

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        app = build_app(self.opened)
        # Not raising: a client over a real socket sees the answer, too.
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8420") as client,
        ):
            yield client


async def test_health_says_what_runs_and_how_it_is() -> None:
    home = Lore()
    await home.lore.remember("Rex barks")

    async with home.client() as client:
        answer = await client.get("/api/health")
        assert home.open

    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "problems": [],
        "version": everlore.__version__,
        "database": {"kind": "in memory", "version": "1", "schema": 1} | answer.json()["database"],
        "embedder": HashingEmbedder().name,
        "coverage": {"passages": 1, "embedded": 0, "share": 0.0},
        "queue": {"pending": 1, "dead": 0, "paused": False},
    }
    assert not home.open


async def test_a_store_that_fails_is_a_problem_with_its_sentence() -> None:
    home = Lore()

    async with home.client() as client:
        home.store.gone = True
        answers = [await client.get(path) for path in ("/api/health", "/api/health")]
        home.store.gone = False
        again = await client.get("/api/health")

    for answer in answers:
        assert answer.status_code == 503
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json() == {
            "type": "urn:everlore:problem:store-unavailable",
            "title": "Service Unavailable",
            "status": 503,
            "detail": "The database is on holiday. Call it back.",
        }
    assert again.status_code == 200


async def test_a_bug_tells_nothing_of_what_is_inside() -> None:
    home = Lore()

    async with home.client() as client:
        home.store.surprised = True
        answer = await client.get("/api/health")

    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "secret shelf" not in answer.text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/api/nowhere", 404),
        ("GET", "/redoc", 404),
        ("GET", "/..%2f..%2fetc/passwd", 404),
        ("POST", "/api/health", 405),
    ],
)
async def test_what_is_not_there_is_a_problem_document(method: str, path: str, status: int) -> None:
    async with Lore().client() as client:
        answer = await client.request(method, path)

    document = answer.json()
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(document) == {"type", "title", "status", "detail"}
    assert document["status"] == status
    assert "/openapi.json" in document["detail"]


@pytest.mark.parametrize(
    ("host", "answered"),
    [
        ("localhost", True),
        ("LocalHost:8420", True),
        ("127.0.0.1:1", True),
        ("[::1]:8420", True),
        ("[::1]", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example:8420", False),
        ("evil.example:127.0.0.1", False),
        ("localhost:8420@evil.example", False),
        ("[::1].evil.example", False),
        ("[::1", False),
        ("::1", False),
        ("192.168.0.7:8420", False),
        ("0.0.0.0", False),
        ("localhost:²", False),
        ("", False),
    ],
)
def test_only_the_names_of_this_machine_are_its_names(host: str, answered: bool) -> None:
    """S-4."""
    assert is_named(host, LOOPBACK) is answered


@pytest.mark.parametrize("path", ["/", "/api/health", "/nowhere"])
async def test_a_page_elsewhere_cannot_reach_in_through_a_name_of_its_own(path: str) -> None:
    """S-4: DNS rebinding."""
    async with Lore().client() as client:
        answer = await client.get(path, headers={"Host": "evil.example:8420"})
        twice = await client.get(path, headers=[("Host", "localhost"), ("Host", "evil.example")])

    for refused in (answer, twice):
        assert refused.status_code == 421
        assert refused.headers["content-type"] == "application/problem+json"
        assert "localhost" in refused.json()["detail"]


@pytest.mark.parametrize("path", ["/", "/api/health", "/nowhere", "/openapi.json"])
async def test_every_answer_tells_the_browser_to_be_careful(path: str) -> None:
    """S-4."""
    async with Lore().client() as client:
        headers = (await client.get(path)).headers

    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


@pytest.mark.parametrize("path", ["/api/conversations", "/v1/chat/completions"])
@pytest.mark.parametrize("says_its_size", [True, False])
async def test_a_body_that_is_too_large_is_refused(path: str, says_its_size: bool) -> None:
    """S-4: in the shape that the client of each path knows."""
    async with Lore().client() as client:
        body = b" " * (MOST_BODY_BYTES + 1) if says_its_size else _endless()
        answer = await client.post(path, content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 413
    told = answer.json()
    sentence = told["error"]["message"] if path.startswith("/v1/") else told["detail"]
    assert "larger than 16 MB" in sentence


async def _endless() -> AsyncIterator[bytes]:
    while True:
        yield b" " * 1_000_000


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/characters/import?filename=a.png"),
        ("POST", "/api/conversations/import?filename=a.jsonl&character_id=nobody"),
        ("PUT", "/api/characters/nobody/avatar"),
    ],
)
async def test_a_route_that_takes_a_file_has_a_limit_of_its_own(method: str, path: str) -> None:
    async with Lore().client() as client:
        answer = await client.request(method, path, content=b" " * (MOST_BODY_BYTES + 1))

    assert answer.status_code in {400, 404}
    assert "larger than 16 MB" not in answer.text


def test_an_application_takes_the_routes_as_they_are() -> None:
    """Who asks first does not wait until each of them has been made once more."""
    one, other = (build_app(lambda: pytest.fail("nothing is opened here")) for _ in range(2))
    of_api = [route for route in one.routes if isinstance(route, Admitting)]

    assert len(of_api) > 100
    assert all(any(route is each for each in other.routes) for route in of_api)


async def test_an_unknown_query_parameter_is_refused_and_the_known_ones_are_named() -> None:
    """9-surfaces: a misspelt filter does not return everything. Clients of `/v1` may send what other servers take."""
    async with Lore().client() as client:
        misspelt = await client.get("/api/memories", params={"persn_id": "user", "limit": 5})
        none_taken = await client.get("/api/models", params={"limit": 5})
        of_openai = await client.get("/v1/models", params={"api-version": "2026-01-01"})

    (error,) = misspelt.json()["errors"]
    assert (misspelt.status_code, error["field"]) == (422, "query.persn_id")
    assert "person_id" in error["message"]
    assert none_taken.status_code == 422
    assert of_openai.status_code == 200


async def test_the_document_names_how_callers_authenticate() -> None:
    """9-surfaces: generated clients can send a token."""
    async with Lore().client() as client:
        document = (await client.get("/openapi.json")).json()

    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert {"token": []} in document["security"]
