"""A process that writes, enqueues and works as fast as it can, until somebody kills it.

Says a line on standard output for every write once it is acknowledged. Each job leaves an event with a
fresh id, so that a job that took effect twice would leave two.
"""

import asyncio
import random
import sys
import uuid
from collections.abc import Sequence
from datetime import datetime

from everlore.domain.event import Event, EventType
from everlore.domain.job import EMBED, Job
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.revision import revise
from everlore.domain.scope import Scope
from everlore.learning.embedding_jobs import EmbedPassages
from everlore.models.hashing import HashingEmbedder
from everlore.settings import QueueSettings, Settings
from everlore.store.port import Change, Delete, Enqueue, Put, Store
from everlore.turn.live import Live
from everlore.wiring import new_id, now, open_store
from everlore.worker import Handler, Worker

SCOPE = Scope("kill")
QUEUE = QueueSettings(lease_s=0.6, poll_s=0.05, batch=4)


async def leave_events(scope: Scope, jobs: Sequence[Job], at: datetime) -> list[Change]:
    """The effect of a job: one event that names it."""
    await asyncio.sleep(0)
    return [
        Put(
            Event(
                workspace=scope.workspace,
                id=uuid.uuid4().hex,
                type=EventType.TASK,
                content=f"did {job.payload['memory']}",
                tags=(str(job.payload["memory"]),),
                at=at,
                created_at=at,
            )
        )
        for job in jobs
    ]


def worker(store: Store, name: str) -> Worker:
    known: dict[str, Handler] = {EMBED: EmbedPassages(store, HashingEmbedder()), "note": leave_events}
    return Worker(store, known, QUEUE, name=name, clock=now, dice=random.Random(), live=Live())


async def write(store: Store, writer: int) -> None:
    while True:
        memory = Memory(
            workspace=SCOPE.workspace,
            id=new_id(),
            content=f"Writer {writer} saw {uuid.uuid4().hex} at the harbour",
            persons=("ada",),
            created_at=now(),
            updated_at=now(),
        )
        job = Job(
            workspace=SCOPE.workspace,
            id=new_id(),
            kind="note",
            key=f"note-{memory.id}",
            lane=f"lane-{writer}",
            payload={"memory": memory.id},
            max_attempts=1000,
            run_at=now(),
            created_at=now(),
        )
        await store.apply(SCOPE, [Put(memory), Enqueue(job)])
        say("kept", memory.id)
        if random.random() < 0.3:
            await store.apply(SCOPE, [Put(revise(memory, now(), content=memory.content + ", and again"))])
            say("revised", memory.id)
        elif random.random() < 0.2:
            say("deleting", memory.id)
            await store.apply(SCOPE, [Delete(Memory, memory.id)])
            say("deleted", memory.id)


def say(what: str, id: str) -> None:
    sys.stdout.write(f"{what} {id}\n")
    sys.stdout.flush()


async def main(url: str) -> None:
    store = await open_store(Settings(database_url=url))
    at = now()
    await store.apply(SCOPE, [Put(Person(workspace="kill", id="ada", name="Ada", created_at=at, updated_at=at))])
    say("ready", "-")
    forever = asyncio.Event()
    workers = (worker(store, f"{uuid.uuid4().hex}-{number}").run(forever) for number in range(2))
    await asyncio.gather(*workers, *(write(store, number) for number in range(4)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
