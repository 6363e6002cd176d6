"""How recall is done for each purpose: named values that one pipeline reads (R1).

A recipe says where is looked, how much is brought, what age and weight count beside likeness, and what is left out.
Start at `TURN_RECIPES`, the recipes of replies, and at `SEARCH`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from everlore.domain.config_choices import RecipeName
from everlore.domain.layer import Layer
from everlore.domain.memory import Durability
from everlore.domain.passage import PassageKind

Shares = Mapping[Layer, float]


class Source(StrEnum):
    """Where is looked; `recall/searches.py` puts each into searches of the store."""

    # Each kind that is asked for, and memories of whoever is named.
    KINDS = "kinds"
    NAMED = "named"
    # For a reply: the character's own, what it shares with the user, what the user keeps for everybody, what one of
    # the two told the other, summaries and events of their talks, what the character has with others, and the game.
    OWN = "own"
    SHARED = "shared"
    OPEN = "open"
    TOLD = "told"
    LOG = "log"
    OTHERS = "others"
    GAME = "game"


def _half_lives() -> Mapping[Durability, float]:
    """In days. What somebody is does not age, and is not among them (M17)."""
    return {Durability.EPHEMERAL: 2, Durability.SITUATIONAL: 21, Durability.LONG_TERM: 365}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The most that each takes away from the score of a memory."""

    importance: float = 0.25
    freshness: float = 0.15
    reinforcement: float = 0.10
    half_lives: Mapping[Durability, float] = field(default_factory=_half_lives, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutoff:
    """What comes back of what was found. Whoever asks (`is_asked`) is given the best there is, and what is doubtful is
    marked. What nobody asked for must bear on what was said: where it is doubtful whether anything does, `few` of a
    kind come; where something plainly does, `beside` memories come along for a word that none of the plain ones has
    (R2b). With `opens_alone` each is judged by its own relevance, whatever else was found."""

    is_asked: bool = True
    opens_alone: bool = False
    few: Mapping[PassageKind, int] = field(default_factory=dict, hash=False)
    beside: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """`kinds` are looked through where the query names none; `weights` None: nothing but relevance counts. `pool`: so
    many are brought by each search at least, and so many `lines` by each arm of the search for lines, of which the best
    `ranked_lines` are kept at least (0: as many as are asked for). `memory` and `summary` are what such a record counts
    beside a line, where all are after the same room. `last_session`: a talk begins with how the one before it ended."""

    sources: tuple[Source, ...]
    kinds: frozenset[PassageKind]
    cutoff: Cutoff = Cutoff()
    weights: Weights | None = Weights()
    pool: int | None = None
    lines: int = 120
    ranked_lines: int = 0
    memory: float = 1.0
    summary: float = 1.0
    shares: Shares = field(default_factory=dict, hash=False)
    shares_with_gossip: Shares = field(default_factory=dict, hash=False)
    last_session: bool = True

    def divided(self, *, with_gossip: bool) -> Shares:
        return self.shares_with_gossip if with_gossip else self.shares

    def like(self, name: RecipeName) -> "Recipe":
        """The same, with what age and weight count in replies of that recipe."""
        return replace(self, weights=TURN_RECIPES[name].weights)


def recipe_for(
    chosen: RecipeName | None, template: RecipeName | None, *, at_work: bool, has_campaign: bool, plays: bool
) -> RecipeName:
    """As the config or else the template says it; or as fits who is there: an agent at work, a campaign, characters
    among themselves (`plays`: so does the user), or somebody who talks as themselves."""
    fitting = RecipeName.ROLEPLAY if plays else RecipeName.COMPANION
    fitting = RecipeName.CAMPAIGN if has_campaign else fitting
    return chosen or (RecipeName.AGENT if at_work else template) or fitting


_MEMORIES = frozenset({PassageKind.MEMORY})
_TALK = frozenset({PassageKind.MEMORY, PassageKind.MESSAGE, PassageKind.SUMMARY})
# In doubt a few of each kind come unasked. There is always a line that sounds a little like what was said.
_UNASKED = Cutoff(is_asked=False, few={PassageKind.MEMORY: 5, PassageKind.MESSAGE: 3}, beside=2)

_COMPANION = Recipe(
    sources=(
        Source.OWN,
        Source.SHARED,
        Source.OPEN,
        Source.TOLD,
        Source.LOG,
        Source.OTHERS,
        Source.GAME,
    ),
    kinds=_TALK,
    cutoff=_UNASKED,
    pool=40,
    lines=24,
    ranked_lines=20,
    memory=0.5,
    # A summary tells of many things, and takes the room of many lines.
    summary=0.4,
    shares={Layer.PAIR: 0.50, Layer.CHARACTER: 0.30, Layer.SEMANTIC: 0.20},
    shares_with_gossip={Layer.PAIR: 0.40, Layer.CHARACTER: 0.25, Layer.SEMANTIC: 0.15, Layer.CROSS: 0.20},
)

# Replies, by the kind of talk.
TURN_RECIPES: Mapping[RecipeName, Recipe] = {
    RecipeName.COMPANION: _COMPANION,
    # Several programs may talk to one assistant, each about something else: none goes on where another left off.
    RecipeName.ASSISTANT: replace(_COMPANION, last_session=False),
    # A scene lives from what has just happened in it.
    RecipeName.ROLEPLAY: replace(_COMPANION, weights=Weights(freshness=0.25)),
    # What an agent did is in its events, and yesterday's work matters more than who somebody is.
    RecipeName.AGENT: replace(
        _COMPANION,
        kinds=_TALK | {PassageKind.EVENT},
        shares={Layer.PAIR: 0.40, Layer.CHARACTER: 0.20, Layer.SEMANTIC: 0.40},
        shares_with_gossip={Layer.PAIR: 0.35, Layer.CHARACTER: 0.15, Layer.SEMANTIC: 0.35, Layer.CROSS: 0.15},
        weights=Weights(freshness=0.30),
        last_session=False,
    ),
    # In a campaign, what was established years ago holds as much as what was played last week.
    RecipeName.CAMPAIGN: replace(
        _COMPANION, kinds=_TALK | {PassageKind.EVENT}, weights=Weights(importance=0.35, freshness=0.05)
    ),
}

# What is looked through for whoever asks and names nothing: what is known, and what happened.
ASKED = (PassageKind.MEMORY, PassageKind.EVENT)
SEARCH = Recipe(sources=(Source.KINDS, Source.NAMED), kinds=frozenset(ASKED))
# What an agent outside is given unasked.
CONTEXT_PACKAGE = replace(SEARCH, kinds=_MEMORIES, cutoff=_UNASKED)
# What is asked of the record of a campaign.
CAMPAIGN_ASK = replace(SEARCH, kinds=frozenset({PassageKind.MEMORY, PassageKind.EVENT, PassageKind.ENTITY}))
# What one person could tell another of others.
GOSSIP = Recipe(
    sources=(Source.OTHERS,),
    kinds=_MEMORIES,
    cutoff=Cutoff(opens_alone=True),
    weights=None,
    pool=60,
)
