"""Selects the recalled memories for a prompt, with their place and wording (P8, P9, P14, P15).

In: what was recalled, best first, and a budget. Out: those that fit, by kinds that each have a share; then each of them
in exactly one slot of the template, so that none is printed twice or forgotten.

Start at `choose` and `place`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from everlore.compose.context import Context
from everlore.compose.talk import speaker_of
from everlore.compose.variables import Pace, Variable
from everlore.domain.allocator import Grant, Need, allocate
from everlore.domain.blocks import as_json, inert, resource
from everlore.domain.conversation import Message
from everlore.domain.layer import Layer
from everlore.domain.memory import Memory, MemoryType, is_long, short_form
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import LastSession, LeftOut, Limit, Recalled
from everlore.domain.template import Framing
from everlore.domain.tokens import without_told

# Memories are grouped by kinds, in this order.
KINDS: Mapping[str, frozenset[MemoryType]] = {
    "relationship": frozenset({MemoryType.RELATIONSHIP}),
    "decisions": frozenset({MemoryType.DECISION, MemoryType.DECISION_POINT, MemoryType.OUTCOME}),
    "discoveries": frozenset({MemoryType.DISCOVERY, MemoryType.INSIGHT}),
    "unresolved": frozenset({MemoryType.GOAL, MemoryType.PLOT_THREAD}),
    "events": frozenset(
        {MemoryType.EVENT, MemoryType.EXPERIENCE, MemoryType.SCENE, MemoryType.MOMENT, MemoryType.SUMMARY}
    ),
    "facts": frozenset(),
}
# Results from the log that no memory covers: messages verbatim, and summaries of messages.
_SAID = "said"
_SUMMARIES = "summaries"
_OF_LOG = {
    PassageKind.MESSAGE: _SAID,
    PassageKind.SUMMARY: _SUMMARIES,
    PassageKind.EVENT: "events",
    PassageKind.ENTITY: "facts",
}
_HEADINGS = {
    "facts": "Facts",
    "relationship": "Relationships",
    "decisions": "Decisions",
    "discoveries": "Discoveries",
    "unresolved": "Unresolved",
    "events": "Recent events",
    _SUMMARIES: "Earlier conversations in short",
    _SAID: "Said before",
    "lastSession": "Last time",
}
CONTEXT = "memory.context"
_LAST_SESSION = "lastSession"
# The extra cost of joining one memory to the next.
_BETWEEN = 1
# The share of the last session. The kinds divide the rest, within each layer.
_LAST_SHARE = 0.15
_OTHER_KINDS = ""
_KIND_SHARES = {"relationship": 0.40, "facts": 0.25, _OTHER_KINDS: 0.20}
# A longer line would displace other memories.
_MOST_SAID = 400
# From here on the importance of a memory is shown; for others it would only cost tokens.
_WEIGHTY = 8
_SLOTS = {"memory.relationship": "relationship", "memory.facts": "facts", "memory.lastSession": _LAST_SESSION}
PREFIX = "memory."


@dataclass(frozen=True, slots=True)
class MemorySelection:
    """`framing`: that of the template, or a smaller one if there is too little room for it. `layers`: the share, demand
    and use of each layer."""

    memories: tuple[Recalled, ...] = ()
    last_session: LastSession | None = None
    left_out: tuple[LeftOut, ...] = ()
    framing: Framing = Framing.BLOCK
    layers: tuple[Grant, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.memories or self.last_session)


@dataclass(frozen=True, slots=True)
class MemorySlot:
    """The contents of one variable."""

    memories: tuple[Recalled, ...] = ()
    last_session: LastSession | None = None

    def __bool__(self) -> bool:
        return bool(self.memories or self.last_session)


def within(named: Mapping[str, Recalled], budget: int, cut: Callable[[str, int], str]) -> dict[str, Recalled]:
    """Memories that are requested by id, each with its part of the budget, cut if necessary. Inside a frame a text can
    cost several times as much."""
    room = budget // max(len(named), 1) // 3
    return {
        id: replace(each, record=replace(each.memory, content=cut(each.memory.content, room) or "…"))
        for id, each in named.items()
    }


def kind_of(recalled: Recalled) -> str:
    if recalled.kind in _OF_LOG:
        return _OF_LOG[recalled.kind]
    return next((kind for kind, types in KINDS.items() if recalled.memory.type in types), "facts")


def memory_ids_in(names: Iterable[str]) -> list[str]:
    """The memories that a template requests by id: ${memory.<id>}."""
    return sorted(name.removeprefix(PREFIX) for name in names if name.startswith(PREFIX) and name not in ABOUT)


# ── selection ────────────────────────────────────────────────────────────────────────────────────


def choose(
    context: Context, framing: Framing, budget: int, cost: Callable[[str], int], used: Collection[str] = (CONTEXT,)
) -> MemorySelection:
    """First each layer within its share, and in it each kind, best first; then whatever still fits, of any layer.
    `used` are the slots of the template: each non-empty one has a frame of its own. Memories requested by id are in
    none of them."""
    memories = [_in_short_if_long(each) for each in context.memories if not _is_asked_for(each, context, used)]
    room, told_in = _room(context, memories, framing, budget, cost, used)
    # At the cost in the template's framing even if a smaller one is used: more room never means fewer memories.
    costs = {each.record.id: cost(_item(each, context, framing)) + _BETWEEN for each in memories}
    last = _last_that_fits(context.last_session, told_in, room, cost, alone=not costs)
    room -= cost(_last_line(last, told_in)) if last else 0
    unoffered = [each.recalled for each in context.unoffered]
    wanted = costs | {each.record.id: cost(_item(each, context, framing)) + _BETWEEN for each in unoffered}
    taken = _within_shares(memories, costs, room, context.shares)
    left = room - sum(costs[id] for id in taken)
    for place, each in enumerate(memories):
        id = each.record.id
        if id in taken:
            continue
        needed = costs[id]
        if needed > left and (short := in_short(each)):
            needed = cost(_item(short, context, framing)) + _BETWEEN
            if needed <= left:
                memories[place] = short
                costs[id] = needed
        # Continue instead of stopping: a shorter memory after it may still fit.
        if needed <= left:
            taken.add(id)
            left -= needed
    # If the window leaves less than the budget, a larger budget would not help.
    is_narrow = budget < context.config.memory_budget
    whole = f"the {budget} that the window leaves for memories" if is_narrow else str(budget)
    limits = (Limit.WINDOW,) if is_narrow else (Limit.BUDGET,)
    return MemorySelection(
        memories=tuple(each for each in memories if each.record.id in taken),
        last_session=last,
        left_out=(
            *(
                LeftOut(
                    each, f"no room: it costs {costs[each.record.id]} tokens, and {left} of {whole} were left", limits
                )
                for each in memories
                if each.record.id not in taken
            ),
            *(_unoffered(each, is_narrow=is_narrow) for each in context.unoffered),
        ),
        framing=told_in,
        layers=_layer_grants([*memories, *unoffered], wanted, {id: costs[id] for id in taken}, room, context.shares),
    )


def _unoffered(left: LeftOut, *, is_narrow: bool) -> LeftOut:
    """Results that got no budget before they were worded: in a narrow window they need both limits raised."""
    if Limit.BUDGET not in left.limits or not is_narrow:
        return left
    return replace(left, why=f"{left.why}; nor has the window room for more", limits=(*left.limits, Limit.WINDOW))


def _room(
    context: Context,
    memories: Sequence[Recalled],
    framing: Framing,
    budget: int,
    cost: Callable[[str], int],
    used: Collection[str],
) -> tuple[int, Framing]:
    """The room for the memories themselves, and their framing. At least half is theirs: if blocks would take more than
    the other half, Markdown is used, whose frame costs next to nothing."""
    left = budget - _cost_of_frames(context, memories, framing, cost, used)
    if framing is Framing.MARKDOWN or 2 * left >= budget:
        return max(left, 0), framing
    as_page = min(budget // 2, budget - _cost_of_frames(context, memories, Framing.MARKDOWN, cost, used))
    return (max(as_page, 0), Framing.MARKDOWN) if as_page > left else (max(left, 0), framing)


def in_short(recalled: Recalled) -> Recalled | None:
    """The memory by its summary, if it has one and is not shortened already (M1)."""
    record = recalled.record
    is_whole = isinstance(record, Memory) and not recalled.in_short and bool(short_form(record))
    return replace(recalled, in_short=True) if is_whole else None


def _in_short_if_long(recalled: Recalled) -> Recalled:
    if isinstance(recalled.record, Memory) and is_long(recalled.record):
        return in_short(recalled) or recalled
    return recalled


def _is_asked_for(recalled: Recalled, context: Context, used: Collection[str]) -> bool:
    id = recalled.record.id
    return id in context.named and f"{PREFIX}{id}" in used


def _within_shares(
    memories: Sequence[Recalled], costs: Mapping[str, int], room: int, shares: Mapping[Layer, float]
) -> set[str]:
    """The ids that fit into the budget of their layer, and in it of their kind."""
    rooms = allocate(_layer_needs(memories, costs, shares), room)
    whole = sum(_KIND_SHARES.values())
    taken: set[str] = set()
    for layer in Layer:
        kinds: dict[str, list[str]] = {kind: [] for kind in _KIND_SHARES}
        for each in memories:
            if each.layer is layer:
                kind = kind_of(each)
                kinds[kind if kind in kinds else _OTHER_KINDS].append(each.record.id)
        needs = [
            Need(key=kind, share=_KIND_SHARES[kind] / whole, items=tuple(costs[id] for id in ids))
            for kind, ids in kinds.items()
        ]
        grants = allocate(needs, rooms[layer.value].used)
        taken |= {kinds[kind][index] for kind, grant in grants.items() for index in grant.taken}
    return taken


def _layer_needs(memories: Sequence[Recalled], costs: Mapping[str, int], shares: Mapping[Layer, float]) -> list[Need]:
    wants = dict.fromkeys(Layer, 0)
    for each in memories:
        wants[each.layer] += costs[each.record.id]
    return [Need(key=layer.value, want=want, share=shares.get(layer, 0)) for layer, want in wants.items()]


def _layer_grants(
    memories: Sequence[Recalled],
    wanted: Mapping[str, int],
    taken: Mapping[str, int],
    room: int,
    shares: Mapping[Layer, float],
) -> tuple[Grant, ...]:
    """For the account: the demand and the final size of each layer."""
    used = dict.fromkeys((layer.value for layer in Layer), 0)
    for each in memories:
        used[each.layer.value] += taken.get(each.record.id, 0)
    grants = allocate(_layer_needs(memories, wanted, shares), room)
    return tuple(replace(each, used=used[key]) for key, each in grants.items() if each.share or each.wanted)


def _last_that_fits(
    last: LastSession | None, framing: Framing, budget: int, cost: Callable[[str], int], *, alone: bool
) -> LastSession | None:
    """How the last session ended, within its share, or in all of the room if nothing else was recalled."""
    room = budget if alone else int(budget * _LAST_SHARE)
    if last is None:
        return None
    text = " ".join(last.text.split())
    told = LastSession(text, last.at)
    while text and cost(_last_line(told, framing)) > room:
        text = text[: len(text) * 3 // 4].rsplit(" ", 1)[0] if " " in text else ""
        told = LastSession(f"{text} …", last.at)
    return told if text else None


def _cost_of_frames(
    context: Context, memories: Sequence[Recalled], framing: Framing, cost: Callable[[str], int], used: Collection[str]
) -> int:
    """The cost of a frame for each non-empty slot, and of one for the rest."""
    kinds = dict.fromkeys(kind_of(each) for each in memories)
    if context.last_session:
        kinds[_LAST_SESSION] = None
    apart = [kind for name, kind in _SLOTS.items() if name in used and kind in kinds]
    groups = [[kind] for kind in apart] + [[kind for kind in kinds if kind not in apart]]
    return sum(_cost_of_frame(group, context, framing, cost) for group in groups if group)


def _cost_of_frame(kinds: Iterable[str], context: Context, framing: Framing, cost: Callable[[str], int]) -> int:
    if framing is Framing.MARKDOWN:
        headings = ["## What you know", *(f"### {_HEADINGS[kind]}" for kind in kinds)]
        return sum(cost(heading) + _BETWEEN for heading in headings) + _BETWEEN
    return cost(resource(_uri(context), "memory", {kind: [] for kind in kinds})) + 2 * _BETWEEN


# ── placement ────────────────────────────────────────────────────────────────────────────────────


def place(chosen: MemorySelection, named: Mapping[str, Recalled], used: Collection[str]) -> dict[str, MemorySlot]:
    """The slot of each memory variable that the template uses; all other memories are in `memory.context`, even if the
    template does not use it."""
    by_id = {f"{PREFIX}{id}": recalled for id, recalled in named.items()}
    slots = {name: MemorySlot((by_id[name],)) for name in used if name in by_id}
    taken = {recalled.record.id for slot in slots.values() for recalled in slot.memories}
    rest = [each for each in chosen.memories if each.record.id not in taken]
    last = chosen.last_session
    for name, kind in _SLOTS.items():
        if name not in used:
            continue
        slots[name] = MemorySlot(
            tuple(each for each in rest if kind_of(each) == kind), last if kind == _LAST_SESSION else None
        )
        rest = [each for each in rest if kind_of(each) != kind]
        last = None if kind == _LAST_SESSION else last
    slots[CONTEXT] = MemorySlot(tuple(rest), last)
    return slots


def variables(slots: Mapping[str, MemorySlot], context: Context, framing: Framing) -> dict[str, Variable]:
    """The memory variables of one prompt."""
    total = len({each.record.id for slot in slots.values() for each in slot.memories})
    found = {
        name: _variable(told(slots.get(name, MemorySlot()), context, framing), about)
        for name, about in {**ABOUT, **{name: "One memory, by its id." for name in slots if name not in ABOUT}}.items()
    }
    found["memory.count"] = _variable(str(total), ABOUT["memory.count"])
    return found


ABOUT = {
    CONTEXT: "Memories grouped by type, without those that other `memory` variables print.",
    "memory.relationship": "Only memories of the relationship.",
    "memory.facts": "Only facts and preferences.",
    "memory.lastSession": "How the last conversation of the two ended.",
    "memory.count": "How many memories are in the prompt.",
}


def _variable(text: str, about: str) -> Variable:
    return Variable(lambda _view: text, about, pace=Pace.EACH_TURN, part="recall", framed=True)


# ── wording ──────────────────────────────────────────────────────────────────────────────────────


def told(slot: MemorySlot, context: Context, framing: Framing) -> str:
    if not slot:
        return ""
    groups = _by_kind(slot.memories)
    return _as_markdown(groups, slot, context) if framing is Framing.MARKDOWN else _as_block(groups, slot, context)


def _by_kind(memories: Iterable[Recalled]) -> dict[str, list[Recalled]]:
    groups: dict[str, list[Recalled]] = {kind: [] for kind in _HEADINGS}
    for each in memories:
        groups[kind_of(each)].append(each)
    return {kind: members for kind, members in groups.items() if members}


def _as_block(groups: Mapping[str, list[Recalled]], slot: MemorySlot, context: Context) -> str:
    data: dict[str, Any] = {kind: [_data(each, context) for each in members] for kind, members in groups.items()}
    if slot.last_session:
        data[_LAST_SESSION] = slot.last_session.text
    return resource(_uri(context), "memory", data)


def _as_markdown(groups: Mapping[str, list[Recalled]], slot: MemorySlot, context: Context) -> str:
    lines = ["## What you know"]
    for kind, members in groups.items():
        lines += ["", f"### {_HEADINGS[kind]}", *(_line(each, context) for each in members)]
    if slot.last_session:
        lines += ["", f"### {_HEADINGS[_LAST_SESSION]}", _last_line(slot.last_session, Framing.MARKDOWN)]
    return "\n".join(lines)


def _uri(context: Context) -> str:
    return f"memory/{context.character.id}/{context.user.id if context.user else 'nobody'}"


def _item(recalled: Recalled, context: Context, framing: Framing) -> str:
    return _line(recalled, context) if framing is Framing.MARKDOWN else as_json(_data(recalled, context))


def _data(recalled: Recalled, context: Context) -> dict[str, Any]:
    data: dict[str, Any] = {"content": wording(recalled, context), "date": _date(recalled)}
    if isinstance(memory := recalled.record, Memory):
        if memory.valid_to is not None:
            data["until"] = memory.valid_to.date().isoformat()
        if memory.importance >= _WEIGHTY:
            data["importance"] = memory.importance
    return data


def _line(recalled: Recalled, context: Context) -> str:
    ended = recalled.record.valid_to if isinstance(recalled.record, Memory) else None
    until = f" to {ended.date().isoformat()}" if ended else ""
    return f"- {_on_one_line(wording(recalled, context))} ({_date(recalled)}{until})"


def wording(recalled: Recalled, context: Context) -> str:
    """Its text; for a message also who said it, and for hearsay who told it."""
    record = recalled.record
    if isinstance(record, Message):
        return f"{speaker_of(record, context)}: {clipped(record.content)}"
    if isinstance(record, Memory):
        told_by = f"{context.names.get(recalled.told_by, 'Somebody')} said: " if recalled.told_by else ""
        return f"{told_by}{short_form(record) if recalled.in_short else record.content}"
    return clipped(content) if isinstance(content := getattr(record, "content", ""), str) else ""


def clipped(text: str) -> str:
    text = " ".join(without_told(text).split())
    return text if len(text) <= _MOST_SAID else f"{text[:_MOST_SAID].rsplit(' ', 1)[0]} …"


def _date(recalled: Recalled) -> str:
    record = recalled.record
    at = record.valid_from or record.created_at if isinstance(record, Memory) else recalled.at
    return at.date().isoformat() if at else ""


def _last_line(last: LastSession, framing: Framing) -> str:
    text = _on_one_line(last.text)
    if framing is Framing.BLOCK:
        return as_json({_LAST_SESSION: text})
    return f"- {text} ({last.at.date().isoformat()})" if last.at else f"- {text}"


def _on_one_line(text: str) -> str:
    """A single line, so that it cannot imitate a heading or another speaker."""
    return inert(" ".join(text.split()))
