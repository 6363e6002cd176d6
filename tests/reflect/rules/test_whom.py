"""Who is meant: whom a pronoun stands for, and whose name was known before."""

import pytest

from everlore.reflect.rules import facts_stated


def said(message: str, people: dict[str, str] | None = None) -> list[str]:
    return [each.content for each in facts_stated(message, people=people)]


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("My wife is a tailor. I met her in 2015 in Rome.", "User met their wife in 2015 in Rome"),
        ("My aunt Lotte lives in Bergen. I visit her every summer.", "User visits their aunt Lotte every summer"),
    ],
)
def test_whom_the_sentence_before_told_is_named(message: str, fact: str) -> None:
    """O1."""
    assert fact in said(message)


def test_a_name_that_is_known_is_somebody_of_theirs() -> None:
    """O1, F8."""
    assert "User's brother Bram is a glassblower" in said("Bram is a glassblower.", {"Bram": "brother"})
    assert said("Bram is a glassblower.") == []


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("My neighbours Ann and Bo are moving out", "User has neighbours named Ann and Bo"),
        ("No kids, two beagles called Rex and Fido, one tiny flat", "User has two beagles named Rex and Fido"),
        ("We paddle four times a year and lose an oar each time", "User paddles four times a year"),
        ("I've had asthma since I was a kid", "User has had asthma since they were a kid"),
        ("This annoys my brother Sam whos a cook", "User's brother Sam is a cook"),
    ],
)
def test_names_verbs_and_times_are_told_whole(message: str, content: str) -> None:
    assert any(each.content.startswith(content) for each in facts_stated(message))


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("my niece (Lea, 12) got lost", ["User has a niece named Lea", "User's niece Lea is 12 years old"]),
        ("our girls (Ada, Mia, Zoe) love swimming", ["User has girls named Ada, Mia and Zoe"]),
        ("my flat (Leeds) is cold", []),
        ("Nana Rose lives in Cork.", ["User has a nana named Rose", "User's nana Rose lives in Cork"]),
    ],
)
def test_names_in_brackets_and_titles_are_read_as_names(message: str, facts: list[str]) -> None:
    """O1: and what stands behind the brackets is not taken for the user's own."""
    assert said(message) == facts


def test_who_is_denied_to_be_meant_is_not_told_of() -> None:
    assert "User's sister is the dentist" not in said("It's not my sister who is the dentist, it's my aunt.")
    assert "User's sister is the dentist" in said("It's my sister who is the dentist.")


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("My father died when I was ten.", "User's father died"),
        ("My aunt's husband is a baker.", "User's aunt's husband is a baker"),
        ("Growing up in Kerry, I sailed a lot.", "User grew up in Kerry"),
    ],
)
def test_plain_statements_that_no_labelled_set_has_are_learnt_all_the_same(message: str, fact: str) -> None:
    """O1."""
    assert fact in said(message)


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("My husband and I have been married for 31 years.", "User has been married to their husband for 31 years"),
        ("Me and my boyfriend have been together since 2018", "User has been together with their boyfriend since 2018"),
        ("my mum and dad run a pub in Sligo", "User's mum and dad run a pub in Sligo"),
        ("My brother and my sister live in Oslo.", "User's brother and sister live in Oslo"),
        ("We got a kitten in June and called her Pickle", "User has a kitten named Pickle"),
    ],
)
def test_two_of_them_and_who_is_with_whom(message: str, fact: str) -> None:
    """O1."""
    assert fact in said(message)


@pytest.mark.parametrize(
    "message", ["We have been together for years", "Then I met Anna.", "I went to Lisbon with the band instead"]
)
def test_what_leaves_out_with_whom_or_instead_of_what_is_no_fact(message: str) -> None:
    """O1."""
    assert said(message) == []


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("I have a cousin who mends pianos", "User's cousin mends pianos"),
        ("We have three kids: Ida, Per and little Bo. Ida is a vet in Graz.", "User's kid Ida is a vet in Graz"),
        ("We're off to Malta in February", "User is going to Malta in February"),
        ("i got 2 sisters, Ada n Bo, Ada is a vet in Graz", "User's sister Ada is a vet in Graz"),
        ("i got 2 sisters, Ada n Bo", "User has 2 sisters named Ada and Bo"),
        ("we got a goat last week, named her Zelda", "User has a goat named Zelda"),
        ("yo im Tess, 19, law student in Cork", "User is a law student in Cork"),
        ("placement starts 4 March at the Rotunda", "User's placement starts 4 March at the Rotunda"),
        ("my new job starts on Monday", "User's new job starts on Monday"),
        ("we have two kids, Ida and a son, Per, who is 6", "User's son Per is 6 years old"),
        ("there's my aunt who breeds newts, too", "User's aunt breeds newts"),
        ("Both my grandparents are deaf", "User's grandparents are deaf"),
        ("Mum would never have managed it alone, she's 71", "User's mum is 71 years old"),
        ("I'm deaf in one ear", "User is deaf in one ear"),
        ("being colour blind I never trust my own socks", "User is colour blind"),
        ("A friend and I run a repair cafe in Delft", "User runs a repair cafe in Delft with a friend"),
        ("my gout is back, hooray", "User has gout"),
        ("what helps against my psoriasis?", "User has psoriasis"),
    ],
)
def test_of_whom_a_clause_tells_is_seen_in_its_shape(message: str, fact: str) -> None:
    """O1."""
    assert fact in said(message)


@pytest.mark.parametrize(
    "message",
    [
        "My mum rang. Nobody here who studies in Utrecht can cook.",
        "I'd promised my nephew tickets for the match",
        "Well, 68 and I've joined a choir",
        "I go twice a week",
        "my cancer research is going nowhere",
        "they told me my leukaemia is gone, finally",
    ],
)
def test_nothing_is_said_of_whom_a_clause_does_not_tell(message: str) -> None:
    """O1: neither is the sister studying, nor the nephew ticketing."""
    kept = said(message)

    assert not [
        each for each in kept if any(word in each for word in ("tickets", "studies", "68", "twice", "has c", "leuk"))
    ]


def test_a_name_that_could_be_of_two_is_of_neither() -> None:
    """O1."""
    assert "User has an aunt named Ria" not in said("My aunt got me a puppy. Her name is Ria.")
    assert "User has an aunt named Ria" in said("My aunt lives in Ghent. Her name is Ria.")


def test_whoever_died_is_not_said_to_be_had() -> None:
    """O1, M8."""
    assert said("Our dog Bess died last spring.") == ["User's dog Bess died last spring"]
    assert "User has a brother named Tom" in said("My brother Tom passed his exam.")


def test_who_was_he_is_not_she_in_the_next_sentence() -> None:
    """O1."""
    told = said("My eldest came over. He works at a bank. She's a vet.")

    assert "User's eldest works at a bank" in told
    assert not any("vet" in each for each in told)
