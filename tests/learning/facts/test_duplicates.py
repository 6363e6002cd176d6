"""Two wordings of one fact in one message are one fact: the longer one stays."""

import json

import pytest

from everlore.learning.facts.flow import facts_in
from everlore.learning.facts.trust import Trust
from tests.learning.facts.extraction import Scripted, answer, item, source

MESSAGE = "We keep bees behind the barn, and my sister keeps bees too."
SHORT = {**item("User keeps bees", quote="We keep bees"), "slot": "habit", "value": "keeps bees"}
LONG = {
    **item("User keeps bees behind the barn", confidence=0.8, quote="We keep bees behind the barn"),
    "slot": "habit",
    "value": "keeps bees behind the barn",
}
SISTER = {
    **item("User's sister keeps bees", "relationship", quote="my sister keeps bees too"),
    "about": "sister",
    "slot": "habit",
    "value": "keeps bees",
}
YES = json.dumps({"verdicts": [{"number": number, "said": True} for number in (1, 2, 3)]})


@pytest.mark.parametrize("trust", [Trust.PLAIN, Trust.CAREFUL])
@pytest.mark.parametrize("items", [(SHORT, LONG), (LONG, SHORT), (SHORT, LONG, SHORT)])
async def test_the_longer_wording_stays(trust: Trust, items: tuple[dict[str, object], ...]) -> None:
    found = await facts_in(source(MESSAGE), Scripted(answer(*items), YES), trust, by_rules=False)

    assert [each.content for each in found.candidates] == ["User keeps bees behind the barn"]
    assert found.doubted == ()


async def test_a_longer_wording_of_the_model_takes_the_place_of_a_rules() -> None:
    quoted = {**LONG, "quote": "I keep bees, behind the barn"}
    found = await facts_in(source("I keep bees, behind the barn"), Scripted(answer(quoted)), Trust.PLAIN)

    assert len(found.candidates) == 1


async def test_the_same_of_somebody_else_is_another_fact() -> None:
    found = await facts_in(source(MESSAGE), Scripted(answer(SHORT, SISTER)), Trust.PLAIN, by_rules=False)

    assert {each.content for each in found.candidates} == {"User keeps bees", "User's sister keeps bees"}


async def test_claims_are_compared_where_the_words_of_the_sentences_differ() -> None:
    message = "I fix pocket watches at the fair"
    short = {**item("User mends watches for a living", quote=message), "slot": "occupation", "value": "watches"}
    long = {**item("User's trade is pocket watches", quote=message), "slot": "occupation", "value": "pocket watches"}

    found = await facts_in(source(message), Scripted(answer(short, long)), Trust.PLAIN, by_rules=False)

    assert [each.content for each in found.candidates] == ["User's trade is pocket watches"]
