"""How much likeness means, and when nothing bears on a question (R2)."""

import pytest

from everlore.models.embedder import Embedder
from everlore.models.hashing import HashingEmbedder
from everlore.models.wordllama import WordLlamaEmbedder
from everlore.recall.about import about, has_all, names_told, telling
from everlore.recall.noise import About, NoiseModel, NoiseModels, luck
from everlore.store.answers import Parts


@pytest.mark.parametrize(
    ("question", "whom"),
    [
        ("What did Emma buy?", About.KNOWN),
        ("Emma, what is the capital of peru?", About.NOBODY),
        ("Where do I live?", About.SELF),
        ("How do I boil an egg?", About.NOBODY),
        ("Do you remember the boat?", About.SELF),
        ("What can't they eat?", About.SELF),
        ("Where does the user live?", About.SELF),
        ("What did Vincent paint for his brother?", About.STRANGER),
        ("What is the capital of peru?", About.NOBODY),
        ("What can go wrong with a REST endpoint?", About.NOBODY),
        ("Who is Anthony?", About.KNOWN),
        ("Who was Napoleon?", About.STRANGER),
        ("What goes on at the harbour in January?", About.NOBODY),
        ("Wo wohnt eigentlich meine Schwester", About.SELF),
        ("わたしの猫の名前は", About.SELF),
        ("¿Dónde vivo?", About.SELF),
        ("Which club did Pelé play for?", About.STRANGER),
    ],
)
def test_whom_a_question_is_about(question: str, whom: About) -> None:
    """R2, R4."""
    assert about(question, ["Emma"], heard="Emma bought a boat from Anthony.") is whom


def test_the_bar_rises_with_what_there_is_and_is_lowest_for_whom_one_knows() -> None:
    """R2: the best of many strangers is nearer than one stranger."""
    floor = NoiseModel()

    assert luck(10) < luck(1_000) < luck(100_000)
    bars = [floor.bar(whom, 1_000) for whom in (About.KNOWN, About.SELF, About.NOBODY, About.STRANGER)]
    assert bars == sorted(bars)


def test_what_many_passages_are_near_to_is_talked_of_here() -> None:
    """R2: one that is near may be so by chance; ten of them are a topic."""
    floor = NoiseModel()
    nearly = floor.bar(About.NOBODY, 200) - 0.05

    assert not floor.opens([nearly, *[0.1] * 20], About.NOBODY, 200, None)
    assert not floor.opens([nearly] * 9, About.NOBODY, 200, None)
    assert floor.opens([nearly] * 10, About.NOBODY, 200, None)
    assert not floor.opens([], About.NOBODY, 200, None)


@pytest.mark.parametrize("embedder", [WordLlamaEmbedder(), HashingEmbedder()], ids=lambda each: each.name)
async def test_every_model_is_measured_once(embedder: Embedder) -> None:
    """R2: what unrelated sentences have in common is worth nothing, with whatever model."""
    floors = NoiseModels()

    floor = await floors.of(embedder)

    assert floor is await floors.of(embedder)
    assert floor.step > 0
    assert floor.relevance(Parts(floor.middle, None), 3) == 0
    assert 0.9 < floor.relevance(Parts(1.0, 1.0), 3) < 1


def test_of_two_that_are_plainly_relevant_the_plainer_one_is_more_so() -> None:
    """R2: whatever is good enough is not therefore equally good."""
    floor = NoiseModel()
    strengths = [Parts(vector, text) for text in (0.4, 0.6, 0.8, 1.0) for vector in (0.3, 0.5, 0.7, 0.9)]

    relevant = [floor.relevance(each, 3) for each in strengths]

    assert len(set(relevant)) == len(relevant)
    assert relevant[-1] == max(relevant) < 1
    assert floor.relevance(Parts(0.5, 0.9), 3) > floor.relevance(Parts(0.6, 0.7), 3), "words tell better than nearness"


async def test_without_a_model_words_alone_count() -> None:
    """R-4."""
    floor = await NoiseModels().of(None)

    assert floor.relevance(Parts(None, 1.0), 3) > floor.relevance(Parts(None, 0.3), 3) > 0
    assert floor.relevance(Parts(None, None), 3) == 0


def test_who_is_called_by_name_in_memories_is_known() -> None:
    """R2, R4: a cat of whom nobody has made a person."""
    told = names_told(
        ["Tessa has a cat called Biscuit.", "On Mondays the user swims, then Ann-Marie cooks.", "User is at James's."]
    )

    assert told == {"Biscuit", "Ann", "James"}
    assert about("how is biscuit today", told, heard="") is About.KNOWN
    assert about("what is a good sourdough recipe", told, heard="") is About.NOBODY


def test_keywords_are_found_by_one_word_and_a_sentence_is_not() -> None:
    """R2: who types a word into a search box means that word."""
    whole = [Parts(None, 1.0)]

    assert has_all(whole, "peanuts")
    assert not has_all(whole, "Why is the sky blue?")
    assert has_all(whole, "red boat white sail")
    assert not has_all(whole, "the of and")
    assert telling("where is the boat") == 1
