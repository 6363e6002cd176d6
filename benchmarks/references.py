"""The plain ways to search the same rows, to hold the stores against: a matrix product, and FTS5 alone."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import Arm
from everlore.domain.words import query_terms, terms_of

LIMIT = 20
# Two of the best may stand in either order, or one in place of the other, when they are this close: the
# stores keep vectors in half precision.
TIE = 1e-3

Matrix = NDArray[np.float32]
Row = NDArray[np.float32]


def numpy_scan(vectors: Matrix, asked: Sequence[Row]) -> Arm:
    async def scan(number: int) -> None:
        nearest(vectors @ asked[number % len(asked)], LIMIT)

    return scan


def nearest(cosines: Row, limit: int) -> list[int]:
    """The positions of the best, best first."""
    limit = min(limit, len(cosines))
    best = np.argpartition(cosines, len(cosines) - limit)[len(cosines) - limit :]
    return [int(at) for at in best[np.argsort(-cosines[best])]]


def recall_of(cosines: Row, found: Sequence[int], limit: int = LIMIT) -> float:
    """The share of the best positions that was found, any of those that tie with the last of them counting."""
    wanted = min(limit, len(cosines))
    if not wanted:
        return 1.0
    least = np.partition(cosines, len(cosines) - wanted)[len(cosines) - wanted]
    good = sum(1 for at in set(found) if cosines[at] >= least - TIE)
    return min(good, wanted) / wanted


def telling_words(question: str) -> list[str]:
    """The words of a question that the stores look for too; common ones they leave out."""
    wanted = set(query_terms(question))
    return [word for word in dict.fromkeys(_bare_words(question)) if wanted.intersection(terms_of(word))]


def _bare_words(text: str) -> list[str]:
    return [word.strip("?.,").lower() for word in text.split()]


class PlainText:
    """An ordinary FTS5 table of the same texts, in a file of its own."""

    def __init__(self, path: Path, texts: Sequence[str]) -> None:
        self._database = sqlite3.connect(path)
        # What the store sets too.
        self._database.execute("PRAGMA mmap_size = 268435456")
        self._database.execute("CREATE VIRTUAL TABLE plain USING fts5 (text, tokenize = 'porter unicode61')")
        self._database.executemany("INSERT INTO plain (text) VALUES (?)", ((text,) for text in texts))
        self._database.commit()

    def arm(self, questions: Sequence[str], *, all_words: bool = False) -> Arm:
        chosen = [_bare_words(each) if all_words else telling_words(each) for each in questions]
        matches = [" OR ".join(f'"{word}"' for word in words) for words in chosen]

        async def search(number: int) -> None:
            self.best(matches[number % len(matches)])

        return search

    def best(self, match: str) -> list[int]:
        found = self._database.execute(
            "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain) LIMIT ?", (match, LIMIT)
        )
        return [row[0] for row in found.fetchall()]

    def close(self) -> None:
        self._database.close()
