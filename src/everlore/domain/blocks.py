"""Marks inside a message that are not for the reader's eyes: context blocks and the end of an episode.

Text inside a block is escaped, so that nothing remembered or typed can close the block or open another.
"""

from html import escape

NEXT_EPISODE = "#NEXT EPISODE#"


def block(kind: str, text: str) -> str:
    """`text` as data in a context block: `<mcp:context type="reminder">…</mcp:context>`."""
    return f'<mcp:context type="{escape(kind)}">\n{escape(text, quote=False)}\n</mcp:context>'
