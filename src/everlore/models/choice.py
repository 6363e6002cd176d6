"""Chooses the endpoint that answers, from the settings of everybody involved (V5).

From the strongest to the weakest: the conversation, the workspace, the operator (unless `auto`), what was found on this
machine or in the environment, the built-in voice.

A setting may be partial:

* only a model: the next weaker endpoint, with that model (the built-in voice has no models: nothing changes);
* a provider without address and key: the next weaker endpoint of that provider, or else the
  provider's usual address. An operator who sets `openai` means a service: a key in the environment comes
  before a server that was found. For a conversation, which members configure too, there is no usual address:
  a service that was neither configured nor found is `barred`, and never called;
* a key without an address belongs to the provider's usual address.

A key is only sent to the address for which it was set. A model file must be set by the operator, or be in the folder of
one that is: any other is `barred`, and refused when it is used. Analysis and extraction have settings of their own; by
default the chat endpoint serves them.

Start at `choose`. Nothing here waits or does I/O.
"""

import os.path
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePath

from pydantic import SecretStr

from everlore.domain.config import DEFAULTS, ConversationConfig
from everlore.domain.config_choices import Service
from everlore.models.chat import Purpose
from everlore.models.discovery import USUAL_MODELS, Offer, best
from everlore.settings import ChatSettings, Settings, TaskModelSettings

USUAL_ADDRESSES = {Service.OPENAI: "https://api.openai.com/v1", Service.OLLAMA: "http://127.0.0.1:11434"}


class ChoiceOrigin(StrEnum):
    """Where the setting for an endpoint comes from."""

    CONVERSATION = "conversation"
    WORKSPACE = "workspace"
    OPERATOR = "operator"
    FOUND = "found"
    BUILT_IN = "built-in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The settings from one origin; empty values (or `auto`) are left to weaker ones."""

    provider: Service = Service.AUTO
    base_url: str = ""
    model: str = ""
    api_key: SecretStr | None = None


Wishes = Mapping[Purpose, Wish]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """`provider` is never `auto`. An empty `model` is the first one that the server offers.

    `barred`: the setting is not allowed, because it is a file that may not be opened or a service that was not
    configured. It is refused when it is used.
    """

    provider: Service
    base_url: str = ""
    model: str = ""
    api_key: SecretStr | None = None
    origin: ChoiceOrigin
    barred: bool = False

    @property
    def built_in(self) -> bool:
        return self.provider is Service.VOICE


VOICE = Endpoint(provider=Service.VOICE, origin=ChoiceOrigin.BUILT_IN)
# The same sentence everywhere; it is followed by a hint that depends on the place.
NO_MODEL = "No language model is connected, so replies are simple and made from memories."


def choose(
    purpose: Purpose,
    *,
    operator: Wishes,
    conversation: ConversationConfig = DEFAULTS,
    workspace: Wishes | None = None,
    offers: Sequence[Offer] = (),
) -> Endpoint:
    layers = [
        (ChoiceOrigin.OPERATOR, operator, sorted(offers, key=lambda offer: offer.api_key is None)),
        (ChoiceOrigin.WORKSPACE, workspace or {}, offers),
        (ChoiceOrigin.CONVERSATION, _wishes_of_conversation(conversation), offers),
    ]
    chats, task = [_found(offers)], None
    for origin, wishes, usual in layers:
        chats.insert(0, _apply(wishes.get(Purpose.CHAT), origin, chats, usual))
        if purpose is not Purpose.CHAT and wishes.get(purpose, Wish()) != Wish():
            task = _apply(wishes[purpose], origin, [*([task] if task else []), *chats], usual)
    return _fenced(task or chats[0], operator)


def wishes_of(settings: Settings) -> Wishes:
    """The settings of the operator."""
    chat = _wish_of(settings.chat)
    if chat.provider is Service.AUTO and not _names_only_a_model(chat):
        # An address or a key that was set must be used, instead of a server that was found.
        chat = replace(chat, provider=Service.OPENAI)
    return {
        Purpose.CHAT: chat,
        Purpose.ANALYSIS: _wish_of(settings.analysis),
        Purpose.EXTRACTION: _wish_of(settings.extraction),
    }


def _wish_of(asked: ChatSettings | TaskModelSettings) -> Wish:
    return Wish(
        provider=Service(asked.provider or Service.AUTO),
        base_url=asked.base_url,
        model=asked.model,
        api_key=asked.api_key,
    )


def _wishes_of_conversation(config: ConversationConfig) -> Wishes:
    return {
        Purpose.CHAT: Wish(provider=config.service_type, model=config.model),
        Purpose.ANALYSIS: Wish(model=config.analyze_model),
        Purpose.EXTRACTION: Wish(model=config.extraction_model),
    }


def _fenced(endpoint: Endpoint, operator: Wishes) -> Endpoint:
    """Settings of others than the operator may choose files in the operator's folders only."""
    if endpoint.provider is not Service.LOCAL or endpoint.origin is ChoiceOrigin.OPERATOR:
        return endpoint
    files = {wish.model for wish in operator.values() if wish.provider is Service.LOCAL}
    if endpoint.model in files:
        return endpoint
    # The normalized path is opened, because `..` behind a symbolic link would lead elsewhere.
    path = os.path.normpath(endpoint.model)
    folders = {PurePath(os.path.normpath(file)).parent for file in files if file}
    return replace(endpoint, model=path) if PurePath(path).parent in folders else replace(endpoint, barred=True)


def _found(offers: Sequence[Offer]) -> Endpoint:
    offer = best(offers)
    return _offered(offer) if offer else VOICE


def _apply(wish: Wish | None, origin: ChoiceOrigin, below: Sequence[Endpoint], offers: Iterable[Offer]) -> Endpoint:
    """The endpoint that the setting makes out of the weaker ones, nearest first."""
    nearest = below[0]
    if wish is None or wish == Wish():
        return nearest
    if _names_only_a_model(wish):
        return nearest if nearest.built_in else replace(nearest, model=wish.model, origin=origin)
    provider = _provider(wish, nearest)
    if provider is Service.VOICE:
        return replace(VOICE, origin=origin)
    chosen = [endpoint for endpoint in below if endpoint.origin is not ChoiceOrigin.FOUND]
    known = [each for each in (*chosen, *map(_offered, offers)) if each.provider is provider]
    base = _base(wish, provider, known)
    if origin is ChoiceOrigin.CONVERSATION and not known and provider is not Service.LOCAL:
        base = replace(base, barred=True)
    return replace(base, model=wish.model or base.model, api_key=wish.api_key or base.api_key, origin=origin)


def _names_only_a_model(wish: Wish) -> bool:
    return wish.provider is Service.AUTO and not wish.base_url and wish.api_key is None


def _provider(wish: Wish, nearest: Endpoint) -> Service:
    if wish.provider is not Service.AUTO:
        return wish.provider
    # An address without a provider uses the provider of the next weaker endpoint, if that has addresses at all.
    return nearest.provider if nearest.provider in USUAL_ADDRESSES else Service.OPENAI


def _base(wish: Wish, provider: Service, known: Sequence[Endpoint]) -> Endpoint:
    if known and not wish.base_url and wish.api_key is None:
        return known[0]
    address = wish.base_url or USUAL_ADDRESSES.get(provider, "")
    # Key and model are reused only for the same address: see the module docstring.
    same = (endpoint for endpoint in known if _same(endpoint.base_url, address))
    fresh = Endpoint(
        provider=provider,
        base_url=address,
        model=USUAL_MODELS.get(address.rstrip("/"), ""),
        origin=ChoiceOrigin.BUILT_IN,
    )
    return next(same, fresh)


def _same(one: str, other: str) -> bool:
    return one.rstrip("/") == other.rstrip("/")


def _offered(offer: Offer) -> Endpoint:
    return Endpoint(
        provider=offer.provider,
        base_url=offer.base_url,
        model=offer.models[0] if offer.models else "",
        api_key=offer.api_key,
        origin=ChoiceOrigin.FOUND,
    )
