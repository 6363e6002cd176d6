"""Marks inside a message that readers do not see: context blocks and the end of an episode (P8).

A block contains its texts as JSON without angle brackets and without the marks by which models separate speakers:
nothing in it can close the block, open another, or speak as the system.
"""

import json
import re
from collections.abc import Mapping
from html import escape
from typing import Any

NEXT_EPISODE = "#NEXT EPISODE#"
BLOCK_END = "</mcp:context>"
_SCHEME = "everlore://"
# Marks by which some models recognize a change of speaker.
_BRACKETED_ROLE = re.compile(r"\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])")
_OPENING = re.compile(
    r"<(?=\s*/?\s*mcp:context|[|｜][^<>|｜\n]{1,60}[|｜]>|/?s>|[be]os>|/?(?:start|end)_of_turn>|<\s*/?\s*SYS)",
    re.IGNORECASE,
)


def resource(uri: str, schema: str, data: Mapping[str, Any]) -> str:
    """A context block: `<mcp:context type="resource" uri="everlore://memory/a/b" …>` with JSON in it."""
    inside = as_json({"schema": f"urn:everlore:narrative:{schema}", "data": data})
    opening = f'<mcp:context type="resource" uri="{escape(_SCHEME + uri)}" ephemeral="true">'
    return f"{opening}\n{inside}\n{BLOCK_END}"


def block(kind: str, text: str) -> str:
    """A plain text as data in a context block: a reminder, a steering instruction, a welcome."""
    return resource(kind, kind, {"text": text})


def as_json(data: Any) -> str:
    """JSON that is safe anywhere in a prompt: it contains no bracket with a meaning."""
    written = json.dumps(data, ensure_ascii=False, separators=(", ", ": "))
    written = written.replace("<", "\\u003c").replace(">", "\\u003e")
    return _BRACKETED_ROLE.sub("\\\\u005b", written)


def inert(text: str) -> str:
    """An untrusted text for a prompt: marks of blocks and of speakers become plain text. Everything else stays as it
    was written."""
    # Most texts have neither, and a long conversation has thousands of them.
    if "<" not in text and "[" not in text:
        return text
    return _BRACKETED_ROLE.sub("&#91;", _OPENING.sub("&lt;", text))
