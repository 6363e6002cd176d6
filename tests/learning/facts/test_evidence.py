"""What a statement must rest on, whoever makes it and in whatever language (F5), and what is never learnt (S-2)."""

from dataclasses import replace

import pytest

from everlore.learning.clauses import Mood
from everlore.learning.facts.checks import holds_secret, is_anothers_name
from everlore.learning.facts.filters import is_worded_as
from everlore.learning.facts.flow import is_worth_reading
from everlore.learning.facts.gate import tidied
from everlore.learning.facts.names import find_unsaid
from everlore.learning.facts.quotes import find_evidence, is_no_statement
from tests.learning.facts.extraction import fact, source


@pytest.mark.parametrize(
    ("message", "statement"),
    [
        ("wir ziehen am 3. März nach Ålesund", "User is moving to Alesund on March 3"),
        ("my boys Finn, Ole and Bo", "User has three boys named Finn, Ole and Bo"),
        ("left the navy in '88", "User left the navy in 1988"),
        ("we adopted a grey-hound, Pixel", "User adopted a greyhound named Pixel"),
        ("met him in Marakesh", "User met him in Marrakesh"),
        ("starts on sept 4", "User starts on September 4"),
        ("ho due figlie", "User has two daughters"),
        ("i'm in my 40s", "User is in their forties"),
        ("me and my aunt run a kiosk", "User and User's aunt run a kiosk"),
        ("darts on tuesdays with the lads", "User plays darts every Tuesday"),
    ],
)
def test_names_and_numbers_that_were_said(message: str, statement: str) -> None:
    assert find_unsaid(statement, source(message)) is None


@pytest.mark.parametrize(
    ("message", "statement", "strange"),
    [
        ("i live by the sea", "User lives in Brighton", "Brighton"),
        ("i have two cats", "User has 7 cats", "7"),
        ("my sister is in Cork", "User's sister Aoife is in Cork", "Aoife"),
        ("starts in june", "User starts in July", "July"),
        ("darts on tuesdays", "User plays darts every Thursday", "Thursday"),
        ("i love the NHS", "User works for Open University", "Open"),
        ("i was at it again", "User works for the IWA", "IWA"),
        ("i love apples", "User lives in LA", "LA"),
        ("no, it is in town", "User visited New Orleans", "New"),
    ],
)
def test_names_and_numbers_that_nobody_said(message: str, statement: str, strange: str) -> None:
    found = find_unsaid(statement, source(message))

    assert found is not None
    assert (found.text, found.is_certain) == (strange, True)


@pytest.mark.parametrize(
    ("message", "is_anothers"),
    [
        ("My wife's name is Oona, she steers.", True),
        ("our old dog, Oona, is deaf", True),
        ("Hi boss, Oona here!", False),
        ("I have a cat. Oona is my name.", False),
        ("my brother says hi. I'm Oona", False),
    ],
)
def test_a_name_that_is_given_to_one_of_theirs_is_not_the_users(message: str, is_anothers: bool) -> None:
    assert is_anothers_name(fact("User's name is Oona"), message) is is_anothers


def test_a_quote_is_found_whatever_its_case_accents_and_spaces() -> None:
    said = source("Hola!  Soy   enfermera en Málaga.")

    evidence = find_evidence(replace(fact("User is a nurse in Málaga"), quote="soy enfermera en malaga"), said)

    assert evidence.is_verbatim
    assert evidence.mood is Mood.STATES


def test_without_a_quote_the_nearest_clause_is_shown() -> None:
    said = source("The ferry was late. I teach chemistry at a night school. What a week!")

    evidence = find_evidence(fact("User teaches chemistry"), said)

    assert (evidence.words, evidence.is_verbatim) == ("I teach chemistry at a night school", False)


@pytest.mark.parametrize(
    ("message", "quote", "is_none"),
    [
        ('She wrote "I keep bees in Leith" on the card.', "I keep bees in Leith", True),
        ("Do people really keep bees in Leith?", "keep bees in Leith", False),
        ("I keep bees in Leith?", "I keep bees in Leith", False),
        ("Fifty, and I keep bees in Leith!", "Fifty", False),
        ("Small detail: I keep bees in Leith", "I keep bees in Leith", False),
        ("My uncle: I keep bees in Leith", "I keep bees in Leith", True),
    ],
)
def test_what_is_certainly_no_statement_of_the_users(message: str, quote: str, is_none: bool) -> None:
    said = source(message)

    assert is_no_statement(find_evidence(replace(fact("User keeps bees in Leith"), quote=quote), said), said) is is_none


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("User's locker code, a PIN, is 4410", "pin is 4410"),
        ("User's wifi password is swordfish", "the wifi password is swordfish"),
        ("User's Passwort is Apfel", "mein Passwort ist Apfel"),
        ("User has a card that ends in 9424", "charge 5105 1051 0510 9424 please"),
        ("User's account number is DE44500105175407324931", "iban DE44500105175407324931"),
        ("User uses hunter2x everywhere", "my password hunter2x is everywhere"),
    ],
)
def test_secrets_and_parts_of_them(statement: str, message: str) -> None:
    assert holds_secret(statement, message)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("User forgot their password", "i forgot my password again"),
        ("User's password is too weak", "they say my password is weak"),
        ("User sails to Orkney on the 21st", "my cvv is 882. i sail to Orkney on the 21st"),
        ("User was born in 1984", "born in 1984"),
        ("User ran 10 km", "ran 10 km"),
    ],
)
def test_what_is_no_secret(statement: str, message: str) -> None:
    assert not holds_secret(statement, message)


def test_being_asked_by_others_is_told_and_not_done_in_the_chat() -> None:
    """F4."""
    told = source("They've asked me to run the raffle, me of all people.")

    assert not is_worded_as("chat", "User has been asked to run the raffle", told)
    assert is_worded_as("chat", "User asked about the raffle", source("You asked about the raffle?"))
    assert is_worded_as("chat", "User was greeted warmly", source("Hello there!"))


@pytest.mark.parametrize(
    ("message", "is_worth"),
    [
        ("Hello! How are you?", False),
        ("What is the capital of Peru?", False),
        ("not sure whether i said that i sold my bike", True),
        ("ik woon in een dorp bij Zwolle", True),
    ],
)
def test_what_a_model_is_asked_about(message: str, is_worth: bool) -> None:
    """F3."""
    assert is_worth_reading(message) is is_worth


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Ivo mends clocks", "User's nephew Ivo mends clocks"),
        ("Ivo and Ria mend clocks", "Ivo and Ria mend clocks"),
        ("Ivor mends clocks", "Ivor mends clocks"),
    ],
)
def test_what_is_told_of_the_user_and_theirs_begins_with_the_user(written: str, kept: str) -> None:
    assert tidied(fact(written), "", {"Ivo": "nephew"}).content == kept
