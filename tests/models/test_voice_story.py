"""A companion who remembers: questions in varied words, answered from memories and from what was said.

Two sets. The rules were made with the first in mind, and answer all of it. The second was written when they
were done: it tells how far they reach, and most of it must stay right.
"""

from dataclasses import replace

import pytest

from everlore.domain.claim import Claim, Slot, with_claim
from everlore.domain.memory import Memory
from everlore.models.voice.wording import reply_to
from tests.models.scenes import memory, scene

REMEMBERED = [
    "User's name is Anna",
    "User lives in Seattle",
    "User is allergic to peanuts",
    "User has a cat named Miso",
    "User's sister Emma lives in Oslo",
    "User works as a nurse",
    "User is 34 years old",
    "User's birthday is June 3",
    "User loves hiking and hates mushrooms",
    "User plays the cello",
]
SAID = [
    "Hi! I teach third grade in Seattle.",
    "I'm allergic to peanuts, by the way.",
    "My sister Emma is a doctor in Oslo.",
    "My cat is called Miso.",
    "I turned 34 last week.",
    "My birthday is on June 3rd.",
    "I love hiking, and I really enjoy jazz.",
    "I can't stand mushrooms.",
    "My exam is on Friday.",
    "I grew up in Bergen.",
    "Call me Bee.",
]
# Each question with what its answer must hold: from the memories, from the talk.
QUESTIONS: list[tuple[str, str | None, str | None]] = [
    ("what is my name?", "Anna", "Bee"),
    ("do you remember my name?", "Anna", "Bee"),
    ("who am I?", "Anna", "Bee"),
    ("Where do I live?", "Seattle", "Seattle"),
    ("what city do i live in", "Seattle", "Seattle"),
    ("remind me where I live", "Seattle", "Seattle"),
    ("What's my job?", "nurse", "teach"),
    ("what do I do for a living?", "nurse", "teach"),
    ("Do you know what I do for work?", "nurse", "teach"),
    ("do I have a sister?", "Emma", "Emma"),
    ("What is my sister called?", "Emma", "Emma"),
    ("what's my sister's name?", "Emma", "Emma"),
    ("where does my sister live?", "Oslo", "Oslo"),
    ("what am I allergic to?", "peanuts", "peanuts"),
    ("Am I allergic to anything?", "peanuts", "peanuts"),
    ("Do I have any allergies?", "peanuts", "peanuts"),
    ("what is my cat called?", "Miso", "Miso"),
    ("Do I have any pets?", "Miso", "Miso"),
    ("what's the name of my cat", "Miso", "Miso"),
    ("how old am I?", "34", "34"),
    ("what's my age?", "34", "34"),
    ("when is my birthday?", "June", "June"),
    ("When was I born?", "June", "June"),
    ("what do I like?", "hik", "hik"),
    ("what are my hobbies?", "hik", "hik"),
    ("what food do I hate?", "mushrooms", "mushrooms"),
    ("what don't I like?", "mushrooms", "mushrooms"),
    ("what did I tell you about my sister?", "Emma", "Emma"),
    ("have I told you about my cat?", "Miso", "Miso"),
    ("do I play an instrument?", "cello", None),
    ("When is my exam?", None, "Friday"),
    ("Where am I from?", None, "Bergen"),
    ("what do you know about me?", "Anna", "Seattle"),
]

ALSO_REMEMBERED = [
    "User's name is Dmitri",
    "User lives on a farm near Valencia",
    "User is a beekeeper",
    "User has three goats",
    "User's wife Carmen is a painter",
    "User is allergic to cat hair",
    "User's favorite season is autumn",
    "User cannot swim",
    "User was raised in Odessa",
    "User sings in a choir on Thursdays",
    "User's son Leo starts school in September",
    "User hates flying",
    "User is 52 years old",
    "User is writing a novel about pirates",
    "User's doctor appointment is on Monday",
]
ALSO_SAID = [
    "Good evening! My name is Dmitri.",
    "I live on a farm near Valencia.",
    "I keep bees for a living.",
    "We have three goats, they're a handful.",
    "My wife Carmen is a painter.",
    "Cat hair makes me sneeze, I'm allergic to it.",
    "Autumn is my favorite season.",
    "I never learned to swim.",
    "I was raised in Odessa.",
    "On Thursdays I sing in a choir.",
    "My son Leo starts school in September.",
    "I hate flying.",
    "I'll be 53 in August, so I'm 52 now.",
    "I'm writing a novel about pirates.",
    "I have a doctor's appointment on Monday.",
]
UNSEEN: list[tuple[str, str, str]] = [
    ("Hey, what's my name?", "Dmitri", "Dmitri"),
    ("Do you still know who I am?", "Dmitri", "Dmitri"),
    ("Where's my farm?", "Valencia", "Valencia"),
    ("where do i live again?", "Valencia", "Valencia"),
    ("What do I do for work?", "bee", "bees"),
    ("How do I earn my living?", "bee", "bees"),
    ("What animals do I have?", "goats", "goats"),
    ("How many goats do I own?", "three", "three"),
    ("What does my wife do?", "painter", "painter"),
    ("What's the name of my wife?", "Carmen", "Carmen"),
    ("What makes me sneeze?", "cat", "Cat"),
    ("What are my allergies?", "cat", "llergic"),
    ("Which season do I like best?", "autumn", "Autumn"),
    ("Can I swim?", "swim", "swim"),
    ("Where did I grow up?", "Odessa", "Odessa"),
    ("What do I do on Thursdays?", "choir", "choir"),
    ("When does my son start school?", "September", "September"),
    ("What's my son called?", "Leo", "Leo"),
    ("What do I hate?", "flying", "flying"),
    ("How old am I now?", "52", "52"),
    ("What am I writing?", "novel", "novel"),
    ("What is my novel about?", "pirates", "pirates"),
    ("When is my doctor's appointment?", "Monday", "Monday"),
    ("Tell me everything you know about me.", "Dmitri", "Dmitri"),
]
# What was right when the second set was first tried; the rules were not changed for the rest.
RIGHT_OF_UNSEEN = 42


@pytest.mark.parametrize(("question", "held"), [(question, held) for question, held, _ in QUESTIONS if held])
def test_memories_answer(question: str, held: str) -> None:
    assert held in reply_to(scene(question, memories=REMEMBERED))


@pytest.mark.parametrize(("question", "held"), [(question, held) for question, _, held in QUESTIONS if held])
def test_what_was_said_in_this_conversation_answers(question: str, held: str) -> None:
    assert held in reply_to(scene(question, before=SAID))


@pytest.mark.parametrize(("question", "held"), [(question, held) for question, _, held in QUESTIONS if held])
def test_what_was_said_in_an_earlier_conversation_answers(question: str, held: str) -> None:
    assert held in reply_to(scene(question, earlier=SAID))


@pytest.mark.parametrize(
    "question",
    [
        "What is my brother's name?",
        "What's my favorite color?",
        "Do I have a dog?",
        "What is my wife's name?",
        "What's my phone number?",
        "How tall am I?",
        "What did I have for breakfast?",
        "Where does my father live?",
        "Who won the world cup?",
    ],
)
def test_what_nobody_told_is_not_made_up(question: str) -> None:
    for told in (scene(question, memories=REMEMBERED), scene(question, before=SAID)):
        reply = reply_to(told)
        assert any(words in reply for words in ("not know", "cannot say", "beyond what I know")), reply


def test_most_questions_in_words_that_the_rules_were_not_made_for_are_answered() -> None:
    right = [
        held in reply_to(told)
        for question, remembered, said in UNSEEN
        for held, told in (
            (remembered, scene(question, memories=ALSO_REMEMBERED)),
            (said, scene(question, before=ALSO_SAID)),
        )
    ]

    assert sum(right) >= RIGHT_OF_UNSEEN


# ── whose it is ──────────────────────────────────────────────────────────────────────────────────

OF_A_FAMILY = [
    "hi, i'm Ingrid, 41, from Bodø",
    "my stepdaughter Tuva is 15",
    "we have two kids, Tuva and a son, Lars, who is 6",
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how old am I?", "41"),
        ("how old is Tuva?", "15"),
        ("how old is Lars?", "6"),
        ("how old is my son?", "6"),
    ],
)
def test_an_age_is_told_of_whom_it_is(question: str, answer: str) -> None:
    """V5: the newest line with a number in it is not everybody's age."""
    told = reply_to(scene(question, before=OF_A_FAMILY))

    assert {each for each in ("41", "15", "6") if each in told} == {answer}


def test_a_summary_of_quotes_is_what_was_said_and_no_memory() -> None:
    """V5, K1: without a model a segment is summed up in quotes."""
    summary = "User: “i'm Ingrid, 41, from Bodø” Nova: “I live in a tower” User: “my son Lars lives in Moss”"
    told = reply_to(scene("where does my son live?", memories=[summary]))

    assert told == "You told me that your son Lars lives in Moss."
    assert "tower" not in reply_to(scene("where do I live?", memories=[summary]))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("am I married?", "You have a wife named Ada."),
        ("am I in a relationship?", "You have a wife named Ada."),
        ("what is my wife's name?", "You have a wife named Ada."),
        ("do I have any health problems?", "You have gout."),
    ],
)
def test_with_whom_one_is_and_what_ails_one(question: str, answer: str) -> None:
    """V5."""
    known = [memory("User has gout"), _partner("Ada"), memory("User's wife Ada is allergic to wool", 5)]

    assert reply_to(scene(question, memories=known)) == answer


def _partner(name: str) -> Memory:
    kept = memory(f"User has a wife named {name}")
    claim = Claim(slot=Slot.PARTNER, topic="wife", value=name)
    return replace(kept, extra=with_claim(kept.extra, claim))


def test_whom_one_has_is_told_before_what_is_known_of_them() -> None:
    """V5."""
    two = memory("User has two kids")
    kids = replace(two, extra=with_claim(two.extra, Claim(slot=Slot.FAMILY_SIZE, topic="kids", value="two")))

    assert (
        reply_to(scene("do I have kids?", memories=[memory("User's son Lars is 6", 9), kids])) == "You have two kids."
    )


def test_a_place_is_told_of_whom_it_is() -> None:
    """V5."""
    assert "not told me" in reply_to(scene("where do I live?", before=["i have a brother, Tom is a cook in Riga"]))
    assert "Bergen" in reply_to(scene("where do I live?", before=["I'm Ann from Oslo, but now in Bergen"]))


def test_who_somebody_is_comes_before_what_they_did() -> None:
    """V5."""
    kept = memory("User has a best mate named Pia")
    mate = replace(kept, extra=with_claim(kept.extra, Claim(slot=Slot.FAMILY, topic="mate", value="Pia")))
    news = memory("User's mate Pia got a job at the opera", 9)

    assert reply_to(scene("who is Pia?", memories=[news, mate])) == "You have a best mate named Pia."


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("what does my dad do?", "Your dad is a welder."),
        ("how old is my dad?", "Your dad is 61 years old."),
        ("What does Ida do?", "Your wife Ida is a cook."),
    ],
)
def test_what_somebody_does_is_their_trade(asked: str, told: str) -> None:
    known = [
        "User's dad is a welder",
        "User's dad is 61 years old",
        "User's wife Ida is a cook",
        "User has a wife named Ida",
        "User works as a nurse",
    ]

    assert reply_to(scene(asked, memories=known)) == told
