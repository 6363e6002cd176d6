"""What becomes of a new statement beside what is known (M7, M8, M11). Pure: tested with memories made by hand."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from everlore.domain.memory import Category, Memory, Origin, Status
from everlore.learning.candidate import Candidate
from everlore.learning.phrasebooks.statements import claimed
from everlore.learning.saving.likeness import jaccard, read
from everlore.learning.saving.verdict import (
    DEFAULTS,
    THRESHOLDS,
    Neighbour,
    SaveVerdict,
    Thresholds,
    VerdictKind,
    decide,
    thresholds_for,
)
from everlore.settings import SavingSettings

THEN = datetime(2026, 1, 5, tzinfo=UTC)
SAID = datetime(2026, 6, 5, tzinfo=UTC)


def known(content: str, **fields: Any) -> Memory:
    at = fields.pop("at", THEN)
    extra = {"said": {"m1": at.isoformat()}}
    base: dict[str, Any] = {
        "workspace": "home",
        "id": content,
        "content": content,
        "origin": Origin.EXTRACTOR,
        "category": Category.PERSONAL_INFO,
        "source_message_ids": ("m1",),
        "valid_from": at,
        "created_at": at,
        "updated_at": at,
        "extra": extra,
    }
    return Memory(**{**base, **fields})


def verdict(
    new: str, *memories: Memory | str, cosine: float | None = None, said_at: datetime = SAID, **fields: Any
) -> SaveVerdict:
    source = fields.pop("source", "m2")
    claim = claimed(new, None, said_at)
    candidate = Candidate(content=new, claim=claim, **{"category": Category.PERSONAL_INFO, **fields})
    olds = [known(each) if isinstance(each, str) else each for each in memories]
    neighbours = [Neighbour(each, cosine, jaccard(read(new), read(each.content))) for each in olds]
    return decide(candidate, neighbours, DEFAULTS, said_at=said_at, source_ids=frozenset({source}))


# What was known, what is said, and what that makes.
CASES = [
    ("User has a boyfriend named Dan", "User is no longer with Dan", VerdictKind.ENDS),
    ("User works as a boatbuilder", "User is no longer a boatbuilder", VerdictKind.ENDS),
    ("User has two kids", "User does not have any children", VerdictKind.CONTRADICTS),
    ("User has two sisters", "User has a sister named Emma", VerdictKind.RELATED),
    ("User's best friend is named Tam", "User has a best friend named Tam", VerdictKind.REINFORCES),
    ("User's older brother lives in Denver", "User's younger brother lives in Rome", VerdictKind.DIFFERENT),
    ("User has been vegan since school", "User is vegan", VerdictKind.REINFORCES),
    # The same.
    ("User's name is John", "User's name is John", VerdictKind.EXACT),
    ("User's name is John", "The user's name is John.", VerdictKind.EXACT),
    ("User lives in Seattle", "The user resides in Seattle", VerdictKind.REINFORCES),
    ("User works as a nurse", "User is a nurse", VerdictKind.REINFORCES),
    ("User enjoys hiking", "User loves weekend hiking trips", VerdictKind.REINFORCES),
    ("User loves weekend hiking trips", "User enjoys hiking", VerdictKind.REINFORCES),
    ("User is allergic to peanuts", "User has a peanut allergy", VerdictKind.REINFORCES),
    ("User has a cat named Whiskers", "User's cat is named Whiskers", VerdictKind.REINFORCES),
    ("User has a sister", "User has a sister named Emma", VerdictKind.REINFORCES),
    ("User is married", "User is married to Alex", VerdictKind.REINFORCES),
    ("User dislikes mushrooms", "User does not like mushrooms", VerdictKind.REINFORCES),
    ("User lives in Seattle", "User lives in downtown Seattle", VerdictKind.REINFORCES),
    ("User moved to Portland", "User lives in Portland", VerdictKind.REINFORCES),
    ("User has been together with Alex for two years", "User is married to Alex", VerdictKind.REINFORCES),
    # Only one can be true now.
    ("User lives in Seattle", "User moved to Portland last month", VerdictKind.CONTRADICTS),
    ("User lives in Seattle", "User lives in Portland", VerdictKind.CONTRADICTS),
    ("User is 33 years old", "User is 34", VerdictKind.CONTRADICTS),
    ("User's name is Jon", "User's name is actually John", VerdictKind.CONTRADICTS),
    ("User's favorite color is green", "User's favorite color is blue", VerdictKind.CONTRADICTS),
    ("User is single", "User is dating Alex", VerdictKind.CONTRADICTS),
    ("User is dating Alex", "User is married to Alex", VerdictKind.CONTRADICTS),
    ("User has been together with Ana since 2019", "User is dating Bo", VerdictKind.CONTRADICTS),
    ("User is married to Alex", "User is divorced", VerdictKind.CONTRADICTS),
    ("User works as a nurse", "User now works as a teacher", VerdictKind.CONTRADICTS),
    ("User has two kids", "User has three kids", VerdictKind.CONTRADICTS),
    ("User likes mushrooms", "User likes mushrooms again", VerdictKind.REINFORCES),
    ("User does not like mushrooms", "User likes mushrooms", VerdictKind.CONTRADICTS),
    ("User no longer likes coffee", "User likes coffee again", VerdictKind.CONTRADICTS),
    ("User is unemployed", "User works as a baker", VerdictKind.CONTRADICTS),
    ("Mira no longer trusts Don", "Mira trusts Don", VerdictKind.CONTRADICTS),
    ("User has two dogs", "User has three dogs", VerdictKind.CONTRADICTS),
    ("User speaks no Spanish", "User speaks Spanish", VerdictKind.CONTRADICTS),
    ("User is divorced", "User is married to Mia", VerdictKind.CONTRADICTS),
    ("User drives a Volvo", "User sold his Volvo", VerdictKind.ENDS),
    ("User has a parrot named Mango", "User gave away his parrot", VerdictKind.ENDS),
    ("User smokes", "User hasn't smoked since March", VerdictKind.ENDS),
    # Something is over.
    ("User likes coffee", "User no longer likes coffee", VerdictKind.ENDS),
    ("User likes coffee", "User does not like coffee", VerdictKind.ENDS),
    ("User likes coffee", "User used to like coffee", VerdictKind.ENDS),
    ("User likes iced coffee", "User no longer likes coffee", VerdictKind.ENDS),
    ("User works as a nurse", "User quit their job", VerdictKind.ENDS),
    ("User works at Google", "User quit their job at Google", VerdictKind.ENDS),
    ("User smokes cigarettes", "User quit smoking", VerdictKind.ENDS),
    ("User has a cat named Whiskers", "User's cat died", VerdictKind.ENDS),
    ("User is dating Alex", "User broke up with Alex", VerdictKind.ENDS),
    ("User wants to visit Japan", "User no longer wants to visit Japan", VerdictKind.ENDS),
    ("User owns a car", "User sold their car", VerdictKind.ENDS),
    ("Mira trusts Don", "Mira no longer trusts Don", VerdictKind.ENDS),
    # Both are true.
    ("User has a girlfriend named Ana", "User has been together with Ana since 2019", VerdictKind.RELATED),
    ("User lives in Seattle", "User works in downtown Seattle", VerdictKind.RELATED),
    ("User likes coffee", "User likes coffee cake", VerdictKind.RELATED),
    ("User likes coffee", "User no longer likes coffee cake", VerdictKind.RELATED),
    ("User likes coffee", "User does not like coffee in the evening", VerdictKind.RELATED),
    ("User likes coffee and tea", "User no longer likes coffee", VerdictKind.RELATED),
    ("User likes coffee in the morning", "User likes coffee with milk", VerdictKind.RELATED),
    ("User does not like coffee", "User likes iced coffee", VerdictKind.RELATED),
    ("User is learning Spanish", "User speaks Spanish", VerdictKind.RELATED),
    ("User lived in Seattle", "User lives in Seattle", VerdictKind.RELATED),
    ("User likes peanuts", "User is allergic to peanuts", VerdictKind.RELATED),
    ("User works as a nurse", "User works as a teacher", VerdictKind.RELATED),
    ("User works as a nurse", "User also works as a barista", VerdictKind.DIFFERENT),
    ("User drinks coffee every morning", "User does not drink", VerdictKind.RELATED),
    ("User does not like coffee in the evening", "User likes coffee", VerdictKind.RELATED),
    ("User got married in 2015", "User is married to Alex", VerdictKind.RELATED),
    ("User lost their job in 2012", "User works as a nurse", VerdictKind.RELATED),
    ("User moved to the USA in 2010", "User lives in Washington", VerdictKind.RELATED),
    ("User is divorced", "User is dating Ama", VerdictKind.RELATED),
    ("User's girlfriend is named Ama", "User is divorced", VerdictKind.RELATED),
    ("User is divorced", "User is single", VerdictKind.RELATED),
    # Nothing to do with each other.
    ("User has a sister named Emma", "User has a brother named Tom", VerdictKind.DIFFERENT),
    ("User lives in Seattle", "User's brother lives in Denver", VerdictKind.DIFFERENT),
    ("User's sister Emma lives in Oslo", "User's sister Anna lives in Rome", VerdictKind.DIFFERENT),
    ("User lives in Norway", "User lives in Oslo", VerdictKind.DIFFERENT),
    ("User has a dog named Rex", "User's cat died", VerdictKind.DIFFERENT),
    ("User's favorite color is green", "User's favorite food is pizza", VerdictKind.DIFFERENT),
    ("User plays tennis", "User no longer plays chess", VerdictKind.RELATED),
]


@pytest.mark.parametrize(("old", "new", "kind"), CASES)
def test_what_is_said_is_weighed_against_what_is_known(old: str, new: str, kind: VerdictKind) -> None:
    """M7, M8."""
    decided = verdict(new, old)

    # Whether two facts that stand beside each other are worth a link is a matter of likeness.
    beside = {VerdictKind.RELATED, VerdictKind.DIFFERENT}
    assert decided.kind is kind or {decided.kind, kind} <= beside


def test_a_sister_is_not_merged_with_another_however_near_the_vectors() -> None:
    """M8: names differ."""
    assert (
        verdict("User has a sister named Anna", "User has a sister named Emma", cosine=0.99).kind is VerdictKind.RELATED
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Mira told Don where the crown is hidden", "Don told Mira where the crown is hidden"),
        ("Mira told Don where the crown is hidden", "Mira told Don where the sword is hidden"),
        ("Mira told Don where the crown is hidden", "Mira told Kel where the crown is hidden"),
        ("Mira agreed to meet Don at midnight", "Mira agreed to meet Don at dawn"),
        ("Mira owes Don 30 gold coins for the horse", "Mira owes Don 50 gold coins for the horse"),
        ("Don owes her three favors in the city", "Don owes her five favors in the city"),
        ("They know that the bridge is safe to cross", "They know that the bridge is not safe to cross"),
        ("Mira confessed that she loves Don", "Mira confessed that she hates Don"),
        ("Mira knew the secret of the old mill", "Mira will know the secret of the old mill"),
    ],
)
def test_likeness_alone_never_merges_what_differs_in_name_number_sign_or_tense(old: str, new: str) -> None:
    """M8: nor does it ever retire anything."""
    decided = verdict(new, old, cosine=0.999, category=None)

    assert decided.kind is VerdictKind.RELATED


def test_statements_without_a_frame_are_merged_by_likeness() -> None:
    """M8: at the threshold of segment memories, and not below it."""
    old, new = "Mira revealed to Don the hiding place of the crown", "Mira told Don where the crown is hidden"

    assert verdict(new, old, cosine=0.93, category=None).kind is VerdictKind.REINFORCES
    assert verdict(new, old, cosine=0.91, category=None).kind is VerdictKind.RELATED


def test_user_facts_are_merged_from_a_lower_likeness_on() -> None:
    """M8: 0.85 for user facts."""
    old, new = "User broke an arm while skiing", "User fractured an arm in a skiing accident"

    assert verdict(new, old, cosine=0.86).kind is VerdictKind.REINFORCES
    assert verdict(new, old, cosine=0.84).kind is VerdictKind.RELATED


def test_without_a_vector_the_words_decide() -> None:
    """M8: Jaccard 0.85 on stems."""
    old = "User once climbed the highest mountain of the whole country with a friend"

    assert verdict("User once climbed the highest mountains of the whole country with friends", old).kind is (
        VerdictKind.REINFORCES
    )
    assert verdict("User met a friend on the highest mountain", old).kind is VerdictKind.DIFFERENT


def test_the_more_specific_wording_stays() -> None:
    """M8."""
    assert verdict("User loves weekend hiking trips", "User enjoys hiking").wording == "User loves weekend hiking trips"
    assert verdict("User enjoys hiking", "User loves weekend hiking trips").wording == "User loves weekend hiking trips"
    assert verdict("User resides in Seattle", "User lives in Seattle").wording == "User lives in Seattle"
    assert verdict("User lives in Oslo", "User moved to Oslo last month").wording == "User lives in Oslo"


def test_a_fact_is_closed_from_when_the_new_one_says() -> None:
    """M7."""
    decided = verdict("User moved to Portland in March", "User lives in Seattle")

    assert decided.holds_from == datetime(2026, 3, 1, tzinfo=UTC)


def test_a_plan_holds_from_when_it_was_made() -> None:
    assert verdict("User plans to move to Oslo next year").holds_from == SAID


def test_what_is_told_of_long_ago_retires_nothing() -> None:
    """M7: told in June, of somebody who lived in Seattle in January."""
    assert verdict("User moved to Portland in 2015", "User lives in Seattle").kind is VerdictKind.DIFFERENT


def test_a_change_of_this_year_is_news() -> None:
    """M7: it began on the first of January, and was said since."""
    known_in_may = known("User lives in Seattle", at=datetime(2026, 5, 5, tzinfo=UTC))

    assert verdict("User moved to Portland in 2026", known_in_may).kind is VerdictKind.CONTRADICTS


def test_an_older_message_becomes_the_past() -> None:
    """M7: out of order, as imports come."""
    newer = known("User lives in Portland", at=SAID + timedelta(days=30))

    decided = verdict("User lives in Seattle", newer)

    assert decided.kind is VerdictKind.PAST
    assert decided.memories == (newer,)


def test_a_closed_fact_that_is_said_again_is_a_new_one() -> None:
    """M7: they moved back."""
    closed = known("User lives in Seattle", status=Status.SUPERSEDED, valid_to=THEN + timedelta(days=60))
    now = known("User lives in Portland", at=THEN + timedelta(days=60))

    decided = verdict("User lives in Seattle", closed, now)

    assert decided.kind is VerdictKind.CONTRADICTS
    assert decided.memories == (now,)


def test_a_closed_fact_that_was_said_before_its_end_is_known() -> None:
    closed = known("User lives in Seattle", status=Status.SUPERSEDED, valid_to=SAID + timedelta(days=60))
    now = known("User lives in Portland", at=SAID + timedelta(days=60))

    assert verdict("User lives in Seattle", closed, now).memories == (closed,)


def test_quitting_a_job_ends_it_only_where_there_is_one() -> None:
    """M7: in doubt, everything stays."""
    decided = verdict("User quit their job", "User works as a nurse", "User works as a baker")

    assert decided.kind in (VerdictKind.RELATED, VerdictKind.DIFFERENT)


# ── persons ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mark", [{"edited_by_person": True}, {"origin": Origin.USER}, {"origin": Origin.GM}])
def test_what_contradicts_a_person_waits(mark: dict[str, Any]) -> None:
    """M11."""
    decided = verdict("User lives in Portland", known("User lives in Seattle", **mark))

    assert decided.kind is VerdictKind.WAITS


def test_what_was_rejected_is_blocked_in_the_same_words_from_anywhere() -> None:
    """M11."""
    rejected = known("User lives in Seattle", status=Status.REJECTED)

    assert verdict("User lives in Seattle", rejected, source="m9").kind is VerdictKind.BLOCKED


def test_what_was_rejected_is_blocked_in_any_words_from_the_same_source() -> None:
    """M11."""
    rejected = known("User lives in Seattle", status=Status.REJECTED)

    assert verdict("User resides in Seattle", rejected, source="m1").kind is VerdictKind.BLOCKED
    assert verdict("User resides in Seattle", rejected, source="m9").kind is VerdictKind.DIFFERENT


def test_what_a_person_edited_is_not_brought_back_by_its_source() -> None:
    """M11, M16."""
    edited = known("User lives in Tacoma", edited_by_person=True)

    assert verdict("User lives in Seattle", edited, source="m1").kind is VerdictKind.BLOCKED


# ── what must always hold ────────────────────────────────────────────────────────────────────────

# One statement of each kind; no two of them are about the same.
STATEMENTS = [
    "{} lives in Seattle",
    "{} moved to Portland last month",
    "{} works as a nurse",
    "{} now works as a teacher",
    "{} quit smoking",
    "{} no longer likes coffee",
    "{} is married to Alex",
    "{} is 34 years old",
    "{} has two kids",
    "{} has a cat named Whiskers",
    "{} is allergic to peanuts",
    "{} is vegetarian",
    "{} speaks French",
    "{} is learning Spanish",
    "{} wants to visit Japan",
    "{} was born in 1990",
    "{} grew up in Bergen",
    "{} works in downtown Seattle",
    "{} dislikes mushrooms",
    "{} owns a red car",
    "{} can play the guitar",
    "{} stopped playing tennis",
    "{} met the queen yesterday",
    "{} broke an arm while skiing",
]
WHO = st.sampled_from(["User", "Mira", "Don", "User's sister Emma", "User's brother", "The user"])
# Of these two, one is the news of the other.
RIVALS = [("lives in", "moved to"), ("works as", "now works as")]


def rivals(one: str, other: str) -> bool:
    return any((a in one and b in other) or (b in one and a in other) for a, b in RIVALS)


@example("User", "User", "{} met the queen yesterday", "{} broke an arm while skiing", 1.0)
@example("Mira", "Mira", "{} met the queen yesterday", "{} broke an arm while skiing", 1.0)
@example("User's sister Emma", "User's sister Emma", "{} met the queen yesterday", "{} broke an arm while skiing", 1.0)
@given(WHO, WHO, st.sampled_from(STATEMENTS), st.sampled_from(STATEMENTS), st.floats(0, 1) | st.none())
def test_facts_of_different_kinds_or_persons_never_retire_each_other(
    who: str, whom: str, old: str, new: str, cosine: float | None
) -> None:
    """M7: to retire what is still true is the worse error."""
    is_one_person = who.removeprefix("The ").lower() == whom.removeprefix("The ").lower()

    decided = verdict(new.format(whom), known(old.format(who)), cosine=cosine)

    if not is_one_person or (old != new and not rivals(old, new)):
        assert decided.kind in (VerdictKind.RELATED, VerdictKind.DIFFERENT)


@given(st.text(max_size=200), st.text(max_size=200), st.floats(0, 1) | st.none())
def test_statements_that_cannot_be_understood_retire_nothing(old: str, new: str, cosine: float | None) -> None:
    """M7."""
    if old.strip():
        assert verdict(new, replace(known("x"), content=old), cosine=cosine).kind in (
            VerdictKind.EXACT,
            VerdictKind.REINFORCES,
            VerdictKind.RELATED,
            VerdictKind.DIFFERENT,
        )


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_is_the_same_as_itself(statement: str) -> None:
    assert verdict(statement.format("User"), statement.format("User")).kind is VerdictKind.EXACT


# ── thresholds ───────────────────────────────────────────────────────────────────────────────────


def test_an_unknown_model_has_the_default_thresholds() -> None:
    """M8."""
    assert thresholds_for("no-such-model") == thresholds_for(None) == Thresholds(0.85, 0.92, 0.85, 0.75)


def test_the_operator_has_the_last_word_on_thresholds() -> None:
    """M8: all configurable, each by itself."""
    measured = THRESHOLDS["wordllama-l2-256"]

    assert thresholds_for("wordllama-l2-256", SavingSettings()) == measured
    assert thresholds_for("wordllama-l2-256", SavingSettings(facts=0.5)) == replace(measured, facts=0.5)


def test_every_model_and_every_decision_is_in_the_docs() -> None:
    """M8: stated per embedding model."""
    page = (Path(__file__).parents[3] / "docs" / "learning.md").read_text(encoding="utf-8")

    for name, each in {**THRESHOLDS, "any other": DEFAULTS}.items():
        assert f"| {name} | {each.facts:.2f} | {each.segments:.2f} | {each.words:.2f} | {each.related:.2f} |" in page
    for kind in VerdictKind:
        assert f"| {kind.value} |" in page


def test_pending_memories_are_known_and_never_closed() -> None:
    """M10."""
    waiting = replace(known("User lives in Seattle"), status=Status.PENDING)

    assert verdict("User lives in Seattle", waiting).kind is VerdictKind.EXACT
    assert verdict("User lives in Portland", waiting).kind is VerdictKind.DIFFERENT
