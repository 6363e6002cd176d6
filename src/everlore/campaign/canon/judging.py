"""Decides whether a new statement may become canon, given canon, open disputes and earlier rulings (G7).

Pure. In: the statement, the nearest active statements, disputes, rulings, and a model's answer about them, if any. Out:
a `CanonVerdict`. Start at `judged`; `told_without` removes overruled statements from a longer text.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from everlore.campaign.canon.comparing import Contradiction, contradiction_of, is_same_statement, statement_of
from everlore.campaign.canon.disputes import Dispute, Ruling, RulingResult
from everlore.campaign.entities.forms import is_title
from everlore.domain.claim import claim_in
from everlore.domain.memory import Memory, MemoryType, Status
from everlore.learning.claims import names_of
from everlore.learning.saving.likeness import Statement
from everlore.learning.segments.vetting import sentences_of

# Memory types that are single statements. Scenes and summaries are narration, and rulings outrank both.
STATEMENTS = frozenset(
    {
        MemoryType.FACT,
        MemoryType.RELATIONSHIP,
        MemoryType.DISCOVERY,
        MemoryType.SETTING,
        MemoryType.FACTION,
        MemoryType.EVENT,
        MemoryType.NOTE,
        MemoryType.STORY,
        MemoryType.PREMISE,
    }
)
# Maximum number of conflicts raised for one statement.
_MOST_RAISED = 3
# Maximum number of known statements that a model compares with.
_MOST_ASKED = 6
_BY_MODEL = 0.8


class CanonStatus(StrEnum):
    """It holds; a ruling already ended or rejected it; the same statement already waits; or it contradicts canon."""

    HOLDS = "holds"
    RULED = "ruled"
    WAITS = "waits"
    CONFLICTS = "conflicts"


@dataclass(frozen=True, slots=True)
class CanonVerdict:
    fate: CanonStatus
    against: tuple[tuple[Memory, Contradiction], ...] = ()
    ruled: RulingResult | None = None
    dispute: Dispute | None = None


@dataclass(frozen=True, slots=True)
class KnownCanon:
    """What is known besides single memories. `names`: maps every name to the main one."""

    rulings: Sequence[RulingResult] = ()
    disputes: Sequence[Dispute] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def fallen(self) -> tuple[str, ...]:
        return tuple(each.fallen for each in self.rulings if each.fallen)


def is_statement(memory: Memory, campaign_id: str) -> bool:
    """Whether it is a statement about the world, known to everyone in the campaign."""
    return memory.campaign_id == campaign_id and not memory.persons and memory.type in STATEMENTS


def holds(memory: Memory) -> bool:
    """Whether it is active and has no end: a statement about the past contradicts nothing in the present."""
    return memory.status is Status.ACTIVE and memory.valid_to is None


def settled(new: Memory, canon: KnownCanon) -> CanonVerdict | None:
    """The verdict if no comparison is needed: it was ruled on, or already waits."""
    known = [*(each.fallen for each in canon.rulings), *(each.new.text for each in canon.disputes)]
    names = narrowed(canon.names, [new.content, *known])
    said = _stated(new, names)
    for ruled in canon.rulings:
        if ruled.fallen and is_same_statement(said, statement_of(ruled.fallen, names)):
            return CanonVerdict(CanonStatus.RULED, ruled=ruled)
    for dispute in canon.disputes:
        if dispute.new.memory_id != new.id and is_same_statement(said, statement_of(dispute.new.text, names)):
            return CanonVerdict(CanonStatus.WAITS, dispute=dispute)
    return None


def judged(
    new: Memory, nearest: Sequence[Memory], canon: KnownCanon, said: Mapping[str, str | None] | None = None
) -> CanonVerdict:
    """`said`: a model's answer by memory id: the reason for the contradiction, or None. It outranks the comparison of
    claims."""
    names = narrowed(canon.names, [new.content, *(each.content for each in nearest)])
    one, asked = _stated(new, names), said or {}
    against: list[tuple[Memory, Statement, Contradiction]] = []
    for memory in nearest:
        other = _stated(memory, names)
        why = _by_model(asked[memory.id]) if memory.id in asked else contradiction_of(other, one)
        if why is None or _is_allowed(one, other, canon.rulings, names):
            continue
        if not any(is_same_statement(other, known) for _, known, _ in against):
            against.append((memory, other, why))
    against.sort(key=lambda each: -each[2].confidence)
    pairs = tuple((memory, why) for memory, _, why in against[:_MOST_RAISED])
    return CanonVerdict(CanonStatus.CONFLICTS if pairs else CanonStatus.HOLDS, pairs)


def to_ask(new: Memory, nearest: Sequence[Memory], canon: KnownCanon) -> list[Memory]:
    """The statements to ask a model about: they share a named entity with the new one and say something else."""
    names = narrowed(canon.names, [new.content, *(each.content for each in nearest)])
    one = _stated(new, names)
    others = [(each, _stated(each, names)) for each in nearest]
    near = [each for each, other in others if _named(one) & _named(other) and not is_same_statement(one, other)]
    return near[:_MOST_ASKED]


def told_without(text: str, fallen: Collection[str]) -> str:
    """The text without the sentences that only state something overruled; unchanged if there are none."""
    if not fallen:
        return text
    paragraphs = [_without(each, fallen) for each in text.split("\n\n")]
    return text if paragraphs == text.split("\n\n") else "\n\n".join(each for each in paragraphs if each)


def narrowed(names: Mapping[str, str], texts: Iterable[str]) -> dict[str, str]:
    """The names that occur in these texts, out of possibly thousands."""
    told = "\n".join(texts).casefold()
    return {other: name for other, name in names.items() if other.casefold() in told}


def _without(paragraph: str, fallen: Collection[str]) -> str:
    sentences = sentences_of(paragraph)
    kept = [each for each in sentences if not any(is_same_text(each, other) for other in fallen)]
    return paragraph if len(kept) == len(sentences) else " ".join(each.strip() for each in kept).strip()


def is_same_text(one: str, other: str) -> bool:
    return is_same_statement(statement_of(one, {}), statement_of(other, {}))


def _stated(memory: Memory, names: Mapping[str, str]) -> Statement:
    return statement_of(memory.content, names, claim_in(memory.extra))


def _by_model(reason: str | None) -> Contradiction | None:
    return None if reason is None else Contradiction(reason, _BY_MODEL)


def _is_allowed(new: Statement, old: Statement, rulings: Iterable[RulingResult], names: Mapping[str, str]) -> bool:
    """Whether a ruling allows exactly these two statements side by side."""
    ruled = [each for each in rulings if each.ruling in (Ruling.NONE, Ruling.BOTH)]
    allowed = [[statement_of(side.text, names) for side in (each.old, each.new)] for each in ruled]
    return any(
        (is_same_statement(old, one) and is_same_statement(new, other))
        or (is_same_statement(old, other) and is_same_statement(new, one))
        for one, other in allowed
    )


def _named(statement: Statement) -> set[str]:
    """The capitalized words that look like names."""
    return {name for name in names_of(statement.text) if not is_title(name)}
