"""Who answers next: whoever was asked for, named, or next in turn (V10)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.person import Person, PersonKind
from everlore.errors import BadAsk
from everlore.turn.speakers import next_speaker
from tests.turn.records import person

MIKE, DON, REX = person("Mike"), person("Don"), person("Rex")
NARRATOR = person("Narrator", kind=PersonKind.NARRATOR)
CAST = [MIKE, NARRATOR, DON, REX]


def spoken_to(text: str, cast: list[Person] = CAST, last: str | None = None) -> str:
    return next_speaker(cast, text, last).name


def test_whoever_was_asked_for_speaks_even_where_another_is_named() -> None:
    assert next_speaker(CAST, "Mike?", "mike", explicit="rex") == REX
    assert next_speaker(CAST, "Mike?", None, explicit="narrator") == NARRATOR


def test_somebody_who_does_not_play_cannot_be_asked_for() -> None:
    with pytest.raises(BadAsk, match=r"'zoe' does not play in this conversation. Choose one of: Mike \(mike\), "):
        next_speaker(CAST, "Hello", None, explicit="zoe")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Don, what do you say?", "Don"),
        ("what does rex think", "Rex"),
        ("And MIKE?", "Mike"),
        ("Is that Rex's sword?", "Rex"),
        ("Don, tell Mike about it", "Don"),
        ("@Rex hello", "Rex"),
    ],
)
def test_whoever_is_named_first_answers(text: str, name: str) -> None:
    assert spoken_to(text) == name


@pytest.mark.parametrize("text", ["I don't know", "I don’t know", "The donkey and the T-rexes", "Mikes of this world"])
def test_a_part_of_a_word_names_nobody(text: str) -> None:
    assert spoken_to(text, last="don") == "Rex"


def test_without_a_name_the_next_in_turn_answers() -> None:
    assert [spoken_to("And then?", last=last) for last in (None, "mike", "don", "rex", "gone")] == [
        "Mike",
        "Don",
        "Rex",
        "Mike",
        "Mike",
    ]


def test_the_narrator_is_not_called_by_name_or_turn() -> None:
    assert spoken_to("The Narrator sighs.", last="mike") == "Don"


def test_a_narrator_alone_answers() -> None:
    assert spoken_to("Go on.", cast=[NARRATOR]) == "Narrator"


def test_the_longest_name_at_a_place_wins() -> None:
    cast = [person("Don"), person("Don Juan", id="juan")]

    assert spoken_to("Don Juan, come here", cast) == "Don Juan"
    assert spoken_to("Don, come here", cast) == "Don"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Watson, look", "Dr. John Watson"),
        ("john?", "Dr. John Watson"),
        ("Sherlock!", "Sherlock Holmes"),
        ("What does Holmes say?", "Mycroft Holmes"),
        ("Shezza?", "Sherlock Holmes"),
        ("Look at the map", "Mycroft Holmes"),
    ],
)
def test_a_first_name_a_last_name_or_a_nickname_will_do_where_it_is_one_persons_own(text: str, name: str) -> None:
    cast = [
        person("Mycroft Holmes"),
        person("Sherlock Holmes", extensions={"card": {"data": {"nickname": "Shezza"}}}),
        person("Dr. John Watson"),
    ]

    assert spoken_to(text, cast) == name


def test_a_name_that_is_also_a_word_must_be_written_as_a_name() -> None:
    cast = [person("Anna"), person("Will")]

    assert spoken_to("will you come?", cast) == "Anna"
    assert spoken_to("Will, are you there?", cast) == "Will"


def test_names_full_of_signs_are_only_names() -> None:
    """S-6, S-8."""
    odd = person("(a+)+$ [x]", id="odd")

    assert spoken_to("(a+)+$ [x] speaks", [MIKE, odd]) == odd.name
    assert spoken_to("a" * 50_000, [MIKE, odd]) == "Mike"


@given(st.text(max_size=80), st.sampled_from([None, "mike", "don", "rex"]))
def test_somebody_of_the_cast_always_answers(text: str, last: str | None) -> None:
    assert next_speaker(CAST, text, last) in (MIKE, DON, REX)
