"""A reply while it is being written: whoever asks hears all of it, from the first word, however late.

The writing goes on when nobody listens any more; it ends when the model does, or when it is stopped.
"""

import asyncio
from collections.abc import AsyncIterator

from everlore.compose.account import Account
from everlore.domain.bounds import Json
from everlore.domain.conversation import Message
from everlore.domain.display import DisplayStream, display
from everlore.errors import EverloreError
from everlore.turn.replies import keepable


class Writing:
    """`content` is what the model wrote; what listeners hear is what may be shown of it (V4)."""

    def __init__(self, reply: Message, *, user_message: Message | None = None) -> None:
        self.user_message = user_message
        self.begun = reply
        # What the model was told, until it has been kept.
        self.account: Account | None = None
        # What of a client's request the model was not told whole: see `told_in_header`.
        self.cut = ""
        self.content = reply.content
        self._display = DisplayStream()
        self.shown = self._display.add(reply.content)
        # What is there already when a reply is continued is known to whoever asked for more, to its last space.
        self._known = len(display(reply.content).text)
        self._pieces: list[str | Json] = []
        # Why there is no reply, where there is none.
        self.failure: EverloreError | None = None
        self._reply: Message | None = None
        self._news = asyncio.Event()

    def add(self, text: str) -> str:
        """Take what the model wrote; gives back what can be shown of it by now."""
        text = keepable(text)
        self.content += text
        return self._show(self._display.add(text))

    def end(self) -> str:
        """The model has ended: gives back what was held back until now."""
        whole = self._display.end().text
        return self._show(whole[len(self.shown) :] if whole.startswith(self.shown) else "")

    def finish(self, reply: Message) -> None:
        """The reply as it was kept."""
        self._reply = reply
        self._tell()

    def add_beside(self, beside: Json) -> None:
        """What came that is no text: see `Piece.beside`."""
        self._pieces.append(beside)
        self._tell()

    @property
    def beside(self) -> list[Json]:
        return [each for each in self._pieces if not isinstance(each, str)]

    @property
    def heard(self) -> str:
        """What listeners have heard of it by now: of a reply that goes on, what is new."""
        return "".join(each for each in self._pieces if isinstance(each, str))

    @property
    def calls_tools(self) -> bool:
        deltas = [delta for each in self.beside if isinstance(delta := each.get("delta"), dict)]
        return any("tool_calls" in delta or "function_call" in delta for delta in deltas)

    async def pieces(self) -> AsyncIterator[str]:
        async for part in self.parts():
            if isinstance(part, str):
                yield part

    async def parts(self) -> AsyncIterator[str | Json]:
        """The pieces, and what came beside them."""
        at = 0
        while True:
            while at < len(self._pieces):
                at += 1
                yield self._pieces[at - 1]
            if self._reply is not None:
                return
            await self._news.wait()

    async def reply(self) -> Message:
        """The reply as it was kept: complete, stopped or failed."""
        while self._reply is None:
            await self._news.wait()
        return self._reply

    def _show(self, piece: str) -> str:
        known = max(len(self.shown), self._known)
        self.shown += piece
        new = self.shown[known:]
        if new:
            self._pieces.append(new)
            self._tell()
        return new

    def _tell(self) -> None:
        # A new event each time: a listener that is not waiting just now looks at the list first.
        news, self._news = self._news, asyncio.Event()
        news.set()
