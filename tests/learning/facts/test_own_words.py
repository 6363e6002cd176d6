"""Whose words a message holds (F1, F5): what is pasted or handed over tells nothing of the user, and what
looks like it and is said in their own voice does. The messages, with what is true and false of the user in each, are in
`data/own_words.jsonl`."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from everlore.domain.reading import Filter
from everlore.learning.candidate import Extracted
from everlore.learning.facts.flow import facts_in
from everlore.learning.facts.gate import tidied
from everlore.learning.facts.trust import Trust
from everlore.learning.saving.likeness import read, says_same
from tests.learning.facts.extraction import Scripted, answer, fact, item, source

# What structure alone does not tell: "I need the gist of this article", then the article.
LET_IN = {"third-pasted-002"}
# What is said behind a mail without an end, and in a line that begins as in a script ("Me: …").
KEPT_OUT = {"pasted-039", "own-073"}


@cache
def cases() -> list[dict[str, Any]]:
    path = Path(__file__).parent / "data" / "own_words.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def is_among(found: Extracted, statement: str) -> bool:
    neat = read(tidied(fact(statement)).content)
    return any(says_same(neat, read(each.content)) for each in found.candidates)


def model_saying(case: dict[str, Any]) -> Scripted:
    """Takes every "I" for the user, and quotes it as it stands; it would say so again."""
    items = [item(content, quote=quote) for content, quote in (*case["true"], *case["false"])]
    again = {"verdicts": [{"number": number, "said": True} for number in range(1, 10)]}
    return Scripted(answer(*items), json.dumps(again))


async def test_nothing_handed_over_becomes_a_fact_by_the_rules() -> None:
    wrong: set[str] = set()
    for case in cases():
        found = await facts_in(source(case["message"]), None)
        true = [read(tidied(fact(content)).content) for content, _ in case["true"]]
        if case["kind"] == "pasted" and any(
            not any(says_same(read(each.content), one) for one in true) for each in found.candidates
        ):
            wrong.add(case["id"])

    assert wrong <= LET_IN


@pytest.mark.parametrize("trust", [Trust.PLAIN, Trust.CAREFUL])
async def test_nothing_handed_over_becomes_a_fact_because_a_model_says_so(trust: Trust) -> None:
    wrong: set[str] = set()
    for case in cases():
        found = await facts_in(source(case["message"]), model_saying(case), trust)
        if any(is_among(found, content) for content, _ in case["false"]):
            wrong.add(case["id"])

    assert wrong <= LET_IN


@pytest.mark.parametrize("trust", [Trust.PLAIN, Trust.CAREFUL])
async def test_what_the_user_says_in_their_own_voice_is_learnt(trust: Trust) -> None:
    missed: set[str] = set()
    for case in cases():
        found = await facts_in(source(case["message"]), model_saying(case), trust)
        if not all(is_among(found, content) for content, _ in case["true"]):
            missed.add(case["id"])

    assert missed <= KEPT_OUT


async def test_a_message_that_is_all_handed_over_costs_no_model_call() -> None:
    model = Scripted()

    found = await facts_in(source("Translate to German:\n\nMy name is Lars and I live in Oslo."), model)

    assert (found.candidates, model.asked) == ((), [])


async def test_why_it_was_refused_is_told() -> None:
    message = "I live in Ghent. Summarise this mail: my name is Tom and I work at Shell."

    found = await facts_in(source(message), Scripted(answer(item("User works at Shell", quote="I work at Shell"))))

    (refusal,) = found.refused
    assert refusal.filter is Filter.NOT_STATED
    assert "I work at Shell" in refusal.note
