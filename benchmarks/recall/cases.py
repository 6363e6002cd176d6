"""What is measured on: conversations with questions, and the turns in which the answers stand.

Whatever the format of a file, its reader makes `Case`s of it. What a reader could not use is counted in
`Reading.dropped` instead of passing unseen: a question that is left out makes no system look worse.

`Document` reads JSON that others made: each look into it says where it is, so that an error can name the place.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from everlore.errors import BadAsk

_MOST_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """`date` is ISO 8601 without a zone, as the sets have it, or None; `session` is what was said in one sitting."""

    id: str
    text: str
    speaker: str = ""
    date: str | None = None
    session: str = ""

    @property
    def at(self) -> datetime | None:
        if self.date is None:
            return None
        found = datetime.fromisoformat(self.date)
        return found if found.tzinfo else found.replace(tzinfo=UTC)

    @property
    def spoken(self) -> str:
        """As the baselines keep it: with the name of the speaker."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """`gold` are the turns that hold the answer, `gold_sessions` the sessions, where the set names such.

    One that is not `scored` is shown apart and left out of the whole: the question has no true answer.
    """

    id: str
    text: str
    category: str
    gold: frozenset[str] = frozenset()
    gold_sessions: frozenset[str] = frozenset()
    scored: bool = True


@dataclass(frozen=True, slots=True)
class OffTopicQuestion:
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Case:
    """A store of its own: one conversation of many sessions, or the memories of one person, and what is asked about it.
    `off_topic`: what is said of which nothing there is to the point."""

    id: str
    turns: tuple[Turn, ...]
    queries: tuple[Query, ...]
    off_topic: tuple[OffTopicQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """The cases of a file, and how much of it was of no use, by what it was."""

    cases: tuple[Case, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def queries(self) -> int:
        return sum(len(case.queries) for case in self.cases)

    @property
    def turns(self) -> int:
        return sum(len(case.turns) for case in self.cases)


def first(cases: Sequence[Case], limit: int | None) -> tuple[Case, ...]:
    """The cases with only the first questions of all; those that are not asked anything are left out."""
    chosen: list[Case] = []
    for case in cases:
        queries = case.queries[:limit]
        if queries:
            chosen.append(replace(case, queries=queries))
        if limit is not None:
            limit -= len(queries)
    return tuple(chosen)


def checked(reading: Reading, name: str) -> Reading:
    """`BadAsk` where nothing can be measured, or where it would be measured twice over."""
    if not reading.queries:
        raise BadAsk(f"{name!r} holds no question with a known answer. Is it of the format that --format names?")
    _refuse_twice([case.id for case in reading.cases], f"{name!r} has two cases")
    for case in reading.cases:
        _refuse_twice([turn.id for turn in case.turns], f"Case {case.id!r} of {name!r} has two turns")
    return reading


def _refuse_twice(ids: Sequence[str], what: str) -> None:
    if len(set(ids)) < len(ids):
        twice = next(id for at, id in enumerate(ids) if id in ids[:at])
        raise BadAsk(f"{what} with the id {twice!r}. Give each an id of its own.")


# ── documents of others ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Document:
    """A value of a JSON file, and where it stands."""

    value: Any
    where: str

    def __getitem__(self, name: str) -> "Document":
        found = self.get(name)
        if found is None:
            raise BadAsk(f"{self.where}: there is no {name!r}. Is the file of the format that --format names?")
        return found

    def get(self, name: str) -> "Document | None":
        """None where there is no such field, or where it is null."""
        value = self._as(dict).get(name)
        return None if value is None else Document(value, f"{self.where}, {name}")

    @property
    def text(self) -> str:
        found: str = self._as(str)
        return found

    @property
    def word(self) -> str:
        """A name or an id: many files write these as numbers."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        return self.text

    @property
    def keys(self) -> list[str]:
        return list(self._as(dict))

    def items(self) -> Iterator["Document"]:
        for number, each in enumerate(self._as(list), 1):
            yield Document(each, f"{self.where}, {number}.")

    def _as(self, kind: type) -> Any:
        if isinstance(self.value, kind):
            return self.value
        wanted = "an object" if kind is dict else "a list" if kind is list else "a text"
        raise BadAsk(f"{self.where}: {str(self.value)[:_MOST_SHOWN]!r} should be {wanted}. Correct the file.")


def document_of(data: bytes, name: str) -> Document:
    return Document(_json(_decoded(data, name), name), repr(name))


def lines_of(data: bytes, name: str) -> Iterator[Document]:
    """One document a line; empty lines are passed over."""
    # Not splitlines: a text in JSON may hold a line separator of Unicode.
    for number, line in enumerate(_decoded(data, name).split("\n"), 1):
        if line.strip():
            yield Document(_json(line, name, number), f"Line {number} of {name!r}")


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadAsk(f"{name!r} is not UTF-8 (byte {error.start}). Convert it first, with iconv say.") from None


def _json(text: str, name: str, number: int | None = None) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = error.lineno if number is None else number
        raise BadAsk(f"Line {line} of {name!r} is not JSON: {error.msg} (column {error.colno}).") from None
    except (ValueError, RecursionError) as error:
        raise BadAsk(f"{name!r} is not JSON that can be read: {error}.") from None
