"""A model of which the tests know what it answers, and talks for it to read."""

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from everlore.domain.conversation import Author, Message
from everlore.errors import ModelMisbehaved
from everlore.learning.segments.keyframes import Segment
from everlore.models.chat import Ask
from tests.contract.builders import message, minute

T = TypeVar("T")

NAMES = {"lyra": "Lyra", "tom": "Tom"}


class Scripted:
    """Answers what it was given, in order. A question more than that fails the test."""

    name = "scripted"
    address = ""

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)
        self.asks: list[Ask] = []

    async def ask(self, ask: Ask, parse: Callable[[str], T | None]) -> T:
        assert self._answers, f"An answer too many was asked for: {ask.messages[0].content[:80]}"
        self.asks.append(ask)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        found = parse(answer if isinstance(answer, str) else json.dumps(answer))
        if found is None:
            raise ModelMisbehaved("It did not answer in the required format.")
        return found

    def system(self, at: int) -> str:
        return self.asks[at].messages[0].content

    def given(self, at: int) -> str:
        return self.asks[at].messages[1].content


def talk(*said: str, first: str = "tom") -> tuple[Message, ...]:
    """Tom is the user's character, Lyra the model's; they take turns, a minute apart."""
    order = ("tom", "lyra") if first == "tom" else ("lyra", "tom")
    return tuple(line(at, order[at % 2], text) for at, text in enumerate(said))


def line(at: int, who: str, text: str, **fields: object) -> Message:
    author = Author.USER if who == "tom" else Author.ASSISTANT
    return message(f"m{at + 1}", text, seq=at + 1, author=author, person_id=who, created_at=minute(at), **fields)


def segment(*said: str, setting: str = "", replies_echo: bool = False) -> Segment:
    return Segment(messages=talk(*said), names=NAMES, setting=setting, replies_echo=replies_echo)


def memories(*items: tuple[str, str, int]) -> dict[str, Sequence[object]]:
    """As an answer has them: content, type and importance."""
    return {
        "memories": [
            {"content": content, "summary": content[:40], "type": kind, "importance": importance}
            for content, kind, importance in items
        ]
    }


BETRAYAL = (
    "Where did you find the map, Lyra?",
    "*She looks away.* Marcus sold it to me for 40 silver.",
    "Marcus? He betrayed the guild. The map is a forgery!",
    "*Her hands tremble.* I did not know. I swear it, Tom.",
    "Then we burn it tonight, and go to the old mill instead.",
    "Agreed. *She throws the map into the fire.* I am with you.",
)
SMALL_TALK = (
    "Hi!",
    "Hello there, how are you today?",
    "Fine, thanks. Nice weather, isn't it?",
    "It really is lovely. Did you sleep well?",
    "Like a log, thank you.",
    "Good to hear. Have a nice day!",
)
