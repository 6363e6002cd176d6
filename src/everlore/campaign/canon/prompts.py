"""Asks a model which canon statements a new one contradicts, and validates its answer (G7).

One question per new statement. An answer in the wrong form counts as none, and the rules decide alone. Start at
`asked_about`.
"""

from collections.abc import Mapping, Sequence

from everlore.domain.blocks import resource
from everlore.domain.bounds import Json
from everlore.learning.answers import line_in
from everlore.learning.asking import INTEGER, TEXT, asked, instructions, list_of, object_of
from everlore.learning.candidate import Asker
from everlore.models.chat import Ask, Said

_ROOM = "everlore.campaign"
_TEMPERATURE = 0.0
_ANSWER_TOKENS = 400
_MOST_REASON = 200
_SCHEMA: Json = object_of(contradicted=list_of(object_of(number=INTEGER, reason=TEXT)))


async def asked_about(asker: Asker, new: str, known: Sequence[str]) -> Mapping[int, str] | None:
    """The indexes of the known statements that it contradicts, each with the reason; None if the answer is unusable."""
    listed = [{"number": at, "text": text} for at, text in enumerate(known, 1)]
    ask = Ask(
        messages=(
            Said("system", instructions("canon", room=_ROOM)),
            Said("user", resource("canon", "canon", {"new": new, "known": listed})),
        ),
        temperature=_TEMPERATURE,
        max_tokens=_ANSWER_TOKENS,
        schema=_SCHEMA,
    )
    return await asked(asker, ask, lambda value: read(value, len(known)), what="canon")


def read(value: object, known: int) -> Mapping[int, str] | None:
    """The answer by index from 0; None unless all of it has the requested form."""
    listed = value.get("contradicted") if isinstance(value, dict) else None
    if not isinstance(listed, list) or len(listed) > known:
        return None
    found: dict[int, str] = {}
    for each in listed:
        number = each.get("number") if isinstance(each, dict) else None
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= known:
            return None
        found[number - 1] = line_in(each.get("reason"), _MOST_REASON) or "a model finds that they cannot both be true"
    return found
