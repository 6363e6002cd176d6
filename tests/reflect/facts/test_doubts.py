"""What the rules read and doubt waits with its quote, and is neither lost nor believed (F5, O1)."""

import pytest

from everlore.reflect.facts.flow import facts_in
from tests.reflect.facts.extraction import source


@pytest.mark.parametrize(
    ("message", "content", "doubt"),
    [
        (
            "I wash every spoon twice like a surgeon",
            "User washes every spoon twice like a surgeon",
            "it may be a figure of speech",
        ),
        ("I get shouted at every Monday", "User gets shouted at every Monday", "it may be of one day only"),
    ],
)
async def test_what_is_doubted_waits_with_its_quote(message: str, content: str, doubt: str) -> None:
    found = await facts_in(source(message), None)

    assert found.candidates == ()
    assert [(each.content, each.doubt, each.quote) for each in found.doubted] == [(content, doubt, message)]


async def test_nobody_reads_another_language_by_english_rules() -> None:
    found = await facts_in(source("wij hebben een huis in Gent, en we zijn in mei met de kinderen verhuisd"), None)

    assert found.candidates == ()


async def test_a_plain_statement_beside_it_stands() -> None:
    found = await facts_in(source("I live in Leeds. I wash every spoon twice like a surgeon."), None)

    assert [each.content for each in found.candidates] == ["User lives in Leeds"]
    assert len(found.doubted) == 1


async def test_what_dates_a_statement_is_part_of_its_evidence() -> None:
    found = await facts_in(source("been vegan since I was nine, my aunt said it was a phase"), None)

    assert [each.content for each in found.candidates][:1] == ["User has been vegan since they were nine"]
