"""What the tests of extraction share: a message to read, a candidate, and a model that says what it is told."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from everlore.domain.memory import Category
from everlore.errors import ModelMisbehaved
from everlore.learning.candidate import Candidate, EarlierMessage, Source
from everlore.learning.facts.flow import facts_in
from everlore.learning.facts.gate import tidied
from everlore.learning.facts.trust import Trust
from everlore.learning.saving.likeness import read, says_same
from everlore.models.chat import Ask

T = TypeVar("T")
# As a model is read that is not believed: only what the rules say too stands.
strictly_in = partial(facts_in, trust=Trust.STRICT)
# And as one that is: its evidence is enough.
plainly_in = partial(facts_in, trust=Trust.PLAIN)
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def source(
    content: str, *, assistants: tuple[str, ...] = ("Nova",), user_name: str = "", before: Sequence[EarlierMessage] = ()
) -> Source:
    return Source(content=content, at=AT, assistants=assistants, user_name=user_name, before=before)


def fact(content: str, confidence: float = 0.95, category: Category = Category.PERSONAL_INFO) -> Candidate:
    return Candidate(content=content, category=category, confidence=confidence)


def item(content: str, category: str = "personal_info", confidence: float = 0.95, quote: str = "") -> dict[str, object]:
    said = {"content": content, "category": category, "confidence": confidence, "reasoning": "It was said."}
    return {**said, "quote": quote} if quote else said


def answer(*items: object) -> str:
    return json.dumps({"facts": list(items)})


class Scripted:
    """Answers with the given texts in turn; `asked` keeps what it was asked. Misbehaves as the real one does."""

    name = "scripted"
    address = ""

    def __init__(self, *texts: str | Exception) -> None:
        self._texts = list(texts)
        self.asked: list[Ask] = []

    async def ask(self, ask: Ask, parse: Callable[[str], T | None]) -> T:
        self.asked.append(ask)
        text = self._texts.pop(0)
        if isinstance(text, Exception):
            raise text
        found = parse(text)
        if found is None:
            raise ModelMisbehaved("scripted did not answer in the required format.")
        return found


async def stands(message: str, content: str, trust: Trust) -> bool:
    """Whether it is learned, alone or as the beginning of a longer wording, where a model of this trust says it."""
    quote = message if trust is Trust.PLAIN else ""
    found = await facts_in(source(message), Scripted(answer(item(content, quote=quote))), trust)
    neat = tidied(fact(content)).content
    return any(
        says_same(read(neat), read(each.content, each.claim)) or each.content.startswith(f"{neat} ")
        for each in found.candidates
    )
