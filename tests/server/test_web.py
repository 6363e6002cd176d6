"""The files of the web application: what is served, to be kept how long, and under which policy."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from everlore.server.guard import Guard
from everlore.server.problems import answer_with_problems
from everlore.server.web import serve_web

PAGE = '<!doctype html><title>Everlore</title><script type="module" src="/assets/index-a1b2.js"></script>'


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """What a build leaves behind."""
    assets = tmp_path / "web_dist" / "assets"
    assets.mkdir(parents=True)
    (assets.parent / "index.html").write_text(PAGE, encoding="utf-8")
    (assets.parent / "secret.js").write_text("not for the browser", encoding="utf-8")
    (assets / "index-a1b2.js").write_text("export {};", encoding="utf-8")
    (assets / "index-c3d4.css").write_text("body {}", encoding="utf-8")
    (assets / "notes.md").write_text("not for the browser", encoding="utf-8")
    return assets.parent


@pytest.fixture
async def client(built: Path) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    app.add_middleware(Guard)
    answer_with_problems(app)
    serve_web(app, built)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8420") as client:
        yield client


async def test_it_can_be_installed_as_an_app(client: httpx.AsyncClient, built: Path) -> None:
    """The manifest and its icons come by their names; before a build there are none."""
    missing = await client.get("/icon-192.png")
    (built / "manifest.webmanifest").write_text("{}", encoding="utf-8")
    manifest = await client.get("/manifest.webmanifest")

    assert (missing.status_code, (await client.get("/secret.js")).status_code) == (404, 404)
    assert (manifest.status_code, manifest.headers["content-type"]) == (200, "application/manifest+json")


async def test_the_page_comes_under_a_policy_that_lets_nothing_in_from_elsewhere(client: httpx.AsyncClient) -> None:
    """S-4."""
    answer = await client.get("/")

    assert (answer.status_code, answer.text) == (200, PAGE)
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert policy.pop("img-src") == "'self' data: blob:"
    assert {name for name, source in policy.items() if source == "'self'"} == {
        "script-src",
        "style-src",
        "connect-src",
        "font-src",
        "manifest-src",
    }
    assert {name for name, source in policy.items() if source == "'none'"} == {
        "default-src",
        "base-uri",
        "form-action",
        "frame-ancestors",
    }


@pytest.mark.parametrize(
    ("name", "type"), [("index-a1b2.js", "text/javascript"), ("index-c3d4.css", "text/css")], ids=["script", "style"]
)
async def test_what_the_page_loads_is_kept_for_long(client: httpx.AsyncClient, name: str, type: str) -> None:
    answer = await client.get(f"/assets/{name}")

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == f"{type}; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("name", ["index-old.js", "notes.md", "..%2Fsecret.js", "%2e%2e%2fsecret.js", ""])
async def test_nothing_else_is_served(client: httpx.AsyncClient, name: str) -> None:
    answer = await client.get(f"/assets/{name}")

    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/problem+json"


async def test_a_new_build_is_seen_without_a_new_start(client: httpx.AsyncClient, built: Path) -> None:
    (built / "index.html").write_text("<!doctype html><title>Newer</title>", encoding="utf-8")

    assert "Newer" in (await client.get("/")).text


async def test_without_a_build_the_page_says_how_to_make_one(client: httpx.AsyncClient, built: Path) -> None:
    (built / "index.html").unlink()

    answer = await client.get("/")

    assert answer.status_code == 503
    assert "The web application is not built" in answer.text
    assert "make run" in answer.text


async def test_text_is_packed_for_whoever_can_unpack_it(client: httpx.AsyncClient, built: Path) -> None:
    """U13: the first load is a third of what it would be."""
    script = built / "assets" / "index-a1b2.js"
    script.write_text("export const word = 1;\n" * 1_000, encoding="utf-8")

    packed = await client.get("/assets/index-a1b2.js", headers={"Accept-Encoding": "gzip, br"})
    plain = await client.get("/assets/index-a1b2.js", headers={"Accept-Encoding": "identity"})

    assert (packed.headers["Content-Encoding"], packed.headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert int(packed.headers["Content-Length"]) < len(plain.content) / 10
    assert packed.text == plain.text == script.read_text(encoding="utf-8")
    assert "Content-Encoding" not in plain.headers
    script.write_text("export {};", encoding="utf-8")
    assert (await client.get("/assets/index-a1b2.js")).text == "export {};"
