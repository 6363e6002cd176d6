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
    """With `person_id`: only what that person knows, having been there or been told. `as_of` asks what was believed,
    and held, at that time."""

    query: str = Field(max_length=100_000)
    person_id: Id | None = None
    partner_id: Id | None = Field(None, description="The other one of a pair that shares it; needs person_id.")
    conversation_id: Id | None = None
    campaign_id: Id | None = None
    types: tuple[MemoryType, ...] = Field((), max_length=100)
    limit: int = Field(10, ge=1, le=500)
    min_similarity: Share | None = Field(
        None,
        description="Leave out what scores less; null: nothing that is at all like the question is left out.",
    )
    as_of: AwareDatetime | None = None
    recipe: RecipeName | None = Field(
        None, description="How much age and weight count; null: as for the replies of that conversation."
    )
    include: tuple[Included, ...] = Field((Included.MEMORIES, Included.EVENTS), min_length=1, max_length=10)


class WhyNotAsked(Question):
    reply_in: Id | None = Field(
        None,
        description="Of the recall for the reply to `query` in this conversation, by its own recipe and room, instead.",
    )


class NewSearch(Question):
    explain: bool = Field(False, description="Say also what was dropped, at which step and why.")


class HitOut(RecordModel):
    """`score` is what it is sorted by, `parts` what that is made of, `why` the reason in a sentence. What is `doubtful`
    is the best there is, and perhaps not meant; it comes last. `memory` is the whole of it where the hit is a memory;
    `at` says when it happened."""

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
    """What was looked at and not brought back: at which step, and why."""

    kind: PassageKind
    id: str
    content: str
    step: Step
    why: str
    score: float
    parts: dict[str, float]


class CoverageOut(RecordModel, record=Coverage):
    """How many texts there are in what was searched, and how many of them are indexed by meaning."""

    share: float


class HitList(BaseModel):
    """The best first. `dropped`, and `steps` with the milliseconds that each step took, are empty unless it was asked
    to explain."""

    items: list[HitOut]
    next: str | None
    coverage: CoverageOut
    dropped: list[DroppedOut]
    steps: dict[str, float]


class WhyNot(RecordModel, record=WhyNotVerdict, without=("memory_id",)):
    """`step` is the one that drops the memory; null where it is brought back, and then `place` counts from 1. Where it
    was not even compared, there is no `score`."""


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
    """`how`: witnessed, told, or authored for them. `from_id` told them; `chain` says by whom it came, first the one
    who was there; `degree` through how many mouths, 0 for whoever was there."""


class KnowerOut(Knowledge):
    """Names are empty for whoever has been deleted since."""

    person_id: str
    name: str
    from_name: str


class KnowerList(ListOf[KnowerOut]):
    """Those who were there first."""


class KnownOut(Knowledge):
    memory: MemoryOut


class PartnerOut(RecordModel, record=Partner):
    """Somebody who shares `memories` with the person, the last of them made at `last_at`."""

    name: str


class PartnerList(ListOf[PartnerOut]):
    """Those who share most first."""


class MemoryKnown(BaseModel):
    """A memory, and everybody who knows it, those who were there first. Whoever is not named does not know it."""

    memory: MemoryOut
    knowers: list[KnowerOut]


class BondOut(RecordModel, record=PairActivity):
    """Two persons who share `memories`, were in `talks` together, or had `interactions`, the last at `last_at`."""


class NewTelling(Given):
    teller_id: Id
    listener_id: Id


class TellingOut(RecordModel, record=Telling, without=("created_at",)):
    """`degree` is by how many mouths the listener has it, and `certainty` what that leaves of it."""


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
    person_id: Id = Field(description="Who could tell.")
    exclude_person_id: Id | None = Field(None, description="Who would hear it: what this one knows is left out.")
    query: str = Field(max_length=100_000)
    limit: int = Field(LIMIT, ge=1, le=_MOST_GOSSIP)
    threshold: Share = Field(THRESHOLD, description="Leave out what is less relevant.")


class GossipList(ListOf[HitOut]):
    """The most relevant first."""


class NewGossip(Given):
    content: Text = Field(description="What the user is about to say.")
    roll: bool = Field(True, description="Whether something may slip out of a character that cannot keep quiet.")


class RollOut(RecordModel, record=Roll):
    """A d20 that fell below `difficulty` lets `memory_id` slip out; null: it was kept. `seq` is the number of the
    message that it was made for: who types on does not roll again."""


class RollList(ListOf[RollOut]):
    """In the order of the messages that they were made for."""


class SuggestedGossip(BaseModel):
    """`token` is what slipped out, to be added to the message, where the user can take it out again; else empty. `roll`
    is null where nothing could slip."""

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
    """The beginning of a message for which nothing came back, and what the index held then."""
