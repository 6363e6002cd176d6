"""Words as the full-text arm sees them: the same for whoever writes and whoever asks (M14)."""

import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from everlore.domain.words import query_terms, stems_of, terms_of, words_of

MEGABYTE = 1_000_000


def test_the_forms_of_a_word_are_one_word() -> None:
    """M14."""
    assert terms_of("connect connected connecting connections Connection") == ("connect",)


def test_stems_stand_in_the_order_of_first_appearance() -> None:
    assert terms_of("Oslo, then Bergen, then Oslo again") == ("oslo", "then", "bergen", "again")


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("Café", "cafe"),
        ("naïve", "naive"),
        ("ÅNGSTRÖM", "angstrom"),
        ("Straße", "STRASSE"),
        ("İstanbul", "istanbul"),
        ("e\u0301clair", "éclair"),
        ("ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("𝐁𝐨𝐥𝐝", "bold"),
        ("ﬁnd", "find"),
    ],
)
def test_case_accents_and_letter_shapes_do_not_matter(written: str, asked: str) -> None:
    assert terms_of(written) == terms_of(asked)


@pytest.mark.parametrize(
    ("written", "asked"),
    [("Emma's", "emma"), ("Emma’s", "emma"), ("don't", "dont"), ("don’t", "don't"), ("O’Brien", "o'brien")],
)
def test_apostrophes_of_either_kind_do_not_matter(written: str, asked: str) -> None:
    assert terms_of(written) == terms_of(asked)


def test_a_script_without_spaces_is_read_in_pairs_of_characters() -> None:
    assert terms_of("東京タワー") == ("東京", "京タ", "タワ", "ワー")
    assert terms_of("猫") == ("猫",)


def test_a_part_of_a_chinese_sentence_finds_the_sentence() -> None:
    assert set(query_terms("东京")) <= set(terms_of("我住在东京附近"))


def test_scripts_side_by_side_are_told_apart() -> None:
    assert terms_of("iPhone15を買う") == ("iphone15", "を買", "買う")


def test_korean_syllables_stay_whole() -> None:
    assert terms_of("각하 안녕") == ("각하", "안녕")


def test_common_words_are_not_looked_up_beside_telling_ones() -> None:
    assert query_terms("where is the tea?") == ("tea",)
    assert query_terms("what don't you know about Ada's sister") == ("know", "ada", "sister")


def test_common_words_count_where_there_is_nothing_else() -> None:
    assert query_terms("who is it?") == ("who", "is", "it")


def test_a_text_without_words_has_no_terms() -> None:
    assert terms_of("") == terms_of("… — !?  \n") == terms_of("''' ___") == ()


def test_a_question_is_bounded() -> None:
    asked = " ".join(f"word{number}" for number in range(100))

    assert len(query_terms(asked)) == 32
    assert len(query_terms(asked, most=5)) == 5


def test_a_very_long_word_is_cut_alike_on_both_sides() -> None:
    endless = "x" * 5_000

    assert terms_of(endless) == query_terms(endless)
    assert len(terms_of(endless)[0]) == 64


def test_nothing_in_a_question_can_act_as_an_operator() -> None:
    """Whatever is typed, only letters and digits come out."""
    assert query_terms('tea* OR "x" NEAR(y, 2) -z :a ^b {c} | d & !e') == (
        "tea", "x", "near", "y", "2", "z", "b", "c", "d", "e",
    )  # fmt: skip


@given(st.text(max_size=200))
@example("'a' ’b’")
@example("\u0f73\u0301x")
def test_terms_are_letters_and_digits_and_each_is_there_once(text: str) -> None:
    terms = terms_of(text)

    assert len(set(terms)) == len(terms)
    for term in terms:
        assert 0 < len(term) <= 64
        assert all(character.isalnum() for character in term)


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=100))
def test_plain_text_has_the_same_words_beside_what_is_not_plain(text: str) -> None:
    """Text of nothing but ASCII is read in a shorter way, and that must not be noticed."""
    assert words_of(text + " ") == words_of(text + " \u00e9")[:-1]
    assert stems_of(text + " ") == stems_of(text + " \u00e9")[:-1]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=100))
def test_composed_and_decomposed_forms_are_the_same_words(text: str) -> None:
    """However a keyboard writes its accents."""
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)

    assert terms_of(composed) == terms_of(decomposed)


@pytest.mark.parametrize(
    "unit",
    ["a", "'", "’", "a'", "a’s ", "é", " ", "_", "漢", "각", "word ", "x1 café’s 漢字 ", "\u0301\u0323", "\u0f73"],
    ids=ascii,
)
def test_work_grows_with_the_length_of_a_text_and_not_with_its_square(unit: str) -> None:
    """Sixteen times the text is sixteen times the work, or 256 times if it were the square; 64 lies between.

    The first pair of sizes is small, so that a failure does not take all day.
    """
    for size in (MEGABYTE // 64, MEGABYTE // 16):
        assert _work(unit, 16 * size) < 64 * _work(unit, size)


def _work(unit: str, size: int) -> float:
    """CPU seconds of this thread: what else the machine does plays no part. Never less than the clock can tell."""
    text = (unit * (size // len(unit) + 1))[:size]
    started = time.thread_time()
    terms_of(text)
    query_terms(text)
    return max(time.thread_time() - started, 0.0005)
