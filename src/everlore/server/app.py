"""The web application over one Everlore, which lives as long as the application does.

Start at `build_app`.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from starlette.routing import Route

import everlore
from everlore.app import Everlore
from everlore.domain.job import JobState
from everlore.domain.policy import Act, may
from everlore.errors import EverloreError
from everlore.server import (
    campaign_files,
    campaigns,
    characters,
    context,
    conversations,
    demo,
    events,
    gossip,
    imports,
    jobs,
    knowledge,
    learning,
    live,
    lorebooks,
    memories,
    messages,
    models,
    monitoring,
    prompts,
    session,
    templates,
    tokens,
    webhooks,
    workspace_files,
    world,
)
from everlore.server.access import Lore
from everlore.server.etags import readers_of
from everlore.server.guard import Guard, names_of
from everlore.server.login import Door
from everlore.server.mcp.over_http import PATH, OverHttp
from everlore.server.openai import chat, completions, grounds, responses
from everlore.server.openapi import describe
from everlore.server.problems import answer_with_problems
from everlore.server.rates import TokenRates
from everlore.server.routing import Router
from everlore.server.web import serve_web
from everlore.settings import ServerSettings
from everlore.store.answers import Coverage

_ROUTERS = (
    characters.router,
    lorebooks.router,
    models.router,
    conversations.config_router,
    conversations.router,
    messages.router,
    messages.search_router,
    memories.router,
    memories.of_message,
    memories.misses,
    knowledge.router,
    knowledge.of_memory,
    knowledge.of_person,
    gossip.router,
    gossip.of_conversation,
    learning.router,
    learning.of_conversation,
    events.router,
    campaigns.router,
    campaign_files.router,
    campaigns.chapters,
    campaigns.sessions,
    world.of_campaign,
    world.entities,
    world.ties,
    world.proposals,
    context.router,
    jobs.router,
    prompts.router,
    templates.router,
    tokens.router,
    webhooks.router,
    session.router,
    monitoring.router,
    workspace_files.router,
    imports.router,
    demo.router,
    live.router,
    chat.router,
    completions.router,
    responses.router,
    grounds.router,
)
looking = Router()
_TRIED_EVERY_S = 2.0
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
    """`status` is `ok`, or `degraded` when `problems` lists what does not work and how to fix it; with a full disk
    everything can still be read. `coverage` is how much of the workspace is indexed by meaning; null without an
    embedder. Callers without access to the workspace get only the status: `problems`, `database` and `queue` are null
    for them."""

    status: str
    version: str
    problems: tuple[str, ...] | None = None
    database: Database | None = None
    embedder: str | None = None
    coverage: Index | None = None
    queue: Queue | None = None


class Vitals:
    """The health of the server. The description of the database is read once, because that scans all of it. Whether it
    accepts writes is tested at most every few seconds, however many ask."""

    def __init__(self, lore: Everlore) -> None:
        self._lore = lore
        self._database: Database | None = None
        self._problems: tuple[str, ...] = ()
        self._tried_at = -math.inf
        self._trying = asyncio.Lock()

    async def read(self) -> Health:
        lore = self._lore
        queue = await lore.store.queue(lore.scope)
        name = lore.embedder.name if lore.embedder else None
        coverage = await lore.store.coverage(lore.scope, name) if name else None
        problems = await self._known_problems()
        return Health(
            status="degraded" if problems else "ok",
            version=everlore.__version__,
            problems=problems,
            database=await self._known_database(),
            embedder=name,
            coverage=_index(coverage),
            queue=Queue(queue.pending, queue.counts.get(JobState.DEAD, 0), queue.paused),
        )

    async def _known_problems(self) -> tuple[str, ...]:
        async with self._trying:
            if time.monotonic() - self._tried_at >= _TRIED_EVERY_S:
                try:
                    await self._lore.store.try_writing(self._lore.scope)
                    self._problems = ()
                except EverloreError as error:
                    # Our errors already end with the next step.
                    self._problems = (str(error),)
                self._tried_at = time.monotonic()
            return self._problems

    async def _known_database(self) -> Database:
        if self._database is None:
            health = await self._lore.store.health()
            self._database = Database(health.kind, health.version, health.schema)
        return self._database


def build_app(open_lore: OpenLore, settings: ServerSettings | None = None) -> FastAPI:
    """`open_lore` is entered when the application starts, and exited, with its workers drained, when it ends."""
    settings = settings or ServerSettings()
    mcp = OverHttp()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_lore() as lore, mcp.lasting():
            app.state.lore = lore
            app.state.door = door_of(lore, settings)
            app.state.server_settings = settings
            app.state.vitals = Vitals(lore)
            yield

    # FastAPI's interactive docs load scripts from other sites; ours are in the web application.
    app = FastAPI(
        title="Everlore",
        version=everlore.__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(
        Guard,
        names=names_of(settings),
        any_address=settings.needs_token,
        origins=frozenset(each.lower() for each in settings.origins),
    )
    answer_with_problems(app)
    # Unchanged: `include_router` would build each of them again while the first requests wait.
    app.router.routes.extend(route for router in (looking, *_ROUTERS) for route in router.routes)
    # Not a route of the API: it authenticates its callers itself.
    app.router.routes.append(Route(PATH, mcp, include_in_schema=False))
    app.state.readers = readers_of(app.router.routes)
    serve_web(app)
    describe(app)
    return app


def door_of(lore: Everlore, settings: ServerSettings) -> Door:
    return Door(
        lore,
        TokenRates(lore.store, lore.resources.clock),
        needs_token=settings.needs_token,
        lets_anonymous_in=settings.anonymous,
        per_minute=settings.per_minute,
    )


def _vitals(request: Request) -> Vitals:
    vitals: Vitals = request.app.state.vitals
    return vitals


@looking.get("/api/health")
async def health(vitals: Annotated[Vitals, Depends(_vitals)], lore: Lore) -> Health:
    """Returns the state of the server: `degraded` when it is read-only, 503 when its database is unavailable."""
    found = await vitals.read()
    return found if may(lore.scope.role, Act.OWN) else Health(found.status, found.version)


def _index(coverage: Coverage | None) -> Index | None:
    return None if coverage is None else Index(coverage.passages, coverage.embedded, coverage.share)
