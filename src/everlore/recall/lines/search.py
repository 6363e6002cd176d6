"""Searches the relevant lines of past conversations and ranks them. The same for a question and for a turn.

Start at `line_search`; its results are `gathered` with their neighbours, and ranked by `best_lines`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.models.embedder import unit_rows
from everlore.recall.lines.features import Words
from everlore.recall.lines.gather import GatheredLines
from everlore.recall.lines.query import wanted_by
from everlore.recall.lines.ranking import ranked
from everlore.recall.names import QueryNames
from everlore.recall.query_embedding import QueryEmbedding
from everlore.recall.reasons import line_of
from everlore.recall.wording import Wording
from everlore.store.checks import MOST_LIMIT
from everlore.store.port import Search, Vector

_MESSAGES = frozenset({PassageKind.MESSAGE})


def line_search(ask: Search, wording: Wording, meanings: Sequence[QueryEmbedding]) -> Search:
    """`ask` gives the scope; `meanings` are the embeddings of the wording, of its topic and of the personal form."""
    _, topic, personal = meanings
    return replace(
        ask,
        kinds=_MESSAGES,
        text=wording.topic,
        vector=_between(topic, personal),
        model=topic.model,
        limit=min(2 * ask.pool, MOST_LIMIT),
    )


def _between(one: QueryEmbedding, other: QueryEmbedding) -> Vector | None:
    """The mean of two embeddings: the topic without names, and as the person would say it."""
    if one.vector is None or other.vector is None:
        return one.vector
    both: Vector = unit_rows((one.vector + other.vector)[None])[0]
    return both


async def best_lines(
    lines: GatheredLines, wording: Wording, named: QueryNames, *, words: Words, now: datetime, most: int | None
) -> list[Recalled]:
    """The best of them, or all if dropped ones are to be reported."""
    person_ids = frozenset(each.id for each in named.persons)
    wanted = wanted_by(wording.bare, weights=lines.found.weights, now=now, named_ids=person_ids)
    # In a thread: thousands of words are compared, which would delay other replies.
    best = await asyncio.to_thread(ranked, wanted, lines.lines, words, most)
    return [line_of(each, lines.hits.get(each.message.id)) for each in best]
