"""How long a memory is worth keeping (M17)."""

import pytest

from everlore.domain.memory import Category, Durability, MemoryType
from everlore.learning.saving.durability import durability_of

GOOD, LONG, WHILE, MOMENT = (
    Durability.IDENTITY,
    Durability.LONG_TERM,
    Durability.SITUATIONAL,
    Durability.EPHEMERAL,
)


@pytest.mark.parametrize(
    ("content", "durability"),
    [
        ("User's name is Sarah", GOOD),
        ("User is 34 years old", GOOD),
        ("User lives in Seattle", GOOD),
        ("User moved to Portland last month", GOOD),
        ("User works as a nurse", GOOD),
        ("User is married to Alex", GOOD),
        ("User has a sister named Emma", GOOD),
        ("User is allergic to peanuts", GOOD),
        ("User is vegetarian", GOOD),
        ("User's sister Emma lives in Oslo", LONG),
        ("User used to live in Rome", LONG),
        ("User is no longer a nurse", LONG),
        ("User quit their job", LONG),
        ("User likes coffee", LONG),
        ("User wants to learn Spanish", LONG),
        ("User broke an arm while skiing", LONG),
        ("User speaks French", LONG),
        ("User plans to move to Oslo next summer", WHILE),
        ("User has an exam next Monday and will be busy studying", LONG),
        ("User is going to see the dentist on Monday", WHILE),
        ("User is currently reading Dune", WHILE),
        ("User is staying with a friend", WHILE),
        ("User is tired", MOMENT),
        ("User is very hungry", MOMENT),
        ("User has a headache", MOMENT),
        ("User is on their way to work", MOMENT),
        ("User feels nervous about the interview today", MOMENT),
    ],
)
def test_user_facts_are_kept_as_long_as_they_are_true(content: str, durability: Durability) -> None:
    """M17."""
    assert durability_of(content, Category.PERSONAL_INFO, MemoryType.FACT) is durability


@pytest.mark.parametrize(
    ("content", "type", "durability"),
    [
        ("Mira is loyal to a fault", MemoryType.PERSONALITY, GOOD),
        ("The dead do not return", MemoryType.CANON_RULING, GOOD),
        ("They crossed the river and lost the map", MemoryType.OUTCOME, WHILE),
        ("Mira is angry with Don", MemoryType.EMOTION, WHILE),
        ("Mira decided to leave the guild tonight", MemoryType.DECISION, LONG),
        ("Mira and Don became friends", MemoryType.RELATIONSHIP, LONG),
    ],
)
def test_memories_of_a_story_are_kept_by_their_type(content: str, type: MemoryType, durability: Durability) -> None:
    """M17: what is decided "tonight" in a story outlasts the night."""
    assert durability_of(content, None, type) is durability


def test_an_endless_text_is_read_only_at_its_beginning() -> None:
    """S-8."""
    assert durability_of("is " * 500_000, Category.PERSONAL_INFO, MemoryType.FACT) is LONG
