"""What a model quotes stands in the user's own words, letter by letter, or nothing becomes active (F5)."""

import json

import pytest

from everlore.domain.reading import Filter
from everlore.learning.candidate import Candidate, EarlierMessage, Extracted
from everlore.learning.facts.flow import facts_in
from everlore.learning.facts.quotes import find_evidence, stands_in
from everlore.learning.facts.trust import Trust
from tests.learning.facts.extraction import Scripted, answer, item, source

YES = json.dumps({"verdicts": [{"number": number, "said": True} for number in (1, 2)]})
BEFORE = (
    EarlierMessage(False, "Nova", "You must be training for a race. Do you keep bees?"),
    EarlierMessage(True, "User", "I am a vegetarian, by the way."),
)
MESSAGE = """I went for a run this morning, and my knee hurts. Grateful for the ice! She said "I keep bees in Leith".
Do I look like an athlete?

Summarise this mail: I am a dentist and I live in Perth."""


async def read(message: str, statement: str, quote: str | None, trust: Trust) -> Extracted:
    entry = item(statement)
    if quote is not None:
        entry = {**entry, "quote": quote}
    return await facts_in(source(message, before=BEFORE), Scripted(answer(entry), YES, YES), trust)


@pytest.mark.parametrize("trust", list(Trust))
@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        pytest.param("User loves coding", "I love coding", id="invented"),
        pytest.param("User went for a run", "", id="empty"),
        pytest.param("User went for a run", None, id="no quote"),
        pytest.param("User went for a run", " … ", id="nothing but marks"),
        pytest.param("User went for a run", "I", id="a word of every message"),
        pytest.param("User went for a swim", "I went … a swim this morning", id="half invented"),
        pytest.param("User hurts this run", "hurts … run", id="single words put together"),
        pytest.param("User hurts in the morning", "my knee hurts … I went for a run", id="in another order"),
        pytest.param("User has a rat", "rat", id="inside a word"),
        pytest.param("User went for a ru", "I went for a ru", id="cut within a word"),
        pytest.param("User is training for a race", "You must be training for a race", id="of the assistant"),
        pytest.param("User is a vegetarian", "I am a vegetarian", id="of an earlier message"),
        pytest.param("User keeps bees in Leith", "I keep bees in Leith", id="of somebody else"),
        pytest.param("User is a dentist", "I am a dentist", id="of a pasted text"),
        pytest.param("User lives in Perth", "I live in Perth", id="of a pasted text too"),
    ],
)
async def test_without_words_of_the_user_nothing_becomes_active(
    trust: Trust, statement: str, quote: str | None
) -> None:
    found = await read(MESSAGE, statement, quote, trust)

    assert found.candidates == ()
    assert len(found.doubted) + len(found.refused) == 1


@pytest.mark.parametrize("trust", [Trust.PLAIN, Trust.CAREFUL])
@pytest.mark.parametrize(
    ("message", "statement", "quote"),
    [
        ("I can’t leave  my Vespa, honestly", "User has a Vespa", "i cant leave my vespa"),
        ("Ik woon al jaren in Curaçao!", "User has lived in Curaçao for years", "ik woon al jaren in curacao"),
        ("大阪に住んでいて、猫を飼っています。", "User has a cat", "猫を飼って"),
        ("أعيش مع أختي والقطة", "User has a cat", "القطة"),
        ("My wife and I, after much thought, bought a barn", "User bought a barn", "My wife and I … bought a barn"),
        ("We keep bees\nbehind the garage", "User keeps bees behind the garage", "bees, behind the garage."),
    ],
)
async def test_words_of_the_user_are_known_whatever_their_dress(
    trust: Trust, message: str, statement: str, quote: str
) -> None:
    found = await read(message, statement, quote, trust)

    assert statement in [each.content for each in found.candidates]


@pytest.mark.parametrize(
    ("quote", "stands"),
    [("a run", True), ("I went for a run this morning", True), ("un this", False), ("", False), ("knee", True)],
)
def test_a_quote_is_whole_words(quote: str, stands: bool) -> None:
    assert stands_in(MESSAGE, quote) is stands


async def test_what_has_no_words_behind_it_may_wait_for_a_person() -> None:
    found = await read(MESSAGE, "User hurt their knee", "I hurt it", Trust.PLAIN)

    assert [each.content for each in found.doubted] == ["User hurt their knee"]


@pytest.mark.parametrize(
    ("message", "statement", "quote"),
    [
        ("If I had a boat I would sail to Fiji", "User has a boat", "I had a boat"),
        ("Do I look like an athlete? Ask my knee.", "User is an athlete", "look like an athlete"),
    ],
)
async def test_what_is_not_stated_in_so_many_words_is_asked_again_of_a_trusted_model_too(
    message: str, statement: str, quote: str
) -> None:
    no = json.dumps({"verdicts": [{"number": 1, "said": False}]})
    model = Scripted(answer(item(statement, quote=quote)), no)

    found = await facts_in(source(message), model, Trust.PLAIN)

    assert found.candidates == ()
    assert {each.filter for each in found.refused} <= {Filter.TAKEN_BACK, Filter.NOT_STATED}


@pytest.mark.parametrize("trust", list(Trust))
async def test_nobody_is_a_hundred_and_forty_years_old(trust: Trust) -> None:
    found = await read("I'm 140 years old and full of spite", "User is 140 years old", "I'm 140 years old", trust)

    assert found.candidates == ()


@pytest.mark.parametrize(("ending", "stands"), [("", True), (" in Chile", False)])
def test_a_long_quote_is_compared_whole_and_kept_short(ending: str, stands: bool) -> None:
    message = f"I breed {'very ' * 80}small ponies"

    evidence = find_evidence(Candidate(content="User breeds small ponies", quote=message + ending), source(message))

    assert evidence.is_verbatim is stands
    assert len(evidence.words) <= 300
