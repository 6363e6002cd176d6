"""Which known entities a text mentions, and where."""

import random
import time

import pytest

from everlore.campaign.entities.matching import SURE, KnownEntity
from everlore.campaign.entities.mentions import MentionIndex
from everlore.domain.campaign import EntityKind

INDEX = MentionIndex(
    (
        KnownEntity("ysolde", "Captain Ysolde Marr", (), EntityKind.NPC),
        KnownEntity("tam", "Old Tam", ("Tammet",), EntityKind.NPC),
        KnownEntity("rook", "Rook", (), EntityKind.NPC),
        KnownEntity("library", "Orne Library", (), EntityKind.LOCATION),
        KnownEntity("lantern", "the Lantern of Oum", (), EntityKind.ITEM),
        KnownEntity("hand", "the Ashen Hand", ("the Ashlings",), EntityKind.FACTION),
        KnownEntity("grask", "grask", (), EntityKind.CREATURE),
    )
)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("@ysolde, are you there?", ["ysolde"]),
        ("@CaptainMarr and @old_tam ride.", ["ysolde", "tam"]),
        ("See [[Orne Library|that place]] and [[Lantern of Oum#History]].", ["library", "lantern"]),
        ("We met @[Captain Ysolde Marr] there.", ["ysolde"]),
        ("@Captain Ysolde Marr Are you there?", ["ysolde"]),
        ("We hid it in @the Lantern of Oum, and @everyone saw.", ["lantern"]),
        ("It was Captain Marr's ship.", ["ysolde"]),
        ("ysolde’s hat", ["ysolde"]),
        ("YSOLDE! Where is Tammet?", ["ysolde", "tam"]),
        ("Three grasks came out of the reeds.", ["grask"]),
        ("The Ashlings burned the library.", ["hand", "library"]),
        ("Yslode went to the Orne Libary.", ["ysolde", "library"]),
        ("a rook sat on the wall, and Rook laughed", ["rook"]),
        ("The Hand has the Lantern.", ["hand", "lantern"]),
        ("She took his hand and lit a lantern in a library.", []),
        ("An e-mail to somebody@ysolde.example says nothing.", ["ysolde"]),
        ("", []),
    ],
)
def test_a_name_is_met_in_all_the_ways_it_is_written(text: str, ids: list[str]) -> None:
    """G5: @mentions and names in any text link it with the entity."""
    assert [each.id for each in INDEX.find(text)] == ids


def test_a_mention_says_where_it_stands() -> None:
    """G5: for links and previews."""
    text = "Then @ysolde's men, Captain Marr's best, took the Lantern of Oum."

    found = INDEX.find(text)

    assert [text[each.start : each.end] for each in found] == ["@ysolde", "Captain Marr", "Lantern of Oum"]
    assert all(each.text == text[each.start : each.end] for each in found)
    assert found[0].confidence == 1.0
    assert all(0 < each.confidence <= 1 and each.reason for each in found)


def test_a_short_form_that_two_share_mentions_neither() -> None:
    """G5: unambiguous short forms only."""
    index = MentionIndex(
        (KnownEntity("1", "Ysolde Marr", (), EntityKind.NPC), KnownEntity("2", "Bram Marr", (), EntityKind.NPC))
    )

    assert [each.id for each in index.find("Marr said that Bram left.")] == ["2"]


def test_twenty_times_the_entities_take_hardly_longer_for_a_message() -> None:
    """G5: an index is built once, and a message costs what its words cost."""
    chance = random.Random(7)
    parts = "ka ri to mel dun or vel sha bren ost il ma ra qua the lon gar wy fen dor".split()

    def word() -> str:
        return "".join(chance.choice(parts) for _ in range(chance.randint(2, 4))).title()

    known = [KnownEntity(str(at), f"{word()} {word()}", (), EntityKind.NPC) for at in range(2_000)]
    plain = "the party walked along an old road until evening fell and somebody lit a fire while rain came down".split()
    texts = [
        " ".join([*chance.choices(plain, k=60), chance.choice(known[:100]).name, *chance.choices(plain, k=30)])
        for _ in range(200)
    ]

    def seconds(index: MentionIndex) -> float:
        began = time.process_time()
        assert all(index.find(text) for text in texts)
        return time.process_time() - began

    few, many = MentionIndex(known[:100]), MentionIndex(known)
    # Twenty times the names.
    assert min(seconds(many) / seconds(few) for _ in range(3)) < 5


def test_a_name_with_an_owner_in_it_is_found_as_it_is_written() -> None:
    """G5."""
    index = MentionIndex([KnownEntity("mill", "Harl's Mill", (), EntityKind.LOCATION)])

    (found,) = index.find("You come up on Harl's Mill at dusk.")
    assert (found.text, found.confidence) == ("Harl's Mill", 1.0)


def test_a_spelling_close_to_one_name_is_listed_but_is_not_certain() -> None:
    """G5: it may be a name of its own."""
    index = MentionIndex([KnownEntity("hadra", "Hadra", (), EntityKind.NPC)])

    (found,) = index.find("Hedra says one word.")
    assert found.confidence < SURE
    assert index.find("Hedra says one word.", least=SURE) == []


def test_a_name_with_digits_in_a_word_is_found() -> None:
    """G5, G9: a hidden name must not slip through because of its letters."""
    index = MentionIndex([KnownEntity("1", "Qz46x Vane"), KnownEntity("2", "R2-D2"), KnownEntity("3", "Gate 7")])

    assert [each.id for each in index.find("so qz46x vane's ship, R2-D2 and Gate 7")] == ["1", "2", "3"]
