"""Real clients against a running Everlore and a model server that does as it is asked: tables of client and feature.

`make test-clients` runs it; `ARGS="openwebui aider"` only some; `--docs` writes the tables into docs/clients.md.
It ends with 1 if a client fails.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import httpx

from benchmarks.report import table
from benchmarks.turns import everlore_on
from scripts.clients import aider, openwebui, sillytavern
from scripts.clients.programs import LEARNS_BY_RULES
from tests.models.chat_server import ChatServer

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
PAGE = ROOT / "docs" / "clients.md"
FEATURES = ("chat", "stream", "tools", "forms", "pictures", "embeddings", "errors", "responses", "agents")
Found = dict[str, dict[str, str]]


async def run(folder: Path) -> Found:
    with ChatServer(scenario="obliging") as model:
        async with everlore_on(folder / "clients.db", model.root, **LEARNS_BY_RULES) as url:
            async with httpx.AsyncClient(base_url=url) as client:
                (await client.post("/api/characters", json={"name": "Nova"})).raise_for_status()
            python = ROOT / ".venv-clients" / "bin" / "python"
            packages = ROOT / "build" / "clients"
            return await _told(folder, ROOT, str(python), str(HERE / "in_python.py"), url) | await _told(
                folder, packages, "node", str(HERE / "in_node.mjs"), url
            )


def _browser() -> str:
    """Before anything waits for it: it may have to be installed first."""
    told = subprocess.run([ROOT / "scripts" / "chromium.sh"], stdout=subprocess.PIPE, text=True, check=True)
    return told.stdout.strip()


async def _told(home: Path, folder: Path, *command: str) -> Found:
    environment = os.environ | {"HOME": str(home), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    ended = await asyncio.to_thread(
        subprocess.run, command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=600
    )
    found: Found = json.loads(ended.stdout.strip().splitlines()[-1])
    return found


def text_of(found: Found, features: Sequence[str]) -> str:
    return table(["client", *features], _rows(found, features))


def _markdown(found: Found, features: Sequence[str]) -> str:
    rows = [["client", *features], ["---"] * (1 + len(features)), *_rows(found, features)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _rows(found: Found, features: Sequence[str]) -> list[list[str]]:
    marks = {"yes": "yes", None: "–"}
    return [[name, *(marks.get(tried.get(each), "**no**") for each in features)] for name, tried in found.items()]


def _write(name: str, text: str) -> None:
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, _, rest = PAGE.read_text().partition(begin)
    PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{rest.partition(end)[2]}")


async def _tables(folder: Path, names: Sequence[str]) -> dict[str, tuple[Found, Sequence[str]]]:
    """Those of docs/clients.md that are asked for, each with its columns."""
    browser = _browser()
    tables: dict[str, tuple[Callable[[], Awaitable[Found]], Sequence[str]]] = {
        "tried": (partial(run, folder), FEATURES),
        "openwebui": (partial(openwebui.tried, folder, browser), tuple(openwebui.STORIES)),
        "aider": (partial(aider.tried, folder), tuple(aider.STORIES)),
        "sillytavern": (
            partial(sillytavern.tried, folder, browser),
            (*sillytavern.DOINGS, *sillytavern.WITH_EXTENSION),
        ),
    }
    unknown = set(names) - set(tables)
    if unknown:
        sys.exit(f"There is no {', '.join(sorted(unknown))} among the clients. Choose of: {', '.join(tables)}.")
    return {name: (await tables[name][0](), tables[name][1]) for name in names or tables}


def main() -> None:
    names = [each for each in sys.argv[1:] if not each.startswith("--")]
    with tempfile.TemporaryDirectory(prefix="everlore-clients-") as folder:
        tables = asyncio.run(_tables(Path(folder), names))
    for name, (each, features) in tables.items():
        print(text_of(each, features))
        if "--docs" in sys.argv:
            _write(name, _markdown(each, features))
    failures = [
        f"{name}: {feature}: {why}"
        for found, _ in tables.values()
        for name, tried in found.items()
        for feature, why in tried.items()
        if why != "yes"
    ]
    print("\n".join(failures), file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
