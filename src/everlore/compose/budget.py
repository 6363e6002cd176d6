"""Divides a context window (P9): each part has a share, and what one does not need goes to the others.

The shares are those of a window of 200,000 tokens, scaled to the actual window. They are guaranteed to a part if it
needs them, and are not its maximum.

Start at `grant`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from everlore.domain.allocator import Need, allocate
from everlore.domain.config import ConversationConfig

WINDOW = 8_192
# A larger reserve for the reply must be configured: some servers refuse requests for more.
_USUAL_REPLY = 4_096
# Tokens of a large window, in the order in which parts get unused tokens: who speaks comes before what was said. The
# summary of old messages comes before the conversation, whose size changes with every turn, so that it has the same
# room, and the same words, in all turns (P13).
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
    """`told`: the window that the model server reports; `reply`: the reply length that the caller requests."""
    window = config.context_window or told or WINDOW
    # A reserve that leaves no room for a question is a mistake; half of the window is the maximum.
    reserve = reply or config.response_reserve or min(window // 8, _USUAL_REPLY)
    return Budget(window, min(reserve, window // 2))


def grown_window(tokens: int, *, most: int | None = None) -> int:
    """The default window, doubled until the tokens fit: for servers that do not report theirs, and for those that use
    memory for all that is requested."""
    window = WINDOW
    while window < tokens:
        window *= 2
    return min(window, most) if most is not None else window


def divide(limit: int) -> dict[str, int]:
    """The share of each part, in tokens."""
    whole = sum(SHARES.values())
    return {part: limit * share // whole for part, share in SHARES.items()}


def grant(needs: Mapping[str, int], limit: int) -> dict[str, int]:
    """The tokens for each part: what it needs, if there is room; else its share and what others do not use."""
    whole = sum(SHARES.values())
    wanted = [
        Need(key=part, want=needs.get(part, 0), share=SHARES[part] / whole, order=order)
        for order, parts in enumerate(_IN_TURN)
        for part in parts
    ]
    return {part: each.used for part, each in allocate(wanted, limit).items()}


def level(needs: Sequence[int], limit: int) -> int:
    """The largest limit per item such that all fit: small ones stay whole, large ones are cut to the same size."""
    alike = [Need(key=str(place), want=need, share=1 / len(needs)) for place, need in enumerate(needs)]
    cut = (each.used for each in allocate(alike, limit).values() if each.used < each.wanted)
    return min(cut, default=max(needs, default=0))
