"""A whole workspace over HTTP: out as it is read, in as it comes (M13, S-3, S-5)."""

import gzip
import json

from everlore.server import workspace_files as carrying
from everlore.server.openapi import document
from tests.server.home import home


async def test_a_workspace_goes_out_and_comes_in() -> None:
    """M13: with a dry run, and again without doing anything twice."""
    async with home() as here:
        id = await here.talk()
        await here.say(id, "I keep bees in Oslo.")
        await here.lore.remember("User keeps bees")
        await here.lore.settle()
        out = await here.client.get("/api/export")
        readable = await here.client.get("/api/export?format=markdown")
    async with home() as there:
        dry = await there.client.post("/api/import?dry_run=true", content=out.content)
        empty = await there.lore.stats()
        done = await there.client.post("/api/import", content=gzip.compress(out.content))
        again = await there.client.post("/api/import", content=out.content)
        back = await there.client.get("/api/export")

    assert out.headers["content-type"] == "application/x-ndjson"
    assert "attachment" in out.headers["content-disposition"]
    assert "## Memories" in readable.text
    assert dry.status_code == 200
    assert (dry.json()["dry_run"], dry.json()["counts"]) == (True, done.json()["counts"])
    assert not any(empty.counts.values())
    assert done.json()["counts"]["memory"]["new"] >= 1
    assert again.json()["counts"]["memory"] == {
        **done.json()["counts"]["memory"],
        "new": 0,
        "same": _memories(out.text),
    }
    assert back.text.partition("\n")[2] == out.text.partition("\n")[2]


def _memories(text: str) -> int:
    memories: int = json.loads(text.splitlines()[0])["counts"]["memory"]
    return memories


async def test_what_is_no_workspace_is_refused_in_words() -> None:
    """S-5."""
    async with home() as here:
        none = await here.client.post("/api/import")
        other = await here.client.post("/api/import", content=b"Dear diary")
        odd = await here.client.get("/api/export?format=odt")

    assert (none.status_code, other.status_code, odd.status_code) == (400, 400, 422)
    assert "no body" in none.json()["detail"]
    assert "line 1: it is not JSON" in other.json()["detail"]


def test_a_workspace_may_be_larger_than_any_other_file() -> None:
    """S-5, S-7: clients are told how large; that limits hold is in `test_before_the_body.py`."""
    assert document()["paths"]["/api/import"]["post"]["x-most-bytes"] == carrying.MOST_FILE_BYTES
