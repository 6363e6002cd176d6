"""Whether a query matches anything that is known here: plainly, doubtfully or not at all (R2). The same for a question
and for a turn. Pure.

A question gets everything that was found, with doubtful hits marked; a prompt gets the plain hits, and a few of the
doubtful ones (`few_of`, R2b).

Start at `opening_of`, which judges the query as a whole; `bearing_of` judges one hit.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.recall.about import about, has_all, names_told, telling
from everlore.recall.names import QueryNames
from everlore.recall.noise import About, NoiseModel, luck
from everlore.recall.ranking import eased
from everlore.recall.wording import Wording
from everlore.store.answers import Coverage, Found, Hit
from everlore.store.port import Vector

# The share of the best hit's relevance that each further one needs.
COMPANY = 0.3
# A line is plainly meant if it is likely by itself and compared to the best one.
_LIKELY = 0.1
_BESIDE_BEST = 1 / 3


class Bearing(StrEnum):
    """`DOUBTFUL`: more similar than by chance, or about somebody who is known here, but not a plain match."""

    PLAIN = "plain"
    DOUBTFUL = "doubtful"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class QuestionMatch:
    """How well a query matches all that was found. `of_known`: it names somebody or something known here."""

    bearing: Bearing
    of_known: bool

    @property
    def is_plain(self) -> bool:
        return self.bearing is Bearing.PLAIN


def opening_of(
    hits: Sequence[Hit], wording: Wording, named: QueryNames, *, floor: NoiseModel, passages: int, vector: Vector | None
) -> QuestionMatch:
    """`hits` were found among `passages` passages; `vector` is the embedding of the query."""
    evidence, (whom, of_known) = _evidence(hits, wording, floor), _about(hits, wording, named)
    has_words = has_all((hit.parts for hit in hits), wording.words)
    if has_words or floor.opens(evidence, whom, passages, vector):
        return QuestionMatch(Bearing.PLAIN, of_known)
    # Nothing can be known here about somebody nobody has mentioned.
    is_meant_here = whom is not About.STRANGER and telling(wording.words) > 0
    is_beyond_luck = bool(evidence) and evidence[0] >= luck(passages)
    in_doubt = of_known or (is_meant_here and is_beyond_luck)
    return QuestionMatch(Bearing.DOUBTFUL if in_doubt else Bearing.NONE, of_known)


def bearing_of(recalled: Recalled, opening: QuestionMatch, least: float) -> Bearing:
    """Judges one hit by its `relevance`, which must reach `least` of its kind for a plain match. A hit that has nothing
    in common with the query does not match."""
    relevance = recalled.parts["relevance"]
    if opening.is_plain and relevance >= least:
        return Bearing.PLAIN
    return Bearing.DOUBTFUL if relevance > 0 else Bearing.NONE


def few_of(few: Mapping[PassageKind, int], kind: PassageKind, opening: QuestionMatch) -> int:
    """How many doubtful hits of a kind go into a prompt. Some line is always a little similar, so no lines are included
    unless the query is about somebody known."""
    if opening.bearing is not Bearing.DOUBTFUL or (kind is PassageKind.MESSAGE and not opening.of_known):
        return 0
    return few.get(kind, 0)


def least_of(relevances: Iterable[float]) -> float:
    """The least relevance beside the best hit."""
    return eased(max(relevances, default=0.0), COMPANY)


def least_of_lines(relevances: Iterable[float]) -> float:
    """The same for lines, which are scored with their neighbours."""
    return max(_LIKELY, max(relevances, default=0.0) * _BESIDE_BEST)


def coverage_of(found: Iterable[Found]) -> Coverage:
    """How much was searched, and how much of it has a vector."""
    counted = [each.coverage for each in found]
    return Coverage(sum(each.passages for each in counted), sum(each.embedded for each in counted))


def _about(hits: Sequence[Hit], wording: Wording, named: QueryNames) -> tuple[About, bool]:
    """Whom the query is about, and whether by a known name. A name that only memories use must be capitalised, because
    a part of a name ("New Year") is often an everyday word."""
    heard = " ".join(str(getattr(hit.record, "content", "")) for hit in hits)
    told = names_told(hit.record.content for hit in hits if isinstance(hit.record, Memory))
    met = (*named.names, *(each.name for each in named.entities))
    whom = about(wording.words, (*met, *told), heard)
    written = (name for name in told if re.search(rf"\b{re.escape(name)}\b", wording.words))
    return whom, whom is About.KNOWN and about(wording.words, (*met, *written), heard) is About.KNOWN


def _evidence(hits: Sequence[Hit], wording: Wording, floor: NoiseModel) -> list[float]:
    """The evidence of each hit, largest first; a record that was found twice counts once."""
    words, line_words = telling(wording.words), telling(wording.topic)
    found = {
        (hit.kind, hit.record.id): floor.evidence(hit.parts, line_words if hit.kind is PassageKind.MESSAGE else words)
        for hit in hits
    }
    return sorted(found.values(), reverse=True)
