"""Reports the outcome of saved statements: already known, superseding others, or waiting for review (M8)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from everlore.cli.output import plain, shown

if TYPE_CHECKING:
    from everlore.services.memory_writes import SavedMemory

# More than this are counted, not listed.
_MOST_TOLD = 20


def kept_document(kept: "SavedMemory") -> dict[str, object]:
    """The memory, the outcome of the statement, and the ids of the memories that it closed or contradicts."""
    told = {"outcome": kept.outcome.value, "against": [each.id for each in kept.against]}
    return {**plain(kept.memory), **told}


def kept_lines(kept: "Sequence[SavedMemory]") -> Iterator[str]:
    """No lines for statements that are simply new."""
    telling = [each for each in kept if each.outcome.value != "formed"]
    for each in telling[:_MOST_TOLD]:
        yield _line(each)
    if len(telling) > _MOST_TOLD:
        counts = Counter(each.outcome.value for each in kept)
        yield "In all: " + ", ".join(f"{count:,} {outcome}" for outcome, count in counts.items())


def _line(kept: "SavedMemory") -> str:
    id, others = kept.memory.id, " and ".join(f"“{shown(each.content)}” ({each.id})" for each in kept.against)
    match kept.outcome.value:
        case "reinforced":
            closed = f", and not {others}" if others else ""
            return f"reinforced: {id} already says this: “{shown(kept.memory.content)}”{closed}"
        case "superseded":
            return f"superseded: {id} replaces {others}"
        case "pending":
            how = f"`everlore memories approve {id}` closes the other, `everlore memories reject {id}` this one"
            return f"pending: {id} contradicts {others}, and it is not clear which is newer; {how}"
    return f"rejected: you rejected it as {id} before"
