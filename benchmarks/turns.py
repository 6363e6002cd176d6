"""What Everlore adds to a turn: from the request to the first word and to the last, beside a bare proxy to the same
model server, which answers at once.

    python -m benchmarks.turns --memories 10000 --json turns.json

Model server, proxy and Everlore are processes of their own, as they would be; everything is made up and thrown away.
Start at `run`.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated

import httpx
import typer

from benchmarks.bars import Bar
from benchmarks.corpus import make_corpus, make_questions
from benchmarks.measure import say
from benchmarks.provider import WORDS
from benchmarks.report import bars_table, both, table
from benchmarks.timing import Timing, interleaved, timing_of

# What a turn may add before its first word, and how much slower it may be when many talk at once.
ADDED_MS = 25.0
PARALLEL = 2.0
_DEFAULT_PARALLEL = 50
_SEED = 7
# So many lines of its talk a program sends.
_SENT = 20


@dataclass(frozen=True, slots=True)
class Turn:
    first_s: float
    whole_s: float


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: alone, and with many conversations at once."""

    first: Timing
    parallel_first: Timing
    parallel_whole: Timing
    turns_per_s: float


@dataclass(frozen=True, slots=True)
class Found:
    memories: int
    parallel: int
    proxy: Side
    everlore: Side
    # The first word through `/v1`, with memory and without.
    program: Timing
    forgetful: Timing

    @property
    def bars(self) -> list[Bar]:
        added = self.everlore.first.p50_ms - self.proxy.first.p50_ms
        slower = self.everlore.parallel_whole.p95_ms / self.proxy.parallel_whole.p95_ms
        return [
            Bar("sqlite", f"added before the first word at {self.memories:,} memories, p50, ms", added, ADDED_MS),
            Bar("sqlite", f"p95 of a turn, {self.parallel} at once, as a multiple of the proxy's", slower, PARALLEL),
        ]


class _ClosedMeanwhile(Exception):
    """Before a word of an answer: a server closes a connection on which nothing was said for a while."""


class Line:
    """One connection that stays open, spoken to with as little work as can be: what is measured is the server."""

    def __init__(self, url: str, headers: str = "") -> None:
        self._host = url.removeprefix("http://")
        self._headers = headers
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str, body: object, first_word: bytes) -> Turn:
        try:
            return await self._ask(path, body, first_word)
        except _ClosedMeanwhile:
            self.close()
            return await self._ask(path, body, first_word)

    async def _ask(self, path: str, body: object, first_word: bytes) -> Turn:
        if self._streams is None or self._streams[0].at_eof():
            self.close()
            host, _, port = self._host.partition(":")
            self._streams = await asyncio.open_connection(host, int(port), limit=2**20)
        reader, writer = self._streams
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\nContent-Type: application/json\r\n{self._headers}"
        begun = perf_counter()
        writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        first = await _read_to(reader, first_word, begun)
        await reader.readuntil(b"\r\n0\r\n\r\n")
        return Turn(first, perf_counter() - begun)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _read_to(reader: asyncio.StreamReader, word: bytes, begun: float) -> float:
    try:
        status = await reader.readline()
    except ConnectionResetError:
        raise _ClosedMeanwhile from None
    if not status:
        raise _ClosedMeanwhile
    if b" 200 " not in status:
        raise RuntimeError(f"A turn was refused: {status!r}")
    await reader.readuntil(word)
    return perf_counter() - begun


class Proxy:
    def __init__(self, url: str, lines: int) -> None:
        self.lines = [Line(url) for _ in range(lines)]

    async def turn(self, number: int, question: str) -> Turn:
        body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": question}]}
        return await self.lines[number].ask("/v1/chat/completions", body, b'"content"')


class Program:
    """A chat program at `/v1` that sends the end of its talk each time. `memory`: what of it is used, as the header of
    the same name says."""

    def __init__(self, url: str, memory: str) -> None:
        self.line = Line(url, f"X-Everlore-Memory: {memory}\r\n")
        self._talk: list[dict[str, str]] = []

    async def turn(self, question: str) -> Turn:
        self._talk.append({"role": "user", "content": f"{question} ({len(self._talk)})"})
        body = {"model": "nova", "stream": True, "messages": self._talk[-_SENT:]}
        turn = await self.line.ask("/v1/chat/completions", body, b'"delta":{"content":"')
        self._talk.append({"role": "assistant", "content": " ".join(WORDS)})
        return turn


class Served:
    def __init__(self, url: str, conversations: list[str]) -> None:
        self.conversations = conversations
        self.lines = [Line(url) for _ in conversations]

    async def turn(self, number: int, question: str) -> Turn:
        path = f"/api/conversations/{self.conversations[number]}/messages"
        return await self.lines[number].ask(path, {"content": question, "stream": True}, b"event: delta")


async def run(memories: int, parallel: int, rounds: int, folder: Path) -> Found:
    say(f"keeping {memories:,} memories")
    database = folder / "turns.db"
    await remembered(database, make_corpus(memories, _SEED).texts)
    async with (
        process_of("benchmarks.provider") as provider,
        process_of("benchmarks.proxy", provider) as proxy_url,
        everlore_on(database, provider) as everlore_url,
    ):
        proxy, served = Proxy(proxy_url, parallel), Served(everlore_url, await started(everlore_url, parallel))
        programs = {"program": Program(everlore_url, "both"), "forgetful": Program(everlore_url, "none")}
        try:
            return await _measure(memories, parallel, rounds, proxy, served, programs)
        finally:
            for line in (*proxy.lines, *served.lines, *(each.line for each in programs.values())):
                line.close()


async def _measure(
    memories: int, parallel: int, rounds: int, proxy: Proxy, served: Served, programs: dict[str, Program]
) -> Found:
    questions = make_questions(200, _SEED)
    firsts: dict[str, list[float]] = {"proxy": [], "everlore": [], "program": [], "forgetful": []}

    async def once(name: str, side: Proxy | Served, number: int) -> None:
        firsts[name].append((await side.turn(0, questions[number % len(questions)])).first_s)

    async def asked(name: str, number: int) -> None:
        firsts[name].append((await programs[name].turn(questions[number % len(questions)])).first_s)

    say("one conversation")
    await interleaved(
        {
            "proxy": lambda n: once("proxy", proxy, n),
            "everlore": lambda n: once("everlore", served, n),
            "program": lambda n: asked("program", n),
            "forgetful": lambda n: asked("forgetful", n),
        },
        rounds,
    )
    say(f"{parallel} conversations at once")
    crowds: dict[str, list[tuple[list[Turn], float]]] = {"proxy": [], "everlore": []}
    for number in range(6):
        sides: list[tuple[str, Proxy | Served]] = [("proxy", proxy), ("everlore", served)]
        for name, side in sides if number % 2 else reversed(sides):
            crowds[name].append(await _crowd(side, parallel, 4, questions))
    # The first round of each warms up.
    return Found(
        memories,
        parallel,
        proxy=_side(firsts["proxy"][3:], crowds["proxy"][1:]),
        everlore=_side(firsts["everlore"][3:], crowds["everlore"][1:]),
        program=timing_of(firsts["program"][3:]),
        forgetful=timing_of(firsts["forgetful"][3:]),
    )


async def _crowd(side: Proxy | Served, parallel: int, turns: int, questions: list[str]) -> tuple[list[Turn], float]:
    """So many conversations, each of which takes its next turn when the last one is over."""

    async def talk(number: int) -> list[Turn]:
        return [await side.turn(number, questions[(number * turns + each) % len(questions)]) for each in range(turns)]

    begun = perf_counter()
    talks = await asyncio.gather(*(talk(number) for number in range(parallel)))
    return [turn for each in talks for turn in each], perf_counter() - begun


def _side(firsts: list[float], crowds: list[tuple[list[Turn], float]]) -> Side:
    turns = [turn for crowd, _ in crowds for turn in crowd]
    return Side(
        first=timing_of(firsts),
        parallel_first=timing_of([turn.first_s for turn in turns]),
        parallel_whole=timing_of([turn.whole_s for turn in turns]),
        turns_per_s=len(turns) / sum(seconds for _, seconds in crowds),
    )


async def remembered(database: Path, texts: Sequence[str]) -> None:
    """As a user would: many lines for one character, who is made on the way."""
    args = ("remember", "--lines", "--person", "Nova", "--create-person", "--db", str(database))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "everlore", *args, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
    )
    await process.communicate("\n".join(texts).encode())
    if process.returncode:
        raise RuntimeError(f"The memories could not be kept: everlore remember ended with {process.returncode}.")


async def started(url: str, conversations: int, **config: object) -> list[str]:
    """So many conversations, once everything is embedded."""
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        while (await client.get("/api/health")).json()["queue"]["pending"]:  # noqa: ASYNC110 - another process works
            await asyncio.sleep(0.5)
        characters = (await client.get("/api/characters?kind=character")).json()["items"]
        new = {"character_id": characters[0]["id"], "config": {"auto_title": False, **config}}
        return [(await client.post("/api/conversations", json=new)).json()["id"] for _ in range(conversations)]


@asynccontextmanager
async def process_of(module: str, *args: str, **environment: str) -> AsyncIterator[str]:
    """A process of ours that prints its address, ended at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *args,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=os.environ | environment,
    )
    assert process.stdout is not None
    try:
        url = (await process.stdout.readline()).decode().strip()
        if not url:
            raise RuntimeError(f"{module} did not start.")
        yield url
    finally:
        process.terminate()
        await process.wait()


def everlore_on(database: Path, provider: str, **more: str) -> AbstractAsyncContextManager[str]:
    """`more`: other settings, as the environment has them."""
    environment = {"PROVIDER": "openai", "BASE_URL": f"{provider}/v1", "MODEL": "m"}
    return process_of(
        "everlore",
        "serve",
        "--port",
        "0",
        "--db",
        str(database),
        **{f"EVERLORE_CHAT__{name}": value for name, value in environment.items()},
        **more,
    )


def text_of(found: Found) -> str:
    rows = [
        ["first word, ms", both(found.proxy.first), both(found.everlore.first)],
        ["first word through /v1, ms", both(found.proxy.first), both(found.program)],
        ["first word through /v1 without memory, ms", both(found.proxy.first), both(found.forgetful)],
        [
            f"first word, {found.parallel} at once, ms",
            both(found.proxy.parallel_first),
            both(found.everlore.parallel_first),
        ],
        [
            f"whole turn, {found.parallel} at once, ms",
            both(found.proxy.parallel_whole),
            both(found.everlore.parallel_whole),
        ],
        [
            f"turns per second, {found.parallel} at once",
            f"{found.proxy.turns_per_s:.0f}",
            f"{found.everlore.turns_per_s:.0f}",
        ],
    ]
    head = [f"a turn, {found.memories:,} memories", "bare proxy", "Everlore"]
    return f"{table(head, rows)}\n\n{bars_table(found.bars)}"


def json_of(found: Found) -> str:
    bars = [asdict(bar) | {"holds": bar.holds} for bar in found.bars]
    return json.dumps(asdict(found) | {"bars": bars}, indent=2)


def main(
    memories: Annotated[int, typer.Option(min=1, help="Memories of the character.")] = 10_000,
    parallel: Annotated[int, typer.Option(min=1, help="Conversations at once.")] = _DEFAULT_PARALLEL,
    rounds: Annotated[int, typer.Option(min=2, help="Turns, one after the other.")] = 100,
    json: Annotated[str, typer.Option(help="Write JSON to this file, or to - instead of the report.")] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a bar is missed.")] = False,
) -> None:
    """Measure what Everlore adds to a turn, beside a bare proxy."""
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
        found = asyncio.run(run(memories, parallel, rounds, Path(folder)))
    print(json_of(found) if json == "-" else text_of(found))
    if json not in ("", "-"):
        Path(json).write_text(json_of(found) + "\n")
    raise typer.Exit(1 if strict and not all(bar.holds for bar in found.bars) else 0)


if __name__ == "__main__":
    typer.run(main)
