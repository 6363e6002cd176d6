"""Everything meaningful that happens is captured, by policy, and the tools do not notice (C1, C2, C3, C11)."""

import asyncio
import contextlib
import functools
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from everlore.app import Everlore
from everlore.domain.attachment import Attachment
from everlore.domain.event import Event, EventState, EventType
from everlore.domain.person import PersonKind
from everlore.domain.policy import Mode, Role
from everlore.domain.records import KINDS
from everlore.domain.scope import Scope
from everlore.errors import BadAsk, Forbidden, NotFound, StoreUnavailable
from everlore.settings import StoreSettings
from everlore.store.port import Change, Put
from everlore.store.postgres.store import PostgresStore
from tests.postgres import Server
from tests.turn.world import World, on_sqlite, world
from tests.worker.crew import FakeClock

SEARCH = {"results": [{"title": "Intro to ML"}, {"title": "Deep Learning"}], "count": 2}


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    """On a real SQLite file."""
    found = await on_sqlite(tmp_path / "lore.db")
    yield found
    await found.lore.stop()


def _in(here: World, mode: Mode, role: Role = Role.OWNER, person_id: str | None = None) -> Everlore:
    return here.lore.seen_by(replace(here.scope, mode=mode, role=role, person_id=person_id))


async def _events(here: World, **where: Any) -> list[Event]:
    page = await here.store.find(here.scope, Event, where, limit=1_000)
    return list(page.items)


async def _found(here: World, query: str) -> list[str]:
    return [hit.record.id for hit in await here.lore.recall(query, include=["event"])]


async def _operator_searches(here: World, **how: Any) -> dict[str, Any]:
    @here.lore.events.tool("search", **how)
    async def search(query: str, limit: int = 10) -> dict[str, Any]:
        return SEARCH

    return await search("machine learning", limit=5)


# ── tools (seed 002, task 1.1) ───────────────────────────────────────────────────────────────────


async def test_a_search_by_the_operator_leaves_a_tool_invocation(here: World) -> None:
    """002/1.1: execute a search query via the operator, and there is a tool_invocation event."""
    assert await _operator_searches(here) == SEARCH

    [event] = await _events(here)
    assert event.type is EventType.TOOL_INVOCATION
    assert event.importance == 0.6


async def test_its_metadata_has_the_name_the_inputs_and_the_outputs_of_the_tool(here: World) -> None:
    """002/1.1: toolName, toolInputs, toolOutputs."""
    await _operator_searches(here)

    [event] = await _events(here)
    assert event.metadata["tool_name"] == "search"
    assert event.metadata["tool_inputs"] == {"query": "machine learning", "limit": 5}
    assert event.metadata["tool_outputs"] == SEARCH
    assert event.metadata["success"] is True
    assert isinstance(event.metadata["execution_ms"], float)


async def test_a_query_for_search_returns_the_tool_at_once(here: World) -> None:
    """002/1.1: the index is up to date; by words before any worker has run, by meaning afterwards."""
    await _operator_searches(here)

    [event] = await _events(here)
    assert await _found(here, "search") == [event.id]
    await here.works()
    assert await _found(here, "search for machine learning") == [event.id]
    coverage = await here.store.coverage(here.scope, here.resources.embedder.name)  # type: ignore[union-attr]
    assert coverage.share == 1


async def test_tool_outputs_are_visible_in_search(here: World) -> None:
    """002, phase 2: what a tool gave back is found by its words."""
    await _operator_searches(here)

    assert len(await _found(here, "Deep Learning")) == 1


async def test_a_tool_that_raises_is_captured_and_raises_all_the_same(here: World) -> None:
    """C2."""
    error = PermissionError("Permission denied")

    @here.lore.events.tool()
    async def fs_write(path: str) -> None:
        raise error

    with pytest.raises(PermissionError) as raised:
        await fs_write("/etc/passwd")

    assert raised.value is error
    [event] = await _events(here)
    assert event.content.startswith("Tool failed: fs_write - Permission denied")
    assert event.importance == 0.9
    assert event.metadata["exception"] == "PermissionError"


async def test_a_tool_that_says_that_it_failed_is_believed(here: World) -> None:
    """C1: a failure without an exception."""

    @here.lore.events.tool()
    async def fetch() -> dict[str, Any]:
        return {"success": False, "error": "No route"}

    await fetch()

    [event] = await _events(here)
    assert (event.importance, event.metadata["success"], event.metadata["error"]) == (0.8, False, "No route")


async def test_a_plain_function_is_captured_inside_a_running_loop(here: World) -> None:
    """C2: queued to the loop; `settle` waits for it."""

    @here.lore.events.tool()
    def add(one: int, other: int) -> int:
        return one + other

    assert add(2, other=3) == 5
    await here.lore.events.settle()

    [event] = await _events(here)
    assert event.metadata["tool_inputs"] == {"one": 2, "other": 3}
    assert event.metadata["tool_outputs"] == {"result": 5}


async def test_a_plain_function_that_raises_is_captured(here: World) -> None:
    @here.lore.events.tool()
    def halve(number: int) -> float:
        return number / 0

    with pytest.raises(ZeroDivisionError):
        halve(1)
    await here.lore.events.settle()

    [event] = await _events(here)
    assert event.metadata["exception"] == "ZeroDivisionError"


async def test_a_plain_function_in_a_thread_is_captured(here: World) -> None:
    @here.lore.events.tool()
    def work(number: int) -> int:
        return number * 2

    results = await asyncio.gather(*(asyncio.to_thread(work, number) for number in range(20)))
    await here.lore.events.settle()

    assert results == [2 * number for number in range(20)]
    assert len(await _events(here)) == 20


async def test_an_async_tool_in_a_loop_of_its_own_is_captured(here: World) -> None:
    @here.lore.events.tool()
    async def work(number: int) -> int:
        return number * 2

    assert await asyncio.to_thread(lambda: asyncio.run(work(4))) == 8
    await here.lore.events.settle()

    assert len(await _events(here)) == 1


async def test_both_kinds_of_context_capture_one_call(here: World) -> None:
    """C2."""
    async with here.lore.events.tool("fetch", {"url": "https://x.test"}) as call:
        call.outputs = {"status": 200}
    with here.lore.events.tool("count") as call:
        call.fail("Nothing to count")
    await here.lore.events.settle()

    one, other = sorted(await _events(here), key=lambda each: each.content)
    assert one.content == "Tool executed: fetch (url: https://x.test): status: 200"
    assert (other.content, other.importance) == ("Tool failed: count - Nothing to count", 0.8)


async def test_a_method_a_partial_and_an_object_can_be_tools(here: World) -> None:
    class Box:
        @here.lore.events.tool("open_box")
        async def open(self, key: str) -> str:
            return f"opened with {key}"

        async def __call__(self, number: int) -> int:
            return number

    async def power(base: int, exponent: int) -> int:
        return int(base**exponent)

    assert await Box().open("brass") == "opened with brass"
    assert await here.lore.events.tool("square")(functools.partial(power, exponent=2))(3) == 9
    assert await here.lore.events.tool("box")(Box())(7) == 7

    inputs = {each.metadata["tool_name"]: each.metadata["tool_inputs"] for each in await _events(here)}
    assert inputs["open_box"] == {"key": "brass"}
    assert inputs["box"] == {"number": 7}


async def test_inputs_are_kept_as_they_were_before_the_tool_changed_them(here: World) -> None:
    @here.lore.events.tool()
    async def drain(items: list[int]) -> int:
        items.clear()
        return 0

    await drain([1, 2, 3])

    [event] = await _events(here)
    assert event.metadata["tool_inputs"] == {"items": [1, 2, 3]}


async def test_a_tool_inside_of_a_tool_has_it_for_a_parent(here: World) -> None:
    """C1: parent event."""

    @here.lore.events.tool()
    async def inner() -> int:
        return 1

    @here.lore.events.tool()
    async def outer() -> int:
        return await inner()

    await outer()

    events = {each.metadata["tool_name"]: each for each in await _events(here)}
    assert events["inner"].parent_id == events["outer"].id
    assert events["inner"].metadata["parent_event_id"] == events["outer"].id
    assert events["outer"].parent_id is None


async def test_plain_tools_inside_of_a_tool_have_it_for_a_parent_whichever_is_written_first(here: World) -> None:
    """C1."""

    @here.lore.events.tool()
    def inner() -> int:
        return 1

    async with here.lore.events.tool("quick"):
        inner()
    async with here.lore.events.tool("slow"):
        inner()
        await asyncio.sleep(0.05)
    with here.lore.events.tool("plain"):
        inner()
    await here.lore.events.settle()

    events = await _events(here)
    outer = {each.id for each in events if each.metadata["tool_name"] != "inner"}
    assert {each.parent_id for each in events if each.metadata["tool_name"] == "inner"} == outer


async def test_a_tool_that_is_kept_while_the_one_around_it_is_being_written_has_it_for_a_parent(
    here: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C1: neither of the two sees the other when it begins to write."""
    write, is_inner_kept = here.store.apply, asyncio.Event()

    async def held(scope: Scope, changes: Sequence[Change]) -> Any:
        match changes:
            case [Put(Event() as event), *_] if event.metadata["tool_name"] == "outer":
                await is_inner_kept.wait()
                return await write(scope, changes)
        written = await write(scope, changes)
        # Whoever wrote it goes on before the one that waits.
        asyncio.get_running_loop().call_later(0.02, is_inner_kept.set)
        return written

    monkeypatch.setattr(here.store, "apply", held)
    async with here.lore.events.tool("outer"):
        with here.lore.events.tool("inner"):
            pass
    await here.lore.events.settle()

    events = {each.metadata["tool_name"]: each for each in await _events(here)}
    assert events["inner"].parent_id == events["outer"].id


async def test_a_tool_that_is_cancelled_is_captured(here: World) -> None:
    started = asyncio.Event()

    @here.lore.events.tool()
    async def wait_forever() -> None:
        started.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(wait_forever())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await here.lore.events.settle()

    [event] = await _events(here)
    assert event.metadata["exception"] == "CancelledError"


async def test_a_store_that_fails_does_not_break_the_tool() -> None:
    """C2: it is logged; an explicit capture raises."""
    here = world()
    here.store.fails_if = lambda _: True

    assert await _operator_searches(here) == SEARCH
    with here.lore.events.tool("count") as call:
        call.outputs = 1
    await here.lore.events.settle()
    with pytest.raises(StoreUnavailable):
        await here.lore.events.capture("observation", "It rains.")


async def test_a_conversation_that_is_not_there_does_not_break_the_tool(here: World) -> None:
    assert await _operator_searches(here, conversation="nope") == SEARCH

    assert await _events(here) == []


async def test_secrets_never_reach_the_store(tmp_path: Path) -> None:
    """C2: not a byte of the file has them."""
    here = await on_sqlite(tmp_path / "lore.db")

    @here.lore.events.tool()
    async def login(user: str, password: str) -> dict[str, str]:
        return {"token": "quokka-quokka", "note": f"password={password} " * 500}

    await login("ann", "wallaby-wallaby")
    await here.works()
    await here.lore.stop()

    kept = b"".join(path.read_bytes() for path in sorted(tmp_path.iterdir()))  # noqa: ASYNC240 - all is closed
    assert b"login" in kept
    assert b"quokka" not in kept
    assert b"wallaby" not in kept


async def test_a_large_output_is_kept_whole_beside_the_event(here: World) -> None:
    """C1: in the same transaction; it goes when the event's conversation goes."""
    talk = await here.sits_down("Nova")
    rows = [{"row": number, "text": "word " * 20} for number in range(500)]

    async with here.lore.events.tool("query", conversation=talk) as call:
        call.outputs = {"rows": rows}

    [event] = await _events(here, type="tool_invocation")
    assert len(json.dumps(event.metadata)) < 5_000
    [beside] = await here.lore.events.attachments(event.id)
    assert json.loads(beside.content) == {"rows": rows}
    await here.lore.conversations.delete(talk.id)
    assert await here.store.count(here.scope, Attachment) == 0


async def test_every_tool_file_and_approval_event_is_captured(here: World) -> None:
    """C11, 002 success metrics: a hundred per cent, each with its conversation."""
    talk = await here.sits_down("Nova")
    events = here.lore.events

    @events.tool("search", conversation=talk)
    def search(number: int) -> int:
        if number % 3 == 0:
            raise ValueError("no")
        return number

    for number in range(30):
        with contextlib.suppress(ValueError):
            search(number)
        await events.file_read(f"notes/{number}.md", "text", conversation=talk)
        await events.file_write(f"notes/{number}.md", "text", conversation=talk)
        await events.approval("deploy", approved=number % 2 == 0, conversation=talk)
    await events.settle()
    await here.works()

    kinds = [each.type.value for each in await _events(here, conversation_id=talk.id)]
    assert {kind: kinds.count(kind) for kind in sorted(set(kinds))} == {
        "code_approval": 15,
        "code_rejection": 15,
        "file_read": 30,
        "file_write": 30,
        "tool_invocation": 30,
    }
    coverage = await here.store.coverage(here.scope, here.resources.embedder.name)  # type: ignore[union-attr]
    assert coverage.share > 0.95


# ── files (task 1.2) ─────────────────────────────────────────────────────────────────────────────


async def test_reading_a_file_leaves_a_file_read_event_with_a_snippet(here: World) -> None:
    """002/1.2."""
    event = await here.lore.events.file_read("/srv/notes/plan.md", "The plan is simple. " * 50)

    assert event is not None
    assert (event.type, event.importance) == (EventType.FILE_READ, 0.5)
    assert event.metadata["snippet"] == ("The plan is simple. " * 50)[:300]
    assert event.metadata["size"] == 1_000


async def test_writing_a_file_leaves_a_file_write_event_with_a_snippet(here: World) -> None:
    """002/1.2."""
    event = await here.lore.events.file_write("plan.md", "The plan is simple.", overwrite=True)

    assert event is not None
    assert (event.type, event.importance) == (EventType.FILE_WRITE, 0.7)
    assert (event.metadata["snippet"], event.metadata["overwrite"]) == ("The plan is simple.", True)


async def test_a_search_for_the_name_of_a_file_finds_its_events(here: World) -> None:
    """002/1.2."""
    read = await here.lore.events.file_read("/srv/notes/wombat.md", "The plan is simple.")
    wrote = await here.lore.events.file_write("/srv/notes/wombat.md", "The plan is simpler.")
    await here.lore.events.file_read("/srv/other/list.txt", "Nothing of that.")
    assert read is not None
    assert wrote is not None

    assert set(await _found(here, "wombat.md")) == {read.id, wrote.id}


# ── approvals (task 1.3) ─────────────────────────────────────────────────────────────────────────


async def test_approving_a_code_change_leaves_a_code_approval(here: World) -> None:
    """002/1.3."""
    event = await here.lore.events.approval("fs_write", approved=True, approval_id="a1", inputs={"path": "x.py"})

    assert event is not None
    assert (event.type, event.importance) == (EventType.CODE_APPROVAL, 0.8)
    assert (event.metadata["approval_id"], event.metadata["decision"]) == ("a1", "approved")


async def test_rejecting_a_code_change_leaves_a_code_rejection(here: World) -> None:
    """002/1.3."""
    event = await here.lore.events.approval("fs_write", approved=False, reason="It breaks the build.")

    assert event is not None
    assert (event.type, event.importance) == (EventType.CODE_REJECTION, 0.9)
    assert (event.metadata["decision"], event.metadata["reason"]) == ("rejected", "It breaks the build.")


async def test_a_query_for_approved_code_changes_returns_the_approvals(here: World) -> None:
    """002/1.3."""
    approved = await here.lore.events.approval("fs_write", approved=True, inputs={"path": "x.py"})
    await here.lore.events.capture("observation", "It rains in the valley.")
    assert approved is not None

    assert await _found(here, "approved code changes") == [approved.id]


# ── conversations and links (tasks 1.4, 1.5) ─────────────────────────────────────────────────────


async def test_an_event_is_tied_to_its_conversation_and_to_the_message_that_led_to_it(here: World) -> None:
    """002/1.4: all memories include the id of their conversation; a new conversation has another."""
    talk, other = await here.sits_down("Nova"), await here.sits_down("Nova")
    reply = await here.says(talk, "Please search.")
    events = [
        await here.lore.events.capture("observation", f"Number {number}.", conversation=talk, message=reply)
        for number in range(3)
    ]
    elsewhere = await here.lore.events.capture("observation", "Elsewhere.", conversation=other.id)

    assert {each.conversation_id for each in events if each} == {talk.id}
    assert {each.metadata["conversation_id"] for each in events if each} == {talk.id}
    assert {each.metadata["message_id"] for each in events if each} == {reply.id}
    assert {each.links for each in events if each} == {(reply.id,)}
    assert elsewhere is not None
    assert elsewhere.conversation_id == other.id


async def test_three_messages_are_there_after_a_restart(tmp_path: Path) -> None:
    """002/2.4: the log is the buffer, and a message is there whole or not at all."""
    first = await on_sqlite(tmp_path / "lore.db")
    talk = await first.sits_down("Nova")
    for text in ("One.", "Two.", "Three."):
        await first.says(talk, text)
    said = await first.said(talk)
    await first.lore.stop()

    second = await on_sqlite(tmp_path / "lore.db")

    assert await second.said(talk) == said == ["One.", "Fine.", "Two.", "Fine.", "Three.", "Fine."]
    await second.lore.stop()


async def test_three_messages_have_the_same_conversation_and_a_new_one_has_another(here: World) -> None:
    """002/1.4: send three messages; then start anew."""
    talk = await here.sits_down("Nova")
    for text in ("One.", "Two.", "Three."):
        await here.says(talk, text)
    other = await here.sits_down("Nova")

    assert {each.conversation_id for each in await here.log(talk)} == {talk.id}
    assert other.id != talk.id


async def test_whatever_else_is_told_is_kept_beside_what_has_a_meaning(here: World) -> None:
    """002/1.5: typed metadata with room for more."""
    parent = await here.lore.events.capture("observation", "First.")
    event = await here.lore.events.capture(
        EventType.TASK,
        "Write the report.",
        parent=parent,
        importance=0.4,
        tags=["report"],
        entities=["Ann"],
        in_progress=True,
        trust_level="high",
        facet="work",
        due="tomorrow",
    )

    assert event is not None
    assert parent is not None
    assert (event.state, event.importance, event.tags) == (EventState.IN_PROGRESS, 0.4, ("report",))
    assert event.parent_id == parent.id
    assert event.metadata == {
        "trust_level": "high",
        "facet": "work",
        "due": "tomorrow",
        "entities": ["Ann"],
        "parent_event_id": parent.id,
        "mode": "dual",
    }


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"type": "nonsense"}, BadAsk, "it must be one of conversation, interact"),
        ({"content": "  "}, BadAsk, "must say what happened"),
        ({"conversation": "nope"}, NotFound, "nope"),
        ({"parent": "nope"}, NotFound, "nope"),
        ({"message": "nope"}, NotFound, "nope"),
        ({"person": "nope"}, NotFound, "nope"),
        ({"importance": 7.0}, BadAsk, "between 0 and 1"),
    ],
)
async def test_an_explicit_capture_that_cannot_be_is_refused(
    here: World, asked: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        await here.lore.events.capture(**{"type": "observation", "content": "It rains."} | asked)


async def test_a_message_of_another_conversation_is_refused(here: World) -> None:
    talk, other = await here.sits_down("Nova"), await here.sits_down("Nova")
    reply = await here.says(talk, "Hi!")

    with pytest.raises(BadAsk, match="is not in this conversation"):
        await here.lore.events.capture("observation", "It rains.", conversation=other, message=reply)


async def test_nothing_is_kept_beside_a_private_conversation(here: World) -> None:
    """F6."""
    talk = await here.sits_down("Nova", private=True)

    assert await here.lore.events.capture("observation", "It rains.", conversation=talk) is None
    assert await _operator_searches(here, conversation=talk) == SEARCH
    assert await _events(here) == []


# ── modes (policy; task 1.6) ─────────────────────────────────────────────────────────────────────


async def _does_everything(lore: Everlore, talk: Any = None) -> dict[str, Event | None]:
    """Each type once, by hand and by tools."""
    made = {
        type.value: await lore.events.capture(type, f"About {type.value}.", conversation=talk) for type in EventType
    }

    @lore.events.tool()
    def add(one: int, other: int) -> int:
        return one + other

    assert add(1, 2) == 3
    async with lore.events.tool("conversational_response", conversation=talk) as call:
        call.outputs = "Hello!"
    await lore.events.file_read("a.md", "a")
    await lore.events.file_write("a.md", "a")
    await lore.events.approval("deploy", approved=True)
    await lore.events.settle()
    return made


async def _everything(here: World) -> str:
    """All that the database holds, of every table."""
    held: dict[str, Any] = {
        kind.__name__: (await here.store.find(here.scope, kind, limit=10_000)).items for kind in KINDS
    }
    jobs = await here.store.jobs(here.scope, limit=10_000)
    tallies = sorted(map(repr, await here.store.tallies(here.scope)))
    return repr(held | {"jobs": jobs.items, "tallies": tallies})


async def test_emulation_captures_nothing_and_queues_nothing(here: World) -> None:
    """C3, C11, 002/1.6: the whole database is what it was before; the tools work."""
    talk = await here.sits_down("Nova")
    await here.says(talk, "Hi!")
    await here.works()
    before = await _everything(here)

    made = await _does_everything(_in(here, Mode.EMULATION), talk)

    assert set(made.values()) == {None}
    assert await _everything(here) == before


async def test_agent_mode_captures_only_what_was_done(here: World) -> None:
    """C3: and a plain reply is no tool."""
    made = await _does_everything(_in(here, Mode.AGENT))

    kept = {name for name, event in made.items() if event is not None}
    assert kept == {"tool_invocation", "code_approval", "code_rejection", "summary"}
    assert {each.type.value for each in await _events(here)} == kept
    names = [each.metadata.get("tool_name") for each in await _events(here, type="tool_invocation")]
    assert "add" in names
    assert "conversational_response" not in names


async def test_environment_mode_captures_talk_and_no_tools(here: World) -> None:
    """C12."""
    made = await _does_everything(_in(here, Mode.ENVIRONMENT))

    assert {name for name, event in made.items() if event is not None} == {"conversation", "interact", "summary"}
    assert await _events(here, type="tool_invocation") == []


async def test_dual_mode_captures_everything(here: World) -> None:
    """C3."""
    made = await _does_everything(here.lore)

    assert None not in made.values()
    assert len(await _events(here)) == len(EventType) + 5


async def test_why_something_is_not_captured_is_said(here: World) -> None:
    told = await _in(here, Mode.AGENT).events.tell("file_read", "Read it.")

    assert (told.event, told.why) == (None, "In agent mode events of type file_read are not captured.")


async def test_what_waits_in_the_queue_is_resumed_by_the_next_process(tmp_path: Path) -> None:
    """002/1.6: kill in mid-queue; what was acknowledged is embedded afterwards."""
    first = await on_sqlite(tmp_path / "lore.db")
    for number in range(10):
        await first.lore.events.file_read(f"notes/{number}.md", "text")
    await first.store.close()

    second = await on_sqlite(tmp_path / "lore.db")
    await second.works()

    coverage = await second.store.coverage(second.scope, second.resources.embedder.name)  # type: ignore[union-attr]
    assert (coverage.passages, coverage.share) == (10, 1)
    await second.lore.stop()


async def test_whoever_stops_lets_what_is_left_be_written_first(tmp_path: Path) -> None:
    """C2: nothing is lost at the end of a process."""
    first = await on_sqlite(tmp_path / "lore.db")
    for number in range(50):
        with first.lore.within("here").events.tool("count") as call:
            call.outputs = number
    await first.lore.stop()

    second = await on_sqlite(tmp_path / "lore.db")
    assert len(await _events(second)) == 50
    await second.lore.stop()


@pytest.mark.postgres
async def test_on_postgresql_it_is_all_the_same(postgres: Server) -> None:
    """C1: a tool inside of a tool, what is kept beside an event, lists, and the package."""
    clock = FakeClock()
    async with postgres.fresh_database() as url:
        here = World(await PostgresStore.open(url, StoreSettings(), clock=clock), clock=clock)
        talk = await here.sits_down("Nova")

        @here.lore.events.tool(conversation=talk)
        async def query(sql: str) -> dict[str, Any]:
            with here.lore.events.tool("count", conversation=talk) as call:
                call.outputs = {"rows": 500}
            return {"rows": [f"row {number} of {sql}" for number in range(500)]}

        await query("select")
        await here.lore.events.approval("deploy", approved=False, conversation=talk)
        await here.lore.settle()

        events = {each.metadata["tool_name"]: each for each in (await here.lore.events.list(conversation=talk)).items}
        assert set(events) == {"query", "count", "deploy"}
        assert events["count"].parent_id == events["query"].id
        assert len(await here.lore.events.attachments(events["query"].id)) == 1
        assert events["deploy"].id in await _found(here, "rejected code changes")
        package = await here.lore.context("rows", conversation=talk)
        assert {each.name for each in package.recent_tools} == {"query", "count"}
        assert len((await here.lore.events.list(types=["code_rejection"])).items) == 1
        await here.lore.stop()


# ── looking ──────────────────────────────────────────────────────────────────────────────────────


async def test_events_are_listed_by_type_conversation_and_time(here: World) -> None:
    talk = await here.sits_down("Nova")
    start = here.clock()
    for number in range(6):
        type = "observation" if number % 2 else "reflection"
        await here.lore.events.capture(type, f"Number {number}.", conversation=talk if number > 1 else None)
        here.clock.pass_time(60)

    async def said(**how: Any) -> list[str]:
        return [each.content for each in (await here.lore.events.list(**how)).items]

    assert await said() == [f"Number {number}." for number in (5, 4, 3, 2, 1, 0)]
    assert await said(types=["observation"]) == ["Number 5.", "Number 3.", "Number 1."]
    assert await said(conversation=talk, types=["reflection"]) == ["Number 4.", "Number 2."]
    assert await said(
        conversation=talk, since=start + timedelta(seconds=180), until=start + timedelta(seconds=240)
    ) == ["Number 3."]
    page = await here.lore.events.list(conversation=talk, limit=3)
    rest = await here.lore.events.list(conversation=talk, limit=3, cursor=page.cursor)
    assert [each.content for each in (*page.items, *rest.items)] == [f"Number {number}." for number in (5, 4, 3, 2)]


async def test_a_member_sees_only_events_of_their_own_and_a_guest_sees_them_clean(here: World) -> None:
    """C4."""
    await here.meets("Bob", kind=PersonKind.USER)
    mine = await here.lore.events.file_read("/home/ann/secret-plan.md", "text")
    member = _in(here, Mode.DUAL, Role.MEMBER, "bob")
    theirs = await member.events.file_read("/home/bob/list.md", "text", approval_id="a1")
    assert mine is not None
    assert theirs is not None

    assert [each.id for each in (await member.events.list()).items] == [theirs.id]
    assert (await member.events.get(theirs.id)).metadata["path"] == "/home/bob/list.md"
    assert "approval_id" not in (await member.events.get(theirs.id)).metadata
    with pytest.raises(NotFound):
        await member.events.get(mine.id)
    with pytest.raises(NotFound):
        await member.events.capture("observation", "It rains.", parent=mine)
    with pytest.raises(Forbidden):
        await member.events.capture("observation", "It rains.", person="somebody")
    guest = _in(here, Mode.DUAL, Role.GUEST, "bob")
    [seen] = (await guest.events.list()).items
    assert "/home" not in repr(seen)
    assert list((await _in(here, Mode.DUAL, Role.ANONYMOUS).events.list()).items) == []


async def test_what_one_users_tools_did_is_in_no_prompt_of_another(here: World) -> None:
    """S-3, R11: neither of no conversation, nor of a conversation of theirs."""
    await here.meets("Bob", kind=PersonKind.USER)
    mine = await here.sits_down("Nova", recall_recipe="agent")
    for talk in (None, mine):
        async with here.lore.events.tool("dig", {"where": "the quokka treasure"}, conversation=talk) as call:
            call.outputs = "gold"
    await here.works()
    theirs = await here.lore.conversations.start("nova", user="bob", config={"recall_recipe": "agent"})

    await here.says(theirs, "Tell me of the quokka treasure that you dig for!")
    assert "gold" not in here.model.prompt
    later = await here.sits_down("Nova", recall_recipe="agent")
    await here.says(later, "Tell me of the quokka treasure that you dig for!")
    assert "gold" in here.model.prompt, "whoever was there is told of it"


async def test_an_event_without_any_conversation_can_be_put_by_others_still(here: World) -> None:
    """002/1.5: what existed before goes on working."""
    now = here.clock()
    event = Event(workspace="here", id="e1", type=EventType.DREAM, content="A dream.", at=now, created_at=now)
    await here.store.apply(here.scope, [Put(event)])

    assert await here.lore.events.get("e1") == event
