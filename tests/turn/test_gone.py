"""What is deleted is gone (M9, M15): after every kind of edit, no word of it is left anywhere in the database, nor in
the bytes of its file."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from everlore.domain.analysis import Analysis
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.event import Event
from everlore.domain.interaction import Interaction
from everlore.domain.memory import Memory, MemoryType, Status
from everlore.domain.miss import Miss
from everlore.domain.person import PersonKind
from everlore.domain.policy import Role
from everlore.domain.reading import Reading
from everlore.domain.scope import Scope
from everlore.domain.xray import XRay, unpack
from everlore.errors import BadAsk, Forbidden, NotFound
from everlore.models.chat import Ask, End, Piece
from everlore.services.messages import RecordedLine
from everlore.settings import StoreSettings
from tests.contract.conftest import _postgres_texts, _sqlite_texts
from tests.postgres import Server
from tests.sqlite import migrated
from tests.turn.world import Scripted, World
from tests.worker.crew import FakeClock

PARROT = "parrot"
SAID = "My cousin Zebulon is a locksmith."


_OTHERS = {
    "I swear to guard the bridge until dawn.": "Then I shall stand beside you, friend.",
    "I promise never to leave the village again.": "Your word is enough. Let us drink to that.",
    "We agreed to meet the miller tomorrow.": "Bring a lantern; the path is steep.",
    "We found the hidden door behind the altar.": "Quick, before the monks return.",
}


class Parrot(Scripted):
    """Says the name that must not be left in everything that a model is asked for, as long as it was given it."""

    def __init__(self) -> None:
        super().__init__(PARROT)

    async def stream(self, ask: Ask) -> AsyncIterator[Piece | End]:
        told = "\n".join(said.content for said in ask.messages)
        name = "Zebulon" if "Zebulon" in told else "Somebody"
        self.answers(json.dumps(_answer(ask.schema or {}, name)))
        async for part in super().stream(ask):
            yield part


def _answer(schema: Any, name: str) -> Any:
    asked_for = set(schema.get("properties", ()))
    statement = f"User's cousin {name} is a locksmith"
    if "themes" in asked_for:
        told = {"themes": [name], "tone": name, "emotional_arc": [name], "key_topics": [name], "participants": [name]}
        found = [{"content": f"{name}, the locksmith, is User's cousin", "type": "FACT", "confidence": 0.9}]
        return {"memories": found, "summary": f"{statement}.", **told}
    if "title" in asked_for:
        return {"title": f"Cousin {name}", "icon": "chat"}
    if "summary" in asked_for:
        return {"summary": f"The cousin, {name}, is a locksmith, and User will guard the bridge until dawn."}
    if "type" in asked_for:
        outcomes = {"actor_outcome": "FAVORABLE", "interactor_outcome": "FAVORABLE"}
        return {"type": "RELATE", "description": f"My cousin {name} is a locksmith.", **outcomes}
    if "memories" in asked_for:
        memory = {"content": f"{statement} of the town", "summary": name, "type": "FACT", "importance": 8}
        return {"memories": [memory]}
    refused = {"content": f"User asked about {name}", "category": "personal_info", "confidence": 0.9, "reasoning": name}
    return [refused]


@dataclass
class House:
    """An Everlore over a real database, and a way to see all that it holds."""

    mind: World
    path: Path | None
    url: str = ""

    async def words(self) -> str:
        """Every text in every table, and what is packed in them."""
        tables = _sqlite_texts(self.path, "") if self.path else await _postgres_texts(self.url, "")
        page = await self.mind.store.find(self.mind.scope, XRay, limit=1_000)
        packed = [json.dumps(unpack(each.account)) for each in page.items]
        return "\n".join([*tables, *packed]).lower()

    async def holds(self, word: str) -> list[str]:
        return [line[:300] for line in (await self.words()).splitlines() if word.lower() in line]

    async def bytes_hold(self, word: str) -> list[str]:
        """Which files of the closed database have the word."""
        await self.mind.store.close()
        if self.path is None:
            return []
        files = list(self.path.parent.glob(f"{self.path.name}*"))
        return [file.name for file in files if word.lower().encode() in file.read_bytes().lower()]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[House]:
    clock = FakeClock()
    if request.param == "sqlite":
        from everlore.store.sqlite.store import SqliteStore

        path = tmp_path / "everlore.db"
        kept = await SqliteStore.open(migrated(path), StoreSettings(), clock=clock)
        yield await _built(House(World(kept, clock=clock), path))
        return
    from everlore.store.postgres.store import PostgresStore

    server: Server = request.getfixturevalue("postgres")
    async with server.fresh_database() as url:
        store = await PostgresStore.open(url, StoreSettings(), clock=clock, migrate=True)
        house = House(World(store, clock=clock), None, url)
        yield await _built(house)
        await store.close()


async def _built(house: House) -> House:
    house.mind.models.named[PARROT] = Parrot()
    return house


async def _talk(mind: World, *names: str) -> Conversation:
    config: dict[str, Any] = {"auto_title": True, "extract_memories": True}
    models = {"extraction_model": PARROT, "analyze_model": PARROT}
    return await mind.sits_down(*(names or ("Nova",)), **config | models)


async def _lived(mind: World, talk: Conversation) -> Message:
    """One line, and all that can come of it: facts, refusals, a title, a miss, a keyframe with what passed between the
    two, a summary, an analysis, alternatives, a pin. Gives back that line."""
    reply = await mind.says(talk, SAID)
    await mind.works()
    await mind.again(talk, reply)
    for line, answer in _OTHERS.items():
        mind.model.answers(answer)
        await mind.says(talk, line)
        mind.clock.pass_time(60)
    await mind.works()
    for ask in (mind.lore.learning.keyframe, mind.lore.learning.analyze, mind.lore.learning.summarize):
        await ask(talk.id)
        await mind.works()
    said = next(each for each in await mind.log(talk) if each.content == SAID)
    await mind.lore.messages.pin(talk.id, [said.id], what="We spoke of the family.", quote="Zebulon is a locksmith")
    await mind.works()
    return said


async def _learnt(mind: World, status: Status = Status.ACTIVE) -> list[Memory]:
    page = await mind.store.find(mind.scope, Memory, {"status": status.value}, limit=1_000)
    return list(page.items)


KINDS = (Message, Memory, Summary, Event, Interaction, Analysis, Miss, Reading, XRay)


async def test_all_that_comes_of_a_line_does_come(house: House) -> None:
    """What the other tests rest on: there is one of each to be deleted, and the word is in it."""
    mind = house.mind
    talk = await _talk(mind)

    await _lived(mind, talk)

    empty = [kind.__name__ for kind in KINDS if not await mind.store.count(mind.scope, kind)]
    assert empty == []
    assert "Zebulon" in (await mind.talk(talk)).title
    for kind, field in ((Event, "content"), (Miss, "query"), (Interaction, "description"), (Analysis, "summary")):
        page = await mind.store.find(mind.scope, kind, limit=100)
        assert any("Zebulon" in getattr(each, field) for each in page.items), kind
    readings = (await mind.store.find(mind.scope, Reading, {"has_refused": True}, limit=100)).items
    assert any("Zebulon" in json.dumps(each.refused) for each in readings)
    summaries = (await mind.store.find(mind.scope, Summary, limit=100)).items
    assert any("Zebulon" in each.content for each in summaries)


@pytest.mark.parametrize("edits", [(), ("Never mind.",), ("Zebulon is away.", "Never mind.")])
async def test_a_deleted_message_leaves_no_word(house: House, edits: tuple[str, ...]) -> None:
    """M9, M15, R12, V7, K5: nor does one that was edited before, and what was withdrawn then."""
    mind = house.mind
    talk = await _talk(mind)
    said = await _lived(mind, talk)
    for text in edits:
        await mind.lore.messages.edit(talk.id, said.id, content=text)
        await mind.works()

    await mind.lore.messages.remove(talk.id, said.id)
    at_once = await house.holds("zebulon")
    await mind.works()

    assert at_once == []
    assert await house.holds("zebulon") == []
    assert (await mind.talk(talk)).title == "Cousin Somebody"
    (event,) = (await mind.store.find(mind.scope, Event)).items
    assert event.content == "Conversation: Cousin Somebody"
    assert await house.bytes_hold("zebulon") == []


async def test_a_deleted_conversation_leaves_no_word_of_what_was_learnt_of_it(house: House) -> None:
    """M9, M11, M15: also of what was withdrawn, edited, corrected, approved and rejected meanwhile."""
    mind = house.mind
    talk = await _talk(mind)
    said = await _lived(mind, talk)
    first, second, *others = [each for each in await _learnt(mind) if each.type is not MemoryType.MOMENT]
    await mind.lore.edit(first.id, content="User's cousin Zebulon opens doors")
    await mind.lore.memories.correct(second.id, "User's cousin Zebulon is a clockmaker", by="user")
    for each in others[:1]:
        await mind.lore.memories.reject(each.id, by="user")
    await mind.lore.messages.edit(talk.id, said.id, content="Never mind.")
    await mind.works()
    resting = await mind.lore.conversations.resting(talk.id)

    await mind.lore.conversations.delete(talk.id)

    assert {"User's cousin Zebulon opens doors", "User's cousin Zebulon is a clockmaker"} <= {
        each.content for each in resting.by_hand
    }
    assert await house.holds("zebulon") == []
    assert await house.bytes_hold("zebulon") == []


async def test_what_a_person_put_right_stays_with_its_message_gone_and_says_so(house: House) -> None:
    """M11, M15: but nothing of what had been learnt of the message, not even in its history."""
    mind = house.mind
    talk = await _talk(mind)
    said = await _lived(mind, talk)
    first, second, *_ = [each for each in await _learnt(mind) if each.type is not MemoryType.MOMENT]
    await mind.lore.edit(first.id, content="User's cousin opens doors")
    right = await mind.lore.memories.correct(second.id, "User's cousin mends clocks", by="user")

    await mind.lore.messages.remove(talk.id, said.id)

    kept = {each.id: each for each in await _learnt(mind)}
    assert kept[first.id].content == "User's cousin opens doors"
    assert kept[right.id].content == "User's cousin mends clocks"
    assert all(kept[id].extra["source_changed"] for id in (first.id, right.id))
    assert [each.before.content for each in await mind.lore.history(first.id)] == ["User's cousin opens doors"]
    assert await house.holds("zebulon") == []


async def test_what_two_conversations_said_loses_what_only_one_of_them_did(house: House) -> None:
    """M8, M9, M15: a merged memory, its history and its index go back to what the other one said."""
    mind = house.mind
    one, other = await _talk(mind), await _talk(mind)
    await mind.lore.messages.record(one.id, [RecordedLine("I live in Seattle.")])
    await mind.lore.learning.extract(one.id)
    await mind.works()
    await mind.lore.messages.record(other.id, [RecordedLine("I live in Quoxford, Seattle.")])
    await mind.lore.learning.extract(other.id)
    await mind.works()
    before = await house.holds("quoxford")

    await mind.lore.conversations.delete(other.id)

    assert before != []
    assert await house.holds("quoxford") == []
    assert [each.content for each in await _learnt(mind)] == ["User lives in Seattle"]
    assert await house.bytes_hold("quoxford") == []


async def test_a_deleted_memory_leaves_no_word(house: House) -> None:
    """M9: after it was edited, corrected, merged, told, recalled and carried over to a branch's past."""
    mind = house.mind
    talk = await _talk(mind)
    nova, user = "nova", (await mind.lore.user()).id
    await mind.meets("Max")
    memory = await mind.lore.remember("Nova keeps Zebulon's keys.", person=nova, partner=user)
    await mind.lore.edit(memory.id, content="Nova keeps all of Zebulon's keys.", note="Zebulon said so")
    right = await mind.lore.memories.correct(memory.id, "Nova lost all of Zebulon's keys.", by="user")
    await mind.lore.knowledge.tell(right.id, teller=nova, listener="max")
    await mind.works()
    await mind.says(talk, "Where are the keys now?")
    await mind.works()
    assert "zebulon" in mind.model.prompt.lower()

    for each in (memory, right):
        await mind.lore.forget(each.id)

    assert await house.holds("zebulon") == []
    assert await house.bytes_hold("zebulon") == []


async def test_a_deleted_person_leaves_no_word_of_their_own(house: House) -> None:
    """M9: neither of their card, nor of what was remembered of them alone."""
    mind = house.mind
    await mind.meets("Zebulon", id="smith", description="Zebulon grinds keys.", greetings=())
    talk = await mind.lore.conversations.start("smith", config={"extract_memories": False, "auto_title": False})
    await mind.lore.remember("Zebulon is afraid of dogs.", person="smith")
    await mind.says(talk, "Good morning to you!")
    await mind.works()
    assert await house.holds("zebulon grinds keys") != []

    await mind.lore.characters.delete("smith")

    assert await house.holds("zebulon") == []
    (event,) = (await mind.store.find(mind.scope, Event)).items
    assert event.content == "Conversation: User"
    assert await house.bytes_hold("zebulon") == []


async def test_a_deleted_workspace_leaves_nothing(house: House) -> None:
    """M9: no row of any table, the audit log included; another workspace is as it was."""
    mind = house.mind
    talk = await _talk(mind)
    await _lived(mind, talk)
    other = Scope("elsewhere")
    await mind.lore.within("elsewhere").remember("Somebody else lives in Quoxford.")

    await mind.lore.forget_workspace()

    assert await house.holds("zebulon") == []
    assert await mind.store.workspaces() == ["elsewhere"]
    assert await mind.store.count(other, Memory) == 1
    assert await house.bytes_hold("zebulon") == []


async def test_a_forgotten_user_leaves_no_word(house: House) -> None:
    """M9: of their conversations, of what they said in those of others, of what was learned from it, and of their
    tokens. What others said stays."""
    mind = house.mind
    mine = await _talk(mind)
    zebulon = await mind.lore.characters.create(name="Zebulon", kind=PersonKind.USER)
    await mind.lore.tokens.create("Zebulon's phone", role=Role.MEMBER, user=zebulon)
    theirs = await mind.lore.conversations.start("nova", user=zebulon, config=mine.config)
    await _lived(mind, theirs)
    await mind.lore.messages.record(mine.id, [RecordedLine("I live in Seattle.")], learn=True)
    await mind.lore.turns.note(mine.id, "I, Zebulon, live in Oslo.", person_id=zebulon.id)
    await mind.works()
    told = (await mind.talk(theirs)).message_count

    expected = await mind.lore.forget_user(zebulon, dry_run=True)
    untouched = await house.holds("zebulon")
    gone = await mind.lore.forget_user(zebulon)
    await mind.works()

    assert untouched != []
    assert await house.holds("zebulon") == []
    assert (gone.conversations, gone.tokens, gone.campaign_messages) == (1, 1, 0)
    assert gone.messages == expected.messages == told + 1
    assert [each.content for each in await mind.log(mine)] == ["I live in Seattle."]
    assert "User lives in Seattle" in [each.content for each in await _learnt(mind)]
    assert await house.bytes_hold("zebulon") == []


async def test_only_a_user_is_forgotten_and_only_by_the_owner(house: House) -> None:
    """S-3: neither a character nor the workspace's own user, and nobody by a member."""
    mind = house.mind
    await mind.meets("Nova")
    member = await mind.lore.characters.create(name="Mina", kind=PersonKind.USER)

    for id, error in (("nova", NotFound), ((await mind.lore.user()).id, BadAsk), ("nobody", NotFound)):
        with pytest.raises(error):
            await mind.lore.forget_user(id)
    with pytest.raises(Forbidden):
        await mind.lore.seen_by(replace(mind.scope, role=Role.MEMBER, person_id=member.id)).forget_user(member)
