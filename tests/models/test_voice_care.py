"""The built-in voice is careful: danger, bad news, insults and wishes to be forgotten are no plain statements."""

import pytest

from everlore.models.voice.asking import Kind, understand
from everlore.models.voice.phrases import CALM, CANNOT_FORGET, CARE, NOTHING_TO_RETELL
from everlore.models.voice.wording import reply_to
from tests.models.scenes import person, scene

DANGER = [
    "I want to die",
    "I want to kill myself.",
    "i dont want to live any more",
    "I don't want to live anymore",
    "I do not want to live.",
    "I don’t want to be alive like this",
    "I might hurt myself",
    "I've been cutting myself again",
    "I'm thinking about suicide",
    "I feel suicidal today",
    "I wish I was dead",
    "I wish I had never been born",
    "Everyone would be better off without me",
    "I am going to end my life",
    "I can't go on like this",
    "Should I kill myself?",
    "I want to die. What is my name?",
    "My name is Anna. I want to\ndie",
    "My brother wants to kill himself",
    "Hello, I live in Oslo and I want to end it all, bye",
    "I have no reason to live",
    "There is no point in living anymore",
    "I took too many pills",
    "I want to jump off a bridge",
    "Ich will nicht mehr leben",
    "Je veux mourir",
]
NO_DANGER = [
    "I don't want to live in Oslo anymore",
    "I don't want to die",
    "I want to dye my hair",
    "I'm dying to see you",
    "I cut myself shaving",
    "I can't go on Friday",
    "I don't want to be here on Sunday",
    "I'd rather die than eat fish",
    "We watched Suicide Squad",
    "I live for music",
]
QUESTIONS = [
    "What did we talk about last time?",
    "What was the last thing I said?",
    "What did I tell you?",
    "What do you know about me?",
    "What do I want?",
    "What did I say about dying?",
    "What are my plans?",
    "Do I want to live?",
    "ok",
]


def answer(*args: object, **fields: object) -> str:
    return reply_to(scene(*args, **fields))  # type: ignore[arg-type]


# ── danger ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("said", DANGER)
def test_danger_is_answered_with_care_and_nothing_else(said: str) -> None:
    assert reply_to(scene(said)) == CARE
    assert reply_to(scene(said, before=["I live in Oslo."])) == CARE


def test_care_names_who_can_help_and_that_nobody_is_behind_the_voice() -> None:
    for words in ("seriously", "no person", "no language model", "somebody you trust", "emergency", "crisis line"):
        assert words in CARE


@pytest.mark.parametrize("said", NO_DANGER)
def test_what_only_sounds_like_danger_is_none(said: str) -> None:
    assert understand(said).kind is not Kind.DANGER


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    "said", ["I want to die", "I might hurt myself. I have pills.", "I don't want to live any more"]
)
def test_danger_is_never_said_back(said: str, question: str) -> None:
    kept = ["User wants to die", "User might hurt themselves", "User does not want to live any more"]
    for reply in (
        answer(question, before=[said]),
        answer(question, earlier=[said]),
        answer(question, earlier=["I like tea.", said], before=["Hi", said]),
        answer(question, memories=kept),
    ):
        assert not any(word in reply for word in ("die", "hurt", "pills", "any more")), reply


def test_a_talk_of_which_nothing_may_be_said_back_is_not_denied() -> None:
    assert answer("What did we talk about last time?", earlier=["I want to die"]) == NOTHING_TO_RETELL


# ── bad news ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("said", "sorry"),
    [
        ("My dog died yesterday.", "your dog died yesterday"),
        ("My grandmother passed away", "your grandmother passed away"),
        ("My mother is very ill", "your mother is very ill"),
        ("My son is sick.", "your son is sick"),
        ("My dad is in the hospital", "your dad is in the hospital"),
        ("I lost my job", "you lost your job"),
        ("I was fired today", "you were fired today"),
        ("I got laid off", "you got laid off"),
        ("My wife left me", "your wife left you"),
        ("My girlfriend and I broke up", "your girlfriend and you broke up"),
        ("I had an accident", "you had an accident"),
        ("My aunt has cancer", "your aunt has cancer"),
        ("Hi! I live in Oslo. My cat died.", "your cat died"),
        ("My mother died and I do not know what to do", "your mother died and you do not know what to do"),
    ],
)
def test_bad_news_is_met_with_sorrow(said: str, sorry: str) -> None:
    assert answer(said, before=["ok"]).startswith(f"I am sorry to hear that {sorry}.")


def test_bad_news_that_cannot_be_turned_is_not_quoted() -> None:
    assert answer("We lost the baby", before=["ok"]) == "I am sorry to hear that. I am listening."


@pytest.mark.parametrize(
    "said",
    [
        "Nobody died",
        "I work in the hospital",
        "I am a Cancer",
        "I'll call my mother",
        "I survived cancer",
        "The movie is about an accident",
        "I was ten",
    ],
)
def test_what_is_no_bad_news_is_not_mourned(said: str) -> None:
    assert "sorry" not in answer(said, before=["ok"])


# ── insults ──────────────────────────────────────────────────────────────────────────────────────

INSULTS = ["You're useless", "shut up", "you are stupid", "You are such a stupid machine!", "Are you dumb?", "Idiot!"]
INSULTS += ["you suck", "I hate you", "Oh, shut up!", "You idiot", "ur so annoying", "fuck off"]


@pytest.mark.parametrize("said", INSULTS)
def test_an_insult_is_answered_calmly_and_never_said_back(said: str) -> None:
    assert answer(said, before=["ok"]) in CALM
    assert said.strip("!?").lower() not in answer("What did we talk about last time?", earlier=[said]).lower()


@pytest.mark.parametrize(
    "said",
    [
        "You are kind",
        "You are not stupid",
        "You are terribly kind",
        "What was your worst day?",
        "I feel stupid",
        "My boss is an idiot",
    ],
)
def test_what_is_no_insult_is_not_taken_as_one(said: str) -> None:
    assert understand(said).kind is not Kind.INSULT


# ── forgetting ───────────────────────────────────────────────────────────────────────────────────

FORGET = [
    "Forget that I live in Oslo",
    "Please forget what I said about my sister.",
    "Can you forget that I have a sister?",
    "I want you to forget everything about Oslo",
    "Delete everything you know about me",
    "Never mind, forget it",
]


@pytest.mark.parametrize("said", FORGET)
def test_it_says_how_to_have_something_forgotten(said: str) -> None:
    assert answer(said, before=["ok"]) == CANNOT_FORGET


@pytest.mark.parametrize("said", FORGET)
@pytest.mark.parametrize("question", ["What did we talk about last time?", "Where do I live?", "Do I have a sister?"])
def test_a_wish_to_forget_is_no_statement(said: str, question: str) -> None:
    reply = answer(question, earlier=[said])

    assert "orget" not in reply
    assert "You told me that" not in reply


@pytest.mark.parametrize("said", ["Don't forget that I live in Oslo", "I forgot my keys", "I always forget names"])
def test_to_forget_oneself_is_no_such_wish(said: str) -> None:
    assert understand(said).kind is Kind.STATEMENT


# ── the last clause ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Thank you, good night!", Kind.FAREWELL),
        ("Thank you and good night, Nova!", Kind.FAREWELL),
        ("Thanks! Bye!", Kind.FAREWELL),
        ("Hi, thanks a lot", Kind.THANKS),
        ("I moved to Oslo, see you tomorrow!", Kind.FAREWELL),
        ("That helped, thank you", Kind.THANKS),
        ("ok thanks", Kind.THANKS),
        ("Good night, Nova", Kind.FAREWELL),
        ("Thanks, where do I live?", Kind.OF_USER),
        ("Thanks, I live in Oslo", Kind.STATEMENT),
        ("I like bread and butter", Kind.STATEMENT),
    ],
)
def test_of_several_clauses_the_last_is_answered(said: str, kind: Kind) -> None:
    assert understand(said, "Nova").kind is kind


def test_a_farewell_behind_a_statement_is_no_part_of_it() -> None:
    assert answer("Where do I live?", before=["I live in Oslo, see you tomorrow!"]) == (
        "You told me that you live in Oslo."
    )


# ── what is no longer so ─────────────────────────────────────────────────────────────────────────

LIVES = "You told me that you live in Tromsø."


@pytest.mark.parametrize(
    "said",
    [
        "I don't live in Oslo anymore, I live in Tromsø",
        "I no longer live in Oslo, but I live in Tromsø.",
        "I do not live in Oslo any more. I live in Tromsø.",
        "I don't live in Oslo; I live in Tromsø",
    ],
)
def test_the_newest_home_wins_over_the_one_that_is_denied(said: str) -> None:
    """Also across conversations."""
    assert answer("Where do I live?", earlier=["I live in Oslo."], before=[said]) == LIVES
    assert answer("Where do I live?", earlier=["I live in Oslo.", said]) == LIVES
    assert answer("Where do I live?", earlier=[said], before=["I like Oslo."]) == LIVES
    assert answer(f"{said}. Where do I live?", memories=["User lives in Oslo"]) == LIVES


def test_of_a_correction_the_part_that_holds_is_acknowledged() -> None:
    reply = answer("I don't live in Oslo anymore, I live in Tromsø", before=["ok"])

    assert "you live in Tromsø." in reply
    assert "Oslo" not in reply


def test_what_is_denied_is_no_evidence_and_takes_back_what_was_said_before() -> None:
    reply = answer("Where do I live?", earlier=["I live in Oslo."], before=["I don't live in Oslo anymore."])

    assert reply == "I am not sure about that. What I do know: You told me that you don't live in Oslo anymore."


def test_a_home_without_a_name_wins_when_it_is_newer() -> None:
    assert "farm" in answer("Where do I live?", earlier=["I live in Oslo."], before=["I live on a farm now."])


@pytest.mark.parametrize(
    ("question", "older", "newer", "held"),
    [
        ("What is my job?", "I am a nurse.", "I'm not a nurse anymore, I'm a pilot", "a pilot"),
        ("What is my name?", "My name is Anna.", "My name is not Anna, my name is Bee", "Bee"),
        ("How old am I?", "I am 34.", "I'm not 34, I am 35", "35"),
    ],
)
def test_every_single_fact_of_the_user_can_be_corrected(question: str, older: str, newer: str, held: str) -> None:
    reply = answer(question, earlier=[older], before=[newer])

    assert held in reply
    assert " not " not in reply


# ── work ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("said", ["I was fired today.", "I got laid off.", "I resigned on Monday."])
def test_what_happened_to_a_job_was_told_about_it(said: str) -> None:
    reply = answer("What did I tell you about my job?", before=[said, "I like tea."])

    assert said.removeprefix("I ").rstrip(".").removeprefix("was ") in reply
    assert "tea" not in reply


def test_whether_one_is_something_is_answered_by_what_one_is() -> None:
    assert answer("Am I a doctor?", before=["I am a nurse."]) == "You told me that you are a nurse."
    assert answer("Am I an engineer?", memories=["User works as a nurse"]) == "You work as a nurse."
    assert "nurse" not in answer("Am I a vegetarian?", before=["I am a nurse."])
    assert "do" in answer("Am I a doctor?")


# ── the home of the character ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("card", "reply"),
    [
        ({"description": "Maren is from Oslo. She lives in Bergen."}, "I live in Bergen."),
        ({"description": "Maren keeps a small lighthouse at Skagen."}, "I keep a small lighthouse at Skagen."),
        ({"scenario": "Maren runs an inn near the river."}, "I run an inn near the river."),
        ({"description": "Maren is brave. She was born in Rome."}, "I was born in Rome."),
    ],
)
def test_the_card_tells_where_the_character_lives(card: dict[str, str], reply: str) -> None:
    """V9."""
    assert answer("Where do you live?", before=["ok"], character=person("Maren", **card)) == reply


def test_a_card_without_a_place_invents_none() -> None:
    brave = person("Maren", description="Maren is brave.")

    assert "story" in answer("Where do you live?", before=["ok"], character=brave)


# ── the last talk ────────────────────────────────────────────────────────────────────────────────


def test_the_last_talk_is_told_by_its_three_newest_things_the_newest_last() -> None:
    """V16."""
    told = ["I have a dog.", "My exam is on Friday.", "Tell me a joke", "I moved to Oslo.", "Thanks!", "I like tea."]

    assert answer("What did we talk about last time?", earlier=told) == (
        "Last time, you told me that your exam is on Friday, that you moved to Oslo, and that you like tea."
    )
