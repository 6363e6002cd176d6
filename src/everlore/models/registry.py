"""Makes and keeps the chat models: one client for each endpoint, all of them closed at the end.

Start at `ChatModels.get`. Making one opens nothing: clients connect, and files load, at the first ask.
"""

from collections.abc import Callable

from everlore.domain.config import Service
from everlore.models.chat import ChatModel
from everlore.models.choice import Endpoint
from everlore.models.patience import Patience
from everlore.settings import ChatSettings

# Classes are imported where they are chosen: nobody should wait for a provider they do not use.


def built_in_voice() -> ChatModel:
    from everlore.models.voice import Voice

    return Voice()


class ChatModels:
    def __init__(self, settings: ChatSettings, *, voice: Callable[[], ChatModel] = built_in_voice) -> None:
        self._settings = settings
        self._voice = voice
        self._kept: dict[tuple[object, ...], ChatModel] = {}

    def get(self, endpoint: Endpoint) -> ChatModel:
        """The model of an endpoint, whoever chose it; `Misconfigured` if there can be none."""
        which = (endpoint.provider, endpoint.base_url, endpoint.model, endpoint.api_key)
        if which not in self._kept:
            self._kept[which] = self._make(endpoint)
        return self._kept[which]

    async def close(self) -> None:
        while self._kept:
            _, model = self._kept.popitem()
            await model.close()

    def _make(self, endpoint: Endpoint) -> ChatModel:
        if endpoint.provider is Service.VOICE:
            return self._voice()
        return Patience(_client(endpoint), self._settings)


def _client(endpoint: Endpoint) -> ChatModel:
    match endpoint.provider:
        case Service.OLLAMA:
            from everlore.models.ollama_chat import OllamaChat

            return OllamaChat(endpoint.base_url, endpoint.model, endpoint.api_key)
        case Service.LOCAL:
            from everlore.models.local_chat import LocalChat

            return LocalChat(endpoint.model)
        case _:
            from everlore.models.openai_chat import OpenAIChat

            return OpenAIChat(endpoint.base_url, endpoint.model, endpoint.api_key)
