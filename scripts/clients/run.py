"""Real clients against a running Everlore and a model server that does as it is asked: a table of client and feature.

`make test-clients` runs it; `--docs` writes the table into docs/clients.md. It ends with 1 if a client fails.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx

from everlore.bench.report import table
from everlore.bench.turns import everlore_on
from tests.models.chat_server import ChatServer

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
PAGE = ROOT / "docs" / "clients.md"
BEGIN, END = "<!-- tried: begin -->", "<!-- tried: end -->"
FEATURES = ("chat", "stream", "tools", "forms", "pictures", "embeddings", "errors", "responses")
Found = dict[str, dict[str, str]]


async def run(folder: Path) -> Found:
    with ChatServer(scenario="obliging") as model:
        async with everlore_on(folder / "clients.db", model.root) as url:
            async with httpx.AsyncClient(base_url=url) as client:
                (await client.post("/api/characters", json={"name": "Nova"})).raise_for_status()
            python = ROOT / ".venv-clients" / "bin" / "python"
            packages = ROOT / "build" / "clients"
            return await _told(folder, ROOT, str(python), str(HERE / "in_python.py"), url) | await _told(
                folder, packages, "node", str(HERE / "in_node.mjs"), url
            )


async def _told(home: Path, folder: Path, *command: str) -> Found:
    environment = os.environ | {"HOME": str(home), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    ended = await asyncio.to_thread(
        subprocess.run, command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=600
    )
    found: Found = json.loads(ended.stdout.strip().splitlines()[-1])
    return found


def text_of(found: Found) -> str:
    return table(["client", *FEATURES], _rows(found))


def _markdown(found: Found) -> str:
    rows = [["client", *FEATURES], ["---"] * (1 + len(FEATURES)), *_rows(found)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _rows(found: Found) -> list[list[str]]:
    marks = {"yes": "yes", None: "–"}
    return [[name, *(marks.get(tried.get(each), "**no**") for each in FEATURES)] for name, tried in found.items()]


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="everlore-clients-") as folder:
        found = asyncio.run(run(Path(folder)))
    print(text_of(found))
    if "--docs" in sys.argv:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{_markdown(found)}\n\n{END}{rest.partition(END)[2]}")
    failures = [(name, each, why) for name, tried in found.items() for each, why in tried.items() if why != "yes"]
    for name, each, why in failures:
        print(f"{name}: {each}: {why}", file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
