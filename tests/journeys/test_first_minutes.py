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
