"""Campaigns over HTTP: each seat sees what it may, and only who runs the game shapes it (G1 to G13)."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from everlore.domain.person import PersonKind
from everlore.domain.policy import Role
from everlore.settings import ServerSettings
from tests.server.home import Home, home

SECRET = "zephyrine"


@dataclass
class Table:
    here: Home
    campaign: str
    tokens: dict[str, str]

    async def ask(self, who: str, method: str, path: str, body: Any = None) -> httpx.Response:
        path = path.replace("{id}", self.campaign)
        return await self.here.client.request(
            method, path, json=body, headers={"Authorization": f"Bearer {self.tokens[who]}"}
        )

    async def told(self, who: str, method: str, path: str, body: Any = None) -> Any:
        answer = await self.ask(who, method, path, body)
        assert answer.status_code < 300, (method, path, answer.text)
        return answer.json() if answer.content else None


@pytest.fixture
async def table() -> AsyncIterator[Table]:
    """Vesna runs it and Pia plays, each with a token; Eve is not there; the owner has it all."""
    async with home(server=ServerSettings(tokens=True, per_minute=1_000_000), provider="voice") as here:
        tokens = {"owner": (await here.lore.tokens.create("owner", role=Role.OWNER)).text}
        for name in ("vesna", "pia", "eve"):
            person = await here.lore.characters.create(name=name.title(), id=name, kind=PersonKind.USER)
            tokens[name] = (await here.lore.tokens.create(name, role=Role.MEMBER, user=person)).text
        seated = Table(here, "", tokens)
        made = await seated.told(
            "owner", "POST", "/api/campaigns", {"name": "Lamps", "gm_id": "vesna", "player_ids": ["pia"]}
        )
        seated.campaign = made["id"]
        yield seated


async def test_a_campaign_is_played_through(table: Table) -> None:
    """G1, G3, G4, G6, G10, G13: from its premise to the story so far."""
    ask = table.told
    await ask("vesna", "PATCH", "/api/campaigns/{id}", {"premise": "The lamps of Orne go out."})
    chapter = await ask(
        "vesna", "POST", "/api/campaigns/{id}/chapters", {"name": "Dusk", "goals": ["Find the lantern"]}
    )
    session = await ask("vesna", "POST", "/api/campaigns/{id}/sessions", {"name": "Quay"})
    assert session["chapter_id"] == chapter["id"]
    ilka = await table.here.character("Ilka")
    talk = await ask(
        "vesna",
        "POST",
        f"/api/sessions/{session['id']}/conversations",
        {"character_ids": [ilka], "open": True, "config": {"auto_title": False}},
    )
    for line in ("Captain Ysolde Marr waits at the quay of Gallowmere.", "Captain Marr serves the Ashen Hand."):
        await ask("vesna", "POST", f"/api/conversations/{talk['id']}/messages", {"content": line})
    ended = await ask("vesna", "POST", f"/api/sessions/{session['id']}/end")
    assert ended["parts"][0]["last_seq"] == 4
    await table.here.lore.settle()

    log = await ask("pia", "GET", f"/api/sessions/{session['id']}/log")
    assert "Gallowmere" in log["items"][0]["content"]
    waiting = await ask("vesna", "GET", "/api/campaigns/{id}/proposals?kind=entity")
    names = {each["title"]: each["id"] for each in waiting["items"]}
    assert "Captain Ysolde Marr" in names
    await ask("vesna", "POST", f"/api/proposals/{names['Captain Ysolde Marr']}/approve", {})
    others = [id for name, id in names.items() if name != "Captain Ysolde Marr"]
    many = {"ids": others, "decision": "rejected"}
    decided = await ask("vesna", "POST", "/api/campaigns/{id}/proposals/decide", many)
    assert all(not each["error"] for each in decided["items"])
    undone = await ask("vesna", "POST", "/api/campaigns/{id}/proposals/decide", many | {"decision": "pending"})
    assert {each["id"] for each in undone["items"]} == {*others}
    sure = {"min_confidence": 0.7, "decision": "rejected"}
    decided = await ask("vesna", "POST", "/api/campaigns/{id}/proposals/decide", sure)
    assert [each["proposal"]["status"] for each in decided["items"] if each["proposal"]["confidence"] < 0.7] == []
    (marr,) = (await ask("pia", "GET", "/api/campaigns/{id}/entities?named=captain%20marr"))["items"]
    found = await ask("pia", "GET", f"/api/entities/{marr['id']}/mentions")
    assert len(found["messages"]) >= 2
    shelves = await ask("pia", "GET", "/api/campaigns/{id}/shelves")
    assert [each["number"] for each in shelves["sessions"]] == [1]
    recap = await ask("pia", "GET", "/api/campaigns/{id}/recap")
    assert "Previously on Lamps" in recap["text"]
    answer = await ask("pia", "POST", "/api/campaigns/{id}/ask", {"question": "Whom does Captain Marr serve?"})
    assert "Ashen Hand" in answer["text"]
    assert answer["passages"][0]["message_id"]
    again = await ask("vesna", "POST", f"/api/sessions/{session['id']}/digest")
    assert again["job_id"]
    cleared = await ask("vesna", "POST", f"/api/sessions/{session['id']}/clear")
    assert cleared["memories"] >= 0


async def test_a_player_who_is_forgotten_leaves_what_was_said_at_the_table(table: Table) -> None:
    """M9, G1: their own conversations and their token go. A dry run only counts."""
    ask = table.told
    ilka = await table.here.character("Ilka")
    own = await ask("pia", "POST", "/api/conversations", {"character_ids": [ilka], "config": {"auto_title": False}})
    await ask("pia", "POST", f"/api/conversations/{own['id']}/messages", {"content": "I live in Porto."})
    session = await ask("vesna", "POST", "/api/campaigns/{id}/sessions", {"name": "Quay"})
    path = f"/api/sessions/{session['id']}/conversations"
    talk = await ask("vesna", "POST", path, {"character_ids": [ilka], "open": True, "config": {"auto_title": False}})
    line = {"content": "I open the lantern.", "person_id": "pia", "reply": False}
    await ask("owner", "POST", f"/api/conversations/{talk['id']}/messages", line)

    expected = await ask("owner", "POST", "/api/users/pia/forget?dry_run=true")
    there = await ask("pia", "GET", "/api/me")
    gone = await ask("owner", "POST", "/api/users/pia/forget")
    await table.here.lore.settle()

    counted = {"conversations": 1, "messages": 2, "tokens": 1, "campaign_messages": 1}
    assert {name: expected[name] for name in counted} == {name: gone[name] for name in counted} == counted
    assert (expected["dry_run"], gone["dry_run"], there["user"]["id"]) == (True, False, "pia")
    assert (await table.ask("pia", "GET", "/api/me")).status_code == 401
    assert (await table.ask("owner", "GET", f"/api/conversations/{own['id']}")).status_code == 404
    log = await ask("vesna", "GET", f"/api/conversations/{talk['id']}/messages")
    assert [each["content"] for each in log["items"]] == ["I open the lantern."]
    assert not any("Porto" in each["content"] for each in (await ask("owner", "GET", "/api/memories"))["items"])
    assert (await table.ask("owner", "POST", "/api/users/pia/forget")).status_code == 404


async def test_what_players_must_not_know_reaches_none_of_them(table: Table) -> None:
    """G9: on every way that a campaign can be read."""
    ask = table.told
    await ask(
        "vesna", "POST", "/api/campaigns/{id}/memories", {"content": f"The guild drinks {SECRET}.", "is_spoiler": True}
    )
    await ask("vesna", "POST", "/api/campaigns/{id}/memories", {"content": "The guild rules Orne."})
    hidden = await ask(
        "vesna", "POST", "/api/campaigns/{id}/entities", {"name": f"The {SECRET} well", "is_spoiler": True}
    )
    guild = await ask("vesna", "POST", "/api/campaigns/{id}/entities", {"name": "The Guild", "kind": "faction"})
    tie = {"source_id": guild["id"], "type": "guards", "target_id": hidden["id"], "evidence": SECRET}
    await ask("vesna", "POST", "/api/ties", tie)
    session = await ask("vesna", "POST", "/api/campaigns/{id}/sessions", {})
    ilka = await table.here.character("Ilka")
    talk = await ask(
        "vesna",
        "POST",
        f"/api/sessions/{session['id']}/conversations",
        {"character_ids": [ilka], "config": {"auto_title": False}},
    )
    note = {"content": f"Oswin sells {SECRET} to the Ashen Hand in Gallowmere."}
    await ask("vesna", "POST", f"/api/conversations/{talk['id']}/messages", note)
    await ask("vesna", "POST", f"/api/sessions/{session['id']}/end")
    await table.here.lore.settle()

    reads = [
        "/api/campaigns",
        "/api/campaigns/{id}",
        *(
            f"/api/campaigns/{{id}}/{each}"
            for each in ("recap", "shelves", "memories", "chapters", "sessions", "entities", "graph", "ties")
        ),
        "/api/campaigns/{id}/memories?status=pending&status=active&status=superseded",
        f"/api/entities/{guild['id']}/mentions",
        f"/api/entities/{hidden['id']}",
        f"/api/sessions/{session['id']}/log",
        f"/api/sessions/{session['id']}/memories",
        "/api/campaigns/{id}/proposals",
        "/api/memories",
        "/api/events",
    ]
    for who, player in (("pia", ""), ("vesna", "?player="), ("owner", "?player=pia")):
        for path in reads:
            if player and ("proposals" in path or not path.startswith(("/api/camp", "/api/ent", "/api/sess"))):
                continue
            looked = path if not player else path + (player if "?" not in path else player.replace("?", "&"))
            answer = await table.ask(who, "GET", looked)
            assert SECRET not in answer.text, (who, looked, answer.text)
    for body in ({"question": f"What is {SECRET}?"}, {"question": "What does the guild drink?", "player": ""}):
        answer = await table.ask("pia", "POST", "/api/campaigns/{id}/ask", body)
        assert SECRET not in answer.text.replace(str(body["question"]), ""), answer.text
    for path in ("/api/campaigns/{id}/memories", "/api/campaigns/{id}/graph", f"/api/sessions/{session['id']}/log"):
        for who in ("vesna", "owner"):
            assert SECRET in (await table.ask(who, "GET", path)).text, (who, path)


async def test_who_has_no_seat_finds_no_campaign_and_who_plays_does_not_shape_it(table: Table) -> None:
    """G9, C4."""
    session = await table.told("vesna", "POST", "/api/campaigns/{id}/sessions", {})
    shaping: tuple[tuple[str, str, Any], ...] = (
        ("PATCH", "/api/campaigns/{id}", {"name": "Mine"}),
        ("DELETE", "/api/campaigns/{id}", None),
        ("POST", "/api/campaigns/{id}/memories", {"content": "Mine."}),
        ("POST", "/api/campaigns/{id}/chapters", {"name": "Mine"}),
        ("POST", "/api/campaigns/{id}/sessions", {}),
        ("POST", f"/api/sessions/{session['id']}/end", None),
        ("POST", "/api/campaigns/{id}/entities", {"name": "Mine"}),
        ("GET", "/api/campaigns/{id}/proposals", None),
        ("POST", "/api/campaigns/{id}/proposals/decide", {"ids": ["x"], "decision": "approved"}),
    )
    for method, path, body in shaping:
        assert (await table.ask("pia", method, path, body)).status_code == 403, path
        assert (await table.ask("eve", method, path, body)).status_code == 404, path
    assert (await table.told("eve", "GET", "/api/campaigns"))["items"] == []
    assert (await table.ask("pia", "POST", "/api/campaigns", {"name": "Mine"})).status_code == 403


async def test_rubbish_is_refused_in_words(table: Table) -> None:
    """G10."""
    for method, path, body in (
        ("POST", "/api/campaigns", {"name": ""}),
        ("POST", "/api/campaigns/{id}/entities", {"name": "x", "kind": "ghost"}),
        ("POST", "/api/campaigns/{id}/ask", {"question": ""}),
        ("GET", "/api/campaigns/{id}/recap?since=yesterday", None),
    ):
        answer = await table.ask("owner", method, path, body)
        assert answer.status_code in (400, 422), (path, answer.text)
        assert answer.json()["detail"]


async def test_a_conversation_is_started_in_a_session(table: Table) -> None:
    """G1: as any other is."""
    session = await table.told("vesna", "POST", "/api/campaigns/{id}/sessions", {})
    ilka = await table.here.character("Ilka")

    talk = await table.told("vesna", "POST", "/api/conversations", {"character_id": ilka, "session_id": session["id"]})

    joined = await table.told("vesna", "GET", f"/api/sessions/{session['id']}")
    assert [each["conversation_id"] for each in joined["parts"]] == [talk["id"]]
    refused = await table.ask("pia", "POST", "/api/conversations", {"character_id": ilka, "session_id": session["id"]})
    assert refused.status_code == 403
