"""How a context window is divided (P9): each part has a share, and what one does not need flows to the others.

The shares are those of a window of 200,000 tokens, scaled to whatever window there is. They are what a part
is sure to get if it needs it, not the most that it may have.

Start at `grant`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from everlore.domain.allocator import Need, allocate
from everlore.domain.config import ConversationConfig

WINDOW = 8_192
# More is kept free for a reply only where somebody asks for it: some servers refuse to be asked for more.
_USUAL_REPLY = 4_096
# Tokens of a large window. In the order in which parts are given what others left over: what says who speaks
# before what was said. What is told of old messages goes before the talk, which changes with every turn: it is to
# have the same room in all of them, and with it the same words (P13).
SHARES: Mapping[str, int] = MappingProxyType(
    {
        "system": 4_000,
        "tools": 5_000,
        "campaign": 5_000,
        "chapter": 5_000,
        "session": 10_000,
        "lore": 5_000,
        "recall": 15_000,
        "summary": 5_000,
        "conversation": 50_000,
    }
)


_IN_TURN = (("system", "tools"), ("campaign", "chapter", "session", "lore", "recall"), ("summary",), ("conversation",))


@dataclass(frozen=True, slots=True)
class Budget:
    window: int
    reply: int

    @property
    def prompt(self) -> int:
        return self.window - self.reply


def budget_of(config: ConversationConfig, *, told: int | None = None, reply: int | None = None) -> Budget:
    """`told`: the window that the model server tells; `reply`: how long a reply the caller asks for."""
    window = config.context_window or told or WINDOW
    # A reserve that leaves no room for a question is a slip; half of the window is the most.
    reserve = reply or config.response_reserve or min(window // 8, _USUAL_REPLY)
    return Budget(window, min(reserve, window // 2))


def grown_window(tokens: int, *, most: int | None = None) -> int:
    """The usual window, doubled until so many tokens fit: for servers that do not tell theirs, and for those that spend
    memory on all that they are asked for."""
    window = WINDOW
    while window < tokens:
        window *= 2
    return min(window, most) if most is not None else window


def divide(limit: int) -> dict[str, int]:
    """The share of each part, in tokens."""
    whole = sum(SHARES.values())
    return {part: limit * share // whole for part, share in SHARES.items()}


def grant(needs: Mapping[str, int], limit: int) -> dict[str, int]:
    """What each part gets: what it needs, if there is room; else its share and what others left over."""
    whole = sum(SHARES.values())
    wanted = [
        Need(key=part, want=needs.get(part, 0), share=SHARES[part] / whole, order=order)
        for order, parts in enumerate(_IN_TURN)
        for part in parts
    ]
    return {part: each.used for part, each in allocate(wanted, limit).items()}


def level(needs: Sequence[int], limit: int) -> int:
    """The most that each may have so that all of them fit: the small ones whole, the large ones cut alike."""
    alike = [Need(key=str(place), want=need, share=1 / len(needs)) for place, need in enumerate(needs)]
    cut = (each.used for each in allocate(alike, limit).values() if each.used < each.wanted)
    return min(cut, default=max(needs, default=0))
