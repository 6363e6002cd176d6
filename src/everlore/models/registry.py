"""Creates and caches the chat models: one client per endpoint, all closed at the end.

Creating one opens nothing: clients connect, and files load, at the first request. The cache is limited, and holds one
model file at a time, because it fills the memory: the least recently used models are retired, and closed as soon as
their last reply has ended.

Start at `ChatModels.get`.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing

from everlore.domain.config_choices import Service
from everlore.errors import BadAsk
from everlore.models.chat import Ask, ChatModel, End, Piece
from everlore.models.choice import Endpoint
from everlore.models.patience import Patience
from everlore.settings import ChatSettings

MOST_MODELS = 32

# Imports are inside the functions, so that only the chosen provider is loaded.


def built_in_voice() -> ChatModel:
    from everlore.models.voice import Voice

    return Voice()


_Later = Callable[[Coroutine[None, None, None]], None]


class _Kept(Patience):
    """Counts its users. Once retired, it still serves them, and is closed when the last one is done."""

    def __init__(self, model: ChatModel, settings: ChatSettings, *, later: _Later) -> None:
        super().__init__(model, settings)
        self._later = later
        self._replies = 0
        self._retired = False

    async def stream(self, ask: Ask) -> AsyncGenerator[Piece | End, None]:
        self._replies += 1
        try:
            async with aclosing(super().stream(ask)) as parts:
                async for part in parts:
                    yield part
        finally:
            self._replies -= 1
            if self._retired:
                self._later(self._close_if_unused())

    def retire(self) -> None:
        self._retired = True
        self._later(self._close_if_unused())

    async def _close_if_unused(self) -> None:
        if not self._replies:
            await self.close()


class ChatModels:
    def __init__(self, settings: ChatSettings, *, voice: Callable[[], ChatModel] = built_in_voice) -> None:
        self._settings = settings
        self._make_voice = voice
        self._voice: ChatModel | None = None
        # The most recently used one is last.
        self._kept: dict[tuple[object, ...], _Kept] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def get(self, endpoint: Endpoint) -> ChatModel:
        """The model of an endpoint; `Misconfigured` if there can be none."""
        refuse_barred(endpoint)
        if endpoint.built_in:
            self._voice = self._voice or self._make_voice()
            return self._voice
        which = (endpoint.provider, endpoint.base_url, endpoint.model, endpoint.api_key)
        model = self._kept.pop(which, None) or _Kept(make_client(endpoint), self._settings, later=self._later)
        self._make_room(endpoint.provider)
        self._kept[which] = model
        return model

    async def close(self) -> None:
        models = [*self._kept.values(), *([self._voice] if self._voice else [])]
        self._kept.clear()
        self._voice = None
        for model in models:
            await model.close()
        await asyncio.gather(*self._closing)

    def _make_room(self, provider: Service) -> None:
        """Make room for one more model of that provider."""
        oldest = list(self._kept)[: max(len(self._kept) - MOST_MODELS + 1, 0)]
        files = [which for which in self._kept if which[0] is provider is Service.LOCAL]
        for which in {*oldest, *files}:
            self._kept.pop(which).retire()

    def _later(self, work: Coroutine[None, None, None]) -> None:
        # In the background: a model file takes seconds to unload, and a reply may just be ending.
        task = asyncio.get_running_loop().create_task(work)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


def refuse_barred(endpoint: Endpoint) -> None:
    if not endpoint.barred:
        return
    if endpoint.provider is Service.LOCAL:
        raise BadAsk(
            f"The model file {endpoint.model!r} may not be used: only files in the folder of the one that is set "
            "in EVERLORE_CHAT__MODEL may. Choose one of these, or another provider."
        )
    raise BadAsk(
        f"No {endpoint.provider.value} service is set up here, so a conversation cannot choose it. Leave service_type "
        "out, or let the owner set up the service first (PUT /api/models, or EVERLORE_CHAT__PROVIDER)."
    )


def make_client(endpoint: Endpoint) -> ChatModel:
    """A new client, which the caller closes."""
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
