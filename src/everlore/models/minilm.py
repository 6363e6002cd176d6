"""all-MiniLM-L6-v2: a small transformer for sentences, better than static word vectors and slower.

It does not come with Everlore: `everlore models install minilm` installs its two files, as published and checked by
their sha256 (`minilm_install`). This module defines the files, checks whether a folder has them, and says how to run
them.
"""

from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from everlore.errors import Misconfigured
from everlore.models.minilm_graph import minilm_graph
from everlore.models.onnx_embedder import INSTALL_EXTRA, OnnxModel, require_onnxruntime

NAME = "minilm"
TITLE = "all-MiniLM-L6-v2, 384 dimensions, 32 bits"
LICENCE = "Apache-2.0"

_INSTALL = "everlore models install minilm"


@dataclass(frozen=True)
class Published:
    """A file as published by its authors."""

    name: str
    size: int
    sha256: str


WEIGHTS = Published("model.safetensors", 90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db")
TOKENIZER = Published("tokenizer.json", 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037")
FILES = (TOKENIZER, WEIGHTS)


def minilm_in(folder: Path) -> OnnxModel:
    """The model to run; names both commands if the package or the files are missing."""
    require_onnxruntime(then=f"`{_INSTALL}`")
    # By size only: hashing 90 MB takes longer than loading them. `everlore models list` compares the hashes.
    if not all(_has_size(folder / file.name, file.size) for file in FILES):
        raise Misconfigured(
            f"The embedding model `minilm` is not in {str(folder)!r}. Run `{INSTALL_EXTRA}`, then `{_INSTALL}`; "
            "or set EVERLORE_EMBEDDING__FOLDER to where it is, or EVERLORE_EMBEDDING__PROVIDER to `wordllama`."
        )
    return OnnxModel(
        "all-minilm-l6-v2-fp32",
        folder / WEIGHTS.name,
        folder / TOKENIZER.name,
        graph=minilm_graph,
        mend=f"Run `{_INSTALL}` to put it in place anew.",
    )


def is_verified(folder: Path) -> bool:
    """Whether every file is present and identical to the published one."""
    return all(
        _has_size(folder / file.name, file.size) and sha256_of(folder / file.name) == file.sha256 for file in FILES
    )


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _has_size(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size
