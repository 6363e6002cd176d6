"""Who and what is named in messages, found without a model."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.campaign.entities.matching import KnownEntity
from everlore.campaign.entities.names import Sighting, SpokenMessage, sightings
from everlore.domain.campaign import EntityKind


def seen(*texts: str, known: tuple[KnownEntity, ...] = (), speaker: str = "GM") -> tuple[Sighting, ...]:
    return sightings([SpokenMessage(str(at), speaker, text) for at, text in enumerate(texts)], known)


def names(*texts: str) -> set[str]:
    return {each.name for each in seen(*texts)}


def one(found: tuple[Sighting, ...], name: str) -> Sighting:
    return next(each for each in found if each.name == name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("At the gate Ilkara waits for you.", "Ilkara"),
        ("Somebody stole the Lantern of Oum.", "Lantern of Oum"),
        ("You owe Captain Ysolde Marr a ship.", "Captain Ysolde Marr"),
        ("They fear the Grey Warden.", "Grey Warden"),
        ("Ask Old Tam about it.", "Old Tam"),
        ("We ride to Karth Keep tonight.", "Karth Keep"),
        ("She was sold to the Ashen Hand.", "Ashen Hand"),
        ("He carries the seal of House Verrault.", "House Verrault"),
        ("We met Piet van der Meer there.", "Piet van der Meer"),
        ("The key is with Dr. Anwen Locke.", "Dr. Anwen Locke"),
        ("I saw [[the tin fox]] again", "the tin fox"),
        ("They are in the pay of Tolliver & Sons.", "Tolliver & Sons"),
        ("You wake up beside Unit-12.", "Unit-12"),
        ("We sleep at @the Old Mill tonight.", "Old Mill"),
        ("ask @Ilkara Voss Are we late?", "Ilkara Voss"),
    ],
)
def test_names_are_found_in_running_text(text: str, name: str) -> None:
    """G4: names, titles, epithets, places, factions and links, without a model."""
    assert name in names(text)


@pytest.mark.parametrize(
    "texts",
    [
        ("Rain falls. Somebody coughs. Nothing happens.",),
        ("See you on Monday, or in November.",),
        ("Roll Perception. That is a Dexterity save, DC 14.",),
        ("NOBODY MOVES! RUN!",),
        ("Okay. Meanwhile, back at home. Suddenly a noise.",),
        ("He speaks Elvish and a little Latin.",),
        ("I'll watch it on Netflix.",),
        ("The Tower shakes.", "You run to the tower, and the tower falls."),
        ("Don't. Can't you see? I'm here.",),
        ("Didnt see that. Thats odd. Tuesdays are best.",),
        ("It is Late September. I rolled a Twenty-six, and she a Seventeen.",),
        ("Then Noooo! And then Pfft. Well, Brrr.",),
        ("I drink a Healing Potion and draw my Longsword. Then Thieves' Tools.",),
        ("@the and @everyone and @here",),
        ("I cast Guiding Bolt. Hm. Tsk.",),
        ("`Class Name` and https://Example.Org/Some/Path",),
        ("Focus roll, Strain 1.", "Swim 5, Luck 4, Courage 1"),
        ("Moss-green, and wet. Snow-white, too.",),
        ("Captain of the watch of Mills. Tall and grey.",),
    ],
)
def test_a_capital_letter_alone_is_no_name(texts: tuple[str, ...]) -> None:
    """G4: words that begin sentences, days, terms of the game, languages and brands are none."""
    assert names(*texts) == set()


def test_who_speaks_is_no_find() -> None:
    """G4: those at the table are known by their talk."""
    found = sightings(
        [SpokenMessage("1", "Annika", "I hit it."), SpokenMessage("2", "GM", "Well, Annika, you hit Grothmar.")]
    )

    assert [each.name for each in found] == ["Grothmar"]


def test_several_forms_of_one_thing_are_one_candidate() -> None:
    """G4: an entity has aliases."""
    found = seen(
        "The ship belongs to Captain Ysolde Marr.",
        "Ysolde spits. Everybody looks at Captain Marr.",
        "so marr shoots first",
        "I nod at Yslode.",
        "The Captain nods back.",
    )

    assert len(found) == 1
    assert found[0].name == "Captain Ysolde Marr"
    assert {"Ysolde", "Captain Marr", "Yslode"} <= set(found[0].aliases)
    assert found[0].messages == ("0", "1", "2", "3", "4")
    assert found[0].evidence == "The ship belongs to Captain Ysolde Marr."
    assert found[0].evidence_id == "0"


def test_what_two_share_is_given_to_neither() -> None:
    """G4: a surname of two is nobody's alias."""
    found = seen("Ilka Marr greets Tobin Marr.", "Then Marr falls over.", "Poor Marr.")

    assert all("Marr" not in each.aliases for each in found)


@pytest.mark.parametrize(
    ("texts", "name", "kind"),
    [
        (("Sister Ovane prays.",), "Sister Ovane", EntityKind.NPC),
        (('"No," says Ilkara, and Ilkara grins.',), "Ilkara", EntityKind.NPC),
        (("We live in Sarneth.", "The road to Sarneth is long."), "Sarneth", EntityKind.LOCATION),
        (("They meet at the Gilded Heron Inn.",), "Gilded Heron Inn", EntityKind.LOCATION),
        (("She draws the Blade of Sighs.",), "Blade of Sighs", EntityKind.ITEM),
        (("He joined the Ashen Hand.",), "Ashen Hand", EntityKind.FACTION),
        (("House Verrault is rich.", "I trust House Verrault."), "House Verrault", EntityKind.FACTION),
        (("Nobody survived the Siege of Karth.",), "Siege of Karth", EntityKind.EVENT),
        (("Out of the reeds comes the Marsh Wyrm.",), "Marsh Wyrm", EntityKind.CREATURE),
    ],
)
def test_a_kind_is_guessed_from_the_name_and_its_neighbours(
    texts: tuple[str, ...], name: str, kind: EntityKind
) -> None:
    """G4: npc, location, item, faction, creature, event."""
    found = one(seen(*texts), name)

    assert found.kind is kind
    assert 0 < found.kind_confidence < 1


def test_what_is_known_is_recognised_and_not_found_anew() -> None:
    """G4: a sighting says which known entity it is, and how sure that is."""
    known = (
        KnownEntity("ysolde", "Captain Ysolde Marr", ("the Gull",), EntityKind.NPC),
        KnownEntity("library", "Orne Library", (), EntityKind.LOCATION),
    )

    found = seen("The Gull waits in the library.", "Yslode Marr burns it with Tobrin.", known=known)

    assert [(each.name, each.match.id if each.match else None) for each in found] == [
        ("Captain Ysolde Marr", "ysolde"),
        ("Orne Library", "library"),
        ("Tobrin", None),
    ]
    assert found[0].is_known
    assert found[0].messages == ("0", "1")
    assert "Yslode Marr" in found[0].aliases


def test_what_may_be_known_is_suggested() -> None:
    """G4: a suggested match waits for the game master."""
    keep = KnownEntity("keep", "Orneval Keep", (), EntityKind.LOCATION)

    found = one(seen("Everybody in Orneval fears Orneval.", known=(keep,)), "Orneval")

    assert found.match is not None
    assert found.match.id == "keep"
    assert not found.is_known


def test_a_link_is_certain() -> None:
    """G5: what a writer links is meant."""
    found = seen("we should ask [[brindle]] and @Marsali")

    assert {(each.name, each.confidence) for each in found} == {("brindle", 1.0), ("Marsali", 1.0)}


def test_a_name_seen_more_often_is_surer() -> None:
    """G4: evidence from several messages."""
    once = one(seen("Grothmar waits."), "Grothmar")
    often = one(seen("Grothmar waits.", "You see Grothmar.", "Then Grothmar leaves."), "Grothmar")

    assert once.confidence < often.confidence


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=200), max_size=6))
def test_any_text_can_be_read(texts: list[str]) -> None:
    """G4: text from outside is data, whatever it is."""
    for each in seen(*texts, known=(KnownEntity("1", "Ysolde", ("", "…"), None),)):
        assert 0 <= each.confidence <= 1
        assert set(each.messages) <= {str(at) for at in range(len(texts))}
        assert each.evidence_id in each.messages


def test_whoever_sits_at_the_table_is_no_find() -> None:
    """G4: a player who said nothing is named by the others."""
    talk = [SpokenMessage("1", "GM", "The ferry leaves without Marisella, who had to work. Ask Ilkara why.")]

    assert {each.name for each in sightings(talk, players=("Marisella",))} == {"Ilkara"}


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (("It's Ilkara's blood.",), "Ilkara"),
        (("She's of the Zumri, the river people.",), "Zumri"),
        (("Paid Brana sixty crowns.", "They hand it to Brana."), "Brana"),
    ],
)
def test_the_word_that_begins_a_sentence_is_no_part_of_a_name(texts: tuple[str, ...], name: str) -> None:
    """G4."""
    assert names(*texts) == {name}


def test_a_name_that_one_player_said_once_is_none_where_somebody_narrates() -> None:
    """G4: a town on a holiday, a pizza. What the narrator says once is a name."""
    talk = [
        SpokenMessage("1", "GM", "The ferry to Karthollow waits."),
        SpokenMessage("2", "Priya", "next week I'm at a wedding in Lisbon"),
        SpokenMessage("3", "Marit", "We look for Odvar."),
        SpokenMessage("4", "Priya", "Yes, where is Odvar?"),
        SpokenMessage("5", "Priya", "I ask about [[Lisbeth Moor]]."),
    ]

    assert {each.name for each in sightings(talk, narrators={"GM"})} == {"Karthollow", "Odvar", "Lisbeth Moor"}
    assert "Lisbon" in {each.name for each in sightings(talk)}
