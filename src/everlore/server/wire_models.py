"""Requests and answers for models: which are chosen, detected, tested and trusted."""

from typing import Literal

from pydantic import BaseModel, SecretStr

from everlore.domain.config_choices import Service
from everlore.learning.candidate import AnswerTally
from everlore.learning.facts.trust import Probed, Record, Trust, trust_of
from everlore.models.chat import Purpose
from everlore.models.choice import ChoiceOrigin, Endpoint
from everlore.models.complaints import public_address
from everlore.models.discovery import Offer
from everlore.models.probe import ModelProblem
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
