"""How far a model is believed is measured, and what it says in doubt waits (F5, M10)."""

import json
from datetime import timedelta
from typing import Any

from benchmarks.extract.bad_model import seen_in
from everlore.domain.claim import Slot, claim_in
from everlore.domain.memory import Memory, Status
from everlore.domain.reading import Filter, refusals_of
from everlore.learning.facts.trust import Trust, trust_of
from everlore.learning.model_records import probe_cases, records_in
from everlore.models.chat import Ask, End, Reason
from tests.turn.test_learning import known, memories, offline, talk_with
from tests.turn.world import Scripted, World, world

PORT = "I do the bookkeeping at the port, have been for years."
WORKS = "User works in bookkeeping at the port"


class Reader(Scripted):
    """A model that reads: what it says of a message is given by a word in it; asked again, it says `said`."""

    def __init__(self, name: str, facts: dict[str, list[dict[str, Any]]], *, said: bool | None = True) -> None:
        super().__init__(name)
        self._facts = facts
        self._said = said
        self.again = 0

    async def stream(self, ask: Ask) -> Any:
        self.answers(self._answer(ask))
        async for part in super().stream(ask):
            yield part

    def _answer(self, ask: Ask) -> str:
        asked = ask.messages[-1].content
        if '"statements"' in asked:
            self.again += 1
            numbers = range(1, asked.count('"number"') + 1)
            return json.dumps({"verdicts": [{"number": each, "said": self._said} for each in numbers]})
        message = seen_in(ask).message
        found = next((facts for word, facts in self._facts.items() if word in message), [])
        return json.dumps({"facts": found})


def stated(content: str, quote: str) -> dict[str, Any]:
    return {
        "content": content,
        "quote": quote,
        "about": "user",
        "holds": "now",
        "category": "personal_info",
        "confidence": 0.95,
    }


def knowing_the_probe() -> dict[str, list[dict[str, Any]]]:
    return {
        case.source.content[:20]: [
            stated("User " + " ".join(key.split("|")[0] for key in keys), case.source.content) for keys in case.facts
        ]
        for case in probe_cases()
    }


def read_by(reader: Reader, **given: Any) -> World:
    mind = world(**given)
    mind.models.named["learner"] = reader
    return mind


async def trust_in(mind: World) -> Trust:
    (record,) = await records_in(mind.store, mind.scope)
    return trust_of(record)


async def test_a_model_is_probed_once_when_it_is_first_used() -> None:
    """F5: careful until then, plain afterwards, for it made nothing up."""
    reader = Reader("learner", {"port": [stated(WORKS, "I do the bookkeeping at the port")]} | knowing_the_probe())
    mind = read_by(reader)
    talk = await talk_with(mind)

    await mind.says(talk, PORT)
    await mind.works()

    assert WORKS in await known(mind)
    assert reader.again == 1, "not trusted plainly before it was probed"
    (record,) = await records_in(mind.store, mind.scope)
    assert record.probed is not None
    assert (record.probed.messages, record.probed.wrong) == (len(probe_cases()), 0)
    assert trust_of(record) is Trust.PLAIN

    asks = len(reader.asks)
    await mind.says(talk, "As I said, the bookkeeping at the port, and I love it.")
    await mind.works()
    assert len(reader.asks) == asks + 1, "neither probed again nor asked again"


async def test_a_memory_keeps_the_claim_of_the_model() -> None:
    """Our own phrases would read a habit in the sentence."""
    fact = stated("User earns their bread by gilding frames", "gilding frames is how i earn my bread")
    gilder = {**fact, "slot": "occupation", "value": "gilding frames"}
    mind = read_by(Reader("learner", {"gilding": [gilder]}))
    talk = await talk_with(mind)

    await mind.says(talk, "well, gilding frames is how i earn my bread these days")
    await mind.works()

    (memory,) = [each for each in await memories(mind) if each.content == fact["content"]]
    claim = claim_in(memory.extra)
    assert claim is not None
    assert (claim.slot, claim.value) == (Slot.OCCUPATION, "gilding frames")


async def test_a_model_that_makes_things_up_is_read_strictly() -> None:
    """F5."""
    lies = {
        case.source.content[:20]: [stated("User owns a mill", case.source.content.split(",")[0])]
        for case in probe_cases()
    }
    mind = read_by(Reader("learner", lies))
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Ghent.")
    await mind.works()

    assert await trust_in(mind) is Trust.STRICT


async def test_what_is_doubted_waits_with_its_words_and_is_believed_when_it_is_said_again() -> None:
    """F5, M10: not recalled, not lost."""
    reader = Reader("learner", {"port": [stated(WORKS, "I do the bookkeeping at the port")]}, said=False)
    mind = read_by(reader)
    talk = await talk_with(mind)
    await mind.says(talk, PORT)
    await mind.works()

    assert WORKS not in await known(mind)
    (waiting,) = await memories(mind, Status.PENDING)
    assert waiting.content == WORKS
    assert list(waiting.extra["quotes"].values()) == ["I do the bookkeeping at the port"]  # type: ignore[attr-defined]
    assert waiting.extra["doubt"]

    await mind.says(talk, "The port was on strike; the bookkeeping is no fun then.")
    await mind.works()
    assert WORKS in await known(mind)
    assert await memories(mind, Status.PENDING) == []


async def test_what_is_doubted_can_be_approved_and_is_dropped_after_a_while() -> None:
    """M10."""
    said = {
        "port": [stated(WORKS, "the bookkeeping at the port")],
        "flour": [stated("User's aunt Ida owns a mill", "the mill is hers")],
    }
    mind = read_by(Reader("learner", said, said=False))
    talk = await talk_with(mind)
    await mind.says(talk, PORT)
    await mind.says(talk, "Aunt Ida had flour on her hands at nine, and by now the mill is hers.")
    await mind.works()
    first = next(each for each in await memories(mind, Status.PENDING) if each.content == WORKS)

    await mind.lore.memories.approve(first.id, by="user")
    assert WORKS in await known(mind)
    assert len(await memories(mind, Status.PENDING)) == 1

    mind.clock.pass_time(timedelta(days=90).total_seconds())
    await mind.says(talk, "Nothing new here, I just sat by the sea.")
    await mind.works()
    assert await memories(mind, Status.PENDING) == []
    assert WORKS in await known(mind)


async def test_a_secret_is_never_kept_not_even_as_a_refusal() -> None:
    """S-2, F4."""
    said = {
        "pin": [stated("User's locker pin is 5519", "my locker pin is 5519"), stated("User has a daughter", "daughter")]
    }
    mind = read_by(Reader("learner", said))
    talk = await talk_with(mind)
    await mind.says(talk, "my locker pin is 5519 because of my old house")
    await mind.works()

    kept = await mind.store.find(mind.scope, Memory, {}, limit=100)
    assert all("5519" not in each.content for each in kept.items)
    (reading,) = (await mind.lore.learning.readings(talk.id, refused=True)).items
    assert [(each.content, each.filter) for each in refusals_of(reading)] == [("(withheld)", Filter.SECRET)]


async def test_what_a_person_calls_wrong_counts_against_the_model() -> None:
    """F5, M11."""
    reader = Reader("learner", {"port": [stated(WORKS, "I do the bookkeeping at the port")]} | knowing_the_probe())
    mind = read_by(reader)
    talk = await talk_with(mind)
    await mind.says(talk, PORT)
    await mind.works()
    (memory,) = [each for each in await memories(mind) if each.content == WORKS]

    await mind.lore.memories.reject(memory.id, by="user")

    (record,) = await records_in(mind.store, mind.scope)
    assert record.withdrawn == 1


async def test_an_answer_that_goes_round_in_circles_is_cut_off() -> None:
    """V14: the model is free for others, and what the rules found stays."""
    endless = Scripted("learner")
    entry = json.dumps(stated("User lives in Ghent", "I live in Ghent"))
    endless.answers('{"facts": [', *([f"{entry}, "] * 400))
    mind = world()
    mind.models.named["learner"] = endless
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Ghent.")
    await mind.works()

    assert endless.left_early >= 1
    assert await known(mind) == ["User lives in Ghent"]


async def test_only_who_thinks_first_gets_more_room() -> None:
    """V14."""
    thinker = Scripted("learner")
    thinker.answers("<think>The user says where they live, so I", End(Reason.LENGTH))
    thinker.answers(json.dumps({"facts": [stated("User lives in Ghent", "I live in Ghent")]}))
    mind = world()
    mind.models.named["learner"] = thinker
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Ghent.")
    await mind.works()

    first, second = (ask.max_tokens or 0 for ask in thinker.asks[:2])
    assert first < second == thinker.asks[1].most_tokens

    rambler = Scripted("learner")
    rambler.answers('{"facts": [{"content": "User lives in', End(Reason.LENGTH))
    other = world()
    other.models.named["learner"] = rambler
    talk = await talk_with(other)
    await other.says(talk, "I live in Ghent.")
    await other.works()
    assert sum("Ghent" in ask.messages[-1].content for ask in rambler.asks) == 1


async def test_the_tokens_asked_for_follow_the_length_of_the_message() -> None:
    """V14."""
    reader = Reader("learner", {})
    mind = read_by(reader)
    talk = await talk_with(mind)
    await mind.says(talk, "I live in Ghent.")
    await mind.says(talk, "I live in Ghent. " + "And I went to the sea, and came back again. " * 40)
    await mind.works()

    short, long = (ask.max_tokens for ask in reader.asks if "Ghent" in ask.messages[-1].content)
    assert short is not None
    assert long is not None
    assert short < 400 < long


async def test_who_is_known_by_name_is_told_to_the_model_and_kept_as_who_they_are() -> None:
    """F8, F5: "Bram" alone means the brother, once it is known that there is one."""
    fact = {**stated("Bram is a glassblower", "Bram blows glass"), "about": "Bram"}
    reader = Reader("learner", {"glass": [fact | {"content": "User's brother Bram is a glassblower"}]})
    mind = read_by(reader)
    talk = await talk_with(mind)
    await mind.says(talk, "I have a brother named Bram.")
    await mind.works()
    await mind.says(talk, "Bram blows glass for a living, can you believe it.")
    await mind.works()

    asked = next(ask.messages[-1].content for ask in reader.asks if "blows glass" in ask.messages[-1].content)
    assert "User's brother" in asked
    assert "User's brother Bram is a glassblower" in await known(mind)


async def test_without_a_model_too_a_name_means_who_is_known_by_it() -> None:
    """O1, F8."""
    mind = offline()
    talk = await talk_with(mind)
    await mind.says(talk, "I have a brother named Bram.")
    await mind.works()
    await mind.says(talk, "Bram is a glassblower.")
    await mind.works()

    assert "User's brother Bram is a glassblower" in await known(mind)
