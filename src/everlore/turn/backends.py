"""Which model answers in a conversation (V5), and what a workspace has chosen.

A workspace stores its choices as one setting. API keys in it are sealed, and are unsealed only for a model client.
Start at `Backends.model_for`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import SecretStr

from everlore.domain.config import DEFAULTS, ConversationConfig
from everlore.domain.config_choices import Service
from everlore.domain.scope import Scope
from everlore.domain.setting import MODELS, Setting
from everlore.errors import BadAsk, EverloreError, Misconfigured
from everlore.models.chat import ChatModel, Purpose
from everlore.models.choice import NO_MODEL, ChoiceOrigin, Endpoint, Wish, Wishes, choose, wishes_of
from everlore.models.complaints import checked_address, public_address
from everlore.models.discovery import Offer
from everlore.models.keys import Seal
from everlore.models.probe import ProbeResult, list_models, probe
from everlore.models.registry import ChatModels, make_client, refuse_barred
from everlore.models.window import TellsWindow
from everlore.settings import Settings
from everlore.store.port import Put, Store


class SealedKey(SecretStr):
    """An API key as it is stored. It is unsealed only when a model is called: to tell which model that is, or to
    replace the key, no secret is needed."""


@dataclass(frozen=True, slots=True)
class ChosenModel:
    model: ChatModel
    endpoint: Endpoint


async def told_window(model: ChatModel) -> int | None:
    """The context window of the model in tokens, if it or its server reports one."""
    return await model.window() if isinstance(model, TellsWindow) else None


class Backends:
    def __init__(
        self,
        store: Store,
        models: ChatModels,
        keys: Seal,
        settings: Settings,
        *,
        look: Callable[[], Awaitable[tuple[Offer, ...]]],
        clock: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._models = models
        self.keys = keys
        self._operator = wishes_of(settings)
        self._look = look
        self._clock = clock
        self.offers: tuple[Offer, ...] = ()

    async def look(self) -> tuple[Offer, ...]:
        """Find the model servers that answer on this machine, and the API keys in the environment."""
        self.offers = await self._look()
        return self.offers

    async def model_for(
        self, scope: Scope, purpose: Purpose = Purpose.CHAT, config: ConversationConfig = DEFAULTS
    ) -> ChosenModel:
        endpoint = await self._opened(await self.endpoint_for(scope, purpose, config))
        return ChosenModel(self._models.get(endpoint), endpoint)

    async def window_for(self, scope: Scope, config: ConversationConfig = DEFAULTS) -> int | None:
        """The context window of the chat model in tokens, if there is a model and it reports one."""
        try:
            return await told_window((await self.model_for(scope, config=config)).model)
        except EverloreError:
            # A turn would report the error.
            return None

    async def endpoint_for(
        self, scope: Scope, purpose: Purpose = Purpose.CHAT, config: ConversationConfig = DEFAULTS
    ) -> Endpoint:
        wishes = _wishes(await self._kept(scope))
        return choose(purpose, operator=self._operator, conversation=config, workspace=wishes, offers=self.offers)

    async def probe(self, scope: Scope, purpose: Purpose, wish: Wish | None = None) -> ProbeResult:
        """Whether the model answers: the chosen one, or the one that `wish` would choose. Nothing is saved."""
        if wish is None:
            chosen = await self.model_for(scope, purpose)
            return await probe(chosen.endpoint, lambda _: nullcontext(chosen.model))
        endpoint = await self._opened(await self._endpoint_if(scope, purpose, wish))
        refuse_barred(endpoint)
        return await probe(endpoint, _client)

    async def list_models(self, scope: Scope, purpose: Purpose, wish: Wish) -> ProbeResult:
        """The models that a server offers, if the workspace chose it."""
        return await list_models(await self._opened(await self._endpoint_if(scope, purpose, wish)))

    async def _endpoint_if(self, scope: Scope, purpose: Purpose, wish: Wish) -> Endpoint:
        _refuse_bad_address(wish.base_url)
        wishes = {**_wishes(await self._kept(scope)), purpose: wish}
        return choose(purpose, operator=self._operator, workspace=wishes, offers=self.offers)

    async def _opened(self, endpoint: Endpoint) -> Endpoint:
        """The endpoint with its key unsealed."""
        if not isinstance(endpoint.api_key, SealedKey):
            return endpoint
        key = await asyncio.to_thread(self.keys.unseal, endpoint.api_key.get_secret_value())
        return replace(endpoint, api_key=SecretStr(key))

    async def wish(self, scope: Scope, wishes: Mapping[Purpose, Wish | None]) -> None:
        """Save the workspace's choices; None returns to the operator's choice."""
        kept = await self._kept(scope)
        for purpose, wish in wishes.items():
            kept.pop(purpose.value, None)
            if wish is not None:
                kept[purpose.value] = await asyncio.to_thread(self._sealed, wish)
        setting = Setting(workspace=scope.workspace, id=MODELS, value=kept, updated_at=self._clock())
        await self._store.apply(scope, [Put(setting)])

    async def wished(self, scope: Scope) -> Wishes:
        """What this workspace has chosen itself, by purpose."""
        return _wishes(await self._kept(scope))

    async def told(self, scope: Scope) -> str:
        """Which model answers here, as a sentence for people."""
        return who_answers(await self.endpoint_for(scope))

    async def close(self) -> None:
        await self._models.close()

    async def _kept(self, scope: Scope) -> dict[str, Any]:
        found = await self._store.get_many(scope, Setting, [MODELS])
        return dict(found[0].value) if found else {}

    def _sealed(self, wish: Wish) -> dict[str, Any]:
        _refuse_bad_address(wish.base_url)
        if wish.provider is Service.AUTO and wish.api_key is not None:
            raise BadAsk("A key was given without a provider. Name the provider that it is for: openai or ollama.")
        sealed = {"provider": wish.provider.value, "base_url": wish.base_url, "model": wish.model}
        if wish.api_key is not None:
            key = wish.api_key.get_secret_value()
            sealed["key"] = key if isinstance(wish.api_key, SealedKey) else self.keys.seal(key)
        return sealed


@asynccontextmanager
async def _client(endpoint: Endpoint) -> AsyncIterator[ChatModel]:
    """A client for one probe."""
    model = make_client(endpoint)
    try:
        yield model
    finally:
        await model.close()


def _wishes(kept: Mapping[str, Any]) -> Wishes:
    return {Purpose(name): _wish_of(each) for name, each in kept.items()}


def _wish_of(kept: Mapping[str, Any]) -> Wish:
    key = kept.get("key")
    return Wish(
        provider=Service(kept["provider"]),
        base_url=kept["base_url"],
        model=kept["model"],
        api_key=SealedKey(key) if key else None,
    )


HINT = (
    "Start Ollama, LM Studio or a llama.cpp server on this machine, or set EVERLORE_CHAT__PROVIDER, "
    "EVERLORE_CHAT__BASE_URL and EVERLORE_CHAT__API_KEY."
)
_WHOSE = {
    ChoiceOrigin.CONVERSATION: "as this conversation asks",
    ChoiceOrigin.WORKSPACE: "as this workspace asks",
    ChoiceOrigin.OPERATOR: "as the settings ask",
    ChoiceOrigin.FOUND: "found by itself",
    ChoiceOrigin.BUILT_IN: "built in",
}


def _refuse_bad_address(url: str) -> None:
    try:
        if url:
            checked_address(url, example="http://localhost:11434")
    except Misconfigured as error:
        raise BadAsk(str(error)) from None


def who_answers(endpoint: Endpoint) -> str:
    if endpoint.built_in:
        return f"{NO_MODEL} {HINT}"
    model = endpoint.model or "the first model that is offered"
    where = f" at {public_address(endpoint.base_url)}" if endpoint.base_url else ""
    return f"Replies come from {model} ({endpoint.provider.value}{where}, {_WHOSE[endpoint.origin]})."
