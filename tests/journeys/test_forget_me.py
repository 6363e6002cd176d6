"""One of five asks to be forgotten."""

import threading
from pathlib import Path

from tests.journeys.world import World

NAMES = ("Anna", "Bert", "Cleo", "Dora", "Egon")
# One word of each that stands nowhere else.
HOMES = dict(zip(NAMES, ("Quarrelfjord", "Zwickelheim", "Vexhollow", "Xanthorpe", "Jubelsund"), strict=True))


def _holds(folder: Path, word: str) -> list[str]:
    """The files in which the word stands."""
    return [each.name for each in folder.iterdir() if each.is_file() and word.encode() in each.read_bytes()]


def test_whoever_is_forgotten_is_gone_from_every_file_and_the_others_stay(world: World, tmp_path: Path) -> None:
    """Members, turns, learning, search, a backup and an export at the same time, deletion, audit log, queue."""
    server = world.start(tokens=True)
    owner = server.owner()
    mira = owner.character("Mira")
    people = {name: owner.member(name) for name in NAMES}
    talks = {name: client.open(mira) for name, client in people.items()}
    for name, client in people.items():
        client.say(talks[name], f"I live in {HOMES[name]}.")
    world.settle(owner)
    before = {name: (client.lines(talks[name]), client.memories()) for name, client in people.items()}
    assert all(any(HOMES[name] in each for each in before[name][1]) for name in NAMES)

    # Bert is forgotten while a backup and an export run.
    backup = threading.Thread(target=world.command().ok, args=("backup", str(tmp_path / "early.db")))
    export = threading.Thread(target=owner.request, args=("GET", "/api/export"))
    backup.start()
    export.start()
    [bert] = [each for each in owner.all("/api/users") if each["name"] == "Bert"]
    owner.delete(f"/api/conversations/{talks['Bert']}")
    owner.delete(f"/api/users/{bert['id']}")
    backup.join()
    export.join()
    world.settle(owner)

    # The others are as they were, and Bert can no longer come in.
    for name in NAMES:
        if name != "Bert":
            assert (people[name].lines(talks[name]), people[name].memories()) == before[name]
    people["Bert"].get("/api/me", status=401)
    word = HOMES["Bert"]
    assert word not in owner.request("GET", "/api/export").text
    assert word not in owner.request("GET", "/api/audit", params={"format": "ndjson"}).text
    assert word not in str(owner.search(f"Who lives in {word}?"))
    world.command().ok("backup", str(tmp_path / "late.db"))
    assert word.encode() not in (tmp_path / "late.db").read_bytes()
    server.stop()
    assert _holds(world.folder, word) == []
    assert _holds(world.folder, HOMES["Anna"]) == ["everlore.db"]
