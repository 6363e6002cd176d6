"""What goes over the wire of recall: questions and what comes back, who knows what, gossip, and misses (R5 to R12)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from pydantic import AwareDatetime, BaseModel, Field

from everlore.domain.config import RecipeName
from everlore.domain.knowledge import How, Knows, Telling
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.miss import Miss
from everlore.domain.passage import Passage, PassageKind, passage_of
from everlore.domain.recalled import Recalled
from everlore.domain.roll import Roll
from everlore.recall.answer import Dropped, RecallAnswer, Step, WhyNotVerdict
from everlore.server.wire import Given, Text
from everlore.server.wire_memories import Id, MemoryOut, Share, memory_out
from everlore.services.knowledge import KnownMemory
from everlore.store.port import Coverage, PairActivity, Partner
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


class HitOut(BaseModel):
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


class DroppedOut(BaseModel):
    """What was looked at and not brought back: at which step, and why."""

    kind: PassageKind
    id: str
    content: str
    step: Step
    why: str
    score: float
    parts: dict[str, float]


class CoverageOut(BaseModel):
    """How many texts there are in what was searched, and how many of them are indexed by meaning."""

    passages: int
    embedded: int
    share: float


class HitList(BaseModel):
    """The best first. `dropped`, and `steps` with the milliseconds that each step took, are empty unless it was asked
    to explain."""

    items: list[HitOut]
    next: str | None
    coverage: CoverageOut
    dropped: list[DroppedOut]
    steps: dict[str, float]


class WhyNot(BaseModel):
    """`step` is the one that drops the memory; null where it is brought back, and then `place` counts from 1. Where it
    was not even compared, there is no `score`."""

    step: Step | None
    why: str
    place: int | None
    score: float | None
    parts: dict[str, float]


def answer_out(answer: RecallAnswer, reader: str, *, explained: bool) -> HitList:
    return HitList(
        items=[hit_out(each, reader) for each in answer.hits],
        next=None,
        coverage=_coverage_out(answer.coverage),
        dropped=[_dropped_out(each) for each in answer.dropped],
        steps={name: round(seconds * _MS, 3) for name, seconds in answer.steps.items()} if explained else {},
    )


def hit_out(recalled: Recalled, reader: str = "") -> HitOut:
    record, passage = recalled.record, _passage(recalled)
    return HitOut(
        kind=recalled.kind,
        id=passage.ref,
        type=passage.type,
        content=passage.text,
        score=recalled.score,
        doubtful=recalled.is_doubtful,
        parts=dict(recalled.parts),
        why=recalled.why,
        at=passage.at,
        persons=passage.persons,
        conversation_id=passage.conversation_id,
        campaign_id=passage.campaign_id,
        memory=memory_out(record, reader) if isinstance(record, Memory) else None,
    )


def why_not_out(verdict: WhyNotVerdict) -> WhyNot:
    own = set(WhyNot.model_fields) - {"parts"}
    return WhyNot(**{name: getattr(verdict, name) for name in own}, parts=dict(verdict.parts))


def _dropped_out(dropped: Dropped) -> DroppedOut:
    passage = _passage(dropped.recalled)
    return DroppedOut(
        kind=dropped.recalled.kind,
        id=passage.ref,
        content=passage.text,
        step=dropped.step,
        why=dropped.why,
        score=dropped.recalled.score,
        parts=dict(dropped.recalled.parts),
    )


def _passage(recalled: Recalled) -> Passage:
    passage = passage_of(recalled.record)
    assert passage is not None, "only passages are found"
    return passage


def _coverage_out(coverage: Coverage) -> CoverageOut:
    return CoverageOut(passages=coverage.passages, embedded=coverage.embedded, share=coverage.share)


# ── who knows what ───────────────────────────────────────────────────────────────────────────────


class Knowledge(BaseModel):
    """`how`: witnessed, told, or authored for them. `from_id` told them; `chain` says by whom it came, first the one
    who was there; `degree` through how many mouths, 0 for whoever was there."""

    how: How
    since: datetime
    from_id: str | None
    degree: int
    certainty: float
    chain: tuple[str, ...]


class KnowerOut(Knowledge):
    """Names are empty for whoever has been deleted since."""

    person_id: str
    name: str
    from_name: str


class KnowerList(BaseModel):
    """Those who were there first."""

    items: list[KnowerOut]
    next: str | None


class KnownOut(Knowledge):
    memory: MemoryOut


class KnownList(BaseModel):
    items: list[KnownOut]
    next: str | None


class PartnerOut(BaseModel):
    """Somebody who shares `memories` with the person, the last of them made at `last_at`."""

    person_id: str
    name: str
    memories: int
    last_at: datetime


class PartnerList(BaseModel):
    """Those who share most first."""

    items: list[PartnerOut]
    next: str | None


class MemoryKnown(BaseModel):
    """A memory, and everybody who knows it, those who were there first. Whoever is not named does not know it."""

    memory: MemoryOut
    knowers: list[KnowerOut]


class MemoryKnownList(BaseModel):
    items: list[MemoryKnown]
    next: str | None


class BondOut(BaseModel):
    """Two persons who share `memories`, were in `talks` together, or had `interactions`, the last at `last_at`."""

    one_id: str
    other_id: str
    memories: int
    talks: int
    interactions: int
    last_at: datetime


class NewTelling(Given):
    teller_id: Id
    listener_id: Id


class TellingOut(BaseModel):
    """`degree` is by how many mouths the listener has it, and `certainty` what that leaves of it."""

    id: str
    memory_id: str
    teller_id: str
    listener_id: str
    conversation_id: str | None
    message_id: str | None
    degree: int
    certainty: float
    told_at: datetime


def knower_out(knows: Knows, names: Mapping[str, str]) -> KnowerOut:
    return KnowerOut(
        **_knowledge(knows),
        person_id=knows.knower_id,
        name=names.get(knows.knower_id, ""),
        from_name=names.get(knows.from_id or "", ""),
    )


def known_out(known: KnownMemory, reader: str) -> KnownOut:
    return KnownOut(**_knowledge(known.knows), memory=memory_out(known.memory, reader))


def _knowledge(knows: Knows) -> dict[str, object]:
    return {name: getattr(knows, name) for name in Knowledge.model_fields}


def partner_out(partner: Partner, names: Mapping[str, str]) -> PartnerOut:
    return PartnerOut(
        person_id=partner.person_id,
        name=names.get(partner.person_id, ""),
        memories=partner.memories,
        last_at=partner.last_at,
    )


def memory_known(memory: Memory, knowers: Sequence[Knows], names: Mapping[str, str], reader: str) -> MemoryKnown:
    return MemoryKnown(memory=memory_out(memory, reader), knowers=[knower_out(each, names) for each in knowers])


def bond_out(bond: PairActivity) -> BondOut:
    return BondOut(**{name: getattr(bond, name) for name in BondOut.model_fields})


def telling_out(telling: Telling) -> TellingOut:
    return TellingOut(**{name: getattr(telling, name) for name in TellingOut.model_fields})


# ── gossip ───────────────────────────────────────────────────────────────────────────────────────


class GossipAsk(Given):
    person_id: Id = Field(description="Who could tell.")
    exclude_person_id: Id | None = Field(None, description="Who would hear it: what this one knows is left out.")
    query: str = Field(max_length=100_000)
    limit: int = Field(LIMIT, ge=1, le=_MOST_GOSSIP)
    threshold: Share = Field(THRESHOLD, description="Leave out what is less relevant.")


class GossipList(BaseModel):
    """The most relevant first."""

    items: list[HitOut]
    next: str | None


class NewGossip(Given):
    content: Text = Field(description="What the user is about to say.")
    roll: bool = Field(True, description="Whether something may slip out of a character that cannot keep quiet.")


class RollOut(BaseModel):
    """A d20 that fell below `difficulty` lets `memory_id` slip out; null: it was kept. `seq` is the number of the
    message that it was made for: who types on does not roll again."""

    id: str
    conversation_id: str
    person_id: str
    seq: int
    seed: str
    difficulty: int
    rolled: int
    memory_id: str | None
    created_at: datetime


class RollList(BaseModel):
    """In the order of the messages that they were made for."""

    items: list[RollOut]
    next: str | None


class SuggestedGossip(BaseModel):
    """`token` is what slipped out, to be added to the message, where the user can take it out again; else empty. `roll`
    is null where nothing could slip."""

    items: list[HitOut]
    roll: RollOut | None
    token: str


def suggested_out(suggested: Suggested, reader: str) -> SuggestedGossip:
    return SuggestedGossip(
        items=[hit_out(each, reader) for each in suggested.items],
        roll=roll_out(suggested.roll) if suggested.roll else None,
        token=suggested.blurted,
    )


def roll_out(roll: Roll) -> RollOut:
    return RollOut(**{name: getattr(roll, name) for name in RollOut.model_fields})


# ── misses ───────────────────────────────────────────────────────────────────────────────────────


class MissOut(BaseModel):
    """The beginning of a message for which nothing came back, and what the index held then."""

    id: str
    query: str
    mode: str
    conversation_id: str | None
    message_id: str | None
    person_id: str | None
    passages: int
    embedded: int
    embedder: str
    created_at: datetime


class MissList(BaseModel):
    items: list[MissOut]
    next: str | None


def miss_out(miss: Miss) -> MissOut:
    return MissOut(**{name: getattr(miss, name) for name in MissOut.model_fields})
