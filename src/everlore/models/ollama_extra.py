"""Translates parameters of OpenAI's API to Ollama's own (`/api/chat`). Pure.

Tools, their results, answer formats and pictures are represented differently there; unsupported parameters are refused
by name. Start at `message_of` and `options_of`.
"""

import json
from typing import Any
from uuid import uuid4

from everlore.domain.bounds import Json
from everlore.errors import BadAsk
from everlore.models.beyond_text import schema_of
from everlore.models.chat import Said

# The names in both APIs.
_OPTIONS = frozenset(
    "seed top_k min_p typical_p presence_penalty frequency_penalty repeat_penalty repeat_last_n tfs_z mirostat".split()
)
_ELSEWHERE = frozenset({"tools", "tool_choice", "parallel_tool_calls", "response_format", "n", "logprobs"})
_INSTEAD = "Leave it out, or connect the model through its OpenAI-compatible API (docs/models.md)."


def options_of(extra: Json) -> Json:
    """Sampling options."""
    unknown = sorted(name for name, value in extra.items() if name not in _OPTIONS | _ELSEWHERE and value is not None)
    if unknown:
        raise BadAsk(f"Ollama's own API does not know {', '.join(unknown)}. {_INSTEAD}")
    if extra.get("tool_choice") not in (None, "auto", "none"):
        raise BadAsk(f"Ollama's own API cannot be told which tool to call (tool_choice). {_INSTEAD}")
    if extra.get("n") not in (None, 1) or extra.get("logprobs"):
        raise BadAsk(f"Ollama's own API gives one answer, and no probabilities (n, logprobs). {_INSTEAD}")
    return {name: extra[name] for name in _OPTIONS if extra.get(name) is not None}


def beside_of(extra: Json) -> Json:
    """The parts of a request outside its options."""
    tools = extra.get("tools") if extra.get("tool_choice") != "none" else None
    form = schema_of(extra)
    return ({"tools": tools} if tools else {}) | ({"format": form} if form else {})


def message_of(said: Said) -> Json:
    raw = said.raw
    if raw is None:
        return {"role": said.role, "content": said.content}
    message: Json = {"role": raw.get("role", said.role), "content": _text(raw.get("content"))}
    if pictures := _pictures(raw.get("content")):
        message["images"] = pictures
    if isinstance(calls := raw.get("tool_calls"), list):
        message["tool_calls"] = [{"function": _called(each)} for each in calls if isinstance(each, dict)]
    if raw.get("role") == "tool" and raw.get("name"):
        message["tool_name"] = raw["name"]
    return message


def calls_of(calls: list[dict[str, Any]], before: int) -> Json:
    """Tool calls, as in OpenAI's stream; `before`: how many there were already."""
    told = [
        {
            "index": before + at,
            "id": f"call_{uuid4().hex[:24]}",
            "type": "function",
            "function": {
                "name": str(each.get("function", {}).get("name", "")),
                "arguments": json.dumps(each.get("function", {}).get("arguments") or {}),
            },
        }
        for at, each in enumerate(calls)
    ]
    return {"index": 0, "delta": {"tool_calls": told}}


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text") or "") for part in content if isinstance(part, dict) and "text" in part)
    return str(content or "")


def _pictures(content: object) -> list[str]:
    found: list[str] = []
    for part in content if isinstance(content, list) else []:
        if not isinstance(part, dict) or part.get("type") == "text":
            continue
        address = part.get("image_url")
        url = str(address.get("url", "") if isinstance(address, dict) else address or "")
        head, _, data = url.partition(";base64,")
        if not head.startswith("data:image/") or not data:
            raise BadAsk("Ollama takes pictures as data:image/…;base64,… alone. Send it so, without an address.")
        found.append(data)
    return found


def _called(call: dict[str, Any]) -> Json:
    function = call.get("function", {})
    arguments = function.get("arguments") or "{}"
    try:
        read = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        read = {}
    return {"name": str(function.get("name", "")), "arguments": read}
