"""Who answers: from what everybody asked for to one endpoint (V5).

From the strongest to the weakest: the conversation, the workspace, the operator (unless `auto`), what was
found on this machine or in the environment, the built-in voice.

A wish may be partial:

* only a model: the endpoint below it, with that model (the built-in voice has no models: nothing changes);
* a provider without address and key: the nearest endpoint of that provider below it, or else the
  provider's usual address. The operator who names `openai` means a service: a key of the environment comes
  before a server that was found. A conversation, which members set up too, has no usual address to fall back
  on: a service that nobody set up and that was not found is `barred`, and never called;
* a key without an address belongs to the provider's usual address.

A key never goes to any address but the one that it was given for. A file of this machine is named by the
operator, or lies in the folder of one that is: any other is `barred`, and refused when it is used.
Analysis and extraction have wishes of their own; where nobody has one, the chat endpoint serves them.

Start at `choose`. Nothing here waits or looks anywhere.
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
    """Whose wish an endpoint is."""

    CONVERSATION = "conversation"
    WORKSPACE = "workspace"
    OPERATOR = "operator"
    FOUND = "found"
    BUILT_IN = "built-in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody asked for; what is empty (or `auto`) is left to those below."""

    provider: Service = Service.AUTO
    base_url: str = ""
    model: str = ""
    api_key: SecretStr | None = None


Wishes = Mapping[Purpose, Wish]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """`provider` is never `auto`. An empty `model` is the first one that the server offers.

    `barred`: whoever wished for it may not use it, because it is a file that they may not open or a service that
    nobody set up. It is refused when it is used.
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
# The same sentence everywhere; what can be done about it follows, and differs from place to place.
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
    """What the operator asked for."""
    chat = _wish_of(settings.chat)
    if chat.provider is Service.AUTO and not _names_only_a_model(chat):
        # Whoever gives an address or a key wants it used, and not whatever is found.
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
    """Others than the operator may choose among the files of the operator's folders, and see no further."""
    if endpoint.provider is not Service.LOCAL or endpoint.origin is ChoiceOrigin.OPERATOR:
        return endpoint
    files = {wish.model for wish in operator.values() if wish.provider is Service.LOCAL}
    if endpoint.model in files:
        return endpoint
    # What is opened is what was looked at: `..` behind a link would lead elsewhere.
    path = os.path.normpath(endpoint.model)
    folders = {PurePath(os.path.normpath(file)).parent for file in files if file}
    return replace(endpoint, model=path) if PurePath(path).parent in folders else replace(endpoint, barred=True)


def _found(offers: Sequence[Offer]) -> Endpoint:
    offer = best(offers)
    return _offered(offer) if offer else VOICE


def _apply(wish: Wish | None, origin: ChoiceOrigin, below: Sequence[Endpoint], offers: Iterable[Offer]) -> Endpoint:
    """The endpoint that the wish makes out of those below it, nearest first."""
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
    # An address without a provider: as below it, if that has addresses at all.
    return nearest.provider if nearest.provider in USUAL_ADDRESSES else Service.OPENAI


def _base(wish: Wish, provider: Service, known: Sequence[Endpoint]) -> Endpoint:
    if known and not wish.base_url and wish.api_key is None:
        return known[0]
    address = wish.base_url or USUAL_ADDRESSES.get(provider, "")
    # Its key and its model are taken over only where the address is the same: see the top.
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
