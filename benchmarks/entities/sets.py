"""The labelled sets: talks (`*.json`) and pairs of names (`names.jsonl`).

A talk has `messages` with `speaker` and `text`, what is `known` beforehand, the `entities` that are named in it, each
with the numbers of the messages, and words that are `not_entities`. A folder may hold either; all of it is
checked before anything is run.

Start at `read_folder` (one's own) and `built_in` (what comes with the benchmark).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from benchmarks.extract.cases import json_lines
from everlore.campaign.entities.matching import KnownEntity
from everlore.campaign.entities.names import SpokenMessage
from everlore.domain.campaign import EntityKind
from everlore.errors import BadAsk

PARTS = ("held", "dev")
NAMES = "names.jsonl"
_MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Labelled:
    """An entity of a talk; `messages` are the ids of those that name it."""

    name: str
    kind: EntityKind
    aliases: tuple[str, ...] = ()
    misspellings: tuple[str, ...] = ()
    messages: frozenset[str] = frozenset()

    @property
    def forms(self) -> tuple[str, ...]:
        return (self.name, *self.aliases, *self.misspellings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    id: str
    messages: tuple[SpokenMessage, ...]
    known: tuple[KnownEntity, ...] = ()
    entities: tuple[Labelled, ...] = ()
    not_entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two names, and whether they mean the same; `why` says how they differ."""

    a: str
    b: str
    is_same: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Sets:
    talks: tuple[Talk, ...] = ()
    pairs: tuple[Pair, ...] = ()

    def __add__(self, other: "Sets") -> "Sets":
        return Sets(self.talks + other.talks, self.pairs + other.pairs)


class _Bad(Exception):
    """What is wrong with a record; the reader adds where it stands."""


def built_in(part: str) -> Sets:
    found = Sets()
    for name in PARTS if part == "all" else (part,):
        with as_file(files("benchmarks.entities").joinpath(name)) as folder:
            found += read_folder(folder)
    return found


def read_folder(folder: Path) -> Sets:
    """`BadAsk` names the file, and the line, that is wrong."""
    if not folder.is_dir():
        raise BadAsk(f"{str(folder)!r} is no folder. Name one that has talks (*.json) or {NAMES} in it.")
    talks = tuple(_talk_of(path) for path in sorted(folder.glob("*.json")))
    pairs = tuple(_pair(row, where) for row, where in _rows(folder / NAMES))
    if not (talks or pairs):
        raise BadAsk(f"{str(folder)!r} holds nothing to measure. Put talks (*.json) or {NAMES} into it.")
    return Sets(talks, pairs)


def _rows(path: Path) -> list[tuple[Mapping[str, Any], str]]:
    if not path.exists():
        return []
    return [(row, f"Line {number} of {str(path)!r}") for number, row in json_lines(_bytes(path), name=str(path))]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadAsk(f"{str(path)!r} cannot be read ({error.strerror}). Correct the path.") from None


def _talk_of(path: Path) -> Talk:
    try:
        document = json.loads(_bytes(path).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadAsk(f"{str(path)!r} is not JSON: {error}. Correct the file.") from None
    try:
        return _talk(document, path.stem)
    except _Bad as error:
        raise BadAsk(f"{str(path)!r}: {error} Correct the file.") from None


def _talk(document: object, id: str) -> Talk:
    if not isinstance(document, dict):
        raise _Bad("it holds no object with messages and entities.")
    messages = tuple(
        SpokenMessage(str(at), _text(_field(each, "speaker"), "speaker"), _text(_field(each, "text"), "text"))
        for at, each in enumerate(_list(document.get("messages"), "messages"))
    )
    known = tuple(
        KnownEntity(str(at), _text(_field(each, "name"), "name"), _texts(each, "aliases"), _kind(_field(each, "kind")))
        for at, each in enumerate(_list(document.get("known", []), "known"))
    )
    entities = tuple(_entity(each, len(messages)) for each in _list(document.get("entities"), "entities"))
    not_entities = tuple(
        _text(each, "not_entities") for each in _list(document.get("not_entities", []), "not_entities")
    )
    return Talk(id=id, messages=messages, known=known, entities=entities, not_entities=not_entities)


def _entity(value: object, messages: int) -> Labelled:
    numbers = _list(_field(value, "messages"), "messages")
    if not all(isinstance(each, int) and 0 <= each < messages for each in numbers):
        raise _Bad(f"an entity is in the messages {_shown(numbers)}; there are 0 to {messages - 1}.")
    return Labelled(
        _text(_field(value, "name"), "name"),
        _kind(_field(value, "kind")),
        _texts(value, "aliases"),
        _texts(value, "misspellings"),
        frozenset(map(str, numbers)),
    )


def _pair(row: Mapping[str, Any], where: str) -> Pair:
    try:
        is_same = row.get("same")
        if not isinstance(is_same, bool):
            raise _Bad(f"same is {_shown(is_same)}, not true or false.")
        return Pair(_text(row.get("a"), "a"), _text(row.get("b"), "b"), is_same, _text(row.get("why", ""), "why"))
    except _Bad as error:
        raise BadAsk(f"{where}: {error} Correct the line.") from None


def _field(value: object, key: str) -> object:
    if not isinstance(value, dict):
        raise _Bad(f"{_shown(value)} is no object with {key}.")
    return value.get(key)


def _kind(value: object) -> EntityKind:
    known = [each.value for each in EntityKind]
    if value not in known:
        raise _Bad(f"an entity has the kind {_shown(value)}. Known: {', '.join(known)}.")
    return EntityKind(str(value))


def _texts(value: object, key: str) -> tuple[str, ...]:
    found = _field(value, key)
    return tuple(_text(each, key) for each in _list([] if found is None else found, key))


def _list(value: object, field: str) -> Sequence[object]:
    if not isinstance(value, list):
        raise _Bad(f"{field} is {_shown(value)}, not a list.")
    return value


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise _Bad(f"{field} is {_shown(value)}, not a text.")
    return value


def _shown(value: object) -> str:
    return "missing" if value is None else repr(value)[:_MOST_SHOWN]
