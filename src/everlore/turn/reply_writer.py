"""A reply while it is being written: every listener gets all of it from the first word, however late it joins.

Writing continues without listeners; it ends when the model is done, or when it is stopped.
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
    """`content` is what the model wrote; listeners get the part of it that may be shown (V4)."""

    def __init__(self, reply: Message, *, user_message: Message | None = None) -> None:
        self.user_message = user_message
        self.begun = reply
        # What the prompt contained, until it has been saved.
        self.account: Account | None = None
        # What was cut from a client's request: see `told_in_header`.
        self.cut = ""
        self.content = reply.content
        self._display = DisplayStream()
        self.shown = self._display.add(reply.content)
        # When a reply is continued, its listeners already have the existing text, to its last space.
        self._known = len(display(reply.content).text)
        self._pieces: list[str | Json] = []
        # Why there is no reply, if it failed.
        self.failure: EverloreError | None = None
        self._reply: Message | None = None
        self._news = asyncio.Event()

    def add(self, text: str) -> str:
        """Adds text of the model; returns what can now be shown of it."""
        text = keepable(text)
        self.content += text
        return self._show(self._display.add(text))

    def end(self) -> str:
        """The model is done: returns what was held back until now."""
        whole = self._display.end().text
        return self._show(whole[len(self.shown) :] if whole.startswith(self.shown) else "")

    def finish(self, reply: Message) -> None:
        """The reply as it was saved."""
        self._reply = reply
        self._tell()

    def add_beside(self, beside: Json) -> None:
        """Output that is not text: see `Piece.beside`."""
        self._pieces.append(beside)
        self._tell()

    @property
    def beside(self) -> list[Json]:
        return [each for each in self._pieces if not isinstance(each, str)]

    @property
    def heard(self) -> str:
        """What listeners have received so far; of a continued reply, only the new text."""
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
        """The pieces of text, and the output that is not text."""
        at = 0
        while True:
            while at < len(self._pieces):
                at += 1
                yield self._pieces[at - 1]
            if self._reply is not None:
                return
            await self._news.wait()

    async def reply(self) -> Message:
        """The reply as it was saved: complete, stopped or failed."""
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
        # A new event each time: a listener that is not waiting right now reads the list first.
        news, self._news = self._news, asyncio.Event()
        news.set()
