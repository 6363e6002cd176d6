"""Search in messages over HTTP: in all chats and in one, with the visibility rules of the log (U16)."""

from typing import Any

import pytest

from everlore.domain.policy import Role
from everlore.errors import BadAsk
from everlore.services.message_search import excerpt_of, words_of
from everlore.services.messages import RecordedLine
from everlore.settings import ServerSettings
from tests.server.home import Home, home


async def note(here: Home, id: str, content: str) -> str:
    answer = await here.say(id, content, reply=False)
    assert answer.is_success, answer.text
    message: str = answer.json()["user_message"]["id"]
    return message


async def search(here: Home, query: str, **more: Any) -> list[str]:
    """The ids of the messages that are found."""
    answer = await here.client.get("/api/messages/search", params={"query": query, **more})
    assert answer.is_success, answer.text
    return [each["message_id"] for each in answer.json()["items"]]


async def test_messages_are_found_in_all_chats_and_in_one() -> None:
    """U16: the latest chat first; a hit says where it is."""
    async with home() as here:
        first, second = await here.talk(title="Travel"), await here.talk()
        early = await note(here, first, "The ferry to Porto leaves at dawn.")
        late = await note(here, second, "Which FERRY do you mean?")
        await note(here, second, "Never mind.")

        assert await search(here, "ferry") == [late, early]
        assert await search(here, "dawn ferry") == [early]
        assert await search(here, '"ferry to porto"') == [early]
        assert await search(here, "ferry", conversation_id=first) == [early]
        assert await search(here, "zeppelin") == []
        answer = await here.client.get("/api/messages/search", params={"query": "porto"})
        (hit,) = answer.json()["items"]
        assert (hit["conversation_id"], hit["conversation_title"]) == (first, "Travel")
        assert (hit["author"], hit["excerpt"]) == ("user", "The ferry to Porto leaves at dawn.")


async def test_private_deleted_and_removed_messages_are_not_found_elsewhere() -> None:
    """U16, V13: a private chat is searched only from within; what is gone is found nowhere."""
    async with home() as here:
        open_one, private = await here.talk(), await here.talk(config={"private": True})
        hidden = await note(here, private, "My secret is saffron.")
        deleted = await note(here, open_one, "Saffron is expensive.")
        removed = await note(here, open_one, "Saffron again.")
        await here.client.delete(f"/api/conversations/{open_one}/messages/{deleted}")
        await here.lore.messages.withdraw(open_one, [removed])

        assert await search(here, "saffron") == []
        assert await search(here, "saffron", conversation_id=open_one) == []
        assert await search(here, "saffron", conversation_id=private) == [hidden]


async def test_whoever_sees_a_part_finds_only_their_own() -> None:
    """U16, S-3: neither the chats of others nor the thoughts of a character."""
    async with home(server=ServerSettings(tokens=True, per_minute=1_000_000), workers=0) as here:
        lore = here.lore
        nova = await lore.characters.create(name="Nova")
        theirs = await lore.conversations.start(nova, greet=False)
        await lore.turns.note(theirs.id, "The owner hides gold.")
        for role in (Role.MEMBER, Role.GUEST):
            token = await lore.tokens.create(f"Mila {role.value}", role=role)
            headers = {"Authorization": f"Bearer {token.text}"}
            made = await here.client.post("/api/conversations", json={"character_id": nova.id}, headers=headers)
            own = made.json()["id"]
            said = {"content": "I like gold.", "reply": False}
            await here.client.post(f"/api/conversations/{own}/messages", json=said, headers=headers)
            everywhere = await here.client.get("/api/messages/search", params={"query": "gold"}, headers=headers)
            within = {"query": "gold", "conversation_id": theirs.id}
            refused = await here.client.get("/api/messages/search", params=within, headers=headers)

            assert [each["excerpt"] for each in everywhere.json()["items"]] == ["I like gold."]
            assert refused.status_code == 404


async def test_thoughts_are_found_by_nobody_who_may_not_read_them() -> None:
    async with home() as here:
        id = await here.talk()
        nova = (await here.client.get(f"/api/conversations/{id}")).json()["system_ids"][0]
        thought = "<think>The vault is under the well.</think>I know nothing."
        await here.lore.messages.record(id, [RecordedLine(thought, speaker=nova)])

        assert await search(here, "vault") == []
        assert len(await search(here, "nothing")) == 1


@pytest.mark.parametrize("query", ["", "   ", '""', "x" * 201])
async def test_a_search_that_means_nothing_is_refused(query: str) -> None:
    async with home() as here:
        answer = await here.client.get("/api/messages/search", params={"query": query})

        assert answer.status_code == 400
        assert "search" in answer.json()["detail"].lower()


def test_words_and_phrases() -> None:
    assert words_of('a "b  c" a d') == ("a", "b c", "d")
    with pytest.raises(BadAsk):
        words_of(" ")


def test_an_excerpt_is_cut_around_the_match() -> None:
    text = "word " * 40 + "needle " + "word " * 60
    found = excerpt_of(text, ["needle"])

    assert found.startswith("…word")
    assert found.endswith("…")
    assert "needle" in found
    assert len(found) < 170
    assert excerpt_of("short", ["needle"]) == ""


async def test_a_chat_is_pinned_archived_and_reopened_by_a_message() -> None:
    """U16: pinned ones can be listed alone; a branch is not pinned; sending a message reopens."""
    async with home() as here:
        id, _ = await here.talk(), await here.talk()
        path = f"/api/conversations/{id}"
        said = await note(here, id, "Hello.")

        pinned = (await here.client.patch(path, json={"pinned": True})).json()
        listed = (await here.client.get("/api/conversations?pinned=true")).json()["items"]
        branch = (await here.client.post(f"{path}/branch", json={"message_id": said})).json()
        archived = (await here.client.patch(path, json={"state": "archived"})).json()
        await note(here, id, "Back again.")
        after = (await here.client.get(path)).json()
        unpinned = (await here.client.patch(path, json={"pinned": False})).json()

        assert (pinned["pinned"], [each["id"] for each in listed], branch["pinned"]) == (True, [id], False)
        assert (archived["state"], archived["pinned"]) == ("archived", True)
        assert (after["state"], unpinned["pinned"]) == ("open", False)
