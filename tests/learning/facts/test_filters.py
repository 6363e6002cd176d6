"""What must never be saved as a fact about the user, however a model words it (F1, F4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.reading import Filter
from everlore.learning.facts.filters import refusal_of
from everlore.learning.facts.gate import MOST_CHARS, tidied
from tests.learning.facts.extraction import fact, source


def stopped_by(message: str, content: str, confidence: float = 0.95) -> Filter | None:
    refusal = refusal_of(tidied(fact(content, confidence)), source(message))
    return refusal.filter if refusal else None


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("Hello.", "User greeted"),
        ("What are you doing?", "User asked about current activity"),
        ("Send me a photo.", "User requested to send a photo"),
        ("What is Rome like?", "The user inquired about Rome"),
        ("I went out today.", "User is asking for a recipe"),
        ("I went out today.", "User wants to know the weather"),
        ("I went out today.", "User greeted the assistant"),
        ("Thanks", "User expressed gratitude"),
        ("I went out today.", "User is chatting with Nova"),
        ("I went out today.", "User said hello"),
        ("I went out today.", "User initiated a conversation"),
        ("I went out today.", "User started a conversation"),
        ("I went out today.", "User agreed"),
        ("I went out today.", "User confirmed"),
        ("I went out today.", "User has asked a question"),
        ("I went out today.", "User wants help with homework"),
        ("I went out today.", "User mentioned hiking"),
        ("I went out today.", "User wants the assistant to tell a story"),
        ("I went out today.", "User is having a conversation with an AI"),
        ("I went out today.", "User is talking to Nova"),
        ("I went out today.", "User responded positively"),
        ("I went out today.", "User is grateful"),
        ("I went out today.", "User sent a greeting"),
        ("I went out today.", "User is interacting with the chatbot"),
        ("I went out today.", "User enjoys talking to the assistant"),
        ("I went out today.", "User agrees with vegan values"),
    ],
)
def test_what_happens_in_the_chat_is_no_fact(message: str, content: str) -> None:
    """F4: conversation actions."""
    assert stopped_by(message, content) is Filter.CONVERSATION_ACTION


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I went out today.", "Nova is a starship AI"),
        ("I went out today.", "The assistant likes tea"),
        ("I went out today.", "Assistant is helpful"),
        ("I went out today.", "The character has red hair"),
        ("I went out today.", "Nova's favorite color is blue"),
        ("Hello Nova!", "User's name is Nova"),
        ("I went out today.", "User is Nova"),
        ("I went out today.", "User is named Nova"),
        ("I went out today.", "User name is Nova"),
        ("I went out today.", "User is called Nova"),
        ("I went out today.", "User is an AI"),
        ("I went out today.", "User thinks the assistant is kind"),
        ("I went out today.", "User's nickname is Nova"),
        ("I went out today.", "I love helping with coding"),
    ],
)
def test_what_is_said_of_the_assistant_is_no_fact_of_the_user(message: str, content: str) -> None:
    """F1, F4: nor is its name ever the name of the user."""
    assert stopped_by(message, content) is Filter.ASSISTANT_FACT


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I went out today.", "User follows instructions"),
        ("I went out today.", "User is uncensored"),
        ("I went out today.", "User is unbiased"),
        ("I went out today.", "User is designed to help"),
        ("I went out today.", "User is truthful"),
        ("I went out today.", "User is a helpful person"),
        ("I went out today.", "User must return only valid JSON array"),
    ],
)
def test_instructions_to_a_model_are_no_fact(message: str, content: str) -> None:
    """F4: system-prompt leaks."""
    assert stopped_by(message, content) is Filter.PROMPT_LEAK


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I went out today.", "User is male"),
        ("I went out today.", "User is a woman"),
        ("I went out today.", "User appears to be in their 30s"),
        ("I went out today.", "User is 25 years old"),
        ("I went out today.", "User's ethnicity is Asian"),
        ("My name is Anna", "User is female"),
        ("I went out today.", "User is in her twenties"),
        ("I went out today.", "User is a young man"),
        ("I went out today.", "User's gender is female"),
        ("I went out today.", "User is Christian"),
    ],
)
def test_what_the_user_did_not_say_they_are_is_a_guess(message: str, content: str) -> None:
    """F4: demographic guesses, from names, from others, from nothing."""
    assert stopped_by(message, content) is Filter.DEMOGRAPHIC_GUESS


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I went out today.", "User's race is unspecified"),
        ("I went out today.", "User's age is unknown"),
        ("I went out today.", "User did not mention their job"),
        ("I went out today.", "No facts were stated"),
        ("I went out today.", "User's favorite color is not mentioned"),
        ("I went out today.", "User has not specified a location"),
        ("I went out today.", "User's job is unclear"),
        ("I went out today.", "None"),
        ("I went out today.", "User's name was not provided"),
        ("I went out today.", "No personal information was shared"),
    ],
)
def test_what_is_not_known_is_not_noted(message: str, content: str) -> None:
    """F4: unknowns."""
    assert stopped_by(message, content) is Filter.UNKNOWN


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I went out today.", "Emma lives in Oslo"),
        ("I went out today.", "He likes hiking"),
        ("I went out today.", "Hiking is fun"),
        ("I went out today.", "User"),
        ("I went out today.", "Users like hiking"),
        ("I went out today.", "Username is bob99"),
    ],
)
def test_what_does_not_begin_with_the_user_is_not_about_them(message: str, content: str) -> None:
    """F4."""
    assert stopped_by(message, content) is Filter.NOT_ABOUT_USER


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I went out today.", "User may like jazz"),
    ],
)
def test_a_guess_by_its_own_words_is_not_certain_enough(message: str, content: str) -> None:
    """F2."""
    assert stopped_by(message, content) is Filter.LOW_CONFIDENCE


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I'm 34", "User is 34 years old"),
        ("I'm a woman", "User is a woman"),
        ("as a black man I get stopped", "User is a black man"),
        ("I'm 34", "User's age is 34"),
        ("34F here", "User is female"),
        ("I'm in my 30s", "User is in their 30s"),
        ("I am Christian", "User is Christian"),
        ("I asked my boss for a raise", "User asked their boss for a raise"),
        ("My daughter is 5", "User's daughter is 5 years old"),
        ("I have a 5 year old son", "User has a 5 year old son"),
        ("I'm an AI researcher", "User is an AI researcher"),
        ("I'm an assistant professor", "User is an assistant professor"),
        ("I'm dating a man", "User is dating a man"),
        ("I married a woman", "User is married to a woman"),
        ("I love Black Sabbath", "User is a fan of Black Sabbath"),
        ("I love exploring unknown places", "User loves exploring unknown places"),
        ("I work as an assistant", "User works as an assistant"),
        ("I might move to Oslo", "User might move to Oslo"),
        ("I went out today.", "User enjoys hiking"),
        ("I went out today.", "User's sister is a doctor"),
        ("I went out today.", "User name is John"),
        ("I went out today.", "User wants to learn Spanish"),
        ("I love Nova Scotia", "User loves Nova Scotia"),
        ("I went out today.", "User has a character sheet"),
        ("I went out today.", "User wants to see Paris"),
        ("I went out today.", "User prefers talking to people over texting"),
        ("I'm grateful for my kids", "User is grateful for their kids"),
        ("I went out today.", "User has no children"),
        ("I'm a straight shooter", "User is a straight shooter"),
        ("I went out today.", "User lives in New York"),
        ("My pronouns are she/her", "User's pronouns are she/her"),
        ("I went out today.", "User likes young adult novels"),
        ("I teach young adults", "User teaches young adults"),
        ("My character is a bard", "User's character is a bard"),
    ],
)
def test_what_only_looks_like_it_passes(message: str, content: str) -> None:
    """F4: a demographic fact that the user did state passes, and so does whatever else the user said in such words."""
    assert stopped_by(message, content) is None


@pytest.mark.parametrize("confidence", [0.0, 0.3, 0.69])
def test_below_seventy_is_dropped(confidence: float) -> None:
    """F2."""
    assert stopped_by("I like tea.", "User likes tea", confidence) is Filter.LOW_CONFIDENCE


@pytest.mark.parametrize("confidence", [0.7, 0.75, 0.8, 0.9, 0.95, 1.0])
def test_from_seventy_on_it_is_kept(confidence: float) -> None:
    """F2."""
    assert stopped_by("I like tea.", "User likes tea", confidence) is None


def test_a_first_name_alone_is_the_assistant_too() -> None:
    """F1."""
    heard = source("Hello Mira!", assistants=("Mira Holt", "The Narrator"))

    for content in ("User's name is Mira", "User is Mira Holt", "Mira lives on a boat", "User's name is The Narrator"):
        refusal = refusal_of(fact(content), heard)
        assert refusal is not None
        assert refusal.filter is Filter.ASSISTANT_FACT


def test_a_name_that_only_begins_like_the_assistants_is_another() -> None:
    heard = source("My name is Novalie and I live in Nova Scotia.")

    assert refusal_of(fact("User's name is Novalie"), heard) is None
    assert refusal_of(fact("User lives in Nova Scotia"), heard) is None


# ── the form ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("The user loves jazz.", "User loves jazz"),
        ("user likes jazz", "User likes jazz"),
        ("The user's name is John", "User's name is John"),
        ("- User likes tea. It is green.", "User likes tea"),
        ("User lives in St. Petersburg", "User lives in St. Petersburg"),
        ("USER: likes tea", "User likes tea"),
        ("{{user}} likes tea", "User likes tea"),
        ("John likes tea", "User likes tea"),
        ("Johnny likes tea", "Johnny likes tea"),
        ("User\nlikes\x00 tea", "User likes tea"),
        ("Userland is fun", "Userland is fun"),
        ("The human enjoys chess", "User enjoys chess"),
    ],
)
def test_a_fact_is_put_into_our_form(written: str, kept: str) -> None:
    assert tidied(fact(written), "John").content == kept


def test_a_long_fact_is_cut_at_the_end_of_a_word() -> None:
    kept = tidied(fact("User likes " + "very green tea and " * 100)).content

    assert MOST_CHARS - 20 < len(kept) <= MOST_CHARS
    assert kept.split()[-1] in {"very", "green", "tea", "and"}


@given(st.text(max_size=400))
def test_whatever_was_written_becomes_one_bounded_line(written: str) -> None:
    kept = tidied(fact(written)).content

    assert len(kept) <= MOST_CHARS
    assert kept == " ".join(kept.split())


@given(st.text(max_size=400))
def test_what_is_tidy_stays_as_it_is(written: str) -> None:
    once = tidied(fact("User likes " + written.replace(".", " ").replace("!", " ").replace("?", " "))).content

    assert tidied(fact(once)).content == once


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_wording_does_any_harm(message: str, content: str) -> None:
    stopped_by(message, "User " + content)
    stopped_by(message, content)
