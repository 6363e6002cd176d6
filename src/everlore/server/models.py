"""Routes for models: which one answers, which were detected, and what this workspace has chosen instead (V5)."""

from typing import Literal

from everlore.app import Everlore
from everlore.domain.config_choices import Service
from everlore.learning.model_records import fixed_trust, records_in
from everlore.models.chat import Purpose
from everlore.models.choice import NO_MODEL, Wish
from everlore.models.probe import ModelProblem, ProbeResult
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire_models import (
    Models,
    ModelTest,
    ModelTrial,
    ModelTrouble,
    ModelWindow,
    ModelWish,
    ModelWishes,
    choice_out,
    found_out,
    trust_out,
)

router = Router(prefix="/api/models", tags=["models"])
HINT = f"{NO_MODEL} Start Ollama, LM Studio or llama.cpp on this computer, or connect a model here."


@router.get("")
async def get_models(lore: Lore) -> Models:
    return await _models(lore)


@router.put("")
async def choose_models(lore: Lore, wishes: ModelWishes) -> Models:
    """Sets the models. Only the purposes that are sent are changed. Keys are stored encrypted and never returned."""
    before = await lore.backends.wished(lore.scope)
    sent = {Purpose(name): getattr(wishes, name) for name in wishes.model_fields_set}
    await lore.backends.wish(
        lore.scope, {purpose: wish and _wish(wish, before.get(purpose)) for purpose, wish in sent.items()}
    )
    return await _models(lore)


@router.post("/discover")
async def discover(lore: Lore) -> Models:
    """Searches for model servers on this machine again."""
    await lore.backends.look()
    return await _models(lore)


@router.post("/test")
async def test_model(lore: Lore, wanted: ModelTrial) -> ModelTest:
    """Asks the chosen model, or the one in `wish`, for one word. Reports what is wrong before anything is saved."""
    purpose = Purpose(wanted.purpose)
    if wanted.wish is not None:
        wish = await _wish_for(lore, wanted.purpose, wanted.wish)
        return _probed(await lore.backends.probe(lore.scope, purpose, wish))
    if (await lore.backends.endpoint_for(lore.scope, purpose)).built_in:
        return ModelTest(state="warning", detail=HINT, fix="")
    return _probed(await lore.backends.probe(lore.scope, purpose))


@router.post("/list")
async def list_server_models(lore: Lore, wanted: ModelTrial) -> ModelTest:
    """Lists the chat models that the server in `wish` offers, without calling any of them."""
    wish = await _wish_for(lore, wanted.purpose, wanted.wish or ModelWish())
    return _probed(await lore.backends.list_models(lore.scope, Purpose(wanted.purpose), wish))


@router.get("/window")
async def get_window(lore: Lore) -> ModelWindow:
    return ModelWindow(context_window=await lore.backends.window_for(lore.scope))


async def _wish_for(lore: Everlore, purpose: Purpose, wish: ModelWish) -> Wish:
    before = await lore.backends.wished(lore.scope)
    return _wish(wish, before.get(Purpose(purpose)))


def _probed(result: ProbeResult) -> ModelTest:
    failed: Literal["warning", "failed"] = "warning" if result.problem is ModelProblem.SLOW else "failed"
    return ModelTest.of(result, state=failed if result.problem else "ok")


def _wish(wish: ModelWish, before: Wish | None) -> Wish:
    key = wish.api_key
    if key is None and before and (before.provider, before.base_url) == (wish.provider, wish.base_url):
        # The form does not show the key, so it sends none: the stored key stays, if the address is the same.
        key = before.api_key
    if key is not None and not key.get_secret_value():
        key = None
    provider = Service.OPENAI if wish.provider is Service.AUTO and (key or wish.base_url) else wish.provider
    return Wish(provider=provider, base_url=wish.base_url, model=wish.model, api_key=key)


async def _models(lore: Everlore) -> Models:
    fixed = fixed_trust(lore.resources.settings.extraction.trust)
    chosen = {purpose.value: await lore.backends.endpoint_for(lore.scope, purpose) for purpose in Purpose}
    return Models(
        **{name: choice_out(endpoint) for name, endpoint in chosen.items()},
        found=[found_out(offer) for offer in lore.backends.offers],
        troubles=[ModelTrouble.of(each) for each in lore.resources.troubles.reported(lore.scope)],
        trust=[trust_out(each, fixed) for each in await records_in(lore.resources.store, lore.scope)],
        hint=HINT if chosen["chat"].built_in else "",
    )
