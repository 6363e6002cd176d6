"""The one place that reads the environment and knows every concrete class."""

import asyncio
import os
import random
import secrets
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs
from pydantic import ValidationError
from pydantic_settings import SettingsError

from everlore.app import Everlore
from everlore.domain.ids import make_id
from everlore.domain.scope import Scope
from everlore.errors import BadAsk, Misconfigured
from everlore.facade import BackgroundTasks
from everlore.language.wrong_values import requirement
from everlore.models.build import build_embedder, build_tokenizer
from everlore.models.discovery import Offer, discover
from everlore.models.embedder import Embedder
from everlore.models.keys import KEY_FILE, Seal
from everlore.models.registry import ChatModels
from everlore.models.slots import Slots
from everlore.models.tokenizer import Tokenizer
from everlore.models.word_vectors import WordVectors
from everlore.recall.noise import NoiseModels
from everlore.settings import Settings
from everlore.store.answers import StoreHealth
from everlore.store.port import Change, Store
from everlore.turn.backends import Backends
from everlore.turn.dice import Dice
from everlore.turn.holder import Holder
from everlore.turn.live import Live
from everlore.turn.relay import Relay
from everlore.turn.resources import Resources
from everlore.turn.structured import Troubles

if TYPE_CHECKING:
    from everlore.domain.campaign import Entity
    from everlore.domain.conversation import Conversation, Message
    from everlore.observe.doctor import Check
    from everlore.turn.turns import Turns
    from everlore.worker import Handler, Worker


def read_settings(**given: Any) -> Settings:
    """The settings of the environment, overridden by what is given."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = "EVERLORE_" + "__".join(str(part) for part in first["loc"]).upper()
        raise Misconfigured(f"The setting {name} {requirement(first)}. See docs/settings.md.") from None
    except SettingsError as error:
        name = "EVERLORE_" + str(error).partition('"')[2].partition('"')[0].upper()
        raise Misconfigured(f"The setting {name} must be a JSON object. See docs/settings.md.") from None


def database_of(settings: Settings) -> str | Path:
    """A PostgreSQL address, or the path of a SQLite file."""
    url = settings.database_url
    if url is None:
        return data_folder(settings) / "everlore.db"
    if url.startswith(("postgresql://", "postgres://")):
        return url
    if url.startswith("sqlite:///"):
        return Path(url.removeprefix("sqlite:///")).expanduser()
    if "://" in url:
        raise BadAsk(f"{url.split('://')[0]!r} is no database of ours. Use sqlite:///path/to.db or postgresql://….")
    return Path(url).expanduser()


def data_folder(settings: Settings) -> Path:
    return settings.data_dir or Path(platformdirs.user_data_dir("everlore"))


def models_folder(settings: Settings) -> Path:
    """Where installed models are."""
    return data_folder(settings) / "models"


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


def handlers(resources: Resources) -> "Mapping[str, Handler]":
    """The handler of each kind of job. Imported here: they are half of Everlore, and only workers need them."""
    from everlore.campaign.digest.flow import DigestSessions
    from everlore.campaign.digest.jobs import DIGEST
    from everlore.campaign.linking import Linked
    from everlore.domain.job import EMBED
    from everlore.domain.webhook import WEBHOOK
    from everlore.learning.analysis_jobs import AnalyseConversations
    from everlore.learning.conversation_end import CloseConversations
    from everlore.learning.embedding_jobs import REINDEX, EmbedPassages, ReindexPassages
    from everlore.learning.fact_jobs import LearnFacts
    from everlore.learning.jobs import ANALYSIS, CLOSING, FACTS, KEYFRAME, PROBE, SUMMARY, THINK
    from everlore.learning.keyframe_jobs import FormKeyframes
    from everlore.learning.mind import Tools
    from everlore.learning.model_records import ProbeModels, fixed_trust
    from everlore.learning.summary_jobs import SumUp
    from everlore.services.webhook_delivery import DeliverWebhooks
    from everlore.turn.background_model import Thinking
    from everlore.turn.title_job import TITLE, Titling

    mind = Thinking(resources.backends, resources.slots, resources.troubles)
    tools = Tools(
        resources.store,
        resources.embedder,
        mind,
        resources.new_id,
        resources.tokenizer.count,
        saving=resources.settings.saving,
        trust=fixed_trust(resources.settings.extraction.trust),
    )
    learning = Linked(resources.store, LearnFacts(tools))
    return {
        EMBED: EmbedPassages(resources.store, resources.embedder),
        REINDEX: ReindexPassages(resources.store, resources.embedder),
        TITLE: Titling(resources.store, resources.backends, resources.slots, resources.troubles),
        FACTS: learning,
        THINK: learning,
        KEYFRAME: Linked(resources.store, FormKeyframes(tools)),
        ANALYSIS: Linked(resources.store, AnalyseConversations(tools)),
        CLOSING: CloseConversations(tools),
        PROBE: ProbeModels(tools),
        SUMMARY: SumUp(tools),
        WEBHOOK: DeliverWebhooks(resources.store, resources.backends.keys.unseal),
        DIGEST: DigestSessions(resources.store, mind, resources.tokenizer.count, resources.new_id),
    }


async def migrate(settings: Settings, *, distributed: bool = False) -> tuple[StoreHealth, list[str]]:
    """Update the schema; returns the state of the database and the names of the migrations that were run. A SQLite file
    is migrated whenever it is opened, and does not report which."""
    database = database_of(settings)
    ran: list[str] = []
    if isinstance(database, str):
        from everlore.store.postgres.connection import migrate as run_pending

        ran = await run_pending(database, settings.store, distributed=distributed)
    elif distributed:
        raise Misconfigured("A SQLite file cannot be distributed. Name a PostgreSQL database with Citus by --db.")
    store = await open_store(settings)
    try:
        return await store.health(), ran
    finally:
        await store.close()


@dataclass(frozen=True, slots=True)
class DatabaseCopy:
    """A database that was backed up or restored. `key_file`: the key that a backup does not contain, if there is one;
    `notes`: what the operator should know."""

    database: Path
    size_bytes: int
    schema: int
    sha256: str
    key_file: Path | None
    notes: tuple[str, ...]


async def back_up(
    settings: Settings, file: Path, *, force: bool = False, tell: Callable[[str, int, int], None]
) -> DatabaseCopy:
    """Copy the whole SQLite database while it is in use (R-5)."""
    from everlore.store.sqlite.backup import back_up as copy

    database = _sqlite_file(settings, f"pg_dump --format=custom --file={file} …")
    done = await asyncio.to_thread(
        copy, database, file, force=force, tell=lambda done, total: tell("copying", done, total)
    )
    key_file = _key_file(settings)
    notes = (
        [f"Not in it: {key_file}, which seals the keys of model providers. Keep a copy elsewhere."] if key_file else []
    )
    return DatabaseCopy(database, done.size_bytes, done.schema, done.sha256, key_file, tuple(notes))


async def restore(settings: Settings, file: Path, *, force: bool = False) -> DatabaseCopy:
    """Replace the SQLite database with a backup."""
    from everlore.store.sqlite.backup import restore as put_back

    database = _sqlite_file(settings, f"pg_restore --clean --if-exists --dbname=… {file}")
    done = await asyncio.to_thread(put_back, file, database, force=force)
    key_file = _key_file(settings)
    notes = []
    if not done.had_checksum:
        notes.append(f"There was no {file.name}.sha256 beside it: it was checked from within alone.")
    if key_file is None and settings.secret_key is None:
        notes.append(
            f"There is no {KEY_FILE} in {data_folder(settings)}: bring it back as well, or enter the keys of model "
            "providers again."
        )
    return DatabaseCopy(database, done.size_bytes, done.schema, done.sha256, key_file, tuple(notes))


def _sqlite_file(settings: Settings, instead: str) -> Path:
    database = database_of(settings)
    if isinstance(database, str):
        raise BadAsk(f"PostgreSQL has its own tool for this: {instead}")
    return database.absolute()


def _key_file(settings: Settings) -> Path | None:
    path = data_folder(settings) / KEY_FILE
    return path if path.exists() else None


async def examine(settings: Settings) -> "list[Check]":
    """The checks of `everlore doctor`. Of a backup, which must stay as its checksum says, a copy is examined."""
    from everlore.store.sqlite.backup import has_checksum

    database = database_of(settings)
    if not isinstance(database, Path) or not has_checksum(database):
        return await _examine(settings)
    with tempfile.TemporaryDirectory(prefix="everlore-") as folder:
        copied = Path(folder) / database.name
        await asyncio.to_thread(shutil.copyfile, database, copied)
        return await _examine(settings.model_copy(update={"database_url": f"sqlite:///{copied}"}))


async def _examine(settings: Settings) -> "list[Check]":
    from everlore.learning.model_records import fixed_trust
    from everlore.observe import doctor

    return await doctor.examine(
        Scope(settings.workspace),
        open_store=lambda: open_store(settings),
        build_embedder=lambda: build_embedder(settings.embedding, models_folder(settings)),
        build_tokenizer=lambda: build_tokenizer(settings.tokenizer),
        try_model=lambda store: doctor.try_model(Scope(settings.workspace), _backends(settings, store, now)),
        trust=fixed_trust(settings.extraction.trust),
    )


@asynccontextmanager
async def opened(settings: Settings, *, working: bool = True) -> AsyncIterator[Everlore]:
    """An Everlore with an open store and running workers; all of it is closed at the end.

    Without `working`, nothing runs in the background and the index stays as it is: for callers that make one request,
    and for those that call `work` themselves.
    """
    lore = await build(settings)
    try:
        if working:
            await lore.start()
        yield lore
    finally:
        await lore.stop()


async def build(settings: Settings) -> Everlore:
    # The models first: if one of them cannot be loaded, there is no open store to close.
    embedder = build_embedder(settings.embedding, models_folder(settings))
    tokenizer = build_tokenizer(settings.tokenizer)
    return assemble(settings, await open_store(settings), embedder, tokenizer)


def assemble(
    settings: Settings,
    store: Store,
    embedder: Embedder | None,
    tokenizer: Tokenizer,
    *,
    models: ChatModels | None = None,
    clock: Callable[[], datetime] = now,
) -> Everlore:
    """Builds an Everlore out of its parts. Nothing is opened or started."""
    holder = Holder(socket.gethostname(), os.getpid(), secrets.token_hex(8))
    resources = Resources(
        store=store,
        embedder=embedder,
        tokenizer=tokenizer,
        backends=_backends(settings, store, clock, models),
        slots=Slots(),
        troubles=Troubles(clock),
        floors=NoiseModels(),
        words=WordVectors(),
        dice=Dice(settings.gossip.seed),
        live=Live(partial(Relay, store, str(holder), clock)),
        settings=settings,
        holder=holder,
        campaigns=_CampaignHooks(),
        clock=clock,
        new_id=new_id,
    )
    return Everlore(
        Scope(settings.workspace), resources, BackgroundTasks(lambda: _turns(resources), lambda: _workers(resources))
    )


class _CampaignHooks:
    """`turn.resources.CampaignHooks`, with its modules imported on first use."""

    def mentioned_in(self, text: str, entities: "Sequence[Entity]", most: int) -> "list[Entity]":
        from everlore.campaign.naming import mentioned_in

        return mentioned_in(text, entities, most)

    async def digested_again(
        self,
        store: Store,
        scope: Scope,
        conversation: "Conversation",
        messages: "Sequence[Message]",
        now: datetime,
        new_id: Callable[[], str],
    ) -> list[Change]:
        from everlore.campaign.digest.following import digested_again

        return await digested_again(store, scope, conversation, messages, now, new_id)


def _turns(resources: Resources) -> "Turns":
    from everlore.turn.turns import Turns

    return Turns(resources)


def _workers(resources: Resources) -> "list[Worker]":
    work = handlers(resources)
    return [_worker(number, resources, work) for number in range(max(resources.settings.queue.workers, 1))]


def _backends(
    settings: Settings, store: Store, clock: Callable[[], datetime], models: ChatModels | None = None
) -> Backends:
    return Backends(
        store,
        models or ChatModels(settings.chat),
        Seal(settings.secret_key, data_folder(settings)),
        settings,
        look=lambda: look_for_models(settings),
        clock=clock,
    )


async def look_for_models(settings: Settings) -> tuple[Offer, ...]:
    """Only if the operator has not chosen a model."""
    return await discover(os.environ) if settings.chat.provider == "auto" else ()


def _worker(number: int, resources: Resources, work: "Mapping[str, Handler]") -> "Worker":
    from everlore.campaign.digest.jobs import DIGEST
    from everlore.learning.jobs import FACTS, LEARNING
    from everlore.worker import Worker

    # The name is in every lease, so it must be unique among processes.
    name = f"{resources.holder}-{number}"
    return Worker(
        resources.store,
        work,
        resources.settings.queue,
        name=name,
        clock=resources.clock,
        dice=random.Random(),
        live=resources.live,
        unhurried=LEARNING | {DIGEST},
        together=frozenset({FACTS}),
        is_quiet=lambda: resources.slots.is_quiet(resources.settings.queue.quiet_s),
    )
