"""The member: tries everything that is not theirs, is refused, and learns nothing from the refusals."""

from typing import Any

from tests.journeys.world import Client, World


def refused(member: Client, method: str, path: str, body: Any = None) -> tuple[int, str]:
    """The status and the words of a refusal, without the id that was asked for."""
    answer = member.http.request(method, path, json=body)
    assert answer.status_code in {400, 403, 404}, f"{method} {path}: {answer.status_code} {answer.text}"
    return answer.status_code, answer.text


def test_a_member_reaches_nothing_of_the_owner_and_learns_nothing_from_the_refusals(world: World) -> None:
    server = world.start(tokens=True)
    ada = server.owner()
    mira = ada.character("Mira")
    talk, private = ada.open(mira), ada.open(mira, config={"private": True})
    ada.say(talk, "I live in Porto.")
    ada.say(private, "I hid the ledger under the stairs.")
    world.settle(ada)
    (secret,) = [each["id"] for each in ada.get("/api/memories")["items"] if "Porto" in each["content"]]
    message = ada.get(f"/api/conversations/{talk}/messages")["items"][0]["id"]
    robin = ada.member("Robin")
    own = robin.open(mira)
    robin.say(own, "I keep goats.")
    world.settle(ada)

    # Everything of the owner's is answered as if it did not exist.
    for theirs, method, path, body in [
        ("user", "POST", "/api/memories", {"content": "Ada stole the ledger", "person_id": "ID"}),
        ("user", "POST", "/api/memories", {"content": "Ada stole it", "person_id": mira, "partner_id": "ID"}),
        (talk, "POST", "/api/memories", {"content": "Robin was here", "conversation_id": "ID"}),
        (private, "POST", "/api/memories", {"content": "Robin was here", "conversation_id": "ID"}),
        (talk, "GET", "/api/memories?conversation_id=ID", None),
        (message, "GET", "/api/memories?message_id=ID", None),
        (secret, "GET", "/api/memories/ID", None),
        (secret, "DELETE", "/api/memories/ID", None),
        (secret, "POST", "/api/memories/ID/undo", None),
        (talk, "GET", "/api/conversations/ID/messages", None),
        (talk, "POST", "/api/conversations/ID/messages", {"content": "Hello!"}),
        (talk, "POST", "/api/conversations/ID/stop", None),
        (private, "POST", "/api/conversations/ID/branch", {"message_id": message}),
        ("user", "POST", "/api/conversations", {"character_id": "ID"}),
        ("user", "GET", "/api/events?person_id=ID", None),
    ]:

        def of(id: str, path: str = path, body: Any = body, method: str = method) -> tuple[int, str]:
            given = {name: id if each == "ID" else each for name, each in body.items()} if body else None
            status, text = refused(robin, method, path.replace("ID", id), given)
            return status, text.replace(id, "ID")

        assert of(theirs) == of("no-such-id"), (method, path)

    # What only the owner may do.
    for method, path in [("GET", "/api/audit"), ("GET", "/api/users"), ("GET", "/api/export"), ("GET", "/api/models")]:
        assert refused(robin, method, path)[0] == 403
    service = {"character_id": mira, "config": {"service_type": "ollama"}}
    assert "No ollama service is set up" in refused(robin, "POST", "/api/conversations", service)[1]

    # Nothing was written, and each still has what is theirs.
    assert all("Robin" not in each and "stole" not in each for each in ada.memories())
    assert robin.memories() == ["User keeps goats"]
    assert "Porto" not in "".join(robin.search("Where does the user live?"))
    assert "Porto" not in robin.post("/api/context", {"query": "Where do I live?"})["text"]
    assert "goats" not in ada.post("/api/context", {"query": "What do I keep?"})["text"]
    assert "Porto" in "".join(ada.search("Where does the user live?"))
