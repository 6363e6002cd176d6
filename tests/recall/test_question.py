"""What is asked, about whom, and of which time (R2–R4)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from everlore.domain.campaign import Entity, Relationship
from everlore.domain.memory import Status
from everlore.domain.passage import PassageKind
from everlore.domain.visibility import Viewer, person_in
from everlore.recall.names import QueryNames, guesses_in, is_about, named_in, without_names
from everlore.recall.query_embedding import QueryEmbedding
from everlore.recall.question import RecallQuery, focus_of, search_of
from everlore.recall.times import Order, asked_time, time_weight
from tests.contract.builders import SCOPE, START, campaign, memory, person, save
from tests.store_double.store import DoubleStore

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def test_of_a_pasted_book_only_the_last_sentences_are_asked() -> None:
    """R2."""
    book = "It was a dark night. " * 10_000

    assert focus_of(f"{book}Where is the boat?").endswith("Where is the boat?")
    assert len(focus_of(f"{book}Where is the boat?")) < 500
    assert focus_of("Where is the boat?") == "Where is the boat?"


@pytest.mark.parametrize(
    ("text", "is_past"),
    [("Where did I live before?", True), ("Where do I live?", False), ("Who used to own the boat?", True)],
)
def test_who_asks_about_the_past_is_told_what_is_over(text: str, is_past: bool) -> None:
    """M7, R2."""
    question = RecallQuery(text=text, viewer=OWNER)
    asked = search_of(question, QueryEmbedding(), frozenset(PassageKind), pool=1, vector_weight=0.5)
    assert (Status.SUPERSEDED.value in asked.statuses) is is_past
    assert Status.ACTIVE.value in asked.statuses


@pytest.mark.parametrize(
    ("text", "names"),
    [("What does mike like?", {"Mike", "mike"}), ("Tell me of Mary Ann's boat", {"Mary", "Mary Ann", "Ann"})],
)
def test_what_could_be_a_name_is_looked_up(text: str, names: set[str]) -> None:
    """R4."""
    assert names <= set(guesses_in(text))


def test_a_question_is_compared_with_what_somebody_said_without_their_name() -> None:
    """R4."""
    assert without_names("What is Emma's job?", ["Emma"]) == "What is job?"
    assert without_names("What is Emma's job?", ["Emma"], personal=True) == "What is my job?"
    assert without_names("Emma", ["Emma"]) == "Emma"


async def test_names_pull_persons_entities_and_what_is_tied_to_them() -> None:
    """R4: one or two steps, and no further."""
    store = DoubleStore(clock=lambda: START)
    await save(store, person("mike", name="Mike"), *(_entity(id) for id in ("Keep", "Vault", "Crown", "Sea")))
    await save(store, _tie("Keep", "Vault"), _tie("Vault", "Crown"), _tie("Crown", "Sea"))

    named = await named_in(SCOPE, "Did Mike enter the Keep?", store=store, viewer=OWNER)

    assert [each.id for each in named.persons] == ["mike"]
    assert named.steps == {"Keep": 0, "Vault": 1, "Crown": 2}
    assert is_about(memory("a", persons=("mike",)), named) == 0
    assert is_about(memory("b", entity_ids=("Crown",)), named) == 2
    assert is_about(memory("c", entity_ids=("Sea",)), named) is None
    assert not QueryNames()


async def test_a_name_that_players_must_not_know_leads_to_nobody_for_them() -> None:
    """R4, G9: nor does a hidden tie, or one to somebody who is hidden; who runs the game is led by all of them."""
    store = DoubleStore(clock=lambda: START)
    await save(store, person("mike", name="Mike"), person("gm"), campaign("quest", gm_id="gm"))
    mask = _entity("Mask", campaign_id="quest", person_id="mike", is_spoiler=True)
    await save(store, mask, *(_entity(id, campaign_id="quest") for id in ("Keep", "Vault", "Crown")))
    hidden = replace(_tie("Keep", "Vault"), is_spoiler=True)
    ties = (hidden, _tie("Keep", "Mask"), _tie("Keep", "Crown"))
    await save(store, *(replace(each, campaign_id="quest") for each in ties))
    quest = campaign("quest", gm_id="gm", player_ids=("ann",))
    ann, gm = (person_in(SCOPE.workspace, each, [quest]) for each in ("ann", "gm"))

    for asked in ("Is it the Mask?", "Who is in the Keep?"):
        led = await named_in(SCOPE, asked, store=store, viewer=ann)
        assert not led.person_ids
        assert led.steps.keys() <= {"Keep", "Crown"}
    assert (await named_in(SCOPE, "Is it the Mask?", store=store, viewer=gm)).person_ids == {"mike"}
    seen = await named_in(SCOPE, "Who is in the Keep?", store=store, viewer=gm)
    assert seen.steps == {"Keep": 0, "Vault": 1, "Mask": 1, "Crown": 1}


OWNER = Viewer(workspace=SCOPE.workspace, sees_all=True)


def _entity(name: str, **fields: Any) -> Entity:
    return Entity(workspace=SCOPE.workspace, id=name, name=name, created_at=START, updated_at=START, **fields)


def _tie(one: str, other: str) -> Relationship:
    return Relationship(
        workspace=SCOPE.workspace,
        id=f"{one}-{other}",
        source_id=one,
        target_id=other,
        type="holds",
        created_at=START,
    )


def test_a_period_that_is_named_counts_and_so_does_the_last_and_the_first() -> None:
    """R3."""
    may = asked_time("What did we do in May 2026?", NOW)
    last = asked_time("What was the latest news?", NOW)
    first = asked_time("What was the first thing I said?", NOW)
    early, late = NOW - timedelta(days=300), NOW

    assert time_weight(may, datetime(2026, 5, 10, tzinfo=UTC), early, late) == 1
    assert time_weight(may, datetime(2026, 9, 10, tzinfo=UTC), early, late) < 1
    assert (last.order, first.order) == (Order.LAST, Order.FIRST)
    assert time_weight(last, late, early, late) > time_weight(last, early, early, late)
    assert time_weight(first, early, early, late) > time_weight(first, late, early, late)
    assert time_weight(asked_time("Who is there?", NOW), early, early, late) == 1


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("Wo wohnt meine Schwester?", "Wo wohnt meine Schwester? (where live sister)"),
        ("comment s'appelle mon chien ?", "comment s'appelle mon chien ? (name named called dog)"),
        # None of our words, or none that we know.
        ("where does my sister live?", "where does my sister live?"),
        ("je ne sais pas", "je ne sais pas"),
        ("chat history", "chat history"),
        ("come as you are", "come as you are"),
        ("", ""),
    ],
)
def test_a_question_in_another_language_is_asked_in_our_words_too(asked: str, words: str) -> None:
    """R2."""
    assert focus_of(asked) == words
