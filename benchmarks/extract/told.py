"""A folder of messages with what is true of them and what is not: `messages.jsonl`, `true.jsonl`, `false.jsonl`.

Each message has an `id`, a `message`, maybe a `context` of earlier turns, a `class`, and `gold` facts: all of a fact's
`keys` in one statement, in small letters, mean that it was found; of a `negated` one, the statement says so too. The
other two files have, by the same ids, statements as a good and as a careless reader would put them: each a sentence,
or an object with `fact` and what else the reader would answer (`quote`, `slot`, `value`).

Start at `read_folder`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.extract.cases import Case, Spoken, json_lines
from everlore.errors import BadAsk

MESSAGES, TRUE, FALSE = "messages.jsonl", "true.jsonl", "false.jsonl"
_DENYING = ("not", "n't", "no ", "never", "none", "without", "nor ", "cannot", "quit", "stopped", "former", "hates")


@dataclass(frozen=True, slots=True)
class Gold:
    content: str
    keys: tuple[str, ...]
    is_negated: bool = False

    def is_said_by(self, statement: str) -> bool:
        low = statement.lower()
        is_said = all(key in low for key in self.keys)
        return is_said and (not self.is_negated or any(each in low for each in _DENYING))


@dataclass(frozen=True, slots=True)
class Told:
    """One message with all that is known of it. `fields`: what a reader answers beside the sentence, by the sentence;
    nothing where the file has sentences alone."""

    case: Case
    kind: str
    gold: tuple[Gold, ...]
    true: tuple[str, ...]
    false: tuple[str, ...]
    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


# What a statement of the files may carry for the reader to answer.
_FIELDS = ("quote", "slot", "value")


def read_folder(folder: Path) -> list[Told]:
    true, false = _by_id(folder, TRUE, "true"), _by_id(folder, FALSE, "false")
    rows = json_lines(_bytes(folder / MESSAGES), name=str(folder / MESSAGES))
    if not rows:
        raise BadAsk(f"{str(folder / MESSAGES)!r} holds no message. Give a file of JSON Lines, one message a line.")
    return [_told(row, number, folder, true, false) for number, row in rows]


def _told(
    row: Mapping[str, Any],
    number: int,
    folder: Path,
    true: Mapping[str, Sequence[object]],
    false: Mapping[str, Sequence[object]],
) -> Told:
    try:
        id = str(row["id"])
        turns = [Spoken(str(each["role"]), str(each["content"])) for each in row.get("context", [])]
        gold = [
            Gold(str(each["fact"]), tuple(map(str, each["keys"])), bool(each.get("negated"))) for each in row["gold"]
        ]
        case = Case(id=id, messages=(*turns, Spoken("user", str(row["message"]))))
    except (KeyError, TypeError) as error:
        where = f"Line {number} of {str(folder / MESSAGES)!r}"
        raise BadAsk(f"{where} lacks {error}. Each line has an id, a message, and gold facts with keys.") from None
    said, made_up = true.get(id, ()), false.get(id, ())
    fields = {_sentence(each): _fields(each) for each in (*said, *made_up) if isinstance(each, dict)}
    return Told(
        case,
        str(row.get("class", "")),
        tuple(gold),
        tuple(map(_sentence, said)),
        tuple(map(_sentence, made_up)),
        fields,
    )


def _by_id(folder: Path, name: str, key: str) -> dict[str, Sequence[object]]:
    """What a file says of each message; a folder without the file has nothing of the kind."""
    path = folder / name
    if not path.exists():
        return {}
    rows = json_lines(path.read_bytes(), name=str(path))
    return {str(row.get("id")): given if isinstance(given := row.get(key), list) else [] for _, row in rows}


def _sentence(given: object) -> str:
    return str(given.get("fact")) if isinstance(given, dict) else str(given)


def _fields(given: Mapping[str, object]) -> dict[str, str]:
    return {key: str(given[key]) for key in _FIELDS if key in given}


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadAsk(f"{str(path)!r} cannot be read: {error.strerror}. Name the folder that holds it.") from None
