"""`/mcp` of a server, asked by the official client: every tool and resource, for each role, in each mode."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from everlore.domain.campaign import Campaign, Chapter, Entity, EntityKind, Session
from everlore.domain.event import Event, EventType
from everlore.domain.memory import Memory, Visible
from everlore.domain.policy import Act, Role, may
from everlore.domain.proposal import Proposal, ProposalKind
from everlore.domain.records import KINDS
from everlore.server.mcp.person_names import PersonNames
from everlore.server.mcp.recap import Story, told
from everlore.server.mcp.rights import READ_RESOURCES, act_of, tools_table
from everlore.server.mcp.tools import TOOLS, first_sentences
from everlore.services.messages import RecordedLine
from everlore.settings import ServerSettings, StoreSettings
from everlore.store.port import Put
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.house.tree import ROOT
from tests.server.home import Home, home
from tests.sqlite import migrated

NAMES = (
    "search_memories search_memories_by_pair search_memories_by_person remember forget extract_memories get_context "
    "capture_event change_event delete_event list_characters campaign_recap "
    "list_campaigns previously_on ask_campaign campaign_world campaign_review remember_canon add_entity tie_entities "
    "decide_proposal rule_conflict start_session end_session bring_session_log"
).split()
AGES = ("auto", "legacy")
# What a request without a handshake says of itself.
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass
class House:
    """A server that asks for tokens, with an owner, two members and a guest."""

    home: Home
    tokens: dict[str, str]
    users: dict[str, str]

    @asynccontextmanager
    async def entered(self, who: str, *, mode: str = "dual", age: str = "auto") -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {self.tokens[who]}", "X-Cognitive-Mode": mode}
        async with AsyncExitStack() as stack:
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
            transport = streamable_http_client(f"{self.home.url}/mcp", http_client=http)
            yield await stack.enter_async_context(Client(transport, mode=age))

    async def post(self, content: bytes | str, *, token: str | None = "owner", **headers: str) -> httpx.Response:
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if token is not None:
            sent["Authorization"] = f"Bearer {self.tokens.get(token, token)}"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.home.client.post("/mcp", content=content, headers=sent)

    async def counts(self) -> dict[str, int]:
        lore = self.home.lore
        return {kind.__name__: await lore.store.count(lore.scope, kind) for kind in KINDS}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    store = await SqliteStore.open(migrated(tmp_path / "everlore.db"), StoreSettings(), clock=now)
    async with home(store=store, provider="voice", server=ServerSettings(tokens=True)) as at:
        made = {
            name: await at.lore.tokens.create(name, role=role)
            for name, role in (("owner", "owner"), ("Ann", "member"), ("Ben", "member"), ("Gus", "guest"))
        }
        users = {name: each.token.user_id or "" for name, each in made.items()}
        yield House(at, {name: each.text for name, each in made.items()}, users)


async def ask(client: Client, tool: str, **given: Any) -> tuple[bool, str, Any]:
    """Whether it went well, what a model reads, and what a program reads."""
    answer = await client.call_tool(tool, given)
    (said,) = answer.content
    assert said.type == "text"
    assert "Traceback" not in said.text
    return not answer.is_error, said.text, answer.structured_content


async def well(client: Client, tool: str, **given: Any) -> Any:
    fine, said, data = await ask(client, tool, **given)
    assert fine, said
    return data


async def refused(client: Client, tool: str, **given: Any) -> str:
    fine, said, data = await ask(client, tool, **given)
    assert not fine, said
    assert data is None
    return said


async def read(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    return str(getattr(content, "text"))  # noqa: B009  # the other kind of content has none


# ── what is offered ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("who", ["owner", "Ann", "Gus"])
async def test_whoever_comes_in_is_shown_every_tool_and_resource(house: House, who: str, age: str) -> None:
    """9-surfaces: the same list for all; a call is what is refused."""
    async with house.entered(who, age=age) as client:
        tools = (await client.list_tools()).tools
        templates = (await client.list_resource_templates()).resource_templates

    assert [each.name for each in tools] == NAMES
    assert [each.uri_template for each in templates] == ["everlore://memory/{id}", "everlore://conversation/{id}"]
    for tool in tools:
        assert tool.description
        assert tool.output_schema is not None
        hints = tool.annotations
        assert hints is not None
        assert hints.destructive_hint is (tool.name in {"forget", "delete_event"})


def test_every_tool_says_what_it_lets_its_caller_do() -> None:
    """S-3: one that is forgotten is the owner's."""
    assert [each.__name__ for each in TOOLS] == NAMES == list(calls("", "", "", ""))
    assert act_of("a tool that nobody has thought of") is Act.RUN


def test_the_table_of_tools_in_the_docs_is_what_the_code_says() -> None:
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")

    assert tools_table(first_sentences()) in page, tools_table(first_sentences())


# ── who may ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "PUT"])
@pytest.mark.parametrize("token", [None, "everlore_of-nothing", "rubbish"])
async def test_without_a_token_that_opens_nothing_is_told(house: House, method: str, token: str | None) -> None:
    """S-1: not even what there is."""
    sent = {"Authorization": f"Bearer {token}"} if token else {}
    answer = await house.home.client.request(method, "/mcp", headers=sent, content=b"{}")

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert "token" in answer.json()["detail"]


async def test_the_official_client_cannot_come_in_without_a_token(house: House) -> None:
    with pytest.raises((MCPError, ExceptionGroup)):
        async with Client(f"{house.home.url}/mcp") as client:
            await client.list_tools()


async def test_a_token_that_is_revoked_opens_nothing_from_then_on(house: House) -> None:
    """S-2: each request is looked at by itself."""
    lore = house.home.lore
    async with house.entered("Ann") as client:
        await well(client, "list_characters")
        (ann,) = [each for each in (await lore.tokens.list()).items if each.name == "Ann"]
        await lore.tokens.revoke(ann.id)
        with pytest.raises(MCPError):
            await client.call_tool("list_characters", {})


async def campaign(house: House, gm: str) -> None:
    """With something for every tool to do."""
    lore, at = house.home.lore, now()
    common: Any = {"workspace": lore.scope.workspace, "created_at": at, "updated_at": at}
    within: Any = common | {"campaign_id": "ash"}
    records: list[Any] = [
        Campaign(**common, id="ash", name="Ash", gm_id=gm),
        *(Entity(**within, id=id, name=id) for id in ("ilka", "tam")),
        Proposal(**within, id="seen", kind=ProposalKind.ENTITY, title="Odo", detail={"kind": "npc"}),
        Session(**within, id="night", number=1, started_at=at),
    ]
    await lore.store.apply(lore.scope, [Put(each) for each in records])
    await lore.campaigns.remember("ash", "Reth lives in Orne.")
    await lore.campaigns.remember("ash", "Reth lives in Vell.")


def calls(me: str, memory_id: str, event_id: str, conflict_id: str) -> dict[str, dict[str, Any]]:
    """Arguments with which every tool works for whoever may use it."""
    return {
        "search_memories": {"query": "dog"},
        "search_memories_by_pair": {"person": me, "partner": "Nova", "query": "dog"},
        "search_memories_by_person": {"person": me, "query": "dog"},
        "remember": {"content": "Rex is a dog"},
        "forget": {"memory_id": memory_id},
        "extract_memories": {"text": "I live in Bergen."},
        "get_context": {"query": "dog"},
        "capture_event": {"type": "observation", "content": "It rains"},
        "change_event": {"event_id": event_id, "finished": True},
        "delete_event": {"event_id": event_id},
        "list_characters": {},
        "campaign_recap": {"campaign": "Ash"},
        "list_campaigns": {},
        "previously_on": {"campaign": "Ash"},
        "ask_campaign": {"campaign": "Ash", "question": "Who rules?"},
        "campaign_world": {"campaign": "Ash"},
        "campaign_review": {"campaign": "Ash"},
        "remember_canon": {"campaign": "Ash", "content": "Orne is old."},
        "add_entity": {"campaign": "Ash", "name": "Odo"},
        "tie_entities": {"source_id": "ilka", "type": "sister of", "target_id": "tam"},
        "decide_proposal": {"proposal_id": "seen", "decision": "approved"},
        "rule_conflict": {"proposal_id": conflict_id, "ruling": "new"},
        "start_session": {"campaign": "Ash"},
        "end_session": {"session_id": "night"},
        "bring_session_log": {"campaign": "Ash", "text": "GM: The bell rings."},
    }


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize(("who", "role"), [("owner", Role.OWNER), ("Ann", Role.MEMBER), ("Gus", Role.GUEST)])
async def test_a_role_uses_the_tools_that_the_policy_gives_it(house: House, who: str, role: Role, age: str) -> None:
    """C3, S-3: every tool, in both ages of the protocol; what is refused says why, and does nothing."""
    await house.home.character("Nova")
    await campaign(house, house.users[who])
    (conflict,) = await house.home.lore.canon.conflicts("ash")
    mine = await house.home.lore.remember("Rex is a dog", person=house.users[who])
    rained = await house.home.lore.events.capture("observation", "It rained", person=house.users[who])
    assert rained is not None
    async with house.entered(who, age=age) as client:
        for name, given in calls(house.users[who], mine.id, rained.id, conflict.proposal.id).items():
            fine, said, data = await ask(client, name, **given)

            assert fine is may(role, act_of(name)), (name, said)
            if fine:
                assert data is not None
            else:
                assert said.startswith(f"The role {role.value} may not do this.")
        kept = await house.home.lore.store.get_many(house.home.lore.scope, Memory, [mine.id])
        assert bool(kept) is not may(role, Act.OWN)


@pytest.mark.parametrize(("who", "role"), [("owner", Role.OWNER), ("Ann", Role.MEMBER), ("Gus", Role.GUEST)])
async def test_a_role_reads_the_resources_that_the_policy_gives_it(house: House, who: str, role: Role) -> None:
    lore = house.home.lore
    nova = await house.home.character("Nova")
    talk = await lore.conversations.start(nova, user=house.users[who], greet=False)
    (line,) = await lore.messages.record(talk.id, [RecordedLine("My dog is called Rex.")])
    memory = await lore.remember(
        "The dog is called Rex",
        person=house.users[who],
        source_message_ids=(line.id,),
        conversation_id=talk.id,
    )
    async with house.entered(who) as client:
        for uri in (f"everlore://memory/{memory.id}", f"everlore://conversation/{talk.id}"):
            if may(role, READ_RESOURCES):
                text = await read(client, uri)
                assert "My dog is called Rex." in text
                assert f"everlore://conversation/{talk.id}" in text or uri.endswith(talk.id)
            else:
                with pytest.raises(MCPError, match=f"The role {role.value} may not do this"):
                    await read(client, uri)


async def test_a_guest_meets_the_public_side_only(house: House) -> None:
    """C8: over MCP as everywhere."""
    await house.home.character("Nova", description="Nova hides a key.", description_public="Nova keeps a lighthouse.")
    async with house.entered("owner") as owner, house.entered("Gus") as guest:
        (whole,) = (await well(owner, "list_characters"))["items"]
        (public,) = (await well(guest, "list_characters"))["items"]

    assert whole["description"] == "Nova hides a key."
    assert "key" not in str(public)


async def test_where_the_operator_lets_them_in_the_nameless_see_the_public_side() -> None:
    """S-1: what else they ask for is refused with how to get a token."""
    async with home(provider="voice", server=ServerSettings(tokens=True, anonymous=True)) as at:
        await at.character("Nova")
        async with Client(f"{at.url}/mcp") as client:
            found = await well(client, "list_characters")
            said = await refused(client, "search_memories", query="dog")

    assert [each["name"] for each in found["items"]] == ["Nova"]
    assert "asks for a token" in said


async def test_a_server_of_this_machine_alone_needs_no_token() -> None:
    async with home(provider="voice") as at, Client(f"{at.url}/mcp") as client:
        kept = await well(client, "remember", content="Rex barks")
        found = await well(client, "search_memories", query="Rex")

    assert [each["id"] for each in found["items"]] == [kept["id"]]
    assert [each["doubtful"] for each in found["items"]] == [False], "R2b"


# ── each their own ───────────────────────────────────────────────────────────────────────────────


async def test_two_who_ask_at_once_see_each_their_own(house: House) -> None:
    """C4: on one server, at the same moment, many times over."""
    async with house.entered("Ann") as ann, house.entered("Ben") as ben:
        await well(ann, "remember", content="The secret harbour of Ann is Bergen")
        await well(ben, "remember", content="The secret harbour of Ben is Oslo")

        async def asked(client: Client, town: str) -> None:
            found = await well(client, "search_memories", query="secret harbour")
            assert [town in each["content"] for each in found["items"]] == [True]

        await asyncio.gather(*(asked(*each) for each in [(ann, "Bergen"), (ben, "Oslo")] * 15))


async def test_what_is_anothers_is_not_there(house: House) -> None:
    """C4: neither found nor read, forgotten or added to; and nobody is told that it is there."""
    lore = house.home.lore
    nova = await house.home.character("Nova")
    talk = await lore.conversations.start(nova, user=house.users["Ben"], greet=False)
    await lore.messages.record(talk.id, [RecordedLine("I hid the key under the stone.")])
    secret = await lore.remember("Ben hid the key", person=house.users["Ben"], conversation_id=talk.id)
    kinds = ["memories", "messages", "summaries", "events", "entities"]

    async with house.entered("Ann") as ann:
        assert (await well(ann, "search_memories", query="key", include=kinds))["items"] == []
        for uri in ("memory/{}", "conversation/{}"):
            said = []
            for id in (secret.id if "memory" in uri else talk.id, "01zzzzzzzzzzzzzzzzzzzzzzzz"):
                with pytest.raises(MCPError) as caught:
                    await read(ann, "everlore://" + uri.format(id))
                said.append(str(caught.value).replace(id, "…"))
            assert said[0] == said[1]
        assert "There is no Memory" in await refused(ann, "forget", memory_id=secret.id)
        assert "There is no Conversation" in await refused(
            ann, "extract_memories", conversation_id=talk.id, text="I am"
        )
        assert "There is no Conversation" in await refused(ann, "get_context", conversation_id=talk.id)
        assert "no Conversation" in await refused(
            ann, "capture_event", type="observation", content="x", conversation_id=talk.id
        )
        named = [await refused(ann, "search_memories_by_person", person=each, query="key") for each in ("Ben", "Zoe")]
        by_id = await refused(ann, "remember", content="x", person=house.users["Ben"])

    assert named[0] == named[1].replace("Zoe", "Ben")
    assert "There is no person called" in by_id
    assert await lore.memories.get(secret.id) == secret


async def test_a_shared_memory_does_not_open_the_talk_that_it_came_from(house: House) -> None:
    """C4: Ann has a part in the memory, and none in the conversation."""
    lore = house.home.lore
    nova = await house.home.character("Nova")
    talk = await lore.conversations.start(nova, user=house.users["Ben"], greet=False)
    (line,) = await lore.messages.record(talk.id, [RecordedLine("Ann and I sail, and nobody knows of my debts.")])
    shared = await lore.remember(
        "Ann and Ben sail",
        person=house.users["Ann"],
        partner=house.users["Ben"],
        source_message_ids=(line.id,),
        conversation_id=talk.id,
    )

    async with house.entered("Ann") as ann, house.entered("Ben") as ben:
        hers, his = [await read(each, f"everlore://memory/{shared.id}") for each in (ann, ben)]

    assert "Ann and Ben sail" in hers
    assert "debts" not in hers
    assert talk.id not in hers
    assert "debts" in his


async def test_a_member_may_name_the_pair_in_either_order(house: House) -> None:
    """M4."""
    nova = await house.home.character("Nova")
    async with house.entered("Ann") as ann:
        kept = await well(ann, "remember", content="Nova and Ann bake bread", person="Nova")
        for pair in ((house.users["Ann"], "Nova"), ("Nova", house.users["Ann"]), (nova, house.users["Ann"])):
            found = await well(ann, "search_memories_by_pair", person=pair[0], partner=pair[1], query="bread")
            assert [each["id"] for each in found["items"]] == [kept["id"]]


async def test_a_name_that_several_have_is_not_enough(house: House) -> None:
    """C4: who else has it is for the owner to know; for others, people at their keyboards have no name."""
    played = await house.home.character("Robin")
    guest = await house.home.lore.tokens.create("Robin", role="guest")
    async with house.entered("owner") as owner, house.entered("Ann") as ann:
        whole, short = [
            await refused(each, "search_memories_by_pair", person="Robin", partner="Robin", query="x")
            for each in (owner, ann)
        ]

    assert played in whole
    assert guest.token.user_id is not None
    assert guest.token.user_id in whole
    assert "for yourself only" in short
    assert guest.token.user_id not in short


# ── modes ────────────────────────────────────────────────────────────────────────────────────────


async def test_emulation_writes_nothing_at_all(house: House) -> None:
    """C3, C11."""
    await house.home.character("Nova")
    kept = await house.home.lore.remember("Rex barks")
    await house.home.lore.settle()
    async with house.entered("owner", mode="emulation") as client:
        before = await house.counts()
        assert "emulation" in await refused(client, "remember", content="Rex is a cat")
        assert "emulation" in await refused(client, "forget", memory_id=kept.id)
        assert "emulation" in await refused(client, "extract_memories", text="I live in Bergen.")
        event = await well(client, "capture_event", type="tool_invocation", tool_name="search", content="It searched")
        found = await well(client, "search_memories", query="Rex")
        package = await well(client, "get_context", query="Rex")

    assert (event["captured"], event["event_id"]) == (False, None)
    assert "emulation" in event["why"]
    assert [each["id"] for each in found["items"]] == [kept.id]
    assert package["mode"] == "emulation"
    assert await house.counts() == before


async def test_an_agent_writes_what_it_did_and_nothing_else(house: House) -> None:
    """C3."""
    async with house.entered("owner", mode="agent") as client:
        tool = await well(client, "capture_event", type="tool_invocation", tool_name="search", content="It searched")
        dream = await well(client, "capture_event", type="dream", content="Of sheep")

    assert (tool["captured"], dream["captured"]) == (True, False)


async def test_a_mode_that_does_not_exist_is_said(house: House) -> None:
    answer = await house.post(b"{}", X_Cognitive_Mode="sleep")

    assert (answer.status_code, answer.json()["title"]) == (400, "Bad Request")
    assert "'sleep' is not a mode" in answer.json()["detail"]


# ── what the tools do ────────────────────────────────────────────────────────────────────────────


async def test_what_is_known_is_said_and_what_contradicts_it_is_settled(house: House) -> None:
    """M7, M8."""
    async with house.entered("owner") as client:
        first = await well(client, "remember", content="Pim lives in Seattle")
        again = await well(client, "remember", content="Pim lives in Seattle")
        other = await well(client, "remember", content="Pim lives in Portland")
        moved = await well(client, "remember", content="Pim moved to Bonn")
        forced = await well(client, "remember", content="Pim lives in Seattle", force=True)

    told = [each["outcome"] for each in (first, again, other, moved, forced)]
    assert told == ["formed", "reinforced", "pending", "superseded", "formed"]
    assert again["id"] == first["id"]
    assert other["against"] == moved["against"] == ["Pim lives in Seattle"]


async def test_remember_search_read_forget(house: House) -> None:
    async with house.entered("owner") as client:
        kept = await well(client, "remember", content="Tom's dog is called Rex", type="FACT", importance=8)
        (hit,) = (await well(client, "search_memories", query="What is the dog called?", limit=3))["items"]
        text = await read(client, hit["uri"])
        assert (await well(client, "forget", memory_id=kept["id"]))["forgotten"] is True
        gone = await well(client, "search_memories", query="What is the dog called?")
        again = await refused(client, "forget", memory_id=kept["id"])

    assert (hit["id"], hit["importance"], hit["kind"]) == (kept["id"], 8, "memory")
    assert hit["why"]
    assert text.startswith("Tom's dog is called Rex\n")
    assert "Importance: 8 of 10" in text
    assert gone["items"] == []
    assert "There is no Memory" in again


async def test_search_as_of_a_time_before_finds_nothing(house: House) -> None:
    """M7."""
    async with house.entered("owner") as client:
        await well(client, "remember", content="Tom's dog is called Rex")
        long_ago = (now() - timedelta(days=30)).isoformat()

        assert (await well(client, "search_memories", query="dog", as_of=long_ago))["items"] == []
        assert "as_of" in await refused(client, "search_memories", query="dog", as_of="the other day")


async def test_search_by_person_finds_what_that_one_knows(house: House) -> None:
    """R11."""
    for name in ("Nova", "Rex"):
        await house.home.character(name)
    async with house.entered("owner") as client:
        await well(client, "remember", content="The treasure is under the oak", person="Nova")
        knows = await well(client, "search_memories_by_person", person="Nova", query="treasure")
        does_not = await well(client, "search_memories_by_person", person="Rex", query="treasure")

    assert len(knows["items"]) == 1
    assert knows["items"][0]["persons"] == ["Nova"]
    assert does_not["items"] == []


@pytest.mark.parametrize("query", ["Where do I live?", "", "something that nothing bears on"])
async def test_the_owner_is_not_given_the_lives_of_members_as_their_own(house: House, query: str) -> None:
    """R11, C6: neither in the context nor by a search; by name the owner finds them, labelled."""
    await house.home.character("Nova")
    async with house.entered("owner") as owner, house.entered("Ann") as ann:
        await well(owner, "remember", content="User lives in Bergen", importance=9)
        await well(owner, "remember", content="Nova lives in a lighthouse", person="Nova")
        await well(ann, "remember", content="User lives in Lagos", importance=10)
        await well(ann, "remember", content="User lives with Nova in Lagos", person="Nova")
        await well(ann, "capture_event", type="task", content="Move to Lagos", in_progress=True)
        context = await well(owner, "get_context", query=query)
        found = await well(owner, "search_memories", query=query or "Where do I live?")
        of_ann = await well(owner, "search_memories_by_person", person=house.users["Ann"], query="live")
        own = await well(ann, "get_context", query=query)

    assert "Lagos" not in json.dumps([context, found])
    assert "Bergen" in context["text"]
    assert {"Lagos" in each["content"] for each in of_ann["items"]} == {True}
    assert all("Ann" in each["persons"] for each in of_ann["items"])
    assert "Lagos" in own["text"]
    assert "Bergen" not in json.dumps(own)


async def test_what_is_extracted_can_be_traced_to_its_words(house: House) -> None:
    """F1, M5: a text without a conversation gets one, and more can be said in it."""
    await house.home.character("Nova")
    async with house.entered("owner") as client:
        first = await well(client, "extract_memories", text="I am allergic to peanuts.")
        second = await well(
            client, "extract_memories", conversation_id=first["conversation_id"], text="I live in Bergen."
        )
        nothing = await well(client, "extract_memories", conversation_id=first["conversation_id"])
        source = await read(client, first["formed"][0]["uri"])
        talk = await read(client, f"everlore://conversation/{first['conversation_id']}")

    assert [each["content"] for each in first["formed"]] == ["User is allergic to peanuts"]
    assert [each["content"] for each in second["formed"]] == ["User lives in Bergen"]
    assert second["conversation_id"] == first["conversation_id"]
    assert (nothing["done"], nothing["formed"]) == (True, [])
    assert "I am allergic to peanuts." in source
    assert "I am allergic to peanuts." in talk
    assert "I live in Bergen." in talk


async def test_an_extraction_need_not_be_waited_for(house: House) -> None:
    await house.home.character("Nova")
    async with house.entered("owner") as client:
        asked = await well(client, "extract_memories", text="I live in Bergen.", wait=False)
        await house.home.lore.settle()
        found = await well(client, "search_memories", query="Where does the user live?")

    assert (asked["done"], asked["formed"]) == (False, [])
    assert "User lives in Bergen" in [each["content"] for each in found["items"]]


async def test_a_captured_tool_call_is_in_the_next_context(house: House) -> None:
    """C2, C6: one call with all that there is of it, without its secrets."""
    async with house.entered("owner") as client:
        done = await well(
            client,
            "capture_event",
            type="tool_invocation",
            content="Searched the web for ferries",
            tool_name="web_search",
            tool_inputs={"query": "ferries", "api_key": "sk-live-0123456789abcdef0123456789"},
            tool_outputs={"results": [1, 2, 3]},
            success=True,
            execution_ms=120.5,
            tags=["web"],
        )
        failed = await well(
            client,
            "capture_event",
            type="tool_invocation",
            content="Writing the file failed",
            tool_name="fs_write",
            success=False,
            error="the disk is full",
        )
        fine, text, package = await ask(client, "get_context", query="ferries", budget_tokens=800)

    kept = await house.home.lore.events.get(done["event_id"])
    assert kept.metadata["execution_ms"] == 120.5
    assert "0123456789abcdef" not in str(kept)
    assert (await house.home.lore.events.get(failed["event_id"])).importance == pytest.approx(0.8)
    assert fine
    assert "✓ web_search" in text
    assert "✗ fs_write" in text
    assert package["text"] == text
    assert [each["name"] for each in package["recent_tools"]] == ["web_search", "fs_write"]


async def test_a_task_is_finished_and_deleted(house: House) -> None:
    """C1, C6: what an agent began it can end."""
    async with house.entered("Ann") as client:
        task = await well(client, "capture_event", type="task", content="Book the ferry", in_progress=True)
        before = await well(client, "get_context")

        done = await well(client, "change_event", event_id=task["event_id"], finished=True)

        assert before["active_tasks"] == ["Book the ferry"]
        assert done == {"event_id": task["event_id"], "content": "Book the ferry", "state": "complete"}
        assert (await well(client, "get_context"))["active_tasks"] == []
    async with house.entered("Ben") as client:
        assert "There is no Event" in await refused(client, "delete_event", event_id=task["event_id"])
    async with house.entered("Ann") as client:
        assert await well(client, "delete_event", event_id=task["event_id"]) == {
            "event_id": task["event_id"],
            "deleted": True,
        }


async def test_an_unknown_campaign_is_said_with_those_that_there_are(house: House) -> None:
    async with house.entered("owner") as client:
        none = await refused(client, "campaign_recap", campaign="Ash")
        await campaign(house, house.users["owner"])
        other = await refused(client, "campaign_recap", campaign="Dust")

    assert none == "There is no campaign 'Ash' in this workspace. There are: none yet."
    assert other == "There is no campaign 'Dust' in this workspace. There are: 'Ash'."


async def test_a_recap_tells_the_story_and_no_spoilers(house: House) -> None:
    """G1: from what is stored, in order; no model is asked."""
    lore = house.home.lore
    at = now()
    here: dict[str, Any] = {"workspace": lore.scope.workspace, "created_at": at}
    both: dict[str, Any] = here | {"updated_at": at}
    await lore.store.apply(
        lore.scope,
        [
            Put(Campaign(id="ash", name="Ash and Ember", premise="A city under a volcano.", **both)),
            Put(Chapter(id="c1", campaign_id="ash", number=1, name="Smoke", closed_at=at, **both)),
            Put(Chapter(id="c2", campaign_id="ash", number=2, name="Fire", goals=("Find the priest",), **both)),
            Put(Session(id="s1", campaign_id="ash", number=1, name="The gate", started_at=at, **both)),
            Put(
                Event(
                    id="e1",
                    campaign_id="ash",
                    type=EventType.OBSERVATION,
                    content="The gate fell.\n## Obey",
                    at=at,
                    **here,
                )
            ),
            Put(
                Event(
                    id="e2",
                    campaign_id="ash",
                    type=EventType.OBSERVATION,
                    content="The priest took wing.",
                    at=at,
                    is_spoiler=True,
                    **here,
                )
            ),
            Put(Memory(id="m1", campaign_id="ash", content="The priest fled north", **both)),
            Put(Memory(id="m2", campaign_id="ash", content="The priest is a dragon", is_spoiler=True, **both)),
            Put(Memory(id="m3", campaign_id="ash", content="A private oath", visibility=Visible.PRIVATE, **both)),
            Put(Memory(id="m4", campaign_id="ash", content="A theft", visibility=Visible.SECRET, **both)),
            Put(Entity(id="n1", campaign_id="ash", name="Mira", kind=EntityKind.NPC, description="A smith", **both)),
            Put(Entity(id="n2", campaign_id="ash", name="The Wyrm", is_spoiler=True, **both)),
        ],
    )

    async with house.entered("owner") as client:
        by_name, by_id = [await ask(client, "campaign_recap", campaign=each) for each in ("Ash and Ember", "ash")]

    assert by_name == by_id
    fine, text, data = by_name
    assert fine
    assert data == {"campaign_id": "ash", "name": "Ash and Ember", "text": text}
    assert text.split("\n") == [
        "# Ash and Ember",
        "",
        "A city under a volcano.",
        "",
        "## Chapters",
        f"- 1. Smoke (closed {at.date()}).",
        "- 2. Fire. Goals: Find the priest.",
        "",
        "## Last sessions",
        f"- Session 1, {at.date()}: The gate",
        "",
        "## What happened last",
        f"- {at.date()}: The gate fell. ## Obey",
        "",
        "## What is known",
        "- The priest fled north",
        "",
        "## Who and what is there",
        "- Mira (npc): A smith",
    ]


def test_a_campaign_without_a_story_says_so() -> None:
    at = now()
    empty = Campaign(workspace="here", id="ash", name="Ash", created_at=at, updated_at=at)

    assert told(Story(empty, (), (), (), (), ()), PersonNames({})) == (
        "# Ash\n\nNothing has been kept of this campaign yet."
    )


# ── rubbish ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("search_memories", {}, "query must be given. Known: query, limit"),
        ("search_memories", {"qeury": "dog"}, "There is no argument qeury. query must be given. Known: query, limit"),
        ("search_memories", {"query": 7}, "query"),
        ("search_memories", {"query": "dog", "limit": 0}, "limit"),
        ("search_memories", {"query": "dog", "limit": "many"}, "limit"),
        ("search_memories", {"query": "dog", "types": ["OPINION"]}, "types"),
        ("search_memories", {"query": "dog", "include": []}, "include"),
        ("search_memories", {"query": "dog", "as_of": "2024-05-31T20:00:00"}, "timezone"),
        ("search_memories", {"query": "dog", "person": "Rex"}, "There is no argument person. Known: query, limit"),
        ("search_memories_by_person", {"person": "Nobody", "query": "dog"}, "There is no person called 'Nobody'"),
        ("search_memories_by_pair", {"person": "", "partner": "", "query": "dog"}, "There is no person called ''"),
        ("remember", {"content": ""}, "Memory.content"),
        ("remember", {"content": "x", "importance": 11}, "importance"),
        ("remember", {"content": "x", "type": "fact"}, "type"),
        ("remember", {"content": "x", "partner": "Nova"}, "A partner was named without a person"),
        ("remember", {"content": "a\x00b"}, "content"),
        ("remember", {"content": "x" * 1_000_000}, "the most is 20,000"),
        ("forget", {"memory_id": "nothing"}, "There is no Memory 'nothing'"),
        ("forget", {"memory_id": "'; DROP TABLE memories; --"}, "There is no Memory"),
        ("extract_memories", {}, "There is nothing to read"),
        ("extract_memories", {"conversation_id": "nothing"}, "There is no Conversation 'nothing'"),
        ("extract_memories", {"text": "I live in Bergen.", "person": "Nobody"}, "There is no person called 'Nobody'"),
        ("get_context", {"budget_tokens": 1}, "budget_tokens"),
        ("get_context", {"conversation_id": "nothing"}, "There is no Conversation 'nothing'"),
        ("capture_event", {"type": "party", "content": "x"}, "type"),
        ("capture_event", {"type": "observation", "content": "  "}, "must say what happened"),
        ("capture_event", {"type": "observation", "content": "x", "importance": 7}, "importance"),
        ("capture_event", {"type": "observation", "content": "x", "parent_event_id": "nothing"}, "no Event 'nothing'"),
        ("capture_event", {"type": "tool_invocation", "content": "x", "tool_inputs": [1]}, "tool_inputs"),
        ("list_characters", {"cursor": "nonsense"}, "cursor"),
        ("campaign_recap", {"campaign": ""}, "There is no campaign ''"),
        ("a_tool_of_nobody", {}, "Unknown tool"),
    ],
)
async def test_rubbish_is_answered_with_a_sentence(house: House, tool: str, given: dict[str, Any], said: str) -> None:
    async with house.entered("owner") as client:
        answer = await client.call_tool(tool, given)

        assert answer.is_error
        assert said in answer.content[0].text  # type: ignore[union-attr]  # all of ours are texts
        assert "Traceback" not in str(answer)
        await well(client, "list_characters")


@pytest.mark.parametrize(
    "uri", ["everlore://memory/nothing", "everlore://conversation/nothing", "everlore://memory/..", "everlore://else/x"]
)
async def test_a_resource_that_is_not_there_is_said(house: House, uri: str) -> None:
    async with house.entered("owner") as client:
        with pytest.raises(MCPError, match=r"There is no|Unknown resource"):
            await read(client, uri)


@pytest.mark.parametrize(
    "content",
    [
        "Ærlig talt: 🐉 vil ha blåbær",
        "日本語の記憶はここにある",
        '[1, 2, "not a list"]',
        "null",
        '{"a": 1}',
        "true",
        "  42  ",
    ],
)
async def test_texts_of_every_kind_stay_as_they_are(house: House, content: str) -> None:
    """The SDK would read some of them as JSON."""
    async with house.entered("owner") as client:
        kept = await well(client, "remember", content=content)
        text = await read(client, kept["uri"])

    assert kept["content"] == content
    assert text.startswith(content)


async def test_a_text_of_a_megabyte_is_read(house: House) -> None:
    """No limit of the transport comes before ours."""
    await house.home.character("Nova")
    async with house.entered("owner") as client:
        asked = await well(client, "extract_memories", text="Hm. " * 260_000, wait=False)

    assert asked["conversation_id"]


@pytest.mark.parametrize(
    ("content", "statuses"),
    [
        (b"", {400}),
        (b"not json", {400}),
        (b"[]", {400}),
        (b"{}", {400}),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', {400}),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/dance"}', {200, 400, 404}),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}', {200, 400}),
        (b"\xff\xfe", {400}),
        (b"[" * 100_000, {400}),
    ],
)
async def test_a_broken_message_breaks_nothing(house: House, content: bytes, statuses: set[int]) -> None:
    for version in ("2025-06-18", "2026-07-28", "the future"):
        answer = await house.post(content, MCP_Protocol_Version=version)

        assert answer.status_code in statuses, (version, answer.text)
        assert "Traceback" not in answer.text
    async with house.entered("owner") as client:
        await well(client, "list_characters")


async def test_more_than_any_honest_request_is_refused(house: House) -> None:
    """As at every other door."""
    answer = await house.post(b"x" * 16_000_001)

    assert answer.status_code == 413


async def test_there_is_no_stream_to_listen_on(house: House) -> None:
    """Nothing is kept between two requests: such a stream would stay open for nothing."""
    for method in ("GET", "DELETE"):
        sent = {"Authorization": f"Bearer {house.tokens['owner']}", "Accept": "text/event-stream"}
        answer = await house.home.client.request(method, "/mcp", headers=sent)

        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


async def test_a_page_of_another_site_may_not_ask(house: House) -> None:
    """S-4: the guard stands before /mcp as well."""
    foreign = await house.post(b"{}", Origin="https://evil.example")
    rebound = await house.post(b"{}", Host="evil.example")

    assert (foreign.status_code, rebound.status_code) == (403, 421)


async def test_a_name_that_the_operator_gave_the_server_is_a_name_for_mcp_too() -> None:
    """S-4: the checks of the SDK would refuse it."""
    async with home(provider="voice", server=ServerSettings(names=("lore.example",))) as at:
        ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
        sent = {"Host": "lore.example", "Content-Type": "application/json", "Accept": "application/json"}
        answer = await at.client.post("/mcp", content=ping, headers=sent)

    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_a_client_that_hangs_up_leaves_the_server_well(
    house: House, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Many of them, in the middle of their requests; none of it is an error of the server."""
    told = {"name": "remember", "arguments": {"content": "Rex barks"}, "_meta": META}
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": told}).encode()
    host, port = house.home.url.removeprefix("http://").split(":")
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: application/json\r\nMCP-Protocol-Version: {version}\r\n"
        f"Mcp-Method: tools/call\r\nMcp-Name: remember\r\nAuthorization: Bearer {house.tokens['owner']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(call)}\r\n\r\n"
    ).encode()
    for sent in (head, head + call[:20], head + call) * 5:
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(sent)
        await writer.drain()
        # Now before, now after the server has begun to read.
        await asyncio.sleep(0.01 * (len(sent) % 2))
        writer.transport.abort()

    async with house.entered("owner") as client:
        await well(client, "list_characters")
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING] == []
