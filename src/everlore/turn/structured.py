"""Asks a model for JSON, in the background: once, and without trusting the answer (V14).

A model that fails three times in a row is reported with its raw answer, so that its owner can see why nothing is
learned. Start at `ask_json`.
"""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from everlore.domain.scope import Scope
from everlore.errors import ModelMisbehaved
from everlore.models.chat import Answer, Ask, ChatModel, End, Reason
from everlore.models.repeating import is_repeating

T = TypeVar("T")

IN_A_ROW = 3
_MOST_RAW = 2_000


# How often, in characters, a growing answer is checked for repetition.
_LOOK_EVERY = 200


@dataclass(frozen=True, slots=True)
class Trouble:
    """A model that does not answer in JSON: `raw` is the beginning of its latest answer."""

    model: str
    failures: int
    raw: str
    at: datetime


class Troubles:
    """Counts failures in a row, by workspace and model. In memory only: a restart resets it."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._kept: dict[tuple[str, str], Trouble] = {}

    def failed(self, scope: Scope, model: str, raw: str) -> None:
        before = self._kept.get((scope.workspace, model))
        count = before.failures + 1 if before else 1
        self._kept[scope.workspace, model] = Trouble(model, count, raw[:_MOST_RAW], self._clock())

    def succeeded(self, scope: Scope, model: str) -> None:
        self._kept.pop((scope.workspace, model), None)

    def reported(self, scope: Scope) -> list[Trouble]:
        return [
            trouble
            for (workspace, _), trouble in self._kept.items()
            if workspace == scope.workspace and trouble.failures >= IN_A_ROW
        ]


async def ask_json(
    model: ChatModel, ask: Ask, parse: Callable[[str], T | None], *, troubles: Troubles, scope: Scope
) -> T:
    """The answer as `parse` returns it; an answer that it cannot use raises `ModelMisbehaved`."""
    answer = await _answer(model, ask)
    # A truncated answer is not used, even if a part of it can be parsed.
    found = parse(answer.text) if answer.end.reason is not Reason.LENGTH else None
    if found is None:
        troubles.failed(scope, model.name, answer.text)
        raise ModelMisbehaved(f"{model.name} did not answer in the required format.")
    troubles.succeeded(scope, model.name)
    return found


async def _answer(model: ChatModel, ask: Ask) -> Answer:
    """Asks again with a higher limit if a reasoning model had no tokens left for the answer. A model that had started
    its answer had enough, and is only verbose."""
    answer = await _unrepeated(model, ask)
    has_begun = answer.text.lstrip().startswith(("{", "[", "```"))
    is_thinking = answer.end.reason is Reason.LENGTH and not has_begun and not is_repeating(answer.text)
    if is_thinking and (ask.max_tokens or 0) < (ask.most_tokens or 0):
        return await _unrepeated(model, replace(ask, max_tokens=ask.most_tokens))
    return answer


async def _unrepeated(model: ChatModel, ask: Ask) -> Answer:
    """The whole answer, or the part before it began to repeat itself; the request is cancelled there."""
    text, looked_at = "", 0
    stream = model.stream(ask)
    try:
        async for part in stream:
            if isinstance(part, End):
                return Answer(text, part)
            text += part.text
            if len(text) - looked_at >= _LOOK_EVERY:
                looked_at = len(text)
                if is_repeating(text):
                    return Answer(text, End(Reason.LENGTH))
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
    return Answer(text, End())
