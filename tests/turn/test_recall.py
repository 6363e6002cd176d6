"""Recall as a whole, on the engine: odd questions, no model call, reasons, and what was dropped (R2, R5, R12)."""

import pytest

from everlore.domain.passage import PassageKind
from everlore.recall.answer import Step
from tests.turn.test_gossip import understanding
from tests.turn.world import World, world

ODD = {
    "empty": "",
    "blank": " \n\t ",
    "a megabyte": "where is the boat? " * 55_000,
    "one word for ever": "x" * 1_000_000,
    "emoji": "🦊🦊🦊 ❤️",
    "operators": '"boat" AND (NOT NEAR/3 *) OR -boat: ^ {} [] "',
    "SQL": "'; DROP TABLE memories; --",
    "NUL": "where\x00is the boat",
    "half a pair": "boat \ud83e",
    "right to left": "איפה הסירה",
    "no spaces": "船はどこですか",
    "only common words": "the of and to a",
    "a token": "${memory.nothing}",
    "a regular expression": "(a+)+$" * 200,
}


async def _knowing(mind: World) -> str:
    talk = await mind.sits_down("Mira")
    await mind.says(talk, "I left the red boat at the harbour.")
    await mind.lore.remember("The user owns a red boat.", person="mira")
    await mind.lore.settle()
    return talk.id


@pytest.mark.parametrize("question", ODD.values(), ids=ODD.keys())
async def test_no_question_makes_recall_fail_and_none_asks_a_model(question: str) -> None:
    """R2: whatever is asked; and reading costs no model call."""
    mind = world()
    await _knowing(mind)
    asked = len(mind.model.asks)

    answer = await mind.lore.recall(question, include=list(PassageKind), explain=True)

    assert len(answer) <= 10
    assert all(0 <= hit.score <= 1 and hit.why for hit in answer)
    assert len(mind.model.asks) == asked


async def test_each_hit_says_why_and_what_was_dropped_says_where() -> None:
    """R5: the parts of the score, a sentence, and the step."""
    mind = world()
    await _knowing(mind)
    for number in range(4):
        await mind.lore.remember(f"The red boat number {number} was sold.", person="mira")

    answer = await mind.lore.recall("red boat", person="mira", limit=2, explain=True)

    assert len(answer.hits) == 2
    assert all("relevance" in hit.parts and hit.why for hit in answer)
    assert {each.step for each in answer.dropped} <= {Step.FLOOR, Step.DIVERSITY, Step.LIMIT}
    assert all(each.why for each in answer.dropped)
    assert set(answer.steps) == {"names", "embed", "search", "rank"}


async def test_the_answer_comes_before_much_that_is_nearly_one() -> None:
    """R2: all of these are plainly of the two who met, and one of them says where."""
    mind = understanding()
    await mind.sits_down("Mira")
    meetings = [f"User met her brother Colin for {what}." for what in ("a walk", "a film", "tea", "a match", "a swim")]
    wanted = "User met her brother Colin for lunch at the old mill."
    for content in (*meetings, wanted):
        await mind.lore.remember(content, person="mira")
    await mind.lore.settle()

    for question in ("Where did I meet my brother Colin for lunch?", "met brother Colin at the mill"):
        assert (await mind.lore.recall(question, person="mira")).hits[0].memory.content == wanted


async def test_a_pet_is_asked_after_by_its_name() -> None:
    """R2, R4: nobody has made a person or an entity of it."""
    mind = understanding()
    talk = await mind.sits_down("Mira")
    others = [f"User asked for {what} number {number}." for what in ("a form", "a parcel") for number in range(20)]
    for content in ("User has a cat called Biscuit.", *others):
        await mind.lore.remember(content, person="mira")
    await mind.lore.settle()

    answer = await mind.lore.recall("how is biscuit?", person="mira")
    known = await mind.lore.x_rays.known(talk.id, "Biscuit was sick again!")

    assert [hit.memory.content for hit in answer if not hit.is_doubtful] == ["User has a cat called Biscuit."]
    assert known.memories[0].content == "User has a cat called Biscuit."


async def test_who_asks_about_somebody_known_is_given_the_best_there_is() -> None:
    """R2b: nothing here says where she was, and how a name is written does not matter."""
    mind = understanding()
    talk = await mind.sits_down("Mira")
    tess = await mind.lore.characters.create(name="tess")
    for number in range(30):
        await mind.lore.remember(f"Parcel {number} was sent on.", person="mira")
    await mind.lore.remember("The kettle is hers.", person=tess, partner="mira")
    await mind.says(talk, "I bake bread on Sundays.")
    await mind.lore.settle()
    question = "How does Tess usually spend her free time?"

    answer = await mind.lore.recall(question)
    lines = await mind.lore.recall(question, include=[PassageKind.MESSAGE])
    verdict = await mind.lore.why_not(answer.hits[0].record.id, question)

    assert answer.hits[0].memory.content == "The kettle is hers."
    assert all(hit.is_doubtful and hit.why.endswith(" · Weak match") for hit in answer)
    assert [hit.is_doubtful for hit in lines] == [True] * len(lines.hits) != []
    assert (verdict.step, verdict.place) == (None, 1)


async def test_of_two_things_at_once_the_one_that_is_less_known_is_not_forgotten() -> None:
    """R2b: for a question, and for a turn, where it is one of a few."""
    mind = understanding()
    talk = await mind.sits_down("Lyra")
    about_one = ("Lyra crossed the Long Fjord by ferry.", "The Long Fjord is closed in winter.")
    for content in (*about_one, "Pete is afraid of wasps.", "Pete bakes bread on Sundays.", "User lives in Oslo."):
        await mind.lore.remember(content, person="lyra", partner="user")
    # Past its beginning, where what two share is told unasked (M3).
    for greeting in ("Good evening.", "How are you?"):
        await mind.says(talk, greeting)
    await mind.lore.settle()
    said = "Do you remember the Long Fjord, Lyra? What of wasps?"

    asked = [hit.memory.content for hit in await mind.lore.recall(said, person="lyra", include=["memory"])]
    told = {each.memory.content: each for each in (await mind.lore.x_rays.known(talk.id, said)).recalled}

    assert "Pete is afraid of wasps." in asked
    assert told["Pete is afraid of wasps."].is_doubtful
    assert not told[about_one[0]].is_doubtful
    assert "Pete bakes bread on Sundays." not in told


async def test_an_example_of_what_is_asked_for_is_found_and_that_is_why() -> None:
    """R2, R5: for a question, and for a turn; no memory has the word that was asked with."""
    mind = understanding()
    talk = await mind.sits_down("Mira")
    wanted = "User practises the clarinet every evening."
    for content in (wanted, *(f"User {did} a school play." for did in ("asked for", "read about", "thought about"))):
        await mind.lore.remember(content, person="mira")
    await mind.lore.settle()

    answer = await mind.lore.recall("What instruments do I play?", person="mira")
    known = await mind.lore.x_rays.known(talk.id, "What instruments do I play?")

    assert answer.hits[0].memory.content == wanted
    assert "example" in answer.hits[0].parts
    assert "Example match" in answer.hits[0].why
    assert known.memories[0].content == wanted
    found = await mind.lore.why_not(answer.hits[0].record.id, "What instruments do I play?", person="mira")
    assert found.place == 1


async def test_one_can_ask_why_a_memory_does_not_come_back() -> None:
    """R5: which step dropped it."""
    mind = world()
    await _knowing(mind)
    rex = await mind.lore.characters.create(name="Rex")
    theirs = await mind.lore.remember("Rex hides a red boat.", person=rex)
    mine = await mind.lore.remember("Mira paints a red boat.", person="mira")
    other = await mind.lore.remember("Mira cooks onion soup.", person="mira")

    unknown = await mind.lore.why_not(theirs, "red boat", person="mira")
    found = await mind.lore.why_not(mine, "red boat", person="mira")
    far = await mind.lore.why_not(other, "red boat", person="mira")
    wrong = await mind.lore.why_not(mine, "red boat", person="mira", types=["GOAL"])

    assert (unknown.step, found.step, wrong.step) == (Step.SCOPE, None, Step.SCOPE)
    assert "doesn't know it" in unknown.why
    assert found.place is not None
    assert far.step in (Step.FLOOR, Step.CANDIDATES, Step.SCOPE)
    assert "limited to other types" in wrong.why


async def test_a_message_for_which_nothing_comes_back_is_listed() -> None:
    """R12: with its head, the mode and what the index held; short ones and private ones are not."""
    mind = world()
    talk = await mind.sits_down("Mira")
    await mind.says(talk, "Hm?")
    await mind.says(talk, "Quetzalcoatl ponders antediluvian zymurgy tonight.")

    (miss,) = (await mind.lore.misses()).items

    assert miss.query == "Quetzalcoatl ponders antediluvian zymurgy tonight."
    assert (miss.conversation_id, miss.mode) == (talk.id, "dual")
    assert miss.embedder


async def test_a_line_of_long_ago_in_the_same_talk_comes_back() -> None:
    """R2: what was said and never learnt is in the log for ever."""
    mind = world()
    talk = await mind.sits_down("Mira", message_trim=2)
    await mind.says(talk, "By the way, my locker code is 4711 at the swimming pool.")
    for number in range(40):
        await mind.says(talk, f"Let us talk about something else, number {number}.")

    await mind.says(talk, "What was the locker code at the swimming pool?")

    assert "4711" in mind.model.prompt


async def test_as_much_as_can_be_asked_for_is_answered() -> None:
    """R2."""
    mind = world()
    await _knowing(mind)

    assert (await mind.lore.recall("red boat", include=list(PassageKind), limit=10_000)).hits


async def test_a_new_talk_of_a_known_pair_starts_with_its_memories() -> None:
    """M3: "Hello!" bears on nothing, and is said to somebody who knows the user; later only what bears on it comes."""
    mind = world()
    talk = await mind.sits_down("Mira")
    user = talk.user_id or ""
    shared = ["They met at the harbour", "Mira taught them to sail", "They fell out over a map", "They made peace"]
    for place, content in enumerate(shared):
        await mind.lore.remember(content, persons=("mira", user), importance=6 + place % 2)
    await mind.sits_down("Rex")
    await mind.lore.remember("Rex owes them money", persons=("rex", user), importance=7)

    prompts = []
    for words in ("Hello!", "How are you?", "Fine weather."):
        await mind.says(talk, words)
        prompts.append(mind.model.prompt)

    assert [all(content in prompt for content in shared) for prompt in prompts] == [True, True, False]
    assert not any("Rex owes" in prompt for prompt in prompts)
    assert not any(content in prompts[2] for content in shared)
