"""Every case that user-fact extraction was specified with, under the name of its table (F1-F5).

Each test puts the message and what a model made of it through the whole of `facts_in`.
"""

import pytest

from everlore.domain.memory import Category
from everlore.domain.reading import Filter
from everlore.learning.answers import json_in
from everlore.learning.candidate import Candidate, EarlierMessage, Extracted
from everlore.learning.facts.filters import refusal_of
from everlore.learning.facts.gate import tidied
from everlore.learning.facts.prompt import read_facts
from tests.learning.facts.extraction import Scripted, answer, fact, item, plainly_in, source, strictly_in


async def learnt(message: str, *items: dict[str, object], before: tuple[EarlierMessage, ...] = ()) -> Extracted:
    """Of a model that is not believed."""
    return await strictly_in(source(message, before=before), Scripted(answer(*items)))


async def believed(message: str, *items: dict[str, object]) -> Extracted:
    """Of one that is, and quotes the whole message."""
    quoted = [{"quote": message, **each} for each in items]
    return await plainly_in(source(message), Scripted(answer(*quoted)))


def contents(extracted: Extracted) -> set[str]:
    return {each.content for each in extracted.candidates}


# ── how well the filters work ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "extracted"),
    [
        ("Hello.", "User greeted"),
        ("What are you doing?", "User asked about current activity"),
        ("Send me a photo.", "User requested to send a photo"),
    ],
)
async def test_conversation_actions_are_blocked(message: str, extracted: str) -> None:
    """F3, F4: by the filter, if a model was asked at all; and it is not asked."""
    found = await learnt(message, item(extracted))
    refusal = refusal_of(tidied(fact(extracted)), source(message))

    assert found.candidates == ()
    assert refusal is not None
    assert refusal.filter is Filter.CONVERSATION_ACTION


async def test_a_name_that_was_told_passes() -> None:
    """ "My name is John"."""
    found = await learnt("My name is John", item("User name is John"))

    assert {content.removeprefix("User").removeprefix("'s") for content in contents(found)} == {" name is John"}
    assert found.refused == ()


async def test_an_opinion_passes() -> None:
    """ "Beautiful photo." is a valid opinion, though not a certain one."""
    found = await believed("Beautiful photo.", item("User appreciates photography", "preference", 0.8))

    (opinion,) = [each for each in found.candidates if each.content == "User appreciates photography"]
    assert 0.7 <= opinion.confidence <= 0.8


async def test_a_favourite_in_another_spelling_passes() -> None:
    found = await believed("My favorite is whisky (Irish kind)", item("User prefers Irish whiskey", "preference", 0.9))

    assert "User prefers Irish whiskey" in contents(found)


# ── the six filters ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("content", "why"),
    [
        *(
            (f"User {deed}", Filter.CONVERSATION_ACTION)
            for deed in (
                "greeted", "said hello", "said hi", "initiated the conversation", "responded", "asked", "requested",
                "thanked", "confirmed", "agreed", "disagreed", "inquired", "asked about the weather",
                "requested a picture", "wants to know the time",
            )
        ),
        *(
            (f"{who} {rest}", Filter.ASSISTANT_FACT)
            for who in ("Assistant", "The assistant", "Character", "The character")
            for rest in ("is kind", "has a cat", "can sing")
        ),
        ("Assistant's name is Nova", Filter.ASSISTANT_FACT),
        ("The character's eyes are green", Filter.ASSISTANT_FACT),
        *(
            (f"User {leak}", Filter.PROMPT_LEAK)
            for leak in (
                "is uncensored", "is unrestricted", "is a helpful guide", "is truthful", "is unbiased",
                "is designed to help", "follows instructions",
            )
        ),
        *(
            (f"User {guess}", Filter.DEMOGRAPHIC_GUESS)
            for guess in ("is male", "is female", "is a man", "is a woman", "is 30 years old")
        ),
        ("User's age is 30", Filter.DEMOGRAPHIC_GUESS),
        ("User's ethnicity is Asian", Filter.DEMOGRAPHIC_GUESS),
        ("User's race is white", Filter.DEMOGRAPHIC_GUESS),
        ("User's favorite color is unknown", Filter.UNKNOWN),
        ("User's job was not mentioned", Filter.UNKNOWN),
        ("The weather is nice", Filter.NOT_ABOUT_USER),
        ("Sarah lives in Seattle", Filter.NOT_ABOUT_USER),
    ],
)  # fmt: skip
def test_each_filter_catches_its_patterns(content: str, why: Filter) -> None:
    """F4."""
    refusal = refusal_of(tidied(fact(content)), source("I had a long day at the lake."))

    assert refusal is not None
    assert refusal.filter is why


# ── common hallucinations ────────────────────────────────────────────────────────────────────────


async def test_greeting_confusion() -> None:
    """ "Hello Nova!" does not say how the user is called."""
    found = await learnt("Hello Nova!", item("User's name is Nova"))

    assert found.candidates == ()
    refusal = refusal_of(fact("User's name is Nova"), source("Hello Nova!"))
    assert refusal is not None
    assert refusal.filter is Filter.ASSISTANT_FACT


async def test_a_greeting_beside_a_statement_does_not_name_the_user_either() -> None:
    found = await learnt("Hello Nova! I had a long day.", item("User's name is Nova"))

    assert "User's name is Nova" not in contents(found)
    assert [each.filter for each in found.refused] == [Filter.ASSISTANT_FACT]


async def test_invented_interests() -> None:
    """ "Hi!" makes nobody friendly."""
    found = await learnt("Hi!", item("User seems friendly"))

    assert found.candidates == ()


async def test_assistant_facts() -> None:
    """What the assistant loves is not what the user loves (F1)."""
    before = (EarlierMessage(is_user=False, name="Nova", content="I love helping with coding!"),)

    found = await learnt("That is good to hear.", item("User loves coding", "preference"), before=before)

    assert "User loves coding" not in contents(found)
    assert [each.filter for each in found.refused] == [Filter.UNGROUNDED]


async def test_unknown_information() -> None:
    """The user asks for a favourite that nobody knows."""
    before = (EarlierMessage(is_user=False, name="Nova", content="I don't know yet!"),)
    asked = "What's my favorite color?"

    found = await learnt(asked, item("User's favorite color is unknown"), before=before)

    assert found.candidates == ()
    refusal = refusal_of(fact("User's favorite color is unknown"), source(asked))
    assert refusal is not None
    assert refusal.filter is Filter.UNKNOWN


# ── categories ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "content", "category"),
    [
        ("My name is Sarah.", "User's name is Sarah", Category.PERSONAL_INFO),
        ("I live in Seattle.", "User lives in Seattle", Category.PERSONAL_INFO),
        ("I work as a software engineer.", "User works as a software engineer", Category.PERSONAL_INFO),
        ("I have a cat named Whiskers.", "User has a cat named Whiskers", Category.PERSONAL_INFO),
        ("I enjoy hiking on weekends.", "User enjoys hiking on weekends", Category.PREFERENCE),
        ("I prefer tea over coffee.", "User prefers tea over coffee", Category.PREFERENCE),
        ("I love sci-fi novels.", "User loves sci-fi novels", Category.PREFERENCE),
        ("I really dislike spicy food.", "User dislikes spicy food", Category.PREFERENCE),
        ("I visited Japan in 2023.", "User visited Japan in 2023", Category.EXPERIENCE),
        ("I graduated from MIT.", "User graduated from MIT", Category.EXPERIENCE),
        ("I broke my arm skiing.", "User broke their arm skiing", Category.EXPERIENCE),
        ("I used to live in New York.", "User used to live in New York", Category.EXPERIENCE),
        ("I have a younger sister named Emma.", "User has a younger sister named Emma", Category.RELATIONSHIP),
        ("I'm married to Alex.", "User is married to Alex", Category.RELATIONSHIP),
        ("My best friend is moving to Canada.", "User's best friend is moving to Canada", Category.RELATIONSHIP),
        ("I mentor junior developers at work.", "User mentors junior developers at work", Category.RELATIONSHIP),
        ("I want to learn Spanish.", "User wants to learn Spanish", Category.GOAL),
        ("I'm training for a marathon.", "User is training for a marathon", Category.GOAL),
        ("I plan to start a blog.", "User plans to start a blog", Category.GOAL),
        ("I hope to visit Iceland someday.", "User hopes to visit Iceland someday", Category.GOAL),
        ("I speak fluent French.", "User speaks fluent French", Category.SKILL),
        ("I'm skilled at photography.", "User is skilled at photography", Category.SKILL),
        ("I can play piano.", "User can play piano", Category.SKILL),
        ("I'm learning Python.", "User is learning Python programming", Category.SKILL),
    ],
)
async def test_each_category_has_its_facts(message: str, content: str, category: Category) -> None:
    """F2: whether the rules or the model found it first, it is learnt, and nothing is refused."""
    found = await believed(message, item(content, category.value))

    assert found.candidates
    assert found.refused == ()
    assert len(found.candidates) <= 2, "no more than was said"


def test_there_are_six_categories_and_no_seventh() -> None:
    """F2."""
    known = read_facts(json_in(answer(*(item("User likes tea", each.value) for each in Category))))
    other = read_facts(json_in(answer(item("User likes tea", "hobby"))))

    assert known is not None
    assert [each.category for each in known if isinstance(each, Candidate)] == list(Category)
    assert len(Category) == 6
    assert other is not None
    assert not isinstance(other[0], Candidate)
    assert other[0].filter is Filter.BAD_SHAPE


# ── confidence ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "content", "given", "kept"),
    [
        ("I collect antique clocks from Vienna", "User collects antique clocks from Vienna", 0.95, 0.95),
        ("I taught my third-grade class about volcanoes", "User is a teacher", 0.85, 0.85),
        ("I taught my third-grade class about volcanoes", "User is a teacher", 0.95, 0.85),
        ("I've been coding for 10 years", "User is experienced in programming", 0.75, 0.75),
    ],
)
async def test_confidence_says_how_it_was_said(message: str, content: str, given: float, kept: float) -> None:
    """F2: explicit, clearly implied, a reasonable inference; and never more than the message bears."""
    found = await believed(message, item(content, "skill", given, quote=message))

    assert [each.confidence for each in found.candidates if each.content == content] == [kept]
    assert found.refused == ()


async def test_below_the_least_confidence_nothing_is_extracted() -> None:
    """F2."""
    found = await believed("I've been coding for 10 years", item("User is experienced in programming", "skill", 0.65))

    assert "User is experienced in programming" not in contents(found)
    assert [each.filter for each in found.refused] == [Filter.LOW_CONFIDENCE]


async def test_an_interest_in_what_was_only_asked_about_is_not_a_fact() -> None:
    """F3: questions hold no facts about who asks."""
    found = await learnt(
        "How does gradient descent work in machine learning?",
        item("User is interested in machine learning", "preference", 0.8),
    )

    assert found.candidates == ()


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("missing", ["content", "category", "confidence", "reasoning"])
def test_all_four_fields_must_be_present(missing: str) -> None:
    partial = {key: value for key, value in item("User likes tea").items() if key != missing}

    found = read_facts(json_in(answer(partial)))

    assert found is not None
    assert not isinstance(found[0], Candidate)
    assert found[0].filter is Filter.BAD_SHAPE


def test_an_empty_array_says_that_there_are_no_facts() -> None:
    assert read_facts(json_in("[]")) == []
    assert read_facts(json_in('{"facts": []}')) == []


@pytest.mark.parametrize(
    "invalid", ["Sorry, I can't extract facts from this.", "There are no facts: []", "[] is my answer", "", "[{]"]
)
def test_text_around_the_json_makes_it_invalid(invalid: str) -> None:
    assert read_facts(json_in(invalid)) is None


def test_a_code_fence_is_taken_off() -> None:
    assert read_facts(json_in("```json\n[]\n```")) == []


# ── whose messages ───────────────────────────────────────────────────────────────────────────────


async def test_the_assistants_words_are_never_evidence() -> None:
    """F1."""
    before = (
        EarlierMessage(is_user=False, name="Nova", content="You live in Seattle and you have a dog named Rex, right?"),
    )

    found = await learnt(
        "I had a long day.", item("User lives in Seattle"), item("User has a dog named Rex"), before=before
    )

    assert not {"User lives in Seattle", "User has a dog named Rex"} & contents(found)
    assert [each.filter for each in found.refused] == [Filter.UNGROUNDED] * 2
