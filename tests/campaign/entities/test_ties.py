"""Relationships, read out of sentences without a model."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.campaign.entities.matching import KnownEntity
from everlore.campaign.entities.mentions import MentionIndex
from everlore.campaign.entities.ties import ties_in
from everlore.domain.campaign import EntityKind


def told(text: str) -> set[tuple[str, str, str]]:
    return {(each.source, each.type, each.target) for each in ties_in(text)}


@pytest.mark.parametrize(
    ("text", "tie"),
    [
        ("Ilkara is Tamsin's sister.", ("Ilkara", "sister of", "Tamsin")),
        ("Ilkara is the younger sister of Tamsin.", ("Ilkara", "sister of", "Tamsin")),
        ("Tamsin's sister is called Ilkara? No: Tamsin's sister is Ilkara.", ("Ilkara", "sister of", "Tamsin")),
        ("You meet Tamsin's little sister Ilkara.", ("Ilkara", "sister of", "Tamsin")),
        ("Ilkara, Tamsin's sister, waves.", ("Ilkara", "sister of", "Tamsin")),
        ("Ilkara, daughter of Lord Averil, waves.", ("Ilkara", "child of", "Lord Averil")),
        ("Captain Marr serves House Verrault.", ("Captain Marr", "serves", "House Verrault")),
        ("Captain Marr has long served House Verrault.", ("Captain Marr", "serves", "House Verrault")),
        ("The Lantern of Oum lies in Karth Keep.", ("Lantern of Oum", "located in", "Karth Keep")),
        ("Karth Keep is on the Isle of Gulls.", ("Karth Keep", "located in", "Isle of Gulls")),
        ("Tamsin was killed by the Grey Warden.", ("Grey Warden", "killed", "Tamsin")),
        ("The Ashen Hand is led by a smith named Orrin.", ("Orrin", "leads", "Ashen Hand")),
        ("The Gilded Heron belongs to Orrin.", ("Orrin", "owns", "Gilded Heron")),
        ("Orrin belongs to the Ashen Hand.", ("Orrin", "member of", "Ashen Hand")),
        ("Orrin and Tamsin are old friends.", ("Orrin", "friend of", "Tamsin")),
        ("Orrin employs Tamsin.", ("Tamsin", "works for", "Orrin")),
        ('"I serve Lord Averil," says Tamsin.', ("Tamsin", "serves", "Lord Averil")),
        ('"My brother Orrin is late," Tamsin says.', ("Orrin", "brother of", "Tamsin")),
        ("Orrin works for Tamsin, who owns the Gilded Heron.", ("Tamsin", "owns", "Gilded Heron")),
        ("Orrin rules Sarneth and he is married to Tamsin.", ("Orrin", "married to", "Tamsin")),
        ("Nobody says it aloud, but Orrin loves Tamsin.", ("Orrin", "loves", "Tamsin")),
        ("Orrin lives in Sarneth.", ("Orrin", "lives in", "Sarneth")),
        ("Orrin, the old smith, hates Tamsin.", ("Orrin", "enemy of", "Tamsin")),
        ("Orrin the smith made Morrowbite.", ("Orrin", "made", "Morrowbite")),
        ("Tamsin's sisters are Bram and Odette.", ("Odette", "sister of", "Tamsin")),
        ("Orrin, who fears Tamsin, serves Lord Averil.", ("Orrin", "serves", "Lord Averil")),
        ("Orrin's been hunting the Marsh Wyrm.", ("Orrin", "hunts", "Marsh Wyrm")),
        ("Orrin sold the map. He betrayed Tamsin.", ("Orrin", "betrayed", "Tamsin")),
        ("Orrin is the father of Bram and Odette.", ("Orrin", "parent of", "Odette")),
    ],
)
def test_a_relationship_is_read_with_its_type_and_direction(text: str, tie: tuple[str, str, str]) -> None:
    """G6: relationships are extracted with type and direction."""
    assert tie in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "Is Ilkara Tamsin's sister?",
        "Ilkara isn't Tamsin's sister.",
        "Ilkara is not the sister of Tamsin.",
        "Captain Marr never served House Verrault.",
        "Captain Marr no longer serves House Verrault.",
        "If Captain Marr serves House Verrault, we are lost.",
        "Maybe Captain Marr serves House Verrault.",
        "Captain Marr would serve House Verrault for gold.",
        "Orrin lied: Ilkara is Tamsin's sister.",
        "Orrin claims that Captain Marr serves House Verrault.",
        "They say the Lantern of Oum lies in Karth Keep.",
        "Orrin almost killed Tamsin.",
        "Orrin wants to kill Tamsin.",
        "Orrin will marry Tamsin.",
        "In the song Orrin killed Tamsin.",
        "Orrin dreamt that Captain Marr betrayed Tamsin.",
        "Orrin used to work for Tamsin.",
        "Orrin thinks Tamsin serves Lord Averil.",
        "Orrin pretends that he is Tamsin's brother.",
        "Orrin is in Sarneth tonight.",
        "Orrin looks at Tamsin and Ilkara.",
        "Orrin is Orrin's brother.",
        "Tamsin's dog bit Orrin.",
        "Nobody serves House Verrault.",
        "so does Tamsin serve Lord Averil",
        "is Ilkara the sister of Tamsin or what",
        "Orrin says that Tamsin killed Lord Averil. That's a lie.",
        "Ilkara is Tamsin's sister. Just kidding.",
        "Orrin is like a brother to Tamsin.",
        "Orrin leads Tamsin to the door.",
        "Orrin made Tamsin laugh.",
        "Orrin killed Tamsin's dog.",
        "Orrin stands in Karth Keep.",
        "Orrin rides with Tamsin.",
        "Everyone says Orrin killed Tamsin.",
        "Tell them Orrin killed Tamsin.",
        "According to the priest, Orrin serves Tamsin.",
        "Orrin is no friend of Tamsin.",
        "Orrin is supposed to be the brother of Tamsin.",
        "Unless Orrin serves Tamsin, we go.",
        "It isn't true that Orrin serves Tamsin.",
    ],
)
def test_what_is_not_stated_ties_nobody(text: str) -> None:
    """G6: questions, denials, suppositions, and reports of what somebody claims."""
    assert told(text) == set()


def test_a_tie_comes_with_its_sentence_and_a_confidence() -> None:
    """G6: evidence."""
    (tie,) = ties_in("It rains. Captain Marr serves House Verrault! Then you leave.")

    assert tie.evidence == "Captain Marr serves House Verrault!"
    assert 0.5 < tie.confidence < 1


def test_two_clauses_are_two_ties() -> None:
    """G6: who is named in one clause is not tied by the other."""
    assert told("Orrin serves Tamsin and Ilkara serves Lord Averil.") == {
        ("Orrin", "serves", "Tamsin"),
        ("Ilkara", "serves", "Lord Averil"),
    }


def test_what_is_said_both_ways_is_one_tie() -> None:
    """G6: an enemy is one's enemy."""
    assert len(ties_in("Orrin is an enemy of Tamsin. Tamsin is an enemy of Orrin.")) == 1


def test_known_ends_go_by_their_name_and_id() -> None:
    """G6: a tie is between entities, whatever they are called in the sentence."""
    index = MentionIndex(
        (
            KnownEntity("1", "Captain Ysolde Marr", (), EntityKind.NPC),
            KnownEntity("2", "House Verrault", (), EntityKind.FACTION),
        )
    )

    (tie,) = ties_in("Everybody knows that ysolde serves House Verault.", index)

    assert (tie.source, tie.source_id) == ("Captain Ysolde Marr", "1")
    assert (tie.target, tie.target_id) == ("House Verrault", "2")


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("AaBb 's,.?!\"\n\ue000\ue001019&") | st.characters(), max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    """G6: text from outside is data, the marks that are used inside too."""
    ties_in(text)
    ties_in(f"Orrin serves Tamsin. {text}")
