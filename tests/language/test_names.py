"""Names are shortened only where nobody is misnamed by it (P5)."""

import pytest

from everlore.language.names import first_name, split_name


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Anna Berg", "Anna"),
        ("Mira van der Berg", "Mira"),
        ("Marlow the Old", "Marlow"),
        ("Nova", "Nova"),
        ("  Anna\n Berg ", "Anna"),
        ("Olde Ann", "Olde"),
        ("", ""),
    ],
)
def test_a_plain_name_is_called_by_its_first_word(name: str, called: str) -> None:
    """P5."""
    assert first_name(name) == called


@pytest.mark.parametrize(
    "name",
    ["Old Marlow", "The Captain", "Dame Orsolya", "Dr. Mira Vale", "St. Clair", "Uncle Ben", "THE VOICE"],
)
def test_a_name_with_a_title_is_never_cut(name: str) -> None:
    """P5."""
    assert split_name(name) == (name, "")
