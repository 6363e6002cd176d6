"""Whether what was said bears on anything that is known here (R2): the same for a question and for a turn. Pure.

Start at `bearing_of`.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.recall.about import about, has_all, names_told, telling
from everlore.recall.floor import About, Floor, luck
from everlore.recall.names import Named
from everlore.recall.wording import Wording
from everlore.store.port import Coverage, Found, Hit, Vector


class Bearing(StrEnum):
    """`DOUBTFUL`: something is nearer than chance would have it, and yet not plainly meant."""

    PLAIN = "plain"
    DOUBTFUL = "doubtful"
    NONE = "none"


def bearing_of(
    hits: Sequence[Hit], wording: Wording, named: Named, *, floor: Floor, passages: int, vector: Vector | None
) -> Bearing:
    """`hits` were found among so many passages; `vector` is that of the wording."""
    if has_all((hit.parts for hit in hits), wording.words):
        return Bearing.PLAIN
    evidence, whom = _evidence(hits, wording, floor), _about(hits, wording, named)
    if floor.opens(evidence, whom, passages, vector):
        return Bearing.PLAIN
    # Of somebody nobody here has heard of, nobody can know anything.
    is_meant_here = whom is not About.STRANGER and telling(wording.words) > 0
    is_beyond_luck = bool(evidence) and evidence[0] >= luck(passages)
    return Bearing.DOUBTFUL if is_meant_here and is_beyond_luck else Bearing.NONE


def coverage_of(found: Iterable[Found]) -> Coverage:
    """How much was looked through, and how much of it has a vector."""
    counted = [each.coverage for each in found]
    return Coverage(sum(each.passages for each in counted), sum(each.embedded for each in counted))


def _about(hits: Sequence[Hit], wording: Wording, named: Named) -> About:
    heard = " ".join(str(getattr(hit.record, "content", "")) for hit in hits)
    told = names_told(hit.record.content for hit in hits if isinstance(hit.record, Memory))
    return about(wording.words, (*named.names, *(each.name for each in named.entities), *told), heard)


def _evidence(hits: Sequence[Hit], wording: Wording, floor: Floor) -> list[float]:
    """What each of them shows, the most first; whatever was found twice counts once."""
    words, line_words = telling(wording.words), telling(wording.topic)
    found = {
        (hit.kind, hit.record.id): floor.evidence(hit.parts, line_words if hit.kind is PassageKind.MESSAGE else words)
        for hit in hits
    }
    return sorted(found.values(), reverse=True)
