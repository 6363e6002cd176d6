"""How recall works for each purpose: named values that one pipeline reads (R1).

A recipe says what is searched, how much is returned, how age and importance count beside similarity, and what is left
out. Start at `TURN_RECIPES`, the recipes of replies, and at `SEARCH`.
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
    """What is searched; `recall/searches.py` translates each into searches of the store."""

    # Each requested kind, and memories about the named people.
    KINDS = "kinds"
    NAMED = "named"
    # For a reply: the character's own memories, what it shares with the user, what the user shares with all characters,
    # what one of the two told the other, summaries and events of their conversations, gossip, and the game.
    OWN = "own"
    SHARED = "shared"
    OPEN = "open"
    TOLD = "told"
    LOG = "log"
    OTHERS = "others"
    GAME = "game"


def _half_lives() -> Mapping[Durability, float]:
    """In days. Core facts do not age, and are not in it (M17)."""
    return {Durability.EPHEMERAL: 2, Durability.SITUATIONAL: 21, Durability.LONG_TERM: 365}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The most that each can take away from the score of a memory."""

    importance: float = 0.25
    freshness: float = 0.15
    reinforcement: float = 0.10
    half_lives: Mapping[Durability, float] = field(default_factory=_half_lives, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutoff:
    """Which hits are returned. A question (`is_asked`) gets the best there is, with doubtful hits marked. Otherwise
    hits must match: if the whole query is doubtful, `few` of each kind are returned; if it has plain matches, up to
    `beside` memories are added for a word that none of those has (R2b). With `opens_alone` each is judged by its own
    relevance, whatever else was found."""

    is_asked: bool = True
    opens_alone: bool = False
    few: Mapping[PassageKind, int] = field(default_factory=dict, hash=False)
    beside: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """`kinds` are searched if the query names none; `weights` None: only relevance counts. `pool`: least number of hits
    of each search; `lines`: the same for each part of the line search, of which at least the best `ranked_lines` are
    kept (0: as many as were requested). `memory` and `summary` weigh such a record against a line if all compete for
    the same room. `last_session`: a conversation starts with how the last one ended."""

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
        """The same, but age and importance count as in replies of that recipe."""
        return replace(self, weights=TURN_RECIPES[name].weights)


def recipe_for(
    chosen: RecipeName | None, template: RecipeName | None, *, at_work: bool, has_campaign: bool, plays: bool
) -> RecipeName:
    """The choice of the config or of the template; else by the kind of conversation: an agent at work, a campaign,
    characters among themselves (`plays`: so does the user), or a user who speaks as themselves."""
    fitting = RecipeName.ROLEPLAY if plays else RecipeName.COMPANION
    fitting = RecipeName.CAMPAIGN if has_campaign else fitting
    return chosen or (RecipeName.AGENT if at_work else template) or fitting


_MEMORIES = frozenset({PassageKind.MEMORY})
_TALK = frozenset({PassageKind.MEMORY, PassageKind.MESSAGE, PassageKind.SUMMARY})
# If in doubt, a few of each kind without being asked. There is always a line that is a little similar.
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
    # A summary mentions many things, and takes the room of many lines.
    summary=0.4,
    shares={Layer.PAIR: 0.50, Layer.CHARACTER: 0.30, Layer.SEMANTIC: 0.20},
    shares_with_gossip={Layer.PAIR: 0.40, Layer.CHARACTER: 0.25, Layer.SEMANTIC: 0.15, Layer.CROSS: 0.20},
)

# Replies, by the kind of conversation.
TURN_RECIPES: Mapping[RecipeName, Recipe] = {
    RecipeName.COMPANION: _COMPANION,
    # Several programs may use one assistant, each for something else: none continues where another stopped.
    RecipeName.ASSISTANT: replace(_COMPANION, last_session=False),
    # In a scene, what has just happened matters most.
    RecipeName.ROLEPLAY: replace(_COMPANION, weights=Weights(freshness=0.25)),
    # What an agent did is in its events, and yesterday's work matters more than core facts about people.
    RecipeName.AGENT: replace(
        _COMPANION,
        kinds=_TALK | {PassageKind.EVENT},
        shares={Layer.PAIR: 0.40, Layer.CHARACTER: 0.20, Layer.SEMANTIC: 0.40},
        shares_with_gossip={Layer.PAIR: 0.35, Layer.CHARACTER: 0.15, Layer.SEMANTIC: 0.35, Layer.CROSS: 0.15},
        weights=Weights(freshness=0.30),
        last_session=False,
    ),
    # In a campaign, old facts count as much as what was played last week.
    RecipeName.CAMPAIGN: replace(
        _COMPANION, kinds=_TALK | {PassageKind.EVENT}, weights=Weights(importance=0.35, freshness=0.05)
    ),
}

# Searched for a question that names no kinds: memories and events.
ASKED = (PassageKind.MEMORY, PassageKind.EVENT)
SEARCH = Recipe(sources=(Source.KINDS, Source.NAMED), kinds=frozenset(ASKED))
# What an external agent gets without asking.
CONTEXT_PACKAGE = replace(SEARCH, kinds=_MEMORIES, cutoff=_UNASKED)
# Questions about the record of a campaign.
CAMPAIGN_ASK = replace(SEARCH, kinds=frozenset({PassageKind.MEMORY, PassageKind.EVENT, PassageKind.ENTITY}))
# What one person could tell another about others.
GOSSIP = Recipe(
    sources=(Source.OTHERS,),
    kinds=_MEMORIES,
    cutoff=Cutoff(opens_alone=True),
    weights=None,
    pool=60,
)
