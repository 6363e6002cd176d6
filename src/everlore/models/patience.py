"""Time limits and retries, in one place for every chat model (V5).

A call that fails because the server is not available is retried with growing delays, but only before the first piece: a
reply that has begun is never restarted. The first piece must arrive within `first_piece_timeout_s` (in the background:
`whole_timeout_s`), including all tries and delays. If a server says how long to wait, that is used if it fits, and the
call fails at once if it does not. A call that was too slow is not repeated: that would make a slow server slower.

Closing the generator, or cancelling the task that reads it, closes the call underneath.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from everlore.errors import ModelUnavailable, PromptTooLong
from everlore.models.chat import Ask, ChatModel, End, Piece
from everlore.models.window import TellsWindow
from everlore.settings import ChatSettings

LONGEST_WAIT_S = 30
# How long a reported context window is cached, because a model may be reloaded. Servers that reported none are asked
# again sooner.
_WINDOW_HOLDS_S = 300
_NO_WINDOW_HOLDS_S = 30
_RATE_LIMITED = 429

_Parts = AsyncGenerator[Piece | End, None]


class Patience:
    def __init__(self, model: ChatModel, settings: ChatSettings) -> None:
        self._model = model
        self._settings = settings
        self.name = model.name
        self.backend = model.backend
        self._window: int | None = None
        self._window_until = 0.0

    async def stream(self, ask: Ask) -> _Parts:
        started = asyncio.get_running_loop().time()
        end_by = started + self._settings.whole_timeout_s
        parts, part = await self._begin(ask, min(started + self._first_piece_s(ask), end_by))
        # A model that uses what the server offers has its name only now.
        self.name = self._model.name
        async with aclosing(parts):
            yield part
            while not isinstance(part, End):
                part = await self._next(parts, end_by)
                yield part

    async def window(self) -> int | None:
        """The context window in tokens, as the server reported it or named it in a refusal; None if neither did."""
        now = asyncio.get_running_loop().time()
        if isinstance(self._model, TellsWindow) and now >= self._window_until:
            told = await self._model.window()
            self._window = told or self._window
            self._window_until = now + (_WINDOW_HOLDS_S if told else _NO_WINDOW_HOLDS_S)
        return self._window

    async def close(self) -> None:
        await self._model.close()

    async def _begin(self, ask: Ask, begin_by: float) -> tuple[_Parts, Piece | End]:
        """A started stream and its first piece."""
        tried = 0
        while True:
            parts = cast(_Parts, self._model.stream(ask))
            try:
                async with asyncio.timeout_at(begin_by):
                    return parts, await anext(parts)
            except TimeoutError:
                raise self._never_began(ask) from None
            except PromptTooLong as error:
                self._window = error.window or self._window
                raise
            except ModelUnavailable as error:
                if error.status == _RATE_LIMITED and not ask.waits_for_rate:
                    raise
                wait_s = self._wait_s(tried, error.after_s)
                if tried == self._settings.retries or not _worth_waiting(wait_s, begin_by):
                    raise
            tried += 1
            await asyncio.sleep(wait_s)

    async def _next(self, parts: _Parts, end_by: float) -> Piece | End:
        silent_by = asyncio.get_running_loop().time() + self._settings.next_piece_timeout_s
        try:
            async with asyncio.timeout_at(min(silent_by, end_by)):
                return await anext(parts)
        except TimeoutError:
            raise (self._fell_silent() if silent_by < end_by else self._never_ended()) from None

    def _wait_s(self, tried: int, after_s: float | None) -> float:
        backoff_s: float = self._settings.backoff_s * 2**tried
        return max(min(backoff_s, LONGEST_WAIT_S), after_s or 0)

    def _first_piece_s(self, ask: Ask) -> float:
        limits = self._settings
        return limits.whole_timeout_s if ask.in_background else limits.first_piece_timeout_s

    def _never_began(self, ask: Ask) -> ModelUnavailable:
        limit = "WHOLE_TIMEOUT_S" if ask.in_background else "FIRST_PIECE_TIMEOUT_S"
        return ModelUnavailable(
            f"{self._who()} did not begin to answer in time (at most {self._first_piece_s(ask):g} s). "
            f"It may still be loading: try again. For a slow machine raise EVERLORE_CHAT__{limit}, "
            "or choose a smaller model."
        )

    def _fell_silent(self) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._who()} fell silent within its answer for {self._settings.next_piece_timeout_s:g} s. "
            "Try again; for a slow machine raise EVERLORE_CHAT__NEXT_PIECE_TIMEOUT_S."
        )

    def _never_ended(self) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._who()} did not come to an end within {self._settings.whole_timeout_s:g} s. "
            "Ask for a shorter reply, or raise EVERLORE_CHAT__WHOLE_TIMEOUT_S."
        )

    def _who(self) -> str:
        return f"The model {self._model.name!r}" if self._model.name else f"The model at {self.backend}"


def _worth_waiting(wait_s: float, begin_by: float) -> bool:
    return wait_s <= LONGEST_WAIT_S and asyncio.get_running_loop().time() + wait_s < begin_by
