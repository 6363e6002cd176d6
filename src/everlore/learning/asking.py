"""Shared code for background prompts: templates from files, and tolerance of bad answers.

Start at `instructions` and `asked`.
"""

from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from string import Template
from typing import TypeVar

import structlog

from everlore.domain.bounds import Json
from everlore.errors import ModelMisbehaved, ModelUnavailable
from everlore.learning.answers import json_in, log_unusable
from everlore.learning.candidate import Asker
from everlore.models.chat import Ask

log = structlog.get_logger(__name__)

T = TypeVar("T")

# Building blocks of JSON schemas, in the form that providers with enforced schemas require: all fields required, no
# additional ones.
TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "number"}
INTEGER: Json = {"type": "integer"}
BOOLEAN: Json = {"type": "boolean"}


def one_of(values: Iterable[str]) -> Json:
    return {"type": "string", "enum": [*values]}


def list_of(items: Json, most: int | None = None) -> Json:
    return {"type": "array", "items": items} | ({} if most is None else {"maxItems": most})


def object_of(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def instructions(name: str, *, room: str = "everlore.learning", **values: str) -> str:
    """The file `prompts/<name>.txt` of a package, with `$name` replaced by our own values, never by user input."""
    return Template(_text(room, name)).substitute(values)


async def asked(asker: Asker, ask: Ask, read: Callable[[object], T | None], *, what: str) -> T | None:
    """The result of `read` on the JSON answer. None if the answer is unusable: it is logged and not retried, so that
    other jobs can run. Raises if the server cannot be reached."""

    def parse(answer: str) -> T | None:
        found = read(json_in(answer))
        if found is None:
            log_unusable(answer, what=what)
        return found

    try:
        return await asker.ask(ask, parse)
    except ModelUnavailable:
        raise
    except ModelMisbehaved as error:
        log.warning("learning.not_answered", what=what, model=asker.name, error=str(error))
        return None


@cache
def _text(room: str, name: str) -> str:
    """Read on first use, so that importing the module reads no file."""
    return files(room).joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").strip()
