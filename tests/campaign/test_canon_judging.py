"""What becomes of a statement beside what holds, and of a telling that says what fell (G7). Pure."""

import pytest

from everlore.campaign.canon.judging import told_without

FALLEN = "The Drowned Bell is made of bronze."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The tide was out. The Drowned Bell is made of bronze. Ilka wept.", "The tide was out. Ilka wept."),
        ("The Drowned Bell was made of bronze!", ""),
        ("The tide was out.\n\nThe Drowned Bell is made of bronze.", "The tide was out."),
        ("The tide was out.\n\nThe Drowned Bell is made of glass.", None),
        ("The Drowned Bell is not made of bronze.", None),
        ("The Drowned Bell is made of bronze, and Ilka rang it at dawn.", None),
        ("The Sunken Bell is made of bronze.", None),
        ("", None),
    ],
)
def test_a_telling_loses_the_sentences_that_say_what_fell_and_no_others(text: str, left: str | None) -> None:
    """G7: None: it stays as it is, to the letter."""
    assert told_without(text, [FALLEN]) == (text if left is None else left)
    assert told_without(text, []) == text
