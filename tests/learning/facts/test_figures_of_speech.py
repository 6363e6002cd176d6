"""What a rule found in a figure of speech waits for a person (F5)."""

from datetime import UTC, datetime

import pytest

from everlore.learning.candidate import Source
from everlore.learning.facts.flow import facts_in


@pytest.mark.parametrize("figure", ["I swim every morning like a fish", "I get called every night"])
async def test_it_waits_beside_what_is_kept(figure: str) -> None:
    found = await facts_in(Source(content=f"I live in Leeds. {figure}.", at=datetime(2026, 11, 18, tzinfo=UTC)), None)

    assert [each.content for each in found.candidates] == ["User lives in Leeds"]
    assert [each.doubt for each in found.doubted] == ["it may be a figure of speech, or true of one day only"]


async def test_a_feeling_is_no_figure_of_speech() -> None:
    at = datetime(2026, 11, 18, tzinfo=UTC)
    found = await facts_in(Source(content="I like a good book.", at=at), None)

    assert [each.content for each in found.candidates] == ["User likes a good book"]
