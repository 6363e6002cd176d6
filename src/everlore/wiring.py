"""The one place that reads the environment and knows every concrete class."""

import os
import random
import secrets
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import ValidationError

from everlore.app import Everlore
from everlore.domain.ids import make_id
from everlore.domain.scope import Scope
from everlore.errors import BadAsk, Misconfigured
from everlore.models.build import build_embedder, build_tokenizer
from everlore.models.embedder import Embedder
from everlore.observe import doctor
from everlore.observe.doctor import Check
from everlore.reflect.embedding import EMBED, REINDEX, EmbedPassages, ReindexPassages
from everlore.settings import Settings
from everlore.store.port import Health, Store
from everlore.worker import Handler, Worker


def read_settings(**given: Any) -> Settings:
    """The settings of the environment, with what is given instead of them."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = "EVERLORE_" + "__".join(str(part) for part in first["loc"]).upper()
        raise Misconfigured(f"The setting {name} is wrong: {first['msg']}. See docs/settings.md.") from None


def database_of(settings: Settings) -> str | Path:
    """A PostgreSQL address, or the path of a SQLite file."""
    url = settings.database_url
    if url is None:
        folder = settings.data_dir or Path(platformdirs.user_data_dir("everlore"))
        return folder / "everlore.db"
    if url.startswith(("postgresql://", "postgres://")):
        return url
    if url.startswith("sqlite:///"):
        return Path(url.removeprefix("sqlite:///")).expanduser()
    if "://" in url:
        raise BadAsk(f"{url.split('://')[0]!r} is no database of ours. Use sqlite:///path/to.db or postgresql://….")
    return Path(url).expanduser()


async def open_store(settings: Settings, *, migrate: bool = False) -> Store:
    database = database_of(settings)
    if isinstance(database, Path):
        from everlore.store.sqlite.store import SqliteStore

        return await SqliteStore.open(database.absolute(), settings.store, clock=now)
    from everlore.store.postgres.store import PostgresStore

    return await PostgresStore.open(database, settings.store, clock=now, migrate=migrate)


def now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return make_id(now(), secrets.token_bytes(10))


def handlers(store: Store, embedder: Embedder | None) -> Mapping[str, Handler]:
    return {EMBED: EmbedPassages(store, embedder), REINDEX: ReindexPassages(store, embedder)}


async def migrate(settings: Settings) -> tuple[Health, list[str]]:
    """Bring the schema up to date: how the database is now, and the names of what was run.

    A SQLite file does this whenever it is opened, and does not tell what it ran.
    """
    database = database_of(settings)
    ran: list[str] = []
    if isinstance(database, str):
        from everlore.store.postgres.connection import migrate as run_pending

        ran = await run_pending(database, settings.store)
    store = await open_store(settings)
    try:
        return await store.health(), ran
    finally:
        await store.close()


async def examine(settings: Settings) -> list[Check]:
    """What `everlore doctor` finds."""
    return await doctor.examine(
        Scope(settings.workspace),
        open_store=lambda: open_store(settings),
        build_embedder=lambda: build_embedder(settings.embedding),
        build_tokenizer=lambda: build_tokenizer(settings.tokenizer),
    )


@asynccontextmanager
async def opened(settings: Settings, *, working: bool = True) -> AsyncIterator[Everlore]:
    """An Everlore with its store open and its workers at work, all of it closed at the end.

    Without `working`, nothing runs in the background and the index is left as it is: for callers that
    ask one thing and go, and for those that call `work` themselves.
    """
    lore = await build(settings)
    try:
        if working:
            await lore.start()
        yield lore
    finally:
        await lore.stop()


async def build(settings: Settings) -> Everlore:
    # The models first: if one of them cannot be made, there is no store yet that would stay open.
    embedder = build_embedder(settings.embedding)
    tokenizer = build_tokenizer(settings.tokenizer)
    store = await open_store(settings)
    return Everlore(
        scope=Scope(settings.workspace),
        settings=settings,
        store=store,
        embedder=embedder,
        tokenizer=tokenizer,
        workers=[_worker(number, store, embedder, settings) for number in range(max(settings.queue.workers, 1))],
        clock=now,
        new_id=new_id,
    )


def _worker(number: int, store: Store, embedder: Embedder | None, settings: Settings) -> Worker:
    # The name is in every lease: two processes must never make up the same one.
    name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}-{number}"
    return Worker(store, handlers(store, embedder), settings.queue, name=name, clock=now, dice=random.Random())
