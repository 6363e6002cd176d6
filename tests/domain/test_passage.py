"""What search looks through, for each kind of record (M14)."""

import pytest

from everlore.domain.campaign import EntityKind
from everlore.domain.conversation import Author
from everlore.domain.event import EventType
from everlore.domain.memory import MemoryType, Status, Visible
from everlore.domain.passage import Passage, PassageKind, pair_key, passage_of
from everlore.domain.records import KINDS
from tests.contract.builders import START, bare, entity, event, memory, message, minute, summary


def test_a_memory_is_found_by_its_statement_in_its_scope() -> None:
    """M3, M14."""
    kept = memory(
        "m",
        "Ada fears the sea.",
        summary="sea!",
        type=MemoryType.EMOTION,
        persons=("ada", "bob"),
        conversation_id="chat",
        campaign_id="quest",
        visibility=Visible.SECRET,
        valid_from=minute(1),
        valid_to=minute(9),
    )

    assert passage_of(kept) == Passage(
        kind=PassageKind.MEMORY,
        ref="m",
        text="Ada fears the sea.",
        at=minute(1),
        persons=("ada", "bob"),
        conversation_id="chat",
        campaign_id="quest",
        type="EMOTION",
        status="active",
        visibility="secret",
        valid_from=minute(1),
        valid_to=minute(9),
    )


def test_a_memory_without_a_beginning_happened_when_it_was_made() -> None:
    """M7."""
    passage = passage_of(memory("m", at=minute(3)))

    assert passage is not None
    assert passage.at == minute(3)


@pytest.mark.parametrize("status", Status)
def test_only_a_deleted_memory_leaves_the_index(status: Status) -> None:
    """M9, M10: one that is closed or rejected can still be asked for by its status."""
    passage = passage_of(memory("m", status=status))

    assert (passage is None) is (status is Status.DELETED)
    assert passage is None or passage.status == status.value


def test_two_persons_share_a_memory_as_one_pair_in_either_order() -> None:
    """M4."""
    one, other = passage_of(memory("m", persons=("ada", "bob"))), passage_of(memory("m", persons=("bob", "ada")))

    assert one is not None
    assert other is not None
    assert one.pair == other.pair == pair_key("ada", "bob")


@pytest.mark.parametrize("persons", [(), ("ada",), ("ada", "ada"), ("ada", "bob", "cy")])
def test_one_person_or_a_crowd_is_no_pair(persons: tuple[str, ...]) -> None:
    """M4."""
    passage = passage_of(memory("m", persons=persons))

    assert passage is not None
    assert passage.pair is None


def test_a_message_is_found_by_those_who_were_there() -> None:
    """M14, V13."""
    said = message("x", "The vault opens at noon.", present=("ada", "bob"), author=Author.NARRATOR)

    assert passage_of(said) == Passage(
        kind=PassageKind.MESSAGE,
        ref="x",
        text="The vault opens at noon.",
        at=START,
        persons=("ada", "bob"),
        conversation_id="chat",
        type="narrator",
    )


@pytest.mark.parametrize("unsearched", [message("x", private=True), message("x", " \n"), message("x", "")])
def test_private_and_empty_messages_are_not_searched(unsearched: object) -> None:
    assert passage_of(unsearched) is None


def test_a_summary_is_found_unless_it_is_private() -> None:
    """M14."""
    assert passage_of(summary("s", "They met.", persons=("ada",))) == Passage(
        kind=PassageKind.SUMMARY,
        ref="s",
        text="They met.",
        at=START,
        persons=("ada",),
        conversation_id="chat",
    )
    assert passage_of(summary("s", private=True)) is None


def test_an_event_is_found_by_all_who_took_part_each_once() -> None:
    """M14."""
    happened = event(
        "e",
        "A duel at dawn.",
        type=EventType.OBSERVATION,
        at=minute(4),
        actors=("ada", "bob"),
        participants=("bob", "cy"),
        conversation_id="chat",
        campaign_id="quest",
    )

    assert passage_of(happened) == Passage(
        kind=PassageKind.EVENT,
        ref="e",
        text="A duel at dawn.",
        at=minute(4),
        persons=("ada", "bob", "cy"),
        conversation_id="chat",
        campaign_id="quest",
        type="observation",
    )
    assert passage_of(event("e", "  ")) is None


def test_an_entity_is_found_by_any_of_its_names_and_its_description() -> None:
    """M14."""
    thing = entity(
        "t", "Grey Tower", aliases=("The Finger",), description="Ruined.", kind=EntityKind.LOCATION, campaign_id="quest"
    )

    assert passage_of(thing) == Passage(
        kind=PassageKind.ENTITY,
        ref="t",
        text="Grey Tower The Finger\nRuined.",
        at=START,
        campaign_id="quest",
        type="location",
    )


def test_an_entity_that_is_a_person_belongs_to_that_person() -> None:
    passage = passage_of(entity("t", "Ada", person_id="ada"))

    assert passage is not None
    assert (passage.text, passage.persons) == ("Ada", ("ada",))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_with_a_passage_kind_is_searched_and_no_other(kind: type[object]) -> None:
    """M14: memories, messages, summaries, events and entities."""
    searched = kind.__name__.lower() in set(PassageKind)

    assert (passage_of(bare(kind, "x")) is not None) is searched


def test_a_message_is_found_by_what_was_said_and_never_by_what_was_thought() -> None:
    """R11: what a user writes between such tags they wrote to be read."""
    thoughts = "<think>The code is saffron.</think>Good evening."
    said = passage_of(message("m", thoughts, author=Author.ASSISTANT))
    written = passage_of(message("m", thoughts, author=Author.USER))

    assert said is not None
    assert said.text == "Good evening."
    assert written is not None
    assert written.text == thoughts
    assert passage_of(message("m", "<think>Only this.</think>", author=Author.NARRATOR)) is None
