"""A corpus with its vectors, and questions with theirs: all that a measurement needs, made once for every store."""

from dataclasses import dataclass

from benchmarks.corpus import Corpus, make_corpus, make_questions
from benchmarks.references import Matrix, Row
from everlore.models.embedder import Embedder


@dataclass(frozen=True, slots=True)
class Data:
    """Row by row: `vectors` are those of the corpus's memories, `asked` those of the questions."""

    corpus: Corpus
    vectors: Matrix
    questions: tuple[str, ...]
    asked: tuple[Row, ...]
    model: str


async def make_data(size: int, queries: int, seed: int, embedder: Embedder) -> Data:
    corpus = make_corpus(size, seed)
    questions = tuple(make_questions(queries, seed))
    vectors = await embedder.embed(corpus.texts)
    return Data(corpus, vectors, questions, tuple(await embedder.embed(questions)), embedder.name)
