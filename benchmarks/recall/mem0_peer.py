"""mem0 as a process of its own, in its own environment: JSON Lines in, JSON Lines out.

    {"add": [{"id": "t1", "text": "…", "vector": [...]}]}     → {"added": 1}
    {"search": "…", "vector": [...], "limit": 100}             → {"ids": ["t1"], "seconds": 0.02}
    {"reset": 256}                                              → {"ready": "mem0 2.2.1"}

Run by its path, by the Python of the peers' environment: nothing of Everlore is imported here. Vectors come from
outside, so that both sides search in the same ones. Nothing is inferred, no language model is called, and nothing is
sent home.

`reset` begins a new store, for vectors of so many dimensions; it comes first.
"""

import contextlib
import importlib
import importlib.metadata
import json
import logging
import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

_USER = "bench"
# It waits for the disk several times for each memory, and searches in memory: where there is a disk of memory, that is
# where it is put, so that nobody waits. Its searches are as fast on either.
_MEMORY_DISK = Path("/dev/shm")


class Given:
    """An embedder that knows only what it was just told."""

    def __init__(self) -> None:
        self.vectors: dict[str, list[float]] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002 - mem0 names it
        return self.vectors[text]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:  # noqa: ARG002
        return [self.vectors[text] for text in texts]


class Peer:
    def __init__(self, folder: Path, dimensions: int) -> None:
        memory = importlib.import_module("mem0").Memory
        self._given = Given()
        self._memory = memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "collection_name": "bench",
                        "path": str(folder / "vectors"),
                        "embedding_model_dims": dimensions,
                        "on_disk": True,
                    },
                },
                # Both are asked for, and neither is ever called.
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "embedder": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = self._given
        self._turn_of: dict[str, str] = {}

    def add(self, turns: list[dict[str, Any]]) -> int:
        for turn in turns:
            self._given.vectors = {turn["text"]: turn["vector"]}
            said = [{"role": "user", "content": turn["text"]}]
            added = self._memory.add(said, user_id=_USER, infer=False)["results"]
            self._turn_of |= {each["id"]: turn["id"] for each in added}
        return len(turns)

    def search(self, text: str, vector: list[float], limit: int) -> dict[str, Any]:
        # It strips the question before it embeds it.
        self._given.vectors = {text: vector, text.strip(): vector}
        start = perf_counter()
        found = self._memory.search(text, filters={"user_id": _USER}, top_k=limit, threshold=0.0)["results"]
        seconds = perf_counter() - start
        return {"ids": [self._turn_of[each["id"]] for each in found], "seconds": seconds}

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._memory.close()


def main() -> None:
    logging.disable(logging.WARNING)
    # What it prints of its own goes elsewhere: on standard output there are only answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    peer: Peer | None = None
    place = _MEMORY_DISK if os.access(_MEMORY_DISK, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="everlore-peer-", dir=place) as home, contextlib.ExitStack() as stack:
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ["MEM0_DIR"] = home
        for line in sys.stdin:
            asked = json.loads(line)
            if "reset" in asked:
                stack.close()
                folder = stack.enter_context(tempfile.TemporaryDirectory(dir=home))
                peer = Peer(Path(folder), asked["reset"])
                stack.callback(peer.close)
                answer: dict[str, Any] = {"ready": f"mem0 {importlib.metadata.version('mem0ai')}"}
            elif peer is None:
                answer = {"error": "The first line must be a reset."}
            elif "add" in asked:
                answer = {"added": peer.add(asked["add"])}
            else:
                answer = peer.search(asked["search"], asked["vector"], asked["limit"])
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
