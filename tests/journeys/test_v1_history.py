"""Talks through `/v1` as programs send them: trimmed, started over, edited, between agents. Nothing is lost."""

import json
from typing import Any

from tests.journeys.world import Client, World, dialogue

SESSION = "X-Conversation-Session-Id"
GREETING = "Hello! How can I help you today?"


def numbered(world: World) -> None:
    """From now on every greeting is answered alike, and anything else with a reply of its own."""

    def reply(body: dict[str, Any]) -> str:
        said = str(body["messages"][-1]["content"])
        return GREETING if said.endswith("hey") else f"Reply {len(world.requests)}: that is good to know, go on."

    world.reply = reply


def send(client: Client, model: str, messages: list[Any], **headers: str) -> tuple[str, str]:
    """The text of the answer, and the conversation that it belongs to."""
    body = {"model": f"everlore/{model}", "messages": messages}
    answer = client.request("POST", "/v1/chat/completions", json=body, headers=headers)
    return answer.json()["choices"][0]["message"]["content"], answer.headers[SESSION]


def talk(client: Client, conversation: str) -> list[str]:
    """The lines of a talk as it is now."""
    messages = client.all(f"/api/conversations/{conversation}/messages")
    shown = [each for each in messages if not each["hidden"]]
    return [each["content"] for each in sorted(shown, key=lambda each: each["seq"])]


def test_the_trimmed_companion(world: World) -> None:
    """A client sends its last six lines for a month, over a crash, then all of them, then starts over with the same
    greeting: one conversation, then a second, and nothing is deleted (V3, V11, V12, R1, M15)."""
    numbered(world)
    server = world.start()
    ada = server.owner()
    ada.character("Mira")
    lines: list[str] = ["hey"]
    places: set[str] = set()
    days = ["My brother is called Odo.", *(f"On day {n} I walked along the river for {n} hours." for n in range(2, 13))]

    for day, text in enumerate(["hey", *days]):
        if day:
            lines.append(text)
        trimmed = lines[-6:] if len(lines) % 2 else lines[-5:]
        answer, place = send(ada, "mira", dialogue(*lines)[len(lines) - len(trimmed) :])
        lines.append(answer)
        places.add(place)
        if day == 6:
            server.kill()
            server = world.start()
            ada = server.owner()
    world.settle(ada)
    [first] = places
    assert talk(ada, first) == lines

    # What was said long before the first line that is sent is known from memory.
    lines.append("What is my brother called?")
    answer, place = send(ada, "mira", dialogue(*lines)[-5:])
    lines.append(answer)
    assert place == first
    assert "Odo" in world.prompts[-1]

    # The whole talk at once is the same talk.
    lines.append("That is all of it, from the beginning to the end.")
    answer, place = send(ada, "mira", dialogue(*lines))
    lines.append(answer)
    assert place == first
    assert talk(ada, first) == lines

    # A new one that opens alike is another one, and takes nothing away.
    _, second = send(ada, "mira", dialogue("hey", GREETING, "Convert 5 miles to km"))
    world.settle(ada)
    assert second != first
    assert talk(ada, first) == lines
    assert [each["hidden"] for each in ada.all(f"/api/conversations/{first}/messages")] == [False] * len(lines)
    assert talk(ada, second)[:3] == ["hey", GREETING, "Convert 5 miles to km"]
    assert "User has a brother named Odo" in ada.memories()
    assert {each["id"] for each in ada.all("/api/conversations")} == {first, second}


def test_agents_that_work_through_v1_leave_the_owners_life_alone(world: World) -> None:
    """Two agents with tools talk for fifty steps, with results as user lines: each talk is one conversation, calls of
    tools are events, and the owner's memories and next talk are untouched (C1, F1, V10, R1)."""
    numbered(world)
    ada = world.start().owner()
    mira, *_ = [ada.character(name) for name in ("Mira", "Planner", "Coder")]
    ada.say(ada.open(mira), "My name is Ada Berg, and I live in Porto.")
    world.settle(ada)
    known = ada.memories()
    assert any("Porto" in each for each in known)

    places: set[str] = set()
    sent: dict[str, list[dict[str, Any]]] = {"planner": [], "coder": []}
    for step in range(50):
        model, other = ("planner", "coder") if step % 2 else ("coder", "planner")
        messages = sent[model]
        match step % 3:
            case 0:
                messages.append(
                    {"role": "user", "name": other, "content": f"I live in Malmo, and step {step} is yours."}
                )
            case 1:
                messages.append({"role": "user", "content": f"Observation: My name is Lars Berg, file {step}."})
            case _:
                call = {"id": f"call-{step}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
                messages.append({"role": "user", "name": other, "content": f"My wife is called Pia; do {step}."})
                messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
                messages.append({"role": "tool", "tool_call_id": f"call-{step}", "content": f"I am Lars, {step}."})
        answer, place = send(ada, model, messages)
        messages.append({"role": "assistant", "content": answer})
        places.add(place)
    world.settle(ada)

    assert len(places) == 2
    for place, model in ((place, model) for place in places for model in sent):
        if talk(ada, place)[-1] == sent[model][-1]["content"]:
            said = [each["content"] for each in sent[model] if each["role"] != "tool" and each["content"]]
            assert talk(ada, place) == said
    named = {each["name"] for place in places for each in ada.all(f"/api/conversations/{place}/messages")}
    assert {"planner", "coder", "tool"} <= named
    events = json.dumps(ada.get("/api/events", params={"limit": 100, "type": "tool_invocation"}))
    assert events.count("tool_invocation") >= 16
    assert ada.memories() == known

    # The next human talk knows the owner, and nothing that the agents said.
    ada.say(ada.open(mira), "Good morning! Where do I live, and what is my name?")
    assert "Porto" in world.prompts[-1]
    assert not any(each in world.prompts[-1] for each in ("Malmo", "Lars", "Pia", "Observation"))


def test_an_edited_and_regenerated_talk_is_brought_back(any_world: World) -> None:
    """A program that sends its whole talk edits the first line and regenerates; the earlier version is restored at
    another server, with what was learnt of it, and the program goes on from there (V2, V3, M15, R1)."""
    world = any_world
    numbered(world)
    ada = world.start().owner()
    mira = ada.character("Mira")
    headers = {SESSION: "chat-7", "X-Everlore-History": "whole"}
    first = ["My brother is called Odo."]
    first.append(send(ada, "mira", dialogue(*first), **headers)[0])
    first.append("What shall we give him for his birthday?")
    first.append(send(ada, "mira", dialogue(*first), **headers)[0])
    world.settle(ada)
    assert ada.memories() == ["User has a brother named Odo"]

    # Edited and sent, then regenerated twice.
    second, answer = ["My brother is called Tam."], ""
    for _ in range(3):
        answer, place = send(ada, "mira", dialogue(*second), **headers)
        assert place == "chat-7"
    second.append(answer)
    world.settle(ada)
    assert talk(ada, "chat-7") == second
    assert ada.memories() == ["User has a brother named Tam"]
    [line] = [each for each in ada.all("/api/conversations/chat-7/messages") if each["content"] == answer]
    assert len(line["alternatives"]) == 3
    prompt = ada.prompt(ada.open(mira), "What is my brother called?")
    assert "Tam" in prompt
    assert "Odo" not in prompt

    # Restored elsewhere: lines and facts are as they were, also in an export and in a new talk.
    elsewhere = world.start().owner()
    messages = elsewhere.all("/api/conversations/chat-7/messages")
    withdrawn = [each for each in messages if each["withdrawn"]]
    assert sorted(each["content"] for each in withdrawn) == sorted(first)
    elsewhere.post(f"/api/conversations/chat-7/messages/{withdrawn[0]['id']}/restore")
    world.settle(ada)
    assert talk(ada, "chat-7") == first
    assert ada.memories() == ["User has a brother named Odo"]
    prompt = ada.prompt(ada.open(mira), "What is my brother called?")
    assert "Odo" in prompt
    assert "Tam" not in prompt

    # The program steps back to that version and goes on: one conversation, and no line twice.
    first.append("And for my sister Ulla?")
    first.append(send(ada, "mira", dialogue(*first), **headers)[0])
    assert talk(ada, "chat-7") == first
    everything = ada.all("/api/conversations/chat-7/messages")
    texts = [text for each in everything for text in (each["alternatives"] or [each["content"]])]
    assert len(texts) == len(set(texts))
    assert {*first, *second} <= set(texts)
