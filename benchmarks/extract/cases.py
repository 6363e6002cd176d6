"""The labelled messages: JSON Lines, one case a line, checked before anything is run.

A case is a short conversation. Only its last message of the user is read; what stands before it tells who "she" is.
`optional` facts may be given or left; `alternatives` are other wordings that count as the fact; `implied` are those
that a reader has to infer, all others are stated.

Start at `read_cases` (a file) and `built_in` (the set that comes with the benchmark).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from everlore.domain.memory import Category
from everlore.errors import BadAsk

PARTS = ("dev", "test", "fresh", "judge")
_ROLES = ("user", "assistant", "system")
_BUILT_IN = ("labelled.jsonl", "fresh.jsonl", "judge.jsonl")
_MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Fact:
    """A labelled fact: `wordings` are its canonical sentence and its alternatives."""

    content: str
    category: Category | None = None
    alternatives: tuple[str, ...] = ()
    is_optional: bool = False
    is_implied: bool = False

    @property
    def wordings(self) -> tuple[str, ...]:
        return (self.content, *self.alternatives)


@dataclass(frozen=True, slots=True)
class Spoken:
    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`part`: the part of the set it belongs to; "" where the file has no parts."""

    id: str
    messages: tuple[Spoken, ...]
    facts: tuple[Fact, ...] = ()
    assistant: str = "Nova"
    tags: tuple[str, ...] = ()
    part: str = ""

    @property
    def message(self) -> str:
        """The one that is read."""
        return self.messages[-1].content

    @property
    def said_by_user(self) -> tuple[str, ...]:
        return tuple(each.content for each in self.messages if each.role == "user")


class _Bad(Exception):
    """What is wrong with a line; the reader adds which one."""


def built_in() -> list[Case]:
    folder = files("benchmarks.extract")
    return [case for name in _BUILT_IN for case in read_cases(folder.joinpath(name).read_bytes(), name=name)]


def read_cases(data: bytes, *, name: str) -> list[Case]:
    """Every case of a file, in its order; `BadAsk` names the line that is none."""
    cases = [_case(document, number, name) for number, document in json_lines(data, name=name)]
    if not cases:
        raise BadAsk(f"{name!r} holds no case. Give a file of JSON Lines, one case a line.")
    ids = [case.id for case in cases]
    if len(set(ids)) < len(ids):
        twice = next(id for id in ids if ids.count(id) > 1)
        raise BadAsk(f"{name!r} has two cases with the id {twice!r}. Every case needs an id of its own.")
    return cases


def of_part(cases: Sequence[Case], part: str) -> list[Case]:
    """One part, or all; `BadAsk` where the file has no such part."""
    if part == "all":
        return list(cases)
    chosen = [case for case in cases if case.part == part]
    if not chosen:
        raise BadAsk(f"No case has the part {part!r}. Leave --part out, or write the part into the cases.")
    return chosen


def json_lines(data: bytes, *, name: str) -> list[tuple[int, Mapping[str, Any]]]:
    """The objects of a file with the numbers of their lines; empty lines are passed over."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadAsk(f"{name!r} is not UTF-8 (byte {error.start}). Convert it first, with iconv say.") from None
    # Not splitlines: a text in JSON may hold a line separator of Unicode.
    numbered = enumerate(text.split("\n"), 1)
    return [(number, _object(line, number, name)) for number, line in numbered if line.strip()]


def _object(line: str, number: int, name: str) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadAsk(f"Line {number} of {name!r} is not JSON: {error}. Each line is one JSON object.") from None
    if not isinstance(found, dict):
        raise BadAsk(f"Line {number} of {name!r} holds a {type(found).__name__}. Each line is one JSON object.")
    return found


def _case(document: Mapping[str, Any], number: int, name: str) -> Case:
    try:
        return Case(
            id=str(document.get("id", number)),
            assistant=_text(document.get("assistant", "Nova"), "assistant"),
            messages=_messages(document.get("messages")),
            facts=tuple(_fact(each) for each in _list(document.get("facts"), "facts")),
            tags=tuple(_text(each, "tags") for each in _list(document.get("tags", []), "tags")),
            part=_text(document.get("part", ""), "part"),
        )
    except _Bad as error:
        raise BadAsk(f"Line {number} of {name!r}: {error} Correct the line.") from None


def _messages(value: object) -> tuple[Spoken, ...]:
    messages = tuple(_spoken(each) for each in _list(value, "messages"))
    if not any(each.role == "user" for each in messages):
        raise _Bad("no message is the user's, so there is nothing to read.")
    # What the assistant answered afterwards is no context of the message.
    last = max(at for at, each in enumerate(messages) if each.role == "user")
    return messages[: last + 1]


def _spoken(value: object) -> Spoken:
    if not isinstance(value, dict):
        raise _Bad(f"a message is {_shown(value)}, not an object with role and content.")
    role = value.get("role")
    if role not in _ROLES:
        raise _Bad(f"a message has the role {_shown(role)}. Known: {', '.join(_ROLES)}.")
    return Spoken(role, _text(value.get("content"), "content"))


def _fact(value: object) -> Fact:
    if not isinstance(value, dict):
        raise _Bad(f"a fact is {_shown(value)}, not an object with content and category.")
    content = _text(value.get("content"), "content").strip()
    if not content:
        raise _Bad("a fact has no content.")
    return Fact(
        content,
        category=_category(value.get("category")),
        alternatives=tuple(
            _text(each, "alternatives") for each in _list(value.get("alternatives", []), "alternatives")
        ),
        is_optional=_flag(value.get("optional", False), "optional"),
        is_implied=_flag(value.get("implied", False), "implied"),
    )


def _category(value: object) -> Category | None:
    known = [each.value for each in Category]
    if value is not None and value not in known:
        raise _Bad(f"a fact has the category {_shown(value)}. Known: {', '.join(known)}.")
    return None if value is None else Category(str(value))


def _list(value: object, field: str) -> list[object]:
    if not isinstance(value, list):
        raise _Bad(f"{field} is {_shown(value)}, not a list.")
    return value


def _flag(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise _Bad(f"{field} is {_shown(value)}, not true or false.")
    return value


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise _Bad(f"{field} is {_shown(value)}, not a text.")
    return value


def _shown(value: object) -> str:
    return "missing" if value is None else repr(value)[:_MOST_SHOWN]
