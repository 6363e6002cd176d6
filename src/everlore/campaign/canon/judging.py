"""What becomes of a statement that wants to be canon, beside what is canon, what is in dispute and what was ruled (G7).

Pure. In: the statement, the nearest of what holds, disputes and rulings, and what a model said of them, if any did.
Out: a `CanonVerdict`. Start at `judged`; `told_without` takes what has fallen out of a longer text.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from everlore.campaign.canon.comparing import SURE, Contradiction
from everlore.campaign.canon.contradicting import contradiction_of, is_same_statement, is_stated
from everlore.campaign.canon.disputes import Dispute, Ruling, RulingResult
from everlore.campaign.canon.vocabulary import members, stems_in
from everlore.domain.memory import Memory, MemoryType, Status
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
    """What is known of a campaign beside single memories. `aliases`: every other name, with the one that is used."""

    rulings: Sequence[RulingResult] = ()
    disputes: Sequence[Dispute] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

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
    names = narrowed(canon.aliases, [new.content, *known])
    for ruled in canon.rulings:
        if ruled.fallen and is_same_statement(new.content, ruled.fallen, names):
            return CanonVerdict(CanonStatus.RULED, ruled=ruled)
    for dispute in canon.disputes:
        if dispute.new.memory_id != new.id and is_same_statement(new.content, dispute.new.text, names):
            return CanonVerdict(CanonStatus.WAITS, dispute=dispute)
    return None


def judged(
    new: Memory, nearest: Sequence[Memory], canon: KnownCanon, said: Mapping[str, str | None] | None = None
) -> CanonVerdict:
    """`said`: what a model answered of those that it was asked about, by their ids: why they are contradicted, or
    None."""
    names = narrowed(canon.aliases, [new.content, *(each.content for each in nearest)])
    against: list[tuple[Memory, Contradiction]] = []
    for memory in nearest:
        why = _believed(contradiction_of(memory.content, new.content, names), memory.id, said or {})
        if why is None or _is_allowed(new.content, memory.content, canon.rulings, names):
            continue
        if not any(is_same_statement(memory.content, other.content, names) for other, _ in against):
            against.append((memory, why))
    against.sort(key=lambda each: -each[1].confidence)
    return CanonVerdict(CanonStatus.CONFLICTS if against else CanonStatus.HOLDS, tuple(against[:_MOST_RAISED]))


def to_ask(new: Memory, nearest: Sequence[Memory], canon: KnownCanon) -> list[Memory]:
    """Those that a model is asked about: they name somebody or something that the new one names, and say something
    else. What is hearsay, or tells of a change, contradicts nothing whoever is asked."""
    if not is_stated(new.content):
        return []
    names = narrowed(canon.aliases, [new.content, *(each.content for each in nearest)])
    named = _names(new.content, names)
    near = [
        each
        for each in nearest
        if named & _names(each.content, names) and not is_same_statement(each.content, new.content, names)
    ]
    return near[:_MOST_ASKED]


def told_without(text: str, fallen: Collection[str]) -> str:
    """A longer text without the sentences that say what has fallen, and nothing else; the same where there are none."""
    if not fallen:
        return text
    paragraphs = [_without(each, fallen) for each in text.split("\n\n")]
    return text if paragraphs == text.split("\n\n") else "\n\n".join(each for each in paragraphs if each)


def narrowed(aliases: Mapping[str, str], texts: Iterable[str]) -> dict[str, str]:
    """Of thousands of other names those that stand in these texts."""
    told = "\n".join(texts).casefold()
    return {other: name for other, name in aliases.items() if other.casefold() in told}


def _without(paragraph: str, fallen: Collection[str]) -> str:
    sentences = sentences_of(paragraph)
    kept = [each for each in sentences if not any(_says(each, other) for other in fallen)]
    return paragraph if len(kept) == len(sentences) else " ".join(each.strip() for each in kept).strip()


def _says(sentence: str, fallen: str) -> bool:
    """It, and nothing else: a sentence that tells more as well stays."""
    said, lost = stems_in(sentence), stems_in(fallen)
    return len(said & lost) > 1 and len(said - lost) <= 1 and is_same_statement(sentence, fallen)


def _believed(rule: Contradiction | None, id: str, said: Mapping[str, str | None]) -> Contradiction | None:
    """What a model says counts, but where the rules are sure."""
    if id not in said:
        return rule
    reason = said[id]
    if reason is not None:
        return Contradiction(reason, max(_BY_MODEL, rule.confidence if rule else 0.0))
    return rule if rule is not None and rule.confidence >= SURE else None


def _is_allowed(new: str, old: str, rulings: Iterable[RulingResult], names: Mapping[str, str]) -> bool:
    """Whether it was ruled that just these two can stand beside each other."""
    allowed = [(each.old.text, each.new.text) for each in rulings if each.ruling in (Ruling.NONE, Ruling.BOTH)]
    return any(
        (is_same_statement(old, one, names) and is_same_statement(new, other, names))
        or (is_same_statement(old, other, names) and is_same_statement(new, one, names))
        for one, other in allowed
    )


def _names(text: str, aliases: Mapping[str, str]) -> set[str]:
    """The words that are written like names, with those of whoever is meant by them."""
    told = text[:1].lower() + text[1:] if text.split(" ")[0].lower() in members("small") else text
    words = {each.strip(".,;:!?'\"“”()").removesuffix("'s") for each in told.split()}
    found = {each.lower() for each in words if each[:1].isupper()}
    for other, name in aliases.items():
        if other.casefold() in text.casefold():
            found |= {each.lower() for each in name.split()}
    return found - members("titles")
