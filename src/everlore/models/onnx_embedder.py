"""Sentence embeddings by a transformer on onnxruntime, on this machine.

A text is the mean of what the model makes of its tokens, made unit length. Only the first
`READ_TOKENS` tokens of a text are read: that is what such models were trained on.

Texts of about the same length are run together, in batches so small that they stay in the caches of
the processor: 600 chat messages took an eighth less time in batches of 512 tokens than of 2,048. Every
batch is a trip of its own to a worker thread: the event loop stays free, a question need not wait for
the bulk before it, and whoever cancels waits for one batch at most.

onnxruntime is imported with the first text, and the model is loaded then, once.
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

# Far more than 256 tokens of any prose; without it, a text of a megabyte would be cut into tokens to its end.
READ_CHARS = 16_384

BATCH_TOKENS = 512

INSTALL_EXTRA = "pip install 'everlore[onnx]'"

_FINGERPRINT_PARTS = 64
_FINGERPRINT_BYTES = 4_096


@dataclass(frozen=True)
class OnnxModel:
    """What is to be run: an ONNX model, or one made around a file of weights when it is loaded."""

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
    """The places of texts of like length, longest last; those of length 0 are in no batch."""
    batch: list[int] = []
    for place in sorted((place for place, length in enumerate(lengths) if length), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def token_ids(tokenizer: "Tokenizer", texts: Sequence[str]) -> list[list[int]]:
    """An empty list for a text in which there is nothing to read."""
    for text in texts:
        refuse_surrogates(text)
    encodings = tokenizer.encode_batch([text[:READ_CHARS] for text in texts])
    return [encoding.ids if _says_something(encoding) else [] for encoding in encodings]


def _says_something(encoding: "Encoding") -> bool:
    # The marks at both ends are there for an empty text, too.
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
    """The mean over the tokens of each text; models that end in one row per text have done so themselves."""
    if said.ndim != 3:
        return said
    means: Matrix = np.einsum("btd,bt->bd", said, mask.astype(np.float32)) / mask.sum(axis=1, keepdims=True)
    return means.astype(np.float32, copy=False)


def _load(model: OnnxModel, threads: int) -> _Loaded:
    # onnxruntime and tokenizers raise bare exceptions of their own for what they cannot read or run.
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
    """The finished embedding where the model ends in one, else its first output: what it says of each token."""
    names: list[str] = [each.name for each in session.get_outputs()]
    return "sentence_embedding" if "sentence_embedding" in names else names[0]


def _tried(loaded: _Loaded) -> int:
    """How many numbers it makes of a text: not every model says so."""
    rows = loaded.run(token_ids(loaded.tokenizer, ["A word."]))
    if rows.ndim != 2:
        raise ValueError(f"its output {loaded.output!r} has neither one row for each text nor one for each token")
    return int(rows.shape[1])


def _open_tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    # Files come with the lengths of somebody's training; ours are said here.
    tokenizer.no_padding()
    tokenizer.enable_truncation(READ_TOKENS)
    return tokenizer


def _open_session(model: OnnxModel, threads: int) -> Any:
    import onnxruntime

    # Only some builds have anything to switch off. Nothing of ours is told to anybody.
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that wait in a loop would take the cores from the replies.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors are raised; its warnings are no help to anybody here
    source: str | bytes = str(model.model)
    if model.graph is not None:
        source = model.graph(model.model)
        folder = str(model.model.parent.absolute())
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


# ── any folder ───────────────────────────────────────────────────────────────────────────────────


def require_onnxruntime(*, then: str) -> None:
    """`then` is what else has to be done."""
    if find_spec("onnxruntime") is None:
        raise Misconfigured(f"The Python package 'onnxruntime' is not installed. Run `{INSTALL_EXTRA}`, then {then}.")


def onnx_folder(folder: Path | None) -> OnnxModel:
    """The model in a folder of somebody's own."""
    if folder is None:
        raise Misconfigured(
            "The embedding provider `onnx` needs a folder with model.onnx and tokenizer.json. "
            "Set EVERLORE_EMBEDDING__FOLDER to it."
        )
    require_onnxruntime(then="start again")
    folder = folder.expanduser()
    # As exported, or as it lies in most repositories.
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
    """Tells models of the same name apart without reading all of a large file: some of it, all over it."""
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
