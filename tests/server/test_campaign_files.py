"""A campaign's files over HTTP: each seat gets what it may, and who runs the game brings what is new (G9, G10, G12)."""

import io
import json
import zipfile
from typing import Any

import httpx

from tests.interchange.test_lorebooks import WORLD_INFO
from tests.server.home import home
from tests.server.test_campaigns import SECRET, Table, table

__all__ = ["table"]
LOG = f"GM: You arrive at Orne.\nPia: I light a lamp.\n[GM] Oswin drinks {SECRET}.\nPia: We decide to go on.\n"


async def send(table: Table, who: str, path: str, data: bytes | str, **query: Any) -> httpx.Response:
    return await table.here.client.post(
        path.replace("{id}", table.campaign),
        content=data,
        params={name: str(value) for name, value in query.items()},
        headers={"Authorization": f"Bearer {table.tokens[who]}", "Content-Type": "application/octet-stream"},
    )


async def fetch(table: Table, who: str, **query: str) -> httpx.Response:
    path = f"/api/campaigns/{table.campaign}/export"
    headers = {"Authorization": f"Bearer {table.tokens[who]}"}
    return await table.here.client.get(path, params=query, headers=headers)


def pages(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 200, answer.text
    with zipfile.ZipFile(io.BytesIO(answer.content)) as opened:
        return {name: opened.read(name).decode() for name in opened.namelist()}


def packed(files: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return made.getvalue()


async def test_a_log_is_brought_once_and_read_by_each_seat_as_it_may(table: Table) -> None:
    """G9, G12."""
    brought = await send(table, "vesna", "/api/campaigns/{id}/logs", LOG, filename="Quay.txt", day="2026-11-17")
    twice = await send(table, "vesna", "/api/campaigns/{id}/logs", LOG)
    played = await send(table, "pia", "/api/campaigns/{id}/logs", LOG)
    stranger = await send(table, "eve", "/api/campaigns/{id}/logs", LOG)

    assert brought.status_code == 201, brought.text
    told = brought.json()
    assert (told["session"]["name"], told["session"]["number"], told["digested"]) == ("Quay", 1, True)
    assert told["report"]["format"] == "transcript"
    assert (twice.status_code, played.status_code, stranger.status_code) == (409, 403, 404)
    log = f"/api/sessions/{told['session']['id']}/log"
    assert SECRET in (await table.ask("vesna", "GET", log)).text
    assert SECRET not in (await table.ask("pia", "GET", log)).text
    bad = await send(table, "vesna", "/api/campaigns/{id}/logs", "  ")
    assert bad.status_code == 400
    assert "nothing in the log" in bad.text


async def test_lore_and_vault_go_in_and_out_by_seat(table: Table) -> None:
    """G9, G12: a lorebook, a vault that is edited, and what a player gets of both."""
    lore = await send(
        table, "vesna", "/api/campaigns/{id}/import", json.dumps(WORLD_INFO), format="lorebook", filename="orne.json"
    )
    secret = {"entries": {"0": {"key": ["Oswin"], "content": f"He drinks {SECRET}."}}}
    await send(table, "vesna", "/api/campaigns/{id}/import", json.dumps(secret), format="lorebook", gm_only=True)
    assert lore.status_code == 200, lore.text
    assert lore.json()["added"] == ["Ilka", "The drowned tower", "zephyrine"]

    whole = pages(await fetch(table, "vesna", format="vault"))
    theirs = pages(await fetch(table, "pia", format="vault"))
    asked = pages(await fetch(table, "owner", format="vault", player="pia"))
    assert "NPCs/Ilka.md" in whole
    assert "Lore/Oswin.md" in whole
    for seen in (theirs, asked):
        assert "Lore/Oswin.md" not in seen
        assert not any("Oswin" in text or "drinks" in text for text in seen.values())

    whole["NPCs/Ilka.md"] = whole["NPCs/Ilka.md"].replace("The last keeper.", "The first keeper.")
    del whole["Lore/zephyrine.md"]
    dry = await send(
        table, "vesna", "/api/campaigns/{id}/import", packed(whole), format="vault", dry_run=True, delete_missing=True
    )
    back = await send(table, "vesna", "/api/campaigns/{id}/import", packed(whole), format="vault")
    assert (dry.json()["changed"], dry.json()["deleted"]) == (["Ilka"], ["zephyrine"])
    assert (back.json()["changed"], back.json()["missing"], back.json()["deleted"]) == (["Ilka"], ["zephyrine"], [])

    book = (await fetch(table, "pia", format="lorebook", form="character_book")).json()
    assert "The first keeper." in json.dumps(book)
    assert "Oswin" not in json.dumps(book)
    assert (await send(table, "pia", "/api/campaigns/{id}/import", packed(whole), format="vault")).status_code == 403
    assert (await fetch(table, "eve", format="vault")).status_code == 404
    evil = await send(table, "vesna", "/api/campaigns/{id}/import", packed({"../x.md": "x"}), format="vault")
    assert "not a plain path" in evil.text


async def test_the_whole_campaign_is_the_owners_to_carry(table: Table) -> None:
    """G10, G12, C4."""
    await send(table, "vesna", "/api/campaigns/{id}/logs", LOG)
    out = await fetch(table, "owner", format="json")
    for who in ("vesna", "pia"):
        assert (await fetch(table, who, format="jsonl")).status_code == 403
        assert (await send(table, who, "/api/campaigns/import", out.content)).status_code == 403
    assert "no player's view" in (await fetch(table, "owner", format="json", player="pia")).text

    async with home() as there:
        dry = await there.client.post("/api/campaigns/import", content=out.content, params={"dry_run": "true"})
        arrived = await there.client.post("/api/campaigns/import", content=out.content)
        again = await there.client.get(f"/api/campaigns/{table.campaign}/export", params={"format": "json"})

    assert arrived.status_code == 200, arrived.text
    assert arrived.json()["name"] == "Lamps"
    assert arrived.json()["counts"]["session"]["new"] == 1
    assert dry.json()["counts"] == arrived.json()["counts"]
    assert again.content == out.content
