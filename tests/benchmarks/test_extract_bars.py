"""The bars that extraction is held to, on the labelled messages that come with Everlore (Q1).

What is refused is looked for here in plain words and not by the filters themselves: they would find nothing that they
let pass.
"""

import re
from functools import cache

import anyio
import pytest

from benchmarks.extract.bad_model import BadModel
from benchmarks.extract.cases import PARTS, Case, built_in
from benchmarks.extract.extractors import extract_with, trusted
from benchmarks.extract.scoring import Report, score
from everlore.learning.facts.trust import Trust

_ACTION = re.compile(
    r"^User (?:just |also |is )?(?:ask|greet|thank|repl|respond|said|says|mention|express|talking to|having a)"
    r"|\b(?:to|wants|with) the (?:assistant|ai)\b",
    re.IGNORECASE,
)
_ASSISTANT = re.compile(r"\b(?:assistant|chatbot|language model|an ai)\b", re.IGNORECASE)
_LEAK = re.compile(r"\b(?:json|extracts?|evidence|output must|notebook|instructions)\b", re.IGNORECASE)
_UNKNOWN = re.compile(
    r"\b(?:unknown|unspecified|not mentioned|not specif|n/a|no information|not provided)", re.IGNORECASE
)
_GUESS = re.compile(
    r"\bUser is (?:probably |a |an )?(?:male|female|man|woman|white|heterosexual|christian|american|native english)\b"
    r"|in (?:her|his|their) (?:twenties|\d0s)",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|my|me|you|your)\b")


def _measured(part: str, extractor: str) -> Report:
    """Each message is read by itself, so that a part of all is what all gave of it."""
    outcomes = _all_measured(extractor).outcomes
    return Report(tuple(each for each in outcomes if part in ("all", each.case.part)))


@cache
def _all_measured(extractor: str) -> Report:
    """Once: the messages are many."""
    if extractor == "offline":
        return anyio.run(score, built_in(), extract_with(None))
    trust, _ = anyio.run(trusted, BadModel())
    assert trust is Trust.STRICT
    return anyio.run(score, built_in(), extract_with(BadModel(), trust))


def _kept(report: Report) -> list[tuple[Case, str]]:
    return [(each.case, judged.candidate.content) for each in report.outcomes for judged in each.judged]


@pytest.mark.parametrize("part", ["dev", "test"])
def test_a_bad_model_gets_no_junk_through(part: str) -> None:
    """Q1, F5."""
    report = _measured(part, "bad-model")

    assert report.predictions > 100, "nothing at all would be precise too"
    assert report.precision >= 0.98, report.document()["wrong"]
    assert report.hallucinated == 0


@pytest.mark.parametrize("part", ["dev", "test"])
def test_the_rules_alone_are_precise(part: str) -> None:
    """Q1, O1."""
    report = _measured(part, "offline")

    assert report.predictions > 100
    assert report.precision >= 0.97, report.document()["wrong"]
    assert report.hallucinated == 0


@pytest.mark.parametrize(("extractor", "precision"), [("offline", 0.97), ("bad-model", 0.98)])
def test_the_whole_set_is_read_well(extractor: str, precision: float) -> None:
    """Q1, O1: what is stated is found more often than not, and nearly all that is found is so."""
    report = _measured("all", extractor)

    assert report.precision >= precision, report.document()["wrong"]
    assert report.recall_stated >= 0.57
    assert report.hallucinated == 0


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("pattern", [_ACTION, _ASSISTANT, _LEAK, _UNKNOWN, _GUESS], ids=lambda each: each.pattern[:20])
def test_nothing_of_a_filtered_class_is_saved(part: str, pattern: re.Pattern[str]) -> None:
    """F4: unless the user used these words."""
    found = [
        content
        for case, content in _kept(_measured(part, "bad-model"))
        if (hit := pattern.search(content)) and hit.group().split()[-1].lower() not in case.message.lower()
    ]

    assert found == []


@pytest.mark.parametrize("part", PARTS)
def test_every_fact_is_a_sentence_about_the_user(part: str) -> None:
    """F2, F4: and never about the assistant, nor under its name."""
    kept = _kept(_measured(part, "bad-model"))

    assert [content for _, content in kept if not re.match(r"User(?:'s)? \w", content)] == []
    assert [content for _, content in kept if _FIRST_PERSON.search(re.sub(r'"[^"]*"', "", content))] == []
    assert [
        content for case, content in kept if re.search(rf"\b{re.escape(case.assistant or 'Nova')}\b", content)
    ] == []


def test_every_statement_of_the_rules_names_its_rule() -> None:
    """Q1, O1: `module.function`, or the frame that fitted."""
    report = _measured("all", "offline")

    judged = [one.candidate for each in report.outcomes for one in each.judged]
    assert {one.content for one in judged if not re.match(r"[a-z]+\.[a-z_]+$|frames: \w", one.rule)} == set()
    assert sum(each["said"] for each in report.document()["by_rule"].values()) == report.predictions
