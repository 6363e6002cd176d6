"""stats, cleanup, reindex, doctor, migrate."""

import signal
from datetime import timedelta
from pathlib import Path

import asyncpg
import pytest

from everlore.domain.job import Job
from everlore.domain.scope import Scope
from everlore.errors import Misconfigured
from everlore.models.discovery import Offer
from everlore.models.keys import Seal
from everlore.models.registry import ChatModels
from everlore.observe.doctor import CheckState, try_model
from everlore.settings import ChatSettings, EmbeddingSettings, Settings
from everlore.store.port import Enqueue
from everlore.turn.backends import Backends
from everlore.wiring import now, opened
from tests.cli.process import Command, SilentServer
from tests.models.chat_server import ChatServer
from tests.store_double.store import DoubleStore


def test_stats_count_what_the_workspace_holds(cli: Command) -> None:
    cli.ok("remember", "--lines", stdin="Rex barks\nDon sings\n")

    document = cli.ok("stats", "--json").document

    assert document["workspace"] == "default"
    assert document["counts"]["memory"] == 2
    assert document["coverage"] == {"passages": 2, "embedded": 0, "share": 0.0}
    assert document["embedder"] == "wordllama-l2-256"
    assert document["queue"]["pending"] >= 1
    assert document["queue"]["paused"] is False


def test_cleanup_of_a_clean_workspace_removes_nothing(cli: Command) -> None:
    cli.ok("remember", "Rex barks")

    document = cli.ok("cleanup", "--dry-run", "--json").document
    text = cli.ok("cleanup").out

    assert document["dry_run"] is True
    assert document["total"] == 0
    assert text == "Nothing to clean up.\n"


def test_reindex_embeds_what_waits_and_prints_one_document(cli: Command) -> None:
    """M12; progress is not part of the answer."""
    cli.ok("remember", "--lines", stdin="".join(f"Rex ate {number} apples\n" for number in range(30)))

    first = cli.ok("reindex", "--json").document
    moved = cli.having(EVERLORE_EMBEDDING__PROVIDER="hashing").ok("reindex", "--json").document

    assert first == {"passages": 30, "embedded": 30, "share": 1.0}
    assert moved == first


def test_reindex_stopped_with_ctrl_c_goes_on_later(
    cli: Command, cli_of_silent_server: Command, silent_server: SilentServer
) -> None:
    cli.ok("remember", "Rex barks")

    with cli_of_silent_server.started("reindex", "--json") as reindex:
        silent_server.is_asked()
        stopped = reindex.ends_after(signal.SIGINT)
    resumed = cli.ok("reindex", "--json").document

    assert stopped.code == 130
    assert stopped.out == ""
    assert '"type": "Interrupted"' in stopped.err
    assert resumed["share"] == 1.0


async def test_reindex_is_found_behind_thousands_of_other_jobs(cli: Command) -> None:
    embedding = EmbeddingSettings(provider="hashing")
    async with opened(Settings(database_url=str(cli.database), embedding=embedding), working=False) as lore:
        await lore.remember("Rex barks")
        later = now() + timedelta(days=1)
        jobs = [
            Job(workspace="default", id=f"later-{number}", kind="embed", run_at=later, created_at=now())
            for number in range(1_100)
        ]
        await lore.store.apply(lore.scope, [Enqueue(job) for job in jobs])

        steps = [coverage.embedded async for coverage in lore.reindex()]

    assert (steps[0], steps[-1]) == (0, 1)


def test_reindex_of_a_paused_queue_says_so(cli: Command) -> None:
    cli.ok("jobs", "pause")

    done = cli("reindex")

    assert done.code == 2
    assert "everlore jobs resume" in done.err


def test_a_model_that_does_not_answer_is_said_at_once(cli_of_silent_server: Command) -> None:
    done = cli_of_silent_server.having(EVERLORE_EMBEDDING__TIMEOUT_S="0.1")("reindex")

    assert (done.code, done.out) == (7, "")
    assert "EVERLORE_EMBEDDING__" in done.err


def test_the_doctor_finds_a_fresh_installation_well(cli: Command) -> None:
    document = cli.ok("doctor", "--json").document

    names = [check["name"] for check in document["checks"]]
    assert document["ok"] is True
    assert names == ["Python", "database", "disk", "writing", "queue", "index", "chat", "embedder", "tokenizer"]
    states = {check["name"]: check["state"] for check in document["checks"]}
    assert {name for name, state in states.items() if state != "ok"} == {"chat"}
    assert states["chat"] == "warning"


def test_the_doctor_asks_the_model_for_a_word(cli: Command) -> None:
    """V5: and says what the model server said, if it does not answer."""
    with ChatServer() as model:
        told = {"PROVIDER": "openai", "BASE_URL": model.url, "MODEL": "fine-model", "RETRIES": "0"}
        asking = cli.having(**{f"EVERLORE_CHAT__{name}": value for name, value in told.items()})
        well = asking.ok("doctor", "--json").document["checks"]
        model.scenario = "500"
        ill = asking("doctor", "--json")

    assert [check["state"] for check in well if check["name"] == "chat"] == ["ok"]
    assert ill.code == Misconfigured.exit_code
    (chat,) = [check for check in ill.document["checks"] if check["name"] == "chat"]
    assert chat["state"] == "failed"
    assert "told to fail" in chat["detail"]


async def test_the_doctor_does_not_wait_long_for_a_model_that_is_still_loading(tmp_path: Path) -> None:
    """V5: the server says nothing until it is let go."""

    async def nothing_found() -> tuple[Offer, ...]:
        return ()

    with ChatServer(scenario="slow") as model:
        settings = Settings(chat=ChatSettings(provider="openai", base_url=model.url, model="m"))
        models, seal = ChatModels(settings.chat), Seal(None, tmp_path)
        backends = Backends(DoubleStore(now), models, seal, settings, look=nothing_found, clock=now)

        check = await try_model(Scope("default"), backends, timeout_s=0.2)

    assert (check.name, check.state) == ("chat", CheckState.WARNING)
    assert "did not answer within 0.2 s: it may still be loading" in check.detail


async def test_the_doctor_finds_out_that_a_database_takes_no_writes(cli: Command, postgres_url: str) -> None:
    """R-4: it tries, and leaves nothing behind."""
    cli.ok("migrate", "--db", postgres_url)
    well = cli.ok("doctor", "--db", postgres_url, "--json").document
    admin = await asyncpg.connect(postgres_url)
    left = await admin.fetchval("SELECT COUNT(*) FROM settings WHERE id = 'doctor'")
    name = await admin.fetchval("SELECT current_database()")
    await admin.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    await admin.close()

    done = cli("doctor", "--db", postgres_url)

    assert "the database takes writes" in str(well)
    assert left == 0
    assert done.code == 5
    assert "it is a standby, or set to read-only" in done.out


def test_the_doctor_says_what_is_wrong_and_how_to_mend_it(cli: Command) -> None:
    cli.folder.mkdir()
    cli.database.write_bytes(b"this is not a database" * 100)

    done = cli.having(EVERLORE_TOKENIZER__NAME="abacus")("doctor")

    assert done.code == 5
    assert "✗ database" in done.out
    assert "Restore it from a backup" in done.out
    assert "✗ tokenizer" in done.out
    assert "✓ embedder" in done.out


def test_migrate_says_which_schema_a_file_has(cli: Command) -> None:
    document = cli.ok("migrate", "--json").document

    assert document["kind"] == "SQLite"
    assert document["schema"] >= 3
    assert document["ran"] == []


def test_a_file_is_not_distributed(cli: Command) -> None:
    done = cli("migrate", "--distributed")

    assert done.code == 5
    assert "A SQLite file cannot be distributed" in done.err


@pytest.mark.postgres
def test_a_postgresql_without_citus_says_what_to_do_and_stays_as_it_was(cli: Command, postgres_url: str) -> None:
    to_postgres = cli.having(EVERLORE_DATABASE_URL=postgres_url)

    done = to_postgres("migrate", "--distributed")

    assert done.code == 5
    assert "has no Citus. Add it on every node with `CREATE EXTENSION citus`" in done.err
    assert "Ran 0001_records." in to_postgres.ok("migrate").out


@pytest.mark.postgres
def test_a_postgresql_database_is_used_only_after_it_was_migrated(cli: Command, postgres_url: str) -> None:
    to_postgres = cli.having(EVERLORE_DATABASE_URL=postgres_url)

    before = to_postgres("stats")
    first = to_postgres.ok("migrate").out
    again = to_postgres.ok("migrate", "--json").document
    to_postgres.ok("remember", "Rex barks")

    assert before.code == 5
    assert "everlore migrate" in before.err
    assert "Ran 0001_records." in first
    assert (again["kind"], again["ran"]) == ("PostgreSQL", [])
    assert "Rex barks" in to_postgres.ok("recall", "Rex").out
    assert not cli.database.exists()
