"""A message taken apart: what it does, and whom it is about. Every reader of facts stands on this (F3, F5, O1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.learning.clauses import Clause, Mood, Whose, clauses_of


def _only(message: str) -> Clause:
    (clause,) = clauses_of(message)
    return clause


def _moods(message: str) -> list[Mood]:
    return [clause.mood for clause in clauses_of(message)]


# ── what is done ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "mood"),
    [
        ("I live in Seattle.", Mood.STATES),
        ("i live in seattle", Mood.STATES),
        ("Love pizza!", Mood.STATES),
        ("Do you live in Seattle?", Mood.ASKS),
        ("I live in Seattle?", Mood.ASKS),
        ("what is your name", Mood.ASKS),
        ("Please send me a photo", Mood.REQUESTS),
        ("Can you send me a photo?", Mood.REQUESTS),
        ("I want you to write a poem", Mood.REQUESTS),
        ("Hello Nova!", Mood.GREETS),
        ("I wish I had a dog", Mood.SUPPOSES),
        ("I would live in Paris", Mood.SUPPOSES),
        ("I'd love to visit Japan", Mood.STATES),
        ("did my first half marathon in october", Mood.STATES),
        ("*I draw my sword*", Mood.PLAYS),
        ("Bob: I live in Rome", Mood.QUOTES),
        ("♪ I'm just a poor boy ♪", Mood.QUOTES),
    ],
)
def test_a_message_does_one_thing(message: str, mood: Mood) -> None:
    """F3: only what is stated may become a fact."""
    assert clauses_of(message)[-1].mood is mood


def test_a_statement_before_a_question_stays_a_statement() -> None:
    assert _moods("I live in Ohio, do you like it there?") == [Mood.STATES, Mood.ASKS]


def test_a_reason_given_with_a_request_is_stated() -> None:
    reason = clauses_of("Can you suggest a recipe since I'm vegan?")[-1]

    assert reason.mood is Mood.STATES
    assert reason.whose is Whose.SELF


def test_a_condition_makes_what_hangs_on_it_supposed() -> None:
    assert set(_moods("If I were rich I would live in Paris")) == {Mood.SUPPOSES}


def test_what_somebody_said_of_the_user_is_quoted() -> None:
    clauses = clauses_of("My friend says I'm lazy")

    assert clauses[0].whose is Whose.OWN
    assert clauses[-1].mood is Mood.QUOTES


def test_a_title_in_quotation_marks_stays_in_its_clause() -> None:
    assert _only('I love "Dune"').text == "I love Dune"


def test_words_in_quotation_marks_are_of_another() -> None:
    moods = {clause.text: clause.mood for clause in clauses_of('She said "I live in Rome" yesterday')}

    assert moods["I live in Rome"] is Mood.QUOTES


def test_one_emphasised_word_is_no_role_play() -> None:
    assert _only("I *love* pizza").mood is Mood.STATES


def test_a_gesture_leaves_the_speaker_themselves() -> None:
    assert clauses_of("*smiles* I live in Leeds")[-1].mood is Mood.STATES
    assert clauses_of("*draws a sword and bows* I live in Leeds")[-1].mood is Mood.PLAYS


def test_all_that_follows_a_pretence_is_supposed() -> None:
    clauses = clauses_of("Pretend I'm a king. I live in a castle.")

    assert [clause.mood for clause in clauses if clause.whose is Whose.SELF] == [Mood.SUPPOSES, Mood.SUPPOSES]


def test_material_to_work_on_is_quoted_to_the_end() -> None:
    clauses = clauses_of("Translate this: I live in Berlin. My name is Paul.")

    assert all(clause.mood is not Mood.STATES for clause in clauses)


# ── about whom ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "whose", "subject"),
    [
        ("my sister Emma lives in Oslo", Whose.OWN, ""),
        ("Paris is beautiful", Whose.OTHER, ""),
        ("I live in Oslo", Whose.SELF, "I"),
        ("we live in Oslo", Whose.SELF, "we"),
        ("In my free time I paint", Whose.SELF, "I"),
        ("my wife and I have a dog", Whose.SELF, "we"),
        ("She lives in Oslo", Whose.OTHER, "She"),
        ("the food I love is pizza", Whose.OTHER, "I"),
    ],
)
def test_a_clause_has_a_subject(message: str, whose: Whose, subject: str) -> None:
    clause = _only(message)

    assert (clause.whose, clause.pronoun) == (whose, subject)


def test_a_predicate_without_subject_takes_that_of_the_clause_before() -> None:
    first, second = clauses_of("I live in Oslo and work as a chef")

    assert second.text == "work as a chef"
    assert second.pronoun == first.pronoun == "I"


def test_typing_without_marks_still_makes_clauses() -> None:
    assert [clause.text for clause in clauses_of("im amy i hate clowns how about you")] == [
        "im amy",
        "i hate clowns",
        "how about you",
    ]


# ── what is left out ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "message",
    [
        "```\nmy name = 'Bob'\nI live in Rome\n```",
        "```\nI live in Rome",
        "> I live in Rome",
        "`I live in Rome`",
        "https://example.com/I-live-in-Rome",
        '<mcp:context type="resource">I live in Rome</mcp:context>',
        "2024-01-01 12:00:00 INFO I live in Rome",
        "from rome import my_name",
    ],
)
def test_code_quotes_links_and_blocks_say_nothing(message: str) -> None:
    assert not any("Rome" in clause.text for clause in clauses_of(message))


def test_only_the_beginning_of_a_long_message_is_looked_at() -> None:
    message = "word " * 1_000 + "I live in Oslo."

    assert not any("Oslo" in clause.text for clause in clauses_of(message))


_PIECES = st.sampled_from(
    [
        "I ",
        "my ",
        "sister ",
        "Emma ",
        "live ",
        "in ",
        "Rome",
        ". ",
        ", ",
        "? ",
        '"',
        "'",
        "*",
        "(",
        ")",
        "and ",
        "if ",
        "34 ",
        "\n",
        "> ",
        "`",
    ]
)


@given(st.one_of(st.text(max_size=300), st.lists(_PIECES, max_size=60).map("".join)))
def test_any_text_comes_apart(message: str) -> None:
    for clause in clauses_of(message):
        assert clause.text
        assert "\n" not in clause.text
        assert isinstance(clause.mood, Mood)


# ── what is left out ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "message",
    [
        "got fired lol",
        "been renting in Sacramento since",
        "doing a masters in hydrology",
        "Originally from Guadalajara",
        "Won a pie contest in 2022",
        "Haven't had a cigarette in months",
        "not a fan of horror films",
        "never learned to swim",
        "Deaf in my left ear",
        "training for a marathon in may",
        "movin to texas in august",
    ],
)
def test_who_leaves_out_i_speaks_of_themselves(message: str) -> None:
    first = clauses_of(message)[0]

    assert (first.mood, first.whose) == (Mood.STATES, Whose.SELF)


@pytest.mark.parametrize(
    "message",
    [
        "Running late is the worst",
        "Working from home sucks",
        "Lost is my favorite show",
        "Play some jazz",
        "Don't use emojis",
        "Vegan cheese is gross",
        "Pregnant women should rest",
        "From now on speak French",
        "Love is blind",
        "She left. Moved to Spain last year.",
    ],
)
def test_a_thing_an_order_or_another_one_is_not_the_user(message: str) -> None:
    assert all(clause.whose is not Whose.SELF for clause in clauses_of(message))


def test_one_subject_may_stand_for_many_predicates() -> None:
    clauses = clauses_of("I was born in Porto, moved to Ghent at nine, did a degree at Leuven")

    assert [clause.whose for clause in clauses] == [Whose.SELF] * 3


def test_wife_and_i_are_we() -> None:
    assert _only("Wife and I just bought a house").pronoun == "we"


# ── what is told beside a question ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "message",
    [
        "I'm left-handed, do they make scissors for that?",
        "I'm allergic to eggs, so can you suggest a cake?",
        "My surgery is on the 9th, any advice?",
        "I have a twin, is that rare?",
    ],
)
def test_only_the_end_of_a_sentence_asks(message: str) -> None:
    first, second = _moods(message)

    assert first is Mood.STATES
    assert second in {Mood.ASKS, Mood.REQUESTS}


def test_what_a_doctor_says_of_the_user_is_so() -> None:
    assert _moods("The doctor says I've got weak bones")[-1] is Mood.STATES
    assert _moods("My friend says I've got weak bones")[-1] is Mood.QUOTES


def test_whom_a_poem_is_for_is_real() -> None:
    assert _moods("Write a poem for my grandson, he's turning 5")[-1] is Mood.STATES
    assert _moods("Write a poem about a king. He's turning 5.")[-1] is Mood.SUPPOSES


# ── another world ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "message",
    [
        "I am Seraphine, I am four hundred years old and I live beneath the lake. Speak, mortal.",
        "as grum the terrible i hate elves",
        "I draw my sword and walk into the crypt. I have no home.",
        "Captain, I'm Lieutenant Vasquez! *salutes*",
    ],
)
def test_a_part_is_played_without_saying_so(message: str) -> None:
    assert Mood.STATES not in _moods(message)


def test_who_speaks_about_wonders_plays_none() -> None:
    assert _moods("I collect books about dragons and wizards") == [Mood.STATES]


@pytest.mark.parametrize("message", ["*closes the door* ((I'm in Manila))", "[OOC: I'm in Manila] I open the chest."])
def test_who_speaks_aside_is_playing(message: str) -> None:
    assert Mood.STATES not in _moods(message)


@pytest.mark.parametrize(
    "message",
    [
        "I have 12 apples. I give 5 to my brother Sam. How many do I have left?",
        "oh sure, because I LOVE being stuck in traffic",
        "🎵 I will survive 🎵",
        "I'm writing a story where I'm a detective",
    ],
)
def test_sums_scorn_and_songs_are_nobodys_life(message: str) -> None:
    assert all(clause.mood is not Mood.STATES for clause in clauses_of(message) if "I" in clause.text.split()[:1])
