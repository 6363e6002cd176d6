"""`ETag`, `If-None-Match` and `If-Match`: what was read is edited only while it is the same (9-surfaces)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from everlore.settings import StoreSettings
from everlore.store.port import Store
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.postgres import Server
from tests.server.home import Home, home
from tests.sqlite import migrated


def at_home(store: Store | None = None) -> Any:
    """No model at all, and nothing that changes records in the background."""
    return home(provider="voice", store=store, workers=0)


async def _create(here: Home, path: str, **body: Any) -> str:
    made = await here.client.post(path, json=body)
    assert made.status_code == 201, made.text
    id: str = made.json()["id"]
    return id


async def _tag(client: httpx.AsyncClient, path: str) -> str:
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.headers["etag"]


async def _memory(here: Home) -> str:
    return f"/api/memories/{await _create(here, '/api/memories', content='The user lives in Oslo')}"


async def _conversation(here: Home) -> str:
    return f"/api/conversations/{await here.talk()}"


async def _message(here: Home) -> str:
    id = await here.talk()
    await here.say(id)
    return f"/api/conversations/{id}/messages/{(await here.messages(id))[0]['id']}"


async def _character(here: Home) -> str:
    return f"/api/characters/{await here.character()}"


async def _template(here: Home) -> str:
    document = {"name": "Letters", "sections": {"rules": {"content": ["Write a letter."]}}}
    return f"/api/templates/{await _create(here, '/api/templates', **document)}"


async def _campaign(here: Home) -> str:
    return f"/api/campaigns/{await _create(here, '/api/campaigns', name='Salt')}"


async def _session(here: Home) -> str:
    campaign = await _campaign(here)
    return f"/api/sessions/{await _create(here, f'{campaign}/sessions', name='One')}"


async def _entity(here: Home) -> str:
    campaign = await _campaign(here)
    return f"/api/entities/{await _create(here, f'{campaign}/entities', name='Quorvane', kind='location')}"


async def _config(here: Home) -> str:
    return "/api/config"


EDITS: list[tuple[Any, str, dict[str, Any], dict[str, Any]]] = [
    (_memory, "PATCH", {"content": "The user lives in Bergen"}, {"content": "The user lives in Rome"}),
    (_conversation, "PATCH", {"title": "Tea"}, {"title": "Coffee"}),
    (_message, "PATCH", {"content": "Tea?"}, {"content": "Coffee?"}),
    (_character, "PATCH", {"personality": "calm"}, {"personality": "loud"}),
    (_template, "PATCH", {"name": "Notes"}, {"name": "Cards"}),
    (_campaign, "PATCH", {"name": "Sugar"}, {"name": "Pepper"}),
    (_session, "PATCH", {"name": "Two"}, {"name": "Three"}),
    (_entity, "PATCH", {"name": "Corvane"}, {"name": "Morvane"}),
    (_config, "PUT", {"temperature": 0.5}, {"temperature": 0.7}),
]


@pytest.mark.parametrize(("make", "method", "mine", "yours"), EDITS, ids=lambda each: getattr(each, "__name__", ""))
async def test_an_edit_of_what_somebody_changed_meanwhile_is_refused_with_the_present_tag(
    make: Any, method: str, mine: dict[str, Any], yours: dict[str, Any]
) -> None:
    """9-surfaces: ETag / If-Match on edits."""
    async with at_home() as here:
        path = await make(here)
        read = await _tag(here.client, path)

        first = await here.client.request(method, path, json=mine, headers={"If-Match": read})
        second = await here.client.request(method, path, json=yours, headers={"If-Match": read})
        present = await _tag(here.client, path)
        third = await here.client.request(method, path, json=yours, headers={"If-Match": present})

        assert first.status_code == 200, first.text
        assert second.status_code == 412
        assert second.json()["type"] == "urn:everlore:problem:precondition-failed"
        assert present in second.json()["detail"]
        assert first.headers["etag"] == present != read
        assert third.status_code == 200, third.text


async def test_an_edit_without_if_match_is_made_whatever_is_there() -> None:
    async with at_home() as here:
        path = await _memory(here)
        await here.client.patch(path, json={"importance": 9})

        answer = await here.client.patch(path, json={"importance": 3})

        assert (answer.status_code, answer.json()["importance"]) == (200, 3)


async def test_a_deletion_of_what_somebody_changed_meanwhile_is_refused() -> None:
    async with at_home() as here:
        path = await _memory(here)
        read = await _tag(here.client, path)
        await here.client.patch(path, json={"importance": 9})

        refused = await here.client.delete(path, headers={"If-Match": read})
        present = await _tag(here.client, path)
        deleted = await here.client.delete(path, headers={"If-Match": f'"other", W/{present}'})

        assert (refused.status_code, deleted.status_code) == (412, 204)
        assert (await here.client.get(path)).status_code == 404


async def test_what_the_client_has_already_is_not_sent_again() -> None:
    async with at_home() as here:
        path = await _memory(here)
        read = await _tag(here.client, path)

        same = await here.client.get(path, headers={"If-None-Match": read})
        await here.client.patch(path, json={"importance": 9})
        other = await here.client.get(path, headers={"If-None-Match": read})

        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", read)
        assert (other.status_code, other.json()["importance"]) == (200, 9)


async def test_new_messages_do_not_get_in_the_way_of_an_edit_of_their_conversation() -> None:
    """The answer is another one, so it is sent again; nobody has edited it, so an edit goes through."""
    async with at_home() as here:
        path = await _conversation(here)
        read = await _tag(here.client, path)
        await here.say(path.rpartition("/")[2])

        again = await here.client.get(path, headers={"If-None-Match": read})
        answer = await here.client.patch(path, json={"title": "Tea"}, headers={"If-Match": read})

        assert (again.status_code, again.json()["message_count"]) == (200, 2)
        assert (answer.status_code, answer.json()["title"]) == (200, "Tea")


async def test_if_match_is_refused_where_it_would_be_ignored() -> None:
    async with at_home() as here:
        path = await _memory(here)

        answer = await here.client.post(f"{path}/reject", headers={"If-Match": '"any"'})

        assert answer.status_code == 400
        assert (await here.client.get(path)).json()["status"] == "active"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def one_database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Callable[[], Awaitable[Store]]]:
    """Opens a further store over the same database."""
    if request.param == "sqlite":
        path = migrated(tmp_path / "shared.db")
        yield lambda: SqliteStore.open(path, StoreSettings(), clock=now)
        return
    from everlore.store.postgres.store import PostgresStore

    server: Server = request.getfixturevalue("postgres")
    async with server.emptied_database() as url:
        yield lambda: PostgresStore.open(url, StoreSettings(), clock=now)


async def test_of_many_editors_at_once_on_two_servers_each_tag_lets_one_through(
    one_database: Callable[[], Awaitable[Store]],
) -> None:
    """The check and the write are one step: no edit is lost, and nobody overwrites what they have not read."""
    async with at_home(await one_database()) as here, at_home(await one_database()) as there:
        path = await _character(here)

        async def edit(home: Home, tag: str, name: str) -> str:
            answer = await home.client.patch(path, json={"personality": name}, headers={"If-Match": tag})
            assert answer.status_code in (200, 412), answer.text
            return name if answer.status_code == 200 else ""

        for each in range(5):
            tag = await _tag(here.client, path)
            editors = [(home, f"calm {each} {n}") for n, home in enumerate([here, there] * 3)]
            made = [*filter(None, await asyncio.gather(*(edit(home, tag, name) for home, name in editors)))]

            assert made == [(await there.client.get(path)).json()["personality"]]
