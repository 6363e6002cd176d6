"""Which passages of the record answer a question best, and whether any does (G9). Pure."""

from everlore.campaign.entities.matching import KnownEntity
from everlore.campaign.entities.mentions import MentionIndex
from everlore.campaign.relevance import CampaignQuestion, PassageCandidate, ranked
from everlore.domain.campaign import EntityKind

INDEX = MentionIndex(
    (
        KnownEntity("imre", "Countess Imre", ("the Grey Widow",), EntityKind.NPC),
        KnownEntity("mill", "Harl's Mill", (), EntityKind.LOCATION),
    )
)


def best(question: str, *candidates: PassageCandidate | str) -> list[str]:
    listed = [each if isinstance(each, PassageCandidate) else PassageCandidate(each, 0.5) for each in candidates]
    return [listed[each.at].text for each in ranked(CampaignQuestion.of(question, INDEX), listed, INDEX)]


def test_another_name_is_the_thing_itself() -> None:
    """G4, G9."""
    told = "Countess Imre sleeps in the crypt of the abbey."

    assert best("Where does the Grey Widow sleep?", "The widows of the town are grey.", told)[0] == told


def test_the_rare_words_of_a_question_count_more() -> None:
    """G9."""
    told = "Under the floor of Harl's Mill lies an eelskin ledger."
    others = [f"At Harl's Mill the wheel turns for the {each} time." for each in ("first", "second", "third", "last")]

    assert best("What does the ledger of Harl's Mill look like?", *others, told)[0] == told


def test_a_question_that_was_asked_at_the_table_is_no_answer_and_the_line_behind_it_is_one() -> None:
    """G9."""
    asked = "What does the bell eat?"
    answer = PassageCandidate("Years. Off the ringer.", 0.2, answers=asked)

    assert best("What does the bell eat?", asked, answer, "The bell hangs high.")[0] == answer.text


def test_where_nothing_bears_on_it_nothing_is_given() -> None:
    """G9: nor where somebody is named whom the record does not know."""
    lines = ("The bell hangs high above the town.", "Somebody went to the floating school.")

    assert best("Who is the emperor's cousin?", *lines) == []
    assert best("Where did Gandalf go to school?", *lines) == []
    assert best("Who?", *lines) == []


def test_a_request_and_a_slip_of_the_pen_are_no_names_that_nobody_knows() -> None:
    """G9."""
    line = "Wilmot drops the anchor of the Marigold on Sunday."

    for question in (
        "Describe the anchor.",
        "Where is Willmot's anchor?",
        "What of the Marygold?",
    ):
        assert best(question, line) == [line]


def test_what_the_game_master_noted_weighs_more_than_talk_at_the_table() -> None:
    """G9: of two that say as much."""
    note = PassageCandidate("Imre is a vampire of the old blood.", 0.5, is_note=True)
    talk = PassageCandidate("Imre is a vampire, I say it again.", 0.5, is_told=False)

    assert best("Is Imre a vampire?", talk, note)[0] == note.text
