"""Puts what a server sends apart as reasoning into the text, as one `<think>…</think>` block.

Other servers write the block themselves; so whoever reads replies has one form to look for.
"""


class ThinkBlock:
    def __init__(self) -> None:
        self._open = False

    def text(self, reasoning: str, content: str) -> str:
        """What to add to the reply for one delta."""
        if reasoning:
            reasoning = reasoning if self._open else f"<think>{reasoning}"
            self._open = True
        if content:
            content = self.close() + content
        return reasoning + content

    def close(self) -> str:
        """The end of a block that is still open; nothing otherwise."""
        was_open, self._open = self._open, False
        return "</think>\n" if was_open else ""
