"""What statements say (M7, M8): a table of the ways in which people and models put them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.claim import Slot
from everlore.language.tense import Tense
from everlore.learning.claims import SINGLE, SINGLE_ON_CHANGE, ClaimFrame, framed, is_single
from everlore.learning.phrasebooks.statements import parsed
from everlore.learning.saving.likeness import read, says_same

# The statement; its subject, slot and topic; its value; then + or - for whether it holds, "past" or "future" where
# it is not of now, and "!" where it says that something changed.
SAID = [
    ("User lives in Seattle", "user home", "seattl", "+"),
    ("The user resides in Seattle.", "user home", "seattl", "+"),
    ("User is living in Seattle", "user home", "seattl", "+"),
    ("User has been living in Seattle for three years", "user home", "seattl", "+"),
    ("User lives in an apartment in Seattle with two cats", "user home", "seattl", "+"),
    ("User moved to Portland last month", "user home", "portland", "+!"),
    ("User recently moved from Seattle to Portland", "user home", "portland", "+!"),
    ("User emigrated to Canada in 2019", "user home", "canada", "+!"),
    ("User settled down in Portland", "user home", "portland", "+!"),
    ("User moved in with Sam in Portland", "user home", "portland", "+!"),
    ("User took a position at the museum as a curator", "user occupation", "curat", "+!"),
    ("User began work as a curator", "user occupation", "curat", "+!"),
    ("User works for the city as a curator", "user occupation", "curat", "+"),
    ("User joined the museum as a curator", "user occupation", "curat", "+!"),
    ("User was promoted to head curator", "user occupation", "head curat", "+!"),
    ("User's new job is curator", "user occupation", "curat", "+!"),
    ("User was born in June 1988", "user birth_year", "1988", "+"),
    ("User's year of birth is 1988", "user birth_year", "1988", "+"),
    ("User was born and raised in Lyon", "user origin", "lyon", "+"),
    ("User turned forty-one", "user age", "forty-one", "+!"),
    ("User has moved back to Seattle", "user home", "seattl", "+!"),
    ("User lived in Seattle", "user home", "seattl", "+past"),
    ("User has lived in Rome", "user home", "rome", "+past"),
    ("User used to live in Seattle", "user home", "seattl", "-past!"),
    ("User does not live in Seattle anymore", "user home", "seattl", "-!"),
    ("User lives in a small apartment", "user habit", "live small apart", "+"),
    ("User's sister Emma lives in Oslo", "user's sister emma|home", "oslo", "+"),
    ("User's younger brother lives in Denver", "user's younger brother|home", "denver", "+"),
    ("User is from Norway", "user origin", "norway", "+"),
    ("User grew up in Bergen", "user origin", "bergen", "+"),
    ("User was born in Oslo", "user origin", "oslo", "+"),
    ("User was born in 1990", "user birth_year", "1990", "+"),
    ("User was born on 5 May", "user birthday", "5 may", "+"),
    ("User's birthday is May 5th", "user birthday", "5 may", "+"),
    ("User's name is Sarah", "user name", "sarah", "+"),
    ("User is called Sarah", "user name", "sarah", "+"),
    ("User's name is actually John", "user name", "john", "+"),
    ("User goes by Johnny", "user nickname", "johnni", "+"),
    ("User is 34 years old", "user age", "34", "+"),
    ("User is 34", "user age", "34", "+"),
    ("User's age is 34", "user age", "34", "+"),
    ("User just turned 34 yesterday", "user age", "34", "+!"),
    ("User works as a nurse", "user occupation", "nurs", "+"),
    ("User is a nurse", "user occupation", "nurs", "+"),
    ("User is an emergency nurse", "user occupation", "emergenc nurs", "+"),
    ("User now works as a teacher", "user occupation", "teacher", "+!"),
    ("User works as a teacher now", "user occupation", "teacher", "+!"),
    ("User became a teacher", "user occupation", "teacher", "+!"),
    ("User got a new job as a teacher", "user occupation", "teacher", "+!"),
    ("User now also works as a barista", "user occupation", "barista", "+"),
    ("User is no longer a nurse", "user occupation", "nurs", "-!"),
    ("User was a nurse", "user occupation", "nurs", "+past"),
    ("User quit his job as a nurse", "user occupation", "nurs", "-!"),
    ("User quit their job", "user occupation", "", "-!"),
    ("User was laid off", "user occupation", "", "-!"),
    ("User is retired", "user occupation", "", "-!"),
    ("User works at St. Mary Hospital", "user employer", "st mari hospit", "+"),
    ("User quit her job at Google", "user employer", "googl", "-!"),
    ("User works in downtown Seattle", "user workplace", "downtown seattl", "+"),
    ("User is married", "user relationship_status", "marri", "+"),
    ("User got divorced last year", "user relationship_status", "divorc", "+!"),
    ("User is single", "user relationship_status", "singl", "+"),
    ("User is married to Alex", "user partner:married", "alex", "+"),
    ("User's wife is Mia", "user partner:married", "mia", "+"),
    ("User got engaged to Sam", "user partner:engaged", "sam", "+!"),
    ("User is dating Alex", "user partner:dating", "alex", "+"),
    ("User broke up with Alex", "user partner", "alex", "-!"),
    ("User's wife Mia works as a lawyer", "user's wife mia|occupation", "lawyer", "+"),
    ("User has a sister named Emma", "user family:sister", "emma", "+"),
    ("User's sister is named Emma", "user family:sister", "emma", "+"),
    ("User's sister's name is Emma", "user family:sister", "emma", "+"),
    ("User has a stepdaughter named Maud", "user family:stepdaught", "maud", "+"),
    ("User has a lovely old flatmate named Rui", "user family:roommate", "rui", "+"),
    ("User's brother in law is named Otto", "user family:brother law", "otto", "+"),
    ("User has a late husband named Piet", "user family:late husband", "piet", "+"),
    ("User has kids", "user family:children", "", "+"),
    ("User does not have any children", "user family_size:children", "0", "+"),
    ("User does not have a girlfriend", "user partner:dating", "", "-"),
    ("User's twins Ada and Bo are 9 years old", "user's twins ada and bo|age", "9", "+"),
    ("User has two kids", "user family_size:children", "2", "+"),
    ("User has three children", "user family_size:children", "3", "+"),
    ("User is a mother of two", "user family_size:children", "2", "+"),
    ("User has a cat named Whiskers", "user pet:cat", "whisker", "+"),
    ("User's cat is named Whiskers", "user pet:cat", "whisker", "+"),
    ("User adopted a dog named Rex", "user pet:dog", "rex", "+"),
    ("User's cat Whiskers died last week", "user pet:cat", "whisker", "-!"),
    ("User's dog passed away", "user pet:dog", "", "-!"),
    ("User's favorite color is green", "user favorite:color", "green", "+"),
    ("Green is User's favourite color", "user favorite:color", "green", "+"),
    ("User's favorite food is now sushi", "user favorite:food", "sushi", "+!"),
    ("User enjoys hiking", "user like", "hike", "+"),
    ("User loves to hike", "user like", "hike", "+"),
    ("User likes coffee in the morning", "user like", "coffe", "+"),
    ("User is a fan of jazz", "user like", "jazz", "+"),
    ("User does not like mushrooms", "user like", "mushroom", "-"),
    ("User no longer likes coffee", "user like", "coffe", "-!"),
    ("User doesn't like coffee anymore", "user like", "coffe", "-!"),
    ("User used to like coffee", "user like", "coffe", "-past!"),
    ("User has never liked coffee", "user like", "coffe", "-"),
    ("User dislikes mushrooms", "user dislike", "mushroom", "+"),
    ("User can't stand loud music", "user dislike", "loud music", "+"),
    ("User is allergic to peanuts", "user allergy", "peanut", "+"),
    ("User has a peanut allergy", "user allergy", "peanut", "+"),
    ("User is no longer allergic to cats", "user allergy", "cat", "-!"),
    ("User is vegetarian", "user diet:meat", "vegetarian", "+"),
    ("User went vegan", "user diet:meat", "vegan", "+!"),
    ("User owns a red car", "user possession", "red car", "+"),
    ("User sold their car", "user possession", "car", "-!"),
    ("User speaks French", "user language", "french", "+"),
    ("User is fluent in Spanish now", "user language", "spanish", "+!"),
    ("User is learning Spanish", "user study", "spanish", "+"),
    ("User learned Spanish", "user skill", "spanish", "+!"),
    ("User can play the guitar", "user skill", "play guitar", "+"),
    ("User cannot swim", "user skill", "swim", "-"),
    ("User wants to visit Japan", "user goal", "visit japan", "+future"),
    ("User's goal is to run a marathon", "user goal", "run marathon", "+future"),
    ("User plans to move to Oslo next summer", "user plan", "move oslo", "+future"),
    ("User is moving to Oslo", "user plan", "move oslo", "+future"),
    ("User cancelled their trip to Japan", "user plan", "trip japan", "-!"),
    ("User smokes", "user habit", "smoke", "+"),
    ("User does not smoke", "user habit", "smoke", "-"),
    ("User quit smoking three weeks ago", "user habit", "smoke", "-!"),
    ("User started smoking again", "user habit", "smoke", "+!"),
    ("User no longer plays tennis", "user skill", "play tenni", "-!"),
    ("User's eye color is blue", "user attribute:eye color", "blue", "+"),
    ("User speaks no Spanish", "user language", "spanish", "-"),
    ("User drinks no alcohol", "user habit", "drink alcohol", "-"),
    ("User decided not to move to Lisbon", "user plan", "move lisbon", "-!"),
    ("User has no kids", "user family_size:children", "0", "+"),
    ("User has three dogs", "user family_size:dog", "3", "+"),
    ("User and Alex broke up", "user partner", "alex", "-!"),
    ("User and Mia got married last weekend", "user partner:married", "mia", "+!"),
    ("User changed their name to Sam", "user name", "sam", "+!"),
    ("User's favorite color has changed to blue", "user favorite:color", "blue", "+!"),
    ("User switched jobs and now works as a teacher", "user occupation", "teacher", "+!"),
    ("User has come to enjoy running", "user like", "run", "+!"),
    ("User smokes a pack of cigarettes a day", "user habit", "smoke", "+"),
    ("Mira trusts Don", "mira habit", "trust don", "+"),
    ("Mira no longer trusts Don", "mira habit", "trust don", "-!"),
    ("Mira's brother Kel is a blacksmith", "mira's brother kel|occupation", "blacksmith", "+"),
]


def frame_of(content: str) -> ClaimFrame | None:
    return framed(parsed(content), content)


def told(frame: ClaimFrame) -> tuple[str, set[str], str]:
    respect = f"{frame.slot.value}{':' if frame.topic else ''}{frame.topic}"
    joint = "|" if " " in frame.subject else " "
    tense = "" if frame.tense is Tense.NOW else frame.tense.value
    mark = f"{'+' if frame.polarity else '-'}{tense}{'!' if frame.is_change else ''}"
    return f"{frame.subject}{joint}{respect}", set(frame.value), mark


@pytest.mark.parametrize(("content", "whose", "value", "mark"), SAID)
def test_a_statement_is_taken_apart(content: str, whose: str, value: str, mark: str) -> None:
    """M7, M8."""
    frame = frame_of(content)

    assert frame is not None
    assert told(frame) == (whose, set(value.split()), mark)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "   ",
        "User",
        "It is raining",
        "User met Anna yesterday",
        "Don betrayed Mira",
        "Mira and Don agreed to meet at the mill",
        "The dragon hates fire",
        "User is an actor and lives in Rome",
        "User lives in Oslo. User likes coffee.",
        "User lives in Oslo, " + "and it is lovely there " * 40,
        "ユーザーは東京に住んでいます",
    ],
)
def test_what_does_not_parse_has_no_frame(content: str) -> None:
    assert frame_of(content) is None


def test_a_value_knows_what_it_is_about() -> None:
    """M8: hiking trips are hiking, and coffee cake is no coffee."""
    trips, cake, smell = (
        frame_of(f"User likes {each}") for each in ("weekend hiking trips", "coffee cake", "the smell of coffee")
    )

    assert trips is not None
    assert trips.head == "hike"
    assert cake is not None
    assert cake.head == "cake"
    assert smell is not None
    assert smell.head == "smell"


def test_what_qualifies_a_value_is_kept_apart_from_it() -> None:
    frame = frame_of("User likes coffee in the morning")

    assert frame is not None
    assert frame.value == {"coffe"}
    assert frame.detail == {"coffe", "morn"}


def test_which_slots_hold_one_value_is_a_table() -> None:
    """M7: somebody has one home and one age, but can have two jobs and many likes."""
    assert {Slot.HOME, Slot.NAME, Slot.AGE, Slot.FAVORITE} <= SINGLE
    assert {Slot.LIKE, Slot.SKILL, Slot.PET, Slot.FAMILY, Slot.OCCUPATION}.isdisjoint(SINGLE)
    assert {Slot.OCCUPATION, Slot.EMPLOYER} == SINGLE_ON_CHANGE


def test_only_some_attributes_hold_one_value() -> None:
    eyes, hobby = frame_of("User's eye color is blue"), frame_of("User's hobby is chess")

    assert eyes is not None
    assert hobby is not None
    assert is_single(eyes)
    assert not is_single(hobby)


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    """S-8."""
    frame_of(text)
    frame_of(f"User {text}")
    frame_of(f"User's {text}")


@pytest.mark.parametrize(
    "text",
    [
        "User " + "has " * 70,
        "User's " + "cat " * 70,
        "User " + "a and " * 45,
        "User moved from " + "a " * 60 + "to",
        "User no longer " * 18,
        "User is " + "very " * 50,
        "Aa " * 90,
    ],
)
def test_a_statement_made_to_be_slow_is_not(text: str) -> None:
    """S-8: a hundred readings of the worst take less than the test's own time limit by far."""
    for _ in range(100):
        frame_of(text)


@pytest.mark.parametrize(
    ("known", "said", "is_same"),
    [
        ("User has never seen snow", "User has seen snow", False),
        ("User has seen snow", "User has never seen snow", False),
        ("User has a sister named Runa", "User has a sister", True),
        ("User has a sister", "User has a sister named Runa", False),
        ("User has set hours", "User has set hours", True),
        ("User has been abroad for 14 months", "User has been abroad for 14 years", False),
        ("User has been abroad for fourteen months", "User has been abroad for 14 months", True),
        ("User is moving to Lisbon", "User decided not to move to Lisbon", False),
    ],
)
def test_what_is_said_already_says_no_less_and_nothing_else(known: str, said: str, is_same: bool) -> None:
    """M7: a denial in the perfect is no possession."""
    assert says_same(read(said), read(known)) is is_same


@pytest.mark.parametrize(
    ("new", "known"),
    [
        ("User is diabetic", "User has diabetes"),
        ("User suffers from hay fever", "User has hay fever"),
        ("User has a phobia of moths", "User is terrified of moths"),
        ("User has a job in a mill", "User works at a mill"),
        ("User is the mother of two boys", "User has two boys"),
        ("User does not have a cat", "User has no cat"),
        ("User is married", "User has a husband"),
        ("User supports Leeds", "User is a Leeds fan"),
        ("User can speak Welsh", "User speaks Welsh"),
        ("User is nineteen", "User is 19 years old"),
        ("User was formerly a cook", "User used to be a cook"),
        ("User has stopped being vegan", "User is not vegan"),
        ("User has a one-eyed parrot named Rio", "User adopted a one-eyed green parrot named Rio"),
        ("User has a collection of old coins", "User collects old coins"),
        ("User's niece is a vet", "User's niece Ada is a vet"),
        ("User's husband is a vet", "User's hubby is a vet"),
        ("User has a best friend named Tom", "User has a best mate named Tom"),
        ("User owns a bakery", "User is the owner of a bakery"),
        ("User's sister is the proud owner of a boat", "User's sister owns a boat"),
    ],
)
def test_what_is_said_in_other_words_is_the_same(new: str, known: str) -> None:
    """M8."""
    assert says_same(read(new), read(known))


@pytest.mark.parametrize(
    ("new", "known"),
    [
        ("User has a fear of dogs", "User has dogs"),
        ("User has a friend with dogs", "User has dogs"),
        ("User is single", "User has a husband"),
        ("User's niece Ada is a vet", "User's niece is a vet"),
        ("User's niece Bea is a vet", "User's niece Ada is a vet"),
        ("User works at a bank", "User has a job in a mill"),
        ("User is six", "User is 16 years old"),
        ("User is the owner of a bakery", "User is a baker"),
    ],
)
def test_what_is_only_near_is_not_the_same(new: str, known: str) -> None:
    """M8."""
    assert not says_same(read(new), read(known))
