"""Decides what a new statement means for the known ones (M7, M8, M11). Pure.

In: the candidate, similar memories, the embedding model's thresholds, and when it was said. Out: one `SaveVerdict`. If
both statements have a frame, the frames decide; otherwise similarity, which only merges: it retires nothing, and merges
nothing whose names, numbers, negation or tense differ. Retiring a true memory is the worse error, so in doubt it stays.

Start at `decide`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from everlore.domain.claim import Claim, Slot
from everlore.domain.dates import when
from everlore.domain.memory import Memory, MemoryType, Status, is_persons, said_of
from everlore.domain.revision import holds_at
from everlore.learning.candidate import Candidate
from everlore.learning.claims import ClaimFrame, since_of
from everlore.learning.relations import Relation, relation
from everlore.learning.saving.likeness import Statement, is_alike, more_specific, read, same_words, stated
from everlore.settings import SavingSettings


class VerdictKind(StrEnum):
    EXACT = "exact"
    REINFORCES = "reinforces"
    RELATED = "related"
    CONTRADICTS = "contradicts"
    DIFFERENT = "different"
    ENDS = "ends"
    BLOCKED = "blocked"
    WAITS = "waits"
    PAST = "past"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Minimum similarity for two statements to agree. `related`: minimum for a link."""

    facts: float = 0.85
    segments: float = 0.92
    words: float = 0.85
    related: float = 0.75


DEFAULTS = Thresholds()
# By embedding model; docs/learning.md has the measurements.
THRESHOLDS: dict[str, Thresholds] = {
    "wordllama-l2-256": Thresholds(facts=0.90, segments=0.95, related=0.75),
    "hashing-64": Thresholds(facts=0.95, segments=0.95, related=0.60),
}


def thresholds_for(model: str | None, chosen: SavingSettings | None = None) -> Thresholds:
    """The model's measured thresholds, overridden by the operator's choices."""
    measured = THRESHOLDS.get(model or "", DEFAULTS)
    return replace(measured, **chosen.model_dump(exclude_none=True)) if chosen else measured


@dataclass(frozen=True, slots=True)
class Neighbour:
    """`cosine`: None if the memory has no vector; `jaccard`: the share of common stems. `statement`: the memory's
    parsed statement, if available."""

    memory: Memory
    cosine: float | None
    jaccard: float
    statement: Statement | None = None


@dataclass(frozen=True, slots=True)
class SaveVerdict:
    """`memories`: those it is about, closest first. `holds_from`: start date in the statement. `opposed`: what
    contradicts a statement that is known already; `outdated`: those of them that are over now."""

    kind: VerdictKind
    holds_from: datetime
    memories: tuple[Memory, ...] = ()
    wording: str = ""
    related: tuple[Memory, ...] = ()
    opposed: tuple[Memory, ...] = ()
    outdated: tuple[Memory, ...] = ()


_MOST_RELATED = 3
# Minimum share of common words for a link, without a vector.
_LEAST_SHARED = 0.5
# How far a vague "two months ago" may precede a later statement and still be news.
_SLACK = timedelta(days=90)
_SAME = frozenset({Relation.SAME, Relation.FINER, Relation.COARSER})
_OPPOSED = frozenset({Relation.OPPOSED, Relation.OPPOSED_IF_ALONE})


@dataclass(frozen=True, slots=True)
class _Judged:
    neighbour: Neighbour
    statement: Statement
    relation: Relation
    is_word_for_word: bool

    @property
    def memory(self) -> Memory:
        return self.neighbour.memory

    @property
    def likeness(self) -> tuple[float, float]:
        return self.neighbour.cosine or 0.0, self.neighbour.jaccard


def decide(
    new: Candidate,
    neighbours: Sequence[Neighbour],
    thresholds: Thresholds,
    *,
    said_at: datetime,
    source_ids: frozenset[str] = frozenset(),
    by_hand: bool = False,
    holds: tuple[datetime | None, datetime | None] = (None, None),
) -> SaveVerdict:
    """`source_ids`: the candidate's messages. `by_hand`: a person says it, so rejections do not block it, and it may
    replace what people said before. `holds`: start and end, if given."""
    statement = read(new.content, new.claim)
    begins, ends = holds
    since = begins or holds_from(statement, said_at)
    least = thresholds.facts if new.category is not None else thresholds.segments
    alike = [each for each in neighbours if _is_of_a_kind(new, each.memory)]
    judged = [_judged(statement, each, least, thresholds, said_at) for each in alike]
    if ends is not None and ends <= said_at:
        # A fact that was over when told ends nothing, and matches only memories with the same end.
        judged = [_as_past(each, ends) for each in judged]
    known = _known(judged, said_at, source_ids)
    # The person who rejected it may have stated it since.
    is_theirs = by_hand or (known is not None and known.is_word_for_word and is_persons(known.memory))
    blocked = () if is_theirs else tuple(each.memory for each in judged if _is_blocked(each, source_ids))
    if blocked:
        return SaveVerdict(VerdictKind.BLOCKED, since, blocked)
    said = _Saying(statement, since, said_at, by_hand, is_dated=begins is not None)
    opposed = _opposed(judged)
    if known is not None:
        return _merged(said, known, opposed)
    return _beside(said, judged, opposed)


def across(own: SaveVerdict, elsewhere: SaveVerdict) -> SaveVerdict:
    """Adds what the same user told others: contradictions there end too, or make the statement wait or part of the
    past. A repetition there is ignored, because the listener here did not know it (V13)."""
    if own.kind in (VerdictKind.BLOCKED, VerdictKind.PAST) or elsewhere.kind not in _SETTLING:
        return own
    if own.kind in (VerdictKind.EXACT, VerdictKind.REINFORCES):
        is_over = elsewhere.kind in (VerdictKind.CONTRADICTS, VerdictKind.ENDS)
        return replace(own, outdated=(*own.outdated, *elsewhere.memories)) if is_over else own
    if own.kind in (VerdictKind.DIFFERENT, VerdictKind.RELATED):
        return replace(elsewhere, related=own.related)
    if elsewhere.kind is VerdictKind.PAST:
        return own
    waits = VerdictKind.WAITS in (own.kind, elsewhere.kind)
    return replace(own, kind=VerdictKind.WAITS if waits else own.kind, memories=(*own.memories, *elsewhere.memories))


_SETTLING = frozenset({VerdictKind.CONTRADICTS, VerdictKind.ENDS, VerdictKind.WAITS, VerdictKind.PAST})


@dataclass(frozen=True, slots=True)
class _Saying:
    """The new statement and its dates. `is_dated`: it says since when it holds."""

    statement: Statement
    since: datetime
    at: datetime
    by_hand: bool
    is_dated: bool

    def is_news_to(self, memory: Memory) -> bool:
        """Whether it clearly came after the known one: a change, a later date, a higher age."""
        frame, old = self.statement.frame, stated(memory).frame
        if frame is not None and frame.is_change:
            return True
        if self.is_dated or self.since < self.at:
            return self.since > (memory.valid_from or said_of(memory))
        is_age = frame is not None and old is not None and frame.slot is old.slot is Slot.AGE
        return is_age and _years(frame) > _years(old)


def _years(frame: ClaimFrame | None) -> int:
    (said,) = frame.value if frame is not None and len(frame.value) == 1 else ("",)
    return int(said) if said.isdecimal() else 0


def _is_of_a_kind(new: Candidate, memory: Memory) -> bool:
    """A segment's summary and the facts learned in it exist side by side, even with the same text (K1). A rejected
    statement blocks both kinds."""
    is_summary = MemoryType.OUTCOME in (new.type, memory.type)
    return not is_summary or new.type is memory.type or memory.status is Status.REJECTED


def holds_from(statement: Statement, said_at: datetime) -> datetime:
    """The start date in the statement, or when it was said."""
    claim = statement.claim
    since = claim.since if claim is not None and claim.since else since_of(claim or Claim(), statement.text, said_at)
    return min(since or said_at, said_at)


# ── comparison with one memory ───────────────────────────────────────────────────────────────────


def _judged(
    statement: Statement, neighbour: Neighbour, least: float, thresholds: Thresholds, said_at: datetime
) -> _Judged:
    other = neighbour.statement or stated(neighbour.memory)
    exact = same_words(statement, other)
    found = Relation.SAME if exact else _relation(statement, other, neighbour, least, thresholds, said_at)
    return _Judged(neighbour, other, found, exact)


def _as_past(each: _Judged, ended: datetime) -> _Judged:
    is_known = each.is_word_for_word and each.memory.valid_to == ended
    return each if is_known or each.relation is Relation.APART else replace(each, relation=Relation.BESIDE)


def _relation(
    new: Statement, old: Statement, neighbour: Neighbour, least: float, thresholds: Thresholds, said_at: datetime
) -> Relation:
    if new.frame is not None and old.frame is not None:
        found = relation(new.frame, old.frame)
        if found in _OPPOSED and _is_of_long_ago(new, neighbour.memory, said_at):
            found = Relation.BESIDE
        if found in _SAME and not new.telling_names | old.telling_names <= _kept(found, new, old).telling_names:
            # "Due in March" and "due in April", "got married in 2015" and "is married to Alex": neither covers the
            # other one.
            found = Relation.BESIDE
        if found not in (Relation.APART, Relation.BESIDE):
            return found
    elif is_alike(new, old, neighbour.cosine, neighbour.jaccard, least, thresholds.words):
        return Relation.SAME
    cosine = neighbour.cosine
    is_near = neighbour.jaccard >= _LEAST_SHARED if cosine is None else cosine >= thresholds.related
    return Relation.BESIDE if is_near else Relation.APART


def _kept(found: Relation, new: Statement, old: Statement) -> Statement:
    """The wording to keep of two statements that agree."""
    if found is Relation.SAME:
        return more_specific(old, new)
    return new if found is Relation.FINER else old


def _is_of_long_ago(new: Statement, memory: Memory, said_at: datetime) -> bool:
    """ "Moved to Portland in 2015", said to someone who knows them in Seattle, is the past and no news."""
    claim, named = new.claim, when(new.text, said_at)
    ended = named.end if named is not None else None
    if named is None and claim is not None:
        # As its maker dated it: a change that began then is no news.
        ended = claim.since if claim.is_change else claim.until
    return ended is not None and ended <= said_of(memory) - _SLACK


# ── comparison with all ──────────────────────────────────────────────────────────────────────────


def _is_blocked(each: _Judged, source_ids: frozenset[str]) -> bool:
    memory = each.memory
    is_same_source = bool(source_ids.intersection(memory.source_message_ids))
    if memory.status is Status.REJECTED:
        return each.is_word_for_word or (is_same_source and each.relation in _SAME)
    # A person changed the memory that this same message had formed.
    return memory.edited_by_person and is_same_source and each.relation in _OPPOSED


def _known(judged: Sequence[_Judged], said_at: datetime, source_ids: frozenset[str]) -> _Judged | None:
    """The closest memory that says the same, and may be reinforced."""
    same = [each for each in judged if each.relation in _SAME and _is_open(each.memory, said_at, source_ids)]
    return max(
        same,
        key=lambda each: (
            _is_reread(each.memory, source_ids),
            holds_at(each.memory, said_at),
            each.is_word_for_word,
            each.relation is Relation.SAME,
            each.likeness,
        ),
        default=None,
    )


def _is_reread(memory: Memory, source_ids: frozenset[str]) -> bool:
    return bool(source_ids) and source_ids.issubset(memory.source_message_ids)


def _is_open(memory: Memory, said_at: datetime, source_ids: frozenset[str]) -> bool:
    """A closed fact that is repeated later is a new one (they moved back), unless it was said before its end."""
    if memory.status is not Status.SUPERSEDED:
        return memory.status is not Status.REJECTED
    return _is_reread(memory, source_ids) or (memory.valid_to is not None and said_at < memory.valid_to)


def _merged(said: _Saying, known: _Judged, opposed: Sequence[Memory]) -> SaveVerdict:
    kind = VerdictKind.EXACT if known.is_word_for_word else VerdictKind.REINFORCES
    kept = known.statement if kind is VerdictKind.EXACT else _kept(known.relation, said.statement, known.statement)
    wording = known.memory.content if kept is known.statement else said.statement.text
    outdated = tuple(each for each in opposed if _is_outdated(said, each))
    return SaveVerdict(kind, said.since, (known.memory,), wording, opposed=tuple(opposed), outdated=outdated)


def _is_outdated(said: _Saying, memory: Memory) -> bool:
    """Whether a memory that coexisted with the known statement ends, because that one was said again later."""
    if memory.status is not Status.ACTIVE or said_of(memory) >= said.at:
        return False
    return not is_persons(memory) or (said.by_hand and said.is_news_to(memory))


def _beside(said: _Saying, judged: Sequence[_Judged], opposed: Sequence[Memory]) -> SaveVerdict:
    related = _related(judged)
    current = [each for each in opposed if each.status is Status.ACTIVE and not _is_over(each, said.at)]
    newer = [each for each in current if _came_later(each, said)]
    if newer:
        return SaveVerdict(VerdictKind.PAST, said.since, (min(newer, key=said_of),), related=related)
    if current:
        return SaveVerdict(_kind_of_end(said, current), said.since, tuple(current), related=related)
    return SaveVerdict(VerdictKind.RELATED if related else VerdictKind.DIFFERENT, said.since, related, related=related)


def _is_over(memory: Memory, at: datetime) -> bool:
    """Whether a person gave it an end that has passed."""
    return memory.valid_to is not None and memory.valid_to <= at


def _came_later(memory: Memory, said: _Saying) -> bool:
    if said.is_dated and memory.valid_from is not None:
        return memory.valid_from > said.since
    return said_of(memory) > said.at


def _kind_of_end(said: _Saying, current: Iterable[Memory]) -> VerdictKind:
    frame = said.statement.frame
    if any(is_persons(each) and not (said.by_hand and said.is_news_to(each)) for each in current):
        return VerdictKind.WAITS
    return VerdictKind.CONTRADICTS if frame is not None and frame.polarity else VerdictKind.ENDS


def _opposed(judged: Sequence[_Judged]) -> list[Memory]:
    """What contradicts the statement; "quit their job" only if there is a single job."""
    vague: dict[Slot, list[Memory]] = {}
    for each in judged:
        frame = each.statement.frame
        if each.relation is Relation.OPPOSED_IF_ALONE and each.memory.status is Status.ACTIVE and frame is not None:
            vague.setdefault(frame.slot, []).append(each.memory)
    found = [each.memory for each in judged if each.relation is Relation.OPPOSED]
    return found + [memories[0] for memories in vague.values() if len(memories) == 1]


def _related(judged: Sequence[_Judged]) -> tuple[Memory, ...]:
    near = [
        each
        for each in judged
        if each.relation is Relation.BESIDE and each.memory.status in (Status.ACTIVE, Status.PENDING)
    ]
    near.sort(key=lambda each: each.likeness, reverse=True)
    return tuple(each.memory for each in near[:_MOST_RELATED])
