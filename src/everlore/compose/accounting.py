"""Makes the account of a prompt (P12): what is where, what it costs, what was left out, and why.

Start at `account_of`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from everlore.compose.account import (
    Account,
    LayerAccount,
    LoreAccount,
    MemoryAccount,
    MessageAccount,
    PartAccount,
    PromptPosition,
    SectionAccount,
    SectionState,
)
from everlore.compose.budget import Budget, divide
from everlore.compose.earlier import EarlierLines
from everlore.compose.fidelity import Fidelity
from everlore.compose.fitting import FittedSection
from everlore.compose.inherit import ResolvedTemplate
from everlore.compose.memories import MemorySelection, MemorySlot, clipped
from everlore.compose.sections import Drawn
from everlore.compose.talk import PromptHistory
from everlore.compose.variables import Pace
from everlore.domain.allocator import Grant
from everlore.domain.config import ConversationConfig
from everlore.domain.memory import Memory, short_form
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Limit, Recalled
from everlore.models.tokenizer import Tokenizer

# From this share on a prompt has hardly any room for the next turns.
_NEARLY_FULL = 0.9


def account_of(
    *,
    template: ResolvedTemplate,
    budget: Budget,
    tokenizer: Tokenizer,
    used: int,
    sections: Sequence[FittedSection],
    notes: Sequence[Drawn],
    talk: PromptHistory,
    earlier: EarlierLines,
    chosen: MemorySelection,
    slots: Mapping[str, MemorySlot],
    in_tiers: Mapping[str, tuple[Recalled, str]],
    lore: tuple[LoreAccount, ...],
    faults: tuple[str, ...],
) -> Account:
    told = (
        *(_section(each, tokenizer) for each in sections),
        *(_section(FittedSection(each), tokenizer, fixed=True) for each in notes),
    )
    messages = (*(_old(earlier) if earlier.entries else _untold(talk)), *_latest(talk))
    standing = (_memory(recalled, section=where) for recalled, where in in_tiers.values())
    memories = (*standing, *_printed(slots, sections), *_left_out(chosen))
    return Account(
        template=template.name,
        version=template.version,
        lineage=template.lineage,
        framing=(chosen.framing if chosen else template.framing).value,
        tokenizer=tokenizer.name,
        window=budget.window,
        reserve=budget.reply,
        used=used,
        sections=told,
        messages=messages,
        memories=memories,
        parts=_parts(told, talk, budget),
        layers=tuple(map(_layer, chosen.layers)),
        lore=lore,
        faults=faults,
        warnings=tuple(_warnings(budget, used, told, messages, template, chosen, lore, faults)),
    )


def _section(fitted: FittedSection, tokenizer: Tokenizer, *, fixed: bool = False) -> SectionAccount:
    drawn = fitted.drawn
    text = drawn.text()
    return SectionAccount(
        name=drawn.name,
        role=drawn.role.value,
        place=_place(drawn, fixed=fixed),
        part=drawn.part,
        tokens=0 if fitted.state is SectionState.LEFT_OUT else tokenizer.count(text),
        state=fitted.state,
        why=fitted.why,
        text=text,
        origin=drawn.origin,
        appended=drawn.appended,
    )


def _place(drawn: Drawn, *, fixed: bool) -> PromptPosition:
    if drawn.pace is Pace.EACH_TURN:
        return PromptPosition.LATE
    return PromptPosition.END if fixed else PromptPosition.START


def _old(earlier: EarlierLines) -> Iterator[MessageAccount]:
    for entry in earlier.entries:
        yield MessageAccount(
            first=entry.first,
            last=entry.last,
            role="system",
            fidelity=entry.fidelity.value,
            tokens=entry.tokens,
            message_ids=entry.message_ids,
            text=entry.line,
        )


def _untold(talk: PromptHistory) -> Iterator[MessageAccount]:
    """Old messages that the prompt does not mention: even a placeholder for them did not fit."""
    if talk.first > 1:
        yield MessageAccount(
            first=1,
            last=talk.first - 1,
            role="system",
            fidelity=Fidelity.PLACEHOLDER.value,
            tokens=0,
            state=SectionState.LEFT_OUT,
        )


def _latest(talk: PromptHistory) -> Iterator[MessageAccount]:
    for line in talk.lines:
        yield MessageAccount(
            first=line.message.seq,
            last=line.message.seq,
            role=line.said.role,
            fidelity="full",
            tokens=line.cost,
            message_ids=(line.message.id,),
            text=line.said.content,
            state=line.state,
        )


def _printed(slots: Mapping[str, MemorySlot], sections: Sequence[FittedSection]) -> Iterator[MemoryAccount]:
    there = [each.drawn for each in sections if each.state is not SectionState.LEFT_OUT]
    for name, slot in slots.items():
        where = next((drawn.name for drawn in there if name in drawn.used), "")
        yield from (_memory(each, section=where) for each in slot.memories)


def _left_out(chosen: MemorySelection) -> Iterator[MemoryAccount]:
    return (
        replace(_memory(each.recalled), left_out=each.why, limited_by=tuple(limit.value for limit in each.limits))
        for each in chosen.left_out
    )


def _without_room(chosen: MemorySelection) -> Iterator[str]:
    """Why memories were left out. Lines of the log do not count: there is always another one that might fit."""
    kept_out = Counter(each.limits for each in chosen.left_out if each.recalled.kind is PassageKind.MEMORY)
    for limits, count in kept_out.items():
        memories, are, them = ("memory", "is", "it") if count == 1 else ("memories", "are", "them")
        if Limit.DEPTH in limits:
            yield f"{count} recalled {memories} {are} more than mode and role allow, whatever the room."
        else:
            settings = " and ".join(f"“{ConversationConfig.model_fields[limit].title}”" for limit in limits)
            yield f"{count} recalled {memories} had no room. Raise {settings} to include {them}."


def _memory(recalled: Recalled, *, section: str = "") -> MemoryAccount:
    memory = recalled.record if isinstance(recalled.record, Memory) else None
    return MemoryAccount(
        id=recalled.record.id,
        kind=recalled.kind.value,
        layer=recalled.layer.value,
        type=memory.type.value if memory else recalled.kind.value,
        content=_words_of(memory, recalled) if memory else clipped(getattr(recalled.record, "content", "")),
        importance=memory.importance if memory else 0,
        score=recalled.score,
        parts=dict(recalled.parts),
        why=recalled.why,
        section=section,
        in_short=recalled.in_short,
    )


def _words_of(memory: Memory, recalled: Recalled) -> str:
    return short_form(memory) if recalled.in_short else memory.content


def _parts(sections: Sequence[SectionAccount], talk: PromptHistory, budget: Budget) -> tuple[PartAccount, ...]:
    used = {"conversation": talk.cost}
    for section in sections:
        used[section.part] = used.get(section.part, 0) + section.tokens
    return tuple(PartAccount(name, share, used.get(name, 0)) for name, share in divide(budget.prompt).items())


def _layer(grant: Grant) -> LayerAccount:
    return LayerAccount(
        name=grant.key,
        share=grant.share,
        wanted=grant.wanted,
        used=grant.used,
        borrowed=grant.borrowed,
        passed_on=grant.passed_on,
    )


def _warnings(
    budget: Budget,
    used: int,
    sections: Sequence[SectionAccount],
    messages: Sequence[MessageAccount],
    template: ResolvedTemplate,
    chosen: MemorySelection,
    lore: Sequence[LoreAccount],
    faults: Sequence[str],
) -> Iterator[str]:
    yield from faults
    for section in sections:
        if section.state is not SectionState.WHOLE:
            yield f"Section {section.name!r}: {section.why}."
        if section.appended and section.name == "memory":
            yield "The template has no place for memory (${memory.context}); it was added."
    for each in messages:
        if each.state is SectionState.LEFT_OUT:
            yield f"Of the messages {each.first} to {each.last} nothing is told: there was no room."
    if any(each.state is SectionState.CUT for each in messages):
        yield "The latest message is longer than the room for it, and was cut."
    yield from _without_room(chosen)
    if unfit := sum(bool(each.left_out) for each in lore):
        yield f"No room for {unfit} lorebook {'entry' if unfit == 1 else 'entries'}."
    if chosen.memories and chosen.framing is not template.framing:
        yield "Memories are told as a page: the frame of a block would take more than half of their room."
    if used > budget.prompt * _NEARLY_FULL:
        yield f"The prompt fills {used / budget.prompt:.0%} of what the window leaves for it."
