"""Who is spoken of is turned where that is safe, and what a message is after is understood."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.models.voice.asking import Kind, understand
from everlore.models.voice.plain import plain, sentences, without_lead
from everlore.models.voice.turning import card_to_i, memory_to_you, to_you

# ── turning ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("said", "turned"),
    [
        ("I teach third grade in Seattle.", "you teach third grade in Seattle"),
        ("I'm a nurse and I was born in Oslo", "you are a nurse and you were born in Oslo"),
        ("I was born in Oslo and was raised in Bergen", "you were born in Oslo and were raised in Bergen"),
        ("I’ve lost my keys", "you have lost your keys"),
        ("I really was tired!", "you really were tired"),
        ("im allergic to peanuts", "you are allergic to peanuts"),
        ("My sister Emma was here", "your sister Emma was here"),
        ("My dog ran away and was found", "your dog ran away and was found"),
        ("Rex is my dog", "Rex is your dog"),
        ("Yesterday I bought myself a car of mine", "yesterday you bought yourself a car of yours"),
        ("Emma told me that I am kind", "Emma told you that you are kind"),
        ("I'll call her", "you will call her"),
    ],
)
def test_what_the_user_says_is_turned_to_you(said: str, turned: str) -> None:
    assert to_you(said) == turned


@pytest.mark.parametrize(
    "said",
    [
        "I love you",
        "We live in Rome",
        'I said "my name is Bond"',
        "Call me Bee",
        "Ich wohne in Berlin",
        "Me llamo Ana",
        "Jeg bor i Oslo",
        "",
        "…",
    ],
)
def test_what_cannot_be_turned_safely_is_not(said: str) -> None:
    assert to_you(said) is None


@pytest.mark.parametrize(
    ("kept", "turned"),
    [
        ("User lives in Seattle", "You live in Seattle"),
        ("User's name is Anna", "Your name is Anna"),
        ("User is allergic to peanuts.", "You are allergic to peanuts"),
        ("The user has a cat and teaches third grade", "You have a cat and teach third grade"),
        ("User likes cats and dogs", "You like cats and dogs"),
        ("User also studies physics", "You also study physics"),
        ("User watches birds, goes sailing and does yoga", "You watch birds, go sailing and do yoga"),
        ("User doesn't eat meat", "You don't eat meat"),
        ("User was born in 1990", "You were born in 1990"),
        ("User moved to Oslo", "You moved to Oslo"),
        ("User can swim", "You can swim"),
        ("User has a sister who lives in Oslo and teaches", "You have a sister who lives in Oslo and teaches"),
        ("User is worried about their exam", "You are worried about your exam"),
        ("User visits parents in their house", "You visit parents in their house"),
        ("User works on user interfaces", "You work on user interfaces"),
        ("Emma is User's sister", "Emma is your sister"),
        ("Rex trusts the user", "Rex trusts you"),
        ("Anna lives in Oslo", "You live in Oslo"),
        ("Anna's sister lives in Oslo", "Your sister lives in Oslo"),
    ],
)
def test_a_memory_is_turned_to_you(kept: str, turned: str) -> None:
    assert memory_to_you(kept, ["Anna"]) == turned


@pytest.mark.parametrize("kept", ["Rex stole the sword", "They met at the harbour", "I am allergic to peanuts"])
def test_a_memory_of_others_is_not_turned(kept: str) -> None:
    assert memory_to_you(kept, ["Anna"]) is None


@pytest.mark.parametrize(
    ("card", "turned"),
    [
        ("Nova is a warm android.", "I am a warm android"),
        ("She lives in Oslo and repairs radios.", "I live in Oslo and repair radios"),
        ("You are Nova, keeper of your own lighthouse.", "I am Nova, keeper of my own lighthouse"),
        ("I was built in Oslo.", "I was built in Oslo"),
        ("Nova has never left home.", "I have never left home"),
        ("Nova loves her ship", None),
        ("Everybody fears Nova.", None),
        ('Nova says "beep".', None),
    ],
)
def test_a_card_is_turned_to_i_where_nobody_else_is_meant(card: str, turned: str | None) -> None:
    assert card_to_i(card, "Nova Star") == turned


# ── understanding ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Hi!", Kind.GREETING),
        ("hello Nova", Kind.GREETING),
        ("Hi, I'm Anna", Kind.STATEMENT),
        ("bye for now", Kind.FAREWELL),
        ("I have to go now", Kind.FAREWELL),
        ("thank you so much", Kind.THANKS),
        ("what is my name", Kind.OF_USER),
        ("Do you know where I live?", Kind.OF_USER),
        ("I moved. Do you remember my name?", Kind.OF_USER),
        ("I'm Anna, what's your name?", Kind.OF_CHARACTER),
        ("What do you know about me?", Kind.OVERVIEW),
        ("Do you remember me?", Kind.OVERVIEW),
        ("What did I tell you about my sister?", Kind.TOLD_ABOUT),
        ("Do you remember my sister?", Kind.TOLD_ABOUT),
        ("What did we talk about last time?", Kind.LAST_TIME),
        ("Who are you?", Kind.OF_CHARACTER),
        ("Are you my friend?", Kind.OF_CHARACTER),
        ("What do you think about my plan?", Kind.OPINION),
        ("Can you help me with my homework?", Kind.REQUEST),
        ("Tell me a joke", Kind.REQUEST),
        ("What is the capital of France?", Kind.OTHER_QUESTION),
        ("Wo wohne ich?", Kind.OTHER_QUESTION),
        ("I feel a bit lonely", Kind.SAD),
        ("I'm so happy!", Kind.HAPPY),
        ("I am a happy nurse", Kind.HAPPY),
        ("When I was young, I lived in Paris.", Kind.STATEMENT),
        ("What a day!", Kind.STATEMENT),
        ("My exam is on Friday", Kind.STATEMENT),
        ("", Kind.ELSE),
        ("ok", Kind.ELSE),
        ("🙂", Kind.ELSE),
    ],
)
def test_a_message_is_of_a_kind(message: str, kind: Kind) -> None:
    assert understand(message, "Nova").kind is kind


@given(st.text(max_size=200))
@settings(deadline=None)
def test_any_message_is_of_some_kind(message: str) -> None:
    assert understand(message, "Nova").kind in Kind


# ── plain text ───────────────────────────────────────────────────────────────────────────────────


def test_sentences_end_where_they_end() -> None:
    assert sentences("Dr. Smith met J. Doe at 3.5 p.m. He left! Why?\nNobody knows") == [
        "Dr. Smith met J. Doe at 3.5 p.m.",
        "He left!",
        "Why?",
        "Nobody knows",
    ]
    assert sentences("我住在东京。你呢？") == ["我住在东京。", "你呢？"]


def test_what_leads_up_to_a_statement_is_taken_off() -> None:
    assert without_lead("Well, by the way, I moved.") == "I moved."
    assert without_lead("Hello") == "Hello"
    assert without_lead("Sorensen is my name") == "Sorensen is my name"
    assert without_lead("Hi Vesna, I sell kites.") == "I sell kites."
    assert without_lead("Good morning, Old Bram! My boat leaks.") == "My boat leaks."
    assert without_lead("Hi, Vesna lives in Oslo.") == "Vesna lives in Oslo."
    assert without_lead("Hello Vesna,") == "Vesna,"


@given(st.text(max_size=500), st.integers(10, 100))
@settings(deadline=None)
def test_plain_text_is_one_bounded_line(text: str, most: int) -> None:
    """S-6."""
    line = plain(text, most)

    assert len(line) <= most
    assert line.replace("\u200d", "").isprintable()
