"""Puts the prompt around the messages of a client, with their pictures, tool calls and names (9-surfaces). Pure.

System messages stay first; what is for this turn alone, above all memories, comes before the user's latest message.

Start at `woven`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from everlore.domain.blocks import BLOCK_END
from everlore.models.chat import Said


def woven(prompt: Sequence[Said], talk: Sequence[Said]) -> tuple[Said, ...]:
    """Replaces the conversation in `prompt` with `talk`."""
    asked = max((at for at, each in enumerate(prompt) if each.role == "user"), default=len(prompt))
    heads = [each for each in prompt[:asked] if each.role == "system"]
    last = [each for each in prompt[asked:] if each.role == "system"]
    late = _late(prompt[asked].content) if asked < len(prompt) else ""
    return (*heads, *_with_late(talk, late), *last)


def _late(content: str) -> str:
    """What comes before the user's words: blocks that each mark their end."""
    before, end, _ = content.rpartition(BLOCK_END)
    return before + end


def _with_late(talk: Sequence[Said], late: str) -> list[Said]:
    at = max((at for at, each in enumerate(talk) if each.role == "user" and not _is_result(each)), default=None)
    if not late or at is None:
        return [*([Said("user", late)] if late else []), *talk]
    return [*talk[:at], _before(talk[at], late), *talk[at + 1 :]]


def _is_result(said: Said) -> bool:
    return said.raw is not None and said.raw.get("role") in ("tool", "function")


def _before(said: Said, late: str) -> Said:
    raw: dict[str, Any] = dict(said.raw or {"role": said.role, "content": said.content})
    content = raw.get("content")
    if isinstance(content, list):
        raw["content"] = [{"type": "text", "text": late}, *content]
    else:
        raw["content"] = f"{late}\n\n{content or ''}"
    return replace(said, content=f"{late}\n\n{said.content}", raw=raw)
