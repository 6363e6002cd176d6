"""People behind one key: `user`, or a header that the settings name, is a person of its own (9-surfaces: identity)."""

from typing import Any

import httpx
import pytest

from everlore.domain.person import USER_ID, PersonKind
from everlore.domain.policy import Role
from everlore.server.access import SESSION
from everlore.settings import ServerSettings
from tests.server.home import Home, home

ANNA, BERT = "u-anna", "u-bert"


async def ask(here: Home, *said: str, user: str = "", token: str = "unused", **headers: str) -> httpx.Response:
    """`said` in turns, the last one the user's."""
    roles = ["user", "assistant"]
    body: dict[str, Any] = {
        "model": "nova",
        "messages": [{"role": roles[at % 2], "content": text} for at, text in enumerate(said)],
    }
    if user:
        body["user"] = user
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = await here.client.post(
        "/v1/chat/completions", json=body, headers={"Authorization": f"Bearer {token}", **named}
    )
    assert answer.status_code == 200, answer.text
    return answer


def text_of(answer: httpx.Response) -> str:
    return str(answer.json()["choices"][0]["message"]["content"])


async def people(here: Home) -> dict[str, str]:
    """Everybody at a keyboard but the owner: name by id."""
    users = (await here.lore.tokens.users(limit=500)).items
    return {each.id: each.name for each in users if each.id != USER_ID}


async def homes_told(here: Home) -> None:
    await ask(here, "I live in Ghent.", user=ANNA)
    await ask(here, "I live in Oslo.", user=BERT)
    await here.lore.settle()


async def test_each_user_behind_one_key_is_answered_with_their_own_home() -> None:
    async with home(provider="voice") as here:
        await here.character()
        await homes_told(here)
        annas = text_of(await ask(here, "Where do I live?", user=ANNA))
        berts = text_of(await ask(here, "Where do I live?", user=BERT))
        nobodys = text_of(await ask(here, "Where do I live?"))

    assert "Ghent" in annas
    assert "Oslo" not in annas
    assert "Oslo" in berts
    assert "Ghent" not in berts
    assert not {"Ghent", "Oslo"} & set(nobodys.replace(".", " ").split())


async def test_no_memory_earlier_line_or_last_session_of_one_reaches_the_other() -> None:
    """What the model is told holds nothing of the other, whatever was asked; nor does a name for the talk."""
    async with home() as here:
        await here.character()
        await ask(here, "My budgie Pippin ate the ledger.", user=ANNA, **{SESSION: "main"})
        await here.lore.settle()
        await ask(here, "What did my budgie Pippin eat?", user=BERT, **{SESSION: "main"})
        await ask(here, "What did my budgie Pippin eat?", user=ANNA, **{SESSION: "other"})
        berts, annas = (str(each["messages"]) for each in here.asked[-2:])

    assert "ledger" not in berts
    assert "ledger" in annas


async def test_the_header_of_open_webui_says_who_speaks_and_what_they_are_called() -> None:
    async with home(provider="voice") as here:
        await here.character()
        for id, name, town in (("1f-a", "Anna%20M%C3%BCller", "Ghent"), ("2e-b", "Bert", "Oslo")):
            await ask(here, f"I live in {town}.", X_OpenWebUI_User_Id=id, X_OpenWebUI_User_Name=name, user="open-webui")
        await here.lore.settle()
        again = await ask(here, "Where do I live?", X_OpenWebUI_User_Id="1f-a", X_OpenWebUI_User_Name="Anna")
        known = await people(here)

    assert "Ghent" in text_of(again)
    assert sorted(known.values()) == ["Anna Müller", "Bert"]


async def test_another_header_can_be_named_in_the_settings() -> None:
    settings = ServerSettings(user_header="X-Room", user_name_header="X-Room-Name")
    async with home(provider="voice", server=settings) as here:
        await here.character()
        await ask(here, "Hello!", X_Room="7", X_Room_Name="Kitchen", X_OpenWebUI_User_Id="1")
        known = await people(here)

    assert list(known.values()) == ["Kitchen"]


async def test_a_name_that_comes_later_replaces_the_id_and_no_other_name() -> None:
    async with home(provider="voice") as here:
        await here.character()
        await ask(here, "Hello!", X_OpenWebUI_User_Id="1f-a")
        await ask(here, "Hello again!", X_OpenWebUI_User_Id="1f-a", X_OpenWebUI_User_Name="Anna")
        ((id, named),) = (await people(here)).items()
        await here.lore.characters.change(id, name="Annie")
        await ask(here, "It is me.", X_OpenWebUI_User_Id="1f-a", X_OpenWebUI_User_Name="Anna")
        renamed = await people(here)

    assert named == "Anna"
    assert renamed == {id: "Annie"}


@pytest.mark.parametrize("role", [Role.MEMBER, Role.GUEST])
async def test_whoever_has_a_token_for_themselves_stays_themselves(role: Role) -> None:
    """Neither the owner nor another member can be spoken for, by an id, a name or a header."""
    async with home(server=ServerSettings(tokens=True), provider="voice") as here:
        await here.character()
        owner = (await here.lore.tokens.create("me")).text
        kim = await here.lore.tokens.create("Kim", role=Role.MEMBER)
        made = await here.lore.tokens.create("Robin", role=role)
        await ask(here, "I live in Ghent.", token=owner)
        await ask(here, "I live in Oslo.", token=kim.text)
        await here.lore.settle()
        before = await people(here)
        for name in (USER_ID, "me", str(kim.token.user_id), "Kim"):
            for way in ({"user": name}, {"X_OpenWebUI_User_Id": name}):
                answer = await ask(here, "Where do I live?", token=made.text, **way)
                conversation = await here.lore.conversations.get(answer.headers[SESSION])
                assert conversation.user_id == made.token.user_id
                assert not {"Ghent", "Oslo"} & set(text_of(answer).replace(".", " ").split())
        after = await people(here)

    assert after == before


@pytest.mark.parametrize(("role", "as_role"), [(Role.MEMBER, Role.MEMBER), (Role.GUEST, Role.GUEST)])
async def test_a_token_that_may_speak_for_many_makes_people_of_its_own(role: Role, as_role: Role) -> None:
    """Each with the rights of the token at most; the same words behind another token are another person."""
    async with home(server=ServerSettings(tokens=True), provider="voice") as here:
        await here.character()
        owner = (await here.lore.tokens.create("me")).text
        hub = (await here.lore.tokens.create("hub", role=role, people="many")).text
        answers = [await ask(here, "I live in Ghent.", token=each, user=ANNA) for each in (owner, hub)]
        forged = await ask(here, "Where do I live?", token=hub, user=USER_ID)
        talks = [await here.lore.conversations.get(each.headers[SESSION]) for each in (*answers, forged)]
        theirs = await here.lore.seen_by(here.lore.scope).characters.get(str(talks[0].user_id))

    assert len({each.user_id for each in talks}) == 3
    assert USER_ID not in {each.user_id for each in talks}
    assert theirs.kind is PersonKind.USER
    assert "Ghent" not in text_of(forged)


@pytest.mark.parametrize("how", ["token", "settings"])
async def test_an_owner_can_ask_for_one_person_as_before(how: str) -> None:
    settings = ServerSettings(people="one" if how == "settings" else "many", tokens=True)
    async with home(server=settings, provider="voice") as here:
        await here.character()
        token = (await here.lore.tokens.create("me", people="one" if how == "token" else "")).text
        answer = await ask(here, "Hello!", token=token, user=ANNA, X_OpenWebUI_User_Id="1")
        conversation = await here.lore.conversations.get(answer.headers[SESSION])

    assert conversation.user_id == USER_ID


async def test_a_request_that_is_kept_nowhere_leaves_no_person_behind() -> None:
    async with home() as here:
        await here.character()
        await ask(here, "Hello!", user=ANNA, X_Everlore_Memory="read")
        await ask(here, "Hello!", user=ANNA, X_Cognitive_Mode="emulation")

        assert await people(here) == {}


async def test_a_mode_that_keeps_the_talk_keeps_who_speaks() -> None:
    async with home() as here:
        await here.character()
        await ask(here, "Hello!", user=ANNA, X_Cognitive_Mode="environment")

        assert list((await people(here)).values()) == [ANNA]


async def test_what_a_reply_rests_on_and_the_next_response_are_the_persons_own() -> None:
    async with home() as here:
        await here.character()
        anna = {"X-OpenWebUI-User-Id": "1f-a"}
        asked = {"model": "nova", "input": "Hello!"}
        first = await here.client.post("/v1/responses", json=asked, headers=anna)
        more = {**asked, "input": "And then?", "previous_response_id": first.json()["id"]}
        own = await here.client.post("/v1/responses", json=more, headers=anna)
        berts = await here.client.post("/v1/responses", json=more, headers={"X-OpenWebUI-User-Id": "2e-b"})
        talk = own.headers[SESSION]
        grounds = [
            await here.client.get(f"/v1/conversations/{talk}/grounds", headers=headers)
            for headers in (anna, {"X-OpenWebUI-User-Id": "2e-b"})
        ]

    assert first.headers[SESSION] == talk
    assert (own.status_code, berts.status_code) == (200, 404)
    assert [each.status_code for each in grounds] == [200, 404]
