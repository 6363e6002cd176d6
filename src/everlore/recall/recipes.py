"""How recall is done for each kind of talk: named data, one flow (R1).

A recipe says what is looked through, how much of the room each layer is sure of, and how much the age and the weight
of a memory count beside its likeness. Start at `RECIPES`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from everlore.domain.config import RecipeName
from everlore.domain.layer import Layer
from everlore.domain.memory import Durability
from everlore.domain.passage import PassageKind

Shares = Mapping[Layer, float]


def _half_lives() -> Mapping[Durability, float]:
    """In days. What somebody is does not age, and is not among them (M17)."""
    return {Durability.EPHEMERAL: 2, Durability.SITUATIONAL: 21, Durability.LONG_TERM: 365}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """`importance`, `freshness` and `reinforcement` are the most that each takes away from a score. `last_session`:
    whether a talk begins with how the one before it ended."""

    kinds: frozenset[PassageKind]
    shares: Shares
    shares_with_gossip: Shares
    importance: float = 0.25
    freshness: float = 0.15
    reinforcement: float = 0.10
    last_session: bool = True
    half_lives: Mapping[Durability, float] = field(default_factory=_half_lives, hash=False)


def recipe_for(
    chosen: RecipeName | None, template: RecipeName | None, *, at_work: bool, has_campaign: bool, plays: bool
) -> RecipeName:
    """As the config or else the template says it; or as fits who is there: an agent at work, a campaign, characters
    among themselves (`plays`: so does the user), or somebody who talks as themselves."""
    fitting = RecipeName.ROLEPLAY if plays else RecipeName.COMPANION
    fitting = RecipeName.CAMPAIGN if has_campaign else fitting
    return chosen or (RecipeName.AGENT if at_work else template) or fitting


_ALONE = {Layer.PAIR: 0.50, Layer.CHARACTER: 0.30, Layer.SEMANTIC: 0.20}
_GOSSIPING = {Layer.PAIR: 0.40, Layer.CHARACTER: 0.25, Layer.SEMANTIC: 0.15, Layer.CROSS: 0.20}
_TALK = frozenset({PassageKind.MEMORY, PassageKind.MESSAGE, PassageKind.SUMMARY})

RECIPES: Mapping[RecipeName, Recipe] = {
    RecipeName.COMPANION: Recipe(kinds=_TALK, shares=_ALONE, shares_with_gossip=_GOSSIPING),
    # Several programs may talk to one assistant, each about something else: none goes on where another left off.
    RecipeName.ASSISTANT: Recipe(kinds=_TALK, shares=_ALONE, shares_with_gossip=_GOSSIPING, last_session=False),
    # A scene lives from what has just happened in it.
    RecipeName.ROLEPLAY: Recipe(kinds=_TALK, shares=_ALONE, shares_with_gossip=_GOSSIPING, freshness=0.25),
    # What an agent did is in its events, and yesterday's work matters more than who somebody is.
    RecipeName.AGENT: Recipe(
        kinds=_TALK | {PassageKind.EVENT},
        shares={Layer.PAIR: 0.40, Layer.CHARACTER: 0.20, Layer.SEMANTIC: 0.40},
        shares_with_gossip={Layer.PAIR: 0.35, Layer.CHARACTER: 0.15, Layer.SEMANTIC: 0.35, Layer.CROSS: 0.15},
        freshness=0.30,
        last_session=False,
    ),
    # In a campaign, what was established years ago holds as much as what was played last week.
    RecipeName.CAMPAIGN: Recipe(
        kinds=_TALK | {PassageKind.EVENT},
        shares=_ALONE,
        shares_with_gossip=_GOSSIPING,
        importance=0.35,
        freshness=0.05,
    ),
}
