"""Routes for models: which one answers, which were detected, and what this workspace has chosen instead (V5)."""

from typing import Literal

from pydantic import BaseModel, SecretStr

from everlore.app import Everlore
from everlore.domain.config_choices import Service
from everlore.learning.candidate import AnswerTally
from everlore.learning.facts.trust import Probed, Record, Trust, trust_of
from everlore.learning.model_records import fixed_trust, records_in
from everlore.models.chat import Purpose
from everlore.models.choice import NO_MODEL, ChoiceOrigin, Endpoint, Wish
from everlore.models.complaints import public_address
from everlore.models.discovery import Offer
from everlore.models.probe import ModelProblem, ProbeResult
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import Given, RecordModel
from everlore.turn.structured import Trouble


class ModelChoice(RecordModel):
    """The model, and who chose it. `built_in`: no language model."""

    provider: Service
    model: str
    base_url: str
    has_key: bool
    origin: ChoiceOrigin
    built_in: bool


class ModelWish(Given):
    """A key is stored and never returned; an empty one keeps the stored key."""

    provider: Service = Service.AUTO
    base_url: str = ""
    model: str = ""
    api_key: SecretStr | None = None


class ModelWishes(Given):
    """Only the purposes that are sent are changed; null restores the operator's choice."""

    chat: ModelWish | None = None
    analysis: ModelWish | None = None
    extraction: ModelWish | None = None


class ModelTrial(Given):
    """`wish`: test this model instead of the chosen one. Nothing is saved."""

    purpose: Purpose = Purpose.CHAT
    wish: ModelWish | None = None


class ModelTest(RecordModel):
    """Whether a model answered; if not, why, and what to do. With a `wish`, `problem` names what is wrong, `models` are
    the chat models that the server lists, and `context_window` is what it reports, in tokens."""

    state: Literal["ok", "warning", "failed"]
    detail: str
    fix: str
    problem: ModelProblem = ModelProblem.NONE
    model: str = ""
    models: tuple[str, ...] = ()
    context_window: int | None = None


class ModelWindow(BaseModel):
    """The context window of the chat model in tokens, as its server reports it; null if it does not."""

    context_window: int | None


class FoundModels(RecordModel):
    provider: Service
    base_url: str
    models: tuple[str, ...]
    why: str


class ModelTrouble(RecordModel, record=Trouble):
    """A model that failed to answer in JSON several times in a row, with the beginning of its last answer."""


class ModelTrust(RecordModel):
    """How much a model that reads messages is trusted, and why: the probe (`probed` is null before the first one) and
    the outcome of its statements since."""

    model: str
    base_url: str
    trust: Trust
    is_fixed: bool
    probed: Probed | None
    since: AnswerTally
    withdrawn: int


class Models(BaseModel):
    chat: ModelChoice
    analysis: ModelChoice
    extraction: ModelChoice
    found: list[FoundModels]
    troubles: list[ModelTrouble]
    trust: list[ModelTrust]
    hint: str


def choice_out(endpoint: Endpoint) -> ModelChoice:
    address, has_key = public_address(endpoint.base_url), endpoint.api_key is not None
    return ModelChoice.of(endpoint, base_url=address, has_key=has_key)


def found_out(offer: Offer) -> FoundModels:
    return FoundModels.of(offer, base_url=public_address(offer.base_url))


def trust_out(record: Record, fixed: Trust | None) -> ModelTrust:
    return ModelTrust.of(record, base_url=record.address, trust=trust_of(record, fixed), is_fixed=fixed is not None)


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
