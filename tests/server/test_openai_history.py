"""Chats through `/v1` as programs have them: trimmed, edited, swiped, stopped, continued (V2, V11, M15)."""

import asyncio
import random
from typing import Any

import pytest

from everlore.domain.memory import Memory
from everlore.services.messages import RecordedLine
from tests.models.chat_server import Exchange
from tests.server.front_end import FrontEnd
from tests.server.home import Home, home
from tests.soak import look
from tests.waiting import until


async def reply_of_its_own(exchange: Exchange) -> None:
    """No two replies are alike, as with a real model."""
    number = len(exchange.server.asked)
    await exchange.begin()
    await exchange.text([f"Reply {number}: ", "the ferry ", "leaves ", f"at {number} ", "minutes past."])
    await exchange.finish()
    await exchange.end()


async def contents(here: Home, id: str) -> list[str]:
    """The lines of the talk as it is now; what was withdrawn is in the log too, hidden."""
    return [each.content for each in await here.lore.messages.all(id) if not each.hidden]


async def all_texts(here: Home) -> set[str]:
    """Every text that any conversation has, in any version, shown or withdrawn."""
    found: set[str] = set()
    for conversation in (await here.lore.conversations.list(limit=100)).items:
        for message in await here.lore.messages.all(conversation.id):
            found |= {message.content, *message.alternatives}
    return found


async def remembered(here: Home) -> str:
    """All that is known by now."""
    await here.lore.settle()
    page = await here.lore.store.find(here.lore.scope, Memory, {"status": "active"}, limit=500)
    return "\n".join(each.content for each in page.items)


async def played(front: FrontEnd, turns: int, seed: int) -> None:
    """A long talk, with all that people do to one."""
    chance = random.Random(seed)
    for turn in range(turns):
        if turn % 25 == 24:
            await front.stop_after(f"Line {turn}, and then I stop you.", pieces=2)
        else:
            await front.say(f"Line {turn} of our long talk.")
        match chance.randrange(12):
            case 0:
                await front.swipe()
            case 1 if len(front.lines) > 8:
                front.edit(2 * chance.randint(1, 3), f"Line {turn}, put otherwise.")
            case 2 if len(front.lines) > 8:
                front.edit(2 * chance.randint(1, 3) - 1, f"What you said at {turn}, put otherwise by me.")
            case 3 if len(front.lines) > 12:
                front.delete(2 * chance.randint(2, 4), 2)
            case 4 if len(front.lines) > 12:
                front.delete(4, 4)
            case 5:
                await front.go_on()
    await front.say("And that is the end.")


WAYS: dict[str, dict[str, Any]] = {"lines": {}, "header": {"session": "talk"}, "user": {"user": "ada"}}


@pytest.mark.parametrize(
    ("way", "turns"), [("lines", look(100, 300)), ("header", look(40, 300)), ("user", look(40, 300))]
)
async def test_a_long_chat_that_is_trimmed_is_one_conversation(way: str, turns: int) -> None:
    """V2, V11: each line once, as the client has it in the end."""
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client, **WAYS[way])
        await played(front, turns, seed=7)

        (id,) = front.conversations
        assert await contents(here, id) == [text for _, text in front.lines]
        kept = await all_texts(here)
        # A reply that went on begins with what it was before.
        assert [text for text in front.seen if not any(each.startswith(text) for each in kept)] == []


async def test_a_talk_is_found_again_behind_many_others() -> None:
    """V2: as one comes back to an old chat."""
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        nova = await here.character("Nova")
        front = FrontEnd(here.client)
        await front.say("The old chat begins.")
        for _ in range(25):
            other = await here.lore.conversations.start(nova)
            await here.lore.messages.record(other.id, [RecordedLine("Something else altogether.")])

        await front.say("And it goes on.")

        assert len(front.conversations) == 1


async def test_ten_characters_at_once_keep_their_talks_apart() -> None:
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        names = [f"Nova{n}" for n in range(10)]
        for name in names:
            await here.character(name)
        fronts = [FrontEnd(here.client, model=name, **list(WAYS.values())[n % 3]) for n, name in enumerate(names)]
        for n, front in enumerate(fronts):
            front.session = front.session and f"talk-{n}"
        await asyncio.gather(*(played(front, look(8, 100), seed=n) for n, front in enumerate(fronts)))

        for front in fronts:
            (id,) = front.conversations
            assert await contents(here, id) == [text for _, text in front.lines]


@pytest.mark.parametrize("way", WAYS)
async def test_memory_is_true_to_what_the_client_has(way: str) -> None:
    """M15: what was edited or deleted does not come back."""
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client, **WAYS[way])
        await front.say("Hello, it is good to see you again.")
        await front.say("My brother is called Odo.")
        await front.say("I live in Lisbon.")
        assert "Odo" in await remembered(here)
        front.edit(4, "My brother is called Tam.")
        front.delete(2, 2)
        await front.say("What do you know of my family?")
        known = await remembered(here)

        assert "Tam" in known
        assert "Odo" not in known
        assert "Lisbon" not in known
        told = next(text for text in reversed([str(each) for each in here.asked]) if "You are Nova" in text)
        assert "Odo" not in told
        assert "Lisbon" not in told


async def test_history_that_a_client_brings_along_is_learnt_once() -> None:
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client)
        front.lines = [("user", "My brother is called Odo."), ("assistant", "A fine name for a brother, I think.")]
        await front.say("Where were we?")
        await front.say("And now?")
        known = await remembered(here)
        readings = await here.client.get("/api/readings")

        assert known.count("Odo") == 1
        assert len(readings.json()["items"]) == 3


async def test_an_edit_makes_a_branch_where_the_conversation_says_so() -> None:
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client, session="talk")
        for text in ("One, to begin with.", "Two, to go on.", "Three, to end."):
            await front.say(text)
        await here.client.patch("/api/conversations/talk", json={"config": {"rewriting": "branch"}})
        before = await contents(here, "talk")
        front.edit(4, "Two, put otherwise.")
        await front.say("Four.")
        await front.say("Five.")

        (branch,) = front.conversations - {"talk"}
        assert await contents(here, "talk") == before
        assert await contents(here, branch) == [text for _, text in front.lines]


async def test_a_new_chat_under_a_header_that_never_changes_is_a_talk_of_its_own() -> None:
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        first, second = (FrontEnd(here.client, session="fixed") for _ in range(2))
        for front in (first, second):
            front.lines = [("assistant", "Come in, the kettle is on.")]
        for n in range(3):
            await first.say(f"First talk, line {n}.")
        for n in range(3):
            await second.say(f"Second talk, line {n}.")
        await first.say("Back to the first.")

        for front in (first, second):
            (id,) = front.conversations
            assert await contents(here, id) == [text for _, text in front.lines]
        assert first.conversations == {"fixed"}


async def test_what_was_said_on_the_page_meanwhile_stays() -> None:
    """V3: a client that does not know of it deletes nothing."""
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client, session="talk")
        await front.say("Hello from the program.")
        await here.say("talk", "Hello from the page.")
        page = (await contents(here, "talk"))[2:]
        await front.say("Back in the program.")

        assert await contents(here, "talk") == [
            *[text for _, text in front.lines[:2]],
            *page,
            *[text for _, text in front.lines[2:]],
        ]


async def test_requests_to_one_conversation_wait_for_their_turn() -> None:
    async with home(workers=0) as here:
        here.model.scenario = "stall"
        await here.character("Nova")
        fronts = [FrontEnd(here.client, session="talk") for _ in range(3)]
        asking = [asyncio.create_task(front.say(f"Question {n}?")) for n, front in enumerate(fronts)]
        assert await here.model.seen_ask()
        here.model.scenario = reply_of_its_own
        here.model.release()
        await asyncio.gather(*asking)

        said = [each for each in await contents(here, "talk") if each.startswith("Question")]
        assert sorted(said) == ["Question 0?", "Question 1?", "Question 2?"]


async def test_a_stopped_reply_is_what_the_client_heard_of_it() -> None:
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client)
        await front.say("Hello, it is good to see you again.")
        here.model.script.append("stall")
        await front.stop_after("Tell me all of it.", pieces=1)
        assert await here.model.seen_hang_up()
        (id,) = front.conversations

        async def stopped() -> bool:
            return (await here.lore.messages.all(id))[-1].state == "stopped"

        await until(stopped)
        front.lines[-1] = ("assistant", (await contents(here, id))[-1] + " lea")
        await front.say("Enough of that.")

        assert await contents(here, id) == [text for _, text in front.lines]


# ── matching never deletes ───────────────────────────────────────────────────────────────────────

CANNED = "Hello! How can I help you today?"


async def canned_reply(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.text([CANNED])
    await exchange.finish()
    await exchange.end()


async def talk_of_eight(here: Home, first: str, **names: Any) -> FrontEnd:
    """Its first reply is one that every talk could begin with."""
    here.model.script.append(canned_reply)
    front = FrontEnd(here.client, **names)
    await front.say(first)
    here.model.scenario = reply_of_its_own
    for text in ("My brother is called Odo.", "I live in Lisbon.", "Remember both, please."):
        await front.say(text)
    return front


@pytest.mark.parametrize(
    ("way", "first", "rewriting"),
    [
        ("lines", "Hi, I am Ada and new here.", "follow"),
        ("lines", "hello", "branch"),
        ("lines", "hey", "follow"),
        ("header", "hey", "follow"),
        ("header", "Hi, I am Ada and new here.", "branch"),
        ("user", "hey", "branch"),
    ],
)
async def test_an_unrelated_talk_with_the_same_first_reply_is_another_one(way: str, first: str, rewriting: str) -> None:
    """V3, V11: the older one stays as it is, with what was learnt of it."""
    async with home(workers=0) as here:
        await here.character("Nova")
        old = await talk_of_eight(here, first, **WAYS[way])
        (id,) = old.conversations
        await here.client.patch(f"/api/conversations/{id}", json={"config": {"rewriting": rewriting}})
        before, known = await contents(here, id), await remembered(here)

        new = FrontEnd(here.client, **WAYS[way], lines=[("user", "hey"), ("assistant", CANNED)])
        await new.say("Convert 5 miles to km")

        assert await contents(here, id) == before == [text for _, text in old.lines]
        assert await remembered(here) == known
        assert "Odo" in known
        (other,) = new.conversations
        assert other != id
        assert await contents(here, other) == [text for _, text in new.lines]


@pytest.mark.parametrize("first", ["hey", "Hi, I am Ada and new here."])
async def test_a_second_session_that_begins_alike_leaves_the_first_alone(first: str) -> None:
    """As of a program that opens every session with the same words, to a model that answers the same."""
    async with home(workers=0) as here:
        await here.character("Nova")
        here.model.script.append(canned_reply)
        old = FrontEnd(here.client)
        await old.say(first)
        here.model.scenario = reply_of_its_own
        await old.say("My brother is called Odo.")
        (id,) = old.conversations
        await remembered(here)

        new = FrontEnd(here.client, lines=[("user", "hey"), ("assistant", CANNED)])
        await new.say("What is the capital of France?")

        assert await contents(here, id) == [text for _, text in old.lines]
        assert "Odo" in await remembered(here)


async def test_a_talk_that_goes_on_after_canned_lines_is_one_conversation() -> None:
    async with home(workers=0) as here:
        await here.character("Nova")
        here.model.script.append(canned_reply)
        here.model.scenario = reply_of_its_own
        front = FrontEnd(here.client)
        await front.say("hey")
        for text in ("ok", "yes", "no"):
            await front.say(text)
            await front.swipe()

        (id,) = front.conversations
        assert await contents(here, id) == [text for _, text in front.lines]


@pytest.mark.parametrize("way", WAYS)
async def test_lines_that_a_client_no_longer_sends_can_be_restored(way: str) -> None:
    """V3, M15: what was learnt of them goes and comes back with them."""
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client, **WAYS[way])
        for text in ("Hello, it is good to see you again.", "I like the sea very much.", "My brother is called Odo."):
            await front.say(text)
        before = list(front.lines)
        assert "Odo" in await remembered(here)
        front.delete(2, 2)
        await front.say("My sister is called Ulla.")
        (id,) = front.conversations
        assert await contents(here, id) == [text for _, text in front.lines]
        known = await remembered(here)
        assert "Odo" not in known
        assert "Ulla" in known

        items = await here.messages(id)
        withdrawn = [each for each in items if "Odo" in str(each["alternatives"]) + each["content"]]
        assert withdrawn
        if withdrawn[0]["withdrawn"]:
            restored = await here.client.post(f"/api/conversations/{id}/messages/{withdrawn[0]['id']}/restore")
            assert restored.status_code == 200, restored.text
        else:
            for each in items[-2:]:
                path = f"/api/conversations/{id}/messages/{each['id']}/choose"
                assert (await here.client.post(path, json={"index": 0})).status_code == 200

        assert await contents(here, id) == [text for _, text in before]
        known = await remembered(here)
        assert "Odo" in known
        assert "Ulla" not in known


async def test_what_replaced_restored_lines_can_be_restored_in_turn() -> None:
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client, session="talk")
        for n in range(4):
            await front.say(f"Line {n} of the first version.")
        first = [text for _, text in front.lines]
        front.delete(6, 6)
        for n in range(2):
            await front.say(f"Line {n} of the second version.")
        second = [text for _, text in front.lines]

        for expected in (first, second, first):
            hidden = [each for each in await here.messages("talk") if each["withdrawn"]]
            newest = max(hidden, key=lambda each: each["withdrawn"])
            answer = await here.client.post(f"/api/conversations/talk/messages/{newest['id']}/restore")
            assert answer.status_code == 200, answer.text
            assert await contents(here, "talk") == expected


async def test_a_client_that_goes_back_to_withdrawn_lines_has_them_back() -> None:
    """As one does who keeps versions of a talk, and steps from one to another: nothing is there twice."""
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client, session="talk")
        for n in range(4):
            await front.say(f"Line {n} of the first version.")
        first = list(front.lines)
        front.delete(6, 6)
        for n in range(2):
            await front.say(f"Line {n} of the second version.")
        second = list(front.lines)
        for version in (first, second, first):
            front.lines = version
            await front.say(f"Once more, after {len(version)} lines.")
            assert await contents(here, "talk") == [text for _, text in front.lines]
        shown = [each["content"] for each in await here.messages("talk")]
        assert len(shown) == len(set(shown))


async def test_only_what_was_withdrawn_can_be_restored() -> None:
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client, session="talk")
        await front.say("Hello, it is good to see you again.")
        (line, _) = await here.messages("talk")
        answer = await here.client.post(f"/api/conversations/talk/messages/{line['id']}/restore")

        assert answer.status_code == 400
        assert "not withdrawn" in answer.json()["detail"]


# ── "this is the whole talk" ─────────────────────────────────────────────────────────────────────

WHOLE = {"X-Everlore-History": "whole"}


async def test_an_edit_of_the_first_line_of_a_whole_talk_follows() -> None:
    """M15, V2: a single line of a named talk is new, unless the client says that there are no others."""
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client, session="chat-1", headers=WHOLE)
        await front.say("My brother is called Odo.")
        await front.say("What shall we do today?")
        assert "Odo" in await remembered(here)

        first = front.lines
        front.lines = []
        await front.say("My brother is called Tam.")

        assert front.conversations == {"chat-1"}
        assert await contents(here, "chat-1") == [text for _, text in front.lines]
        known = await remembered(here)
        assert "Tam" in known
        assert "Odo" not in known

        # A program that keeps both versions may go back to the first one.
        front.lines = first
        await front.say("And tomorrow?")

        assert await contents(here, "chat-1") == [text for _, text in front.lines]
        known = await remembered(here)
        assert "Odo" in known
        assert "Tam" not in known
        assert front.seen <= await all_texts(here)


async def test_a_whole_talk_has_no_lines_that_its_client_lacks() -> None:
    """V2: deletions at the beginning, in the middle and at the end, and regenerations."""
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client, session="chat-1", headers=WHOLE, trim=1_000)
        for n in range(30):
            await front.say(f"Line {n} of our long talk.")
        for at, count in ((0, 2), (20, 4), (0, 40)):
            del front.lines[at : at + count]
            await front.say(f"Once more, without {count}.")
            await front.swipe()
            assert await contents(here, "chat-1") == [text for _, text in front.lines]
        assert front.conversations == {"chat-1"}
        assert front.seen <= await all_texts(here)


async def test_a_whole_talk_without_a_name_is_known_by_its_beginning() -> None:
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        front = FrontEnd(here.client, headers=WHOLE)
        for n in range(4):
            await front.say(f"Line {n} of our long talk.")
        await front.swipe()
        assert len(front.conversations) == 1
        (id,) = front.conversations
        before = await contents(here, id)

        # What would be the end of a talk that was trimmed is the beginning of another one.
        other = FrontEnd(here.client, headers=WHOLE, lines=front.lines[-2:])
        await other.say("And now for something else.")

        assert id not in other.conversations
        assert await contents(here, id) == before


async def test_what_the_header_cannot_say_is_refused() -> None:
    async with home(workers=0) as here:
        await here.character("Nova")
        body = {"model": "nova", "messages": [{"role": "user", "content": "Hello!"}]}
        answer = await here.client.post("/v1/chat/completions", json=body, headers={"X-Everlore-History": "some"})

        assert answer.status_code == 400
        assert "whole" in answer.json()["error"]["message"]


async def test_withdrawn_lines_stand_in_no_title_list_branch_or_last_session() -> None:
    """V2, V7, R1."""
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        nova = await here.character("Nova", description="Keeps an inn.")
        front = FrontEnd(here.client, session="chat-1", headers=WHOLE)
        await front.say("Meet me at the old mill at midnight.")
        await front.say("Bring the golden key to the mill.")
        await here.lore.settle()
        front.lines = []
        await front.say("Shall we look at the stars tonight?")
        await here.lore.settle()

        shown = (await here.client.get("/api/conversations/chat-1")).json()
        assert "mill" not in shown["title"]
        assert shown["last_message"]["display_content"] == front.lines[-1][1]
        items = await here.messages("chat-1")
        branch = await here.client.post("/api/conversations/chat-1/branch", json={"message_id": items[-1]["id"]})
        assert await contents(here, branch.json()["id"]) == [text for _, text in front.lines]
        assert len(await here.messages(branch.json()["id"])) == len(front.lines)
        await here.client.delete(f"/api/conversations/{branch.json()['id']}")
        old = await here.client.post("/api/conversations/chat-1/branch", json={"message_id": items[0]["id"]})
        assert old.status_code == 400
        assert "Restore it before" in old.json()["detail"]
        other = await here.client.post("/api/conversations", json={"character_id": nova})
        prompt = await here.client.post(
            f"/api/conversations/{other.json()['id']}/prompt", json={"content": "Where do we meet?"}
        )
        assert "mill" not in prompt.text
        assert "stars" in prompt.text
