"""What becomes of a statement that wants to be canon, beside what is canon, what is in dispute and what was ruled (G7).

Pure. In: the statement, the nearest of what holds, disputes and rulings, and what a model said of them, if any did.
Out: a `CanonVerdict`. Start at `judged`; `told_without` takes what has fallen out of a longer text.
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

# What a campaign keeps as single statements; scenes, summaries and the like are told, and rulings stand above.
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
# So many conflicts are raised for one statement at most.
_MOST_RAISED = 3
# And so many of what is known are put to a model.
_MOST_ASKED = 6
_BY_MODEL = 0.8


class CanonStatus(StrEnum):
    """It holds; it was ruled out, or over, before; the same waits already; or it contradicts what holds."""

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
    """What is known of a campaign beside single memories. `names`: every name, with the one that is used."""

    rulings: Sequence[RulingResult] = ()
    disputes: Sequence[Dispute] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def fallen(self) -> tuple[str, ...]:
        return tuple(each.fallen for each in self.rulings if each.fallen)


def is_statement(memory: Memory, campaign_id: str) -> bool:
    """Whether it says what is so for everybody in the campaign."""
    return memory.campaign_id == campaign_id and not memory.persons and memory.type in STATEMENTS


def holds(memory: Memory) -> bool:
    """What was so until something else came contradicts nothing that is so now."""
    return memory.status is Status.ACTIVE and memory.valid_to is None


def settled(new: Memory, canon: KnownCanon) -> CanonVerdict | None:
    """Whether it need not be compared at all: it was ruled on, or waits."""
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
    """`said`: what a model answered of those that it was asked about, by their ids: why they are contradicted, or None.
    It counts before what the claims say."""
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
    """Those that a model is asked about: they name somebody or something that the new one names, and say something
    else."""
    names = narrowed(canon.names, [new.content, *(each.content for each in nearest)])
    one = _stated(new, names)
    others = [(each, _stated(each, names)) for each in nearest]
    near = [each for each, other in others if _named(one) & _named(other) and not is_same_statement(one, other)]
    return near[:_MOST_ASKED]


def told_without(text: str, fallen: Collection[str]) -> str:
    """A longer text without the sentences that say what has fallen, and nothing else; the same where there are none."""
    if not fallen:
        return text
    paragraphs = [_without(each, fallen) for each in text.split("\n\n")]
    return text if paragraphs == text.split("\n\n") else "\n\n".join(each for each in paragraphs if each)


def narrowed(names: Mapping[str, str], texts: Iterable[str]) -> dict[str, str]:
    """Of thousands of names those that stand in these texts."""
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
    """Whether it was ruled that just these two can stand beside each other."""
    ruled = [each for each in rulings if each.ruling in (Ruling.NONE, Ruling.BOTH)]
    allowed = [[statement_of(side.text, names) for side in (each.old, each.new)] for each in ruled]
    return any(
        (is_same_statement(old, one) and is_same_statement(new, other))
        or (is_same_statement(old, other) and is_same_statement(new, one))
        for one, other in allowed
    )


def _named(statement: Statement) -> set[str]:
    """The words that are written like names."""
    return {name for name in names_of(statement.text) if not is_title(name)}
