"""The context package for agents outside: what is in it, for whom, and what is not (C4, C6, C8, C12)."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import everlore
from everlore.app import Everlore
from everlore.domain.conversation import Conversation, Summary
from everlore.domain.event import EventType
from everlore.domain.memory import Visible
from everlore.domain.person import PersonKind
from everlore.domain.policy import Mode, Role, context_depth, tools_shown
from everlore.domain.records import KINDS
from everlore.errors import BadAsk, Forbidden, ModelUnavailable, NotFound
from everlore.models.bytes_tokenizer import BytesTokenizer
from everlore.models.hashing import HashingEmbedder
from everlore.store.port import Put
from everlore.wiring import assemble, now
from tests.store_double.store import DoubleStore
from tests.turn.world import World, on_sqlite, settings_of


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    found = await on_sqlite(tmp_path / "lore.db")
    yield found
    await found.lore.stop()


def _as(here: World, role: Role = Role.OWNER, mode: Mode = Mode.DUAL, person_id: str | None = None) -> Everlore:
    return here.lore.seen_by(replace(here.scope, role=role, mode=mode, person_id=person_id))


async def _calls(lore: Everlore, *names: str, talk: Conversation | None = None, **outputs: Any) -> None:
    for name in names:
        async with lore.events.tool(name, {"query": "boats"}, conversation=talk) as call:
            call.outputs = outputs or {"results": list(range(10))}


async def _harbour(here: World, number: int = 20, **fields: Any) -> None:
    places = (
        "Oslo Lima Cairo Perth Quito Turin Kyoto Dakar Porto Ghent Bern Graz Riga Nice Bari Ulm Cork Faro Pisa Lyon"
    )
    for place in places.split()[:number]:
        await here.lore.remember(f"The harbour of {place} has boats.", **fields)
    await here.works()


# ── tools (seed 002, tasks 2.1, 2.2) ─────────────────────────────────────────────────────────────


async def test_two_tool_calls_are_two_recent_tools(here: World) -> None:
    """002/2.2: execute two tool calls, and the package has both."""
    talk = await here.sits_down("Nova")
    await _calls(here.lore, "search", "fs_read", talk=talk)

    package = await here.lore.context("What did I just read?", conversation=talk)

    assert [each.name for each in package.recent_tools] == ["search", "fs_read"]
    assert package.recent_tools[0].inputs == {"query": "boats"}
    assert package.recent_tools[0].outputs == {"results": list(range(10))}
    assert package.recent_tools[0].success


async def test_a_question_that_nothing_answers_does_not_bring_whatever_is_a_little_like_it(tmp_path: Path) -> None:
    """C6, R2b: with the embedder that comes along, and hundreds of memories."""
    did = "visited likes bought sold repaired painted remembers studied cooked lost found watched wrote taught".split()
    what = (
        "a lighthouse,old maps,the harbour of Oslo,a red van,jazz records,mussels,a bakery in Lyon,the tide tables,"
        "a clarinet,three cats,chess openings,a wooden boat,the storm of May,a letter from Ana,Polish grammar"
    ).split(",")
    async with everlore.open(tmp_path / "lore.db") as lore:
        for verb in did:
            for thing in what:
                await lore.remember(f"User {verb} {thing}.", force=True)
        await lore.settle()
        unrelated = await lore.context("What did I just read?")
        await lore.remember("User reads the news every morning.")
        await lore.settle()

        package = await lore.context("What did I just read?")

    assert unrelated.fallback_used
    assert [each.content for each in package.memories] == ["User reads the news every morning."]
    assert not package.fallback_used


async def test_tools_are_ordered_by_time_the_oldest_first(here: World) -> None:
    """002/2.2: chronological; the latest ten of twelve."""
    talk = await here.sits_down("Nova")
    for number in range(12):
        await _calls(here.lore, f"tool {number}", talk=talk)
        here.clock.pass_time(60)

    package = await here.lore.context("x", conversation=talk)

    assert [each.name for each in package.recent_tools] == [f"tool {number}" for number in range(2, 12)]


async def test_tools_of_another_conversation_are_not_among_them(here: World) -> None:
    talk, other = await here.sits_down("Nova"), await here.sits_down("Nova")
    await _calls(here.lore, "mine", talk=talk)
    await _calls(here.lore, "other", talk=other)

    assert [each.name for each in (await here.lore.context("x", conversation=talk)).recent_tools] == ["mine"]
    assert len((await here.lore.context("x")).recent_tools) == 2


async def test_the_text_has_a_section_of_tools(here: World) -> None:
    """002/2.3, and phase 2's success: prompts include a section of tools."""
    talk = await here.sits_down("Nova")
    await _calls(here.lore, "search", talk=talk)
    with pytest.raises(PermissionError):
        async with here.lore.events.tool("fs_write", conversation=talk):
            raise PermissionError("Permission denied")
    here.clock.pass_time(120)

    text = (await here.lore.context("x", conversation=talk)).text

    assert "- ✓ search (2m ago): results: [10 items]" in text
    assert "- ✗ fs_write (2m ago): error: Permission denied" in text


# ── the whole of it ──────────────────────────────────────────────────────────────────────────────


async def test_a_full_conversation_flow_is_all_in_the_package(here: World) -> None:
    """002, integration: a message, its reply, a tool; memories, persona, focus, tasks, topics, patterns, summary."""
    await here.meets("Nova", description="{{char}} keeps a lighthouse.", personality="Warm.")
    talk = await here.sits_down("Nova")
    talk = await here.lore.conversations.change(talk.id, title="A trip to Oslo")
    await here.says(talk, "Let us plan the trip.")
    await here.lore.remember("The user wants to see the harbour of Oslo.", importance=9)
    await _calls(here.lore, "search", "search", "search", talk=talk)
    await here.lore.events.capture("task", "Book the ferry to Oslo", in_progress=True, tags=["ferries"])
    await here.lore.events.capture("task", "Pack the bags")
    await _summed_up(here, talk, "They agreed to take the ferry.")
    await here.works()

    package = await here.lore.context("the harbour of Oslo", conversation=talk)

    assert [each.content for each in package.memories] == ["The user wants to see the harbour of Oslo."]
    assert package.persona is not None
    assert (package.persona.name, package.persona.description) == ("Nova", "Nova keeps a lighthouse.")
    assert package.current_focus == "A trip to Oslo"
    assert package.active_tasks == ("Book the ferry to Oslo",)
    assert package.recent_topics == ("A trip to Oslo", "ferries")
    assert package.patterns == ("uses search often (3 times this week)",)
    assert package.conversation_summary == "They agreed to take the ferry."
    assert (package.mode, package.index_status, package.fallback_used) == (Mode.DUAL, "available", False)
    for words in ("You are Nova.", "A trip to Oslo", "They agreed", "harbour of Oslo", "Book the ferry", "uses search"):
        assert words in package.text


async def _summed_up(here: World, talk: Conversation, content: str) -> None:
    summary = Summary(
        workspace="here",
        id=f"s-{talk.id}",
        conversation_id=talk.id,
        first_seq=1,
        last_seq=1,
        content=content,
        persons=("nova", str(talk.user_id)),
        created_at=here.clock(),
    )
    await here.store.apply(here.scope, [Put(summary)])


async def test_where_nothing_bears_on_the_question_what_matters_most_is_given_and_marked(here: World) -> None:
    """C6: fallback."""
    await here.lore.remember("The user is allergic to peanuts.", importance=9)
    await here.lore.remember("The user likes tea.", importance=3)
    await here.lore.remember("A private word.", importance=10, visibility=Visible.PRIVATE)
    await here.works()

    package = await here.lore.context("zygomorphic quasars")

    assert package.fallback_used
    assert [each.content for each in package.memories] == ["The user is allergic to peanuts.", "The user likes tea."]
    assert not (await here.lore.context("allergic to peanuts")).fallback_used


async def test_an_empty_workspace_gives_an_empty_package(here: World) -> None:
    package = await here.lore.context("anything")

    assert package.memories == ()
    assert not package.fallback_used
    assert package.text == "You are operating in dual mode with full trust for owner user."


async def test_how_the_index_is_is_said(here: World) -> None:
    """C6."""
    await here.lore.remember("The user likes tea.")

    assert (await here.lore.context("tea")).index_status == "missing"
    await here.works()
    assert (await here.lore.context("tea")).index_status == "available"
    await here.lore.remember("The user likes coffee.")
    assert (await here.lore.context("tea")).index_status == "partial"


async def test_without_a_title_the_focus_is_what_was_said_last(here: World) -> None:
    talk = await here.sits_down("Nova")
    await here.says(talk, "Where is the lighthouse?")

    assert (await here.lore.context("x", conversation=talk)).current_focus == "Where is the lighthouse?"


async def test_a_person_is_told_only_what_they_know(here: World) -> None:
    """R11."""
    nova, rex = await here.meets("Nova"), await here.meets("Rex")
    await here.lore.remember("Nova hid the harbour map.", person=nova)
    await here.lore.remember("Rex saw a harbour seal.", person=rex)

    package = await here.lore.context("harbour", person=nova)

    assert [each.content for each in package.memories] == ["Nova hid the harbour map."]
    assert package.persona is not None
    assert package.persona.name == "Nova"


@pytest.mark.parametrize("budget", [60, 200, 1_000])
async def test_the_text_costs_no_more_than_its_budget(here: World, budget: int) -> None:
    await _harbour(here)

    text = (await here.lore.context("harbour boats", budget_tokens=budget)).text

    assert here.resources.tokenizer.count(text) <= budget
    assert "owner user" in text


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"conversation": "nope"}, NotFound, "nope"),
        ({"person": "nope"}, NotFound, "nope"),
        ({"budget_tokens": 5}, BadAsk, "from 50 to 100000"),
        ({"include": ["nonsense"]}, BadAsk, "include"),
    ],
)
async def test_what_cannot_be_is_refused(here: World, asked: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        await here.lore.context("x", **asked)


# ── depth (seed 002, task 4.1) ───────────────────────────────────────────────────────────────────


async def test_an_owner_gets_twelve_memories(here: World) -> None:
    """002/4.1."""
    await _harbour(here)

    assert len((await here.lore.context("harbour boats")).memories) == 12


async def test_a_guest_gets_three_memories(here: World) -> None:
    """002/4.1: of what their own person knows."""
    bob = await here.meets("Bob", kind=PersonKind.USER)
    await _harbour(here, person=bob)

    guest = await _as(here, Role.GUEST, person_id="bob").context("harbour boats")

    assert len(guest.memories) == 3


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("role", list(Role))
async def test_every_caller_gets_as_much_as_the_policy_says(here: World, mode: Mode, role: Role) -> None:
    """C4: memories by depth, and tools by depth."""
    bob = await here.meets("Bob", kind=PersonKind.USER)
    await _harbour(here, 14, person=bob)
    await _calls(_as(here, Role.MEMBER, person_id="bob"), *(f"tool {number}" for number in range(12)))

    package = await _as(here, role, mode, "bob").context("harbour boats")

    depth = context_depth(mode, role)
    assert len(package.memories) == depth
    assert len(package.recent_tools) == tools_shown(depth)


async def test_how_deep_was_looked_is_told(here: World) -> None:
    """002/4.1: it differs by role, and can be seen."""
    depths = {role.value: (await _as(here, role, person_id="user").context("x")).depth for role in Role}

    assert depths == {"owner": 12, "member": 8, "guest": 3, "anonymous": 2}


# ── roles in the text (task 4.2) ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("role", "says"),
    [
        (Role.GUEST, 'public trust for guest user "Bob"'),
        (Role.OWNER, 'full trust for owner user "Bob"'),
        (Role.MEMBER, 'shared trust for member user "Bob"'),
    ],
)
async def test_the_text_names_the_role_of_whoever_asks(here: World, role: Role, says: str) -> None:
    """002/4.2, C8: "guest user", "owner user"."""
    await here.meets("Bob", kind=PersonKind.USER)

    assert says in (await _as(here, role, person_id="bob").context("x")).text


# ── guests (task 4.3, C4, C12) ───────────────────────────────────────────────────────────────────


async def _visited(here: World) -> Conversation:
    """Bob has talked with Nova, used tools, and there is an owner with a history of their own."""
    await here.meets(
        "Nova",
        description="Nova hides the owner's diary.",
        description_public="Nova keeps a lighthouse.",
        personality="Deceitful.",
    )
    bob = await here.meets("Bob", kind=PersonKind.USER)
    await here.lore.remember("The owner keeps a harbour diary.", importance=9)
    await here.lore.remember("Bob wrote to bob@mail.test about /home/bob/harbour.txt.", person=bob, importance=9)
    await here.lore.events.capture("task", "The owner's task", in_progress=True, tags=["ownertopic"])
    await _calls(here.lore, "owner_tool", "owner_tool", "owner_tool")
    talk = await here.lore.conversations.start("nova", user="bob", config={"auto_title": False})
    guest = _as(here, Role.GUEST, person_id="bob")
    await _calls(
        guest, "fs_read", talk=talk, path="/home/bob/x.md", text="see /srv/app/secret.py", approval_id="approval-77"
    )
    await _summed_up(here, talk, "A summary of it all.")
    await here.works()
    return talk


async def test_guests_get_the_public_persona(here: World) -> None:
    """002/4.3, C8."""
    talk = await _visited(here)

    package = await _as(here, Role.GUEST, person_id="bob").context("harbour", conversation=talk)

    assert package.persona is not None
    assert (package.persona.description, package.persona.personality) == ("Nova keeps a lighthouse.", "")


async def test_guests_see_no_paths_ids_approvals_summaries_or_history_of_the_owner(here: World) -> None:
    """C4, C12."""
    talk = await _visited(here)

    package = await _as(here, Role.GUEST, person_id="bob").context("harbour", conversation=talk)

    shown = repr(replace(package, query=""))
    for hidden in ("/home", "/srv", "approval-77", "A summary", "diary", "mail.test", "owner", "Deceitful", talk.id):
        assert hidden not in shown, hidden
    assert len(package.memories) == 1
    assert {each.id for each in package.memories} == {""}
    assert [(each.id, each.name) for each in package.recent_tools] == [("", "fs_read")]


async def test_members_see_their_own_and_nothing_of_the_owner(here: World) -> None:
    """C4."""
    talk = await _visited(here)

    package = await _as(here, Role.MEMBER, person_id="bob").context("harbour", conversation=talk)

    shown = repr(package)
    assert "/home/bob/harbour.txt" in shown
    assert "A summary of it all." in shown
    for hidden in ("approval-77", "harbour diary", "owner_tool", "ownertopic", "The owner's task"):
        assert hidden not in shown, hidden


async def test_whoever_is_nobody_gets_nothing_of_the_workspace(here: World) -> None:
    """C4: no person, no memories, no tools, nothing to fall back to."""
    await _visited(here)

    package = await _as(here, Role.ANONYMOUS).context("harbour")

    assert (package.memories, package.recent_tools, package.active_tasks) == ((), (), ())
    assert (package.recent_topics, package.patterns, package.fallback_used) == ((), (), False)
    assert package.text == "You are operating in dual mode with public trust for anonymous user."


async def test_nobody_asks_for_the_conversation_or_the_eyes_of_another(here: World) -> None:
    """S-3."""
    talk = await here.sits_down("Nova")
    await here.meets("Bob", kind=PersonKind.USER)
    member = _as(here, Role.MEMBER, person_id="bob")

    with pytest.raises(NotFound):
        await member.context("x", conversation=talk)
    with pytest.raises(Forbidden):
        await member.context("x", person="nova")


async def test_private_conversations_and_inner_dialogues_are_no_topics(here: World) -> None:
    """F6, C7."""
    talk = await here.sits_down("Nova", private=True)
    await here.lore.conversations.change(talk.id, title="A secret matter")

    assert (await here.lore.context("x")).recent_topics == ()


# ── it only looks ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", list(Mode))
async def test_asking_for_context_writes_nothing(here: World, mode: Mode) -> None:
    """C3: the whole database is what it was before, in every mode."""
    talk = await here.sits_down("Nova")
    await here.says(talk, "Hi!")
    await _harbour(here, 3)
    before = await _everything(here)

    await _as(here, mode=mode).context("harbour", conversation=talk)
    await _as(here, mode=mode).context("zygomorphic quasars")

    assert await _everything(here) == before


async def _everything(here: World) -> str:
    held = {kind.__name__: (await here.store.find(here.scope, kind, limit=10_000)).items for kind in KINDS}
    return repr(held | {"jobs": (await here.store.jobs(here.scope, limit=10_000)).items})


async def test_an_embedder_that_is_down_is_no_reason_not_to_answer() -> None:
    """R-4."""
    embedder = Fickle()
    lore = assemble(settings_of(), DoubleStore(clock=now), embedder, BytesTokenizer())
    await lore.remember("The user likes green tea.")
    await lore.settle()
    before = await lore.context("Does the user like green tea?")
    embedder.is_down = True

    package = await lore.context("Does the user like green tea?")

    assert (before.index_status, package.index_status) == ("available", "error")
    assert [each.content for each in package.memories] == ["The user likes green tea."]
    assert not package.fallback_used


class Fickle(HashingEmbedder):
    """Answers until it is down."""

    is_down = False

    async def embed(self, texts: Sequence[str]) -> Any:
        if self.is_down:
            raise ModelUnavailable("The embedding server does not answer.")
        return await super().embed(texts)


def test_every_type_of_event_has_a_name() -> None:
    """C1."""
    assert {each.value for each in EventType} >= {
        "conversation",
        "tool_invocation",
        "file_read",
        "file_write",
        "code_approval",
        "code_rejection",
        "observation",
        "reflection",
        "dream",
        "task",
        "summary",
    }


@pytest.mark.parametrize("query", ["Which tea does the user like?", ""], ids=["asked", "what matters most"])
async def test_what_three_characters_were_told_is_said_once(here: World, query: str) -> None:
    """C6: without a person all of it is looked at, and three of them know it; other words are another statement."""
    await here.lore.user()
    for name in ("Ivy", "Jon", "Kim"):
        await here.meets(name)
        await here.lore.remember("The user likes green tea.", person=name.lower(), partner="user")
    await here.lore.remember("the user likes  green tea", person="user")
    await here.lore.remember("Green tea likes the user.", person="user")
    await here.lore.settle()

    package = await here.lore.context(query)

    told = [each.content for each in package.memories if "tea" in each.content]
    assert len(told) == 2
    assert "Green tea likes the user." in told
    assert package.text.casefold().count("the user likes") == 1
