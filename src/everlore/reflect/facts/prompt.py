"""The question about one user message (F2), as it is put to any model.

In: the message with what stood before it. Out: an `Ask`. What people wrote stands in it as data in blocks that
nothing in them can close (S-6): neither the message nor a name can act as an instruction. The words of the
question are in `prompts/facts.txt`, and the answer they ask for is `SCHEMA`.

Start at `fact_ask`.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from everlore.domain.blocks import resource
from everlore.domain.bounds import Json
from everlore.domain.display import display
from everlore.domain.memory import Category
from everlore.models.chat import Ask, Said
from everlore.reflect.candidate import Source, Turn

TEMPERATURE = 0.1
MOST_FACTS = 20
# Twenty short entries in JSON, and room for a model that thinks first.
_MOST_TOKENS = 4_000
# A longer message is a document: what it says of its author stands on its first pages.
MOST_READ = 12_000
_MOST_TURNS = 8
_MOST_TURN_CHARS = 1_000
_MOST_NAMES = 12
_MOST_NAME_CHARS = 80

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string"},
                    "category": {"type": "string", "enum": [each.value for each in Category]},
                    "confidence": {"type": "number"},
                    "reasoning": {"type": "string"},
                },
                "required": ["content", "category", "confidence", "reasoning"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}


def fact_ask(source: Source) -> Ask:
    return Ask(
        # The first is the same for every message: a provider that keeps prompts reads it once.
        messages=(Said("system", _instructions()), Said("user", _blocks(source))),
        temperature=TEMPERATURE,
        max_tokens=_MOST_TOKENS,
        schema=SCHEMA,
    )


def _blocks(source: Source) -> str:
    """Names are data too: they come with imported characters, and may say anything."""
    blocks = [resource("people", "people", {"assistants": _names(source.assistants), "user": _name(source.user_name)})]
    if source.before:
        turns = [_turn(each) for each in source.before[-_MOST_TURNS:]]
        blocks.append(resource("context", "context", {"is_evidence": False, "turns": turns}))
    message = {"author": "user", "is_evidence": True, "text": display(source.content).text[:MOST_READ]}
    return "\n".join([*blocks, resource("message", "message", message)])


def _names(names: Sequence[str]) -> list[str]:
    return [_name(each) for each in names[:_MOST_NAMES] if each.strip()]


def _name(name: str) -> str:
    return " ".join(name[: 2 * _MOST_NAME_CHARS].split())[:_MOST_NAME_CHARS]


def _turn(turn: Turn) -> Json:
    text = display(turn.content).text[:_MOST_TURN_CHARS]
    return {"author": "user" if turn.is_user else "assistant", "name": _name(turn.name), "text": text}


@cache
def _instructions() -> str:
    """Read when first asked for: importing a module reads no file."""
    return files("everlore.reflect").joinpath("prompts", "facts.txt").read_text(encoding="utf-8").strip()
