"""Sentence embeddings by a transformer on onnxruntime, on this machine.

The vector of a text is the mean of its token outputs, scaled to unit length. Only the first `READ_TOKENS` tokens of a
text are read: such models were trained on no more.

Texts of similar length are run together, in batches small enough for the caches of the processor: 600 chat messages
took an eighth less time in batches of 512 tokens than of 2,048. Every batch is a separate call to a worker thread: the
event loop stays free, a question need not wait for earlier bulk work, and a cancelled caller waits for one batch at
most.

onnxruntime is imported, and the model loaded, with the first text.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from everlore.errors import Misconfigured
from everlore.models.embedder import Matrix, unit_rows
from everlore.models.unicode import refuse_surrogates

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

READ_TOKENS = 256

# Far more than 256 tokens of any prose; without this limit, a whole megabyte of text would be tokenized.
READ_CHARS = 16_384

BATCH_TOKENS = 512

INSTALL_EXTRA = "pip install 'everlore[onnx]'"

_FINGERPRINT_PARTS = 64
_FINGERPRINT_BYTES = 4_096


@dataclass(frozen=True)
class OnnxModel:
    """The model to run: an ONNX file, or a graph that is made for a file of weights when it is loaded."""

    name: str
    model: Path
    tokenizer: Path
    graph: Callable[[Path], bytes] | None = None
    mend: str = "Choose another folder with EVERLORE_EMBEDDING__FOLDER."


class OnnxEmbedder:
    def __init__(self, model: OnnxModel, *, threads: int = 1) -> None:
        self.name = model.name
        self._model = model
        self._threads = threads
        self._loading = threading.Lock()
        self._loaded: _Loaded | None = None

    async def embed(self, texts: Sequence[str]) -> Matrix:
        loaded, tokens = await asyncio.to_thread(self._read, texts)
        rows: Matrix = np.zeros((len(texts), loaded.dims), dtype=np.float32)
        for batch in batches([len(ids) for ids in tokens]):
            rows[batch] = await asyncio.to_thread(loaded.run, [tokens[each] for each in batch])
        return unit_rows(rows)

    async def close(self) -> None:
        self._loaded = None

    def _read(self, texts: Sequence[str]) -> "tuple[_Loaded, list[list[int]]]":
        loaded = self._load_once()
        return loaded, token_ids(loaded.tokenizer, texts)

    def _load_once(self) -> "_Loaded":
        with self._loading:
            if self._loaded is None:
                self._loaded = _load(self._model, self._threads)
            return self._loaded


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indexes of texts of similar length, longest last; empty texts are in no batch."""
    batch: list[int] = []
    for place in sorted((place for place, length in enumerate(lengths) if length), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def token_ids(tokenizer: "Tokenizer", texts: Sequence[str]) -> list[list[int]]:
    """An empty list for a text without words."""
    for text in texts:
        refuse_surrogates(text)
    encodings = tokenizer.encode_batch([text[:READ_CHARS] for text in texts])
    return [encoding.ids if _says_something(encoding) else [] for encoding in encodings]


def _says_something(encoding: "Encoding") -> bool:
    # An empty text, too, has the special tokens at both ends.
    return not all(encoding.special_tokens_mask)


# ── a loaded model ───────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Loaded:
    session: Any
    tokenizer: "Tokenizer"
    inputs: dict[str, type[np.integer]]
    output: str
    dims: int = 0

    def run(self, tokens: Sequence[Sequence[int]]) -> Matrix:
        """One row per text, of any length."""
        ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, each in enumerate(tokens):
            ids[row, : len(each)] = each
            mask[row, : len(each)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        fed = {name: given[name].astype(kind, copy=False) for name, kind in self.inputs.items()}
        (said,) = self.session.run([self.output], fed)
        return _pooled(np.asarray(said, dtype=np.float32), mask)


def _pooled(said: NDArray[np.float32], mask: NDArray[np.int64]) -> Matrix:
    """The mean over the tokens of each text; a model with one output row per text has pooled already."""
    if said.ndim != 3:
        return said
    means: Matrix = np.einsum("btd,bt->bd", said, mask.astype(np.float32)) / mask.sum(axis=1, keepdims=True)
    return means.astype(np.float32, copy=False)


def _load(model: OnnxModel, threads: int) -> _Loaded:
    # onnxruntime and tokenizers raise bare exceptions for what they cannot read or run.
    try:
        tokenizer = _open_tokenizer(model.tokenizer)
        session = _open_session(model, threads)
        loaded = _Loaded(session, tokenizer, _inputs(session), _output(session))
        return replace(loaded, dims=_tried(loaded))
    except Exception as error:
        raise Misconfigured(
            f"The embedding model in {str(model.model.parent)!r} cannot be used: {error}. {model.mend}"
        ) from error


_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_INTEGERS: dict[str, type[np.integer]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


def _inputs(session: Any) -> dict[str, type[np.integer]]:
    asked = {each.name: _INTEGERS.get(each.type) for each in session.get_inputs()}
    known = {name: kind for name, kind in asked.items() if kind is not None and name in _INPUTS}
    if unknown := sorted(asked.keys() - known.keys()):
        raise ValueError(f"it asks for {', '.join(unknown)}, and a text has only {', '.join(_INPUTS)}")
    return known


def _output(session: Any) -> str:
    """The finished embedding if the model has such an output, else its first output, one row per token."""
    names: list[str] = [each.name for each in session.get_outputs()]
    return "sentence_embedding" if "sentence_embedding" in names else names[0]


def _tried(loaded: _Loaded) -> int:
    """The dimensions of its vectors, by a trial run: not every model declares them."""
    rows = loaded.run(token_ids(loaded.tokenizer, ["A word."]))
    if rows.ndim != 2:
        raise ValueError(f"its output {loaded.output!r} has neither one row for each text nor one for each token")
    return int(rows.shape[1])


def _open_tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    # Tokenizer files contain the lengths used in training; ours are set here.
    tokenizer.no_padding()
    tokenizer.enable_truncation(READ_TOKENS)
    return tokenizer


def _open_session(model: OnnxModel, threads: int) -> Any:
    import onnxruntime

    # Only some builds have telemetry. Nothing is sent to anybody.
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that wait in a loop would take cores from the replies.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors are raised; its warnings do not help users
    source: str | bytes = str(model.model)
    if model.graph is not None:
        source = model.graph(model.model)
        folder = str(model.model.parent.absolute())
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


# ── any folder ───────────────────────────────────────────────────────────────────────────────────


def require_onnxruntime(*, then: str) -> None:
    """`then` is what else the user has to do."""
    if find_spec("onnxruntime") is None:
        raise Misconfigured(f"The Python package 'onnxruntime' is not installed. Run `{INSTALL_EXTRA}`, then {then}.")


def onnx_folder(folder: Path | None) -> OnnxModel:
    """The model in a folder that the user chose."""
    if folder is None:
        raise Misconfigured(
            "The embedding provider `onnx` needs a folder with model.onnx and tokenizer.json. "
            "Set EVERLORE_EMBEDDING__FOLDER to it."
        )
    require_onnxruntime(then="start again")
    folder = folder.expanduser()
    # As exported, or in the layout of most repositories.
    model = _file_in(folder, "model.onnx", "onnx/model.onnx")
    tokenizer = _file_in(folder, "tokenizer.json")
    return OnnxModel(f"onnx:{folder.absolute().name}-{_fingerprint(model, tokenizer)}", model, tokenizer)


def _file_in(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise Misconfigured(
        f"There is no {names[0]} in {str(folder)!r}, which EVERLORE_EMBEDDING__FOLDER names. "
        "Correct the folder, or put the file there."
    )


def _fingerprint(model: Path, tokenizer: Path) -> str:
    """Distinguishes models of the same name by samples from all over a large file, without reading all of it."""
    digest = blake2b(digest_size=6)
    beside = (model.with_name(f"{model.name}{end}") for end in ("_data", ".data"))
    for path in (model, tokenizer, *(weights for weights in beside if weights.is_file())):
        size = path.stat().st_size
        digest.update(size.to_bytes(8, "little"))
        with path.open("rb") as file:
            for part in range(_FINGERPRINT_PARTS):
                file.seek(part * max(size - _FINGERPRINT_BYTES, 0) // (_FINGERPRINT_PARTS - 1))
                digest.update(file.read(_FINGERPRINT_BYTES))
    return digest.hexdigest()
