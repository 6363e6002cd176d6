"""The slot and the value that a model names beside its sentence (F2), and the claim that is made of them."""

import json
from datetime import UTC, datetime

import pytest

from everlore.domain.claim import Claim, Slot
from everlore.language.tense import Tense
from everlore.learning.answers import json_in
from everlore.learning.candidate import Candidate
from everlore.learning.facts.prompt import SCHEMA, read_facts
from everlore.learning.phrasebooks.statements import claimed
from tests.learning.facts.extraction import Scripted, answer, item, plainly_in, source


def claim(content: str, *, quote: str = "", **named: str) -> Claim | None:
    found = read_facts(json_in(answer({**item(content, quote=quote), "about": "user", "holds": "now", **named})))
    assert found is not None
    assert isinstance(found[0], Candidate)
    return found[0].claim


def test_the_model_is_asked_for_slot_and_value() -> None:
    fields = json.loads(json.dumps(SCHEMA))["properties"]["facts"]["items"]

    assert {"slot", "value"} <= set(fields["required"])
    assert {each.value for each in Slot} < set(fields["properties"]["slot"]["enum"])


@pytest.mark.parametrize(
    ("content", "named", "expected"),
    [
        ("User lives in Lisbon", {"slot": "home", "value": "Lisbon"}, Claim(slot=Slot.HOME, value="Lisbon")),
        (
            "User's brother Bram earns a living as a cooper",
            {"slot": "occupation", "value": "cooper", "about": "brother Bram"},
            Claim(subject="user's brother Bram", slot=Slot.OCCUPATION, value="cooper"),
        ),
        (
            "User used to live in Rome",
            {"slot": "home", "value": "Rome", "holds": "before"},
            Claim(slot=Slot.HOME, value="Rome", polarity=False, time=Tense.PAST, is_change=True),
        ),
        (
            "User does not eat meat",
            {"slot": "diet", "value": "meat", "holds": "not"},
            Claim(slot=Slot.DIET, value="meat", polarity=False),
        ),
        (
            "User is planning to restore a mill",
            {"slot": "plan", "value": "restore a mill", "holds": "planned"},
            Claim(slot=Slot.PLAN, value="restore a mill", time=Tense.FUTURE),
        ),
        (
            "User has a dog named Rex",
            {"slot": "pet", "value": "Rex", "about": "dog Rex"},
            Claim(slot=Slot.PET, topic="dog", value="Rex"),
        ),
    ],
)
def test_the_claim_says_what_the_model_named(content: str, named: dict[str, str], expected: Claim) -> None:
    assert claim(content, **named) == expected


def test_the_claim_keeps_the_quote() -> None:
    found = claim("User lives in Vienna", quote="Ich wohne in Wien", slot="home", value="Wien")

    assert found is not None
    assert (found.value, found.quote) == ("Wien", "Ich wohne in Wien")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("User lives in Lisbon", {}),
        ("User lives in Lisbon", {"slot": "other", "value": "Lisbon"}),
        ("User lives in Lisbon", {"slot": "castle", "value": "Lisbon"}),
        ("User lives in Lisbon", {"slot": "home", "value": "Porto"}),
        ("User lives in Lisbon", {"slot": "home", "value": ""}),
        ("User lives in Lisbon", {"slot": "age", "value": "Lisbon"}),
        ("User lives in Lisbon", {"slot": "origin", "value": "Lisbon"}),
        ("User's sister lives in Lisbon", {"slot": "home", "value": "Lisbon"}),
        ("User wants to live in Lisbon", {"slot": "home", "value": "Lisbon", "holds": "planned"}),
        ("User never sleeps in tents", {"slot": "habit", "value": "sleeps in tents"}),
        ("User's favorite color is blue", {"slot": "favorite", "value": "blue"}),
    ],
)
async def test_what_the_sentence_does_not_bear_out_is_dropped_and_the_statement_stays(
    content: str, named: dict[str, str]
) -> None:
    assert claim(content, **named) is None

    entry = {**item(content, quote=content), **named}
    found = await plainly_in(source(content.replace("User's", "My").replace("User", "I")), Scripted(answer(entry)))
    assert len(found.candidates) + len(found.doubted) + len(found.refused) == 1


def test_fields_of_a_wrong_type_cost_only_the_claim() -> None:
    found = read_facts(json_in(answer({**item("User lives in Lisbon"), "slot": ["home"], "value": 7})))

    assert found is not None
    assert isinstance(found[0], Candidate)
    assert found[0].claim is None


def test_a_known_slot_is_not_read_out_of_the_sentence_again() -> None:
    """The sentence would parse as a home: what its maker knew counts."""
    known = Claim(slot=Slot.ORIGIN, value="Lisbon")

    found = claimed("User lives in Lisbon", known, datetime(2026, 3, 2, tzinfo=UTC))

    assert found == known
