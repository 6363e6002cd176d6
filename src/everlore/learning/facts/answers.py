"""Reads a model's answers to the prompts of `prompt.py`, item by item. Pure.

In: the JSON of an answer. Out: candidates, and refusals for malformed items; None if it is not the requested object.
Start at `read_facts` and `read_verdicts`.
"""

from dataclasses import replace

from everlore.domain.memory import Category
from everlore.domain.reading import Filter, Refusal
from everlore.learning.answers import line_in, list_in, share_in
from everlore.learning.candidate import Candidate
from everlore.learning.facts.claims import claim_of

# No message states a hundred things; later items are ignored.
_MOST_ITEMS = 100
_MOST_CHARS = 1_200
_MOST_SHORT = 200


def read_facts(value: object) -> list[Candidate | Refusal] | None:
    items = list_in(value, "facts")
    if items is None:
        return None
    read = [_fact(item) for item in items[:_MOST_ITEMS]]
    return read + [Refusal(_shown(item), Filter.OVER_THE_CAP) for item in items[_MOST_ITEMS:]]


def read_verdicts(value: object, most: int) -> dict[int, bool] | None:
    """The model's verdicts on its own statements, by index."""
    items = list_in(value, "verdicts")
    if items is None:
        return None
    found: dict[int, bool] = {}
    for item in items[:_MOST_ITEMS]:
        number, said = (item.get("number"), item.get("said")) if isinstance(item, dict) else (None, None)
        if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= most and isinstance(said, bool):
            # Contradictory verdicts count as no.
            found[number - 1] = said and found.get(number - 1, True)
    return found


def _fact(item: object) -> Candidate | Refusal:
    """Slot, value, about and holds are optional; without a quote it needs a reason, and then waits."""
    fields = item if isinstance(item, dict) else {}
    content = line_in(fields.get("content"), _MOST_CHARS)
    category = next((each for each in Category if each.value == fields.get("category")), None)
    confidence = share_in(fields.get("confidence"))
    quote = line_in(fields.get("quote", "" if "reasoning" in fields else None), _MOST_CHARS)
    reasoning = line_in(fields.get("reasoning", quote), _MOST_CHARS)
    if not content or category is None or confidence is None or reasoning is None or quote is None:
        return Refusal(_shown(item), Filter.BAD_SHAPE)
    candidate = Candidate(
        content=content,
        category=category,
        confidence=confidence,
        reasoning=reasoning,
        quote=quote,
        about=_short(fields.get("about")),
        holds=_short(fields.get("holds")),
    )
    return replace(candidate, claim=claim_of(candidate, _short(fields.get("slot")), _short(fields.get("value"))))


def _short(given: object) -> str:
    return line_in(given, _MOST_SHORT) or ""


def _shown(item: object) -> str:
    """The item's statement if it has one; the rest of it says little, and may be long."""
    content = item.get("content") if isinstance(item, dict) else item
    return line_in(content, _MOST_SHORT) or type(item).__name__
