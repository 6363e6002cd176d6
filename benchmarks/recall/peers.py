"""Another engine beside ours, in a process and an environment of its own: its packages are none of ours.

Start at `Mem0System`.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.recall.baselines import Kept
from benchmarks.recall.cases import Case
from benchmarks.recall.systems import LIMIT, Ranked
from everlore.errors import Misconfigured
from everlore.models.embedder import Matrix

PEERS = Path(".venv-peers")
_SCRIPT = Path(__file__).with_name("mem0_peer.py")
_BATCH = 100
# A line with a hundred vectors of a thousand numbers is some two megabytes.
_MOST_BYTES = 64 * 2**20
_PATIENCE_S = 600


def peers_python(folder: Path) -> Path:
    python = folder / "bin" / "python"
    if not python.exists():
        raise Misconfigured(
            f"mem0 is measured in an environment of its own, and there is none in {str(folder)!r}. Make it with "
            "`make peers` at the root of the repository, or leave mem0 out of --beside."
        )
    return python


class Peer:
    """One process, asked line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ask(self, **asked: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        line = b""
        # Who has ended does not listen any more, or has nothing to say.
        with suppress(ConnectionError):
            self._process.stdin.write(json.dumps(asked).encode() + b"\n")
            await self._process.stdin.drain()
            line = await asyncio.wait_for(self._process.stdout.readline(), _PATIENCE_S)
        if not line:
            raise Misconfigured("The process of mem0 ended; what it said is above. Try `make peers` once more.")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def add(self, ids: Sequence[str], texts: Sequence[str], vectors: Matrix) -> None:
        await self.ask(reset=int(vectors.shape[1]))
        for at in range(0, len(ids), _BATCH):
            rows = zip(ids[at : at + _BATCH], texts[at : at + _BATCH], vectors[at : at + _BATCH], strict=True)
            await self.ask(add=[{"id": id, "text": text, "vector": row.tolist()} for id, text, row in rows])


@asynccontextmanager
async def peer_in(folder: Path) -> AsyncIterator[Peer]:
    """Alone with its own packages (-I): neither ours nor the user's."""
    process = await asyncio.create_subprocess_exec(
        str(peers_python(folder)),
        "-I",
        str(_SCRIPT),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_MOST_BYTES,
    )
    try:
        yield Peer(process)
    finally:
        assert process.stdin is not None
        # It ends with its input.
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 30)
        except TimeoutError:
            process.kill()
            await process.wait()


class Mem0System:
    """mem0 without inference, over our vectors. The pipe between the processes is not counted."""

    name = "mem0"

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._kept: Kept | None = None

    async def add(self, case: Case, kept: Kept) -> None:  # noqa: ARG002 - has it in `kept`
        self._kept = kept
        said = [at for at, text in enumerate(kept.texts) if text.strip()]
        vectors = await kept.matrix()
        await self._peer.add([kept.ids[at] for at in said], [kept.texts[at] for at in said], vectors[said])

    async def search(self, question: str) -> Ranked:
        assert self._kept is not None
        start = perf_counter()
        vector = (await self._kept.vector_of(question)).tolist()
        embedding_s = perf_counter() - start
        answer = await self._peer.ask(search=question, vector=vector, limit=LIMIT)
        return Ranked(tuple(answer["ids"]), embedding_s + answer["seconds"])
