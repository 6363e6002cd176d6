"""Puts reasoning that a server sends separately into the text, as one `<think>…</think>` block.

Other servers write the block themselves, so readers of replies need to handle only this form.
"""


class ThinkBlock:
    def __init__(self) -> None:
        self._open = False

    def text(self, reasoning: str, content: str) -> str:
        """The text to add to the reply for one delta."""
        if reasoning:
            reasoning = reasoning if self._open else f"<think>{reasoning}"
            self._open = True
        if content:
            content = self.close() + content
        return reasoning + content

    def close(self) -> str:
        """The end tag if a block is still open, otherwise nothing."""
        was_open, self._open = self._open, False
        return "</think>\n" if was_open else ""
