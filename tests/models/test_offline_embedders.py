"""What every embedder that needs no server promises (M12: an embedded default that works offline)."""

import asyncio
import subprocess
import sys

import numpy as np
import pytest

from everlore.errors import BadAsk
from everlore.models.embedder import Embedder
from everlore.models.hashing import HashingEmbedder
from everlore.models.wordllama import READ_CHARS, WordLlamaEmbedder

pytestmark = pytest.mark.usefixtures("no_network")

MEGABYTE = 1_000_000

ANY_TEXTS = [
    "Mira lives in Oslo.",
    "the dragon 😀🐉 sleeps",
    "مرحبا بالعالم",
    "שלום עולם",
    "彼女はオスロに住んでいる。",
    "<s> <|endoftext|> </s> word",
    "nul \x00 and \u200b nothing wide",
    "long " * (MEGABYTE // 5),
    "a" * MEGABYTE,
]


@pytest.fixture(params=[WordLlamaEmbedder, HashingEmbedder])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    made: Embedder = request.param()
    return made


async def test_every_text_becomes_a_float32_row_of_length_one(embedder: Embedder) -> None:
    rows = await embedder.embed(ANY_TEXTS)

    assert rows.dtype == np.float32
    assert rows.shape[0] == len(ANY_TEXTS)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(ANY_TEXTS)), abs=1e-5)


async def test_a_batch_equals_its_texts_one_by_one(embedder: Embedder) -> None:
    together = await embedder.embed(ANY_TEXTS)

    one_by_one = np.concatenate([await embedder.embed([text]) for text in ANY_TEXTS])

    assert np.array_equal(together, one_by_one)


async def test_a_batch_of_many_keeps_its_order(embedder: Embedder) -> None:
    texts = [f"traveller number {number}" for number in range(300)]

    rows = await embedder.embed(texts)

    assert np.array_equal(rows[217:218], await embedder.embed(texts[217:218]))


async def test_a_second_embedder_gives_the_same_vectors(embedder: Embedder) -> None:
    first = await embedder.embed(ANY_TEXTS)

    second = await type(embedder)().embed(ANY_TEXTS)

    assert np.array_equal(first, second)


async def test_an_empty_text_is_a_row_of_zeros(embedder: Embedder) -> None:
    rows = await embedder.embed(["", "Mira"])

    assert not rows[0].any()
    assert rows[1].any()


async def test_no_texts_are_no_rows(embedder: Embedder) -> None:
    rows = await embedder.embed([])

    assert len(rows) == 0


async def test_near_texts_are_nearer_than_far_ones(embedder: Embedder) -> None:
    rows = await embedder.embed(
        ["Where does Mira live?", "Mira does live in Oslo.", "Iron swords rust quickly at sea."]
    )

    asked, near, far = rows

    assert asked @ near > asked @ far + 0.2


async def test_half_a_character_is_refused_with_its_place(embedder: Embedder) -> None:
    with pytest.raises(BadAsk, match=r"half a character at position 4 \(unpaired surrogate U\+D83D\)"):
        await embedder.embed(["fine", "cut \ud83d"])


async def test_many_first_callers_at_once_all_get_the_same_answer(embedder: Embedder) -> None:
    answers = await asyncio.gather(*(embedder.embed(["Mira lives in Oslo."]) for _ in range(16)))

    assert all(np.array_equal(answers[0], answer) for answer in answers)


async def test_an_embedder_can_be_closed_before_and_after_use(embedder: Embedder) -> None:
    await embedder.close()
    rows = await embedder.embed(["Mira"])
    await embedder.close()

    assert len(rows) == 1


async def test_wordllama_finds_a_paraphrase_that_shares_no_telling_word() -> None:
    rows = await WordLlamaEmbedder().embed(
        ["What does she do for a living?", "Her job is nursing at a hospital.", "It rained on the bridge."]
    )

    asked, near, far = rows

    assert asked @ near > asked @ far


async def test_wordllama_reads_only_the_beginning_of_a_long_text() -> None:
    beginning = "word " * READ_CHARS

    rows = await WordLlamaEmbedder().embed([beginning, beginning + "dragon " * READ_CHARS])

    assert np.array_equal(rows[0], rows[1])


async def test_wordllama_lets_the_event_loop_run_during_a_heavy_batch() -> None:
    embedder = WordLlamaEmbedder()
    working = asyncio.create_task(embedder.embed([f"traveller number {n} of many" for n in range(5_000)]))
    turns = 0

    while not working.done():
        await asyncio.sleep(0)
        turns += 1

    assert turns > 10


async def test_the_hashing_vectors_are_the_same_on_every_machine_and_for_ever() -> None:
    row = (await HashingEmbedder().embed(["Mira lives in Oslo"]))[0]

    assert row[:4] == pytest.approx([-0.0501817, -0.1238354, 0.1384042, 0.1125040], abs=1e-6)


async def test_hashing_does_not_tell_upper_case_or_punctuation_apart() -> None:
    rows = await HashingEmbedder().embed(["Mira lives in Oslo!", "mira LIVES, in oslo"])

    assert np.array_equal(rows[0], rows[1])


def test_names_identify_the_vector_space() -> None:
    names = [WordLlamaEmbedder().name, HashingEmbedder().name]

    assert names == ["wordllama-l2-256", "hashing-64"]


WIRE_CUT = """
import socket, sys
def refuse(*_, **__): raise SystemExit("reached for the network")
socket.socket.connect = socket.getaddrinfo = refuse
"""


def in_a_fresh_process(story: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WIRE_CUT + story], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_wordllama_needs_neither_the_network_nor_the_code_of_its_wheel() -> None:
    in_a_fresh_process("""
import asyncio
from everlore.models.wordllama import WordLlamaEmbedder
assert asyncio.run(WordLlamaEmbedder().embed(["Mira lives in Oslo."])).shape == (1, 256)
assert "wordllama" not in sys.modules
""")


def test_wordllama_vectors_equal_those_of_wordllama_itself() -> None:
    in_a_fresh_process("""
import asyncio
import numpy as np
from everlore.models.wordllama import WordLlamaEmbedder
embedder = WordLlamaEmbedder()
texts = ["hello", "Mira lives in Oslo.", "  spaces   around ", "😀 emoji", "שלום", "日本語", "word " * 1500]
ours = asyncio.run(embedder.embed(texts))

from safetensors.numpy import load_file
from tokenizers import Tokenizer
from wordllama.inference import WordLlamaInference
weights = load_file(embedder._weights_path)["embedding.weight"]
original = WordLlamaInference(weights, Tokenizer.from_file(str(embedder._tokenizer_path)))
assert np.allclose(ours, original.embed(texts, norm=True), atol=1e-6)
""")
