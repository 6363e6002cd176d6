"""What a reader of a session already knows: the campaign so far, its cast, and its open threads (G3).

The players' digest is made with what players know, the game master's with everything. Pure; start at `Background`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from everlore.campaign.entities.mentions import MentionIndex
from everlore.domain.bounds import Json
from everlore.domain.campaign import Chapter, Entity
from everlore.domain.memory import Memory
from everlore.learning.segments.transcript import clip

_MOST_PREMISE = 600
_MOST_BEFORE = 800
_MOST_TEXT = 200
_MOST_GOALS = 5
_MOST_CAST = 12
_MOST_NAMES = 40
_MOST_ALIASES = 4
_MOST_THREADS = 15


@dataclass(frozen=True, slots=True)
class Background:
    """`before`: the session before this one, in short. `cast`: who takes part, and whom they play."""

    premise: str = ""
    chapter: Chapter | None = None
    cast: tuple[str, ...] = ()
    entities: tuple[Entity, ...] = ()
    threads: tuple[Memory, ...] = ()
    before: str = ""

    @property
    def open_threads(self) -> tuple[Memory, ...]:
        """The latest ones, oldest first: their places are their numbers in the prompt."""
        return self.threads[-_MOST_THREADS:]

    def named_in(self, texts: Iterable[str], index: MentionIndex) -> tuple[Entity, ...]:
        """The known entities that these lines name, most often named first."""
        counts: dict[str, int] = {}
        for text in texts:
            for each in index.find(text):
                counts[each.id] = counts.get(each.id, 0) + 1
        known = [each for each in self.entities if each.id in counts]
        return tuple(sorted(known, key=lambda each: -counts[each.id])[:_MOST_NAMES])

    def data(self, named: Sequence[Entity], earlier: Sequence[str], threads: Sequence[str]) -> Json:
        """For the prompt. `earlier`: scenes of the parts before; `threads`: all open ones, numbered by place."""
        data: Json = {
            "premise": clip(self.premise.strip(), _MOST_PREMISE),
            "goals": [clip(each, _MOST_TEXT) for each in (self.chapter.goals if self.chapter else ())[:_MOST_GOALS]],
            "cast": [clip(each, _MOST_TEXT) for each in self.cast[:_MOST_CAST]],
            "last_session": clip(self.before, _MOST_BEFORE),
            "names": [_name(each) for each in named],
            "open_threads": [{"n": at, "text": clip(each, _MOST_TEXT)} for at, each in enumerate(threads, 1)],
            "earlier_in_this_session": [clip(each, _MOST_TEXT) for each in earlier],
        }
        return {name: each for name, each in data.items() if each}


def _name(entity: Entity) -> Json:
    named: Json = {"name": clip(entity.name, _MOST_TEXT), "kind": entity.kind.value}
    return named | ({"also": list(entity.aliases[:_MOST_ALIASES])} if entity.aliases else {})
