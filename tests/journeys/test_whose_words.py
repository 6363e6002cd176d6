"""Whose words are learned, and what a correction reaches."""

import json
import re
from typing import Any

from tests.journeys.world import World


def fact(content: str, quote: str) -> dict[str, Any]:
    fields = {"about": "user", "holds": "now", "category": "personal_info", "confidence": 0.95}
    return {"content": content, "quote": quote, **fields}


def test_the_pasted_mail(world: World) -> None:
    """A summary, a translation, a ticket and a code review, told to a character and through /v1: learning by rules and
    by a model that takes every "I" for the user, keyframes, recall, export."""
    every_i = [
        fact("User's name is Lars Berg", "My name is Lars Berg"),
        fact("User lives in Oslo", "I live in Oslo"),
        fact("User works at Statoil", "I work at Statoil"),
        fact("User is a junior developer", "I am a junior developer"),
        fact("User is married to Kari", "my wife Kari"),
        fact("User owns a castle", "I own a castle"),
        fact("User lives in Ghent", "I live in Ghent"),
    ]

    def reply(body: dict[str, Any]) -> str:
        if "You keep a notebook about one person" in json.dumps(body["messages"]):
            return json.dumps({"facts": every_i})
        return "Here you are."

    world.reply = reply
    ada = world.start(EVERLORE_EXTRACTION__PROVIDER="openai", EVERLORE_EXTRACTION__TRUST="plain").owner()
    mira = ada.character("Mira")
    talk = ada.open(mira, config={"keyframe_every": 4})

    ada.say(talk, "My name is Ada. I live in Ghent. Please summarise this mail: My name is Lars Berg. I live in Oslo.")
    ada.say(talk, "Translate to French:\n\nI work at Statoil and my wife Kari is a nurse.")
    ada.say(talk, "Classify this ticket:\n---\nMy name is Lars Berg and I live in Oslo. I decided to leave.\n---")
    ada.complete(
        [{"role": "user", "content": "Review this:\n```py\n# I am a junior developer, I live in Oslo\nx = 1\n```"}],
        mira,
    )
    world.settle(ada)

    learned = ada.memories(type="FACT")
    assert sorted(learned) == ["User lives in Ghent", "User's name is Ada"]
    kept = " ".join(ada.memories(type="DECISION") + ada.memories(type="OUTCOME"))
    assert "leave" not in kept
    ada.say(ada.open(mira), "What do you know about me?")
    assert "Ghent" in world.prompts[-1]
    assert not re.search(r"User (is|lives|works|owns)[^\"\\]*(Oslo|Statoil|junior|castle)", world.prompts[-1])
    refused = ada.get("/api/readings", params={"filter": "not_stated"})["items"]
    assert any("Oslo" in json.dumps(each) for each in refused)


def test_changed_my_mind_by_hand(any_world: World) -> None:
    """Told in a chat with one character, corrected over REST, asked in another chat, searched, and exported: one answer
    everywhere; another member's life is untouched."""
    server = any_world.start()
    ada = server.owner()
    mira, otto = ada.character("Mira"), ada.character("Otto")
    bert = ada.member("Bert")
    ada.say(ada.open(mira), "I live in Seattle and I have a dog named Rex.")
    bert.say(bert.open(mira), "I live in Seattle.")
    ada.say(ada.open(otto), "I live in Seattle.")
    any_world.settle(ada)

    kept = ada.post("/api/memories", {"content": "User moved to Warsaw"})
    any_world.settle(ada)

    assert kept["outcome"] == "superseded"
    for character in (mira, otto):
        ada.say(ada.open(character), "Where do I live?")
        assert "Warsaw" in any_world.prompts[-1]
        assert "lives in Seattle" not in any_world.prompts[-1]
    found = ada.search("Where does the user live?", person_id="user")
    assert any("Warsaw" in each for each in found)
    assert not any("lives in Seattle" in each for each in found)
    lines = [json.loads(line) for line in ada.request("GET", "/api/export").text.splitlines()]
    homes = {
        (each["memory"]["content"], each["memory"]["status"])
        for each in lines
        if "memory" in each and "user" in each["memory"]["persons"] and "dog" not in each["memory"]["content"]
    }
    assert homes == {("User lives in Seattle", "superseded"), ("User moved to Warsaw", "active")}
    assert "User has a dog named Rex" in ada.memories()

    # Of two that say the same, correcting one is enough.
    for character in (mira, otto):
        ada.say(ada.open(character), "I work as a nurse.")
    any_world.settle(ada)
    jobs = [each for each in ada.all("/api/memories?status=active") if each["content"] == "User works as a nurse"]
    assert len(jobs) == 2
    ada.post(f"/api/memories/{jobs[0]['id']}/correct", {"content": "User works as a midwife"})
    assert [each for each in ada.memories() if "works" in each] == ["User works as a midwife"]

    assert bert.memories() == ["User lives in Seattle"]


def test_what_friends_call_somebody(world: World) -> None:
    """M4: nicknames stand beside the name; a private chat and a branch add nothing, and another person behind the
    same key has another."""
    ada = world.start(model=False).owner()
    mira = ada.character("Mira")
    talk = ada.open(mira)
    ada.say(talk, "My name is Samantha, but my friends call me Sammy.")
    ada.say(ada.open(mira, config={"private": True}), "Call me Kit.")
    ada.complete([{"role": "user", "content": "Call me Bert."}], mira, headers={"X-OpenWebUI-User-Id": "bert"})
    world.settle(ada)
    both = ["User goes by Sammy", "User's name is Samantha"]
    assert sorted(ada.memories(person_id="user")) == both

    last = ada.all(f"/api/conversations/{talk}/messages")[-1]["id"]
    branch = ada.post(f"/api/conversations/{talk}/branch", {"message_id": last})["id"]
    ada.say(branch, "My friends call me Sammy.")
    world.settle(ada)
    assert sorted(ada.memories(person_id="user")) == both
    assert sorted(ada.memories()) == ["User goes by Bert", *both]

    ada.say(ada.open(mira), "Call me Alex.")
    world.settle(ada)
    assert sorted(ada.memories(person_id="user")) == ["User goes by Alex", *both]


def test_another_language(world: World) -> None:
    """A talk in Turkish with a model that writes in English and translates names; asked in both languages, with a move
    in between."""
    said = {
        "Viyana'da yaşıyorum, bir kedim var.": [
            fact("User lives in Vienna", "Viyana'da yaşıyorum"),
            fact("User has a cat", "bir kedim var"),
        ],
        "Geçen hafta Münih'e taşındım.": [fact("User moved to Munich", "Münih'e taşındım")],
        "Çevir: Ben bir pilotum.": [fact("User is a pilot", "Ben bir kaptanım")],
    }

    def reply(body: dict[str, Any]) -> str:
        text = json.dumps(body["messages"], ensure_ascii=False)
        if "You keep a notebook about one person" not in text:
            return "Anladım."
        asked = text.split("message")[-1]
        return json.dumps({"facts": next((facts for line, facts in said.items() if line in asked), [])})

    world.reply = reply
    ada = world.start(EVERLORE_EXTRACTION__PROVIDER="openai", EVERLORE_EXTRACTION__TRUST="plain").owner()
    mira, otto = ada.character("Mira"), ada.character("Otto")

    talk = ada.open(mira)
    for line in said:
        ada.say(talk, line)
        world.settle(ada)

    assert sorted(ada.memories(type="FACT")) == ["User has a cat", "User moved to Munich"]
    assert ada.memories(status="superseded") == ["User lives in Vienna"]
    for question in ("Nerede yaşıyorum?", "Where do I live?"):
        ada.say(ada.open(mira), question)
        assert "Munich" in world.prompts[-1]
        assert "lives in Vienna" not in world.prompts[-1]
    ada.say(ada.open(otto), "Where do I live?")
    assert "Munich" not in world.prompts[-1]
