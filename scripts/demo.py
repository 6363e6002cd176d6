"""Writes the demo world that comes along, src/everlore/interchange/demo.jsonl: `python -m scripts.demo`.

It is played here as anybody would play it: on a real server, whose model says the lines below, with rules that learn
from what is said. What comes of it is exported, without what belongs to this house, and moved to a day long past. Run
it again when the lines change, or when records have fields that the file has not.

Start at `main`.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from everlore.interchange.lines import Tally, end_line, parse
from tests.models.chat_server import ChatServer, Exchange, Scenario
from tests.server.thinking import thinking

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "src" / "everlore" / "interchange" / "demo.jsonl"
LOG = ROOT / "examples" / "the_silent_bell" / "session-1.txt"
# When the last thing in it happened.
LAST = datetime(2025, 6, 1, 20, 0, tzinfo=UTC)
# So many of the names and ties that are noticed in the log are left for whoever looks at them.
LEFT_OPEN = 4
# What belongs to the house where it was played, and not to the world.
LEFT = {"setting", "deed", "counted", "miss"}
_TIME = re.compile(rb'"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?\+00:00)"')

PEOPLE: Mapping[str, Mapping[str, Any]] = {
    "tamsin": {
        "name": "Tamsin Vale",
        "description": "Keeps the light on Gannet Rock, as her mother did. Forty, weathered, with ink on her fingers.",
        "personality": "Dry, patient, and fond of anybody who can tie a proper knot. Says little of herself.",
        "scenario": "The kitchen of the lighthouse, with the kettle on and a storm coming up.",
        "greetings": ["*She holds the door against the wind.* In with you, {{user}}. You are letting the sea in."],
        "tags": ["demo"],
    },
    "corvin": {
        "name": "Corvin Ash",
        "description": "Mends clocks in Saltmarsh, in a shop where no two of them agree.",
        "personality": "Curious to a fault, generous, and unable to leave a story unfinished.",
        "scenario": "The shop at dusk, among a hundred ticking clocks.",
        "greetings": ["*He looks up from a watch without hands.* {{user}}! Sit, and mind the springs."],
        "tags": ["demo"],
    },
    "wren": {
        "name": "Wren Hollis",
        "description": "Carries letters along the coast, and speaks for you in this world.",
        "tags": ["demo"],
    },
}


def _read(summary: str, memories: Mapping[str, str], type: str, passed: str) -> Mapping[str, Any]:
    """What the model makes of a talk when it is over; memories with their types."""
    return {
        "summary": {"summary": summary},
        "memories": {
            "memories": [
                {"content": content, "summary": content[:60], "type": kind, "importance": 7}
                for content, kind in memories.items()
            ]
        },
        "interaction": {
            "type": type,
            "description": passed,
            "actor_outcome": "FAVORABLE",
            "interactor_outcome": "FAVORABLE",
        },
    }


# Who is talked to, what it is called, its icon, what is said by turns (Wren first), and what is made of it.
TALKS: tuple[tuple[str, str, str, tuple[tuple[str, str], ...], Mapping[str, Any]], ...] = (
    (
        "tamsin",
        "The night of the storm",
        "thunderstorm",
        (
            (
                "I live in Saltmarsh, above the bakery. It took me four hours to row out here.",
                "Four hours against that tide, and for a letter. Sit down before you fall down. Who is it from?",
            ),
            (
                "My brother is called Jonah. He is a shipwright in Port Ellery, and says that the harbour is closed.",
                "Closed in June? Then the dredger has sunk after all. I said so in April. Nobody listens to a lamp.",
            ),
            (
                "I am afraid of thunder, so I shall be glad of a bed. And I am allergic to mussels.",
                "There goes supper. You shall have eggs, and the room under the lamp, where it is loudest and safest.",
            ),
        ),
        _read(
            "Wren Hollis rowed out with a letter from Jonah in Port Ellery, and stayed for the night.",
            {
                "Wren Hollis is afraid of thunder and is allergic to mussels.": "FACT",
                "Jonah, the brother of Wren Hollis, is a shipwright in Port Ellery.": "RELATIONSHIP",
            },
            "ACCOMMODATE",
            "Tamsin gave Wren a bed for the night of the storm.",
        ),
    ),
    (
        "corvin",
        "A clock that runs backwards",
        "schedule",
        (
            (
                "I brought you the clock from the lighthouse. I love old clocks, even if this one runs backwards.",
                "Backwards! Then it was never broken, only homesick. Tell her it will be ready on Friday.",
            ),
            (
                "I want to open a post office of my own one day, with a clock over the door.",
                "Then I shall build it, and it shall be right twice a day whether you wind it or not.",
            ),
        ),
        _read(
            "Wren Hollis brought the clock of the lighthouse to Corvin Ash, who will have mended it by Friday.",
            {"Wren Hollis wants to open a post office with a clock over the door.": "FACT"},
            "COOPERATE",
            "Corvin promised Wren a clock for the post office.",
        ),
    ),
    (
        "corvin",
        "What the keeper keeps",
        "record_voice_over",
        (
            (
                "Tamsin will not say so herself, but you should know it. ${memory.SECRET}",
                "Eleven years, and never a word! Then the clock is a message, and I have been reading it wrong.",
            ),
        ),
        _read(
            "Wren Hollis told Corvin Ash of the letters that Tamsin Vale never sent.",
            {},
            "COMMUNICATE",
            "Wren told Corvin what Tamsin had kept to herself.",
        ),
    ),
)
SECRET = "Tamsin Vale has written to Corvin Ash every winter for eleven years and sent none of the letters"
SHARED = "Corvin Ash and Tamsin Vale went to school together in Saltmarsh"


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="everlore-demo-") as folder,
        ChatServer() as model,
        _house(Path(folder), model.url) as url,
        httpx.Client(base_url=url, timeout=120) as house,
    ):
        played(house, model)
        exported = house.get("/api/export").raise_for_status().content
    OUT.write_bytes(written(exported))
    print(f"{OUT.relative_to(ROOT)}: {OUT.stat().st_size:,} bytes")


def played(house: httpx.Client, model: ChatServer) -> None:
    ids = {who: _made(house, "/api/characters", **card)["id"] for who, card in PEOPLE.items()}
    tamsin, corvin, wren = ids.values()
    secret = {"content": SECRET, "type": "DISCOVERY", "person_id": wren, "partner_id": tamsin}
    memory = _made(house, "/api/memories", **secret)["id"]
    shared = {"content": SHARED, "type": "RELATIONSHIP", "person_id": tamsin, "partner_id": corvin}
    _made(house, "/api/memories", **shared)
    talks: list[str] = []
    for who, title, icon, lines, read in TALKS:
        config = {"gossip_enabled": True, "auto_title": False, "memory_extraction_max_per_segment": 3}
        talk = {"character_id": ids[who], "user_id": wren, "title": title, "config": config}
        id = _made(house, "/api/conversations", **talk)["id"]
        house.patch(f"/api/conversations/{id}", json={"icon": icon}).raise_for_status()
        for said, answer in lines:
            model.scenario = _saying(answer)
            _made(house, f"/api/conversations/{id}/messages", content=said.replace("SECRET", memory), stream=False)
        model.scenario = thinking(**read)
        _made(house, f"/api/conversations/{id}/keyframe?wait=true")
        _made(house, f"/api/conversations/{id}/close")
        talks.append(id)
    campaign = _made(house, "/api/campaigns", name="The Silent Bell", premise="A bell disappears, and the river rises.")
    here = f"/api/campaigns/{campaign['id']}"
    _made(house, f"{here}/chapters", name="The Stolen Bell", goals=["Find the bell of Tamsel."])
    named = {"filename": "The Silent Bell, session 1.txt"}
    house.post(f"{here}/logs", params=named, content=LOG.read_bytes()).raise_for_status()
    while house.get("/api/jobs").raise_for_status().json()["queue"]["pending"]:
        time.sleep(0.2)
    # Read to the end, and open again for whoever wants to say something there.
    for id in talks:
        house.patch(f"/api/conversations/{id}", json={"state": "open"}).raise_for_status()
    noticed = house.get(f"{here}/proposals", params={"limit": 200}).raise_for_status().json()["items"]
    plain = [each["id"] for each in noticed if each["kind"] != "conflict"]
    _made(house, f"{here}/proposals/decide", ids=plain[:-LEFT_OPEN], decision="approved")


def written(exported: bytes) -> bytes:
    """The file as it comes along: only what belongs to the world, long ago, under a checksum of its own."""
    header, *lines, _ = exported.splitlines(keepends=True)
    # Whoever looks on speaks for nobody in it.
    kept = [line.replace(b'"user_id":"user"', b'"user_id":null') for line in lines if _is_kept(line)]
    times = [datetime.fromisoformat(each.decode()) for line in kept for each in _TIME.findall(line)]
    back = max(times) - LAST
    tally = Tally()
    moved = []
    for line in kept:
        moved.append(_TIME.sub(lambda found: _earlier(found, back), line))
        tally.add(next(iter(parse(line))), moved[-1])
    first = parse(header) | {"workspace": "demo", "at": LAST.isoformat(), "counts": tally.counts}
    head = json.dumps(first, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    return b"".join([head, *moved, end_line(tally.counts, tally.checksum)])


def _earlier(found: "re.Match[bytes]", back: Any) -> bytes:
    return b'"%s"' % (datetime.fromisoformat(found[1].decode()) - back).isoformat().encode()


def _is_kept(line: bytes) -> bool:
    kind, record = next(iter(parse(line).items()))
    return kind not in LEFT and not (kind == "person" and record["tags"] != ["demo"])


def _saying(text: str) -> Scenario:
    async def answer(exchange: Exchange) -> None:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        if exchange.asked.body.get("stream"):
            await exchange.begin()
            await exchange.text([text])
            await exchange.finish()
            await exchange.end()
        else:
            await exchange.whole(200, json.dumps({"object": "chat.completion", "choices": [choice], "usage": {}}))

    return answer


@contextmanager
def _house(folder: Path, model: str) -> Iterator[str]:
    command = [sys.executable, "-m", "everlore", "serve", "--port", "0", "--db", str(folder / "everlore.db")]
    wanted = {
        "EVERLORE_DATA_DIR": str(folder),
        "EVERLORE_CHAT__PROVIDER": "openai",
        "EVERLORE_CHAT__BASE_URL": model,
        "EVERLORE_CHAT__MODEL": "the demo",
        "EVERLORE_EMBEDDING__PROVIDER": "hashing",
    }
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | wanted) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def _made(house: httpx.Client, path: str, **body: Any) -> dict[str, Any]:
    answer = house.post(path, json=body) if body else house.post(path)
    if answer.is_error:
        raise SystemExit(f"{path}: {answer.text}")
    made: dict[str, Any] = answer.json()
    return made


if __name__ == "__main__":
    main()
