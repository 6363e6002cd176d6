"""The web application over one Everlore, which lives as long as the application does.

Start at `build_app`.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse

import everlore
from everlore.app import Everlore
from everlore.domain.job import JobState
from everlore.server.guard import Guard
from everlore.server.page import Page, read_page
from everlore.server.problems import answer_with_problems
from everlore.store.port import Coverage

OpenLore = Callable[[], AbstractAsyncContextManager[Everlore]]


@dataclass(frozen=True, slots=True)
class Database:
    kind: str
    version: str
    schema: int


@dataclass(frozen=True, slots=True)
class Index:
    passages: int
    embedded: int
    share: float


@dataclass(frozen=True, slots=True)
class Queue:
    pending: int
    dead: int
    paused: bool


@dataclass(frozen=True, slots=True)
class Health:
    """`coverage` says how much of the workspace is indexed by meaning; null without an embedder."""

    status: str
    version: str
    database: Database
    embedder: str | None
    coverage: Index | None
    queue: Queue


class Vitals:
    """How the server is. What a database is, is asked once: that question reads the whole of it."""

    def __init__(self, lore: Everlore) -> None:
        self._lore = lore
        self._database: Database | None = None

    async def read(self) -> Health:
        lore = self._lore
        queue = await lore.store.queue(lore.scope)
        name = lore.embedder.name if lore.embedder else None
        coverage = await lore.store.coverage(lore.scope, name) if name else None
        return Health(
            status="ok",
            version=everlore.__version__,
            database=await self._known_database(),
            embedder=name,
            coverage=_index(coverage),
            queue=Queue(queue.pending, queue.counts.get(JobState.DEAD, 0), queue.paused),
        )

    async def _known_database(self) -> Database:
        if self._database is None:
            health = await self._lore.store.health()
            self._database = Database(health.kind, health.version, health.schema)
        return self._database


def build_app(open_lore: OpenLore) -> FastAPI:
    """`open_lore` is entered when the application starts, and left, with its workers drained, when it ends."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_lore() as lore:
            app.state.lore = lore
            app.state.vitals = Vitals(lore)
            app.state.page = read_page()
            yield

    # The interactive docs of FastAPI load their scripts from elsewhere, which nothing here does.
    app = FastAPI(title="Everlore", version=everlore.__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_middleware(Guard)
    answer_with_problems(app)
    app.get("/api/health", response_model=Health)(health)
    app.get("/", include_in_schema=False, response_class=HTMLResponse)(first_page)
    return app


def _lore(request: Request) -> Everlore:
    lore: Everlore = request.app.state.lore
    return lore


def _vitals(request: Request) -> Vitals:
    vitals: Vitals = request.app.state.vitals
    return vitals


def _page(request: Request) -> Page:
    page: Page = request.app.state.page
    return page


async def health(vitals: Annotated[Vitals, Depends(_vitals)]) -> Health:
    """Whether the server is well: 503 when its database is not."""
    return await vitals.read()


async def first_page(lore: Annotated[Everlore, Depends(_lore)], page: Annotated[Page, Depends(_page)]) -> HTMLResponse:
    html = page.render(await lore.stats())
    return HTMLResponse(html, headers={"Content-Security-Policy": page.policy})


def _index(coverage: Coverage | None) -> Index | None:
    return None if coverage is None else Index(coverage.passages, coverage.embedded, coverage.share)
