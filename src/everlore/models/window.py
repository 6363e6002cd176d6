"""Reads the context window of a model from what its server reports. Pure, except for the protocol.

Servers report it in different fields. If there are several, the loaded size takes precedence over the maximum. Invalid
or implausible numbers are ignored: a wrong window is worse than none.

Start at `window_in_listing`.
"""

import re
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

# vLLM and SGLang, OpenRouter and Together, Groq, Mistral, LM Studio.
_FIELDS = ("loaded_context_length", "max_model_len", "context_length", "context_window", "max_context_length")
# The time limit for asking a server, because a reply waits for it.
ASKED_FOR_S = 5
_LEAST, _MOST = 512, 100_000_000
_NUM_CTX = re.compile(r"^num_ctx\s+(\d+)\s*$", re.M)
_STATED = re.compile(r"(?:maximum context length is|context (?:size|window|length)) ?(?:of )?\(?([\d,]+)", re.I)


@runtime_checkable
class TellsWindow(Protocol):
    """A chat model that knows, or can find out, how many tokens prompt and reply have together."""

    async def window(self) -> int | None: ...


def row_of(listing: object, model: str) -> Mapping[str, Any]:
    """The entry of one model in a response of `/v1/models` or similar."""
    rows = _at(listing, "data")
    found = [row for row in rows if _at(row, "id") == model] if isinstance(rows, list) else []
    return found[0] if found and isinstance(found[0], dict) else {}


def window_in_row(row: Mapping[str, Any]) -> int | None:
    told = [*(row.get(name) for name in _FIELDS), _at(row.get("meta"), "n_ctx")]
    return next((window for each in told if (window := _sensible(each)) is not None), None)


def page_with_window(row: Mapping[str, Any]) -> str:
    """Where servers report it that leave it out of their list of models: llama.cpp, LM Studio."""
    return {"llamacpp": "/props", "organization_owner": "/api/v0/models"}.get(str(row.get("owned_by")), "")


def window_in_page(page: object, model: str) -> int | None:
    of_slot = _sensible(_at(_at(page, "default_generation_settings"), "n_ctx"))
    return of_slot if of_slot is not None else window_in_row(row_of(page, model))


def window_in_ollama(shown: object) -> int | None:
    """The window in its model file, or else the maximum of the model."""
    parameters = _at(shown, "parameters")
    if isinstance(parameters, str) and (match := _NUM_CTX.search(parameters)):
        return _sensible(int(match[1]))
    info = _at(shown, "model_info")
    told = [value for name, value in info.items() if str(name).endswith(".context_length")] if info else []
    return _sensible(told[0]) if told else None


def stated_window(said: str) -> int | None:
    """The limit that a server names when it refuses a prompt that is too long."""
    match = _STATED.search(said)
    return _sensible(int(match[1].replace(",", ""))) if match else None


def _at(found: object, name: str) -> Any:
    return found.get(name) if isinstance(found, dict) else None


def _sensible(value: object) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and isinstance(value, int) and _LEAST <= value <= _MOST else None
