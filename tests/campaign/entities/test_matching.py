"""Whether a name means somebody who is known."""

import pytest

from everlore.campaign.entities.matching import SURE, Directory, KnownEntity, is_sure, match, matches
from everlore.domain.campaign import EntityKind

YSOLDE = KnownEntity("ysolde", "Captain Ysolde Marr", (), EntityKind.NPC)
LIBRARY = KnownEntity("library", "Orne Library", (), EntityKind.LOCATION)
LANTERN = KnownEntity("lantern", "the Lantern of Oum", (), EntityKind.ITEM)
HAND = KnownEntity("hand", "the Ashen Hand", ("the Ashlings",), EntityKind.FACTION)
VERRAULT = KnownEntity("verrault", "House Verrault", (), EntityKind.FACTION)
ALL = Directory((YSOLDE, LIBRARY, LANTERN, HAND, VERRAULT))


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("captain ysolde marr", "ysolde"),
        ("Ysoldé", "ysolde"),
        ("Captain Marr", "ysolde"),
        ("Capt. Marr", "ysolde"),
        ("Miss Marr", "ysolde"),
        ("Ysolde Marr", "ysolde"),
        ("the Captain", "ysolde"),
        ("the library", "library"),
        ("The Orne Library", "library"),
        ("the Lantern", "lantern"),
        ("lantern of oum", "lantern"),
        ("the Hand", "hand"),
        ("The Ashlings", "hand"),
        ("house verrault", "verrault"),
    ],
)
def test_case_accents_articles_titles_and_parts_of_a_name_do_not_matter(name: str, id: str) -> None:
    """G4: matching to known ones, with a confidence and a reason in words."""
    found = match(name, ALL)

    assert found is not None
    assert found.id == id
    assert is_sure(found)
    assert found.reason


@pytest.mark.parametrize(
    "name",
    ["Yslode", "Ysoldde Marr", "Captain Ysodle", "Orne Libary", "Ysolde Mirren", "Lantern of Oumarr", "Verraullt"],
)
def test_a_slip_of_the_pen_is_forgiven(name: str) -> None:
    """G4: by edit distance."""
    found = matches(
        name,
        Directory(
            (
                YSOLDE,
                LIBRARY,
                KnownEntity("m", "Ysolde Marren"),
                KnownEntity("o", "Lantern of Oumar"),
                KnownEntity("v", "Verrault"),
            )
        ),
    )

    assert found
    assert found[0].confidence >= SURE
    assert "differently" in found[0].reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Darla", "Carla"),
        ("Mira", "Mara"),
        ("Mario", "Maria"),
        ("Julian", "Juliana"),
        ("Captain Varn", "Captain Tarn"),
        ("King Edmar", "Prince Edmar"),
        ("Lord Harrow", "Lady Harrow"),
        ("Brother Ansel", "Sister Ansel"),
        ("North Gate", "South Gate"),
        ("Black Gate", "Black Gale"),
        ("Karth", "Karth Keep"),
        ("Marr", "House Marr"),
        ("Oum", "the Lantern of Oum"),
        ("Ysolde Marr", "Ysolde Finch"),
        ("Ysolde Marr", "Bram Marr"),
        ("Edmar II", "Edmar III"),
        ("Tam the Elder", "Tam the Younger"),
        ("Mount Karth", "Lake Karth"),
        ("Silverdale", "Silvervale"),
        ("Blackgate", "Blockgate"),
        ("Torin", "Toren"),
        ("Torin Vell", "Toren Vell"),
        ("Marian", "Maria"),
        ("Ashbridge", "Ambridge"),
        ("the Falcon", "the Falcon Guard"),
        ("the Candle", "the Candle Thief"),
        ("Sarneth", "the Sarneth affair"),
    ],
)
def test_two_names_that_look_alike_stay_two(one: str, other: str) -> None:
    """G4: distinct names are not merged, whichever of them was known first."""
    for seen, known in ((one, other), (other, one)):
        assert not is_sure(match(seen, Directory((KnownEntity("known", known),))))


def test_a_part_of_a_name_means_nobody_when_two_have_it() -> None:
    """G4: "the library" is Orne Library while it is the only one."""
    two = Directory((LIBRARY, KnownEntity("other", "Vell Library", (), EntityKind.LOCATION)))

    assert match("the library", two) is None
    assert {each.id for each in matches("the library", two)} == {"library", "other"}


def test_a_name_that_is_known_is_no_misspelling_of_another() -> None:
    """G4: Orsoline and Orsolino are both known, so neither is a slip for the other."""
    both = Directory((KnownEntity("1", "Orsoline Tarrow"), KnownEntity("2", "Orsolino Vey")))

    found = match("Orsolino", both)

    assert found is not None
    assert found.id == "2"


@pytest.mark.parametrize("name", ["", "   ", "…", "the", "\x00", "𝕐" * 5000, "-", "'s"])
def test_what_is_no_name_matches_nothing_and_never_raises(name: str) -> None:
    """G4: text from outside is data."""
    assert match(name, ALL) is None
    Directory((KnownEntity("odd", name),))
