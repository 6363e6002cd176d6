"""First five minutes: the demo, a reply in it, a first message, a fact seen, corrected, forgotten; the demo removed."""

from tests.journeys.world import World


def test_a_newcomer_tries_the_demo_and_keeps_only_what_is_theirs(world: World) -> None:
    server = world.start()
    ada = server.owner()

    # The first thing a newcomer tries is to answer in the demo.
    ada.post("/api/demo")
    demo = [each for each in ada.all("/api/conversations") if each["user_id"] is not None]
    assert {each["id"] for each in demo} < set(ada.get("/api/demo")["ids"])
    assert {each["state"] for each in demo} == {"open"}
    world.reply = lambda _: "The light holds."
    assert ada.say(demo[0]["id"], "Is the light holding?") == "The light holds."
    assert ada.say(demo[0]["id"], "And after a break?") == "The light holds."

    # Then a conversation of their own, which is closed and goes on.
    mira = ada.character("Mira")
    talk = ada.open(mira)
    ada.say(talk, "I live in Porto.")
    ada.say(talk, "I keep bees.")
    ada.post(f"/api/conversations/{talk}/close")
    ada.say(talk, "I play the oboe.")
    assert ada.get(f"/api/conversations/{talk}")["state"] == "open"
    world.settle(ada)
    mine = {each["content"]: each["id"] for each in ada.get("/api/memories", params={"conversation_id": talk})["items"]}
    assert set(mine) == {"User lives in Porto", "User keeps bees", "User plays the oboe"}

    # A fact is corrected, another forgotten.
    ada.post(f"/api/memories/{mine['User lives in Porto']}/correct", {"content": "User lives in Braga"})
    ada.delete(f"/api/memories/{mine['User keeps bees']}")
    known = "".join(each for each in ada.search("Where does the user live? What does the user keep?"))
    assert "Braga" in known
    assert "User lives in Porto" not in known
    assert "bees" not in known

    # The demo goes, and only one's own is left.
    ada.delete("/api/demo")
    assert ada.get("/api/demo") == {"here": False, "ids": []}
    assert [each["id"] for each in ada.all("/api/conversations")] == [talk]
    assert sorted(ada.memories()) == ["User lives in Braga", "User plays the oboe"]
    found = ada.post("/api/memories/search", {"query": "Is the light holding?", "include": ["messages", "memories"]})
    assert {each["conversation_id"] for each in found["items"]} <= {talk}
    assert ada.say(talk, "Good night.") == "The light holds."


def test_everything_that_was_learned_is_told_when_asked_for(world: World) -> None:
    """R2b: without a model, a newcomer asks what is known about them: all of it, without what another user said, what
    a private chat holds, and what is over."""
    ada = world.start(model=False).owner()
    pip = ada.character("Pip")
    talk = ada.open(pip)
    for sentence in (
        "My name is Samantha. Call me Sammy.",
        "I live in Bristol.",
        "I have two cats called Tom and Jerry.",
        "I work as a nurse.",
        "I hate coriander.",
        "I'm learning the cello.",
        "My brother Paul is getting married in June.",
        "I'm allergic to penicillin.",
        "I used to live in Leeds.",
    ):
        ada.say(talk, sentence)
    ada.say(ada.open(pip, config={"private": True}), "I have a boat.")
    bert = ada.member("Bert")
    bert.say(bert.open(pip), "I live in Oslo.")
    world.settle(ada)

    told = ada.say(ada.open(pip), "What do you know about me?")

    known = ("Samantha", "Sammy", "Bristol", "Tom and Jerry", "nurse", "coriander", "cello", "Paul", "penicillin")
    assert [each for each in known if each not in told] == []
    assert [each for each in ("Oslo", "boat", "Leeds") if each in told] == []
