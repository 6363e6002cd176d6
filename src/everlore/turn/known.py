"""What a character knows when it answers: the memories that recall finds for the reply, as many as fit, and how the
last conversation of the two ended (R1, V1).

Never what the user shares with somebody else, nor what the character shares with another user. Start at `known_for`.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from everlore.domain.conversation import Conversation, Message
from everlore.domain.layer import Layer
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.policy import is_held_back, most_recalled
from everlore.domain.recalled import LastSession, LeftOut, Limit, Recalled
from everlore.domain.scope import Scope
from everlore.recall.analysis import RecallTools
from everlore.recall.layers import Allotted, allot
from everlore.recall.past import heard_by, words_of
from everlore.recall.pipeline import recall
from everlore.recall.question import RecallQuery
from everlore.recall.reasons import told
from everlore.recall.recipes import Shares
from everlore.recall.trace import Trace
from everlore.store.answers import Coverage
from everlore.turn.last_talk import last_talk

# How many of the memories that did not fit are reported.
_MOST_LEFT = 20
# More tokens than any model takes.
_ANY_ROOM = 10**9
# Most candidates that are ranked, however large the budget is.
_MOST_WEIGHED = 400
_MOST_LINES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRoom:
    """The room for memories in `tokens`, counted by `cost`; `shares` divides it where the recipe is overridden."""

    tokens: int
    cost: Callable[[str], int]
    shares: Shares = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class TurnRecall:
    """`recalled` best first, each with its reason; `left` did not fit, and says why; `earlier` are lines of earlier
    conversations, oldest first. `coverage` is of what was searched; `shares`: how layers divide the room. `trace` has
    all that was found, and what became of it."""

    recalled: tuple[Recalled, ...]
    earlier: tuple[Message, ...] = ()
    last_session: LastSession | None = None
    left: tuple[LeftOut, ...] = ()
    coverage: Coverage = field(default_factory=lambda: Coverage(0, 0))
    shares: Shares = field(default_factory=dict, hash=False)
    trace: Trace | None = field(default=None, compare=False)

    @property
    def memories(self) -> tuple[Memory, ...]:
        return tuple(each.memory for each in self.recalled if each.kind is PassageKind.MEMORY)


async def known_for(
    scope: Scope, query: RecallQuery, tools: RecallTools, room: MemoryRoom, *, with_earlier: bool, with_last: bool
) -> TurnRecall:
    """`query` is for the reply in a conversation; this sets its layers and limits."""
    here, character_id = query.here, query.viewer.person_id or ""
    assert here is not None, "a reply is given in a conversation"
    most = most_recalled(scope.mode, scope.role, room.tokens)
    shares = room.shares or query.recipe.divided(with_gossip=query.gossip_threshold is not None)
    # A share set to 0 turns a layer off.
    layers = frozenset(layer for layer in Layer if shares.get(layer) != 0)
    trace, (last, last_told) = await asyncio.gather(
        recall(scope, replace(query, limit=min(most, _MOST_WEIGHED), layers=layers), tools),
        last_talk(scope, tools.store, here, character_id, looked_for=with_last or with_earlier),
    )
    offered = {layer: [each for each in trace.kept if each.layer is layer] for layer in Layer}

    def allotted_within(tokens: int) -> Allotted:
        return allot(offered, shares, tokens, lambda each: room.cost(getattr(each.record, "content", "")), most)

    allotted = allotted_within(room.tokens)
    # A depth limit of the mode applies however large the budget is.
    behind = allotted_within(_ANY_ROOM).left if is_held_back(scope.mode, scope.role) else ()
    earlier = heard_by([*_earlier(trace, here, last), *last], character_id) if with_earlier else ()
    return TurnRecall(
        tuple(map(told, allotted.kept)),
        earlier,
        last_told if with_last else None,
        _left(scope, room.tokens, allotted, {each.record.id for each in behind}, most),
        trace.coverage,
        shares,
        trace,
    )


def _earlier(trace: Trace, here: Conversation, last: Sequence[Message]) -> list[Message]:
    """The best lines of other conversations, without those that the end of the last one already includes."""
    lines = [each.record for each in trace.kept if isinstance(each.record, Message)]
    again = {words_of(each) for each in last}
    return [each for each in lines if each.conversation_id != here.id and words_of(each) not in again][:_MOST_LINES]


def _left(scope: Scope, budget: int, allotted: Allotted, behind: set[str], most: int) -> tuple[LeftOut, ...]:
    """What is left out, and why."""
    deep = f"depth: in mode {scope.mode.value}, the role {scope.role.value} gets at most {most} memories"
    many = f"no room: {most} others rank higher, the most for a memory budget of {budget} tokens"
    full = f"no room: better matches fill the memory budget of {budget} tokens"
    why = many if len(allotted.kept) >= most else full
    return tuple(
        LeftOut(told(each), deep, (Limit.DEPTH,)) if each.record.id in behind else LeftOut(told(each), why)
        for each in allotted.left[:_MOST_LEFT]
    )
