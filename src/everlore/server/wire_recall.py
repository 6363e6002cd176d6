"""Requests and answers for recall: searches, who knows what, gossip, and misses (R5 to R12)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from pydantic import AwareDatetime, BaseModel, Field

from everlore.domain.config_choices import RecipeName
from everlore.domain.knowledge import Knows, Telling
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.miss import Miss
from everlore.domain.passage import Passage, PassageKind, passage_of
from everlore.domain.recalled import Recalled
from everlore.domain.roll import Roll
from everlore.recall.answer import Dropped, RecallAnswer, Step, WhyNotVerdict
from everlore.server.wire import Given, ListOf, RecordModel, Text
from everlore.server.wire_memories import Id, MemoryOut, Share, memory_out
from everlore.services.knowledge import KnownMemory
from everlore.store.answers import Coverage, PairActivity, Partner
from everlore.turn.gossip import LIMIT, THRESHOLD, Suggested

_MOST_GOSSIP = 50
_MS = 1_000

# ── search ───────────────────────────────────────────────────────────────────────────────────────


class Included(StrEnum):
    MEMORIES = "memories"
    MESSAGES = "messages"
    SUMMARIES = "summaries"
    EVENTS = "events"
    ENTITIES = "entities"


KIND_OF: Mapping[Included, PassageKind] = {
    Included.MEMORIES: PassageKind.MEMORY,
    Included.MESSAGES: PassageKind.MESSAGE,
    Included.SUMMARIES: PassageKind.SUMMARY,
    Included.EVENTS: PassageKind.EVENT,
    Included.ENTITIES: PassageKind.ENTITY,
}


class Question(Given):
    """`person_id` searches only what that person knows, first-hand or second-hand. `as_of` searches what was believed
    and valid at that time."""

    query: str = Field(max_length=100_000)
    person_id: Id | None = None
    partner_id: Id | None = Field(None, description="The second person of a pair; needs person_id.")
    conversation_id: Id | None = None
    campaign_id: Id | None = None
    types: tuple[MemoryType, ...] = Field((), max_length=100)
    limit: int = Field(10, ge=1, le=500)
    min_similarity: Share | None = Field(
        None,
        description="Minimum similarity; null: every text with any similarity.",
    )
    as_of: AwareDatetime | None = None
    recipe: RecipeName | None = Field(None, description="The ranking; null: that of the conversation's replies.")
    include: tuple[Included, ...] = Field((Included.MEMORIES, Included.EVENTS), min_length=1, max_length=10)


class WhyNotAsked(Question):
    reply_in: Id | None = Field(
        None,
        description="Explain the recall for the reply to `query` in this conversation instead.",
    )


class NewSearch(Question):
    explain: bool = Field(False, description="Also return what was dropped, at which step and why.")


class HitOut(RecordModel):
    """`score` is the sort key, `parts` its components, `why` the reason in a sentence. A `doubtful` hit is a weak
    match; these come last. `memory` is the complete memory, if the hit is one; `at` is when it happened."""

    kind: PassageKind
    id: str
    type: str
    content: str
    score: float
    doubtful: bool
    parts: dict[str, float]
    why: str
    at: datetime
    persons: tuple[str, ...]
    conversation_id: str | None
    campaign_id: str | None
    memory: MemoryOut | None


class DroppedOut(RecordModel):
    """A candidate that was dropped: at which step, and why."""

    kind: PassageKind
    id: str
    content: str
    step: Step
    why: str
    score: float
    parts: dict[str, float]


class CoverageOut(RecordModel, record=Coverage):
    """How many texts were searched, and how many of them are indexed by meaning."""

    share: float


class HitList(BaseModel):
    """The best match first. `dropped` and `steps` (the milliseconds of each step) are empty without `explain`."""

    items: list[HitOut]
    next: str | None
    coverage: CoverageOut
    dropped: list[DroppedOut]
    steps: dict[str, float]


class WhyNot(RecordModel, record=WhyNotVerdict, without=("memory_id",)):
    """`step` is where the memory is dropped; null if it is found, and then `place` is its rank from 1. There is no
    `score` if it was not compared at all."""


def answer_out(answer: RecallAnswer, reader: str, *, explained: bool) -> HitList:
    return HitList(
        items=[hit_out(each, reader) for each in answer.hits],
        next=None,
        coverage=CoverageOut.of(answer.coverage),
        dropped=[_dropped_out(each) for each in answer.dropped],
        steps={name: round(seconds * _MS, 3) for name, seconds in answer.steps.items()} if explained else {},
    )


def hit_out(recalled: Recalled, reader: str = "") -> HitOut:
    record, passage = recalled.record, _passage(recalled)
    return HitOut.of(
        passage,
        kind=recalled.kind,
        id=passage.ref,
        content=passage.text,
        score=recalled.score,
        doubtful=recalled.is_doubtful,
        parts=dict(recalled.parts),
        why=recalled.why,
        memory=memory_out(record, reader) if isinstance(record, Memory) else None,
    )


def _dropped_out(dropped: Dropped) -> DroppedOut:
    recalled, passage = dropped.recalled, _passage(dropped.recalled)
    return DroppedOut.of(recalled, id=passage.ref, content=passage.text, step=dropped.step, why=dropped.why)


def _passage(recalled: Recalled) -> Passage:
    passage = passage_of(recalled.record)
    assert passage is not None, "only passages are found"
    return passage


# ── who knows what ───────────────────────────────────────────────────────────────────────────────


class Knowledge(RecordModel, record=Knows, without=("memory_id", "knower_id")):
    """`how`: witnessed, told, or authored for them. `from_id` told them; `chain` lists who passed it on, first the
    witness; `degree` counts the steps, 0 for a witness."""


class KnowerOut(Knowledge):
    """Names of deleted persons are empty."""

    person_id: str
    name: str
    from_name: str


class KnowerList(ListOf[KnowerOut]):
    """Witnesses first."""


class KnownOut(Knowledge):
    memory: MemoryOut


class PartnerOut(RecordModel, record=Partner):
    """A person who shares `memories` with this one; the last was made at `last_at`."""

    name: str


class PartnerList(ListOf[PartnerOut]):
    """Who shares most comes first."""


class MemoryKnown(BaseModel):
    """A memory and everyone who knows it, witnesses first."""

    memory: MemoryOut
    knowers: list[KnowerOut]


class BondOut(RecordModel, record=PairActivity):
    """Two persons who share `memories`, `talks` or `interactions`, the last at `last_at`."""


class NewTelling(Given):
    teller_id: Id
    listener_id: Id


class TellingOut(RecordModel, record=Telling, without=("created_at",)):
    """`degree` counts the steps to the listener, `certainty` is what remains after them."""


def knower_out(knows: Knows, names: Mapping[str, str]) -> KnowerOut:
    name, from_name = (names.get(id or "", "") for id in (knows.knower_id, knows.from_id))
    return KnowerOut.of(knows, person_id=knows.knower_id, name=name, from_name=from_name)


def known_out(known: KnownMemory, reader: str) -> KnownOut:
    return KnownOut.of(known.knows, memory=memory_out(known.memory, reader))


def partner_out(partner: Partner, names: Mapping[str, str]) -> PartnerOut:
    return PartnerOut.of(partner, name=names.get(partner.person_id, ""))


def memory_known(memory: Memory, knowers: Sequence[Knows], names: Mapping[str, str], reader: str) -> MemoryKnown:
    return MemoryKnown(memory=memory_out(memory, reader), knowers=[knower_out(each, names) for each in knowers])


# ── gossip ───────────────────────────────────────────────────────────────────────────────────────


class GossipAsk(Given):
    person_id: Id = Field(description="Who could tell it.")
    exclude_person_id: Id | None = Field(None, description="The listener; what they know is left out.")
    query: str = Field(max_length=100_000)
    limit: int = Field(LIMIT, ge=1, le=_MOST_GOSSIP)
    threshold: Share = Field(THRESHOLD, description="Minimum relevance.")


class GossipList(ListOf[HitOut]):
    """The most relevant first."""


class NewGossip(Given):
    content: Text = Field(description="The user's draft.")
    roll: bool = Field(True, description="Whether the character may let something slip.")


class RollOut(RecordModel, record=Roll):
    """A d20 below `difficulty` lets `memory_id` slip out; null: it was kept. `seq` is the number of the message that
    the roll is for; editing the draft does not roll again."""


class RollList(ListOf[RollOut]):
    """In the order of their messages."""


class SuggestedGossip(BaseModel):
    """`token` is what slipped out, to append to the message, where the user can delete it; else empty. `roll` is null
    if nothing could slip out."""

    items: list[HitOut]
    roll: RollOut | None
    token: str


def suggested_out(suggested: Suggested, reader: str) -> SuggestedGossip:
    return SuggestedGossip(
        items=[hit_out(each, reader) for each in suggested.items],
        roll=RollOut.of(suggested.roll) if suggested.roll else None,
        token=suggested.blurted,
    )


# ── misses ───────────────────────────────────────────────────────────────────────────────────────


class MissOut(RecordModel, record=Miss):
    """The beginning of a message for which nothing was found, and the size of the index at that time."""
