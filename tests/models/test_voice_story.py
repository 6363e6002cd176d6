"""A companion who remembers: questions in varied words, answered from memories and from what was said."""

import pytest

from everlore.domain.claim import Slot
from everlore.language.tense import Tense
from everlore.models.voice.reply import reply_to
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
# Questions with what the answer must hold: from the memories, from the talk. Memories of imports have no claim, too.
QUESTIONS = """
what is my name? | do you remember my name? | who am I? > Anna > Bee
Where do I live? | what city do i live in | remind me where I live > Seattle > Seattle
What's my job? | what do I do for a living? | Do you know what I do for work? > nurse > teach
do I have a sister? | What is my sister called? | what's my sister's name? > Emma > Emma
where does my sister live? > Oslo > Oslo
what am I allergic to? | Am I allergic to anything? | Do I have any allergies? > peanuts > peanuts
what is my cat called? | Do I have any pets? | what's the name of my cat > Miso > Miso
how old am I? | what's my age? > 34 > 34
when is my birthday? | When was I born? > June > June
what do I like? | what are my hobbies? > hik > hik
what food do I hate? | what don't I like? > mushrooms > mushrooms
what did I tell you about my sister? | what do you know about my sister? > Emma > Emma
have I told you about my cat? > Miso > Miso
do I play an instrument? > cello > -
When is my exam? > - > Friday
Where am I from? > - > Bergen
what do you know about me? > Anna > Seattle
"""


def _asked() -> list[tuple[str, str, str]]:
    rows = [line.split(" > ") for line in QUESTIONS.strip().splitlines()]
    return [(question.strip(), kept, said) for asked, kept, said in rows for question in asked.split("|")]


@pytest.mark.parametrize(("question", "kept", "said"), _asked())
def test_memories_and_lines_answer(question: str, kept: str, said: str) -> None:
    """V5: lines of this conversation, and of the one before."""
    assert kept == "-" or kept in reply_to(scene(question, memories=REMEMBERED))
    assert said == "-" or said in reply_to(scene(question, before=SAID))
    assert said == "-" or said in reply_to(scene(question, earlier=SAID))


@pytest.mark.parametrize(
    "question",
    [
        "What is my brother's name?",
        "What's my favorite color?",
        "Do I have a dog?",
        "What is my wife's name?",
        "What's my phone number?",
        "What did I have for breakfast?",
        "Where does my father live?",
        "Who won the world cup?",
    ],
)
def test_what_nobody_told_is_not_made_up(question: str) -> None:
    for told in (scene(question, memories=REMEMBERED), scene(question, before=SAID)):
        reply = reply_to(told)
        assert reply.startswith(("I don’t know that", "You haven’t told me", "I don’t think you’ve told me")), reply


FAMILY = [
    memory("User's name is Ingrid", slot=Slot.NAME, value="Ingrid"),
    memory("User is 41 years old", slot=Slot.AGE, value="41"),
    memory("User has a wife named Ada", slot=Slot.PARTNER, topic="wife", value="Ada"),
    memory("User's wife Ada is a cook", 5, subject="user's wife Ada", slot=Slot.OCCUPATION, value="a cook"),
    memory("User has a stepdaughter named Tuva", slot=Slot.FAMILY, topic="stepdaughter", value="Tuva"),
    memory(
        "User's stepdaughter Tuva is 15 years old", 5, subject="user's stepdaughter Tuva", slot=Slot.AGE, value="15"
    ),
    memory("User has a one-eyed ferret named Biscuit", slot=Slot.PET, topic="ferret", value="Biscuit"),
    memory("User has two kids", slot=Slot.FAMILY_SIZE, topic="kids", value="two"),
    memory("User's son Lars is 6 years old", 9, subject="user's son Lars", slot=Slot.AGE, value="6"),
    memory("User's dad is a welder", subject="user's father", slot=Slot.OCCUPATION, value="a welder"),
    memory("User settled among the docks of Leith", slot=Slot.HOME, value="Leith", is_change=True),
    memory("User blows glass in the old mill", slot=Slot.OCCUPATION, value="a glassblower"),
    memory("User comes alive by the sea", slot=Slot.LIKE, value="the sea"),
    memory("User speaks Norwegian", slot=Slot.LANGUAGE, value="Norwegian"),
    memory("User was married to Bo", slot=Slot.PARTNER, value="Bo", time=Tense.PAST),
    memory("User is not allergic to nuts", 2, slot=Slot.ALLERGY, value="nuts", polarity=False),
    memory("User is allergic to dust", slot=Slot.ALLERGY, value="dust"),
    memory("User's favorite colour is green", slot=Slot.FAVORITE, topic="colour", value="green"),
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how old am I?", "You are 41 years old."),
        ("how old is Tuva?", "Your stepdaughter Tuva is 15 years old."),
        ("how old is my son?", "Your son Lars is 6 years old."),
        ("what does my wife do?", "Your wife Ada is a cook."),
        ("what does my father do for a living?", "Your dad is a welder."),
        ("am I married?", "You have a wife named Ada."),
        ("what is my wife's name?", "You have a wife named Ada."),
        ("what is my pet's name?", "You have a one-eyed ferret named Biscuit."),
        ("who is Tuva?", "You have a stepdaughter named Tuva. Your stepdaughter Tuva is 15 years old."),
        ("where do I live?", "You settled among the docks of Leith."),
        ("Do I live in Oslo?", "You settled among the docks of Leith."),
        ("what is my job?", "You blow glass in the old mill."),
        ("what do I like?", "You come alive by the sea. Your favorite colour is green."),
        ("what is my favourite color?", "Your favorite colour is green."),
        ("what am I allergic to?", "You are allergic to dust."),
        ("Am I allergic to nuts?", "You are not allergic to nuts."),
        ("Is there anything I should not order in a restaurant?", "You are allergic to dust."),
        ("which languages do I speak?", "You speak Norwegian."),
        ("where does my son live?", "Is this what you mean? Your son Lars is 6 years old."),
    ],
)
def test_a_claim_says_of_whom_and_in_which_respect(question: str, answer: str) -> None:
    """M7: whatever the words of the memory are."""
    assert reply_to(scene(question, memories=FAMILY)) == answer


def test_the_newest_wins_and_a_memory_over_its_own_line() -> None:
    older, newer = memory("User lives in Seattle", -100), memory("User lives in Seattle", 100)
    said = ["I live in Oslo.", "Guess what, I moved to Bergen!"]

    assert reply_to(scene("Where do I live?", before=said)) == "You told me: “Guess what, I moved to Bergen!”"
    assert "Bergen" in reply_to(scene("Where do I live?", memories=[older], before=said))
    assert reply_to(scene("Where do I live?", memories=[newer], before=said)) == "You live in Seattle."
    assert "Bergen" in reply_to(scene("I moved to Bergen. Where do I live?", before=said[:1]))


@pytest.mark.parametrize("question", ["what is my name?", "how old am I?", "where am I from?"])
def test_an_introduction_in_one_line_answers_before_it_is_remembered(question: str) -> None:
    """Also in a private conversation, of which nothing is remembered."""
    said = "Hi, I'm Ingrid, 41, from Bodø"

    assert reply_to(scene(question, before=[said, "I'm German."])) == f"You told me: “{said}”."


def test_what_others_are_does_not_answer_for_the_user() -> None:
    said = ["My sister lives in Oslo.", "My sister is 30 and loves tea.", "we have a daughter, she is 9"]

    for question in ("Where do I live?", "How old am I?", "What do I like?"):
        assert "told me: “" not in reply_to(scene(question, before=said))


def test_an_overview_says_who_the_user_is_first_and_a_home_once() -> None:
    moved = memory("User moved to Leith", 5, slot=Slot.HOME, value="Leith", is_change=True)
    lived = memory("User lives in Oslo", slot=Slot.HOME, value="Oslo")
    kept = [memory("User likes tea", slot=Slot.LIKE, value="tea"), lived, moved]

    assert reply_to(scene("What do you know about me?", memories=kept)) == "You moved to Leith. You like tea."
    assert "don’t know anything" in reply_to(scene("What do you know about me?"))


def test_an_overview_names_people_of_the_user_and_not_the_message_that_asks() -> None:
    kept = [memory("User likes tea", slot=Slot.LIKE, value="tea"), memory("User's sister Ana is a vet")]

    assert "Your sister Ana is a vet." in reply_to(scene("What do you know about me?", memories=kept))
    assert "Ruth" not in reply_to(scene("Hi, I'm Ruth. Do you know anything about me?"))


@pytest.mark.parametrize("question", ["What are my kids called, and how old are they?", "What are my kids' names?"])
def test_a_memory_without_a_name_does_not_answer_who(question: str) -> None:
    """V5: the line that names them does, also where a second thing is asked of them."""
    said = ["We've got two kids, Mia who is 9 and Jonas who just turned 6."]
    kept = [memory("User has two kids", slot=Slot.FAMILY_SIZE, topic="kids", value="two")]

    assert "Mia who is 9" in reply_to(scene(question, memories=kept, before=said))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where do I live?", "You live in Leeds."),
        ("Who's getting married?", "Your sister Maggie is getting married in June."),
        ("When is Maggie's wedding?", "Your sister Maggie is getting married in June."),
        ("What can't I eat?", "You are allergic to walnuts."),
    ],
)
def test_what_only_sounds_alike_does_not_answer(question: str, answer: str) -> None:
    """Neither what somebody does in the mornings nor whom they are with."""
    texts = ["User lives in Leeds", "User's sister Maggie is getting married in June", "User is allergic to walnuts"]
    known = [memory(text) for text in (*texts, "User has a boyfriend named Tom")]
    said = ["I work nights as a nurse at the hospital, so forgive me if I'm slow in the mornings"]

    assert reply_to(scene(question, memories=known, before=said)) == answer
