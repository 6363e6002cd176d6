"""Reads mem0's configuration: which model reads the messages, and which one makes the vectors.

Start at `settings_of`.
"""

from collections.abc import Mapping
from typing import Any

import structlog

from everlore.compat.mem0.errors import InvalidRequest
from everlore.settings import ChatSettings, EmbeddingSettings, Settings

log = structlog.get_logger(__name__)

# mem0's providers, with Everlore's name of each and the field of its address.
_MODELS = {
    "openai": ("openai", "openai_base_url"),
    "vllm": ("openai", "vllm_base_url"),
    "lmstudio": ("openai", "lmstudio_base_url"),
    "ollama": ("ollama", "ollama_base_url"),
}
_EMBEDDERS = {"openai": "openai_base_url", "lmstudio": "lmstudio_base_url"}


def settings_of(config: Mapping[str, Any]) -> Settings:
    """The settings of the environment, with the `llm` and the `embedder` of this configuration. Everlore has its own
    store, history and ranking, so that the rest has no effect; a warning names it."""
    if rest := sorted(config.keys() - {"llm", "embedder"}):
        log.warning("mem0.config_without_effect", names=rest)
    given: dict[str, Any] = {}
    if "llm" in config:
        given["chat"] = _chat_of(*_part_of(config, "llm"))
    if "embedder" in config:
        given["embedding"] = _embedding_of(*_part_of(config, "embedder"))
    return Settings(**given)


def _part_of(config: Mapping[str, Any], name: str) -> tuple[str, Mapping[str, Any]]:
    part = config[name]
    if not isinstance(part, Mapping) or not isinstance(part.get("config", {}), Mapping):
        raise InvalidRequest(f"{name} is {part!r}; give a dict with provider and config.")
    return str(part.get("provider", "openai")), part.get("config", {})


def _chat_of(provider: str, fields: Mapping[str, Any]) -> ChatSettings:
    if provider not in _MODELS:
        raise InvalidRequest(f"The llm provider {provider!r} is not known. Known: {', '.join(_MODELS)}.")
    name, address = _MODELS[provider]
    return ChatSettings.model_validate({"provider": name} | _common(fields, address))


def _embedding_of(provider: str, fields: Mapping[str, Any]) -> EmbeddingSettings:
    if provider not in _EMBEDDERS:
        raise InvalidRequest(
            f"The embedder provider {provider!r} is not known. Known: {', '.join(_EMBEDDERS)}. "
            "Without an embedder, the built-in one is used."
        )
    dims = {"dims": fields["embedding_dims"]} if fields.get("embedding_dims") else {}
    return EmbeddingSettings.model_validate({"provider": "openai"} | _common(fields, _EMBEDDERS[provider]) | dims)


def _common(fields: Mapping[str, Any], address: str) -> dict[str, Any]:
    named = {"model": fields.get("model"), "base_url": fields.get(address), "api_key": fields.get("api_key")}
    return {name: value for name, value in named.items() if value}
