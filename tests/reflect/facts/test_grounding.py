"""A saved fact rests on a clause that the user stated, whichever model produced it (F1, F3, F5, F8, M16)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.reading import Filter, Refusal
from everlore.reflect.candidate import Candidate, Turn
from everlore.reflect.facts.evidence import evidence_of
from everlore.reflect.facts.grounding import INFERRED, grounded, settled
from tests.reflect.facts.extraction import fact, source


def refused(message: str, content: str, *before: Turn) -> Filter | None:
    refusal = grounded(fact(content), source(message, before=before))
    return refusal.filter if refusal else None


def confidence(message: str, content: str, given: float = 0.95) -> float:
    found = settled(fact(content, given), evidence_of(source(message)))
    assert isinstance(found, Candidate), found
    return found.confidence


def user(content: str) -> Turn:
    return Turn(is_user=True, name="Sam", content=content)


def assistant(content: str) -> Turn:
    return Turn(is_user=False, name="Nova", content=content)


# ── what stands ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("My name is John", "User name is John"),
        ("My name is John", "User's name is John"),
        ("I'm John", "User is named John"),
        ("my name is john", "User's name is John"),
        ("They call me John", "User's name is John"),
        ("John here!", "User's name is John"),
        ("Call me Liz", "User goes by Liz"),
        ("Beautiful photo.", "User appreciates photography"),
        ("My favorite is whisky (Irish kind)", "User prefers Irish whiskey"),
        ("I taught my third-grade class about volcanoes today", "User is a teacher"),
        ("I've been coding for 10 years", "User is experienced in programming"),
        ("I've been coding for 10 years", "User has been coding for 10 years"),
        ("I love hiking", "User enjoys hiking"),
        ("I love hiking", "User likes hiking"),
        ("I work as a teacher", "User is a teacher"),
        ("I'm a teacher", "User works as a teacher"),
        ("I don't like hiking", "User dislikes hiking"),
        ("I hate hiking", "User does not like hiking"),
        ("I can't stand olives", "User dislikes olives"),
        ("I can't stand olives", "User can't stand olives"),
        ("My sister loves hiking", "User's sister loves hiking"),
        ("My sister Emma is a doctor", "User has a sister named Emma"),
        ("My sister Emma is a doctor", "User's sister Emma is a doctor"),
        ("My sister is visiting. She loves hiking.", "User's sister loves hiking"),
        ("I have a younger sister named Emma", "User has a younger sister named Emma"),
        ("I have a sister who loves hiking", "User's sister loves hiking"),
        ("Emma is my sister", "User's sister is named Emma"),
        ("Emma is my sister", "User has a sister named Emma"),
        ("I used to live in Rome", "User used to live in Rome"),
        ("I used to live in Rome", "User lived in Rome"),
        ("I moved to Portland two years ago", "User lives in Portland"),
        ("I moved to Portland two years ago", "User moved to Portland"),
        ("I live in Oslo", "User lives in Oslo"),
        ("Do you know Oslo? I live there.", "User lives in Oslo"),
        ("I'm based in Oslo", "User lives in Oslo"),
        ("I'm 34", "User is 34 years old"),
        ("I'm 34", "User's age is 34"),
        ("I just turned 34", "User is 34 years old"),
        ("I'm a 34 year old nurse", "User is 34 years old"),
        ("I'm a 34-year-old nurse", "User is a nurse"),
        ("I have two kids", "User has 2 kids"),
        ("I have two kids", "User has two children"),
        ("My two kids are 5 and 7", "User has two kids"),
        ("I prefer tea over coffee", "User prefers tea over coffee"),
        ("I prefer tea over coffee", "User prefers tea"),
        ("I prefer tea to coffee", "User prefers tea over coffee"),
        ("I want to learn Spanish", "User wants to learn Spanish"),
        ("I'm training for a marathon", "User is training for a marathon"),
        ("I'm training for a marathon", "User wants to run a marathon"),
        ("I plan to start a blog", "User plans to start a blog"),
        ("I'd love to visit Iceland someday", "User hopes to visit Iceland someday"),
        ("I'd love to visit Iceland", "User wants to visit Iceland"),
        ("I visited Japan in 2023", "User visited Japan in 2023"),
        ("I graduated from MIT", "User graduated from MIT"),
        ("I broke my arm skiing", "User broke their arm skiing"),
        ("I speak fluent French", "User speaks fluent French"),
        ("I can play the piano", "User can play piano"),
        ("I'm learning Python", "User is learning Python programming"),
        ("I got married to Alex last year", "User is married to Alex"),
        ("My husband Alex is a chef", "User is married to Alex"),
        ("I don't eat meat", "User does not eat meat"),
        ("I never eat meat", "User doesn't eat meat"),
        ("I don't have any kids", "User has no children"),
        ("I have no kids", "User has no kids"),
        ("I have a cat named Whiskers", "User has a cat named Whiskers"),
        ("My cat Whiskers is asleep", "User has a cat named Whiskers"),
        ("I adopted a cat", "User has a cat"),
        ("I'm from Norway", "User is from Norway"),
        ("I grew up in Norway", "User is from Norway"),
        ("I was born in Oslo", "User was born in Oslo"),
        ("I'm allergic to peanuts", "User is allergic to peanuts"),
        ("I have a peanut allergy", "User is allergic to peanuts"),
        ("I'm vegetarian", "User is vegetarian"),
        ("As a vegan I struggle here", "User is vegan"),
        ("I work at Google as an engineer", "User works at Google"),
        ("I work at Google as an engineer", "User is an engineer at Google"),
        ("I'm a nurse at St Mary's", "User is a nurse at St Mary's"),
        ("I work in downtown Seattle", "User works in downtown Seattle"),
        ("Hiking is my favorite hobby", "User enjoys hiking"),
        ("My favorite color is blue", "User's favorite color is blue"),
        ("I love sci-fi novels", "User loves sci-fi novels"),
        ("I go hiking every weekend", "User enjoys hiking on weekends"),
        ("I mentor junior developers at work", "User mentors junior developers at work"),
        ("My best friend is moving to Canada", "User's best friend is moving to Canada"),
        ("I'm an engineer. My brother lives in Rome.", "User's brother lives in Rome"),
        ("I quit smoking", "User quit smoking"),
        ("I no longer live in Rome", "User no longer lives in Rome"),
        ("I no longer live in Rome", "User does not live in Rome"),
        ("I'm a mom of two", "User is a mom of two"),
        ("I live in NYC", "User lives in New York City"),
        ("I was diagnosed with diabetes", "User has diabetes"),
        ("I'm really into jazz", "User likes jazz"),
        ("I'm interested in astronomy", "User is interested in astronomy"),
        ("I want to learn Spanish", "User is interested in learning Spanish"),
        ("I live in Oslo with my sister", "User lives with their sister in Oslo"),
        ("I'm single", "User is single"),
        ("My birthday is March 3rd", "User's birthday is March 3"),
        ("My dog died last week", "User's dog died last week"),
        ("I'm scared of spiders", "User is afraid of spiders"),
        ("I drive a red Volvo", "User drives a red Volvo"),
        ("I'm a huge fan of Radiohead", "User is a fan of Radiohead"),
        ("I'm a night owl", "User is a night owl"),
        ("My job is stressful", "User finds their job stressful"),
        ("I'm a software engineer and I live in Leeds", "User is a software engineer and lives in Leeds"),
        ("I just bought a house in Leeds", "User bought a house in Leeds"),
        ("I just bought a house in Leeds", "User owns a house in Leeds"),
        ("I started a new job at Acme", "User works at Acme"),
        ("As a black man I get stopped a lot", "User is a black man"),
        ("I've never been to Paris", "User has never been to Paris"),
        ("I think Nolan's films are great", "User likes Nolan's films"),
        ("I enjoyed the pasta in Rome", "User enjoyed the pasta in Rome"),
        ("I play guitar in a band", "User plays guitar"),
        ("I play guitar in a band", "User plays in a band"),
        ("I am a twin", "User is a twin"),
        ("My parents are divorced", "User's parents are divorced"),
        ("I want a dog so badly", "User wants a dog"),
        ("I've always wanted to see the northern lights", "User wants to see the northern lights"),
    ],
)
def test_what_the_user_stated_or_clearly_implied_stands(message: str, content: str) -> None:
    """F5."""
    assert refused(message, content) is None


# ── what does not ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("Hello Nova!", "User's name is Nova"),
        ("Hi!", "User seems friendly"),
        ("What's my favorite color?", "User's favorite color is blue"),
        ("Do you like hiking?", "User likes hiking"),
        ("Send me a photo.", "User likes photography"),
        ("Hello.", "User is polite"),
        ("If I lived in Rome I'd be happy", "User lives in Rome"),
        ('My boss said "I live in Rome"', "User lives in Rome"),
        ("Imagine I am a pirate", "User is a pirate"),
    ],
)
def test_a_message_that_states_nothing_supports_nothing(message: str, content: str) -> None:
    """F3: greetings, questions, requests, quotations, play and suppositions."""
    assert refused(message, content) in {Filter.NOT_STATED, Filter.QUOTED_BACK, Filter.UNGROUNDED}


def test_it_is_said_that_nothing_was_stated() -> None:
    """F3."""
    assert refused("Hello Nova!", "User likes tea") is Filter.NOT_STATED
    assert refused("Do you like tea?", "User likes tea") is Filter.NOT_STATED
    assert refused("Tell me about tea.", "User likes tea") is Filter.NOT_STATED


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("My sister loves hiking", "User loves hiking"),
        ("I'm a doctor", "User's sister is a doctor"),
        ("I'm a doctor and my sister is a lawyer", "User's sister is a doctor"),
        ("I'm a doctor and my sister is a lawyer", "User is a lawyer"),
        ("My daughter is 34", "User is 34 years old"),
        ("I have a sister who loves hiking", "User loves hiking"),
        ("I think my sister loves hiking", "User loves hiking"),
        ("My teacher is great", "User is a teacher"),
        ("I'm a doctor's son", "User is a doctor"),
        ("I have a friend with a dog", "User has a dog"),
        ("My brother has two kids", "User has two kids"),
        ("My brother lives in Rome. My sister lives in Oslo.", "User's brother lives in Oslo"),
        ("Emma lives in Oslo", "User lives in Oslo"),
        ("Emma loves hiking", "User loves hiking"),
        ("My mom lives in Ohio, I live in Texas", "User lives in Ohio"),
        ("My mom lives in Ohio, I live in Texas", "User's mom lives in Texas"),
    ],
)
def test_what_is_true_of_somebody_else_is_not_true_of_the_user(message: str, content: str) -> None:
    """F5: nor the other way round."""
    assert refused(message, content) in {Filter.WRONG_PERSON, Filter.UNGROUNDED}


def test_it_is_said_that_somebody_else_was_meant() -> None:
    assert refused("My sister loves hiking.", "User loves hiking") is Filter.WRONG_PERSON
    assert refused("You are kind.", "User is kind") is Filter.WRONG_PERSON


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("You are kind", "User is kind"),
        ("I love your voice", "User has a lovely voice"),
        ("I love your voice", "User loves voices"),
        ("I think you are funny", "User is funny"),
        ("I'm tired, Nova", "User loves Nova"),
        ("Thanks, that's so nice of you", "User is nice"),
    ],
)
def test_words_about_the_assistant_say_nothing_of_the_user(message: str, content: str) -> None:
    """F1."""
    assert refused(message, content) in {Filter.WRONG_PERSON, Filter.UNGROUNDED}


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I hate hiking", "User likes hiking"),
        ("I don't like hiking", "User likes hiking"),
        ("I prefer tea over coffee", "User prefers coffee over tea"),
        ("I prefer tea over coffee", "User prefers coffee"),
        ("I don't have a dog", "User has a dog"),
        ("I can't stand olives", "User loves olives"),
        ("I don't eat meat", "User eats meat"),
        ("I'm not a teacher", "User is a teacher"),
        ("I hate hiking", "User goes hiking"),
        ("I love hiking", "User dislikes hiking"),
        ("I love hiking", "User doesn't like hiking"),
        ("I have a dog", "User does not have a dog"),
    ],
)
def test_yes_and_no_are_not_turned_round(message: str, content: str) -> None:
    """F5."""
    assert refused(message, content) is Filter.UNGROUNDED


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I used to live in Rome", "User lives in Rome"),
        ("I lived in Rome for years", "User lives in Rome"),
        ("I worked at Google", "User works at Google"),
        ("I was a teacher", "User is a teacher"),
        ("I had a dog", "User has a dog"),
        ("I no longer live in Rome", "User lives in Rome"),
        ("I quit smoking", "User smokes"),
        ("My dog died last week", "User has a dog"),
        ("I divorced my husband", "User is married"),
        ("I taught English in Japan ten years ago", "User is a teacher"),
        ("I live in Oslo", "User used to live in Oslo"),
        ("I live in Oslo", "User lived in Oslo"),
    ],
)
def test_what_was_is_not_told_as_what_is(message: str, content: str) -> None:
    """F5: nor what is as what was."""
    assert refused(message, content) is Filter.UNGROUNDED


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I want to live in Tokyo", "User lives in Tokyo"),
        ("I want a dog", "User has a dog"),
        ("I live in Tokyo", "User wants to live in Tokyo"),
        ("I might move to Oslo", "User lives in Oslo"),
        ("I'm studying to be a nurse", "User is a nurse"),
        ("I have a dog", "User wants a dog"),
        ("I went to Iceland", "User plans to visit Iceland"),
    ],
)
def test_a_wish_is_not_told_as_a_fact(message: str, content: str) -> None:
    """F5: nor a fact as a wish."""
    assert refused(message, content) in {Filter.UNGROUNDED, Filter.NOT_STATED}


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I love hiking", "User lives in Oslo"),
        ("I love hiking", "User loves hiking with Emma"),
        ("I have two kids", "User has three kids"),
        ("I have two kids", "User has two dogs"),
        ("I visited Japan in 2023", "User lives in Japan"),
        ("I work in Rome. I live in Oslo.", "User lives in Rome"),
        ("I was born in Seattle", "User lives in Seattle"),
        ("I love dogs", "User has a dog"),
        ("I saw a dog on my way", "User has a dog"),
        ("I met a teacher", "User is a teacher"),
        ("I'm married to a teacher", "User is a teacher"),
        ("I hate my teacher", "User is a teacher"),
        ("I love my math teacher", "User teaches math"),
        ("I bought 34 apples", "User is 34 years old"),
        ("I'm 34 minutes late", "User is 34 years old"),
        ("John is my brother", "User's name is John"),
        ("I love John", "User's name is John"),
        ("I'm fine", "User is a fine artist"),
        ("I love hiking", "User is a mountain climber"),
        ("I love cats", "User has a cat named Whiskers"),
        ("My name is Anna", "User is a woman"),
    ],
)
def test_the_same_words_in_another_sense_support_nothing(message: str, content: str) -> None:
    """F5: invented names, numbers and details; somebody met, seen or loved is not what the user is or has."""
    assert refused(message, content) is Filter.UNGROUNDED


def test_every_predicate_of_a_fact_must_be_true() -> None:
    said = "I'm a nurse and my sister lives in Rome."

    assert refused(said, "User is a nurse") is None
    assert refused(said, "User is a nurse and lives in Rome") is not None
    assert refused("I'm a nurse and I live in Rome.", "User is a nurse and lives in Rome") is None


def test_a_fact_that_says_nothing_is_refused() -> None:
    for content in ("User likes", "User is", "User has a lot of things", "User"):
        assert refused("I like tea and I have a dog.", content) is Filter.UNGROUNDED


# ── names and numbers ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("I have two cats", "2"),
        ("I have 2 cats", "two"),
        ("I have twenty-five cats", "25"),
        ("I have 25 cats", "twenty-five"),
        ("I have 1,000 cats", "1000"),
        ("I have a cat", "one"),
    ],
)
def test_a_number_is_the_same_however_it_is_written(said: str, written: str) -> None:
    assert refused(said, f"User has {written} cats") is None


@pytest.mark.parametrize("written", ["3", "three", "twenty", "52"])
def test_another_number_is_an_invention(written: str) -> None:
    assert refused("I have two cats and 25 fish.", f"User has {written} cats") is Filter.UNGROUNDED


def test_a_name_may_come_from_an_earlier_turn_of_the_user() -> None:
    """F8: earlier turns tell who "she" is."""
    before = user("My sister Emma is coming over on Sunday.")

    assert refused("She lives in Oslo.", "User's sister Emma lives in Oslo", before) is None
    assert refused("She lives in Oslo.", "User's sister Emma lives in Oslo") is not None


def test_a_name_that_only_the_assistant_said_is_no_name() -> None:
    """F1, F8."""
    before = assistant("Is your sister called Emma?")

    assert refused("She lives in Oslo.", "User's sister Emma lives in Oslo", before) is not None


def test_a_name_is_not_taken_from_before_where_nothing_points_back() -> None:
    """F8."""
    assert refused("I love hiking.", "User loves hiking with Emma", user("Emma is nice.")) is Filter.UNGROUNDED


def test_an_earlier_turn_is_no_evidence() -> None:
    """F8."""
    assert refused("I love hiking.", "User lives in Oslo", user("I live in Oslo.")) is Filter.UNGROUNDED


def test_a_short_answer_is_read_with_its_question() -> None:
    """F8: the question is no evidence, but it says what was answered."""
    assert refused("Oslo.", "User lives in Oslo", assistant("Nice to meet you! Where do you live?")) is None
    assert refused("Blue.", "User's favorite color is blue", assistant("What is your favorite color?")) is None
    assert refused("34.", "User is 34 years old", assistant("How old are you?")) is None
    assert refused("Sam.", "User's name is Sam", assistant("What's your name?")) is None
    assert refused("Oslo.", "User lives in Rome", assistant("Where do you live? In Rome?")) is not None


# ── words that came from the assistant ───────────────────────────────────────────────────────────


def test_the_assistants_own_sentence_quoted_back_is_no_evidence() -> None:
    """M16."""
    before = assistant("It is warm today. I live in a lighthouse by the sea! Do you?")

    assert refused("I live in a lighthouse by the sea", "User lives in a lighthouse", before) is Filter.QUOTED_BACK
    assert refused("I live in a lighthouse too", "User lives in a lighthouse", before) is None


@pytest.mark.parametrize(
    "message",
    [
        "> I live in a lighthouse",
        "> I live in a lighthouse\n> I love the sea",
        'Nova said "I live in a lighthouse".',
        '<mcp:context type="resource" uri="everlore://memory/a">\nI live in a lighthouse\n</mcp:context>',
    ],
)
def test_quoted_lines_and_context_blocks_are_no_evidence(message: str) -> None:
    """M16."""
    assert refused(message, "User lives in a lighthouse") is not None


def test_what_stands_beside_a_quotation_counts() -> None:
    message = "> I live in a lighthouse\nI live in a windmill."

    assert refused(message, "User lives in a lighthouse") is not None
    assert refused(message, "User lives in a windmill") is None


# ── how certain ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("My name is John", "User's name is John"),
        ("I work as a teacher", "User is a teacher"),
        ("I love hiking", "User enjoys hiking"),
        ("I have two kids", "User has 2 kids"),
        ("I used to live in Rome", "User used to live in Rome"),
    ],
)
def test_what_was_said_in_so_many_words_may_be_as_certain_as_the_model_says(message: str, content: str) -> None:
    """F2."""
    assert confidence(message, content) == 0.95


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I taught my third-grade class about volcanoes today", "User is a teacher"),
        ("Beautiful photo.", "User appreciates photography"),
        ("My husband Alex is a chef", "User is married to Alex"),
        ("I moved to Portland two years ago", "User lives in Portland"),
        ("Do you know Oslo? I live there.", "User lives in Oslo"),
    ],
)
def test_what_is_inferred_is_never_more_than_clearly_implied(message: str, content: str) -> None:
    """F2: 0.95 is for what was stated."""
    assert confidence(message, content) == INFERRED
    assert confidence(message, content, given=0.75) == 0.75


# ── other languages, and rubbish ─────────────────────────────────────────────────────────────────


def test_another_language_is_not_read_here() -> None:
    """F5: our reading bears nothing out that it does not understand, and says so; evidence and trust decide."""
    said = "Ich heiße Anna und ich wohne in Berlin mit meinen 2 Katzen."

    found = settled(fact("User lives in Berlin"), evidence_of(source(said)))

    assert isinstance(found, Refusal)
    assert "language" in found.note


def test_a_foreign_word_or_two_do_not_make_a_message_foreign() -> None:
    assert refused("I went to El Paso and la Jolla, es muy bonito, and I love it.", "User lives in El Paso") is not None


@given(st.text(max_size=400), st.text(max_size=200))
def test_no_text_does_any_harm(message: str, content: str) -> None:
    found = settled(fact("User " + content), evidence_of(source(message)))

    assert isinstance(found, Candidate | Refusal)


@pytest.mark.parametrize(
    "invented", ["User lives in Zanzibar", "User has 77 parrots", "User's name is Xanthippe", "User plays bassoon"]
)
def test_an_invention_never_stands(invented: str) -> None:
    for message in ("I live in Oslo and I have 3 cats.", "My name is Sam. I play chess!", "She has a parrot."):
        assert refused(message, invented) is not None
