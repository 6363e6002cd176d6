"""A short answer is understood by what was asked before it; the question itself is no evidence (F1, F8)."""

import pytest

from everlore.reflect.candidate import Turn
from everlore.reflect.rules import facts_stated


def _answered(question: str, answer: str) -> list[str]:
    before = [Turn(is_user=False, name="Nova", content=question)]
    return [each.content for each in facts_stated(answer, assistants=["Nova"], before=before)]


@pytest.mark.parametrize(
    ("question", "answer", "content"),
    [
        ("Nice to meet you! What's your name?", "Sarah", "User's name is Sarah"),
        ("What should I call you?", "it's tom", "User's name is Tom"),
        ("How old are you?", "34", "User is 34 years old"),
        ("Where do you live?", "in Lisbon, Portugal", "User lives in Lisbon, Portugal"),
        ("Where are you from?", "Ghana", "User is from Ghana"),
        ("What do you do for a living?", "software engineer", "User works as a software engineer"),
        ("Do you have any pets?", "yes, a dog named Rex", "User has a dog named Rex"),
        ("What is your favorite color?", "Green!", "User's favorite color is green"),
        ("What should I call you?", "Dmitri is fine", "User's name is Dmitri"),
        ("What's your dog's name?", "Pickle", "User has a dog named Pickle"),
        ("Where are you based?", "Just outside Lyon", "User is based outside Lyon"),
        ("Do you play any instruments?", "A bit of ukulele. Badly.", "User plays ukulele"),
        ("What are you afraid of?", "Moths. Don't laugh.", "User is afraid of moths"),
        ("Do you prefer mornings or evenings?", "Evenings, hands down.", "User prefers evenings"),
        ("Do you drink alcohol?", "Not since my thirties, no.", "User does not drink alcohol"),
        ("Do you have any children?", "Four! All boys.", "User has four boys"),
        ("Are you married?", "Divorced.", "User is divorced"),
        ("How long have you been married?", "Twelve years", "User has been married for twelve years"),
        ("And what does your wife do?", "She's a locksmith.", "User's wife is a locksmith"),
        ("And what does your wife do?", "Nurse", "User's wife works as a nurse"),
        ("What's your star sign?", "Scorpio", "User's star sign is Scorpio"),
        ("What are you studying?", "Marine engineering", "User is studying marine engineering"),
        ("Tea or coffee?", "Tea, always", "User prefers tea"),
        ("Do you have a pet?", "Yes! A parrot called Kevin.", "User has a parrot named Kevin"),
        ("Ah, where did you grow up, if I may ask?", "Riga till i was ten", "User grew up in Riga"),
        ("What do you do for a living?", "glazier lol", "User works as a glazier"),
        ("Any allergies I should know of?", "just hazelnuts", "User is allergic to hazelnuts"),
        ("Is there anything you'd never, ever eat?", "not tripe. ever", "User does not eat tripe"),
        ("Do you have brothers and sisters?", "three, all younger", "User has three siblings"),
        ("Do you eat meat?", "nope, not since the flu", "User does not eat meat"),
        ("Have you ever been to Iceland?", "never, but one day", "User has never been to Iceland"),
        ("Do you still live with your parents?", "yeah, rents are mad here", "User lives with their parents"),
        ("So when is the wedding?", "12 June", "User's wedding is on 12 June"),
        ("Are you vegan?", "since 2011", "User has been vegan since 2011"),
    ],
)
def test_an_answer_is_taken_with_its_question(question: str, answer: str, content: str) -> None:
    (found,) = _answered(question, answer)

    assert found.lower() == content.lower()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What's your name?", "why do you ask?"),
        ("What's your name?", "I don't want to say"),
        ("What's your name?", "no"),
        ("How old are you?", "old enough"),
        ("Where do you live?", "nowhere"),
        ("Do you have siblings?", "no"),
        ("My name is Nova. How are you?", "Fine"),
        ("What's your name? And where do you live?", "Sarah"),
        ("Do you play any instruments?", "Sometimes"),
        ("Do you drink alcohol?", "no"),
        ("Are you married?", "no"),
        ("Which of the three do you want?", "the second"),
        ("Would you like the long version or the short version?", "Short one please."),
        ("What are you afraid of?", "Nothing"),
        ("Did you fix the printer?", "Not yet"),
        ("What is your name, traveler?", "Thorn"),
        ("What are you up to?", "cooking dinner"),
        ("Do you live with your parents?", "yes"),
        ("What's the occasion or anniversary?", "my parents' 50th"),
        ("What's your name?", "yeah, nice try"),
    ],
)
def test_no_answer_is_made_up(question: str, answer: str) -> None:
    assert _answered(question, answer) == []


def test_what_the_assistant_says_is_never_evidence() -> None:
    assert _answered("You live in Rome and your name is Sarah, right?", "yes") == []


def test_each_thing_that_is_liked_is_one_fact() -> None:
    assert _answered("What kind of music are you into?", "mostly metal n some synthwave") == [
        "User likes metal",
        "User likes synthwave",
    ]


def test_she_is_whom_the_user_spoke_of_before() -> None:
    before = [
        Turn(is_user=True, name="User", content="I saw my brother at the weekend"),
        Turn(is_user=False, name="Nova", content="How is he?"),
    ]

    (found,) = facts_stated("He works at the airport in Dublin.", assistants=["Nova"], before=before)

    assert found.content == "User's brother works at the airport in Dublin"
