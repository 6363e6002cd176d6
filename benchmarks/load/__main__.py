"""Many users at once, who chat, search and import, against real servers and workers with a model server that answers at
once.

    python -m benchmarks.load --users 200 --seconds 300 --servers 2 --workers 2 --database postgres --faults 100

Afterwards every message that was acknowledged is looked up. Start at `run`.
"""

import asyncio
import random
import tempfile
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated, Literal

import httpx
import typer

from benchmarks.homes import new_home, postgres_server
from benchmarks.load.processes import Crew, crew
from benchmarks.load.report import Found, Sample, json_of, kinds_of, memory_of, pending_of, text_of
from benchmarks.load.users import Checked, Tally, User
from benchmarks.measure import say
from benchmarks.turns import process_of

_LOOK_S = 1.0
# After this the queue will not be empty any more.
_DRAIN_S = 600
_TIMEOUT_S = 60
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Plan:
    users: int
    seconds: float
    servers: int
    workers: int
    faults: int
    pause_s: float
    seed: int


async def run(plan: Plan, kind: str, folder: Path, server_url: str | None) -> Found:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=plan.users)
    async with (
        new_home(kind, folder, server_url) as home,
        process_of("benchmarks.provider") as provider,
        crew(home.address, provider, folder, servers=plan.servers, workers=plan.workers, users=plan.users) as processes,
        httpx.AsyncClient(timeout=_TIMEOUT_S, limits=limits) as client,
    ):
        return await _measured(plan, kind, processes, client)


async def _measured(plan: Plan, kind: str, processes: Crew, client: httpx.AsyncClient) -> Found:
    users = [User(number, client, processes, plan.seed) for number in range(plan.users)]
    say(f"{plan.users} users arrive")
    await _a_few_at_once([user.settle_in() for user in users])
    say(f"they chat, search and import for {plan.seconds:.0f} s")
    tally, samples = Tally(), list[Sample]()
    begun = perf_counter()
    looking = asyncio.create_task(_look(client, processes, begun, samples))
    try:
        killing = asyncio.create_task(_kill(plan, processes))
        await asyncio.gather(*(user.live(tally, begun, begun + plan.seconds, plan.pause_s) for user in users))
        ended = perf_counter()
        await killing
        await _drained(client, processes)
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
    drained_s = perf_counter() - ended
    say("looking up what was acknowledged")
    checked = Checked()
    await _a_few_at_once([user.check(checked) for user in users])
    during = [each for each in samples if each.at <= ended - begun]
    return Found(
        database=kind,
        users=plan.users,
        seconds=ended - begun,
        servers=plan.servers,
        workers=plan.workers,
        faults=plan.faults,
        kinds=kinds_of(tally.requests, ended - begun),
        errors=dict(tally.errors.most_common()),
        pending=pending_of(during),
        drained_s=drained_s,
        memory=memory_of(during),
        checked=checked,
    )


async def _a_few_at_once(work: Sequence[Awaitable[None]]) -> None:
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(each: Awaitable[None]) -> None:
        async with gate:
            await each

    await asyncio.gather(*map(one, work))


async def _kill(plan: Plan, processes: Crew) -> None:
    """Kills one process after the other, evenly over the time, and starts it again."""
    dice = random.Random(plan.seed)
    for _ in range(plan.faults):
        await asyncio.sleep(plan.seconds / (plan.faults + 1))
        process = dice.choice(processes.all)
        await process.kill()
        await process.start()


async def _look(client: httpx.AsyncClient, processes: Crew, begun: float, samples: list[Sample]) -> None:
    while True:
        rss = {each.name: mb for each in processes.all if (mb := each.rss_mb()) is not None}
        samples.append(Sample(perf_counter() - begun, await _pending(client, processes), rss))
        await asyncio.sleep(_LOOK_S)


async def _pending(client: httpx.AsyncClient, processes: Crew) -> int | None:
    try:
        answer = await client.get(f"{processes.urls[0]}/api/jobs", params={"limit": 1})
        pending: int = answer.json()["queue"]["pending"]
    except (httpx.HTTPError, IndexError, KeyError):
        return None
    return pending


async def _drained(client: httpx.AsyncClient, processes: Crew) -> None:
    async with asyncio.timeout(_DRAIN_S):
        while await _pending(client, processes) != 0:  # noqa: ASYNC110 - other processes work
            await asyncio.sleep(0.1)


def main(
    users: Annotated[int, typer.Option(min=1, help="Users, each with a conversation.")] = 200,
    seconds: Annotated[float, typer.Option(min=1, help="How long they go on.")] = 300,
    servers: Annotated[int, typer.Option(min=1, help="Processes of `everlore serve`.")] = 1,
    workers: Annotated[int, typer.Option(min=0, help="Processes of `everlore worker`; 0: the servers work.")] = 0,
    database: Annotated[Literal["sqlite", "postgres"], typer.Option(help="Which database.")] = "sqlite",
    postgres_url: Annotated[str, typer.Option(help="A PostgreSQL server; else one is started.")] = "",
    faults: Annotated[int, typer.Option(min=0, help="How many times a process is killed and started again.")] = 0,
    pause: Annotated[float, typer.Option(min=0, help="Seconds between two requests of a user, on average.")] = 5,
    seed: Annotated[int, typer.Option(help="Decides what users do, and which processes are killed.")] = 7,
    json: Annotated[str, typer.Option(help="Write JSON to this file, or to - instead of the report.")] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 after an error or a lost message.")] = False,
) -> None:
    """Measure many users at once."""
    plan = Plan(users, seconds, servers, workers, faults, pause, seed)
    with (
        tempfile.TemporaryDirectory(prefix="everlore-load-") as folder,
        postgres_server(postgres_url or None, wanted=database == "postgres") as url,
    ):
        found = asyncio.run(run(plan, database, Path(folder), url))
    print(json_of(found) if json == "-" else text_of(found))
    if json not in ("", "-"):
        Path(json).write_text(json_of(found) + "\n")
    raise typer.Exit(1 if strict and not found.holds else 0)


if __name__ == "__main__":
    typer.run(main)
