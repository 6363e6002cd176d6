"""What a memory or an event mentions, and how it forgets what is deleted (K5, M5, M9)."""

from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.conversation import Conversation, Message
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.records import (
    KINDS,
    LOOSENED,
    MENTIONS,
    OWNED,
    Record,
    mentions_of,
    persons_of,
    without,
    without_persons,
)
from tests.contract.builders import event, filled, memory

IDS = st.sampled_from(["a", "b", "c", "d"])


def test_a_memory_mentions_its_persons_its_sources_and_its_places() -> None:
    """M5."""
    kept = memory(
        "m", persons=("ada", "bob"), source_message_ids=("x", "y"), conversation_id="chat", superseded_by="next"
    )

    assert mentions_of(kept) == [
        ("persons", "ada"),
        ("persons", "bob"),
        ("source_message_ids", "x"),
        ("source_message_ids", "y"),
        ("conversation_id", "chat"),
        ("superseded_by", "next"),
    ]


def test_a_memory_that_names_nothing_mentions_nothing() -> None:
    assert mentions_of(memory("m")) == []


def test_what_is_deleted_is_no_longer_named() -> None:
    """M9."""
    kept = memory("m", persons=("ada", "bob"), source_message_ids=("x", "y"), conversation_id="chat")

    left = without(kept, {Person: {"bob"}, Message: {"x"}, Conversation: {"chat"}})

    assert (left.persons, left.source_message_ids, left.conversation_id) == (("ada",), ("y",), None)
    assert (left.content, left.revision, left.updated_at) == (kept.content, kept.revision, kept.updated_at)


def test_a_memory_that_named_none_of_it_is_the_same_object() -> None:
    """M9: the stores write only what changed."""
    kept = memory("m", persons=("ada",))

    assert without(kept, {Person: {"bob"}, Memory: {"other"}}) is kept


def test_the_same_id_of_another_kind_is_left_alone() -> None:
    """M9: a person and a message may share an id."""
    kept = memory("m", persons=("x",), source_message_ids=("x",))

    assert without(kept, {Person: {"x"}}).source_message_ids == ("x",)


@given(
    st.lists(IDS, unique=True),
    st.lists(IDS, unique=True),
    st.none() | IDS,
    st.dictionaries(st.sampled_from([Person, Message, Conversation]), st.sets(IDS)),
)
def test_afterwards_exactly_what_is_not_gone_is_mentioned(
    persons: list[str], messages: list[str], conversation: str | None, gone: dict[type[Record], set[str]]
) -> None:
    """M9."""
    kept = memory("m", persons=tuple(persons), source_message_ids=tuple(messages), conversation_id=conversation)

    left = without(kept, gone)

    assert mentions_of(left) == [
        (name, id) for name, id in mentions_of(kept) if id not in gone.get(MENTIONS[name], set())
    ]
    assert without(left, gone) is left


def test_every_field_that_names_a_record_is_known_as_a_tie_or_a_mention() -> None:
    """M9: an id field that the tables do not know would outlive what it names.

    Those that are left out name something that may well be elsewhere, or gone: who played, where it branched off,
    what an analysis formed.
    """
    loose = {
        ("Analysis", "memory_ids"),
        ("Campaign", "gm_id"),
        ("Campaign", "player_ids"),
        ("Conversation", "branched_at_id"),
        ("Conversation", "branched_from_id"),
        ("Conversation", "system_ids"),
        ("Conversation", "user_id"),
        ("Event", "entity_ids"),
        ("Event", "user_id"),
        ("Interaction", "actor_id"),
        ("Interaction", "interactor_id"),
        ("Message", "person_id"),
    }
    known = {(tie.child.__name__, tie.column) for tie in (*OWNED, *LOOSENED)}
    known |= {("Memory", name) for name in MENTIONS}

    named = {
        (kind.__name__, name) for kind in KINDS for name in kind.__dataclass_fields__ if name.endswith(("_id", "_ids"))
    }

    assert named - known == loose


def test_a_memory_with_every_field_set_mentions_every_field_of_the_table() -> None:
    """M5."""
    assert {name for name, _ in mentions_of(filled(Memory, "m"))} == set(MENTIONS)


def test_the_persons_of_an_event_are_those_who_act_and_then_those_who_take_part() -> None:
    """K5: each once."""
    assert persons_of(event("met", actors=("bo", "ada", "bo"), participants=("cy", "ada"))) == ("bo", "ada", "cy")
    assert persons_of(event("rain")) == ()


@given(st.lists(IDS), st.lists(IDS), st.sets(IDS))
def test_an_event_keeps_those_who_are_not_gone_in_their_order(
    actors: list[str], participants: list[str], gone: set[str]
) -> None:
    """M9: and everything else as it was."""
    met = event("met", actors=tuple(actors), participants=tuple(participants))

    left = without_persons(met, gone)

    assert left == event(
        "met",
        actors=tuple(id for id in actors if id not in gone),
        participants=tuple(id for id in participants if id not in gone),
    )
    assert set(persons_of(left)) == set(persons_of(met)) - gone
