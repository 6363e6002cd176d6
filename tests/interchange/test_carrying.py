"""A whole workspace to a file and back: made by the real Everlore, over real databases (M13, M16, R-5, S-2, S-5)."""

import asyncio
import gzip
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

import everlore
from everlore.app import Everlore
from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.config_choices import Service
from everlore.domain.conversation import Message
from everlore.domain.memory import Memory, Status
from everlore.domain.person import Person
from everlore.domain.policy import Role
from everlore.domain.reading import Reading
from everlore.errors import BadAsk, Forbidden
from everlore.interchange import wholefile
from everlore.interchange.lines import NAMES, LineTally, end_line
from everlore.interchange.pngfile import avatar
from everlore.models.chat import Purpose
from everlore.models.choice import Wish
from everlore.services.workspace_files import WorkspaceImportReport
from everlore.settings import ChatSettings, EmbeddingSettings, QueueSettings, Settings
from everlore.store.answers import ImportOutcome
from everlore.store.port import ImportRecord, Put, Touch
from everlore.wiring import opened
from tests.contract.builders import bare
from tests.postgres import Server

Opener = Callable[[str], AbstractAsyncContextManager[Everlore]]
KEY = "sk-never-leaves-the-house"


def settings_of(folder: Path) -> Settings:
    return Settings(
        data_dir=folder,
        chat=ChatSettings(provider="voice"),
        embedding=EmbeddingSettings(provider="hashing"),
        queue=QueueSettings(poll_s=0.01, quiet_s=0),
    )


@pytest.fixture
def house(tmp_path: Path) -> Opener:
    """Opens a SQLite file of that name, or the database at an address."""

    def open_it(name: str) -> Any:
        url: Any = name if "://" in name else tmp_path / f"{name}.db"
        return everlore.open(url, settings=settings_of(tmp_path))

    return open_it


async def furnish(lore: Everlore) -> None:
    """Something of everything that the surfaces make, with a past: edits, corrections, versions, branches, gossip."""
    mira = await lore.characters.create(name="Mira", personality="warm, curious")
    theo = await lore.characters.create(name="Theo", personality="dry")
    await lore.characters.picture(mira.id, avatar("Mira"))
    await lore.tokens.create("phone", role=Role.OWNER)
    saved = await lore.templates.create({"name": "Mine", "sections": {"a": {"content": "Be kind."}}})
    await lore.templates.edit(saved.kept.id, {"name": "Mine", "sections": {"a": {"content": "Be very kind."}}})
    talk = await lore.conversations.start(system=mira)
    for said in ("I live in Seattle.", "My sister is called Ana.", "I moved to Portland last month."):
        _ = [piece async for piece in lore.say(talk, said)]
    await lore.settle()
    messages = await lore.messages.all(talk.id)
    reply = await (await lore.turns.regenerate(talk.id, messages[-1].id)).reply()
    await lore.messages.choose(talk.id, reply.id, 0)
    await lore.messages.edit(talk.id, messages[2].id, content="My sister is called Anna.")
    await lore.conversations.branch(talk.id, messages[2].id, title="Another way — with ünïcode")
    noted = await lore.remember("Mira keeps bees", person=mira, importance=8)
    await lore.edit(noted.id, content="Mira keeps three hives of bees")
    await lore.memories.correct(noted.id, "Mira keeps four hives of bees", by="user")
    told = await lore.remember("Theo once sailed round the Horn", person=theo)
    await lore.knowledge.tell(told.id, teller=theo, listener=mira)
    await lore.store.apply(lore.scope, [Touch((told.id,), told.created_at, (told.id,))])
    task = await lore.events.capture("observation", "The door was left open.", conversation=talk)
    assert task is not None
    await lore.recall("what of the zebras of Zanzibar?")
    own = lore.scope.workspace
    campaign = bare(Campaign, "quest", own)
    there: list[Any] = [campaign, bare(Chapter, "one", own, campaign_id="quest")]
    there.append(bare(Session, "first", own, campaign_id="quest", chapter_id="one"))
    there += [bare(Entity, name, own, campaign_id="quest") for name in ("inn", "keep")]
    there.append(bare(Relationship, "near", own, source_id="inn", target_id="keep"))
    await lore.store.apply(lore.scope, [Put(each) for each in there])
    await lore.settle()
    wish = Wish(provider=Service.OPENAI, base_url="http://127.0.0.1:9", model="m", api_key=SecretStr(KEY))
    await lore.backends.wish(lore.scope, {Purpose.ANALYSIS: wish})


@asynccontextmanager
async def furnished(house: Opener, name: str) -> AsyncIterator[Everlore]:
    async with house(name) as lore:
        await furnish(lore)
        yield lore


async def written(lore: Everlore, **options: Any) -> bytes:
    return b"".join([piece async for piece in lore.workspace.export(**options)])


def body(data: bytes) -> bytes:
    """All but the header, which says when it was written."""
    return data.partition(b"\n")[2]


def content(path: Path) -> bytes:
    return path.read_bytes()


def names_in(folder: Path, part: str) -> list[str]:
    return [each.name for each in folder.iterdir() if part in each.name]


def kinds_in(data: bytes) -> set[str]:
    return {name for line in data.splitlines()[1:-1] for name in json.loads(line) if name != "history"}


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A workspace that was exported; made once, for it takes a while to live through."""
    folder = tmp_path_factory.mktemp("left")

    async def live() -> bytes:
        async with everlore.open(folder / "here.db", settings=settings_of(folder)) as lore:
            await furnish(lore)
            return await written(lore)

    return asyncio.run(live())


@pytest.fixture
def exported(left: bytes, tmp_path: Path) -> Path:
    return _written_to(tmp_path / "left.jsonl", left)


def _written_to(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def total(arrival: WorkspaceImportReport) -> dict[str, int]:
    return {verdict.value: arrival.total(verdict) for verdict in ImportOutcome if arrival.total(verdict)}


# ── there and back ───────────────────────────────────────────────────────────────────────────────


async def test_an_export_imported_elsewhere_is_exported_the_same(house: Opener, exported: Path, left: bytes) -> None:
    """M13: history, times, counts and all; and M16: what was read is known to have been read."""
    async with house("there") as there:
        arrival = await there.workspace.import_file(exported)
        again = await written(there)
        hits = await there.recall("who keeps bees?")
        await there.settle()
        coverage = await there.store.coverage(there.scope, "hashing-256")
        (talk,) = [each for each in (await there.conversations.list()).items if each.branched_from_id is None]
        jobs = await there.learning.extract(talk.id)
        later = await written(there)

    assert body(again) == body(left)
    assert total(arrival) == {"new": len(left.splitlines()) - 2}
    assert any("four hives" in hit.memory.content for hit in hits.hits)
    assert coverage.passages > 10
    assert jobs == []
    made = kinds_in(left)
    assert {
        "person",
        "conversation",
        "message",
        "memory",
        "memory_link",
        "telling",
        "media",
        "template_version",
    } <= made
    assert {"reading", "event", "setting", "deed", "counted", "xray", "relationship", "session", "miss"} <= made
    assert body(later) == body(left)


@pytest.mark.postgres
async def test_it_goes_from_sqlite_to_postgresql_and_back(
    house: Opener, exported: Path, left: bytes, postgres: Server, tmp_path: Path
) -> None:
    """M12, M13."""
    middle = tmp_path / "middle.jsonl.gz"

    async with postgres.fresh_database() as url, house(url) as between:
        await between.workspace.import_file(exported)
        await between.workspace.export_file(middle)
        found = await between.recall("who keeps bees?")
    async with house("back") as back:
        await back.workspace.import_file(middle)
        returned = await written(back)

    assert body(gzip.decompress(content(middle))) == body(left) == body(returned)
    assert any("four hives" in hit.memory.content for hit in found.hits)


async def test_no_key_and_no_token_leaves(house: Opener) -> None:
    """S-2."""
    async with furnished(house, "here") as lore:
        data = await written(lore)
        readable = await written(lore, format="markdown")
        token = (await lore.tokens.list()).items[0]
        (setting,) = [each for each in map(json.loads, data.splitlines()) if "setting" in each][-1:]

    assert KEY.encode() not in data + readable
    assert token.digest.encode() not in data
    assert b'"key"' not in data
    assert setting


async def test_what_was_pending_in_the_queue_does_not_come_along(house: Opener, exported: Path, left: bytes) -> None:
    """Only the vectors are asked for anew (M14)."""
    settings = QueueSettings(workers=0)

    async with everlore.open(
        exported.with_name("quiet.db"), settings=settings_of(exported.parent).model_copy(update={"queue": settings})
    ) as there:
        await there.workspace.import_file(exported)
        jobs = (await there.jobs()).items
        found = await there.recall("who keeps bees?")

    assert {job.kind for job in jobs} == {"embed"}
    assert found.hits


# ── into what is not empty ───────────────────────────────────────────────────────────────────────


async def test_importing_twice_adds_nothing_and_what_differs_is_named(
    house: Opener, exported: Path, left: bytes
) -> None:
    async with house("there") as there:
        await there.workspace.import_file(exported)
        mira = await there.characters.named("Mira")
        await there.characters.change(mira.id, personality="stern")
        dry = await there.workspace.import_file(exported, dry_run=True, replace=True)
        kept = await there.workspace.import_file(exported)
        still = await there.characters.named("Mira")
        replaced = await there.workspace.import_file(exported, replace=True)
        now = await there.characters.named("Mira")

    assert total(dry).keys() == {"same", "replaced"}
    assert [(each.kind, each.id) for each in kept.different] == [("person", mira.id)]
    assert b'"Mira"' in left.splitlines()[kept.different[0].line - 1]
    assert still.personality == "stern"
    assert replaced.total(ImportOutcome.REPLACED) == 1
    assert now.personality == "warm, curious"


async def test_a_dry_run_writes_nothing(house: Opener, exported: Path, left: bytes) -> None:
    async with house("there") as there:
        arrival = await there.workspace.import_file(exported, dry_run=True)
        workspaces = await there.store.workspaces()

    assert arrival.dry_run
    assert arrival.total(ImportOutcome.NEW) == len(left.splitlines()) - 2
    assert workspaces == []


async def test_into_another_workspace_of_the_same_database(house: Opener, exported: Path, left: bytes) -> None:
    async with house("here") as lore:
        other = lore.within("other")
        await other.workspace.import_file(exported)
        data = await written(other)

    assert body(data) == body(left)
    assert json.loads(data.splitlines()[0])["workspace"] == "other"


async def test_only_the_owner_may(house: Opener, exported: Path, left: bytes) -> None:
    """S-3."""
    async with house("there") as there:
        guest = there.seen_by(replace(there.scope, role=Role.MEMBER, person_id="someone"))
        with pytest.raises(Forbidden, match="owner"):
            guest.workspace.export()
        with pytest.raises(Forbidden, match="owner"):
            await guest.workspace.import_file(exported)


# ── broken files ─────────────────────────────────────────────────────────────────────────────────


def _at(line: bytes, before: str, after: str) -> bytes:
    assert before.encode() in line
    return line.replace(before.encode(), after.encode(), 1)


def _line_of(lines: Sequence[bytes], kind: str) -> int:
    return next(at for at, line in enumerate(lines) if line.startswith(b'{"' + kind.encode() + b'"'))


BROKEN: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "cut off": (lambda lines: lines[:-1], "stops before its last line"),
    "cut in a line": (lambda lines: [*lines[:5], lines[5][:40]], "line 6: it is not JSON"),
    "a line is missing": (lambda lines: [*lines[:4], *lines[5:]], "counts other lines"),
    "a line was changed": (lambda lines: _changed(lines, "person", '"name":"', '"name":"x'), "checksum"),
    "a wrong value": (lambda lines: _changed(lines, "person", '"kind":"character"', '"kind":"robot"'), "robot"),
    "a wrong type": (lambda lines: _changed(lines, "person", '"name":"', '"name":7,"race":"'), "Person.name"),
    "an unknown field": (lambda lines: _changed(lines, "person", '"name":', '"wings":2,"name":'), "wings.*newer"),
    "an unknown kind": (lambda lines: _changed(lines, "person", '{"person"', '{"dragon"'), "dragon.*newer"),
    "no time zone": (lambda lines: _changed(lines, "person", '+00:00"', '"'), "time zone"),
    "too deep": (lambda lines: [lines[0], b"[" * 100_000, *lines[1:]], "line 2: it is not JSON"),
    "a later format": (lambda lines: [_at(lines[0], '"format":1', '"format":2'), *lines[1:]], "format is 2.*newer"),
    "no header": (lambda lines: lines[1:], "does not begin"),
    "more after the end": (lambda lines: [*lines, lines[1]], "after the end"),
    "nothing at all": (lambda lines: [], "line 1"),
}


def _changed(lines: list[bytes], kind: str, before: str, after: str) -> list[bytes]:
    at = next(
        at for at, line in enumerate(lines) if line.startswith(f'{{"{kind}"'.encode()) and before.encode() in line
    )
    return [*lines[:at], _at(lines[at], before, after), *lines[at + 1 :]]


async def test_a_broken_file_is_refused_with_its_line_before_anything_is_written(
    house: Opener, exported: Path, left: bytes
) -> None:
    """M13, S-5: whatever is wrong with it."""
    lines = left.splitlines()
    bad = exported.with_name("bad.jsonl")

    async with house("there") as there:
        for name, (breaking, said) in BROKEN.items():
            bad.write_bytes(b"".join(line + b"\n" for line in breaking(lines)))
            with pytest.raises(BadAsk, match=said) as caught:
                await there.workspace.import_file(bad)
            assert str(bad) in str(caught.value), name
        workspaces = await there.store.workspaces()

    assert workspaces == []


async def test_a_file_that_unpacks_to_far_more_is_refused(
    house: Opener, exported: Path, left: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S-5: in all, and in one line."""
    lines = left.splitlines()
    bomb, long = exported.with_name("bomb.gz"), exported.with_name("long.gz")
    bomb.write_bytes(gzip.compress(b"\n".join([lines[0], *[b'{"person":{}}' + b" " * 900_000] * 90])))
    long.write_bytes(gzip.compress(lines[0] + b"\n" + b" " * 2_000_000))
    monkeypatch.setattr(wholefile, "MOST_LINE_BYTES", 1_000_000)

    monkeypatch.setattr(wholefile, "read_line", lambda *_, **__: ImportRecord(bare(Person, "p", "default")))

    async with house("there") as there:
        with pytest.raises(BadAsk, match="longer than"):
            await there.workspace.import_file(long)
        with pytest.raises(BadAsk, match=r"times its size"):
            await there.workspace.import_file(bomb)


async def test_what_names_something_that_is_not_there_is_said_with_its_line(
    house: Opener, exported: Path, left: bytes
) -> None:
    """M9: nothing of that batch is kept; what came before it is."""
    lines = left.splitlines()
    memory = json.loads(lines[_line_of(lines, "memory")])["memory"]
    bad = _forged(exported, _changed(lines, "memory", f'"persons":["{memory["persons"][0]}"', '"persons":["nobody"'))

    async with house("there") as there:
        with pytest.raises(BadAsk, match=rf"line {_line_of(lines, 'memory') + 1}: .*nobody") as caught:
            await there.workspace.import_file(bad)
        memories = await there.store.count(there.scope, Memory)
        messages = await there.store.count(there.scope, Message)

    assert "What came before it is kept" in str(caught.value)
    assert (memories, messages > 0) == (0, True)


async def test_a_successor_that_is_not_in_the_file_is_missed_at_once(
    house: Opener, exported: Path, left: bytes
) -> None:
    """M7: memories may name each other in any order."""
    lines = left.splitlines()
    over = next(line for line in map(json.loads, lines) if line.get("memory", {}).get("superseded_by"))["memory"]
    pointing = f'"superseded_by":"{over["superseded_by"]}"'
    bad = _forged(exported, _changed(lines, "memory", pointing, '"superseded_by":"nowhere"'))

    async with house("there") as there:
        with pytest.raises(BadAsk, match="names the Memory 'nowhere'"):
            await there.workspace.import_file(bad)
        workspaces = await there.store.workspaces()

    assert over["status"] == Status.SUPERSEDED
    assert workspaces == []


def _forged(exported: Path, lines: list[bytes]) -> Path:
    """With an end that fits, as somebody would write it who wants it read."""
    tally = LineTally()
    for line in lines[1:-1]:
        tally.add(next(name for name in json.loads(line) if name in NAMES), line + b"\n")
    bad = exported.with_name("forged.jsonl")
    bad.write_bytes(b"".join(line + b"\n" for line in lines[:-1]) + end_line(tally.counts, tally.checksum))
    return bad


# ── interrupted ──────────────────────────────────────────────────────────────────────────────────

_IMPORTING = """
import asyncio, sys
from pathlib import Path
from everlore.interchange import wholefile
from everlore.wiring import opened
from tests.interchange.test_carrying import settings_of

wholefile._MOST_TOGETHER = 5
folder, file, last = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])

def tell(what, done, total):
    if what == "importing" and done >= last:
        print("so far", flush=True)
        sys.stdin.read()

async def main():
    settings = settings_of(folder).model_copy(update={"database_url": str(folder / "there.db")})
    async with opened(settings, working=False) as lore:
        await lore.workspace.import_file(file, tell=tell)

asyncio.run(main())
"""


def _killed(exported: Path, *, after: int) -> None:
    """An import in a process of its own, which is ended as soon as so many lines are in."""
    command = [sys.executable, "-c", _IMPORTING, str(exported.parent), str(exported), str(after)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"so far\n"
        process.kill()


async def test_an_import_that_was_killed_goes_on_and_ends_up_equal(house: Opener, exported: Path, left: bytes) -> None:
    """M13, R-1: kill -9 in the middle, then again."""
    lines = len(left.splitlines())
    _killed(exported, after=lines // 2)

    settings = settings_of(exported.parent).model_copy(update={"database_url": str(exported.with_name("there.db"))})
    async with opened(settings, working=False) as there:
        arrival = await there.workspace.import_file(exported)
        data = await written(there)

    assert total(arrival).keys() == {"same", "new"}
    assert arrival.total(ImportOutcome.SAME) >= lines // 2
    assert body(data) == body(left)


# ── files ────────────────────────────────────────────────────────────────────────────────────────


async def test_a_file_has_its_name_only_when_it_is_whole(house: Opener, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"

    async with house("here") as lore:
        await lore.remember("The user is called Kim")
        with pytest.raises(RuntimeError):
            await lore.workspace.export_file(path, tell=_stumble)
        found = names_in(tmp_path, "out")
        size = await lore.workspace.export_file(path)
        with pytest.raises(BadAsk, match="already"):
            await lore.workspace.export_file(path)

    assert found == []
    assert path.stat().st_size == size > 0


def _stumble(what: str, done: int, total: int) -> None:
    raise RuntimeError


async def test_markdown_is_for_people_and_holds_no_markup_of_theirs(house: Opener) -> None:
    """M13, S-6."""
    async with furnished(house, "here") as lore:
        await lore.remember("# Not a heading <script>alert(1)</script> [link](http://x)")
        text = (await written(lore, format="markdown")).decode()

    assert "## People" in text
    assert "### Mira" in text
    assert "Mira keeps four hives of bees (Mira, " in text
    assert "> I live in Seattle." in text
    assert "from “" in text
    assert "<script>" not in text
    assert "\n# Not" not in text
    assert "[link](" not in text


async def test_readings_come_along(house: Opener, exported: Path, left: bytes) -> None:
    """M16."""
    async with house("there") as there:
        await there.workspace.import_file(exported)
        count = await there.store.count(there.scope, Reading)

    assert count > 0
