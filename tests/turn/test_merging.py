"""One statement is proposed for several memories that are to be merged (M6)."""

import pytest

from everlore.services.memory_merge import join_statements, parse_statement


@pytest.mark.parametrize(
    ("statements", "joined"),
    [
        (["User likes tea.", "User likes rain."], "User likes tea and rain"),
        (["User lives in Porto", "User works as a cook"], "User lives in Porto and works as a cook"),
        (["User likes tea", "User likes green tea", "User likes tea"], "User likes tea and green tea"),
        (["User drinks tea", "In the morning User drinks tea"], "In the morning User drinks tea"),
        (["User likes tea", "User likes teal"], "User likes tea and teal"),
        (["Gerda drinks coffee", "Espresso wakes Gerda"], "Gerda drinks coffee. Espresso wakes Gerda"),
        (["User", "User"], "User"),
    ],
)
def test_statements_are_joined_without_repeating_how_they_begin(statements: list[str], joined: str) -> None:
    assert join_statements(statements) == joined


@pytest.mark.parametrize(
    ("answer", "statement"),
    [
        ('{"statement": "User likes  tea"}', "User likes tea"),
        ('```json\n{"statement": "User likes tea"}\n```', "User likes tea"),
        ('{"statement": " "}', None),
        ('{"statement": 3}', None),
        ("[]", None),
        ("User likes tea", None),
    ],
)
def test_an_answer_that_is_not_what_was_asked_for_is_dropped(answer: str, statement: str | None) -> None:
    assert parse_statement(answer) == statement
