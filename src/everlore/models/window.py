"""How many tokens a model takes, read from what its server says of it. Pure, but for the protocol.

Servers tell it in fields of their own. Where there are several, what is loaded now goes before what the model could do.
What is no number, or no sensible one, is passed over: a wrong window is worse than none.

Start at `window_in_listing`.
"""

import re
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

# vLLM and SGLang, OpenRouter and Together, Groq, Mistral, LM Studio.
_FIELDS = ("loaded_context_length", "max_model_len", "context_length", "context_window", "max_context_length")
# How long a server may take to say it: a reply waits for that.
ASKED_FOR_S = 5
_LEAST, _MOST = 512, 100_000_000
_NUM_CTX = re.compile(r"^num_ctx\s+(\d+)\s*$", re.M)
_STATED = re.compile(r"(?:maximum context length is|context (?:size|window|length)) ?(?:of )?\(?([\d,]+)", re.I)


@runtime_checkable
class TellsWindow(Protocol):
    """A chat model that knows, or can ask, how many tokens prompt and reply have together."""

    async def window(self) -> int | None: ...


def row_of(listing: object, model: str) -> Mapping[str, Any]:
    """What `/v1/models`, or a page like it, says of one model."""
    rows = _at(listing, "data")
    found = [row for row in rows if _at(row, "id") == model] if isinstance(rows, list) else []
    return found[0] if found and isinstance(found[0], dict) else {}


def window_in_row(row: Mapping[str, Any]) -> int | None:
    told = [*(row.get(name) for name in _FIELDS), _at(row.get("meta"), "n_ctx")]
    return next((window for each in told if (window := _sensible(each)) is not None), None)


def page_with_window(row: Mapping[str, Any]) -> str:
    """Where a server says it that does not say it among its models: llama.cpp, LM Studio."""
    return {"llamacpp": "/props", "organization_owner": "/api/v0/models"}.get(str(row.get("owned_by")), "")


def window_in_page(page: object, model: str) -> int | None:
    of_slot = _sensible(_at(_at(page, "default_generation_settings"), "n_ctx"))
    return of_slot if of_slot is not None else window_in_row(row_of(page, model))


def window_in_ollama(shown: object) -> int | None:
    """What its model file sets, or else what the model was made for."""
    parameters = _at(shown, "parameters")
    if isinstance(parameters, str) and (match := _NUM_CTX.search(parameters)):
        return _sensible(int(match[1]))
    info = _at(shown, "model_info")
    told = [value for name, value in info.items() if str(name).endswith(".context_length")] if info else []
    return _sensible(told[0]) if told else None


def stated_window(said: str) -> int | None:
    """What a server names as its limit when it refuses a prompt for its length."""
    match = _STATED.search(said)
    return _sensible(int(match[1].replace(",", ""))) if match else None


def _at(found: object, name: str) -> Any:
    return found.get(name) if isinstance(found, dict) else None


def _sensible(value: object) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and isinstance(value, int) and _LEAST <= value <= _MOST else None
