"""Whether two statements of a campaign contradict each other, or say the same, by what they claim (G7). Pure."""

import pytest

from everlore.campaign.canon.comparing import contradiction_of, is_same_statement, statement_of
from everlore.domain.claim import Claim, Slot

NAMES = {"Captain Vane": "Captain Vane", "the Gull": "Captain Vane", "Orne": "Orne"}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Reth lives in Orne.", "Reth lives in Tarn.", "home of Reth: Orne or Tarn"),
        ("Captain Vane lives in Orne.", "The Gull lives in Vell.", "home of Captain Vane: Orne or Vell"),
        ("Pell has two sons.", "Pell has five sons.", "sons of Pell: two or five"),
        ("Reth can swim.", "Reth cannot swim.", "one says what the other denies of Reth"),
        (
            "Captain Vane is sixty.",
            "Captain Vane is twenty-four years old.",
            "age of Captain Vane: sixty or twenty-four",
        ),
    ],
)
def test_another_value_of_the_same_subject_and_slot_contradicts(old: str, new: str, reason: str) -> None:
    """G7."""
    found = contradiction_of(statement_of(old, NAMES), statement_of(new, NAMES))

    assert found is not None
    assert found.reason == reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Reth lives in Orne.", "Ama lives in Tarn."),
        ("Reth lives in Orne.", "Reth moved to Tarn."),
        ("Reth used to live in Orne.", "Reth lives in Tarn."),
        ("Reth lives in Orne.", "Reth's sister lives in Tarn."),
        ("Reth lives in Orne.", "They say that Reth lives in Tarn."),
        ("Reth lives in Orne.", "Does Reth live in Tarn?"),
        ("Reth lives in Orne.", "Reth is a smith."),
        ("Reth is a smith.", "Reth is a father."),
        ("Pell has two sons.", "Pell has three daughters."),
        ("Reth cannot swim.", "Ama swims well."),
        ("The gate of Vell is open.", "The gate of Vell is locked."),
    ],
)
def test_what_can_be_true_beside_the_other_or_is_not_understood_contradicts_nothing(old: str, new: str) -> None:
    """G7: to hold back what is true is the worse error."""
    assert contradiction_of(statement_of(old, NAMES), statement_of(new, NAMES)) is None


def test_what_the_maker_of_a_statement_claimed_counts_where_its_words_are_not_understood() -> None:
    """G7: a model that read it knows what it says."""
    old = statement_of("The widow dwells by the quay.", {}, Claim(subject="Imre", slot=Slot.HOME, value="Orne"))
    new = statement_of("She keeps house in Vell.", {}, Claim(subject="Imre", slot=Slot.HOME, value="Vell"))

    assert contradiction_of(old, new) is not None


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("The bell is made of bronze.", "Bell made of bronze!", True),
        ("Reth lives in Orne.", "Reth resides in Orne.", True),
        ("The Gull owes Pia a favour.", "Captain Vane owes Pia a favour", True),
        ("The bell is made of bronze.", "The bell is not made of bronze.", False),
        ("Ama killed Odo.", "Odo killed Ama.", False),
        ("The vault holds 3 crowns.", "The vault holds 7 crowns.", False),
    ],
)
def test_two_statements_are_the_same_in_the_same_words_or_with_the_same_claim(
    one: str, other: str, is_same: bool
) -> None:
    """G7."""
    assert is_same_statement(statement_of(one, NAMES), statement_of(other, NAMES)) is is_same
