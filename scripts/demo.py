"""Writes the demo, src/everlore/services/demo.jsonl: `python -m scripts.demo`.

It is played on a real server, whose model says the lines below, with rules that learn from what is said. Then the
campaign's entities and digest are curated, as a game master would, and the export is spread over six weeks. Run it
again when the lines change, or when records get new fields.

Start at `main`.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from everlore.interchange.lines import parse
from everlore.services.demo import retimed
from tests.models.chat_server import ChatServer, Exchange, Scenario
from tests.server.thinking import thinking

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "src" / "everlore" / "services" / "demo.jsonl"
LOG = ROOT / "examples" / "the_silent_bell" / "session-1.txt"
# When the last thing in it happened. Opening the demo moves it to yesterday.
LAST = datetime(2025, 6, 1, 20, 0, tzinfo=UTC)
# How long before that each part took place: the characters, the chats in order, the campaign, its review.
DAYS_BEFORE = (42, 40, 23, 9, 4, 1)
# How much longer a chat takes than its playing here.
SLOWER = 60
_SCRIPTED = re.compile(rb',"prompt_tokens":\d+,"reply_tokens":\d+')
# What belongs to the server where it was played, and not to the world.
LEFT = {"setting", "deed", "counted", "miss"}

# The kinds that the rules guess wrong, and a description for each entity that is approved.
ENTITIES: Mapping[str, tuple[str, str]] = {
    "Cutwater Abbey": ("location", "Where the ledger says the bell and its ringer were sent."),
    "Corporal Stannish": ("npc", "Led the Weir Company's men at Harl's Mill. Drowned in the mill race."),
    "Tamsel": ("location", "A river town that floods unless its bell is rung at noon."),
    "Marigold": ("item", "Wilmot's barge. She has lost her only anchor."),
    "Harl's Mill": ("location", "A ruin on an island in the Orrow. A ledger lay under its floor."),
    "Orrow": ("location", "The river. It keeps its banks while the bell is rung."),
    "Factor Lisle": ("npc", "Leads the Weir Company, and paid for the bell."),
    "Dame Orsolya Pruett": ("npc", "Rules Tamsel, and wants her bell back before the flood."),
    "Wilmot Dace": ("npc", "Bargeman, played by Hal. Owns the Marigold."),
    "Sister Agnes Corrow": ("npc", "Played by Theo. Promised to bring the bell back."),
    "Juniper Pike": ("npc", "Played by Marisa. Grew up near Tamsel, and does not poach."),
    "Nessa Hobday": ("npc", "The ringer of Tamsel, gone with the bell. Ezra's sister."),
}
# Not what they seem to the rules.
NO_ENTITIES = ("Late September", "Silent Bell", "Quorvane")
# Left for the reader to decide in Review.
UNDECIDED = ("Ezra Hobday", "Weir Company")

SUMMARY = (
    "The silver bell of Tamsel is gone, and with it Nessa Hobday, who rings it. While the bell is silent the river "
    "Orrow will not keep its banks, and the autumn flood is nine days away.\n\n"
    "A cut rope and blue wax point to the Weir Company. Dame Orsolya Pruett hires the crew of the Marigold, and Sister "
    "Corrow gives her word to bring the bell back. They follow the Company's barges downriver by night, with the "
    "lock-keeper Ezra aboard.\n\n"
    "At Harl's Mill they surprise four of the Company's men. Corporal Stannish drowns with Wilmot's only anchor round "
    "his ankle. A ledger under the floor reads: “One bell, one ringer, to Cutwater Abbey. Paid in full, Lisle.” Factor "
    "Lisle leads the Weir Company. Eight days are left."
)
LINE = "The bell of Tamsel is stolen. The crew of the Marigold finds out that Factor Lisle paid for it."
# The digest of the log: the beginning of what the rules kept, and what it should say; None: not worth keeping.
DIGEST: Mapping[str, str | None] = {
    "Theo: “We'll bring it back": "Sister Corrow promised Dame Orsolya to bring the bell back before the flood.",
    "Hal: “We decide to follow": "The crew followed the Weir Company's barges downriver by night instead of waiting.",
    "Bex: “NATURAL TWENTY": None,
    "Bex: “He's a goblin": None,
    "Ezra wants to come": "Ezra Hobday, the lock-keeper of Tamsel, travels on the Marigold.",
    "Late September, river mist": "The Marigold reaches Tamsel at noon, and no bell rings: it was stolen in the night.",
    "Dame Orsolya Pruett rules Tamsel, in so far as anyone does. Theo": (
        "Dame Orsolya Pruett hires the crew: free mooring for life if they bring back the bell."
    ),
    "The ledger's last line": "The ledger names Cutwater Abbey and Factor Lisle. Eight days are left until the flood.",
    "Around two in the morning": "The fight at Harl's Mill: Corporal Stannish drowns, and a ledger is found.",
    "For me only: the bell": "The bell was not stolen for its metal.",
    "GM note: Lisle": "Factor Lisle is no man but a gloamwright, wearing the third skin he has stolen.",
    "Hint at the smell": "Factor Lisle smells of wet clay.",
    "It was cast from": "The bell was cast from a Quorvane heart. Lisle needs it to wake the thing under the weir.",
}
THREADS = (
    "Bring the bell back to Tamsel before the flood.",
    "Find Nessa Hobday.",
    "What does Factor Lisle want with the bell?",
)

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
        "kind": "user",
        "description": "Carries letters along the coast. You speak as Wren in this world.",
        "description_public": "Carries letters along the coast.",
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
            "Wren Hollis rowed out in the storm with a letter from Jonah in Port Ellery, and stayed for the night.",
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
        marks = played(house, model)
        exported = house.get("/api/export").raise_for_status().content
    OUT.write_bytes(written(exported, marks))
    print(f"{OUT.relative_to(ROOT)}: {OUT.stat().st_size:,} bytes")


def played(house: httpx.Client, model: ChatServer) -> list[datetime]:
    """When each part of it began."""
    marks = [datetime.now(UTC)]
    ids = {who: _made(house, "/api/characters", **card)["id"] for who, card in PEOPLE.items()}
    tamsin, corvin, wren = ids.values()
    secret = {"content": SECRET, "type": "DISCOVERY", "person_id": wren, "partner_id": tamsin}
    memory = _made(house, "/api/memories", **secret)["id"]
    shared = {"content": SHARED, "type": "RELATIONSHIP", "person_id": tamsin, "partner_id": corvin}
    _made(house, "/api/memories", **shared)
    for who, title, icon, lines, read in TALKS:
        marks.append(datetime.now(UTC))
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
        _wait(house)
        # Closed to form its memories, and open again to be continued.
        house.patch(f"/api/conversations/{id}", json={"state": "open"}).raise_for_status()
    marks.append(datetime.now(UTC))
    campaign = _made(house, "/api/campaigns", name="The Silent Bell", premise="A bell disappears, and the river rises.")
    here = f"/api/campaigns/{campaign['id']}"
    _made(house, f"{here}/chapters", name="The Stolen Bell", goals=["Find the bell of Tamsel."])
    named = {"filename": "The Silent Bell, session 1.txt"}
    house.post(f"{here}/logs", params=named, content=LOG.read_bytes()).raise_for_status()
    _wait(house)
    for session in house.get(f"{here}/sessions").raise_for_status().json()["items"]:
        for part in session["parts"]:
            log = house.patch(f"/api/conversations/{part['conversation_id']}", json={"state": "open"})
            # A name of its own: logs that are imported later have another narrator, and keep it.
            (narrator,) = log.raise_for_status().json()["system_ids"]
            own = {"name": "Game master", "tags": ["demo"]}
            house.patch(f"/api/characters/{narrator}", json=own).raise_for_status()
    marks.append(datetime.now(UTC))
    _review(house, here)
    _edit_digest(house, here)
    _wait(house)
    return marks


def _wait(house: httpx.Client) -> None:
    while house.get("/api/jobs").raise_for_status().json()["queue"]["pending"]:
        time.sleep(0.2)


def _review(house: httpx.Client, campaign: str) -> None:
    """Entities first, with the right kinds, so that relationships find their ends."""
    noticed = house.get(f"{campaign}/proposals", params={"limit": 200}).raise_for_status().json()["items"]
    titles = {each["title"] for each in noticed if each["kind"] == "entity"}
    if missing := titles - {*ENTITIES, *NO_ENTITIES, *UNDECIDED}:
        raise SystemExit(f"Say in ENTITIES, NO_ENTITIES or UNDECIDED what becomes of {sorted(missing)}.")
    for each in noticed:
        if each["kind"] == "entity" and each["title"] in ENTITIES:
            kind, description = ENTITIES[each["title"]]
            _made(house, f"/api/proposals/{each['id']}/approve", kind=kind, description=description)
        elif each["kind"] == "entity" and each["title"] in NO_ENTITIES:
            house.post(f"/api/proposals/{each['id']}/reject", json={}).raise_for_status()
    for each in noticed:
        if each["kind"] == "relationship":
            house.post(f"/api/proposals/{each['id']}/approve", json={}).raise_for_status()
        elif each["kind"] not in ("entity", "conflict"):
            house.post(f"/api/proposals/{each['id']}/reject", json={}).raise_for_status()


def _edit_digest(house: httpx.Client, campaign: str) -> None:
    kept = house.get(f"{campaign}/memories", params={"limit": 200}).raise_for_status().json()["items"]
    for memory in kept:
        path = f"/api/memories/{memory['id']}"
        if memory["type"] == "SUMMARY":
            house.patch(path, json={"content": SUMMARY, "summary": LINE}).raise_for_status()
            continue
        start = next((start for start in DIGEST if memory["content"].startswith(start)), None)
        if start is None:
            continue
        text = DIGEST[start]
        (house.patch(path, json={"content": text}) if text else house.delete(path)).raise_for_status()
    for thread in THREADS:
        _made(house, f"{campaign}/memories", content=thread, type="PLOT_THREAD")


def written(exported: bytes, marks: Sequence[datetime]) -> bytes:
    """The file as it is shipped: only what belongs to the world, spread over weeks."""
    header, *lines, _ = exported.splitlines(keepends=True)
    # The user of this server is not part of the world, and its scripted model counted no tokens.
    kept = [
        _SCRIPTED.sub(b"", line.replace(b'"user_id":"user"', b'"user_id":null')) for line in lines if _is_kept(line)
    ]
    first = parse(header) | {"workspace": "demo"}
    head = json.dumps(first, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    # `retimed` writes the counts and the checksum.
    return retimed(b"".join([head, *kept, b"{}\n"]), lambda moment: _spread(moment, marks))


def _spread(moment: datetime, marks: Sequence[datetime]) -> datetime:
    if moment < marks[0]:
        # Said to have been years ago.
        return moment - marks[0] + LAST - timedelta(days=DAYS_BEFORE[0])
    part = max(at for at, mark in enumerate(marks) if mark <= moment)
    return min(LAST - timedelta(days=DAYS_BEFORE[part]) + (moment - marks[part]) * SLOWER, LAST)


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
