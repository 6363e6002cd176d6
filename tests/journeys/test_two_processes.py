"""Two server processes on one database behave as one."""

from tests.journeys.world import World


def test_a_fact_told_on_one_server_is_known_corrected_and_forgotten_on_the_other(any_world: World) -> None:
    """Chat, learning, recall, correction, forgetting and kill -9, across two processes."""
    first, second = any_world.start(), any_world.start()
    ada, elsewhere = first.owner(), second.owner()
    mira = ada.character("Mira")

    ada.say(ada.open(mira), "I live in Porto.")
    any_world.settle(ada)
    assert ada.memories() == ["User lives in Porto"]

    # The other process knows it, and what is corrected there holds here.
    talk = elsewhere.open(mira)
    elsewhere.say(talk, "Where do I live?")
    assert "lives in Porto" in any_world.prompts[-1]
    [memory] = elsewhere.get("/api/memories", params={"status": "active"})["items"]
    elsewhere.post(f"/api/memories/{memory['id']}/correct", {"content": "User lives in Braga"})
    any_world.settle(ada)
    assert ada.memories() == ["User lives in Braga"]

    # A process that is killed takes nothing with it.
    first.kill()
    assert elsewhere.memories() == ["User lives in Braga"]
    [memory] = elsewhere.get("/api/memories", params={"status": "active"})["items"]
    elsewhere.delete(f"/api/memories/{memory['id']}")
    any_world.settle(elsewhere)
    assert elsewhere.memories() == []
    assert "Braga" not in elsewhere.prompt(elsewhere.open(mira), "Where do I live?")
