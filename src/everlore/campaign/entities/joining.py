"""Groups several names of one entity: "Captain Ysolde Marr", "Ysolde" and "Captain Marr" are one candidate.

In: candidates, one per spelling. Out: `NamedEntity`, one per entity. The longest name becomes the name, shorter ones
become aliases if they match nothing else. A word too weak to be a name alone ("Reed") counts as part of a certain name
("Reed Talloran").

Start at `joined`.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from everlore.campaign.entities.evidence import LEAST
from everlore.campaign.entities.forms import NameForm, form_of
from everlore.campaign.entities.likeness import likeness
from everlore.campaign.entities.matching import Directory, KnownEntity
from everlore.campaign.entities.runs import Run
from everlore.domain.campaign import EntityKind

# Lower than for known entities: within one session, a short form usually means the name just used.
_LEAST_ALIKE = 0.59
_MARGIN = 0.05


@dataclass(frozen=True)
class NameCandidate:
    """One spelling of a name and its places: the index of the message, and the run in it."""

    name: str
    form: NameForm
    kind: EntityKind
    kind_confidence: float
    confidence: float
    placed: tuple[tuple[int, Run], ...] = ()

    @property
    def has_the(self) -> bool:
        return any(run.article == "the" for _, run in self.placed)


@dataclass
class NamedEntity:
    """A named entity with all its names and places."""

    name: str
    kind: EntityKind
    confidence: float
    aliases: tuple[str, ...] = ()
    placed: list[tuple[int, Run]] = field(default_factory=list)


def joined(candidates: Sequence[NameCandidate]) -> list[NamedEntity]:
    groups: list[list[NameCandidate]] = []
    homes = _Homes()
    for candidate in sorted(candidates, key=_rank):
        home = _home(candidate, [groups[at] for at in homes.near(candidate.form)])
        if home is None:
            if candidate.confidence < LEAST:
                continue
            home = []
            groups.append(home)
        home.append(candidate)
        homes.add(candidate, next(at for at, each in enumerate(groups) if each is home))
    return [_named(group) for group in groups]


class _Homes:
    """Finds the groups a name may belong to by its words and the start of its first word; a long log has hundreds."""

    def __init__(self) -> None:
        self._directory = Directory(())
        self._by_beginning: dict[str, set[int]] = defaultdict(set)

    def add(self, candidate: NameCandidate, group: int) -> None:
        self._directory.add(KnownEntity(str(group), candidate.name, (), candidate.kind))
        self._by_beginning[_beginning(candidate.form)].add(group)

    def near(self, form: NameForm) -> list[int]:
        found = {int(entry.known.id) for entry in self._directory.near(form)}
        return sorted(found | self._by_beginning.get(_beginning(form), set()))


def _beginning(form: NameForm) -> str:
    return (form.core or form.words)[0][:2]


def _rank(candidate: NameCandidate) -> tuple[int, int, float]:
    """Sort key: long names first, then frequent ones, so that typos come after the right spelling."""
    return -len(candidate.form.core), -len(candidate.placed), -candidate.confidence


def _home(candidate: NameCandidate, groups: Sequence[list[NameCandidate]]) -> list[NameCandidate] | None:
    """The only group that it fits; None if there is none or more than one."""
    found = [(_alike(candidate, group), at) for at, group in enumerate(groups)]
    near = sorted((each for each in found if each[0] >= _LEAST_ALIKE), reverse=True)
    if not near or (len(near) > 1 and near[0][0] - near[1][0] < _MARGIN):
        return None
    return groups[near[0][1]]


def _alike(candidate: NameCandidate, group: Sequence[NameCandidate]) -> float:
    form = replace(candidate.form, has_article=candidate.has_the)
    best = max((likeness(form, each.form, group[0].kind) for each in group), key=lambda each: each.confidence)
    return best.confidence


def _named(group: Sequence[NameCandidate]) -> NamedEntity:
    longest = max(len(each.form.core) for each in group)
    first = max((each for each in group if len(each.form.core) == longest), key=lambda each: len(each.form.words))
    aliases = dict.fromkeys(each.name for each in group if form_of(each.name).words != first.form.words)
    placed = sorted((place for each in group for place in each.placed), key=lambda place: (place[0], place[1].start))
    # Each further spelling raises the confidence.
    sure = min(0.98, max(each.confidence for each in group) + 0.03 * (len(group) - 1))
    return NamedEntity(first.name, group[0].kind, max(sure, first.confidence), tuple(aliases), placed)
