"""Whether what was said bears on anything that is known here (R2): the same for a question and for a turn. Pure.

Start at `is_open`.
"""

from collections.abc import Sequence

from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.recall.about import about, has_all, names_told, telling
from everlore.recall.floor import Floor
from everlore.recall.names import Named
from everlore.recall.wording import Wording
from everlore.store.port import Hit, Vector


def is_open(
    hits: Sequence[Hit], wording: Wording, named: Named, *, floor: Floor, passages: int, vector: Vector | None
) -> bool:
    """`hits` were found among so many passages; `vector` is that of the wording."""
    if has_all((hit.parts for hit in hits), wording.words):
        return True
    heard = " ".join(str(getattr(hit.record, "content", "")) for hit in hits)
    told = names_told(hit.record.content for hit in hits if isinstance(hit.record, Memory))
    whom = about(wording.words, (*named.names, *(each.name for each in named.entities), *told), heard)
    return floor.opens(_evidence(hits, wording, floor), whom, passages, vector)


def _evidence(hits: Sequence[Hit], wording: Wording, floor: Floor) -> list[float]:
    """What each of them shows, the most first; whatever was found twice counts once."""
    words, line_words = telling(wording.words), telling(wording.topic)
    found = {
        (hit.kind, hit.record.id): floor.evidence(hit.parts, line_words if hit.kind is PassageKind.MESSAGE else words)
        for hit in hits
    }
    return sorted(found.values(), reverse=True)
