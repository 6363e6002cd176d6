"""A model that answers with labelled statements: all the true ones, and as many false ones as it is told to.

It sees the question as any model does, finds the message in it, and looks up what is known of that message. What it is
asked again it judges rightly as often as it is told to. What it is probed with it answers in the same manner. Every run
is the same.

Start at `ScriptedModel`.
"""

import hashlib
import json
import random
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from benchmarks.extract.bad_model import seen_in
from benchmarks.extract.cases import Case, Spoken
from benchmarks.extract.told import Told
from everlore.errors import ModelMisbehaved
from everlore.learning.model_records import probe_cases
from everlore.models.chat import Ask

T = TypeVar("T")

_PIECE = re.compile(r"[^.!?;,\n]+")
_WORD = re.compile(r"\w+")
_MADE_UP = ("User owns a zeppelin", "User was born on an island", "User plays the tuba", "User is a diver")
_STATEMENT = re.compile(r'"statement": ?("(?:[^"\\]|\\.)*")')


class ScriptedModel:
    """An `Asker`. `right`: the share of true ones among its statements; `judges`: how often it is right about them."""

    address = ""

    def __init__(self, told: Sequence[Told], *, right: float, judges: float, name: str) -> None:
        self.name = name
        self._judges = judges
        self._true = {each.case.message: each.true for each in told}
        self._fields = {each.case.message: each.fields for each in told}
        self._stated = _stated(told, right)
        probe = _probe()
        self._true |= {each.case.message: each.true for each in probe}
        self._stated |= _stated(probe, right)

    def ask(self, ask: Ask, parse: Callable[[str], T | None]) -> Awaitable[T]:
        return self._ask(ask, parse)

    def stated(self, message: str) -> tuple[str, ...]:
        return self._stated.get(message, ())

    async def _ask(self, ask: Ask, parse: Callable[[str], T | None]) -> T:
        asked = ask.messages[-1].content
        again = [json.loads(each) for each in _STATEMENT.findall(asked)]
        message = next((each for each in self._true if json.dumps(each, ensure_ascii=False) in asked), "")
        if not message:
            message = seen_in(ask).message
        found = parse(self._judged(message, again) if again else self._answer(message))
        if found is None:
            raise ModelMisbehaved(f"{self.name} did not answer in the required format.")
        return found

    def _answer(self, message: str) -> str:
        entries = [
            {
                "content": each,
                "quote": _nearest(each, message),
                "about": "user",
                "holds": "now",
                "category": "personal_info",
                "confidence": 0.95,
                **self._fields.get(message, {}).get(each, {}),
            }
            for each in self.stated(message)
        ]
        return json.dumps({"facts": entries}, ensure_ascii=False)

    def _judged(self, message: str, statements: Sequence[str]) -> str:
        true = self._true.get(message, ())
        verdicts = [
            {"number": number, "said": (each in true) == (_chance(message, each).random() < self._judges)}
            for number, each in enumerate(statements, 1)
        ]
        return json.dumps({"verdicts": verdicts})


def _stated(told: Sequence[Told], right: float) -> dict[str, tuple[str, ...]]:
    """All true ones, and false ones drawn from all messages until the share is reached, or there are no more."""
    false = [(each.case.message, one) for each in told for one in each.false]
    chance = random.Random(7)
    wanted = _wanted(sum(len(each.true) for each in told), right)
    drawn = set(chance.sample(range(len(false)), min(len(false), wanted)))
    stated = {each.case.message: list(each.true) for each in told}
    for place, (message, one) in enumerate(false):
        if place in drawn:
            stated[message].append(one)
    for message, each in stated.items():
        _chance(message).shuffle(each)
    return {message: tuple(dict.fromkeys(each)) for message, each in stated.items()}


def _probe() -> list[Told]:
    """The messages that it is probed with, what is true of them, and what somebody might make up."""
    return [
        Told(
            Case(id=str(number), messages=(Spoken("user", case.source.content),)),
            "probe",
            (),
            tuple(" ".join(["User", *(key.split("|")[0] for key in keys)]) for keys in case.facts),
            _MADE_UP,
        )
        for number, case in enumerate(probe_cases())
    ]


def _wanted(true: int, right: float) -> int:
    return round(true * (1 - right) / right)


def _chance(*texts: str) -> random.Random:
    return random.Random(int.from_bytes(hashlib.sha256("\n".join(texts).encode()).digest()[:8]))


def _nearest(statement: str, message: str) -> str:
    """The piece of the message that shares most with the statement, as it stands there."""
    begins = {word[:4].lower() for word in _WORD.findall(statement)}
    pieces = [piece.group().strip() for piece in _PIECE.finditer(message)] or [message]
    return max(pieces, key=lambda piece: len(begins & {word[:4].lower() for word in _WORD.findall(piece)}))
