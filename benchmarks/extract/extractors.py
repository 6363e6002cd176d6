"""Who is measured: the extraction of the product itself, without a model, with the configured one, or with a bad one.

One path for all of them: a case becomes the `Source` that the product would make of it, and `facts_in` reads it.
Start at `extract_with`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeVar

from benchmarks.extract.cases import Case
from benchmarks.extract.scoring import Extract
from everlore.domain.display import display
from everlore.domain.scope import Scope
from everlore.errors import Misconfigured
from everlore.learning.candidate import Asker, EarlierMessage, Extracted, Source
from everlore.learning.facts.flow import facts_in
from everlore.learning.facts.prompt import SCHEMA
from everlore.learning.facts.trust import Probed, Record, Trust, trust_of
from everlore.learning.model_records import probed
from everlore.models.chat import Ask, ChatModel, End, Piece, Purpose
from everlore.turn.backends import Backends, who_answers
from everlore.turn.structured import Troubles, ask_json

T = TypeVar("T")

# When all of it was said: "next month" is to mean the same in every run.
SAID_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


class _Counting:
    """A model, and how many tokens it was given and gave."""

    def __init__(self, model: ChatModel) -> None:
        self.name = model.name
        self.backend = model.backend
        self._model = model
        self.prompt_tokens = 0
        self.reply_tokens = 0

    async def stream(self, ask: Ask) -> AsyncIterator[Piece | End]:
        async for part in self._model.stream(ask):
            if isinstance(part, End):
                self.prompt_tokens += part.prompt_tokens or 0
                self.reply_tokens += part.reply_tokens or 0
            yield part

    async def close(self) -> None:
        await self._model.close()


class ConfiguredModel:
    """An `Asker`: the chat model that a workspace or the settings chose for extraction."""

    def __init__(self, model: ChatModel, scope: Scope) -> None:
        self.name = model.name
        self.address = ""
        self._model = _Counting(model)
        self._scope = scope
        self._troubles = Troubles(lambda: SAID_AT)
        self._messages = 0

    def ask(self, ask: Ask, parse: Callable[[str], T | None]) -> Awaitable[T]:
        return self._ask(ask, parse)

    def cost(self) -> dict[str, float]:
        """Tokens a message, those of a second question with them; nought where the provider does not count."""
        messages = max(self._messages, 1)
        return {"prompt": self._model.prompt_tokens / messages, "reply": self._model.reply_tokens / messages}

    async def _ask(self, ask: Ask, parse: Callable[[str], T | None]) -> T:
        self._messages += ask.schema is SCHEMA
        return await ask_json(self._model, ask, parse, troubles=self._troubles, scope=self._scope)


async def configured(backends: Backends, scope: Scope) -> ConfiguredModel:
    """`Misconfigured` where no language model is connected: the built-in voice extracts nothing."""
    await backends.look()
    chosen = await backends.model_for(scope, Purpose.EXTRACTION)
    if chosen.endpoint.built_in:
        raise Misconfigured(f"There is no model to measure. {who_answers(chosen.endpoint)} Or use --extractor offline.")
    return ConfiguredModel(chosen.model, scope)


def extract_with(asker: Asker | None, trust: Trust = Trust.CAREFUL) -> Extract:
    async def extract(case: Case) -> Extracted:
        return await facts_in(source_of(case), asker, trust)

    return extract


async def trusted(asker: Asker, fixed: Trust | None = None) -> tuple[Trust, Probed]:
    """How far a reader is believed, as the product finds out."""
    result = await probed(asker)
    return trust_of(Record(model=asker.name, probed=result), fixed), result


def source_of(case: Case) -> Source:
    """As the product hands it over: what is for no reader's eyes is left out."""
    return Source(
        content=display(case.message).text,
        at=SAID_AT,
        assistants=(case.assistant,) if case.assistant else (),
        before=tuple(
            EarlierMessage(
                each.role == "user", "User" if each.role == "user" else case.assistant, display(each.content).text
            )
            for each in case.messages[:-1]
            if each.role != "system"
        ),
    )
