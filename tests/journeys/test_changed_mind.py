"""Changed my mind: five facts, a branch, an edit in it, a forgetting, a correction by hand; all ways agree."""

from typing import Any

from tests.journeys.world import Client, World

FACTS = ("I live in Porto.", "I keep bees.", "I play the oboe.", "I work as a cooper.", "I am allergic to peanuts.")


def listed(client: Client, talk: str) -> dict[str, str]:
    """What is known in a conversation, by its words."""
    found: dict[str, str] = {}
    page: Any = {"next": ""}
    while page["next"] is not None:
        mark = {"cursor": page["next"]} if page["next"] else {}
        page = client.get("/api/memories", params={"conversation_id": talk, "status": "active"} | mark)
        found |= {each["content"]: each["id"] for each in page["items"]}
    return found


def test_a_branch_an_edit_a_forgetting_and_a_correction_agree_everywhere(world: World) -> None:
    ada = world.start().owner()
    talk = ada.open(ada.character("Mira"))
    for said in FACTS:
        ada.say(talk, said)
    world.settle(ada)
    lines = ada.get(f"/api/conversations/{talk}/messages")["items"]
    branch = ada.post(f"/api/conversations/{talk}/branch", {"message_id": lines[-1]["id"]})["id"]
    known = listed(ada, talk)
    assert len(known) == 5
    assert listed(ada, branch) == known

    copy = next(
        each["id"] for each in ada.get(f"/api/conversations/{branch}/messages")["items"] if each["content"] == FACTS[0]
    )
    ada.patch(f"/api/conversations/{branch}/messages/{copy}", {"content": "I live in Braga."})
    ada.delete(f"/api/memories/{known['User keeps bees']}")
    ada.post(f"/api/memories/{known['User works as a cooper']}/correct", {"content": "User works as a baker"})
    world.settle(ada)

    shared = {"User plays the oboe", "User works as a baker", "User is allergic to peanuts"}
    assert set(listed(ada, talk)) == shared | {"User lives in Porto"}
    assert set(listed(ada, branch)) == shared | {"User lives in Braga"}
    exported = [each for each in ada.request("GET", "/api/export").text.splitlines() if each.startswith('{"memory":')]
    assert not any('"content":"User keeps bees"' in each for each in exported)
    assert sum('"content":"User plays the oboe"' in each for each in exported) == 1
