"""The query of every recall: what is recalled, for whom, and where (R2, R11). Pure.

Start at `RecallQuery`; `search_of` translates it for the store.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from everlore.domain.conversation import Conversation
from everlore.domain.layer import Layer
from everlore.domain.passage import PassageKind
from everlore.domain.scope import Pair
from everlore.domain.visibility import NOWHERE, Place, Viewer
from everlore.language.glossary import glossed
from everlore.recall.query_embedding import QueryEmbedding
from everlore.recall.recipes import SEARCH, Recipe
from everlore.store.port import Search
from everlore.store.visibility_filters import as_seen_by

# The question is in the last words; a pasted book would bury it.
_LONG_CHARS = 1_000
_LAST_CHARS = 400
_MOST_CHARS = 4_000
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")
_SENTENCE = re.compile(r"(?<=[.!?…\n])\s+")
_PAST = re.compile(
    r"\b(?:used to|before|previous(?:ly)?|former(?:ly)?|earlier|in the past|back then|no longer|any ?more|once|"
    r"originally|at first|at the time|old|ex|first|history|changed?|until)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class RecallQuery:
    """`viewer` and `place` say what may be seen at all, and `recipe` what is searched and what counts. The other fields
    narrow that: `pair` asks for what two persons share; what any of the persons in `without` has a part in is left out;
    `kinds` are those of the recipe if none are named; with `min_similarity` the score alone decides.

    A reply is recalled for the character that is the viewer, in the conversation `here`. `on_screen` are the messages
    that are in its prompt anyway; `layers` those that have room; `begins`: the conversation has just begun, and starts
    with what the two have shared before (M3).

    `listener_id` is who is told gossip, which needs a relevance of at least `gossip_threshold`, and is off without one
    (R6). `explain` keeps what was dropped; `traced` is a memory whose path through recall is reported.
    """

    text: str
    viewer: Viewer
    place: Place = NOWHERE
    recipe: Recipe = SEARCH
    limit: int = 10
    pair: Pair | None = None
    without: frozenset[str] = frozenset()
    conversation_id: str | None = None
    campaign_id: str | None = None
    types: frozenset[str] = frozenset()
    kinds: frozenset[PassageKind] = frozenset()
    as_of: datetime | None = None
    min_similarity: float | None = None
    here: Conversation | None = None
    on_screen: frozenset[str] = frozenset()
    layers: frozenset[Layer] = frozenset(Layer)
    begins: bool = False
    listener_id: str | None = None
    gossip_threshold: float | None = None
    explain: bool = False
    traced: str | None = None

    @cached_property
    def words(self) -> str:
        return focus_of(self.text)

    @property
    def all_kinds(self) -> frozenset[PassageKind]:
        return self.kinds or self.recipe.kinds

    @cached_property
    def seen_from(self) -> Place:
        """A question about the past also finds what no longer holds (M7). In a reply, what a user shares with all
        characters has a source of its own."""
        if self.here is not None:
            return replace(self.place, user_id=None)
        return replace(self.place, looks_back=self.as_of is None and bool(_PAST.search(self.words)))


def focus_of(text: str) -> str:
    """The question in a text: its last sentences if it is long, without characters that no text can contain. A question
    in another language is also asked in English, because memories are kept in English."""
    text = _UNREADABLE.sub(" ", text[-_MOST_CHARS:])
    if len(text) <= _LONG_CHARS:
        return glossed(text)
    sentences = _SENTENCE.split(text[-_LONG_CHARS:].strip())
    kept = sentences.pop()
    while sentences and len(kept) + len(sentences[-1]) < _LAST_CHARS:
        kept = f"{sentences.pop()} {kept}"
    return glossed(kept)


def search_of(
    question: RecallQuery,
    meaning: QueryEmbedding,
    kinds: frozenset[PassageKind],
    *,
    pool: int,
    vector_weight: float,
    refs: frozenset[str] | None = None,
) -> Search:
    asked = Search(
        text=question.words,
        vector=meaning.vector,
        model=meaning.model,
        kinds=kinds,
        pair=question.pair,
        without=question.without or None,
        conversation_id=question.conversation_id,
        campaign_id=question.campaign_id,
        types=question.types,
        as_of=question.as_of,
        refs=refs,
        limit=pool,
        pool=pool,
        vector_weight=vector_weight,
    )
    return as_seen_by(asked, question.viewer, question.seen_from)
